// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tessera/core/app/signals.hpp"
#include "tessera/stable/law/evaluation_views.hpp"

/// Points in blocks, between which a run on a CPU ends when it has received a signal. On a GPU all
/// points are one block.
namespace tessera::stable {

using PointRange = std::pair<std::size_t, std::size_t>;  ///< from the first to behind the last

/// Points that a CPU core evaluates in a fraction of a second.
inline constexpr std::size_t kContourBlock = 16384, kPaperBlock = 2048,
                             kTableBlock = std::size_t{1} << 22,
                             kSampleBlock = std::size_t{1} << 20;

/// Calls work(range) for one block after the other.
template <class ExecSpace, class Work>
void for_each_block(std::size_t points, std::size_t most, const Work& work) {
  const std::size_t size = compat::is_gpu_v<ExecSpace> ? std::max<std::size_t>(points, 1) : most;
  for (std::size_t begin = 0; begin < points; begin += size) {
    work(PointRange(begin, std::min(points, begin + size)));
    stop_at_signal();
  }
}

/// The part of results in a block.
template <class ExecSpace>
EvaluationViews<ExecSpace> cut(const EvaluationViews<ExecSpace>& all, const PointRange& range) {
  using View = typename EvaluationViews<ExecSpace>::View;
  const auto part = [&](const View& view) {
    return view.extent(0) == 0 ? view : View(Kokkos::subview(view, range));
  };
  return {part(all.pdf),    part(all.log_pdf),  part(all.cdf),    part(all.sf),
          part(all.d_x),    part(all.d_alpha),  part(all.d_beta), part(all.log_cdf),
          part(all.log_sf), part(all.sf_alpha), part(all.sf_beta)};
}

}  // namespace tessera::stable

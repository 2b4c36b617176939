// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/log/timings.hpp"
#include "tessera/stable/law/sample.hpp"
#include "tessera/stable/program/parameters.hpp"
#include "tessera/stable/program/tasks/blocks.hpp"

namespace tessera::stable {

/// Random numbers of the distribution of an input, from number `first` on.
template <class ExecSpace>
void draw_in_blocks(const ExecSpace& exec, const Parameters& p, const Philox& random,
                    const Kokkos::View<double*, ExecSpace>& x, std::size_t first = 0) {
  const logging::Region region("tessera::stable::sample");
  for_each_block<ExecSpace>(x.extent(0), kSampleBlock, [&](const PointRange& range) {
    const Kokkos::View<double*, ExecSpace> block = Kokkos::subview(x, range);
    sample_batch<ExecSpace>(exec, p.alpha, p.beta, p.where(), random, first + range.first, 0,
                            block);
    exec.fence();
  });
}

}  // namespace tessera::stable

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/mpr/fill/ensemble.hpp"
#include "tessera/mpr/fill/gap_fill.hpp"
#include "tessera/mpr/program/stream_boxes.hpp"
#include "tessera/mpr/program/stream_plan.hpp"

namespace tessera::mpr::detail {

/// The report of a window that was filled.
struct WindowReport {
  double updates = 0, linear_error = 0, spread_error = 0;
  std::int64_t iterations = 0;
};

/// One window of a stream, filled with what was estimated of the image. Maps are of its core, the
/// sites that it answers for, at their places there; NaN where nothing is predicted. All functions
/// wait for the device.
template <class ExecSpace, class Real>
class WindowFill {
 public:
  /// The maps of the core, row after row.
  struct Maps {
    std::vector<Real> mean, deviation;
  };

  /// options: of the image. members: realisations that are wanted.
  WindowFill(const ExecSpace& exec, const StreamWindow& window, const StoredBoxes<Real>& data,
             const FillOptions& options, const std::shared_ptr<const Part>& part, int members)
      : m_exec(exec),
        m_window(window),
        m_fill(exec, {window.box.nx, window.box.ny, 1}, 1,
               options.options_of_part(part, {window.box.nx, window.box.ny, 1})),
        m_batches(members, options.replicas) {
    m_fill.prepare(upload(m_exec, "tessera::mpr::values", data.values),
                   upload(m_exec, "tessera::mpr::status", data.status),
                   upload(m_exec, "tessera::mpr::errors", data.noise), data.upload_columns(m_exec));
  }

  /// A realisation. Numbers are asked for in ascending order, and before finish().
  std::vector<Real> member(int number) {
    while (number >= m_batches.end()) advance();
    const auto value = allocate<mpr::Array<ExecSpace, Real>>(m_exec, "tessera::mpr::realisation",
                                                             m_window.box.size());
    m_fill.realisation(number - m_batches.first(), value);
    std::vector<Real> core(m_window.core.size());
    copy_core(value, core.data());
    return core;
  }

  /// Makes the batches that are left. Sites that are further than `farthest` from every sample have
  /// no law.
  Maps finish(const std::optional<int>& farthest, WindowReport& report) {
    while (m_more) advance();
    const std::size_t sites = m_window.box.size();
    const auto mean = allocate<mpr::Array<ExecSpace, Real>>(m_exec, "tessera::mpr::mean", sites),
               deviation =
                   allocate<mpr::Array<ExecSpace, Real>>(m_exec, "tessera::mpr::deviation", sites);
    m_fill.moments(mean, deviation);
    report = {m_fill.updates(), m_fill.linear_solve().error, m_fill.deviation_error(),
              m_fill.linear_solve().iterations};
    Maps maps{std::vector<Real>(m_window.core.size()), std::vector<Real>(m_window.core.size())};
    copy_core(mean, maps.mean.data());
    copy_core(deviation, maps.deviation.data());
    if (!farthest) return maps;
    std::vector<std::uint16_t> distance(m_window.core.size());
    copy_core(m_fill.distance(), distance.data());
    for (std::size_t i = 0; i < distance.size(); ++i) {
      if (distance[i] > *farthest)
        maps.mean[i] = maps.deviation[i] = std::numeric_limits<Real>::quiet_NaN();
    }
    return maps;
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;  // sites that are copied at once

  void advance() {
    if (!m_more)
      throw Error(ErrorKind::internal, "a window has fewer realisations than were asked for");
    m_more = m_batches.advance(m_fill);
  }

  template <class T>
  void copy_core(const mpr::Array<ExecSpace, T>& map, T* to) const {
    const io::Box &core = m_window.core, &box = m_window.box;
    const std::size_t columns = static_cast<std::size_t>(core.nx),
                      pitch = static_cast<std::size_t>(box.nx);
    const std::size_t rows = static_cast<std::size_t>(core.ny),
                      at_once = std::clamp<std::size_t>(kPiece / pitch, 1, rows);
    const std::size_t above = static_cast<std::size_t>(core.y0 - box.y0),
                      left = static_cast<std::size_t>(core.x0 - box.x0);
    std::vector<T> piece(at_once * pitch);
    for (std::size_t first = 0; first < rows; first += at_once) {
      const std::size_t count = std::min(at_once, rows - first);
      copy_to_host(m_exec, piece.data(), map.data() + (above + first) * pitch, count * pitch);
      for (std::size_t r = 0; r < count; ++r)
        std::copy_n(piece.data() + r * pitch + left, columns, to + (first + r) * columns);
    }
  }

  ExecSpace m_exec;
  StreamWindow m_window;
  GapFill<ExecSpace, Real> m_fill;
  MemberBatches<ExecSpace, Real> m_batches;
  bool m_more = true;
};

}  // namespace tessera::mpr::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/program/stream_plan.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "tessera/core/error.hpp"

namespace tessera::mpr {

namespace {

/// Windows below this cost more halo than they are worth.
constexpr int kLeastEdge = 256, kLargestEdge = 8192;

int count_spans(int size, int edge, int halo) {
  return std::max(1, (size - halo + edge - 1) / edge);
}

}  // namespace

StreamPlan::StreamPlan(const Grid& grid, int edge, int halo)
    : m_grid(grid),
      m_edge(edge),
      m_halo(halo),
      m_columns(count_spans(grid.nx, edge, halo)),
      m_rows(count_spans(grid.ny, edge, halo)) {}

StreamPlan::Span StreamPlan::span(int number, int count, int size) const {
  const bool first = number == 0, last = number + 1 == count;
  Span span{};
  span.begin = number * m_edge;
  span.core_begin = first ? 0 : span.begin + m_halo;
  span.core_end = last ? size : span.begin + m_edge + m_halo;
  span.end = last ? size : std::min(size, span.core_end + m_halo);
  return span;
}

StreamWindow StreamPlan::operator[](int number) const {
  const Span x = span(number % m_columns, m_columns, m_grid.nx),
             y = span(number / m_columns, m_rows, m_grid.ny);
  return {{x.core_begin, y.core_begin, x.core_end - x.core_begin, y.core_end - y.core_begin},
          {x.begin, y.begin, x.end - x.begin, y.end - y.begin}};
}

Grid StreamPlan::largest_box() const {
  return {std::min(m_grid.nx, m_edge + 2 * m_halo), std::min(m_grid.ny, m_edge + 2 * m_halo), 1};
}

StreamPlan plan_stream(const Grid& grid, std::optional<int> edge, int halo, double memory,
                       const std::function<double(const Grid&)>& bytes) {
  const auto need = [&](int of_edge) {
    return bytes(StreamPlan(grid, of_edge, halo).largest_box());
  };
  int fitting = kLargestEdge;
  while (fitting >= kLeastEdge && need(fitting) > memory) fitting -= StreamPlan::kStep;
  const int wanted = edge.value_or(std::max(fitting, kLeastEdge));
  if (need(wanted) > memory) {
    const auto mebibytes = [](double bytes_needed) {
      return std::to_string(static_cast<long long>(std::ceil(bytes_needed / 0x1p20))) + " MiB";
    };
    throw Error(
        ErrorKind::resource,
        "windows of " + std::to_string(wanted) + " x " + std::to_string(wanted) + " sites need " +
            mebibytes(need(wanted)) + ", and stream.memory is " + mebibytes(memory),
        "give 'memory: " + mebibytes(need(wanted)) + "'" +
            (fitting >= kLeastEdge ? ", or 'window: " + std::to_string(fitting) + "'" : ""));
  }
  return StreamPlan(grid, wanted, halo);
}

}  // namespace tessera::mpr

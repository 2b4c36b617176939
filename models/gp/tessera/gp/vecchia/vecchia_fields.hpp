// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/vecchia/dependency_levels.hpp"

/// Fields of Vecchia's approximation, made point by point:
///
///     field_i = sum_j b_ij field_c(i,j) + sqrt(d_i) e_i,     e_i standard normal,
///
/// a level of points (dependency_levels.hpp) at a time. Each number is a sum of one thread in the
/// order of the neighbours, so that its bits are those of a pass from the first point to the last.

namespace tessera::gp::detail {

/// The dependence of each row on the rows before it and on the known points, which are numbered
/// first.
template <class ExecSpace>
struct FieldRule {
  NeighbourView<ExecSpace> neighbours;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> weights;  // b
  Kokkos::View<double*, ExecSpace> variance;                       // d
  // the index of the number e of each row
  Kokkos::View<std::uint32_t*, ExecSpace> order;
  std::int64_t known;
};

/// The kernels that make fields.
template <class ExecSpace>
struct DrawFields {
  struct Wide {};    // a level, a thread for each point and some fields
  struct Narrow {};  // several levels, by one team
  struct Serial {};  // all points in their order, by one thread
  using Member =
      typename Kokkos::TeamPolicy<ExecSpace, Narrow, Kokkos::IndexType<std::int64_t>>::member_type;

  FieldRule<ExecSpace> rule;
  Kokkos::View<std::int32_t*, ExecSpace> row, begin;  // by levels
  // known points, then rows; a column a field
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> field;
  // e, then the fields in their place
  Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> numbers;
  std::int64_t blocks_of_point;  // of fields
  std::int32_t first, last;      // of the levels

  // fields that a thread makes at a time
  static constexpr int kFields = compat::is_gpu_v<ExecSpace> ? 1 : 8;
  static std::int64_t blocks(std::int64_t fields) { return (fields + kFields - 1) / kFields; }

  KOKKOS_INLINE_FUNCTION void operator()(Serial, int) const {
    const auto rows = static_cast<std::int64_t>(rule.neighbours.extent(0));
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t k = 0; k < blocks_of_point; ++k) draw_block(i, k);
    }
  }
  KOKKOS_INLINE_FUNCTION void operator()(Wide, std::int64_t k) const {
    draw_block(row(begin(first) + k / blocks_of_point), k % blocks_of_point);
  }
  KOKKOS_INLINE_FUNCTION void operator()(Narrow, const Member& team) const {
    for (std::int32_t level = first; level < last; ++level) {
      const std::int32_t at = begin(level);
      Kokkos::parallel_for(
          Kokkos::TeamThreadRange(team, (begin(level + 1) - at) * blocks_of_point),
          [&](std::int64_t k) { draw_block(row(at + k / blocks_of_point), k % blocks_of_point); });
      team.team_barrier();
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION void draw_block(std::int64_t i, std::int64_t block) const {
    const int column = static_cast<int>(block) * kFields,
              columns = static_cast<int>(field.extent(1));
    if (column + kFields <= columns) {
      draw<kFields>(i, column);
    } else {
      for (int c = column; c < columns; ++c) draw<1>(i, c);
    }
  }

  template <int Fields>
  KOKKOS_INLINE_FUNCTION void draw(std::int64_t i, int column) const {
    const double deviation = compat::math::sqrt(rule.variance(i));
    double value[Fields];
    for (int f = 0; f < Fields; ++f) value[f] = deviation * numbers(rule.order(i), column + f);
    for (std::size_t j = 0; j < rule.neighbours.extent(1); ++j) {
      const std::int32_t other = rule.neighbours(i, j);
      if (other < 0) continue;
      const double weight = rule.weights(i, j), *const values = &field(other, column);
      TESSERA_VECTORIZE
      for (int f = 0; f < Fields; ++f) value[f] = compat::multiply_add(weight, values[f], value[f]);
    }
    for (int f = 0; f < Fields; ++f) {
      field(rule.known + i, column + f) = value[f];
      numbers(rule.order(i), column + f) = value[f];
    }
  }
};

/// Turns standard normal numbers (`rows` of them for each field, a field after another) into
/// fields. fill_known(field, values, stride) writes the values of the known points, `stride` apart.
/// As many fields are made at a time as take `room` numbers.
template <class ExecSpace, class FillKnown>
void draw_fields(const ExecSpace& exec, const FieldRule<ExecSpace>& rule,
                 const DependencyLevels<ExecSpace>& levels, std::vector<double>& numbers,
                 const FillKnown& fill_known, std::int64_t narrow,
                 std::int64_t room = std::int64_t(1) << 27) {
  using Kernel = DrawFields<ExecSpace>;
  using Index = Kokkos::IndexType<std::int64_t>;
  const auto rows = static_cast<std::int64_t>(rule.neighbours.extent(0));
  if (rows == 0 || numbers.empty()) return;
  const std::int64_t fields = static_cast<std::int64_t>(numbers.size()) / rows;
  // A CPU makes few fields at a time, which fit into its caches.
  const std::int64_t most =
      compat::is_gpu_v<ExecSpace> ? fields : std::min<std::int64_t>(fields, Kernel::kFields);
  const std::int64_t batch = std::clamp<std::int64_t>(room / (rule.known + 2 * rows), 1, most);
  std::vector<double> known;
  Kernel kernel{rule, levels.row, levels.begin, {}, {}, 0, 0, 0};
  for (std::int64_t first = 0; first < fields; first += batch) {
    stop_at_signal();
    const std::int64_t columns = std::min(batch, fields - first);
    if (columns != static_cast<std::int64_t>(kernel.field.extent(1))) {
      kernel.field = {};
      kernel.numbers = {};
      kernel.field =
          allocate<decltype(kernel.field)>(exec, "tessera::gp::field", rule.known + rows, columns);
      kernel.numbers =
          allocate<decltype(kernel.numbers)>(exec, "tessera::gp::field_numbers", rows, columns);
      kernel.blocks_of_point = Kernel::blocks(columns);
    }
    known.resize(static_cast<std::size_t>(rule.known * columns));
    for (std::int64_t c = 0; c < columns && rule.known > 0; ++c)
      fill_known(first + c, known.data() + c, columns);
    copy_from_host(exec, kernel.field.data(), known.data(), known.size());
    copy_from_host(exec, kernel.numbers.data(), numbers.data() + first * rows,
                   static_cast<std::size_t>(columns * rows));
    const auto is_narrow = [&](std::int64_t level) {
      return levels.size(level) <= narrow / kernel.blocks_of_point;
    };
    if (narrow == kOneThread)
      Kokkos::parallel_for("tessera::gp::draw_in_order",
                           Kokkos::RangePolicy<ExecSpace, typename Kernel::Serial>(exec, 0, 1),
                           kernel);
    for (std::int64_t level = 0; level < levels.count() && narrow != kOneThread;) {
      kernel.first = static_cast<std::int32_t>(level++);
      if (!is_narrow(kernel.first)) {
        Kokkos::parallel_for("tessera::gp::draw_level",
                             Kokkos::RangePolicy<ExecSpace, typename Kernel::Wide, Index>(
                                 exec, 0, levels.size(kernel.first) * kernel.blocks_of_point),
                             kernel);
        continue;
      }
      while (level < levels.count() && is_narrow(level)) ++level;
      kernel.last = static_cast<std::int32_t>(level);
      Kokkos::parallel_for("tessera::gp::draw_levels",
                           Kokkos::TeamPolicy<ExecSpace, typename Kernel::Narrow, Index>(
                               exec, 1, kLevelTeam<ExecSpace>, 1),
                           kernel);
    }
    copy_to_host(exec, numbers.data() + first * rows, kernel.numbers.data(),
                 static_cast<std::size_t>(columns * rows));
  }
}

}  // namespace tessera::gp::detail

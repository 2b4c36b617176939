// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/vecchia/dependency_levels.hpp"

/// Products and solves with B, the unit lower triangular matrix of Vecchia's factor: row i has 1 at
/// point i and -b_ij at its neighbours c(i, j). The precision of the field is Q = B' D^-1 B.
///
/// The transposed matrix is kept as well, as the rows in which each point is a neighbour (its
/// children), so that every number is a sum of one thread in a fixed order. Solves go level by
/// level (dependency_levels.hpp): B from the first to the last, its transpose from the last to the
/// first.

namespace tessera::gp::detail {

/// Vectors, a column each, whose numbers of a point stand next to each other.
template <class ExecSpace>
using VectorBlock = Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace>;

/// The children of each point, and the weights that it has in their rows.
template <class ExecSpace>
struct ChildTable {
  Kokkos::View<std::int64_t*, ExecSpace> begin;
  Kokkos::View<std::int32_t*, ExecSpace> child, slot;  // slot: which neighbour of the child
  Kokkos::View<double*, ExecSpace> weight;
};

/// What B is made of.
template <class ExecSpace>
struct FactorRows {
  NeighbourView<ExecSpace> neighbours;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> weights;
  ChildTable<ExecSpace> children;
};

/// The kernels: `out` becomes B in, B' in, or in place B^-1 out, B'^-1 out.
template <class ExecSpace>
struct ApplyFactor {
  enum Operation { kProduct, kTransposedProduct, kSolve, kTransposedSolve };
  struct All {};     // products: a thread for each point and some columns
  struct Wide {};    // solves: the points of a level likewise
  struct Narrow {};  // several levels, by one team
  struct Serial {};  // all points in their order, by one thread
  using Member =
      typename Kokkos::TeamPolicy<ExecSpace, Narrow, Kokkos::IndexType<std::int64_t>>::member_type;

  FactorRows<ExecSpace> rows;
  Operation operation;
  VectorBlock<ExecSpace> in, out;
  std::int64_t blocks_of_point;                             // of columns
  Kokkos::View<std::int32_t*, ExecSpace> level_row, begin;  // by levels
  std::int32_t first = 0, last = 0;                         // of the levels

  // columns that a thread takes at a time
  static constexpr int kColumns = compat::is_gpu_v<ExecSpace> ? 1 : 8;
  static std::int64_t blocks(std::int64_t columns) { return (columns + kColumns - 1) / kColumns; }

  KOKKOS_INLINE_FUNCTION void operator()(All, std::int64_t k) const {
    take_block(k / blocks_of_point, k % blocks_of_point);
  }
  KOKKOS_INLINE_FUNCTION void operator()(Serial, int) const {
    const auto n = static_cast<std::int64_t>(out.extent(0));
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int64_t i = operation == kSolve ? k : n - 1 - k;
      for (std::int64_t block = 0; block < blocks_of_point; ++block) take_block(i, block);
    }
  }
  KOKKOS_INLINE_FUNCTION void operator()(Wide, std::int64_t k) const {
    take_block(level_row(begin(first) + k / blocks_of_point), k % blocks_of_point);
  }
  /// From `first` up to `last`, or down to it.
  KOKKOS_INLINE_FUNCTION void operator()(Narrow, const Member& team) const {
    const std::int32_t step = first <= last ? 1 : -1;
    for (std::int32_t level = first;; level += step) {
      const std::int32_t at = begin(level);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, (begin(level + 1) - at) * blocks_of_point),
                           [&](std::int64_t k) {
                             take_block(level_row(at + k / blocks_of_point), k % blocks_of_point);
                           });
      team.team_barrier();
      if (level == last) break;
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION void take_block(std::int64_t i, std::int64_t block) const {
    const int column = static_cast<int>(block) * kColumns,
              columns = static_cast<int>(out.extent(1));
    if (column + kColumns <= columns) {
      take<kColumns>(i, column);
    } else {
      for (int c = column; c < columns; ++c) take<1>(i, c);
    }
  }

  template <int Columns>
  KOKKOS_INLINE_FUNCTION void take(std::int64_t i, int column) const {
    const bool solves = operation == kSolve || operation == kTransposedSolve;
    const VectorBlock<ExecSpace>& from = solves ? out : in;
    double value[Columns];
    for (int c = 0; c < Columns; ++c) value[c] = from(i, column + c);
    if (operation == kProduct || operation == kSolve) {
      const auto width = static_cast<std::int64_t>(rows.neighbours.extent(1));
      for (std::int64_t j = 0; j < width; ++j) {
        const std::int32_t other = rows.neighbours(i, j);
        if (other >= 0)
          add<Columns>(solves ? rows.weights(i, j) : -rows.weights(i, j), &from(other, column),
                       value);
      }
    } else {
      for (std::int64_t k = rows.children.begin(i); k < rows.children.begin(i + 1); ++k)
        add<Columns>(solves ? rows.children.weight(k) : -rows.children.weight(k),
                     &from(rows.children.child(k), column), value);
    }
    for (int c = 0; c < Columns; ++c) out(i, column + c) = value[c];
  }

  template <int Columns>
  KOKKOS_INLINE_FUNCTION static void add(double weight, const double* numbers, double* value) {
    TESSERA_VECTORIZE
    for (int c = 0; c < Columns; ++c) value[c] = compat::multiply_add(weight, numbers[c], value[c]);
  }
};

/// Copies the weights of the rows into the order of the children.
template <class ExecSpace>
struct CopyChildWeights {
  FactorRows<ExecSpace> rows;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    rows.children.weight(k) = rows.weights(rows.children.child(k), rows.children.slot(k));
  }
};

/// B of one set of neighbours, with weights that change.
template <class ExecSpace>
class VecchiaFactor {
 public:
  using Weights = Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace>;
  using Kernel = ApplyFactor<ExecSpace>;

  VecchiaFactor() = default;
  VecchiaFactor(const ExecSpace& exec, const NeighbourView<ExecSpace>& neighbours)
      : m_exec(exec), m_levels(find_levels(exec, neighbours, 0, narrow_level(exec))) {
    m_rows.neighbours = neighbours;
    list_children();
  }

  void set_weights(const Weights& weights) {
    m_rows.weights = weights;
    const auto count = static_cast<std::int64_t>(m_rows.children.weight.extent(0));
    Kokkos::parallel_for(
        "tessera::gp::copy_child_weights",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, count),
        CopyChildWeights<ExecSpace>{m_rows});
  }
  const Weights& weights() const { return m_rows.weights; }
  const NeighbourView<ExecSpace>& neighbours() const { return m_rows.neighbours; }
  std::int64_t levels() const { return m_levels.count(); }

  void multiply(const VectorBlock<ExecSpace>& in, const VectorBlock<ExecSpace>& out) const {
    launch_product(make(Kernel::kProduct, in, out));
  }
  /// With other weights in the same rows.
  void multiply(const Weights& weights, const VectorBlock<ExecSpace>& in,
                const VectorBlock<ExecSpace>& out) const {
    Kernel kernel = make(Kernel::kProduct, in, out);
    kernel.rows.weights = weights;
    launch_product(kernel);
  }
  void multiply_transposed(const VectorBlock<ExecSpace>& in,
                           const VectorBlock<ExecSpace>& out) const {
    launch_product(make(Kernel::kTransposedProduct, in, out));
  }
  void solve(const VectorBlock<ExecSpace>& x) const {
    launch_solve(make(Kernel::kSolve, x, x), 0, static_cast<std::int32_t>(levels()) - 1);
  }
  void solve_transposed(const VectorBlock<ExecSpace>& x) const {
    launch_solve(make(Kernel::kTransposedSolve, x, x), static_cast<std::int32_t>(levels()) - 1, 0);
  }

 private:
  Kernel make(typename Kernel::Operation operation, const VectorBlock<ExecSpace>& in,
              const VectorBlock<ExecSpace>& out) const {
    return {m_rows,
            operation,
            in,
            out,
            Kernel::blocks(static_cast<std::int64_t>(out.extent(1))),
            m_levels.row,
            m_levels.begin};
  }

  void launch_product(const Kernel& kernel) const {
    using Policy =
        Kokkos::RangePolicy<ExecSpace, typename Kernel::All, Kokkos::IndexType<std::int64_t>>;
    const auto n = static_cast<std::int64_t>(kernel.out.extent(0));
    Kokkos::parallel_for("tessera::gp::multiply_factor",
                         Policy(m_exec, 0, n * kernel.blocks_of_point), kernel);
  }

  void launch_solve(Kernel kernel, std::int32_t first, std::int32_t last) const {
    using Index = Kokkos::IndexType<std::int64_t>;
    const std::int64_t narrow = narrow_level(m_exec);
    if (narrow == kOneThread) {
      Kokkos::parallel_for("tessera::gp::solve_factor_in_order",
                           Kokkos::RangePolicy<ExecSpace, typename Kernel::Serial>(m_exec, 0, 1),
                           kernel);
      return;
    }
    const std::int32_t step = first <= last ? 1 : -1;
    const auto is_narrow = [&](std::int32_t level) {
      return m_levels.size(level) <= narrow / kernel.blocks_of_point;
    };
    for (std::int32_t level = first;; level += step) {
      kernel.first = level;
      if (!is_narrow(level)) {
        Kokkos::parallel_for("tessera::gp::solve_factor_level",
                             Kokkos::RangePolicy<ExecSpace, typename Kernel::Wide, Index>(
                                 m_exec, 0, m_levels.size(level) * kernel.blocks_of_point),
                             kernel);
      } else {
        while (level != last && is_narrow(level + step)) level += step;
        kernel.last = level;
        Kokkos::parallel_for("tessera::gp::solve_factor_levels",
                             Kokkos::TeamPolicy<ExecSpace, typename Kernel::Narrow, Index>(
                                 m_exec, 1, kLevelTeam<ExecSpace>, 1),
                             kernel);
      }
      if (level == last) break;
    }
  }

  /// Counts the children of each point, then lists them in ascending order.
  void list_children() {
    const auto n = static_cast<std::int64_t>(m_rows.neighbours.extent(0)),
               width = static_cast<std::int64_t>(m_rows.neighbours.extent(1));
    std::vector<std::int32_t> neighbours(static_cast<std::size_t>(n * width));
    copy_to_host(m_exec, neighbours.data(), m_rows.neighbours.data(), neighbours.size());
    std::vector<std::int64_t> begin(static_cast<std::size_t>(n) + 1, 0);
    for (const std::int32_t other : neighbours) {
      if (other >= 0) ++begin[static_cast<std::size_t>(other) + 1];
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) begin[i + 1] += begin[i];
    std::vector<std::int32_t> child(static_cast<std::size_t>(begin.back())), slot(child.size());
    std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < width; ++j) {
        const std::int32_t other = neighbours[static_cast<std::size_t>(i * width + j)];
        if (other < 0) continue;
        const auto k = static_cast<std::size_t>(next[static_cast<std::size_t>(other)]++);
        child[k] = static_cast<std::int32_t>(i);
        slot[k] = static_cast<std::int32_t>(j);
      }
    }
    m_rows.children.begin = upload(m_exec, "tessera::gp::child_begin", begin);
    m_rows.children.child = upload(m_exec, "tessera::gp::children", child);
    m_rows.children.slot = upload(m_exec, "tessera::gp::child_slots", slot);
    m_rows.children.weight = allocate<Kokkos::View<double*, ExecSpace>>(
        m_exec, "tessera::gp::child_weights", child.size());
  }

  ExecSpace m_exec;
  FactorRows<ExecSpace> m_rows;
  DependencyLevels<ExecSpace> m_levels;
};

}  // namespace tessera::gp::detail

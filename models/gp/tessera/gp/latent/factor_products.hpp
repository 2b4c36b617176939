// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

/// Runs `body.take(i, block)` for points in the order of their levels, from the first to the last
/// or back.
template <class ExecSpace, class Body>
struct TakeByLevels {
  struct Wide {};    // the points of a level, a thread for each of a point's blocks
  struct Narrow {};  // several levels, by one team
  struct Serial {};  // all points in their order, by one thread
  using Member =
      typename Kokkos::TeamPolicy<ExecSpace, Narrow, Kokkos::IndexType<std::int64_t>>::member_type;

  Body body;
  std::int64_t points, blocks_of_point;
  bool backwards;
  Kokkos::View<std::int32_t*, ExecSpace> level_row, begin;  // by levels
  std::int32_t first = 0, last = 0;                         // of the levels

  KOKKOS_INLINE_FUNCTION void operator()(Serial, int) const {
    for (std::int64_t k = 0; k < points; ++k) {
      for (std::int64_t block = 0; block < blocks_of_point; ++block)
        body.take(backwards ? points - 1 - k : k, block);
    }
  }
  KOKKOS_INLINE_FUNCTION void operator()(Wide, std::int64_t k) const {
    body.take(level_row(begin(first) + k / blocks_of_point), k % blocks_of_point);
  }
  /// From `first` up to `last`, or down to it.
  KOKKOS_INLINE_FUNCTION void operator()(Narrow, const Member& team) const {
    const std::int32_t step = first <= last ? 1 : -1;
    for (std::int32_t level = first;; level += step) {
      const std::int32_t at = begin(level);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, (begin(level + 1) - at) * blocks_of_point),
                           [&](std::int64_t k) {
                             body.take(level_row(at + k / blocks_of_point), k % blocks_of_point);
                           });
      team.team_barrier();
      if (level == last) break;
    }
  }
};

/// The same on a GPU for a body whose `take_in_lanes(team, i)` shares the work at a point among the
/// lanes of a thread of a team: a level lasts as long as its point with the most children.
template <class ExecSpace, class Body>
struct TakeByLevelsInLanes {
  struct Wide {};    // the points of a level
  struct Narrow {};  // several levels, by one team
  template <class Tag>
  using Policy = Kokkos::TeamPolicy<ExecSpace, Tag, Kokkos::IndexType<std::int64_t>>;
  static constexpr int kLanes = 32, kThreads = 8, kThreadsOfLevels = 16;

  Body body;
  Kokkos::View<std::int32_t*, ExecSpace> level_row, begin;
  std::int32_t first = 0, last = 0;

  KOKKOS_INLINE_FUNCTION void operator()(Wide,
                                         const typename Policy<Wide>::member_type& team) const {
    const std::int64_t k =
        static_cast<std::int64_t>(team.league_rank()) * team.team_size() + team.team_rank();
    if (begin(first) + k < begin(first + 1)) body.take_in_lanes(team, level_row(begin(first) + k));
  }
  KOKKOS_INLINE_FUNCTION void operator()(Narrow,
                                         const typename Policy<Narrow>::member_type& team) const {
    const std::int32_t step = first <= last ? 1 : -1;
    for (std::int32_t level = first;; level += step) {
      const std::int32_t at = begin(level);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin(level + 1) - at),
                           [&](std::int32_t k) { body.take_in_lanes(team, level_row(at + k)); });
      team.team_barrier();
      if (level == last) break;
    }
  }
};

/// Runs `body.take(i, 0)` for all points in an order, by one thread.
template <class ExecSpace, class Body>
struct TakeInOrder {
  Body body;
  Kokkos::View<std::int32_t*, ExecSpace> order;
  KOKKOS_INLINE_FUNCTION void operator()(int) const {
    for (std::size_t k = 0; k < order.extent(0); ++k) body.take(order(k), 0);
  }
};

/// Calls wide(level) for each level of more than `narrow` points, and narrow_levels(first, last)
/// for each run of others.
template <class ExecSpace, class Wide, class Narrow>
void for_each_level(const DependencyLevels<ExecSpace>& levels, bool backwards, std::int64_t narrow,
                    const Wide& wide, const Narrow& narrow_levels) {
  const auto end = static_cast<std::int32_t>(levels.count()) - 1;
  const std::int32_t first = backwards ? end : 0, last = backwards ? 0 : end,
                     step = first <= last ? 1 : -1;
  for (std::int32_t level = first;; level += step) {
    if (levels.size(level) > narrow) {
      wide(level);
    } else {
      const std::int32_t begin = level;
      while (level != last && levels.size(level + step) <= narrow) level += step;
      narrow_levels(begin, level);
    }
    if (level == last) break;
  }
}

/// Launches body.take(point, block) for all points, level by level.
template <class ExecSpace, class Body>
void take_by_levels(const ExecSpace& exec, const DependencyLevels<ExecSpace>& levels,
                    bool backwards, std::int64_t points, std::int64_t blocks_of_point,
                    const Body& body) {
  using Kernel = TakeByLevels<ExecSpace, Body>;
  using Index = Kokkos::IndexType<std::int64_t>;
  Kernel kernel{body, points, blocks_of_point, backwards, levels.row, levels.begin};
  const std::int64_t narrow = narrow_level(exec);
  if (narrow == kOneThread) {
    Kokkos::parallel_for("tessera::gp::take_in_order",
                         Kokkos::RangePolicy<ExecSpace, typename Kernel::Serial>(exec, 0, 1),
                         kernel);
    return;
  }
  for_each_level(
      levels, backwards, narrow / blocks_of_point,
      [&](std::int32_t level) {
        kernel.first = level;
        Kokkos::parallel_for("tessera::gp::take_level",
                             Kokkos::RangePolicy<ExecSpace, typename Kernel::Wide, Index>(
                                 exec, 0, levels.size(level) * blocks_of_point),
                             kernel);
      },
      [&](std::int32_t first, std::int32_t last) {
        kernel.first = first;
        kernel.last = last;
        Kokkos::parallel_for("tessera::gp::take_levels",
                             Kokkos::TeamPolicy<ExecSpace, typename Kernel::Narrow, Index>(
                                 exec, 1, kLevelTeam<ExecSpace>, 1),
                             kernel);
      });
}

/// Launches body.take_in_lanes(team, point) for all points, level by level.
template <class ExecSpace, class Body>
void take_by_levels_in_lanes(const ExecSpace& exec, const DependencyLevels<ExecSpace>& levels,
                             bool backwards, const Body& body) {
  using Kernel = TakeByLevelsInLanes<ExecSpace, Body>;
  constexpr std::int64_t kNarrow = 4 * Kernel::kThreadsOfLevels;
  Kernel kernel{body, levels.row, levels.begin};
  for_each_level(
      levels, backwards, kNarrow,
      [&](std::int32_t level) {
        kernel.first = level;
        Kokkos::parallel_for(
            "tessera::gp::take_level_in_lanes",
            typename Kernel::template Policy<typename Kernel::Wide>(
                exec, (levels.size(level) + Kernel::kThreads - 1) / Kernel::kThreads,
                Kernel::kThreads, Kernel::kLanes),
            kernel);
      },
      [&](std::int32_t first, std::int32_t last) {
        kernel.first = first;
        kernel.last = last;
        Kokkos::parallel_for("tessera::gp::take_levels_in_lanes",
                             typename Kernel::template Policy<typename Kernel::Narrow>(
                                 exec, 1, Kernel::kThreadsOfLevels, Kernel::kLanes),
                             kernel);
      });
}

/// A term of a sum: the weight of another point.
struct FactorTerm {
  std::int64_t other;
  double weight;
};

/// The neighbours of a point; a missing one is the point itself with the weight 0.
template <class ExecSpace>
struct NeighbourTerms {
  const FactorRows<ExecSpace>& rows;
  std::int64_t i;
  KOKKOS_INLINE_FUNCTION std::int64_t begin() const { return 0; }
  KOKKOS_INLINE_FUNCTION std::int64_t end() const {
    return static_cast<std::int64_t>(rows.neighbours.extent(1));
  }
  KOKKOS_INLINE_FUNCTION FactorTerm operator()(std::int64_t j) const {
    const std::int32_t other = rows.neighbours(i, j);
    if (other < 0) return {i, 0};
    return {other, rows.weights(i, j)};
  }
};

/// The children of a point.
template <class ExecSpace>
struct ChildTerms {
  const FactorRows<ExecSpace>& rows;
  std::int64_t i;
  KOKKOS_INLINE_FUNCTION std::int64_t begin() const { return rows.children.begin(i); }
  KOKKOS_INLINE_FUNCTION std::int64_t end() const { return rows.children.begin(i + 1); }
  KOKKOS_INLINE_FUNCTION FactorTerm operator()(std::int64_t k) const {
    return {rows.children.child(k), rows.children.weight(k)};
  }
};

/// `out` becomes B in, B' in, or in place B^-1 out, B'^-1 out: some columns of a point at a time.
template <class ExecSpace>
struct ApplyFactor {
  enum Operation { kProduct, kTransposedProduct, kSolve, kTransposedSolve };

  FactorRows<ExecSpace> rows;
  Operation operation;
  VectorBlock<ExecSpace> in, out;
  std::int64_t blocks_of_point;  // of columns

  static constexpr bool kOnGpu = compat::is_gpu_v<ExecSpace>;
  static constexpr int kColumns = kOnGpu ? 1 : 8;
  static std::int64_t blocks(std::int64_t columns) { return (columns + kColumns - 1) / kColumns; }

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    take(k / blocks_of_point, k % blocks_of_point);
  }

  KOKKOS_INLINE_FUNCTION void take(std::int64_t i, std::int64_t block) const {
    const int column = static_cast<int>(block) * kColumns,
              columns = static_cast<int>(out.extent(1));
    if (column + kColumns <= columns) {
      take_columns<kColumns>(i, column);
    } else {
      for (int c = column; c < columns; ++c) take_columns<1>(i, c);
    }
  }

  /// The only column, by the lanes of a thread.
  template <class Member>
  KOKKOS_INLINE_FUNCTION void take_in_lanes(const Member& team, std::int64_t i) const {
    if (is_transposed()) {
      sum_in_lanes(team, i, ChildTerms<ExecSpace>{rows, i});
    } else {
      sum_in_lanes(team, i, NeighbourTerms<ExecSpace>{rows, i});
    }
  }

 private:
  // terms whose numbers a thread of a GPU waits for together
  static constexpr int kTogether = 8;

  KOKKOS_INLINE_FUNCTION bool is_transposed() const {
    return operation == kTransposedProduct || operation == kTransposedSolve;
  }
  KOKKOS_INLINE_FUNCTION bool solves() const {
    return operation == kSolve || operation == kTransposedSolve;
  }
  KOKKOS_INLINE_FUNCTION const VectorBlock<ExecSpace>& from() const { return solves() ? out : in; }

  template <class Member, class Terms>
  KOKKOS_INLINE_FUNCTION void sum_in_lanes(const Member& team, std::int64_t i,
                                           const Terms& terms) const {
    const VectorBlock<ExecSpace>& numbers = from();
    const std::int64_t begin = terms.begin();
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, terms.end() - begin),
        [&](std::int64_t k, double& partial) {
          const FactorTerm term = terms(begin + k);
          partial = compat::multiply_add(term.weight, numbers(term.other, 0), partial);
        },
        sum);
    Kokkos::single(Kokkos::PerThread(team),
                   [&]() { out(i, 0) = numbers(i, 0) + (solves() ? sum : -sum); });
  }

  template <int Columns>
  KOKKOS_INLINE_FUNCTION void take_columns(std::int64_t i, int column) const {
    double value[Columns];
    for (int c = 0; c < Columns; ++c) value[c] = from()(i, column + c);
    if (is_transposed()) {
      add_all<Columns>(ChildTerms<ExecSpace>{rows, i}, column, value);
    } else {
      add_all<Columns>(NeighbourTerms<ExecSpace>{rows, i}, column, value);
    }
    for (int c = 0; c < Columns; ++c) out(i, column + c) = value[c];
  }

  /// Adds all terms in their order, with the sign of the operation.
  template <int Columns, class Terms>
  KOKKOS_INLINE_FUNCTION void add_all(const Terms& terms, int column, double* value) const {
    const VectorBlock<ExecSpace>& numbers = from();
    const double sign = solves() ? 1 : -1;
    const std::int64_t end = terms.end();
    std::int64_t k = terms.begin();
    if constexpr (kOnGpu) {
      for (; k + kTogether <= end; k += kTogether) {
        double weight[kTogether], number[kTogether];
        for (int t = 0; t < kTogether; ++t) {
          const FactorTerm term = terms(k + t);
          weight[t] = sign * term.weight;
          number[t] = numbers(term.other, column);
        }
        for (int t = 0; t < kTogether; ++t)
          value[0] = compat::multiply_add(weight[t], number[t], value[0]);
      }
    }
    for (; k < end; ++k) {
      const FactorTerm term = terms(k);
      add<Columns>(sign * term.weight, &numbers(term.other, column), value);
    }
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

/// The neighbours of a set of points, their children and their levels.
template <class ExecSpace>
struct FactorPattern {
  NeighbourView<ExecSpace> neighbours;
  ChildTable<ExecSpace> children;  // without weights
  DependencyLevels<ExecSpace> levels;
  /// For one thread: all points, each soon after its last child; empty where there are more
  Kokkos::View<std::int32_t*, ExecSpace> children_first;
};

/// Lists all points, each behind its children and most of these shortly before, as a search in
/// depth leaves them: what has been made of the children is in the caches then.
inline std::vector<std::int32_t> order_children_first(const std::vector<std::int64_t>& begin,
                                                      const std::vector<std::int32_t>& child) {
  const std::size_t n = begin.size() - 1;
  std::vector<std::int32_t> order, path;
  std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
  std::vector<char> seen(n, 0);
  const auto enter = [&](std::int32_t point) {
    if (seen[point] != 0) return;
    seen[point] = 1;
    path.push_back(point);
  };
  for (std::size_t first = 0; first < n; ++first) {
    enter(static_cast<std::int32_t>(first));
    while (!path.empty()) {
      const std::int32_t i = path.back();
      if (next[i] < begin[i + 1]) {
        enter(child[next[i]++]);
      } else {
        order.push_back(i);
        path.pop_back();
      }
    }
  }
  return order;
}

/// Counts the children of each point, then lists them in ascending order.
template <class ExecSpace>
FactorPattern<ExecSpace> find_pattern(const ExecSpace& exec, const NeighbourView<ExecSpace>& rows) {
  FactorPattern<ExecSpace> pattern;
  pattern.neighbours = rows;
  pattern.levels = find_levels(exec, rows, 0, narrow_level(exec));
  const auto n = static_cast<std::int64_t>(rows.extent(0)),
             width = static_cast<std::int64_t>(rows.extent(1));
  std::vector<std::int32_t> neighbours(static_cast<std::size_t>(n * width));
  copy_to_host(exec, neighbours.data(), rows.data(), neighbours.size());
  std::vector<std::int64_t> begin(static_cast<std::size_t>(n) + 1, 0);
  for (const std::int32_t other : neighbours) {
    if (other >= 0) ++begin[static_cast<std::size_t>(other) + 1];
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) begin[i + 1] += begin[i];
  std::vector<std::int32_t> child(static_cast<std::size_t>(begin.back())), slot(child.size());
  std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int32_t* const row = neighbours.data() + i * width;
    for (std::int64_t j = 0; j < width; ++j) {
      if (row[j] < 0) continue;
      const auto k = static_cast<std::size_t>(next[static_cast<std::size_t>(row[j])]++);
      child[k] = static_cast<std::int32_t>(i);
      slot[k] = static_cast<std::int32_t>(j);
    }
  }
  pattern.children.begin = upload(exec, "tessera::gp::child_begin", begin);
  pattern.children.child = upload(exec, "tessera::gp::children", child);
  pattern.children.slot = upload(exec, "tessera::gp::child_slots", slot);
  if (narrow_level(exec) == kOneThread)
    pattern.children_first =
        upload(exec, "tessera::gp::children_first", order_children_first(begin, child));
  return pattern;
}

/// B of one pattern, with weights that change.
template <class ExecSpace>
class VecchiaFactor {
 public:
  using Weights = Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace>;
  using Kernel = ApplyFactor<ExecSpace>;

  VecchiaFactor() = default;
  VecchiaFactor(const ExecSpace& exec, const FactorPattern<ExecSpace>& pattern)
      : m_exec(exec), m_pattern(pattern), m_rows{pattern.neighbours, {}, pattern.children} {
    m_rows.children.weight = allocate<Kokkos::View<double*, ExecSpace>>(
        m_exec, "tessera::gp::child_weights", pattern.children.child.extent(0));
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
  const FactorRows<ExecSpace>& rows() const { return m_rows; }
  const FactorPattern<ExecSpace>& pattern() const { return m_pattern; }

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
    launch_solve(make(Kernel::kSolve, x, x), false);
  }
  void solve_transposed(const VectorBlock<ExecSpace>& x) const {
    launch_solve(make(Kernel::kTransposedSolve, x, x), true);
  }

 private:
  Kernel make(typename Kernel::Operation operation, const VectorBlock<ExecSpace>& in,
              const VectorBlock<ExecSpace>& out) const {
    return {m_rows, operation, in, out, Kernel::blocks(static_cast<std::int64_t>(out.extent(1)))};
  }

  void launch_product(const Kernel& kernel) const {
    const auto n = static_cast<std::int64_t>(kernel.out.extent(0));
    Kokkos::parallel_for("tessera::gp::multiply_factor",
                         Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                             m_exec, 0, n * kernel.blocks_of_point),
                         kernel);
  }

  void launch_solve(const Kernel& kernel, bool backwards) const {
    if constexpr (Kernel::kOnGpu) {
      if (kernel.out.extent(1) == 1)
        return take_by_levels_in_lanes(m_exec, m_pattern.levels, backwards, kernel);
    }
    take_by_levels(m_exec, m_pattern.levels, backwards,
                   static_cast<std::int64_t>(kernel.out.extent(0)), kernel.blocks_of_point, kernel);
  }

  ExecSpace m_exec;
  FactorPattern<ExecSpace> m_pattern;
  FactorRows<ExecSpace> m_rows;
};

}  // namespace tessera::gp::detail

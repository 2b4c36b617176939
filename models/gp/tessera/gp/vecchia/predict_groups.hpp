// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/linalg/dense_batch.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gp/likelihood/device_sums.hpp"
#include "tessera/gp/vecchia/block_prediction.hpp"

/// The bodies of predict_groups. Included where it is instantiated.

namespace tessera::gp::detail {

/// Replaces the block in which a target lies by that which serves it best.
template <class ExecSpace>
struct ChooseBlock {
  CoordinateView<ExecSpace> data, centres, targets;
  NeighbourView<ExecSpace> nearest, candidates, neighbours;
  Kokkos::View<std::int32_t*, ExecSpace> block;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const int wanted = static_cast<int>(nearest.extent(1));
    int most = count(i, block(i));
    for (std::size_t c = 0; c < candidates.extent(1) && most < wanted; ++c) {
      const int found = count(i, candidates(i, c));
      if (found <= most) continue;
      most = found;
      block(i) = candidates(i, c);
    }
    if (2 * most < wanted) block(i) = -1;
  }

 private:
  KOKKOS_INLINE_FUNCTION double squared_distance(const CoordinateView<ExecSpace>& points,
                                                 std::int64_t i, std::int32_t b) const {
    double sum = 0;
    for (std::size_t k = 0; k < centres.extent(1); ++k) {
      const double difference = points(i, k) - centres(b, k);
      sum += difference * difference;
    }
    return sum;
  }

  /// Returns how many of the data nearest to the target, without a gap, are neighbours of block b:
  /// no farther from its centre than the last of them. 0 out of its reach, where its neighbours are
  /// not around the target.
  KOKKOS_INLINE_FUNCTION int count(std::int64_t i, std::int32_t b) const {
    const int wanted = static_cast<int>(nearest.extent(1));
    if (neighbours.extent(1) == data.extent(0)) return wanted;  // they are all there are
    const double radius = squared_distance(data, neighbours(b, neighbours.extent(1) - 1), b);
    if (squared_distance(targets, i, b) > kReach * kReach * radius) return 0;
    int sum = 0;
    while (sum < wanted && squared_distance(data, nearest(i, sum), b) <= radius) ++sum;
    return sum;
  }
};

template <class ExecSpace>
std::vector<std::int32_t> choose_blocks(const ExecSpace& exec,
                                        const CoordinateView<ExecSpace>& data,
                                        const CoordinateView<ExecSpace>& centres,
                                        const NeighbourView<ExecSpace>& neighbours,
                                        const CoordinateView<ExecSpace>& targets,
                                        const std::vector<std::int32_t>& own) {
  const auto count = static_cast<std::int64_t>(targets.extent(0));
  const auto nearest_of = [&](const CoordinateView<ExecSpace>& points, std::int64_t most) {
    const auto rows = allocate<NeighbourView<ExecSpace>>(
        exec, "tessera::gp::nearest_of_targets", count,
        std::min(most, static_cast<std::int64_t>(points.extent(0))));
    find_nearest<ExecSpace>(exec, points, targets, {}, {}, rows);
    return rows;
  };
  const auto shared = static_cast<std::int64_t>(neighbours.extent(1));
  const auto nearest = nearest_of(data, std::min(kNearest, std::max<std::int64_t>(shared / 2, 1))),
             candidates = nearest_of(centres, kCandidates);
  const auto block = upload(exec, "tessera::gp::block_of_target", own);
  Kokkos::parallel_for(
      "tessera::gp::choose_block",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
      ChooseBlock<ExecSpace>{data, centres, targets, nearest, candidates, neighbours, block});
  return download(exec, block);
}

/// Copies the rows of the observations of blocks, so that kernels read them one after another.
template <class ExecSpace>
struct GatherRows {
  BlockPredictionData<ExecSpace> data;
  Kokkos::View<const std::int32_t*, ExecSpace> block;
  std::int64_t n;  // observations of a block
  Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> points, columns;
  Kokkos::View<double*, ExecSpace> error_variance;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = data.order(data.neighbours(block(i / n), i % n));
    for (std::size_t k = 0; k < points.extent(1); ++k) points(i, k) = data.points(row, k);
    for (std::size_t k = 0; k < columns.extent(1); ++k) columns(i, k) = data.columns(row, k);
    if (error_variance.extent(0) > 0) error_variance(i) = data.error_variance(row);
  }
};

/// A column a team: of the covariance of a block's observations, in the lower triangle, or of the
/// right-hand sides of a group, which are the columns of the data and the covariances with its
/// targets.
template <class ExecSpace, class Function>
struct FillBlocks {
  using Member = typename Policy<ExecSpace>::member_type;
  Function covariance;
  PointView<ExecSpace> points, targets;  // points: the observations, block by block
  Kokkos::View<const double**, Kokkos::LayoutLeft, ExecSpace> columns;
  Kokkos::View<const double*, ExecSpace> error_variance;
  Kokkos::View<const TargetGroup*, ExecSpace> group;
  Kokkos::View<const std::uint32_t*, ExecSpace> target;
  std::int64_t first, blocks, n, width;  // the first block; observations of one; columns of a group
  double *matrices, *sides;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::int64_t column = team.league_rank(), of_sides = column - blocks * n;
    if (of_sides < 0) {
      fill_matrix(team, column / n * n, column % n, matrices + column * n);
    } else {
      fill_side(team, group(of_sides / width), of_sides % width, sides + of_sides * n);
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION void fill_matrix(const Member& team, std::int64_t origin, std::int64_t j,
                                          double* column) const {
    const auto here = covariance.place(points, origin + j);
    const double time = covariance.time(points, origin + j);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n - 1 - j), [&](std::int64_t below) {
      const std::int64_t at = origin + j + 1 + below;
      column[j + 1 + below] =
          covariance(covariance.place(points, at), here, covariance.time(points, at) - time);
    });
    const double known = error_variance.extent(0) > 0 ? error_variance(origin + j) : 0;
    Kokkos::single(Kokkos::PerTeam(team), [&]() { column[j] = covariance.own(here) + known; });
  }

  KOKKOS_INLINE_FUNCTION void fill_side(const Member& team, const TargetGroup& of, std::int64_t c,
                                        double* column) const {
    const std::int64_t origin = (of.block - first) * n,
                       given = static_cast<std::int64_t>(columns.extent(1)), t = c - given;
    if (t >= of.count) {  // no target: any finite numbers
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n),
                           [&](std::int64_t i) { column[i] = 0; });
    } else if (t < 0) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n),
                           [&](std::int64_t i) { column[i] = columns(origin + i, c); });
    } else {
      const std::int64_t at = target(of.first + t);
      const auto here = covariance.place(targets, at);
      const double time = covariance.time(targets, at);
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n), [&](std::int64_t i) {
        column[i] = covariance(covariance.place(points, origin + i), here,
                               covariance.time(points, origin + i) - time);
      });
    }
  }
};

/// The products of a target's column, a team each: with itself, then with those of the data.
template <class ExecSpace>
struct SumGroups {
  using Member = typename Policy<ExecSpace>::member_type;
  Kokkos::View<const TargetGroup*, ExecSpace> group;
  const double* sides;
  std::int64_t n, width, given;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> result;  // targets x (1 + given)

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::int64_t g = team.league_rank() / TargetGroups::kMost,
                       t = team.league_rank() % TargetGroups::kMost;
    if (t >= group(g).count) return;
    const std::int64_t at = group(g).first - group(0).first + t;
    const double* first = sides + g * width * n;
    const double* own = first + (given + t) * n;
    for (std::int64_t c = 0; c <= given; ++c) {
      const double* other = c == 0 ? own : first + (c - 1) * n;
      double sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, n),
          [&](std::int64_t i, double& part) { part += own[i] * other[i]; }, sum);
      Kokkos::single(Kokkos::PerTeam(team), [&]() { result(at, c) = sum; });
    }
  }
};

/// Finds the products of runs of groups.
template <class ExecSpace>
class GroupPredictor {
 public:
  GroupPredictor(const ExecSpace& exec, CovarianceDispatch<ExecSpace>& covariance,
                 const Theta& theta, const BlockPredictionData<ExecSpace>& data,
                 const TargetGroups& groups)
      : m_exec(exec),
        m_covariance(covariance),
        m_theta(theta),
        m_data(data),
        m_groups(groups),
        m_n(static_cast<std::int64_t>(data.neighbours.extent(1))),
        m_given(static_cast<std::int64_t>(data.columns.extent(1))),
        m_width(m_given + TargetGroups::kMost),
        m_target(upload(exec, "tessera::gp::grouped_targets", groups.target)),
        m_batch(exec) {}

  /// Returns the end of a run from `begin` on, of as many groups as there is room for.
  std::size_t end_of_run(std::size_t begin, std::size_t end) const;
  /// Appends the products of the groups [begin, end) to `sums`.
  void add(std::size_t begin, std::size_t end, std::vector<double>& sums);

 private:
  using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;
  using Vector = Kokkos::View<double*, ExecSpace>;

  double* room(Vector& held, const char* label, std::int64_t count) const {
    if (static_cast<std::int64_t>(held.extent(0)) < count) {
      held = {};
      held = allocate<Vector>(m_exec, label, count);
    }
    return held.data();
  }
  /// Fills the matrices of so many blocks from `first` on, and the right-hand sides of groups.
  void fill(const Kokkos::View<TargetGroup*, ExecSpace>& group, std::int64_t first,
            std::int64_t blocks);

  ExecSpace m_exec;
  CovarianceDispatch<ExecSpace>& m_covariance;
  const Theta& m_theta;
  const BlockPredictionData<ExecSpace>& m_data;
  const TargetGroups& m_groups;
  std::int64_t m_n, m_given, m_width;  // observations of a block; columns of the data, of a group
  Kokkos::View<std::uint32_t*, ExecSpace> m_target;
  Vector m_matrices, m_sides;
  linalg::DenseBatch<ExecSpace> m_batch;
};

template <class ExecSpace>
std::size_t GroupPredictor<ExecSpace>::end_of_run(std::size_t begin, std::size_t end) const {
  const auto room = static_cast<std::int64_t>(block_prediction_bytes(m_n) / sizeof(double));
  std::int64_t numbers = 0, block = -1;
  std::size_t at = begin;
  for (; at < end; ++at) {
    const bool is_new = m_groups.group[at].block != block;
    block = m_groups.group[at].block;
    numbers += m_n * (m_width + (is_new ? m_n : 0));
    if (numbers > room && at > begin) break;
  }
  return at;
}

template <class ExecSpace>
void GroupPredictor<ExecSpace>::fill(const Kokkos::View<TargetGroup*, ExecSpace>& group,
                                     std::int64_t first, std::int64_t blocks) {
  const std::int64_t rows = blocks * m_n, sides = static_cast<std::int64_t>(group.extent(0));
  const auto points = allocate<Columns>(m_exec, "tessera::gp::block_points", rows,
                                        m_data.points.extent(1)),
             columns = allocate<Columns>(m_exec, "tessera::gp::block_columns", rows, m_given);
  const auto errors = allocate<Vector>(m_exec, "tessera::gp::block_errors",
                                       m_data.error_variance.extent(0) > 0 ? rows : 0);
  const auto begin = m_groups.block.begin() + static_cast<std::ptrdiff_t>(first);
  const auto block =
      upload(m_exec, "tessera::gp::blocks", std::vector<std::int32_t>(begin, begin + blocks));
  Kokkos::parallel_for(
      "tessera::gp::gather_rows",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, rows),
      GatherRows<ExecSpace>{m_data, block, m_n, points, columns, errors});
  m_covariance.visit_tabulated(m_theta, [&](const auto& covariance) {
    using Functor = FillBlocks<ExecSpace, std::decay_t<decltype(covariance)>>;
    Kokkos::parallel_for(
        "tessera::gp::fill_blocks", teams(m_exec, rows + sides * m_width),
        Functor{covariance, points, m_data.targets, columns, errors, group, m_target, first, blocks,
                m_n, m_width, m_matrices.data(), m_sides.data()});
  });
  m_exec.fence();  // the rows go
}

template <class ExecSpace>
void GroupPredictor<ExecSpace>::add(std::size_t begin, std::size_t end, std::vector<double>& sums) {
  const std::vector<TargetGroup> run(m_groups.group.begin() + static_cast<std::ptrdiff_t>(begin),
                                     m_groups.group.begin() + static_cast<std::ptrdiff_t>(end));
  const auto group = upload(m_exec, "tessera::gp::target_groups", run);
  const auto sides = static_cast<std::int64_t>(run.size());
  const std::int64_t first = run.front().block, blocks = run.back().block + 1 - first;
  double* matrices = room(m_matrices, "tessera::gp::block_matrices", blocks * m_n * m_n);
  double* columns = room(m_sides, "tessera::gp::block_sides", sides * m_n * m_width);
  fill(group, first, blocks);
  const std::vector<std::int64_t> failed = m_batch.factor(matrices, m_n, blocks);
  std::vector<std::int64_t> factor_of, count;
  for (const TargetGroup& one : run) {
    factor_of.push_back(one.block - first);
    count.push_back(m_given + one.count);
  }
  m_batch.solve(matrices, m_n, factor_of, columns, m_width, count);

  const std::int64_t targets = run.back().first + run.back().count - run.front().first;
  const auto result = allocate<Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace>>(
      m_exec, "tessera::gp::group_sums", targets, 1 + m_given);
  Kokkos::parallel_for("tessera::gp::sum_groups", teams(m_exec, sides * TargetGroups::kMost),
                       SumGroups<ExecSpace>{group, columns, m_n, m_width, m_given, result});
  std::vector<double> all(result.span());
  copy_to_host(m_exec, all.data(), result.data(), all.size());
  for (const TargetGroup& one : run) {
    if (!std::binary_search(failed.begin(), failed.end(), one.block - first)) continue;
    std::fill_n(all.begin() + (one.first - run.front().first) * (1 + m_given),
                one.count * (1 + m_given), std::numeric_limits<double>::quiet_NaN());
  }
  sums.insert(sums.end(), all.begin(), all.end());
}

template <class ExecSpace>
std::vector<double> predict_groups(const ExecSpace& exec, CovarianceDispatch<ExecSpace>& covariance,
                                   const Theta& theta, const BlockPredictionData<ExecSpace>& data,
                                   const TargetGroups& groups, std::size_t begin, std::size_t end) {
  const logging::Region region("tessera::gp::predict_blocks");
  GroupPredictor<ExecSpace> predictor(exec, covariance, theta, data, groups);
  std::vector<double> sums;
  while (begin < end) {
    stop_at_signal();
    const std::size_t next = predictor.end_of_run(begin, end);
    predictor.add(begin, next, sums);
    begin = next;
  }
  return sums;
}

}  // namespace tessera::gp::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gp/points/device_copies.hpp"
#include "tessera/gp/points/point_blocks.hpp"
#include "tessera/gp/vecchia/block_prediction.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tessera/gp/vecchia/vecchia_fields.hpp"
#include "tessera/gp/vecchia/vecchia_likelihood.hpp"

/// The Vecchia solver: kriging, draws, simulation and cross-validation. Included where it is
/// instantiated.

namespace tessera::gp {

namespace detail {

/// The variance of a prediction's error under a covariance that its weights were not made for: C_ii
/// - 2 b' s_i + b' S_i b.
template <class ExecSpace, class Function>
struct FindErrorVariance {
  Function covariance;
  PointView<ExecSpace> points, targets;
  Kokkos::View<const std::uint32_t*, ExecSpace> order;  // the neighbours are numbers in it
  NeighbourView<ExecSpace> neighbours;
  Kokkos::View<const double**, Kokkos::LayoutRight, ExecSpace> weights;
  Kokkos::View<const double*, ExecSpace> error_variance;  // of each point; empty: none
  Kokkos::View<double*, ExecSpace> result;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const auto target = covariance.place(targets, i);
    double sum = covariance.field(target);
    for (std::size_t j = 0; j < neighbours.extent(1) && neighbours(i, j) >= 0; ++j) {
      const std::int64_t at = order(neighbours(i, j));
      const auto here = covariance.place(points, at);
      const double variance =
          covariance.own(here) + (error_variance.extent(0) > 0 ? error_variance(at) : 0);
      double with_others = 0.5 * weights(i, j) * variance;
      for (std::size_t k = 0; k < j; ++k) {
        const std::int64_t other = order(neighbours(i, k));
        with_others += weights(i, k) *
                       covariance(here, covariance.place(points, other),
                                  covariance.time(points, at) - covariance.time(points, other));
      }
      sum += 2 * weights(i, j) *
             (with_others -
              covariance(target, here, covariance.time(targets, i) - covariance.time(points, at)));
    }
    result(i) = sum;
  }
};

}  // namespace detail

/// d and r of every target, and their weights where there is room for them.
template <class ExecSpace>
typename VecchiaSolver<ExecSpace>::Fields VecchiaSolver<ExecSpace>::read_fields(
    const Theta& theta, const Sweep& sweep, int columns, const Weights& weights) {
  const auto n = static_cast<std::int64_t>(sweep.targets.extent(0)),
             m = static_cast<std::int64_t>(sweep.neighbours.extent(1));
  const bool with_weights = weights.extent(0) > 0;
  Fields fields{{columns, 0}, n, {}};
  fields.value.resize(static_cast<std::size_t>(n * fields.index.count()));
  const std::int64_t most = std::min(n, chunk());
  const auto output = allocate<detail::FieldView<ExecSpace>>(m_exec, "tessera::gp::vecchia_fields",
                                                             most, fields.index.count());
  store(m_exec, "tessera::gp::no_point", m_failed.data(), detail::kNoPoint);
  for (std::int64_t first = 0; first < n; first += most) {
    stop_at_signal();
    const std::int64_t count = std::min(most, n - first);
    if (with_weights) {
      run_sweep<detail::SweepMode::weights>(theta, sweep, first, count, fields.index, output,
                                            Weights(weights.data() + first * m, count, m));
    } else {
      run_sweep<detail::SweepMode::value>(theta, sweep, first, count, fields.index, output, {});
    }
    for (int k = 0; k < fields.index.count(); ++k)
      copy_to_host(m_exec, fields.value.data() + k * n + first, output.data() + k * most,
                   static_cast<std::size_t>(count));
  }
  return fields;
}

template <class ExecSpace>
typename VecchiaSolver<ExecSpace>::Fields VecchiaSolver<ExecSpace>::gather(Fields own) const {
  if (m_ranks.size() == 1) return own;
  Fields all{own.index, 0, {}};
  for (int k = 0; k < own.index.count(); ++k) {
    const auto begin = own.value.begin() + k * own.count;
    const std::vector<double> field =
        m_ranks.all_gather(std::vector<double>(begin, begin + own.count));
    all.value.insert(all.value.end(), field.begin(), field.end());
    all.count = static_cast<std::int64_t>(field.size());
  }
  return all;
}

/// Returns the rows of all ranks.
template <class ExecSpace>
template <class View>
View VecchiaSolver<ExecSpace>::gather_rows(const View& own) const {
  if (m_ranks.size() == 1) return own;
  std::vector<typename View::value_type> values(own.span());
  copy_to_host(m_exec, values.data(), own.data(), values.size());
  values = m_ranks.all_gather(values);
  const View all =
      allocate<View>(m_exec, own.label(), values.size() / own.extent(1), own.extent(1));
  copy_from_host(m_exec, all.data(), values.data(), values.size());
  return all;
}

template <class ExecSpace>
void VecchiaSolver<ExecSpace>::require_solved(const Theta& theta, const Fields& fields,
                                              const Points& targets,
                                              const std::vector<std::uint32_t>& rows,
                                              bool in_blocks) const {
  // a pivot that is not positive makes everything after it NaN
  for (std::int64_t i = 0; i < fields.count; ++i) {
    if (std::isfinite(fields.at(i, 0))) continue;
    const std::size_t row =
        rows.empty() ? static_cast<std::size_t>(i) : rows[static_cast<std::size_t>(i)];
    const int count = in_blocks ? block_neighbours() : m_options.prediction_neighbours;
    const std::string fewer = in_blocks ? "take a smaller method.vecchia.prediction_block, or "
                                        : "take fewer method.vecchia.prediction_neighbours, or ";
    throw Error(
        ErrorKind::numerical,
        explain_unsolved(m_model, m_points, theta, row, targets, static_cast<std::size_t>(count)),
        fewer + remedy_not_positive_definite(m_model));
  }
}

/// u' (X' Sigma^-1 X)^-1 u
template <class ExecSpace>
double VecchiaSolver<ExecSpace>::information_of_trend(const std::vector<double>& u) const {
  double sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    for (std::size_t j = 0; j < u.size(); ++j) sum += u[i] * m_trend_covariance[i][j] * u[j];
  }
  return sum;
}

/// Returns this rank's part of some points.
template <class ExecSpace>
Points VecchiaSolver<ExecSpace>::own_share(const Points& points) const {
  const parallel::Range mine = m_ranks.share(static_cast<std::int64_t>(points.size()));
  std::vector<std::size_t> rows(static_cast<std::size_t>(mine.size()));
  std::iota(rows.begin(), rows.end(), static_cast<std::size_t>(mine.begin));
  return points.subset(rows);
}

/// Finds the data points that predictions at some points are made from.
template <class ExecSpace>
NeighbourView<ExecSpace> VecchiaSolver<ExecSpace>::nearest_data(const Points& points,
                                                                int count) const {
  const auto neighbours = allocate<NeighbourView<ExecSpace>>(
      m_exec, "tessera::gp::prediction_neighbours", points.size(), count);
  find_nearest<ExecSpace>(m_exec, own_search_coordinates(), search_coordinates(points, m_found_at),
                          {}, {}, neighbours);
  return neighbours;
}

template <class ExecSpace>
typename VecchiaSolver<ExecSpace>::Fields VecchiaSolver<ExecSpace>::target_fields(
    const Theta& theta, const Points& points, const std::vector<std::vector<double>>& trend,
    int count) {
  const parallel::Range mine = m_ranks.share(static_cast<std::int64_t>(points.size()));
  const Points own = own_share(points);
  std::vector<std::vector<double>> of_targets(static_cast<std::size_t>(m_replicates),
                                              std::vector<double>(own.size(), 0.0));
  for (const std::vector<double>& column : trend)
    of_targets.emplace_back(column.begin() + mine.begin, column.begin() + mine.end);
  const Records targets = make_records(place(own, theta), of_targets, own.error_variance, {});
  const NeighbourView<ExecSpace> neighbours = nearest_data(own, count);
  return gather(
      read_fields(theta, {m_records, targets, neighbours, m_n, {}, {}, error_field(columns()), -1},
                  columns(), {}));
}

/// Each rank chooses the blocks of its targets, and predicts its part of the groups of all.
template <class ExecSpace>
typename VecchiaSolver<ExecSpace>::Fields VecchiaSolver<ExecSpace>::block_fields(
    const Theta& theta, const Points& points, const std::vector<std::vector<double>>& trend) {
  const Coordinates data = own_search_coordinates();
  const PointBlocks blocks = [&] {
    const logging::Region region("tessera::gp::divide_points");
    return PointBlocks(detail::host_columns(m_exec, data),
                       static_cast<std::size_t>(m_options.prediction_block));
  }();
  const Coordinates centres = detail::device_columns(m_exec, "block_centres", blocks.centre());
  const auto neighbours = allocate<NeighbourView<ExecSpace>>(
      m_exec, "tessera::gp::block_neighbours", centres.extent(0), block_neighbours());
  find_nearest<ExecSpace>(m_exec, data, centres, {}, {}, neighbours);
  const Coordinates targets = search_coordinates(own_share(points), m_found_at);
  const PointBlocks::Coordinates at_targets = detail::host_columns(m_exec, targets);
  std::vector<std::int32_t> block(targets.extent(0));
  {
    const logging::Region region("tessera::gp::choose_blocks");
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = blocks.find(at_targets, i);
    block = m_ranks.all_gather(
        detail::choose_blocks<ExecSpace>(m_exec, data, centres, neighbours, targets, block));
  }

  const detail::TargetGroups groups = detail::group_targets(block);
  const parallel::Range mine = m_ranks.share(static_cast<std::int64_t>(groups.group.size()));
  const std::vector<double> sums = m_ranks.all_gather(detail::predict_groups<ExecSpace>(
      m_exec, m_covariance, theta,
      {place(own_points(), theta), place(points, theta),
       upload(m_exec, "tessera::gp::error_variance", m_points.error_variance),
       detail::device_columns(m_exec, "columns", m_columns), neighbours, m_order},
      groups, static_cast<std::size_t>(mine.begin), static_cast<std::size_t>(mine.end)));
  Fields fields{{columns(), 0}, static_cast<std::int64_t>(points.size()), {}};
  fields.value.resize(static_cast<std::size_t>(fields.count * fields.index.count()));
  const double* of_target = sums.data();
  for (const std::uint32_t i : groups.target) {
    fields.value[i] = field_variance(m_model, theta, points, i) - *of_target++;
    for (std::int64_t c = 0; c < columns(); ++c) {
      const double given = c < m_replicates ? 0 : trend[c - m_replicates][i];
      fields.value[fields.index.residual(static_cast<int>(c)) * fields.count + i] =
          given - *of_target++;
    }
  }
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (block[i] < 0) others.push_back(i);
  }
  replace_fields(theta, points, trend, others, fields);
  return fields;
}

/// Replaces the fields of some targets by those of each from the data nearest to it.
template <class ExecSpace>
void VecchiaSolver<ExecSpace>::replace_fields(const Theta& theta, const Points& points,
                                              const std::vector<std::vector<double>>& trend,
                                              const std::vector<std::size_t>& rows,
                                              Fields& fields) {
  if (rows.empty()) return;
  const logging::Region region("tessera::gp::predict_apart");
  std::vector<std::vector<double>> of_rows;
  for (const std::vector<double>& column : trend) {
    of_rows.emplace_back();
    for (const std::size_t i : rows) of_rows.back().push_back(column[i]);
  }
  const Fields others = target_fields(theta, points.subset(rows), of_rows, own_neighbours());
  for (int f = 0; f < fields.index.count(); ++f) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      fields.value[static_cast<std::size_t>(f * fields.count) + rows[i]] =
          others.at(static_cast<std::int64_t>(i), f);
  }
}

template <class ExecSpace>
Prediction VecchiaSolver<ExecSpace>::predict(const Theta& theta, const Points& points,
                                             const std::vector<std::vector<double>>& trend,
                                             const DrawOptions& draws) {
  require_trend(theta);
  const logging::Region region("tessera::gp::vecchia_predict");
  const auto m = static_cast<std::int64_t>(points.size());
  const bool in_blocks = m_options.prediction_block > 1;
  const Fields fields = in_blocks
                            ? block_fields(theta, points, trend)
                            : target_fields(theta, points, trend, m_options.prediction_neighbours);
  require_solved(theta, fields, points, {}, in_blocks);
  Prediction prediction;
  prediction.mean.resize(static_cast<std::size_t>(m * m_replicates));
  prediction.variance.resize(static_cast<std::size_t>(m));
  std::vector<double> u(static_cast<std::size_t>(m_trends));
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t k = 0; k < m_trends; ++k)
      u[k] = fields.at(i, fields.index.residual(static_cast<int>(m_replicates + k)));
    for (std::int64_t r = 0; r < m_replicates; ++r) {
      double mean = -fields.at(i, fields.index.residual(static_cast<int>(r)));
      for (std::int64_t k = 0; k < m_trends; ++k)
        mean += u[k] * m_coefficients[k + r * m_trends] + trend[k][i] * m_offset[k + r * m_trends];
      prediction.mean[i * m_replicates + r] = mean;
    }
    // rounding, at an observed point
    prediction.variance[i] = std::max(fields.at(i, 0), 0.0) + information_of_trend(u);
  }
  if (draws.count > 0) draw(theta, points, trend, draws, prediction);
  return prediction;
}

/// Returns how the targets of a sweep, of which each rank has a part, depend on each other and on
/// `known` points.
template <class ExecSpace>
detail::FieldRule<ExecSpace> VecchiaSolver<ExecSpace>::field_rule(
    const Theta& theta, const Sweep& sweep, std::int64_t known,
    const Kokkos::View<std::uint32_t*, ExecSpace>& order) {
  const Weights weights = allocate<Weights>(m_exec, "tessera::gp::vecchia_weights",
                                            sweep.neighbours.extent(0), sweep.neighbours.extent(1));
  const Fields fields = gather(read_fields(theta, sweep, 0, weights));
  const auto neighbours = gather_rows(sweep.neighbours);
  return {neighbours, gather_rows(weights),
          upload(m_exec, "tessera::gp::conditional_variance", fields.value), order, known};
}

template <class ExecSpace>
typename VecchiaSolver<ExecSpace>::Rows VecchiaSolver<ExecSpace>::factor(const Theta& theta) {
  std::string problem;
  if (!is_valid(theta, problem))
    throw Error(ErrorKind::numerical, problem, remedy_not_positive_definite(m_model));
  const Weights weights = allocate<Weights>(m_exec, "tessera::gp::vecchia_weights",
                                            m_neighbours.extent(0), m_neighbours.extent(1));
  const Fields fields = gather(read_fields(theta, own_sweep(theta), 0, weights));
  std::int64_t failed = first_failed(m_own.begin);
  const double least = (theta[0] + nugget(theta)) / kMostAmplification;
  for (std::int64_t i = 0; i < fields.count && failed == detail::kNoPoint; ++i) {
    if (!(fields.at(i, 0) > least)) failed = i;
  }
  if (failed != detail::kNoPoint)
    throw Error(ErrorKind::numerical, explain(theta, failed),
                remedy_not_positive_definite(m_model));
  return {gather_rows(weights), upload(m_exec, "tessera::gp::conditional_variance", fields.value)};
}

/// A row of the factor is that of its point less those of its neighbours, by their weights. Each
/// rank adds the rows of all, in the order found, on the host.
template <class ExecSpace>
std::vector<double> VecchiaSolver<ExecSpace>::products(const Theta& theta,
                                                       const DesignMatrix& design) {
  if (has_blocks())
    throw Error(ErrorKind::internal, "blocks of points have no rows of single points");
  const Rows all = factor(theta);
  const logging::Region region("tessera::gp::products");
  const auto rows = [&](const auto& view) {
    std::vector<typename std::decay_t<decltype(view)>::value_type> values(view.span());
    copy_to_host(m_exec, values.data(), view.data(), values.size());
    return values;
  };
  const std::vector<double> weights = rows(all.weights), variance = download(m_exec, all.variance);
  const std::vector<std::int32_t> neighbours = rows(all_neighbours());
  const std::size_t width = neighbours.size() / variance.size();
  DesignProducts sums(design);
  for (std::size_t i = 0; i < variance.size(); ++i) {
    sums.add_row(m_host_order[i], 1);
    for (std::size_t k = i * width; k < (i + 1) * width && neighbours[k] >= 0; ++k)
      sums.add_row(m_host_order[static_cast<std::size_t>(neighbours[k])], -weights[k]);
    sums.close_row(1 / variance[i]);
  }
  return sums.take();
}

template <class ExecSpace>
typename VecchiaSolver<ExecSpace>::TargetRows VecchiaSolver<ExecSpace>::target_rows(
    const Theta& theta, const Points& targets) {
  require_prepared(theta);
  const Points own = own_share(targets);
  const NeighbourView<ExecSpace> neighbours = nearest_data(own, m_options.prediction_neighbours);
  const Weights weights = allocate<Weights>(m_exec, "tessera::gp::vecchia_weights",
                                            neighbours.extent(0), neighbours.extent(1));
  const Records records = make_records(place(own, theta), {}, own.error_variance, {});
  const Fields fields = gather(
      read_fields(theta, {m_records, records, neighbours, m_n, {}, {}, error_field(columns()), -1},
                  0, weights));
  require_solved(theta, fields, targets, {});
  return {gather_rows(neighbours), gather_rows(weights), fields.value};
}

template <class ExecSpace>
std::vector<std::vector<double>> VecchiaSolver<ExecSpace>::ordered_coordinates() const {
  return detail::host_columns(m_exec, own_search_coordinates());
}

/// A draw is made level by level, each point from its neighbours among the data and the targets
/// before it, after the trend's coefficients.
template <class ExecSpace>
void VecchiaSolver<ExecSpace>::draw(const Theta& theta, const Points& points,
                                    const std::vector<std::vector<double>>& trend,
                                    const DrawOptions& draws, Prediction& prediction) {
  const auto m = static_cast<std::int64_t>(points.size());
  const auto order =
      allocate<Kokkos::View<std::uint32_t*, ExecSpace>>(m_exec, "tessera::gp::target_order", m);
  order_points<ExecSpace>(m_exec, search_coordinates(points, m_found_at), Ordering::maxmin,
                          m_options.seed, order);
  const std::vector<std::uint32_t> target = download(m_exec, order);

  // The data in their order, then the targets in theirs.
  Points all = m_points.subset({m_host_order.begin(), m_host_order.end()});
  const Points late = points.subset({target.begin(), target.end()});
  for (std::size_t k = 0; k < all.coordinate.size(); ++k)
    all.coordinate[k].insert(all.coordinate[k].end(), late.coordinate[k].begin(),
                             late.coordinate[k].end());
  all.time.insert(all.time.end(), late.time.begin(), late.time.end());
  all.variable.insert(all.variable.end(), late.variable.begin(), late.variable.end());
  for (std::size_t k = 0; k < all.local.size(); ++k)
    all.local[k].insert(all.local[k].end(), late.local[k].begin(), late.local[k].end());
  if (!all.error_variance.empty()) all.error_variance.resize(all.size(), 0.0);
  const parallel::Range mine = m_ranks.share(m);
  const auto neighbours = allocate<NeighbourView<ExecSpace>>(
      m_exec, "tessera::gp::draw_neighbours", mine.size(), m_options.prediction_neighbours);
  find_predecessors<ExecSpace>(m_exec, search_coordinates(all, m_found_at), m_n + mine.begin,
                               neighbours);
  const Records records = make_records(place(all, theta), {}, all.error_variance, {});
  const detail::RecordView<ExecSpace> targets =
      detail::rows_of(records, m_n + mine.begin, mine.size());
  const Nuggets jitter = field_variances(theta, draws.jitter);
  const detail::FieldRule<ExecSpace> rule = field_rule(
      theta, {records, targets, neighbours, m_n, jitter, jitter, error_field(0), -1, true}, m_n,
      order);
  if (const std::int64_t failed = first_failed(mine.begin); failed != detail::kNoPoint) {
    throw Error(ErrorKind::numerical,
                "the conditional covariance of the predictions is not positive definite at " +
                    points.text(target[static_cast<std::size_t>(failed)]),
                "raise predict.jitter, take fewer method.vecchia.prediction_neighbours, draw at "
                "fewer points, or " +
                    remedy_not_positive_definite(m_model));
  }
  const linalg::Matrix root =
      m_trends > 0 ? linalg::cholesky_factor(m_trend_covariance) : linalg::Matrix();
  const auto coefficients = [&](std::int64_t d) {
    std::vector<double> drawn(m_coefficients.begin(), m_coefficients.begin() + m_trends);
    for (std::int64_t i = 0; i < m_trends; ++i) {
      for (std::int64_t j = 0; j <= i; ++j)
        drawn[i] += root[i][j] * draws.trend_normals[static_cast<std::size_t>(d * m_trends + j)];
    }
    return drawn;
  };
  std::vector<double> fields(draws.normals.begin(), draws.normals.begin() + m * draws.count);
  const detail::DependencyLevels<ExecSpace> levels =
      detail::find_levels(m_exec, rule.neighbours, m_n, detail::narrow_level(m_exec));
  m_levels = levels.count();
  const auto fill_data = [&](std::int64_t d, double* rest, std::int64_t stride) {
    const std::vector<double> coefficient = coefficients(d);
    for (std::int64_t k = 0; k < m_n; ++k) {
      const std::size_t row = m_host_order[static_cast<std::size_t>(k)];
      double& value = rest[k * stride];
      value = m_columns[0][row];
      for (std::int64_t i = 0; i < m_trends; ++i)
        value -= coefficient[i] * m_columns[m_replicates + i][row];
    }
  };
  detail::draw_fields(m_exec, rule, levels, fields, fill_data, detail::narrow_level(m_exec));
  prediction.draws.resize(fields.size());
  for (std::int64_t d = 0; d < draws.count; ++d) {
    const std::vector<double> coefficient = coefficients(d);
    for (std::int64_t t = 0; t < m; ++t) {
      double value = fields[static_cast<std::size_t>(d * m + t)];
      for (std::int64_t k = 0; k < m_trends; ++k)
        value += trend[k][t] * (coefficient[k] + m_offset[k]);
      prediction.draws[static_cast<std::size_t>(t * draws.count + d)] = value;
    }
  }
}

/// Makes each point from its neighbours before it, level by level.
template <class ExecSpace>
std::vector<double> VecchiaSolver<ExecSpace>::simulate(const Theta& theta,
                                                       const std::vector<double>& normals,
                                                       const std::vector<double>& noise) {
  std::string problem;
  if (!is_valid(theta, problem))
    throw Error(ErrorKind::numerical, problem, remedy_not_positive_definite(m_model));
  const logging::Region region("tessera::gp::vecchia_simulate");
  const Records records =
      make_records(place(own_points(), theta), {}, m_points.error_variance, m_order);
  // The field has so much of the nugget that coincident points do no harm; the rest is added as
  // noise.
  Nuggets kept = field_variances(theta, 1e-8), rest = nuggets(theta);
  for (std::size_t v = 0; v < kept.size(); ++v) {
    // a local covariance keeps as large a share of its variance at every place
    kept[v] = m_model.is_local() ? (rest[v] > 0 ? kept[v] : 0) : std::min(rest[v], kept[v]);
    rest[v] -= kept[v];
  }
  const bool has_rest = m_model.is_local()
                            ? m_model.has_nugget
                            : std::any_of(rest.begin(), rest.end(), [](double x) { return x > 0; });
  const std::vector<double>& errors = m_points.error_variance;
  if ((has_rest || !errors.empty()) && noise.size() != normals.size()) {
    throw Error(ErrorKind::input,
                "a simulation with errors needs as many numbers for the noise as for the field",
                "give noise as many numbers as normals");
  }
  const detail::RecordView<ExecSpace> own = detail::rows_of(records, m_own.begin, m_own.size());
  const detail::FieldRule<ExecSpace> rule =
      field_rule(theta, {records, own, m_neighbours, 0, kept, kept, -1, -1, true}, 0, m_order);
  if (const std::int64_t failed = first_failed(m_own.begin); failed != detail::kNoPoint)
    throw Error(ErrorKind::numerical, explain(theta, failed),
                remedy_not_positive_definite(m_model));
  const detail::DependencyLevels<ExecSpace> levels =
      detail::find_levels(m_exec, rule.neighbours, 0, detail::narrow_level(m_exec));
  m_levels = levels.count();
  std::vector<double> fields = normals;
  detail::draw_fields(
      m_exec, rule, levels, fields, [](std::int64_t, double*, std::int64_t) {},
      detail::narrow_level(m_exec));
  for (std::size_t at = 0; at < fields.size() && (has_rest || !errors.empty()); ++at) {
    const std::size_t row = at % static_cast<std::size_t>(m_n);
    const double of_nugget =
        m_model.is_local() ? nugget_variance(m_model, theta, m_points, row) -
                                 kept[0] / theta[0] * field_variance(m_model, theta, m_points, row)
                           : rest[static_cast<std::size_t>(m_points.variable_of(row))];
    const double variance = of_nugget + (errors.empty() ? 0 : errors[row]);
    if (variance > 0) fields[at] += std::sqrt(variance) * noise[at];
  }
  return fields;
}

/// Uses the trend of all data: the trend without a fold differs by a part in the number of points.
template <class ExecSpace>
Prediction VecchiaSolver<ExecSpace>::cross_validate(const Theta& theta,
                                                    const std::vector<int>& fold) {
  require_trend(theta);
  const logging::Region region("tessera::gp::vecchia_cross_validate");
  std::vector<int> ordered_fold;
  for (const std::uint32_t i : m_host_order) ordered_fold.push_back(fold[i]);
  const auto folds = upload(m_exec, "tessera::gp::folds", ordered_fold);
  const Coordinates ordered = own_search_coordinates();
  const auto neighbours = allocate<NeighbourView<ExecSpace>>(
      m_exec, "tessera::gp::fold_neighbours", m_own.size(), m_options.prediction_neighbours);
  const auto own = std::make_pair(m_own.begin, m_own.end);
  find_nearest<ExecSpace>(m_exec, ordered, Kokkos::subview(ordered, own, Kokkos::ALL), folds,
                          Kokkos::subview(folds, own), neighbours);
  Sweep sweep = own_sweep(theta);
  sweep.neighbours = neighbours;
  const Fields fields = gather(read_fields(theta, sweep, columns(), {}));
  require_solved(theta, fields, m_points, m_host_order);
  Prediction prediction{std::vector<double>(fold.size()), std::vector<double>(fold.size()), {}};
  std::vector<double> u(static_cast<std::size_t>(m_trends));
  for (std::int64_t k = 0; k < m_n; ++k) {
    const std::size_t row = m_host_order[static_cast<std::size_t>(k)];
    double error = fields.at(k, fields.index.residual(0)), value = m_columns[0][row];
    for (std::int64_t i = 0; i < m_trends; ++i) {
      u[i] = fields.at(k, fields.index.residual(static_cast<int>(m_replicates + i)));
      error -= u[i] * m_coefficients[i];
      value += m_offset[i] * m_columns[m_replicates + i][row];
    }
    prediction.mean[row] = value - error;
    prediction.variance[row] = std::max(fields.at(k, 0), 0.0) + information_of_trend(u);
  }
  return prediction;
}

/// Uses the neighbours that predictions are made from, found in the ranges of the last prepare().
template <class ExecSpace>
std::vector<double> VecchiaSolver<ExecSpace>::misspecified_variance(const Theta& truth,
                                                                    const Theta& used,
                                                                    const Points& points) {
  std::string problem;
  for (const Theta* theta : {&truth, &used}) {
    if (!is_valid(*theta, problem))
      throw Error(ErrorKind::numerical, problem, remedy_not_positive_definite(m_model));
  }
  const Points own = own_share(points);
  const auto m = static_cast<std::int64_t>(own.size());
  const NeighbourView<ExecSpace> neighbours = nearest_data(own, m_options.prediction_neighbours);
  const Weights weights =
      allocate<Weights>(m_exec, "tessera::gp::vecchia_weights", m, neighbours.extent(1));
  const Records targets = make_records(place(own, used), {}, own.error_variance, {});
  const Fields fields = gather(read_fields(
      used, {m_records, targets, neighbours, m_n, {}, {}, error_field(columns()), -1}, 0, weights));
  require_solved(used, fields, points, {});
  const auto result =
      allocate<Kokkos::View<double*, ExecSpace>>(m_exec, "tessera::gp::error_variances", m);
  const auto errors = upload(m_exec, "tessera::gp::error_variance", m_points.error_variance);
  m_covariance.visit_tabulated(truth, [&](const auto& covariance) {
    using Functor = detail::FindErrorVariance<ExecSpace, std::decay_t<decltype(covariance)>>;
    Kokkos::parallel_for(
        "tessera::gp::find_error_variance",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, m),
        Functor{covariance, place(m_points, truth), place(own, truth), m_order, neighbours, weights,
                errors, result});
  });
  return m_ranks.all_gather(download(m_exec, result));
}

}  // namespace tessera::gp

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gp/covariance/range_proportions.hpp"
#include "tessera/gp/points/device_copies.hpp"
#include "tessera/gp/points/local_points.hpp"
#include "tessera/gp/points/not_positive_definite.hpp"
#include "tessera/gp/vecchia/register_launcher.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tessera/gp/vecchia/vecchia_block_sweep.hpp"

/// The Vecchia solver: order, neighbours, sweeps over the points, likelihoods, gradients and
/// information. Included where it is instantiated.

namespace tessera::gp {

namespace detail {

/// Coordinates times their scales.
template <class ExecSpace>
struct ScaleCoordinates {
  PointView<ExecSpace> points;
  int count, time;  // columns of the result, and the one of `points` that is the last of them
  double scale[kMostCoordinates + 1];
  Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> result;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    for (int k = 0; k < count; ++k) result(i, k) = points(i, k + 1 < count ? k : time) * scale[k];
  }
};

/// The columns of a matrix in the order of the points.
template <class ExecSpace>
struct OrderRows {
  Kokkos::View<const double**, Kokkos::LayoutLeft, ExecSpace> from;
  Kokkos::View<const std::uint32_t*, ExecSpace> order;
  Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> to;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    for (std::size_t c = 0; c < from.extent(1); ++c) to(k, c) = from(order(k), c);
  }
};

/// Coordinates and columns of each point side by side; in an order, if there is one.
template <class ExecSpace>
struct FillRecords {
  PointView<ExecSpace> points;
  Kokkos::View<const double**, Kokkos::LayoutLeft, ExecSpace> columns;
  Kokkos::View<const std::uint32_t*, ExecSpace> order;
  int axes;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> records;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t i = order.extent(0) > 0 ? static_cast<std::int64_t>(order(k)) : k;
    for (int a = 0; a < axes; ++a) records(k, a) = points(i, a);
    for (std::size_t c = 0; c < columns.extent(1); ++c) records(k, axes + c) = columns(i, c);
  }
};

/// The first point that lies where its nearest predecessor lies.
template <class ExecSpace>
struct FindCoincident {
  CoordinateView<ExecSpace> points;
  NeighbourView<ExecSpace> neighbours;  // of the points from `first` on
  std::int64_t first;
  Kokkos::View<std::int64_t, ExecSpace> found;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const std::int32_t j = neighbours(i - first, 0);
    if (j < 0) return;
    for (std::size_t k = 0; k < points.extent(1); ++k) {
      if (points(i, k) != points(j, k)) return;
    }
    Kokkos::atomic_fetch_min(&found(), i);
  }
};

/// The least of the conditional variances that a sweep wrote; a point of which nothing but rounding
/// is left has failed.
template <class ExecSpace>
struct FindLeastVariance {
  FieldView<ExecSpace> fields;
  // the number of the point at each position of the blocks; empty: in order
  Kokkos::View<const std::uint32_t*, ExecSpace> member;
  std::int64_t first;  // point, or position, of the first row
  double rounding;
  // of several variables: the records of these points, and for each variable the factor that makes
  // its variances those of the first one; of a covariance that differs from place to place the
  // factor is that of its two variances
  RecordView<ExecSpace> points;
  Kokkos::Array<double, kMostVariables> scale;
  bool is_local;
  double sigma2, nugget;
  Kokkos::View<double, ExecSpace> least;
  Kokkos::View<std::int64_t, ExecSpace> failed;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t row) const {
    double variance = fields(row, 0);
    if (points.extent(0) > 0)
      variance *=
          is_local ? local_scale(first + row) : scale[static_cast<int>(points(first + row, 3))];
    if (variance < least()) Kokkos::atomic_fetch_min(&least(), variance);
    if (variance > rounding) return;
    const std::int64_t at = first + row;
    Kokkos::atomic_fetch_min(&failed(),
                             member.extent(0) > 0 ? static_cast<std::int64_t>(member(at)) : at);
  }

 private:
  KOKKOS_INLINE_FUNCTION double local_scale(std::int64_t i) const {
    const double deviation = points(i, LocalColumns::kDeviation);
    return (sigma2 + nugget) /
           (sigma2 * deviation * deviation + nugget * points(i, LocalColumns::kNugget));
  }
};

/// Returns `count` of the records from `first` on.
template <class ExecSpace>
RecordView<ExecSpace> rows_of(const Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace>& records,
                              std::int64_t first, std::int64_t count) {
  const auto width = static_cast<std::int64_t>(records.extent(1));
  return RecordView<ExecSpace>(records.data() + first * width, count, width);
}

inline constexpr std::int64_t kNoPoint = std::numeric_limits<std::int64_t>::max();

}  // namespace detail

template <class ExecSpace>
VecchiaSolver<ExecSpace>::VecchiaSolver(const ExecSpace& exec, const CovarianceModel& model,
                                        const Points& points, const VecchiaOptions& options,
                                        const parallel::Communicator& ranks)
    : m_exec(exec),
      m_model(model),
      m_points(points),
      m_options(options),
      m_n(static_cast<std::int64_t>(points.size())),
      m_ranks(ranks),
      m_own(ranks.share(m_n, detail::SumBlocks<ExecSpace>::kBlock)),
      m_covariance(exec, model),
      m_failed(allocate<Kokkos::View<std::int64_t, ExecSpace>>(exec, "tessera::gp::failed")),
      m_least(allocate<Kokkos::View<double, ExecSpace>>(exec, "tessera::gp::least_variance")) {
  if (model.rotated) m_centre = extent(points).first;
  m_options.neighbours = static_cast<int>(
      std::min<std::int64_t>(options.neighbours, std::max<std::int64_t>(m_n - 1, 1)));
  m_options.prediction_neighbours =
      static_cast<int>(std::min<std::int64_t>(options.prediction_neighbours, m_n));
}

template <class ExecSpace>
PointView<ExecSpace> VecchiaSolver<ExecSpace>::place(const PointView<ExecSpace>& given,
                                                     const Theta& theta) const {
  return detail::place_points(m_exec, m_model, theta, m_centre, given);
}

template <class ExecSpace>
typename VecchiaSolver<ExecSpace>::Coordinates VecchiaSolver<ExecSpace>::search_coordinates(
    const PointView<ExecSpace>& placed, const Theta& theta) const {
  const std::vector<double> scale = range_proportions(m_model, theta);
  const Coordinates result = allocate<Coordinates>(m_exec, "tessera::gp::search_coordinates",
                                                   placed.extent(0), scale.size());
  const int count = static_cast<int>(scale.size());
  detail::ScaleCoordinates<ExecSpace> functor{
      placed, count, m_model.has_time ? m_model.point_columns() - 1 : count - 1, {}, result};
  std::copy(scale.begin(), scale.end(), functor.scale);
  Kokkos::parallel_for(
      "tessera::gp::scale_coordinates",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, placed.extent(0)),
      functor);
  return result;
}

template <class ExecSpace>
typename VecchiaSolver<ExecSpace>::Coordinates VecchiaSolver<ExecSpace>::ordered(
    const Coordinates& coordinates) const {
  const Coordinates result =
      allocate<Coordinates>(m_exec, "tessera::gp::ordered_coordinates", m_n, coordinates.extent(1));
  Kokkos::parallel_for(
      "tessera::gp::order_rows",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, m_n),
      detail::OrderRows<ExecSpace>{coordinates, m_order, result});
  return result;
}

template <class ExecSpace>
bool VecchiaSolver<ExecSpace>::prepare(const Theta& theta) {
  if (!m_found_at.empty() && have_same_nearness(m_model, theta, m_found_at)) return false;
  m_found_at = theta;
  const PointView<ExecSpace> points = own_points();
  find_neighbours(place(points, theta));
  m_trend_at.clear();
  fill_records(points);
  return true;
}

template <class ExecSpace>
void VecchiaSolver<ExecSpace>::require_prepared(const Theta& theta) {
  if (m_found_at.empty()) prepare(theta);
}

template <class ExecSpace>
void VecchiaSolver<ExecSpace>::find_neighbours(const PointView<ExecSpace>& placed) {
  const logging::Region region("tessera::gp::neighbours");
  if (m_order.extent(0) == 0) {
    m_order = allocate<Kokkos::View<std::uint32_t*, ExecSpace>>(m_exec, "tessera::gp::order", m_n);
    m_neighbours = allocate<NeighbourView<ExecSpace>>(m_exec, "tessera::gp::neighbours",
                                                      m_own.size(), m_options.neighbours);
  }
  const Coordinates coordinates = search_coordinates(placed, m_found_at);
  order_points<ExecSpace>(m_exec, coordinates, m_options.ordering, m_options.seed, m_order);
  m_host_order = download(m_exec, m_order);
  const Coordinates in_order = ordered(coordinates);
  find_predecessors<ExecSpace>(m_exec, in_order, m_own.begin, m_neighbours);
  if (has_blocks())
    m_blocks =
        detail::BlockMaker<ExecSpace>(m_exec, in_order, m_neighbours, m_options.block).make();
  choose_neighbourhoods();
  // points at one place can be told apart by their errors, or their variables
  if (!m_points.error_variance.empty() || m_model.has_variables()) {
    m_coincidence = find_coincidence(m_model, m_points);
    return;
  }
  store(m_exec, "tessera::gp::no_point", m_failed.data(), detail::kNoPoint);
  Kokkos::parallel_for(
      "tessera::gp::find_coincident",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, m_own.begin,
                                                                      m_own.end),
      detail::FindCoincident<ExecSpace>{in_order, m_neighbours, m_own.begin, m_failed});
  const std::int64_t found = m_ranks.min(download_scalar(m_exec, m_failed));
  m_coincidence.reset();
  if (found != detail::kNoPoint)
    m_coincidence = Coincidence{m_host_order[static_cast<std::size_t>(found)], 0};
}

template <class ExecSpace>
void VecchiaSolver<ExecSpace>::choose_neighbourhoods() {
  constexpr std::size_t kMost = 6;
  const std::size_t width = m_neighbours.extent(1);
  std::vector<std::int32_t> index(width);
  m_neighbourhoods.clear();
  for (std::int64_t rank = m_n - 1; rank > 0 && m_neighbourhoods.size() < kMost; rank /= 2) {
    int owner = 0;
    while (rank >= m_ranks.share_of(owner, m_n, detail::SumBlocks<ExecSpace>::kBlock).end) ++owner;
    if (owner == m_ranks.rank())
      copy_to_host(m_exec, index.data(),
                   m_neighbours.data() + static_cast<std::size_t>(rank - m_own.begin) * width,
                   width);
    m_ranks.broadcast(index.data(), width, owner);
    Neighbourhood one{
        m_host_order[static_cast<std::size_t>(rank)], static_cast<std::size_t>(rank), {}};
    for (const std::int32_t i : index) {
      if (i >= 0) one.neighbours.push_back(m_host_order[static_cast<std::size_t>(i)]);
    }
    m_neighbourhoods.push_back(one);
  }
}

template <class ExecSpace>
typename VecchiaSolver<ExecSpace>::Records VecchiaSolver<ExecSpace>::make_records(
    const PointView<ExecSpace>& placed, const std::vector<std::vector<double>>& columns,
    const std::vector<double>& error_variance,
    const Kokkos::View<std::uint32_t*, ExecSpace>& order) const {
  const auto n = static_cast<std::int64_t>(placed.extent(0));
  const std::size_t count = columns.size() + (error_variance.empty() ? 0 : 1);
  // An even width aligns coordinates to 16 bytes.
  const std::size_t width = (static_cast<std::size_t>(axes()) + count + 1) / 2 * 2;
  const Records records = allocate<Records>(m_exec, "tessera::gp::records", n, width);
  const auto device = allocate<Coordinates>(m_exec, "tessera::gp::columns", n, count);
  for (std::size_t c = 0; c < count; ++c)
    upload_to(m_exec, c < columns.size() ? columns[c] : error_variance,
              Kokkos::subview(device, Kokkos::ALL, c));
  Kokkos::parallel_for(
      "tessera::gp::fill_records",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, n),
      detail::FillRecords<ExecSpace>{placed, device, order, axes(), records});
  m_exec.fence();
  return records;
}

template <class ExecSpace>
void VecchiaSolver<ExecSpace>::fill_records(const PointView<ExecSpace>& given) {
  m_records = make_records(place(given, m_found_at), m_columns, m_points.error_variance, m_order);
  if (!m_model.moves_points()) return;
  m_place = given;
  m_placed_at = m_found_at;
}

template <class ExecSpace>
void VecchiaSolver<ExecSpace>::renew_records(const Theta& theta) {
  if (!m_model.moves_points() || m_placed_at == theta) return;
  const Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>> all(m_exec, 0, m_n);
  if (m_model.is_local()) {
    Kokkos::parallel_for(
        "tessera::gp::renew_records", all,
        detail::RenewRecords<ExecSpace>{place(m_place, theta), m_order, m_records});
    m_exec.fence();  // the points placed go
  } else {
    Kokkos::parallel_for(
        "tessera::gp::turn_records", all,
        detail::TurnRecords<ExecSpace>{m_place, m_order, detail::Turn(m_model, theta, m_centre),
                                       m_model.dimension, m_records});
  }
  m_placed_at = theta;
}

/// The residuals of an ordinary regression take the place of the data, so that sums of squares lose
/// no digits to a large mean.
template <class ExecSpace>
void VecchiaSolver<ExecSpace>::set_data(const std::vector<double>& values,
                                        const std::vector<std::vector<double>>& trend) {
  m_replicates = m_observed = static_cast<std::int64_t>(values.size()) / m_n;
  m_trends = static_cast<std::int64_t>(trend.size());
  m_offset.assign(static_cast<std::size_t>(m_trends * m_replicates), 0.0);
  m_columns.clear();
  for (std::int64_t r = 0; r < m_replicates; ++r)
    m_columns.emplace_back(values.begin() + r * m_n, values.begin() + (r + 1) * m_n);
  if (m_trends > 0) {
    const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
      long double sum = 0;
      for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<long double>(a[i]) * b[i];
      return static_cast<double>(sum);
    };
    linalg::Matrix normal(m_trends, std::vector<double>(m_trends));
    for (std::int64_t i = 0; i < m_trends; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) normal[i][j] = normal[j][i] = dot(trend[i], trend[j]);
    }
    linalg::Matrix inverse;
    try {
      inverse = linalg::inverse_positive_definite(normal);
    } catch (const Error&) {
      throw Error(ErrorKind::numerical,
                  "the columns of the trend are linearly dependent at these points",
                  "use mean: constant, or add points that span all coordinates");
    }
    for (std::int64_t r = 0; r < m_replicates; ++r) {
      std::vector<double>& z = m_columns[r];
      for (std::int64_t i = 0; i < m_trends; ++i) {
        for (std::int64_t j = 0; j < m_trends; ++j)
          m_offset[i + r * m_trends] += inverse[i][j] * dot(trend[j], z);
      }
      for (std::size_t k = 0; k < z.size(); ++k) {
        for (std::int64_t i = 0; i < m_trends; ++i)
          z[k] -= m_offset[i + r * m_trends] * trend[i][k];
      }
    }
  }
  m_columns.insert(m_columns.end(), trend.begin(), trend.end());
  m_pairs = upload(m_exec, "tessera::gp::column_pairs", column_pairs());
  m_trend_at.clear();
  if (!m_found_at.empty()) fill_records(own_points());
}

template <class ExecSpace>
void VecchiaSolver<ExecSpace>::set_columns(const std::vector<double>& columns,
                                           std::int64_t observed) {
  set_data(columns, {});
  m_observed = observed;
}

template <class ExecSpace>
void VecchiaSolver<ExecSpace>::set_error_variance(const std::vector<double>& variance) {
  m_points.error_variance = variance;
  m_trend_at.clear();
  if (m_found_at.empty()) return;
  if (m_coincidence) m_coincidence = find_coincidence(m_model, m_points);
  fill_records(own_points());
}

template <class ExecSpace>
detail::SweepTerms VecchiaSolver<ExecSpace>::terms() const {
  detail::SweepTerms terms;
  terms.isotropic = !m_model.anisotropic;
  for (int k = 0; k < (m_model.anisotropic ? m_model.dimension : 1); ++k)
    terms.term[terms.count++] = DerivativeSums::distance(k);
  for (int k = 0; k < m_model.angles(); ++k)
    terms.term[terms.count++] = DerivativeSums::kProduct + k;
  if (m_model.has_shape()) terms.term[terms.count++] = DerivativeSums::kShape;
  const int of_time = !m_model.has_time ? 0 : m_model.interacts() ? 3 + m_model.has_delta : 1;
  for (int k = 0; k < of_time; ++k) terms.term[terms.count++] = DerivativeSums::time(k);
  for (int k = 0; k < m_model.local.coefficients(); ++k)
    terms.term[terms.count++] = LocalTerms::term(k);
  if (!m_points.error_variance.empty()) terms.term[terms.count++] = detail::SweepTerms::kErrors;
  return terms;
}

/// Pairs each replicate with itself and with every column of the trend, and the columns of the
/// trend with each other.
template <class ExecSpace>
std::vector<detail::ColumnPair> VecchiaSolver<ExecSpace>::column_pairs() const {
  const int replicates = static_cast<int>(m_replicates), all = columns();
  std::vector<detail::ColumnPair> pairs;
  for (int r = 0; r < replicates; ++r) pairs.push_back({r, r});
  for (int r = 0; r < replicates; ++r) {
    for (int k = replicates; k < all; ++k) pairs.push_back({r, k});
  }
  for (int i = replicates; i < all; ++i) {
    for (int k = i; k < all; ++k) pairs.push_back({i, k});
  }
  return pairs;
}

template <class ExecSpace>
bool VecchiaSolver<ExecSpace>::is_valid(const Theta& theta, std::string& problem) {
  problem = check(m_model, theta);
  if (!problem.empty()) return false;
  require_prepared(theta);
  if (!m_coincidence) return true;
  const double sigma2 = field_variance(m_model, theta, m_points, m_coincidence->row),
               own = nugget_variance(m_model, theta, m_points, m_coincidence->row);
  if (sigma2 + (own + m_coincidence->error_variance) == sigma2) {
    problem = explain_not_positive_definite(m_model, m_points, theta, m_coincidence->row);
    return false;
  }
  return true;
}

template <class ExecSpace>
std::string VecchiaSolver<ExecSpace>::explain(const Theta& theta, std::int64_t failed) const {
  return explain_not_positive_definite(m_model, m_points, theta,
                                       m_host_order[static_cast<std::size_t>(failed)]);
}

template <class ExecSpace>
typename VecchiaSolver<ExecSpace>::Sweep VecchiaSolver<ExecSpace>::own_sweep(
    const Theta& theta) const {
  const int errors = error_field(columns());
  return {m_records,    detail::rows_of(m_records, m_own.begin, m_own.size()),
          m_neighbours, m_n,
          {},           nuggets(theta),
          errors,       errors};
}

template <class ExecSpace>
template <detail::SweepMode Mode>
void VecchiaSolver<ExecSpace>::run_sweep(const Theta& theta, const Sweep& sweep, std::int64_t first,
                                         std::int64_t count, const detail::SweepFields& fields,
                                         const detail::FieldView<ExecSpace>& output,
                                         const Weights& weights) {
  renew_records(theta);
  const int m = static_cast<int>(sweep.neighbours.extent(1));
  m_covariance.visit_tabulated(theta, [&](auto covariance) {
    using Function = std::decay_t<decltype(covariance)>;
    if constexpr (Function::kSeveral) {
      std::copy(sweep.jitter.begin(), sweep.jitter.end(), covariance.jitter);
      std::copy(sweep.own_nugget.begin(), sweep.own_nugget.end(), covariance.target_nugget);
    }
    const detail::SweepProblem<ExecSpace, Function> problem{covariance,
                                                            sweep.points,
                                                            sweep.targets,
                                                            sweep.neighbours,
                                                            first,
                                                            count,
                                                            sweep.observed,
                                                            sweep.jitter[0],
                                                            sweep.own_nugget[0],
                                                            sweep.errors,
                                                            sweep.own_errors,
                                                            fields,
                                                            output,
                                                            weights,
                                                            m_failed,
                                                            terms(),
                                                            of_variables(theta),
                                                            sweep.in_field_variance};
    bool in_registers = false;
#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
    if constexpr (std::is_same_v<ExecSpace, Kokkos::Cuda> && Mode != detail::SweepMode::weights) {
      in_registers = m_options.kernels != Kernels::plain && run_in_registers<Mode>(problem, m);
    }
#endif
    const auto launch = [&](auto axes) {
      using Kernel = detail::VecchiaSweep<ExecSpace, Function, decltype(axes)::value, Mode>;
      const std::int64_t bytes = Kernel::workspace_numbers(m, this->axes(), fields.columns,
                                                           fields.derivatives),
                         blocks = (count + Kernel::kPoints - 1) / Kernel::kPoints,
                         most = compat::is_gpu_v<ExecSpace>
                                    ? std::max<std::int64_t>(
                                          64, std::min<std::int64_t>(std::int64_t(1) << 28,
                                                                     16 * 132 * bytes) /
                                                  bytes)
                                    : 4 * static_cast<std::int64_t>(m_exec.concurrency());
      const std::int64_t teams =
          std::min(blocks, in_registers ? std::min<std::int64_t>(most, 2048) : most);
      reserve_workspace(teams, bytes);
      Kokkos::parallel_for(
          "tessera::gp::vecchia",
          typename Kernel::Policy(m_exec, static_cast<int>(teams), 1,
                                  compat::is_gpu_v<ExecSpace> ? Kernel::kPoints : 1),
          Kernel{problem, m_workspace, m, in_registers ? m_redo : detail::RedoList<ExecSpace>()});
    };
    visit_axes(covariance, launch);
  });
}

template <class ExecSpace>
void VecchiaSolver<ExecSpace>::reserve_workspace(std::int64_t teams, std::int64_t numbers) {
  if (static_cast<std::int64_t>(m_workspace.extent(0)) >= teams &&
      static_cast<std::int64_t>(m_workspace.extent(1)) >= numbers)
    return;
  m_workspace = Records();
  m_workspace = allocate<Records>(m_exec, "tessera::gp::vecchia_workspace", teams, numbers);
}

template <class ExecSpace>
template <detail::SweepMode Mode>
void VecchiaSolver<ExecSpace>::run_blocks(const Theta& theta, std::int64_t first,
                                          std::int64_t count, const detail::SweepFields& fields,
                                          const detail::FieldView<ExecSpace>& output) {
  renew_records(theta);
  const Sweep sweep = own_sweep(theta);
  m_covariance.visit_tabulated(theta, [&](const auto& covariance) {
    using Function = std::decay_t<decltype(covariance)>;
    const detail::SweepProblem<ExecSpace, Function> problem{covariance,
                                                            sweep.points,
                                                            sweep.targets,
                                                            sweep.neighbours,
                                                            first,
                                                            count,
                                                            sweep.observed,
                                                            sweep.jitter[0],
                                                            sweep.own_nugget[0],
                                                            sweep.errors,
                                                            sweep.own_errors,
                                                            fields,
                                                            output,
                                                            {},
                                                            m_failed,
                                                            terms()};
    [[maybe_unused]] const auto launch = [&](auto axes) {
      using Kernel = detail::VecchiaBlockSweep<ExecSpace, Function, decltype(axes)::value, Mode>;
      const std::int64_t numbers = Kernel::workspace_numbers(m_blocks.largest, m_blocks.size,
                                                             fields.columns, fields.derivatives),
                         // 1 GiB
          blocks = (count + m_blocks.size - 1) / m_blocks.size,
                         room = (std::int64_t(1) << 27) / numbers,
                         most = compat::is_gpu_v<ExecSpace>
                                    ? std::clamp<std::int64_t>(room, 132, 1056)
                                    : m_exec.concurrency();
      const std::int64_t teams = std::min(blocks, most);
      reserve_workspace(teams, numbers);
      Kokkos::parallel_for("tessera::gp::vecchia_blocks",
                           typename Kernel::Policy(m_exec, static_cast<int>(teams), Kernel::kTeam),
                           Kernel{problem, m_blocks, m_workspace});
    };
    // make_vecchia_solver gives no others blocks
    if constexpr (!Function::Traits::kHighDimensional && !Function::kSeveral && !Function::kLocal)
      visit_axes(covariance, launch);
  });
}

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
/// Runs a sweep by vecchia_registers.hpp; false where there is no such kernel for the covariance or
/// the number of neighbours.
template <class ExecSpace>
template <detail::SweepMode Mode, class Problem>
bool VecchiaSolver<ExecSpace>::run_in_registers(const Problem& problem, int m) {
  using Function = std::decay_t<decltype(problem.covariance)>;
  constexpr bool in_plane = std::is_same_v<Function, Covariance<Matern, EuclideanDistance<2>>>,
                 in_space = std::is_same_v<Function, Covariance<Matern, EuclideanDistance<3>>>;
  if constexpr (in_plane || in_space) {
    if (problem.covariance.temporal.inverse_range != 0 || (in_plane && axes() != 2)) return false;
    if (Mode != detail::SweepMode::value && in_space) return false;
    const Matern& matern = problem.covariance.correlation;
    const int first = detail::FineMatern::first_exponent(matern.function.shape.nu);
    if (m_fine_nu != matern.function.shape.nu) {
      if (m_fine_value.extent(0) == 0) {
        m_fine_value = allocate<Kokkos::View<double*, ExecSpace>>(
            m_exec, "tessera::gp::fine_matern", detail::FineMatern::kBytes / 8);
        m_fine_order = allocate<Kokkos::View<double*, ExecSpace>>(
            m_exec, "tessera::gp::fine_matern_order", detail::FineMatern::kBytes / 8);
        m_redo.count =
            allocate<Kokkos::View<std::int32_t, ExecSpace>>(m_exec, "tessera::gp::redo_count");
      }
      Kokkos::parallel_for(
          "tessera::gp::build_fine_matern",
          Kokkos::RangePolicy<ExecSpace>(m_exec, 0, detail::FineMatern::kStride),
          detail::BuildFineMatern<ExecSpace>{matern, first, m_fine_value, m_fine_order});
      m_fine_nu = matern.function.shape.nu;
    }
    if (static_cast<std::int64_t>(m_redo.target.extent(0)) < problem.count)
      m_redo.target = allocate<Kokkos::View<std::int32_t*, ExecSpace>>(m_exec, "tessera::gp::redo",
                                                                       problem.count);
    store(m_exec, "tessera::gp::redo_count", m_redo.count.data(), std::int32_t(0));
    const auto bytes = [](const auto& table) {
      return reinterpret_cast<const char*>(table.data());
    };
    using Launcher = detail::RegisterLauncher<Function, in_plane ? 2 : 3,
                                              in_plane ? Mode : detail::SweepMode::value>;
    return Launcher(m_exec, problem, bytes(m_fine_value), bytes(m_fine_order), first, m, m_redo)
        .launch();
  } else {
    return false;
  }
}
#endif

/// The first of all ranks' targets without a positive variance, or kNoPoint. `begin`: where the
/// targets of this rank's last sweep begin.
template <class ExecSpace>
std::int64_t VecchiaSolver<ExecSpace>::first_failed(std::int64_t begin) const {
  const std::int64_t own = download_scalar(m_exec, m_failed);
  return m_ranks.min(own == detail::kNoPoint ? own : own + begin);
}

/// Finds the least variance of the points that a sweep of likelihoods wrote to m_output.
template <class ExecSpace>
void VecchiaSolver<ExecSpace>::find_least_variance(const Theta& theta, std::int64_t first,
                                                   std::int64_t count) {
  Kokkos::View<const std::uint32_t*, ExecSpace> member;
  if (has_blocks()) member = m_blocks.member;
  detail::RecordView<ExecSpace> records;
  Kokkos::Array<double, kMostVariables> scale{};
  if (m_model.has_variables() || m_model.is_local())
    records = detail::rows_of(m_records, m_own.begin, m_own.size());
  if (m_model.has_variables()) {
    for (int v = 0; v < m_model.variables; ++v)
      scale[v] = (theta[0] + nugget(theta)) /
                 (field_variance(m_model, theta, v) + nugget_variance(m_model, theta, v));
  }
  Kokkos::parallel_for(
      "tessera::gp::find_least_variance",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, count),
      detail::FindLeastVariance<ExecSpace>{
          m_output, member, first, (theta[0] + nugget(theta)) / kMostAmplification, records, scale,
          m_model.is_local(), theta[0], nugget(theta), m_least, m_failed});
}

/// Computes the sums over all points; false when the covariance of some neighbours is not positive
/// definite, and why in `problem`.
template <class ExecSpace>
template <detail::SweepMode Mode>
bool VecchiaSolver<ExecSpace>::sum_sweep(const Theta& theta, Sums& sums, std::string& problem) {
  const logging::Region region(Mode == detail::SweepMode::value ? "tessera::gp::vecchia"
                                                                : "tessera::gp::vecchia_gradient");
  using SumBlocks = detail::SumBlocks<ExecSpace>;
  const std::vector<detail::ColumnPair> pairs = column_pairs();
  const int derivatives = Mode == detail::SweepMode::value ? 0 : sweep_derivatives();
  const bool products = Mode == detail::SweepMode::information;
  const detail::SweepFields fields{columns(), derivatives, products};
  sums.index = {static_cast<int>(pairs.size()), derivatives, products};
  const std::int64_t own = m_own.size(), most = std::min(own, chunk()),
                     all = (own + SumBlocks::kBlock - 1) / SumBlocks::kBlock;
  if (static_cast<std::int64_t>(m_output.extent(0)) < most ||
      static_cast<int>(m_output.extent(1)) < fields.count()) {
    m_output = detail::FieldView<ExecSpace>();
    m_output = allocate<detail::FieldView<ExecSpace>>(m_exec, "tessera::gp::vecchia_fields", most,
                                                      fields.count());
  }
  const auto numbers = static_cast<std::size_t>(all * sums.index.count());
  if (m_block_sums.extent(0) < numbers)
    m_block_sums =
        allocate<Kokkos::View<double*, ExecSpace>>(m_exec, "tessera::gp::block_sums", numbers);
  const Records blocks(m_block_sums.data(), all, sums.index.count());
  store(m_exec, "tessera::gp::no_point", m_failed.data(), detail::kNoPoint);
  store(m_exec, "tessera::gp::least_variance", m_least.data(), theta[0] + nugget(theta));
  const Sweep sweep = own_sweep(theta);
  for (std::int64_t first = 0; first < own; first += most) {
    const std::int64_t count = std::min(most, own - first);
    if (has_blocks()) {
      run_blocks<Mode>(theta, first, count, fields, m_output);
    } else {
      run_sweep<Mode>(theta, sweep, first, count, fields, m_output, {});
    }
    find_least_variance(theta, first, count);
    const std::int64_t teams = (count + SumBlocks::kBlock - 1) / SumBlocks::kBlock;
    Kokkos::parallel_for(
        "tessera::gp::vecchia_sums",
        typename SumBlocks::Policy(m_exec, static_cast<int>(teams), SumBlocks::kTeam,
                                   SumBlocks::kLanes),
        SumBlocks{m_output, count, first / SumBlocks::kBlock, fields, sums.index, m_pairs, blocks});
  }
  std::vector<double> host(numbers);
  copy_to_host(m_exec, host.data(), blocks.data(), host.size());
  if (const std::int64_t failed = first_failed(m_own.begin); failed != detail::kNoPoint) {
    problem = explain(theta, failed);
    return false;
  }
  m_amplification = 1;
  for (const double least :
       m_ranks.all_gather(std::vector<double>{download_scalar(m_exec, m_least)}))
    m_amplification = std::max(m_amplification, (theta[0] + nugget(theta)) / least);
  host = m_ranks.all_gather(host);
  sums.value.assign(static_cast<std::size_t>(sums.index.count()), 0);
  for (std::size_t i = 0; i < host.size(); ++i) sums.value[i % sums.value.size()] += host[i];
  return true;
}

/// Generalised least squares from the sums of r_a r_b / d.
template <class ExecSpace>
void VecchiaSolver<ExecSpace>::solve_trend(const Sums& sums) {
  const auto replicates = m_replicates, trends = m_trends;
  const auto pair = [&](std::int64_t k) {
    return sums.value[static_cast<std::size_t>(sums.index.pair(static_cast<int>(k)))];
  };
  m_coefficients.assign(static_cast<std::size_t>(trends * replicates), 0.0);
  m_trend_covariance.clear();
  m_quadratic.clear();
  if (trends > 0) {
    linalg::Matrix normal(trends, std::vector<double>(trends));
    std::int64_t k = replicates * (1 + trends);
    for (std::int64_t i = 0; i < trends; ++i) {
      for (std::int64_t j = i; j < trends; ++j)
        normal[i][j] = normal[j][i] = static_cast<double>(pair(k++));
    }
    try {
      m_trend_covariance = linalg::inverse_positive_definite(normal);
    } catch (const Error&) {
      throw Error(ErrorKind::numerical,
                  "the columns of the trend are linearly dependent at these points",
                  "use mean: constant, or add points that span all coordinates");
    }
  }
  for (std::int64_t r = 0; r < replicates; ++r) {
    long double quadratic = pair(r);
    for (std::int64_t i = 0; i < trends; ++i) {
      long double coefficient = 0;
      for (std::int64_t j = 0; j < trends; ++j)
        coefficient += m_trend_covariance[i][j] * pair(replicates + r * trends + j);
      m_coefficients[static_cast<std::size_t>(i + r * trends)] = static_cast<double>(coefficient);
      quadratic -= coefficient * pair(replicates + r * trends + i);
    }
    m_quadratic.push_back(static_cast<double>(quadratic));
  }
}

template <class ExecSpace>
void VecchiaSolver<ExecSpace>::require_trend(const Theta& theta) {
  std::string problem;
  Sums sums;
  if (!is_valid(theta, problem))
    throw Error(ErrorKind::numerical, problem, remedy_not_positive_definite(m_model));
  // nothing is found from columns that are no observations
  if (m_trend_at == theta || (m_trends == 0 && m_observed == 0)) return;
  if (!sum_sweep<detail::SweepMode::value>(theta, sums, problem))
    throw Error(ErrorKind::numerical, problem, remedy_not_positive_definite(m_model));
  solve_trend(sums);
  m_trend_at = theta;
}

template <class ExecSpace>
Evaluation VecchiaSolver<ExecSpace>::evaluate(const Theta& theta, bool with_gradient,
                                              bool with_information) {
  Evaluation evaluation;
  Sums sums;
  if (!is_valid(theta, evaluation.problem)) return evaluation;
  const bool good = !with_gradient
                        ? sum_sweep<detail::SweepMode::value>(theta, sums, evaluation.problem)
                    : with_information
                        ? sum_sweep<detail::SweepMode::information>(theta, sums, evaluation.problem)
                        : sum_sweep<detail::SweepMode::gradient>(theta, sums, evaluation.problem);
  if (!good) return evaluation;
  solve_trend(sums);
  m_trend_at = theta;
  const long double replicates = static_cast<long double>(m_observed);
  long double sum =
      replicates * (m_n * std::log(2 * 3.14159265358979323846264338327950288L) + sums.value[0]);
  for (const double q : m_quadratic) sum += q;
  evaluation.loglik = static_cast<double>(-0.5L * sum);
  evaluation.valid = std::isfinite(evaluation.loglik);
  if (!evaluation.valid) {
    evaluation.problem = "the likelihood is not finite";
    return evaluation;
  }
  if (!with_gradient) return evaluation;

  // Sums for each derivative; the first is a stand-in whose dd is d, the next that in the nugget,
  // then the terms.
  const int derivatives = 1 + sums.index.derivatives;
  const std::vector<detail::ColumnPair> pairs = column_pairs();
  const auto value = [&](int k) { return sums.value[static_cast<std::size_t>(k)]; };
  std::vector<long double> slope;  // of -2 l
  for (int q = 0; q < derivatives; ++q) {
    long double total =
        replicates * (q == 0 ? static_cast<long double>(m_n) : value(sums.index.variance(q - 1)));
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const int at = static_cast<int>(k);
      const long double change =
          q == 0 ? -value(sums.index.pair(at)) : value(sums.index.d_pair(q - 1, at));
      const auto [a, b] = pairs[k];
      // The weights are those of the square of the residual: the column less the trend.
      for (std::int64_t r = 0; r < m_replicates; ++r) {
        const auto weight = [&](int column) -> long double {
          return column < m_replicates ? (column == r ? 1 : 0)
                                       : -m_coefficients[column - m_replicates + r * m_trends];
        };
        total += change * weight(a) * weight(b) * (a == b ? 1 : 2);
      }
    }
    slope.push_back(total);
  }
  const auto information = [&](int q, int p) -> long double {  // of one replicate
    if (p > q) std::swap(p, q);
    if (q == 0) return 0.5L * m_n;
    return p == 0 ? 0.5L * value(sums.index.variance(q - 1))
                  : value(sums.index.information(q - 1, p - 1));
  };
  const std::vector<std::vector<long double>> factors = sweep_factors(theta);
  const auto find_slope = [&](const std::vector<long double>& row) {
    long double gradient = 0;
    for (int q = 0; q < derivatives; ++q) gradient -= 0.5L * row[q] * slope[q];
    return static_cast<double>(gradient);
  };
  const auto find_information = [&](const std::vector<long double>& row,
                                    const std::vector<long double>& other) {
    long double total = 0;
    for (int q = 0; q < derivatives; ++q) {
      for (int p = 0; p < derivatives; ++p) total += row[q] * other[p] * information(q, p);
    }
    return static_cast<double>(total * replicates);
  };
  for (const auto& row : factors) {
    evaluation.gradient.push_back(find_slope(row));
    if (!std::isfinite(evaluation.gradient.back()))
      return {false, 0, {}, {}, "the gradient of the likelihood is not finite"};
  }
  const bool has_errors = !m_points.error_variance.empty();
  std::vector<long double> of_errors(derivatives, 0.0L);  // the last of the derivatives
  if (has_errors) {
    of_errors.back() = 1;
    evaluation.error_slope = find_slope(of_errors);
  }
  if (!with_information) return evaluation;
  for (const auto& row : factors) {
    for (const auto& other : factors)
      evaluation.information.push_back(find_information(row, other));
    if (has_errors) evaluation.error_information.push_back(find_information(row, of_errors));
  }
  if (has_errors) evaluation.error_information.push_back(find_information(of_errors, of_errors));
  return evaluation;
}

template <class ExecSpace>
std::vector<std::vector<long double>> VecchiaSolver<ExecSpace>::sweep_factors(
    const Theta& theta) const {
  const auto derivatives = static_cast<std::size_t>(1 + sweep_derivatives());
  std::vector<std::vector<long double>> factors;
  if (m_model.has_variables()) {
    for (std::size_t j = 0; j < theta.size(); ++j)
      factors.emplace_back(derivatives, 0.0L)[1 + j] = 1;
    return factors;
  }
  const detail::SweepTerms sweep_terms = terms();
  for (const AllDerivativeSums& factor : m_covariance.derivative_factors(theta)) {
    std::vector<long double>& row = factors.emplace_back(derivatives, 0.0L);
    row[0] = factor.value[DerivativeSums::kCorrelation] / theta[0];
    row[1] = factor.value[DerivativeSums::kTrace] - row[0] * nugget(theta);
    for (int q = 0; q < sweep_terms.count; ++q) {
      const int term = sweep_terms.term[q];
      row[2 + q] = term == detail::SweepTerms::kErrors ? -row[0] : factor.value[term];
    }
  }
  return factors;
}

template <class ExecSpace>
void VecchiaSolver<ExecSpace>::trend_coefficients(const Theta& theta,
                                                  std::vector<double>& coefficients,
                                                  std::vector<double>& errors) {
  require_trend(theta);
  coefficients = m_coefficients;
  for (std::size_t k = 0; k < coefficients.size(); ++k) coefficients[k] += m_offset[k];
  errors.clear();
  for (std::int64_t i = 0; i < m_trends; ++i) errors.push_back(std::sqrt(m_trend_covariance[i][i]));
}

template <class ExecSpace>
std::vector<double> VecchiaSolver<ExecSpace>::fisher_information(const Theta& theta) {
  const Evaluation evaluation = evaluate(theta, true, true);
  if (!evaluation.valid)
    throw Error(ErrorKind::numerical, evaluation.problem, remedy_not_positive_definite(m_model));
  return evaluation.information;
}

}  // namespace tessera::gp

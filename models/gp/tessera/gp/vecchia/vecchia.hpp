// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gp/covariance/covariance_dispatch.hpp"
#include "tessera/gp/likelihood/solver.hpp"
#include "tessera/gp/points/device_copies.hpp"
#include "tessera/gp/points/local_variance.hpp"
#include "tessera/gp/points/neighbours.hpp"
#include "tessera/gp/vecchia/block_prediction.hpp"
#include "tessera/gp/vecchia/vecchia_blocks.hpp"
#include "tessera/gp/vecchia/vecchia_fields.hpp"
#include "tessera/gp/vecchia/vecchia_sums.hpp"

namespace tessera::gp {

/// Gaussian processes by Vecchia's approximation: in an order of the points each is conditioned on
/// its m nearest predecessors only,
///
///     l = -1/2 sum_i [ log 2 pi + log d_i + r_i^2 / d_i ],     r_i = z_i - b_i' z_c(i),     d_i = C_ii - b_i' s_i,     b_i = S_i^-1 s_i
///
/// with the covariance S_i of the neighbours c(i) and that of theirs with the point, s_i (Vecchia
/// 1988; Guinness 2018; gradient and Fisher information in the same pass: Guinness 2019). A
/// likelihood costs N m^3 / 6 multiply-adds and takes a few hundred bytes a point, so that 1e8
/// points fit on a GPU. With m = N - 1 nothing is left out.
///
/// With `block` points that lie next to each other are conditioned on the neighbours of all of them
/// (Guinness 2018, section 3), which is closer to the exact likelihood; predictions are as without.
///
/// With `prediction_block` predictions are made in blocks of space, whose targets share the
/// observations that are nearest to the block's centre and one factor of their covariance
/// (block_prediction.hpp): many more observations in the same time. Targets to which other data are
/// nearer are predicted by themselves. Draws, cross-validation and misspecified_variance are as
/// without.
///
/// Neighbours are the nearest in coordinates divided by their ranges; where ranges differ
/// (anisotropy, time) prepare(theta) finds them again. Predictions are made from the nearest data
/// points, draws from those and earlier targets; the trend is that of all data. Simulations and
/// draws go by levels: a point comes as soon as its neighbours are there, all points of a level
/// together.
///
/// With several ranks each has the coordinates and the data of all points, but the neighbours of
/// its part of the order only, and its part of the targets; sums are made of blocks of points that
/// are the same for any number of ranks. Every call is made by all ranks. Simulated fields are made
/// by each rank, from the weights of all.
///
/// Accuracy: rounding as in the exact solver, that is 1e-10 relative to it for m = N - 1
/// (tests/unit/gp_vecchia.cpp). Results have the same bits for any number of threads and ranks.
/// Errors: as Solver.
template <class ExecSpace>
class VecchiaSolver final : public GaussianSolver {
 public:
  VecchiaSolver(const ExecSpace& exec, const CovarianceModel& model, const Points& points,
                const VecchiaOptions& options, const parallel::Communicator& ranks = {});

  std::int64_t size() const override { return m_n; }
  double amplification() const override { return m_amplification; }
  bool prepare(const Theta& theta) override;
  std::vector<double> simulate(const Theta& theta, const std::vector<double>& normals,
                               const std::vector<double>& noise) override;
  void set_data(const std::vector<double>& values,
                const std::vector<std::vector<double>>& trend) override;
  void set_error_variance(const std::vector<double>& variance) override;
  void set_columns(const std::vector<double>& columns, std::int64_t observed) override;
  /// More columns share what a point costs them all.
  std::int64_t most_columns() const override {
    return std::clamp<std::int64_t>((std::int64_t(1) << 25) / std::max<std::int64_t>(m_n, 1), 64,
                                    256);
  }
  std::vector<double> products(const Theta& theta, const DesignMatrix& design) override;
  Evaluation evaluate(const Theta& theta, bool with_gradient,
                      bool with_information = false) override;
  void trend_coefficients(const Theta& theta, std::vector<double>& coefficients,
                          std::vector<double>& errors) override;
  const linalg::Matrix& trend_covariance() const override { return m_trend_covariance; }
  Prediction predict(const Theta& theta, const Points& points,
                     const std::vector<std::vector<double>>& trend,
                     const DrawOptions& draws) override;
  Prediction cross_validate(const Theta& theta, const std::vector<int>& fold) override;
  std::vector<double> fisher_information(const Theta& theta) override;
  std::vector<double> misspecified_variance(const Theta& truth, const Theta& used,
                                            const Points& points) override;
  std::vector<Neighbourhood> neighbourhoods() const override { return m_neighbourhoods; }
  std::int64_t levels() const override { return m_levels; }

  /// The order of the points, and the neighbours among those before it of each that this rank has,
  /// by their numbers in that order.
  const Kokkos::View<std::uint32_t*, ExecSpace>& order() const { return m_order; }
  const NeighbourView<ExecSpace>& neighbours() const { return m_neighbours; }
  /// Returns the neighbours of the points of all ranks.
  NeighbourView<ExecSpace> all_neighbours() const { return gather_rows(m_neighbours); }

  /// The weights b of the neighbours of each point, and the variance d that they leave of it: those
  /// of all points, on every rank. Throws Error (numerical) where the covariance of theta is not
  /// positive definite.
  struct Rows {
    Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> weights;
    Kokkos::View<double*, ExecSpace> variance;
  };
  Rows factor(const Theta& theta);

  /// The same for other points, given the nearest of the data; all of them on every rank.
  struct TargetRows {
    NeighbourView<ExecSpace> neighbours;
    Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> weights;
    std::vector<double> variance;
  };
  TargetRows target_rows(const Theta& theta, const Points& targets);

  /// The coordinates in which the neighbours were found, a column each, in the order found.
  std::vector<std::vector<double>> ordered_coordinates() const;

 private:
  using Records = Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace>;
  using Coordinates = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;
  using Weights = Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace>;

  /// Sums over the points at one theta.
  struct Sums {
    detail::SweepSums index;
    std::vector<long double> value;
  };
  /// Variances of errors of each variable.
  using Nuggets = std::array<double, kMostVariables>;
  /// The points and targets of a sweep. Targets have the neighbours of the same row.
  struct Sweep {
    detail::RecordView<ExecSpace> points, targets;
    NeighbourView<ExecSpace> neighbours;
    std::int64_t observed;
    Nuggets jitter, own_nugget;
    // the places in records where the variances of errors stand; -1: they do not count
    int errors, own_errors;
    // own_nugget counts in the variance of the field at a point, as jitter does, where the
    // covariance differs from place to place; else in that of its errors
    bool in_field_variance = false;
  };
  /// Numbers of the targets of a sweep, one field after another.
  struct Fields {
    detail::SweepFields index;
    std::int64_t count = 0;
    std::vector<double> value;
    double at(std::int64_t i, int field) const {
      return value[static_cast<std::size_t>(field * count + i)];
    }
  };

  int columns() const { return static_cast<int>(m_replicates + m_trends); }
  int axes() const {
    if (m_model.is_high_dimensional()) return m_model.point_columns();
    if (m_model.is_local()) return m_model.place_columns();
    return m_model.metric == Metric::euclidean && m_model.dimension < 3 && !m_model.has_time &&
                   !m_model.has_variables()
               ? 2
               : 4;
  }
  double nugget(const Theta& theta) const { return nugget_variance(m_model, theta); }
  Nuggets nuggets(const Theta& theta) const {
    Nuggets all{};
    for (int v = 0; v < m_model.variables; ++v)
      all[static_cast<std::size_t>(v)] = nugget_variance(m_model, theta, v);
    return all;
  }
  /// Returns the variances of the fields of all variables, times a factor.
  Nuggets field_variances(const Theta& theta, double factor) const {
    Nuggets all{};
    for (int v = 0; v < m_model.variables; ++v)
      all[static_cast<std::size_t>(v)] = factor * field_variance(m_model, theta, v);
    return all;
  }
  /// Returns the number of derivatives of a sweep: that in the nugget and the terms, or those in
  /// theta of several variables.
  int sweep_derivatives() const {
    return m_model.has_variables() ? m_model.parameters() : 1 + terms().count;
  }
  /// Returns dC/dtheta_j in terms of a stand-in whose derivative is C and those of a sweep.
  std::vector<std::vector<long double>> sweep_factors(const Theta& theta) const;
  detail::VariableDerivatives of_variables(const Theta& theta) const {
    if (!m_model.has_variables()) return {};
    return detail::VariableDerivatives::make(m_model, m_covariance.derivative_factors(theta));
  }
  detail::SweepTerms terms() const;
  std::vector<detail::ColumnPair> column_pairs() const;
  /// Returns the place of the variance of the error in a record of the data with so many columns;
  /// -1: nowhere.
  int error_field(int columns) const {
    return m_points.error_variance.empty() ? -1 : axes() + columns;
  }

  /// Returns points on the device.
  PointView<ExecSpace> given(const Points& points) const {
    return detail::device_points(m_exec, m_model, points);
  }
  /// Returns the points given, as kernels take them at theta.
  PointView<ExecSpace> place(const PointView<ExecSpace>& given, const Theta& theta) const;
  PointView<ExecSpace> place(const Points& points, const Theta& theta) const {
    return place(given(points), theta);
  }
  /// Returns the coordinates in which neighbours are looked for, of points in the axes of theta's
  /// ranges.
  Coordinates search_coordinates(const PointView<ExecSpace>& placed, const Theta& theta) const;
  Coordinates search_coordinates(const Points& points, const Theta& theta) const {
    return search_coordinates(place(points, theta), theta);
  }
  /// Returns coordinates in the order found.
  Coordinates ordered(const Coordinates& coordinates) const;
  /// Returns the data's points as given.
  PointView<ExecSpace> own_points() const {
    return m_place.extent(0) > 0 ? m_place : given(m_points);
  }
  /// Returns the coordinates of the data in which the neighbours were found, in the order found.
  Coordinates own_search_coordinates() const {
    return ordered(search_coordinates(place(own_points(), m_found_at), m_found_at));
  }
  void find_neighbours(const PointView<ExecSpace>& placed);
  void choose_neighbourhoods();
  /// `given`: the data's points.
  void fill_records(const PointView<ExecSpace>& given);
  /// Makes a record of each point, in the order given if `order` is empty. `placed`: the points in
  /// the axes of theta's ranges.
  Records make_records(const PointView<ExecSpace>& placed,
                       const std::vector<std::vector<double>>& columns,
                       const std::vector<double>& error_variance,
                       const Kokkos::View<std::uint32_t*, ExecSpace>& order) const;
  /// Replaces the places in the records of the data by those at theta.
  void renew_records(const Theta& theta);

  void require_prepared(const Theta& theta);
  bool is_valid(const Theta& theta, std::string& problem);
  std::int64_t first_failed(std::int64_t begin) const;
  std::string explain(const Theta& theta, std::int64_t failed) const;
  Sweep own_sweep(const Theta& theta) const;

  template <detail::SweepMode Mode>
  void run_sweep(const Theta& theta, const Sweep& sweep, std::int64_t first, std::int64_t count,
                 const detail::SweepFields& fields, const detail::FieldView<ExecSpace>& output,
                 const Weights& weights);
  /// Calls visit with the number of coordinates in a record, a constant; kAnyAxes: more than four.
  template <class Covariance, class Visit>
  void visit_axes(const Covariance& covariance, const Visit& visit) const {
    if constexpr (Covariance::kSeveral) {
      visit(std::integral_constant<int, 4>());
    } else {
      using Distance = std::decay_t<decltype(covariance.distance)>;
      if constexpr (PlaceTraits<Distance>::kHighDimensional || Covariance::kLocal) {
        visit(std::integral_constant<int, detail::kAnyAxes>());
      } else {
        if constexpr (std::is_same_v<Distance, EuclideanDistance<2>>) {
          if (axes() == 2) return visit(std::integral_constant<int, 2>());
        }
        visit(std::integral_constant<int, 4>());
      }
    }
  }
  void reserve_workspace(std::int64_t teams, std::int64_t numbers);
  /// Runs a sweep over blocks; first and count are positions of their members.
  template <detail::SweepMode Mode>
  void run_blocks(const Theta& theta, std::int64_t first, std::int64_t count,
                  const detail::SweepFields& fields, const detail::FieldView<ExecSpace>& output);
  template <detail::SweepMode Mode, class Problem>
  bool run_in_registers(const Problem& problem, int m);
  template <detail::SweepMode Mode>
  bool sum_sweep(const Theta& theta, Sums& sums, std::string& problem);
  void find_least_variance(const Theta& theta, std::int64_t first, std::int64_t count);
  Fields read_fields(const Theta& theta, const Sweep& sweep, int columns, const Weights& weights);
  /// Throws where the covariance of a target's neighbours had no factor. `targets`: where they are;
  /// `rows`: their numbers there, in the order of the fields; empty: as they come.
  void require_solved(const Theta& theta, const Fields& fields, const Points& targets,
                      const std::vector<std::uint32_t>& rows, bool in_blocks = false) const;
  /// Returns the number of data points of a target that no block serves.
  int own_neighbours() const {
    constexpr int most = 320;  // of which a target takes half a millisecond of a core
    return std::max(m_options.prediction_neighbours, std::min(block_neighbours() / 2, most));
  }
  /// Returns the number of data points that the targets of a block share.
  int block_neighbours() const {
    return static_cast<int>(std::min<std::int64_t>(
        std::int64_t(VecchiaOptions::kBlockNeighbours) * m_options.prediction_block, m_n));
  }
  std::int64_t chunk() const {
    constexpr std::int64_t some = compat::is_gpu_v<ExecSpace> ? 1 << 20 : 1 << 13;
    return std::max<std::int64_t>(
        some, std::int64_t(detail::SumBlocks<ExecSpace>::kBlock) * m_options.block);
  }
  bool has_blocks() const { return m_options.block > 1; }

  void solve_trend(const Sums& sums);
  void require_trend(const Theta& theta);
  double information_of_trend(const std::vector<double>& u) const;
  Points own_share(const Points& points) const;
  NeighbourView<ExecSpace> nearest_data(const Points& points, int count) const;
  /// Returns the fields of targets, each from so many data nearest to it.
  Fields target_fields(const Theta& theta, const Points& points,
                       const std::vector<std::vector<double>>& trend, int count);
  /// Returns the fields of targets that are predicted in blocks.
  Fields block_fields(const Theta& theta, const Points& points,
                      const std::vector<std::vector<double>>& trend);
  void replace_fields(const Theta& theta, const Points& points,
                      const std::vector<std::vector<double>>& trend,
                      const std::vector<std::size_t>& rows, Fields& fields);
  /// Returns the fields of the targets of all ranks.
  Fields gather(Fields own) const;
  template <class View>
  View gather_rows(const View& own) const;
  detail::FieldRule<ExecSpace> field_rule(const Theta& theta, const Sweep& sweep,
                                          std::int64_t known,
                                          const Kokkos::View<std::uint32_t*, ExecSpace>& order);
  void draw(const Theta& theta, const Points& points, const std::vector<std::vector<double>>& trend,
            const DrawOptions& draws, Prediction& prediction);

  ExecSpace m_exec;
  CovarianceModel m_model;
  Points m_points;
  VecchiaOptions m_options;
  std::int64_t m_n;
  parallel::Communicator m_ranks;
  parallel::Range m_own;  // of the order: the points of this rank
  detail::CovarianceDispatch<ExecSpace> m_covariance;

  Theta m_found_at;  // in whose ranges and axes the neighbours were found; empty: not yet
  Kokkos::View<std::uint32_t*, ExecSpace> m_order;
  std::vector<std::uint32_t> m_host_order;
  NeighbourView<ExecSpace> m_neighbours;
  detail::BlockLists<ExecSpace> m_blocks;  // where blocks are wanted
  std::vector<Neighbourhood> m_neighbourhoods;
  std::optional<Coincidence> m_coincidence;
  std::int64_t m_levels = 0;  // of the last simulation or draw

  std::int64_t m_replicates = 0, m_trends = 0;
  std::int64_t m_observed = 0;  // replicates that are observations
  // residuals of an ordinary regression, then the trend, in the order of the points given
  std::vector<std::vector<double>> m_columns;
  std::vector<double> m_offset;  // its coefficients: trends x replicates
  Records m_records;             // in the order found
  PointView<ExecSpace> m_place;  // where their places depend on theta: the points as given,
  std::vector<double> m_centre;  // about which those of a rotated covariance turn,
  Theta m_placed_at;             // and at which the records have them
  Records m_workspace;
  detail::FieldView<ExecSpace> m_output;
  Kokkos::View<detail::ColumnPair*, ExecSpace> m_pairs;
  Kokkos::View<double*, ExecSpace> m_block_sums;
  Kokkos::View<std::int64_t, ExecSpace> m_failed;
  Kokkos::View<double, ExecSpace> m_least;  // conditional variance of a point
  double m_amplification = 1;

  double m_fine_nu = 0;  // of the tables that a GPU's kernels hold in fast memory
  Kokkos::View<double*, ExecSpace> m_fine_value, m_fine_order;
  detail::RedoList<ExecSpace> m_redo;

  Theta m_trend_at;                    // theta of the following
  std::vector<double> m_coefficients;  // trends x replicates, of the residuals
  linalg::Matrix m_trend_covariance;
  std::vector<double> m_quadratic;
};

}  // namespace tessera::gp

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/stable/fit/likelihood.hpp"
#include "tessera/stable/fit/observed_information.hpp"
#include "tessera/stable/fit/team_quantiles.hpp"
#include "tessera/stable/regression/design.hpp"

namespace tessera::stable::detail {

/// One regression by a team. Parameters are those of BasicOptimizer: shape, ln sigma, locations,
/// further coefficients of ln s.
template <class ExecSpace, int kTeam>
struct RegressionKernel {
  static constexpr int kMost = DeviceRegression::kMost, kWorkPerRow = 6, kLeastAbsoluteSteps = 10;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<kTeam, 2>>;
  using Member = typename Policy::member_type;
  using Optimizer = BasicOptimizer<kMost>;
  struct Shared {
    Optimizer optimizer;
    BasicSums<kMost> sums;
    ObservedInformation<kMost> information;
    bool differences;  ///< the likelihood is evaluated for the information
    double inverse[kMost * kMost], right_side[kMost], change[kMost], largest;
    TeamQuantiles quantiles;
    int flag;
  };
  using SharedView = Kokkos::View<Shared*, typename ExecSpace::scratch_memory_space,
                                  Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Kokkos::View<const double*, ExecSpace> columns, y;
  Kokkos::View<double*, ExecSpace> work;
  Kokkos::View<int*, ExecSpace> list;
  Kokkos::View<const DeviceRegressionTask*, ExecSpace> tasks;
  StartTable<ExecSpace> table;
  RegressionOptions options;
  int locations, scales;  ///< columns; of the scale those behind the constant
  Kokkos::View<DeviceRegression*, ExecSpace> results;
  StopFlag<ExecSpace> stop;

  static int scratch_size() {
    return static_cast<int>(SharedView::shmem_size(1)) + Panels<ExecSpace>::scratch_size(kTeam);
  }

  /// The rows of a task and the room for its values.
  struct Rows {
    int size, exact, right, locations, stride;
    const double *columns, *y;
    double *z, *log_scale, *v;
    int* list;
    KOKKOS_INLINE_FUNCTION double location(int i, int j) const {
      return columns[static_cast<std::int64_t>(i) * stride + j];
    }
    KOKKOS_INLINE_FUNCTION double scale(int i, int k) const {
      return columns[static_cast<std::int64_t>(i) * stride + locations + k];
    }
  };

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const SharedView view(team.team_scratch(0), 1);
    Shared& shared = view(0);
    const Panels<ExecSpace> panels(team, kTeam, stop);
    const DeviceRegressionTask& task = tasks(team.league_rank());
    DeviceRegression& result = results(team.league_rank());
    if (team.team_rank() == 0) clear(task.fault, result);
    if (task.fault != FitStatus::converged) return;
    double* const room = work.data() + kWorkPerRow * task.begin;
    const int stride = locations + scales;
    const Rows rows{task.count,
                    task.exact,
                    task.right,
                    locations,
                    stride,
                    columns.data() + stride * task.begin,
                    y.data() + task.begin,
                    room,
                    room + task.count,
                    room + 2 * task.count,
                    list.data() + task.begin};
    Rows exact = rows;  // from which regressions start
    exact.size = rows.exact;
    find_least_absolute_deviations(team, panels, exact, shared);
    shared.quantiles.find(team, exact.z, exact.size, shared.largest);
    if (team.team_rank() == 0) start(task, rows.size, exact, shared, result);
    team.team_barrier();
    if (shared.flag == 0) return;
    bool more = true;
    while (more) {
      const Optimizer& optimizer = shared.optimizer;
      evaluate(team, panels, rows, shared.differences ? shared.information.theta : optimizer.trial,
               !shared.differences && optimizer.first, shared);
      if (team.team_rank() == 0) shared.flag = advance(shared) ? 2 : 1;
      team.team_barrier();
      more = shared.flag == 2 && !stop.raised();
      team.team_barrier();
    }
    if (team.team_rank() == 0) finish(shared, result);
  }

  /// Coefficients of the location that make the sum of |y - x b| small, into theta from 3 on, by
  /// weighted least squares; z: residuals.
  KOKKOS_INLINE_FUNCTION void find_least_absolute_deviations(const Member& team,
                                                             const Panels<ExecSpace>& panels,
                                                             const Rows& rows,
                                                             Shared& shared) const {
    const int thread = team.team_rank(), threads = team.team_size(), p = locations;
    for (int i = thread; i < rows.size; i += threads) {
      rows.z[i] = rows.y[i];
      rows.log_scale[i] = 1;  // the weights, here
    }
    for (int j = thread; j < p; j += threads) shared.information.theta[3 + j] = 0;
    team.team_barrier();
    for (int step = 0; step <= kLeastAbsoluteSteps; ++step) {
      // The weighted normal equations of the residuals; their right side is column p of the matrix.
      for (int e = thread; e < p * (p + 3) / 2; e += threads) {
        int a = 0, b = e;
        while (b > a + 1) b -= ++a + 1;
        // Row a has columns 0 ... a, and the right side behind them.
        if (b == a + 1) b = p;
        double sum = 0;
        for (int i = 0; i < rows.size; ++i) {
          sum +=
              rows.log_scale[i] * rows.location(i, a) * (b < p ? rows.location(i, b) : rows.z[i]);
        }
        (b < p ? shared.information.matrix[kMost * a + b] : shared.right_side[a]) = sum;
        if (b < a) shared.information.matrix[kMost * b + a] = sum;
      }
      team.team_barrier();
      if (thread == 0) {
        shared.flag =
            invert_information<kMost>(shared.information.matrix, 0, shared.inverse, p) ? 1 : 0;
        for (int a = 0; a < p; ++a) {
          double change = 0;
          for (int b = 0; b < p; ++b)
            change += shared.inverse[kMost * a + b] * shared.right_side[b];
          shared.change[a] = shared.flag == 1 && change - change == 0 ? change : 0;
          shared.information.theta[3 + a] += shared.change[a];
        }
      }
      team.team_barrier();
      double largest = 0;
      for (int i = thread; i < rows.size; i += threads) {
        for (int a = 0; a < p; ++a) rows.z[i] -= shared.change[a] * rows.location(i, a);
        largest = ::fabs(rows.z[i]) > largest ? ::fabs(rows.z[i]) : largest;
      }
      largest = find_largest(team, &panels.work(0), largest);
      if (thread == 0) shared.largest = largest;
      const double least = 1e-9 * largest + 1e-300;
      for (int i = thread; i < rows.size; i += threads)
        rows.log_scale[i] = 1 / (::fabs(rows.z[i]) + least);
      team.team_barrier();
    }
  }

  KOKKOS_INLINE_FUNCTION static void clear(FitStatus status, DeviceRegression& result) {
    result.status = status;
    result.iterations = result.evaluations = 0;
    result.has_covariance = false;
    result.log_likelihood = result.gradient_norm = NAN;
    for (int k = 0; k < kMost; ++k) result.parameter[k] = NAN;
  }

  /// Starts the optimizer; flag 0 when the residuals have no spread.
  KOKKOS_INLINE_FUNCTION void start(const DeviceRegressionTask& task, int size, const Rows& rows,
                                    Shared& shared, DeviceRegression& result) const {
    shared.flag = 0;
    result.status = FitStatus::constant;
    const FiveQuantiles five = shared.quantiles.found();
    double response = 0;
    for (int i = 0; i < rows.size; ++i)
      response = ::fabs(rows.y[i]) > response ? ::fabs(rows.y[i]) : response;
    if (!(five.q[3] - five.q[1] > 1e-10 * response)) return;
    FitTask shape;
    shape.fixed = task.fixed;
    shape.fixed_value[0] = task.fixed_value[0];
    shape.fixed_value[1] = task.fixed_value[1];
    FourParameters from = table.estimate(five, shape);
    int mask = task.fixed;
    from.alpha = shape.is_fixed(0)   ? task.fixed_value[0]
                 : from.alpha > 1.97 ? 1.97
                                     : (from.alpha < 0.12 ? 0.12 : from.alpha);
    from.beta = shape.is_fixed(1) ? task.fixed_value[1]
                : from.beta > 0.9 ? 0.9
                                  : (from.beta < -0.9 ? -0.9 : from.beta);
    if (shape.is_fixed(0) && from.alpha == 2) {  // beta means nothing there
      mask |= 2;
      if (!shape.is_fixed(1)) from.beta = 0;
    }
    Optimizer& optimizer = shared.optimizer;
    optimizer.parameters = 3 + locations + scales;
    optimizer.locations = locations;
    shared.differences = false;
    optimizer.start(from.alpha, from.beta, from.sigma, 0, mask, size, options.tolerance);
    // the median of the residuals, where the columns span a constant
    for (int j = 0; j < locations; ++j) {
      double mean = 0;
      for (int i = 0; i < rows.size; ++i) mean += rows.location(i, j);
      optimizer.theta[3 + j] = optimizer.trial[3 + j] =
          shared.information.theta[3 + j] + from.mu * mean / rows.size;
    }
    shared.flag = 1;
  }

  /// The score of row i in parameter k, in theta, from what prepare_scores left.
  KOKKOS_INLINE_FUNCTION double score(const Optimizer& optimizer, const Rows& rows, int i,
                                      int k) const {
    const int n = rows.size;
    if (k < 2) return rows.v[(2 + k) * n + i];
    if (k == 2) return rows.z[i];
    return optimizer.is_location(k) ? rows.v[n + i] * rows.location(i, k - 3)
                                    : rows.z[i] * rows.scale(i, k - 3 - locations);
  }

  /// Replaces d_x by the score of a location, in units of sigma, by its regressor; z by that of ln
  /// s; d_alpha and d_beta by those in theta.
  KOKKOS_INLINE_FUNCTION void prepare_scores(const Member& team, const Optimizer& optimizer,
                                             const double* theta, const Rows& rows) const {
    const double alpha_derivative = optimizer.alpha_derivative(theta),
                 beta_derivative = optimizer.beta_derivative(theta);
    const int n = rows.size;
    for (int i = team.team_rank(); i < n; i += team.team_size()) {
      const double d_x = rows.v[n + i];
      rows.v[n + i] = -d_x * ::exp(theta[2] - rows.log_scale[i]);
      rows.v[2 * n + i] *= alpha_derivative;
      rows.v[3 * n + i] *= beta_derivative;
      rows.z[i] = (i < rows.exact ? -1 : 0) - rows.z[i] * d_x;
    }
    team.team_barrier();
  }

  /// Functions of the standardised rows first, ..., first + count - 1, into rows.v.
  template <class Functions>
  KOKKOS_INLINE_FUNCTION static void visit(const Member& team, const Panels<ExecSpace>& panels,
                                           const Rows& rows, const double* theta,
                                           const Optimizer& optimizer, int first, int count) {
    const UnsortedSample sample(optimizer.alpha(theta), optimizer.beta(theta), rows.z + first,
                                count, rows.list + first);
    const StoreFunctions<Functions> store{rows.v + first, rows.size};
    panels.template visit<Functions>(team, sample, store);
  }

  /// Evaluates the likelihood and its derivatives at theta, into shared.sums.
  KOKKOS_INLINE_FUNCTION void evaluate(const Member& team, const Panels<ExecSpace>& panels,
                                       const Rows& rows, const double* theta, bool outer,
                                       Shared& shared) const {
    const Optimizer& optimizer = shared.optimizer;
    const int thread = team.team_rank(), threads = team.team_size(), size = optimizer.size();
    for (int i = thread; i < rows.size; i += threads) {
      double location = 0, log_scale = theta[2];
      for (int j = 0; j < locations; ++j) location += theta[3 + j] * rows.location(i, j);
      for (int k = 0; k < scales; ++k) log_scale += theta[3 + locations + k] * rows.scale(i, k);
      rows.log_scale[i] = log_scale;
      rows.z[i] = (rows.y[i] - location) * ::exp(-log_scale);
    }
    team.team_barrier();
    visit<ScoreFunctions>(team, panels, rows, theta, optimizer, 0, rows.exact);
    if (rows.right > 0)
      visit<CensoredFunctions<false>>(team, panels, rows, theta, optimizer, rows.exact, rows.right);
    const int left = rows.size - rows.exact - rows.right;
    if (left > 0)
      visit<CensoredFunctions<true>>(team, panels, rows, theta, optimizer, rows.exact + rows.right,
                                     left);
    prepare_scores(team, optimizer, theta, rows);
    // Each thread adds up whole sums, in the order of the rows.
    const int terms = 1 + size + (outer ? size * (size + 1) / 2 : 0);
    for (int e = thread; e < terms; e += threads) {
      int k = 0, l = e - 1 - size;
      while (l > k) l -= ++k;
      double sum = 0;
      for (int i = 0; i < rows.size; ++i) {
        sum += e == 0      ? rows.v[i] - (i < rows.exact ? rows.log_scale[i] : 0)
               : e <= size ? score(optimizer, rows, i, e - 1)
                           : score(optimizer, rows, i, k) * score(optimizer, rows, i, l);
      }
      shared.sums.value[e] = sum;
    }
    team.team_barrier();
  }

  /// Takes the sums, and says where the likelihood is wanted next; false when the fit and its
  /// information are complete.
  KOKKOS_INLINE_FUNCTION bool advance(Shared& shared) const {
    if (shared.differences) {
      shared.information.take(shared.optimizer, shared.sums);
    } else if (shared.optimizer.advance(shared.sums)) {
      return true;
    } else {
      if (!options.standard_errors) return false;
      shared.information.begin();
      shared.differences = true;
    }
    return shared.information.next(shared.optimizer);
  }

  KOKKOS_INLINE_FUNCTION void finish(Shared& shared, DeviceRegression& result) const {
    const Optimizer& optimizer = shared.optimizer;
    for (int k = 0; k < optimizer.size(); ++k) result.parameter[k] = optimizer.theta[k];
    result.parameter[0] = optimizer.alpha(optimizer.theta);
    result.parameter[1] = optimizer.beta(optimizer.theta);
    result.log_likelihood = optimizer.likelihood;
    result.gradient_norm = optimizer.norm;
    result.iterations = optimizer.iterations;
    result.evaluations = optimizer.evaluations;
    result.status = optimizer.status;
    if (options.standard_errors) find_covariance(shared, result);
  }

  /// The inverse of the observed information, locations in units of sigma.
  KOKKOS_INLINE_FUNCTION static void find_covariance(Shared& shared, DeviceRegression& result) {
    const Optimizer& optimizer = shared.optimizer;
    const int size = optimizer.size();
    result.has_covariance =
        invert_information<kMost>(shared.information.matrix, optimizer.fixed, shared.inverse, size);
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) {
        const bool free = optimizer.free(i) && optimizer.free(j),
                   at_end = ((optimizer.at_end >> i | optimizer.at_end >> j) & 1) != 0;
        double unit = 1;
        for (int side = 0; side < 2; ++side) {
          const int k = side == 0 ? i : j;
          unit *= k == 0   ? optimizer.alpha_derivative(optimizer.theta)
                  : k == 1 ? optimizer.beta_derivative(optimizer.theta)
                           : 1.0;
        }
        result.covariance[kMost * i + j] = free     ? unit * shared.inverse[kMost * i + j]
                                           : at_end ? NAN
                                                    : 0;
      }
    }
  }
};

}  // namespace tessera::stable::detail

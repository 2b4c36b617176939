// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/stable/fit/likelihood.hpp"
#include "tessera/stable/fit/team_quantiles.hpp"
#include "tessera/stable/garch/garch_types.hpp"
#include "tessera/stable/garch/recurrence.hpp"

namespace tessera::stable::detail {

/// A series on the device, its rows in the work arrays of all tasks.
struct DeviceGarchTask {
  GarchTask task;
  std::int64_t row = 0;
};

/// The coordinates of a fit. They are alpha and beta as in every fit, ln sigma with sigma =
/// omega/(1 - b), c of the centred series, atanh phi, atanh theta, and p and q with a = (1 - b) p^2
/// and b = tanh^2 q, in which a = 0 and b = 0 are no ends.
struct GarchCoordinates {
  enum { alpha, beta, sigma, c, phi, theta, shock, memory, count };
};

struct DeviceGarch {
  static constexpr int kMost = GarchCoordinates::count;
  double theta[kMost], alpha, beta;
  double covariance[kMost * kMost];  ///< of theta; c in units of sigma
  double alpha_derivative, beta_derivative;
  double log_likelihood, gradient_norm;
  double centre;  ///< what was subtracted from the series
  GarchState first, last;
  std::int32_t iterations, evaluations, at_end, fixed;
  FitStatus status;
  bool has_covariance;
};

/// One fit by a team.
template <class ExecSpace, int kTeam>
struct GarchKernel {
  static constexpr int kMost = DeviceGarch::kMost, kWorkPerRow = 17, kFewest = 20, kRecurrences = 6;
  static constexpr double kMostMemory = 0.9999;  ///< of b
  static constexpr double kLeastShock = 1e-4;    ///< a p^2 below it is 0
  using Coordinate = GarchCoordinates;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<kTeam, 2>>;
  using Member = typename Policy::member_type;
  using Optimizer = BasicOptimizer<kMost>;
  struct Shared {
    Optimizer optimizer, other;
    BasicSums<kMost> sums;
    TeamQuantiles quantiles;
    double start[kMost], best[kMost], likelihood;
    double centre, before, scale;
    int flag;
  };
  using SharedView = Kokkos::View<Shared*, typename ExecSpace::scratch_memory_space,
                                  Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Kokkos::View<const double*, ExecSpace> data;
  Kokkos::View<double*, ExecSpace> work;
  Kokkos::View<int*, ExecSpace> list;
  Kokkos::View<const DeviceGarchTask*, ExecSpace> tasks;
  StartTable<ExecSpace> table;
  GarchOptions options;
  Kokkos::View<DeviceGarch*, ExecSpace> results;
  StopFlag<ExecSpace> stop;

  static int scratch_size() {
    return static_cast<int>(SharedView::shmem_size(1)) +
           Panels<ExecSpace>::scratch_size(kRecurrences * kTeam);
  }

  /// The rows of a task: the centred series, errors, scales and derivatives of both.
  struct Rows {
    int size;
    double *y, *e, *s, *z, *v;
    double *e_c, *e_phi, *e_theta;
    double *s_sigma, *s_shock, *s_memory, *s_c, *s_phi, *s_theta;
    int* list;
    double before, scale;  ///< the centred value and the scale before the first one
    double rounding;       ///< squared

    KOKKOS_INLINE_FUNCTION Rows(int count, double* room, int* numbers)
        : size(count), list(numbers), before(0), scale(1), rounding(0) {
      double** const arrays[] = {&y,       &e,       &s,        &z,   &e_c,   &e_phi,   &e_theta,
                                 &s_sigma, &s_shock, &s_memory, &s_c, &s_phi, &s_theta, &v};
      for (double** array : arrays) {
        *array = room;
        room += count;
      }
    }
    KOKKOS_INLINE_FUNCTION double size_of(double error) const {
      return garch_size(error, rounding);
    }
    /// The scores in coordinate k, once they are known.
    KOKKOS_INLINE_FUNCTION const double* score(int k) const {
      const double* const arrays[] = {v + 2 * size, v + 3 * size, s_sigma, e_c,
                                      e_phi,        e_theta,      s_shock, s_memory};
      return arrays[k];
    }
  };

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const SharedView view(team.team_scratch(0), 1);
    Shared& shared = view(0);
    const Panels<ExecSpace> panels(team, kRecurrences * team.team_size(), stop);
    const DeviceGarchTask& task = tasks(team.league_rank());
    DeviceGarch& result = results(team.league_rank());
    Rows rows(task.task.count, work.data() + kWorkPerRow * task.row, list.data() + task.row);
    prepare(team, panels, task.task, rows, shared, result);
    if (shared.flag == 0) return;
    choose_start(team, panels, rows, task.task, shared);
    climb(team, panels, rows, shared);
    const Optimizer& optimizer = shared.optimizer;
    const bool at_end = (optimizer.at_end >> Coordinate::memory & 1) != 0 ||
                        optimizer.status == FitStatus::not_converged;
    team.team_barrier();
    if (at_end && !stop.raised()) climb_without_shocks(team, panels, rows, task.task, shared);
    if (options.standard_errors) evaluate(team, panels, rows, optimizer.theta, true, shared);
    follow(team, panels, rows, optimizer.theta);
    if (team.team_rank() == 0) finish(rows, shared, result);
  }

  /// Climbs from the optimizer's trial point to a maximum.
  KOKKOS_INLINE_FUNCTION void climb(const Member& team, const Panels<ExecSpace>& panels,
                                    const Rows& rows, Shared& shared) const {
    Optimizer& optimizer = shared.optimizer;
    bool more = true;
    while (more) {
      evaluate(team, panels, rows, optimizer.trial, optimizer.first, shared);
      if (team.team_rank() == 0) {
        shared.flag = optimizer.advance(shared.sums) ? 2 : 1;
        if (shared.flag == 2) fix_memory(optimizer);
      }
      team.team_barrier();
      more = shared.flag == 2 && !stop.raised();
      team.team_barrier();
    }
  }

  /// A series of one scale has its maximum at a = 0, where b means nothing; where b has run to its
  /// end that one may be larger.
  KOKKOS_INLINE_FUNCTION void climb_without_shocks(const Member& team,
                                                   const Panels<ExecSpace>& panels,
                                                   const Rows& rows, const GarchTask& task,
                                                   Shared& shared) const {
    Optimizer& optimizer = shared.optimizer;
    if (team.team_rank() == 0) {
      shared.other = optimizer;
      start(task, shared);
      const int both = 1 << Coordinate::shock | 1 << Coordinate::memory;
      optimizer.fixed |= both;
      optimizer.at_end |= both;
    }
    team.team_barrier();
    climb(team, panels, rows, shared);
    if (team.team_rank() == 0) {
      shared.other.evaluations += optimizer.evaluations;
      optimizer.evaluations = shared.other.evaluations;
      if (!(optimizer.status <= FitStatus::boundary &&
            optimizer.likelihood > shared.other.likelihood))
        optimizer = shared.other;
    }
    team.team_barrier();
  }

  /// Checks and centres the series; flag 0 when there is nothing to fit.
  KOKKOS_INLINE_FUNCTION void prepare(const Member& team, const Panels<ExecSpace>& panels,
                                      const GarchTask& task, Rows& rows, Shared& shared,
                                      DeviceGarch& result) const {
    const int thread = team.team_rank(), threads = team.team_size();
    const double* const x = data.data() + task.begin;
    double largest = 0, bad = 0;
    for (int i = thread; i < rows.size; i += threads) {
      rows.y[i] = x[i];
      largest = ::fabs(x[i]) > largest ? ::fabs(x[i]) : largest;
      if (!(x[i] - x[i] == 0)) bad = 1;
    }
    largest = find_largest(team, &panels.work(0), largest);
    bad = find_largest(team, &panels.work(0), bad);
    if (bad == 0) shared.quantiles.find(team, rows.y, rows.size, largest);
    const FiveQuantiles five = shared.quantiles.found();
    const double range = five.q[3] - five.q[1], median = five.q[2];
    const double centre = task.is_fixed(GarchParameter::c) ? 0 : median;
    if (thread == 0) {
      result = DeviceGarch();
      result.status = rows.size < kFewest ? FitStatus::too_few
                      : bad != 0          ? FitStatus::not_finite
                                          : FitStatus::constant;
      result.iterations = result.evaluations = 0;
      shared.flag = result.status == FitStatus::constant && range > 1e-10 * largest ? 1 : 0;
      if (shared.flag == 1) result.status = FitStatus::not_converged;
      shared.centre = centre;
    }
    rows.before = median - centre;
    rows.scale = 0.5 * range;
    rows.rounding = garch_rounding(rows.scale);
    for (int i = thread; i < rows.size; i += threads) rows.y[i] -= centre;
    team.team_barrier();
  }

  /// The optimizer without shocks: quantiles give the distribution of the series as a whole, and
  /// the tails of the innovations are lighter.
  KOKKOS_INLINE_FUNCTION void start(const GarchTask& task, Shared& shared) const {
    FitTask shape;
    for (int k = 0; k < 2; ++k) {
      shape.fixed |= task.fixed & 1 << k;
      shape.fixed_value[k] = task.fixed_value[k];
    }
    FourParameters from = table.estimate(shared.quantiles.found(), shape);
    from.mu -= shared.centre;
    // c, phi and theta come behind sigma here
    int mask = (task.fixed & 3) | (task.fixed & 28) << 1;
    const double alpha = 0.5 * (from.alpha + 2);
    from.alpha = shape.is_fixed(0) ? task.fixed_value[0] : alpha > 1.95 ? 1.95 : alpha;
    from.beta = shape.is_fixed(1) ? task.fixed_value[1]
                : from.beta > 0.9 ? 0.9
                                  : (from.beta < -0.9 ? -0.9 : from.beta);
    if (shape.is_fixed(0) && from.alpha == 2) {  // beta means nothing there
      mask |= 2;
      if (!shape.is_fixed(1)) from.beta = 0;
    }
    if (task.is_fixed(GarchParameter::c)) from.mu = task.fixed_value[2];
    Optimizer& optimizer = shared.optimizer;
    optimizer.parameters = kMost;
    optimizer.locations = 1;
    optimizer.start(from.alpha, from.beta, from.sigma, from.mu, mask, task.count,
                    options.tolerance);
    if (task.is_fixed(GarchParameter::phi))
      optimizer.theta[Coordinate::phi] = ::atanh(task.fixed_value[3]);
    if (task.is_fixed(GarchParameter::theta))
      optimizer.theta[Coordinate::theta] = ::atanh(task.fixed_value[4]);
    for (int k = 0; k < kMost; ++k) optimizer.trial[k] = optimizer.theta[k];
  }

  /// Starts the optimizer at the largest of some likelihoods.
  KOKKOS_INLINE_FUNCTION void choose_start(const Member& team, const Panels<ExecSpace>& panels,
                                           const Rows& rows, const GarchTask& task,
                                           Shared& shared) const {
    constexpr int kStarts = 5;
    const double persistence[kStarts] = {0.9, 0.6, 0.6, 0.25, 0.9},
                 memory[kStarts] = {0.9, 0.85, 0.5, 0.3, 0.6};
    const int thread = team.team_rank();
    Optimizer& optimizer = shared.optimizer;
    if (thread == 0) {
      start(task, shared);
      for (int k = 0; k < kMost; ++k) shared.start[k] = optimizer.theta[k];
      shared.likelihood = -INFINITY;
    }
    team.team_barrier();
    for (int j = 0; j < kStarts; ++j) {
      if (thread == 0) {
        shared.start[Coordinate::sigma] =
            optimizer.theta[Coordinate::sigma] + ::log(1 - persistence[j]);
        shared.start[Coordinate::shock] = ::sqrt(persistence[j] / 1.25);  // E|z| is about 1.25
        shared.start[Coordinate::memory] = ::atanh(::sqrt(memory[j]));
      }
      team.team_barrier();
      evaluate(team, panels, rows, shared.start, false, shared);
      if (thread == 0 && (j == 0 || shared.sums.value[0] > shared.likelihood)) {
        shared.likelihood = shared.sums.value[0];
        for (int k = 0; k < kMost; ++k) shared.best[k] = shared.start[k];
      }
      team.team_barrier();
    }
    if (thread == 0) {
      for (int k = 0; k < kMost; ++k) optimizer.theta[k] = optimizer.trial[k] = shared.best[k];
      optimizer.evaluations = kStarts;
    }
    team.team_barrier();
  }

  /// Puts b at its end where it runs to 1; the rest is fitted.
  KOKKOS_INLINE_FUNCTION static void fix_memory(Optimizer& optimizer) {
    constexpr int k = Coordinate::memory;
    const double end = ::atanh(::sqrt(kMostMemory)), now = optimizer.theta[k];
    if (!optimizer.free(k) || ::fabs(now) <= end || optimizer.gradient[k] * now < 0) return;
    optimizer.fixed |= 1 << k;
    optimizer.at_end |= 1 << k;
    optimizer.theta[k] = end;
    optimizer.first = true;
    for (int i = 0; i < kMost; ++i) optimizer.trial[i] = optimizer.theta[i];
  }

  KOKKOS_INLINE_FUNCTION static double memory_of(const double* theta) {
    const double t = ::tanh(theta[Coordinate::memory]);
    return t * t;
  }

  /// Computes errors and scales at theta, with their derivatives: those in (c, phi, theta), and in
  /// (ln sigma, p^2, b) as well.
  KOKKOS_INLINE_FUNCTION void follow(const Member& team, const Panels<ExecSpace>& panels,
                                     const Rows& r, const double* theta) const {
    double* const room = &panels.work(0);
    const double c = theta[Coordinate::c], phi = ::tanh(theta[Coordinate::phi]),
                 ma = ::tanh(theta[Coordinate::theta]);
    const double sigma = ::exp(theta[Coordinate::sigma]),
                 shock = theta[Coordinate::shock] * theta[Coordinate::shock];
    const double b = memory_of(theta), rest = 1 - b;
    const Recurrence<3> errors{{-ma, -ma, -ma}, {r.e, r.e_c, r.e_phi}};
    errors(team, r.size, room, [&](int i, double* u) {
      const double previous = i == 0 ? r.before : r.y[i - 1];
      u[0] = r.y[i] - c - phi * previous;
      u[1] = -1;
      u[2] = -previous;
    });
    const Recurrence<6> scales{{-ma, b, b, b, b, b},
                               {r.e_theta, r.s, r.s_sigma, r.s_shock, r.s_c, r.s_phi}};
    scales(team, r.size, room, [&](int i, double* u) {
      for (int k = 0; k < 6; ++k) u[k] = 0;
      if (i == 0) {
        u[1] = r.scale;
        return;
      }
      const double error = r.e[i - 1], size = r.size_of(error), slope = rest * shock * error / size;
      u[0] = -error;
      u[1] = rest * (sigma + shock * size);
      u[2] = rest * sigma;
      u[3] = rest * size;
      u[4] = slope * r.e_c[i - 1];
      u[5] = slope * r.e_phi[i - 1];
    });
    const Recurrence<2> last{{b, b}, {r.s_theta, r.s_memory}};
    last(team, r.size, room, [&](int i, double* u) {
      const double error = i == 0 ? 0 : r.e[i - 1], size = r.size_of(error);
      u[0] = i == 0 ? 0 : rest * shock * error / size * r.e_theta[i - 1];
      u[1] = i == 0 ? 0 : r.s[i - 1] - sigma - shock * size;
    });
  }

  /// Writes the scores of every value in the place of the derivatives of errors and scales.
  KOKKOS_INLINE_FUNCTION void find_scores(const Member& team, const Rows& r, const double* theta,
                                          const Optimizer& optimizer) const {
    const double phi = ::tanh(theta[Coordinate::phi]), ma = ::tanh(theta[Coordinate::theta]),
                 t = ::tanh(theta[Coordinate::memory]);
    const double d_alpha = optimizer.alpha_derivative(theta),
                 d_beta = optimizer.beta_derivative(theta), d_c = ::exp(theta[Coordinate::sigma]);
    const double d_phi = 1 - phi * phi, d_theta = 1 - ma * ma,
                 d_shock = 2 * theta[Coordinate::shock], d_memory = 2 * t * (1 - t * t);
    for (int i = team.team_rank(); i < r.size; i += team.team_size()) {
      const double by_error = r.v[r.size + i] / r.s[i], by_scale = -1 / r.s[i] - by_error * r.z[i];
      r.v[2 * r.size + i] *= d_alpha;
      r.v[3 * r.size + i] *= d_beta;
      r.s_sigma[i] *= by_scale;
      r.e_c[i] = d_c * (by_error * r.e_c[i] + by_scale * r.s_c[i]);
      r.e_phi[i] = d_phi * (by_error * r.e_phi[i] + by_scale * r.s_phi[i]);
      r.e_theta[i] = d_theta * (by_error * r.e_theta[i] + by_scale * r.s_theta[i]);
      r.s_shock[i] *= d_shock * by_scale;
      r.s_memory[i] *= d_memory * by_scale;
    }
    team.team_barrier();
  }

  /// Evaluates the likelihood and its derivatives at theta, into shared.sums.
  KOKKOS_INLINE_FUNCTION void evaluate(const Member& team, const Panels<ExecSpace>& panels,
                                       const Rows& rows, const double* theta, bool outer,
                                       Shared& shared) const {
    const Optimizer& optimizer = shared.optimizer;
    const int thread = team.team_rank(), threads = team.team_size();
    follow(team, panels, rows, theta);
    for (int i = thread; i < rows.size; i += threads) rows.z[i] = rows.e[i] / rows.s[i];
    team.team_barrier();
    const UnsortedSample sample(optimizer.alpha(theta), optimizer.beta(theta), rows.z, rows.size,
                                rows.list);
    const StoreFunctions<ScoreFunctions> store{rows.v, rows.size};
    panels.template visit<ScoreFunctions>(team, sample, store);
    find_scores(team, rows, theta, optimizer);
    // Each thread adds up whole sums, in the order of the values.
    const int terms = 1 + kMost + (outer ? kMost * (kMost + 1) / 2 : 0);
    for (int term = thread; term < terms; term += threads) {
      int k = 0, l = term - 1 - kMost;
      while (l > k) l -= ++k;
      double sum = 0;
      if (term == 0) {
        for (int i = 0; i < rows.size; ++i) sum += rows.v[i] - ::log(rows.s[i]);
      } else if (term <= kMost) {
        const double* const score = rows.score(term - 1);
        for (int i = 0; i < rows.size; ++i) sum += score[i];
      } else {
        const double *const one = rows.score(k), *const other = rows.score(l);
        for (int i = 0; i < rows.size; ++i) sum += one[i] * other[i];
      }
      shared.sums.value[term] = sum;
    }
    team.team_barrier();
  }

  KOKKOS_INLINE_FUNCTION void finish(const Rows& rows, Shared& shared, DeviceGarch& result) const {
    Optimizer& optimizer = shared.optimizer;
    const double* const theta = optimizer.theta;
    result.status = optimizer.status;
    if (result.status <= FitStatus::boundary &&
        theta[Coordinate::shock] * theta[Coordinate::shock] < kLeastShock) {
      // without shocks the memory means nothing
      const int both = 1 << Coordinate::shock | 1 << Coordinate::memory;
      optimizer.fixed |= both;
      optimizer.at_end |= both;
      result.status = FitStatus::boundary;
    }
    for (int k = 0; k < kMost; ++k) result.theta[k] = theta[k];
    result.alpha = optimizer.alpha(theta);
    result.beta = optimizer.beta(theta);
    result.alpha_derivative = optimizer.alpha_derivative(theta);
    result.beta_derivative = optimizer.beta_derivative(theta);
    result.log_likelihood = optimizer.likelihood;
    result.gradient_norm = optimizer.norm;
    result.iterations = optimizer.iterations;
    result.evaluations = optimizer.evaluations;
    result.at_end = optimizer.at_end;
    result.fixed = optimizer.fixed;
    result.centre = shared.centre;
    result.first = {rows.before + shared.centre, 0, rows.scale};
    const int last = rows.size - 1;
    result.last = {rows.y[last] + shared.centre, rows.e[last], rows.s[last]};
    result.has_covariance = false;
    if (!options.standard_errors || result.status > FitStatus::boundary) return;
    double outer[kMost * kMost];
    for (int i = 0, e = 1 + kMost; i < kMost; ++i) {
      for (int j = 0; j <= i; ++j, ++e)
        outer[kMost * i + j] = outer[kMost * j + i] = shared.sums.value[e];
    }
    result.has_covariance = invert_information<kMost>(outer, optimizer.fixed, result.covariance);
  }
};

}  // namespace tessera::stable::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/stable/fit/fit_types.hpp"
#include "tessera/stable/fit/likelihood.hpp"
#include "tessera/stable/fit/multi_start.hpp"
#include "tessera/stable/fit/observed_information.hpp"

namespace tessera::stable::detail {

/// One fit by a team. Threads share an optimizer in scratch memory that one of them drives. On a
/// GPU teams of 128 make the most fits a second; a few fits are sooner done by teams of 256, which
/// take the nodes of a likelihood in one pass.
template <class ExecSpace, int kTeam>
struct FitKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<kTeam, kTeam == 256 ? 1 : 3>>;
  using Member = typename Policy::member_type;
  using Scratch = typename ExecSpace::scratch_memory_space;
  /// The purpose of an evaluation of the likelihood.
  enum class Stage { search, differences, outer_product };
  struct Shared {
    MultiStart search;
    LikelihoodSums sums;
    Stage stage;
    ObservedInformation<4> information;
    Anchor anchor;
    double anchor_values[AnchorPoints::kCount];
    int flag;
  };
  using SharedView = Kokkos::View<Shared*, Scratch, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Kokkos::View<const double*, ExecSpace> sorted, weights;
  Kokkos::View<const FitTask*, ExecSpace> tasks;
  /// The begin of the sorted copy of each task's values
  Kokkos::View<const std::int64_t*, ExecSpace> offsets;
  StartTable<ExecSpace> table;
  FitOptions options;
  /// Room for the nodes of cells, from kCellRoom times the offset of a task on
  Kokkos::View<double*, ExecSpace> cells;
  Kokkos::View<FitResult*, ExecSpace> results;  ///< of no use after a signal
  StopFlag<ExecSpace> stop;

  /// The doubles for each value of a task with cells
  static constexpr int kCellRoom = CellRule::kNodes * ScoreFunctions::kCount;

  static int scratch_size() {
    return static_cast<int>(SharedView::shmem_size(1)) + Likelihood<ExecSpace>::scratch_size(kTeam);
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const SharedView view(team.team_scratch(0), 1);
    Shared& shared = view(0);
    const FitTask& task = tasks(team.league_rank());
    double* room =
        task.half_width > 0 ? cells.data() + kCellRoom * offsets(team.league_rank()) : nullptr;
    const Likelihood<ExecSpace> likelihood(team, stop, task.half_width, room);
    const double* x = sorted.data() + offsets(team.league_rank());
    const double* w =
        weights.extent(0) == 0 ? nullptr : weights.data() + offsets(team.league_rank());
    const int thread = team.team_rank();
    FitResult& result = results(team.league_rank());
    if (thread == 0) prepare(task, x, w, shared, result);
    team.team_barrier();
    if (shared.flag == 0) return;
    bool more = true;
    // This is the one place that evaluates likelihoods: every other one would be minutes of work
    // for a compiler.
    while (more) {
      evaluate(team, likelihood, task, x, w, shared);
      if (thread == 0) shared.flag = advance(task, shared, result) ? 2 : 1;
      team.team_barrier();
      more = shared.flag == 2 && !stop.raised();
      team.team_barrier();
    }
    const Optimizer& optimizer = shared.search.optimizer;
    if (options.goodness && !(task.half_width > 0)) {
      set_anchor(team, task, optimizer.theta, shared);
      const Distances distances =
          likelihood.find_distances(team, optimizer, optimizer.theta, shared.anchor, x, task.count);
      if (thread == 0) {
        result.kolmogorov_smirnov = distances.kolmogorov_smirnov;
        result.anderson_darling = distances.anderson_darling;
        result.cramer_von_mises = distances.cramer_von_mises;
      }
    }
    set_anchor(team, task, optimizer.theta, shared);
    if (thread == 0) finish(optimizer, shared.anchor, result);
  }

  /// Evaluates the likelihood where the stage wants it, into shared.sums.
  KOKKOS_INLINE_FUNCTION void evaluate(const Member& team, const Likelihood<ExecSpace>& likelihood,
                                       const FitTask& task, const double* x, const double* w,
                                       Shared& shared) const {
    const Optimizer& optimizer = shared.search.optimizer;
    const double* theta = shared.stage == Stage::search        ? optimizer.trial
                          : shared.stage == Stage::differences ? shared.information.theta
                                                               : optimizer.theta;
    const bool outer =
        shared.stage == Stage::outer_product || (shared.stage == Stage::search && optimizer.first);
    set_anchor(team, task, theta, shared);
    likelihood(team, optimizer, theta, shared.anchor, x, w, task.count, outer, shared.sums);
  }

  /// Takes the sums, and says where the likelihood is wanted next; false when the fit and its
  /// standard errors are complete.
  KOKKOS_INLINE_FUNCTION bool advance(const FitTask& task, Shared& shared,
                                      FitResult& result) const {
    Optimizer& optimizer = shared.search.optimizer;
    if (shared.stage == Stage::outer_product) {
      combine_information(optimizer, shared, result);
      return false;
    }
    if (shared.stage == Stage::search) {
      if (options.method != FitMethod::maximum_likelihood) {
        optimizer.advance(shared.sums);
      } else if (shared.search.advance(shared.sums, task, table)) {
        return true;
      }
      if (!options.standard_errors) return false;
      shared.information.begin();
      shared.stage = Stage::differences;
    } else {
      shared.information.take(optimizer, shared.sums);
    }
    if (!shared.information.next(optimizer)) shared.stage = Stage::outer_product;
    return true;
  }

  /// Finds the quantity that the location of the task stands for at theta, for tasks whose location
  /// is not mu.
  KOKKOS_INLINE_FUNCTION static void set_anchor(const Member& team, const FitTask& task,
                                                const double* theta, Shared& shared) {
    if (task.location == Location::mu) return;
    const Optimizer& optimizer = shared.search.optimizer;
    const AnchorPoints points{optimizer.alpha(theta), optimizer.beta(theta)};
    for (int k = team.team_rank(); k < AnchorPoints::kCount; k += team.team_size()) {
      shared.anchor_values[k] =
          anchor_value(task.location, task.probability, points.alpha_at(k), points.beta_at(k));
    }
    team.team_barrier();
    if (team.team_rank() == 0) shared.anchor = points.combine(shared.anchor_values);
    team.team_barrier();
  }

  /// Checks the values and starts the optimizer; flag 0 when there is nothing to fit.
  KOKKOS_INLINE_FUNCTION void prepare(const FitTask& task, const double* x, const double* w,
                                      Shared& shared, FitResult& result) const {
    result = FitResult();
    shared.flag = 0;
    double sum = task.count;
    int counted = task.count;
    if (w != nullptr) {
      sum = counted = 0;
      for (int i = 0; i < task.count; ++i) {
        sum += w[i];
        counted += w[i] > 0 ? 1 : 0;
      }
    }
    if (counted < 5 || !(sum > 0)) {
      result.status = FitStatus::too_few;
      return;
    }
    // sorting puts NaN last
    if (!(x[0] - x[0] == 0) || !(x[task.count - 1] - x[task.count - 1] == 0)) {
      result.status = FitStatus::not_finite;
      return;
    }
    const double p[5] = {0.05, 0.25, 0.5, 0.75, 0.95};
    for (int k = 0; k < 5; ++k)
      shared.search.five.q[k] = sample_quantile(x, w, task.count, sum, p[k]);
    if (!(shared.search.five.q[3] > shared.search.five.q[1])) {
      result.status = FitStatus::constant;
      return;
    }
    if (task.count <= MultiStart::kFewValues) find_moments(x, w, task.count, sum, shared.search);
    const double* fixed = task.fixed_value;
    FourParameters start = task.has_start() ? task.start : table.estimate(shared.search.five, task);
    // The likelihood is to be maximised from within the ranges.
    if (options.method == FitMethod::maximum_likelihood) {
      if (!task.is_fixed(0))
        start.alpha = start.alpha > 1.97 ? 1.97 : (start.alpha < 0.12 ? 0.12 : start.alpha);
      if (!task.is_fixed(1))
        start.beta = start.beta > 0.9 ? 0.9 : (start.beta < -0.9 ? -0.9 : start.beta);
    }
    if (task.is_fixed(0)) start.alpha = fixed[0];
    if (task.is_fixed(1)) start.beta = fixed[1];
    if (task.is_fixed(2)) start.sigma = fixed[2];
    shared.anchor = Anchor();
    if (task.location != Location::mu)
      start.mu +=
          start.sigma * anchor_value(task.location, task.probability, start.alpha, start.beta);
    if (task.is_fixed(3)) start.mu = fixed[3];
    int mask = task.fixed;
    if (options.method == FitMethod::maximum_likelihood) {
      if (task.is_fixed(0) && fixed[0] == 2 && !task.is_fixed(1)) {  // beta means nothing there
        mask |= 2;
        start.beta = 0;
      }
    } else {
      mask |= 3;  // as they are, also at the ends
    }
    shared.search.start(start, mask, sum, options.tolerance,
                        task.count <= MultiStart::kFewValues && task.location == Location::mu);
    result.start_alpha = start.alpha;
    result.start_beta = start.beta;
    shared.stage = Stage::search;
    shared.flag = 1;
  }

  KOKKOS_INLINE_FUNCTION static void find_moments(const double* x, const double* w, int size,
                                                  double sum, MultiStart& search) {
    double first = 0, second = 0;
    for (int i = 0; i < size; ++i) first += (w == nullptr ? 1 : w[i]) * (x[i] - x[0]);
    first /= sum;
    for (int i = 0; i < size; ++i)
      second += (w == nullptr ? 1 : w[i]) * (x[i] - x[0] - first) * (x[i] - x[0] - first);
    search.mean = x[0] + first;
    search.deviation = ::sqrt(second / sum);
  }

  /// The value below which a share p of the weight lies, interpolated between the middles of the
  /// values' weights.
  KOKKOS_INLINE_FUNCTION static double sample_quantile(const double* x, const double* w, int size,
                                                       double sum, double p) {
    if (w == nullptr) {
      const double index = p * size - 0.5;
      const int i = index < 0 ? 0 : (index > size - 2 ? size - 2 : static_cast<int>(index));
      const double share = index - i < 0 ? 0 : (index - i > 1 ? 1 : index - i);
      return x[i] + share * (x[i + 1] - x[i]);
    }
    double before = 0;
    for (int i = 0; i < size; ++i) {
      before += w[i];
      if (before >= p * sum) return x[i];
    }
    return x[size - 1];
  }

  /// Computes H^-1 and H^-1 G H^-1 of the parameters from the information H and the outer product G
  /// of the scores, which are in theta.
  KOKKOS_INLINE_FUNCTION static void combine_information(const Optimizer& optimizer, Shared& shared,
                                                         FitResult& result) {
    double inverse[16];
    if (!invert_information<4>(shared.information.matrix, optimizer.fixed, inverse)) return;
    const double sigma = ::exp(optimizer.theta[2]);
    const double unit[4] = {optimizer.alpha_derivative(optimizer.theta),
                            optimizer.beta_derivative(optimizer.theta), sigma, sigma};
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j <= i; ++j) {
        double middle = 0;
        for (int k = 0; k < 4; ++k) {
          for (int l = 0; l < 4; ++l) {
            if (optimizer.free(k) && optimizer.free(l)) {
              middle += inverse[4 * i + k] * shared.sums.value[5 + FitResult::index(k, l)] *
                        inverse[4 * l + j];
            }
          }
        }
        const bool free = optimizer.free(i) && optimizer.free(j),
                   at_end = ((optimizer.at_end >> i | optimizer.at_end >> j) & 1) != 0;
        const double none = at_end ? NAN : 0;
        result.covariance[FitResult::index(i, j)] =
            free ? product_or_none(unit[i], unit[j], inverse[4 * i + j]) : none;
        result.sandwich[FitResult::index(i, j)] =
            free ? product_or_none(unit[i], unit[j], middle) : none;
      }
      // The error is finite also where its square is not.
      result.standard_error[i] = optimizer.free(i) ? unit[i] * ::sqrt(inverse[5 * i])
                                                   : result.covariance[FitResult::index(i, i)];
    }
  }

  KOKKOS_INLINE_FUNCTION void finish(const Optimizer& optimizer, const Anchor& anchor,
                                     FitResult& result) const {
    result.alpha = optimizer.alpha(optimizer.theta);
    result.beta = optimizer.beta(optimizer.theta);
    result.sigma = ::exp(optimizer.theta[2]);
    result.mu = optimizer.theta[3] - result.sigma * anchor.value;
    result.log_likelihood = optimizer.likelihood;
    result.gradient_norm = optimizer.norm;
    result.boundary_gradient = optimizer.boundary_gradient;
    result.iterations = optimizer.iterations;
    result.evaluations = optimizer.evaluations;
    result.status = optimizer.status;
    if (options.method != FitMethod::maximum_likelihood) result.status = FitStatus::converged;
  }
};

}  // namespace tessera::stable::detail

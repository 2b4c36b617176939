// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/app/stop_flag.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/math/elementary.hpp"
#include "tessera/stable/fit/fit_types.hpp"

namespace tessera::stable {

/// What Koutrouvelis' method finds. Where it has not converged the parameters are those of its last
/// iteration, which may be NaN.
struct KoutrouvelisEstimate {
  FourParameters parameters;
  int iterations;
  bool converged;
};

namespace detail {

/// The two regressions of Koutrouvelis' method, on the empirical characteristic function phi of
/// standardised values.
struct CharacteristicRegression {
  static constexpr int kMostModuli = 30, kArguments = 15, kMost = kMostModuli + kArguments;

  double frequency[kMost];  ///< of the moduli, then of the arguments
  double ordinate[kMost];   ///< ln(-ln |phi|^2), NaN where it has none; then arg phi
  int moduli;

  /// Takes fewer frequencies for large alpha, where |phi| falls sooner.
  KOKKOS_INLINE_FUNCTION static int count_moduli(double alpha) {
    return alpha > 1.5 ? 10 : alpha > 1.1 ? 15 : alpha > 0.8 ? 20 : kMostModuli;
  }

  /// NaN stays NaN.
  KOKKOS_INLINE_FUNCTION static double within(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
  }

  KOKKOS_INLINE_FUNCTION int count() const { return moduli + kArguments; }

  KOKKOS_INLINE_FUNCTION double frequency_of(int k) const {
    return k < moduli ? kPi * (k + 1) / 25 : kPi * (k - moduli + 1) / 50;
  }

  /// Takes phi at frequency k.
  KOKKOS_INLINE_FUNCTION void take(int k, double real, double imaginary) {
    frequency[k] = frequency_of(k);
    if (k >= moduli) {
      ordinate[k] = ::atan2(imaginary, real);
      return;
    }
    const double modulus = real * real + imaginary * imaginary;
    ordinate[k] = modulus > 0 && modulus < 1 ? ::log(-::log(modulus)) : NAN;
  }

  /// Finds alpha, and the scale that is left, from ln(-ln |phi(t)|^2) = ln(2 s^alpha) + alpha ln t.
  KOKKOS_INLINE_FUNCTION void regress_modulus(double& alpha, double& scale) const {
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < moduli; ++k) {
      if (!compat::is_finite(ordinate[k])) continue;
      const double x = ::log(frequency[k]), y = ordinate[k];
      n += 1;
      sx += x;
      sy += y;
      sxx += x * x;
      sxy += x * y;
    }
    alpha = within((n * sxy - sx * sy) / (n * sxx - sx * sx), kMinAlpha, kMaxAlpha);
    scale = ::exp((sy / n - alpha * sx / n - ::log(2.0)) / alpha);
  }

  /// Finds beta, and the shift that is left, from arg phi(t) = mu t + beta tan(pi alpha/2)
  /// ((s t)^alpha - s t).
  KOKKOS_INLINE_FUNCTION void regress_argument(double alpha, double scale, double& beta,
                                               double& shift) const {
    const StableDistribution distribution(alpha, 0);
    double a11 = 0, a12 = 0, a22 = 0, b1 = 0, b2 = 0, before = 0;
    for (int k = moduli; k < count(); ++k) {
      const double t = frequency[k], s = scale * t;
      const double turns = ::round((before - ordinate[k]) / (2 * kPi));
      const double argument = ordinate[k] + 2 * kPi * turns;
      before = argument;
      const double w = -distribution.cosine * s *
                       (::expm1(distribution.excess * ::log(s)) * distribution.inverse_sine +
                        distribution.log_factor * ::log(s));
      a11 += t * t;
      a12 += t * w;
      a22 += w * w;
      b1 += t * argument;
      b2 += w * argument;
    }
    const double determinant = a11 * a22 - a12 * a12;
    beta = determinant > 1e-12 * a11 * a22 ? (a11 * b2 - a12 * b1) / determinant : 0;
    beta = within(beta, -1, 1);
    shift = (b1 - a12 * beta) / a11;
  }
};

/// A weighted sum of e^(i angle).
struct CharacteristicSum {
  double real = 0, imaginary = 0, weight = 0;

  KOKKOS_INLINE_FUNCTION void add(double angle, double w) {
    double sine, cosine;
    if (::fabs(angle) <= 1e5) {
      math::sine_cosine(angle, sine, cosine);
    } else {
      sine = ::sin(angle);
      cosine = ::cos(angle);
    }
    real += w * cosine;
    imaginary += w * sine;
    weight += w;
  }

  KOKKOS_INLINE_FUNCTION CharacteristicSum& operator+=(const CharacteristicSum& other) {
    real += other.real;
    imaginary += other.imaginary;
    weight += other.weight;
    return *this;
  }
};

/// An estimate by a team: its threads share the frequencies, the lanes of a thread the values.
template <class ExecSpace>
struct KoutrouvelisKernel {
  static constexpr int kThreads = compat::is_gpu_v<ExecSpace> ? 16 : 1;
  static constexpr int kLanes = compat::is_gpu_v<ExecSpace> ? 32 : 1;
  static constexpr int kMostIterations = 40;
  /// Later iterations keep their frequencies and go half the way: whole steps may go round in a
  /// circle for ever.
  static constexpr int kWholeSteps = 4;
  static constexpr double kTolerance = 1e-6;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<kThreads * kLanes, 1>>;
  using Member = typename Policy::member_type;
  using Scratch = Kokkos::View<CharacteristicRegression*, typename ExecSpace::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Kokkos::View<const double*, ExecSpace> data, weights;
  Kokkos::View<const FitTask*, ExecSpace> tasks;
  Kokkos::View<KoutrouvelisEstimate*, ExecSpace> estimates;  ///< of no use after a signal
  StopFlag<ExecSpace> stop;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const Scratch scratch(team.team_scratch(0), 1);
    CharacteristicRegression& regression = scratch(0);
    const FitTask& task = tasks(team.league_rank());
    FourParameters p = task.start;
    double change = HUGE_VAL;
    int iterations = 0;
    while (iterations < kMostIterations && change >= kTolerance && !stop.raised()) {
      const bool whole = iterations < kWholeSteps;
      evaluate(team, task, p, whole, regression);
      double alpha, scale, beta, shift;
      regression.regress_modulus(alpha, scale);
      regression.regress_argument(alpha, scale, beta, shift);
      change = compat::max(compat::max(::fabs(alpha - p.alpha), ::fabs(beta - p.beta)),
                           compat::max(::fabs(scale - 1), ::fabs(shift)));
      p = {alpha, beta, p.sigma * (whole ? scale : ::sqrt(scale)),
           p.mu + p.sigma * (whole ? shift : 0.5 * shift)};
      ++iterations;
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      estimates(team.league_rank()) = {p, iterations, change < kTolerance};
    });
  }

  /// Finds phi of the standardised values at the frequencies of both regressions.
  KOKKOS_INLINE_FUNCTION void evaluate(const Member& team, const FitTask& task,
                                       const FourParameters& p, bool choose_frequencies,
                                       CharacteristicRegression& regression) const {
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      if (choose_frequencies) regression.moduli = CharacteristicRegression::count_moduli(p.alpha);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, regression.count()), [&](int k) {
      const double t = regression.frequency_of(k);
      CharacteristicSum sum;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, task.count),
          [&](int i, CharacteristicSum& partial) {
            const std::int64_t at = task.begin + i;
            partial.add(t * (data(at) - p.mu) / p.sigma, weights.extent(0) > 0 ? weights(at) : 1);
          },
          sum);
      Kokkos::single(Kokkos::PerThread(team), [&]() {
        regression.take(k, sum.real / sum.weight, sum.imaginary / sum.weight);
      });
    });
    team.team_barrier();
  }
};

}  // namespace detail

/// Koutrouvelis' estimates from the empirical characteristic functions phi of samples, one team of
/// threads each: ln(-ln |phi(t)|^2) is linear in ln t with the slope alpha, and the argument of phi
/// is linear in beta and mu. Values are standardised again until no parameter changes by more than
/// 1e-6, 40 times at most. For alpha below 1 that is often not reached: iterations go on changing
/// the estimate by some part of its standard error, as phi at the frequencies of the regression is
/// then mostly noise.
///
/// `tasks`: the values of each sample in `data`, which must be finite, and the parameters in S0
/// from which it starts, for example McCulloch's estimates; nothing else of a task counts.
/// `weights` are as many as data, or none. Good for alpha above 0.6. Waits for the estimates. On a
/// CPU they are given up when a SignalWatch receives a signal: see stop_at_signal.
///
/// Errors: Error (input) for a task without values or without start.
///
/// Source: I. A. Koutrouvelis, "Regression-type estimation of the parameters of stable laws",
/// Journal of the American Statistical Association 75 (1980) 918-928.
template <class ExecSpace>
std::vector<KoutrouvelisEstimate> koutrouvelis(
    const ExecSpace& exec, const Kokkos::View<const double*, ExecSpace>& data,
    const Kokkos::View<const double*, ExecSpace>& weights, const std::vector<FitTask>& tasks) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].count <= 0 || !tasks[i].has_start())
      throw Error(ErrorKind::input,
                  "stable: sample " + std::to_string(i) + " has no values or no start");
  }
  if (tasks.empty()) return {};
  using Kernel = detail::KoutrouvelisKernel<ExecSpace>;
  const auto estimates = allocate<Kokkos::View<KoutrouvelisEstimate*, ExecSpace>>(
      exec, "tessera::stable::estimates", tasks.size());
  typename Kernel::Policy policy(exec, static_cast<int>(tasks.size()), Kernel::kThreads,
                                 Kernel::kLanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::Scratch::shmem_size(1)));
  Kokkos::parallel_for(
      "tessera::stable::koutrouvelis", policy,
      Kernel{data, weights, upload(exec, "tessera::stable::samples", tasks), estimates, {}});
  std::vector<KoutrouvelisEstimate> found = download(exec, estimates);
  stop_at_signal();
  return found;
}

}  // namespace tessera::stable

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/app/stop_flag.hpp"
#include "tessera/stable/detail/optimizer.hpp"
#include "tessera/stable/detail/solve_quantile.hpp"
#include "tessera/stable/evaluate.hpp"

/// The log-likelihood of a sorted sample and its derivatives, by a team.
///
/// In y = asinh((z - c)/w) log pdf and scores are smooth, so where many values lie close together they are interpolated: panels of width
/// 1/2 in y that hold more values than nodes get a Chebyshev interpolation of degree 15 from direct evaluations; the other values are
/// evaluated themselves. The last coefficients of a panel tell its error, and where they exceed 3e-10 its values are evaluated too. A
/// thousand values take some 200 evaluations.

namespace tessera::stable::detail {

template <class ExecSpace>
struct Likelihood {
  static constexpr int kNodes = 16, kPanels = 64, kMostBuilt = 20, kFunctions = 4;
  static constexpr double kPanelWidth = 0.5, kFirst = -0.5 * kPanels * kPanelWidth, kAccuracy = 3e-10;
  using ScratchSpace = typename ExecSpace::scratch_memory_space;
  using Doubles = Kokkos::View<double*, ScratchSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Integers = Kokkos::View<int*, ScratchSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Doubles node_values;   ///< [built][function][node]: log pdf, scores in x, alpha, beta; then Chebyshev coefficients
  Doubles coefficients;  ///< [built][function][k]
  Doubles partial;       ///< [thread][sum]; where the node values were, which nobody needs any more by then
  Integers first;        ///< first value of each panel; kPanels + 1
  Integers built;        ///< panel of each interpolation; its usability after it
  Integers counts;       ///< number built, number of direct values
  StopFlag<ExecSpace> stop;

  template <class Member>
  KOKKOS_INLINE_FUNCTION Likelihood(const Member& team, const StopFlag<ExecSpace>& stop_flag)
      : node_values(team.team_scratch(0), work_size(team.team_size())),
        coefficients(team.team_scratch(0), kMostBuilt * kFunctions * kNodes),
        partial(node_values.data(), LikelihoodSums::kSize * team.team_size()),
        first(team.team_scratch(0), kPanels + 1),
        built(team.team_scratch(0), 2 * kMostBuilt),
        counts(team.team_scratch(0), 2),
        stop(stop_flag) {}

  KOKKOS_INLINE_FUNCTION static int work_size(int team_size) {
    const int nodes = kMostBuilt * kFunctions * kNodes, sums = LikelihoodSums::kSize * team_size;
    return nodes > sums ? nodes : sums;
  }

  static int scratch_size(int team_size) {
    return static_cast<int>(Doubles::shmem_size(work_size(team_size)) + Doubles::shmem_size(kMostBuilt * kFunctions * kNodes) +
                            Integers::shmem_size(kPanels + 1) + Integers::shmem_size(2 * kMostBuilt) + Integers::shmem_size(2));
  }

  /// Log pdf and scores of the standard distribution; what a value contributes.
  struct Terms {
    double v[kFunctions];
  };

  KOKKOS_INLINE_FUNCTION static Terms direct(const StableDistribution& distribution, double z, double distance) {
    const Evaluation v = evaluate_at<Quantities::scores>(distribution, z, distance);
    return {{v.log_pdf, v.d_x, v.d_alpha, v.d_beta}};
  }

  struct Sample {
    StableDistribution distribution;
    double mu, sigma, centre, width;
    bool at_zeta;
    double alpha_derivative, beta_derivative;
    int size;
    const double *x, *weight;  ///< sorted values; weights or null

    KOKKOS_INLINE_FUNCTION double standard(int i) const { return (x[i] - mu) / sigma; }
    KOKKOS_INLINE_FUNCTION Terms evaluate_value(int i) const {
      const double z = standard(i);
      return direct(distribution, z, distance_from_zeta(distribution, z));
    }
    KOKKOS_INLINE_FUNCTION Terms evaluate_node(double y) const {
      const double offset = width * ::sinh(y);
      return at_zeta ? direct(distribution, centre + offset, offset)
                     : direct(distribution, centre + offset, distance_from_zeta(distribution, centre + offset));
    }
    KOKKOS_INLINE_FUNCTION double coordinate(int i) const {
      const double s = (standard(i) - centre) / width, a = ::fabs(s), y = math::logarithm(a + ::sqrt(a * a + 1));
      return s < 0 ? -y : y;
    }
    /// The first value at or right of y.
    KOKKOS_INLINE_FUNCTION int lower_bound(double y) const {
      const double bound = mu + sigma * (centre + width * ::sinh(y));
      int low = 0, high = size;
      while (low < high) {
        const int middle = (low + high) / 2;
        if (x[middle] < bound) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
    KOKKOS_INLINE_FUNCTION void add(int i, const Terms& t, double* sums, bool outer) const {
      const double w = weight == nullptr ? 1.0 : weight[i];
      if (w == 0) return;
      const double s[4] = {t.v[2] * alpha_derivative, t.v[3] * beta_derivative, -1 - standard(i) * t.v[1], -t.v[1]};
      sums[0] += w * t.v[0];
      for (int k = 0; k < 4; ++k) sums[1 + k] += w * s[k];
      if (!outer) return;
      int m = 5;
      for (int k = 0; k < 4; ++k) {
        for (int j = 0; j <= k; ++j) sums[m++] += w * s[k] * s[j];
      }
    }
  };

  /// Sums over the sample at the optimizer's trial point, into `result` (in scratch memory). Every thread of the team takes part. After a
  /// signal the sums are those of some of the values.
  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team, const Optimizer& optimizer, const double* theta, const double* x,
                                         const double* weight, int size, bool outer, LikelihoodSums& result) const {
    Sample sample;
    sample.distribution = StableDistribution(optimizer.alpha(theta), optimizer.beta(theta));
    sample.mu = theta[3];
    sample.sigma = ::exp(theta[2]);
    sample.at_zeta = sample.distribution.alpha < 1 && ::fabs(sample.distribution.zeta) < 3;
    sample.centre = sample.at_zeta ? sample.distribution.zeta : 0;
    sample.width = sample.at_zeta ? width_at_zeta(sample.distribution.alpha, 0.5) : 1;
    sample.alpha_derivative = optimizer.alpha_derivative(theta);
    sample.beta_derivative = optimizer.beta_derivative(theta);
    sample.size = size;
    sample.x = x;
    sample.weight = weight;
    const int thread = team.team_rank(), threads = team.team_size();
    double sums[LikelihoodSums::kSize] = {};

    for (int p = thread; p <= kPanels; p += threads) first(p) = sample.lower_bound(kFirst + kPanelWidth * p);
    team.team_barrier();
    if (thread == 0) {
      int number = 0;
      for (int p = 0; p < kPanels; ++p) {
        if (first(p + 1) - first(p) > kNodes + 3 && number < kMostBuilt) built(number++) = p;
      }
      counts(0) = number;
    }
    team.team_barrier();
    const int number = counts(0), nodes = number * kNodes;

    // Nodes of the panels, and the values outside them: what is evaluated directly, in the order of x.
    int direct_values = size;
    for (int b = 0; b < number; ++b) direct_values -= first(built(b) + 1) - first(built(b));
    for (int r = thread; r < nodes + direct_values && !stop.raised(); r += threads) {
      if (r < nodes) {
        const int b = r / kNodes, j = r % kNodes;
        double s, c;
        math::sine_cosine(kPi * (j + 0.5) / kNodes, s, c);
        const Terms t = sample.evaluate_node(kFirst + kPanelWidth * (built(b) + 0.5 + 0.5 * c));
        for (int f = 0; f < kFunctions; ++f) node_values((b * kFunctions + f) * kNodes + j) = t.v[f];
      } else {
        int i = r - nodes;
        for (int b = 0; b < number; ++b) {
          if (i >= first(built(b))) i += first(built(b) + 1) - first(built(b));
        }
        sample.add(i, sample.evaluate_value(i), sums, outer);
      }
    }
    team.team_barrier();
    for (int r = thread; r < number * kFunctions * kNodes; r += threads) {
      const int row = r / kNodes, k = r % kNodes;
      double sum = 0, s, c, s1, c1;  // sum over nodes of value cos(k (j + 1/2) pi/n), the cosines by rotation
      math::sine_cosine(kPi * k * 0.5 / kNodes, s, c);
      math::sine_cosine(kPi * k / kNodes, s1, c1);
      for (int j = 0; j < kNodes; ++j) {
        sum += node_values(row * kNodes + j) * c;
        const double next = c * c1 - s * s1;
        s = s * c1 + c * s1;
        c = next;
      }
      coefficients(r) = sum * (k == 0 ? 1.0 : 2.0) / kNodes;
    }
    team.team_barrier();
    for (int b = thread; b < number; b += threads) {
      bool good = true;
      for (int f = 0; f < kFunctions; ++f) {
        const double* c = &coefficients((b * kFunctions + f) * kNodes);
        good = good && ::fabs(c[kNodes - 1]) + ::fabs(c[kNodes - 2]) <= kAccuracy * (1 + ::fabs(c[0]));
      }
      built(kMostBuilt + b) = good ? 1 : 0;
    }
    team.team_barrier();

    // The values in the panels.
    for (int b = 0; b < number; ++b) {
      const int begin = first(built(b)), end = first(built(b) + 1);
      const bool good = built(kMostBuilt + b) == 1;
      const double middle = kFirst + kPanelWidth * (built(b) + 0.5);
      for (int i = begin + thread; i < end; i += threads) {
        if ((!good || i % 4096 == 0) && stop.raised()) break;
        Terms t;
        if (good) {
          const double u = (sample.coordinate(i) - middle) * (2 / kPanelWidth);
          for (int f = 0; f < kFunctions; ++f) {  // Clenshaw
            const double* c = &coefficients((b * kFunctions + f) * kNodes);
            double b1 = 0, b2 = 0;
            for (int k = kNodes - 1; k >= 1; --k) {
              const double next = 2 * u * b1 - b2 + c[k];
              b2 = b1;
              b1 = next;
            }
            t.v[f] = u * b1 - b2 + c[0];
          }
        } else {
          t = sample.evaluate_value(i);
        }
        sample.add(i, t, sums, outer);
      }
    }
    const int terms = outer ? LikelihoodSums::kSize : 5;
    for (int k = 0; k < terms; ++k) partial(thread * LikelihoodSums::kSize + k) = sums[k];
    team.team_barrier();
    for (int k = thread; k < terms; k += threads) {
      double sum = 0;
      for (int q = 0; q < threads; ++q) sum += partial(q * LikelihoodSums::kSize + k);
      result.value[k] = k == 0 ? sum - optimizer.sum_of_weights * theta[2] : sum;
    }
    team.team_barrier();
  }
};

}  // namespace tessera::stable::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/app/stop_flag.hpp"
#include "tessera/stable/law/evaluate.hpp"
#include "tessera/stable/law/solve_quantile.hpp"

/// Functions of a stable distribution at all values of a sample, by a team.
///
/// In y = asinh((z - c)/w) log pdf, scores and the logarithms of the tail probabilities are smooth,
/// so where many values lie close together they are interpolated: panels of width 1/2 in y that
/// hold more values than nodes get a Chebyshev interpolation of degree 15 from direct evaluations;
/// the other values are evaluated themselves. The last coefficients of a panel tell its error, and
/// where they exceed 3e-10 its values are evaluated too. A thousand values take some 200
/// evaluations.

namespace tessera::stable::detail {

/// Log pdf and its derivatives in x, alpha and beta.
struct ScoreFunctions {
  static constexpr int kCount = 4;
  KOKKOS_INLINE_FUNCTION static void evaluate(const StableDistribution& distribution, double z,
                                              double distance, double* v) {
    const Evaluation e = evaluate_at<Quantities::scores>(distribution, z, distance);
    v[0] = e.log_pdf;
    v[1] = e.d_x;
    v[2] = e.d_alpha;
    v[3] = e.d_beta;
  }
};

/// ln P(X > x), or with `lower` ln P(X <= x), and its derivatives in x, alpha and beta.
template <bool lower>
struct CensoredFunctions {
  static constexpr int kCount = 4;
  KOKKOS_INLINE_FUNCTION static void evaluate(const StableDistribution& distribution, double z,
                                              double distance, double* v) {
    const Evaluation e = evaluate_at<Quantities::tail_scores>(distribution, z, distance);
    const double tail = lower ? e.cdf : e.sf, sign = lower ? -1 : 1;
    if (tail > 1e-290) {
      v[0] = ::log(tail);
      v[1] = -sign * e.pdf / tail;
      v[2] = sign * e.sf_alpha / tail;
      v[3] = sign * e.sf_beta / tail;
    } else {  // a light tail far out is pdf/|d log pdf/dx|
      v[0] = e.log_pdf - ::log(::fabs(e.d_x));
      v[1] = e.d_x;
      v[2] = e.d_alpha;
      v[3] = e.d_beta;
    }
  }
};

/// The logarithms of both tail probabilities.
struct TailFunctions {
  static constexpr int kCount = 2;
  KOKKOS_INLINE_FUNCTION static void evaluate(const StableDistribution& distribution, double z,
                                              double distance, double* v) {
    const Evaluation e = evaluate_at<Quantities::sf>(distribution, z, distance);
    v[0] = math::logarithm(e.cdf);
    v[1] = math::logarithm(e.sf);
  }
};

/// The coordinate y of standardised values z of a distribution, and functions at them.
struct Placement {
  StableDistribution distribution;
  double centre, width;
  bool at_zeta;

  KOKKOS_INLINE_FUNCTION Placement(double alpha, double beta) : distribution(alpha, beta) {
    at_zeta = alpha < 1 && ::fabs(distribution.zeta) < 3;
    centre = at_zeta ? distribution.zeta : 0;
    width = at_zeta ? width_at_zeta(alpha, 0.5) : 1;
  }

  /// A standardised value, or the point at a coordinate y, and how far it lies from zeta.
  struct Point {
    double z, distance;
  };
  KOKKOS_INLINE_FUNCTION Point at_value(double z) const {
    return {z, distance_from_zeta(distribution, z)};
  }
  KOKKOS_INLINE_FUNCTION Point at_coordinate(double y) const {
    const double offset = width * ::sinh(y), z = centre + offset;
    return {z, at_zeta ? offset : distance_from_zeta(distribution, z)};
  }
  template <class Functions>
  KOKKOS_INLINE_FUNCTION void evaluate(const Point& point, double* v) const {
    Functions::evaluate(distribution, point.z, point.distance, v);
  }
  KOKKOS_INLINE_FUNCTION double coordinate(double z) const {
    const double s = (z - centre) / width, a = ::fabs(s),
                 y = math::logarithm(a + ::sqrt(a * a + 1));
    return s < 0 ? -y : y;
  }
};

/// Gauss' and Legendre's rule of 8 nodes on [-1, 1], with which the probability of a cell is found.
struct CellRule {
  static constexpr int kNodes = 8;
  KOKKOS_INLINE_FUNCTION static double node(int k) {
    const double t[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                         0.9602898564975362};
    return k < 4 ? -t[3 - k] : t[k - 4];
  }
  KOKKOS_INLINE_FUNCTION static double weight(int k) {
    const double w[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                         0.1012285362903763};
    return k < 4 ? w[3 - k] : w[k - 4];
  }
};

/// A sorted sample, seen from a distribution with scale sigma and location mu. With a half width
/// each value stands for the cell around it, and the points of the sample are the nodes of the
/// cells; cells must not overlap.
struct SortedSample : Placement {
  double mu, sigma;
  int size;  ///< points
  const double* x;
  double half_width;

  KOKKOS_INLINE_FUNCTION SortedSample(double alpha, double beta, double scale, double location,
                                      const double* values, int count, double cell = 0)
      : Placement(alpha, beta),
        mu(location),
        sigma(scale),
        size(cell > 0 ? CellRule::kNodes * count : count),
        x(values),
        half_width(cell) {}

  KOKKOS_INLINE_FUNCTION double point(int i) const {
    return half_width > 0
               ? x[i / CellRule::kNodes] + half_width * CellRule::node(i % CellRule::kNodes)
               : x[i];
  }
  KOKKOS_INLINE_FUNCTION double standard(int i) const { return (point(i) - mu) / sigma; }
  /// The first value at or right of y.
  KOKKOS_INLINE_FUNCTION int lower_bound(double y) const {
    const double bound = mu + sigma * (centre + width * ::sinh(y));
    int low = 0, high = size;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (point(middle) < bound) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// Standardised values in any order.
struct UnsortedSample : Placement {
  int size;
  const double* z;
  int* direct;  ///< room for the numbers of the values that are evaluated themselves

  KOKKOS_INLINE_FUNCTION UnsortedSample(double alpha, double beta, const double* values, int count,
                                        int* list)
      : Placement(alpha, beta), size(count), z(values), direct(list) {}
};

template <class ExecSpace>
struct Panels {
  static constexpr int kNodes = 16, kPanels = 64, kMostBuilt = 20, kMostFunctions = 4,
                       kFewest = kNodes + 3;
  static constexpr double kPanelWidth = 0.5, kFirst = -0.5 * kPanels * kPanelWidth,
                          kAccuracy = 3e-10;
  using ScratchSpace = typename ExecSpace::scratch_memory_space;
  using Doubles = Kokkos::View<double*, ScratchSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Integers = Kokkos::View<int*, ScratchSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// [built][function][node]: values at the nodes; between calls free for others
  Doubles work;
  Doubles coefficients;  ///< [built][function][k]
  Integers first;        ///< first value of each panel; kPanels + 1
  Integers built;        ///< panel of each interpolation; its usability after it
  Integers counts;       ///< number built; number of direct values
  StopFlag<ExecSpace> stop;

  /// Makes panels with at least `least_work` doubles in `work`.
  template <class Member>
  KOKKOS_INLINE_FUNCTION Panels(const Member& team, int least_work,
                                const StopFlag<ExecSpace>& stop_flag)
      : work(team.team_scratch(0), work_size(least_work)),
        coefficients(team.team_scratch(0), kMostBuilt * kMostFunctions * kNodes),
        first(team.team_scratch(0), kPanels + 1),
        built(team.team_scratch(0), 2 * kMostBuilt),
        counts(team.team_scratch(0), 2),
        stop(stop_flag) {}

  KOKKOS_INLINE_FUNCTION static int work_size(int least) {
    const int nodes = kMostBuilt * kMostFunctions * kNodes;
    return nodes > least ? nodes : least;
  }

  static int scratch_size(int least_work) {
    return static_cast<int>(Doubles::shmem_size(work_size(least_work)) +
                            Doubles::shmem_size(kMostBuilt * kMostFunctions * kNodes) +
                            Integers::shmem_size(kPanels + 1) +
                            Integers::shmem_size(2 * kMostBuilt) + Integers::shmem_size(2));
  }

  /// Calls take(i, v) with the functions v[0], v[1], ... at every value i of the sample, each on
  /// one of the threads. All threads of the team take part. After a signal only some of the values
  /// are taken.
  template <class Functions, class Member, class Take>
  KOKKOS_INLINE_FUNCTION void visit(const Member& team, const SortedSample& sample,
                                    Take& take) const {
    const int thread = team.team_rank(), threads = team.team_size();
    for (int p = thread; p <= kPanels; p += threads)
      first(p) = sample.lower_bound(kFirst + kPanelWidth * p);
    team.team_barrier();
    if (thread == 0) {
      int number = 0;
      for (int p = 0; p < kPanels; ++p) {
        if (first(p + 1) - first(p) > kFewest && number < kMostBuilt) built(number++) = p;
      }
      counts(0) = number;
    }
    team.team_barrier();
    // There is one loop, since every place that evaluates is minutes of work for a compiler.
    bool again = false;
    do {
      evaluate_points<Functions>(team, sample, again, take);
      team.team_barrier();
      if (!again) find_coefficients<Functions>(team);
      team.team_barrier();
      again = !again && values_in_unusable() > 0;
    } while (again);
    interpolate<Functions>(team, sample, take);
  }

  /// Visits values in any order. `take` must not depend on the order in which values come.
  template <class Functions, class Member, class Take>
  KOKKOS_INLINE_FUNCTION void visit(const Member& team, const UnsortedSample& sample,
                                    const Take& take) const {
    const int thread = team.team_rank(), threads = team.team_size();
    for (int p = thread; p < kPanels; p += threads) first(p) = 0;
    if (thread == 0) counts(1) = 0;
    team.team_barrier();
    for (int i = thread; i < sample.size; i += threads) {
      const int p = panel_of(sample.coordinate(sample.z[i]));
      if (p >= 0) Kokkos::atomic_fetch_add(&first(p), 1);
    }
    team.team_barrier();
    if (thread == 0) {  // first(p) becomes the number of the interpolation of panel p, or -1
      int number = 0;
      for (int p = 0; p < kPanels; ++p) {
        const bool build = first(p) > kFewest && number < kMostBuilt;
        if (build) built(number) = p;
        first(p) = build ? number++ : -1;
      }
      counts(0) = number;
    }
    team.team_barrier();
    for (int r = thread; r < counts(0) * kNodes && !stop.raised(); r += threads) {
      double v[kMostFunctions];
      sample.template evaluate<Functions>(sample.at_coordinate(node(r)), v);
      keep<Functions>(r, v);
    }
    team.team_barrier();
    find_coefficients<Functions>(team);
    team.team_barrier();
    for (int i = thread; i < sample.size; i += threads) {
      const double y = sample.coordinate(sample.z[i]);
      const int p = panel_of(y), b = p < 0 ? -1 : first(p);
      if (b < 0 || !usable(b)) {
        sample.direct[Kokkos::atomic_fetch_add(&counts(1), 1)] = i;
        continue;
      }
      double v[kMostFunctions];
      look_up<Functions>(b, y, v);
      take(i, v);
    }
    team.team_barrier();
    for (int k = thread; k < counts(1) && !stop.raised(); k += threads) {
      double v[kMostFunctions];
      sample.template evaluate<Functions>(sample.at_value(sample.z[sample.direct[k]]), v);
      take(sample.direct[k], v);
    }
    team.team_barrier();
  }

 private:
  /// Returns the panel of y; -1 beyond all panels, and for NaN.
  KOKKOS_INLINE_FUNCTION static int panel_of(double y) {
    const double p = (y - kFirst) / kPanelWidth;
    return p >= 0 && p < kPanels ? static_cast<int>(p) : -1;
  }

  KOKKOS_INLINE_FUNCTION bool usable(int b) const { return built(kMostBuilt + b) == 1; }
  KOKKOS_INLINE_FUNCTION int values_in(int b) const {
    return first(built(b) + 1) - first(built(b));
  }
  KOKKOS_INLINE_FUNCTION int values_in_unusable() const {
    int sum = 0;
    for (int b = 0; b < counts(0); ++b) sum += usable(b) ? 0 : values_in(b);
    return sum;
  }

  KOKKOS_INLINE_FUNCTION int values_outside(int size) const {
    for (int b = 0; b < counts(0); ++b) size -= values_in(b);
    return size;
  }

  /// The coordinate of node r of all nodes of the panels that are built.
  KOKKOS_INLINE_FUNCTION double node(int r) const {
    double s, c;
    math::sine_cosine(kPi * (r % kNodes + 0.5) / kNodes, s, c);
    return kFirst + kPanelWidth * (built(r / kNodes) + 0.5 + 0.5 * c);
  }

  template <class Functions>
  KOKKOS_INLINE_FUNCTION void keep(int r, const double* v) const {
    for (int f = 0; f < Functions::kCount; ++f)
      work((r / kNodes * Functions::kCount + f) * kNodes + r % kNodes) = v[f];
  }

  /// The functions at y in the panel of interpolation b, by Clenshaw's recurrence.
  template <class Functions>
  KOKKOS_INLINE_FUNCTION void look_up(int b, double y, double* v) const {
    const double u = (y - (kFirst + kPanelWidth * (built(b) + 0.5))) * (2 / kPanelWidth);
    for (int f = 0; f < Functions::kCount; ++f) {
      const double* c = &coefficients((b * Functions::kCount + f) * kNodes);
      double b1 = 0, b2 = 0;
      for (int k = kNodes - 1; k >= 1; --k) {
        const double next = 2 * u * b1 - b2 + c[k];
        b2 = b1;
        b1 = next;
      }
      v[f] = u * b1 - b2 + c[0];
    }
  }

  /// Returns the number of value r of those outside the panels that are built, in the order of x.
  KOKKOS_INLINE_FUNCTION int value_outside(int r) const {
    for (int b = 0; b < counts(0); ++b) {
      if (r >= first(built(b))) r += values_in(b);
    }
    return r;
  }

  /// Returns the number of value r of those in panels whose interpolation is of no use.
  KOKKOS_INLINE_FUNCTION int value_in_unusable(int r) const {
    int b = 0;
    for (; usable(b) || r >= values_in(b); ++b) r -= usable(b) ? 0 : values_in(b);
    return first(built(b)) + r;
  }

  /// Evaluates the nodes of the panels and the values outside them; then, once the interpolations
  /// are known, the values that none of them serves.
  template <class Functions, class Member, class Take>
  KOKKOS_INLINE_FUNCTION void evaluate_points(const Member& team, const SortedSample& sample,
                                              bool again, Take& take) const {
    const int nodes = again ? 0 : counts(0) * kNodes;
    const int values = again ? values_in_unusable() : values_outside(sample.size);
    for (int r = team.team_rank(); r < nodes + values && !stop.raised(); r += team.team_size()) {
      const int i = r < nodes ? -1 : (again ? value_in_unusable(r) : value_outside(r - nodes));
      double v[kMostFunctions];
      sample.template evaluate<Functions>(
          i < 0 ? sample.at_coordinate(node(r)) : sample.at_value(sample.standard(i)), v);
      if (i < 0) {
        keep<Functions>(r, v);
      } else {
        take(i, v);
      }
    }
  }

  template <class Functions, class Member>
  KOKKOS_INLINE_FUNCTION void find_coefficients(const Member& team) const {
    const int thread = team.team_rank(), threads = team.team_size(), number = counts(0);
    for (int r = thread; r < number * Functions::kCount * kNodes; r += threads) {
      const int row = r / kNodes, k = r % kNodes;
      // sum over nodes of value cos(k (j + 1/2) pi/n), the cosines by rotation
      double sum = 0, s, c, s1, c1;
      math::sine_cosine(kPi * k * 0.5 / kNodes, s, c);
      math::sine_cosine(kPi * k / kNodes, s1, c1);
      for (int j = 0; j < kNodes; ++j) {
        sum += work(row * kNodes + j) * c;
        const double next = c * c1 - s * s1;
        s = s * c1 + c * s1;
        c = next;
      }
      coefficients(r) = sum * (k == 0 ? 1.0 : 2.0) / kNodes;
    }
    team.team_barrier();
    for (int b = thread; b < number; b += threads) {
      bool good = true;
      for (int f = 0; f < Functions::kCount; ++f) {
        const double* c = &coefficients((b * Functions::kCount + f) * kNodes);
        good =
            good && ::fabs(c[kNodes - 1]) + ::fabs(c[kNodes - 2]) <= kAccuracy * (1 + ::fabs(c[0]));
      }
      built(kMostBuilt + b) = good ? 1 : 0;
    }
  }

  /// Interpolates the values in panels whose interpolation is of use.
  template <class Functions, class Member, class Take>
  KOKKOS_INLINE_FUNCTION void interpolate(const Member& team, const SortedSample& sample,
                                          Take& take) const {
    for (int b = 0; b < counts(0); ++b) {
      if (!usable(b)) continue;
      const int begin = first(built(b)), end = first(built(b) + 1);
      for (int i = begin + team.team_rank(); i < end; i += team.team_size()) {
        if (i % 4096 == 0 && stop.raised()) break;
        double v[kMostFunctions];
        look_up<Functions>(b, sample.coordinate(sample.standard(i)), v);
        take(i, v);
      }
    }
  }
};

}  // namespace tessera::stable::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/stable/law/evaluate.hpp"

/// The radial density of elliptical stable laws in d dimensions (see elliptical.hpp), as a mixture
/// of normal ones:
///
///     f(r) = int_0^inf (4 pi w)^{-d/2} exp(-r^2/(4 w)) p(w) dw,    E exp(-s W) = exp(-s^{alpha/2}),
///
/// p being the density of the positive stable law of index alpha/2. Its values at the nodes of
/// Gauss' and Legendre's rule of 16 nodes, on panels in ln w that are narrow where p is steep, are
/// computed once for an alpha and a dimension, by the contour integrals of evaluate.hpp; a point
/// then takes a sum over the nodes that count for it. At alpha = 2 there is one node.
///
/// Domain: 0.2 <= alpha <= 2; 1 <= d <= kMostDimensions; 0 <= r <= `farthest`, which is at most
/// 1e60.
///
/// Accuracy: ln f is right to 5e-11: against the symmetric stable density at d = 1, t with one
/// degree of freedom at alpha = 1, the normal one at alpha = 2 (tests/unit/stable_elliptical.cpp).
///
/// Errors: Error (input) for alpha, d or r out of the domain.
///
/// Example (tests/install/examples/stable.cpp):
///
///     const stable::RadialDensity<ExecSpace> density(exec, 1.5, 3, 100);   // alpha, d, farthest r
///     const stable::RadialMixture<ExecSpace> mixture = density.mixture();  // in kernels: mixture.at(r * r).log_pdf
namespace tessera::stable {

inline constexpr int kMostDimensions = 100;
inline constexpr double kLeastEllipticalAlpha = 0.2, kFarthest = 1e60;

/// The radial density at a point.
struct RadialValue {
  double log_pdf;
  double weight;   ///< E[1/(2 W)] given r; -weight r is d log_pdf/dr
  double d_alpha;  ///< d log_pdf/d alpha
};

/// Normal components, for kernels.
template <class ExecSpace>
struct RadialMixture {
  /// Logarithms of the weights of components, in the order of w: with the factor (4 pi w)^{-d/2}
  Kokkos::View<const double*, ExecSpace> log_weight;
  Kokkos::View<const double*, ExecSpace> rate;     ///< 1/(4 w)
  Kokkos::View<const double*, ExecSpace> d_alpha;  ///< of log_weight

  KOKKOS_INLINE_FUNCTION RadialValue at(double square) const {
    const int size = static_cast<int>(rate.extent(0));
    const double *const weight = log_weight.data(), *const slope = rate.data(),
                        *const score = d_alpha.data();
    double top = -INFINITY;
    for (int k = 0; k < size; ++k) {
      const double exponent = weight[k] - square * slope[k];
      top = exponent > top ? exponent : top;
    }
    double sum = 0, sum_rate = 0, sum_score = 0;
#pragma omp simd reduction(+ : sum, sum_rate, sum_score)
    for (int k = 0; k < size; ++k) {
      const double exponent = weight[k] - square * slope[k] - top;
      const double part = exponent > -60 ? math::exponential(exponent) : 0;
      sum += part;
      sum_rate += part * slope[k];
      sum_score += part * score[k];
    }
    return {top + ::log(sum), 2 * sum_rate / sum, sum_score / sum};
  }
};

namespace detail {

/// The nodes of the integral: ln w of each, seen from the centre, and its weight.
struct RadialNodes {
  double alpha;  ///< of the elliptical law
  int dimension;
  std::vector<double> offset, weight;
};

/// The positive stable law of index alpha/2 at w = w_0 e^x: ln [w p(w)], ln w, and d ln p/d alpha
/// at this w.
struct PositiveStable {
  StableDistribution distribution;
  double tangent, log_cosine, log_centre;

  KOKKOS_INLINE_FUNCTION explicit PositiveStable(double alpha) : distribution(0.5 * alpha, 1) {
    tangent = -distribution.zeta;
    const double half = 0.25 * kPi * alpha;  // pi/2 times the index
    log_cosine = ::log(::sin(kHalfPi - half));
    log_centre = log_cosine / distribution.alpha + ::log(tangent);
  }

  struct Value {
    double log_density, log_w, d_alpha;
  };

  template <Quantities quantities>
  KOKKOS_INLINE_FUNCTION Value at(double x) const {
    const double a = distribution.alpha, less_one = ::expm1(x), grown = ::exp(x);
    const Evaluation e = evaluate_at<quantities>(distribution, tangent * less_one, tangent * grown);
    Value v{e.log_pdf + ::log(tangent) + x, log_centre + x, 0};
    if constexpr (has_scores(quantities)) {
      // At constant w the standardised point moves with the index, and so does the unit gamma =
      // cos(pi a/2)^{1/a}.
      const double moves = kHalfPi * (tangent * tangent * (less_one + 1 - a) / a - 1) +
                           tangent * grown * log_cosine / (a * a);
      const double log_gamma = -log_cosine / (a * a) - kHalfPi / a * tangent;
      v.d_alpha = 0.5 * (e.d_x * moves + e.d_alpha - log_gamma);
    }
    return v;
  }
};

/// Places the nodes. Throws Error (input).
RadialNodes place_radial_nodes(double alpha, int dimension, double farthest);

template <class ExecSpace>
struct RadialKernel {
  PositiveStable law;
  int dimension;
  Kokkos::View<const double*, ExecSpace> offset, weight;
  Kokkos::View<double*, ExecSpace> log_weight, rate, d_alpha;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const PositiveStable::Value v = law.template at<Quantities::scores>(offset(k));
    log_weight(k) = ::log(weight(k)) + v.log_density - 0.5 * dimension * (::log(4 * kPi) + v.log_w);
    rate(k) = 0.25 * ::exp(-v.log_w);
    d_alpha(k) = v.d_alpha;
  }
};

}  // namespace detail

/// The nodes of an alpha and a dimension.
template <class ExecSpace>
class RadialDensity {
 public:
  RadialDensity(const ExecSpace& exec, double alpha, int dimension, double farthest) {
    const detail::RadialNodes nodes = detail::place_radial_nodes(alpha, dimension, farthest);
    const std::size_t size = nodes.offset.size();
    const auto make = [&](const char* label) {
      return allocate<Kokkos::View<double*, ExecSpace>>(exec, label, size);
    };
    const auto log_weight = make("tessera::stable::radial_weights"),
               rate = make("tessera::stable::radial_rates"),
               d_alpha = make("tessera::stable::radial_scores");
    if (alpha == 2) {  // one normal component, w = 1
      upload_to(exec, std::vector<double>{-0.5 * dimension * ::log(4 * kPi)}, log_weight);
      upload_to(exec, std::vector<double>{0.25}, rate);
      upload_to(exec, std::vector<double>{0.0}, d_alpha);
    } else {
      const detail::RadialKernel<ExecSpace> kernel{
          detail::PositiveStable(alpha),
          dimension,
          upload(exec, "tessera::stable::radial_offsets", nodes.offset),
          upload(exec, "tessera::stable::radial_rule", nodes.weight),
          log_weight,
          rate,
          d_alpha};
      using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>,
                                         Kokkos::Schedule<Kokkos::Dynamic>>;
      Kokkos::parallel_for("tessera::stable::radial_nodes",
                           Policy(exec, 0, static_cast<std::int64_t>(size)).set_chunk_size(16),
                           kernel);
      exec.fence();  // the rule goes out of scope
    }
    m_mixture = {log_weight, rate, d_alpha};
  }

  RadialMixture<ExecSpace> mixture() const { return m_mixture; }

 private:
  RadialMixture<ExecSpace> m_mixture;
};

}  // namespace tessera::stable

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/boys/variants.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

/// Integrals of s-type Gaussian basis functions, in atomic units: the smallest use of Boys
/// functions. A basis function is a sum of normalised Gaussians sqrt((2a/pi)^(3/2)) exp(-a |r -
/// A|^2) on one centre. With p = a + b, P = (a A + b B) / p and K = exp(-(a b / p)
/// |A - B|^2) for the product of two Gaussians,
///
///     overlap                 (a|b)       = K (pi/p)^(3/2)
///     nuclear attraction      (a|1/r|b)   = K (2 pi/p) F_0(p |P - C|^2)
///     electron repulsion      (ab|cd)     = K K' 2 pi^(5/2) / (p q sqrt(p + q)) F_0(rho |P - Q|^2),     rho = p q / (p + q)
///
/// (T. Helgaker, P. Jorgensen, J. Olsen, Molecular Electronic-Structure Theory, 2000, chapter 9.)
/// With erf(omega r)/r or erfc(omega r)/r instead of 1/r, F_0 becomes the range-separated function
/// of tessera/boys/variants.hpp.
///
/// Accuracy: a few roundings of each term, relative error 1e-14 of the sum of their magnitudes.
namespace tessera::boys {

/// Basis functions that one run takes.
inline constexpr std::size_t kMaxContractions = 128;

/// A point charge; the position in bohr.
struct Nucleus {
  std::string symbol;
  double charge = 0;
  double position[3] = {0, 0, 0};
};

/// A basis function: coefficients of normalised Gaussians of these exponents (bohr^-2) at a centre
/// (bohr).
struct Contraction {
  double center[3] = {0, 0, 0};
  std::vector<double> exponents, coefficients;
};

/// The interaction of charges at the distance r: 1/r, erf(omega r)/r or erfc(omega r)/r.
struct Interaction {
  enum class Kind { coulomb, erf, erfc };
  Kind kind = Kind::coulomb;
  double omega = 0;

  /// F_0, or the range-separated function that replaces it, for the reduced exponent rho that x was
  /// formed with.
  KOKKOS_INLINE_FUNCTION double order_0(double x, double rho) const {
    double F = 0;
    if (kind == Kind::coulomb) {
      boys<0>(x, &F);
    } else if (kind == Kind::erf) {
      boys_erf<0>(x, rho, omega, &F);
    } else {
      boys_erfc<0>(x, rho, omega, &F);
    }
    return F;
  }
};

/// The product of two Gaussians: factor exp(-exponent |r - center|^2).
struct GaussianProduct {
  double exponent, factor;
  double center[3];
};

KOKKOS_INLINE_FUNCTION double squared_distance(const double* a, const double* b) {
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
         (a[2] - b[2]) * (a[2] - b[2]);
}

KOKKOS_INLINE_FUNCTION double overlap(const GaussianProduct& ab) {
  constexpr double pi = 3.14159265358979323846;
  const double ratio = pi / ab.exponent;
  return ab.factor * ratio * compat::math::sqrt(ratio);
}

/// The interaction of a unit charge at C with the charge distribution ab.
KOKKOS_INLINE_FUNCTION double attraction(const GaussianProduct& ab, const double* C,
                                         const Interaction& interaction) {
  constexpr double pi = 3.14159265358979323846;
  return ab.factor * (2 * pi / ab.exponent) *
         interaction.order_0(ab.exponent * squared_distance(ab.center, C), ab.exponent);
}

/// The interaction of two charge distributions, (ab|cd).
KOKKOS_INLINE_FUNCTION double repulsion(const GaussianProduct& ab, const GaussianProduct& cd,
                                        const Interaction& interaction) {
  constexpr double two_pi_5_2 = 34.98683665524972497;  // 2 pi^(5/2)
  const double p = ab.exponent, q = cd.exponent, rho = p * q / (p + q);
  const double scale = ab.factor * cd.factor * two_pi_5_2 / (p * q * compat::math::sqrt(p + q));
  return scale * interaction.order_0(rho * squared_distance(ab.center, cd.center), rho);
}

/// The basis as the kernels see it: for each pair of basis functions i >= j, numbered i (i + 1) / 2
/// + j, the products of their Gaussians are products(first(pair)) ... products(first(pair + 1) -
/// 1).
template <class MemorySpace>
struct PairList {
  Kokkos::View<GaussianProduct*, MemorySpace> products;
  Kokkos::View<std::int32_t*, MemorySpace> first;
};

/// Products of all pairs of basis functions, on the host. `normalize`: every basis function is
/// scaled to a unit overlap with itself.
void make_pairs(const std::vector<Contraction>& basis, bool normalize,
                std::vector<GaussianProduct>& products, std::vector<std::int32_t>& first);

namespace detail {

template <class MemorySpace>
struct OverlapKernel {
  PairList<MemorySpace> pairs;
  Kokkos::View<double*, MemorySpace> S;
  KOKKOS_FUNCTION void operator()(int pair) const {
    double sum = 0;
    for (int k = pairs.first(pair); k < pairs.first(pair + 1); ++k)
      sum += overlap(pairs.products(k));
    S(pair) = sum;
  }
};

template <class MemorySpace>
struct AttractionKernel {
  PairList<MemorySpace> pairs;
  Kokkos::View<double**, Kokkos::LayoutRight, MemorySpace> positions;
  Kokkos::View<double*, MemorySpace> charges;
  Interaction interaction;
  Kokkos::View<double*, MemorySpace> V;
  KOKKOS_FUNCTION void operator()(int pair) const {
    double sum = 0;
    for (int k = pairs.first(pair); k < pairs.first(pair + 1); ++k) {
      for (std::size_t c = 0; c < charges.extent(0); ++c)
        sum -= charges(c) * attraction(pairs.products(k), &positions(c, 0), interaction);
    }
    V(pair) = sum;
  }
};

/// Row `begin + k / pairs`, column `k % pairs` of the matrix of repulsions; only rows >= columns
/// are computed, and stored in both triangles.
template <class MemorySpace>
struct RepulsionKernel {
  PairList<MemorySpace> pairs;
  Interaction interaction;
  int begin;
  Kokkos::View<double**, Kokkos::LayoutRight, MemorySpace> matrix;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const auto count = static_cast<std::int64_t>(matrix.extent(1));
    const int row = begin + static_cast<int>(k / count), column = static_cast<int>(k % count);
    if (column > row) return;
    double sum = 0;
    for (int a = pairs.first(row); a < pairs.first(row + 1); ++a) {
      for (int b = pairs.first(column); b < pairs.first(column + 1); ++b)
        sum += repulsion(pairs.products(a), pairs.products(b), interaction);
    }
    matrix(row, column) = sum;
    matrix(column, row) = sum;
  }
};

}  // namespace detail

/// S(pair) = (i|j).
template <class ExecSpace, class MemorySpace>
void overlaps(const ExecSpace& exec, const PairList<MemorySpace>& pairs,
              const Kokkos::View<double*, MemorySpace>& S) {
  Kokkos::parallel_for("tessera::boys::overlaps",
                       Kokkos::RangePolicy<ExecSpace>(exec, 0, S.extent(0)),
                       detail::OverlapKernel<MemorySpace>{pairs, S});
}

/// V(pair) = -sum_C Z_C (i|1/r_C|j) for charges Z_C at positions(C, 0..2).
template <class ExecSpace, class MemorySpace>
void nuclear_attractions(const ExecSpace& exec, const PairList<MemorySpace>& pairs,
                         const Kokkos::View<double**, Kokkos::LayoutRight, MemorySpace>& positions,
                         const Kokkos::View<double*, MemorySpace>& charges,
                         const Interaction& interaction,
                         const Kokkos::View<double*, MemorySpace>& V) {
  Kokkos::parallel_for(
      "tessera::boys::nuclear_attractions", Kokkos::RangePolicy<ExecSpace>(exec, 0, V.extent(0)),
      detail::AttractionKernel<MemorySpace>{pairs, positions, charges, interaction, V});
}

/// Rows [begin, end) of the symmetric matrix of (ij|kl), pairs by pairs, and the columns that
/// mirror them.
template <class ExecSpace, class MemorySpace>
void repulsions(const ExecSpace& exec, const PairList<MemorySpace>& pairs,
                const Interaction& interaction, int begin, int end,
                const Kokkos::View<double**, Kokkos::LayoutRight, MemorySpace>& matrix) {
  const auto count = static_cast<std::int64_t>(matrix.extent(1)) * (end - begin);
  Kokkos::parallel_for(
      "tessera::boys::repulsions",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
      detail::RepulsionKernel<MemorySpace>{pairs, interaction, begin, matrix});
}

}  // namespace tessera::boys

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The examples of tessera::bessel, of which its README and its headers show parts.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <tessera/bessel/batch.hpp>
#include <tessera/bessel/bessel.hpp>
#include <tessera/bessel/complex.hpp>
#include <tessera/bessel/matern.hpp>
#include <tessera/bessel/matern_matrix.hpp>
#include <utility>

namespace bessel = tessera::bessel;
using ExecSpace = Kokkos::DefaultExecutionSpace;
using Array = Kokkos::View<double*, ExecSpace>;

/// K_0.5(x) = sqrt(pi / (2 x)) e^-x, evaluated in a kernel.
struct ErrorOfHalfOrder {
  KOKKOS_INLINE_FUNCTION void operator()(int i, double& largest) const {
    const double x = 0.01 * (i + 1);
    const double k = bessel::bessel_k(0.5, x);      // one value, here in a kernel
    const auto all = bessel::bessel_k_all(0.5, x);  // with its logarithm and derivatives
    const double exact = 1.2533141373155003 / std::sqrt(x) * std::exp(-x);
    const double error = std::fabs(k / exact - 1) + std::fabs(all.dlog_k_dx + 1 + 0.5 / x);
    largest = error > largest ? error : largest;
  }
};

bool evaluate_in_a_kernel() {
  double largest = 0;
  Kokkos::parallel_reduce("half_order", Kokkos::RangePolicy<ExecSpace>(0, 1000), ErrorOfHalfOrder{},
                          Kokkos::Max<double>(largest));
  std::printf("K of order 1/2: largest error %.1e\n", largest);
  return largest < 1e-12;
}

/// Every argument with one order.
bool evaluate_an_array() {
  const ExecSpace exec;
  const Array x("x", 1000);
  Kokkos::deep_copy(exec, x, 2.0);

  bessel::BesselResults<Array> results;
  results.log_k = Array("log_k", x.extent(0));  // what has no extent is not computed
  results.dlog_k_dnu = Array("dlog_k_dnu", x.extent(0));
  bessel::bessel_k(exec, 0.426, x, results);  // one order for all, or a View of orders

  double log_k = 0;
  Kokkos::deep_copy(log_k, Kokkos::subview(results.log_k, 7));
  std::printf("log K_0.426(2) = %.12f\n", log_k);
  return std::fabs(log_k + 2.13493080580301) < 1e-13;
}

/// The mean of the cosine to the pole of a von Mises-Fisher law in d dimensions, I_{nu+1} / I_nu,
/// and the logarithm of its normalising function.
bool evaluate_a_directional_law() {
  const double d = 200002, kappa = 1e5, nu = d / 2 - 1;
  const double log_i = bessel::log_bessel_i(nu, kappa);  // I itself is about e^53277
  const double cosine = bessel::dlog_bessel_i_dx(nu, kappa) - nu / kappa;
  std::printf("log I of order 1e5: %.9f, mean cosine %.6f\n", log_i, cosine);
  return std::fabs(log_i - 53277.148847441684) < 1e-9 && cosine > 0.4142 && cosine < 0.4143;
}

/// A wave that leaves a cylinder: K_{5/2} on the imaginary axis, beside its closed form.
bool evaluate_a_wave() {
  const Kokkos::complex<double> wave = bessel::bessel_k(2.5, Kokkos::complex<double>(0, 3));
  // sqrt(pi / (2z)) e^-z (1 + 3/z + 3/z^2), z = 3i
  const std::complex<double> z(0, 3), closed = std::sqrt(std::acos(-1.0) / 2.0 / z) * std::exp(-z) *
                                               (1.0 + 3.0 / z + 3.0 / (z * z));
  std::printf("K_2.5(3i) = %.12f %+.12fi\n", wave.real(), wave.imag());
  return std::abs(std::complex<double>(wave.real(), wave.imag()) - closed) < 1e-14;
}

/// Points on a line, 0.1 apart.
struct PlacePoints {
  Kokkos::View<double* [2], Kokkos::LayoutLeft, ExecSpace> points;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    points(i, 0) = 0.1 * i;
    points(i, 1) = 0;
  }
};

/// The covariance matrix of a Gaussian field, and one correlation of the same table.
bool make_a_covariance_matrix() {
  const ExecSpace exec;
  const int n = 100;
  const Kokkos::View<double* [2], Kokkos::LayoutLeft, ExecSpace> points("points", n);
  Kokkos::parallel_for("points", Kokkos::RangePolicy<ExecSpace>(exec, 0, n), PlacePoints{points});

  const bessel::MaternTable<ExecSpace> table(exec, 1.5);  // of one nu, for every variance and range
  const Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> covariance("covariance", n, n);
  bessel::matern_matrix(exec, table, 2.0, 0.3, points, covariance);  // sigma2, beta

  const Array distance("distance", 1), correlation("correlation", 1);
  Kokkos::deep_copy(exec, distance, 0.1 / 0.3);
  bessel::matern(exec, table, distance, correlation);  // M_nu(h) of an array; in a kernel: table(h)

  double entry = 0, m = 0;
  Kokkos::deep_copy(entry, Kokkos::subview(covariance, 8, 7));
  Kokkos::deep_copy(m, Kokkos::subview(correlation, 0));
  const double h = 0.1 / 0.3, exact = (1 + h) * std::exp(-h);
  std::printf("a Matern covariance: %.12f, correlation %.12f\n", entry, m);
  return std::fabs(entry - 2 * exact) < 1e-14 && std::fabs(m - exact) < 1e-14;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return evaluate_in_a_kernel() && evaluate_an_array() && evaluate_a_directional_law() &&
                 evaluate_a_wave() && make_a_covariance_matrix()
             ? 0
             : 1;
}

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/bessel/matern/matern_coefficients.hpp"
#include "tessera/bessel/matern/matern_kernels.hpp"
#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/error.hpp"

/// The Matern correlation of one smoothness nu at many distances:
///
///   M_nu(h) = 2^(1-nu) / Gamma(nu) h^nu K_nu(h),   h = distance / range >= 0,   M_nu(0) = 1,   1e-20 <= nu <= 200
///
/// from a table that is built once for each nu: a polynomial of degree 9 in s = h^2 on every
/// sixteenth of a binade of s. No root, power, exponential or branch stands on the way from s to M
/// for 1e-3 < h < 32. The covariance sigma^2 M_nu(r / beta) of any variance and range, and its
/// derivatives, come from one table. For a single value of M see tessera/bessel/bessel.hpp.
///
/// Accuracy, on every backend: M to 2e-16 absolutely, and to 1e-12 relatively down to the smallest
/// normal number; dM/dnu to 1e-15 max(1, |dM/dnu|); h dM/dh to 4e-15. Negative distances and NaN
/// give NaN, an infinite one 0. Building a table throws Error (input) unless 1e-20 <= nu <= 200.
///
/// Example (tests/install/examples/bessel.cpp):
///
///     bessel::matern(exec, table, distance, correlation);  // M_nu(h) of an array; in a kernel: table(h)
namespace tessera::bessel {

/// The table of one nu, in the memory of ExecSpace. Copies share the memory; kernels take it by
/// value.
template <class ExecSpace>
class MaternTable {
 public:
  /// Builds the table on the host and brings it to the device; throws Error (input) unless 1e-20 <=
  /// nu <= 200.
  MaternTable(const ExecSpace& exec, double nu);
  explicit MaternTable(double nu) : MaternTable(ExecSpace(), nu) {}

  double nu() const { return m_function.shape.nu; }

  /// M_nu(h).
  KOKKOS_INLINE_FUNCTION double operator()(double h) const { return m_function.at_distance(h); }

  /// M_nu(sqrt(s)): the fastest form, since squares of distances need no root. s must not be
  /// negative.
  KOKKOS_INLINE_FUNCTION double at_square(double s) const { return m_function.at_square(s); }

  /// M_nu(h), dM/dh and dM/dnu. At h = 0 dM/dh is 0, as that of an even function (from the right it
  /// is -1 for nu = 1/2, and infinite below).
  KOKKOS_INLINE_FUNCTION void value_and_derivatives(double h, double& m, double& dm_dh,
                                                    double& dm_dnu) const {
    const MaternJet jet = m_function.jet_at_distance(h);
    m = jet.m;
    dm_dh = h == 0 ? 0 : 2 * jet.s_dm_ds / h;
    dm_dnu = jet.dm_dnu;
  }

  /// The function behind the table; valid while a copy of the table lives.
  KOKKOS_INLINE_FUNCTION const MaternFunction& function() const { return m_function; }

 private:
  using Storage = Kokkos::View<double*, typename ExecSpace::memory_space>;

  Storage m_storage;
  MaternFunction m_function;
};

template <class ExecSpace>
MaternTable<ExecSpace>::MaternTable(const ExecSpace& exec, double nu) {
  const detail::MaternCoefficients coefficients = detail::matern_coefficients(nu);
  const std::size_t size = coefficients.value.size();
  m_storage = allocate<Storage>(exec, "tessera::bessel::matern_table", 2 * size);
  copy_from_host(exec, m_storage.data(), coefficients.value.data(), size);
  copy_from_host(exec, m_storage.data() + size, coefficients.order.data(), size);
  const auto intervals = static_cast<std::uint32_t>(coefficients.shape.intervals());
  m_function.shape = coefficients.shape;
  m_function.value_polynomials = {m_storage.data(), intervals};
  m_function.order_polynomials = {m_storage.data() + size, intervals};
}

namespace detail {

template <class Table, class HView, class View>
struct MaternDerivativesKernel {
  Table table;
  HView h;
  View m, dm_dh, dm_dnu;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    double value, in_distance, in_order;
    table.value_and_derivatives(h(i), value, in_distance, in_order);
    m(i) = value;
    dm_dh(i) = in_distance;
    dm_dnu(i) = in_order;
  }
};

}  // namespace detail

/// m(i) = M_nu(h(i)) for Views of one dimension and equal extent, in double. Asynchronous on
/// `exec`, allocates nothing; throws Error (input) when the extents differ. m and h may be the
/// same.
template <class ExecSpace, class HView, class MView>
void matern(const ExecSpace& exec, const MaternTable<ExecSpace>& table, const HView& h,
            const MView& m) {
  static_assert(HView::rank == 1 && MView::rank == 1, "matern: h(i) and m(i) are expected");
  if (h.extent(0) != m.extent(0)) {
    throw Error(ErrorKind::input,
                "matern: " + std::to_string(h.extent(0)) + " distances and room for " +
                    std::to_string(m.extent(0)) + " results",
                "give both the same extent");
  }
  if (h.extent(0) == 0) return;
  detail::launch_matern(exec, table.function(), h, m);
}

/// The destinations of a correlation and its derivatives.
template <class View>
struct MaternResults {
  View m;       ///< M_nu(h)
  View dm_dh;   ///< at h = 0 that of an even function, 0
  View dm_dnu;  ///< dM/dnu
};

/// M_nu, dM/dh and dM/dnu at distances h(i), in Views of double of one dimension and equal extent.
/// Asynchronous on `exec`, allocates nothing; throws Error (input) when the extents differ.
template <class ExecSpace, class HView, class View>
void matern_and_derivatives(const ExecSpace& exec, const MaternTable<ExecSpace>& table,
                            const HView& h, const MaternResults<View>& results) {
  const std::size_t n = h.extent(0);
  for (const std::size_t extent :
       {results.m.extent(0), results.dm_dh.extent(0), results.dm_dnu.extent(0)}) {
    if (extent == n) continue;
    throw Error(ErrorKind::input,
                "matern: " + std::to_string(n) + " distances and room for " +
                    std::to_string(extent) + " results",
                "give all the same extent");
  }
  Kokkos::parallel_for("tessera::bessel::matern_and_derivatives",
                       Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, static_cast<std::int64_t>(n)),
                       detail::MaternDerivativesKernel<MaternTable<ExecSpace>, HView, View>{
                           table, h, results.m, results.dm_dh, results.dm_dnu});
}

}  // namespace tessera::bessel

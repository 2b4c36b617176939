// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <utility>

#include "tessera/boys/complex.hpp"
#include "tessera/boys/paper.hpp"
#include "tessera/boys/variants.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/boys_reference.hpp"

namespace tessera::boys {

using Exec = test::ExecSpace;

template <class Real>
using Table = std::vector<std::vector<Real>>;

template <class Real>
using DeviceTable = Kokkos::View<Real**, Kokkos::LayoutRight, Exec>;

template <class Function, class Real>
struct ApplyToRows {
  DeviceTable<Real> in, out;
  KOKKOS_FUNCTION void operator()(int i) const { Function()(&in(i, 0), &out(i, 0)); }
};

/// Function()(row of numbers in, row of `width` numbers out) for every row, on the device.
template <class Function, class Real>
Table<Real> apply_on_device(const Table<Real>& in, int width) {
  const int rows = static_cast<int>(in.size());
  const DeviceTable<Real> x("in", rows, in[0].size()), y("out", rows, width);
  const auto h_x = Kokkos::create_mirror_view(x);
  for (int i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < in[i].size(); ++k) h_x(i, k) = in[i][k];
  }
  Kokkos::deep_copy(x, h_x);
  Kokkos::parallel_for("boys test", Kokkos::RangePolicy<Exec>(0, rows),
                       ApplyToRows<Function, Real>{x, y});
  const auto h_y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  Table<Real> out(rows, std::vector<Real>(width));
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < width; ++k) out[i][k] = h_y(i, k);
  }
  return out;
}

template <int N, class Real>
struct Derivatives {
  KOKKOS_FUNCTION void operator()(const Real* in, Real* out) const {
    boys_with_derivatives<N>(in[0], out, out + N + 1);
  }
};
template <int N, class Real>
struct LongRange {
  KOKKOS_FUNCTION void operator()(const Real* in, Real* out) const {
    boys_erf<N>(in[0], in[1], in[2], out);
  }
};
template <int N, class Real>
struct ShortRange {
  KOKKOS_FUNCTION void operator()(const Real* in, Real* out) const {
    boys_erfc<N>(in[0], in[1], in[2], out);
  }
};
template <int N, class Real>
struct Weighted {
  KOKKOS_FUNCTION void operator()(const Real* in, Real* out) const { boys_weighted<N>(in[0], out); }
};
template <int N>
struct Mixed {
  KOKKOS_FUNCTION void operator()(const double* in, double* out) const {
    out[N + 1] = boys_mixed<N>(in[0], in[1], in[2], out);
  }
};
template <int N>
struct ComplexArgument {
  KOKKOS_FUNCTION void operator()(const double* in, double* out) const {
    boys_complex<N>(in[0], in[1], out, out + N + 1);
  }
};
template <int N, PaperForm form, class Real>
struct Paper {
  KOKKOS_FUNCTION void operator()(const Real* in, Real* out) const {
    boys_paper_each<N, form>(in[0], detail::StoreOrders<Real>{out});
  }
};

template <class Real>
Table<Real> arguments() {
  Table<Real> x = {{0}};
  for (double value = 1e-3; value < 400; value *= 1.13) x.push_back({static_cast<Real>(value)});
  return x;
}

template <class Real>
constexpr double kRelative = sizeof(Real) == 8 ? 1e-14 : 2e-6;

template <class Real>
class BoysVariants : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(BoysVariants, Precisions);

TYPED_TEST(BoysVariants, DerivativesAreTheNextOrder) {
  constexpr int N = 7;
  const auto x = arguments<TypeParam>();
  const auto out = apply_on_device<Derivatives<N, TypeParam>>(x, 2 * N + 2);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto reference = test::boys_reference(x[i][0]);
    for (int n = 0; n <= N; ++n) {
      EXPECT_NEAR(out[i][n] / reference[n], 1, kRelative<TypeParam>);
      EXPECT_NEAR(-out[i][N + 1 + n] / reference[n + 1], 1, kRelative<TypeParam>)
          << "x = " << x[i][0] << ", n = " << n;
    }
  }
}

// The attenuated integrals by their definition, integral of t^(2n) e^(-x t^2) over [0, sqrt(s)],
// which is s^(n+1/2) F_n(s x).
TYPED_TEST(BoysVariants, SplitTheInteraction) {
  constexpr int N = 8;
  Table<TypeParam> in;
  for (const double omega : {0.0, 0.11, 0.4, 3.0}) {
    for (const auto& x : arguments<TypeParam>())
      in.push_back({x[0], TypeParam(0.8), static_cast<TypeParam>(omega)});
  }
  const auto erf = apply_on_device<LongRange<N, TypeParam>>(in, N + 1);
  const auto erfc = apply_on_device<ShortRange<N, TypeParam>>(in, N + 1);
  for (std::size_t i = 0; i < in.size(); ++i) {
    // The bound holds at the s and s x that were formed in working precision.
    const TypeParam omega2 = in[i][2] * in[i][2], s = omega2 / (omega2 + in[i][1]);
    const auto whole = test::boys_reference(in[i][0]);
    const auto reduced = test::boys_reference(s * in[i][0]);
    for (int n = 0; n <= N; ++n) {
      const long double expected = std::pow(static_cast<long double>(s), n + 0.5L) * reduced[n];
      if (expected < std::numeric_limits<TypeParam>::min() && expected > 0) continue;
      const std::string where = "x = " + std::to_string(in[i][0]) +
                                ", omega = " + std::to_string(in[i][2]) +
                                ", n = " + std::to_string(n);
      EXPECT_NEAR(erf[i][n], expected, 2 * kRelative<TypeParam> * expected) << where;
      EXPECT_NEAR(erfc[i][n], whole[n] - expected, 3 * kRelative<TypeParam> * whole[n]) << where;
    }
  }
}

TYPED_TEST(BoysVariants, WeightedValuesNeitherUnderflowNorLoseAccuracy) {
  constexpr int N = 12;
  auto x = arguments<TypeParam>();
  x.push_back({std::numeric_limits<TypeParam>::infinity()});
  x.push_back({std::numeric_limits<TypeParam>::quiet_NaN()});
  x.push_back({TypeParam(-1)});
  x.push_back({TypeParam(3000)});
  const auto out = apply_on_device<Weighted<N, TypeParam>>(x, N + 1);
  const auto zero = apply_on_device<Weighted<0, TypeParam>>(x, 1);
  const std::size_t finite = x.size() - 4;
  for (std::size_t i = 0; i < finite; ++i) {
    const auto reference = test::boys_reference(x[i][0]);
    for (int n = 0; n <= N; ++n) {
      const long double expected = std::exp(static_cast<long double>(x[i][0])) * reference[n];
      if (expected > std::numeric_limits<TypeParam>::max() / (2 * N + 1)) continue;
      EXPECT_NEAR(out[i][n] / expected, 1, kRelative<TypeParam>)
          << "x = " << x[i][0] << ", n = " << n;
    }
    const long double expected = std::exp(static_cast<long double>(x[i][0])) * reference[0];
    if (expected <= std::numeric_limits<TypeParam>::max()) {
      EXPECT_NEAR(zero[i][0] / expected, 1, kRelative<TypeParam>) << "x = " << x[i][0];
    }
  }
  for (int n = 0; n <= N; ++n) {
    EXPECT_EQ(out[finite][n], std::numeric_limits<TypeParam>::infinity());
    EXPECT_TRUE(std::isnan(out[finite + 1][n]));
    EXPECT_TRUE(std::isnan(out[finite + 2][n]));
    EXPECT_EQ(out[finite + 3][n], std::numeric_limits<TypeParam>::infinity());
  }
}

TEST(BoysMixed, KeepsTheToleranceOfTheIntegral) {
  constexpr int N = 16;
  Table<double> in;
  for (const double weight : {1e-6, -0.01, 1.0, 300.0}) {
    for (const double tolerance : {0.0, 1e-12, 1e-8, 1e-5}) {
      for (double x = 1e-3; x < 1e9; x *= 1.07) in.push_back({x, weight, tolerance});
    }
  }
  const auto out = apply_on_device<Mixed<N>>(in, N + 2);
  int singles = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto reference = test::boys_reference(in[i][0]);
    const double weight = std::abs(in[i][1]), tolerance = in[i][2];
    for (int n = 0; n <= N; ++n) {
      const double error = std::abs(static_cast<double>(out[i][n] - reference[n]));
      EXPECT_LE(weight * error, std::max(tolerance, 4e-16 * weight))
          << "x = " << in[i][0] << ", n = " << n;
    }
    EXPECT_TRUE(tolerance > 0 || out[i][N + 1] == 0);
    singles += out[i][N + 1] == 1;
  }
  // by weight alone, and by the argument: 1e-8 is kept by weight 0.01 from x = 7 on
  EXPECT_GT(singles, 1000);
  EXPECT_LT(singles, static_cast<int>(in.size()) - 2000);
  const auto by_argument = apply_on_device<Mixed<2>>(
      Table<double>{{6, 0.01, 1e-8}, {8, 0.01, 1e-8}, {1e31, 1e-9, 1e-8}}, 4);
  EXPECT_EQ(by_argument[0][3], 0);
  EXPECT_EQ(by_argument[1][3], 1);
  EXPECT_EQ(by_argument[2][3], 0);
}

template <int N>
void check_complex(const Table<double>& rows) {
  Table<double> z;
  for (const auto& row : rows) z.push_back({row[0], row[1]});
  const auto out = apply_on_device<ComplexArgument<N>>(z, 2 * N + 2);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (int n = 0; n <= N; ++n) {
      const double re = rows[i][2 + 2 * n], im = rows[i][3 + 2 * n];
      const double error = std::hypot(out[i][n] - re, out[i][N + 1 + n] - im);
      EXPECT_LE(error, 1e-12 * std::hypot(re, im))
          << "z = " << z[i][0] << " + " << z[i][1] << " i, n = " << n << " of " << N;
    }
  }
}

TEST(BoysComplex, AgreesWithMultiprecision) {
  const auto rows =
      test::read_hexadecimal_rows(std::string(test::kDataDirectory) + "/boys/boys_complex.csv");
  ASSERT_GT(rows.size(), 200u);
  check_complex<0>(rows);
  check_complex<1>(rows);
  check_complex<5>(rows);
  check_complex<16>(rows);
}

TEST(BoysComplex, IsNaNOutsideItsDomain) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto out =
      apply_on_device<ComplexArgument<2>>(Table<double>{{-5, 0}, {-1, 20}, {nan, 0}, {0, nan}}, 6);
  for (const auto& row : out) {
    for (const double value : row) EXPECT_TRUE(std::isnan(value));
  }
}

/// The largest absolute error of the paper's scheme over its ranges and beyond.
template <int N, PaperForm form, class Real>
double paper_error() {
  Table<Real> x = arguments<Real>();
  for (int i = 0; i < 8000; ++i) x.push_back({static_cast<Real>(0.005 * i)});
  const auto out = apply_on_device<Paper<N, form, Real>>(x, N + 1);
  test::WorstError worst;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto reference = test::boys_reference(x[i][0]);
    for (int n = 0; n <= N; ++n) worst.add(static_cast<double>(x[i][0]), out[i][n], reference[n]);
  }
  return worst.absolute;
}

// The paper wants 1e-13 (double) and 3e-7 (single). A GPU's exponential in single precision is less
// exact than a CPU's.
constexpr double kPaperSingle = compat::is_gpu_v<Exec> ? 6e-7 : 4e-7;

template <int... N>
void check_paper(std::integer_sequence<int, N...>) {
  const auto check = [](int n, double rational, double polynomial, double wanted) {
    EXPECT_LE(rational, wanted) << "rational, N = " << n;
    EXPECT_LE(polynomial, wanted) << "polynomial, N = " << n;
  };
  (check(N, paper_error<N, PaperForm::rational, double>(),
         paper_error<N, PaperForm::polynomial, double>(), 1.3e-13),
   ...);
  (check(N, paper_error<N, PaperForm::rational, float>(),
         paper_error<N, PaperForm::polynomial, float>(), kPaperSingle),
   ...);
}

TEST(BoysPaper, KeepsItsAbsoluteAccuracy) {
  check_paper(std::make_integer_sequence<int, 9>());
  EXPECT_LE((paper_error<16, PaperForm::rational, double>()), 3e-13);
}

}  // namespace tessera::boys

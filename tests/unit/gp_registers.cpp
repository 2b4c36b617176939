// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The kernels of Vecchia's approximation that keep a triangle in registers, with one lane a point,
// against plain algebra on the host. (With more lanes they run on GPUs only: gp_vecchia.cpp.)
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/bessel/matern.hpp"
#include "tessera/gp/vecchia/vecchia_registers.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using Host = Kokkos::DefaultHostExecutionSpace;
using Function = Covariance<Matern, EuclideanDistance<2>>;
using detail::FineMatern;
using detail::SweepFields;
using detail::SweepMode;

constexpr int kNeighbours = 6, kPoints = 40;
constexpr double kNugget = 0.07;

struct Problem {
  int columns;
  bool two_ranges, angle, nu, errors;
  bool plain() const { return !two_ranges && !errors; }
};

/// A problem of the kernel: each point has up to six of those before it as neighbours.
class Registers : public testing::TestWithParam<Problem> {
 protected:
  Registers()
      : table(Host(), 0.8),
        covariance{{table.function()},
                   {{1 / 0.3, 1 / (GetParam().two_ranges ? 0.8 : 0.3), 1}},
                   1.4,
                   0,
                   kNugget},
        error_field(GetParam().errors ? 2 + GetParam().columns : -1),
        records("records", kPoints, (2 + GetParam().columns + 1) / 2 * 2 + 2),
        neighbours("neighbours", kPoints, kNeighbours),
        fine_value("value", FineMatern::kBytes / 8),
        fine_order("order", FineMatern::kBytes / 8),
        first(FineMatern::first_exponent(0.8)) {
    const std::vector<double> numbers = test::normals(kPoints * 4, 91);
    for (int i = 0; i < kPoints; ++i) {
      for (int k = 0; k < 2 + GetParam().columns; ++k)
        records(i, k) = numbers[static_cast<std::size_t>(i * 4 + k)];
      if (error_field >= 0)
        records(i, error_field) =
            i % 4 == 0 ? 0 : 0.3 * std::fabs(numbers[static_cast<std::size_t>(i * 4)]);
      for (int k = 0; k < kNeighbours; ++k) neighbours(i, k) = k < i ? i - 1 - k : -1;
    }
    Kokkos::parallel_for(
        "tessera::test::build_fine_matern", Kokkos::RangePolicy<Host>(0, FineMatern::kStride),
        detail::BuildFineMatern<Host>{covariance.correlation, first, fine_value, fine_order});
    const auto add_term = [&](int term) { terms.term[terms.count++] = term; };
    terms.isotropic = !GetParam().two_ranges;
    add_term(DerivativeSums::kDistance);
    if (GetParam().two_ranges) add_term(DerivativeSums::kDistance + 1);
    if (GetParam().angle) add_term(DerivativeSums::kProduct);
    if (GetParam().nu) add_term(DerivativeSums::kShape);
    if (GetParam().errors) add_term(detail::SweepTerms::kErrors);
  }

  template <SweepMode Mode, int Columns>
  Kokkos::View<double**, Kokkos::LayoutLeft, Host> run(const SweepFields& fields) const {
    constexpr auto kFew = detail::RegisterDerivatives::few, kAll = detail::RegisterDerivatives::all;
    return GetParam().plain() ? run<Mode, Columns, kFew>(fields) : run<Mode, Columns, kAll>(fields);
  }

  template <SweepMode Mode, int Columns, detail::RegisterDerivatives Which>
  Kokkos::View<double**, Kokkos::LayoutLeft, Host> run(const SweepFields& fields) const {
    constexpr detail::RegisterShape kShape{.neighbours = kNeighbours,
                                           .lanes = 1,
                                           .rows = kNeighbours + 1 + 2,
                                           .threads = 1,
                                           .columns = Columns,
                                           .dimension = 2,
                                           .mode = Mode,
                                           .derivatives = Which};
    using Kernel = detail::VecchiaRegisters<Host, Function, kShape>;
    const Kokkos::View<double**, Kokkos::LayoutLeft, Host> output("output", kPoints,
                                                                  fields.count());
    const Kokkos::View<std::int64_t, Host> failed("failed");
    failed() = kPoints;
    detail::RedoList<Host> redo{Kokkos::View<std::int32_t*, Host>("target", kPoints),
                                Kokkos::View<std::int32_t, Host>("count")};
    const detail::SweepProblem<Host, Function> problem{
        covariance, records,     records,     neighbours, 0,      kPoints, kPoints, 0,
        kNugget,    error_field, error_field, fields,     output, {},      failed,  terms};
    const Kernel kernel{problem,
                        reinterpret_cast<const char*>(fine_value.data()),
                        reinterpret_cast<const char*>(fine_order.data()),
                        first,
                        kNeighbours,
                        redo};
    std::vector<double> memory(static_cast<std::size_t>(Kernel::bytes(fields.columns) / 8 + 2));
    auto* const aligned =
        reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 15) / 16 * 16);
    kernel.stage(aligned, 0);
    kernel.run(aligned, 0, 0, 1);
    EXPECT_EQ(redo.count(), 0);
    EXPECT_EQ(failed(), kPoints);
    return output;
  }

  double error_variance(int i) const { return error_field < 0 ? 0 : records(i, error_field); }

  /// D of a pair: 1 on the diagonal, then those of the terms; and the covariance itself (-1).
  double entry(int derivative, int i, int j) const {
    const int term = derivative > 0 ? terms.term[derivative - 1] : 0;
    if (i == j) {
      if (derivative < 0) return covariance.sigma2 + kNugget + error_variance(i);
      return derivative == 0 ? 1 : term == detail::SweepTerms::kErrors ? error_variance(i) : 0;
    }
    if (derivative == 0 || term == detail::SweepTerms::kErrors) return 0;
    double m = 0, u_dm_du = 0, dm_dshape = 0, fraction[DerivativeSums::kFractions];
    const double square = covariance.distance.square({records(i, 0), records(i, 1), 0},
                                                     {records(j, 0), records(j, 1), 0}, fraction);
    covariance.correlation.derivatives(square, m, u_dm_du, dm_dshape);
    if (derivative < 0) return covariance.sigma2 * m;
    if (term == DerivativeSums::kShape) return dm_dshape;
    return terms.isotropic ? u_dm_du : u_dm_du * fraction[term - DerivativeSums::kDistance];
  }

  bessel::MaternTable<Host> table;
  Function covariance;
  int error_field;
  detail::SweepTerms terms;
  Kokkos::View<double**, Kokkos::LayoutRight, Host> records;
  NeighbourView<Host> neighbours;
  Kokkos::View<double*, Host> fine_value, fine_order;
  int first;
};

/// Solves S x = y by elimination; S is small and well conditioned.
std::vector<double> solve(std::vector<std::vector<double>> s, std::vector<double> y) {
  for (std::size_t k = 0; k < y.size(); ++k) {
    for (std::size_t i = k + 1; i < y.size(); ++i) {
      const double factor = s[i][k] / s[k][k];
      for (std::size_t j = k; j < y.size(); ++j) s[i][j] -= factor * s[k][j];
      y[i] -= factor * y[k];
    }
  }
  for (std::size_t k = y.size(); k-- > 0;) {
    for (std::size_t j = k + 1; j < y.size(); ++j) y[k] -= s[k][j] * y[j];
    y[k] /= s[k][k];
  }
  return y;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

TEST_P(Registers, AgreeWithPlainAlgebra) {
  const int columns = GetParam().columns, derivatives = 1 + terms.count;
  const SweepFields none{columns, 0}, alone{columns, derivatives, false},
      both{columns, derivatives};
  const auto value = run<SweepMode::value, 0>(none),
             information = run<SweepMode::information, 0>(both),
             gradient = columns == 1 ? run<SweepMode::gradient, 1>(alone)
                                     : run<SweepMode::gradient, 2>(alone);
  for (int i = 0; i < kPoints; ++i) {
    std::vector<int> c;
    for (int k = 0; k < kNeighbours && k < i; ++k) c.push_back(neighbours(i, k));
    const std::size_t m = c.size();
    std::vector<std::vector<double>> s(m, std::vector<double>(m));
    std::vector<double> cross;
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t j = 0; j < m; ++j) s[k][j] = entry(-1, c[k], c[j]);
      cross.push_back(entry(-1, c[k], i));
    }
    std::vector<double> b = solve(s, cross);
    const double d = entry(-1, i, i) - dot(b, cross);
    b.push_back(-1);
    std::vector<int> all = c;
    all.push_back(i);
    std::vector<std::vector<double>> v;  // D b~, for the neighbours
    std::vector<double> dd;
    for (int q = 0; q < derivatives; ++q) {
      std::vector<double> product;
      for (const int row : all) {
        double sum = 0;
        for (std::size_t k = 0; k <= m; ++k) sum += entry(q, row, all[k]) * b[k];
        product.push_back(sum);
      }
      dd.push_back(dot(product, b));
      product.pop_back();
      v.push_back(product);
    }
    const auto check = [&](const auto& output, const SweepFields& fields, const std::string& what) {
      const double tolerance = 1e-12;
      EXPECT_NEAR(output(i, 0), d, tolerance) << what << i;
      for (int column = 0; column < columns; ++column) {
        std::vector<double> y;
        for (const int row : c) y.push_back(records(row, 2 + column));
        EXPECT_NEAR(output(i, fields.residual(column)),
                    records(i, 2 + column) - dot({b.begin(), b.end() - 1}, y), tolerance)
            << what << i;
        const std::vector<double> weight = solve(s, y);
        for (int q = 0; q < fields.derivatives; ++q)
          EXPECT_NEAR(output(i, fields.d_residual(q, column)), dot(v[q], weight), 20 * tolerance)
              << what << i << ' ' << q;
      }
      for (int q = 0; q < fields.derivatives; ++q) {
        EXPECT_NEAR(output(i, fields.d_variance(q)), dd[q], 20 * tolerance)
            << what << i << ' ' << q;
        for (int p = 0; p <= q && fields.products; ++p)
          EXPECT_NEAR(output(i, fields.product(q, p)), dot(v[q], solve(s, v[p])), 20 * tolerance)
              << what << i << ' ' << q << ' ' << p;
      }
    };
    check(value, none, "value ");
    check(information, both, "information ");
    check(gradient, alone, "gradient ");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Problems, Registers,
    testing::Values(Problem{1, false, false, true, false}, Problem{2, false, false, true, false},
                    Problem{1, false, false, false, false}, Problem{2, true, false, true, false},
                    Problem{1, true, true, true, false}, Problem{2, true, true, false, false},
                    Problem{1, false, false, true, true}, Problem{2, true, true, true, true}));

}  // namespace

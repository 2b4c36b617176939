// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Densities stored in single precision: how far they are from those in double precision, what they
// take, and that they are as reproducible.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tessera/gbees/propagator/rebin.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gbees_restart.hpp"

namespace tessera::test {
namespace {

using gbees::CellList;
using gbees::Scheme;

/// Holds the density stored in single precision against the one in double. Measured on Serial: L1
/// at most 8.3e-8, the mean off by 2.4e-8 standard deviations, the variance by 2.2e-8 of itself,
/// the balance of the conservative scheme by 5e-8.
template <class Problem>
void expect_close(const Problem& problem, double length) {
  constexpr int D = Problem::D;
  auto exact = problem.template start<ExecSpace>();
  auto single = problem.template start<ExecSpace, float>();
  exact.propagate(length);
  single.propagate(length);
  EXPECT_LT(gbees::compare(exact.cells(0), single.cells(0)).l1, 1e-6);
  const auto a = exact.summarize(), b = single.summarize();
  EXPECT_NEAR(a.entropy, b.entropy, 1e-6);
  for (int i = 0; i < D; ++i) {
    EXPECT_NEAR(a.mean[i], b.mean[i], 1e-6 * std::sqrt(a.covariance[i][i])) << "axis " << i;
    EXPECT_NEAR(b.covariance[i][i] / a.covariance[i][i], 1, 1e-6) << "axis " << i;
  }
  EXPECT_NEAR(a.lost_mass, b.lost_mass, 1e-6);
  if (problem.options.scheme == Scheme::reference) return;
  double before = 0;
  for (const auto& step : single.take_history()) {
    ASSERT_NEAR(step.mass + step.lost_mass, 1, 5e-7) << "t = " << step.time;
    ASSERT_GE(step.lost_mass, before) << "t = " << step.time;
    before = step.lost_mass;
  }
}

template <int D>
GbeesProblem<gbees::Equations<D>> equations_with(const gbees::EquationText& text,
                                                 const std::array<double, D>& mean, double sigma,
                                                 double spacing,
                                                 const gbees::PropagatorOptions& options) {
  auto problem = equations_problem<D>(text);
  problem.mean = mean;
  problem.sigma.fill(sigma);
  problem.spacing.fill(spacing);
  problem.options = options;
  return problem;
}

GbeesProblem<gbees::Equations<3>> aizawa() {
  return equations_with<3>(gbees::aizawa_equations(0.95, 0.7, 0.6, 3.5, 0.25, 0.1), {0.1, 0, 0},
                           0.05, 0.025, options_with(Scheme::conservative, 1e-7));
}

GbeesProblem<gbees::Equations<2>> duffing() {
  return equations_with<2>(gbees::duffing_equations(0.35, 0.3, 1), {0, 1}, 0.1, 0.025,
                           options_with(Scheme::conservative, 8e-9));
}

TEST(SingleStorage, IsCloseToDouble) {
  for (const Scheme scheme : {Scheme::reference, Scheme::conservative}) {
    expect_close(lorenz63(scheme), 1.0);
    expect_close(lorenz96_coarse(scheme), 0.4);
  }
  expect_close(aizawa(), 0.5);
  expect_close(duffing(), 2.0);  // varies in time; threshold 8e-9
}

TEST(SingleStorage, ObservesLikeDouble) {
  auto exact = lorenz63(Scheme::conservative).start<ExecSpace>();
  auto single = lorenz63(Scheme::conservative).start<ExecSpace, float>();
  const auto run = [](auto& density) {
    density.propagate(0.3);
    density.observe({{2, -8.0, 1.0}});
    density.propagate(0.1);
    return density.summarize();
  };
  const auto a = run(exact), b = run(single);
  EXPECT_LT(gbees::compare(exact.cells(0), single.cells(0)).l1, 1e-6);
  EXPECT_NEAR(a.mean[2], b.mean[2], 1e-6);
  EXPECT_NEAR(b.mass + b.lost_mass, 1, 5e-7);
}

/// A density that drifts without changing its shape; cells down to 1e-36, next to the smallest
/// normal number of single precision.
TEST(SingleStorage, HoldsMassesAtTheEndOfItsRange) {
  auto problem = equations_with<1>(gbees::linear_equations({{0.0}}, {1.0}), {0}, 1, 0.1,
                                   options_with(Scheme::conservative, 1e-36));
  problem.options.cfl = 0.5;
  auto exact = problem.start<ExecSpace>();
  auto single = problem.start<ExecSpace, float>();
  exact.propagate(2.0);
  single.propagate(2.0);
  EXPECT_LT(gbees::compare(exact.cells(0), single.cells(0)).l1, 1e-6);
  const CellList a = exact.cells(1e-36), b = single.cells(1e-36);
  ASSERT_EQ(a.key, b.key);
  EXPECT_LT(*std::min_element(b.probability.begin(), b.probability.end()), 1e-34);
  for (std::size_t i = 0; i < a.key.size(); ++i)
    ASSERT_NEAR(a.probability[i], b.probability[i], 1e-4 * a.probability[i]) << i;
}

TEST(SingleStorage, ReportsAVelocityThatItCannotHold) {
  gbees::EquationText text;
  text.variables = {"x"};
  text.equations = {"1 + 1e39 * (x >= 1)"};
  auto problem = equations_problem<1>(text);
  problem.sigma = {0.1};
  problem.spacing = {0.05};
  problem.options = options_with(Scheme::conservative, 1e-9);
  auto density = problem.start<ExecSpace, float>();
  try {
    density.propagate(10.0);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
    EXPECT_NE(std::string(error.what()).find("the velocity at a face is not finite"),
              std::string::npos)
        << error.what();
  }
}

/// Bytes a row saved: half of two masses, of D fluxes where they are stored, and of D velocities
/// where they are.
template <class Problem>
void expect_smaller(const Problem& problem, int saved) {
  constexpr std::uint64_t kMany = 1000000;
  gbees::detail::Cells<Problem::D, ExecSpace, double> of_double;
  gbees::detail::Cells<Problem::D, ExecSpace, float> of_float;
  of_double.stores_fluxes = of_float.stores_fluxes = saved > 8;
  const int velocities =
      gbees::detail::stores_velocity<decltype(problem.dynamics)>() ? 4 * Problem::D : 0;
  EXPECT_EQ(of_double.bytes(kMany) - of_float.bytes(kMany),
            kMany * static_cast<std::uint64_t>(saved - velocities));
  const auto exact = problem.template start<ExecSpace>();
  const auto single = problem.template start<ExecSpace, float>();
  // The rows are those of the start; there is one more for an odd number of cells.
  const std::uint64_t rows = 3 * (exact.state().cells / 2) + 4096;
  const std::uint64_t difference = exact.memory() - single.memory();
  EXPECT_GE(difference, rows * static_cast<std::uint64_t>(saved));
  EXPECT_LE(difference, (rows + 1) * static_cast<std::uint64_t>(saved));
}

TEST(SingleStorage, TakesLessMemory) {
  constexpr bool is_gpu = compat::is_gpu_v<ExecSpace>;
  expect_smaller(lorenz63(Scheme::conservative), 8 + 12);
  expect_smaller(lorenz63(Scheme::reference), 8 + (is_gpu ? 0 : 12));
  expect_smaller(lorenz96_coarse(Scheme::conservative), 8 + 24);
  expect_smaller(aizawa(), 8 + 12 + 12);
}

TEST(SingleStorage, ContinuesWithTheSameBits) {
  for (const Scheme scheme : {Scheme::conservative, Scheme::reference})
    expect_the_same_bits_after_a_restart<ExecSpace, float>(scheme);
}

#ifdef TESSERA_HAVE_SERIAL
TEST(SingleStorage, AgreesWithSerial) {
  for (const Scheme scheme : {Scheme::conservative, Scheme::reference}) {
    auto ours = lorenz63(scheme).start<ExecSpace, float>();
    auto serial = lorenz63(scheme).start<Kokkos::Serial, float>();
    ours.propagate(0.4);
    serial.propagate(0.4);
    // the compilers fuse multiplications and additions differently
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      EXPECT_LT(gbees::compare(ours.cells(0), serial.cells(0)).l1, 1e-6);
    } else {
      expect_equal(ours.cells(0), serial.cells(0));
    }
  }
}
#endif

}  // namespace
}  // namespace tessera::test

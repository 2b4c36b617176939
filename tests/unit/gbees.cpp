// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tessera/core/error.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gbees_restart.hpp"

namespace tessera::test {
namespace {

using gbees::CellKey;
using gbees::CellList;
using gbees::DirectoryKind;
using gbees::Equations;
using gbees::Lorenz63;
using gbees::Scheme;
using testing::HasSubstr;

template <int D>
void check_key() {
  using Key = CellKey<D>;
  for (const std::int64_t k :
       {std::int64_t(0), std::int64_t(1), std::int64_t(-1), Key::limit, -Key::limit}) {
    std::uint64_t key = 0;
    for (int i = 0; i < D; ++i) key |= Key::field(i % 2 ? -k : k, i);
    for (int i = 0; i < D; ++i) {
      ASSERT_EQ(Key::index(key, i), i % 2 ? -k : k) << D << " dimensions, axis " << i;
      const std::uint64_t up = key + Key::unit(i);
      for (int j = 0; j < D; ++j)
        ASSERT_EQ(Key::index(up, j), (j % 2 ? -k : k) + (i == j ? 1 : 0)) << D << " dimensions";
    }
  }
}

TEST(CellKey, HoldsEveryIndexInItsRange) {
  check_key<1>();
  check_key<2>();
  check_key<3>();
  check_key<4>();
  check_key<5>();
  check_key<6>();
  check_key<7>();
  check_key<8>();
}

TEST(Limiter, IsMonotonisedCentral) {
  using gbees::detail::limited_jump;
  EXPECT_EQ(limited_jump(1.0, 1.0), 1.0);
  EXPECT_EQ(limited_jump(1.0, -1.0), 0.0);
  EXPECT_EQ(limited_jump(1.0, 0.0), 0.0);
  EXPECT_EQ(limited_jump(0.0, 1.0), 0.0);
  EXPECT_EQ(limited_jump(1.0, 0.1), 0.2);
  EXPECT_EQ(limited_jump(-1.0, -0.1), -0.2);
  EXPECT_EQ(limited_jump(1.0, 10.0), 2.0);
  EXPECT_DOUBLE_EQ(limited_jump(1.0, 2.0), 1.5);
}

/// A uniform drift in one dimension.
GbeesProblem<Equations<1>> drift_1d(double spacing) {
  auto problem = equations_problem<1>(gbees::linear_equations({{0.0}}, {1.0}));
  problem.sigma[0] = 1;
  problem.spacing[0] = spacing;
  problem.options = options_with(Scheme::conservative, 1e-12);
  return problem;
}

/// L1 distance between the density after a time of 2 and the Gaussian that has drifted as far.
double drift_error(double spacing) {
  const auto problem = drift_1d(spacing);
  auto problem_half = problem;
  problem_half.options.cfl = 0.5;
  auto density = problem_half.start<ExecSpace>();
  density.propagate(2.0);
  const CellList cells = density.cells(0);
  double error = 0;
  for (std::size_t i = 0; i < cells.key.size(); ++i) {
    const double x = problem.grid().coordinate(0, CellKey<1>::index(cells.key[i], 0)) - 2.0;
    error +=
        std::fabs(cells.probability[i] - spacing * std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI));
  }
  return error;
}

TEST(Gbees, ConvergesAtSecondOrderWhereTheDensityIsSmooth) {
  const double coarse = drift_error(0.1), medium = drift_error(0.05), fine = drift_error(0.025);
  EXPECT_LT(fine, 1e-3);
  EXPECT_GT(std::log2(coarse / medium), 1.7);
  EXPECT_GT(std::log2(medium / fine), 1.8);
}

/// Rotation about the origin with a decay, in D dimensions: the mean and covariance are known.
template <int D>
GbeesProblem<Equations<D>> decay() {
  auto problem = equations_problem<D>(gbees::ornstein_uhlenbeck_equations(
      std::vector<double>(D, 0.5), std::vector<double>(D, 0.0)));
  problem.options = options_with(Scheme::conservative, 1e-9);
  for (int i = 0; i < D; ++i) {
    problem.mean[i] = i == 0 ? 1.0 : 0.0;
    problem.sigma[i] = 0.5;
    problem.spacing[i] = D <= 3 ? 0.125 : 0.5;
  }
  return problem;
}

template <int D>
void check_decay(double tolerance) {
  auto density = decay<D>().template start<ExecSpace>();
  density.propagate(0.2);
  const auto summary = density.summarize();
  EXPECT_NEAR(summary.mean[0], std::exp(-0.1), tolerance) << D << " dimensions";
  for (int i = 1; i < D; ++i) EXPECT_NEAR(summary.mean[i], 0.0, tolerance) << D << " dimensions";
  const auto marginals = density.marginals(summary);
  for (int i = 0; i < D; ++i) {
    double total = 0;
    for (const double p : marginals[i]) total += p;
    EXPECT_NEAR(total, summary.mass, 1e-12) << D << " dimensions";
  }
  EXPECT_NEAR(summary.mass + summary.lost_mass, 1.0, 1e-13) << D << " dimensions";
}

TEST(Gbees, WorksInOneToFiveDimensions) {
  check_decay<1>(4e-3);
  check_decay<2>(4e-3);
  check_decay<3>(4e-3);
  check_decay<4>(0.02);
  check_decay<5>(0.02);
}

TEST(Gbees, WorksInSixToEightDimensions) {
  auto check = [](auto problem) {
    constexpr int D = decltype(problem)::D;
    for (int i = 0; i < D; ++i) {
      problem.spacing[i] = 0.5;
      problem.sigma[i] = 0.5;
    }
    problem.options.threshold = std::pow(0.25, D) * 1e-2;
    auto density = problem.template start<ExecSpace>();
    density.propagate(0.1);
    const auto summary = density.summarize();
    EXPECT_NEAR(summary.mass + summary.lost_mass, 1.0, 1e-13) << D << " dimensions";
    EXPECT_NEAR(summary.mean[0], std::exp(-0.05), 0.03) << D << " dimensions";
    EXPECT_NEAR(summary.mean[D - 1], 0.0, 1e-10) << D << " dimensions";
  };
  check(decay<6>());
  check(decay<7>());
  check(decay<8>());
}

TEST(Gbees, AccountsForAllMassAtEveryStep) {
  auto density = lorenz63(Scheme::conservative).start<ExecSpace>();
  density.propagate(1.0);
  const auto history = density.take_history();
  ASSERT_GT(history.size(), 400u);
  for (const auto& step : history) {
    ASSERT_NEAR(step.mass + step.lost_mass, 1.0, 1e-13) << "t = " << step.time;
    ASSERT_GE(step.lost_mass, 0.0) << "t = " << step.time;
  }
  EXPECT_NEAR(density.summarize().mass, history.back().mass, 1e-14);
}

/// Distance of the mean of Lorenz '63 at t = 0.5 from that of a million particles.
double lorenz63_mean_error(double spacing) {
  auto problem = lorenz63(Scheme::conservative);
  problem.spacing = {spacing, spacing, spacing};
  problem.options.threshold = 5e-8;
  auto density = problem.start<ExecSpace>();
  density.propagate(0.5);
  const auto summary = density.summarize();
  EXPECT_LT(summary.lost_mass, 2e-3);  // with what the start leaves out
  return std::hypot(summary.mean[0] - 0.17013306, summary.mean[1] - 1.6493118,
                    summary.mean[2] + 12.852386);
}

TEST(Gbees, ApproachesTheMonteCarloMeanOfLorenz63) {
  const double coarse = lorenz63_mean_error(0.5), fine = lorenz63_mean_error(0.25);
  EXPECT_LT(coarse, 0.45);
  EXPECT_LT(fine, 0.6 * coarse);
}

TEST(Gbees, ObservationMultipliesByTheLikelihood) {
  auto problem = decay<1>();
  problem.spacing[0] = 0.01;
  auto density = problem.start<ExecSpace>();
  density.observe({{0, 2.0, 0.25}});  // prior 1 +- 0.5, measurement 2 +- 0.5
  const auto summary = density.summarize();
  EXPECT_NEAR(summary.mass, 1.0, 1e-6);
  EXPECT_NEAR(summary.mean[0], 1.5, 1e-3);
  EXPECT_NEAR(summary.covariance[0][0], 0.125, 1e-3);
  EXPECT_NEAR(summary.entropy, 0.5 * std::log(2 * M_PI * M_E * 0.125), 1e-3);
}

TEST(Gbees, GivesTheSameBitsEachTime) {
  for (const Scheme scheme : {Scheme::conservative, Scheme::reference}) {
    auto first = lorenz63(scheme).start<ExecSpace>();
    auto second = lorenz63(scheme).start<ExecSpace>();
    first.propagate(0.4);
    second.propagate(0.4);
    expect_equal(first.cells(0), second.cells(0));
    EXPECT_EQ(first.state().mass, second.state().mass);
    EXPECT_EQ(first.state().lost_mass, second.state().lost_mass);
  }
}

#ifdef TESSERA_HAVE_SERIAL
TEST(Gbees, AgreesWithSerial) {
  auto ours = lorenz63(Scheme::conservative).start<ExecSpace>();
  auto serial = lorenz63(Scheme::conservative).start<Kokkos::Serial>();
  ours.propagate(0.4);
  serial.propagate(0.4);
  EXPECT_EQ(ours.state().steps, serial.state().steps);
  EXPECT_EQ(ours.state().cell_steps, serial.state().cell_steps);
  // the compilers fuse multiplications and additions differently
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    const CellList a = ours.cells(5e-6), b = serial.cells(5e-6);
    ASSERT_EQ(a.key, b.key);
    for (std::size_t i = 0; i < a.key.size(); ++i)
      ASSERT_NEAR(a.probability[i], b.probability[i], 1e-12 * b.probability[i]);
  } else {
    expect_equal(ours.cells(0), serial.cells(0));
  }
}
#endif

/// Cells are a set and sums are exact: which container holds the keys does not reach results.
/// Without a persistent kernel, which has the flat map.
template <class Problem>
void check_the_same_with_either_directory(Problem problem, double time) {
  problem.options.persistent_cells = 0;
  const auto run_to_end = [&](DirectoryKind directory) {
    problem.options.directory = directory;
    auto density = problem.template start<ExecSpace>();
    density.propagate(time);
    return density;
  };
  const auto map = run_to_end(DirectoryKind::unordered_map),
             flat = run_to_end(DirectoryKind::flat_map);
  EXPECT_EQ(map.state().steps, flat.state().steps);
  EXPECT_EQ(map.state().cell_steps, flat.state().cell_steps);
  EXPECT_EQ(map.state().lost_mass, flat.state().lost_mass);
  expect_equal(map.cells(0), flat.cells(0));
}

TEST(Gbees, EitherDirectoryGivesTheSameBits) {
  for (const Scheme scheme : {Scheme::reference, Scheme::conservative}) {
    check_the_same_with_either_directory(lorenz63(scheme), 0.2);
    check_the_same_with_either_directory(lorenz96_coarse(scheme), 0.05);
  }
}

/// The number of slots a cell reaches no result either, nor does the size of teams on a GPU. With
/// few slots insertions fail, which enlarges the directory.
TEST(Gbees, SlotsAndTeamsDoNotReachResults) {
  const auto run_to_end = [](auto problem, DirectoryKind directory, double slots, int team_size) {
    problem.options.directory = directory;
    problem.options.slots_per_cell = slots;
    problem.options.team_size = team_size;
    auto density = problem.template start<ExecSpace>();
    density.propagate(0.05);
    return density;
  };
  const auto check = [&](const auto& problem) {
    for (const DirectoryKind directory : {DirectoryKind::unordered_map, DirectoryKind::flat_map}) {
      const auto usual = run_to_end(problem, directory, 0, 0);
      for (const double slots : {1.1, 2.0, 16.0}) {
        const auto other = run_to_end(problem, directory, slots, slots < 2 ? 32 : 384);
        EXPECT_EQ(other.state().steps, usual.state().steps);
        EXPECT_EQ(other.state().cell_steps, usual.state().cell_steps);
        EXPECT_EQ(other.state().lost_mass, usual.state().lost_mass);
        expect_equal(other.cells(0), usual.cells(0));
      }
      EXPECT_GT(run_to_end(problem, directory, 16, 0).memory(),
                run_to_end(problem, directory, 2, 0).memory());
    }
  };
  check(lorenz63(Scheme::conservative));
  check(lorenz96_coarse(Scheme::conservative));
}

TEST(Gbees, SlotsAndTeamsHaveBounds) {
  auto problem = lorenz63(Scheme::conservative);
  for (const double slots : {1.0, 17.0, -1.0}) {
    problem.options.slots_per_cell = slots;
    EXPECT_THROW(problem.start<ExecSpace>(), Error);
  }
  problem.options.slots_per_cell = 0;
  for (const int threads : {-32, 33, 416}) {
    problem.options.team_size = threads;
    EXPECT_THROW(problem.start<ExecSpace>(), Error);
  }
}

/// One kernel makes many steps, or each phase of a step has its own. On a CPU the bits are the
/// same.
template <class Problem>
void check_alike_in_one_kernel_and_in_many(Problem problem, double time) {
  const auto run_to_end = [&](Kernels kernels) {
    problem.options.kernels = kernels;
    auto density = problem.template start<ExecSpace>();
    density.propagate(time);
    return density;
  };
  const auto one = run_to_end(Kernels::fused), many = run_to_end(Kernels::plain);
  EXPECT_EQ(one.state().steps, many.state().steps);
  EXPECT_EQ(one.state().cell_steps, many.state().cell_steps);
  // the compiler fuses differently in different kernels
  EXPECT_NEAR(one.state().mass, many.state().mass, 1e-12);
  EXPECT_NEAR(one.state().lost_mass, many.state().lost_mass, 1e-12);
  if constexpr (!compat::is_gpu_v<ExecSpace>) {
    EXPECT_EQ(one.state().lost_mass, many.state().lost_mass);
    return expect_equal(one.cells(0), many.cells(0));
  }
  const double cut = problem.options.threshold;
  const CellList a = one.cells(cut), b = many.cells(cut);
  ASSERT_EQ(a.key, b.key);
  for (std::size_t i = 0; i < a.key.size(); ++i)
    ASSERT_NEAR(a.probability[i], b.probability[i], 1e-12 * b.probability[i]);
}

TEST(Gbees, StepsAlikeInOneKernelAndInMany) {
  for (const Scheme scheme : {Scheme::reference, Scheme::conservative}) {
    check_alike_in_one_kernel_and_in_many(lorenz63(scheme), 0.6);
    check_alike_in_one_kernel_and_in_many(lorenz96_coarse(scheme), 0.05);
    check_alike_in_one_kernel_and_in_many(
        from_equations(lorenz63(scheme), gbees::lorenz63_equations(4, 1, 48)), 0.3);
  }
}

TEST(Gbees, ContinuesWithTheSameBits) {
  for (const Scheme scheme : {Scheme::conservative, Scheme::reference})
    expect_the_same_bits_after_a_restart<ExecSpace, double>(scheme);
}

/// The message of the error that `f` throws, and its kind.
template <class F>
std::pair<ErrorKind, std::string> catch_error(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  return {ErrorKind::internal, "nothing was thrown"};
}

TEST(Gbees, SurvivesAMemoryLimitWithItsStateWhole) {
  auto problem = lorenz63(Scheme::conservative);
  auto whole = problem.start<ExecSpace>();
  whole.propagate(0.9);

  problem.options.memory_limit = 1200000;
  auto limited = problem.start<ExecSpace>();
  const auto [kind, message] = catch_error([&] { limited.propagate(0.9); });
  EXPECT_EQ(kind, ErrorKind::resource);
  EXPECT_THAT(message, HasSubstr("run.memory_limit"));

  problem.options.memory_limit = 0;
  auto continued = problem.start<ExecSpace>();
  continued.restore(limited.raw_cells(), limited.state());
  while (continued.advance()) {
  }
  expect_equal(continued.cells(0), whole.cells(0));
}

struct Singular {
  static constexpr int dimension = 1;
  KOKKOS_INLINE_FUNCTION double operator()(int, const gbees::Vector<1>& x) const {
    return x[0] < 1 ? 1.0 : 1.0 / 0.0;
  }
};

TEST(Gbees, ReportsAVelocityThatIsNotFinite) {
  const GbeesProblem<Singular> problem{
      {}, {0.0}, {0.1}, {0.05}, options_with(Scheme::conservative, 1e-9), {}};
  auto density = problem.start<ExecSpace>();
  const auto [kind, message] = catch_error([&] { density.propagate(10.0); });
  EXPECT_EQ(kind, ErrorKind::numerical);
  EXPECT_THAT(message, HasSubstr("the velocity at a face is not finite: step "));
  EXPECT_THAT(message, HasSubstr("cell at (1)"));
}

TEST(Gbees, ReportsADensityThatLeavesTheIndexRange) {
  // 8 dimensions have 253 cells along each axis
  GbeesProblem<Equations<8>> problem = decay<8>();
  problem.options.threshold = 1e-5;
  std::vector<double> drift(8, 0.0);
  drift[0] = 1;
  problem.program = gbees::compile(
      gbees::linear_equations(linalg::Matrix(8, std::vector<double>(8, 0.0)), drift));
  auto density = problem.start<ExecSpace>();
  const auto [kind, message] = catch_error([&] { density.propagate(100.0); });
  EXPECT_EQ(kind, ErrorKind::numerical);
  EXPECT_THAT(message, HasSubstr("beyond the 253 cells"));
}

TEST(Gbees, ReportsAMeasurementThatExcludesEverything) {
  auto density = decay<1>().start<ExecSpace>();
  const auto [kind, message] = catch_error([&] { density.observe({{0, 1e6, 1e-6}}); });
  EXPECT_EQ(kind, ErrorKind::numerical);
  EXPECT_THAT(message, HasSubstr("leaves no probability"));
}

TEST(Gbees, RejectsAThresholdThatNoCellReaches) {
  auto problem = decay<2>();
  problem.options.threshold = 0.9;
  const auto [kind, message] = catch_error([&] { problem.start<ExecSpace>(); });
  EXPECT_EQ(kind, ErrorKind::input);
  EXPECT_THAT(message, HasSubstr("no cell of the initial density reaches the threshold"));
}

}  // namespace
}  // namespace tessera::test

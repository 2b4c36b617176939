// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Keys of 128 bits: the same bits as with keys of 64, and densities that those cannot hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/gbees/propagator/rebin.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/gbees_densities.hpp"
#include "tests/unit/gbees_windows.hpp"

namespace tessera::test {
namespace {

using gbees::CellKey;
using gbees::CellListOf;
using gbees::Equations;
using gbees::Grid;
using gbees::Scheme;
using gbees::Vector;
using gbees::WideKey;
using testing::HasSubstr;

template <int D>
auto start_wide(const GbeesProblem<Equations<D>>& problem) {
  return with_wide_keys(problem).template start<ExecSpace>();
}

/// Returns the problem with a kernel for each phase on a GPU, which both kinds of keys have.
template <int D>
GbeesProblem<Equations<D>> launched(GbeesProblem<Equations<D>> problem) {
  problem.options.directory = gbees::DirectoryKind::unordered_map;
  return problem;
}

GbeesProblem<Equations<6>> lorenz96(Scheme scheme) {
  return launched(from_equations(lorenz96_coarse(scheme), gbees::lorenz96_equations(6, 4)));
}

template <int D, class Word>
std::vector<std::int64_t> indices(const CellListOf<Word>& cells, const Vector<D>& offset) {
  std::vector<std::int64_t> all;
  for (const Word key : cells.key) {
    for (int i = 0; i < D; ++i)
      all.push_back(CellKey<D, Word>::index(key, i) + static_cast<std::int64_t>(offset[i]));
  }
  return all;
}

template <int D, class A, class B>
void expect_the_same(const gbees::Density<D, A>& a, const gbees::Density<D, B>& b) {
  const auto of_a = a.raw_cells();
  const auto of_b = b.raw_cells();
  ASSERT_EQ(indices<D>(of_a, a.grid().offset), indices<D>(of_b, b.grid().offset));
  ASSERT_EQ(of_a.probability, of_b.probability);
  expect_the_same_answers(a, b);
}

template <int D>
void check_wide_key() {
  using Key = CellKey<D, WideKey>;
  EXPECT_GE(Key::limit, 32766);
  for (const std::int64_t k :
       {std::int64_t(0), std::int64_t(1), std::int64_t(-1), Key::limit, -Key::limit}) {
    WideKey key = 0;
    for (int i = 0; i < D; ++i) key |= Key::field(i % 2 ? -k : k, i);
    for (int i = 0; i < D; ++i) {
      ASSERT_EQ(Key::index(key, i), i % 2 ? -k : k) << D << " dimensions, axis " << i;
      const WideKey up = key + Key::unit(i);
      for (int j = 0; j < D; ++j)
        ASSERT_EQ(Key::index(up, j), (j % 2 ? -k : k) + (i == j ? 1 : 0)) << D << " dimensions";
    }
  }
}

TEST(WideKeys, HoldEveryIndexInTheirRange) {
  check_wide_key<6>();
  check_wide_key<7>();
  check_wide_key<8>();
}

TEST(WideKeys, AreHashedByAllOfTheirBits) {
  const gbees::detail::CellHash<6, 3, WideKey> hash;
  std::vector<std::uint32_t> found;
  for (int i = 0; i < 6; ++i) {
    for (std::int64_t k = -200; k < 200; ++k) {
      WideKey key = 0;
      for (int j = 0; j < 6; ++j) key |= CellKey<6, WideKey>::field(i == j ? k : 0, j);
      found.push_back(hash(key));
    }
  }
  std::sort(found.begin(), found.end());
  const auto same = found.end() - std::unique(found.begin(), found.end());
  EXPECT_LT(same, 5 + 5);  // the cell in the middle is counted six times
}

TEST(WideKeys, GiveTheSameBits) {
  for (const Scheme scheme : {Scheme::reference, Scheme::conservative}) {
    const auto problem = lorenz96(scheme);
    auto narrow = problem.start<ExecSpace>();
    auto wide = start_wide(problem);
    expect_the_same<6>(narrow, wide);
    narrow.propagate(0.15);
    wide.propagate(0.15);
    expect_the_same<6>(narrow, wide);
    const std::vector<gbees::Observation> seen{{1, narrow.summarize().mean[1], 0.01}};
    EXPECT_EQ(narrow.observe(seen).at(0).log_evidence, wide.observe(seen).at(0).log_evidence);
    narrow.propagate(0.1);
    wide.propagate(0.1);
    expect_the_same<6>(narrow, wide);
    EXPECT_EQ(narrow.take_history().size(), wide.take_history().size());
  }
}

TEST(WideKeys, GiveTheSameBitsAfterARestart) {
  const auto problem = lorenz96(Scheme::conservative);
  auto whole = start_wide(problem);
  whole.begin_interval(0.2);
  whole.advance();
  auto continued = start_wide(problem);
  continued.restore(whole.raw_cells(), whole.state(), whole.grid().offset);
  while (whole.advance()) {
  }
  while (continued.advance()) {
  }
  expect_the_same<6>(whole, continued);
}

/// The window of this density comes to its end immediately.
TEST(WideKeys, HaveAWindowThatTravels) {
  auto problem = lorenz96(Scheme::conservative);
  auto still = start_wide(problem);
  still.begin_interval(0.2);
  const Vector<6> offset = window_that_ends_at<6>(still.raw_cells());
  problem.options.recentre = true;
  auto moved = start_wide(problem);
  moved.restore(gbees::in_window<6, WideKey>(still.raw_cells(), {}, offset), still.state(), offset);
  while (still.advance()) {
  }
  while (moved.advance()) {
  }
  EXPECT_FALSE(std::equal(offset.v, offset.v + 6, moved.grid().offset.v));
  expect_the_same<6>(still, moved);
}

TEST(WideKeys, HoldADensityThatIsWider) {
  const auto problem = launched(spreading(1e-6));
  auto narrow = problem.start<ExecSpace>();
  try {
    narrow.propagate(3);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr(
            "spread beyond the 253 cells that can be indexed along each axis in 8 dimensions"));
    EXPECT_THAT(
        error.what(),
        HasSubstr(
            "remedy: set grid.keys: 128, or use a larger grid.spacing or a higher grid.threshold"));
  }
  auto wide = start_wide(problem);
  wide.propagate(3);
  const auto summary = wide.summarize();
  EXPECT_GT(summary.high[0] - summary.low[0], 1000);
  EXPECT_NEAR(summary.mean[0], 0, 1e-9);
  EXPECT_NEAR(std::sqrt(summary.covariance[0][0]), 10 * std::exp(3.0), 0.02 * 10 * std::exp(3.0));
  EXPECT_NEAR(summary.mass + summary.lost_mass, 1, 1e-13);
}

TEST(WideKeys, SayWhereAVelocityIsNotFinite) {
  const auto what = [](auto density) {
    try {
      density.propagate(10);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  gbees::EquationText text{
      {"a", "b", "c", "d", "e", "f"}, {}, {}, {"1 + 1/(a < 30)", "0", "0", "0", "0", "0"}, {}};
  auto problem = equations_problem<6>(text);
  problem.mean = {28, 0, 0, 0, 0, 0};
  problem.sigma.fill(0.3);
  problem.spacing.fill(0.5);
  problem.options = options_with(Scheme::conservative, 1e-5);
  const std::string narrow = what(launched(problem).start<ExecSpace>()),
                    wide = what(start_wide(launched(problem)));
  EXPECT_THAT(wide, HasSubstr("the velocity at a face is not finite: step "));
  EXPECT_EQ(wide, narrow);
}

TEST(WideKeys, NeedAMapThatTakesThem) {
  auto problem = spreading(1e-6);
  problem.options.directory = gbees::DirectoryKind::flat_map;
  EXPECT_THROW(start_wide(problem), Error);
}

}  // namespace
}  // namespace tessera::test

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/device/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/harness/exec_space.hpp"

namespace tessera::test {
namespace {

double exact_sum(const std::vector<double>& terms) {
  ExactSum sum;
  for (const double term : terms) sum.add(term);
  return sum.value();
}

TEST(ExactSum, OfNothingIsZero) { EXPECT_EQ(ExactSum().value(), 0.0); }

TEST(ExactSum, OfOneTermIsTheTerm) {
  for (const double term :
       {1.0, -1.0, 0.1, -0.1, 3e13, -3e13, 0x1p-79, -0x1p-79, 1.5 * 0x1p-78, 12345.678901234567}) {
    EXPECT_EQ(exact_sum({term}), term) << term;
  }
}

TEST(ExactSum, TruncatesBelowItsUnit) {
  EXPECT_EQ(exact_sum({0x1p-82}), 0.0);
  EXPECT_EQ(exact_sum({-0x1p-82}), 0.0);
  EXPECT_EQ(exact_sum({1.0 / 3, -1.0 / 3}), 0.0);
}

TEST(ExactSum, CancelsExactly) {
  EXPECT_EQ(exact_sum({1e13, 0x1p-40, -1e13}), 0x1p-40);
  EXPECT_EQ(exact_sum({-1e13, 0x1p-70, 1e13}), 0x1p-70);
}

TEST(ExactSum, DoesNotDependOnTheOrder) {
  std::mt19937_64 random(7);
  std::vector<double> terms;
  for (int i = 0; i < 100000; ++i)
    terms.push_back(std::ldexp(std::generate_canonical<double, 53>(random) - 0.3,
                               -static_cast<int>(random() % 60)));
  const double sum = exact_sum(terms);
  long double reference = 0;
  for (const double term : terms) reference += term;
  EXPECT_NEAR(sum, static_cast<double>(reference), 1e-13);
  for (int i = 0; i < 5; ++i) {
    std::shuffle(terms.begin(), terms.end(), random);
    EXPECT_EQ(exact_sum(terms), sum);
  }
}

TEST(ExactSum, OfAnArrayIsThatOfItsTerms) {
  std::mt19937_64 random(11);
  std::vector<double> terms;
  for (int i = 0; i < 5000; ++i)
    terms.push_back(std::ldexp(std::generate_canonical<double, 53>(random),
                               8 - static_cast<int>(random() % 70)));
  ExactSum whole, pieces;
  whole.add_array(terms.data(), 5000);
  pieces.add_array(terms.data(), 777);
  pieces.add_array(terms.data() + 777, 5000 - 777);
  EXPECT_EQ(whole.value(), pieces.value());
  EXPECT_NEAR(whole.value(), exact_sum(terms), 5000 * 0x1p-79 + 1e-16 * whole.value());
  std::shuffle(terms.begin(), terms.end(), random);
  ExactSum shuffled;
  shuffled.add_array(terms.data(), 5000);
  EXPECT_EQ(whole.value(), shuffled.value());
}

TEST(ExactSum, AddsSinglePrecisionTermsExactly) {
  std::vector<float> terms;
  ExactSum one_by_one;
  for (int i = 1; i <= 3000; ++i) {
    terms.push_back(1.0f / static_cast<float>(i));
    one_by_one.add(terms.back());
  }
  ExactSum sum;
  sum.add_array(terms.data(), 3000);
  EXPECT_EQ(sum.value(), one_by_one.value());
}

TEST(ExactSum, OfAnArrayDoesNotDependOnItsParts) {
  for (const double term :
       {0x1p-80, 1.5 * 0x1p-79, 1.25 * 0x1p-78, 0x1p-36 + 0x1p-80, -0x1.8p-80}) {
    const std::vector<double> terms(1000, term);
    ExactSum whole, pieces;
    whole.add_array(terms.data(), 1000);
    for (std::uint32_t begin = 0; begin < 1000; begin += 8)
      pieces.add_array(terms.data() + begin, 8);
    EXPECT_EQ(whole.value(), pieces.value()) << term;
    ExactSum one_by_one;
    for (int i = 0; i < 1000; ++i) one_by_one.add_array(&term, 1);
    EXPECT_EQ(whole.value(), one_by_one.value()) << term;
  }
}

struct HarmonicTerms {
  KOKKOS_INLINE_FUNCTION void operator()(int i, ExactSum& sum) const { sum.add(1.0 / (i + 1)); }
};

TEST(ExactSum, ReducesToTheSameBitsEverywhere) {
  constexpr int n = 1000003;
  using Memory = ExecSpace::memory_space;
  Kokkos::View<ExactSum, Memory> result("result");
  Kokkos::parallel_reduce("harmonic", Kokkos::RangePolicy<ExecSpace>(0, n), HarmonicTerms{},
                          compat::Sum<ExactSum, Memory>(result));
  ExactSum parallel;
  Kokkos::deep_copy(parallel, result);
  ExactSum sequential;
  for (int i = n - 1; i >= 0; --i) HarmonicTerms{}(i, sequential);
  EXPECT_EQ(parallel.value(), sequential.value());
  EXPECT_NEAR(parallel.value(), std::log(n) + 0.57721566490153286 + 0.5 / n, 1e-12);
}

/// Sums of terms of both signs, added to one place by many at the same time.
struct AddToShared {
  Kokkos::View<SharedExactSum, ExecSpace> total;
  KOKKOS_INLINE_FUNCTION static double term(int i) { return (i % 3 == 0 ? -1.0 : 1.0) / (i + 1); }
  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    ExactSum sum;
    for (int k = 0; k < 10; ++k) sum.add(term(10 * i + k));
    total().add(sum);
  }
};

TEST(SharedExactSum, IsTheSumOfItsTerms) {
  constexpr int n = 20000;
  const Kokkos::View<SharedExactSum, ExecSpace> total("total");
  Kokkos::parallel_for("shared", Kokkos::RangePolicy<ExecSpace>(0, n), AddToShared{total});
  SharedExactSum parallel;
  Kokkos::deep_copy(parallel, total);
  ExactSum sequential;
  for (int i = 0; i < 10 * n; ++i) sequential.add(AddToShared::term(i));
  EXPECT_EQ(parallel.total().value(), sequential.value());
}

/// Terms of both signs, added by the threads of teams to sums in their scratch memory.
struct AddInTeams {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Sums = Kokkos::View<TeamExactSum*, ExecSpace::scratch_memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::View<SharedExactSum, ExecSpace> total;
  int terms;
  KOKKOS_INLINE_FUNCTION void operator()(const Policy::member_type& team) const {
    const Sums sums(team.team_scratch(0), 1);
    if (team.team_rank() == 0) sums(0) = TeamExactSum();
    team.team_barrier();
    ExactSum mine;
    const int first = team.league_rank() * team.team_size() + team.team_rank(),
              threads = team.league_size() * team.team_size();
    for (int i = first; i < terms; i += threads) mine.add(AddToShared::term(i));
    sums(0).add(mine);
    team.team_barrier();
    if (team.team_rank() == 0) total().add(sums(0).total());
  }
};

TEST(TeamExactSum, IsTheSumOfItsTerms) {
  constexpr int n = 200000, teams = 7;
  const Kokkos::View<SharedExactSum, ExecSpace> total("total");
  AddInTeams::Policy policy(teams, compat::is_gpu_v<ExecSpace> ? 1024 : 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(AddInTeams::Sums::shmem_size(1))));
  Kokkos::parallel_for("teams", policy, AddInTeams{total, n});
  SharedExactSum parallel;
  Kokkos::deep_copy(parallel, total);
  ExactSum sequential;
  for (int i = 0; i < n; ++i) sequential.add(AddToShared::term(i));
  EXPECT_EQ(parallel.total().value(), sequential.value());
}

}  // namespace
}  // namespace tessera::test

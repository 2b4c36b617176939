// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The probability that two objects meet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/conjunction/approach_statistics.hpp"
#include "tessera/gbees/conjunction/count_pairs.hpp"
#include "tessera/gbees/conjunction/draw_pair.hpp"
#include "tessera/gbees/conjunction/encounter_grid.hpp"
#include "tessera/gbees/conjunction/encounter_plane.hpp"
#include "tessera/gbees/conjunction/meeting_search.hpp"
#include "tessera/gbees/conjunction/probability.hpp"
#include "tessera/gbees/dynamics/equinoctial.hpp"
#include "tessera/gbees/orbits/cdm.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/paths.hpp"

namespace tessera::test {
namespace {

using namespace gbees;
using gbees::detail::Approach;
using gbees::detail::ClosestApproach;
using gbees::detail::OrbitPoint;
using gbees::detail::TwoBodyOrbit;
using ::testing::HasSubstr;

PairTally count(const PairModel& model, const Philox& random, std::uint64_t first,
                std::uint64_t pairs) {
  return count_pairs(ExecSpace(), model, random, first, pairs);
}

MeetingProbability estimate(const Encounter& encounter, const ProbabilityOptions& options) {
  ProbabilityEstimate work(encounter, options, count);
  while (work.advance()) {
  }
  return work.result();
}

Encounter alfano(const std::string& number, double radius, double window) {
  const ConjunctionMessage message =
      read_cdm(std::string(kInputsDirectory) + "/gbees/conjunction/alfano_" + number + ".cdm");
  std::array<ObjectState, 2> objects;
  for (std::size_t n = 0; n < 2; ++n)
    objects[n] = {message.objects[n].state, message.objects[n].inertial_covariance()};
  return prepare_encounter(objects, radius, std::pair(-window, window));
}

/// Two low orbits that cross at a right angle with that miss distance, and small errors.
Encounter crossing(double miss, double deviation, double radius) {
  const double r = 7e6, v = std::sqrt(kEarthMu / r);
  const std::vector<double> variances(6, deviation * deviation);
  std::vector<double> diagonal = variances;
  for (std::size_t i = 3; i < 6; ++i) diagonal[i] = 1e-8;
  const linalg::Matrix covariance = linalg::diagonal(diagonal);
  return prepare_encounter(
      {ObjectState{{r, 0, 0, 0, v, 0}, covariance}, {{r + miss, 0, 0, 0, 0, v}, covariance}},
      radius);
}

TEST(TwoBody, MotionIsThatOfTheElements) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int n = 0; n < 500; ++n) {
    // Two ways to solve Kepler's equation part at 0.05.
    const double g = (n % 2 ? 0.9 : 0.05) * std::fabs(uniform(random));
    const double angle = 3 * uniform(random);
    Elements e{1e-3 * (1.2 + uniform(random)),
               g * std::sin(angle),
               g * std::cos(angle),
               uniform(random),
               uniform(random),
               3 * uniform(random)};
    const TwoBodyOrbit orbit(kEarthMu, e.data());
    const double time = 20000 * uniform(random);
    const OrbitPoint point = orbit.at(time);
    e[5] += e[0] * time;
    const auto state = equinoctial_state({kEarthMu, 0, {}, {}}, e);
    const double r = std::hypot(state[0], state[1], state[2]);
    const double v = std::hypot(state[3], state[4], state[5]);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(point.r[i], state[i], 1e-12 * r / (1 - g)) << g;
      EXPECT_NEAR(point.v[i], state[3 + i], 1e-12 * v / (1 - g)) << g;
      EXPECT_NEAR(point.a[i], -kEarthMu * state[i] / (r * r * r), 1e-11 * kEarthMu / (r * r)) << g;
    }
  }
}

TEST(TwoBody, OtherConicsAreNotBound) {
  const double hyperbola[6] = {1e-3, 0.8, 0.7, 0, 0, 0}, outwards[6] = {-1e-3, 0, 0, 0, 0, 0};
  EXPECT_FALSE(TwoBodyOrbit(kEarthMu, hyperbola).is_bound());
  EXPECT_FALSE(TwoBodyOrbit(kEarthMu, outwards).is_bound());
}

/// The least distance by a fine scan.
double scanned(const TwoBodyOrbit& a, const TwoBodyOrbit& b, double begin, double end) {
  constexpr int kTimes = 20000;
  double least = 1e300, at = begin;
  const auto look = [&](double time) {
    const double d = std::sqrt(detail::relative_point(a, b, time).distance2);
    if (d < least) {
      least = d;
      at = time;
    }
  };
  for (int n = 0; n <= kTimes; ++n) look(begin + (end - begin) * n / kTimes);
  double step = (end - begin) / kTimes;
  for (int n = 0; n < 60; ++n, step *= 0.7) {
    const double middle = at;
    for (const double time : {middle - step, middle + step}) look(std::clamp(time, begin, end));
  }
  return least;
}

// A radius beyond all distances makes the search give distances to its full accuracy.
TEST(ClosestApproaches, AgreeWithAScan) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (int n = 0; n < 60; ++n) {
    // Near each other; every other pair crosses fast.
    double first[6] = {1.1e-3, 0.01, 0.002, 0.3, 0.4, 0.5}, second[6];
    for (int i = 0; i < 6; ++i)
      second[i] = first[i] * (1 + 1e-4 * normal(random)) + (i == 3 && n % 2 ? -0.6 : 0.0);
    const TwoBodyOrbit a(kEarthMu, first), b(kEarthMu, second);
    const detail::EncounterWindow window{-1300, 1200, 0, 14};
    const double expected = scanned(a, b, window.begin, window.end);
    const Approach found = ClosestApproach(a, b, window, 1e9).find();
    EXPECT_NEAR(std::sqrt(found.least2), expected, 1e-5 + 1e-9 * expected) << n;
    EXPECT_EQ(ClosestApproach(a, b, window, 1.0001 * expected + 1e-3).find().least2 <
                  std::pow(1.0001 * expected + 1e-3, 2),
              true);
    EXPECT_FALSE(ClosestApproach(a, b, window, 0.9999 * expected - 1e-3).find().enters);
  }
}

TEST(ClosestApproaches, ShortEncountersAgreeWithLongOnes) {
  const Encounter encounter = crossing(300, 100, 200);
  ASSERT_TRUE(encounter.is_short);
  ASSERT_EQ(encounter.pairs.window.intervals, 1);
  PairModel searched = encounter.pairs;
  searched.window.intervals = 2;  // without the way for one closest approach
  const Philox random(1, 2);
  const PairTally a = count(encounter.pairs, random, 0, 20000);
  const PairTally b = count(searched, random, 0, 20000);
  EXPECT_GT(a.hits, 1000u);
  EXPECT_EQ(a.hits, b.hits);
  EXPECT_EQ(a.entries, b.entries);
}

/// Two orbits near each other, of which every other pair crosses fast.
std::array<std::array<double, 6>, 2> orbits_nearby(std::mt19937& random, int n) {
  std::normal_distribution<double> normal;
  const double eccentricity = n % 3 == 0 ? 0.7 : 0.01;
  std::array<double, 6> first{1.1e-3, eccentricity, 0.002, 0.3, 0.4, normal(random)};
  std::array<double, 6> second = first;
  for (std::size_t i = 0; i < 6; ++i) second[i] *= 1 + 1e-5 * normal(random);
  if (n % 2) second[3] -= 0.6;
  return {first, second};
}

TEST(MeetingSearch, StretchesAreClear) {
  constexpr double kRadius = 100;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int found = 0;
  for (int n = 0; n < 600; ++n) {
    const auto elements = orbits_nearby(random, n);
    const TwoBodyOrbit a(kEarthMu, elements[0].data()), b(kEarthMu, elements[1].data());
    const double time = 3000 * uniform(random), limit = 9000 * uniform(random);
    const detail::PairBounds bounds(kEarthMu, a, b);
    const detail::RelativePoint point = detail::relative_point(a, b, time);
    const double end = detail::ClearStretch(bounds, kRadius, point).reach(time, limit);
    if (end == time) continue;
    ++found;
    EXPECT_GT(scanned(a, b, std::min(time, end), std::max(time, end)), kRadius) << n;
  }
  EXPECT_GT(found, 400);
}

/// Compares the search with that of all intervals, pair by pair, and returns the number of hits.
template <bool kIsImportance>
int compare_searches(const PairModel& model, int pairs) {
  int hits = 0;
  const Philox random(7, 8);
  for (int n = 0; n < pairs; ++n) {
    const detail::PairDraw pair = detail::DrawPair<kIsImportance>(model, random)(n);
    const TwoBodyOrbit a(model.mu, pair.elements), b(model.mu, pair.elements + 6);
    const double radius2 = model.radius * model.radius;
    const Approach all = ClosestApproach(a, b, model.window, model.radius).find();
    const bool meets = all.least2 < radius2;
    hits += meets;
    Approach found{};
    if (!detail::MeetingSearch(model.mu, a, b, model.window, model.radius).find(found)) continue;
    EXPECT_EQ(found.least2 < radius2, meets) << n;
    EXPECT_EQ(found.enters, all.enters) << n;
    EXPECT_EQ(found.starts_inside, all.starts_inside) << n;
  }
  return hits;
}

TEST(MeetingSearch, AgreesWithASearchOfAllIntervals) {
  PairModel eccentric = alfano("05", 10, 1419).pairs;
  for (const int object : {0, 6}) eccentric.mean[object + 1] += 0.6;
  eccentric.window = {-9000, 9000, 100, 250};
  PairModel slow = eccentric;  // the objects stay together
  for (int i = 0; i < 6; ++i) slow.mean[6 + i] = slow.mean[i];
  for (int i = 0; i < 12; ++i) {
    for (double& spread : slow.spread[i]) spread *= 0.1;
  }
  slow.radius = 20;
  eccentric.radius = 20000;
  PairModel late = alfano("05", 10, 1419).pairs;  // without the time of the guess
  late.window = {20, 1400, 0, 16};
  late.radius = 50;
  EXPECT_GT(compare_searches<false>(late, 10000), 100);
  EXPECT_GT(compare_searches<false>(slow, 2000), 500);
  EXPECT_GT(compare_searches<false>(eccentric, 3000), 20);
  for (const Encounter& encounter :
       {alfano("04", 15, 21600), alfano("05", 10, 1419), alfano("05", 40, 10000)}) {
    EXPECT_GT(compare_searches<false>(encounter.pairs, 10000), 300);
    EXPECT_GT(compare_searches<true>(*encounter.rare, 5000), 300);
  }
}

TEST(EncounterPlanes, Probabilities) {
  const double centre[2] = {0, 0}, off[2] = {300, 40};
  EXPECT_NEAR(disc_probability(centre, {{25, 0}, {0, 25}}, 10), 1 - std::exp(-2.0), 1e-12);
  // mpmath
  EXPECT_NEAR(disc_probability(off, {{1e4, 2000}, {2000, 900}}, 15) / 3.82897567502212618e-4, 1,
              1e-9);
  EXPECT_NEAR(disc_probability(off, {{100, 0}, {0, 1e4}}, 15) / 1.22790290024565659e-180, 1, 1e-9);
  EXPECT_NEAR(disc_probability(centre, {{0, 0}, {0, 4}}, 2), std::erf(std::sqrt(0.5)), 1e-10);
  for (const double radius : {1e4, 1e5, 1e6})  // a disc that holds all
    EXPECT_NEAR(disc_probability(off, {{1e4, 2000}, {2000, 900}}, radius), 1, 1e-9) << radius;
  EXPECT_EQ(disc_probability(off, {{0, 0}, {0, 0}}, 2), 0);
  EXPECT_EQ(disc_probability(off, {{0, 0}, {0, 0}}, 400), 1);
}

// Case 5 of Alfano (AAS 09-233): 0.044487386 by the paper, 0.044492344523551 by NASA CARA's
// evaluation. The states are rounded to a millimetre, and the time is found anew.
TEST(EncounterPlanes, AlfanosCases) {
  EXPECT_NEAR(alfano("05", 10, 1419).plane_probability, 0.044492344523551, 5e-6 * 0.0445);
  EXPECT_NEAR(alfano("04", 15, 21600).plane_probability, 0.0493220745447709, 2e-5 * 0.0493);
}

TEST(BinomialIntervals, AreExact) {
  // scipy.stats.beta.ppf
  ProbabilityInterval interval = binomial_interval(0, 100, 0.95);
  EXPECT_EQ(interval.low, 0);
  EXPECT_NEAR(interval.high, 0.036216693, 1e-8);
  interval = binomial_interval(3, 20, 0.95);
  EXPECT_NEAR(interval.low, 0.032070937, 1e-8);
  EXPECT_NEAR(interval.high, 0.378926827, 1e-8);
  interval = binomial_interval(5183, 4'000'000'000, 0.95);
  EXPECT_NEAR(interval.low / 1.2607114003488771e-6, 1, 1e-6);
  EXPECT_NEAR(interval.high / 1.3315155670196735e-6, 1, 1e-6);
  interval = binomial_interval(7, 7, 0.9);
  EXPECT_EQ(interval.high, 1);
  EXPECT_NEAR(interval.low, std::pow(0.05, 1.0 / 7), 1e-10);
}

// Small errors and a fast encounter: the formula in the plane is exact but for 1e-4.
TEST(Probabilities, OfFastEncountersAreThoseOfThePlane) {
  for (const double miss : {0.0, 150.0, 600.0, 900.0}) {
    const Encounter encounter = crossing(miss, 100, 20);
    ASSERT_TRUE(encounter.rare);
    ProbabilityOptions options;
    options.relative_error = 0.004;
    options.sampling = Sampling::importance;
    options.stream = static_cast<std::uint32_t>(miss);
    const MeetingProbability found = estimate(encounter, options);
    EXPECT_TRUE(found.has_converged);
    EXPECT_NEAR(found.value, encounter.plane_probability, 4 * found.standard_error) << miss;
    EXPECT_LE(found.standard_error, 0.004 * found.value);
    EXPECT_LE(found.pairs, 200000u) << miss;
  }
}

TEST(Probabilities, DirectDrawsAndImportanceAgree) {
  for (const std::string number : {"04", "05"}) {
    const Encounter encounter =
        number == "04" ? alfano(number, 15, 21600) : alfano(number, 10, 1419);
    ASSERT_TRUE(encounter.rare) << number;
    ProbabilityOptions options;
    options.relative_error = 0.02;
    options.sampling = Sampling::direct;
    const MeetingProbability direct = estimate(encounter, options);
    options.sampling = Sampling::importance;
    options.seed = 1;
    const MeetingProbability rare = estimate(encounter, options);
    const double error = std::hypot(direct.standard_error, rare.standard_error);
    EXPECT_NEAR(direct.value, rare.value, 4 * error) << number;
    EXPECT_LT(direct.interval.low, direct.value);
    EXPECT_GT(direct.interval.high, direct.value);
    EXPECT_TRUE(rare.is_importance);
  }
}

// 7 364 054 and 4 446 611 hits of 1e8 trials by NASA CARA (Simple Dynamics Monte Carlo).
TEST(Probabilities, OfAlfanosCases) {
  ProbabilityOptions options;
  options.relative_error = 0.015;
  const MeetingProbability slow = estimate(alfano("04", 15, 21600), options);
  EXPECT_NEAR(slow.value, 0.07364054, 4 * slow.standard_error);
  const MeetingProbability low = estimate(alfano("05", 10, 1419), options);
  EXPECT_NEAR(low.value, 0.04446611, 4 * low.standard_error);
}

TEST(Probabilities, BitsDoNotDependOnTheDivision) {
  const Encounter encounter = alfano("05", 10, 1419);
  for (const PairModel& model : {encounter.pairs, *encounter.rare}) {
    const Philox random(3, 4);
    const PairTally whole = count(model, random, 100, 5000);
    PairTally parts;
    for (std::uint64_t first = 5099; first + 1 > 100; first -= 1000)
      parts += count(model, random, first - 999, 1000);
    EXPECT_EQ(whole.pairs, parts.pairs);
    EXPECT_EQ(whole.hits, parts.hits);
    EXPECT_EQ(whole.weight.value(), parts.weight.value());
    EXPECT_EQ(whole.usual_squares.value(), parts.usual_squares.value());
    EXPECT_EQ(whole.large_squares.value(), parts.large_squares.value());
    EXPECT_GT(whole.hits, 0u);
  }
  ProbabilityOptions options;
  options.relative_error = 0.03;
  const MeetingProbability first = estimate(encounter, options);
  options.chunk = 777;
  const MeetingProbability second = estimate(encounter, options);
  EXPECT_EQ(first.value, second.value);
  EXPECT_EQ(first.pairs, second.pairs);
}

TEST(Probabilities, AnEstimateGoesOn) {
  const Encounter encounter = alfano("05", 10, 1419);
  ProbabilityOptions options;
  options.relative_error = 0.03;
  options.chunk = 10000;
  ProbabilityEstimate first(encounter, options, count), second(encounter, options, count);
  for (int n = 0; n < 3; ++n) first.advance();
  second.continue_from(first.state());
  while (second.advance()) {
  }
  EXPECT_EQ(second.result().value, estimate(encounter, options).value);
}

TEST(Probabilities, WithoutHitsHaveAnUpperBound) {
  const Encounter encounter = crossing(5000, 100, 20);  // 35 standard deviations
  ProbabilityOptions options;
  options.most_pairs = 100000;
  options.sampling = Sampling::direct;
  const MeetingProbability found = estimate(encounter, options);
  EXPECT_EQ(found.value, 0);
  EXPECT_FALSE(found.has_converged);
  EXPECT_EQ(found.pairs, 100000u);
  EXPECT_NEAR(found.interval.high, -std::log(0.025) / 100000, 1e-8);
}

TEST(Encounters, ThatBeginInsideAreToldApart) {
  const Encounter encounter = crossing(0, 5, 50);
  Encounter late = encounter;
  late.pairs.window.begin = 0;  // at the closest approach
  ProbabilityOptions options;
  options.sampling = Sampling::direct;
  options.relative_error = 0.05;
  const MeetingProbability whole = estimate(encounter, options), half = estimate(late, options);
  EXPECT_GT(whole.value, 0.99);
  EXPECT_EQ(whole.starts_inside, 0);
  EXPECT_EQ(whole.entries, whole.value);
  EXPECT_GT(half.starts_inside, 0.99);
  EXPECT_LT(half.entries, 0.01);
}

// The same pairs as are counted; the history and the quantiles of a fast encounter.
TEST(ApproachStatistics, OfAFastEncounter) {
  const Encounter encounter = crossing(300, 100, 200);
  const Philox random(1, 2);
  const PairTally tally = count(encounter.pairs, random, 7, 3000);
  const PairRecords records = record_pairs(ExecSpace(), encounter.pairs, random, 7, 3000);
  const auto hits = std::count_if(records.distance.begin(), records.distance.end(),
                                  [](double distance) { return distance < 200; });
  EXPECT_EQ(static_cast<std::uint64_t>(hits), tally.hits);
  const auto record = [](const PairModel& model, const Philox& bits, std::uint64_t first,
                         std::uint64_t pairs) {
    return record_pairs(ExecSpace(), model, bits, first, pairs);
  };
  const gbees::ApproachStatistics plain =
      find_approach_statistics(encounter, false, random, record);
  const gbees::ApproachStatistics rare = find_approach_statistics(encounter, true, random, record);
  EXPECT_EQ(plain.miss_quantiles, rare.miss_quantiles);
  // The least distance is that in the plane: 300 m and two deviations of 141 m.
  std::mt19937 generator(3);
  std::normal_distribution<double> normal(0, 100 * std::sqrt(2.0));
  std::vector<double> expected;
  for (int n = 0; n < 200000; ++n)
    expected.push_back(std::hypot(300 + normal(generator), normal(generator)));
  std::sort(expected.begin(), expected.end());
  for (std::size_t k = 1; k < 6; ++k) {
    const auto at = static_cast<std::size_t>(gbees::ApproachStatistics::levels()[k] * 200000);
    EXPECT_NEAR(plain.miss_quantiles[k] / expected[at], 1, 0.02);
  }
  EXPECT_EQ(plain.miss_density, rare.miss_density);
  const double width = plain.miss_quantiles.back() / gbees::ApproachStatistics::kBins;
  double integral = 0;
  for (std::size_t k = 0; k < plain.miss_density.size(); ++k) {
    integral += plain.miss_density[k] * width;
    const double low = width * static_cast<double>(k);
    const auto there = std::lower_bound(expected.begin(), expected.end(), low + width) -
                       std::lower_bound(expected.begin(), expected.end(), low);
    EXPECT_NEAR(plain.miss_density[k] * width, static_cast<double>(there) / 200000, 4e-3) << k;
  }
  EXPECT_NEAR(integral, 0.99, 1e-3);
  for (const auto& statistics : {plain, rare}) {
    EXPECT_EQ(statistics.share_before.front(), 0);
    EXPECT_NEAR(statistics.share_before.back(), 1, 1e-12);
    const auto middle = std::lower_bound(statistics.times.begin(), statistics.times.end(),
                                         encounter.closest_approach) -
                        statistics.times.begin();
    EXPECT_NEAR(statistics.share_before[static_cast<std::size_t>(middle)], 0.5, 0.05);
    EXPECT_TRUE(std::is_sorted(statistics.share_before.begin(), statistics.share_before.end()));
  }
}

TEST(Encounters, Refusals) {
  const linalg::Matrix covariance = linalg::diagonal({1, 1, 1, 1, 1, 1});
  const ObjectState low{{7e6, 0, 0, 0, 7500, 0}, covariance};
  const auto refused = [&](const ObjectState& second) {
    try {
      prepare_encounter({low, second}, 10);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused({{7e6, 0, 0, 0, 12000, 0}, covariance}),
              HasSubstr("the state of object 2 is hyperbolic"));
  EXPECT_THAT(refused({{7e6, 0, 0, 0, 10600, 0}, covariance}), HasSubstr("eccentricity of 0.97"));
  EXPECT_THAT(refused(low), HasSubstr("the same velocity"));
  const linalg::Matrix large = linalg::diagonal({1e15, 1, 1, 1, 1, 1});
  EXPECT_THAT(refused({{7e6, 0, 0, 0, -7500, 0}, large}),
              HasSubstr("covariance of object 2 is so large"));
  EXPECT_EQ(refused({{7e6, 0, 0, 0, -7500, 0}, covariance}), "");  // retrograde
}

// The axes do not matter: a turn of everything by 170 degrees about x makes both retrograde.
TEST(Encounters, RetrogradeOrbits) {
  const double r = 7e6, v = 7546, c = std::cos(2.97), s = std::sin(2.97);
  const linalg::Matrix covariance = linalg::diagonal({1e4, 1e4, 1e4, 1e-6, 1e-6, 1e-6});
  const Encounter plain = prepare_encounter({ObjectState{{r, 0, 0, 0, v, 0}, covariance},
                                             {{r, 100, 50, 0, 0.9 * v, 0.3 * v}, covariance}},
                                            30);
  const Encounter turned = prepare_encounter({ObjectState{{r, 0, 0, 0, c * v, s * v}, covariance},
                                              {{r, c * 100 - s * 50, s * 100 + c * 50, 0,
                                                v * (0.9 * c - 0.3 * s), v * (0.9 * s + 0.3 * c)},
                                               covariance}},
                                             30);
  EXPECT_NEAR(plain.miss_distance, turned.miss_distance, 1e-6);
  EXPECT_NEAR(plain.plane_probability, turned.plane_probability, 1e-9);
  ProbabilityOptions options;
  options.relative_error = 0.01;
  const MeetingProbability a = estimate(plain, options), b = estimate(turned, options);
  EXPECT_NEAR(a.value, b.value, 4 * std::hypot(a.standard_error, b.standard_error));
}

// Where errors are small the density in the encounter plane is Gaussian, and the grid gives the
// published formula.
TEST(EncounterGrid, GaussianPlane) {
  for (const double miss : {0.0, 30.0, 90.0}) {
    const Encounter encounter = crossing(miss, 20, 10);
    const GridProbability grid = grid_probability(encounter);
    EXPECT_EQ(grid.status, GridProbability::Status::known);
    EXPECT_NEAR(grid.value / encounter.plane_probability, 1, 1e-3) << miss;
    EXPECT_LT(grid.turn, 0.01);
  }
}

/// Two low orbits that cross at a right angle, with errors of 20 km along the orbits, which follow
/// their arcs, and of 30 m across. The second object passes the crossing that far ahead of the
/// first.
Encounter curved(double ahead) {
  const double r = 7e6, v = std::sqrt(kEarthMu / r), along = 2e4, rate = v / r;
  const auto object = [&](std::size_t axis, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    ObjectState result;
    result.state = {r * c, 0, 0, -v * s, 0, 0};
    result.state[axis] = r * s;
    result.state[3 + axis] = v * c;
    // An error along the orbit is one of the angle, which turns the velocity too.
    result.covariance = linalg::diagonal({900, 900, 900, 1e-6, 1e-6, 1e-6});
    std::vector<double> shift(6, 0.0);
    shift[0] = -along * s;
    shift[axis] = along * c;
    shift[3] = -along * rate * c;
    shift[3 + axis] = -along * rate * s;
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) result.covariance[i][j] += shift[i] * shift[j];
    }
    return result;
  };
  return prepare_encounter({object(1, 0), object(2, ahead / r)}, 20);
}

// Beside pairs: a curved density, where the formula is off by more than a factor of two.
TEST(EncounterGrid, CurvedPlane) {
  const Encounter encounter = curved(6e4);
  ProbabilityOptions options;
  options.relative_error = 0.01;
  const MeetingProbability pairs = estimate(encounter, options);
  EXPECT_TRUE(pairs.has_converged);
  const GridProbability grid = grid_probability(encounter);
  EXPECT_EQ(grid.status, GridProbability::Status::known);
  EXPECT_NEAR(grid.value, pairs.value, 4 * pairs.standard_error);
  EXPECT_GT(std::fabs(std::log2(encounter.plane_probability / pairs.value)), 1);
  EXPECT_LT(grid.cells, 200u);
}

TEST(EncounterGrid, SaysWhereItHasNoNumber) {
  // of case 4 objects stay together for hours
  const GridProbability slow = grid_probability(alfano("04", 15, 21600));
  EXPECT_EQ(slow.status, GridProbability::Status::not_short);
  EXPECT_TRUE(std::isnan(slow.value));
  EXPECT_GT(slow.turn, 1);
  // of case 5 4 446 611 of 1e8 trials meet
  const GridProbability quick = grid_probability(alfano("05", 10, 1420));
  EXPECT_EQ(quick.status, GridProbability::Status::known);
  EXPECT_NEAR(quick.value / 0.04446611, 1, 2e-3);
  const double r = 7e6, v = std::sqrt(kEarthMu / r);
  const linalg::Matrix covariance = linalg::diagonal({1e6, 1e6, 1e6, 1, 1, 1});
  const Encounter cut = prepare_encounter(
      {ObjectState{{r, 0, 0, 0, v, 0}, covariance}, {{r, 0, 0, 0, 0, v}, covariance}}, 20,
      std::pair(-0.05, 0.05));
  EXPECT_EQ(grid_probability(cut).status, GridProbability::Status::cut_by_window);
  EXPECT_TRUE(std::isnan(grid_probability(cut).value));
}

}  // namespace
}  // namespace tessera::test

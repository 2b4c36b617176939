// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/conjunction/probability.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tessera/core/error.hpp"
#include "tessera/core/seed.hpp"

namespace tessera::gbees {

namespace {

constexpr std::uint64_t kPilot = 1 << 15;
constexpr std::uint64_t kFirst = 1 << 17;
/// Hits of the pilot from which on pairs are always drawn directly: of one in a hundred
constexpr std::uint64_t kManyHits = kPilot / 100;
/// What a pair of importance sampling costs, in pairs that are drawn directly
constexpr double kCost = 3;

/// The mean of weights and its standard error.
struct WeightMean {
  double mean = 0, error = 0;
};

WeightMean weight_mean(const PairModel& model, const PairTally& tally) {
  const double n = static_cast<double>(tally.pairs);
  if (!(n > 1)) return {};
  const double mean = tally.sum_of_weights() / n;
  const double square = tally.sum_of_squares(model.usual_scale) / n;
  return {mean, std::sqrt(std::max(square - mean * mean, 0.0) / (n - 1))};
}

/// The inverse of the normal distribution at (1 + level)/2, by bisection.
double normal_width(double level) {
  double low = 0, high = 40;
  for (int n = 0; n < 100; ++n) {
    const double middle = 0.5 * (low + high);
    (std::erf(middle * std::sqrt(0.5)) < level ? low : high) = middle;
  }
  return low;
}

}  // namespace

ProbabilityEstimate::ProbabilityEstimate(const Encounter& encounter,
                                         const ProbabilityOptions& options, PairCounter count)
    : m_encounter(encounter), m_options(options), m_count(std::move(count)) {
  if (m_options.sampling == Sampling::importance && !encounter.rare) {
    throw Error(ErrorKind::numerical,
                "importance sampling finds no pair that meets: nothing moves the objects across "
                "the encounter plane, or the mean orbits are too far apart",
                "set conjunction.sampling: direct");
  }
}

const PairModel& ProbabilityEstimate::model() const {
  return m_state.is_importance ? *m_encounter.rare : m_encounter.pairs;
}

void ProbabilityEstimate::choose() {
  const Philox random = seeded_philox(m_options.seed, m_options.stream + 1);
  m_state.pilot = m_count(m_encounter.pairs, random, 0, kPilot);
  m_state.pilot_pairs = kPilot;
  m_state.is_importance = m_options.sampling == Sampling::importance;
  if (m_options.sampling == Sampling::automatic && m_encounter.rare) {
    const PairTally rare = m_count(*m_encounter.rare, random, 0, kPilot);
    m_state.pilot_pairs += kPilot;
    const WeightMean found = weight_mean(*m_encounter.rare, rare);
    const double of_rare = found.mean > 0 ? kPilot * std::pow(found.error / found.mean, 2)
                                          : std::numeric_limits<double>::infinity();
    const double hits = std::max(static_cast<double>(m_state.pilot.hits), 0.5);
    const double of_direct = (static_cast<double>(kPilot) - hits) / hits;
    m_state.is_importance = kCost * of_rare < of_direct && m_state.pilot.hits < kManyHits;
  }
  m_state.has_chosen = true;
  m_state.target = std::min(kFirst, m_options.most_pairs);
}

double ProbabilityEstimate::relative_error() const {
  const MeetingProbability now = result();
  if (now.value > 0 && now.standard_error > 0) return now.standard_error / now.value;
  // All pairs meet, or none.
  return now.value > 0 ? 0 : std::numeric_limits<double>::infinity();
}

void ProbabilityEstimate::set_next_target() {
  const double now = static_cast<double>(m_state.target);
  const double error = relative_error();
  const double needed = std::isfinite(error)
                            ? 1.02 * now * std::pow(error / m_options.relative_error, 2)
                            : std::numeric_limits<double>::infinity();
  const double next = std::clamp(needed, 1.1 * now, 8 * now);
  m_state.target = static_cast<std::uint64_t>(
      std::min(std::ceil(next), static_cast<double>(m_options.most_pairs)));
}

bool ProbabilityEstimate::advance() {
  if (!m_state.has_chosen) {
    choose();
    return true;
  }
  const Philox random = seeded_philox(m_options.seed, m_options.stream);
  const std::uint64_t count = std::min(m_options.chunk, m_state.target - m_state.tally.pairs);
  m_state.tally += m_count(model(), random, m_state.tally.pairs, count);
  if (m_state.tally.pairs < m_state.target) return true;
  m_state.has_converged = relative_error() <= m_options.relative_error;
  if (m_state.has_converged || m_state.tally.pairs >= m_options.most_pairs) return false;
  set_next_target();
  return true;
}

double ProbabilityEstimate::fraction() const {
  if (m_state.tally.pairs == 0) return 0;
  const double error = relative_error();
  const double by_error =
      std::isfinite(error) ? std::pow(m_options.relative_error / std::max(error, 1e-300), 2) : 0;
  const double by_pairs =
      static_cast<double>(m_state.tally.pairs) / static_cast<double>(m_options.most_pairs);
  return std::min(1.0, std::max(by_error, by_pairs));
}

MeetingProbability ProbabilityEstimate::result() const {
  MeetingProbability result;
  result.pairs = m_state.tally.pairs;
  result.hits = m_state.tally.hits;
  result.unbound = m_state.tally.unbound;
  result.is_importance = m_state.is_importance;
  result.has_converged = m_state.has_converged;
  result.pilot_pairs = m_state.has_chosen ? kPilot : 0;
  result.pilot_hits = m_state.pilot.hits;
  if (result.pairs == 0) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    result.value = result.standard_error = result.starts_inside = result.entries = kUnknown;
    return result;
  }
  const double n = static_cast<double>(result.pairs);
  if (!m_state.is_importance) {
    result.value = static_cast<double>(result.hits) / n;
    result.standard_error = std::sqrt(result.value * (1 - result.value) / n);
    result.interval = binomial_interval(result.hits, result.pairs, m_options.level);
    result.starts_inside = static_cast<double>(m_state.tally.starts_inside) / n;
    result.entries = static_cast<double>(m_state.tally.entries) / n;
    return result;
  }
  const PairModel& rare = *m_encounter.rare;
  const WeightMean found = weight_mean(rare, m_state.tally);
  result.value = found.mean;
  result.standard_error = found.error;
  const double half = normal_width(m_options.level) * found.error;
  result.interval = {std::max(found.mean - half, 0.0), std::min(found.mean + half, 1.0)};
  if (result.hits == 0) {
    // One in ten pairs is drawn as it is.
    const auto as_they_are = static_cast<std::uint64_t>(TubeProposal::kPrior * n);
    result.interval = binomial_interval(0, as_they_are, m_options.level);
  }
  result.starts_inside = m_state.tally.weight_inside.value() / PairTally::kScale / n;
  result.entries = m_state.tally.weight_entries.value() / PairTally::kScale / n;
  return result;
}

}  // namespace tessera::gbees

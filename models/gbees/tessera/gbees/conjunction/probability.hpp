// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tessera/core/random.hpp"
#include "tessera/gbees/conjunction/binomial_interval.hpp"
#include "tessera/gbees/conjunction/encounter.hpp"

namespace tessera::gbees {

/// Counts a range of the pairs of a model: count_pairs on some device, of some ranks.
using PairCounter = std::function<PairTally(const PairModel& model, const Philox& random,
                                            std::uint64_t first, std::uint64_t count)>;

enum class Sampling { automatic, direct, importance };

struct ProbabilityOptions {
  double relative_error = 0.005;  ///< standard error over probability at which it ends
  std::uint64_t most_pairs = 1'000'000'000;
  Sampling sampling = Sampling::automatic;
  double level = 0.95;  ///< of the interval
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;       ///< of random numbers; 2 streams are used, this one and the next
  std::uint64_t chunk = 1 << 18;  ///< pairs that are counted at a time: no result depends on it
};

/// The probability that two objects come closer than the radius within the window.
struct MeetingProbability {
  double value = 0, standard_error = 0;
  ProbabilityInterval interval;
  double starts_inside = 0;  ///< the part of it that is closer at the window's beginning
  double entries = 0;        ///< the probability that they come closer after they were not
  std::uint64_t pairs = 0, hits = 0, unbound = 0;
  bool is_importance = false;
  bool has_converged = false;
  std::uint64_t pilot_pairs = 0, pilot_hits = 0;  ///< drawn directly beforehand
};

/// How far an estimate has come, for a run that is continued.
struct EstimateState {
  PairTally tally, pilot;
  std::uint64_t target = 0, pilot_pairs = 0;
  bool has_chosen = false, is_importance = false, has_converged = false;
};

/// Estimates the probability by drawing pairs until the error is small enough. The numbers of pairs
/// after which it looks depend on what was found, not on the device, so that all devices draw the
/// same pairs. A pilot of 2^15 pairs of each kind, which do not count, chooses how to draw.
///
/// Intervals: of pairs that are drawn directly the exact binomial one; of importance sampling the
/// normal one, or up to the exact bound of none where there was no hit.
class ProbabilityEstimate {
 public:
  ProbabilityEstimate(const Encounter& encounter, const ProbabilityOptions& options,
                      PairCounter count);

  /// Counts a chunk of pairs; false when the work is done.
  bool advance();

  /// What is known so far; before the first pair no number but the interval from 0 to 1.
  MeetingProbability result() const;

  std::uint64_t pairs_drawn() const { return m_state.tally.pairs + m_state.pilot_pairs; }

  /// The part of the work that is done, as far as the error so far tells.
  double fraction() const;

  const EstimateState& state() const { return m_state; }
  void continue_from(const EstimateState& state) { m_state = state; }

 private:
  void choose();
  double relative_error() const;
  void set_next_target();
  const PairModel& model() const;

  const Encounter m_encounter;
  ProbabilityOptions m_options;
  PairCounter m_count;
  EstimateState m_state;
};

}  // namespace tessera::gbees

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/conjunction_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tessera/core/device/on_backend.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/seed.hpp"
#include "tessera/gbees/conjunction/approach_statistics.hpp"
#include "tessera/gbees/conjunction/count_pairs.hpp"
#include "tessera/gbees/conjunction/encounter_grid.hpp"
#include "tessera/gbees/program/conjunction_table.hpp"

namespace tessera::gbees {

namespace {

/// Pairs that are counted at a time: half a second of a core, and much less of a GPU.
std::uint64_t chunk_of(Backend backend) {
  switch (backend) {
    case Backend::cuda:
      return 1 << 25;
    case Backend::openmp:
      return 1 << 20;
    default:
      return 1 << 16;
  }
}

/// Counts the pairs of all ranks, each a part of them.
PairCounter make_counter(Backend backend, const parallel::Communicator& ranks) {
  return on_backend(backend, [&](auto space) -> PairCounter {
    using ExecSpace = typename decltype(space)::type;
    return [exec = ExecSpace(), ranks](const PairModel& model, const Philox& random,
                                       std::uint64_t first, std::uint64_t count) {
      const parallel::Range own = ranks.share(static_cast<std::int64_t>(count));
      PairTally tally;
      if (own.size() > 0) {
        tally = count_pairs(exec, model, random, first + static_cast<std::uint64_t>(own.begin),
                            static_cast<std::uint64_t>(own.size()));
      }
      return ranks.sum(tally);
    };
  });
}

/// Keeps pairs: all ranks the same ones.
PairRecorder make_recorder(Backend backend) {
  return on_backend(backend, [&](auto space) -> PairRecorder {
    using ExecSpace = typename decltype(space)::type;
    return [exec = ExecSpace()](const PairModel& model, const Philox& random, std::uint64_t first,
                                std::uint64_t count) {
      return record_pairs(exec, model, random, first, count);
    };
  });
}

std::vector<std::uint64_t> words_of(const PairTally& tally) {
  static_assert(sizeof(PairTally) % sizeof(std::uint64_t) == 0);
  std::vector<std::uint64_t> words(sizeof(PairTally) / sizeof(std::uint64_t));
  std::memcpy(words.data(), &tally, sizeof tally);
  return words;
}

PairTally tally_of(const std::vector<std::uint64_t>& words) {
  PairTally tally;
  std::memcpy(static_cast<void*>(&tally), words.data(), sizeof tally);
  return tally;
}

void save_estimate(const io::Group& group, const EstimateState& state) {
  group.write("tally", words_of(state.tally), io::Attributes{"1", "words of the tally"});
  group.write("pilot", words_of(state.pilot), io::Attributes{"1", "words of the pilot's tally"});
  group.write("counts", std::vector<std::uint64_t>{state.target, state.pilot_pairs},
              io::Attributes{"1", "pairs at which it looks next, pairs of pilots"});
  group.write("flags",
              std::vector<std::uint8_t>{state.has_chosen, state.is_importance, state.has_converged},
              io::Attributes{"1", "whether it has chosen, importance, converged"});
}

EstimateState load_estimate(const io::Group& group) {
  const io::Shape words{sizeof(PairTally) / sizeof(std::uint64_t)};
  const auto counts = group.read<std::uint64_t>("counts", {2});
  const auto flags = group.read<std::uint8_t>("flags", {3});
  EstimateState state;
  state.tally = tally_of(group.read<std::uint64_t>("tally", words));
  state.pilot = tally_of(group.read<std::uint64_t>("pilot", words));
  state.target = counts[0];
  state.pilot_pairs = counts[1];
  state.has_chosen = flags[0] != 0;
  state.is_importance = flags[1] != 0;
  state.has_converged = flags[2] != 0;
  return state;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

/// Says where a result is not what the input asked for.
void warn_about(const Conjunction& conjunction, const MeetingProbability& found,
                const ProbabilityOptions& options) {
  const std::string& name = conjunction.message.path;
  if (!found.has_converged) {
    logging::warning(name + ": after " + number(static_cast<double>(found.pairs)) +
                     " pairs the relative error is " +
                     (found.value > 0 ? number(found.standard_error / found.value)
                                      : "not known, since none met") +
                     ", not " + number(options.relative_error) +
                     " (conjunction.relative_error); the interval holds all the same. Set a larger "
                     "conjunction.most_pairs");
  }
  if (found.unbound > 0) {
    logging::warning(name + ": " + std::to_string(found.unbound) + " of " +
                     std::to_string(found.pairs) +
                     " pairs are no ellipses and count as misses: the covariance is too large for "
                     "Gaussian elements");
  }
  // The pilot's hits, drawn directly, beside the result of importance sampling.
  if (!found.is_importance || found.pilot_pairs == 0) return;
  const double expected = found.value * static_cast<double>(found.pilot_pairs);
  const double excess = static_cast<double>(found.pilot_hits) - expected;
  if (std::fabs(excess) > 5 * std::sqrt(expected) + 5) {
    logging::warning(name + ": importance sampling gives " + number(found.value) + ", but " +
                     std::to_string(found.pilot_hits) + " of " + std::to_string(found.pilot_pairs) +
                     " pairs that were drawn directly met; set conjunction.sampling: direct");
  }
}

/// Says why grid_probability is not a number.
void warn_about_grid(const Conjunction& conjunction, const GridProbability& grid) {
  using Status = GridProbability::Status;
  if (grid.status == Status::known) return;
  const std::string other = "; grid_probability is left out, and the probability by pairs holds";
  const std::string name = conjunction.message.path + ": ";
  if (grid.status == Status::not_short) {
    logging::warning(name + "the passage is not short: the orbits turn by " + number(grid.turn) +
                     " rad during it, which plane_probability takes as straight" + other);
  } else if (grid.status == Status::cut_by_window) {
    logging::warning(name + "some pairs meet outside the window (conjunction.window)" + other);
  } else {
    logging::warning(
        name + "the density in the encounter plane needs more cells than there may be" + other);
  }
}

class ConjunctionModel final : public Model {
 public:
  ConjunctionModel(const ConjunctionParameters& parameters, const RunSettings& settings)
      : m_p(parameters),
        m_replaces(settings.replaces),
        m_count(make_counter(settings.backend, settings.ranks)),
        m_record(make_recorder(settings.backend)) {
    m_p.options.seed = settings.seed;
    m_p.options.chunk = chunk_of(settings.backend);
    for (const Conjunction& conjunction : m_p.conjunctions) {
      ProbabilityOptions options = m_p.options;
      options.stream = conjunction.stream;
      m_estimates.emplace_back(conjunction.encounter, options, m_count);
    }
  }

  void initialize() override {}

  bool advance() override {
    if (m_now >= m_estimates.size()) return false;
    if (!m_estimates[m_now].advance()) {
      const Conjunction& conjunction = m_p.conjunctions[m_now];
      const MeetingProbability found = m_estimates[m_now].result();
      warn_about(conjunction, found, m_p.options);
      m_grids.push_back(grid_probability(conjunction.encounter));
      warn_about_grid(conjunction, m_grids.back());
      m_statistics.push_back(find_approach_statistics(
          conjunction.encounter, found.is_importance,
          seeded_philox(m_p.options.seed, conjunction.stream + 1), m_record));
      ++m_now;
    }
    return m_now < m_estimates.size();
  }

  std::string indivisible() const override { return {}; }

  Progress progress() const override {
    Progress progress;
    progress.total = static_cast<double>(m_estimates.size());
    progress.done = static_cast<double>(m_now);
    progress.unit = "messages";
    progress.work_unit = "pairs";
    for (const ProbabilityEstimate& estimate : m_estimates)
      progress.work += static_cast<double>(estimate.pairs_drawn());
    if (m_now < m_estimates.size()) {
      progress.done += m_estimates[m_now].fraction();
      progress.status = m_p.conjunctions[m_now].message.id;
    }
    return progress;
  }

  std::string summary() const override {
    std::string text =
        std::to_string(m_now) + " messages, " + logging::si(progress().work) + " pairs";
    if (m_now == 1 && m_estimates.size() == 1) {
      const MeetingProbability found = m_estimates[0].result();
      text += ", probability " + number(found.value) + " +- " + number(found.standard_error);
    }
    return text;
  }

  void write(io::ResultsFile& file) const override {
    std::vector<MeetingProbability> found;
    for (const ProbabilityEstimate& estimate : m_estimates) found.push_back(estimate.result());
    const ConjunctionTable table(m_p.conjunctions, found, m_grids);
    table.write(file);
    write_statistics(file, found, m_statistics);
    const bool is_whole = m_now == m_estimates.size();
    if (!m_p.table.empty() && is_whole) table.write_csv(m_p.table, m_replaces);
  }

  bool restartable() const override { return true; }

  void save(io::Group& state) const override {
    state.write_scalar("now", static_cast<std::uint64_t>(m_now),
                       io::Attributes{"1", "messages that are done"});
    for (std::size_t n = 0; n < m_estimates.size(); ++n) {
      const io::Group group = state.group("message_" + std::to_string(n));
      save_estimate(group, m_estimates[n].state());
      if (n >= m_now) continue;
      group.write("quantiles", m_statistics[n].miss_quantiles,
                  io::Attributes{"m", "quantiles of the least distance"});
      group.write("times", m_statistics[n].times, io::Attributes{"s", "times of the history"});
      group.write("share_before", m_statistics[n].share_before,
                  io::Attributes{"1", "share of the probability before times"});
      group.write("miss_density", m_statistics[n].miss_density,
                  io::Attributes{"m-1", "density of the least distance"});
    }
  }

  void load(const io::Group& state) override {
    m_now = state.read_scalar<std::uint64_t>("now");
    if (m_now > m_estimates.size())
      throw state.misfit("now", "is " + std::to_string(m_now) + ", of fewer messages");
    for (std::size_t n = 0; n < m_estimates.size(); ++n) {
      const io::Group group = state.group("message_" + std::to_string(n));
      m_estimates[n].continue_from(load_estimate(group));
      if (n >= m_now) continue;
      m_grids.push_back(grid_probability(m_p.conjunctions[n].encounter));
      m_statistics.push_back(
          {group.read<double>("quantiles", {ApproachStatistics::levels().size()}),
           group.read<double>("times", {ApproachStatistics::kIntervals + 1}),
           group.read<double>("share_before", {ApproachStatistics::kIntervals + 1}),
           group.read<double>("miss_density", {ApproachStatistics::kBins})});
    }
  }

 private:
  ConjunctionParameters m_p;
  bool m_replaces;
  PairCounter m_count;
  PairRecorder m_record;
  std::vector<ProbabilityEstimate> m_estimates;
  std::vector<ApproachStatistics> m_statistics;  ///< of the messages that are done
  std::vector<GridProbability> m_grids;          ///< of these, too
  std::size_t m_now = 0;                         ///< the message that is worked on
};

}  // namespace

std::unique_ptr<Model> make_conjunction_model(const ConjunctionParameters& parameters,
                                              const RunSettings& settings) {
  return std::make_unique<ConjunctionModel>(parameters, settings);
}

}  // namespace tessera::gbees

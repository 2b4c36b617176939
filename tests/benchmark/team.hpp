// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/device/backend.hpp"
#include "tessera/core/error.hpp"
#include "tests/benchmark/cases.hpp"
#include "tests/benchmark/timed_messages.hpp"
#include "tests/benchmark/timer.hpp"

/// Cases of several ranks: each is made by the first rank alone, while the others wait, and by all
/// of them together, so that a speed-up is measured in one run. Their names end with ranks:N.
/// Iterations have a fixed number, which keeps ranks in step.

namespace tessera::bench {

/// A case: its name, what its arguments are called and are, and how often it is made.
struct RanksCase {
  std::string name;
  std::vector<std::pair<std::string, std::int64_t>> arguments;
  int iterations = 1;
  bool warm_up = true;     ///< an iteration before the first that is timed
  bool comparable = true;  ///< results are those of one rank
};

/// The ranks of a launcher that work on a case: all of them, or the first alone. All ranks make the
/// same calls of it.
class Team {
 public:
  Team(benchmark::State& state, const RanksCase& of, int size)
      : m_state(state),
        m_case(of),
        m_size(size),
        m_is_whole(size == bench::ranks().size()),
        m_ranks(m_is_whole ? timed_ranks() : parallel::Communicator()) {}

  int size() const { return m_size; }

  /// Returns the ranks among which the work is divided, inside the functions that run() and
  /// repeat() are given.
  const parallel::Communicator& ranks() const { return m_ranks; }

  /// Runs `body` on the ranks of the team. What it throws on all of them is thrown on all ranks
  /// there are.
  template <class Body>
  void run(const Body& body) const {
    m_is_whole ? body() : bench::ranks().at_root(body);
  }

  /// Throws Error on the whole team where a rank has not so many bytes. `prepare` calls it before
  /// it makes large arrays.
  void need(Backend backend, double bytes) const {
    m_ranks.together([&] {
      const auto available = static_cast<double>(available_memory(backend));
      if (bytes > available)
        throw Error(ErrorKind::resource, "needs " + std::to_string(std::llround(bytes * 1e-6)) +
                                             " MB on a rank, and there are " +
                                             std::to_string(std::llround(available * 1e-6)));
    });
  }

  /// Times the iterations of the case: `prepare` before each, then `work`, from the moment at which
  /// all ranks are there to that at which the last one is ready. False where an error has ended the
  /// case on all ranks; it is reported.
  template <class ExecSpace, class Prepare, class Work>
  bool repeat(const ExecSpace& exec, const Prepare& prepare, const Work& work) {
    if (m_case.warm_up && !iterate(exec, prepare, work)) return false;
    m_messages = {};
    for (auto _ : m_state) {
      const std::optional<double> time = iterate(exec, prepare, work);
      if (!time) return false;
      m_state.SetIterationTime(*time);
    }
    return true;
  }

  /// Checks the results of an iteration, which the first rank knows: they are the same with any
  /// number of ranks, to a relative tolerance. Where they are not, the case has failed.
  void expect_same(const std::vector<double>& numbers, double tolerance = 0) const {
    if (!bench::ranks().is_root() || !m_case.comparable) return;
    static std::map<std::string, std::vector<double>> known;
    std::string key = m_case.name;
    for (const auto& [name, value] : m_case.arguments) key += "/" + std::to_string(value);
    const std::vector<double>& first = known.emplace(key, numbers).first->second;
    const auto is_same = [&](double a, double b) {
      return std::abs(a - b) <= tolerance * std::abs(a) || (std::isnan(a) && std::isnan(b));
    };
    if (!std::equal(first.begin(), first.end(), numbers.begin(), numbers.end(), is_same))
      m_state.SkipWithError("the result is another one than with other ranks");
  }

  /// Counts of an iteration: work by time, ranks, and of several the messages through hosts, as
  /// means over the ranks. `work` is known to the first rank.
  void report(const char* unit, double work) const {
    count("ranks", m_size);
    m_state.counters[unit] =
        benchmark::Counter(work, benchmark::Counter::kIsIterationInvariantRate);
    if (m_size == 1) return;
    const MessageTotals all = bench::ranks().sum(m_messages);
    const double times = static_cast<double>(m_state.iterations()) * m_size;
    count("messages_ms", 1e3 * all.seconds / times);
    count("messages", all.messages / times);
    count("messages_B", all.bytes / times);
  }
  void count(const char* what, double number) const { m_state.counters[what] = number; }

 private:
  /// Seconds; nothing where the case has failed on all ranks.
  template <class ExecSpace, class Prepare, class Work>
  std::optional<double> iterate(const ExecSpace& exec, const Prepare& prepare, const Work& work) {
    std::int64_t nanoseconds = 0;
    try {
      run(prepare);
      bench::ranks().barrier();
      take_message_totals();
      run([&] { nanoseconds = std::llround(1e9 * seconds(exec, work)); });
      m_messages += take_message_totals();
    } catch (const std::exception& error) {
      fail_together(error.what());
      m_state.SkipWithError(error.what());
      return {};
    }
    return 1e-9 * static_cast<double>(bench::ranks().max(nanoseconds));
  }

  benchmark::State& m_state;
  RanksCase m_case;
  int m_size;
  bool m_is_whole;
  parallel::Communicator m_ranks;
  MessageTotals m_messages;  // here, of all iterations
};

/// Registers a case, for the first rank alone and for all: run(state, team).
template <class Run>
void add_ranks_case(const RanksCase& added, const Run& run) {
  std::vector<std::string> names;
  std::vector<std::int64_t> values;
  for (const auto& [name, value] : added.arguments) {
    names.push_back(name);
    values.push_back(value);
  }
  names.emplace_back("ranks");
  for (const int size : std::set<int>{1, ranks().size()}) {
    std::vector<std::int64_t> of_size = values;
    of_size.push_back(size);
    benchmark::RegisterBenchmark(added.name.c_str(),
                                 [=](benchmark::State& state) {
                                   Team team(state, added, size);
                                   run(state, team);
                                 })
        ->ArgNames(names)
        ->Args(of_size)
        ->Iterations(added.iterations)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace tessera::bench

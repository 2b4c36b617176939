// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/app/run_app.hpp"
#include "tessera/core/seed.hpp"
#include "tessera/stable/program/parameters.hpp"
#include "tessera/stable/program/tasks/blocks.hpp"

namespace tessera::stable {

/// The base of the tasks of an input file: parameters, and steps that are counted. A run that is
/// continued starts again, unless the task keeps a state.
class TaskModel : public Model {
 public:
  Progress progress() const override {
    Progress progress;
    progress.done = static_cast<double>(m_done);
    progress.total = static_cast<double>(m_total);
    progress.unit = m_unit;
    progress.work = progress.done;
    progress.work_unit = m_unit;
    return progress;
  }

  bool restartable() const override { return true; }
  void load(const io::Group&) override { initialize(); }

 protected:
  /// `unit`: what a step does, for example "distributions".
  TaskModel(const Parameters& parameters, const RunSettings& settings, std::string unit)
      : m_p(parameters), m_settings(settings), m_unit(std::move(unit)) {}

  /// Random numbers of the run's seed. Each use has a stream of its own.
  Philox random(std::uint32_t stream) const { return seeded_philox(m_settings.seed, stream); }

  const parallel::Communicator& ranks() const { return m_settings.ranks; }

  /// The part of `count` points that this rank takes.
  PointRange own_part(std::size_t count) const {
    const parallel::Range mine = ranks().share(static_cast<std::int64_t>(count));
    return {static_cast<std::size_t>(mine.begin), static_cast<std::size_t>(mine.end)};
  }

  /// Appends the values of the points of all ranks, which the root alone gets.
  void append(std::vector<double>& row, std::vector<double> own) const {
    const std::vector<double> all = ranks().gather(std::move(own));
    row.insert(row.end(), all.begin(), all.end());
  }

  Parameters m_p;
  std::int64_t m_done = 0, m_total = 1;

 private:
  RunSettings m_settings;
  std::string m_unit;
};

}  // namespace tessera::stable

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/generation_model.hpp"

#include <limits>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/gp/covariance/number_text.hpp"
#include "tessera/gp/program/random_fields.hpp"

namespace tessera::gp {

/// Makes the points of the next size. The first generation is not timed: kernels are loaded then,
/// and memory is touched for the first time.
void GenerationModel::begin_size() {
  m_generation.reset();
  SimulateParameters places;
  places.points = m_parameters.generate.points[m_entries.size()];
  places.layout = "uniform";
  places.lower.assign(static_cast<std::size_t>(m_parameters.model.dimension), 0.0);
  places.upper.assign(places.lower.size(), 1.0);
  const Points points = simulated_points(places, m_parameters.model, m_settings.seed);
  m_generation = make_generation(m_settings.backend, m_parameters.model, points,
                                 m_settings.memory_limit, m_settings.ranks);
  m_entries.push_back(m_generation->entries());
  m_generation->run(m_parameters.theta);
}

bool GenerationModel::advance() {
  stop_at_signal();
  if (m_seconds.size() == m_entries.size() * repeats()) begin_size();
  stop_at_signal();
  m_seconds.push_back(m_generation->run(m_parameters.theta));
  return m_seconds.size() < m_parameters.generate.points.size() * repeats();
}

Progress GenerationModel::progress() const {
  Progress progress;
  progress.done = static_cast<double>(m_seconds.size());
  progress.total = static_cast<double>(m_parameters.generate.points.size() * repeats());
  progress.unit = "matrices";
  for (std::size_t k = 0; k < m_seconds.size(); ++k)
    progress.work += static_cast<double>(m_entries[k / repeats()]);
  progress.work_unit = "entries";
  if (!m_seconds.empty()) progress.status = number(m_seconds.back(), "%.4g") + " s";
  return progress;
}

std::string GenerationModel::summary() const {
  if (m_seconds.empty()) return "no matrix";
  return std::to_string(m_seconds.size()) +
         " matrices; the last: " + std::to_string(m_entries.back()) + " entries in " +
         number(m_seconds.back(), "%.4g") + " s";
}

void GenerationModel::write(io::ResultsFile& file) const {
  const std::vector<int>& given = m_parameters.generate.points;
  const std::vector<std::int64_t> points(given.begin(), given.end());
  file.coordinates().write("points", points, io::Attributes{"1", "points of each matrix"});
  std::vector<double> seconds = m_seconds;
  seconds.resize(points.size() * repeats(), std::numeric_limits<double>::quiet_NaN());
  const io::Group results = file.results();
  results.write("generation_seconds", seconds, io::Shape{points.size(), repeats()},
                io::Attributes{"s", "wall time of the slowest rank, of each repetition"});
  std::vector<std::int64_t> entries = m_entries;
  entries.resize(points.size(), 0);
  results.write("entries", entries, io::Attributes{"1", "of the lower triangle with its diagonal"});
  results.set_attribute("ranks", static_cast<std::int64_t>(m_settings.ranks.size()));
}

}  // namespace tessera::gp

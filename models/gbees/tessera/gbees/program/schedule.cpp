// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "tessera/gbees/program/continuation.hpp"

namespace tessera::gbees {

Schedule::Schedule(const Parameters& parameters)
    : m_parameters(parameters),
      m_segment_ends(parameters.segment_ends()),
      m_bounds(parameters.dynamics.program, parameters.spacing, parameters.propagator.cfl) {
  for (const double time : parameters.breaks) m_breaks.push_back(time_of_record_near(time));
}

double Schedule::interval_end() const {
  const int passed = m_interval + 1;
  return passed == m_parameters.records
             ? segment_end()
             : segment_start() + segment_length() * passed / m_parameters.records;
}

double Schedule::piece_end() const {
  for (const BoundedPiece& piece : m_pieces) {
    if (piece.end > m_piece_start) return piece.end;
  }
  return interval_end();
}

double Schedule::piece_length() const {
  const bool is_whole = m_piece_start == interval_start() && piece_end() == interval_end();
  return is_whole ? segment_length() / m_parameters.records : piece_end() - m_piece_start;
}

double Schedule::longest_step() const {
  double longest = m_parameters.longest_step;
  for (const BoundedPiece& piece : m_pieces) {
    if (piece.end == piece_end()) longest = std::min(longest, piece.longest_step);
  }
  return longest;
}

void Schedule::next_segment() {
  ++m_segment;
  m_interval = 0;
  m_piece_start = interval_start();  // for a restart file that is written before begin_interval
}

void Schedule::next_interval() {
  ++m_interval;
  m_piece_start = interval_start();
}

void Schedule::begin_interval(const Record& record) { find_pieces(record); }

bool Schedule::next_piece() {
  const double end = piece_end();
  if (!(end < interval_end())) return false;
  m_piece_start = end;
  return true;
}

void Schedule::find_pieces(const Record& record) {
  const double start = interval_start(), end = interval_end();
  std::vector<double> ends = m_looks;
  ends.insert(ends.end(), m_breaks.begin(), m_breaks.end());
  ends.push_back(end);
  std::sort(ends.begin(), ends.end());
  const std::vector<double> mean = m_parameters.frame.coordinates(record.mean.data());
  const std::vector<double> deviation = m_parameters.frame.deviations(record.covariance.data());
  m_pieces.clear();
  double begin = start;
  for (const double t : ends) {
    if (!(t > begin && t <= end)) continue;
    if (m_parameters.follows()) {  // such a grid bounds its steps itself
      m_pieces.push_back({t, StepperState::kUnlimited});
    } else {
      const std::vector<BoundedPiece> found = m_bounds.pieces(
          begin, t, (t - begin) / m_parameters.end, mean, deviation, m_parameters.landmarks);
      m_pieces.insert(m_pieces.end(), found.begin(), found.end());
    }
    begin = t;
  }
}

double Schedule::time_of_record_near(double time) {
  for (m_segment = 0; m_segment < m_segment_ends.size(); ++m_segment) {
    for (m_interval = 0; m_interval < m_parameters.records; ++m_interval) {
      if (std::fabs(interval_end() - time) <= 1e-12 * m_parameters.end) time = interval_end();
    }
  }
  m_segment = 0;
  m_interval = 0;
  return time;
}

std::vector<double> Schedule::divide_at(const std::vector<double>& times) {
  std::vector<double> taken;
  for (const double time : times) taken.push_back(time_of_record_near(time));
  m_looks.insert(m_looks.end(), taken.begin(), taken.end());
  std::sort(m_looks.begin(), m_looks.end());
  return taken;
}

void Schedule::save(const io::Group& state) const {
  state.set_attribute("segment", static_cast<std::uint64_t>(m_segment));
  state.set_attribute("interval", m_interval);
  state.set_attribute("measurements", m_parameters.measurements_before(m_segment_ends.back()));
  state.set_attribute("end", m_segment_ends.back());
  state.write("segment_ends", m_segment_ends, io::Attributes());
  state.set_attribute("piece_start", m_piece_start);
}

void Schedule::load(const io::Group& state, bool was_complete) {
  const EarlierRun earlier{state.read<double>("segment_ends"),
                           state.attribute<std::uint64_t>("measurements"), was_complete};
  const std::vector<double>& ends = earlier.segment_ends;
  if (ends.empty() || !std::is_sorted(ends.begin(), ends.end()) ||
      ends.back() != state.attribute<double>("end")) {
    throw state.misfit("segment_ends", "is no list of ascending times to the end of the run");
  }
  m_segment_ends = continued_segment_ends(earlier, m_parameters);
  const auto segment = state.attribute<std::uint64_t>("segment");
  m_interval = state.attribute<int>("interval");
  if (segment >= m_segment_ends.size() || m_interval < 0 || m_interval >= m_parameters.records) {
    throw state.misfit("", "is at interval " + std::to_string(m_interval) + " of segment " +
                               std::to_string(segment) + ", which the run lacks");
  }
  m_segment = static_cast<std::size_t>(segment);
}

void Schedule::load_piece(const io::Group& state, const Record& record) {
  m_piece_start = state.attribute<double>("piece_start");
  if (!(m_piece_start >= interval_start() && m_piece_start <= interval_end())) {
    throw state.misfit("", "belongs to a time outside the interval that the run is in");
  }
  find_pieces(record);
}

}  // namespace tessera::gbees

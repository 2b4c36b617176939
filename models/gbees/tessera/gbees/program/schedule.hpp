// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/gbees/dynamics/step_bounds.hpp"
#include "tessera/gbees/program/parameters.hpp"
#include "tessera/gbees/program/record.hpp"

namespace tessera::gbees {

/// The place of a run in time. Measurements divide it into segments. A segment is divided into
/// equal intervals, each of which ends with a record, and an interval into pieces, at whose ends
/// regions are looked at or the dynamics jump.
class Schedule {
 public:
  /// `parameters` must outlive the schedule.
  explicit Schedule(const Parameters& parameters);

  std::size_t segment() const { return m_segment; }
  double segment_end() const { return m_segment_ends[m_segment]; }
  double interval_start() const {
    return segment_start() + segment_length() * m_interval / m_parameters.records;
  }
  double interval_end() const;
  bool ends_segment() const { return m_interval + 1 == m_parameters.records; }
  bool is_last_segment() const { return m_segment + 1 == m_segment_ends.size(); }
  bool begins_segment() const { return m_segment > 0 && m_interval == 0; }

  /// The present piece: how long it is, and the longest step that the dynamics' change in time
  /// allows in it.
  double piece_end() const;
  double piece_length() const;
  double longest_step() const;

  /// Comes to the first interval of the next segment, or to the next interval of this one.
  void next_segment();
  void next_interval();

  /// Divides the interval that the run has come to into pieces, and begins with the first.
  /// `record`: of the density at the interval's start.
  void begin_interval(const Record& record);

  /// Begins the next piece; false where the interval ends.
  bool next_piece();

  /// Lets an interval be divided at some times more. Returns the times: one that differs from that
  /// of a record by rounding is that.
  std::vector<double> divide_at(const std::vector<double>& times);

  /// Saves where the run is to the state of a restart file.
  void save(const io::Group& state) const;

  /// Continues the run that wrote the state. Throws Error (input) where the input does not fit to
  /// it (continued_segment_ends), and an error of the file where it is at a place that no run has.
  /// `was_complete`: that run had come to its end.
  void load(const io::Group& state, bool was_complete);

  /// Continues the piece when the records have been loaded; `record` is the last one.
  void load_piece(const io::Group& state, const Record& record);

 private:
  double segment_start() const { return m_segment == 0 ? 0 : m_segment_ends[m_segment - 1]; }
  double segment_length() const {
    return m_segment < m_parameters.segments.size() ? m_parameters.segments[m_segment]
                                                    : segment_end() - segment_start();
  }
  void find_pieces(const Record& record);
  double time_of_record_near(double time);

  const Parameters& m_parameters;
  std::vector<double> m_segment_ends;
  std::size_t m_segment = 0;
  int m_interval = 0;  // of that segment
  // times besides those of records that end pieces, ascending: looks at regions, and jumps of the
  // dynamics
  std::vector<double> m_looks, m_breaks;
  StepBounds m_bounds;
  std::vector<BoundedPiece> m_pieces;  // of the interval
  double m_piece_start = 0;
};

}  // namespace tessera::gbees

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/gbees/orbits/epoch.hpp"

namespace tessera::gbees {

/// One number of a tracking data message.
struct TrackingDatum {
  Epoch epoch;
  std::string keyword;  ///< RANGE, DOPPLER_INSTANTANEOUS, ANGLE_1, ANGLE_2, or another
  double value = 0;     ///< as the file has it: in km, km/s and degrees
  int line = 0;
};

/// A segment of a tracking data message: what some participants measured of each other.
struct TrackingSegment {
  std::vector<std::string> participants;
  std::string path;         ///< "1,2": from whom to whom, or empty
  std::string angle_type;   ///< AZEL, RADEC, or another, or empty
  std::string angle_frame;  ///< of RADEC: REFERENCE_FRAME, or empty
  std::string range_units;  ///< "km" without the keyword
  std::string correction;   ///< a keyword CORRECTION_... that is not applied yet, or empty
  std::vector<TrackingDatum> data;
};

/// A tracking data message (TDM, CCSDS 503.0-B-2).
struct TrackingMessage {
  std::string path;
  std::vector<TrackingSegment> segments;
  std::vector<std::string> unknown;
};

/// Reads a TDM in key = value form. Throws Error (file) where it cannot be read. Throws Error
/// (input), with file and line, for what is missing or no number, other time systems, and a file
/// that is cut off.
TrackingMessage read_tdm(const std::string& path);

/// Measurements of a tracking data message.
struct TrackingTable {
  /// As io::read_columns gives them: the times in s after an epoch, and for each quantity the
  /// values
  std::vector<std::vector<double>> columns;
  std::vector<std::string> notes;  ///< what of the message is left out
};

/// The measurements of some quantities: range (m; RANGE in km over a path of one way), range_rate
/// (m/s; DOPPLER_INSTANTANEOUS over such a path), azimuth and elevation (rad; angles of type AZEL),
/// right_ascension and declination (rad; of type RADEC). A row is an epoch at which there are all
/// of them. Throws Error (input) for other quantities, and where a segment has ranges there and
/// back, or in other units, angles in a frame that is not EME2000 to 0.023 arc seconds, corrections
/// that are not applied, or other participants than one before.
TrackingTable tracking_table(const TrackingMessage& message,
                             const std::vector<std::string>& quantities, const Epoch& epoch);

}  // namespace tessera::gbees

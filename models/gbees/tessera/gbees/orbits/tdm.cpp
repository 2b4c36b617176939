// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/tdm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include "tessera/core/error.hpp"
#include "tessera/gbees/orbits/kvn_block.hpp"

namespace tessera::gbees {

namespace {

const std::vector<std::string>& header_keywords() {
  static const std::vector<std::string> names{"CCSDS_TDM_VERS", "CREATION_DATE", "ORIGINATOR",
                                              "MESSAGE_ID"};
  return names;
}

const std::vector<std::string>& segment_keywords() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"TRACK_ID",
                                 "DATA_TYPES",
                                 "TIME_SYSTEM",
                                 "START_TIME",
                                 "STOP_TIME",
                                 "MODE",
                                 "PATH",
                                 "PATH_1",
                                 "PATH_2",
                                 "TRANSMIT_BAND",
                                 "RECEIVE_BAND",
                                 "TURNAROUND_NUMERATOR",
                                 "TURNAROUND_DENOMINATOR",
                                 "TIMETAG_REF",
                                 "INTEGRATION_INTERVAL",
                                 "INTEGRATION_REF",
                                 "FREQ_OFFSET",
                                 "RANGE_MODE",
                                 "RANGE_MODULUS",
                                 "RANGE_UNITS",
                                 "ANGLE_TYPE",
                                 "REFERENCE_FRAME",
                                 "INTERPOLATION",
                                 "INTERPOLATION_DEGREE",
                                 "DOPPLER_COUNT_BIAS",
                                 "DOPPLER_COUNT_SCALE",
                                 "DOPPLER_COUNT_ROLLOVER",
                                 "DATA_QUALITY",
                                 "CORRECTIONS_APPLIED"};
    for (const char* n : {"1", "2", "3", "4", "5"}) {
      for (const char* name :
           {"PARTICIPANT_", "EPHEMERIS_NAME_", "TRANSMIT_DELAY_", "RECEIVE_DELAY_"})
        all.push_back(std::string(name) + n);
    }
    for (const char* name : {"ANGLE_1", "ANGLE_2", "DOPPLER", "MAG", "RANGE", "RCS", "RECEIVE",
                             "TRANSMIT", "ABERRATION_YEARLY", "ABERRATION_DIURNAL"})
      all.push_back(std::string("CORRECTION_") + name);
    return all;
  }();
  return names;
}

bool is_mark(const KvnLine& line, const char* mark) {
  return line.kind == KvnLine::Kind::data && line.value == mark;
}

TrackingDatum read_datum(const KvnFile& file, const KvnLine& line, TimeSystem system) {
  std::istringstream words(line.value);
  std::string epoch, value, more;
  words >> epoch >> value;
  TrackingDatum datum;
  datum.keyword = line.keyword;
  datum.line = line.number;
  datum.epoch = at_line(file, line.number, [&] { return parse_epoch(epoch, system); });
  if (words >> more || !parse_number(value, datum.value))
    throw file.error(line.number, "a datum is 'KEYWORD = epoch number', not '" + line.value + "'");
  return datum;
}

TrackingSegment make_segment(const KvnBlock& meta) {
  TrackingSegment segment;
  for (const char* n : {"1", "2", "3", "4", "5"}) {
    const std::string name = meta.text(std::string("PARTICIPANT_") + n);
    if (!name.empty()) segment.participants.push_back(name);
  }
  segment.path = meta.text("PATH");
  segment.path.erase(std::remove(segment.path.begin(), segment.path.end(), ' '),
                     segment.path.end());
  segment.angle_type = meta.text("ANGLE_TYPE");
  segment.angle_frame = meta.text("REFERENCE_FRAME");
  segment.range_units = meta.find("RANGE_UNITS") != nullptr ? meta.text("RANGE_UNITS") : "km";
  for (const std::string& keyword : segment_keywords()) {
    if (keyword.compare(0, 11, "CORRECTION_") == 0 && meta.find(keyword) != nullptr &&
        meta.text("CORRECTIONS_APPLIED") != "YES")
      segment.correction = keyword;
  }
  return segment;
}

/// What a keyword of a segment means for a quantity.
struct Quantity {
  std::string keyword, angle_type;
  double factor = 1;  ///< to m, m/s and rad
};

Quantity quantity_of(const std::string& name) {
  constexpr double kDegree = 3.14159265358979323846 / 180;
  if (name == "range") return {"RANGE", "", 1000};
  if (name == "range_rate") return {"DOPPLER_INSTANTANEOUS", "", 1000};
  if (name == "azimuth") return {"ANGLE_1", "AZEL", kDegree};
  if (name == "elevation") return {"ANGLE_2", "AZEL", kDegree};
  if (name == "right_ascension") return {"ANGLE_1", "RADEC", kDegree};
  if (name == "declination") return {"ANGLE_2", "RADEC", kDegree};
  throw Error(ErrorKind::input,
              "'" + name +
                  "' is not a quantity of tracking data: range, range_rate, azimuth, elevation, "
                  "right_ascension, declination");
}

/// Tells whether a datum of a segment is one of a quantity.
bool is_of(const Quantity& quantity, const TrackingSegment& segment, const TrackingDatum& datum) {
  return datum.keyword == quantity.keyword &&
         (quantity.angle_type.empty() || quantity.angle_type == segment.angle_type);
}

/// Refuses what a datum's segment says of it and the program does not take into account.
void require_plain(const TrackingSegment& segment, const TrackingDatum& datum) {
  const auto refuse = [](const std::string& what) { throw Error(ErrorKind::input, what); };
  const bool is_angle = datum.keyword.compare(0, 6, "ANGLE_") == 0;
  if (!is_angle && segment.path != "1,2" && segment.path != "2,1") {
    refuse(datum.keyword + " is read over a path of one way, 1,2 or 2,1, not over '" +
           segment.path + "'");
  }
  if (datum.keyword == "RANGE" && segment.range_units != "km")
    refuse("ranges are read in km, not in '" + segment.range_units + "'");
  if (!segment.correction.empty()) {
    refuse("the data are without " + segment.correction +
           ": add it to them, and set CORRECTIONS_APPLIED = YES");
  }
  if (segment.angle_type != "RADEC" || !is_angle || segment.angle_frame.empty()) return;
  const ReferenceFrame frame = parse_reference_frame(segment.angle_frame);
  if (frame != ReferenceFrame::eme2000)
    refuse("right ascensions are read in EME2000 and GCRF, not in " + segment.angle_frame);
}

/// Refuses data of others than those who measured before: there is one instrument.
void require_same_participants(const TrackingSegment& segment, const TrackingSegment& first) {
  if (segment.participants == first.participants && segment.path == first.path) return;
  const auto names = [](const TrackingSegment& one) {
    std::string text;
    for (const std::string& name : one.participants) text += (text.empty() ? "" : ", ") + name;
    return text + (one.path.empty() ? "" : " (path " + one.path + ")");
  };
  throw Error(ErrorKind::input, "data of " + names(segment) + " stand beside data of " +
                                    names(first) +
                                    ", and the measurements are those of one instrument: give "
                                    "each a file of its own");
}

/// Data that no quantity takes, by keyword: "ANGLE_1 of AZEL (3)".
std::string list_unused(const std::map<std::string, int>& unused) {
  std::string text;
  for (const auto& [name, count] : unused)
    text += (text.empty() ? "" : ", ") + name + " (" + std::to_string(count) + ")";
  return text;
}

/// Values by the time in nanoseconds: those of one epoch are written alike.
using TrackingRows = std::map<std::int64_t, std::vector<std::optional<double>>>;

/// The rows that are complete.
TrackingTable table_of(const TrackingRows& rows, std::size_t quantities, const std::string& path) {
  TrackingTable table;
  table.columns.resize(1 + quantities);
  std::size_t incomplete = 0;
  for (const auto& [at, row] : rows) {
    if (!std::all_of(row.begin(), row.end(), [](const auto& value) { return value.has_value(); })) {
      ++incomplete;
      continue;
    }
    table.columns[0].push_back(static_cast<double>(at) / 1e9);
    for (std::size_t k = 0; k < row.size(); ++k) table.columns[1 + k].push_back(*row[k]);
  }
  if (incomplete > 0) {
    table.notes.push_back(path + ": " + std::to_string(incomplete) +
                          " times are left out, at which some of the quantities are missing");
  }
  return table;
}

}  // namespace

TrackingMessage read_tdm(const std::string& path) {
  const KvnFile file = read_kvn(path);
  TrackingMessage message;
  message.path = path;
  KvnBlock header(file, "the message", 1);
  std::optional<KvnBlock> meta;
  std::optional<TrackingSegment> segment;
  TimeSystem system = TimeSystem::utc;
  enum class Where { header, meta, between, data } where = Where::header;
  for (const KvnLine& line : file.lines) {
    if (line.kind == KvnLine::Kind::comment) continue;
    const bool may_begin = where == Where::header || (where == Where::between && !segment);
    if (is_mark(line, "META_START") && may_begin) {
      meta.emplace(file, "the segment", line.number);
      where = Where::meta;
    } else if (is_mark(line, "META_STOP") && where == Where::meta) {
      const KvnLine& name = meta->require("TIME_SYSTEM");
      system = at_line(file, name.number, [&] { return parse_time_system(name.value); });
      segment = make_segment(*meta);
      where = Where::between;
    } else if (is_mark(line, "DATA_START") && where == Where::between && segment) {
      where = Where::data;
    } else if (is_mark(line, "DATA_STOP") && where == Where::data) {
      message.segments.push_back(*segment);
      segment.reset();
      where = Where::between;
    } else if (line.kind == KvnLine::Kind::entry && where == Where::data) {
      segment->data.push_back(read_datum(file, line, system));
    } else if (line.kind == KvnLine::Kind::entry && where != Where::between) {
      const bool is_header = where == Where::header;
      if (!is_keyword(line.keyword, is_header ? header_keywords() : segment_keywords())) {
        message.unknown.push_back(unknown_keyword(line));
      } else {
        (is_header ? header : *meta).add(line);
      }
    } else {
      throw file.error(line.number, "'" + (line.keyword.empty() ? line.value : line.keyword) +
                                        "' does not belong here");
    }
  }
  require_version(file, header, "CCSDS_TDM_VERS", "a tracking data message", {"2.0", "1.0"});
  if (message.segments.empty() || where != Where::between || segment) {
    throw file.error(file.last(), "the message ends without DATA_STOP",
                     "the file may be cut off: fetch it again");
  }
  return message;
}

TrackingTable tracking_table(const TrackingMessage& message,
                             const std::vector<std::string>& quantities, const Epoch& epoch) {
  std::vector<Quantity> wanted;
  for (const std::string& name : quantities) wanted.push_back(quantity_of(name));
  TrackingRows rows;
  std::map<std::string, int> unused;
  const TrackingSegment* first = nullptr;
  for (const TrackingSegment& segment : message.segments) {
    for (const TrackingDatum& datum : segment.data) {
      const auto found = std::find_if(wanted.begin(), wanted.end(), [&](const Quantity& quantity) {
        return is_of(quantity, segment, datum);
      });
      if (found == wanted.end()) {
        const bool is_angle = datum.keyword.compare(0, 6, "ANGLE_") == 0;
        ++unused[datum.keyword + (is_angle ? " of type '" + segment.angle_type + "'" : "")];
        continue;
      }
      if (first == nullptr) first = &segment;
      try {
        require_plain(segment, datum);
        require_same_participants(segment, *first);
      } catch (const Error& error) {
        throw Error(ErrorKind::input,
                    message.path + ":" + std::to_string(datum.line) + ": " + error.what());
      }
      const auto at =
          static_cast<std::int64_t>(std::llround(1e9 * seconds_between(epoch, datum.epoch)));
      auto& row = rows[at];
      row.resize(quantities.size());
      auto& value = row[static_cast<std::size_t>(found - wanted.begin())];
      if (value) {
        throw Error(ErrorKind::input, message.path + ":" + std::to_string(datum.line) + ": " +
                                          datum.keyword + " is given twice for this epoch");
      }
      value = datum.value * found->factor;
    }
  }
  TrackingTable table = table_of(rows, quantities.size(), message.path);
  if (!unused.empty())
    table.notes.push_back(message.path + ": data that are not used: " + list_unused(unused));
  return table;
}

}  // namespace tessera::gbees

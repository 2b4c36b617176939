// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/ephemeris.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tessera/core/error.hpp"
#include "tessera/core/io/shortest.hpp"
#include "tessera/gbees/orbits/interpolation.hpp"
#include "tessera/gbees/orbits/kvn_block.hpp"

namespace tessera::gbees {

namespace {

constexpr double kSameEpoch = 1e-3;  // s

const std::vector<std::string>& header_keywords() {
  static const std::vector<std::string> names{"CCSDS_OEM_VERS", "CREATION_DATE", "ORIGINATOR",
                                              "CLASSIFICATION", "MESSAGE_ID"};
  return names;
}

const std::vector<std::string>& segment_keywords() {
  static const std::vector<std::string> names{
      "OBJECT_NAME",       "OBJECT_ID",   "CENTER_NAME",   "REF_FRAME",
      "REF_FRAME_EPOCH",   "TIME_SYSTEM", "START_TIME",    "USEABLE_START_TIME",
      "USEABLE_STOP_TIME", "STOP_TIME",   "INTERPOLATION", "INTERPOLATION_DEGREE"};
  return names;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Reads the lines of an OEM one after the other.
class OemReader {
 public:
  OemReader(const std::string& path, const SharedOrientation& orientation)
      : m_file(read_kvn(path)), m_orientation(orientation) {}

  Ephemeris read() {
    m_ephemeris.path = m_file.path;
    read_header();
    while (m_now < m_file.lines.size()) read_segment();
    if (m_ephemeris.segments.empty())
      throw m_file.error(m_file.last(), "the file has no segment: META_START is missing");
    return std::move(m_ephemeris);
  }

 private:
  bool skip_comments() {
    while (m_now < m_file.lines.size() && line().kind == KvnLine::Kind::comment) ++m_now;
    return m_now < m_file.lines.size();
  }

  const KvnLine& line() const { return m_file.lines[m_now]; }

  bool is_mark(const char* mark) const {
    return line().kind == KvnLine::Kind::data && line().value == mark;
  }

  void read_header() {
    KvnBlock header(m_file, "the message", 1);
    while (skip_comments() && line().kind == KvnLine::Kind::entry) add(header, header_keywords());
    require_version(m_file, header, "CCSDS_OEM_VERS", "an orbit ephemeris message",
                    {"2.0", "1.0", "3.0"});
  }

  void add(KvnBlock& block, const std::vector<std::string>& keywords) {
    if (is_keyword(line().keyword, keywords)) {
      block.add(line());
    } else {
      m_ephemeris.unknown.push_back(unknown_keyword(line()));
    }
    ++m_now;
  }

  void read_segment() {
    if (!skip_comments()) return;
    if (!is_mark("META_START"))
      throw m_file.error(line().number, "META_START is expected here, not '" + line().value + "'");
    KvnBlock meta(m_file, "the segment", line().number);
    ++m_now;
    while (skip_comments() && line().kind == KvnLine::Kind::entry) add(meta, segment_keywords());
    require_mark("META_STOP");
    m_segment = {};
    m_segment.orientation = m_orientation;
    read_meta(meta);
    while (skip_comments() && line().kind == KvnLine::Kind::data && !is_mark("META_START") &&
           !is_mark("COVARIANCE_START"))
      read_row();
    if (m_segment.epochs.empty())
      throw m_file.error(m_file.last(),
                         "the segment of line " + std::to_string(meta.line()) + " has no rows",
                         "the file may be cut off: fetch it again");
    if (skip_comments() && is_mark("COVARIANCE_START")) read_covariances();
    m_ephemeris.segments.push_back(m_segment);
  }

  void require_mark(const char* mark) {
    if (!skip_comments())
      throw m_file.error(m_file.last(), std::string("the message ends without ") + mark,
                         "the file may be cut off: fetch it again");
    if (!is_mark(mark)) throw m_file.error(line().number, std::string(mark) + " is expected here");
    ++m_now;
  }

  void read_meta(const KvnBlock& meta) {
    m_segment.object_name = meta.text("OBJECT_NAME");
    m_segment.object_id = meta.text("OBJECT_ID");
    const KvnLine& frame = meta.require("REF_FRAME");
    m_segment.frame =
        at_line(m_file, frame.number, [&] { return parse_reference_frame(frame.value); });
    const KvnLine& system = meta.require("TIME_SYSTEM");
    m_segment.time_system =
        at_line(m_file, system.number, [&] { return parse_time_system(system.value); });
    const KvnLine& centre = meta.require("CENTER_NAME");
    if (centre.value != "EARTH")
      throw m_file.error(centre.number, "orbits about the Earth are read (EARTH), not about '" +
                                            centre.value + "'");
    if (const std::string ignored = ignored_by(m_segment.frame, m_orientation); !ignored.empty())
      m_ephemeris.notes.push_back(m_file.place(frame.number) + ": " + ignored);
    m_segment.usable_begin = epoch_of(meta, "USEABLE_START_TIME");
    m_segment.usable_end = epoch_of(meta, "USEABLE_STOP_TIME");
    const KvnLine* interpolation = meta.find("INTERPOLATION");
    if (interpolation == nullptr) return;
    using Interpolation = EphemerisSegment::Interpolation;
    if (interpolation->value == "LAGRANGE") {
      m_segment.interpolation = Interpolation::lagrange;
    } else if (interpolation->value == "HERMITE") {
      m_segment.interpolation = Interpolation::hermite;
    } else {
      throw m_file.error(interpolation->number, "INTERPOLATION is LAGRANGE or HERMITE, not '" +
                                                    interpolation->value + "'");
    }
    const double degree = meta.number("INTERPOLATION_DEGREE", "");
    if (!(degree >= 1 && degree <= 31 && degree == std::floor(degree)))
      throw m_file.error(meta.require("INTERPOLATION_DEGREE").number,
                         "INTERPOLATION_DEGREE is a whole number from 1 to 31");
    m_segment.degree = static_cast<int>(degree);
  }

  std::optional<Epoch> epoch_of(const KvnBlock& meta, const char* keyword) const {
    const KvnLine* line = meta.find(keyword);
    if (line == nullptr) return {};
    return at_line(m_file, line->number,
                   [&] { return parse_epoch(line->value, m_segment.time_system); });
  }

  Epoch read_epoch(const std::string& text) const {
    return at_line(m_file, line().number, [&] { return parse_epoch(text, m_segment.time_system); });
  }

  double read_number(const std::string& word) const {
    double value = 0;
    if (!parse_number(word, value))
      throw m_file.error(line().number, "'" + word + "' is not a finite number");
    return value;
  }

  void read_row() {
    const std::vector<std::string> words = words_of(line().value);
    if (words.size() != 7 && words.size() != 10) {
      throw m_file.error(line().number,
                         "a row has an epoch, a position and a velocity, 7 columns "
                         "or 10 with accelerations, not " +
                             std::to_string(words.size()));
    }
    const Epoch epoch = read_epoch(words[0]);
    if (!m_segment.epochs.empty() && !(seconds_between(m_segment.epochs.back(), epoch) > 0))
      throw m_file.error(line().number, "the epochs of a segment must ascend");
    CartesianState state{};
    for (std::size_t i = 0; i < 6; ++i) state[i] = 1000 * read_number(words[1 + i]);
    m_segment.epochs.push_back(epoch);
    m_segment.states.push_back(state);
    ++m_now;
  }

  void read_covariances() {
    ++m_now;
    std::string frame;
    while (skip_comments() && !is_mark("COVARIANCE_STOP")) {
      const int begin = line().number;
      KvnBlock head(m_file, "the covariance of line " + std::to_string(begin), begin);
      while (skip_comments() && line().kind == KvnLine::Kind::entry)
        add(head, {"EPOCH", "COV_REF_FRAME"});
      const std::optional<Epoch> epoch = epoch_of(head, "EPOCH");
      if (!epoch) throw m_file.error(begin, "a covariance begins with its EPOCH");
      if (head.find("COV_REF_FRAME") != nullptr)
        frame = head.text("COV_REF_FRAME");  // it holds for the following ones too
      read_covariance(*epoch, frame, begin);
    }
    require_mark("COVARIANCE_STOP");
  }

  void read_covariance(const Epoch& epoch, const std::string& frame, int begin) {
    linalg::Matrix matrix(6, std::vector<double>(6, 0.0));
    for (std::size_t i = 0; i < 6; ++i) {
      if (!skip_comments())
        throw m_file.error(m_file.last(), "the message ends within a covariance",
                           "the file may be cut off: fetch it again");
      const std::vector<std::string> words = words_of(line().value);
      if (line().kind != KvnLine::Kind::data || words.size() != i + 1)
        throw m_file.error(line().number,
                           "row " + std::to_string(i + 1) + " of a covariance has so many numbers");
      for (std::size_t j = 0; j <= i; ++j)
        matrix[i][j] = matrix[j][i] = 1e6 * read_number(words[j]);
      ++m_now;
    }
    const MendedCovariance covariance = at_line(m_file, begin, [&] {
      return mend_covariance(
          covariance_in_eme2000(frame, m_segment.frame, m_segment.state_at(epoch), epoch, matrix));
    });
    if (covariance.mended)
      m_ephemeris.notes.push_back(
          mended_note(m_file, begin, m_segment.object_name, covariance.least_eigenvalue));
    m_segment.covariances.push_back({epoch, covariance});
  }

  KvnFile m_file;
  SharedOrientation m_orientation;
  Ephemeris m_ephemeris;
  EphemerisSegment m_segment;
  std::size_t m_now = 0;
};

}  // namespace

CartesianState EphemerisSegment::state_at(const Epoch& epoch) const {
  const auto behind = std::lower_bound(
      epochs.begin(), epochs.end(), epoch,
      [](const Epoch& row, const Epoch& at) { return seconds_between(row, at) > 0; });
  auto nearest = static_cast<std::size_t>(behind - epochs.begin());
  if (behind == epochs.end() || (nearest > 0 && seconds_between(epochs[nearest - 1], epoch) <=
                                                    seconds_between(epoch, epochs[nearest])))
    --nearest;
  const double from_nearest = seconds_between(epochs[nearest], epoch);
  if (std::fabs(from_nearest) < 1e-9)
    return inertial_state(frame, states[nearest], epoch, orientation);
  const std::string text = format_epoch(epoch, time_system, 6);
  if (from_nearest * (nearest == 0 ? 1 : -1) < 0 && (nearest == 0 || nearest + 1 == epochs.size()))
    throw Error(ErrorKind::input, "the epoch " + text + " is outside the rows of the ephemeris");
  if (interpolation == Interpolation::none) {
    throw Error(ErrorKind::input,
                "the epoch " + text + " is between rows, and the ephemeris names no INTERPOLATION");
  }
  if ((usable_begin && seconds_between(*usable_begin, epoch) < 0) ||
      (usable_end && seconds_between(*usable_end, epoch) > 0)) {
    throw Error(ErrorKind::input, "the epoch " + text +
                                      " is between rows and outside the time in which the "
                                      "ephemeris may be used (USEABLE_START_TIME, "
                                      "USEABLE_STOP_TIME)");
  }
  const auto count = static_cast<std::size_t>(
      interpolation == Interpolation::lagrange ? degree + 1 : (degree + 1) / 2);
  if (count > epochs.size()) {
    throw Error(ErrorKind::input,
                "the epoch " + text + " is between rows, and INTERPOLATION_DEGREE = " +
                    std::to_string(degree) + " takes " + std::to_string(count) +
                    " rows, but the segment has " + std::to_string(epochs.size()));
  }
  const std::size_t before = nearest + (from_nearest > 0 ? 1 : 0);  // rows up to the epoch
  std::size_t first = before > count / 2 ? before - count / 2 : 0;
  first = std::min(first, epochs.size() - count);
  std::vector<double> t;
  for (std::size_t n = first; n < first + count; ++n)
    t.push_back(seconds_between(epoch, epochs[n]));
  CartesianState state{};
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> position, velocity;
    for (std::size_t n = first; n < first + count; ++n) {
      position.push_back(states[n][i]);
      velocity.push_back(states[n][3 + i]);
    }
    if (interpolation == Interpolation::lagrange) {
      state[i] = lagrange(t, position, 0);
      state[3 + i] = lagrange(t, velocity, 0);
    } else {
      const ValueAndRate found = hermite(t, position, velocity, 0);
      state[i] = found.value;
      state[3 + i] = found.rate;
    }
  }
  return inertial_state(frame, state, epoch, orientation);
}

std::optional<MendedCovariance> EphemerisSegment::covariance_at(const Epoch& epoch) const {
  for (const EphemerisCovariance& entry : covariances) {
    if (std::fabs(seconds_between(entry.epoch, epoch)) < kSameEpoch) return entry.covariance;
  }
  return {};
}

Ephemeris read_oem(const std::string& path, const SharedOrientation& orientation) {
  return OemReader(path, orientation).read();
}

std::string format_oem(const std::string& object_name, const std::vector<EphemerisRow>& rows,
                       const Epoch& created) {
  const auto time = [](const Epoch& epoch) { return format_epoch(epoch, TimeSystem::utc, 6); };
  std::string text =
      "CCSDS_OEM_VERS = 2.0\nCREATION_DATE = " + format_epoch(created, TimeSystem::utc, 0) +
      "\nORIGINATOR = TESSERA\n\nMETA_START\nOBJECT_NAME = " + object_name +
      "\nOBJECT_ID = " + object_name +
      "\nCENTER_NAME = EARTH\nREF_FRAME = EME2000\nTIME_SYSTEM = UTC\nSTART_TIME = " +
      time(rows.front().epoch) + "\nSTOP_TIME = " + time(rows.back().epoch) + "\nMETA_STOP\n\n";
  for (const EphemerisRow& row : rows) {
    text += time(row.epoch);
    for (const double value : row.state) text += " " + io::shortest(value / 1000);
    text += "\n";
  }
  const auto has_covariance = [](const EphemerisRow& row) { return !row.covariance.empty(); };
  if (std::none_of(rows.begin(), rows.end(), has_covariance)) return text;
  text += "\nCOVARIANCE_START\n";
  for (const EphemerisRow& row : rows) {
    if (!has_covariance(row)) continue;
    text += "EPOCH = " + time(row.epoch) + "\nCOV_REF_FRAME = EME2000\n";
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j <= i; ++j)
        text += (j == 0 ? "" : " ") + io::shortest(row.covariance[i][j] / 1e6);
      text += "\n";
    }
  }
  return text + "COVARIANCE_STOP\n";
}

}  // namespace tessera::gbees

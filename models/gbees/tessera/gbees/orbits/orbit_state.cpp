// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/orbit_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tessera/core/error.hpp"
#include "tessera/core/io/shortest.hpp"
#include "tessera/gbees/orbits/cdm.hpp"
#include "tessera/gbees/orbits/ephemeris.hpp"
#include "tessera/gbees/orbits/kvn_block.hpp"
#include "tessera/gbees/orbits/mean_elements.hpp"

namespace tessera::gbees {

namespace {

const std::vector<std::string>& opm_keywords() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = orbit_keywords({"CCSDS_OPM_VERS", "TRUE_ANOMALY"});
    all.insert(all.end(), kStateKeywords.begin(), kStateKeywords.end());
    return all;
  }();
  return names;
}

constexpr double kSameEpoch = 1e-3;  // s

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

constexpr const char* kGiveCovariance =
    "give initial.covariance or initial.standard_deviation beside the file";

OrbitState state_of_cdm(const std::string& path, std::optional<int> object,
                        const SharedOrientation& orientation) {
  if (!object)
    throw Error(ErrorKind::input, path + " holds two objects: say which, 'object: 1' or '2'");
  const ConjunctionMessage message = read_cdm(path, orientation);
  const ConjunctionObject& found = message.objects[*object == 1 ? 0 : 1];
  OrbitState state;
  state.epoch = message.closest_approach;
  state.state = found.state;
  state.covariance = found.covariance;
  state.covariance.matrix = found.inertial_covariance();
  state.object_name = found.name;
  state.unknown = message.unknown;
  state.notes = message.notes;
  return state;
}

OrbitState state_of_oem(const std::string& path, const std::string& time,
                        const SharedOrientation& orientation, CovarianceOf covariance_of) {
  const Ephemeris ephemeris = read_oem(path, orientation);
  if (ephemeris.segments.size() != 1) {
    throw Error(ErrorKind::input, path + " has " + std::to_string(ephemeris.segments.size()) +
                                      " segments, and an initial state is read from files of one");
  }
  const EphemerisSegment& segment = ephemeris.segments.front();
  const bool is_needed = covariance_of == CovarianceOf::message;
  if (is_needed && segment.covariances.empty())
    throw Error(ErrorKind::input, path + " has no covariances (COVARIANCE_START)", kGiveCovariance);
  if (!is_needed && time.empty()) {
    throw Error(ErrorKind::input,
                path + " is a table in time: say with 'time' where to begin, from " +
                    format_epoch(segment.epochs.front(), segment.time_system, 3) + " on");
  }
  OrbitState state;
  state.epoch =
      time.empty() ? segment.covariances.front().epoch : parse_epoch(time, segment.time_system);
  const auto covariance = segment.covariance_at(state.epoch);
  if (is_needed && !covariance) {
    throw Error(ErrorKind::input,
                path + " has no covariance at " + time + "; its first is at " +
                    format_epoch(segment.covariances.front().epoch, segment.time_system, 3));
  }
  if (covariance) state.covariance = *covariance;
  state.state = segment.state_at(state.epoch);
  state.object_name = segment.object_name;
  state.unknown = ephemeris.unknown;
  state.notes = ephemeris.notes;
  return state;
}

/// Returns the state of mean elements at a time, which may be that of their epoch.
OrbitState state_of_elements(const MeanElementSet& set, const std::string& time,
                             CovarianceOf covariance_of) {
  constexpr double kDay = 86400, kOldDays = 10;
  OrbitState state;
  state.epoch = time.empty() ? set.elements.epoch : parse_epoch(time, set.time_system);
  state.state = set.state_at(state.epoch);
  state.object_name = set.object_name;
  state.unknown = set.unknown;
  state.notes = set.notes;
  const std::string place = set.path + ":" + std::to_string(set.line) + ": ";
  if (covariance_of == CovarianceOf::message) {
    if (!set.covariance)
      throw Error(ErrorKind::input, place + "mean elements without a covariance", kGiveCovariance);
    state.covariance = *set.covariance;
    if (std::fabs(seconds_between(set.elements.epoch, state.epoch)) > kSameEpoch) {
      state.covariance.matrix = set.covariance_at(state.epoch);
    }
  }
  const double days = std::fabs(seconds_between(set.elements.epoch, state.epoch)) / kDay;
  if (days > kOldDays) {
    state.notes.push_back(place + "the state is " + std::to_string(static_cast<int>(days)) +
                          " days from the epoch of its elements, and SGP4 errs by a kilometre and "
                          "more a day: take elements nearer to it");
  }
  return state;
}

}  // namespace

OrbitState read_opm(const std::string& path, const SharedOrientation& orientation,
                    CovarianceOf covariance) {
  const KvnFile file = read_kvn(path);
  KvnBlock block(file, "the message", 1);
  OrbitState state;
  int manoeuvre = 0;
  for (const KvnLine& line : file.lines) {
    if (line.kind == KvnLine::Kind::comment) continue;
    if (line.kind == KvnLine::Kind::data)
      throw file.error(line.number, "the line is neither KEYWORD = value nor a comment");
    if (line.keyword.compare(0, 4, "MAN_") == 0) {
      manoeuvre = manoeuvre == 0 ? line.number : manoeuvre;
    } else if (is_keyword(line.keyword, opm_keywords())) {
      block.add(line);
    } else {
      state.unknown.push_back(unknown_keyword(line));
    }
  }
  require_version(file, block, "CCSDS_OPM_VERS", "an orbit parameter message",
                  {"2.0", "1.0", "3.0"});
  const KvnLine& frame_line = block.require("REF_FRAME");
  const ReferenceFrame frame =
      at_line(file, frame_line.number, [&] { return parse_reference_frame(frame_line.value); });
  const KvnLine& system_line = block.require("TIME_SYSTEM");
  const TimeSystem system =
      at_line(file, system_line.number, [&] { return parse_time_system(system_line.value); });
  const KvnLine& centre = block.require("CENTER_NAME");
  if (centre.value != "EARTH") {
    throw file.error(centre.number,
                     "orbits about the Earth are read (EARTH), not about '" + centre.value + "'");
  }
  const KvnLine& epoch = block.require("EPOCH");
  state.epoch = at_line(file, epoch.number, [&] { return parse_epoch(epoch.value, system); });
  state.state = inertial_state(frame, read_state(block), state.epoch, orientation);
  state.object_name = block.text("OBJECT_NAME");
  const KvnLine* first = block.find("CX_X");
  if (first == nullptr && covariance == CovarianceOf::message) {
    throw file.error(file.last(), "the message has no covariance (CX_X to CZ_DOT_Z_DOT)",
                     kGiveCovariance);
  }
  if (first != nullptr) {
    const linalg::Matrix given = read_state_covariance(block);
    state.covariance = at_line(file, first->number, [&] {
      return mend_covariance(covariance_in_eme2000(block.text("COV_REF_FRAME"), frame, state.state,
                                                   state.epoch, given));
    });
  }
  if (state.covariance.mended)
    state.notes.push_back(
        mended_note(file, first->number, state.object_name, state.covariance.least_eigenvalue));
  if (manoeuvre != 0)
    state.notes.push_back(file.place(manoeuvre) + ": manoeuvres of the message are not used");
  if (const std::string ignored = ignored_by(frame, orientation); !ignored.empty())
    state.notes.push_back(file.place(frame_line.number) + ": " + ignored);
  return state;
}

std::string format_opm(const std::string& object_name, const std::string& object_id,
                       const Epoch& epoch, const CartesianState& state,
                       const linalg::Matrix& covariance, const Epoch& created) {
  constexpr int kNanoseconds = 9;
  std::string text =
      "CCSDS_OPM_VERS = 2.0\nCREATION_DATE = " + format_epoch(created, TimeSystem::utc, 0) +
      "\nORIGINATOR = TESSERA\n\nOBJECT_NAME = " + object_name + "\nOBJECT_ID = " + object_id +
      "\nCENTER_NAME = EARTH\nREF_FRAME = EME2000\nTIME_SYSTEM = UTC\n\nEPOCH = " +
      format_epoch(epoch, TimeSystem::utc, kNanoseconds) + "\n";
  const auto add = [&](const std::string& keyword, double value, const char* unit) {
    text += keyword + " = " + io::shortest(value) + " [" + unit + "]\n";
  };
  for (std::size_t i = 0; i < 6; ++i)
    add(kStateKeywords[i], state[i] / 1000, i < 3 ? "km" : "km/s");
  if (covariance.empty()) return text;
  text += "\nCOV_REF_FRAME = EME2000\n";
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j <= i; ++j)
      add(covariance_keyword(i, j), covariance[i][j] / 1e6, covariance_unit(i, j));
  }
  return text;
}

OrbitState read_orbit_state(const std::string& path, std::optional<int> object,
                            const std::string& time, const SharedOrientation& orientation,
                            CovarianceOf covariance) {
  const bool is_tle = ends_with(path, ".tle");
  const KvnFile file = is_tle ? KvnFile{path, {}} : read_kvn(path);
  std::string kind;
  for (const KvnLine& line : file.lines) {
    if (line.kind == KvnLine::Kind::comment) continue;
    kind = line.keyword;
    break;
  }
  const bool has_times = is_tle || kind == "CCSDS_OEM_VERS" || kind == "CCSDS_OMM_VERS";
  if (object && kind != "CCSDS_CDM_VERS")
    throw Error(ErrorKind::input, path + " holds one object: leave 'object' out");
  if (!time.empty() && !has_times)
    throw Error(ErrorKind::input, path + " holds one time: leave 'time' out");
  if (is_tle) return state_of_elements(read_tle(path), time, covariance);
  if (kind == "CCSDS_CDM_VERS") return state_of_cdm(path, object, orientation);
  if (kind == "CCSDS_OPM_VERS") return read_opm(path, orientation, covariance);
  if (kind == "CCSDS_OEM_VERS") return state_of_oem(path, time, orientation, covariance);
  if (kind == "CCSDS_OMM_VERS") return state_of_elements(read_omm(path), time, covariance);
  throw file.error(file.lines.empty() ? 1 : file.lines.front().number,
                   "a state is read from a CDM, an OPM or an OEM, which begin with "
                   "CCSDS_CDM_VERS, CCSDS_OPM_VERS or CCSDS_OEM_VERS, from an OMM "
                   "(CCSDS_OMM_VERS), and from two-line elements (a name that ends in .tle)");
}

bool is_orbit_file(const std::string& path) {
  const std::array<const char*, 6> endings{".cdm", ".opm", ".oem", ".omm", ".tle", ".xml"};
  return std::any_of(endings.begin(), endings.end(),
                     [&](const char* ending) { return ends_with(path, ending); });
}

}  // namespace tessera::gbees

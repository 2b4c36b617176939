// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/orbit_state.hpp"

#include <array>

#include "tessera/core/error.hpp"
#include "tessera/gbees/orbits/cdm.hpp"
#include "tessera/gbees/orbits/ephemeris.hpp"
#include "tessera/gbees/orbits/kvn_block.hpp"

namespace tessera::gbees {

namespace {

const std::vector<std::string>& opm_keywords() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"CCSDS_OPM_VERS",
                                 "CREATION_DATE",
                                 "ORIGINATOR",
                                 "CLASSIFICATION",
                                 "MESSAGE_ID",
                                 "OBJECT_NAME",
                                 "OBJECT_ID",
                                 "CENTER_NAME",
                                 "REF_FRAME",
                                 "REF_FRAME_EPOCH",
                                 "TIME_SYSTEM",
                                 "EPOCH",
                                 "SEMI_MAJOR_AXIS",
                                 "ECCENTRICITY",
                                 "INCLINATION",
                                 "RA_OF_ASC_NODE",
                                 "ARG_OF_PERICENTER",
                                 "TRUE_ANOMALY",
                                 "MEAN_ANOMALY",
                                 "GM",
                                 "MASS",
                                 "SOLAR_RAD_AREA",
                                 "SOLAR_RAD_COEFF",
                                 "DRAG_AREA",
                                 "DRAG_COEFF",
                                 "COV_REF_FRAME"};
    all.insert(all.end(), kStateKeywords.begin(), kStateKeywords.end());
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j <= i; ++j) all.push_back(covariance_keyword(i, j));
    }
    return all;
  }();
  return names;
}

/// Reads CX_X to CZ_DOT_Z_DOT in km, and returns them in m.
linalg::Matrix read_opm_covariance(const KvnBlock& block) {
  linalg::Matrix matrix(6, std::vector<double>(6, 0.0));
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      matrix[i][j] = matrix[j][i] =
          1e6 * block.number(covariance_keyword(i, j), covariance_unit(i, j));
    }
  }
  return matrix;
}

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
                        const SharedOrientation& orientation) {
  const Ephemeris ephemeris = read_oem(path, orientation);
  if (ephemeris.segments.size() != 1) {
    throw Error(ErrorKind::input, path + " has " + std::to_string(ephemeris.segments.size()) +
                                      " segments, and an initial state is read from files of one");
  }
  const EphemerisSegment& segment = ephemeris.segments.front();
  if (segment.covariances.empty())
    throw Error(ErrorKind::input, path + " has no covariances (COVARIANCE_START)");
  OrbitState state;
  state.epoch =
      time.empty() ? segment.covariances.front().epoch : parse_epoch(time, segment.time_system);
  const auto covariance = segment.covariance_at(state.epoch);
  if (!covariance) {
    throw Error(ErrorKind::input,
                path + " has no covariance at " + time + "; its first is at " +
                    format_epoch(segment.covariances.front().epoch, segment.time_system, 3));
  }
  state.covariance = *covariance;
  state.state = segment.state_at(state.epoch);
  state.object_name = segment.object_name;
  state.unknown = ephemeris.unknown;
  state.notes = ephemeris.notes;
  return state;
}

}  // namespace

OrbitState read_opm(const std::string& path, const SharedOrientation& orientation) {
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
  if (file.lines.empty() || block.find("CCSDS_OPM_VERS") == nullptr) {
    throw file.error(file.lines.empty() ? 1 : file.lines.front().number,
                     "the file does not begin as an orbit parameter message, with CCSDS_OPM_VERS "
                     "= 2.0");
  }
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
  if (first == nullptr) {
    throw file.error(file.last(), "the message has no covariance (CX_X to CZ_DOT_Z_DOT)",
                     "give initial.mean and initial.covariance instead");
  }
  const linalg::Matrix given = read_opm_covariance(block);
  state.covariance = at_line(file, first->number, [&] {
    return mend_covariance(
        covariance_in_eme2000(block.text("COV_REF_FRAME"), frame, state.state, given));
  });
  if (state.covariance.mended)
    state.notes.push_back(
        mended_note(file, first->number, state.object_name, state.covariance.least_eigenvalue));
  if (manoeuvre != 0)
    state.notes.push_back(file.place(manoeuvre) + ": manoeuvres of the message are not used");
  if (const std::string ignored = ignored_by(frame, orientation); !ignored.empty())
    state.notes.push_back(file.place(frame_line.number) + ": " + ignored);
  return state;
}

OrbitState read_orbit_state(const std::string& path, std::optional<int> object,
                            const std::string& time, const SharedOrientation& orientation) {
  const KvnFile file = read_kvn(path);
  std::string kind;
  for (const KvnLine& line : file.lines) {
    if (line.kind == KvnLine::Kind::comment) continue;
    kind = line.keyword;
    break;
  }
  if (object && kind != "CCSDS_CDM_VERS")
    throw Error(ErrorKind::input, path + " holds one object: leave 'object' out");
  if (!time.empty() && kind != "CCSDS_OEM_VERS")
    throw Error(ErrorKind::input, path + " holds one time: leave 'time' out");
  if (kind == "CCSDS_CDM_VERS") return state_of_cdm(path, object, orientation);
  if (kind == "CCSDS_OPM_VERS") return read_opm(path, orientation);
  if (kind == "CCSDS_OEM_VERS") return state_of_oem(path, time, orientation);
  throw file.error(file.lines.empty() ? 1 : file.lines.front().number,
                   "a state is read from a CDM, an OPM or an OEM, which begin with "
                   "CCSDS_CDM_VERS, CCSDS_OPM_VERS or CCSDS_OEM_VERS");
}

bool is_orbit_file(const std::string& path) {
  for (const char* ending : {".cdm", ".opm", ".oem", ".xml"}) {
    if (path.size() > 4 && path.compare(path.size() - 4, 4, ending) == 0) return true;
  }
  return false;
}

}  // namespace tessera::gbees

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "tessera/core/error.hpp"
#include "tessera/gbees/orbits/kvn_block.hpp"
#include "tessera/gbees/orbits/mean_elements.hpp"

namespace tessera::gbees {

namespace {

constexpr double kPi = 3.14159265358979323846;

const std::vector<std::string>& omm_keywords() {
  static const std::vector<std::string> names =
      orbit_keywords({"CCSDS_OMM_VERS", "MEAN_ELEMENT_THEORY", "MEAN_MOTION", "EPHEMERIS_TYPE",
                      "CLASSIFICATION_TYPE", "NORAD_CAT_ID", "ELEMENT_SET_NO", "REV_AT_EPOCH",
                      "BSTAR", "BTERM", "MEAN_MOTION_DOT", "MEAN_MOTION_DDOT", "AGOM"});
  return names;
}

/// Refuses what is no orbit about the Earth by SGP4 in TEME.
void check_metadata(const KvnFile& file, const KvnBlock& block) {
  const KvnLine& centre = block.require("CENTER_NAME");
  if (centre.value != "EARTH") {
    throw file.error(centre.number,
                     "orbits about the Earth are read (EARTH), not about '" + centre.value + "'");
  }
  const KvnLine& theory = block.require("MEAN_ELEMENT_THEORY");
  if (theory.value != "SGP4" && theory.value != "SGP/SGP4" && theory.value != "SDP4") {
    throw file.error(theory.number, "mean elements of SGP4 are read, not of '" + theory.value + "'",
                     "fetch elements of SGP4, or turn these into an OEM or an OPM");
  }
  const KvnLine& frame = block.require("REF_FRAME");
  if (frame.value != "TEME") {
    throw file.error(frame.number, "elements of SGP4 are in TEME, not in '" + frame.value + "'",
                     "correct the frame, or fetch the message again");
  }
  const KvnLine* type = block.find("EPHEMERIS_TYPE");
  if (type != nullptr && type->value != "0" && type->value != "2") {
    throw file.error(type->number,
                     "EPHEMERIS_TYPE = " + type->value + " is not SGP4, which has 0 or 2",
                     "fetch elements of SGP4: those of SGP4-XP are of another theory");
  }
}

/// The number of an entry, which must lie in a range.
double number_between(const KvnFile& file, const KvnBlock& block, const char* keyword,
                      const char* unit, double least, double most, const char* range) {
  const double value = block.number(keyword, unit);
  if (!(value >= least && value <= most))
    throw file.error(block.require(keyword).number, std::string(keyword) + " is " + range);
  return value;
}

MeanElements read_elements(const KvnFile& file, const KvnBlock& block, TimeSystem system) {
  constexpr double kDegree = kPi / 180, kTurnADay = 2 * kPi / 1440;
  MeanElements e;
  const KvnLine& epoch = block.require("EPOCH");
  e.epoch = at_line(file, epoch.number, [&] { return parse_epoch(epoch.value, system); });
  e.mean_motion = kTurnADay * number_between(file, block, "MEAN_MOTION", "rev/day", 1e-6, 20,
                                             "above 0 and at most 20 turns a day");
  e.eccentricity = number_between(file, block, "ECCENTRICITY", "", 0, std::nextafter(1.0, 0.0),
                                  "0 or more and below 1");
  e.inclination =
      kDegree * number_between(file, block, "INCLINATION", "deg", 0, 180, "0 to 180 degrees");
  e.node = kDegree * block.number("RA_OF_ASC_NODE", "deg");
  e.perigee = kDegree * block.number("ARG_OF_PERICENTER", "deg");
  e.anomaly = kDegree * block.number("MEAN_ANOMALY", "deg");
  e.drag = block.number("BSTAR", "1/ER");
  return e;
}

}  // namespace

MeanElementSet read_omm(const std::string& path) {
  const KvnFile file = read_kvn(path);
  MeanElementSet set;
  set.path = path;
  KvnBlock block(file, "the message", 1);
  for (const KvnLine& line : file.lines) {
    if (line.kind == KvnLine::Kind::comment) continue;
    if (line.kind == KvnLine::Kind::data) {
      throw file.error(line.number,
                       "the line is neither KEYWORD = value nor COMMENT: '" + line.value + "'");
    }
    if (!is_keyword(line.keyword, omm_keywords())) {
      set.unknown.push_back(unknown_keyword(line));
      continue;
    }
    block.add(line);
  }
  require_version(file, block, "CCSDS_OMM_VERS", "an orbit mean-elements message", {"2.0", "3.0"});
  check_metadata(file, block);
  const KvnLine& system_line = block.require("TIME_SYSTEM");
  set.time_system =
      at_line(file, system_line.number, [&] { return parse_time_system(system_line.value); });
  set.object_name = block.text("OBJECT_NAME");
  set.object_id = block.text("OBJECT_ID");
  set.line = block.require("EPOCH").number;
  set.elements = read_elements(file, block, set.time_system);
  const CartesianState state = set.state_at(set.elements.epoch);
  const KvnLine* first = block.find("CX_X");
  if (first == nullptr) return set;
  const linalg::Matrix given = read_state_covariance(block);
  set.covariance = at_line(file, first->number, [&] {
    return mend_covariance(covariance_in_eme2000(block.text("COV_REF_FRAME"), ReferenceFrame::teme,
                                                 state, set.elements.epoch, given));
  });
  if (set.covariance->mended)
    set.notes.push_back(
        mended_note(file, first->number, set.object_name, set.covariance->least_eigenvalue));
  return set;
}

}  // namespace tessera::gbees

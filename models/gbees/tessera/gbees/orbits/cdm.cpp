// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/cdm.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tessera/core/names.hpp"
#include "tessera/gbees/orbits/kvn_block.hpp"

namespace tessera::gbees {

namespace {

constexpr std::array<const char*, 6> kAxes{"R", "T", "N", "RDOT", "TDOT", "NDOT"};
constexpr std::array<const char*, 9> kAllAxes{"R",    "T",   "N",   "RDOT", "TDOT",
                                              "NDOT", "DRG", "SRP", "THR"};

/// The keywords of the header and of the relative metadata.
const std::vector<std::string>& shared_keywords() {
  static const std::vector<std::string> names{"CCSDS_CDM_VERS",
                                              "CREATION_DATE",
                                              "ORIGINATOR",
                                              "MESSAGE_FOR",
                                              "MESSAGE_ID",
                                              "TCA",
                                              "MISS_DISTANCE",
                                              "RELATIVE_SPEED",
                                              "RELATIVE_POSITION_R",
                                              "RELATIVE_POSITION_T",
                                              "RELATIVE_POSITION_N",
                                              "RELATIVE_VELOCITY_R",
                                              "RELATIVE_VELOCITY_T",
                                              "RELATIVE_VELOCITY_N",
                                              "START_SCREEN_PERIOD",
                                              "STOP_SCREEN_PERIOD",
                                              "SCREEN_VOLUME_FRAME",
                                              "SCREEN_VOLUME_SHAPE",
                                              "SCREEN_VOLUME_X",
                                              "SCREEN_VOLUME_Y",
                                              "SCREEN_VOLUME_Z",
                                              "SCREEN_ENTRY_TIME",
                                              "SCREEN_EXIT_TIME",
                                              "COLLISION_PROBABILITY",
                                              "COLLISION_PROBABILITY_METHOD"};
  return names;
}

/// The keywords of the part of an object.
const std::vector<std::string>& object_keywords() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"OBJECT",
                                 "OBJECT_DESIGNATOR",
                                 "CATALOG_NAME",
                                 "OBJECT_NAME",
                                 "INTERNATIONAL_DESIGNATOR",
                                 "OBJECT_TYPE",
                                 "OPERATOR_CONTACT_POSITION",
                                 "OPERATOR_ORGANIZATION",
                                 "OPERATOR_PHONE",
                                 "OPERATOR_EMAIL",
                                 "EPHEMERIS_NAME",
                                 "COVARIANCE_METHOD",
                                 "MANEUVERABLE",
                                 "ORBIT_CENTER",
                                 "REF_FRAME",
                                 "GRAVITY_MODEL",
                                 "ATMOSPHERIC_MODEL",
                                 "N_BODY_PERTURBATIONS",
                                 "SOLAR_RAD_PRESSURE",
                                 "EARTH_TIDES",
                                 "INTRACK_THRUST",
                                 "TIME_LASTOB_START",
                                 "TIME_LASTOB_END",
                                 "RECOMMENDED_OD_SPAN",
                                 "ACTUAL_OD_SPAN",
                                 "OBS_AVAILABLE",
                                 "OBS_USED",
                                 "TRACKS_AVAILABLE",
                                 "TRACKS_USED",
                                 "RESIDUALS_ACCEPTED",
                                 "WEIGHTED_RMS",
                                 "AREA_PC",
                                 "AREA_DRG",
                                 "AREA_SRP",
                                 "MASS",
                                 "CD_AREA_OVER_MASS",
                                 "CR_AREA_OVER_MASS",
                                 "THRUST_ACCELERATION",
                                 "SEDR"};
    all.insert(all.end(), kStateKeywords.begin(), kStateKeywords.end());
    for (std::size_t i = 0; i < kAllAxes.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j)
        all.push_back(std::string("C") + kAllAxes[i] + "_" + kAllAxes[j]);
    }
    return all;
  }();
  return names;
}

/// A message cut into its three parts.
struct Parts {
  KvnBlock shared;
  std::vector<KvnBlock> objects;
  std::vector<std::string> unknown;
  std::optional<double> radius;
};

/// Reads "HBR = 20 [m]" in a comment; without a unit it is in metres.
std::optional<double> radius_of_comment(const KvnFile& file, const KvnLine& line) {
  const std::size_t equals = line.value.find('=');
  if (line.value.compare(0, 3, "HBR") != 0 || equals == std::string::npos) return {};
  if (line.value.find_first_not_of(" \t", 3) != equals) return {};
  KvnLine entry{KvnLine::Kind::entry, line.number, "HBR", line.value.substr(equals + 1), {}};
  const std::size_t open = entry.value.find('[');
  if (open != std::string::npos) {
    const std::size_t close = entry.value.find(']', open);
    entry.unit = entry.value.substr(open + 1, close - open - 1);
    entry.value.resize(open);
  }
  const std::size_t first = entry.value.find_first_not_of(" \t");
  const std::size_t last = entry.value.find_last_not_of(" \t");
  entry.value =
      first == std::string::npos ? std::string() : entry.value.substr(first, last - first + 1);
  const double radius = kvn_number(file, entry, "m");
  if (!(radius > 0)) throw file.error(line.number, "a hard-body radius is above 0");
  return radius;
}

void take_radius(const KvnFile& file, const KvnLine& line, Parts& parts) {
  const auto radius = radius_of_comment(file, line);
  if (!radius) return;
  if (parts.radius && *parts.radius != *radius)
    throw file.error(line.number, "the message has another hard-body radius (HBR) further up");
  parts.radius = radius;
}

std::string nth_object(std::size_t n) { return "object " + std::to_string(n + 1); }

/// Refuses a line of an object whose keyword the message has for both of them, as another TCA.
void refuse_shared(const KvnFile& file, const Parts& parts, const KvnLine& line) {
  const KvnLine* first = parts.shared.find(line.keyword);
  if (first == nullptr) return;
  throw file.error(line.number,
                   line.keyword + " = " + line.value + " stands a second time, under " +
                       nth_object(parts.objects.size() - 1) + "; line " +
                       std::to_string(first->number) + " has " + first->value + " for both objects",
                   "leave the entry that is wrong out; states that are not at one epoch must be "
                   "brought to one before");
}

Parts cut(const KvnFile& file) {
  Parts parts{KvnBlock(file, "the message", 1), {}, {}, {}};
  for (const KvnLine& line : file.lines) {
    if (line.kind == KvnLine::Kind::comment) {
      take_radius(file, line, parts);
      continue;
    }
    if (line.kind == KvnLine::Kind::data) {
      throw file.error(line.number, "the line is neither KEYWORD = value nor a comment",
                       "a message has a keyword a line, or is XML, which begins with '<'");
    }
    if (line.keyword == "OBJECT") {
      const std::string expected = "OBJECT" + std::to_string(parts.objects.size() + 1);
      if (line.value != expected || parts.objects.size() == 2) {
        throw file.error(line.number, "OBJECT = " + line.value +
                                          " stands where a message of two objects has " +
                                          (parts.objects.size() == 2 ? "none" : expected));
      }
      parts.objects.emplace_back(file, nth_object(parts.objects.size()), line.number);
    }
    const bool is_shared = parts.objects.empty();
    if (!is_keyword(line.keyword, is_shared ? shared_keywords() : object_keywords())) {
      if (!is_shared) refuse_shared(file, parts, line);
      parts.unknown.push_back(unknown_keyword(line));
      continue;
    }
    (is_shared ? parts.shared : parts.objects.back()).add(line);
  }
  return parts;
}

void check_version(const KvnFile& file, const Parts& parts) {
  require_version(file, parts.shared, "CCSDS_CDM_VERS", "a conjunction data message", {"1.0"});
  if (parts.objects.size() != 2) {
    throw file.error(file.last(),
                     "the message has " +
                         std::string(parts.objects.empty() ? "no object" : "one object") +
                         ", and a conjunction has two",
                     "the file may be cut off: fetch it again");
  }
}

linalg::Matrix read_covariance(const KvnBlock& part) {
  static const char* const units[3] = {"m**2", "m**2/s", "m**2/s**2"};
  linalg::Matrix covariance(6, std::vector<double>(6, 0.0));
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const std::string keyword = std::string("C") + kAxes[i] + "_" + kAxes[j];
      covariance[i][j] = covariance[j][i] = part.number(keyword, units[i / 3 + j / 3]);
    }
  }
  return covariance;
}

ConjunctionObject read_object(const KvnFile& file, const KvnBlock& part, const Epoch& epoch,
                              const std::string& name, const SharedOrientation& orientation,
                              std::vector<std::string>& notes) {
  ConjunctionObject object;
  object.name = part.text("OBJECT_NAME");
  object.designator = part.text("OBJECT_DESIGNATOR");
  object.line = part.line();
  const KvnLine& frame = part.require("REF_FRAME");
  object.frame = at_line(file, frame.number, [&] { return parse_reference_frame(frame.value); });
  if (object.frame == ReferenceFrame::teme) {
    throw file.error(frame.number,
                     "the frame 'TEME' is not one of those of a conjunction data "
                     "message: EME2000, GCRF, ITRF");
  }
  const KvnLine* centre = part.find("ORBIT_CENTER");
  if (centre != nullptr && centre->value != "EARTH")
    throw file.error(centre->number,
                     "orbits about the Earth are read (EARTH), not about '" + centre->value + "'");
  object.state = inertial_state(object.frame, read_state(part), epoch, orientation);
  const KvnLine& first = part.require("CR_R");
  at_line(file, part.require("X").number, [&] { return rtn_axes(object.state); });
  const linalg::Matrix covariance = read_covariance(part);
  object.covariance = at_line(file, first.number, [&] { return mend_covariance(covariance); });
  if (object.covariance.mended) {
    notes.push_back(mended_note(file, first.number, name, object.covariance.least_eigenvalue));
  }
  if (const std::string ignored = ignored_by(object.frame, orientation); !ignored.empty())
    notes.push_back(file.place(frame.number) + ": " + ignored);
  return object;
}

}  // namespace

ConjunctionMessage read_cdm(const std::string& path, const SharedOrientation& orientation) {
  const KvnFile file = read_kvn(path);
  const Parts parts = cut(file);
  check_version(file, parts);
  ConjunctionMessage message;
  message.path = path;
  message.unknown = parts.unknown;
  message.hard_body_radius = parts.radius;
  message.id = parts.shared.text("MESSAGE_ID");
  const KvnLine& tca = parts.shared.require("TCA");
  message.closest_approach =
      at_line(file, tca.number, [&] { return parse_epoch(tca.value, TimeSystem::utc); });
  if (parts.shared.find("MISS_DISTANCE") != nullptr)
    message.miss_distance = parts.shared.number("MISS_DISTANCE", "m");
  for (std::size_t n = 0; n < 2; ++n) {
    message.objects[n] = read_object(file, parts.objects[n], message.closest_approach,
                                     nth_object(n), orientation, message.notes);
  }
  return message;
}

}  // namespace tessera::gbees

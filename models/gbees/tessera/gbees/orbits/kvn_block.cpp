// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/kvn_block.hpp"

#include <algorithm>
#include <cstdio>

namespace tessera::gbees {

const std::vector<std::string> kStateKeywords{"X", "Y", "Z", "X_DOT", "Y_DOT", "Z_DOT"};

void KvnBlock::add(const KvnLine& line) {
  const auto [place, is_new] = m_lines.emplace(line.keyword, &line);
  if (is_new) return;
  throw m_file.error(line.number, line.keyword + " is given twice for " + m_name + "; line " +
                                      std::to_string(place->second->number) + " has it too");
}

const KvnLine* KvnBlock::find(const std::string& keyword) const {
  const auto found = m_lines.find(keyword);
  return found == m_lines.end() ? nullptr : found->second;
}

const KvnLine& KvnBlock::require(const std::string& keyword) const {
  if (const KvnLine* line = find(keyword)) return *line;
  throw m_file.error(m_file.last(), "the message ends without " + keyword + " of " + m_name,
                     "the file may be cut off: fetch it again");
}

std::string KvnBlock::text(const std::string& keyword) const {
  const KvnLine* line = find(keyword);
  return line != nullptr ? line->value : std::string();
}

void require_version(const KvnFile& file, const KvnBlock& header, const std::string& keyword,
                     const std::string& kind, const std::vector<std::string>& versions) {
  if (file.lines.empty()) throw file.error(1, "the file is empty");
  const KvnLine* version = header.find(keyword);
  if (version == nullptr) {
    throw file.error(file.lines.front().number, "the file does not begin as " + kind + ", with " +
                                                    keyword + " = " + versions.front());
  }
  if (std::find(versions.begin(), versions.end(), version->value) != versions.end()) return;
  std::string known;
  for (const std::string& name : versions) known += (known.empty() ? "" : ", ") + name;
  throw file.error(version->number,
                   keyword + " = " + version->value + " is not a version that is read: " + known);
}

bool is_keyword(const std::string& keyword, const std::vector<std::string>& keywords) {
  return keyword.compare(0, 13, "USER_DEFINED_") == 0 ||
         std::find(keywords.begin(), keywords.end(), keyword) != keywords.end();
}

std::string unknown_keyword(const KvnLine& line) {
  return line.keyword + " (line " + std::to_string(line.number) + ")";
}

std::string covariance_keyword(std::size_t i, std::size_t j) {
  return "C" + kStateKeywords[i] + "_" + kStateKeywords[j];
}

const char* covariance_unit(std::size_t i, std::size_t j) {
  static const char* const units[3] = {"km**2", "km**2/s", "km**2/s**2"};
  return units[i / 3 + j / 3];
}

CartesianState read_state(const KvnBlock& block) {
  CartesianState state{};
  for (std::size_t i = 0; i < 6; ++i)
    state[i] = 1000 * block.number(kStateKeywords[i], i < 3 ? "km" : "km/s");
  return state;
}

linalg::Matrix read_state_covariance(const KvnBlock& block) {
  linalg::Matrix matrix(6, std::vector<double>(6, 0.0));
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      matrix[i][j] = matrix[j][i] =
          1e6 * block.number(covariance_keyword(i, j), covariance_unit(i, j));
    }
  }
  return matrix;
}

std::vector<std::string> orbit_keywords(const std::vector<std::string>& own) {
  std::vector<std::string> all{
      "CREATION_DATE",   "ORIGINATOR",  "CLASSIFICATION", "MESSAGE_ID",
      "OBJECT_NAME",     "OBJECT_ID",   "CENTER_NAME",    "REF_FRAME",
      "REF_FRAME_EPOCH", "TIME_SYSTEM", "EPOCH",          "SEMI_MAJOR_AXIS",
      "ECCENTRICITY",    "INCLINATION", "RA_OF_ASC_NODE", "ARG_OF_PERICENTER",
      "MEAN_ANOMALY",    "GM",          "MASS",           "SOLAR_RAD_AREA",
      "SOLAR_RAD_COEFF", "DRAG_AREA",   "DRAG_COEFF",     "COV_REF_FRAME"};
  all.insert(all.end(), own.begin(), own.end());
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j <= i; ++j) all.push_back(covariance_keyword(i, j));
  }
  return all;
}

linalg::Matrix covariance_in_eme2000(const std::string& covariance_frame, ReferenceFrame frame,
                                     const CartesianState& state, const Epoch& epoch,
                                     const linalg::Matrix& matrix) {
  if (covariance_frame == "RTN" || covariance_frame == "RSW")
    return inertial_covariance(rtn_axes(state), matrix);
  if (covariance_frame == "TNW") return inertial_covariance(tnw_axes(state), matrix);
  const ReferenceFrame own =
      covariance_frame.empty() ? frame : parse_reference_frame(covariance_frame);
  if (own == ReferenceFrame::itrf) {
    throw Error(ErrorKind::input,
                "covariances are read in RTN, RSW, TNW and inertial frames, not in ITRF");
  }
  if (own == ReferenceFrame::eme2000) return matrix;
  const Rotation turn = teme_to_eme2000(epoch);
  Rotation axes{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) axes[i][j] = turn[j][i];
  }
  return inertial_covariance(axes, matrix);
}

std::string mended_note(const KvnFile& file, int line, const std::string& what,
                        double least_eigenvalue) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", least_eigenvalue);
  return file.place(line) + ": the covariance of " + what + " has negative eigenvalues, down to " +
         text + " with its diagonal scaled to 1; they were raised to zero";
}

}  // namespace tessera::gbees

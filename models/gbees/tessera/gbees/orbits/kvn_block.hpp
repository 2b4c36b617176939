// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gbees/orbits/frames.hpp"
#include "tessera/gbees/orbits/kvn.hpp"

namespace tessera::gbees {

/// The entries of a part of a message, by keyword. It refers to the file.
class KvnBlock {
 public:
  /// `name`: what errors call the part, "object 2". `line`: where it begins.
  KvnBlock(const KvnFile& file, std::string name, int line)
      : m_file(file), m_name(std::move(name)), m_line(line) {}

  int line() const { return m_line; }

  /// Throws Error (input) where the keyword is there already.
  void add(const KvnLine& line);

  /// Returns null where there is no such entry.
  const KvnLine* find(const std::string& keyword) const;

  /// Throws Error (input), at the last line of the file, where there is no such entry.
  const KvnLine& require(const std::string& keyword) const;

  double number(const std::string& keyword, const char* unit) const {
    return kvn_number(m_file, require(keyword), unit);
  }

  /// The value of an entry, or nothing.
  std::string text(const std::string& keyword) const;

 private:
  const KvnFile& m_file;
  std::string m_name;
  int m_line;
  std::map<std::string, const KvnLine*> m_lines;
};

/// Throws Error (input) unless a file begins as a message of a kind, "an orbit ephemeris message",
/// of one of the versions that are read, the usual one first.
void require_version(const KvnFile& file, const KvnBlock& header, const std::string& keyword,
                     const std::string& kind, const std::vector<std::string>& versions);

/// Tells whether a keyword is one of a list, or is a user's own: USER_DEFINED_...
bool is_keyword(const std::string& keyword, const std::vector<std::string>& keywords);

/// "KEYWORD (line 12)"
std::string unknown_keyword(const KvnLine& line);

/// Runs `read`, and gives an Error (input) that it throws the place of a line.
template <class Read>
auto at_line(const KvnFile& file, int number, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    throw file.error(number, error.what());
  }
}

/// The keywords of a Cartesian state: X to Z_DOT.
extern const std::vector<std::string> kStateKeywords;

/// Of element (i, j), j <= i, of the covariance of such a state, CX_X to CZ_DOT_Z_DOT: its keyword
/// and its unit.
std::string covariance_keyword(std::size_t i, std::size_t j);
const char* covariance_unit(std::size_t i, std::size_t j);

/// The keywords of a message of one orbit: those of every such message, of its covariance matrix,
/// and its own.
std::vector<std::string> orbit_keywords(const std::vector<std::string>& own);

/// Reads X to Z_DOT in km and km/s, and returns them in m and m/s.
CartesianState read_state(const KvnBlock& block);

/// Reads CX_X to CZ_DOT_Z_DOT in km, and returns them in m.
linalg::Matrix read_state_covariance(const KvnBlock& block);

/// The covariance in EME2000 of one in a frame that COV_REF_FRAME names: RTN, RSW, TNW or that of
/// the state, which must then be inertial. `state` is in EME2000. Throws Error (input) for others.
linalg::Matrix covariance_in_eme2000(const std::string& covariance_frame, ReferenceFrame frame,
                                     const CartesianState& state, const Epoch& epoch,
                                     const linalg::Matrix& matrix);

/// Says, with its place, that negative eigenvalues were raised.
std::string mended_note(const KvnFile& file, int line, const std::string& what,
                        double least_eigenvalue);

}  // namespace tessera::gbees

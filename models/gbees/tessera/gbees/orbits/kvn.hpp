// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/core/error.hpp"

namespace tessera::gbees {

/// A line of a CCSDS message in key = value form (KVN; CCSDS 508.0-B-1 and 502.0-B-3, section 7).
struct KvnLine {
  enum class Kind { entry, comment, data };
  Kind kind = Kind::entry;
  int number = 0;       ///< of the line, from 1
  std::string keyword;  ///< entry
  std::string value;    ///< entry: without its unit; comment and data: the text
  std::string unit;     ///< entry: "km/s", or empty
  /// The file ends within it: it has no line end, and other lines have units
  bool may_be_cut = false;
};

/// A file's lines but the empty ones.
struct KvnFile {
  std::string path;
  std::vector<KvnLine> lines;

  /// "x.cdm:17"
  std::string place(int number) const { return path + ":" + std::to_string(number); }

  /// An error at a line, with its place.
  Error error(int number, const std::string& what, const std::string& remedy = {}) const;

  /// The number of the last line.
  int last() const { return lines.empty() ? 0 : lines.back().number; }
};

/// Reads a file. Lines with an = are entries, those that begin with COMMENT are comments, others
/// are data; an XML message becomes such lines (message_xml.hpp). Throws Error (file) where it
/// cannot be read, and Error (input) where a line has an = but no keyword.
KvnFile read_kvn(const std::string& path);

/// The number that an entry has, which must be finite, in the unit that it must have where it names
/// one: CCSDS units are fixed. Throws Error (input) with file and line, also of a number without
/// its unit in a line that may be cut off.
double kvn_number(const KvnFile& file, const KvnLine& line, std::string_view unit);

/// Reads a number that is all of a text; false where it is none or not finite.
bool parse_number(std::string_view text, double& value);

}  // namespace tessera::gbees

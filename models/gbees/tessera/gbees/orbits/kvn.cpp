// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/kvn.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tessera/core/io/bytes.hpp"
#include "tessera/gbees/orbits/message_xml.hpp"

namespace tessera::gbees {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Cuts "[km/s]" off the end of a value.
std::string take_unit(std::string_view& value) {
  if (value.empty() || value.back() != ']') return {};
  const std::size_t open = value.rfind('[');
  if (open == std::string_view::npos) return {};
  const std::string unit(trimmed(value.substr(open + 1, value.size() - open - 2)));
  value = trimmed(value.substr(0, open));
  return unit;
}

bool is_comment(std::string_view text) {
  constexpr std::string_view kComment = "COMMENT";
  return text.substr(0, kComment.size()) == kComment &&
         (text.size() == kComment.size() || text[kComment.size()] == ' ' ||
          text[kComment.size()] == '\t');
}

KvnLine read_line(const KvnFile& file, int number, std::string_view text) {
  KvnLine line;
  line.number = number;
  if (is_comment(text)) {
    line.kind = KvnLine::Kind::comment;
    line.value = trimmed(text.substr(7));
    return line;
  }
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    line.kind = KvnLine::Kind::data;
    line.value = text;
    return line;
  }
  line.keyword = trimmed(text.substr(0, equals));
  std::string_view value = trimmed(text.substr(equals + 1));
  line.unit = take_unit(value);
  line.value = value;
  if (line.keyword.empty()) throw file.error(number, "the line has no keyword before '='");
  return line;
}

}  // namespace

Error KvnFile::error(int number, const std::string& what, const std::string& remedy) const {
  return Error(ErrorKind::input, place(number) + ": " + what, remedy);
}

KvnFile read_kvn(const std::string& path) {
  std::string bytes = io::read_bytes(path);
  if (bytes.substr(0, 3) == "\xEF\xBB\xBF") bytes.erase(0, 3);
  if (is_xml(bytes)) return read_xml_message(path, bytes);
  KvnFile file{path, {}};
  std::string_view rest = bytes;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    const std::string_view text = trimmed(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (!text.empty()) file.lines.push_back(read_line(file, number, text));
  }
  if (!bytes.empty() && bytes.back() != '\n' && !file.lines.empty()) {
    const bool has_units = std::any_of(file.lines.begin(), file.lines.end(),
                                       [](const KvnLine& line) { return !line.unit.empty(); });
    file.lines.back().may_be_cut = has_units;
  }
  return file;
}

double kvn_number(const KvnFile& file, const KvnLine& line, std::string_view unit) {
  if (!line.unit.empty() && line.unit != unit) {
    throw file.error(line.number, line.keyword + " is in " + std::string(unit) +
                                      ", and the line says [" + line.unit + "]");
  }
  if (line.may_be_cut && line.unit.empty() && !unit.empty()) {
    throw file.error(line.number,
                     "the file ends after " + line.keyword + " = " + line.value +
                         ", without the unit that other lines have and without the end of a line",
                     "the file may be cut off: fetch it again");
  }
  double value = 0;
  if (!parse_number(line.value, value)) {
    throw file.error(line.number, line.keyword + " = '" + line.value + "' is not a finite number");
  }
  return value;
}

bool parse_number(std::string_view text, double& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

}  // namespace tessera::gbees

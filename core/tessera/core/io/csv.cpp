// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/csv.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "tessera/core/error.hpp"
#include "tessera/core/io/bytes.hpp"
#include "tessera/core/names.hpp"

namespace tessera::io {

namespace {

constexpr std::size_t kNotRead = std::numeric_limits<std::size_t>::max();
constexpr char kBlanks = ' ';  ///< stands for any run of blanks and tabs

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Length in bytes of the UTF-8 character at the beginning of a text; 0 where there is none.
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length > text.size()) return 0;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; };
  return length == 0 || std::all_of(text.begin() + 1,
                                    text.begin() + static_cast<std::ptrdiff_t>(length), continues)
             ? length
             : 0;
}

/// Bytes of a file, fit for a message: whole UTF-8 characters, '?' for what is none.
std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    result += length == 0 || first < ' ' || first == 0x7F ? "?" : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

/// Returns what the user wrote, in quotes.
std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::size_t end = std::min(text.size(), kLongest);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u)
    --end;
  return "'" + printable(text.substr(0, end)) + (text.size() > kLongest ? "...'" : "'");
}

/// A file that is no text in UTF-8, as its first bytes tell.
struct ForeignFormat {
  std::string_view first_bytes, what, remedy;
};

constexpr std::string_view kSaveAsUtf8 = "save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE > NEW";
constexpr std::array<ForeignFormat, 11> kForeignFormats{{
    {"\x1F\x8B", "the file is compressed (gzip)", "unpack it: gunzip -k FILE"},
    {"BZh91AY&SY", "the file is compressed (bzip2)", "unpack it: bunzip2 -k FILE"},
    {{"\xFD\x37zXZ\0", 6}, "the file is compressed (xz)", "unpack it: unxz -k FILE"},
    {"\x28\xB5\x2F\xFD", "the file is compressed (zstd)", "unpack it: unzstd FILE"},
    {"PK\x03\x04", "the file is a zip archive or a spreadsheet (xlsx, ods)",
     "unpack it, or save the sheet as CSV"},
    {"\xD0\xCF\x11\xE0", "the file is a spreadsheet (xls)", "save the sheet as CSV"},
    {"\x89HDF\r\n\x1A\n", "the file is HDF5", "let its name end in .h5"},
    {"\x93NUMPY", "the file is an array of NumPy", "let its name end in .npy"},
    {"PAR1\x15", "the file is Parquet", "save the table as CSV or HDF5"},
    {"\xFF\xFE", "the file is text in UTF-16", kSaveAsUtf8},
    {"\xFE\xFF", "the file is text in UTF-16", kSaveAsUtf8},
}};

/// "there is no column 'lat'; present: lon, latt (did you mean 'latt'?)"
std::string no_column(const std::string& wanted, const std::vector<std::string>& present) {
  std::string text =
      "there is no column '" + wanted + "'; present: " + printable(join_names(present));
  const std::string near = nearest_name(wanted, present);
  if (!near.empty()) text += " (did you mean '" + printable(near) + "'?)";
  return text;
}

/// Reads one number; false when the field is none or is not finite.
bool parse_number(std::string_view field, double& value) {
  const bool plus = field.size() > 1 && field[0] == '+' && field[1] != '-';
  const char* const begin = field.data() + (plus ? 1 : 0);
  const char* const end = field.data() + field.size();
  const bool negative = begin != end && *begin == '-';
  const char* const digits = begin + (negative ? 1 : 0);
  const bool hexadecimal =
      end - digits > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') &&
      digits[2] != '-' &&
      std::find_if(digits, end, [](char c) { return c == 'p' || c == 'P'; }) != end;
  const auto [stopped, status] =
      hexadecimal ? std::from_chars(digits + 2, end, value, std::chars_format::hex)
                  : std::from_chars(begin, end, value);
  if (stopped != end) return false;
  if (hexadecimal && negative) value = -value;
  // tells 1e-400 from 1e400
  if (status == std::errc::result_out_of_range)
    value = std::strtod(std::string(begin, end).c_str(), nullptr);
  return (status == std::errc() || status == std::errc::result_out_of_range) &&
         std::isfinite(value);
}

/// Splits one line into fields, without quotes and the blanks around them.
class Fields {
 public:
  Fields(std::string_view line, char separator) : m_line(line), m_separator(separator) {
    if (separator == kBlanks) skip_blanks();
    m_more = separator != kBlanks || m_at < m_line.size();
  }

  /// Takes the next field; returns false at the end of the line.
  bool next(std::string_view& field) {
    if (!m_more) return false;
    skip_blanks();
    m_begin = m_at;
    if (m_at < m_line.size() && m_line[m_at] == '"' &&
        m_line.find('"', m_at + 1) != std::string_view::npos) {
      const std::size_t close = m_line.find('"', m_at + 1);
      field = m_line.substr(m_at + 1, close - m_at - 1);
      m_at = close + 1;
      skip_blanks();
    } else {
      while (m_at < m_line.size() && !at_separator()) ++m_at;
      std::size_t end = m_at;
      while (end > m_begin && is_blank(m_line[end - 1])) --end;
      field = m_line.substr(m_begin, end - m_begin);
    }
    if (m_separator == kBlanks) skip_blanks();
    m_more = m_at < m_line.size();
    if (m_more && m_line[m_at] == m_separator) ++m_at;
    return true;
  }

  /// Returns the column in which the last field begins, counted from 1.
  std::size_t column() const { return m_begin + 1; }

 private:
  bool at_separator() const {
    return m_separator == kBlanks ? is_blank(m_line[m_at]) : m_line[m_at] == m_separator;
  }
  void skip_blanks() {
    while (m_at < m_line.size() && is_blank(m_line[m_at]) &&
           (m_separator == kBlanks || m_line[m_at] != m_separator))
      ++m_at;
  }

  std::string_view m_line;
  char m_separator;
  std::size_t m_at = 0;
  std::size_t m_begin = 0;
  bool m_more = true;
};

/// The most frequent of comma, semicolon and tab outside quotes; blanks when there is none.
char find_separator(std::string_view header) {
  constexpr std::string_view kCandidates = ",;\t";
  std::array<std::size_t, kCandidates.size()> counts{};
  bool quoted = false;
  for (const char c : header) {
    if (c == '"') quoted = !quoted;
    const std::size_t candidate = kCandidates.find(c);
    if (!quoted && candidate != std::string_view::npos) ++counts[candidate];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  return *most == 0 ? kBlanks : kCandidates[static_cast<std::size_t>(most - counts.begin())];
}

class CsvReader {
 public:
  CsvReader(const std::string& path, const CsvOptions& options)
      : m_options(options), m_bytes(read_bytes(path)), m_rest(m_bytes) {
    m_table.path = path;
    if (m_rest.starts_with("\xEF\xBB\xBF")) m_rest.remove_prefix(3);
  }

  Table read() {
    refuse_foreign_formats();
    if (!next_line())
      fail(1, "the file is empty",
           "its first line names the columns, each further one holds a row of numbers");
    read_header();
    for (auto& column : m_table.columns) {
      column.reserve(static_cast<std::size_t>(std::count(m_rest.begin(), m_rest.end(), '\n')) + 1);
    }
    while (next_line()) read_row();
    return std::move(m_table);
  }

 private:
  void refuse_foreign_formats() const {
    for (const ForeignFormat& format : kForeignFormats) {
      if (m_rest.starts_with(format.first_bytes))
        fail(1, std::string(format.what), std::string(format.remedy));
    }
    const std::string_view start = m_rest.substr(0, 4096);
    if (start.find('\0') == std::string_view::npos) return;
    const bool is_wide = start.size() > 1 && (start[0] == '\0') != (start[1] == '\0');
    fail(1,
         is_wide ? "the file is text in UTF-16, without a mark that says so"
                 : "the file is no text: it has bytes of 0",
         is_wide ? "save it as UTF-8"
                 : "save the table as CSV; HDF5 files and arrays of NumPy are known by their "
                   "endings .h5 and .npy");
  }

  /// Returns whether a line begins with the mark #N/A, which is a value.
  bool begins_with_mark(std::string_view::const_iterator first) const {
    constexpr std::string_view kMark = "#n/a";
    const std::string_view rest = m_line.substr(static_cast<std::size_t>(first - m_line.begin()));
    const bool begins = lower(rest.substr(0, kMark.size())) == kMark;
    return begins && (rest.size() == kMark.size() ||
                      std::string_view(",;\t ").find(rest[kMark.size()]) != std::string_view::npos);
  }

  /// Moves to the next line that is neither empty nor a comment.
  bool next_line() {
    while (!m_rest.empty()) {
      const std::size_t end = std::min(m_rest.find('\n'), m_rest.size());
      m_line = m_rest.substr(0, end);
      m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
      ++m_line_number;
      if (m_line.ends_with('\r')) m_line.remove_suffix(1);
      const auto first = std::find_if_not(m_line.begin(), m_line.end(), is_blank);
      const bool is_comment = first != m_line.end() && *first == '#' && !begins_with_mark(first);
      if (first != m_line.end() && !is_comment) return true;
    }
    return false;
  }

  void read_header() {
    m_separator = find_separator(m_line);
    Fields fields(m_line, m_separator);
    std::string_view name;
    bool only_numbers = true;
    while (fields.next(name)) {
      double number = 0;
      only_numbers = only_numbers && parse_number(name, number);
      m_header.emplace_back(name);
      m_places.push_back(fields.column());
    }
    pass_over_names_of_rows(only_numbers);
    if (only_numbers && !m_options.allow_unnamed) {
      fail(1, "the first line holds numbers, not the names of the columns",
           "add a line of names above it, without '#'");
    }
    if (only_numbers) {
      for (std::size_t c = 0; c < m_header.size(); ++c) m_header[c] = std::to_string(c + 1);
    }
    choose_columns(only_numbers);
    if (only_numbers) read_row();
  }

  /// R writes names of rows in a first column that its header leaves out: in quotes, or words.
  /// (Numbers may come of a comma within a number.)
  void pass_over_names_of_rows(bool only_numbers) {
    const auto [rest, header, number] = std::tuple(m_rest, m_line, m_line_number);
    if (only_numbers || !next_line()) return;
    Fields fields(m_line, m_separator);
    std::string_view field, first;
    std::size_t count = 0;
    for (; fields.next(field); ++count) {
      if (count == 0) first = field;
    }
    double value = 0;
    const bool has_name =
        m_line.starts_with('"') || !(parse_number(first, value) || is_missing_mark(first));
    std::tie(m_rest, m_line, m_line_number) = std::tuple(rest, header, number);
    if (count != m_header.size() + 1 || !has_name) return;
    m_header.insert(m_header.begin(), "");
    m_places.insert(m_places.begin(), 1);
  }

  std::vector<std::string> named_columns() const {
    std::vector<std::string> names;
    std::copy_if(m_header.begin(), m_header.end(), std::back_inserter(names),
                 [](const std::string& name) { return !name.empty(); });
    return names;
  }

  /// The columns of numbers that are asked for, by name.
  std::vector<std::string> wanted_columns() const {
    std::vector<std::string> wanted = m_options.columns;
    const auto unnamed = std::find(wanted.begin(), wanted.end(), "");
    if (unnamed == wanted.end()) return wanted;
    const auto& texts = m_options.text_columns;
    const auto first = std::find_if(m_header.begin(), m_header.end(), [&](const std::string& name) {
      return !name.empty() && std::find(texts.begin(), texts.end(), name) == texts.end();
    });
    if (first == m_header.end())
      fail(1, "no column has a name", "name the columns in the first line");
    *unnamed = *first;
    return wanted;
  }

  /// A name that is asked for stands for one column.
  void refuse_twins(const std::string& wanted) const {
    const auto first = std::find(m_header.begin(), m_header.end(), wanted);
    const auto second = std::find(first + 1, m_header.end(), wanted);
    if (second != m_header.end())
      fail(m_places[static_cast<std::size_t>(second - m_header.begin())],
           "two columns are named " + shown(wanted));
  }

  void choose_columns(bool unnamed) {
    const std::vector<std::string> columns = wanted_columns();
    std::vector<std::string> needed = columns.empty() ? named_columns() : columns;
    needed.insert(needed.end(), m_options.text_columns.begin(), m_options.text_columns.end());
    for (const std::string& wanted : needed) {
      if (std::find(m_header.begin(), m_header.end(), wanted) != m_header.end()) {
        refuse_twins(wanted);
        continue;
      }
      if (!unnamed) fail(1, no_column(wanted, named_columns()));
      const std::string numbers = m_header.size() == 1 ? "1" : "1 to " + m_header.back();
      fail(1,
           "there is no column '" + wanted +
               "': the first line holds numbers, so the columns are " + numbers,
           "add a line of names above it, without '#', or name columns by their numbers");
    }
    for (const std::string& name : m_header) {
      const auto& texts = m_options.text_columns;
      const auto text = std::find(texts.begin(), texts.end(), name);
      m_text_targets.push_back(
          text == texts.end() ? kNotRead : static_cast<std::size_t>(text - texts.begin()));
      const bool chosen = columns.empty()
                              ? !name.empty() && text == texts.end()
                              : std::find(columns.begin(), columns.end(), name) != columns.end();
      m_targets.push_back(chosen ? m_table.names.size() : kNotRead);
      if (!name.empty()) (chosen ? m_table.names : m_table.others).push_back(name);
    }
    m_table.columns.resize(m_table.names.size());
    m_table.texts.resize(m_options.text_columns.size());
  }

  void read_row() {
    Fields fields(m_line, m_separator);
    std::string_view field;
    std::size_t column = 0;
    if (!m_table.texts.empty()) m_table.lines.push_back(m_line_number);
    while (fields.next(field)) {
      if (column < m_header.size() && m_text_targets[column] != kNotRead)
        m_table.texts[m_text_targets[column]].emplace_back(field);
      if (column < m_header.size() && m_targets[column] != kNotRead) {
        m_table.columns[m_targets[column]].push_back(
            number(field, fields.column(), m_header[column]));
      }
      ++column;
    }
    if (column != m_header.size()) {
      fail(fields.column(), "this row has " + std::to_string(column) +
                                (column == 1 ? " value" : " values") + ", the header " +
                                std::to_string(m_header.size()) +
                                (m_header.size() == 1 ? " column" : " columns"));
    }
  }

  double number(std::string_view field, std::size_t at, const std::string& name) const {
    double value = 0;
    if (parse_number(field, value)) return value;
    if (is_missing_mark(field)) {
      if (!m_options.allow_missing)
        fail(at, "the value in column '" + printable(name) + "' is missing",
             m_options.missing_remedy);
      return std::numeric_limits<double>::quiet_NaN();
    }
    std::string remedy;
    if (std::string dotted(field); std::count(field.begin(), field.end(), ',') == 1) {
      std::replace(dotted.begin(), dotted.end(), ',', '.');
      if (parse_number(dotted, value)) remedy = "write " + dotted;
    }
    fail(at, shown(field) + " in column '" + printable(name) + "' is not a finite number", remedy);
  }

  [[noreturn]] void fail(std::size_t column, const std::string& what,
                         const std::string& remedy = {}) const {
    const std::size_t line = std::max<std::size_t>(m_line_number, 1);
    throw Error(
        ErrorKind::input,
        m_table.path + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + what,
        remedy);
  }

  const CsvOptions& m_options;
  std::string m_bytes;
  std::string_view m_rest;
  std::string_view m_line;
  std::size_t m_line_number = 0;
  char m_separator = kBlanks;
  std::vector<std::string> m_header;
  /// The place at which each of these names begins in its line, from 1
  std::vector<std::size_t> m_places;
  /// The place in the table of each column of the file, or kNotRead
  std::vector<std::size_t> m_targets;
  std::vector<std::size_t> m_text_targets;  ///< the same in Table::texts
  Table m_table;
};

}  // namespace

bool is_missing_mark(std::string_view field) {
  constexpr std::array<std::string_view, 12> kMarks{"",     "nan", "-nan", "na",   "n/a", "#n/a",
                                                    "<na>", "nat", "null", "none", "-",   "."};
  constexpr std::size_t kLongest = 4;
  return field.size() <= kLongest &&
         std::find(kMarks.begin(), kMarks.end(), lower(field)) != kMarks.end();
}

const std::vector<double>& Table::column(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw Error(ErrorKind::input, path + ": " + no_column(name, names));
  return columns[static_cast<std::size_t>(found - names.begin())];
}

Table read_csv(const std::string& path, const CsvOptions& options) {
  return CsvReader(path, options).read();
}

}  // namespace tessera::io

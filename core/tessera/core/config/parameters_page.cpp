// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/config/parameters_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

namespace tessera::config {

namespace {

using Kind = Declaration::Kind;
using Readings = std::set<std::size_t>;  ///< their numbers

constexpr std::size_t kColumns = 100;

/// A parameter, with the readings that declare it like this.
struct Row {
  std::string key, type, fallback, unit, limits, doc;
  Readings readings;
  Readings other_fallback;  ///< the readings in which only the default is another
};

/// A section, or the entries of a list of sections.
struct Part {
  std::string path, doc;
  bool optional = false, is_list = false;
  std::vector<Row> rows;
  Readings readings;
};

/// Text inside a table: on one line and without column marks.
std::string cell(const std::string& text) {
  std::string result;
  for (const char c : text)
    result += c == '|' ? std::string("\\|") : std::string(1, c == '\n' ? ' ' : c);
  return result;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + cell(text) + "`"; }

/// A list too long for a table: "[-10, -9.95, ..., 10]".
std::string shorten(const std::string& value) {
  constexpr std::size_t kLongest = 100;
  const std::size_t first = value.find(", "), second = value.find(", ", first + 2),
                    last = value.rfind(", ");
  const bool is_list = value.front() == '[' && value[1] != '[' && second < last;
  return value.size() <= kLongest || !is_list
             ? value
             : value.substr(0, second) + ", ..." + value.substr(last);
}

Row make_row(const Declaration& parameter, std::size_t reading) {
  const std::string unset = parameter.otherwise.empty() ? "not set" : cell(parameter.otherwise);
  const std::string fallback = parameter.required ? "required"
                               : parameter.unset  ? unset
                                                  : code(shorten(parameter.fallback));
  return {parameter.key,
          parameter.type,
          fallback,
          parameter.unit == "1" ? "" : parameter.unit,
          parameter.general_limits,
          parameter.doc,
          {reading},
          {}};
}

/// Returns the content of a section, or of the entries of a list.
std::vector<Declaration*> entries(const Declaration& section) {
  if (section.kind != Kind::list) return section.children;
  return section.children.empty() ? std::vector<Declaration*>{}
                                  : section.children.front()->children;
}

/// A section and, behind it, those below it.
void add_parts(const Declaration& section, const std::string& path, std::size_t reading,
               std::vector<Part>& parts) {
  Part part{path, section.doc, section.optional, section.kind == Kind::list, {}, {reading}};
  for (const Declaration* child : entries(section)) {
    if (child->kind == Kind::parameter) part.rows.push_back(make_row(*child, reading));
  }
  if (!part.rows.empty() || !part.doc.empty()) parts.push_back(std::move(part));
  for (const Declaration* child : entries(section)) {
    if (child->kind == Kind::parameter) continue;
    add_parts(
        *child,
        (path.empty() ? "" : path + ".") + child->key + (child->kind == Kind::list ? "[]" : ""),
        reading, parts);
  }
}

bool is_same(const Row& a, const Row& b) {
  return a.key == b.key && a.type == b.type && a.unit == b.unit && a.limits == b.limits &&
         a.doc == b.doc;
}

bool is_same(const Part& a, const Part& b) { return a.path == b.path; }

/// Adds to `items` those of another reading: what is new there goes before the next one that both
/// have.
template <class Item>
void merge(std::vector<Item>& items, const std::vector<Item>& others);

void join(Row& row, const Row& other) {
  if (row.fallback != other.fallback)
    row.other_fallback.insert(other.readings.begin(), other.readings.end());
}

void join(Part& part, const Part& other) { merge(part.rows, other.rows); }

template <class Item>
void merge(std::vector<Item>& items, const std::vector<Item>& others) {
  std::ptrdiff_t next = std::ssize(items);
  for (auto other = others.rbegin(); other != others.rend(); ++other) {
    const auto known = std::find_if(items.begin(), items.end(),
                                    [&](const Item& item) { return is_same(item, *other); });
    if (known == items.end()) {
      items.insert(items.begin() + next, *other);
    } else {
      known->readings.insert(other->readings.begin(), other->readings.end());
      join(*known, *other);
      next = known - items.begin();
    }
  }
}

/// Describes the values of parameters with which something goes that some of the readings have:
/// "`model.name`: lorenz63, linear".
std::string condition(const Readings& present, const std::vector<Reading>& readings) {
  std::vector<std::string> keys;
  for (const Reading& reading : readings) {
    if (!reading.key.empty() && std::find(keys.begin(), keys.end(), reading.key) == keys.end())
      keys.push_back(reading.key);
  }
  std::string text;
  for (const std::string& key : keys) {
    const Declaration& selector = *find(*readings[0].root, key);
    std::string values;
    std::size_t all = 0, found = 0;
    for (const std::string& value : selector.names) {
      const auto reading =
          std::find_if(readings.begin() + 1, readings.end(),
                       [&](const Reading& r) { return r.key == key && r.value == value; });
      if (reading == readings.end() && value != selector.value) continue;
      const std::size_t number =
          reading == readings.end() ? 0 : static_cast<std::size_t>(reading - readings.begin());
      ++all;
      if (present.count(number) == 0) continue;
      ++found;
      values += (values.empty() ? "" : ", ") + value;
    }
    if (found > 0 && found < all)
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", code(key), values);
  }
  return text;
}

/// The keys on whose values the default of a row depends.
std::string default_text(const Row& row, const std::vector<Reading>& readings) {
  if (row.other_fallback.empty()) return row.fallback;
  std::string keys;
  for (const std::size_t i : row.other_fallback) {
    const std::string key = code(readings[i].key);
    if (keys.find(key) == std::string::npos) keys += (keys.empty() ? "" : ", ") + key;
  }
  return "depends on " + keys;
}

/// "The cells.", from "the cells"
std::string sentence(std::string text) {
  if (text.empty()) return text;
  const bool is_word = text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0;
  if (is_word || text[1] == ' ')
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + (text.back() == '.' ? "" : ".");
}

/// The words of a paragraph in lines.
std::string paragraph(const std::string& text) {
  std::istringstream words(text);
  std::string result, line, word;
  while (words >> word) {
    if (!line.empty() && line.size() + 1 + word.size() > kColumns) {
      result += line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? result : result + line + '\n';
}

/// Tells whether readings choose a value for a parameter, so that it goes with all of them.
bool is_chosen(const std::string& path, const std::vector<Reading>& readings) {
  return std::any_of(readings.begin(), readings.end(),
                     [&](const Reading& reading) { return reading.key == path; });
}

std::string table(const Part& part, const std::vector<Reading>& readings) {
  std::vector<std::string> conditions;
  for (const Row& row : part.rows) {
    const std::string path = part.path.empty() ? row.key : part.path + "." + row.key;
    const bool always = row.readings == part.readings || is_chosen(path, readings);
    conditions.push_back(always ? "" : condition(row.readings, readings));
  }
  const bool has_conditions = std::any_of(conditions.begin(), conditions.end(),
                                          [](const std::string& text) { return !text.empty(); });
  std::string text = "| key | type | default | unit | limits | meaning |";
  text += has_conditions ? " only with |\n|---|---|---|---|---|---|---|\n"
                         : "\n|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    const Row& row = part.rows[i];
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} |", code(row.key), row.type,
                    default_text(row, readings), cell(row.unit), cell(row.limits), cell(row.doc));
    text += has_conditions ? " " + conditions[i] + " |\n" : "\n";
  }
  return text;
}

/// Makes the text between the heading and the table of a section.
std::string introduction(const Part& part, const std::vector<Reading>& readings) {
  std::string text = part.is_list ? "A list of sections: " + part.doc + "." : sentence(part.doc);
  if (part.optional) text = "Optional. " + text;
  const std::string with = condition(part.readings, readings);
  if (!with.empty()) text += (text.empty() ? "" : " ") + fmt::format("Only with {}.", with);
  return paragraph(text);
}

}  // namespace

const Declaration* find(const Declaration& root, const std::string& path) {
  for (const Declaration* child : root.children) {
    if (child->path == path) return child;
    if (const Declaration* found = find(*child, path)) return found;
  }
  return nullptr;
}

std::string parameters_page(const std::string& program, const std::vector<Reading>& readings) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    std::vector<Part> own;
    add_parts(*readings[i].root, "", i, own);
    merge(parts, own);
  }
  std::string text = fmt::format("# Parameters of {}\n\n", program);
  text += paragraph(
      fmt::format("What an input may hold, section by section. On the command line a parameter is "
                  "its path and a value, `section.key=value`. `{0} --print-defaults` prints the "
                  "same as an annotated input; `{0} --print-defaults --markdown` wrote this page.",
                  program));
  for (const Part& part : parts) {
    const std::string depth =
        std::string(std::count(part.path.begin(), part.path.end(), '.') > 0 ? "###" : "##");
    text += "\n" + depth + " " + (part.path.empty() ? "Top level" : code(part.path)) + "\n";
    for (const std::string& block : {introduction(part, readings),
                                     part.rows.empty() ? std::string() : table(part, readings)}) {
      if (!block.empty()) text += "\n" + block;
    }
  }
  return text;
}

}  // namespace tessera::config

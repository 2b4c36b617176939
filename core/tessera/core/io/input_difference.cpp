// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/input_difference.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

namespace tessera::io {

namespace {

using Lines = std::vector<std::string>;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "end" of "  end: 2".
std::string key_of(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return line.substr(begin, line.find(':', begin) - begin);
}

/// The part of an input that fixes the results: the lines without blank ones, comments, what may
/// change, and the lists that may grow, which stand apart. Our own writer made the text, so
/// top-level keys, and nothing else, begin in the first column, and keys below them in the third.
struct Decisive {
  Lines lines;
  std::map<std::string, Lines> lists;

  Decisive(const std::string& resolved, const Changeable& changeable) {
    std::string top;
    for (std::size_t begin = 0; begin < resolved.size();) {
      const std::size_t end = std::min(resolved.find('\n', begin), resolved.size());
      const std::string line = resolved.substr(begin, end - begin);
      begin = end + 1;
      if (line.find_first_not_of(" \r") == std::string::npos || line[0] == '#') continue;
      if (line[0] != ' ') top = key_of(line);
      if (top == "backend" || top == "run" || top == "output") continue;
      if (contains(changeable.lists, top)) {
        if (line[0] == ' ') lists[top].push_back(line);
      } else if (!line.starts_with("  ") || line[2] == ' ' ||
                 !contains(changeable.values, top + "." + key_of(line))) {
        lines.push_back(line);
      }
    }
  }
};

std::string quoted(const Lines& lines, std::size_t i) {
  if (i >= lines.size()) return "nothing";
  const std::string& line = lines[i];
  return "'" + line.substr(std::min(line.find_first_not_of(' '), line.size())) + "'";
}

std::string difference(const Lines& before, const Lines& now, bool may_grow) {
  for (std::size_t i = 0; i < (may_grow ? before.size() : std::max(before.size(), now.size()));
       ++i) {
    if (i < before.size() && i < now.size() && before[i] == now[i]) continue;
    return quoted(before, i) + " in the restart file, " + quoted(now, i) + " now";
  }
  return {};
}

}  // namespace

std::string input_difference(const std::string& restart, const std::string& current,
                             const Changeable& changeable) {
  const Decisive before(restart, changeable);
  Decisive now(current, changeable);
  std::string found = difference(before.lines, now.lines, false);
  for (const auto& [key, lines] : before.lists) {
    if (found.empty()) found = difference(lines, now.lists[key], true);
  }
  return found;
}

}  // namespace tessera::io

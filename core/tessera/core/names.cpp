// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/names.hpp"

#include <algorithm>
#include <cctype>

namespace tessera {

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

std::string nearest_name(const std::string& mistyped, const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 100;  // no one mistypes more than that
  if (mistyped.size() > kLongest) return {};
  std::string best;
  std::size_t best_distance = 1 + mistyped.size() / 4;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(lower(mistyped), lower(name));
    if (distance < name.size() &&
        (distance < best_distance || (distance == best_distance && best.empty()))) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

std::string join_names(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

}  // namespace tessera

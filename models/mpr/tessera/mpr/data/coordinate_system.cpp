// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/coordinate_system.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <initializer_list>

namespace tessera::mpr {

namespace {

bool begins_with(const std::string& text, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return text.rfind(word, 0) == 0; });
}

/// The first element with brackets of its own inside the brackets of another; empty where there is
/// none.
std::string first_element(const std::string& wkt) {
  bool quoted = false;
  int depth = 0;
  std::size_t start = 0, word = 0;
  for (std::size_t i = 0; i < wkt.size(); ++i) {
    const char c = wkt[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[' || c == '(') {
      if (++depth == 2) start = word;
    } else if (c == ']' || c == ')') {
      if (--depth == 1) return wkt.substr(start, i + 1 - start);
    }
    if (depth == 1 &&
        (c == '[' || c == '(' || c == ',' || std::isspace(static_cast<unsigned char>(c))))
      word = i + 1;
  }
  return "";
}

}  // namespace

std::string horizontal_system(const std::string& wkt) {
  std::string found = wkt;
  while (begins_with(found, {"COMPD_CS", "COMPOUNDCRS", "BOUNDCRS", "SOURCECRS"}))
    found = first_element(found);
  return found;
}

bool is_geographic_system(const std::string& horizontal) {
  return begins_with(horizontal, {"GEOGCS", "GEOGCRS", "GEODCRS", "GEOGRAPHICCRS", "GEODETICCRS"});
}

bool is_projected_system(const std::string& horizontal) {
  return begins_with(horizontal, {"PROJCS", "PROJCRS", "PROJECTEDCRS"});
}

bool is_mercator_system(const std::string& horizontal) {
  return horizontal.find("Mercator") != std::string::npos &&
         horizontal.find("Transverse_Mercator") == std::string::npos &&
         horizontal.find("Transverse Mercator") == std::string::npos;
}

double metres_of_unit(const std::string& horizontal) {
  std::size_t at = horizontal.rfind("UNIT[");
  while (at != std::string::npos && at >= 5 && horizontal.compare(at - 5, 5, "ANGLE") == 0)
    at = horizontal.rfind("UNIT[", at - 1);
  const std::size_t comma = at == std::string::npos ? at : horizontal.find(',', at);
  const double metres =
      comma == std::string::npos ? 1 : std::strtod(horizontal.c_str() + comma + 1, nullptr);
  return metres > 0 ? metres : 1;
}

}  // namespace tessera::mpr

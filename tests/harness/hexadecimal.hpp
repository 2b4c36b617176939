// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::test {

/// Rows of C hexadecimal floats separated by commas; lines that begin with # are skipped.
inline std::vector<std::vector<double>> read_hexadecimal_rows(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<double> row;
    const char* at = line.c_str();
    for (char* end = nullptr;; at = end + 1) {
      row.push_back(std::strtod(at, &end));
      if (*end != ',') break;
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace tessera::test

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tests/harness/paths.hpp"

namespace tessera::test {

/// Rows of numbers of tests/data/stable/<name>; unlike an input file they may hold infinities and
/// NaN.
inline std::vector<std::vector<double>> stable_rows(const std::string& name) {
  const std::string path = std::string(kDataDirectory) + "/stable/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::string line;
  std::getline(file, line);
  std::vector<std::vector<double>> rows;
  while (std::getline(file, line)) {
    std::vector<double> row;
    std::istringstream fields(line);
    std::string field;
    while (std::getline(fields, field, ',')) row.push_back(std::strtod(field.c_str(), nullptr));
    rows.push_back(row);
  }
  return rows;
}

template <class ExecSpace>
Kokkos::View<double*, ExecSpace> to_device(const std::vector<double>& values) {
  const Kokkos::View<double*, ExecSpace> device("values", values.size());
  const auto host = Kokkos::create_mirror_view(device);
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = values[i];
  Kokkos::deep_copy(device, host);
  return device;
}

template <class View>
std::vector<double> to_host(const View& device) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device);
  return std::vector<double>(host.data(), host.data() + host.extent(0));
}

}  // namespace tessera::test

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/lattice/grid.hpp"

/// Copies between the host and the device that convert numbers, beside those of
/// tessera/core/device/host_copy.hpp.

namespace tessera::mpr::detail {

/// The numbers of an array in double precision.
template <class ExecSpace, class View>
std::vector<double> download_doubles(const ExecSpace& exec, const View& view) {
  const auto values = download(exec, view);
  return {values.begin(), values.end()};
}

/// A View of numbers T, or of structures that consist of them, as numbers.
template <class T, class ExecSpace, class View>
std::vector<T> to_numbers(const ExecSpace& exec, const View& view) {
  std::vector<T> numbers(view.extent(0) * (sizeof(*view.data()) / sizeof(T)));
  copy_to_host(exec, numbers.data(), reinterpret_cast<const T*>(view.data()), numbers.size());
  return numbers;
}

/// The way back of to_numbers, for as many numbers as the View holds.
template <class T, class ExecSpace, class View>
void from_numbers(const ExecSpace& exec, const std::vector<T>& values, const View& view) {
  copy_from_host(exec, reinterpret_cast<T*>(view.data()), values.data(), values.size());
}

}  // namespace tessera::mpr::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/field.hpp"
#include "tessera/mpr/grid.hpp"

/// Copies of a field between the host, in double precision, and the device, transformed and less the offset of each frame and the
/// background.

namespace tessera::mpr::detail {

/// The values on the device; at sites without a sample they are of no account. They are converted piece by piece.
template <class Real, class ExecSpace>
Array<ExecSpace, Real> upload_values(const ExecSpace& exec, const std::string& label, const Field& field) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::size_t size = field.values.size();
  const auto device = allocate<Array<ExecSpace, Real>>(exec, label, size);
  std::vector<Real> piece(std::min(size, kPiece));
  for (std::size_t first = 0; first < size; first += kPiece) {
    const std::size_t count = std::min(kPiece, size - first);
    for (std::size_t i = 0; i < count; ++i)
      piece[i] = static_cast<Real>(field.transform.forward(field.values[first + i]) - field.reference(first + i));
    copy_from_host(exec, device.data() + first, piece.data(), count);
  }
  return device;
}

/// Standard deviations of the errors of samples on the device, for all sites; of none where samples are exact.
template <class Real, class ExecSpace>
Array<ExecSpace, Real> upload_noise(const ExecSpace& exec, const std::string& label, const Field& field) {
  std::vector<Real> noise(field.noise ? field.values.size() : 0);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<Real>(field.noise_at(i));
  return upload(exec, label, noise);
}

/// The columns of the trend, [column][site of a period]; of no sites where there is none.
template <class Real, class ExecSpace>
Array<ExecSpace, Real> upload_trend(const ExecSpace& exec, const std::string& label, const Field& field) {
  const std::size_t columns = field.trend ? field.trend->size() : 0, period = columns > 0 ? field.trend->period() : 0;
  std::vector<Real> numbers(columns * period);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<Real>(field.trend->value(i / period, i % period));
  return upload(exec, label, numbers);
}

/// Numbers first, first + 1, ... of an array in double precision.
template <class ExecSpace, class T>
void download_piece(const ExecSpace& exec, const Array<ExecSpace, T>& array, std::size_t first, std::size_t count, double* numbers) {
  std::vector<T> piece(count);
  copy_to_host(exec, piece.data(), array.data() + first, count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<double>(piece[i]);
}

/// Predicted transformed values of a field, with their offsets.
template <class ExecSpace, class Real>
std::vector<double> download_values(const ExecSpace& exec, const Array<ExecSpace, Real>& values, const Field& field) {
  const std::vector<Real> found = download(exec, values);
  std::vector<double> result(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) result[i] = static_cast<double>(found[i]) + field.reference(i);
  return result;
}

}  // namespace tessera::mpr::detail

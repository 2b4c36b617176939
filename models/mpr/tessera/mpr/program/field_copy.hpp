// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/lattice/grid.hpp"

/// Copies of a field, or of some of its frames, between the host, in double precision, and the
/// device, transformed and less the offset of each frame and the background.

namespace tessera::mpr::detail {

/// Sites of a field: those of whole frames.
struct SitesOfField {
  std::size_t first = 0, count = 0;

  explicit SitesOfField(const Field& field) : count(field.values.size()) {}
  SitesOfField(const Field& field, int first_frame, int frames)
      : first(static_cast<std::size_t>(field.grid.sites()) * static_cast<std::size_t>(first_frame)),
        count(static_cast<std::size_t>(field.grid.sites()) * static_cast<std::size_t>(frames)) {}
};

/// The values on the device; at sites without a sample they are of no account. They are converted
/// piece by piece.
template <class Real, class ExecSpace>
Array<ExecSpace, Real> upload_values(const ExecSpace& exec, const std::string& label,
                                     const Field& field, const SitesOfField& sites) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const auto device = allocate<Array<ExecSpace, Real>>(exec, label, sites.count);
  std::vector<Real> piece(std::min(sites.count, kPiece));
  for (std::size_t first = 0; first < sites.count; first += kPiece) {
    const std::size_t count = std::min(kPiece, sites.count - first), from = sites.first + first;
    for (std::size_t i = 0; i < count; ++i)
      piece[i] = static_cast<Real>(field.transform.forward(field.values[from + i]) -
                                   field.reference(from + i));
    copy_from_host(exec, device.data() + first, piece.data(), count);
  }
  return device;
}
template <class Real, class ExecSpace>
Array<ExecSpace, Real> upload_values(const ExecSpace& exec, const std::string& label,
                                     const Field& field) {
  return upload_values<Real>(exec, label, field, SitesOfField(field));
}

/// Uploads the status of the sites.
template <class ExecSpace>
Array<ExecSpace, std::uint8_t> upload_status(const ExecSpace& exec, const std::string& label,
                                             const Field& field, const SitesOfField& sites) {
  const auto device = allocate<Array<ExecSpace, std::uint8_t>>(exec, label, sites.count);
  copy_from_host(exec, device.data(), field.status.data() + sites.first, sites.count);
  return device;
}

/// Standard deviations of the errors of samples on the device, for all sites; of none where samples
/// are exact.
template <class Real, class ExecSpace>
Array<ExecSpace, Real> upload_noise(const ExecSpace& exec, const std::string& label,
                                    const Field& field, const SitesOfField& sites) {
  std::vector<Real> noise(field.noise ? sites.count : 0);
  for (std::size_t i = 0; i < noise.size(); ++i)
    noise[i] = static_cast<Real>(field.noise_at(sites.first + i));
  return upload(exec, label, noise);
}

/// The columns of the trend, [column][site of a period]; of no sites where there is none. The
/// period is that of all frames, or the sites that are wanted.
template <class Real, class ExecSpace>
Array<ExecSpace, Real> upload_trend(const ExecSpace& exec, const std::string& label,
                                    const Field& field, const SitesOfField& sites) {
  const std::size_t columns = field.trend ? field.trend->size() : 0,
                    of_field = columns > 0 ? field.trend->period() : 0;
  const bool repeats = of_field <= static_cast<std::size_t>(field.grid.sites());
  const std::size_t period = repeats ? of_field : sites.count, first = repeats ? 0 : sites.first;
  std::vector<Real> numbers(columns * period);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<Real>(field.trend->value(i / period, first + i % period));
  return upload(exec, label, numbers);
}

/// Predicted transformed values of a field, with their offsets.
template <class ExecSpace, class Real>
std::vector<double> download_values(const ExecSpace& exec, const Array<ExecSpace, Real>& values,
                                    const Field& field) {
  const std::vector<Real> found = download(exec, values);
  std::vector<double> result(found.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    result[i] = static_cast<double>(found[i]) + field.reference(i);
  return result;
}

}  // namespace tessera::mpr::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/box.hpp"
#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/stored_image.hpp"

namespace tessera::mpr::detail {

/// The data that the model gets of some boxes of a stored image, one box after the other.
template <class Real>
struct StoredBoxes {
  std::vector<Real> values;  ///< transformed, less the background and the offset
  std::vector<std::uint8_t> status;
  std::vector<Real> noise;                 ///< of no sites where samples are exact
  std::vector<std::vector<Real>> columns;  ///< of a trend, scaled

  /// field: which the image belongs to.
  void add(const Field& field, const io::Box& box) {
    values.reserve(values.size() + box.size());
    status.reserve(values.capacity());
    if (field.stored->has_noise()) noise.reserve(values.capacity());
    columns.resize(field.stored->columns());
    StoredBox read;
    field.stored->for_each_strip(box, [&](const io::Box& strip) {
      field.stored->read(strip, read);
      for (std::size_t i = 0; i < strip.size(); ++i) {
        const double reference =
            field.offset(0) + (read.background.empty() ? 0 : read.background[i]);
        values.push_back(static_cast<Real>(field.transform.forward(read.values[i]) - reference));
      }
      status.insert(status.end(), read.status.begin(), read.status.end());
      noise.insert(noise.end(), read.noise.begin(), read.noise.end());
      for (std::size_t j = 0; j < columns.size(); ++j) {
        const Trend::Column& column = field.trend->columns()[j];
        const double* from = read.columns.data() + j * strip.size();
        for (std::size_t i = 0; i < strip.size(); ++i)
          columns[j].push_back(static_cast<Real>((from[i] - column.centre) / column.scale));
      }
    });
  }

  /// Uploads the columns to the device, [column][site].
  template <class ExecSpace>
  Array<ExecSpace, Real> upload_columns(const ExecSpace& exec) const {
    const auto device = allocate<Array<ExecSpace, Real>>(exec, "tessera::mpr::trend",
                                                         columns.size() * values.size());
    for (std::size_t j = 0; j < columns.size(); ++j)
      copy_from_host(exec, device.data() + j * values.size(), columns[j].data(), values.size());
    return device;
  }

  /// Bytes a site.
  static double memory(const Field& field) {
    return 1 + sizeof(Real) * ((field.stored->has_noise() ? 2.0 : 1.0) +
                               static_cast<double>(field.stored->columns()));
  }
};

}  // namespace tessera::mpr::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/core/io/box.hpp"
#include "tessera/mpr/field.hpp"
#include "tessera/mpr/stored_image.hpp"

namespace tessera::mpr::detail {

/// What the model sees of some boxes of a stored image, one box after the other.
template <class Real>
struct StoredBoxes {
  std::vector<Real> values;  ///< transformed, less the background and the offset
  std::vector<std::uint8_t> status;
  std::vector<Real> noise;  ///< of no sites where samples are exact

  /// field: which the image belongs to.
  void add(const Field& field, const io::Box& box) {
    values.reserve(values.size() + box.size());
    status.reserve(values.capacity());
    if (field.stored->has_noise()) noise.reserve(values.capacity());
    StoredBox read;
    field.stored->for_each_strip(box, [&](const io::Box& strip) {
      field.stored->read(strip, read);
      for (std::size_t i = 0; i < strip.size(); ++i) {
        const double reference = field.offset(0) + (read.background.empty() ? 0 : read.background[i]);
        values.push_back(static_cast<Real>(field.transform.forward(read.values[i]) - reference));
      }
      status.insert(status.end(), read.status.begin(), read.status.end());
      noise.insert(noise.end(), read.noise.begin(), read.noise.end());
    });
  }

  /// Bytes a site.
  static double memory(const Field& field) { return 1 + sizeof(Real) * (field.stored->has_noise() ? 2.0 : 1.0); }
};

}  // namespace tessera::mpr::detail

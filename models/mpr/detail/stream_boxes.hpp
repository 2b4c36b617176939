// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/core/io/box.hpp"
#include "tessera/mpr/stored_image.hpp"

namespace tessera::mpr::detail {

/// Values of some boxes of a stored image, less an offset, and the status of their sites, one box after the other.
template <class Real>
struct StoredBoxes {
  std::vector<Real> values;
  std::vector<std::uint8_t> status;

  void add(const StoredImage& image, const io::Box& box, double offset) {
    std::size_t at = values.size();
    values.resize(at + box.size());
    status.resize(at + box.size());
    std::vector<double> wide;
    image.for_each_strip(box, [&](const io::Box& strip) {
      wide.resize(strip.size());
      image.read(strip, wide.data(), status.data() + at);
      for (std::size_t i = 0; i < wide.size(); ++i) values[at + i] = static_cast<Real>(wide[i] - offset);
      at += strip.size();
    });
  }
};

}  // namespace tessera::mpr::detail

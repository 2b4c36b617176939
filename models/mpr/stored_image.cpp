// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/stored_image.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/mpr/masks.hpp"
#include "tessera/mpr/source.hpp"

namespace tessera::mpr {

namespace {

constexpr std::int64_t kStrip = std::int64_t{1} << 20;  // sites that are read at once
constexpr std::int64_t kLargest = 4 * kStrip;           // the most, where the file's blocks are high

}  // namespace

struct StoredImage::State {
  std::string file;
  std::optional<double> missing_value;
  Source source;
  std::vector<Mask> masks;
  int nx = 0, ny = 0;
  // The rows that read_sites keeps.
  int first_row = 0, rows = 0;
  std::vector<double> values;
  std::vector<std::uint8_t> status;
};

StoredImage::StoredImage(const InputParameters& input, const Field& about) : m_state(std::make_unique<State>()) {
  State& s = *m_state;
  s.file = input.file;
  s.missing_value = input.missing_value;
  s.source = open_source(input.file, input.dataset, input.bands, true);
  if (!s.source.read_box) {
    throw Error(ErrorKind::input, "'" + input.file + "' has the shape " + shape_text(s.source.shape) + ", and a stream is one image",
                "choose one 'band', or fill images one by one");
  }
  s.nx = about.grid.nx;
  s.ny = about.grid.ny;
}

StoredImage::~StoredImage() = default;

void StoredImage::add_mask(const Field& about, const MaskParameters& mask, Site kind) {
  if (!mask.file.empty()) m_state->masks.emplace_back(about, mask, kind, true);
}

int StoredImage::end_of_strip(int row, const io::Box& box) const {
  const std::int64_t block = m_state->source.block_rows, fitting = std::max<std::int64_t>(1, kStrip / box.nx);
  const bool has_blocks = block > 1 && block * box.nx <= kLargest;
  const std::int64_t step = has_blocks ? std::max<std::int64_t>(1, fitting / block) * block : fitting;
  return static_cast<int>(std::min<std::int64_t>(box.y0 + box.ny, (row / step + 1) * step));
}

void StoredImage::read(const io::Box& box, double* values, std::uint8_t* status) const {
  const State& s = *m_state;
  s.source.read_box(Numbers::decoded, box, values);
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (values[i] == s.missing_value) values[i] = std::numeric_limits<double>::quiet_NaN();
    status[i] = std::isnan(values[i]) ? kMissing : kSample;
  }
  for (const Mask& mask : s.masks) mask.mark_box(box, status);
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (status[i] != kSample || std::isfinite(values[i])) continue;
    const std::size_t nx = static_cast<std::size_t>(box.nx);
    throw Error(ErrorKind::input,
                "'" + s.file + "' holds an infinite value (row " + std::to_string(static_cast<std::size_t>(box.y0) + i / nx) + ", column " +
                    std::to_string(static_cast<std::size_t>(box.x0) + i % nx) + ")",
                "mark it as missing with input.mask or input.missing_value");
  }
}

void StoredImage::read_sites(std::size_t first, std::size_t count, double* values, std::uint8_t* status) const {
  State& s = *m_state;
  const std::size_t nx = static_cast<std::size_t>(s.nx);
  const io::Box whole{0, 0, s.nx, s.ny};
  while (count > 0) {
    const int row = static_cast<int>(first / nx);
    if (row < s.first_row || row >= s.first_row + s.rows) {
      s.rows = 0;  // none, should reading fail
      s.first_row = row;
      const int end = end_of_strip(row, whole);
      const io::Box strip{0, row, s.nx, end - row};
      s.values.resize(strip.size());
      s.status.resize(strip.size());
      read(strip, s.values.data(), s.status.data());
      s.rows = end - row;
    }
    const std::size_t at = first - static_cast<std::size_t>(s.first_row) * nx;
    const std::size_t here = std::min(count, static_cast<std::size_t>(s.rows) * nx - at);
    std::copy_n(s.values.begin() + static_cast<std::ptrdiff_t>(at), here, values);
    std::copy_n(s.status.begin() + static_cast<std::ptrdiff_t>(at), here, status);
    first += here;
    count -= here;
    values += here;
    status += here;
  }
}

double StoredImage::memory() const {
  const io::Box whole{0, 0, m_state->nx, m_state->ny};
  const double strip = static_cast<double>(end_of_strip(0, whole)) * whole.nx;
  const double masks = static_cast<double>(m_state->masks.size());
  return strip * (9 + 8 + 8 * masks);
}

}  // namespace tessera::mpr

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/stored_image.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/mpr/data/companion_field.hpp"
#include "tessera/mpr/data/masks.hpp"
#include "tessera/mpr/data/source.hpp"
#include "tessera/mpr/data/trend.hpp"

namespace tessera::mpr {

namespace {

constexpr std::int64_t kStrip = std::int64_t{1} << 20;  // sites that are read at once
// the most, where the file's blocks are high
constexpr std::int64_t kLargest = 4 * kStrip;

}  // namespace

struct StoredImage::State {
  std::string file;
  std::optional<double> missing_value;
  Source source;
  std::vector<Mask> masks;
  std::optional<StoredCompanion> background;
  std::optional<StoredNoise> noise;
  TrendParameters trend;
  std::vector<StoredCompanion> fields;
  std::vector<Monomial> monomials;
  int nx = 0, ny = 0;
  // The rows that read_sites keeps.
  int first_row = 0, rows = 0;
  StoredBox strip;
};

StoredImage::StoredImage(const InputParameters& input, const Field& about)
    : m_state(std::make_unique<State>()) {
  State& s = *m_state;
  s.file = input.file;
  s.missing_value = input.missing_value;
  s.source = open_source(input.file, input.dataset, input.bands, true);
  if (!s.source.read_box) {
    throw Error(ErrorKind::input,
                "'" + input.file + "' has the shape " + shape_text(s.source.shape) +
                    ", and a stream is one image",
                "choose one 'band', or fill images one by one");
  }
  s.nx = about.grid.nx;
  s.ny = about.grid.ny;
}

StoredImage::~StoredImage() = default;

const std::string& StoredImage::file() const { return m_state->file; }

void StoredImage::add_mask(const Field& about, const MaskParameters& mask, Site kind) {
  if (!mask.file.empty()) m_state->masks.emplace_back(about, mask, kind, true);
}

void StoredImage::add_background(const Field& about, const CompanionFile& from) {
  m_state->background.emplace(from, about, rules_of_active("background"));
}

void StoredImage::add_noise(const Field& about, const NoiseParameters& noise) {
  m_state->noise.emplace(noise, about);
}

void StoredImage::add_trend(const Field& about, const TrendParameters& trend, int& failed) {
  m_state->trend = trend;
  for (std::size_t k = 0; k < trend.fields.size(); ++k) {
    failed = static_cast<int>(k);
    const std::string dataset = trend.datasets.empty() ? "" : trend.datasets[k];
    m_state->fields.emplace_back(CompanionFile{trend.fields[k], dataset, {1}}, about,
                                 rules_of_active("field of the trend"));
  }
  failed = -1;
  m_state->monomials = monomials(about.grid, trend.polynomial);
}

std::size_t StoredImage::columns() const {
  return m_state->fields.size() + m_state->monomials.size();
}

std::vector<std::string> StoredImage::names_of_columns() const {
  const TrendParameters& trend = m_state->trend;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < trend.fields.size(); ++k)
    names.push_back(
        name_of_column(trend.fields[k], trend.datasets.empty() ? "" : trend.datasets[k]));
  for (const Monomial& monomial : m_state->monomials) names.push_back(monomial.name);
  return names;
}

const std::vector<std::string>& StoredImage::files_of_columns() const {
  return m_state->trend.fields;
}

bool StoredImage::has_background() const { return m_state->background.has_value(); }
bool StoredImage::has_noise() const { return m_state->noise.has_value(); }

int StoredImage::end_of_strip(int row, const io::Box& box) const {
  const std::int64_t block = m_state->source.block_rows,
                     fitting = std::max<std::int64_t>(1, kStrip / box.nx);
  const bool has_blocks = block > 1 && block * box.nx <= kLargest;
  const std::int64_t step =
      has_blocks ? std::max<std::int64_t>(1, fitting / block) * block : fitting;
  return static_cast<int>(std::min<std::int64_t>(box.y0 + box.ny, (row / step + 1) * step));
}

void StoredImage::read_values(const io::Box& box, StoredBox& to) const {
  const State& s = *m_state;
  to.values.resize(box.size());
  to.status.resize(box.size());
  s.source.read_box(Numbers::decoded, box, to.values.data());
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (is_missing_value(to.values[i], s.missing_value))
      to.values[i] = std::numeric_limits<double>::quiet_NaN();
    to.status[i] = std::isnan(to.values[i]) ? kMissing : kSample;
  }
  for (const Mask& mask : s.masks) mask.mark_box(box, to.status.data());
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (to.status[i] != kSample || std::isfinite(to.values[i])) continue;
    const std::size_t nx = static_cast<std::size_t>(box.nx);
    throw Error(ErrorKind::input,
                "'" + s.file + "' holds an infinite value (row " +
                    std::to_string(static_cast<std::size_t>(box.y0) + i / nx) + ", column " +
                    std::to_string(static_cast<std::size_t>(box.x0) + i % nx) + ")",
                "mark it as missing with input.mask or input.missing_value");
  }
}

void StoredImage::read(const io::Box& box, StoredBox& to) const {
  const State& s = *m_state;
  read_all_but_columns(box, to);
  to.columns.resize(columns() * box.size());
  double* column = to.columns.data();
  for (const StoredCompanion& field : s.fields) {
    field.read(box, to.status.data(), column);
    column += box.size();
  }
  const Grid grid{s.nx, s.ny, 1};
  for (const Monomial& monomial : s.monomials) {
    for (int y = box.y0; y < box.y0 + box.ny; ++y) {
      for (int x = box.x0; x < box.x0 + box.nx; ++x) *column++ = monomial.at(grid, {x, y, 0});
    }
  }
}

void StoredImage::read_all_but_columns(const io::Box& box, StoredBox& to) const {
  const State& s = *m_state;
  read_values(box, to);
  const std::uint8_t* status = to.status.data();
  to.background.resize(s.background ? box.size() : 0);
  if (s.background) s.background->read(box, status, to.background.data());
  to.noise.resize(s.noise ? box.size() : 0);
  if (s.noise) s.noise->read(box, status, to.noise.data());
}

void StoredImage::read_sites(std::size_t first, std::size_t count, Sites to) const {
  State& s = *m_state;
  const std::size_t nx = static_cast<std::size_t>(s.nx);
  const io::Box whole{0, 0, s.nx, s.ny};
  while (count > 0) {
    const int row = static_cast<int>(first / nx);
    if (row < s.first_row || row >= s.first_row + s.rows) {
      s.rows = 0;  // none, should reading fail
      s.first_row = row;
      const int end = end_of_strip(row, whole);
      read_all_but_columns({0, row, s.nx, end - row}, s.strip);
      s.rows = end - row;
    }
    const std::size_t at = first - static_cast<std::size_t>(s.first_row) * nx;
    const std::size_t here = std::min(count, static_cast<std::size_t>(s.rows) * nx - at);
    const auto take = [at, here](const auto& from, auto*& numbers) {
      if (numbers == nullptr) return;
      from.empty() ? std::fill_n(numbers, here, 0) : std::copy_n(from.data() + at, here, numbers);
      numbers += here;
    };
    take(s.strip.values, to.values);
    take(s.strip.status, to.status);
    take(s.strip.background, to.background);
    take(s.strip.noise, to.noise);
    first += here;
    count -= here;
  }
}

double StoredImage::memory() const {
  const State& s = *m_state;
  const io::Box whole{0, 0, s.nx, s.ny};
  const double strip = static_cast<double>(end_of_strip(0, whole)) * whole.nx;
  const double masks = static_cast<double>(s.masks.size()),
               companions = (s.background ? 1 : 0) + (s.noise ? 1 : 0);
  return strip * (9 + 8 + 8 * masks + (8 + 8) * companions + 8 * static_cast<double>(columns()));
}

}  // namespace tessera::mpr

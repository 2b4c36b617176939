// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/gridded_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tessera/core/device/memory.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/netcdf.hpp"
#include "tessera/mpr/data/axes.hpp"
#include "tessera/mpr/data/source.hpp"
#include "tessera/mpr/data/stored_image.hpp"
#include "tessera/mpr/fill/value_range.hpp"

namespace tessera::mpr {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string text_or(const io::Group& root, const std::string& dataset, const std::string& name,
                    const std::string& fallback) {
  const std::string text = io::text_attribute(root, dataset, name);
  return text.empty() ? fallback : text;
}

/// Returns whether float32 holds every value.
bool fits_single(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) {
    return std::isnan(v) || static_cast<double>(static_cast<float>(v)) == v;
  });
}

int extent(std::uint64_t n, const std::string& path) {
  if (n < 1 || n > 1u << 30)
    throw Error(ErrorKind::input, "'" + path + "' has a dimension of " + std::to_string(n) +
                                      " sites; 1 to 2^30 are possible");
  return static_cast<int>(n);
}

void set_grid(Field& field, const InputParameters& input) {
  const std::vector<std::uint64_t> shape = squeeze(field.shape);
  const std::size_t rank = shape.size();
  if (rank < 2 || rank > 4) {
    throw Error(ErrorKind::input,
                "'" + input.file + "' has the shape " + shape_text(field.shape) +
                    "; an image (rows x columns), a stack or frames of them are needed");
  }
  field.grid.nx = extent(shape[rank - 1], input.file);
  field.grid.ny = extent(shape[rank - 2], input.file);
  std::uint64_t frames = 1;
  if (rank >= 3) {
    if (input.third_axis == "coupled") {
      field.grid.nz = extent(shape[rank - 3], input.file);
      if (rank == 4) frames = shape[0];
    } else {
      frames = shape[rank - 3] * (rank == 4 ? shape[0] : 1);
    }
  }
  field.frames = extent(frames, input.file);
}

}  // namespace

std::int64_t Field::count(Site kind) const {
  return std::count(status.begin(), status.end(), static_cast<std::uint8_t>(kind));
}

std::string describe_site(const Field& field, std::size_t i) {
  const std::size_t nx = static_cast<std::size_t>(field.grid.nx),
                    ny = static_cast<std::size_t>(field.grid.ny);
  const std::string images = field.sites() > static_cast<std::int64_t>(nx * ny)
                                 ? "image " + std::to_string(i / nx / ny) + ", "
                                 : "";
  return images + "row " + std::to_string(i / nx % ny) + ", column " + std::to_string(i % nx);
}

void Field::read_sites(std::size_t first, std::size_t count, double* to,
                       std::uint8_t* status_of) const {
  if (stored) return stored->read_sites(first, count, {to, status_of});
  std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), count, to);
  std::copy_n(status.begin() + static_cast<std::ptrdiff_t>(first), count, status_of);
}

void Field::mark_noisy(std::size_t first, std::size_t count, std::uint8_t* status_of) const {
  if (!noise && !(stored && stored->has_noise())) return;
  std::vector<double> deviations(count);
  if (stored) {
    stored->read_sites(first, count, {nullptr, nullptr, nullptr, deviations.data()});
  } else {
    for (std::size_t i = 0; i < count; ++i) deviations[i] = noise_at(first + i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (status_of[i] == kSample && deviations[i] > 0) status_of[i] = kNoisy;
  }
}

void Field::read_references(std::size_t first, std::size_t count, double* references) const {
  if (stored) {
    stored->read_sites(first, count, {nullptr, nullptr, references, nullptr});
    for (std::size_t i = 0; i < count; ++i) references[i] += offset(0);
  } else {
    for (std::size_t i = 0; i < count; ++i) references[i] = reference(first + i);
  }
}

Field describe_field(const InputParameters& input, const Source& source) {
  Field field;
  field.shape = source.shape;
  set_grid(field, input);
  field.name = source.name;
  if (source.root) {
    field.units = text_or(*source.root, source.dataset, "units", "1");
    field.long_name = text_or(*source.root, source.dataset, "long_name", field.name);
    field.scales = io::dimension_scales(*source.root, source.dataset);
    field.packing = source.packing;
  }
  if (source.raster && !source.raster->bands.front().units.empty())
    field.units = source.raster->bands.front().units;
  field.source = source.root;
  field.dataset = source.dataset;
  field.raster = source.raster;
  field.place = source.array_place;
  check_order(field);
  return field;
}

Field read_field(const InputParameters& input) {
  const Source source = open_source(input.file, input.dataset, input.bands);
  Field field = describe_field(input, source);
  field.values.resize(source.size());
  field.status.resize(source.size());
  source.read(Numbers::decoded, [&](std::size_t first, std::size_t count, const double* values) {
    for (std::size_t i = 0; i < count; ++i) {
      const double value = is_missing_value(values[i], input.missing_value) ? kNan : values[i];
      field.values[first + i] = value;
      field.status[first + i] = std::isnan(value) ? kMissing : kSample;
    }
  });
  field.single = fits_single(field.values);
  return field;
}

void refine_grid(Field& field, int factor, const std::string& file) {
  if (factor == 1) return;
  const bool has_scales = std::any_of(field.scales.begin(), field.scales.end(),
                                      [](const std::string& scale) { return !scale.empty(); });
  if (has_scales || field.raster) {
    throw Error(ErrorKind::input,
                "'" + file + "' has coordinates, which input.refine does not put between its sites",
                "give its values as an array without coordinates, such as .npy");
  }
  const Grid coarse = field.grid;
  const std::int64_t nx = std::int64_t{factor} * (coarse.nx - 1) + 1,
                     ny = std::int64_t{factor} * (coarse.ny - 1) + 1,
                     images = field.sites() / (std::int64_t{coarse.nx} * coarse.ny);
  if (nx > 1 << 30 || ny > 1 << 30 || nx * ny * images > std::int64_t{1} << 40)
    throw Error(ErrorKind::input, "'" + file + "' has too many sites with input.refine",
                "take a smaller input.refine");
  const std::size_t sites = static_cast<std::size_t>(nx * ny * images);
  require_host_memory(9.0 * static_cast<double>(sites), "the refined grid",
                      "take a smaller input.refine");
  std::vector<double> values(sites, kNan);
  std::vector<std::uint8_t> status(sites, kMissing);
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    const std::size_t x = i % static_cast<std::size_t>(coarse.nx),
                      row = i / static_cast<std::size_t>(coarse.nx),
                      y = row % static_cast<std::size_t>(coarse.ny),
                      image = row / static_cast<std::size_t>(coarse.ny);
    const std::size_t to =
        (image * static_cast<std::size_t>(ny) + y * static_cast<std::size_t>(factor)) *
            static_cast<std::size_t>(nx) +
        x * static_cast<std::size_t>(factor);
    values[to] = field.values[i];
    status[to] = field.status[i];
  }
  field.values = std::move(values);
  field.status = std::move(status);
  field.grid.nx = static_cast<int>(nx);
  field.grid.ny = static_cast<int>(ny);
  const std::vector<bool> kept = find_extended(field.shape);
  int found = 0;  // columns, then rows
  for (std::size_t k = kept.size(); k-- > 0 && found < 2;) {
    if (kept[k]) field.shape[k] = static_cast<std::uint64_t>(found++ == 0 ? nx : ny);
  }
}

void check_samples(const Field& field, const std::string& file) {
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    if (field.status[i] != kSample || std::isfinite(field.values[i])) continue;
    throw Error(ErrorKind::input,
                "'" + file + "' holds an infinite value (" + describe_site(field, i) + ")",
                "mark it as missing with input.mask or input.missing_value");
  }
}

std::vector<int> set_empty_frames_aside(Field& field) {
  const auto sites = static_cast<std::ptrdiff_t>(field.grid.sites());
  const auto of_frame = [&](int frame) { return field.status.begin() + frame * sites; };
  std::vector<int> empty;
  bool any = false;  // frames with samples
  for (int f = 0; f < field.frames; ++f) {
    const auto begin = of_frame(f), end = begin + sites;
    const bool has_samples = std::find(begin, end, static_cast<std::uint8_t>(kSample)) != end;
    any = any || has_samples;
    if (!has_samples && std::find(begin, end, static_cast<std::uint8_t>(kMissing)) != end)
      empty.push_back(f);
  }
  if (!any) return {};
  for (const int f : empty) {
    std::fill(of_frame(f), of_frame(f) + sites, static_cast<std::uint8_t>(kInactive));
    std::fill_n(field.values.begin() + f * sites, sites, kNan);
  }
  return empty;
}

namespace {

/// The smallest and the greatest sample of a frame, less the background; infinite where there is
/// none.
std::pair<double, double> range_of_frame(const Field& field, int frame) {
  const std::size_t sites = static_cast<std::size_t>(field.grid.sites()),
                    first = static_cast<std::size_t>(frame) * sites;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = first; i < first + sites; ++i) {
    if (field.status[i] != kSample) continue;
    low = std::min(low, field.values[i] - field.background_at(i));
    high = std::max(high, field.values[i] - field.background_at(i));
  }
  return {low, high};
}

}  // namespace

void find_offsets(Field& field) {
  field.offsets.clear();
  for (int f = 0; f < field.frames; ++f) {
    auto [low, high] = range_of_frame(field, f);
    if (low <= high) {
      low = field.transform.forward(low);
      high = field.transform.forward(high);
    }
    field.offsets.push_back(low <= high ? low + 0.5 * (high - low) : 0);
  }
}

void check_precision(Field& field, bool single, const std::string& of, double low, double high) {
  if (!(low <= high)) return;
  field.single_spread = field.single_spread && kLimitsOfSingle.hold(low, high);
  check_values(low, high, false, of);  // which results hold
  if (field.transform.is_identity()) check_values(low, high, single, of);
}

void check_precision(Field& field, bool single, const std::string& file) {
  field.single_spread = true;
  for (int f = 0; f < field.frames; ++f) {
    const auto [low, high] = range_of_frame(field, f);
    check_precision(
        field, single,
        "'" + file + "'" + (field.frames > 1 ? " (frame " + std::to_string(f) + ")" : ""), low,
        high);
  }
}

}  // namespace tessera::mpr

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/companion.hpp"

#include <cmath>
#include <utility>

#include "tessera/core/config/scalar.hpp"
#include "tessera/core/error.hpp"
#include "tessera/mpr/same_grid.hpp"
#include "tessera/mpr/source.hpp"

namespace tessera::mpr {

namespace {

/// Throws Error (input) unless a file has the rows and columns of the data, and one image of them, one frame or all.
void check_shape(const Source& source, const Field& field, const std::string& what) {
  const std::size_t size = source.size(), all = field.values.size();
  const std::size_t image = static_cast<std::size_t>(field.grid.nx) * field.grid.ny, frame = static_cast<std::size_t>(field.grid.sites());
  const std::vector<std::uint64_t> shape = squeeze(source.shape);
  const bool same_rows = shape.size() >= 2 && shape.back() == static_cast<std::uint64_t>(field.grid.nx) &&
                         shape[shape.size() - 2] == static_cast<std::uint64_t>(field.grid.ny);
  if (same_rows && (size == image || size == frame || size == all)) return;
  throw Error(ErrorKind::input,
              "the " + what + " '" + source.place + "' has the shape " + shape_text(source.shape) + ", the data " + shape_text(field.shape),
              "give a " + what + " of the shape of the data, or of one image of them");
}

/// "row 3, column 7", of a number of an image, a frame or all.
std::string place_of(const Field& field, std::size_t site) {
  const std::size_t nx = static_cast<std::size_t>(field.grid.nx), ny = static_cast<std::size_t>(field.grid.ny);
  return "row " + std::to_string(site / nx % ny) + ", column " + std::to_string(site % nx);
}

}  // namespace

std::vector<double> read_companion(const CompanionFile& from, const Field& field, const CompanionRules& rules) {
  const Source source = open_source(from.file, from.dataset, from.bands);
  check_shape(source, field, rules.what);
  check_same_grid(field, source);
  const std::size_t size = source.size(), all = field.values.size();
  std::vector<double> values(size);
  std::size_t gaps = 0, first_gap = 0;
  source.read(Numbers::decoded, [&](std::size_t first, std::size_t count, const double* piece) {
    for (std::size_t i = 0; i < count; ++i) {
      values[first + i] = std::isfinite(piece[i]) ? piece[i] : 0;
      bool needed = false;
      for (std::size_t site = first + i; site < all && !std::isfinite(piece[i]); site += size) needed = needed || rules.needs_value(site);
      if (needed && gaps++ == 0) first_gap = first + i;
    }
  });
  if (gaps == 0) return values;
  throw Error(ErrorKind::input,
              "the " + rules.what + " '" + source.place + "' has no value at " + std::to_string(gaps) + " sites, the first of them in " +
                  place_of(field, first_gap),
              rules.remedy);
}

std::vector<double> read_background(const CompanionFile& from, const Field& field) {
  return read_companion(from, field, {"background", [&](std::size_t site) { return field.status[site] != kInactive; }});
}

std::vector<double> read_noise(const NoiseParameters& noise, const Field& field) {
  if (noise.of.file.empty()) return {noise.deviation.value_or(0)};
  const auto is_sample = [&](std::size_t site) { return field.status[site] == kSample; };
  std::vector<double> deviations = read_companion(
      noise.of, field, {"noise", is_sample, "give the error of each sample, or mark samples without one as missing with input.mask"});
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    bool needed = false;
    for (std::size_t site = i; site < field.values.size() && deviations[i] < 0; site += deviations.size())
      needed = needed || is_sample(site);
    if (needed) {
      throw Error(
          ErrorKind::input,
          "the noise '" + noise.of.file + "' has the negative value " + config::yaml_text(deviations[i]) + " in " + place_of(field, i),
          "give standard deviations, or variances with 'kind: variance'");
    }
    deviations[i] = deviations[i] < 0 ? 0 : noise.are_variances ? std::sqrt(deviations[i]) : deviations[i];
  }
  return deviations;
}

}  // namespace tessera::mpr

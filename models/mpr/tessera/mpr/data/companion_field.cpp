// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/companion_field.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "tessera/core/config/scalar.hpp"
#include "tessera/core/error.hpp"
#include "tessera/mpr/data/grid_agreement.hpp"

namespace tessera::mpr {

namespace {

/// Throws Error (input) unless a file has the rows and columns of the data, and one image of them,
/// one frame or all.
void check_shape(const Source& source, const Field& field, const std::string& what) {
  const std::size_t size = source.size(), all = static_cast<std::size_t>(field.sites());
  const std::size_t image = static_cast<std::size_t>(field.grid.nx) * field.grid.ny,
                    frame = static_cast<std::size_t>(field.grid.sites());
  const std::vector<std::uint64_t> shape = squeeze(source.shape);
  const bool same_rows = shape.size() >= 2 &&
                         shape.back() == static_cast<std::uint64_t>(field.grid.nx) &&
                         shape[shape.size() - 2] == static_cast<std::uint64_t>(field.grid.ny);
  if (same_rows && (size == image || size == frame || size == all)) return;
  throw Error(ErrorKind::input,
              "the " + what + " '" + source.place + "' has the shape " + shape_text(source.shape) +
                  ", the data " + shape_text(field.shape),
              "give a " + what + " of the shape of the data, or of one image of them");
}

std::string place_of(std::size_t row, std::size_t column) {
  return "row " + std::to_string(row) + ", column " + std::to_string(column);
}

/// "row 3, column 7", of a number of an image, a frame or all.
std::string place_of(const Field& field, std::size_t site) {
  const std::size_t nx = static_cast<std::size_t>(field.grid.nx),
                    ny = static_cast<std::size_t>(field.grid.ny);
  return place_of(site / nx % ny, site % nx);
}

/// Returns the place of a site that is numbered in a box of an image.
std::string place_of(const io::Box& box, std::size_t site) {
  const std::size_t nx = static_cast<std::size_t>(box.nx);
  return place_of(static_cast<std::size_t>(box.y0) + site / nx,
                  static_cast<std::size_t>(box.x0) + site % nx);
}

Source open_companion(const CompanionFile& from, const Field& field, const CompanionRules& rules,
                      bool in_boxes) {
  Source source = open_source(from.file, from.dataset, from.bands, in_boxes);
  check_shape(source, field, rules.what);
  check_same_grid(field, source);
  return source;
}

[[noreturn]] void throw_negative(const NoiseParameters& noise, double number,
                                 const std::string& place) {
  throw Error(ErrorKind::input,
              "the noise '" + noise.of.file + "' has the negative value " +
                  config::yaml_text(number) + " in " + place,
              "give standard deviations, or variances with 'kind: variance'");
}

double to_deviation(const NoiseParameters& noise, double number) {
  return number < 0 ? 0 : noise.are_variances ? std::sqrt(number) : number;
}

}  // namespace

CompanionRules rules_of_active(const std::string& what) {
  return {what, [](std::uint8_t status) { return status != kInactive; }};
}

CompanionRules rules_of_noise() {
  return {"noise", [](std::uint8_t status) { return status == kSample; },
          "give the error of each sample, or mark samples without one as missing with input.mask"};
}

std::vector<double> read_companion(const CompanionFile& from, const Field& field,
                                   const CompanionRules& rules) {
  const Source source = open_companion(from, field, rules, false);
  const std::size_t size = source.size(), all = field.values.size();
  std::vector<double> values(size);
  std::size_t gaps = 0, first_gap = 0;
  source.read(Numbers::decoded, [&](std::size_t first, std::size_t count, const double* piece) {
    for (std::size_t i = 0; i < count; ++i) {
      values[first + i] = std::isfinite(piece[i]) ? piece[i] : 0;
      bool needed = false;
      for (std::size_t site = first + i; site < all && !std::isfinite(piece[i]); site += size)
        needed = needed || rules.needs_value(field.status[site]);
      if (needed && gaps++ == 0) first_gap = first + i;
    }
  });
  if (gaps == 0) return values;
  throw Error(ErrorKind::input,
              "the " + rules.what + " '" + source.place + "' has no value at " +
                  std::to_string(gaps) + " sites, the first of them in " +
                  place_of(field, first_gap),
              rules.remedy);
}

std::vector<double> read_background(const CompanionFile& from, const Field& field) {
  return read_companion(from, field, rules_of_active("background"));
}

namespace {

/// Throws where all errors are so much larger than what the samples differ by that nothing is left
/// to tell a field from.
void check_size(const std::vector<double>& deviations, const Field& field) {
  constexpr double kMost = 5;  // ranges of the samples
  double low = std::numeric_limits<double>::infinity(), high = -low, least = low;
  for (std::size_t site = 0; site < field.values.size(); ++site) {
    if (field.status[site] != kSample || !std::isfinite(field.values[site])) continue;
    low = std::min<double>(low, field.values[site]);
    high = std::max<double>(high, field.values[site]);
    least = std::min(least, deviations[site % deviations.size()]);
  }
  if (!(high > low) || !(least > kMost * (high - low))) return;
  char text[160];
  std::snprintf(text, sizeof text,
                "the standard errors of the samples are %.4g and more, and the samples differ by "
                "%.4g at most",
                least, high - low);
  throw Error(ErrorKind::input, text, "lower model.noise");
}

}  // namespace

std::vector<double> read_noise(const NoiseParameters& noise, const Field& field) {
  if (noise.of.file.empty()) {
    const std::vector<double> deviation{noise.deviation.value_or(0)};
    check_size(deviation, field);
    return deviation;
  }
  std::vector<double> deviations = read_companion(noise.of, field, rules_of_noise());
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    bool needed = false;
    for (std::size_t site = i; site < field.values.size() && deviations[i] < 0;
         site += deviations.size())
      needed = needed || field.status[site] == kSample;
    if (needed) throw_negative(noise, deviations[i], place_of(field, i));
    deviations[i] = to_deviation(noise, deviations[i]);
  }
  check_size(deviations, field);
  return deviations;
}

StoredCompanion::StoredCompanion(const CompanionFile& from, const Field& about,
                                 const CompanionRules& rules)
    : m_source(open_companion(from, about, rules, true)), m_rules(rules) {}

void StoredCompanion::read(const io::Box& box, const std::uint8_t* status, double* values) const {
  m_source.read_box(Numbers::decoded, box, values);
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    if (m_rules.needs_value(status[i])) {
      throw Error(
          ErrorKind::input,
          "the " + m_rules.what + " '" + m_source.place + "' has no value in " + place_of(box, i),
          m_rules.remedy);
    }
    values[i] = 0;
  }
}

StoredNoise::StoredNoise(const NoiseParameters& noise, const Field& about) : m_noise(noise) {
  if (!noise.of.file.empty()) m_file.emplace(noise.of, about, rules_of_noise());
}

void StoredNoise::read(const io::Box& box, const std::uint8_t* status, double* deviations) const {
  if (m_file) m_file->read(box, status, deviations);
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (status[i] != kSample) {
      deviations[i] = 0;
    } else if (!m_file) {
      deviations[i] = m_noise.deviation.value_or(0);
    } else {
      if (deviations[i] < 0) throw_negative(m_noise, deviations[i], place_of(box, i));
      deviations[i] = to_deviation(m_noise, deviations[i]);
    }
  }
}

}  // namespace tessera::mpr

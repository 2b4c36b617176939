// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/validation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/core/random.hpp"
#include "tessera/mpr/synthesis.hpp"

namespace tessera::mpr {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Samples in square blocks, which may overlap, until there are enough.
std::vector<std::size_t> choose_blocks(const Field& field, int block, std::size_t wanted, std::uint64_t seed, std::uint64_t number) {
  std::vector<std::size_t> chosen;
  const Grid& grid = field.grid;
  if (block > grid.nx || block > grid.ny) throw Error(ErrorKind::input, "validate.block is larger than the field", "take smaller blocks");
  std::vector<std::uint8_t> taken(field.status.size(), 0);
  const Philox random(static_cast<std::uint32_t>(seed), 0xb10c5u);
  for (std::uint64_t b = 0; chosen.size() < wanted; ++b) {
    const auto bits = random.bits(b, number);
    const std::size_t images = field.status.size() / static_cast<std::size_t>(grid.nx) / static_cast<std::size_t>(grid.ny);
    const auto x0 = static_cast<std::size_t>(Philox::uniform(bits, 0) * (grid.nx - block + 1)),
               y0 = static_cast<std::size_t>(Philox::uniform(bits, 1) * (grid.ny - block + 1));
    const std::size_t image = b % images;
    for (std::size_t y = y0; y < y0 + static_cast<std::size_t>(block); ++y) {
      for (std::size_t x = x0; x < x0 + static_cast<std::size_t>(block); ++x) {
        const std::size_t i = (image * static_cast<std::size_t>(grid.ny) + y) * static_cast<std::size_t>(grid.nx) + x;
        if (field.status[i] != kSample || taken[i]) continue;
        taken[i] = 1;
        chosen.push_back(i);
      }
    }
  }
  return chosen;
}

}  // namespace

std::vector<std::size_t> choose_hidden(const Field& field, const ValidateParameters& parameters, double fraction, std::uint64_t seed,
                                       std::uint64_t number) {
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < field.status.size(); ++i) {
    if (field.status[i] == kSample) known.push_back(i);
  }
  const std::size_t wanted = static_cast<std::size_t>(fraction * static_cast<double>(known.size()) + 0.5);
  if (wanted < 1 || wanted >= known.size()) {
    throw Error(ErrorKind::input,
                "a fraction of " + std::to_string(fraction) + " takes " + std::to_string(wanted) + " of " + std::to_string(known.size()) +
                    " known values away",
                "at least one must go and one stay");
  }
  if (parameters.pattern == "blocks") return choose_blocks(field, parameters.block, wanted, seed, number);
  std::vector<std::size_t> chosen;
  for (const std::size_t k : random_subset(known.size(), wanted, seed, number)) chosen.push_back(known[k]);
  return chosen;
}

Scores score(const std::vector<double>& truth, const std::vector<double>& mean, const std::vector<double>& deviation,
             const std::vector<std::size_t>& sites) {
  Scores s;
  double relative = 0;
  for (const std::size_t i : sites) {
    const double error = truth[i] - mean[i];
    s.maae += std::fabs(error);
    s.mrase += error * error;
    if (truth[i] != 0) {
      s.mare += error / truth[i];
      s.maare += std::fabs(error / truth[i]);
      relative += 1;
    }
    if (!deviation.empty()) {
      s.coverage95 += std::fabs(error) <= 1.959964 * deviation[i] ? 1 : 0;
      s.spread += deviation[i];
    }
  }
  const double n = std::max<double>(1, static_cast<double>(sites.size()));
  s.maae /= n;
  s.mare = relative > 0 ? s.mare / relative : kNan;
  s.maare = relative > 0 ? s.maare / relative : kNan;
  s.mrase = std::sqrt(s.mrase / n);
  s.coverage95 = deviation.empty() ? kNan : s.coverage95 / n;
  s.spread = deviation.empty() ? kNan : s.spread / n;
  return s;
}

}  // namespace tessera::mpr

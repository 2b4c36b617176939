// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/random_fields.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tessera/core/device/memory.hpp"
#include "tessera/core/random.hpp"
#include "tessera/core/seed.hpp"

namespace tessera::gp {

namespace {

Philox generator(std::uint64_t seed, Stream stream) {
  return seeded_philox(seed, static_cast<std::uint32_t>(stream));
}

}  // namespace

std::vector<double> standard_normals(std::uint64_t seed, Stream stream, std::size_t count,
                                     std::size_t columns, std::size_t first) {
  require_host_memory(static_cast<double>(sizeof(double)) * static_cast<double>(count) *
                          static_cast<double>(columns),
                      "the random numbers of the fields", "take fewer points, replicates or draws");
  const Philox random = generator(seed, stream);
  std::vector<double> normals;
  normals.reserve(count * columns);
  for (std::size_t c = first; c < first + columns; ++c) {
    for (std::size_t i = 0; i < count; ++i) {
      const Philox::Bits bits = random.bits(i, c);
      normals.push_back(std::sqrt(-2 * std::log(Philox::uniform(bits, 0))) *
                        std::cos(6.283185307179586477 * Philox::uniform(bits, 1)));
    }
  }
  return normals;
}

std::vector<double> uniforms(std::uint64_t seed, Stream stream, std::size_t count,
                             std::size_t sweep) {
  const Philox random = generator(seed, stream);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i)
    numbers.push_back(Philox::uniform(random.bits(i, sweep), 0));
  return numbers;
}

std::vector<std::size_t> permutation(std::uint64_t seed, Stream stream, std::size_t n) {
  const std::vector<double> key = uniforms(seed, stream, n);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return key[a] != key[b] ? key[a] < key[b] : a < b;
  });
  return order;
}

std::size_t grid_side(const SimulateParameters& p) {
  const double side =
      std::pow(static_cast<double>(p.points), 1.0 / static_cast<double>(p.lower.size()));
  return std::max<std::size_t>(2, static_cast<std::size_t>(std::llround(side)));
}

Points simulated_points(const SimulateParameters& p, const CovarianceModel& model,
                        std::uint64_t seed) {
  const std::size_t dimension = p.lower.size();
  const bool grid = p.layout != "uniform";
  const std::size_t side = grid_side(p);
  std::size_t locations = static_cast<std::size_t>(p.points);
  if (grid) {
    locations = 1;
    for (std::size_t k = 0; k < dimension; ++k) locations *= side;
  }
  const std::size_t times = model.has_time ? static_cast<std::size_t>(p.times) : 1;
  const double numbers =
      static_cast<double>(locations) *
      static_cast<double>(dimension + times * (dimension + (model.has_time ? 1 : 0)));
  require_host_memory(sizeof(double) * numbers, "the simulated points",
                      "take a smaller simulate.points");
  Points points;
  points.coordinate.assign(dimension, {});
  std::vector<std::vector<double>> random;
  for (std::size_t k = 0; k < dimension; ++k)
    random.push_back(uniforms(seed, Stream::locations, locations, k));
  for (std::size_t t = 0; t < times; ++t) {
    for (std::size_t i = 0; i < locations; ++i) {
      std::size_t rest = i;
      for (std::size_t k = 0; k < dimension; ++k) {
        double u = random[k][i];
        if (grid) {
          const double shift = p.layout == "jittered" ? 0.8 * (u - 0.5) : 0;
          u = (static_cast<double>(rest % side) + 0.5 + shift) / static_cast<double>(side);
          rest /= side;
        }
        points.coordinate[k].push_back(p.lower[k] + (p.upper[k] - p.lower[k]) * u);
      }
      if (model.has_time) points.time.push_back(static_cast<double>(t));
    }
  }
  return points;
}

}  // namespace tessera::gp

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/gp/points/points.hpp"
#include "tessera/gp/program/parameters.hpp"

/// Everything random in a run, each kind from a stream of its own; on the host, the same numbers
/// for every backend.

namespace tessera::gp {

enum class Stream : std::uint32_t {
  fields = 0x6750,
  locations,
  sample,
  held_out,
  folds,
  starts,
  draws,
  noise,
  start_sample,
  responses,
  levels,
  effects
};

/// Independent standard normal numbers (Box and Muller): `count` for each of `columns`, a column
/// after another; columns count from `first`.
std::vector<double> standard_normals(std::uint64_t seed, Stream stream, std::size_t count,
                                     std::size_t columns, std::size_t first = 0);

/// Points along each coordinate of the grid that comes nearest to the number asked for.
std::size_t grid_side(const SimulateParameters& parameters);

/// Uniform numbers in (0, 1).
std::vector<double> uniforms(std::uint64_t seed, Stream stream, std::size_t count,
                             std::size_t sweep = 0);

/// The numbers 0 ... n - 1 in random order.
std::vector<std::size_t> permutation(std::uint64_t seed, Stream stream, std::size_t n);

/// The points of the `simulate` section.
Points simulated_points(const SimulateParameters& parameters, const CovarianceModel& model,
                        std::uint64_t seed);

}  // namespace tessera::gp

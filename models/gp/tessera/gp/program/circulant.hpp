// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/gp/covariance/covariance.hpp"

namespace tessera::gp {

/// Fields with mean zero on a regular grid, by circulant embedding (Dietrich and Newsam, SIAM J.
/// Sci. Comput. 18, 1997): the grid is put on a torus of at least twice its size, whose covariance
/// the Fourier transform makes diagonal. Exact where no eigenvalue is negative; those above -1e-12
/// of the largest are rounding and count as 0. Cost n log n in time and memory, on the host.
/// Euclidean metric, no time.
///
/// `side` points along each coordinate, the first one running fastest, `spacing` apart. Returns a
/// column a field. Throws Error (numerical) when eigenvalues stay negative on a torus sixteen times
/// the grid's length.
std::vector<double> simulate_on_grid(const CovarianceModel& model, const Theta& theta,
                                     std::size_t side, const std::vector<double>& spacing,
                                     std::uint64_t seed, std::size_t fields);

}  // namespace tessera::gp

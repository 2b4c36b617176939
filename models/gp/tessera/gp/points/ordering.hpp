// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/points/neighbours.hpp"

/// Orders of points for a Vecchia approximation (Guinness 2018), found on the device.
///
/// * maxmin: each point far from those before it. In a hierarchy of cells of side 2^-l of the
///   region, level l takes from every cell that holds no earlier point the one nearest to its
///   middle; random within a level. Points of one place follow each other.
/// * random: by counter-based random numbers.
/// * coordinate: by the first coordinate, then by the second.
/// * given: as they come.
///
/// The hierarchy finds in 20 or so passes over the points an order that has the property of an
/// exact maxmin order but for a factor of about 1.5 in the distances. All orders are the same for
/// any number of threads. Calls wait for the device.

namespace tessera::gp {

enum class Ordering { maxmin, random, coordinate, given };

/// order(k): the point that comes as the k-th. As many as there are points, at most 2^31 - 1.
template <class ExecSpace>
void order_points(const ExecSpace& exec, const CoordinateView<ExecSpace>& points, Ordering ordering,
                  std::uint64_t seed, const Kokkos::View<std::uint32_t*, ExecSpace>& order);

/// An order in which points that follow each other lie near each other: along Morton's curve
/// through the hierarchy of cells.
template <class ExecSpace>
void order_along_curve(const ExecSpace& exec, const CoordinateView<ExecSpace>& points,
                       const Kokkos::View<std::uint32_t*, ExecSpace>& order);

}  // namespace tessera::gp

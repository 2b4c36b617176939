// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::gbees {

/// The treatment of the edge of the grid; the fluxes between existing cells are the same.
///
/// conservative  Both sides of a missing neighbour are treated alike: mass flows out, none flows
///               in, and what leaves is counted, so that mass + lost mass = 1. Cells grow across
///               each face through which mass leaves them.
/// reference     Cell for cell the algorithm of the published code: outflow only through upper
///               faces, growth by the sign of the upper face velocity, an initial box of 3 standard
///               deviations, and renormalisation to one at every step.
enum class Scheme { conservative, reference };

/// A directory is the container that maps the keys of cells to their rows. The results are the same
/// with each kind.
///
/// unordered_map  Kokkos::UnorderedMap. A GPU then launches the phases of a step one by one,
///                whatever the number of cells.
/// flat_map       a table with linear probing (tessera/core/device/flat_map.hpp).
/// automatic      unordered_map where the phases of a step are launched one by one
///                (PropagatorOptions::kernels); flat_map inside a persistent kernel or a team of
///                threads, where insertions and look-ups run side by side.
enum class DirectoryKind { automatic, unordered_map, flat_map };

/// The bounds of PropagatorOptions::slots_per_cell.
inline constexpr double kLeastSlotsPerCell = 1.1, kMostSlotsPerCell = 16;

/// PropagatorOptions::team_size is a multiple of the first, a warp, and no more than the second,
/// for which the registers of a multiprocessor suffice.
inline constexpr int kTeamSizeUnit = 32, kMostTeamSize = 384;

}  // namespace tessera::gbees

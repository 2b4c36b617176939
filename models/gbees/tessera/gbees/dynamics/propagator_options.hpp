// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/core/device/kernels.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gbees/grid/grid_options.hpp"

namespace tessera::gbees {

struct PropagatorOptions {
  Scheme scheme = Scheme::conservative;
  /// Probability below which a cell does not grow and may be removed; > 0
  double threshold = 1e-7;
  /// The time step as a fraction of the shortest time in which flow crosses a cell; 0 < cfl <= 1
  double cfl = 1;
  int prune_every = 20;            ///< steps between prunes
  std::uint64_t memory_limit = 0;  ///< bytes the grid may take; 0: what the device has

  /// Spectral density Q_i of white noise that drives each variable, dx = f dt + sqrt(Q) dW; >= 0,
  /// empty: none. Scheme conservative only.
  std::vector<double> noise = {};

  /// Moves the window of indices (Grid) where a density comes to its end that is narrower. Without,
  /// that is an error.
  bool recentre = false;

  /// An active cell has all its neighbours, as the first code had it (Hanson et al. 2025, section
  /// 3.3); else those that it sends mass to. Scheme reference only.
  bool grows_all_ways = false;

  /// Dynamics that vary in time are taken at the start of each step, as the published code has it:
  /// of first order in the step. Else at its middle.
  bool velocities_of_start = false;

  /// The container that maps keys of cells to rows; the results are the same with each.
  DirectoryKind directory = DirectoryKind::automatic;

  /// Slots of the directory for each cell that the grid has room for, 1.1 to 16; 0: by itself. Few
  /// take less memory, many are searched sooner. The results are the same with each.
  double slots_per_cell = 0;

  /// Threads of a team of the persistent kernel on a GPU, a multiple of 32 up to 384; 0: by itself.
  /// Elsewhere it has no effect. The results are the same with each.
  int team_size = 0;

  /// plain: a kernel for each phase of a step, with Kokkos::UnorderedMap for a directory unless
  /// `directory` says otherwise. fused: on a CPU many steps in one parallel region, on a GPU in one
  /// persistent kernel, whatever the number of cells; not with keys of 128 bits on a GPU, nor
  /// several ranks. automatic: fused on a CPU, and on a GPU below `persistent_cells`.
  Kernels kernels = Kernels::automatic;

  /// One persistent kernel on a GPU with fewer cells makes many steps. Its teams wait for each
  /// other, with one on every multiprocessor. The results are the same to rounding.
  std::uint32_t persistent_cells = 1u << 18;

  /// Another program uses the GPU too: no persistent kernel, which then could wait for ever.
  bool shared_device = false;

  /// Among which the cells are divided: every rank makes the same calls of the same Density. The
  /// results are those of one, bit for bit.
  parallel::Communicator ranks = {};
};

}  // namespace tessera::gbees

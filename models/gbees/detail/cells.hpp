// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "tessera/core/device/backend.hpp"
#include "tessera/core/device/flat_map.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/progress.hpp"
#include "tessera/gbees/grid.hpp"

namespace tessera::gbees::detail {

/// "No cell there": row 0 stands for all cells that do not exist. It holds no mass and links to itself, so that kernels can read a missing
/// neighbour like any other.
inline constexpr std::uint32_t kNone = 0;

/// More rows than this cannot be numbered.
inline constexpr std::uint64_t kMaxCells = 0xfffffff0u;

/// The backend that an execution space stands for.
template <class ExecSpace>
constexpr Backend backend_of() {
#ifdef KOKKOS_ENABLE_OPENMP
  if (std::is_same_v<ExecSpace, Kokkos::OpenMP>) return Backend::openmp;
#endif
  return compat::is_gpu_v<ExecSpace> ? Backend::cuda : Backend::serial;
}

/// The cells of the grid: one row each of several arrays, linked to their 2D face neighbours, and a directory from key to row.
///
/// Real, double or float, is the type that masses and fluxes are stored in. Rows 1 to n hold cells, in any order. Memory a row, with r the
/// size of a Real: 8 (key) + 2r (mass, twice) + 8 (half step) + 8D (links) + 11 (flags and scratch of the prune) + 18 (directory) bytes,
/// and rD where the fluxes are stored.
template <int D, class ExecSpace, class Real>
struct Cells {
  using Memory = typename ExecSpace::memory_space;
  using Device = Kokkos::Device<ExecSpace, Memory>;
  using Directory = FlatMap<Device>;
  template <class T>
  using Array = Kokkos::View<T, Device>;
  using Links = Kokkos::View<std::uint32_t * [2 * D], Kokkos::LayoutLeft, Device>;
  using Fluxes = Kokkos::View<Real* [D], Kokkos::LayoutLeft, Device>;

  bool stores_fluxes = true;
  std::uint32_t capacity = 0;  ///< rows besides row 0
  Array<Real*> mass[2];        ///< probability of each cell before and after a step
  Links links;                 ///< row of the lower (2i) and upper (2i+1) neighbour along axis i, or kNone
  Fluxes flux;                 ///< through the upper face along each axis; empty where fluxes are not stored
  Array<std::uint8_t*> grown;  ///< the cell has inserted its neighbours since it became active
  Directory directory;

  /// Scratch of the prune: the rows to keep, where each row goes, which cells are fed, and the flags of the kept rows.
  Array<std::uint32_t*> kept, remap;
  Array<std::uint8_t*> fed, spare_grown;

  Array<std::uint64_t*> key() const { return word[role]; }

  /// Transversely half-stepped mass Q of each cell.
  Array<double*> half_step() const { return Array<double*>(reinterpret_cast<double*>(word[role ^ 1].data()), capacity + 1); }

  /// The prune writes new keys where the half step was, which is free between steps; then the memories change roles.
  Array<std::uint64_t*> spare_key() const { return word[role ^ 1]; }
  void swap_roles(const ExecSpace& exec) {
    role ^= 1;
    std::swap(grown, spare_grown);
    clear_row_zero(exec);
  }

  /// Bytes that `n` rows take.
  std::uint64_t bytes(std::uint64_t n) const {
    const std::uint64_t row = 8 + 2 * sizeof(Real) + 8 + 8 * D + (stores_fluxes ? sizeof(Real) * D : 0) + 1 + kPruneScratch;
    return n * row + directory_slots(n) * Directory::kBytes;
  }

  /// Gives room for `n` rows and keeps the first `used`. Throws Error (resource) and changes nothing when the memory is not there.
  void reserve(const ExecSpace& exec, std::uint64_t n, std::uint32_t used, std::uint64_t memory_limit);

  /// Enters the first `used` keys into an emptied directory, enlarging it when an insertion fails.
  void rebuild_directory(const ExecSpace& exec, std::uint32_t used);

  /// Makes row 0 the cell that does not exist, in every array.
  void clear_row_zero(const ExecSpace& exec) const;

  static constexpr std::uint64_t kPruneScratch = 10;

  Array<std::uint64_t*> word[2];  // one holds keys, the other half steps, which are as large
  unsigned role = 0;

  /// Two thirds full, searches are short; on a GPU, where few cells wait for single searches, a quarter.
  static std::uint64_t directory_slots(std::uint64_t n) {
    const bool roomy = compat::is_gpu_v<ExecSpace> && n < (std::uint64_t(1) << 19);
    return std::min<std::uint64_t>((roomy ? 4 * n : n + n / 2) + 64, Directory::kInvalid - 1);
  }
};

template <int D, class ExecSpace, class Real>
struct ClearRowZero {
  using CellArrays = Cells<D, ExecSpace, Real>;
  typename CellArrays::template Array<Real*> mass, next;
  typename CellArrays::template Array<double*> half_step;
  typename CellArrays::Fluxes flux;
  typename CellArrays::Links links;

  KOKKOS_INLINE_FUNCTION void operator()(int) const {
    mass(0) = next(0) = 0;
    half_step(0) = 0;
    for (int i = 0; i < D && flux.extent(0) > 0; ++i) flux(0, i) = 0;
    for (int d = 0; d < 2 * D; ++d) links(0, d) = kNone;
  }
};

template <class Directory, class Keys>
struct InsertKeys {
  Directory directory;
  Keys key;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i, int& failed) const {
    const auto place = directory.insert(key(i + 1));
    if (place.slot != Directory::kInvalid) directory.value(place.slot) = i + 1;
    failed += place.slot == Directory::kInvalid ? 1 : 0;
  }
};

/// A copy of `old` with `capacity` rows besides row 0; the first `used` rows are kept.
template <class ExecSpace, class View>
View enlarged(const ExecSpace& exec, const View& old, std::uint64_t capacity, std::uint32_t used) {
  const View larger(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::gbees::cells"), capacity + 1);
  if (used > 0) {
    const auto rows = std::make_pair(std::size_t(1), std::size_t(used) + 1);
    if constexpr (View::rank == 1) {
      Kokkos::deep_copy(exec, Kokkos::subview(larger, rows), Kokkos::subview(old, rows));
    } else {
      Kokkos::deep_copy(exec, Kokkos::subview(larger, rows, Kokkos::ALL), Kokkos::subview(old, rows, Kokkos::ALL));
    }
  }
  exec.fence();
  return larger;
}

template <int D, class ExecSpace, class Real>
void Cells<D, ExecSpace, Real>::clear_row_zero(const ExecSpace& exec) const {
  Kokkos::parallel_for("tessera::gbees::clear_row_zero", Kokkos::RangePolicy<ExecSpace>(exec, 0, 1),
                       ClearRowZero<D, ExecSpace, Real>{mass[0], mass[1], half_step(), flux, links});
}

template <int D, class ExecSpace, class Real>
void Cells<D, ExecSpace, Real>::reserve(const ExecSpace& exec, std::uint64_t n, std::uint32_t used, std::uint64_t memory_limit) {
  const std::uint64_t wanted = bytes(n);
  const std::uint64_t free = available_memory(backend_of<ExecSpace>());  // besides the present arrays, which live until the copy is whole
  const std::string need = "the grid needs " + logging::bytes(wanted) + " for " + std::to_string(n) + " cells";
  const std::string remedy = "raise grid.threshold or grid.spacing, use a device with more memory, or continue later from the restart file";
  if (n > kMaxCells) throw Error(ErrorKind::resource, need + ", more cells than can be numbered", remedy);
  if (memory_limit != 0 && wanted > memory_limit) {
    throw Error(ErrorKind::resource, need + ", above run.memory_limit (" + logging::bytes(memory_limit) + ")",
                "raise run.memory_limit (a run that has begun can be continued), or grid.threshold or grid.spacing");
  }
  if (wanted > free - free / 16) {
    throw Error(ErrorKind::resource, need + ", and only " + logging::bytes(free) + " are free", remedy);
  }
  try {
    Cells larger;
    larger.stores_fluxes = stores_fluxes;
    larger.word[0] = enlarged(exec, word[role], n, used);
    larger.links = enlarged(exec, links, n, used);
    larger.mass[0] = enlarged(exec, mass[0], n, used);
    larger.mass[1] = enlarged(exec, mass[1], n, used);
    larger.word[1] = enlarged(exec, word[role ^ 1], n, 0);
    if (stores_fluxes) larger.flux = enlarged(exec, flux, n, 0);
    const auto scratch = [&](const char* label) { return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)); };
    larger.grown = Array<std::uint8_t*>(Kokkos::view_alloc(exec, "tessera::gbees::grown"), n + 1);
    larger.spare_grown = Array<std::uint8_t*>(scratch("tessera::gbees::grown"), n + 1);
    larger.fed = Array<std::uint8_t*>(scratch("tessera::gbees::fed"), n + 1);
    larger.kept = Array<std::uint32_t*>(scratch("tessera::gbees::kept"), n);
    larger.remap = Array<std::uint32_t*>(Kokkos::view_alloc(exec, "tessera::gbees::remap"), n + 1);  // row 0 goes to row 0
    larger.capacity = static_cast<std::uint32_t>(n);
    larger.clear_row_zero(exec);
    larger.rebuild_directory(exec, used);
    *this = larger;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& failure) {  // Kokkos reports an allocation that fails in several types
    throw Error(ErrorKind::resource, need + ", and the allocation failed: " + std::string(failure.what()).substr(0, 200), remedy);
  }
}

template <int D, class ExecSpace, class Real>
void Cells<D, ExecSpace, Real>::rebuild_directory(const ExecSpace& exec, std::uint32_t used) {
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>;
  std::uint64_t slots = directory_slots(capacity);
  while (true) {
    if (directory.slots() < slots) {
      directory = Directory();  // frees its memory first
      directory = Directory(exec, static_cast<std::uint32_t>(slots));
    } else {
      directory.clear(exec);
    }
    int failed = 0;
    Kokkos::parallel_reduce("tessera::gbees::rebuild_directory", Range(exec, 0, used),
                            InsertKeys<Directory, Array<std::uint64_t*>>{directory, key()}, failed);
    if (failed == 0) return;
    slots = directory_slots(directory.slots());
  }
}

}  // namespace tessera::gbees::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/backend.hpp"
#include "tessera/core/device/flat_map.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/device/unordered_map.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/progress.hpp"
#include "tessera/gbees/grid/cell_hash.hpp"
#include "tessera/gbees/grid/grid.hpp"
#include "tessera/gbees/grid/grid_options.hpp"

namespace tessera::gbees::detail {

/// "No cell there": row 0 stands for all cells that do not exist. It holds no mass and links to
/// itself, so that kernels can read a missing neighbour like any other.
inline constexpr std::uint32_t kNone = 0;

/// More rows than this cannot be numbered.
inline constexpr std::uint64_t kMaxCells = 0xfffffff0u;

/// The backend that an execution space stands for.
template <class ExecSpace>
inline constexpr Backend kBackend = compat::is_gpu_v<ExecSpace> ? Backend::cuda : Backend::serial;
#ifdef KOKKOS_ENABLE_OPENMP
template <>
inline constexpr Backend kBackend<Kokkos::OpenMP> = Backend::openmp;
#endif

/// The memory of one array as another type, for a phase that has no use for what it holds.
template <class T, class View>
auto lend(const View& memory, std::size_t first, std::size_t count) {
  using Lent = Kokkos::View<T*, typename View::device_type, Kokkos::MemoryUnmanaged>;
  return Lent(reinterpret_cast<T*>(memory.data()) + first, count);
}

/// The cells of the grid: one row each of several arrays, linked to their 2D face neighbours, and a
/// directory from key to row. Rows 1 to n hold cells, in any order. Real, double or float, is the
/// type that masses and fluxes are stored in.
///
/// Memory map: what each array holds, with r the size of a Real. A dash: nothing that is needed.
///
/// | array           | bytes a row | between steps | growth          | half step to update  | prune                                  |
/// |-----------------|-------------|---------------|-----------------|----------------------|----------------------------------------|
/// | word[role]      | 8           | keys          | keys            | keys                 | old keys                               |
/// | word[role ^ 1]  | 8           | -             | -               | Q, or what is lost   | sort keys, twice 4; then new keys      |
/// | mass[parity]    | r           | masses        | masses          | masses               | old masses; then lent to columns that  |
/// |                 |             |               |                 |                      | move, if the fluxes are not stored     |
/// | mass[parity ^ 1]| r           | -             | -               | edge flux; new masses| new masses                             |
/// | links           | 8 D         | links         | links           | links                | links                                  |
/// | flux            | r D, stored | -             | -               | fluxes               | lent to columns that move              |
/// | grown           | 1           | flags         | flags           | flags                | old flags                              |
/// | spare_grown     | 1           | -             | -               | marks (LimitBackflow)| new flags                              |
/// | receives_flux   | 1           | -             | -               | -                    | flags                                  |
/// | kept            | 4           | -             | growing cells   | -                    | rows to keep                           |
/// | remap           | 4           | -             | their directions| -                    | sort's second rows; then new rows      |
/// | directory       | 29.4 or 18  | key -> row    | key -> row      | key -> row           | made again                              |
///
/// An update by an observation keeps the terms of its likelihood in what is free between steps
/// (free_columns).
///
/// After a prune word[0] and word[1] change roles, and so do grown and spare_grown. Growing cells
/// and their directions are listed where phases are launched one by one. The directory takes 29.4
/// bytes as an UnorderedMap, 18 as a FlatMap (48 below 2^19 rows on a GPU), unless slots_per_cell
/// says otherwise: a slot has 20.1 and 12 bytes. With a KeyWord of 128 bits a word has 16 bytes,
/// and the directory is an UnorderedMap of 41 bytes.
template <int D, class ExecSpace, class Real, class KeyWord = std::uint64_t>
struct Cells {
  static constexpr bool is_wide = sizeof(KeyWord) > sizeof(std::uint64_t);
  using Memory = typename ExecSpace::memory_space;
  using Device = Kokkos::Device<ExecSpace, Memory>;
  using Flat = FlatMap<Device>;
  using Map = UnorderedMap<Device, CellHash<D, 3, KeyWord>, KeyWord>;
  template <class T>
  using Array = Kokkos::View<T, Device>;
  using Links = Kokkos::View<std::uint32_t * [2 * D], Kokkos::LayoutLeft, Device>;
  using Fluxes = Kokkos::View<Real* [D], Kokkos::LayoutLeft, Device>;

  bool stores_fluxes = true;
  std::uint32_t capacity = 0;  ///< rows besides row 0
  Array<Real*> mass[2];        ///< probability of each cell before and after a step
  /// Row of the lower (2i) and upper (2i+1) neighbour along axis i, or kNone
  Links links;
  /// Through the upper face along each axis; empty where fluxes are not stored
  Fluxes flux;
  Array<std::uint8_t*> grown;  ///< the cell has inserted its neighbours since it became active

  /// Scratch of the prune: the rows to keep, where each row goes, which cells receive flux, and the
  /// flags of the kept rows.
  Array<std::uint32_t*> kept, remap;
  Array<std::uint8_t*> receives_flux, spare_grown;

  Array<KeyWord*> key() const { return word[role]; }

  /// Half-stepped mass Q of each cell; or, where fluxes are stored, what leaves the grid from it.
  Array<double*> half_step() const {
    return lend<double>(word[role ^ 1], 0, std::size_t(capacity) + 1);
  }

  /// Keys that a prune sorts rows by, 32 bits at a time, and as much scratch memory for the sort.
  auto sort_keys(std::uint32_t count) const {
    return lend<std::uint32_t>(word[role ^ 1], 0, count);
  }
  auto sort_scratch(std::uint32_t count) const {
    return lend<std::uint32_t>(word[role ^ 1], capacity, count);
  }

  /// The keys after a prune.
  Array<KeyWord*> spare_key() const { return word[role ^ 1]; }
  void swap_roles(const ExecSpace& exec) {
    role ^= 1;
    std::swap(grown, spare_grown);
    clear_row_zero(exec);
  }

  /// Memory for numbers of each row, one array a number, that is free between steps until a prune,
  /// where mass[parity] holds the masses.
  std::vector<double*> free_columns(std::uint32_t parity) const {
    const std::size_t rows = std::size_t(capacity) + 1,
                      in_fluxes = flux.span() * sizeof(Real) / (rows * sizeof(double));
    std::vector<double*> columns{half_step().data()};
    if constexpr (std::is_same_v<Real, double>) columns.push_back(mass[parity ^ 1].data());
    for (std::size_t i = 0; i < in_fluxes; ++i)
      columns.push_back(lend<double>(flux, i * rows, rows).data());
    return columns;
  }

  /// Calls f with the directory in use.
  template <class F>
  auto with_directory(F&& f) const {
    if constexpr (is_wide) {
      return f(*map);
    } else {
      return directory_kind == DirectoryKind::unordered_map ? f(*map) : f(*flat);
    }
  }
  template <class F>
  auto with_directory(F&& f) {
    if constexpr (is_wide) {
      return f(*map);
    } else {
      return directory_kind == DirectoryKind::unordered_map ? f(*map) : f(*flat);
    }
  }

  /// Calls f with the directory that ranks use which share the cells: always the same kind, for one
  /// is less to compile.
  static constexpr DirectoryKind kSharedKind =
      compat::is_gpu_v<ExecSpace> ? DirectoryKind::unordered_map : DirectoryKind::flat_map;
  template <class F>
  auto with_shared_directory(F&& f) {
    if constexpr (kSharedKind == DirectoryKind::unordered_map) {
      return f(*map);
    } else {
      return f(*flat);
    }
  }

  /// Changes to another kind of directory, which then holds the first `used` rows.
  void use_directory(const ExecSpace& exec, DirectoryKind kind, std::uint32_t used) {
    if (directory_kind == kind) return;
    directory_kind = kind;
    flat.reset();
    map.reset();
    if (capacity > 0) rebuild_directory(exec, used);
  }

  /// Bytes that `n` rows take.
  std::uint64_t bytes(std::uint64_t n) const {
    const std::uint64_t row = 2 * sizeof(KeyWord) + 2 * sizeof(Real) + 8 * D +
                              (stores_fluxes ? sizeof(Real) * D : 0) + 1 + kPruneScratch;
    return n * row + (directory_kind == DirectoryKind::unordered_map
                          ? Map::bytes(n, slots_per_cell)
                          : Flat::bytes(n, slots_per_cell));
  }

  /// Gives room for `n` rows and keeps the first `used`. Throws Error (resource) and changes
  /// nothing when the memory is not there.
  void reserve(const ExecSpace& exec, std::uint64_t n, std::uint32_t used,
               std::uint64_t memory_limit);

  /// Enters the first `used` keys into an emptied directory, enlarging it when an insertion fails.
  void rebuild_directory(const ExecSpace& exec, std::uint32_t used);

  /// Makes row 0 the cell that does not exist, in every array.
  void clear_row_zero(const ExecSpace& exec) const;

  static constexpr std::uint64_t kPruneScratch = 10;

  Array<KeyWord*> word[2];  ///< one holds keys, the other half steps, which are no larger
  unsigned role = 0;
  DirectoryKind directory_kind = DirectoryKind::flat_map;  ///< never automatic
  double slots_per_cell = 0;  ///< of the directory, for each row; 0: by itself
  std::optional<Flat> flat;   ///< one of the two
  std::optional<Map> map;

 private:
  template <class Chosen>
  void fill(const ExecSpace& exec, std::optional<Chosen>& directory, std::uint32_t used);
};

template <class CellArrays, int D, class Real>
struct ClearRowZero {
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
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    directory.insert_new(key(i + 1), i + 1);
  }
};

/// A copy of `old` with `capacity` rows besides row 0; the first `used` rows are kept. Its label
/// tells it from others in profiles.
template <class ExecSpace, class View>
View enlarged(const ExecSpace& exec, const char* label, const View& old, std::uint64_t capacity,
              std::uint32_t used) {
  const View larger = allocate<View>(exec, label, capacity + 1);
  // A list has one column too.
  for (std::size_t column = 0; used > 0 && column < larger.extent(1); ++column) {
    copy(exec, larger.data() + column * larger.extent(0) + 1,
         old.data() + column * old.extent(0) + 1, used);
  }
  exec.fence();
  return larger;
}

template <int D, class ExecSpace, class Real, class KeyWord>
void Cells<D, ExecSpace, Real, KeyWord>::clear_row_zero(const ExecSpace& exec) const {
  Kokkos::parallel_for("tessera::gbees::clear_row_zero", Kokkos::RangePolicy<ExecSpace>(exec, 0, 1),
                       ClearRowZero<Cells, D, Real>{mass[0], mass[1], half_step(), flux, links});
}

template <int D, class ExecSpace, class Real, class KeyWord>
void Cells<D, ExecSpace, Real, KeyWord>::reserve(const ExecSpace& exec, std::uint64_t n,
                                                 std::uint32_t used, std::uint64_t memory_limit) {
  const std::uint64_t wanted = bytes(n);
  // besides the present arrays, which live until the copy is whole
  const std::uint64_t free = available_memory(kBackend<ExecSpace>);
  const std::string need =
      "the grid needs " + logging::bytes(wanted) + " for " + std::to_string(n) + " cells";
  const std::string remedy =
      "raise grid.threshold or grid.spacing, use a device with more memory, or continue later from "
      "the restart file";
  if (n > kMaxCells)
    throw Error(ErrorKind::resource, need + ", more cells than can be numbered", remedy);
  if (memory_limit != 0 && wanted > memory_limit) {
    throw Error(ErrorKind::resource,
                need + ", above run.memory_limit (" + logging::bytes(memory_limit) + ")",
                "raise run.memory_limit (a run that has begun can be continued), or grid.threshold "
                "or grid.spacing");
  }
  if (wanted > free - free / 16) {
    throw Error(ErrorKind::resource, need + ", and only " + logging::bytes(free) + " are free",
                remedy);
  }
  try {
    Cells larger;
    larger.stores_fluxes = stores_fluxes;
    larger.directory_kind = directory_kind;
    larger.slots_per_cell = slots_per_cell;
    larger.word[0] = enlarged(exec, "tessera::gbees::keys", word[role], n, used);
    larger.links = enlarged(exec, "tessera::gbees::links", links, n, used);
    larger.mass[0] = enlarged(exec, "tessera::gbees::mass", mass[0], n, used);
    larger.mass[1] = enlarged(exec, "tessera::gbees::mass_before", mass[1], n, used);
    larger.word[1] = enlarged(exec, "tessera::gbees::spare_keys", word[role ^ 1], n, 0);
    if (stores_fluxes) larger.flux = enlarged(exec, "tessera::gbees::flux", flux, n, 0);
    using Flags = Array<std::uint8_t*>;
    using Rows = Array<std::uint32_t*>;
    larger.grown = allocate_zeros<Flags>(exec, "tessera::gbees::grown", n + 1);
    larger.spare_grown = allocate<Flags>(exec, "tessera::gbees::spare_grown", n + 1);
    larger.receives_flux = allocate<Flags>(exec, "tessera::gbees::receives_flux", n + 1);
    larger.kept = allocate<Rows>(exec, "tessera::gbees::kept", n);
    // row 0 goes to row 0
    larger.remap = allocate_zeros<Rows>(exec, "tessera::gbees::remap", n + 1);
    larger.capacity = static_cast<std::uint32_t>(n);
    larger.clear_row_zero(exec);
    larger.rebuild_directory(exec, used);
    *this = larger;
  } catch (const Error&) {
    throw;
  } catch (
      const std::exception& failure) {  // Kokkos reports an allocation that fails in several types
    throw Error(ErrorKind::resource,
                need + ", and the allocation failed: " + std::string(failure.what()).substr(0, 200),
                remedy);
  }
}

template <int D, class ExecSpace, class Real, class KeyWord>
void Cells<D, ExecSpace, Real, KeyWord>::rebuild_directory(const ExecSpace& exec,
                                                           std::uint32_t used) {
  if constexpr (is_wide) {
    fill(exec, map, used);
  } else if (directory_kind == DirectoryKind::unordered_map) {
    fill(exec, map, used);
  } else {
    fill(exec, flat, used);
  }
}

template <int D, class ExecSpace, class Real, class KeyWord>
template <class Chosen>
void Cells<D, ExecSpace, Real, KeyWord>::fill(const ExecSpace& exec,
                                              std::optional<Chosen>& directory,
                                              std::uint32_t used) {
  static_assert(Directory<Chosen, ExecSpace>);
  if (!directory) {
    directory.emplace(exec, capacity, slots_per_cell);
  } else if (directory->room() < capacity) {
    directory->reserve(exec, capacity);
  } else {
    directory->clear(exec);
  }
  while (true) {
    Kokkos::parallel_for(
        "tessera::gbees::rebuild_directory",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>(exec, 0, used),
        InsertKeys<Chosen, Array<KeyWord*>>{*directory, key()});
    if (!directory->failed(exec)) return;
    directory->reserve(exec, directory->room() + directory->room() / 2);
  }
}

}  // namespace tessera::gbees::detail

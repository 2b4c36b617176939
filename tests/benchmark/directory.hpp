// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <utility>

#include "tessera/core/device/flat_map.hpp"
#include "tessera/core/device/unordered_map.hpp"
#include "tessera/gbees/grid/cell_hash.hpp"
#include "tests/benchmark/cases.hpp"
#include "tests/benchmark/timer.hpp"

/// The containers that map keys of cells to rows, with the keys of a block of a 6-D grid as a prune
/// leaves them: in the order of a space-filling curve. Rates are keys a second.

namespace tessera::bench {

using DirectoryKey = gbees::CellKey<6>;

/// Cell i of the block of 2^(6 bits) cells along the curve: bit p of i is bit p / 6 of the index
/// along axis 5 - p % 6.
KOKKOS_INLINE_FUNCTION std::uint64_t block_key(std::uint64_t i) {
  std::uint64_t key = DirectoryKey::field(0, 0);
  for (int axis = 1; axis < 6; ++axis) key |= DirectoryKey::field(0, axis);
  for (int p = 0; i >> p != 0; ++p) key += (i >> p & 1) << (DirectoryKey::shift(5 - p % 6) + p / 6);
  return key;
}

/// Every key of the block, as when a prune fills an empty directory.
template <class Map>
struct FillDirectory {
  Map map;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    map.insert_new(block_key(i), i + 1);
  }
};

/// The neighbours above along axis 0 of every 32nd cell, most of them new, as when cells grow.
template <class Map>
struct GrowDirectory {
  Map map;
  std::uint32_t keys;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    const auto result = map.insert(block_key(32 * std::uint64_t(i)) + DirectoryKey::unit(0) * 64);
    if (result.inserted) map.value_at(result.index) = keys + i;
  }
};

/// The neighbours of a cell along an axis: there, or with `miss` not there.
template <class Map, bool miss>
struct FindInDirectory {
  Map map;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i, std::uint64_t& sum) const {
    const std::uint64_t neighbour =
        miss ? block_key(i) + DirectoryKey::unit(3) * 256 : block_key(i ^ (1u << (6 + i % 6)));
    sum += map.find(neighbour, 0);
  }
};

enum class DirectoryWork { insert, find, miss, rebuild };

template <class ExecSpace, class Map, DirectoryWork work>
void run_directory(benchmark::State& state, double slots) {
  const ExecSpace exec;
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>;
  const std::uint32_t keys = compat::is_gpu_v<ExecSpace> ? 1u << 24 : 1u << 18;
  Map map(exec, keys + keys / 16, slots);
  const auto fill = [&] {
    Kokkos::parallel_for("tessera::bench::fill_directory", Range(exec, 0, keys),
                         FillDirectory<Map>{map});
  };
  fill();
  exec.fence();
  const Kokkos::View<std::uint64_t, typename ExecSpace::memory_space> sum("tessera::bench::sum");
  std::uint32_t items = keys;
  for (auto _ : state) {
    if constexpr (work == DirectoryWork::insert) {
      items = keys / 32;
      map.clear(exec);
      fill();
    }
    state.SetIterationTime(seconds(exec, [&] {
      if constexpr (work == DirectoryWork::rebuild) {
        map.clear(exec);
        fill();
      } else if constexpr (work == DirectoryWork::insert) {
        Kokkos::parallel_for("tessera::bench::grow_directory", Range(exec, 0, items),
                             GrowDirectory<Map>{map, keys});
      } else {
        Kokkos::parallel_reduce("tessera::bench::find_in_directory", Range(exec, 0, items),
                                FindInDirectory<Map, work == DirectoryWork::miss>{map},
                                Kokkos::Sum<std::uint64_t, typename ExecSpace::memory_space>(sum));
      }
    }));
  }
  if (map.failed(exec)) state.SkipWithError("an insertion failed");
  state.counters["keys/s"] =
      benchmark::Counter(items, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["B/key"] =
      static_cast<double>(Map::bytes(map.room(), slots)) / static_cast<double>(map.room());
}

/// The container as gbees has it, or with `slots` slots for each key, `ratio` in the name.
template <class ExecSpace, class Map>
void add_directory(const std::string& container, const std::string& backend, double slots = 0,
                   const std::string& ratio = {}) {
  const auto add = [&](const std::string& work, void (*run)(benchmark::State&, double)) {
    benchmark::RegisterBenchmark(
        ("directory/" + work + "/" + container + "/" + ratio + backend).c_str(),
        [run, slots](benchmark::State& state) { run(state, slots); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  };
  add("insert", run_directory<ExecSpace, Map, DirectoryWork::insert>);
  add("find", run_directory<ExecSpace, Map, DirectoryWork::find>);
  add("miss", run_directory<ExecSpace, Map, DirectoryWork::miss>);
  add("rebuild", run_directory<ExecSpace, Map, DirectoryWork::rebuild>);
}

template <class ExecSpace>
void register_directory(const std::string& backend) {
  using Device = typename ExecSpace::device_type;
  add_directory<ExecSpace, FlatMap<Device>>("flat_map", backend);
  add_directory<ExecSpace, UnorderedMap<Device, gbees::detail::CellHash<6>>>("unordered_map",
                                                                             backend);
  // This hash has no locality.
  add_directory<ExecSpace, UnorderedMap<Device, gbees::detail::CellHash<6, 0>>>(
      "unordered_map_scattered", backend);
  for (const auto& [slots, ratio] : {std::pair{1.2, "1.2/"}, std::pair{1.5, "1.5/"},
                                     std::pair{2.0, "2/"}, std::pair{4.0, "4/"}}) {
    add_directory<ExecSpace, FlatMap<Device>>("flat_map", backend, slots, ratio);
    add_directory<ExecSpace, UnorderedMap<Device, gbees::detail::CellHash<6>>>(
        "unordered_map", backend, slots, ratio);
  }
}

}  // namespace tessera::bench

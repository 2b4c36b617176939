// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/gbees/grid/density.hpp"

/// The contents of restart files that hold a density: the state of its stepping, the window of its
/// grid, and its cells.

namespace tessera::gbees {

/// Hands the clock and the counters of a run to visit(name, member), for restart files.
template <class State, class Visit>
void visit_stepper_state(State& state, const Visit& visit) {
  visit("time", state.time);
  visit("interval_time", state.interval_time);
  visit("interval_length", state.interval);
  visit("longest_step", state.longest_step);
  visit("planned_step", state.planned_step);
  visit("scale", state.scale);
  visit("mass", state.mass);
  visit("lost_mass", state.lost_mass);
  visit("invariant_low", state.invariant_low);
  visit("invariant_high", state.invariant_high);
  visit("steps", state.steps);
  visit("cell_steps", state.cell_steps);
  visit("segment_steps", state.segment_steps);
  visit("max_cells", state.max_cells);
}

/// Keys in restart files: those of 128 bits in two columns, the upper half first.
template <class Word>
void save_keys(const io::Group& group, const char* name, const std::vector<Word>& keys) {
  const io::Attributes plain;
  if constexpr (std::is_same_v<Word, std::uint64_t>) {
    group.write(name, keys, plain);
  } else {
    std::vector<std::uint64_t> halves;
    for (const Word key : keys) {
      halves.push_back(static_cast<std::uint64_t>(key >> 64));
      halves.push_back(static_cast<std::uint64_t>(key));
    }
    group.write(name, halves, io::Shape{keys.size(), 2}, plain);
  }
}

template <class Word>
std::vector<Word> load_keys(const io::Group& group, const char* name) {
  if constexpr (std::is_same_v<Word, std::uint64_t>) {
    return group.read<std::uint64_t>(name);
  } else {
    const auto halves = group.read<std::uint64_t>(name, {group.shape(name).at(0), 2});
    std::vector<Word> keys;
    for (std::size_t c = 0; c < halves.size(); c += 2)
      keys.push_back(static_cast<Word>(halves[c]) << 64 | halves[c + 1]);
    return keys;
  }
}

/// Saves the place of the window of a grid to a restart file, which says nothing of a window that
/// has never moved.
template <int D>
void save_offset(const io::Group& group, const char* name, const Vector<D>& offset) {
  if (std::any_of(offset.v, offset.v + D, [](double n) { return n != 0; })) {
    group.write(name, offset.v, io::Shape{D},
                io::Attributes{"1", "cell of the grid that index 0 of a key stands for"});
  }
}

template <int D>
Vector<D> load_offset(const io::Group& group, const char* name) {
  Vector<D> offset{};
  if (!group.has(name)) return offset;
  const auto values = group.read<double>(name, {D});
  for (int i = 0; i < D; ++i) {
    offset[i] = values[static_cast<std::size_t>(i)];
    if (!(std::fabs(offset[i]) < 0x1p53) || offset[i] != std::floor(offset[i]))
      throw group.misfit(name, "holds a number that is not the index of a cell");
  }
  return offset;
}

/// Saves a density whose cells, of all ranks, are given.
template <int D, class Word>
void save_density(const io::Group& group, const Density<D, Word>& density,
                  const CellListOf<Word>& cells) {
  visit_stepper_state(density.state(), [&](const char* name, const auto& member) {
    group.set_attribute(name, member);
  });
  save_offset(group, "offset", density.grid().offset);
  save_keys(group, "key", cells.key);
  group.write("mass", cells.probability, io::Attributes());
}

/// Restores a density from what save_density has saved.
template <int D, class Word>
void load_density(const io::Group& group, Density<D, Word>& density) {
  StepperState state;
  visit_stepper_state(
      state, [&]<class T>(const char* name, T& member) { member = group.attribute<T>(name); });
  CellListOf<Word> cells{load_keys<Word>(group, "key"), {}};
  cells.probability = group.read<double>("mass", {cells.key.size()});
  if (cells.key.empty() || cells.key.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw group.misfit("key", "holds " + std::to_string(cells.key.size()) + " cells");
  }
  density.restore(cells, state, load_offset<D>(group, "offset"));
}

}  // namespace tessera::gbees

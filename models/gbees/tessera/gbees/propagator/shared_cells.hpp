// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gbees/grid/density.hpp"

/// Cells of several ranks brought to where they can be compared, so that no rank needs memory for
/// all of them.

namespace tessera::gbees {

/// The part of a cell that one rank has.
template <class Value>
struct CellEntry {
  std::uint64_t key;
  Value value;
};

/// Brings the entries of each cell to one rank, told by the cell's key, and adds them up there: in
/// ascending order, so that the sums do not depend on which rank has had which entry. Keys
/// ascending.
template <class Value>
std::vector<CellEntry<Value>> bring_together(const parallel::Communicator& ranks,
                                             std::vector<CellEntry<Value>> entries) {
  if (ranks.size() > 1) {
    std::vector<std::vector<CellEntry<Value>>> lists(static_cast<std::size_t>(ranks.size()));
    for (const CellEntry<Value>& entry : entries) {
      constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;  // neighbours go to different ranks
      lists[(entry.key * kSpread >> 32) % lists.size()].push_back(entry);
    }
    entries.clear();
    for (const auto& list : ranks.all_to_all(lists))
      entries.insert(entries.end(), list.begin(), list.end());
  }
  std::sort(entries.begin(), entries.end(),
            [](const CellEntry<Value>& a, const CellEntry<Value>& b) {
              return a.key != b.key ? a.key < b.key : a.value < b.value;
            });
  std::vector<CellEntry<Value>> sums;
  for (const CellEntry<Value>& entry : entries) {
    if (sums.empty() || sums.back().key != entry.key) {
      sums.push_back(entry);
    } else {
      sums.back().value += entry.value;
    }
  }
  return sums;
}

inline CellList cell_list(const std::vector<CellEntry<double>>& entries) {
  CellList list;
  for (const CellEntry<double>& entry : entries) {
    list.key.push_back(entry.key);
    list.probability.push_back(entry.value);
  }
  return list;
}

/// Cells of which no two ranks have the same, each at the rank where bring_together has it.
inline CellList bring_together(const parallel::Communicator& ranks, const CellList& cells) {
  if (ranks.size() == 1) return cells;
  std::vector<CellEntry<double>> entries(cells.key.size());
  for (std::size_t c = 0; c < entries.size(); ++c)
    entries[c] = {cells.key[c], cells.probability[c]};
  return cell_list(bring_together(ranks, std::move(entries)));
}

}  // namespace tessera::gbees

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera {

/// The memory of a sort besides the sorted arrays: two arrays as large, whose contents are lost,
/// and on a GPU a little memory that is kept for the next sort. (Kokkos::Experimental::sort_by_key
/// allocates such memory at each call, which takes longer than to sort some million keys.)
template <class ExecSpace, class Key>
struct SortScratch {
  Key* keys;
  std::uint32_t* values;
  Kokkos::View<char*, typename ExecSpace::memory_space>& more;
};

/// Orders n `values` by `keys` (below 2^bits) ascending, of equal keys as they come; the keys are
/// lost. At most 2^32 - 1 of them. Compiled for keys of 32 and 64 bits. On a CPU a radix sort by
/// the threads of a team, on a GPU the one of CUB.
template <class ExecSpace, class Key>
void sort_by_key(const ExecSpace& exec, Key* keys, std::uint32_t* values, std::size_t n, int bits,
                 const SortScratch<ExecSpace, Key>& scratch);

}  // namespace tessera

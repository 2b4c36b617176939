// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <numeric>

#include "tessera/gbees/propagator/propagator.hpp"
#include "tessera/gbees/step/ranks_runner.hpp"

/// The division of cells among the propagators of several ranks. All ranks call these functions
/// together.

namespace tessera::gbees {

/// A part of cells that all ranks have, for a start.
template <class ExecSpace, class Dynamics, class Real>
auto Propagator<ExecSpace, Dynamics, Real>::any_part(const List& all) const -> List {
  const parallel::Range part = ranks().share(static_cast<std::int64_t>(all.key.size()));
  return {{all.key.begin() + part.begin, all.key.begin() + part.end},
          {all.probability.begin() + part.begin, all.probability.begin() + part.end}};
}

/// The cells that belong to this rank, of cells that each rank has some of, in any order. The
/// ranks' parts are ranges of positions along the curve with as many cells each; where they begin
/// is found bit by bit.
template <class ExecSpace, class Dynamics, class Real>
auto Propagator<ExecSpace, Dynamics, Real>::own_part(List cells) -> List {
  if constexpr (is_wide) {  // one rank has them all
    return cells;
  } else {
    if (!m_halo.is_divided()) return cells;
    const auto position = [](std::uint64_t key) {
      return detail::curve_position<D, compat::is_gpu_v<ExecSpace>>(key);
    };
    std::vector<std::uint64_t> positions;
    for (const std::uint64_t key : cells.key) positions.push_back(position(key));
    std::sort(positions.begin(), positions.end());
    const auto count = ranks().sum(static_cast<std::int64_t>(positions.size()));
    std::vector<std::uint64_t> begin(static_cast<std::size_t>(ranks().size()), 0);
    for (int bit = 63; bit >= 0; --bit) {
      std::vector<std::uint64_t> below;  // cells before the position with this bit
      for (const std::uint64_t known : begin) {
        const auto end =
            std::lower_bound(positions.begin(), positions.end(), known | std::uint64_t(1) << bit);
        below.push_back(static_cast<std::uint64_t>(end - positions.begin()));
      }
      ranks().sum(below);
      for (std::size_t r = 1; r < begin.size(); ++r) {
        const auto wanted =
            static_cast<std::uint64_t>(ranks().share_of(static_cast<int>(r), count).begin);
        if (below[r] <= wanted) begin[r] |= std::uint64_t(1) << bit;
      }
    }
    m_halo.set_ranges(begin);

    std::vector<std::vector<std::uint64_t>> keys(begin.size());
    std::vector<std::vector<double>> probabilities(begin.size());
    for (std::size_t c = 0; c < cells.key.size(); ++c) {
      const auto owner = static_cast<std::size_t>(m_halo.owner(cells.key[c]));
      keys[owner].push_back(cells.key[c]);
      probabilities[owner].push_back(cells.probability[c]);
    }
    List own;
    for (const auto& list : ranks().all_to_all(keys))
      own.key.insert(own.key.end(), list.begin(), list.end());
    for (const auto& list : ranks().all_to_all(probabilities))
      own.probability.insert(own.probability.end(), list.begin(), list.end());
    return List::sorted(own.key, own.probability);
  }
}

/// Puts cells into rows in the place of those that are there; they are linked later. Without memory
/// for them nothing changes.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::use_part(const List& cells, std::uint32_t parity) {
  const auto n = static_cast<std::uint32_t>(cells.key.size());
  m_halo.forget_ghosts();
  ranks().together([&] {
    m_cells.use_directory(m_exec, directory_for(n), m_state.cells);
    if (n >= m_cells.capacity) reserve(std::uint64_t(n) + n / 2 + 4096, m_state.cells);
  });
  upload(cells, parity);
  m_state.allocated = n;
}

/// Links the rows that cells have been put into.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::link_all_rows() {
  m_state.cells = 0;
  store_state();
  m_state.cells = m_state.allocated;  // what there is to save should memory be lacking
  m_state.cfl_time = with_scheme([&](auto scheme) { return link_new_rows<scheme()>(0); });
  m_state.packed = m_state.cells;
}

/// Makes up to so many steps, which all ranks make together.
template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::share_steps(int steps) {
  const auto start = std::chrono::steady_clock::now();
  auto count = static_cast<int>(m_pace.next(steps));
  ranks().broadcast(&count, 1);
  m_cells.with_shared_directory([&](auto& directory) {
    const auto phases = step_phases<scheme>(directory);
    detail::RanksRunner run(m_exec, context<scheme>(), m_state, m_cells, directory, m_sort_memory,
                            m_halo, m_step_memory.data());
    for (int i = 0; i < count && run.goes_on(); ++i) {
      detail::make_step(phases, run);
      if (m_after_step) m_after_step();
    }
  });
  fetch_state();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  m_pace.took(m_state.batch_steps, seconds / 4);
}

/// Makes the ghosts of all cells again, in rows of their own; they are linked later. The first
/// `linked` rows have links, to own cells only.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::make_ghosts(std::uint32_t linked) {
  if constexpr (!is_wide) {  // ranks have keys of 64 bits
    using Rows = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>;
    const std::uint32_t rows = m_state.allocated;
    bool is_full = false, again = false;
    do {
      m_halo.forget_ghosts();
      const Real* const mass = m_cells.mass[m_state.parity].data();
      do {
        Kokkos::parallel_for("tessera::gbees::post_border", Rows(m_exec, 0, rows),
                             detail::PostBorder<AnyContext>{any_context(), mass, linked});
      } while (!m_halo.take_posted());
      const std::uint64_t needed = rows + m_halo.announce_border();
      ranks().together([&] {
        if (is_full || needed > m_cells.capacity) {
          reserve(std::max<std::uint64_t>(needed, m_cells.capacity) * 3 / 2, rows);
        } else if (
            // the ghosts that were made first are in the directory, and come in another order now
            again) {
          m_cells.rebuild_directory(m_exec, rows);
        }
      });
      again = true;
      const auto ghosts = m_halo.add_ghosts(m_cells.capacity);
      is_full = m_cells.with_shared_directory([&](const auto& directory) {
        using Make = detail::MakeGhosts<AnyContext, std::decay_t<decltype(directory)>>;
        Kokkos::parallel_for("tessera::gbees::make_ghosts", Rows(m_exec, 0, ghosts.count),
                             Make{any_context(), directory, ghosts.cell,
                                  m_cells.mass[m_state.parity].data(), ghosts.top});
        return directory.failed(m_exec);
      });
    } while (ranks().max(is_full) != 0);
    Kokkos::parallel_for("tessera::gbees::forget_no_room",
                         Kokkos::RangePolicy<ExecSpace>(m_exec, 0, 1),
                         detail::SetNoRoom<Array<StepperState>>{m_state_device, false});
    m_exec.fence();
  }
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::link_ghosts() {
  if constexpr (!is_wide) {  // ranks have keys of 64 bits
    using Rows = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>;
    m_cells.with_shared_directory([&](const auto& directory) {
      using Link = detail::LinkGhosts<AnyContext, std::decay_t<decltype(directory)>>;
      Kokkos::parallel_for("tessera::gbees::link_ghosts", Rows(m_exec, 0, 2 * D * m_halo.ghosts()),
                           Link{any_context(), directory, m_cells.capacity, m_halo.ghosts()});
    });
  }
}

/// Ends a prune: the cells that have come from other ranks (m_in_transit) are put behind those that
/// were kept, and all get to know their neighbours on other ranks. Without memory for them they
/// stay in transit, to be saved.
template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::put_in(const std::vector<std::uint64_t>& ranges) {
  using Rows = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>;
  m_halo.set_ranges(ranges);
  m_halo.forget_ghosts();
  const std::uint32_t kept = m_state.cells;
  const auto count = static_cast<std::uint32_t>(m_in_transit.extent(0));
  const std::uint64_t needed = std::uint64_t(kept) + count;
  ranks().together([&] {
    if (needed > m_cells.capacity) reserve(needed + needed / 2, kept);
  });
  m_cells.with_shared_directory([&](const auto& directory) {
    using Put = detail::PutIn<AnyContext, std::decay_t<decltype(directory)>>;
    Kokkos::parallel_for("tessera::gbees::put_in", Rows(m_exec, 0, count),
                         Put{any_context(), directory, m_cells.mass[m_state.parity].data(),
                             m_in_transit.data(), kept + 1});
  });
  const auto agreed = ranks().sum(detail::Agreement{m_state.cfl_time, m_state.bad_key,
                                                    m_state.stop & ~std::uint32_t(kStopNoRoom)});
  m_state.allocated = static_cast<std::uint32_t>(needed);
  m_state.stop = 0;  // or nothing would be linked
  store_state();
  const double shortest = link_new_rows<scheme>(kept);
  m_in_transit = {};  // and not before: ghosts need memory too
  if (!detail::is_time_varying(m_dynamics)) m_state.cfl_time = std::min(agreed.cfl_time, shortest);
  m_state.bad_key = std::min(m_state.bad_key, agreed.bad_key);
  m_state.stop |= agreed.stop;
  store_state();
}

/// All cells at the first rank, and none elsewhere.
template <class ExecSpace, class Dynamics, class Real>
auto Propagator<ExecSpace, Dynamics, Real>::gather(const List& own) const -> List {
  if (!m_halo.is_divided()) return own;
  return List::sorted(ranks().gather(own.key), ranks().gather(own.probability));
}

}  // namespace tessera::gbees

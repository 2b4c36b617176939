// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/core/device/arrays.hpp"
#include "tessera/mpr/linear/multigrid_level.hpp"

/// Sums over the cells of each frame in a fixed order, row by row: the same bits for any number of
/// threads, and for a frame alone or in company.

namespace Kokkos {  // Kokkos finds the start of a sum by this
template <int N>
struct reduction_identity<tessera::mpr::detail::Columns<double, N>> {
  KOKKOS_FORCEINLINE_FUNCTION static tessera::mpr::detail::Columns<double, N> sum() { return {}; }
};
}  // namespace Kokkos

namespace tessera::mpr::detail {

/// N sums that a row of cells contributes to.
template <int N>
using Sums = Columns<double, N>;

template <class ExecSpace, int N, class Term>
struct SumRow {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  MultigridLevel<ExecSpace> level;
  Term term;
  Kokkos::View<Sums<N>*, ExecSpace> row_sum;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const int row = team.league_rank();
    const std::int64_t first = level.site_index(static_cast<std::int64_t>(row) * level.grid.nx);
    Sums<N> sum;
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, level.grid.nx),
          [&](int x, Sums<N>& partial) { term(first + x, partial); }, Kokkos::Sum<Sums<N>>(sum));
    } else {
      for (int x = 0; x < level.grid.nx; ++x) term(first + x, sum);
    }
    Kokkos::single(Kokkos::PerTeam(team), [&]() { row_sum(row) = sum; });
  }
};

/// Adds up the rows of a frame, which has a team.
template <class ExecSpace, int N, class Finish>
struct SumFrame {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  int rows;
  Kokkos::View<const Sums<N>*, ExecSpace> row_sum;
  Finish finish;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const int frame = team.league_rank();
    const std::int64_t first = static_cast<std::int64_t>(frame) * rows;
    Sums<N> sum;
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, rows),
          [&](int row, Sums<N>& partial) { partial += row_sum(first + row); },
          Kokkos::Sum<Sums<N>>(sum));
    } else {
      for (int row = 0; row < rows; ++row) sum += row_sum(first + row);
    }
    Kokkos::single(Kokkos::PerTeam(team), [&]() { finish(frame, sum); });
  }
};

/// Memory for sum_rows.
template <int N, class ExecSpace>
Kokkos::View<Sums<N>*, ExecSpace> make_row_sums(const ExecSpace& exec,
                                                const MultigridLevel<ExecSpace>& level) {
  const std::int64_t rows = static_cast<std::int64_t>(level.grid.ny) * level.grid.nz * level.frames;
  return allocate<Kokkos::View<Sums<N>*, ExecSpace>>(exec, "tessera::mpr::row_sums",
                                                     static_cast<std::size_t>(rows));
}

/// Calls finish(frame, sums) on the device, with the sums over the frame of what term(cell, sums)
/// adds for each cell that is not border.
template <int N, class ExecSpace, class Term, class Finish>
void sum_rows(const ExecSpace& exec, const std::string& label,
              const MultigridLevel<ExecSpace>& level,
              const Kokkos::View<Sums<N>*, ExecSpace>& row_sum, const Term& term,
              const Finish& finish) {
  const int rows = level.grid.ny * level.grid.nz;
  const auto teams = [&](int count, int threads) {
    return Kokkos::TeamPolicy<ExecSpace>(exec, count, compat::is_gpu_v<ExecSpace> ? threads : 1);
  };
  Kokkos::parallel_for(label, teams(rows * level.frames, 64),
                       SumRow<ExecSpace, N, Term>{level, term, row_sum});
  Kokkos::parallel_for("tessera::mpr::sum_frames", teams(level.frames, 128),
                       SumFrame<ExecSpace, N, Finish>{rows, row_sum, finish});
}

}  // namespace tessera::mpr::detail

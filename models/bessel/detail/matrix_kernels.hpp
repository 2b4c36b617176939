// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "models/bessel/detail/matern_kernels.hpp"

namespace tessera::bessel::detail {

template <class PointsView, class CView>
struct MatrixProblem {
  MaternFunction function;
  double sigma2, inverse_beta2;
  PointsView points;
  CView C;
  bool both;  ///< triangles
};

/// A tile of the lower triangle of a matrix of `tiles` x `tiles` tiles, from its number: two rows of the triangle together make a row of a
/// rectangle.
struct TileOfTriangle {
  std::int64_t row, column;

  KOKKOS_INLINE_FUNCTION TileOfTriangle(std::int64_t number, std::int64_t tiles) {
    const std::int64_t odd = tiles % 2, width = tiles + 1 - odd;
    const std::int64_t r = number / width, c = number - r * width;
    const bool long_row = c < tiles - r;
    row = long_row ? tiles - 1 - r : r - odd;
    column = long_row ? c : c - (tiles - r);
  }
};

/// The square of the distance of two points, summed in the order of the coordinates.
template <int D>
KOKKOS_INLINE_FUNCTION double square_of_distance(const double (&a)[D], const double (&b)[D]) {
  double sum = (a[0] - b[0]) * (a[0] - b[0]);
  for (int d = 1; d < D; ++d) sum = compat::fma(a[d] - b[d], a[d] - b[d], sum);
  return sum;
}

/// On a GPU: teams of 8 warps that stage the table and go through the tiles of 32 x 32 entries of the lower triangle; a lane has a row, a
/// warp every eighth column. The mirror image goes through shared memory, so that both are written in whole cache lines.
template <int D, class ExecSpace, class PointsView, class CView>
struct MatrixTeams {
  static constexpr int kTile = 32, kWarps = 8, kTeam = kTile * kWarps, kColumns = kTile / kWarps, kPitch = kTile + 1;
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;

  MatrixProblem<PointsView, CView> problem;
  std::int64_t tiles;  ///< along a side

  static int bytes(const MaternFunction& function) {
    return StagedMatern::bytes(function) + kTile * kPitch * static_cast<int>(sizeof(double)) + 16;
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const StagedMatern staged(member, problem.function,
                              static_cast<double*>(member.team_shmem().get_shmem_aligned(StagedMatern::bytes(problem.function) - 16, 16)));
    auto* const mirror = static_cast<double*>(member.team_shmem().get_shmem_aligned(kTile * kPitch * sizeof(double), 16));
    member.team_barrier();
    const int lane = member.team_rank() % kTile, warp = member.team_rank() / kTile;
    const std::int64_t count = tiles * (tiles + 1) / 2, N = static_cast<std::int64_t>(problem.points.extent(0));
    for (std::int64_t t = member.league_rank(); t < count; t += member.league_size()) {
      const TileOfTriangle tile(t, tiles);
      const std::int64_t first_row = tile.row * kTile, first_column = tile.column * kTile, i = first_row + lane;
      double p[D], values[kColumns];
      for (int d = 0; d < D; ++d) p[d] = problem.points(i < N ? i : N - 1, d);
      for (int k = 0; k < kColumns; ++k) {
        const std::int64_t j = first_column + warp + k * kWarps;
        double q[D];
        for (int d = 0; d < D; ++d) q[d] = problem.points(j < N ? j : N - 1, d);
        values[k] = problem.sigma2 * staged.at_square(square_of_distance(p, q) * problem.inverse_beta2);
      }
      const bool mirrored = problem.both && tile.row != tile.column;
      for (int k = 0; k < kColumns; ++k) {
        const std::int64_t j = first_column + warp + k * kWarps;
        if (i < N && j < N && (problem.both || i >= j)) problem.C(i, j) = values[k];
        if (mirrored) mirror[(warp + k * kWarps) * kPitch + lane] = values[k];
      }
      if (!mirrored) continue;
      member.team_barrier();
      for (int k = 0; k < kColumns; ++k) {
        const std::int64_t column = first_row + warp + k * kWarps, row = first_column + lane;
        if (row < N && column < N) problem.C(row, column) = mirror[lane * kPitch + warp + k * kWarps];
      }
      member.team_barrier();
    }
  }
};

/// On a CPU: a tile per iteration, column by column.
template <int D, class PointsView, class CView>
struct MatrixTiles {
  static constexpr int kTile = kMaternBlock;

  MatrixProblem<PointsView, CView> problem;
  std::int64_t tiles;

  void operator()(std::int64_t t) const {
    const TileOfTriangle tile(t, tiles);
    const auto N = static_cast<std::int64_t>(problem.points.extent(0));
    const std::int64_t first_row = tile.row * kTile, first_column = tile.column * kTile;
    const int rows = static_cast<int>(std::min<std::int64_t>(kTile, N - first_row)),
              columns = static_cast<int>(std::min<std::int64_t>(kTile, N - first_column));
    double p[D][kTile], s[kTile], values[kTile][kTile];
    for (int d = 0; d < D; ++d) {
      for (int i = 0; i < rows; ++i) p[d][i] = problem.points(first_row + i, d);
    }
    for (int j = 0; j < columns; ++j) {
      double q[D];
      for (int d = 0; d < D; ++d) q[d] = problem.points(first_column + j, d);
#pragma GCC ivdep
      for (int i = 0; i < rows; ++i) {
        double sum = (p[0][i] - q[0]) * (p[0][i] - q[0]);
        for (int d = 1; d < D; ++d) sum = compat::fma(p[d][i] - q[d], p[d][i] - q[d], sum);
        s[i] = sum * problem.inverse_beta2;
      }
      matern_block(problem.function, s, values[j], rows, [this, &s](int i) { return problem.function.at_square(s[i]); });
      for (int i = 0; i < rows; ++i) values[j][i] *= problem.sigma2;
    }
    for (int j = 0; j < columns; ++j) {
      double* const out = &problem.C(first_row, first_column + j);
      const int first = tile.row == tile.column && !problem.both ? j : 0;
      for (int i = first; i < rows; ++i) out[i] = values[j][i];
    }
    if (!problem.both || tile.row == tile.column) return;
    for (int i = 0; i < rows; ++i) {
      double* const out = &problem.C(first_column, first_row + i);
      for (int j = 0; j < columns; ++j) out[j] = values[j][i];
    }
  }
};

template <int D, class ExecSpace, class PointsView, class CView>
void launch_matrix(const ExecSpace& exec, const MatrixProblem<PointsView, CView>& problem) {
  const auto N = static_cast<std::int64_t>(problem.points.extent(0));
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    using Kernel = MatrixTeams<D, ExecSpace, PointsView, CView>;
    const std::int64_t tiles = (N + Kernel::kTile - 1) / Kernel::kTile;
    const int teams = staged_teams(exec, Kernel::kTeam, tiles * (tiles + 1) / 2);
    Kokkos::parallel_for(
        "tessera::bessel::matern_matrix",
        Kokkos::TeamPolicy<ExecSpace>(exec, teams, Kernel::kTeam).set_scratch_size(0, Kokkos::PerTeam(Kernel::bytes(problem.function))),
        Kernel{problem, tiles});
  } else {
    using Kernel = MatrixTiles<D, PointsView, CView>;
    const std::int64_t tiles = (N + Kernel::kTile - 1) / Kernel::kTile;
    Kokkos::parallel_for("tessera::bessel::matern_matrix",
                         Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, tiles * (tiles + 1) / 2),
                         Kernel{problem, tiles});
  }
}

}  // namespace tessera::bessel::detail

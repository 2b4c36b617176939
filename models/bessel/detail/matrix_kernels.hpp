// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "models/bessel/detail/matern_kernels.hpp"

namespace tessera::bessel::detail {

template <class PointsView, class CView>
struct MatrixProblem {
  MaternFunction function;
  const MaternFunction* on_device;
  double sigma2, inverse_beta2;
  PointsView points;
  CView C;
  bool both;  ///< triangles
};

/// A tile of the lower triangle of a matrix of `tiles` x `tiles` tiles, from its number: two rows of the triangle together make a row of a
/// rectangle.
struct TileOfTriangle {
  int row, column;

  KOKKOS_INLINE_FUNCTION TileOfTriangle(int number, int tiles) {
    const int odd = tiles % 2, width = tiles + 1 - odd;
    const int r = number / width, c = number - r * width;
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

/// On a GPU: teams of 8 warps that stage the table and go through the tiles of the lower triangle, in blocks of 32 x 32 entries: a lane
/// has a row, a warp every eighth column. The mirror image of a block goes through shared memory, so that both are written in whole cache
/// lines.
template <int D, class ExecSpace, class PointsView, class CView>
struct MatrixTeams {
  static constexpr int kSide = 32, kTile = 2 * kSide, kWarps = 8, kTeam = kSide * kWarps, kColumns = kSide / kWarps, kPitch = kSide + 1;
  static constexpr int kMirror = kSide * kPitch * static_cast<int>(sizeof(double)), kBytes = StagedMatern::kBytes + kMirror + 32;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<kTeam, 4>>;
  using Member = typename Policy::member_type;

  MatrixProblem<PointsView, CView> problem;
  int tiles;  ///< along a side

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    auto* const table = static_cast<double*>(member.team_shmem().get_shmem_aligned(int{StagedMatern::kBytes}, 16));
    auto* const mirror = static_cast<double*>(member.team_shmem().get_shmem_aligned(int{kMirror}, 16));
    const StagedMatern staged(member, problem.function, problem.on_device, table);
    member.team_barrier();
    const int count = tiles * (tiles + 1) / 2;
    for (int t = member.league_rank(); t < count; t += member.league_size()) {
      const TileOfTriangle tile(t, tiles);
      for (int across = 0; across < 2; ++across) {
        for (int down = 0; down < 2; ++down) {
          const int row = 2 * tile.row + down, column = 2 * tile.column + across;
          if (row >= column) block(member, staged, mirror, kSide * row, kSide * column);
        }
      }
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION void block(const Member& member, const StagedMatern& staged, double* mirror, int first_row,
                                    int first_column) const {
    const int lane = member.team_rank() % kSide, warp = member.team_rank() / kSide, N = static_cast<int>(problem.points.extent(0));
    const int i = first_row + lane, j = first_column + warp;
    double p[D], s[kColumns], values[kColumns];
    TESSERA_UNROLL
    for (int d = 0; d < D; ++d) p[d] = problem.points(i < N ? i : N - 1, d);
    TESSERA_UNROLL
    for (int k = 0; k < kColumns; ++k) {
      const int at = j + k * kWarps < N ? j + k * kWarps : N - 1;
      double q[D];
      TESSERA_UNROLL
      for (int d = 0; d < D; ++d) q[d] = problem.points(at, d);
      s[k] = square_of_distance(p, q) * problem.inverse_beta2;
    }
    staged.at_squares(s, values);
    const auto pitch = static_cast<std::int64_t>(problem.C.stride(1));
    double* const C = problem.C.data();
    const bool on_diagonal = first_row == first_column, mirrored = problem.both && !on_diagonal;
    double* const out = C + i + j * pitch;
    TESSERA_UNROLL
    for (int k = 0; k < kColumns; ++k) {
      values[k] *= problem.sigma2;
      const bool wanted = i < N && j + k * kWarps < N && (problem.both || !on_diagonal || i >= j + k * kWarps);
      if (wanted) out[k * kWarps * pitch] = values[k];
    }
    if (!mirrored) return;
    TESSERA_UNROLL
    for (int k = 0; k < kColumns; ++k) mirror[(warp + k * kWarps) * kPitch + lane] = values[k];
    member.team_barrier();
    double* const image = C + (first_column + lane) + (first_row + warp) * pitch;
    TESSERA_UNROLL
    for (int k = 0; k < kColumns; ++k) {
      if (first_column + lane < N && first_row + warp + k * kWarps < N)
        image[k * kWarps * pitch] = mirror[lane * kPitch + warp + k * kWarps];
    }
    member.team_barrier();
  }
};

/// On a CPU: a tile per iteration, column by column.
template <int D, class PointsView, class CView>
struct MatrixTiles {
  static constexpr int kTile = kMaternBlock;

  MatrixProblem<PointsView, CView> problem;
  int tiles;

  void operator()(int t) const {
    const TileOfTriangle tile(t, tiles);
    const auto N = static_cast<std::int64_t>(problem.points.extent(0));
    const std::int64_t first_row = static_cast<std::int64_t>(tile.row) * kTile,
                       first_column = static_cast<std::int64_t>(tile.column) * kTile;
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
  const int N = static_cast<int>(problem.points.extent(0));
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    using Kernel = MatrixTeams<D, ExecSpace, PointsView, CView>;
    const int tiles = (N + Kernel::kTile - 1) / Kernel::kTile;
    const int teams = staged_teams(exec, Kernel::kTeam, tiles * (tiles + 1) / 2, 12);
    Kokkos::parallel_for("tessera::bessel::matern_matrix",
                         typename Kernel::Policy(exec, teams, Kernel::kTeam).set_scratch_size(0, Kokkos::PerTeam(Kernel::kBytes)),
                         Kernel{problem, tiles});
  } else {
    using Kernel = MatrixTiles<D, PointsView, CView>;
    const int tiles = (N + Kernel::kTile - 1) / Kernel::kTile;
    Kokkos::parallel_for("tessera::bessel::matern_matrix", Kokkos::RangePolicy<ExecSpace>(exec, 0, tiles * (tiles + 1) / 2),
                         Kernel{problem, tiles});
  }
}

}  // namespace tessera::bessel::detail

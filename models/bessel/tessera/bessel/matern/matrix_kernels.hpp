// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/bessel/matern/matern_kernels.hpp"

namespace tessera::bessel::detail {

template <class PointsView, class CView>
struct MatrixProblem {
  MaternFunction function;
  double sigma2, inverse_beta2;
  PointsView points;
  CView C;
  bool both;  ///< triangles
};

/// A tile of the lower triangle of a matrix of `tiles` x `tiles` tiles, from its number: two rows
/// of the triangle together make a row of a rectangle.
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

/// Entries (i, first_column) ... (i, first_column + kColumns - 1): what a lane of a GPU evaluates.
template <int D, class PointsView, class CView>
struct PieceOfRow {
  /// The latter is enough to hide latencies, and leaves registers for many warps
  static constexpr int kColumns = 16, kTogether = 8;

  const MatrixProblem<PointsView, CView>& problem;
  int i, first_column;

  /// Writes C(i, first_column + k) and mirror[k pitch], for points that exist.
  KOKKOS_INLINE_FUNCTION void fill(double* mirror, int pitch) const {
    double p[D];
    read(i, p);
    const auto intervals = static_cast<std::uint32_t>(problem.function.shape.near_intervals);
    const auto stride = static_cast<std::int64_t>(problem.C.stride(1));
    double* const first = problem.C.data() + i + first_column * stride;
    double* out = first;
    bool all_near = true;
    TESSERA_UNROLL
    for (int group = 0; group < kColumns; group += kTogether) {
      double s[kTogether], value[kTogether];
      TESSERA_UNROLL
      for (int k = 0; k < kTogether; ++k) s[k] = square(p, group + k);
      TESSERA_UNROLL
      for (int k = 0; k < kTogether; ++k) {  // no branch, so that these go side by side
        const std::uint32_t interval = Near::interval(s[k]);
        all_near = all_near && interval < intervals;
        value[k] = problem.sigma2 * problem.function.value_polynomials.value(
                                        interval < intervals ? interval : 0, Near::local(s[k]));
      }
      TESSERA_UNROLL
      for (int k = 0; k < kTogether; ++k) {
        *out = mirror[(group + k) * pitch] = value[k];
        out += stride;
      }
    }
    if (all_near) return;
    for (int k = 0; k < kColumns; ++k) {
      const double s = square(p, k);
      if (Near::interval(s) < intervals) continue;
      first[k * stride] = mirror[k * pitch] = problem.sigma2 * problem.function.outside(s);
    }
  }

  /// Writes entries at the diagonal and the margin, one by one: those that exist and lie in the
  /// lower triangle, with their images.
  KOKKOS_INLINE_FUNCTION void fill_some() const {
    const int N = static_cast<int>(problem.points.extent(0));
    if (i >= N) return;
    double p[D];
    read(i, p);
    for (int k = 0; k < kColumns; ++k) {
      const int j = first_column + k;
      if (j > i || j >= N) return;
      const double value = problem.sigma2 * problem.function.at_square(square(p, k));
      problem.C(i, j) = value;
      if (problem.both) problem.C(j, i) = value;
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION void read(int point, double (&p)[D]) const {
    TESSERA_UNROLL
    for (int d = 0; d < D; ++d) p[d] = problem.points(point, d);
  }
  /// s of the entry in column first_column + k.
  KOKKOS_INLINE_FUNCTION double square(const double (&p)[D], int k) const {
    double q[D];
    read(first_column + k, q);
    return square_of_distance(p, q) * problem.inverse_beta2;
  }
};

/// The kernel for a GPU: a team for each tile of the lower triangle, whose warps go through its
/// blocks of 32 rows and 16 columns, a lane a row. The mirror image of a block goes through scratch
/// memory of its warp, so that both are written in whole cache lines and no warp waits for another.
/// The polynomials come from the cache.
template <int D, class ExecSpace, class PointsView, class CView>
struct MatrixTeams {
  using Piece = PieceOfRow<D, PointsView, CView>;
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  static constexpr int kTile = 64, kWarps = compat::is_gpu_v<ExecSpace> ? 4 : 1, kLanes = 32,
                       kColumns = Piece::kColumns, kPitch = kLanes + 1,
                       kBlocksDown = kTile / kLanes, kBlocks = kBlocksDown * (kTile / kColumns),
                       kBytes = kWarps * kColumns * kPitch * static_cast<int>(sizeof(double));

  MatrixProblem<PointsView, CView> problem;
  int tiles;  ///< along a side

  static Policy policy(const ExecSpace& exec, int tiles) {
    return Policy(exec, tiles * (tiles + 1) / 2, kWarps, compat::is_gpu_v<ExecSpace> ? kLanes : 1)
        .set_scratch_size(0, Kokkos::PerTeam(kBytes + 16));
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const TileOfTriangle tile(member.league_rank(), tiles);
    double* const mirror =
        static_cast<double*>(member.team_shmem().get_shmem_aligned(int{kBytes}, 16)) +
        member.team_rank() * kColumns * kPitch;
    for (int b = member.team_rank(); b < kBlocks; b += kWarps) {
      const int row = tile.row * kTile + b % kBlocksDown * kLanes,
                column = tile.column * kTile + b / kBlocksDown * kColumns;
      if (column >= row + kLanes) continue;
      const bool whole =
          column + kColumns <= row && row + kLanes <= static_cast<int>(problem.points.extent(0));
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, kLanes), [&](int lane) {
        const Piece piece{problem, row + lane, column};
        whole ? piece.fill(mirror + lane, kPitch) : piece.fill_some();
      });
      if (!whole || !problem.both) continue;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, kLanes),
                           [&](int lane) { write_image(row, column, lane, mirror); });
    }
  }

 private:
  /// A lane's share of C(column ..., row ...): 16 entries of a column, whole lines, lie in
  /// neighbouring lanes.
  KOKKOS_INLINE_FUNCTION void write_image(int row, int column, int lane,
                                          const double* mirror) const {
    constexpr int kTogether = kLanes / kColumns;
    const int down = lane % kColumns, across = lane / kColumns;
    const auto stride = static_cast<std::int64_t>(problem.C.stride(1));
    double* out = problem.C.data() + (column + down) + (row + across) * stride;
    TESSERA_UNROLL
    for (int k = 0; k < kColumns; ++k) {
      *out = mirror[down * kPitch + across + k * kTogether];
      out += kTogether * stride;
    }
  }
};

/// The kernel for a CPU: a tile per iteration, column by column.
template <int D, class PointsView, class CView>
struct MatrixTiles {
  static constexpr int kTile = kMaternBlock;

  MatrixProblem<PointsView, CView> problem;
  int tiles;

  void operator()(int t) const {
    const TileOfTriangle tile(t, tiles);
    const auto N = static_cast<std::int64_t>(problem.points.extent(0));
    const std::int64_t first_row = std::int64_t{tile.row} * kTile,
                       first_column = std::int64_t{tile.column} * kTile;
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
      matern_block(problem.function, s, values[j], rows,
                   [this, &s](int i) { return problem.function.at_square(s[i]); });
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
    Kokkos::parallel_for("tessera::bessel::matern_matrix", Kernel::policy(exec, tiles),
                         Kernel{problem, tiles});
  } else {
    using Kernel = MatrixTiles<D, PointsView, CView>;
    const int tiles = (N + Kernel::kTile - 1) / Kernel::kTile;
    Kokkos::parallel_for("tessera::bessel::matern_matrix",
                         Kokkos::RangePolicy<ExecSpace>(exec, 0, tiles * (tiles + 1) / 2),
                         Kernel{problem, tiles});
  }
}

}  // namespace tessera::bessel::detail

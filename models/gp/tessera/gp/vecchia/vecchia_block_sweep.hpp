// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/linalg/kokkos_kernels.hpp"
#include "tessera/gp/vecchia/vecchia_blocks.hpp"
#include "tessera/gp/vecchia/vecchia_sweep.hpp"

/// A sweep over blocks of points, by Kokkos Kernels' batched routines. With the covariance K = L U
/// of the points of a block (L with a unit diagonal, U = diag(d) L'), row p of L^-1 is (-b', 1) of
/// the point p given those before it, so that
///
///     d_p = U_pp,     r_p = (L^-1 y)_p,     and for a derivative D of K, with B = L'^-1 = U^-1
///                     diag(d), V = L^-1 D B:
///     dd_p = B_p' D B_p,     dr_p = - sum_{k<p} V_kp (L^-1 y)_k / d_k,     products sum_{k<p} V_kp
///                            V'_kp / d_k
///
/// with those columns of B and V alone that belong to members of the block. What comes out are the
/// fields of vecchia_sweep.hpp, in the order of the members' positions.

namespace tessera::gp::detail {

template <class ExecSpace, class Function, int Axes, SweepMode Mode>
struct VecchiaBlockSweep {
  static constexpr bool kOnGpu = compat::is_gpu_v<ExecSpace>;
  static constexpr int kTeam = kOnGpu ? 128 : 1;
  static constexpr bool kDerivatives =
      Mode == SweepMode::gradient || Mode == SweepMode::information;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  using Member = typename Policy::member_type;
  using BatchedMode = linalg::batched::ModeOn<ExecSpace>;
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  SweepProblem<ExecSpace, Function> problem;  // its `first` and `count` are positions of members
  BlockLists<ExecSpace> blocks;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> workspace;

  /// Numbers of a team in the workspace.
  static std::int64_t workspace_numbers(std::int64_t points, int members, int columns,
                                        int derivatives) {
    const std::int64_t slopes = derivatives > 0 ? points * points * (derivatives - 1) +
                                                      points * members * (1 + derivatives) + points
                                                : 0;
    return points * (points + columns + Axes) + slopes;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::int64_t first = problem.first / blocks.size,
                       end = (problem.first + problem.count + blocks.size - 1) / blocks.size;
    for (std::int64_t block = first + team.league_rank(); block < end;
         block += team.league_size()) {
      team.team_barrier();
      take(team, block);
    }
  }

 private:
  /// The arrays of a block.
  struct Arrays {
    std::int64_t begin, position;  // of its points, of its first member
    int points, members;
    Matrix k, y, place;  // y: columns of data and trend; place: coordinates
    Matrix b, slope;     // B of the members; derivatives of K, one below the other
    Matrix v;            // V of each derivative, one below the other
    double* error;       // variances of the points' errors

    KOKKOS_INLINE_FUNCTION Matrix derivative(int q) const {
      return Matrix(slope.data() + (q - 1) * k.span(), points, points);
    }
    KOKKOS_INLINE_FUNCTION Matrix product(int q) const {
      return Matrix(v.data() + q * b.span(), points, members);
    }
  };

  KOKKOS_INLINE_FUNCTION Arrays arrays(const Member& team, std::int64_t block) const {
    Arrays a;
    a.begin = blocks.begin(block);
    a.points = static_cast<int>(blocks.begin(block + 1) - a.begin);
    a.position = block * blocks.size;
    a.members = static_cast<int>(compat::min<std::int64_t>(
        blocks.size, static_cast<std::int64_t>(blocks.member.extent(0)) - a.position));
    double* next = &workspace(team.league_rank(), 0);
    const auto part = [&next](std::int64_t rows, std::int64_t width) {
      const Matrix matrix(next, rows, width);
      next += rows * width;
      return matrix;
    };
    a.k = part(a.points, a.points);
    a.y = part(a.points, problem.fields.columns);
    a.place = part(a.points, Axes);
    if constexpr (kDerivatives) {
      a.b = part(a.points, a.members);
      a.v = part(static_cast<std::int64_t>(problem.fields.derivatives) * a.points, a.members);
      a.error = part(a.points, 1).data();
      a.slope =
          part(static_cast<std::int64_t>(problem.fields.derivatives - 1) * a.points, a.points);
    }
    return a;
  }

  KOKKOS_INLINE_FUNCTION void take(const Member& team, std::int64_t block) const {
    const Arrays a = arrays(team, block);
    gather(team, a);
    team.team_barrier();
    assemble(team, a);
    if constexpr (kDerivatives) assemble_slopes(team, a);
    team.team_barrier();
    linalg::batched::BlockedLU<Member, BatchedMode>::invoke(team, a.k);
    team.team_barrier();
    linalg::batched::BlockedUnitLowerSolve<Member, BatchedMode>::invoke(team, 1.0, a.k, a.y);
    team.team_barrier();
    if constexpr (kDerivatives) differentiate(team, a);
    write(team, a);
  }

  /// Coordinates, data and the diagonal.
  KOKKOS_INLINE_FUNCTION void gather(const Member& team, const Arrays& a) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, a.points), [&](int r) {
      const double* const record = &problem.points(blocks.point(a.begin + r), 0);
      for (int axis = 0; axis < Axes; ++axis) a.place(r, axis) = record[axis];
      for (int c = 0; c < problem.fields.columns; ++c) a.y(r, c) = record[Axes + c];
      const double error = problem.errors >= 0 ? record[problem.errors] : 0;
      a.k(r, r) = problem.covariance.sigma2 + (problem.own_nugget + error);
      if constexpr (kDerivatives) a.error[r] = error;
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION static Point point(const Arrays& a, int r) {
    return {a.place(r, 0), a.place(r, 1), Axes == 2 ? 0 : a.place(r, Axes - 2)};
  }
  KOKKOS_FORCEINLINE_FUNCTION static double lag(const Arrays& a, int r, int c) {
    if constexpr (Axes == 2) return 0;
    return a.place(r, Axes - 1) - a.place(c, Axes - 1);
  }

  /// What rows r and c have that are apart in time.
  KOKKOS_FORCEINLINE_FUNCTION auto time_between(const Arrays& a, int r, int c) const {
    if constexpr (Axes == 2) {
      return SeparableTime::Lag{};
    } else {
      return problem.covariance.temporal.at(lag(a, r, c));
    }
  }

  /// Returns the u^2 of rows r and c as the correlation in space takes it.
  KOKKOS_FORCEINLINE_FUNCTION double scaled_square(const Arrays& a, int r, int c) const {
    const double square = problem.covariance.distance.square(point(a, r), point(a, c));
    if constexpr (Function::kInteracts) {
      return time_between(a, r, c).scaled(square);
    } else {
      return square;
    }
  }

  /// Calls take(r, c) for every pair c < r: on a GPU the threads of a team one after another, on a
  /// CPU the columns of a row in turn.
  template <class Take>
  KOKKOS_INLINE_FUNCTION static void for_pairs(const Member& team, int points, const Take& take) {
    const int pairs = points * (points - 1) / 2;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, pairs), [&](int pair) {
      int r = static_cast<int>((1 + compat::math::sqrt(1.0 + 8.0 * pair)) / 2);
      if (r * (r - 1) / 2 > pair) --r;
      if (r * (r + 1) / 2 <= pair) ++r;
      take(r, pair - r * (r - 1) / 2);
    });
  }

  KOKKOS_INLINE_FUNCTION double scaled(const Arrays& a, int r, int c, double correlation) const {
    return problem.covariance.sigma2 * correlation * time_between(a, r, c).factor;
  }

  /// The covariances beside the diagonal.
  KOKKOS_INLINE_FUNCTION void assemble(const Member& team, const Arrays& a) const {
    const Function& covariance = problem.covariance;
    if constexpr (kOnGpu) {
      for_pairs(team, a.points, [&](int r, int c) {
        a.k(r, c) = a.k(c, r) =
            scaled(a, r, c, covariance.correlation.value(scaled_square(a, r, c)));
      });
    } else {
      for (int r = 1; r < a.points; ++r) {
        double* const row = &a.k(r, 0);
        for (int c = 0; c < r; ++c) row[c] = scaled_square(a, r, c);
        correlate(covariance.correlation, row, r, 1);
        for (int c = 0; c < r; ++c) a.k(c, r) = row[c] = scaled(a, r, c, row[c]);
      }
    }
  }

  /// The derivatives that are matrices, but for their factors.
  KOKKOS_INLINE_FUNCTION void assemble_slopes(const Member& team, const Arrays& a) const {
    const int count = problem.pair_derivatives();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, a.points), [&](int r) {
      for (int q = 1; q < count; ++q) a.derivative(q)(r, r) = 0;
    });
    for_pairs(team, a.points, [&](int r, int c) {
      double fraction[Function::Traits::kFractions], m_value = 0, u_dm_du = 0, dm_dshape = 0;
      const double square = problem.covariance.distance.square(point(a, r), point(a, c), fraction);
      const auto in_time = time_between(a, r, c);
      problem.covariance.correlation.derivatives(in_time.scaled(square), m_value, u_dm_du,
                                                 dm_dshape);
      for (int q = 1; q < count; ++q) {
        const Matrix d = a.derivative(q);
        d(r, c) = d(c, r) = in_time.factor * problem.derivative(q - 1, m_value, u_dm_du, dm_dshape,
                                                                fraction, in_time);
      }
    });
  }

  /// Returns the position of a member among the points of its block.
  KOKKOS_INLINE_FUNCTION int place_of(const Arrays& a, std::uint32_t number) const {
    int low = 0, high = a.points - 1;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (blocks.point(a.begin + middle) < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Computes B, D B in the place of V, and dd; then V.
  KOKKOS_INLINE_FUNCTION void differentiate(const Member& team, const Arrays& a) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, a.points * a.members),
                         [&](int i) { a.b(i / a.members, i % a.members) = 0; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, a.members), [&](int j) {
      const int p = place_of(a, blocks.member(a.position + j));
      a.b(p, j) = a.k(p, p);
    });
    team.team_barrier();
    linalg::batched::BlockedUpperSolve<Member, BatchedMode>::invoke(team, 1.0, a.k, a.b);
    team.team_barrier();
    for (int q = 0; q < problem.fields.derivatives; ++q) {
      const Matrix product = a.product(q);
      const bool of_errors = q >= problem.pair_derivatives();
      if (q == 0 || of_errors) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, a.points * a.members), [&](int i) {
          const int r = i / a.members, j = i % a.members;
          product(r, j) = a.b(r, j) * (of_errors ? a.error[r] : 1);
        });
      } else {
        linalg::batched::BlockedMultiply<Member, BatchedMode>::invoke(team, 1.0, a.derivative(q),
                                                                      a.b, 0.0, product);
      }
    }
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, a.members), [&](int j) {
      for (int q = 0; q < problem.fields.derivatives; ++q) {
        const Matrix product = a.product(q);
        double sum = 0;
        for (int r = 0; r < a.points; ++r)
          sum = compat::multiply_add(a.b(r, j), product(r, j), sum);
        problem.output(a.position + j - problem.first, problem.fields.d_variance(q)) = sum;
      }
    });
    team.team_barrier();
    for (int q = 0; q < problem.fields.derivatives; ++q) {
      linalg::batched::BlockedUnitLowerSolve<Member, BatchedMode>::invoke(team, 1.0, a.k,
                                                                          a.product(q));
    }
    team.team_barrier();
  }

  KOKKOS_INLINE_FUNCTION void write(const Member& team, const Arrays& a) const {
    const SweepFields& fields = problem.fields;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, a.members), [&](int j) {
      const std::uint32_t number = blocks.member(a.position + j);
      const std::int64_t row = a.position + j - problem.first;
      const int p = place_of(a, number);
      for (int k = 0; k <= p; ++k) {
        if (!(a.k(k, k) > 0)) {
          Kokkos::atomic_fetch_min(&problem.failed(), static_cast<std::int64_t>(number));
          break;
        }
      }
      problem.output(row, 0) = a.k(p, p);
      for (int c = 0; c < fields.columns; ++c) problem.output(row, fields.residual(c)) = a.y(p, c);
      if constexpr (kDerivatives) write_derivatives(a, row, j, p);
    });
  }

  KOKKOS_INLINE_FUNCTION void write_derivatives(const Arrays& a, std::int64_t row, int j,
                                                int p) const {
    const SweepFields& fields = problem.fields;
    for (int q = 0; q < fields.derivatives; ++q) {
      const Matrix v = a.product(q);
      for (int c = 0; c < fields.columns; ++c) {
        double sum = 0;
        for (int k = 0; k < p; ++k) sum -= v(k, j) * a.y(k, c) / a.k(k, k);
        problem.output(row, fields.d_residual(q, c)) = sum;
      }
      for (int s = 0; s <= q && Mode == SweepMode::information; ++s) {
        const Matrix w = a.product(s);
        double sum = 0;
        for (int k = 0; k < p; ++k) sum += v(k, j) * w(k, j) / a.k(k, k);
        problem.output(row, fields.product(q, s)) = sum;
      }
    }
  }
};

}  // namespace tessera::gp::detail

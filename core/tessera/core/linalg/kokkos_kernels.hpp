// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Kokkos Kernels, 3.4 to 4.x: its headers, and every difference between its versions. Users of
/// this header link Kokkos::kokkoskernels.
///
/// Calls on whole matrices (dense_cuda.cpp and dense_host.cpp) take linalg::Block, a column-major
/// matrix in the memory of `exec`; they are enqueued on `exec` and throw std::runtime_error when
/// the device's library fails. On CUDA they are cuBLAS's.
///
/// Calls inside kernels:
///
///     KokkosBlas::Experimental::dot(team, x, y)                 sum of x(i) y(i) over a team, in a fixed order
///     batched::LU<Member, Mode>::invoke(team, a)                A = L U without pivoting, in place; L has a unit diagonal
///     batched::UnitLowerSolve<Member, Mode>::invoke(team, 1.0, l, b)    B := L^-1 B, the diagonal of L taken for 1
///
/// for small matrices, and for larger ones
///
///     batched::BlockedLU, batched::BlockedUnitLowerSolve                      the same
///     batched::BlockedUpperSolve<Member, Mode>::invoke(team, 1.0, u, b)       B := U^-1 B
///     batched::BlockedMultiply<Member, Mode>::invoke(team, 1.0, a, b, 0.0, c) C := A B
///
/// with Mode = batched::ModeOn<ExecSpace>: the threads of a team work together on a GPU, and a CPU
/// thread works alone.

// Some headers of 3.4 only declare. What they declare is included by hand, which is harmless in
// later versions.
#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_LU_Serial_Impl.hpp>
#include <KokkosBatched_LU_Team_Impl.hpp>
#include <KokkosBatched_Trsm_Decl.hpp>
#include <KokkosBatched_Util.hpp>
#include <KokkosBlas1_team_dot.hpp>
#include <KokkosBlas3_gemm.hpp>
#include <KokkosBlas3_trmm.hpp>
#include <KokkosBlas3_trsm.hpp>
#include <Kokkos_Core.hpp>
#include <type_traits>
#include <utility>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/linalg/dense.hpp"

namespace tessera::linalg::kernels {

template <class ExecSpace>
using MatrixView =
    Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class ExecSpace>
MatrixView<ExecSpace> matrix_view(const Block& a) {
  return Kokkos::subview(MatrixView<ExecSpace>(a.data, a.stride, a.columns),
                         std::make_pair(std::int64_t(0), a.rows), Kokkos::ALL);
}

inline const char* text(Transpose op) { return op == Transpose::yes ? "T" : "N"; }

enum class Side { left, right };

inline const char* text(Side side) { return side == Side::left ? "L" : "R"; }

// Kokkos Kernels before 4.1 takes no execution space instance: the calls run on the default one,
// after `exec` and before what is enqueued next.

/// C := alpha op(A) op(B) + beta C
template <class ExecSpace>
void gemm(const ExecSpace& exec, double alpha, const Block& a, Transpose op_a, const Block& b,
          Transpose op_b, double beta, const Block& c) {
  const MatrixView<ExecSpace> left = matrix_view<ExecSpace>(a), right = matrix_view<ExecSpace>(b),
                              result = matrix_view<ExecSpace>(c);
  if constexpr (requires { KokkosBlas::gemm(exec, "N", "N", alpha, left, right, beta, result); }) {
    KokkosBlas::gemm(exec, text(op_a), text(op_b), alpha, left, right, beta, result);
  } else {
    exec.fence();
    KokkosBlas::gemm(text(op_a), text(op_b), alpha, left, right, beta, result);
    ExecSpace().fence();
  }
}

/// Returns whether Kokkos Kernels adds up the elements of a product with atomics on a GPU, in an
/// order that changes from call to call: it does so for small products A' B (up to 1600 elements,
/// 4.7).
inline bool gemm_uses_atomics(Transpose op_a, Transpose op_b, const Block& c) {
  return op_a == Transpose::yes && op_b == Transpose::no && c.rows * c.columns < 1600;
}

/// B := alpha op(L)^-1 B (left) or alpha B op(L)^-1 (right) with a lower triangular L
template <class ExecSpace>
void trsm(const ExecSpace& exec, Side side, double alpha, const Block& l, Transpose op,
          const Block& b) {
  const MatrixView<ExecSpace> triangle = matrix_view<ExecSpace>(l),
                              result = matrix_view<ExecSpace>(b);
  if constexpr (requires { KokkosBlas::trsm(exec, "L", "L", "N", "N", 1.0, triangle, result); }) {
    KokkosBlas::trsm(exec, text(side), "L", text(op), "N", alpha, triangle, result);
  } else {
    exec.fence();
    KokkosBlas::trsm(text(side), "L", text(op), "N", alpha, triangle, result);
    ExecSpace().fence();
  }
}

/// B := op(L) B with a lower triangular L
template <class ExecSpace>
void trmm(const ExecSpace& exec, const Block& l, Transpose op, const Block& b) {
  const MatrixView<ExecSpace> triangle = matrix_view<ExecSpace>(l),
                              result = matrix_view<ExecSpace>(b);
  if constexpr (requires { KokkosBlas::trmm(exec, "L", "L", "N", "N", 1.0, triangle, result); }) {
    KokkosBlas::trmm(exec, "L", "L", text(op), "N", 1.0, triangle, result);
  } else {
    exec.fence();
    KokkosBlas::trmm("L", "L", text(op), "N", 1.0, triangle, result);
    ExecSpace().fence();
  }
}

}  // namespace tessera::linalg::kernels

namespace tessera::linalg::batched {

template <class ExecSpace>
using ModeOn = std::conditional_t<compat::is_gpu_v<ExecSpace>, KokkosBatched::Mode::Team,
                                  KokkosBatched::Mode::Serial>;

template <class Member, class Mode>
using LU = KokkosBatched::LU<Member, Mode, KokkosBatched::Algo::LU::Unblocked>;

template <class Member, class Mode>
using BlockedLU = KokkosBatched::LU<Member, Mode, KokkosBatched::Algo::LU::Blocked>;

template <class Member, class Uplo, class Diag, class Mode, class Algorithm>
using LeftSolve = KokkosBatched::Trsm<Member, KokkosBatched::Side::Left, Uplo,
                                      KokkosBatched::Trans::NoTranspose, Diag, Mode, Algorithm>;

template <class Member, class Mode>
using UnitLowerSolve = LeftSolve<Member, KokkosBatched::Uplo::Lower, KokkosBatched::Diag::Unit,
                                 Mode, KokkosBatched::Algo::Trsm::Unblocked>;

template <class Member, class Mode>
using BlockedUnitLowerSolve =
    LeftSolve<Member, KokkosBatched::Uplo::Lower, KokkosBatched::Diag::Unit, Mode,
              KokkosBatched::Algo::Trsm::Blocked>;

/// Solves by panels of columns: up to 4.7 at least, the serial routine leaves B as it is where B
/// has more than 64 x 64 elements.
template <class Member, class Mode>
struct BlockedUpperSolve {
  template <class UView, class BView>
  KOKKOS_INLINE_FUNCTION static void invoke(const Member& team, double alpha, const UView& u,
                                            const BView& b) {
    using Solve = LeftSolve<Member, KokkosBatched::Uplo::Upper, KokkosBatched::Diag::NonUnit, Mode,
                            KokkosBatched::Algo::Trsm::Blocked>;
    constexpr bool by_panels = std::is_same_v<Mode, KokkosBatched::Mode::Serial>;
    const int rows = static_cast<int>(b.extent(0)), columns = static_cast<int>(b.extent(1));
    const int width = by_panels ? compat::max(1, 64 * 64 / compat::max(rows, 1)) : columns;
    for (int begin = 0; begin < columns; begin += width) {
      const auto panel = Kokkos::make_pair(begin, compat::min(begin + width, columns));
      Solve::invoke(team, alpha, u, Kokkos::subview(b, Kokkos::ALL(), panel));
    }
  }
};

template <class Member, class Mode>
using BlockedMultiply = KokkosBatched::Gemm<Member, KokkosBatched::Trans::NoTranspose,
                                            KokkosBatched::Trans::NoTranspose, Mode,
                                            KokkosBatched::Algo::Gemm::Blocked>;

}  // namespace tessera::linalg::batched

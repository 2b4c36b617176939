// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/linalg/dense.hpp"
#include "tessera/core/linalg/kokkos_kernels.hpp"

/// Small kernels on dense matrices whose sums have a fixed order; Kokkos Kernels adds them up.

namespace tessera::gp::detail {

/// A team for each of `count` results; 128 threads on a GPU, one on a CPU.
template <class ExecSpace>
Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<std::int64_t>> teams(const ExecSpace& exec,
                                                                     std::int64_t count) {
  return {exec, static_cast<int>(count), compat::is_gpu_v<ExecSpace> ? 128 : 1, 1};
}

template <class ExecSpace>
using ColumnView = Kokkos::View<const double*, ExecSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class ExecSpace>
using RowView = Kokkos::View<const double*, Kokkos::LayoutStride, ExecSpace,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class ExecSpace>
KOKKOS_INLINE_FUNCTION ColumnView<ExecSpace> column(const linalg::Block& a, std::int64_t j) {
  return ColumnView<ExecSpace>(a.data + j * a.stride, a.rows);
}

template <class ExecSpace>
KOKKOS_INLINE_FUNCTION RowView<ExecSpace> row(const linalg::Block& a, std::int64_t i) {
  return RowView<ExecSpace>(a.data + i, Kokkos::LayoutStride(a.columns, a.stride));
}

/// result(j) = sum_i a(i, j) b(i, j)
template <class ExecSpace>
struct ColumnDots {
  linalg::Block a, b;
  Kokkos::View<double*, ExecSpace> result;

  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::int64_t j = team.league_rank();
    const double sum =
        KokkosBlas::Experimental::dot(team, column<ExecSpace>(a, j), column<ExecSpace>(b, j));
    Kokkos::single(Kokkos::PerTeam(team), [&]() { result(j) = sum; });
  }
};

/// result(j) = sum_i a(i, j) b(j, i)
template <class ExecSpace>
struct TransposedDots {
  linalg::Block a, b;
  Kokkos::View<double*, ExecSpace> result;

  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::int64_t j = team.league_rank();
    const double sum =
        KokkosBlas::Experimental::dot(team, column<ExecSpace>(a, j), row<ExecSpace>(b, j));
    Kokkos::single(Kokkos::PerTeam(team), [&]() { result(j) = sum; });
  }
};

/// Adds to the diagonal.
struct AddToDiagonal {
  linalg::Block a;
  double value;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    a.data[i + i * a.stride] += value;
  }
};

/// Adds to each element of the diagonal its own number.
template <class ExecSpace>
struct AddEachToDiagonal {
  linalg::Block a;
  Kokkos::View<const double*, ExecSpace> value;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    a.data[i + i * a.stride] += value(i);
  }
};

/// The rows and columns of a symmetric matrix (lower triangle) that are named, as a lower triangle.
template <class ExecSpace>
struct GatherSymmetric {
  linalg::Block from, to;
  Kokkos::View<const std::int64_t*, ExecSpace> rows;  // ascending
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t t) const {
    const std::int64_t i = t % to.rows, j = t / to.rows;
    if (i >= j) to.data[i + j * to.stride] = from.data[rows(i) + rows(j) * from.stride];
  }
};

/// Gathers elements: to(i) = from(rows(i)).
template <class ExecSpace>
struct GatherElements {
  Kokkos::View<const double*, ExecSpace> from;
  Kokkos::View<double*, ExecSpace> to;
  Kokkos::View<const std::int64_t*, ExecSpace> rows;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const { to(i) = from(rows(i)); }
};

}  // namespace tessera::gp::detail

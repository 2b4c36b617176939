// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/linalg/cholesky_factor.hpp"
#include "tessera/core/linalg/dense.hpp"
#include "tessera/core/linalg/kokkos_kernels.hpp"
#include "tessera/gp/likelihood/device_sums.hpp"
#include "tessera/gp/points/device_copies.hpp"

/// Cross-validation from a precision matrix P. For a fold F the errors of prediction from the
/// points outside it are A^-1 w and their variances the diagonal of A^-1, with A = P(F, F) and w =
/// (P z)(F) (Rasmussen and Williams, section 5.4.2, for folds of one point).

namespace tessera::gp::detail {

/// Predictions of each point from the other folds, in the order of the points.
struct FoldErrors {
  std::vector<double> error, variance;
};

/// Points sorted by fold.
struct Folds {
  std::vector<std::int64_t> rows;   ///< the points, fold after fold, ascending in each
  std::vector<std::int64_t> first;  ///< of each fold in `rows`, and the end
  std::int64_t largest = 0;         ///< number of points

  explicit Folds(const std::vector<int>& fold)
      : rows(fold.size()), first(*std::max_element(fold.begin(), fold.end()) + 2, 0) {
    for (const int f : fold) ++first[f + 1];
    for (std::size_t f = 1; f < first.size(); ++f) {
      largest = std::max(largest, first[f]);
      first[f] += first[f - 1];
    }
    std::vector<std::int64_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < fold.size(); ++i)
      rows[next[fold[i]]++] = static_cast<std::int64_t>(i);
  }

  std::int64_t count() const { return static_cast<std::int64_t>(first.size()) - 1; }
};

/// Folds of one point: A is a number.
template <class ExecSpace>
FoldErrors leave_one_out(const ExecSpace& exec, const linalg::Block& precision,
                         const Kokkos::View<double*, ExecSpace>& weight) {
  const auto diagonal =
      allocate<Kokkos::View<double*, ExecSpace>>(exec, "tessera::gp::diagonal", precision.rows);
  Kokkos::parallel_for(
      "tessera::gp::take_diagonal",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, precision.rows),
      linalg::TakeDiagonal{precision, diagonal.data()});
  FoldErrors result{download(exec, weight), download(exec, diagonal)};
  for (std::size_t i = 0; i < result.error.size(); ++i) {
    result.error[i] /= result.variance[i];
    result.variance[i] = 1 / result.variance[i];
  }
  return result;
}

/// Folds up to this size are solved together (see solve_small_folds), larger ones one after
/// another.
inline constexpr std::int64_t kLargestSmallFold = 32;

/// One small fold a team. Kokkos Kernels has no Cholesky factorisation; A = L D L' comes from its
/// LU factorisation without pivoting, which for a positive definite A is as stable, and U = D L'.
/// With V = L^-1 (1 | w), from its triangular solve,
///
///     variance_i = sum_k V_ki^2 / D_k,     error_i = sum_k V_ki V_kw / D_k.
template <class ExecSpace>
struct SolveSmallFolds {
  linalg::Block precision;  // lower triangle
  Kokkos::View<const double*, ExecSpace> weight;
  Kokkos::View<const std::int64_t*, ExecSpace> rows, first_row;  // as in Folds
  Kokkos::View<const std::int64_t*, ExecSpace> first_number;     // of each fold in `workspace`
  Kokkos::View<double*, ExecSpace> workspace, error, variance;
  Kokkos::View<int, ExecSpace> failed;  // 1 where an A is not positive definite

  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Mode = linalg::batched::ModeOn<ExecSpace>;

  static std::int64_t workspace_size(std::int64_t fold_size) {
    return fold_size * (2 * fold_size + 1);
  }

  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::int64_t fold = team.league_rank(), begin = first_row(fold);
    const int size = static_cast<int>(first_row(fold + 1) - begin);
    const Matrix a(workspace.data() + first_number(fold), size, size);
    const Matrix v(workspace.data() + first_number(fold) + size * size, size, size + 1);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size), [&](int i) {
      const std::int64_t row = rows(begin + i);
      for (int j = 0; j < size; ++j) {
        const std::int64_t column = rows(begin + j), low = compat::max(row, column),
                           left = compat::min(row, column);
        a(i, j) = precision.data[low + left * precision.stride];
        v(i, j) = i == j ? 1 : 0;
      }
      v(i, size) = weight(row);
    });
    team.team_barrier();
    linalg::batched::LU<Member, Mode>::invoke(team, a);
    team.team_barrier();
    linalg::batched::UnitLowerSolve<Member, Mode>::invoke(team, 1.0, a, v);
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size), [&](int i) {
      double squares = 0, product = 0;
      for (int k = i; k < size; ++k) {
        const double scaled = v(k, i) / a(k, k);
        squares += scaled * v(k, i);
        product += scaled * v(k, size);
      }
      if (!(a(i, i) > 0)) Kokkos::atomic_or(&failed(), 1);
      error(rows(begin + i)) = product;
      variance(rows(begin + i)) = squares;
    });
  }
};

/// Solves all folds in one launch; nothing when an A is not positive definite.
template <class ExecSpace>
std::optional<FoldErrors> solve_small_folds(const ExecSpace& exec, const linalg::Block& precision,
                                            const Kokkos::View<double*, ExecSpace>& weight,
                                            const Folds& folds) {
  using Vector = Kokkos::View<double*, ExecSpace>;
  std::vector<std::int64_t> first_number{0};
  for (std::int64_t f = 0; f < folds.count(); ++f)
    first_number.push_back(first_number.back() + SolveSmallFolds<ExecSpace>::workspace_size(
                                                     folds.first[f + 1] - folds.first[f]));
  const auto workspace = allocate<Vector>(exec, "tessera::gp::fold_workspace", first_number.back());
  const auto error = allocate<Vector>(exec, "tessera::gp::fold_errors", precision.rows);
  const auto variance = allocate<Vector>(exec, "tessera::gp::fold_variances", precision.rows);
  const auto failed =
      allocate_zeros<Kokkos::View<int, ExecSpace>>(exec, "tessera::gp::fold_failed");
  Kokkos::parallel_for("tessera::gp::solve_folds", teams(exec, folds.count()),
                       SolveSmallFolds<ExecSpace>{
                           precision, weight, upload(exec, "tessera::gp::fold_rows", folds.rows),
                           upload(exec, "tessera::gp::fold_starts", folds.first),
                           upload(exec, "tessera::gp::fold_workspaces", first_number), workspace,
                           error, variance, failed});
  if (download_scalar(exec, failed) != 0) return std::nullopt;
  return FoldErrors{download(exec, error), download(exec, variance)};
}

/// Solves one fold after another, by Cholesky's factorisation; nothing when an A is not positive
/// definite.
template <class ExecSpace>
std::optional<FoldErrors> solve_large_folds(const ExecSpace& exec, const linalg::Block& precision,
                                            const Kokkos::View<double*, ExecSpace>& weight,
                                            const Folds& folds) {
  using Vector = Kokkos::View<double*, ExecSpace>;
  const auto range = [&](std::int64_t count) {
    return Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count);
  };
  linalg::Dense<ExecSpace> dense(exec, folds.largest);
  const auto matrix = allocate<Vector>(exec, "tessera::gp::fold", folds.largest * folds.largest);
  const auto right = allocate<Vector>(exec, "tessera::gp::fold_error", folds.largest);
  const auto diagonal = allocate<Vector>(exec, "tessera::gp::diagonal", folds.largest);
  const Kokkos::View<const std::int64_t*, ExecSpace> rows =
      upload(exec, "tessera::gp::fold_rows", folds.rows);
  FoldErrors result{std::vector<double>(folds.rows.size()), std::vector<double>(folds.rows.size())};
  for (std::int64_t f = 0; f < folds.count(); ++f) {
    const std::int64_t begin = folds.first[f], count = folds.first[f + 1] - begin;
    if (count == 0) continue;
    const linalg::Block a{matrix.data(), count, count, count}, x{right.data(), count, 1, count};
    const auto members = Kokkos::subview(rows, std::make_pair(begin, begin + count));
    Kokkos::parallel_for("tessera::gp::gather", range(count * count),
                         GatherSymmetric<ExecSpace>{precision, a, members});
    Kokkos::parallel_for("tessera::gp::gather", range(count),
                         GatherElements<ExecSpace>{weight, right, members});
    if (dense.factor(a) != 0) return std::nullopt;
    dense.solve(a, x);
    dense.solve_transposed(a, x);
    dense.invert(a);
    Kokkos::parallel_for("tessera::gp::take_diagonal", range(count),
                         linalg::TakeDiagonal{a, diagonal.data()});
    const std::vector<double> error = host_copy(exec, right.data(), count),
                              variance = host_copy(exec, diagonal.data(), count);
    for (std::int64_t i = 0; i < count; ++i) {
      result.error[folds.rows[begin + i]] = error[i];
      result.variance[folds.rows[begin + i]] = variance[i];
    }
  }
  return result;
}

/// The errors of prediction of every point from those outside its fold, given P (lower triangle)
/// and P z; nothing when the P of a fold is not positive definite.
template <class ExecSpace>
std::optional<FoldErrors> fold_errors(const ExecSpace& exec, const linalg::Block& precision,
                                      const Kokkos::View<double*, ExecSpace>& weight,
                                      const Folds& folds) {
  if (folds.largest == 1) return leave_one_out(exec, precision, weight);
  return folds.largest <= kLargestSmallFold ? solve_small_folds(exec, precision, weight, folds)
                                            : solve_large_folds(exec, precision, weight, folds);
}

}  // namespace tessera::gp::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/linalg/dense.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gp/exact/cross_validation.hpp"
#include "tessera/gp/likelihood/device_sums.hpp"

/// Cross-validation where ranks share the precision matrix: each fold is solved by one of them.

namespace tessera::gp::detail {

/// Packs the numbers of each column of a panel, on the diagonal and below it, that stand in rows of
/// the column's own fold; one column after another.
template <class ExecSpace>
struct PackFolds {
  linalg::Block panel;
  // row and column of the whole matrix where the panel begins
  std::int64_t first;
  // the place of each column in the `rows` of its fold, and their end
  Kokkos::View<const std::int64_t*, ExecSpace> rows, begin, end;
  Kokkos::View<const std::int64_t*, ExecSpace> offset;  // of each column in `packed`
  Kokkos::View<double*, ExecSpace> packed;

  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::int64_t column = team.league_rank(), from = begin(column);
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(team, static_cast<int>(end(column) - from)), [&](int i) {
          packed(offset(column) + i) = panel.data[rows(from + i) - first + column * panel.stride];
        });
  }
};

/// The folds whose matrices come in panels, to which ranks send what they have of each other's.
/// Messages go through the host: half the squares of the sizes of the folds, in all. Every rank
/// makes all calls but `take`.
template <class ExecSpace>
class SharedFolds {
 public:
  SharedFolds(const ExecSpace& exec, const Folds& folds, const parallel::Communicator& ranks)
      : m_exec(exec),
        m_folds(folds),
        m_ranks(ranks),
        m_rows(upload(exec, "tessera::gp::fold_rows", folds.rows)),
        m_place(folds.rows.size()),
        m_end(folds.rows.size()),
        m_owner(folds.rows.size()),
        m_columns(static_cast<std::size_t>(ranks.size())),
        m_numbers(static_cast<std::size_t>(ranks.size())) {
    for (int rank = 0; rank < ranks.size(); ++rank) {
      const parallel::Range share = ranks.share_of(rank, folds.count());
      for (std::int64_t f = share.begin; f < share.end; ++f) {
        for (std::int64_t k = folds.first[f]; k < folds.first[f + 1]; ++k) {
          m_place[folds.rows[k]] = k;
          m_end[folds.rows[k]] = folds.first[f + 1];
          m_owner[folds.rows[k]] = rank;
        }
      }
    }
  }

  /// Takes from a panel of the precision matrix, which begins at this row and column, what it has
  /// of folds.
  void take(std::int64_t first, const linalg::Block& panel) {
    const std::vector<std::int64_t> begin(m_place.begin() + first,
                                          m_place.begin() + first + panel.columns),
        end(m_end.begin() + first, m_end.begin() + first + panel.columns);
    std::vector<std::int64_t> offset{0};
    for (std::size_t c = 0; c < begin.size(); ++c)
      offset.push_back(offset.back() + end[c] - begin[c]);
    const auto packed = allocate<Numbers>(m_exec, "tessera::gp::packed_folds", offset.back());
    Kokkos::parallel_for(
        "tessera::gp::pack_folds", teams(m_exec, panel.columns),
        PackFolds<ExecSpace>{panel, first, m_rows,
                             upload(m_exec, "tessera::gp::fold_begins", begin),
                             upload(m_exec, "tessera::gp::fold_ends", end),
                             upload(m_exec, "tessera::gp::fold_offsets", offset), packed});
    const std::vector<double> numbers = download(m_exec, packed);
    for (std::size_t c = 0; c < begin.size(); ++c) {
      const auto column = first + static_cast<std::int64_t>(c);
      const auto owner = static_cast<std::size_t>(m_owner[column]);
      m_columns[owner].push_back(column);
      m_numbers[owner].insert(m_numbers[owner].end(), numbers.begin() + offset[c],
                              numbers.begin() + offset[c + 1]);
    }
  }

  /// Returns what fold_errors returns, on every rank.
  std::optional<FoldErrors> solve(const Kokkos::View<double*, ExecSpace>& weight) {
    const auto columns = m_ranks.all_to_all(std::exchange(m_columns, {}));
    const auto numbers = m_ranks.all_to_all(std::exchange(m_numbers, {}));
    const parallel::Range share = m_ranks.share(m_folds.count());
    std::optional<FoldErrors> own = FoldErrors{};
    if (m_folds.first[share.end] > m_folds.first[share.begin])
      own = solve_own(share, columns, numbers, weight);
    if (m_ranks.min(own ? 1 : 0) == 0) return std::nullopt;
    const FoldErrors sorted{m_ranks.all_gather(own->error), m_ranks.all_gather(own->variance)};
    FoldErrors result{std::vector<double>(m_folds.rows.size()),
                      std::vector<double>(m_folds.rows.size())};
    for (std::size_t k = 0; k < m_folds.rows.size(); ++k) {
      result.error[m_folds.rows[k]] = sorted.error[k];
      result.variance[m_folds.rows[k]] = sorted.variance[k];
    }
    return result;
  }

 private:
  using Numbers = Kokkos::View<double*, ExecSpace>;

  /// The folds of `share`, whose points stand one fold after another: their matrices are a band.
  std::optional<FoldErrors> solve_own(parallel::Range share,
                                      const std::vector<std::vector<std::int64_t>>& columns,
                                      const std::vector<std::vector<double>>& numbers,
                                      const Kokkos::View<double*, ExecSpace>& weight) {
    const std::int64_t begin = m_folds.first[share.begin],
                       points = m_folds.first[share.end] - begin;
    std::vector<int> fold;
    std::int64_t width = 0;
    for (std::int64_t f = share.begin; f < share.end; ++f) {
      const std::int64_t size = m_folds.first[f + 1] - m_folds.first[f];
      width = std::max(width, size);
      fold.insert(fold.end(), static_cast<std::size_t>(size), static_cast<int>(f - share.begin));
    }
    // Columns of the band are `width` apart, so that rows up to `width` below the diagonal do not
    // meet.
    std::vector<double> band(static_cast<std::size_t>(points * (width + 1)));
    for (std::size_t rank = 0; rank < columns.size(); ++rank) {
      auto from = numbers[rank].begin();
      for (const std::int64_t column : columns[rank]) {
        const std::int64_t place = m_place[column] - begin, count = m_end[column] - m_place[column];
        std::copy_n(from, count, band.begin() + place * (width + 1));
        from += count;
      }
    }
    const Numbers device = upload(m_exec, "tessera::gp::fold_band", band);
    const auto weights = allocate<Numbers>(m_exec, "tessera::gp::fold_weights", points);
    Kokkos::parallel_for(
        "tessera::gp::gather",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, points),
        GatherElements<ExecSpace>{weight, weights,
                                  Kokkos::subview(m_rows, std::make_pair(begin, begin + points))});
    return fold_errors(m_exec, {device.data(), points, points, width}, weights, Folds(fold));
  }

  ExecSpace m_exec;
  const Folds& m_folds;
  parallel::Communicator m_ranks;
  Kokkos::View<const std::int64_t*, ExecSpace> m_rows;
  // the place of each point in the folds' rows, and the end of its fold there
  std::vector<std::int64_t> m_place, m_end;
  std::vector<int> m_owner;                          // of its fold
  std::vector<std::vector<std::int64_t>> m_columns;  // for each rank
  std::vector<std::vector<double>> m_numbers;
};

}  // namespace tessera::gp::detail

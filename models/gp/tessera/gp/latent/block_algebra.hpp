// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/latent/factor_products.hpp"

/// Sums and combinations of blocks of vectors, column by column. Sums are made of blocks of 256
/// points, in order, then of blocks of these, so that their bits do not depend on threads.

namespace tessera::gp::detail {

template <class ExecSpace>
using NumberView = Kokkos::View<double*, ExecSpace>;

/// partial(k, c) = sum over the k-th 256 rows of a(i, c) b(i, c), or of a(i, c) where b is empty.
template <class ExecSpace>
struct SumRows {
  static constexpr std::int64_t kRows = 256;
  static constexpr int kColumns = compat::is_gpu_v<ExecSpace> ? 1 : 8;

  VectorBlock<ExecSpace> a, b, partial;
  std::int64_t rows, blocks_of_row;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t block = k / blocks_of_row, begin = block * kRows,
                       end = compat::min(begin + kRows, rows);
    const int first = static_cast<int>(k % blocks_of_row) * kColumns,
              columns = static_cast<int>(a.extent(1)),
              count = first + kColumns <= columns ? kColumns : columns - first;
    double sum[kColumns] = {};
    for (std::int64_t i = begin; i < end; ++i) {
      for (int c = 0; c < count; ++c)
        sum[c] += b.extent(0) > 0 ? a(i, first + c) * b(i, first + c) : a(i, first + c);
    }
    for (int c = 0; c < count; ++c) partial(block, first + c) = sum[c];
  }
};

/// y(i, c) = first(c) y(i, c) + second(c) x(i, c)
template <class ExecSpace>
struct CombineColumns {
  VectorBlock<ExecSpace> y, x;
  NumberView<ExecSpace> first, second;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const auto columns = static_cast<std::int64_t>(y.extent(1));
    const std::int64_t i = k / columns, c = k % columns;
    y(i, c) = compat::multiply_add(second(c), x(i, c), first(c) * y(i, c));
  }
};

/// y(i, c) = x(i, c) scale(i), x(i, c) / scale(i), or y(i, c) + x(i, c) scale(i)
template <class ExecSpace>
struct ScaleRows {
  enum Kind { kMultiply, kDivide, kAdd };
  VectorBlock<ExecSpace> y, x;
  NumberView<ExecSpace> scale;
  Kind kind;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const auto columns = static_cast<std::int64_t>(y.extent(1));
    const std::int64_t i = k / columns, c = k % columns;
    y(i, c) = kind == kDivide     ? x(i, c) / scale(i)
              : kind == kMultiply ? x(i, c) * scale(i)
                                  : compat::multiply_add(scale(i), x(i, c), y(i, c));
  }
};

/// The operations on blocks of `rows` rows and at most `most` columns, with their workspace.
template <class ExecSpace>
class BlockAlgebra {
 public:
  using Block = VectorBlock<ExecSpace>;
  using Numbers = NumberView<ExecSpace>;

  BlockAlgebra() = default;
  BlockAlgebra(const ExecSpace& exec, std::int64_t rows, std::int64_t most) : m_exec(exec) {
    for (const char* label : {"tessera::gp::partial_sums", "tessera::gp::sums_of_sums"}) {
      rows = (rows + SumRows<ExecSpace>::kRows - 1) / SumRows<ExecSpace>::kRows;
      m_partial.push_back(allocate<Numbers>(exec, label, rows * most));
    }
    m_first = allocate<Numbers>(exec, "tessera::gp::first_coefficients", most);
    m_second = allocate<Numbers>(exec, "tessera::gp::second_coefficients", most);
  }

  /// Returns the sum of a(i, c) b(i, c) over i, for each column c; of a(i, c) where b is empty.
  std::vector<double> sum(Block a, Block b = {}) const {
    auto rows = static_cast<std::int64_t>(a.extent(0));
    const auto columns = static_cast<std::int64_t>(a.extent(1));
    constexpr std::int64_t kAtOnce = SumRows<ExecSpace>::kColumns;
    const std::int64_t blocks_of_row = (columns + kAtOnce - 1) / kAtOnce;
    int level = 0;
    do {
      const std::int64_t blocks =
          (rows + SumRows<ExecSpace>::kRows - 1) / SumRows<ExecSpace>::kRows;
      const Block partial(m_partial[static_cast<std::size_t>(level)].data(), blocks, columns);
      Kokkos::parallel_for("tessera::gp::sum_rows",
                           Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                               m_exec, 0, blocks * blocks_of_row),
                           SumRows<ExecSpace>{a, b, partial, rows, blocks_of_row});
      a = partial;
      b = {};
      rows = blocks;
      level = 1 - level;
    } while (rows > 1);
    std::vector<double> sums(static_cast<std::size_t>(columns));
    copy_to_host(m_exec, sums.data(), a.data(), sums.size());
    return sums;
  }

  /// y = first y + second x, with a number for each column.
  void combine(const Block& y, const std::vector<double>& first, const Block& x,
               const std::vector<double>& second) const {
    upload_to(m_exec, first, m_first);
    upload_to(m_exec, second, m_second);
    for_each_number("tessera::gp::combine_columns", y,
                    CombineColumns<ExecSpace>{y, x, m_first, m_second});
  }
  void multiply(const Block& y, const Block& x, const Numbers& scale) const {
    for_each_number("tessera::gp::multiply_rows", y,
                    ScaleRows<ExecSpace>{y, x, scale, ScaleRows<ExecSpace>::kMultiply});
  }
  void divide(const Block& y, const Block& x, const Numbers& scale) const {
    for_each_number("tessera::gp::divide_rows", y,
                    ScaleRows<ExecSpace>{y, x, scale, ScaleRows<ExecSpace>::kDivide});
  }
  void add(const Block& y, const Block& x, const Numbers& scale) const {
    for_each_number("tessera::gp::add_rows", y,
                    ScaleRows<ExecSpace>{y, x, scale, ScaleRows<ExecSpace>::kAdd});
  }
  void copy_block(const Block& to, const Block& from) const {
    copy(m_exec, to.data(), from.data(), to.span());
  }

  /// Runs a kernel once for every number of a block.
  template <class Kernel>
  void for_each_number(const std::string& label, const Block& block, const Kernel& kernel) const {
    const auto count = static_cast<std::int64_t>(block.extent(0) * block.extent(1));
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, count),
        kernel);
  }

 private:
  ExecSpace m_exec;
  std::vector<Numbers> m_partial;  // of sums, taken in turn
  Numbers m_first, m_second;
};

}  // namespace tessera::gp::detail

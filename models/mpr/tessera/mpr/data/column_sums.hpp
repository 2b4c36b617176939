// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace tessera::mpr {

/// Count, means and products of deviations of some numbers that come together, as many as columns.
/// Sums are shifted by the first numbers, so that large means do not spoil them; joined in the same
/// order they have the same bits. Host code.
class ColumnSums {
 public:
  ColumnSums() = default;
  explicit ColumnSums(std::size_t columns)
      : m_shift(columns, 0), m_sum(columns, 0), m_product(columns * (columns + 1) / 2, 0) {}

  /// x: a number of each column, `stride` apart.
  void add(const double* x, std::size_t stride) {
    const std::size_t p = m_shift.size();
    if (m_count == 0) {
      for (std::size_t j = 0; j < p; ++j) m_shift[j] = x[j * stride];
    }
    ++m_count;
    std::size_t at = 0;
    for (std::size_t j = 0; j < p; ++j) {
      const double d = x[j * stride] - m_shift[j];
      m_sum[j] += d;
      for (std::size_t k = 0; k <= j; ++k) m_product[at++] += d * (x[k * stride] - m_shift[k]);
    }
  }

  double count() const { return m_count; }
  double mean(std::size_t j) const { return m_count > 0 ? m_shift[j] + m_sum[j] / m_count : 0; }
  /// Sum of the products of the deviations of columns j and k <= j from their means.
  double product(std::size_t j, std::size_t k) const {
    return m_count > 0 ? m_product[j * (j + 1) / 2 + k] - m_sum[j] * m_sum[k] / m_count : 0;
  }

  /// Adds those of other numbers.
  void join(const ColumnSums& other) {
    if (other.m_count == 0) return;
    if (m_count == 0) {
      *this = other;
      return;
    }
    const std::size_t p = m_shift.size();
    // The others' sums with the shift of these.
    std::vector<double> moved(p);
    for (std::size_t j = 0; j < p; ++j)
      moved[j] = other.m_sum[j] + other.m_count * (other.m_shift[j] - m_shift[j]);
    std::size_t at = 0;
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = 0; k <= j; ++k)
        m_product[at++] += other.product(j, k) + moved[j] * moved[k] / other.m_count;
    }
    for (std::size_t j = 0; j < p; ++j) m_sum[j] += moved[j];
    m_count += other.m_count;
  }

  /// Conversions of the sums to numbers, of which there are size(columns), and back.
  static std::size_t size(std::size_t columns) {
    return 1 + 2 * columns + columns * (columns + 1) / 2;
  }
  void append_to(std::vector<double>& numbers) const {
    numbers.push_back(m_count);
    for (const std::vector<double>* part : {&m_shift, &m_sum, &m_product})
      numbers.insert(numbers.end(), part->begin(), part->end());
  }
  static ColumnSums from(const double* numbers, std::size_t columns) {
    ColumnSums sums(columns);
    sums.m_count = *numbers++;
    for (std::vector<double>* part : {&sums.m_shift, &sums.m_sum, &sums.m_product}) {
      for (double& number : *part) number = *numbers++;
    }
    return sums;
  }

 private:
  double m_count = 0;
  // Sums of the deviations from the shift; products of column j with those up to it
  std::vector<double> m_shift, m_sum, m_product;
};

}  // namespace tessera::mpr

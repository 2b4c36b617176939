// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/likelihood/design.hpp"

#include <algorithm>

namespace tessera::gp {

std::vector<double> DesignMatrix::expand() const {
  std::vector<double> all(rows * sparse, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = begin[i]; k < begin[i + 1]; ++k) all[i + column[k] * rows] += value[k];
  }
  for (const std::vector<double>& one : dense) all.insert(all.end(), one.begin(), one.end());
  return all;
}

DesignMatrix mean_rows(const DesignMatrix& design,
                       const std::vector<std::vector<std::size_t>>& members,
                       const std::vector<double>& share) {
  DesignMatrix means;
  means.rows = members.size();
  means.sparse = design.sparse;
  means.begin.push_back(0);
  means.dense.assign(design.dense.size(), std::vector<double>(members.size(), 0.0));
  for (std::size_t p = 0; p < members.size(); ++p) {
    for (const std::size_t i : members[p]) {
      for (std::size_t k = design.begin[i]; k < design.begin[i + 1]; ++k) {
        means.column.push_back(design.column[k]);  // perhaps again, which adds up
        means.value.push_back(share[i] * design.value[k]);
      }
      for (std::size_t k = 0; k < design.dense.size(); ++k)
        means.dense[k][p] += share[i] * design.dense[k][i];
    }
    means.begin.push_back(means.column.size());
  }
  return means;
}

DesignProducts::DesignProducts(const DesignMatrix& design)
    : m_design(design),
      m_row(design.columns(), 0.0),
      m_touched(design.sparse, 0),
      m_products(design.columns() * design.columns(), 0.0) {}

void DesignProducts::add_row(std::size_t row, double factor) {
  for (std::size_t k = m_design.begin[row]; k < m_design.begin[row + 1]; ++k) {
    const std::uint32_t column = m_design.column[k];
    if (m_touched[column] == 0) m_columns.push_back(column);
    m_touched[column] = 1;
    m_row[column] += factor * m_design.value[k];
  }
  for (std::size_t k = 0; k < m_design.dense.size(); ++k)
    m_row[m_design.sparse + k] += factor * m_design.dense[k][row];
}

void DesignProducts::close_row(double scale) {
  const std::size_t count = m_row.size();
  std::sort(m_columns.begin(), m_columns.end());
  for (std::size_t a = 0; a < m_columns.size(); ++a) {
    double* const to = m_products.data() + m_columns[a] * count;
    const double value = scale * m_row[m_columns[a]];
    for (std::size_t b = a; b < m_columns.size(); ++b)
      to[m_columns[b]] += value * m_row[m_columns[b]];
    for (std::size_t k = m_design.sparse; k < count; ++k) to[k] += value * m_row[k];
  }
  for (std::size_t j = m_design.sparse; j < count; ++j) {
    for (std::size_t k = j; k < count; ++k)
      m_products[k + j * count] += scale * m_row[j] * m_row[k];
  }
  for (const std::uint32_t column : m_columns) {
    m_row[column] = 0;
    m_touched[column] = 0;
  }
  std::fill(m_row.begin() + static_cast<std::ptrdiff_t>(m_design.sparse), m_row.end(), 0.0);
  m_columns.clear();
}

}  // namespace tessera::gp

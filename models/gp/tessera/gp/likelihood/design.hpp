// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera::gp {

/// The columns that observations are regressed on: first sparse ones, as the levels of a grouping,
/// of which a row has few numbers, then dense ones.
struct DesignMatrix {
  std::size_t rows = 0;
  std::size_t sparse = 0;  ///< number of sparse columns
  /// The numbers of row i are those from begin[i] to begin[i + 1], each with its column
  std::vector<std::size_t> begin;
  std::vector<std::uint32_t> column;
  std::vector<double> value;
  std::vector<std::vector<double>> dense;

  std::size_t columns() const { return sparse + dense.size(); }

  /// Returns all numbers, a column after another.
  std::vector<double> expand() const;
};

/// Returns the means of rows of a design: of each list of rows one, with the share of each row.
DesignMatrix mean_rows(const DesignMatrix& design,
                       const std::vector<std::vector<std::size_t>>& members,
                       const std::vector<double>& share);

/// The products B' B of combinations of the rows of a design, added row by row, in the order in
/// which they come. The cost of a row is the square of the columns that its combination touches.
class DesignProducts {
 public:
  explicit DesignProducts(const DesignMatrix& design);

  /// Adds a row of the design, times a factor, to the row that is being made.
  void add_row(std::size_t row, double factor);

  /// Adds the products of the row that is made, times a scale, and begins another one.
  void close_row(double scale);

  /// Returns the products column by column; the lower triangle counts.
  std::vector<double> take() { return std::move(m_products); }

 private:
  const DesignMatrix& m_design;
  std::vector<double> m_row;             // of all columns
  std::vector<char> m_touched;           // which sparse columns have numbers,
  std::vector<std::uint32_t> m_columns;  // and their list
  std::vector<double> m_products;
};

}  // namespace tessera::gp

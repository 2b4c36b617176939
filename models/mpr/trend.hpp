// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// Trends: values are X b + u, with the columns of X given at all sites and the field u that the model knows. Host code.

namespace tessera::mpr {

struct Field;
struct TrendParameters;

/// The columns of X, each less a constant and over a scale, so that their sizes are alike. Constants make no difference: the level of u is
/// left open.
class Trend {
 public:
  struct Column {
    std::string name;
    std::vector<double> values;  ///< scaled, of a period of sites
    double scale = 1;            ///< what the values were divided by
  };

  /// The fields that the parameters name and the monomials of x, y (and z), which run from -1 at the first column, row or layer to 1 at the
  /// last; the period is that of the longest field, at least a frame. Throws Error as read_companion does, Error (input) where a column is
  /// constant or, among the samples of a frame, a combination of the others. `failed`, if given, receives the number of the field that an
  /// error is about, -1 where it is none.
  static Trend make(const TrendParameters& parameters, const Field& field, int* failed = nullptr);

  std::size_t size() const { return m_columns.size(); }
  std::size_t period() const { return m_period; }
  const std::vector<Column>& columns() const { return m_columns; }
  /// Of a site that is numbered through all frames.
  double value(std::size_t column, std::size_t site) const {
    const std::vector<double>& values = m_columns[column].values;
    return values[site % values.size()];
  }

 private:
  void add_monomials(const Field& field, int degree);
  /// Brings a column to the mean 0 and the standard deviation 1 over sites that are not inactive; false where it is constant.
  static bool standardize(Column& column, const Field& field);
  /// The first column that the samples of a frame do not tell from those before it; size() where there is none.
  std::size_t find_dependent(const Field& field, int frame) const;

  std::vector<Column> m_columns;
  std::size_t m_period = 0;
};

/// Coefficients of a trend in one frame, in units of the (transformed) values over those of the column.
struct TrendReport {
  std::vector<double> coefficient, error;  ///< and standard errors
};

/// "elevation -0.0065 +- 0.0002, x 1.2 +- 0.3"
std::string describe_trend(const Trend& trend, const TrendReport& report);

}  // namespace tessera::mpr

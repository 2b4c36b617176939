// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Trends: values are X b + u, with the columns of X given at all sites and the field u that the
/// model knows. Host code.

namespace tessera::mpr {

struct Field;
struct Grid;
struct TrendParameters;

/// A product of powers of the coordinates, which run from -1 at the first column, row or layer to 1
/// at the last.
struct Monomial {
  std::string name;  ///< "xxy"
  std::array<int, 3> power;
  double at(const Grid& grid, const std::array<std::int64_t, 3>& place) const;
};

/// All of degrees 1 ... degree of which the grid has enough columns, rows and layers: x, y, z, xx,
/// xy, xz, yy, yz, zz.
std::vector<Monomial> monomials(const Grid& grid, int degree);

/// Errors (input) of a field that is constant, and of a column that the samples do not tell from
/// others. where: " of frame 3", or "".
[[noreturn]] void throw_constant_field(const std::string& file);
[[noreturn]] void throw_dependent_column(const std::string& where, const std::string& column);

/// "elevation" of "/data/elevation.tif", or of the dataset "/land/elevation".
std::string name_of_column(const std::string& file, const std::string& dataset);

/// The columns of X, each less a constant and over a scale, so that their sizes are alike.
/// Constants make no difference: the level of u is left open.
class Trend {
 public:
  struct Column {
    std::string name;
    std::vector<double> values = {};  ///< scaled, of a period of sites
    double scale = 1;                 ///< what the values were divided by
    double centre = 0;                ///< what was taken off them before
  };

  Trend() = default;
  /// Columns whose values stay in their files.
  explicit Trend(std::vector<Column> columns) : m_columns(std::move(columns)) {}

  /// The fields that the parameters name and the monomials of x, y (and z), which run from -1 at
  /// the first column, row or layer to 1 at the last; the period is that of the longest field, at
  /// least a frame. Throws Error as read_companion does, Error (input) where a column is constant
  /// or, among the samples of a frame, a combination of the others. `failed`, if given, receives
  /// the number of the field that an error is about, -1 where it is none.
  static Trend make(const TrendParameters& parameters, const Field& field, int* failed = nullptr);

  std::size_t size() const { return m_columns.size(); }
  std::size_t period() const { return m_period; }
  const std::vector<Column>& columns() const { return m_columns; }
  /// Returns the value at a site that is numbered through all frames.
  double value(std::size_t column, std::size_t site) const {
    const std::vector<double>& values = m_columns[column].values;
    return values[site % values.size()];
  }

  /// The first column that samples do not tell from those before it; its size where there is none.
  /// products: of the deviations of the scaled columns of so many samples from their means, the
  /// lower triangle.
  static std::size_t find_dependent(std::vector<std::vector<double>> products, double samples);

 private:
  void add_monomials(const Field& field, int degree);
  /// Brings a column to the mean 0 and the standard deviation 1 over sites that are not inactive;
  /// false where it is constant.
  static bool standardize(Column& column, const Field& field);
  std::size_t find_dependent(const Field& field, int frame) const;

  std::vector<Column> m_columns;
  std::size_t m_period = 0;
};

/// Coefficients of a trend in one frame, in units of the (transformed) values over those of the
/// column.
struct TrendReport {
  std::vector<double> coefficient, error;  ///< and standard errors
};

/// "elevation -0.0065 +- 0.0002, x 1.2 +- 0.3"
std::string describe_trend(const Trend& trend, const TrendReport& report);

}  // namespace tessera::mpr

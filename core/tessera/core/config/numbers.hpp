// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/config/section.hpp"

namespace tessera::config {

/// `count` numbers from `first` to `last`, both included: evenly spaced, or by even ratios. Number
/// i of evenly spaced ones is first + (last - first) f with f = i / (count - 1), or, with
/// `product_first`, first + ((last - first) i) / (count - 1), which may differ in the last bit.
struct Range {
  double first = 0, last = 0;
  std::size_t count = 0;  ///< 0: no range
  bool logarithmic = false;
  bool product_first = false;

  std::vector<double> numbers() const;
};

/// Numbers that an input gives. Those of a range are counted when the input is read, and made at
/// their first use: all that checking an input needs of a thousand million of them is how many
/// there are and where they end. Copies share the numbers. For one thread at a time.
class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(std::vector<double> values);
  explicit Numbers(const Range& range);

  /// The `count` numbers that `make` returns.
  Numbers(std::size_t count, std::function<std::vector<double>()> make);

  std::size_t size() const;
  bool empty() const { return size() == 0; }

  /// Returns whether the numbers are in memory.
  bool is_made() const;

  /// Returns whether one of the numbers is `x`; of those of a range only the first and the last are
  /// looked at.
  bool includes(double x) const;

  /// The numbers. Throws Error (resource) when there is no memory for them.
  const std::vector<double>& values() const;

  /// The numbers in single precision. Throws Error (input) for one that is beyond its range, where
  /// it would be rounded to 0 or to infinity; `key` is what the input calls them.
  std::vector<float> in_single_precision(const std::string& key) const;
  /// The numbers in the precision of Real, which are double or float.
  template <class Real>
  std::vector<Real> in_precision(const std::string& key) const {
    if constexpr (sizeof(Real) == sizeof(float)) {
      return in_single_precision(key);
    } else {
      return values();
    }
  }

  operator const std::vector<double>&() const { return values(); }
  auto begin() const { return values().begin(); }
  auto end() const { return values().end(); }
  const double* data() const { return values().data(); }
  double operator[](std::size_t i) const { return values()[i]; }

 private:
  struct State {
    std::size_t count = 0;
    std::optional<Range> range;
    std::function<std::vector<double>()> make;  // empty: they are made
    std::vector<double> values;
  };
  std::shared_ptr<State> m_state;  // null: no numbers
};

/// The options of a list of numbers: what it may be, and what it is when the input says nothing.
struct NumbersOptions {
  std::string doc;
  double low = -std::numeric_limits<double>::infinity();  ///< limits of the numbers in the input
  double high = std::numeric_limits<double>::infinity();
  Range fallback;             ///< its `product_first` holds for ranges in the input, too
  bool limits_files = false;  ///< whether the limits hold for the numbers of a file, too
  double most = 1e9;          ///< numbers in a range: a power of ten
};

/// Reads `key`, whose value is spelt in one of these ways, the same in every input:
///
///     key: 0.5                               one number
///     key: [0, 0.5, 2]                       a list
///     key: {linspace: [0, 10, 101]}          101 numbers from 0 to 10, evenly spaced
///     key: {logspace: [0.001, 100, 401]}     401 numbers from 0.001 to 100, by even ratios
///     key: {file: data.csv, column: x}       a column of a text file or an .npy array (see
///                                            io::read_columns)
///     key: {file: data.h5, dataset: /x}      a dataset of an HDF5 file
///
/// A column may have missing values, which read as NaN. What is wrong is recorded in the section; a
/// file that cannot be read is an Error (file).
Numbers read_numbers(Section& in, const std::string& key, const NumbersOptions& options);

/// A file with a column, of which other keys of the section are independent.
struct ColumnSource {
  std::string file, column;  ///< the column's name or number, or the path of a dataset
};

/// Declares `file`, `column` and `dataset` in `in` itself, for sections that hold them among
/// others.
ColumnSource read_column_source(Section& in, const std::string& doc);

/// The numbers of that column; what is wrong in the file is recorded at `key` of the section.
std::vector<double> load_column(Section& in, const ColumnSource& source,
                                const std::string& key = "file");

}  // namespace tessera::config

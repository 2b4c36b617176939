// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/expression/tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/core/expression/table_checks.hpp"

namespace tessera::expression {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr std::size_t kRowsOfChebyshev = 8, kRowsOfSlope = 5;

/// The polynomial through some rows of a table, in barycentric form (Berrut and Trefethen, SIAM
/// Review 46 (2004) 501).
class RowPolynomial {
 public:
  RowPolynomial(const double* times, const double* values, std::size_t count)
      : m_times(times), m_values(values), m_weight(count, 1.0) {
    const double span = times[count - 1] - times[0];
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        if (i != j) m_weight[i] /= (times[i] - times[j]) / span;
      }
    }
  }

  double value(double t) const {
    double above = 0, below = 0;
    for (std::size_t i = 0; i < m_weight.size(); ++i) {
      if (t == m_times[i]) return m_values[i];
      const double share = m_weight[i] / (t - m_times[i]);
      above += share * m_values[i];
      below += share;
    }
    return above / below;
  }

  /// Returns the slope at row i.
  double slope(std::size_t i) const {
    double sum = 0;
    for (std::size_t j = 0; j < m_weight.size(); ++j) {
      if (j != i)
        sum += m_weight[j] / m_weight[i] * (m_values[j] - m_values[i]) / (m_times[i] - m_times[j]);
    }
    return sum;
  }

 private:
  const double* m_times;
  const double* m_values;
  std::vector<double> m_weight;
};

/// The first of `count` rows, of `rows`, that lie around place `middle` (of twice the row's number)
/// as evenly as they can.
std::size_t first_around(std::size_t twice_middle, std::size_t count, std::size_t rows) {
  const std::size_t reach = count - 1;
  const std::size_t first = twice_middle > reach ? (twice_middle - reach) / 2 : 0;
  return std::min(first, rows - count);
}

std::vector<double> estimate_slopes(const std::vector<double>& times,
                                    const std::vector<double>& values) {
  const std::size_t rows = times.size(), count = std::min(kRowsOfSlope, rows);
  std::vector<double> slopes;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t first = first_around(2 * i, count, rows);
    slopes.push_back(
        RowPolynomial(times.data() + first, values.data() + first, count).slope(i - first));
  }
  return slopes;
}

/// Adds the Chebyshev series of a polynomial of `terms` coefficients on [low, high], which `value`
/// evaluates.
template <class Value>
void add_series(double low, double high, std::uint32_t terms, const Value& value,
                std::vector<double>& numbers) {
  std::vector<double> sample(terms);
  for (std::uint32_t j = 0; j < terms; ++j) {
    const double s = std::cos(kPi * (j + 0.5) / terms);
    sample[j] = value(0.5 * (low * (1 - s) + high * (1 + s)));
  }
  for (std::uint32_t k = 0; k < terms; ++k) {
    double sum = 0;
    for (std::uint32_t j = 0; j < terms; ++j)
      sum += sample[j] * std::cos(kPi * k * (j + 0.5) / terms);
    numbers.push_back(sum * (k == 0 ? 1.0 : 2.0) / terms);
  }
}

/// The cubic with these values and slopes at both ends.
double cubic(double t, double low, double high, double at_low, double at_high, double slope_low,
             double slope_high) {
  const double h = high - low, u = (t - low) / h, v = (high - t) / h;
  return v * v * (at_low * (1 + 2 * u) + slope_low * h * u) +
         u * u * (at_high * (1 + 2 * v) - slope_high * h * v);
}

}  // namespace

int TableSet::add(const std::vector<double>& times, const std::vector<double>& values,
                  Interpolation interpolation, const std::vector<double>& slopes) {
  const std::size_t rows = times.size();
  if (rows < 2 || values.size() != rows || (!slopes.empty() && slopes.size() != rows)) {
    throw Error(ErrorKind::input, "a table needs two rows at least, and a value at each time");
  }
  for (std::size_t i = 1; i < rows; ++i) {
    if (!(times[i] > times[i - 1]))
      throw Error(ErrorKind::input,
                  "the times of a table must ascend: row " + std::to_string(i + 1));
  }
  const std::size_t around = std::min(kRowsOfChebyshev, rows);
  Tables::Function function;
  function.pieces = static_cast<std::uint32_t>(rows - 1);
  function.terms = interpolation == Interpolation::linear    ? 2
                   : interpolation == Interpolation::hermite ? 4
                                                             : static_cast<std::uint32_t>(around);
  function.knots = m_numbers.size();
  m_numbers.insert(m_numbers.end(), times.begin(), times.end());
  function.series = m_numbers.size();
  const std::vector<double> rates = interpolation == Interpolation::hermite && slopes.empty()
                                        ? estimate_slopes(times, values)
                                        : slopes;
  for (std::size_t i = 0; i + 1 < rows; ++i) {
    const double low = times[i], high = times[i + 1];
    const auto add_piece = [&](const auto& value) {
      add_series(low, high, function.terms, value, m_numbers);
    };
    if (interpolation == Interpolation::linear) {
      add_piece([&](double t) {
        return (values[i] * (high - t) + values[i + 1] * (t - low)) / (high - low);
      });
    } else if (interpolation == Interpolation::hermite) {
      add_piece([&](double t) {
        return cubic(t, low, high, values[i], values[i + 1], rates[i], rates[i + 1]);
      });
    } else {
      const std::size_t first = first_around(2 * i + 1, around, rows);
      const RowPolynomial polynomial(times.data() + first, values.data() + first, around);
      add_piece([&](double t) { return polynomial.value(t); });
    }
  }
  m_functions.push_back(function);
  return static_cast<int>(m_functions.size()) - 1;
}

namespace {

/// Rows of a table, by number.
using RowNumbers = std::vector<std::size_t>;

/// An estimator of the errors between the rows of a table, by leaving out rows.
class LeftOutRows {
 public:
  LeftOutRows(const std::vector<double>& times, const std::vector<double>& values,
              Interpolation interpolation, const std::vector<double>& slopes)
      : m_times(times), m_values(values), m_slopes(slopes), m_interpolation(interpolation) {}

  /// Leaves out every second one of `rows`, once the odd and once the even, and adds the errors at
  /// those of them behind which or before which the whole table has an interval longer than
  /// `shortest`.
  void leave_out(const RowNumbers& rows, double shortest) {
    for (const std::size_t first : {std::size_t(0), std::size_t(1)}) {
      std::vector<double> times, values, slopes;
      for (std::size_t k = first; k < rows.size(); k += 2) {
        times.push_back(m_times[rows[k]]);
        values.push_back(m_values[rows[k]]);
        if (!m_slopes.empty()) slopes.push_back(m_slopes[rows[k]]);
      }
      if (times.size() < 2) continue;
      m_fewest = std::min(m_fewest, times.size());
      TableSet kept;
      const int f = kept.add(times, values, m_interpolation, slopes);
      for (std::size_t k = first + 1; k + 1 < rows.size(); k += 2) {
        const std::size_t i = rows[k];
        if (longest_interval_at(i) > shortest)
          m_errors.push_back(std::fabs(kept.tables()(f, m_times[i]) - m_values[i]));
      }
    }
  }

  double longest_interval_at(std::size_t i) const {
    const double before = i > 0 ? m_times[i] - m_times[i - 1] : 0;
    return i + 1 < m_times.size() ? std::max(before, m_times[i + 1] - m_times[i]) : before;
  }

  std::vector<double>& errors() { return m_errors; }
  std::size_t fewest() const { return m_fewest; }  ///< rows that were kept

 private:
  const std::vector<double>& m_times;
  const std::vector<double>& m_values;
  const std::vector<double>& m_slopes;
  Interpolation m_interpolation;
  std::vector<double> m_errors;
  std::size_t m_fewest = std::numeric_limits<std::size_t>::max();
};

/// Rows at least `apart` from each other.
RowNumbers thinned(const std::vector<double>& times, double apart) {
  RowNumbers rows{0};
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] - times[rows.back()] >= apart) rows.push_back(i);
  }
  return rows;
}

/// The longest interval between two rows that is not longer than `bound`, or 0.
double longest_interval(const std::vector<double>& times, double bound) {
  double longest = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double interval = times[i] - times[i - 1];
    if (interval <= bound) longest = std::max(longest, interval);
  }
  return longest;
}

}  // namespace

double estimate_interpolation_error(const std::vector<double>& times,
                                    const std::vector<double>& values, Interpolation interpolation,
                                    const std::vector<double>& slopes) {
  const std::size_t rows = times.size();
  if (rows < 3) return 0;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const double range = *greatest - *least;
  if (!(range > 0)) return 0;
  // A row tells nothing about a long interval if another one close to it stays. So the intervals
  // are looked at by their lengths, from the longest on, and rows that are closer to each other
  // than half of such a length count as one.
  LeftOutRows left_out(times, values, interpolation, slopes);
  for (double longest = longest_interval(times, std::numeric_limits<double>::max()); longest > 0;
       longest = longest_interval(times, 0.5 * longest)) {
    left_out.leave_out(thinned(times, 0.5 * longest), 0.5 * longest);
  }
  std::vector<double>& errors = left_out.errors();
  for (double& error : errors) error /= range;
  const std::size_t fewest = left_out.fewest();
  if (errors.empty()) return 0;
  if (interpolation == Interpolation::linear) {
    std::nth_element(errors.begin(),
                     errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2), errors.end());
    const double middle = errors[errors.size() / 2];
    errors.assign(1, middle);
  }
  constexpr double kSmall = 0.1;  // of the range
  const double error = *std::max_element(errors.begin(), errors.end());
  const std::size_t highest = interpolation == Interpolation::linear    ? 2
                              : interpolation == Interpolation::hermite ? 4
                                                                        : kRowsOfChebyshev;
  return error < kSmall
             ? std::ldexp(error,
                          -static_cast<int>(slopes.empty() ? std::min(highest, fewest) : highest))
             : error;
}

std::size_t count_rows_until(double t, const std::vector<double>& times,
                             Interpolation interpolation, bool has_slopes) {
  const std::size_t rows = times.size();
  if (rows < 2) return rows;
  const auto behind = static_cast<std::size_t>(
      std::upper_bound(times.begin() + 1, times.end() - 1, t) - times.begin());
  if (interpolation == Interpolation::linear ||
      (interpolation == Interpolation::hermite && has_slopes))
    return behind + 1;
  const std::size_t around =
      std::min(interpolation == Interpolation::hermite ? kRowsOfSlope : kRowsOfChebyshev, rows);
  const std::size_t twice_middle =
      interpolation == Interpolation::hermite ? 2 * behind : 2 * behind - 1;
  return std::max(first_around(twice_middle, around, rows) + around, behind + 1);
}

int TableSet::add_rate(int f) {
  const Tables::Function of = m_functions.at(static_cast<std::size_t>(f));
  Tables::Function rate = of;
  rate.terms = of.terms - 1;
  rate.series = m_numbers.size();
  for (std::uint32_t piece = 0; piece < of.pieces; ++piece) {
    const std::size_t from = of.series + static_cast<std::size_t>(piece) * of.terms;
    const double scale = 2 / (m_numbers[of.knots + piece + 1] - m_numbers[of.knots + piece]);
    // The terms of the derivative with respect to s: c'_k = c'_{k+2} + 2 (k + 1) c_{k+1}
    std::vector<double> term(of.terms + 1, 0.0);
    for (std::uint32_t k = rate.terms; k-- > 0;)
      term[k] = (k + 2 < term.size() ? term[k + 2] : 0) + 2.0 * (k + 1) * m_numbers[from + k + 1];
    term[0] /= 2;
    for (std::uint32_t k = 0; k < rate.terms; ++k) m_numbers.push_back(scale * term[k]);
  }
  m_functions.push_back(rate);
  return static_cast<int>(m_functions.size()) - 1;
}

}  // namespace tessera::expression

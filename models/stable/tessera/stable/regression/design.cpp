// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/regression/design.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/core/error.hpp"
#include "tessera/stable/fit/optimizer.hpp"

namespace tessera::stable::detail {

namespace {

[[noreturn]] void fail(const std::string& what, const std::string& remedy) {
  throw Error(ErrorKind::input, "stable: " + what, remedy);
}

void require_columns(const std::vector<DesignColumn>& columns, std::size_t rows,
                     const std::string& what) {
  if (columns.empty())
    fail("the " + what + " of a regression has no columns", "give it a constant at least");
  for (const DesignColumn& column : columns) {
    if (column.values.size() != rows) {
      fail("'" + column.name + "' has " + std::to_string(column.values.size()) + " values for " +
               std::to_string(rows) + " rows",
           "");
    }
  }
}

/// The fault that keeps a task from being a regression: its status then, and for a message what is
/// wrong and what to do.
struct Fault {
  FitStatus status = FitStatus::converged;  ///< no fault
  std::string what, remedy;
};

/// The first value of the rows of a task that is no finite number.
Fault find_infinite(const std::string& name, const std::vector<double>& values,
                    const RegressionTask& task) {
  for (std::int64_t row = task.begin; row < task.begin + task.count; ++row) {
    if (std::isfinite(values[static_cast<std::size_t>(row)])) continue;
    return {FitStatus::not_finite,
            "row " + std::to_string(row + 1) + " of '" + name + "' is not a finite number",
            "mend it or leave the row out"};
  }
  return {};
}

Fault find_infinite(const Design& design, const std::vector<double>& response,
                    const RegressionTask& task) {
  Fault fault = find_infinite("y", response, task);
  for (const auto* columns : {&design.location, &design.scale}) {
    for (const DesignColumn& column : *columns) {
      if (fault.status == FitStatus::converged)
        fault = find_infinite(column.name, column.values, task);
    }
  }
  return fault;
}

/// The rows of a task in the order of the device: exact ones, then those censored on the right,
/// then the others.
void order_rows(const std::vector<int>& censored, const RegressionTask& task,
                DeviceRegressionTask& out, std::vector<std::size_t>& order) {
  order.clear();
  const auto add = [&](int kind) {
    for (std::int64_t row = task.begin; row < task.begin + task.count; ++row) {
      const auto i = static_cast<std::size_t>(row);
      if ((censored.empty() ? 0 : censored[i]) == kind) order.push_back(i);
    }
  };
  add(0);
  out.exact = static_cast<std::int32_t>(order.size());
  if (censored.empty()) return;
  add(1);
  out.right = static_cast<std::int32_t>(order.size()) - out.exact;
  add(-1);
}

void require_marks(const Design& design, std::size_t rows) {
  if (design.censored.empty()) return;
  if (design.censored.size() != rows) {
    fail(std::to_string(design.censored.size()) + " marks of censored rows for " +
             std::to_string(rows) + " rows",
         "");
  }
  const auto bad = std::find_if(design.censored.begin(), design.censored.end(),
                                [](int mark) { return mark < -1 || mark > 1; });
  if (bad != design.censored.end()) {
    fail("row " + std::to_string(bad - design.censored.begin() + 1) + " is marked " +
             std::to_string(*bad),
         "mark rows with 0 (exact), 1 (at least) or -1 (at most)");
  }
}

/// The sum of products, in eight sums that processors find at once.
double multiply(const double* a, const double* b, std::size_t n) {
  constexpr std::size_t kLanes = 8;
  double lanes[kLanes] = {}, sum = 0;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += a[i + k] * b[i + k];
  }
  for (; i < n; ++i) sum += a[i] * b[i];
  for (const double lane : lanes) sum += lane;
  return sum;
}

Fault describe_dependence(const std::vector<DesignColumn>& columns, std::size_t j,
                          const RegressionTask& task) {
  std::string names;
  for (std::size_t k = 0; k < j; ++k) names += (k == 0 ? "'" : ", '") + columns[k].name + "'";
  return {FitStatus::collinear,
          j == 0 ? "'" + columns[j].name + "' is 0 in all rows of a regression"
                 : "'" + columns[j].name + "' is collinear with " + names + " in rows " +
                       std::to_string(task.begin + 1) + " to " +
                       std::to_string(task.begin + task.count),
          "leave it out"};
}

/// The power of two just above the largest of so many numbers; 1 where all are 0.
double power_of_two(const double* x, std::size_t count) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(x[i]));
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, std::min(exponent, 1023));
}

/// Makes columns orthonormal by Gram's and Schmidt's method, twice for their digits: out[i * stride
/// + j]; R to `back`, row by row. A column is collinear when less than 1e-9 of it is left. `q`:
/// room.
Fault make_orthonormal(const std::vector<DesignColumn>& columns, const RegressionTask& task,
                       const std::vector<std::size_t>& order, double* out, std::size_t stride,
                       std::size_t skip, std::vector<double>& back, std::vector<double>& q) {
  const std::size_t size = columns.size(), first = back.size(), rows = order.size();
  const auto count = static_cast<double>(rows);
  back.resize(first + size * size, 0.0);
  q.resize(size * rows);
  for (std::size_t j = 0; j < size; ++j) {
    double* const column = q.data() + j * rows;
    for (std::size_t i = 0; i < rows; ++i) column[i] = columns[j].values[order[i]];
    const double unit = power_of_two(column, rows);
    for (std::size_t i = 0; i < rows; ++i) column[i] /= unit;
    const double before = multiply(column, column, rows);
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t k = 0; k < j; ++k) {
        const double* const other = q.data() + k * rows;
        const double product = multiply(other, column, rows) / count;
        for (std::size_t i = 0; i < rows; ++i) column[i] -= product * other[i];
        back[first + k * size + j] += product;
      }
    }
    const double left = multiply(column, column, rows);
    if (!(left > 1e-18 * before)) return describe_dependence(columns, j, task);
    const double norm = std::sqrt(left / count);
    back[first + j * size + j] = norm;
    for (std::size_t k = 0; k <= j; ++k) back[first + k * size + j] *= unit;
    for (std::size_t i = 0; i < rows; ++i) column[i] /= norm;
    if (j < skip) continue;
    for (std::size_t i = 0; i < rows; ++i) out[i * stride + j - skip] = column[i];
  }
  return {};
}

/// The inverse of an upper triangle of `size` rows.
std::vector<double> invert_triangle(const double* r, std::size_t size) {
  std::vector<double> inverse(size * size, 0.0);
  for (std::size_t c = 0; c < size; ++c) {
    for (std::size_t i = c + 1; i-- > 0;) {
      double v = i == c ? 1 : 0;
      for (std::size_t k = i + 1; k <= c; ++k) v -= r[i * size + k] * inverse[k * size + c];
      inverse[i * size + c] = v / r[i * size + i];
    }
  }
  return inverse;
}

void require_task(const RegressionTask& task, const std::string& name, std::size_t rows) {
  if (task.begin < 0 || task.count < 0 ||
      task.begin + task.count > static_cast<std::int64_t>(rows)) {
    fail(name + " covers rows " + std::to_string(task.begin) + " to " +
             std::to_string(task.begin + task.count) + " of " + std::to_string(rows),
         "");
  }
  if ((task.is_fixed(0) && !(task.fixed_value[0] >= 0.1 && task.fixed_value[0] <= 2)) ||
      (task.is_fixed(1) && !(std::fabs(task.fixed_value[1]) <= 1))) {
    fail(name + " fixes a parameter out of its range", "alpha is from 0.1 to 2, beta from -1 to 1");
  }
}

void require_constant(const DesignColumn& column, const RegressionTask& task) {
  for (std::int64_t row = task.begin; row < task.begin + task.count; ++row) {
    if (column.values[static_cast<std::size_t>(row)] == 1) continue;
    fail("the first column of the scale, '" + column.name + "', is not 1 everywhere",
         "begin the scale with a constant");
  }
}

Fault find_shortage(std::int32_t exact, std::int32_t count, int columns, const std::string& name) {
  if (exact >= columns + 5) return {};
  return {FitStatus::too_few,
          name + " has " + std::to_string(exact) + (exact < count ? " exact" : "") + " rows for " +
              std::to_string(columns) + " columns",
          "give at least five rows more than columns"};
}

}  // namespace

PreparedDesign::PreparedDesign(const Design& design, const std::vector<double>& response,
                               const std::vector<RegressionTask>& given, bool pass_over)
    : m_location(static_cast<int>(design.location.size())),
      m_scale(static_cast<int>(design.scale.size())) {
  require_columns(design.location, response.size(), "location");
  require_columns(design.scale, response.size(), "scale");
  require_marks(design, response.size());
  if (m_location + m_scale > kMostRegressors) {
    fail(std::to_string(m_location + m_scale) + " columns of location and scale",
         "give at most " + std::to_string(kMostRegressors));
  }
  const std::size_t stride = static_cast<std::size_t>(m_location + m_scale - 1);
  std::size_t rows = 0;
  for (const RegressionTask& task : given)
    rows += static_cast<std::size_t>(std::max(task.count, 0));
  columns.resize(rows * stride);
  y.reserve(rows);
  std::vector<std::size_t> order;
  std::vector<double> room;
  for (std::size_t k = 0; k < given.size(); ++k) {
    const RegressionTask& task = given[k];
    const std::string name = "regression " + std::to_string(k);
    require_task(task, name, response.size());
    DeviceRegressionTask own;
    own.begin = static_cast<std::int64_t>(y.size());
    own.fixed = task.fixed;
    for (int i = 0; i < 2; ++i) own.fixed_value[i] = task.fixed_value[i];
    std::vector<double>& back = m_back.emplace_back();
    order_rows(design.censored, task, own, order);
    Fault fault = find_infinite(design, response, task);
    if (fault.status == FitStatus::converged) {
      require_constant(design.scale.front(), task);
      fault = find_shortage(own.exact, task.count, m_location + m_scale, name);
    }
    double* const out = columns.data() + y.size() * stride;
    if (fault.status == FitStatus::converged)
      fault = make_orthonormal(design.location, task, order, out, stride, 0, back, room);
    if (fault.status == FitStatus::converged) {
      fault = make_orthonormal(design.scale, task, order, out + m_location, stride, 1, back, room);
    }
    if (fault.status == FitStatus::converged) {
      own.count = task.count;
      for (const std::size_t row : order) y.push_back(response[row]);
    } else if (pass_over) {
      own.fault = fault.status;
    } else {
      fail(fault.what, fault.remedy);
    }
    tasks.push_back(own);
  }
}

RegressionResult PreparedDesign::restore(std::size_t task, const DeviceRegression& found) const {
  const std::size_t p = static_cast<std::size_t>(m_location), q = static_cast<std::size_t>(m_scale),
                    n = 2 + p + q;
  RegressionResult result;
  result.status = found.status;
  result.location.assign(p, NAN);
  result.scale.assign(q, NAN);
  result.standard_error.assign(n, NAN);
  result.covariance.assign(n * n, NAN);
  if (found.status > FitStatus::not_converged) return result;
  result.alpha = found.parameter[0];
  result.beta = found.parameter[1];
  result.log_likelihood = found.log_likelihood;
  result.gradient_norm = found.gradient_norm;
  result.iterations = found.iterations;
  result.evaluations = found.evaluations;
  // The coefficients of given columns are R^-1 times those of the orthonormal ones, which the
  // device has as alpha, beta, ln sigma, locations, scale: transform[parameter here][parameter
  // there].
  std::vector<double> transform(n * n, 0.0);
  transform[0] = transform[n + 1] = 1;
  const std::vector<double> location = invert_triangle(m_back[task].data(), p),
                            scale = invert_triangle(m_back[task].data() + p * p, q);
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t j = 0; j < p; ++j) transform[(2 + i) * n + 3 + j] = location[i * p + j];
  }
  for (std::size_t i = 0; i < q; ++i) {
    for (std::size_t j = 0; j < q; ++j)
      transform[(2 + p + i) * n + (j == 0 ? 2 : 2 + p + j)] = scale[i * q + j];
  }
  std::vector<double> value(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) value[i] += transform[i * n + j] * found.parameter[j];
  }
  const auto at = [&](std::size_t i) { return value.begin() + static_cast<std::ptrdiff_t>(i); };
  result.location.assign(at(2), at(2 + p));
  result.scale.assign(at(2 + p), at(n));
  if (!found.has_covariance) return result;
  // products of these rows, whose largest entries are near 1, neither overflow nor vanish
  std::vector<double> unit(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = transform.data() + i * n;
    unit[i] = power_of_two(row, n);
    for (std::size_t j = 0; j < n; ++j) row[j] /= unit[i];
    if (i >= 2 && i < 2 + p) unit[i] *= std::exp(found.parameter[2]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t l = 0; l < n; ++l) {
          const double factor = transform[i * n + k] * transform[j * n + l];
          if (factor != 0) sum += factor * found.covariance[k * DeviceRegression::kMost + l];
        }
      }
      result.covariance[i * n + j] = product_or_none(unit[i], unit[j], sum);
      if (i == j) result.standard_error[i] = unit[i] * std::sqrt(sum);
    }
  }
  return result;
}

}  // namespace tessera::stable::detail

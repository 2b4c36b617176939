// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/tasks/regress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tessera/stable/program/tasks/fit_report.hpp"

namespace tessera::stable {

using io::Attributes;
using io::Shape;

namespace {

std::string with_error(const std::string& name, double value, double error) {
  char text[120];
  if (error > 0) {
    std::snprintf(text, sizeof text, "%s %.5g (%.2g)", name.c_str(), value, error);
  } else {
    std::snprintf(text, sizeof text, "%s %.5g", name.c_str(), value);
  }
  return text;
}

}  // namespace

std::string describe(const RegressionResult& found, const Design& design) {
  std::string text = with_error("alpha", found.alpha, found.standard_error[0]) + ", " +
                     with_error("beta", found.beta, found.standard_error[1]);
  std::size_t k = 2;
  for (std::size_t j = 0; j < design.location.size(); ++j, ++k) {
    text += (j == 0 ? "; location: " : ", ") +
            with_error(design.location[j].name, found.location[j], found.standard_error[k]);
  }
  for (std::size_t j = 0; j < design.scale.size(); ++j, ++k) {
    text += (j == 0 ? "; ln scale: " : ", ") +
            with_error(design.scale[j].name, found.scale[j], found.standard_error[k]);
  }
  const auto censored = std::count_if(design.censored.begin(), design.censored.end(),
                                      [](int mark) { return mark != 0; });
  if (censored > 0)
    text += "; " + std::to_string(censored) + " of " + std::to_string(design.censored.size()) +
            " rows censored";
  char end[60];
  std::snprintf(end, sizeof end, "; log-likelihood %.6f, ", found.log_likelihood);
  return text + end + describe(found.status);
}

std::string describe_counts(const std::vector<RegressionResult>& found) {
  std::int64_t ends = 0, failed = 0;
  for (const RegressionResult& result : found) {
    ends += result.status == FitStatus::boundary ? 1 : 0;
    failed += result.status > FitStatus::boundary ? 1 : 0;
  }
  return std::to_string(found.size()) + " regressions, " + std::to_string(ends) +
         " of them at the end of a range, " + std::to_string(failed) +
         " not converged or not possible";
}

FittedRows fit_rows(const RegressionData& data, const std::vector<RegressionResult>& found,
                    std::vector<double>& alpha, std::vector<double>& beta) {
  FittedRows rows;
  for (std::size_t g = 0; g < data.groups.size(); ++g) {
    const auto begin = static_cast<std::size_t>(data.groups[g].begin),
               end = begin + static_cast<std::size_t>(data.groups[g].count);
    alpha.insert(alpha.end(), end - begin, found[g].alpha);
    beta.insert(beta.end(), end - begin, found[g].beta);
    for (std::size_t i = begin; i < end; ++i) {
      double location = 0, log_scale = 0;
      for (std::size_t j = 0; j < data.design.location.size(); ++j)
        location += found[g].location[j] * data.design.location[j].values[i];
      for (std::size_t j = 0; j < data.design.scale.size(); ++j)
        log_scale += found[g].scale[j] * data.design.scale[j].values[i];
      rows.location.push_back(location);
      rows.scale.push_back(std::exp(log_scale));
      rows.residual.push_back((data.y[i] - location) / rows.scale.back());
    }
  }
  return rows;
}

namespace {

/// A number, or a row of them, of every regression: as it is where there is one, else along a first
/// axis.
class RegressionWriter {
 public:
  RegressionWriter(const io::Group& results, const std::vector<RegressionResult>& found,
                   bool groups)
      : m_results(results), m_found(found), m_groups(groups) {}

  template <class Value>
  void write(const std::string& name, const Value& value, const std::string& long_name) const {
    std::vector<decltype(value(m_found[0]))> values;
    for (const RegressionResult& result : m_found) values.push_back(value(result));
    if (m_groups) {
      m_results.write(name, values, Attributes{"1", long_name});
    } else {
      m_results.write_scalar(name, values[0], Attributes{"1", long_name});
    }
  }

  template <class Row>
  void write_row(const std::string& name, const Row& row, Shape shape,
                 const std::string& long_name) const {
    std::vector<double> values;
    for (const RegressionResult& result : m_found) {
      const std::vector<double> own = row(result);
      values.insert(values.end(), own.begin(), own.end());
    }
    if (m_groups) shape.insert(shape.begin(), m_found.size());
    m_results.write(name, values, shape, Attributes{"1", long_name});
  }

 private:
  const io::Group& m_results;
  const std::vector<RegressionResult>& m_found;
  bool m_groups;
};

std::vector<double> estimates(const RegressionResult& found) {
  std::vector<double> all{found.alpha, found.beta};
  all.insert(all.end(), found.location.begin(), found.location.end());
  all.insert(all.end(), found.scale.begin(), found.scale.end());
  return all;
}

/// Puts values of grouped rows in the order of the file.
template <class T>
std::vector<T> in_order_of_file(const RegressionData& data, const std::vector<T>& values) {
  if (!data.has_groups()) return values;
  std::vector<T> moved(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) moved[data.row[i]] = values[i];
  return moved;
}

}  // namespace

void write_regressions(const io::Group& results, const RegressionData& data,
                       const std::vector<RegressionResult>& found) {
  std::vector<std::string> names{"alpha", "beta"};
  for (const DesignColumn& column : data.design.location)
    names.push_back("location: " + column.name);
  for (const DesignColumn& column : data.design.scale) names.push_back("scale: " + column.name);
  results.write(
      "names", names,
      Attributes{
          "1",
          "parameters: shape, coefficients of the location and of the logarithm of the scale"});
  if (data.has_groups()) {
    std::vector<std::string> labels;
    std::vector<std::int64_t> counts;
    for (std::size_t g = 0; g < found.size(); ++g) {
      labels.push_back(data.groups[g].label);
      counts.push_back(data.groups[g].count);
    }
    results.write("label", labels, Attributes{"1", "group of each regression"});
    results.write("count", counts, Attributes{"1", "rows of each regression"});
  }
  const RegressionWriter writer(results, found, data.has_groups());
  writer.write_row("estimate", estimates, {names.size()}, "of the parameters");
  writer.write_row(
      "se", [](const RegressionResult& r) { return r.standard_error; }, {names.size()},
      "standard errors, from the observed information; 0: fixed; NaN: not known");
  writer.write_row(
      "covariance", [](const RegressionResult& r) { return r.covariance; },
      {names.size(), names.size()}, "inverse of the observed information");
  writer.write(
      "loglik", [](const RegressionResult& r) { return r.log_likelihood; }, "log-likelihood");
  writer.write(
      "gradient_norm", [](const RegressionResult& r) { return r.gradient_norm; },
      "largest component of the gradient by the number of rows");
  writer.write(
      "iterations", [](const RegressionResult& r) { return r.iterations; }, "quasi-Newton steps");
  writer.write(
      "evaluations", [](const RegressionResult& r) { return r.evaluations; },
      "evaluations of the likelihood");
  writer.write(
      "status", [](const RegressionResult& r) { return static_cast<std::int32_t>(r.status); },
      "0 converged, 1 at the end of a range, 2 not converged; of groups also 3 too few rows, 4 "
      "values that are not finite, 5 nothing left of the response, 6 collinear regressors");
  if (!data.has_groups())
    results.write_scalar("status_text", describe(found[0].status),
                         Attributes{"1", "the status in words"});
}

void write_rows(const io::Group& results, const RegressionData& data, const FittedRows& rows) {
  const auto write = [&](const std::string& name, const auto& values,
                         const std::string& long_name) {
    results.write(name, in_order_of_file(data, values), Attributes{"1", long_name});
  };
  if (data.has_groups()) {
    std::vector<std::int32_t> group;
    for (std::size_t g = 0; g < data.groups.size(); ++g) {
      group.insert(group.end(), static_cast<std::size_t>(data.groups[g].count),
                   static_cast<std::int32_t>(g));
    }
    write("group", group, "number of the regression of every row, from 0");
  }
  if (!data.design.censored.empty())
    write("censored", data.design.censored,
          "1: the response is at least what was given, -1: at most");
  write("fitted", rows.location, "fitted location of every row");
  write("scale", rows.scale, "fitted scale of every row");
  write("residual", rows.residual, "what is left, by the scale");
  write("residual_cdf", rows.cdf, "distribution function of the errors at the residuals");
}

std::vector<double> pack(const std::vector<RegressionResult>& found) {
  std::vector<double> numbers;
  for (const RegressionResult& result : found) {
    numbers.insert(
        numbers.end(),
        {static_cast<double>(result.status), static_cast<double>(result.iterations),
         static_cast<double>(result.evaluations), result.log_likelihood, result.gradient_norm});
    const std::vector<double> values = estimates(result);
    for (const auto* row : {&values, &result.standard_error, &result.covariance})
      numbers.insert(numbers.end(), row->begin(), row->end());
  }
  return numbers;
}

std::vector<RegressionResult> unpack(const std::vector<double>& numbers, std::size_t locations,
                                     std::size_t scales) {
  const std::size_t n = 2 + locations + scales;
  std::vector<RegressionResult> found(numbers.size() / (5 + 2 * n + n * n));
  auto next = numbers.begin();
  const auto take = [&next](std::size_t count) {
    next += static_cast<std::ptrdiff_t>(count);
    return std::vector<double>(next - static_cast<std::ptrdiff_t>(count), next);
  };
  for (RegressionResult& result : found) {
    const std::vector<double> head = take(7);
    result.status = static_cast<FitStatus>(static_cast<int>(head[0]));
    result.iterations = static_cast<std::int32_t>(head[1]);
    result.evaluations = static_cast<std::int32_t>(head[2]);
    result.log_likelihood = head[3];
    result.gradient_norm = head[4];
    result.alpha = head[5];
    result.beta = head[6];
    result.location = take(locations);
    result.scale = take(scales);
    result.standard_error = take(n);
    result.covariance = take(n * n);
  }
  return found;
}

void save_regressions(const io::Group& state, const std::vector<RegressionResult>& found) {
  const std::vector<double> numbers = pack(found);
  state.write(
      "numbers", numbers, Shape{found.size(), found.empty() ? 0 : numbers.size() / found.size()},
      Attributes{
          "1", "status, counts, likelihood, parameters, errors and covariance of each regression"});
}

std::vector<RegressionResult> load_regressions(const io::Group& state, const Design& design,
                                               std::int64_t most) {
  const std::size_t n = 2 + design.location.size() + design.scale.size(), each = 5 + 2 * n + n * n;
  const auto numbers = state.read<double>("numbers");
  if (numbers.size() % each != 0 || numbers.size() / each > static_cast<std::uint64_t>(most)) {
    throw state.misfit("numbers", "holds " + std::to_string(numbers.size()) +
                                      " numbers, and the run has " + std::to_string(most) +
                                      " regressions of " + std::to_string(each));
  }
  for (std::size_t k = 0; k < numbers.size(); k += each) {
    if (numbers[k] >= 0 && numbers[k] <= static_cast<double>(FitStatus::collinear)) continue;
    throw state.misfit("numbers", "holds the unknown status " + std::to_string(numbers[k]));
  }
  return unpack(numbers, design.location.size(), design.scale.size());
}

}  // namespace tessera::stable

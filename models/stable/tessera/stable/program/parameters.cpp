// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/config/numbers.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/stable/program/unused_keys.hpp"
#include "tessera/stable/regression/design.hpp"

namespace tessera::stable {

namespace {

const std::vector<std::string> kTasks{"evaluate", "quantile", "sample",      "fit",
                                      "fit_many", "bias_map", "precision",   "speed",
                                      "regress",  "garch",    "multivariate"};
const std::vector<std::string> kParameterNames{"alpha", "beta", "sigma", "mu"};

std::size_t find_index(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// Numbers, with limits, in one of the ways in which inputs give them.
config::Numbers read_list(config::Section& in, const std::string& key, const std::string& what,
                          double low, double high, config::Range fallback = {}, double most = 1e9) {
  fallback.product_first = true;
  return config::read_numbers(
      in, key,
      {what + ": a number, a list of numbers, or one of these", low, high, fallback, true, most});
}

bool fits_data(Task task) { return task == Task::fit || task == Task::fit_many; }

/// Returns whether the data are series, in which values may be missing.
bool takes_series(Task task) { return task == Task::fit_many || task == Task::garch; }

bool is_probability(double p) { return p > 0 && p < 1; }

bool is_distribution(double alpha, double beta) {
  return alpha >= kMinAlpha && alpha <= kMaxAlpha && beta >= -1 && beta <= 1;
}

/// Returns what is wrong with the numbers of a file, for a task; empty: nothing.
std::string find_fault(const Numbers& numbers, Task task) {
  const auto infinite = std::find_if(numbers.value.begin(), numbers.value.end(),
                                     [](double x) { return std::isinf(x); });
  if (!takes_series(task) && infinite != numbers.value.end()) {
    return "value " + std::to_string(infinite - numbers.value.begin() + 1) +
           " is not a finite number";
  }
  for (std::size_t i = 0; task == Task::quantile && i < numbers.value.size(); ++i) {
    if (is_probability(numbers.value[i])) continue;
    return "value " + std::to_string(i + 1) + " is " + std::to_string(numbers.value[i]) +
           ", but a probability is between 0 and 1";
  }
  for (std::size_t i = 0; i < numbers.alpha.size(); ++i) {
    if (is_distribution(numbers.alpha[i], numbers.beta[i])) continue;
    return "row " + std::to_string(i + 1) + " has alpha " + std::to_string(numbers.alpha[i]) +
           " and beta " + std::to_string(numbers.beta[i]) +
           "; alpha must be between 0.1 and 2 and beta between -1 and 1";
  }
  for (std::size_t i = 0; i < numbers.weight.size(); ++i) {
    if (!(numbers.weight[i] >= 0))
      return "the weight of value " + std::to_string(i + 1) + " is negative";
  }
  return {};
}

/// Reads the file. What is wrong in it is recorded at the key that names it.
void load_data(config::Section& in, const DataSource& source, Parameters& p) {
  try {
    // A single series of task garch has no room for a missing value; windows of fit_many and series
    // of a panel are passed over.
    const bool single =
        p.task == Task::garch && source.group_column.empty() && source.columns.empty();
    Numbers numbers = read_numbers(source, takes_series(p.task) && !single);
    if (numbers.dropped > 0) {
      logging::info(source.file + ": " + std::to_string(numbers.dropped) +
                    (numbers.dropped == 1 ? " row" : " rows") + " with missing values left out");
    }
    const std::string fault = find_fault(numbers, p.task);
    if (!fault.empty()) in.error("file", source.file + ": " + fault);
    p.data = std::make_shared<const Numbers>(std::move(numbers));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    in.error("file", error.what());
  }
}

void read_data(config::Section& problem, Parameters& p) {
  config::Section in = problem.section(
      "data", "numbers from a file instead of the input: x, p or the values to fit");
  const config::ColumnSource values =
      config::read_column_source(in, "file with a column of values");
  DataSource source;
  source.file = values.file;
  source.column = values.column;
  if (p.task == Task::evaluate) {
    in.get("alpha_column", source.alpha_column).doc("column with an alpha for every x");
    in.get("beta_column", source.beta_column).doc("column with a beta for every x");
  }
  if (p.task == Task::fit)
    in.get("weight_column", source.weight_column).doc("column with a weight for every value");
  const bool windows = takes_series(p.task);
  if (windows) {
    in.get("group_column", source.group_column)
        .doc("column with a label for every row: a series, and a fit, for each group");
    in.get("time_column", source.time_column)
        .doc(
            "column with the time of every row (numbers, or dates as 2026-11-23), which must "
            "ascend in each group");
    in.get("columns", source.columns)
        .doc("columns that are a series each; [all]: all of the file or of an array of two axes");
    if (!source.columns.empty() && !source.group_column.empty())
      in.error("columns", "give either 'group_column' or 'columns'");
    if (!source.time_column.empty() && source.group_column.empty())
      in.error("time_column", "'time_column' belongs to 'group_column'");
  }
  std::string missing = !source.columns.empty() ? "drop" : windows ? "pass" : "error";
  const std::string kept = windows ? "pass" : "error";
  in.get("missing", missing)
      .one_of({kept, "drop"})
      .doc(windows ? "what to do with values that are missing (empty, NaN or NA): pass over the "
                     "windows that hold one, or leave them out of the series (by default of "
                     "columns, whose series may end early)"
                   : "what to do with rows in which a value is missing (empty, NaN or NA)");
  source.drop_missing = missing == "drop";
  if (p.task == Task::garch) source.pool = false;
  if (fits_data(p.task)) {
    source.pool = false;
    in.get("pool", source.pool)
        .doc("all values of an array of several columns are one sample, row by row");
  }
  if (source.alpha_column.empty() != source.beta_column.empty()) {
    in.error(source.alpha_column.empty() ? "beta_column" : "alpha_column",
             "'alpha_column' and 'beta_column' go together");
  } else if (!source.file.empty() && !in.documenting()) {
    load_data(in, source, p);
  }
  in.finish();
}

void read_distribution(config::Section& in, Parameters& p) {
  in.get("alpha", p.alpha).range(kMinAlpha, kMaxAlpha).doc("stability index");
  in.get("beta", p.beta).range(-1, 1).doc("skewness");
  in.get("sigma", p.sigma).positive().doc("scale");
  in.get("mu", p.mu).doc("location");

  config::choose(
      in, "parameterization", p.parameterization,
      {{"S0", Parameterization::S0}, {"S1", Parameterization::S1}, {"S2", Parameterization::S2}})
      .doc("of scale and location, after Nolan: S0 is continuous in alpha");
}

void read_distributions(config::Section& in, Parameters& p) {
  in.get("laws", p.distributions)
      .doc(
          "rows [alpha, beta]: everything for each of these distributions, instead of alpha and "
          "beta");
  for (std::size_t i = 0; i < p.distributions.size(); ++i) {
    const std::vector<double>& distribution = p.distributions[i];
    const std::string row = "row " + std::to_string(i + 1);
    if (distribution.size() != 2) {
      in.error("laws", row + " has " + std::to_string(distribution.size()) +
                           " numbers; each row is [alpha, beta]");
    } else if (!(distribution[0] >= kMinAlpha && distribution[0] <= kMaxAlpha)) {
      in.error("laws", row + ": alpha must be between 0.1 and 2");
    } else if (!(distribution[1] >= -1 && distribution[1] <= 1)) {
      in.error("laws", row + ": beta must be between -1 and 1");
    }
  }
}

/// Reads `method`, for evaluate, quantile and precision.
void read_method(config::Section& in, Parameters& p) {
  config::Names<Method> names{{"contour", Method::contour}};
  if (p.task != Task::quantile) names.emplace_back("paper", Method::paper);
  if (p.task != Task::evaluate) names.emplace_back("newton", Method::newton);
  config::choose(in, "method", p.method, names)
      .doc(p.task == Task::precision
               ? "what is compared with the contour integrals: tables, at quantiles of each "
                 "distribution (contour), the paper's method, from x = -100 to 100 (paper), or its "
                 "quantiles, from that of 0.1 to that of 0.9 (newton)"
           : p.task == Task::quantile
               ? "by contour integrals, or a table of them for thousands of points; the paper's "
                 "iteration with Nolan's integrals (newton), to compare with"
               : "integrals along contours, or a table of them for thousands of points; the "
                 "paper's method (Nolan's integrals), to compare with");

  if (p.by_paper() && p.scores) in.error("scores", "the method 'paper' gives no scores");
}

/// Reads the options of the paper's method.
void read_paper(config::Section& root, Parameters& p) {
  config::Section in = root.section(
      "paper", "the method of Julian-Moreno et al. (2017), to compare with: Nolan's integrals");
  in.get("nodes", p.quadrature.nodes)
      .range(61, 127)
      .doc("of Kronrod's rule on each sub-interval: 61 or 127");
  if (p.quadrature.nodes != 61 && p.quadrature.nodes != 127)
    in.error("nodes", "there are rules of 61 and of 127 nodes");
  in.get("intervals", p.quadrature.intervals)
      .range(1, 64)
      .doc(
          "sub-intervals; where fewer than a fourth of them contribute, those are divided again, "
          "twice at most");
  if (p.task != Task::evaluate) {
    in.get("tolerance", p.paper_tolerance)
        .range(1e-15, 0.1)
        .doc("relative step at which the iteration for a quantile ends");
  } else {
    in.get("integrand", p.integrand)
        .range(0, 1e6)
        .doc(
            "places, evenly over the range of theta, at which the integrand of the density is "
            "among the results; 0: it is not");
    if (p.integrand == 1) in.error("integrand", "take 0, or both ends: 2 places or more");
    if (p.integrand > 0 && p.data && !p.data->alpha.empty())
      in.error("integrand", "it is for one distribution, or for 'laws'");
  }
  in.finish();
}

/// Returns whether alpha or beta is fixed.
bool fixes_shape(const Parameters& p) {
  return std::any_of(p.fixed.begin(), p.fixed.end(),
                     [](const std::string& name) { return find_parameter(name) < 2; });
}

void read_intervals(config::Section& in, Parameters& p) {
  in.get("intervals", p.intervals)
      .one_of({"wald", "profile", "bootstrap"})
      .doc(
          "confidence intervals: from the covariance matrix, from the profile likelihood, from "
          "refits of samples of the fit");
  in.get("level", p.level).range(0.01, 0.9999).doc("confidence level of intervals");
  in.get("quantiles", p.quantiles)
      .range(1e-9, 1 - 1e-9)
      .doc("probabilities of quantiles that are wanted with intervals");
  in.get("risk", p.risk)
      .range(1e-9, 1 - 1e-9)
      .doc(
          "confidence levels of values at risk and expected shortfalls (losses are minus the "
          "values)");

  config::choose(in, "covariance", p.sandwich, {{"observed", false}, {"sandwich", true}})
      .doc(
          "of Wald intervals: inverse of the observed information, or the sandwich, for samples "
          "that may not be stable");

  in.get("refits", p.interval_refits)
      .range(19, 1e8)
      .doc("samples for bootstrap intervals; the tests of 'goodness' use the larger number");
  in.get("boundary_refits", p.boundary_refits)
      .range(19, 1e8)
      .doc(
          "samples for the critical values of the profile intervals of alpha and beta where the "
          "fit is at the end of a range, or alpha next to 2, and the chi-squared distribution does "
          "not hold");
  if (p.intervals.empty()) {
    for (const char* key : {"quantiles", "risk"}) {
      if (!(key[0] == 'q' ? p.quantiles : p.risk).empty())
        in.error(key, "these come with intervals: add intervals: [wald]");
    }
    return;
  }
  if (p.estimator != "ml")
    in.error("intervals", "intervals are for fits by maximum likelihood (fit.method: ml)");
  if (p.wants_interval("wald") && !p.fit.standard_errors)
    in.error("intervals", "Wald intervals need standard_errors");
  if (p.wants_interval("bootstrap") && p.data && !p.data->weight.empty())
    in.error("intervals", "bootstrap intervals are for samples without weights");
  if (!(p.quantiles.empty() && p.risk.empty()) &&
      std::find(p.fixed.begin(), p.fixed.end(), "mu") != p.fixed.end()) {
    in.error("fixed", "quantiles and risks have intervals only where mu is fitted");
  }
}

void read_tick(config::Section& in, Parameters& p) {
  in.get("tick", p.tick)
      .non_negative()
      .doc(
          "values are rounded to multiples of this, such as prices, and count by the probability "
          "of their cells; 0: they are exact");
  if (p.tick == 0 || in.documenting()) return;
  if (!p.data) return in.error("tick", "a tick is for data: give problem.data");
  if (p.estimator != "ml")
    return in.error("tick", "cells are for fits by maximum likelihood (fit.method: ml)");
  if (p.wants_interval("bootstrap"))
    return in.error("tick", "bootstrap intervals are for exact values");
  try {
    p.counted = count_values(p.data->value, p.data->weight, p.tick);
  } catch (const Error& error) {
    in.error("tick", error.what());
  }
}

void read_fit(config::Section& root, Parameters& p) {
  config::Section in = root.section("fit", "how samples are fitted");
  std::vector<std::string> estimators{"ml", "mcculloch"};
  if (fits_data(p.task)) {
    estimators.insert(estimators.end(), {"koutrouvelis", "grid", "grid_mcculloch", "grid_four"});
  }
  in.get("method", p.estimator)
      .one_of(estimators)
      .doc(
          fits_data(p.task)
              ? "maximum likelihood by gradients (ml) or by a contracting grid: in alpha and beta, "
                "with sigma and mu fitted (grid) or McCulloch's (grid_mcculloch), or in all four "
                "parameters (grid_four); quantiles alone, or the characteristic function"
              : "maximum likelihood by gradients (ml), or quantiles alone");
  p.fit.method = p.estimator == "mcculloch" || p.estimator == "koutrouvelis"
                     ? FitMethod::mcculloch
                     : FitMethod::maximum_likelihood;
  in.get("tolerance", p.fit.tolerance)
      .range(1e-12, 1e-2)
      .doc(
          "largest component of the gradient by the number of values at which a fit has converged");
  in.get("fixed", p.fixed)
      .one_of(kParameterNames)
      .doc("parameters (alpha, beta, sigma, mu) kept at the values in 'problem'");
  if (!p.fixed.empty() && p.estimator != "ml" && p.estimator != "mcculloch") {
    in.error("fixed", "parameters can be fixed with the methods ml and mcculloch");
  }
  if (fits_data(p.task)) {
    in.get("standard_errors", p.fit.standard_errors)
        .doc("from the observed information; they take as long as a fit");
    in.get("goodness", p.fit.goodness)
        .doc("distances of Kolmogorov-Smirnov, Anderson-Darling and Cramer-von Mises");
  }
  if (p.task == Task::fit_many) {
    std::optional<std::int64_t> window;
    in.get("window", window)
        .range(5, 1e8)
        .unit("values")
        .otherwise("1000; of panels whole series")
        .doc("length of a window");
    const bool panel =
        p.data && (p.data->series.size() > 1 || !p.data->series.front().label.empty());
    p.window = window ? *window : panel ? 0 : 1000;
    in.get("step", p.step)
        .range(1, 1e8)
        .unit("values")
        .doc("from the start of one window to that of the next");
    in.get("together", p.together)
        .range(0, 1e8)
        .unit("fits")
        .doc(
            "in a call, whose time by the number of fits is then among the results; 0: as many as "
            "suit the backend, without times");
    const auto length = p.data ? static_cast<std::int64_t>(p.data->value.size()) : p.n;
    if (!panel && length < p.window && !in.documenting()) {
      in.error("window", "the series has " + std::to_string(length) +
                             " values, fewer than a window of " + std::to_string(p.window));
    }
  }
  if (p.task == Task::fit) {
    read_intervals(in, p);
    read_tick(in, p);
    in.get("compare", p.compare)
        .doc(
            "likelihood-ratio tests against the normal, the Cauchy and the symmetric distribution, "
            "by chi-squared");
    if (p.compare && fixes_shape(p))
      in.error("compare", "the fit has alpha or beta fixed ('fixed')");
    in.get("profile", p.profile)
        .one_of({"", "alpha", "beta", "sigma", "mu"})
        .doc("parameter whose profile likelihood is wanted; empty: none");
    in.get("profile_values", p.profile_values).doc("values of it at which the others are fitted");
    if (p.profile.empty() != p.profile_values.empty())
      in.error("profile", "'profile' and 'profile_values' go together");
    for (const double v : p.profile_values) {
      const bool good = p.profile == "alpha"  ? v >= kMinAlpha && v <= kMaxAlpha
                        : p.profile == "beta" ? std::fabs(v) <= 1
                                              : p.profile != "sigma" || v > 0;
      if (!good) in.error("profile_values", "a value is outside the range of '" + p.profile + "'");
    }
  }
  in.finish();
}

void read_goodness(config::Section& root, Parameters& p) {
  config::Section in = root.section(
      "goodness", "tests of the fit, by refits of samples drawn from fitted distributions");
  in.get("statistics", p.goodness_statistics)
      .one_of({"ad", "ks", "cvm"})
      .doc(
          "tests whether the sample is one of the fitted distribution: Anderson-Darling, "
          "Kolmogorov-Smirnov, Cramer-von Mises");
  std::vector<std::string> against;
  in.get("against", against)
      .one_of({"normal", "cauchy", "symmetric"})
      .doc(
          "simpler distributions that the fit is tested against, by likelihood ratios (two refits "
          "a sample)");
  for (const std::string& text : against) {
    for (const Hypothesis h : kHypotheses) {
      if (name(h) == text) p.against.push_back(h);
    }
  }
  in.get("refits", p.refits)
      .range(1, 1e8)
      .doc("samples drawn for each of the two kinds of tests, for each distribution");
  in.get("tolerance", p.refit_tolerance)
      .range(1e-12, 1e-2)
      .doc(
          "largest component of the gradient by the number of values at which a refit has "
          "converged");
  if (!p.against.empty() && fixes_shape(p))
    in.error("against", "the fit has alpha or beta fixed (fit.fixed)");
  for (const char* key : {"statistics", "against"}) {
    if (key[0] == 's' ? p.goodness_statistics.empty() : p.against.empty()) continue;
    if (p.estimator != "ml")
      in.error(key, "these tests are for fits by maximum likelihood (fit.method: ml)");
    if (p.data && !p.data->weight.empty())
      in.error(key, "these tests are for samples without weights");
    if (p.tick > 0) in.error(key, "these tests are for exact values (fit.tick)");
  }
  in.finish();
}

/// The terms of "1 + market + size"; what is wrong is recorded at the key.
std::vector<std::string> read_formula(config::Section& in, const std::string& key, std::string text,
                                      const std::string& doc) {
  in.get(key, text).doc(doc);
  std::vector<std::string> terms;
  std::string term;
  const auto finish = [&] {
    const std::size_t first = term.find_first_not_of(" \t"), last = term.find_last_not_of(" \t");
    term = first == std::string::npos ? "" : term.substr(first, last - first + 1);
    if (term.empty()) {
      in.error(key, "a term is empty; write terms with + between them, such as 1 + market");
    } else if (std::find(terms.begin(), terms.end(), term) != terms.end()) {
      in.error(key, "the term '" + term + "' stands twice");
    }
    terms.push_back(term);
    term.clear();
  };
  for (const char c : text) {
    if (c == '+') {
      finish();
    } else {
      term += c;
    }
  }
  finish();
  return terms;
}

/// Responses at or beyond a bound are known only to be so.
struct CensoringBounds {
  std::optional<double> lower, upper;
};

/// Marks the censored rows of a regression: those of the column that says so, and those at a bound.
template <class Find>
void censor(config::Section& in, const DataSource& source, const CensoringBounds& bounds,
            const Find& find, RegressionData& data) {
  if (source.censored_column.empty() && !bounds.lower && !bounds.upper) return;
  data.design.censored.assign(data.y.size(), 0);
  if (!source.censored_column.empty()) {
    const std::vector<double> marks = find(source.censored_column);
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (marks[i] != 0 && marks[i] != 1 && marks[i] != -1) {
        char text[32];
        std::snprintf(text, sizeof text, "%g", marks[i]);
        return in.error("censored_column",
                        source.file + ": row " + std::to_string(i + 1) + " has " + text +
                            ", but rows are marked with 0 (exact), 1 (at least) or -1 (at most)");
      }
      data.design.censored[i] = static_cast<int>(marks[i]);
    }
  }
  for (std::size_t i = 0; i < data.y.size(); ++i) {
    if (bounds.upper && data.y[i] >= *bounds.upper) {
      data.y[i] = *bounds.upper;
      data.design.censored[i] = 1;
    } else if (bounds.lower && data.y[i] <= *bounds.lower) {
      data.y[i] = *bounds.lower;
      data.design.censored[i] = -1;
    }
  }
}

bool contains(const std::vector<std::string>& terms, const std::string& term) {
  return std::find(terms.begin(), terms.end(), term) != terms.end();
}

/// The columns of the terms; "1" is constant. Rows with missing values are left out of all columns
/// where that is wanted.
void load_regression(config::Section& in, const DataSource& source,
                     const std::vector<std::string>& location,
                     const std::vector<std::string>& scale, const CensoringBounds& bounds,
                     Parameters& p) {
  std::vector<std::string> names{source.column};
  if (!source.censored_column.empty()) names.push_back(source.censored_column);
  for (const auto* terms : {&location, &scale}) {
    for (const std::string& term : *terms) {
      if (term != "1" && !contains(names, term)) names.push_back(term);
    }
  }
  try {
    DataSource columns = source;
    columns.more_columns = {names.begin() + 1, names.end()};
    LabelledRows found = read_rows_of(columns);
    std::vector<std::vector<double>>& values = found.columns;
    const std::size_t rows = values.front().size();
    auto data = std::make_shared<RegressionData>();
    data->file = source.file;
    data->response = source.column;
    data->groups = {{"", 0, static_cast<std::int64_t>(rows)}};
    if (!source.group_column.empty()) {
      Grouping groups = find_groups(found.labels);
      for (std::vector<double>& column : values) column = groups.apply(column);
      data->groups = std::move(groups.series);
      data->row = std::move(groups.row);
    }
    const auto find = [&](const std::string& term) {
      const auto place = std::find(names.begin(), names.end(), term) - names.begin();
      return term == "1" ? std::vector<double>(rows, 1.0) : values[static_cast<std::size_t>(place)];
    };
    for (const std::string& term : location) data->design.location.push_back({term, find(term)});
    for (const std::string& term : scale) data->design.scale.push_back({term, find(term)});
    data->y = values.front();
    censor(in, source, bounds, find, *data);
    std::vector<RegressionTask> whole;
    if (!data->has_groups()) whole.emplace_back().count = static_cast<std::int32_t>(rows);
    // throws for columns that are no regressors
    const detail::PreparedDesign check(data->design, data->y, whole);
    p.regression = data;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    in.error("file", error.what());
  }
}

void read_regression(config::Section& problem, config::Section& root, Parameters& p) {
  config::Section regress =
      root.section("regress", "location and scale of the errors as sums of regressors");
  const std::vector<std::string> location = read_formula(
      regress, "location", "1",
      "terms of the location with + between them: columns of the data, and 1 for a constant");
  const std::vector<std::string> scale =
      read_formula(regress, "scale", "1",
                   "terms of the logarithm of the scale; the first one is the constant 1");
  if (scale.front() != "1") regress.error("scale", "begin with the constant: 1 + ...");
  regress.get("fixed", p.fixed)
      .one_of({"alpha", "beta"})
      .doc("shape parameters kept at the values in 'problem'");
  regress.get("tolerance", p.fit.tolerance)
      .range(1e-12, 1e-2)
      .doc(
          "largest component of the gradient by the number of rows at which a regression has "
          "converged");
  regress.get("standard_errors", p.fit.standard_errors).doc("from the observed information");
  CensoringBounds bounds;
  regress.get("lower_bound", bounds.lower)
      .doc("responses at or below it are known only to be at most that (left-censored)");
  regress.get("upper_bound", bounds.upper)
      .doc("responses at or above it are known only to be at least that (right-censored)");
  if (bounds.lower && bounds.upper && *bounds.lower >= *bounds.upper) {
    regress.error("upper_bound", "the upper bound must be greater than the lower one");
  }
  regress.finish();
  config::Section in = problem.section("data", "the response and its regressors");
  DataSource source;
  in.get("file", source.file)
      .path()
      .doc("file with a row for every value: text (CSV), numpy (.npy) or HDF5 (.h5)");
  in.get("column", source.column)
      .doc(
          "the response: its name, its number (.npy) or its dataset (.h5); regressors are named "
          "alike");
  in.get("censored_column", source.censored_column)
      .doc(
          "column that says how the response of a row is known: 0: as it is, 1: to be at least "
          "that, -1: to be at most that");
  in.get("group_column", source.group_column)
      .doc("column with a label for every row: a regression for each group");

  config::choose(in, "missing", source.drop_missing, {{"error", false}, {"drop", true}})
      .doc("what to do with rows in which a value is missing (empty, NaN or NA)");

  if (!in.documenting()) {
    if (source.file.empty() || source.column.empty()) {
      in.error(source.file.empty() ? "file" : "column",
               "a regression needs a file and the column of its response");
    } else if (contains(location, source.column) || contains(scale, source.column)) {
      in.error("column", "'" + source.column + "' is the response and cannot explain itself");
    } else if (!source.group_column.empty() &&
               (contains(location, source.group_column) || contains(scale, source.group_column))) {
      in.error("group_column",
               "'" + source.group_column +
                   "' is the same in all rows of a group: it explains nothing there");
    } else if (scale.front() == "1") {
      load_regression(in, source, location, scale, bounds, p);
    }
  }
  in.finish();
}

void read_map(config::Section& root, Parameters& p) {
  config::Section in = root.section("map", "the distributions of the study");
  p.alphas =
      read_list(in, "alpha", "stability indices", kMinAlpha, kMaxAlpha, {0.6, 2, 8}, 1e6).values();
  p.betas = read_list(in, "beta", "skewnesses", -1, 1, {0, 1, 5}, 1e6).values();
  if (p.task == Task::bias_map) {
    p.sigmas = read_list(in, "sigma", "scales, a third axis of the map (default: problem.sigma)",
                         1e-300, 1e300, {}, 1e6)
                   .values();
    p.mus = read_list(in, "mu", "locations, a fourth axis of the map (default: problem.mu)", -1e300,
                      1e300, {}, 1e6)
                .values();
  }
  if (p.task == Task::bias_map) {
    in.get("repeats", p.repeats).range(1, 1e6).doc("samples of each distribution");
    in.get("coverage", p.coverage)
        .doc(
            "also how often Wald and profile intervals at 95 % hold the true parameters (six times "
            "the work)");
    if (p.coverage && p.estimator != "ml")
      in.error("coverage", "intervals are for fits by maximum likelihood (fit.method: ml)");
    if (p.coverage && p.parameterization != Parameterization::S0)
      in.error("coverage", "intervals in maps are those of S0");
    if (p.coverage && !p.fixed.empty())
      in.error("coverage", "intervals in maps are for fits of all four parameters");
  }
  in.finish();
}

void read_speed(config::Section& root, Parameters& p) {
  config::Section in = root.section("speed", "what is timed");

  config::choose(in, "laws", p.speed_distributions,
                 {{"random", SpeedDistributions::random},
                  {"one", SpeedDistributions::one},
                  {"map", SpeedDistributions::map}})
      .doc(
          "a distribution for every point, drawn at random, that of 'problem' for all, or each of "
          "those of 'map' for all");
  const bool random = p.speed_distributions == SpeedDistributions::random;

  p.speed_functions = {"pdf", "cdf", "pdf_cdf", "quantile"};
  in.get("functions", p.speed_functions)
      .one_of({"pdf", "cdf", "pdf_cdf", "quantile"})
      .doc("density, distribution function, both together, quantile");
  p.speed_methods = random ? std::vector<std::string>{"contour", "paper"}
                           : std::vector<std::string>{"table", "contour", "paper"};
  in.get("methods", p.speed_methods)
      .one_of({"table", "contour", "paper"})
      .doc("tables (of one distribution), integrals along contours, the paper's method");
  if (random && contains(p.speed_methods, "table"))
    in.error("methods", "a table is of one distribution; it needs 'laws: one'");
  in.get("points", p.speed_points).range(1, 1e9).doc("how many points a call has, a list");
  for (const double n : p.speed_points) {
    if (n != std::floor(n)) in.error("points", "these are whole numbers");
  }
  p.repeats = 5;
  in.get("repeats", p.repeats).range(1, 1e6).doc("calls, of which the median time counts");
  in.finish();
}

}  // namespace

std::size_t find_parameter(const std::string& name) { return find_index(kParameterNames, name); }

bool Parameters::wants_interval(const std::string& kind) const {
  return std::find(intervals.begin(), intervals.end(), kind) != intervals.end();
}

std::vector<Quantity> Parameters::quantities() const {
  std::vector<Quantity> all{
      {QuantityKind::alpha}, {QuantityKind::beta}, {QuantityKind::sigma}, {QuantityKind::mu}};
  for (const double p : quantiles) all.push_back({QuantityKind::quantile, p});
  for (const double level : risk) all.push_back({QuantityKind::value_at_risk, level});
  for (const double level : risk) all.push_back({QuantityKind::expected_shortfall, level});
  return all;
}

FitTask Parameters::make_task(std::int64_t begin, std::int64_t count) const {
  FitTask fit;
  fit.begin = begin;
  fit.count = static_cast<std::int32_t>(count);
  const double value[4] = {alpha, beta, sigma, mu};
  for (const std::string& name : fixed) {
    const std::size_t i = find_parameter(name);
    if (i >= 4) continue;
    fit.fixed |= 1 << i;
    fit.fixed_value[i] = value[i];
  }
  return fit;
}

Parameters Parameters::read(config::Section& root) {
  Parameters p;
  config::Section in = root.section("problem", "what is computed, for which distribution");
  std::string task = "fit";
  in.require("task", task).one_of(kTasks).doc("what to do");
  const std::size_t index = find_index(kTasks, task);
  p.task = index < kTasks.size() ? static_cast<Task>(index) : Task::fit;
  read_distribution(in, p);
  if (p.task == Task::evaluate || p.task == Task::quantile) {
    read_distributions(in, p);
    in.get("direct", p.direct).doc("every point by the contour integral itself, not from a table");
  }
  if (p.task == Task::evaluate) {
    p.x = read_list(in, "x", "where the distribution is evaluated", -1e308, 1e308, {-10, 10, 401});
    in.get("scores", p.scores)
        .doc("also the derivatives of log pdf in x, alpha and beta (evaluated directly)");
  }
  if (p.task == Task::evaluate || p.task == Task::quantile || p.task == Task::precision)
    read_method(in, p);
  if (p.task == Task::quantile) {
    p.p = read_list(
        in, "p", "probabilities (default: 0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999)",
        0, 1);
    if (p.p.empty()) p.p = config::Numbers({0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999});
    if (p.p.includes(0) || p.p.includes(1))
      in.error("p", "a probability must be greater than 0 and less than 1");
  }
  const bool study = p.task == Task::precision || p.task == Task::speed;
  if (p.task != Task::evaluate && p.task != Task::quantile && p.task != Task::regress && !study) {
    in.get("n", p.n)
        .range(p.task == Task::sample || p.task == Task::multivariate ? 1 : 5, 4e9)
        .doc(
            "how many random numbers; for fits without data: values simulated (each sample of a "
            "map)");
  }
  if (p.task == Task::regress) {
    read_regression(in, root, p);
  } else if (p.task == Task::multivariate) {
    p.multivariate = read_multivariate(in, root, p.alpha);
  } else if (p.task != Task::sample && p.task != Task::bias_map && !study) {
    read_data(in, p);
  }
  in.finish();
  if (fits_data(p.task) || p.task == Task::bias_map) read_fit(root, p);
  if (p.task == Task::fit) read_goodness(root, p);
  if (p.task == Task::speed) read_speed(root, p);
  if (p.task == Task::bias_map || study) read_map(root, p);
  if (p.task == Task::evaluate || p.task == Task::quantile || study) read_paper(root, p);
  if (p.task == Task::garch) p.garch = read_garch(root, p.data != nullptr, p.fit.standard_errors);
  const bool takes_s2 =
      p.task == Task::evaluate || p.task == Task::quantile || p.task == Task::sample;
  if (p.parameterization == Parameterization::S2 && !takes_s2) {
    in.error("parameterization", "S2 is for evaluate, quantile and sample");
  } else {
    refuse_unused_keys(root, p);
  }
  return p;
}

}  // namespace tessera::stable

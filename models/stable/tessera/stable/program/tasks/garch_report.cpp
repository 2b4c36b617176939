// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/tasks/garch_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tessera/stable/program/tasks/fit_report.hpp"

namespace tessera::stable {

namespace {

using io::Attributes;
using io::Shape;

constexpr const char* kNames[kGarchParameters] = {"alpha", "beta",  "c", "phi",
                                                  "theta", "omega", "a", "b"};
constexpr const char* kMeanings[kGarchParameters] = {
    "stability index of the innovations",
    "skewness of the innovations",
    "constant of the mean",
    "factor of the last value in the mean",
    "factor of the last error in the mean",
    "constant of the scale",
    "factor of the size of the last error in the scale",
    "factor of the last scale in the scale"};

bool is_known(const GarchResult& fit) { return fit.status <= FitStatus::not_converged; }

}  // namespace

Backtest make_backtest(const GarchPlan& plan, const std::vector<double>& values,
                       const std::vector<GarchResult>& fits, const std::vector<GarchRisk>& risks,
                       const std::vector<double>& levels, std::int64_t step) {
  Backtest found;
  const std::size_t parts = levels.size(), count = plan.series.size();
  found.begin.assign(count, 0);
  found.count.assign(count, 0);
  found.days.assign(count * parts, 0);
  found.exceedances.assign(count * parts, 0);
  // Windows of one series stand after those of another.
  for (std::size_t k = count; k < plan.windows.size(); ++k) {
    const PanelWindow& window = plan.windows[k];
    const Series& series = plan.series[window.series];
    const std::int64_t first = window.first + window.count,
                       last = std::min(first + step, series.count);
    if (found.count[window.series] == 0)
      found.begin[window.series] = static_cast<std::int64_t>(found.value.size());
    found.count[window.series] += last - first;
    const double* const own = values.data() + series.begin + window.first;
    std::vector<GarchForecast> path;
    if (is_known(fits[k]))
      path = follow(fits[k].parameters, fits[k].first, own, last - window.first);
    for (std::int64_t day = first; day < last; ++day) {
      const double value = own[day - window.first];
      found.row.push_back(day);
      found.value.push_back(value);
      for (std::size_t j = 0; j < parts; ++j) {
        const GarchForecast ahead = path.empty()
                                        ? GarchForecast{NAN, NAN}
                                        : path[static_cast<std::size_t>(day - window.first)];
        const double risk = risks[k].tails[j].value_at_risk(ahead);
        found.value_at_risk.push_back(risk);
        found.expected_shortfall.push_back(risks[k].tails[j].expected_shortfall(ahead));
        if (std::isnan(risk) || std::isnan(value)) continue;
        ++found.days[window.series * parts + j];
        if (-value > risk) ++found.exceedances[window.series * parts + j];
      }
    }
  }
  for (std::size_t i = 0; i < found.days.size(); ++i) {
    found.tests.push_back(
        test_exceedances(found.exceedances[i], found.days[i], 1 - levels[i % parts]));
  }
  return found;
}

std::string describe_garch_status(FitStatus status) {
  return status == FitStatus::too_few ? "fewer than 20 values" : describe(status);
}

std::string describe_limits(const GarchResult& fit, const GarchRisk& risk) {
  if (!is_known(fit)) return {};
  std::string text;
  if (fit.status == FitStatus::boundary) {
    const double* const errors = fit.standard_error;
    const bool has_errors =
        !std::all_of(errors, errors + kGarchParameters, [](double e) { return std::isnan(e); });
    for (int k = 0; k < kGarchParameters && has_errors; ++k) {
      if (!std::isnan(errors[k])) continue;
      char part[60];
      std::snprintf(part, sizeof part, "%s%s %.5g", text.empty() ? "" : ", ", kNames[k],
                    fit.parameters.value[k]);
      text += part;
    }
    text = "the likelihood is largest at the end of a range" +
           (text.empty() ? "" : ", without errors of " + text) +
           "; a longer series, or another garch.mean, may settle it";
  }
  if (risk.persistence >= 1) {
    char part[120];
    std::snprintf(
        part, sizeof part,
        "scales are not stationary: a E|z| + b is %.4f; forecasts far ahead grow without end",
        risk.persistence);
    text += (text.empty() ? "" : "; ") + std::string(part);
  }
  return text;
}

std::string describe(const GarchResult& fit, const GarchRisk& risk) {
  if (!is_known(fit)) return "not fitted: " + describe_garch_status(fit.status);
  std::string text;
  for (int k = 0; k < kGarchParameters; ++k) {
    char part[80];
    const double error = fit.standard_error[k];
    if (error > 0) {
      std::snprintf(part, sizeof part, "%s %.5g (%.2g), ", kNames[k], fit.parameters.value[k],
                    error);
    } else {
      std::snprintf(part, sizeof part, "%s %.5g (%s), ", kNames[k], fit.parameters.value[k],
                    std::isnan(error) ? "no error" : "fixed");
    }
    text += part;
  }
  char end[160];
  std::snprintf(end, sizeof end, "a E|z| + b %.4f%s, log-likelihood %.6f, %s", risk.persistence,
                risk.persistence < 1 ? "" : " (scales are not stationary)", fit.log_likelihood,
                describe(fit.status).c_str());
  return text + end;
}

std::string describe(const Backtest& backtest, const std::vector<double>& levels) {
  std::string text;
  for (std::size_t j = 0; j < levels.size(); ++j) {
    std::int64_t days = 0, exceedances = 0;
    for (std::size_t i = j; i < backtest.days.size(); i += levels.size()) {
      days += backtest.days[i];
      exceedances += backtest.exceedances[i];
    }
    char part[160];
    std::snprintf(part, sizeof part,
                  "; %lld of %lld losses beyond the value at risk of %g (%.1f expected, p %.2g)",
                  static_cast<long long>(exceedances), static_cast<long long>(days), levels[j],
                  (1 - levels[j]) * static_cast<double>(days),
                  test_exceedances(exceedances, days, 1 - levels[j]).p_value);
    text += part;
  }
  return text;
}

void write_garch(const io::Group& results, const GarchPlan& plan, const std::vector<double>& values,
                 const std::vector<GarchResult>& fits, const std::vector<GarchRisk>& risks,
                 const std::vector<double>& levels) {
  const std::size_t count = plan.series.size(), parts = levels.size();
  const auto write = [&](const std::string& name, const auto& value, const std::string& long_name) {
    std::vector<std::decay_t<decltype(value(std::size_t{}))>> all;
    for (std::size_t k = 0; k < count; ++k) all.push_back(value(k));
    results.write(name, all, Attributes{"1", long_name});
  };
  write(
      "label", [&](std::size_t k) { return plan.series[k].label; }, "the series of each fit");
  for (int i = 0; i < kGarchParameters; ++i) {
    write(
        kNames[i], [&](std::size_t k) { return fits[k].parameters.value[i]; }, kMeanings[i]);
  }
  write(
      "loglik", [&](std::size_t k) { return fits[k].log_likelihood; }, "log-likelihood");
  write(
      "gradient_norm", [&](std::size_t k) { return fits[k].gradient_norm; },
      "largest component of the gradient by the number of values");
  write(
      "iterations", [&](std::size_t k) { return fits[k].iterations; }, "quasi-Newton steps");
  write(
      "evaluations", [&](std::size_t k) { return fits[k].evaluations; },
      "evaluations of the likelihood");
  write(
      "status", [&](std::size_t k) { return static_cast<std::int32_t>(fits[k].status); },
      "0 converged, 1 at the end of a range, 2 not converged, 3 too few values, 4 NaN or infinite "
      "values, 5 constant values");
  write(
      "persistence", [&](std::size_t k) { return risks[k].persistence; },
      "a E|z| + b; scales are stationary where it is below 1");
  const auto ahead = [&](std::size_t k) {
    return is_known(fits[k]) ? forecast(fits[k].parameters, fits[k].last) : GarchForecast{NAN, NAN};
  };
  write(
      "next_location", [&](std::size_t k) { return ahead(k).location; },
      "location of the value after the last one");
  write(
      "next_scale", [&](std::size_t k) { return ahead(k).scale; }, "its scale");
  std::vector<double> errors, covariances, quantiles, value_at_risk, shortfall, location, scale;
  for (std::size_t k = 0; k < count; ++k) {
    errors.insert(errors.end(), fits[k].standard_error, fits[k].standard_error + kGarchParameters);
    covariances.insert(covariances.end(), fits[k].covariance,
                       fits[k].covariance + kGarchParameters * kGarchParameters);
    for (const InnovationTail& tail : risks[k].tails) {
      quantiles.push_back(tail.quantile);
      value_at_risk.push_back(tail.value_at_risk(ahead(k)));
      shortfall.push_back(tail.expected_shortfall(ahead(k)));
    }
    const Series& series = plan.series[k];
    std::vector<GarchForecast> path(static_cast<std::size_t>(series.count),
                                    GarchForecast{NAN, NAN});
    if (is_known(fits[k]))
      path = follow(fits[k].parameters, fits[k].first, values.data() + series.begin, series.count);
    for (const GarchForecast& f : path) {
      location.push_back(f.location);
      scale.push_back(f.scale);
    }
  }
  results.write("names", std::vector<std::string>(kNames, kNames + kGarchParameters),
                Attributes{"1", "parameters, in the order of se"});
  results.write("se", errors, Shape{count, kGarchParameters},
                Attributes{"1",
                           "standard errors, from the outer product of the scores; 0: fixed; NaN: "
                           "at the end of its range"});
  results.write("covariance", covariances, Shape{count, kGarchParameters, kGarchParameters},
                Attributes{"1", "inverse of the outer product of the scores"});
  results.write("risk", levels, Attributes{"1", "confidence levels of values at risk"});
  results.write("innovation_quantile", quantiles, Shape{count, parts},
                Attributes{"1", "of the innovations, at 1 - risk"});
  results.write("next_value_at_risk", value_at_risk, Shape{count, parts},
                Attributes{"1", "of the value after the last one"});
  results.write("next_expected_shortfall", shortfall, Shape{count, parts},
                Attributes{"1", "of the value after the last one"});
  write(
      "begin", [&](std::size_t k) { return plan.series[k].begin; },
      "number of the first value of each series in 'value'");
  write(
      "count", [&](std::size_t k) { return plan.series[k].count; }, "values of each series");
  results.write("value", values, Attributes{"1", "the values, one series after the other"});
  results.write("location", location,
                Attributes{"1", "location of every value, before it is known"});
  results.write("scale", scale, Attributes{"1", "scale of every value, before it is known"});
}

void write_backtest(const io::Group& results, const Backtest& backtest,
                    const std::vector<double>& levels) {
  const io::Group group = results.group("backtest");
  const std::size_t parts = levels.size(), count = backtest.begin.size(),
                    days = backtest.value.size();
  group.write("begin", backtest.begin,
              Attributes{"1", "number of the first day of each series here"});
  group.write("count", backtest.count, Attributes{"1", "days of each series"});
  group.write("row", backtest.row, Attributes{"1", "number of each day in its series"});
  group.write("value", backtest.value, Attributes{"1", "what happened"});
  group.write("value_at_risk", backtest.value_at_risk, Shape{days, parts},
              Attributes{"1", "forecast of the day before"});
  group.write("expected_shortfall", backtest.expected_shortfall, Shape{days, parts},
              Attributes{"1", "forecast of the day before"});
  group.write("days", backtest.days, Shape{count, parts}, Attributes{"1", "days with a forecast"});
  group.write("exceedances", backtest.exceedances, Shape{count, parts},
              Attributes{"1", "days whose loss exceeds the value at risk"});
  std::vector<double> statistic, p;
  for (const KupiecTest& test : backtest.tests) {
    statistic.push_back(test.statistic);
    p.push_back(test.p_value);
  }
  group.write("kupiec", statistic, Shape{count, parts},
              Attributes{"1", "likelihood ratio of Kupiec's test"});
  group.write("p_value", p, Shape{count, parts},
              Attributes{"1", "of Kupiec's test, by chi-squared"});
}

namespace {

constexpr std::size_t kNumbers = kGarchParameters * (2 + kGarchParameters) + 8;

/// Hands every number of a fit that is a double to visit(number).
template <class Fit, class Visit>
void visit_numbers(Fit& fit, const Visit& visit) {
  for (auto& v : fit.parameters.value) visit(v);
  for (auto& v : fit.standard_error) visit(v);
  for (auto& v : fit.covariance) visit(v);
  visit(fit.log_likelihood);
  visit(fit.gradient_norm);
  for (auto* state : {&fit.first, &fit.last}) {
    visit(state->value);
    visit(state->error);
    visit(state->scale);
  }
}

}  // namespace

void save_garch(const io::Group& state, const std::vector<GarchResult>& fits) {
  std::vector<double> numbers;
  std::vector<std::int32_t> counts;
  for (const GarchResult& fit : fits) {
    visit_numbers(fit, [&](double v) { numbers.push_back(v); });
    counts.insert(counts.end(),
                  {static_cast<std::int32_t>(fit.status), fit.iterations, fit.evaluations});
  }
  state.write("numbers", numbers, Shape{fits.size(), kNumbers},
              Attributes{"1", "parameters, errors, likelihood and states of each fit"});
  state.write("counts", counts, Shape{fits.size(), 3},
              Attributes{"1", "status, iterations and evaluations of each fit"});
}

std::vector<GarchResult> load_garch(const io::Group& state, std::int64_t most) {
  const auto counts = state.read<std::int32_t>("counts");
  const std::size_t size = counts.size() / 3;
  if (counts.size() % 3 != 0 || size > static_cast<std::uint64_t>(most)) {
    throw state.misfit("counts", "holds " + std::to_string(size) + " fits, and the run has " +
                                     std::to_string(most));
  }
  const auto numbers = state.read<double>("numbers", {size, kNumbers});
  std::vector<GarchResult> fits(size);
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t next = kNumbers * k;
    visit_numbers(fits[k], [&](double& v) { v = numbers[next++]; });
    if (counts[3 * k] < 0 || counts[3 * k] > static_cast<std::int32_t>(FitStatus::constant)) {
      throw state.misfit("counts", "holds the unknown status " + std::to_string(counts[3 * k]));
    }
    fits[k].status = static_cast<FitStatus>(counts[3 * k]);
    fits[k].iterations = counts[3 * k + 1];
    fits[k].evaluations = counts[3 * k + 2];
  }
  return fits;
}

}  // namespace tessera::stable

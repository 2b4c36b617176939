// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/tasks/precision.hpp"

namespace tessera::stable {

namespace {

/// Relative differences are of values above it.
constexpr double kLeastValue = 1e-290;

double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// One member of every row.
std::vector<double> gather(const std::vector<Precision>& rows, double Precision::*member) {
  std::vector<double> values;
  for (const Precision& row : rows) values.push_back(row.*member);
  return values;
}

}  // namespace

Precision detail::compare(const std::vector<double>& pdf, const std::vector<double>& cdf,
                          const std::vector<double>& exact_pdf,
                          const std::vector<double>& exact_cdf) {
  Precision found;
  std::vector<double> relative, pdf_absolute, absolute, cdf_relative;
  double sum = 0, close = 0;
  for (std::size_t i = 0; i < pdf.size(); ++i) {
    absolute.push_back(std::fabs(cdf[i] - exact_cdf[i]));
    found.cdf_largest = std::max(found.cdf_largest, absolute.back());
    pdf_absolute.push_back(std::fabs(pdf[i] - exact_pdf[i]));
    if (exact_cdf[i] > kLeastValue) cdf_relative.push_back(absolute.back() / exact_cdf[i]);
    if (!(exact_pdf[i] > kLeastValue)) continue;
    relative.push_back(std::fabs(pdf[i] / exact_pdf[i] - 1));
    found.pdf_largest = std::max(found.pdf_largest, relative.back());
    sum += relative.back();
    close += relative.back() < 1e-6 ? 1 : 0;
  }
  found.pdf_mean = sum / static_cast<double>(relative.size());
  found.pdf_close = close / static_cast<double>(relative.size());
  found.pdf_median = median(relative);
  found.pdf_absolute_median = median(pdf_absolute);
  found.cdf_median = median(absolute);
  found.cdf_relative_median = median(cdf_relative);
  return found;
}

double detail::relative_median(const std::vector<double>& error, const std::vector<double>& value) {
  std::vector<double> relative;
  for (std::size_t i = 0; i < error.size(); ++i) {
    if (value[i] > kLeastValue) relative.push_back(error[i] / value[i]);
  }
  return median(relative);
}

void detail::compare_quantiles(const std::vector<double>& found, const std::vector<double>& exact,
                               Precision& precision) {
  std::vector<double> relative, absolute;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(found[i])) continue;
    absolute.push_back(std::fabs(found[i] - exact[i]));
    if (exact[i] != 0) relative.push_back(std::fabs(found[i] / exact[i] - 1));
  }
  precision.quantile_absolute_median = median(absolute);
  precision.quantile_relative_median = median(relative);
  precision.quantile_unsolved =
      1 - static_cast<double>(absolute.size()) / static_cast<double>(found.size());
}

std::string describe_unsolved(const std::vector<Precision>& found) {
  const auto unsolved = std::count_if(found.begin(), found.end(), [](const Precision& precision) {
    return precision.quantile_unsolved > 0;
  });
  if (unsolved == 0) return {};
  return "the paper's iteration does not find all quantiles of " + std::to_string(unsolved) +
         " of " + std::to_string(found.size()) +
         " distributions (results/quantile_unsolved says how many); its medians are of those found";
}

void write_precision(const io::Group& results, const io::Group& coordinates, const Parameters& p,
                     const std::vector<Precision>& found) {
  coordinates.write("alpha", p.alphas, io::Attributes{"1", "stability index"});
  coordinates.write("beta", p.betas, io::Attributes{"1", "skewness"});
  if (found.size() != p.alphas.size() * p.betas.size()) return;
  const io::Shape shape{p.alphas.size(), p.betas.size()};
  const auto write = [&](const std::string& name, double Precision::*member,
                         const std::string& meaning) {
    results.write(name, gather(found, member), shape, io::Attributes{"1", meaning});
  };
  if (!p.by_paper()) {
    write("quantile_absolute_median", &Precision::quantile_absolute_median,
          "median difference of quantiles, evenly from that of 0.1 to that of 0.9");
    write("quantile_relative_median", &Precision::quantile_relative_median,
          "the same, relative to the quantile");
  }
  if (p.by_newton()) {
    write("quantile_unsolved", &Precision::quantile_unsolved,
          "fraction of these quantiles that the paper's iteration does not find");
    return;
  }
  write("pdf_largest", &Precision::pdf_largest,
        "largest relative difference of the density from the contour integral");
  write("pdf_mean", &Precision::pdf_mean, "the same, mean");
  write("pdf_median", &Precision::pdf_median, "the same, median");
  write("pdf_absolute_median", &Precision::pdf_absolute_median,
        "median difference of the density from the contour integral");
  write("cdf_largest", &Precision::cdf_largest, "largest difference of the distribution function");
  write("cdf_median", &Precision::cdf_median, "the same, median");
  write("cdf_relative_median", &Precision::cdf_relative_median,
        "the same, relative to P(X <= x), median");
  if (p.by_paper()) {
    write("pdf_estimate_median", &Precision::pdf_estimate_median,
          "median of |Gauss - Kronrod| by the density, an estimate of its relative error");
    write("cdf_estimate_median", &Precision::cdf_estimate_median,
          "median of |Gauss - Kronrod| by the distribution function");
    write("pdf_close", &Precision::pdf_close,
          "fraction of points at which the density differs by less than 1e-6 of it");
  } else {
    write("quantile_largest", &Precision::quantile_largest,
          "largest relative difference of P(X <= x(p)) from p, by the smaller tail");
    write("table_error", &Precision::table_error,
          "largest relative error of the density found while the table was built");
  }
}

}  // namespace tessera::stable

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/stable/paper.hpp"
#include "tessera/stable/report.hpp"
#include "tessera/stable/table.hpp"

/// How far tables and the paper's method are from the contour integrals, for one distribution in S0.
namespace tessera::stable {

namespace detail {

inline constexpr int kPrecisionPoints = 4000;

inline double median(std::vector<double>& values) {
  if (values.empty()) return NAN;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Densities, relative, where the exact one is above 1e-290; probabilities, absolute.
inline Precision compare(const std::vector<double>& pdf, const std::vector<double>& cdf, const std::vector<double>& exact_pdf,
                         const std::vector<double>& exact_cdf) {
  Precision found;
  std::vector<double> relative, absolute;
  double sum = 0, close = 0;
  for (std::size_t i = 0; i < pdf.size(); ++i) {
    absolute.push_back(std::fabs(cdf[i] - exact_cdf[i]));
    found.cdf_largest = std::max(found.cdf_largest, absolute.back());
    if (!(exact_pdf[i] > 1e-290)) continue;
    relative.push_back(std::fabs(pdf[i] / exact_pdf[i] - 1));
    found.pdf_largest = std::max(found.pdf_largest, relative.back());
    sum += relative.back();
    close += relative.back() < 1e-6 ? 1 : 0;
  }
  found.pdf_mean = sum / static_cast<double>(relative.size());
  found.pdf_close = close / static_cast<double>(relative.size());
  found.pdf_median = median(relative);
  found.cdf_median = median(absolute);
  return found;
}

template <class ExecSpace>
EvaluationViews<ExecSpace> precision_views() {
  using View = Kokkos::View<double*, ExecSpace>;
  EvaluationViews<ExecSpace> views;
  views.pdf = View("tessera::stable::pdf", kPrecisionPoints);
  views.cdf = View("tessera::stable::cdf", kPrecisionPoints);
  views.sf = View("tessera::stable::sf", kPrecisionPoints);
  return views;
}

}  // namespace detail

/// Tables, at quantiles of the distribution: half of them evenly spaced in p, half down to p = 1e-12.
template <class ExecSpace>
Precision measure_table_precision(const ExecSpace& exec, double alpha, double beta) {
  constexpr int n = detail::kPrecisionPoints;
  const Table<ExecSpace> table(exec, alpha, beta);
  const QuantileTable<ExecSpace> quantiles(exec, table);
  std::vector<double> p(n);
  for (int i = 0; i < n; ++i) p[i] = i < n / 2 ? (i + 0.5) / (n / 2) : std::pow(10.0, -12.0 * (i - n / 2 + 0.5) / (n / 2));
  const Kokkos::View<double*, ExecSpace> x("tessera::stable::x", n), pdf("tessera::stable::pdf", n), cdf("tessera::stable::cdf", n);
  const EvaluationViews<ExecSpace> exact = detail::precision_views<ExecSpace>();
  quantiles(exec, upload(exec, "tessera::stable::points", p), x);
  table.pdf(exec, x, pdf);
  table.cdf(exec, x, cdf);
  evaluate_batch<ExecSpace>(exec, alpha, beta, {}, x, exact);
  exec.fence();
  const auto c0 = download(exec, exact.cdf), s0 = download(exec, exact.sf);
  Precision found = detail::compare(download(exec, pdf), download(exec, cdf), download(exec, exact.pdf), c0);
  found.table_error = table.error();
  for (int i = 0; i < n; ++i) {
    const double tail = p[i] <= 0.5 ? std::fabs(c0[i] / p[i] - 1) : std::fabs(s0[i] / (1 - p[i]) - 1);
    found.quantile_largest = std::max(found.quantile_largest, tail);
  }
  return found;
}

/// The paper's method where the paper measures it: evenly from -100 to 100.
template <class ExecSpace>
Precision measure_paper_precision(const ExecSpace& exec, double alpha, double beta) {
  constexpr int n = detail::kPrecisionPoints;
  std::vector<double> host_x(n);
  for (int i = 0; i < n; ++i) host_x[i] = -100 + 200 * (i + 0.5) / n;
  const auto x = upload(exec, "tessera::stable::points", host_x);
  const EvaluationViews<ExecSpace> paper = detail::precision_views<ExecSpace>(), exact = detail::precision_views<ExecSpace>();
  evaluate_batch_by_paper<ExecSpace>(exec, alpha, beta, {}, x, paper);
  evaluate_batch<ExecSpace>(exec, alpha, beta, {}, x, exact);
  exec.fence();
  return detail::compare(download(exec, paper.pdf), download(exec, paper.cdf), download(exec, exact.pdf), download(exec, exact.cdf));
}

}  // namespace tessera::stable

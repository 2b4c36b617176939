// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/stable/law/paper.hpp"
#include "tessera/stable/law/table.hpp"
#include "tessera/stable/program/tasks/task_model.hpp"

/// Task precision: how far tables and the paper's method are from the contour integrals, over a
/// grid of distributions in S0.
namespace tessera::stable {

/// The precision of tables, or of the paper's method, for a distribution, against the contour
/// integrals.
struct Precision {
  double pdf_largest = 0, pdf_mean = 0, pdf_median = 0;  ///< relative differences of the density
  /// Fraction of points at which it is below 1e-6
  double pdf_close = 0;
  /// Differences of the distribution function
  double cdf_largest = 0, cdf_median = 0;
  double quantile_largest = 0, table_error = 0;  ///< of tables
};

namespace detail {

inline constexpr int kPrecisionPoints = 4000;

/// Densities, relative, where the exact one is above 1e-290; probabilities, absolute.
Precision compare(const std::vector<double>& pdf, const std::vector<double>& cdf,
                  const std::vector<double>& exact_pdf, const std::vector<double>& exact_cdf);

template <class ExecSpace>
EvaluationViews<ExecSpace> precision_views(const ExecSpace& exec) {
  using View = Kokkos::View<double*, ExecSpace>;
  EvaluationViews<ExecSpace> views;
  views.pdf = allocate<View>(exec, "tessera::stable::pdf", kPrecisionPoints);
  views.cdf = allocate<View>(exec, "tessera::stable::cdf", kPrecisionPoints);
  views.sf = allocate<View>(exec, "tessera::stable::sf", kPrecisionPoints);
  return views;
}

}  // namespace detail

/// Tables, at quantiles of the distribution: half of them evenly spaced in p, half down to p =
/// 1e-12.
template <class ExecSpace>
Precision measure_table_precision(const ExecSpace& exec, double alpha, double beta) {
  constexpr int n = detail::kPrecisionPoints;
  const Table<ExecSpace> table(exec, alpha, beta);
  const QuantileTable<ExecSpace> quantiles(exec, table);
  std::vector<double> p(n);
  for (int i = 0; i < n; ++i)
    p[i] = i < n / 2 ? (i + 0.5) / (n / 2) : std::pow(10.0, -12.0 * (i - n / 2 + 0.5) / (n / 2));
  using View = Kokkos::View<double*, ExecSpace>;
  const auto x = allocate<View>(exec, "tessera::stable::x", n),
             pdf = allocate<View>(exec, "tessera::stable::pdf", n),
             cdf = allocate<View>(exec, "tessera::stable::cdf", n);
  const EvaluationViews<ExecSpace> exact = detail::precision_views(exec);
  quantiles(exec, upload(exec, "tessera::stable::points", p), x);
  table.pdf(exec, x, pdf);
  table.cdf(exec, x, cdf);
  evaluate_batch<ExecSpace>(exec, alpha, beta, {}, x, exact);
  exec.fence();
  const auto c0 = download(exec, exact.cdf), s0 = download(exec, exact.sf);
  Precision found =
      detail::compare(download(exec, pdf), download(exec, cdf), download(exec, exact.pdf), c0);
  found.table_error = table.error();
  for (int i = 0; i < n; ++i) {
    const double tail =
        p[i] <= 0.5 ? std::fabs(c0[i] / p[i] - 1) : std::fabs(s0[i] / (1 - p[i]) - 1);
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
  const EvaluationViews<ExecSpace> paper = detail::precision_views(exec),
                                   exact = detail::precision_views(exec);
  evaluate_batch_by_paper<ExecSpace>(exec, alpha, beta, {}, x, paper);
  evaluate_batch<ExecSpace>(exec, alpha, beta, {}, x, exact);
  exec.fence();
  return detail::compare(download(exec, paper.pdf), download(exec, paper.cdf),
                         download(exec, exact.pdf), download(exec, exact.cdf));
}

void write_precision(const io::Group& results, const io::Group& coordinates, const Parameters& p,
                     const std::vector<Precision>& precision);

/// One distribution a step.
template <class ExecSpace>
class PrecisionModel final : public TaskModel {
 public:
  PrecisionModel(const Parameters& parameters, const RunSettings& settings)
      : TaskModel(parameters, settings, "distributions") {}

  void initialize() override {
    m_total = static_cast<std::int64_t>(m_p.alphas.size() * m_p.betas.size());
  }

  bool advance() override {
    const logging::Region region("tessera::stable::precision");
    const auto k = static_cast<std::size_t>(m_done);
    const double alpha = m_p.alphas[k / m_p.betas.size()], beta = m_p.betas[k % m_p.betas.size()];
    m_precision.push_back(m_p.by_paper ? measure_paper_precision<ExecSpace>(m_exec, alpha, beta)
                                       : measure_table_precision<ExecSpace>(m_exec, alpha, beta));
    return ++m_done < m_total;
  }

  std::string summary() const override {
    return std::to_string(m_precision.size()) + " distributions";
  }

  void write(io::ResultsFile& file) const override {
    write_precision(file.results(), file.coordinates(), m_p, m_precision);
  }

 private:
  ExecSpace m_exec;
  std::vector<Precision> m_precision;
};

}  // namespace tessera::stable

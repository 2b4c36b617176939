// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/stable/law/paper.hpp"
#include "tessera/stable/law/paper_quantile.hpp"
#include "tessera/stable/law/table.hpp"
#include "tessera/stable/program/tasks/task_model.hpp"

/// Task precision: how far tables, the paper's method and its quantiles are from the contour
/// integrals, over a grid of distributions in S0.
namespace tessera::stable {

/// The precision of tables, or of the paper's method, for a distribution, against the contour
/// integrals.
struct Precision {
  double pdf_largest = 0, pdf_mean = 0, pdf_median = 0;  ///< relative differences of the density
  /// Fraction of points at which it is below 1e-6
  double pdf_close = 0;
  double pdf_absolute_median = 0;
  /// Differences of the distribution function
  double cdf_largest = 0, cdf_median = 0;
  double cdf_relative_median = 0;
  /// |Gauss - Kronrod| by the value, of the paper's method
  double pdf_estimate_median = 0, cdf_estimate_median = 0;
  double quantile_largest = 0, table_error = 0;  ///< of tables
  /// Differences of quantiles between the probabilities 0.1 and 0.9
  double quantile_absolute_median = 0, quantile_relative_median = 0;
  double quantile_unsolved = 0;  ///< fraction of them that the paper's iteration does not find
};

namespace detail {

inline constexpr int kPrecisionPoints = 4000;

/// Densities, relative, where the exact one is above 1e-290; probabilities, absolute.
Precision compare(const std::vector<double>& pdf, const std::vector<double>& cdf,
                  const std::vector<double>& exact_pdf, const std::vector<double>& exact_cdf);

/// The median of error / value where the value is above 1e-290.
double relative_median(const std::vector<double>& error, const std::vector<double>& value);

/// Records differences of quantiles `found` from the exact ones; NaN was not found.
void compare_quantiles(const std::vector<double>& found, const std::vector<double>& exact,
                       Precision& precision);

template <class ExecSpace>
EvaluationViews<ExecSpace> precision_views(const ExecSpace& exec) {
  using View = Kokkos::View<double*, ExecSpace>;
  EvaluationViews<ExecSpace> views;
  views.pdf = allocate<View>(exec, "tessera::stable::pdf", kPrecisionPoints);
  views.cdf = allocate<View>(exec, "tessera::stable::cdf", kPrecisionPoints);
  views.sf = allocate<View>(exec, "tessera::stable::sf", kPrecisionPoints);
  return views;
}

/// Quantiles, evenly from that of 0.1 to that of 0.9, and their probabilities.
struct EvenQuantiles {
  std::vector<double> x, p;
};

template <class ExecSpace>
EvenQuantiles make_even_quantiles(const ExecSpace& exec, double alpha, double beta) {
  constexpr int n = kPrecisionPoints;
  const StableDistribution distribution(alpha, beta);
  const double low = quantile(distribution, 0.1), high = quantile(distribution, 0.9);
  EvenQuantiles even;
  for (int i = 0; i < n; ++i) even.x.push_back(low + (high - low) * (i + 0.5) / n);
  EvaluationViews<ExecSpace> exact;
  exact.cdf = allocate<Kokkos::View<double*, ExecSpace>>(exec, "tessera::stable::cdf", n);
  evaluate_batch<ExecSpace>(exec, alpha, beta, {}, upload(exec, "tessera::stable::x", even.x),
                            exact);
  even.p = download(exec, exact.cdf);
  return even;
}

/// Differences of the quantiles that find(p, x) finds on the device.
template <class ExecSpace, class Find>
void measure_quantiles(const ExecSpace& exec, double alpha, double beta, const Find& find,
                       Precision& precision) {
  const EvenQuantiles even = make_even_quantiles(exec, alpha, beta);
  const auto x =
      allocate<Kokkos::View<double*, ExecSpace>>(exec, "tessera::stable::quantile", even.p.size());
  find(upload(exec, "tessera::stable::p", even.p), x);
  compare_quantiles(download(exec, x), even.x, precision);
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
  detail::measure_quantiles(
      exec, alpha, beta, [&](const View& at, const View& out) { quantiles(exec, at, out); }, found);
  return found;
}

/// The paper's method where the paper measures it: evenly from -100 to 100.
template <class ExecSpace>
Precision measure_paper_precision(const ExecSpace& exec, const PaperQuadrature& quadrature,
                                  double alpha, double beta) {
  constexpr int n = detail::kPrecisionPoints;
  std::vector<double> host_x(n);
  for (int i = 0; i < n; ++i) host_x[i] = -100 + 200 * (i + 0.5) / n;
  const auto x = upload(exec, "tessera::stable::points", host_x);
  const EvaluationViews<ExecSpace> paper = detail::precision_views(exec),
                                   exact = detail::precision_views(exec);
  const QuadratureErrorViews<ExecSpace> estimate{
      allocate<Kokkos::View<double*, ExecSpace>>(exec, "tessera::stable::pdf_error", n),
      allocate<Kokkos::View<double*, ExecSpace>>(exec, "tessera::stable::cdf_error", n)};
  evaluate_batch_by_paper<ExecSpace>(exec, alpha, beta, {}, x, paper, quadrature, estimate);
  evaluate_batch<ExecSpace>(exec, alpha, beta, {}, x, exact);
  exec.fence();
  const auto pdf = download(exec, paper.pdf), cdf = download(exec, paper.cdf);
  Precision found = detail::compare(pdf, cdf, download(exec, exact.pdf), download(exec, exact.cdf));
  found.pdf_estimate_median = detail::relative_median(download(exec, estimate.pdf), pdf);
  found.cdf_estimate_median = detail::relative_median(download(exec, estimate.cdf), cdf);
  return found;
}

/// The paper's quantiles.
template <class ExecSpace>
Precision measure_newton_precision(const ExecSpace& exec,
                                   const PaperQuantiles<ExecSpace>& quantiles, double alpha,
                                   double beta) {
  using View = Kokkos::View<double*, ExecSpace>;
  Precision found;
  detail::measure_quantiles(
      exec, alpha, beta,
      [&](const View& p, const View& x) { quantiles(exec, alpha, beta, {}, p, x); }, found);
  return found;
}

/// Returns a warning about distributions of which the paper's iteration does not find all
/// quantiles; empty where there are none.
std::string describe_unsolved(const std::vector<Precision>& precision);

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
    if (m_p.by_newton()) m_newton.emplace(m_exec, m_p.quadrature, m_p.paper_tolerance);
  }

  bool advance() override {
    const logging::Region region("tessera::stable::precision");
    const auto k = static_cast<std::size_t>(m_done);
    const double alpha = m_p.alphas[k / m_p.betas.size()], beta = m_p.betas[k % m_p.betas.size()];
    m_precision.push_back(
        m_p.by_paper()    ? measure_paper_precision<ExecSpace>(m_exec, m_p.quadrature, alpha, beta)
        : m_p.by_newton() ? measure_newton_precision<ExecSpace>(m_exec, *m_newton, alpha, beta)
                          : measure_table_precision<ExecSpace>(m_exec, alpha, beta));
    if (++m_done < m_total) return true;
    const std::string unsolved = describe_unsolved(m_precision);
    if (!unsolved.empty()) logging::warning(unsolved);
    return false;
  }

  std::string summary() const override {
    return std::to_string(m_precision.size()) + " distributions";
  }

  void write(io::ResultsFile& file) const override {
    write_precision(file.results(), file.coordinates(), m_p, m_precision);
  }

 private:
  ExecSpace m_exec;
  std::optional<PaperQuantiles<ExecSpace>> m_newton;
  std::vector<Precision> m_precision;
};

}  // namespace tessera::stable

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/stable/law/paper_quantile.hpp"
#include "tessera/stable/law/quantile_function.hpp"
#include "tessera/stable/program/tasks/blocks.hpp"
#include "tessera/stable/program/tasks/curves.hpp"
#include "tessera/stable/program/tasks/task_model.hpp"

namespace tessera::stable {

/// Task quantile: quantiles of one or several distributions, one a step. Ranks share the
/// probabilities.
template <class ExecSpace>
class QuantileModel final : public TaskModel {
 public:
  QuantileModel(const Parameters& parameters, const RunSettings& settings)
      : TaskModel(parameters, settings, "distributions") {}

  void initialize() override {
    m_curves = make_curves(m_p);
    m_total = static_cast<std::int64_t>(m_curves.alpha.size());
  }

  bool advance() override {
    const logging::Region region("tessera::stable::quantile");
    const auto k = static_cast<std::size_t>(m_done);
    const PointRange mine = own_part(m_curves.points.size());
    const std::vector<double> p(m_curves.points.begin() + static_cast<std::ptrdiff_t>(mine.first),
                                m_curves.points.begin() + static_cast<std::ptrdiff_t>(mine.second));
    append(m_curves.quantile, m_p.by_newton() ? solve_by_newton(k, p) : solve(k, p));
    return ++m_done < m_total;
  }

  std::string summary() const override {
    return std::to_string(m_done) + " distributions at " + std::to_string(m_curves.points.size()) +
           " points";
  }

  std::string indivisible() const override { return {}; }

  void write(io::ResultsFile& file) const override {
    if (m_done == m_total) write_quantiles(file.results(), m_curves, m_p.distributions.empty());
  }

 private:
  using View = Kokkos::View<double*, ExecSpace>;

  /// Returns the quantiles of distribution k by a table, and those beyond it by contour integrals.
  std::vector<double> solve(std::size_t k, const std::vector<double>& p) {
    std::vector<double> x(p.size(), NAN);
    const double alpha = m_curves.alpha[k];
    if (const auto table = alpha < kLeastQuantileAlpha
                               ? nullptr
                               : make_table_where_useful(m_exec, m_p, k, m_curves)) {
      const QuantileTable<ExecSpace> quantiles(m_exec, *table);
      const View out = make_results(p.size());
      quantiles(m_exec, upload(m_exec, "tessera::stable::p", p), out);
      x = download(m_exec, out);
    }
    const StableDistribution distribution(alpha, m_curves.beta[k]);
    const LocationScale where = resolve_mode(distribution, m_p.where());
    for (std::size_t i = 0; i < p.size(); ++i) {  // few probabilities, and those beyond the table
      if (i % kBetweenLooks == 0) stop_at_signal();
      if (std::isnan(x[i])) x[i] = quantile(distribution, where, p[i]);
    }
    return x;
  }

  /// Returns those of the paper's iteration. What it does not find is NaN, with a warning.
  std::vector<double> solve_by_newton(std::size_t k, const std::vector<double>& p) {
    if (!m_newton) m_newton.emplace(m_exec, m_p.quadrature, m_p.paper_tolerance);
    const View device = upload(m_exec, "tessera::stable::p", p), out = make_results(p.size());
    for_each_block<ExecSpace>(p.size(), kPaperBlock, [&](const PointRange& range) {
      (*m_newton)(m_exec, m_curves.alpha[k], m_curves.beta[k], m_p.where(),
                  View(Kokkos::subview(device, range)), View(Kokkos::subview(out, range)));
      m_exec.fence();
    });
    const std::vector<double> x = download(m_exec, out);
    warn_of_unsolved(
        std::count_if(x.begin(), x.end(), [](double value) { return std::isnan(value); }));
    return x;
  }

  void warn_of_unsolved(std::int64_t own) const {
    const std::vector<std::int64_t> all = ranks().all_gather(std::vector<std::int64_t>{own});
    const std::int64_t unsolved = std::accumulate(all.begin(), all.end(), std::int64_t{0});
    if (unsolved == 0) return;
    logging::warning("the paper's iteration finds no quantile for " + std::to_string(unsolved) +
                     " of " + std::to_string(m_curves.points.size()) +
                     " probabilities (NaN in results/x); problem.method: contour finds them");
  }

  View make_results(std::size_t count) const {
    return View(
        Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::stable::quantile"),
        count);
  }

  // probabilities, between two looks whether a signal has been received
  static constexpr std::size_t kBetweenLooks = 256;

  ExecSpace m_exec;
  std::optional<PaperQuantiles<ExecSpace>> m_newton;
  Curves m_curves;
};

}  // namespace tessera::stable

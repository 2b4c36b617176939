// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
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

/// Task quantile: quantiles of one or several distributions, one a step.
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
    const double alpha = m_curves.alpha[k];
    const std::size_t n = m_curves.points.size();
    if (m_p.by_newton()) {
      solve_by_newton(k);
      return ++m_done < m_total;
    }
    std::vector<double> x(n, NAN);
    if (const auto table = alpha < kLeastQuantileAlpha
                               ? nullptr
                               : make_table_where_useful(m_exec, m_p, k, m_curves)) {
      const QuantileTable<ExecSpace> quantiles(m_exec, *table);
      const View out(
          Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::stable::quantile"), n);
      quantiles(m_exec, upload(m_exec, "tessera::stable::p", m_curves.points), out);
      x = download(m_exec, out);
    }
    const StableDistribution distribution(alpha, m_curves.beta[k]);
    const LocationScale where = resolve_mode(distribution, m_p.where());
    for (std::size_t i = 0; i < n; ++i) {  // few probabilities, and those beyond the table
      if (i % kBetweenLooks == 0) stop_at_signal();
      if (std::isnan(x[i])) x[i] = quantile(distribution, where, m_curves.points[i]);
    }
    m_curves.quantile.insert(m_curves.quantile.end(), x.begin(), x.end());
    return ++m_done < m_total;
  }

  std::string summary() const override {
    return std::to_string(m_done) + " distributions at " + std::to_string(m_curves.points.size()) +
           " points";
  }

  void write(io::ResultsFile& file) const override {
    if (m_done == m_total) write_quantiles(file.results(), m_curves, m_p.distributions.empty());
  }

 private:
  using View = Kokkos::View<double*, ExecSpace>;

  /// The paper's iteration. What it does not find stays NaN, with a warning.
  void solve_by_newton(std::size_t k) {
    if (!m_newton) m_newton.emplace(m_exec, m_p.quadrature, m_p.paper_tolerance);
    const std::size_t n = m_curves.points.size();
    const View p = upload(m_exec, "tessera::stable::p", m_curves.points);
    const View out(
        Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::stable::quantile"), n);
    for_each_block<ExecSpace>(n, kPaperBlock, [&](const PointRange& range) {
      (*m_newton)(m_exec, m_curves.alpha[k], m_curves.beta[k], m_p.where(),
                  View(Kokkos::subview(p, range)), View(Kokkos::subview(out, range)));
      m_exec.fence();
    });
    const std::vector<double> x = download(m_exec, out);
    const auto unsolved =
        std::count_if(x.begin(), x.end(), [](double value) { return std::isnan(value); });
    if (unsolved > 0) {
      logging::warning("the paper's iteration finds no quantile for " + std::to_string(unsolved) +
                       " of " + std::to_string(n) +
                       " probabilities (NaN in results/x); problem.method: contour finds them");
    }
    m_curves.quantile.insert(m_curves.quantile.end(), x.begin(), x.end());
  }

  // probabilities, between two looks whether a signal has been received
  static constexpr std::size_t kBetweenLooks = 256;

  ExecSpace m_exec;
  std::optional<PaperQuantiles<ExecSpace>> m_newton;
  Curves m_curves;
};

}  // namespace tessera::stable

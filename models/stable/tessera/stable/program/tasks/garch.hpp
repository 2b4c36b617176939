// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/stable/garch/garch.hpp"
#include "tessera/stable/program/tasks/fit_report.hpp"
#include "tessera/stable/program/tasks/garch_report.hpp"
#include "tessera/stable/program/tasks/shared_batches.hpp"
#include "tessera/stable/program/tasks/task_model.hpp"

namespace tessera::stable {

/// Task garch: ARMA-GARCH processes with stable innovations fitted to series, their risks, and a
/// backtest over rolling windows.
template <class ExecSpace>
class GarchModel final : public TaskModel {
 public:
  GarchModel(const Parameters& parameters, const RunSettings& settings)
      : TaskModel(parameters, settings, "fits"), m_batches(m_exec, ranks()), m_fitter(m_exec) {}

  void initialize() override {
    if (m_p.data) {
      m_values = m_p.data->value;
      m_plan.series = m_p.data->series;
    } else {
      simulate_series();
    }
    const GarchSettings& settings = m_p.garch;
    m_plan.windows = find_windows(m_plan.series, 0, 1);
    if (settings.window > 0) {
      for (const PanelWindow& window :
           find_windows(m_plan.series, settings.window, settings.step)) {
        const bool ahead =
            window.count > 0 && window.first + window.count < m_plan.series[window.series].count;
        if (ahead) m_plan.windows.push_back(window);
      }
    }
    m_plan.tasks.clear();
    for (const PanelWindow& window : m_plan.windows) {
      GarchTask task = m_p.garch.make_task(m_p.alpha, m_p.beta);
      task.begin = m_plan.series[window.series].begin + window.first;
      task.count = static_cast<std::int32_t>(window.count);
      m_plan.tasks.push_back(task);
    }
    m_data = upload(m_exec, "tessera::stable::data", m_values);
    m_total = static_cast<std::int64_t>(m_plan.tasks.size());
  }

  bool advance() override {
    if (m_done < m_total) {
      const std::int64_t batch = m_batches.next(m_total - m_done);
      const std::vector<GarchResult> found = m_batches.share(
          "tessera::stable::garch", batch,
          [&](const parallel::Range& mine) { return fit(m_done + mine.begin, mine.size()); });
      m_fits.insert(m_fits.end(), found.begin(), found.end());
      m_done += static_cast<std::int64_t>(found.size());
    }
    if (m_done < m_total) return true;
    require_possible();
    find_risks();
    warn_of_fits();
    require_convergence();
    return false;
  }

  void save(io::Group& state) const override { save_garch(state.group("garch"), m_fits); }
  void load(const io::Group& state) override {
    initialize();
    m_fits = load_garch(state.group("garch"), m_total);
    m_done = static_cast<std::int64_t>(m_fits.size());
  }

  std::string indivisible() const override { return {}; }

  std::string summary() const override {
    if (m_risks.empty()) return std::to_string(m_done) + " fits";
    std::string text = m_plan.series.size() == 1 ? describe(m_fits[0], m_risks[0]) : count_fits();
    if (!m_p.data) text += "; of simulated values";
    if (m_p.garch.window > 0) text += describe(m_backtest, m_p.garch.risk);
    return text;
  }

  void write(io::ResultsFile& file) const override {
    if (m_risks.empty()) return;
    const io::Group results = file.results();
    results.set_attribute("data", m_p.data ? m_p.data->file : "simulated values");
    write_garch(results, m_plan, m_values, m_fits, m_risks, m_p.garch.risk);
    if (m_p.garch.window > 0) write_backtest(results, m_backtest, m_p.garch.risk);
  }

 private:
  void simulate_series() {
    logging::info("no 'data' in the input: fitting " + std::to_string(m_p.garch.series) +
                  " simulated series of " + std::to_string(m_p.n) + " values");
    m_values.clear();
    m_plan.series.clear();
    GarchParameters truth = m_p.garch.truth;
    truth[GarchParameter::alpha] = m_p.alpha;
    truth[GarchParameter::beta] = m_p.beta;
    for (std::int64_t k = 0; k < m_p.garch.series; ++k) {
      const std::vector<double> own =
          simulate(truth, m_p.n, random(3), static_cast<std::uint64_t>(k));
      m_plan.series.push_back({m_p.garch.series > 1 ? std::to_string(k + 1) : "",
                               static_cast<std::int64_t>(m_values.size()), m_p.n});
      m_values.insert(m_values.end(), own.begin(), own.end());
    }
  }

  std::vector<GarchResult> fit(std::int64_t first, std::int64_t count) {
    GarchOptions options;
    options.tolerance = m_p.garch.tolerance;
    options.standard_errors = m_p.fit.standard_errors;
    const auto begin = m_plan.tasks.begin() + first;
    return m_fitter(m_data, {begin, begin + count}, options);
  }

  void find_risks() {
    std::vector<GarchParameters> parameters;
    for (const GarchResult& fit : m_fits) parameters.push_back(fit.parameters);
    std::vector<double> probabilities;
    for (const double level : m_p.garch.risk) probabilities.push_back(1 - level);
    m_risks = find_tail_risks(m_exec, parameters, probabilities);
    if (m_p.garch.window > 0)
      m_backtest = make_backtest(m_plan, m_values, m_fits, m_risks, m_p.garch.risk, m_p.garch.step);
  }

  std::string data_name() const { return m_p.data ? m_p.data->file : "the simulated series"; }

  /// A single series that cannot be fitted is an error, and there are no results.
  void require_possible() const {
    if (m_plan.series.size() != 1 || m_fits.front().status <= FitStatus::not_converged) return;
    throw Error(ErrorKind::input,
                data_name() + " cannot be fitted: " + describe_garch_status(m_fits.front().status),
                "a fit needs at least 20 values that differ");
  }

  void warn_of_fits() const {
    const std::size_t series = m_plan.series.size();
    for (std::size_t k = 0; k < series; ++k) {
      const std::string statement = describe_limits(m_fits[k], m_risks[k]);
      const std::string label = m_plan.series[k].label;
      if (series <= kMostNamed && !statement.empty())
        logging::warning((label.empty() ? "" : "series '" + label + "': ") + statement);
    }
    const auto failed = std::count_if(m_fits.begin(), m_fits.end(), [](const GarchResult& f) {
      return f.status > FitStatus::boundary;
    });
    if (failed > 0 && m_fits.size() > 1) {
      logging::warning(std::to_string(failed) + " of " + std::to_string(m_fits.size()) +
                       " fits have not converged or were not possible (results/status says which "
                       "series); look at the data, at garch.mean and at garch.tolerance");
    }
    const auto limited = [&](std::size_t k) {
      return !describe_limits(m_fits[k], m_risks[k]).empty();
    };
    std::size_t limits = 0;
    for (std::size_t k = 0; k < series; ++k) limits += limited(k) ? 1 : 0;
    if (series > kMostNamed && limits > 0) logging::warning(count_fits());
  }

  /// A single series whose fit has not converged is an error, but its results are kept.
  void require_convergence() const {
    const GarchResult& fit = m_fits.front();
    if (m_plan.series.size() == 1 && fit.status == FitStatus::not_converged) {
      throw Error(ErrorKind::numerical,
                  data_name() +
                      ": the fit has not converged; the largest component of the gradient is " +
                      std::to_string(fit.gradient_norm) + " by the number of values",
                  "look at the data, at garch.mean and at garch.tolerance; the parameters reached "
                  "are in the results");
    }
  }

  std::string count_fits() const {
    std::int64_t ends = 0, failed = 0, wandering = 0;
    for (std::size_t k = 0; k < m_fits.size(); ++k) {
      ends += m_fits[k].status == FitStatus::boundary ? 1 : 0;
      failed += m_fits[k].status > FitStatus::boundary ? 1 : 0;
      wandering += m_risks[k].persistence >= 1 ? 1 : 0;
    }
    return std::to_string(m_fits.size()) + " fits, " + std::to_string(ends) +
           " of them at the end of a range, " + std::to_string(wandering) +
           " with scales that are not stationary, " + std::to_string(failed) +
           " not converged or not possible";
  }

  static constexpr std::size_t kMostNamed = 10;  ///< series with a warning each

  ExecSpace m_exec;
  SharedBatches<ExecSpace> m_batches;
  GarchFitter<ExecSpace> m_fitter;
  Kokkos::View<double*, ExecSpace> m_data;
  std::vector<double> m_values;
  GarchPlan m_plan;
  std::vector<GarchResult> m_fits;
  std::vector<GarchRisk> m_risks;
  Backtest m_backtest;
};

}  // namespace tessera::stable

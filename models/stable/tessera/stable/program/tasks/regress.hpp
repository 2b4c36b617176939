// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/stable/law/batch.hpp"
#include "tessera/stable/program/tasks/blocks.hpp"
#include "tessera/stable/program/tasks/fit_report.hpp"
#include "tessera/stable/program/tasks/shared_batches.hpp"
#include "tessera/stable/program/tasks/task_model.hpp"
#include "tessera/stable/regression/regression.hpp"

namespace tessera::stable {

/// "alpha 1.7 (0.05), ..., market 1.1 (0.02), ...; ln scale: vix 0.03 (0.01)".
std::string describe(const RegressionResult& found, const Design& design);
/// "4000 regressions, 12 of them at the end of a range, 3 not converged or not possible".
std::string describe_counts(const std::vector<RegressionResult>& found);

/// The fit of the rows: location, scale, and what is left, divided by the scale, with its
/// distribution function.
struct FittedRows {
  std::vector<double> location, scale, residual, cdf;
};

/// Finds all members but cdf, and the shape parameters of every row.
FittedRows fit_rows(const RegressionData& data, const std::vector<RegressionResult>& found,
                    std::vector<double>& alpha, std::vector<double>& beta);

/// Writes estimates with their names, and covariances; for groups a row each, for the first groups
/// where not all have been done.
void write_regressions(const io::Group& results, const RegressionData& data,
                       const std::vector<RegressionResult>& found);
/// Writes the fit of every row of the file.
void write_rows(const io::Group& results, const RegressionData& data, const FittedRows& rows);

/// Regressions of this number of parameters as rows of numbers, for messages and restart files, and
/// back.
std::vector<double> pack(const std::vector<RegressionResult>& found);
std::vector<RegressionResult> unpack(const std::vector<double>& numbers, std::size_t locations,
                                     std::size_t scales);
void save_regressions(const io::Group& state, const std::vector<RegressionResult>& found);
std::vector<RegressionResult> load_regressions(const io::Group& state, const Design& design,
                                               std::int64_t most);

/// Task regress: regressions with stable errors, of all rows or of each group.
template <class ExecSpace>
class RegressModel final : public TaskModel {
 public:
  RegressModel(const Parameters& parameters, const RunSettings& settings)
      : TaskModel(parameters, settings, "regressions"),
        m_batches(m_exec, ranks()),
        m_regressor(m_exec) {}

  void initialize() override {
    const FitTask fixed = m_p.make_task(0, 0);
    m_tasks.clear();
    for (const Series& group : data().groups) {
      RegressionTask& task = m_tasks.emplace_back();
      task.begin = group.begin;
      task.count = static_cast<std::int32_t>(group.count);
      task.fixed = fixed.fixed;
      for (int k = 0; k < 2; ++k) task.fixed_value[k] = fixed.fixed_value[k];
    }
    m_total = static_cast<std::int64_t>(m_tasks.size());
  }

  bool advance() override {
    if (m_done < m_total) {
      const auto gather = [this](const std::vector<RegressionResult>& own) {
        if (ranks().size() == 1) return own;
        return unpack(ranks().all_gather(pack(own)), data().design.location.size(),
                      data().design.scale.size());
      };
      const std::vector<RegressionResult> found = m_batches.share(
          "tessera::stable::regress", m_batches.next(m_total - m_done),
          [this](const parallel::Range& mine) { return regress(m_done + mine.begin, mine.size()); },
          gather);
      m_found.insert(m_found.end(), found.begin(), found.end());
      m_done += static_cast<std::int64_t>(found.size());
    }
    if (m_done < m_total) return true;
    find_rows();
    data().has_groups() ? warn_of_groups() : accept(m_found.front());
    return false;
  }

  void save(io::Group& state) const override {
    save_regressions(state.group("regressions"), m_found);
  }
  void load(const io::Group& state) override {
    initialize();
    m_found = load_regressions(state.group("regressions"), data().design, m_total);
    m_done = static_cast<std::int64_t>(m_found.size());
  }

  std::string indivisible() const override {
    return data().has_groups() ? std::string() : TaskModel::indivisible();
  }

  std::string summary() const override {
    if (m_found.empty()) return "no regression";
    return data().has_groups() ? describe_counts(m_found)
                               : describe(m_found.front(), data().design);
  }

  void write(io::ResultsFile& file) const override {
    const bool possible =
        data().has_groups() || (m_done > 0 && m_found.front().status <= FitStatus::not_converged);
    if (m_done == 0 || !possible) return;
    const io::Group results = file.results();
    results.set_attribute("data", data().file);
    write_regressions(results, data(), m_found);
    if (!m_rows.cdf.empty()) write_rows(results, data(), m_rows);
  }

 private:
  using View = Kokkos::View<double*, ExecSpace>;

  const RegressionData& data() const { return *m_p.regression; }

  void warn_of_groups() const {
    std::vector<FitStatus> status;
    for (const RegressionResult& found : m_found) status.push_back(found.status);
    const std::string failed = warn_of_failed(status, "regressions");
    if (!failed.empty())
      logging::warning(failed + " (results/status says which groups); look at their rows");
  }

  std::vector<RegressionResult> regress(std::int64_t first, std::int64_t count) {
    RegressionOptions options;
    options.tolerance = m_p.fit.tolerance;
    options.standard_errors = m_p.fit.standard_errors;
    options.pass_over = data().has_groups();
    const auto begin = m_tasks.begin() + first;
    return m_regressor(data().design, data().y, {begin, begin + count}, options);
  }

  void find_rows() {
    const logging::Region region("tessera::stable::residuals");
    std::vector<double> alpha, beta;
    m_rows = fit_rows(data(), m_found, alpha, beta);
    const View a = upload(m_exec, "tessera::stable::alpha", alpha),
               b = upload(m_exec, "tessera::stable::beta", beta);
    const View z = upload(m_exec, "tessera::stable::residual", m_rows.residual);
    EvaluationViews<ExecSpace> out;
    out.cdf = allocate<View>(m_exec, "tessera::stable::cdf", alpha.size());
    for_each_block<ExecSpace>(alpha.size(), kContourBlock, [&](const PointRange& range) {
      evaluate_batch<ExecSpace>(m_exec, View(Kokkos::subview(a, range)),
                                View(Kokkos::subview(b, range)), {},
                                View(Kokkos::subview(z, range)), cut(out, range));
      m_exec.fence();
    });
    m_rows.cdf = download(m_exec, out.cdf);
  }

  /// The regression of all rows: one that failed is an error.
  void accept(const RegressionResult& found) const {
    if (found.status == FitStatus::constant) {
      throw Error(ErrorKind::input,
                  data().file + ": nothing is left of '" + data().response +
                      "' when the regressors are taken off",
                  "a regression needs errors in more than half of the rows");
    }
    if (found.status == FitStatus::not_converged) {
      throw Error(
          ErrorKind::numerical,
          data().file +
              ": the regression has not converged; the largest component of the gradient is " +
              std::to_string(found.gradient_norm) + " by the number of rows",
          "look at the data and at regress.tolerance; the coefficients reached are in the results");
    }
  }

  ExecSpace m_exec;
  SharedBatches<ExecSpace> m_batches;
  Regressor<ExecSpace> m_regressor;
  std::vector<RegressionTask> m_tasks;
  std::vector<RegressionResult> m_found;
  FittedRows m_rows;
};

}  // namespace tessera::stable

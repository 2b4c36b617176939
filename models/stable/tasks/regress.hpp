// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/stable/regression.hpp"
#include "tessera/stable/tasks/task_model.hpp"

namespace tessera::stable {

/// "alpha 1.7 (0.05), ..., market 1.1 (0.02), ...; ln scale: vix 0.03 (0.01)".
std::string describe(const RegressionResult& found, const Design& design);

/// Estimates with their names, covariance, and for every row what was fitted and what is left.
void write_regression(const io::Group& results, const RegressionResult& found, const Design& design, const std::vector<double>& y);

/// Task regress: one regression with stable errors.
template <class ExecSpace>
class RegressModel final : public TaskModel {
 public:
  RegressModel(const Parameters& parameters, const RunSettings& settings) : TaskModel(parameters, settings, "regressions") {}

  void initialize() override {}

  bool advance() override {
    const logging::Region region("tessera::stable::regress");
    Regressor<ExecSpace> regressor(m_exec);
    RegressionTask task;
    task.count = static_cast<std::int32_t>(m_p.regression->y.size());
    const FitTask fixed = m_p.make_task(0, 0);
    task.fixed = fixed.fixed;
    for (int k = 0; k < 2; ++k) task.fixed_value[k] = fixed.fixed_value[k];
    RegressionOptions options;
    options.tolerance = m_p.tolerance;
    options.standard_errors = m_p.standard_errors;
    m_found = regressor(m_p.regression->design, m_p.regression->y, {task}, options)[0];
    m_done = 1;
    if (m_found.status == FitStatus::constant) {
      throw Error(ErrorKind::input,
                  m_p.regression->file + ": nothing is left of '" + m_p.regression->response + "' when the regressors are taken off",
                  "a regression needs errors in more than half of the rows");
    }
    if (m_found.status == FitStatus::not_converged) {
      throw Error(ErrorKind::numerical,
                  m_p.regression->file + ": the regression has not converged; the largest component of the gradient is " +
                      std::to_string(m_found.gradient_norm) + " by the number of rows",
                  "look at the data and at regress.tolerance; the coefficients reached are in the results");
    }
    return false;
  }

  std::string summary() const override { return m_done == 0 ? "no regression" : describe(m_found, m_p.regression->design); }

  void write(io::ResultsFile& file) const override {
    if (m_done == 0 || m_found.status > FitStatus::not_converged) return;
    file.results().set_attribute("data", m_p.regression->file);
    write_regression(file.results(), m_found, m_p.regression->design, m_p.regression->y);
  }

 private:
  ExecSpace m_exec;
  RegressionResult m_found;
};

}  // namespace tessera::stable

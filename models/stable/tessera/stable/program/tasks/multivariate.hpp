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
#include "tessera/stable/multivariate/elliptical.hpp"
#include "tessera/stable/program/tasks/multivariate_report.hpp"
#include "tessera/stable/program/tasks/task_model.hpp"

namespace tessera::stable {

/// Task multivariate: a fit, densities or random vectors of an elliptical law, in one step.
template <class ExecSpace>
class MultivariateModel final : public TaskModel {
 public:
  MultivariateModel(const Parameters& parameters, const RunSettings& settings)
      : TaskModel(parameters, settings, "laws") {}

  void initialize() override {}

  bool advance() override {
    const logging::Region region("tessera::stable::multivariate");
    const MultivariateSettings& s = m_p.multivariate;
    View points;
    if (s.data) {
      m_report.points = s.data->values;
      m_report.names = s.data->names;
      points = upload(m_exec, "tessera::stable::points", m_report.points);
    } else {
      points = allocate<View>(m_exec, "tessera::stable::points",
                              static_cast<std::size_t>(m_p.n * s.dimension()));
      sample_elliptical(m_exec, s.law, random(4), 0, points);
      m_report.points = download(m_exec, points);
      for (int j = 1; j <= s.dimension(); ++j) m_report.names.push_back(std::to_string(j));
    }
    if (s.compute == "evaluate")
      m_report.log_pdf = evaluate_elliptical<ExecSpace>(m_exec, s.law, points);
    m_done = 1;
    if (s.compute == "fit") fit(points);
    return false;
  }

  std::string summary() const override {
    return m_done == 0 ? "nothing yet" : describe(m_report, m_p.multivariate);
  }

  void write(io::ResultsFile& file) const override {
    if (m_done > 0) write_multivariate(file.results(), m_report, m_p.multivariate);
  }

 private:
  using View = Kokkos::View<double*, ExecSpace>;

  void fit(const View& points) {
    const MultivariateSettings& s = m_p.multivariate;
    EllipticalOptions options;
    options.tolerance = s.tolerance;
    if (s.fixed_alpha) options.fixed_alpha = m_p.alpha;
    const std::string data = s.data ? s.data->file : std::to_string(m_p.n) + " random vectors";
    if (!s.data) logging::info("no 'data' in the input: fitting " + data);
    try {
      m_report.fit = fit_elliptical<ExecSpace>(m_exec, points, s.dimension(), options);
    } catch (const Error& error) {
      m_done = 0;
      if (error.kind() != ErrorKind::input) throw;
      throw Error(ErrorKind::input, data + ": " + error.what());
    }
    // Every whitened coordinate is a symmetric stable one.
    const EllipticalLaw& law = m_report.fit.law;
    EllipticalEvaluator<ExecSpace> evaluator(m_exec, points, s.dimension());
    evaluator(law.alpha, law.location, linalg::cholesky_factor(law.shape));
    EvaluationViews<ExecSpace> out;
    out.cdf = allocate<View>(m_exec, "tessera::stable::cdf", m_report.points.size());
    EvaluationScratch<ExecSpace> scratch;
    evaluate_batch<ExecSpace>(m_exec, law.alpha, 0, {},
                              upload(m_exec, "tessera::stable::whitened", evaluator.whitened()),
                              out, scratch);
    m_report.cdf = download(m_exec, out.cdf);
    if (m_report.fit.status == FitStatus::not_converged) {
      throw Error(
          ErrorKind::numerical,
          data + ": the fit has not converged; the largest component of the gradient is " +
              std::to_string(m_report.fit.gradient_norm) + " by the number of points",
          "look at the data and at multivariate.tolerance; the law reached is in the results");
    }
  }

  ExecSpace m_exec;
  MultivariateReport m_report;
};

}  // namespace tessera::stable

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/stable/law/paper.hpp"
#include "tessera/stable/program/tasks/blocks.hpp"
#include "tessera/stable/program/tasks/curves.hpp"
#include "tessera/stable/program/tasks/integrand.hpp"
#include "tessera/stable/program/tasks/task_model.hpp"

namespace tessera::stable {

/// Task evaluate: densities, tails and scores of one or several distributions, one a step. Ranks
/// share the points.
template <class ExecSpace>
class EvaluateModel final : public TaskModel {
 public:
  EvaluateModel(const Parameters& parameters, const RunSettings& settings)
      : TaskModel(parameters, settings, "distributions") {}

  void initialize() override {
    m_curves = make_curves(m_p);
    m_total = static_cast<std::int64_t>(m_curves.alpha.size());
  }

  bool advance() override {
    const PointRange mine = own_part(m_curves.points.size());
    const View x = upload(m_exec, "tessera::stable::x", cut(m_curves.points, mine));
    const EvaluationViews<ExecSpace> out = make_results();
    const QuadratureErrorViews<ExecSpace> errors = make_errors();
    evaluate(static_cast<std::size_t>(m_done), x, out, errors);
    append_row(m_curves.pdf, out.pdf);
    append_row(m_curves.log_pdf, out.log_pdf);
    append_row(m_curves.cdf, out.cdf);
    append_row(m_curves.sf, out.sf);
    append_row(m_curves.log_cdf, out.log_cdf);
    append_row(m_curves.log_sf, out.log_sf);
    append_row(m_curves.d_x, out.d_x);
    append_row(m_curves.d_alpha, out.d_alpha);
    append_row(m_curves.d_beta, out.d_beta);
    append_row(m_curves.pdf_error, errors.pdf);
    append_row(m_curves.cdf_error, errors.cdf);
    if (m_p.integrand > 0) {
      const Integrand found = make_integrand(m_p, m_curves, static_cast<std::size_t>(m_done), mine);
      append(m_curves.theta, found.theta);
      append(m_curves.integrand, found.value);
    }
    return ++m_done < m_total;
  }

  std::string summary() const override {
    return std::to_string(m_done) + " distributions at " + std::to_string(m_curves.points.size()) +
           " points";
  }

  std::string indivisible() const override { return {}; }

  void write(io::ResultsFile& file) const override {
    if (m_done == m_total) write_evaluations(file.results(), m_curves, m_p.distributions.empty());
  }

 private:
  using View = Kokkos::View<double*, ExecSpace>;

  View make(const char* label) const {
    return View(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, std::string(label)),
                own_size());
  }

  std::size_t own_size() const {
    const PointRange mine = own_part(m_curves.points.size());
    return mine.second - mine.first;
  }

  static std::vector<double> cut(const std::vector<double>& values, const PointRange& range) {
    return {values.begin() + static_cast<std::ptrdiff_t>(range.first),
            values.begin() + static_cast<std::ptrdiff_t>(range.second)};
  }

  /// Views for the estimates of the paper's method.
  QuadratureErrorViews<ExecSpace> make_errors() const {
    if (!m_p.by_paper()) return {};
    return {make("tessera::stable::pdf_error"), make("tessera::stable::cdf_error")};
  }

  EvaluationViews<ExecSpace> make_results() const {
    EvaluationViews<ExecSpace> out;
    out.pdf = make("tessera::stable::pdf");
    out.log_pdf = make("tessera::stable::log_pdf");
    out.cdf = make("tessera::stable::cdf");
    out.sf = make("tessera::stable::sf");
    out.log_cdf = make("tessera::stable::log_cdf");
    out.log_sf = make("tessera::stable::log_sf");
    if (m_p.scores) {
      out.d_x = make("tessera::stable::d_x");
      out.d_alpha = make("tessera::stable::d_alpha");
      out.d_beta = make("tessera::stable::d_beta");
    }
    return out;
  }

  static QuadratureErrorViews<ExecSpace> cut(const QuadratureErrorViews<ExecSpace>& errors,
                                             const PointRange& range) {
    return {Kokkos::subview(errors.pdf, range), Kokkos::subview(errors.cdf, range)};
  }

  void evaluate(std::size_t k, const View& x, const EvaluationViews<ExecSpace>& out,
                const QuadratureErrorViews<ExecSpace>& errors) {
    const logging::Region region("tessera::stable::evaluate");
    const double alpha = m_curves.alpha[k], beta = m_curves.beta[k];
    const auto in_blocks = [&](const auto& work) {
      for_each_block<ExecSpace>(
          x.extent(0), m_p.by_paper() ? kPaperBlock : kContourBlock, [&](const PointRange& range) {
            work(range, View(Kokkos::subview(x, range)), stable::cut(out, range));
            m_exec.fence();
          });
    };
    if (m_p.data && !m_p.data->alpha.empty()) {
      const PointRange mine = own_part(m_curves.points.size());
      const View alphas = upload(m_exec, "tessera::stable::alpha", cut(m_p.data->alpha, mine));
      const View betas = upload(m_exec, "tessera::stable::beta", cut(m_p.data->beta, mine));
      in_blocks([&](const PointRange& range, const View& points,
                    const EvaluationViews<ExecSpace>& results) {
        const View a = Kokkos::subview(alphas, range), b = Kokkos::subview(betas, range);
        m_p.by_paper()
            ? evaluate_batch_by_paper<ExecSpace>(m_exec, a, b, m_p.where(), points, results,
                                                 m_p.quadrature, cut(errors, range))
            : evaluate_batch<ExecSpace>(m_exec, a, b, m_p.where(), points, results);
      });
    } else if (m_p.by_paper()) {
      in_blocks([&](const PointRange& range, const View& points,
                    const EvaluationViews<ExecSpace>& results) {
        evaluate_batch_by_paper<ExecSpace>(m_exec, alpha, beta, m_p.where(), points, results,
                                           m_p.quadrature, cut(errors, range));
      });
    } else if (const auto table =
                   m_p.scores ? nullptr : make_table_where_useful(m_exec, m_p, k, m_curves)) {
      in_blocks(
          [&](const PointRange&, const View& points, const EvaluationViews<ExecSpace>& results) {
            table->pdf(m_exec, points, results.pdf);
            table->log_pdf(m_exec, points, results.log_pdf);
            table->cdf(m_exec, points, results.cdf);
            table->sf(m_exec, points, results.sf);
            table->log_cdf(m_exec, points, results.log_cdf);
            table->log_sf(m_exec, points, results.log_sf);
          });  // the table is needed until here
    } else {
      in_blocks(
          [&](const PointRange&, const View& points, const EvaluationViews<ExecSpace>& results) {
            evaluate_batch<ExecSpace>(m_exec, alpha, beta, m_p.where(), points, results);
          });
    }
  }

  /// Appends a result; one that is not computed has no values on any rank.
  void append_row(std::vector<double>& row, const View& view) const {
    append(row, download(m_exec, view));
  }

  ExecSpace m_exec;
  Curves m_curves;
};

}  // namespace tessera::stable

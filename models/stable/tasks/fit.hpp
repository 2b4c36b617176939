// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tessera/core/log/log.hpp"
#include "tessera/stable/batch.hpp"
#include "tessera/stable/grid_search.hpp"
#include "tessera/stable/koutrouvelis.hpp"
#include "tessera/stable/tasks/fits_model.hpp"

namespace tessera::stable {

/// Task fit: one sample; with it, fits of the normal and the Cauchy distribution (compare) and a profile likelihood.
template <class ExecSpace>
class FitModel final : public FitsModel<ExecSpace> {
 public:
  FitModel(const Parameters& parameters, const RunSettings& settings) : FitsModel<ExecSpace>(parameters, settings) {}

  void initialize() override {
    this->prepare_data();
    const Parameters& p = this->m_p;
    const FitTask whole = p.make_task(0, static_cast<std::int64_t>(this->m_data.extent(0)));
    m_tasks = {whole};
    if (p.compare) {
      m_tasks.push_back(fix_distribution(2, 0));
      m_tasks.push_back(fix_distribution(1, 0));
    }
    for (const double value : p.profile_values) {
      FitTask task = whole;
      const std::size_t which = find_parameter(p.profile);
      task.fixed |= 1 << which;
      task.fixed_value[which] = value;
      m_tasks.push_back(task);
    }
    this->m_total = static_cast<std::int64_t>(m_tasks.size());
  }

  bool advance() override {
    const auto begin = m_tasks.begin() + this->m_done;
    std::vector<FitResult> found = this->make_fits({begin, begin + this->next_batch()}, this->options());
    if (this->m_done == 0) estimate_otherwise(found.front());
    this->append(found);
    if (this->m_done < this->m_total) return true;
    finish();
    return false;
  }

  std::string summary() const override {
    if (this->m_fits.empty()) return describe_counts(this->m_fits);
    return describe(this->m_fits.front()) + (this->m_p.data ? "" : "; of simulated values");
  }

  void write(io::ResultsFile& file) const override {
    const std::vector<FitResult>& fits = this->m_fits;
    const Parameters& p = this->m_p;
    if (fits.empty()) return;
    const io::Group results = file.results();
    results.set_attribute("data", this->describe_data());
    write_fit(results, fits.front(), m_picture);
    std::size_t next = 1;
    if (p.compare && fits.size() >= 3) {
      write_comparison(results, fits[0], fits[1], fits[2]);
      next = 3;
    }
    if (!p.profile_values.empty() && fits.size() == next + p.profile_values.size()) {
      write_profile(results, p.profile, p.profile_values, {fits.begin() + static_cast<std::ptrdiff_t>(next), fits.end()});
    }
  }

 private:
  using typename FitsModel<ExecSpace>::View;

  /// The whole sample with alpha and beta given.
  FitTask fix_distribution(double alpha, double beta) const {
    FitTask task;
    task.count = static_cast<std::int32_t>(this->m_data.extent(0));
    task.fixed = 3;
    task.fixed_value[0] = alpha;
    task.fixed_value[1] = beta;
    return task;
  }

  /// Replaces the first fit where another method is asked for: the grid or the characteristic function.
  void estimate_otherwise(FitResult& fit) {
    if (fit.status >= FitStatus::too_few) return;
    if (this->m_p.estimator == "grid") {
      fit = grid_search<ExecSpace>(this->m_fitter, this->m_data, this->options());
    } else if (this->m_p.estimator == "koutrouvelis") {
      const FourParameters found = koutrouvelis(download(this->m_exec, this->m_data), {fit.alpha, fit.beta, fit.sigma, fit.mu});
      FitTask task = fix_distribution(found.alpha, found.beta);
      task.fixed = 15;
      task.fixed_value[2] = found.sigma;
      task.fixed_value[3] = found.mu;
      fit = this->m_fitter(this->m_data, this->m_weights, {task}, this->options())[0];
    }
  }

  /// A sample that cannot be fitted is an error. So is a fit that has not converged, but its results are kept.
  void finish() {
    const FitResult& fit = this->m_fits.front();
    const std::string source = this->m_p.data ? this->m_p.data->file : "the sample";
    if (fit.status >= FitStatus::too_few) {
      throw Error(ErrorKind::input, source + " cannot be fitted: " + describe(fit.status),
                  fit.status == FitStatus::not_finite ? "remove what is missing, or use fit_many, which passes over such windows"
                                                      : "a fit needs at least five values that differ");
    }
    draw(fit);
    if (fit.status == FitStatus::not_converged) {
      throw Error(ErrorKind::numerical,
                  source + ": the fit has not converged; the largest component of the gradient is " + std::to_string(fit.gradient_norm) +
                      " by the number of values",
                  "look at the data and at fit.tolerance; the parameters reached are in the results");
    }
    const std::string statement = describe_boundary(fit);
    if (!statement.empty()) logging::warning(statement);
  }

  /// The sample, sorted, and the fitted density and distribution function.
  void draw(const FitResult& fit) {
    const logging::Region region("tessera::stable::picture");
    constexpr std::size_t kMost = 1000000, kCurve = 513;
    FitPicture picture;
    picture.data = download(this->m_exec, this->m_data);
    if (picture.data.size() > kMost) picture.data.resize(kMost);
    std::sort(picture.data.begin(), picture.data.end());
    const std::size_t n = picture.data.size();
    const double low = picture.data[n / 100], high = picture.data[n - 1 - n / 100], margin = 0.1 * (high - low);
    for (std::size_t i = 0; i < kCurve; ++i) {
      picture.curve_x.push_back(low - margin + (high - low + 2 * margin) * static_cast<double>(i) / (kCurve - 1));
    }
    EvaluationViews<ExecSpace> curve, at_data;
    curve.pdf = View(Kokkos::view_alloc(this->m_exec, Kokkos::WithoutInitializing, "tessera::stable::curve_pdf"), kCurve);
    at_data.cdf = View(Kokkos::view_alloc(this->m_exec, Kokkos::WithoutInitializing, "tessera::stable::cdf"), n);
    evaluate_fitted(fit, picture.curve_x, curve);
    evaluate_fitted(fit, picture.data, at_data);
    picture.curve_pdf = download(this->m_exec, curve.pdf);
    picture.cdf = download(this->m_exec, at_data.cdf);
    m_picture = picture;
  }

  void evaluate_fitted(const FitResult& fit, const std::vector<double>& x, const EvaluationViews<ExecSpace>& out) const {
    const LocationScale where{fit.sigma, fit.mu, Parameterization::S0};
    const View points = upload(this->m_exec, "tessera::stable::x", x);
    for_each_block<ExecSpace>(x.size(), kContourBlock, [&](const PointRange& range) {
      evaluate_batch<ExecSpace>(this->m_exec, fit.alpha, fit.beta, where, View(Kokkos::subview(points, range)), cut(out, range));
      this->m_exec.fence();
    });
  }

  std::vector<FitTask> m_tasks;
  FitPicture m_picture;
};

}  // namespace tessera::stable

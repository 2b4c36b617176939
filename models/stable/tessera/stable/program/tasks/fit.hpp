// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "tessera/core/log/log.hpp"
#include "tessera/stable/fit/bootstrap.hpp"
#include "tessera/stable/law/batch.hpp"
#include "tessera/stable/program/tasks/fits_model.hpp"
#include "tessera/stable/program/tasks/goodness_report.hpp"
#include "tessera/stable/program/tasks/interval_report.hpp"
#include "tessera/stable/program/tasks/other_estimators.hpp"

namespace tessera::stable {

/// Task fit: one sample; with it, fits of the distributions that it is compared with and a profile
/// likelihood; then refits of samples drawn from these fits, for tests.
template <class ExecSpace>
class FitModel final : public FitsModel<ExecSpace> {
 public:
  FitModel(const Parameters& parameters, const RunSettings& settings)
      : FitsModel<ExecSpace>(parameters, settings), m_bootstrap(this->m_exec) {}

  void initialize() override {
    this->prepare_data();
    const Parameters& p = this->m_p;
    if (p.tick > 0) {
      this->m_data = upload(this->m_exec, "tessera::stable::data", p.counted.values);
      this->m_weights = upload(this->m_exec, "tessera::stable::weights", p.counted.counts);
    }
    FitTask whole = p.make_task(0, static_cast<std::int64_t>(this->m_data.extent(0)));
    whole.half_width = 0.5 * p.tick;
    m_tasks = {whole};
    if (compares()) {
      for (const Hypothesis h : kHypotheses) m_tasks.push_back(restrict_to(h, whole));
    }
    for (const double value : p.profile_values) {
      FitTask task = whole;
      const std::size_t which = find_parameter(p.profile);
      task.fixed |= 1 << which;
      task.fixed_value[which] = value;
      m_tasks.push_back(task);
    }
    plan_refits(whole);
    this->m_total = static_cast<std::int64_t>(m_tasks.size());
    for (const Experiment& experiment : m_experiments) this->m_total += experiment.fits();
  }

  bool advance() override {
    const auto data_fits = static_cast<std::int64_t>(m_tasks.size());
    if (this->m_done < data_fits) {
      const auto begin = m_tasks.begin() + this->m_done;
      std::vector<FitResult> found = this->make_fits(
          {begin, begin + std::min(this->next_batch(), data_fits - this->m_done)}, this->options());
      if (this->m_done == 0) {
        std::vector<FitResult> first{found.front()};
        estimate_otherwise<ExecSpace>(this->m_exec, this->m_fitter, this->m_p.estimator,
                                      this->m_data, this->m_weights, {m_tasks.front()},
                                      this->options(), first);
        found.front() = first.front();
      }
      this->append(found);
      if (this->m_done == data_fits) accept_fits();
    } else {
      if (m_picture.data.empty()) accept_fits();  // of a run that is continued
      refit();
    }
    if (this->m_done < this->m_total) return true;
    warn_of_refits();
    return false;
  }

  std::string summary() const override {
    if (this->m_fits.empty()) return describe_counts(this->m_fits);
    return describe(this->m_fits.front()) + (this->m_p.data ? "" : "; of simulated values") +
           describe_tests();
  }

  void write(io::ResultsFile& file) const override {
    const std::vector<FitResult>& fits = this->m_fits;
    const Parameters& p = this->m_p;
    if (fits.empty()) return;
    const io::Group results = file.results();
    results.set_attribute("data", this->describe_data());
    write_fit(results, fits.front(), m_picture);
    if (p.fit.standard_errors) write_covariance(results, fits.front());
    std::size_t next = 1;
    if (compares() && fits.size() >= 1 + kHypotheses.size()) {
      next += kHypotheses.size();
      if (p.compare)
        write_comparison(results, fits.front(),
                         {fits.begin() + 1, fits.begin() + static_cast<std::ptrdiff_t>(next)});
    }
    if (!p.profile_values.empty() && fits.size() >= m_tasks.size()) {
      const auto begin = fits.begin() + static_cast<std::ptrdiff_t>(next);
      write_profile(results, p.profile, p.profile_values,
                    {begin, begin + static_cast<std::ptrdiff_t>(p.profile_values.size())});
    }
    if (this->m_done < this->m_total) return;
    if (!p.intervals.empty()) write_intervals(results, fits.front(), find_intervals());
    if (!p.goodness_statistics.empty())
      write_goodness(results, p.goodness_statistics, find_goodness());
    if (!p.against.empty()) write_likelihood_ratios(results, p.against, find_likelihood_ratios());
  }

 private:
  using typename FitsModel<ExecSpace>::View;

  /// Samples of one of the fits of the data, and what is fitted to them.
  struct Experiment {
    BootstrapPlan plan;
    std::size_t truth = 0;  ///< number of that fit
    std::int64_t samples = 0;

    std::int64_t fits() const {
      return samples * static_cast<std::int64_t>(plan.hypotheses.size());
    }
  };

  /// Returns whether samples of the fit itself are refitted: they are the first experiment.
  bool refits_fit() const {
    return !this->m_p.goodness_statistics.empty() || this->m_p.wants_interval("bootstrap");
  }

  bool compares() const { return this->m_p.compare || !this->m_p.against.empty(); }

  /// The distributions that are drawn from are known when the data have been fitted.
  void plan_refits(const FitTask& whole) {
    const Parameters& p = this->m_p;
    m_experiments.clear();
    Experiment experiment;
    experiment.samples = p.refits;
    experiment.plan.size = whole.count;
    experiment.plan.options.tolerance = p.refit_tolerance;
    if (refits_fit()) {
      experiment.plan.hypotheses = {whole};
      experiment.plan.random = this->random(3);
      experiment.plan.options.goodness = !p.goodness_statistics.empty();
      experiment.samples = std::max(p.wants_interval("bootstrap") ? p.interval_refits : 0,
                                    p.goodness_statistics.empty() ? 0 : p.refits);
      m_experiments.push_back(experiment);
      experiment.samples = p.refits;
    }
    experiment.plan.options.goodness = false;
    for (const Hypothesis h : p.against) {
      experiment.plan.hypotheses = {restrict_to(h, whole), whole};
      experiment.plan.random = this->random(4 + static_cast<std::uint32_t>(h));
      experiment.truth = 1 + static_cast<std::size_t>(h);
      m_experiments.push_back(experiment);
    }
  }

  /// Makes the next refits.
  void refit() {
    std::int64_t offset = this->m_done - static_cast<std::int64_t>(m_tasks.size());
    for (const Experiment& experiment : m_experiments) {
      if (offset >= experiment.fits()) {
        offset -= experiment.fits();
        continue;
      }
      const auto fits_a_sample = static_cast<std::int64_t>(experiment.plan.hypotheses.size());
      const std::int64_t first = offset / fits_a_sample;
      const std::int64_t count = std::clamp<std::int64_t>(this->next_batch() / fits_a_sample, 1,
                                                          experiment.samples - first);
      BootstrapPlan plan = experiment.plan;
      plan.truth = this->m_fits[experiment.truth].parameters();
      plan.options.together = experiment.fits();
      this->append(
          this->share_fits("tessera::stable::refit", count, [&](const parallel::Range& mine) {
            return m_bootstrap(this->m_fitter, plan, first + mine.begin, mine.size());
          }));
      return;
    }
  }

  /// The refits of an experiment.
  std::vector<FitResult> get_refits(std::size_t number) const {
    auto begin = static_cast<std::ptrdiff_t>(m_tasks.size());
    for (std::size_t k = 0; k < number; ++k) begin += m_experiments[k].fits();
    return {this->m_fits.begin() + begin,
            this->m_fits.begin() + begin + m_experiments[number].fits()};
  }

  GoodnessTest find_goodness() const { return test_goodness(this->m_fits.front(), get_refits(0)); }

  std::vector<BootstrapTest> find_likelihood_ratios() const {
    std::vector<BootstrapTest> tests;
    std::size_t number = refits_fit() ? 1 : 0;
    for (; number < m_experiments.size(); ++number) {
      tests.push_back(test_likelihood_ratio(this->m_fits[m_experiments[number].truth],
                                            this->m_fits.front(), get_refits(number)));
    }
    return tests;
  }

  IntervalReport find_intervals() const {
    const Parameters& p = this->m_p;
    const FitResult& fit = this->m_fits.front();
    IntervalReport report;
    report.level = p.level;
    report.quantities = p.quantities();
    report.profile = m_profiles;
    const std::vector<FitResult> refits =
        p.wants_interval("bootstrap") ? get_refits(0) : std::vector<FitResult>();
    for (const Quantity& quantity : report.quantities) {
      if (p.wants_interval("wald"))
        report.wald.push_back(wald_interval(quantity, fit, p.level, p.sandwich));
      if (!refits.empty())
        report.bootstrap.push_back(bootstrap_interval(quantity, fit, refits, p.level));
    }
    return report;
  }

  /// Profile intervals of a fit that has converged; where it is at the end of a range those of
  /// alpha and beta, and where it is next to alpha = 2 that of alpha, with critical values by
  /// bootstrap.
  void find_profiles(const FitResult& fit) {
    const Parameters& p = this->m_p;
    if (!p.wants_interval("profile")) return;
    const logging::Region region("tessera::stable::profile");
    const std::vector<Quantity> quantities = p.quantities();
    m_profiles = profile_intervals<ExecSpace>(this->m_fitter, this->m_data, this->m_weights,
                                              m_tasks.front(), fit, quantities, p.level);
    if (this->m_weights.extent(0) != 0) return;
    std::vector<Quantity> bootstrapped;
    if (fit.status == FitStatus::boundary) {
      bootstrapped = {quantities[0], quantities[1]};
    } else if (!m_tasks.front().is_fixed(0) && is_next_to_normal(fit, m_profiles.front())) {
      bootstrapped = {quantities[0]};
    }
    if (bootstrapped.empty()) return;
    const std::vector<ProfileInterval> ends = bootstrapped_profile_intervals<ExecSpace>(
        m_bootstrap, this->m_fitter, this->m_data, m_tasks.front(), fit, bootstrapped, p.level,
        p.boundary_refits, this->random(8));
    std::copy(ends.begin(), ends.end(), m_profiles.begin());
  }

  std::string describe_tests() const {
    if (this->m_done < this->m_total || m_experiments.empty()) return {};
    const Parameters& p = this->m_p;
    std::string text;
    if (!p.goodness_statistics.empty())
      text += "; " + describe_goodness(p.goodness_statistics, find_goodness());
    if (!p.against.empty())
      text += "; " + describe_likelihood_ratios(p.against, find_likelihood_ratios());
    return text;
  }

  /// The whole sample with alpha and beta given.
  FitTask fix_distribution(double alpha, double beta) const {
    FitTask task;
    task.count = static_cast<std::int32_t>(this->m_data.extent(0));
    task.fixed = 3;
    task.fixed_value[0] = alpha;
    task.fixed_value[1] = beta;
    return task;
  }

  /// Refits that failed are left out of tests and intervals.
  void warn_of_refits() const {
    const std::vector<FitResult> refits(
        this->m_fits.begin() + static_cast<std::ptrdiff_t>(m_tasks.size()), this->m_fits.end());
    const std::string failed = warn_of_failed(refits, "refits");
    if (!failed.empty())
      logging::warning(
          failed +
          "; tests and intervals rest on the others (goodness.tolerance, goodness.refits)");
  }

  /// A sample that cannot be fitted is an error. So is a fit that has not converged, but its
  /// results are kept.
  void accept_fits() {
    const FitResult& fit = this->m_fits.front();
    const std::string source = this->m_p.data ? this->m_p.data->file : "the sample";
    if (fit.status >= FitStatus::too_few) {
      throw Error(ErrorKind::input, source + " cannot be fitted: " + describe(fit.status),
                  fit.status == FitStatus::not_finite
                      ? "remove what is missing, or use fit_many, which passes over such windows"
                      : "a fit needs at least five values that differ");
    }
    draw(fit);
    if (fit.status == FitStatus::not_converged) {
      throw Error(
          ErrorKind::numerical,
          source + ": the fit has not converged; the largest component of the gradient is " +
              std::to_string(fit.gradient_norm) + " by the number of values",
          "look at the data and at fit.tolerance; the parameters reached are in the results");
    }
    find_profiles(fit);
    const std::string statement = describe_boundary(fit);
    if (!statement.empty()) logging::warning(statement);
    for (const Experiment& experiment : m_experiments) {
      if (this->m_fits[experiment.truth].status == FitStatus::not_converged) {
        throw Error(
            ErrorKind::numerical,
            source + ": the fit of a distribution that it is tested against has not converged",
            "leave goodness.against out; the fit itself is in the results");
      }
    }
  }

  /// The sample, sorted, and the fitted density and distribution function.
  void draw(const FitResult& fit) {
    const logging::Region region("tessera::stable::picture");
    constexpr std::size_t kMost = 1000000, kCurve = 513;
    FitPicture picture;
    picture.data =
        this->m_p.tick > 0 ? this->m_p.data->value : download(this->m_exec, this->m_data);
    if (picture.data.size() > kMost) picture.data.resize(kMost);
    std::sort(picture.data.begin(), picture.data.end());
    const std::size_t n = picture.data.size();
    const double low = picture.data[n / 100], high = picture.data[n - 1 - n / 100],
                 margin = 0.1 * (high - low);
    for (std::size_t i = 0; i < kCurve; ++i) {
      picture.curve_x.push_back(low - margin +
                                (high - low + 2 * margin) * static_cast<double>(i) / (kCurve - 1));
    }
    EvaluationViews<ExecSpace> curve, at_data;
    curve.pdf = View(
        Kokkos::view_alloc(this->m_exec, Kokkos::WithoutInitializing, "tessera::stable::curve_pdf"),
        kCurve);
    at_data.cdf = View(
        Kokkos::view_alloc(this->m_exec, Kokkos::WithoutInitializing, "tessera::stable::cdf"), n);
    evaluate_fitted(fit, picture.curve_x, curve);
    evaluate_fitted(fit, picture.data, at_data);
    picture.curve_pdf = download(this->m_exec, curve.pdf);
    picture.cdf = download(this->m_exec, at_data.cdf);
    m_picture = picture;
  }

  void evaluate_fitted(const FitResult& fit, const std::vector<double>& x,
                       const EvaluationViews<ExecSpace>& out) const {
    const LocationScale where{fit.sigma, fit.mu, Parameterization::S0};
    const View points = upload(this->m_exec, "tessera::stable::x", x);
    for_each_block<ExecSpace>(x.size(), kContourBlock, [&](const PointRange& range) {
      evaluate_batch<ExecSpace>(this->m_exec, fit.alpha, fit.beta, where,
                                View(Kokkos::subview(points, range)), cut(out, range));
      this->m_exec.fence();
    });
  }

  std::vector<FitTask> m_tasks;  ///< of the data
  Bootstrap<ExecSpace> m_bootstrap;
  std::vector<Experiment> m_experiments;
  std::vector<ProfileInterval> m_profiles;
  FitPicture m_picture;
};

}  // namespace tessera::stable

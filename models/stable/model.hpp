// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/app/run_app.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/stable/data.hpp"
#include "tessera/stable/detail/make_model.hpp"
#include "tessera/stable/fit.hpp"
#include "tessera/stable/grid_search.hpp"
#include "tessera/stable/koutrouvelis.hpp"
#include "tessera/stable/precision.hpp"
#include "tessera/stable/report.hpp"
#include "tessera/stable/sample.hpp"
#include "tessera/stable/speed.hpp"
#include "tessera/stable/table.hpp"

namespace tessera::stable {

/// The run of an input file, in steps: a distribution of evaluate, quantile and precision; a number of points of speed; a batch
/// of random numbers or fits.
template <class ExecSpace>
class StableModel final : public Model {
 public:
  StableModel(const Parameters& parameters, const RunSettings& settings) : m_p(parameters), m_settings(settings) {}

  void initialize() override;
  bool advance() override;
  Progress progress() const override;
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;
  bool restartable() const override { return true; }
  void save(io::Group& state) const override;
  void load(const io::Group& state) override;

 private:
  using View = Kokkos::View<double*, ExecSpace>;

  bool is_fit() const { return m_p.task == Task::fit || m_p.task == Task::fit_many || m_p.task == Task::bias_map; }
  Philox random(std::uint32_t stream) const {
    return Philox(static_cast<std::uint32_t>(m_settings.seed), static_cast<std::uint32_t>(m_settings.seed >> 32) * 65536u + stream);
  }

  void prepare_points();
  void prepare_fits();
  std::unique_ptr<Table<ExecSpace>> table_for(std::size_t k, std::size_t n);
  void evaluate_distribution(std::size_t k);
  void find_quantiles(std::size_t k);
  void draw_sample();
  void measure_precision(std::size_t k);
  void fit_batch();
  void estimate_otherwise(const FitOptions& options);
  void finish_fit();
  void draw_fit(const FitResult& fit);

  Parameters m_p;
  RunSettings m_settings;
  ExecSpace m_exec;
  Numbers m_numbers;
  std::int64_t m_done = 0, m_total = 0;
  Curves m_curves;
  std::vector<Precision> m_precision;
  std::vector<std::vector<double>> m_seconds;
  std::vector<double> m_sample;
  std::optional<Fitter<ExecSpace>> m_fitter;
  View m_data, m_weights;
  std::vector<FitTask> m_tasks;
  std::vector<FitResult> m_fits;
  FitPicture m_picture;
};

template <class ExecSpace>
void StableModel<ExecSpace>::initialize() {
  if (m_p.data.given()) m_numbers = read_numbers(m_p.data, m_p.task == Task::fit_many);
  if (is_fit()) {
    prepare_fits();
  } else {
    prepare_points();
  }
}

template <class ExecSpace>
void StableModel<ExecSpace>::prepare_points() {
  m_total = m_p.task == Task::speed ? static_cast<std::int64_t>(m_p.speed_points.size()) : 1;
  if (m_p.task == Task::sample || m_p.task == Task::speed) return;
  if (m_p.task == Task::precision) {
    m_total = static_cast<std::int64_t>(m_p.alphas.size() * m_p.betas.size());
    return;
  }
  m_curves.points = m_p.data.given() ? m_numbers.value : (m_p.task == Task::evaluate ? m_p.x : m_p.p);
  if (m_p.distributions.empty()) {
    m_curves.alpha = {m_p.alpha};
    m_curves.beta = {m_p.beta};
  }
  for (const std::vector<double>& distribution : m_p.distributions) {
    m_curves.alpha.push_back(distribution[0]);
    m_curves.beta.push_back(distribution[1]);
  }
  m_total = static_cast<std::int64_t>(m_curves.alpha.size());
  if (m_p.task != Task::quantile) return;
  for (std::size_t i = 0; i < m_curves.points.size(); ++i) {
    if (!(m_curves.points[i] > 0 && m_curves.points[i] < 1)) {
      throw Error(ErrorKind::input, "value " + std::to_string(i + 1) + " is " + std::to_string(m_curves.points[i]) +
                                        ", but a probability is between 0 and 1");
    }
  }
}

template <class ExecSpace>
void StableModel<ExecSpace>::prepare_fits() {
  m_fitter.emplace(m_exec);
  if (m_p.task == Task::bias_map) {
    m_total = static_cast<std::int64_t>(m_p.alphas.size() * m_p.betas.size()) * m_p.repeats;
    return;
  }
  if (m_p.data.given()) {
    m_data = upload(m_exec, "tessera::stable::values", m_numbers.value);
    if (!m_numbers.weight.empty()) {
      for (const double w : m_numbers.weight) {
        if (!(w >= 0)) throw Error(ErrorKind::input, m_p.data.file + ": a weight is negative");
      }
      m_weights = upload(m_exec, "tessera::stable::values", m_numbers.weight);
    }
  } else {
    m_data = View(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::stable::simulated"), static_cast<std::size_t>(m_p.n));
    sample_batch<ExecSpace>(m_exec, m_p.alpha, m_p.beta, m_p.where(), random(1), 0, 0, m_data);
  }
  const auto n = static_cast<std::int64_t>(m_data.extent(0));
  if (m_p.task == Task::fit_many) {
    if (n < m_p.window) {
      throw Error(ErrorKind::input, "the series has " + std::to_string(n) + " values, fewer than a window of " + std::to_string(m_p.window),
                  "give a longer series or a smaller fit.window");
    }
    for (std::int64_t begin = 0; begin + m_p.window <= n; begin += m_p.step) m_tasks.push_back(m_p.make_task(begin, m_p.window));
  } else {
    m_tasks = {m_p.make_task(0, n)};
    if (m_p.compare) {
      FitTask normal, cauchy;
      normal.count = cauchy.count = static_cast<std::int32_t>(n);
      normal.fixed = cauchy.fixed = 3;
      normal.fixed_value[0] = 2;
      cauchy.fixed_value[0] = 1;
      m_tasks.push_back(normal);
      m_tasks.push_back(cauchy);
    }
    const std::vector<std::string> names{"alpha", "beta", "sigma", "mu"};
    const auto which = std::find(names.begin(), names.end(), m_p.profile) - names.begin();
    for (const double value : m_p.profile_values) {
      FitTask task = m_p.make_task(0, n);
      task.fixed |= 1 << which;
      task.fixed_value[which] = value;
      m_tasks.push_back(task);
    }
  }
  m_total = static_cast<std::int64_t>(m_tasks.size());
}

template <class ExecSpace>
bool StableModel<ExecSpace>::advance() {
  const auto k = static_cast<std::size_t>(m_done);
  switch (m_p.task) {
    case Task::evaluate:
      evaluate_distribution(k);
      break;
    case Task::quantile:
      find_quantiles(k);
      break;
    case Task::sample:
      draw_sample();
      break;
    case Task::precision:
      measure_precision(k);
      break;
    case Task::speed:
      m_seconds.push_back(measure_speeds<ExecSpace>(m_exec, m_p, random(3), static_cast<std::int64_t>(m_p.speed_points[k])));
      break;
    default:
      fit_batch();
      if (m_done == m_total && m_p.task == Task::fit) finish_fit();
      return m_done < m_total;
  }
  return ++m_done < m_total;
}

/// A table of distribution k where it pays for n points and is exact enough, else nothing.
template <class ExecSpace>
std::unique_ptr<Table<ExecSpace>> StableModel<ExecSpace>::table_for(std::size_t k, std::size_t n) {
  constexpr std::size_t kPays = 2000;
  constexpr double kMostError = 1e-9;
  if (m_p.direct || n < kPays) return nullptr;
  auto table = std::make_unique<Table<ExecSpace>>(m_exec, m_curves.alpha[k], m_curves.beta[k], m_p.where());
  const bool exact = table->error() <= kMostError;
  m_curves.table_error.push_back(exact ? table->error() : 0);
  if (!exact) table.reset();
  return table;
}

template <class ExecSpace>
void StableModel<ExecSpace>::evaluate_distribution(std::size_t k) {
  const View x = upload(m_exec, "tessera::stable::values", m_curves.points);
  const std::size_t n = m_curves.points.size();
  const auto make = [n](const char* label) { return View(std::string(label), n); };
  EvaluationViews<ExecSpace> out{make("tessera::stable::pdf"),
                                 make("tessera::stable::log_pdf"),
                                 make("tessera::stable::cdf"),
                                 make("tessera::stable::sf"),
                                 View(),
                                 View(),
                                 View()};
  const double alpha = m_curves.alpha[k], beta = m_curves.beta[k];
  const bool own = !m_numbers.alpha.empty();  // a distribution for every point
  if (m_p.scores) {
    out.d_x = make("tessera::stable::d_x");
    out.d_alpha = make("tessera::stable::d_alpha");
    out.d_beta = make("tessera::stable::d_beta");
  }
  if (own) {
    for (std::size_t i = 0; i < n; ++i) {
      const double a = m_numbers.alpha[i], b = m_numbers.beta[i];
      if (!(a >= kMinAlpha && a <= kMaxAlpha && b >= -1 && b <= 1)) {
        throw Error(ErrorKind::input, m_p.data.file + ": row " + std::to_string(i + 1) + " has alpha " + std::to_string(a) + " and beta " +
                                          std::to_string(b) + "; alpha must be between 0.1 and 2 and beta between -1 and 1");
      }
    }
    const View alphas = upload(m_exec, "tessera::stable::values", m_numbers.alpha),
               betas = upload(m_exec, "tessera::stable::values", m_numbers.beta);
    m_p.by_paper ? evaluate_batch_by_paper<ExecSpace>(m_exec, alphas, betas, m_p.where(), x, out)
                 : evaluate_batch<ExecSpace>(m_exec, alphas, betas, m_p.where(), x, out);
  } else if (m_p.by_paper) {
    evaluate_batch_by_paper<ExecSpace>(m_exec, alpha, beta, m_p.where(), x, out);
  } else if (const auto table = m_p.scores ? nullptr : table_for(k, n)) {
    table->pdf(m_exec, x, out.pdf);
    table->log_pdf(m_exec, x, out.log_pdf);
    table->cdf(m_exec, x, out.cdf);
    table->sf(m_exec, x, out.sf);
  } else {
    evaluate_batch<ExecSpace>(m_exec, alpha, beta, m_p.where(), x, out);
  }
  m_exec.fence();
  const auto append = [this](std::vector<double>& row, const View& view) {
    const std::vector<double> values = download(m_exec, view);
    row.insert(row.end(), values.begin(), values.end());
  };
  append(m_curves.pdf, out.pdf);
  append(m_curves.log_pdf, out.log_pdf);
  append(m_curves.cdf, out.cdf);
  append(m_curves.sf, out.sf);
  if (!m_p.scores) return;
  append(m_curves.d_x, out.d_x);
  append(m_curves.d_alpha, out.d_alpha);
  append(m_curves.d_beta, out.d_beta);
}

template <class ExecSpace>
void StableModel<ExecSpace>::find_quantiles(std::size_t k) {
  const double alpha = m_curves.alpha[k], beta = m_curves.beta[k];
  const StableDistribution distribution(alpha, beta);
  const LocationScale where = resolve_mode(distribution, m_p.where());
  const std::size_t n = m_curves.points.size();
  std::vector<double> x(n, NAN);
  if (const auto table = alpha < kLeastQuantileAlpha ? nullptr : table_for(k, n)) {
    const QuantileTable<ExecSpace> quantiles(m_exec, *table);
    const View out("tessera::stable::quantile", n);
    quantiles(m_exec, upload(m_exec, "tessera::stable::values", m_curves.points), out);
    m_exec.fence();
    x = download(m_exec, out);
  }
  for (std::size_t i = 0; i < n; ++i) {  // few probabilities, and those beyond the table
    if (std::isnan(x[i])) x[i] = where.from_standard(distribution, quantile(distribution, m_curves.points[i]));
  }
  m_curves.quantile.insert(m_curves.quantile.end(), x.begin(), x.end());
}

template <class ExecSpace>
void StableModel<ExecSpace>::draw_sample() {
  const View x(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::stable::sample"), static_cast<std::size_t>(m_p.n));
  sample_batch<ExecSpace>(m_exec, m_p.alpha, m_p.beta, m_p.where(), random(0), 0, 0, x);
  m_exec.fence();
  m_sample = download(m_exec, x);
}

template <class ExecSpace>
void StableModel<ExecSpace>::measure_precision(std::size_t k) {
  const double alpha = m_p.alphas[k / m_p.betas.size()], beta = m_p.betas[k % m_p.betas.size()];
  m_precision.push_back(m_p.by_paper ? measure_paper_precision<ExecSpace>(m_exec, alpha, beta)
                                     : measure_table_precision<ExecSpace>(m_exec, alpha, beta));
}

template <class ExecSpace>
void StableModel<ExecSpace>::fit_batch() {
  constexpr std::int64_t kBatch = compat::is_gpu_v<ExecSpace> ? 8192 : 64;
  const std::int64_t count = std::min(kBatch, m_total - m_done);
  FitOptions options;
  options.method = m_p.method;
  options.tolerance = m_p.tolerance;
  options.goodness = m_p.goodness && m_p.task != Task::bias_map;
  options.standard_errors = m_p.task != Task::bias_map;
  std::vector<FitTask> tasks;
  if (m_p.task == Task::bias_map) {
    if (m_data.extent(0) < static_cast<std::size_t>(count * m_p.n)) {
      m_data = View(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::stable::samples"), static_cast<std::size_t>(count * m_p.n));
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t fit = m_done + i;
      const auto cell = static_cast<std::size_t>(fit / m_p.repeats);
      const View sample =
          Kokkos::subview(m_data, std::make_pair(static_cast<std::size_t>(i * m_p.n), static_cast<std::size_t>((i + 1) * m_p.n)));
      sample_batch<ExecSpace>(m_exec, m_p.alphas[cell / m_p.betas.size()], m_p.betas[cell % m_p.betas.size()], m_p.where(), random(2), 0,
                              static_cast<std::uint64_t>(fit), sample);
      tasks.push_back(m_p.make_task(i * m_p.n, m_p.n));
    }
  } else {
    tasks.assign(m_tasks.begin() + m_done, m_tasks.begin() + m_done + count);
  }
  const std::vector<FitResult> found = (*m_fitter)(m_data, m_weights, tasks, options);
  m_fits.insert(m_fits.end(), found.begin(), found.end());
  if (m_done == 0 && m_p.task == Task::fit) estimate_otherwise(options);
  m_done += count;
}

/// The sample itself by the grid or the characteristic function, where that is asked for.
template <class ExecSpace>
void StableModel<ExecSpace>::estimate_otherwise(const FitOptions& options) {
  FitResult& fit = m_fits.front();
  if (fit.status >= FitStatus::too_few) return;
  if (m_p.estimator == "grid") {
    fit = grid_search<ExecSpace>(*m_fitter, m_data, options);
  } else if (m_p.estimator == "koutrouvelis") {
    const FourParameters found = koutrouvelis(download(m_exec, m_data), {fit.alpha, fit.beta, fit.sigma, fit.mu});
    FitTask task;
    task.count = static_cast<std::int32_t>(m_data.extent(0));
    task.fixed = 15;
    const double values[4] = {found.alpha, found.beta, found.sigma, found.mu};
    std::copy(values, values + 4, task.fixed_value);
    fit = (*m_fitter)(m_data, m_weights, {task}, options)[0];
  }
}

/// What cannot be fitted is an error; what did not converge is one too, after the results are kept.
template <class ExecSpace>
void StableModel<ExecSpace>::finish_fit() {
  const FitResult& fit = m_fits.front();
  const std::string source = m_p.data.given() ? m_p.data.file : "the sample";
  if (fit.status >= FitStatus::too_few) {
    throw Error(ErrorKind::input, source + " cannot be fitted: " + describe(fit.status),
                fit.status == FitStatus::not_finite ? "remove what is missing, or use fit_many, which passes over such windows"
                                                    : "a fit needs at least five values that differ");
  }
  draw_fit(fit);
  if (fit.status == FitStatus::not_converged) {
    throw Error(ErrorKind::numerical,
                source + ": the fit has not converged; the largest component of the gradient is " + std::to_string(fit.gradient_norm) +
                    " by the number of values",
                "look at the data and at fit.tolerance; the parameters reached are in the results");
  }
  const std::string statement = boundary_statement(fit);
  if (!statement.empty()) logging::warning(statement);
}

template <class ExecSpace>
void StableModel<ExecSpace>::draw_fit(const FitResult& fit) {
  constexpr std::size_t kMost = 1000000, kCurve = 513;
  m_picture.data = download(m_exec, m_data);
  if (m_picture.data.size() > kMost) m_picture.data.resize(kMost);
  std::sort(m_picture.data.begin(), m_picture.data.end());
  const std::size_t n = m_picture.data.size();
  const double low = m_picture.data[n / 100], high = m_picture.data[n - 1 - n / 100], margin = 0.1 * (high - low);
  for (std::size_t i = 0; i < kCurve; ++i) {
    m_picture.curve_x.push_back(low - margin + (high - low + 2 * margin) * static_cast<double>(i) / (kCurve - 1));
  }
  const LocationScale where{fit.sigma, fit.mu, Parameterization::S0};
  EvaluationViews<ExecSpace> out;
  out.pdf = View("tessera::stable::pdf", kCurve);
  evaluate_batch<ExecSpace>(m_exec, fit.alpha, fit.beta, where, upload(m_exec, "tessera::stable::values", m_picture.curve_x), out);
  EvaluationViews<ExecSpace> at_data;
  at_data.cdf = View("tessera::stable::cdf", n);
  evaluate_batch<ExecSpace>(m_exec, fit.alpha, fit.beta, where, upload(m_exec, "tessera::stable::values", m_picture.data), at_data);
  m_exec.fence();
  m_picture.curve_pdf = download(m_exec, out.pdf);
  m_picture.cdf = download(m_exec, at_data.cdf);
}

template <class ExecSpace>
Progress StableModel<ExecSpace>::progress() const {
  Progress progress;
  progress.done = static_cast<double>(m_done);
  progress.total = static_cast<double>(m_total);
  progress.unit = is_fit() ? "fits" : m_p.task == Task::speed ? "sizes" : "distributions";
  progress.work = progress.done;
  progress.work_unit = progress.unit;
  return progress;
}

template <class ExecSpace>
std::string StableModel<ExecSpace>::summary() const {
  char text[240];
  if (m_p.task == Task::fit && !m_fits.empty()) {
    const FitResult& f = m_fits.front();
    std::snprintf(text, sizeof text, "alpha %.5f (%.5f), beta %.5f (%.5f), sigma %.6g (%.2g), mu %.6g (%.2g), log-likelihood %.6f, %s",
                  f.alpha, f.standard_error[0], f.beta, f.standard_error[1], f.sigma, f.standard_error[2], f.mu, f.standard_error[3],
                  f.log_likelihood, describe(f.status).c_str());
    return text;
  }
  if (is_fit()) {
    const auto failed = std::count_if(m_fits.begin(), m_fits.end(), [](const FitResult& f) { return f.status > FitStatus::boundary; });
    const auto ends = std::count_if(m_fits.begin(), m_fits.end(), [](const FitResult& f) { return f.status == FitStatus::boundary; });
    return std::to_string(m_fits.size()) + " fits, " + std::to_string(ends) + " of them at the end of a range, " + std::to_string(failed) +
           " not converged or not possible";
  }
  if (m_p.task == Task::sample) return std::to_string(m_sample.size()) + " random numbers";
  if (m_p.task == Task::speed) return describe_speed(m_p, m_seconds);
  if (m_p.task == Task::precision) return std::to_string(m_precision.size()) + " distributions";
  return std::to_string(m_done) + " distributions at " + std::to_string(m_curves.points.size()) + " points";
}

template <class ExecSpace>
void StableModel<ExecSpace>::write(io::ResultsFile& file) const {
  const io::Group results = file.results();
  switch (m_p.task) {
    case Task::evaluate:
    case Task::quantile:
      if (m_done == m_total) write_curves(results, m_curves, m_p.task == Task::quantile, m_p.distributions.empty());
      break;
    case Task::sample:
      results.write("x", m_sample, io::Meaning{"1", "independent random numbers"});
      break;
    case Task::precision:
      write_precision(results, file.coordinates(), m_p, m_precision);
      break;
    case Task::speed:
      if (m_done == m_total) write_speed(results, file.coordinates(), m_p, m_seconds);
      break;
    case Task::fit_many:
      write_windows(results, m_tasks, m_fits);
      break;
    case Task::bias_map:
      write_map(results, file.coordinates(), m_p, m_fits);
      break;
    case Task::fit: {
      if (m_fits.empty()) break;
      write_fit(results, m_fits.front(), m_picture);
      std::size_t next = 1;
      if (m_p.compare && m_fits.size() >= 3) {
        write_comparison(results, m_fits[0], m_fits[1], m_fits[2]);
        next = 3;
      }
      if (!m_p.profile_values.empty() && m_fits.size() == next + m_p.profile_values.size()) {
        write_profile(results, m_p.profile, m_p.profile_values,
                      std::vector<FitResult>(m_fits.begin() + static_cast<std::ptrdiff_t>(next), m_fits.end()));
      }
      break;
    }
  }
}

/// Fits are kept; the other tasks are quick and begin again.
template <class ExecSpace>
void StableModel<ExecSpace>::save(io::Group& state) const {
  state.write("fits", pack(m_fits), io::Meaning{"1", "fits done"});
}

template <class ExecSpace>
void StableModel<ExecSpace>::load(const io::Group& state) {
  initialize();
  m_fits = unpack(state.read<double>("fits"));
  m_done = is_fit() ? static_cast<std::int64_t>(m_fits.size()) : 0;
}

}  // namespace tessera::stable

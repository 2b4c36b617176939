// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/stable/law/paper_quantile.hpp"
#include "tessera/stable/law/sample.hpp"
#include "tessera/stable/law/table.hpp"
#include "tessera/stable/program/tasks/blocks.hpp"
#include "tessera/stable/program/tasks/task_model.hpp"

/// Task speed: how many evaluations a second tables, contour integrals and the paper's method make,
/// as Tables 3, 5, 6 and 8 of the paper.
namespace tessera::stable {

namespace detail {

/// Distributions (alpha uniform in [0.5, 2], beta in [-1, 1], or one distribution for all), a point
/// drawn from each, and a probability.
template <class ExecSpace>
struct SpeedPoints {
  using View = Kokkos::View<double*, ExecSpace>;
  View alpha, beta, x, p;
  bool many;
  StableDistribution one;
  Philox random;

  KOKKOS_INLINE_FUNCTION StableDistribution distribution(std::int64_t i) const {
    return many ? StableDistribution(alpha(i), beta(i)) : one;
  }

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const Philox::Bits first = random.bits(i, 0), second = random.bits(i, 1);
    if (many) {
      alpha(i) = 0.5 + 1.5 * Philox::uniform(first, 0);
      beta(i) = 2 * Philox::uniform(first, 1) - 1;
    }
    x(i) = sample(distribution(i), Philox::uniform(second, 0), Philox::uniform(second, 1));
    p(i) = Philox::uniform(random.bits(i, 2), 0);
  }
};

template <class ExecSpace>
struct SpeedQuantiles {
  SpeedPoints<ExecSpace> points;
  Kokkos::View<double*, ExecSpace> out;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    out(i) = quantile(points.distribution(i), points.p(i));
  }
};

/// Median wall time of `work`, from an idle device to an idle device, in seconds, after one call
/// that is not counted.
template <class ExecSpace, class Work>
double median_seconds(const ExecSpace& exec, std::int64_t repeats, const Work& work) {
  std::vector<double> seconds;
  for (std::int64_t r = 0; r <= repeats; ++r) {
    stop_at_signal();
    exec.fence();
    const auto start = std::chrono::steady_clock::now();
    work();
    exec.fence();
    if (r > 0)
      seconds.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(seconds.begin(),
                   seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2),
                   seconds.end());
  return seconds[seconds.size() / 2];
}

/// Times n points: one member for each method, with the function (pdf, cdf, pdf_cdf or quantile) as
/// argument. `p`: with the distribution of all points, unless they have distributions of their own.
template <class ExecSpace>
class SpeedRun {
 public:
  SpeedRun(const ExecSpace& exec, const Parameters& p, const Philox& random, std::int64_t n)
      : m_exec(exec),
        m_p(p),
        m_pdf(make_view(n)),
        m_cdf(make_view(n)),
        m_points(make_points(random, n)),
        m_range(exec, 0, n) {
    Kokkos::parallel_for("tessera::stable::speed_points", m_range, m_points);
  }

  /// Returns seconds.
  double measure(const std::string& method, const std::string& function) {
    if (method == "table") return measure_table(function);
    return method == "contour" ? measure_contour(function) : measure_paper(function);
  }

 private:
  using View = Kokkos::View<double*, ExecSpace>;
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  static View make_view(std::int64_t n) {
    return View("tessera::stable::values", static_cast<std::size_t>(n));
  }

  SpeedPoints<ExecSpace> make_points(const Philox& random, std::int64_t n) const {
    SpeedPoints<ExecSpace> points{{},
                                  {},
                                  make_view(n),
                                  make_view(n),
                                  m_p.speed_distributions == SpeedDistributions::random,
                                  StableDistribution(m_p.alpha, m_p.beta),
                                  random};
    if (points.many) {
      points.alpha = make_view(n);
      points.beta = make_view(n);
    }
    return points;
  }

  template <class Work>
  double median(const Work& work) const {
    return median_seconds(m_exec, m_p.repeats, work);
  }

  template <class Work>
  void in_blocks(std::size_t most, const Work& work) const {
    for_each_block<ExecSpace>(m_points.x.extent(0), most, [&](const PointRange& range) {
      work(range);
      if constexpr (!compat::is_gpu_v<ExecSpace>) m_exec.fence();
    });
  }

  static View part(const View& view, const PointRange& range) {
    return Kokkos::subview(view, range);
  }

  /// Views for the results of a function other than the quantile.
  EvaluationViews<ExecSpace> make_results(const std::string& function) const {
    EvaluationViews<ExecSpace> out;
    if (function == "pdf" || function == "pdf_cdf") out.pdf = m_pdf;
    if (function == "cdf" || function == "pdf_cdf") out.cdf = m_cdf;
    return out;
  }

  /// Measures a table without the time that building it takes.
  double measure_table(const std::string& function) const {
    const Table<ExecSpace> table(m_exec, m_p.alpha, m_p.beta);
    if (function == "quantile") {
      const QuantileTable<ExecSpace> quantiles(m_exec, table);
      return median([&] { quantiles(m_exec, m_points.p, m_pdf); });
    }
    const EvaluationViews<ExecSpace> out = make_results(function);
    return median([&] {
      if (out.pdf.extent(0) != 0) table.pdf(m_exec, m_points.x, out.pdf);
      if (out.cdf.extent(0) != 0) table.cdf(m_exec, m_points.x, out.cdf);
    });
  }

  double measure_contour(const std::string& function) {
    if (function == "quantile") {
      const SpeedQuantiles<ExecSpace> quantiles{m_points, m_pdf};
      return median([&] {
        in_blocks(kContourBlock / 16, [&](const PointRange& range) {
          Kokkos::parallel_for("tessera::stable::speed_quantiles",
                               Policy(m_exec, range.first, range.second), quantiles);
        });
      });
    }
    const EvaluationViews<ExecSpace> out = make_results(function);
    return median([&] {
      in_blocks(kContourBlock, [&](const PointRange& range) {
        const View x = Kokkos::subview(m_points.x, range);
        m_points.many ? evaluate_batch<ExecSpace>(m_exec, part(m_points.alpha, range),
                                                  part(m_points.beta, range), {}, x,
                                                  cut(out, range), m_scratch)
                      : evaluate_batch<ExecSpace>(m_exec, m_p.alpha, m_p.beta, {}, x,
                                                  cut(out, range), m_scratch);
      });
    });
  }

  double measure_paper(const std::string& function) const {
    if (function == "quantile") return measure_newton();
    const EvaluationViews<ExecSpace> out = make_results(function);
    return median([&] {
      in_blocks(kPaperBlock, [&](const PointRange& range) {
        const View x = Kokkos::subview(m_points.x, range);
        m_points.many ? evaluate_batch_by_paper<ExecSpace>(m_exec, part(m_points.alpha, range),
                                                           part(m_points.beta, range), {}, x,
                                                           cut(out, range), m_p.quadrature)
                      : evaluate_batch_by_paper<ExecSpace>(m_exec, m_p.alpha, m_p.beta, {}, x,
                                                           cut(out, range), m_p.quadrature);
      });
    });
  }

  /// Measures the paper's iteration for quantiles, whose first guesses are known before.
  double measure_newton() const {
    const PaperQuantiles<ExecSpace> quantiles(m_exec, m_p.quadrature, m_p.paper_tolerance);
    return median([&] {
      in_blocks(kPaperBlock / 8, [&](const PointRange& range) {
        const View p = part(m_points.p, range), x = part(m_pdf, range);
        m_points.many
            ? quantiles(m_exec, part(m_points.alpha, range), part(m_points.beta, range), {}, p, x)
            : quantiles(m_exec, m_p.alpha, m_p.beta, {}, p, x);
      });
    });
  }

  ExecSpace m_exec;
  const Parameters& m_p;
  View m_pdf, m_cdf;
  SpeedPoints<ExecSpace> m_points;
  Policy m_range;
  EvaluationScratch<ExecSpace> m_scratch;
};

}  // namespace detail

/// Seconds for all of n points, [function][method]. Tables are built outside the time.
template <class ExecSpace>
std::vector<double> measure_speeds(const ExecSpace& exec, const Parameters& p, const Philox& random,
                                   std::int64_t n) {
  detail::SpeedRun<ExecSpace> run(exec, p, random, n);
  std::vector<double> found;
  for (const std::string& function : p.speed_functions) {
    for (const std::string& method : p.speed_methods)
      found.push_back(run.measure(method, function));
  }
  return found;
}

/// The step `k` of a run: a number of points, and of maps a distribution before it.
struct SpeedStep {
  Parameters parameters;  ///< with the distribution of the step
  std::int64_t points;
};
SpeedStep make_speed_step(const Parameters& p, std::size_t k);

/// `seconds`: for every step those of each function and method.
void write_speed(const io::Group& results, const io::Group& coordinates, const Parameters& p,
                 const std::vector<std::vector<double>>& seconds);

/// The rates of the last step, a function after the other.
std::string describe_speed(const Parameters& p, const std::vector<std::vector<double>>& seconds);

/// One number of points of one distribution, or of random ones, a step.
template <class ExecSpace>
class SpeedModel final : public TaskModel {
 public:
  SpeedModel(const Parameters& parameters, const RunSettings& settings)
      : TaskModel(parameters, settings, "sizes") {}

  void initialize() override {
    std::size_t steps = m_p.speed_points.size();
    if (m_p.speed_distributions == SpeedDistributions::map)
      steps *= m_p.alphas.size() * m_p.betas.size();
    m_total = static_cast<std::int64_t>(steps);
  }

  bool advance() override {
    const logging::Region region("tessera::stable::speed");
    const SpeedStep step = make_speed_step(m_p, static_cast<std::size_t>(m_done));
    m_seconds.push_back(measure_speeds<ExecSpace>(m_exec, step.parameters, random(3), step.points));
    return ++m_done < m_total;
  }

  std::string summary() const override { return describe_speed(m_p, m_seconds); }

  void write(io::ResultsFile& file) const override {
    if (m_done == m_total) write_speed(file.results(), file.coordinates(), m_p, m_seconds);
  }

 private:
  ExecSpace m_exec;
  std::vector<std::vector<double>> m_seconds;
};

}  // namespace tessera::stable

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/io/results_file.hpp"
#include "tessera/stable/paper.hpp"
#include "tessera/stable/sample.hpp"
#include "tessera/stable/table.hpp"
#include "tessera/stable/tasks/task_model.hpp"

/// Task speed: how many evaluations a second tables, contour integrals and the paper's method make, as Tables 3, 5, 6 and 8 of the paper.
namespace tessera::stable {

/// What is timed, with every method.
inline const std::vector<std::string> kSpeedFunctions{"pdf", "cdf", "pdf_cdf", "quantile"};

namespace detail {

/// Distributions (alpha uniform in [0.5, 2], beta in [-1, 1], or one distribution for all), a point drawn from each, and a probability.
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

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const { out(i) = quantile(points.distribution(i), points.p(i)); }
};

/// Median wall time of `work`, from an idle device to an idle device, in seconds, after one call that is not counted.
template <class ExecSpace, class Work>
double median_seconds(const ExecSpace& exec, std::int64_t repeats, const Work& work) {
  std::vector<double> seconds;
  for (std::int64_t r = 0; r <= repeats; ++r) {
    exec.fence();
    const auto start = std::chrono::steady_clock::now();
    work();
    exec.fence();
    if (r > 0) seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace detail

/// Seconds for all of n points, [function][method]; NaN where a method has no such function. Tables are built outside the time.
template <class ExecSpace>
std::vector<double> measure_speeds(const ExecSpace& exec, const Parameters& p, const Philox& random, std::int64_t n) {
  using View = Kokkos::View<double*, ExecSpace>;
  const auto view = [n](bool wanted) { return wanted ? View("tessera::stable::values", static_cast<std::size_t>(n)) : View(); };
  const detail::SpeedPoints<ExecSpace> points{view(p.random_distributions), view(p.random_distributions),        view(true), view(true),
                                              p.random_distributions,       StableDistribution(p.alpha, p.beta), random};
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("tessera::stable::speed_points", Policy(exec, 0, n), points);
  const View pdf = view(true), cdf = view(true);
  EvaluationScratch<ExecSpace> scratch;
  std::vector<double> found;
  for (const std::string& function : kSpeedFunctions) {
    EvaluationViews<ExecSpace> out;
    if (function == "pdf" || function == "pdf_cdf") out.pdf = pdf;
    if (function == "cdf" || function == "pdf_cdf") out.cdf = cdf;
    for (const std::string& method : p.speed_methods) {
      double seconds = NAN;
      if (method == "table") {
        const Table<ExecSpace> table(exec, p.alpha, p.beta);
        if (function == "quantile") {
          const QuantileTable<ExecSpace> quantiles(exec, table);
          seconds = detail::median_seconds(exec, p.repeats, [&] { quantiles(exec, points.p, pdf); });
        } else {
          seconds = detail::median_seconds(exec, p.repeats, [&] {
            if (out.pdf.extent(0) != 0) table.pdf(exec, points.x, out.pdf);
            if (out.cdf.extent(0) != 0) table.cdf(exec, points.x, out.cdf);
          });
        }
      } else if (function == "quantile") {
        if (method == "contour") {
          const detail::SpeedQuantiles<ExecSpace> quantiles{points, pdf};
          seconds = detail::median_seconds(
              exec, p.repeats, [&] { Kokkos::parallel_for("tessera::stable::speed_quantiles", Policy(exec, 0, n), quantiles); });
        }
      } else if (method == "contour") {
        seconds = detail::median_seconds(exec, p.repeats, [&] {
          p.random_distributions ? evaluate_batch<ExecSpace>(exec, points.alpha, points.beta, {}, points.x, out, scratch)
                                 : evaluate_batch<ExecSpace>(exec, p.alpha, p.beta, {}, points.x, out, scratch);
        });
      } else {
        seconds = detail::median_seconds(exec, p.repeats, [&] {
          p.random_distributions ? evaluate_batch_by_paper<ExecSpace>(exec, points.alpha, points.beta, {}, points.x, out)
                                 : evaluate_batch_by_paper<ExecSpace>(exec, p.alpha, p.beta, {}, points.x, out);
        });
      }
      found.push_back(seconds);
    }
  }
  return found;
}

/// `seconds`: for every number of points those of each function and method.
void write_speed(const io::Group& results, const io::Group& coordinates, const Parameters& p,
                 const std::vector<std::vector<double>>& seconds);

/// The rates at the last number of points, a function after the other.
std::string describe_speed(const Parameters& p, const std::vector<std::vector<double>>& seconds);

/// One number of points a step.
template <class ExecSpace>
class SpeedModel final : public TaskModel {
 public:
  SpeedModel(const Parameters& parameters, const RunSettings& settings) : TaskModel(parameters, settings, "sizes") {}

  void initialize() override { m_total = static_cast<std::int64_t>(m_p.speed_points.size()); }

  bool advance() override {
    const auto n = static_cast<std::int64_t>(m_p.speed_points[static_cast<std::size_t>(m_done)]);
    m_seconds.push_back(measure_speeds<ExecSpace>(m_exec, m_p, random(3), n));
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

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/log/progress.hpp"
#include "tessera/core/log/stage.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/mpr/fill/coupling_search.hpp"
#include "tessera/mpr/fill/frame_temperatures.hpp"
#include "tessera/mpr/fill/mapped_samples.hpp"
#include "tessera/mpr/fill/mean_solution.hpp"
#include "tessera/mpr/fill/spread_calibration.hpp"
#include "tessera/mpr/linear/packs.hpp"
#include "tessera/mpr/linear/trend_fit.hpp"

namespace tessera::mpr::detail {

/// Estimates the model of a fill from its samples: trend, couplings, mean, temperatures and the
/// calibration of standard deviations, in this order. All ranks make the same calls together.
template <class ExecSpace, class Real>
class Estimator {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  /// Keeps a reference to the setting.
  explicit Estimator(const FillSetting<ExecSpace>& setting)
      : m_setting(setting), m_samples(setting) {}
  Estimator(const Estimator&) = delete;
  Estimator& operator=(const Estimator&) = delete;

  /// Estimates as GapFill::estimate does.
  void estimate(const Array<const Real>& values, const Array<const std::uint8_t>& status,
                const Array<const Real>& noise, const Array<const Real>& trend);
  /// Returns the same as GapFill::estimates.
  Estimates estimates() const;

  const MappedSamples<ExecSpace, Real>& samples() const { return m_samples; }
  const FittedCouplings& couplings() const { return m_couplings; }
  /// Describes how the linear equations of the mean were solved.
  const LinearSolve& linear_solve() const { return m_linear; }
  const Calibration& calibration() const { return m_calibration; }
  /// Returns the factors of standard deviations, [frame][layer][distance]; empty: 1.
  const Array<double>& spread_factors() const { return m_spread_factors; }
  /// Null without a trend.
  const TrendFit<ExecSpace, Real>* trend() const { return m_trend.get(); }

 private:
  const FillOptions& options() const { return m_setting.options; }
  void estimate_model(const Array<const Real>& values, const Array<const std::uint8_t>& status,
                      const Array<const Real>& noise);
  void estimate_with_trend(const Array<const std::uint8_t>& status, const Array<const Real>& noise);
  void take_trend(const Array<const std::uint8_t>& status, const Array<const Real>& noise);
  void fit_trend(const FittedCouplings& couplings, const Array<const std::uint8_t>& status,
                 bool noise);
  void give_temperatures_to_trend();
  void calibrate();
  double seconds_left(int steps, double seconds, double cells) const;

  const FillSetting<ExecSpace>& m_setting;
  MappedSamples<ExecSpace, Real> m_samples;
  std::optional<std::array<double, 2>> m_range;  // of all frames, where it is known
  FittedCouplings m_couplings;
  LinearSolve m_linear;
  Calibration m_calibration;
  Array<double> m_spread_factors;
  std::unique_ptr<TrendFit<ExecSpace, Real>> m_trend;
  // while the model is estimated
  std::function<void(int steps, double seconds, double cells)> m_tell_pace;
};

template <class ExecSpace, class Real>
void Estimator<ExecSpace, Real>::estimate(const Array<const Real>& values,
                                          const Array<const std::uint8_t>& status,
                                          const Array<const Real>& noise,
                                          const Array<const Real>& trend) {
  const logging::Region region("tessera::mpr::estimate");
  logging::Stage expected;
  const auto begin = std::chrono::steady_clock::now();
  m_tell_pace = [&](int steps, double seconds, double cells) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    expected.set("some " + logging::duration(taken.count() + seconds_left(steps, seconds, cells)) +
                 " expected in all");
  };
  m_range = options().range;
  m_couplings = {};
  m_trend.reset();
  if (options().trend > 0) {
    m_trend = std::make_unique<TrendFit<ExecSpace, Real>>(
        m_setting.exec, m_setting.grid, m_setting.frames, status, values, trend, options().trend,
        m_setting.share, options().windows);
    options().part ? take_trend(status, noise) : estimate_with_trend(status, noise);
  } else {
    estimate_model(values, status, noise);
  }
  if (!options().paper) m_linear = solve_mean(m_samples, m_couplings);
  stop_at_signal();
  choose_temperatures(m_samples, m_couplings, m_linear);
  if (m_trend) give_temperatures_to_trend();
  calibrate();
  m_tell_pace = nullptr;
}

/// Predicts the seconds that a fill takes from a step of the search for the couplings on, by the
/// pace of those before: measured on one core, within a factor of two or so. Draws and what is made
/// ready for them take as long for each cell as some steps.
template <class ExecSpace, class Real>
double Estimator<ExecSpace, Real>::seconds_left(int steps, double seconds, double cells) const {
  // packs of draws, and their part of a step
  constexpr double kUsualSteps = 7, kReady = 7, kReadyForSweeps = 2, kOfStep = 0.65;
  const double sites = static_cast<double>(m_setting.grid.sites()) * m_setting.all_frames();
  const double packs = !options().simulates() ? 0
                       : m_samples.wants_draws()
                           ? kReady + static_cast<double>(options().draws) / kPack
                           : kReadyForSweeps;
  return seconds * (std::max(1.0, kUsualSteps - steps) + kOfStep * packs * sites / cells);
}

/// Finds the range of the samples, the couplings, and with errors of samples the temperatures. A
/// search that was made before with another trend is where this one starts.
template <class ExecSpace, class Real>
void Estimator<ExecSpace, Real>::estimate_model(const Array<const Real>& values,
                                                const Array<const std::uint8_t>& status,
                                                const Array<const Real>& noise) {
  m_samples.map(values, status, noise, m_range);
  m_samples.count_pairs();
  const CouplingSearch<ExecSpace, Real> search(m_samples, m_tell_pace);
  m_couplings = search.find(Evidence(m_couplings.evidence));
}

/// Finds the coefficients from differences of neighbours, then with couplings that were found in
/// what that leaves.
template <class ExecSpace, class Real>
void Estimator<ExecSpace, Real>::estimate_with_trend(const Array<const std::uint8_t>& status,
                                                     const Array<const Real>& noise) {
  FittedCouplings neighbours;
  neighbours.axis = {{1, 1, m_setting.grid.nz > 1 ? 1.0 : 0.0}};
  fit_trend(neighbours, status, false);
  estimate_model(m_trend->residuals(), status, noise);
  fit_trend(m_couplings, m_samples.status(), options().noise);
  if (options().find_range && !m_range)
    m_range = options().find_range(m_trend->estimate().coefficient);
  estimate_model(m_trend->residuals(), status, noise);
  fit_trend(m_couplings, m_samples.status(), options().noise);
  m_samples.enter_angles(m_trend->residuals());
}

/// Takes the coefficients of the image that this is a part of.
template <class ExecSpace, class Real>
void Estimator<ExecSpace, Real>::take_trend(const Array<const std::uint8_t>& status,
                                            const Array<const Real>& noise) {
  const Part& part = *options().part;
  m_trend->take_coefficients(part.estimates.trend);
  estimate_model(m_trend->residuals(), status, noise);
  const logging::Region region("tessera::mpr::fit_trend");
  const logging::Stage stage("trend");
  LinearFill<ExecSpace, Real> fill(m_setting.exec, m_setting.grid, m_setting.frames,
                                   m_samples.status(), m_couplings.axis, m_setting.metrics(),
                                   m_setting.share);
  give_noise(m_samples, m_couplings, fill);
  m_trend->take(part.estimates.trend, fill, status, m_samples.status(), part.rim, m_couplings.axis,
                m_couplings.beta, options().fill_iterations);
}

/// Finds the coefficients of the trend by generalised least squares. noise: whether errors of the
/// samples count.
template <class ExecSpace, class Real>
void Estimator<ExecSpace, Real>::fit_trend(const FittedCouplings& couplings,
                                           const Array<const std::uint8_t>& status, bool noise) {
  const logging::Region region("tessera::mpr::fit_trend");
  const logging::Stage stage("trend");
  LinearFill<ExecSpace, Real> fill(m_setting.exec, m_setting.grid, m_setting.frames, status,
                                   couplings.axis, m_setting.metrics(), m_setting.share);
  if (noise) give_noise(m_samples, couplings, fill);
  m_trend->fit(fill, status, couplings.axis, couplings.beta, options().fill_iterations);
}

/// The variances of the coefficients are known at T = 1.
template <class ExecSpace, class Real>
void Estimator<ExecSpace, Real>::give_temperatures_to_trend() {
  std::vector<double> of_values = m_setting.of_frames_here(temperatures(m_samples.reports()));
  for (int f = 0; f < m_setting.frames; ++f)
    of_values[static_cast<std::size_t>(f)] *= m_samples.square_scale(f);
  m_trend->set_temperatures(of_values);
}

/// Measures what standard deviations are multiplied by, and brings it to the device.
template <class ExecSpace, class Real>
void Estimator<ExecSpace, Real>::calibrate() {
  m_calibration = SpreadCalibration<ExecSpace, Real>(m_samples, m_couplings).measure();
  m_spread_factors = {};
  if (m_calibration.samples() == 0) return;
  const int farthest = options().part ? std::min(options().part->halo, Calibration::kFarthest)
                                      : Calibration::kFarthest;
  std::vector<double> factors;
  for (int f = 0; f < m_setting.frames; ++f) {
    for (int layer = 0; layer < m_setting.grid.nz; ++layer) {
      for (int d = 0; d <= Calibration::kFarthest; ++d)
        factors.push_back(
            m_calibration.factor(std::min(d, farthest), m_setting.share.first + f, layer));
    }
  }
  m_spread_factors = upload(m_setting.exec, "tessera::mpr::spread_factors", factors);
}

template <class ExecSpace, class Real>
Estimates Estimator<ExecSpace, Real>::estimates() const {
  Estimates found;
  found.low = std::numeric_limits<double>::infinity();
  found.high = -found.low;
  for (const FrameReport& report : m_samples.reports()) {
    const double margin =
        (report.high - report.low) * options().padding / (1 + 2 * options().padding);
    found.low = std::min(found.low, report.low + margin);
    found.high = std::max(found.high, report.high - margin);
  }
  if (m_range) {
    found.low = (*m_range)[0];
    found.high = (*m_range)[1];
  }
  found.temperature = m_samples.reports().front().temperature;
  found.axis = m_couplings.axis;
  found.beta = m_couplings.beta;
  found.gaps = m_samples.gaps();
  found.calibration = m_calibration;
  if (m_trend) found.trend = m_trend->estimate();
  return found;
}

}  // namespace tessera::mpr::detail

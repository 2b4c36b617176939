// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/io/group.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gbees/follow/cell_moments.hpp"
#include "tessera/gbees/particles/unscented_filter.hpp"
#include "tessera/gbees/program/parameters.hpp"
#include "tessera/gbees/program/run_warnings.hpp"

namespace tessera::gbees {

/// Watches what the grid itself does to a density: where the dynamics are so near to linear ones
/// that mean and covariance follow from a few points (an unscented Kalman filter), those of the
/// density are compared with them. Two filters whose points lie at different distances tell whether
/// they do; once they part, nothing is compared until the next measurement. A measurement adds to
/// the inverse of the filters' covariance what it adds to that of the density, so that what the
/// grid did between many measurements is seen too.
template <int D>
class MomentWatch {
 public:
  MomentWatch(const Parameters& parameters, const parallel::Communicator& ranks)
      : m_parameters(parameters), m_ranks(ranks) {
    m_is_off = parameters.dynamics.orbit && !parameters.noise_of_flow().empty();
    for (const RegionParameters& region : parameters.regions) m_is_off = m_is_off || region.absorbs;
  }

  /// Starts at the density's moments at a time. Its steps are about as long as the density's.
  void start(const Summary<D>& summary, double time) {
    m_mean = summary.mean;
    m_covariance = covariance_of(summary);
    if (m_is_reliable && !m_filters.empty() && !m_before.empty())
      m_covariance = measured(m_filters[1]->covariance(), m_before, m_covariance);
    m_time = time;
    m_filters.clear();
    m_before.clear();
    m_is_reliable = !m_is_off;
  }

  /// Compares the filters with the density, which has made so many steps since the last time.
  /// Returns by which share of it the cells have widened the variance along each axis; empty where
  /// the filters cannot tell.
  std::vector<double> compare(const Summary<D>& summary, double time, std::uint64_t steps,
                              RunWarnings& warnings) {
    if (!m_is_reliable || !(time > m_time)) return {};
    const auto looks = static_cast<double>(std::clamp<std::uint64_t>(steps, 100, 1000));
    try {
      if (m_filters.empty()) {
        m_step = (time - m_time) / looks;
        make_filters();
      }
      for (const auto& filter : m_filters) filter->propagate(m_time, time);
    } catch (const Error&) {  // a covariance that is none
      m_is_reliable = false;
      return {};
    }
    m_time = time;
    m_before = covariance_of(summary);
    std::vector<MomentFault> faults;
    std::vector<double> spread;
    const linalg::Matrix &near = m_filters[0]->covariance(), &far = m_filters[1]->covariance();
    for (std::size_t i = 0; i < D; ++i) {
      const int axis = static_cast<int>(i);
      const double variance = far[i][i], deviation = std::sqrt(variance);
      const double apart = std::fabs(near[i][i] - variance) / variance;
      const double shift =
          std::fabs(m_filters[0]->mean()[axis] - m_filters[1]->mean()[axis]) / deviation;
      const Circle circle = circle_of(i);
      const bool goes_round = !circle.is_line() && deviation > kRound * circle.period;
      if (!(apart < kApart && shift < kShift) || goes_round) {
        m_is_reliable = false;
        return {};
      }
      spread.push_back(summary.covariance[axis][axis] / variance - 1);
      faults.push_back(
          {deviation, summary.covariance[axis][axis] / variance - 1 - apart,
           1 - summary.covariance[axis][axis] / variance - apart,
           std::fabs(circle.shortest(summary.mean[axis] - m_filters[1]->mean()[axis])) / deviation -
               shift});
    }
    warnings.compare_moments(time, faults);
    return spread;
  }

  /// Saves to and loads from the state of a restart file.
  void save(const io::Group& group) const {
    const io::Attributes plain;
    group.set_attribute("time", m_time);
    group.set_attribute("step", m_step);
    group.set_attribute("is_reliable", static_cast<int>(m_is_reliable));
    group.write("mean", std::vector<double>(&m_mean[0], &m_mean[0] + D), plain);
    group.write("covariance", rows_of(m_covariance), io::Shape{D, D}, plain);
    if (!m_before.empty()) group.write("before", rows_of(m_before), io::Shape{D, D}, plain);
    for (std::size_t f = 0; f < m_filters.size(); ++f)
      m_filters[f]->save(group.group("filter_" + std::to_string(f)), {});
  }

  void load(const io::Group& group) {
    m_time = group.attribute<double>("time");
    m_step = group.attribute<double>("step");
    m_is_reliable = group.attribute<int>("is_reliable") != 0;
    const auto mean = group.read<double>("mean", {D});
    std::copy(mean.begin(), mean.end(), &m_mean[0]);
    m_covariance = load_rows(group, "covariance");
    m_before.clear();
    if (group.has("before")) m_before = load_rows(group, "before");
    m_filters.clear();
    if (!group.has("filter_0")) return;
    make_filters();
    for (std::size_t f = 0; f < m_filters.size(); ++f)
      m_filters[f]->load(group.group("filter_" + std::to_string(f)));
  }

 private:
  static constexpr double kApart = 0.02, kShift = 0.05;  // of a variance, of a deviation
  static constexpr double kRound = 0.12;                 // of a period: a density goes round

  Circle circle_of(std::size_t variable) const {
    const std::vector<Circle>& circles = m_parameters.dynamics.circles;
    return circles.empty() ? Circle() : circles[variable];
  }

  /// The covariance after a measurement that leads that of the density from `before` to `after`;
  /// `after` where that leads to none, as with densities far from Gaussian ones.
  static linalg::Matrix measured(const linalg::Matrix& covariance, const linalg::Matrix& before,
                                 const linalg::Matrix& after) {
    try {
      linalg::Matrix sum = linalg::inverse_positive_definite(covariance);
      const linalg::Matrix had = linalg::inverse_positive_definite(before),
                           has = linalg::inverse_positive_definite(after);
      for (std::size_t i = 0; i < D; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          sum[i][j] += 0.5 * (has[i][j] - had[i][j] + has[j][i] - had[j][i]);
          sum[j][i] = sum[i][j];
        }
      }
      return linalg::inverse_positive_definite(sum);
    } catch (const Error&) {
      return after;
    }
  }

  static std::vector<double> rows_of(const linalg::Matrix& matrix) {
    std::vector<double> numbers;
    for (const auto& row : matrix) numbers.insert(numbers.end(), row.begin(), row.end());
    return numbers;
  }

  static linalg::Matrix load_rows(const io::Group& group, const std::string& name) {
    linalg::Matrix matrix;
    const auto numbers = group.read<double>(name, {D, D});
    for (auto row = numbers.begin(); row != numbers.end(); row += D)
      matrix.emplace_back(row, row + D);
    return matrix;
  }

  void make_filters() {
    for (const double alpha : {0.5, 1.0}) {
      UnscentedParameters points;
      points.alpha = alpha;
      m_filters.push_back(std::make_unique<UnscentedFilter<D>>(
          m_parameters.dynamics.program, m_parameters.grid_noise(),
          std::min(m_step, m_parameters.longest_step), points, m_mean, m_covariance, m_ranks,
          m_parameters.breaks));
    }
  }

  const Parameters& m_parameters;
  parallel::Communicator m_ranks;
  std::vector<std::unique_ptr<UnscentedFilter<D>>> m_filters;
  Vector<D> m_mean{};
  linalg::Matrix m_covariance;    // with which they start
  linalg::Matrix m_before;        // of the density when they were last compared
  double m_time = 0, m_step = 0;  // to which the filters have come, and their step
  bool m_is_off = false, m_is_reliable = false;
};

}  // namespace tessera::gbees

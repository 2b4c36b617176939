// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/dynamics/equations.hpp"
#include "tessera/gbees/dynamics/step_bounds.hpp"
#include "tessera/gbees/particles/comparison_filter.hpp"
#include "tessera/gbees/particles/filter_parameters.hpp"
#include "tessera/gbees/particles/kalman.hpp"

namespace tessera::gbees {

/// The unscented Kalman filter (Julier, Uhlmann, Proc. SPIE 3068 (1997) 182; the parameters: Wan,
/// van der Merwe, Proc. IEEE AS-SPCC (2000) 153), on the host. With lambda = alpha^2 (D + kappa) -
/// D the points are the mean, of weight lambda / (D + lambda) (that of the covariance 1 - alpha^2 +
/// beta more), and 2 D others of weight 1 / (2 (D + lambda)), mean +- sqrt(D + lambda) times the
/// columns of the Cholesky factor of the covariance. Dynamics go by Runge-Kutta steps of fourth
/// order; the points are drawn again for each, and the noise, Q dt, is added to the covariance half
/// before and half after it (in continuous time: Sarkka, IEEE Trans. Automat. Contr. 52 (2007)
/// 1631). Of linear dynamics and measurements it is the Kalman filter, but for errors of the order
/// of dt^4 and, with noise, dt^2 (where noise depends on the state, the points tell its
/// expectation): to 1e-9 of the standard deviations of an oscillator, by steps of
/// a 630th of its period and without noise. Every rank does all of it but for the comparison.
template <int D>
class UnscentedFilter final : public ComparisonFilter<D> {
 public:
  /// `noise`: spectral density, as rows, or empty; `step`: the longest; `breaks`: times at
  /// which the dynamics jump, ascending.
  UnscentedFilter(const EquationProgram& equations, linalg::Matrix noise, double step,
                  const UnscentedParameters& parameters, const Vector<D>& mean,
                  linalg::Matrix covariance, const parallel::Communicator& ranks = {},
                  std::vector<double> breaks = {})
      : m_program(equations),
        m_dynamics(m_program.dynamics<D>(m_program.program.code.data())),
        m_noise(std::move(noise)),
        m_step(step),
        m_mean(mean),
        m_covariance(std::move(covariance)),
        m_ranks(ranks),
        m_breaks(std::move(breaks)) {
    const double scale = parameters.alpha * parameters.alpha * (D + parameters.kappa);
    if (!(scale > 0))
      throw Error(
          ErrorKind::input,
          "gbees: the points of an unscented Kalman filter need alpha and D + kappa above 0");
    m_reach = std::sqrt(scale);
    m_weight = 0.5 / scale;
    m_centre_weight = 1 - D / scale;
    m_extra_weight = 1 - parameters.alpha * parameters.alpha + parameters.beta;
  }

  UnscentedFilter(const UnscentedFilter&) = delete;
  UnscentedFilter& operator=(const UnscentedFilter&) = delete;

  const Vector<D>& mean() const { return m_mean; }
  const linalg::Matrix& covariance() const { return m_covariance; }

  bool propagate(double from, double to) override {
    for (const TimeSteps& part : divide_time(from, to, m_step, m_breaks)) {
      for (std::uint64_t step = 0; step < part.steps; ++step)
        make_step(part.begin + static_cast<double>(step) * part.dt, part.dt);
    }
    return false;
  }

  std::vector<double> observe(const std::vector<Observation>& observations, double time) override {
    const auto before = std::pair(m_mean, m_covariance);
    std::vector<double> log_evidence;
    try {
      for (const Observation& observation : observations)
        log_evidence.push_back(observe(observation, time));
    } catch (...) {
      std::tie(m_mean, m_covariance) = before;
      throw;
    }
    return log_evidence;
  }

  void displace(const Displacement<D>& displacement) override {
    Points points = draw();
    for (Vector<D>& x : points) x = displacement.move(x, nullptr);
    m_mean = mean_of(points);
    m_covariance = moments(deviations(points, m_mean), deviations(points, m_mean));
    const linalg::Matrix error = displacement.covariance(m_mean);
    for (std::size_t i = 0; i < D; ++i) {
      for (std::size_t j = 0; j < D; ++j) m_covariance[i][j] += error[i][j];
    }
  }

  FilterRecord compare_with(const CellList& density, const ComparisonGrid<D>& place,
                            double) const override {
    Vector<D> mean = m_mean;
    linalg::Matrix covariance = m_covariance;
    if (place.is_elsewhere) {
      mean = place.to_grid(mean);
      linalg::Matrix matrix;
      for (const auto& row : place.to_grid.matrix) matrix.emplace_back(row, row + D);
      covariance = linalg::congruence(matrix, covariance);
    }
    FilterRecord record = record_of(mean, covariance);
    record.bhattacharyya = bhattacharyya(density, place.grid, mean, covariance, m_ranks);
    return record;
  }

  void save(const io::Group& state, const GatheredParticles&) const override {
    const FilterRecord now = current();
    state.write("mean", now.mean, io::Attributes{});
    state.write("covariance", now.covariance, io::Shape{D, D}, io::Attributes{});
  }

  void load(const io::Group& state) override {
    const auto mean = state.read<double>("mean", {D}),
               covariance = state.read<double>("covariance", {D, D});
    std::copy(mean.begin(), mean.end(), &m_mean[0]);
    m_covariance.clear();
    for (auto row = covariance.begin(); row != covariance.end(); row += D)
      m_covariance.emplace_back(row, row + D);
  }

 private:
  using Points = std::vector<Vector<D>>;
  using Rows = std::vector<std::vector<double>>;  ///< one a point

  FilterRecord current() const { return record_of(m_mean, m_covariance); }

  static FilterRecord record_of(const Vector<D>& mean, const linalg::Matrix& covariance) {
    FilterRecord record;
    record.mean.assign(&mean[0], &mean[0] + D);
    for (const auto& row : covariance)
      record.covariance.insert(record.covariance.end(), row.begin(), row.end());
    return record;
  }

  /// Draws the points, the mean first.
  Points draw() const {
    linalg::Matrix root;
    try {
      root = linalg::cholesky_factor(m_covariance);
    } catch (const Error& error) {
      throw Error(ErrorKind::numerical,
                  std::string("validate.filters.ukf: the covariance of the unscented Kalman filter "
                              "has become useless: ") +
                      error.what(),
                  "take other points (alpha, kappa), a smaller validate.filters.step, or leave the "
                  "filter out");
    }
    Points points{m_mean};
    for (const double sign : {1.0, -1.0}) {
      for (int j = 0; j < D; ++j) {
        Vector<D> x = m_mean;
        for (int i = j; i < D; ++i)
          x[i] += sign * m_reach * root[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
        points.push_back(x);
      }
    }
    return points;
  }

  void make_step(double t, double dt) {
    add_noise(t, 0.5 * dt);
    Points points = draw();
    for (Vector<D>& x : points) advance(x, t, dt);
    m_mean = mean_of(points);
    m_covariance = moments(deviations(points, m_mean), deviations(points, m_mean));
    add_noise(t + dt, 0.5 * dt);
  }

  void add_noise(double t, double length) {
    for (std::size_t i = 0; i < m_noise.size(); ++i) {
      for (std::size_t j = 0; j < m_noise.size(); ++j) m_covariance[i][j] += m_noise[i][j] * length;
    }
    if (!m_dynamics.has_noise()) return;
    const Points points = draw();
    for (int i = 0; i < D; ++i) {
      double expected = 0;
      for (std::size_t n = 0; n < points.size(); ++n)
        expected += weight(n) * m_dynamics.noise(i, points[n], t);
      m_covariance[static_cast<std::size_t>(i)][static_cast<std::size_t>(i)] +=
          std::max(expected, 0.0) * length;
    }
  }

  double weight(std::size_t point) const { return point == 0 ? m_centre_weight : m_weight; }

  Vector<D> mean_of(const Points& points) const {
    Vector<D> mean{};
    for (std::size_t n = 0; n < points.size(); ++n) {
      for (int i = 0; i < D; ++i) mean[i] += weight(n) * points[n][i];
    }
    return mean;
  }

  static Rows deviations(const Points& points, const Vector<D>& mean) {
    Rows rows;
    for (const Vector<D>& x : points) {
      rows.emplace_back();
      for (int i = 0; i < D; ++i) rows.back().push_back(x[i] - mean[i]);
    }
    return rows;
  }

  /// Weighted sum over the points of the products of two deviations.
  linalg::Matrix moments(const Rows& a, const Rows& b) const {
    linalg::Matrix sum(a[0].size(), std::vector<double>(b[0].size(), 0.0));
    for (std::size_t n = 0; n < a.size(); ++n) {
      const double of_point = weight(n) + (n == 0 ? m_extra_weight : 0);
      for (std::size_t i = 0; i < a[n].size(); ++i) {
        for (std::size_t j = 0; j < b[n].size(); ++j) sum[i][j] += of_point * (a[n][i] * b[n][j]);
      }
    }
    return sum;
  }

  void advance(Vector<D>& x, double t, double dt) const {
    Vector<D> sum{}, at = x, rate{};
    for (int stage = 0; stage < 4; ++stage) {
      const double weight = stage == 0 || stage == 3 ? 1.0 / 6 : 1.0 / 3, reach = stage == 0 ? 0
                                                                                  : stage == 3
                                                                                      ? 1
                                                                                      : 0.5;
      for (int i = 0; i < D; ++i) at[i] = x[i] + reach * dt * rate[i];
      rate = detail::velocities_at(m_dynamics, at, t + reach * dt);
      for (int i = 0; i < D; ++i) sum[i] += weight * rate[i];
    }
    for (int i = 0; i < D; ++i) x[i] += dt * sum[i];
  }

  double observe(const Observation& observation, double time) {
    const std::size_t quantities = observation.values.size();
    const auto h = observation.h.functions<D + 1>(observation.h.code.data());
    const auto period = [&](std::size_t a) {
      return a < observation.period.size() ? observation.period[a] : 0.0;
    };
    const Points points = draw();
    Rows differences;  // from h at the mean
    std::vector<double> average(quantities, 0.0), at_mean;
    for (std::size_t n = 0; n < points.size(); ++n) {
      differences.emplace_back();
      for (std::size_t a = 0; a < quantities; ++a) {
        const double value =
            h(static_cast<int>(a), [&](int j) { return j < D ? points[n][j] : time; });
        if (n == 0) at_mean.push_back(value);
        differences[n].push_back(shortest_way(value - at_mean[a], period(a)));
        average[a] += weight(n) * differences[n][a];
      }
    }
    std::vector<double> innovation;
    for (std::size_t a = 0; a < quantities; ++a) {
      innovation.push_back(
          shortest_way(observation.values[a] - at_mean[a] - average[a], period(a)));
      for (std::vector<double>& row : differences) row[a] -= average[a];
    }
    linalg::Matrix total = moments(differences, differences);
    for (std::size_t a = 0; a < quantities; ++a) {
      for (std::size_t b = 0; b < quantities; ++b) total[a][b] += observation.covariance[a][b];
    }
    const linalg::Matrix cross = moments(deviations(points, m_mean), differences);
    const KalmanUpdate update = kalman_update(cross, total, innovation);
    for (int i = 0; i < D; ++i) {
      const std::vector<double>& gain = update.gain[static_cast<std::size_t>(i)];
      for (std::size_t a = 0; a < quantities; ++a) m_mean[i] += gain[a] * innovation[a];
    }
    for (std::size_t i = 0; i < D; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {  // K S K^T = K C^T
        for (std::size_t a = 0; a < quantities; ++a)
          m_covariance[i][j] -= update.gain[i][a] * cross[j][a];
        m_covariance[j][i] = m_covariance[i][j];
      }
    }
    return update.log_evidence;
  }

  EquationProgram m_program;
  Equations<D> m_dynamics;
  linalg::Matrix m_noise;
  double m_step, m_reach, m_weight, m_centre_weight, m_extra_weight;
  Vector<D> m_mean;
  linalg::Matrix m_covariance;
  parallel::Communicator m_ranks;
  std::vector<double> m_breaks;
};

}  // namespace tessera::gbees

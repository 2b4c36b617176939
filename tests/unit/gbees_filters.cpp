// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Filters beside a density, of a linear system against the Kalman filter, and resampling. More:
// tests/regression/cli_filters.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/gbees/particles/ensemble_filter.hpp"
#include "tessera/gbees/particles/unscented_filter.hpp"
#include "tests/unit/gbees_particles.hpp"

namespace tessera::test {
namespace {

using gbees::ComparisonFilter;
using gbees::Equations;
using gbees::EquationText;
using gbees::FilterRecord;
using gbees::Observation;
using gbees::UnscentedFilter;
using gbees::Vector;
using linalg::Matrix;

constexpr double kTimes[] = {0, 0.5, 1, 1.25};  // a measurement at the second and the third

/// Returns a measurement of x first, then one of x + v and x.
std::vector<Observation> measurements(std::size_t k) {
  if (k == 0) return {Observation(0, 1.3, 0.02)};
  return {Observation(gbees::compile_functions(oscillator(), {"x + v", "x"}), {0.4, 1.2},
                      {{0.05, 0.01}, {0.01, 0.06}})};
}

struct Moments {
  double m[2], p[2][2];
};

/// The Kalman filter, written out: the moments' differential equations by many Runge-Kutta steps,
/// and updates of two numbers by hand.
class Kalman {
 public:
  explicit Kalman(const linalg::Matrix& noise) : m_noise(noise) {
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j)
        m_now.p[i][j] = kCovariance[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
  }

  const Moments& now() const { return m_now; }

  void propagate(double length) {
    constexpr int kSteps = 2000;
    const double dt = length / kSteps;
    for (int step = 0; step < kSteps; ++step) {
      const Moments k1 = rate(m_now), k2 = rate(plus(m_now, 0.5 * dt, k1)),
                    k3 = rate(plus(m_now, 0.5 * dt, k2)), k4 = rate(plus(m_now, dt, k3));
      m_now = plus(plus(plus(plus(m_now, dt / 6, k1), dt / 3, k2), dt / 3, k3), dt / 6, k4);
    }
  }

  /// Tells the logarithm of the evidence. `h`: rows of the measured quantities, one or two.
  double observe(const Matrix& h, const std::vector<double>& z, const Matrix& r) {
    const std::size_t n = z.size();
    Matrix cross(2, std::vector<double>(n)), s = r;  // P H^T and H P H^T + R
    std::vector<double> nu = z;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t i = 0; i < 2; ++i) {
        nu[a] -= h[a][i] * m_now.m[i];
        for (std::size_t j = 0; j < 2; ++j) cross[i][a] += m_now.p[i][j] * h[a][j];
      }
    }
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        for (std::size_t i = 0; i < 2; ++i) s[a][b] += h[a][i] * cross[i][b];
      }
    }
    const double determinant = n == 1 ? s[0][0] : s[0][0] * s[1][1] - s[0][1] * s[1][0];
    const Matrix inverse = n == 1 ? Matrix{{1 / s[0][0]}}
                                  : Matrix{{s[1][1] / determinant, -s[0][1] / determinant},
                                           {-s[1][0] / determinant, s[0][0] / determinant}};
    double form = 0;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        form += nu[a] * inverse[a][b] * nu[b];
        for (std::size_t i = 0; i < 2; ++i) {
          m_now.m[i] += cross[i][a] * inverse[a][b] * nu[b];
          for (std::size_t j = 0; j < 2; ++j)
            m_now.p[i][j] -= cross[i][a] * inverse[a][b] * cross[j][b];
        }
      }
    }
    return -0.5 * (form + std::log(determinant) +
                   static_cast<double>(n) * std::log(2 * 3.14159265358979323846));
  }

 private:
  Moments rate(const Moments& at) const {
    constexpr double kA[2][2] = {{0, 1}, {-1, -0.4}};
    Moments rate{};
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        rate.m[i] += kA[i][j] * at.m[j];
        for (int k = 0; k < 2; ++k) rate.p[i][j] += kA[i][k] * at.p[k][j] + at.p[i][k] * kA[j][k];
        if (!m_noise.empty())
          rate.p[i][j] += m_noise[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      }
    }
    return rate;
  }

  static Moments plus(Moments a, double dt, const Moments& b) {
    for (int i = 0; i < 2; ++i) {
      a.m[i] += dt * b.m[i];
      for (int j = 0; j < 2; ++j) a.p[i][j] += dt * b.p[i][j];
    }
    return a;
  }

  linalg::Matrix m_noise;
  Moments m_now{{kMean[0], kMean[1]}, {}};
};

/// The results of a filter after each measurement and at the end.
struct Said {
  std::vector<Moments> moments;
  std::vector<double> log_evidence;
  double fewest = 1e300;  ///< effective particles
};

Said kalman(const linalg::Matrix& noise) {
  Kalman filter(noise);
  Said said;
  const auto go_to = [&](std::size_t k) {
    filter.propagate(kTimes[k] - kTimes[k - 1]);
    if (k == 1) said.log_evidence.push_back(filter.observe({{1, 0}}, {1.3}, {{0.02}}));
    if (k == 2)
      said.log_evidence.push_back(
          filter.observe({{1, 1}, {1, 0}}, {0.4, 1.2}, {{0.05, 0.01}, {0.01, 0.06}}));
    said.moments.push_back(filter.now());
  };
  for (const std::size_t k : {1, 2, 3}) go_to(k);
  return said;
}

Said run(ComparisonFilter<2>& filter) {
  gbees::Grid<2> grid{};
  grid.spacing = {{1, 1}};
  Said said;
  for (const std::size_t k : {1, 2, 3}) {
    while (filter.propagate(kTimes[k - 1], kTimes[k])) {
    }
    if (k < 3) {
      const auto found = filter.observe(measurements(k - 1), kTimes[k]);
      said.log_evidence.insert(said.log_evidence.end(), found.begin(), found.end());
    }
    const FilterRecord record = filter.compare_with({}, grid, kTimes[k]);
    said.moments.push_back({{record.mean[0], record.mean[1]},
                            {{record.covariance[0], record.covariance[1]},
                             {record.covariance[2], record.covariance[3]}}});
    if (record.effective > 0) said.fewest = std::min(said.fewest, record.effective);
    filter.resample();
  }
  return said;
}

/// The largest difference: of means in standard deviations, of covariances in products of them, of
/// the logarithms of evidences.
double difference(const Said& said, const Said& exact) {
  double largest = 0;
  for (std::size_t k = 0; k < exact.moments.size(); ++k) {
    const Moments &a = said.moments[k], &b = exact.moments[k];
    for (int i = 0; i < 2; ++i) {
      largest = std::max(largest, std::fabs(a.m[i] - b.m[i]) / std::sqrt(b.p[i][i]));
      for (int j = 0; j < 2; ++j)
        largest =
            std::max(largest, std::fabs(a.p[i][j] - b.p[i][j]) / std::sqrt(b.p[i][i] * b.p[j][j]));
    }
  }
  EXPECT_EQ(said.log_evidence.size(), exact.log_evidence.size());
  for (std::size_t k = 0; k < exact.log_evidence.size(); ++k)
    largest = std::max(largest, std::fabs(said.log_evidence[k] - exact.log_evidence[k]));
  return largest;
}

Said unscented(const linalg::Matrix& noise, double step,
               const gbees::UnscentedParameters& points = {}) {
  UnscentedFilter<2> filter(gbees::compile(oscillator()), noise, step, points, kMean, kCovariance);
  return run(filter);
}

TEST(UnscentedFilter, OfALinearSystemIsTheKalmanFilter) {
  const Said exact = kalman({});
  EXPECT_LT(difference(unscented({}, 0.01), exact), 1e-9);
  EXPECT_LT(difference(unscented({}, 0.005), exact), 1e-10);
  EXPECT_LT(difference(unscented({}, 0.01, {1, 0, 1}), exact), 1e-9);  // other points
  // near the mean: differences lose digits
  EXPECT_LT(difference(unscented({}, 0.01, {0.001, 2, 0}), exact), 1e-7);
}

TEST(UnscentedFilter, HasAnErrorOfSecondOrderWithNoise) {
  const auto check = [](const linalg::Matrix& noise, double most) {
    const Said exact = kalman(noise);
    const double coarse = difference(unscented(noise, 0.025), exact),
                 fine = difference(unscented(noise, 0.0125), exact);
    EXPECT_LT(fine, most);
    EXPECT_NEAR(coarse / fine, 4, 0.1);
  };
  check({{0.02, 0}, {0, 0.05}}, 2e-5);
  check({{0.02, 0.02}, {0.02, 0.05}}, 4e-5);
}

TEST(UnscentedFilter, RefusesPointsAndCovariancesThatAreNone) {
  const auto program = gbees::compile(oscillator());
  EXPECT_THROW(UnscentedFilter<2>(program, {}, 0.1, {0, 0, 0}, kMean, kCovariance), Error);
  EXPECT_THROW(UnscentedFilter<2>(program, {}, 0.1, {1, 0, -2}, kMean, kCovariance), Error);
  UnscentedFilter<2> singular(program, {}, 0.1, {}, kMean, {{1, 1}, {1, 1}});
  EXPECT_THROW(singular.propagate(0, 1), Error);
}

TEST(EnsembleKalmanFilter, OfALinearSystemIsTheKalmanFilterToFiveStandardErrors) {
  constexpr std::uint64_t kMembers = 40000;
  for (const linalg::Matrix& noise :
       {linalg::Matrix{}, linalg::Matrix{{0.02, -0.02}, {-0.02, 0.05}}}) {
    gbees::EnsembleKalmanFilter<2> filter(particles(kMembers, noise, 1));
    EXPECT_LT(difference(run(filter), kalman(noise)), 5 / std::sqrt(static_cast<double>(kMembers)));
  }
}

TEST(BootstrapFilter, OfALinearSystemIsTheKalmanFilterToFiveStandardErrors) {
  for (const linalg::Matrix& noise :
       {linalg::Matrix{}, linalg::Matrix{{0.02, -0.02}, {-0.02, 0.05}}}) {
    for (const double resample : {0.0, 1.0}) {  // never and always
      gbees::BootstrapFilter<2> filter(particles(40000, noise, 1), resample);
      const Said said = run(filter);
      EXPECT_LT(difference(said, kalman(noise)), 5 / std::sqrt(said.fewest)) << resample;
    }
  }
}

TEST(Filters, HaveTheSameBitsEachTimeAndOthersWithAnotherSeed) {
  const auto bits = [](std::uint64_t seed) {
    gbees::EnsembleKalmanFilter<2> kalman_filter(particles(5000, {{0.02, 0}, {0, 0.05}}, seed));
    gbees::BootstrapFilter<2> bootstrap(particles(5000, {{0.02, 0}, {0, 0.05}}, seed), 1);
    return std::pair(run(kalman_filter).moments.back().m[0], run(bootstrap).moments.back().m[0]);
  };
  EXPECT_EQ(bits(1), bits(1));
  EXPECT_NE(bits(1).first, bits(2).first);
  EXPECT_NE(bits(1).second, bits(2).second);
}

TEST(BootstrapFilter, IsAsBeforeWhereAMeasurementLeavesNoParticle) {
  gbees::BootstrapFilter<2> filter(particles(1000, {}, 1), 0.5),
      untouched(particles(1000, {}, 1), 0.5);
  const auto nowhere = Observation::likelihood(gbees::compile_functions(oscillator(), {"0*x"}));
  EXPECT_THROW(filter.observe({Observation(0, 1.3, 0.02), nowhere}, 0), Error);
  EXPECT_EQ(run(filter).moments.back().m[0], run(untouched).moments.back().m[0]);
}

TEST(Resampling, TakesEachParticleByItsWeightUpToOne) {
  std::vector<double> weights;
  double total = 0, squares = 0;
  for (int n = 0; n < 3000; ++n) {
    weights.push_back(n % 7 == 0 ? 0 : std::pow(1.5 + std::sin(n), 3));
    total += weights.back();
    squares += weights.back() * weights.back();
  }
  for (const double uniform : {1e-9, 0.37, 1 - 1e-9}) {
    auto ensemble = numbered(weights);
    EXPECT_NEAR(gbees::detail::effective_number(ensemble) / (total * total / squares), 1, 1e-12);
    gbees::detail::resample(ensemble, uniform);
    const std::vector<double> ancestors = first_coordinates(ensemble);
    EXPECT_TRUE(std::is_sorted(ancestors.begin(), ancestors.end()));
    EXPECT_DOUBLE_EQ(gbees::detail::effective_number(ensemble), 3000);
    for (int n = 0; n < 3000; ++n) {
      const double expected = 3000 * weights[static_cast<std::size_t>(n)] / total;
      const auto copies = static_cast<double>(std::count(ancestors.begin(), ancestors.end(), n));
      ASSERT_GE(copies, std::floor(expected - 1e-9)) << n;
      ASSERT_LE(copies, std::ceil(expected + 1e-9)) << n;
    }
  }
}

TEST(Resampling, OfEqualWeightsChangesNothing) {
  auto ensemble = numbered(std::vector<double>(1000, 0.2));
  const std::vector<double> before = first_coordinates(ensemble);
  gbees::detail::resample(ensemble, 0.5);
  EXPECT_EQ(first_coordinates(ensemble), before);
}

TEST(Bhattacharyya, OfTwoGaussiansIsTheClosedForm) {
  auto problem = equations_problem<2>(oscillator());
  problem.mean = {1, 0.5};
  problem.sigma = {0.3, 0.2};
  problem.spacing = {0.02, 0.02};
  problem.options = options_with(gbees::Scheme::conservative, 1e-12);
  const auto density = problem.start<ExecSpace>();
  const Matrix same{{0.09, 0}, {0, 0.04}};
  for (const double away : {0.0, 0.5}) {
    const double found =
        gbees::bhattacharyya<2>(density.cells(0), density.grid(), {{1 + away, 0.5}}, same);
    EXPECT_NEAR(found, std::exp(-away * away / (8 * 0.09)), 1e-5);
  }
  const double wider =
      gbees::bhattacharyya<2>(density.cells(0), density.grid(), {{1, 0.5}}, {{0.36, 0}, {0, 0.04}});
  EXPECT_NEAR(wider, std::sqrt(2 * 0.3 * 0.6 / (0.09 + 0.36)), 1e-5);
  EXPECT_TRUE(std::isnan(
      gbees::bhattacharyya<2>(density.cells(0), density.grid(), {{1, 0.5}}, {{1, 1}, {1, 1}})));
}

}  // namespace
}  // namespace tessera::test

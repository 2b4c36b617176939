// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/stable/multivariate/elliptical.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/stable_data.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using View = Kokkos::View<double*, Exec>;
using Column = std::vector<double>;

/// Log density, weight and score at points of radius r, of a law with the unit matrix for a shape.
struct Radial {
  Column log_pdf, weight, score;

  Radial(double alpha, int d, const Column& radii) {
    Column points(radii.size() * static_cast<std::size_t>(d), 0.0);
    linalg::Matrix unit(static_cast<std::size_t>(d), Column(static_cast<std::size_t>(d), 0.0));
    for (std::size_t j = 0; j < unit.size(); ++j) unit[j][j] = 1;
    for (std::size_t i = 0; i < radii.size(); ++i)
      points[i * unit.size() + i % unit.size()] = radii[i];
    EllipticalEvaluator<Exec> evaluator(Exec(), test::to_device<Exec>(points), d);
    evaluator(alpha, Column(unit.size(), 0.0), unit);
    const Column all = evaluator.values();
    const auto n = static_cast<std::ptrdiff_t>(radii.size());
    log_pdf.assign(all.begin(), all.begin() + n);
    weight.assign(all.begin() + n, all.begin() + 2 * n);
    score.assign(all.begin() + 2 * n, all.end());
  }
};

const Column kRadii{0, 1e-3, 0.1, 0.5, 1, 2, 3, 5, 8, 10, 30, 100, 1e3, 1e5, 1e6};

TEST(StableElliptical, InOneDimensionIsTheSymmetricDensity) {
  for (const double alpha : {0.2, 0.3, 0.5, 0.8, 1.0, 1.2, 1.5, 1.8, 1.9, 1.99, 1.999, 1.9999}) {
    const Radial found(alpha, 1, kRadii);
    const StableDistribution distribution(alpha, 0);
    for (std::size_t i = 0; i < kRadii.size(); ++i) {
      const Evaluation e = evaluate<Quantities::scores>(distribution, kRadii[i]);
      EXPECT_NEAR(found.log_pdf[i], e.log_pdf, 2e-11) << alpha << " " << kRadii[i];
      EXPECT_NEAR(found.weight[i] * kRadii[i], -e.d_x, 1e-9 * (1 + std::fabs(e.d_x)))
          << alpha << " " << kRadii[i];
      EXPECT_NEAR(found.score[i], e.d_alpha, 1e-8 * (1 + std::fabs(e.d_alpha)))
          << alpha << " " << kRadii[i];
    }
  }
}

TEST(StableElliptical, AtAlphaOneIsStudent) {
  for (const int d : {1, 2, 3, 10, 50, 100}) {
    const Radial found(1, d, kRadii);
    for (std::size_t i = 0; i < kRadii.size(); ++i) {
      const double half = 0.5 * (d + 1), exact = std::lgamma(half) - half * std::log(kPi) -
                                                 half * std::log1p(kRadii[i] * kRadii[i]);
      EXPECT_NEAR(found.log_pdf[i], exact, 5e-11) << d << " " << kRadii[i];
      EXPECT_NEAR(found.weight[i], (d + 1) / (1 + kRadii[i] * kRadii[i]), 1e-9 * found.weight[i])
          << d << " " << kRadii[i];
    }
  }
}

TEST(StableElliptical, TowardsAlphaTwoIsNormal) {
  const Column radii{0, 0.5, 2, 5};
  for (const int d : {2, 7}) {
    double last = 1;
    for (const double alpha : {1.999, 1.99999, 1.9999999, 2.0}) {
      const Radial found(alpha, d, radii);
      double worst = 0;
      for (std::size_t i = 0; i < radii.size(); ++i) {
        worst = std::max(worst, std::fabs(found.log_pdf[i] + 0.5 * d * std::log(4 * kPi) +
                                          0.25 * radii[i] * radii[i]));
      }
      EXPECT_LT(worst, alpha == 2 ? 1e-13 : 40 * (2 - alpha));
      EXPECT_LT(worst, last);
      last = worst;
    }
  }
}

/// Scores by differences in several dimensions, and the density integrates to one over the plane.
TEST(StableElliptical, ScoresAgreeWithDifferences) {
  const Column radii{0, 0.3, 1, 4, 20, 300};
  for (const int d : {2, 5, 30}) {
    for (const double alpha : {0.6, 1.3, 1.9}) {
      const double h = 1e-3;
      const Radial at(alpha, d, radii), up(alpha + h, d, radii), down(alpha - h, d, radii),
          up2(alpha + 2 * h, d, radii), down2(alpha - 2 * h, d, radii);
      for (std::size_t i = 0; i < radii.size(); ++i) {
        const double slope =
            (8 * (up.log_pdf[i] - down.log_pdf[i]) - (up2.log_pdf[i] - down2.log_pdf[i])) /
            (12 * h);
        EXPECT_NEAR(at.score[i], slope, 1e-6 * (1 + std::fabs(slope)))
            << d << " " << alpha << " " << radii[i];
      }
    }
  }
  Column radii_of_rule;
  for (int k = 0; k <= 3000; ++k) radii_of_rule.push_back(std::exp(-15 + 0.01 * k));
  const Radial plane(1.4, 2, radii_of_rule);
  double sum = 0;
  for (std::size_t k = 0; k < radii_of_rule.size(); ++k)
    sum += 0.01 * 2 * kPi * radii_of_rule[k] * radii_of_rule[k] * std::exp(plane.log_pdf[k]);
  EXPECT_NEAR(sum, 1, 1e-8);  // 3e-10 lies beyond e^15
}

const EllipticalLaw kLaw{1.6, {1, -2, 0.5}, {{1, 0.6, -0.3}, {0.6, 2, 0.2}, {-0.3, 0.2, 0.5}}};

View draw(const EllipticalLaw& law, int n, std::uint32_t stream) {
  const View points("points", static_cast<std::size_t>(n * law.dimension()));
  sample_elliptical(Exec(), law, Philox(91, stream), 0, points);
  return points;
}

/// Every coordinate of random vectors, and their sums, are stable: Kolmogorov's distance of 20 000
/// vectors.
TEST(StableElliptical, RandomVectorsHaveStableProjections) {
  const int n = 20000;
  const Column points = test::to_host(draw(kLaw, n, 1));
  const double directions[3][3] = {{1, 0, 0}, {0, 0, 1}, {1, 1, 1}};
  for (const auto& t : directions) {
    double scale = 0, location = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      location += t[i] * kLaw.location[i];
      for (std::size_t j = 0; j < 3; ++j) scale += t[i] * t[j] * kLaw.shape[i][j];
    }
    Column projected;
    for (std::size_t i = 0; i < n; ++i)
      projected.push_back(
          (t[0] * points[3 * i] + t[1] * points[3 * i + 1] + t[2] * points[3 * i + 2] - location) /
          std::sqrt(scale));
    std::sort(projected.begin(), projected.end());
    double distance = 0;
    for (int i = 0; i < n; ++i) {
      distance = std::max(
          distance,
          std::fabs(evaluate<Quantities::sf>(StableDistribution(1.6, 0), projected[i]).cdf -
                    (i + 0.5) / n));
    }
    EXPECT_LT(std::sqrt(n) * distance, 1.6);
  }
  EXPECT_EQ(test::to_host(draw(kLaw, 100, 1)), Column(points.begin(), points.begin() + 300));
}

TEST(StableElliptical, FitsFindTheLaw) {
  int inside = 0, all = 0;
  for (std::uint32_t stream = 2; stream < 22; ++stream) {
    const View points = draw(kLaw, 1000, stream);
    const EllipticalFit fit = fit_elliptical<Exec>(Exec(), points, 3);
    ASSERT_EQ(fit.status, FitStatus::converged);
    EXPECT_LT(fit.gradient_norm, 1e-8);
    double truth = 0;
    for (const double v : evaluate_elliptical<Exec>(Exec(), kLaw, points)) truth += v;
    EXPECT_GE(fit.log_likelihood, truth);
    const auto count = [&](double found, double exact, double error) {
      ++all;
      inside += std::fabs(found - exact) < 1.96 * error ? 1 : 0;
    };
    count(fit.law.alpha, kLaw.alpha, fit.alpha_error);
    for (std::size_t i = 0; i < 3; ++i) {
      count(fit.law.location[i], kLaw.location[i], fit.location_error[i]);
      for (std::size_t j = 0; j <= i; ++j)
        count(fit.law.shape[i][j], kLaw.shape[i][j], fit.shape_error[i][j]);
    }
  }
  EXPECT_GE(inside, 0.9 * all);
  EXPECT_LE(inside, 0.995 * all);
}

/// In one dimension a fit is that of the symmetric law; at alpha = 2 it gives mean and covariance.
TEST(StableElliptical, FitsAgreeWithOthers) {
  const EllipticalLaw line{1.5, {2}, {{4}}};
  const View values = draw(line, 800, 40);
  const EllipticalFit fit = fit_elliptical<Exec>(Exec(), values, 1);
  const auto likelihood = [&](double alpha, double sigma, double mu) {
    double sum = 0;
    for (const double x : test::to_host(values))
      sum += evaluate<Quantities::pdf>(StableDistribution(alpha, 0), (x - mu) / sigma).log_pdf -
             std::log(sigma);
    return sum;
  };
  const double sigma = std::sqrt(fit.law.shape[0][0]), mu = fit.law.location[0],
               alpha = fit.law.alpha;
  EXPECT_NEAR(fit.log_likelihood, likelihood(alpha, sigma, mu), 1e-7);
  EXPECT_NEAR(likelihood(alpha + 1e-4, sigma, mu), likelihood(alpha - 1e-4, sigma, mu), 1e-7);
  EXPECT_NEAR(likelihood(alpha, sigma * 1.0001, mu), likelihood(alpha, sigma / 1.0001, mu), 1e-6);
  EXPECT_NEAR(likelihood(alpha, sigma, mu + 1e-4), likelihood(alpha, sigma, mu - 1e-4), 1e-6);

  EllipticalOptions normal;
  normal.fixed_alpha = 2;
  const Column points = test::to_host(draw(kLaw, 200, 41));
  const EllipticalFit gauss =
      fit_elliptical<Exec>(Exec(), test::to_device<Exec>(points), 3, normal);
  for (std::size_t j = 0; j < 3; ++j) {
    double mean[2] = {0, 0}, square = 0;
    for (std::size_t i = 0; i < 200; ++i) {
      mean[0] += points[3 * i] / 200;
      mean[1] += points[3 * i + j] / 200;
    }
    for (std::size_t i = 0; i < 200; ++i)
      square += (points[3 * i] - mean[0]) * (points[3 * i + j] - mean[1]) / 200;
    EXPECT_NEAR(gauss.law.location[j], mean[1], 1e-7 * (1 + std::fabs(mean[1])));
    EXPECT_NEAR(gauss.law.shape[0][j], 0.5 * square,
                1e-6 * std::sqrt(gauss.law.shape[0][0] * gauss.law.shape[j][j]));
  }
  EXPECT_EQ(gauss.alpha_error, 0);
  const EllipticalFit end =
      fit_elliptical<Exec>(Exec(), draw({2, {0, 0}, {{1, 0.5}, {0.5, 1}}}, 400, 43), 2);
  EXPECT_LE(end.status, FitStatus::boundary);
  EXPECT_GT(end.law.alpha, 1.9);
}

/// Errors of the shape are products of four scales.
TEST(StableElliptical, FollowsUnits) {
  const Column points = test::to_host(draw(kLaw, 200, 44));
  const auto fit = [&](double unit) {
    Column scaled = points;
    for (std::size_t i = 0; i < scaled.size(); i += 3) scaled[i] *= unit;
    return fit_elliptical<Exec>(Exec(), test::to_device<Exec>(scaled), 3);
  };
  const EllipticalFit plain = fit(1);
  for (const double unit : {0x1p-400, 0x1p400}) {
    const EllipticalFit found = fit(unit);
    EXPECT_NEAR(found.law.alpha, plain.law.alpha, 1e-9);
    EXPECT_NEAR(found.law.shape[0][0] / unit / unit / plain.law.shape[0][0], 1, 1e-7);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(found.shape_error[0][j] / unit / (j == 0 ? unit : 1) / plain.shape_error[0][j], 1,
                  1e-7)
          << unit << " " << j;
    }
  }
}

TEST(StableElliptical, RefusesWhatItCannotFit) {
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  const auto fit = [&](Column points, int d) {
    return message([&] { fit_elliptical<Exec>(Exec(), test::to_device<Exec>(points), d); });
  };
  Column points = test::to_host(draw(kLaw, 40, 42));
  EXPECT_THAT(fit({points.begin(), points.begin() + 21}, 3),
              testing::HasSubstr("7 points of 3 dimensions"));
  Column plane = points;
  for (std::size_t i = 0; i < 40; ++i) plane[3 * i + 2] = 2 * plane[3 * i] - plane[3 * i + 1];
  EXPECT_THAT(fit(plane, 3), testing::HasSubstr("the points lie in a plane"));
  Column constant = points;
  for (std::size_t i = 0; i < 40; ++i) constant[3 * i + 1] = 7;
  EXPECT_THAT(fit(constant, 3),
              testing::HasSubstr("more than half of the values of coordinate 2 are the same"));
  for (const double unit : {1e-170, 1e170}) {
    Column extreme = points;
    for (std::size_t i = 0; i < 40; ++i) extreme[3 * i] *= unit;
    EXPECT_THAT(fit(extreme, 3), testing::HasSubstr("the quartiles of coordinate 1 are too"));
  }
  points[7] = NAN;
  EXPECT_THAT(fit(points, 3), testing::HasSubstr("coordinate 2 of point 3 is not a finite number"));
  EllipticalLaw law = kLaw;
  law.alpha = 0.1;
  EXPECT_THAT(message([&] { require_law(law); }),
              testing::HasSubstr("alpha of an elliptical law is 0.1"));
  law = kLaw;
  law.shape[0][1] = 3;
  law.shape[1][0] = 3;
  EXPECT_THAT(message([&] { require_law(law); }), testing::HasSubstr("not positive definite"));
  law.location.pop_back();
  EXPECT_THAT(message([&] { require_law(law); }),
              testing::HasSubstr("not a matrix of as many rows and columns"));
}

}  // namespace
}  // namespace tessera::stable

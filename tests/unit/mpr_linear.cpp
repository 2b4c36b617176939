// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The Gaussian approximation of the rotator: its linear equations against dense algebra, and
// couplings by evidence.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/math/fft.hpp"
#include "tessera/mpr/data/synthesis.hpp"
#include "tessera/mpr/instances.hpp"
#include "tessera/mpr/linear/evidence.hpp"
#include "tessera/mpr/linear/gaussian_draws.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/mpr_dense.hpp"

namespace tessera::test {
namespace {

using mpr::Grid;
using Axis = mpr::AxisCouplings;

/// A wavy field with gaps: blocks, single sites, and some land.
Problem gappy(const Grid& grid, int block, bool land) {
  Problem p(grid);
  std::mt19937 random(5);
  for (int z = 0; z < grid.nz; ++z) {
    for (int y = 0; y < grid.ny; ++y) {
      for (int x = 0; x < grid.nx; ++x) {
        const std::size_t i = p.site(x, y, z);
        p.values[i] = 20 + 3 * std::sin(0.2 * x + 0.1 * z) + 2 * std::cos(0.13 * y - 0.3 * z) +
                      1e-3 * static_cast<double>(random() % 1000);
        if ((x / block + y / block) % 3 == 1 || random() % 5 == 0) p.status[i] = mpr::kMissing;
        if (land && x > grid.nx / 2 && y < grid.ny / 3) p.status[i] = mpr::kInactive;
      }
    }
  }
  return p;
}

struct Filled {
  std::vector<double> values;
  mpr::LinearSolve solve;
};

template <class Real>
Filled fill(const Problem& p, const Axis& axis, double beta, double tolerance) {
  std::vector<Real> values(p.values.begin(), p.values.end());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = p.status[i] == mpr::kSample ? values[i] : std::nan("");
  const ExecSpace exec;
  const auto device = upload(exec, "mpr test", values);
  mpr::LinearFill<ExecSpace, Real> linear(exec, p.grid, 1, upload(exec, "mpr test", p.status),
                                          axis);
  Filled result;
  result.solve = linear.solve(device, axis, beta, tolerance, 200);
  const auto host = download(exec, device);
  result.values.assign(host.begin(), host.end());
  return result;
}

TEST(LinearFill, SolvesTheEquationsOfDenseAlgebra) {
  for (const auto& [grid, tilt] : {std::pair{Grid{17, 13, 1}, 0},
                                   {Grid{17, 13, 1}, 1},
                                   {Grid{17, 13, 1}, -1},
                                   {Grid{8, 7, 5}, 0}}) {
    for (const double beta : {0.0, 0.7}) {
      const Problem p = gappy(grid, 3, true);
      const Axis axis{{1.3, 0.8, grid.nz > 1 || tilt != 0 ? 0.6 : 0.0}, tilt};
      const linalg::Matrix q = dense_precision(p, axis, beta);
      std::vector<std::size_t> missing;
      double mean = 0, samples = 0;
      for (std::size_t i = 0; i < p.values.size(); ++i) {
        if (p.status[i] == mpr::kMissing) missing.push_back(i);
        if (p.status[i] == mpr::kSample) {
          mean += p.values[i];
          samples += 1;
        }
      }
      mean /= samples;
      linalg::Matrix block(missing.size(), std::vector<double>(missing.size()));
      std::vector<double> field(p.values.size(), 0);
      for (std::size_t i = 0; i < field.size(); ++i)
        field[i] = p.status[i] == mpr::kSample ? p.values[i] - mean : 0;
      std::vector<double> pull(missing.size(), 0);
      for (std::size_t a = 0; a < missing.size(); ++a) {
        for (std::size_t b = 0; b < missing.size(); ++b) block[a][b] = q[missing[a]][missing[b]];
        for (std::size_t j = 0; j < field.size(); ++j) pull[a] -= q[missing[a]][j] * field[j];
      }
      const linalg::Matrix inverse = linalg::inverse_positive_definite(block);
      for (std::size_t a = 0; a < missing.size(); ++a) {
        for (std::size_t b = 0; b < missing.size(); ++b)
          field[missing[a]] += inverse[a][b] * pull[b];
      }
      double energy = 0;
      for (std::size_t i = 0; i < field.size(); ++i) {
        for (std::size_t j = 0; j < field.size(); ++j) energy += field[i] * q[i][j] * field[j];
      }
      const Filled real = fill<double>(p, axis, beta, 1e-12),
                   single = fill<float>(p, axis, beta, 1e-5);
      EXPECT_TRUE(real.solve.converged);
      EXPECT_TRUE(single.solve.converged);
      EXPECT_NEAR(real.solve.temperature.front(), energy / (samples - 1), 1e-9 * energy);
      for (const std::size_t i : missing) {
        ASSERT_NEAR(real.values[i], mean + field[i], 1e-9);
        ASSERT_NEAR(single.values[i], mean + field[i], 1e-3);
      }
    }
  }
}

TEST(LinearFill, IslandsWithoutSamplesHaveTheMeanAndSpoilNothing) {
  for (const int island : {1, 2, 5}) {
    Problem alone = gappy({60, 40, 1}, 4, false), p = alone;
    double mean = 0, samples = 0;
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 60; ++x) {
        const std::size_t i = p.site(x, y);
        if (x < 40) continue;
        const bool land = x >= 50 && x < 50 + island && y >= 11 && y < 11 + island;
        alone.status[i] = mpr::kInactive;
        p.status[i] = land ? mpr::kMissing : mpr::kInactive;
      }
    }
    for (std::size_t i = 0; i < p.status.size(); ++i) {
      mean += p.status[i] == mpr::kSample ? p.values[i] : 0;
      samples += p.status[i] == mpr::kSample ? 1 : 0;
    }
    for (const double beta : {0.0, 1.0}) {
      const Filled with = fill<double>(p, {{1, 1, 0}, 0}, beta, 1e-9),
                   without = fill<double>(alone, {{1, 1, 0}, 0}, beta, 1e-9);
      EXPECT_GT(with.solve.iterations, 3);
      EXPECT_LE(with.solve.iterations, without.solve.iterations + 6);
      for (std::size_t i = 0; i < p.status.size(); ++i) {
        if (alone.status[i] == mpr::kMissing) {
          ASSERT_NEAR(with.values[i], without.values[i], 1e-6);
        } else if (alone.status[i] == mpr::kInactive && p.status[i] == mpr::kMissing) {
          ASSERT_NEAR(with.values[i], mean / samples, 1e-9);
        }
      }
      const ExecSpace exec;
      const auto draws = mpr::detail::GaussianDraws<ExecSpace, float>::make(
          exec, p.grid, 1, upload(exec, "mpr test", p.status), {{1, 1, 0}, 0}, beta, 3);
      const Kokkos::View<float*, ExecSpace> sum("mpr test", p.values.size()),
          variance("mpr test", p.values.size());
      for (int pack = 0; pack < 8; ++pack) {
        draws->draw_pack(pack);
        draws->add_squares(sum);
      }
      draws->variance(upload(exec, "mpr test", std::vector<double>{1}), sum, 64, variance, {});
      const std::vector<float> variances = download(exec, variance);
      for (std::size_t i = 0; i < p.status.size(); ++i) {
        if (p.status[i] != mpr::kMissing) continue;
        if (island == 1 && alone.status[i] == mpr::kInactive) {
          ASSERT_TRUE(std::isnan(variances[i])) << "nothing is known of it";
        } else {
          ASSERT_GT(variances[i], 0);
          ASSERT_LT(variances[i], 20);
        }
      }
    }
  }
}

TEST(LinearFill, WideGapsTakeFewIterations) {
  const Problem wide = gappy({300, 260, 1}, 60, true), deep = gappy({40, 36, 30}, 9, false);
  for (const double beta : {0.0, 1.0, 100.0}) {
    for (const double ratio : {1.0, 4.0}) {
      const Filled image = fill<double>(wide, {ratio, 1, 0}, beta, 1e-5);
      EXPECT_TRUE(image.solve.converged);
      EXPECT_LE(image.solve.iterations, 60) << "beta " << beta << ", ratio " << ratio;
      const Filled stack = fill<double>(deep, {1, 1, 1 / ratio}, beta, 1e-5);
      EXPECT_TRUE(stack.solve.converged);
      EXPECT_LE(stack.solve.iterations, 60) << "beta " << beta << ", ratio " << ratio;
      std::printf("beta %g, ratio %g: %d and %d iterations\n", beta, ratio, image.solve.iterations,
                  stack.solve.iterations);
    }
  }
}

mpr::Evidence evidence_of(const Problem& p, const mpr::EvidenceOptions& options) {
  const ExecSpace exec;
  const auto status = upload(exec, "mpr test", p.status);
  const auto values = upload(exec, "mpr test", p.values);
  return mpr::detail::EvidenceSearch<ExecSpace, double>(exec, p.grid, {0}, status, values)
      .find(options);
}

/// The sums agree on the device and on the host, for an image, an image with a diagonal and a
/// stack, with and without errors of samples.
TEST(Evidence, SumsOverModesAreThoseOfADirectSum) {
  struct Case {
    Grid grid;
    Axis axis;
  };
  for (const Case& c : {Case{{37, 20, 1}, {{1.3, 0.8, 0}}}, Case{{37, 20, 1}, {{1.3, 0.8, 0.4}, 1}},
                        Case{{9, 7, 5}, {{1.3, 0.8, 0.4}}}}) {
    for (const double noise : {0.0, 0.7}) {
      const double beta = 2.5;
      const auto lambda = [](int k, int n) { return 2 - 2 * std::cos(mpr::kPi * k / n); };
      double known = 0, bend = 0, bend_z = 0;
      const auto add = [&](double l, double third, double weight) {
        const double q = l + beta * l * l, r = 1 / (1 + noise * q);
        known += weight * r * r;
        bend += weight * beta * l * l / q;
        bend_z += weight * r * r * (beta * l * l / q) * (third * (1 + 2 * beta * l) / q);
      };
      for (int z = 0; z < c.grid.nz; ++z) {
        for (int y = 0; y < c.grid.ny; ++y) {
          for (int x = 0; x < c.grid.nx; ++x) {
            if (x + y + z == 0) continue;
            const double along =
                c.axis[0] * lambda(x, c.grid.nx) + c.axis[1] * lambda(y, c.grid.ny);
            if (c.axis.tilt == 0) {
              const double third = c.axis[2] * lambda(z, c.grid.nz);
              add(along + third, third, 1);
              continue;
            }
            for (const int sign : {-1, 1}) {
              const double third =
                  c.axis[2] *
                  (2 - 2 * std::cos(mpr::kPi * x / c.grid.nx + sign * mpr::kPi * y / c.grid.ny));
              add(along + third, third, 0.5);
            }
          }
        }
      }
      for (const mpr::ModeSums& sums :
           {mpr::sum_modes(c.grid, c.axis, beta, noise),
            mpr::detail::DeviceModes<ExecSpace>(ExecSpace(), c.grid).sum(c.axis, beta, noise)}) {
        EXPECT_EQ(sums.count, static_cast<double>(c.grid.sites() - 1));
        EXPECT_NEAR(sums.known, known, 1e-12 * known);
        EXPECT_NEAR(sums.sum[0], bend, 1e-12 * bend);
        EXPECT_NEAR(sums.product[3][0], bend_z, 1e-11 * std::fabs(bend_z));
        EXPECT_EQ(sums.product[0][3], sums.product[3][0]);
      }
    }
  }
}

TEST(Evidence, FindsTheCouplingsThatAFieldWasDrawnWith) {
  const Axis axis{1.6, 1 / 1.6, 0};
  double beta = 0, ratio = 0, temperature = 0;
  constexpr int kFields = 4;
  for (unsigned seed = 1; seed <= kFields; ++seed) {
    Problem p = drawn_from({160, 120, 1}, axis, 2, seed);
    const Problem mask = gappy(p.grid, 12, false);
    for (std::size_t i = 0; i < p.status.size(); ++i) p.status[i] = mask.status[i];
    mpr::EvidenceOptions options;
    options.seed = seed;
    options.start_axis = {1, 1, 0};
    const mpr::Evidence found = evidence_of(p, options);
    std::printf("beta %.3f +- %.3f, ratio %.3f +- %.3f, T %.3e, %zu steps\n", found.beta,
                found.beta * found.beta_error, found.axis[0] / found.axis[1], found.ratio_error,
                found.steps.back().temperature, found.steps.size());
    beta += std::log(found.beta / 2) / kFields;
    ratio += std::log(found.axis[0] / found.axis[1] / 2.56) / kFields;
    temperature += found.steps.back().temperature / 4e-4 / kFields;
    EXPECT_LE(found.steps.size(), 12u);
    // Another start, the same random numbers: the same couplings.
    options.start_beta = 0.05;
    options.start_axis = {0.5, 2, 0};
    const mpr::Evidence again = evidence_of(p, options);
    EXPECT_NEAR(std::log(again.beta / found.beta), 0, 0.1);
    EXPECT_NEAR(std::log(again.axis[0] / found.axis[0]), 0, 0.02);
  }
  EXPECT_NEAR(beta, 0, 0.3) << "twice the standard error of the mean of four fields";
  EXPECT_NEAR(ratio, 0, 0.06);
  EXPECT_NEAR(temperature, 1, 0.2);
}

/// A tenth of the sites of a field with nu = 0.5: its likelihood is more curved than that of
/// complete data, so that plain scoring steps between 1 and 4.5 without end.
TEST(Evidence, TheSearchSettlesOnSparseSamples) {
  if (!math::fft_available()) GTEST_SKIP() << "no FFTW";
  mpr::SyntheticParameters synthetic;
  synthetic.size = {140, 140};
  synthetic.inverse_length = 0.05;
  for (const bool axis : {false, true}) {
    for (const unsigned seed : {1u, 2u}) {
      Problem p({140, 140, 1});
      p.values = mpr::gaussian_field(synthetic, seed, 0);
      for (double& x : p.values) x *= 0.02;
      std::mt19937 random(seed);
      for (auto& status : p.status) status = random() % 10 == 0 ? mpr::kSample : mpr::kMissing;
      mpr::EvidenceOptions options;
      options.axis = options.diagonal = axis;
      options.start_axis = {1, 1, 0};
      const mpr::Evidence found = evidence_of(p, options);
      std::printf("axes %d: beta %.3f +- %.3f, axes %.3f %.3f %.3f, %zu steps\n", axis, found.beta,
                  found.beta * found.beta_error, found.axis[0], found.axis[1], found.axis[2],
                  found.steps.size());
      EXPECT_TRUE(found.settled);
      EXPECT_LE(found.steps.size(), 8u);
      // The search stays where it ends, and other starts and draws lead there.
      options.start_beta = found.beta;
      if (axis) options.start_axis = found.axis;
      EXPECT_NEAR(std::log(evidence_of(p, options).beta / found.beta), 0, 0.5 * found.beta_error);
      options.start_axis = {1, 1, 0};
      for (const double start : {0.05, 20.0}) {
        options.start_beta = start;
        EXPECT_NEAR(std::log(evidence_of(p, options).beta / found.beta), 0, 0.5 * found.beta_error)
            << "from " << start;
      }
      options.start_beta = 1;
      options.seed = 10 + seed;
      EXPECT_NEAR(std::log(evidence_of(p, options).beta / found.beta), 0, 2 * found.beta_error)
          << "with other draws";
    }
  }
}

TEST(Evidence, InformationThatIsNoneIsAnErrorWithARemedy) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0}) {
    mpr::EvidenceSlope slope;
    for (std::size_t i = 0; i < 4; ++i) slope.information[i][i] = bad;
    mpr::Evidence evidence{{1, 1, 0}, 1, 0, 0, 0, {}, false};
    try {
      take_step(slope, {}, 2, evidence);
      FAIL() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::numerical);
      EXPECT_NE(std::string(error.what()).find("give 'model: {curvature: 0, anisotropy: equal}'"),
                std::string::npos)
          << error.what();
    }
  }
}

/// A field with the precision matrix of couplings that have a diagonal, given a value of 0 in a
/// corner.
Problem drawn_with_diagonal(const Grid& grid, const Axis& axis, double beta, unsigned seed) {
  Problem p(grid);
  std::vector<std::uint8_t> status(p.values.size(), mpr::kMissing);
  status.front() = mpr::kSample;
  const ExecSpace exec;
  const auto draws = mpr::detail::GaussianDraws<ExecSpace, double>::make(
      exec, grid, 1, upload(exec, "mpr test", status), axis, beta, seed);
  draws->draw_pack(0);
  const Kokkos::View<double*, ExecSpace> zero("mpr test", p.values.size()),
      field("mpr test", p.values.size());
  draws->leave(0, upload(exec, "mpr test", std::vector<double>{4e-4}), zero, field);
  p.values = download(exec, field);
  return p;
}

TEST(Evidence, FindsADirectionBetweenTheAxes) {
  for (const int tilt : {1, -1}) {
    const Axis axis{{0.6, 0.25, 0.4}, tilt};  // determinant of the tensor 0.49
    std::array<double, 3> tensor{};
    double beta = 0;
    constexpr int kFields = 4;
    for (unsigned seed = 1; seed <= kFields; ++seed) {
      Problem p = drawn_with_diagonal({160, 120, 1}, axis, 3, seed);
      const Problem mask = gappy(p.grid, 12, false);
      for (std::size_t i = 0; i < p.status.size(); ++i) p.status[i] = mask.status[i];
      mpr::EvidenceOptions options;
      options.seed = seed;
      options.diagonal = true;
      options.start_axis = {1, 1, 0};
      const mpr::Evidence found = evidence_of(p, options);
      const std::array<double, 3> k = found.axis.tensor();
      std::printf("beta %.3f, tensor %.3f %.3f %.3f, %zu steps\n", found.beta, k[0], k[1], k[2],
                  found.steps.size());
      EXPECT_LE(found.steps.size(), 12u);
      EXPECT_NEAR(k[0] * k[2] - k[1] * k[1], 1, 1e-9);
      for (std::size_t i = 0; i < 3; ++i) tensor[i] += k[i] / kFields;
      beta += std::log(found.beta / (3 * 0.7)) / kFields;
    }
    // Edges are neglected: on so small a field the diagonal comes out some 8 % too strong.
    EXPECT_NEAR(tensor[0], 1 / 0.7, 0.06);
    EXPECT_NEAR(tensor[1], tilt * 0.4 / 0.7, 0.06);
    EXPECT_NEAR(tensor[2], 0.65 / 0.7, 0.04);
    EXPECT_NEAR(beta, 0, 0.3);
  }
}

}  // namespace
}  // namespace tessera::test

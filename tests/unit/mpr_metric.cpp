// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Cells that are not all the same, rows that go round and uneven steps of layers, against dense
// algebra and closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/mpr/instances.hpp"
#include "tessera/mpr/linear/evidence.hpp"
#include "tessera/mpr/linear/gaussian_draws.hpp"
#include "tessera/mpr/linear/linear_fill.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/mpr_dense.hpp"

namespace tessera::test {
namespace {

using mpr::Grid;
using mpr::Metric;
using Axis = mpr::AxisCouplings;

/// A wavy field with gaps, also at its edges, and some land.
Problem gappy(const Grid& grid, bool land) {
  Problem p(grid);
  std::mt19937 random(5);
  for (int z = 0; z < grid.nz; ++z) {
    for (int y = 0; y < grid.ny; ++y) {
      for (int x = 0; x < grid.nx; ++x) {
        const std::size_t i = p.site(x, y, z);
        p.values[i] = 3 * std::sin(0.2 * x + 0.1 * z) + 2 * std::cos(0.13 * y - 0.3 * z) +
                      1e-3 * static_cast<double>(random() % 1000);
        const int beside = std::min(x, grid.nx - 1 - x);
        if ((x / 3 + y / 3) % 3 == 1 || random() % 5 == 0 || (beside < 3 && y < grid.ny / 2))
          p.status[i] = mpr::kMissing;
        if (land && x > grid.nx / 2 && x < grid.nx - 2 && y < grid.ny / 3)
          p.status[i] = mpr::kInactive;
      }
    }
  }
  return p;
}

/// Rows from 20 to 70 degrees, and uneven steps of layers.
Metric uneven(const Grid& grid, bool periodic) {
  std::vector<double> latitudes, steps;
  for (int y = 0; y < grid.ny; ++y) latitudes.push_back(70 - 50.0 * y / (grid.ny - 1));
  for (int z = 0; z + 1 < grid.nz; ++z) steps.push_back(1 + 0.7 * (z % 3));
  Metric metric = mpr::metric_of_latitudes(latitudes, 50.0 / (grid.ny - 1));
  if (grid.nz > 1) metric.z = mpr::factors_of_steps(steps);
  metric.periodic = periodic;
  return metric;
}

struct Filled {
  std::vector<double> values;
  mpr::LinearSolve solve;
};

Filled fill(const Problem& p, const Axis& axis, double beta, double tolerance,
            const Metric& metric) {
  const ExecSpace exec;
  const auto device = upload(exec, "mpr test", p.values);
  mpr::LinearFill<ExecSpace, double> linear(exec, p.grid, 1, upload(exec, "mpr test", p.status),
                                            axis, {metric});
  Filled result;
  result.solve = linear.solve(device, axis, beta, tolerance, 300);
  result.values = download(exec, device);
  return result;
}

struct Case {
  Grid grid;
  int tilt;
  bool has_rows, periodic;
};

const Case kCases[] = {
    {{17, 13, 1}, 0, true, false}, {{17, 13, 1}, 0, true, true},  {{18, 13, 1}, 1, true, false},
    {{17, 13, 1}, -1, true, true}, {{18, 13, 1}, 0, false, true}, {{17, 12, 1}, 1, false, true},
    {{8, 7, 5}, 0, true, false},   {{9, 7, 5}, 0, true, true},    {{10, 7, 5}, 0, false, true}};

Metric metric_of(const Case& c) {
  Metric metric = uneven(c.grid, c.periodic);
  if (!c.has_rows) metric.x = metric.y = metric.area = {};
  return metric;
}

TEST(Metric, MeansAndDrawsAreThoseOfDenseAlgebra) {
  const ExecSpace exec;
  for (const Case& c : kCases) {
    for (const double beta : {0.0, 0.7}) {
      const Problem p = gappy(c.grid, true);
      const Metric metric = metric_of(c);
      const Axis axis{{1.3, 0.8, c.grid.nz > 1 || c.tilt != 0 ? 0.6 : 0.0}, c.tilt};
      const linalg::Matrix q = dense_precision(p, axis, beta, metric);
      const std::vector<std::size_t> missing = sites_of(p, mpr::kMissing),
                                     samples = sites_of(p, mpr::kSample);
      const linalg::Matrix inverse = linalg::inverse_positive_definite(block_of(q, missing));
      const Filled found = fill(p, axis, beta, 1e-12, metric);
      EXPECT_TRUE(found.solve.converged);
      std::vector<double> field = p.values, pull(missing.size(), 0);
      for (const std::size_t i : sites_of(p, mpr::kInactive)) field[i] = 0;
      for (std::size_t a = 0; a < missing.size(); ++a) {
        for (const std::size_t j : samples) pull[a] -= q[missing[a]][j] * field[j];
      }
      for (std::size_t a = 0; a < missing.size(); ++a) {
        double value = 0;
        for (std::size_t b = 0; b < missing.size(); ++b) value += inverse[a][b] * pull[b];
        field[missing[a]] = value;
        ASSERT_NEAR(found.values[missing[a]], value, 1e-8)
            << "tilt " << c.tilt << ", periodic " << c.periodic << ", beta " << beta;
      }
      double energy = 0;
      for (std::size_t i = 0; i < field.size(); ++i) {
        for (std::size_t j = 0; j < field.size(); ++j) energy += field[i] * q[i][j] * field[j];
      }
      EXPECT_NEAR(found.solve.temperature.front(), energy / static_cast<double>(samples.size() - 1),
                  1e-9 * energy);
      // The share of noise in a variance is 1 at most, so that 256 draws leave 9 % of it at a site.
      const auto draws = mpr::detail::GaussianDraws<ExecSpace, double>::make(
          exec, c.grid, 1, upload(exec, "mpr test", p.status), axis, beta, 3, {metric});
      const Kokkos::View<double*, ExecSpace> sum("mpr test", p.values.size()),
          variance("mpr test", p.values.size());
      for (int pack = 0; pack < 32; ++pack) {
        draws->draw_pack(pack);
        draws->add_squares(sum);
      }
      draws->variance(upload(exec, "mpr test", std::vector<double>{1}), sum, 256, variance, {});
      const std::vector<double> variances = download(exec, variance);
      double ratio = 0;
      for (std::size_t a = 0; a < missing.size(); ++a) {
        ASSERT_NEAR(variances[missing[a]] / inverse[a][a], 1, 0.45);
        ratio += variances[missing[a]] / inverse[a][a] / static_cast<double>(missing.size());
      }
      EXPECT_NEAR(ratio, 1, 0.05);
    }
  }
}

/// log pdet Q but for a constant: the logarithm of a cofactor.
double dense_determinant(const Problem& p, const Axis& axis, double beta, const Metric& metric) {
  std::vector<std::size_t> sites(p.values.size() - 1);
  for (std::size_t i = 0; i < sites.size(); ++i) sites[i] = i;
  double logarithm = 0;
  linalg::inverse_positive_definite(block_of(dense_precision(p, axis, beta, metric), sites),
                                    &logarithm);
  return logarithm;
}

TEST(Metric, ModesGiveTheDerivativesOfTheDeterminant) {
  for (Case c : kCases) {
    if (c.grid.nz == 1) c.grid.ny = 11;
    const Problem p(c.grid);
    const Metric metric = metric_of(c);
    const Axis axis{{1.3, 0.8, c.grid.nz > 1 || c.tilt != 0 ? 0.6 : 0.0}, c.tilt};
    const double beta = 0.7, step = 1e-4;
    const mpr::ModeSums sums = mpr::sum_modes(c.grid, axis, beta, metric);
    // A diagonal takes waves for modes, exact where columns go round.
    const double tolerance = c.tilt != 0 && !c.periodic
                                 ? 0.05 * static_cast<double>(p.grid.sites())
                                 : 1e-5 * static_cast<double>(p.grid.sites());
    const int parameters = axis[2] > 0 ? 4 : 3;
    for (int i = 0; i < parameters; ++i) {
      std::array<double, 2> logarithm{};
      for (const int side : {0, 1}) {
        const double factor = std::exp(side == 0 ? -step : step);
        Axis moved = axis;
        if (i > 0) moved[i - 1] *= factor;
        logarithm[side] = dense_determinant(p, moved, i == 0 ? beta * factor : beta, metric);
      }
      EXPECT_NEAR(sums.sum[i], (logarithm[1] - logarithm[0]) / (2 * step), tolerance)
          << "parameter " << i << ", tilt " << c.tilt;
    }
    EXPECT_NEAR(sums.count, static_cast<double>(p.grid.sites() - 1), 1e-9 * sums.count);
  }
}

TEST(Metric, SweepsHaveTheMomentsOfDenseAlgebra) {
  const ExecSpace exec;
  constexpr double kTemperature = 1e-3;
  struct Swept {
    Grid grid;
    bool periodic;
  };
  for (const auto& [grid, periodic] :
       {Swept{{70, 13, 1}, false}, Swept{{8, 7, 5}, false}, Swept{{67, 13, 1}, true}}) {
    for (const double beta : {0.0, 0.7}) {
      Problem p = gappy(grid, true);
      for (double& value : p.values) value = 1.5 + 0.05 * value;
      const Metric metric = uneven(grid, periodic);
      const Axis axis{{1.3, 0.8, grid.nz > 1 ? 0.6 : 0.0}, 0};
      const std::vector<std::size_t> missing = sites_of(p, mpr::kMissing);
      const linalg::Matrix inverse = linalg::inverse_positive_definite(
          block_of(dense_precision(p, axis, beta, metric), missing));
      const std::vector<double> mean = fill(p, axis, beta, 1e-12, metric).values;
      mpr::ChainSettings settings;
      settings.grid = grid;
      settings.axis = axis.strength;
      settings.beta = beta;
      settings.metrics = {metric};
      // sites at the seam are a peninsula in the land, whose mean moves slowly
      const int sweeps = periodic ? 30000 : 5000;
      settings.sweeps = sweeps + 1000;
      mpr::Chains<ExecSpace, double> chains(exec, settings, upload(exec, "mpr test", p.status));
      chains.start(upload(exec, "mpr test", mean), {kTemperature}, 7, false);
      chains.set_step_control({beta > 0 ? 60.0 : 25.0});
      chains.burn_in(500);
      chains.begin_sampling();
      chains.sample(sweeps, mpr::Moments::variance);
      const Kokkos::View<double*, ExecSpace> average("mpr test", mean.size()),
          variance("mpr test", mean.size());
      chains.moments(average, variance);
      const std::vector<double> averages = download(exec, average),
                                variances = download(exec, variance);
      double ratio = 0, miss = 0;
      for (std::size_t a = 0; a < missing.size(); ++a) {
        const double exact = kTemperature * inverse[a][a],
                     gap = averages[missing[a]] - mean[missing[a]];
        ASSERT_NEAR(variances[missing[a]] / exact, 1, 0.5)
            << "beta " << beta << ", layers " << grid.nz;
        ratio += variances[missing[a]] / exact / static_cast<double>(missing.size());
        miss += gap * gap / exact / static_cast<double>(missing.size());
      }
      std::printf(
          "beta %g, %d layers%s: variance %.3f of the exact one, mean off by %.3f standard "
          "deviations\n",
          beta, grid.nz, periodic ? ", columns go round" : "", ratio, std::sqrt(miss));
      EXPECT_NEAR(ratio, 1, 0.05);
      EXPECT_LT(std::sqrt(miss), 0.15);
      const double tracked = chains.states().front().energy;
      chains.measure_energy();
      EXPECT_NEAR(tracked / chains.states().front().energy, 1, 1e-9);
    }
  }
}

TEST(Metric, UniformCellsGiveTheSumOverCosines) {
  const Grid grid{20, 16, 1};
  const Axis axis{{1.6, 0.5, 0}, 0};
  Metric metric;
  metric.x.assign(16, 1);
  metric.y.assign(15, 1);
  metric.area.assign(16, 1);
  const mpr::ModeSums plain = mpr::sum_modes(grid, axis, 2),
                      rows = mpr::sum_modes(grid, axis, 2, metric);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(plain.sum[i], rows.sum[i], 1e-9 * plain.count);
}

TEST(Metric, WideGapsTakeFewIterations) {
  for (const double north : {60.0, 80.0, 89.75}) {
    Problem p({360, 180, 1});
    std::vector<double> latitudes;
    for (int y = 0; y < 180; ++y) latitudes.push_back(north - 0.5 * y);
    Metric metric = mpr::metric_of_latitudes(latitudes, 1);
    metric.periodic = true;
    for (int y = 0; y < 180; ++y) {
      for (int x = 0; x < 360; ++x) {
        p.values[p.site(x, y)] = std::sin(0.05 * x) + std::cos(0.04 * y);
        if ((x / 30 + y / 30) % 2 == 1) p.status[p.site(x, y)] = mpr::kMissing;
      }
    }
    for (const double beta : {0.0, 1.0, 10.0}) {
      const Filled found = fill(p, {1, 1, 0}, beta, 1e-5, metric);
      std::printf("to %g degrees, beta %g: %d iterations\n", north, beta, found.solve.iterations);
      EXPECT_TRUE(found.solve.converged);
      EXPECT_LE(found.solve.iterations, north > 85 ? 150 : 60);
    }
  }
}

/// A cap of a field on the sphere, given by longitude and latitude of its centre; the rest is
/// sampled on cells of 1 x 1 degrees.
struct Cap {
  Problem problem;
  std::vector<double> truth;
  Metric metric;
  double error(bool on_sphere) const {
    const Filled found = fill(problem, {1, 1, 0}, 1, 1e-9, on_sphere ? metric : Metric());
    double sum = 0, count = 0;
    for (const std::size_t i : sites_of(problem, mpr::kMissing)) {
      sum += (found.values[i] - truth[i]) * (found.values[i] - truth[i]) *
             (metric.area[i / static_cast<std::size_t>(problem.grid.nx)]);
      count += metric.area[i / static_cast<std::size_t>(problem.grid.nx)];
    }
    return std::sqrt(sum / count);
  }
};

/// The field is a function of the position relative to the centre: that of the equator turned to
/// `centre` degrees north.
Cap make_cap(double centre, double radius) {
  const double radian = mpr::kPi / 180;
  const int half_height = 30,
            half_width = static_cast<int>(std::lround(30 / std::cos(centre * radian)));
  Cap cap{Problem({2 * half_width + 1, 2 * half_height - 1, 1}), {}, {}};
  std::vector<double> latitudes;
  for (int y = 0; y < cap.problem.grid.ny; ++y) latitudes.push_back(centre + half_height - 1 - y);
  cap.metric = mpr::metric_of_latitudes(latitudes, 1);
  for (int y = 0; y < cap.problem.grid.ny; ++y) {
    for (int x = 0; x < cap.problem.grid.nx; ++x) {
      const double lat = latitudes[y] * radian, lon = (x - half_width) * radian,
                   turn = centre * radian;
      const std::array<double, 3> at{std::cos(lat) * std::cos(lon), std::cos(lat) * std::sin(lon),
                                     std::sin(lat)};
      const double toward = std::cos(turn) * at[0] + std::sin(turn) * at[2],
                   north = -std::sin(turn) * at[0] + std::cos(turn) * at[2];
      const std::size_t i = cap.problem.site(x, y);
      cap.problem.values[i] = std::sin(9 * at[1] + 0.4) + std::cos(7 * north) + 2 * at[1] * north;
      if (std::acos(std::min(1.0, toward)) < radius * radian) cap.problem.status[i] = mpr::kMissing;
    }
  }
  cap.truth = cap.problem.values;
  return cap;
}

TEST(Metric, AFieldIsFilledAlikeAtTheEquatorAndAt60Degrees) {
  const Cap equator = make_cap(0, 12), north = make_cap(60, 12);
  const double at_equator = equator.error(true), at_north = north.error(true),
               in_pixels = north.error(false);
  std::printf("error %.4f at the equator, %.4f at 60 degrees, there in pixels %.4f\n", at_equator,
              at_north, in_pixels);
  EXPECT_NEAR(at_north / at_equator, 1, 0.05);
  EXPECT_GT(in_pixels / at_equator, 1.1) << "what neglects the shape of cells does worse";
}

TEST(Metric, AGapAcrossTheSeamIsFilledAsAnyOther) {
  for (const int nx : {72, 61}) {
    for (const double beta : {0.0, 1.0}) {
      Problem across({nx, 40, 1}), within = across;
      std::vector<double> latitudes;
      for (int y = 0; y < 40; ++y) latitudes.push_back(60 - y);
      Metric metric = mpr::metric_of_latitudes(latitudes, 360.0 / nx);
      metric.periodic = true;
      const int shift = nx / 2;
      for (int y = 0; y < 40; ++y) {
        for (int x = 0; x < nx; ++x) {
          const std::size_t i = across.site(x, y), moved = within.site((x + shift) % nx, y);
          across.values[i] = within.values[moved] = std::sin(2 * mpr::kPi * x / nx) + 0.1 * y;
          if ((x < 8 || x >= nx - 9) && y > 10 && y < 30)
            across.status[i] = within.status[moved] = mpr::kMissing;
        }
      }
      const Filled a = fill(across, {1, 1, 0}, beta, 1e-11, metric),
                   b = fill(within, {1, 1, 0}, beta, 1e-11, metric);
      EXPECT_LE(a.solve.iterations, b.solve.iterations + 5);
      for (int y = 0; y < 40; ++y) {
        for (int x = 0; x < nx; ++x)
          ASSERT_NEAR(a.values[across.site(x, y)], b.values[within.site((x + shift) % nx, y)],
                      1e-8);
      }
    }
  }
}

TEST(Metric, SweepsOfAFieldThatIsTurnedInLongitudeAgree) {
  // Scattered gaps on a ring of an odd number of columns, and the same turned by half: other tiles,
  // colours and random numbers.
  const Grid grid{131, 40, 1};
  const int shift = 65;
  std::vector<double> latitudes;
  for (int y = 0; y < grid.ny; ++y) latitudes.push_back(60 - y);
  Problem here(grid), turned(grid);
  std::mt19937 random(9);
  for (int y = 0; y < grid.ny; ++y) {
    for (int x = 0; x < grid.nx; ++x) {
      const std::size_t i = here.site(x, y), moved = turned.site((x + shift) % grid.nx, y);
      here.values[i] = turned.values[moved] =
          std::sin(2 * mpr::kPi * x / grid.nx) + 0.1 * y + 0.2 * (1e-3 * (random() % 1000));
      if (random() % 3 == 0) here.status[i] = turned.status[moved] = mpr::kMissing;
    }
  }
  for (const double beta : {0.0, 1.0}) {
    mpr::FillOptions options;
    options.metric = mpr::metric_of_latitudes(latitudes, 360.0 / grid.nx);
    options.metric.periodic = true;
    options.curvature = beta;
    options.anisotropy = mpr::Anisotropy::equal;
    options.calibrate = mpr::Calibrate::none;
    options.sampler = mpr::Sampler::sweeps;
    options.sampling_sweeps = 2000;
    options.fill_tolerance = 1e-8;
    struct Moments {
      std::vector<double> mean, deviation;
    };
    const auto fill_gaps = [&](const Problem& p) {
      const ExecSpace exec;
      mpr::GapFill<ExecSpace, double> filler(exec, grid, 1, options);
      filler.prepare(upload(exec, "mpr test", p.values), upload(exec, "mpr test", p.status));
      EXPECT_FALSE(filler.uses_draws());
      while (filler.advance()) {
      }
      const Kokkos::View<double*, ExecSpace> mean("mpr test", p.values.size()),
          deviation("mpr test", p.values.size());
      filler.moments(mean, deviation);
      return Moments{download(exec, mean), download(exec, deviation)};
    };
    const Moments a = fill_gaps(here), b = fill_gaps(turned);
    // elsewhere, and next to the seam of one of them
    double ratio[2] = {0, 0}, squares[2] = {0, 0}, count[2] = {0, 0};
    for (int y = 0; y < grid.ny; ++y) {
      for (int x = 0; x < grid.nx; ++x) {
        const std::size_t i = here.site(x, y), moved = turned.site((x + shift) % grid.nx, y);
        if (here.status[i] != mpr::kMissing) continue;
        ASSERT_NEAR(a.mean[i], b.mean[moved], 1e-6);
        const int seam =
            std::min({x, grid.nx - 1 - x, std::abs(x - (grid.nx - shift))}) < 2 ? 1 : 0;
        const double log_ratio = std::log(a.deviation[i] / b.deviation[moved]);
        ratio[seam] += x < grid.nx / 4 || x > 3 * grid.nx / 4 ? log_ratio : -log_ratio;
        squares[seam] += log_ratio * log_ratio;
        count[seam] += 1;
      }
    }
    for (const int seam : {0, 1}) {
      std::printf("beta %g, %s the seam: deviations differ by %.4f, on average %.4f\n", beta,
                  seam ? "at" : "off", std::sqrt(squares[seam] / count[seam]),
                  ratio[seam] / count[seam]);
      EXPECT_LT(std::sqrt(squares[seam] / count[seam]), 0.03);
      EXPECT_LT(std::fabs(ratio[seam] / count[seam]), 0.003);
    }
  }
}

TEST(Metric, UnevenStepsAreThoseOfABrownianBridge) {
  // Nine layers at uneven times, known at the first and the last. The mean of a layer walks in time
  // only.
  const std::vector<double> times{0, 1, 1.5, 4, 4.25, 7, 11, 11.5, 14};
  Problem p({4, 3, 9});
  std::vector<double> steps;
  for (std::size_t k = 0; k + 1 < times.size(); ++k) steps.push_back(times[k + 1] - times[k]);
  for (std::size_t i = 0; i < p.values.size(); ++i) {
    const std::size_t layer = i / 12;
    p.values[i] = layer == 0 ? 2 : 9;
    p.status[i] = layer == 0 || layer == 8 ? mpr::kSample : mpr::kMissing;
  }
  Metric metric;
  metric.z = mpr::factors_of_steps(steps);
  const Axis axis{{1, 1, 1}, 0};
  const Filled found = fill(p, axis, 0, 1e-12, metric);
  const ExecSpace exec;
  const auto draws = mpr::detail::GaussianDraws<ExecSpace, double>::make(
      exec, p.grid, 1, upload(exec, "mpr test", p.status), axis, 0, 5, {metric});
  const Kokkos::View<double*, ExecSpace> zero("mpr test", p.values.size()),
      draw("mpr test", p.values.size());
  constexpr int kDraws = 4000;
  std::array<double, 9> square{};  // of the mean of a layer, whose sites add up their couplings
  for (int k = 0; k < kDraws; ++k) {
    if (k % 8 == 0) draws->draw_pack(k / 8);
    draws->leave(k % 8, upload(exec, "mpr test", std::vector<double>{1}), zero, draw);
    const std::vector<double> values = download(exec, draw);
    for (std::size_t layer = 1; layer < 8; ++layer) {
      double mean = 0;
      for (std::size_t i = 12 * layer; i < 12 * (layer + 1); ++i) mean += values[i] / 12;
      square[layer] += mean * mean / kDraws;
    }
  }
  for (std::size_t layer = 1; layer < 8; ++layer) {
    const double t = times[layer], mean_step = 14.0 / 8;
    for (std::size_t i = 12 * layer; i < 12 * (layer + 1); ++i)
      ASSERT_NEAR(found.values[i], 2 + 0.5 * t, 1e-8);
    EXPECT_NEAR(12 * square[layer] / (t * (14 - t) / 14 / mean_step), 1, 0.08)
        << "three standard errors at time " << t;
  }
}

TEST(Metric, CellsOfASphereFillIt) {
  std::vector<double> latitudes;
  for (int y = 0; y <= 36; ++y) latitudes.push_back(90 - 5.0 * y);  // with both poles
  const Metric metric = mpr::metric_of_latitudes(latitudes, 5);
  EXPECT_NEAR(metric.x[18], 1, 0.01);
  EXPECT_NEAR(metric.y[18], 1, 0.01);
  EXPECT_NEAR(metric.x[6], 2, 0.01) << "at 60 degrees";
  const double radian = mpr::kPi / 180;
  EXPECT_NEAR(metric.area[3] / metric.area[18],
              (std::sin(77.5 * radian) - std::sin(72.5 * radian)) / (2 * std::sin(2.5 * radian)),
              1e-12);
  EXPECT_NEAR(metric.x[1], 10 * std::sin(2.5 * radian) / (2.5 * radian), 0.01) << "no narrower";
  const Metric south = metric.cut({72, 37, 1}, {20, 10, 1}, 25, 0);
  ASSERT_EQ(south.x.size(), 10u);
  ASSERT_EQ(south.y.size(), 9u);
  EXPECT_EQ(south.area[3], metric.area[28]);
  EXPECT_EQ(metric.cut({72, 37, 1}, {20, 12, 1}, 25, 0).y.size(), 11u);
}

}  // namespace
}  // namespace tessera::test

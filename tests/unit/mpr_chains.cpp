// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/chains/temperature.hpp"
#include "tessera/mpr/instances.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::test {
namespace {

using mpr::Chains;
using mpr::ChainSettings;
using mpr::Estimator;
using mpr::Grid;
using mpr::Moments;

template <class T>
using Device = Kokkos::View<T*, ExecSpace>;

template <class T>
Device<T> on_device(const std::vector<T>& values) {
  return upload(ExecSpace(), "mpr test", values);
}
template <class T>
std::vector<T> on_host(const Device<T>& view) {
  return download(ExecSpace(), view);
}

/// A smooth field with noise, and sites missing or inactive at random.
struct Field {
  std::vector<std::uint8_t> status;
  std::vector<double> angle;

  Field(const Grid& grid, int frames, double missing, double inactive) {
    const std::int64_t sites = grid.sites() * frames;
    for (std::int64_t i = 0; i < sites; ++i) {
      const auto bits = Philox(3, 1).bits(static_cast<std::uint64_t>(i), 0);
      const double u = Philox::uniform(bits, 0);
      status.push_back(u < missing              ? mpr::kMissing
                       : u < missing + inactive ? mpr::kInactive
                                                : mpr::kSample);
      const double x = static_cast<double>(i % grid.nx),
                   y = static_cast<double>(i / grid.nx % grid.ny),
                   z = static_cast<double>(i / grid.nx / grid.ny);
      angle.push_back(1.5 + 0.4 * std::sin(0.3 * x + 0.1 * y) + 0.4 * std::cos(0.2 * y + 0.3 * z) +
                      0.2 * (Philox::uniform(bits, 1) - 0.5));
    }
  }
  template <class Real>
  std::vector<Real> angles() const {
    return {angle.begin(), angle.end()};
  }
};

/// The mean specific energy of the unconditional model.
template <class Real>
double unconditional_energy(const Grid& grid, double temperature, int sweeps, double beta = 0,
                            int replicas = 1) {
  ChainSettings settings;
  settings.grid = grid;
  settings.beta = beta;
  settings.replicas = replicas;
  settings.sweeps = sweeps + 300;
  settings.sweeps_per_load = 2;  // the energy is noted once a load
  Chains<ExecSpace, Real> chains(
      ExecSpace(), settings,
      on_device(std::vector<std::uint8_t>(static_cast<std::size_t>(grid.sites()), mpr::kMissing)));
  chains.start({}, {temperature}, 7, true);
  chains.burn_in(300);
  chains.begin_sampling(temperature < 0.2 ? 3 : 1);
  chains.sample(sweeps, Moments::none, Estimator::spin);
  double sum = 0;
  for (int c = 0; c < replicas; ++c) {
    const auto history = chains.history(c);
    for (std::size_t i = 300; i < history.energy.size(); ++i) sum += history.energy[i];
  }
  return sum / sweeps / replicas;
}

TEST(Chains, UnconditionalEnergyIsThatOfTheModel) {
  const Grid grid{32, 32, 1};
  const int sweeps = 2000, replicas = 4;
  EXPECT_NEAR(unconditional_energy<double>(grid, 0.1, sweeps, 0, replicas), -0.9740, 4e-4);
  EXPECT_NEAR(unconditional_energy<double>(grid, 0.5, sweeps, 0, replicas), -0.8671, 6e-4);
  EXPECT_NEAR(unconditional_energy<double>(grid, 2.0, sweeps, 0, replicas), -0.6260, 1.2e-3);
  EXPECT_NEAR(unconditional_energy<float>(grid, 0.5, sweeps, 0, replicas), -0.8671, 6e-4);
}

TEST(Chains, SpinWavesAtLowTemperature) {
  // Every mode but the uniform one holds T / 2, whatever the couplings; rectangles that are no
  // multiple of a tile, curvature, stacks.
  for (const double temperature : {0.005, 0.02}) {
    const Grid grid{96, 40, 1};
    const double sites = 96 * 40, pairs = 95 * 40 + 96 * 39;
    EXPECT_NEAR(unconditional_energy<double>(grid, temperature, 600),
                mpr::specific_energy(temperature, sites, pairs), 5e-5 + 4e-3 * temperature);
  }
  for (const double beta : {0.0, 0.5}) {
    const Grid stack{12, 10, 9}, image{70, 33, 1};
    struct Simulated {
      Grid grid;
      bool periodic;
    };
    for (const auto& [grid, periodic] :
         {Simulated{stack, false}, Simulated{image, false}, Simulated{image, true}}) {
      // H + weight is the energy above the ground state.
      const double temperature = 0.01;
      ChainSettings settings;
      settings.grid = grid;
      settings.beta = beta;
      settings.sweeps = 2000;
      settings.sweeps_per_load = 2;
      if (periodic) {
        settings.metrics = {mpr::Metric()};
        settings.metrics.front().periodic = true;
      }
      Chains<ExecSpace, double> chains(ExecSpace(), settings,
                                       on_device(std::vector<std::uint8_t>(
                                           static_cast<std::size_t>(grid.sites()), mpr::kMissing)));
      chains.start(on_device(std::vector<double>(static_cast<std::size_t>(grid.sites()), 1.57)),
                   {temperature}, 5, false);
      chains.set_step_control({12});
      chains.burn_in(600);
      chains.sample(1400, Moments::none, Estimator::spin);
      const auto history = chains.history(0);
      const double weight = chains.states()[0].weight;
      double sum = 0;
      for (std::size_t i = 600; i < 2000; ++i) sum += (history.energy[i] + 1) * weight / 1400;
      EXPECT_NEAR(sum / (0.5 * temperature * static_cast<double>(grid.sites() - 1)), 1.0, 0.02)
          << grid.nz << " layers, beta " << beta;
    }
  }
}

TEST(Chains, EnergyFromAcceptedChangesIsTheEnergy) {
  for (const Grid& grid : {Grid{100, 70, 1}, Grid{14, 11, 9}}) {
    for (const double beta : {0.0, 0.7}) {
      const Field field(grid, 2, 0.4, 0.1);
      ChainSettings settings;
      settings.grid = grid;
      settings.frames = 2;
      settings.replicas = 2;
      settings.beta = beta;
      settings.axis[1] = 1.4;
      Chains<ExecSpace, double> chains(ExecSpace(), settings, on_device(field.status));
      chains.start(on_device(field.angle), {0.1, 0.3}, 11, true);
      chains.burn_in(20);
      chains.begin_sampling();
      chains.sample(10, Moments::variance, Estimator::conditional_mean);
      const auto tracked = chains.states();
      chains.measure_energy();
      const auto exact = chains.states();
      for (std::size_t c = 0; c < 4; ++c)
        EXPECT_NEAR(tracked[c].energy / exact[c].energy, 1, 1e-9) << c;
      EXPECT_NE(tracked[0].energy, tracked[1].energy);
    }
  }
}

template <class Real>
void check_samples_and_moments(const Grid& grid, double beta) {
  const Field field(grid, 1, 0.35, 0.1);
  ChainSettings settings;
  settings.grid = grid;
  settings.beta = beta;
  const auto status = on_device(field.status);
  const auto run = [&](int replicas, int sweeps) {
    ChainSettings s = settings;
    s.replicas = replicas;
    auto chains = Chains<ExecSpace, Real>(ExecSpace(), s, status);
    chains.start(on_device(field.angles<Real>()), {0.02}, 3, false);
    chains.set_step_control({10});
    chains.burn_in(20);
    chains.begin_sampling();
    chains.sample(sweeps, Moments::variance, Estimator::conditional_mean);
    const Device<Real> mean("tessera::test::mean", field.angle.size()),
        variance("tessera::test::variance", field.angle.size());
    Kokkos::deep_copy(mean, Real(-7));
    chains.moments(mean, variance);
    Kokkos::deep_copy(variance, variance);
    return std::pair(on_host(mean), on_host(variance));
  };
  const auto [mean, variance] = run(1, 40);
  for (std::size_t i = 0; i < mean.size(); ++i) {
    if (field.status[i] != mpr::kMissing) {
      ASSERT_EQ(mean[i], Real(-7)) << "a site that is not missing was written";
    } else {
      ASSERT_GE(mean[i], Real(0));
      ASSERT_LE(mean[i], Real(mpr::kPi));
      ASSERT_GT(variance[i], Real(0));
    }
  }
  const auto [again, variance_again] = run(1, 40);
  EXPECT_EQ(std::memcmp(mean.data(), again.data(), mean.size() * sizeof(Real)), 0)
      << "not reproducible";
  EXPECT_EQ(std::memcmp(variance.data(), variance_again.data(), variance.size() * sizeof(Real)), 0)
      << "not reproducible";
}

TEST(Chains, OnlyMissingSitesAreWrittenAndRunsRepeat) {
  check_samples_and_moments<double>({130, 67, 1}, 0);
  check_samples_and_moments<float>({130, 67, 1}, 0);
  check_samples_and_moments<float>({130, 67, 1}, 1);
  check_samples_and_moments<float>({20, 17, 6}, 0);
  check_samples_and_moments<float>({20, 17, 6}, 1);
}

TEST(Chains, OneSiteHasTheMomentsOfItsConditionalLaw) {
  // One missing site among fixed neighbours: its law is exp(|h| cos(theta - Theta) / T) on [0, pi],
  // and all four ways to estimate agree with it.
  const Grid grid{5, 5, 1};
  std::vector<std::uint8_t> status(25, mpr::kSample);
  std::vector<double> angle(25, 1.0);
  status[12] = mpr::kMissing;
  angle[7] = 1.2, angle[17] = 1.5, angle[11] = 0.8, angle[13] = 1.9;
  double x = 0, y = 0;
  for (const int j : {7, 17, 11, 13}) x += std::cos(angle[j]), y += std::sin(angle[j]);
  const double kappa = std::hypot(x, y) / 0.05, direction = std::atan2(y, x);
  ChainSettings settings;
  settings.grid = grid;
  settings.sweeps = 20100;
  for (const bool rao_blackwell : {false, true}) {
    Chains<ExecSpace, double> chains(ExecSpace(), settings, on_device(status));
    chains.start(on_device(angle), {0.05}, 3, false);
    chains.set_step_control({3});
    chains.burn_in(100);
    chains.begin_sampling();
    chains.sample(20000, Moments::variance,
                  rao_blackwell ? Estimator::conditional_mean : Estimator::spin);
    const Device<double> mean("tessera::test::mean", 25), variance("tessera::test::variance", 25);
    chains.moments(mean, variance);
    EXPECT_NEAR(on_host(mean)[12], direction, rao_blackwell ? 1e-8 : 5e-3);
    EXPECT_NEAR(on_host(variance)[12] * kappa, 1, rao_blackwell ? 1e-8 : 0.05);
  }
}

TEST(Chains, FramesAreIndependentOfTheirCompany) {
  const Grid grid{90, 50, 1};
  const Field field(grid, 3, 0.3, 0.05);
  const std::size_t sites = static_cast<std::size_t>(grid.sites());
  ChainSettings settings;
  settings.grid = grid;
  settings.frames = 3;
  const auto means = [&](const ChainSettings& s, const Field& f,
                         const std::vector<double>& temperatures) {
    Chains<ExecSpace, float> chains(ExecSpace(), s, on_device(f.status));
    chains.start(on_device(f.angles<float>()), temperatures, 3, true);
    chains.burn_in_until_settled({});
    chains.begin_sampling(1);
    chains.sample(10, Moments::mean, Estimator::spin);
    const Device<float> mean("tessera::test::mean", f.angle.size());
    chains.moments(mean, {});
    return std::pair(on_host(mean), chains.states());
  };
  const auto [together, states] = means(settings, field, {0.1, 0.2, 0.05});
  Field first = field;
  first.status.resize(sites);
  first.angle.resize(sites);
  settings.frames = 1;
  const auto [alone, state] = means(settings, first, {0.1});
  EXPECT_EQ(std::memcmp(together.data(), alone.data(), sites * sizeof(float)), 0);
  EXPECT_EQ(states[0].burn_in_sweeps, state[0].burn_in_sweeps);
  EXPECT_GE(state[0].burn_in_sweeps, 21u);
  EXPECT_EQ(state[0].burn_in_sweeps % 5, 1u) << "the gradient is fitted after sweeps 0, 5, 10, ...";
}

TEST(Chains, GoesOnWithTheSameBits) {
  const Grid grid{90, 50, 1};
  const Field field(grid, 1, 0.3, 0.05);
  ChainSettings settings;
  settings.grid = grid;
  const auto status = on_device(field.status);
  const auto fresh = [&] {
    Chains<ExecSpace, float> chains(ExecSpace(), settings, status);
    chains.start(on_device(field.angles<float>()), {0.1}, 3, true);
    return chains;
  };
  auto whole = fresh();
  whole.burn_in(20);
  whole.begin_sampling(2);
  whole.sample(10, Moments::variance, Estimator::conditional_mean);
  const auto snapshot = whole.save();
  whole.sample(20, Moments::variance, Estimator::conditional_mean);
  auto continued = fresh();
  continued.restore(snapshot);
  continued.sample(20, Moments::variance, Estimator::conditional_mean);
  const auto a = whole.save(), b = continued.save();
  EXPECT_EQ(a.spins, b.spins);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.deviation, b.deviation);
}

TEST(Chains, LoadByLoadGivesTheSameBits) {
  const Grid grid{90, 50, 1};
  const Field field(grid, 1, 0.3, 0.05);
  ChainSettings settings;
  settings.grid = grid;
  const auto status = on_device(field.status);
  const auto run = [&](bool in_loads) {
    Chains<ExecSpace, float> chains(ExecSpace(), settings, status);
    chains.start(on_device(field.angles<float>()), {0.1}, 3, true);
    for (int left = 40, now = 0; left > 0; left -= now) {
      now = in_loads ? chains.next_load(left) : left;
      chains.burn_in(now);
    }
    chains.begin_sampling(2);
    for (int left = 61, now = 0; left > 0; left -= now) {
      now = in_loads ? chains.next_load(left) : left;
      chains.sample(now, Moments::variance, Estimator::conditional_mean);
    }
    EXPECT_EQ(chains.next_load(0), 0);
    return chains.save();
  };
  const auto a = run(false), b = run(true);
  EXPECT_EQ(a.spins, b.spins);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.deviation, b.deviation);
}

TEST(Temperature, EnergyAndTemperatureAreInverse) {
  const double sites = 1024 * 1024, pairs = 2.0 * 1024 * 1023;
  for (const double t : {0.001, 0.04, 0.05, 0.051, 0.08, 0.3, 1.0, 7.0, 19.0, 40.0}) {
    EXPECT_NEAR(mpr::temperature_at_energy(mpr::specific_energy(t, sites, pairs), sites, pairs) / t,
                1, 1e-9)
        << t;
  }
  EXPECT_TRUE(std::isinf(mpr::temperature_at_energy(-0.4, sites, pairs)));
  EXPECT_LE(mpr::temperature_at_energy(-1, sites, pairs), 1e-9);
  double before = -1;
  for (double t = 0.001; t < 60; t *= 1.01) {
    EXPECT_GT(mpr::specific_energy(t, sites, pairs), before) << t;
    before = mpr::specific_energy(t, sites, pairs);
  }
  EXPECT_NEAR(mpr::specific_energy(0.5, 32 * 32, 2.0 * 32 * 31), -0.86746, 8e-4);
  EXPECT_NEAR(mpr::specific_energy(0.1, 32 * 32, 2.0 * 32 * 31), -0.97398, 8e-4);
  EXPECT_NEAR(mpr::specific_energy(2.0, 64 * 64, 2.0 * 64 * 63), -0.62726, 8e-4);
}

TEST(Temperature, CouplingsOfTheAxes) {
  mpr::PairMeans means;
  means.nearest_count = {10, 10, 10};
  means.nearest = {0.99, 0.99, 0.99};
  auto axis = mpr::axis_couplings(means, 2);
  EXPECT_NEAR(axis[0], 1, 1e-6);
  EXPECT_NEAR(axis[1], 1, 1e-6);
  EXPECT_NEAR(mpr::equipartition_temperature(means, axis, 0, 2), 0.04, 1e-6);
  // In two dimensions the share of x is 2 / pi atan(sqrt(A_x / A_y)).
  const double ratio = 3, share = 2 / mpr::kPi * std::atan(std::sqrt(ratio));
  means.nearest = {1 - 0.01 * share / ratio, 1 - 0.01 * (1 - share), 1};
  axis = mpr::axis_couplings(means, 2);
  EXPECT_NEAR(axis[0] / axis[1], ratio, 0.02);
}

}  // namespace
}  // namespace tessera::test

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The examples of tessera::mpr, of which its README and its headers show parts.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <tessera/mpr/instances.hpp>

namespace mpr = tessera::mpr;
using ExecSpace = Kokkos::DefaultExecutionSpace;
template <class T>
using Array = Kokkos::View<T*, ExecSpace>;

/// A wave with gaps: three of ten sites, and a block of 8 x 8.
struct MakeImage {
  mpr::Grid grid;
  Array<float> values;  // NaN where nothing is known
  Array<std::uint8_t> status;

  KOKKOS_INLINE_FUNCTION static double wave(double x, double y) {
    return 20 + 3 * std::sin(0.08 * x) + 2 * std::cos(0.11 * y);
  }

  KOKKOS_INLINE_FUNCTION void operator()(int site) const {
    const int x = site % grid.nx, y = site / grid.nx;
    const bool missing = (7 * x + 3 * y) % 10 < 3 || (x / 8 == 5 && y / 8 == 4);
    status(site) = missing ? mpr::kMissing : mpr::kSample;
    values(site) = missing ? NAN : static_cast<float>(wave(x, y));
  }
};

/// Root mean square error of the filled values, or a negative number when one of them has no
/// positive standard deviation.
double error(const mpr::Grid& grid, const Array<std::uint8_t>& status, const Array<float>& mean,
             const Array<float>& deviation) {
  const auto kind = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), status);
  const auto filled = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mean);
  const auto spread = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), deviation);
  double sum = 0, count = 0;
  for (int site = 0; site < grid.sites(); ++site) {
    if (kind(site) != mpr::kMissing) continue;
    if (!(spread(site) > 0)) return -1;
    const double miss = filled(site) - MakeImage::wave(site % grid.nx, site / grid.nx);
    sum += miss * miss;
    count += 1;
  }
  return std::sqrt(sum / count);
}

/// An image with gaps, filled.
bool fill_an_image() {
  const ExecSpace exec;
  const mpr::Grid grid{120, 80};
  const Array<float> values("values", grid.sites()), mean("mean", grid.sites()),
      deviation("deviation", grid.sites());
  const Array<std::uint8_t> status("status", grid.sites());
  Kokkos::parallel_for("make_image", Kokkos::RangePolicy<ExecSpace>(exec, 0, 120 * 80),
                       MakeImage{grid, values, status});

  mpr::FillOptions options;
  options.seed = 1;
  mpr::GapFill<ExecSpace, float> fill(exec, grid, 1, options);
  // Couplings, mean and temperature from the samples.
  fill.prepare(values, status);
  // The simulation, in batches of sweeps or draws.
  while (fill.advance()) {
  }
  // The results are at the missing sites, in the units of the values; they are NaN elsewhere.
  fill.moments(mean, deviation);

  const double rms = error(grid, status, mean, deviation);
  std::printf("an image: error %.3f, temperature %.2g, curvature %.2g\n", rms,
              fill.frames()[0].temperature, fill.beta());
  return rms > 0 && rms < 0.3;
}

/// Fills the same image from numbers that are NaN where nothing is known.
bool fill_an_array() {
  const ExecSpace exec;
  const mpr::Grid grid{120, 80};
  const Array<float> values("values", grid.sites()), deviation("deviation", grid.sites());
  const Array<std::uint8_t> status("status", grid.sites());
  Kokkos::parallel_for("make_image", Kokkos::RangePolicy<ExecSpace>(exec, 0, 120 * 80),
                       MakeImage{grid, values, status});

  mpr::FillOptions options;
  options.seed = 1;
  mpr::ArrayFill<ExecSpace, float, float> fill(exec, grid, 1, options);
  fill.prepare(values, {}, {});  // NaN where nothing is known
  while (fill.advance()) {
  }
  fill.conclude();
  fill.filled(values, values);  // in place
  fill.deviation(deviation);

  const double rms = error(grid, status, values, deviation);
  std::printf("an array: error %.3f\n", rms);
  return rms > 0 && rms < 0.3;
}

/// One missing site whose neighbours are known: its mean angle is the direction of the sum of their
/// spins.
bool simulate_chains() {
  const ExecSpace exec;
  const Array<std::uint8_t> status("status", 25);
  const Array<double> angles("angles", 25), mean("mean", 25), variance("variance", 25);
  Kokkos::deep_copy(status, mpr::kSample);
  Kokkos::deep_copy(Kokkos::subview(status, 12), mpr::kMissing);
  Kokkos::deep_copy(angles, 1.25);

  mpr::ChainSettings settings;
  settings.grid = {5, 5};
  // a Site for each site, frame after frame
  mpr::Chains<ExecSpace, double> chains(exec, settings, status);
  // a temperature for each frame, a seed; a random start
  chains.start(angles, {0.05}, 7, true);
  chains.set_step_control({3});                // turns of at most pi / 6
  chains.burn_in(100);                         // sweeps before the averages
  chains.begin_sampling();                     // with the same turns
  chains.sample(400, mpr::Moments::variance);  // sweeps that are averaged
  // These are moments of the angle, at the missing sites.
  chains.moments(mean, variance);

  double middle;
  Kokkos::deep_copy(middle, Kokkos::subview(mean, 12));
  std::printf("chains: mean angle %.4f\n", middle);
  return std::fabs(middle - 1.25) < 1e-6;
}

/// Samples of a plane on the edge of a rectangle; all other sites are missing.
struct MakePlane {
  mpr::Grid grid;
  Array<double> values;
  Array<std::uint8_t> status;

  KOKKOS_INLINE_FUNCTION static double plane(int x, int y) { return 2 + 0.05 * x + 0.03 * y; }

  KOKKOS_INLINE_FUNCTION void operator()(int site) const {
    const int x = site % grid.nx, y = site / grid.nx;
    const bool edge = x == 0 || y == 0 || x == grid.nx - 1 || y == grid.ny - 1;
    status(site) = edge ? mpr::kSample : mpr::kMissing;
    values(site) = edge ? plane(x, y) : 0;
  }
};

/// The harmonic interpolant, which continues a plane from its edge.
bool interpolate() {
  const ExecSpace exec;
  const mpr::Grid grid{40, 30};
  const Array<std::uint8_t> status("status", grid.sites());
  const Array<double> values("values", grid.sites());
  Kokkos::parallel_for("make_plane", Kokkos::RangePolicy<ExecSpace>(exec, 0, 40 * 30),
                       MakePlane{grid, values, status});

  mpr::LinearFill<ExecSpace, double> fill(exec, grid, 1, status);  // one frame
  // equal couplings along x and y, no curvature
  const mpr::LinearSolve solve = fill.solve(values, {1, 1, 0}, 0.0, 1e-10, 1000);

  const auto filled = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  double worst = 0;
  for (int site = 0; site < grid.sites(); ++site) {
    worst = std::fmax(worst,
                      std::fabs(filled(site) - MakePlane::plane(site % grid.nx, site / grid.nx)));
  }
  std::printf("interpolation: %d iterations, accuracy %.1e, error %.1e\n", solve.iterations,
              solve.error, worst);
  return worst < 1e-7;
}

/// The sum of the angles that a spin in a fixed field takes, one chain for each index.
struct SumOfAngles {
  double temperature;
  mpr::Rotor<double> field;  // sum of w_ij s_j over the neighbours

  KOKKOS_INLINE_FUNCTION void operator()(int chain, double& sum) const {
    // turns of at most pi / 2, log2(e) / T
    const mpr::Proposal<double> proposal{mpr::kPi, 1.44269504088896340736 / temperature};
    // theta = pi / 2
    mpr::Rotor<double> spin{0, 1};
    for (std::uint64_t step = 0; step < 400; ++step) {
      const auto bits = tessera::Philox(7, static_cast<std::uint32_t>(chain)).bits(step, 0);
      const double u = tessera::Philox::uniform(bits, 0), v = tessera::Philox::uniform(bits, 1);
      double energy_change;
      int accepted;
      spin = mpr::updated(spin, field, proposal, u, v, energy_change, accepted);
      sum += mpr::angle(spin);
    }
  }
};

/// The mean angle of a spin against that of its law, exp(h . s / T) on [0, pi].
bool update_spins() {
  const double temperature = 0.8;
  const mpr::Rotor<double> field{0.6, 1.7};
  double sum = 0, expected = 0, weight = 0;
  Kokkos::parallel_reduce("sum_of_angles", Kokkos::RangePolicy<ExecSpace>(0, 256),
                          SumOfAngles{temperature, field}, sum);
  for (double theta = 5e-4; theta < mpr::kPi; theta += 1e-3) {
    const double p =
        std::exp((field.x * std::cos(theta) + field.y * std::sin(theta)) / temperature);
    expected += p * theta;
    weight += p;
  }
  std::printf("updates: mean angle %.3f, expected %.3f\n", sum / (256 * 400), expected / weight);
  return std::fabs(sum / (256 * 400) - expected / weight) < 0.02;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return fill_an_image() && fill_an_array() && simulate_chains() && interpolate() && update_spins()
             ? 0
             : 1;
}

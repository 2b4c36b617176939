// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The examples of tessera::gbees, of which the READMEs show parts: a density carried by dynamics
// that Tessera does not know.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <tessera/core/random.hpp>
#include <tessera/gbees/application.hpp>
#include <tessera/gbees/dynamics/equations.hpp>
#include <tessera/gbees/propagator/propagator.hpp>
#include <tessera/gbees/regions/credible_set.hpp>
#include <tessera/gbees/regions/regions.hpp>

namespace gbees = tessera::gbees;
using ExecSpace = Kokkos::DefaultExecutionSpace;

/// A pendulum with state (angle, rate): component i of dx/dt at x.
struct Pendulum {
  static constexpr int dimension = 2;
  KOKKOS_INLINE_FUNCTION double operator()(int i, const gbees::Vector<2>& x) const {
    return i == 0 ? x[1] : -std::sin(x[0]);  // rates of angle and rate
  }
};

/// The mean angle at time 1 of a pendulum that starts at rest at an angle of 0.5, both known to
/// 0.05; negative when something is wrong.
double propagate_density() {
  const ExecSpace exec;

  // Cells of 0.01 x 0.01 about the mean; the Gaussian by its mean and its covariance.
  const gbees::Grid<2> grid{{{0.5, 0.0}}, {{0.01, 0.01}}};
  const gbees::Gaussian<2> initial({{0.5, 0.0}}, {{0.0025, 0.0}, {0.0, 0.0025}});
  gbees::PropagatorOptions options;
  options.threshold = 1e-9;

  gbees::Propagator<ExecSpace, Pendulum> density(exec, Pendulum{}, grid, options);
  density.initialize(initial);  // the cells at or above the threshold
  density.propagate(1.0);
  const auto predicted = density.summarize();  // mass, mean, covariance, entropy, ...

  density.observe({{0, 0.3, 1e-4}});  // variable 0 was measured: value, variance
  const auto updated = density.summarize();

  std::printf("after %d steps the angle is %.4f; after a measurement of 0.3 it is %.4f\n",
              static_cast<int>(density.state().steps), predicted.mean[0], updated.mean[0]);

  // Functions of the variables can be measured, too.
  gbees::EquationText names;
  names.variables = {"angle", "rate"};
  const auto height = gbees::compile_functions(names, {"1 - cos(angle)"});
  // values, covariance of their errors
  const auto told = density.observe({{height, {0.043}, {{1e-6}}}});
  std::printf(
      "that height is %.1f standard deviations from what was expected, its log evidence %.2f\n",
      told[0].deviation, told[0].log_evidence);

  const bool all_mass = std::fabs(predicted.mass + predicted.lost_mass - 1) < 1e-12;
  const bool drawn_to_measurement = updated.mean[0] > predicted.mean[0] && updated.mean[0] < 0.3;
  return all_mass && drawn_to_measurement ? predicted.mean[0] : -1;
}

/// The probability that such a pendulum has swung below an angle of 0.3 by time 1, and the cells
/// that hold most of the others.
bool look_at_regions() {
  gbees::EquationText names;
  names.variables = {"angle", "rate"};
  gbees::PropagatorOptions options;
  options.threshold = 1e-9;
  gbees::Propagator<ExecSpace, Pendulum> density(ExecSpace(), Pendulum{},
                                                 {{{0.5, 0.0}}, {{0.01, 0.01}}}, options);

  // true: it absorbs
  gbees::RegionProgram left{gbees::compile_condition(names, "angle < 0.3"), true, {}};
  const auto regions = gbees::make_regions<ExecSpace, 2>({left});
  density.after_each_step([&] { regions->absorb(density.device_cells()); });
  density.after_each_prune([&] { regions->follow(density.device_cells()); });

  density.initialize(gbees::Gaussian<2>({{0.5, 0.0}}, {{0.0025, 0.0}, {0.0, 0.0025}}));
  density.propagate(1.0);
  const double probability = regions->probability(density.device_cells())[0];
  const auto sets = gbees::find_credible_sets<ExecSpace, 2>(density.device_cells(), {0.68, 0.95});
  std::printf(
      "below 0.3 with a probability of %.3f; 68 %% and 95 %% of the others in %d and %d cells\n",
      probability, static_cast<int>(sets[0].cells), static_cast<int>(sets[1].cells));
  const auto summary = density.summarize();
  return std::fabs(probability + summary.mass + summary.lost_mass - 1) < 1e-12 &&
         probability > 0.5 && sets[0].cells < sets[1].cells;
}

/// Returns the same angle from 4096 pendulums, each of them started at random and followed by
/// itself.
double average_samples() {
  constexpr int kSamples = 4096, kSteps = 1000;
  const tessera::Philox random(1, 0);
  double sum = 0;
  for (int sample = 0; sample < kSamples; ++sample) {
    const tessera::Philox::Bits bits = random.bits(sample, 0);
    const double radius = 0.05 * std::sqrt(-2 * std::log(tessera::Philox::uniform(bits, 0)));
    const double phase = 2 * std::acos(-1.0) * tessera::Philox::uniform(bits, 1);
    double angle = 0.5 + radius * std::cos(phase), rate = radius * std::sin(phase);
    for (int step = 0; step < kSteps; ++step) {
      rate -= std::sin(angle) / kSteps;
      angle += rate / kSteps;
    }
    sum += angle;
  }
  return sum / kSamples;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  // what the executable is made from
  const tessera::Application application = gbees::application();
  std::printf("tessera-%s: %s\n", application.name.c_str(), application.summary.c_str());
  const double angle = propagate_density(), sampled_angle = average_samples();
  std::printf("mean angle of the density %.4f, of samples %.4f\n", angle, sampled_angle);
  if (!look_at_regions()) return 1;
  const double expected = 0.277;  // a pendulum released at 0.5 stands at 0.2775 after a time of 1
  return std::fabs(angle - expected) < 0.01 && std::fabs(sampled_angle - expected) < 0.01 ? 0 : 1;
}

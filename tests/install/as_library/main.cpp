// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// A program of its own that uses Tessera as a library: a density carried by dynamics that Tessera does not know.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>

#include "tessera/core/random.hpp"
#include "tessera/gbees/application.hpp"
#include "tessera/gbees/propagator.hpp"

namespace gbees = tessera::gbees;

struct Pendulum {
  static constexpr int dimension = 2;
  KOKKOS_INLINE_FUNCTION double operator()(int i, const gbees::Vector<2>& x) const { return i == 0 ? x[1] : -std::sin(x[0]); }
};

/// The mean angle at time 1 of a pendulum that starts at 0.5 +- 0.05 at rest, +- 0.05.
double mean_angle() {
  using Exec = Kokkos::DefaultExecutionSpace;
  const gbees::Grid<2> grid{{{0.5, 0.0}}, {{0.01, 0.01}}};
  const gbees::Gaussian<2> initial{{{0.5, 0.0}}, {{400.0, 0.0}, {0.0, 400.0}}};
  gbees::PropagatorOptions options;
  options.threshold = 1e-9;
  gbees::Propagator<Exec, Pendulum> density(Exec(), Pendulum{}, grid, options);
  density.initialize(initial, {30, 30});
  density.begin_interval(1.0);
  while (density.advance()) {
  }
  return density.summarize().mean[0];
}

/// The same angle from 4096 pendulums, each of them started at random and followed by itself.
double mean_sampled_angle() {
  constexpr int kSamples = 4096, kSteps = 1000;
  const tessera::Philox random(1, 0);
  double sum = 0;
  for (int sample = 0; sample < kSamples; ++sample) {
    const tessera::Philox::Bits bits = random.bits(sample, 0);
    const double radius = 0.05 * std::sqrt(-2 * std::log(tessera::Philox::uniform(bits, 0)));
    const double phase = 2 * std::acos(-1.0) * tessera::Philox::uniform(bits, 1);
    double angle = 0.5 + radius * std::cos(phase), speed = radius * std::sin(phase);
    for (int step = 0; step < kSteps; ++step) {
      speed -= std::sin(angle) / kSteps;
      angle += speed / kSteps;
    }
    sum += angle;
  }
  return sum / kSamples;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const tessera::Application application = tessera::gbees::application();
  const double angle = mean_angle(), sampled_angle = mean_sampled_angle();
  std::printf("tessera-%s: %s; mean angle of the pendulum %.4f, of sampled ones %.4f\n", application.name.c_str(),
              application.summary.c_str(), angle, sampled_angle);
  const double expected = 0.277;  // a pendulum released at 0.5 stands at 0.2775 after a time of 1
  return std::fabs(angle - expected) < 0.01 && std::fabs(sampled_angle - expected) < 0.01 ? 0 : 1;
}

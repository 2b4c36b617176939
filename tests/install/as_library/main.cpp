// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// A program of its own that uses Tessera as a library: a density carried by dynamics that Tessera does not know.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>

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

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const tessera::Application application = tessera::gbees::application();
  const double angle = mean_angle();
  std::printf("tessera-%s: %s; mean angle of the pendulum %.4f\n", application.name.c_str(), application.summary.c_str(), angle);
  return std::fabs(angle - 0.277) < 0.01 ? 0 : 1;  // a pendulum released at 0.5 stands at 0.2775 after a time of 1
}

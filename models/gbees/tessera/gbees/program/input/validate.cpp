// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "tessera/gbees/program/input/numbers.hpp"
#include "tessera/gbees/program/input/sections.hpp"

namespace tessera::gbees::input {

namespace {

void read_monte_carlo(config::Section& validate, Parameters& p) {
  config::Section in = validate.section(
      "monte_carlo",
      "particles that follow the same dynamics, compared with the density at each record");
  p.monte_carlo.wanted = in.present() && !in.documenting();
  if (!in.present()) return;
  in.get("samples", p.monte_carlo.samples).range(100, 1e9).doc("number of particles");
  p.monte_carlo.step = p.end / 1000;
  take_units(in, "step", p.units, time_dimension());
  in.get("step", p.monte_carlo.step)
      .positive()
      .doc("longest time step of the particles (Runge-Kutta of fourth order); default: end / 1000");
  in.get("kde_samples", p.monte_carlo.kde_samples)
      .range(0, 1e6)
      .doc(
          "particles of a Gaussian kernel density estimate (Scott's factor) for a second "
          "comparison, the one of the paper; 0: none");
  in.get("coarsen", p.monte_carlo.coarsen)
      .range(2, 1000)
      .doc(
          "further comparisons on larger cells: so many cells of the grid along each axis are "
          "joined; a list, one comparison each");
  in.get("keep", p.monte_carlo.keep)
      .range(0, 1e6)
      .doc(
          "particles whose places and weights the results hold at each record, to draw them over "
          "the density; 0: none");
  if (p.monte_carlo.keep > p.monte_carlo.samples)
    in.error("keep", "there are no more particles to keep than 'samples'");
  if (p.monte_carlo.kde_samples > 0 && !p.dynamics.circles.empty()) {
    in.error("kde_samples",
             "a kernel density estimate does not go round circles (model.periods): leave it out; "
             "the comparison by cells is made");
  }
  if (p.monte_carlo.kde_samples > p.monte_carlo.samples)
    in.error("kde_samples", "there cannot be more 'kde_samples' than 'samples'");
  in.finish();
}

/// Refuses measurements that a Kalman filter cannot take, under its name.
void check_gaussian(config::Section& filters, const char* name, const Parameters& p) {
  for (const MeasurementParameters& m : p.measurements) {
    if (m.kind == Observation::Kind::gaussian) continue;
    filters.error(
        name,
        std::string("this filter takes measurements with Gaussian errors only, and that at ") +
            m.place + " (" + m.description + ") is none: leave the filter out");
    return;
  }
}

/// Refuses variables on circles, which a Kalman filter cannot take, under its name.
void check_lines(config::Section& filters, const char* name, const Parameters& p) {
  if (p.dynamics.circles.empty()) return;
  filters.error(
      name,
      "this filter knows no variables on circles (model.periods): its mean and covariance "
      "are those of a line; leave the filter out, or compare with 'particle'");
}

bool read_unscented(config::Section& filters, FilterParameters& p, std::size_t dimension) {
  config::Section in = filters.section("ukf", "unscented Kalman filter: Gaussian measurements");
  if (!in.present()) return false;
  in.get("alpha", p.points.alpha)
      .positive()
      .doc("how far the points lie from the mean; 0.001 in the literature");
  in.get("beta", p.points.beta)
      .range(0, 100)
      .doc("added to the mean's weight in covariances; 2 in the literature");
  in.get("kappa", p.points.kappa)
      .range(-8, 100)
      .doc("how far the points lie from the mean: alpha sqrt(D + kappa) standard deviations");
  if (!in.documenting() && !(static_cast<double>(dimension) + p.points.kappa > 0)) {
    in.error("kappa", "with " + std::to_string(dimension) + " variables 'kappa' must be above -" +
                          std::to_string(dimension));
  }
  in.finish();
  return !in.documenting();
}

bool read_ensemble(config::Section& filters, FilterParameters& p) {
  config::Section in = filters.section(
      "enkf", "ensemble Kalman filter with perturbed measurements: Gaussian measurements");
  if (!in.present()) return false;
  in.get("members", p.members).range(10, 1e9).doc("of the ensemble");
  in.finish();
  return !in.documenting();
}

bool read_bootstrap(config::Section& filters, FilterParameters& p) {
  config::Section in = filters.section("particle", "bootstrap particle filter");
  if (!in.present()) return false;
  in.get("particles", p.particles).range(100, 1e9).doc("number of particles");
  in.get("resample", p.resample)
      .range(0, 1)
      .doc(
          "share of effective particles (1 / sum of the squared weights) below which they are "
          "resampled; 0: never");
  in.finish();
  return !in.documenting();
}

void read_filters(config::Section& validate, Parameters& p) {
  config::Section in = validate.section(
      "filters", "filters on the same input, compared with the density at each record");
  if (!in.present()) return;
  p.filters.step = p.end / 1000;
  take_units(in, "step", p.units, time_dimension());
  in.get("step", p.filters.step)
      .positive()
      .doc("longest time step of the filters (Runge-Kutta of fourth order); default: end / 1000");
  p.filters.unscented = read_unscented(in, p.filters, p.dynamics.variables.size());
  p.filters.ensemble = read_ensemble(in, p.filters);
  p.filters.bootstrap = read_bootstrap(in, p.filters);
  in.finish();
  if (in.documenting()) return;
  if (!p.filters.wanted()) in.error("", "'filters' needs one of 'ukf', 'enkf' and 'particle'");
  if (p.filters.unscented) check_gaussian(in, "ukf", p);
  if (p.filters.ensemble) check_gaussian(in, "enkf", p);
  if (p.filters.unscented) check_lines(in, "ukf", p);
  if (p.filters.ensemble) check_lines(in, "enkf", p);
  const bool absorbs = std::any_of(p.regions.begin(), p.regions.end(),
                                   [](const RegionParameters& region) { return region.absorbs; });
  if (p.filters.wanted() && absorbs)
    in.error(
        "",
        "filters cannot take mass away in absorbing regions: compare with 'validate.monte_carlo'");
}

}  // namespace

void read_validate(config::Section& root, Parameters& p) {
  config::Section validate = root.section("validate", "comparison with other methods");
  read_monte_carlo(validate, p);
  read_filters(validate, p);
  validate.finish();
}

}  // namespace tessera::gbees::input

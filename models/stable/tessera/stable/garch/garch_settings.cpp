// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/garch/garch_settings.hpp"

#include <algorithm>

namespace tessera::stable {

namespace {

using P = GarchParameter;

void read_simulation(config::Section& in, bool with_data, GarchSettings& s) {
  config::Section simulate =
      in.section("simulate", "the process of simulated series, where problem.data names none");
  simulate.get("series", s.series).range(1, 1e7).doc("how many, each of problem.n values");
  simulate.get("c", s.truth[P::c]).doc("constant of the mean");
  simulate.get("phi", s.truth[P::phi])
      .range(-0.9999, 0.9999)
      .doc("factor of the last value in the mean");
  simulate.get("theta", s.truth[P::theta])
      .range(-0.9999, 0.9999)
      .doc("factor of the last error in the mean");
  simulate.get("omega", s.truth[P::omega]).positive().doc("constant of the scale");
  simulate.get("a", s.truth[P::a])
      .range(0, 10)
      .doc("factor of the size of the last error in the scale");
  simulate.get("b", s.truth[P::b]).range(0, 0.9999).doc("factor of the last scale in the scale");
  if (with_data && !in.documenting()) {
    for (const std::string& key : simulate.keys())
      simulate.error(key, "the series are those of problem.data");
  }
  simulate.finish();
}

}  // namespace

GarchTask GarchSettings::make_task(double alpha, double beta) const {
  GarchTask task;
  const auto has = [&](const char* name) {
    return std::find(fixed.begin(), fixed.end(), name) != fixed.end();
  };
  if (has("alpha")) task.fix(P::alpha, alpha);
  if (has("beta")) task.fix(P::beta, beta);
  if (mean == "zero") task.fix(P::c, 0);
  if (mean != "arma" && mean != "ar") task.fix(P::phi, 0);
  if (mean != "arma" && mean != "ma") task.fix(P::theta, 0);
  return task;
}

GarchSettings read_garch(config::Section& root, bool with_data, bool& standard_errors) {
  config::Section in = root.section("garch",
                                    "the process r = c + phi r' + theta e' + e, e = s z, s = omega "
                                    "+ a |e'| + b s', z stable (a dash: one earlier)");
  GarchSettings s;
  in.get("mean", s.mean)
      .one_of({"arma", "ar", "ma", "constant", "zero"})
      .doc("what the mean has: c, phi and theta; c and phi; c and theta; c; nothing");
  in.get("fixed", s.fixed)
      .one_of({"alpha", "beta"})
      .doc("shape parameters of the innovations kept at the values in 'problem'");
  in.get("tolerance", s.tolerance)
      .range(1e-12, 1e-2)
      .doc(
          "largest component of the gradient by the number of values at which a fit has converged");
  in.get("standard_errors", standard_errors).doc("from the outer product of the scores");
  in.get("risk", s.risk)
      .range(0.5, 1 - 1e-9)
      .doc(
          "confidence levels of values at risk and expected shortfalls (losses are minus the "
          "values)");
  config::Section backtest =
      in.section("backtest", "forecasts of values from fits to windows before them");
  backtest.get("window", s.window)
      .range(0, 1e8)
      .unit("values")
      .doc("length of a window; 0: no backtest");
  backtest.get("step", s.step)
      .range(1, 1e8)
      .unit("values")
      .doc("after so many values a new fit is made");
  if (s.window != 0 && s.window < 50) backtest.error("window", "a window has at least 50 values");
  backtest.finish();
  read_simulation(in, with_data, s);
  in.finish();
  return s;
}

}  // namespace tessera::stable

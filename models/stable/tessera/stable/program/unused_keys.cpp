// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/unused_keys.hpp"

#include <algorithm>

namespace tessera::stable {

namespace {

using Keys = std::vector<std::string>;

const Keys kShape{"alpha", "beta"}, kPlace{"sigma", "mu"}, kAll{"alpha", "beta", "sigma", "mu"};

bool contains(const Keys& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// `why`: what stands in the place of the keys, or what they belong to.
void refuse(config::Section& in, const Keys& keys, const std::string& why) {
  for (const std::string& key : keys) {
    if (in.has(key)) {
      in.error(key, "'" + in.path() + "." + key + "' has no use here: " + why);
    } else if (in.documenting()) {
      in.comment_out(key);
    }
  }
}

/// Refuses those of `keys` that are not fixed.
void refuse_unless_fixed(config::Section& in, const Keys& keys, const Keys& fixed,
                         const std::string& why) {
  for (const std::string& key : keys) {
    if (!contains(fixed, key)) refuse(in, {key}, why);
  }
}

void require_s0(config::Section& in, const Parameters& p, const std::string& what) {
  if (p.parameterization != Parameterization::S0) in.error("parameterization", what + " in S0");
}

/// The keys whose values a file gives. While defaults are documented there is no file, but mostly
/// one will be named: `keys` are commented out unless they are given.
class FromFile {
 public:
  FromFile(config::Section& problem, bool with_file) : m_problem(problem), m_with_file(with_file) {}

  void refuse(const Keys& keys, const std::string& why) const {
    for (const std::string& key : keys) {
      if (m_with_file || (m_problem.documenting() && !m_problem.has(key)))
        stable::refuse(m_problem, {key}, why);
    }
  }

  void refuse_unless_fixed(const Keys& keys, const Keys& fixed) const {
    for (const std::string& key : keys) {
      if (!contains(fixed, key))
        refuse({key}, "it is fitted to the data; 'fixed' keeps it at a value");
    }
  }

  bool with_file() const { return m_with_file; }

 private:
  config::Section& m_problem;
  bool m_with_file;
};

void refuse_of_curves(config::Section& problem, config::Section& data, const Parameters& p,
                      const FromFile& file) {
  const std::string points = p.task == Task::quantile ? "p" : "x";
  if (file.with_file() && problem.has(points))
    problem.error(points, "'problem." + points + "' has no use here: problem.data gives them");
  if (!p.distributions.empty())
    refuse(problem, {"alpha", "beta"},
           "problem.laws has a row [alpha, beta] for each distribution");
  if (p.task == Task::evaluate && data.has("alpha_column")) {
    refuse(problem, {"alpha", "beta", "laws"},
           "data.alpha_column and data.beta_column give them for every point");
  }
  if (p.method != Method::contour && p.direct) {
    problem.error("direct", std::string("the method '") + (p.by_paper() ? "paper" : "newton") +
                                "' has no contour integrals");
  }
}

/// Refuses the keys of the paper's method where it is not used.
void refuse_of_paper(config::Section& root, const Parameters& p) {
  config::Section in = root.section("paper");
  const Keys quadrature{"nodes", "intervals"};
  if (p.task == Task::speed) {
    if (!contains(p.speed_methods, "paper"))
      refuse(in, {"nodes", "intervals", "tolerance"},
             "the paper's method is not timed (speed.methods: [paper])");
    else if (!contains(p.speed_functions, "quantile"))
      refuse(in, {"tolerance"}, "quantiles are not timed (speed.functions: [quantile])");
    return;
  }
  const std::string paper = "it belongs to the paper's method (problem.method: paper)",
                    newton = "it belongs to the paper's iteration (problem.method: newton)";
  if (p.method == Method::contour)
    refuse(in, quadrature, p.task == Task::quantile ? newton : paper);
  if (p.task == Task::evaluate) {
    if (!p.by_paper()) refuse(in, {"integrand"}, paper);
  } else if (!p.by_newton()) {
    refuse(in, {"tolerance"}, newton);
  }
}

void refuse_of_fit(config::Section& root, const Parameters& p) {
  config::Section fit = root.section("fit");
  if (p.estimator == "koutrouvelis")
    refuse(fit, {"tolerance"}, "it is one of maximum likelihood (fit.method: ml)");
  if (p.task == Task::fit_many && p.window == 0)
    refuse(fit, {"step"}, "whole series are fitted unless fit.window is given");
  if (p.task != Task::fit) return;
  if (p.intervals.empty()) {
    refuse(fit, {"level", "covariance", "refits", "boundary_refits"},
           "it belongs to intervals (fit.intervals)");
  } else {
    if (!p.wants_interval("wald"))
      refuse(fit, {"covariance"}, "it is that of Wald intervals (intervals: [wald])");
    if (!p.wants_interval("bootstrap"))
      refuse(fit, {"refits"}, "they are those of bootstrap intervals (intervals: [bootstrap])");
    if (!p.wants_interval("profile"))
      refuse(fit, {"boundary_refits"},
             "they are those of profile intervals (intervals: [profile])");
  }
  config::Section goodness = root.section("goodness");
  if (p.goodness_statistics.empty() && p.against.empty()) {
    refuse(goodness, {"refits", "tolerance"},
           "it belongs to tests (goodness.statistics, goodness.against)");
  }
}

void refuse_of_multivariate(config::Section& problem, config::Section& root, const Parameters& p,
                            const FromFile& file) {
  config::Section in = root.section("multivariate");
  refuse(problem, {"beta"}, "elliptical laws are symmetric");
  refuse(problem, {"sigma", "mu"},
         "multivariate.shape and multivariate.location are in their place");
  require_s0(problem, p, "elliptical laws are");
  const bool fits = p.multivariate.compute == "fit";
  if (fits && !p.multivariate.fixed_alpha)
    file.refuse({"alpha"},
                "it is fitted to the data; multivariate.fixed_alpha keeps it at a value");
  file.refuse({"n"}, "the points are those of problem.data");
  if (fits && file.with_file())
    refuse(in, {"location", "shape"}, "they are fitted to problem.data");
  if (!fits)
    refuse(in, {"fixed_alpha", "tolerance"}, "it belongs to fits (multivariate.compute: fit)");
}

/// Refuses columns without a file, and keys that the rest of the section makes idle.
void refuse_of_data(config::Section& data, const Parameters& p) {
  if (data.documenting()) return;
  if (!data.has("file") && p.task != Task::regress) {  // a regression needs one
    for (const std::string& key : data.keys()) {
      const bool of_file = key.find("_column") != std::string::npos;
      if (of_file) refuse(data, {key}, "no file is named (data.file)");
    }
  }
  if (data.has("columns") || data.has("group_column")) {
    if (p.task == Task::fit_many)
      refuse(data, {"pool"}, "the series of a panel are fitted one by one");
    if (data.has("columns")) refuse(data, {"column"}, "data.columns names the series");
  }
}

void refuse_of_garch(config::Section& problem, config::Section& root, const Parameters& p,
                     const FromFile& file) {
  file.refuse_unless_fixed(kShape, p.garch.fixed);
  file.refuse({"n"}, "the values are those of problem.data");
  refuse(problem, {"sigma"}, "the scale is that of the process (garch.simulate: omega, a, b)");
  refuse(problem, {"mu"}, "the location is that of the process (garch.simulate: c, phi, theta)");
  require_s0(problem, p, "innovations are");
  if (p.garch.window != 0) return;
  config::Section garch = root.section("garch");
  config::Section backtest = garch.section("backtest");
  refuse(backtest, {"step"}, "it belongs to the windows of a backtest (garch.backtest.window)");
}

/// Refuses keys of tasks that read no data.
void refuse_of_study(config::Section& problem, config::Section& root, const Parameters& p) {
  if (p.task == Task::bias_map) {
    refuse_unless_fixed(problem, kShape, p.fixed, "the distributions are those of 'map'");
    if (!p.sigmas.empty())
      refuse_unless_fixed(problem, {"sigma"}, p.fixed, "map.sigma has the scales");
    if (!p.mus.empty()) refuse_unless_fixed(problem, {"mu"}, p.fixed, "map.mu has the locations");
    if (!p.fixed.empty()) require_s0(problem, p, "parameters that are kept are");
    refuse_of_fit(root, p);
  } else if (p.task == Task::precision) {
    refuse(problem, kAll, "the distributions are the standard ones of 'map'");
    require_s0(problem, p, "distributions are");
  } else if (p.task == Task::speed) {
    config::Section map = root.section("map");
    if (p.speed_distributions == SpeedDistributions::random)
      refuse(problem, kShape, "distributions are drawn at random (speed.laws: one)");
    if (p.speed_distributions == SpeedDistributions::map)
      refuse(problem, kShape, "the distributions are those of 'map'");
    else
      refuse(map, kShape, "it belongs to maps of speed (speed.laws: map)");
    refuse(problem, kPlace, "standard distributions are evaluated");
    require_s0(problem, p, "distributions are");
  }
}

bool reads_data(Task task) {
  return task != Task::sample && task != Task::bias_map && task != Task::precision &&
         task != Task::speed;
}

}  // namespace

void refuse_unused_keys(config::Section& root, const Parameters& p) {
  config::Section problem = root.section("problem");
  if (!reads_data(p.task)) {
    refuse_of_study(problem, root, p);
    if (p.task != Task::sample && p.task != Task::bias_map) refuse_of_paper(root, p);
    return;
  }
  config::Section data = problem.section("data");
  const FromFile file(problem, data.has("file"));
  refuse_of_data(data, p);
  if (p.task == Task::evaluate || p.task == Task::quantile) {
    refuse_of_curves(problem, data, p, file);
    refuse_of_paper(root, p);
  } else if (p.task == Task::fit || p.task == Task::fit_many) {
    file.refuse_unless_fixed(kAll, p.fixed);
    file.refuse({"n"}, "the values are those of problem.data");
    if (file.with_file() || !p.fixed.empty())
      require_s0(problem, p, "fits of data and parameters that are kept are");
    refuse_of_fit(root, p);
  } else if (p.task == Task::regress) {
    refuse_unless_fixed(problem, kShape, p.fixed,
                        "it is fitted to the data; regress.fixed keeps it at a value");
    refuse(problem, kPlace,
           "location and scale are those of the formulas regress.location and regress.scale");
    require_s0(problem, p, "errors are");
  } else if (p.task == Task::garch) {
    refuse_of_garch(problem, root, p, file);
  } else {
    refuse_of_multivariate(problem, root, p, file);
  }
}

}  // namespace tessera::stable

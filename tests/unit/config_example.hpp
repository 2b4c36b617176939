// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tessera/core/config/document.hpp"
#include "tessera/core/error.hpp"

namespace tessera::config {

/// Reads `text` as the file in.yaml with `declare` and returns what is wrong with it; empty when
/// nothing is.
inline std::string read_errors(const std::string& text,
                               const std::function<void(Section&)>& declare,
                               const std::vector<std::string>& overrides = {}) {
  try {
    Document document = Document::parse(text, "in.yaml");
    for (const std::string& argument : overrides) document.apply_override(argument);
    Section root = document.root();
    declare(root);
    root.finish();
    return document.report();
  } catch (const Error& error) {
    return error.what();
  }
}

/// The errors of reading the value of one key `x` into a variable of type T.
template <class T>
std::string errors_of_value(const std::string& yaml, T& value,
                            const std::function<void(Parameter<T>)>& limit = {}) {
  return read_errors("x: " + yaml + "\n", [&](Section& root) {
    Parameter<T> parameter = root.get("x", value);
    if (limit) limit(parameter);
  });
}

/// The parameters of an invented model, with every kind of key.
struct Example {
  struct Measurement {
    double time = 1.5;
    std::string sensor = "radar";
    std::vector<double> value = {1, 2};

    static Measurement read(Section in) {
      Measurement m;
      in.require("time", m.time).non_negative().unit("s").doc("when it is taken");
      in.get("sensor", m.sensor).one_of({"radar", "camera"}).doc("what takes it");
      in.get("value", m.value).size(2).unit("km").doc("what it says");
      in.finish();
      return m;
    }
    bool operator==(const Measurement&) const = default;
  };

  std::string app = "example";
  double threshold = 1e-7;
  std::vector<double> spacing = {0.1, 0.2, 0.30000000000000004};
  int cells = 10;
  std::uint64_t seed = 18446744073709551615u;
  std::int64_t offset = -9223372036854775807 - 1;
  bool adaptive = true;
  std::string limiter = "minmod";
  std::vector<std::string> outputs = {"density", "no", "two words: here"};
  std::vector<int> order = {3, -1};
  Matrix covariance = {{1, 0.5}, {0.5, 2}};
  std::optional<std::vector<double>> center;
  std::string note = "a \"quoted\" text,\n\tin two lines\x01 \xC3\xA9";
  double rate = 0;
  bool has_prior = false;
  double prior_width = 3;
  std::vector<Measurement> measurements;

  static Example read(Section root) {
    Example p;
    root.get("app", p.app);

    Section grid = root.section("grid", "the grid\nthat follows the mass");
    grid.get("threshold", p.threshold)
        .positive()
        .unit("1")
        .doc("mass below which a cell does not grow");
    grid.require("spacing", p.spacing).positive().size(3).unit("km").doc("width of a cell");
    grid.get("cells", p.cells).range(1, 1e6).doc("largest number of cells | per axis");
    Section scheme = grid.section("scheme", "how the mass moves");
    scheme.get("limiter", p.limiter).one_of({"none", "minmod", "superbee"}).doc("slope limiter");
    scheme.get("adaptive", p.adaptive).doc("whether the step adapts");
    scheme.finish();
    grid.finish();

    root.section("run").get("seed", p.seed);
    Section run = root.section("run");
    run.get("offset", p.offset).doc("where the random numbers begin");
    run.get("outputs", p.outputs);
    run.get("order", p.order);
    run.get("covariance", p.covariance).size(2);
    run.get("center", p.center).size(2).doc("center of the view").otherwise("that of the mass");
    run.get("note", p.note);
    run.get("rate", p.rate);
    run.finish();

    Section prior = root.section("prior", "what is known before");
    if (prior.present()) {
      p.has_prior = !prior.documenting();
      prior.require("width", p.prior_width).positive().doc("standard deviation");
      prior.finish();
    }
    for (Section& measurement : root.list("measurements", "what is observed")) {
      p.measurements.push_back(Measurement::read(measurement));
    }
    if (root.documenting()) p.measurements.clear();
    root.finish();
    return p;
  }

  bool operator==(const Example&) const = default;
};

}  // namespace tessera::config

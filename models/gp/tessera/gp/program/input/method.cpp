// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <string>

#include "tessera/core/config/choice.hpp"
#include "tessera/gp/program/input/sections.hpp"

namespace tessera::gp::input {

namespace {

const config::Names<Method> kMethods{
    {"exact", Method::exact}, {"vecchia", Method::vecchia}, {"auto", Method::automatic}};

const config::Names<Ordering> kOrderings{{"maxmin", Ordering::maxmin},
                                         {"random", Ordering::random},
                                         {"coordinate", Ordering::coordinate},
                                         {"given", Ordering::given}};

void read_vecchia(config::Section& in, MethodParameters& method) {
  config::Section options = in.section("vecchia", "options of Vecchia's approximation");

  options.get("neighbours", method.vecchia.neighbours)
      .range(1, 1000)
      .doc("earlier points that each one is conditioned on");

  config::choose(options, "ordering", method.vecchia.ordering, kOrderings)
      .doc(
          "of the points: far from each other first, at random, by the first coordinate, as they "
          "come");
  options.get("refresh", method.refresh)
      .range(0, 100)
      .doc(
          "times that a fit finds the neighbours again, in coordinates divided by the ranges; "
          "counts where ranges differ (ranges, beta_time)");
  options.get("block", method.vecchia.block)
      .range(1, 256)
      .doc(
          "a power of two: points next to each other that are conditioned on the neighbours of all "
          "of them, for a closer likelihood; on one device");
  if (!std::has_single_bit(static_cast<unsigned>(method.vecchia.block))) {
    options.error("block", "blocks of " + std::to_string(method.vecchia.block) +
                               " points: give a power of two");
  }
  options.get("prediction_neighbours", method.vecchia.prediction_neighbours)
      .range(1, 1000)
      .doc("data points that a prediction is made from");
  options.get("prediction_block", method.vecchia.prediction_block)
      .range(1, 600)
      .doc(
          "N > 1: means and variances are predicted in blocks of space that hold N data points; "
          "all targets in one share the 8 N nearest to its centre, and one factor of their "
          "covariance, so that 320 take the time of 60 nearest to each target. Targets to which "
          "other "
          "data are nearer, draws and cross-validation take prediction_neighbours all the same. 1: "
          "so does every target");
  options.finish();
}

}  // namespace

void read_method(config::Section& root, Parameters& p) {
  MethodParameters& method = p.method;
  const std::string doc =
      "exact: one dense Cholesky factorisation a likelihood; vecchia: each point given its nearest "
      "predecessors, for millions of points; auto: exact up to 8192 points (on a GPU 32768) and "
      "half of the memory, then vecchia";
  if (root.form("method") != config::Form::mapping) {
    config::choose(root, "method", method.method, kMethods)
        .doc(doc +
             "; or, with options, {vecchia: {neighbours: 30, ordering: maxmin, refresh: 2, "
             "prediction_neighbours: 60}}");
    return;
  }
  config::Section in = root.section("method", "options of a method, in place of its name");
  read_vecchia(in, method);
  in.finish();
  method.method = Method::vecchia;
}

void check_bins(config::Section& root, const Parameters& p) {
  if (p.method.method != Method::vecchia || p.model.is_own()) return;
  config::Section covariance = root.section("covariance");
  const std::string key = p.model.gsl ? "bessel" : "bins";
  covariance.error(key, "'method: vecchia' takes the Matern function from a table: leave out '" +
                            key + "', or use 'method: exact'");
}

}  // namespace tessera::gp::input

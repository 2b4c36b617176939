// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/gbees/dynamics/condition_program.hpp"
#include "tessera/gbees/dynamics/function_dimension.hpp"
#include "tessera/gbees/program/input/numbers.hpp"
#include "tessera/gbees/program/input/periods.hpp"
#include "tessera/gbees/program/input/sections.hpp"

namespace tessera::gbees::input {

namespace {

/// Records what is wrong with an expression: `compile` throws.
template <class Compile>
void check_expression(config::Section& in, const std::string& key, const Compile& compile) {
  if (in.documenting() || !in.has(key)) return;
  try {
    compile();
  } catch (const expression::ParseError& error) {
    in.error_within(key, -1, error.offset(), error.what());
  } catch (const Error& error) {
    in.error(key, error.what());
  }
}

std::vector<RegionParameters::Histogram> read_histograms(config::Section& in, const Parameters& p,
                                                         bool absorbs) {
  std::vector<RegionParameters::Histogram> histograms;
  for (config::Section& entry :
       in.list("histograms",
               "of what an absorbing region takes, by expressions of the state where it enters")) {
    RegionParameters::Histogram histogram{p.dynamics.variables.front(), 0, 1, 50};
    entry.require("of", histogram.of).doc("expression of the state and the time");
    if (entry.has("of") && !entry.documenting()) {
      const std::optional<Dimension> dimension = function_dimension(p.dynamics.text, histogram.of);
      for (const char* edge : {"low", "high"}) take_units(entry, edge, p.units, {dimension});
    }
    entry.require("low", histogram.low).doc("where the first bin begins");
    entry.require("high", histogram.high).doc("where the last bin ends");
    entry.get("bins", histogram.bins)
        .range(1, 1e6)
        .doc("number of bins, beside one for what lies below and one for what lies above");
    check_expression(entry, "of", [&] { compile_functions(p.dynamics.text, {histogram.of}); });
    entry.finish();
    if (entry.documenting()) continue;
    if (!(histogram.low < histogram.high))
      entry.error("high", "the histogram is empty: 'high' must lie above 'low'");
    histograms.push_back(histogram);
  }
  if (!histograms.empty() && !absorbs)
    in.error("histograms",
             "'histograms' are of what enters an absorbing region: give 'absorb: true'");
  return histograms;
}

void read_times(config::Section& in, const Parameters& p, RegionParameters& region) {
  take_units(in, "at", p.units, time_dimension());
  in.get("at", region.at)
      .positive()
      .doc("times at which the region is looked at; default: at each record")
      .otherwise("at each record");
  if (in.documenting() || region.at.empty()) return;
  std::sort(region.at.begin(), region.at.end());
  region.at.erase(std::unique(region.at.begin(), region.at.end()), region.at.end());
  if (region.at.back() > p.end) in.error("at", "a region is looked at until time.end");
  if (region.absorbs)
    in.error("at", "an absorbing region is looked at after every step: 'at' belongs to others");
}

}  // namespace

std::vector<RegionParameters> read_regions(config::Section& root, const Parameters& p) {
  std::vector<RegionParameters> regions;
  for (config::Section& in :
       root.list("regions",
                 "parts of the state space: the probability of being there, or of having been")) {
    RegionParameters region;
    region.name = "impact";
    in.require("name", region.name).doc("of the region in the results");
    region.inside = p.dynamics.variables.front() + " < 0";
    in.require("inside", region.inside)
        .doc(
            "where it is: comparisons (< <= > >=) of expressions of the state and the time, joined "
            "by and, or, not. Variables in model.periods are within their base intervals");
    in.get("absorb", region.absorbs)
        .doc(
            "mass that enters moves to an account: the probability of having been there. Scheme "
            "conservative only");
    read_times(in, p, region);
    region.histograms = read_histograms(in, p, region.absorbs);
    bool moves = false;
    check_expression(in, "inside", [&] {
      const ConditionProgram condition = compile_condition(p.dynamics.text, region.inside);
      moves = condition.depends.back();
      if (!region.absorbs || p.dynamics.circles.empty()) return;
      const std::string change = find_change(condition.program, 0, 0, p);
      if (change.empty()) return;
      throw Error(ErrorKind::input,
                  "a region that absorbs what comes round a circle (model.periods) must be the "
                  "same all round, and this is " +
                      change + "; write it with the sine and cosine of that variable");
    });
    in.finish();
    if (in.documenting()) continue;
    if (!expression::is_name(region.name))
      in.error("name",
               "'" + region.name +
                   "' cannot be a name: letters, digits and underscores, beginning with a letter");
    const auto has_name = [&](const RegionParameters& other) { return other.name == region.name; };
    if (std::any_of(regions.begin(), regions.end(), has_name))
      in.error("name", "there are two regions of the name '" + region.name + "'");
    if (region.absorbs && moves && p.longest_step == StepperState::kUnlimited)
      logging::warning(
          "the absorbing region '" + region.name +
          "' changes with the time, and takes what is in it at the ends of steps: what it sweeps "
          "over within a step is missed; set time.longest_step to the time in which it moves by a "
          "cell");
    if (region.absorbs && p.propagator.scheme == Scheme::reference)
      in.error("absorb", "absorbing regions need the conservative scheme");
    regions.push_back(region);
  }
  if (regions.size() > 200)
    root.error("regions", "there are " + std::to_string(regions.size()) +
                              " regions; at most 200 can be looked at");
  return regions;
}

}  // namespace tessera::gbees::input

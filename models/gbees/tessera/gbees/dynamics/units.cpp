// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/dynamics/units.hpp"

#include <cmath>

namespace tessera::gbees {

double Units::size(const Dimension& dimension) const {
  return std::pow(length, dimension.length) * std::pow(time, dimension.time) *
         std::pow(mass, dimension.mass);
}

std::string Units::of_dimension(const std::optional<Dimension>& dimension) const {
  for (std::size_t i = 0; dimension && i < variables.size(); ++i) {
    if (variables[i] == *dimension) return of_variable(i);
  }
  return "1";
}

std::string Units::composed(const Dimension& dimension) const {
  const std::string known = of_dimension(dimension), of_length = of_dimension(Dimension{1, 0, 0});
  if (known != "1" || dimension.is_number()) return known;
  std::string text;
  const auto add = [&](const std::string& unit, double power) {
    if (power == 0) return;
    text += text.empty() ? "" : " ";
    text += unit.find(' ') == std::string::npos ? unit : "(" + unit + ")";
    if (power != 1) text += std::to_string(static_cast<int>(power));
  };
  add(of_length, dimension.length);
  add(time_text, dimension.time);
  return text;
}

std::string Units::of_all() const {
  std::string list;
  bool is_one = true;
  for (const std::string& text : variable_texts) {
    list += (list.empty() ? "" : ", ") + text;
    is_one = is_one && text == variable_texts.front();
  }
  return is_one ? of_variable(0) : list;
}

void mark_units(const io::Group& root, const Units& units, bool is_turned) {
  if (!units.given) return;
  const auto mark = [&](const std::string& name, const std::string& unit) {
    if (root.has(name)) root.set_attribute("units", unit, name);
  };
  const auto members = [&](const std::string& name) {
    return root.has(name) ? root.group(name).names() : std::vector<std::string>();
  };
  for (const char* name : {"results/time", "results/measurements/time", "series/time", "series/dt",
                           "progress/time", "results/study/legacy_step"})
    mark(name, units.time_text);
  for (const std::string& region : members("results/regions"))
    mark("results/regions/" + region + "/time", units.time_text);
  for (const std::string& region : members("series/regions"))
    mark("series/regions/" + region + "/rate", "(" + units.time_text + ")-1");
  if (units.variable_texts.empty()) return;
  for (const char* name : {"results/mean", "results/mode", "results/monte_carlo/mean",
                           "results/monte_carlo/x", "coordinates/centre"})
    mark(name, units.of_all());
  for (const std::string& filter : members("results/filters"))
    mark("results/filters/" + filter + "/mean", units.of_all());
  if (!is_turned) mark("coordinates/spacing", units.of_all());
  for (const std::string& group : members("results")) {
    if (group.rfind("record_", 0) == 0) mark("results/" + group + "/x", units.of_all());
  }
  for (std::size_t i = 0; i < units.variable_texts.size() && !is_turned; ++i) {
    const std::string axis = "x" + std::to_string(i + 1);
    mark("coordinates/" + axis, units.of_variable(i));
    for (const std::string& group : members("results")) {
      if (group.rfind("pairs_", 0) == 0 || group.rfind("volume_", 0) == 0)
        mark("results/" + group + "/" + axis, units.of_variable(i));
    }
  }
}

}  // namespace tessera::gbees

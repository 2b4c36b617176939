// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/observations.hpp"

#include <utility>

namespace tessera::gbees {

namespace {

Observation make_observation(const Parameters& parameters,
                             const MeasurementParameters& measurement) {
  EquationText text = parameters.dynamics.text;
  text.definitions.insert(text.definitions.end(), measurement.definitions.begin(),
                          measurement.definitions.end());
  text.table_names.insert(text.table_names.end(), measurement.table_names.begin(),
                          measurement.table_names.end());
  expression::Program h =
      compile_functions(text, measurement.quantities, parameters.frame, measurement.time);
  Observation observation;
  if (measurement.kind == Observation::Kind::student) {
    observation = Observation::student(std::move(h), measurement.values, measurement.scale,
                                       measurement.degrees, measurement.period);
  } else {
    observation =
        Observation(std::move(h), measurement.values, measurement.covariance, measurement.period);
    observation.kind = measurement.kind;
  }
  observation.description = measurement.description;
  observation.place = measurement.place;
  return observation;
}

}  // namespace

std::vector<Observation> observations_at(const Parameters& parameters, double time) {
  std::vector<Observation> list;
  for (const MeasurementParameters& measurement : parameters.measurements_at(time)) {
    list.push_back(make_observation(parameters, measurement));
  }
  return list;
}

}  // namespace tessera::gbees

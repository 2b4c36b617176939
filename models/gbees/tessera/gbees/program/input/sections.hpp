// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/program/input/tables.hpp"
#include "tessera/gbees/program/parameters.hpp"

/// The parts of Parameters::read that are long, each in the source file of its name.

namespace tessera::gbees::input {

/// Texts for the lengths of lists, in the list of parameters.
constexpr const char* kEachVariable = "one for each variable";
constexpr const char* kEachPair = "a row and a column for each";
constexpr const char* kEachQuantity = "one for each quantity";

/// dynamics.cpp: the `model:` section; an invalid one leaves dynamics that the other sections can
/// be read with.
DynamicsParameters read_dynamics(config::Section& root, const Units& units,
                                 std::vector<Table>& tables);

/// initial.cpp: the `initial:` section, for a known scheme and dimension.
InitialParameters read_initial(config::Section& root, const Parameters& p);

/// initial.cpp: finds the mean and covariance of a whole mixture from its parts.
void find_moments_of_mixture(InitialParameters& p);

/// measurements.cpp: the end of the segment that ends at `time`, except for rounding, when the
/// input divides the run into segments; NaN where none ends there before the end of the run.
double end_of_segment(const Parameters& p, double time);

/// measurements.cpp: the lists `measurements:` and `measurement_table:`, for known dynamics, frame
/// and end.
std::vector<MeasurementParameters> read_measurements(config::Section& root, const Parameters& p,
                                                     const std::vector<Table>& tables);

/// maneuvers.cpp: the list `maneuvers:`, for known dynamics, scheme and time.
std::vector<ManeuverParameters> read_maneuvers(config::Section& root, const Parameters& p);

/// Records maneuvers that the grid, when it has been chosen, cannot take.
void check_maneuvers(config::Section& root, const Parameters& p);

/// validate.cpp: the section `validate:`, when all others but `study` have been read.
void read_validate(config::Section& root, Parameters& p);

/// regions.cpp: the list `regions:`, for known dynamics, scheme and end.
std::vector<RegionParameters> read_regions(config::Section& root, const Parameters& p);

}  // namespace tessera::gbees::input

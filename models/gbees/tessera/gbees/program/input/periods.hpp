// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/core/config/section.hpp"
#include "tessera/gbees/program/parameters.hpp"

/// Variables that lie on circles: `model.periods`, and what it asks of the rest of an input.

namespace tessera::gbees::input {

/// Reads the section; an entry a variable, or none where all are lines.
std::vector<Circle> read_periods(config::Section& model, const EquationText& text);

/// Moves weighted points, row by row, by whole turns, next to their mean direction.
void bring_together(const std::vector<Circle>& circles, const std::vector<double>& weights,
                    std::vector<double>& points);

/// Moves an initial density by whole turns, so that its mean is in the base intervals, and the
/// parts of a mixture next to their mean direction. Records an error where it does not fit the
/// circles.
void bring_onto_circles(config::Section& initial, const std::vector<Circle>& circles,
                        InitialParameters& p);

/// Takes, along circles, the spacing that divides the period. `is_given`: by the input. Records an
/// error where too few or too many cells go round; `most`: that can be indexed.
void fit_spacing(config::Section& grid, bool is_given, std::size_t most, Parameters& p);

/// Records an error where the dynamics are not the same a period later. The initial density and the
/// end are known.
void check_periods(config::Section& root, const Parameters& p);

/// Looks whether functions of the state and the time are the same a period of each variable on a
/// circle later, but for whole `period_of_value`, of which 0 is none. Returns what is not, as the
/// end of a message, or nothing.
std::string find_change(const expression::Program& program, std::size_t function,
                        double period_of_value, const Parameters& p);

}  // namespace tessera::gbees::input

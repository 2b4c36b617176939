// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/gbees/program/input/tables.hpp"

namespace tessera::gbees::input {

/// Names of the forces that a central field may consist of.
struct FieldForces {
  std::vector<std::string> two_body, j2;
};

/// Reads the list `forces:` of the model, which become definitions of its equations.
FieldForces read_forces(config::Section& model, const Units& units,
                        const std::vector<Table>& tables, EquationText& text);

}  // namespace tessera::gbees::input

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

/// Reads well-known texts of coordinate systems, of the first and the second kind. Host code.

namespace tessera::mpr {

/// The horizontal part of a compound system, the source of a bound one; others as they are.
std::string horizontal_system(const std::string& wkt);

/// Tell whether a horizontal system has latitudes and longitudes, and whether it is a projection.
bool is_geographic_system(const std::string& horizontal);
bool is_projected_system(const std::string& horizontal);

/// Returns whether the scale of a system changes from row to row.
bool is_mercator_system(const std::string& horizontal);

/// The length of its unit: UNIT["metre",1] or LENGTHUNIT["foot",0.3048].
double metres_of_unit(const std::string& horizontal);

}  // namespace tessera::mpr

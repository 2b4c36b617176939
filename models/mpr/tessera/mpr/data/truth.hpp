// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/parameters.hpp"

namespace tessera::mpr {

/// The true values of a field with gaps, NaN where none is known. Throws Error (file) when the file
/// cannot be read, Error (input) when its shape or its grid are not those of the field, and when it
/// has no value for any missing site, or an infinite one.
std::vector<double> read_truth(const TruthParameters& truth, const Field& field);

}  // namespace tessera::mpr

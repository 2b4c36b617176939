// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/mpr/field.hpp"
#include "tessera/mpr/parameters.hpp"

namespace tessera::mpr {

/// A field that is taken off the data before their gaps are filled, and added again: for all of it, or for one frame or image and then for
/// each. Throws Error (file) when the file cannot be read, Error (input) when its shape or its grid are not those of the field, and when it
/// has no finite value at a site that is not inactive.
std::vector<double> read_background(const BackgroundParameters& background, const Field& field);

}  // namespace tessera::mpr

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tessera/mpr/field.hpp"
#include "tessera/mpr/parameters.hpp"

/// Fields that go with the data, site by site: a background, errors of the samples, fields that a trend consists of. Each holds numbers for
/// all of the data, or for one frame or image and then for each. Host code.

namespace tessera::mpr {

/// What a file must be like.
struct CompanionRules {
  std::string what;                                                                     ///< "background", for messages
  std::function<bool(std::size_t site)> needs_value;                                    ///< at which sites of the field it must have one
  std::string remedy = "fill its gaps first, or mark these sites with input.inactive";  ///< where it has none
};

/// Numbers of a file, 0 where they are not needed. Throws Error (file) when the file cannot be read, Error (input) when its shape or its
/// grid are not those of the field, and when it has no finite value at a site that needs one.
std::vector<double> read_companion(const CompanionFile& from, const Field& field, const CompanionRules& rules);

/// Taken off the data before their gaps are filled, and added again; needed where sites are not inactive.
std::vector<double> read_background(const CompanionFile& from, const Field& field);

/// Standard deviations of the errors of the samples, one for all or those of a file, in the units of the data. Throws Error as
/// read_companion does, and Error (input) for a negative one.
std::vector<double> read_noise(const NoiseParameters& noise, const Field& field);

}  // namespace tessera::mpr

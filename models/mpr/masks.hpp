// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/mpr/field.hpp"
#include "tessera/mpr/parameters.hpp"

namespace tessera::mpr {

/// Marks the sites that a mask names; no mask marks none. The mask has the shape of the field, or of one frame or image of it and then
/// holds for all. Its flags and bits choose sites by their number; without them all that is not zero is marked. Sites where a mask of flags
/// or bits holds no number are not marked. Throws Error (file) when it cannot be read, Error (input) for an unknown dataset or flag, for
/// another shape, for numbers that are not whole where bits are asked for, and when no site is left.
void apply_mask(Field& field, const MaskParameters& mask, Site kind);

}  // namespace tessera::mpr

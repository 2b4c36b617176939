// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/gbees/program/parameters.hpp"
#include "tessera/gbees/program/record.hpp"

namespace tessera::gbees {

/// Of a run that began with a message: says the epoch of time 0 in an attribute of the results, and
/// writes the ephemeris that output.oem asks for. Of records at the same time the last one counts.
/// An existing file is kept, and the ephemeris then takes the first free one of the names path.1,
/// path.2, ..., with a warning.
void write_ephemeris(const io::Group& root, const Parameters& parameters,
                     const std::vector<Record>& records);

}  // namespace tessera::gbees

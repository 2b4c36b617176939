// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/gbees/program/record.hpp"

namespace tessera::gbees {

/// Writes the group /VTKHDF (tessera/core/io/vtkhdf.hpp) below the root of a results file that has
/// the records already. `variables`: one to three numbers of the variables that are x, y and z.
/// Records that hold volumes become an image, the cells of other records become points; a volume is
/// written as /results/volume_{r} too. A record that is not later than the one before it, which a
/// measurement parts, stands at a time that is larger by 1e-9 of the run's.
void write_vtk(const io::Group& root, const std::vector<Record>& records,
               const std::vector<Axis>& axes, const std::vector<int>& variables);

}  // namespace tessera::gbees

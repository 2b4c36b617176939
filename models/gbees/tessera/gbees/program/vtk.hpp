// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/gbees/program/record.hpp"

namespace tessera::gbees {

/// Writes the group /VTKHDF (tessera/core/io/vtkhdf.hpp) below the root of a results file that has
/// the records already. `variables`: one to three numbers of the variables that are x, y and z.
/// Records that hold volumes become images, one for each triple of variables, the cells of other
/// records become points. The first volume is written as /results/volume_{r} too, another one as
/// /results/volume_{r}_NAME and its image as /vtk/NAME, with the NAME of its variables. A record
/// that is not later than the one before it, which a measurement parts, stands at a time that is
/// larger by 1e-9 of the run's.
void write_vtk(const io::Group& root, const std::vector<Record>& records,
               const std::vector<Axis>& axes, const std::vector<std::vector<int>>& variables);

/// The name of a triple of variables: "vx_vy_vz".
std::string triple_name(const std::vector<std::string>& names, const std::vector<int>& variables);

/// Writes a file beside the results for each image but the first, which links to it: `results`
/// without the ending ".h5" and with ".NAME.vtkhdf". A file of that name that is another one is
/// kept; the link then takes the next free name, and a warning says so.
void link_vtk(const std::string& results, const std::vector<std::string>& names,
              const std::vector<std::vector<int>>& volumes);

}  // namespace tessera::gbees

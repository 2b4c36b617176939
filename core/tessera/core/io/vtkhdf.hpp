// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"

/// Results that ParaView opens: the group /VTKHDF of a file, in version 2.0 of the format VTKHDF
/// ("VTKHDF format specification", docs.vtk.org), one of each file. What it holds of values are
/// virtual datasets: they are put together from datasets of the same file, and nothing is stored
/// twice. VTK reads them from version 9.3 on. Where a file has more to show, small files beside it
/// have links in the place of the group.

namespace tessera::io {

/// Points that are others at each step.
struct VtkPoints {
  std::vector<double> time;  ///< of each step, strictly ascending
  /// The dataset of each step, double [n, D], that holds the points
  std::vector<std::string> coordinates;
  /// 1 to 3 of the D columns, which are x, y and z; those that are missing are 0
  std::vector<int> columns;
  std::string name;  ///< of a value at each point
  /// The dataset of each step, double [n], that holds the values
  std::vector<std::string> values;
};

/// Writes /VTKHDF of the type PolyData below the file's `root`: the points of each step, each of
/// them a cell (a vertex) too.
void write_vtk(const Group& root, const VtkPoints& points);

/// A uniform grid in space with values at its points. What a step does not have of it is 0.
struct VtkImage {
  /// Values at a box of the grid's points.
  struct Box {
    std::string values;                   ///< the dataset of double [size[2], size[1], size[0]]
    std::array<std::uint64_t, 3> offset;  ///< of its first point, along x, y and z
    std::array<std::uint64_t, 3> size;
  };
  std::vector<double> time;  ///< of each step, strictly ascending
  std::array<double, 3> origin{}, spacing{};
  /// Points along x, y and z, at least 2 (VTK's reader drops an axis of one)
  std::array<std::uint64_t, 3> size{};
  std::string name;        ///< of the values
  std::vector<Box> boxes;  ///< one a step
};

/// Writes /VTKHDF of the type ImageData below the file's `root`, or the like in another group.
void write_vtk(const Group& root, const VtkImage& image, const std::string& group = "VTKHDF");

/// Makes the group /VTKHDF below `root` a link to a group of another file. A relative name of that
/// counts from the folder of the file with the link.
void link_vtk(const Group& root, const std::string& file, const std::string& group);

/// Returns whether a file has the link that link_vtk makes; false where there is no such file.
bool has_vtk_link(const std::string& path, const std::string& file, const std::string& group);

}  // namespace tessera::io

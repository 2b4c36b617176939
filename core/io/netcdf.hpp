// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"

/// What NetCDF-4 files (which are HDF5) say about a variable beyond its values: the coordinates of its dimensions and its attributes.

namespace tessera::io {

/// For each dimension of a dataset the path, inside the file, of the dataset that is attached to it as a dimension scale; "" where there is
/// none.
std::vector<std::string> dimension_scales(const Group& group, const std::string& dataset);

/// Makes a one-dimensional dataset the coordinate of a dimension that has its name ("dimension scale").
void make_scale(const Group& group, const std::string& dataset);

/// Names the dimensions of a dataset after members of `scales`, which are made scales before. They are linked into the group of the dataset
/// too, where that has no member of their name: what reads NetCDF looks for dimensions there.
void attach_scales(const Group& group, const std::string& dataset, const Group& scales, const std::vector<std::string>& names);

/// Copies numeric and text attributes from one dataset to another, except those named and HDF5's own marks of dimension scales.
void copy_attributes(const Group& from, const std::string& source, const Group& to, const std::string& target,
                     const std::vector<std::string>& except = {});

/// Copies a dataset with its attributes, values in the source's own type; adds `units` and `long_name` where they are missing.
void copy_dataset(const Group& from, const std::string& source, const Group& to, const std::string& target);

}  // namespace tessera::io

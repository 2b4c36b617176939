// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"

/// The information of NetCDF-4 files (which are HDF5) about a variable beyond its values: the
/// coordinates of its dimensions and its attributes.

namespace tessera::io {

/// Returns, for each dimension of a dataset, the path inside the file of the dataset that is
/// attached to it as a dimension scale; "" where there is none.
std::vector<std::string> dimension_scales(const Group& group, const std::string& dataset);

/// Returns whether a dimension scale only stands for the length of a dimension, and holds no
/// coordinate.
bool is_bare_dimension(const Group& group, const std::string& dataset);

/// Returns whether a dataset is the scale of a dimension.
bool is_scale(const Group& group, const std::string& dataset);

/// Writes a scale that only stands for the length of a dimension.
void write_bare_dimension(const Group& group, const std::string& name, std::uint64_t length);

/// The paths of the variables that a variable refers to, directly or through another: the
/// coordinates of its dimensions, and what the attributes `coordinates`, `grid_mapping`, `bounds`
/// and `climatology` name (CF conventions), as far as they are there.
std::vector<std::string> related_variables(const Group& root, const std::string& dataset);

/// Makes a one-dimensional dataset the coordinate of a dimension that has its name ("dimension
/// scale").
void make_scale(const Group& group, const std::string& dataset);

/// Names the dimensions of a dataset after members of `scales`, which are made scales before. They
/// are linked into the group of the dataset too, where that has no member of their name: what reads
/// NetCDF looks for dimensions there.
void attach_scales(const Group& group, const std::string& dataset, const Group& scales,
                   const std::vector<std::string>& names);

/// Copies numeric and text attributes from one dataset to another, except those named and HDF5's
/// own marks of dimension scales.
void copy_attributes(const Group& from, const std::string& source, const Group& to,
                     const std::string& target, const std::vector<std::string>& except = {});

/// Copies the attributes of one group to another.
void copy_group_attributes(const Group& from, const Group& to);

/// Text of a fixed length, which every reader of NetCDF takes for characters. Replaces an attribute
/// of that name; `on` is empty for the group.
void write_text_attribute(const Group& group, const std::string& on, const std::string& name,
                          const std::string& text);

/// A list of bytes, as flag_values has them.
void write_bytes_attribute(const Group& group, const std::string& on, const std::string& name,
                           const std::vector<std::int8_t>& numbers);

/// The attribute _FillValue of a dataset, in its own type.
void write_fill_value(const Group& group, const std::string& dataset, double number);

void remove_attribute(const Group& group, const std::string& on, const std::string& name);

/// Numbers the dimension scales of a group in the order of `names` (_Netcdf4Dimid).
void number_dimensions(const Group& group, const std::vector<std::string>& names);

/// Copies a dataset with its attributes, values in the source's own type.
void copy_dataset(const Group& from, const std::string& source, const Group& to,
                  const std::string& target);

}  // namespace tessera::io

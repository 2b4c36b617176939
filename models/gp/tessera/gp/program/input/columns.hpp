// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/config/section.hpp"
#include "tessera/gp/program/parameters.hpp"

/// The keys that say which columns of a file hold points.

namespace tessera::gp::input {

/// Reads the names of the columns that hold points: coordinates, or latitude and longitude, and
/// perhaps the time. `of_data`: the coordinates of the data, after which others are named; empty:
/// there are none.
void read_column_names(config::Section& in, const CovarianceModel& model,
                       const std::vector<std::string>& of_data, ColumnsParameters& p);

/// A key that names columns of a file.
struct ColumnsKey {
  config::Section section;
  std::string key;
  std::vector<std::string> names;
  bool is_list = true;

  bool has_numbers() const;
};

/// The keys of a section that says where points are.
std::vector<ColumnsKey> list_columns(config::Section& in, const ColumnsParameters& c,
                                     const CovarianceModel& model);

/// Answers an input that counts the columns of an .npy file from 0 with their numbers.
bool reject_numbers_from_zero(const std::string& file, std::vector<ColumnsKey>& keys);

/// The names of the coordinates, as the input has them.
std::vector<std::string> name_coordinates(const Parameters& p);

}  // namespace tessera::gp::input

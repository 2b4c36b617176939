// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tessera::gp {

/// The labels of groupings in a file of data.
struct GroupTable {
  std::vector<std::vector<std::string>> label;  ///< of each grouping: that of each level, sorted
  /// Of each grouping: the level of each row, NaN where the label is missing
  std::vector<std::vector<double>> level;
};

/// Reads columns of labels, text or whole numbers; `number` names a column of numbers of the file.
/// Throws Error (input) when there is no such
/// column, and for a label that is missing, unless `allow_missing`; Error (file) when the file
/// cannot be read.
GroupTable read_group_table(const std::string& path, const std::vector<std::string>& columns,
                            const std::string& number, bool allow_missing,
                            const std::string& missing_remedy);

/// Returns the level of each row of other labels in known ones; labels that are not among these
/// have numbers after theirs, the same for the same label.
std::vector<int> match_levels(const std::vector<std::string>& known, const GroupTable& other,
                              std::size_t group);

/// Says why variances of groupings cannot be told apart from each other and from the nugget, given
/// the level of each row (NaN: a row that does not count); empty where they can.
std::string describe_unidentified(const std::vector<std::string>& names,
                                  const std::vector<std::vector<double>>& level, bool has_nugget);

}  // namespace tessera::gp

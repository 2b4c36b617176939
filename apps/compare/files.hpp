// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/core/io/compare.hpp"

namespace tessera::compare {

/// A results file and what the reader knows it by.
struct NamedFile {
  std::string name, path;
};

/// Compares two results files and prints how they differ, with the datasets that are equal if they
/// are asked for. Returns whether everything is within the tolerance. Throws Error (file) when one
/// is no results file.
bool compare_files(const NamedFile& first, const NamedFile& second,
                   const io::CompareOptions& options, bool list_equal);

}  // namespace tessera::compare

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "apps/compare/run.hpp"
#include "tessera/core/io/compare.hpp"

namespace tessera::compare {

/// Backend, device, wall time and speed-up against the first, one run a line.
std::string run_table(const std::vector<BackendRun>& runs);

/// The comparison of `second` with `first` (their names for the reader): a line that sums it up,
/// then the datasets that differ, worst first, with those that are equal at the end if they are
/// asked for.
std::string difference_table(const std::string& first, const std::string& second,
                             const std::vector<io::DatasetDifference>& differences,
                             bool with_equal);

}  // namespace tessera::compare

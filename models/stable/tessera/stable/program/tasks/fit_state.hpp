// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/stable/fit/fit_types.hpp"

namespace tessera::stable {

/// Writes fits to a restart file, a dataset for each member of FitResult.
void save_fits(const io::Group& state, const std::vector<FitResult>& fits);

/// Reads them back. Throws Error (file) when there are more than `most`, and when the datasets do
/// not fit each other.
std::vector<FitResult> load_fits(const io::Group& state, std::int64_t most);

}  // namespace tessera::stable

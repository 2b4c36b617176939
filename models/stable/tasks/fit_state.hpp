// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/stable/fit_types.hpp"

namespace tessera::stable {

/// Fits as rows of numbers, for restart files.
std::vector<double> pack(const std::vector<FitResult>& fits);
std::vector<FitResult> unpack(const std::vector<double>& rows);

}  // namespace tessera::stable

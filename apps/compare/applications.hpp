// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/core/app/run_app.hpp"

namespace tessera::compare {

/// Every application whose inputs tessera-compare can run.
std::vector<Application> applications();

}  // namespace tessera::compare

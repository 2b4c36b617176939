// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/core/app/run_app.hpp"

namespace tessera::apps {

/// Every application, for programs that run the inputs of any.
std::vector<Application> applications();

}  // namespace tessera::apps

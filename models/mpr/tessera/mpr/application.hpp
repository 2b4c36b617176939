// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/app/run_app.hpp"

namespace tessera::mpr {

/// tessera-mpr: gaps in images and stacks filled, with error bars.
Application application();

}  // namespace tessera::mpr

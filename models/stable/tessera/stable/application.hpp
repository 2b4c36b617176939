// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/app/run_app.hpp"

namespace tessera::stable {

/// tessera-stable: evaluates, samples and fits alpha-stable distributions.
Application application();

}  // namespace tessera::stable

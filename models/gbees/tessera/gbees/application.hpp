// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/app/run_app.hpp"

namespace tessera::gbees {

/// tessera-gbees: a probability density carried through nonlinear dynamics, with measurements.
Application application();

}  // namespace tessera::gbees

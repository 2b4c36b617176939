// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/app/run_app.hpp"

namespace tessera::boys {

/// tessera-boys: Boys functions of a list, a grid or a file of arguments, their errors, and
/// integrals of s-type Gaussian functions made from them.
Application application();

}  // namespace tessera::boys

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/parallel/communicator.hpp"

namespace tessera::test {

/// Returns the ranks that a launcher started together; each has a device of its own.
const parallel::Communicator& ranks();

}  // namespace tessera::test

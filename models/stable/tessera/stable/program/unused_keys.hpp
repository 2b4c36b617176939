// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/config/section.hpp"
#include "tessera/stable/program/parameters.hpp"

namespace tessera::stable {

/// Records an error at every key that was declared and read, but has no use with the rest of the
/// input: nobody shall believe that a scale counts that does not. Lists of defaults have such keys
/// commented out.
void refuse_unused_keys(config::Section& root, const Parameters& p);

}  // namespace tessera::stable

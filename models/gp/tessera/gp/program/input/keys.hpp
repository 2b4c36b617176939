// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/config/section.hpp"

/// Keys that an input should not have.

namespace tessera::gp::input {

/// A key that has a use only with another one is answered with that, where it stands alone.
void reject_alone(config::Section& in, const std::string& key, const std::string& needed);

/// "a, b, c".
std::string joined(const std::vector<std::string>& names);

}  // namespace tessera::gp::input

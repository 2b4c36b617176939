// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace tessera {

/// The name that was most likely meant by a mistyped one; empty when none is near. Near is a matter
/// of letters added, dropped, replaced or swapped with a neighbour, one for each four letters and
/// one more.
std::string nearest_name(const std::string& mistyped, const std::vector<std::string>& names);

/// "a, b, c"; of more than `most` names "a, b and 17 more".
std::string join_names(const std::vector<std::string>& names,
                       std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace tessera

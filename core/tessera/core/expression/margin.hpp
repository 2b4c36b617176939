// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/expression/graph.hpp"

namespace tessera::expression {

/// Adds the margin of a condition to its graph: a number that is positive where the condition
/// holds, negative where it does not, and continuous where what it compares is. It is b - a of a <
/// b and a <= b, the smaller of two margins for `and`, the larger for `or`, and the opposite for
/// `not`.
NodeId add_margin(Graph& graph, NodeId condition);

}  // namespace tessera::expression

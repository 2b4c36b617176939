// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "tessera/gbees/dynamics/equations.hpp"

namespace tessera::gbees {

/// The dimension of a function of the state in the terms of a text, where it is known: where those
/// of all names in it are. None either of a function that is wrong.
std::optional<Dimension> function_dimension(const EquationText& text, const std::string& function);

}  // namespace tessera::gbees

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

namespace tessera::expression {

/// The value of an expression without variables, such as "2*pi/365.25" or "sqrt(2)": what `parse`
/// takes. Empty where it is none; `problem` then says why. The value may be infinite or no number.
std::optional<double> evaluate_constant(const std::string& text, std::string& problem);

}  // namespace tessera::expression

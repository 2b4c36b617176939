// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/boys/program/method.hpp"

namespace tessera::boys {

/// Returns whether a method keeps the absolute error at x >= 0 that the paper wants: 1e-13, or 3e-7
/// in single precision. False only for taylor, upward, miller and asymptotic.
bool keeps_accuracy(const MethodChoice& choice, double x, bool single_precision);

/// What to tell about the arguments where a method does not keep that accuracy; empty without any.
template <class Real>
std::string accuracy_warning(const MethodChoice& choice, const std::vector<Real>& x);

extern template std::string accuracy_warning(const MethodChoice&, const std::vector<double>&);
extern template std::string accuracy_warning(const MethodChoice&, const std::vector<float>&);

}  // namespace tessera::boys

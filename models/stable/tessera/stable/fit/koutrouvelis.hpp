// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/stable/fit/fit_types.hpp"

namespace tessera::stable {

/// Koutrouvelis' estimate from the empirical characteristic function phi: ln(-ln |phi(t)|^2) is
/// linear in ln t with the slope alpha, and the argument of phi is linear in beta and mu. The
/// values are standardised again until no parameter changes by more than 1e-6. `start` is, for
/// example, McCulloch's estimate. Good for alpha above 0.6. `values` must be finite.
FourParameters koutrouvelis(const std::vector<double>& values, const FourParameters& start);

}  // namespace tessera::stable

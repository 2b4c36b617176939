// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/gp/latent/families.hpp"

namespace tessera::gp {

/// Returns a direction of the coefficients of a mean in which no observation becomes less likely
/// however far one goes, and some become more likely, so that the likelihood has no maximum (Albert
/// and Anderson 1984); empty: there is none. It is one where, with the predictors' changes x' d,
///
/// - of 0 and 1: x' d >= 0 at all 1 and <= 0 at all 0 (a plane separates them, some may lie in it);
/// - of counts: x' d = 0 at all counts above 0, and <= 0 at the others;
///
/// and not all are 0. Other families have none. A Gaussian field beside the mean changes nothing
/// about it. The steps of Newton's method for the coefficients without a field tend to such a
/// direction, whose changes are checked, to 1e-6 of the largest. `columns`: linearly independent.
std::vector<double> find_separation(const Response& response, const std::vector<double>& values,
                                    const std::vector<double>& offset,
                                    const std::vector<std::vector<double>>& columns);

}  // namespace tessera::gp

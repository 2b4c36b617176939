// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "tessera/gp/covariance/covariance.hpp"

namespace tessera::gp {

/// The correlation in space of theta on the host, as a function of the square of the distance
/// divided by the range (or of the sum of such squares). Kokkos must be running.
std::function<double(double)> host_correlation(const CovarianceModel& model, const Theta& theta);

}  // namespace tessera::gp

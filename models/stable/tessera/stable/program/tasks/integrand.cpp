// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/tasks/integrand.hpp"

#include <cmath>

#include "tessera/core/app/signals.hpp"
#include "tessera/stable/law/nolan.hpp"

namespace tessera::stable {

namespace {

/// The integrand at a standard x to the right of zeta.
void append_right(const StableDistribution& distribution, double x, double distance,
                  std::int64_t places, Integrand& found) {
  const bool closed = !(std::fabs(x) < INFINITY) ||
                      (distribution.at_one ? distribution.beta == 0 : distance == 0) ||
                      (distribution.alpha < 1 && distribution.beta == -1);
  if (closed) {
    found.theta.insert(found.theta.end(), static_cast<std::size_t>(places), NAN);
    found.value.insert(found.value.end(), static_cast<std::size_t>(places), NAN);
    return;
  }
  const detail::NolanIntegrand integrand = detail::make_nolan(distribution, x, distance);
  for (std::int64_t i = 0; i < places; ++i) {
    const double from_start =
        integrand.length * static_cast<double>(i) / static_cast<double>(places - 1);
    const bool second = 2 * i >= places;
    const double from_end =
        integrand.length * static_cast<double>(places - 1 - i) / static_cast<double>(places - 1);
    const double log_g = second ? integrand.log_g(1, from_end) : integrand.log_g(0, from_start);
    found.theta.push_back(kHalfPi - integrand.length + from_start);
    // At the ends g is 0 or infinite, and there is nothing to integrate.
    const double value = std::exp(log_g - std::exp(log_g));
    const bool at_end = i == 0 || i == places - 1;
    found.value.push_back(at_end && std::isnan(value) ? 0 : value);
  }
}

}  // namespace

Integrand make_integrand(const Parameters& p, const Curves& curves, std::size_t k,
                         const PointRange& points) {
  const StableDistribution given(curves.alpha[k], curves.beta[k]);
  const LocationScale where = resolve_mode(given, p.where());
  Integrand found;
  for (std::size_t i = points.first; i < points.second; ++i) {
    stop_at_signal();
    double x, distance;
    where.standardize(given, curves.points[i], x, distance);
    const bool reflected = given.at_one ? given.beta < 0 : distance < 0;
    append_right(reflected ? given.mirrored() : given, reflected ? -x : x,
                 reflected ? -distance : distance, p.integrand, found);
  }
  return found;
}

}  // namespace tessera::stable

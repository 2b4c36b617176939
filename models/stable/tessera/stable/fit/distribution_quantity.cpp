// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/fit/distribution_quantity.hpp"

#include <cstdio>

#include "tessera/core/error.hpp"
#include "tessera/stable/fit/location_anchor.hpp"

namespace tessera::stable {

namespace {

/// Quantiles and shortfalls are sign (mu + sigma a), with the anchor a of a location and a
/// probability.
struct AnchorOf {
  Location location;
  double probability, sign;

  explicit AnchorOf(const Quantity& quantity)
      : location(quantity.kind == QuantityKind::expected_shortfall ? Location::shortfall
                                                                   : Location::quantile),
        probability(quantity.kind == QuantityKind::quantile ? quantity.level : 1 - quantity.level),
        sign(quantity.kind == QuantityKind::quantile ? 1 : -1) {
    if (!(quantity.level > 0 && quantity.level < 1)) {
      throw Error(ErrorKind::input,
                  "stable: a quantile, value at risk or expected shortfall of level " +
                      std::to_string(quantity.level),
                  "give a level between 0 and 1");
    }
  }
};

}  // namespace

std::string name(const Quantity& quantity) {
  const char* const names[] = {"alpha", "beta", "sigma", "mu", "quantile", "VaR", "ES"};
  std::string text = names[static_cast<int>(quantity.kind)];
  if (quantity.is_parameter()) return text;
  char level[32];
  std::snprintf(level, sizeof level, " %g", quantity.level);
  return text + level;
}

double evaluate(const Quantity& quantity, const FourParameters& distribution) {
  const double values[4] = {distribution.alpha, distribution.beta, distribution.sigma,
                            distribution.mu};
  if (quantity.is_parameter()) return values[quantity.parameter()];
  const AnchorOf anchor(quantity);
  return anchor.sign *
         (distribution.mu +
          distribution.sigma * detail::anchor_value(anchor.location, anchor.probability,
                                                    distribution.alpha, distribution.beta));
}

std::array<double, 4> find_gradient(const Quantity& quantity, const FourParameters& distribution) {
  std::array<double, 4> gradient{};
  if (quantity.is_parameter()) {
    gradient[static_cast<std::size_t>(quantity.parameter())] = 1;
    return gradient;
  }
  const AnchorOf anchor(quantity);
  const detail::AnchorPoints points{distribution.alpha, distribution.beta};
  double values[detail::AnchorPoints::kCount];
  for (int k = 0; k < detail::AnchorPoints::kCount; ++k) {
    values[k] = detail::anchor_value(anchor.location, anchor.probability, points.alpha_at(k),
                                     points.beta_at(k));
  }
  const detail::Anchor a = points.combine(values);
  return {anchor.sign * distribution.sigma * a.d_alpha, anchor.sign * distribution.sigma * a.d_beta,
          anchor.sign * a.value, anchor.sign};
}

std::array<double, 2> find_range(const Quantity& quantity) {
  switch (quantity.kind) {
    case QuantityKind::alpha:
      return {kMinAlpha, kMaxAlpha};
    case QuantityKind::beta:
      return {-1, 1};
    case QuantityKind::sigma:
      return {0, INFINITY};
    default:
      return {-INFINITY, INFINITY};
  }
}

FitTask hold(const Quantity& quantity, double value, FitTask task, const FourParameters& start) {
  task.start = start;
  if (quantity.is_parameter()) {
    task.fixed |= 1 << quantity.parameter();
    task.fixed_value[quantity.parameter()] = value;
    return task;
  }
  if (task.is_fixed(3))
    throw Error(ErrorKind::input,
                "stable: " + name(quantity) + " cannot be held in a fit whose mu is fixed");
  const AnchorOf anchor(quantity);
  task.location = anchor.location;
  task.probability = anchor.probability;
  task.fixed |= 8;
  task.fixed_value[3] = anchor.sign * value;
  return task;
}

}  // namespace tessera::stable

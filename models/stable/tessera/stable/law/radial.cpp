// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/law/radial.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/core/error.hpp"

namespace tessera::stable::detail {

namespace {

constexpr int kRule = 16;

/// Nodes and weights of Gauss' and Legendre's rule on [-1, 1].
struct GaussLegendre {
  double node[kRule], weight[kRule];

  GaussLegendre() {
    for (int i = 0; i < kRule; ++i) {
      double x = std::cos(kPi * (i + 0.75) / (kRule + 0.5)), slope = 0;
      for (int step = 0; step < 8; ++step) {
        double p = 1, before = 0;
        for (int n = 1; n <= kRule; ++n) {
          const double next = ((2 * n - 1) * x * p - (n - 1) * before) / n;
          before = p;
          p = next;
        }
        slope = kRule * (x * p - before) / (x * x - 1);
        x -= p / slope;
      }
      node[i] = x;
      weight[i] = 2 / ((1 - x * x) * slope * slope);
    }
  }
};

void add_panel(double low, double high, RadialNodes& nodes) {
  static const GaussLegendre rule;
  for (int i = kRule - 1; i >= 0; --i) {  // ascending
    nodes.offset.push_back(0.5 * (low + high + (high - low) * rule.node[i]));
    nodes.weight.push_back(0.5 * (high - low) * rule.weight[i]);
  }
}

}  // namespace

RadialNodes place_radial_nodes(double alpha, int dimension, double farthest) {
  if (!(alpha >= kLeastEllipticalAlpha && alpha <= 2)) {
    throw Error(ErrorKind::input, "stable: alpha of an elliptical law is " + std::to_string(alpha),
                "it is from 0.2 to 2");
  }
  if (dimension < 1 || dimension > kMostDimensions) {
    throw Error(ErrorKind::input,
                "stable: an elliptical law of " + std::to_string(dimension) + " dimensions",
                "they are 1 to 100");
  }
  if (!(farthest >= 0 && farthest <= kFarthest)) {
    throw Error(ErrorKind::input, "stable: a radius of " + std::to_string(farthest),
                "radii are at most 1e60 units of the shape");
  }
  RadialNodes nodes{alpha, dimension, {}, {}};
  if (alpha == 2) {
    nodes.offset = {0};
    nodes.weight = {1};
    return nodes;
  }
  // Panels have the width of the law at its centre, and grow away from it to 1. They end where
  // nothing is left: on the left at r = 0, on the right for the farthest point.
  constexpr double kGrowth = 1.3, kWidest = 1, kNothing = -50;
  const PositiveStable law(alpha);
  const double first = std::min(0.5 / law.tangent, kWidest);
  const auto exponent = [&](double x, double square) {
    const PositiveStable::Value v = law.at<Quantities::pdf>(x);
    return v.log_density - 0.5 * dimension * v.log_w - 0.25 * square * std::exp(-v.log_w);
  };
  std::vector<double> left{0.0};
  double width = first, top = exponent(0, 0);
  for (double before = top;;) {
    left.push_back(left.back() - width);
    const double now = exponent(left.back(), 0);
    top = std::max(top, now);
    if (now < top + kNothing && now < before) break;
    before = now;
    width = std::min(width * (law.tangent > 1 && left.back() < -8 / law.tangent ? kGrowth : 1.0),
                     kWidest);
  }
  for (std::size_t k = left.size() - 1; k > 0; --k) add_panel(left[k], left[k - 1], nodes);
  width = first;
  top = exponent(0, farthest * farthest);
  const double index = 0.5 * (alpha + dimension),
               end = std::log(0.25 * farthest * farthest + 1) - kNothing / index - law.log_centre;
  for (double at = 0; at < end;) {
    add_panel(at, at + width, nodes);
    at += width;
    if (at > 8 / law.tangent) width = std::min(width * kGrowth, kWidest);
  }
  return nodes;
}

}  // namespace tessera::stable::detail

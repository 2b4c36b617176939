// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/gp/covariance/covariance.hpp"

/// Covariances of every kind that Vecchia's approximation knows, for the tests of its solver.

namespace tessera::test {

struct Case {
  std::string name;
  gp::CovarianceModel model;
  gp::Theta theta;
};

inline std::vector<Case> cases() {
  std::vector<Case> list;
  gp::CovarianceModel matern;
  matern.has_nugget = true;
  list.push_back({"matern", matern, {1.3, 0.2, 0.8, 0.05}});
  gp::CovarianceModel scaled = matern;
  scaled.convention = gp::RangeConvention::scaled;
  list.push_back({"scaled", scaled, {1.3, 0.2, 1.2, 0.05}});
  gp::CovarianceModel plain;
  list.push_back({"without nugget", plain, {1.3, 0.1, 0.6}});
  gp::CovarianceModel line = matern;
  line.dimension = 1;
  list.push_back({"line", line, {1.3, 0.2, 0.8, 0.05}});
  gp::CovarianceModel stretched = matern;
  stretched.anisotropic = true;
  list.push_back({"anisotropic", stretched, {1.3, 0.2, 0.5, 0.8, 0.05}});
  gp::CovarianceModel space = stretched;
  space.dimension = 3;
  list.push_back({"space", space, {1.3, 0.2, 0.5, 0.3, 0.8, 0.05}});
  gp::CovarianceModel timed = matern;
  timed.has_time = true;
  list.push_back({"time", timed, {1.3, 0.2, 0.8, 2.0, 0.05}});
  gp::CovarianceModel interacting = timed;
  interacting.time_model = gp::TimeModel::gneiting;
  list.push_back({"gneiting", interacting, {1.3, 0.2, 0.8, 2.0, 0.7, 0.6, 0.05}});
  gp::CovarianceModel turning = interacting;
  turning.anisotropic = turning.rotated = turning.has_delta = true;
  turning.convention = gp::RangeConvention::scaled;
  list.push_back({"gneiting, delta and rotated ranges",
                  turning,
                  {1.3, 0.2, 0.5, 0.4, 0.8, 2.0, 0.5, 0.8, 0.3, 0.05}});
  gp::CovarianceModel around = interacting;
  around.family = gp::Family::powered_exponential;
  around.metric = gp::Metric::chordal;
  list.push_back({"gneiting, powered exponential on the sphere",
                  around,
                  {1.3, 900, 1.1, 2.0, 0.7, 0.6, 0.05}});
  gp::CovarianceModel half = matern;
  half.family = gp::Family::matern32;
  list.push_back({"matern32", half, {1.3, 0.2, 0.05}});
  gp::CovarianceModel power = matern;
  power.family = gp::Family::powered_exponential;
  list.push_back({"powered exponential", power, {1.3, 0.2, 1.1, 0.05}});
  gp::CovarianceModel square = matern;
  square.family = gp::Family::squared_exponential;
  list.push_back({"squared exponential", square, {1.3, 0.2, 0.05}});
  gp::CovarianceModel sphere = matern;
  sphere.metric = gp::Metric::great_circle;
  list.push_back({"sphere", sphere, {1.3, 900, 0.4, 0.05}});
  gp::CovarianceModel chordal = matern;
  chordal.metric = gp::Metric::chordal;
  list.push_back({"chordal", chordal, {1.3, 900, 1.4, 0.05}});
  gp::CovarianceModel turned = stretched;
  turned.rotated = true;
  list.push_back({"rotated", turned, {1.3, 0.2, 0.5, 0.4, 0.8, 0.05}});
  gp::CovarianceModel turned_space = space;
  turned_space.rotated = true;
  list.push_back(
      {"rotated in space", turned_space, {1.3, 0.2, 0.5, 0.3, 0.4, -0.7, 1.1, 0.8, 0.05}});
  gp::CovarianceModel many = stretched;
  many.dimension = 5;
  list.push_back({"five ranges", many, {1.3, 0.4, 0.9, 0.6, 2.0, 0.5, 0.8, 0.05}});
  gp::CovarianceModel many_scaled = many;
  many_scaled.convention = gp::RangeConvention::scaled;
  many_scaled.has_time = true;
  list.push_back({"scaled, five ranges and time",
                  many_scaled,
                  {1.3, 0.4, 0.9, 0.6, 2.0, 0.5, 0.8, 2.0, 0.05}});
  gp::CovarianceModel many_half = matern;
  many_half.family = gp::Family::matern52;
  many_half.dimension = 8;
  list.push_back({"matern52 of eight coordinates", many_half, {1.3, 0.9, 0.05}});
  gp::CovarianceModel many_square = many;
  many_square.family = gp::Family::squared_exponential;
  list.push_back(
      {"squared exponential, five ranges", many_square, {1.3, 0.4, 0.9, 0.6, 2.0, 0.5, 0.05}});
  return list;
}

}  // namespace tessera::test

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/gp/covariance/covariance.hpp"

namespace tessera::gp {

/// Points in space, and in time if `time` is not empty, in the user's units. On the sphere the
/// coordinates are latitude and longitude in degrees.
struct Points {
  std::vector<std::vector<double>> coordinate;  ///< one vector a coordinate, 1 to 32
  std::vector<double> time;
  std::vector<std::vector<double>> covariate = {};  ///< more columns of the trend, if any
  /// Known variances of the observations' errors, >= 0, beside the nugget; empty: none
  std::vector<double> error_variance = {};
  /// The variable, from 0 on, that is observed at each point; empty: there is one
  std::vector<int> variable = {};
  /// Of each grouping (group_solver.hpp) the level of each point, from 0 on; -1: not known. Empty:
  /// there are no groupings, or nothing is known of them
  std::vector<std::vector<int>> level = {};
  /// The covariates that the covariance depends on, by LocalModel::covariates
  std::vector<std::vector<double>> local = {};

  std::size_t size() const { return coordinate.empty() ? 0 : coordinate[0].size(); }
  int variable_of(std::size_t i) const { return variable.empty() ? 0 : variable[i]; }
  int dimension() const { return static_cast<int>(coordinate.size()); }

  /// The points of these numbers, in that order.
  Points subset(const std::vector<std::size_t>& rows) const;

  /// "(0.25, 0.5)", for messages.
  std::string text(std::size_t i) const;
};

/// Returns the columns that kernels take (three coordinates or more, unit vectors on the sphere;
/// the time, or the number of the variable), column by column.
std::vector<double> pack(const CovarianceModel& model, const Points& points);

/// Distance in space of two points in the model's metric, without ranges.
double distance(const CovarianceModel& model, const Points& points, std::size_t i, std::size_t j);

/// Pairs (first, second row) of points at the same location and time, and of the same variable,
/// sorted; on the sphere longitudes that differ by 360 degrees are the same, and so are all of them
/// at a pole. Cost n log n.
std::vector<std::pair<std::size_t, std::size_t>> find_duplicates(const CovarianceModel& model,
                                                                 const Points& points);

/// Points that no error tells apart: of all pairs at the same location and time, one whose larger
/// error variance is least. A covariance is singular where this variance and the nugget vanish
/// beside sigma2.
struct Coincidence {
  std::size_t row;        ///< the second of the pair
  double error_variance;  ///< the larger of the two
};
std::optional<Coincidence> find_coincidence(const CovarianceModel& model, const Points& points);

/// Pairs of points that are apart, but by less than a millionth of the usual spacing of the points:
/// where a field is smooth they count as one place, as far as rounding allows to tell. For a field
/// that is not smooth (matern12) the limit is 1e-10 of the spacing. Each pair is (first, second
/// row), sorted. Cost n log n.
std::vector<std::pair<std::size_t, std::size_t>> find_close_pairs(const CovarianceModel& model,
                                                                  const Points& points);

/// The columns of the trend at the points: none, 1, 1 and the coordinates (on the sphere latitude
/// and longitude), or their squares and products too; shifted and scaled by the middle and the half
/// width of the reference points, so that they are of order one. Then the covariates as they are.
/// On the sphere longitudes count from the middle of the arc of extent(), from -180 to 180 degrees,
/// so that the trend has no step at the date line.
enum class Mean { zero, constant, linear, quadratic };
/// Where the reference points have several variables there is a column for each of them in the
/// place of every column, which is 0 at points of other variables.
std::vector<std::vector<double>> trend(Mean mean, const Points& points, const Points& reference,
                                       Metric metric = Metric::euclidean);

/// Names the columns of the trend, given the names of the coordinates, of the covariates and, where
/// there are several, of the variables.
std::vector<std::string> trend_names(Mean mean, const std::vector<std::string>& coordinates,
                                     const std::vector<std::string>& covariates,
                                     const std::vector<std::string>& variables = {});

/// Returns all points once for each of the variables, those of a variable after another.
Points repeat_for_variables(const Points& points, int variables);

/// Middle and half width of each coordinate of the points; the half width is 1 where they do not
/// differ. On the sphere the longitudes are those of an arc that leaves out their widest gap, where
/// that is wider than 90 degrees, and by 10 than the one between the largest and the smallest
/// number: points at 179 and -179 degrees span 2 degrees about 180.
std::pair<std::vector<double>, std::vector<double>> extent(const Points& points,
                                                           Metric metric = Metric::euclidean);

}  // namespace tessera::gp

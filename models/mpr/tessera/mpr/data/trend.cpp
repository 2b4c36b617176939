// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/trend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/mpr/data/companion_field.hpp"
#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/parameters.hpp"

namespace tessera::mpr {

namespace {

/// The part of the variance of a column of which more must be left when those before it are taken
/// off.
constexpr double kLeastOwn = 1e-8;

}  // namespace

void throw_constant_field(const std::string& file) {
  throw Error(ErrorKind::input,
              "the field of the trend '" + file + "' has the same value at all sites",
              "leave it out: the level of the data is estimated anyway");
}

void throw_dependent_column(const std::string& where, const std::string& column) {
  throw Error(ErrorKind::input,
              "at the samples" + where + " the column '" + column +
                  "' of the trend is constant or a combination of those before it",
              "leave it out, or lower trend.polynomial");
}

std::string name_of_column(const std::string& file, const std::string& dataset) {
  const std::string& from = dataset.empty() ? file : dataset;
  const std::string name = from.substr(from.rfind('/') + 1);
  return dataset.empty() ? name.substr(0, name.rfind('.')) : name;
}

double Monomial::at(const Grid& grid, const std::array<std::int64_t, 3>& place) const {
  const std::array<int, 3> size{grid.nx, grid.ny, grid.nz};
  double product = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    const double along = size[a] > 1 ? 2.0 * static_cast<double>(place[a]) / (size[a] - 1) - 1 : 0;
    for (int k = 0; k < power[a]; ++k) product *= along;
  }
  return product;
}

std::vector<Monomial> monomials(const Grid& grid, int degree) {
  const std::array<int, 3> size{grid.nx, grid.ny, grid.nz};
  const std::array<std::string, 3> names{"x", "y", "z"};
  std::vector<Monomial> found;
  for (std::array<int, 3> power{1, 0, 0}; degree > 0;) {
    const int total = power[0] + power[1] + power[2];
    bool exists = true;
    Monomial monomial{"", power};
    for (std::size_t a = 0; a < 3; ++a) {
      exists = exists && (power[a] == 0 || size[a] > power[a]);
      for (int k = 0; k < power[a]; ++k) monomial.name += names[a];
    }
    if (exists) found.push_back(std::move(monomial));
    // The next exponents of the same degree, in the order xx, xy, xz, yy, yz, zz; then those of the
    // next degree.
    if (power[2] == total) {
      if (total == degree) break;
      power = {total + 1, 0, 0};
    } else if (power[1] > 0) {
      --power[1];
      ++power[2];
    } else {
      const int rest = power[2] + 1;
      --power[0];
      power[1] = rest;
      power[2] = 0;
    }
  }
  return found;
}

Trend Trend::make(const TrendParameters& parameters, const Field& field, int* failed) {
  Trend trend;
  for (std::size_t k = 0; k < parameters.fields.size(); ++k) {
    if (failed) *failed = static_cast<int>(k);
    CompanionFile file{parameters.fields[k], "", {1}};
    if (!parameters.datasets.empty()) file.dataset = parameters.datasets[k];
    Column column{name_of_column(file.file, file.dataset),
                  read_companion(file, field, rules_of_active("field of the trend"))};
    if (!standardize(column, field)) throw_constant_field(file.file);
    trend.m_columns.push_back(std::move(column));
  }
  trend.add_monomials(field, parameters.polynomial);
  trend.m_period = static_cast<std::size_t>(field.grid.sites());
  for (const Column& column : trend.m_columns)
    trend.m_period = std::max(trend.m_period, column.values.size());
  for (int f = 0; f < field.frames; ++f) {
    const std::size_t dependent = trend.find_dependent(field, f);
    if (dependent == trend.size()) continue;
    if (failed) *failed = dependent < parameters.fields.size() ? static_cast<int>(dependent) : -1;
    throw_dependent_column(field.frames > 1 ? " of frame " + std::to_string(f) : std::string(),
                           trend.m_columns[dependent].name);
  }
  if (failed) *failed = -1;
  return trend;
}

void Trend::add_monomials(const Field& field, int degree) {
  const Grid& grid = field.grid;
  for (const Monomial& monomial : monomials(grid, degree)) {
    Column column{monomial.name, std::vector<double>(static_cast<std::size_t>(grid.sites()))};
    for (std::size_t i = 0; i < column.values.size(); ++i) {
      const Position at = grid.position(static_cast<std::int64_t>(i));
      column.values[i] = monomial.at(grid, {at.x, at.y, at.z});
    }
    m_columns.push_back(std::move(column));
  }
}

bool Trend::standardize(Column& column, const Field& field) {
  const std::size_t period = column.values.size();
  std::vector<bool> used(period, false);
  for (std::size_t site = 0; site < field.status.size(); ++site)
    used[site % period] = used[site % period] || field.status[site] != kInactive;
  double mean = 0, square = 0, count = 0;
  for (std::size_t i = 0; i < period; ++i) {
    if (!used[i]) continue;
    count += 1;
    mean += (column.values[i] - mean) / count;
  }
  for (std::size_t i = 0; i < period; ++i) {
    if (!used[i]) column.values[i] = mean;
    column.values[i] -= mean;
    square += column.values[i] * column.values[i];
  }
  column.scale = std::sqrt(square / std::max(count, 1.0));
  if (!(column.scale > 1e-12 * std::fabs(mean))) return false;
  for (double& value : column.values) value /= column.scale;
  return true;
}

std::size_t Trend::find_dependent(const Field& field, int frame) const {
  const std::size_t sites = static_cast<std::size_t>(field.grid.sites()),
                    first = static_cast<std::size_t>(frame) * sites, p = size();
  std::vector<double> mean(p, 0);
  double count = 0;
  for (std::size_t i = first; i < first + sites; ++i) {
    if (field.status[i] != kSample) continue;
    count += 1;
    for (std::size_t j = 0; j < p; ++j) mean[j] += (value(j, i) - mean[j]) / count;
  }
  // nothing to fill, or an error of its own
  if (count == static_cast<double>(sites) || count == 0) return p;
  linalg::Matrix gram(p, std::vector<double>(p, 0));
  for (std::size_t i = first; i < first + sites; ++i) {
    if (field.status[i] != kSample) continue;
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = 0; k <= j; ++k)
        gram[j][k] += (value(j, i) - mean[j]) * (value(k, i) - mean[k]);
    }
  }
  return find_dependent(std::move(gram), count);
}

std::size_t Trend::find_dependent(linalg::Matrix gram, double count) {
  // Cholesky's factorisation: what is left of a column when those before it are taken off.
  for (std::size_t j = 0; j < gram.size(); ++j) {
    const double whole = gram[j][j];
    for (std::size_t k = 0; k <= j; ++k) {
      for (std::size_t l = 0; l < k; ++l) gram[j][k] -= gram[j][l] * gram[k][l];
      if (k < j) gram[j][k] /= gram[k][k];
    }
    if (!(gram[j][j] > kLeastOwn * whole) || !(whole > kLeastOwn * count)) return j;
    gram[j][j] = std::sqrt(gram[j][j]);
  }
  return gram.size();
}

std::string describe_trend(const Trend& trend, const TrendReport& report) {
  std::string text;
  for (std::size_t j = 0; j < report.coefficient.size(); ++j) {
    char number[80];
    std::snprintf(number, sizeof number, " %.5g +- %.2g", report.coefficient[j], report.error[j]);
    text += (j > 0 ? ", " : "") + trend.columns()[j].name + number;
  }
  return text;
}

}  // namespace tessera::mpr

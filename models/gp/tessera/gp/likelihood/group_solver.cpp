// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/likelihood/group_solver.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "tessera/core/device/memory.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/linalg/dense.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gp/points/not_positive_definite.hpp"

namespace tessera::gp {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using linalg::Block;

constexpr std::size_t kMostNumbers = std::size_t(1) << 25;  // of targets and unknowns at a time

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// A column-major matrix in a vector.
Block block(std::vector<double>& values, std::size_t rows) {
  const auto count = static_cast<std::int64_t>(rows);
  return {values.data(), count,
          static_cast<std::int64_t>(values.size()) / std::max(count, std::int64_t(1)), count};
}

/// Makes an identity, or the first columns of one.
std::vector<double> identity(std::size_t rows, std::size_t columns) {
  std::vector<double> values(rows * columns, 0.0);
  for (std::size_t k = 0; k < columns; ++k) values[k + k * rows] = 1;
  return values;
}

/// The element of a symmetric matrix of which the lower triangle is there.
double element(const std::vector<double>& lower, std::size_t rows, std::size_t i, std::size_t j) {
  return lower[std::max(i, j) + std::min(i, j) * rows];
}

std::vector<std::vector<double>> take_rows(const std::vector<std::vector<double>>& columns,
                                           const std::vector<std::size_t>& rows) {
  std::vector<std::vector<double>> taken;
  for (const std::vector<double>& column : columns) {
    std::vector<double>& to = taken.emplace_back();
    for (const std::size_t i : rows) to.push_back(column[i]);
  }
  return taken;
}

}  // namespace

GroupSolver::GroupSolver(const CovarianceModel& model, const Points& points, const Make& make)
    : m_model(model), m_points(points), m_make(make) {
  number_levels();
  Points of_field = points;
  of_field.level.clear();
  m_solver = make(of_field);
  require_memory();
}

/// Gives each level that has observations a column.
void GroupSolver::number_levels() {
  for (std::size_t g = 0; g < m_model.groups.size(); ++g) {
    const std::vector<int>& of = m_points.level.at(g);
    if (std::any_of(of.begin(), of.end(), [](int level) { return level < 0; }))
      throw Error(ErrorKind::input,
                  "an observation has no level of the grouping '" + m_model.groups[g] + "'",
                  "give each observation a level");
    std::vector<int>& levels = m_level.emplace_back(of);
    std::sort(levels.begin(), levels.end());
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    std::vector<int>& number = m_number.emplace_back(levels.empty() ? 0 : levels.back() + 1, -1);
    for (std::size_t k = 0; k < levels.size(); ++k)
      number[static_cast<std::size_t>(levels[k])] = static_cast<int>(k);
    m_first.push_back(m_effects);
    m_effects += levels.size();
  }
}

/// The products of all levels, the factor of their system, and two matrices of a gradient; and the
/// columns of a call of the solver within, with its copies.
void GroupSolver::require_memory() const {
  constexpr double kTrend = 32;
  const double columns = static_cast<double>(m_effects) + kTrend,
               at_a_time = std::min(columns, static_cast<double>(m_solver->most_columns())),
               numbers = columns * columns + at_a_time * static_cast<double>(m_points.size());
  require_host_memory(32 * numbers,
                      "the system of the " + std::to_string(m_effects) + " levels of the groupings",
                      "leave out the grouping with the most levels, or join levels of it");
}

bool GroupSolver::prepare(const Theta& theta) {
  const bool changed = m_solver->prepare(of_field(theta));
  if (changed) m_solved_at.clear();
  return changed;
}

std::vector<double> GroupSolver::simulate(const Theta& theta, const std::vector<double>& normals,
                                          const std::vector<double>& noise) {
  return m_solver->simulate(of_field(theta), normals, noise);
}

void GroupSolver::set_data(const std::vector<double>& values,
                           const std::vector<std::vector<double>>& trend) {
  m_values = values;
  m_trend = trend;
  m_solved_at.clear();
  take_mean_away();
  make_design();
}

void GroupSolver::set_error_variance(const std::vector<double>& variance) {
  m_points.error_variance = variance;
  m_solver->set_error_variance(variance);
  m_solved_at.clear();
}

/// The residuals of an ordinary regression take the place of the data, so that sums of squares lose
/// no digits to a large mean.
void GroupSolver::take_mean_away() {
  const std::size_t n = m_points.size(), trends = m_trend.size();
  m_offset.assign(trends * replicates(), 0.0);
  if (trends == 0) return;
  linalg::Matrix normal;
  for (const std::vector<double>& column : m_trend) {
    std::vector<double>& row = normal.emplace_back();
    for (const std::vector<double>& other : m_trend) row.push_back(dot(column, other));
  }
  const linalg::Matrix inverse = linalg::inverse_positive_definite(normal);
  for (std::size_t r = 0; r < replicates(); ++r) {
    double* const z = m_values.data() + r * n;
    const std::vector<double> given(z, z + n);
    for (std::size_t k = 0; k < trends; ++k) {
      double& coefficient = m_offset[k + r * trends];
      for (std::size_t l = 0; l < trends; ++l)
        coefficient += inverse[k][l] * dot(m_trend[l], given);
      for (std::size_t i = 0; i < n; ++i) z[i] -= coefficient * m_trend[k][i];
    }
  }
}

void GroupSolver::make_design() {
  const std::size_t n = m_points.size();
  m_design = {};
  m_design.rows = n;
  m_design.sparse = m_effects;
  m_design.begin.push_back(0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t g = 0; g < groups(); ++g)
      m_design.column.push_back(static_cast<std::uint32_t>(
          m_first[g] +
          static_cast<std::size_t>(m_number[g][static_cast<std::size_t>(m_points.level[g][i])])));
    m_design.begin.push_back(m_design.column.size());
  }
  m_design.value.assign(m_design.column.size(), 1.0);
  m_design.dense = m_trend;
  for (std::size_t r = 0; r < replicates(); ++r)
    m_design.dense.emplace_back(m_values.begin() + static_cast<std::ptrdiff_t>(r * n),
                                m_values.begin() + static_cast<std::ptrdiff_t>((r + 1) * n));
}

std::vector<double> GroupSolver::scales(const Theta& theta) const {
  std::vector<double> scale;
  for (std::size_t g = 0; g < groups(); ++g)
    scale.insert(scale.end(), m_level[g].size(), std::sqrt(variance(theta, g)));
  scale.insert(scale.end(), m_trend.size(), 1.0);
  return scale;
}

/// Finds coefficients, effects and what the likelihood consists of; returns false where theta gives
/// no likelihood, and why.
bool GroupSolver::solve(const Theta& theta, std::string& problem) {
  problem = check(m_model, theta);
  if (!problem.empty()) return false;
  if (m_solved_at == theta) return true;
  m_solved_at.clear();
  const std::size_t n = m_points.size();
  m_solver->set_columns(std::vector<double>(n, 0.0), 1);
  const Evaluation field = m_solver->evaluate(of_field(theta), false);
  problem = field.problem;
  if (!field.valid) return false;
  m_field_loglik = field.loglik;
  m_products = m_solver->products(of_field(theta), m_design);
  if (!solve_system(theta, problem)) return false;
  m_solved_at = theta;
  return true;
}

/// The system is that of D u and b, with the matrix [M, D Z' P X; X' P Z D, X' P X].
bool GroupSolver::solve_system(const Theta& theta, std::string& problem) {
  const logging::Region region("tessera::gp::solve_groups");
  const std::size_t k = unknowns(), all = m_design.columns();
  const std::vector<double> scale = scales(theta);
  m_factor.assign(k * k, 0.0);
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t i = j; i < k; ++i)
      m_factor[i + j * k] = scale[i] * scale[j] * m_products[i + j * all];
    if (j < m_effects) m_factor[j + j * k] += 1;
  }
  linalg::Dense<Host> dense(Host(), static_cast<std::int64_t>(k));
  const std::int64_t failed = dense.factor(block(m_factor, k));
  if (failed > static_cast<std::int64_t>(m_effects))
    throw Error(ErrorKind::numerical,
                "the columns of the trend are linearly dependent at these points",
                "use mean: constant, or add points that span all coordinates");
  problem = "the system of the levels of the groupings is not positive definite";
  if (failed != 0) return false;
  m_coefficient.clear();
  for (std::size_t r = 0; r < replicates(); ++r) {
    for (std::size_t i = 0; i < k; ++i)
      m_coefficient.push_back(scale[i] * m_products[k + r + i * all]);
  }
  dense.solve(block(m_factor, k), block(m_coefficient, k));
  Host().fence();
  long double logs = 0;
  for (std::size_t i = 0; i < m_effects; ++i)
    logs += std::log(static_cast<long double>(m_factor[i + i * k]));
  m_log_determinant = static_cast<double>(2 * logs);
  m_quadratic.clear();
  for (std::size_t r = 0; r < replicates(); ++r) {
    long double left = m_products[(k + r) * (all + 1)];
    for (std::size_t i = 0; i < k; ++i)
      left -= static_cast<long double>(m_coefficient[i + r * k]) * m_coefficient[i + r * k];
    m_quadratic.push_back(static_cast<double>(left));
  }
  dense.solve_transposed(block(m_factor, k), block(m_coefficient, k));
  Host().fence();
  for (std::size_t i = 0; i < m_coefficient.size(); ++i) m_coefficient[i] *= scale[i % k];
  problem.clear();
  return true;
}

void GroupSolver::require_solution(const Theta& theta) {
  std::string problem;
  if (solve(theta, problem)) return;
  throw Error(ErrorKind::numerical, problem, remedy_not_positive_definite(m_model));
}

/// Returns what mean and effects leave of the data: w, a column a replicate.
std::vector<double> GroupSolver::residuals() const {
  const std::size_t n = m_points.size(), k = unknowns();
  std::vector<double> rest = m_values;
  for (std::size_t r = 0; r < replicates(); ++r) {
    const double* const coefficient = m_coefficient.data() + r * k;
    for (std::size_t i = 0; i < n; ++i) {
      double& w = rest[i + r * n];
      for (std::size_t at = m_design.begin[i]; at < m_design.begin[i + 1]; ++at)
        w -= coefficient[m_design.column[at]];
      for (std::size_t j = 0; j < m_trend.size(); ++j)
        w -= coefficient[m_effects + j] * m_trend[j][i];
    }
  }
  return rest;
}

Evaluation GroupSolver::evaluate(const Theta& theta, bool with_gradient, bool with_information) {
  if (with_information)
    throw Error(ErrorKind::input, "groupings have no Fisher's information",
                "maximise by gradients");
  Evaluation evaluation;
  if (!solve(theta, evaluation.problem)) return evaluation;
  const auto count = static_cast<double>(replicates());
  evaluation.loglik = count * (m_field_loglik - 0.5 * m_log_determinant);
  for (const double quadratic : m_quadratic) evaluation.loglik -= 0.5 * quadratic;
  evaluation.valid = std::isfinite(evaluation.loglik);
  if (!evaluation.valid) evaluation.problem = "the likelihood is not finite";
  if (!with_gradient || !evaluation.valid) return evaluation;
  evaluation.gradient = field_gradient(theta, evaluation.problem);
  evaluation.valid = evaluation.problem.empty();
  if (!evaluation.valid) return evaluation;
  const std::vector<double> of_groups = variance_gradient(theta);
  evaluation.gradient.insert(evaluation.gradient.end(), of_groups.begin(), of_groups.end());
  return evaluation;
}

/// Returns the derivatives in the parameters of the field: those of the likelihood of the residuals
/// with a column Z D c_k for each level, which has squares only.
std::vector<double> GroupSolver::field_gradient(const Theta& theta, std::string& problem) {
  const std::size_t n = m_points.size(), k = unknowns(), observed = replicates();
  std::vector<double> roots = identity(m_effects, m_effects);  // C: M = L L', C = L^-T
  linalg::Dense<Host> dense(Host(), static_cast<std::int64_t>(k));
  dense.solve_transposed(block(m_factor, k)
                             .submatrix(0, 0, static_cast<std::int64_t>(m_effects),
                                        static_cast<std::int64_t>(m_effects)),
                         block(roots, m_effects));
  Host().fence();
  const std::vector<double> scale = scales(theta);
  const double weight = std::sqrt(static_cast<double>(observed));  // each replicate has them
  const std::vector<double> rest = residuals();
  std::vector<double> gradient;
  const auto most = static_cast<std::size_t>(m_solver->most_columns());
  for (std::size_t first = 0; first < observed + m_effects; first += most) {
    const std::size_t last = std::min(first + most, observed + m_effects),
                      own = std::min(std::max(observed, first), last);
    std::vector<double> columns(
        rest.begin() + static_cast<std::ptrdiff_t>(std::min(first, observed) * n),
        rest.begin() + static_cast<std::ptrdiff_t>(std::min(own, observed) * n));
    for (std::size_t c = own; c < last; ++c) {
      const double* const root = roots.data() + (c - observed) * m_effects;
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t at = m_design.begin[i]; at < m_design.begin[i + 1]; ++at)
          sum += scale[m_design.column[at]] * root[m_design.column[at]];
        columns.push_back(weight * sum);
      }
    }
    m_solver->set_columns(columns, static_cast<std::int64_t>(own - first));
    const Evaluation part = m_solver->evaluate(of_field(theta), true);
    problem = part.problem;
    if (!part.valid) return {};
    gradient.resize(part.gradient.size());
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] += part.gradient[j];
  }
  return gradient;
}

/// Returns the derivatives in the variances of the groupings,
///
///     -2 dl/dv_g = sum_k [ R (G - G D M^-1 D G)_kk - sum_r (Z' P w_r)_k^2 ],   G = Z' P Z,
///
/// over the levels k of the grouping and the replicates r, P = Sigma^-1.
std::vector<double> GroupSolver::variance_gradient(const Theta& theta) {
  const std::size_t k = unknowns(), all = m_design.columns(), m = m_effects;
  const std::vector<double> scale = scales(theta);
  std::vector<double> white(m * m);  // L^-1 D G
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = 0; i < m; ++i)
      white[i + j * m] = scale[i] * element(m_products, all, i, j);
  }
  const auto order = static_cast<std::int64_t>(m);
  linalg::Dense<Host> dense(Host(), static_cast<std::int64_t>(k));
  dense.solve(block(m_factor, k).submatrix(0, 0, order, order), block(white, m));
  Host().fence();
  std::vector<double> gradient;
  for (std::size_t g = 0; g < groups(); ++g) {
    double slope = 0;
    for (std::size_t i = m_first[g]; i < m_first[g] + m_level[g].size(); ++i) {
      double trace = m_products[i + i * all];
      for (std::size_t j = 0; j < m; ++j) trace -= white[j + i * m] * white[j + i * m];
      slope += static_cast<double>(replicates()) * trace;
      for (std::size_t r = 0; r < replicates(); ++r) {
        double product = m_products[k + r + i * all];
        for (std::size_t j = 0; j < k; ++j)
          product -= element(m_products, all, i, j) * m_coefficient[j + r * k];
        slope -= product * product;
      }
    }
    gradient.push_back(-0.5 * slope);
  }
  return gradient;
}

void GroupSolver::trend_coefficients(const Theta& theta, std::vector<double>& coefficients,
                                     std::vector<double>& errors) {
  require_solution(theta);
  const std::size_t k = unknowns(), trends = m_trend.size();
  coefficients = m_offset;
  for (std::size_t r = 0; r < replicates(); ++r) {
    for (std::size_t j = 0; j < trends; ++j)
      coefficients[j + r * trends] += m_coefficient[m_effects + j + r * k];
  }
  errors.clear();
  m_trend_covariance.clear();
  if (trends == 0) return;
  linalg::Matrix normal(trends, std::vector<double>(trends, 0.0));
  for (std::size_t i = 0; i < trends; ++i) {
    for (std::size_t j = 0; j < trends; ++j) {
      for (std::size_t l = 0; l <= std::min(i, j); ++l)
        normal[i][j] += m_factor[m_effects + i + (m_effects + l) * k] *
                        m_factor[m_effects + j + (m_effects + l) * k];
    }
  }
  m_trend_covariance = linalg::inverse_positive_definite(normal);
  for (std::size_t j = 0; j < trends; ++j) errors.push_back(std::sqrt(m_trend_covariance[j][j]));
}

std::vector<GroupEffects> GroupSolver::effects(const Theta& theta) {
  require_solution(theta);
  const std::size_t k = unknowns();
  const std::vector<double> scale = scales(theta);
  std::vector<double> white = identity(k, m_effects);  // L^-1 of the levels' columns
  linalg::Dense<Host> dense(Host(), static_cast<std::int64_t>(k));
  dense.solve(block(m_factor, k), block(white, k));
  Host().fence();
  std::vector<GroupEffects> all;
  for (std::size_t g = 0; g < groups(); ++g) {
    GroupEffects& one = all.emplace_back();
    one.level = m_level[g];
    one.observations.assign(one.level.size(), 0);
    for (const int level : m_points.level[g])
      ++one.observations[static_cast<std::size_t>(m_number[g][static_cast<std::size_t>(level)])];
    for (std::size_t i = m_first[g]; i < m_first[g] + one.level.size(); ++i) {
      one.mean.push_back(m_coefficient[i]);
      double square = 0;
      for (std::size_t j = 0; j < k; ++j) square += white[j + i * k] * white[j + i * k];
      one.deviation.push_back(scale[i] * std::sqrt(square));
    }
  }
  return all;
}

// --- predictions
// -------------------------------------------------------------------------------------------------

GroupSolver::TargetLevels GroupSolver::find_levels(const Points& points) const {
  TargetLevels levels;
  levels.of.resize(points.size());
  for (std::size_t g = 0; g < points.level.size(); ++g) {
    std::map<int, std::size_t> unseen;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const int level = points.level[g][i];
      if (level < 0) continue;
      const auto at = static_cast<std::size_t>(level);
      if (at < m_number[g].size() && m_number[g][at] >= 0) {
        levels.of[i].push_back({true, m_first[g] + static_cast<std::size_t>(m_number[g][at]), g});
      } else {
        const auto found = unseen.try_emplace(level, levels.unseen + unseen.size());
        levels.of[i].push_back({false, found.first->second, g});
      }
    }
    levels.unseen += unseen.size();
  }
  return levels;
}

std::size_t GroupSolver::numbers_of_draw(const Points& points) const {
  return unknowns() + find_levels(points).unseen;
}

Prediction GroupSolver::predict(const Theta& theta, const Points& points,
                                const std::vector<std::vector<double>>& trend,
                                const DrawOptions& draws) {
  require_solution(theta);
  const TargetLevels levels = find_levels(points);
  DrawOptions of_field_draws = draws;
  of_field_draws.trend_normals.clear();
  m_solver->set_columns(residuals(), static_cast<std::int64_t>(replicates()));
  Prediction prediction = m_solver->predict(of_field(theta), points, {}, of_field_draws);
  add_means(trend, levels, prediction);
  const std::size_t most =
      std::max<std::size_t>(kMostNumbers / std::max<std::size_t>(unknowns(), 1), 1);
  for (std::size_t first = 0; first < points.size(); first += most) {
    std::vector<std::size_t> rows;
    for (std::size_t i = first; i < std::min(first + most, points.size()); ++i) rows.push_back(i);
    const std::vector<double> rest =
        unexplained(theta, points.subset(rows), take_rows(trend, rows), levels, first);
    add_uncertainty(theta, rest, levels, first, draws, prediction);
  }
  return prediction;
}

/// Adds X b and the effects to the means, and to the draws.
void GroupSolver::add_means(const std::vector<std::vector<double>>& trend,
                            const TargetLevels& levels, Prediction& prediction) const {
  const std::size_t count = levels.of.size(), k = unknowns(), trends = m_trend.size();
  const std::size_t draws = prediction.draws.size() / std::max<std::size_t>(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t r = 0; r < replicates(); ++r) {
      double mean = 0;
      for (std::size_t j = 0; j < trends; ++j)
        mean += (m_offset[j + r * trends] + m_coefficient[m_effects + j + r * k]) * trend[j][i];
      for (const TargetLevel& level : levels.of[i])
        mean += level.known ? m_coefficient[level.index + r * k] : 0;
      prediction.mean[i * replicates() + r] += mean;
      for (std::size_t d = 0; d < draws && r == 0; ++d) prediction.draws[i * draws + d] += mean;
    }
  }
}

/// Returns L^-1 of what the field's predictor leaves of the columns of levels and trend at the
/// targets, a column a target; these are the ones from `first` on.
std::vector<double> GroupSolver::unexplained(const Theta& theta, const Points& points,
                                             const std::vector<std::vector<double>>& trend,
                                             const TargetLevels& levels, std::size_t first) {
  const std::size_t k = unknowns(), count = points.size(), n = m_points.size();
  const std::vector<double> scale = scales(theta);
  std::vector<double> rest(k * count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    for (const TargetLevel& level : levels.of[first + i]) {
      if (level.known) rest[level.index + i * k] = 1;
    }
    for (std::size_t j = 0; j < trend.size(); ++j) rest[m_effects + j + i * k] = trend[j][i];
  }
  const auto most = static_cast<std::size_t>(m_solver->most_columns());
  for (std::size_t begin = 0; begin < k; begin += most) {
    const std::size_t end = std::min(begin + most, k);
    std::vector<double> columns((end - begin) * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t at = m_design.begin[i]; at < m_design.begin[i + 1]; ++at) {
        const std::size_t column = m_design.column[at];
        if (column >= begin && column < end) columns[i + (column - begin) * n] = 1;
      }
      for (std::size_t j = std::max(begin, m_effects); j < end; ++j)
        columns[i + (j - begin) * n] = m_trend[j - m_effects][i];
    }
    m_solver->set_columns(columns, 0);
    const std::vector<double> mean = m_solver->predict(of_field(theta), points, {}, {}).mean;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = begin; j < end; ++j)
        rest[j + i * k] = scale[j] * (rest[j + i * k] - mean[i * (end - begin) + j - begin]);
    }
  }
  linalg::Dense<Host> dense(Host(), static_cast<std::int64_t>(k));
  dense.solve(block(m_factor, k), block(rest, k));
  Host().fence();
  return rest;
}

/// Adds to variances and draws what comes from effects and coefficients, at the targets from
/// `first` on.
void GroupSolver::add_uncertainty(const Theta& theta, const std::vector<double>& rest,
                                  const TargetLevels& levels, std::size_t first,
                                  const DrawOptions& draws, Prediction& prediction) const {
  const std::size_t k = unknowns(), count = rest.size() / std::max<std::size_t>(k, 1);
  const auto fields = static_cast<std::size_t>(draws.count);
  for (std::size_t i = 0; i < count; ++i) {
    const double* const share = rest.data() + i * k;
    const std::size_t at = first + i;
    for (std::size_t j = 0; j < k; ++j) prediction.variance[at] += share[j] * share[j];
    for (const TargetLevel& level : levels.of[at])
      prediction.variance[at] += level.known ? 0 : variance(theta, level.group);
    for (std::size_t d = 0; d < fields; ++d) {
      const double* const normal = draws.trend_normals.data() + d * (k + levels.unseen);
      double& draw = prediction.draws[at * fields + d];
      for (std::size_t j = 0; j < k; ++j) draw += share[j] * normal[j];
      for (const TargetLevel& level : levels.of[at])
        draw += level.known ? 0 : std::sqrt(variance(theta, level.group)) * normal[k + level.index];
    }
  }
}

Prediction GroupSolver::predict_fold(const Theta& theta, const std::vector<std::size_t>& inside,
                                     const std::vector<std::size_t>& outside) const {
  GroupSolver rest(m_model, m_points.subset(outside), m_make);
  rest.set_data(take_rows(m_design.dense, outside)[m_trend.size()], take_rows(m_trend, outside));
  rest.prepare(theta);
  const Points targets = m_points.subset(inside);
  Prediction prediction = rest.predict(theta, targets, take_rows(m_trend, inside), {});
  for (std::size_t i = 0; i < inside.size(); ++i) {
    for (std::size_t j = 0; j < m_trend.size(); ++j)  // of the first replicate
      prediction.mean[i] += m_offset[j] * m_trend[j][inside[i]];
    prediction.variance[i] += nugget_variance(m_model, theta);
    if (!targets.error_variance.empty()) prediction.variance[i] += targets.error_variance[i];
  }
  return prediction;
}

Prediction GroupSolver::cross_validate(const Theta& theta, const std::vector<int>& fold) {
  const int folds = fold.empty() ? 0 : *std::max_element(fold.begin(), fold.end()) + 1;
  Prediction prediction{std::vector<double>(fold.size()), std::vector<double>(fold.size()), {}};
  for (int f = 0; f < folds; ++f) {
    std::vector<std::size_t> inside, outside;
    for (std::size_t i = 0; i < fold.size(); ++i) (fold[i] == f ? inside : outside).push_back(i);
    if (inside.empty()) continue;
    const Prediction one = predict_fold(theta, inside, outside);
    for (std::size_t k = 0; k < inside.size(); ++k) {
      prediction.mean[inside[k]] = one.mean[k];
      prediction.variance[inside[k]] = one.variance[k];
    }
  }
  return prediction;
}

std::vector<double> GroupSolver::fisher_information(const Theta&) {
  throw Error(ErrorKind::input, "groupings have no Fisher's information", "take the observed one");
}

std::vector<double> GroupSolver::misspecified_variance(const Theta&, const Theta&, const Points&) {
  throw Error(ErrorKind::input, "a misspecified variance is that of a field alone",
              "take a model without groupings");
}

}  // namespace tessera::gp

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gp/latent/latent.hpp"
#include "tessera/gp/latent/multifrontal.hpp"
#include "tessera/gp/latent/posterior_system.hpp"
#include "tessera/gp/points/not_positive_definite.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"

/// Laplace's approximation on one execution space. Included where it is instantiated. Points are in
/// the order of Vecchia's approximation, except in arguments and results.

namespace tessera::gp::detail {

/// The terms of the observations at a field w: log p, its slope, the weight, the weight's slope.
template <class ExecSpace>
struct Respond {
  Response response;
  NumberView<ExecSpace> values, predictor;
  VectorBlock<ExecSpace> field;
  VectorBlock<ExecSpace> value, slope;
  NumberView<ExecSpace> weight, weight_slope, newton_weight;
  bool near;  // to the mode
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const ResponseSlopes s = response.slopes(values(i), predictor(i) + field(i, 0));
    value(i, 0) = s.value;
    slope(i, 0) = s.slope;
    weight(i) = s.weight;
    weight_slope(i) = s.weight_slope;
    newton_weight(i) = near ? s.near_weight : s.far_weight;
  }
};

/// sum(t) += the squares of sum_j b(t, j) x(c(t, j), column), over the columns
template <class ExecSpace>
struct AddSquares {
  NeighbourView<ExecSpace> neighbours;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> weights;
  VectorBlock<ExecSpace> x;
  NumberView<ExecSpace> sum;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t t) const {
    const auto width = static_cast<std::int64_t>(neighbours.extent(1)),
               columns = static_cast<std::int64_t>(x.extent(1));
    double squares = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      double value = 0;
      for (std::int64_t j = 0; j < width; ++j) {
        const std::int32_t other = neighbours(t, j);
        if (other >= 0) value = compat::multiply_add(weights(t, j), x(other, c), value);
      }
      squares = compat::multiply_add(value, value, squares);
    }
    sum(t) += squares;
  }
};

/// sum(i) += the products x(i, c) y(i, c), over the columns
template <class ExecSpace>
struct AddProducts {
  VectorBlock<ExecSpace> x, y;
  NumberView<ExecSpace> sum;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const auto columns = static_cast<std::int64_t>(x.extent(1));
    double products = 0;
    for (std::int64_t c = 0; c < columns; ++c)
      products = compat::multiply_add(x(i, c), y(i, c), products);
    sum(i) += products;
  }
};

template <class ExecSpace>
class LatentVecchiaSolver final : public LatentSolver {
 public:
  LatentVecchiaSolver(const CovarianceModel& model, const Points& points,
                      const LatentOptions& options)
      : m_model(model),
        m_points(points),
        m_options(options),
        m_n(static_cast<std::int64_t>(points.size())),
        m_vecchia(m_exec, model, points, options.vecchia),
        m_system(m_exec, m_n, options.cg_iterations),
        m_field(block("tessera::gp::mode", 1)),
        m_step(block("tessera::gp::newton_step", 1)),
        m_trial(block("tessera::gp::newton_trial", 1)),
        m_residual(block("tessera::gp::newton_residual", 1)),
        m_value(block("tessera::gp::response_value", 1)),
        m_slope(block("tessera::gp::response_slope", 1)),
        m_image(block("tessera::gp::prior_image", 2)),
        m_weight(numbers("tessera::gp::response_weight")),
        m_weight_slope(numbers("tessera::gp::response_weight_slope")),
        m_newton_weight(numbers("tessera::gp::newton_weight")),
        m_variance(numbers("tessera::gp::conditional_variance")),
        m_predictor(numbers("tessera::gp::predictor")) {
    fill(m_exec, m_field, 0.0);
  }

  bool is_exact() const override {
    return m_options.determinant == Determinant::automatic
               ? m_n <= LatentOptions::kMostFactored
               : m_options.determinant == Determinant::cholesky;
  }

  void set_data(const std::vector<double>& values, const std::vector<double>& offset,
                const std::vector<std::vector<double>>& trend) override {
    m_values = values;
    m_offset = offset;
    m_trend = trend;
    fill(m_exec, m_field, 0.0);
    m_ordered = false;
  }

  bool prepare(const Theta& theta) override {
    const std::vector<double> field = m_order.empty() ? std::vector<double>() : mode();
    if (!m_vecchia.prepare(theta)) return false;
    m_order = download(m_exec, m_vecchia.order());
    m_factor.emplace(m_exec, find_pattern(m_exec, m_vecchia.neighbours()));
    m_cholesky.reset();
    m_ordered = false;
    if (!field.empty()) upload_to(m_exec, in_order(field), flat(m_field));
    return true;
  }

  LatentEvaluation evaluate(const LatentPoint& point, LatentGradient gradient) override {
    LatentEvaluation result;
    m_differences.clear();
    try {
      find_mode(point, result);
      if (is_exact()) {
        add_exact_determinant(point, gradient, result);
      } else {
        add_estimated_determinant(point, gradient, result);
      }
      result.loglik -= 0.5 * result.log_determinant;
      if (gradient != LatentGradient::none) add_gradient(point, result);
      result.valid = std::isfinite(result.loglik);
      if (!result.valid) result.problem = "the likelihood is not finite";
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::numerical) throw;
      result.problem = error.what();
      fill(m_exec, m_field, 0.0);
    }
    result.cg_iterations = static_cast<int>(m_system.iterations());
    return result;
  }

  std::vector<double> mode() const override {
    std::vector<double> field(static_cast<std::size_t>(m_n)), given(field.size());
    copy_to_host(m_exec, field.data(), m_field.data(), field.size());
    for (std::size_t k = 0; k < field.size(); ++k) given[m_order[k]] = field[k];
    return given;
  }

  LatentPrediction predict(const LatentPoint& point, const Points& targets) override {
    const logging::Region region("tessera::gp::latent_predict");
    LatentEvaluation found;
    find_mode(point, found);
    const auto rows = m_vecchia.target_rows(point.theta, targets);
    const NeighbourTable table = host_table(rows.neighbours);
    const std::vector<double> weights = host_weights(rows.weights);
    std::vector<double> field(static_cast<std::size_t>(m_n));
    copy_to_host(m_exec, field.data(), m_field.data(), field.size());
    LatentPrediction prediction;
    prediction.variance = is_exact() ? exact_forms(table, weights) : estimated_forms(rows);
    for (std::int64_t t = 0; t < table.points; ++t) {
      double mean = 0;
      for (std::int64_t j = 0; j < table.width; ++j) {
        if (table.at(t, j) >= 0)
          mean += weights[static_cast<std::size_t>(t * table.width + j)] * field[table.at(t, j)];
      }
      prediction.mean.push_back(mean);
      prediction.variance[t] += std::max(rows.variance[static_cast<std::size_t>(t)], 0.0);
    }
    return prediction;
  }

 private:
  using Block = VectorBlock<ExecSpace>;
  using Numbers = NumberView<ExecSpace>;
  using Weights = Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace>;
  using Index = Kokkos::IndexType<std::int64_t>;

  /// Vecchia's factor at theta with one parameter changed.
  struct Displaced {
    Weights weights;
    Numbers variance;
    HostFactor host;  // for the exact determinant
    // for an estimated one: the incomplete factor with the present W
    Weights incomplete;
    Numbers pivot;
    double determinant = 0;  // terms of log |A|: the trace of A^-1 Q, or those of add_traces
    double log_sum = 0;      // of d
  };
  /// A parameter's two factors, and their distance.
  struct Difference {
    Displaced up, down;
    double width = 1;
  };

  Block block(const char* label, std::int64_t columns) const {
    return allocate<Block>(m_exec, label, m_n, columns);
  }
  Numbers numbers(const char* label) const { return allocate<Numbers>(m_exec, label, m_n); }
  static Numbers flat(const Block& block) { return Numbers(block.data(), block.span()); }

  std::vector<double> in_order(const std::vector<double>& given) const {
    std::vector<double> ordered;
    ordered.reserve(given.size());
    for (const std::uint32_t i : m_order) ordered.push_back(given[i]);
    return ordered;
  }

  NeighbourTable host_table(const NeighbourView<ExecSpace>& view) const {
    NeighbourTable table{static_cast<std::int64_t>(view.extent(0)),
                         static_cast<std::int64_t>(view.extent(1)),
                         std::vector<std::int32_t>(view.span())};
    copy_to_host(m_exec, table.neighbours.data(), view.data(), table.neighbours.size());
    return table;
  }
  std::vector<double> host_weights(const Weights& view) const {
    std::vector<double> weights(view.span());
    copy_to_host(m_exec, weights.data(), view.data(), weights.size());
    return weights;
  }

  /// Puts the observations into the order of the points, and uploads their predictors.
  void upload_data(const std::vector<double>& coefficients) {
    if (!m_ordered) {
      m_ordered_values = in_order(m_values);
      m_device_values = upload(m_exec, "tessera::gp::responses", m_ordered_values);
      m_ordered = true;
    }
    std::vector<double> predictor = m_offset;
    predictor.resize(static_cast<std::size_t>(m_n), 0.0);
    for (std::size_t k = 0; k < m_trend.size(); ++k) {
      for (std::size_t i = 0; i < predictor.size(); ++i)
        predictor[i] += coefficients[k] * m_trend[k][i];
    }
    m_ordered_predictor = in_order(predictor);
    upload_to(m_exec, m_ordered_predictor, m_predictor);
  }

  /// log p(y | w) - 1/2 w' Q w, with the slope of the first term in m_slope and its weights. The
  /// image Q w stands in m_image.
  double objective(const Response& response, const Block& field, bool near) {
    Kokkos::parallel_for(
        "tessera::gp::respond", Kokkos::RangePolicy<ExecSpace, Index>(m_exec, 0, m_n),
        Respond<ExecSpace>{response, m_device_values, m_predictor, field, m_value, m_slope,
                           m_weight, m_weight_slope, m_newton_weight, near});
    const Block image = Block(m_image.data(), m_n, 1);
    m_system.multiply_prior(field, image);
    return m_system.algebra().sum(m_value)[0] - 0.5 * m_system.algebra().sum(field, image)[0];
  }

  /// Newton's method; a step that does not raise the objective is halved. It has converged when a
  /// step promises less than 1e-12 of the number of observations, and that step is taken; 1e-16
  /// where weights that are cut off make the convergence linear.
  void find_mode(const LatentPoint& point, LatentEvaluation& result) {
    const logging::Region region("tessera::gp::find_mode");
    if (m_order.empty()) prepare(point.theta);
    m_system.reset_iterations();
    const auto factor = m_vecchia.factor(point.theta);
    m_factor->set_weights(factor.weights);
    copy(m_exec, m_variance.data(), factor.variance.data(), static_cast<std::size_t>(m_n));
    upload_data(point.coefficients);
    const Block image = Block(m_image.data(), m_n, 1);
    m_system.set(*m_factor, m_variance, m_newton_weight);
    bool near = false, is_stale = true;          // is_stale: the preconditioner
    constexpr std::int64_t kMostIterations = 6;  // before there is another one
    double value = objective(point.response, m_field, near);
    if (!std::isfinite(value)) {
      fill(m_exec, m_field, 0.0);
      value = objective(point.response, m_field, near);
    }
    const double share = point.response.family == ResponseFamily::student_t ? 1e-16 : 1e-12,
                 enough = share * static_cast<double>(m_n + 10);
    const BlockAlgebra<ExecSpace>& algebra = m_system.algebra();
    for (bool last = false; !last;) {
      if (result.newton_steps == m_options.newton_steps)
        throw Error(ErrorKind::numerical,
                    "Newton's method has not found the mode of the field in " +
                        std::to_string(m_options.newton_steps) + " steps",
                    "raise likelihood.newton_steps");
      ++result.newton_steps;
      if (is_stale) m_system.refactor();
      algebra.copy_block(m_residual, m_slope);
      algebra.combine(m_residual, {1}, image, {-1});
      const std::int64_t before = m_system.iterations();
      m_system.solve(m_residual, m_step, 1e-4);
      is_stale = m_system.iterations() - before > kMostIterations;
      const double promise = algebra.sum(m_residual, m_step)[0];
      if (!(promise >= 0))
        throw Error(ErrorKind::numerical, "Newton's method for the field has no finite step",
                    "give the covariance a nugget or a smaller range");
      last = promise <= enough;
      near = promise <= 1e-4 * static_cast<double>(m_n);
      const double rounding = 1e-12 * (std::fabs(value) + 1);
      double length = 1, next = 0;
      for (int halving = 0;; ++halving, length *= 0.5) {
        algebra.copy_block(m_trial, m_field);
        algebra.combine(m_trial, {1}, m_step, {length});
        next = objective(point.response, m_trial, near);
        if (std::isfinite(next) && next >= value + 1e-4 * length * promise - rounding) break;
        if (halving == 50)
          throw Error(ErrorKind::numerical,
                      "no step of Newton's method raises the density of the field",
                      "give the covariance a nugget, or another start of the fit");
      }
      algebra.copy_block(m_field, m_trial);
      value = next;
    }
    m_system.set_weight(m_weight);
    result.loglik = value + log_normaliser(point.response, m_values);
  }

  // --- log |Q + W| - log |Q|, and traces of A^-1 Q

  std::vector<double> log_variances() const {
    std::vector<double> logarithms = download(m_exec, m_variance);
    for (double& d : logarithms) d = std::log(d);
    return logarithms;
  }
  static double sum(const std::vector<double>& values) {
    long double total = 0;
    for (const double value : values) total += value;
    return static_cast<double>(total);
  }

  HostFactor host_factor(const Weights& weights, const Numbers& variance) const {
    return {host_weights(weights), download(m_exec, variance)};
  }

  void factor_posterior() {
    const logging::Region region("tessera::gp::sparse_cholesky");
    if (!m_cholesky) {
      m_table = host_table(m_factor->rows().neighbours);
      m_cholesky.emplace(m_table, m_vecchia.ordered_coordinates());
    }
    if (!m_cholesky->factor(host_factor(m_factor->weights(), m_variance),
                            download(m_exec, m_weight)))
      throw Error(ErrorKind::numerical, "the precision of the field is not positive definite",
                  "give the covariance a nugget or a smaller range");
  }

  void add_exact_determinant(const LatentPoint& point, LatentGradient gradient,
                             LatentEvaluation& result) {
    factor_posterior();
    result.log_determinant = m_cholesky->log_determinant() + sum(log_variances());
    if (gradient == LatentGradient::none) return;
    const logging::Region region("tessera::gp::sparse_inverse");
    if (gradient == LatentGradient::all) m_differences = displace(point.theta);
    std::vector<Displaced*> all;
    for (Difference& difference : m_differences) {
      for (Displaced* one : {&difference.up, &difference.down}) {
        one->host = host_factor(one->weights, one->variance);
        all.push_back(one);
      }
    }
    std::vector<double> row;
    if (all.empty()) {
      m_posterior_variance = m_cholesky->invert({});
      return;
    }
    m_posterior_variance =
        m_cholesky->invert([&](std::int64_t i, const std::vector<double>& inverse) {
          for (Displaced* one : all) {
            row.assign(1, 1.0);
            for (std::int64_t j = 0; j < m_table.width; ++j) {
              if (m_table.at(i, j) >= 0)
                row.push_back(-one->host.weights[static_cast<std::size_t>(i * m_table.width + j)]);
            }
            double form = 0;
            for (std::size_t a = 0; a < row.size(); ++a) {
              double product = 0;
              for (std::size_t b = 0; b < row.size(); ++b)
                product += inverse[a * row.size() + b] * row[b];
              form += row[a] * product;
            }
            one->determinant += form / one->host.variance[static_cast<std::size_t>(i)];
          }
        });
    for (Displaced* one : all) one->host = {};
  }

  void add_estimated_determinant(const LatentPoint& point, LatentGradient gradient,
                                 LatentEvaluation& result) {
    const logging::Region region("tessera::gp::estimate_determinant");
    m_system.refactor();
    if (gradient == LatentGradient::all) m_differences = displace(point.theta);
    for (Difference& difference : m_differences) {
      for (Displaced* one : {&difference.up, &difference.down}) factor_incompletely(*one);
    }
    const auto probes = static_cast<std::int64_t>(m_options.probes);
    const Numbers diagonal = allocate_zeros<Numbers>(m_exec, "tessera::gp::inverse_diagonal", m_n);
    std::vector<double> estimates;
    for (std::int64_t first = 0; first < probes; first += m_system.kColumns) {
      const std::int64_t columns = std::min(m_system.kColumns, probes - first);
      const Block z = block("tessera::gp::probes", columns),
                  y = block("tessera::gp::preconditioned_probes", columns),
                  x = block("tessera::gp::solved_probes", columns);
      m_system.draw_probes(m_options.vecchia.seed, first, z, y);
      for (const ConjugateSteps& steps : m_system.solve(z, x, 1e-5))
        estimates.push_back(static_cast<double>(m_n) * quadrature_of_logarithm(steps));
      if (gradient != LatentGradient::none) add_traces(x, y, diagonal);
    }
    const double count = static_cast<double>(probes), mean = sum(estimates) / count;
    double squares = 0;
    for (const double estimate : estimates) squares += (estimate - mean) * (estimate - mean);
    result.log_determinant =
        m_system.log_determinant_of_preconditioner() + mean + sum(log_variances());
    result.log_determinant_error = std::sqrt(squares / (count * std::max(count - 1, 1.0)));
    if (gradient == LatentGradient::none) return;
    m_posterior_variance = download(m_exec, diagonal);
    for (double& value : m_posterior_variance) value /= count;
    for (Difference& difference : m_differences) {
      for (Displaced* one : {&difference.up, &difference.down})
        one->determinant = one->determinant / count + m_system.sum_of_logarithms(one->pivot);
    }
  }

  void factor_incompletely(Displaced& one) const {
    FactorRows<ExecSpace> rows = m_factor->rows();
    rows.weights = one.weights;
    one.incomplete = allocate<Weights>(m_exec, "tessera::gp::incomplete_weights",
                                       one.weights.extent(0), one.weights.extent(1));
    one.pivot = numbers("tessera::gp::incomplete_pivots");
    m_system.factor_incompletely(rows, one.variance, one.incomplete, one.pivot);
  }

  /// x y' has the expectation A^-1, and y y' has P^-1: so x' Q y - y' P y has that of the part of
  /// log |A| that is not log |P|, as far as the derivatives in theta go.
  void add_traces(const Block& x, const Block& y, const Numbers& diagonal) {
    Kokkos::parallel_for("tessera::gp::add_products",
                         Kokkos::RangePolicy<ExecSpace, Index>(m_exec, 0, m_n),
                         AddProducts<ExecSpace>{x, y, diagonal});
    const Block left = block("tessera::gp::left_image", static_cast<std::int64_t>(x.extent(1))),
                right = block("tessera::gp::right_image", static_cast<std::int64_t>(x.extent(1)));
    for (Difference& difference : m_differences) {
      for (Displaced* one : {&difference.up, &difference.down}) {
        m_factor->multiply(one->weights, x, left);
        m_factor->multiply(one->weights, y, right);
        m_system.algebra().divide(right, right, one->variance);
        one->determinant += sum(m_system.algebra().sum(left, right));
        m_factor->multiply(one->incomplete, y, left);
        m_system.algebra().multiply(right, left, one->pivot);
        one->determinant -= sum(m_system.algebra().sum(left, right));
      }
    }
  }

  // --- gradients

  Displaced displaced(const Theta& theta) {
    const auto factor = m_vecchia.factor(theta);
    Displaced one;
    one.weights = factor.weights;
    one.variance = factor.variance;
    for (const double d : download(m_exec, factor.variance)) one.log_sum += std::log(d);
    return one;
  }

  /// A parameter changes by 2e-5 of itself, an angle by 2e-5, to either side as far as the model
  /// allows.
  std::vector<Difference> displace(const Theta& theta) {
    std::vector<Difference> differences;
    for (int k = 0; k < m_model.parameters(); ++k) {
      const double unit = m_model.is_angle(k) ? 1 : theta[k] > 0 ? theta[k] : theta[0];
      Theta up = theta, down = theta;
      up[k] += 2e-5 * unit;
      if (theta[k] > 0 || m_model.is_angle(k)) down[k] -= 2e-5 * unit;
      if (!check(m_model, up).empty()) up = theta;
      if (!check(m_model, down).empty()) down = theta;
      differences.push_back({displaced(up), displaced(down), up[k] - down[k]});
    }
    return differences;
  }

  /// Returns the terms of l that depend on Q alone, with mode, A^-1 and u held.
  double terms_of_prior(const Displaced& one, const Block& fields) {
    m_factor->multiply(one.weights, fields, m_image);
    const Block scaled = block("tessera::gp::scaled_image", 2);
    m_system.algebra().divide(scaled, m_image, one.variance);
    const std::vector<double> forms = m_system.algebra().sum(m_image, scaled);
    // -1/2 w'Qw - u'Qw = -1/2 (w + u)'Q(w + u) + 1/2 u'Qu
    return -0.5 * forms[0] + 0.5 * forms[1] - 0.5 * one.log_sum - 0.5 * one.determinant;
  }

  /// With c = -1/2 diag(A^-1) dW/df, which is the slope of l in the mode, and u = A^-1 c.
  void add_gradient(const LatentPoint& point, LatentEvaluation& result) {
    const logging::Region region("tessera::gp::latent_gradient");
    std::vector<double> slope = download(m_exec, m_weight_slope);
    for (std::size_t i = 0; i < slope.size(); ++i) slope[i] *= -0.5 * m_posterior_variance[i];
    upload_to(m_exec, slope, flat(m_residual));
    m_system.solve(m_residual, m_step, 1e-8);
    std::vector<double> field(static_cast<std::size_t>(m_n)), u(field.size()), both;
    copy_to_host(m_exec, field.data(), m_field.data(), field.size());
    copy_to_host(m_exec, u.data(), m_step.data(), u.size());
    for (std::size_t i = 0; i < u.size(); ++i) {
      both.push_back(field[i] + u[i]);
      both.push_back(u[i]);
    }
    const Block fields = block("tessera::gp::mode_and_adjoint", 2);
    upload_to(m_exec, both, flat(fields));
    for (const Difference& difference : m_differences)
      result.theta_gradient.push_back(
          (terms_of_prior(difference.up, fields) - terms_of_prior(difference.down, fields)) /
          difference.width);
    m_differences.clear();
    add_response_gradient(point, field, u, result);
    add_coefficient_gradient(point, field, u, result);
  }

  /// Returns log p(y | w) - 1/2 tr(A^-1 W) + u' d log p / df with mode, A^-1 and u held.
  double terms_of_response(const Response& response, const std::vector<double>& field,
                           const std::vector<double>& u) const {
    long double total = log_normaliser(response, m_values);
    for (std::size_t i = 0; i < field.size(); ++i) {
      const ResponseSlopes s =
          response.slopes(m_ordered_values[i], m_ordered_predictor[i] + field[i]);
      total += s.value - 0.5 * m_posterior_variance[i] * s.weight + u[i] * s.slope;
    }
    return static_cast<double>(total);
  }

  void add_response_gradient(const LatentPoint& point, const std::vector<double>& field,
                             const std::vector<double>& u, LatentEvaluation& result) const {
    const std::size_t count = response_parameters(point.response.family).size();
    for (std::size_t k = 0; k < count; ++k) {
      Response up = point.response, down = point.response;
      const double step = 1e-5 * (k == 0 ? up.a : up.b);
      (k == 0 ? up.a : up.b) += step;
      (k == 0 ? down.a : down.b) -= step;
      result.response_gradient.push_back(
          (terms_of_response(up, field, u) - terms_of_response(down, field, u)) / (2 * step));
    }
  }

  void add_coefficient_gradient(const LatentPoint& point, const std::vector<double>& field,
                                const std::vector<double>& u, LatentEvaluation& result) const {
    result.coefficient_gradient.assign(m_trend.size(), 0.0);
    for (std::size_t i = 0; i < field.size(); ++i) {
      const ResponseSlopes s =
          point.response.slopes(m_ordered_values[i], m_ordered_predictor[i] + field[i]);
      const double slope =
          s.slope - 0.5 * m_posterior_variance[i] * s.weight_slope - s.weight * u[i];
      for (std::size_t k = 0; k < m_trend.size(); ++k)
        result.coefficient_gradient[k] += slope * m_trend[k][m_order[i]];
    }
  }

  // --- predictions

  std::vector<double> exact_forms(const NeighbourTable& table, const std::vector<double>& weights) {
    factor_posterior();
    return m_cholesky->quadratic_forms(table, weights);
  }

  /// The mean of squares over fields that are drawn from the posterior.
  std::vector<double> estimated_forms(const typename VecchiaSolver<ExecSpace>::TargetRows& rows) {
    m_system.refactor();
    const auto targets = static_cast<std::int64_t>(rows.neighbours.extent(0)),
               samples = static_cast<std::int64_t>(m_options.samples);
    const Numbers total = allocate_zeros<Numbers>(m_exec, "tessera::gp::sums_of_squares", targets);
    for (std::int64_t first = 0; first < samples; first += m_system.kColumns) {
      const std::int64_t columns = std::min(m_system.kColumns, samples - first);
      const Block z = block("tessera::gp::samples", columns),
                  x = block("tessera::gp::solved_samples", columns);
      m_system.draw_samples(m_options.vecchia.seed, first, z);
      m_system.solve(z, x, 1e-6);
      Kokkos::parallel_for("tessera::gp::add_squares",
                           Kokkos::RangePolicy<ExecSpace, Index>(m_exec, 0, targets),
                           AddSquares<ExecSpace>{rows.neighbours, rows.weights, x, total});
    }
    std::vector<double> forms = download(m_exec, total);
    for (double& form : forms) form /= static_cast<double>(samples);
    return forms;
  }

  ExecSpace m_exec;
  CovarianceModel m_model;
  Points m_points;
  LatentOptions m_options;
  std::int64_t m_n;
  VecchiaSolver<ExecSpace> m_vecchia;
  PosteriorSystem<ExecSpace> m_system;
  std::optional<VecchiaFactor<ExecSpace>> m_factor;
  std::vector<std::uint32_t> m_order;

  std::vector<double> m_values, m_offset;    // in the order given
  std::vector<std::vector<double>> m_trend;  // likewise
  bool m_ordered = false;                    // the following are those of these values
  std::vector<double> m_ordered_values, m_ordered_predictor;
  Numbers m_device_values;

  Block m_field;  // the mode
  Block m_step, m_trial, m_residual, m_value, m_slope, m_image;
  Numbers m_weight, m_weight_slope, m_newton_weight, m_variance, m_predictor;

  NeighbourTable m_table;  // of the Cholesky factor
  std::optional<MultifrontalCholesky> m_cholesky;
  std::vector<double> m_posterior_variance;  // of the field, at each point
  std::vector<Difference> m_differences;
};

}  // namespace tessera::gp::detail

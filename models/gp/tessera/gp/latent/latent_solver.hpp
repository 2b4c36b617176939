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

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gp/latent/latent.hpp"
#include "tessera/gp/latent/multifrontal.hpp"
#include "tessera/gp/latent/posterior_system.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"

/// Laplace's approximation on one execution space. The bodies stand in latent_mode.hpp,
/// latent_determinant.hpp, latent_gradient.hpp and latent_prediction.hpp, which are included where
/// it is instantiated. Points are in the order of Vecchia's approximation, except in arguments and
/// results.
///
/// Ranks share Vecchia's rows, the sparse Cholesky factor, random vectors and targets; the search
/// for the mode, whose steps are short and follow each other, is repeated by each.

namespace tessera::gp::detail {

template <class ExecSpace>
class LatentVecchiaSolver final : public LatentSolver {
 public:
  LatentVecchiaSolver(const CovarianceModel& model, const Points& points,
                      const LatentOptions& options, const parallel::Communicator& ranks = {})
      : m_model(model),
        m_points(points),
        m_options(options),
        m_ranks(ranks),
        m_n(static_cast<std::int64_t>(points.size())),
        m_vecchia(m_exec, model, points, options.vecchia, ranks),
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
        m_predictor(numbers("tessera::gp::predictor")),
        m_left_out(allocate_zeros<Numbers>(m_exec, "tessera::gp::left_out", m_n)) {
    fill(m_exec, m_field, 0.0);
  }

  bool is_exact() const override {
    return m_options.determinant == Determinant::automatic
               ? m_n <= LatentOptions::kMostFactored
               : m_options.determinant == Determinant::cholesky;
  }

  void set_data(const std::vector<double>& values, const std::vector<double>& offset,
                const std::vector<std::vector<double>>& trend) override;
  bool prepare(const Theta& theta) override;

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

  std::vector<double> mode() const override;
  void set_mode(const std::vector<double>& field) override;
  LatentPrediction predict(const LatentPoint& point, const Points& targets) override;
  LatentPrediction leave_out(const LatentPoint& point,
                             const std::vector<std::size_t>& rows) override;
  std::vector<double> draw(const LatentPoint& point, const Points& targets,
                           const DrawOptions& draws) override;

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

  template <class Work, class Take>
  void share_batches(std::int64_t count, const Work& work, const Take& take);

  void upload_data(const std::vector<double>& coefficients);
  double objective(const Response& response, const Block& field, bool near);
  void find_mode(const LatentPoint& point, LatentEvaluation& result);

  // log |Q + W| - log |Q|, and traces of A^-1 Q
  std::vector<double> log_variances() const;
  static double sum(const std::vector<double>& values) {
    long double total = 0;
    for (const double value : values) total += value;
    return static_cast<double>(total);
  }

  /// Gives every rank the numbers of one.
  template <class View>
  void broadcast(const View& view, int from) const {
    if (m_ranks.size() == 1) return;
    std::vector<double> values(view.span());
    if (from == m_ranks.rank()) copy_to_host(m_exec, values.data(), view.data(), values.size());
    m_ranks.broadcast(values.data(), values.size(), from);
    copy_from_host(m_exec, view.data(), values.data(), values.size());
  }

  HostFactor host_factor(const Weights& weights, const Numbers& variance) const {
    return {host_weights(weights), download(m_exec, variance)};
  }

  void factor_posterior();
  void add_exact_determinant(const LatentPoint& point, LatentGradient gradient,
                             LatentEvaluation& result);
  void add_estimated_determinant(const LatentPoint& point, LatentGradient gradient,
                                 LatentEvaluation& result);
  std::vector<Displaced*> all_displaced();
  void factor_displaced();
  std::vector<double> numbers_of_probes(LatentGradient gradient, std::int64_t first,
                                        std::int64_t columns);
  double trace(const Displaced& one, const Block& x, const Block& y, const Block& left,
               const Block& right) const;

  // gradients
  Displaced displaced(const Theta& theta);
  std::vector<Difference> displace(const Theta& theta);
  double terms_of_prior(const Displaced& one, const Block& fields);
  void add_gradient(const LatentPoint& point, LatentEvaluation& result);
  double terms_of_response(const Response& response, const std::vector<double>& field,
                           const std::vector<double>& u) const;
  void add_response_gradient(const LatentPoint& point, const std::vector<double>& field,
                             const std::vector<double>& u, LatentEvaluation& result) const;
  void add_coefficient_gradient(const LatentPoint& point, const std::vector<double>& field,
                                const std::vector<double>& u, LatentEvaluation& result) const;

  // predictions
  using TargetRows = typename VecchiaSolver<ExecSpace>::TargetRows;
  LatentPrediction predict(const TargetRows& rows);
  TargetRows own_rows(const std::vector<std::size_t>& rows) const;
  std::vector<double> exact_forms(const NeighbourTable& table, const std::vector<double>& weights);
  std::vector<double> estimated_forms(const TargetRows& rows);
  void draw_posterior(std::int64_t first, const Block& fields);

  ExecSpace m_exec;
  CovarianceModel m_model;
  Points m_points;
  LatentOptions m_options;
  parallel::Communicator m_ranks;
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
  Numbers m_weight, m_weight_slope, m_newton_weight, m_variance, m_predictor, m_left_out;

  NeighbourTable m_table;  // of the Cholesky factor
  std::optional<MultifrontalCholesky> m_cholesky;
  std::vector<double> m_posterior_variance;  // of the field, at each point
  std::vector<Difference> m_differences;
};

}  // namespace tessera::gp::detail

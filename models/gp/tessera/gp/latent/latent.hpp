// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/device/backend.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gp/covariance/covariance.hpp"
#include "tessera/gp/latent/families.hpp"
#include "tessera/gp/likelihood/solver.hpp"
#include "tessera/gp/points/points.hpp"

namespace tessera::gp {

/// Observations that are not Gaussian, each with its predictor
///
///     f = X b + offset + w,     w a Gaussian field with mean zero and Vecchia's precision Q,
///
/// by Laplace's approximation (Rasmussen and Williams 2006, section 3.4) about the mode w^ of
/// p(y | w) p(w):
///
///     l = log p(y | w^) - 1/2 w^' Q w^ + 1/2 log |Q| - 1/2 log |Q + W|
///
/// with W the weights of families.hpp at the mode. The coefficients b are arguments of l.
///
/// The mode is found by Newton's method, whose steps come from preconditioned conjugate gradients
/// (posterior_system.hpp). log |Q + W| is exact by a sparse Cholesky
/// factor (multifrontal.hpp) or estimated with random vectors, the same for all theta (stochastic
/// Lanczos quadrature, Ubaru, Chen and Saad 2017).
///
/// Gradients follow from implicit differentiation of the mode. The derivatives of Q in theta, and
/// those of log p(y | f) in the family's parameters, are central differences of Vecchia's factor
/// and of the observations' terms.

/// How log |Q + W| is found.
enum class Determinant {
  automatic,  ///< cholesky up to kMostFactored points
  cholesky,
  stochastic
};

struct LatentOptions {
  static constexpr std::int64_t kMostFactored = 100000;

  VecchiaOptions vecchia;
  Determinant determinant = Determinant::automatic;
  int probes = 50;           ///< random vectors of an estimate
  int samples = 200;         ///< of the field given the data, for variances of predictions
  int newton_steps = 100;    ///< at most
  int cg_iterations = 1000;  ///< at most, for each system
};

/// Which derivatives are asked for; those of `response` cost less than half of `all`.
enum class LatentGradient { none, response, all };

/// The parameters of a likelihood.
struct LatentPoint {
  Theta theta;
  Response response;
  std::vector<double> coefficients;  ///< of the trend
};

struct LatentEvaluation {
  bool valid = false;  ///< false: there is no likelihood, for the reason given in `problem`
  std::string problem;
  double loglik = 0;
  /// Empty unless asked for: in theta (`all`), in the family's parameters (a, b; as many as it
  /// has), in the coefficients
  std::vector<double> theta_gradient, response_gradient, coefficient_gradient;
  double log_determinant = 0;        ///< log |Q + W| - log |Q|
  double log_determinant_error = 0;  ///< standard error of an estimate; 0: exact
  int newton_steps = 0, cg_iterations = 0;
};

/// The field at other points given the observations: Gaussian in Laplace's approximation, without
/// the trend.
struct LatentPrediction {
  std::vector<double> mean, variance;
};

/// Domain: no two points at one place, unless the covariance has a nugget; theta as
/// check(model, theta) allows it. Accuracy, with the Cholesky factor: 1e-9 relative to dense
/// algebra for as many neighbours as points (tests/regression/cli_gp_latent.py), gradients 1e-6
/// (tests/unit/gp_latent.cpp). Results have the same bits for any number of threads. Errors:
/// evaluate() says in its result why there is no likelihood; the others throw Error (numerical).
class LatentSolver {
 public:
  virtual ~LatentSolver() = default;

  /// Sets the observations, what is added to their predictors (empty: nothing), and the trend's
  /// columns.
  virtual void set_data(const std::vector<double>& values, const std::vector<double>& offset,
                        const std::vector<std::vector<double>>& trend) = 0;

  /// Finds the neighbours that suit theta; returns whether likelihoods differ from before.
  virtual bool prepare(const Theta& theta) = 0;

  /// Begins at the mode that it found last.
  virtual LatentEvaluation evaluate(const LatentPoint& point, LatentGradient gradient) = 0;

  /// The field at the data's points at the last mode, in the order given.
  virtual std::vector<double> mode() const = 0;
  /// Sets where the next search for the mode begins, after prepare().
  virtual void set_mode(const std::vector<double>& field) = 0;

  virtual LatentPrediction predict(const LatentPoint& point, const Points& targets) = 0;

  /// The field at some of the data's points given the observations at the others alone: with the
  /// mode and the precision of those, at the same parameters. The mode of all stays.
  virtual LatentPrediction leave_out(const LatentPoint& point,
                                     const std::vector<std::size_t>& rows) = 0;

  /// Draws of the field at other points given the observations, a row of them for each point: the
  /// field at the data is drawn from N(mode, (Q + W)^-1), and the others from theirs given that and
  /// each other, with the normal numbers in `draws`; without the nugget.
  virtual std::vector<double> draw(const LatentPoint& point, const Points& targets,
                                   const DrawOptions& draws) = 0;

  /// Returns whether log |Q + W| is exact.
  virtual bool is_exact() const = 0;
};

/// Throws Error (resource) where the device has too little memory. With several ranks every call
/// but mode() and set_mode() is made by all of them with the same arguments, and has the same
/// results on each, whose bits do not depend on how many there are.
std::unique_ptr<LatentSolver> make_latent_solver(Backend backend, const CovarianceModel& model,
                                                 const Points& points, const LatentOptions& options,
                                                 const parallel::Communicator& ranks = {});

namespace detail {

/// On one execution space; compiled in a file of its own, generated from instantiate_latent.cpp.in.
template <class ExecSpace>
std::unique_ptr<LatentSolver> make_latent(const CovarianceModel& model, const Points& points,
                                          const LatentOptions& options,
                                          const parallel::Communicator& ranks);

}  // namespace detail

}  // namespace tessera::gp

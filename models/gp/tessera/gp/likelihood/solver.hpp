// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/device/backend.hpp"
#include "tessera/core/device/kernels.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gp/covariance/covariance.hpp"
#include "tessera/gp/likelihood/design.hpp"
#include "tessera/gp/points/ordering.hpp"
#include "tessera/gp/points/points.hpp"

namespace tessera::gp {

/// The logarithm of the likelihood of theta, summed over the replicates,
///
///     l = -1/2 sum_r [ N log 2 pi + log |Sigma| + (z_r - X b_r)' Sigma^-1 (z_r - X b_r) ]
///
/// with the trend's coefficients b_r at their generalised least squares estimate, and its gradient
/// in theta.
struct Evaluation {
  bool valid = false;  ///< false: theta gives no likelihood, for the reason given in `problem`
  double loglik = 0;
  std::vector<double> gradient;  ///< empty unless asked for
  /// Row by row, where it was asked for: see Solver::evaluate
  std::vector<double> information;
  std::string problem;

  /// The derivative, by Vecchia's approximation, with the gradient and where points have known
  /// variances of errors, in a factor of all of these, and with the information the row of that
  /// factor, whose last element is its own.
  double error_slope = 0;
  std::vector<double> error_information = {};
};

/// Kriging at m points: mean (m x replicates, point by point), variance of the field without its
/// errors, and draws from the conditional distribution given the first replicate (m x draws).
struct Prediction {
  std::vector<double> mean, variance, draws;

  /// With Tukey's marginals the others are of the Gaussian y of tukey_solver.hpp, and this is the
  /// mean at each point; otherwise empty.
  std::vector<double> location = {};
};

struct DrawOptions {
  int count = 0;
  double jitter = 1e-10;  ///< added to the conditional variances, in units of sigma2
  /// Count x m independent standard normal numbers, draw by draw
  std::vector<double> normals;
  /// Count x trend columns of them, for solvers that draw the trend and the field in turn
  std::vector<double> trend_normals;
};

/// A point, by its row and by its place in the order of an approximation, and the rows of those
/// that it is conditioned on.
struct Neighbourhood {
  std::size_t row, rank;
  std::vector<std::size_t> neighbours;
};

/// A Gaussian process on the points of one data set: z = X b + field + errors, with the covariance
/// of covariance.hpp, solved exactly or by Vecchia's approximation (vecchia.hpp). The errors have
/// the nugget as their variance and, where the points have an error_variance, that besides: Sigma =
/// C + diag(error_variance), the same for all replicates.
///
/// Vectors hold a column after another: values has `replicates` columns of one number a point.
/// Every call waits for its result.
///
/// Domain: theta as check(model, theta) allows it. Accuracy of the exact solver: log-likelihood
/// 1e-12 relative on well-conditioned fields, in general eps times the condition of the covariance;
/// kriging mean and variance 1e-8 and 1e-9 on the reference (tests/data/gp). Errors: evaluate()
/// says in its result why theta has no likelihood; all others throw Error (numerical) when the
/// covariance of theta is not positive definite, or the columns of the trend depend on each other;
/// Error (resource) when the device's memory does not suffice.
///
/// Example (tests/install/examples/gp.cpp):
///
///     const tessera::Backend backend = tessera::choose_backend("auto");
///     const std::unique_ptr<gp::Solver> solver = gp::make_exact_solver(backend, model, observed, 0);
class Solver {
 public:
  virtual ~Solver() = default;

  virtual std::int64_t size() const = 0;

  /// Chooses what depends on theta but is kept while a likelihood is maximised: the neighbours of
  /// an approximation. Returns whether likelihoods differ from what they were before.
  virtual bool prepare(const Theta& theta) {
    static_cast<void>(theta);
    return false;
  }

  /// The neighbourhoods of up to six points: the last of the order, that in its middle, at a
  /// quarter and so on. Empty for the exact solver, and before prepare(). Sends no messages to
  /// other ranks.
  virtual std::vector<Neighbourhood> neighbourhoods() const { return {}; }

  /// Returns the number of levels of points that the last simulation, or the draws of the last
  /// prediction, took by Vecchia's approximation: all points of a level come together, after those
  /// that they depend on. 0: none yet, or the exact solver.
  virtual std::int64_t levels() const { return 0; }

  /// The largest ratio of a point's variance to what the points before it leave of it, in the last
  /// likelihood, prediction or cross-validation: by so much rounding errors of the covariance are
  /// multiplied, at least. At kMostAmplification nothing is left but rounding, and the covariance
  /// counts as not positive definite.
  virtual double amplification() const = 0;
  static constexpr double kMostAmplification = 1 / (8 * 2.220446049250313e-16);

  /// Observations with mean zero made of independent standard normal numbers, a column a field.
  /// noise: as many others for the errors (the nugget and those of known variance), which an
  /// approximation adds to fields without any, since a few noisy neighbours say little of a field;
  /// the exact solver does not use them. Error (input) when there are too few.
  virtual std::vector<double> simulate(const Theta& theta, const std::vector<double>& normals,
                                       const std::vector<double>& noise) = 0;

  /// Sets the observations and the columns of the trend.
  virtual void set_data(const std::vector<double>& values,
                        const std::vector<std::vector<double>>& trend) = 0;

  /// Gives the points other known variances of errors, >= 0, one each.
  virtual void set_error_variance(const std::vector<double>& variance) = 0;

  /// with_information: the information too, with the gradient: Fisher's by Vecchia's approximation,
  /// the average information by the exact solver, whose expectation is Fisher's.
  virtual Evaluation evaluate(const Theta& theta, bool with_gradient,
                              bool with_information = false) = 0;

  /// The trend's coefficients at theta, a column a replicate, and their standard errors.
  virtual void trend_coefficients(const Theta& theta, std::vector<double>& coefficients,
                                  std::vector<double>& errors) = 0;

  /// The covariance matrix of the coefficients of the last call of trend_coefficients, whose
  /// inverse is X' Sigma^-1 X.
  virtual const linalg::Matrix& trend_covariance() const = 0;

  /// Kriging at other points; `trend` are their columns.
  virtual Prediction predict(const Theta& theta, const Points& points,
                             const std::vector<std::vector<double>>& trend,
                             const DrawOptions& draws) = 0;

  /// Prediction of each observation from those outside its fold (all but itself when every fold
  /// holds one): mean of the first replicate and variance of the observation. `fold` has a number
  /// for each point, from 0 on.
  virtual Prediction cross_validate(const Theta& theta, const std::vector<int>& fold) = 0;

  /// Fisher's information: 1/2 tr(Sigma^-1 dSigma_i Sigma^-1 dSigma_j) times the number of
  /// replicates, row by row.
  virtual std::vector<double> fisher_information(const Theta& theta) = 0;

  /// Kriging variance at other points of the predictor that uses `used`, when `truth` holds: E_t,a
  /// of the MLOE and MMOM criteria.
  virtual std::vector<double> misspecified_variance(const Theta& truth, const Theta& used,
                                                    const Points& points) = 0;
};

/// A solver whose observations are Gaussian, and which other solvers stand around.
class GaussianSolver : public Solver {
 public:
  /// Sets columns without a trend, of which the first `observed` are observations. The likelihood
  /// has the squares y' Sigma^-1 y of all columns, but its other terms for observations only; so
  /// have its derivatives. There is no information then.
  virtual void set_columns(const std::vector<double>& columns, std::int64_t observed) = 0;

  /// Returns how many columns a call of set_columns should have at most: more take memory and save
  /// no time.
  virtual std::int64_t most_columns() const = 0;

  /// Returns A' Sigma^-1 A of the columns of a design, column by column; the lower triangle counts.
  /// Leaves what set_data or set_columns has set. Throws Error (numerical) like predict().
  virtual std::vector<double> products(const Theta& theta, const DesignMatrix& design) = 0;
};

/// The options of Vecchia's approximation; see vecchia.hpp.
struct VecchiaOptions {
  int neighbours = 30;  ///< m: earlier points that each one is conditioned on
  /// Data points (and earlier targets, for draws) that a prediction is made from
  int prediction_neighbours = 60;
  /// Data points in a block of space, all targets in which are predicted from the same data points,
  /// the kBlockNeighbours times as many that are nearest to its centre, in up to three coordinates;
  /// draws and cross-validation take prediction_neighbours all the same. 1: so do predictions
  int prediction_block = 1;
  static constexpr int kBlockNeighbours = 8;
  Ordering ordering = Ordering::maxmin;
  std::uint64_t seed = 0;  ///< of random orders
  /// Points whose likelihood is that given the neighbours of all of them, a power of two up to 256;
  /// on one device
  int block = 1;

  /// plain: by Kokkos alone. Else a CUDA device computes likelihoods of up to 60 neighbours in the
  /// plane, and their values in space, by a kernel that keeps a point's covariance in registers
  /// (vecchia_registers.hpp). The results agree to rounding.
  Kernels kernels = Kernels::automatic;

  /// The work that will be asked of the solver besides likelihoods, so that vecchia_solver_bytes
  /// counts the weights of neighbours that it takes.
  std::int64_t simulated = 0;  ///< fields of a call of simulate()
  std::int64_t targets = 0;    ///< points of a call of predict()
  std::int64_t draws = 0;      ///< draws at each of them
};

/// Bytes that the exact solver takes on its device for n points, but for the workspace of the
/// factorisation; on each of several devices, and there with the inverse that gradients need only
/// where `with_gradients` says so.
std::uint64_t exact_solver_bytes(std::int64_t n, int ranks = 1, bool with_gradients = false);

/// Builds the exact solver. Throws Error (resource), before anything is allocated, when the
/// device's memory (or `memory_limit` bytes, if not 0) does not suffice, with `with_gradients` for
/// likelihoods with their gradients; the message names the largest number of points that does. With
/// several ranks every call is made by all of them with the same arguments, and has the same
/// results on each; log-likelihoods are within 1e-12 of those of one device, and the same for any
/// number of ranks from two on.
std::unique_ptr<GaussianSolver> make_exact_solver(Backend backend, const CovarianceModel& model,
                                                  const Points& points, std::uint64_t memory_limit,
                                                  const parallel::Communicator& ranks = {},
                                                  bool with_gradients = false);

/// Bytes that the Vecchia solver takes on its device for n points with so many columns of data and
/// trend, of which each of `ranks` devices has its part of the neighbours; with those of the
/// simulations and draws that the options name, 12 bytes a neighbour of each point.
std::uint64_t vecchia_solver_bytes(std::int64_t n, int columns, const VecchiaOptions& options,
                                   int ranks = 1);

/// Builds the solver by Vecchia's approximation, with repeated places merged (repeated_places.hpp).
/// Throws Error (resource) like make_exact_solver; Error (input) for covariances with bins. With
/// several ranks every call is made by all of them with the same arguments, and has the same
/// results on each, whose bits do not depend on how many there are.
std::unique_ptr<GaussianSolver> make_vecchia_solver(Backend backend, const CovarianceModel& model,
                                                    const Points& points,
                                                    const VecchiaOptions& options,
                                                    std::uint64_t memory_limit,
                                                    const parallel::Communicator& ranks = {});

}  // namespace tessera::gp

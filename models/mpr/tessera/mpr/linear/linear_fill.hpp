// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tessera/mpr/linear/conjugate_gradients.hpp"

/// The harmonic interpolant: missing sites solve
///
///     Q u = 0,    Q = L + beta L^2,
///
/// with u given at the samples and the Laplacian L of couplings.hpp (Q = L + beta L M^-1 L where
/// cells have areas M, metric.hpp). It is the mean of the Gaussian approximation of the model,
/// whose precision matrix is Q / T. beta = 0: each missing site is the mean of its neighbours; beta
/// > 0 makes the surface smooth.
///
/// Samples that are known but for errors with standard deviations s, kNoisy, are filled too: each
/// has one more neighbour of fixed value, its sample, with the coupling A = T / s^2, and (Q + A) u
/// = A y. That is kriging with errors of measurement.
///
/// Example (tests/install/examples/mpr.cpp):
///
///     mpr::LinearFill<ExecSpace, double> fill(exec, grid, 1, status);                  // one frame
///     const mpr::LinearSolve solve = fill.solve(values, {1, 1, 0}, 0.0, 1e-10, 1000);  // equal couplings along x and y, no curvature
///
/// Method: conjugate gradients, preconditioned by a multigrid V-cycle (linear/multigrid.hpp); some
/// 10 iterations whatever the size of the gaps. Images with narrow gaps begin with sweeps over
/// tiles (linear/tile_relaxation.hpp), after which an iteration or none is left; without curvature
/// sweeps go on for as long as they lower the error fast, and no iteration is left.
///
/// Accuracy: LinearSolve::error at most `tolerance`, unless the iterations were used up; with a
/// tolerance of 1e-12 each site is the mean of its neighbours to 1e-8 (tests/unit/mpr_fill.cpp).
/// Sums have a fixed order, so that results depend neither on the number of threads nor on other
/// frames. solve() waits for the device every second iteration or every one; with a share of frames
/// all ranks call it together.

namespace tessera::mpr {

struct LinearSolve {
  int iterations = 0;
  bool converged = true;
  /// Root of the energy e' Q e of the error for each missing site, estimated; of the worst frame
  double error = 0;
  std::vector<double>
      /// The temperature of each frame of all ranks: u' Q u / (samples - 1), where none is noisy
      /// the restricted maximum-likelihood estimate
      temperature;
};

/// Real: float or double, of values; sums are double.
template <class ExecSpace, class Real>
class LinearFill {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  /// `status`: a Site for each site, [frame][layer][row][column]. axis: about the couplings of
  /// later calls, relative to each other. metrics: none where cells are all the same, one for all
  /// frames, or one for each. share: of the frames among ranks.
  LinearFill(const ExecSpace& exec, const Grid& grid, int frames,
             const Array<const std::uint8_t>& status, const AxisCouplings& axis = {},
             const Metrics& metrics = {}, const FrameShare& share = {});

  /// Bytes on the device.
  static double memory(const Grid& grid, int frames, bool noise = false) {
    const double size =
        (grid.nx + 4.0) * (grid.ny + 4.0) * (grid.nz > 1 ? grid.nz + 4.0 : 1.0) * frames;
    return size * (Multigrid::bytes_a_cell(noise) + (noise ? 7 : 6) * sizeof(Real));
  }

  /// The errors of noisy samples, of which there must be some: standard deviations, [frame][site],
  /// in the units of the values, and the temperature of each frame in the square of those units.
  /// Errors below root T / 1000 count as that. To be called before solve().
  void set_noise(const Array<const Real>& noise, const std::vector<double>& temperature) {
    m_multigrid.set_noise(noise, temperature);
  }

  /// Sets the number that sites without a connection to a sample are filled with; without it, the
  /// mean of the samples of their frame. For one frame.
  void set_mean(double mean) { m_mean = mean; }

  /// The product v' K^-1 w at T = 1 of the samples of two fields, of each frame, where K^-1 is
  /// their precision matrix given couplings (and errors) of the last solve(). v, w: filled by it.
  /// v_rest, w_rest: samples less what they were filled with, at noisy ones.
  std::vector<double> product(const Array<const Real>& v, const Array<const Real>& v_rest,
                              const Array<const Real>& w, const Array<const Real>& w_rest) const;

  /// Replaces the values of the missing sites and of noisy samples, [frame][site]. axis: couplings
  /// along x, y, z. tolerance: for LinearSolve::error.
  LinearSolve solve(const Array<Real>& values, const AxisCouplings& axis, double beta,
                    double tolerance, int most_iterations);

  /// The tolerance, given the temperature of each frame in a first, rough solution.
  using ToleranceOf = std::function<double(const std::vector<double>& temperature)>;
  /// Solves to a tolerance that depends on the temperatures: goes on from the rough solution.
  LinearSolve solve(const Array<Real>& values, const AxisCouplings& axis, double beta,
                    const ToleranceOf& tolerance, int most_iterations);

 private:
  using Range = detail::Range<ExecSpace>;
  using Multigrid = detail::Multigrid<ExecSpace, Real, 1>;
  using Numbers = typename Multigrid::Numbers;

  /// Q x = b at the missing cells.
  struct Equations {
    Array<double> mean;     ///< of each frame, which was taken off its samples
    Numbers samples, b, x;  ///< samples: 0 elsewhere
  };

  static constexpr double kRough = 1e-3;  ///< tolerance of a rough solution
  static constexpr int kMostRough = 4;    ///< its iterations at most
  /// Over tiles at the start, where gaps are narrow
  static constexpr int kPasses = 4, kSweepsOfPass = 8;
  /// Further passes at a time, without curvature, in frames where they lower the error by
  static constexpr int kMorePasses = 2;
  /// This factor or more: slower, they leave deep gaps behind
  static constexpr double kFalls = 5;
  /// The error after them is largest in the deepest gaps, of which there are few: it counts as so
  /// many times what is estimated.
  static constexpr double kDeepest = 3;

  /// next: of the solution that follows a rough one; none: there is none.
  template <int D>
  LinearSolve run(const Array<Real>& values, const AxisCouplings& axis, double beta,
                  double tolerance, const ToleranceOf& next, int most_iterations);
  template <int D>
  Equations pose(const Array<const Real>& values);
  void improve(const Equations& equations, double tolerance, int most_iterations,
               LinearSolve& result);
  std::vector<double> relax(const Equations& equations, double target);
  template <int D>
  std::vector<double> temperatures(const Equations& equations) const;
  template <int D>
  std::vector<double> product_in(const Array<const Real>& v, const Array<const Real>& v_rest,
                                 const Array<const Real>& w, const Array<const Real>& w_rest) const;

  ExecSpace m_exec;
  std::optional<double> m_mean;
  Multigrid m_multigrid;
  detail::ConjugateGradients<ExecSpace, Real, 1> m_gradients;
};

}  // namespace tessera::mpr

#include "tessera/mpr/linear/linear_fill_impl.hpp"

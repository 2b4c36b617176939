// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "tessera/core/device/exact_sum.hpp"
#include "tessera/gbees/propagator/cell_likelihood.hpp"
#include "tessera/gbees/step/moments.hpp"
#include "tessera/gbees/step/step_context.hpp"

/// The passes over the cells of an update by Bayes' rule.

namespace tessera::gbees::detail {

/// The terms of a likelihood at each cell, kept from the first pass of an update to the next in
/// memory that is free meanwhile: h is what a pass takes its time for. Terms that there is no room
/// for are found again.
template <int D>
struct CellTerms {
  Likelihood<D> likelihood;
  double* kept[Likelihood<D>::kMax] = {};  ///< by row; or null
  /// Of cells within which the likelihood is sharp: the logarithm of the factor by which they are
  /// multiplied, in units of the likelihood's peak; of others NaN. By row
  double* log_factor = nullptr;

  KOKKOS_INLINE_FUNCTION bool is_sharp(std::uint32_t c) const {
    return log_factor[c] == log_factor[c];
  }

  template <class Context>
  KOKKOS_INLINE_FUNCTION void find(const Context& s, std::uint32_t c, double* term) const {
    const Vector<D> x = s.velocity.grid.centre(s.key(c));
    for (int a = 0; a < likelihood.terms(); ++a) {
      term[a] = likelihood.term(a, x, s.state().time);
      if (kept[a] != nullptr) kept[a][c] = term[a];
    }
  }

  /// Term a of a cell whose terms have been found.
  template <class Context>
  KOKKOS_INLINE_FUNCTION double get(const Context& s, int a, std::uint32_t c) const {
    return kept[a] != nullptr
               ? kept[a][c]
               : likelihood.term(a, s.velocity.grid.centre(s.key(c)), s.state().time);
  }
};

/// The extremes over all cells that hold mass, which an update needs before it multiplies them.
template <int D>
struct LikelihoodExtremes {
  /// The least of Likelihood::distance - 2 ln p: minus twice the logarithm of the largest product
  /// of likelihood, in units of its peak, and probability. Minus infinity where on some cell there
  /// is no likelihood. Of cells where it is sharp that at their centre, apart from the others
  double least_distance = std::numeric_limits<double>::max();
  double least_sharp = std::numeric_limits<double>::max();
  std::uint64_t sharp = 0;                            ///< number of these
  double largest_residual[Likelihood<D>::kMax] = {};  ///< |h_a(x) - z_a|

  KOKKOS_INLINE_FUNCTION LikelihoodExtremes& operator+=(const LikelihoodExtremes& other) {
    least_distance = compat::min(least_distance, other.least_distance);
    least_sharp = compat::min(least_sharp, other.least_sharp);
    sharp += other.sharp;
    for (int a = 0; a < Likelihood<D>::kMax; ++a) {
      largest_residual[a] = compat::max(largest_residual[a], other.largest_residual[a]);
    }
    return *this;
  }
};

template <class Context>
struct FindExtremes {
  static constexpr const char* label = "tessera::gbees::likelihood_extremes";
  static constexpr double kNoLikelihood = -std::numeric_limits<double>::infinity(),
                          kNotSharp = std::numeric_limits<double>::quiet_NaN();
  static constexpr int D = Context::D;
  using View = typename Context::View;
  using Loop = LoopOverCells;
  using Bounds = Blocks<3>;
  Context s;
  CellTerms<Context::D> terms;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         LikelihoodExtremes<D>& extremes) const {
    if (!(view.mass[c] > 0)) return;
    const Likelihood<D>& likelihood = terms.likelihood;
    double term[Likelihood<D>::kMax];
    terms.find(s, c, term);
    for (int a = 0; a < likelihood.count; ++a) {
      extremes.largest_residual[a] =
          compat::max(extremes.largest_residual[a], compat::math::fabs(term[a]));
    }
    const double distance = likelihood.distance(term);
    const double p = view.mass[c] * view.scale;
    terms.log_factor[c] = kNotSharp;
    if (!likelihood.is_valid(term, distance)) {
      extremes.least_distance = kNoLikelihood;
    } else if (p > 0) {
      const bool is_sharp = CellLikelihood<D>(likelihood, s.velocity.grid,
                                              s.velocity.grid.centre(s.key(c)), s.state().time)
                                .is_sharp();
      double& least = is_sharp ? extremes.least_sharp : extremes.least_distance;
      least = compat::min(least, distance - 2 * compat::math::log(p));
      if (!is_sharp) return;
      terms.log_factor[c] = 0;
      ++extremes.sharp;
    }
  }
};

/// The density within the cell in row c, along the coordinates that a likelihood depends on.
template <class Context>
KOKKOS_INLINE_FUNCTION LocalDensity<Context::D> density_within(
    const Context& s, const typename Context::View& view, const Likelihood<Context::D>& likelihood,
    std::uint32_t c) {
  LocalDensity<Context::D> density;
  for (int a = 0; a < likelihood.axes; ++a) {
    const int i = likelihood.axis[a];
    density.add_axis(view.mass[c], view.mass[s.lower(c, i)], view.mass[s.upper(c, i)]);
  }
  return density;
}

/// The logarithm below which a likelihood does not count in a cell of probability p, where
/// `least_distance` is that of a cell whose product with it is large.
KOKKOS_INLINE_FUNCTION double log_floor(double p, double least_distance) {
  constexpr double kLittle = 40;  // exp(-40) of that product
  return -0.5 * least_distance - compat::math::log(p) - kLittle;
}

/// Finds the factors of the cells within which a likelihood is sharp, and the least distance of
/// these.
template <class Context>
struct FindFactors {
  static constexpr const char* label = "tessera::gbees::likelihood_factors";
  static constexpr int D = Context::D;
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  CellTerms<Context::D> terms;
  double least_distance;  ///< at the centres of cells

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c, double& least) const {
    if (!(view.mass[c] > 0) || !terms.is_sharp(c)) return;
    const double p = view.mass[c] * view.scale, found = find(view, c, p);
    terms.log_factor[c] = found;
    least = compat::min(least, -2 * (found + compat::math::log(p)));
  }

 private:
  static constexpr double kNothing = -std::numeric_limits<double>::infinity();

  struct Total {
    double sum = 0;
    KOKKOS_INLINE_FUNCTION void add(const SubCell<D>&, const typename CellLikelihood<D>::Sample&,
                                    double mass) {
      sum += mass;
    }
  };

  TESSERA_NOINLINE KOKKOS_FUNCTION double find(const View& view, std::uint32_t c, double p) const {
    CellLikelihood<D> cell(terms.likelihood, s.velocity.grid, s.velocity.grid.centre(s.key(c)),
                           s.state().time);
    const LocalDensity<D> density = density_within(s, view, terms.likelihood, c);
    Total total;
    cell.integrate(density, log_floor(p, least_distance), total);
    total.sum += cell.background() * (1 - density.whole());
    return total.sum > 0 ? cell.log_unit() + compat::math::log(total.sum) : kNothing;
  }
};

/// The first cell, by key, that holds mass and where a likelihood is none.
template <class Context>
struct FirstInvalid {
  static constexpr const char* label = "tessera::gbees::invalid_likelihood";
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  CellTerms<Context::D> terms;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         typename Context::KeyWord& first) const {
    if (!(view.mass[c] > 0)) return;
    double term[Likelihood<Context::D>::kMax];
    for (int a = 0; a < terms.likelihood.terms(); ++a) term[a] = terms.get(s, a, c);
    if (!terms.likelihood.is_valid(term, terms.likelihood.distance(term)))
      first = compat::min(first, s.key(c));
  }
};

/// The sums of the last passes of an update.
struct UpdateSums {
  /// Sums before the update: of p, p r and p r^2, where r is a residual in units of the largest
  ExactSum mass, first, second;
  ExactSum product;  ///< of mass and likelihood

  KOKKOS_INLINE_FUNCTION UpdateSums& operator+=(const UpdateSums& other) {
    mass += other.mass;
    first += other.first;
    second += other.second;
    product += other.product;
    return *this;
  }

  /// |z_a - E h_a| / sqrt(Var h_a + R_aa), with the largest residual and the variance R_aa of the quantity.
  double deviation(double unit, double error_variance) const {
    const double total = mass.value(), mean = first.value() / total;
    const double variance = std::max(second.value() / total - mean * mean, 0.0) * unit * unit;
    return std::fabs(mean) * unit / std::sqrt(variance + error_variance);
  }
};

/// Sums up the residuals of one quantity. The pass of the last quantity does what the update is
/// for: by Bayes' rule it multiplies each cell's mass by the likelihood at its centre, divided by
/// exp(-least / 2).
template <class Context>
struct Observe {
  static constexpr const char* label = "tessera::gbees::observe";
  static constexpr int D = Context::D;
  using View = typename Context::View;
  using Loop = LoopOverCells;
  using Bounds = Blocks<3>;
  Context s;
  CellTerms<Context::D> terms;
  int quantity;
  double unit;  ///< largest residual of the quantity; 0: no sums of residuals
  bool multiplies;
  double least;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         UpdateSums& sums) const {
    if (!(view.mass[c] > 0)) return;  // a likelihood need not be finite there
    const double p = view.mass[c] * view.scale;
    if (unit > 0 && p > 0) {
      const double r = terms.get(s, quantity, c) / unit;
      sums.mass.add(p);
      sums.first.add(p * r);
      sums.second.add(p * r * r);
    }
    if (!multiplies) return;
    const auto mass = static_cast<typename Context::Real>(p * factor(c));
    view.mass[c] = mass;
    sums.product.add(mass);
  }

 private:
  KOKKOS_INLINE_FUNCTION double factor(std::uint32_t c) const {
    if (terms.is_sharp(c)) return compat::math::exp(terms.log_factor[c] + 0.5 * least);
    double term[Likelihood<D>::kMax];
    for (int a = 0; a < terms.likelihood.terms(); ++a) term[a] = terms.get(s, a, c);
    return terms.likelihood.value(term, least);
  }
};

/// Sums of the directions of the posterior density before the update, each cell as a point.
template <class Context>
struct SumPosteriorDirections {
  static constexpr const char* label = "tessera::gbees::posterior_directions";
  static constexpr int D = Context::D;
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  CellTerms<Context::D> terms;
  double least_distance;  ///< the unit of products is exp(-least_distance / 2)
  int axis = 0;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         DirectionSums& sums) const {
    if (!(view.mass[c] > 0)) return;
    double log_factor = terms.log_factor[c];
    if (!terms.is_sharp(c)) {
      double term[Likelihood<D>::kMax];
      for (int a = 0; a < terms.likelihood.terms(); ++a) term[a] = terms.get(s, a, c);
      log_factor = -0.5 * terms.likelihood.distance(term);
    }
    sums.add(s.velocity.grid, axis, Context::Key::index(s.key(c), axis),
             view.mass[c] * view.scale * compat::math::exp(log_factor + 0.5 * least_distance));
  }
};

/// Sums about the posterior density, with what is known of it within cells where the likelihood is
/// sharp: of p d_i and of p d_i d_j for one axis i and all j >= i, where d is the distance in cells
/// in a frame; and of p, in all cells, in such cells, and in those where it is not known well.
template <int D>
struct PosteriorMoments : IndexMoments<D> {
  ExactSum mass, sharp, doubtful;
  KOKKOS_INLINE_FUNCTION PosteriorMoments& operator+=(const PosteriorMoments& other) {
    IndexMoments<D>::operator+=(other);
    mass += other.mass;
    sharp += other.sharp;
    doubtful += other.doubtful;
    return *this;
  }
};

/// Finds these before the update.
template <class Context>
struct SumPosterior {
  static constexpr const char* label = "tessera::gbees::posterior_moments";
  static constexpr int D = Context::D;
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  CellTerms<Context::D> terms;
  double least_distance;  ///< the unit of products is exp(-least_distance / 2)
  int axis;
  IndexFrame<D> frame;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         PosteriorMoments<D>& sums) const {
    constexpr double kLittle = 1e-12;
    if (!(view.mass[c] > 0)) return;
    const double p = view.mass[c] * view.scale;
    Within within{*this, s.key(c), sums};
    if (!terms.is_sharp(c)) {
      double term[Likelihood<D>::kMax];
      for (int a = 0; a < terms.likelihood.terms(); ++a) term[a] = terms.get(s, a, c);
      const double distance = terms.likelihood.distance(term);
      return within.add_cell(p * compat::math::exp(-0.5 * (distance - least_distance)));
    }
    const double product = p * compat::math::exp(terms.log_factor[c] + 0.5 * least_distance);
    sums.sharp.add(product);
    if (product < kLittle) return within.add_cell(product);
    if (!add_parts(view, c, p, within)) sums.doubtful.add(product);
  }

 private:
  /// Adds what a cell holds to the sums.
  struct Within {
    const SumPosterior& phase;
    typename Context::KeyWord key;
    PosteriorMoments<D>& sums;
    double unit = 1;

    KOKKOS_INLINE_FUNCTION double distance(int i) const { return phase.frame.distance(key, i); }

    KOKKOS_INLINE_FUNCTION void add_cell(double product) {
      const double first = product * distance(phase.axis);
      sums.first.add(first);
      sums.mass.add(product);
      for (int j = phase.axis; j < D; ++j) sums.second[j].add(first * distance(j));
    }

    /// A box, as CellLikelihood::integrate gives it.
    KOKKOS_INLINE_FUNCTION void add(const SubCell<D>& box,
                                    const typename CellLikelihood<D>::Sample& sample, double mass) {
      double place[D], variance = 0;
      for (int j = 0; j < D; ++j) place[j] = distance(j);
      const Likelihood<D>& likelihood = phase.terms.likelihood;
      for (int a = 0; a < likelihood.axes; ++a) {
        place[likelihood.axis[a]] += box.centre(a) + sample.offset[a];
        if (likelihood.axis[a] == phase.axis)
          variance = sample.square[a] - sample.offset[a] * sample.offset[a];
      }
      const double product = unit * mass, first = product * place[phase.axis];
      sums.mass.add(product);
      sums.first.add(first);
      for (int j = phase.axis; j < D; ++j) sums.second[j].add(first * place[j]);
      sums.second[phase.axis].add(product * variance);
    }
  };

  /// Adds a cell within which the likelihood is sharp. Returns whether it is known well.
  TESSERA_NOINLINE KOKKOS_FUNCTION bool add_parts(const View& view, std::uint32_t c, double p,
                                                  Within& within) const {
    CellLikelihood<D> cell(terms.likelihood, s.velocity.grid, s.velocity.grid.centre(s.key(c)),
                           s.state().time);
    within.unit = p * compat::math::exp(cell.log_unit() + 0.5 * least_distance);
    const LocalDensity<D> density = density_within(s, view, terms.likelihood, c);
    within.add_cell(within.unit * cell.background() * (1 - density.whole()));
    return cell.integrate(density, log_floor(p, least_distance), within);
  }
};

}  // namespace tessera::gbees::detail

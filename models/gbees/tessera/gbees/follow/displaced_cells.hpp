// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/core/app/signal_delay.hpp"
#include "tessera/core/app/signals.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gbees/dynamics/maneuver.hpp"
#include "tessera/gbees/follow/cell_moments.hpp"
#include "tessera/gbees/follow/log_quadratic.hpp"
#include "tessera/gbees/follow/transfer.hpp"
#include "tessera/gbees/propagator/rebin.hpp"

/// Cells of a grid that stays, behind a sudden change of the state. Keys are in the window of the
/// grid, and ascend.

namespace tessera::gbees {

/// The shares of a cell's mass that a Gaussian error takes to the cells at distances of -n to n
/// cells along an axis: exp(-v) I_k(v) with the variance v in cells, the Gaussian of a lattice
/// (Lindeberg, IEEE Trans. Pattern Anal. Mach. Intell. 12 (1990) 234), whose variance is v too. By
/// Miller's recurrence I_k-1 = I_k+1 + (2 k / v) I_k.
inline std::vector<double> broadening_weights(double variance_in_cells) {
  constexpr double kReach = 7, kLarge = 1e200;
  const int n = 12 + static_cast<int>(std::ceil(kReach * std::sqrt(variance_in_cells)));
  std::vector<double> weights(static_cast<std::size_t>(2 * n + 1), 0.0);
  const auto middle = static_cast<std::size_t>(n);
  double above = 0, now = 1;  // I_k+1 and I_k, but for a factor
  for (std::size_t k = middle;; --k) {
    weights[middle + k] = weights[middle - k] = now;
    if (k == 0) break;
    above = std::exchange(now, above + 2 * static_cast<double>(k) / variance_in_cells * now);
    if (now < kLarge) continue;
    for (double& weight : weights) weight /= now;
    above /= now;
    now = 1;
  }
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// Moves the masses of cells along an axis to those at distances of `first` cells and more, by
/// shares. What is below `least` is left out.
template <int D, class Word>
CellListOf<Word> spread_along(const CellListOf<Word>& cells, const Grid<D>& grid, int axis,
                              std::int64_t first, const std::vector<double>& shares, double least) {
  using Key = CellKey<D, Word>;
  std::vector<std::pair<Word, double>> entries;
  CellListOf<Word> all;
  const auto sum = [&] {
    for (std::size_t c = 0; c < all.key.size(); ++c)
      entries.emplace_back(all.key[c], all.probability[c]);
    all = sum_duplicates(std::move(entries));
    entries.clear();
  };
  for (std::size_t c = 0; c < cells.key.size(); ++c) {
    if (c % 1024 == 0) stop_at_signal();
    const auto reach = static_cast<std::int64_t>(shares.size());
    const std::int64_t now = Key::index(cells.key[c], axis), low = now + first;
    if (!grid.is_circle(axis) && (low < -Key::limit || low + reach - 1 > Key::limit))
      detail::fail_beyond_window<D, Word>(axis);
    for (std::size_t k = 0; k < shares.size(); ++k) {
      if (!(shares[k] > 0)) continue;
      const std::int64_t to = grid.bring_in(axis, low + static_cast<std::int64_t>(k));
      const auto key =
          static_cast<Word>(cells.key[c] + static_cast<Word>(to - now) * Key::unit(axis));
      entries.emplace_back(key, cells.probability[c] * shares[k]);
    }
    if (entries.size() > (std::size_t(1) << 22)) sum();  // so that they stay few
  }
  sum();
  return all.at_least(least);
}

/// Broadens a density of cells by an independent Gaussian error along each axis, of these
/// variances. Mean and mass stay, but for cells below the threshold.
template <int D, class Word>
CellListOf<Word> broadened_cells(CellListOf<Word> cells, const Grid<D>& grid,
                                 const std::vector<double>& variances, double threshold) {
  constexpr double kOfThreshold = 1e-3;  // what the axes that are left may gather again
  for (int i = 0; i < D; ++i) {
    const double h = grid.spacing[i], variance = variances[static_cast<std::size_t>(i)] / (h * h);
    if (!(variance > 0)) continue;
    const std::vector<double> weights = broadening_weights(variance);
    cells = spread_along<D, Word>(cells, grid, i, -static_cast<std::int64_t>(weights.size() / 2),
                                  weights, kOfThreshold * threshold);
  }
  return cells.at_least(threshold);
}

/// Turns cells round circles by whole cells: by `sign` times what brings the mean direction of
/// `about` to the middle of each, so that the ends are where there is least.
template <int D, class Word>
CellListOf<Word> turned_to_middle(CellListOf<Word> cells, const CellListOf<Word>& about,
                                  const Grid<D>& grid, int sign) {
  constexpr double kTurn = 2 * 3.14159265358979323846;
  for (int i = 0; i < D; ++i) {
    if (!grid.is_circle(i)) continue;
    double cosine = 0, sine = 0;
    for (std::size_t c = 0; c < about.key.size(); ++c) {
      const double angle =
          kTurn * (CellKey<D, Word>::index(about.key[c], i) - grid.first[i]) / grid.turn[i];
      cosine += about.probability[c] * std::cos(angle);
      sine += about.probability[c] * std::sin(angle);
    }
    const double mean = std::atan2(sine, cosine) / kTurn * grid.turn[i];
    const auto by = static_cast<std::int64_t>(std::round(0.5 * grid.turn[i] - mean));
    cells = spread_along<D, Word>(cells, grid, i, sign * by, {1.0}, 0);
  }
  return cells;
}

/// Shifts a density of cells by what is less than a cell, with the density between the cells: the
/// mass stays. Nothing where the cells do not resolve it, which shows in its mass or moments.
template <int D, class Word>
std::optional<CellListOf<Word>> smoothly_shifted(const CellListOf<Word>& where, const Grid<D>& grid,
                                                 const Vector<D>& shift, double threshold) {
  const CellListOf<Word> cells = turned_to_middle<D, Word>(where, where, grid, 1);
  constexpr double kMostChange = 2e-3;  // of the mass, or of moments in deviations
  AffineMap<D> to_new, to_old;
  for (int i = 0; i < D; ++i) {
    to_new.matrix[i][i] = to_old.matrix[i][i] = 1;
    to_new.offset[i] = shift[i];
    to_old.offset[i] = -shift[i];
  }
  try {
    const LogQuadratic<D, Word> density(cells, grid, LogQuadratic<D, Word>::kReliable * threshold);
    if (!is_smooth(density)) return std::nullopt;
    CellListOf<Word> after = transfer<D, Word>(density, to_old, to_new, grid, std::log(threshold),
                                               [](const Vector<D>&) { return 0.0; });
    const double before = sum_of_masses(cells), now = sum_of_masses(after);
    if (!(std::fabs(now / before - 1) < kMostChange)) return std::nullopt;
    const CellMoments<D> expected = mapped(to_new, CellMoments<D>(cells, grid));
    if (!(moment_error(expected, CellMoments<D>(after, grid)) < kMostChange)) return std::nullopt;
    for (double& p : after.probability) p *= before / now;
    return turned_to_middle<D, Word>(std::move(after), where, grid, -1);
  } catch (const Error&) {  // it is so narrow that it has no covariance
    return std::nullopt;
  }
}

/// Shares the masses of cells among the two next to a place that is less than a cell away along an
/// axis: the mean is right, and the variance grows by a quarter of a cell's square at most.
template <int D, class Word>
CellListOf<Word> shared_among_two(const CellListOf<Word>& cells, const Grid<D>& grid, int axis,
                                  double part) {
  const double share = std::fabs(part);
  if (part > 0) return spread_along<D, Word>(cells, grid, axis, 0, {1 - share, share}, 0);
  return spread_along<D, Word>(cells, grid, axis, -1, {share, 1 - share}, 0);
}

/// Shifts a density of cells. Whole cells are exact. Of the rest the density between the cells is
/// taken where they resolve it and the axis is no circle; else masses are shared among two cells.
template <int D, class Word>
CellListOf<Word> shifted_cells(CellListOf<Word> cells, const Grid<D>& grid, const Vector<D>& shift,
                               double threshold) {
  Vector<D> part{}, rest{};
  bool has_rest = false;
  for (int i = 0; i < D; ++i) {
    const double in_cells = shift[i] / grid.spacing[i], whole = std::round(in_cells);
    if (!(std::fabs(whole) <= static_cast<double>(CellKey<D, Word>::limit)))
      detail::fail_beyond_window<D, Word>(i);
    if (whole != 0)
      cells = spread_along<D, Word>(cells, grid, i, static_cast<std::int64_t>(whole), {1.0}, 0);
    part[i] = in_cells - whole;
    if (!(std::fabs(part[i]) > 1e-9)) continue;
    if (grid.is_circle(i)) {
      cells = shared_among_two<D, Word>(cells, grid, i, part[i]);
    } else {
      rest[i] = part[i] * grid.spacing[i];
      has_rest = true;
    }
  }
  if (!has_rest) return cells;
  if (std::optional<CellListOf<Word>> shifted =
          smoothly_shifted<D, Word>(cells, grid, rest, threshold))
    return *shifted;
  for (int i = 0; i < D; ++i) {
    if (rest[i] != 0) cells = shared_among_two<D, Word>(cells, grid, i, part[i]);
  }
  return cells.at_least(threshold);
}

/// Lets a maneuver that is a shift change a density whose grid stays and lies in `frame`. What its
/// error takes below the threshold counts as lost. Signals leave the density as it was. All ranks
/// call it.
template <int D, class Word>
void displace(Density<D, Word>& density, const Maneuver& maneuver, const Frame& frame,
              double threshold, const parallel::Communicator& ranks) {
  const CellListOf<Word> own = density.own_cells(0);
  CellListOf<Word> cells =
      CellListOf<Word>::sorted(ranks.all_gather(own.key), ranks.all_gather(own.probability));
  Grid<D> window = density.grid();  // to which the keys belong, from its own origin
  const Vector<D> offset = std::exchange(window.offset, Vector<D>{});
  for (int i = 0; i < D; ++i) window.origin[i] += offset[i] * window.spacing[i];
  Vector<D> shift{};
  for (int a = 0; a < D; ++a) {
    for (int i = 0; i < D; ++i) {
      const auto axis = static_cast<std::size_t>(a), variable = static_cast<std::size_t>(i);
      const double share = frame.is_turned() ? frame.inverse_at(axis, variable) : a == i ? 1 : 0;
      shift[a] += share * maneuver.add()[variable];
    }
  }
  const double before = sum_of_masses(cells);
  cells = shifted_cells<D, Word>(std::move(cells), window, shift, threshold);
  if (maneuver.has_error()) {
    linalg::Matrix error = maneuver.covariance_at(frame.centre.data());
    if (frame.is_turned()) error = frame.covariance_along_axes(error);
    std::vector<double> variances;
    for (std::size_t a = 0; a < D; ++a) variances.push_back(error[a][a]);
    cells = broadened_cells<D, Word>(std::move(cells), window, variances, threshold);
  }
  if (cells.key.empty())
    throw Error(ErrorKind::numerical, "a maneuver leaves no cell at the threshold",
                "lower grid.threshold");
  StepperState state = density.state();
  state.scale = 1;
  state.parity = 0;
  state.mass = sum_of_masses(cells);
  state.lost_mass += before - state.mass;
  state.max_cells = std::max<std::uint64_t>(state.max_cells, cells.key.size());
  const SignalDelay whole;
  density.restore(cells, state, offset);
}

}  // namespace tessera::gbees

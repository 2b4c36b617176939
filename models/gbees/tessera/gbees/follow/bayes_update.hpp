// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/gbees/follow/cell_moments.hpp"
#include "tessera/gbees/follow/frame_maps.hpp"
#include "tessera/gbees/follow/log_quadratic.hpp"
#include "tessera/gbees/follow/transfer.hpp"
#include "tessera/gbees/propagator/likelihood.hpp"

namespace tessera::gbees {

/// A density in a frame: cells whose masses sum to one.
template <int D, class Word>
struct FramedCells {
  Frame frame;
  CellListOf<Word> cells;
};

/// Says why no frame fits a density.
struct NoFrame {
  std::string why;
};

/// Updates densities in frames by observations of the state. The likelihood multiplies the prior on
/// cells that are laid for the posterior: the prior's log-quadratic is asked for its values there.
/// Where the posterior is much narrower than the prior, or lies in its tail, powers of the
/// likelihood lead there, each of which keeps half of the density before.
template <int D, class Word>
class BayesUpdate {
 public:
  /// The state of observations is x; `threshold`: the least mass of a cell of the posterior.
  BayesUpdate(const Observation& observation, double time, const Grid<D>& grid, double threshold)
      : m_data(observation),
        m_observation(&observation),
        m_time(time),
        m_grid(grid),
        m_threshold(threshold) {}

  /// Updates a density. Throws NoFrame where no frame fits what is left of it, and Error
  /// (numerical) where a likelihood is none in a cell.
  FramedCells<D, Word> operator()(const FramedCells<D, Word>& prior, MeasurementUpdate& update) {
    const AffineMap<D> to_x = to_state<D>(prior.frame);
    std::vector<double> logarithm(prior.cells.key.size());
    for (std::size_t c = 0; c < logarithm.size(); ++c)
      logarithm[c] = checked(to_x(m_grid.centre(prior.cells.key[c])));
    update.deviation = deviation(prior, to_x);
    const LogQuadratic<D, Word> density = or_no_frame([&] {
      return LogQuadratic<D, Word>(prior.cells, m_grid,
                                   LogQuadratic<D, Word>::kReliable * m_threshold);
    });
    FramedCells<D, Word> now = prior;
    double power = 0, log_mass = 0;  // of the prior times the likelihood to that power
    for (int round = 0; round < kMostRounds; ++round) {
      const double next = next_power(now.cells, logarithm, power);
      const double shift = *std::max_element(logarithm.begin(), logarithm.end());
      if (!(shift > -std::numeric_limits<double>::infinity())) fail_empty();
      const auto weight = [&](std::size_t c) {
        return std::exp((next - power) * (logarithm[c] - shift));
      };
      const CellMoments<D> moments(now.cells, m_grid, weight);
      const double log_next = log_mass + std::log(moments.mass) + (next - power) * shift;
      const bool fits = fits_frame<D>(moments.mean, moments.covariance);
      if (next == 1 && fits) {
        update.log_evidence = log_next + m_data.log_peak;
        for (std::size_t c = 0; c < logarithm.size(); ++c)
          now.cells.probability[c] *= weight(c) / moments.mass;
        now.cells = now.cells.at_least(m_threshold);
        normalise(now.cells);
        return now;
      }
      const Frame next_frame = or_no_frame(
          [&] { return frame_of_moments<D>(now.frame, moments.mean, moments.covariance); });
      const AffineMap<D> of_z = to_state<D>(next_frame);
      std::vector<Vector<D>> places = places_of(now, between<D>(now.frame, next_frame), weight);
      now.frame = next_frame;
      now.cells = transfer<D, Word>(
          density, between<D>(now.frame, prior.frame), between<D>(prior.frame, now.frame), m_grid,
          log_next + std::log(m_threshold),
          [&](const Vector<D>& z) { return next * log_likelihood(of_z(z)); }, places);
      if (now.cells.key.empty()) fail_empty();
      log_mass = std::log(normalise(now.cells));
      power = next;
      logarithm.resize(now.cells.key.size());
      for (std::size_t c = 0; c < logarithm.size(); ++c)
        logarithm[c] = checked(of_z(m_grid.centre(now.cells.key[c])));
    }
    throw NoFrame{describe() + " leads to a density that no frame fits"};
  }

 private:
  static constexpr int kMostRounds = 400;

  /// Calls what throws Error where cells or moments are degenerate.
  template <class Make>
  auto or_no_frame(const Make& make) const {
    try {
      return make();
    } catch (const Error& error) {
      throw NoFrame{describe() + " leads to a density that no frame fits: " + error.what()};
    }
  }

  /// The cells that a weight leaves something of, in another frame.
  template <class Weight>
  std::vector<Vector<D>> places_of(const FramedCells<D, Word>& cells, const AffineMap<D>& map,
                                   const Weight& weight) const {
    std::vector<Vector<D>> places{Vector<D>{}};
    for (std::size_t c = 0; c < cells.cells.key.size(); ++c) {
      if (!(cells.cells.probability[c] * weight(c) >= m_threshold)) continue;
      const Vector<D> place = map(m_grid.centre(cells.cells.key[c]));
      bool is_near = true;
      for (int i = 0; i < D; ++i) is_near = is_near && std::fabs(place[i]) < kFarthest;
      if (is_near) places.push_back(place);
    }
    return places;
  }
  static constexpr double kFarthest = 40;  // deviations of the next density, to look at

  /// ln L in units of the likelihood's peak.
  double log_likelihood(const Vector<D>& x) const {
    return -0.5 * m_data.likelihood.distance(x, m_time);
  }

  double checked(const Vector<D>& x) const {
    double term[detail::Likelihood<D>::kMax];
    const detail::Likelihood<D>& likelihood = m_data.likelihood;
    for (int a = 0; a < likelihood.terms(); ++a) term[a] = likelihood.term(a, x, m_time);
    const double distance = likelihood.distance(term);
    if (likelihood.is_valid(term, distance)) return -0.5 * distance;
    const bool is_missed = m_observation->kind == Observation::Kind::missed;
    std::ostringstream what;
    what << (m_observation->place.empty() ? "" : m_observation->place + ": ")
         << (m_observation->has_values() ? "what was measured"
             : is_missed                 ? "the probability of a detection"
                                         : "the likelihood")
         << " (" << m_observation->description << ") is ";
    std::vector<double> input(&x[0], &x[0] + D);
    input.push_back(m_time);
    for (std::size_t a = 0; a < m_observation->h.count(); ++a) {
      const double value = m_observation->h.evaluate(a, input);
      what << (a > 0 ? ", " : "") << (std::isnan(value) ? std::fabs(value) : value);
    }
    what << " at t = " << m_time << ", in the state (";
    for (int i = 0; i < D; ++i) what << (i > 0 ? ", " : "") << x[i];
    what << ")";
    throw Error(ErrorKind::numerical, what.str(),
                m_observation->has_values()
                    ? "make it a finite number wherever the density has cells, for example by "
                      "max(..., 0) within a root"
                : is_missed ? "keep it within 0 and 1 with min(..., 1) and max(..., 0)"
                            : "make it finite and not negative, for example by max(..., 0)");
  }

  std::string describe() const {
    return "the measurement of " + m_observation->description + " at t = " + number(m_time);
  }

  static std::string number(double value) {
    std::ostringstream text;
    text << value;
    return text.str();
  }

  [[noreturn]] void fail_empty() const { throw NoFrame{describe() + " leaves no probability"}; }

  /// The next power: that which keeps half of the density, as the number of cells that count is
  /// told, or 1.
  double next_power(const CellListOf<Word>& cells, const std::vector<double>& logarithm,
                    double power) const {
    const double shift = *std::max_element(logarithm.begin(), logarithm.end());
    const auto share = [&](double next) {
      double sum = 0, square = 0, all = 0;
      for (std::size_t c = 0; c < logarithm.size(); ++c) {
        const double weight = std::exp((next - power) * (logarithm[c] - shift));
        all += cells.probability[c];
        sum += cells.probability[c] * weight;
        square += cells.probability[c] * weight * weight;
      }
      return sum * sum / (square * all);
    };
    constexpr double kKept = 0.5;
    if (!(share(1) < kKept)) return 1;
    double low = 0, high = 1 - power;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (share(power + middle) < kKept ? high : low) = middle;
    }
    return low > 0 ? power + low : 1;
  }

  /// The largest distance of what was measured from what the density predicts.
  double deviation(const FramedCells<D, Word>& prior, const AffineMap<D>& to_x) const {
    if (!m_observation->has_values()) return std::numeric_limits<double>::quiet_NaN();
    const detail::Likelihood<D>& likelihood = m_data.likelihood;
    double largest = 0;
    for (int a = 0; a < likelihood.count; ++a) {
      double mass = 0, first = 0, second = 0;
      std::vector<double> residual;
      for (const Word key : prior.cells.key)
        residual.push_back(likelihood.residual(a, to_x(m_grid.centre(key)), m_time));
      for (std::size_t c = 0; c < residual.size(); ++c) {
        mass += prior.cells.probability[c];
        first += prior.cells.probability[c] * residual[c];
      }
      first /= mass;
      for (std::size_t c = 0; c < residual.size(); ++c)
        second += prior.cells.probability[c] * (residual[c] - first) * (residual[c] - first);
      const auto k = static_cast<std::size_t>(a);
      const double variance = second / mass + m_observation->covariance[k][k];
      largest = std::max(largest, std::fabs(first) / std::sqrt(variance));
    }
    return largest;
  }

  detail::LikelihoodData<D, Kokkos::DefaultHostExecutionSpace> m_data;
  const Observation* m_observation;
  double m_time;
  Grid<D> m_grid;
  double m_threshold;
};

}  // namespace tessera::gbees

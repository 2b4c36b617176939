// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/run_warnings.hpp"

#include <cmath>
#include <limits>
#include <sstream>

#include "tessera/core/log/log.hpp"

namespace tessera::gbees {

namespace {

constexpr double kSpread = 0.05;              // of a standard deviation
constexpr double kLoss = 0.01, kLarge = 0.1;  // of the probability
constexpr double kOutlier = 10;               // standard deviations

/// With so many digits as a message needs.
std::string digits(double value, int count = 3) {
  std::ostringstream text;
  text.precision(count);
  text << value;
  return text.str();
}

}  // namespace

void RunWarnings::compare_start(const std::vector<double>& covariance) const {
  const std::size_t dimension = m_parameters.dynamics.variables.size();
  std::size_t worst = 0;
  double ratio = 1;
  for (std::size_t i = 0; i < dimension; ++i) {
    const double here = std::sqrt(covariance[i * dimension + i] / m_parameters.initial.covariance[i][i]);
    if (std::fabs(std::log(here)) <= std::fabs(std::log(ratio))) continue;
    ratio = here;
    worst = i;
  }
  if (std::fabs(ratio - 1) <= kSpread) return;
  const double asked = std::sqrt(m_parameters.initial.covariance[worst][worst]);
  const bool too_coarse = ratio > 1 || (!m_parameters.frame.is_turned() && m_parameters.spacing[worst] > 1.5 * asked);
  const char* remedy = too_coarse ? "the cells are too large for it: lower grid.spacing"
                       : m_parameters.scheme == Scheme::reference
                           ? "the box of initial cells cuts it off: raise initial.extent"
                           : "what lies in cells below the threshold is left out: lower grid.threshold";
  logging::warning("the initial density has a standard deviation of " + digits(ratio * asked) + " in " +
                   m_parameters.dynamics.variables[worst] + ", where " + digits(asked) + " is asked for; " + remedy);
}

void RunWarnings::watch_loss(double time, double lost_mass) {
  if (m_parameters.scheme == Scheme::reference || !(lost_mass > m_next_loss)) return;
  const std::string share = digits(100 * lost_mass, 2) + " % of the probability ";
  logging::warning(time == 0 ? share + "lies in initial cells below the threshold and is left out; lower grid.threshold"
                             : share + "has left the grid by t = " + digits(time) + "; lower grid.threshold to keep more of the tails");
  forgive_loss(lost_mass);
}

void RunWarnings::take_measurement(double time, const std::string& description, const MeasurementUpdate& update) {
  m_next_loss = kLoss;
  if (!(update.deviation > kOutlier)) return;
  logging::warning("the measurement at t = " + digits(time, 6) + " (" + description + ") lies " + digits(update.deviation) +
                   " standard deviations from what the density predicts; check its value and variance, and whether noise is missing in "
                   "the model");
}

void RunWarnings::forgive_loss(double lost_mass) {
  m_next_loss = lost_mass <= kLoss ? kLoss : lost_mass <= kLarge ? kLarge : std::numeric_limits<double>::infinity();
}

}  // namespace tessera::gbees

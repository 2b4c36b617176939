// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/gbees/density.hpp"
#include "tessera/gbees/parameters.hpp"

namespace tessera::gbees {

/// Tells the user where a run's density is not what the input seems to ask for, and which key to change.
class RunWarnings {
 public:
  explicit RunWarnings(const Parameters& parameters) : m_parameters(parameters) {}

  /// At the start: a standard deviation that is more than 5 % from the one asked for. `covariance` is that of the cells, row by row.
  void compare_start(const std::vector<double>& covariance) const;

  /// A loss that exceeds 1 %, and again 10 %, since the start or the last measurement. The reference scheme loses nothing for good.
  void watch_loss(double time, double lost_mass);

  /// A measurement more than ten standard deviations from what the density predicts. Losses count anew after it.
  void take_measurement(double time, const std::string& description, const MeasurementUpdate& update);

  /// For a run that is continued: what has been lost before has been told.
  void forgive_loss(double lost_mass);

 private:
  const Parameters& m_parameters;
  double m_next_loss = 0.01;
};

}  // namespace tessera::gbees

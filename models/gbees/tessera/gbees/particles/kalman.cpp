// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/particles/kalman.hpp"

#include <cmath>
#include <cstddef>

namespace tessera::gbees {

KalmanUpdate kalman_update(const linalg::Matrix& cross, const linalg::Matrix& total,
                           const std::vector<double>& innovation) {
  constexpr double kLogTwoPi = 1.8378770664093453;
  const std::size_t quantities = innovation.size();
  KalmanUpdate update;
  double log_determinant = 0;
  const linalg::Matrix inverse = linalg::inverse_positive_definite(total, &log_determinant);
  for (const std::vector<double>& row : cross) {
    update.gain.emplace_back(quantities, 0.0);
    for (std::size_t a = 0; a < quantities; ++a) {
      for (std::size_t b = 0; b < quantities; ++b) update.gain.back()[a] += row[b] * inverse[b][a];
    }
  }
  double form = 0;
  for (std::size_t a = 0; a < quantities; ++a) {
    for (std::size_t b = 0; b < quantities; ++b)
      form += innovation[a] * inverse[a][b] * innovation[b];
  }
  update.log_evidence =
      -0.5 * (form + log_determinant + static_cast<double>(quantities) * kLogTwoPi);
  return update;
}

double shortest_way(double residual, double period) {
  return period > 0 ? residual - period * std::floor(residual / period + 0.5) : residual;
}

}  // namespace tessera::gbees

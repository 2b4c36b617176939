// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/bessel/program/error_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace tessera::bessel {

void ErrorMap::add(double nu, double x, long double value, long double reference) {
  double error;
  if (std::isnan(reference)) {
    error = x >= 0 && nu >= 0   ? std::numeric_limits<double>::quiet_NaN()
            : std::isnan(value) ? 0
                                : std::numeric_limits<double>::infinity();
  } else if (value == reference) {
    error = 0;
  } else {
    const long double scale = m_quantity == Quantity::log_k ? 1 : std::abs(reference);
    error = static_cast<double>(std::abs(value - reference) / scale);
    if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
  }
  m_errors.push_back(error);
  if (error > m_worst) {
    m_worst = error;
    m_worst_nu = nu;
    m_worst_x = x;
  }
}

std::string ErrorMap::summary() const {
  std::vector<double> sorted;
  std::copy_if(m_errors.begin(), m_errors.end(), std::back_inserter(sorted),
               [](double e) { return !std::isnan(e); });
  if (sorted.empty()) return "no point has a reference";
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                   sorted.end());
  char text[160];
  std::snprintf(
      text, sizeof text, "largest %s error of %s %.2e at nu = %.6g, x = %.6g; median %.1e",
      m_quantity == Quantity::log_k ? "absolute" : "relative", to_string(m_quantity).c_str(),
      m_worst, m_worst_nu, m_worst_x, sorted[sorted.size() / 2]);
  return text;
}

}  // namespace tessera::bessel

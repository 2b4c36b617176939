// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/bessel/program/parameters.hpp"

namespace tessera::bessel {

/// The errors of one method, point by point: absolute ones of log K (which are relative ones of K),
/// relative ones of everything else.
class ErrorMap {
 public:
  explicit ErrorMap(Quantity quantity) : m_quantity(quantity) {}

  /// The next point. NaN is right where the reference is NaN, an infinity where that is the same,
  /// and else infinitely wrong; a point without reference (NaN at a proper argument) does not count
  /// and gets NaN.
  void add(double nu, double x, long double value, long double reference);

  const std::vector<double>& errors() const { return m_errors; }

  /// "largest error 3.1e-15 at nu = 0.5, x = 0.1; median 1.1e-16"
  std::string summary() const;

 private:
  Quantity m_quantity;
  std::vector<double> m_errors;
  double m_worst = 0, m_worst_nu = 0, m_worst_x = 0;
};

}  // namespace tessera::bessel

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"

namespace tessera::boys {

/// The errors of one method, argument by argument and order by order, against reference values.
///
/// The relative error is taken of the reference, or of the smallest normal number of the precision
/// where the reference is below it. A NaN has no error where the reference is NaN, and an infinite
/// one elsewhere.
class ErrorMap {
 public:
  ErrorMap(int n_max, double smallest_normal, bool keep)
      : m_orders(n_max + 1), m_smallest(smallest_normal), m_keep(keep) {
    m_largest_relative.assign(m_orders, 0.0);
    m_largest_absolute.assign(m_orders, 0.0);
  }

  /// Adds the next argument, its values F_0..F_{n_max} and their reference.
  template <class Real, class Exact>
  void add(double x, const Real* F, const Exact* reference) {
    for (int n = 0; n < m_orders; ++n)
      add_one(x, n, static_cast<long double>(F[n]), static_cast<long double>(reference[n]));
  }

  /// Adds an argument without a reference: its errors are NaN in the results and do not count.
  void skip();

  /// "largest relative error 9.1e-16 (n = 3, x = 12.4), absolute 2.2e-16"
  std::string summary() const;

  /// Writes error_relative and error_absolute of the first `arguments` by argument and order, and
  /// the largest of each order.
  void write(const io::Group& group, std::size_t arguments) const;

 private:
  void add_one(double x, int n, long double value, long double reference);

  int m_orders;
  double m_smallest;
  bool m_keep;
  std::vector<double> m_relative, m_absolute;
  std::vector<double> m_largest_relative, m_largest_absolute;
  double m_worst = 0, m_worst_x = 0;
  int m_worst_n = 0;
};

}  // namespace tessera::boys

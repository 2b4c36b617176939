// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/core/device/hardware.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::expression {

/// Functions of the time that tables give, for kernels: between two knots each is a polynomial,
/// kept as its Chebyshev series. Refers to memory that must outlive it.
struct Tables {
  struct Function {
    /// The places where its numbers begin: pieces + 1 knots, and the terms of each piece
    std::uint64_t knots = 0, series = 0;
    std::uint32_t pieces = 0, terms = 0;
  };
  const Function* function = nullptr;
  const double* numbers = nullptr;

  /// Function number f at t; beyond its knots the first or the last polynomial goes on. Not a
  /// number where there are no tables.
  KOKKOS_INLINE_FUNCTION double operator()(int f, double t) const {
    return evaluate(function, numbers, f, t);
  }

 private:
  TESSERA_NOINLINE KOKKOS_FUNCTION static double evaluate(const Function* function,
                                                          const double* numbers, int f, double t) {
    if (function == nullptr) return compat::math::sqrt(-1.0);
    const Function& own = function[f];
    const double* const knot = numbers + own.knots;
    const std::uint32_t piece = find_piece(knot, own.pieces, t);
    const double* const term = numbers + own.series + static_cast<std::size_t>(piece) * own.terms;
    const double low = knot[piece], high = knot[piece + 1];
    const double s = ((t - low) - (high - t)) / (high - low);
    double next = 0, after = 0;  // Clenshaw
    for (std::uint32_t k = own.terms - 1; k > 0; --k) {
      const double now = compat::fma(2 * s, next, term[k] - after);
      after = next;
      next = now;
    }
    return compat::fma(s, next, term[0] - after);
  }

  /// Finds the piece of t: at once where the knots are evenly spaced, else by halving.
  KOKKOS_INLINE_FUNCTION static std::uint32_t find_piece(const double* knot, std::uint32_t pieces,
                                                         double t) {
    if (!(t > knot[0])) return 0;
    if (t >= knot[pieces]) return pieces - 1;
    const double guess = (t - knot[0]) / (knot[pieces] - knot[0]) * pieces;
    std::uint32_t low = compat::min(static_cast<std::uint32_t>(guess), pieces - 1), high = low + 1;
    if (t < knot[low]) {
      high = low;
      low = 0;
    } else if (t >= knot[high]) {
      low = high;
      high = pieces;
    }
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (t < knot[middle] ? high : low) = middle;
    }
    return low;
  }
};

/// The interpolation between the rows of a table.
enum class Interpolation {
  /// A straight line from row to row: an error of h^2/8 |f''| between rows a time h apart
  linear,
  hermite,  ///< a cubic with the slopes of both rows: h^4/384 |f''''| with exact slopes
  /// A polynomial of seventh order through the eight nearest rows: about h^8/1000 |f^(8)|, for
  /// smooth tables with wide steps
  chebyshev,
};

/// Functions of the time from tables, on the host.
class TableSet {
 public:
  /// Adds the function with these values at ascending times, two at least. `slopes`: its rates of
  /// change there, for `hermite`; empty: from the polynomial through the five nearest rows. Returns
  /// its number.
  int add(const std::vector<double>& times, const std::vector<double>& values,
          Interpolation interpolation, const std::vector<double>& slopes = {});

  /// Adds the rate of change of function number f.
  int add_rate(int f);

  std::size_t count() const { return m_functions.size(); }

  /// Returns the functions as kernels on the host take them.
  Tables tables() const { return {m_functions.data(), m_numbers.data()}; }

  const std::vector<Tables::Function>& functions() const { return m_functions; }
  const std::vector<double>& numbers() const { return m_numbers; }

 private:
  std::vector<Tables::Function> m_functions;
  std::vector<double> m_numbers;
};

}  // namespace tessera::expression

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/config/numbers.hpp"
#include "tessera/core/config/section.hpp"

namespace tessera::bessel {

enum class Task { bessel_k, matern, upper_bound };

/// The methods that evaluate K: this code's own, one of the papers', or GSL.
enum class Method { quadrature, paper, takekawa, gsl };

/// The quantities of K that can be evaluated; in the order of the names in quantity_names().
enum class Quantity { k, k_scaled, log_k, dlog_k_dx, dlog_k_dnu };

const std::vector<std::string>& method_names();
const std::vector<std::string>& quantity_names();
std::string to_string(Method method);
std::string to_string(Quantity quantity);

/// The values that results are compared with.
enum class Reference { none, file, extended };

/// A method with its number of bins, where it has some, and the bounds of the integral of `paper`.
struct MethodChoice {
  Method method = Method::quadrature;
  int bins = 0;
  double lower = 0, upper = 9;
};

/// "quadrature", "gsl", "paper_128".
std::string to_string(const MethodChoice& choice);

/// Everything an input file says about a run. Files that the input names have been read.
struct Parameters {
  Task task = Task::bessel_k;
  int repeat = 1;  ///< how often everything is evaluated, for timing

  // bessel_k: one order per argument
  config::Numbers nu, x;
  /// The orders and arguments of a grid, whose points nu and x hold, one row of x per nu; else
  /// empty
  config::Numbers grid_nu, grid_x;
  std::vector<Quantity> quantities;
  MethodChoice method;
  bool single_precision = false;
  Reference reference = Reference::none;
  Quantity reference_quantity = Quantity::log_k;
  std::vector<double> reference_values;
  std::vector<MethodChoice> also;  ///< methods whose errors are wanted besides

  // upper_bound; nu, x, and method's bins and lower bound as above
  config::Numbers bounds;  ///< the upper bounds to try
  double tolerance = 1e-9;

  // matern
  double sigma2 = 1, beta = 1, smoothness = 0.5;
  config::Numbers r;

  /// Declares, reads and checks all sections; problems are recorded in `root`. Throws Error (file)
  /// when a file cannot be read.
  static Parameters read(config::Section& root);
};

/// Throws Error (input) for an order above 200 where the run's precision or one of its methods has
/// none.
void require_orders(const Parameters& parameters);

}  // namespace tessera::bessel

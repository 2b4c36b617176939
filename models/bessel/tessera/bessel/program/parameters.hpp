// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/config/numbers.hpp"
#include "tessera/core/config/section.hpp"

namespace tessera::bessel {

enum class Task { bessel_k, matern };

/// The methods that evaluate K: this code's own, or one of the papers'.
enum class Method { quadrature, paper, takekawa };

/// The quantities of K that can be evaluated; in the order of the names in quantity_names().
enum class Quantity { k, k_scaled, log_k, dlog_k_dx, dlog_k_dnu };

const std::vector<std::string>& method_names();
const std::vector<std::string>& quantity_names();
std::string to_string(Method method);
std::string to_string(Quantity quantity);

/// The values that results are compared with.
enum class Reference { none, file, extended };

/// A method with its number of bins; 0 for the quadrature.
struct MethodChoice {
  Method method = Method::quadrature;
  int bins = 0;
};

/// "quadrature", "paper_128".
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

  // matern
  double sigma2 = 1, beta = 1, smoothness = 0.5;
  config::Numbers r;

  /// Declares, reads and checks all sections; problems are recorded in `root`. Throws Error (file)
  /// when a file cannot be read.
  static Parameters read(config::Section& root);
};

}  // namespace tessera::bessel

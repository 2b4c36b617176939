// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera::boys {

/// The methods that evaluate the functions: this code's two ranges; the paper's scheme with
/// rational functions or polynomials (paper.hpp); what the paper weighs before it
/// (function/basic_methods.hpp); or a table (double precision only).
enum class Method {
  two_range,
  paper,
  paper_polynomial,
  taylor,
  upward,
  miller,
  asymptotic,
  all_orders_table,
  top_order_table
};

inline const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names{
      "two_range", "paper",      "paper_polynomial", "taylor",         "upward",
      "miller",    "asymptotic", "all_orders_table", "top_order_table"};
  return names;
}

inline const std::string& to_string(Method method) {
  return method_names()[static_cast<int>(method)];
}

/// A method and what it is set to.
struct MethodChoice {
  Method method = Method::two_range;
  int n_max = 8;   ///< the orders are 0 to n_max
  int terms = 50;  ///< of the method taylor
};

}  // namespace tessera::boys

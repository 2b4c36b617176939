// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera::boys {

/// The methods that evaluate the functions: this code's two ranges, the paper's scheme (double,
/// orders to 16), or a table (double).
enum class Method { two_range, paper, all_orders_table, top_order_table };

inline const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names{"two_range", "paper", "all_orders_table",
                                              "top_order_table"};
  return names;
}

inline const std::string& to_string(Method method) {
  return method_names()[static_cast<int>(method)];
}

}  // namespace tessera::boys

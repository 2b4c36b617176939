// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include "tessera/boys/function/orders.hpp"
#include "tessera/core/error.hpp"

/// Checks of what batched calls are given; they throw Error (input).
namespace tessera::boys::detail {

inline void require(bool condition, const std::string& what, const std::string& remedy) {
  if (!condition) throw Error(ErrorKind::input, what, remedy);
}

inline void require_order(int n_max) {
  require(0 <= n_max && n_max <= kMaxOrder,
          "boys: the order n_max = " + std::to_string(n_max) + " is out of range",
          "choose 0 <= n_max <= " + std::to_string(kMaxOrder));
}

template <class XView, class FView>
void require_extents(int n_max, const XView& x, const FView& F) {
  static_assert(XView::rank == 1 && FView::rank == 2, "boys: x(i) and F(i, n) are expected");
  static_assert(std::is_same_v<typename FView::value_type, typename FView::non_const_value_type>,
                "boys: F must be writable");
  static_assert(std::is_same_v<typename XView::non_const_value_type, typename FView::value_type>,
                "boys: x and F differ in precision");
  require(F.extent(0) == x.extent(0) && F.extent(1) >= static_cast<std::size_t>(n_max) + 1,
          "boys: F has the extents " + std::to_string(F.extent(0)) + " x " +
              std::to_string(F.extent(1)) + " for " + std::to_string(x.extent(0)) +
              " arguments and " + std::to_string(n_max + 1) + " orders",
          "give F one row per argument and one column per order 0..n_max");
}

}  // namespace tessera::boys::detail

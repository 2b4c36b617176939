// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/error.hpp"

namespace tessera::stable::detail {

struct FirstBadWeight {
  const double* weight;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, std::int64_t& first) const {
    if (!(weight[i] >= 0 && weight[i] <= 1.7e308) && i < first) first = i;
  }
};

/// Throws Error (input) for a weight that is negative or not finite. Waits.
template <class ExecSpace>
void require_weights(const ExecSpace& exec, const Kokkos::View<const double*, ExecSpace>& weights) {
  const auto count = static_cast<std::int64_t>(weights.extent(0));
  if (count == 0) return;
  std::int64_t first = count;
  Kokkos::parallel_reduce(
      "tessera::stable::first_bad_weight",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
      FirstBadWeight{weights.data()}, Kokkos::Min<std::int64_t>(first));
  exec.fence();
  if (first >= count) return;
  throw Error(ErrorKind::input,
              "stable: weight " + std::to_string(first + 1) + " is negative or not finite",
              "give weights of 0 or more; 0 leaves a value out");
}

}  // namespace tessera::stable::detail

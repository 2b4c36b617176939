// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera {

/// The division of a computation's phases into kernels. The results are the same.
enum class Kernels {
  automatic,  ///< the faster of the two, by backend and size
  /// A Kokkos kernel for each phase, on Kokkos' own containers: the reference that is easy to read
  plain,
  fused,  ///< many phases in one kernel, whose threads wait for each other
};

}  // namespace tessera

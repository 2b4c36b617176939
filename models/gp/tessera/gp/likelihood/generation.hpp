// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "tessera/core/device/backend.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gp/covariance/covariance.hpp"
#include "tessera/gp/points/points.hpp"

namespace tessera::gp {

/// The generation of the covariance matrix of some points, to time it: the lower triangle in panels
/// of columns, which the ranks share as they share that of the exact solver (panel k belongs to
/// rank k mod P). Every panel of a rank is written to the same memory, so that the matrix need not
/// fit on the devices.
class Generation {
 public:
  virtual ~Generation() = default;

  /// Generates the panels of this rank once and returns the wall time in seconds, of the slowest
  /// rank. All ranks call it together.
  virtual double run(const Theta& theta) = 0;
  /// Entries of the lower triangle with its diagonal, of all ranks.
  virtual std::int64_t entries() const = 0;
};

/// Throws Error (resource) where a panel does not fit into the device's memory (or `memory_limit`
/// bytes, if not 0).
std::unique_ptr<Generation> make_generation(Backend backend, const CovarianceModel& model,
                                            const Points& points, std::uint64_t memory_limit,
                                            const parallel::Communicator& ranks = {});

namespace detail {

/// Compiled for each backend from instantiate_generation.cpp.in.
template <class ExecSpace>
std::unique_ptr<Generation> make_generation_on(const CovarianceModel& model, const Points& points,
                                               std::uint64_t memory,
                                               const parallel::Communicator& ranks);

}  // namespace detail

}  // namespace tessera::gp

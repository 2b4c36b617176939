// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/lattice/missing.hpp"

/// The Monte Carlo error of the mean over a chain, by batch means: the chain is cut into parts that
/// are long against its memory, whose means b differ from the mean m of all by as much as their
/// lengths n say. With B of them and N sweeps in all
///
///     var m = sum n (b - m)^2 / ((B - 1) N).

namespace tessera::mpr::detail {

/// Adds the part of a chain that ended with the mean `mean`: sum of n (b - m)^2 by the rule of
/// Chan, Golub, LeVeque. A functor over sites.
template <class ExecSpace, class Real>
struct AddBatchMean {
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> mean;       ///< of all sweeps so far
  Array<ExecSpace, Real> before, squares;  ///< mean of those before this part, and the sum
  double done, more;                       ///< sweeps before this part, and of it
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (status(i) != kMissing) return;
    // The mean moved by more / (done + more) of the distance of this part's mean from the one
    // before.
    const double moved = static_cast<double>(mean(i)) - static_cast<double>(before(i));
    if (done > 0) squares(i) += static_cast<Real>(moved * moved * (done * (done + more) / more));
    before(i) = mean(i);
  }
};

template <class ExecSpace, class Real>
class BatchMeans {
 public:
  /// The whole state on the host.
  struct Snapshot {
    std::vector<Real> before, squares;
    int sweeps = 0, batches = 0;
  };

  /// A part has at least `least` sweeps.
  BatchMeans(const ExecSpace& exec, const Array<ExecSpace, const std::uint8_t>& status, int least)
      : m_exec(exec),
        m_status(status),
        m_before(allocate_zeros<Array<ExecSpace, Real>>(exec, "tessera::mpr::batch_mean",
                                                        status.extent(0))),
        m_squares(allocate_zeros<Array<ExecSpace, Real>>(exec, "tessera::mpr::batch_squares",
                                                         status.extent(0))),
        m_least(least) {}

  /// Returns whether a part ends after `sweeps` sweeps of the chain, of which there will be `all`.
  bool ends_at(int sweeps, int all) const {
    return sweeps - m_sweeps >= m_least || (sweeps == all && sweeps > m_sweeps);
  }
  /// mean: of the first `sweeps` sweeps, at the missing sites.
  void add(int sweeps, const Array<ExecSpace, const Real>& mean) {
    Kokkos::parallel_for("tessera::mpr::add_batch_mean",
                         Range<ExecSpace>(m_exec, 0, static_cast<std::int64_t>(m_status.extent(0))),
                         AddBatchMean<ExecSpace, Real>{m_status, mean, m_before, m_squares,
                                                       static_cast<double>(m_sweeps),
                                                       static_cast<double>(sweeps - m_sweeps)});
    m_sweeps = sweeps;
    ++m_batches;
  }

  const Array<ExecSpace, Real>& squares() const { return m_squares; }
  /// Returns the factor that turns `squares` into the variance of the mean; NaN with less than two
  /// parts.
  double factor() const {
    if (m_batches < 2) return std::numeric_limits<double>::quiet_NaN();
    return 1 / (static_cast<double>(m_batches - 1) * static_cast<double>(m_sweeps));
  }

  Snapshot save() const {
    return {download(m_exec, m_before), download(m_exec, m_squares), m_sweeps, m_batches};
  }
  /// The arrays have a number for each site.
  void restore(const Snapshot& snapshot) {
    upload_to(m_exec, snapshot.before, m_before);
    upload_to(m_exec, snapshot.squares, m_squares);
    m_sweeps = snapshot.sweeps;
    m_batches = snapshot.batches;
  }

 private:
  ExecSpace m_exec;
  Array<ExecSpace, const std::uint8_t> m_status;
  Array<ExecSpace, Real> m_before, m_squares;
  int m_least, m_sweeps = 0, m_batches = 0;
};

}  // namespace tessera::mpr::detail

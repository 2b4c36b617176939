// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gbees/dynamics/condition_program.hpp"
#include "tessera/gbees/grid/density.hpp"

namespace tessera::gbees {

/// A part of the state space, ready for kernels.
struct RegionProgram {
  /// A histogram of the probability that enters an absorbing region, by a function of the state and
  /// the time where it enters.
  struct Histogram {
    expression::Program of;
    double low = 0, high = 1;
    std::uint32_t bins = 1;
  };
  ConditionProgram inside;
  bool absorbs = false;
  std::vector<Histogram> histograms;  ///< of an absorbing one
};

/// The resolution of a region by the cells that a run has had so far.
struct RegionResolution {
  bool is_met = false;  ///< whether a cell has had a share of it
  /// Cells that its edge cuts, and those beside which it is narrower than the cells
  std::uint64_t cut = 0, unresolved = 0;
};

/// Probabilities of being in regions of the state space and, of those that absorb, of having been.
///
/// A cell that the edge of a region cuts counts by the share of its points inside, on a grid of
/// points in it; one that absorbs takes cells of which more than half lies inside. Whether a cell
/// is cut is told by its corners (of conditions on more than three variables by the middles of its
/// faces), and, where no region absorbs, by scattered points of it. Shares are found once for each
/// cell, or at every step where the region depends on the time, and kept: 4 bytes a cell and
/// region, 8 of one that absorbs. Sums are exact: the results do not depend on threads.
///
/// Of several ranks each gives its cells; all make the same calls but that of histograms(), and get
/// the same answers.
template <int D>
class Regions {
 public:
  virtual ~Regions() = default;

  /// Takes from the density its mass within the absorbing regions, those of a smaller number first.
  /// Launch it after each step (Density::after_each_step). The call is asynchronous.
  virtual void absorb(const DeviceCells<D>& cells) = 0;

  /// Moves the shares of cells with their rows, so that they need not be found again. It may be
  /// launched after each prune (Density::after_each_prune).
  virtual void follow(const DeviceCells<D>& cells) = 0;

  /// The probability within each region, or that it has absorbed since the start or reset().
  virtual std::vector<double> probability(const DeviceCells<D>& cells) = 0;

  /// Returns the probability that each region had absorbed after each of the last `steps` steps
  /// since the last call, at most 512: [steps, regions]. Histograms are of the steps before it.
  virtual std::vector<double> take_history(std::size_t steps) = 0;

  /// Returns how well the grid resolves each region.
  virtual std::vector<RegionResolution> resolution() const = 0;

  /// The histograms of a region: each the probability below `low`, in the bins, and at or above
  /// `high`.
  virtual std::vector<std::vector<double>> histograms(std::size_t region) const = 0;

  /// Empties accounts and histograms.
  virtual void reset() = 0;

  /// Sets the accounts, and the histograms of all regions one after the other (a restart).
  virtual void restore(const std::vector<double>& absorbed,
                       const std::vector<std::vector<double>>& histograms) = 0;
};

/// Regions on an execution space, for densities there, in 1 to 8 dimensions: the library holds it
/// compiled. `ranks`: those that share the density.
///
/// Example (tests/install/examples/gbees.cpp):
///
///     gbees::RegionProgram left{gbees::compile_condition(names, "angle < 0.3"), true, {}};  // true: it absorbs
///     const auto regions = gbees::make_regions<ExecSpace, 2>({left});
///     density.after_each_step([&] { regions->absorb(density.device_cells()); });
///     density.after_each_prune([&] { regions->follow(density.device_cells()); });
template <class ExecSpace, int D>
std::unique_ptr<Regions<D>> make_regions(const std::vector<RegionProgram>& programs,
                                         const parallel::Communicator& ranks = {});

}  // namespace tessera::gbees

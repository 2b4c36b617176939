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
  /// The motion of mass along the axes of the grid.
  struct Motion {
    /// Velocities by the grid's coordinates and the time (EquationProgram::program), or nothing
    expression::Program velocity;
    bool varies = false;        ///< with the time
    std::vector<double> noise;  ///< spectral densities; empty: none
    /// Number of the function of `velocity` that is the density along axis 0, before those along
    /// the others, where it depends on the state; 0: it does not
    int first_noise = 0;
  };
  /// Of an absorbing region. Without a velocity a cell that the edge cuts is absorbed where half of
  /// it or more lies inside
  Motion motion = {};
};

/// What a run has found of a region so far.
struct RegionResolution {
  bool is_met = false;  ///< whether a cell has had a part of it
  /// The largest share of the probability that lay in boxes that the edge may have cut, when no
  /// more of them were divided; infinite where nothing certain was found beside them
  double doubt = 0;
  /// Of an absorbing region: cells that its edge cuts and that mass crosses, and those of them in
  /// which few lines across the cell meet the region
  std::uint64_t cut = 0, unresolved = 0;
};

/// Probabilities of being in regions of the state space and, of those that absorb, of having been.
///
/// The probability within a region is the integral of the density over it. Within a cell the
/// logarithm of the density is quadratic along each axis that the region depends on, by the cell
/// and its neighbours (local_density.hpp), and the integrals over all cells are scaled to the mass
/// on the grid. A cell that the edge cuts is halved again and again (cell_part.hpp): what lies in
/// it is found wherever it is, to 0.2 % (of conditions on three variables 0.5 %, on more 1 %), or
/// else counts as doubtful. Of a Gaussian of a standard deviation of two cells, a slab of a 25th of
/// a cell comes out to 1e-4, a disc narrower than the cells to 0.2 %.
///
/// An absorbing region takes what is in it at the start, and then the share of what crosses each
/// cell that meets it (absorption_time.hpp). One that depends on the time takes, after each step,
/// the cells of which half or more lies inside. That is found once for each cell, or at every step
/// where the region or the velocity depend on the time, and kept: 12 bytes a cell and absorbing
/// region. Sums are exact: the results do not depend on threads.
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

  /// Moves what is known of cells with their rows, so that it need not be found again. It may be
  /// launched after each prune (Density::after_each_prune).
  virtual void follow(const DeviceCells<D>& cells) = 0;

  /// The probability within each region, or that it has absorbed since the start or reset(). Cells
  /// whose neighbours are not given (Density::cells_with_neighbours) are taken as evenly filled.
  virtual std::vector<double> probability(const DeviceCells<D>& cells) = 0;

  /// The probability that each region has absorbed since the start or reset(); 0 of others.
  virtual std::vector<double> absorbed() const = 0;

  /// Returns the probability that each region had absorbed after each of the last `steps` steps
  /// since the last call, at most 512: [steps, regions]. Histograms are of the steps before it.
  virtual std::vector<double> take_history(std::size_t steps) = 0;

  /// Returns what has been found of each region so far.
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

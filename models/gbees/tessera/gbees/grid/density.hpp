// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/gbees/grid/gaussian.hpp"
#include "tessera/gbees/grid/grid.hpp"
#include "tessera/gbees/grid/observation.hpp"
#include "tessera/gbees/grid/stepper_state.hpp"

namespace tessera::gbees {

/// The moments and other figures of a density at one time.
template <int D>
struct Summary {
  double mass = 0;       ///< probability on the grid
  double lost_mass = 0;  ///< probability that has left it since the start or the last measurement
  double max_p = 0;      ///< largest probability of a cell
  double entropy = 0;    ///< differential entropy of the normalised density, in nats
  std::uint64_t cells = 0, active_cells = 0;
  /// mode: centre of the cell with the largest probability
  Vector<D> mean{}, mode{};
  double covariance[D][D] = {};  ///< of the normalised density, cells as points
  /// Round circles the mean is the mean direction, and variances are mean squares of deviations
  /// from it the shortest way round. The length of the mean direction tells how much there is to
  /// it: 1 for a point, 0 for a density that is even; of lines 0
  Vector<D> resultant{};
  /// Range of the cells that hold mass, counted from the grid's origin
  std::int64_t low[D] = {}, high[D] = {};
};

/// The cells of a density: keys in the window of its grid, ascending, and the probability of each.
template <class Word>
struct CellListOf {
  std::vector<Word> key;
  std::vector<double> probability;

  /// Cells in any order.
  static CellListOf sorted(const std::vector<Word>& key, const std::vector<double>& probability);

  /// The cells whose probability times `scale` is at least `cut`, with that product.
  CellListOf at_least(double cut, double scale = 1) const;
};
using CellList = CellListOf<std::uint64_t>;

/// The rows of a density's cells in the memory of its execution space. Cells are in rows 1 to
/// state->cells.
template <int D>
struct DeviceCells {
  Grid<D> grid;
  const void* key = nullptr;  ///< of 64 bits, or 128
  bool is_wide = false;       ///< whether of 128
  /// Arrays of double or float; mass[state->parity] is the present one, and probability =
  /// state->scale * mass
  void* mass[2] = {};
  bool is_single = false;      ///< whether of float
  std::uint32_t capacity = 0;  ///< rows that there can be
  StepperState* state = nullptr;
  StepRecord* history = nullptr;  ///< state->batch_steps steps
  /// Another one where rows may have moved; between, rows are added behind the others only
  std::uint64_t generation = 0;
  /// The rows before a prune, in a call of Density::after_each_prune: kept[i] is the earlier row of
  /// the cell in row i + 1, and the generation was one less. Else null.
  const std::uint32_t* kept = nullptr;
  /// Rows of the lower (2i) and upper (2i+1) neighbours along axis i, or 0: of that number's column
  /// of capacity + 1 rows. Null but from Density::cells_with_neighbours
  const std::uint32_t* links = nullptr;

  KOKKOS_INLINE_FUNCTION std::uint32_t neighbour(std::uint32_t row, int direction) const {
    return links[static_cast<std::size_t>(direction) * (std::size_t(capacity) + 1) + row];
  }

  KOKKOS_INLINE_FUNCTION Vector<D> centre(std::uint32_t row) const {
    if constexpr (D >= kWideKeysFrom) {
      if (is_wide) return grid.centre(static_cast<const WideKey*>(key)[row]);
    }
    return grid.centre(static_cast<const std::uint64_t*>(key)[row]);
  }
};

/// The result of the update of a density p by an observation with the likelihood L(x).
struct MeasurementUpdate {
  double log_evidence = 0;  ///< ln of the integral of p(x) L(x): how probable what was observed was
  /// The largest, of measured values, |z_a - E h_a| / sqrt(Var h_a + R_aa): how far off they are;
  /// else NaN
  double deviation = 0;
  /// Share of the density after it that is in cells within which L(x) was too sharp for the value
  /// at their centres, so that it was integrated over them. Where there are any: mean and
  /// covariance of the density after it, along the axes of the grid, with what is known of it
  /// within these cells, which the cells themselves do not keep; else empty
  double within_cells = 0;
  std::vector<double> mean = {};
  linalg::Matrix covariance = {};
  double doubt = 0;  ///< share of it in cells over which the integral is not known to 5 %
};

/// A probability density p(x, t) on a uniform grid in D dimensions that dynamics dx/dt = f(x, t)
/// carry and measurements update. What moves it (Propagator, propagator.hpp) knows the dynamics,
/// the execution space and the type that is stored; who uses it need not. Word: of keys.
///
/// Errors are thrown as tessera::Error: numerical (a velocity or mass that is not finite, mass all
/// gone, indices out of range) and resource (memory). After a resource error the density is that
/// before the step that failed, or after the observations, and can be saved.
template <int D, class Word = std::uint64_t>
class Density {
 public:
  using List = CellListOf<Word>;

  virtual ~Density() = default;

  /// Starts from a Gaussian; a cell holds the density at its centre times its volume, and round
  /// circles the sum over all turns. The
  /// conservative scheme keeps the cells at or above the threshold, wherever they are, and counts
  /// the rest as lost mass. The reference scheme keeps and normalises the box of `extent` standard
  /// deviations each way about the grid's origin.
  virtual void initialize(const Gaussian<D>& density, double extent = 3) = 0;

  /// Starts from a sum of Gaussians in the same way; a standard deviation is that of the sum.
  virtual void initialize(const Mixture<D>& density, double extent = 3) = 0;

  /// Starts from given cells, which are all that hold mass; probabilities need not sum to one. The
  /// conservative scheme keeps those at or above the threshold and counts the rest as lost mass.
  void initialize(const List& cells) {
    double total = 0;
    for (const double probability : cells.probability) total += probability;
    initialize(cells, total);
  }

  /// Starts from given cells of a density whose mass is `total`, in the same way.
  virtual void initialize(const List& cells, double total) = 0;

  /// Starts from given cells, whose probabilities are `scale * mass`, and a given state of the
  /// stepping (a restart). All ranks give the same ones. `offset`: of the grid's window that the
  /// keys belong to.
  virtual void restore(const List& cells, const StepperState& state,
                       const Vector<D>& offset = {}) = 0;

  /// The next `advance()` calls lead to `length` from now, by steps of at most `longest_step`.
  /// Dynamics that vary in time are taken at the middle of each step: it must be short beside the
  /// time in which they change, which the flow does not tell (StepBounds).
  virtual void begin_interval(double length, double longest_step = StepperState::kUnlimited) = 0;

  /// Sets the clock, which rounds as the sum of the steps that it is, for example to the nominal
  /// end of an interval.
  virtual void set_time(double time) = 0;

  /// Makes some steps (up to `prune_every`; more while a GPU holds few cells) and the prunes that
  /// are due; false when the interval's end has been reached.
  virtual bool advance() = 0;

  /// Carries the density on for a time `length`, to its end: begin_interval, then advance until it
  /// is over.
  void propagate(double length, double longest_step = StepperState::kUnlimited) {
    begin_interval(length, longest_step);
    while (advance()) {
    }
  }

  /// Multiplies by the likelihoods of the observations, normalises and prunes; lost mass counts
  /// from zero again. Tells what each observation, in its turn, says of the density. Throws Error
  /// (numerical) where nothing is left, or where in a cell that holds mass a likelihood is negative
  /// or not finite, the probability of a detection not within 0 and 1, or a measured quantity no
  /// number.
  std::vector<MeasurementUpdate> observe(const std::vector<Observation>& observations) {
    std::vector<MeasurementUpdate> updates;
    observe(observations, updates);
    return updates;
  }

  /// Does the same for a caller that goes on after an error. After a resource error the density is
  /// that after all observations, and `updates` is complete.
  virtual void observe(const std::vector<Observation>& observations,
                       std::vector<MeasurementUpdate>& updates) = 0;

  virtual Summary<D> summarize() const = 0;

  /// Probability along each axis, summed over the others, for the indices low..high of the summary.
  virtual std::vector<std::vector<double>> marginals(const Summary<D>& range) const = 0;

  /// The joint probability along different axes, summed over the others, for low..high of each: the
  /// index along the last axis is fastest.
  virtual std::vector<double> joint_marginal(const std::vector<int>& axes,
                                             const Summary<D>& range) const = 0;

  /// Cells with a probability of at least `cut`. Of several ranks the first gets all of them, the
  /// others none.
  virtual List cells(double cut) const = 0;

  /// Returns the cells of this rank with a probability of at least `cut`.
  virtual List own_cells(double cut) const = 0;

  /// All cells with their stored mass, for a restart; of several ranks at the first one.
  virtual List raw_cells() const = 0;

  /// The cells of this rank where they are, for kernels on the density's execution space.
  virtual DeviceCells<D> device_cells() const = 0;

  /// The same cells with their neighbours, whose masses are those of now, on other ranks too: all
  /// ranks call it. It holds until the density changes.
  virtual DeviceCells<D> cells_with_neighbours() = 0;

  /// Has `launch` called after the launch of each step from now on: it may launch kernels that read
  /// and lower the masses of device_cells(), and take what they remove off the state's mass.
  /// Nothing is called when it is empty. Steps are then launched one by one.
  virtual void after_each_step(std::function<void()> launch) = 0;

  /// Has `launch` called after each prune that the host knows of from now on (where steps are
  /// launched one by one it knows of all). It may launch kernels that read device_cells().
  virtual void after_each_prune(std::function<void()> launch) = 0;

  virtual const StepperState& state() const = 0;

  /// Returns the grid with the window that keys belong to now. The window moves in advance() only.
  virtual const Grid<D>& grid() const = 0;

  /// The steps made since the last call, oldest first.
  virtual std::vector<StepRecord> take_history() = 0;

  /// Bytes of device memory in use.
  virtual std::uint64_t memory() const = 0;
};

}  // namespace tessera::gbees

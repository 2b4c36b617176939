// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gbees/detail/initial.hpp"
#include "tessera/gbees/detail/marginal_pair.hpp"
#include "tessera/gbees/detail/moments.hpp"
#include "tessera/gbees/detail/persistent_runner.hpp"
#include "tessera/gbees/detail/step_context.hpp"
#include "tessera/gbees/directory_kind.hpp"
#include "tessera/gbees/dynamics.hpp"
#include "tessera/gbees/gaussian.hpp"
#include "tessera/gbees/observation.hpp"

namespace tessera::gbees {

struct PropagatorOptions {
  Scheme scheme = Scheme::conservative;
  double threshold = 1e-7;         ///< probability below which a cell does not grow and may be removed; > 0
  double cfl = 1;                  ///< the time step as a fraction of the shortest time in which flow crosses a cell; 0 < cfl <= 1
  int prune_every = 20;            ///< steps between prunes
  std::uint64_t memory_limit = 0;  ///< bytes the grid may take; 0: what the device has

  /// Spectral density Q_i of white noise that drives each variable, dx = f dt + sqrt(Q) dW; >= 0, empty: none. Scheme conservative only.
  std::vector<double> noise = {};

  /// What maps keys of cells to rows; the results are the same.
  DirectoryKind directory = DirectoryKind::automatic;

  /// On a GPU with fewer cells one persistent kernel makes many steps. Its teams wait for each other, with one on every multiprocessor.
  /// The results are the same to rounding.
  std::uint32_t persistent_cells = 1u << 18;

  /// Another program uses the GPU too: no persistent kernel, which then could wait for ever.
  bool shared_device = false;
};

/// What the density amounts to at one moment.
template <int D>
struct Summary {
  double mass = 0;       ///< probability on the grid
  double lost_mass = 0;  ///< probability that has left it since the start or the last measurement
  double max_p = 0;      ///< largest probability of a cell
  double entropy = 0;    ///< differential entropy of the normalised density, in nats
  std::uint64_t cells = 0, active_cells = 0;
  Vector<D> mean{}, mode{};       ///< mode: centre of the cell with the largest probability
  double covariance[D][D] = {};   ///< of the normalised density, cells as points
  int low[D] = {}, high[D] = {};  ///< range of indices of the cells that hold mass
};

/// The cells of a density: keys ascending, and the probability of each.
struct CellList {
  std::vector<std::uint64_t> key;
  std::vector<double> probability;
};

/// Grid-based Bayesian estimation exploiting sparsity (GBEES): carries a probability density through dx/dt = f(x) on a uniform grid of
/// which only the cells near the probability mass exist, and updates it with measurements (Hanson, Rubio, Garcia-Gutierrez, Bewley,
/// Computer Physics Communications 317 (2025) 109819).
///
/// The work stays on the device: the host looks once every `prune_every` steps, and less often while a GPU holds few cells. Results do not
/// depend on the number of threads or on scheduling: cells are a set, and every sum is exact (core/device/exact_sum.hpp).
///
///     Propagator<Exec, Lorenz63> density(exec, Lorenz63{}, grid, options);
///     density.initialize(gaussian, extent);
///     density.begin_interval(0.25);
///     while (density.advance()) {}
///     const auto summary = density.summarize();
///
/// Errors are thrown as tessera::Error: numerical (a velocity or mass that is not finite, mass all gone, indices out of range) and
/// resource (memory). After a resource error the density is that before the step that failed and can be saved.
///
/// Real, double or float, is the type that masses, fluxes and velocities are stored in. They are computed in double and rounded once when
/// they are stored; sums are exact sums of what is stored.
template <class ExecSpace, class Dynamics, class Real = double>
class Propagator {
 public:
  static constexpr int D = Dynamics::dimension;

  /// `owner` keeps alive what the dynamics refers to, such as the code of equations.
  Propagator(const ExecSpace& exec, const Dynamics& dynamics, const Grid<D>& grid, const PropagatorOptions& options,
             std::shared_ptr<const void> owner = nullptr);

  /// Starts from a Gaussian on the cells |k_i| <= extent[i] about the grid's origin, normalised. The conservative scheme keeps the cells at
  /// or above the threshold, the reference scheme all of them.
  void initialize(const Gaussian<D>& density, const std::array<int, D>& extent);

  /// Starts from given cells, normalised; the conservative scheme keeps those at or above the threshold.
  void initialize(const CellList& cells);

  /// Starts from given cells, whose probabilities are `scale * mass`, and a given state of the stepping (a restart).
  void restore(const CellList& cells, const StepperState& control);

  /// The next `advance()` calls lead to `length` from view.
  void begin_interval(double length);

  /// Sets the clock, which rounds as the sum of the steps that it is, for example to the nominal end of an interval.
  void set_time(double time) { m_state.time = m_state.velocity_time = time; }

  /// Makes some steps (up to `prune_every`; more while a GPU holds few cells) and the prunes that are due; false when the interval's end
  /// has been reached.
  bool advance();

  /// Multiplies by the likelihoods of the observations, normalises and prunes; lost mass counts from zero again.
  void observe(const std::vector<Observation>& observations);

  Summary<D> summarize() const;

  /// Probability along each axis, summed over the others, for the indices low..high of the summary.
  std::vector<std::vector<double>> marginals(const Summary<D>& range) const;

  /// The joint probability along two axes, summed over the others, for low..high of each: row by row, a row for each index of the first.
  std::vector<double> marginal_pair(int first, int second, const Summary<D>& range) const;

  /// Cells with a probability of at least `cut`.
  CellList cells(double cut) const;

  /// All cells with their stored mass, for a restart.
  CellList raw_cells() const;

  const StepperState& state() const { return m_state; }
  const Grid<D>& grid() const { return m_grid; }

  /// The steps made since the last call, oldest first.
  std::vector<StepRecord> take_history() { return std::exchange(m_history_host, {}); }

  /// Bytes of device memory in use.
  std::uint64_t memory() const {
    return m_cells.bytes(m_cells.capacity) + kVelocityBytes * m_cells.capacity + m_spare_links.span() * sizeof(std::uint32_t);
  }

 private:
  using CellArrays = detail::Cells<D, ExecSpace, Real>;
  template <class T>
  using Array = typename CellArrays::template Array<T>;
  using Memory = typename CellArrays::Memory;
  template <Scheme scheme>
  using Context = detail::StepContext<Dynamics, ExecSpace, scheme, Real>;
  template <class T, class Space = Memory>
  using Result = Kokkos::View<T, Space>;

  static constexpr std::uint64_t kVelocityBytes = detail::stores_velocity<Dynamics>() ? sizeof(Real) * D : 0;  // a row
  static constexpr int kMaxBatch = 64;                    // steps between looks of the host when prunes are rarer
  static constexpr std::uint32_t kPersistentSteps = 512;  // that many at most in one kernel of a GPU

  template <Scheme scheme>
  Context<scheme> context() const;
  template <Scheme scheme, class Directory>
  detail::StepPhases<Context<scheme>, Directory> step_phases(const Directory& directory) const;
  template <Scheme scheme, class Directory>
  detail::PrunePhases<Context<scheme>, Directory> prune_phases(const Directory& directory) const;
  DirectoryKind directory_for(std::uint32_t cells) const;
  std::uint32_t persistent_cells() const;

  template <Scheme scheme>
  void initialize_cells(const Gaussian<D>& density, const std::array<int, D>& extent);
  template <Scheme scheme>
  void normalise_start();
  template <Scheme scheme>
  void link_all_cells();
  template <Scheme scheme>
  void find_invariant_range();
  void upload(const CellList& cells, std::uint32_t parity);
  void reserve(std::uint64_t rows, std::uint32_t used);

  template <Scheme scheme>
  void launch_steps(int steps);
  template <Scheme scheme>
  void run_thread_team(int steps);
  template <Scheme scheme>
  void run_persistent();
  template <Scheme scheme>
  void count_active();
  template <Scheme scheme>
  void prune();
  template <Scheme scheme>
  double multiply_likelihood(const Observation& observation);

  /// Calls f with the scheme as a compile-time constant.
  template <class F>
  auto with_scheme(F&& f) const {
    return m_options.scheme == Scheme::reference ? f(std::integral_constant<Scheme, Scheme::reference>{})
                                                 : f(std::integral_constant<Scheme, Scheme::conservative>{});
  }

  void fetch_state();
  void store_state();
  void collect_history();
  void enlarge();
  void fail_if_stopped();
  std::string describe_location(std::uint64_t key) const;

  /// A reduction whose result the host waits for.
  template <class T, class Body>
  T sum_over_cells(const Body& body) const {
    Result<T> result("tessera::gbees::result");
    detail::launch_reduce(m_exec, m_state.cells, body, compat::Sum<T, Memory>(result));
    T value;
    Kokkos::deep_copy(m_exec, value, result);
    m_exec.fence();
    return value;
  }

  ExecSpace m_exec;
  Dynamics m_dynamics;
  std::shared_ptr<const void> m_owner;
  Grid<D> m_grid;
  PropagatorOptions m_options;
  CellArrays m_cells;
  typename CellArrays::Fluxes m_velocity;    // of dynamics that store it
  typename CellArrays::Links m_spare_links;  // of prunes of few cells on a GPU
  Kokkos::View<char*, Memory> m_sort_memory;
  Array<StepperState> m_state_device;
  Array<detail::StepReductions> m_reductions;
  Array<detail::PruneReductions> m_prune_reductions;
  Array<detail::SharedState> m_shared;
  Array<StepRecord*> m_history;
  StepperState m_state;  // as of the last look
  std::vector<StepRecord> m_history_host;
};

}  // namespace tessera::gbees

#include "tessera/gbees/detail/propagator_prune.hpp"
#include "tessera/gbees/detail/propagator_records.hpp"
#include "tessera/gbees/detail/propagator_setup.hpp"
#include "tessera/gbees/detail/propagator_start.hpp"
#include "tessera/gbees/detail/propagator_steps.hpp"

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/app/pace.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gbees/dynamics/dynamics.hpp"
#include "tessera/gbees/dynamics/propagator_options.hpp"
#include "tessera/gbees/grid/density.hpp"
#include "tessera/gbees/propagator/ellipsoid.hpp"
#include "tessera/gbees/propagator/initial.hpp"
#include "tessera/gbees/propagator/joint_marginal.hpp"
#include "tessera/gbees/propagator/likelihood_update.hpp"
#include "tessera/gbees/step/halo.hpp"
#include "tessera/gbees/step/moments.hpp"
#include "tessera/gbees/step/persistent_runner.hpp"
#include "tessera/gbees/step/step_context.hpp"

namespace tessera::gbees {

/// Grid-based Bayesian estimation exploiting sparsity (GBEES): carries a probability density
/// through dx/dt = f(x) on a uniform grid of which only the cells near the probability mass exist,
/// and updates it with measurements (Hanson, Rubio, Garcia-Gutierrez, Bewley, Computer Physics
/// Communications 317 (2025) 109819).
///
/// The work stays on the device: the host looks once every `prune_every` steps, and less often
/// while a GPU holds few cells. Results do not depend on the number of threads or on scheduling:
/// cells are a set, and every sum is exact (tessera/core/device/exact_sum.hpp).
///
///     Propagator<Exec, Lorenz63> density(exec, Lorenz63{}, grid, options);
///     density.initialize(Gaussian<3>(mean, covariance));
///     density.propagate(0.25);
///     const auto summary = density.summarize();
///
/// Several ranks hold a part of the cells each (PropagatorOptions::ranks). Every rank makes the
/// same calls, and gets the same answers but for lists of cells, which the first rank gets.
///
/// Real, double or float, is the type that masses, fluxes and velocities are stored in. They are
/// computed in double and rounded once when they are stored; sums are exact sums of what is stored.
template <class ExecSpace, class Dynamics, class Real = double>
class Propagator final : public Density<Dynamics::dimension, detail::key_word_t<Dynamics>> {
 public:
  static constexpr int D = Dynamics::dimension;
  using KeyWord = detail::key_word_t<Dynamics>;
  using Key = CellKey<D, KeyWord>;
  using List = CellListOf<KeyWord>;

  /// `owner` keeps alive what the dynamics refers to, such as the code of equations.
  Propagator(const ExecSpace& exec, const Dynamics& dynamics, const Grid<D>& grid,
             const PropagatorOptions& options, std::shared_ptr<const void> owner = nullptr);

  // the interface of Density (density.hpp)
  void initialize(const Gaussian<D>& density, double extent = 3) override;
  void initialize(const Mixture<D>& density, double extent = 3) override;
  using Density<D, KeyWord>::initialize;
  void initialize(const List& cells, double total) override;
  void restore(const List& cells, const StepperState& state, const Vector<D>& offset = {}) override;
  void begin_interval(double length, double longest_step = StepperState::kUnlimited) override;
  void set_time(double time) override { m_state.time = m_state.velocity_time = time; }
  bool advance() override;
  using Density<D, KeyWord>::observe;
  void observe(const std::vector<Observation>& observations,
               std::vector<MeasurementUpdate>& updates) override;
  Summary<D> summarize() const override;
  std::vector<std::vector<double>> marginals(const Summary<D>& range) const override;
  std::vector<double> joint_marginal(const std::vector<int>& axes,
                                     const Summary<D>& range) const override;
  List cells(double cut) const override;
  List own_cells(double cut) const override;
  List raw_cells() const override;
  DeviceCells<D> device_cells() const override;
  DeviceCells<D> cells_with_neighbours() override;
  void after_each_step(std::function<void()> launch) override { m_after_step = std::move(launch); }
  void after_each_prune(std::function<void()> launch) override {
    m_after_prune = std::move(launch);
  }
  const StepperState& state() const override { return m_state; }
  const Grid<D>& grid() const override { return m_grid; }
  std::vector<StepRecord> take_history() override { return std::exchange(m_history_host, {}); }
  std::uint64_t memory() const override {
    return m_cells.bytes(m_cells.capacity) + kVelocityBytes * m_cells.capacity +
           m_spare_links.span() * sizeof(std::uint32_t) + m_halo.bytes();
  }

 private:
  static constexpr bool is_wide = detail::is_wide_v<Dynamics>;
  using CellArrays = detail::Cells<D, ExecSpace, Real, KeyWord>;
  using Box = detail::Box<D, KeyWord>;
  using Ellipsoid = detail::Ellipsoid<D, ExecSpace, KeyWord>;
  template <class T>
  using Array = typename CellArrays::template Array<T>;
  using Memory = typename CellArrays::Memory;
  template <Scheme scheme>
  using Context = detail::StepContext<Dynamics, ExecSpace, scheme, Real>;
  using AnyContext = Context<Scheme::conservative>;  // where the scheme plays no part
  template <class T, class Space = Memory>
  using Result = Kokkos::View<T, Space>;

  // a row
  static constexpr std::uint64_t kVelocityBytes =
      detail::stores_velocity<Dynamics>() ? sizeof(Real) * D + 9 : 0;
  // steps between looks of the host when prunes are rarer
  static constexpr int kMaxBatch = 64;
  // fewest cells of a circle, so that all neighbours of a cell are others
  static constexpr int kLeastOfTurn = 4;
  // most steps in one kernel of a GPU
  static constexpr std::uint32_t kPersistentSteps = 512;

  template <Scheme scheme>
  Context<scheme> context() const;
  AnyContext any_context() const { return context<Scheme::conservative>(); }
  template <Scheme scheme, class Directory>
  detail::StepPhases<Context<scheme>, Directory> step_phases(const Directory& directory) const;
  template <Scheme scheme, class Directory>
  detail::PrunePhases<Context<scheme>, Directory> prune_phases(const Directory& directory) const;
  DirectoryKind directory_for(std::uint32_t cells) const;
  bool launches_phases(std::uint32_t cells) const;
  std::uint32_t persistent_cells() const;

  Box initial_box(const Vector<D>& deviation, double extent) const;
  Ellipsoid initial_ellipsoid(const Gaussian<D>& density, double form) const;
  void check_index(int axis, double cells) const;
  Mixture<D> with_images(const Mixture<D>& density) const;
  template <class Source, class Function>
  void start_from(const std::vector<detail::InitialPart<Source, Function>>& parts, double cut,
                  double scale, double largest);
  void count_start(double scale);
  [[noreturn]] void fail_for_threshold(double largest) const;
  template <Scheme scheme>
  double link_new_rows(std::uint32_t linked);
  void find_invariant_range();
  template <class Body>
  detail::IndexFrame<D> index_frame(KeyWord from, Body directions,
                                    Vector<D>* resultant = nullptr) const;
  Vector<D> origin_of(const detail::IndexFrame<D>& frame) const;
  void upload(const List& cells, std::uint32_t parity);
  void reserve(std::uint64_t rows, std::uint32_t used);

  template <Scheme scheme>
  void launch_steps(int steps);
  template <Scheme scheme>
  void run_on_cpu(int steps);
  template <Scheme scheme>
  void run_thread_team(int steps);
  template <Scheme scheme>
  void run_persistent();
  template <Scheme scheme>
  void share_steps(int steps);
  void count_active();
  template <Scheme scheme>
  void prune();
  [[noreturn]] void fail_for_likelihood(const detail::CellTerms<D>& terms,
                                        const Observation& observation) const;
  MeasurementUpdate find_factors(const detail::CellTerms<D>& terms,
                                 detail::LikelihoodExtremes<D>& found);
  MeasurementUpdate multiply_likelihood(const detail::CellTerms<D>& terms,
                                        const detail::LikelihoodExtremes<D>& found,
                                        const Observation& observation);

  const parallel::Communicator& ranks() const { return m_halo.ranks(); }
  List any_part(const List& all) const;
  List own_part(List cells);
  void use_part(const List& cells, std::uint32_t parity);
  void link_all_rows();
  void refresh_ghosts();
  void make_ghosts(std::uint32_t linked);
  void link_ghosts();
  template <Scheme scheme>
  void put_in(const std::vector<std::uint64_t>& ranges);
  List first_rows(std::uint32_t rows) const;
  List gather(const List& own) const;

  /// Calls f with the scheme as a compile-time constant.
  template <class F>
  auto with_scheme(F&& f) const {
    return m_options.scheme == Scheme::reference
               ? f(std::integral_constant<Scheme, Scheme::reference>{})
               : f(std::integral_constant<Scheme, Scheme::conservative>{});
  }

  void fetch_state();
  void store_state();
  void collect_history();
  void enlarge();
  void forget_step();
  void recentre();
  detail::IndexRange<D> index_range() const;
  void fail_if_stopped();
  KeyWord first_bad(bool by_mass) const;
  std::string describe_location(KeyWord key) const;

  /// A reduction over the cells of all ranks whose result the host waits for.
  template <class T, class Body>
  T sum_over_cells(const Body& body) const {
    const auto result = allocate<Result<T>>(m_exec, "tessera::gbees::result");
    detail::launch_reduce(m_exec, m_state.cells, body, compat::Sum<T, Memory>(result));
    T value;
    copy_to_host(m_exec, &value, result.data(), 1);
    return ranks().sum(value);
  }

  /// The smallest of some values of cells.
  template <class T, class Body>
  T least_over_cells(const char* label, const Body& body) const {
    struct Least {
      T value;
      Least& operator+=(const Least& other) {
        value = std::min(value, other.value);
        return *this;
      }
    };
    const auto result = allocate<Result<T>>(m_exec, label);
    detail::launch_reduce(m_exec, m_state.cells, body, Kokkos::Min<T, Memory>(result));
    T value;
    copy_to_host(m_exec, &value, result.data(), 1);
    return ranks().sum(Least{value}).value;
  }

  ExecSpace m_exec;
  Dynamics m_dynamics;
  std::shared_ptr<const void> m_owner;
  Grid<D> m_grid;
  PropagatorOptions m_options;
  CellArrays m_cells;
  detail::Halo<D, ExecSpace> m_halo;
  typename CellArrays::Fluxes m_velocity;  // of dynamics that store it, with what follows from it
  Array<double*> m_crossing_time;
  Array<std::uint8_t*> m_loses_below;
  typename CellArrays::Links m_spare_links;  // of prunes of few cells on a GPU
  Kokkos::View<char*, Memory> m_sort_memory;
  Array<detail::StepMemory> m_step_memory;
  Array<StepperState> m_state_device;          // in it
  Array<detail::StepReductions> m_reductions;  // too
  Array<detail::PruneReductions> m_prune_reductions;
  Array<detail::SharedState> m_shared;
  Array<StepRecord*> m_history;
  StepperState m_state;  // as of the last look
  // velocity_time on the device, which the dynamics have taken
  double m_taken_time = std::numeric_limits<double>::quiet_NaN();
  Pace m_pace;  // of steps on a CPU
  std::vector<StepRecord> m_history_host;
  std::function<void()> m_after_step, m_after_prune;
  // cells of this rank that a prune has brought and that are no rows yet
  Kokkos::View<detail::MovedCell*, Memory> m_in_transit;
  // m_cells.kept is that of the last prune: nothing else has been made of it since
  bool m_knows_kept = false;
  std::uint64_t m_generation = 0;  // of the rows (DeviceCells)
};

}  // namespace tessera::gbees

#include "tessera/gbees/propagator/propagator_prune.hpp"
#include "tessera/gbees/propagator/propagator_ranks.hpp"
#include "tessera/gbees/propagator/propagator_records.hpp"
#include "tessera/gbees/propagator/propagator_setup.hpp"
#include "tessera/gbees/propagator/propagator_start.hpp"
#include "tessera/gbees/propagator/propagator_steps.hpp"

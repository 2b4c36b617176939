// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/mpr/detail/chain_kernels.hpp"
#include "tessera/mpr/detail/stack_sweep.hpp"

/// Markov chains of the modified planar rotator on a grid with samples: the simulation behind tessera-mpr, for use in other programs.
///
/// Example (tests/install/examples/mpr.cpp):
///
///     mpr::ChainSettings settings;
///     settings.grid = {5, 5};
///     mpr::Chains<ExecSpace, double> chains(exec, settings, status);  // a Site for each site, frame after frame
///     chains.start(angles, {0.05}, 7, true);                          // a temperature for each frame, a seed; a random start
///     chains.set_step_control({3});                                   // turns of at most pi / 6
///     chains.burn_in(100);                                            // sweeps before the averages
///     chains.begin_sampling();                                        // with the same turns
///     chains.sample(400, mpr::Moments::variance, true);               // sweeps that count, averages of conditional means
///     chains.moments(mean, variance);                                 // of the angle, at the missing sites
///
/// Everything is asynchronous on `exec` but for the constructor, burn_in_until_settled and what returns host values. The same seed gives
/// the same bits on a backend, whatever the threads. Memory: `Chains::memory`.

namespace tessera::mpr {

struct ChainSettings {
  Grid grid;
  int frames = 1;
  int replicas = 1;                         ///< independent chains of each frame
  double axis[3] = {1, 1, 1};               ///< couplings along x, y, z
  double beta = 0;                          ///< coupling of curvature
  bool local = false;                       ///< spins have lengths (start() takes them)
  int sweeps = 700;                         ///< most sweeps of a chain, for its history
  std::optional<int> sweeps_per_load;       ///< of a tile, at most 16; not set: 13, or 10 with second neighbours
  std::optional<int> tile_rows, team_size;  ///< not set: chosen by the size of the grid
};

template <class ExecSpace, class Real>
class Chains {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  Chains(const ExecSpace& exec, const ChainSettings& settings, const Array<const std::uint8_t>& status);

  /// Bytes that chains on a grid take on the device, at most (every site missing) and without the caller's arrays.
  static double memory(const ChainSettings& settings);

  int chains() const { return m_settings.frames * m_settings.replicas; }
  std::uint32_t missing() const { return m_tiled ? m_tiles.count : m_stack.count; }

  /// Puts every active site at its angle in [0, pi] ([frame][site]); `random`: the missing ones anywhere, for which `angles` is not read.
  /// One temperature per frame. `seed` keys the random numbers of all chains. `lengths` (with settings.local, [frame][site]) are the square
  /// roots of T / T_local.
  void start(const Array<const Real>& angles, const std::vector<double>& temperatures, std::uint64_t seed, bool random,
             const Array<const Real>& lengths = {});

  /// The step control a of every chain from now on; not tuned.
  void set_step_control(const std::vector<double>& of_frame);

  /// A number of sweeps with the step control as it is, or tuned as in Algorithm 2.
  void burn_in(int sweeps);

  /// Algorithm 2: until the gradient of the energy is no longer negative in every chain. Waits for the device every few checks.
  void burn_in_until_settled(const BurnIn& burn_in);

  /// Ends the burn-in. `step_control` replaces a, which otherwise stays.
  void begin_sampling(std::optional<double> step_control = {});

  /// Sweeps whose angles go into the moments: the spins', or with `rao_blackwell` the conditional means given the neighbours.
  void sample(int sweeps, Moments moments, bool rao_blackwell);

  /// Mean and variance of the angle of each missing site, replicas pooled ([frame][site]); other sites are left alone. `variance` may be
  /// empty.
  void moments(const Array<Real>& mean, const Array<Real>& variance) const;

  /// The present angles of one replica of all frames; sites that are not missing are left alone.
  void angles(int replica, const Array<Real>& out) const;

  /// Recomputes H of every chain from the spins.
  void measure_energy();

  std::vector<ChainState> states() const;

  struct History {
    std::vector<double> energy, acceptance, step_control, gradient;
  };
  History history(int chain) const;

  int sweeps_per_load() const { return m_per_load; }

  /// The whole state on the host, to be continued elsewhere with the same bits.
  struct Snapshot {
    std::vector<Real> spins, mean, deviation;
    std::vector<double> series;
    std::vector<ChainState> chains;
    std::uint32_t samples = 0;
  };
  Snapshot save() const;
  void restore(const Snapshot& snapshot);

 private:
  void list_tiles();
  void list_stack();
  void allocate();
  void count_updates();
  template <class Body>
  void for_each_missing(const char* label, const Body& body) const;
  void batch(int sweeps, bool burning_in, bool per_sweep, const BurnIn* stops, Moments moments, bool rao_blackwell);
  template <Moments M>
  void sweep(int sweeps, bool burning_in, bool per_sweep, bool rao_blackwell);
  template <class Stencil, Moments M>
  void sweep_tiles(int sweeps, bool burning_in, bool per_sweep, bool rao_blackwell);
  template <bool SecondNeighbours, bool Local, Moments M>
  void sweep_stack(int sweeps, bool burning_in, bool rao_blackwell);
  void need_moments(Moments moments);
  /// Sweeps of the next load when so many are to come: as few loads as can be, of about the same length.
  int next_load(int sweeps) const {
    const int loads = (sweeps + m_per_load - 1) / m_per_load;
    return (sweeps + loads - 1) / loads;
  }

  ExecSpace m_exec;
  ChainSettings m_settings;
  detail::Layout m_layout;
  bool m_tiled, m_second;
  int m_per_load = 1, m_team_size = 1, m_groups = 1;
  detail::StackChunks m_chunks;
  Couplings<Real> m_couplings;
  detail::MissingList<ExecSpace, std::uint16_t> m_tiles;
  detail::MissingList<ExecSpace, std::uint32_t> m_stack;
  Array<const std::uint8_t> m_status;
  Array<Rotor<Real>> m_state;
  Array<ChainState> m_chains;
  Array<detail::Tally> m_tallies;
  Array<double> m_updates;
  Array<Real> m_mean, m_deviation;
  detail::Series<ExecSpace> m_series;
  Kokkos::View<detail::EnergySums, ExecSpace> m_sums;
  std::uint32_t m_samples = 0;  // in the moments, of each chain
};

}  // namespace tessera::mpr

#include "tessera/mpr/detail/chains_impl.hpp"

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tessera/core/parallel/device_messages.hpp"
#include "tessera/mpr/chains/chain_kernels.hpp"
#include "tessera/mpr/chains/shared_tallies.hpp"
#include "tessera/mpr/chains/stack_sweep.hpp"
#include "tessera/mpr/lattice/frame_share.hpp"
#include "tessera/mpr/lattice/image_part.hpp"

/// Markov chains of the modified planar rotator on a grid, conditional on its samples:
///
///     H = - sum over pairs of w_ij cos(theta_i - theta_j),    law exp(-H / T),    theta in [0, pi],
///
/// with the weights of couplings.hpp (metric.hpp, where cells are not all the same) and the angles
/// of the samples held fixed. A sweep updates every missing site once (rotator.hpp). The method is
/// that of Zukovic, Borovsky, Lach, Hristopulos, Math. Geosci. 52 (2020) 123-143, with a corrected
/// over-relaxation.
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
///     chains.sample(400, mpr::Moments::variance);                     // sweeps that are averaged
///     chains.moments(mean, variance);                                 // of the angle, at the missing sites
///
/// Accuracy: the mean energy of the unconditional model on 32 x 32 sites is that of the law to
/// 4e-4, 6e-4 and 1.2e-3 at T = 0.1, 0.5 and 2; at low T modes hold T / 2 each to 2 %, also in
/// stacks and with curvature; energies that are added up from accepted changes agree with H to a
/// relative 1e-9 in double precision (tests/unit/mpr_chains.cpp).
///
/// Domain: less than 2^31 sites in a frame with its padding, less than 2^32 in all frames together,
/// columns that go round in images of at least kLeastColumns; otherwise the constructor throws
/// Error (input). Calls are asynchronous on `exec`, except the constructor, set_step_control,
/// burn_in_until_settled and whatever returns values to the host. The same seed gives the same bits
/// on a backend, whatever the number of threads.

namespace tessera::mpr {

struct ChainSettings {
  Grid grid;
  int frames = 1;
  int replicas = 1;                     ///< independent chains of each frame
  std::array<double, 3> axis{1, 1, 1};  ///< couplings along x, y, z
  double beta = 0;                      ///< coupling of curvature
  /// The part of an image that the frame is, by whose sites random numbers are counted; null: the
  /// one frame is whole
  std::shared_ptr<const Part> part;
  /// The division of the frames among ranks; the constructor is called on all ranks, everything
  /// else on each by itself
  FrameShare share;
  /// The ranks that share the rows of one image, or the layers of one stack, and make all calls but
  parallel::Communicator slab_ranks;
  ///< moments() and angles() together
  /// none: cells are all the same; one for all frames, or one for each
  Metrics metrics;
  bool local = false;  ///< a temperature for each site: `lengths` of start()
  /// Over-relaxation by the paper's Eq. 6, which does not keep the law; images with next neighbours
  /// and one metric only
  bool published_reflection = false;
  /// The most that a chain will do, for the memory of its history
  int sweeps = 700;
  /// Sweeps of an image's tile for each time it is loaded, at most 16; not set: 13, or 10 with
  /// curvature or local temperatures
  std::optional<int> sweeps_per_load;
  /// 4, 8, 16, 32 or 64; not set: chosen by the size of the grid
  std::optional<int> tile_rows;
  /// Threads for a tile on a GPU; not set: chosen by the size of the grid
  std::optional<int> team_size;
};

/// Sites of a frame, one after the other.
struct SiteRange {
  std::size_t first = 0, count = 0;
};

/// All chains of a batch of frames, which are swept together. Real: float or double, of the spins;
/// energies and sums are double.
template <class ExecSpace, class Real>
class Chains {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  /// `status`: a Site for each site, [frame][layer][row][column].
  Chains(const ExecSpace& exec, const ChainSettings& settings,
         const Array<const std::uint8_t>& status);

  /// Bytes that chains take on the device at most (where every site is missing), without the
  /// caller's arrays.
  static double memory(const ChainSettings& settings);

  int chains() const { return m_settings.frames * m_settings.replicas; }
  /// Missing sites of all frames, or of the slab here.
  std::uint32_t missing() const { return m_tiled ? m_tiles.count : m_stack.count; }

  /// Sets the initial state. angles: radians in [0, pi], [frame][site]. With `random` the missing
  /// sites start anywhere in [0, pi] and their angles are not read. temperatures: one for each
  /// frame. seed: keys the random numbers of all chains. lengths: with settings.local the root of T
  /// / T_local of each site, [frame][site]; else empty.
  void start(const Array<const Real>& angles, const std::vector<double>& temperatures,
             std::uint64_t seed, bool random, const Array<const Real>& lengths = {});

  /// Sets the step control a of each frame's chains, and ends its tuning: turns are at most pi / (2
  /// a).
  void set_step_control(const std::vector<double>& a);

  /// Sweeps that are not averaged.
  void burn_in(int sweeps);

  /// Sweeps of each chain until the gradient of its energy is no longer negative, with a tuned step
  /// control (Algorithm 2 of the paper).
  void burn_in_until_settled(const BurnIn& burn_in);

  /// Ends the burn-in. The step control a becomes `step_control`, or stays as it is.
  void begin_sampling(std::optional<double> step_control = {});

  /// Sweeps that are averaged. The variance of conditional means has the mean conditional variance
  /// T / |h| added.
  void sample(int sweeps, Moments moments, Estimator estimator = Estimator::conditional_mean);

  /// Mean (rad) and variance (rad^2) of the angle of each missing site over all sweeps and
  /// replicas, [frame][site]. Other sites are not written. `variance` may be empty.
  void moments(const Array<Real>& mean, const Array<Real>& variance) const;

  /// The present angles of one replica of each frame at the missing sites, [frame][site]. Other
  /// sites are not written.
  void angles(int replica, const Array<Real>& out) const;

  /// Computes H of every chain from its spins, instead of adding up accepted changes.
  void measure_energy();

  /// Sweeps that burn_in or sample makes at a time when `sweeps` are to come: as few loads of a
  /// tile as possible, of about the same length. Calls that divide the sweeps so give the same bits
  /// as one call.
  int next_load(int sweeps) const {
    const int loads = (sweeps + m_per_load - 1) / m_per_load;
    return loads > 0 ? (sweeps + loads - 1) / loads : 0;
  }

  /// The sites of a frame that are swept here; other ones count neither in moments() nor in
  /// angles().
  SiteRange sites() const {
    // row or layer
    const std::int64_t of_one = m_settings.grid.sites() / detail::extent_of_slabs(m_settings.grid);
    return {static_cast<std::size_t>(m_here.first * of_one),
            static_cast<std::size_t>(m_here.count * of_one)};
  }

  /// [frame][replica].
  std::vector<ChainState> states() const;

  /// The results of each sweep of a chain: specific energy, accepted fraction, step control a, and
  /// gradient of the energy where it was fitted (else NaN).
  struct History {
    std::vector<double> energy, acceptance, step_control, gradient;
  };
  History history(int chain) const;

  /// The whole state on the host. Chains of the same settings that restore it go on with the same
  /// bits.
  struct Snapshot {
    std::vector<Real> spins, mean, deviation;
    std::vector<double> series;
    std::vector<ChainState> chains;
    std::uint32_t samples = 0;
  };
  Snapshot save() const;
  /// The spins of a snapshot of all slabs, [chain][slab], and back, where slabs are shared.
  std::vector<Real> own_spins(const std::vector<Real>& here) const;
  std::vector<Real> spins_here(const std::vector<Real>& of_all) const;
  /// Throws Error (input) unless `fits(snapshot)`.
  void restore(const Snapshot& snapshot);
  /// Returns whether a snapshot is one of such chains with room for `more_sweeps` more sweeps.
  bool fits(const Snapshot& snapshot, int more_sweeps = 0) const;

 private:
  void list_tiles();
  void list_stack();
  void allocate();
  void count_updates();
  template <class Body>
  void for_each_missing(const char* label, const Body& body) const;
  void batch(int sweeps, bool burning_in, bool per_sweep, const BurnIn* stops, Moments moments,
             Estimator estimator);
  template <Moments M, class Weights>
  void sweep(const Weights& weights, int sweeps, bool burning_in, bool per_sweep,
             bool rao_blackwell);
  template <class Stencil, Moments M, class Weights>
  void sweep_tiles(const Weights& weights, int sweeps, bool burning_in, bool per_sweep,
                   bool rao_blackwell);
  template <bool SecondNeighbours, bool Local, Moments M, class Weights>
  void sweep_stack(const Weights& weights, int sweeps, bool burning_in, bool rao_blackwell);
  template <int D, class Weights>
  void measure_energy(const Weights& weights);
  bool has_metric() const { return !m_settings.metrics.empty(); }
  bool is_periodic() const { return has_metric() && m_settings.metrics.front().periodic; }
  void join_seam();
  void exchange_slabs();
  void number_tallies(int own);
  bool shares_slabs() const { return m_settings.slab_ranks.size() > 1; }
  std::int64_t largest(std::int64_t value) const {
    return m_settings.slab_ranks.max(m_settings.share.ranks.max(value));
  }
  /// Spins of a row of an image or of a layer of a stack, with their border.
  std::int64_t spins_of_one() const { return m_tiled ? m_layout.pitch : m_layout.plane; }
  void allocate_moments(Moments moments);

  ExecSpace m_exec;
  ChainSettings m_settings;
  detail::Slab m_here;
  detail::Layout m_layout;  // of it
  bool m_tiled, m_second;
  int m_per_load = 1, m_team_size = 1, m_groups = 1;
  int m_first_tally = 0;  // of those here
  detail::SameWeights<Real> m_couplings;
  detail::WeightsByRow<ExecSpace, Real> m_rows;  // with a metric, instead
  detail::MissingList<ExecSpace, std::uint16_t> m_tiles;
  detail::MissingList<ExecSpace, std::uint32_t> m_stack;
  detail::StackTeams<ExecSpace> m_stack_teams;
  Array<const std::uint8_t> m_status;
  Array<Rotor<Real>> m_state;
  Array<ChainState> m_chains;
  Array<detail::Tally> m_tallies;
  Array<double> m_updates;
  Array<Real> m_mean, m_deviation;
  detail::Series<ExecSpace> m_series;
  Kokkos::View<detail::EnergySums, ExecSpace> m_sums;
  std::uint32_t m_samples = 0;                         // in the moments, of each chain
  std::optional<parallel::DeviceMessages> m_messages;  // where ranks share slabs
  Array<Rotor<Real>> m_sent_spins, m_received_spins;
  detail::SharedTallies<ExecSpace> m_shared_tallies;
};

}  // namespace tessera::mpr

#include "tessera/mpr/chains/chains_impl.hpp"

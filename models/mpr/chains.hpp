// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tessera/core/device/exact_sum.hpp"
#include "tessera/core/random.hpp"
#include "tessera/mpr/detail/stack_sweep.hpp"
#include "tessera/mpr/detail/tile_sweep.hpp"

/// Markov chains of the modified planar rotator on a grid with samples: the simulation behind tessera-mpr, for use in other programs.
///
/// Example (tests/install/examples/mpr.cpp):
///
///     mpr::ChainSettings settings;
///     settings.grid = {5, 5};
///     mpr::Chains<ExecSpace, double> chains(exec, settings, status);  // a Site for each site, frame after frame
///     chains.start(angles, {0.05}, 7, true);                          // a temperature for each frame, a seed; a random start
///     chains.set_step_control({3});                                   // turns of at most pi / 6
///     chains.relax(100);                                              // sweeps before the averages
///     chains.begin_equilibrium(0);                                    // with the same turns
///     chains.equilibrate(400, mpr::Moments::variance, true);          // sweeps that count, averages of conditional means
///     chains.moments(mean, variance);                                 // of the angle, at the missing sites
///
/// Everything is asynchronous on `exec` but for the constructor, relax_until_settled and what returns host values. The same seed gives the
/// same bits on a backend, whatever the threads. Memory: `Chains::memory`.

namespace tessera::mpr {

using detail::Moments;
using detail::Relaxation;

struct ChainSettings {
  Grid grid;
  int frames = 1;
  int replicas = 1;                  ///< independent chains of each frame
  double axis[3] = {1, 1, 1};        ///< couplings along x, y, z
  double beta = 0;                   ///< coupling of curvature
  bool local = false;                ///< spins have lengths (start() takes them)
  int sweeps = 700;                  ///< most sweeps of a chain, for its history
  int sweeps_per_load = 0;           ///< of a tile; 0: chosen by the backend
  int tile_rows = 0, team_size = 0;  ///< 0: chosen by the size of the grid
};

namespace detail {

/// The initial spins: every active site at its angle; with `random` the missing ones anywhere in [0, pi].
template <class ExecSpace, class Real>
struct SetSpins {
  Layout layout;
  int replicas;
  bool random;
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> angles;   // [frame][site]; may be empty where random and nothing is a sample
  Array<ExecSpace, const Real> lengths;  // [frame][site]; empty: 1
  Array<ExecSpace, const ChainState> chains;
  Array<ExecSpace, Rotor<Real>> state;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t sites = layout.grid.sites(), chain = i / sites;
    const std::int64_t site = i % sites, from = chain / replicas * sites + site;
    const int x = static_cast<int>(site % layout.grid.nx);
    const std::int64_t rest = site / layout.grid.nx;
    const int y = static_cast<int>(rest % layout.grid.ny), z = static_cast<int>(rest / layout.grid.ny);
    Rotor<Real> spin{0, 0};
    const std::uint8_t kind = status(from);
    if (kind != kInactive) {
      Real angle;
      if (kind == kMissing && random) {
        const auto bits = PhiloxPair(chains(chain).key).bits(static_cast<std::uint32_t>(site), ~0u);  // a sweep number that no sweep has
        angle = PhiloxPair::uniform<Real>(bits.word[0]) * static_cast<Real>(kPi);
      } else {
        angle = angles(from);
      }
      const Real length = lengths.extent(0) > 0 ? lengths(from) : Real(1);
      const Real sine = compat::math::sin(angle);
      spin = {length * compat::math::cos(angle), length * (sine > Real(0) ? sine : Real(0))};
    }
    state(chain * layout.frame + layout.index(x, y, z)) = spin;
  }
};

/// H and the sum of the pair weights of one chain.
struct EnergySums {
  ExactSum energy, weight;
  KOKKOS_INLINE_FUNCTION EnergySums& operator+=(const EnergySums& other) {
    energy += other.energy;
    weight += other.weight;
    return *this;
  }
};

template <class ExecSpace, class Real, int D>
struct Energy {
  using value_type = EnergySums;
  Layout layout;
  Couplings<Real> couplings;
  Array<ExecSpace, const Rotor<Real>> state;
  std::int64_t first;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site, EnergySums& sums) const {
    const Rotor<Real>* v = state.data() + first;
    const int x = static_cast<int>(site % layout.grid.nx);
    const std::int64_t rest = site / layout.grid.nx;
    const int i = layout.index(x, static_cast<int>(rest % layout.grid.ny), static_cast<int>(rest / layout.grid.ny));
    if (!is_active(v[i])) return;
    const Steps step{layout.pitch, layout.plane};
    const double own_degree = degree<D>(v, i, step, couplings);
    double diagonal = own_degree;
    Rotor<Real> h;
    if (couplings.beta == Real(0)) {
      h = nearest_field<D>(v, i, step, couplings);
    } else {
      h = curvature_field_at_edge<D>(v, i, step, couplings);
      double squares = own_degree * own_degree;
      for (int a = 0; a < D; ++a) {
        const double strength = couplings.axis[a];
        squares += strength * strength * (is_active(v[i - step[a]]) + is_active(v[i + step[a]]));
      }
      diagonal += couplings.beta * squares;
    }
    sums.energy.add(-0.5 * static_cast<double>(dot(v[i], h)));
    sums.weight.add(0.5 * diagonal);
  }
};

template <class ExecSpace>
struct TakeEnergy {
  Array<ExecSpace, ChainState> chains;
  Kokkos::View<const EnergySums, ExecSpace> sums;
  int chain;
  KOKKOS_INLINE_FUNCTION void operator()(int) const {
    chains(chain).energy = sums().energy.value();
    chains(chain).weight = sums().weight.value() > 0 ? sums().weight.value() : 1;
  }
};

template <class ExecSpace>
struct BeginEquilibrium {
  Array<ExecSpace, ChainState> chains;
  double step_control;  // 0: as it is
  KOKKOS_INLINE_FUNCTION void operator()(int chain) const {
    ChainState& now = chains(chain);
    now.settled = 1;
    now.tuning = 0;
    if (step_control > 0) now.step_control = step_control;
  }
};

/// Calls f(place in the list, site of the grid without padding, frame) for an entry of the list.
template <class ExecSpace, class Entry>
struct EntrySites {
  MissingList<ExecSpace, Entry> list;

  /// Teams of a frame: one per tile, or enough of them for a stack.
  KOKKOS_INLINE_FUNCTION int teams() const { return list.tiled() ? list.tiles() : kTeamsOfStack; }
  static constexpr int kTeamsOfStack = 1024;

  template <class Member, class F>
  KOKKOS_INLINE_FUNCTION void each(const Member& team, const F& f) const {
    const int segments = list.colouring.segments();
    const int frame = team.league_rank() / teams(), part = team.league_rank() % teams(), tile = list.tiled() ? part : 0;
    const std::size_t group = (static_cast<std::size_t>(frame) * list.tiles() + tile) * segments;
    std::uint32_t begin = list.begin(group), end = list.begin(group + segments);
    if (!list.tiled()) {
      const std::uint32_t share = (end - begin + teams() - 1) / teams();
      begin = compat::min(begin + part * share, end);
      end = compat::min(begin + share, end);
    }
    const std::int64_t first = frame * list.grid.sites();
    for (std::uint32_t j = begin + team.team_rank(); j < end; j += team.team_size()) {
      const std::uint32_t entry = list.entries(j);
      if (list.tiled()) {
        const int x = tile % list.tiles_x * Layout::kTile + static_cast<int>(entry % Layout::kTile);
        const int y = tile / list.tiles_x * list.tile_rows + static_cast<int>(entry / Layout::kTile);
        f(j, first + static_cast<std::int64_t>(y) * list.grid.nx + x, frame, list.layout.index(x, y, 0));
      } else {
        const std::uint32_t row = entry / static_cast<std::uint32_t>(list.layout.pitch);
        const std::uint32_t rows = static_cast<std::uint32_t>(list.layout.plane / list.layout.pitch);
        const std::int64_t x = entry % list.layout.pitch - Layout::kHalo, y = row % rows - Layout::kHalo, z = row / rows - Layout::kHalo;
        f(j, first + (z * list.grid.ny + y) * list.grid.nx + x, frame, static_cast<int>(entry));
      }
    }
  }
};

/// Pools the replicas' moments and puts them in their places.
template <class ExecSpace, class Real, class Entry>
struct PlaceMoments {
  EntrySites<ExecSpace, Entry> sites;
  int replicas;
  Real samples;  // of a replica
  Array<ExecSpace, const Real> mean, deviation;
  Array<ExecSpace, Real> mean_out, variance_out;

  struct Place {
    const PlaceMoments& all;
    KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t j, std::int64_t site, int, int) const {
      const std::size_t count = all.sites.list.count;
      Real average = 0, within = 0, between = 0;
      for (int r = 0; r < all.replicas; ++r) average += all.mean(r * count + j);
      average /= static_cast<Real>(all.replicas);
      all.mean_out(site) = average;
      if (all.variance_out.extent(0) == 0) return;
      for (int r = 0; r < all.replicas; ++r) {
        const Real gap = all.mean(r * count + j) - average;
        within += all.deviation(r * count + j);
        between += gap * gap;
      }
      all.variance_out(site) = (within / all.samples + between) / static_cast<Real>(all.replicas);
    }
  };
  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    sites.each(team, Place{*this});
  }
};

/// The present angles of one chain in their places.
template <class ExecSpace, class Real, class Entry>
struct PlaceAngles {
  EntrySites<ExecSpace, Entry> sites;
  int replicas, replica;
  Array<ExecSpace, const Rotor<Real>> state;
  Array<ExecSpace, Real> out;

  struct Place {
    const PlaceAngles& all;
    KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t, std::int64_t site, int frame, int place) const {
      const std::size_t chain = static_cast<std::size_t>(frame) * all.replicas + all.replica;
      all.out(site) = angle_of(all.state(chain * all.sites.list.layout.frame + place));
    }
  };
  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    sites.each(team, Place{*this});
  }
};

}  // namespace detail

template <class ExecSpace, class Real>
class Chains {
 public:
  template <class T>
  using Array = detail::Array<ExecSpace, T>;

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
  void relax(int sweeps);

  /// Algorithm 2: until the slope of the energy is no longer negative in every chain. Waits for the device every few checks.
  void relax_until_settled(const Relaxation& relaxation);

  /// Ends the relaxation; `step_control` > 0 replaces a.
  void begin_equilibrium(double step_control);

  /// Sweeps whose angles go into the moments: the spins', or with `rao_blackwell` the conditional means given the neighbours.
  void equilibrate(int sweeps, Moments moments, bool rao_blackwell);

  /// Mean and variance of the angle of each missing site, replicas pooled ([frame][site]); other sites are left alone. `variance` may be
  /// empty.
  void moments(const Array<Real>& mean, const Array<Real>& variance) const;

  /// The present angles of one replica of all frames; sites that are not missing are left alone.
  void angles(int replica, const Array<Real>& out) const;

  /// Recomputes H of every chain from the spins.
  void measure_energy();

  std::vector<detail::ChainState> states() const;

  struct History {
    std::vector<double> energy, acceptance, step_control, slope;
  };
  History history(int chain) const;

  int sweeps_per_load() const { return m_per_load; }

  /// The whole state on the host, to be continued elsewhere with the same bits.
  struct Snapshot {
    std::vector<Real> spins, mean, deviation;
    std::vector<double> series;
    std::vector<detail::ChainState> chains;
    std::uint32_t samples = 0;
  };
  Snapshot save() const;
  void restore(const Snapshot& snapshot);

 private:
  void batch(int sweeps, bool relaxing, bool per_sweep, const Relaxation* stops, Moments moments, bool rao_blackwell);
  template <Moments M>
  void sweep(int sweeps, bool relaxing, bool per_sweep, bool rao_blackwell);
  template <class Stencil, Moments M>
  void sweep_tiles(int sweeps, bool relaxing, bool per_sweep, bool rao_blackwell);
  template <bool SecondNeighbours, bool Local, Moments M>
  void sweep_stack(int sweeps, bool relaxing, bool rao_blackwell);
  void need_moments(Moments moments);
  /// Sweeps of the next load when so many are to come: as few loads as can be, of about the same length.
  int next_load(int sweeps) const {
    const int loads = (sweeps + m_per_load - 1) / m_per_load;
    return (sweeps + loads - 1) / loads;
  }

  ExecSpace m_exec;
  ChainSettings m_settings;
  Layout m_layout;
  bool m_tiled, m_second;
  int m_per_load = 1, m_team_size = 1, m_groups = 1;
  detail::StackChunks m_chunks;
  Couplings<Real> m_couplings;
  detail::MissingList<ExecSpace, std::uint16_t> m_tiles;
  detail::MissingList<ExecSpace, std::uint32_t> m_stack;
  Array<const std::uint8_t> m_status;
  Array<Rotor<Real>> m_state;
  Array<detail::ChainState> m_chains;
  Array<detail::Tally> m_tallies;
  Array<double> m_updates;
  Array<Real> m_mean, m_deviation;
  detail::Series<ExecSpace> m_series;
  Kokkos::View<detail::EnergySums, ExecSpace> m_sums;
  std::uint32_t m_samples = 0;  // in the moments, of each chain
};

// --- implementation ---------------------------------------------------------------------------------------------------------------

template <class ExecSpace, class Real>
double Chains<ExecSpace, Real>::memory(const ChainSettings& settings) {
  const Layout layout = Layout::of(settings.grid);
  const double chains = static_cast<double>(settings.frames) * settings.replicas;
  const double sites = static_cast<double>(settings.grid.sites()), places = static_cast<double>(layout.frame);
  const double entry = settings.grid.nz == 1 ? 2 : 4;
  return chains * (places * sizeof(Rotor<Real>) + sites * 2 * sizeof(Real) + settings.sweeps * 32.0) +
         settings.frames * sites * (entry + 2.0);
}

template <class ExecSpace, class Real>
Chains<ExecSpace, Real>::Chains(const ExecSpace& exec, const ChainSettings& settings, const Array<const std::uint8_t>& status)
    : m_exec(exec),
      m_settings(settings),
      m_layout(Layout::of(settings.grid)),
      m_tiled(settings.grid.nz == 1),
      m_second(settings.beta != 0 || settings.local),
      m_couplings(Couplings<Real>::of(settings.axis, settings.beta, settings.grid.dimension())),
      m_status(status) {
  constexpr bool gpu = compat::is_gpu_v<ExecSpace>;
  const Grid& grid = settings.grid;
  if (m_layout.frame >= std::int64_t(1) << 31) {
    throw Error(ErrorKind::input,
                "a frame of " + std::to_string(grid.nx) + " x " + std::to_string(grid.ny) + " x " + std::to_string(grid.nz) +
                    " sites is too large: 2^31 places are the limit",
                "cut it into parts");
  }
  if (static_cast<double>(grid.sites()) * settings.frames >= 4294967296.0) {
    throw Error(ErrorKind::input, "the frames have 2^32 sites or more together", "process fewer of them at a time");
  }
  if (m_tiled) {
    // The tile has to fit into a team's scratch memory, which Kokkos limits to what every GPU gives, less 8 bytes a thread; and there
    // should be a tile or two for each multiprocessor. On a CPU the tile should stay in the second-level cache.
    constexpr std::size_t most_scratch = gpu ? 48 * 1024 - 8 * (256 + 2) : std::size_t(1) << 30;
    const double large = static_cast<double>(grid.sites()) * chains() / (64 * 64);
    int rows = settings.tile_rows;
    if (rows == 0) rows = !gpu || large >= 1024 ? 64 : large >= 128 ? 32 : 16;
    for (;; rows /= 2) {
      const auto scratch = [&](std::uint32_t longest) {
        return m_second
                   ? detail::TileSweep<ExecSpace, Real, detail::CurvatureStencil<false>, Moments::variance>::scratch_bytes(rows, longest)
                   : detail::TileSweep<ExecSpace, Real, detail::NearestStencil, Moments::variance>::scratch_bytes(rows, longest);
      };
      const std::size_t empty = scratch(0), entry = scratch(1) - empty;
      const std::uint32_t most = rows == 4 ? ~0u : empty > most_scratch ? 0 : static_cast<std::uint32_t>((most_scratch - empty) / entry);
      m_tiles = detail::list_missing<ExecSpace, std::uint16_t>(exec, grid, settings.frames, rows, m_second, status, most);
      if (m_tiles.longest_tile <= most) break;
    }
    m_team_size = settings.team_size > 0 ? settings.team_size : rows == 64 || (rows == 32 && large < 1024) ? 256 : 128;
    m_groups = m_tiles.tiles();
    m_per_load = settings.sweeps_per_load > 0 ? std::min(settings.sweeps_per_load, detail::kMostSweeps) : detail::sweeps_per_load(m_second);
  } else {
    m_stack = detail::list_missing<ExecSpace, std::uint32_t>(exec, grid, settings.frames, 1, m_second, status);
    const auto begin = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_stack.begin);
    std::uint32_t longest[2] = {1, 0};  // regular segments, and those at edges
    for (std::size_t i = 0; i + 1 < begin.extent(0); ++i) {
      std::uint32_t& most = longest[m_second ? i % 2 : 0];
      most = std::max(most, begin(i + 1) - begin(i));
    }
    constexpr std::uint32_t chunk = detail::StackSweep<ExecSpace, Real, true, false, Moments::none>::kChunk;
    m_chunks = {static_cast<int>((longest[1] + chunk - 1) / chunk), static_cast<int>((longest[0] + chunk - 1) / chunk)};
    m_groups = m_stack.colouring.colours() * m_chunks.all();
    m_per_load = 1;
  }
  m_state = Array<Rotor<Real>>("tessera::mpr::spins", static_cast<std::size_t>(chains()) * m_layout.frame);
  m_chains = Array<detail::ChainState>("tessera::mpr::chains", chains());
  m_tallies = Array<detail::Tally>("tessera::mpr::tallies", static_cast<std::size_t>(chains()) * m_groups * detail::kMostSweeps);
  m_updates = Array<double>("tessera::mpr::updates", chains());
  m_series.capacity = settings.sweeps + 2 * detail::kMostSweeps;
  const std::size_t history = static_cast<std::size_t>(chains()) * m_series.capacity;
  m_series.energy = Array<double>("tessera::mpr::energy", history);
  m_series.acceptance = Array<double>("tessera::mpr::acceptance", history);
  m_series.step_control = Array<double>("tessera::mpr::step_control", history);
  m_series.slope = Array<double>("tessera::mpr::slope", history);
  m_sums = Kokkos::View<detail::EnergySums, ExecSpace>("tessera::mpr::sums");

  // Missing sites of each chain.
  const auto begin = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_tiled ? m_tiles.begin : m_stack.begin);
  const std::size_t groups = (begin.extent(0) - 1) / settings.frames;
  auto updates = Kokkos::create_mirror_view(m_updates);
  for (int c = 0; c < chains(); ++c) {
    const std::size_t frame = static_cast<std::size_t>(c / settings.replicas);
    updates(c) = std::max(1.0, static_cast<double>(begin((frame + 1) * groups) - begin(frame * groups)));
  }
  Kokkos::deep_copy(exec, m_updates, updates);
  exec.fence();
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::start(const Array<const Real>& angles, const std::vector<double>& temperatures, std::uint64_t seed,
                                    bool random, const Array<const Real>& lengths) {
  auto host = Kokkos::create_mirror_view(m_chains);
  for (int c = 0; c < chains(); ++c) {
    host(c) = {};
    host(c).temperature = temperatures[static_cast<std::size_t>(c / m_settings.replicas)];
    host(c).key = PhiloxPair::key(seed, static_cast<std::uint64_t>(c));
  }
  Kokkos::deep_copy(m_exec, m_chains, host);
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(
      "tessera::mpr::set_spins", Range(m_exec, 0, chains() * m_settings.grid.sites()),
      detail::SetSpins<ExecSpace, Real>{m_layout, m_settings.replicas, random, m_status, angles, lengths, m_chains, m_state});
  m_samples = 0;
  measure_energy();
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::measure_energy() {
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  for (int c = 0; c < chains(); ++c) {
    const Range range(m_exec, 0, m_settings.grid.sites());
    const std::int64_t first = c * m_layout.frame;
    const compat::Sum<detail::EnergySums, ExecSpace> sum(m_sums);
    if (m_tiled) {
      Kokkos::parallel_reduce("tessera::mpr::energy", range, detail::Energy<ExecSpace, Real, 2>{m_layout, m_couplings, m_state, first},
                              sum);
    } else {
      Kokkos::parallel_reduce("tessera::mpr::energy", range, detail::Energy<ExecSpace, Real, 3>{m_layout, m_couplings, m_state, first},
                              sum);
    }
    Kokkos::parallel_for("tessera::mpr::take_energy", Kokkos::RangePolicy<ExecSpace>(m_exec, 0, 1),
                         detail::TakeEnergy<ExecSpace>{m_chains, m_sums, c});
  }
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::set_step_control(const std::vector<double>& of_frame) {
  auto host = Kokkos::create_mirror_view(m_chains);
  Kokkos::deep_copy(m_exec, host, m_chains);
  m_exec.fence();
  for (int c = 0; c < chains(); ++c) {
    host(c).step_control = of_frame[static_cast<std::size_t>(c / m_settings.replicas)];
    host(c).tuning = 0;
  }
  Kokkos::deep_copy(m_exec, m_chains, host);
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::need_moments(Moments moments) {
  const std::size_t size = static_cast<std::size_t>(m_settings.replicas) * missing();
  if (moments != Moments::none && m_mean.extent(0) != size) m_mean = Array<Real>("tessera::mpr::mean", size);
  if (moments == Moments::variance && m_deviation.extent(0) != size) m_deviation = Array<Real>("tessera::mpr::deviation", size);
}

template <class ExecSpace, class Real>
template <class Stencil, Moments M>
void Chains<ExecSpace, Real>::sweep_tiles(int sweeps, bool relaxing, bool per_sweep, bool rao_blackwell) {
  using Sweep = detail::TileSweep<ExecSpace, Real, Stencil, M>;
  for (int colour = 0; colour < Stencil::kTileColours; ++colour) {
    Sweep::launch(m_exec,
                  Sweep{m_tiles, m_couplings, colour, Stencil::tiles(m_tiles.tiles_x, m_tiles.tiles_y), m_settings.replicas, sweeps,
                        relaxing, per_sweep, rao_blackwell, m_samples, m_state, m_chains, m_tallies, m_mean, m_deviation},
                  chains(), m_team_size);
  }
}

template <class ExecSpace, class Real>
template <bool SecondNeighbours, bool Local, Moments M>
void Chains<ExecSpace, Real>::sweep_stack(int sweeps, bool relaxing, bool rao_blackwell) {
  using Sweep = detail::StackSweep<ExecSpace, Real, SecondNeighbours, Local, M>;
  for (int s = 0; s < sweeps; ++s) {
    for (int colour = 0; colour < m_stack.colouring.colours(); ++colour) {
      Sweep::launch(m_exec,
                    Sweep{m_stack, m_couplings, colour, m_settings.replicas, s, m_chunks, relaxing, rao_blackwell,
                          m_samples + static_cast<std::uint32_t>(s), m_state, m_chains, m_tallies, m_mean, m_deviation},
                    chains());
    }
  }
}

template <class ExecSpace, class Real>
template <Moments M>
void Chains<ExecSpace, Real>::sweep(int sweeps, bool relaxing, bool per_sweep, bool rao_blackwell) {
  if (m_tiled) {
    if (!m_second) {
      sweep_tiles<detail::NearestStencil, M>(sweeps, relaxing, per_sweep, rao_blackwell);
    } else if (!m_settings.local) {
      sweep_tiles<detail::CurvatureStencil<false>, M>(sweeps, relaxing, per_sweep, rao_blackwell);
    } else {
      sweep_tiles<detail::CurvatureStencil<true>, M>(sweeps, relaxing, per_sweep, rao_blackwell);
    }
  } else if (!m_second) {
    sweep_stack<false, false, M>(sweeps, relaxing, rao_blackwell);
  } else if (!m_settings.local) {
    sweep_stack<true, false, M>(sweeps, relaxing, rao_blackwell);
  } else {
    sweep_stack<true, true, M>(sweeps, relaxing, rao_blackwell);
  }
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::batch(int sweeps, bool relaxing, bool per_sweep, const Relaxation* stops, Moments moments,
                                    bool rao_blackwell) {
  switch (moments) {
    case Moments::none:
      sweep<Moments::none>(sweeps, relaxing, per_sweep, rao_blackwell);
      break;
    case Moments::mean:
      sweep<Moments::mean>(sweeps, relaxing, per_sweep, rao_blackwell);
      break;
    case Moments::variance:
      sweep<Moments::variance>(sweeps, relaxing, per_sweep, rao_blackwell);
      break;
  }
  using Close = detail::CloseBatch<ExecSpace>;
  Close::launch(m_exec,
                Close{stops ? *stops : Relaxation(), sweeps, m_groups, relaxing, stops != nullptr, per_sweep || !m_tiled, m_updates,
                      m_chains, m_tallies, m_series},
                chains());
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::relax(int sweeps) {
  while (sweeps > 0) {
    const int now = next_load(sweeps);
    batch(now, true, false, nullptr, Moments::none, false);
    sweeps -= now;
  }
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::relax_until_settled(const Relaxation& relaxation) {
  auto host = Kokkos::create_mirror_view(m_chains);
  Kokkos::deep_copy(m_exec, host, m_chains);
  m_exec.fence();
  for (int c = 0; c < chains(); ++c) host(c).growth = relaxation.growth;
  Kokkos::deep_copy(m_exec, m_chains, host);
  const auto all_settled = [&] {
    Kokkos::deep_copy(m_exec, host, m_chains);
    m_exec.fence();
    for (int c = 0; c < chains(); ++c) {
      if (!host(c).settled) return false;
    }
    return true;
  };
  // Batches end with the sweeps at which the slope is looked at; what is launched after the last one returns at once.
  const int every = std::min(relaxation.check_every, detail::kMostSweeps);
  batch(1, true, true, &relaxation, Moments::none, false);
  for (int done = 1, looks = 0; done <= static_cast<int>(relaxation.most) + every; done += every) {
    batch(every, true, true, &relaxation, Moments::none, false);
    if (done >= relaxation.fit && ++looks % 4 == 0 && all_settled()) break;
  }
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::begin_equilibrium(double step_control) {
  Kokkos::parallel_for("tessera::mpr::begin_equilibrium", Kokkos::RangePolicy<ExecSpace>(m_exec, 0, chains()),
                       detail::BeginEquilibrium<ExecSpace>{m_chains, step_control});
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::equilibrate(int sweeps, Moments moments, bool rao_blackwell) {
  need_moments(moments);
  while (sweeps > 0) {
    const int now = next_load(sweeps);
    batch(now, false, false, nullptr, moments, rao_blackwell);
    if (moments != Moments::none) m_samples += static_cast<std::uint32_t>(now);
    sweeps -= now;
  }
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::moments(const Array<Real>& mean, const Array<Real>& variance) const {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  constexpr int team = compat::is_gpu_v<ExecSpace> ? 256 : 1;
  const Real samples = static_cast<Real>(m_samples);
  if (m_tiled) {
    Kokkos::parallel_for(
        "tessera::mpr::place_moments", Policy(m_exec, m_settings.frames * m_tiles.tiles(), team),
        detail::PlaceMoments<ExecSpace, Real, std::uint16_t>{{m_tiles}, m_settings.replicas, samples, m_mean, m_deviation, mean, variance});
  } else {
    Kokkos::parallel_for(
        "tessera::mpr::place_moments",
        Policy(m_exec, m_settings.frames * detail::EntrySites<ExecSpace, std::uint32_t>::kTeamsOfStack, team),
        detail::PlaceMoments<ExecSpace, Real, std::uint32_t>{{m_stack}, m_settings.replicas, samples, m_mean, m_deviation, mean, variance});
  }
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::angles(int replica, const Array<Real>& out) const {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  constexpr int team = compat::is_gpu_v<ExecSpace> ? 256 : 1;
  if (m_tiled) {
    Kokkos::parallel_for("tessera::mpr::place_angles", Policy(m_exec, m_settings.frames * m_tiles.tiles(), team),
                         detail::PlaceAngles<ExecSpace, Real, std::uint16_t>{{m_tiles}, m_settings.replicas, replica, m_state, out});
  } else {
    Kokkos::parallel_for("tessera::mpr::place_angles",
                         Policy(m_exec, m_settings.frames * detail::EntrySites<ExecSpace, std::uint32_t>::kTeamsOfStack, team),
                         detail::PlaceAngles<ExecSpace, Real, std::uint32_t>{{m_stack}, m_settings.replicas, replica, m_state, out});
  }
}

template <class ExecSpace, class Real>
std::vector<detail::ChainState> Chains<ExecSpace, Real>::states() const {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_chains);
  return {host.data(), host.data() + host.extent(0)};
}

template <class ExecSpace, class Real>
typename Chains<ExecSpace, Real>::History Chains<ExecSpace, Real>::history(int chain) const {
  const std::size_t first = static_cast<std::size_t>(chain) * m_series.capacity, length = states()[static_cast<std::size_t>(chain)].sweep;
  const auto part = [&](const Array<double>& values) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
    return std::vector<double>(host.data() + first, host.data() + first + length);
  };
  return {part(m_series.energy), part(m_series.acceptance), part(m_series.step_control), part(m_series.slope)};
}

namespace detail {

/// A View of numbers (or of structures of them) as a host vector, and back.
template <class T, class View>
std::vector<T> to_vector(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  const T* data = reinterpret_cast<const T*>(host.data());
  return {data, data + host.extent(0) * (sizeof(*host.data()) / sizeof(T))};
}
template <class T, class View>
void from_vector(const std::vector<T>& values, const View& view) {
  const auto host = Kokkos::create_mirror_view(view);
  if (values.size() * sizeof(T) != host.extent(0) * sizeof(*host.data())) {
    throw Error(ErrorKind::input, "the restart file does not fit this grid", "continue with the input and the data of the interrupted run");
  }
  std::copy(values.begin(), values.end(), reinterpret_cast<T*>(host.data()));
  Kokkos::deep_copy(view, host);
}

}  // namespace detail

template <class ExecSpace, class Real>
typename Chains<ExecSpace, Real>::Snapshot Chains<ExecSpace, Real>::save() const {
  m_exec.fence();
  Snapshot snapshot;
  snapshot.spins = detail::to_vector<Real>(m_state);
  snapshot.mean = detail::to_vector<Real>(m_mean);
  snapshot.deviation = detail::to_vector<Real>(m_deviation);
  const Array<double> series[] = {m_series.energy, m_series.acceptance, m_series.step_control, m_series.slope};
  for (const Array<double>& values : series) {
    const auto part = detail::to_vector<double>(values);
    snapshot.series.insert(snapshot.series.end(), part.begin(), part.end());
  }
  snapshot.chains = states();
  snapshot.samples = m_samples;
  return snapshot;
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::restore(const Snapshot& snapshot) {
  need_moments(!snapshot.deviation.empty() ? Moments::variance : !snapshot.mean.empty() ? Moments::mean : Moments::none);
  detail::from_vector(snapshot.spins, m_state);
  detail::from_vector(snapshot.mean, m_mean);
  detail::from_vector(snapshot.deviation, m_deviation);
  const std::size_t length = m_series.energy.extent(0);
  if (snapshot.series.size() != 4 * length) throw Error(ErrorKind::input, "the restart file does not fit this grid");
  std::size_t at = 0;
  const Array<double> series[] = {m_series.energy, m_series.acceptance, m_series.step_control, m_series.slope};
  for (const Array<double>& values : series) {
    detail::from_vector(std::vector<double>(snapshot.series.begin() + at, snapshot.series.begin() + at + length), values);
    at += length;
  }
  detail::from_vector(snapshot.chains, m_chains);
  m_samples = snapshot.samples;
}

}  // namespace tessera::mpr

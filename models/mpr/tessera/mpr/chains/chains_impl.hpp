// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/mpr/chains/chains.hpp"
#include "tessera/mpr/chains/tile_sweep.hpp"
#include "tessera/mpr/lattice/host_copy.hpp"
#include "tessera/mpr/lattice/missing_to_grid.hpp"

namespace tessera::mpr {

template <class ExecSpace, class Real>
double Chains<ExecSpace, Real>::memory(const ChainSettings& settings) {
  const detail::Layout layout(settings.grid);
  const double chains = static_cast<double>(settings.frames) * settings.replicas;
  const double sites = static_cast<double>(settings.grid.sites()),
               padded = static_cast<double>(layout.frame);
  const double entry = settings.grid.nz == 1 ? 2 : 4;
  return chains *
             (padded * sizeof(Rotor<Real>) + sites * 2 * sizeof(Real) + settings.sweeps * 32.0) +
         settings.frames * sites * (entry + 2.0);
}

namespace detail {

/// Returns the slab of a rank: rows of an image by whole pairs of tiles, so that colours and random
/// numbers are those of the whole image; layers of a stack by as many as are listed together, and
/// those left at the end with those before them.
inline Slab slab_of(const parallel::Communicator& ranks, int rank, const Grid& grid) {
  if (grid.nz == 1) {
    const parallel::Range rows = ranks.share_of(rank, grid.ny, 2 * Layout::kTile);
    return {static_cast<int>(rows.begin), static_cast<int>(rows.size())};
  }
  const int together = layers_together(grid), parts = std::max(1, grid.nz / together);
  const parallel::Range own = ranks.share_of(rank, parts);
  const int first = std::min(grid.nz, together * static_cast<int>(own.begin));
  const int end = own.end == parts ? grid.nz : together * static_cast<int>(own.end);
  return {first, own.size() > 0 ? end - first : 0};
}

}  // namespace detail

template <class ExecSpace, class Real>
Chains<ExecSpace, Real>::Chains(const ExecSpace& exec, const ChainSettings& settings,
                                const Array<const std::uint8_t>& status)
    : m_exec(exec),
      m_settings(settings),
      m_here(detail::slab_of(settings.slab_ranks, settings.slab_ranks.rank(), settings.grid)),
      m_layout(m_here.of(settings.grid)),
      m_tiled(settings.grid.nz == 1),
      m_second(settings.beta != 0 || settings.local),
      m_couplings{Couplings<Real>(settings.axis, settings.beta, settings.grid.dimension())},
      m_status(status) {
  const Grid& grid = settings.grid;
  if (m_layout.frame >= std::int64_t(1) << 31) {
    throw Error(ErrorKind::input,
                "a frame of " + std::to_string(grid.nx) + " x " + std::to_string(grid.ny) + " x " +
                    std::to_string(grid.nz) +
                    " sites is too large: the limit is 2^31 with its padding",
                "cut it into parts");
  }
  if (static_cast<double>(grid.sites()) * settings.frames >= 4294967296.0) {
    throw Error(ErrorKind::input, "the frames have 2^32 sites or more together",
                "process fewer of them at a time");
  }
  if (is_periodic() && (grid.nz > 1 || grid.nx < kLeastColumns))
    throw Error(ErrorKind::input,
                "sweeps know columns that go round in images of at least " +
                    std::to_string(kLeastColumns) + " columns",
                "use exact draws");
  if (shares_slabs() && settings.frames > 1)
    throw Error(ErrorKind::input, "ranks share the rows of one image, or the layers of one stack",
                "sweep frames on one device each");
  if (has_metric())
    m_rows = detail::weights_by_row<ExecSpace, Real>(exec, grid, settings.frames, settings.metrics,
                                                     {settings.axis}, settings.beta);
  if (m_tiled) {
    list_tiles();
  } else {
    list_stack();
  }
  allocate();
  count_updates();
}

/// The missing sites of images, in tiles that fit into a team's scratch memory.
template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::list_tiles() {
  constexpr bool gpu = compat::is_gpu_v<ExecSpace>;
  using Same = detail::SameWeights<Real>;
  // A tile must fit into the scratch memory of a team: what every GPU has, less 8 bytes a thread
  // that Kokkos takes. There should be a tile or two for each multiprocessor. On a CPU a tile
  // should fit into the second-level cache.
  constexpr std::size_t most_scratch = gpu ? 48 * 1024 - 8 * (256 + 2) : std::size_t(1) << 30;
  const FrameShare& share = m_settings.share;
  const double all = static_cast<double>(share.in_all(m_settings.frames)) * m_settings.replicas;
  const double large = static_cast<double>(m_settings.grid.sites()) * all / (64 * 64);
  int rows = m_settings.tile_rows.value_or(!gpu || large >= 1024 ? 64 : large >= 128 ? 32 : 16);
  for (;; rows /= 2) {
    const auto scratch = [&](std::uint32_t longest) {
      return m_second ? detail::TileSweep<ExecSpace, Real, detail::CurvatureStencil<false>,
                                          Moments::variance, Same>::scratch_bytes(rows, longest)
                      : detail::TileSweep<ExecSpace, Real, detail::NearestStencil,
                                          Moments::variance, Same>::scratch_bytes(rows, longest);
    };
    const std::size_t empty = scratch(0), entry = scratch(1) - empty;
    const std::uint32_t most = rows == 4 ? ~0u
                               : empty > most_scratch
                                   ? 0
                                   : static_cast<std::uint32_t>((most_scratch - empty) / entry);
    m_tiles = detail::list_missing<ExecSpace, std::uint16_t>(m_exec, m_settings.grid,
                                                             m_settings.frames, rows, m_second,
                                                             m_status, most, is_periodic(), m_here);
    if (largest(m_tiles.longest_tile) <= most) break;
  }
  if (const auto& part = m_settings.part) {
    m_tiles.row_numbers = static_cast<std::uint32_t>(part->whole.nx);
    m_tiles.first_number = static_cast<std::uint32_t>(part->y0) * m_tiles.row_numbers +
                           static_cast<std::uint32_t>(part->x0);
  }
  m_tiles.first_number += static_cast<std::uint32_t>(m_here.first) * m_tiles.row_numbers;
  m_team_size =
      m_settings.team_size.value_or(rows == 64 || (rows == 32 && large < 1024) ? 256 : 128);
  number_tallies(m_tiles.tiles());
  m_per_load = std::min(m_settings.sweeps_per_load.value_or(detail::sweeps_per_load(m_second)),
                        detail::kMostSweeps);
}

/// The missing sites of stacks, and the teams that share those of a colour.
template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::list_stack() {
  m_stack = detail::list_missing<ExecSpace, std::uint32_t>(
      m_exec, m_settings.grid, m_settings.frames, 1, m_second, m_status, ~0u, false, m_here);
  constexpr std::uint32_t chunk = detail::StackSweep<ExecSpace, Real, true, false, Moments::none,
                                                     detail::SameWeights<Real>>::kChunk;
  m_stack_teams =
      detail::StackTeams<ExecSpace>(m_exec, m_stack.colouring, m_settings.frames, m_stack.tiles(),
                                    download(m_exec, m_stack.begin), chunk);
  number_tallies(m_stack_teams.tallies);
  m_per_load = 1;
}

/// Tallies of a sweep: those here, of so many, stand between those of the ranks before and behind.
template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::number_tallies(int own) {
  const parallel::Communicator& ranks = m_settings.slab_ranks;
  const std::vector<int> of_rank = ranks.all_gather(std::vector<int>{own});
  const auto here = of_rank.begin() + ranks.rank();
  m_first_tally = std::accumulate(of_rank.begin(), here, 0);
  m_groups = std::accumulate(here, of_rank.end(), m_first_tally);
  if (!shares_slabs()) return;
  m_messages.emplace(m_exec, ranks);
  logging::detail("rows and tallies travel by " + m_messages->path());
  m_shared_tallies = detail::SharedTallies<ExecSpace>(of_rank, ranks.rank());
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::allocate() {
  m_state = Array<Rotor<Real>>(Kokkos::view_alloc(m_exec, "tessera::mpr::spins"),
                               static_cast<std::size_t>(chains()) * m_layout.frame);
  m_chains = Array<ChainState>(Kokkos::view_alloc(m_exec, "tessera::mpr::chains"), chains());
  m_tallies =
      Array<detail::Tally>(Kokkos::view_alloc(m_exec, "tessera::mpr::tallies"),
                           static_cast<std::size_t>(chains()) * m_groups * detail::kMostSweeps);
  m_updates = Array<double>(Kokkos::view_alloc(m_exec, "tessera::mpr::updates"), chains());
  m_series.capacity = m_settings.sweeps + 2 * detail::kMostSweeps;
  const std::size_t history = static_cast<std::size_t>(chains()) * m_series.capacity;
  m_series.energy = Array<double>(Kokkos::view_alloc(m_exec, "tessera::mpr::energy"), history);
  m_series.acceptance =
      Array<double>(Kokkos::view_alloc(m_exec, "tessera::mpr::acceptance"), history);
  m_series.step_control =
      Array<double>(Kokkos::view_alloc(m_exec, "tessera::mpr::step_control"), history);
  m_series.gradient = Array<double>(Kokkos::view_alloc(m_exec, "tessera::mpr::gradient"), history);
  m_sums =
      Kokkos::View<detail::EnergySums, ExecSpace>(Kokkos::view_alloc(m_exec, "tessera::mpr::sums"));
}

/// Missing sites of each chain, by which accepted steps are divided; 1 where there are none.
template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::count_updates() {
  const std::vector<std::uint32_t> begin =
      download(m_exec, m_tiled ? m_tiles.begin : m_stack.begin);
  const std::size_t groups =
      (begin.size() - 1) / static_cast<std::size_t>(std::max(1, m_settings.frames));
  std::vector<double> updates(static_cast<std::size_t>(chains()));
  for (int c = 0; c < chains(); ++c) {
    const std::size_t frame = static_cast<std::size_t>(c / m_settings.replicas);
    std::vector<std::uint64_t> missing{begin[(frame + 1) * groups] - begin[frame * groups]};
    m_settings.slab_ranks.sum(missing);
    updates[static_cast<std::size_t>(c)] = std::max(1.0, static_cast<double>(missing.front()));
  }
  upload_to(m_exec, updates, m_updates);
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::start(const Array<const Real>& angles,
                                    const std::vector<double>& temperatures, std::uint64_t seed,
                                    bool random, const Array<const Real>& lengths) {
  std::vector<ChainState> all(static_cast<std::size_t>(chains()));
  const std::size_t first = static_cast<std::size_t>(m_settings.share.first) *
                            static_cast<std::size_t>(m_settings.replicas);
  for (std::size_t c = 0; c < all.size(); ++c) {
    all[c].temperature = temperatures[c / static_cast<std::size_t>(m_settings.replicas)];
    all[c].key = PhiloxPair::key(seed, first + c);
  }
  upload_to(m_exec, all, m_chains);
  const Grid& grid = m_settings.grid;
  constexpr int halo = detail::Layout::kHalo;
  const int from = std::max(0, m_here.first - halo),
            end = std::min(detail::extent_of_slabs(grid), m_here.first + m_here.count + halo);
  const detail::Slab set{from, m_here.count > 0 ? end - from : 0};
  Kokkos::parallel_for(
      "tessera::mpr::set_spins",
      detail::Range<ExecSpace>(m_exec, 0, chains() * set.of(grid).sites()),
      detail::SetSpins<ExecSpace, Real>{m_layout, grid, m_here.first, set, m_settings.replicas,
                                        random, m_status, angles, lengths, m_chains, m_state});
  m_samples = 0;
  join_seam();
  exchange_slabs();
  measure_energy();
}

/// Copies, where columns go round, what the first and the last columns see of each other.
template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::join_seam() {
  if (!is_periodic()) return;
  Kokkos::parallel_for(
      "tessera::mpr::join_seam",
      detail::Range<ExecSpace>(m_exec, 0, static_cast<std::int64_t>(chains()) * m_here.count),
      detail::JoinSeam<ExecSpace, Real>{m_layout, m_state});
}

/// Exchanges, where ranks share slabs, what each sees of its neighbours.
template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::exchange_slabs() {
  if (!shares_slabs()) return;
  constexpr int halo = detail::Layout::kHalo;
  const parallel::Communicator& ranks = m_settings.slab_ranks;
  const auto size = static_cast<std::size_t>(halo * spins_of_one());
  const std::size_t all = size * static_cast<std::size_t>(chains());
  const auto at = [&](int chain, int row) {
    return m_state.data() + chain * m_layout.frame + (row + halo) * spins_of_one();
  };
  const bool is_above = m_here.count > 0 && ranks.rank() > 0;
  const bool is_below =
      m_here.count > 0 && m_here.first + m_here.count < detail::extent_of_slabs(m_settings.grid);
  std::vector<std::size_t> counts(static_cast<std::size_t>(ranks.size()), 0);
  if (is_above) counts[static_cast<std::size_t>(ranks.rank() - 1)] = all;
  if (is_below) counts[static_cast<std::size_t>(ranks.rank() + 1)] = all;
  const std::size_t below = is_above ? all : 0;
  const std::size_t total = below + (is_below ? all : 0);
  if (m_sent_spins.extent(0) < total) {
    m_sent_spins = tessera::allocate<Array<Rotor<Real>>>(m_exec, "tessera::mpr::sent_spins", total);
    m_received_spins =
        tessera::allocate<Array<Rotor<Real>>>(m_exec, "tessera::mpr::received_spins", total);
  }
  for (int c = 0; c < chains(); ++c) {
    Rotor<Real>* const to = m_sent_spins.data() + static_cast<std::size_t>(c) * size;
    if (is_above) copy(m_exec, to, at(c, 0), size);
    if (is_below) copy(m_exec, to + below, at(c, m_here.count - halo), size);
  }
  m_messages->exchange(m_sent_spins.data(), counts, m_received_spins.data(), counts);
  for (int c = 0; c < chains(); ++c) {
    const Rotor<Real>* const from = m_received_spins.data() + static_cast<std::size_t>(c) * size;
    if (is_above) copy(m_exec, at(c, -halo), from, size);
    if (is_below) copy(m_exec, at(c, m_here.count), from + below, size);
  }
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::measure_energy() {
  if (has_metric()) {
    m_tiled ? measure_energy<2>(m_rows) : measure_energy<3>(m_rows);
  } else {
    m_tiled ? measure_energy<2>(m_couplings) : measure_energy<3>(m_couplings);
  }
}

template <class ExecSpace, class Real>
template <int D, class Weights>
void Chains<ExecSpace, Real>::measure_energy(const Weights& weights) {
  for (int c = 0; c < chains(); ++c) {
    const detail::Range<ExecSpace> range(m_exec, 0, m_here.of(m_settings.grid).sites());
    const std::int64_t first = c * m_layout.frame;
    const compat::Sum<detail::EnergySums, ExecSpace> sum(m_sums);
    Kokkos::parallel_reduce("tessera::mpr::energy", range,
                            detail::Energy<ExecSpace, Real, D, Weights>{
                                m_layout, weights, m_state, first, c / m_settings.replicas,
                                m_settings.grid, m_here.first},
                            sum);
    if (shares_slabs()) {
      const detail::EnergySums all = m_settings.slab_ranks.sum(download_scalar(m_exec, m_sums));
      store(m_exec, "tessera::mpr::store_energy", m_sums.data(), all);
    }
    Kokkos::parallel_for("tessera::mpr::take_energy", Kokkos::RangePolicy<ExecSpace>(m_exec, 0, 1),
                         detail::TakeEnergy<ExecSpace>{m_chains, m_sums, c});
  }
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::set_step_control(const std::vector<double>& a) {
  std::vector<ChainState> all = states();
  for (std::size_t c = 0; c < all.size(); ++c) {
    all[c].step_control = a[c / static_cast<std::size_t>(m_settings.replicas)];
    all[c].tuning = 0;
  }
  upload_to(m_exec, all, m_chains);
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::allocate_moments(Moments moments) {
  const std::size_t size = static_cast<std::size_t>(m_settings.replicas) * missing();
  if (moments != Moments::none && m_mean.extent(0) != size)
    m_mean = Array<Real>(Kokkos::view_alloc(m_exec, "tessera::mpr::mean"), size);
  if (moments == Moments::variance && m_deviation.extent(0) != size)
    m_deviation = Array<Real>(Kokkos::view_alloc(m_exec, "tessera::mpr::deviation"), size);
}

template <class ExecSpace, class Real>
template <class Stencil, Moments M, class Weights>
void Chains<ExecSpace, Real>::sweep_tiles(const Weights& weights, int sweeps, bool burning_in,
                                          bool per_sweep, bool rao_blackwell) {
  using Sweep = detail::TileSweep<ExecSpace, Real, Stencil, M, Weights>;
  for (int colour = 0; colour < Stencil::kTileColours; ++colour) {
    Sweep::launch(m_exec,
                  Sweep{m_tiles, weights, colour, Stencil::tiles(m_tiles.tiles_x, m_tiles.tiles_y),
                        m_settings.replicas, sweeps, burning_in, per_sweep, rao_blackwell,
                        m_samples, m_state, m_chains, m_tallies, m_mean, m_deviation},
                  chains(), m_team_size);
    join_seam();
    exchange_slabs();
  }
}

template <class ExecSpace, class Real>
template <bool SecondNeighbours, bool Local, Moments M, class Weights>
void Chains<ExecSpace, Real>::sweep_stack(const Weights& weights, int sweeps, bool burning_in,
                                          bool rao_blackwell) {
  using Sweep = detail::StackSweep<ExecSpace, Real, SecondNeighbours, Local, M, Weights>;
  for (int s = 0; s < sweeps; ++s) {
    for (int colour = 0; colour < m_stack.colouring.colours(); ++colour) {
      Sweep::launch(m_exec,
                    Sweep{m_stack, weights, m_stack_teams.team, m_stack_teams.begin, colour,
                          m_stack_teams.most[static_cast<std::size_t>(colour)], m_settings.replicas,
                          s, m_first_tally, m_groups, burning_in, rao_blackwell,
                          m_samples + static_cast<std::uint32_t>(s), m_state, m_chains, m_tallies,
                          m_mean, m_deviation},
                    chains());
      exchange_slabs();
    }
  }
}

template <class ExecSpace, class Real>
template <Moments M, class Weights>
void Chains<ExecSpace, Real>::sweep(const Weights& weights, int sweeps, bool burning_in,
                                    bool per_sweep, bool rao_blackwell) {
  if (m_tiled) {
    if (m_settings.published_reflection) {
      if constexpr (Weights::kSame)
        sweep_tiles<detail::PublishedStencil, M>(weights, sweeps, burning_in, per_sweep,
                                                 rao_blackwell);
    } else if (!m_second) {
      sweep_tiles<detail::NearestStencil, M>(weights, sweeps, burning_in, per_sweep, rao_blackwell);
    } else if (!m_settings.local) {
      sweep_tiles<detail::CurvatureStencil<false>, M>(weights, sweeps, burning_in, per_sweep,
                                                      rao_blackwell);
    } else {
      sweep_tiles<detail::CurvatureStencil<true>, M>(weights, sweeps, burning_in, per_sweep,
                                                     rao_blackwell);
    }
  } else if (!m_second) {
    sweep_stack<false, false, M>(weights, sweeps, burning_in, rao_blackwell);
  } else if (!m_settings.local) {
    sweep_stack<true, false, M>(weights, sweeps, burning_in, rao_blackwell);
  } else {
    sweep_stack<true, true, M>(weights, sweeps, burning_in, rao_blackwell);
  }
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::batch(int sweeps, bool burning_in, bool per_sweep,
                                    const BurnIn* stops, Moments moments, Estimator estimator) {
  const bool rao_blackwell = estimator == Estimator::conditional_mean;
  const auto make = [&](const auto& weights) {
    switch (moments) {
      case Moments::none:
        return sweep<Moments::none>(weights, sweeps, burning_in, per_sweep, rao_blackwell);
      case Moments::mean:
        return sweep<Moments::mean>(weights, sweeps, burning_in, per_sweep, rao_blackwell);
      case Moments::variance:
        return sweep<Moments::variance>(weights, sweeps, burning_in, per_sweep, rao_blackwell);
    }
  };
  has_metric() ? make(m_rows) : make(m_couplings);
  const int reports = per_sweep || !m_tiled ? sweeps : 1;
  if (shares_slabs())
    m_shared_tallies.share(m_exec, *m_messages, m_tallies.data(), chains(), reports);
  using Close = detail::CloseBatch<ExecSpace>;
  Close::launch(m_exec,
                Close{stops ? *stops : BurnIn(), sweeps, m_groups, burning_in, stops != nullptr,
                      per_sweep || !m_tiled, m_updates, m_chains, m_tallies, m_series},
                chains());
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::burn_in(int sweeps) {
  while (sweeps > 0) {
    const int now = next_load(sweeps);
    batch(now, true, false, nullptr, Moments::none, Estimator::spin);
    stop_at_signal();
    sweeps -= now;
  }
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::burn_in_until_settled(const BurnIn& burn_in) {
  std::vector<ChainState> all = states();
  for (ChainState& chain : all) chain.growth = burn_in.growth;
  upload_to(m_exec, all, m_chains);
  const auto all_settled = [&] {
    all = states();
    return std::all_of(all.begin(), all.end(),
                       [](const ChainState& chain) { return chain.settled != 0; });
  };
  // Batches end with the sweeps after which a gradient is fitted. Chains that have settled return
  // at once from later launches.
  const int every = std::min(burn_in.check_every, detail::kMostSweeps);
  batch(1, true, true, &burn_in, Moments::none, Estimator::spin);
  for (int done = 1, looks = 0; done <= static_cast<int>(burn_in.most) + every; done += every) {
    batch(every, true, true, &burn_in, Moments::none, Estimator::spin);
    stop_at_signal();
    if (done >= burn_in.fit && ++looks % 4 == 0 && all_settled()) break;
  }
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::begin_sampling(std::optional<double> step_control) {
  Kokkos::parallel_for("tessera::mpr::begin_sampling",
                       Kokkos::RangePolicy<ExecSpace>(m_exec, 0, chains()),
                       detail::BeginSampling<ExecSpace>{m_chains, step_control.has_value(),
                                                        step_control.value_or(0)});
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::sample(int sweeps, Moments moments, Estimator estimator) {
  allocate_moments(moments);
  while (sweeps > 0) {
    const int now = next_load(sweeps);
    batch(now, false, false, nullptr, moments, estimator);
    if (moments != Moments::none) m_samples += static_cast<std::uint32_t>(now);
    sweeps -= now;
  }
}

template <class ExecSpace, class Real>
template <class Body>
void Chains<ExecSpace, Real>::for_each_missing(const char* label, const Body& body) const {
  if (m_tiled) {
    detail::for_each_missing(m_exec, label, m_tiles, body);
  } else {
    detail::for_each_missing(m_exec, label, m_stack, body);
  }
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::moments(const Array<Real>& mean, const Array<Real>& variance) const {
  for_each_missing("tessera::mpr::pool_moments",
                   detail::PoolMoments<ExecSpace, Real>{missing(), m_settings.replicas,
                                                        static_cast<Real>(m_samples), m_mean,
                                                        m_deviation, mean, variance});
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::angles(int replica, const Array<Real>& out) const {
  for_each_missing("tessera::mpr::present_angles",
                   detail::PresentAngles<ExecSpace, Real>{m_layout.frame, m_settings.replicas,
                                                          replica, m_state, out});
}

template <class ExecSpace, class Real>
std::vector<ChainState> Chains<ExecSpace, Real>::states() const {
  return download(m_exec, m_chains);
}

template <class ExecSpace, class Real>
typename Chains<ExecSpace, Real>::History Chains<ExecSpace, Real>::history(int chain) const {
  const std::size_t first = static_cast<std::size_t>(chain) * m_series.capacity,
                    length = states()[static_cast<std::size_t>(chain)].sweep;
  const auto copy = [&](const Array<double>& values) {
    const auto part =
        Kokkos::subview(values, std::pair<std::size_t, std::size_t>(first, first + length));
    return download(m_exec, part);
  };
  return {copy(m_series.energy), copy(m_series.acceptance), copy(m_series.step_control),
          copy(m_series.gradient)};
}

template <class ExecSpace, class Real>
typename Chains<ExecSpace, Real>::Snapshot Chains<ExecSpace, Real>::save() const {
  Snapshot snapshot;
  snapshot.spins = detail::to_numbers<Real>(m_exec, m_state);
  snapshot.mean = detail::to_numbers<Real>(m_exec, m_mean);
  snapshot.deviation = detail::to_numbers<Real>(m_exec, m_deviation);
  const Array<double> series[] = {m_series.energy, m_series.acceptance, m_series.step_control,
                                  m_series.gradient};
  for (const Array<double>& values : series) {
    const auto numbers = detail::to_numbers<double>(m_exec, values);
    snapshot.series.insert(snapshot.series.end(), numbers.begin(), numbers.end());
  }
  snapshot.chains = states();
  snapshot.samples = m_samples;
  return snapshot;
}

/// Rows or layers of the padded frame: those here, the first rank's with the border above, the last
/// one's with all that is below.
template <class ExecSpace, class Real>
std::vector<Real> Chains<ExecSpace, Real>::own_spins(const std::vector<Real>& here) const {
  constexpr std::size_t kPerSpin = sizeof(Rotor<Real>) / sizeof(Real);
  constexpr int halo = detail::Layout::kHalo;
  const std::size_t row = kPerSpin * static_cast<std::size_t>(spins_of_one()),
                    frame = kPerSpin * static_cast<std::size_t>(m_layout.frame);
  const bool is_last =
      m_here.count > 0 && m_here.first + m_here.count == detail::extent_of_slabs(m_settings.grid);
  const std::size_t begin = m_here.first == 0 ? 0 : halo * row;
  const std::size_t end = is_last ? frame : (static_cast<std::size_t>(m_here.count) + halo) * row;
  std::vector<Real> own;
  for (int c = 0; c < chains() && m_here.count > 0; ++c) {
    const auto of_chain =
        here.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(c) * frame);
    own.insert(own.end(), of_chain + static_cast<std::ptrdiff_t>(begin),
               of_chain + static_cast<std::ptrdiff_t>(end));
  }
  return own;
}

template <class ExecSpace, class Real>
std::vector<Real> Chains<ExecSpace, Real>::spins_here(const std::vector<Real>& of_all) const {
  constexpr std::size_t kPerSpin = sizeof(Rotor<Real>) / sizeof(Real);
  const std::size_t row = kPerSpin * static_cast<std::size_t>(spins_of_one()),
                    frame = kPerSpin * static_cast<std::size_t>(m_layout.frame);
  const std::size_t whole =
      kPerSpin * static_cast<std::size_t>(detail::Layout(m_settings.grid).frame);
  if (of_all.size() != whole * static_cast<std::size_t>(chains())) return {};
  // a rank without a slab reads anything
  const std::size_t first = std::min(static_cast<std::size_t>(m_here.first) * row, whole - frame);
  std::vector<Real> here;
  for (int c = 0; c < chains(); ++c) {
    const auto from =
        of_all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(c) * whole + first);
    here.insert(here.end(), from, from + static_cast<std::ptrdiff_t>(frame));
  }
  return here;
}

template <class ExecSpace, class Real>
bool Chains<ExecSpace, Real>::fits(const Snapshot& snapshot, int more_sweeps) const {
  constexpr std::size_t kPerSpin = sizeof(Rotor<Real>) / sizeof(Real);
  const std::size_t sites = static_cast<std::size_t>(m_settings.replicas) * missing();
  const auto is_moment = [&](const std::vector<Real>& values) {
    return values.empty() || values.size() == sites;
  };
  const auto has_room = [&](const ChainState& chain) {
    return std::uint64_t{chain.sweep} + static_cast<std::uint64_t>(more_sweeps) <=
           static_cast<std::uint64_t>(m_series.capacity);
  };
  return snapshot.spins.size() == kPerSpin * m_state.extent(0) && is_moment(snapshot.mean) &&
         is_moment(snapshot.deviation) && (snapshot.deviation.empty() || !snapshot.mean.empty()) &&
         snapshot.series.size() == 4 * m_series.energy.extent(0) &&
         snapshot.chains.size() == m_chains.extent(0) &&
         std::all_of(snapshot.chains.begin(), snapshot.chains.end(), has_room);
}

template <class ExecSpace, class Real>
void Chains<ExecSpace, Real>::restore(const Snapshot& snapshot) {
  if (!fits(snapshot))
    throw Error(ErrorKind::input, "the state is of other chains",
                "restore it to chains of the same settings");
  allocate_moments(!snapshot.deviation.empty() ? Moments::variance
                   : !snapshot.mean.empty()    ? Moments::mean
                                               : Moments::none);
  detail::from_numbers(m_exec, snapshot.spins, m_state);
  detail::from_numbers(m_exec, snapshot.mean, m_mean);
  detail::from_numbers(m_exec, snapshot.deviation, m_deviation);
  const std::size_t length = m_series.energy.extent(0);
  std::size_t at = 0;
  const Array<double> series[] = {m_series.energy, m_series.acceptance, m_series.step_control,
                                  m_series.gradient};
  for (const Array<double>& values : series) {
    detail::from_numbers(
        m_exec,
        std::vector<double>(snapshot.series.begin() + at, snapshot.series.begin() + at + length),
        values);
    at += length;
  }
  detail::from_numbers(m_exec, snapshot.chains, m_chains);
  m_samples = snapshot.samples;
}

}  // namespace tessera::mpr

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/mpr/chains/site_update.hpp"
#include "tessera/mpr/lattice/couplings.hpp"
#include "tessera/mpr/lattice/missing.hpp"
#include "tessera/mpr/lattice/row_weights.hpp"

/// Sweeps over images. A team loads a tile and its halo into scratch memory, does several sweeps
/// over the missing sites of the tile with the halo fixed, and stores the tile. Tiles whose halos
/// overlap have different colours and run in different launches, so that every update draws from
/// the Gibbs law given all other sites; only the order of the updates differs from that of plain
/// sweeps.

namespace tessera::mpr::detail {

/// Next neighbours: two colours of tiles and two of sites. Scratch memory holds the sites of one
/// colour after those of the other, so that sites which are updated together are next to each
/// other.
struct NearestStencil {
  static constexpr bool kSecondNeighbours = false;
  static constexpr bool kLocal = false;
  static constexpr bool kPublished = false;
  static constexpr int kHalo = 1, kColours = 2, kTileColours = 2;
  static constexpr int kPitch = Layout::kTile / 2 + 2;

  KOKKOS_FORCEINLINE_FUNCTION static int slots(int rows) { return 2 * (rows + 2) * kPitch; }

  /// Slot of (row, column), which begin with -1 in the halo.
  KOKKOS_FORCEINLINE_FUNCTION static int slot(int rows, int row, int column) {
    return ((row + column) & 1) * (rows + 2) * kPitch + (row + 1) * kPitch + ((column + 2) >> 1);
  }

  /// Returns the slot of a site whose colour is known.
  KOKKOS_FORCEINLINE_FUNCTION static int slot_in(int colour, int rows, int row, int column) {
    return colour * (rows + 2) * kPitch + (row + 1) * kPitch + ((column + 2) >> 1);
  }

  /// c: Couplings, or RowsAround the site.
  template <class Real, class Near>
  KOKKOS_FORCEINLINE_FUNCTION static Rotor<Real> field(const Rotor<Real>* v, int colour, int rows,
                                                       int column, int slot, bool, const Near& c) {
    // the same pair of columns in the other colour
    const int other = slot + (1 - 2 * colour) * (rows + 2) * kPitch;
    Rotor<Real> h{0, 0};
    add_pair(h, c, 0, v[other], v[other + 2 * (column & 1) - 1]);
    add_pair(h, c, 1, v[other - kPitch], v[other + kPitch]);
    return h;
  }

  KOKKOS_INLINE_FUNCTION static bool tile(int index, int colour, int tiles_x, int tiles_y, int& tx,
                                          int& ty) {
    const int half = (tiles_x + 1) / 2;
    ty = index / half;
    tx = 2 * (index % half) + ((ty + colour) & 1);
    return tx < tiles_x && ty < tiles_y;
  }
  static int tiles(int tiles_x, int tiles_y) { return (tiles_x + 1) / 2 * tiles_y; }
};

/// Next neighbours with the paper's over-relaxation.
struct PublishedStencil : NearestStencil {
  static constexpr bool kPublished = true;

  /// The sum of the neighbours at twice their angles.
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION static Rotor<Real> doubled_field(const Rotor<Real>* v, int colour,
                                                               int rows, int column, int slot) {
    const int other = slot + (1 - 2 * colour) * (rows + 2) * kPitch;
    const Rotor<Real> same = doubled(v[other]), next = doubled(v[other + 2 * (column & 1) - 1]),
                      above = doubled(v[other - kPitch]), below = doubled(v[other + kPitch]);
    return {same.x + next.x + above.x + below.x, same.y + next.y + above.y + below.y};
  }
};

/// Second neighbours: four colours of tiles and five of sites. Scratch memory holds row after row:
/// sites of a colour are five apart, so that threads of a warp use different banks. Local: spins
/// have the length b of their site, and the energy is
/// - sum over pairs of w_ij b_i b_j cos(theta_i - theta_j).
template <bool Local>
struct CurvatureStencil {
  static constexpr bool kSecondNeighbours = true;
  static constexpr bool kLocal = Local;
  static constexpr bool kPublished = false;
  static constexpr int kHalo = 2, kColours = 5, kTileColours = 4;
  static constexpr int kPitch = Layout::kTile + 4;

  KOKKOS_FORCEINLINE_FUNCTION static int slots(int rows) { return (rows + 4) * kPitch; }
  KOKKOS_FORCEINLINE_FUNCTION static int slot(int, int row, int column) {
    return (row + 2) * kPitch + column + 2;
  }

  KOKKOS_FORCEINLINE_FUNCTION static int slot_in(int, int rows, int row, int column) {
    return slot(rows, row, column);
  }

  template <class Real, class Near>
  KOKKOS_FORCEINLINE_FUNCTION static Rotor<Real> field(const Rotor<Real>* v, int, int, int,
                                                       int slot, bool regular, const Near& c) {
    const Steps step{kPitch, 0};
    return regular ? curvature_field<2>(v, slot, step, c)
                   : curvature_field_at_edge<2>(v, slot, step, c);
  }

  KOKKOS_INLINE_FUNCTION static bool tile(int index, int colour, int tiles_x, int tiles_y, int& tx,
                                          int& ty) {
    const int half = (tiles_x + 1) / 2;
    tx = 2 * (index % half) + (colour & 1);
    ty = 2 * (index / half) + (colour >> 1);
    return tx < tiles_x && ty < tiles_y;
  }
  static int tiles(int tiles_x, int tiles_y) { return (tiles_x + 1) / 2 * ((tiles_y + 1) / 2); }
};

/// The tiles of one colour of all chains, a team for each. Weights: SameWeights or WeightsByRow. A
/// functor over teams.
template <class ExecSpace, class Real, class Stencil, Moments M, class Weights>
struct TileSweep {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  static constexpr bool kGpu = compat::is_gpu_v<ExecSpace>;
  // level 0 of a CPU has only 32 KiB; used as +kScratchLevel, for nvcc keeps no address
  static constexpr int kScratchLevel = kGpu ? 0 : 1;

  MissingList<ExecSpace, std::uint16_t> list;
  Weights weights;
  int tile_colour, tiles_of_colour, replicas, sweeps;
  bool burning_in, per_sweep, rao_blackwell;
  std::uint32_t samples_before;
  Array<ExecSpace, Rotor<Real>> state;
  Array<ExecSpace, const ChainState> chains;
  Array<ExecSpace, Tally> tallies;  // [chain][sweep][tile]
  // [replica][entry]: mean angle, sum of squared deviations
  Array<ExecSpace, Real> mean, deviation;

  KOKKOS_INLINE_FUNCTION static std::size_t scratch_bytes(int rows, std::uint32_t longest) {
    const std::size_t accumulators = M == Moments::variance ? 2 : M == Moments::mean ? 1 : 0;
    return Stencil::slots(rows) * sizeof(Rotor<Real>) +
           longest * (accumulators * sizeof(Real) + (kGpu ? sizeof(std::uint16_t) : 0)) + 64;
  }

  static void launch(const ExecSpace& exec, const TileSweep& sweep, int chains_count,
                     int team_size) {
    Policy policy(exec, chains_count * sweep.tiles_of_colour, kGpu ? team_size : 1);
    policy.set_scratch_size(kScratchLevel, Kokkos::PerTeam(static_cast<int>(scratch_bytes(
                                               sweep.list.tile_rows, sweep.list.longest_tile))));
    Kokkos::parallel_for("tessera::mpr::sweep_tiles", policy, sweep);
  }

  /// The tile of a team.
  struct Tile {
    Rotor<Real>* v;
    const std::uint16_t* entries;
    // The moments of this load: mean (Moments::mean: sum) of the angles, sum of squared deviations
    // and conditional variances
    Real *mean, *squares;
    std::uint32_t site;  // number of its first site
    int rows;
    int first_row;  // of all rows that have weights
  };

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const int chain = team.league_rank() / tiles_of_colour;
    int tx, ty;
    if (!Stencil::tile(team.league_rank() % tiles_of_colour, tile_colour, list.tiles_x,
                       list.tiles_y, tx, ty))
      return;
    const ChainState now = chains(chain);
    if (burning_in && now.settled) return;
    const int frame = chain / replicas, rows = list.tile_rows, tile_index = ty * list.tiles_x + tx;
    const int segments = list.colouring.segments();
    const std::size_t group =
        (static_cast<std::size_t>(frame) * list.tiles() + tile_index) * segments;
    const std::uint32_t first = list.begin(group), count = list.begin(group + segments) - first;
    const std::size_t tally = static_cast<std::size_t>(chain) * kMostSweeps * list.all_tiles +
                              list.first_tile + tile_index;
    if (count == 0) return;

    Tile tile;
    tile.rows = rows;
    char* memory =
        static_cast<char*>(team.team_scratch(+kScratchLevel)
                               .get_shmem_aligned(scratch_bytes(rows, list.longest_tile) - 32, 16));
    tile.v = reinterpret_cast<Rotor<Real>*>(memory);
    Real* reals = reinterpret_cast<Real*>(tile.v + Stencil::slots(rows));
    tile.mean = reals;
    tile.squares = reals + list.longest_tile;
    const int x0 = Weights::kSame ? tx * Layout::kTile : list.columns.first(tx), y0 = ty * rows;
    Rotor<Real>* const origin = state.data() + static_cast<std::size_t>(chain) * list.layout.frame +
                                list.layout.index(x0, y0, 0);
    load(team, origin, tile.v, rows, Weights::kSame ? Layout::kTile : list.columns.width(tx));
    if constexpr (kGpu) {
      constexpr int accumulators = M == Moments::variance ? 2 : M == Moments::mean ? 1 : 0;
      std::uint16_t* copy =
          reinterpret_cast<std::uint16_t*>(reals + accumulators * list.longest_tile);
      for (std::uint32_t j = team.team_rank(); j < count; j += team.team_size())
        copy[j] = list.entries(first + j);
      tile.entries = copy;
    } else {
      tile.entries = list.entries.data() + first;
    }
    SweepContext<Real> context = make_context<Real>(now);
    tile.first_row = frame * (list.grid.ny + 2 * Layout::kHalo) + Layout::kHalo + list.first + y0;
    tile.site = list.first_number + static_cast<std::uint32_t>(y0) * list.row_numbers +
                static_cast<std::uint32_t>(x0);
    for (std::uint32_t j = team.team_rank(); j < count; j += team.team_size()) {
      if constexpr (M != Moments::none) tile.mean[j] = 0;
      if constexpr (M == Moments::variance) tile.squares[j] = 0;
    }
    team.team_barrier();

    double energy = 0;
    int accepted = 0;
    for (int s = 0; s < sweeps; ++s) {
      context.sweep = now.sweep + static_cast<std::uint32_t>(s);
      context.proposal.reach = static_cast<Real>(kPi / now.step_control_at(s, burning_in));
      const Real share = Real(1) / static_cast<Real>(s + 1), weight = Real(1) - share;
      for (int colour = 0; colour < Stencil::kColours; ++colour) {
        constexpr int classes = Stencil::kSecondNeighbours ? 2 : 1;
        const std::size_t segment = group + static_cast<std::size_t>(classes * colour);
        const std::uint32_t begin = list.begin(segment) - first,
                            end = list.begin(segment + 1) - first;
        update_sites<kGpu, Stencil::kLocal, Stencil::kPublished, M>(
            context, rao_blackwell, Access<true>{*this, tile, colour, share, weight}, begin, end,
            team.team_rank(), team.team_size(), energy, accepted);
        if constexpr (classes == 2) {
          update_sites<kGpu, Stencil::kLocal, Stencil::kPublished, M>(
              context, rao_blackwell, Access<false>{*this, tile, colour, share, weight}, end,
              list.begin(segment + 2) - first, team.team_rank(), team.team_size(), energy,
              accepted);
        }
        team.team_barrier();
      }
      if (per_sweep)
        report(team, tallies(tally + static_cast<std::size_t>(s) * list.all_tiles), energy,
               accepted);
    }
    if (!per_sweep) report(team, tallies(tally), energy, accepted);
    store(team, origin, tile, count, chain % replicas, first);
  }

  KOKKOS_INLINE_FUNCTION void load(const Member& team, const Rotor<Real>* origin, Rotor<Real>* v,
                                   int rows, int columns) const {
    constexpr int h = Stencil::kHalo;
    const int width = (Weights::kSame ? Layout::kTile : columns) + 2 * h;
    for (int q = team.team_rank(); q < (rows + 2 * h) * width; q += team.team_size()) {
      const int row = q / width - h, column = q % width - h;
      v[Stencil::slot(rows, row, column)] = origin[row * list.layout.pitch + column];
    }
  }

  /// Reads the spins and fields of a segment from scratch memory, and writes spins and moments
  /// there.
  template <bool Regular>
  struct Access {
    const TileSweep& all;
    const Tile& tile;
    int colour;
    Real share, weight;  // 1 / k and (k - 1) / k in the k-th sweep of a load

    KOKKOS_FORCEINLINE_FUNCTION void gather(std::uint32_t j, SiteUpdate<Real>& s) const {
      const unsigned entry = tile.entries[j];
      const int row = static_cast<int>(entry / Layout::kTile),
                column = static_cast<int>(entry % Layout::kTile);
      s.slot = Stencil::slot_in(colour, tile.rows, row, column);
      s.spin = tile.v[s.slot];
      s.field = Stencil::field(tile.v, colour, tile.rows, column, s.slot, Regular,
                               all.weights.at(tile.first_row + row));
      if constexpr (Stencil::kPublished)
        s.doubled = Stencil::doubled_field(tile.v, colour, tile.rows, column, s.slot);
      s.site = tile.site + static_cast<std::uint32_t>(row) * all.list.row_numbers +
               static_cast<std::uint32_t>(column);
    }

    KOKKOS_FORCEINLINE_FUNCTION void scatter(std::uint32_t j, const SiteUpdate<Real>& s) const {
      tile.v[s.slot] = s.spin;
      if constexpr (M == Moments::mean) {
        tile.mean[j] += s.angle;
      } else if constexpr (M == Moments::variance) {  // Welford
        const Real before = tile.mean[j], gap = s.angle - before;
        tile.mean[j] = before + gap * share;
        tile.squares[j] += gap * gap * weight + s.variance;
      }
    }
  };

  KOKKOS_INLINE_FUNCTION static void report(const Member& team, Tally& tally, double& energy,
                                            int& accepted) {
    team.team_reduce(Kokkos::Sum<double>(energy));
    team.team_reduce(Kokkos::Sum<int>(accepted));
    if (team.team_rank() == 0) tally = {energy, static_cast<std::uint32_t>(accepted)};
    energy = 0;
    accepted = 0;
  }

  KOKKOS_INLINE_FUNCTION void store(const Member& team, Rotor<Real>* origin, const Tile& tile,
                                    std::uint32_t count, int replica, std::uint32_t first) const {
    const std::size_t base = static_cast<std::size_t>(replica) * list.count + first;
    const Real n = static_cast<Real>(sweeps), before = static_cast<Real>(samples_before);
    for (std::uint32_t j = team.team_rank(); j < count; j += team.team_size()) {
      const unsigned entry = tile.entries[j];
      const int row = static_cast<int>(entry / Layout::kTile),
                column = static_cast<int>(entry % Layout::kTile);
      origin[row * list.layout.pitch + column] = tile.v[Stencil::slot(tile.rows, row, column)];
      if constexpr (M == Moments::mean) {
        mean(base + j) += (tile.mean[j] / n - mean(base + j)) * (n / (before + n));
      } else if constexpr (
          M ==
          Moments::variance) {  // Chan, Golub, LeVeque: pooling of means and squared deviations
        const Real gap = tile.mean[j] - mean(base + j);
        mean(base + j) += gap * (n / (before + n));
        deviation(base + j) += tile.squares[j] + gap * gap * (n * before / (before + n));
      }
    }
  }
};

}  // namespace tessera::mpr::detail

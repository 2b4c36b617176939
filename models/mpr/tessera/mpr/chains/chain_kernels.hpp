// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/exact_sum.hpp"
#include "tessera/core/random.hpp"
#include "tessera/mpr/chains/close_batch.hpp"
#include "tessera/mpr/lattice/couplings.hpp"
#include "tessera/mpr/lattice/missing.hpp"
#include "tessera/mpr/lattice/row_weights.hpp"

/// Kernels of a chain besides its sweeps: initial spins, energy and the start of sampling.

namespace tessera::mpr::detail {

/// Initial spins: active sites at their angles, or with `random` missing sites anywhere in [0, pi].
/// A functor over the sites of all chains, or of a slab of one frame: those that the layout has,
/// and those of others that they see.
template <class ExecSpace, class Real>
struct SetSpins {
  Layout layout;
  Grid grid;  ///< of the frames
  int first;  ///< row or layer of the layout, in a frame
  Slab set;   ///< rows or layers that are set
  int replicas;
  bool random;
  Array<ExecSpace, const std::uint8_t> status;
  // [frame][site]; may be empty where random and nothing is a sample
  Array<ExecSpace, const Real> angles;
  Array<ExecSpace, const Real> lengths;  // [frame][site]; empty: 1
  Array<ExecSpace, const ChainState> chains;
  Array<ExecSpace, Rotor<Real>> state;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const Grid box = set.of(grid);
    const std::int64_t sites = grid.sites(), chain = i / box.sites();
    const Position at = box.position(i % box.sites());
    const int down = grid.nz == 1 ? set.first : 0, deep = grid.nz == 1 ? 0 : set.first,
              z = static_cast<int>(at.z);
    const std::int64_t site = grid.site(at.x, at.y + down, z + deep),
                       from = chain / replicas * sites + site;
    Rotor<Real> spin{0, 0};
    const std::uint8_t kind = status(from);
    if (kind != kInactive) {
      Real angle;
      if (kind == kMissing && random) {
        // no sweep has this number
        const auto bits = PhiloxPair(chains(chain).key).bits(static_cast<std::uint32_t>(site), ~0u);
        angle = PhiloxPair::uniform<Real>(bits.word[0]) * static_cast<Real>(kPi);
      } else {
        angle = angles(from);
      }
      const Real length = lengths.extent(0) > 0 ? lengths(from) : Real(1);
      const Real sine = compat::math::sin(angle);
      spin = {length * compat::math::cos(angle), length * (sine > Real(0) ? sine : Real(0))};
    }
    const int here = set.first - first;  // in the layout
    state(chain * layout.frame + layout.index(at.x, at.y + (grid.nz == 1 ? here : 0),
                                              z + (grid.nz == 1 ? 0 : here))) = spin;
  }
};

/// Repeats, where columns go round, the last columns before the first one and the first ones behind
/// the last. A functor over the rows of all chains.
template <class ExecSpace, class Real>
struct JoinSeam {
  Layout layout;
  Array<ExecSpace, Rotor<Real>> state;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t chain = row / layout.grid.ny;
    Rotor<Real>* v = state.data() + chain * layout.frame +
                     layout.index(0, static_cast<int>(row % layout.grid.ny), 0);
    for (int k = 0; k < Layout::kHalo; ++k) {
      v[-1 - k] = v[layout.grid.nx - 1 - k];
      v[layout.grid.nx + k] = v[k];
    }
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

/// Weights: SameWeights or WeightsByRow.
template <class ExecSpace, class Real, int D, class Weights>
struct Energy {
  using value_type = EnergySums;
  Layout layout;
  Weights weights;
  Array<ExecSpace, const Rotor<Real>> state;
  std::int64_t first;
  int frame;
  Grid grid;       ///< of a frame
  int first_here;  ///< row or layer of the layout, in a frame

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site, EnergySums& sums) const {
    const Rotor<Real>* v = state.data() + first;
    const Position at = layout.grid.position(site);
    const int i = layout.index(at.x, at.y, static_cast<int>(at.z));
    if (!is_active(v[i])) return;
    const Steps step{layout.pitch, layout.plane};
    const int rows = grid.ny + 2 * Layout::kHalo, depth = D == 3 ? grid.nz + 2 * Layout::kHalo : 1;
    const int layer = D == 3 ? first_here + static_cast<int>(at.z) + Layout::kHalo : 0,
              row = D == 3 ? at.y : first_here + at.y;
    const auto& near = weights.at((frame * depth + layer) * rows + row + Layout::kHalo);
    const Rotor<Real> h = near.beta == Real(0) ? nearest_field<D>(v, i, step, near)
                                               : curvature_field_at_edge<D>(v, i, step, near);
    sums.energy.add(-0.5 * static_cast<double>(dot(v[i], h)));
    sums.weight.add(0.5 * diagonal_of<D>(v, i, step, near));
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
struct BeginSampling {
  Array<ExecSpace, ChainState> chains;
  bool has_step_control;
  double step_control;
  KOKKOS_INLINE_FUNCTION void operator()(int chain) const {
    ChainState& now = chains(chain);
    now.settled = 1;
    now.tuning = 0;
    if (has_step_control) now.step_control = step_control;
  }
};

}  // namespace tessera::mpr::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/random.hpp"
#include "tessera/mpr/chains/close_batch.hpp"
#include "tessera/mpr/lattice/rotator.hpp"

/// The update of a site in three steps: gather the spin and its field, update, scatter the spin and
/// what is averaged. A CPU does the second, which is arithmetic only, for 64 sites at once.

namespace tessera::mpr::detail {

/// Parameters of a sweep.
template <class Real>
struct SweepContext {
  Proposal<Real> proposal;
  Real temperature;
  std::uint32_t sweep, key;
};

template <class Real>
KOKKOS_INLINE_FUNCTION SweepContext<Real> make_context(const ChainState& chain) {
  SweepContext<Real> context;
  context.temperature = static_cast<Real>(chain.temperature);
  context.proposal.inverse_temperature =
      static_cast<Real>(1.44269504088896340736 / chain.temperature);
  context.proposal.reach = static_cast<Real>(kPi);
  context.sweep = chain.sweep;
  context.key = chain.key;
  return context;
}

/// Input: the spin (of length b with local temperatures), its field and its number. Output: the new
/// spin, the change of energy, whether the step was accepted (0 or 1), the angle to be averaged and
/// its conditional variance.
template <class Real>
struct SiteUpdate {
  Rotor<Real> spin, field;
  std::uint32_t site;
  int slot;             // of the spin in the array it came from and goes to
  Rotor<Real> doubled;  // the sum of its neighbours at twice their angles; where Published
  Real energy;
  int accepted;
  Real angle, variance;
};

/// Published: the over-relaxation is the paper's Eq. 6, whose change of energy counts. Conditional:
/// the angle is the conditional mean given the neighbours (Rao-Blackwell), not that of the spin.
template <bool Local, bool Published, Moments M, bool Conditional, class Real>
KOKKOS_FORCEINLINE_FUNCTION void update_site(const SweepContext<Real>& context,
                                             SiteUpdate<Real>& s) {
  const PhiloxPair::Bits bits = PhiloxPair(context.key).bits(s.site, context.sweep);
  Real length = 1;
  if constexpr (Local) {
    const Real square = dot(s.spin, s.spin), inverse = reciprocal_root(square);
    length = square * inverse;
    s.spin.x *= inverse;
    s.spin.y *= inverse;
    s.field.x *= length;
    s.field.y *= length;
  }
  const Real u = PhiloxPair::uniform<Real>(bits.word[0]),
             v = PhiloxPair::uniform<Real>(bits.word[1]);
  const Rotor<Real> from =
      Published ? over_relaxed_as_published(s.spin, s.doubled) : over_relaxed(s.spin, s.field);
  const Rotor<Real> spin = metropolis(from, s.field, context.proposal, u, v, s.energy, s.accepted);
  if constexpr (Published)
    s.energy -= s.field.x * (from.x - s.spin.x) + s.field.y * (from.y - s.spin.y);
  if constexpr (M != Moments::none) {
    s.angle = angle(Conditional ? s.field : spin);
    if constexpr (M == Moments::variance) {
      s.variance =
          Conditional ? context.temperature * reciprocal_root(dot(s.field, s.field)) : Real(0);
    }
  }
  s.spin.x = length * spin.x;
  s.spin.y = length * spin.y;
}

/// update_site for `count` <= kLanes sites, in arrays.
template <class Real>
struct SiteLanes {
  static constexpr int kLanes = 64;
  Real spin_x[kLanes], spin_y[kLanes], field_x[kLanes], field_y[kLanes], energy[kLanes],
      angle[kLanes], variance[kLanes], doubled_x[kLanes], doubled_y[kLanes];
  std::uint32_t site[kLanes];
  int slot[kLanes], accepted[kLanes];

  template <bool Local, bool Published, Moments M, bool Conditional>
  void update(const SweepContext<Real>& context, int count) {
#pragma omp simd
    for (int k = 0; k < count; ++k) update_one<Local, Published, M, Conditional>(context, k);
  }

  /// A function of its own: g++ keeps structures of a simd loop's body in memory, those of a
  /// function that it inlines in registers.
  template <bool Local, bool Published, Moments M, bool Conditional>
  KOKKOS_FORCEINLINE_FUNCTION void update_one(const SweepContext<Real>& context, int k) {
    SiteUpdate<Real> s;
    s.spin.x = spin_x[k];
    s.spin.y = spin_y[k];
    s.field.x = field_x[k];
    s.field.y = field_y[k];
    s.site = site[k];
    if constexpr (Published) s.doubled = {doubled_x[k], doubled_y[k]};
    update_site<Local, Published, M, Conditional>(context, s);
    spin_x[k] = s.spin.x;
    spin_y[k] = s.spin.y;
    energy[k] = s.energy;
    accepted[k] = s.accepted;
    if constexpr (M != Moments::none) angle[k] = s.angle;
    if constexpr (M == Moments::variance) variance[k] = s.variance;
  }

  /// Adds up energies and acceptances.
  void tally(int count, double& energy_sum, int& accepted_sum) const {
    double sum = 0;
    int taken = 0;
    for (int k = 0; k < count; ++k) {
      sum += static_cast<double>(energy[k]);
      taken += accepted[k];
    }
    energy_sum += sum;
    accepted_sum += taken;
  }
};

/// Updates the sites begin ... end - 1 of a list. access.gather(j, update) sets spin, field, number
/// and slot; access.scatter(j, update) takes the results. On a GPU thread `rank` of `size` does
/// every size-th site.
template <bool Gpu, bool Local, bool Published, Moments M, bool Conditional, class Real,
          class Access>
KOKKOS_FORCEINLINE_FUNCTION void update_list(const SweepContext<Real>& context,
                                             const Access& access, std::uint32_t begin,
                                             std::uint32_t end, int rank, int size, double& energy,
                                             int& accepted) {
  if constexpr (Gpu) {
    Real change = 0;
    for (std::uint32_t j = begin + rank; j < end; j += size) {
      SiteUpdate<Real> s;
      access.gather(j, s);
      update_site<Local, Published, M, Conditional>(context, s);
      access.scatter(j, s);
      change += s.energy;
      accepted += s.accepted;
    }
    energy += static_cast<double>(change);
  } else {
    static_cast<void>(rank);
    static_cast<void>(size);
    SiteLanes<Real> lanes;
    for (std::uint32_t block = begin; block < end; block += SiteLanes<Real>::kLanes) {
      const int count = static_cast<int>(
          compat::min(end - block, static_cast<std::uint32_t>(SiteLanes<Real>::kLanes)));
      for (int k = 0; k < count; ++k) {
        SiteUpdate<Real> s;
        access.gather(block + k, s);
        lanes.spin_x[k] = s.spin.x;
        lanes.spin_y[k] = s.spin.y;
        lanes.field_x[k] = s.field.x;
        lanes.field_y[k] = s.field.y;
        lanes.site[k] = s.site;
        lanes.slot[k] = s.slot;
        if constexpr (Published) {
          lanes.doubled_x[k] = s.doubled.x;
          lanes.doubled_y[k] = s.doubled.y;
        }
      }
      lanes.template update<Local, Published, M, Conditional>(context, count);
      for (int k = 0; k < count; ++k) {
        SiteUpdate<Real> s;
        s.spin = {lanes.spin_x[k], lanes.spin_y[k]};
        s.slot = lanes.slot[k];
        if constexpr (M != Moments::none) s.angle = lanes.angle[k];
        if constexpr (M == Moments::variance) s.variance = lanes.variance[k];
        access.scatter(block + k, s);
      }
      lanes.tally(count, energy, accepted);
    }
  }
}

/// update_list with the estimator chosen outside of the loop, which g++ does not vectorise
/// otherwise.
template <bool Gpu, bool Local, bool Published, Moments M, class Real, class Access>
KOKKOS_FORCEINLINE_FUNCTION void update_sites(const SweepContext<Real>& context, bool rao_blackwell,
                                              const Access& access, std::uint32_t begin,
                                              std::uint32_t end, int rank, int size, double& energy,
                                              int& accepted) {
  if constexpr (M == Moments::none) {
    update_list<Gpu, Local, Published, M, false>(context, access, begin, end, rank, size, energy,
                                                 accepted);
  } else if (rao_blackwell) {
    update_list<Gpu, Local, Published, M, true>(context, access, begin, end, rank, size, energy,
                                                accepted);
  } else {
    update_list<Gpu, Local, Published, M, false>(context, access, begin, end, rank, size, energy,
                                                 accepted);
  }
}

}  // namespace tessera::mpr::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/mpr/chains/chain_state.hpp"

/// The end of a batch of sweeps: the tallies of its teams are added to the state and the history of
/// each chain. All of it stays on the device, so that the host need not wait for each sweep.

namespace tessera::mpr::detail {

inline constexpr int kMostSweeps = 16;  ///< sweeps of a batch

/// Sweeps of a tile while its halo is fixed. More of them need fewer loads and mix worse: 13
/// instead of 10 leave 2 % more error of sampling in the mean with next neighbours (96 x 96 sites,
/// tiles of 32 rows), and 0.1 to 0.7 % more error of the fill with second ones (terrain).
constexpr int sweeps_per_load(bool second_neighbours) { return second_neighbours ? 10 : 13; }

/// The count of one team over one sweep, or over all sweeps of a batch.
struct Tally {
  double energy = 0;           ///< change of H
  std::uint32_t accepted = 0;  ///< accepted Metropolis steps
  std::uint32_t pad = 0;
};

/// The history of all chains, [chain][sweep].
template <class ExecSpace>
struct Series {
  using Values = Kokkos::View<double*, ExecSpace>;
  int capacity = 0;  ///< sweeps of a chain
  /// e, accepted fraction, a, change of e a sweep (NaN where not fitted)
  Values energy, acceptance, step_control, gradient;
};

/// Energies, acceptance and step control of each chain after a batch, and whether its burn-in is
/// over. A functor over teams.
template <class ExecSpace>
struct CloseBatch {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  BurnIn burn_in;
  int sweeps, groups;
  bool burning_in, stops, per_sweep;
  Kokkos::View<const double*, ExecSpace> updates;  // missing sites of each chain
  Kokkos::View<ChainState*, ExecSpace> chains;
  Kokkos::View<const Tally*, ExecSpace> tallies;
  Series<ExecSpace> series;

  static void launch(const ExecSpace& exec, const CloseBatch& close, int chains) {
    Kokkos::parallel_for("tessera::mpr::close_batch",
                         Policy(exec, chains, compat::is_gpu_v<ExecSpace> ? 512 : 1), close);
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const int chain = team.league_rank();
    ChainState now = chains(chain);
    if (burning_in && now.settled) return;
    const std::size_t history = static_cast<std::size_t>(chain) * series.capacity;
    const std::size_t first = static_cast<std::size_t>(chain) * groups * kMostSweeps;
    const int reports = per_sweep ? sweeps : 1, stride = per_sweep ? 1 : sweeps;
    double acceptance = 0;
    for (int s = 0; s < reports; ++s) {
      double energy = 0, accepted = 0;
      for (int g = team.team_rank(); g < groups; g += team.team_size()) {
        const Tally& tally = tallies(first + static_cast<std::size_t>(s) * groups + g);
        energy += tally.energy;
        accepted += static_cast<double>(tally.accepted);
      }
      team.team_reduce(Kokkos::Sum<double>(energy));
      team.team_reduce(Kokkos::Sum<double>(accepted));
      now.energy += energy;
      acceptance = accepted / (updates(chain) * stride);
      if (team.team_rank() == 0) {
        // without a tally for each sweep all get the figures of the batch
        for (int k = 0; k < stride; ++k) {
          const std::size_t at = history + now.sweep + static_cast<std::size_t>(s + k);
          series.energy(at) = now.energy / now.weight;
          series.acceptance(at) = acceptance;
          series.step_control(at) = now.step_control_at(s + k, burning_in);
          series.gradient(at) = 0.0 / 0.0;
        }
      }
    }
    if (team.team_rank() != 0) return;
    now.step_control = now.step_control_at(sweeps - 1, burning_in);
    now.sweep += static_cast<std::uint32_t>(sweeps);
    if (stops) {
      now.tuning = acceptance < burn_in.target ? 1 : 0;
      const std::uint32_t last = now.sweep - 1;
      if (last >= static_cast<std::uint32_t>(burn_in.fit) &&
          last % static_cast<std::uint32_t>(burn_in.check_every) == 0) {
        const double gradient = fitted_gradient(history + last);
        series.gradient(history + last) = gradient;
        if (!(gradient < 0)) now.settled = 1;
      }
      if (now.sweep > burn_in.most) now.settled = 1;
    }
    if (burning_in) now.burn_in_sweeps = now.sweep;
    chains(chain) = now;
  }

  struct ValueAndSlope {
    double value, slope;
  };
  /// The polynomials that are orthogonal over t = -(n - 1) / 2 ... (n - 1) / 2: P_0 = 1, P_1 = t,
  /// P_m+1 = t P_m - m^2 (n^2 - m^2) / (4 (4 m^2 - 1)) P_m-1.
  KOKKOS_INLINE_FUNCTION ValueAndSlope orthogonal(int degree, double t) const {
    const double n = burn_in.fit;
    ValueAndSlope before{1, 0}, now{t, 1};
    for (int m = 1; m < degree; ++m) {
      const double square = static_cast<double>(m) * m,
                   factor = square * (n * n - square) / (4 * (4 * square - 1));
      const ValueAndSlope next{t * now.value - factor * before.value,
                               now.value + t * now.slope - factor * before.slope};
      before = now;
      now = next;
    }
    return now;
  }

  /// The gradient, in the middle, of the polynomial through the last energies (a Savitzky-Golay
  /// filter). Even polynomials have none there.
  KOKKOS_INLINE_FUNCTION double fitted_gradient(std::size_t last) const {
    const double middle = 0.5 * (burn_in.fit - 1);
    double gradient = 0;
    for (int degree = 1; degree <= burn_in.degree; degree += 2) {
      double sum = 0, norm = 0;
      for (int k = 0; k < burn_in.fit; ++k) {
        const double value = orthogonal(degree, k - middle).value;
        sum += value * series.energy(last + 1 - burn_in.fit + k);
        norm += value * value;
      }
      gradient += sum / norm * orthogonal(degree, 0).slope;
    }
    return gradient;
  }
};

}  // namespace tessera::mpr::detail

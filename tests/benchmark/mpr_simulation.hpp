// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/mpr/instances.hpp"

/// Chains of smooth fields of which sites are missing.

namespace tessera::bench {

struct MprRun {
  mpr::Grid grid;
  double missing = 0.33;  ///< fraction of the sites, at random
  double beta = 0;
  /// sweeps; burn_in 0: until the chain has settled, by Algorithm 2 of the paper
  int burn_in = 50, sampling = 100;
  mpr::Moments moments = mpr::Moments::mean;
  bool rao_blackwell = false;
  int frames = 1;
};

template <class ExecSpace, class Real>
struct MprField {
  Kokkos::View<std::uint8_t*, ExecSpace> status;
  Kokkos::View<Real*, ExecSpace> angle;
  double missing;
  int nx;
  bool clouds = false;     ///< 30 % are missing, in gaps of the shape of clouds, instead
  std::int64_t first = 0;  ///< number of the first site here
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t here) const {
    const std::int64_t i = first + here;
    const auto bits = Philox(99, 0).bits(static_cast<std::uint64_t>(i), 0);
    const double x = static_cast<double>(i % nx), y = static_cast<double>(i / nx % nx);
    const double cover = compat::math::sin(0.031 * x + 1.7 * compat::math::sin(0.043 * y)) +
                         compat::math::sin(0.052 * y + 1.3 * compat::math::cos(0.037 * x)) +
                         0.6 * compat::math::sin(0.11 * (x + y));
    const bool hidden = clouds ? cover > 0.75 : Philox::uniform(bits, 0) < missing;
    status(here) = hidden ? mpr::kMissing : mpr::kSample;
    angle(here) = static_cast<Real>(1.6 + 0.5 * compat::math::sin(0.11 * x + 0.05 * y) +
                                    0.5 * compat::math::cos(0.07 * y) +
                                    0.3 * (Philox::uniform(bits, 1) - 0.5));
  }
};

/// The chains of a run: of all frames, of those of a share, or of the slab that this rank has of
/// one frame.
template <class ExecSpace, class Real>
class MprSimulation {
 public:
  using Chains = mpr::Chains<ExecSpace, Real>;

  MprSimulation(const ExecSpace& exec, const MprRun& run,
                const parallel::Communicator& slab_ranks = {}, const mpr::FrameShare& share = {})
      : m_run(run), m_frames(share.is_divided() ? share.own() : run.frames) {
    const std::int64_t sites = run.grid.sites() * m_frames;
    const Kokkos::View<std::uint8_t*, ExecSpace> status("tessera::bench::mpr_status", sites);
    m_angle = Kokkos::View<Real*, ExecSpace>("tessera::bench::mpr_angle", sites);
    Kokkos::parallel_for(
        "tessera::bench::mpr_field",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, sites),
        MprField<ExecSpace, Real>{status, m_angle, run.missing, run.grid.nx, false,
                                  share.first * run.grid.sites()});
    mpr::ChainSettings settings = settings_of(run);
    settings.frames = m_frames;
    settings.slab_ranks = slab_ranks;
    settings.share = share;
    m_chains = std::make_unique<Chains>(exec, settings, status);
  }

  /// Bytes on the device of so many frames, or of a part of one.
  static double memory(const MprRun& run, double frames) {
    return frames * (Chains::memory(settings_of(run)) +
                     static_cast<double>(run.grid.sites()) * (1 + sizeof(Real)));
  }

  void start() {
    m_chains->start(m_angle, std::vector<double>(static_cast<std::size_t>(m_frames), 0.08), 1,
                    !m_run.rao_blackwell);
  }

  void sweep() {
    m_run.burn_in > 0 ? m_chains->burn_in(m_run.burn_in) : m_chains->burn_in_until_settled({});
    m_chains->begin_sampling(m_run.rao_blackwell ? std::nullopt : std::optional<double>(1));
    m_chains->sample(m_run.sampling, m_run.moments,
                     m_run.rao_blackwell ? mpr::Estimator::conditional_mean : mpr::Estimator::spin);
  }

  /// Returns the state of each chain here; with slabs, of the chain of all ranks.
  std::vector<mpr::ChainState> states() const { return m_chains->states(); }
  std::uint32_t missing() const { return m_chains->missing(); }

 private:
  static mpr::ChainSettings settings_of(const MprRun& run) {
    mpr::ChainSettings settings;
    settings.grid = run.grid;
    settings.beta = run.beta;
    settings.sweeps =
        (run.burn_in > 0 ? run.burn_in
                         : static_cast<int>(mpr::BurnIn().most) + 1 + mpr::detail::kMostSweeps) +
        run.sampling;
    return settings;
  }

  MprRun m_run;
  int m_frames;  // here
  Kokkos::View<Real*, ExecSpace> m_angle;
  std::unique_ptr<Chains> m_chains;
};

}  // namespace tessera::bench

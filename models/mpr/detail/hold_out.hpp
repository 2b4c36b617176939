// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/chains.hpp"
#include "tessera/mpr/detail/estimate.hpp"
#include "tessera/mpr/detail/window.hpp"
#include "tessera/mpr/linear_fill.hpp"
#include "tessera/mpr/report.hpp"

namespace tessera::mpr::detail {

/// Copies a window of frame 0 in which a tenth of the samples, single or in blocks, are missing.
template <class ExecSpace, class Real>
struct HoldOutSites {
  Window window;
  int block;
  std::uint64_t seed;
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> angles;
  Array<ExecSpace, std::uint8_t> status_out;
  Array<ExecSpace, Real> angles_out;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site, std::int64_t& held) const {
    const Position at = window.position(site);
    const std::int64_t i = window.whole.site(at.x, at.y, static_cast<int>(at.z));
    std::uint8_t kind = status(i);
    const std::uint64_t cell = (static_cast<std::uint64_t>(at.z) * 65536u + static_cast<std::uint64_t>(at.y / block)) * 65536u +
                               static_cast<std::uint64_t>(at.x / block);
    if (kind == kSample && Philox::uniform(Philox(static_cast<std::uint32_t>(seed), 0x7e57u).bits(cell, 0), 0) < 0.1) {
      kind = kMissing;
      ++held;
    }
    status_out(site) = kind;
    angles_out(site) = angles(i);
  }
};

/// Copies a window of frame 0.
template <class ExecSpace, class Real>
struct CutWindow {
  Window window;
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> angles;
  Array<ExecSpace, std::uint8_t> status_out;
  Array<ExecSpace, Real> angles_out;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = window.whole_site(site);
    status_out(site) = status(i);
    angles_out(site) = angles(i);
  }
};

/// Hides a tenth of the samples of frame 0, in blocks where the gaps are blocks, and measures how well they are predicted. Large grids are
/// represented by a window in their middle (1024 x 1024 sites, or 128 cubed). All functions wait for the device.
template <class ExecSpace, class Real>
class HoldOut {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  HoldOut(const ExecSpace& exec, const Grid& grid, const Array<const std::uint8_t>& status, const Array<const Real>& angles, int block,
          std::uint64_t seed)
      : m_exec(exec), m_status(status), m_angles(angles) {
    const int most = grid.nz > 1 ? 128 : 1024;
    const Grid box{std::min(grid.nx, most), std::min(grid.ny, most), std::min(grid.nz, most)};
    m_window = {grid, box, (grid.nx - box.nx) / 2, (grid.ny - box.ny) / 2, (grid.nz - box.nz) / 2};
    m_held_status = Array<std::uint8_t>(Kokkos::view_alloc(m_exec, "tessera::mpr::held_status"), m_window.sites());
    m_filled = Array<Real>(Kokkos::view_alloc(m_exec, "tessera::mpr::held_angles"), m_window.sites());
    block = std::clamp(block, 1, std::max(1, std::min(m_window.box.nx, m_window.box.ny) / 4));
    Kokkos::parallel_reduce("tessera::mpr::hold_out", range(),
                            HoldOutSites<ExecSpace, Real>{m_window, block, seed, status, angles, m_held_status, m_filled},
                            Kokkos::Sum<std::int64_t>(m_held));
    m_exec.fence();
  }

  /// Number of sites held out.
  std::int64_t held() const { return m_held; }

  /// The factor of variances with which 95 % of the sites held out lie within 1.96 standard deviations of their mean, from a short
  /// simulation; 1 when fewer than 50 sites are held out.
  double variance_factor(const std::array<double, 3>& axis, double beta, double temperature, double step_control, int burn_in, int sampling,
                         std::uint64_t seed) {
    if (m_held < 50) return 1;
    LinearFill<ExecSpace, Real>(m_exec, m_window.box, 1, m_held_status, axis)
        .solve(m_filled, axis, beta, 1e-3 * std::sqrt(temperature), 100);
    ChainSettings settings;
    settings.grid = m_window.box;
    settings.axis = axis;
    settings.beta = beta;
    settings.sweeps = burn_in + sampling;
    Chains<ExecSpace, Real> chains(m_exec, settings, m_held_status);
    chains.start(m_filled, {temperature}, seed, false);
    chains.set_step_control({step_control});
    chains.burn_in(burn_in);
    chains.begin_sampling();
    chains.sample(sampling, Moments::variance);
    const auto host_mean = download(m_exec, m_filled);
    const Array<Real> variance(Kokkos::view_alloc(m_exec, "tessera::mpr::held_variance"), m_window.sites());
    chains.moments(m_filled, variance);
    const auto host_variance = download(m_exec, variance);
    const auto held = download(m_exec, m_held_status);
    const Array<Real> truth(Kokkos::view_alloc(m_exec, "tessera::mpr::held_truth"), m_window.sites());
    const Array<std::uint8_t> was(Kokkos::view_alloc(m_exec, "tessera::mpr::held_was"), m_window.sites());
    Kokkos::parallel_for("tessera::mpr::window", range(), CutWindow<ExecSpace, Real>{m_window, m_status, m_angles, was, truth});
    const auto host_truth = download(m_exec, truth);
    const auto host_was = download(m_exec, was);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < host_truth.size(); ++i) {
      if (held[i] != kMissing || host_was[i] != kSample || !(host_variance[i] > 0)) continue;
      const double miss = static_cast<double>(host_mean[i]) - static_cast<double>(host_truth[i]);
      ratios.push_back(miss * miss / static_cast<double>(host_variance[i]));
    }
    if (ratios.size() < 50) return 1;
    const auto percentile = ratios.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(ratios.size()));
    std::nth_element(ratios.begin(), percentile, ratios.end());
    return std::clamp(*percentile / (1.959964 * 1.959964), 1e-4, 1e4);
  }

 private:
  Range<ExecSpace> range() const { return {m_exec, 0, m_window.sites()}; }

  ExecSpace m_exec;
  Window m_window;
  Array<const std::uint8_t> m_status;
  Array<const Real> m_angles;
  Array<std::uint8_t> m_held_status;
  Array<Real> m_filled;
  std::int64_t m_held = 0;
};

}  // namespace tessera::mpr::detail

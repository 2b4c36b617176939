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
#include "tessera/mpr/report.hpp"

namespace tessera::mpr::detail {

/// A box cut out of a grid.
struct Window {
  Grid whole, box;
  int x0 = 0, y0 = 0, z0 = 0;  ///< of its first site

  KOKKOS_INLINE_FUNCTION std::int64_t sites() const { return box.sites(); }
  /// Of a site of the box, in the whole grid.
  KOKKOS_INLINE_FUNCTION Position position(std::int64_t site) const {
    const Position at = box.position(site);
    return {x0 + at.x, y0 + at.y, z0 + at.z};
  }
  KOKKOS_INLINE_FUNCTION std::int64_t whole_site(std::int64_t site) const {
    const Position at = position(site);
    return whole.site(at.x, at.y, static_cast<int>(at.z));
  }
};

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

/// Sum of squared errors at the sites held out.
template <class ExecSpace, class Real>
struct HoldOutError {
  using value_type = ExactSum;
  Window window;
  Array<ExecSpace, const std::uint8_t> status, held_status;
  Array<ExecSpace, const Real> angles, filled;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site, ExactSum& sum) const {
    const std::int64_t i = window.whole_site(site);
    if (status(i) != kSample || held_status(site) != kMissing) return;
    const double error = static_cast<double>(filled(site)) - static_cast<double>(angles(i));
    sum.add(error * error);
  }
};

/// Hides a tenth of the samples of frame 0, in blocks where the gaps are blocks, and measures how well couplings predict them. Large grids
/// are represented by a window in their middle (1024 x 1024 sites, or 128 cubed). All functions wait for the device.
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

  /// Error of the harmonic interpolant with these couplings.
  HoldOutScore score(const std::array<double, 3>& axis, double beta) {
    if (!m_fill) m_fill = std::make_unique<LinearFill<ExecSpace, Real>>(m_exec, m_window.box, 1, m_held_status);
    m_fill->solve(m_filled, axis, beta, 1e-5, 200);
    return {axis, beta, error()};
  }

  /// The factor of variances with which 95 % of the sites held out lie within 1.96 standard deviations of their mean, from a short
  /// simulation; 1 when fewer than 50 sites are held out.
  double variance_factor(const std::array<double, 3>& axis, double beta, double temperature, double step_control, int burn_in, int sampling,
                         std::uint64_t seed) {
    if (m_held < 50) return 1;
    score(axis, beta);  // the start
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
    const Array<Real> variance(Kokkos::view_alloc(m_exec, "tessera::mpr::held_variance"), m_window.sites());
    chains.moments(m_filled, variance);
    const auto host_variance = download(m_exec, variance);
    const auto host_mean = download(m_exec, m_filled);
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

  double error() {
    const Kokkos::View<ExactSum, ExecSpace> sum(Kokkos::view_alloc(m_exec, "tessera::mpr::held_error"));
    Kokkos::parallel_reduce("tessera::mpr::hold_out_error", range(),
                            HoldOutError<ExecSpace, Real>{m_window, m_status, m_held_status, m_angles, m_filled},
                            compat::Sum<ExactSum, ExecSpace>(sum));
    return std::sqrt(download_scalar(m_exec, sum).value() / static_cast<double>(std::max<std::int64_t>(m_held, 1)));
  }

  ExecSpace m_exec;
  Window m_window;
  Array<const std::uint8_t> m_status;
  Array<const Real> m_angles;
  Array<std::uint8_t> m_held_status;
  Array<Real> m_filled;
  std::int64_t m_held = 0;
  std::unique_ptr<LinearFill<ExecSpace, Real>> m_fill;
};

}  // namespace tessera::mpr::detail

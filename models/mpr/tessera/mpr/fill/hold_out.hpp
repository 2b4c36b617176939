// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/seed.hpp"
#include "tessera/mpr/chains/chains.hpp"
#include "tessera/mpr/fill/estimate.hpp"
#include "tessera/mpr/fill/shared_windows.hpp"
#include "tessera/mpr/lattice/calibration.hpp"
#include "tessera/mpr/lattice/frame_report.hpp"
#include "tessera/mpr/linear/gaussian_draws.hpp"
#include "tessera/mpr/linear/linear_fill.hpp"

namespace tessera::mpr::detail {

/// The samples that are hidden: a tenth of them at random, or those where the gaps would lie if the
/// field were turned upside down, or moved by half its size along all axes, or both. Gaps keep
/// their direction, which matters where couplings have one, and whole layers stay whole.
enum class Pattern { scattered, turned, moved, turned_and_moved };

/// A window in which samples are hidden.
struct HiddenWindow {
  Window window;
  Pattern pattern = Pattern::scattered;
};

/// Copies a window with samples hidden. A functor over its sites.
template <class ExecSpace, class Real>
struct HideSamples {
  HiddenWindow hidden;
  Window place;        ///< of the window in the arrays
  std::int64_t first;  ///< of the window's sites in the output
  std::uint64_t seed;
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> angles;
  Array<ExecSpace, std::uint8_t> status_out, held;
  Array<ExecSpace, Real> angles_out, truth;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site, std::int64_t& count) const {
    const std::int64_t i = place.whole_site(site);
    const bool hide = has_value(status(i)) && is_hidden(site);
    status_out(first + site) = hide ? std::uint8_t(kMissing) : status(i);
    angles_out(first + site) = angles(i);
    truth(first + site) = angles(i);
    held(first + site) = hide ? 1 : 0;
    count += hide ? 1 : 0;
  }

 private:
  KOKKOS_INLINE_FUNCTION bool is_hidden(std::int64_t site) const {
    const Window& window = hidden.window;
    if (hidden.pattern == Pattern::scattered) {
      const Philox random = seeded_philox(seed, 0x7e57u);
      return Philox::uniform(random.bits(static_cast<std::uint64_t>(window.whole_site(site)), 0),
                             0) < 0.1;
    }
    const Grid& box = window.box;
    Position at = box.position(site);
    if (hidden.pattern != Pattern::moved) {
      at.x = box.nx - 1 - at.x;
      at.y = box.ny - 1 - at.y;
      at.z = box.nz - 1 - at.z;
    }
    if (hidden.pattern != Pattern::turned) {
      at.x = (at.x + box.nx / 2) % box.nx;
      at.y = (at.y + box.ny / 2) % box.ny;
      at.z = (at.z + box.nz / 2) % box.nz;
    }
    return status(place.whole_site(box.site(at.x, at.y, static_cast<int>(at.z)))) == kMissing;
  }
};

/// The model that predictions of hidden samples are made with.
struct HoldOutModel {
  AxisCouplings axis;
  double beta = 0;
  std::vector<double> temperature, step_control;  ///< of each frame
  int burn_in = 10, sampling = 25;                ///< sweeps; not used with draws
  std::uint64_t seed = 0;
};

/// Hides samples in windows that are spread over some frames, at least one, and over each of them,
/// and predicts them. Scattered gaps hide a tenth of the samples; wide ones are moved to where
/// samples are. All functions wait for the device.
template <class ExecSpace, class Real>
class HoldOut {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  /// hidden: at least one window, as `choose` says. placed: where they are.
  HoldOut(const ExecSpace& exec, const Grid& grid, const std::vector<HiddenWindow>& hidden,
          const PlacedWindows<ExecSpace, Real>& placed, std::uint64_t seed,
          const Metric& metric = {})
      : m_exec(exec), m_hidden(hidden), m_box(m_hidden.front().window.box) {
    const auto& [status, angles, noise] = placed.data;
    const std::size_t all = static_cast<std::size_t>(m_box.sites()) * m_hidden.size();
    m_status = allocate<Array<std::uint8_t>>(exec, "tessera::mpr::held_status", all);
    m_held = allocate<Array<std::uint8_t>>(exec, "tessera::mpr::held_sites", all);
    m_angles = allocate<Array<Real>>(exec, "tessera::mpr::held_angles", all);
    m_truth = allocate<Array<Real>>(exec, "tessera::mpr::held_truth", all);
    m_noise =
        allocate<Array<Real>>(exec, "tessera::mpr::held_noise", noise.extent(0) > 0 ? all : 0);
    const bool plain = metric.is_uniform() && !metric.periodic;
    for (std::size_t k = 0; k < m_hidden.size(); ++k) {
      const Window& window = m_hidden[k].window;
      if (!plain) m_metrics.push_back(metric.cut(grid, m_box, window.y0, window.z0));
      std::int64_t count = 0;
      Kokkos::parallel_reduce(
          "tessera::mpr::hide_samples", Range<ExecSpace>(exec, 0, m_box.sites()),
          HideSamples<ExecSpace, Real>{m_hidden[k], placed.places[k],
                                       static_cast<std::int64_t>(k) * m_box.sites(), seed, status,
                                       angles, m_status, m_held, m_angles, m_truth},
          Kokkos::Sum<std::int64_t>(count));
      if (has_noise())
        Kokkos::parallel_for(
            "tessera::mpr::cut_noise", Range<ExecSpace>(exec, 0, m_box.sites()),
            CutNumbers<ExecSpace, Real>{
                placed.places[k], static_cast<std::int64_t>(k) * m_box.sites(), noise, m_noise});
      exec.fence();
      m_count += count;
    }
  }

  /// Bytes on the device, whatever the gaps are like.
  static double most_memory(const Grid& grid, int frames, bool noise = false) {
    if (grid.sites() <= kWhole) return memory(grid, frames, 2, noise);  // windows are whole frames
    double most = 0;
    for (int gap_edge = 2; gap_edge <= kWidest; ++gap_edge)
      most = std::max(most, memory(grid, frames, gap_edge, noise));
    return most;
  }
  /// Returns the bytes where the edge of gaps is known.
  static double memory(const Grid& grid, int frames, int gap_edge, bool noise = false) {
    const std::vector<HiddenWindow> hidden =
        together(choose(grid, count_frames(frames), gap_edge)).front();
    const Grid box = hidden.front().window.box;
    const int windows = static_cast<int>(hidden.size());
    const double arrays =
        static_cast<double>(box.sites()) * windows * (4 + (noise ? 6 : 5) * sizeof(Real));
    return arrays + LinearFill<ExecSpace, Real>::memory(box, windows, noise) +
           GaussianDraws<ExecSpace, Real>::memory(box, windows, noise);
  }

  /// Frames of which each has a window.
  static std::size_t frames_at_once(const Grid& grid, int gap_edge) {
    constexpr int kMost = 1024;
    return spread_windows(grid, count_frames(kMost), edge_of(grid, gap_edge), kWhole, kMost).size();
  }

  /// The windows for some frames, and how samples are hidden there.
  static std::vector<HiddenWindow> choose(const Grid& grid, const std::vector<int>& frames,
                                          int gap_edge) {
    const bool wide = gap_edge > 1;
    const int most = std::max(kMostWindows, static_cast<int>(frames.size()));
    const std::vector<Window> windows =
        spread_windows(grid, frames, edge_of(grid, gap_edge), kWhole, most);
    constexpr Pattern kMoves[] = {Pattern::turned, Pattern::moved, Pattern::turned_and_moved};
    std::vector<HiddenWindow> hidden;
    // The number of windows, and of whole frames that there is room for
    const std::size_t count = windows.size(),
                      room = static_cast<std::size_t>(2 * kWhole / grid.sites());
    const std::size_t rounds = !wide       ? 1
                               : count < 3 ? (count + 2) / count
                                           : std::clamp<std::size_t>(room / count, 1, 3);
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t k = 0; k < count; ++k)
        hidden.push_back({windows[k], wide ? kMoves[(k + round) % 3] : Pattern::scattered});
    }
    return hidden;
  }

  /// Groups the windows that are predicted together: as many as have 2^19 sites, at least one.
  static std::vector<std::vector<HiddenWindow>> together(const std::vector<HiddenWindow>& hidden) {
    return in_groups(hidden, static_cast<std::size_t>(std::max<std::int64_t>(
                                 1, 2 * kWhole / hidden.front().window.sites())));
  }

  /// Number of samples hidden.
  std::int64_t held() const { return m_count; }

  /// Predictions whose deviations come from a short simulation, which knows no noise.
  std::vector<HeldOutSample> from_chains(const HoldOutModel& model) {
    const Array<Real> variance = predict(model);
    ChainSettings settings;
    settings.grid = m_box;
    settings.frames = windows();
    settings.axis = model.axis.strength;
    settings.beta = model.beta;
    settings.metrics = m_metrics;
    settings.sweeps = model.burn_in + model.sampling;
    Chains<ExecSpace, Real> chains(m_exec, settings, m_status);
    chains.start(m_angles, of_windows(model.temperature), model.seed, false);
    chains.set_step_control(of_windows(model.step_control));
    chains.burn_in(model.burn_in);
    chains.begin_sampling();
    chains.sample(model.sampling, Moments::variance);
    const auto mean = allocate<Array<Real>>(m_exec, "tessera::mpr::held_means", m_angles.extent(0));
    chains.moments(mean, variance);
    return collect(variance, {});
  }

  /// Predictions whose deviations come from packs of exact draws. Returns how many draws there were
  /// in `draws`.
  std::vector<HeldOutSample> from_draws(const HoldOutModel& model, int packs, int& draws) {
    const Array<Real> variance = predict(model);
    const auto sum =
        allocate_zeros<Array<Real>>(m_exec, "tessera::mpr::held_squares", m_angles.extent(0));
    const auto share =
        allocate_zeros<Array<Real>>(m_exec, "tessera::mpr::held_shares", m_angles.extent(0));
    const auto source = GaussianDraws<ExecSpace, Real>::make(
        m_exec, m_box, windows(), m_status, model.axis, model.beta, model.seed + 1, m_metrics);
    if (has_noise()) source->set_noise(m_noise, of_windows(model.temperature));
    draws = packs * source->size();
    for (int pack = 0; pack < packs; ++pack) {
      source->draw_pack(pack);
      source->add_squares(sum);
    }
    source->variance(upload(m_exec, "tessera::mpr::temperatures", of_windows(model.temperature)),
                     sum, draws, variance, share);
    return collect(variance, share);
  }

 private:
  static constexpr std::int64_t kWhole = 1 << 18;
  static constexpr int kMostWindows = 9;  // unless there are more frames

  static constexpr int kWidest = 171;  // the edge of gaps from which on windows are no larger

  static int edge_of(const Grid& grid, int gap_edge) {
    return grid.nz > 1 ? std::clamp(6 * gap_edge, 48, 96) : std::clamp(6 * gap_edge, 256, 1024);
  }

  bool has_noise() const { return m_noise.extent(0) != 0; }
  int windows() const { return static_cast<int>(m_hidden.size()); }

  /// Returns the value of the frame of each window.
  std::vector<double> of_windows(const std::vector<double>& of_frames) const {
    std::vector<double> values;
    for (const HiddenWindow& hidden : m_hidden)
      values.push_back(of_frames[static_cast<std::size_t>(hidden.window.frame)]);
    return values;
  }

  /// Solves for the means; returns room for the variances.
  Array<Real> predict(const HoldOutModel& model) {
    const std::vector<double> temperatures = of_windows(model.temperature);
    const double coldest = *std::min_element(temperatures.begin(), temperatures.end());
    LinearFill<ExecSpace, Real> fill(m_exec, m_box, windows(), m_status, model.axis, m_metrics);
    if (has_noise()) fill.set_noise(m_noise, temperatures);
    fill.solve(m_angles, model.axis, model.beta, 3e-4 * std::sqrt(coldest), 100);
    return allocate_zeros<Array<Real>>(m_exec, "tessera::mpr::held_variances", m_angles.extent(0));
  }

  std::vector<HeldOutSample> collect(const Array<Real>& variance, const Array<Real>& share) {
    const auto distance =
        allocate<Array<std::uint16_t>>(m_exec, "tessera::mpr::held_distances", m_angles.extent(0));
    gap_distances<ExecSpace>(m_exec, m_box, windows(), m_status, distance, Calibration::kFarthest,
                             !m_metrics.empty() && m_metrics.front().periodic, false);
    const auto held = download(m_exec, m_held);
    const auto steps = download(m_exec, distance);
    const auto truth = download(m_exec, m_truth), mean = download(m_exec, m_angles),
               variances = download(m_exec, variance);
    const auto shares = download(m_exec, share), noise = download(m_exec, m_noise);
    std::vector<HeldOutSample> samples;
    samples.reserve(static_cast<std::size_t>(m_count));
    for (std::size_t i = 0; i < held.size(); ++i) {
      if (!held[i] || !(variances[i] > 0)) continue;
      const double miss = static_cast<double>(truth[i]) - static_cast<double>(mean[i]);
      const double deviation = std::sqrt(static_cast<double>(variances[i]));
      const Window& window = m_hidden[i / static_cast<std::size_t>(m_box.sites())].window;
      const int layer =
          static_cast<int>(window.position(static_cast<std::int64_t>(i) % m_box.sites()).z);
      samples.push_back({miss / deviation, shares.empty() ? 0.0 : static_cast<double>(shares[i]),
                         std::min<int>(steps[i], Calibration::kFarthest), window.frame,
                         noise.empty() ? 0.0 : static_cast<double>(noise[i]) / deviation, layer});
    }
    return samples;
  }

  ExecSpace m_exec;
  std::vector<HiddenWindow> m_hidden;
  Grid m_box;
  Metrics m_metrics;  // of the windows; none where cells are all the same
  Array<std::uint8_t> m_status, m_held;
  Array<Real> m_angles, m_truth, m_noise;
  std::int64_t m_count = 0;
};

}  // namespace tessera::mpr::detail

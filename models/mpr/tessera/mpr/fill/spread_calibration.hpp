// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tessera/core/log/log.hpp"
#include "tessera/core/log/stage.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/mpr/fill/coupling_search.hpp"
#include "tessera/mpr/fill/frame_temperatures.hpp"
#include "tessera/mpr/fill/hold_out.hpp"
#include "tessera/mpr/fill/mapped_samples.hpp"
#include "tessera/mpr/lattice/calibration.hpp"

namespace tessera::mpr::detail {

/// Packs of exact draws for the samples held out, whose classes of distance average over many
/// sites.
inline constexpr int kHeldPacks = 1;

/// Measures what standard deviations must be multiplied by, on samples that are held out. All ranks
/// make the same calls together.
template <class ExecSpace, class Real>
class SpreadCalibration {
 public:
  SpreadCalibration(const MappedSamples<ExecSpace, Real>& samples, const FittedCouplings& couplings)
      : m_samples(samples), m_setting(samples.setting()), m_couplings(couplings) {}

  /// A part takes the calibration of its image. Warns where errors of the samples are too large.
  Calibration measure() const {
    const std::vector<int> frames = frames_to_calibrate();
    if (options().part) return options().part->estimates.calibration;
    if (options().calibrate == Calibrate::none || frames.empty()) return {};
    const logging::Region region("tessera::mpr::calibrate");
    int held_draws = 0;
    const std::vector<HeldOutSample> samples = predict_all(frames, held_draws);
    const int draws = held_draws > 0 ? options().draws : 0,
              parts = options().windows ? 1 : static_cast<int>(m_samples.reports().size());
    const Calibration calibration(samples, options().calibrate, held_draws, draws, parts,
                                  m_setting.grid.nz);
    if (calibration.is_contradicted()) warn_of_errors(calibration.size_by_errors());
    return calibration;
  }

 private:
  using Held = HoldOut<ExecSpace, Real>;

  const FillOptions& options() const { return m_setting.options; }
  /// Frames with variation, gaps and a temperature, in which samples can be held out.
  std::vector<int> frames_to_calibrate() const {
    std::vector<int> frames;
    for (const int f : m_samples.frames_with_variation()) {
      const FrameReport& report = m_samples.reports()[static_cast<std::size_t>(f)];
      if ((report.missing > 0 || options().noise) && !report.uncorrelated) frames.push_back(f);
    }
    return frames;
  }
  static void warn_of_errors(double size_by_errors) {
    char size[32];
    std::snprintf(size, sizeof size, "%.2g", size_by_errors);
    logging::warning("samples that were left out differ from their predictions by " +
                     std::string(size) +
                     " of their standard errors (root mean square), which should be 1 or more: "
                     "the errors are too large, and standard deviations are not calibrated\n  "
                     "remedy: lower model.noise");
  }
  std::vector<HeldOutSample> predict_all(const std::vector<int>& frames, int& draws) const;
  std::vector<HeldOutSample> predict(const std::vector<HiddenWindow>& hidden,
                                     const PlacedWindows<ExecSpace, Real>& placed,
                                     int& draws) const;

  const MappedSamples<ExecSpace, Real>& m_samples;
  const FillSetting<ExecSpace>& m_setting;
  const FittedCouplings& m_couplings;
};

/// Predicts samples that are held out, in some frames of all ranks: group by group, each on the
/// rank of its first frame. draws: from which standard deviations come, 0 where sweeps give them.
template <class ExecSpace, class Real>
std::vector<HeldOutSample> SpreadCalibration<ExecSpace, Real>::predict_all(
    const std::vector<int>& frames, int& draws) const {
  const Grid& grid = m_setting.grid;
  const int block = m_samples.gaps().block;
  const std::size_t at_once = options().windows ? 1 : Held::frames_at_once(grid, block);
  std::vector<std::vector<HiddenWindow>> groups;
  std::vector<std::vector<Window>> windows;
  for (const std::vector<int>& together : in_groups(frames, at_once)) {
    for (const std::vector<HiddenWindow>& part :
         Held::together(Held::choose(grid, together, block))) {
      groups.push_back(part);
      windows.emplace_back();
      for (const HiddenWindow& hidden : part) windows.back().push_back(hidden.window);
    }
  }
  logging::Stage stage("calibration");
  WindowExchange<ExecSpace, Real> exchange(
      m_setting.exec, m_setting.share, windows,
      {m_samples.status(), m_samples.samples(), m_samples.noise()});
  std::vector<HeldOutSample> found;
  m_setting.share.ranks.together([&] {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (!exchange.is_mine(windows[g])) continue;
      stage.count("calibration, part", static_cast<long long>(g) + 1,
                  static_cast<long long>(groups.size()));
      for (HeldOutSample sample : predict(groups[g], exchange.take(windows[g]), draws)) {
        if (options().windows) sample.frame = 0;
        found.push_back(sample);
      }
    }
  });
  draws = static_cast<int>(m_setting.share.ranks.max(draws));
  return m_setting.share.ranks.all_gather(found);
}

/// Predicts those of some windows; none where there are too few.
template <class ExecSpace, class Real>
std::vector<HeldOutSample> SpreadCalibration<ExecSpace, Real>::predict(
    const std::vector<HiddenWindow>& hidden, const PlacedWindows<ExecSpace, Real>& placed,
    int& draws) const {
  Held held(m_setting.exec, m_setting.grid, hidden, placed, options().seed, options().metric);
  if (held.held() < static_cast<std::int64_t>(Calibration::kLeast)) return {};
  const int wide_sweeps = m_setting.wide_sweeps(m_samples.gaps());
  HoldOutModel model;
  model.axis = m_couplings.axis;
  model.beta = m_couplings.beta;
  model.temperature = temperatures(m_samples.reports());
  for (const double temperature : model.temperature)
    model.step_control.push_back(
        m_setting.step_control(m_couplings.axis, m_couplings.beta, temperature));
  model.burn_in += wide_sweeps;
  model.sampling += wide_sweeps;
  model.seed = options().seed;
  return m_samples.wants_draws() ? held.from_draws(model, kHeldPacks, draws)
                                 : held.from_chains(model);
}

}  // namespace tessera::mpr::detail

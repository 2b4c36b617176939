// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/mpr/fill/estimate.hpp"
#include "tessera/mpr/fill/gap_fill_kernels.hpp"
#include "tessera/mpr/fill/setting.hpp"
#include "tessera/mpr/fill/value_range.hpp"

namespace tessera::mpr::detail {

/// The samples of a fill as angles in [0, pi], with what they say before there is a model: their
/// ranges, their errors in angle, the distances of the gaps and the sums over neighbouring pairs.
template <class ExecSpace, class Real>
class MappedSamples {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  explicit MappedSamples(const FillSetting<ExecSpace>& setting) : m_setting(setting) {}

  /// Maps values to angles. range: smallest and greatest value of all frames; not set: those of
  /// each frame. noise: of FillOptions::noise. Throws Error (input) for a frame without a sample.
  void map(const Array<const Real>& values, const Array<const std::uint8_t>& status,
           const Array<const Real>& noise, const std::optional<std::array<double, 2>>& range) {
    m_status = status;
    m_angles =
        Array<Real>(Kokkos::view_alloc(exec(), Kokkos::WithoutInitializing, "tessera::mpr::angles"),
                    m_setting.sites());
    describe_frames(values);
    widen_ranges(range);
    enter_angles(values);
    measure_gaps();
    if (options().noise) enter_noise(noise);
  }
  /// Maps other values in the same ranges.
  void enter_angles(const Array<const Real>& values) {
    for (int f = 0; f < m_setting.frames; ++f) {
      const FrameReport& report = report_here(f);
      Kokkos::parallel_for("tessera::mpr::to_angles", sites_of_frame(),
                           ToAngles<ExecSpace, Real>{m_status, values, m_angles, f * grid().sites(),
                                                     report.low, report.high});
    }
    if (m_samples.extent(0) > 0) Kokkos::deep_copy(exec(), m_samples, m_angles);
  }
  /// Sums over neighbouring pairs of samples; all ranks call this together.
  void count_pairs() {
    const bool far = options().paper && options().curvature.value_or(0) > 0;  // for equipartition
    m_pairs.clear();
    for (int f = 0; f < m_setting.frames; ++f)
      m_pairs.push_back(pair_means<ExecSpace, Real>(exec(), grid(), f, m_status, m_angles, far));
    m_pairs = m_setting.share.ranks.all_gather(m_pairs);
  }

  const FillSetting<ExecSpace>& setting() const { return m_setting; }
  /// A Site for each, where samples with errors are marked as noisy and the held rim of a part as
  /// samples.
  const Array<const std::uint8_t>& status() const { return m_status; }
  /// The angles of samples; of missing sites and of samples with errors those of the mean, once it
  /// was solved.
  const Array<Real>& angles() const { return m_angles; }
  /// The angles of samples, which no mean replaces.
  Array<const Real> samples() const { return options().noise ? m_samples : m_angles; }
  /// Standard deviations of the errors, in angle; empty without errors.
  const Array<Real>& noise() const { return m_noise; }
  const Array<std::uint16_t>& distance() const { return m_distance; }
  const GapShape& gaps() const { return m_gaps; }
  /// Returns the means over pairs of each frame of all ranks.
  const std::vector<PairMeans>& pairs() const { return m_pairs; }
  const std::vector<FrameReport>& reports() const { return m_reports; }
  std::vector<FrameReport>& reports() { return m_reports; }
  const FrameReport& report_here(int frame) const {
    return m_reports[static_cast<std::size_t>(m_setting.share.first + frame)];
  }
  /// Returns the factor from a variance of angles to one of the values of a frame of this rank.
  double square_scale(int frame) const {
    const FrameReport& report = report_here(frame);
    return std::pow((report.high - report.low) / kPi, 2);
  }

  bool wants_draws() const { return m_setting.wants_draws(m_gaps); }
  bool has_gaps() const {
    return options().noise ||
           std::any_of(m_reports.begin(), m_reports.end(),
                       [](const FrameReport& report) { return report.missing > 0; });
  }
  bool is_constant() const {
    return std::all_of(m_reports.begin(), m_reports.end(),
                       [](const FrameReport& report) { return report.constant; });
  }
  /// Frames of all ranks that say something of the couplings.
  std::vector<int> frames_with_variation() const {
    std::vector<int> frames;
    for (std::size_t f = 0; f < m_reports.size(); ++f) {
      if (!m_reports[f].constant) frames.push_back(static_cast<int>(f));
    }
    return frames;
  }
  /// The sum over samples of the squares of their errors, in angle, of each frame of all ranks.
  std::vector<double> squares_of_errors() const;

 private:
  const ExecSpace& exec() const { return m_setting.exec; }
  const Grid& grid() const { return m_setting.grid; }
  const FillOptions& options() const { return m_setting.options; }
  Range<ExecSpace> sites_of_frame() const { return {exec(), 0, grid().sites()}; }

  void describe_frames(const Array<const Real>& values);
  FrameReport describe_samples(int frame, const Array<const Real>& values) const;
  void widen_ranges(const std::optional<std::array<double, 2>>& range);
  void measure_gaps();
  void hold_rim();
  void enter_noise(const Array<const Real>& noise);

  const FillSetting<ExecSpace>& m_setting;
  Array<const std::uint8_t> m_status;
  Array<Real> m_angles, m_samples, m_noise;
  Array<std::uint16_t> m_distance;
  GapShape m_gaps;
  std::vector<FrameReport> m_reports;
  std::vector<PairMeans> m_pairs;
};

/// Finds sites and ranges of all frames, and refuses values that the precision does not hold. What
/// is left of a trend, parts and windows were looked at as a whole.
template <class ExecSpace, class Real>
void MappedSamples<ExecSpace, Real>::describe_frames(const Array<const Real>& values) {
  m_reports.clear();
  m_setting.share.ranks.together([&] {
    for (int f = 0; f < m_setting.frames; ++f) m_reports.push_back(describe_samples(f, values));
  });
  m_reports = m_setting.share.ranks.all_gather(m_reports);
  if (options().trend > 0 || options().part || options().windows) return;
  for (int f = 0; f < m_setting.all_frames(); ++f) {
    const FrameReport& report = m_reports[static_cast<std::size_t>(f)];
    if (report.samples == 0) continue;
    check_values(report.low, report.high, std::is_same_v<Real, float>,
                 m_reports.size() > 1 ? "frame " + std::to_string(f) : "the data");
  }
}

/// Counts samples, missing and other sites of a frame of this rank, and finds the range of its
/// samples.
template <class ExecSpace, class Real>
FrameReport MappedSamples<ExecSpace, Real>::describe_samples(
    int frame, const Array<const Real>& values) const {
  const FrameRange range = frame_range<ExecSpace, Real>(exec(), grid(), frame, m_status, values);
  FrameReport report;
  report.samples = range.samples;
  report.missing = range.missing;
  report.inactive = range.inactive;
  if (range.samples == 0 && range.missing > 0 && !options().part) {
    throw Error(ErrorKind::input,
                m_setting.name_of(frame) + (m_setting.all_frames() > 1 ? " has" : " have") +
                    " no sample: all " + std::to_string(range.missing) + " sites are missing",
                "check input.missing_value and input.mask");
  }
  report.low = range.low;
  report.high = range.high;
  return report;
}

/// Makes the ranges of the samples those of the angles: with margins, and the same for all windows
/// of an image.
template <class ExecSpace, class Real>
void MappedSamples<ExecSpace, Real>::widen_ranges(
    const std::optional<std::array<double, 2>>& range) {
  std::optional<std::array<double, 2>> common = range;
  if (options().windows && !common) {
    for (const FrameReport& report : m_reports) {
      if (report.samples == 0) continue;
      common = {std::min(common ? (*common)[0] : report.low, report.low),
                std::max(common ? (*common)[1] : report.high, report.high)};
    }
  }
  for (FrameReport& report : m_reports) {
    const double low = common ? (*common)[0] : report.low,
                 high = common ? (*common)[1] : report.high;
    report.constant = !(high > low);
    const double margin = options().padding * (high - low);
    report.low = report.samples > 0 || common ? low - margin : 0;
    report.high = report.samples > 0 || common ? high + margin : 0;
  }
}

/// Finds how far missing sites are from samples. A part has the shape of the whole image's gaps.
template <class ExecSpace, class Real>
void MappedSamples<ExecSpace, Real>::measure_gaps() {
  m_distance = Array<std::uint16_t>(
      Kokkos::view_alloc(exec(), Kokkos::WithoutInitializing, "tessera::mpr::distance"),
      options().paper ? 0 : m_setting.sites());
  if (options().paper) return;
  const int reach = options().part ? options().part->halo : 250;
  m_gaps = gap_distances<ExecSpace>(exec(), grid(), m_setting.frames, m_status, m_distance, reach,
                                    options().metric.periodic, false, m_setting.share);
  if (grid().nz > 1 && has_distant_sites<ExecSpace>(exec(), m_status, m_distance, m_setting.share))
    m_gaps.block = std::max(m_gaps.block, 2);
  if (!options().part) return;
  m_gaps = options().part->estimates.gaps;
  if (!options().part->rim.sites.empty()) hold_rim();
}

/// Makes missing sites of the rim that are far from every sample samples, with the values that are
/// known of them.
template <class ExecSpace, class Real>
void MappedSamples<ExecSpace, Real>::hold_rim() {
  const Rim& rim = options().part->rim;
  const auto status =
      allocate<Array<std::uint8_t>>(exec(), "tessera::mpr::status_with_rim", m_angles.extent(0));
  Kokkos::deep_copy(exec(), status, m_status);
  const FrameReport& report = m_reports.front();
  Kokkos::parallel_for(
      "tessera::mpr::hold_rim",
      Range<ExecSpace>(exec(), 0, static_cast<std::int64_t>(rim.sites.size())),
      HoldRim<ExecSpace, Real>{upload(exec(), "tessera::mpr::rim_sites", rim.sites),
                               upload(exec(), "tessera::mpr::rim_values", rim.values), m_distance,
                               status, m_angles, report.low, report.high});
  exec().fence();  // before the temporary arrays go
  m_status = status;
}

template <class ExecSpace, class Real>
void MappedSamples<ExecSpace, Real>::enter_noise(const Array<const Real>& noise) {
  const std::size_t all = m_angles.extent(0);
  const auto status = allocate<Array<std::uint8_t>>(exec(), "tessera::mpr::status_with_noise", all);
  m_noise = allocate<Array<Real>>(exec(), "tessera::mpr::noise", all);
  m_samples = allocate<Array<Real>>(exec(), "tessera::mpr::samples", all);
  Kokkos::deep_copy(exec(), status, m_status);
  Kokkos::deep_copy(exec(), m_samples, m_angles);
  for (int f = 0; f < m_setting.frames; ++f) {
    const FrameReport& report = report_here(f);
    const double scale = report.constant ? 0 : kPi / (report.high - report.low);
    Kokkos::parallel_for(
        "tessera::mpr::mark_noisy", sites_of_frame(),
        MarkNoisy<ExecSpace, Real>{noise, status, m_noise, f * grid().sites(), scale});
  }
  m_status = status;
}

template <class ExecSpace, class Real>
std::vector<double> MappedSamples<ExecSpace, Real>::squares_of_errors() const {
  const std::vector<Real> noise = download(exec(), m_noise);
  const std::vector<std::uint8_t> status = download(exec(), m_status);
  std::vector<double> of_frame(static_cast<std::size_t>(m_setting.frames), 0);
  for (std::size_t i = 0; i < noise.size(); ++i) {
    if (has_value(status[i]))
      of_frame[i / static_cast<std::size_t>(grid().sites())] +=
          static_cast<double>(noise[i]) * static_cast<double>(noise[i]);
  }
  return m_setting.share.ranks.all_gather(of_frame);
}

}  // namespace tessera::mpr::detail

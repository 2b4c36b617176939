// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/mpr/fill/array_kernels.hpp"
#include "tessera/mpr/fill/estimate.hpp"
#include "tessera/mpr/fill/gap_fill.hpp"
#include "tessera/mpr/fill/value_range.hpp"

/// Fills the gaps of images or stacks as a program holds them, in the memory of the execution
/// space: NaN, or marked by a mask. It gives what task fill of tessera-mpr gives of a file of the
/// same numbers, to the bit, but for errors of the samples, transforms, trends and backgrounds,
/// which it does not know. Method and accuracy: gap_fill.hpp.
///
/// Example (tests/install/examples/mpr.cpp):
///
///     mpr::FillOptions options;
///     options.seed = 1;
///     mpr::ArrayFill<ExecSpace, float, float> fill(exec, grid, 1, options);
///     fill.prepare(values, {}, {});  // NaN where nothing is known
///     while (fill.advance()) {
///     }
///     fill.conclude();
///     fill.filled(values, values);  // in place
///
/// Errors, thrown by prepare() as Error (input): an infinite sample, with its place, values that
/// the precisions do not hold (value_range.hpp), and what GapFill::prepare() throws.

namespace tessera::mpr {

/// T: float or double, of the numbers of the program; Real: of the model.
template <class ExecSpace, class Real, class T>
class ArrayFill {
 public:
  template <class Number>
  using Array = mpr::Array<ExecSpace, Number>;

  /// Takes what GapFill takes.
  ArrayFill(const ExecSpace& exec, const Grid& grid, int frames, const FillOptions& options)
      : m_exec(exec),
        m_grid(grid),
        m_fill(exec, grid, frames, options),
        m_frames(frames),
        m_simulates(options.simulates()) {}

  /// Bytes on the device at most, with the caller's values.
  static double memory(const Grid& grid, int frames, const FillOptions& options) {
    return GapFill<ExecSpace, Real>::memory(grid, frames, options) +
           static_cast<double>(grid.sites()) * frames * (sizeof(T) + 2 * sizeof(Real));
  }

  /// Estimates the model and starts the chains. values: [frame][layer][row][column], NaN where they
  /// are missing. missing, inactive: bytes that are not 0 where sites are, of all of them or of one
  /// image; or none.
  void prepare(const Array<const T>& values, const Array<const std::uint8_t>& missing,
               const Array<const std::uint8_t>& inactive);

  /// One batch of sweeps or draws; false when all are done, or there are none.
  bool advance() { return m_simulates && m_fill.advance(); }

  /// Takes mean and standard deviation, after the last batch.
  void conclude();

  /// The results, as many numbers as there are values: those without gaps; the same with NaN at
  /// inactive sites; standard deviations, 0 at samples and NaN at inactive sites; the calibrated
  /// quantile p of the law of each site. The values are those given to prepare(); the result may
  /// take their place. Asynchronous. Without FillOptions::variance there are no deviations and
  /// quantiles.
  void filled(const Array<const T>& values, const Array<T>& result) const {
    predict(values, 0, true, result);
  }
  void mean(const Array<const T>& values, const Array<T>& result) const {
    predict(values, 0, false, result);
  }
  void quantile(double p, const Array<const T>& values, const Array<T>& result) const {
    predict(values, m_fill.calibration().quantile(p, true), false, result);
  }
  void deviation(const Array<T>& result) const;

  const GapFill<ExecSpace, Real>& model() const { return m_fill; }

 private:
  void inspect(const Array<const T>& values);
  void find_offsets(const Array<const T>& values);
  void predict(const Array<const T>& values, double z, bool whole, const Array<T>& result) const;

  ExecSpace m_exec;
  Grid m_grid;
  GapFill<ExecSpace, Real> m_fill;
  int m_frames;
  bool m_simulates;             // else there is the mean alone
  bool m_single = true;         // float holds all values without loss
  bool m_single_spread = true;  // and what is as small or as large as their range
  Array<std::uint8_t> m_status;
  Array<double> m_offsets;  // of each frame: the middle of the range of its samples
  Array<Real> m_mean, m_deviation;
};

template <class ExecSpace, class Real, class T>
void ArrayFill<ExecSpace, Real, T>::prepare(const Array<const T>& values,
                                            const Array<const std::uint8_t>& missing,
                                            const Array<const std::uint8_t>& inactive) {
  const std::size_t all = m_fill.sites();
  const detail::Range<ExecSpace> range(m_exec, 0, static_cast<std::int64_t>(all));
  m_status = allocate<Array<std::uint8_t>>(m_exec, "tessera::mpr::status", all);
  Kokkos::parallel_for("tessera::mpr::mark_sites", range,
                       detail::MarkSites<ExecSpace, T>{values, missing, inactive, m_status});
  inspect(values);
  find_offsets(values);
  const auto centred = allocate<Array<Real>>(m_exec, "tessera::mpr::values", all);
  Kokkos::parallel_for(
      "tessera::mpr::centre_values", range,
      detail::CentreValues<ExecSpace, Real, T>{values, m_offsets, m_grid.sites(), centred});
  m_simulates ? m_fill.prepare(centred, m_status) : m_fill.estimate(centred, m_status);
}

template <class ExecSpace, class Real, class T>
void ArrayFill<ExecSpace, Real, T>::inspect(const Array<const T>& values) {
  const detail::InspectValues<ExecSpace, T> look{values, m_status,
                                                 static_cast<std::int64_t>(m_fill.sites())};
  const auto result = allocate<Kokkos::View<detail::KindOfValues, ExecSpace>>(
      m_exec, "tessera::mpr::kind_of_values");
  Kokkos::parallel_reduce("tessera::mpr::inspect_values",
                          detail::Range<ExecSpace>(m_exec, 0, look.items), look,
                          compat::Sum<detail::KindOfValues, ExecSpace>(result));
  const detail::KindOfValues found = download_scalar(m_exec, result);
  m_single = found.wide == 0;
  if (found.infinite == detail::KindOfValues::kNowhere) return;
  const Position at = m_grid.position(found.infinite);
  throw Error(ErrorKind::input,
              "the data hold an infinite value (" +
                  (at.z > 0 ? "image " + std::to_string(at.z) + ", " : std::string()) + "row " +
                  std::to_string(at.y) + ", column " + std::to_string(at.x) + ")",
              "make it NaN, or mark it as missing");
}

template <class ExecSpace, class Real, class T>
void ArrayFill<ExecSpace, Real, T>::find_offsets(const Array<const T>& values) {
  std::vector<double> offsets;
  for (int f = 0; f < m_frames; ++f) {
    const detail::FrameRange range =
        detail::frame_range<ExecSpace, T>(m_exec, m_grid, f, m_status, values);
    if (range.samples > 0) {
      constexpr bool single_model = std::is_same_v<Real, float>,
                     single_array = std::is_same_v<T, float>;
      check_values(range.low, range.high, single_model || single_array,
                   m_frames > 1 ? "frame " + std::to_string(f) : "the array",
                   single_array ? "give an array in double precision with model.precision: double"
                                : "give model.precision: double");
      m_single_spread = m_single_spread && kLimitsOfSingle.hold(range.low, range.high);
    }
    offsets.push_back(range.samples > 0 ? range.low + 0.5 * (range.high - range.low) : 0);
  }
  m_offsets = upload(m_exec, "tessera::mpr::offsets", offsets);
}

template <class ExecSpace, class Real, class T>
void ArrayFill<ExecSpace, Real, T>::conclude() {
  const std::size_t all = m_fill.sites();
  m_mean = allocate<Array<Real>>(m_exec, "tessera::mpr::mean", all);
  if (!m_simulates) {
    m_fill.mean(m_mean);
    return;
  }
  m_deviation = allocate<Array<Real>>(m_exec, "tessera::mpr::deviation", all);
  if (m_fill.has_moments()) m_fill.moments(m_mean, m_deviation);  // else nothing is missing
}

template <class ExecSpace, class Real, class T>
void ArrayFill<ExecSpace, Real, T>::predict(const Array<const T>& values, double z, bool whole,
                                            const Array<T>& result) const {
  Kokkos::parallel_for(
      "tessera::mpr::predict_values",
      detail::Range<ExecSpace>(m_exec, 0, static_cast<std::int64_t>(m_fill.sites())),
      detail::PredictValues<ExecSpace, Real, T>{m_status, values, m_mean, m_deviation, m_offsets,
                                                m_grid.sites(), z, m_single && m_single_spread,
                                                whole, result});
}

template <class ExecSpace, class Real, class T>
void ArrayFill<ExecSpace, Real, T>::deviation(const Array<T>& result) const {
  Kokkos::parallel_for(
      "tessera::mpr::predict_deviations",
      detail::Range<ExecSpace>(m_exec, 0, static_cast<std::int64_t>(m_fill.sites())),
      detail::PredictDeviations<ExecSpace, Real, T>{m_status, m_deviation, m_single_spread,
                                                    result});
}

}  // namespace tessera::mpr

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/mpr/lattice/missing.hpp"
#include "tessera/mpr/lattice/rotator.hpp"

namespace tessera::mpr::detail {

/// Counts the neighbouring pairs of active sites.
template <class ExecSpace>
struct ActivePairs {
  Grid grid;
  Array<ExecSpace, const std::uint8_t> status;
  std::int64_t first;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site, std::int64_t& pairs) const {
    if (status(first + site) == kInactive) return;
    const std::int64_t row = grid.nx, layer = row * grid.ny;
    if (site % row + 1 < row && status(first + site + 1) != kInactive) ++pairs;
    if (site / row % grid.ny + 1 < grid.ny && status(first + site + row) != kInactive) ++pairs;
    if (site / layer + 1 < grid.nz && status(first + site + layer) != kInactive) ++pairs;
  }
};

/// Holds sites of a rim (image_part.hpp) that are missing and further than the halo from every
/// sample of the part. A functor over its sites.
template <class ExecSpace, class Real>
struct HoldRim {
  Array<ExecSpace, const std::int64_t> sites;
  Array<ExecSpace, const double> values;
  Array<ExecSpace, const std::uint16_t> distance;
  Array<ExecSpace, std::uint8_t> status;
  Array<ExecSpace, Real> angles;
  double low, high;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t i = sites(k);
    if (status(i) != kMissing || distance(i) != kOutOfReach) return;
    status(i) = kSample;
    angles(i) = static_cast<Real>(kPi * (values(k) - low) / (high - low));
  }
};

/// Marks the samples of a frame that have errors, and brings their standard deviations from values
/// to angles: times `scale`, which is 0 where all samples are equal.
template <class ExecSpace, class Real>
struct MarkNoisy {
  Array<ExecSpace, const Real> noise;  ///< in the units of the values
  Array<ExecSpace, std::uint8_t> status;
  Array<ExecSpace, Real> deviation;
  std::int64_t first;
  double scale;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = first + site;
    const bool noisy = status(i) == kSample && noise(i) > Real(0);
    deviation(i) = noisy ? static_cast<Real>(scale * static_cast<double>(noise(i))) : Real(0);
    if (noisy) status(i) = kNoisy;
  }
};

/// The factor of the model's standard deviation of a site: the calibration of its distance, and the
/// root of its local temperature.
template <class ExecSpace, class Real>
struct SpreadFactor {
  Array<ExecSpace, const std::uint16_t> distance;  ///< may be empty, as the others
  /// [frame][layer][distance]; the last distance also for greater ones
  Array<ExecSpace, const double> calibration;
  std::int64_t distances;                ///< of a layer in `calibration`
  std::int64_t sites;                    ///< of a layer
  Array<ExecSpace, const Real> lengths;  ///< root of T / T_local
  KOKKOS_INLINE_FUNCTION double operator()(std::int64_t i) const {
    double factor = 1;
    if (calibration.extent(0) > 0) {
      const std::int64_t last = distances - 1, steps = distance(i);
      factor = calibration(i / sites * distances + (steps < last ? steps : last));
    }
    return lengths.extent(0) > 0 ? factor / static_cast<double>(lengths(i)) : factor;
  }
};

/// Replaces realisations of angles by mean + spread (angle - mean), at the missing sites and at
/// noisy samples.
template <class ExecSpace, class Real>
struct SpreadMember {
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> mean;
  SpreadFactor<ExecSpace, Real> spread;
  Array<ExecSpace, Real> angle;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (!is_unknown(status(i))) return;
    const double centre = static_cast<double>(mean(i));
    angle(i) = static_cast<Real>(centre + spread(i) * (static_cast<double>(angle(i)) - centre));
  }
};

/// Converts angles to values and variances to standard deviations at the missing sites and at noisy
/// samples; other sites become NaN.
template <class ExecSpace, class Real>
struct ToValues {
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> angle, variance;
  Array<ExecSpace, Real> value, deviation;
  std::int64_t first;
  double low, scale;
  SpreadFactor<ExecSpace, Real> spread;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = first + site;
    const bool missing = is_unknown(status(i));
    const Real nan = static_cast<Real>(0.0 / 0.0);
    value(i) = missing ? static_cast<Real>(low + scale * static_cast<double>(angle(i))) : nan;
    if (deviation.extent(0) > 0) {
      const double square = missing ? static_cast<double>(variance(i)) : 0.0;
      deviation(i) =
          missing
              ? static_cast<Real>(scale * spread(i) * compat::math::sqrt(square < 0 ? 0.0 : square))
              : nan;
    }
  }
};

/// Finds the largest distance of angles of missing sites from the middle of the range; a large
/// number where one is NaN.
template <class ExecSpace, class Real>
struct FarthestAngle {
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> angle;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, double& farthest) const {
    if (!is_unknown(status(i))) return;
    const double away = compat::math::fabs(static_cast<double>(angle(i)) - 0.5 * kPi);
    if (!(away <= farthest)) farthest = away == away ? away : 1e300;
  }
};

/// Counts sites that are filled with no number, or whose standard deviation is infinite. It is NaN
/// at a site without neighbours, of which nothing is known.
template <class ExecSpace, class Real>
struct CountWithoutLaw {
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> value, deviation;  ///< deviation: may be empty
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const {
    if (!is_unknown(status(i))) return;
    const Real spread = deviation.extent(0) > 0 ? deviation(i) : Real(0);
    const bool is_infinite = spread == spread && spread - spread != Real(0);
    count += value(i) - value(i) != Real(0) || is_infinite ? 1 : 0;
  }
};

/// error = share * deviation where means are solved, or the root of factor * squares; NaN at
/// samples. A functor over the sites of a frame.
template <class ExecSpace, class Real>
struct MeanError {
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> deviation, squares;  ///< squares: of a chain; else empty
  Array<ExecSpace, Real> error;
  std::int64_t first;
  double share, factor;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = first + site;
    double value = 0.0 / 0.0;
    if (is_unknown(status(i))) {
      value = factor == 0 ? share * static_cast<double>(deviation(i)) : factor;
      if (squares.extent(0) > 0)
        value = compat::math::sqrt(factor * static_cast<double>(squares(i)));
    }
    error(i) = static_cast<Real>(value);
  }
};

}  // namespace tessera::mpr::detail

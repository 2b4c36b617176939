// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "tessera/mpr/fill/estimate.hpp"
#include "tessera/mpr/lattice/grid.hpp"

/// Conversions between the numbers of a program and those of the model, site by site; T: of the
/// program, Real: of the model.

namespace tessera::mpr::detail {

/// Marks the kinds of the sites: missing where the value is NaN or a byte of `missing` is not 0,
/// inactive where one of `inactive` is not 0. Bytes are those of all sites, or of a part of them
/// that repeats; there may be none.
template <class ExecSpace, class T>
struct MarkSites {
  Array<ExecSpace, const T> values;
  Array<ExecSpace, const std::uint8_t> missing, inactive;
  Array<ExecSpace, std::uint8_t> status;
  KOKKOS_INLINE_FUNCTION static bool is_marked(const Array<ExecSpace, const std::uint8_t>& bytes,
                                               std::int64_t i) {
    const auto period = static_cast<std::int64_t>(bytes.extent(0));
    return period > 0 && bytes(i % period) != 0;
  }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const bool unknown = values(i) != values(i) || is_marked(missing, i);
    status(i) = is_marked(inactive, i) ? kInactive : unknown ? kMissing : kSample;
  }
};

/// The first infinite sample, and whether there is a number that float does not hold.
struct KindOfValues {
  static constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();
  std::int64_t infinite = kNowhere;
  int wide = 0;
  KOKKOS_INLINE_FUNCTION KindOfValues& operator+=(const KindOfValues& other) {
    infinite = compat::min(infinite, other.infinite);
    wide |= other.wide;
    return *this;
  }
};

/// Item i looks at the values i, i + items, i + 2 items, ...
template <class ExecSpace, class T>
struct InspectValues {
  Array<ExecSpace, const T> values;
  Array<ExecSpace, const std::uint8_t> status;
  std::int64_t sites, items = (sites + kSitesOfItem<ExecSpace> - 1) / kSitesOfItem<ExecSpace>;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, KindOfValues& found) const {
    TESSERA_UNROLL
    for (std::int64_t k = 0; k < kSitesOfItem<ExecSpace>; ++k) {
      const std::int64_t site = i + k * items;
      if (site >= sites) break;
      const T value = values(site);
      const bool is_number = value == value,
                 is_infinite = is_number && status(site) == kSample && value - value != 0;
      if (is_number && static_cast<T>(static_cast<float>(value)) != value) found.wide = 1;
      if (is_infinite) found.infinite = compat::min(found.infinite, site);
    }
  }
};

/// Values less the offset of their frame.
template <class ExecSpace, class Real, class T>
struct CentreValues {
  Array<ExecSpace, const T> values;
  Array<ExecSpace, const double> offsets;
  std::int64_t sites;  ///< of a frame
  Array<ExecSpace, Real> centred;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    centred(i) = static_cast<Real>(static_cast<double>(values(i)) - offsets(i / sites));
  }
};

/// Mean + z standard deviation at missing sites, with the offset of their frame, rounded to float
/// where `single`; values as they were read at samples and, where `whole`, at inactive sites, which
/// else become NaN.
template <class ExecSpace, class Real, class T>
struct PredictValues {
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const T> values;
  Array<ExecSpace, const Real> mean, deviation;
  Array<ExecSpace, const double> offsets;
  std::int64_t sites;
  double z;
  bool single, whole;
  Array<ExecSpace, T> result;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (status(i) != kMissing) {
      result(i) = status(i) == kSample || whole ? values(i) : static_cast<T>(0.0 / 0.0);
      return;
    }
    double value = static_cast<double>(mean(i)) + offsets(i / sites);
    if (z != 0) value += z * static_cast<double>(deviation(i));
    result(i) = single ? static_cast<T>(static_cast<float>(value)) : static_cast<T>(value);
  }
};

/// Standard deviations at missing sites, rounded to float where `single`, 0 at samples, NaN at
/// inactive sites.
template <class ExecSpace, class Real, class T>
struct PredictDeviations {
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> deviation;
  bool single;
  Array<ExecSpace, T> result;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const std::uint8_t kind = status(i);
    result(i) = kind == kSample    ? T(0)
                : kind != kMissing ? static_cast<T>(0.0 / 0.0)
                : single           ? static_cast<T>(static_cast<float>(deviation(i)))
                                   : static_cast<T>(deviation(i));
  }
};

}  // namespace tessera::mpr::detail

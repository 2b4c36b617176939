// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tessera/core/device/exact_sum.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/chains/temperature.hpp"
#include "tessera/mpr/lattice/frame_report.hpp"
#include "tessera/mpr/lattice/frame_share.hpp"
#include "tessera/mpr/linear/linear_fill.hpp"

/// Estimates from the samples: their range, correlations of neighbouring pairs and the shape of the
/// gaps. All functions wait for the device.

namespace tessera::mpr::detail {

/// The number of sites of a reduction that a thread looks at: on a GPU several, so that it waits
/// for their loads together.
template <class ExecSpace>
inline constexpr std::int64_t kSitesOfItem = compat::is_gpu_v<ExecSpace> ? 16 : 1;

/// Smallest and largest sample of a frame, and the numbers of sites of each kind.
struct FrameRange {
  static constexpr double kNothing = std::numeric_limits<double>::infinity();
  double low = kNothing, high = -kNothing;
  std::int64_t samples = 0, missing = 0, inactive = 0;
  KOKKOS_INLINE_FUNCTION FrameRange& operator+=(const FrameRange& other) {
    low = compat::min(low, other.low);
    high = compat::max(high, other.high);
    samples += other.samples;
    missing += other.missing;
    inactive += other.inactive;
    return *this;
  }
};

/// Item i looks at the sites i, i + items, i + 2 items, ...
template <class ExecSpace, class Real>
struct SampleRange {
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> values;
  std::int64_t first, sites,
      items = (sites + kSitesOfItem<ExecSpace> - 1) / kSitesOfItem<ExecSpace>;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, FrameRange& found) const {
    TESSERA_UNROLL
    for (std::int64_t k = 0; k < kSitesOfItem<ExecSpace>; ++k) {
      const std::int64_t site = i + k * items;
      if (site >= sites) break;
      const std::uint8_t kind = status(first + site);
      const double value = static_cast<double>(values(first + site));
      const bool is_sample = kind == kSample;
      found.low = is_sample ? compat::min(found.low, value) : found.low;
      found.high = is_sample ? compat::max(found.high, value) : found.high;
      found.samples += is_sample ? 1 : 0;
      found.missing += kind == kMissing ? 1 : 0;
    }
  }
};

/// theta = pi (z - low) / (high - low) at the samples of a frame; pi / 2 at other sites, and where
/// low = high.
template <class ExecSpace, class Real>
struct ToAngles {
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> values;
  Array<ExecSpace, Real> angles;
  std::int64_t first;
  double low, high;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = first + site;
    const bool sample = has_value(status(i)) && high > low;
    angles(i) =
        sample ? static_cast<Real>(kPi * ((static_cast<double>(values(i)) - low) / (high - low)))
               : Real(0.5 * kPi);
  }
};

/// Sums of 1 - cos(theta_i - theta_j) over pairs of samples in nine directions (N = 3: nearest
/// neighbours only).
template <int N>
struct PairSums {
  ExactSum sum[N];
  std::uint64_t count[N] = {};
  KOKKOS_INLINE_FUNCTION PairSums& operator+=(const PairSums& other) {
    for (int k = 0; k < N; ++k) {
      sum[k] += other.sum[k];
      count[k] += other.count[k];
    }
    return *this;
  }
};

template <class ExecSpace, class Real, int N>
struct SamplePairs {
  using value_type = PairSums<N>;
  Grid grid;
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> angles;
  std::int64_t first;

  KOKKOS_INLINE_FUNCTION void pair(Real own, int x, int y, int z, int k, PairSums<N>& sums) const {
    if (x < 0 || x >= grid.nx || y >= grid.ny || z >= grid.nz || y < 0) return;
    const std::int64_t j = first + grid.site(x, y, z);
    if (!has_value(status(j))) return;
    const double half =
        compat::math::sin(0.5 * (static_cast<double>(own) - static_cast<double>(angles(j))));
    sums.sum[k].add(2 * half * half);
    ++sums.count[k];
  }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site, PairSums<N>& sums) const {
    if (!has_value(status(first + site))) return;
    const Real own = angles(first + site);
    const Position at = grid.position(site);
    const int x = at.x, y = at.y, z = static_cast<int>(at.z);
    pair(own, x + 1, y, z, 0, sums);
    pair(own, x, y + 1, z, 1, sums);
    pair(own, x, y, z + 1, 2, sums);
    if constexpr (N == 9) {
      pair(own, x + 2, y, z, 3, sums);
      pair(own, x, y + 2, z, 4, sums);
      pair(own, x, y, z + 2, 5, sums);
      pair(own, x + 1, y + 1, z, 6, sums);
      pair(own, x - 1, y + 1, z, 6, sums);
      pair(own, x + 1, y, z + 1, 7, sums);
      pair(own, x - 1, y, z + 1, 7, sums);
      pair(own, x, y + 1, z + 1, 8, sums);
      pair(own, x, y - 1, z + 1, 8, sums);
    }
  }
};

/// Missing sites next to one at distance d - 1 from the samples get the distance d.
template <class ExecSpace>
struct GrowDistance {
  Grid grid;
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, std::uint16_t> distance;
  std::uint16_t d;
  bool periodic;  // along x
  bool across;    // steps to other layers count
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, std::int64_t& grown) const {
    if (distance(i) != kOutOfReach || status(i) != kMissing) return;
    const Position at = grid.position(i);
    const int x = at.x, y = at.y, z = static_cast<int>(at.z % grid.nz);
    const std::int64_t row = grid.nx, layer = row * grid.ny;
    const std::int64_t left = x > 0      ? i - 1
                              : periodic ? i + row - 1
                                         : i,
                       right = x + 1 < grid.nx ? i + 1
                               : periodic      ? i - row + 1
                                               : i;
    const bool near = distance(left) == d - 1 || distance(right) == d - 1 ||
                      (y > 0 && distance(i - row) == d - 1) ||
                      (y + 1 < grid.ny && distance(i + row) == d - 1) ||
                      (across && z > 0 && distance(i - layer) == d - 1) ||
                      (across && z + 1 < grid.nz && distance(i + layer) == d - 1);
    if (!near) return;
    distance(i) = d;
    ++grown;
  }
};
template <class ExecSpace>
struct BeginDistance {
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, std::uint16_t> distance;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    distance(i) = has_value(status(i)) ? 0 : kOutOfReach;
  }
};

template <class ExecSpace>
struct DistantSites {
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const std::uint16_t> distance;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, int& distant) const {
    if (status(i) == kMissing && distance(i) == kOutOfReach) distant = 1;
  }
};

/// The range of the samples of a frame.
template <class ExecSpace, class Real>
FrameRange frame_range(const ExecSpace& exec, const Grid& grid, int frame,
                       const Array<ExecSpace, const std::uint8_t>& status,
                       const Array<ExecSpace, const Real>& values) {
  const SampleRange<ExecSpace, Real> look{status, values, frame * grid.sites(), grid.sites()};
  const auto found =
      allocate<Kokkos::View<FrameRange, ExecSpace>>(exec, "tessera::mpr::frame_range");
  Kokkos::parallel_reduce("tessera::mpr::sample_range", Range<ExecSpace>(exec, 0, look.items), look,
                          compat::Sum<FrameRange, ExecSpace>(found));
  FrameRange range = download_scalar(exec, found);
  range.inactive = grid.sites() - range.samples - range.missing;
  return range;
}

/// Means of cos(theta_i - theta_j) over pairs of samples of a frame; `far`: also of second
/// neighbours.
template <class ExecSpace, class Real>
PairMeans pair_means(const ExecSpace& exec, const Grid& grid, int frame,
                     const Array<ExecSpace, const std::uint8_t>& status,
                     const Array<ExecSpace, const Real>& angles, bool far) {
  PairMeans means;
  const Range<ExecSpace> range(exec, 0, grid.sites());
  const auto read = [&]<int N>(const PairSums<N>& sums) {
    for (int k = 0; k < N; ++k) {
      auto& mean = k < 3 ? means.nearest : k < 6 ? means.second : means.diagonal;
      auto& count = k < 3 ? means.nearest_count : k < 6 ? means.second_count : means.diagonal_count;
      count[k % 3] = static_cast<double>(sums.count[k]);
      mean[k % 3] =
          sums.count[k] > 0 ? 1 - sums.sum[k].value() / static_cast<double>(sums.count[k]) : 1.0;
    }
  };
  if (far) {
    const Kokkos::View<PairSums<9>, ExecSpace> sums(
        Kokkos::view_alloc(exec, "tessera::mpr::pair_sums"));
    Kokkos::parallel_reduce(
        "tessera::mpr::sample_pairs", range,
        SamplePairs<ExecSpace, Real, 9>{grid, status, angles, frame * grid.sites()},
        compat::Sum<PairSums<9>, ExecSpace>(sums));
    read(download_scalar(exec, sums));
  } else {
    const Kokkos::View<PairSums<3>, ExecSpace> sums(
        Kokkos::view_alloc(exec, "tessera::mpr::pair_sums"));
    Kokkos::parallel_reduce(
        "tessera::mpr::sample_pairs", range,
        SamplePairs<ExecSpace, Real, 3>{grid, status, angles, frame * grid.sites()},
        compat::Sum<PairSums<3>, ExecSpace>(sums));
    read(download_scalar(exec, sums));
  }
  return means;
}

/// Sets `distance`, in steps, of each site: 0 at samples, kOutOfReach where no sample is within
/// `reach` steps. Returns the shape of the gaps. periodic: columns go round. across: steps to other
/// layers of a stack count. share: of the frames; the shape is that of the gaps of all of them, and
/// all ranks call this together.
template <class ExecSpace>
GapShape gap_distances(const ExecSpace& exec, const Grid& grid, int frames,
                       const Array<ExecSpace, const std::uint8_t>& status,
                       const Array<ExecSpace, std::uint16_t>& distance, int reach,
                       bool periodic = false, bool across = true, const FrameShare& share = {}) {
  const std::int64_t sites = grid.sites() * frames;
  const Range<ExecSpace> range(exec, 0, sites);
  Kokkos::parallel_for("tessera::mpr::begin_distance", range,
                       BeginDistance<ExecSpace>{status, distance});
  std::vector<std::uint64_t> sums(2, 0);  // of the distances, and their number
  constexpr int kStepsAtOnce = 4;         // then the host looks whether there is anything left
  const Kokkos::View<std::int64_t*, ExecSpace> grown(
      Kokkos::view_alloc(exec, "tessera::mpr::sites_at_distance"), kStepsAtOnce);
  for (int first = 1, last = 0; first <= reach; first = last + 1) {
    last = std::min(first + kStepsAtOnce - 1, reach);
    for (int d = first; d <= last; ++d) {
      const Kokkos::View<std::int64_t, ExecSpace> here = Kokkos::subview(grown, d - first);
      Kokkos::parallel_reduce(
          "tessera::mpr::grow_distance", range,
          GrowDistance<ExecSpace>{grid, status, distance, static_cast<std::uint16_t>(d), periodic,
                                  across},
          Kokkos::Sum<std::int64_t, ExecSpace>(here));
    }
    const std::vector<std::int64_t> counts = download(exec, grown);
    for (int d = first; d <= last; ++d) {
      const auto here = static_cast<std::uint64_t>(counts[static_cast<std::size_t>(d - first)]);
      sums[0] += static_cast<std::uint64_t>(d) * here;
      sums[1] += here;
    }
    if (counts[static_cast<std::size_t>(last - first)] == 0) break;
  }
  share.ranks.sum(sums);
  const auto sum = static_cast<double>(sums[0]), count = static_cast<double>(sums[1]);
  GapShape shape;
  if (count == 0) return shape;
  shape.mean_distance = sum / count;
  // A site among sites missing at random is further than d steps from a sample with probability
  // p^(2 d (d + 1)) in two dimensions.
  const double p = count / (static_cast<double>(grid.sites()) * share.in_all(frames));
  double at_random = 1;
  for (int d = 1; d < 64; ++d) at_random += std::pow(p, 2.0 * d * (d + 1));
  if (shape.mean_distance > 1.5 * at_random)
    shape.block = std::max(2, static_cast<int>(std::lround(6 * (shape.mean_distance - 0.5))));
  return shape;
}

/// Returns whether a missing site has no sample within reach of `gap_distances`, in a frame of any
/// rank.
template <class ExecSpace>
bool has_distant_sites(const ExecSpace& exec, const Array<ExecSpace, const std::uint8_t>& status,
                       const Array<ExecSpace, std::uint16_t>& distance, const FrameShare& share) {
  int distant = 0;
  Kokkos::parallel_reduce("tessera::mpr::distant_sites",
                          Range<ExecSpace>(exec, 0, static_cast<std::int64_t>(status.extent(0))),
                          DistantSites<ExecSpace>{status, distance}, Kokkos::Max<int>(distant));
  exec.fence();
  return share.ranks.max(distant) > 0;
}

}  // namespace tessera::mpr::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_UnorderedMap.hpp>
#include <cstdint>
#include <limits>

#include "tessera/core/app/stop_flag.hpp"
#include "tessera/core/random.hpp"
#include "tessera/gbees/particles/particle_ensemble.hpp"
#include "tessera/gbees/particles/particle_sums.hpp"
#include "tessera/gbees/propagator/likelihood.hpp"
#include "tessera/gbees/regions/region_function.hpp"

/// The kernels of the Monte Carlo comparison: one particle after the other, or chunks of a fixed
/// number of them, so that sums do not depend on the threads. What has a StopFlag ends early when a
/// signal has been received, and its results are of no use then.

namespace tessera::gbees::detail {

/// Streams of random numbers, of each ensemble from its own on (MonteCarloParameters::stream).
enum RandomStream : std::uint32_t {
  kStreamInitial = 101,
  kStreamNoise,
  kStreamErrors,
  kStreamResampling,
  kStreamManeuvers
};

/// The initial density as a source of particles (ParticleStart) in the memory of a device.
template <int D, class Numbers>
struct ParticleSource : ParticleShape<D> {
  using Shape = typename ParticleShape<D>::Shape;
  Numbers points, cumulative_weights, roots;

  /// Particle n.
  KOKKOS_INLINE_FUNCTION Vector<D> operator()(const Philox& random, std::uint64_t n) const {
    double normal[D + 1], uniform[D + 1];
    TESSERA_UNROLL
    for (int i = 0; i < D; i += 2) {
      const Philox::Bits bits = random.bits(n, static_cast<std::uint64_t>(i / 2));
      const NormalPair pair(bits);
      normal[i] = pair.first;
      normal[i + 1] = pair.second;
      uniform[i] = Philox::uniform(bits, 0);
      uniform[i + 1] = Philox::uniform(bits, 1);
    }
    Vector<D> x = this->mean;
    if (this->shape == Shape::gaussian) {
      for (int i = 0; i < D; ++i) {
        for (int j = 0; j <= i; ++j) x[i] += this->root[i][j] * normal[j];
      }
      return x;
    }
    const bool chooses = this->shape == Shape::points || this->shape == Shape::mixture;
    const std::size_t chosen = chooses ? choose(Philox::uniform(random.bits(n, D), 0)) : 0;
    if (this->shape == Shape::mixture) {
      for (int i = 0; i < D; ++i) {
        x[i] = points(chosen * D + i);
        for (int j = 0; j <= i; ++j) x[i] += roots((chosen * D + i) * D + j) * normal[j];
      }
      return x;
    }
    Vector<D> y{};
    for (int i = 0; i < D; ++i) {
      const double at = this->shape == Shape::box
                            ? this->low[i] + this->size[i] * uniform[i]
                            : points(chosen * D + i) + this->cell[i] * (uniform[i] - 0.5);
      for (int a = 0; a < D; ++a) y[a] += this->axes[i][a] * (at - this->centre[i]);
    }
    return y;
  }

 private:
  /// A point with a probability that is its weight, from a uniform number: the first whose
  /// cumulative weight reaches it.
  KOKKOS_INLINE_FUNCTION std::size_t choose(double uniform) const {
    std::size_t first = 0, last = cumulative_weights.extent(0) - 1;
    const double at = uniform * cumulative_weights(last);
    while (first < last) {
      const std::size_t middle = (first + last) / 2;
      if (cumulative_weights(middle) < at) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  }
};

/// The circles on which variables lie: their particles stay in the base intervals.
template <int D>
struct ParticleCircles {
  Circle circle[D];
  bool any = false;

  KOKKOS_INLINE_FUNCTION void bring_in(Vector<D>& x) const {
    if (!any) return;
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) x[i] = circle[i].bring_in(x[i]);
  }
};

/// `first`, of all kernels that draw random numbers: the number of the first particle that this
/// rank has.
template <int D, class Source, class Points>
struct DrawParticles {
  Source source;
  ParticleCircles<D> circles;
  Philox random;
  std::uint64_t first;
  Points points;
  StopFlag<typename Points::execution_space> stop;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n) const {
    if (stop.raised()) return;
    Vector<D> x = source(random, first + n);
    circles.bring_in(x);
    for (int i = 0; i < D; ++i) points(n, i) = x[i];
  }
};

/// Regions as particles see them.
template <int D>
struct ParticleRegions {
  static constexpr std::uint8_t kGone = 255;  ///< absorbed before the last measurement
  const RegionFunction<D>* function = nullptr;
  const std::uint8_t* absorbs = nullptr;
  int count = 0;
  /// Number of the region that has absorbed each particle, from 1, or 0
  std::uint8_t* absorbed = nullptr;

  KOKKOS_INLINE_FUNCTION bool has_absorbed(std::uint32_t n) const {
    return count > 0 && absorbed[n] != 0;
  }

  /// Absorbs a particle that is at x now if a region does, and returns whether one does.
  KOKKOS_INLINE_FUNCTION bool absorb(std::uint32_t n, const Vector<D>& x, double t) const {
    for (int r = 0; r < count; ++r) {
      if (absorbs[r] == 0 || !function[r].holds(x, t)) continue;
      absorbed[n] = static_cast<std::uint8_t>(r + 1);
      return true;
    }
    return false;
  }
};

/// A matrix R of process noise of the spectral density R R^T.
template <int D>
struct NoiseRoot {
  double row[D][D];
};

template <class Dynamics, class Points>
struct MoveParticles {
  static constexpr int D = Dynamics::dimension;
  Dynamics dynamics;
  Points points;
  NoiseRoot<D> noise;
  bool is_noisy;
  Philox random;
  std::uint64_t first;
  double time, dt;
  std::uint64_t first_step;
  int steps;
  ParticleRegions<D> regions;
  ParticleCircles<D> circles;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n) const {
    if (regions.has_absorbed(n)) return;
    Vector<D> x;
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) x[i] = points(n, i);
    for (int step = 0; step < steps; ++step) {
      const Vector<D> deviation = deviations(x, time + step * dt);
      advance(x, time + step * dt);
      if (is_noisy) kick(x, deviation, first + n, first_step + static_cast<std::uint64_t>(step));
      if constexpr (takes_circles<Dynamics>()) circles.bring_in(x);
      if (regions.absorb(n, x, time + (step + 1) * dt)) break;
    }
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) points(n, i) = x[i];
  }

 private:
  /// Loops over variables are unrolled, so that a thread's arrays are registers.
  KOKKOS_INLINE_FUNCTION void advance(Vector<D>& x, double t) const {
    Vector<D> sum{}, at = x, rate{};
    for (int stage = 0; stage < 4; ++stage) {
      const double weight = stage == 0 || stage == 3 ? 1.0 / 6 : 1.0 / 3;
      const double reach = stage == 0 ? 0 : stage == 3 ? 1 : 0.5;
      TESSERA_UNROLL
      for (int i = 0; i < D; ++i) at[i] = x[i] + reach * dt * rate[i];
      rate = velocities_at(dynamics, at, t + reach * dt);
      TESSERA_UNROLL
      for (int i = 0; i < D; ++i) sum[i] += weight * rate[i];
    }
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) x[i] += dt * sum[i];
  }

  /// The roots of the densities of noise that depends on the state.
  KOKKOS_INLINE_FUNCTION Vector<D> deviations(const Vector<D>& x, double t) const {
    Vector<D> root{};
    if constexpr (takes_noise<Dynamics>()) {
      if (!dynamics.has_noise()) return root;
      TESSERA_UNROLL
      for (int i = 0; i < D; ++i) root[i] = compat::math::sqrt(dynamics.noise(i, x, t));
    }
    return root;
  }

  /// `deviation`: of noise that depends on the state, at the beginning of the step.
  KOKKOS_INLINE_FUNCTION void kick(Vector<D>& x, const Vector<D>& deviation, std::uint64_t n,
                                   std::uint64_t step) const {
    const double size = compat::math::sqrt(dt);
    double normal[D + 1];
    TESSERA_UNROLL
    for (int i = 0; i < D; i += 2) {
      const NormalPair pair(
          random.bits(n, step * ((D + 1) / 2) + static_cast<std::uint64_t>(i / 2)));
      normal[i] = pair.first;
      normal[i + 1] = pair.second;
    }
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) {
      TESSERA_UNROLL
      for (int j = 0; j < D; ++j) x[i] += size * noise.row[i][j] * normal[j];
      if (has_noise(dynamics)) x[i] += size * deviation[i] * normal[i];
    }
  }
};

template <int D, class Points, class Weights>
struct WeighParticles {
  Likelihood<D> likelihood;
  Points points;
  Weights log_weight;
  double time;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n) const {
    Vector<D> x;
    for (int i = 0; i < D; ++i) x[i] = points(n, i);
    log_weight(n) -= 0.5 * likelihood.distance(x, time);
  }
};

// -------------------------------------------------------------------------------------------------
// sums

/// Particles as the sums see them: how much each weighs and where on the grid it is.
template <int D, class Points, class Weights>
struct WeightedParticles {
  Points points;
  Weights log_weight;
  Grid<D> grid;
  ParticleRegions<D> regions;
  double largest = 0;  ///< logarithm of a weight
  double total = 1;    ///< of all weights, in units of that one

  /// The share of all weights that a logarithm of one stands for: zero where a measurement of a
  /// particle that is not finite has left no number.
  KOKKOS_INLINE_FUNCTION double share(double logarithm) const {
    const double share = compat::math::exp(logarithm - largest) / total;
    return share > 0 ? share : 0;
  }
  KOKKOS_INLINE_FUNCTION double weight(std::uint32_t n) const { return share(log_weight(n)); }

  KOKKOS_INLINE_FUNCTION double offset(std::uint32_t n, int i) const {
    return points(n, i) - grid.origin[i];
  }

  /// The deviation of that from a mean; round a circle the shortest way.
  KOKKOS_INLINE_FUNCTION double deviation(std::uint32_t n, int i, double mean) const {
    return grid.circle(i).shortest(offset(n, i) - mean);
  }

  /// Returns whether a particle is where the grid can have cells; one that is not finite is not.
  KOKKOS_INLINE_FUNCTION bool is_inside(std::uint32_t n) const {
    bool is_inside = !regions.has_absorbed(n);
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) {
      is_inside = is_inside && grid.is_inside(i, offset(n, i));
    }
    return is_inside;
  }
};

/// Takes points to other coordinates.
template <int D, class Points>
struct MapPoints {
  Points from, to;
  AffineMap<D> map;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n) const {
    Vector<D> x;
    for (int i = 0; i < D; ++i) x[i] = from(n, i);
    x = map(x);
    for (int i = 0; i < D; ++i) to(n, i) = x[i];
  }
};

template <class Weights>
struct LargestWeight {
  Weights log_weight;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n, double& largest) const {
    largest = compat::max(largest, log_weight(n));
  }
};

/// Sum of the weights.
template <class Particles>
struct SumWeights {
  static constexpr int kSums = 1;
  Particles particles;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n, double* sum) const {
    sum[0] += particles.weight(n);
  }
};

/// Counts the particles inside, and sums their weights, the squares of these, and the offsets from
/// the grid's origin; of circles the cosines and, behind all of these, the sines of the directions.
template <class Particles, int D>
struct SumMoments {
  static constexpr int kSums = 3 + 2 * D;
  Particles particles;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n, double* sum) const {
    if (!particles.is_inside(n)) return;
    const double weight = particles.weight(n);
    sum[0] += 1;
    sum[1] += weight;
    sum[2] += weight * weight;
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) {
      const double offset = particles.offset(n, i);
      if (!particles.grid.is_circle(i)) {
        sum[3 + i] += weight * offset;
        continue;
      }
      const double angle = kTurn * offset / particles.grid.circle(i).period;
      sum[3 + i] += weight * compat::math::cos(angle);
      sum[3 + D + i] += weight * compat::math::sin(angle);
    }
  }

  static constexpr double kTurn = 2 * 3.14159265358979323846;
};

/// Weight of the particles within a region, or that it has absorbed.
template <class Particles, int D>
struct SumInRegion {
  static constexpr int kSums = 1;
  Particles particles;
  int region;
  double time;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n, double* sum) const {
    const ParticleRegions<D>& regions = particles.regions;
    if (regions.absorbs[region] != 0) {
      if (regions.absorbed[n] == region + 1) sum[0] += particles.weight(n);
      return;
    }
    Vector<D> x;
    for (int i = 0; i < D; ++i) x[i] = particles.points(n, i);
    if (regions.absorbed[n] == 0 && regions.function[region].holds(x, time))
      sum[0] += particles.weight(n);
  }
};

/// Leaves absorbed particles out of a measurement, which is of what has not been absorbed.
template <int D, class Weights>
struct LeaveOutAbsorbed {
  static constexpr double kNoWeight = -std::numeric_limits<double>::infinity();  ///< its logarithm
  ParticleRegions<D> regions;
  Weights log_weight;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n) const {
    if (regions.absorbed[n] == 0) return;
    regions.absorbed[n] = ParticleRegions<D>::kGone;
    log_weight(n) = kNoWeight;
  }
};

/// Products of the deviations from the mean, for i <= j, row by row.
template <class Particles, int D>
struct SumProducts {
  static constexpr int kSums = D * (D + 1) / 2;
  Particles particles;
  Vector<D> mean;  ///< offset from the grid's origin
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n, double* sum) const {
    if (!particles.is_inside(n)) return;
    const double weight = particles.weight(n);
    if (particles.grid.has_circles()) return add_round_circles(n, weight, sum);
    int k = 0;
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) {
      const double deviation = weight * (particles.offset(n, i) - mean[i]);
      TESSERA_UNROLL
      for (int j = i; j < D; ++j, ++k) sum[k] += deviation * (particles.offset(n, j) - mean[j]);
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION void add_round_circles(std::uint32_t n, double weight, double* sum) const {
    int k = 0;
    for (int i = 0; i < D; ++i) {
      const double deviation = weight * particles.deviation(n, i, mean[i]);
      for (int j = i; j < D; ++j, ++k) sum[k] += deviation * particles.deviation(n, j, mean[j]);
    }
  }
};

// -------------------------------------------------------------------------------------------------
// histogram

/// A map from the key of a cell to the weight of its particles, in units of 2^-62, so that the
/// order of the additions does not matter.
template <class Device>
using Histogram = Kokkos::UnorderedMap<std::uint64_t, std::uint64_t, Device>;
inline constexpr double kHistogramUnits = 0x1p62;

/// Adds the weight of each particle to its cell.
template <class Particles, int D, class Device>
struct AddToHistogram {
  Particles particles;
  Histogram<Device> histogram;
  StopFlag<typename Device::execution_space> stop;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n) const {
    if (stop.raised() || !particles.is_inside(n)) return;
    std::uint64_t key = 0;
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) {
      const Grid<D>& grid = particles.grid;
      const double k =
          compat::math::floor(particles.offset(n, i) / grid.spacing[i] + 0.5) - grid.offset[i];
      key |= CellKey<D>::field(grid.bring_in(i, static_cast<std::int64_t>(k)), i);
    }
    const auto entry = histogram.insert(key, 0);
    // the host looks at failed_insert() and begins again with a larger map
    if (entry.failed()) return;
    Kokkos::atomic_add(&histogram.value_at(entry.index()),
                       static_cast<std::uint64_t>(particles.weight(n) * kHistogramUnits));
  }
};

/// Lists the entries of a histogram.
template <class Device>
struct ListEntries {
  Histogram<Device> histogram;
  Kokkos::View<std::uint64_t*, Device> key, units;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t index, std::uint32_t& position,
                                         bool final) const {
    if (!histogram.valid_at(index)) return;
    if (final) {
      key(position) = histogram.key_at(index);
      units(position) = histogram.value_at(index);
    }
    ++position;
  }
};

/// Sum over the samples of weight * exp(-|z_cell - z_sample|^2 / 2) at each cell, in the order of
/// the samples.
template <int D, class Points, class Weights>
struct KernelDensity {
  Points cells, samples;
  Weights weight, density;
  StopFlag<typename Weights::execution_space> stop;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t c) const {
    if (stop.raised()) return;
    double sum = 0;
    for (std::uint32_t n = 0; n < weight.extent(0); ++n) {
      double distance = 0;
      for (int i = 0; i < D; ++i) {
        const double d = cells(c, i) - samples(n, i);
        distance = compat::fma(d, d, distance);
      }
      sum += weight(n) * compat::math::exp(-0.5 * distance);
    }
    density(c) = sum;
  }
};

}  // namespace tessera::gbees::detail

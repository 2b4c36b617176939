// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/random.hpp"
#include "tessera/stable/law/radial.hpp"

/// Kernels over points of several dimensions, one vector after the other. Lower triangles are
/// packed by rows.

namespace tessera::stable::detail {

/// y = L^-1 (x - mu) and |y|^2 of every point.
template <class ExecSpace>
struct WhitenKernel {
  int dimension;
  Kokkos::View<const double*, ExecSpace> points, location, factor;
  Kokkos::View<double*, ExecSpace> white, square;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const double* const x = points.data() + i * dimension;
    double* const y = white.data() + i * dimension;
    const double* row = factor.data();
    double sum = 0;
    for (int j = 0; j < dimension; ++j) {
      double v = x[j] - location(j);
      for (int k = 0; k < j; ++k) v -= row[k] * y[k];
      y[j] = v / row[j];
      sum += y[j] * y[j];
      row += j + 1;
    }
    square(i) = sum;
  }
};

/// Logarithms of radial densities, weights and derivatives in alpha: arrays one after the other.
template <class ExecSpace>
struct RadialPointsKernel {
  RadialMixture<ExecSpace> mixture;
  std::int64_t count;
  Kokkos::View<const double*, ExecSpace> square;
  Kokkos::View<double*, ExecSpace> value;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const RadialValue v = mixture.at(square(i));
    value(i) = v.log_pdf;
    value(count + i) = v.weight;
    value(2 * count + i) = v.d_alpha;
  }
};

/// The sums of EllipticalSums over blocks of points: one block of one entry a thread, so that they
/// have a fixed order.
template <class ExecSpace>
struct PointSums {
  static constexpr std::int64_t kBlock = 512;
  static constexpr int kScalars = 8;

  int dimension;
  std::int64_t count, blocks;
  Kokkos::View<const double*, ExecSpace> white, square, value;
  Kokkos::View<double*, ExecSpace> partial;  ///< [entry][block]

  static int entries(int dimension) {
    return kScalars + dimension + dimension * (dimension + 1) / 2;
  }

  KOKKOS_INLINE_FUNCTION double scalar(int entry, std::int64_t i) const {
    const double weight = value(count + i), alpha = value(2 * count + i),
                 size = square(i) * weight - dimension;
    switch (entry) {
      case 0:
        return value(i);
      case 1:
        return alpha;
      case 2:
        return size;
      case 3:
        return alpha * alpha;
      case 4:
        return alpha * size;
      case 5:
        return size * size;
      case 6:
        return square(i) * weight * weight;
      default:
        return weight;
    }
  }

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t at) const {
    const int entry = static_cast<int>(at / blocks);
    const std::int64_t begin = at % blocks * kBlock,
                       end = begin + kBlock < count ? begin + kBlock : count;
    double sum = 0;
    if (entry < kScalars) {
      for (std::int64_t i = begin; i < end; ++i) sum += scalar(entry, i);
    } else if (entry < kScalars + dimension) {
      for (std::int64_t i = begin; i < end; ++i)
        sum += value(count + i) * white(i * dimension + entry - kScalars);
    } else {
      int j = 0, k = entry - kScalars - dimension;
      while (k > j) k -= ++j;
      for (std::int64_t i = begin; i < end; ++i)
        sum += value(count + i) * white(i * dimension + j) * white(i * dimension + k);
    }
    partial(at) = sum;
  }
};

template <class ExecSpace>
struct BlockSums {
  std::int64_t blocks;
  Kokkos::View<const double*, ExecSpace> partial;
  Kokkos::View<double*, ExecSpace> total;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t entry) const {
    double sum = 0;
    for (std::int64_t b = 0; b < blocks; ++b) sum += partial(entry * blocks + b);
    total(entry) = sum;
  }
};

/// mu + sqrt(2 W) L N. W is positive stable of `index` by Kanter's formula (Ann. Probab. 3 (1975)
/// 697).
template <class ExecSpace>
struct DrawVectors {
  int dimension;
  double index;
  Philox random;
  std::uint64_t first;
  Kokkos::View<const double*, ExecSpace> location, factor;
  Kokkos::View<double*, ExecSpace> points;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const std::uint64_t site = first + static_cast<std::uint64_t>(i);
    const Philox::Bits bits = random.bits(site, 0);
    const double u = kPi * Philox::uniform(bits, 0), e = -::log(Philox::uniform(bits, 1)),
                 a = index;
    const double log_w = ::log(::sin(a * u)) - ::log(::sin(u)) / a +
                         (a == 1 ? 0 : (1 - a) / a * (::log(::sin((1 - a) * u)) - ::log(e)));
    const double scale = ::sqrt(2.0) * ::exp(0.5 * log_w);
    double* const x = points.data() + i * dimension;
    for (int j = 0; j < dimension; j += 2) {
      const NormalPair pair(random.bits(site, 1 + static_cast<std::uint64_t>(j / 2)));
      x[j] = pair.first;
      if (j + 1 < dimension) x[j + 1] = pair.second;
    }
    for (int j = dimension - 1; j >= 0; --j) {
      const double* const row = factor.data() + j * (j + 1) / 2;
      double v = 0;
      for (int k = 0; k <= j; ++k) v += row[k] * x[k];
      x[j] = location(j) + scale * v;
    }
  }
};

}  // namespace tessera::stable::detail

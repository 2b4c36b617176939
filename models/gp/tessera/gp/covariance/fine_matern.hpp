// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/covariance/correlation.hpp"

/// A table of the Matern correlation and its derivative in nu for kernels that hold it in the fast
/// memory of a GPU: polynomials of degree 5 in s = u^2 on every 64th of a binade, 40 bytes each
/// (the two highest coefficients without their low words), for 36 binades that end where M is below
/// 1e-18. Made on the device from bessel::MaternTable. Absolute error: 1e-15 of the value and of
/// d/dnu, 2e-13 of s dM/ds. Beyond the table M is 0; below it, M is 1, which holds for s = 0 alone:
/// kernels must look after other such points (see Position::below).

namespace tessera::gp::detail {

struct FineMatern {
  static constexpr int kBinades = 36, kBits = 6, kPerBinade = 1 << kBits;
  // one for 0 and one for 1
  static constexpr int kIntervals = kBinades * kPerBinade, kStride = kIntervals + 2;
  static constexpr std::int64_t kBytes = (static_cast<std::int64_t>(kStride) * 40 + 15) / 16 * 16;

  struct alignas(16) Pair {
    double a, b;
  };
  struct alignas(8) HighWords {
    std::uint32_t a, b;
  };

  /// Exponent of 2 of the smallest s in the table of nu.
  static int first_exponent(double nu) {
    int last = 8;
    for (; last < 24; ++last) {
      // the uniform expansion of K_nu
      const double u = std::exp2(0.5 * last), w = std::sqrt(u * u + nu * nu);
      const double log_k = 0.5 * std::log(1.5707963267948966 / w) - w + nu * std::log((nu + w) / u);
      if ((1 - nu) * 0.6931471805599453 - std::lgamma(nu) + nu * std::log(u) + log_k < -41.4) break;
    }
    return last - kBinades;
  }

  /// The place of s in the table: its interval, the position in it from -1 to 1, and s as a number
  /// from 1 to 2 times a power of 2, whose inverse is in `scale`.
  struct Position {
    int interval;
    std::uint32_t below;  // 1 for 0 < s below the table
    double z, mantissa, scale;
    KOKKOS_FORCEINLINE_FUNCTION Position(double s, int first) {
      const auto bits = compat::bit_cast<std::uint64_t>(s);
      const auto high = static_cast<std::uint32_t>(bits >> 32),
                 low = static_cast<std::uint32_t>(bits);
      const int wanted = static_cast<int>(high >> (20 - kBits)) - ((1023 + first) << kBits);
      below = (wanted < 0 ? 1u : 0u) & (high != 0 ? 1u : 0u);
      interval = wanted < 0 ? kIntervals + 1 : compat::min(wanted, kIntervals);
      const auto number = [&](std::uint32_t mask) {
        return compat::bit_cast<double>(
            static_cast<std::uint64_t>((high & mask) | 0x3FF00000u) << 32 | low);
      };
      z = compat::multiply_add(number((1u << (20 - kBits)) - 1), 2.0 * kPerBinade,
                               -2.0 * kPerBinade - 1);
      mantissa = number(0xFFFFFu);
      scale = compat::bit_cast<double>(static_cast<std::uint64_t>(2046u - (high >> 20)) << 52);
    }
  };

  /// The polynomial of an interval.
  struct Polynomial {
    double c[6];
    KOKKOS_FORCEINLINE_FUNCTION Polynomial(const char* table, int interval) {
      const Pair low = reinterpret_cast<const Pair*>(table)[interval],
                 middle = reinterpret_cast<const Pair*>(table)[kStride + interval];
      const HighWords high = reinterpret_cast<const HighWords*>(
          table + static_cast<std::int64_t>(kStride) * 32)[interval];
      c[0] = low.a;
      c[1] = low.b;
      c[2] = middle.a;
      c[3] = middle.b;
      c[4] = compat::bit_cast<double>(static_cast<std::uint64_t>(high.a) << 32);
      c[5] = compat::bit_cast<double>(static_cast<std::uint64_t>(high.b) << 32);
    }
    KOKKOS_FORCEINLINE_FUNCTION double value(double z) const {
      double sum = c[5];
      TESSERA_UNROLL
      for (int k = 4; k >= 0; --k) sum = compat::multiply_add(sum, z, c[k]);
      return sum;
    }
    KOKKOS_FORCEINLINE_FUNCTION double slope(double z) const {
      double sum = 5 * c[5];
      TESSERA_UNROLL
      for (int k = 4; k >= 1; --k) sum = compat::multiply_add(sum, z, k * c[k]);
      return sum;
    }
  };
};

/// Makes the two tables, of the value and of d/dnu: interpolation at 6 Chebyshev nodes of each
/// interval.
template <class ExecSpace>
struct BuildFineMatern {
  Matern correlation;
  int first;
  Kokkos::View<double*, ExecSpace> value, order;  // kBytes each

  KOKKOS_INLINE_FUNCTION void operator()(int interval) const {
    constexpr int n = 6;
    const double node[n] = {0.96592582628906831,  0.70710678118654757,  0.25881904510252074,
                            -0.25881904510252074, -0.70710678118654757, -0.96592582628906831};
    if (interval >= FineMatern::kIntervals) {
      const double zero[6] = {0, 0, 0, 0, 0, 0}, one[6] = {1, 0, 0, 0, 0, 0};
      store(interval == FineMatern::kIntervals ? zero : one, interval, value);
      store(zero, interval, order);
      return;
    }
    const double binade = compat::bit_cast<double>(
        static_cast<std::uint64_t>(1023 + first + interval / FineMatern::kPerBinade) << 52);
    const double begin =
        1 + static_cast<double>(interval % FineMatern::kPerBinade) / FineMatern::kPerBinade;
    double of_value[n], of_order[n];
    for (int k = 0; k < n; ++k) {
      double unused;
      correlation.derivatives(binade * (begin + (1 + node[k]) * (0.5 / FineMatern::kPerBinade)),
                              of_value[k], unused, of_order[k]);
    }
    write(node, of_value, interval, value);
    write(node, of_order, interval, order);
  }

 private:
  /// Newton's divided differences, then powers.
  KOKKOS_INLINE_FUNCTION static void write(const double (&node)[6], double (&d)[6], int interval,
                                           const Kokkos::View<double*, ExecSpace>& table) {
    double c[6] = {0, 0, 0, 0, 0, 0};
    for (int o = 1; o < 6; ++o) {
      for (int k = 5; k >= o; --k) d[k] = (d[k] - d[k - 1]) / (node[k] - node[k - o]);
    }
    for (int k = 5; k >= 0; --k) {
      for (int j = 5; j > 0; --j) c[j] = c[j - 1] - node[k] * c[j];
      c[0] = d[k] - node[k] * c[0];
    }
    store(c, interval, table);
  }

  KOKKOS_INLINE_FUNCTION static void store(const double (&c)[6], int interval,
                                           const Kokkos::View<double*, ExecSpace>& table) {
    const auto high = [](double x) {
      return static_cast<std::uint32_t>((compat::bit_cast<std::uint64_t>(x) + 0x80000000ull) >> 32);
    };
    auto* const bytes = reinterpret_cast<char*>(table.data());
    reinterpret_cast<FineMatern::Pair*>(bytes)[interval] = {c[0], c[1]};
    reinterpret_cast<FineMatern::Pair*>(bytes)[FineMatern::kStride + interval] = {c[2], c[3]};
    reinterpret_cast<FineMatern::HighWords*>(
        bytes + static_cast<std::int64_t>(FineMatern::kStride) * 32)[interval] = {high(c[4]),
                                                                                  high(c[5])};
  }
};

}  // namespace tessera::gp::detail

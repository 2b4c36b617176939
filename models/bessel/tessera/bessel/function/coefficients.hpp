// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/kokkos_compat.hpp"

// Polynomials, lowest coefficient first. Written by models/bessel/generate/coefficients.py.

namespace tessera::bessel::detail {

template <class Real>
struct Coefficients;

template <>
struct Coefficients<double> {
  // [1/Gamma(1-mu) + 1/Gamma(1+mu)] / 2 as a polynomial in mu^2, |mu| <= 1/2; relative error 0.045 roundings, before those of the
  // coefficients
  struct GammaEven {
    static constexpr int terms = 9;
    KOKKOS_FORCEINLINE_FUNCTION static constexpr double at(int k) {
      constexpr double c[terms] = {0x1.0000000000000p+0,   -0x1.4fcf4026afa2ep-1,  0x1.5512320b43fc6p-3,
                                   -0x1.3b4af284850c8p-7,  -0x1.317112cd7a27ep-10, 0x1.0c8a78883068ap-13,
                                   -0x1.4fac55cca0e60p-20, -0x1.b9b5b65df228fp-23, 0x1.5f9d2c01100f6p-28};
      return c[k];
    }
  };
  // [1/Gamma(1-mu) - 1/Gamma(1+mu)] / (2 mu); relative error 0.077 roundings, before those of the coefficients
  struct GammaOdd {
    static constexpr int terms = 9;
    KOKKOS_FORCEINLINE_FUNCTION static constexpr double at(int k) {
      constexpr double c[terms] = {-0x1.2788cfc6fb619p-1,  0x1.5815e8fa27048p-5,   0x1.59af103c34090p-5,
                                   -0x1.d919c527f5d97p-8,  0x1.c364fe6e95eafp-13,  0x1.51ce8b226bb1bp-16,
                                   -0x1.30251d452a251p-20, -0x1.a3ff2ef43665cp-28, 0x1.42325eabf5d31p-30};
      return c[k];
    }
  };
  // 2^r, |r| <= 1/2; relative error 2.8 roundings, before those of the coefficients
  struct PowerOfTwo {
    static constexpr int terms = 11;
    KOKKOS_FORCEINLINE_FUNCTION static constexpr double at(int k) {
      constexpr double c[terms] = {0x1.0000000000000p+0,  0x1.62e42fefa3a19p-1,  0x1.ebfbdff82c598p-3,  0x1.c6b08d703ce49p-5,
                                   0x1.3b2ab6fba1ddap-7,  0x1.5d87fe9d7a584p-10, 0x1.430913096fd9fp-13, 0x1.ffcb54062e698p-17,
                                   0x1.62bfd47773353p-20, 0x1.b675bca4eeebbp-24, 0x1.e6063f7217bc6p-28};
      return c[k];
    }
  };
};

template <>
struct Coefficients<float> {
  // [1/Gamma(1-mu) + 1/Gamma(1+mu)] / 2 as a polynomial in mu^2, |mu| <= 1/2; relative error 0.0048 roundings, before those of the
  // coefficients
  struct GammaEven {
    static constexpr int terms = 5;
    KOKKOS_FORCEINLINE_FUNCTION static constexpr float at(int k) {
      constexpr float c[terms] = {0x1.0000000000000p+0F, -0x1.4fcf420000000p-1F, 0x1.5513020000000p-3F, -0x1.3bdcfe0000000p-7F,
                                  -0x1.1c8cbc0000000p-10F};
      return c[k];
    }
  };
  // [1/Gamma(1-mu) - 1/Gamma(1+mu)] / (2 mu); relative error 0.0011 roundings, before those of the coefficients
  struct GammaOdd {
    static constexpr int terms = 5;
    KOKKOS_FORCEINLINE_FUNCTION static constexpr float at(int k) {
      constexpr float c[terms] = {-0x1.2788d00000000p-1F, 0x1.5815e40000000p-5F, 0x1.59af900000000p-5F, -0x1.d946900000000p-8F,
                                  0x1.dd2e6a0000000p-13F};
      return c[k];
    }
  };
  // 2^r, |r| <= 1/2; relative error 0.042 roundings, before those of the coefficients
  struct PowerOfTwo {
    static constexpr int terms = 7;
    KOKKOS_FORCEINLINE_FUNCTION static constexpr float at(int k) {
      constexpr float c[terms] = {0x1.0000000000000p+0F, 0x1.62e4300000000p-1F,  0x1.ebfbe00000000p-3F, 0x1.c6aecc0000000p-5F,
                                  0x1.3b2a1c0000000p-7F, 0x1.5f48c00000000p-10F, 0x1.4440000000000p-13F};
      return c[k];
    }
  };
};

}  // namespace tessera::bessel::detail

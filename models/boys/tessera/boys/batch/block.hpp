// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "tessera/boys/boys.hpp"

// Blocks of arguments on a CPU, one argument per SIMD lane.

namespace tessera::boys::detail {

/// Arguments per block on a CPU: the results of one order fill whole cache lines, those of all
/// orders fit the first-level cache.
inline constexpr int kBlock = 64;

template <class Real>
struct StoreUpTo {
  Real* F;
  std::ptrdiff_t stride;
  int n_max;
  TESSERA_FUNCTION void operator()(int n, Real value) const {
    if (n <= n_max) F[n * stride] = value;
  }
};

template <class Real>
struct StoreRow {
  Real* F;
  std::ptrdiff_t stride;
  TESSERA_FUNCTION void operator()(int n, Real value) const { F[n * stride] = value; }
};

/// All orders of a block from the top one.
template <int N, class Real>
inline void orders_from_top(const Real* x, const Real* e, const Real* top, Real* F,
                            std::ptrdiff_t stride) {
  TESSERA_VECTORIZE
  for (int i = 0; i < kBlock; ++i) {
    F[N * stride + i] = top[i];
    if constexpr (N > 0)
      recur_downward<N>(x[i] + x[i], e[i], top[i], StoreRow<Real>{F + i, stride});
  }
}

/// Operations that compilers do not generate by themselves: compressing the selected numbers of a
/// vector, and expanding them again.
template <class Real>
struct Lanes {
  static constexpr int width = 0;  // not available
};

#if defined(__AVX512F__)
template <>
struct Lanes<double> {
  static constexpr int width = 8;
  using Mask = __mmask8;
  static Mask at_least(const double* x, double border) {
    return _mm512_cmp_pd_mask(_mm512_loadu_pd(x), _mm512_set1_pd(border), _CMP_GE_OQ);
  }
  static void compress(Mask mask, const double* from, double* to) {
    _mm512_storeu_pd(to, _mm512_maskz_compress_pd(mask, _mm512_loadu_pd(from)));
  }
  static void expand(Mask mask, const double* from, double* to) {
    _mm512_storeu_pd(to, _mm512_mask_expand_pd(_mm512_loadu_pd(to), mask, _mm512_loadu_pd(from)));
  }
};
template <>
struct Lanes<float> {
  static constexpr int width = 16;
  using Mask = __mmask16;
  static Mask at_least(const float* x, float border) {
    return _mm512_cmp_ps_mask(_mm512_loadu_ps(x), _mm512_set1_ps(border), _CMP_GE_OQ);
  }
  static void compress(Mask mask, const float* from, float* to) {
    _mm512_storeu_ps(to, _mm512_maskz_compress_ps(mask, _mm512_loadu_ps(from)));
  }
  static void expand(Mask mask, const float* from, float* to) {
    _mm512_storeu_ps(to, _mm512_mask_expand_ps(_mm512_loadu_ps(to), mask, _mm512_loadu_ps(from)));
  }
};
#elif defined(__AVX2__)
/// The halves that a permutation of 32-bit numbers moves, for each set of lanes, to bring the set
/// together and to spread it.
struct LanePermutations {
  alignas(32) std::int32_t together[16][8] = {}, apart[16][8] = {};
  alignas(32) std::int64_t chosen[16][4] = {};
  constexpr LanePermutations() {
    for (int mask = 0; mask < 16; ++mask) {
      int rank = 0;
      for (int lane = 0; lane < 4; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        chosen[mask][lane] = -1;
        for (int half = 0; half < 2; ++half) {
          together[mask][2 * rank + half] = 2 * lane + half;
          apart[mask][2 * lane + half] = 2 * rank + half;
        }
        ++rank;
      }
    }
  }
};
inline constexpr LanePermutations kLanePermutations;

template <>
struct Lanes<double> {
  static constexpr int width = 4;
  using Mask = unsigned char;
  static Mask at_least(const double* x, double border) {
    return static_cast<Mask>(
        _mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(x), _mm256_set1_pd(border), _CMP_GE_OQ)));
  }
  static __m256d permuted(const double* from, const std::int32_t* halves) {
    const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i*>(halves));
    return _mm256_castsi256_pd(
        _mm256_permutevar8x32_epi32(_mm256_castpd_si256(_mm256_loadu_pd(from)), order));
  }
  static void compress(Mask mask, const double* from, double* to) {
    _mm256_storeu_pd(to, permuted(from, kLanePermutations.together[mask]));
  }
  static void expand(Mask mask, const double* from, double* to) {
    const __m256d chosen = _mm256_castsi256_pd(
        _mm256_load_si256(reinterpret_cast<const __m256i*>(kLanePermutations.chosen[mask])));
    _mm256_storeu_pd(to, _mm256_blendv_pd(_mm256_loadu_pd(to),
                                          permuted(from, kLanePermutations.apart[mask]), chosen));
  }
};
#endif

/// Estimates of x^(-1/2) to 14 bits, or to 3 % from the halved exponent, for normal x > 0.
template <int count, class Real>
inline void estimate_inverse_roots(const Real* x, Real* r) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Real) == 8) {
    for (int i = 0; i < count; i += 8)
      _mm512_storeu_pd(r + i, _mm512_maskz_rsqrt14_pd(0xff, _mm512_loadu_pd(x + i)));
  } else {
    for (int i = 0; i < count; i += 16)
      _mm512_storeu_ps(r + i, _mm512_maskz_rsqrt14_ps(0xffff, _mm512_loadu_ps(x + i)));
  }
#else
  using Bits = typename SameSizeInteger<Real>::type;
  constexpr Bits magic =
      sizeof(Real) == 8 ? static_cast<Bits>(0x5fe6eb50c7b537a9) : static_cast<Bits>(0x5f37642f);
  TESSERA_VECTORIZE
  for (int i = 0; i < count; ++i) r[i] = from_bits<Real>(magic - (to_bits(x[i]) >> 1));
#endif
}

/// One step from an estimate of x^(-1/2) whose square, times x, is 1 - h: the series of (1 -
/// h)^(-1/2) to h^3, the error of a 14-bit estimate falls to 2^-54.
template <class Real>
TESSERA_FUNCTION Real refined_inverse_root(Real x, Real r) {
  const Real h = multiply_add(-x * r, r, Real(1));
  return multiply_add(multiply_add(multiply_add(h, Real(0.3125), Real(0.375)), h, Real(0.5)), h * r,
                      r);
}

/// x^(-1/2) and 1/x, without the divider and the root unit, which take longer than all the rest.
template <class Real>
TESSERA_FUNCTION Reciprocals<Real> refined_reciprocals(Real x, Real r) {
#if !defined(__AVX512F__)
  r = refined_inverse_root(x, r);
#endif
  r = refined_inverse_root(x, r);
  const Real square = r * r;
  return {r, multiply_add(multiply_add(-x, square, Real(1)), square, square)};
}

/// F_N of `count` arguments from the split on.
template <int N, int count, class Real>
inline void tops_above(const Real* x, Real* top) {
  Real r[count];
  estimate_inverse_roots<count>(x, r);
  TESSERA_VECTORIZE
  for (int i = 0; i < count; ++i) {
    top[i] =
        top_above<N>(x[i], exponential_of_minus<(N > 4)>(x[i]), refined_reciprocals(x[i], r[i]));
  }
}

/// The arguments of a block that lie from the split on, brought together, and where they came from.
template <class Real>
struct ThoseAbove {
  static constexpr int width = Lanes<Real>::width;
  Real x[kBlock + width];
  typename Lanes<Real>::Mask mask[kBlock / width];
  int count = 0;

  template <int N>
  void collect(const Real* all_x) {
    for (int v = 0; v < kBlock / width; ++v) {
      mask[v] = Lanes<Real>::at_least(all_x + v * width, Coefficients<Real, N>::split);
      Lanes<Real>::compress(mask[v], all_x + v * width, x + count);
      count += __builtin_popcount(mask[v]);
    }
  }
  template <int N>
  void evaluate(Real* top) {
    Real tops[kBlock + width];
    // fill the last vector
    for (int i = count; i < count + width; ++i) x[i] = Coefficients<Real, N>::split;
    for (int i = 0; i < count; i += width) tops_above<N, width>(x + i, tops + i);
    int at = 0;
    for (int v = 0; v < kBlock / width; ++v) {
      Lanes<Real>::expand(mask[v], tops + at, top + v * width);
      at += __builtin_popcount(mask[v]);
    }
  }
};

/// F_N and, for N > 0, e^-x of a block, as if all arguments lay below the split.
template <int N, class Real>
inline void tops_below(const Real* x, Real* e, Real* top) {
  TESSERA_VECTORIZE
  for (int i = 0; i < kBlock; ++i) {
    if constexpr (N > 0) e[i] = exponential_of_minus<(N > 4)>(x[i]);
    top[i] = top_below<N>(x[i], e[i]);
  }
}

/// F_N and, for N > 0, e^-x of a block.
template <int N, class Real>
inline void block_top_orders(const Real* x, Real* e, Real* top) {
  using C = Coefficients<Real, N>;
  if constexpr (Lanes<Real>::width > 0) {
    ThoseAbove<Real> above;
    above.template collect<N>(x);
    tops_below<N>(x, e, top);
    if (above.count > 0) above.template evaluate<N>(top);
  } else {
    typename SameSizeInteger<Real>::type count_above = 0;
    for (int i = 0; i < kBlock; ++i) count_above += x[i] >= C::split;
    tops_below<N>(x, e, top);
    if (count_above == 0) return;
    Real tops[kBlock];
    tops_above<N, kBlock>(x, tops);
    TESSERA_VECTORIZE
    for (int i = 0; i < kBlock; ++i) top[i] = x[i] < C::split ? top[i] : tops[i];
  }
}

/// F[n stride + i] = F_n(x[i]) for n = 0..N and i < kBlock, on a CPU, one argument per SIMD lane.
/// In short loops over the block, so that the processor overlaps many arguments. The loops
/// vectorise with -O3 -fno-math-errno -fno-trapping-math and the processor's -march; they are
/// correct without.
template <int N, class Real>
inline void block_orders(const Real* x, Real* F, std::ptrdiff_t stride) {
  using C = Coefficients<Real, N>;
  Real e[kBlock], top[kBlock];
  typename SameSizeInteger<Real>::type special = 0;
  for (int i = 0; i < kBlock; ++i) special += (x[i] > C::last) | (x[i] < lowest_argument<Real>);
  block_top_orders<N>(x, e, top);
  orders_from_top<N>(x, e, top, F, stride);
  if (special != 0) {
    for (int i = 0; i < kBlock; ++i) {
      if (x[i] > C::last || x[i] < lowest_argument<Real>)
        boys_each<N>(x[i], StoreRow<Real>{F + i, stride});
    }
  }
}

}  // namespace tessera::boys::detail

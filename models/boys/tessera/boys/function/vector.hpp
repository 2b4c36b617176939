// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>

#include "tessera/boys/function/arithmetic.hpp"

// The vector types of g++ and clang. nvcc and hipcc compile the arrays in their place.
#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define TESSERA_BOYS_VECTOR_TYPES 1
#else
#define TESSERA_BOYS_VECTOR_TYPES 0
#endif

// g++ has functions for a b + c of vector types here.
#if TESSERA_BOYS_VECTOR_TYPES && defined(__FMA__) && !defined(__clang__)
#define TESSERA_BOYS_FUSED_VECTORS 1
#else
#define TESSERA_BOYS_FUSED_VECTORS 0
#endif

/// Numbers that are computed side by side. On CPUs they fill a vector register, whatever the
/// compiler makes of the code around them.
namespace tessera::boys::detail {

/// The doubles of a vector register, at most four: wider ones gain little here.
#if TESSERA_ON_GPU
inline constexpr int kVectorLanes = 1;
#elif defined(__AVX__)
inline constexpr int kVectorLanes = 4;
#else
inline constexpr int kVectorLanes = 2;
#endif

template <class Real, int count>
struct Vector {
#if TESSERA_BOYS_VECTOR_TYPES
  typedef Real Numbers __attribute__((vector_size(count * sizeof(Real))));
  Numbers number;
#else
  Real number[count];
#endif
};

/// The same number in every lane.
template <int count, class Real>
TESSERA_FUNCTION Vector<Real, count> fill_vector(Real a) {
  Vector<Real, count> made;
  TESSERA_UNROLL
  for (int l = 0; l < count; ++l) made.number[l] = a;
  return made;
}

template <int count, class Real>
TESSERA_FUNCTION Vector<Real, count> load_vector(const Real* from) {
  Vector<Real, count> made;
#if TESSERA_BOYS_VECTOR_TYPES
  std::memcpy(&made.number, from, sizeof made.number);
#else
  TESSERA_UNROLL
  for (int l = 0; l < count; ++l) made.number[l] = from[l];
#endif
  return made;
}

template <class Real, int count>
TESSERA_FUNCTION void store_vector(const Vector<Real, count>& a, Real* to) {
#if TESSERA_BOYS_VECTOR_TYPES
  std::memcpy(to, &a.number, sizeof a.number);
#else
  TESSERA_UNROLL
  for (int l = 0; l < count; ++l) to[l] = a.number[l];
#endif
}

template <int count>
TESSERA_FUNCTION Vector<double, count> to_double(const Vector<float, count>& a) {
  Vector<double, count> made;
#if TESSERA_BOYS_VECTOR_TYPES
  made.number = __builtin_convertvector(a.number, decltype(made.number));
#else
  TESSERA_UNROLL
  for (int l = 0; l < count; ++l) made.number[l] = static_cast<double>(a.number[l]);
#endif
  return made;
}

#if TESSERA_BOYS_VECTOR_TYPES
#define TESSERA_BOYS_VECTOR_OPERATOR(sign)                                           \
  template <class Real, int count>                                                   \
  TESSERA_FUNCTION Vector<Real, count> operator sign(const Vector<Real, count>& a,   \
                                                     const Vector<Real, count>& b) { \
    return {a.number sign b.number};                                                 \
  }
#else
#define TESSERA_BOYS_VECTOR_OPERATOR(sign)                                           \
  template <class Real, int count>                                                   \
  TESSERA_FUNCTION Vector<Real, count> operator sign(const Vector<Real, count>& a,   \
                                                     const Vector<Real, count>& b) { \
    Vector<Real, count> made;                                                        \
    TESSERA_UNROLL                                                                   \
    for (int l = 0; l < count; ++l) made.number[l] = a.number[l] sign b.number[l];   \
    return made;                                                                     \
  }
#endif
TESSERA_BOYS_VECTOR_OPERATOR(+)
TESSERA_BOYS_VECTOR_OPERATOR(-)
TESSERA_BOYS_VECTOR_OPERATOR(*)
TESSERA_BOYS_VECTOR_OPERATOR(/)
#undef TESSERA_BOYS_VECTOR_OPERATOR

/// a b + c: with one rounding where the processor has the instruction, else with two. g++ would
/// leave the vector registers if the lanes were computed one by one, and chooses itself which
/// product of a b + c d is rounded if it contracts the operations.
template <class Real, int count>
TESSERA_FUNCTION Vector<Real, count> multiply_add(const Vector<Real, count>& a,
                                                  const Vector<Real, count>& b,
                                                  const Vector<Real, count>& c) {
#if TESSERA_BOYS_FUSED_VECTORS
  if constexpr (sizeof(a.number) == 32 && sizeof(Real) == 8) {
    return {__builtin_ia32_vfmaddpd256(a.number, b.number, c.number)};
  } else if constexpr (sizeof(a.number) == 16 && sizeof(Real) == 8) {
    return {__builtin_ia32_vfmaddpd(a.number, b.number, c.number)};
  } else if constexpr (sizeof(a.number) == 16) {
    return {__builtin_ia32_vfmaddps(a.number, b.number, c.number)};
  } else {
    return {a.number * b.number + c.number};
  }
#elif TESSERA_BOYS_VECTOR_TYPES && (!TESSERA_HAS_FMA || !defined(__clang__))
  return {a.number * b.number + c.number};
#else
  Vector<Real, count> made;
  TESSERA_UNROLL
  for (int l = 0; l < count; ++l)
    made.number[l] = compat::multiply_add(a.number[l], b.number[l], c.number[l]);
  return made;
#endif
}

/// What rounding took from a product, and from a sum.
template <class Real, int count>
TESSERA_FUNCTION Vector<Real, count> rest_of_product(const Vector<Real, count>& a,
                                                     const Vector<Real, count>& b,
                                                     const Vector<Real, count>& product) {
#if TESSERA_BOYS_FUSED_VECTORS
  if constexpr (sizeof(Real) == 8 && (count == 2 || count == 4)) {
    return multiply_add(a, b, {-product.number});
  }
#endif
  Vector<Real, count> made;
  TESSERA_UNROLL
  for (int l = 0; l < count; ++l)
    made.number[l] = product_residual<Real>(a.number[l], b.number[l], -product.number[l]);
  return made;
}
template <class Real, int count>
TESSERA_FUNCTION Vector<Real, count> rest_of_sum(const Vector<Real, count>& a,
                                                 const Vector<Real, count>& b,
                                                 const Vector<Real, count>& sum) {
  const Vector<Real, count> part = sum - a;
  return (a - (sum - part)) + (b - part);
}

}  // namespace tessera::boys::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "tessera/core/expression/functions.hpp"
#include "tessera/core/expression/prologue.hpp"
#include "tessera/gbees/grid/grid.hpp"

namespace tessera::gbees {

/// The dynamics dx/dt = f(x) that carry the density are function objects:
///
///     struct MyDynamics {
///       static constexpr int dimension = 2;
///       KOKKOS_FUNCTION double operator()(int i, const Vector<2>& x) const;   // component f_i at x
///     };
///
/// One component at a time, because the finite-volume method needs just the component normal to
/// each face. The dynamics below fuse their products explicitly, so that every backend computes the
/// same bits (see Grid::face_coordinate).
///
/// Dynamics that vary in time take it as a third argument, `operator()(int i, const Vector<2>& x,
/// double t)`, and say so with `static constexpr bool time_varying = true`; `bool varies(int i)
/// const` can then tell which components do. Dynamics that conserve a quantity J(x) may have
/// `double invariant(const Vector<2>& x) const` and `static constexpr bool bounded = true`: cells
/// are then created only where J lies in the range that it has on the initial cells. Where f is
/// expensive, `static constexpr bool store_velocity = true` has it evaluated once for each face
/// instead of at every step. With `void take_time(double t) const` they can find, once for each
/// time, what does not depend on the state: one thread calls it before velocities at another time
/// are asked for. Where components have much in common, `bool has_common() const`,
/// `Vector<2> all(x, t) const` and `at_places` find several of them at once, as Equations does.
/// Dynamics whose variables may lie on circles (Grid::turn) say `static constexpr bool circles =
/// true`. Others refuse such grids, and do not pay for them. White noise that depends on the state
/// or the time comes with `bool has_noise() const`, which says whether there is any, and
/// `double noise(int i, const Vector<2>& x, double t) const`, its spectral density along axis i.

/// Lorenz '63 with the third variable shifted by r, so that the attractor is centred (Hanson et al.
/// 2025, Eq. 17): x' = sigma (y - x), y' = -y - x z, z' = -b z + x y - b r. Time and state are
/// dimensionless.
struct Lorenz63 {
  static constexpr int dimension = 3;
  double sigma = 4, b = 1, r = 48;

  KOKKOS_INLINE_FUNCTION double operator()(int i, const Vector<3>& x) const {
    if (i == 0) return sigma * (x[1] - x[0]);
    if (i == 1) return compat::fma(-x[0], x[2], -x[1]);
    return compat::fma(-b, r, compat::fma(x[0], x[1], -(b * x[2])));
  }
};

/// Lorenz '96 on a ring of N sites (Lorenz 1996): x_i' = (x_{i+1} - x_{i-2}) x_{i-1} - x_i + F.
template <int N>
struct Lorenz96 {
  static constexpr int dimension = N;
  double forcing = 4;

  KOKKOS_INLINE_FUNCTION double operator()(int i, const Vector<N>& x) const {
    return compat::fma(x[(i + 1) % N] - x[(i + 2 * N - 2) % N], x[(i + N - 1) % N], -x[i]) +
           forcing;
  }
};

/// Dynamics read from text: functions 0 to N - 1 of the code are the components of f, of the state
/// and the time; then come the invariant J and the densities of noise, where there are any. The
/// code is made by tessera/gbees/dynamics/equations.hpp.
template <int N>
struct Equations {
  static constexpr int dimension = N;
  static constexpr bool store_velocity = true;
  static constexpr bool circles = true;
  expression::Functions<N + 1> functions;  ///< input N is the time
  expression::Prologue prologue;           ///< of functions that wait for take_time
  bool time_varying = false;
  std::uint32_t varying = 0;  ///< bit i: component i does
  bool bounded = false;
  /// Number of the function that is the spectral density of noise along axis 0, before those along
  /// the others; 0: no noise depends on the state
  int first_noise = 0;

  KOKKOS_INLINE_FUNCTION bool varies(int i) const { return (varying >> i & 1) != 0; }

  KOKKOS_INLINE_FUNCTION double operator()(int i, const Vector<N>& x, double t) const {
    return functions(i, [&](int j) { return j < N ? x[j] : t; });
  }

  /// Whether all components together take less than one by one.
  KOKKOS_INLINE_FUNCTION bool has_common() const { return functions.has_common(); }

  /// All components at one place.
  KOKKOS_INLINE_FUNCTION Vector<N> all(const Vector<N>& x, double t) const {
    const auto values = functions.template all<N>([&](int j) { return j < N ? x[j] : t; });
    Vector<N> rates;
    TESSERA_UNROLL
    for (int i = 0; i < N; ++i) rates[i] = values.value[i];
    return rates;
  }

  /// Each component at a place of its own, for processors; `x(i, j)`: coordinate j of the place of
  /// component i.
  template <class Places>
  KOKKOS_INLINE_FUNCTION void at_places(const Places& x, double t, double* rates) const {
    functions.template at_places<N>([&](int i, int j) { return j < N ? x(i, j) : t; }, rates);
  }

  KOKKOS_INLINE_FUNCTION void take_time(double t) const { prologue(t); }

  KOKKOS_INLINE_FUNCTION bool has_noise() const { return first_noise > 0; }

  KOKKOS_INLINE_FUNCTION double noise(int i, const Vector<N>& x, double t) const {
    return functions(first_noise + i, [&](int j) { return j < N ? x[j] : t; });
  }

  KOKKOS_INLINE_FUNCTION double invariant(const Vector<N>& x) const {
    return functions(N, [&](int j) { return j < N ? x[j] : 0.0; });
  }
};

/// Dynamics of a density whose cells have keys of 128 bits.
template <class Dynamics>
struct WithWideKeys : Dynamics {};

namespace detail {

template <class Dynamics>
struct KeyWordOf {
  using type = std::uint64_t;
};
template <class Dynamics>
struct KeyWordOf<WithWideKeys<Dynamics>> {
  using type = WideKey;
};
/// The type of the keys of a density with these dynamics.
template <class Dynamics>
using key_word_t = typename KeyWordOf<Dynamics>::type;
template <class Dynamics>
inline constexpr bool is_wide_v = !std::is_same_v<key_word_t<Dynamics>, std::uint64_t>;

template <class Dynamics>
inline constexpr bool takes_time =
    std::is_invocable_v<const Dynamics&, int, const Vector<Dynamics::dimension>&, double>;

template <class Dynamics>
KOKKOS_INLINE_FUNCTION constexpr bool is_time_varying(const Dynamics& dynamics) {
  if constexpr (requires { dynamics.time_varying; }) {
    return dynamics.time_varying;
  } else {
    return false;
  }
}

/// Returns whether component i varies in time, for dynamics that do.
template <class Dynamics>
KOKKOS_INLINE_FUNCTION bool component_varies(const Dynamics& dynamics, int i) {
  if constexpr (requires { dynamics.varies(i); }) {
    return dynamics.varies(i);
  } else {
    return true;
  }
}

template <class Dynamics>
KOKKOS_INLINE_FUNCTION constexpr bool is_bounded(const Dynamics& dynamics) {
  if constexpr (requires { dynamics.bounded; }) {
    return dynamics.bounded;
  } else {
    return false;
  }
}

template <class Dynamics>
constexpr bool stores_velocity() {
  if constexpr (requires { Dynamics::store_velocity; }) {
    return Dynamics::store_velocity;
  } else {
    return false;
  }
}

/// Returns whether variables may lie on circles.
template <class Dynamics>
constexpr bool takes_circles() {
  if constexpr (requires { Dynamics::circles; }) {
    return Dynamics::circles;
  } else {
    return false;
  }
}

/// Returns whether noise may depend on the state.
template <class Dynamics>
constexpr bool takes_noise() {
  return requires(const Dynamics& dynamics) { dynamics.has_noise(); };
}

/// Returns whether noise does.
template <class Dynamics>
KOKKOS_INLINE_FUNCTION bool has_noise(const Dynamics& dynamics) {
  if constexpr (takes_noise<Dynamics>()) {
    return dynamics.has_noise();
  } else {
    return false;
  }
}

/// Has the dynamics find what depends on the time alone.
template <class Dynamics>
KOKKOS_INLINE_FUNCTION void take_time(const Dynamics& dynamics, double t) {
  if constexpr (requires { dynamics.take_time(t); }) dynamics.take_time(t);
}

/// Component i of f.
template <class Dynamics, class Point>
KOKKOS_INLINE_FUNCTION double velocity_at(const Dynamics& dynamics, int i, const Point& x,
                                          double t) {
  if constexpr (takes_time<Dynamics>) {
    return dynamics(i, x, t);
  } else {
    return dynamics(i, x);
  }
}

/// Returns whether dynamics find all components together for less than one by one.
template <class Dynamics>
KOKKOS_INLINE_FUNCTION bool has_common(const Dynamics& dynamics) {
  if constexpr (requires { dynamics.has_common(); }) {
    return dynamics.has_common();
  } else {
    return false;
  }
}

/// All components of f.
template <class Dynamics>
KOKKOS_INLINE_FUNCTION Vector<Dynamics::dimension> velocities_at(
    const Dynamics& dynamics, const Vector<Dynamics::dimension>& x, double t) {
  if constexpr (requires { dynamics.all(x, t); }) {
    if (dynamics.has_common()) return dynamics.all(x, t);
  }
  Vector<Dynamics::dimension> rates;
  TESSERA_UNROLL
  for (int i = 0; i < Dynamics::dimension; ++i) rates[i] = velocity_at(dynamics, i, x, t);
  return rates;
}

}  // namespace detail
}  // namespace tessera::gbees

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "models/gbees/detail/step_state.hpp"

/// Sums over the cells for a record. All of them are order independent: exact sums, maxima, integer atomics.

namespace tessera::gbees::detail {

/// Sum of probability * (k_i - offset_i) for one axis, or of the product for two.
template <class State>
struct IndexMoment {
  State s;
  int first, second;  ///< axes; second < 0: first moment only
  std::int64_t first_offset, second_offset;

  KOKKOS_INLINE_FUNCTION Now now() const { return s.now(0, s.control().cells); }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c, ExactSum& sum) const {
    const std::uint64_t key = s.key(c);
    double term = now.mass[c] * now.scale * static_cast<double>(State::Key::index(key, first) - first_offset);
    if (second >= 0) term *= static_cast<double>(State::Key::index(key, second) - second_offset);
    sum.add(term);
  }
};

/// Sum of p and of p ln p.
struct MassAndEntropy {
  ExactSum mass, p_log_p;
  KOKKOS_INLINE_FUNCTION MassAndEntropy& operator+=(const MassAndEntropy& other) {
    mass += other.mass;
    p_log_p += other.p_log_p;
    return *this;
  }
};

template <class State>
struct SumEntropy {
  State s;

  KOKKOS_INLINE_FUNCTION Now now() const { return s.now(0, s.control().cells); }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c, MassAndEntropy& sum) const {
    const double p = now.mass[c] * now.scale;
    if (!(p > 0)) return;
    sum.mass.add(p);
    sum.p_log_p.add(p * compat::math::log(p));
  }
};

/// The largest probability, how many cells are active, and the range of indices of the cells that hold mass.
template <int D>
struct Extent {
  std::uint64_t active = 0;
  double max_p = 0;
  std::uint64_t max_key = ~std::uint64_t(0);  ///< of the cell with the largest probability; the smallest key among equals
  int low[D], high[D];

  KOKKOS_INLINE_FUNCTION Extent() {
    for (int i = 0; i < D; ++i) {
      low[i] = 2147483647;
      high[i] = -2147483647;
    }
  }

  KOKKOS_INLINE_FUNCTION Extent& operator+=(const Extent& other) {
    active += other.active;
    if (other.max_p > max_p || (other.max_p == max_p && other.max_key < max_key)) {
      max_p = other.max_p;
      max_key = other.max_key;
    }
    for (int i = 0; i < D; ++i) {
      low[i] = compat::min(low[i], other.low[i]);
      high[i] = compat::max(high[i], other.high[i]);
    }
    return *this;
  }
};

template <class State>
struct FindExtent {
  static constexpr int D = State::D;
  State s;

  KOKKOS_INLINE_FUNCTION Now now() const { return s.now(0, s.control().cells); }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c, Extent<D>& extent) const {
    const double p = now.mass[c] * now.scale;
    if (!(p > 0)) return;
    Extent<D> own;
    own.active = p >= s.threshold ? 1 : 0;
    own.max_p = p;
    own.max_key = s.key(c);
    for (int i = 0; i < D; ++i) own.low[i] = own.high[i] = State::Key::index(own.max_key, i);
    extent += own;
  }
};

/// Number of active cells.
template <class State>
struct CountActive {
  State s;

  KOKKOS_INLINE_FUNCTION Now now() const { return s.now(0, s.control().cells); }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c, std::uint64_t& active) const {
    if (now.mass[c] * now.scale >= s.threshold) ++active;
  }
};

/// Adds each cell to the bins of the marginal along one axis, in units of 2^-62 so that the order does not matter.
template <class State>
struct BinMarginal {
  static constexpr double kUnits = 0x1p62;
  State s;
  int axis, low;
  typename State::template Array<unsigned long long*> bins;

  KOKKOS_INLINE_FUNCTION Now now() const { return s.now(0, s.control().cells); }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c) const {
    const double p = now.mass[c] * now.scale;
    if (!(p > 0)) return;
    Kokkos::atomic_fetch_add(&bins(State::Key::index(s.key(c), axis) - low), static_cast<unsigned long long>(p * kUnits));
  }
};

}  // namespace tessera::gbees::detail

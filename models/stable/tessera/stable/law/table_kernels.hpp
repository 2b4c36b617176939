// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "tessera/stable/law/table_lookup.hpp"
#include "tessera/stable/law/tabulated_function.hpp"

namespace tessera::stable::detail {

/// Below this e^v is left to a second look, since math::exponential ends at -700.
inline constexpr double kLeastExponent = -700;

/// e^v; 0 below kLeastExponent, and NaN for NaN.
KOKKOS_FORCEINLINE_FUNCTION double quick_exponential(double v) {
  return v > kLeastExponent ? math::exponential(v) : (v == v ? 0.0 : v);
}

/// Functions of a tabulated value at x; `lower`: of tails, whether it is ln P(X <= x) or ln P(X >
/// x). `exact` is right also where `underflows` says that the operator gives 0 for a number.
struct LogDensity {
  double offset;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(double, double value, bool) const {
    return value + offset;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool underflows(double) const { return false; }
  KOKKOS_FORCEINLINE_FUNCTION double exact(double, double value, bool) const {
    return value + offset;
  }
};
struct Density {
  double offset;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(double, double value, bool) const {
    return quick_exponential(value + offset);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool underflows(double value) const {
    return value + offset <= kLeastExponent;
  }
  KOKKOS_FORCEINLINE_FUNCTION double exact(double x, double value, bool lower) const {
    return underflows(value) ? ::exp(value + offset) : (*this)(x, value, lower);
  }
};
/// P(X <= x), or P(X > x) with `upper`.
struct Probability {
  bool upper;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(double, double value, bool lower) const {
    const double tail = quick_exponential(value);
    return ::fabs((lower == upper ? 1.0 : 0.0) - tail);  // 1 - tail or tail, without a branch
  }
  KOKKOS_FORCEINLINE_FUNCTION bool underflows(double value) const {
    return value <= kLeastExponent;
  }
  KOKKOS_FORCEINLINE_FUNCTION double exact(double x, double value, bool lower) const {
    return underflows(value) && lower != upper ? ::exp(value) : (*this)(x, value, lower);
  }
};
/// The logarithms of these probabilities.
struct LogProbability {
  bool upper;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(double, double value, bool lower) const {
    return lower == upper ? ::log1p(-quick_exponential(value)) : value;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool underflows(double value) const {
    return value <= kLeastExponent;
  }
  KOKKOS_FORCEINLINE_FUNCTION double exact(double x, double value, bool lower) const {
    return underflows(value) && lower == upper ? -::exp(value) : (*this)(x, value, lower);
  }
};

/// Input and table of an ordinary lookup: the row and local coordinate of x.
struct ByX {
  TabulatedFunction table;
  static constexpr bool kHasBeyond = true;
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t row(double x, double& t, bool& right) const {
    const double d = x - table.centre;
    right = d > 0;
    return find_panel(math::detail::multiply_add(::fabs(d), table.inverse_width, 1.0), table.bits,
                      t);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_lower(std::int64_t panel, bool right) const {
    return table.is_lower(panel, right);
  }
  KOKKOS_FORCEINLINE_FUNCTION double beyond(double x) const { return table.beyond(x); }
};

/// Input of a quantile: p to z, the odds of the larger of p and 1 - p.
struct ByProbability {
  TabulatedFunction table;
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t row(double p, double& t, bool& right) const {
    right = p > 0.5;
    const double z = right ? p / (1 - p) : (1 - p) / p;
    return z >= 1 ? find_panel(z, table.bits, t) : table.panels;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_lower(std::int64_t, bool) const { return false; }
  KOKKOS_FORCEINLINE_FUNCTION double beyond(double) const { return NAN; }
};

/// The quantile from its tabulated distance to the median.
struct Distance {
  double median, scale;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(double p, double value, bool) const {
    return p > 0.5 ? median + scale * value : median - scale * value;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool underflows(double) const { return false; }
  KOKKOS_FORCEINLINE_FUNCTION double exact(double p, double value, bool lower) const {
    return (*this)(p, value, lower);
  }
};

/// The quantile after one step of Newton's method in the table of the standard distribution, by the
/// distance from its centre.
struct PolishedDistance {
  Distance from_centre;  ///< of the standard distribution
  TabulatedFunction log_pdf, log_tail;
  double centre, scale;

  KOKKOS_FORCEINLINE_FUNCTION double polish(double p, double value) const {
    const double d = from_centre(p, value, false);
    bool lower;
    const double tail = math::exponential(log_tail.at(d, lower)),
                 pdf = math::exponential(log_pdf(d));
    const double step = (lower ? p - tail : tail - (1 - p)) / pdf;
    return ::fabs(step) < 1e-3 * (::fabs(d) + 1 / log_tail.inverse_width) ? d + step : d;
  }
  KOKKOS_FORCEINLINE_FUNCTION double operator()(double p, double value, bool) const {
    return centre + scale * polish(p, value);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool underflows(double) const { return false; }
  KOKKOS_FORCEINLINE_FUNCTION double exact(double p, double value, bool lower) const {
    return (*this)(p, value, lower);
  }
};

template <int Width>
struct alignas(Width * sizeof(double)) Numbers {
  double v[Width];
};

/// A table at many points. On a GPU the teams are few and long-lived; each keeps the innermost
/// panels in its scratch memory.
template <class ExecSpace, class Address, class Finish>
struct LookupKernel {
  // Kokkos gives a team at most 48 KiB, less 8 bytes a thread
  static constexpr int kTeam = 512, kScratchBytes = 43 * 1024;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<kTeam, 2>>;
  using Member = typename Policy::member_type;
  using Scratch = Kokkos::View<Numbers<2>*, typename ExecSpace::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Address address;
  Finish finish;
  const double* x;
  double* out;
  std::int64_t count;
  int hot;  ///< panels a side in scratch memory

  KOKKOS_FORCEINLINE_FUNCTION double value(double x_i, const double* hot_rows) const {
    double t = 0;
    bool right;
    const std::int64_t k = address.row(x_i, t, right);
    double v;
    if (k < hot) {
      v = polynomial(hot_rows + kRow * (k + (right ? hot : 0)), t);
    } else if (k < address.table.panels) {
      v = polynomial(address.table.rows + kRow * (k + (right ? address.table.panels : 0)), t);
    } else {
      v = address.beyond(x_i);
    }
    return finish.exact(x_i, v, address.is_lower(k, right));
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const Scratch scratch(team.team_scratch(0), hot * kRow);  // two sides of rows of kRow/2 pairs
    const int half = hot * kRow / 2;
    const Numbers<2>* rows = reinterpret_cast<const Numbers<2>*>(address.table.rows);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 2 * half), [&](int i) {
      scratch(i) = i < half ? rows[i] : rows[i - half + address.table.panels * (kRow / 2)];
    });
    team.team_barrier();
    const double* hot_rows = scratch.data()->v;
    const std::int64_t pairs = count / 2,
                       stride = static_cast<std::int64_t>(team.league_size()) * team.team_size();
    const std::int64_t first =
        static_cast<std::int64_t>(team.league_rank()) * team.team_size() + team.team_rank();
    const Numbers<2>* from = reinterpret_cast<const Numbers<2>*>(x);
    Numbers<2> next{};
    if (first < pairs) next = from[first];
    for (std::int64_t i = first; i < pairs; i += stride) {
      const Numbers<2> in = next;
      if (i + stride < pairs) next = from[i + stride];  // loaded while these are evaluated
      Numbers<2> result;
      result.v[0] = value(in.v[0], hot_rows);
      result.v[1] = value(in.v[1], hot_rows);
      reinterpret_cast<Numbers<2>*>(out)[i] = result;
    }
    if (first == 0 && count % 2 != 0) out[count - 1] = value(x[count - 1], hot_rows);
  }
};

/// A table at many points on a CPU, a block of points at a time: a loop without branches, then the
/// few points beyond the table.
template <class Address, class Finish>
struct BlockKernel {
  static constexpr int kBlock = 1024;
  Address address;
  Finish finish;
  const double* x;
  double* out;
  std::int64_t count;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t block) const {
    const Address by = address;
    const Finish end = finish;
    const double* from = x + block * kBlock;
    double* to = out + block * kBlock;
    const int size =
        static_cast<int>(count - block * kBlock < kBlock ? count - block * kBlock : kBlock);
    const std::int64_t panels = by.table.panels;
    const double* rows = by.table.rows;
    int outside = 0;
    for (int i = 0; i < size; ++i) {
      double t = 0;
      bool right;
      const std::int64_t k = by.row(from[i], t, right);
      const double value =
          polynomial(rows + kRow * ((k < panels ? k : 0) + (right ? panels : 0)), t);
      outside += k < panels && !end.underflows(value) ? 0 : 1;
      to[i] = end(from[i], value, by.is_lower(k, right));
    }
    if (outside == 0) return;
    for (int i = 0; i < size; ++i) {
      double t = 0;
      bool right;
      const std::int64_t k = by.row(from[i], t, right);
      if (!(k < panels)) {
        to[i] = end.exact(from[i], by.beyond(from[i]), by.is_lower(k, right));
      } else {
        const double value = polynomial(rows + kRow * (k + (right ? panels : 0)), t);
        if (end.underflows(value)) to[i] = end.exact(from[i], value, by.is_lower(k, right));
      }
    }
  }
};

/// out = finish(x, table(x)); asynchronous. On a GPU x and out must be aligned to 16 bytes, as
/// Views are.
template <class ExecSpace, class Address, class Finish>
void look_up(const ExecSpace& exec, const char* label, const Address& address, const Finish& finish,
             const Kokkos::View<const double*, ExecSpace>& x,
             const Kokkos::View<double*, ExecSpace>& out) {
  const auto count = static_cast<std::int64_t>(x.extent(0));
  if (count == 0) return;
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    using Kernel = LookupKernel<ExecSpace, Address, Finish>;
    const int hot =
        std::min(address.table.panels,
                 Kernel::kScratchBytes / (2 * kRow * static_cast<int>(sizeof(double))) / 2 * 2);
    const int league = static_cast<int>(
        std::min<std::int64_t>(std::max(1, exec.concurrency() / (2 * Kernel::kTeam)),
                               (count + Kernel::kTeam - 1) / Kernel::kTeam));
    typename Kernel::Policy policy(exec, league, Kernel::kTeam);
    policy.set_scratch_size(
        0, Kokkos::PerTeam(static_cast<int>(Kernel::Scratch::shmem_size(hot * kRow))));
    Kokkos::parallel_for(label, policy, Kernel{address, finish, x.data(), out.data(), count, hot});
  } else {
    using Kernel = BlockKernel<Address, Finish>;
    Kokkos::parallel_for(label,
                         Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                             exec, 0, (count + Kernel::kBlock - 1) / Kernel::kBlock),
                         Kernel{address, finish, x.data(), out.data(), count});
  }
}

}  // namespace tessera::stable::detail

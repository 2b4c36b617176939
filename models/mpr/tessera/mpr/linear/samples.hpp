// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "tessera/mpr/linear/precision_operator.hpp"
#include "tessera/mpr/linear/row_sums.hpp"

/// The samples of a field as the right side of the linear equations.

namespace tessera::mpr::detail {

/// The sum of the samples in column 0, and their number.
template <class ExecSpace, class Real, int W>
struct SumSamples {
  MultigridLevel<ExecSpace> level;
  Array<ExecSpace, const Columns<Real, W>> values;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, Sums<2>& sum) const {
    if (!level.is_sample(i)) return;
    sum.v[0] += static_cast<double>(values(i).v[0]);
    sum.v[1] += 1;
  }
};

template <class ExecSpace>
struct StoreMean {
  Array<ExecSpace, double> mean;
  KOKKOS_INLINE_FUNCTION void operator()(int frame, const Sums<2>& sum) const {
    mean(frame) = sum.v[1] > 0 ? sum.v[0] / sum.v[1] : 0;
  }
};

/// Copies values to column 0; 0 where there is no sample. A functor over the sites.
template <class ExecSpace, class Real, int W>
struct EnterSamples {
  MultigridLevel<ExecSpace> level;
  Array<ExecSpace, const Real> values;
  Array<ExecSpace, Columns<Real, W>> v;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = level.site_index(site);
    v(i).v[0] = level.is_sample(i) ? values(site) : Real(0);
  }
};

/// Takes the mean off the samples. A functor over the cells.
template <class ExecSpace, class Real, int W>
struct CentreSamples {
  MultigridLevel<ExecSpace> level;
  Array<ExecSpace, const double> mean;
  Array<ExecSpace, Columns<Real, W>> v;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (level.is_sample(i)) v(i).v[0] -= static_cast<Real>(mean(i / level.frame));
  }
};

/// b = -Q v at the missing cells, where v is 0 there.
template <class ExecSpace, class Real, int W, int D, bool plain>
struct PullOfSamples {
  PrecisionOperator<ExecSpace, Real, W, D> op;
  Array<ExecSpace, const Columns<Real, W>> v;
  Array<ExecSpace, Columns<Real, W>> b;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (op.level.is_missing(i)) b(i) = Real(-1) * op.template apply<plain>(v, i);
  }
};

/// Moves the values of noisy samples from column 0 to an array of their own: in the equations they
/// are unknown. A functor over the cells.
template <class ExecSpace, class Real, int W>
struct TakeNoisy {
  MultigridLevel<ExecSpace> level;
  Array<ExecSpace, Columns<Real, W>> v;
  Array<ExecSpace, Real> noisy;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (!level.is_noisy(i)) return;
    noisy(i) = v(i).v[0];
    v(i).v[0] = Real(0);
  }
};

/// Adds what noisy samples pull with to column 0 of the right side. A functor over the cells.
template <class ExecSpace, class Real, int W>
struct PullOfNoisy {
  Array<ExecSpace, const Real> anchors, noisy;
  Array<ExecSpace, Columns<Real, W>> b;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    b(i).v[0] += anchors(i) * noisy(i);
  }
};

/// Samples in column 0, less the mean of those of their frame, or another one, which is returned.
/// `values`: [frame][site].
template <class ExecSpace, class Real, int W>
Array<ExecSpace, double> enter_samples(const ExecSpace& exec,
                                       const MultigridLevel<ExecSpace>& level,
                                       const Array<ExecSpace, const Real>& values,
                                       const Array<ExecSpace, Columns<Real, W>>& v,
                                       std::optional<double> other_mean = {}) {
  const auto frames = static_cast<std::size_t>(level.frames);
  const auto mean = allocate<Array<ExecSpace, double>>(exec, "tessera::mpr::frame_means", frames);
  const auto row_sum = make_row_sums<2>(exec, level);
  Kokkos::parallel_for("tessera::mpr::enter_samples", Range<ExecSpace>(exec, 0, level.sites()),
                       EnterSamples<ExecSpace, Real, W>{level, values, v});
  sum_rows<2>(exec, "tessera::mpr::sum_samples", level, row_sum,
              SumSamples<ExecSpace, Real, W>{level, v}, StoreMean<ExecSpace>{mean});
  if (other_mean) Kokkos::deep_copy(exec, mean, *other_mean);
  Kokkos::parallel_for("tessera::mpr::centre_samples", Range<ExecSpace>(exec, 0, level.size()),
                       CentreSamples<ExecSpace, Real, W>{level, mean, v});
  return mean;
}

}  // namespace tessera::mpr::detail

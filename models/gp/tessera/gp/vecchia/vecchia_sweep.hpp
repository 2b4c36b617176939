// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "tessera/bessel/matern/matern_block.hpp"
#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/covariance/assemble.hpp"
#include "tessera/gp/covariance/correlation.hpp"
#include "tessera/gp/covariance/matern_slopes.hpp"
#include "tessera/gp/points/neighbours.hpp"
#include "tessera/gp/vecchia/interacting_slopes.hpp"
#include "tessera/gp/vecchia/variable_slopes.hpp"

/// The kernel of the Vecchia approximation for any number of neighbours. For a point i with
/// neighbours c, S the covariance of c, s that of c and i,
///
///     b = S^-1 s,     d = C_ii - s' b,     r = y_i - b' y_c for each column y of the data and the
///                     trend,
///
/// by S = L L' and forward substitution. With derivatives, for each derivative D of the covariance
/// of (c, i) and b~ = (b, -1): v = D b~,
///
///     dd = b~' v,     dr = (L^-1 v_c)' (L^-1 y_c),     and the products of the L^-1 v_c of every
///                     pair of derivatives,
///
/// of which gradient and Fisher information consist (Guinness 2019). The gradient alone needs no
/// L^-1 v: dr = v_c' (S^-1 y_c); of many columns it takes b' y_c and (S^-1 v_c)' y_c. Everything of
/// a point lies in a workspace of some ten KB: on a CPU that of 8 points at a time, one a SIMD
/// lane; on a GPU that of 32, a thread each. (vecchia_registers.hpp is faster there for few
/// neighbours in up to three coordinates.)

namespace tessera::gp::detail {

/// Points as records: coordinates (Axes: x and y, or x, y, z and the time; kAnyAxes: more than
/// three and the time), then the columns of data and trend, then the known variance of the error,
/// if there is one.
inline constexpr int kAnyAxes = 0;
template <class ExecSpace>
using RecordView = Kokkos::View<const double**, Kokkos::LayoutRight, ExecSpace>;

/// The numbers that a sweep writes for each point, field by field.
template <class ExecSpace>
using FieldView = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;

/// The fields: d, then r of each column; with derivatives dd of each, dr of each for every column,
/// and the products of each pair. The first derivative is that in the nugget. Of several variables
/// the derivatives are those in theta.
struct SweepFields {
  int columns = 0, derivatives = 0;
  bool products = true;
  KOKKOS_INLINE_FUNCTION int residual(int column) const { return 1 + column; }
  KOKKOS_INLINE_FUNCTION int d_variance(int q) const { return 1 + columns + q; }
  KOKKOS_INLINE_FUNCTION int d_residual(int q, int column) const {
    return 1 + columns + derivatives + q * columns + column;
  }
  KOKKOS_INLINE_FUNCTION int product(int q, int p) const {  // p <= q
    return 1 + columns + derivatives * (1 + columns) + q * (q + 1) / 2 + p;
  }
  KOKKOS_INLINE_FUNCTION int count() const { return product(products ? derivatives : 0, 0); }
};

/// The derivatives besides that in the nugget, as terms of DerivativeTerms. Where errors have known
/// variances, there is one more, kErrors, in a factor of all of them, by which the part of sigma2
/// is told apart.
struct SweepTerms {
  // the ranges, the shape, the time and the errors; or three ranges and angles, the shape, the
  // coefficients of LocalModel and the errors
  static constexpr int kMost = kMostCoordinates + 8, kErrors = AllDerivativeSums::kCount;
  int count = 0;
  int term[kMost] = {};
  bool isotropic = true;  ///< one distance term stands for all coordinates
};

/// information: with the gradient.
enum class SweepMode { value, gradient, information, weights };

/// The arrays and numbers that all kernels of a sweep read and write.
template <class ExecSpace, class Function>
struct SweepProblem {
  using Lag = typename decltype(Function::temporal)::Lag;
  Function covariance;
  // points that are conditioned on, and targets, which are conditioned; often the same
  RecordView<ExecSpace> points, targets;
  NeighbourView<ExecSpace> neighbours;  // a row for each target
  std::int64_t first, count;            // targets of this sweep
  std::int64_t observed;                // points before have the nugget, the others `jitter`
  double jitter, own_nugget;            // own_nugget: that of the targets
  // the place of the error's variance in a record of points, and of targets; -1: there is none
  int errors, own_errors;
  SweepFields fields;
  // the fields, from the first target of this sweep on
  FieldView<ExecSpace> output;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> weights;  // b, for SweepMode::weights
  // the first target without a positive variance
  Kokkos::View<std::int64_t, ExecSpace> failed;
  SweepTerms terms;
  VariableDerivatives of_variables = {};
  // own_nugget, as jitter, is a share of the variance of the field, which differs from place to
  // place, times sigma2
  bool in_field_variance = false;

  /// Derivatives whose terms are pairs: those before the one in the errors, which is the last.
  KOKKOS_FORCEINLINE_FUNCTION int pair_derivatives() const {
    return fields.derivatives - (errors >= 0 ? 1 : 0);
  }

  /// One number of such a derivative of the covariance, up to the factor of its parameter; that in
  /// the nugget does not count.
  KOKKOS_FORCEINLINE_FUNCTION double derivative(
      int q, double m_value, double u_dm_du, double dm_dshape,
      const double (&fraction)[Function::Traits::kFractions], const Lag& lag) const {
    const int term = terms.term[q];
    if (term == DerivativeSums::kShape) return dm_dshape;
    if (DerivativeSums::is_of_time(term))
      return lag.term(DerivativeSums::part_of_time(term), m_value, u_dm_du);
    if (terms.isotropic) return u_dm_du;
    return u_dm_du * fraction[DerivativeSums::fraction(term)];
  }
};

/// Targets of a sweep that a faster kernel leaves to this one; none: all of them.
template <class ExecSpace>
struct RedoList {
  Kokkos::View<std::int32_t*, ExecSpace> target;
  Kokkos::View<std::int32_t, ExecSpace> count;
  KOKKOS_INLINE_FUNCTION void add(std::int64_t i) const {
    target(Kokkos::atomic_fetch_add(&count(), 1)) = static_cast<std::int32_t>(i);
  }
};

/// Correlations of squared distances that lie in an array with a given stride.
template <class Correlation>
KOKKOS_INLINE_FUNCTION void correlate(const Correlation& correlation, double* s, int count,
                                      int stride) {
  for (int k = 0; k < count; ++k) s[k * stride] = correlation.value(s[k * stride]);
}
#if !TESSERA_ON_GPU
inline void correlate(const Matern& correlation, double* s, int count, int stride) {
  if (stride != 1) {
    for (int k = 0; k < count; ++k) s[k * stride] = correlation.value(s[k * stride]);
    return;
  }
  constexpr int kBlock = bessel::detail::kMaternBlock;
  double m[kBlock];
  for (int begin = 0; begin < count; begin += kBlock) {
    const int size = count - begin < kBlock ? count - begin : kBlock;
    bessel::detail::matern_block(correlation.function, s + begin, m, size,
                                 [&](int i) { return correlation.value(s[begin + i]); });
    for (int i = 0; i < size; ++i) s[begin + i] = m[i];
  }
}
#endif

/// The slopes u dM/du and dM/dshape of squared distances.
template <class Correlation>
KOKKOS_INLINE_FUNCTION void find_slopes(const Correlation& correlation, const double* s,
                                        double* u_dm_du, double* dm_dshape, int count) {
  for (int i = 0; i < count; ++i) {
    double unused;
    correlation.derivatives(s[i], unused, u_dm_du[i], dm_dshape[i]);
  }
}
#if !TESSERA_ON_GPU
inline void find_slopes(const Matern& correlation, const double* s, double* u_dm_du, double* dm_dnu,
                        int count) {
  matern_slopes(correlation.function, s, u_dm_du, dm_dnu, count);
}
#endif

template <class ExecSpace, class Function, int Axes, SweepMode Mode>
struct VecchiaSweep {
  static constexpr bool kOnGpu = compat::is_gpu_v<ExecSpace>;
  static constexpr int kPoints = kOnGpu ? 32 : 8;  // of a workspace
  static constexpr int kWidth = kOnGpu ? 1 : 8;    // of them, those a thread takes
  static constexpr bool kDerivatives =
      Mode == SweepMode::gradient || Mode == SweepMode::information;
  static constexpr bool kHighDimensional = Function::Traits::kHighDimensional;
  static constexpr bool kInteracts = Function::kInteracts;  // space and time
  static constexpr bool kSeveral = Function::kSeveral;      // variables
  static constexpr bool kLocal = Function::kLocal;          // it differs from place to place
  static_assert((kHighDimensional || kLocal) == (Axes == kAnyAxes));
  using Place = typename Function::Place;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  SweepProblem<ExecSpace, Function> problem;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> workspace;
  int m;
  RedoList<ExecSpace> list;

  /// Numbers of each point in the workspace. `axes`: of a record.
  static std::int64_t workspace_numbers(int m, int axes, int columns, int derivatives) {
    return Layout(m, axes, columns, derivatives).end * static_cast<std::int64_t>(kPoints);
  }

  KOKKOS_INLINE_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const int lane = kOnGpu ? static_cast<int>(compat::this_warp_lane().index) : 0;
    double* const memory = &workspace(team.league_rank(), 0) + lane;
    const bool has_list = list.target.extent(0) > 0;
    const std::int64_t count = has_list ? list.count() : problem.count,
                       blocks = (count + kPoints - 1) / kPoints;
    for (std::int64_t block = team.league_rank(); block < blocks; block += team.league_size()) {
      const std::int64_t begin = block * kPoints + lane;
      if (begin >= count) continue;
      Batch batch;
      batch.size = static_cast<int>(compat::min<std::int64_t>(kWidth, count - begin));
      for (int l = 0; l < kWidth; ++l) {
        const std::int64_t at = begin + compat::min(l, batch.size - 1);
        batch.target[l] = has_list ? list.target(at) : at;
      }
      take(batch, memory);
    }
  }

 private:
  /// The targets that a thread takes at a time; the last again where there are fewer.
  struct Batch {
    std::int64_t target[kWidth];
    int size;
  };
  /// One number of each of them.
  struct Pack {
    double v[kWidth];
    KOKKOS_FORCEINLINE_FUNCTION Pack& subtract_product(const Pack& a, const Pack& b) {
      TESSERA_VECTORIZE
      for (int l = 0; l < kWidth; ++l) v[l] = compat::multiply_add(-a.v[l], b.v[l], v[l]);
      return *this;
    }
    KOKKOS_FORCEINLINE_FUNCTION Pack& add_product(const Pack& a, const Pack& b) {
      TESSERA_VECTORIZE
      for (int l = 0; l < kWidth; ++l) v[l] = compat::multiply_add(a.v[l], b.v[l], v[l]);
      return *this;
    }
    KOKKOS_FORCEINLINE_FUNCTION Pack& operator*=(const Pack& a) {
      TESSERA_VECTORIZE
      for (int l = 0; l < kWidth; ++l) v[l] *= a.v[l];
      return *this;
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION static Pack load(const double* memory, std::int64_t element) {
    Pack pack;
    TESSERA_VECTORIZE
    for (int l = 0; l < kWidth; ++l) pack.v[l] = memory[element * kPoints + l];
    return pack;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void store(double* memory, std::int64_t element,
                                                const Pack& pack) {
    TESSERA_VECTORIZE
    for (int l = 0; l < kWidth; ++l) memory[element * kPoints + l] = pack.v[l];
  }
  KOKKOS_FORCEINLINE_FUNCTION static Pack constant(double value) {
    Pack pack;
    for (int l = 0; l < kWidth; ++l) pack.v[l] = value;
    return pack;
  }

  /// The places where arrays begin in the workspace, in elements of all points.
  struct Layout {
    int m;
    std::int64_t inverse, mask, place, value, b, v, error, in_time, end;
    KOKKOS_INLINE_FUNCTION Layout(int neighbours, int axes, int columns, int derivatives)
        : m(neighbours) {
      inverse = row(m + 1);  // 1 / L_kk
      mask = inverse + m;    // 0 where there is no neighbour
      place = mask + m + 1;  // coordinates
      value = place + static_cast<std::int64_t>(m + 1) * axes;
      b = value + static_cast<std::int64_t>(m + 1) * columns;
      v = b + m + 1;
      error = v + static_cast<std::int64_t>(m + 1) * derivatives;
      in_time = error + (derivatives > 0 ? m + 1 : 0);
      end = in_time + (kInteracts || kLocal ? m : 0);  // factors of a row
    }
    /// The lower triangle, row by row; row m belongs to the point itself.
    KOKKOS_INLINE_FUNCTION static std::int64_t row(int r) {
      return static_cast<std::int64_t>(r) * (r + 1) / 2;
    }
  };

  /// Returns the number of coordinates in a record, the time included.
  KOKKOS_FORCEINLINE_FUNCTION int axes() const {
    if constexpr (kHighDimensional)
      return problem.covariance.distance.dimension + 1;
    else if constexpr (kLocal)
      return problem.covariance.terms.columns();
    else
      return Axes;
  }

  KOKKOS_INLINE_FUNCTION void take(const Batch& batch, double* memory) const {
    const Layout at(m, axes(), problem.fields.columns,
                    kDerivatives ? problem.fields.derivatives : 0);
    gather(at, batch, memory);
    assemble(at, memory);
    const Pack d = factor(at, batch, memory);
    for (int l = 0; l < batch.size; ++l) {
      problem.output(batch.target[l], 0) = d.v[l];
      if (!(d.v[l] > 0)) report(batch.target[l]);
    }
    for (int c = 0; c < problem.fields.columns && !by_weights(); ++c)
      write(batch, problem.fields.residual(c), substitute(at, memory, at.value, c));
    if constexpr (Mode != SweepMode::value) find_weights(at, memory);
    for (int c = 0; c < problem.fields.columns && by_weights(); ++c)
      write(batch, problem.fields.residual(c), multiply_by_weights(at, memory, c));
    if constexpr (Mode == SweepMode::weights) {
      for (int j = 0; j < m; ++j) {
        for (int l = 0; l < batch.size; ++l)
          problem.weights(batch.target[l], j) = memory[(at.b + j) * kPoints + l];
      }
    }
    if constexpr (kDerivatives) differentiate(at, batch, memory);
  }

  KOKKOS_INLINE_FUNCTION void report(std::int64_t target) const {
    Kokkos::atomic_fetch_min(&problem.failed(), problem.first + target);
  }

  KOKKOS_INLINE_FUNCTION void write(const Batch& batch, int field, const Pack& pack) const {
    for (int l = 0; l < batch.size; ++l) problem.output(batch.target[l], field) = pack.v[l];
  }

  /// Copies the neighbours and the point to the workspace. Where there are fewer than m a point
  /// without covariance stands.
  KOKKOS_INLINE_FUNCTION void gather(const Layout& at, const Batch& batch, double* memory) const {
    const int columns = problem.fields.columns;
    for (int j = 0; j <= m; ++j) {
      const double* records[kWidth];
      bool is_there[kWidth];
      for (int l = 0; l < kWidth; ++l) {
        const std::int64_t i = problem.first + batch.target[l];
        const std::int32_t id = j < m ? problem.neighbours(i, j) : -1;
        const bool there = j == m || id >= 0;
        const double* const record = id >= 0 ? &problem.points(id, 0) : &problem.targets(i, 0);
        memory[(at.mask + j) * kPoints + l] = there ? 1 : 0;
        for (int a = 0; a < axes(); ++a)
          memory[(at.place + j * axes() + a) * kPoints + l] = record[a];
        const double error = there ? error_variance(j, id, record) : 0;
        memory[(Layout::row(j) + j) * kPoints + l] = there ? own_variance(j, id, record, error) : 1;
        if (kDerivatives && problem.errors >= 0) memory[(at.error + j) * kPoints + l] = error;
        records[l] = record + axes();
        is_there[l] = there;
      }
      for (int c = 0; c < columns; ++c) {
        for (int l = 0; l < kWidth; ++l)
          memory[(at.value + j * columns + c) * kPoints + l] = is_there[l] ? records[l][c] : 0;
      }
    }
  }

  /// Returns the variance of neighbour j, or of the point itself (m), with that of its errors.
  KOKKOS_FORCEINLINE_FUNCTION double own_variance(int j, std::int32_t id, const double* record,
                                                  double error) const {
    const Function& covariance = problem.covariance;
    if constexpr (kSeveral) {
      const int v = static_cast<int>(record[3]);
      return covariance.amplitude[variable_pair(v, v)] + (j == m ? covariance.target_nugget[v]
                                                          : id < problem.observed
                                                              ? covariance.nugget[v]
                                                              : covariance.jitter[v]);
    } else if constexpr (kLocal) {
      const Place place{record, 1};
      const double field = covariance.field(place),
                   share = j == m ? problem.own_nugget : problem.jitter;
      const bool observed = j == m ? !problem.in_field_variance : id < problem.observed;
      const double scale = observed ? place[LocalColumns::kNugget] : field / covariance.sigma2;
      return field + ((j == m || !observed ? share : covariance.nugget) * scale + error);
    } else {
      const double nugget = j == m                  ? problem.own_nugget
                            : id < problem.observed ? covariance.nugget
                                                    : problem.jitter;
      return covariance.sigma2 + (nugget + error);
    }
  }

  /// Returns the known variance of the error of neighbour j, or of the point itself (m).
  KOKKOS_FORCEINLINE_FUNCTION double error_variance(int j, std::int32_t id,
                                                    const double* record) const {
    if (j == m) return problem.own_errors >= 0 ? record[problem.own_errors] : 0;
    return problem.errors >= 0 && id < problem.observed ? record[problem.errors] : 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION Place point(const Layout& at, const double* memory, int j,
                                          int l) const {
    const double* const place = memory + (at.place + j * axes()) * kPoints + l;
    if constexpr (kHighDimensional || kLocal)
      return {place, kPoints};
    else if constexpr (kSeveral)
      return {place[0], place[kPoints], place[2 * kPoints], static_cast<int>(place[3 * kPoints])};
    else
      return {place[0], place[kPoints], Axes == 2 ? 0 : place[2 * kPoints]};
  }
  KOKKOS_FORCEINLINE_FUNCTION double lag(const Layout& at, const double* memory, int j, int k,
                                         int l) const {
    if constexpr (Axes == 2) return 0;
    const int time = axes() - 1;
    return memory[(at.place + j * axes() + time) * kPoints + l] -
           memory[(at.place + k * axes() + time) * kPoints + l];
  }

  /// What rows j and k have that are apart in time.
  KOKKOS_FORCEINLINE_FUNCTION auto time_between(const Layout& at, const double* memory, int j,
                                                int k, int l) const {
    if constexpr (Axes == 2) {
      return SeparableTime::Lag{};
    } else {
      return problem.covariance.temporal.at(lag(at, memory, j, k, l));
    }
  }

  /// Multiplies the u^2 of row r by their factors of the time, and keeps those of the correlations.
  KOKKOS_FORCEINLINE_FUNCTION void scale_squares(const Layout& at, double* memory, int r) const {
    double *const square = memory + Layout::row(r) * kPoints, *const in_time =
                                                                  memory + at.in_time * kPoints;
    for (int c = 0; c < r; ++c) {
      double lags[kWidth];
      for (int l = 0; l < kWidth; ++l) lags[l] = lag(at, memory, r, c, l);
      TESSERA_VECTORIZE
      for (int l = 0; l < kWidth; ++l) {
        double factor, square_factor;
        problem.covariance.temporal.find_factors(lags[l], factor, square_factor);
        square[c * kPoints + l] *= square_factor;
        in_time[c * kPoints + l] = factor;
      }
    }
  }

  /// Does the same with the factors of places that differ.
  KOKKOS_FORCEINLINE_FUNCTION void scale_local_squares(const Layout& at, double* memory,
                                                       int r) const {
    double *const square = memory + Layout::row(r) * kPoints, *const factors =
                                                                  memory + at.in_time * kPoints;
    for (int c = 0; c < r; ++c) {
      TESSERA_VECTORIZE
      for (int l = 0; l < kWidth; ++l) {
        double factor, square_factor;
        problem.covariance.find_factors(point(at, memory, r, l), point(at, memory, c, l), factor,
                                        square_factor);
        square[c * kPoints + l] *= square_factor;
        factors[c * kPoints + l] = factor;
      }
    }
  }

  /// The u^2 of rows r and c of each point of the pack. Of many coordinates one after the other
  /// comes, so that the points lie side by side in SIMD lanes.
  KOKKOS_FORCEINLINE_FUNCTION void find_squares(const Layout& at, const double* memory, int r,
                                                int c, double* square) const {
    const auto& distance = problem.covariance.distance;
    if constexpr (kHighDimensional && !kOnGpu) {
      const double *const a = memory + (at.place + r * axes()) * kPoints, *const b = memory +
                                                                                     (at.place +
                                                                                      c * axes()) *
                                                                                         kPoints;
      Pack sum = constant(0);
      for (int k = 0; k < distance.dimension; ++k) {
        const double scale = distance.inverse_range[k];
        TESSERA_VECTORIZE
        for (int l = 0; l < kWidth; ++l) {
          const double x = (a[k * kPoints + l] - b[k * kPoints + l]) * scale;
          sum.v[l] = compat::multiply_add(x, x, sum.v[l]);
        }
      }
      for (int l = 0; l < kWidth; ++l) square[l] = sum.v[l];
    } else {
      TESSERA_VECTORIZE
      for (int l = 0; l < kWidth; ++l)
        square[l] = distance.square(point(at, memory, r, l), point(at, memory, c, l));
    }
  }

  /// The covariances below the diagonal.
  KOKKOS_INLINE_FUNCTION void assemble(const Layout& at, double* memory) const {
    if constexpr (kSeveral)
      assemble_several(at, memory);
    else
      assemble_one(at, memory);
  }
  KOKKOS_INLINE_FUNCTION void assemble_several(const Layout& at, double* memory) const {
    for (int r = 1; r <= m; ++r) {
      double* const row = memory + Layout::row(r) * kPoints;
      for (int l = 0; l < kWidth; ++l) {
        const Place mine = point(at, memory, r, l);
        const double mask = memory[(at.mask + r) * kPoints + l];
        for (int c = 0; c < r; ++c)
          row[c * kPoints + l] = mask * memory[(at.mask + c) * kPoints + l] *
                                 problem.covariance(mine, point(at, memory, c, l), 0);
      }
    }
  }
  KOKKOS_INLINE_FUNCTION void assemble_one(const Layout& at, double* memory) const {
    const Function& covariance = problem.covariance;
    for (int r = 1; r <= m; ++r) {
      double* const row = memory + Layout::row(r) * kPoints;
      for (int c = 0; c < r; ++c) find_squares(at, memory, r, c, row + c * kPoints);
      if constexpr (kInteracts) scale_squares(at, memory, r);
      if constexpr (kLocal) scale_local_squares(at, memory, r);
      if constexpr (kOnGpu) {
        correlate(covariance.correlation, row, r, kPoints);
      } else {
        correlate(covariance.correlation, row, r * kPoints, 1);
      }
      const Pack mine = load(memory, at.mask + r);
      for (int c = 0; c < r; ++c) {
        Pack value = load(row, c);
        value *= mine;
        value *= load(memory, at.mask + c);
        for (int l = 0; l < kWidth; ++l) value.v[l] *= covariance.sigma2;
        if constexpr (kInteracts || kLocal) {
          value *= load(memory, at.in_time + c);
        } else if constexpr (Axes != 2) {
          if (covariance.temporal.inverse_range != 0) {
            for (int l = 0; l < kWidth; ++l)
              value.v[l] *= covariance.temporal.in_time(lag(at, memory, r, c, l));
          }
        }
        store(row, c, value);
      }
    }
  }

  /// L, row by row; row m becomes L^-1 s. Returns d.
  KOKKOS_INLINE_FUNCTION Pack factor(const Layout& at, const Batch& batch, double* memory) const {
    Pack pivot;
    for (int r = 0; r <= m; ++r) {
      double* const row = memory + Layout::row(r) * kPoints;
      int c = 0;
      for (; c + 4 <= r; c += 4) {  // four columns at a time
        const double *const row0 = memory + Layout::row(c) * kPoints,
                            *const row1 = memory + Layout::row(c + 1) * kPoints,
                            *const row2 = memory + Layout::row(c + 2) * kPoints,
                            *const row3 = memory + Layout::row(c + 3) * kPoints;
        Pack x0 = load(row, c), x1 = load(row, c + 1), x2 = load(row, c + 2), x3 = load(row, c + 3);
        for (int k = 0; k < c; ++k) {
          const Pack mine = load(row, k);
          x0.subtract_product(mine, load(row0, k));
          x1.subtract_product(mine, load(row1, k));
          x2.subtract_product(mine, load(row2, k));
          x3.subtract_product(mine, load(row3, k));
        }
        x0 *= load(memory, at.inverse + c);
        x1.subtract_product(x0, load(row1, c));
        x1 *= load(memory, at.inverse + c + 1);
        x2.subtract_product(x0, load(row2, c)).subtract_product(x1, load(row2, c + 1));
        x2 *= load(memory, at.inverse + c + 2);
        x3.subtract_product(x0, load(row3, c))
            .subtract_product(x1, load(row3, c + 1))
            .subtract_product(x2, load(row3, c + 2));
        x3 *= load(memory, at.inverse + c + 3);
        store(row, c, x0);
        store(row, c + 1, x1);
        store(row, c + 2, x2);
        store(row, c + 3, x3);
      }
      for (; c < r; ++c) {
        const double* const other = memory + Layout::row(c) * kPoints;
        Pack x = load(row, c);
        for (int k = 0; k < c; ++k) x.subtract_product(load(row, k), load(other, k));
        x *= load(memory, at.inverse + c);
        store(row, c, x);
      }
      pivot = load(row, r);
      for (int k = 0; k < r; ++k) {
        const Pack x = load(row, k);
        pivot.subtract_product(x, x);
      }
      if (r == m) break;
      Pack inverse;
      for (int l = 0; l < kWidth; ++l) {
        inverse.v[l] = 1 / compat::math::sqrt(pivot.v[l]);
        if (!(pivot.v[l] > 0)) report(batch.target[l]);
      }
      store(memory, at.inverse + r, inverse);
    }
    return pivot;
  }

  /// A column becomes L^-1 of it, and its last number, which is returned, what the neighbours do
  /// not explain.
  KOKKOS_INLINE_FUNCTION Pack substitute(const Layout& at, double* memory, std::int64_t array,
                                         int column) const {
    const int columns = problem.fields.columns;
    for (int r = 0;; ++r) {
      const double* const row = memory + Layout::row(r) * kPoints;
      Pack x = load(memory, array + static_cast<std::int64_t>(r) * columns + column);
      for (int k = 0; k < r; ++k)
        x.subtract_product(load(row, k),
                           load(memory, array + static_cast<std::int64_t>(k) * columns + column));
      if (r == m) return x;
      x *= load(memory, at.inverse + r);
      store(memory, array + static_cast<std::int64_t>(r) * columns + column, x);
    }
  }

  /// An array, whose elements lie `stride` apart, becomes L'^-1 of it.
  KOKKOS_INLINE_FUNCTION void substitute_back(const Layout& at, double* memory, std::int64_t array,
                                              int stride) const {
    for (int r = m - 1; r >= 0; --r) {
      const double* const row = memory + Layout::row(r) * kPoints;
      const std::int64_t mine = array + static_cast<std::int64_t>(r) * stride;
      Pack x = load(memory, mine);
      x *= load(memory, at.inverse + r);
      store(memory, mine, x);
      for (int k = 0; k < r; ++k) {
        const std::int64_t other = array + static_cast<std::int64_t>(k) * stride;
        Pack rest = load(memory, other);
        store(memory, other, rest.subtract_product(x, load(row, k)));
      }
    }
  }

  /// Computes b, continued by -1.
  KOKKOS_INLINE_FUNCTION void find_weights(const Layout& at, double* memory) const {
    const double* const last = memory + Layout::row(m) * kPoints;
    for (int k = 0; k < m; ++k) store(memory, at.b + k, load(last, k));
    substitute_back(at, memory, at.b, 1);
    store(memory, at.b + m, constant(-1));
  }

  /// Returns whether columns stay as they are, and b and S^-1 v multiply them: for the gradient
  /// alone of more columns than derivatives.
  KOKKOS_FORCEINLINE_FUNCTION bool by_weights() const {
    return Mode == SweepMode::gradient && problem.fields.columns > problem.fields.derivatives;
  }

  /// Returns what the neighbours do not explain of a column.
  KOKKOS_INLINE_FUNCTION Pack multiply_by_weights(const Layout& at, const double* memory,
                                                  int column) const {
    Pack rest = constant(0);
    for (int r = 0; r <= m; ++r)
      rest.subtract_product(
          load(memory, at.b + r),
          load(memory, at.value + static_cast<std::int64_t>(r) * problem.fields.columns + column));
    return rest;
  }

  /// The v of derivatives in range, shape and the rest, pair by pair.
  KOKKOS_INLINE_FUNCTION void add_slopes(const Layout& at, double* memory) const {
    const int count = problem.pair_derivatives(), length = m + 1;
    for (int r = 1; r <= m; ++r) {
      for (int c = 0; c < r; ++c) {
        for (int l = 0; l < kWidth; ++l) {
          if (memory[(at.mask + r) * kPoints + l] == 0 || memory[(at.mask + c) * kPoints + l] == 0)
            continue;
          double fraction[Function::Traits::kFractions], m_value = 0, u_dm_du = 0, dm_dshape = 0;
          const double square = problem.covariance.distance.square(
              point(at, memory, r, l), point(at, memory, c, l), fraction);
          const auto in_time = time_between(at, memory, r, c, l);
          problem.covariance.correlation.derivatives(in_time.scaled(square), m_value, u_dm_du,
                                                     dm_dshape);
          const double of_row = in_time.factor * memory[(at.b + r) * kPoints + l],
                       of_column = in_time.factor * memory[(at.b + c) * kPoints + l];
          for (int q = 1; q < count; ++q) {
            const double d =
                problem.derivative(q - 1, m_value, u_dm_du, dm_dshape, fraction, in_time);
            memory[(at.v + q * length + r) * kPoints + l] += d * of_column;
            memory[(at.v + q * length + c) * kPoints + l] += d * of_row;
          }
        }
      }
    }
  }

  /// The v of derivatives in theta of several variables, pair by pair.
  KOKKOS_INLINE_FUNCTION void add_slopes_of_several(const Layout& at, double* memory) const {
    const VariableDerivatives& all = problem.of_variables;
    const int length = m + 1;
    for (int r = 1; r <= m; ++r) {
      for (int c = 0; c < r; ++c) {
        for (int l = 0; l < kWidth; ++l) {
          if (memory[(at.mask + r) * kPoints + l] == 0 || memory[(at.mask + c) * kPoints + l] == 0)
            continue;
          const VariableSlopes slopes(problem.covariance, point(at, memory, r, l),
                                      point(at, memory, c, l));
          const double slope[3] = {slopes.m, slopes.u_dm_du, slopes.dm_dnu},
                       of_row = memory[(at.b + r) * kPoints + l],
                       of_column = memory[(at.b + c) * kPoints + l];
          for (int k = 0; k < all.count[slopes.pair]; ++k) {
            const VariableDerivatives::Term& term = all.term[slopes.pair][k];
            const int q = term.parameter;
            const double d = term.factor * slope[term.slope];
            memory[(at.v + q * length + r) * kPoints + l] += d * of_column;
            memory[(at.v + q * length + c) * kPoints + l] += d * of_row;
          }
        }
      }
    }
  }

  /// The v of derivatives of a covariance that differs from place to place, pair by pair.
  KOKKOS_INLINE_FUNCTION void add_slopes_of_local(const Layout& at, double* memory) const {
    const int count = problem.pair_derivatives(), length = m + 1;
    for (int r = 1; r <= m; ++r) {
      for (int c = 0; c < r; ++c) {
        for (int l = 0; l < kWidth; ++l) {
          if (memory[(at.mask + r) * kPoints + l] == 0 || memory[(at.mask + c) * kPoints + l] == 0)
            continue;
          const LocalSlopes<decltype(Function::correlation)> slopes(
              problem.covariance, point(at, memory, r, l), point(at, memory, c, l));
          const double of_row = memory[(at.b + r) * kPoints + l],
                       of_column = memory[(at.b + c) * kPoints + l];
          for (int q = 1; q < count; ++q) {
            const int term = problem.terms.term[q - 1];
            const double d = problem.terms.isotropic && term == DerivativeSums::kDistance
                                 ? slopes.u_dm_du
                                 : slopes.term(term);
            memory[(at.v + q * length + r) * kPoints + l] += d * of_column;
            memory[(at.v + q * length + c) * kPoints + l] += d * of_row;
          }
        }
      }
    }
  }

  /// Returns what the variance of row r, with its errors, has in the v of derivative q of such a
  /// covariance; the first derivative is that in the nugget.
  KOKKOS_INLINE_FUNCTION Pack own_slope_of_local(const Layout& at, const double* memory, int q,
                                                 int r) const {
    Pack start = load(memory, at.b + r);
    if (q >= problem.pair_derivatives()) {
      start *= load(memory, at.error + r);
      return start;
    }
    const int term = q == 0 ? 0 : problem.terms.term[q - 1];
    for (int l = 0; l < kWidth; ++l) {
      const Place place = point(at, memory, r, l);
      start.v[l] *= q == 0 ? place[LocalColumns::kNugget]
                    : term >= DerivativeSums::kFurther
                        ? problem.covariance.own_slope(place, term - DerivativeSums::kFurther)
                        : 0;
    }
    return start;
  }

  /// Returns what the variances of row r have in the v of derivative q of several variables.
  KOKKOS_INLINE_FUNCTION Pack own_slope(const Layout& at, const double* memory, int q,
                                        int r) const {
    Pack start = load(memory, at.b + r);
    for (int l = 0; l < kWidth; ++l) {
      const int variable = static_cast<int>(memory[(at.place + r * axes() + 3) * kPoints + l]);
      if (!problem.of_variables.is_of_variance(q, variable)) start.v[l] = 0;
    }
    return start;
  }

  /// Slopes come row by row on a CPU where space and time interact, and, where there is no time, of
  /// more than three coordinates and of the Matern function where one range serves all coordinates.
  static constexpr bool kHasSlopesByRow =
      !kOnGpu && !kLocal &&
      (kInteracts || kHighDimensional || std::is_same_v<decltype(Function::correlation), Matern>);
  KOKKOS_INLINE_FUNCTION bool has_slopes_by_row() const {
    return kHasSlopesByRow && (kInteracts || ((problem.terms.isotropic || kHighDimensional) &&
                                              problem.covariance.temporal.inverse_range == 0));
  }
  /// Derivative q of the covariance of rows r and c of many coordinates, from those in the distance
  /// (u dM/du, with ranges for each coordinate over u^2) and in the shape.
  KOKKOS_FORCEINLINE_FUNCTION Pack slope_of(const Layout& at, const double* memory, int r, int c,
                                            int q, const Pack& of_distance,
                                            const Pack& of_shape) const {
    const int term = problem.terms.term[q - 1];
    if (term == DerivativeSums::kShape) return of_shape;
    if (problem.terms.isotropic) return of_distance;
    const int k = DerivativeSums::fraction(term);
    const double *const a = memory + (at.place + r * axes() + k) * kPoints, *const b =
                                                                                memory +
                                                                                (at.place +
                                                                                 c * axes() + k) *
                                                                                    kPoints;
    Pack slope;
    if constexpr (kHighDimensional) {
      const double scale = problem.covariance.distance.inverse_range[k];
      TESSERA_VECTORIZE
      for (int l = 0; l < kWidth; ++l) {
        const double x = (a[l] - b[l]) * scale;
        slope.v[l] = of_distance.v[l] * x * x;
      }
    }
    return slope;
  }
  /// Finds the slopes of rows r and begin to end - 1, which interact in space and time, on a CPU.
  void find_interacting(const Layout& at, const double* memory, int r, int begin, int end,
                        InteractingSlopes& slopes) const {
    for (int c = begin; c < end; ++c) {
      find_squares(at, memory, r, c, slopes.square + (c - begin) * kWidth);
      for (int l = 0; l < kWidth; ++l)
        slopes.lag[(c - begin) * kWidth + l] = lag(at, memory, r, c, l);
    }
    const auto& correlation = problem.covariance.correlation;
    slopes.find((end - begin) * kWidth,
                [&](double* s, int count) { correlate(correlation, s, count, 1); },
                [&](const double* s, double* u_dm_du, double* dm_dshape, int count) {
                  find_slopes(correlation, s, u_dm_du, dm_dshape, count);
                });
  }
  /// Returns derivative q of the covariance of rows r and c, from those of pairs from `pair` on.
  Pack interacting_slope(const Layout& at, const double* memory, int r, int c, int q,
                         const InteractingSlopes& slopes, int pair) const {
    const int term = problem.terms.term[q - 1];
    Pack slope;
    if (term >= DerivativeSums::kShape) {
      for (int l = 0; l < kWidth; ++l) slope.v[l] = slopes.other_term(term, pair + l);
    } else if (problem.terms.isotropic) {
      for (int l = 0; l < kWidth; ++l) slope.v[l] = slopes.slope[pair + l];
    } else {  // a coordinate's square, or the product of two of them
      const int part = DerivativeSums::fraction(term),
                first = part == 5  ? 1
                        : part < 3 ? part
                                   : 0,
                second = part < 3    ? part
                         : part == 3 ? 1
                                     : 2;
      const auto difference = [&](int k, int l) {
        return (memory[(at.place + r * axes() + k) * kPoints + l] -
                memory[(at.place + c * axes() + k) * kPoints + l]) *
               problem.covariance.distance.inverse_range[k];
      };
      for (int l = 0; l < kWidth; ++l)
        slope.v[l] = slopes.by_square[pair + l] * difference(first, l) * difference(second, l);
    }
    return slope;
  }
  KOKKOS_INLINE_FUNCTION void add_slopes_by_row([[maybe_unused]] const Layout& at,
                                                [[maybe_unused]] double* memory) const {
#if !TESSERA_ON_GPU
    if constexpr (kHasSlopesByRow) {
      constexpr int kPairs = 8;  // of rows and columns at a time
      const int length = m + 1, derivatives = problem.pair_derivatives();
      double square[kPairs * kWidth], slope[2][kPairs * kWidth];
      [[maybe_unused]] InteractingSlopes interacting;
      if constexpr (kInteracts) interacting.temporal = problem.covariance.temporal;
      for (int r = 1; r <= m; ++r) {
        const Pack mine = load(memory, at.mask + r), of_row = load(memory, at.b + r);
        Pack row[kHighDimensional || kInteracts ? SweepTerms::kMost : 2];
        for (int q = 1; q < derivatives; ++q) row[q - 1] = constant(0);
        for (int begin = 0; begin < r; begin += kPairs) {
          const int end = begin + kPairs < r ? begin + kPairs : r;
          if constexpr (kInteracts) {
            find_interacting(at, memory, r, begin, end, interacting);
          } else {
            for (int c = begin; c < end; ++c)
              find_squares(at, memory, r, c, square + (c - begin) * kWidth);
            find_slopes(problem.covariance.correlation, square, slope[0], slope[1],
                        (end - begin) * kWidth);
          }
          for (int c = begin; c < end; ++c) {
            Pack mask = load(memory, at.mask + c);
            mask *= mine;
            const Pack of_column = load(memory, at.b + c);
            Pack of_distance, of_shape;  // of many coordinates: u dM/du, or that over u^2
            for (int l = 0; l < kWidth && kHighDimensional; ++l) {
              const int at_pair = (c - begin) * kWidth + l;
              const double s = square[at_pair];
              of_distance.v[l] =
                  slope[0][at_pair] * mask.v[l] / (problem.terms.isotropic || !(s > 0) ? 1 : s);
              of_shape.v[l] = slope[1][at_pair] * mask.v[l];
            }
            for (int q = 1; q < derivatives; ++q) {
              Pack d;
              if constexpr (kInteracts) {
                d = interacting_slope(at, memory, r, c, q, interacting, (c - begin) * kWidth);
                d *= mask;
              } else if constexpr (kHighDimensional) {
                d = slope_of(at, memory, r, c, q, of_distance, of_shape);
              } else {
                for (int l = 0; l < kWidth; ++l)
                  d.v[l] = slope[q - 1][(c - begin) * kWidth + l] * mask.v[l];
              }
              row[q - 1].add_product(d, of_column);
              Pack sum = load(memory, at.v + q * length + c);
              store(memory, at.v + q * length + c, sum.add_product(d, of_row));
            }
          }
        }
        for (int q = 1; q < derivatives; ++q) {
          Pack sum = load(memory, at.v + q * length + r);
          for (int l = 0; l < kWidth; ++l) sum.v[l] += row[q - 1].v[l];
          store(memory, at.v + q * length + r, sum);
        }
      }
    }
#endif
  }

  KOKKOS_INLINE_FUNCTION void differentiate(const Layout& at, const Batch& batch,
                                            double* memory) const {
    const SweepFields& fields = problem.fields;
    const int count = fields.derivatives, length = m + 1;
    for (int q = 0; q < count; ++q) {
      [[maybe_unused]] const bool of_errors = q >= problem.pair_derivatives();
      for (int r = 0; r <= m; ++r) {
        if constexpr (kSeveral) {
          store(memory, at.v + q * length + r, own_slope(at, memory, q, r));
        } else if constexpr (kLocal) {
          store(memory, at.v + q * length + r, own_slope_of_local(at, memory, q, r));
        } else {
          Pack start = q == 0 || of_errors ? load(memory, at.b + r) : constant(0);
          if (of_errors) start *= load(memory, at.error + r);
          store(memory, at.v + q * length + r, start);
        }
      }
    }
    if constexpr (kSeveral) {
      add_slopes_of_several(at, memory);
    } else if constexpr (kLocal) {
      add_slopes_of_local(at, memory);
    } else if (has_slopes_by_row()) {
      add_slopes_by_row(at, memory);
    } else {
      add_slopes(at, memory);
    }
    // The gradient alone: S^-1 y instead of L^-1 v, where those are fewer.
    const bool by_columns = Mode == SweepMode::gradient && fields.columns <= count;
    for (int c = 0; by_columns && c < fields.columns; ++c)
      substitute_back(at, memory, at.value + c, fields.columns);
    for (int q = 0; q < count; ++q) {
      Pack sum = constant(0);
      for (int r = 0; r <= m; ++r)
        sum.add_product(load(memory, at.b + r), load(memory, at.v + q * length + r));
      write(batch, fields.d_variance(q), sum);
      for (int r = 0; r < m && !by_columns; ++r) {  // L^-1 v
        const double* const row = memory + Layout::row(r) * kPoints;
        Pack x = load(memory, at.v + q * length + r);
        for (int k = 0; k < r; ++k)
          x.subtract_product(load(row, k), load(memory, at.v + q * length + k));
        x *= load(memory, at.inverse + r);
        store(memory, at.v + q * length + r, x);
      }
      if (by_weights()) substitute_back(at, memory, at.v + q * length, 1);  // S^-1 v
      for (int c = 0; c < fields.columns; ++c) {
        sum = constant(0);
        for (int r = 0; r < m; ++r)
          sum.add_product(
              load(memory, at.v + q * length + r),
              load(memory, at.value + static_cast<std::int64_t>(r) * fields.columns + c));
        write(batch, fields.d_residual(q, c), sum);
      }
      for (int p = 0; p <= q && Mode == SweepMode::information; ++p) {
        sum = constant(0);
        for (int r = 0; r < m; ++r)
          sum.add_product(load(memory, at.v + q * length + r), load(memory, at.v + p * length + r));
        write(batch, fields.product(q, p), sum);
      }
    }
  }
};

}  // namespace tessera::gp::detail

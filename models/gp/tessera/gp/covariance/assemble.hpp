// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/covariance/derivative_terms.hpp"
#include "tessera/gp/covariance/distance.hpp"
#include "tessera/gp/covariance/local_covariance.hpp"
#include "tessera/gp/covariance/multivariate.hpp"
#include "tessera/gp/covariance/temporal.hpp"

/// Covariance matrices, generated on the device tile by tile:
///
///     C(a, b) = sigma2 M(u) exp(-|t_a - t_b| / beta_time) + nugget [a is b]
///
/// or Gneiting's, of space and time that interact, or that of several variables (multivariate.hpp),
/// or one that differs from place to place (local_covariance.hpp), and the sums of their
/// derivatives that gradients consist of. M is a functor of correlation.hpp, u of distance.hpp, the
/// time of temporal.hpp; covariance.hpp says for which parameters C is positive definite. Entries
/// are good to 2e-16 sigma2 and a few roundings, of Gneiting's to 2e-15 sigma2. All calls are
/// asynchronous on `exec`, allocate nothing and report no errors: a NaN in is a NaN out.
///
/// Example (tests/install/examples/gp.cpp):
///
///     const tessera::bessel::MaternTable<ExecSpace> table(exec, 0.8);
///     const gp::Covariance<gp::Matern, gp::EuclideanDistance<2>> covariance{{table.function()}, {{10, 10}}, 2.0};  // 1 / beta, sigma2
///     const Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> matrix("matrix", n, n), b("b", n, 1);
///     Kokkos::deep_copy(exec, b, 1.0);
///     gp::fill_lower(exec, covariance, gp::PointView<ExecSpace>(device_points), matrix.data(), n);

namespace tessera::gp {

/// Points of one set, column by column: three coordinates (the missing ones 0; on the sphere a unit
/// vector), or as many as there are beyond three, and the time.
template <class ExecSpace>
using PointView = Kokkos::View<const double**, Kokkos::LayoutLeft, ExecSpace>;

/// sigma2 M(u) with its dependence on the time; Correlation as in correlation.hpp, Distance as in
/// distance.hpp, Time as in temporal.hpp.
template <class Correlation, class Distance, class Time = SeparableTime>
struct Covariance {
  using Traits = PlaceTraits<Distance>;
  using Place = typename Traits::Place;
  static constexpr bool kInteracts = Time::kInteracts;
  static constexpr bool kSeveral = false;  // variables
  static constexpr bool kLocal = false;    // not stationary
  static constexpr int kTimeTerms = Time::kTerms, kTerms = DerivativeSums::kTrace + kTimeTerms;
  using Sums = DerivativeTerms<(Traits::kTerms > kTerms ? Traits::kTerms : kTerms)>;

  Correlation correlation;
  Distance distance;
  double sigma2 = 1;
  Time temporal = {};
  double nugget = 0;

  KOKKOS_INLINE_FUNCTION double operator()(const Place& a, const Place& b, double lag) const {
    if constexpr (kInteracts) {
      double factor, square_factor;
      temporal.find_factors(lag, factor, square_factor);
      return sigma2 * correlation.value(distance.square(a, b) * square_factor) * factor;
    } else {
      const double value = sigma2 * correlation.value(distance.square(a, b));
      return temporal.inverse_range == 0 ? value : value * temporal.in_time(lag);
    }
  }

  /// The variance of the field, and of an observation.
  KOKKOS_FORCEINLINE_FUNCTION double field(const Place&) const { return sigma2; }
  KOKKOS_FORCEINLINE_FUNCTION double own(const Place&) const { return sigma2 + nugget; }
  /// Puts `jitter` in the place of the nugget, in units of sigma2.
  void use_jitter(double jitter) { nugget = jitter * sigma2; }

  /// The place and the time of point i of columns of points.
  template <class View>
  KOKKOS_FORCEINLINE_FUNCTION static Place place(const View& points, std::int64_t i) {
    return Traits::place(points, i);
  }
  template <class View>
  KOKKOS_FORCEINLINE_FUNCTION double time(const View& points, std::int64_t i) const {
    return points(i, Traits::time_column(distance));
  }
};

namespace detail {

/// Side of the tiles into which matrices are cut.
inline constexpr int kTile = 64;

/// Row and column of tile t of the first `columns` columns of a lower triangle, counted row by row.
KOKKOS_INLINE_FUNCTION void lower_tile(std::int64_t t, std::int64_t columns, std::int64_t& row,
                                       std::int64_t& column) {
  if (const std::int64_t rest = t - columns * (columns + 1) / 2; rest >= 0) {
    row = columns + rest / columns;
    column = rest % columns;
    return;
  }
  row = static_cast<std::int64_t>((compat::math::sqrt(8.0 * static_cast<double>(t) + 1) - 1) / 2);
  while (row * (row + 1) / 2 > t) --row;
  while ((row + 1) * (row + 2) / 2 <= t) ++row;
  column = t - row * (row + 1) / 2;
}

template <class ExecSpace>
using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

/// A team for each tile: on a GPU neighbouring lanes take neighbouring rows.
template <class ExecSpace>
Policy<ExecSpace> tiles(const ExecSpace& exec, std::int64_t count) {
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    return Policy<ExecSpace>(exec, static_cast<int>(count), 8, 32);
  } else {
    return Policy<ExecSpace>(exec, static_cast<int>(count), 1, 1);
  }
}

template <class ExecSpace, class Function>
struct FillLower {
  using Member = typename Policy<ExecSpace>::member_type;
  Function covariance;
  PointView<ExecSpace> points;
  double* matrix;
  std::int64_t n, m, stride;  // rows, columns

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    std::int64_t row = 0, column = 0;
    lower_tile(team.league_rank(), (m + kTile - 1) / kTile, row, column);
    const std::int64_t i0 = row * kTile, j0 = column * kTile;
    const int rows = static_cast<int>(compat::min<std::int64_t>(kTile, n - i0)),
              columns = static_cast<int>(compat::min<std::int64_t>(kTile, m - j0));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, columns), [&](int c) {
      const std::int64_t j = j0 + c;
      const auto b = covariance.place(points, j);
      const double time = covariance.time(points, j);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, rows), [&](int r) {
        const std::int64_t i = i0 + r;
        if (i < j) return;
        const double value =
            covariance(covariance.place(points, i), b, covariance.time(points, i) - time);
        matrix[i + j * stride] = i == j ? covariance.own(b) : value;
      });
    });
  }
};

template <class ExecSpace, class Function>
struct FillCross {
  using Member = typename Policy<ExecSpace>::member_type;
  Function covariance;
  PointView<ExecSpace> points, others;
  std::int64_t first_other;
  double* matrix;
  std::int64_t n, m, stride, tiles_down;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::int64_t i0 = team.league_rank() % tiles_down * kTile,
                       j0 = team.league_rank() / tiles_down * kTile;
    const int rows = static_cast<int>(compat::min<std::int64_t>(kTile, n - i0)),
              columns = static_cast<int>(compat::min<std::int64_t>(kTile, m - j0));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, columns), [&](int c) {
      const std::int64_t j = j0 + c;
      const auto b = covariance.place(others, first_other + j);
      const double time = covariance.time(others, first_other + j);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, rows), [&](int r) {
        const std::int64_t i = i0 + r;
        matrix[i + j * stride] =
            covariance(covariance.place(points, i), b, covariance.time(points, i) - time);
      });
    });
  }
};

/// The correlation of a pair of different points and its slopes: in u, in the shape, in the shares
/// that the coordinates have in u^2, and what the lag in time makes of them.
template <class Function>
struct PairSlopes {
  decltype(Function::temporal.at(0.0)) lag;
  double fraction[Function::Traits::kFractions], m = 0, u_dm_du = 0, dm_dshape = 0;

  template <class Points>
  KOKKOS_INLINE_FUNCTION PairSlopes(const Function& covariance, const Points& points,
                                    std::int64_t i, std::int64_t j)
      : lag(covariance.temporal.at(covariance.time(points, i) - covariance.time(points, j))) {
    covariance.correlation.derivatives(
        lag.scaled(covariance.distance.square(covariance.place(points, i),
                                              covariance.place(points, j), fraction)),
        m, u_dm_du, dm_dshape);
  }
};

/// Adds to the sums what a pair of different points has in them, with the weight w.
template <class Correlation, class Distance, class Time, class Points>
KOKKOS_INLINE_FUNCTION void add_pair(const Covariance<Correlation, Distance, Time>& covariance,
                                     const Points& points, std::int64_t i, std::int64_t j, double w,
                                     typename Covariance<Correlation, Distance, Time>::Sums& sums) {
  using Function = Covariance<Correlation, Distance, Time>;
  const PairSlopes<Function> pair(covariance, points, i, j);
  const double part = w * pair.lag.factor;
  sums.value[DerivativeSums::kCorrelation] += part * pair.m;
  if constexpr (Function::Traits::kHighDimensional) {
    for (int k = 0; k < covariance.distance.dimension; ++k)
      sums.value[DerivativeSums::distance(k)] += part * pair.u_dm_du * pair.fraction[k];
  } else {
    for (int k = 0; k < Function::Traits::kFractions; ++k)
      sums.value[DerivativeSums::kDistance + k] += part * pair.u_dm_du * pair.fraction[k];
  }
  sums.value[DerivativeSums::kShape] += part * pair.dm_dshape;
  for (int k = 0; k < Function::kTimeTerms; ++k)
    sums.value[DerivativeSums::time(k)] += pair.lag.term(k, part * pair.m, part * pair.u_dm_du);
}

/// Adds to the sums what a point has in them with itself.
template <class Correlation, class Distance, class Time, class Points>
KOKKOS_INLINE_FUNCTION void add_own(const Covariance<Correlation, Distance, Time>&, const Points&,
                                    std::int64_t, double w,
                                    typename Covariance<Correlation, Distance, Time>::Sums& sums) {
  sums.value[DerivativeSums::kCorrelation] += w;
  sums.value[DerivativeSums::kTrace] += w;
}

/// The sums over one tile of the lower triangle; what stands below the diagonal counts twice.
template <class ExecSpace, class Function>
struct SumDerivatives {
  using Member = typename Policy<ExecSpace>::member_type;
  using Sums = typename Function::Sums;
  Function covariance;
  PointView<ExecSpace> points;
  const double* weight;
  std::int64_t n, m, stride;  // rows, columns
  Kokkos::View<Sums*, ExecSpace> tile_sums;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    std::int64_t row = 0, column = 0;
    lower_tile(team.league_rank(), (m + kTile - 1) / kTile, row, column);
    const std::int64_t i0 = row * kTile, j0 = column * kTile;
    const int rows = static_cast<int>(compat::min<std::int64_t>(kTile, n - i0)),
              columns = static_cast<int>(compat::min<std::int64_t>(kTile, m - j0));
    Sums total;
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, columns),
          [&](int c, Sums& of_columns) {
            Sums of_column;
            Kokkos::parallel_reduce(
                Kokkos::ThreadVectorRange(team, rows),
                [&](int r, Sums& sums) { add(i0 + r, j0 + c, sums); },
                Kokkos::Sum<Sums>(of_column));
            of_columns += of_column;
          },
          Kokkos::Sum<Sums>(total));
    } else {
      for (int c = 0; c < columns; ++c) {
        for (int r = 0; r < rows; ++r) add(i0 + r, j0 + c, total);
      }
    }
    const std::int64_t tile = team.league_rank();
    Kokkos::single(Kokkos::PerTeam(team), [&]() { tile_sums(tile) = total; });
  }

  KOKKOS_INLINE_FUNCTION void add(std::int64_t i, std::int64_t j, Sums& sums) const {
    if (i < j) return;
    const double w = weight[i + j * stride];
    if (i == j) {
      add_own(covariance, points, i, w, sums);
    } else {
      add_pair(covariance, points, i, j, 2 * w, sums);
    }
  }
};

/// The sums of a row of the square of pairs, a team each, with the weights of a vector.
template <class ExecSpace, class Function>
struct SumRowDerivatives {
  using Member = typename Policy<ExecSpace>::member_type;
  using Sums = typename Function::Sums;
  Function covariance;
  PointView<ExecSpace> points;
  Kokkos::View<const double*, ExecSpace> vector;
  std::int64_t first;
  Kokkos::View<Sums*, ExecSpace> rows;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::int64_t i = first + team.league_rank();
    const std::int64_t n = static_cast<std::int64_t>(points.extent(0));
    Sums total;
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, n), [&](std::int64_t j, Sums& sums) { add(i, j, sums); },
          Kokkos::Sum<Sums>(total));
    } else {
      for (std::int64_t j = 0; j < n; ++j) add(i, j, total);
    }
    const std::int64_t row = team.league_rank();
    Kokkos::single(Kokkos::PerTeam(team), [&]() { rows(row) = total; });
  }

  KOKKOS_INLINE_FUNCTION void add(std::int64_t i, std::int64_t j, Sums& sums) const {
    if (i == j) {
      add_own(covariance, points, i, vector(j), sums);
    } else {
      add_pair(covariance, points, i, j, vector(j), sums);
    }
  }
};

/// Returns one entry of a combination of the terms of DerivativeSums.
template <class Correlation, class Distance, class Time, class Points>
KOKKOS_INLINE_FUNCTION double derivative_entry(
    const Covariance<Correlation, Distance, Time>& covariance, const Points& points,
    const typename Covariance<Correlation, Distance, Time>::Sums& factor, std::int64_t i,
    std::int64_t j) {
  using Function = Covariance<Correlation, Distance, Time>;
  if (i == j)
    return factor.value[DerivativeSums::kCorrelation] + factor.value[DerivativeSums::kTrace];
  const PairSlopes<Function> pair(covariance, points, i, j);
  double of_m = factor.value[DerivativeSums::kCorrelation], of_slope = 0;
  pair.lag.add_terms(factor, of_m, of_slope);
  double sum = pair.m * of_m + pair.dm_dshape * factor.value[DerivativeSums::kShape];
  if constexpr (Function::kInteracts) sum += pair.u_dm_du * of_slope;
  if constexpr (Function::Traits::kHighDimensional) {
    for (int k = 0; k < covariance.distance.dimension; ++k)
      sum += pair.u_dm_du * pair.fraction[k] * factor.value[DerivativeSums::distance(k)];
  } else {
    for (int k = 0; k < Function::Traits::kFractions; ++k)
      sum += pair.u_dm_du * pair.fraction[k] * factor.value[DerivativeSums::kDistance + k];
  }
  return sum * pair.lag.factor;
}

/// A combination of the terms of DerivativeSums, entry by entry, for the whole square of pairs.
template <class ExecSpace, class Function>
struct FillDerivative {
  using Member = typename Policy<ExecSpace>::member_type;
  Function covariance;
  PointView<ExecSpace> points;
  typename Function::Sums factor;
  double* matrix;
  std::int64_t n, stride, tiles_down;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::int64_t i0 = team.league_rank() % tiles_down * kTile,
                       j0 = team.league_rank() / tiles_down * kTile;
    const int rows = static_cast<int>(compat::min<std::int64_t>(kTile, n - i0)),
              columns = static_cast<int>(compat::min<std::int64_t>(kTile, n - j0));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, columns), [&](int c) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, rows), [&](int r) {
        matrix[i0 + r + (j0 + c) * stride] =
            derivative_entry(covariance, points, factor, i0 + r, j0 + c);
      });
    });
  }
};

inline std::int64_t lower_tiles(std::int64_t rows, std::int64_t columns) {
  const std::int64_t down = (rows + kTile - 1) / kTile, across = (columns + kTile - 1) / kTile;
  return across * (across + 1) / 2 + (down - across) * across;
}

}  // namespace detail

/// The first columns of the lower triangle of the covariance matrix of n points, column-major:
/// matrix[i + j stride], i >= j.
template <class ExecSpace, class Function>
void fill_lower(const ExecSpace& exec, const Function& covariance,
                const PointView<ExecSpace>& points, double* matrix, std::int64_t stride,
                std::int64_t columns) {
  const std::int64_t n = points.extent(0);
  Kokkos::parallel_for(
      "tessera::gp::fill_lower", detail::tiles(exec, detail::lower_tiles(n, columns)),
      detail::FillLower<ExecSpace, Function>{covariance, points, matrix, n, columns, stride});
}

/// Fills all columns of the lower triangle.
template <class ExecSpace, class Function>
void fill_lower(const ExecSpace& exec, const Function& covariance,
                const PointView<ExecSpace>& points, double* matrix, std::int64_t stride) {
  fill_lower(exec, covariance, points, matrix, stride, static_cast<std::int64_t>(points.extent(0)));
}

/// Covariances between n points (rows) and m of the other points from `first_other` on (columns),
/// without the nugget.
template <class ExecSpace, class Function>
void fill_cross(const ExecSpace& exec, const Function& covariance,
                const PointView<ExecSpace>& points, const PointView<ExecSpace>& others,
                std::int64_t first_other, std::int64_t m, double* matrix, std::int64_t stride) {
  const std::int64_t n = points.extent(0), down = (n + detail::kTile - 1) / detail::kTile,
                     across = (m + detail::kTile - 1) / detail::kTile;
  Kokkos::parallel_for("tessera::gp::fill_cross", detail::tiles(exec, down * across),
                       detail::FillCross<ExecSpace, Function>{
                           covariance, points, others, first_other, matrix, n, m, stride, down});
}

/// Number of partial sums that sum_derivatives writes.
inline std::int64_t derivative_tiles(std::int64_t points, std::int64_t columns) {
  return detail::lower_tiles(points, columns);
}

/// Sums of derivatives with the weights of the first columns of a lower triangle (each off-diagonal
/// one counts twice), one a tile; to be added in their order.
template <class ExecSpace, class Function>
void sum_derivatives(const ExecSpace& exec, const Function& covariance,
                     const PointView<ExecSpace>& points, const double* weight, std::int64_t stride,
                     std::int64_t columns,
                     const Kokkos::View<typename Function::Sums*, ExecSpace>& tile_sums) {
  const std::int64_t n = points.extent(0);
  Kokkos::parallel_for("tessera::gp::sum_derivatives",
                       detail::tiles(exec, detail::lower_tiles(n, columns)),
                       detail::SumDerivatives<ExecSpace, Function>{covariance, points, weight, n,
                                                                   columns, stride, tile_sums});
}

/// The products of the terms of DerivativeSums with a vector, in the rows from `first` on, as many
/// as `rows` has.
template <class ExecSpace, class Function>
void multiply_derivatives(const ExecSpace& exec, const Function& covariance,
                          const PointView<ExecSpace>& points,
                          const Kokkos::View<const double*, ExecSpace>& vector, std::int64_t first,
                          const Kokkos::View<typename Function::Sums*, ExecSpace>& rows) {
  Kokkos::parallel_for(
      "tessera::gp::multiply_derivatives",
      detail::tiles(exec, static_cast<std::int64_t>(rows.extent(0))),
      detail::SumRowDerivatives<ExecSpace, Function>{covariance, points, vector, first, rows});
}

/// A derivative of the covariance matrix, both triangles: the combination of the terms of
/// DerivativeSums with these factors.
template <class ExecSpace, class Function>
void fill_derivative(const ExecSpace& exec, const Function& covariance,
                     const PointView<ExecSpace>& points, const typename Function::Sums& factor,
                     double* matrix, std::int64_t stride) {
  const std::int64_t n = points.extent(0), down = (n + detail::kTile - 1) / detail::kTile;
  Kokkos::parallel_for("tessera::gp::fill_derivative", detail::tiles(exec, down * down),
                       detail::FillDerivative<ExecSpace, Function>{covariance, points, factor,
                                                                   matrix, n, stride, down});
}

}  // namespace tessera::gp

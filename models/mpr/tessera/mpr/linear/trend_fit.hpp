// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/random.hpp"
#include "tessera/core/seed.hpp"
#include "tessera/mpr/lattice/image_part.hpp"
#include "tessera/mpr/linear/linear_fill.hpp"

/// The coefficients of a trend by generalised least squares: y = X b + u (+ errors), where the
/// samples of u have the precision matrix K^-1 of the Gaussian approximation.
///
/// With the field h_v that a linear fill makes of the samples of v, v' K^-1 w = (h_v' Q h_w + (v -
/// h_v)' A (w - h_w)) / T, so that the p columns of X and y take p + 1 fills:
///
///     b = (X' K^-1 X)^-1 X' K^-1 y,       var b = (X' K^-1 X)^-1.
///
/// The mean of a missing site is x' b plus the fill of y - X b, and its variance grows by d' var(b)
/// d with the rest d = x - h_x of x.

namespace tessera::mpr::detail {

/// Column of a trend at a site: of all sites or of a period of them.
template <class ExecSpace, class Real>
struct TrendColumns {
  Array<ExecSpace, const Real> values;  ///< [column][site of the period]
  /// All sites, or a number that divides the sites of a frame
  std::int64_t period = 0;
  int count = 0;
  KOKKOS_INLINE_FUNCTION Real at(int column, std::int64_t site) const {
    return values(column * period + site % period);
  }
};

/// out = X_j - rest, or X_j where there is no rest. A functor over the sites.
template <class ExecSpace, class Real>
struct CopyColumn {
  TrendColumns<ExecSpace, Real> columns;
  int column;
  Array<ExecSpace, const Real> rest;  ///< may be empty
  Array<ExecSpace, Real> out;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    out(i) = columns.at(column, i) - (rest.extent(0) > 0 ? rest(i) : Real(0));
  }
};

/// rest = given - filled at sites that are filled, 0 elsewhere. A functor over the sites.
template <class ExecSpace, class Real>
struct TakeRest {
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> given, filled;
  Array<ExecSpace, Real> rest;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    rest(i) = is_unknown(status(i)) ? given(i) - filled(i) : Real(0);
  }
};

/// Sites of a rim (image_part.hpp) that are held get what is known there of a column. A functor
/// over its sites.
template <class ExecSpace, class Real>
struct HoldColumn {
  Array<ExecSpace, const std::int64_t> sites;
  Array<ExecSpace, const Real> known;
  /// The status of the sites as given, and with those of the rim that are held
  Array<ExecSpace, const std::uint8_t> given, status;
  Array<ExecSpace, Real> column;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t i = sites(k);
    if (given(i) == kMissing && status(i) == kSample) column(i) = known(k);
  }
};

/// out = values - X b at the samples. A functor over the sites.
template <class ExecSpace, class Real>
struct TakeTrend {
  TrendColumns<ExecSpace, Real> columns;
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const double> coefficient;  ///< [frame][column]
  std::int64_t sites;                          ///< of a frame
  Array<ExecSpace, const Real> values;
  Array<ExecSpace, Real> out;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (!has_value(status(i))) {
      out(i) = Real(0);
      return;
    }
    double value = static_cast<double>(values(i));
    for (int j = 0; j < columns.count; ++j)
      value -= coefficient(i / sites * columns.count + j) * static_cast<double>(columns.at(j, i));
    out(i) = static_cast<Real>(value);
  }
};

/// Adds the trend at the sites that are filled: value += X b + rest c, and deviation := root of its
/// square and of what the root of var b makes of the rests.
template <class ExecSpace, class Real>
struct AddTrend {
  TrendColumns<ExecSpace, Real> columns;
  Array<ExecSpace, const Real> rests;  ///< [column][site of all frames]
  Array<ExecSpace, const std::uint8_t> status;
  /// B and c [frame][column], and [frame][column][column] lower triangular
  Array<ExecSpace, const double> coefficient, moved, root;
  std::int64_t sites, all;                  ///< of a frame, of all
  Array<ExecSpace, Real> value, deviation;  ///< the second may be empty
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (!is_unknown(status(i))) return;
    const std::int64_t frame = i / sites;
    const int p = columns.count;
    double sum = static_cast<double>(value(i));
    for (int j = 0; j < p; ++j) {
      sum += coefficient(frame * p + j) * static_cast<double>(columns.at(j, i));
      if (moved.extent(0) > 0)
        sum += moved(frame * p + j) * static_cast<double>(rests(j * all + i));
    }
    value(i) = static_cast<Real>(sum);
    if (deviation.extent(0) == 0) return;
    const double own = static_cast<double>(deviation(i));
    double square = own * own;
    for (int k = 0; k < p; ++k) {
      double part = 0;
      for (int j = k; j < p; ++j)
        part += root((frame * p + j) * p + k) * static_cast<double>(rests(j * all + i));
      square += part * part;
    }
    deviation(i) = static_cast<Real>(compat::math::sqrt(square));
  }
};

/// All functions wait for the device.
template <class ExecSpace, class Real>
class TrendFit {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  /// columns: `count` of them, [column][site], each of all sites of the frames here or of a period
  /// of them. share: of the frames among ranks, which make their calls of fit() together. pooled:
  /// the frames here, which are all, have their coefficients together.
  TrendFit(const ExecSpace& exec, const Grid& grid, int frames,
           const Array<const std::uint8_t>& status, const Array<const Real>& values,
           const Array<const Real>& columns, int count, const FrameShare& share = {},
           bool pooled = false)
      : m_exec(exec),
        m_share(share),
        m_is_pooled(pooled),
        m_sites(grid.sites()),
        m_all(grid.sites() * frames),
        m_frames(frames),
        m_status(status),
        m_values(values),
        m_columns{columns, static_cast<std::int64_t>(columns.extent(0)) / count, count},
        m_rests(allocate_zeros<Array<Real>>(exec, "tessera::mpr::trend_rests",
                                            static_cast<std::size_t>(count * m_all))),
        m_given(allocate<Array<Real>>(exec, "tessera::mpr::trend_given",
                                      static_cast<std::size_t>(m_all))),
        m_filled(allocate<Array<Real>>(exec, "tessera::mpr::trend_filled",
                                       static_cast<std::size_t>(m_all))),
        m_coefficient(static_cast<std::size_t>(frames * count), 0),
        m_root(m_coefficient.size() * static_cast<std::size_t>(count), 0),
        m_inverse(static_cast<std::size_t>(frames)) {}

  /// Bytes on the device.
  static double memory(double sites, int count) {
    return count > 0 ? (2.0 * count + 6) * sizeof(Real) * sites : 0;
  }

  /// Improves the coefficients with the couplings, and the errors of samples, of `fill`. status:
  /// with samples that have errors marked.
  void fit(LinearFill<ExecSpace, Real>& fill, const Array<const std::uint8_t>& status,
           const AxisCouplings& axis, double beta, int most_iterations) {
    m_status = status;
    const std::size_t p = static_cast<std::size_t>(m_columns.count);
    for (std::size_t j = 0; j < p; ++j) {
      copy_column(j, {}, m_given);
      take_rest(fill, axis, beta, most_iterations, rest(j));
    }
    const Array<Real> rest_of_data = allocate_zeros<Array<Real>>(m_exec, "tessera::mpr::trend_rest",
                                                                 static_cast<std::size_t>(m_all));
    Kokkos::deep_copy(m_exec, m_given, residuals());
    take_rest(fill, axis, beta, most_iterations, rest_of_data);
    const Array<Real> data =
        allocate<Array<Real>>(m_exec, "tessera::mpr::trend_data", static_cast<std::size_t>(m_all));
    Kokkos::deep_copy(m_exec, data, m_filled);
    // [column][other column or the data][frame]
    std::vector<std::vector<std::vector<double>>> products(p,
                                                           std::vector<std::vector<double>>(p + 1));
    for (std::size_t j = 0; j < p; ++j) {
      copy_column(j, rest(j), m_given);
      for (std::size_t k = 0; k <= j; ++k) {
        copy_column(k, rest(k), m_filled);
        products[j][k] = products[k][j] = fill.product(m_given, rest(j), m_filled, rest(k));
      }
      products[j][p] = fill.product(m_given, rest(j), data, rest_of_data);
    }
    if (m_is_pooled) pool(products);
    m_share.ranks.together([&] {
      for (int f = 0; f < m_frames; ++f) improve(f, products);
    });
  }

  /// Takes the coefficients of an image, of which the one frame is a part, and what is left of the
  /// columns with these couplings and errors of samples. given: what the sites were before those of
  /// the rim were held.
  void take(const TrendEstimate& estimate, LinearFill<ExecSpace, Real>& fill,
            const Array<const std::uint8_t>& given, const Array<const std::uint8_t>& status,
            const Rim& rim, const AxisCouplings& axis, double beta, int most_iterations) {
    take_coefficients(estimate);
    m_status = status;
    const std::size_t held = rim.sites.size();
    const auto sites = upload(m_exec, "tessera::mpr::rim_sites", rim.sites);
    for (std::size_t j = 0; j < static_cast<std::size_t>(m_columns.count); ++j) {
      copy_column(j, {}, m_given);
      const auto first = rim.columns.begin() + static_cast<std::ptrdiff_t>(j * held);
      const auto known =
          upload(m_exec, "tessera::mpr::rim_columns",
                 held > 0 ? std::vector<Real>(first, first + static_cast<std::ptrdiff_t>(held))
                          : std::vector<Real>());
      Kokkos::parallel_for("tessera::mpr::hold_column",
                           Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                               m_exec, 0, static_cast<std::int64_t>(held)),
                           HoldColumn<ExecSpace, Real>{sites, known, given, status, m_given});
      fill.set_mean(estimate.mean[j]);
      take_rest(fill, axis, beta, most_iterations, rest(j));
    }
  }
  /// The first half of that.
  void take_coefficients(const TrendEstimate& estimate) {
    m_coefficient = estimate.coefficient;
    m_inverse.front() = estimate.variance;
  }
  /// Returns the estimate that take() takes, of pooled frames or of one; without the means.
  TrendEstimate estimate() const {
    const auto first = m_coefficient.begin();
    return {{first, first + m_columns.count}, m_inverse.front(), {}};
  }

  /// The samples less the trend, 0 elsewhere.
  Array<Real> residuals() const {
    const auto out = allocate<Array<Real>>(m_exec, "tessera::mpr::trend_residuals",
                                           static_cast<std::size_t>(m_all));
    Kokkos::parallel_for(
        "tessera::mpr::take_trend", range(),
        TakeTrend<ExecSpace, Real>{
            m_columns, m_status, upload(m_exec, "tessera::mpr::trend_coefficients", m_coefficient),
            m_sites, m_values, out});
    return out;
  }

  /// Var b is (X' K^-1 X)^-1 at T = 1 times the temperature of each frame, in the square of the
  /// units of the values.
  void set_temperatures(const std::vector<double>& temperature) {
    const std::size_t p = static_cast<std::size_t>(m_columns.count);
    for (std::size_t f = 0; f < m_inverse.size(); ++f) {
      if (m_inverse[f].empty()) continue;
      const linalg::Matrix root = linalg::cholesky_factor(m_inverse[f]);
      for (std::size_t j = 0; j < p; ++j) {
        for (std::size_t k = 0; k <= j; ++k)
          m_root[(f * p + j) * p + k] = std::sqrt(temperature[f]) * root[j][k];
      }
    }
  }

  /// Adds the trend to values at sites that are filled, and its uncertainty to their standard
  /// deviations, which may be empty.
  void add_to(const Array<Real>& value, const Array<Real>& deviation) const {
    add(value, deviation, {});
  }

  /// Adds a trend with coefficients drawn from their law: draw `number`, always the same.
  void add_draw_to(const Array<Real>& value, std::uint64_t seed, std::uint64_t number) const {
    const Philox random = seeded_philox(seed, kStream);
    const std::size_t p = static_cast<std::size_t>(m_columns.count);
    std::vector<double> moved(m_coefficient.size(), 0);
    for (std::size_t f = 0; f < m_inverse.size(); ++f) {
      for (std::size_t k = 0; k < p; ++k) {
        const double normal =
            NormalPair(random.bits((static_cast<std::size_t>(m_share.first) + f) * p + k, number))
                .first;
        for (std::size_t j = k; j < p; ++j)
          moved[f * p + j] += m_root[(f * p + j) * p + k] * normal;
      }
    }
    add(value, {}, moved);
  }

  /// [frame][column], of the frames here.
  const std::vector<double>& coefficients() const { return m_coefficient; }
  /// Standard errors.
  std::vector<double> errors() const {
    const std::size_t p = static_cast<std::size_t>(m_columns.count);
    std::vector<double> errors(m_coefficient.size());
    for (std::size_t row = 0; row < errors.size(); ++row) {
      double square = 0;
      for (std::size_t k = 0; k < p; ++k) square += m_root[row * p + k] * m_root[row * p + k];
      errors[row] = std::sqrt(square);
    }
    return errors;
  }

 private:
  static constexpr std::uint32_t kStream = 0x72e4du;

  Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>> range() const {
    return {m_exec, 0, m_all};
  }
  Array<Real> rest(std::size_t column) const {
    const std::size_t all = static_cast<std::size_t>(m_all);
    return Kokkos::subview(m_rests, std::pair(column * all, (column + 1) * all));
  }
  void copy_column(std::size_t column, const Array<const Real>& rest,
                   const Array<Real>& out) const {
    Kokkos::parallel_for(
        "tessera::mpr::copy_column", range(),
        CopyColumn<ExecSpace, Real>{m_columns, static_cast<int>(column), rest, out});
  }

  /// Fills m_given, to an error of a thousandth of its own temperature, and takes the rest.
  void take_rest(LinearFill<ExecSpace, Real>& fill, const AxisCouplings& axis, double beta,
                 int most_iterations, const Array<Real>& rest) {
    Kokkos::deep_copy(m_exec, m_filled, m_given);
    const std::vector<double> rough = fill.solve(m_filled, axis, beta, 1e-3, 4).temperature;
    double least = 1e300;
    for (const double t : rough) least = t > 0 ? std::min(least, t) : least;
    Kokkos::deep_copy(m_exec, m_filled, m_given);
    fill.solve(m_filled, axis, beta,
               std::max(1e-3 * std::sqrt(std::min(least, 1.0)), sizeof(Real) == 4 ? 1e-7 : 1e-14),
               most_iterations);
    Kokkos::parallel_for("tessera::mpr::take_rest", range(),
                         TakeRest<ExecSpace, Real>{m_status, m_given, m_filled, rest});
  }

  /// The sums over the frames take the place of those of each.
  static void pool(std::vector<std::vector<std::vector<double>>>& products) {
    for (auto& row : products) {
      for (std::vector<double>& of_frames : row) {
        double sum = 0;
        for (const double of_frame : of_frames) sum += of_frame;
        std::fill(of_frames.begin(), of_frames.end(), sum);
      }
    }
  }

  void improve(int frame, const std::vector<std::vector<std::vector<double>>>& products) {
    const std::size_t p = static_cast<std::size_t>(m_columns.count),
                      f = static_cast<std::size_t>(frame);
    linalg::Matrix form(p, std::vector<double>(p));
    double largest = 0;
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = 0; k < p; ++k) form[j][k] = products[j][k][f];
      largest = std::max(largest, form[j][j]);
    }
    if (!(largest > 0)) return;  // no samples
    try {
      m_inverse[f] = linalg::inverse_positive_definite(form);
    } catch (const Error&) {
      throw Error(ErrorKind::input,
                  "the samples" +
                      (m_share.in_all(m_frames) == 1 ? std::string()
                       : m_is_pooled ? " of the windows from which the model is estimated"
                                     : " of frame " + std::to_string(m_share.first + frame)) +
                      " do not determine the coefficients of the trend",
                  "leave fields out of model.trend, or lower its polynomial");
    }
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = 0; k < p; ++k)
        m_coefficient[f * p + j] += m_inverse[f][j][k] * products[k][p][f];
    }
  }

  void add(const Array<Real>& value, const Array<Real>& deviation,
           const std::vector<double>& moved) const {
    Kokkos::parallel_for(
        "tessera::mpr::add_trend", range(),
        AddTrend<ExecSpace, Real>{m_columns, m_rests, m_status,
                                  upload(m_exec, "tessera::mpr::trend_coefficients", m_coefficient),
                                  upload(m_exec, "tessera::mpr::trend_draw", moved),
                                  upload(m_exec, "tessera::mpr::trend_root", m_root), m_sites,
                                  m_all, value, deviation});
  }

  ExecSpace m_exec;
  FrameShare m_share;
  bool m_is_pooled;
  std::int64_t m_sites, m_all;
  int m_frames;
  Array<const std::uint8_t> m_status;
  Array<const Real> m_values;
  TrendColumns<ExecSpace, Real> m_columns;
  Array<Real> m_rests, m_given, m_filled;
  std::vector<double> m_coefficient, m_root;
  // The inverse of X' K^-1 X at T = 1, of each frame; none: it has no samples
  std::vector<linalg::Matrix> m_inverse;
};

}  // namespace tessera::mpr::detail

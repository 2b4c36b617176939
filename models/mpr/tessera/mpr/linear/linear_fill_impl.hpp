// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tessera/mpr/linear/linear_fill.hpp"
#include "tessera/mpr/linear/samples.hpp"
#include "tessera/mpr/linear/tile_relaxation.hpp"

namespace tessera::mpr {

namespace detail {

/// The solution at the missing sites. A functor over the sites.
template <class ExecSpace, class Real>
struct LeaveSolution {
  MultigridLevel<ExecSpace> level;
  Array<ExecSpace, const double> mean;
  Array<ExecSpace, const Columns<Real, 1>> x;
  Array<ExecSpace, Real> values;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = level.site_index(site);
    if (level.is_missing(i))
      values(site) = static_cast<Real>(mean(i / level.frame) + static_cast<double>(x(i).v[0]));
  }
};

/// Twice the energy of a field that is v + x: (v + x)' Q (v + x), and the number of its samples.
template <class ExecSpace, class Real, int D>
struct FieldEnergy {
  PrecisionOperator<ExecSpace, Real, 1, D> op;
  Array<ExecSpace, const Columns<Real, 1>> field;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, Sums<2>& sum) const {
    if (!op.level.is_active(i)) return;
    const double own = static_cast<double>(field(i).v[0]);
    double energy = 0;
    for (int a = 0; a < D; ++a) {
      const std::int64_t high = op.level.neighbour(i, a, 1);
      if (!op.level.is_active(high)) continue;
      const double rise = static_cast<double>(field(high).v[0]) - own;
      energy += static_cast<double>(op.coupling(i, a)) * rise * rise;
    }
    const double bend = static_cast<double>(op.laplacian(field, i).v[0]);
    sum.v[0] += energy + static_cast<double>(op.couplings.beta * op.inverse_area(i)) * bend * bend;
    sum.v[1] += op.level.is_sample(i) ? 1 : 0;
  }
};

/// Copies the active sites of a field to the cells of the finest level. A functor over the sites.
template <class ExecSpace, class Real>
struct EnterField {
  MultigridLevel<ExecSpace> level;
  Array<ExecSpace, const Real> values;
  Array<ExecSpace, Columns<Real, 1>> field;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = level.site_index(site);
    if (level.is_active(i)) field(i).v[0] = values(site);
  }
};

/// v' Q w, and with errors what the rests of noisy samples add.
template <class ExecSpace, class Real, int D>
struct FieldProduct {
  using Field = Array<ExecSpace, const Columns<Real, 1>>;
  PrecisionOperator<ExecSpace, Real, 1, D> op;
  Field v, w, v_rest, w_rest;  ///< rests: none where samples are exact
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, Sums<2>& sum) const {
    if (!op.level.is_active(i)) return;
    double product = 0;
    for (int a = 0; a < D; ++a) {
      const std::int64_t high = op.level.neighbour(i, a, 1);
      if (!op.level.is_active(high)) continue;
      const double rise = static_cast<double>(v(high).v[0]) - static_cast<double>(v(i).v[0]);
      product += static_cast<double>(op.coupling(i, a)) * rise *
                 (static_cast<double>(w(high).v[0]) - static_cast<double>(w(i).v[0]));
    }
    const double bend =
        static_cast<double>(op.laplacian(v, i).v[0]) * static_cast<double>(op.laplacian(w, i).v[0]);
    product += static_cast<double>(op.couplings.beta * op.inverse_area(i)) * bend;
    if (op.has_noise())
      product += static_cast<double>(op.anchors(i)) * static_cast<double>(v_rest(i).v[0]) *
                 static_cast<double>(w_rest(i).v[0]);
    sum.v[0] += product;
  }
};

template <class ExecSpace>
struct StorePair {
  Array<ExecSpace, double> first, second;
  KOKKOS_INLINE_FUNCTION void operator()(int frame, const Sums<2>& sum) const {
    first(frame) = sum.v[0];
    second(frame) = sum.v[1];
  }
};

/// x += v, where one of them is 0. A functor over the cells.
template <class ExecSpace, class Real>
struct JoinFields {
  Array<ExecSpace, const Columns<Real, 1>> v;
  Array<ExecSpace, Columns<Real, 1>> x;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const { x(i) += v(i); }
};

/// The reverse. A functor over the cells.
template <class ExecSpace, class Real>
struct PartFields {
  MultigridLevel<ExecSpace> level;
  Array<ExecSpace, Columns<Real, 1>> x;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (!level.is_missing(i)) x(i) = {};
  }
};

}  // namespace detail

template <class ExecSpace, class Real>
LinearFill<ExecSpace, Real>::LinearFill(const ExecSpace& exec, const Grid& grid, int frames,
                                        const Array<const std::uint8_t>& status,
                                        const AxisCouplings& axis, const Metrics& metrics,
                                        const FrameShare& share)
    : m_exec(exec),
      m_multigrid(exec, grid, frames, status, axis, metrics, share),
      m_gradients(exec, m_multigrid) {}

template <class ExecSpace, class Real>
LinearSolve LinearFill<ExecSpace, Real>::solve(const Array<Real>& values, const AxisCouplings& axis,
                                               double beta, double tolerance, int most_iterations) {
  return m_multigrid.finest().directions() == 3
             ? run<3>(values, axis, beta, tolerance, {}, most_iterations)
             : run<2>(values, axis, beta, tolerance, {}, most_iterations);
}

template <class ExecSpace, class Real>
LinearSolve LinearFill<ExecSpace, Real>::solve(const Array<Real>& values, const AxisCouplings& axis,
                                               double beta, const ToleranceOf& tolerance,
                                               int most_iterations) {
  return m_multigrid.finest().directions() == 3
             ? run<3>(values, axis, beta, kRough, tolerance, most_iterations)
             : run<2>(values, axis, beta, kRough, tolerance, most_iterations);
}

template <class ExecSpace, class Real>
std::vector<double> LinearFill<ExecSpace, Real>::product(const Array<const Real>& v,
                                                         const Array<const Real>& v_rest,
                                                         const Array<const Real>& w,
                                                         const Array<const Real>& w_rest) const {
  return m_multigrid.finest().directions() == 3 ? product_in<3>(v, v_rest, w, w_rest)
                                                : product_in<2>(v, v_rest, w, w_rest);
}

template <class ExecSpace, class Real>
template <int D>
std::vector<double> LinearFill<ExecSpace, Real>::product_in(const Array<const Real>& v,
                                                            const Array<const Real>& v_rest,
                                                            const Array<const Real>& w,
                                                            const Array<const Real>& w_rest) const {
  const auto& level = m_multigrid.finest();
  const auto op = m_multigrid.template op<D>();
  using Field = typename detail::FieldProduct<ExecSpace, Real, D>::Field;
  const auto enter = [&](const Array<const Real>& values, bool wanted) -> Field {
    if (!wanted) return {};
    const auto field = m_gradients.numbers("tessera::mpr::field", 1).front();
    Kokkos::parallel_for("tessera::mpr::enter_field", Range(m_exec, 0, level.sites()),
                         detail::EnterField<ExecSpace, Real>{level, values, field});
    return field;
  };
  const detail::FieldProduct<ExecSpace, Real, D> term{op, enter(v, true), enter(w, true),
                                                      enter(v_rest, op.has_noise()),
                                                      enter(w_rest, op.has_noise())};
  const auto frames = static_cast<std::size_t>(level.frames);
  const auto product = allocate<Array<double>>(m_exec, "tessera::mpr::products", frames),
             rest = allocate<Array<double>>(m_exec, "tessera::mpr::nothing", frames);
  detail::sum_rows<2>(m_exec, "tessera::mpr::field_product", level,
                      detail::make_row_sums<2>(m_exec, level), term,
                      detail::StorePair<ExecSpace>{product, rest});
  return download(m_exec, product);
}

template <class ExecSpace, class Real>
template <int D>
LinearSolve LinearFill<ExecSpace, Real>::run(const Array<Real>& values, const AxisCouplings& axis,
                                             double beta, double tolerance, const ToleranceOf& next,
                                             int most_iterations) {
  const auto& level = m_multigrid.finest();
  m_multigrid.set_couplings(axis, beta);
  const Equations equations = pose<D>(values);
  LinearSolve result;
  improve(equations, tolerance, next ? kMostRough : most_iterations, result);
  result.temperature = temperatures<D>(equations);
  if (next) {
    Kokkos::parallel_for("tessera::mpr::part_fields", Range(m_exec, 0, level.size()),
                         detail::PartFields<ExecSpace, Real>{level, equations.x});
    improve(equations, next(result.temperature), most_iterations, result);
    result.temperature = temperatures<D>(equations);
  }
  if (level.missing > 0) {
    Kokkos::parallel_for(
        "tessera::mpr::leave_solution", Range(m_exec, 0, level.sites()),
        detail::LeaveSolution<ExecSpace, Real>{level, equations.mean, equations.x, values});
  }
  return result;
}

/// The right side, and where gaps are narrow a start.
template <class ExecSpace, class Real>
template <int D>
auto LinearFill<ExecSpace, Real>::pose(const Array<const Real>& values) -> Equations {
  const auto& level = m_multigrid.finest();
  const auto op = m_multigrid.template op<D>();
  const Range cells(m_exec, 0, level.size());
  const auto arrays = m_gradients.numbers("tessera::mpr::linear_fill", 3);
  Equations equations{{}, arrays[0], arrays[1], arrays[2]};
  const auto &v = equations.samples, &b = equations.b;
  equations.mean = detail::enter_samples<ExecSpace, Real, 1>(m_exec, level, values, v, m_mean);
  const auto noisy =
      allocate_zeros<Array<Real>>(m_exec, "tessera::mpr::noisy_samples", op.anchors.extent(0));
  if (op.has_noise())
    Kokkos::parallel_for("tessera::mpr::take_noisy", cells,
                         detail::TakeNoisy<ExecSpace, Real, 1>{level, v, noisy});
  if (level.missing == 0) return equations;
  op.with_plainness([&](auto plain) {
    Kokkos::parallel_for("tessera::mpr::pull_of_samples", cells,
                         detail::PullOfSamples<ExecSpace, Real, 1, D, plain()>{op, v, b});
  });
  if (op.has_noise())
    Kokkos::parallel_for("tessera::mpr::pull_of_noisy", cells,
                         detail::PullOfNoisy<ExecSpace, Real, 1>{op.anchors, noisy, b});
  if constexpr (D == 2) {
    if (!m_multigrid.has_narrow_gaps()) return equations;
    detail::RelaxTiles<ExecSpace, Real>::run(m_exec, {op, b, equations.x, kSweepsOfPass}, kPasses);
  }
  return equations;
}

/// Makes, without curvature, more sweeps over tiles of the frames whose error is above the target,
/// of each for as long as they lower it fast. Returns the energies of the errors at the end.
template <class ExecSpace, class Real>
std::vector<double> LinearFill<ExecSpace, Real>::relax(const Equations& equations, double target) {
  const auto frames = static_cast<std::size_t>(m_multigrid.finest().frames);
  std::vector<double> energy(frames, std::numeric_limits<double>::infinity());
  std::vector<std::uint8_t> wanted(frames, 1);
  while (true) {
    const auto found = m_gradients.energies_by_smoother(equations.b, equations.x);
    for (std::size_t f = 0; f < frames; ++f) {
      const double before = std::exchange(energy[f], found[f].v[0]);
      wanted[f] =
          wanted[f] != 0 && energy[f] > target && kFalls * kFalls * energy[f] < before ? 1 : 0;
    }
    if (std::count(wanted.begin(), wanted.end(), 0) == static_cast<std::ptrdiff_t>(frames))
      return energy;
    const auto op = m_multigrid.template op<2>();
    detail::RelaxTiles<ExecSpace, Real>::run(
        m_exec,
        {op, equations.b, equations.x, kSweepsOfPass,
         upload(m_exec, "tessera::mpr::frames_to_relax", wanted)},
        kMorePasses);
  }
}

/// Lowers the error of x. At the end x holds the samples too.
template <class ExecSpace, class Real>
void LinearFill<ExecSpace, Real>::improve(const Equations& equations, double tolerance,
                                          int most_iterations, LinearSolve& result) {
  const auto& level = m_multigrid.finest();
  if (level.missing > 0) {
    const bool is_narrow = m_multigrid.has_narrow_gaps();
    const double wanted = is_narrow ? tolerance / kDeepest : tolerance,
                 target = wanted * wanted * static_cast<double>(level.missing);
    // frames for the conjugate gradients
    std::vector<std::uint8_t> rest(static_cast<std::size_t>(level.frames), 1);
    double of_relaxed = 0;
    if (is_narrow && m_multigrid.template op<2>().couplings.beta == Real(0)) {
      const std::vector<double> energy = relax(equations, target);
      for (std::size_t f = 0; f < energy.size(); ++f) {
        rest[f] = energy[f] > target ? 1 : 0;
        if (rest[f] == 0) of_relaxed = std::max(of_relaxed, energy[f] / target);
      }
    }
    typename detail::ConjugateGradients<ExecSpace, Real, 1>::Result solve;
    if (std::count(rest.begin(), rest.end(), 1) > 0)
      solve = m_gradients.solve(equations.b, equations.x, {{target}}, most_iterations, rest);
    const FrameShare& share = m_multigrid.share();
    const double error = share.largest(std::max(of_relaxed, solve.error));
    result.iterations += static_cast<int>(share.ranks.max(solve.iterations));
    result.converged = error <= 1;
    result.error = tolerance * std::sqrt(error);
  }
  Kokkos::parallel_for("tessera::mpr::join_fields", Range(m_exec, 0, level.size()),
                       detail::JoinFields<ExecSpace, Real>{equations.samples, equations.x});
}

/// Returns the temperature of each frame of all ranks, from x with the samples.
template <class ExecSpace, class Real>
template <int D>
std::vector<double> LinearFill<ExecSpace, Real>::temperatures(const Equations& equations) const {
  const auto& level = m_multigrid.finest();
  const auto op = m_multigrid.template op<D>();
  const auto frames = static_cast<std::size_t>(level.frames);
  const auto row_sum = detail::make_row_sums<2>(m_exec, level);
  const auto energy = allocate<Array<double>>(m_exec, "tessera::mpr::frame_energies", frames),
             samples = allocate<Array<double>>(m_exec, "tessera::mpr::frame_samples", frames);
  detail::sum_rows<2>(m_exec, "tessera::mpr::field_energy", level, row_sum,
                      detail::FieldEnergy<ExecSpace, Real, D>{op, equations.x},
                      detail::StorePair<ExecSpace>{energy, samples});
  const std::vector<double> energies = download(m_exec, energy), counts = download(m_exec, samples);
  std::vector<double> temperature;
  for (std::size_t f = 0; f < frames; ++f)
    temperature.push_back(counts[f] > 1 ? energies[f] / (counts[f] - 1) : 0);
  return m_multigrid.share().ranks.all_gather(temperature);
}

}  // namespace tessera::mpr

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/log/stage.hpp"
#include "tessera/mpr/linear/multigrid.hpp"
#include "tessera/mpr/linear/row_sums.hpp"

namespace tessera::mpr::detail {

/// The scalars of the iteration for each frame and column.
template <int W>
struct GradientScalars {
  /// r' M r, the step along the direction, and how much of it the next one keeps
  Sums<W> error, step, turn;
};

/// p' q by row, from which the step follows; no step where the target is reached.
template <class ExecSpace, class Real, int W, int D, bool plain>
struct ApplyToDirection {
  PrecisionOperator<ExecSpace, Real, W, D> op;
  Array<ExecSpace, const Columns<Real, W>> p;
  Array<ExecSpace, Columns<Real, W>> q;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, Sums<W>& sum) const {
    if (!op.level.is_missing(i)) return;
    const Columns<Real, W> own = p(i), product = op.template apply<plain>(p, i);
    q(i) = product;
    for (int w = 0; w < W; ++w)
      sum.v[w] += static_cast<double>(own.v[w]) * static_cast<double>(product.v[w]);
  }
};

template <class ExecSpace, int W>
struct FindStep {
  Kokkos::View<GradientScalars<W>*, ExecSpace> scalars;
  Sums<W> target;
  Array<ExecSpace, const std::uint8_t> wanted;  ///< of each frame; none: all are
  KOKKOS_INLINE_FUNCTION void operator()(int frame, const Sums<W>& pq) const {
    GradientScalars<W>& s = scalars(frame);
    const bool is_wanted = wanted.extent(0) == 0 || wanted(frame) != 0;
    for (int w = 0; w < W; ++w)
      s.step.v[w] =
          is_wanted && s.error.v[w] > target.v[w] && pq.v[w] > 0 ? s.error.v[w] / pq.v[w] : 0;
  }
};

/// x += step p, r -= step q. A functor over the cells.
template <class ExecSpace, class Real, int W>
struct StepAlong {
  MultigridLevel<ExecSpace> level;
  Kokkos::View<const GradientScalars<W>*, ExecSpace> scalars;
  Array<ExecSpace, const Columns<Real, W>> p, q;
  Array<ExecSpace, Columns<Real, W>> x, r;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (!level.is_missing(i)) return;
    const Sums<W> step = scalars(i / level.frame).step;
    Columns<Real, W> here = x(i), rest = r(i);
    const Columns<Real, W> direction = p(i), product = q(i);
    for (int w = 0; w < W; ++w) {
      here.v[w] += static_cast<Real>(step.v[w]) * direction.v[w];
      rest.v[w] -= static_cast<Real>(step.v[w]) * product.v[w];
    }
    x(i) = here;
    r(i) = rest;
  }
};

/// r' z by row.
template <class ExecSpace, class Real, int W>
struct DotColumns {
  MultigridLevel<ExecSpace> level;
  Array<ExecSpace, const Columns<Real, W>> r, z;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, Sums<W>& sum) const {
    if (!level.is_missing(i)) return;
    for (int w = 0; w < W; ++w)
      sum.v[w] += static_cast<double>(r(i).v[w]) * static_cast<double>(z(i).v[w]);
  }
};

template <class ExecSpace, int W>
struct FindTurn {
  Kokkos::View<GradientScalars<W>*, ExecSpace> scalars;
  bool first;
  KOKKOS_INLINE_FUNCTION void operator()(int frame, const Sums<W>& rz) const {
    GradientScalars<W>& s = scalars(frame);
    for (int w = 0; w < W; ++w) {
      if (!first && s.step.v[w] == 0) continue;  // at its target
      s.turn.v[w] = !first && s.error.v[w] > 0 ? rz.v[w] / s.error.v[w] : 0;
      s.error.v[w] = rz.v[w];
    }
  }
};

/// p = z + turn p. A functor over the cells.
template <class ExecSpace, class Real, int W>
struct TurnDirection {
  MultigridLevel<ExecSpace> level;
  Kokkos::View<const GradientScalars<W>*, ExecSpace> scalars;
  Array<ExecSpace, const Columns<Real, W>> z;
  Array<ExecSpace, Columns<Real, W>> p;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (!level.is_missing(i)) return;
    const Sums<W> turn = scalars(i / level.frame).turn;
    Columns<Real, W> direction = z(i);
    for (int w = 0; w < W; ++w) direction.v[w] += static_cast<Real>(turn.v[w]) * p(i).v[w];
    p(i) = direction;
  }
};

/// Conjugate gradients for Q x = b on the missing cells, preconditioned by a V-cycle M: W systems
/// at a time, each frame by itself.
template <class ExecSpace, class Real, int W>
class ConjugateGradients {
 public:
  using Column = Columns<Real, W>;
  using Numbers = Array<ExecSpace, Column>;

  ConjugateGradients(const ExecSpace& exec, Multigrid<ExecSpace, Real, W>& multigrid)
      : m_exec(exec),
        m_multigrid(multigrid),
        m_own(numbers("tessera::mpr::conjugate_gradients", 3)),
        m_scalars(allocate_zeros<Kokkos::View<GradientScalars<W>*, ExecSpace>>(
            exec, "tessera::mpr::scalars", multigrid.finest().frames)),
        m_row_sum(make_row_sums<W>(exec, multigrid.finest())) {}

  /// Arrays of zeros on the finest level.
  std::vector<Numbers> numbers(const char* label, std::size_t count) const {
    return allocate_zeros_together<Numbers>(m_exec, label, count,
                                            static_cast<std::size_t>(m_multigrid.finest().size()));
  }

  /// The energies of the errors of x in each frame, as the smoother tells them: r' S r with the
  /// residual r. It sees errors that die away within a few cells; of smoother ones it tells too
  /// little.
  std::vector<Sums<W>> energies_by_smoother(const Numbers& b, const Numbers& x);

  struct Result {
    int iterations = 0;
    /// r' M r, an estimate of the energy (x - x*)' Q (x - x*) of the error, over its target; the
    /// worst of all
    double error = 0;
  };

  /// Improves x until the error of each column is at most its target, in every frame that is wanted
  /// (none given: in all). Waits for the device every second iteration, where these are long every
  /// time.
  Result solve(const Numbers& b, const Numbers& x, const Sums<W>& target, int most,
               const std::vector<std::uint8_t>& wanted = {});

 private:
  /// numbers: an iteration takes longer than the host to look
  static constexpr std::int64_t kLong = std::int64_t{1} << 22;

  Range<ExecSpace> range(std::int64_t n) const { return {m_exec, 0, n}; }

  double largest_error(const Sums<W>& target, const std::vector<std::uint8_t>& wanted) const {
    double largest = 0;
    const std::vector<GradientScalars<W>> scalars = download(m_exec, m_scalars);
    for (std::size_t f = 0; f < scalars.size(); ++f) {
      if (!wanted.empty() && wanted[f] == 0) continue;
      for (int w = 0; w < W; ++w) largest = std::max(largest, scalars[f].error.v[w] / target.v[w]);
    }
    return largest;
  }

  template <int D>
  std::vector<Sums<W>> by_smoother(const Numbers& b, const Numbers& x) {
    const auto& level = m_multigrid.finest();
    const auto op = m_multigrid.template op<D>();
    op.with_plainness([&](auto plain) {
      Kokkos::parallel_for("tessera::mpr::residual", range(level.size()),
                           Residual<ExecSpace, Real, W, D, plain()>{op, b, x, m_r});
      const Numbers& z = m_multigrid.template smooth_finest<D, plain()>(m_r);
      sum_rows<W>(m_exec, "tessera::mpr::error", level, m_row_sum,
                  DotColumns<ExecSpace, Real, W>{level, m_r, z},
                  FindTurn<ExecSpace, W>{m_scalars, true});
    });
    std::vector<Sums<W>> energies;
    for (const GradientScalars<W>& s : download(m_exec, m_scalars)) energies.push_back(s.error);
    return energies;
  }

  template <int D>
  Result run(const Numbers& b, const Numbers& x, const Sums<W>& target, int most,
             const std::vector<std::uint8_t>& wanted) {
    return m_multigrid.template op<D>().with_plainness(
        [&](auto plain) { return run<D, plain()>(b, x, target, most, wanted); });
  }

  template <int D, bool plain>
  Result run(const Numbers& b, const Numbers& x, const Sums<W>& target, int most,
             const std::vector<std::uint8_t>& wanted) {
    const Array<ExecSpace, const std::uint8_t> wanted_there =
        upload(m_exec, "tessera::mpr::frames_to_solve", wanted);
    const auto& level = m_multigrid.finest();
    const auto op = m_multigrid.template op<D>();
    const Range<ExecSpace> all = range(level.size());
    const auto turn = [&](bool first) {
      const Numbers& z = m_multigrid.precondition(m_r);
      sum_rows<W>(m_exec, "tessera::mpr::error", level, m_row_sum,
                  DotColumns<ExecSpace, Real, W>{level, m_r, z},
                  FindTurn<ExecSpace, W>{m_scalars, first});
      Kokkos::parallel_for("tessera::mpr::turn_direction", all,
                           TurnDirection<ExecSpace, Real, W>{level, m_scalars, z, m_p});
    };
    Kokkos::parallel_for("tessera::mpr::residual", all,
                         Residual<ExecSpace, Real, W, D, plain>{op, b, x, m_r});
    stop_at_signal();
    turn(true);
    Result result;
    result.error = largest_error(target, wanted);
    logging::Stage stage;
    const int between = level.size() * W > kLong ? 1 : 2;
    while (result.iterations < most && result.error > 1) {
      for (int k = 0; k < between && result.iterations < most; ++k, ++result.iterations) {
        sum_rows<W>(m_exec, "tessera::mpr::apply_operator", level, m_row_sum,
                    ApplyToDirection<ExecSpace, Real, W, D, plain>{op, m_p, m_q},
                    FindStep<ExecSpace, W>{m_scalars, target, wanted_there});
        Kokkos::parallel_for("tessera::mpr::step_along", all,
                             StepAlong<ExecSpace, Real, W>{level, m_scalars, m_p, m_q, x, m_r});
        turn(false);
      }
      result.error = largest_error(target, wanted);
      stage.count("iteration", result.iterations);
      stop_at_signal();
    }
    return result;
  }

  ExecSpace m_exec;
  Multigrid<ExecSpace, Real, W>& m_multigrid;
  std::vector<Numbers> m_own;
  Numbers m_r = m_own[0], m_p = m_own[1], m_q = m_own[2];  // residual, direction, Q times it
  Kokkos::View<GradientScalars<W>*, ExecSpace> m_scalars;
  Kokkos::View<Sums<W>*, ExecSpace> m_row_sum;
};

// Outside of the class, where they are not inline: sources that see the class declared as compiled
// elsewhere do not compile their kernels.

template <class ExecSpace, class Real, int W>
std::vector<Sums<W>> ConjugateGradients<ExecSpace, Real, W>::energies_by_smoother(
    const Numbers& b, const Numbers& x) {
  return m_multigrid.finest().directions() == 3 ? by_smoother<3>(b, x) : by_smoother<2>(b, x);
}

template <class ExecSpace, class Real, int W>
auto ConjugateGradients<ExecSpace, Real, W>::solve(const Numbers& b, const Numbers& x,
                                                   const Sums<W>& target, int most,
                                                   const std::vector<std::uint8_t>& wanted)
    -> Result {
  return m_multigrid.finest().directions() == 3 ? run<3>(b, x, target, most, wanted)
                                                : run<2>(b, x, target, most, wanted);
}

}  // namespace tessera::mpr::detail

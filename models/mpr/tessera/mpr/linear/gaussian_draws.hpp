// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "tessera/core/seed.hpp"
#include "tessera/mpr/linear/conjugate_gradients.hpp"
#include "tessera/mpr/linear/evidence_kernels.hpp"
#include "tessera/mpr/linear/packs.hpp"

namespace tessera::mpr::detail {

/// sum += the squares of the conditional means of the draws given their neighbours. A functor over
/// the sites.
template <class ExecSpace, class Real, int W, int D, bool plain>
struct AddSquares {
  PrecisionOperator<ExecSpace, Real, W, D> op;
  Array<ExecSpace, const Columns<Real, W>> x;
  Array<ExecSpace, Real> sum;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = op.level.site_index(site);
    if (!op.level.is_missing(i)) return;
    Columns<Real, W> mean = x(i);
    mean.add(Real(-1) / op.template diagonal<plain>(i), op.template apply<plain>(x, i));
    Real squares = 0;
    for (int w = 0; w < W; ++w) squares += mean.v[w] * mean.v[w];
    sum(site) += squares;
  }
};

/// variance = T (1 / Q_ii + mean square of the conditional means), share: what part of it the
/// latter are. NaN at a site without neighbours, of which nothing is known. A functor over the
/// sites.
template <class ExecSpace, class Real, int W, int D>
struct VarianceOfDraws {
  PrecisionOperator<ExecSpace, Real, W, D> op;
  Array<ExecSpace, const double> temperature;  // of each frame
  Array<ExecSpace, const Real> sum;
  Real draws;
  Array<ExecSpace, Real> variance, share;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = op.level.site_index(site);
    if (!op.level.is_missing(i)) return;
    const Real of_means = sum(site) / draws;
    const Real whole =
        op.is_isolated(i) ? static_cast<Real>(0.0 / 0.0) : Real(1) / op.diagonal(i) + of_means;
    variance(site) = static_cast<Real>(temperature(i / op.level.frame)) * whole;
    if (share.extent(0) > 0) share(site) = of_means / whole;
  }
};

/// Values that some samples have in each of a pack's draws, where those of others are 0.
template <class ExecSpace, class Real>
struct HeldDraws {
  Array<ExecSpace, const std::int64_t> sites;
  Array<ExecSpace, const Real> values;  ///< [draw][site]
};

/// Sets them. A functor over the held sites.
template <class ExecSpace, class Real, int W>
struct EnterHeld {
  MultigridLevel<ExecSpace> level;
  HeldDraws<ExecSpace, Real> held;
  std::int64_t first;  ///< draw of the pack
  Array<ExecSpace, Columns<Real, W>> v;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t i = level.site_index(held.sites(k)),
                       sites = static_cast<std::int64_t>(held.sites.extent(0));
    for (int w = 0; w < W; ++w)
      v(i).v[w] = level.is_sample(i) ? held.values((first + w) * sites + k) : Real(0);
  }
};

/// b -= Q v at the missing cells, where v is 0 there. A functor over the cells.
template <class ExecSpace, class Real, int W, int D>
struct AddPullOfHeld {
  PrecisionOperator<ExecSpace, Real, W, D> op;
  Array<ExecSpace, const Columns<Real, W>> v;
  Array<ExecSpace, Columns<Real, W>> b;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (op.level.is_missing(i)) b(i).add(Real(-1), op.apply(v, i));
  }
};

/// mean + sqrt(T) times one draw. A functor over the sites.
template <class ExecSpace, class Real, int W>
struct LeaveDraw {
  MultigridLevel<ExecSpace> level;
  Array<ExecSpace, const double> temperature;
  Array<ExecSpace, const Columns<Real, W>> x;
  int column;
  Array<ExecSpace, const Real> mean;
  Array<ExecSpace, Real> out;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = level.site_index(site);
    if (!level.is_missing(i)) return;
    const double root = compat::math::sqrt(temperature(i / level.frame));
    out(site) = static_cast<Real>(static_cast<double>(mean(site)) +
                                  root * static_cast<double>(x(i).v[column]));
  }
};

/// Independent draws from the Gaussian approximation given the samples, exact and noisy ones, by
/// perturb-and-solve (Papandreou, Yuille, NIPS 2010), in packs of some that are solved together.
/// Their conditional means give the variance with less noise than their values (Rao-Blackwell).
/// Functions are asynchronous, except draw_pack, which waits for the device. Draws of a share of
/// frames are those of all frames.
template <class ExecSpace, class Real>
class GaussianDraws {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  virtual ~GaussianDraws() = default;
  /// Returns the number of draws in a pack.
  virtual int size() const = 0;
  /// Solves for the draws of a pack: the same ones, whatever was drawn before.
  virtual void draw_pack(int pack) = 0;
  /// Adds the squares of their conditional means at temperature 1 to `sum`, [frame][site], at the
  /// missing sites.
  virtual void add_squares(const Array<Real>& sum) const = 0;
  /// Variances (rad^2) from the sum over `draws` draws, and what part of them has noise; `share`
  /// may be empty. T: of each frame.
  virtual void variance(const Array<const double>& temperature, const Array<const Real>& sum,
                        int draws, const Array<Real>& variance, const Array<Real>& share) const = 0;
  /// out = mean + draw number `column` of the pack, at the missing sites.
  virtual void leave(int column, const Array<const double>& temperature,
                     const Array<const Real>& mean, const Array<Real>& out) const = 0;

  /// The field is a part of an image, by whose sites random numbers are counted. To be called
  /// before anything is drawn, as the next ones.
  virtual void set_part(const Part& part) = 0;
  /// The field is an image of blocks of another, whose draws these are.
  virtual void set_blocks(const BlocksOfImage& blocks) = 0;
  /// Some samples have values of their own in each draw.
  virtual void hold(const HeldDraws<ExecSpace, Real>& held) = 0;

  /// Makes draws with packs of a size that memory can hold.
  static std::unique_ptr<GaussianDraws> make(const ExecSpace& exec, const Grid& grid, int frames,
                                             const Array<const std::uint8_t>& status,
                                             const AxisCouplings& axis, double beta,
                                             std::uint64_t seed, const Metrics& metrics = {},
                                             const FrameShare& share = {});
  /// The errors of noisy samples, of which there must be some, as for LinearFill::set_noise. To be
  /// called before anything is drawn.
  virtual void set_noise(const Array<const Real>& noise,
                         const std::vector<double>& temperature) = 0;
  /// Bytes on the device. all_frames: of all ranks; 0: there are no others.
  static double memory(const Grid& grid, int frames, bool noise = false, int all_frames = 0);
};

template <class ExecSpace, class Real, int W>
class PackOfDraws final : public GaussianDraws<ExecSpace, Real> {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  PackOfDraws(const ExecSpace& exec, const Grid& grid, int frames,
              const Array<const std::uint8_t>& status, const AxisCouplings& axis, double beta,
              std::uint64_t seed, const Metrics& metrics, const FrameShare& share)
      : m_exec(exec),
        m_random(seeded_philox(seed, kStream)),
        m_noise_random(seeded_philox(seed, kNoiseStream)),
        m_outside_random(seeded_philox(seed, kOutsideStream)),
        m_multigrid(exec, grid, frames, status, axis, metrics, share),
        m_numbers(share.first * m_multigrid.finest().frame),
        m_gradients(exec, m_multigrid) {
    m_multigrid.set_couplings(axis, beta);
    const int directions = m_multigrid.finest().directions();
    const auto arrays =
        m_gradients.numbers("tessera::mpr::draws", static_cast<std::size_t>(directions) + 3);
    m_bend = arrays[0];
    m_side = arrays[1];
    m_x = arrays[2];
    for (int a = 0; a < directions; ++a) m_along[a] = arrays[static_cast<std::size_t>(a) + 3];
  }

  static double memory(const Grid& grid, int frames, bool noise) {
    const double cells =
        (grid.nx + 4.0) * (grid.ny + 4.0) * (grid.nz > 1 ? grid.nz + 4.0 : 1.0) * frames;
    return cells *
           (Multigrid<ExecSpace, Real, W>::bytes_a_cell(noise) + 9 * sizeof(Columns<Real, W>));
  }

  void set_noise(const Array<const Real>& noise, const std::vector<double>& temperature) override {
    m_multigrid.set_noise(noise, temperature);
  }

  void set_part(const Part& part) override {
    m_numbers = CellNumbers(part, m_multigrid.finest().pitch, MultigridLevel<ExecSpace>::kBorder);
  }
  void set_blocks(const BlocksOfImage& blocks) override { m_blocks = blocks; }
  void hold(const HeldDraws<ExecSpace, Real>& held) override { m_held = held; }

  int size() const override { return W; }
  void draw_pack(int pack) override { has_three_directions() ? solve<3>(pack) : solve<2>(pack); }
  void add_squares(const Array<Real>& sum) const override {
    has_three_directions() ? square<3>(sum) : square<2>(sum);
  }
  void variance(const Array<const double>& temperature, const Array<const Real>& sum, int draws,
                const Array<Real>& variance, const Array<Real>& share) const override {
    has_three_directions() ? estimate<3>(temperature, sum, draws, variance, share)
                           : estimate<2>(temperature, sum, draws, variance, share);
  }
  void leave(int column, const Array<const double>& temperature, const Array<const Real>& mean,
             const Array<Real>& out) const override {
    const auto& level = m_multigrid.finest();
    Kokkos::parallel_for("tessera::mpr::leave_draw", range(level.sites()),
                         LeaveDraw<ExecSpace, Real, W>{level, temperature, m_x, column, mean, out});
  }

  template <int D>
  void solve(int pack) {
    const auto& level = m_multigrid.finest();
    const Range<ExecSpace> cells = range(level.size());
    draw_noise<D>(static_cast<std::uint64_t>(pack) * W);
    PerturbedSide<ExecSpace, Real, W, D> perturb{op<D>(), {}, m_bend, m_side, 0};
    for (int a = 0; a < D; ++a) perturb.along[a] = m_along[a];
    Kokkos::parallel_for("tessera::mpr::perturbed_side", cells, perturb);
    if (perturb.op.has_noise())
      Kokkos::parallel_for(
          "tessera::mpr::perturb_noisy", cells,
          PerturbNoisy<ExecSpace, Real, W>{m_noise_random, static_cast<std::uint64_t>(pack) * W,
                                           perturb.op.anchors, m_side, 0, m_numbers});
    const EnterHeld<ExecSpace, Real, W> enter{level, m_held, static_cast<std::int64_t>(pack) * W,
                                              m_x};
    const Range<ExecSpace> held = range(static_cast<std::int64_t>(m_held.sites.extent(0)));
    Kokkos::deep_copy(m_exec, m_x, Columns<Real, W>());
    if (m_held.sites.extent(0) > 0) {
      Kokkos::parallel_for("tessera::mpr::enter_held", held, enter);
      Kokkos::parallel_for("tessera::mpr::pull_of_held", cells,
                           AddPullOfHeld<ExecSpace, Real, W, D>{op<D>(), m_x, m_side});
      Kokkos::deep_copy(m_exec, m_x, Columns<Real, W>());
    }
    // The energy of a draw is 1 a site: an error of 1e-3 of it changes the variance by as much at
    // most. Where rows differ or go round the coarse levels fit less well, and the error is in few
    // smooth modes.
    const double accuracy = op<D>().is_plain() ? 1e-3 : 1e-5;
    Sums<W> target;
    for (int w = 0; w < W; ++w)
      target.v[w] =
          accuracy * std::max(1.0, static_cast<double>(level.missing) / m_multigrid.frames());
    m_gradients.solve(m_side, m_x, target, kMostIterations);
    if (m_held.sites.extent(0) > 0) Kokkos::parallel_for("tessera::mpr::enter_held", held, enter);
  }

  template <int D>
  void draw_noise(std::uint64_t first_column) {
    const Range<ExecSpace> cells = range(m_multigrid.finest().size());
    if (m_blocks.edge > 1) {
      DrawBlockNoise<ExecSpace, Real, W, D> noise{m_random, m_outside_random, first_column, op<D>(),
                                                  {},       m_bend,           m_blocks};
      for (int a = 0; a < D; ++a) noise.along[a] = m_along[a];
      Kokkos::parallel_for("tessera::mpr::draw_block_noise", cells, noise);
    } else {
      DrawNoise<ExecSpace, Real, W, D> noise{m_random, first_column, op<D>(),
                                             {},       m_bend,       m_numbers};
      for (int a = 0; a < D; ++a) noise.along[a] = m_along[a];
      Kokkos::parallel_for("tessera::mpr::draw_noise", cells, noise);
    }
  }

  template <int D>
  void square(const Array<Real>& sum) const {
    const auto of_level = op<D>();
    of_level.with_plainness([&](auto plain) {
      Kokkos::parallel_for("tessera::mpr::add_squares", range(m_multigrid.finest().sites()),
                           AddSquares<ExecSpace, Real, W, D, plain()>{of_level, m_x, sum});
    });
  }

  template <int D>
  void estimate(const Array<const double>& temperature, const Array<const Real>& sum, int draws,
                const Array<Real>& variance, const Array<Real>& share) const {
    Kokkos::parallel_for("tessera::mpr::variance_of_draws", range(m_multigrid.finest().sites()),
                         VarianceOfDraws<ExecSpace, Real, W, D>{
                             op<D>(), temperature, sum, static_cast<Real>(draws), variance, share});
  }

 private:
  static constexpr std::uint32_t kStream = 0xd7a35u, kNoiseStream = 0xd7a36u,
                                 kOutsideStream = 0xd7a37u;
  static constexpr int kMostIterations = 100;

  bool has_three_directions() const { return m_multigrid.finest().directions() == 3; }
  Range<ExecSpace> range(std::int64_t n) const { return {m_exec, 0, n}; }
  template <int D>
  PrecisionOperator<ExecSpace, Real, W, D> op() const {
    return m_multigrid.template op<D>();
  }

  ExecSpace m_exec;
  Philox m_random, m_noise_random, m_outside_random;
  BlocksOfImage m_blocks;
  HeldDraws<ExecSpace, Real> m_held;
  Multigrid<ExecSpace, Real, W> m_multigrid;
  CellNumbers m_numbers;
  ConjugateGradients<ExecSpace, Real, W> m_gradients;
  Array<Columns<Real, W>> m_along[3], m_bend, m_side, m_x;
};

/// Above so many sites one draw at a time is solved for.
inline constexpr double kMostSitesOfPacks = 1 << 22;

template <class ExecSpace, class Real>
std::unique_ptr<GaussianDraws<ExecSpace, Real>> GaussianDraws<ExecSpace, Real>::make(
    const ExecSpace& exec, const Grid& grid, int frames, const Array<const std::uint8_t>& status,
    const AxisCouplings& axis, double beta, std::uint64_t seed, const Metrics& metrics,
    const FrameShare& share) {
  if (static_cast<double>(grid.sites()) * share.in_all(frames) > kMostSitesOfPacks)
    return std::make_unique<PackOfDraws<ExecSpace, Real, kOne>>(exec, grid, frames, status, axis,
                                                                beta, seed, metrics, share);
  return std::make_unique<PackOfDraws<ExecSpace, Real, kPack>>(exec, grid, frames, status, axis,
                                                               beta, seed, metrics, share);
}

template <class ExecSpace, class Real>
double GaussianDraws<ExecSpace, Real>::memory(const Grid& grid, int frames, bool noise,
                                              int all_frames) {
  return static_cast<double>(grid.sites()) * std::max(frames, all_frames) > kMostSitesOfPacks
             ? PackOfDraws<ExecSpace, Real, kOne>::memory(grid, frames, noise)
             : PackOfDraws<ExecSpace, Real, kPack>::memory(grid, frames, noise);
}

}  // namespace tessera::mpr::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/lattice/frame_share.hpp"
#include "tessera/mpr/linear/multigrid_kernels.hpp"
#include "tessera/mpr/linear/small_levels.hpp"

namespace tessera::mpr::detail {

/// Couplings of a level whose cells are joined from `shrink` cells along each axis: those that keep
/// the energy of smooth fields, A_a c / c_a^2 with the numbers c_a and their product c. With a
/// diagonal the tensor K_ab c / (c_a c_b) is kept, as far as it leaves no coupling negative.
inline AxisCouplings coarser(AxisCouplings fine, const int (&shrink)[3]) {
  const double joined = static_cast<double>(shrink[0]) * shrink[1] * shrink[2];
  if (fine.tilt == 0) {
    for (int a = 0; a < 3; ++a) fine[a] *= joined / (shrink[a] * shrink[a]);
    return fine;
  }
  const std::array<double, 3> tensor = fine.tensor();
  const double x = tensor[0] * joined / (shrink[0] * shrink[0]),
               y = tensor[2] * joined / (shrink[1] * shrink[1]);
  fine[2] = std::min(fine[2], 0.99 * std::min(x, y));
  fine[0] = x - fine[2];
  fine[1] = y - fine[2];
  return fine;
}

/// A V-cycle for Q z = b on the missing cells, as a preconditioner: linear in b, symmetric and
/// positive definite.
///
/// Cells are joined by two along each axis whose coupling is at least a quarter of the strongest; a
/// coarse cell belongs to the equations if all of its cells are missing. With c_a the numbers of
/// cells joined and c their product, the energy of a smooth field is kept by A_a := A_a c / c_a^2
/// and beta := beta / c. The smoother is a Chebyshev polynomial in D^-1 Q of degree 3, before and
/// after.
template <class ExecSpace, class Real, int W>
class Multigrid {
 public:
  using Level = MultigridLevel<ExecSpace>;
  using Column = Columns<Real, W>;
  using Numbers = Array<ExecSpace, Column>;

  /// `status`: a Site for each site, [frame][layer][row][column]. The couplings decide which cells
  /// are joined. metrics: none, one for all frames, or one for each. share: of the frames; cells
  /// are counted in all of them.
  Multigrid(const ExecSpace& exec, const Grid& grid, int frames,
            const Array<ExecSpace, const std::uint8_t>& status, const AxisCouplings& axis,
            const Metrics& metrics = {}, const FrameShare& share = {});

  /// Couplings along x, y, z, and beta.
  void set_couplings(const AxisCouplings& axis, double beta);

  /// The errors of noisy samples, of which the status must have some. noise: standard deviations,
  /// [frame][site]. temperature: of each frame.
  void set_noise(const Array<ExecSpace, const Real>& noise, const std::vector<double>& temperature);

  const Level& finest() const { return m_levels.front().cells; }
  /// Frames of all ranks.
  int frames() const { return m_share.in_all(finest().frames); }
  const FrameShare& share() const { return m_share; }
  std::int64_t missing() const { return finest().missing; }
  /// Returns whether the gaps of images whose cells are all the same, with exact samples, are so
  /// narrow that few missing cells fill a coarse one.
  bool has_narrow_gaps() const {
    if (finest().grid.nz > 1 || finest().directions() == 3 || !op<2>().is_plain()) return false;
    if (m_levels.size() < 2) return true;
    const Level& coarse = m_levels[1].cells;
    return 2 * coarse.missing * coarse.shrink[0] * coarse.shrink[1] < finest().missing;
  }
  /// Q on the finest level.
  template <int D>
  PrecisionOperator<ExecSpace, Real, W, D> op() const {
    return m_levels.front().template op<D>();
  }

  /// z, an approximate solution of Q z = b, on the finest level; overwritten by the next call.
  const Numbers& precondition(const Numbers& b);
  /// Does the same by the smoother of the finest level alone.
  template <int D, bool plain>
  const Numbers& smooth_finest(const Numbers& b) {
    smooth<D, plain>(m_levels.front(), b, kDegree, true);
    return m_levels.front().z[m_levels.front().now];
  }

  /// Bytes of the arrays of all levels, which have some 1.4 times the cells of the finest, for each
  /// of those.
  static constexpr double bytes_a_cell(bool noise = false) {
    return 1.4 * (2 + 4 * sizeof(Column) + (noise ? sizeof(Real) : 0)) - sizeof(Column);
  }

 private:
  static constexpr int kDegree = 3, kDegreeOfCoarsest = 8;
  /// Eigenvalues above this fraction of the largest are the smoother's
  static constexpr double kSmoothed = 0.12;

  struct Stage {
    Level cells;
    Couplings<Real> couplings;
    Chebyshev<Real> smoother;
    std::vector<LevelFactors> factors;        ///< of the frames, or of all of them
    Array<ExecSpace, RowWeights<Real>> rows;  ///< of all frames; none: cells are all the same
    Array<ExecSpace, Real> anchors;           ///< of noisy samples; none: there are none
    Numbers b, z[2], d;                       ///< b: of coarse levels
    Array<ExecSpace, std::uint8_t> marked;    ///< the status of the cells with their marks
    int now = 0;                              ///< which z is in use

    template <int D>
    PrecisionOperator<ExecSpace, Real, W, D> op() const {
      return {cells, couplings, rows, anchors};
    }
  };

  Range<ExecSpace> range(std::int64_t n) const { return {m_exec, 0, n}; }
  /// Plans the levels from fine to coarse, without their status.
  static std::vector<Level> plan_levels(const Grid& grid, int frames, const AxisCouplings& axis,
                                        const Metrics& metrics);
  void give_memory();
  void give_factors(const Metrics& metrics);
  /// The weights of the rows of a level.
  void weigh(Stage& stage, const AxisCouplings& axis, double beta);
  /// The status of all levels from that of the sites. Waits for the device.
  void mark_levels(const Array<ExecSpace, const std::uint8_t>& status);
  /// Chooses the levels that a V-cycle visits, and those of them that one kernel takes.
  void choose_levels();
  template <int D, bool plain>
  void cycle(std::size_t at, const Numbers& b);
  /// Makes the part of a V-cycle from the level m_small on.
  template <int D, bool plain>
  void cycle_small();
  template <int D, bool plain>
  void smooth(Stage& stage, const Numbers& b, int steps, bool from_zero);

  ExecSpace m_exec;
  FrameShare m_share;
  std::vector<Stage> m_levels;  // finest first
  std::size_t m_used = 1;       // levels of a V-cycle
  std::size_t m_small = 1;      // the first of those that one kernel takes; m_used: none
};

template <class ExecSpace, class Real, int W>
Multigrid<ExecSpace, Real, W>::Multigrid(const ExecSpace& exec, const Grid& grid, int frames,
                                         const Array<ExecSpace, const std::uint8_t>& status,
                                         const AxisCouplings& axis, const Metrics& metrics,
                                         const FrameShare& share)
    : m_exec(exec), m_share(share) {
  for (const Level& level : plan_levels(grid, frames, axis, metrics))
    m_levels.emplace_back().cells = level;
  give_memory();
  give_factors(metrics);
  mark_levels(status);
  choose_levels();
}

template <class ExecSpace, class Real, int W>
auto Multigrid<ExecSpace, Real, W>::plan_levels(const Grid& grid, int frames,
                                                const AxisCouplings& axis, const Metrics& metrics)
    -> std::vector<Level> {
  const bool periodic = !metrics.empty() && metrics.front().periodic;
  std::vector<Level> levels{Level(grid, frames, axis.tilt, periodic)};
  const std::array<double, 3> tensor = axis.tensor(), factor = metrics.empty()
                                                                   ? std::array<double, 3>{1, 1, 1}
                                                                   : metrics.front().mean();
  std::array<double, 3> strength{tensor[0] * factor[0], tensor[2] * factor[1],
                                 grid.nz > 1 ? axis[2] * factor[2] : 0};
  const std::array<int, 3> least{periodic ? 4 : 2, 2, 2};  // a ring has three cells or more
  while (true) {
    const Grid& g = levels.back().grid;
    const std::array<int, 3> size{g.nx, g.ny, g.nz};
    double strongest = 0;
    for (int a = 0; a < 3; ++a)
      strongest = size[a] > least[a] ? std::max(strongest, strength[a]) : strongest;
    if (strongest == 0) return levels;
    std::array<int, 3> shrink{1, 1, 1}, next = size;
    double joined = 1;
    for (int a = 0; a < 3; ++a) {
      if (size[a] <= least[a] || strength[a] < 0.25 * strongest) continue;
      shrink[a] = 2;
      next[a] = (size[a] + 1) / 2;
      joined *= 2;
    }
    for (int a = 0; a < 3; ++a) strength[a] *= joined / (shrink[a] * shrink[a]);
    Level coarse({next[0], next[1], next[2]}, frames, axis.tilt, periodic);
    for (int a = 0; a < 3; ++a) coarse.shrink[a] = shrink[a];
    levels.push_back(coarse);
  }
}

/// Two allocations for all levels: on a GPU they take longer than their use.
template <class ExecSpace, class Real, int W>
void Multigrid<ExecSpace, Real, W>::give_memory() {
  std::size_t all = 0;
  for (const Stage& stage : m_levels) all += static_cast<std::size_t>(stage.cells.size());
  const auto finest_size = static_cast<std::size_t>(finest().size());
  const auto status =
      allocate_zeros<Array<ExecSpace, std::uint8_t>>(m_exec, "tessera::mpr::level_status", 2 * all);
  const auto numbers =
      allocate_zeros<Numbers>(m_exec, "tessera::mpr::multigrid", 4 * all - finest_size);
  std::size_t status_at = 0, at = 0;
  for (Stage& stage : m_levels) {
    const auto size = static_cast<std::size_t>(stage.cells.size());
    const auto take = [&] {
      at += size;
      return Numbers(Kokkos::subview(numbers, std::pair(at - size, at)));
    };
    stage.z[0] = take();
    stage.z[1] = take();
    stage.d = take();
    if (&stage != &m_levels.front()) stage.b = take();
    stage.cells.status = Kokkos::subview(status, std::pair(status_at, status_at + size));
    stage.marked = Kokkos::subview(status, std::pair(status_at + size, status_at + 2 * size));
    status_at += 2 * size;
  }
}

template <class ExecSpace, class Real, int W>
void Multigrid<ExecSpace, Real, W>::give_factors(const Metrics& metrics) {
  if (std::all_of(metrics.begin(), metrics.end(),
                  [](const Metric& metric) { return metric.is_uniform(); }))
    return;
  for (const Metric& metric : metrics) m_levels.front().factors.emplace_back(metric, finest().grid);
  for (std::size_t k = 0; k < m_levels.size(); ++k) {
    Stage& stage = m_levels[k];
    for (std::size_t f = 0; k > 0 && f < metrics.size(); ++f)
      stage.factors.push_back(m_levels[k - 1].factors[f].joined(stage.cells.shrink));
    stage.rows = allocate<Array<ExecSpace, RowWeights<Real>>>(
        m_exec, "tessera::mpr::row_weights",
        static_cast<std::size_t>(stage.cells.size() / stage.cells.pitch));
  }
}

template <class ExecSpace, class Real, int W>
void Multigrid<ExecSpace, Real, W>::weigh(Stage& stage, const AxisCouplings& axis, double beta) {
  upload_to(
      m_exec,
      weigh_frames<Real>(stage.factors, axis, beta, stage.cells.grid.nz > 1, stage.cells.frames),
      stage.rows);
}

template <class ExecSpace, class Real, int W>
void Multigrid<ExecSpace, Real, W>::mark_levels(
    const Array<ExecSpace, const std::uint8_t>& status) {
  Kokkos::parallel_for("tessera::mpr::enter_status", range(finest().sites()),
                       EnterStatus<ExecSpace>{finest(), status});
  const auto missing = allocate_zeros<Kokkos::View<std::int64_t*, ExecSpace>>(
      m_exec, "tessera::mpr::missing", m_levels.size());
  for (std::size_t k = 0; k < m_levels.size(); ++k) {
    Stage& stage = m_levels[k];
    const Kokkos::View<std::int64_t, ExecSpace> count = Kokkos::subview(missing, k);
    Kokkos::parallel_reduce("tessera::mpr::mark_cells", range(stage.cells.sites()),
                            MarkCells<ExecSpace>{stage.cells, stage.marked},
                            Kokkos::Sum<std::int64_t, ExecSpace>(count));
    stage.cells.status = stage.marked;
    if (k + 1 == m_levels.size()) break;
    const Level& coarse = m_levels[k + 1].cells;
    Kokkos::parallel_for("tessera::mpr::coarsen_status", range(coarse.sites()),
                         CoarsenStatus<ExecSpace>{stage.cells, coarse});
  }
  const std::vector<std::int64_t> own = download(m_exec, missing);
  std::vector<std::uint64_t> counts(own.begin(), own.end());
  m_share.ranks.sum(counts);
  for (std::size_t k = 0; k < counts.size(); ++k)
    m_levels[k].cells.missing = static_cast<std::int64_t>(counts[k]);
}

template <class ExecSpace, class Real, int W>
void Multigrid<ExecSpace, Real, W>::choose_levels() {
  using Small = SmallLevels<ExecSpace, Real, W, 2, true>;
  m_used = 1;
  while (m_used < m_levels.size() && m_levels[m_used].cells.missing > 0) ++m_used;
  m_small = m_used;
  while (m_small > 1 && m_used - m_small < Small::kMost &&
         m_levels[m_small - 1].cells.frame * W <= Small::kMostNumbers)
    --m_small;
}

template <class ExecSpace, class Real, int W>
void Multigrid<ExecSpace, Real, W>::set_couplings(const AxisCouplings& axis, double beta) {
  AxisCouplings along = axis;
  for (Stage& stage : m_levels) {
    const double joined =
        static_cast<double>(stage.cells.shrink[0]) * stage.cells.shrink[1] * stage.cells.shrink[2];
    along = joined > 1 ? coarser(along, stage.cells.shrink) : along;
    beta /= joined;
    stage.couplings = Couplings<Real>(along.strength, beta, finest().directions());
    const bool three = finest().directions() == 3;
    stage.smoother = Chebyshev<Real>(three ? stage.template op<3>().largest_eigenvalue()
                                           : stage.template op<2>().largest_eigenvalue(),
                                     kSmoothed);
    if (stage.rows.extent(0) > 0) weigh(stage, along, beta);
  }
}

template <class ExecSpace, class Real, int W>
void Multigrid<ExecSpace, Real, W>::set_noise(const Array<ExecSpace, const Real>& noise,
                                              const std::vector<double>& temperature) {
  const auto of_frames = upload(m_exec, "tessera::mpr::temperatures", temperature);
  for (std::size_t k = 0; k < m_levels.size(); ++k) {
    Stage& stage = m_levels[k];
    if (stage.anchors.extent(0) == 0)
      stage.anchors = allocate_zeros<Array<ExecSpace, Real>>(
          m_exec, "tessera::mpr::anchors", static_cast<std::size_t>(stage.cells.size()));
    const Range<ExecSpace> sites = range(stage.cells.sites());
    if (k == 0) {
      Kokkos::parallel_for(
          "tessera::mpr::enter_anchors", sites,
          EnterAnchors<ExecSpace, Real>{stage.cells, noise, of_frames, stage.anchors});
    } else {
      const Stage& fine = m_levels[k - 1];
      Kokkos::parallel_for(
          "tessera::mpr::sum_anchors", sites,
          SumAnchors<ExecSpace, Real>{fine.cells, stage.cells, fine.anchors, stage.anchors});
    }
  }
}

template <class ExecSpace, class Real, int W>
auto Multigrid<ExecSpace, Real, W>::precondition(const Numbers& b) -> const Numbers& {
  op<2>().with_plainness([&](auto plain) {
    finest().directions() == 3 ? cycle<3, plain()>(0, b) : cycle<2, plain()>(0, b);
  });
  return m_levels.front().z[m_levels.front().now];
}

template <class ExecSpace, class Real, int W>
template <int D, bool plain>
void Multigrid<ExecSpace, Real, W>::cycle(std::size_t at, const Numbers& b) {
  if (at == m_small) return cycle_small<D, plain>();
  Stage& stage = m_levels[at];
  const bool coarsest = at + 1 == m_used;
  smooth<D, plain>(stage, b, coarsest && at > 0 ? kDegreeOfCoarsest : kDegree, true);
  if (coarsest && at > 0) return;
  if (!coarsest) {
    Stage& coarse = m_levels[at + 1];
    const auto op = stage.template op<D>();
    const Transfer<ExecSpace> transfer{stage.cells, coarse.cells};
    Kokkos::parallel_for(
        "tessera::mpr::residual", range(stage.cells.size()),
        Residual<ExecSpace, Real, W, D, plain>{op, b, stage.z[stage.now], stage.d});
    Kokkos::parallel_for("tessera::mpr::restrict", range(coarse.cells.sites()),
                         Restrict<ExecSpace, Real, W>{transfer, stage.d, coarse.b});
    cycle<D, plain>(at + 1, coarse.b);
    Kokkos::parallel_for(
        "tessera::mpr::prolong", range(stage.cells.sites()),
        Prolong<ExecSpace, Real, W>{transfer, coarse.z[coarse.now], stage.z[stage.now]});
  }
  smooth<D, plain>(stage, b, kDegree, false);
}

template <class ExecSpace, class Real, int W>
template <int D, bool plain>
void Multigrid<ExecSpace, Real, W>::cycle_small() {
  using Small = SmallLevels<ExecSpace, Real, W, D, plain>;
  Small small;
  small.degree = kDegree;
  small.degree_of_coarsest = kDegreeOfCoarsest;
  for (std::size_t k = m_small; k < m_used; ++k) {
    const Stage& stage = m_levels[k];
    small.stages[small.count++] = {
        stage.template op<D>(), stage.smoother, stage.b, {stage.z[0], stage.z[1]}, stage.d};
  }
  const typename Small::Policy teams(m_exec, finest().frames,
                                     compat::is_gpu_v<ExecSpace> ? Small::kTeam : 1);
  Kokkos::parallel_for(
      "tessera::mpr::small_levels",
      Kokkos::Experimental::require(teams, Kokkos::Experimental::WorkItemProperty::HintLightWeight),
      small);
  m_levels[m_small].now = small.result();
}

template <class ExecSpace, class Real, int W>
template <int D, bool plain>
void Multigrid<ExecSpace, Real, W>::smooth(Stage& stage, const Numbers& b, int steps,
                                           bool from_zero) {
  const auto op = stage.template op<D>();
  const Range<ExecSpace> all = range(stage.cells.size());
  for (int step = 0; step < steps; ++step) {
    if (step == 0 && from_zero) {
      stage.now = 0;
      Kokkos::parallel_for("tessera::mpr::begin_smoothing", all,
                           BeginSmoothing<ExecSpace, Real, W, D, plain>{op, b, stage.z[0], stage.d,
                                                                        stage.smoother.factor[0]});
      continue;
    }
    Kokkos::parallel_for("tessera::mpr::smooth", all,
                         Smooth<ExecSpace, Real, W, D, plain>{
                             op, b, stage.z[stage.now], stage.d, stage.z[1 - stage.now],
                             stage.smoother.keep[step], stage.smoother.factor[step]});
    stage.now = 1 - stage.now;
  }
}

}  // namespace tessera::mpr::detail

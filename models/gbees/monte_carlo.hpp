// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/io/group.hpp"
#include "core/linalg/symmetric.hpp"
#include "core/log/timings.hpp"
#include "core/random.hpp"
#include "models/gbees/observation.hpp"
#include "models/gbees/rebin.hpp"
#include "models/gbees/record.hpp"

/// Particles that follow the same dynamics as the density, to compare it with: Runge-Kutta steps of fourth order, an increment sqrt(Q dt)
/// of a normal number for process noise at the end of each, and weights for measurements. The same numbers on every backend, whatever the
/// threads.

namespace tessera::gbees {

namespace detail {

/// Streams of random numbers.
enum RandomStream : std::uint32_t { kStreamInitial = 101, kStreamNoise = 102 };

/// Two independent normal numbers from 128 random bits (Box and Muller).
struct NormalPair {
  double first, second;
  KOKKOS_INLINE_FUNCTION explicit NormalPair(const Philox::Bits& bits) {
    const double radius = compat::math::sqrt(-2 * compat::math::log(Philox::uniform(bits, 0)));
    const double angle = 6.283185307179586 * Philox::uniform(bits, 1);
    first = radius * compat::math::cos(angle);
    second = radius * compat::math::sin(angle);
  }
};

template <class Dynamics, class Points>
struct MoveParticles {
  static constexpr int D = Dynamics::dimension;
  Dynamics dynamics;
  Points points;
  Vector<D> noise;  ///< sqrt(Q)
  bool is_noisy;
  Philox random;
  double time, dt;
  std::uint64_t first_step;
  int steps;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n) const {
    Vector<D> x;
    for (int i = 0; i < D; ++i) x[i] = points(n, i);
    for (int step = 0; step < steps; ++step) {
      advance(x, time + step * dt);
      if (is_noisy) kick(x, n, first_step + static_cast<std::uint64_t>(step));
    }
    for (int i = 0; i < D; ++i) points(n, i) = x[i];
  }

 private:
  KOKKOS_INLINE_FUNCTION void advance(Vector<D>& x, double t) const {
    Vector<D> sum{}, at = x;
    const double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, reach[4] = {0, 0.5, 0.5, 1};
    Vector<D> rate{};
    for (int stage = 0; stage < 4; ++stage) {
      for (int i = 0; i < D; ++i) at[i] = x[i] + reach[stage] * dt * rate[i];
      for (int i = 0; i < D; ++i) rate[i] = velocity_at(dynamics, i, at, t + reach[stage] * dt);
      for (int i = 0; i < D; ++i) sum[i] += weight[stage] * rate[i];
    }
    for (int i = 0; i < D; ++i) x[i] += dt * sum[i];
  }

  KOKKOS_INLINE_FUNCTION void kick(Vector<D>& x, std::uint32_t n, std::uint64_t step) const {
    const double size = compat::math::sqrt(dt);
    for (int i = 0; i < D; i += 2) {
      const NormalPair normal(random.bits(n, step * ((D + 1) / 2) + static_cast<std::uint64_t>(i / 2)));
      x[i] += size * noise[i] * normal.first;
      if (i + 1 < D) x[i + 1] += size * noise[i + 1] * normal.second;
    }
  }
};

template <int D, class Points, class Weights>
struct WeighParticles {
  Likelihood<D> likelihood;
  Points points;
  Weights log_weight;
  double time;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n) const {
    Vector<D> x;
    for (int i = 0; i < D; ++i) x[i] = points(n, i);
    log_weight(n) -= 0.5 * likelihood.squared_distance(x, time);
  }
};

/// Sum over the samples of weight * exp(-|z_cell - z_sample|^2 / 2) at each cell, in the order of the samples.
template <int D, class Points, class Weights>
struct KernelDensity {
  Points cells, samples;
  Weights weight, density;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t c) const {
    double sum = 0;
    for (std::uint32_t n = 0; n < weight.extent(0); ++n) {
      double distance = 0;
      for (int i = 0; i < D; ++i) {
        const double d = cells(c, i) - samples(n, i);
        distance = compat::fma(d, d, distance);
      }
      sum += weight(n) * compat::math::exp(-0.5 * distance);
    }
    density(c) = sum;
  }
};

}  // namespace detail

template <class ExecSpace, class Dynamics>
class MonteCarlo {
 public:
  static constexpr int D = Dynamics::dimension;

  /// `points` [n, D] row by row, in the coordinates of the grid.
  MonteCarlo(const ExecSpace& exec, const Dynamics& dynamics, const std::vector<double>& points, const std::vector<double>& noise,
             double step, std::uint64_t kde_samples, std::uint64_t seed)
      : m_exec(exec),
        m_dynamics(dynamics),
        m_noise(noise),
        m_step(step),
        m_kde_samples(kde_samples),
        m_random(fold(seed), detail::kStreamNoise),
        m_points("tessera::gbees::particles", points.size() / D),
        m_log_weight("tessera::gbees::log_weight", points.size() / D) {
    set(points);
  }

  static std::uint32_t fold(std::uint64_t seed) { return static_cast<std::uint32_t>(seed ^ seed >> 32); }

  /// Moves the particles from time `from` to time `to`.
  void propagate(double from, double to) {
    logging::Region region("tessera::gbees::monte_carlo");
    constexpr std::uint64_t kBatch = 64;
    const auto steps = static_cast<std::uint64_t>(std::max(std::ceil((to - from) / m_step - 1e-9), 1.0));
    const double dt = (to - from) / static_cast<double>(steps);
    Vector<D> noise{};
    for (std::size_t i = 0; i < m_noise.size(); ++i) noise[static_cast<int>(i)] = std::sqrt(m_noise[i]);
    for (std::uint64_t done = 0; done < steps; done += kBatch) {
      const auto batch = static_cast<int>(std::min(kBatch, steps - done));
      Kokkos::parallel_for("tessera::gbees::move_particles", range(m_points.extent(0)),
                           detail::MoveParticles<Dynamics, Points>{m_dynamics, m_points, noise, !m_noise.empty(), m_random,
                                                                   from + static_cast<double>(done) * dt, dt, m_steps + done, batch});
    }
    m_exec.fence();
    m_steps += steps;
  }

  void observe(const Observation& observation, double time) {
    const detail::LikelihoodData<D, ExecSpace> data(observation);
    Kokkos::parallel_for("tessera::gbees::weigh_particles", range(m_points.extent(0)),
                         detail::WeighParticles<D, Points, Numbers>{data.likelihood, m_points, m_log_weight, time});
    m_exec.fence();
  }

  /// Compares with the density's cells on its grid; with the kernel density estimate on those of a probability of at least `cut`.
  MonteCarloRecord compare_with(const CellList& density, const Grid<D>& grid, double cut) const;

  void save(const io::Group& state) const {
    const io::Meaning plain;
    state.write("points", host_points(), plain);
    state.write("log_weight", host_log_weight(), plain);
    state.write("steps", std::vector<std::uint64_t>{m_steps}, plain);
  }

  void load(const io::Group& state) {
    set(state.read<double>("points"));
    const auto weight = state.read<double>("log_weight");
    Kokkos::deep_copy(m_log_weight, Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(weight.data(), weight.size()));
    m_steps = state.read<std::uint64_t>("steps").at(0);
  }

 private:
  using Memory = typename ExecSpace::memory_space;
  using Points = Kokkos::View<double* [D], Kokkos::LayoutLeft, Memory>;
  using Numbers = Kokkos::View<double*, Memory>;

  Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>> range(std::size_t n) const {
    return {m_exec, 0, static_cast<std::uint32_t>(n)};
  }

  static Points to_points(const std::vector<double>& rows) {
    Points points("tessera::gbees::points", rows.size() / D);
    const auto host = Kokkos::create_mirror_view(points);
    for (std::size_t n = 0; n < rows.size() / D; ++n) {
      for (int i = 0; i < D; ++i) host(n, i) = rows[n * D + static_cast<std::size_t>(i)];
    }
    Kokkos::deep_copy(points, host);
    return points;
  }

  void set(const std::vector<double>& rows) { m_points = to_points(rows); }

  std::vector<double> host_points() const {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_points);
    std::vector<double> rows(m_points.extent(0) * D);
    for (std::size_t n = 0; n < m_points.extent(0); ++n) {
      for (int i = 0; i < D; ++i) rows[n * D + static_cast<std::size_t>(i)] = host(n, i);
    }
    return rows;
  }

  std::vector<double> host_log_weight() const {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_log_weight);
    return {host.data(), host.data() + host.extent(0)};
  }

  double kernel_likeness(const std::vector<double>& points, const std::vector<double>& weights, const linalg::Matrix& covariance,
                         const CellList& density, const Grid<D>& grid) const;

  ExecSpace m_exec;
  Dynamics m_dynamics;
  std::vector<double> m_noise;
  double m_step;
  std::uint64_t m_kde_samples;
  Philox m_random;
  Points m_points;
  Numbers m_log_weight;
  std::uint64_t m_steps = 0;
};

template <class ExecSpace, class Dynamics>
MonteCarloRecord MonteCarlo<ExecSpace, Dynamics>::compare_with(const CellList& density, const Grid<D>& grid, double cut) const {
  logging::Region region("tessera::gbees::monte_carlo");
  std::vector<double> points = host_points(), weights = host_log_weight();
  const double largest = *std::max_element(weights.begin(), weights.end());
  double total = 0;
  for (double& weight : weights) total += weight = std::exp(weight - largest);

  // What is not finite any more takes no part in the comparison.
  MonteCarloRecord record;
  std::size_t kept = 0;
  double remaining = 0;
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const double* x = points.data() + n * D;
    bool is_inside = true;  // of what the grid can index
    for (int i = 0; i < D; ++i) {
      is_inside = is_inside && std::fabs((x[i] - grid.origin[i]) / grid.spacing[i]) < static_cast<double>(CellKey<D>::limit) - 1;
    }
    if (!is_inside) continue;
    std::copy(x, x + D, points.begin() + static_cast<std::ptrdiff_t>(kept * D));
    weights[kept] = weights[n] / total;
    remaining += weights[kept++];
  }
  record.left = kept < weights.size() ? 1 - remaining : 0;
  points.resize(kept * D);
  weights.resize(kept);
  if (kept == 0 || !(remaining > 0)) throw Error(ErrorKind::numerical, "no particle of the Monte Carlo comparison is finite any more");
  double squares = 0;
  record.mean.assign(D, 0.0);
  for (std::size_t n = 0; n < kept; ++n) {
    weights[n] /= remaining;
    squares += weights[n] * weights[n];
    for (std::size_t i = 0; i < D; ++i) record.mean[i] += weights[n] * points[n * D + i];
  }
  record.effective_samples = 1 / squares;
  record.covariance.assign(D * D, 0.0);
  for (std::size_t n = 0; n < kept; ++n) {
    for (std::size_t i = 0; i < D; ++i) {
      for (std::size_t j = 0; j < D; ++j) {
        record.covariance[i * D + j] += weights[n] * (points[n * D + i] - record.mean[i]) * (points[n * D + j] - record.mean[j]);
      }
    }
  }
  const Likeness likeness = compare(density, histogram<D>(points, weights, grid));
  record.bhattacharyya = likeness.bhattacharyya;
  record.l1 = likeness.l1;
  if (m_kde_samples > 0) {
    linalg::Matrix covariance(D, std::vector<double>(D));
    for (std::size_t i = 0; i < D; ++i) {
      for (std::size_t j = 0; j < D; ++j) covariance[i][j] = record.covariance[i * D + j];
    }
    CellList support;
    for (std::size_t c = 0; c < density.key.size(); ++c) {
      if (!(density.probability[c] >= cut)) continue;
      support.key.push_back(density.key[c]);
      support.probability.push_back(density.probability[c]);
    }
    record.bhattacharyya_kde = kernel_likeness(points, weights, covariance, support, grid);
  }
  return record;
}

template <class ExecSpace, class Dynamics>
double MonteCarlo<ExecSpace, Dynamics>::kernel_likeness(const std::vector<double>& points, const std::vector<double>& weights,
                                                        const linalg::Matrix& covariance, const CellList& density,
                                                        const Grid<D>& grid) const {
  const std::size_t samples = std::min<std::size_t>(m_kde_samples, weights.size());
  double squares = 0, sum = 0;
  for (std::size_t n = 0; n < samples; ++n) {
    sum += weights[n];
    squares += weights[n] * weights[n];
  }
  // Scott's factor with the effective number of samples; coordinates in which the kernel is a unit Gaussian.
  const double factor = std::pow(sum * sum / squares, -1.0 / (D + 4));
  linalg::Matrix root;
  try {
    root = linalg::cholesky_factor(covariance);
  } catch (const Error&) {
    return std::numeric_limits<double>::quiet_NaN();  // the particles lie in a hyperplane
  }
  const auto whiten = [&](const double* x, double* z) {
    for (int i = 0; i < D; ++i) {
      double value = x[i] / factor;
      for (int j = 0; j < i; ++j) value -= root[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] * z[j];
      z[i] = value / root[static_cast<std::size_t>(i)][static_cast<std::size_t>(i)];
    }
  };
  std::vector<double> sample_z(samples * D), cell_z(density.key.size() * D);
  for (std::size_t n = 0; n < samples; ++n) whiten(points.data() + n * D, sample_z.data() + n * D);
  for (std::size_t c = 0; c < density.key.size(); ++c) {
    const Vector<D> x = grid.centre(density.key[c]);
    whiten(&x[0], cell_z.data() + c * D);
  }
  const Numbers weight = detail::to_device<ExecSpace>(
      std::vector<double>(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(samples)), "tessera::gbees::kde_weight");
  const Numbers estimate("tessera::gbees::kde", density.key.size());
  Kokkos::parallel_for("tessera::gbees::kde", range(density.key.size()),
                       detail::KernelDensity<D, Points, Numbers>{to_points(cell_z), to_points(sample_z), weight, estimate});
  m_exec.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), estimate);
  CellList of_kernels;
  of_kernels.key = density.key;
  of_kernels.probability.assign(host.data(), host.data() + host.extent(0));
  return compare(density, of_kernels).bhattacharyya;
}

}  // namespace tessera::gbees

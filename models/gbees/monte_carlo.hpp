// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/io/group.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gbees/detail/particles.hpp"
#include "tessera/gbees/parameters.hpp"
#include "tessera/gbees/rebin.hpp"
#include "tessera/gbees/record.hpp"

/// Particles that follow the same dynamics as the density, to compare it with: Runge-Kutta steps of fourth order, an increment sqrt(Q dt)
/// of a normal number for process noise at the end of each, and weights for measurements. They stay on the device; the host gets sums and a
/// histogram. The same random numbers on every backend, and the same bits whatever the threads.

namespace tessera::gbees {

template <class ExecSpace, class Dynamics>
class MonteCarlo {
 public:
  static constexpr int D = Dynamics::dimension;

  using Source = detail::ParticleSource<D, ExecSpace>;

  /// Particles which draw() or load() puts where they start. `noise`: along the axes of the grid.
  MonteCarlo(const ExecSpace& exec, const Dynamics& dynamics, const MonteCarloParameters& parameters, const std::vector<double>& noise,
             std::uint64_t seed)
      : m_exec(exec),
        m_dynamics(dynamics),
        m_noise(noise),
        m_parameters(parameters),
        m_seed(static_cast<std::uint32_t>(seed ^ seed >> 32)),
        m_points("tessera::gbees::particles", parameters.samples),
        m_log_weight("tessera::gbees::log_weight", parameters.samples) {}

  void draw(const Source& source) {
    Kokkos::parallel_for("tessera::gbees::draw_particles", range(m_points.extent(0)),
                         detail::DrawParticles<Source, Points>{source, Philox(m_seed, detail::kStreamInitial), m_points});
    m_exec.fence();
  }

  /// Moves the particles from time `from` to time `to`.
  void propagate(double from, double to) {
    logging::Region region("tessera::gbees::monte_carlo");
    constexpr std::uint64_t kBatch = 64;
    const auto steps = static_cast<std::uint64_t>(std::max(std::ceil((to - from) / m_parameters.step - 1e-9), 1.0));
    const double dt = (to - from) / static_cast<double>(steps);
    Vector<D> noise{};
    for (std::size_t i = 0; i < m_noise.size(); ++i) noise[static_cast<int>(i)] = std::sqrt(m_noise[i]);
    for (std::uint64_t done = 0; done < steps; done += kBatch) {
      const auto batch = static_cast<int>(std::min(kBatch, steps - done));
      Kokkos::parallel_for(
          "tessera::gbees::move_particles", range(m_points.extent(0)),
          detail::MoveParticles<Dynamics, Points>{m_dynamics, m_points, noise, !m_noise.empty(), Philox(m_seed, detail::kStreamNoise),
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

  /// Compares with the density's cells on its grid, and joined to larger ones; with the kernel density estimate on those of a probability
  /// of at least `cut`.
  MonteCarloRecord compare_with(const CellList& density, const Grid<D>& grid, double cut) const;

  void save(const io::Group& state) const {
    const io::Attributes plain;
    state.write("points", host_points(m_points.extent(0)), plain);
    state.write("log_weight", host_log_weight(), plain);
    state.write("steps", std::vector<std::uint64_t>{m_steps}, plain);
  }

  void load(const io::Group& state) {
    m_points = to_points(state.read<double>("points"));
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

  /// The first `count` particles, row by row.
  std::vector<double> host_points(std::size_t count) const {
    const Points some("tessera::gbees::points", count);
    Kokkos::deep_copy(some, Kokkos::subview(m_points, std::make_pair(std::size_t(0), count), Kokkos::ALL));
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), some);
    std::vector<double> rows(count * D);
    for (std::size_t n = 0; n < count; ++n) {
      for (int i = 0; i < D; ++i) rows[n * D + static_cast<std::size_t>(i)] = host(n, i);
    }
    return rows;
  }

  std::vector<double> host_log_weight() const {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_log_weight);
    return {host.data(), host.data() + host.extent(0)};
  }

  using Particles = detail::WeightedParticles<D, Points, Numbers>;

  /// Sums over the particles: over chunks on the device, and then over those.
  template <class Term>
  std::array<double, Term::kSums> sum(const Term& term) const {
    using Sums = Kokkos::View<double * [Term::kSums], Memory>;
    const auto count = static_cast<std::uint32_t>(m_points.extent(0));
    const Sums sums("tessera::gbees::particle_sums", (std::size_t(count) + detail::kChunk - 1) / detail::kChunk);
    Kokkos::parallel_for("tessera::gbees::sum_particles", range(sums.extent(0)), detail::SumChunk<Term, Sums>{term, count, sums});
    m_exec.fence();
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
    std::array<double, Term::kSums> total{};
    for (std::size_t chunk = 0; chunk < sums.extent(0); ++chunk) {
      for (int k = 0; k < Term::kSums; ++k) total[static_cast<std::size_t>(k)] += host(chunk, k);
    }
    return total;
  }

  CellList count_in_cells(const Particles& particles, std::size_t cells_expected) const;
  double compare_with_kernels(const Particles& particles, const linalg::Matrix& covariance, const CellList& density, double cut) const;

  ExecSpace m_exec;
  Dynamics m_dynamics;
  std::vector<double> m_noise;
  MonteCarloParameters m_parameters;
  std::uint32_t m_seed;
  Points m_points;
  Numbers m_log_weight;
  std::uint64_t m_steps = 0;
};

template <class ExecSpace, class Dynamics>
MonteCarloRecord MonteCarlo<ExecSpace, Dynamics>::compare_with(const CellList& density, const Grid<D>& grid, double cut) const {
  logging::Region region("tessera::gbees::monte_carlo");
  Particles particles{m_points, m_log_weight, grid};
  Kokkos::parallel_reduce("tessera::gbees::largest_weight", range(m_log_weight.extent(0)), detail::LargestWeight<Numbers>{m_log_weight},
                          Kokkos::Max<double>(particles.largest));
  particles.total = sum(detail::SumWeights<Particles>{particles})[0];

  // What is not finite any more takes no part in the comparison.
  const auto moments = sum(detail::SumMoments<Particles, D>{particles});
  const double remaining = moments[1];
  if (!(remaining > 0)) throw Error(ErrorKind::numerical, "no particle of the Monte Carlo comparison is finite any more");
  particles.total *= remaining;
  MonteCarloRecord record;
  record.left = moments[0] < static_cast<double>(m_points.extent(0)) ? 1 - remaining : 0;
  record.effective_samples = remaining * remaining / moments[2];
  Vector<D> mean{};
  for (int i = 0; i < D; ++i) {
    mean[i] = moments[static_cast<std::size_t>(3 + i)] / remaining;
    record.mean.push_back(grid.origin[i] + mean[i]);
  }
  const auto products = sum(detail::SumProducts<Particles, D>{particles, mean});
  linalg::Matrix covariance(D, std::vector<double>(D));
  auto product = products.begin();
  for (std::size_t i = 0; i < D; ++i) {
    for (std::size_t j = i; j < D; ++j) covariance[i][j] = covariance[j][i] = *product++;
  }
  for (const auto& row : covariance) record.covariance.insert(record.covariance.end(), row.begin(), row.end());
  const CellList histogram = count_in_cells(particles, density.key.size());
  const DensityDistance distance = compare(density, histogram);
  record.bhattacharyya = distance.bhattacharyya;
  record.l1 = distance.l1;
  record.coarsening = m_parameters.coarsen;
  for (const int factor : m_parameters.coarsen) {
    const DensityDistance coarse = compare(coarsen<D>(density, factor), coarsen<D>(histogram, factor));
    record.bhattacharyya_coarse.push_back(coarse.bhattacharyya);
    record.l1_coarse.push_back(coarse.l1);
  }
  if (m_parameters.kde_samples > 0) record.bhattacharyya_kde = compare_with_kernels(particles, covariance, density, cut);
  return record;
}

/// The weight of the particles in each cell. A map without room for their cells is made larger.
template <class ExecSpace, class Dynamics>
CellList MonteCarlo<ExecSpace, Dynamics>::count_in_cells(const Particles& particles, std::size_t cells_expected) const {
  using Device = Kokkos::Device<ExecSpace, Memory>;
  detail::Histogram<Device> histogram;
  std::uint64_t capacity = std::min<std::uint64_t>(4 * std::uint64_t(cells_expected) + 65536, 2 * m_points.extent(0) + 64);
  do {
    histogram.clear();
    histogram.rehash(static_cast<std::uint32_t>(std::min<std::uint64_t>(capacity, 3500000000u)));
    Kokkos::parallel_for("tessera::gbees::add_to_histogram", range(m_points.extent(0)),
                         detail::AddToHistogram<Particles, D, Device>{particles, histogram});
    m_exec.fence();
    capacity *= 4;
  } while (histogram.failed_insert());
  const std::uint32_t count = histogram.size();
  const detail::ListEntries<Device> list{histogram, Kokkos::View<std::uint64_t*, Device>("tessera::gbees::histogram_keys", count),
                                         Kokkos::View<std::uint64_t*, Device>("tessera::gbees::histogram_units", count)};
  Kokkos::parallel_scan("tessera::gbees::list_entries", range(histogram.capacity()), list);
  m_exec.fence();
  const auto key = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), list.key);
  const auto units = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), list.units);
  std::vector<std::pair<std::uint64_t, double>> entries(count);
  for (std::uint32_t c = 0; c < count; ++c) entries[c] = {key(c), static_cast<double>(units(c)) / detail::kHistogramUnits};
  return sum_duplicates(std::move(entries));
}

/// With the first particles, by a kernel density estimate on the cells of a probability of at least `cut`.
template <class ExecSpace, class Dynamics>
double MonteCarlo<ExecSpace, Dynamics>::compare_with_kernels(const Particles& particles, const linalg::Matrix& covariance,
                                                             const CellList& density, double cut) const {
  const Grid<D>& grid = particles.grid;
  CellList support;
  for (std::size_t c = 0; c < density.key.size(); ++c) {
    if (!(density.probability[c] >= cut)) continue;
    support.key.push_back(density.key[c]);
    support.probability.push_back(density.probability[c]);
  }
  const std::size_t chosen = std::min<std::size_t>(m_parameters.kde_samples, m_points.extent(0));
  const std::vector<double> all = host_points(chosen);
  const Numbers first("tessera::gbees::log_weight", chosen);
  Kokkos::deep_copy(first, Kokkos::subview(m_log_weight, std::make_pair(std::size_t(0), chosen)));
  const auto log_weight = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), first);
  std::vector<double> points, weights;
  for (std::size_t n = 0; n < chosen; ++n) {
    const double* const x = all.data() + n * D;
    bool is_inside = true;
    for (int i = 0; i < D; ++i) {
      is_inside = is_inside && std::fabs((x[i] - grid.origin[i]) / grid.spacing[i]) < static_cast<double>(CellKey<D>::limit) - 1;
    }
    if (!is_inside) continue;
    points.insert(points.end(), x, x + D);
    weights.push_back(std::exp(log_weight(n) - particles.largest) / particles.total);
  }
  const std::size_t samples = weights.size();
  if (samples == 0) return std::numeric_limits<double>::quiet_NaN();
  double squares = 0, sum = 0;
  for (const double weight : weights) {
    sum += weight;
    squares += weight * weight;
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
  std::vector<double> sample_z(samples * D), cell_z(support.key.size() * D);
  for (std::size_t n = 0; n < samples; ++n) whiten(points.data() + n * D, sample_z.data() + n * D);
  for (std::size_t c = 0; c < support.key.size(); ++c) {
    const Vector<D> x = grid.centre(support.key[c]);
    whiten(&x[0], cell_z.data() + c * D);
  }
  const Numbers weight = detail::to_device<ExecSpace>(weights, "tessera::gbees::kde_weight");
  const Numbers estimate("tessera::gbees::kde", support.key.size());
  Kokkos::parallel_for("tessera::gbees::kde", range(support.key.size()),
                       detail::KernelDensity<D, Points, Numbers>{to_points(cell_z), to_points(sample_z), weight, estimate});
  m_exec.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), estimate);
  CellList of_kernels;
  of_kernels.key = support.key;
  of_kernels.probability.assign(host.data(), host.data() + host.extent(0));
  return compare(support, of_kernels).bhattacharyya;
}

}  // namespace tessera::gbees

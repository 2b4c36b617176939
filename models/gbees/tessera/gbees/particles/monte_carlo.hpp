// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/app/pace.hpp"
#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/group.hpp"
#include "tessera/core/io/pieces.hpp"
#include "tessera/core/linalg/square.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/core/seed.hpp"
#include "tessera/gbees/dynamics/step_bounds.hpp"
#include "tessera/gbees/particles/ensemble.hpp"
#include "tessera/gbees/particles/monte_carlo_comparison.hpp"
#include "tessera/gbees/particles/particle_ensemble.hpp"
#include "tessera/gbees/particles/particles.hpp"
#include "tessera/gbees/propagator/rebin.hpp"

/// Particles that follow the same dynamics as the density, to compare it with: Runge-Kutta steps of
/// fourth order, an increment sqrt(Q dt) of a normal number for process noise at the end of each,
/// and weights for measurements. They stay on the device; the host gets sums and a histogram. The
/// same random numbers on every backend, and the same bits whatever the threads and the ranks.

namespace tessera::gbees {

template <class ExecSpace, class Dynamics>
class MonteCarlo final : public ParticleEnsemble<Dynamics::dimension> {
 public:
  static constexpr int D = Dynamics::dimension;

  /// Particles which draw() or load() puts where they start. `noise`: spectral density in the
  /// coordinates of the grid, as rows, or empty. `owner` keeps alive what the dynamics refers to.
  MonteCarlo(const ExecSpace& exec, const Dynamics& dynamics,
             const MonteCarloParameters& parameters, const linalg::Matrix& noise,
             std::uint64_t seed, const parallel::Communicator& ranks = {},
             std::shared_ptr<const void> owner = nullptr)
      : m_exec(exec),
        m_dynamics(dynamics),
        m_owner(std::move(owner)),
        m_noise(linalg::semidefinite_root(noise)),
        m_parameters(parameters),
        m_seed(seed),
        m_division{ranks, parameters.samples},
        m_points(allocate_zeros<Points>(exec, "tessera::gbees::particles",
                                        static_cast<std::size_t>(m_division.own().size()))),
        m_log_weight(
            allocate_zeros<Numbers>(exec, "tessera::gbees::log_weight", m_points.extent(0))),
        m_done((m_points.extent(0) + detail::kChunk - 1) / detail::kChunk, 0) {
    for (std::size_t i = 0; i < std::min<std::size_t>(D, parameters.circles.size()); ++i) {
      m_circles.circle[i] = parameters.circles[i];
      m_circles.any = m_circles.any || !parameters.circles[i].is_line();
    }
    if (!m_circles.any) return;
    if (!detail::takes_circles<Dynamics>()) {
      throw Error(ErrorKind::input,
                  "gbees: these dynamics have no variables on circles: give them as equations");
    }
    if (parameters.kde_samples > 0) {
      throw Error(
          ErrorKind::input,
          "gbees: a kernel density estimate does not go round circles: take no kde_samples");
    }
  }

  void watch(const std::vector<RegionProgram>& programs) override {
    std::vector<detail::RegionFunction<D>> functions;
    std::vector<std::uint8_t> absorbs;
    for (const RegionProgram& program : programs) {
      m_region_programs.emplace_back(m_exec, "tessera::gbees::region_code", program.inside.program);
      const auto holds = m_region_programs.back().template functions<D + 1>(program.inside.program);
      functions.push_back(detail::make_region_function<D>(program.inside, holds));
      absorbs.push_back(program.absorbs ? 1 : 0);
    }
    m_region_functions = upload(m_exec, "tessera::gbees::regions", functions);
    m_absorbs_host = absorbs;
    m_absorbs = upload(m_exec, "tessera::gbees::region_absorbs", absorbs);
    m_absorbed =
        allocate_zeros<Flags>(m_exec, "tessera::gbees::absorbed_particles", m_points.extent(0));
    m_regions = {m_region_functions.data(), m_absorbs.data(), static_cast<int>(programs.size()),
                 m_absorbed.data()};
  }

  void draw(const ParticleStart<D>& start) override {
    using Source = detail::ParticleSource<D, Numbers>;
    const Source source{start, upload(m_exec, "tessera::gbees::initial_points", start.points),
                        upload(m_exec, "tessera::gbees::initial_weights", start.cumulative_weights),
                        upload(m_exec, "tessera::gbees::initial_roots", start.roots)};
    Kokkos::parallel_for(
        "tessera::gbees::draw_particles", range(m_points.extent(0)),
        detail::DrawParticles<D, Source, Points>{
            source, m_circles, random(detail::kStreamInitial), first(), m_points, {}});
    m_exec.fence();
    stop_at_signal();
    if (start.change)
      change_points([&](std::size_t, const Vector<D>& x) { return start.change(x); });
  }

  bool propagate(double from, double to) override {
    constexpr std::uint64_t kBatch = 64;  // steps that one kernel makes
    /// The steps of one kernel, of which `before` others precede those.
    struct Batch {
      double time, dt;
      std::uint64_t before, steps;
    };
    std::vector<Batch> batches;
    std::uint64_t steps = 0;
    for (const TimeSteps& part : divide_time(from, to, m_parameters.step, m_parameters.breaks)) {
      for (std::uint64_t done = 0; done < part.steps; done += kBatch) {
        batches.push_back({part.begin + static_cast<double>(done) * part.dt, part.dt, steps + done,
                           std::min(kBatch, part.steps - done)});
      }
      steps += part.steps;
    }
    detail::NoiseRoot<D> noise{};
    for (std::size_t i = 0; i < m_noise.size(); ++i)
      std::copy(m_noise[i].begin(), m_noise[i].end(), noise.row[i]);
    const bool goes_on =
        do_part(m_move_pace, batches.size(), [&](std::uint64_t number, const Range& particles) {
          const Batch& batch = batches[static_cast<std::size_t>(number)];
          Kokkos::parallel_for(
              "tessera::gbees::move_particles", particles,
              detail::MoveParticles<Dynamics, Points>{
                  m_dynamics, m_points, noise, !m_noise.empty() || detail::has_noise(m_dynamics),
                  random(detail::kStreamNoise), first(), batch.time, batch.dt,
                  m_steps + batch.before, static_cast<int>(batch.steps), m_regions, m_circles});
        });
    if (!goes_on) m_steps += steps;
    return goes_on;
  }

  bool observe(const std::vector<Observation>& observations, double time) override {
    return do_part(
        m_weigh_pace, observations.size(), [&](std::uint64_t number, const Range& particles) {
          const detail::LikelihoodData<D, ExecSpace> data(observations[number]);
          Kokkos::parallel_for("tessera::gbees::weigh_particles", particles,
                               detail::WeighParticles<D, Points, Numbers>{data.likelihood, m_points,
                                                                          m_log_weight, time});
          if (number == 0 && m_regions.count > 0) {
            Kokkos::parallel_for("tessera::gbees::leave_out_absorbed", particles,
                                 detail::LeaveOutAbsorbed<D, Numbers>{m_regions, m_log_weight});
          }
          m_exec.fence();  // before the data go
        });
  }

  void displace(const Displacement<D>& displacement) override {
    const Philox errors = random(detail::kStreamManeuvers);
    std::vector<std::uint8_t> absorbed(m_points.extent(0), 0);
    if (m_regions.count > 0) absorbed = download(m_exec, m_absorbed);
    change_points([&](std::size_t n, const Vector<D>& x) {
      if (absorbed[n] != 0) return x;
      double normal[D + 1];
      for (int i = 0; i < D; i += 2) {
        // a number of steps has one maneuver at most
        const std::uint64_t draw = m_steps * kMostPairs + static_cast<std::uint64_t>(i / 2);
        const NormalPair pair(errors.bits(first() + n, draw));
        normal[i] = pair.first;
        normal[i + 1] = pair.second;
      }
      Vector<D> moved = displacement.move(x, normal);
      m_circles.bring_in(moved);
      return moved;
    });
  }

  std::vector<double> weigh(const std::vector<Observation>& observations, double time) override {
    Ensemble now = ensemble();
    const std::vector<double> log_evidence = detail::weigh(now, observations, time);
    m_log_weight = now.log_weight;
    return log_evidence;
  }

  std::vector<double> assimilate(const std::vector<Observation>& observations,
                                 double time) override {
    if (m_circles.any)
      throw Error(ErrorKind::input, "gbees: an ensemble Kalman filter does not go round circles");
    Ensemble now = ensemble();
    // each number of steps has one update at most, of fewer than 2^14 measurements
    const std::uint64_t first_draw = m_steps << 16;
    const std::vector<double> log_evidence =
        detail::assimilate(now, observations, time, random(detail::kStreamErrors), first_draw);
    m_points = now.points;
    return log_evidence;
  }

  void resample_below(double share) override {
    Ensemble now = ensemble();
    if (!(detail::effective_number(now) < share * static_cast<double>(m_division.total))) return;
    detail::resample(now, Philox::uniform(random(detail::kStreamResampling).bits(0, m_steps), 0));
    m_points = now.points;
  }

  MonteCarloRecord summarize(const ComparisonGrid<D>& place, double time) const override;
  MonteCarloRecord compare_with(const CellList& density, const ComparisonGrid<D>& place, double cut,
                                double time) const override;

  GatheredParticles gather() const override {
    const parallel::Communicator& ranks = m_division.ranks;
    GatheredParticles all;
    all.points = ranks.gather(host_points(m_points.extent(0)));
    all.log_weight = ranks.gather(download(m_exec, m_log_weight));
    if (m_regions.count > 0) all.absorbed = ranks.gather(download(m_exec, m_absorbed));
    all.done = ranks.gather(m_done);
    return all;
  }

  void save(const io::Group& state, const GatheredParticles& all) const override {
    const io::Attributes plain;
    state.set_attribute("steps", m_steps);
    state.write("done", all.done, plain);
    state.write("points", all.points, io::Shape{m_division.total, D}, plain);
    state.write("log_weight", all.log_weight, plain);
    if (m_regions.count > 0) state.write("absorbed", all.absorbed, plain);
  }

  void load(const io::Group& state) override {
    const std::uint64_t samples = m_division.total;
    m_points = to_points(read_own(state, "points", {samples, D}));
    upload_to(m_exec, read_own(state, "log_weight", {samples}), m_log_weight);
    if (m_regions.count > 0) {
      const auto absorbed = state.read<std::uint8_t>("absorbed", {samples});
      copy_from_host(m_exec, m_absorbed.data(), absorbed.data() + first(), m_absorbed.extent(0));
    }
    m_steps = state.attribute<std::uint64_t>("steps");
    const auto done =
        state.read<std::uint32_t>("done", {(samples + detail::kChunk - 1) / detail::kChunk});
    std::copy_n(done.begin() + static_cast<std::ptrdiff_t>(first() / detail::kChunk), m_done.size(),
                m_done.begin());
  }

 private:
  using Ensemble = detail::Ensemble<ExecSpace, D>;
  using Points = typename Ensemble::Points;
  using Numbers = typename Ensemble::Numbers;
  using Flags = Kokkos::View<std::uint8_t*, ExecSpace>;
  static constexpr std::uint64_t kMostPairs = 16;  // of normal numbers for one point

  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>;

  Ensemble ensemble() const { return {m_exec, m_points, m_log_weight, m_division}; }

  /// Replaces each point by what a function of the host makes of its number and place.
  template <class Change>
  void change_points(const Change& change) {
    using HostRange = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>;
    constexpr std::size_t kBetweenSignals = 1 << 16;
    std::vector<double> points = host_points(m_points.extent(0));
    for (std::size_t begin = 0; begin < m_points.extent(0); begin += kBetweenSignals) {
      const std::size_t end = std::min<std::size_t>(begin + kBetweenSignals, m_points.extent(0));
      Kokkos::parallel_for("tessera::gbees::change_particles", HostRange(begin, end),
                           [&](std::size_t n) {
                             Vector<D> x;
                             std::copy_n(points.data() + n * D, D, &x[0]);
                             x = change(n, x);
                             std::copy_n(&x[0], D, points.data() + n * D);
                           });
      Kokkos::DefaultHostExecutionSpace().fence();
      stop_at_signal();
    }
    m_points = to_points(points);
  }

  /// The number of this rank's first particle.
  std::uint64_t first() const { return static_cast<std::uint64_t>(m_division.own().begin); }

  Philox random(detail::RandomStream stream) const {
    return seeded_philox(m_seed, m_parameters.stream + stream);
  }

  Range range(std::size_t end, std::size_t begin = 0) const {
    return {m_exec, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  /// A part of some work that goes over all particles a number of times, launch(time, particles):
  /// true while some of it is left on some rank. Where it is divided changes nothing, since each
  /// particle goes its own way. Chunks that are behind the others come first, so that work goes on
  /// from where ranks of any number have left it.
  template <class Launch>
  bool do_part(Pace& pace, std::uint64_t times, const Launch& launch) {
    logging::Region region("tessera::gbees::monte_carlo");
    const parallel::Communicator& ranks = m_division.ranks;
    const auto chunk_begin = [&](std::size_t chunk) {
      return std::min<std::size_t>(chunk * detail::kChunk, m_points.extent(0));
    };
    std::int64_t left = 0;
    bool is_sound = true;
    for (std::size_t chunk = 0; chunk < m_done.size(); ++chunk) {
      is_sound = is_sound && m_done[chunk] <= times;
      left += static_cast<std::int64_t>((times - m_done[chunk]) *
                                        (chunk_begin(chunk + 1) - chunk_begin(chunk)));
    }
    if (ranks.max(!is_sound) != 0) {
      throw Error(ErrorKind::file,
                  "the restart file has moved particles more often than the run does",
                  "start again");
    }
    const auto start = std::chrono::steady_clock::now();
    const std::int64_t wanted = left > 0 ? pace.next(left, detail::kChunk) : 0;
    std::int64_t taken = 0;
    while (taken < wanted) {
      const auto behind = std::min_element(m_done.begin(), m_done.end());
      const std::uint32_t time = *behind;
      const auto begin = static_cast<std::size_t>(behind - m_done.begin());
      const auto enough =
          begin + static_cast<std::size_t>((wanted - taken + detail::kChunk - 1) / detail::kChunk);
      std::size_t end = begin;
      while (end < m_done.size() && end < enough && m_done[end] == time) ++end;
      launch(time, range(chunk_begin(end), chunk_begin(begin)));
      std::fill(behind, m_done.begin() + static_cast<std::ptrdiff_t>(end), time + 1);
      taken += static_cast<std::int64_t>(chunk_begin(end) - chunk_begin(begin));
    }
    m_exec.fence();
    pace.took(taken,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    const bool goes_on = ranks.max(taken < left) != 0;
    if (!goes_on) std::fill(m_done.begin(), m_done.end(), 0);
    return goes_on;
  }

  /// This rank's part of a dataset that has this shape.
  std::vector<double> read_own(const io::Group& state, const std::string& name,
                               const io::Shape& shape) const {
    if (state.shape(name) != shape)
      throw state.misfit(name, "is not of " + std::to_string(shape[0]) + " particles");
    std::vector<std::uint64_t> start(shape.size(), 0), extent = shape;
    start[0] = first();
    extent[0] = m_points.extent(0);
    std::vector<double> values(extent[0] * (shape.size() > 1 ? shape[1] : 1));
    if (!values.empty()) io::read_box(state, name, start, extent, values.data());
    return values;
  }

  Points to_points(const std::vector<double>& rows) const {
    const std::size_t count = rows.size() / D;
    const auto points = allocate<Points>(m_exec, "tessera::gbees::points", count);
    std::vector<double> columns(rows.size());
    for (std::size_t n = 0; n < count; ++n) {
      for (std::size_t i = 0; i < D; ++i) columns[i * count + n] = rows[n * D + i];
    }
    copy_from_host(m_exec, points.data(), columns.data(), columns.size());
    return points;
  }

  /// The first `count` particles, row by row.
  std::vector<double> host_points(std::size_t count) const {
    constexpr std::size_t kPiece = 1 << 16;  // of a column, which stays in the cache
    std::vector<double> column(std::min(count, kPiece)), rows(count * D);
    for (std::size_t begin = 0; begin < count; begin += kPiece) {
      const std::size_t size = std::min(kPiece, count - begin);
      for (std::size_t i = 0; i < D; ++i) {
        copy_to_host(m_exec, column.data(), m_points.data() + i * m_points.extent(0) + begin, size);
        for (std::size_t n = 0; n < size; ++n) rows[(begin + n) * D + i] = column[n];
      }
    }
    return rows;
  }

  using Particles = detail::WeightedParticles<D, Points, Numbers>;

  template <class Term>
  std::array<double, Term::kSums> sum(const Term& term) const {
    return detail::sum_over_particles(m_exec, m_division.ranks,
                                      static_cast<std::uint32_t>(m_points.extent(0)), term);
  }

  MonteCarloRecord summarize(Particles& particles, double time) const;
  std::vector<CellEntry<std::uint64_t>> count_in_cells(const Particles& particles,
                                                       std::size_t cells_expected) const;
  CellList histogram(const Particles& particles, std::size_t cells_expected) const;
  std::vector<double> first_particles(std::size_t count, std::vector<double>& log_weight) const;
  Particles particles_on(const ComparisonGrid<D>& place) const;
  DensityDistance compare_with_kernels(const Particles& particles, const ComparisonGrid<D>& place,
                                       const linalg::Matrix& covariance, const CellList& density,
                                       double cut) const;

  ExecSpace m_exec;
  Dynamics m_dynamics;
  std::shared_ptr<const void> m_owner;
  linalg::Matrix m_noise;  // a root of it, or empty
  MonteCarloParameters m_parameters;
  std::uint64_t m_seed;
  detail::ParticleDivision m_division;
  Points m_points;  // of this rank, like the next and m_absorbed
  Numbers m_log_weight;
  std::vector<expression::LoadedProgram<ExecSpace>> m_region_programs;
  Kokkos::View<detail::RegionFunction<D>*, ExecSpace> m_region_functions;
  std::vector<std::uint8_t> m_absorbs_host;
  Flags m_absorbs, m_absorbed;
  detail::ParticleRegions<D> m_regions;
  detail::ParticleCircles<D> m_circles;
  std::uint64_t m_steps = 0;          // of every particle, since the start
  std::vector<std::uint32_t> m_done;  // how often do_part() has gone over each chunk
  Pace m_move_pace, m_weigh_pace;     // in times that a particle is moved, weighed
};

/// The particles in the coordinates of a grid.
template <class ExecSpace, class Dynamics>
auto MonteCarlo<ExecSpace, Dynamics>::particles_on(const ComparisonGrid<D>& place) const
    -> Particles {
  if (!place.is_elsewhere) return {m_points, m_log_weight, place.grid, m_regions};
  const Points mapped(
      Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::gbees::mapped_points"),
      m_points.extent(0));
  Kokkos::parallel_for("tessera::gbees::map_points", range(m_points.extent(0)),
                       detail::MapPoints<D, Points>{m_points, mapped, place.to_grid});
  return {mapped, m_log_weight, place.grid, m_regions};
}

template <class ExecSpace, class Dynamics>
MonteCarloRecord MonteCarlo<ExecSpace, Dynamics>::summarize(const ComparisonGrid<D>& place,
                                                            double time) const {
  Particles particles = particles_on(place);
  return summarize(particles, time);
}

/// Weights are shares of the sum of all, and then of the sum of those that are inside.
template <class ExecSpace, class Dynamics>
MonteCarloRecord MonteCarlo<ExecSpace, Dynamics>::summarize(Particles& particles,
                                                            double time) const {
  const Grid<D>& grid = particles.grid;
  Kokkos::parallel_reduce("tessera::gbees::largest_weight", range(m_log_weight.extent(0)),
                          detail::LargestWeight<Numbers>{m_log_weight},
                          Kokkos::Max<double>(particles.largest));
  particles.largest = detail::largest_of(m_division.ranks, particles.largest);
  particles.total = sum(detail::SumWeights<Particles>{particles})[0];

  MonteCarloRecord record;
  Particles in_state = particles;
  in_state.points = m_points;
  double absorbed = 0;
  for (int r = 0; r < m_regions.count; ++r) {
    record.regions.push_back(sum(detail::SumInRegion<Particles, D>{in_state, r, time})[0]);
    if (m_absorbs_host[static_cast<std::size_t>(r)]) absorbed += record.regions.back();
  }

  // Particles that are not finite any more take no part in the comparison.
  const auto moments = sum(detail::SumMoments<Particles, D>{particles});
  const double remaining = moments[1];
  if (!(remaining > 0))
    throw Error(ErrorKind::numerical,
                "no particle of the Monte Carlo comparison is finite any more");
  particles.total *= remaining;
  record.left = moments[0] < static_cast<double>(m_division.total)
                    ? std::max(1 - remaining - absorbed, 0.0)
                    : 0;
  record.effective_samples = remaining * remaining / moments[2];
  Vector<D> mean{};
  for (int i = 0; i < D; ++i) {
    const double sum = moments[static_cast<std::size_t>(3 + i)];
    mean[i] = sum / remaining;
    if (grid.is_circle(i)) {
      const Circle circle = grid.circle(i);
      const double angle = std::atan2(moments[static_cast<std::size_t>(3 + D + i)], sum);
      mean[i] = circle.bring_in(circle.period * angle / (2 * 3.14159265358979323846));
    }
    record.mean.push_back(grid.origin[i] + mean[i]);
  }
  const auto products = sum(detail::SumProducts<Particles, D>{particles, mean});
  record.covariance.resize(D * D);
  auto product = products.begin();
  for (std::size_t i = 0; i < D; ++i) {
    for (std::size_t j = i; j < D; ++j)
      record.covariance[i * D + j] = record.covariance[j * D + i] = *product++;
  }
  return record;
}

template <class ExecSpace, class Dynamics>
MonteCarloRecord MonteCarlo<ExecSpace, Dynamics>::compare_with(const CellList& density,
                                                               const ComparisonGrid<D>& place,
                                                               double cut, double time) const {
  logging::Region region("tessera::gbees::monte_carlo");
  const Grid<D>& grid = place.grid;
  Particles particles = particles_on(place);
  MonteCarloRecord record = summarize(particles, time);
  const parallel::Communicator& ranks = m_division.ranks;
  const CellList cells = bring_together(ranks, density),
                 histogram = this->histogram(particles, density.key.size());
  const DensityDistance distance = compare(cells, histogram, ranks);
  record.bhattacharyya = distance.bhattacharyya;
  record.l1 = distance.l1;
  record.coarsening = m_parameters.coarsen;
  for (const int factor : m_parameters.coarsen) {
    const DensityDistance coarse =
        compare(coarsen<D>(cells, factor, grid.offset, ranks),
                coarsen<D>(histogram, factor, grid.offset, ranks), ranks);
    record.bhattacharyya_coarse.push_back(coarse.bhattacharyya);
    record.l1_coarse.push_back(coarse.l1);
  }
  if (m_parameters.kde_samples > 0) {
    linalg::Matrix covariance;
    for (auto row = record.covariance.begin(); row != record.covariance.end(); row += D)
      covariance.emplace_back(row, row + D);
    const DensityDistance distance_of_estimate =
        compare_with_kernels(particles, place, covariance, density, cut);
    record.bhattacharyya_kde = distance_of_estimate.bhattacharyya;
    record.kullback_leibler_kde = distance_of_estimate.kullback_leibler;
  }
  if (m_parameters.keep > 0) {
    std::vector<double> log_weight;
    record.points = first_particles(m_parameters.keep, log_weight);
    for (const double logarithm : log_weight) record.weights.push_back(particles.share(logarithm));
  }
  return record;
}

/// The weight of this rank's particles in each cell. A map without room for their cells is made
/// larger.
template <class ExecSpace, class Dynamics>
std::vector<CellEntry<std::uint64_t>> MonteCarlo<ExecSpace, Dynamics>::count_in_cells(
    const Particles& particles, std::size_t cells_expected) const {
  using Device = typename Numbers::device_type;
  detail::Histogram<Device> histogram;
  std::uint64_t capacity = std::min<std::uint64_t>(4 * std::uint64_t(cells_expected) + 65536,
                                                   2 * m_points.extent(0) + 64);
  do {
    histogram.clear();
    histogram.rehash(static_cast<std::uint32_t>(std::min<std::uint64_t>(capacity, 3500000000u)));
    Kokkos::parallel_for("tessera::gbees::add_to_histogram", range(m_points.extent(0)),
                         detail::AddToHistogram<Particles, D, Device>{particles, histogram, {}});
    m_exec.fence();
    stop_at_signal();
    capacity *= 4;
  } while (histogram.failed_insert());
  const std::uint32_t count = histogram.size();
  using Words = Kokkos::View<std::uint64_t*, Device>;
  const detail::ListEntries<Device> list{
      histogram, allocate<Words>(m_exec, "tessera::gbees::histogram_keys", count),
      allocate<Words>(m_exec, "tessera::gbees::histogram_units", count)};
  Kokkos::parallel_scan("tessera::gbees::list_entries", range(histogram.capacity()), list);
  const auto key = download(m_exec, list.key);
  const auto units = download(m_exec, list.units);
  std::vector<CellEntry<std::uint64_t>> entries(count);
  for (std::uint32_t c = 0; c < count; ++c) entries[c] = {key[c], units[c]};
  return entries;
}

/// The weight of all particles in each cell, where bring_together has it.
template <class ExecSpace, class Dynamics>
CellList MonteCarlo<ExecSpace, Dynamics>::histogram(const Particles& particles,
                                                    std::size_t cells_expected) const {
  CellList list;
  for (const CellEntry<std::uint64_t>& cell :
       bring_together(m_division.ranks, count_in_cells(particles, cells_expected))) {
    list.key.push_back(cell.key);
    list.probability.push_back(static_cast<double>(cell.value) / detail::kHistogramUnits);
  }
  return list;
}

/// The first particles and their weights, on every rank.
template <class ExecSpace, class Dynamics>
std::vector<double> MonteCarlo<ExecSpace, Dynamics>::first_particles(
    std::size_t count, std::vector<double>& log_weight) const {
  const std::size_t before = std::min<std::size_t>(first(), count),
                    own = std::min<std::size_t>(m_points.extent(0), count - before);
  std::vector<double> own_weight(own);
  copy_to_host(m_exec, own_weight.data(), m_log_weight.data(), own);
  log_weight = m_division.ranks.all_gather(own_weight);
  return m_division.ranks.all_gather(host_points(own));
}

/// Compares the density with the first particles, by a kernel density estimate on the cells of a
/// probability of at least `cut`.
template <class ExecSpace, class Dynamics>
DensityDistance MonteCarlo<ExecSpace, Dynamics>::compare_with_kernels(
    const Particles& particles, const ComparisonGrid<D>& place, const linalg::Matrix& covariance,
    const CellList& density, double cut) const {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  constexpr DensityDistance kNone{kUnknown, kUnknown, kUnknown};
  const Grid<D>& grid = particles.grid;
  const CellList support = density.at_least(cut);
  const std::size_t chosen = std::min<std::size_t>(m_parameters.kde_samples, m_division.total);
  std::vector<double> log_weight, points, weights;
  const std::vector<double> all = first_particles(chosen, log_weight);
  for (std::size_t n = 0; n < chosen; ++n) {
    Vector<D> point;
    std::copy(all.data() + n * D, all.data() + (n + 1) * D, &point[0]);
    if (place.is_elsewhere) point = place.to_grid(point);
    const double* const x = &point[0];
    bool is_inside = true;
    for (int i = 0; i < D; ++i) {
      is_inside = is_inside && grid.is_inside(i, x[i] - grid.origin[i]);
    }
    if (!is_inside) continue;
    points.insert(points.end(), x, x + D);
    weights.push_back(particles.share(log_weight[n]));
  }
  const std::size_t samples = weights.size();
  if (samples == 0) return kNone;
  double squares = 0, sum = 0;
  for (const double weight : weights) {
    sum += weight;
    squares += weight * weight;
  }
  // Scott's factor with the effective number of samples; coordinates in which the kernel is a unit
  // Gaussian.
  const double factor = std::pow(sum * sum / squares, -1.0 / (D + 4));
  linalg::Matrix root;
  try {
    root = linalg::cholesky_factor(covariance);
  } catch (const Error&) {
    return kNone;  // the particles lie in a hyperplane
  }
  const auto whiten = [&](const double* x, double* z) {
    for (int i = 0; i < D; ++i) {
      double value = x[i] / factor;
      for (int j = 0; j < i; ++j)
        value -= root[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] * z[j];
      z[i] = value / root[static_cast<std::size_t>(i)][static_cast<std::size_t>(i)];
    }
  };
  std::vector<double> sample_z(samples * D), cell_z(support.key.size() * D);
  for (std::size_t n = 0; n < samples; ++n) whiten(points.data() + n * D, sample_z.data() + n * D);
  for (std::size_t c = 0; c < support.key.size(); ++c) {
    const Vector<D> x = grid.centre(support.key[c]);
    whiten(&x[0], cell_z.data() + c * D);
  }
  const Numbers weight = upload(m_exec, "tessera::gbees::kde_weight", weights);
  const auto estimate = allocate<Numbers>(m_exec, "tessera::gbees::kde", support.key.size());
  Kokkos::parallel_for("tessera::gbees::kde", range(support.key.size()),
                       detail::KernelDensity<D, Points, Numbers>{
                           to_points(cell_z), to_points(sample_z), weight, estimate, {}});
  const std::vector<double> density_of_samples = download(m_exec, estimate);
  stop_at_signal();
  return compare({support.key, density_of_samples}, support, m_division.ranks);
}

}  // namespace tessera::gbees

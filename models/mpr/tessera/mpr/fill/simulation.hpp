// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/mpr/chains/batch_means.hpp"
#include "tessera/mpr/chains/chains.hpp"
#include "tessera/mpr/chains/local_temperature.hpp"
#include "tessera/mpr/fill/estimator.hpp"
#include "tessera/mpr/fill/shared_draws.hpp"
#include "tessera/mpr/linear/gaussian_draws.hpp"

namespace tessera::mpr::detail {

/// Parts of a chain that tell the error of its mean.
inline constexpr int kBatchMeans = 4;

/// Simulates the missing sites with the model that an estimator found: by a chain, or by exact
/// draws of the Gaussian approximation. Results are angles.
template <class ExecSpace, class Real>
class Simulation {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  /// Keeps references to both.
  Simulation(const FillSetting<ExecSpace>& setting, const Estimator<ExecSpace, Real>& estimator)
      : m_setting(setting), m_estimator(estimator), m_samples(estimator.samples()) {}
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Does the same as GapFill::share_simulation.
  void share(const parallel::Communicator& ranks) { m_ranks = ranks; }
  /// Starts again with what the estimator found.
  void start() { m_samples.wants_draws() ? start_draws() : start_chains(); }
  /// Advances as GapFill::advance does.
  bool advance(int every);
  void restore(int sampling_done, int burn_in, double updates,
               const typename Chains<ExecSpace, Real>::Snapshot& snapshot);
  void restore(int draws_done, const std::vector<Real>& squares);

  bool uses_draws() const { return m_draws != nullptr; }
  /// The chains; only without draws.
  Chains<ExecSpace, Real>& chains() const { return *m_chains; }
  /// Null where the mean is solved.
  BatchMeans<ExecSpace, Real>* batch_means() const { return m_batch_means.get(); }
  /// Sums of squares over the draws so far, at the missing sites.
  const Array<Real>& squares() const { return m_squares; }
  void collect_draws() {
    if (m_shared_draws) m_shared_draws->collect(m_squares);
  }
  SiteRange sites_here() const {
    return m_chains ? m_chains->sites()
                    : SiteRange{0, static_cast<std::size_t>(m_setting.grid.sites())};
  }

  int planned_sweeps() const {
    return options().sampling_sweeps.value_or(std::max(25 + wide_sweeps(), options().least_sweeps));
  }
  int burn_in_sweeps() const { return m_burn_in; }
  int sampling_sweeps() const { return m_sampling; }  ///< or draws
  int sampling_done() const { return m_done; }
  bool burned_in() const { return m_burned_in; }
  double updates() const { return m_updates; }  ///< of all ranks
  int realisations() const { return m_draws ? m_drawn : options().replicas; }
  int first_realisation() const { return m_draws ? m_first_draw : m_done * options().replicas; }
  int draws_at_once() const { return m_draws->size(); }
  /// Independent draws or sweeps that standard deviations come from.
  int independent() const { return m_done * (m_draws ? 1 : options().replicas); }

  /// The mean of a chain, and variances; either may be empty. With draws the mean is that of the
  /// estimator.
  void moments(const Array<Real>& mean, const Array<Real>& variance) const;
  /// A realisation of the last batch; without sampling, of samples that are all equal, the mean.
  void realisation(int number, const Array<Real>& angle) const;
  /// Returns the factors of standard deviations, which vary over the sites.
  SpreadFactor<ExecSpace, Real> spread() const {
    return {m_samples.distance(), m_estimator.spread_factors(), Calibration::kFarthest + 1,
            m_setting.grid.sites() / m_setting.grid.nz, m_draws ? m_lengths : Array<Real>()};
  }

 private:
  const ExecSpace& exec() const { return m_setting.exec; }
  const Grid& grid() const { return m_setting.grid; }
  const FillOptions& options() const { return m_setting.options; }
  const FittedCouplings& couplings() const { return m_estimator.couplings(); }
  int wide_sweeps() const { return m_setting.wide_sweeps(m_samples.gaps()); }
  std::vector<double> temperatures_here() const {
    return m_setting.of_frames_here(temperatures(m_samples.reports()));
  }
  Array<double> temperatures_on_device() const {
    return upload(exec(), "tessera::mpr::temperatures", temperatures_here());
  }
  void start_draws();
  void start_chains();
  ChainSettings chain_settings() const;
  bool advance_draws();
  void burn_in();
  void note_batch();
  int longest_run() const;
  int end_of_batch(int every) const;
  Array<Real> local_lengths() const;

  const FillSetting<ExecSpace>& m_setting;
  const Estimator<ExecSpace, Real>& m_estimator;
  const MappedSamples<ExecSpace, Real>& m_samples;
  parallel::Communicator m_ranks;                           // that share one frame
  std::unique_ptr<Chains<ExecSpace, Real>> m_chains;        // either these
  std::unique_ptr<GaussianDraws<ExecSpace, Real>> m_draws;  // or these
  std::unique_ptr<SharedDraws<ExecSpace, Real>> m_shared_draws;
  // Null without chains whose mean is wanted
  std::unique_ptr<BatchMeans<ExecSpace, Real>> m_batch_means;
  Array<Real> m_squares, m_lengths;
  int m_burn_in = 0, m_sampling = 0, m_done = 0;
  int m_first_draw = 0, m_drawn = 0;  // of the last batch here
  bool m_burned_in = false;
  // updates of all chains of all ranks, and of each of their sweeps
  double m_updates = 0, m_chain_sites = 0;
};

template <class ExecSpace, class Real>
void Simulation<ExecSpace, Real>::start_draws() {
  const logging::Region region("tessera::mpr::start_draws");
  m_chains.reset();
  m_draws = GaussianDraws<ExecSpace, Real>::make(
      exec(), grid(), m_setting.frames, m_samples.status(), couplings().axis, couplings().beta,
      options().seed, m_setting.metrics(), m_setting.share);
  give_noise(m_samples, couplings(), *m_draws);
  if (options().part) {
    const Rim& rim = options().part->rim;
    m_draws->set_part(*options().part);
    if (!rim.draws.empty())
      m_draws->hold({upload(exec(), "tessera::mpr::held_sites", rim.sites),
                     upload(exec(), "tessera::mpr::held_draws",
                            std::vector<Real>(rim.draws.begin(), rim.draws.end()))});
  }
  m_shared_draws.reset();
  if (m_ranks.size() > 1)
    m_shared_draws =
        std::make_unique<SharedDraws<ExecSpace, Real>>(exec(), m_ranks, m_samples.status());
  m_squares = allocate_zeros<Array<Real>>(exec(), "tessera::mpr::squares", m_setting.sites());
  m_lengths = local_lengths();
  const int size = m_draws->size();
  m_sampling = m_samples.is_constant() ? 0 : (options().draws + size - 1) / size * size;
  m_burn_in = m_done = m_first_draw = m_drawn = 0;
  m_burned_in = true;
  m_updates = 0;
}

template <class ExecSpace, class Real>
void Simulation<ExecSpace, Real>::start_chains() {
  m_draws.reset();
  m_sampling = planned_sweeps();
  m_burn_in = options().burn_in_sweeps.value_or(10 + wide_sweeps());
  m_done = 0;
  m_burned_in = false;
  m_updates = 0;
  const std::vector<double> temperatures = temperatures_here();
  std::vector<double> step_controls;
  for (const double temperature : temperatures)
    step_controls.push_back(
        m_setting.step_control(couplings().axis, couplings().beta, temperature));
  const logging::Region region("tessera::mpr::start_chains");
  m_chains =
      std::make_unique<Chains<ExecSpace, Real>>(exec(), chain_settings(), m_samples.status());
  m_chains->start(m_samples.angles(), temperatures, options().seed, options().paper,
                  local_lengths());
  if (!options().paper) m_chains->set_step_control(step_controls);
  std::vector<std::uint64_t> sites{m_chains->missing()};
  m_setting.share.ranks.sum(sites);
  m_ranks.sum(sites);
  m_chain_sites = static_cast<double>(sites.front()) * options().replicas;
  m_batch_means.reset();
  if (options().paper && options().mean_error)
    m_batch_means = std::make_unique<BatchMeans<ExecSpace, Real>>(
        exec(), m_samples.status(), std::max(1, m_sampling / kBatchMeans));
}

template <class ExecSpace, class Real>
ChainSettings Simulation<ExecSpace, Real>::chain_settings() const {
  ChainSettings settings;
  settings.grid = grid();
  settings.frames = m_setting.frames;
  settings.replicas = options().replicas;
  settings.axis = couplings().axis.strength;
  settings.beta = couplings().beta;
  settings.metrics = m_setting.metrics();
  settings.local = options().local_temperature;
  settings.part = options().part;
  settings.share = m_setting.share;
  settings.slab_ranks = m_ranks;
  settings.sweeps = longest_run();
  settings.tile_rows = options().tile_rows;
  settings.published_reflection = options().published_reflection;
  return settings;
}

/// Sweeps of the longest chain that there can be.
template <class ExecSpace, class Real>
int Simulation<ExecSpace, Real>::longest_run() const {
  const int burn_in =
      options().burn_in_sweeps.value_or(static_cast<int>(options().burn_in.most) + 1 + kMostSweeps);
  return burn_in + m_sampling;
}

/// Roots of T / T_local of each site, from the differences of neighbouring samples in windows;
/// empty where one temperature serves all sites.
template <class ExecSpace, class Real>
auto Simulation<ExecSpace, Real>::local_lengths() const -> Array<Real> {
  if (!options().local_temperature) return {};
  const int window = options().window;
  const int columns = (grid().nx + window - 1) / window, rows = (grid().ny + window - 1) / window;
  const std::int64_t layers = static_cast<std::int64_t>(grid().nz) * m_setting.frames,
                     windows = layers * columns * rows;
  const Array<double> sum(Kokkos::view_alloc(exec(), "tessera::mpr::window_sum"), windows),
      count(Kokkos::view_alloc(exec(), "tessera::mpr::window_count"), windows);
  const Array<Real> lengths(Kokkos::view_alloc(exec(), "tessera::mpr::lengths"), m_setting.sites());
  Kokkos::parallel_for(
      "tessera::mpr::window_pairs", Range<ExecSpace>(exec(), 0, windows),
      WindowPairs<ExecSpace, Real>{grid(), window, columns, rows, m_samples.status(),
                                   m_samples.angles(), sum, count});
  for (int f = 0; f < m_setting.frames; ++f) {
    const double mean = std::max(1 + m_samples.report_here(f).sample_energy, 1e-12);
    Kokkos::parallel_for("tessera::mpr::local_lengths", Range<ExecSpace>(exec(), 0, grid().sites()),
                         LocalLengths<ExecSpace, Real>{grid(), window, columns, rows, mean, sum,
                                                       count, lengths, f * grid().sites()});
  }
  return lengths;
}

/// Adds what was sampled since the last part of the chain, if that is enough for another one.
template <class ExecSpace, class Real>
void Simulation<ExecSpace, Real>::note_batch() {
  if (!m_batch_means || !m_batch_means->ends_at(m_done, m_sampling) || m_chain_sites == 0) return;
  const auto mean = allocate<Array<Real>>(exec(), "tessera::mpr::mean_angle", m_setting.sites());
  if (m_chains->missing() > 0) m_chains->moments(mean, {});
  m_batch_means->add(m_done, mean);
}

template <class ExecSpace, class Real>
bool Simulation<ExecSpace, Real>::advance_draws() {
  const logging::Region region("tessera::mpr::draw");
  if (m_done == m_sampling) return false;
  const int size = m_draws->size(), left = (m_sampling - m_done) / size;
  const int packs = m_shared_draws ? std::min(m_shared_draws->ranks().size(), left) : 1;
  const int own = m_shared_draws ? m_shared_draws->ranks().rank() : 0;
  m_drawn = own < packs ? size : 0;
  m_first_draw = m_done + own * size;
  if (m_drawn > 0) m_draws->draw_pack(m_first_draw / size);
  if (m_shared_draws) {
    const auto squares =
        allocate_zeros<Array<Real>>(exec(), "tessera::mpr::squares_of_pack", m_squares.extent(0));
    if (m_drawn > 0) m_draws->add_squares(squares);
    m_shared_draws->add(packs, squares);
  } else {
    m_draws->add_squares(m_squares);
  }
  m_done += packs * size;
  return m_done < m_sampling;
}

/// The whole burn-in: as many sweeps as planned, or as Algorithm 2 of the paper takes.
template <class ExecSpace, class Real>
void Simulation<ExecSpace, Real>::burn_in() {
  const logging::Region region("tessera::mpr::burn_in");
  if (options().paper && !options().burn_in_sweeps) {
    m_chains->burn_in_until_settled(options().burn_in);
    if (m_setting.share.ranks.is_root())
      m_burn_in = static_cast<int>(m_chains->states().front().burn_in_sweeps);
    m_setting.share.ranks.broadcast(&m_burn_in, 1);
  } else {
    m_chains->burn_in(m_burn_in);
  }
  m_updates += m_chain_sites * m_burn_in;
  m_chains->begin_sampling(options().paper ? std::optional<double>(1) : std::nullopt);
  m_burned_in = true;
}

template <class ExecSpace, class Real>
bool Simulation<ExecSpace, Real>::advance(int every) {
  if (m_draws) return advance_draws();
  if (!m_burned_in) {
    burn_in();
    return m_sampling > 0;
  }
  const logging::Region region("tessera::mpr::sample");
  const int batch = end_of_batch(every) - m_done,
            now = compat::is_gpu_v<ExecSpace> ? batch : m_chains->next_load(batch);
  m_chains->sample(now, options().variance ? Moments::variance : Moments::mean,
                   options().estimator);
  m_done += now;
  m_updates += m_chain_sites * now;
  note_batch();
  return m_done < m_sampling;
}

/// Batches have the length of two loads, and begin again behind each multiple of `every`. Also a
/// run that is continued within a batch makes the same loads.
template <class ExecSpace, class Real>
int Simulation<ExecSpace, Real>::end_of_batch(int every) const {
  const int length = 2 * sweeps_per_load(couplings().beta != 0),
            first = every > 0 ? m_done / every * every : 0;
  const int end = std::min(m_sampling, first + ((m_done - first) / length + 1) * length);
  return every > 0 ? std::min(end, first + every) : end;
}

template <class ExecSpace, class Real>
void Simulation<ExecSpace, Real>::restore(
    int sampling_done, int burn_in, double updates,
    const typename Chains<ExecSpace, Real>::Snapshot& snapshot) {
  m_done = sampling_done;
  m_burn_in = burn_in;
  m_burned_in = true;
  m_updates = updates;
  m_chains->restore(snapshot);
}

template <class ExecSpace, class Real>
void Simulation<ExecSpace, Real>::restore(int draws_done, const std::vector<Real>& squares) {
  m_done = draws_done;
  upload_to(exec(), squares, m_squares);
  if (m_shared_draws) m_shared_draws->restore(squares);
}

template <class ExecSpace, class Real>
void Simulation<ExecSpace, Real>::moments(const Array<Real>& mean,
                                          const Array<Real>& variance) const {
  if (m_draws) {
    if (variance.extent(0) > 0)
      m_draws->variance(temperatures_on_device(), m_squares, std::max(m_done, 1), variance, {});
  } else if (m_chains->missing() > 0) {
    m_chains->moments(mean, variance);
  }
}

template <class ExecSpace, class Real>
void Simulation<ExecSpace, Real>::realisation(int number, const Array<Real>& angle) const {
  if (m_sampling == 0) {
    Kokkos::deep_copy(exec(), angle, m_samples.angles());
  } else if (m_draws) {
    m_draws->leave(number, temperatures_on_device(), m_samples.angles(), angle);
  } else if (m_chains->missing() > 0) {
    m_chains->angles(number, angle);
  }
}

}  // namespace tessera::mpr::detail

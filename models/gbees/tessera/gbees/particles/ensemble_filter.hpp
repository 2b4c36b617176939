// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tessera/gbees/particles/comparison_filter.hpp"
#include "tessera/gbees/particles/particle_ensemble.hpp"

namespace tessera::gbees {

/// The ensemble Kalman filter with perturbed measurements: particles of equal weights that
/// measurements move. Compared with a density as the Gaussian of its mean and covariance (divided
/// by the number of members).
template <int D>
class EnsembleKalmanFilter final : public ComparisonFilter<D> {
 public:
  /// Members that have been drawn already, or are loaded, by the same ranks.
  explicit EnsembleKalmanFilter(std::unique_ptr<ParticleEnsemble<D>> members,
                                const parallel::Communicator& ranks = {})
      : m_members(std::move(members)), m_ranks(ranks) {}

  bool propagate(double from, double to) override { return m_members->propagate(from, to); }

  std::vector<double> observe(const std::vector<Observation>& observations, double time) override {
    return m_members->assimilate(observations, time);
  }

  void displace(const Displacement<D>& displacement) override { m_members->displace(displacement); }

  FilterRecord compare_with(const CellList& density, const ComparisonGrid<D>& place,
                            double time) const override {
    const MonteCarloRecord members = m_members->summarize(place, time);
    Vector<D> mean;
    std::copy(members.mean.begin(), members.mean.end(), &mean[0]);
    linalg::Matrix covariance;
    for (auto row = members.covariance.begin(); row != members.covariance.end(); row += D)
      covariance.emplace_back(row, row + D);
    return {members.mean, members.covariance,
            bhattacharyya(density, place.grid, mean, covariance, m_ranks)};
  }

  GatheredParticles gather() const override { return m_members->gather(); }
  void save(const io::Group& state, const GatheredParticles& all) const override {
    m_members->save(state, all);
  }
  void load(const io::Group& state) override { m_members->load(state); }

 private:
  std::unique_ptr<ParticleEnsemble<D>> m_members;
  parallel::Communicator m_ranks;
};

/// The bootstrap particle filter (Gordon, Salmond, Smith, IEE Proc. F 140 (1993) 107): particles
/// that measurements weigh, resampled behind the record that follows where few of them count.
/// Compared with a density as a histogram on its cells.
template <int D>
class BootstrapFilter final : public ComparisonFilter<D> {
 public:
  /// `resample`: the share of effective particles below which they are resampled.
  BootstrapFilter(std::unique_ptr<ParticleEnsemble<D>> particles, double resample)
      : m_particles(std::move(particles)), m_resample(resample) {}

  bool propagate(double from, double to) override { return m_particles->propagate(from, to); }

  std::vector<double> observe(const std::vector<Observation>& observations, double time) override {
    return m_particles->weigh(observations, time);
  }

  void displace(const Displacement<D>& displacement) override {
    m_particles->displace(displacement);
  }

  void resample() override { m_particles->resample_below(m_resample); }

  FilterRecord compare_with(const CellList& density, const ComparisonGrid<D>& place,
                            double time) const override {
    const MonteCarloRecord particles = m_particles->compare_with(density, place, 0, time);
    return {particles.mean, particles.covariance, particles.bhattacharyya,
            particles.effective_samples};
  }

  GatheredParticles gather() const override { return m_particles->gather(); }
  void save(const io::Group& state, const GatheredParticles& all) const override {
    m_particles->save(state, all);
  }
  void load(const io::Group& state) override { m_particles->load(state); }

 private:
  std::unique_ptr<ParticleEnsemble<D>> m_particles;
  double m_resample;
};

}  // namespace tessera::gbees

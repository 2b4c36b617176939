// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "tessera/gbees/propagator/propagator.hpp"
#include "tessera/gbees/step/ranks_runner.hpp"

/// The prunes and the measurements of a propagator.

namespace tessera::gbees {

template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme, class Directory>
detail::PrunePhases<typename Propagator<ExecSpace, Dynamics, Real>::template Context<scheme>,
                    Directory>
Propagator<ExecSpace, Dynamics, Real>::prune_phases(const Directory& directory) const {
  return {context<scheme>(), directory, m_cells, m_prune_reductions.data()};
}

template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::prune() {
  logging::Region region("tessera::gbees::prune");
  std::vector<std::uint64_t> ranges;
  std::uint32_t kept = 0;
  if (m_halo.is_divided()) {
    if constexpr (!is_wide) {
      m_cells.with_shared_directory([&](auto& directory) {
        detail::RanksRunner run(m_exec, context<scheme>(), m_state, m_cells, directory,
                                m_sort_memory, m_halo, m_step_memory.data());
        detail::prune_cells(prune_phases<scheme>(directory), run);
        m_in_transit = run.received();
        ranges = run.ranges();
        kept = run.kept();
      });
    }
  } else {
    m_cells.with_directory([&](auto& directory) {
      detail::LaunchRunner run(m_exec, context<scheme>(), m_state, m_cells, directory,
                               m_sort_memory);
      detail::prune_cells(prune_phases<scheme>(directory), run);
      kept = run.kept();
    });
  }
  m_cells.swap_roles(m_exec);
  ++m_generation;
  detail::PruneReductions found;
  copy_to_host(m_exec, &found, m_prune_reductions.data(), 1);
  fetch_state();  // a velocity may have been found that is not finite
  detail::finish_prune(m_state, scheme, detail::is_time_varying(m_dynamics), kept, found);
  store_state();
  const bool moves_in_place = !m_halo.is_divided() && (m_state.stop & kStopNoRoom) == 0;
  if constexpr (!is_wide) {
    if (m_halo.is_divided()) put_in<scheme>(ranges);
  }
  if (m_state.stop & kStopNoRoom) enlarge();  // the directory has not taken every cell
  fail_if_stopped();
  if (!m_after_prune) return;
  m_knows_kept = moves_in_place;
  m_after_prune();
  m_knows_kept = false;
}

/// Throws Error (numerical) for a likelihood that is none on some cell.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::fail_for_likelihood(
    const detail::CellTerms<D>& terms, const Observation& observation) const {
  const detail::FirstInvalid<AnyContext> invalid{any_context(), terms};
  const auto key = least_over_cells<KeyWord>("tessera::gbees::invalid_likelihood", invalid);
  const Vector<D> x = m_grid.centre(key);
  const auto h = observation.h.template functions<D + 1>(observation.h.code.data());
  std::ostringstream values;
  for (std::size_t a = 0; a < observation.h.count(); ++a) {
    const double value = h(static_cast<int>(a), [&](int j) { return j < D ? x[j] : m_state.time; });
    // no number has no sign
    values << (a > 0 ? ", " : "") << (std::isnan(value) ? std::fabs(value) : value);
  }
  const bool is_missed = observation.kind == Observation::Kind::missed;
  const std::string subject = observation.has_values() ? "what was measured"
                              : is_missed              ? "the probability of a detection"
                                                       : "the likelihood";
  throw Error(ErrorKind::numerical,
              (observation.place.empty() ? "" : observation.place + ": ") + subject + " (" +
                  observation.description + ") is " + values.str() + " at " +
                  describe_location(key),
              observation.has_values() ? "make it a finite number wherever the density has cells, "
                                         "for example by max(..., 0) within a root"
              : is_missed              ? "keep it within 0 and 1 with min(..., 1) and max(..., 0)"
                          : "make it finite and not negative, for example by max(..., 0)");
}

/// Finds by what the cells within which the likelihood is sharp are multiplied, and completes the
/// extremes. Returns what is known of the posterior density within these cells; nothing where there
/// are none.
template <class ExecSpace, class Dynamics, class Real>
MeasurementUpdate Propagator<ExecSpace, Dynamics, Real>::find_factors(
    const detail::CellTerms<D>& terms, detail::LikelihoodExtremes<D>& found) {
  MeasurementUpdate update;
  if (found.sharp == 0) return update;
  refresh_ghosts();
  const AnyContext s = any_context();
  const double at_centres = std::min(found.least_distance, found.least_sharp);
  const double least = least_over_cells<double>(
      "tessera::gbees::likelihood_factors", detail::FindFactors<AnyContext>{s, terms, at_centres});
  found.least_distance = std::min(found.least_distance, least);
  if (!std::isfinite(found.least_distance)) return update;
  const auto middle =
      sum_over_cells<detail::Overview<D, KeyWord>>(detail::TakeOverview<AnyContext>{s}).max_key;
  const auto frame = index_frame(
      middle, detail::SumPosteriorDirections<AnyContext>{s, terms, found.least_distance});
  const Vector<D> origin = origin_of(frame);
  double mean[D];
  update.covariance.assign(D, std::vector<double>(D, 0.0));
  for (int i = 0; i < D; ++i) {
    const auto sums = sum_over_cells<detail::PosteriorMoments<D>>(
        detail::SumPosterior<AnyContext>{s, terms, found.least_distance, i, frame});
    const double mass = sums.mass.value();
    mean[i] = sums.first.value() / mass;
    update.mean.push_back(origin[i] + m_grid.spacing[i] * mean[i]);
    for (int j = i; j < D; ++j) {
      update.covariance[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] =
          sums.second[j].value() / mass;
    }
    update.within_cells = sums.sharp.value() / mass;
    update.doubt = sums.doubtful.value() / mass;
  }
  for (std::size_t i = 0; i < D; ++i) {
    for (std::size_t j = i; j < D; ++j) {
      const double about_mean = update.covariance[i][j] - mean[i] * mean[j];
      update.covariance[i][j] = update.covariance[j][i] =
          about_mean * m_grid.spacing[static_cast<int>(i)] * m_grid.spacing[static_cast<int>(j)];
    }
  }
  return update;
}

/// Multiplies the masses by the likelihood, in units of its peak or, where that would leave too
/// little to tell, so that the largest product is 1. Logarithm of their sum in units of the peak:
/// minus infinity or NaN where nothing is left. Deviation: the largest
/// |z_a - E h_a| / sqrt(Var h_a + R_aa) of the observation's quantities, before the update; NaN where there are none, or where one is not
/// finite on some cell.
template <class ExecSpace, class Dynamics, class Real>
MeasurementUpdate Propagator<ExecSpace, Dynamics, Real>::multiply_likelihood(
    const detail::CellTerms<D>& terms, const detail::LikelihoodExtremes<D>& found,
    const Observation& observation) {
  constexpr double kFar = 40, kLost = 1400;  // where the largest product is exp(-20) and exp(-700)
  const double least =
      found.least_distance > kFar && found.least_distance < kLost ? found.least_distance : 0;
  const AnyContext s = any_context();
  const int quantities = terms.likelihood.count;
  double deviation = quantities > 0 ? 0 : std::numeric_limits<double>::quiet_NaN(), product = 0;
  for (int a = 0; a < std::max(quantities, 1); ++a) {
    const double largest = found.largest_residual[a], unit = std::isfinite(largest) ? largest : 0;
    const auto sums = sum_over_cells<detail::UpdateSums>(
        detail::Observe<AnyContext>{s, terms, a, unit, a + 1 >= quantities, least});
    product = sums.product.value();
    if (!std::isfinite(largest)) deviation = std::numeric_limits<double>::quiet_NaN();
    if (!(unit > 0)) continue;
    const auto index = static_cast<std::size_t>(a);
    const double its_own = sums.deviation(unit, observation.covariance[index][index]);
    if (deviation < its_own) deviation = its_own;  // a NaN stays one
  }
  m_state.scale = 1 / product;
  MeasurementUpdate update;
  update.log_evidence = std::log(product) - 0.5 * least;
  update.deviation = deviation;
  return update;
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::observe(const std::vector<Observation>& observations,
                                                    std::vector<MeasurementUpdate>& updates) {
  logging::Region region("tessera::gbees::observe");
  store_state();
  updates.clear();
  for (const Observation& observation : observations) {
    const detail::LikelihoodData<D, ExecSpace> data(observation);
    detail::CellTerms<D> terms{data.likelihood};
    const auto free = m_cells.free_columns(m_state.parity);
    terms.log_factor = free.back();
    std::copy_n(free.begin(),
                std::min(free.size() - 1, static_cast<std::size_t>(data.likelihood.terms())),
                terms.kept);
    auto found = sum_over_cells<detail::LikelihoodExtremes<D>>(
        detail::FindExtremes<AnyContext>{any_context(), terms});
    if (found.least_distance == -std::numeric_limits<double>::infinity())
      fail_for_likelihood(terms, observation);
    MeasurementUpdate update = find_factors(terms, found);
    const MeasurementUpdate product = multiply_likelihood(terms, found, observation);
    if (!std::isfinite(product.log_evidence)) {
      std::ostringstream what;
      what << (observation.place.empty() ? "" : observation.place + ": ")
           << "the measurement at t = " << m_state.time << " (" << observation.description
           << ") leaves no probability: ";
      if (observation.has_values()) {
        what << "it lies " << product.deviation
             << " standard deviations off, and its likelihood underflows on every cell";
      } else {
        what << "its likelihood vanishes on every cell";
      }
      throw Error(ErrorKind::numerical, what.str(),
                  observation.has_values()
                      ? "check the measured value, raise its variance, or lower grid.threshold to "
                        "keep more of the tails"
                      : "check the likelihood, or lower grid.threshold to keep more of the tails");
    }
    update.log_evidence = product.log_evidence - std::log(m_state.mass) + data.log_peak;
    update.deviation = product.deviation;
    updates.push_back(std::move(update));
    m_state.mass = 1;
    store_state();
  }
  m_state.lost_mass = 0;
  m_state.segment_steps = 0;
  m_state.stop = 0;
  store_state();
  with_scheme([&](auto scheme) { prune<scheme()>(); });
}

}  // namespace tessera::gbees

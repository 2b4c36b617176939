// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sstream>

#include "tessera/gbees/detail/launch_runner.hpp"
#include "tessera/gbees/propagator.hpp"

/// How a propagator prunes its grid and takes measurements.

namespace tessera::gbees {

template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme, class Directory>
detail::PrunePhases<typename Propagator<ExecSpace, Dynamics, Real>::template Context<scheme>, Directory>
Propagator<ExecSpace, Dynamics, Real>::prune_phases(const Directory& directory) const {
  return {context<scheme>(), directory, m_cells, m_prune_reductions.data()};
}

template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::prune() {
  logging::Region region("tessera::gbees::prune");
  const std::uint32_t kept = m_cells.with_directory([&](auto& directory) {
    detail::LaunchRunner run(m_exec, context<scheme>(), m_state, m_cells, directory, m_sort_memory);
    detail::prune_cells(prune_phases<scheme>(directory), run);
    return run.kept();
  });
  m_cells.swap_roles(m_exec);
  detail::PruneReductions found;
  copy_to_host(m_exec, &found, m_prune_reductions.data(), 1);
  fetch_state();  // a velocity may have been found that is not finite
  detail::finish_prune(m_state, scheme, detail::is_time_varying(m_dynamics), kept, found);
  store_state();
  if (m_state.stop & kStopNoRoom) enlarge();  // the directory has not taken every cell
  fail_if_stopped();
}

template <class ExecSpace, class Dynamics, class Real>
double Propagator<ExecSpace, Dynamics, Real>::multiply_likelihood(const Observation& observation) {
  const detail::LikelihoodData<D, ExecSpace> data(observation);
  const double evidence = sum_over_cells<ExactSum>(detail::Observe<AnyContext>{any_context(), data.likelihood}).value();
  m_state.scale = 1;
  store_state();
  return evidence;
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::observe(const std::vector<Observation>& observations) {
  logging::Region region("tessera::gbees::observe");
  store_state();
  for (const Observation& observation : observations) {
    const double evidence = multiply_likelihood(observation);
    if (!(evidence > 0)) {
      std::ostringstream what;
      what << "the measurement at t = " << m_state.time << " (" << observation.description
           << ") leaves no probability: its likelihood underflows on every cell";
      throw Error(ErrorKind::numerical, what.str(),
                  "check the measured value, raise its variance, or lower grid.threshold to keep more of the tails");
    }
    m_state.scale = 1 / evidence;
  }
  m_state.mass = 1;
  m_state.lost_mass = 0;
  m_state.segment_steps = 0;
  m_state.stop = 0;
  store_state();
  with_scheme([&](auto scheme) { prune<scheme()>(); });
}

}  // namespace tessera::gbees

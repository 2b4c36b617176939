// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/thread_team.hpp"
#include "tessera/gbees/step/step.hpp"

namespace tessera::gbees::detail {

/// Makes steps with a team of CPU threads inside one parallel region. Loops are dealt out in
/// chunks, with work stealing.
template <class Context>
class ThreadTeamRunner {
 public:
  static constexpr bool kLinksInFluxes = false;
  using View = typename Context::View;

  /// `goes_on`: whether another step follows; shared by the threads, changes at the end of a step
  /// only.
  ThreadTeamRunner(ThreadTeam& team, const Context& s, std::uint32_t* goes_on)
      : m_team(team), m_s(s), m_goes_on(goes_on) {}

  bool goes_on() const { return *m_goes_on != 0; }

  void barrier(Written) const { m_team.barrier(); }

  bool has_new_cells() const { return m_s.state().allocated != m_s.state().cells; }

  template <class Growth>
  TESSERA_NOINLINE void grow(const Growth& grow) const {
    const View view = m_s.template view<LoopOver<Range::existing>>();
    std::uint32_t active = 0;
    PendingCells pending;
    for_chunks(view, [&](const Chunk& chunk) {
      for (std::uint64_t c = chunk.begin; c < chunk.end; ++c) {
        grow.grow_cell(view, static_cast<std::uint32_t>(c), active,
                       [&](const auto& cell) { pending.cell[pending.count++] = cell; });
        if (pending.count >= PendingCells::kMost) pending.assign_rows(grow, view);
      }
    });
    pending.assign_rows(grow, view);
    Kokkos::atomic_fetch_add(&m_s.reductions().active, active);
  }

  template <class Phase>
  void minimum(const Phase& phase) const {
    double shortest = kNoCrossing;
    reduce(phase, shortest);
    if (shortest < kNoCrossing) compat::atomic_min_positive(&m_s.reductions().cfl_time, shortest);
  }

  // A function of its own, or the compiler finds the step too long to put the bodies into their
  // loops, which are then no vector loops.
  template <class Phase>
  TESSERA_NOINLINE void for_each(const Phase& phase) const {
    const View view = m_s.template view<typename Phase::Loop>();
    for_chunks(view, [&](const Chunk& chunk) { for_chunk(phase, view, chunk); });
  }

  template <class Phases, class Phase>
  void for_each_linked(const Phases&, const Phase& phase) const {
    for_each(phase);
  }

  template <class Phase>
  void update(const Phase& phase) const {
    StepSums sums;
    reduce(phase, sums);
    sums.mass.add_to_shared(m_s.reductions().sums.mass);
    if constexpr (Context::scheme == Scheme::conservative)
      sums.lost.add_to_shared(m_s.reductions().sums.lost);
  }

  void finish(const FinishStep<Context>& finish) const {
    m_team.barrier([&] {
      finish();
      *m_goes_on = m_s.state().stop == 0 ? 1 : 0;
    });
  }

 private:
  /// Cells that a thread has inserted and that have no rows yet. They get them many at a time, for
  /// threads wait for each other where rows are counted.
  struct PendingCells {
    static constexpr std::uint32_t kMost = 256, kOfOneCell = 2 * Context::D * Context::D;
    NewCell<typename Context::KeyWord> cell[kMost + kOfOneCell];
    std::uint32_t count = 0;

    template <class Growth>
    void assign_rows(const Growth& grow, const View& view) {
      if (count == 0) return;
      const std::uint32_t before = grow.take_rows(count);
      for (std::uint32_t i = 0; i < count; ++i) grow.assign_row(view, cell[i], before + i + 1);
      count = 0;
    }
  };

  template <class Body>
  void for_chunks(const View& view, const Body& body) const {
    m_team.for_dynamic(
        [&](std::uint32_t owner) { return Chunks(view, owner, m_team.num_threads()); }, body);
  }

  template <class Phase, class Value>
  TESSERA_NOINLINE void reduce(const Phase& phase, Value& sum) const {
    const View view = m_s.template view<typename Phase::Loop>();
    Value local = sum;
    for_chunks(view, [&](const Chunk& chunk) { reduce_chunk(phase, view, chunk, local); });
    sum = local;
  }

  ThreadTeam& m_team;
  const Context& m_s;
  std::uint32_t* m_goes_on;
};

/// Makes up to `steps` steps in one parallel region.
template <class Phases>
struct ThreadTeamSteps {
  Phases phases;
  int steps;
  std::uint32_t* goes_on;

  void operator()(ThreadTeam& team) const {
    ThreadTeamRunner<typename Phases::Context> run(team, phases.grow.s, goes_on);
    for (int i = 0; i < steps && run.goes_on(); ++i) make_step(phases, run);
  }
};

}  // namespace tessera::gbees::detail

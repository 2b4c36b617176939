// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/crew.hpp"
#include "tessera/gbees/detail/flux.hpp"
#include "tessera/gbees/detail/grow.hpp"

namespace tessera::gbees::detail {

/// Up to `steps` steps on a CPU in one kernel: the bodies of a step, one after the other, with a meeting of the threads between them.
template <class State>
struct CrewSteps {
  using ExecSpace = typename State::ExecSpace;
  State s;
  Grow<State> grow;
  LinkNewCells<State> link;
  RefreshVelocities<State> refresh_velocities;
  HalfStep<State> half_step;
  FaceFlux<State> face_flux;
  LimitOutflow<State> limit_outflow;
  Update<State> update;
  FinishStep<State> finish;
  int steps;
  std::uint32_t* go_on;  ///< whether another step follows; changes only while all wait

  void operator()(Crew& crew) const {
    for (int i = 0; i < steps && *go_on != 0; ++i) step(crew);
  }

 private:
  /// Deals the loop over `now` out to the threads, in pieces.
  template <class Now, class DoPiece>
  static void share_pieces(Crew& crew, const Now& now, const DoPiece& do_piece) {
    crew.share([&](std::uint32_t owner) { return Pieces(now, owner, crew.size()); }, do_piece);
  }

  // Functions of their own, or the compiler finds the step too long to put the bodies into their loops, which are then no vector loops.
  template <class Body>
  TESSERA_NOINLINE static void share(Crew& crew, const Body& body) {
    const auto now = body.now();
    share_pieces(crew, now, [&](const Piece& piece) { each_of(body, now, piece); });
  }
  template <class Body, class Value>
  TESSERA_NOINLINE static void share(Crew& crew, const Body& body, Value& sum) {
    const auto now = body.now();
    Value local = sum;
    share_pieces(crew, now, [&](const Piece& piece) { reduce_of(body, now, piece, local); });
    sum = local;
  }

  TESSERA_NOINLINE void grow_cells(Crew& crew) const {
    const auto now = grow.now();
    std::uint32_t active = 0;
    typename Grow<State>::Made made;
    share_pieces(crew, now, [&](const Piece& piece) {
      for (std::uint64_t c = piece.begin; c < piece.end; ++c) grow(now, static_cast<std::uint32_t>(c), active, made);
    });
    grow.give_rows(now, made);
    Kokkos::atomic_fetch_add(&s.findings().active, active);
  }

  void step(Crew& crew) const {
    grow_cells(crew);
    crew.wait();
    if (s.control().allocated != s.control().cells) {
      find_shortest(crew, link);
      crew.wait();
    }
    if (s.time_varying()) {
      find_shortest(crew, refresh_velocities);
      crew.wait();
    }
    share(crew, half_step);
    crew.wait();
    share(crew, face_flux);
    crew.wait();
    if constexpr (State::scheme == Scheme::conservative) {
      share(crew, limit_outflow);
      crew.wait();
    }
    StepSums sums;
    share(crew, update, sums);
    sums.mass.add_to_shared(s.findings().sums.mass);
    if constexpr (State::scheme == Scheme::conservative) sums.lost.add_to_shared(s.findings().sums.lost);
    crew.wait([&] {
      finish(0);
      *go_on = s.control().stop == 0 ? 1 : 0;
    });
  }

  /// The smallest crossing time that a body finds goes to the findings.
  template <class Body>
  void find_shortest(Crew& crew, const Body& body) const {
    double shortest = kNoCrossing;
    share(crew, body, shortest);
    if (shortest < kNoCrossing) compat::atomic_min_positive(&s.findings().cfl_time, shortest);
  }
};

}  // namespace tessera::gbees::detail

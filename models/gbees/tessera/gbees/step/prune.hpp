// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/step/prune_phases.hpp"
#include "tessera/gbees/step/reductions.hpp"

/// The prune: cells below the threshold that receive no flux from an active cell are removed, and
/// the remaining rows are numbered again. Like a step it stands here once, and a runner does it
/// (tessera/gbees/step/step.hpp):
///
///     begin_prune(phases)      the marks and the directory are emptied, and the new numbers of all
///                              rows are none
///     for_each(phase)          a loop over the cells
///     sum(phase, total)        an exact sum over the cells
///     select(phases)           lists the rows to keep, in the order that they are to have
///     pack(phase)              moves the rows to keep, and sums them up
///     renumber_links(phases)   the links of the rows that were kept, and velocities that move with
///                              them
///     finish_prune(phases)     the state after it
///     barrier()

namespace tessera::gbees::detail {

/// The phases of a prune and the arrays that they use.
template <class Context_, class Directory>
struct PrunePhases {
  using Context = Context_;
  static constexpr bool kReference = Context::scheme == Scheme::reference;
  PruneReductions* reductions;  ///< in device memory
  MarkReceivers<Context> mark_receivers;
  SumCandidates<Context> sum_candidates, sum_removable;
  SelectKept<Context> select_kept;
  PackKept<Context, Directory> pack_kept;

  template <class CellArrays>
  PrunePhases(const Context& s, const Directory& directory, const CellArrays& cells,
              PruneReductions* reductions_)
      : reductions(reductions_),
        mark_receivers{s, cells.receives_flux},
        sum_candidates{s, cells.receives_flux, nullptr},
        sum_removable{s, cells.receives_flux, &reductions_->candidates},
        select_kept{s, cells.receives_flux, cells.kept, kReference ? reductions_ : nullptr},
        pack_kept{s, directory, cells.kept, cells.remap, cells.spare_key(), cells.spare_grown} {}
};

TESSERA_HOST_OR_DEVICE
template <class Phases, class Runner>
KOKKOS_FORCEINLINE_FUNCTION void prune_cells(const Phases& phases, Runner& run) {
  run.begin_prune(phases);
  run.barrier();
  run.for_each(phases.mark_receivers);
  run.barrier();
  run.sum(phases.sum_candidates, phases.reductions->candidates);
  run.barrier();
  if constexpr (Phases::kReference) {
    run.sum(phases.sum_removable, phases.reductions->removable);
    run.barrier();
  }
  run.select(phases);
  run.barrier();
  run.pack(phases.pack_kept, phases.reductions->kept);
  run.barrier();
  run.renumber_links(phases);
  run.finish_prune(phases);
}

}  // namespace tessera::gbees::detail

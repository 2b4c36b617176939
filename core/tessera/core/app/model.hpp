// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "tessera/core/log/progress.hpp"

namespace tessera {

namespace io {
class Group;
class ResultsFile;
}  // namespace io

/// "double" or "single".
template <class Real>
std::string precision_name() {
  return sizeof(Real) == sizeof(double) ? "double" : "single";
}

/// A computation that `run_app` drives: initialize (or load), advance until false, write.
///
/// Virtual on the host only; called once per batch of device work, never per element.
class Model {
 public:
  virtual ~Model() = default;

  /// Allocates and sets the initial state.
  virtual void initialize() = 0;

  /// Does one batch of work (an iteration, a sweep, some steps); false when nothing is left to do.
  virtual bool advance() = 0;

  /// Returns why this run cannot be divided among several ranks; empty: it can. Such a model makes
  /// every call but write and save on all of them at once, with the same results on each; those two
  /// happen on the root alone, and send no messages.
  virtual std::string indivisible() const { return "it works on one device"; }

  virtual Progress progress() const = 0;

  /// Precision of the numbers that the model holds: an attribute of results files. A run is
  /// continued in the same one.
  virtual std::string precision() const { return "double"; }

  /// The run in one line of figures, for the end of the run: "963 steps, 6512143 cell-steps, at
  /// most 19628 cells".
  virtual std::string summary() const = 0;

  /// Writes coordinates, results and series. Called once at the end, also after an interruption or
  /// a failure.
  virtual void write(io::ResultsFile& file) const = 0;

  /// Writes small files of its own beside the results file, which now has the name `results`.
  /// Called after `write`, on the root alone.
  virtual void write_beside(const std::string& results) const { static_cast<void>(results); }

  /// Returns whether the model can be interrupted and continued; then save and load are
  /// implemented.
  virtual bool restartable() const { return false; }

  /// Gathers what the root lacks for `save`. Called before it on all ranks.
  virtual void gather() {}

  /// Gathers what the root lacks for `write`. Called before it on all ranks, where there are
  /// several.
  virtual void gather_results() {}

  /// Writes everything `load` needs to continue with the same bits.
  virtual void save(io::Group& state) const { static_cast<void>(state); }

  /// Replaces `initialize` when a run is continued.
  virtual void load(const io::Group& state) { static_cast<void>(state); }
};

}  // namespace tessera

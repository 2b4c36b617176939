// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <mutex>
#include <optional>

#include "apps/python/calls/session.hpp"
#include "tessera/core/device/backend.hpp"
#include "tessera/core/log/progress.hpp"

namespace tessera::python {

/// A scope in which this thread computes: the interpreter's lock is free, and no other thread
/// computes, since a Kokkos backend serves one thread at a time.
class Computing {
 public:
  Computing();
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;

 private:
  pybind11::gil_scoped_release m_release;
  std::unique_lock<std::mutex> m_lock;
};

/// The choice whether work of more than two seconds shows its progress on stderr.
enum class ShowProgress { automatic, on, off };  ///< automatic: where stderr is a terminal

void show_progress(ShowProgress choice);
ShowProgress progress_choice();

/// Returns that choice as a ProgressReporter knows it, but for the two seconds
/// (show_long_work_only). The caller holds the interpreter's lock.
logging::ProgressMode progress_mode();

/// A watch between the parts of a call, with Computing: it raises what a signal has left behind,
/// KeyboardInterrupt above all, and shows the progress of the call.
class CallWatch {
 public:
  /// `unit`: the unit of what the call counts.
  explicit CallWatch(const char* unit = "values") : m_unit(unit) {}
  void operator()(std::size_t done, std::size_t of);

 private:
  const char* m_unit;
  std::optional<logging::ProgressReporter> m_reporter;  // of a call with parts
};

/// The backend that a call names, or the one in use for None. Arrays on a GPU are for 'cuda', which
/// is chosen for them; Error (input) where the call names another one.
Backend choose(pybind11::handle backend, bool on_device = false);

}  // namespace tessera::python

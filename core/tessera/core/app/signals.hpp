// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

namespace tessera {

/// A watch for signals: while it lives, SIGINT, SIGTERM and SIGUSR2 are noted instead of ending the
/// process. A second one of the same kind does what it did before, which is to end the process at
/// once unless a program that uses this library says otherwise. SIGXFSZ is ignored, so that a limit
/// on file sizes is met like a full disk, and SIGPIPE, so that a run goes on when the reader of its
/// messages has gone away. After the end of the watch all of them do what they did before. Only one
/// watch lives at a time.
class SignalWatch {
 public:
  /// `deferred`: `stop_at_signal` and StopFlag know nothing of signals; whoever holds the watch
  /// asks when it suits. For several processes that must all stop at the same place.
  explicit SignalWatch(bool deferred = false);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// The first signal received, or 0.
  int received() const;
};

/// Thrown where a long step of a run is given up for a signal. Not an exception of the standard: it
/// is no error.
struct Interrupted {
  int signal;
};

/// Ends the step of a run that is under way when a signal has been received: throws Interrupted.
/// For loops on the host that may take longer than a second; a model that is given up so must be
/// able to save and write what it had before the step. Without a SignalWatch it does nothing.
void stop_at_signal();

/// Returns the address of the number of the first signal received, which is 0 until there is one.
const volatile std::sig_atomic_t* signal_flag();

}  // namespace tessera

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera {

/// While it lives, SIGINT, SIGTERM and SIGUSR2 are noted instead of ending the process; a second one of the same kind ends it at once.
/// SIGXFSZ is ignored, so that a limit on file sizes is met like a full disk, and SIGPIPE, so that a run goes on when the reader of its
/// messages has gone away.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// The first signal received, or 0.
  int received() const;
};

}  // namespace tessera

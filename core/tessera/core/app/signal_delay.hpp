// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera {

/// While it lives, stop_at_signal() and StopFlag know nothing of signals that come: for a change
/// that must be made wholly or not at all, and takes less than a second. What came meanwhile is
/// known to them after it. Its constructor throws Interrupted where a signal has come before.
class SignalDelay {
 public:
  SignalDelay();
  ~SignalDelay();
  SignalDelay(const SignalDelay&) = delete;
  SignalDelay& operator=(const SignalDelay&) = delete;

 private:
  int m_before = 0;
};

}  // namespace tessera

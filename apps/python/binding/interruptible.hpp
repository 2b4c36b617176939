// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace tessera::python {

/// Does work that looks for signals itself (stop_at_signal), with Computing. Where it was given up
/// for one, or one has come, the signal is handed to Python, which raises KeyboardInterrupt for
/// SIGINT and ends the process for SIGTERM unless a handler says otherwise.
void compute_interruptibly(const std::function<void()>& work);

/// Hands a signal that work has noted in its own way to Python, and raises as compute_interruptibly
/// does.
void pass_on(int signal);

}  // namespace tessera::python

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace tessera {

/// The exit code of an executable: what `body` returns or, when it throws, the kind of the error,
/// which is reported on stderr.
int run_and_report_errors(const std::function<int()>& body);

/// Ends what was printed on the standard output: 0 when all of it has arrived; otherwise that is
/// reported on stderr.
int finish_output();

}  // namespace tessera

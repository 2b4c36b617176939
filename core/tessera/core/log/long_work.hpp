// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::logging {

/// Whether progress is shown only of work that takes more than two seconds, and nothing of shorter
/// work: for programs that do much of it. Like the level, this is one setting for the process.
void show_long_work_only(bool on);

}  // namespace tessera::logging

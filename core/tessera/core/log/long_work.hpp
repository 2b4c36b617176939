// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::logging {

/// Limits the progress that is shown to work that takes more than two seconds, if `on`: for
/// programs that do much shorter work. Like the level, this is one setting for the process.
void show_long_work_only(bool on);

}  // namespace tessera::logging

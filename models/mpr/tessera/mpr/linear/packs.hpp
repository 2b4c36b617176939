// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::mpr::detail {

/// Fields that solvers work on at a time: one, or a pack of draws. The library holds both compiled
/// (instances.hpp).
inline constexpr int kOne = 1, kPack = 8;

}  // namespace tessera::mpr::detail

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tessera/core/app/run_app.hpp"

namespace tessera {

/// Returns the number of elements, of `count`, that a model that goes through them block by block
/// takes at a time, with `bytes` on the device each: `most`, or what fits in `run.memory_limit` or
/// else in half of the memory there is, but no fewer than 1024.
inline std::size_t block_size(const RunSettings& settings, std::size_t count, std::size_t most,
                              std::size_t bytes) {
  const std::uint64_t memory =
      settings.memory_limit != 0 ? settings.memory_limit : available_memory(settings.backend) / 2;
  return std::min(
      {count, most, static_cast<std::size_t>(std::max<std::uint64_t>(1024, memory / bytes))});
}

}  // namespace tessera

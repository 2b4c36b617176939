// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::io {

/// Returns whether compressing an array (the bytes of its elements shuffled, then deflate) is
/// likely to save a fifth of it and more. Looks at some ten thousand elements: counts, for each
/// byte of an element, the entropy of its values and of their steps from element to element. The
/// last bytes of random numbers are noise, with which deflate takes longest and which does not
/// shrink.
bool is_compressible(const void* values, std::uint64_t size, std::size_t element_bytes);

}  // namespace tessera::io

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <new>
#include <utility>

#include "tessera/core/error.hpp"

namespace tessera {

/// Memory that could not be had. No Error, which would say that the computation stopped at a sound
/// state, and which is caught where a matrix may be singular. It becomes one in the end
/// (find_memory_error).
class MemoryError : public std::bad_alloc {
 public:
  /// `error`: of the kind `resource`.
  explicit MemoryError(Error error) : m_error(std::move(error)) {}
  const Error& error() const { return m_error; }
  const char* what() const noexcept override { return m_error.what(); }

 private:
  Error m_error;
};

}  // namespace tessera

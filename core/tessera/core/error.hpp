// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace tessera {

/// The kinds of errors, in the terms of the exit codes: the value is the code.
enum class ErrorKind : int {
  internal = 1,   ///< a fault of the program itself
  usage = 2,      ///< the command line
  input = 3,      ///< the input file
  file = 4,       ///< reading or writing files
  numerical = 5,  ///< non-finite values, no convergence, a capacity of the method
  resource = 6,   ///< device or memory
};

/// An error that the user can understand: what happened, where, and what to do about it.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& what, const std::string& remedy = {})
      : std::runtime_error(remedy.empty() ? what : what + "\n  remedy: " + remedy), m_kind(kind) {}

  ErrorKind kind() const noexcept { return m_kind; }
  int exit_code() const noexcept { return static_cast<int>(m_kind); }

 private:
  ErrorKind m_kind;
};

}  // namespace tessera

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/core/config/section.hpp"
#include "tessera/core/error.hpp"

namespace tessera::config {

/// Runs `work`, which reads what `key` of the section names, such as a file. An Error (input) that
/// it throws is recorded at that key; others are thrown on. Returns whether there was none.
template <class Work>
bool record_errors(Section& in, const std::string& key, const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    in.error(key, error.what());
    return false;
  }
}

}  // namespace tessera::config

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace tessera::bench {

/// Wall time of `work` on `exec`, from an idle device to an idle device, in seconds.
template <class ExecSpace, class Work>
double seconds(const ExecSpace& exec, const Work& work) {
  exec.fence();
  const auto start = std::chrono::steady_clock::now();
  work();
  exec.fence();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace tessera::bench

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera {

/// Tells a kernel on the host that a signal has been received, so that it returns early. Its
/// results are then of no use, and the host calls `stop_at_signal` behind it. On a GPU, where
/// kernels are short, it is never raised.
template <class ExecSpace>
class StopFlag {
 public:
  KOKKOS_INLINE_FUNCTION bool raised() const {
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      return false;
    } else {
      return *m_signal != 0;
    }
  }

 private:
  const volatile std::sig_atomic_t* m_signal = signal_flag();
};

}  // namespace tessera

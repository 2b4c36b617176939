// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::linalg {

/// Goes before calls of BLAS and LAPACK on the host: while it lives, BLAS has one thread for each
/// of its callers.
///
/// OpenBLAS takes a buffer of 128 MiB for each thread that calls it, and asks again without end
/// where it gets none. So the first call of a process, and the first by more threads than before,
/// looks whether there is room for them. Throws MemoryError where there is none.
class HostBlas {
 public:
  HostBlas();
  ~HostBlas();
  HostBlas(const HostBlas&) = delete;
  HostBlas& operator=(const HostBlas&) = delete;

  /// Requires buffers for `callers` threads; call it before they call BLAS at the same time.
  static void require_buffers(int callers);

 private:
  int m_threads;
};

/// Ends the use of BLAS at the end of a program, and returns the exit code. The threads that
/// OpenBLAS starts with a program ask for buffers of their own, and the end of a program waits for
/// them. Where there may have been no room the program ends here.
int end_host_blas(int exit_code);

}  // namespace tessera::linalg

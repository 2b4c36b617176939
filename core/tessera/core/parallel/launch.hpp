// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/core/parallel/communicator.hpp"

namespace tessera::parallel {

class MpiTransport;

/// The ranks of a program that was started by a launcher (mpirun, srun), for as long as it lives;
/// there is one at a time. A program that was started without one never starts MPI and is alone.
/// Where MPI runs already, all ranks of MPI_COMM_WORLD take part, and MPI is left running.
///
/// Ranks but the first say nothing meanwhile: see logging::hold_messages.
class Launch {
 public:
  /// Throws Error (usage) when a launcher has started several processes of a build without MPI.
  Launch();
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  const Communicator& ranks() const { return m_ranks; }

  /// Tells, on a rank that fails, whether all the others fail too within a few seconds. If not, the
  /// failure is this rank's own, and the others wait for it somewhere: all that is left to do is to
  /// end them (`abandon`).
  bool all_fail() const;

  /// Says what this rank has to say, in its name, and ends the program on all ranks with this exit
  /// code. Alone: returns.
  void abandon(int exit_code) const;

  /// The end of a rank's work: returns the exit code, unless it is a failure that the other ranks
  /// do not share.
  int conclude(int exit_code) const;

 private:
  std::shared_ptr<const MpiTransport> m_transport;  // none: alone
  Communicator m_ranks;
};

}  // namespace tessera::parallel

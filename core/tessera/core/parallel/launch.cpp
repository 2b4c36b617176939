// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/parallel/launch.hpp"

#include <cstdlib>
#include <optional>
#include <string>

#include "tessera/core/log/log.hpp"
#ifdef TESSERA_HAVE_MPI
#include "tessera/core/parallel/mpi_transport.hpp"
#endif

namespace tessera::parallel {

namespace {

/// Returns the number of processes that the launcher says it has started: Open MPI's, MPICH's and
/// Intel's, Slurm's. Returns nothing where none says so.
std::optional<int> launched_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (const char* size = std::getenv(name)) return std::atoi(size);
  }
  return {};
}

}  // namespace

#ifdef TESSERA_HAVE_MPI

namespace {

/// Tells whether a launcher started several processes. Launchers that speak PMIx may say no number.
/// A single process does without MPI, which may not know its launcher.
bool is_launched() {
  const std::optional<int> processes = launched_processes();
  return processes ? *processes > 1 : std::getenv("PMIX_RANK") != nullptr;
}

constexpr double kGrace = 5;  // seconds within which ranks that fail alike have all failed

}  // namespace

Launch::Launch() {
  if (!MpiTransport::is_running() && !is_launched()) return;
  m_transport = std::make_shared<const MpiTransport>();
  if (m_transport->size() == 1) return;
  m_ranks = Communicator(m_transport);
  if (!m_ranks.is_root()) logging::hold_messages(true);
}

Launch::~Launch() { logging::hold_messages(false); }

bool Launch::all_fail() const { return m_ranks.size() == 1 || m_transport->all_come(kGrace); }

void Launch::abandon(int exit_code) const {
  if (m_ranks.size() == 1) return;
  logging::release_messages("rank " + std::to_string(m_ranks.rank()) + ": ");
  m_transport->abort(exit_code);
}

int Launch::conclude(int exit_code) const {
  if (exit_code != 0 && !all_fail()) abandon(exit_code);
  return exit_code;
}

#else

Launch::Launch() {
  if (const int processes = launched_processes().value_or(1); processes > 1) {
    throw Error(ErrorKind::usage,
                "a launcher has started " + std::to_string(processes) +
                    " processes, and this build has no MPI",
                "build with MPI (TESSERA_ENABLE_MPI), or start one process");
  }
}

Launch::~Launch() = default;

bool Launch::all_fail() const { return true; }

void Launch::abandon(int) const {}

int Launch::conclude(int exit_code) const { return exit_code; }

#endif

}  // namespace tessera::parallel

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/parallel/mpi_transport.hpp"

#define OMPI_SKIP_MPICXX 1  // the C++ bindings of old: classes that would have to be linked
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"

namespace tessera::parallel {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLargest = std::size_t{1} << 30;  // bytes of a message: MPI counts in int
constexpr const char* kTimeout = "TESSERA_RANK_TIMEOUT";

double timeout() {
  const char* text = std::getenv(kTimeout);
  if (text == nullptr) return 1800;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(seconds > 0)) {
    throw Error(ErrorKind::usage, std::string(kTimeout) + "='" + text + "' is no number of seconds",
                "give a positive number, such as 3600");
  }
  return seconds;
}

/// False when the messages have not come in time. Waits busily at first, then asleep: a processor
/// that other ranks or programs need is theirs, and who has slept gets it back before them.
bool complete(MPI_Request* request, double seconds, double busy) {
  constexpr double kOften = 0.5;
  const Clock::time_point start = Clock::now();
  for (;;) {
    int done = 0;
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return true;
    const double waited = std::chrono::duration<double>(Clock::now() - start).count();
    if (waited > seconds) return false;
    if (waited > busy)
      std::this_thread::sleep_for(std::chrono::microseconds(waited > kOften ? 100 : 10));
  }
}

/// Returns for how long to wait busily, in seconds. Most messages take microseconds. Where the
/// ranks of a machine have two processors each, as with a GPU each, none of them is needed
/// elsewhere within a few milliseconds, and a sleep, which takes 60 us at least, may be longer than
/// the rest of the wait.
double busy_seconds() {
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int ranks = 1;
  MPI_Comm_size(machine, &ranks);
  MPI_Comm_free(&machine);
  return std::thread::hardware_concurrency() >= 2 * static_cast<unsigned>(ranks) ? 5e-3 : 50e-6;
}

/// Tells whether MPI is GPU-aware, as far as it can say so.
bool takes_cuda_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)  // Open MPI
  return MPIX_Query_cuda_support() != 0;
#elif defined(MPIX_GPU_SUPPORT_CUDA)  // MPICH from version 4 on
  int takes = 0;
  MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &takes);
  return takes != 0;
#else
  return false;
#endif
}

}  // namespace

struct MpiTransport::Communicators {
  MPI_Comm work = MPI_COMM_NULL, failures = MPI_COMM_NULL;
};

bool MpiTransport::is_running() {
  int running = 0;
  MPI_Initialized(&running);
  return running != 0;
}

MpiTransport::MpiTransport()
    : m_communicators(std::make_unique<Communicators>()), m_timeout(timeout()) {
  if (!is_running()) {
    // Where ranks share processors, Open MPI gives them up at each look for messages. complete()
    // sleeps instead.
    setenv("OMPI_MCA_mpi_yield_when_idle", "0", 0);
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    m_started = true;
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &m_communicators->work);
  MPI_Comm_dup(MPI_COMM_WORLD, &m_communicators->failures);
  MPI_Comm_rank(m_communicators->work, &m_rank);
  MPI_Comm_size(m_communicators->work, &m_size);
  m_busy = busy_seconds();
  m_takes_device_memory = takes_cuda_memory();
}

MpiTransport::~MpiTransport() {
  MPI_Comm_free(&m_communicators->work);
  MPI_Comm_free(&m_communicators->failures);
  if (m_started) MPI_Finalize();
}

void MpiTransport::wait(void* request) const {
  if (complete(static_cast<MPI_Request*>(request), m_timeout, m_busy)) return;
  logging::release_messages("rank " + std::to_string(m_rank) + ": ");
  logging::hold_messages(false);
  logging::error("rank " + std::to_string(m_rank) + " has waited " +
                 std::to_string(static_cast<long long>(m_timeout)) + " s" +
                 " for the others\n  remedy: look for a rank that has died or hangs; " + kTimeout +
                 " sets the seconds to wait");
  abort(static_cast<int>(ErrorKind::resource));
}

void MpiTransport::barrier() const {
  MPI_Request request;
  MPI_Ibarrier(m_communicators->work, &request);
  wait(&request);
}

void MpiTransport::broadcast(void* values, std::size_t bytes, int from) const {
  for (std::size_t begin = 0; begin < bytes; begin += kLargest) {
    MPI_Request request;
    MPI_Ibcast(static_cast<char*>(values) + begin,
               static_cast<int>(std::min(kLargest, bytes - begin)), MPI_BYTE, from,
               m_communicators->work, &request);
    wait(&request);
  }
}

void MpiTransport::all_gather(const void* own, void* all,
                              const std::vector<std::size_t>& bytes) const {
  std::vector<int> counts, offsets;
  std::size_t total = 0;
  for (const std::size_t count : bytes) total += count;
  if (total <= kLargest) {
    int offset = 0;
    for (const std::size_t count : bytes) {
      counts.push_back(static_cast<int>(count));
      offsets.push_back(offset);
      offset += static_cast<int>(count);
    }
    MPI_Request request;
    MPI_Iallgatherv(own, counts[static_cast<std::size_t>(m_rank)], MPI_BYTE, all, counts.data(),
                    offsets.data(), MPI_BYTE, m_communicators->work, &request);
    wait(&request);
    return;
  }
  char* to = static_cast<char*>(all);
  for (int rank = 0; rank < m_size; ++rank) {
    const std::size_t count = bytes[static_cast<std::size_t>(rank)];
    if (rank == m_rank) std::copy_n(static_cast<const char*>(own), count, to);
    broadcast(to, count, rank);
    to += count;
  }
}

void MpiTransport::bring(void* values, std::size_t bytes, int from) const {
  if (from == 0 || (m_rank != 0 && m_rank != from)) return;
  for (std::size_t begin = 0; begin < bytes; begin += kLargest) {
    MPI_Request request;
    char* const piece = static_cast<char*>(values) + begin;
    const int count = static_cast<int>(std::min(kLargest, bytes - begin));
    if (m_rank == 0) {
      MPI_Irecv(piece, count, MPI_BYTE, from, 0, m_communicators->work, &request);
    } else {
      MPI_Isend(piece, count, MPI_BYTE, 0, 0, m_communicators->work, &request);
    }
    wait(&request);
  }
}

std::int64_t MpiTransport::min(std::int64_t value) const { return reduce(Reduction::least, value); }

std::int64_t MpiTransport::max(std::int64_t value) const {
  return reduce(Reduction::largest, value);
}

std::int64_t MpiTransport::reduce(Reduction reduction, std::int64_t value) const {
  MPI_Request request;
  std::int64_t result = 0;
  MPI_Iallreduce(&value, &result, 1, MPI_INT64_T, reduction == Reduction::least ? MPI_MIN : MPI_MAX,
                 m_communicators->work, &request);
  wait(&request);
  return result;
}

void MpiTransport::sum(std::uint64_t* values, std::size_t count) const {
  constexpr std::size_t kMost = kLargest / sizeof(std::uint64_t);
  for (std::size_t begin = 0; begin < count; begin += kMost) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values + begin, static_cast<int>(std::min(kMost, count - begin)),
                   MPI_UINT64_T, MPI_SUM, m_communicators->work, &request);
    wait(&request);
  }
}

void MpiTransport::all_to_all(const std::int64_t* own, std::int64_t* from_all) const {
  MPI_Request request;
  MPI_Ialltoall(own, 1, MPI_INT64_T, from_all, 1, MPI_INT64_T, m_communicators->work, &request);
  wait(&request);
}

void MpiTransport::exchange(const std::vector<Message>& sent,
                            const std::vector<Message>& received) const {
  std::vector<MPI_Request> requests;
  const auto start = [&](const std::vector<Message>& messages, const auto& call) {
    for (const Message& message : messages) {
      for (std::size_t begin = 0; begin < message.bytes; begin += kLargest) {
        call(static_cast<char*>(message.data) + begin,
             static_cast<int>(std::min(kLargest, message.bytes - begin)), message.rank,
             &requests.emplace_back());
      }
    }
  };
  start(received, [&](void* data, int bytes, int rank, MPI_Request* request) {
    MPI_Irecv(data, bytes, MPI_BYTE, rank, 0, m_communicators->work, request);
  });
  start(sent, [&](const void* data, int bytes, int rank, MPI_Request* request) {
    MPI_Isend(data, bytes, MPI_BYTE, rank, 0, m_communicators->work, request);
  });
  for (MPI_Request& request : requests) wait(&request);
}

bool MpiTransport::all_come(double seconds) const {
  MPI_Request request;
  MPI_Ibarrier(m_communicators->failures, &request);
  return complete(&request, seconds, m_busy);
}

void MpiTransport::abort(int exit_code) const {
  MPI_Abort(m_communicators->work, exit_code);
  std::_Exit(exit_code);  // MPI_Abort does not promise that it does not return
}

}  // namespace tessera::parallel

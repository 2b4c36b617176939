// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/device/memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/backend.hpp"
#include "tessera/core/memory_error.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

constexpr std::size_t kTooMany = std::size_t{1} << 53;  // numbers, of 64 PiB

template <class Work>
std::string memory_error(const Work& work) {
  try {
    report_memory_errors("while it was tested", work);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    return error.what();
  }
  return "no error";
}

TEST(Memory, AnAllocationThatFailsIsAnErrorWithSizeAndLabel) {
  const auto device = [] {
    return allocate<Kokkos::View<double*, ExecSpace::memory_space>>(ExecSpace(), "tessera::numbers",
                                                                    kTooMany);
  };
  EXPECT_THAT(memory_error(device), HasSubstr("cannot allocate 72.1 PB for 'tessera::numbers'"));
  EXPECT_THAT(memory_error(device), HasSubstr("\n  remedy: make the problem smaller, or use a "));
  EXPECT_EQ(memory_error(
                [] { return Kokkos::View<double*, Kokkos::HostSpace>("tessera::host", kTooMany); }),
            "cannot allocate 72.1 PB for 'tessera::host'\n"
            "  remedy: make the problem smaller, or use a machine with more memory");
}

TEST(Memory, WhatTheStandardLibraryThrowsSaysWhen) {
  EXPECT_EQ(memory_error([] { throw std::bad_alloc(); }),
            "out of memory while it was tested\n  remedy: make the problem smaller, or use a "
            "machine with more memory");
  EXPECT_THAT(memory_error([] { std::vector<double>().reserve(kTooMany << 10); }),
              HasSubstr("while it was tested"));
}

TEST(Memory, AnErrorThatIsKnownPassesWhereErrorsAreCaught) {
  const auto factor = [] {
    try {
      throw MemoryError(Error(ErrorKind::resource, "no room", "raise the limit"));
    } catch (const Error&) {  // a matrix may be singular
    }
  };
  EXPECT_EQ(memory_error(factor), "no room\n  remedy: raise the limit");
}

TEST(Memory, MessagesOfEveryKokkos) {
  const auto text = [](const std::string& message) {
    const auto error = find_memory_error(std::runtime_error(message));
    return error ? std::string(error->what()) : "none";
  };
  EXPECT_THAT(
      text(
          "Kokkos failed to allocate memory for label \"tessera::x\".  Allocation using "
          "MemorySpace named \"Cuda\" failed with the following error:  Allocation of size 64 G "
          "failed, likely due to insufficient memory.  (The allocation mechanism was cudaMalloc(). "
          " The Cuda allocation returned the error code \"\"cudaErrorMemoryAllocation\".)\n\n"),
      HasSubstr("cannot allocate 68.7 GB for 'tessera::x' in the memory space Cuda\n"));
  EXPECT_THAT(
      text("Kokkos ERROR: Cuda memory space failed to allocate 1.5 MiB (label=\"tessera::x\")."),
      HasSubstr("cannot allocate 1.57 MB for 'tessera::x' in the memory space Cuda\n"));
  EXPECT_THAT(
      text("cudaStreamCreate(&stream) error( cudaErrorMemoryAllocation): out of memory file.cpp:1"),
      HasSubstr("cannot allocate memory in the memory space Cuda\n"));
  EXPECT_EQ(text("cudaDeviceSynchronize() error( cudaErrorIllegalAddress)"), "none");
  EXPECT_FALSE(find_memory_error(Error(ErrorKind::file, "out of memory")));
}

TEST(Memory, IsRequiredBeforeItIsUsed) {
  EXPECT_EQ(memory_error([] { require_host_memory(1e6, "the points", "take fewer"); }), "no error");
  if (host_memory_within_reach() > std::uint64_t{1} << 50)
    GTEST_SKIP() << "the system does not say how much memory there is";
  EXPECT_THAT(
      memory_error([] { require_host_memory(1e18, "the points", "take fewer"); }),
      MatchesRegex("the points need 1.00 EB of memory, and there are .*B\n  remedy: take fewer"));
}

/// Memory that is promised, and not there: none of it is used here.
TEST(Memory, MoreThanTheMachineHasIsRefusedBeforeItIsUsed) {
  using Array = Kokkos::View<char*, Kokkos::HostSpace>;
  constexpr std::size_t kEach = std::size_t{1} << 30;
  watch_memory();
  const auto allocate_all = [&] {
    std::vector<Array> arrays;
    for (std::uint64_t sum = 0; sum < 2 * host_memory_within_reach(); sum += kEach) {
      arrays.emplace_back(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::promised"),
                          kEach);
    }
  };
  if (host_memory_within_reach() > std::uint64_t{1} << 50)
    GTEST_SKIP() << "the system does not say how much memory there is";
  EXPECT_THAT(memory_error(allocate_all),
              HasSubstr("cannot allocate 1.07 GB for 'tessera::promised'\n"));
  const Array again("tessera::again", kEach >> 10);
  EXPECT_GE(again.extent(0), 1u);
}

}  // namespace
}  // namespace tessera::test

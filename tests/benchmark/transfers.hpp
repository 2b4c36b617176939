// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tests/benchmark/cases.hpp"
#include "tests/benchmark/timer.hpp"

/// Copies of 256 MiB between a GPU and host memory that is not pinned, by copy_from_host and
/// copy_to_host of tessera/core/device/arrays.hpp and by Kokkos.

namespace tessera::bench {

template <class ExecSpace>
struct Transfer {
  static constexpr std::size_t kBytes = std::size_t{256} << 20;
  using Host =
      Kokkos::View<unsigned char*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  ExecSpace exec;
  std::vector<unsigned char> memory = std::vector<unsigned char>(kBytes, 1);
  Host host{memory.data(), kBytes};
  Kokkos::View<unsigned char*, ExecSpace> device =
      allocate<Kokkos::View<unsigned char*, ExecSpace>>(exec, "tessera::bench::bytes", kBytes);
};

template <class ExecSpace>
void add_transfer(const std::string& name, const std::function<void(Transfer<ExecSpace>&)>& copy) {
  benchmark::RegisterBenchmark(
      name.c_str(),
      [copy](benchmark::State& state) {
        Transfer<ExecSpace> transfer;
        copy(transfer);
        for (auto _ : state)
          state.SetIterationTime(seconds(transfer.exec, [&] { copy(transfer); }));
        state.counters["bytes/s"] = benchmark::Counter(
            static_cast<double>(transfer.kBytes), benchmark::Counter::kIsIterationInvariantRate);
      })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

template <class ExecSpace>
void register_transfers(const std::string& backend) {
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    using Case = Transfer<ExecSpace>;
    add_transfer<ExecSpace>("transfer/in/copy_from_host/" + backend, [](Case& c) {
      copy_from_host(c.exec, c.device.data(), c.host.data(), c.kBytes);
    });
    add_transfer<ExecSpace>("transfer/in/deep_copy/" + backend,
                            [](Case& c) { Kokkos::deep_copy(c.exec, c.device, c.host); });
    add_transfer<ExecSpace>("transfer/out/copy_to_host/" + backend, [](Case& c) {
      copy_to_host(c.exec, c.host.data(), c.device.data(), c.kBytes);
    });
    add_transfer<ExecSpace>("transfer/out/deep_copy/" + backend,
                            [](Case& c) { Kokkos::deep_copy(c.exec, c.host, c.device); });
  }
}

}  // namespace tessera::bench

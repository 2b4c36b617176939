// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// tessera-bench [--benchmark_filter=REGEX] [--benchmark_out=FILE --benchmark_out_format=json]
// Prints a table; with --benchmark_out also writes JSON.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <memory>

#include "tessera/core/device/backend.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/version.hpp"
#include "tests/benchmark/cases.hpp"

namespace {

constexpr int kSkipped = 77;  // what CTest takes for "skipped"

template <class ExecSpace>
void register_all(tessera::Backend backend) {
  const std::string name = tessera::to_string(backend);
  benchmark::AddCustomContext("device_" + name, tessera::device_name(backend));
  tessera::bench::register_ceilings<ExecSpace>(name);
  tessera::bench::register_directory<ExecSpace>(name);
  tessera::bench::register_gbees<ExecSpace>(name);
  tessera::bench::register_boys<ExecSpace>(name);
  tessera::bench::register_mpr<ExecSpace>(name);
  tessera::bench::register_gp<ExecSpace>(name);
  tessera::bench::register_bessel<ExecSpace>(name);
  tessera::bench::register_stable<ExecSpace>(name);
}

void register_backends() {
  benchmark::AddCustomContext("tessera", std::string(tessera::build_info().version) + " " + tessera::build_info().git_commit);
  benchmark::AddCustomContext("compiler", tessera::build_info().compiler);
  benchmark::AddCustomContext("kokkos", tessera::build_info().kokkos_version);
#ifdef TESSERA_HAVE_SERIAL
  register_all<Kokkos::Serial>(tessera::Backend::serial);
#endif
#ifdef TESSERA_HAVE_OPENMP
  register_all<Kokkos::OpenMP>(tessera::Backend::openmp);
#endif
#ifdef TESSERA_HAVE_CUDA
  register_all<Kokkos::Cuda>(tessera::Backend::cuda);
#endif
}

/// Starts Kokkos; nothing where it cannot, for example without a device.
std::unique_ptr<Kokkos::ScopeGuard> start_kokkos(int& argc, char** argv) {
  try {
    return std::make_unique<Kokkos::ScopeGuard>(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "tessera-bench: Kokkos could not start: %s\n", failure.what());
    return nullptr;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto kokkos = start_kokkos(argc, argv);
  if (!kokkos) return kSkipped;
  try {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    register_backends();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "tessera-bench: %s\n", failure.what());
    return 1;
  }
  return 0;
}

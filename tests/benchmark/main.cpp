// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// tessera-bench [--benchmark_filter=REGEX] [--benchmark_out=FILE --benchmark_out_format=json]
// Prints a table; with --benchmark_out also writes JSON. mpirun -n N tessera-bench
// --benchmark_filter=^ranks/ runs what several ranks do together; the first prints.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/device/backend.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/parallel/device.hpp"
#include "tessera/core/parallel/launch.hpp"
#include "tessera/core/version.hpp"
#include "tests/benchmark/cases.hpp"

namespace {

constexpr int kSkipped = 77;  // what CTest takes for "skipped"

template <class ExecSpace>
void register_all(tessera::Backend backend) {
  const std::string name = tessera::to_string(backend);
  benchmark::AddCustomContext("device_" + name, tessera::device_name(backend));
  tessera::bench::register_ceilings<ExecSpace>(name);
  tessera::bench::register_transfers<ExecSpace>(name);
  tessera::bench::register_directory<ExecSpace>(name);
  tessera::bench::register_gbees<ExecSpace>(name);
  tessera::bench::register_boys<ExecSpace>(name);
  tessera::bench::register_mpr<ExecSpace>(name);
  tessera::bench::register_gp<ExecSpace>(name);
  tessera::bench::register_bessel<ExecSpace>(name);
  tessera::bench::register_stable<ExecSpace>(name);
  tessera::bench::register_ranks<ExecSpace>(name);
}

void register_backends() {
  benchmark::AddCustomContext("tessera", std::string(tessera::build_info().version) + " " +
                                             tessera::build_info().git_commit);
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

const tessera::parallel::Launch& launch() {
  static const tessera::parallel::Launch instance;
  return instance;
}

/// Starts Kokkos; nothing where it cannot, for example without a device.
std::unique_ptr<Kokkos::ScopeGuard> start_kokkos(std::vector<std::string>& arguments) {
  try {
    const tessera::Backend backend = tessera::choose_backend("auto");
    for (const std::string& argument :
         tessera::parallel::choose_device(launch().ranks(), backend, {}))
      arguments.push_back(argument);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    int count = static_cast<int>(pointers.size());
    pointers.push_back(nullptr);
    auto guard = std::make_unique<Kokkos::ScopeGuard>(count, pointers.data());
    arguments = {pointers.begin(), pointers.begin() + count};  // Kokkos takes out what it knows
    return guard;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "tessera-bench: Kokkos could not start: %s\n", failure.what());
    return nullptr;
  }
}

/// The reporter of all ranks but the first: it writes nothing.
class Silence final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

void run_benchmarks() {
  if (launch().ranks().is_root()) {
    benchmark::RunSpecifiedBenchmarks();
  } else {
    Silence silence;
    benchmark::RunSpecifiedBenchmarks(&silence);
  }
}

}  // namespace

const tessera::parallel::Communicator& tessera::bench::ranks() { return launch().ranks(); }

void tessera::bench::fail_together(const std::string& why) {
  if (launch().all_fail()) return;
  tessera::logging::error(why);
  launch().abandon(1);
}

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv, argv + argc);
  const auto kokkos = start_kokkos(arguments);
  if (!kokkos) return kSkipped;
  try {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    argc = static_cast<int>(pointers.size());
    pointers.push_back(nullptr);
    benchmark::Initialize(&argc, pointers.data());
    if (benchmark::ReportUnrecognizedArguments(argc, pointers.data())) return 2;
    register_backends();
    run_benchmarks();
    benchmark::Shutdown();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "tessera-bench: %s\n", failure.what());
    return 1;
  }
  return 0;
}

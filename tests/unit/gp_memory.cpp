// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The memory that Vecchia's approximation says it takes, beside what Kokkos then allocates.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/device/memory.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;
using test::normals;

constexpr std::int64_t kPoints = 60000, kTargets = 50000;
constexpr int kNeighbours = 40, kColumns = 2;

/// The largest number of bytes held at one time so far in the memory that kernels use.
std::uint64_t peak() {
  for (const auto& [space, bytes] : peak_memory()) {
    if (space == ExecSpace::memory_space::name()) return bytes;
  }
  return 0;
}

VecchiaOptions options() { return test::vecchia_options(kNeighbours); }

/// 8 bytes a neighbour for its weight at least.
TEST(GpMemory, WeightsOfSimulationsAndDrawsCount) {
  const std::uint64_t alone = vecchia_solver_bytes(kPoints, kColumns, options());
  for (const int ranks : {1, 4}) {
    VecchiaOptions simulates = options(), draws = options();
    simulates.simulated = 3;
    draws.targets = kTargets;
    draws.draws = 2;
    const std::uint64_t more = vecchia_solver_bytes(kPoints, kColumns, simulates, ranks);
    EXPECT_GT(more,
              vecchia_solver_bytes(kPoints, kColumns, options(), ranks) + 8 * kNeighbours * kPoints)
        << ranks;
    EXPECT_GT(
        vecchia_solver_bytes(kPoints, kColumns, draws, ranks),
        vecchia_solver_bytes(kPoints, kColumns, options(), ranks) + 8 * kNeighbours * kTargets)
        << ranks;
    draws.simulated = 3;
    EXPECT_LE(vecchia_solver_bytes(kPoints, kColumns, draws, ranks),
              more + (4 * kNeighbours + 300) * kTargets)
        << "not at one time";
  }
  VecchiaOptions predicts = options();
  predicts.targets = kTargets;
  EXPECT_GT(vecchia_solver_bytes(kPoints, kColumns, predicts), alone + 4 * kNeighbours * kTargets);
}

/// The steps come in this order since peaks only rise. On a GPU the workspace of the kernel with a
/// thread a point comes on top.
TEST(GpMemory, IsWhatKokkosAllocates) {
  if (compat::is_gpu_v<ExecSpace>)
    GTEST_SKIP() << "the workspace of a GPU's kernels depends on the device";
  watch_memory();
  const CovarianceModel model;
  const Theta theta{1.3, 0.05, 0.8};
  const Points points = test::random_points(model, kPoints, 81),
               targets = test::random_points(model, kTargets, 82);
  VecchiaSolver<ExecSpace> solver(ExecSpace(), model, points, options());
  solver.set_data(normals(kPoints, 83), {});
  VecchiaOptions asked = options();
  const auto expect_estimate = [&](const std::string& what, int times) {
    const std::uint64_t estimate = vecchia_solver_bytes(kPoints, kColumns, asked), found = peak();
    EXPECT_LE(found, estimate) << what;
    EXPECT_GT(times * found, estimate) << what;
  };
  ASSERT_TRUE(solver.evaluate(theta, true, true).valid);
  expect_estimate("likelihood", 6);  // which on a GPU has a larger launch
  asked.simulated = 3;
  solver.simulate(theta, normals(3 * kPoints, 84), {});
  expect_estimate("simulation", 3);
  asked = options();
  asked.targets = kTargets;
  asked.draws = 2;
  DrawOptions draws;
  draws.count = 2;
  draws.normals = normals(2 * kTargets, 85);
  solver.predict(theta, targets, {}, draws);
  expect_estimate("draws", 3);
}

}  // namespace

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Batched library calls work on the execution-space instance that they are given, wait for nothing,
// and name their kernels and Views.
#include "tests/harness/kokkos_events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/bessel/batch.hpp"
#include "tessera/bessel/matern.hpp"
#include "tessera/bessel/matern_matrix.hpp"
#include "tessera/boys/batch.hpp"
#include "tessera/gbees/instances.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/mpr/instances.hpp"
#include "tessera/stable/law/batch.hpp"
#include "tests/harness/exec_space.hpp"

namespace {

using namespace tessera;
using test::ExecSpace;
using test::KokkosEvent;
using test::record_events;
using Array = Kokkos::View<double*, ExecSpace>;

constexpr int kCount = 1000;

/// An instance that is not the default one, where Kokkos has such.
ExecSpace other_instance() {
#if KOKKOS_VERSION >= 40000
  return Kokkos::Experimental::partition_space(ExecSpace(), 1)[0];
#else
  return ExecSpace();
#endif
}

Array filled(const std::string& label, double value) {
  const Array array(label, kCount);
  Kokkos::deep_copy(array, value);
  return array;
}

/// The use of memory that a call is allowed: none, or scratch memory that it gives back.
enum class Memory { untouched, scratch };

/// Checks what a batched call asks of Kokkos.
void expect_good_manners(const ExecSpace& exec, Memory memory, const std::function<void()>& call) {
  const std::vector<KokkosEvent> events = record_events(call);
  int kernels = 0;
  for (const KokkosEvent& event : events) {
    const bool allowed = memory == Memory::scratch && test::is_deallocation_fence(event);
    EXPECT_FALSE(test::is_global_fence(event) && !allowed) << event.label;
    if (!event.is_kernel()) continue;
    ++kernels;
    EXPECT_EQ(event.instance, test::instance_id(exec)) << event.label;
  }
  EXPECT_GT(kernels, 0);
  EXPECT_THAT(test::foreign_labels(events), testing::IsEmpty());
  exec.fence();
}

void expect_good_manners(const ExecSpace& exec, const std::function<void()>& call) {
  expect_good_manners(exec, Memory::untouched, call);
}

struct Nothing {
  KOKKOS_INLINE_FUNCTION void operator()(int) const {}
};

struct NoSum {
  KOKKOS_INLINE_FUNCTION void operator()(int, double&) const {}
};

TEST(KokkosEvents, KernelsAndViewsAreRecorded) {
  const ExecSpace exec = other_instance();
  double sum = 0;
  const auto events = record_events([&] {
    const Array view(Kokkos::view_alloc("tessera::view", Kokkos::WithoutInitializing), 3);
    Kokkos::parallel_for("tessera::loop", Kokkos::RangePolicy<ExecSpace>(exec, 0, 3), Nothing{});
    Kokkos::parallel_reduce("nameless", Kokkos::RangePolicy<ExecSpace>(exec, 0, 3), NoSum{}, sum);
  });
  const auto count = [&](KokkosEvent::Kind kind, const std::string& label) {
    return std::count_if(events.begin(), events.end(),
                         [&](const KokkosEvent& e) { return e.kind == kind && e.label == label; });
  };
  EXPECT_EQ(count(KokkosEvent::Kind::allocation, "tessera::view"), 1);
  EXPECT_EQ(count(KokkosEvent::Kind::parallel_for, "tessera::loop"), 1);
  EXPECT_EQ(count(KokkosEvent::Kind::parallel_reduce, "nameless"), 1);
  EXPECT_THAT(test::foreign_labels(events), testing::ElementsAre("nameless"));
  EXPECT_TRUE(record_events([] {}).empty());
}

TEST(KokkosEvents, GlobalFencesAreTold) {
  if (!test::fences_are_reported()) GTEST_SKIP() << "this Kokkos reports no fences";
  const auto global_fences = [](const std::function<void()>& work) {
    const auto events = record_events(work);
    return std::count_if(events.begin(), events.end(), test::is_global_fence);
  };
  const ExecSpace exec = other_instance();
  const Array a("tessera::a", 3), b("tessera::b", 3);
  EXPECT_GT(global_fences([] { Kokkos::fence(); }), 0);
  EXPECT_GT(global_fences([&] { Kokkos::deep_copy(a, b); }), 0);
  EXPECT_EQ(global_fences([&] { exec.fence(); }), 0);
  EXPECT_EQ(global_fences([&] { Kokkos::deep_copy(exec, a, b); }), 0);
}

TEST(BatchedCalls, BesselFunctions) {
  const ExecSpace exec = other_instance();
  const Array x = filled("tessera::x", 2.0), nu = filled("tessera::nu", 0.426);
  bessel::BesselResults<Array> results;
  results.log_k = Array("tessera::log_k", kCount);
  results.dlog_k_dnu = Array("tessera::dlog_k_dnu", kCount);
  expect_good_manners(exec, [&] { bessel::bessel_k(exec, 0.426, x, results); });
  expect_good_manners(exec, [&] { bessel::bessel_k(exec, nu, x, results); });
}

TEST(BatchedCalls, MaternCorrelations) {
  const ExecSpace exec = other_instance();
  const bessel::MaternTable<ExecSpace> table(exec, 1.5);
  const Array distance = filled("tessera::distance", 0.3),
              correlation("tessera::correlation", kCount);
  expect_good_manners(exec, [&] { bessel::matern(exec, table, distance, correlation); });
  const Kokkos::View<double* [2], Kokkos::LayoutLeft, ExecSpace> points("tessera::points", 50);
  const Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> covariance("tessera::covariance", 50,
                                                                         50);
  expect_good_manners(exec,
                      [&] { bessel::matern_matrix(exec, table, 2.0, 0.3, points, covariance); });
}

TEST(BatchedCalls, BoysFunctions) {
  const ExecSpace exec = other_instance();
  const Array x = filled("tessera::x", 3.5);
  const Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> columns("tessera::F", kCount, 9);
  const Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> rows("tessera::F", kCount, 9);
  const Kokkos::View<std::int32_t*, ExecSpace> order("tessera::order", kCount);
  expect_good_manners(exec, [&] { boys::boys_batch(exec, 8, x, columns); });
  expect_good_manners(exec, [&] { boys::boys_batch(exec, 8, x, rows); });
  expect_good_manners(exec, [&] { boys::boys_batch_binned(exec, 8, x, columns, order); });
}

TEST(BatchedCalls, StableDensities) {
  const ExecSpace exec = other_instance();
  const Kokkos::View<const double*, ExecSpace> x = filled("tessera::x", 0.7);
  stable::EvaluationViews<ExecSpace> out;
  out.pdf = Array("tessera::pdf", kCount);
  stable::EvaluationScratch<ExecSpace> scratch;
  const auto call = [&] { stable::evaluate_batch<ExecSpace>(exec, 1.5, 0.5, {}, x, out, scratch); };
  call();  // the first call takes the scratch memory
  expect_good_manners(exec, call);
}

/// A grid of side x side points whose coordinates are not multiples of each other.
gp::Points grid_points(int side) {
  gp::Points points{{{}, {}}, {}};
  for (int i = 0; i < side * side; ++i) {
    points.coordinate[0].push_back((i % side + 0.3 * std::sin(7.0 * i)) / side);
    points.coordinate[1].push_back((i / side + 0.3 * std::cos(5.0 * i)) / side);
  }
  return points;
}

TEST(BatchedCalls, GpLikelihood) {
  const ExecSpace exec = other_instance();
  const gp::Points points = grid_points(8);
  const gp::Theta theta{1.0, 0.1, 0.8}, other{1.2, 0.15, 0.6};  // sigma2, beta, nu
  gp::ExactSolver<ExecSpace> solver(exec, gp::CovarianceModel{}, points);
  std::vector<double> values;
  for (std::size_t i = 0; i < points.size(); ++i)
    values.push_back(std::sin(3.0 * static_cast<double>(i)));
  solver.set_data(values, gp::trend(gp::Mean::constant, points, points));
  expect_good_manners(exec, Memory::scratch,
                      [&] { EXPECT_TRUE(solver.evaluate(other, false).valid); });
  expect_good_manners(exec, Memory::scratch,
                      [&] { EXPECT_TRUE(solver.evaluate(theta, true).valid); });
}

/// Samples of a wave; three sites of ten are missing.
struct MakeImage {
  mpr::Grid grid;
  Kokkos::View<float*, ExecSpace> values;
  Kokkos::View<std::uint8_t*, ExecSpace> status;
  KOKKOS_INLINE_FUNCTION void operator()(int site) const {
    const int x = site % grid.nx, y = site / grid.nx;
    values(site) =
        static_cast<float>(20 + 3 * compat::math::sin(0.1 * x) + compat::math::cos(0.2 * y));
    status(site) = (7 * x + 3 * y) % 10 < 3 ? mpr::kMissing : mpr::kSample;
  }
};

TEST(BatchedCalls, MprFill) {
  const ExecSpace exec = other_instance();
  const mpr::Grid grid{48, 40};
  const auto sites = static_cast<std::size_t>(grid.sites());
  const Kokkos::View<float*, ExecSpace> values("tessera::values", sites),
      mean("tessera::mean", sites), deviation("tessera::sd", sites);
  const Kokkos::View<std::uint8_t*, ExecSpace> status("tessera::status", sites);
  Kokkos::parallel_for("tessera::make_image",
                       Kokkos::RangePolicy<ExecSpace>(exec, 0, static_cast<int>(sites)),
                       MakeImage{grid, values, status});
  mpr::FillOptions options;
  options.seed = 1;
  mpr::GapFill<ExecSpace, float> fill(exec, grid, 1, options);
  expect_good_manners(exec, Memory::scratch, [&] { fill.prepare(values, status); });
  const auto sweep = [&] {
    while (fill.advance()) {
    }
  };
  expect_good_manners(exec, Memory::scratch, sweep);
  expect_good_manners(exec, Memory::scratch, [&] { fill.moments(mean, deviation); });
}

TEST(BatchedCalls, GbeesRun) {
  const ExecSpace exec = other_instance();
  const gbees::Grid<3> grid{{{-11.5, -10.0, 9.5}}, {{0.5, 0.5, 0.5}}};
  const gbees::Gaussian<3> initial({{-11.5, -10.0, 9.5}},
                                   {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}});
  gbees::PropagatorOptions options;
  // Kokkos::UnorderedMap works on the default instance and fences it
  options.directory = gbees::DirectoryKind::flat_map;
  gbees::Propagator<ExecSpace, gbees::Lorenz63> density(exec, gbees::Lorenz63{4, 1, 48}, grid,
                                                        options);
  density.initialize(initial);
  density.begin_interval(0.02);
  const auto step = [&] {
    while (density.advance()) {
    }
  };
  expect_good_manners(exec, Memory::scratch, step);
  expect_good_manners(exec, Memory::scratch, [&] { density.observe({{2, 9.0, 1.0}}); });
  EXPECT_GT(density.state().steps, 0u);
}

}  // namespace

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Batched library calls work on the execution-space instance that they are given, wait for nothing, and name their kernels and Views.
#include "tests/harness/kokkos_events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/bessel/batch.hpp"
#include "tessera/bessel/matern.hpp"
#include "tessera/bessel/matern_matrix.hpp"
#include "tessera/boys/batch.hpp"
#include "tessera/stable/batch.hpp"
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

/// Checks what a batched call asks of Kokkos.
void expect_good_manners(const ExecSpace& exec, const std::function<void()>& call) {
  const std::vector<KokkosEvent> events = record_events(call);
  int kernels = 0;
  for (const KokkosEvent& event : events) {
    EXPECT_FALSE(test::is_global_fence(event)) << event.label;
    if (!event.is_kernel()) continue;
    ++kernels;
    EXPECT_EQ(event.instance, test::instance_id(exec)) << event.label;
  }
  EXPECT_GT(kernels, 0);
  EXPECT_THAT(test::foreign_labels(events), testing::IsEmpty());
  exec.fence();
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
    return std::count_if(events.begin(), events.end(), [&](const KokkosEvent& e) { return e.kind == kind && e.label == label; });
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
  const Array distance = filled("tessera::distance", 0.3), correlation("tessera::correlation", kCount);
  expect_good_manners(exec, [&] { bessel::matern(exec, table, distance, correlation); });
  const Kokkos::View<double* [2], Kokkos::LayoutLeft, ExecSpace> points("tessera::points", 50);
  const Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> covariance("tessera::covariance", 50, 50);
  expect_good_manners(exec, [&] { bessel::matern_matrix(exec, table, 2.0, 0.3, points, covariance); });
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

}  // namespace

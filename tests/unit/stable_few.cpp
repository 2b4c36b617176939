// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Few points, which a GPU evaluates by one kernel, and many, which it orders first: the library
// gives them the same bits.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tessera/stable/instances.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/stable_data.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using View = Kokkos::View<double*, Exec>;

/// Points on contours of every kind, next to alpha = 1, at |beta| = 1, far out, and without a
/// distribution.
struct Points {
  std::vector<double> alpha, beta, x;

  explicit Points(std::size_t n) {
    std::mt19937_64 random(12);
    std::uniform_real_distribution<double> uniform;
    for (std::size_t i = 0; i < n; ++i) {
      alpha.push_back(i % 3 == 0 ? 1 + 0.1 * (uniform(random) - 0.5) : 0.1 + 1.9 * uniform(random));
      beta.push_back(i % 5 == 0 ? (i % 2 == 0 ? 1 : -1) : 2 * uniform(random) - 1);
      x.push_back(i % 101 == 0 ? (i % 2 == 0 ? NAN : 1e200)
                               : std::tan(kPi * (uniform(random) - 0.5)));
      if (i % 97 == 0) alpha.back() = 1;
      if (i % 89 == 0) alpha.back() = 3;
      if (i % 83 == 0) x.back() = 0;
    }
  }
};

struct Values {
  std::vector<double> pdf, log_pdf, cdf, sf, log_cdf, log_sf;
};

Values to_host(const EvaluationViews<Exec>& out) {
  return {test::to_host(out.pdf), test::to_host(out.log_pdf), test::to_host(out.cdf),
          test::to_host(out.sf),  test::to_host(out.log_cdf), test::to_host(out.log_sf)};
}

EvaluationViews<Exec> make_results(std::size_t n) {
  EvaluationViews<Exec> out;
  out.pdf = View("pdf", n);
  out.log_pdf = View("log_pdf", n);
  out.cdf = View("cdf", n);
  out.sf = View("sf", n);
  out.log_cdf = View("log_cdf", n);
  out.log_sf = View("log_sf", n);
  return out;
}

View part(const std::vector<double>& values, std::size_t first, std::size_t count) {
  return test::to_device<Exec>({values.begin() + static_cast<std::ptrdiff_t>(first),
                                values.begin() + static_cast<std::ptrdiff_t>(first + count)});
}

void expect_same_bits(const std::vector<double>& few, const std::vector<double>& many,
                      std::size_t first, const char* what) {
  std::size_t different = 0;
  for (std::size_t i = 0; i < few.size(); ++i) {
    const double a = few[i], b = many[first + i];
    different += a == b || (std::isnan(a) && std::isnan(b)) ? 0 : 1;
  }
  EXPECT_EQ(different, 0u) << "of " << few.size() << " " << what;
}

TEST(StableFew, HaveTheBitsOfManyWithADistributionEach) {
  const std::size_t n = 3 * detail::kFewPoints;
  const Points all(n);
  EvaluationScratch<Exec> scratch;
  const EvaluationViews<Exec> out = make_results(n);
  evaluate_batch<Exec>(Exec(), part(all.alpha, 0, n), part(all.beta, 0, n), {}, part(all.x, 0, n),
                       out, scratch);
  const Values many = to_host(out);
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{33}, std::size_t{detail::kFewPoints}}) {
    const EvaluationViews<Exec> own = make_results(count);
    evaluate_batch<Exec>(Exec(), part(all.alpha, 7, count), part(all.beta, 7, count), {},
                         part(all.x, 7, count), own, scratch);
    const Values few = to_host(own);
    expect_same_bits(few.pdf, many.pdf, 7, "densities");
    expect_same_bits(few.log_pdf, many.log_pdf, 7, "logarithms of densities");
    expect_same_bits(few.cdf, many.cdf, 7, "distribution functions");
    expect_same_bits(few.sf, many.sf, 7, "tails");
    expect_same_bits(few.log_cdf, many.log_cdf, 7, "logarithms of distribution functions");
    expect_same_bits(few.log_sf, many.log_sf, 7, "logarithms of tails");
  }
}

TEST(StableFew, HaveTheBitsOfManyWhereDensitiesAloneAreWanted) {
  const std::size_t n = 2 * detail::kFewPoints, count = 700;
  const Points all(n);
  EvaluationScratch<Exec> scratch;
  EvaluationViews<Exec> out, own;
  out.pdf = View("pdf", n), out.log_pdf = View("log_pdf", n);
  own.pdf = View("pdf", count), own.log_pdf = View("log_pdf", count);
  evaluate_batch<Exec>(Exec(), part(all.alpha, 0, n), part(all.beta, 0, n), {}, part(all.x, 0, n),
                       out, scratch);
  evaluate_batch<Exec>(Exec(), part(all.alpha, 7, count), part(all.beta, 7, count), {},
                       part(all.x, 7, count), own, scratch);
  expect_same_bits(test::to_host(own.pdf), test::to_host(out.pdf), 7, "densities");
  expect_same_bits(test::to_host(own.log_pdf), test::to_host(out.log_pdf), 7,
                   "logarithms of densities");
}

TEST(StableFew, HaveTheBitsOfManyOfOneDistribution) {
  const std::size_t n = 2 * detail::kFewPoints, few = 500;
  const Points all(n);
  EvaluationScratch<Exec> scratch;
  for (const auto& [alpha, beta] :
       {std::pair{1.4, 0.3}, std::pair{1.0, 0.9}, std::pair{0.5, -1.0}, std::pair{2.0, 0.0}}) {
    const LocationScale where{1.7, -0.3, Parameterization::S1};
    const EvaluationViews<Exec> out = make_results(n), own = make_results(few);
    evaluate_batch<Exec>(Exec(), alpha, beta, where, part(all.x, 0, n), out, scratch);
    evaluate_batch<Exec>(Exec(), alpha, beta, where, part(all.x, 0, few), own, scratch);
    const Values found = to_host(own), many = to_host(out);
    expect_same_bits(found.log_pdf, many.log_pdf, 0, "logarithms of densities");
    expect_same_bits(found.sf, many.sf, 0, "tails");
    expect_same_bits(found.log_sf, many.log_sf, 0, "logarithms of tails");
  }
}

/// The kernel itself, also where evaluate_batch takes another; there a warp is one thread, that
/// adds the nodes as always.
TEST(StableFew, KernelAgreesWithTheFunction) {
  const std::size_t n = 600;
  const Points all(n);
  const EvaluationViews<Exec> out = make_results(n);
  const View alpha = part(all.alpha, 0, n), beta = part(all.beta, 0, n), x = part(all.x, 0, n);
  if constexpr (compat::is_gpu_v<Exec>) {
    evaluate_batch<Exec>(Exec(), alpha, beta, {}, x, out);
  } else {
    const auto points = detail::pointwise_distribution_points<Exec>(alpha, beta, {}, x, out);
    detail::evaluate_few_points<Quantities::sf>(Exec(), static_cast<std::int64_t>(n), points);
  }
  const Values found = to_host(out);
  for (std::size_t i = 0; i < n; ++i) {
    if (all.alpha[i] > 2 || std::isnan(all.x[i])) {
      EXPECT_TRUE(std::isnan(found.log_pdf[i])) << i;
      continue;
    }
    const Evaluation exact =
        evaluate<Quantities::sf>(StableDistribution(all.alpha[i], all.beta[i]), all.x[i]);
    if (std::isfinite(exact.log_pdf)) {
      EXPECT_NEAR(found.log_pdf[i], exact.log_pdf, 1e-11 * (1 + std::fabs(exact.log_pdf))) << i;
    } else {
      EXPECT_EQ(found.log_pdf[i], exact.log_pdf) << i;
    }
    EXPECT_NEAR(found.sf[i], exact.sf, 1e-13) << i;
  }
}

}  // namespace
}  // namespace tessera::stable

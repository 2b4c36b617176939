// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Laws of observations that are not Gaussian, against derivatives with 80 digits (tests/data/gp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/csv.hpp"
#include "tessera/gp/latent/families.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/paths.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;

struct Case {
  Response response;
  double y, f;
};

struct Evaluate {
  Kokkos::View<Case*, ExecSpace> cases;
  Kokkos::View<ResponseSlopes*, ExecSpace> result;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    result(i) = cases(i).response.slopes(cases(i).y, cases(i).f);
  }
};

TEST(GpFamilies, Derivatives) {
  const io::Table table = io::read_csv(std::string(test::kDataDirectory) + "/gp/families.csv");
  const auto column = [&](const char* name) { return table.column(name); };
  const std::vector<double> family = column("family"), a = column("a"), b = column("b"),
                            y = column("y"), f = column("f"), value = column("value"),
                            slope = column("slope"), weight = column("weight"),
                            weight_slope = column("weight_slope");
  std::vector<Case> cases;
  for (std::size_t i = 0; i < table.rows(); ++i)
    cases.push_back(
        {{static_cast<ResponseFamily>(static_cast<int>(family[i])), a[i], b[i]}, y[i], f[i]});
  const ExecSpace exec;
  const auto device = upload(exec, "tessera::test::cases", cases);
  const Kokkos::View<ResponseSlopes*, ExecSpace> result("tessera::test::slopes", cases.size());
  Kokkos::parallel_for("tessera::test::evaluate",
                       Kokkos::RangePolicy<ExecSpace>(exec, 0, static_cast<int>(cases.size())),
                       Evaluate{device, result});
  const std::vector<ResponseSlopes> found = download(exec, result);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string what = "family " + std::to_string(family[i]) + " y " + std::to_string(y[i]) +
                             " f " + std::to_string(f[i]);
    const double whole = found[i].value + log_normaliser(cases[i].response, {y[i]});
    const double terms = std::fabs(value[i]) + std::fabs(y[i]) * (std::fabs(f[i]) + 1) + 1;
    EXPECT_NEAR(whole, value[i], 1e-13 * (family[i] < 3 ? std::fabs(value[i]) : terms)) << what;
    EXPECT_NEAR(found[i].slope, slope[i], 1e-13 * std::max(std::fabs(slope[i]), 1e-3 * terms))
        << what;
    EXPECT_NEAR(found[i].weight, weight[i], 1e-12 * weight[i]) << what;
    EXPECT_NEAR(found[i].weight_slope, weight_slope[i],
                1e-12 * std::max(std::fabs(weight_slope[i]), weight[i]))
        << what;
  }
}

/// Nothing overflows where a line search may look.
TEST(GpFamilies, FarPredictors) {
  for (int family = 1; family <= 6; ++family) {
    for (const double f : {-700.0, -40.0, 40.0, 700.0}) {
      const ResponseSlopes s = Response{static_cast<ResponseFamily>(family), 2, 3}.slopes(1, f);
      EXPECT_TRUE(std::isfinite(s.value) && std::isfinite(s.slope) && s.weight >= 0 &&
                  std::isfinite(s.weight) && std::isfinite(s.weight_slope))
          << family << ' ' << f;
    }
  }
}

TEST(GpFamilies, BadObservations) {
  EXPECT_EQ(check_response(ResponseFamily::poisson, 3), "");
  EXPECT_EQ(check_response(ResponseFamily::poisson, 3.5), "is not an integer");
  EXPECT_EQ(check_response(ResponseFamily::negative_binomial, -1), "is negative");
  EXPECT_EQ(check_response(ResponseFamily::bernoulli_logit, 2), "is not 0 or 1");
  EXPECT_EQ(check_response(ResponseFamily::gamma, 0), "is not positive");
  EXPECT_EQ(check_response(ResponseFamily::student_t, -4), "");
}

}  // namespace

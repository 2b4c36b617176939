// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tessera/core/io/compare.hpp"
#include "tessera/core/io/file.hpp"
#include "tests/unit/io_scratch.hpp"

namespace tessera::io {
namespace {

using test::Scratch;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Verdict = DatasetDifference::Verdict;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

class IoCompare : public Scratch {
 protected:
  using Write = std::function<void(const Group& root)>;

  std::vector<DatasetDifference> compare(const Write& first, const Write& second,
                                         const CompareOptions& options = {}) const {
    return compare_results(written("first.h5", first), written("second.h5", second), options);
  }

  /// Returns how results/x differs when it holds these values.
  template <class A, class B>
  DatasetDifference compare_values(const std::vector<A>& a, const std::vector<B>& b,
                                   const CompareOptions& options = {}) const {
    const auto differences =
        compare([&](const Group& root) { root.write("results/x", a, {}); },
                [&](const Group& root) { root.write("results/x", b, {}); }, options);
    EXPECT_EQ(differences.size(), 1U);
    EXPECT_EQ(differences.at(0).path, "results/x");
    return differences.at(0);
  }

  static std::vector<std::string> paths(const std::vector<DatasetDifference>& differences) {
    std::vector<std::string> paths;
    for (const DatasetDifference& difference : differences) paths.push_back(difference.path);
    return paths;
  }

 private:
  Group written(const std::string& name, const Write& write) const {
    File file = File::create(path(name));
    write(file.root());
    file.commit();
    return File::open(path(name)).root();
  }
};

TEST_F(IoCompare, EqualDatasets) {
  const auto write = [](const Group& root) {
    root.write("coordinates/x", std::vector<double>{0, -0.0, 1e300, 4e-324}, {});
    root.write("results/record_0/count", std::vector<std::uint64_t>{1, ~std::uint64_t{0}}, {});
    root.write("results/names", std::vector<std::string>{"a", ""}, {});
    root.write("results/none", std::vector<double>{}, {});
    root.write_scalar("series/steps", 12, {});
  };
  const auto differences = compare(write, write);
  EXPECT_THAT(paths(differences), ElementsAre("coordinates/x", "results/names", "results/none",
                                              "results/record_0/count", "series/steps"));
  for (const DatasetDifference& difference : differences) {
    EXPECT_TRUE(difference.equal()) << difference.path;
    EXPECT_TRUE(difference.acceptable());
    EXPECT_EQ(difference.differing, 0U);
    EXPECT_EQ(difference.largest_absolute, 0);
    EXPECT_EQ(difference.largest_relative, 0);
  }
  EXPECT_EQ(differences[0].elements, 4U);
  EXPECT_EQ(differences[2].elements, 0U);
  EXPECT_EQ(differences[4].elements, 1U);
}

TEST_F(IoCompare, OtherGroupsDoNotCount) {
  const auto differences =
      compare([](const Group& root) { root.write_scalar("input/yaml", "a", {}); },
              [](const Group& root) { root.write_scalar("input/yaml", "b", {}); });
  EXPECT_THAT(differences, IsEmpty());
}

TEST_F(IoCompare, WallTimesDoNotCount) {
  const auto took = [](double seconds) {
    return [seconds](const Group& root) {
      for (const char* name : {"results/validation/seconds", "results/transfer_seconds"})
        root.write(name, std::vector<double>{seconds}, {"s", "wall time"});
      root.write("results/x", std::vector<double>{1}, {});
    };
  };
  const auto differences = compare(took(1), took(2));
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].path, "results/x");
}

TEST_F(IoCompare, WithinTheRelativeTolerance) {
  const DatasetDifference d =
      compare_values<double, double>({1.0, 2.0, -4.0}, {1.0, 2.0 + 2e-13, -4.0 - 1e-12});
  EXPECT_EQ(d.verdict, Verdict::within);
  EXPECT_TRUE(d.acceptable());
  EXPECT_FALSE(d.equal());
  EXPECT_EQ(d.elements, 3U);
  EXPECT_EQ(d.differing, 2U);
  EXPECT_NEAR(d.largest_absolute, 1e-12, 1e-15);
  EXPECT_NEAR(d.largest_relative, 2.5e-13, 1e-15);
  EXPECT_NEAR(d.excess, 0.25, 1e-2);
}

TEST_F(IoCompare, BeyondTheRelativeTolerance) {
  const DatasetDifference d = compare_values<double, double>({1.0, 1.0}, {1.0, 1.0 + 1e-11});
  EXPECT_EQ(d.verdict, Verdict::beyond);
  EXPECT_EQ(d.differing, 1U);
  EXPECT_NEAR(d.excess, 10, 0.1);
  CompareOptions loose;
  loose.relative = 1e-10;
  EXPECT_EQ((compare_values<double, double>({1.0, 1.0}, {1.0, 1.0 + 1e-11}, loose).verdict),
            Verdict::within);
}

TEST_F(IoCompare, OneElementBeyondIsEnough) {
  EXPECT_EQ((compare_values<double, double>({1, 2, 3}, {1 + 1e-13, 2.1, 3 + 1e-13}).verdict),
            Verdict::beyond);
  EXPECT_EQ((compare_values<double, double>({2, 1, 3}, {2.1, 1 + 1e-13, 3}).verdict),
            Verdict::beyond);
}

TEST_F(IoCompare, NumbersNextToZeroCountByTheLargestOfTheDataset) {
  EXPECT_EQ((compare_values<double, double>({1.0, 0.0}, {1.0, 5e-16}).verdict), Verdict::within);
  EXPECT_EQ((compare_values<double, double>({1.0, 0.0}, {1.0, 5e-15}).verdict), Verdict::beyond);
  EXPECT_EQ((compare_values<double, double>({kInfinity, 0.0}, {kInfinity, 5e-15}).verdict),
            Verdict::beyond);
}

TEST_F(IoCompare, AbsoluteToleranceOnRequest) {
  CompareOptions options;
  options.absolute = 1e-3;
  EXPECT_EQ((compare_values<double, double>({1.0, 0.0}, {1.0, 5e-4}, options).verdict),
            Verdict::within);
  EXPECT_EQ((compare_values<double, double>({1.0, 0.0}, {1.0, 2e-3}, options).verdict),
            Verdict::beyond);
  options.absolute = 0;
  EXPECT_EQ((compare_values<double, double>({1.0, 0.0}, {1.0, 5e-16}, options).verdict),
            Verdict::beyond);
}

TEST_F(IoCompare, ZeroTolerancesAskForEquality) {
  CompareOptions exact;
  exact.relative = 0;
  exact.absolute = 0;
  EXPECT_EQ((compare_values<double, double>({1.0}, {1.0}, exact).verdict), Verdict::equal);
  EXPECT_EQ((compare_values<double, double>({1.0}, {std::nextafter(1.0, 2.0)}, exact).verdict),
            Verdict::beyond);
}

TEST_F(IoCompare, NotANumberAtTheSamePlace) {
  EXPECT_TRUE((compare_values<double, double>({kNan, 1}, {kNan, 1}).equal()));
  for (const double other : {0.0, 1.0, kInfinity}) {
    const DatasetDifference d = compare_values<double, double>({1, kNan}, {1, other});
    EXPECT_EQ(d.verdict, Verdict::beyond) << other;
    EXPECT_EQ(d.differing, 1U);
    EXPECT_EQ(d.largest_absolute, kInfinity);
  }
}

TEST_F(IoCompare, InfinitiesAreNearToNothing) {
  EXPECT_TRUE(
      (compare_values<double, double>({kInfinity, -kInfinity}, {kInfinity, -kInfinity}).equal()));
  CompareOptions loose;
  loose.relative = 10;
  loose.absolute = 1e300;
  EXPECT_EQ((compare_values<double, double>({kInfinity}, {1e308}, loose).verdict), Verdict::beyond);
  EXPECT_EQ((compare_values<double, double>({kInfinity}, {-kInfinity}, loose).verdict),
            Verdict::beyond);
}

TEST_F(IoCompare, IntegersMustBeEqual) {
  CompareOptions loose;
  loose.relative = 1;
  loose.absolute = 100;
  const DatasetDifference d =
      compare_values<std::int64_t, std::int64_t>({-5, 10, 3}, {-5, 11, -3}, loose);
  EXPECT_EQ(d.verdict, Verdict::beyond);
  EXPECT_EQ(d.differing, 2U);
  EXPECT_EQ(d.largest_absolute, 6);
  EXPECT_EQ(d.largest_relative, 2);
}

TEST_F(IoCompare, LargeIntegersAreToldApart) {
  const std::uint64_t large = ~std::uint64_t{0};
  const DatasetDifference d = compare_values<std::uint64_t, std::uint64_t>({large}, {large - 1});
  EXPECT_EQ(d.verdict, Verdict::beyond);
  EXPECT_EQ(d.largest_absolute, 1);
}

TEST_F(IoCompare, IntegersOfOtherWidthAndSign) {
  EXPECT_TRUE((compare_values<std::int32_t, std::uint64_t>({0, 7}, {0, 7}).equal()));
  EXPECT_EQ((compare_values<std::uint8_t, std::int8_t>({255}, {-1}).verdict), Verdict::beyond);
  EXPECT_EQ((compare_values<std::uint8_t, std::int8_t>({255}, {-1}).largest_absolute), 256);
}

TEST_F(IoCompare, RealNumbersOfOtherWidth) {
  EXPECT_TRUE((compare_values<float, double>({0.5F, 2.0F}, {0.5, 2.0}).equal()));
  EXPECT_EQ((compare_values<float, double>({0.1F}, {0.1}).verdict), Verdict::beyond);
}

TEST_F(IoCompare, Texts) {
  EXPECT_TRUE((compare_values<std::string, std::string>({"x", "y"}, {"x", "y"}).equal()));
  const DatasetDifference d = compare_values<std::string, std::string>({"x", "y"}, {"x", "z"});
  EXPECT_EQ(d.verdict, Verdict::beyond);
  EXPECT_EQ(d.differing, 1U);
}

TEST_F(IoCompare, KindsThatDoNotMatch) {
  EXPECT_EQ((compare_values<double, std::int32_t>({1}, {1}).mismatch),
            "real numbers against integers");
  EXPECT_EQ((compare_values<std::string, double>({"1"}, {1}).mismatch),
            "text against real numbers");
  EXPECT_EQ((compare_values<std::string, double>({"1"}, {1}).verdict), Verdict::beyond);
}

TEST_F(IoCompare, ShapesThatDoNotMatch) {
  EXPECT_EQ((compare_values<double, double>({1, 2}, {1, 2, 3}).mismatch), "shape 2 against 3");
  const std::vector<double> values(6, 1.0);
  const auto differences = compare(
      [&](const Group& root) {
        root.write("results/x", values, {2, 3}, {});
      },
      [&](const Group& root) {
        root.write("results/x", values, {3, 2}, {});
      });
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].mismatch, "shape 2 x 3 against 3 x 2");
  EXPECT_FALSE(differences[0].acceptable());
  const auto scalar =
      compare([](const Group& root) { root.write_scalar("results/x", 1.0, {}); },
              [](const Group& root) { root.write("results/x", std::vector<double>{1.0}, {}); });
  EXPECT_EQ(scalar.at(0).mismatch, "shape scalar against 1");
}

TEST_F(IoCompare, DatasetsOnOneSideOnly) {
  const auto differences = compare(
      [](const Group& root) {
        root.write_scalar("results/both", 1.0, {});
        root.write_scalar("results/here", 1.0, {});
      },
      [](const Group& root) {
        root.write_scalar("results/both", 1.0, {});
        root.write_scalar("series/there", 1.0, {});
      });
  ASSERT_THAT(paths(differences), ElementsAre("results/here", "series/there", "results/both"));
  EXPECT_EQ(differences[0].mismatch, "only in the first");
  EXPECT_EQ(differences[1].mismatch, "only in the second");
  EXPECT_EQ(differences[0].verdict, Verdict::beyond);
  EXPECT_EQ(differences[1].verdict, Verdict::beyond);
  EXPECT_TRUE(differences[2].equal());
}

TEST_F(IoCompare, GroupAgainstDataset) {
  const auto differences =
      compare([](const Group& root) { root.write_scalar("results/x", 1.0, {}); },
              [](const Group& root) { root.write_scalar("results/x/y", 1.0, {}); });
  ASSERT_THAT(paths(differences), ElementsAre("results/x", "results/x/y"));
  EXPECT_EQ(differences[0].mismatch, "only in the first");
  EXPECT_EQ(differences[1].mismatch, "only in the second");
}

TEST_F(IoCompare, WorstFirst) {
  const auto write = [](double within, double slightly_beyond, double far_beyond) {
    return [=](const Group& root) {
      root.write_scalar("results/a", 1.0, {});
      root.write_scalar("results/b", within, {});
      root.write_scalar("results/c", slightly_beyond, {});
      root.write_scalar("results/d", far_beyond, {});
      root.write_scalar("results/e", 1.0, {});
    };
  };
  EXPECT_THAT(paths(compare(write(1, 1, 1), write(1 + 1e-13, 1 + 1e-10, 2))),
              ElementsAre("results/d", "results/c", "results/b", "results/a", "results/e"));
}

TEST_F(IoCompare, IgnoredDatasets) {
  const auto write = [](double value) {
    return [=](const Group& root) {
      root.write_scalar("results/kept", 1.0, {});
      root.write_scalar("results/record_0/p", value, {});
      root.write_scalar("results/record_1/p", value, {});
      root.write_scalar("series/dt", value, {});
    };
  };
  CompareOptions options;
  options.ignore = {"results/record_*", "/series/dt"};
  EXPECT_THAT(paths(compare(write(1), write(2), options)), ElementsAre("results/kept"));
  options.ignore = {"*/p"};
  EXPECT_THAT(paths(compare(write(1), write(2), options)),
              ElementsAre("series/dt", "results/kept"));
}

}  // namespace
}  // namespace tessera::io

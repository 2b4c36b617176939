// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Fills that several ranks share against those of one. Started alone this is one rank; CTest starts
// it by mpirun too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/random.hpp"
#include "tessera/mpr/instances.hpp"
#include "tessera/mpr/lattice/gather_blocks.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/ranks.hpp"

namespace tessera::test {
namespace {

using mpr::FillOptions;
using mpr::FrameShare;
using mpr::GapFill;
using mpr::Grid;

constexpr int kFrames = 5;

/// Frames of smooth fields with noise of different strength; some have a wide gap, one is constant.
struct Frames {
  Grid grid;
  std::vector<float> values, errors;
  std::vector<std::uint8_t> status;

  Frames(const Grid& of, bool wide) : grid(of) {
    const Philox random(7, 1);
    const std::int64_t sites = grid.sites();
    for (std::int64_t i = 0; i < sites * kFrames; ++i) {
      const auto frame = static_cast<int>(i / sites);
      const mpr::Position at = grid.position(i % sites);
      const auto bits = random.bits(static_cast<std::uint64_t>(i), 0);
      const double x = at.x, y = at.y, noise = Philox::uniform(bits, 0) - 0.5;
      const double value = std::sin(0.2 * x + frame) +
                           std::cos(0.15 * y - 0.3 * static_cast<double>(at.z)) +
                           0.1 * (frame + 1) * noise;
      const bool constant = wide && frame == 3, in_gap = wide && frame != 1 &&
                                                         std::abs(x - 15) < 6 - frame &&
                                                         std::abs(y - 14) < 7;
      values.push_back(static_cast<float>(constant ? 2 : value));
      errors.push_back(0.1F);
      status.push_back(in_gap || Philox::uniform(bits, 1) < 0.2 + 0.04 * frame ? mpr::kMissing
                                                                               : mpr::kSample);
    }
  }
};

/// Numbers of the frames of a share; of all frames where nobody shares.
template <class T>
Kokkos::View<T*, ExecSpace> part(const std::vector<T>& numbers, const FrameShare& share) {
  const auto sites = static_cast<std::ptrdiff_t>(numbers.size() / kFrames);
  const auto begin = numbers.begin() + share.first * sites,
             end = share.is_divided() ? begin + share.own() * sites : numbers.end();
  return upload(ExecSpace(), "mpr test", std::vector<T>(begin, end));
}

/// The result of a fill, of the frames of a share, with everything that all ranks know.
struct Result {
  std::vector<float> mean, deviation, error, realisation;
  std::vector<double> numbers;
};

Result fill(const Frames& frames, FillOptions options, const FrameShare& share) {
  const ExecSpace exec;
  const int here = share.is_divided() ? share.own() : kFrames;
  options.mean_error = true;
  options.draws = 16;
  GapFill<ExecSpace, float> gap_fill(exec, frames.grid, here, options, share);
  gap_fill.prepare(part(frames.values, share), part(frames.status, share),
                   options.noise ? part(frames.errors, share) : Kokkos::View<float*, ExecSpace>());
  while (gap_fill.advance()) {
  }
  const std::size_t sites = gap_fill.sites();
  const Kokkos::View<float*, ExecSpace> mean("mpr test", sites), deviation("mpr test", sites),
      error("mpr test", sites), realisation("mpr test", sites);
  gap_fill.moments(mean, deviation);
  gap_fill.mean_error(deviation, error);
  gap_fill.realisation(gap_fill.realisations() - 1, realisation);
  Result result{download(exec, mean),
                download(exec, deviation),
                download(exec, error),
                download(exec, realisation),
                {}};
  for (const mpr::FrameReport& report : gap_fill.frames()) {
    const double samples = static_cast<double>(report.samples),
                 missing = static_cast<double>(report.missing);
    for (const double number : {report.low, report.high, report.temperature, report.sample_energy,
                                report.sample_pairs, samples, missing})
      result.numbers.push_back(number);
  }
  for (int f = 0; f < kFrames; ++f) result.numbers.push_back(gap_fill.calibration().factor(3, f));
  const auto& axis = gap_fill.axis().strength;
  result.numbers.insert(result.numbers.end(), axis.begin(), axis.end());
  for (const double number :
       {gap_fill.beta(), gap_fill.updates(), gap_fill.linear_solve().error,
        gap_fill.gaps().mean_distance, static_cast<double>(gap_fill.burn_in_sweeps()),
        static_cast<double>(gap_fill.linear_solve().iterations)})
    result.numbers.push_back(number);
  return result;
}

template <class T>
void expect_same_bits(const std::vector<T>& shared, const std::vector<T>& alone, const char* what) {
  ASSERT_EQ(shared.size(), alone.size()) << what;
  EXPECT_EQ(std::memcmp(shared.data(), alone.data(), alone.size() * sizeof(T)), 0) << what;
}

void expect_same(const Frames& frames, const FillOptions& options) {
  const FrameShare share(test::ranks(), kFrames);
  const Result alone = fill(frames, options, {}), shared = fill(frames, options, share);
  const auto sites = static_cast<std::size_t>(frames.grid.sites());
  const auto own = [&](const std::vector<float>& of_all) {
    return mpr::detail::take_blocks(of_all, 1, static_cast<std::size_t>(share.first) * sites,
                                    static_cast<std::size_t>(share.own()) * sites);
  };
  expect_same_bits(shared.mean, own(alone.mean), "mean");
  expect_same_bits(shared.deviation, own(alone.deviation), "deviation");
  expect_same_bits(shared.error, own(alone.error), "error");
  expect_same_bits(shared.realisation, own(alone.realisation), "realisation");
  expect_same_bits(shared.numbers, alone.numbers, "what all ranks know");
}

TEST(SharedFrames, ChainsOfNarrowGaps) { expect_same(Frames({40, 33, 1}, false), FillOptions()); }

TEST(SharedFrames, DrawsOfWideGaps) {
  FillOptions options;
  options.sampler = mpr::Sampler::draws;
  expect_same(Frames({40, 33, 1}, true), options);
}

TEST(SharedFrames, ThePublishedMethod) {
  FillOptions options = FillOptions::published();
  options.replicas = 2;
  expect_same(Frames({40, 33, 1}, false), options);
}

TEST(SharedFrames, ErrorsOfSamples) {
  FillOptions options;
  options.noise = true;
  expect_same(Frames({30, 28, 1}, true), options);
}

TEST(SharedFrames, SweepsOfStacks) {
  FillOptions options;
  options.sampler = mpr::Sampler::sweeps;
  expect_same(Frames({16, 14, 6}, false), options);
}

/// So large that windows represent frames, which come together from several ranks.
TEST(SharedFrames, WindowsOfLargeFrames) {
  FillOptions options;
  options.curvature = 1;
  options.burn_in_sweeps = options.sampling_sweeps = 2;  // other tests have the chains
  expect_same(Frames({520, 510, 1}, false), options);
}

TEST(SharedFrames, AFrameWithoutSamplesIsNamedOnAllRanks) {
  Frames frames({20, 20, 1}, false);
  for (std::size_t i = frames.status.size() - 400; i < frames.status.size(); ++i)
    frames.status[i] = mpr::kMissing;
  try {
    fill(frames, FillOptions(), FrameShare(test::ranks(), kFrames));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find("frame 4 has no sample: all 400 sites are missing"),
              std::string::npos)
        << error.what();
  }
}

/// Frames that all ranks have, whose draws they share; packs of eight, of which there are more than
/// ranks, or fewer.
TEST(SharedDraws, HaveTheSumsOfOneRank) {
  const Frames frames({40, 33, 1}, true);
  const ExecSpace exec;
  for (const int draws : {8, 40}) {
    FillOptions options;
    options.sampler = mpr::Sampler::draws;
    options.draws = draws;
    const auto run = [&](bool shared) {
      GapFill<ExecSpace, float> gap_fill(exec, frames.grid, kFrames, options);
      if (shared) gap_fill.share_simulation(test::ranks());
      gap_fill.prepare(part(frames.values, {}), part(frames.status, {}));
      std::vector<int> numbers;
      bool more = true;
      while (more) {
        more = gap_fill.advance();
        for (int r = 0; r < gap_fill.realisations(); ++r)
          numbers.push_back(gap_fill.first_realisation() + r);
      }
      if (shared) gap_fill.collect_draws();
      EXPECT_EQ(gap_fill.sampling_done(), draws);
      std::vector<int> all = shared ? test::ranks().all_gather(numbers) : numbers;
      std::sort(all.begin(), all.end());
      for (int n = 0; n < draws; ++n) EXPECT_EQ(all.at(static_cast<std::size_t>(n)), n);
      return gap_fill.squares();
    };
    const std::vector<float> alone = run(false), shared = run(true);
    if (test::ranks().is_root()) expect_same_bits(shared, alone, "squares");
  }
}

/// An image of 300 rows, which three ranks share in slabs of 128, 128 and 44, or a stack of 11
/// layers; a strip is no part of the field.
struct Single {
  Grid grid;
  std::vector<double> angles;
  std::vector<std::uint8_t> status;

  explicit Single(bool is_stack) : grid(is_stack ? Grid{60, 50, 11} : Grid{150, 300, 1}) {
    const Philox random(11, 2);
    for (std::int64_t i = 0; i < grid.sites(); ++i) {
      const mpr::Position at = grid.position(i);
      const auto bits = random.bits(static_cast<std::uint64_t>(i), 0);
      angles.push_back(1.5 +
                       0.5 * std::sin(0.1 * at.x + 0.05 * at.y + 0.2 * static_cast<double>(at.z)) +
                       0.1 * Philox::uniform(bits, 0));
      const bool land = is_stack ? at.y > 20 && at.y < 32 && at.x > 10 && at.z > 2 && at.z < 7
                                 : at.y > 120 && at.y < 132 && at.x > 60 && at.x < 90;
      status.push_back(land                             ? mpr::kInactive
                       : Philox::uniform(bits, 1) < 0.4 ? mpr::kMissing
                                                        : mpr::kSample);
    }
  }
};

/// The kind of the chains: their grid and their options.
struct Kind {
  bool is_stack = false;
  double beta = 0;
  bool local = false, uneven = false;
};

/// Rows at latitudes and uneven steps of layers, for the stack.
mpr::Metric uneven() {
  std::vector<double> latitudes, steps;
  for (int y = 0; y < 50; ++y) latitudes.push_back(30 + 0.8 * y);
  for (int z = 0; z < 10; ++z) steps.push_back(1 + 0.2 * z);
  mpr::Metric metric = mpr::metric_of_latitudes(latitudes, 1);
  metric.z = mpr::factors_of_steps(steps);
  return metric;
}

class SharedSlabs : public testing::TestWithParam<Kind> {
 public:
  using Chains = mpr::Chains<ExecSpace, double>;

  /// Two chains of the field, which settle by themselves and then sample for a while.
  Chains begin(const parallel::Communicator& ranks) const {
    mpr::ChainSettings settings;
    settings.grid = m_field.grid;
    settings.replicas = 2;
    settings.beta = GetParam().beta;
    settings.local = GetParam().local;
    settings.slab_ranks = ranks;
    if (GetParam().uneven) settings.metrics = {uneven()};
    Chains chains(ExecSpace(), settings, upload(ExecSpace(), "mpr test", m_field.status));
    std::vector<double> lengths;
    for (const double angle : m_field.angles) lengths.push_back(0.5 + 0.3 * angle);
    chains.start(upload(ExecSpace(), "mpr test", m_field.angles), {0.02}, 5, true,
                 settings.local ? upload(ExecSpace(), "mpr test", lengths)
                                : Kokkos::View<double*, ExecSpace>());
    mpr::BurnIn burn_in;
    burn_in.most = 60;
    chains.burn_in_until_settled(burn_in);
    chains.begin_sampling(1.0);
    chains.sample(17, mpr::Moments::variance);
    return chains;
  }

  void expect_same(const Chains& shared, const Chains& alone) const {
    const auto sites = static_cast<std::size_t>(m_field.grid.sites());
    const mpr::SiteRange here = shared.sites();
    const auto read = [&](const Chains& chains) {
      const Kokkos::View<double*, ExecSpace> mean("mpr test", sites), variance("mpr test", sites),
          angle("mpr test", sites);
      if (chains.missing() > 0) {
        chains.moments(mean, variance);
        chains.angles(1, angle);
      }
      std::vector<double> numbers;
      for (const auto& map : {mean, variance, angle}) {
        const std::vector<double> own =
            mpr::detail::take_blocks(download(ExecSpace(), map), 1, here.first, here.count);
        numbers.insert(numbers.end(), own.begin(), own.end());
      }
      return numbers;
    };
    expect_same_bits(read(shared), read(alone), "maps");
    for (int c = 0; c < 2; ++c) {
      const auto a = shared.history(c), b = alone.history(c);
      expect_same_bits(a.energy, b.energy, "energy");
      expect_same_bits(a.acceptance, b.acceptance, "acceptance");
      expect_same_bits(a.step_control, b.step_control, "step control");
    }
  }

 private:
  Single m_field{GetParam().is_stack};
};

TEST_P(SharedSlabs, HaveTheBitsOfOneRank) { expect_same(begin(test::ranks()), begin({})); }

/// The state that ranks have is that of one, and they go on from it.
TEST_P(SharedSlabs, GoOnFromTheStateOfOneRank) {
  Chains alone = begin({}), shared = begin(test::ranks());
  const Chains::Snapshot whole = alone.save();
  const std::vector<double> spins =
      mpr::detail::gather_blocks(test::ranks(), shared.own_spins(shared.save().spins), 2);
  if (test::ranks().is_root()) expect_same_bits(spins, whole.spins, "spins");
  Chains::Snapshot here = shared.save();
  here.spins = shared.spins_here(whole.spins);
  ASSERT_TRUE(shared.fits(here));
  shared.restore(here);
  shared.sample(9, mpr::Moments::variance);
  alone.sample(9, mpr::Moments::variance);
  expect_same(shared, alone);
}

INSTANTIATE_TEST_SUITE_P(Images, SharedSlabs, testing::Values(Kind{false, 0}, Kind{false, 0.7}));
INSTANTIATE_TEST_SUITE_P(Stacks, SharedSlabs,
                         testing::Values(Kind{true, 0}, Kind{true, 0.7}, Kind{true, 0.7, true},
                                         Kind{true, 0, false, true}, Kind{true, 0.7, false, true}));

/// Blocks of numbers, of which ranks have different numbers, and some none.
TEST(GatheredBlocks, ComeBackAsTheyWere) {
  const parallel::Communicator& ranks = test::ranks();
  const auto own = static_cast<std::size_t>(3 * ranks.rank());
  std::vector<double> numbers;
  for (std::size_t i = 0; i < 2 * own; ++i)
    numbers.push_back(static_cast<double>(1000 * ranks.rank()) + static_cast<double>(i));
  std::vector<double> all = mpr::detail::gather_blocks(ranks, numbers, 2);
  std::uint64_t size = all.size();
  ranks.broadcast(&size, 1);
  all.resize(size);
  ranks.broadcast(all.data(), all.size());
  std::size_t first = 0;
  for (int r = 0; r < ranks.rank(); ++r) first += static_cast<std::size_t>(3 * r);
  expect_same_bits(mpr::detail::take_blocks(all, 2, first, own), numbers, "blocks");
}

}  // namespace
}  // namespace tessera::test

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Prints a table of how often intervals hold the truth, and of the uniformity of p-values. A test
// has few samples; a study, best on a GPU, has as many as the environment says:
//
//     TESSERA_STUDY_SAMPLES=10000 TESSERA_STUDY_VALUES=1000 test_stable_study_cuda --gtest_filter=*Coverage
//     TESSERA_STUDY_SAMPLES=2000 TESSERA_STUDY_REFITS=199 test_stable_study_cuda --gtest_filter=*Uniform*
//
// All samples of a law are drawn and fitted together, and so are the refits of many samples.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tessera/stable/fit/goodness.hpp"
#include "tessera/stable/fit/intervals.hpp"
#include "tessera/stable/instances.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using View = Kokkos::View<double*, Exec>;

std::int64_t from_environment(const char* name, std::int64_t fallback) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fallback : std::atoll(text);
}

/// Random numbers of a use; another TESSERA_STUDY_SEED gives others.
Philox random_of(std::uint32_t use, std::uint32_t stream) {
  return Philox(use + 100 * static_cast<std::uint32_t>(from_environment("TESSERA_STUDY_SEED", 0)),
                stream);
}

/// Returns whether the samples are those of the test.
bool is_test() { return std::getenv("TESSERA_STUDY_SAMPLES") == nullptr; }

/// Samples of a distribution each, one after the other.
struct Samples {
  std::int32_t size;
  View values;
  std::vector<FitTask> tasks;

  Samples(const std::vector<FourParameters>& truths, std::int32_t count, const Philox& random,
          std::uint64_t first_sweep)
      : size(count), values("samples", truths.size() * static_cast<std::size_t>(count)) {
    for (std::size_t k = 0; k < truths.size(); ++k) {
      const FourParameters& t = truths[k];
      const std::size_t begin = k * static_cast<std::size_t>(count);
      const View own =
          Kokkos::subview(values, std::make_pair(begin, begin + static_cast<std::size_t>(count)));
      sample_batch<Exec>(Exec(), t.alpha, t.beta, {t.sigma, t.mu, Parameterization::S0}, random, 0,
                         first_sweep + k, own);
      FitTask& task = tasks.emplace_back();
      task.begin = static_cast<std::int64_t>(begin);
      task.count = count;
    }
  }
};

/// Samples so many that they fit into memory, at a time: visit(first, count).
template <class Visit>
void in_pieces(std::int64_t samples, std::int64_t values_each, const Visit& visit) {
  const std::int64_t most = std::max<std::int64_t>(1, (std::int64_t{1} << 25) / values_each);
  for (std::int64_t first = 0; first < samples; first += most)
    visit(first, std::min(most, samples - first));
}

/// Fits of `refits` samples of each distribution, under every hypothesis of its row:
/// [distribution][refit][hypothesis].
std::vector<FitResult> refit(Fitter<Exec>& fitter, const std::vector<FourParameters>& truths,
                             const std::vector<std::vector<FitTask>>& hypotheses, std::int32_t size,
                             std::int64_t refits, const Philox& random, std::uint64_t first_sweep,
                             const FitOptions& options) {
  std::vector<FourParameters> each;
  for (const FourParameters& truth : truths)
    each.insert(each.end(), static_cast<std::size_t>(refits), truth);
  const Samples samples(each, size, random, first_sweep);
  std::vector<FitTask> tasks;
  for (std::size_t k = 0; k < each.size(); ++k) {
    for (FitTask task : hypotheses[k / static_cast<std::size_t>(refits)]) {
      task.begin = samples.tasks[k].begin;
      task.count = size;
      task.start = each[k];
      tasks.push_back(task);
    }
  }
  return fitter(samples.values, {}, tasks, options);
}

/// A share with its standard deviation if it were 0.95, and whether it lies from 0.94 to 0.96.
struct Share {
  std::int64_t held = 0, count = 0;

  void add(bool holds) {
    held += holds ? 1 : 0;
    ++count;
  }
  double value() const { return static_cast<double>(held) / static_cast<double>(count); }
  double deviation() const {
    return std::sqrt(0.95 * 0.05 / static_cast<double>(std::max<std::int64_t>(count, 1)));
  }
  std::string text() const {
    char line[80];
    std::snprintf(line, sizeof line, "%.4f (%.4f)%s", value(), deviation(),
                  value() >= 0.94 && value() <= 0.96 ? "" : " *");
    return line;
  }
  /// The bounds are far from what is wanted, by more than chance: intervals next to the end of a
  /// range may hold the truth too often.
  void check() const {
    EXPECT_GE(value(), 0.93 - 4 * deviation());
    EXPECT_LE(value(), 0.98 + 4 * deviation());
  }
};

TEST(StableStudy, Coverage) {
  const std::int64_t samples = from_environment("TESSERA_STUDY_SAMPLES", 40);
  const auto size = static_cast<std::int32_t>(from_environment("TESSERA_STUDY_VALUES", 200));
  const std::vector<Quantity> quantities{
      {QuantityKind::alpha}, {QuantityKind::beta}, {QuantityKind::sigma}, {QuantityKind::mu}};
  std::printf(
      "shares of intervals at 95 %% that hold alpha, beta, sigma, mu (standard deviation); *: not "
      "from 0.94 to 0.96; %lld samples of %d values\n",
      static_cast<long long>(samples), size);
  Fitter<Exec> fitter{Exec()};
  std::uint32_t stream = 0;
  for (const double alpha : {0.5, 1.0, 1.5, 1.9}) {
    for (const double beta : {0.0, 0.5}) {
      const FourParameters truth{alpha, beta, 1, 0};
      Share wald[4], profile[4];
      in_pieces(samples, 5 * size, [&](std::int64_t first, std::int64_t count) {
        const Samples drawn(std::vector<FourParameters>(static_cast<std::size_t>(count), truth),
                            size, random_of(81, stream), static_cast<std::uint64_t>(first));
        const std::vector<FitResult> fits = fitter(drawn.values, {}, drawn.tasks);
        std::vector<FitTask> held;
        for (const FitTask& task : drawn.tasks) {
          for (const Quantity& quantity : quantities)
            held.push_back(hold(quantity, evaluate(quantity, truth), task, truth));
        }
        const std::vector<FitResult> with_truth = fitter(drawn.values, {}, held, profile_options());
        for (std::size_t k = 0; k < fits.size(); ++k) {
          if (fits[k].status > FitStatus::boundary) continue;
          for (std::size_t q = 0; q < 4; ++q) {
            const double value = evaluate(quantities[q], truth);
            const Interval interval = wald_interval(quantities[q], fits[k], 0.95);
            if (!std::isnan(interval.lower))
              wald[q].add(interval.lower <= value && value <= interval.upper);
            if (with_truth[4 * k + q].status > FitStatus::boundary) continue;
            profile[q].add(likelihood_ratio(with_truth[4 * k + q], fits[k]) <=
                           critical_deviance(0.95));
          }
        }
      });
      ++stream;
      std::printf("alpha %.1f beta %.1f  Wald   ", alpha, beta);
      for (const Share& share : wald) std::printf(" %-18s", share.text().c_str());
      std::printf("\n                    profile");
      for (const Share& share : profile) std::printf(" %-18s", share.text().c_str());
      std::printf("\n");
      for (const Share& share : profile) share.check();
    }
  }
}

/// sqrt(m) times the Kolmogorov-Smirnov distance of p-values from the uniform distribution on (1,
/// ..., refits + 1)/(refits + 1).
double distance_from_uniform(const std::vector<double>& p, std::int64_t refits) {
  const double m = static_cast<double>(p.size());
  double largest = 0;
  for (std::int64_t k = 1; k <= refits + 1; ++k) {
    const double at = static_cast<double>(k) / static_cast<double>(refits + 1);
    const auto below =
        std::count_if(p.begin(), p.end(), [at](double v) { return v <= at + 1e-12; });
    largest = std::max(largest, std::fabs(static_cast<double>(below) / m - at));
  }
  return std::sqrt(m) * largest;
}

/// Samples of distributions all over the range, each tested with refits of its own; with
/// TESSERA_STUDY_FROM_TRUTH=1 to samples of the true distribution in the place of the fitted one,
/// which makes p-values uniform for samples of any size.
TEST(StableStudy, PValuesAreUniform) {
  const std::int64_t samples = from_environment("TESSERA_STUDY_SAMPLES", 60),
                     refits = from_environment("TESSERA_STUDY_REFITS", 19);
  const auto size = static_cast<std::int32_t>(from_environment("TESSERA_STUDY_VALUES", 100));
  const bool from_truth = from_environment("TESSERA_STUDY_FROM_TRUTH", 0) != 0;
  FitOptions options;
  options.goodness = true;
  options.standard_errors = false;
  Fitter<Exec> fitter{Exec()};
  std::vector<double> ad, ks, cvm;
  in_pieces(samples, size * refits, [&](std::int64_t first, std::int64_t count) {
    std::vector<FourParameters> truths;
    for (std::int64_t k = first; k < first + count; ++k) {
      const Philox::Bits bits = random_of(82, 0).bits(static_cast<std::uint64_t>(k), 0);
      truths.push_back(
          {0.8 + 1.1 * Philox::uniform(bits, 0), 1.6 * Philox::uniform(bits, 1) - 0.8, 2, -1});
    }
    const Samples drawn(truths, size, random_of(82, 1), static_cast<std::uint64_t>(first));
    const std::vector<FitResult> fits = fitter(drawn.values, {}, drawn.tasks, options);
    std::vector<FourParameters> drawn_from;
    std::vector<FitResult> good;
    for (std::size_t k = 0; k < fits.size(); ++k) {
      if (fits[k].status > FitStatus::boundary) continue;
      good.push_back(fits[k]);
      drawn_from.push_back(from_truth ? truths[k] : fits[k].parameters());
    }
    const std::vector<FitResult> found =
        refit(fitter, drawn_from, std::vector<std::vector<FitTask>>(good.size(), {FitTask()}), size,
              refits, random_of(82, 2), static_cast<std::uint64_t>(first * refits),
              BootstrapPlan::refit_options());
    for (std::size_t k = 0; k < good.size(); ++k) {
      const auto begin = found.begin() + static_cast<std::ptrdiff_t>(k) * refits;
      const GoodnessTest test = test_goodness(good[k], {begin, begin + refits});
      ad.push_back(test.anderson_darling.p_value);
      ks.push_back(test.kolmogorov_smirnov.p_value);
      cvm.push_back(test.cramer_von_mises.p_value);
    }
  });
  std::printf(
      "p-values of %zu samples of %d values, %lld refits each; sqrt(m) D of uniform ones exceeds "
      "1.36 once in 20, 1.63 once in 100 times\n",
      ad.size(), size, static_cast<long long>(refits));
  const std::vector<double>* const all[3] = {&ad, &ks, &cvm};
  for (int t = 0; t < 3; ++t) {
    const double distance = distance_from_uniform(*all[t], refits);
    const auto rejected =
        std::count_if(all[t]->begin(), all[t]->end(), [](double p) { return p <= 0.05 + 1e-12; });
    std::printf("%-20s sqrt(m) D %.3f, rejected at 5 %%: %.4f\n",
                t == 0   ? "Anderson-Darling"
                : t == 1 ? "Kolmogorov-Smirnov"
                         : "Cramer-von Mises",
                distance, static_cast<double>(rejected) / static_cast<double>(ad.size()));
    EXPECT_LT(distance, 1.95);
  }
}

/// alpha = 1.9, next to the end of its range: whether the true alpha is accepted, by the
/// chi-squared distribution of the likelihood ratio, by its bootstrapped distribution where the
/// interval reaches 2 or everywhere, by that of the signed root at both ends, and as task fit
/// decides: by the signed root where a fit is at the end of a range or next to 2
/// (is_next_to_normal), else by chi-squared.
TEST(StableStudy, AlphaNextToTwo) {
  const std::int64_t samples = from_environment("TESSERA_STUDY_SAMPLES", 20),
                     refits = from_environment("TESSERA_STUDY_REFITS", 39);
  const auto size = static_cast<std::int32_t>(from_environment("TESSERA_STUDY_VALUES", 200));
  const FourParameters truth{1.9, 0, 1, 0};
  const Quantity quantity{QuantityKind::alpha};
  Fitter<Exec> fitter{Exec()};
  Share chi_squared, where_needed, everywhere, signed_root, as_fit;
  in_pieces(samples, size * refits, [&](std::int64_t first, std::int64_t count) {
    const Samples drawn(std::vector<FourParameters>(static_cast<std::size_t>(count), truth), size,
                        random_of(83, 1), static_cast<std::uint64_t>(first));
    const std::vector<FitResult> fits = fitter(drawn.values, {}, drawn.tasks);
    std::vector<FitTask> held;
    for (std::size_t k = 0; k < fits.size(); ++k) {
      const double half_way = std::isnan(fits[k].alpha) ? 2.0 : 0.5 * (fits[k].alpha + 2);
      for (const double value : {truth.alpha, 2.0, half_way})
        held.push_back(hold(quantity, value, drawn.tasks[k], truth));
    }
    const std::vector<FitResult> with_alpha = fitter(drawn.values, {}, held, profile_options());
    std::vector<FourParameters> nuisance;
    for (std::size_t k = 0; k < fits.size(); ++k)
      nuisance.push_back(with_alpha[3 * k].parameters());
    FitOptions options = BootstrapPlan::refit_options();
    options.goodness = false;
    const std::vector<std::vector<FitTask>> hypotheses(
        fits.size(), {hold(quantity, truth.alpha, FitTask(), truth), FitTask()});
    const std::vector<FitResult> found =
        refit(fitter, nuisance, hypotheses, size, refits, random_of(83, 2),
              static_cast<std::uint64_t>(first * refits), options);
    for (std::size_t k = 0; k < fits.size(); ++k) {
      if (fits[k].status > FitStatus::boundary || with_alpha[3 * k].status > FitStatus::boundary)
        continue;
      const double ratio = likelihood_ratio(with_alpha[3 * k], fits[k]);
      const double root = std::copysign(std::sqrt(ratio), fits[k].alpha - truth.alpha);
      std::int64_t larger = 0, above = 0, below = 0, total = 0;
      for (std::int64_t r = 0; r < refits; ++r) {
        const FitResult* const pair =
            &found[(k * static_cast<std::size_t>(refits) + static_cast<std::size_t>(r)) * 2];
        if (pair[0].status > FitStatus::boundary || pair[1].status > FitStatus::boundary) continue;
        const double own = likelihood_ratio(pair[0], pair[1]),
                     own_root = std::copysign(std::sqrt(own), pair[1].alpha - truth.alpha);
        ++total;
        larger += own >= ratio ? 1 : 0;
        above += own_root >= root ? 1 : 0;
        below += own_root <= root ? 1 : 0;
      }
      const auto p = [&](std::int64_t number) {
        return static_cast<double>(number + 1) / static_cast<double>(total + 1);
      };
      const double critical = critical_deviance(0.95);
      const bool reaches = likelihood_ratio(with_alpha[3 * k + 1], fits[k]) <= critical;
      const bool next = fits[k].status == FitStatus::boundary ||
                        likelihood_ratio(with_alpha[3 * k + 2], fits[k]) <= critical;
      chi_squared.add(ratio <= critical);
      where_needed.add(reaches ? p(larger) > 0.05 : ratio <= critical);
      everywhere.add(p(larger) > 0.05);
      const bool by_root = p(above) > 0.025 && p(below) > 0.025;
      signed_root.add(by_root);
      as_fit.add(next ? by_root : ratio <= critical);
    }
  });
  std::printf(
      "alpha 1.9, %lld samples of %d values, %lld refits: chi-squared %s, bootstrapped where the "
      "interval reaches 2 %s, everywhere %s, signed root %s, as task fit %s\n",
      static_cast<long long>(chi_squared.count), size, static_cast<long long>(refits),
      chi_squared.text().c_str(), where_needed.text().c_str(), everywhere.text().c_str(),
      signed_root.text().c_str(), as_fit.text().c_str());
  if (is_test()) {
    EXPECT_EQ(chi_squared.count, samples);
  }
  chi_squared.check();
  everywhere.check();
  signed_root.check();
  as_fit.check();
}

}  // namespace
}  // namespace tessera::stable

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/tasks/goodness_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tessera::stable {

namespace {

using io::Attributes;
using io::Shape;

/// Tests with their names, in a group of their own.
void write_tests(const io::Group& group, const std::vector<std::string>& names,
                 const std::string& what, const std::vector<const BootstrapTest*>& tests) {
  std::vector<double> statistic, p;
  std::vector<std::int64_t> failed;
  std::size_t most = 0;
  for (const BootstrapTest* test : tests) {
    statistic.push_back(test->statistic);
    p.push_back(test->p_value);
    failed.push_back(test->failed);
    most = std::max(most, test->replicates.size());
  }
  std::vector<double> replicates;
  for (const BootstrapTest* test : tests) {
    replicates.insert(replicates.end(), test->replicates.begin(), test->replicates.end());
    replicates.resize(replicates.size() + most - test->replicates.size(), NAN);
  }
  group.write("tests", names, Attributes{"1", what});
  group.write("statistic", statistic, Attributes{"1", "their statistics for the data"});
  group.write(
      "p_value", p,
      Attributes{
          "1", "share of samples of the distribution tested whose statistic is at least as large"});
  group.write("replicates", replicates, Shape{tests.size(), most},
              Attributes{"1", "statistics of these samples; NaN fills rows"});
  group.write("failed", failed, Attributes{"1", "refits that did not converge and do not count"});
}

std::string describe_p(const std::string& name, const BootstrapTest& test) {
  char text[80];
  std::snprintf(text, sizeof text, " %s %.4g", name.c_str(), test.p_value);
  return text;
}

}  // namespace

const BootstrapTest& find_test(const GoodnessTest& tests, const std::string& statistic) {
  return statistic == "ad"   ? tests.anderson_darling
         : statistic == "ks" ? tests.kolmogorov_smirnov
                             : tests.cramer_von_mises;
}

void write_goodness(const io::Group& results, const std::vector<std::string>& statistics,
                    const GoodnessTest& tests) {
  std::vector<const BootstrapTest*> chosen;
  for (const std::string& statistic : statistics) chosen.push_back(&find_test(tests, statistic));
  write_tests(results.group("goodness"), statistics,
              "goodness of fit: ad Anderson-Darling, ks Kolmogorov-Smirnov, cvm Cramer-von Mises",
              chosen);
}

void write_likelihood_ratios(const io::Group& results, const std::vector<Hypothesis>& hypotheses,
                             const std::vector<BootstrapTest>& tests) {
  std::vector<std::string> names;
  std::vector<const BootstrapTest*> chosen;
  for (std::size_t k = 0; k < tests.size(); ++k) {
    names.push_back(name(hypotheses[k]));
    chosen.push_back(&tests[k]);
  }
  write_tests(results.group("likelihood_ratio"), names,
              "distributions tested: the statistic is twice the difference of log-likelihoods",
              chosen);
}

std::string describe_goodness(const std::vector<std::string>& statistics,
                              const GoodnessTest& tests) {
  std::string text = "goodness of fit: p =";
  for (std::size_t k = 0; k < statistics.size(); ++k) {
    text += (k == 0 ? "" : ",") + describe_p(statistics[k], find_test(tests, statistics[k]));
  }
  return text;
}

std::string describe_likelihood_ratios(const std::vector<Hypothesis>& hypotheses,
                                       const std::vector<BootstrapTest>& tests) {
  std::string text = "likelihood ratios: p =";
  for (std::size_t k = 0; k < tests.size(); ++k)
    text += (k == 0 ? "" : ",") + describe_p(name(hypotheses[k]), tests[k]);
  return text;
}

}  // namespace tessera::stable

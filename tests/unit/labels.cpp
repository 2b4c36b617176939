// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Every kernel that a system launches and every View that it allocates has a label that says whose
// it is. CMake builds this source for each model, whose name is TESSERA_TEST_MODEL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include TESSERA_TEST_APPLICATION  // "tessera/MODEL/application.hpp"
#include "tessera/core/app/input.hpp"
#include "tessera/core/app/write_results.hpp"
#include "tessera/core/optimize/maximizer.hpp"
#include "tests/harness/backend.hpp"
#include "tests/harness/kokkos_events.hpp"
#include "tests/harness/paths.hpp"

namespace {

using namespace tessera;

/// A run, from the input to the results.
void run(const std::string& input, const std::vector<std::string>& overrides) {
  const CheckedInput checked =
      read_input({TESSERA_TEST_MODEL::application()},
                 std::string(test::kInputsDirectory) + "/" + input, overrides);
  ASSERT_FALSE(checked.document.has_errors()) << checked.document.report();
  const std::unique_ptr<Model> model = checked.make_model(test::backend());
  model->initialize();
  while (model->advance()) {
  }
  write_results(model.get(), checked.provenance(test::backend(), "labels"), "labels.h5");
}

struct Problem {
  std::string name, input;
  std::vector<std::string> overrides;
};

std::ostream& operator<<(std::ostream& out, const Problem& problem) { return out << problem.input; }

const std::vector<Problem> kProblems{
    {"Functions", "bessel/quickstart.yaml", {}},
    {"Matern", "bessel/matern.yaml", {}},
    {"Functions", "boys/quickstart.yaml", {}},
    {"Integrals", "boys/integrals.yaml", {}},
    {"Conservative", "gbees/quickstart.yaml", {"time.end=1.05", "time.records=1"}},
    {"Reference",
     "gbees/quickstart.yaml",
     {"time.end=1.05", "time.records=1", "grid.scheme=reference"}},
    {"Particles",
     "gbees/quickstart.yaml",
     {"time.end=1.05", "time.records=1", "validate.monte_carlo.samples=1000"}},
    {"Conjunction", "gbees/conjunction.yaml", {"conjunction.relative_error=0.2"}},
    {"Quickstart", "gp/quickstart.yaml", {"predict.grid=[8, 8]", "data.sample=60"}},
    {"Gradients",
     "gp/quickstart.yaml",
     {"predict.grid=[8, 8]", "data.sample=60", "fit.method=lbfgs", "fit.standard_errors=fisher"}},
    {"Validate", "mpr/quickstart.yaml", {}},
    {"Paper", "mpr/quickstart.yaml", {"model.mode=paper"}},
    {"Simulate", "mpr/specific_energy.yaml", {"simulate.size=[16, 16]", "simulate.sweeps=10"}},
    {"Fit", "stable/quickstart.yaml", {}},
    {"Regression", "stable/regression.yaml", {}},
    {"RegressionGroups", "stable/regression_groups.yaml", {}},
    {"Multivariate", "stable/multivariate.yaml", {}},
    {"Garch", "stable/garch.yaml", {"garch.backtest.step=500"}},
    {"Panel", "stable/panel.yaml", {}},
    {"Intervals", "stable/intervals.yaml", {"fit.refits=19", "fit.risk=[]"}},
    {"Goodness", "stable/goodness.yaml", {"goodness.refits=3"}},
    {"Evaluate", "stable/evaluate.yaml", {}},
    {"Sample", "stable/sample.yaml", {"problem.n=1000"}},
    {"FitMany", "stable/fit_many.yaml", {"problem.n=3000"}},
};

std::vector<Problem> problems_of_the_model() {
  const std::string folder = TESSERA_TEST_MODEL::application().name + "/";
  std::vector<Problem> own;
  for (const Problem& problem : kProblems) {
    if (problem.input.compare(0, folder.size(), folder) == 0) own.push_back(problem);
  }
  return own;
}

class Labels : public testing::TestWithParam<Problem> {};

TEST_P(Labels, SayWhoseTheyAre) {
  const bool fits_fields = GetParam().input == "gp/quickstart.yaml";
  if (fits_fields && !optimize::Maximizer::available()) GTEST_SKIP() << "no NLopt";
  const auto events = test::record_events([&] { run(GetParam().input, GetParam().overrides); });
  EXPECT_FALSE(events.empty());
  EXPECT_THAT(test::foreign_labels(events), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Runs, Labels, testing::ValuesIn(problems_of_the_model()),
                         [](const auto& info) { return info.param.name; });

}  // namespace

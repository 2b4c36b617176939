// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// A run can be stopped after each batch of its work, whatever it was, and continued to the same
// bits. CMake builds this source for each model whose runs can be continued, TESSERA_TEST_MODEL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include TESSERA_TEST_APPLICATION  // "tessera/MODEL/application.hpp"
#include "tessera/core/app/input.hpp"
#include "tessera/core/app/write_results.hpp"
#include "tessera/core/io/compare.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/file_stamp.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/optimize/maximizer.hpp"
#include "tests/harness/backend.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/io_scratch.hpp"

namespace {

using namespace tessera;

/// Segments with particles, filters, regions that are looked at between records, and dynamics that
/// jump: every stage of a run of gbees.
constexpr const char* kEveryStage =
    "app: gbees\n"
    "model: {variables: [x, v], equations: [v, -x - 0.4*v + 0.1*(t > 0.3)], noise: [0.02, 0.05]}\n"
    "grid: {spacing: [0.1, 0.15], threshold: 1.0e-6}\n"
    "initial: {mean: [1.0, 0.5], covariance: [[0.04, 0.01], [0.01, 0.09]]}\n"
    "measurements:\n"
    "  - {time: 0.2, variable: x, value: 1.1, variance: 0.05}\n"
    "  - {time: 0.4, quantities: [x + v, x], values: [0.9, 1.1], variances: [0.1, 0.1]}\n"
    "regions: [{name: right, inside: x > 1.1, at: [0.13, 0.5]}]\n"
    "time: {end: 0.6, records: 2}\n"
    "validate: {monte_carlo: {samples: 200},\n"
    "           filters: {ukf: {}, enkf: {members: 100}, particle: {particles: 200}}}\n";

struct Problem {
  std::string name, text, input;  ///< the text of an input, or its file
  std::vector<std::string> overrides;
  bool replays = false;  ///< a run that goes on repeats its batches from a record first
};

std::ostream& operator<<(std::ostream& out, const Problem& problem) { return out << problem.name; }

const std::vector<Problem> kProblems{
    {"gbees.EveryStage", kEveryStage, "", {}},
    {"gbees.Reference",
     "",
     "gbees/quickstart.yaml",
     {"time.end=1.05", "time.records=1", "grid.scheme=reference"}},
    {"gbees.Conjunction", "", "gbees/conjunction.yaml", {"conjunction.relative_error=0.05"}},
    {"gp.Quickstart", "", "gp/quickstart.yaml", {"predict.grid=[8, 8]", "data.sample=60"}, true},
    {"mpr.Draws", "", "mpr/sea_surface.yaml", {"output.ensemble=3"}},
    {"mpr.Paper",
     "",
     "mpr/sea_surface.yaml",
     {"model.mode=paper", "simulation.sampling_sweeps=300", "output.ensemble=3"}},
    {"stable.Intervals", "", "stable/intervals.yaml", {"fit.refits=19", "fit.risk=[]"}},
    {"stable.Goodness", "", "stable/goodness.yaml", {"goodness.refits=3"}},
    {"stable.Panel", "", "stable/panel.yaml", {}},
};

std::vector<Problem> problems_of_the_model() {
  const std::string prefix = TESSERA_TEST_MODEL::application().name + ".";
  std::vector<Problem> own;
  for (Problem problem : kProblems) {
    if (problem.name.compare(0, prefix.size(), prefix) != 0) continue;
    problem.name = problem.name.substr(prefix.size());
    own.push_back(problem);
  }
  return own;
}

class Restarts : public test::Scratch, public testing::WithParamInterface<Problem> {
 protected:
  CheckedInput read() const {
    const std::vector<Application> applications{TESSERA_TEST_MODEL::application()};
    const Problem& problem = GetParam();
    if (!problem.text.empty())
      return parse_input(applications, problem.text, "input.yaml", problem.overrides);
    return read_input(applications, std::string(test::kInputsDirectory) + "/" + problem.input,
                      problem.overrides);
  }

  /// Writes the state of a run and continues it in a new model.
  std::unique_ptr<Model> stop_and_go_on(const CheckedInput& input, Model& model) const {
    const io::Provenance provenance = input.provenance(test::backend(), "restarts");
    const std::string name = path("restart.h5");
    model.gather();
    {
      io::RestartWriter file(name, provenance);
      io::Group state = file.state();
      model.save(state);
      file.commit_beside(io::stamp_file(name));
    }
    const io::RestartReader restart(name, provenance, input.changeable);
    std::unique_ptr<Model> next = input.make_model(test::backend());
    next->load(restart.state());
    return next;
  }

  /// Runs to the end, stopped behind each of these batches, which are counted from 1, and writes
  /// the results. Returns the number of batches.
  int run(const CheckedInput& input, const std::vector<int>& stops, const std::string& name) const {
    std::unique_ptr<Model> model = input.make_model(test::backend());
    model->initialize();
    auto stop = stops.begin();
    int batch = 1;
    for (; model->advance(); ++batch) {
      if (stop == stops.end() || *stop != batch) continue;
      model = stop_and_go_on(input, *model);
      ++stop;
    }
    model->gather_results();
    write_results(model.get(), input.provenance(test::backend(), "restarts"), path(name));
    return batch;
  }

  std::vector<std::string> differences(const std::string& first, const std::string& second) const {
    const io::File a = io::File::open(path(first)), b = io::File::open(path(second));
    std::vector<std::string> paths;
    for (const io::DatasetDifference& difference : io::compare_results(a.root(), b.root()))
      if (!difference.equal()) paths.push_back(difference.path);
    return paths;
  }
};

TEST_P(Restarts, AfterEachBatch) {
  constexpr int kMostStops = 60;
  if (GetParam().replays && !optimize::Maximizer::available()) GTEST_SKIP() << "no NLopt";
  const CheckedInput input = read();
  ASSERT_FALSE(input.document.has_errors()) << input.document.report();
  const int batches = run(input, {}, "whole.h5");
  std::vector<std::vector<int>> runs(1);
  for (int stop = 1; stop < batches; stop += (batches + kMostStops - 1) / kMostStops) {
    if (GetParam().replays) runs.emplace_back();
    runs.back().push_back(stop);
  }
  for (const std::vector<int>& stops : runs) {
    SCOPED_TRACE("of " + std::to_string(batches) + " batches, " + testing::PrintToString(stops));
    run(input, stops, "stopped.h5");
    EXPECT_THAT(differences("whole.h5", "stopped.h5"), testing::IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, Restarts, testing::ValuesIn(problems_of_the_model()),
                         [](const auto& info) { return info.param.name; });

}  // namespace

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/gbees/program/model.hpp"

namespace tessera::gbees {

/// A convergence study: the run of an input with several CFL numbers, and on several spacings, each
/// held against a reference run at the end; runs by the legacy scheme are held against that for the
/// CFL numbers. A reference on another spacing is shared out over the
/// cells of the run. Thresholds are multiplied by the volume of a cell, since they are
/// probabilities of cells.
template <int D, class Word>
class StudyModel final : public Model {
 public:
  StudyModel(const detail::Instance<D, Word>& instance, const Parameters& parameters,
             const RunSettings& settings)
      : m_instance(instance), m_parameters(parameters), m_settings(settings) {
    const StudyParameters& study = parameters.study;
    if (!study.cfl.empty())
      add_cases(study.reference_cfl, study.cfl, [](Case& c, double value) { c.cfl = value; });
    for (const double step : study.legacy_steps) {
      Case one;
      one.legacy_step = step;
      m_cases.push_back(one);
    }
    if (!study.spacing.empty())
      add_cases(study.reference_spacing, study.spacing,
                [](Case& c, double value) { c.spacing = value; });
  }

  void initialize() override {
    make_run();
    begin();
  }

  bool advance() override {
    if (!m_has_begun) {
      begin();
      return true;
    }
    if (m_run->advance()) return true;
    end();
    if (++m_index == m_cases.size()) return false;
    make_run();
    return true;
  }

  Progress progress() const override {
    const Progress of_run = m_run->progress();
    Progress progress = of_run;
    progress.done =
        static_cast<double>(m_index) + (m_index < m_cases.size() ? of_run.done / of_run.total : 0);
    progress.total = static_cast<double>(m_cases.size());
    progress.unit = "runs";
    progress.work =
        static_cast<double>(m_cell_steps) + (m_index < m_cases.size() ? of_run.work : 0);
    return progress;
  }

  std::string indivisible() const override { return {}; }
  std::string precision() const override { return m_instance.precision; }
  std::string summary() const override {
    return std::to_string(m_index) + " runs, " + std::to_string(m_cell_steps) + " cell-steps";
  }

  void write(io::ResultsFile& file) const override;
  bool restartable() const override { return true; }
  void gather() override {
    if (m_has_begun) m_run->gather();
  }
  void save(io::Group& state) const override;
  void load(const io::Group& state) override;

 private:
  /// One run and its results.
  struct Case {
    double cfl = 1, spacing = 1;  ///< spacing: a factor
    double legacy_step = 0;       ///< of the legacy scheme; 0: another scheme
    bool is_reference = false;
    double steps = 0, cell_steps = 0, max_cells = 0, l1 = 0, bhattacharyya = 1, lost_mass = 0;
    std::vector<double> mean = std::vector<double>(D, 0.0);

    static constexpr std::size_t kNumbers = 6 + D;
    std::vector<double> numbers() const {
      std::vector<double> all{steps, cell_steps, max_cells, l1, bhattacharyya, lost_mass};
      all.insert(all.end(), mean.begin(), mean.end());
      return all;
    }
    void set_numbers(const double* from) {
      steps = from[0];
      cell_steps = from[1];
      max_cells = from[2];
      l1 = from[3];
      bhattacharyya = from[4];
      lost_mass = from[5];
      mean.assign(from + 6, from + kNumbers);
    }
  };

  template <class Set>
  void add_cases(double reference, const std::vector<double>& values, const Set& set) {
    Case one;
    one.cfl = m_parameters.propagator.cfl;
    one.is_reference = true;
    set(one, reference);
    m_cases.push_back(one);
    one.is_reference = false;
    for (const double value : values) {
      set(one, value);
      m_cases.push_back(one);
    }
  }

  /// Makes the run of the present case, which begins when the model advances next: a signal may
  /// come then.
  void make_run() {
    Parameters parameters = m_parameters;
    parameters.propagator.cfl = m_cases[m_index].cfl;
    if (m_cases[m_index].legacy_step > 0) {
      parameters.propagator.grows_all_ways = true;
      parameters.longest_step = m_cases[m_index].legacy_step;
    }
    for (double& spacing : parameters.spacing) {
      spacing *= m_cases[m_index].spacing;
      parameters.propagator.threshold *= m_cases[m_index].spacing;
    }
    m_run = std::make_unique<GbeesModel<D, Word>>(m_instance, parameters, m_settings);
    m_has_begun = false;
  }

  void begin() {
    m_run->initialize();
    m_has_begun = true;
  }

  /// Notes the results of the present run.
  void end() {
    Case& now = m_cases[m_index];
    const auto& density = m_run->density();
    now.steps = static_cast<double>(density.state().steps);
    now.cell_steps = static_cast<double>(density.state().cell_steps);
    now.max_cells = static_cast<double>(density.state().max_cells);
    now.lost_mass = m_run->records().back().lost_mass;
    now.mean = m_run->records().back().mean;
    CellListOf<Word> cells = density.cells(0);
    if (now.is_reference) {
      m_reference = cells;
      m_reference_grid = density.grid();
    } else if (m_settings.ranks.is_root()) {  // which has the cells
      Grid<D> grid = density.grid();
      if (m_parameters.propagator.recentre) {
        grid.offset = window_about(cells, density.grid().offset);
        cells = in_window(cells, density.grid().offset, grid.offset);
      }
      const DensityDistance distance = compare(cells, reference_on(grid));
      now.l1 = distance.l1;
      now.bhattacharyya = distance.bhattacharyya;
    }
    m_cell_steps += density.state().cell_steps;
  }

  CellListOf<Word> reference_on(const Grid<D>& grid) const {
    bool is_same = true;
    std::vector<double> size;
    for (int i = 0; i < D; ++i) {
      size.push_back(m_reference_grid.spacing[i]);
      is_same = is_same && grid.spacing[i] == m_reference_grid.spacing[i];
    }
    if (is_same) return in_window(m_reference, m_reference_grid.offset, grid.offset);
    std::vector<double> centres;
    for (const Word key : m_reference.key) {
      const Vector<D> x = m_reference_grid.centre(key);
      centres.insert(centres.end(), &x[0], &x[0] + D);
    }
    return deposit<D, Word>(centres, m_reference.probability, size, grid);
  }

  detail::Instance<D, Word> m_instance;
  Parameters m_parameters;
  RunSettings m_settings;
  std::vector<Case> m_cases;
  std::size_t m_index = 0;  // of the case that runs
  std::unique_ptr<GbeesModel<D, Word>> m_run;
  bool m_has_begun = false;        // the run
  std::uint64_t m_cell_steps = 0;  // of the cases that are done
  CellListOf<Word> m_reference;    // of the last reference run that is done
  Grid<D> m_reference_grid{};
};

template <int D, class Word>
void StudyModel<D, Word>::write(io::ResultsFile& file) const {
  const auto column = [&](auto&& of) {
    std::vector<double> values;
    for (std::size_t i = 0; i < std::min(m_index, m_cases.size()); ++i)
      values.push_back(of(m_cases[i]));
    return values;
  };
  const io::Group group = file.results().group("study");
  using io::Attributes;
  group.write("reference", column([](const Case& c) { return c.is_reference ? 1.0 : 0.0; }),
              Attributes{"1", "1: a reference run, which those after it are compared with"});
  group.write("cfl", column([](const Case& c) { return c.cfl; }), Attributes{"1", "CFL number"});
  group.write("spacing", column([](const Case& c) { return c.spacing; }),
              Attributes{"1", "factor on the spacing of the grid"});
  group.write("legacy_step", column([](const Case& c) { return c.legacy_step; }),
              Attributes{"1", "time step of the legacy scheme, or 0: another scheme"});
  group.write("l1", column([](const Case& c) { return c.l1; }),
              Attributes{"1", "sum of the differences from the reference on the cells, 0 to 2"});
  group.write("bhattacharyya", column([](const Case& c) { return c.bhattacharyya; }),
              Attributes{"1", "Bhattacharyya coefficient with the reference"});
  group.write("steps", column([](const Case& c) { return c.steps; }), Attributes{"1", "steps"});
  group.write("cell_steps", column([](const Case& c) { return c.cell_steps; }),
              Attributes{"1", "sum over the steps of the cells on the grid"});
  group.write("max_cells", column([](const Case& c) { return c.max_cells; }),
              Attributes{"1", "most cells on the grid"});
  group.write("lost_mass", column([](const Case& c) { return c.lost_mass; }),
              Attributes{"1", "probability lost since the start or the last measurement"});
  std::vector<double> means;
  for (std::size_t i = 0; i < std::min(m_index, m_cases.size()); ++i)
    means.insert(means.end(), m_cases[i].mean.begin(), m_cases[i].mean.end());
  group.write("mean", means, io::Shape{means.size() / D, D},
              Attributes{"1", "mean of the density at the end"});
  file.coordinates().write("variables", m_parameters.dynamics.variables,
                           Attributes{"1", "names of the state variables"});
  file.series().set_attribute("cell_steps", m_cell_steps);
}

template <int D, class Word>
void StudyModel<D, Word>::save(io::Group& state) const {
  const io::Attributes plain;
  state.set_attribute("case", static_cast<std::uint64_t>(m_index));
  state.set_attribute("cell_steps", m_cell_steps);
  state.set_attribute("end", m_parameters.end);
  std::vector<double> numbers;
  for (const Case& one : m_cases) {
    const std::vector<double> of_case = one.numbers();
    numbers.insert(numbers.end(), of_case.begin(), of_case.end());
  }
  state.write("cases", numbers, io::Shape{m_cases.size(), Case::kNumbers},
              io::Attributes{"1",
                             "steps, cell-steps, most cells, l1, Bhattacharyya coefficient, lost "
                             "mass and mean of each case"});
  save_keys(state, "reference_key", m_reference.key);
  state.write("reference_mass", m_reference.probability, plain);
  std::vector<double> grid;
  for (int i = 0; i < D; ++i) {
    grid.push_back(m_reference_grid.origin[i]);
    grid.push_back(m_reference_grid.spacing[i]);
  }
  state.write("reference_grid", grid, io::Shape{D, 2}, plain);
  save_offset(state, "reference_offset", m_reference_grid.offset);
  state.set_attribute("has_begun", m_has_begun);
  if (m_has_begun) {
    io::Group run = state.group("run");
    m_run->save(run);
  }
}

template <int D, class Word>
void StudyModel<D, Word>::load(const io::Group& state) {
  const auto index = state.attribute<std::uint64_t>("case");
  if (index >= m_cases.size())
    throw state.misfit(
        "", "is at case " + std::to_string(index) + " of " + std::to_string(m_cases.size()));
  require_same_end(state.attribute<double>("end"), m_parameters);
  m_index = static_cast<std::size_t>(index);
  m_cell_steps = state.attribute<std::uint64_t>("cell_steps");
  const auto numbers = state.read<double>("cases", {m_cases.size(), Case::kNumbers});
  for (std::size_t i = 0; i < m_cases.size(); ++i)
    m_cases[i].set_numbers(numbers.data() + i * Case::kNumbers);
  m_reference.key = load_keys<Word>(state, "reference_key");
  m_reference.probability = state.read<double>("reference_mass", {m_reference.key.size()});
  const auto grid = state.read<double>("reference_grid", {D, 2});
  for (int i = 0; i < D; ++i) {
    m_reference_grid.origin[i] = grid[static_cast<std::size_t>(2 * i)];
    m_reference_grid.spacing[i] = grid[static_cast<std::size_t>(2 * i + 1)];
  }
  m_reference_grid.offset = load_offset<D>(state, "reference_offset");
  make_run();
  if (state.attribute<bool>("has_begun")) {
    m_run->load(state.group("run"));
    m_has_begun = true;
  }
}

}  // namespace tessera::gbees

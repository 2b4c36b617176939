// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/state_figures.hpp"

namespace tessera::gbees {

namespace {

using io::Attributes;
using io::Shape;

/// A vector of every record, one row a record.
std::vector<double> stack(const std::vector<const StateFigures*>& records,
                          std::vector<double> StateFigures::*member) {
  std::vector<double> rows;
  for (const StateFigures* const record : records)
    rows.insert(rows.end(), (record->*member).begin(), (record->*member).end());
  return rows;
}

}  // namespace

void write_state(const io::Group& results, const std::vector<const StateFigures*>& records,
                 const std::vector<std::string>& names, const Units& units) {
  if (records.empty()) return;
  const io::Group group = results.group("state");
  const std::uint64_t count = records.size(), dimension = names.size();
  group.write("variables", names, Attributes{"1", "names of the variables of the state"});
  group.write("mean", stack(records, &StateFigures::mean), Shape{count, dimension},
              Attributes{units.of_all(), "mean of the state"});
  group.write("covariance", stack(records, &StateFigures::covariance),
              Shape{count, dimension, dimension}, Attributes{"1", "covariance of the state"});
  const std::vector<const Marginals*> marginals(records.begin(), records.end());
  std::vector<Axis> axes;
  for (const std::string& name : names) axes.push_back({name});
  for (std::size_t i = 0; i < dimension; ++i) {
    write_own_marginal(group, group, marginals, names[i], i);
    group.set_attribute("units", units.of_variable(i), "x" + std::to_string(i + 1));
  }
  for (std::size_t r = 0; r < records.size(); ++r) {
    const StateFigures& record = *records[r];
    if (!record.pairs.empty()) write_pairs(group, record, r, axes);
    if (record.cells.empty()) continue;
    group.group("record_" + std::to_string(r))
        .write("x", record.cells, Shape{record.cells.size() / dimension, dimension},
               Attributes{units.of_all(), "states at the centres of the cells of the record"});
  }
}

void save_state(const io::Group& group, const StateFigures& figures) {
  const Attributes plain;
  group.write("mean", figures.mean, plain);
  group.write("covariance", figures.covariance, plain);
  group.write("low", figures.low, plain);
  group.write("cells", figures.cells, plain);
  save_marginals(group, figures);
}

StateFigures load_state(const io::Group& group, std::size_t dimension, bool pairs,
                        std::size_t cells) {
  StateFigures figures;
  figures.mean = group.read<double>("mean", {dimension});
  figures.covariance = group.read<double>("covariance", {dimension * dimension});
  figures.low = group.read<std::int64_t>("low", {dimension});
  figures.cells = group.read<double>("cells", {cells * dimension});
  load_marginals(group, dimension, pairs, figures);
  return figures;
}

}  // namespace tessera::gbees

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/record.hpp"

#include <algorithm>

namespace tessera::gbees {

namespace {

using io::Attributes;
using io::Shape;

/// One member of every record, in a row.
template <class Member>
auto gather(const std::vector<Record>& records, Member Record::*member) {
  std::vector<Member> values;
  for (const Record& record : records) values.push_back(record.*member);
  return values;
}

/// A vector member of every record, one row a record.
std::vector<double> stack(const std::vector<Record>& records, std::vector<double> Record::*member) {
  std::vector<double> rows;
  for (const Record& record : records) rows.insert(rows.end(), (record.*member).begin(), (record.*member).end());
  return rows;
}

/// The marginals along one axis on the smallest common range of indices.
void write_marginal(const io::Group& results, const io::Group& coordinates, const std::vector<Record>& records, const Axis& axis,
                    std::size_t i) {
  std::int64_t low = records.front().low[i], high = low;
  for (const Record& record : records) {
    low = std::min(low, record.low[i]);
    high = std::max(high, record.low[i] + static_cast<std::int64_t>(record.marginal[i].size()));
  }
  const std::size_t length = static_cast<std::size_t>(high - low);
  std::vector<double> centres(length), rows(records.size() * length, 0.0);
  for (std::size_t k = 0; k < length; ++k)
    centres[k] = axis.origin + axis.spacing * static_cast<double>(low + static_cast<std::int64_t>(k));
  for (std::size_t r = 0; r < records.size(); ++r) {
    const auto& bins = records[r].marginal[i];
    std::copy(bins.begin(), bins.end(), rows.begin() + static_cast<std::ptrdiff_t>(r * length) + (records[r].low[i] - low));
  }
  const std::string number = "x" + std::to_string(i + 1);
  coordinates.write(number, centres, Attributes{"1", "centres of the cells along " + axis.name});
  results.group("marginal_1d")
      .write(number, rows, Shape{records.size(), length}, Attributes{"1", "probability of " + axis.name + " by cell"});
}

void write_cells(const io::Group& results, const Record& record, std::size_t number, std::size_t dimension) {
  const io::Group group = results.group("record_" + std::to_string(number));
  group.write("x", record.cell_x, Shape{record.cell_p.size(), dimension},
              Attributes{"1", "centres of the cells at or above the threshold"});
  group.write("p", record.cell_p, Attributes{"1", "probability of each cell"});
}

/// The joint marginals of one record, each with the centres of its cells.
void write_pairs(const io::Group& results, const Record& record, std::size_t number, const std::vector<Axis>& axes) {
  const io::Group group = results.group("pairs_" + std::to_string(number));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::vector<double> centres;
    for (std::size_t k = 0; k < record.marginal[i].size(); ++k) {
      centres.push_back(axes[i].origin + axes[i].spacing * static_cast<double>(record.low[i] + static_cast<std::int64_t>(k)));
    }
    group.write("x" + std::to_string(i + 1), centres, Attributes{"1", "centres of the cells along " + axes[i].name});
  }
  for (const PairMarginal& pair : record.pairs) {
    const auto i = static_cast<std::size_t>(pair.first), j = static_cast<std::size_t>(pair.second);
    group.write("x" + std::to_string(i + 1) + "_x" + std::to_string(j + 1), pair.probability,
                Shape{record.marginal[i].size(), record.marginal[j].size()},
                Attributes{"1", "probability of " + axes[i].name + " and " + axes[j].name + " by cell"});
  }
}

/// One member of every record's Monte Carlo comparison.
std::vector<double> gather_particles(const std::vector<Record>& records, double MonteCarloRecord::*member) {
  std::vector<double> values;
  for (const Record& record : records) values.push_back(record.monte_carlo.front().*member);
  return values;
}

std::vector<double> stack_particles(const std::vector<Record>& records, std::vector<double> MonteCarloRecord::*member) {
  std::vector<double> rows;
  for (const Record& record : records) {
    const std::vector<double>& row = record.monte_carlo.front().*member;
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

void write_monte_carlo(const io::Group& group, const std::vector<Record>& records, std::uint64_t dimension) {
  const std::uint64_t count = records.size();
  group.write("mean", stack_particles(records, &MonteCarloRecord::mean), Shape{count, dimension}, Attributes{"1", "mean of the particles"});
  group.write("covariance", stack_particles(records, &MonteCarloRecord::covariance), Shape{count, dimension, dimension},
              Attributes{"1", "covariance of the particles"});
  group.write("effective_samples", gather_particles(records, &MonteCarloRecord::effective_samples),
              Attributes{"1", "1 / sum of the squared weights of the particles"});
  group.write("left", gather_particles(records, &MonteCarloRecord::left),
              Attributes{"1", "weight of the particles that no grid can hold any more"});
  group.write("bhattacharyya", gather_particles(records, &MonteCarloRecord::bhattacharyya),
              Attributes{"1", "Bhattacharyya coefficient of the density and the particles binned on its cells"});
  group.write("l1", gather_particles(records, &MonteCarloRecord::l1),
              Attributes{"1", "sum of the differences of the two on the cells, 0 to 2"});
  group.write("bhattacharyya_kde", gather_particles(records, &MonteCarloRecord::bhattacharyya_kde),
              Attributes{"1", "Bhattacharyya coefficient of the density and a kernel density estimate of the particles on its cells"});
  const std::vector<int>& coarsening = records.front().monte_carlo.front().coarsening;
  if (coarsening.empty()) return;
  const Shape shape{count, coarsening.size()};
  group.write("coarsening", coarsening, Attributes{"1", "cells of the grid that are joined along each axis"});
  group.write("bhattacharyya_coarse", stack_particles(records, &MonteCarloRecord::bhattacharyya_coarse), shape,
              Attributes{"1", "Bhattacharyya coefficient of the two on the joined cells"});
  group.write("l1_coarse", stack_particles(records, &MonteCarloRecord::l1_coarse), shape,
              Attributes{"1", "sum of the differences of the two on the joined cells, 0 to 2"});
}

}  // namespace

void write_records(const io::Group& results, const io::Group& coordinates, const std::vector<Record>& records,
                   const std::vector<Axis>& axes, bool with_cells) {
  const std::uint64_t count = records.size(), dimension = axes.size();
  std::vector<std::string> names;
  std::vector<double> spacing;
  for (const Axis& axis : axes) {
    names.push_back(axis.name);
    spacing.push_back(axis.spacing);
  }
  coordinates.write("variables", names, Attributes{"1", "names of the state variables"});
  coordinates.write("spacing", spacing, Attributes{"1", "size of a cell along each variable"});
  results.write("time", gather(records, &Record::time), Attributes{"1", "time of the record"});
  results.write("segment", gather(records, &Record::segment), Attributes{"1", "number of measurement times passed"});
  results.write("mass", gather(records, &Record::mass), Attributes{"1", "probability on the grid"});
  results.write("lost_mass", gather(records, &Record::lost_mass),
                Attributes{"1", "probability lost since the start or the last measurement"});
  results.write("max_p", gather(records, &Record::max_p), Attributes{"1", "largest probability of a cell"});
  results.write("entropy", gather(records, &Record::entropy), Attributes{"1", "differential entropy of the normalised density, in nats"});
  results.write("cells", gather(records, &Record::cells), Attributes{"1", "existing cells"});
  results.write("active_cells", gather(records, &Record::active_cells), Attributes{"1", "cells at or above the threshold"});
  results.write("mean", stack(records, &Record::mean), Shape{count, dimension}, Attributes{"1", "mean of the normalised density"});
  results.write("mode", stack(records, &Record::mode), Shape{count, dimension}, Attributes{"1", "centre of the most probable cell"});
  results.write("covariance", stack(records, &Record::covariance), Shape{count, dimension, dimension},
                Attributes{"1", "covariance of the normalised density"});
  if (records.empty()) return;
  for (std::size_t i = 0; i < axes.size(); ++i) write_marginal(results, coordinates, records, axes[i], i);
  for (std::size_t r = 0; r < records.size(); ++r) {
    if (!records[r].pairs.empty()) write_pairs(results, records[r], r, axes);
  }
  if (!records.front().monte_carlo.empty()) write_monte_carlo(results.group("monte_carlo"), records, dimension);
  if (!with_cells) return;
  for (std::size_t r = 0; r < records.size(); ++r) write_cells(results, records[r], r, axes.size());
}

void write_history(const io::Group& series, const History& history) {
  std::vector<std::uint64_t> step(history.time.size());
  for (std::size_t i = 0; i < step.size(); ++i) step[i] = i + 1;
  series.write("step", step, Attributes{"1", "number of the step"});
  series.write("time", history.time, Attributes{"1", "time at the end of the step"});
  series.write("dt", history.dt, Attributes{"1", "length of the step"});
  series.write("cells_existing", history.cells_existing, Attributes{"1", "cells on the grid"});
  series.write("cells_active", history.cells_active, Attributes{"1", "cells at or above the threshold after the step"});
  series.write("mass", history.mass, Attributes{"1", "probability on the grid after the step"});
  series.write("lost_mass", history.lost_mass, Attributes{"1", "probability lost since the start or the last measurement"});
}

void save_history(const io::Group& group, const History& history) { write_history(group, history); }

History load_history(const io::Group& group) {
  History history;
  history.time = group.read<double>("time");
  history.dt = group.read<double>("dt");
  history.mass = group.read<double>("mass");
  history.lost_mass = group.read<double>("lost_mass");
  history.cells_existing = group.read<std::uint64_t>("cells_existing");
  history.cells_active = group.read<std::uint64_t>("cells_active");
  return history;
}

void save_records(const io::Group& group, const std::vector<Record>& records) {
  const Attributes plain;
  group.set_attribute("count", static_cast<std::uint64_t>(records.size()));
  for (std::size_t r = 0; r < records.size(); ++r) {
    const Record& record = records[r];
    const io::Group one = group.group(std::to_string(r));
    one.write("scalars", std::vector<double>{record.time, record.mass, record.lost_mass, record.max_p, record.entropy}, plain);
    one.write("counts", std::vector<std::uint64_t>{static_cast<std::uint64_t>(record.segment), record.cells, record.active_cells}, plain);
    one.write("mean", record.mean, plain);
    one.write("mode", record.mode, plain);
    one.write("covariance", record.covariance, plain);
    one.write("low", record.low, plain);
    for (std::size_t i = 0; i < record.marginal.size(); ++i) one.write("marginal_" + std::to_string(i), record.marginal[i], plain);
    one.write("cell_x", record.cell_x, plain);
    one.write("cell_p", record.cell_p, plain);
    for (std::size_t i = 0; i < record.pairs.size(); ++i) {
      const PairMarginal& pair = record.pairs[i];
      one.write("pair_" + std::to_string(i), pair.probability, plain);
      one.write("pair_axes_" + std::to_string(i), std::vector<std::int64_t>{pair.first, pair.second}, plain);
    }
    for (const MonteCarloRecord& particles : record.monte_carlo) {
      one.write("particle_mean", particles.mean, plain);
      one.write("particle_covariance", particles.covariance, plain);
      one.write("particle_scalars",
                std::vector<double>{particles.effective_samples, particles.left, particles.bhattacharyya, particles.l1,
                                    particles.bhattacharyya_kde},
                plain);
      one.write("particle_coarsening", particles.coarsening, plain);
      one.write("particle_bhattacharyya_coarse", particles.bhattacharyya_coarse, plain);
      one.write("particle_l1_coarse", particles.l1_coarse, plain);
    }
  }
}

std::vector<Record> load_records(const io::Group& group) {
  std::vector<Record> records(group.attribute<std::uint64_t>("count"));
  for (std::size_t r = 0; r < records.size(); ++r) {
    Record& record = records[r];
    const io::Group one = group.group(std::to_string(r));
    const auto scalars = one.read<double>("scalars");
    const auto counts = one.read<std::uint64_t>("counts");
    record.time = scalars.at(0);
    record.mass = scalars.at(1);
    record.lost_mass = scalars.at(2);
    record.max_p = scalars.at(3);
    record.entropy = scalars.at(4);
    record.segment = static_cast<std::int64_t>(counts.at(0));
    record.cells = counts.at(1);
    record.active_cells = counts.at(2);
    record.mean = one.read<double>("mean");
    record.mode = one.read<double>("mode");
    record.covariance = one.read<double>("covariance");
    record.low = one.read<std::int64_t>("low");
    for (std::size_t i = 0; i < record.low.size(); ++i) record.marginal.push_back(one.read<double>("marginal_" + std::to_string(i)));
    record.cell_x = one.read<double>("cell_x");
    record.cell_p = one.read<double>("cell_p");
    for (std::size_t i = 0; one.has("pair_" + std::to_string(i)); ++i) {
      const auto axes = one.read<std::int64_t>("pair_axes_" + std::to_string(i));
      record.pairs.push_back({static_cast<int>(axes.at(0)), static_cast<int>(axes.at(1)), one.read<double>("pair_" + std::to_string(i))});
    }
    if (one.has("particle_mean")) {
      const auto scalar = one.read<double>("particle_scalars");
      record.monte_carlo.push_back({one.read<double>("particle_mean"), one.read<double>("particle_covariance"), scalar.at(0), scalar.at(1),
                                    scalar.at(2), scalar.at(3), scalar.at(4), one.read<int>("particle_coarsening"),
                                    one.read<double>("particle_bhattacharyya_coarse"), one.read<double>("particle_l1_coarse")});
    }
  }
  return records;
}

}  // namespace tessera::gbees

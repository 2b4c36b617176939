// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/record.hpp"

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
  for (const Record& record : records)
    rows.insert(rows.end(), (record.*member).begin(), (record.*member).end());
  return rows;
}

/// Writes the figures of which every record has the same number.
void write_figures(const io::Group& results, const std::vector<Record>& records,
                   std::uint64_t dimension) {
  const std::uint64_t count = records.size();
  results.write("time", gather(records, &Record::time), Attributes{"1", "time of the record"});
  results.write("segment", gather(records, &Record::segment),
                Attributes{"1", "number of measurement times passed"});
  results.write("mass", gather(records, &Record::mass), Attributes{"1", "probability on the grid"});
  results.write("lost_mass", gather(records, &Record::lost_mass),
                Attributes{"1", "probability lost since the start or the last measurement"});
  results.write("max_p", gather(records, &Record::max_p),
                Attributes{"1", "largest probability of a cell"});
  results.write("entropy", gather(records, &Record::entropy),
                Attributes{"1", "differential entropy of the normalised density, in nats"});
  results.write("cells", gather(records, &Record::cells), Attributes{"1", "existing cells"});
  results.write("active_cells", gather(records, &Record::active_cells),
                Attributes{"1", "cells at or above the threshold"});
  results.write("mean", stack(records, &Record::mean), Shape{count, dimension},
                Attributes{"1", "mean of the normalised density"});
  results.write("mode", stack(records, &Record::mode), Shape{count, dimension},
                Attributes{"1", "centre of the most probable cell"});
  results.write("covariance", stack(records, &Record::covariance),
                Shape{count, dimension, dimension},
                Attributes{"1", "covariance of the normalised density"});
  if (count > 0 && !records.front().spread.empty()) {
    results.write("numerical_spread", stack(records, &Record::spread), Shape{count, dimension},
                  Attributes{"1",
                             "by which share of it the cells have widened the variance along each "
                             "axis since the start or the last change by a measurement or a "
                             "maneuver; no number where mean and covariance of the dynamics do not "
                             "follow from a few points"});
  }
  if (count == 0 || records.front().resultant.empty()) return;
  results.write("resultant_length", stack(records, &Record::resultant), Shape{count, dimension},
                Attributes{"1",
                           "of variables on circles the length of the mean direction: 1 of a "
                           "point, 0 where the density is even and the mean means nothing; of "
                           "others 0"});
}

void write_cells(const io::Group& results, const Record& record, std::size_t number,
                 std::size_t dimension) {
  const io::Group group = results.group("record_" + std::to_string(number));
  group.write("x", record.cell_x, Shape{record.cell_p.size(), dimension},
              Attributes{"1", "centres of the cells at or above the threshold"});
  group.write("p", record.cell_p, Attributes{"1", "probability of each cell"});
}

/// One member of every record's Monte Carlo comparison.
std::vector<double> gather_particles(const std::vector<Record>& records,
                                     double MonteCarloRecord::*member) {
  std::vector<double> values;
  for (const Record& record : records) values.push_back(record.monte_carlo.front().*member);
  return values;
}

std::vector<double> stack_particles(const std::vector<Record>& records,
                                    std::vector<double> MonteCarloRecord::*member) {
  std::vector<double> rows;
  for (const Record& record : records) {
    const std::vector<double>& row = record.monte_carlo.front().*member;
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

void write_monte_carlo(const io::Group& group, const std::vector<Record>& records,
                       std::uint64_t dimension) {
  const std::uint64_t count = records.size();
  group.write("mean", stack_particles(records, &MonteCarloRecord::mean), Shape{count, dimension},
              Attributes{"1", "mean of the particles"});
  group.write("covariance", stack_particles(records, &MonteCarloRecord::covariance),
              Shape{count, dimension, dimension}, Attributes{"1", "covariance of the particles"});
  group.write("effective_samples", gather_particles(records, &MonteCarloRecord::effective_samples),
              Attributes{"1", "1 / sum of the squared weights of the particles"});
  group.write("left", gather_particles(records, &MonteCarloRecord::left),
              Attributes{"1", "weight of the particles that no grid can hold any more"});
  group.write(
      "bhattacharyya", gather_particles(records, &MonteCarloRecord::bhattacharyya),
      Attributes{"1",
                 "Bhattacharyya coefficient of the density and the particles binned on its cells"});
  group.write("l1", gather_particles(records, &MonteCarloRecord::l1),
              Attributes{"1", "sum of the differences of the two on the cells, 0 to 2"});
  group.write("bhattacharyya_kde", gather_particles(records, &MonteCarloRecord::bhattacharyya_kde),
              Attributes{"1",
                         "Bhattacharyya coefficient of the density and a kernel density estimate "
                         "of the particles on its cells"});
  group.write("kullback_leibler_kde",
              gather_particles(records, &MonteCarloRecord::kullback_leibler_kde),
              Attributes{"1",
                         "Kullback-Leibler divergence of the kernel density estimate from the "
                         "density, on the same cells"});
  const std::uint64_t kept = records.front().monte_carlo.front().weights.size();
  if (kept > 0) {
    group.write("x", stack_particles(records, &MonteCarloRecord::points),
                Shape{count, kept, dimension}, Attributes{"1", "places of the first particles"});
    group.write("weight", stack_particles(records, &MonteCarloRecord::weights), Shape{count, kept},
                Attributes{"1", "their weights, as shares of those of all particles"});
  }
  const std::uint64_t regions = records.front().monte_carlo.front().regions.size();
  if (regions > 0) {
    group.write(
        "regions", stack_particles(records, &MonteCarloRecord::regions), Shape{count, regions},
        Attributes{
            "1",
            "weight of the particles within each region, by its number, or that it has absorbed"});
  }
  const std::vector<int>& coarsening = records.front().monte_carlo.front().coarsening;
  if (coarsening.empty()) return;
  const Shape shape{count, coarsening.size()};
  group.write("coarsening", coarsening,
              Attributes{"1", "cells of the grid that are joined along each axis"});
  group.write("bhattacharyya_coarse",
              stack_particles(records, &MonteCarloRecord::bhattacharyya_coarse), shape,
              Attributes{"1", "Bhattacharyya coefficient of the two on the joined cells"});
  group.write("l1_coarse", stack_particles(records, &MonteCarloRecord::l1_coarse), shape,
              Attributes{"1", "sum of the differences of the two on the joined cells, 0 to 2"});
}

std::string volume_name(std::size_t number) { return "volume_" + std::to_string(number); }

/// Writes to a restart file of which variables the records hold volumes.
void save_volume_axes(const io::Group& group, const std::vector<std::vector<int>>& volumes) {
  std::vector<int> axes;
  for (const std::vector<int>& volume : volumes)
    axes.insert(axes.end(), volume.begin(), volume.end());
  if (axes.empty()) return;
  group.write("volumes", axes, Shape{volumes.size(), 3},
              Attributes{"1", "numbers of the variables of each volume"});
}

/// Checks that the records of a restart file hold the volumes that the run asks for.
void check_volume_axes(const io::Group& group, const std::vector<std::vector<int>>& volumes) {
  if (volumes.empty()) return;
  std::vector<int> wanted;
  for (const std::vector<int>& volume : volumes)
    wanted.insert(wanted.end(), volume.begin(), volume.end());
  if (group.has("volumes") && group.read<int>("volumes") == wanted) return;
  throw Error(ErrorKind::input,
              "the records of the run to continue have no joint probabilities of the variables in "
              "output.vtk",
              "give the output.vtk of that run, or leave it out");
}

/// Loads the volumes from a restart file, after the marginals.
void load_volumes(const io::Group& group, const std::vector<std::vector<int>>& volumes,
                  Record& record) {
  for (const std::vector<int>& axes : volumes) {
    std::uint64_t size = 1;
    for (const int axis : axes) size *= record.marginal[static_cast<std::size_t>(axis)].size();
    record.volumes.push_back(group.read<double>(volume_name(record.volumes.size()), {size}));
  }
}

/// Writes the figures of the credible sets of all records, level by level.
void write_credible_sets(const io::Group& group, const std::vector<Record>& records,
                         const Shape& shape) {
  std::vector<double> threshold, volume, mass;
  std::vector<std::uint64_t> cells;
  for (const Record& record : records) {
    for (const CredibleSet& set : record.credible) {
      threshold.push_back(set.threshold);
      cells.push_back(set.cells);
      volume.push_back(set.volume);
      mass.push_back(set.mass);
    }
  }
  group.write("threshold", threshold, shape,
              Attributes{"1", "probability of the least probable cell of each set"});
  group.write("cells", cells, shape, Attributes{"1", "cells of each set"});
  group.write("volume", volume, shape, Attributes{"1", "volume of each set"});
  group.write("mass", mass, shape,
              Attributes{"1", "share of the density on the grid that each set holds"});
}

void load_credible_sets(const io::Group& group, const Shape& shape, std::vector<Record>& records) {
  const auto threshold = group.read<double>("threshold", shape),
             volume = group.read<double>("volume", shape), mass = group.read<double>("mass", shape);
  const auto cells = group.read<std::uint64_t>("cells", shape);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    records[i / shape[1]].credible.push_back({threshold[i], cells[i], volume[i], mass[i]});
  }
}

/// Loads the parts of which records of a restart file have different numbers.
void load_ragged(const io::Group& group, const RecordContents& contents, Record& record) {
  const std::uint64_t dimension = contents.dimension;
  load_marginals(group, dimension, contents.pairs, record);
  record.cell_p = group.read<double>("p");
  if (!contents.cells && !record.cell_p.empty())
    throw group.misfit("p", "holds cells, and output.cells is false");
  record.cell_x = group.read<double>("x", {record.cell_p.size(), dimension});
  if (contents.state) {
    record.state =
        load_state(group.group("state"), dimension, contents.pairs, record.cell_p.size());
  }
  load_volumes(group, contents.volumes, record);
}

/// Loads from a restart file what write_monte_carlo has written.
void load_monte_carlo(const io::Group& group, std::uint64_t dimension,
                      std::vector<Record>& records) {
  const std::uint64_t count = records.size();
  for (Record& record : records) record.monte_carlo.emplace_back();
  const auto column = [&](const char* name, double MonteCarloRecord::*member) {
    const auto values = group.read<double>(name, {count});
    for (std::size_t r = 0; r < count; ++r) records[r].monte_carlo.front().*member = values[r];
  };
  const auto rows = [&](const char* name, std::vector<double> MonteCarloRecord::*member,
                        const Shape& shape) {
    const auto values = group.read<double>(name, shape);
    const auto length = static_cast<std::ptrdiff_t>(values.size() / count);
    for (std::size_t r = 0; r < count; ++r) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(r) * length;
      (records[r].monte_carlo.front().*member).assign(first, first + length);
    }
  };
  rows("mean", &MonteCarloRecord::mean, {count, dimension});
  rows("covariance", &MonteCarloRecord::covariance, {count, dimension, dimension});
  column("effective_samples", &MonteCarloRecord::effective_samples);
  column("left", &MonteCarloRecord::left);
  column("bhattacharyya", &MonteCarloRecord::bhattacharyya);
  column("l1", &MonteCarloRecord::l1);
  column("bhattacharyya_kde", &MonteCarloRecord::bhattacharyya_kde);
  if (group.has("kullback_leibler_kde"))  // not of version 0.1.0's first files
    column("kullback_leibler_kde", &MonteCarloRecord::kullback_leibler_kde);
  if (group.has("x")) {
    const std::uint64_t kept = group.shape("x").at(1);
    rows("x", &MonteCarloRecord::points, {count, kept, dimension});
    rows("weight", &MonteCarloRecord::weights, {count, kept});
  }
  if (group.has("regions"))
    rows("regions", &MonteCarloRecord::regions, {count, group.shape("regions").at(1)});
  if (!group.has("coarsening")) return;
  const auto coarsening = group.read<int>("coarsening");
  for (Record& record : records) record.monte_carlo.front().coarsening = coarsening;
  rows("bhattacharyya_coarse", &MonteCarloRecord::bhattacharyya_coarse, {count, coarsening.size()});
  rows("l1_coarse", &MonteCarloRecord::l1_coarse, {count, coarsening.size()});
}

}  // namespace

void write_records(const io::Group& results, const io::Group& coordinates,
                   const std::vector<Record>& records, const std::vector<Axis>& axes,
                   bool with_cells) {
  const std::uint64_t dimension = axes.size();
  std::vector<std::string> names;
  std::vector<double> spacing;
  for (const Axis& axis : axes) {
    names.push_back(axis.name);
    spacing.push_back(axis.spacing);
  }
  coordinates.write("variables", names, Attributes{"1", "names of the state variables"});
  coordinates.write("spacing", spacing, Attributes{"1", "size of a cell along each variable"});
  write_figures(results, records, dimension);
  if (records.empty()) return;
  const bool has_own_bins = !records.front().origin.empty();
  std::vector<const Marginals*> marginals;
  for (const Record& record : records) marginals.push_back(&record);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (has_own_bins) {
      write_own_marginal(results, coordinates, marginals, axes[i].name, i);
    } else {
      write_marginal(results, coordinates, marginals, axes[i], i);
    }
  }
  for (std::size_t r = 0; r < records.size(); ++r) {
    if (!records[r].pairs.empty()) write_pairs(results, records[r], r, axes);
  }
  if (!records.front().monte_carlo.empty())
    write_monte_carlo(results.group("monte_carlo"), records, dimension);
  if (!with_cells) return;
  for (std::size_t r = 0; r < records.size(); ++r) write_cells(results, records[r], r, axes.size());
}

void write_circles(const io::Group& coordinates, const std::vector<Circle>& circles) {
  std::vector<double> lower, period;
  for (const Circle& circle : circles) {
    lower.push_back(circle.lower);
    period.push_back(circle.period);
  }
  coordinates.write("lower", lower,
                    Attributes{"1", "where the base interval of a variable on a circle begins"});
  coordinates.write("period", period,
                    Attributes{"1", "of a variable on a circle; 0: it lies on a line"});
}

void write_credible(const io::Group& results, const std::vector<Record>& records,
                    const std::vector<double>& levels) {
  if (levels.empty() || records.empty()) return;
  const io::Group group = results.group("credible");
  group.write("level", levels, Attributes{"1", "share of the density that each set holds"});
  write_credible_sets(group, records, Shape{records.size(), levels.size()});
  for (std::size_t r = 0; r < records.size(); ++r) {
    const Record& record = records[r];
    if (record.cell_p.empty()) continue;
    std::vector<std::uint8_t> number(record.cell_p.size(), 0);
    for (std::size_t c = 0; c < number.size(); ++c) {
      for (std::size_t l = levels.size(); l-- > 0;) {
        if (record.cell_p[c] >= record.credible[l].threshold)
          number[c] = static_cast<std::uint8_t>(l + 1);
      }
    }
    results.group("record_" + std::to_string(r))
        .write("credible", number,
               Attributes{
                   "1", "number of the first level whose set holds the cell, from 1; 0: of none"});
  }
}

void write_history(const io::Group& series, const History& history) {
  std::vector<std::uint64_t> step(history.time.size());
  for (std::size_t i = 0; i < step.size(); ++i) step[i] = i + 1;
  series.write("step", step, Attributes{"1", "number of the step"});
  series.write("time", history.time, Attributes{"1", "time at the end of the step"});
  series.write("dt", history.dt, Attributes{"1", "length of the step"});
  series.write("cells_existing", history.cells_existing, Attributes{"1", "cells on the grid"});
  series.write("cells_active", history.cells_active,
               Attributes{"1", "cells at or above the threshold after the step"});
  series.write("mass", history.mass, Attributes{"1", "probability on the grid after the step"});
  series.write("lost_mass", history.lost_mass,
               Attributes{"1", "probability lost since the start or the last measurement"});
}

void write_measurements(const io::Group& results, const MeasurementLog& log) {
  if (log.time.empty()) return;
  const io::Group group = results.group("measurements");
  group.write("time", log.time, Attributes{"1", "time of the measurement"});
  group.write("log_evidence", log.log_evidence,
              Attributes{"1",
                         "logarithm of the probability density of what was measured, given all "
                         "measurements before"});
  group.write(
      "deviation", log.deviation,
      Attributes{"1",
                 "distance of what was measured from what the density predicts, in standard "
                 "deviations of their difference; of several quantities the largest"});
}

void save_measurements(const io::Group& group, const MeasurementLog& log) {
  write_measurements(group, log);
}

MeasurementLog load_measurements(const io::Group& state) {
  MeasurementLog log;
  if (!state.has("measurements")) return log;
  const io::Group group = state.group("measurements");
  log.time = group.read<double>("time");
  log.log_evidence = group.read<double>("log_evidence", {log.time.size()});
  log.deviation = group.read<double>("deviation", {log.time.size()});
  return log;
}

void save_history(const io::Group& group, const History& history) { write_history(group, history); }

History load_history(const io::Group& group) {
  History history;
  history.time = group.read<double>("time");
  const io::Shape steps{history.time.size()};
  group.read<std::uint64_t>("step", steps);
  history.dt = group.read<double>("dt", steps);
  history.mass = group.read<double>("mass", steps);
  history.lost_mass = group.read<double>("lost_mass", steps);
  history.cells_existing = group.read<std::uint64_t>("cells_existing", steps);
  history.cells_active = group.read<std::uint64_t>("cells_active", steps);
  return history;
}

void save_records(const io::Group& group, const std::vector<Record>& records,
                  const std::vector<std::vector<int>>& volumes) {
  if (records.empty()) return;
  save_volume_axes(group, volumes);
  const Attributes plain;
  const std::uint64_t count = records.size(), dimension = records.front().mean.size();
  write_figures(group, records, dimension);
  std::vector<std::int64_t> low;
  for (const Record& record : records) low.insert(low.end(), record.low.begin(), record.low.end());
  group.write("low", low, Shape{count, dimension}, Attributes{"1", "first index of each marginal"});
  if (!records.front().monte_carlo.empty())
    write_monte_carlo(group.group("monte_carlo"), records, dimension);
  const std::uint64_t levels = records.front().credible.size();
  if (levels > 0) write_credible_sets(group.group("credible"), records, Shape{count, levels});
  for (std::size_t r = 0; r < count; ++r) {
    const Record& record = records[r];
    const io::Group one = group.group("record_" + std::to_string(r));
    save_marginals(one, record);
    one.write("x", record.cell_x, Shape{record.cell_p.size(), dimension}, plain);
    one.write("p", record.cell_p, plain);
    for (std::size_t k = 0; k < record.volumes.size(); ++k)
      one.write(volume_name(k), record.volumes[k], plain);
    if (record.state) save_state(one.group("state"), *record.state);
  }
}

std::vector<Record> load_records(const io::Group& group, const RecordContents& contents) {
  if (!group.has("time")) return {};
  const std::uint64_t count = group.shape("time").at(0), dimension = contents.dimension;
  const auto column = [&]<class T>(const char* name, T Record::*member,
                                   std::vector<Record>& records) {
    const auto values = group.read<T>(name, {count});
    for (std::size_t r = 0; r < count; ++r) records[r].*member = values[r];
  };
  const auto rows = [&]<class T>(const char* name, std::vector<T> Record::*member,
                                 const Shape& shape, std::vector<Record>& records) {
    const auto values = group.read<T>(name, shape);
    const auto length = static_cast<std::ptrdiff_t>(values.size() / count);
    for (std::size_t r = 0; r < count; ++r) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(r) * length;
      (records[r].*member).assign(first, first + length);
    }
  };
  group.read<double>("time", {count});
  check_volume_axes(group, contents.volumes);
  std::vector<Record> records(count);
  column("time", &Record::time, records);
  column("segment", &Record::segment, records);
  column("mass", &Record::mass, records);
  column("lost_mass", &Record::lost_mass, records);
  column("max_p", &Record::max_p, records);
  column("entropy", &Record::entropy, records);
  column("cells", &Record::cells, records);
  column("active_cells", &Record::active_cells, records);
  rows("mean", &Record::mean, {count, dimension}, records);
  rows("mode", &Record::mode, {count, dimension}, records);
  rows("covariance", &Record::covariance, {count, dimension, dimension}, records);
  if (group.has("numerical_spread"))
    rows("numerical_spread", &Record::spread, {count, dimension}, records);
  if (group.has("resultant_length"))
    rows("resultant_length", &Record::resultant, {count, dimension}, records);
  rows("low", static_cast<std::vector<std::int64_t> Record::*>(&Record::low), {count, dimension},
       records);
  for (std::size_t r = 0; r < count; ++r)
    load_ragged(group.group("record_" + std::to_string(r)), contents, records[r]);
  if (contents.credible > 0)
    load_credible_sets(group.group("credible"), {count, contents.credible}, records);
  if (contents.monte_carlo) load_monte_carlo(group.group("monte_carlo"), dimension, records);
  return records;
}

}  // namespace tessera::gbees

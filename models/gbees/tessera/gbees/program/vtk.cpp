// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/vtk.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "tessera/core/io/vtkhdf.hpp"

namespace tessera::gbees {

namespace {

/// VTK tells steps by their times.
std::vector<double> ascending_times(const std::vector<Record>& records) {
  std::vector<double> times;
  for (const Record& record : records) {
    const double least = times.empty() ? record.time : times.back() + 1e-9 * records.back().time;
    times.push_back(std::max(record.time, least));
  }
  return times;
}

void write_points(const io::Group& root, const std::vector<Record>& records,
                  const std::vector<int>& variables) {
  io::VtkPoints points;
  points.time = ascending_times(records);
  points.columns = variables;
  points.name = "probability";
  for (std::size_t r = 0; r < records.size(); ++r) {
    const std::string record = "results/record_" + std::to_string(r);
    points.coordinates.push_back(record + "/x");
    points.values.push_back(record + "/p");
  }
  io::write_vtk(root, points);
}

/// The joint probability of one record, with the centres of its cells.
void write_volume(const io::Group& group, const Record& record, const std::vector<Axis>& axes,
                  const std::vector<int>& variables) {
  io::Shape shape;
  std::string names;
  for (const int variable : variables) {
    const auto i = static_cast<std::size_t>(variable);
    std::vector<double> centres;
    for (std::size_t k = 0; k < record.marginal[i].size(); ++k) {
      centres.push_back(axes[i].origin +
                        axes[i].spacing *
                            static_cast<double>(record.low[i] + static_cast<std::int64_t>(k)));
    }
    group.write("x" + std::to_string(i + 1), centres,
                io::Attributes{"1", "centres of the cells along " + axes[i].name});
    shape.insert(shape.begin(), centres.size());
    names = axes[i].name + (names.empty() ? "" : ", ") + names;
  }
  group.write("p", record.volume, shape,
              io::Attributes{"1", "probability of " + names + " by cell"});
}

void write_image(const io::Group& root, const std::vector<Record>& records,
                 const std::vector<Axis>& axes, const std::vector<int>& variables) {
  io::VtkImage image;
  image.time = ascending_times(records);
  image.name = "probability";
  image.boxes.resize(records.size());
  for (std::size_t r = 0; r < records.size(); ++r) {
    const std::string name = "results/volume_" + std::to_string(r);
    write_volume(root.group(name), records[r], axes, variables);
    image.boxes[r].values = name + "/p";
  }
  for (std::size_t a = 0; a < 3; ++a) {
    const auto i = static_cast<std::size_t>(variables[a]);
    const auto below = [&](const Record& first, const Record& second) {
      return first.low[i] < second.low[i];
    };
    const std::int64_t low = std::min_element(records.begin(), records.end(), below)->low[i];
    image.origin[a] = axes[i].origin + axes[i].spacing * static_cast<double>(low);
    image.spacing[a] = axes[i].spacing;
    image.size[a] = 2;
    for (std::size_t r = 0; r < records.size(); ++r) {
      image.boxes[r].offset[a] = static_cast<std::uint64_t>(records[r].low[i] - low);
      image.boxes[r].size[a] = records[r].marginal[i].size();
      image.size[a] = std::max(image.size[a], image.boxes[r].offset[a] + image.boxes[r].size[a]);
    }
  }
  io::write_vtk(root, image);
}

}  // namespace

void write_vtk(const io::Group& root, const std::vector<Record>& records,
               const std::vector<Axis>& axes, const std::vector<int>& variables) {
  if (records.empty()) return;
  if (records.front().volume.empty()) {
    write_points(root, records, variables);
  } else {
    write_image(root, records, axes, variables);
  }
}

}  // namespace tessera::gbees

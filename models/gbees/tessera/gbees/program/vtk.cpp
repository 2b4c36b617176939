// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/vtk.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tessera/core/io/file.hpp"
#include "tessera/core/io/vtkhdf.hpp"
#include "tessera/core/log/log.hpp"

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

/// A joint probability of one record, with the centres of its cells.
void write_volume(const io::Group& group, const Record& record, const std::vector<double>& volume,
                  const std::vector<Axis>& axes, const std::vector<int>& variables) {
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
  group.write("p", volume, shape, io::Attributes{"1", "probability of " + names + " by cell"});
}

/// The path of a triple's image; the first one is that of the file.
std::string image_path(const std::string& name) { return "vtk/" + name; }

/// Writes the volumes of a triple and their image. `name`: of the triple; empty: the first one.
void write_image(const io::Group& root, const std::vector<Record>& records, std::size_t triple,
                 const std::vector<Axis>& axes, const std::vector<int>& variables,
                 const std::string& triple_name) {
  io::VtkImage image;
  image.time = ascending_times(records);
  image.name = "probability";
  image.boxes.resize(records.size());
  for (std::size_t r = 0; r < records.size(); ++r) {
    const std::string name =
        "results/volume_" + std::to_string(r) + (triple_name.empty() ? "" : "_" + triple_name);
    write_volume(root.group(name), records[r], records[r].volumes[triple], axes, variables);
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
  io::write_vtk(root, image, triple_name.empty() ? "VTKHDF" : image_path(triple_name));
}

}  // namespace

void write_vtk(const io::Group& root, const std::vector<Record>& records,
               const std::vector<Axis>& axes, const std::vector<std::vector<int>>& variables) {
  if (records.empty()) return;
  if (records.front().volumes.empty()) return write_points(root, records, variables.front());
  std::vector<std::string> names;
  for (const Axis& axis : axes) names.push_back(axis.name);
  for (std::size_t k = 0; k < variables.size(); ++k) {
    write_image(root, records, k, axes, variables[k],
                k == 0 ? "" : triple_name(names, variables[k]));
  }
}

std::string triple_name(const std::vector<std::string>& names, const std::vector<int>& variables) {
  std::string name;
  for (const int variable : variables)
    name += (name.empty() ? "" : "_") + names[static_cast<std::size_t>(variable)];
  return name;
}

void link_vtk(const std::string& results, const std::vector<std::string>& names,
              const std::vector<std::vector<int>>& volumes) {
  namespace fs = std::filesystem;
  const fs::path file(results);
  const std::string stem = (file.extension() == ".h5" ? fs::path(file).replace_extension() : file);
  for (std::size_t k = 1; k < volumes.size(); ++k) {
    const std::string name = triple_name(names, volumes[k]), path = stem + "." + name + ".vtkhdf",
                      target = file.filename(), group = "/" + image_path(name);
    if (io::has_vtk_link(path, target, group)) continue;  // of an earlier run of that name
    io::File link = io::File::create(path);
    io::link_vtk(link.root(), target, group);
    const std::string taken = link.commit_beside({});
    logging::info("for ParaView: " + taken);
    if (taken != path) {
      logging::warning("'" + path +
                       "' exists and is kept; the file of this run that ParaView opens is '" +
                       taken + "'");
    }
  }
}

}  // namespace tessera::gbees

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/config/record_errors.hpp"
#include "tessera/gp/program/input/columns.hpp"
#include "tessera/gp/program/input/sections.hpp"
#include "tessera/gp/program/observations.hpp"

namespace tessera::gp::input {

namespace {

void read_data_file(config::Section& root, Parameters& p) {
  config::Section data = root.section("data"), predict = root.section("predict");
  std::vector<ColumnsKey> keys = list_columns(data, p.data.columns, p.model);
  if (!p.data.columns.exposure.empty())
    keys.push_back({root.section("likelihood"), "exposure", {p.data.columns.exposure}, false});
  if (!p.simulate.given) keys.push_back({data, "values", p.data.values});
  if (!p.predict.held_out.empty())
    keys.push_back({predict, "held_out", {p.predict.held_out}, false});
  if (reject_numbers_from_zero(p.data.columns.file, keys)) return;
  if (!config::record_errors(data, "file", [&] {
        if (p.model.has_groups())
          p.data.groups = std::make_shared<const GroupTable>(read_group_table(
              p.data.columns.file, p.data.columns.groups, p.data.columns.coordinates[0],
              p.data.drop_missing,
              "give every row a label, or leave such rows out with data.missing: drop"));
        p.data.table = std::make_shared<const Columns>(read_table(p));
      }))
    return;
  if (p.model.has_groups()) {
    const std::string problem =
        describe_unidentified(p.model.groups, p.data.groups->level, p.model.has_nugget);
    if (!problem.empty()) data.error("groups", problem);
  }
  if (p.data.sample > static_cast<std::int64_t>(p.data.table->front().size())) {
    data.error("sample", "data.sample asks for " + std::to_string(p.data.sample) +
                             " rows, and there are " +
                             std::to_string(p.data.table->front().size()));
  }
}

}  // namespace

void read_files(config::Section& root, Parameters& p) {
  if (p.data.given && !p.data.columns.file.empty() && !p.data.columns.coordinates.empty())
    read_data_file(root, p);
  if (p.predict.given && !p.predict.points.file.empty() && !p.predict.points.coordinates.empty()) {
    config::Section predict = root.section("predict");
    config::Section points = predict.section("points");
    std::vector<ColumnsKey> keys = list_columns(points, p.predict.points, p.model);
    if (reject_numbers_from_zero(p.predict.points.file, keys)) return;
    config::record_errors(points, "file", [&] {
      p.predict.targets = std::make_shared<const Points>(read_points(p));
    });
  }
}

}  // namespace tessera::gp::input

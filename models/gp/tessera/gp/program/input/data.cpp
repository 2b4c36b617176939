// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/config/choice.hpp"
#include "tessera/gp/program/input/columns.hpp"
#include "tessera/gp/program/input/sections.hpp"

namespace tessera::gp::input {

void read_data(config::Section& root, Parameters& p) {
  config::Section in = root.section("data", "observations; left out, `simulate` makes them");
  if (!in.present()) return;
  p.data.given = true;
  in.require("file", p.data.columns.file)
      .path()
      .doc(
          "file with a column for each coordinate and each replicate: text (CSV), numpy (.npy) or "
          "HDF5 (.h5)");
  read_column_names(in, p.model, {}, p.data.columns);
  spread_ranges(p, p.data.columns.coordinates.size());
  p.data.values = {"z"};
  in.get("values", p.data.values)
      .doc(
          "columns of the observations; several are replicates of the same field, or with "
          "covariance.variables one for each variable");
  in.get("covariates", p.data.columns.covariates)
      .doc("columns that mean.covariates and covariance.by_covariates are made of");
  in.get("error_variance", p.data.columns.error_variance)
      .doc(
          "column of known variances, at least 0, of the errors of the observations, beside the "
          "nugget");

  in.get("groups", p.data.columns.groups)
      .doc(
          "columns of labels, text or whole numbers, of groupings such as sites or observers: the "
          "levels of each have random effects, beside the field");
  config::choose(in, "missing", p.data.drop_missing, {{"error", false}, {"drop", true}})
      .doc(
          "what to do with rows in which a value is missing: empty, NaN, NA, N/A, #N/A, NULL, "
          "None, - or .");

  config::choose(in, "duplicates", p.data.average_duplicates, {{"error", false}, {"average", true}})
      .doc(
          "what to do with observations at the same place, or within 1e-6 of the usual spacing; "
          "with a nugget they are welcome and kept");
  in.get("sample", p.data.sample).non_negative().doc("take so many rows at random; 0: all");

  if (p.data.values.empty() && !in.documenting())
    in.error("values", "'data.values' names no column");
  const auto variables = static_cast<std::size_t>(p.model.variables);
  if (p.model.has_variables() && !root.has("simulate") && !in.documenting() &&
      p.data.values.size() != variables) {
    in.error("values", "'data.values' names " + std::to_string(p.data.values.size()) +
                           " columns, but 'covariance.variables' is " + std::to_string(variables) +
                           ": name a column for each variable");
  }
  in.finish();
}

}  // namespace tessera::gp::input

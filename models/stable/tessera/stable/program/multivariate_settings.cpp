// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/multivariate_settings.hpp"

#include <cmath>

#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/stable/program/data.hpp"

namespace tessera::stable {

namespace {

/// The columns of a panel as rows; those in which a value is missing are left out, or an error.
std::shared_ptr<const VectorData> gather_rows(const Numbers& numbers, bool drop) {
  auto data = std::make_shared<VectorData>();
  data->file = numbers.file;
  const auto rows = static_cast<std::size_t>(numbers.series.front().count);
  for (const Series& series : numbers.series) data->names.push_back(series.label);
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> row;
    for (const Series& series : numbers.series)
      row.push_back(numbers.value[static_cast<std::size_t>(series.begin) + i]);
    const auto missing =
        std::find_if(row.begin(), row.end(), [](double v) { return std::isnan(v); });
    if (missing == row.end()) {
      data->values.insert(data->values.end(), row.begin(), row.end());
    } else if (drop) {
      ++dropped;
    } else {
      throw Error(ErrorKind::input,
                  numbers.file + ": row " + std::to_string(i + 1) + " of column '" +
                      numbers.series[static_cast<std::size_t>(missing - row.begin())].label +
                      "' is missing or no finite number",
                  "mend the file, or leave such rows out with data.missing: drop");
    }
  }
  if (dropped > 0) {
    logging::info(numbers.file + ": " + std::to_string(dropped) +
                  (dropped == 1 ? " row" : " rows") + " with missing values left out");
  }
  return data;
}

void read_points(config::Section& problem, MultivariateSettings& s) {
  config::Section in = problem.section("data", "the points, a row for each");
  DataSource source;
  source.columns = {"all"};
  in.get("file", source.file)
      .path()
      .doc("file with a column for every coordinate: text (CSV), numpy (.npy) or HDF5 (.h5)");
  in.get("dataset", source.column).doc("in an HDF5 file: path of an array of two axes");
  in.get("columns", source.columns)
      .doc("the coordinates: names, or numbers from 1 in an array; [all]: all columns");
  std::string missing = "error";
  in.get("missing", missing)
      .one_of({"error", "drop"})
      .doc("what to do with rows in which a value is missing (empty, NaN or NA)");
  if (source.columns.empty()) {
    in.error("columns", "name the coordinates, or say [all]");
  } else if (!source.file.empty() && !in.documenting()) {
    try {
      s.data = gather_rows(read_numbers(source, true), missing == "drop");
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      in.error("file", error.what());
    }
  }
  in.finish();
}

}  // namespace

MultivariateSettings read_multivariate(config::Section& problem, config::Section& root,
                                       double alpha) {
  MultivariateSettings s;
  read_points(problem, s);
  config::Section in = root.section(
      "multivariate", "elliptical laws of several dimensions, with alpha of 'problem'");
  in.get("compute", s.compute)
      .one_of({"fit", "evaluate", "sample"})
      .doc(
          "a fit of the points, densities at the points, or random vectors; without data a fit is "
          "one of problem.n random vectors");
  in.get("location", s.law.location).doc("location of the law (evaluate, sample)");
  in.get("shape", s.law.shape)
      .doc(
          "rows of its shape matrix, whose diagonal holds squares of the scales of the "
          "coordinates");
  in.get("fixed_alpha", s.fixed_alpha).doc("fits keep alpha at the value in 'problem'");
  in.get("tolerance", s.tolerance)
      .range(1e-12, 1e-2)
      .doc(
          "largest component of the gradient by the number of points at which a fit has converged");
  s.law.alpha = alpha;
  if (!in.documenting()) {
    if (alpha < kLeastEllipticalAlpha)
      in.error("compute", "alpha of elliptical laws is at least 0.2 (problem.alpha)");
    if (s.compute == "evaluate" && !s.data)
      in.error("compute", "densities are those at the points of problem.data");
    if (s.compute == "sample" && s.data)
      in.error("compute", "random vectors have no data (problem.data)");
    try {
      if (s.compute != "fit" || !s.data) require_law(s.law);
    } catch (const Error& error) {
      in.error("shape", error.what());
    }
    if (s.compute == "evaluate" && s.data && s.dimension() != s.law.dimension()) {
      in.error("location", "the law has " + std::to_string(s.law.dimension()) +
                               " dimensions and the data have " + std::to_string(s.dimension()));
    }
  }
  in.finish();
  return s;
}

}  // namespace tessera::stable

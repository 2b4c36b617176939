// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/config/section.hpp"
#include "tessera/mpr/data/geography.hpp"
#include "tessera/mpr/fill/options.hpp"
#include "tessera/mpr/fill/transform.hpp"

namespace tessera::mpr {

struct Field;
struct Source;

struct MaskParameters {
  std::string file, dataset;
  std::vector<std::string> flags;     ///< meanings of CF flags
  std::optional<std::uint64_t> bits;  ///< any of these
  bool inverted = false;
};

/// A Gaussian field with Whittle-Matern covariance.
struct SyntheticParameters {
  bool given = false;
  std::vector<int> size{512, 512};  ///< rows, columns
  double smoothness = 0.5, inverse_length = 0.2, mean = 50, deviation = 10;
};

struct InputParameters {
  std::string file, dataset, third_axis = "frames";
  std::vector<int> bands{1};  ///< of a raster; none: all
  std::optional<double> missing_value;
  int refine = 1;  ///< sites of the grid that is filled for each step of the grid of the data
  MaskParameters mask, inactive;
  SyntheticParameters synthetic;
  /// The field that the file and the masks hold; null where there is no file, or the task needs
  /// none
  std::shared_ptr<const Field> field;
};

struct OutputParameters {
  std::vector<double> quantiles, exceedance;
  bool empirical_quantiles = true;
  int ensemble = 0;
  std::optional<int> max_gap_distance;   ///< sites further from every sample stay empty
  std::optional<double> max_gap_length;  ///< the same in metres
  bool clip = false;
  std::string geotiff, netcdf;
  bool packed = false;  ///< they hold numbers of the type and packing of the source
  bool cloud = false;   ///< the GeoTIFF is cloud optimised
};

/// Values below the gaps of the data.
struct TruthParameters {
  std::string file, dataset;
  std::vector<int> bands{1};  ///< of a raster; none: all
  /// The values that the file holds, NaN where nothing is known; null without a file
  std::shared_ptr<const std::vector<double>> values;
};

/// A file with numbers that go with the data.
struct CompanionFile {
  std::string file, dataset;
  std::vector<int> bands{1};  ///< of a raster; none: all
};

/// Errors of the samples: one standard deviation for all, or a file of them.
struct NoiseParameters {
  std::optional<double> deviation;
  CompanionFile of;
  bool are_variances = false;  ///< the numbers of the file
};

/// Columns of a trend: fields, and the monomials of the coordinates up to a degree.
struct TrendParameters {
  std::vector<std::string> fields, datasets;  ///< files, and of each the dataset; none: "" for all
  int polynomial = 0;
};

/// An image that is read, filled and written in windows.
struct StreamParameters {
  bool given = false;
  std::optional<int> window;  ///< edge, in sites; not set: the largest that memory allows
  int halo = 64;              ///< in sites
  double memory = 0x1p33;     ///< bytes of the host
};

struct ValidateParameters {
  TruthParameters truth;  ///< instead of values that are taken away
  std::vector<double> fraction{0.33};
  std::vector<int> sizes;
  std::string pattern = "random";
  int block = 16;
  int fields = 1, samplings = 1;  ///< synthetic fields, and how often values of each are taken away
  /// The variants that fill each case: "single", "double"; names of backends, or "all"; rows of the
  /// tiles of chains. None: those of the run
  std::vector<std::string> precisions, backends;
  std::vector<int> tile_rows;
};

struct SimulateParameters {
  std::vector<int> size{128, 128};
  std::vector<double> temperatures{0.5};
  int burn_in = 500, sweeps = 4000;
};

/// Everything an input file says about an mpr run.
struct Parameters {
  std::string task = "fill";
  bool single = true;
  InputParameters input;
  GridParameters grid;
  Geography geography;  ///< of the field; its metric is that of `fill`
  /// The field that is taken off the data before their gaps are filled, and added again
  CompanionFile background;
  NoiseParameters noise;
  TrendParameters trend;
  FillOptions fill;
  /// The transform of values before they are mapped to angles; not set: chosen
  std::optional<TransformKind> transform = TransformKind::none;
  OutputParameters output;
  StreamParameters stream;
  ValidateParameters validate;
  SimulateParameters simulate;

  /// Declares, reads and checks all sections, and reads the files that they name; problems are
  /// recorded in `root`. Throws Error (file) when a file cannot be opened.
  static Parameters read(config::Section& root);

  /// The sections grid, model and simulation alone, for a fill of an array that a program holds
  /// (array_fill.hpp), `data`, which is not read: of its own it says its shape and where it lies.
  /// third_axis: as in InputParameters. The result has a field without values. Problems are
  /// recorded in `root`; so are a background, a trend, a transform and errors of samples, which
  /// need a file.
  static Parameters read_of_array(config::Section& root, const Source& data,
                                  const std::string& third_axis);
};

}  // namespace tessera::mpr

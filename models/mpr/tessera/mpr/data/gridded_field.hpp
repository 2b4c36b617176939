// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/io/cf.hpp"
#include "tessera/core/io/coordinate.hpp"
#include "tessera/core/io/group.hpp"
#include "tessera/core/io/raster.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/mpr/data/parameters.hpp"
#include "tessera/mpr/data/trend.hpp"
#include "tessera/mpr/fill/transform.hpp"
#include "tessera/mpr/lattice/grid.hpp"

namespace tessera::mpr {

class StoredImage;
struct Source;

/// A gridded field: values and status of the sites, [frame][layer][row][column], and the metadata
/// of its file.
struct Field {
  Grid grid;
  int frames = 1;
  std::vector<double> values;        ///< NaN where none is known
  std::vector<std::uint8_t> status;  ///< a Site each
  /// The image, where values and status stay in their files and are not here; else null
  std::shared_ptr<const StoredImage> stored;
  std::vector<std::uint64_t> shape;  ///< of the source
  std::string name = "field", units = "1", long_name;
  bool single = true;  ///< float32 holds all values without loss
  /// float32 holds what is as small or as large as the range of the values
  bool single_spread = true;
  Transform transform;                 ///< of values to what the model works on
  std::vector<TransformTrial> trials;  ///< of transforms, where it was chosen among some
  /// The middle of the range of the transformed samples of each frame; none: all are 0
  std::vector<double> offsets;
  std::shared_ptr<const std::vector<double>>
      /// The background of all sites, or of a frame or an image, then for each; null: none; only
      /// without transform
      background;
  std::shared_ptr<const std::vector<double>>
      /// Standard deviations of the errors of samples: of all, or as the background; null: no
      /// errors
      noise;
  std::shared_ptr<const Trend> trend;  ///< null: none
  /// Root of the HDF5 file that the field comes from, held open for its coordinates and attributes
  std::optional<io::Group> source;
  std::string dataset;  ///< its path there
  /// Paths of the coordinates of each dimension; "" where there is none
  std::vector<std::string> scales;
  io::Packing packing;  ///< of the numbers there
  /// The dimensions of an array, as the calling program describes them
  io::ArrayPlace place;
  std::optional<io::Raster> raster;  ///< transform and projection of a raster; without its values

  std::int64_t sites() const { return grid.sites() * frames; }
  std::int64_t count(Site kind) const;
  /// Values and status of the sites first ... first + count - 1, wherever they are.
  void read_sites(std::size_t first, std::size_t count, double* values,
                  std::uint8_t* status_of) const;
  /// Makes samples with errors kNoisy, in the status of the sites first ... first + count - 1.
  void mark_noisy(std::size_t first, std::size_t count, std::uint8_t* status_of) const;
  /// Reads the numbers that are added to predicted transformed values of these sites.
  void read_references(std::size_t first, std::size_t count, double* references) const;

  /// Returns the number that is taken off the transformed values of a frame before they are rounded
  /// to the precision of the model, and added to predictions.
  double offset(int frame) const {
    return offsets.empty() ? 0 : offsets[static_cast<std::size_t>(frame)];
  }
  double background_at(std::size_t site) const {
    return background ? (*background)[site % background->size()] : 0;
  }
  /// Returns the sum of the offset and the background of a site.
  double reference(std::size_t site) const {
    return offset(static_cast<int>(site / static_cast<std::size_t>(grid.sites()))) +
           background_at(site);
  }
  double noise_at(std::size_t site) const { return noise ? (*noise)[site % noise->size()] : 0; }
};

/// All but values, status and what depends on them. Throws as read_field does.
Field describe_field(const InputParameters& input, const Source& source);

/// Reads the field of the `input` section, without its masks. Throws Error (file) when a file
/// cannot be read, Error (input) for an unknown dataset and for data that are no image, stack or
/// frames of them.
Field read_field(const InputParameters& input);

/// Puts the rows and columns of a field `factor` sites apart, with missing sites between them: a
/// coarse product on a fine grid. Throws Error (input) for data that have coordinates, which would
/// no longer be theirs, and for too many sites; the message names the file.
void refine_grid(Field& field, int factor, const std::string& file);

/// Throws Error (input) when a sample is infinite; the message names the file.
void check_samples(const Field& field, const std::string& file);

/// Makes frames without a sample inactive, unless there are no others, and returns their numbers.
std::vector<int> set_empty_frames_aside(Field& field);

/// "row 2, column 3", with the number of the image where there are several.
std::string describe_site(const Field& field, std::size_t site);

/// Sets the offsets from the samples, less the background, and their transform.
void find_offsets(Field& field);

/// Sets single_spread. Throws Error (input) where the precision of the model does not hold the
/// values of a frame (value_range.hpp); the message names the file.
void check_precision(Field& field, bool single, const std::string& file);
/// Does the same for values from low to high, less a background and transformed.
void check_precision(Field& field, bool single, const std::string& of, double low, double high);

}  // namespace tessera::mpr

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/io/box.hpp"
#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/parameters.hpp"

namespace tessera::mpr {

/// The sites of a box of a stored image, row after row.
struct StoredBox {
  std::vector<double> values;        ///< NaN where none is known
  std::vector<std::uint8_t> status;  ///< a Site each, none of them kNoisy
  /// Standard deviations of the errors of samples, 0 elsewhere; of no sites where there is none
  std::vector<double> background, noise;
  /// [column][site], of a trend, as they are in their files; 0 at inactive sites without a number
  std::vector<double> columns;
};

/// One image that stays in its file, with its masks and the fields that go with it: they are read
/// when they are asked for. Host code; calls come from one thread at a time.
class StoredImage {
 public:
  /// about: what the file says besides the values. Throws Error (file) when a file cannot be read,
  /// Error (input) when there are several images.
  StoredImage(const InputParameters& input, const Field& about);
  ~StoredImage();

  /// The name of its file.
  const std::string& file() const;

  /// The sites of a mask, if it names a file. Throws as Mask does.
  void add_mask(const Field& about, const MaskParameters& mask, Site kind);

  /// Add the background that is taken off the data, and the errors of the samples, where there are
  /// any; they throw as StoredCompanion does.
  void add_background(const Field& about, const CompanionFile& from);
  void add_noise(const Field& about, const NoiseParameters& noise);
  /// Columns of a trend. `failed` receives the number of the field that an error is about.
  void add_trend(const Field& about, const TrendParameters& trend, int& failed);
  bool has_background() const;
  bool has_noise() const;
  /// Returns the number of columns of a trend.
  std::size_t columns() const;
  /// Names of the columns, those of fields first, and the files of these.
  std::vector<std::string> names_of_columns() const;
  const std::vector<std::string>& files_of_columns() const;

  /// The columns and rows of a box. Throws Error (file), and Error (input) for a sample that is
  /// infinite and as StoredCompanion and StoredNoise do.
  void read(const io::Box& box, StoredBox& to) const;

  /// The arrays where read_sites puts numbers of sites; null: not wanted.
  struct Sites {
    double* values = nullptr;
    std::uint8_t* status = nullptr;
    double *background = nullptr, *noise = nullptr;  ///< 0 where there is none
  };
  /// Sites first ... first + count - 1 of the image. Whole rows of blocks of the file are kept for
  /// the next call.
  void read_sites(std::size_t first, std::size_t count, Sites to) const;

  /// Calls `work(box)` for the parts of a box that are best read one after the other: some rows
  /// each, of about a million sites.
  template <class Work>
  void for_each_strip(const io::Box& box, const Work& work) const {
    for (int y = box.y0; y < box.y0 + box.ny;) {
      const int end = end_of_strip(y, box);
      work(io::Box{box.x0, y, box.nx, end - y});
      y = end;
    }
  }

  /// Bytes on the host at most, besides what read is given: of the strips that are kept or decoded.
  double memory() const;

 private:
  int end_of_strip(int row, const io::Box& box) const;
  void read_values(const io::Box& box, StoredBox& to) const;
  void read_all_but_columns(const io::Box& box, StoredBox& to) const;

  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace tessera::mpr

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/io/box.hpp"
#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/parameters.hpp"
#include "tessera/mpr/data/source.hpp"

/// Fields that go with the data, site by site: a background, errors of the samples, fields that a
/// trend consists of. Each holds numbers for all of the data, or for one frame or image and then
/// for each. Host code.

namespace tessera::mpr {

/// The requirements that a file must meet.
struct CompanionRules {
  /// "background", for messages
  std::string what;
  /// Tells at which sites of the field the file must have a value
  std::function<bool(std::uint8_t status)> needs_value;
  /// The remedy where it has none
  std::string remedy = "fill its gaps first, or mark these sites with input.inactive";
};

/// Returns the rules of a field that is needed where sites are not inactive.
CompanionRules rules_of_active(const std::string& what);
/// Returns the rules of errors of samples.
CompanionRules rules_of_noise();

/// Numbers of a file, 0 where they are not needed. Throws Error (file) when the file cannot be
/// read, Error (input) when its shape or its grid are not those of the field, and when it has no
/// finite value at a site that needs one.
std::vector<double> read_companion(const CompanionFile& from, const Field& field,
                                   const CompanionRules& rules);

/// Taken off the data before their gaps are filled, and added again; needed where sites are not
/// inactive.
std::vector<double> read_background(const CompanionFile& from, const Field& field);

/// Standard deviations of the errors of the samples, one for all or those of a file, in the units
/// of the data. Throws Error as read_companion does, and Error (input) for a negative one.
std::vector<double> read_noise(const NoiseParameters& noise, const Field& field);

/// A field that goes with an image that stays in its file, and stays in its own.
class StoredCompanion {
 public:
  /// Throws Error (file) when the file cannot be read, Error (input) when its shape or its grid are
  /// not those of the field.
  StoredCompanion(const CompanionFile& from, const Field& about, const CompanionRules& rules);

  /// The columns and rows of a box, row after row, 0 where they are not needed. status: of its
  /// sites. Throws Error (input) where a value is needed and there is none.
  void read(const io::Box& box, const std::uint8_t* status, double* values) const;

 private:
  Source m_source;
  CompanionRules m_rules;
};

/// Errors of the samples of such an image.
class StoredNoise {
 public:
  StoredNoise(const NoiseParameters& noise, const Field& about);
  /// Standard deviations, 0 where no sample is. Throws as StoredCompanion, and Error (input) for a
  /// negative one.
  void read(const io::Box& box, const std::uint8_t* status, double* deviations) const;

 private:
  NoiseParameters m_noise;
  std::optional<StoredCompanion> m_file;
};

}  // namespace tessera::mpr

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/app/run_app.hpp"
#include "tessera/mpr/data/parameters.hpp"
#include "tessera/mpr/data/validation.hpp"
#include "tessera/mpr/data/validation_cases.hpp"
#include "tessera/mpr/program/result_groups.hpp"

/// The filling of the cases of task validate in one of several variants. Host code;
/// case_fill_on.hpp has the body for an execution space and a precision.

namespace tessera::mpr {

/// A precision, a backend and the rows of tiles.
struct Variant {
  Backend backend = Backend::serial;
  bool single = true;
  std::optional<int> tile_rows;  ///< not set: by the size of the grid
};

/// The variants that validate.precisions, backends and tile_rows name; where they name none, those
/// of the run. Throws Error (input) for a backend that the program does not have.
std::vector<Variant> variants(const Parameters& parameters, Backend backend);

/// The predictions of a case, and what the run says of them.
struct FilledCase {
  std::shared_ptr<const ValidationCase> of;
  std::optional<PredictedLaws> laws;
  std::vector<std::uint16_t> distance;  ///< of all sites, from the nearest sample
  Calibration calibration;
  RunReport report;
  SeriesOfChain series;
  std::size_t members = 0;  ///< realisations: transformed, less the offsets of the field
  std::function<double(std::size_t member, std::size_t site)> realisation;
  double seconds = 0, transfer_seconds = 0, temperature = 0;
};

/// The filling in one variant.
class CaseFill {
 public:
  virtual ~CaseFill() = default;
  /// number: of the case, which goes with the seed into random numbers. spread_of_samples: the
  /// errors of the samples are part of the spreads at the compared sites.
  virtual FilledCase fill(const std::shared_ptr<const ValidationCase>& next, std::size_t number,
                          bool spread_of_samples) = 0;
};

namespace detail {

/// Builds the filling in a variant; the parameters must outlive it. Each pair is compiled in a file
/// of its own, generated from instantiate_model.cpp.in.
template <class ExecSpace, class Real>
std::unique_ptr<CaseFill> make_case_fill(const Variant& variant, const Parameters& parameters,
                                         const RunSettings& settings);

}  // namespace detail

}  // namespace tessera::mpr

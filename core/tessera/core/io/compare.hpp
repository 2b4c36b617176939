// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"

namespace tessera::io {

struct CompareOptions {
  /// Floating-point values a and b agree when |a - b| <= absolute + relative * max(|a|, |b|), and
  /// when both are NaN or the same infinity. Integers and text agree only when they are equal.
  double relative = 1e-12;

  /// The absolute tolerance. None: kAbsoluteOfLargest times the largest finite magnitude in the
  /// dataset, on either side.
  std::optional<double> absolute;
  static constexpr double kAbsoluteOfLargest = 1e-15;

  /// Datasets that are left out: shell patterns of the path, in which * also matches a slash:
  /// "results/record_*", "*/dt".
  std::vector<std::string> ignore;
};

/// The difference between the two sides of a dataset.
struct DatasetDifference {
  enum class Verdict { equal, within, beyond };

  std::string path;  ///< "results/mean"
  Verdict verdict = Verdict::equal;
  /// The reason why elements cannot be compared: "only in the first", "shape 3 x 2 against 3 x 4";
  /// else empty
  std::string mismatch;
  std::uint64_t elements = 0;   ///< on each side
  std::uint64_t differing = 0;  ///< elements that are not equal
  double largest_absolute = 0;  ///< of |a - b|; infinite when only one is finite
  double largest_relative = 0;  ///< of |a - b| / max(|a|, |b|)
  /// Largest of |a - b| / (what is tolerated); infinite for a mismatch
  double excess = 0;

  bool equal() const { return verdict == Verdict::equal; }
  bool acceptable() const { return verdict != Verdict::beyond; }
};

/// Compares every dataset below /coordinates, /results and /series of two results files but wall
/// times (named `seconds`), given their roots: the worst first, and those that are alike by path.
/// Throws Error (file) when one cannot be read.
std::vector<DatasetDifference> compare_results(const Group& first, const Group& second,
                                               const CompareOptions& options = {});

}  // namespace tessera::io

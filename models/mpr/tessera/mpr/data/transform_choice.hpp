// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/fill/transform.hpp"

/// The transform of a field, given or chosen from its samples. Host code.
///
/// Samples, at most some 10 000 of them evenly spread, are predicted from those at a distance d on
/// both sides along the rows, or the columns, or both: in transformed values as their mean, with
/// one standard deviation for all, the root mean square of the errors. d is 1, and half the median
/// length of the gaps along the rows, so that errors are those next to samples and in the middle of
/// gaps. The continuous ranked probability score (CRPS) and the root mean square error of the laws
/// are taken in the units of the values. A transform is taken where at both distances its CRPS is
/// at least 2 % less than that of untransformed values and its error is not greater; of two such
/// transforms the one with the smaller sum of relative CRPS. A distance with less than 100
/// predictions does not count; without any there is no transform.

namespace tessera::mpr {

/// Sets the transform of a field, with its trials where it is chosen, and its offsets. kind: not
/// set: chosen. Throws Error (input) for the logarithm of samples that are not positive.
void set_transform(Field& field, std::optional<TransformKind> kind);

/// Throws Error (input) when a sample is not positive: how many, the first and its place. `name`:
/// of the data, for the message.
void check_positive(const Field& field, const std::string& name);
/// Throws that error for `samples` samples, the first of which is at `site` and has `value`.
[[noreturn]] void throw_without_logarithm(const Field& field, const std::string& name,
                                          std::int64_t samples, std::size_t site, double value);

}  // namespace tessera::mpr

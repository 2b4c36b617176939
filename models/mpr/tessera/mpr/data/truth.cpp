// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/truth.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/mpr/data/grid_agreement.hpp"
#include "tessera/mpr/data/source.hpp"

namespace tessera::mpr {

std::vector<double> read_truth(const TruthParameters& truth, const Field& field) {
  const Source source = open_source(truth.file, truth.dataset, truth.bands);
  if (squeeze(source.shape) != squeeze(field.shape)) {
    throw Error(ErrorKind::input,
                "the truth '" + truth.file + "' has the shape " + shape_text(source.shape) +
                    ", the data " + shape_text(field.shape),
                "give a truth of the shape of the data");
  }
  check_same_grid(field, source);
  std::vector<double> values(field.values.size());
  std::int64_t compared = 0;
  source.read(Numbers::decoded, [&](std::size_t first, std::size_t count, const double* piece) {
    for (std::size_t i = 0; i < count; ++i) {
      if (std::isinf(piece[i]))
        throw Error(ErrorKind::input, "the truth '" + truth.file + "' holds an infinite value");
      values[first + i] = piece[i];
      compared += field.status[first + i] == kMissing && !std::isnan(piece[i]) ? 1 : 0;
    }
  });
  if (compared == 0) {
    throw Error(ErrorKind::input,
                "the truth '" + truth.file + "' has no value for any of the " +
                    std::to_string(field.count(kMissing)) +
                    " missing sites of the data: there is nothing to compare",
                "give data with gaps as input.file, and the values below them as validate.truth");
  }
  return values;
}

}  // namespace tessera::mpr

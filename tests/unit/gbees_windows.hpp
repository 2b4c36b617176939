// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tests/unit/gbees_problems.hpp"

/// Densities that come to the ends of their windows.

namespace tessera::test {

/// Returns the offset of a window so that the cells of another, which has not moved, lie at its
/// ends: at the upper end of the first axis, the third, and so on.
template <int D, class Word>
gbees::Vector<D> window_that_ends_at(const gbees::CellListOf<Word>& cells) {
  using Key = gbees::CellKey<D, Word>;
  gbees::detail::IndexRange<D> range;
  for (const Word key : cells.key) range.add(key);
  gbees::Vector<D> offset{};
  for (int i = 0; i < D; ++i)
    offset[i] =
        static_cast<double>(i % 2 == 0 ? range.high[i] - Key::limit : range.low[i] + Key::limit);
  return offset;
}

/// A density in eight dimensions that grows along the first axis with exp(t), beyond the 253 cells
/// that can be indexed.
inline GbeesProblem<gbees::Equations<8>> spreading(double threshold) {
  linalg::Matrix matrix(8, std::vector<double>(8, 0.0));
  matrix[0][0] = 1;
  auto problem = equations_problem<8>(gbees::linear_equations(matrix, std::vector<double>(8, 0.0)));
  problem.sigma.fill(0.3);
  problem.spacing.fill(1);
  problem.sigma[0] = 10;
  problem.options = options_with(gbees::Scheme::conservative, threshold);
  return problem;
}

}  // namespace tessera::test

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "tests/unit/gbees_problems.hpp"

namespace tessera::test {

inline void expect_equal(const gbees::CellList& a, const gbees::CellList& b) {
  ASSERT_EQ(a.key, b.key);
  ASSERT_EQ(a.probability, b.probability);
}

/// A run of Lorenz '63 that is stored in Real, against one that goes on from its state after three
/// batches: the same bits at the end.
template <class ExecSpace, class Real>
void expect_the_same_bits_after_a_restart(gbees::Scheme scheme) {
  auto whole = lorenz63(scheme).template start<ExecSpace, Real>();
  whole.begin_interval(0.4);
  for (int batch = 0; batch < 3; ++batch) whole.advance();
  auto continued = lorenz63(scheme).template start<ExecSpace, Real>();
  continued.restore(whole.raw_cells(), whole.state());
  while (whole.advance()) {
  }
  while (continued.advance()) {
  }
  expect_equal(whole.cells(0), continued.cells(0));
  EXPECT_EQ(whole.state().time, continued.state().time);
  EXPECT_EQ(whole.state().cell_steps, continued.state().cell_steps);
  EXPECT_EQ(whole.state().max_cells, continued.state().max_cells);
  EXPECT_EQ(whole.state().lost_mass, continued.state().lost_mass);
}

}  // namespace tessera::test

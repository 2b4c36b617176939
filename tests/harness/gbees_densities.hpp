// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "tessera/gbees/grid/density.hpp"

/// Densities that are to be the same, bit for bit.

namespace tessera::test {

template <int D>
void expect_equal(const gbees::Summary<D>& a, const gbees::Summary<D>& b) {
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_EQ(a.lost_mass, b.lost_mass);
  EXPECT_EQ(a.max_p, b.max_p);
  EXPECT_EQ(a.entropy, b.entropy);
  EXPECT_EQ(a.cells, b.cells);
  EXPECT_EQ(a.active_cells, b.active_cells);
  for (int i = 0; i < D; ++i) {
    EXPECT_EQ(a.mean[i], b.mean[i]);
    EXPECT_EQ(a.mode[i], b.mode[i]);
    EXPECT_EQ(a.low[i], b.low[i]);
    EXPECT_EQ(a.high[i], b.high[i]);
    for (int j = 0; j < D; ++j) EXPECT_EQ(a.covariance[i][j], b.covariance[i][j]);
  }
}

inline void expect_equal(const std::vector<gbees::StepRecord>& a,
                         const std::vector<gbees::StepRecord>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].time, b[i].time) << "step " << i;
    EXPECT_EQ(a[i].mass, b[i].mass) << "step " << i;
    EXPECT_EQ(a[i].lost_mass, b[i].lost_mass) << "step " << i;
    EXPECT_EQ(a[i].cells_existing, b[i].cells_existing) << "step " << i;
    EXPECT_EQ(a[i].cells_active, b[i].cells_active) << "step " << i;
  }
}

/// Everything that two densities, which may have keys of different width, tell alike on all ranks:
/// the clock, moments and marginals.
template <int D, class A, class B>
void expect_the_same_answers(const gbees::Density<D, A>& a, const gbees::Density<D, B>& b) {
  EXPECT_EQ(a.state().time, b.state().time);
  EXPECT_EQ(a.state().steps, b.state().steps);
  EXPECT_EQ(a.state().cell_steps, b.state().cell_steps);
  EXPECT_EQ(a.state().max_cells, b.state().max_cells);
  const gbees::Summary<D> summary = a.summarize();
  expect_equal(summary, b.summarize());
  EXPECT_EQ(a.marginals(summary), b.marginals(summary));
  if (D > 1) {
    EXPECT_EQ(a.joint_marginal({D - 1, 0}, summary), b.joint_marginal({D - 1, 0}, summary));
  }
}

}  // namespace tessera::test

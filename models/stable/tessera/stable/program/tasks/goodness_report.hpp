// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/stable/fit/goodness.hpp"

/// Tests of a fit in words and in results files.
namespace tessera::stable {

/// The test called "ad", "ks" or "cvm".
const BootstrapTest& find_test(const GoodnessTest& tests, const std::string& statistic);

/// Statistics, p-values and replicates.
void write_goodness(const io::Group& results, const std::vector<std::string>& statistics,
                    const GoodnessTest& tests);
void write_likelihood_ratios(const io::Group& results, const std::vector<Hypothesis>& hypotheses,
                             const std::vector<BootstrapTest>& tests);

/// Describes the p-values.
std::string describe_goodness(const std::vector<std::string>& statistics,
                              const GoodnessTest& tests);
std::string describe_likelihood_ratios(const std::vector<Hypothesis>& hypotheses,
                                       const std::vector<BootstrapTest>& tests);

}  // namespace tessera::stable

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/config/section.hpp"
#include "tessera/gbees/conjunction/probability.hpp"
#include "tessera/gbees/orbits/cdm.hpp"

namespace tessera::gbees {

/// A message and what its mean orbits say.
struct Conjunction {
  ConjunctionMessage message;
  double radius = 0;  ///< m
  Encounter encounter;
  std::uint32_t stream = 0;  ///< of random numbers, from the bytes of the message
};

/// Everything an input says about `task: conjunction`.
struct ConjunctionParameters {
  std::vector<Conjunction> conjunctions;
  ProbabilityOptions options;
  std::string table;  ///< a CSV file, or empty

  /// Declares and reads the section `conjunction` and the messages that it names. Problems are
  /// recorded in `root`, those of messages with file and line.
  static ConjunctionParameters read(config::Section& root);
};

}  // namespace tessera::gbees

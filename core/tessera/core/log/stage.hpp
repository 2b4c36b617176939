// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::logging {

/// The work that is under way while this lives: "couplings", "step 3". Signs of life of a run show
/// the stages that live, the outermost first. Functions may be called by any thread.
class Stage {
 public:
  explicit Stage(std::string what = "");
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  void set(std::string what);
  /// "step 3 of 15"; `of` 0: "step 3".
  void count(const char* what, long long number, long long of = 0);
};

/// "couplings, step 3"; empty where nothing lives that says anything.
std::string stages();

}  // namespace tessera::logging

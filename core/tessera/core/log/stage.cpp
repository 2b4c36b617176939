// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/log/stage.hpp"

#include <mutex>
#include <utility>
#include <vector>

namespace tessera::logging {

namespace {

struct Living {
  std::mutex mutex;
  std::vector<std::pair<const Stage*, std::string>> stages;  ///< the outermost first
};

Living& living() {
  static Living of_process;
  return of_process;
}

}  // namespace

Stage::Stage(std::string what) {
  const std::lock_guard lock(living().mutex);
  living().stages.emplace_back(this, std::move(what));
}

Stage::~Stage() {
  const std::lock_guard lock(living().mutex);
  std::erase_if(living().stages, [this](const auto& stage) { return stage.first == this; });
}

void Stage::set(std::string what) {
  const std::lock_guard lock(living().mutex);
  for (auto& [stage, text] : living().stages) {
    if (stage == this) text = std::move(what);
  }
}

void Stage::count(const char* what, long long number, long long of) {
  set(std::string(what) + " " + std::to_string(number) +
      (of > 0 ? " of " + std::to_string(of) : ""));
}

std::string stages() {
  const std::lock_guard lock(living().mutex);
  std::string text;
  for (const auto& [stage, what] : living().stages)
    text += (text.empty() || what.empty() ? "" : ", ") + what;
  return text;
}

}  // namespace tessera::logging

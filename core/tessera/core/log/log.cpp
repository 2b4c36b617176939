// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/log/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/core/log/terminal.hpp"
#include "tessera/core/log/warnings.hpp"

namespace tessera::logging {

namespace {

/// "tessera: warning: " and "tessera: error: ", in colour on a terminal; information carries the
/// name alone.
class Prefix final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
              spdlog::memory_buf_t& to) override {
    std::string_view text = "tessera:";
    if (message.level == spdlog::level::warn) text = "tessera: warning:";
    if (message.level == spdlog::level::err) text = "tessera: error:";
    message.color_range_start = to.size();
    to.append(text.data(), text.data() + text.size());
    message.color_range_end =
        message.level >= spdlog::level::warn ? to.size() : message.color_range_start;
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<Prefix>();
  }
};

/// Our own logger: the default one of spdlog belongs to the program that uses the library.
spdlog::logger& logger() {
  static const std::unique_ptr<spdlog::logger> instance = [] {
    auto sink =
        std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>(spdlog::color_mode::automatic);
    auto made = std::make_unique<spdlog::logger>("tessera", std::move(sink));
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<Prefix>('*').set_pattern("%* %v");
    made->set_formatter(std::move(formatter));
    made->set_level(spdlog::level::info);
    return made;
  }();
  return *instance;
}

Level current = Level::normal;

bool is_holding = false;
std::vector<std::string> held;

std::vector<std::string> given_warnings;
bool warnings_are_shown = true, errors_are_shown = true;

void write(spdlog::level::level_enum severity, const std::string& message) {
  if (is_holding) {
    if (severity == spdlog::level::err) held.push_back(message);
    return;
  }
  if (!logger().should_log(severity)) return;
  clear_line();
  logger().log(severity, spdlog::string_view_t(message));
  logger().flush();
}

}  // namespace

void set_level(Level level) {
  current = level;
  logger().set_level(level == Level::quiet    ? spdlog::level::warn
                     : level == Level::normal ? spdlog::level::info
                                              : spdlog::level::debug);
}

Level level() { return current; }

void error(const std::string& message) {
  if (errors_are_shown) write(spdlog::level::err, message);
}

void warning(const std::string& message) {
  add_warning(message);
  if (warnings_are_shown) write(spdlog::level::warn, message);
}

void info(const std::string& message) { write(spdlog::level::info, message); }
void detail(const std::string& message) { write(spdlog::level::debug, message); }

const std::vector<std::string>& warnings() { return given_warnings; }

void add_warning(const std::string& message) {
  if (std::find(given_warnings.begin(), given_warnings.end(), message) == given_warnings.end())
    given_warnings.push_back(message);
}

void clear_warnings() { given_warnings.clear(); }

void show_warnings(bool on) { warnings_are_shown = on; }

void show_errors(bool on) { errors_are_shown = on; }

void report(const std::string& text) {
  if (is_holding) {
    held.push_back(text);
  } else {
    std::cerr << text << '\n';
  }
}

void hold_messages(bool hold) { is_holding = hold; }

bool holds_messages() { return is_holding; }

void release_messages(const std::string& prefix) {
  const bool was_holding = std::exchange(is_holding, false);
  for (const std::string& message : std::exchange(held, {})) error(prefix + message);
  is_holding = was_holding;
}

}  // namespace tessera::logging

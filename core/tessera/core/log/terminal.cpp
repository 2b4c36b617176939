// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/log/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tessera::logging {

namespace {

bool line_is_open = false;

std::size_t terminal_width() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : kUsual;
}

/// The first `width` characters of UTF-8 text.
std::string cut(const std::string& text, std::size_t width) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts_character = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (starts_character && ++characters > width) return text.substr(0, i);
  }
  return text;
}

}  // namespace

bool stderr_is_terminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
}

void show_line(const std::string& text) {
  std::fprintf(stderr, "\r%s\033[K", cut(text, terminal_width() - 1).c_str());
  std::fflush(stderr);
  line_is_open = true;
}

void clear_line() {
  if (!line_is_open) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  line_is_open = false;
}

void end_line() {
  if (!line_is_open) return;
  std::fputc('\n', stderr);
  std::fflush(stderr);
  line_is_open = false;
}

void write_line(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  std::fflush(stderr);
}

}  // namespace tessera::logging

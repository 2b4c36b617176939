// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/app/signals.hpp"

#include <csignal>

namespace tessera {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGUSR2};
constexpr int kIgnored[] = {SIGXFSZ, SIGPIPE};

// A handler can reach nothing but a global.
volatile std::sig_atomic_t g_received = 0;

void note(int number) {
  if (g_received == 0) g_received = number;
}

}  // namespace

SignalWatch::SignalWatch() {
  g_received = 0;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : kSignals) sigaction(number, &action, nullptr);
  // A full file is an error of its write. A reader of messages that has gone away costs nothing but the messages.
  for (const int number : kIgnored) std::signal(number, SIG_IGN);
}

SignalWatch::~SignalWatch() {
  g_received = 0;
  for (const int number : kSignals) std::signal(number, SIG_DFL);
}

int SignalWatch::received() const { return g_received; }

void stop_at_signal() {
  if (g_received != 0) throw Interrupted{g_received};
}

const volatile std::sig_atomic_t* signal_flag() { return &g_received; }

}  // namespace tessera

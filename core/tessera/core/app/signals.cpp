// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/app/signals.hpp"

#include <csignal>
#include <iterator>

#include "tessera/core/app/signal_delay.hpp"

namespace tessera {

namespace {

// A file that is full is an error of its write. A reader of messages that has gone away costs
// nothing but the messages.
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGUSR2, SIGXFSZ, SIGPIPE};
constexpr std::size_t kNoted = 3;  // the first of them; the others are ignored

// A handler can reach nothing but globals.
volatile std::sig_atomic_t g_received = 0;
volatile std::sig_atomic_t g_heeded = 0;  // the same, unless signals are deferred
volatile std::sig_atomic_t g_deferred = 0;
struct sigaction g_before[std::size(kSignals)];

void note(int number) {
  if (g_received == 0) g_received = number;
  if (g_deferred == 0) g_heeded = g_received;
  for (std::size_t i = 0; i < kNoted; ++i) {
    if (kSignals[i] != number) continue;
    struct sigaction next = g_before[i];
    if (next.sa_handler == SIG_IGN) next.sa_handler = SIG_DFL;
    sigaction(number, &next, nullptr);
  }
}

}  // namespace

SignalWatch::SignalWatch(bool deferred) {
  g_received = 0;
  g_heeded = 0;
  g_deferred = deferred ? 1 : 0;
  struct sigaction action {};
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &g_before[i]);  // before `note` needs it
    action.sa_handler = i < kNoted ? note : SIG_IGN;
    sigaction(kSignals[i], &action, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  g_received = 0;
  g_heeded = 0;
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    sigaction(kSignals[i], &g_before[i], nullptr);
}

int SignalWatch::received() const { return g_received; }

void stop_at_signal() {
  if (g_heeded != 0) throw Interrupted{g_heeded};
}

SignalDelay::SignalDelay() : m_before(g_deferred) {
  g_deferred = 1;
  if (g_heeded == 0) return;
  g_deferred = m_before;
  stop_at_signal();
}

SignalDelay::~SignalDelay() {
  g_deferred = m_before;
  if (g_deferred == 0) g_heeded = g_received;
}

const volatile std::sig_atomic_t* signal_flag() { return &g_heeded; }

}  // namespace tessera

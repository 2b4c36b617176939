// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/parallel/communicator.hpp"

namespace tessera::bench {

/// The time that the messages of a rank by MPI have taken. Messages of NCCL are not among them.
struct MessageTotals {
  double seconds = 0;  ///< with the time in which it waited for other ranks
  double messages = 0;
  double bytes = 0;  ///< that it has sent to others; of broadcasts and gathers those of the message
  MessageTotals& operator+=(const MessageTotals& other) {
    seconds += other.seconds;
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
};

/// The ranks that a launcher started together, whose messages are counted. The first call is made
/// by all of them.
const parallel::Communicator& timed_ranks();

/// The messages here since the last call.
MessageTotals take_message_totals();

}  // namespace tessera::bench

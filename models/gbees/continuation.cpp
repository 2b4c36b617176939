// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/continuation.hpp"

#include <algorithm>
#include <sstream>

#include "tessera/core/error.hpp"

namespace tessera::gbees {

namespace {

[[noreturn]] void refuse_end(double earlier, double now, const char* remedy) {
  std::ostringstream what;
  what << "time.end is " << now << ", and the run to continue ends at " << earlier;
  throw Error(ErrorKind::input, what.str(), remedy);
}

}  // namespace

std::vector<double> continued_segment_ends(const EarlierRun& earlier, const Parameters& parameters) {
  const double reached = earlier.segment_ends.back();
  if (!earlier.is_complete && parameters.end != reached) {
    refuse_end(reached, parameters.end, "continue it with its own end first; run.keep_restart then leaves a file to go on from");
  }
  if (parameters.end < reached) refuse_end(reached, parameters.end, "give a later end");

  const std::vector<double> planned = parameters.segment_ends();
  const auto ahead = std::lower_bound(planned.begin(), planned.end(), reached);
  std::vector<double> ends = earlier.segment_ends;
  if (earlier.measurements != parameters.measurements_before(reached) || !std::includes(ends.begin(), ends.end(), planned.begin(), ahead)) {
    std::ostringstream what;
    what << "the measurements before t = " << reached << " are not those of the run to continue";
    throw Error(ErrorKind::input, what.str(), "add measurements only where that run had not come yet, or start anew");
  }
  ends.insert(ends.end(), std::upper_bound(ahead, planned.end(), reached), planned.end());
  return ends;
}

void require_same_end(double earlier, const Parameters& parameters) {
  if (parameters.end != earlier) refuse_end(earlier, parameters.end, "continue it with its own end: a study is not prolonged");
}

}  // namespace tessera::gbees

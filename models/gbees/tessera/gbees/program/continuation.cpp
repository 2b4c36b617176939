// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/continuation.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"

namespace tessera::gbees {

namespace {

[[noreturn]] void refuse_end(double earlier, double now, const char* remedy) {
  std::ostringstream what;
  what << "time.end is " << now << ", and the run to continue ends at " << earlier;
  throw Error(ErrorKind::input, what.str(), remedy);
}

}  // namespace

std::vector<double> continued_segment_ends(const EarlierRun& earlier,
                                           const Parameters& parameters) {
  const double reached = earlier.segment_ends.back();
  if (!earlier.is_complete && parameters.end != reached) {
    refuse_end(
        reached, parameters.end,
        "continue it with its own end first; run.keep_restart then leaves a file to go on from");
  }
  if (parameters.end < reached) refuse_end(reached, parameters.end, "give a later end");

  const std::vector<double> planned = parameters.segment_ends();
  const auto ahead = std::lower_bound(planned.begin(), planned.end(), reached);
  std::vector<double> ends = earlier.segment_ends;
  if (earlier.measurements != parameters.measurements_before(reached) ||
      !std::includes(ends.begin(), ends.end(), planned.begin(), ahead)) {
    std::ostringstream what;
    what << "the measurements and maneuvers before t = " << reached
         << " are not those of the run to continue";
    throw Error(ErrorKind::input, what.str(),
                "add some only where that run had not come yet, or start again");
  }
  ends.insert(ends.end(), std::upper_bound(ahead, planned.end(), reached), planned.end());
  return ends;
}

void save_past(const io::Group& past, const Parameters& parameters, std::size_t taken,
               double time) {
  const io::Attributes plain;
  std::vector<std::string> measurements;
  for (std::size_t k = 0; k < taken; ++k)
    measurements.push_back(parameters.measurements.at(k).digest());
  if (!measurements.empty()) past.write("measurements", measurements, plain);
  std::vector<std::string> tables;
  std::vector<std::uint64_t> rows;
  for (const TableParameters& table : parameters.tables) {
    rows.push_back(table.rows_until(time));
    tables.push_back(table.digest(rows.back()));
  }
  if (tables.empty()) return;
  past.write("tables", tables, plain);
  past.write("table_rows", rows, plain);
}

void check_past(const io::Group& state, const Parameters& parameters, std::size_t taken,
                double time) {
  const auto refuse = [&](const std::string& what) {
    std::ostringstream text;
    text << what << " is not the one that the run to continue has used until t = " << time;
    throw Error(ErrorKind::input, text.str(),
                "leave the rows that it has used as they were, the ones next behind that time too, "
                "and add rows behind them, or start again");
  };
  if (taken == 0 && parameters.tables.empty()) return;
  const io::Group past = state.group("past");
  const auto measurements =
      taken > 0 ? past.read<std::string>("measurements", {taken}) : std::vector<std::string>();
  for (std::size_t k = 0; k < taken; ++k) {
    if (k >= parameters.measurements.size() ||
        parameters.measurements[k].digest() != measurements[k]) {
      refuse("measurement " + std::to_string(k + 1));
    }
  }
  if (parameters.tables.empty()) return;
  const auto tables = past.read<std::string>("tables", {parameters.tables.size()});
  const auto rows = past.read<std::uint64_t>("table_rows", {parameters.tables.size()});
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const TableParameters& table = parameters.tables[i];
    const std::size_t used = table.rows_until(time);
    if (used < rows[i] || table.digest(rows[i]) != tables[i])
      refuse("the table '" + table.name + "'");
    if (used == rows[i]) continue;
    std::ostringstream text;
    text << "the rows added to the table '" << table.name
         << "' change its curve before t = " << time
         << ", where the run to continue has used it without them; start again to use the new "
            "curve from the beginning";
    logging::warning(text.str());
  }
}

void require_same_end(double earlier, const Parameters& parameters) {
  if (parameters.end != earlier)
    refuse_end(earlier, parameters.end, "continue it with its own end: a study is not prolonged");
}

}  // namespace tessera::gbees

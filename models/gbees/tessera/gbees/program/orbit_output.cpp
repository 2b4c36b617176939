// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/orbit_output.hpp"

#include <chrono>
#include <string>

#include "tessera/core/io/temporary_file.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/gbees/orbits/ephemeris.hpp"

namespace tessera::gbees {

namespace {

/// Where Unix time begins, as a date of TAI
constexpr const char* kUnixEpoch = "1970-01-01T00:00:00";

Epoch now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  // UTC counts no leap seconds in Unix time.
  const double seconds = std::chrono::duration<double>(since).count();
  const Epoch near = later(parse_epoch(kUnixEpoch, TimeSystem::tai), seconds);
  return later(near, leap_seconds(near));
}

EphemerisRow make_row(const Parameters& parameters, const Record& record) {
  const Units& units = parameters.state_units;
  const std::vector<double>& mean = record.state ? record.state->mean : record.mean;
  const std::vector<double>& covariance =
      record.state ? record.state->covariance : record.covariance;
  EphemerisRow row;
  row.epoch = later(*parameters.initial.epoch, record.time * units.time);
  row.covariance.assign(6, std::vector<double>(6, 0.0));
  for (std::size_t i = 0; i < 6; ++i) {
    const double size = units.size(units.variables[i]);
    row.state[i] = mean[i] * size;
    for (std::size_t j = 0; j < 6; ++j)
      row.covariance[i][j] = covariance[6 * i + j] * size * units.size(units.variables[j]);
  }
  return row;
}

}  // namespace

void write_ephemeris(const io::Group& root, const Parameters& parameters,
                     const std::vector<Record>& records) {
  if (!parameters.initial.epoch) return;
  root.set_attribute("epoch", format_epoch(*parameters.initial.epoch, TimeSystem::utc, 6));
  if (parameters.oem.empty() || records.empty()) return;
  std::vector<EphemerisRow> rows;
  for (std::size_t r = 0; r < records.size(); ++r) {
    if (r + 1 < records.size() && !(records[r + 1].time > records[r].time)) continue;
    rows.push_back(make_row(parameters, records[r]));
  }
  const std::string name =
      parameters.initial.object_name.empty() ? "UNKNOWN" : parameters.initial.object_name;
  const std::string text = format_oem(name, rows, now());
  io::TemporaryFile file(parameters.oem);
  file.write(0, text.data(), text.size());
  const std::string taken = file.commit_beside({});
  if (taken != parameters.oem) {
    logging::warning("'" + parameters.oem + "' exists and is kept; the ephemeris of this run is '" +
                     taken + "'");
  }
}

}  // namespace tessera::gbees

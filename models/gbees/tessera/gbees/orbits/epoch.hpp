// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace tessera::gbees {

/// The time systems of orbit files.
enum class TimeSystem { utc, tai, tt, tdb, gps };

/// Returns the time system that a file names (UTC, TAI, TT, TDB, GPS). Throws Error (input) for
/// others, and lists these.
TimeSystem parse_time_system(const std::string& name);

/// An instant, as TAI. Differences are exact to 1e-11 s over years.
struct Epoch {
  std::int64_t day = 0;  ///< whole days since 2000-01-01T00:00:00 TAI
  double second = 0;     ///< of that day, 0 to 86400
};

/// Reads a time as CCSDS files write it: 2021-07-08T05:51:46.884 or, with the day of the year,
/// 2021-189T05:51:46.884; a Z at the end is allowed. Second 60 exists in UTC where the table has a
/// leap second. TDB is TT + 0.001657 s sin g (Astronomical Almanac), good to 3e-5 s. Throws Error
/// (input) for what is no time, and for UTC before 1972.
Epoch parse_epoch(const std::string& text, TimeSystem system);

/// Writes an instant with that many decimals of a second: "2021-07-08T05:51:46.884".
std::string format_epoch(const Epoch& epoch, TimeSystem system, int decimals = 3);

/// Seconds from `from` to `to`.
double seconds_between(const Epoch& from, const Epoch& to);

/// The instant that many seconds later.
Epoch later(const Epoch& epoch, double seconds);

/// Seconds of TDB since 2000-01-01T12:00:00 TDB, the time of SPICE, good to 1e-7 s, and back.
double seconds_of_tdb(const Epoch& epoch);
Epoch epoch_of_tdb(double seconds);

/// TAI - UTC in s, by the table of leap seconds.
double leap_seconds(const Epoch& epoch);

/// Tells whether an instant lies after the last one for which the table of leap seconds is known to
/// hold: UTC is then right only if there is no leap second until then.
bool is_beyond_leap_seconds(const Epoch& epoch);

/// The origin of the table of leap seconds and its date, in one line.
const char* leap_second_source();

}  // namespace tessera::gbees

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/epoch.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <regex>

#include "tessera/core/error.hpp"

namespace tessera::gbees {

namespace {

constexpr double kDay = 86400;
constexpr double kTtMinusTai = 32.184, kTaiMinusGps = 19;

/// From 0 h UTC of a day on, TAI - UTC is this many seconds.
struct LeapSecond {
  int year, month;
  int offset;
};

/// IERS Bulletin C; leap_second_source() has the date.
constexpr std::array<LeapSecond, 28> kLeapSeconds{
    {{1972, 1, 10}, {1972, 7, 11}, {1973, 1, 12}, {1974, 1, 13}, {1975, 1, 14}, {1976, 1, 15},
     {1977, 1, 16}, {1978, 1, 17}, {1979, 1, 18}, {1980, 1, 19}, {1981, 7, 20}, {1982, 7, 21},
     {1983, 7, 22}, {1985, 7, 23}, {1988, 1, 24}, {1990, 1, 25}, {1991, 1, 26}, {1992, 7, 27},
     {1993, 7, 28}, {1994, 7, 29}, {1996, 1, 30}, {1997, 7, 31}, {1999, 1, 32}, {2006, 1, 33},
     {2009, 1, 34}, {2012, 7, 35}, {2015, 7, 36}, {2017, 1, 37}}};

/// Days from 2000-01-01 to a date of the Gregorian calendar (Hinnant, chrono-compatible low-level
/// date algorithms).
std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 730425;
}

struct Date {
  std::int64_t year = 2000;
  int month = 1, day = 1;
};

Date civil_from_days(std::int64_t days) {
  days += 730425;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t of_era = days - era * 146097;
  const std::int64_t year_of_era =
      (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month = (5 * of_year + 2) / 153;
  Date date;
  date.day = static_cast<int>(of_year - (153 * month + 2) / 5 + 1);
  date.month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  date.year = year_of_era + era * 400 + (date.month <= 2 ? 1 : 0);
  return date;
}

std::int64_t begin_of(const LeapSecond& entry) {
  return days_from_civil(entry.year, entry.month, 1);
}

/// TAI - UTC on a day of UTC; 0 before 1972.
int offset_on(std::int64_t utc_day) {
  int offset = 0;
  for (const LeapSecond& entry : kLeapSeconds) {
    if (begin_of(entry) <= utc_day) offset = entry.offset;
  }
  return offset;
}

Epoch normalized(std::int64_t day, double second) {
  const double days = std::floor(second / kDay);
  return {day + static_cast<std::int64_t>(days), second - days * kDay};
}

/// TDB - TT in s.
double tdb_minus_tt(const Epoch& epoch) {
  const double days = static_cast<double>(epoch.day) + epoch.second / kDay - 0.5;
  const double anomaly = (357.53 + 0.9856003 * days) * (3.14159265358979323846 / 180);
  return 0.001657 * std::sin(anomaly) + 0.000022 * std::sin(2 * anomaly);
}

/// The time in a system less TAI, but for UTC.
double minus_tai(TimeSystem system, const Epoch& epoch) {
  switch (system) {
    case TimeSystem::tt:
      return kTtMinusTai;
    case TimeSystem::tdb:
      return kTtMinusTai + tdb_minus_tt(epoch);
    case TimeSystem::gps:
      return -kTaiMinusGps;
    default:
      return 0;
  }
}

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error(ErrorKind::input, "'" + text + "' is no time: " + why);
}

int length_of_month(std::int64_t year, int month) {
  const std::int64_t next =
      month == 12 ? days_from_civil(year + 1, 1, 1) : days_from_civil(year, month + 1, 1);
  return static_cast<int>(next - days_from_civil(year, month, 1));
}

}  // namespace

TimeSystem parse_time_system(const std::string& name) {
  if (name == "UTC") return TimeSystem::utc;
  if (name == "TAI") return TimeSystem::tai;
  if (name == "TT") return TimeSystem::tt;
  if (name == "TDB") return TimeSystem::tdb;
  if (name == "GPS") return TimeSystem::gps;
  throw Error(ErrorKind::input, "the time system '" + name +
                                    "' is not one of those that are read: UTC, TAI, TT, TDB, GPS");
}

Epoch parse_epoch(const std::string& text, TimeSystem system) {
  static const std::regex form(
      R"((\d{4})-(?:(\d{2})-(\d{2})|(\d{3}))[T ](\d{2}):(\d{2}):(\d{2}(?:\.\d*)?)Z?)");
  std::smatch found;
  if (!std::regex_match(text, found, form))
    refuse(text, "expected YYYY-MM-DDThh:mm:ss or YYYY-DDDThh:mm:ss");
  const std::int64_t year = std::stoll(found[1]);
  std::int64_t day = 0;
  if (found[2].matched) {
    const int month = std::stoi(found[2]), of_month = std::stoi(found[3]);
    if (month < 1 || month > 12) refuse(text, "months are 1 to 12");
    if (of_month < 1 || of_month > length_of_month(year, month))
      refuse(text, "the month has no such day");
    day = days_from_civil(year, month, of_month);
  } else {
    const int of_year = std::stoi(found[4]);
    day = days_from_civil(year, 1, 1) + of_year - 1;
    if (of_year < 1 || day >= days_from_civil(year + 1, 1, 1))
      refuse(text, "the year has no such day");
  }
  const int hour = std::stoi(found[5]), minute = std::stoi(found[6]);
  const double second = std::stod(found[7]);
  if (hour > 23 || minute > 59) refuse(text, "hours are 0 to 23 and minutes 0 to 59");
  const bool has_leap =
      system == TimeSystem::utc && offset_on(day + 1) > offset_on(day) && offset_on(day) > 0;
  const double most = has_leap && hour == 23 && minute == 59 ? 61 : 60;
  if (!(second < most)) refuse(text, "the minute has no such second");
  const double of_day = 3600.0 * hour + 60.0 * minute + second;
  if (system == TimeSystem::utc) {
    const int offset = offset_on(day);
    if (offset == 0) refuse(text, "UTC is known from 1972 on; give it in TAI or TT");
    return normalized(day, of_day + offset);
  }
  const Epoch first = normalized(day, of_day);
  return normalized(day, of_day - minus_tai(system, first));
}

double seconds_of_tdb(const Epoch& epoch) {
  return (static_cast<double>(epoch.day) - 0.5) * kDay +
         (epoch.second + minus_tai(TimeSystem::tdb, epoch));
}

Epoch epoch_of_tdb(double seconds) {
  const double days = std::floor(seconds / kDay + 0.5);
  const Epoch near{static_cast<std::int64_t>(days), seconds - (days - 0.5) * kDay};
  return later(near, -minus_tai(TimeSystem::tdb, near));
}

double leap_seconds(const Epoch& epoch) {
  int offset = 0;
  for (const LeapSecond& entry : kLeapSeconds) {
    const double since = static_cast<double>(epoch.day - begin_of(entry)) * kDay + epoch.second;
    if (since >= entry.offset) offset = entry.offset;
  }
  return offset;
}

bool is_beyond_leap_seconds(const Epoch& epoch) { return epoch.day >= days_from_civil(2026, 7, 1); }

const char* leap_second_source() {
  return "IERS Bulletin C 70 (July 2025): TAI - UTC = 37 s, known until the end of June 2026";
}

std::string format_epoch(const Epoch& epoch, TimeSystem system, int decimals) {
  const double unit = std::pow(10.0, -decimals);
  Epoch local = epoch;
  double leap = 0;
  if (system == TimeSystem::utc) {
    // the leap second itself is second 60 of the day before
    const double before = leap_seconds(later(epoch, -1)), now = leap_seconds(epoch);
    const double after = leap_seconds(later(epoch, 1));
    local = later(epoch, -now);
    if (after > now && now > 0 && before > 0 && local.second < 1) {
      local = later(local, -1);
      leap = 1;
    }
  } else {
    local = later(epoch, minus_tai(system, epoch));
  }
  double second = std::round(local.second / unit) * unit;
  std::int64_t day = local.day;
  if (second >= kDay && leap == 0) {
    second -= kDay;
    ++day;
  }
  const Date date = civil_from_days(day);
  const int hour = std::min(23, static_cast<int>(second / 3600));
  const int minute = std::min(59, static_cast<int>((second - 3600.0 * hour) / 60));
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%0*.*f", static_cast<int>(date.year),
                date.month, date.day, hour, minute, decimals > 0 ? decimals + 3 : 2, decimals,
                std::fabs(second - 3600.0 * hour - 60.0 * minute) + leap);
  return text;
}

double seconds_between(const Epoch& from, const Epoch& to) {
  return static_cast<double>(to.day - from.day) * kDay + (to.second - from.second);
}

Epoch later(const Epoch& epoch, double seconds) {
  return normalized(epoch.day, epoch.second + seconds);
}

}  // namespace tessera::gbees

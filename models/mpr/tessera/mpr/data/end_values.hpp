// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace tessera::mpr {

/// The smallest and the greatest of some values, how many have them, and their neighbours: enough
/// to see a number that stands for no value, and that nobody marked. Host code.
class EndValues {
 public:
  void add(double value) {
    add_end(value, m_low);
    add_end(-value, m_high);
  }
  void join(const EndValues& other) {
    join_end(other.m_low, m_low);
    join_end(other.m_high, m_high);
  }

  /// A warning where a number at one end is far from all others: a single one by a thousand times
  /// their range, one of several values by ten times, or by their range where it is one that files
  /// use for no value (-9999, 1e20, ...). Empty where there is none. of: what the values are
  /// ("'sst.nc'"); remedy: what to do where the number stands for none; by default the input key
  /// with the number.
  std::string doubt(const std::string& of, const std::string& remedy = "") const;

 private:
  struct End {
    double value = std::numeric_limits<double>::infinity(), next = value;
    std::int64_t count = 0;  ///< of that value
  };
  static void add_end(double value, End& end) {
    if (value > end.value) {
      if (value < end.next) end.next = value;
    } else if (value < end.value) {
      end.next = end.value;
      end.value = value;
      end.count = 1;
    } else {
      ++end.count;
    }
  }
  static void join_end(const End& other, End& end);
  static bool is_apart(const End& end, double range);

  End m_low, m_high;  ///< the greatest value with its sign changed
};

}  // namespace tessera::mpr

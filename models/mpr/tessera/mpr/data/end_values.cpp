// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/end_values.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "tessera/core/config/scalar.hpp"

namespace tessera::mpr {

namespace {

/// Returns whether files use a number for no value.
bool is_usual(double number) {
  const double size = std::fabs(number);
  const std::initializer_list<double> usual{99,    999,   9999,  99999,      999999,
                                            32767, 32768, 65535, 2147483647, 2147483648};
  return size >= 1e15 || std::any_of(usual.begin(), usual.end(),
                                     [size](double x) { return size >= x && size < x + 1; });
}

}  // namespace

void EndValues::join_end(const End& other, End& end) {
  if (other.value < end.value) {
    const End before = end;
    end = other;
    end.next = std::min(end.next, before.value);
  } else if (other.value == end.value) {
    end.count += other.count;
    end.next = std::min(end.next, other.next);
  } else {
    end.next = std::min(end.next, other.value);
  }
}

/// range: of the other values.
bool EndValues::is_apart(const End& end, double range) {
  const double distance = end.next - end.value;
  const double least = end.count == 1 ? 1000 : is_usual(end.value) ? 1 : 10;
  return range > 0 && std::isfinite(distance) && distance > least * range;
}

std::string EndValues::doubt(const std::string& of, const std::string& remedy) const {
  const bool is_low = is_apart(m_low, -m_high.value - m_low.next);
  if (!is_low && !is_apart(m_high, -m_high.next - m_low.value)) return "";
  const double number = is_low ? m_low.value : -m_high.value;
  const std::string text = config::yaml_text(number);
  const std::string others =
      is_low ? config::yaml_text(m_low.next) + " to " + config::yaml_text(-m_high.value)
             : config::yaml_text(m_low.value) + " to " + config::yaml_text(-m_high.next);
  const std::int64_t count = is_low ? m_low.count : m_high.count;
  const bool one = count == 1;
  return std::to_string(count) + (one ? " sample of " : " samples of ") + of +
         (one ? " is " : " are ") + text + ", far from all others (" + others +
         "): " + (one ? "it is taken for a value" : "they are taken for values") +
         "\n  remedy: " + (remedy.empty() ? "give input.missing_value: " + text : remedy) +
         (one ? " where it stands for none" : " where they stand for none");
}

}  // namespace tessera::mpr

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/config/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "tessera/core/expression/constant.hpp"

namespace tessera::config {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string without(std::string text, char unwanted) {
  text.erase(std::remove(text.begin(), text.end(), unwanted), text.end());
  return text;
}

/// The parts of a decimal number: -12.5e3 is negative, "12", "5", 3.
struct Decimal {
  bool negative = false;
  std::string integer;
  std::string fraction;
  bool has_point = false;
  std::optional<int> exponent;
};

/// Splits [+-]digits[.digits][e[+-]digits]; empty for anything else.
std::optional<Decimal> split_decimal(std::string_view text) {
  Decimal number;
  std::size_t i = 0;
  const auto take_digits = [&] {
    const std::size_t start = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return std::string(text.substr(start, i - start));
  };
  const auto take_sign = [&] {
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) return text[i++] == '-';
    return false;
  };
  number.negative = take_sign();
  number.integer = take_digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    number.has_point = true;
    number.fraction = take_digits();
  }
  if (number.integer.empty() && number.fraction.empty()) return {};
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    const bool negative = take_sign();
    const std::string digits = take_digits();
    if (digits.empty()) return {};
    int exponent = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (result.ec != std::errc() || exponent > 100000) exponent = 100000;
    number.exponent = negative ? -exponent : exponent;
  }
  if (i != text.size()) return {};
  return number;
}

/// Says how to write a number with leading zeros: 010 is 10 for people and 8 for many programs.
std::string leading_zeros_note(const Decimal& number, std::string_view text) {
  const std::string& digits = number.integer;
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  const std::string sign = number.negative ? "-" : "";
  const std::string decimal = sign + std::string(text.substr(text.find(digits) + first));
  unsigned long long octal = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), octal, 8);
  const bool is_octal = result.ec == std::errc() && result.ptr == digits.data() + digits.size() &&
                        !number.has_point && !number.exponent;
  const std::string other = sign + std::to_string(octal);
  return is_octal && other != decimal
             ? fmt::format("leading zeros are ambiguous; write {} or {}", decimal, other)
             : fmt::format("leading zeros are ambiguous; write {}", decimal);
}

/// Says what to do about a text that was meant as a number but is not a decimal one.
std::string remedy(const std::string& text) {
  const std::string plain = lower(text);
  const std::string unsigned_text = plain.substr(plain.find_first_not_of("+-") == 1 ? 1 : 0);
  for (const char* word : {"nan", ".nan", "inf", ".inf", "infinity"}) {
    if (unsigned_text == word) return "numbers must be finite";
  }
  const std::string sign = plain[0] == '-' ? "-" : "";
  for (const auto& [prefix, base] : {std::pair{"0x", 16}, std::pair{"0o", 8}, std::pair{"0b", 2}}) {
    if (unsigned_text.compare(0, 2, prefix) != 0) continue;
    unsigned long long value = 0;
    const char* end = unsigned_text.data() + unsigned_text.size();
    const auto result = std::from_chars(unsigned_text.data() + 2, end, value, base);
    if (result.ec == std::errc() && result.ptr == end)
      return fmt::format("numbers are decimal; write {}{}", sign, value);
  }
  const std::string joined = without(text, '_');
  if (joined != text && split_decimal(joined)) return fmt::format("write {}", joined);
  std::string dotted = text;
  std::replace(dotted.begin(), dotted.end(), ',', '.');
  if (dotted != text && split_decimal(dotted)) return fmt::format("write {}", dotted);
  std::string fortran = plain;
  std::replace(fortran.begin(), fortran.end(), 'd', 'e');
  if (fortran != plain && split_decimal(fortran)) return fmt::format("write {}", fortran);
  return {};
}

/// Splits a plain scalar into the parts of a number, or says why that cannot be done.
std::optional<Decimal> read_decimal(const Node& node, std::string& note) {
  if (node.quoted) {
    if (split_decimal(node.text)) note = "remove the quotes";
    return {};
  }
  const auto number = split_decimal(node.text);
  if (!number) {
    note = remedy(node.text);
    return {};
  }
  if (number->integer.size() > 1 && number->integer[0] == '0') {
    note = leading_zeros_note(*number, node.text);
    return {};
  }
  return number;
}

/// The digits of an integral number, its exponent worked in; empty if it has a fraction.
std::optional<std::string> integral_digits(const Decimal& number) {
  constexpr long kManyDigits = 40;  // more than any 64-bit integer has
  std::string digits = number.integer + number.fraction;
  if (digits.find_first_not_of('0') == std::string::npos) return "0";
  const long shift = number.exponent.value_or(0) - static_cast<long>(number.fraction.size());
  if (shift >= 0) {
    digits.append(static_cast<std::size_t>(std::min(shift, kManyDigits)), '0');
  } else {
    const auto drop = static_cast<std::size_t>(-shift);
    const std::size_t last = digits.find_last_not_of('0');
    if (digits.size() - 1 - last < drop) return {};
    digits.resize(digits.size() - drop);
  }
  return digits.substr(digits.find_first_not_of('0'));
}

/// Returns whether a text is arithmetic rather than a word, a decimal number or a date such as
/// 2026-11-25.
bool is_arithmetic(const std::string& text) {
  return text == "pi" || text == "-pi" || text == "+pi" ||
         text.find_first_of("*/^(") != std::string::npos;
}

/// Returns whether a text is like 25/11/2026, which nobody means as a quotient.
bool is_slashed_date(const std::string& text) {
  return std::count(text.begin(), text.end(), '/') == 2 &&
         text.find_first_not_of("0123456789/") == std::string::npos;
}

/// The value of a plain scalar that is an expression without variables; empty where it is none, and
/// `note` says why if that can be told.
std::optional<double> read_constant(const Node& node, std::string& note) {
  if (node.quoted || !is_arithmetic(node.text)) return {};
  if (is_slashed_date(node.text)) {
    note = "a date is no number";
    return {};
  }
  std::string problem;
  const std::optional<double> value = expression::evaluate_constant(node.text, problem);
  if (!value) {
    note = problem;
  } else if (!std::isfinite(*value)) {
    note = "its value is not finite";
    return {};
  }
  return value;
}

/// Takes the value of an expression that is a whole number of this type.
template <class Integer>
ScalarReading take_whole(double number, Integer& value) {
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53
  if (number != std::trunc(number) || std::abs(number) > kLargestExact)
    return {false, "it must be a whole number"};
  const double low = static_cast<double>(std::numeric_limits<Integer>::min()),
               high = static_cast<double>(std::numeric_limits<Integer>::max());
  if (number < low || number > high) {
    return {false,
            std::is_unsigned_v<Integer> && number < 0
                ? "it must not be negative"
                : fmt::format("it must lie between {} and {}", std::numeric_limits<Integer>::min(),
                              std::numeric_limits<Integer>::max())};
  }
  value = static_cast<Integer>(number);
  return {true, {}};
}

template <class Integer>
ScalarReading read_integer(const Node& node, Integer& value) {
  std::string note;
  const auto number = read_decimal(node, note);
  if (!number) {
    if (!note.empty()) return {false, note};
    const std::optional<double> constant = read_constant(node, note);
    return constant ? take_whole(*constant, value) : ScalarReading{false, note};
  }
  const auto digits = integral_digits(*number);
  if (!digits) return {false, "it must be a whole number"};
  const std::string signed_digits = (number->negative && *digits != "0" ? "-" : "") + *digits;
  if (number->has_point && !number->exponent)
    return {false, fmt::format("write {}", signed_digits)};
  Integer result = 0;
  const char* end = signed_digits.data() + signed_digits.size();
  const auto outcome = std::from_chars(signed_digits.data(), end, result);
  if (outcome.ec != std::errc() || outcome.ptr != end) {
    if (std::is_unsigned_v<Integer> && number->negative) return {false, "it must not be negative"};
    return {false, fmt::format("it must lie between {} and {}", std::numeric_limits<Integer>::min(),
                               std::numeric_limits<Integer>::max())};
  }
  value = result;
  return {true, {}};
}

/// Words that readers of YAML do not take as text. (YAML 1.1 has y and n among them, but no reader
/// that is in use does.)
bool is_reserved_word(const std::string& text) {
  const std::string word = lower(text);
  for (const char* reserved :
       {"true", "false", "yes", "no", "on", "off", "null", "nan", "inf", "infinity"}) {
    if (word == reserved) return true;
  }
  return false;
}

/// Returns whether a text needs no quotes anywhere in YAML.
bool is_plain(const std::string& text) {
  if (text.empty() || !(is_letter(text[0]) || text[0] == '_' || text[0] == '/') ||
      text.back() == ' ')
    return false;
  const auto harmless = [](char c) {
    return is_letter(c) || is_digit(c) ||
           std::string_view("_-./+ ").find(c) != std::string_view::npos;
  };
  return std::all_of(text.begin(), text.end(), harmless) && !is_reserved_word(text);
}

}  // namespace

ScalarReading read_scalar(const Node& node, bool& value) {
  const std::string word = lower(node.text);
  const bool yes = word == "true" || word == "yes" || word == "on";
  const bool no = word == "false" || word == "no" || word == "off";
  const std::string capital =
      word.empty() ? word : std::string(1, static_cast<char>(word[0] - 'a' + 'A')) + word.substr(1);
  const bool all_capitals =
      std::none_of(node.text.begin(), node.text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if ((!yes && !no) || (node.text != word && node.text != capital && !all_capitals)) return {};
  if (node.quoted) return {false, "remove the quotes"};
  value = yes;
  return {true, {}};
}

ScalarReading read_scalar(const Node& node, int& value) { return read_integer(node, value); }

ScalarReading read_scalar(const Node& node, std::int64_t& value) {
  return read_integer(node, value);
}

ScalarReading read_scalar(const Node& node, std::uint64_t& value) {
  return read_integer(node, value);
}

ScalarReading read_scalar(const Node& node, double& value) {
  std::string note;
  if (!read_decimal(node, note)) {
    const std::optional<double> constant = note.empty() ? read_constant(node, note) : std::nullopt;
    if (constant) value = *constant;
    return {constant.has_value(), note};
  }
  const char* begin = node.text.data() + (node.text[0] == '+' ? 1 : 0);
  const char* end = node.text.data() + node.text.size();
  double result = 0;
  const auto outcome = std::from_chars(begin, end, result);
  if (outcome.ec != std::errc() || outcome.ptr != end || !std::isfinite(result))
    return {false, "beyond the range of double precision"};
  value = result;
  return {true, {}};
}

ScalarReading read_scalar(const Node& node, Quantity& value) {
  const std::size_t blank = node.text.find(' ');
  const std::size_t unit =
      blank == std::string::npos ? blank : node.text.find_first_not_of(' ', blank);
  Node number = node;
  if (unit != std::string::npos) {
    number.text = node.text.substr(0, blank);
    number.quoted = false;
  }
  Quantity read;
  // "2 * pi", no unit
  if (unit != std::string::npos &&
      std::string_view("*/+-^").find(node.text[unit]) != std::string_view::npos) {
    number.text = node.text;
    const ScalarReading reading = read_scalar(number, read.number);
    if (reading.ok) value = read;
    return reading;
  }
  ScalarReading reading = read_scalar(number, read.number);
  if (!reading.ok) {
    const std::size_t letter = node.text.find_first_not_of("+-.0123456789");
    const bool lacks_blank = letter != std::string::npos && letter > 0 &&
                             is_letter(node.text[letter]) && is_digit(node.text[letter - 1]);
    if (reading.note.empty() && lacks_blank)
      reading.note =
          fmt::format("write {} {}", node.text.substr(0, letter), node.text.substr(letter));
    return reading;
  }
  if (unit != std::string::npos) {
    read.unit = node.text.substr(unit);
    read.unit_at = unit;
  }
  value = read;
  return reading;
}

ScalarReading read_scalar(const Node& node, std::string& value) {
  value = node.text;
  return {true, {}};
}

std::string yaml_text(bool value) { return value ? "true" : "false"; }

std::string yaml_text(int value) { return std::to_string(value); }

std::string yaml_text(std::int64_t value) { return std::to_string(value); }

std::string yaml_text(std::uint64_t value) { return std::to_string(value); }

std::string yaml_text(double value) {
  // whole numbers below are easier to read without an exponent
  constexpr double kLongestWhole = 1e7;
  if (value == 0 && std::signbit(value)) return "-0.0";
  if (std::abs(value) < kLongestWhole && value == std::trunc(value))
    return std::to_string(static_cast<int>(value));
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, result.ptr);
  // Readers of YAML 1.1 take 1e-07 as text, 1.0e-07 as a number.
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos)
    text.insert(exponent, ".0");
  return text;
}

std::string yaml_text(const Quantity& value) {
  return yaml_text(value.number) + (value.unit.empty() ? "" : " " + value.unit);
}

std::string yaml_text(const std::string& value) {
  if (is_plain(value)) return value;
  std::string text = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += c;
    }
  }
  return text + '"';
}

}  // namespace tessera::config

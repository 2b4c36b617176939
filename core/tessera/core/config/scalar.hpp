// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/core/config/node.hpp"
#include "tessera/core/config/section.hpp"

namespace tessera::config {

/// The outcome of reading a scalar: `ok` where that succeeded; if not, `note` says how to write it
/// where that can be told.
struct ScalarReading {
  bool ok = false;
  std::string note;
};

// Strict reading of one scalar; `value` changes only on success.
//
// Integers are decimal, without leading zeros; 1e6 is one million. Real numbers are finite. A
// number may be an expression without variables, such as 2*pi/365.25
// (expression::evaluate_constant); that of an integer must be a whole one. Booleans are true/false,
// yes/no and on/off. What stands in quotes is text and never a number; any scalar is a text. A
// quantity is a real number, and a unit after a blank; what that is, is for the reader to say.
ScalarReading read_scalar(const Node& node, bool& value);
ScalarReading read_scalar(const Node& node, int& value);
ScalarReading read_scalar(const Node& node, std::int64_t& value);
ScalarReading read_scalar(const Node& node, std::uint64_t& value);
ScalarReading read_scalar(const Node& node, double& value);
ScalarReading read_scalar(const Node& node, Quantity& value);
ScalarReading read_scalar(const Node& node, std::string& value);

// The YAML text that reads back as exactly the same value, here and in other readers of YAML.
std::string yaml_text(bool value);
std::string yaml_text(int value);
std::string yaml_text(std::int64_t value);
std::string yaml_text(std::uint64_t value);
std::string yaml_text(double value);
std::string yaml_text(const Quantity& value);
std::string yaml_text(const std::string& value);

}  // namespace tessera::config

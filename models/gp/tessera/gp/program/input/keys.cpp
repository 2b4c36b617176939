// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/input/keys.hpp"

namespace tessera::gp::input {

void reject_alone(config::Section& in, const std::string& key, const std::string& needed) {
  if (in.documenting() || !in.has(key)) return;
  in.error(key, "'" + key + "' " + needed);
  if (in.form(key) == config::Form::list) {
    std::vector<std::string> values;
    in.get(key, values);
  } else if (in.form(key) != config::Form::mapping) {
    std::string value;
    in.get(key, value);
  }
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace tessera::gp::input

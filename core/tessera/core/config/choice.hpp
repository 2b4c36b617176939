// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tessera/core/config/section.hpp"

namespace tessera::config {

/// The names that an input has for the values of a type, in the order in which they are listed.
template <class T>
using Names = std::vector<std::pair<std::string, T>>;

/// A choice that has just been read: add its documentation.
class Choice {
 public:
  explicit Choice(const Parameter<std::string>& parameter) : m_parameter(parameter) {}

  Choice& doc(const std::string& text) {
    m_parameter.doc(text);
    return *this;
  }

  /// Says what holds when the key is not set, in a few words.
  Choice& otherwise(const std::string& text) {
    m_parameter.otherwise(text);
    return *this;
  }

  /// Returns whether the input (or the command line) gave a value.
  bool given() const { return m_parameter.given(); }

 private:
  Parameter<std::string> m_parameter;
};

/// Reads an optional parameter that is one of several names. `value` holds the default, which must
/// have a name, on entry and the value read on return. An unknown name is recorded as an error that
/// suggests the nearest one.
///
///     config::choose(run, "kernels", p.kernels, {{"auto", Kernels::automatic}, {"plain", Kernels::plain}}).doc("...");
template <class T>
Choice choose(Section& in, const std::string& key, T& value, const Names<T>& names) {
  std::string text;
  std::vector<std::string> known;
  for (const auto& [name, meaning] : names) {
    known.push_back(name);
    if (text.empty() && meaning == value) text = name;
  }
  const Choice choice(in.get(key, text).one_of(known));
  for (const auto& [name, meaning] : names) {
    if (name == text) value = meaning;
  }
  return choice;
}

}  // namespace tessera::config

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"

namespace tessera::io {

/// Writes one member of every element as a dataset [elements], so that a file holds structures as
/// named columns.
template <class T, class Element>
void write_member(const Group& group, const std::string& name, const std::vector<Element>& elements,
                  T Element::*member) {
  std::vector<T> values;
  values.reserve(elements.size());
  for (const Element& element : elements) values.push_back(element.*member);
  group.write(name, values, Attributes{"1", name});
}

/// Reads it back into elements that are there. Throws Error (file) when there are not as many.
template <class T, class Element>
void read_member(const Group& group, const std::string& name, std::vector<Element>& elements,
                 T Element::*member) {
  const std::vector<T> values = group.read<T>(name, {elements.size()});
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i].*member = values[i];
}

}  // namespace tessera::io

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/boys/program/error_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace tessera::boys {

void ErrorMap::add_one(double x, int n, long double value, long double reference) {
  double absolute = static_cast<double>(std::abs(value - reference));
  if (std::isnan(value) || std::isnan(reference)) {
    absolute =
        std::isnan(value) && std::isnan(reference) ? 0 : std::numeric_limits<double>::infinity();
  }
  const long double scale =
      std::isnan(reference) ? 1
                            : std::max(std::abs(reference), static_cast<long double>(m_smallest));
  const double relative = static_cast<double>(absolute / scale);
  if (m_keep) {
    m_absolute.push_back(absolute);
    m_relative.push_back(relative);
  }
  m_largest_absolute[n] = std::max(m_largest_absolute[n], absolute);
  m_largest_relative[n] = std::max(m_largest_relative[n], relative);
  if (relative > m_worst) {
    m_worst = relative;
    m_worst_x = x;
    m_worst_n = n;
  }
}

void ErrorMap::skip() {
  if (!m_keep) return;
  m_absolute.insert(m_absolute.end(), m_orders, std::numeric_limits<double>::quiet_NaN());
  m_relative.insert(m_relative.end(), m_orders, std::numeric_limits<double>::quiet_NaN());
}

std::string ErrorMap::summary() const {
  char text[160];
  std::snprintf(text, sizeof text, "largest relative error %.2e (n = %d, x = %.6g), absolute %.2e",
                m_worst, m_worst_n, m_worst_x,
                *std::max_element(m_largest_absolute.begin(), m_largest_absolute.end()));
  return text;
}

void ErrorMap::write(const io::Group& group, std::size_t arguments) const {
  using io::Attributes;
  const auto orders = static_cast<std::uint64_t>(m_orders);
  if (m_keep) {
    const io::Shape shape{arguments, orders};
    group.write("error_relative", m_relative.data(), shape,
                Attributes{"1", "|F - reference| / reference"});
    group.write("error_absolute", m_absolute.data(), shape, Attributes{"1", "|F - reference|"});
  }
  group.write("largest_error_relative", m_largest_relative,
              Attributes{"1", "largest relative error of each order"});
  group.write("largest_error_absolute", m_largest_absolute,
              Attributes{"1", "largest absolute error of each order"});
}

}  // namespace tessera::boys

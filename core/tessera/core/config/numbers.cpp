// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/config/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

#include "tessera/core/config/record_errors.hpp"
#include "tessera/core/config/scalar.hpp"
#include "tessera/core/device/backend.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/columns.hpp"
#include "tessera/core/log/progress.hpp"

namespace tessera::config {

namespace {

/// "between 0 and 200", "at least -0.001"
std::string limits_text(const NumbersOptions& options) {
  if (std::isinf(options.high)) return "at least " + yaml_text(options.low);
  if (std::isinf(options.low)) return "at most " + yaml_text(options.high);
  return fmt::format("between {} and {}", yaml_text(options.low), yaml_text(options.high));
}

/// The range that `key` holds as [first, last, number]; no numbers when it is wrong.
Range checked_range(Section& in, const std::string& key,
                    const std::optional<std::vector<double>>& given,
                    const NumbersOptions& options) {
  if (!given || given->size() != 3) return {};
  const std::vector<double>& value = *given;
  const bool logarithmic = key == "logspace";
  const std::string path = in.path() + "." + key;
  if (value[2] != std::floor(value[2]) || value[2] < 1 || value[2] > options.most) {
    in.error(key, fmt::format(
                      "the third number of '{}' says how many: a whole number from 1 to 1e{:.0f}",
                      path, std::log10(options.most)));
  } else if (logarithmic && !(value[0] > 0 && value[1] > 0)) {
    in.error(key, fmt::format("the ends of '{}' must be greater than 0", path));
  } else if (std::min(value[0], value[1]) < options.low ||
             std::max(value[0], value[1]) > options.high) {
    in.error(key, fmt::format("the ends of '{}' must be {}", path, limits_text(options)));
  } else {
    return {value[0], value[1], static_cast<std::size_t>(value[2]), logarithmic,
            options.fallback.product_first};
  }
  return {};
}

std::vector<double> load_limited_column(Section& in, const ColumnSource& source,
                                        const NumbersOptions& options) {
  std::vector<double> numbers = load_column(in, source);
  const auto bad = std::find_if(numbers.begin(), numbers.end(),
                                [&](double x) { return x < options.low || x > options.high; });
  if (!options.limits_files || bad == numbers.end()) return numbers;
  in.error("file", fmt::format("{}: number {} is {}, but must be {}", source.file,
                               bad - numbers.begin() + 1, yaml_text(*bad), limits_text(options)));
  return {};
}

Numbers read_mapping(Section& parent, const std::string& key, const NumbersOptions& options) {
  Section in = parent.section(key, options.doc);
  std::optional<std::vector<double>> even, ratios;
  const Range& fallback = options.fallback;
  if (fallback.count > 0)
    (fallback.logarithmic ? ratios : even) =
        std::vector{fallback.first, fallback.last, static_cast<double>(fallback.count)};
  const bool has_even = in.get("linspace", even)
                            .size(3)
                            .doc("[first, last, number]: evenly spaced, ends included")
                            .given();
  const bool has_ratios = in.get("logspace", ratios)
                              .size(3)
                              .doc("[first, last, number]: by even ratios, ends included")
                              .given();
  const ColumnSource source = read_column_source(in, "file with a column of numbers");
  in.finish();
  if (has_even + has_ratios + !source.file.empty() > 1) {
    in.error("", "give one of 'linspace', 'logspace' and 'file'");
    return {};
  }
  if (in.documenting()) return {};
  if (!source.file.empty()) return Numbers(load_limited_column(in, source, options));
  if (has_even) return Numbers(checked_range(in, "linspace", even, options));
  if (has_ratios) return Numbers(checked_range(in, "logspace", ratios, options));
  return Numbers(fallback);
}

}  // namespace

std::vector<double> Range::numbers() const {
  std::vector<double> x(count, first);
  for (std::size_t i = 1; i < count; ++i) {
    const double steps = static_cast<double>(count - 1), fraction = static_cast<double>(i) / steps;
    if (logarithmic) {
      x[i] = first * std::pow(last / first, fraction);
    } else {
      x[i] = first + (product_first ? (last - first) * static_cast<double>(i) / steps
                                    : (last - first) * fraction);
    }
  }
  if (count > 1) x.back() = last;
  return x;
}

Numbers::Numbers(std::vector<double> values) : m_state(std::make_shared<State>()) {
  m_state->count = values.size();
  m_state->values = std::move(values);
}

Numbers::Numbers(std::size_t count, std::function<std::vector<double>()> make)
    : m_state(std::make_shared<State>()) {
  m_state->count = count;
  if (count > 0) m_state->make = std::move(make);
}

Numbers::Numbers(const Range& range) : Numbers(range.count, [range] { return range.numbers(); }) {
  m_state->range = range;
}

std::size_t Numbers::size() const { return m_state ? m_state->count : 0; }

bool Numbers::is_made() const { return !m_state || !m_state->make; }

bool Numbers::includes(double x) const {
  if (m_state && m_state->range)
    return x == m_state->range->first || (size() > 1 && x == m_state->range->last);
  return std::find(begin(), end(), x) != end();
}

std::vector<float> Numbers::in_single_precision(const std::string& key) const {
  std::vector<float> found;
  found.reserve(size());
  for (const double x : values()) {
    const double distance = std::fabs(x);
    if (std::isfinite(x) && x != 0 &&
        (distance < std::numeric_limits<float>::min() ||
         distance > std::numeric_limits<float>::max())) {
      throw Error(ErrorKind::input,
                  "'" + key + "' has " + yaml_text(x) + ", which single precision does not hold",
                  "ask for precision: double");
    }
    found.push_back(static_cast<float>(x));
  }
  return found;
}

const std::vector<double>& Numbers::values() const {
  static const std::vector<double> kNone;
  if (!m_state) return kNone;
  if (is_made()) return m_state->values;
  const std::uint64_t bytes = std::uint64_t{sizeof(double)} * m_state->count;
  const Error no_memory(ErrorKind::resource,
                        fmt::format("cannot allocate {} for the {} numbers of a range",
                                    logging::bytes(bytes), m_state->count),
                        "take fewer, or use a machine with more memory");
  if (bytes > host_memory_within_reach()) throw Error(no_memory);
  try {
    m_state->values = m_state->make();
  } catch (const std::bad_alloc&) {
    throw Error(no_memory);
  }
  m_state->make = nullptr;
  return m_state->values;
}

Numbers read_numbers(Section& in, const std::string& key, const NumbersOptions& options) {
  if (in.form(key) == Form::scalar) {
    double value = options.fallback.first;
    in.get(key, value).range(options.low, options.high).doc(options.doc);
    return Numbers(std::vector{value});
  }
  if (in.form(key) == Form::list) {
    std::vector<double> values;
    in.get(key, values).range(options.low, options.high).doc(options.doc);
    if (values.empty())
      in.error(key, fmt::format("'{}{}{}' is empty", in.path(), in.path().empty() ? "" : ".", key));
    return Numbers(std::move(values));
  }
  return read_mapping(in, key, options);
}

ColumnSource read_column_source(Section& in, const std::string& doc) {
  ColumnSource source;
  std::string dataset;
  in.get("file", source.file).path().doc(doc + ": text (CSV), numpy (.npy) or HDF5 (.h5)");
  in.get("column", source.column)
      .doc(
          "its name, or its number from 1 (.npy, and text without a line of names); the first if "
          "empty");
  in.get("dataset", dataset).doc("instead, in an HDF5 file: path of the dataset, e.g. results/x");
  if (source.file.empty() && !source.column.empty())
    in.error("column", "'column' belongs to 'file'");
  if (source.file.empty() && !dataset.empty()) in.error("dataset", "'dataset' belongs to 'file'");
  if (!source.column.empty() && !dataset.empty())
    in.error("dataset", "give either 'column' or 'dataset', not both");
  if (!dataset.empty()) source.column = dataset;
  return source;
}

std::vector<double> load_column(Section& in, const ColumnSource& source, const std::string& key) {
  std::vector<double> numbers;
  record_errors(in, key, [&] { numbers = io::read_column(source.file, source.column, true); });
  return numbers;
}

}  // namespace tessera::config

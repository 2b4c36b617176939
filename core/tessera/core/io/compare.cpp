// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/compare.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "tessera/core/error.hpp"
#include "tessera/core/io/hdf5.hpp"

namespace tessera::io {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Verdict = DatasetDifference::Verdict;

/// Returns whether a member is a group to be descended into; everything else is taken for a
/// dataset.
bool is_group(const Group& group, const std::string& name) {
  QuietHdf5 quiet;
  const Id member(H5Oopen(group.id(), name.c_str(), H5P_DEFAULT));
  if (member < 0)
    throw Error(ErrorKind::file, "cannot open '" + group.place(name) + "'" + hdf5_reason(),
                "the file may be damaged");
  return H5Iget_type(member) == H5I_GROUP;
}

void collect(const Group& group, const std::string& prefix, std::set<std::string>& paths) {
  for (const std::string& name : group.names()) {
    const std::string path = prefix + "/" + name;
    if (is_group(group, name)) {
      collect(group.group(name), path, paths);
    } else {
      paths.insert(path);
    }
  }
}

std::set<std::string> dataset_paths(const Group& root) {
  std::set<std::string> paths;
  for (const char* part : {"coordinates", "results", "series"}) {
    if (root.has(part)) collect(root.group(part), part, paths);
  }
  return paths;
}

bool ignored(const std::string& path, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str() + (pattern.starts_with('/') ? 1 : 0), path.c_str(), 0) == 0;
  });
}

/// Returns whether a dataset holds the time that something took, which is no result that two runs
/// share.
bool is_wall_time(const std::string& path) { return path.ends_with("seconds"); }

/// The kind of the elements of a dataset, as far as comparing goes.
enum class Content { real, signed_integer, unsigned_integer, text, other };

bool is_integer(Content content) {
  return content == Content::signed_integer || content == Content::unsigned_integer;
}

Content read_content(const Group& root, const std::string& path) {
  QuietHdf5 quiet;
  const Id dataset(H5Dopen2(root.id(), path.c_str(), H5P_DEFAULT));
  const Id type(H5Dget_type(dataset));
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
      return Content::real;
    case H5T_INTEGER:
      return H5Tget_sign(type) == H5T_SGN_2 ? Content::signed_integer : Content::unsigned_integer;
    case H5T_STRING:
      return Content::text;
    default:
      return Content::other;
  }
}

std::string to_string(Content content) {
  return content == Content::real   ? "real numbers"
         : content == Content::text ? "text"
         : is_integer(content)      ? "integers"
                                    : "other values";
}

std::string shape_text(const Shape& shape) {
  std::string text;
  for (const std::uint64_t extent : shape)
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return shape.empty() ? "scalar" : text;
}

void set_mismatch(DatasetDifference& difference, const std::string& why) {
  difference.mismatch = why;
  difference.verdict = Verdict::beyond;
  difference.excess = difference.largest_absolute = difference.largest_relative = kInfinity;
}

/// Takes an element whose two values are not equal into account; `tolerated` is what |a - b| may
/// be.
void add_differing(DatasetDifference& difference, double absolute, double magnitude,
                   double tolerated) {
  const bool within = absolute <= tolerated && absolute < kInfinity;
  ++difference.differing;
  difference.largest_absolute = std::max(difference.largest_absolute, absolute);
  difference.largest_relative = std::max(difference.largest_relative,
                                         absolute < kInfinity ? absolute / magnitude : kInfinity);
  difference.excess = std::max(
      difference.excess, tolerated > 0 && absolute < kInfinity ? absolute / tolerated : kInfinity);
  difference.verdict = std::max(difference.verdict, within ? Verdict::within : Verdict::beyond);
}

double largest_finite(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

void compare_reals(const std::vector<double>& a, const std::vector<double>& b,
                   const CompareOptions& options, DatasetDifference& difference) {
  const double absolute = options.absolute ? *options.absolute
                                           : CompareOptions::kAbsoluteOfLargest *
                                                 std::max(largest_finite(a), largest_finite(b));
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const bool finite = std::isfinite(a[i]) && std::isfinite(b[i]);
    const double magnitude = std::max(std::abs(a[i]), std::abs(b[i]));
    add_differing(difference, finite ? std::abs(a[i] - b[i]) : kInfinity, magnitude,
                  finite ? absolute + options.relative * magnitude : 0);
  }
}

template <class A, class B>
void compare_integers(const std::vector<A>& a, const std::vector<B>& b,
                      DatasetDifference& difference) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::cmp_equal(a[i], b[i])) continue;
    // Unsigned arithmetic: exact however large the two are, as long as their difference is less
    // than 2^64.
    const auto low = static_cast<std::uint64_t>(std::cmp_less(a[i], b[i]) ? a[i] : b[i]);
    const auto high = static_cast<std::uint64_t>(std::cmp_less(a[i], b[i]) ? b[i] : a[i]);
    const double magnitude =
        std::max(std::abs(static_cast<double>(a[i])), std::abs(static_cast<double>(b[i])));
    add_differing(difference, static_cast<double>(high - low), magnitude, 0);
  }
}

void compare_texts(const std::vector<std::string>& a, const std::vector<std::string>& b,
                   DatasetDifference& difference) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) add_differing(difference, kInfinity, kInfinity, 0);
  }
}

template <class A, class B>
void read_integers(const Group& first, const Group& second, DatasetDifference& difference) {
  compare_integers(first.read<A>(difference.path), second.read<B>(difference.path), difference);
}

void compare_values(const Group& first, const Group& second, Content of_first, Content of_second,
                    const CompareOptions& options, DatasetDifference& difference) {
  const std::string& path = difference.path;
  if (of_first == Content::real) {
    compare_reals(first.read<double>(path), second.read<double>(path), options, difference);
  } else if (of_first == Content::text) {
    compare_texts(first.read<std::string>(path), second.read<std::string>(path), difference);
  } else if (of_first == Content::signed_integer) {
    of_second == Content::signed_integer
        ? read_integers<std::int64_t, std::int64_t>(first, second, difference)
        : read_integers<std::int64_t, std::uint64_t>(first, second, difference);
  } else {
    of_second == Content::signed_integer
        ? read_integers<std::uint64_t, std::int64_t>(first, second, difference)
        : read_integers<std::uint64_t, std::uint64_t>(first, second, difference);
  }
}

DatasetDifference compare_dataset(const Group& first, const Group& second, const std::string& path,
                                  const CompareOptions& options) {
  DatasetDifference difference;
  difference.path = path;
  const Shape shape = first.shape(path), other_shape = second.shape(path);
  const Content content = read_content(first, path), other_content = read_content(second, path);
  const bool same_kind =
      content == other_content || (is_integer(content) && is_integer(other_content));
  if (shape != other_shape) {
    set_mismatch(difference, "shape " + shape_text(shape) + " against " + shape_text(other_shape));
  } else if (!same_kind) {
    set_mismatch(difference, to_string(content) + " against " + to_string(other_content));
  } else if (content == Content::other) {
    set_mismatch(difference, "holds neither numbers nor text");
  } else {
    difference.elements = 1;
    for (const std::uint64_t extent : shape) difference.elements *= extent;
    compare_values(first, second, content, other_content, options, difference);
  }
  return difference;
}

DatasetDifference only_in(const std::string& side, const std::string& path) {
  DatasetDifference difference;
  difference.path = path;
  set_mismatch(difference, "only in the " + side);
  return difference;
}

bool worse(const DatasetDifference& a, const DatasetDifference& b) {
  if (a.verdict != b.verdict) return a.verdict > b.verdict;
  return a.excess > b.excess;
}

}  // namespace

std::vector<DatasetDifference> compare_results(const Group& first, const Group& second,
                                               const CompareOptions& options) {
  const std::set<std::string> in_first = dataset_paths(first), in_second = dataset_paths(second);
  std::set<std::string> all = in_first;
  all.insert(in_second.begin(), in_second.end());
  std::vector<DatasetDifference> differences;
  for (const std::string& path : all) {
    if (is_wall_time(path) || ignored(path, options.ignore)) continue;
    if (!in_second.contains(path)) {
      differences.push_back(only_in("first", path));
    } else if (!in_first.contains(path)) {
      differences.push_back(only_in("second", path));
    } else {
      differences.push_back(compare_dataset(first, second, path, options));
    }
  }
  std::stable_sort(differences.begin(), differences.end(), worse);
  return differences;
}

}  // namespace tessera::io

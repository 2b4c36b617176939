// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/error.hpp"

namespace tessera::io {

/// The attributes that every dataset has. Units are UDUNITS-style strings ("1", "km", "s-1").
struct Attributes {
  std::string units = "1";
  std::string long_name;
};

using Shape = std::vector<std::uint64_t>;

/// An open HDF5 group; closes itself. Copies share the handle. Every failure throws tessera::Error
/// (file).
///
/// T below is one of double, float, std::int8_t ... std::int64_t, std::uint8_t ... std::uint64_t
/// and std::string; scalars and attributes may also be bool, which is stored as std::uint8_t. Text
/// is stored as UTF-8. A name may be a path ("grid/width"). Numbers are converted on reading: a
/// value that T does not hold exactly is an error, except that floating-point numbers round.
class Group {
 public:
  /// Opens the group of that name below this one, creating it if the file is being written.
  Group group(const std::string& name) const;

  bool has(const std::string& name) const;
  std::vector<std::string> names() const;  ///< of the members, sorted

  /// Writes `size of shape` values in row-major order; an empty shape is a scalar. Datasets above 1
  /// MB are chunked, shuffled and compressed.
  template <class T>
  void write(const std::string& name, const T* values, const Shape& shape,
             const Attributes& attributes) const;

  template <class T>
  void write(const std::string& name, const std::vector<T>& values,
             const Attributes& attributes) const {
    write(name, values.data(), Shape{values.size()}, attributes);
  }

  /// A matrix or a higher array held in a vector; its size must be the product of the shape.
  template <class T>
  void write(const std::string& name, const std::vector<T>& values, const Shape& shape,
             const Attributes& attributes) const {
    check_size(name, values.size(), shape);
    write(name, values.data(), shape, attributes);
  }

  /// A scalar dataset.
  template <class T>
  void write_scalar(const std::string& name, const T& value, const Attributes& attributes) const;
  void write_scalar(const std::string& name, const char* value,
                    const Attributes& attributes) const {
    write_scalar(name, std::string(value), attributes);
  }

  Shape shape(const std::string& name) const;

  /// Returns whether a dataset holds text.
  bool is_text(const std::string& name) const;

  /// Reads a whole dataset in row-major order.
  template <class T>
  std::vector<T> read(const std::string& name) const;

  /// Reads a dataset that must have this shape; throws `misfit` otherwise.
  template <class T>
  std::vector<T> read(const std::string& name, const Shape& shape) const;

  /// Reads a dataset of one element.
  template <class T>
  T read_scalar(const std::string& name) const;

  /// Attributes of this group, or of a member when `on` is not empty. An attribute of the same name
  /// is replaced.
  template <class T>
  void set_attribute(const std::string& name, const T& value, const std::string& on = {}) const;
  void set_attribute(const std::string& name, const char* value, const std::string& on = {}) const {
    set_attribute(name, std::string(value), on);
  }
  template <class T>
  T attribute(const std::string& name, const std::string& on = {}) const;
  bool has_attribute(const std::string& name, const std::string& on = {}) const;

  /// Makes the error to throw when a member of a restart file is not as the run needs it:
  /// "run.restart.h5:/state/mass holds 7 values, not 8".
  Error misfit(const std::string& name, const std::string& what) const;

  /// The place of a member for messages: "run.h5:/results/density".
  std::string place(const std::string& name = {}) const;

  /// Returns whether the group is of a file that is written in memory, where compression gains
  /// nothing.
  bool in_memory() const;

  /// HDF5's own identifier (hid_t) of the group, for what this class does not cover.
  std::int64_t id() const;

 private:
  friend class File;
  struct Handle;
  explicit Group(std::shared_ptr<Handle> handle) : m_handle(std::move(handle)) {}

  void check_size(const std::string& name, std::size_t size, const Shape& shape) const;

  std::shared_ptr<Handle> m_handle;
};

}  // namespace tessera::io

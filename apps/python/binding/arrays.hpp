// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "apps/python/calls/numbers.hpp"

/// Arguments and results of calls that compute element by element: numbers, NumPy arrays and
/// whatever becomes one, and arrays on a GPU. They broadcast as those of a NumPy ufunc do.
namespace tessera::python {

namespace py = pybind11;
using Shape = std::vector<py::ssize_t>;

std::size_t count(const Shape& shape);

/// An argument. An array without gaps, of the shape and precision of the call, is not copied.
/// Masked elements, and missing values of pandas, are NaN.
class Operand {
 public:
  /// `name` is for messages. Throws a TypeError for what is no array of real numbers.
  Operand(py::handle value, const char* name);

  const Shape& shape() const { return m_shape; }
  const char* name() const { return m_name; }
  bool on_device() const { return m_device; }
  const py::object& object() const { return m_object; }
  /// The mask of a masked array or of a column with missing values; else null
  const py::object& mask() const { return m_mask; }

  /// See keep_apart.
  void copy_where_shared(const py::array& out);

  /// Returns whether the operand asks for double precision. A number of Python asks for no
  /// precision.
  bool is_double() const { return !m_is_number && !m_single; }
  bool is_single() const { return m_single; }

  /// Returns the operand's numbers in the shape of the call. They are valid while the operand
  /// lives.
  template <class Real>
  In<Real> numbers(const Shape& shape);

 private:
  py::object m_object, m_mask;
  const char* m_name;
  Shape m_shape;
  bool m_is_number = false, m_single = false, m_device = false;
  double m_value = 0;  // of a number
  float m_single_value = 0;
  void* m_device_data = nullptr;
};

/// Gives operands that share memory with the array for the result memory of their own, so that what
/// is written does not change what is read.
void keep_apart(py::handle out, std::initializer_list<Operand*> operands);

/// The shape, the precision and the place that the operands of a call share. Throws Error (input)
/// where their shapes do not broadcast, or only some of them lie on a GPU.
struct Common {
  explicit Common(std::initializer_list<const Operand*> operands);

  Shape shape;
  bool single = false;  ///< all arrays are
  bool on_device = false;
  py::object like;  ///< an operand on the device
  py::object mask;  ///< of masked operands, in the shape of the call; null where none is masked
};

/// The result of a call: a new array where its operands lie, or the one that was given for it.
class Result {
 public:
  /// `out`: None, or an array of the shape and precision of the result: of NumPy, or on the GPU for
  /// operands there. Throws Error (input) for another one.
  Result(const Shape& shape, const Common& common, py::handle out);

  template <class Real>
  Out<Real> numbers() {
    return {static_cast<Real*>(m_data), m_device};
  }

  /// Returns what Python gets: the array, or a number where the shape has no dimensions; a masked
  /// array where an operand is masked.
  py::object object() const;

 private:
  py::object m_array, m_mask;
  void* m_data = nullptr;
  bool m_device = false, m_single = false;
  double m_value = 0;  // of a number
};

}  // namespace tessera::python

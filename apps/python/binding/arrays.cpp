// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/binding/arrays.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <type_traits>

#include "apps/python/binding/device_array.hpp"
#include "tessera/core/error.hpp"

namespace tessera::python {

namespace {

std::string text(const Shape& shape) {
  std::string text = "(";
  for (const py::ssize_t extent : shape) text += std::to_string(extent) + ",";
  if (shape.size() > 1) text.pop_back();
  return text + ")";
}

/// The array that a value is or becomes.
py::array as_array(py::handle value, const char* name) {
  py::array array = py::array::ensure(value);
  if (!array) throw py::type_error(std::string(name) + " is no array of numbers");
  const char kind = array.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b') {
    throw py::type_error(std::string(name) + " holds " + py::str(array.dtype()).cast<std::string>() + "; real numbers are needed");
  }
  return array;
}

Shape shape_of(const py::array& array) { return {array.shape(), array.shape() + array.ndim()}; }

}  // namespace

std::size_t count(const Shape& shape) {
  std::size_t n = 1;
  for (const py::ssize_t extent : shape) n *= static_cast<std::size_t>(extent);
  return n;
}

Operand::Operand(py::handle value, const char* name) : m_name(name) {
  if (PyFloat_Check(value.ptr()) || (PyLong_Check(value.ptr()) && !PyBool_Check(value.ptr()))) {
    m_is_number = true;
    m_value = PyFloat_AsDouble(value.ptr());
    if (m_value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    m_single_value = static_cast<float>(m_value);
    return;
  }
  if (!py::isinstance<py::array>(value) && is_on_device(value)) {
    const DeviceArrayView view = view_on_device(value, name);
    m_device = true;
    m_shape = view.shape;
    m_single = view.single;
    m_device_data = view.data;
    m_object = py::make_tuple(value, view.keep);
    return;
  }
  const py::array array = as_array(value, name);
  m_single = array.dtype().kind() == 'f' && array.itemsize() == sizeof(float);
  m_shape = shape_of(array);
  m_object = array;
}

template <class Real>
In<Real> Operand::numbers(const Shape& shape) {
  if (m_is_number) {
    if constexpr (std::is_same_v<Real, float>) return {&m_single_value, true, false};
    if constexpr (std::is_same_v<Real, double>) return {&m_value, true, false};
  }
  if (m_device) {
    if (m_shape != shape || m_single != std::is_same_v<Real, float>) {
      throw Error(ErrorKind::input,
                  std::string(m_name) + " lies on a GPU, where arrays have to have the shape and precision of the result, " + text(shape) +
                      (std::is_same_v<Real, float> ? " and float32" : " and float64"),
                  "broadcast and convert it there first");
    }
    return {static_cast<const Real*>(m_device_data), false, true};
  }
  auto array = py::array_t<Real, py::array::c_style | py::array::forcecast>::ensure(m_object);
  if (!array) throw py::error_already_set();
  const bool one = array.size() == 1;
  if (!one && shape_of(array) != shape) {
    array = py::module_::import("numpy").attr("ascontiguousarray")(py::module_::import("numpy").attr("broadcast_to")(array, shape));
  }
  m_object = array;
  return {array.data(), one, false};
}
template In<double> Operand::numbers(const Shape&);
template In<float> Operand::numbers(const Shape&);

Common::Common(std::initializer_list<const Operand*> operands) {
  bool any_single = false, any_double = false;
  for (const Operand* operand : operands) {
    any_single |= operand->is_single();
    any_double |= operand->is_double();
    if (operand->on_device()) {
      on_device = true;
      like = py::tuple(operand->object())[0];
    }
    const Shape& own = operand->shape();
    if (own.size() > shape.size()) shape.insert(shape.begin(), own.size() - shape.size(), 1);
    for (std::size_t d = 0; d < own.size(); ++d) {
      py::ssize_t& extent = shape[shape.size() - own.size() + d];
      if (own[d] == extent || own[d] == 1) continue;
      if (extent != 1) {
        std::string all;
        for (const Operand* each : operands) all += (all.empty() ? "" : ", ") + std::string(each->name()) + " " + text(each->shape());
        throw Error(ErrorKind::input, "the shapes do not go together: " + all, "give shapes that NumPy broadcasts to one");
      }
      extent = own[d];
    }
  }
  single = any_single && !any_double;
  for (const Operand* operand : operands) {
    if (!on_device || operand->on_device() || count(operand->shape()) == 1) continue;
    throw Error(ErrorKind::input, std::string(operand->name()) + " lies on the host, and another array on a GPU",
                "bring both to one place");
  }
}

Result::Result(const Shape& shape, const Common& common, py::handle out) : m_device(common.on_device), m_single(common.single) {
  if (!out.is_none()) {
    if (m_device) throw Error(ErrorKind::input, "out is for arrays on the host", "leave it out: the result is made on the GPU");
    const auto type = m_single ? py::dtype::of<float>() : py::dtype::of<double>();
    const bool fits = py::isinstance<py::array>(out) && shape_of(py::reinterpret_borrow<py::array>(out)) == shape &&
                      py::reinterpret_borrow<py::array>(out).dtype().is(type) &&
                      (py::reinterpret_borrow<py::array>(out).flags() & py::array::c_style) != 0 &&
                      py::reinterpret_borrow<py::array>(out).writeable();
    if (!fits) {
      throw Error(
          ErrorKind::input,
          "out is no writable NumPy array of shape " + text(shape) + " and type " + (m_single ? "float32" : "float64") + " in C order",
          "leave it out, or make it so");
    }
    m_array = py::reinterpret_borrow<py::object>(out);
    m_data = py::reinterpret_borrow<py::array>(out).mutable_data();
  } else if (m_device) {
    const NewDeviceArray made = make_on_device(shape, m_single, common.like);
    m_array = made.array;
    m_data = made.data;
  } else if (shape.empty()) {
    m_data = &m_value;
  } else {
    py::array array(m_single ? py::dtype::of<float>() : py::dtype::of<double>(), shape);
    m_data = array.mutable_data();
    m_array = std::move(array);
  }
}

py::object Result::object() const {
  if (m_array) return m_array;
  if (!m_single) return py::float_(m_value);
  return py::module_::import("numpy").attr("float32")(*static_cast<const float*>(m_data));
}

}  // namespace tessera::python

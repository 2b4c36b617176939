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

/// Returns whether a value is an array of NumPy itself, not of a subclass such as masked arrays,
/// that holds real numbers.
bool is_plain_array(py::handle value) {
  if (Py_TYPE(value.ptr()) != py::detail::npy_api::get().PyArray_Type_) return false;
  const char kind = py::reinterpret_borrow<py::array>(value).dtype().kind();
  return kind == 'f' || kind == 'i' || kind == 'u' || kind == 'b';
}

Shape shape_of(const py::array& array) { return {array.shape(), array.shape() + array.ndim()}; }

/// Returns the memory of an array on a GPU that takes a result there.
void* memory_on_device(py::handle out, const Shape& shape, bool single) {
  if (!py::isinstance<py::array>(out) && is_on_device(out)) {
    const DeviceArrayView view = view_on_device(out, "out");
    if (view.shape == shape && view.single == single && !view.read_only) return view.data;
  }
  throw Error(ErrorKind::input,
              "out is no writable array on the GPU of shape " + text(shape) + " and type " +
                  (single ? "float32" : "float64") + " in C order, where the arguments lie there",
              "leave it out, or make it so");
}

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
  py::object found = py::reinterpret_borrow<py::object>(value);
  if (!is_plain_array(value)) {  // lists, masked arrays, columns: one reader for all of Python
    const py::tuple read = py::module_::import("tessera._arguments").attr("read")(value, name);
    found = read[0];
    if (!read[1].is_none()) m_mask = read[1];
  }
  const auto array = py::reinterpret_borrow<py::array>(found);
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
      throw Error(
          ErrorKind::input,
          std::string(m_name) +
              " lies on a GPU, where arrays have to have the shape and precision of the result, " +
              text(shape) + (std::is_same_v<Real, float> ? " and float32" : " and float64"),
          "broadcast and convert it there first");
    }
    return {static_cast<const Real*>(m_device_data), false, true};
  }
  auto array = py::array_t<Real, py::array::c_style | py::array::forcecast>::ensure(m_object);
  if (!array) throw py::error_already_set();
  const bool one = array.size() == 1;
  if (!one && shape_of(array) != shape) {
    array = py::module_::import("numpy").attr("ascontiguousarray")(
        py::module_::import("numpy").attr("broadcast_to")(array, shape));
  }
  m_object = array;
  return {array.data(), one, false};
}
template In<double> Operand::numbers(const Shape&);
template In<float> Operand::numbers(const Shape&);

void Operand::copy_where_shared(const py::array& out) {
  if (m_is_number || m_device) return;
  const py::module_ numpy = py::module_::import("numpy");
  if (numpy.attr("may_share_memory")(m_object, out).cast<bool>())
    m_object = numpy.attr("array")(m_object);
}

void keep_apart(py::handle out, std::initializer_list<Operand*> operands) {
  if (!py::isinstance<py::array>(out)) return;
  for (Operand* operand : operands)
    operand->copy_where_shared(py::reinterpret_borrow<py::array>(out));
}

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
        for (const Operand* each : operands)
          all += (all.empty() ? "" : ", ") + std::string(each->name()) + " " + text(each->shape());
        throw Error(ErrorKind::input, "the shapes do not go together: " + all,
                    "give shapes that NumPy broadcasts to one");
      }
      extent = own[d];
    }
  }
  single = any_single && !any_double;
  for (const Operand* operand : operands) {
    if (!operand->mask()) continue;
    const py::module_ numpy = py::module_::import("numpy");
    const py::object own = numpy.attr("broadcast_to")(operand->mask(), shape);
    mask = mask ? py::object(numpy.attr("logical_or")(mask, own)) : own;
  }
  for (const Operand* operand : operands) {
    if (!on_device || operand->on_device() || count(operand->shape()) == 1) continue;
    throw Error(ErrorKind::input,
                std::string(operand->name()) + " lies on the host, and another array on a GPU",
                "bring both to one place");
  }
}

Result::Result(const Shape& shape, const Common& common, py::handle out)
    : m_mask(common.mask), m_device(common.on_device), m_single(common.single) {
  if (!out.is_none() && m_device) {
    m_array = py::reinterpret_borrow<py::object>(out);
    m_data = memory_on_device(out, shape, m_single);
  } else if (!out.is_none()) {
    const auto type = m_single ? py::dtype::of<float>() : py::dtype::of<double>();
    if (py::hasattr(out, "mask")) {
      throw Error(ErrorKind::input, "out is a masked array",
                  "leave it out, or give its numbers: out.data");
    }
    const bool fits = py::isinstance<py::array>(out) &&
                      shape_of(py::reinterpret_borrow<py::array>(out)) == shape &&
                      py::reinterpret_borrow<py::array>(out).dtype().is(type) &&
                      (py::reinterpret_borrow<py::array>(out).flags() & py::array::c_style) != 0 &&
                      py::reinterpret_borrow<py::array>(out).writeable();
    if (!fits) {
      throw Error(ErrorKind::input,
                  "out is no writable NumPy array of shape " + text(shape) + " and type " +
                      (m_single ? "float32" : "float64") + " in C order",
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
  if (m_mask) {
    const py::module_ numpy = py::module_::import("numpy");
    const py::object values = m_array    ? m_array
                              : m_single ? numpy.attr("float32")(*static_cast<const float*>(m_data))
                                         : py::float_(m_value);
    const py::object shape = numpy.attr("shape")(values);
    return numpy.attr("ma").attr("MaskedArray")(
        values, numpy.attr("array")(numpy.attr("broadcast_to")(m_mask, shape)));
  }
  if (m_array) return m_array;
  if (!m_single) return py::float_(m_value);
  return py::module_::import("numpy").attr("float32")(*static_cast<const float*>(m_data));
}

}  // namespace tessera::python

// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/binding/device_array.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <string>

#include "apps/python/calls/device.hpp"
#include "tessera/core/error.hpp"

namespace tessera::python {

namespace {

using Shape = std::vector<py::ssize_t>;

std::size_t count(const Shape& shape) {
  std::size_t n = 1;
  for (const py::ssize_t extent : shape) n *= static_cast<std::size_t>(extent);
  return n;
}

// DLPack, version 0 of its C structures: https://dmlc.github.io/dlpack/latest/c_api.html
constexpr std::int32_t kDlCuda = 2, kDlCudaManaged = 13;
constexpr std::uint8_t kDlFloat = 2;
struct DlTensor {
  void* data;
  std::int32_t device_type, device_id;
  std::int32_t ndim;
  std::uint8_t code, bits;
  std::uint16_t lanes;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};
struct DlManagedTensor {
  DlTensor tensor;
  void* context;
  void (*deleter)(DlManagedTensor*);
};

[[noreturn]] void refuse_type(const char* name, const std::string& type) {
  throw Error(ErrorKind::input, std::string(name) + " holds " + type + " on a GPU",
              "convert it to float64 or float32");
}

/// Returns whether strides, in elements, are those of an array without gaps whose last index runs
/// fastest.
bool is_contiguous(const Shape& shape, const Shape& strides) {
  py::ssize_t expected = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] > 1 && strides[d] != expected) return false;
    expected *= shape[d];
  }
  return true;
}

void require_contiguous(const DeviceArrayView& view, const Shape& strides, const char* name) {
  if (count(view.shape) > 0 && !is_contiguous(view.shape, strides)) {
    throw Error(ErrorKind::input,
                std::string(name) + " lies on a GPU and has gaps, or another order than C",
                "make it contiguous");
  }
}

DeviceArrayView read_cuda_array_interface(py::handle object, const char* name) {
  const py::dict interface = object.attr("__cuda_array_interface__");
  DeviceArrayView view;
  view.keep = py::reinterpret_borrow<py::object>(object);
  const auto type = interface["typestr"].cast<std::string>();
  if (type != "<f8" && type != "<f4") refuse_type(name, type);
  view.single = type == "<f4";
  view.shape = interface["shape"].cast<Shape>();
  const py::tuple data = interface["data"];
  view.data = reinterpret_cast<void*>(data[0].cast<std::uintptr_t>());
  view.read_only = data[1].cast<bool>();
  if (interface.contains("strides") && !interface["strides"].is_none()) {
    Shape strides = interface["strides"].cast<Shape>();
    for (py::ssize_t& stride : strides) stride /= view.single ? 4 : 8;
    require_contiguous(view, strides, name);
  }
  if (interface.contains("stream") && !interface["stream"].is_none())
    wait_for_stream(interface["stream"].cast<std::uintptr_t>());
  return view;
}

DeviceArrayView read_dlpack(py::handle object, const char* name) {
  constexpr int kLegacyDefaultStream = 1;
  const py::object capsule = object.attr("__dlpack__")(py::arg("stream") = kLegacyDefaultStream);
  auto* const managed =
      static_cast<DlManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (managed == nullptr) throw py::error_already_set();
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");  // the memory is ours from here on
  DeviceArrayView view;
  view.keep = py::capsule(managed, [](void* held) {
    auto* const tensor = static_cast<DlManagedTensor*>(held);
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
  });
  const DlTensor& tensor = managed->tensor;
  if (tensor.code != kDlFloat || tensor.lanes != 1 || (tensor.bits != 32 && tensor.bits != 64)) {
    refuse_type(name, "numbers of " + std::to_string(tensor.bits) + " bits");
  }
  view.single = tensor.bits == 32;
  view.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  view.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  if (tensor.strides != nullptr)
    require_contiguous(view, Shape(tensor.strides, tensor.strides + tensor.ndim), name);
  return view;
}

py::dtype type_of(bool single) { return single ? py::dtype::of<float>() : py::dtype::of<double>(); }

py::array host_copy(const Shape& shape, bool single, const void* data) {
  py::array host(type_of(single), shape);
  copy_from_device(host.mutable_data(), data, count(shape) * (single ? 4 : 8));
  return host;
}

/// Reads an object that stands for an array on any GPU.
DeviceArrayView view_on_any_device(py::handle object, const char* name) {
  return py::hasattr(object, "__cuda_array_interface__") ? read_cuda_array_interface(object, name)
                                                         : read_dlpack(object, name);
}

py::array copy_to_host(py::handle array) {
  const DeviceArrayView view = view_on_any_device(array, "an array");
  return host_copy(view.shape, view.single, view.data);
}

/// Fills an array on a GPU with the numbers of one of NumPy of its shape and type, in C order.
void copy_from_host(const py::array& host, py::handle array) {
  const DeviceArrayView view = view_on_any_device(array, "an array");
  const Shape shape(host.shape(), host.shape() + host.ndim());
  if (shape != view.shape || !host.dtype().is(type_of(view.single)) || view.read_only ||
      (host.flags() & py::array::c_style) == 0) {
    throw Error(ErrorKind::input, "an array on a GPU is no copy of one on the host",
                "give arrays of one shape and type in C order, that on the GPU writable");
  }
  copy_to_device(view.data, host.data(), count(shape) * (view.single ? 4 : 8));
}

/// An array of the GPU that owns its memory; what Python sees as tessera.DeviceArray.
class DeviceArray {
 public:
  DeviceArray(Shape shape, bool single)
      : m_shape(std::move(shape)),
        m_single(single),
        m_memory(allocate_on_device(count(m_shape) * (single ? 4 : 8)), free_on_device) {}

  void* data() const { return m_memory.get(); }
  py::tuple shape() const { return py::tuple(py::cast(m_shape)); }
  py::dtype dtype() const { return type_of(m_single); }

  py::dict interface() const {
    py::dict interface;
    interface["shape"] = shape();
    interface["typestr"] = m_single ? "<f4" : "<f8";
    interface["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(data()), false);
    interface["strides"] = py::none();
    interface["version"] = 3;
    return interface;  // without stream: its numbers are there
  }

  py::tuple dlpack_device() const { return py::make_tuple(kDlCuda, device_number()); }

  py::capsule dlpack(const py::object& /*stream*/) const {
    struct Shared {
      DlManagedTensor managed{};
      std::shared_ptr<void> memory;
      std::vector<std::int64_t> shape;
    };
    auto shared = std::make_unique<Shared>();
    shared->memory = m_memory;
    shared->shape.assign(m_shape.begin(), m_shape.end());
    shared->managed.tensor = {data(),
                              kDlCuda,
                              device_number(),
                              static_cast<std::int32_t>(m_shape.size()),
                              kDlFloat,
                              static_cast<std::uint8_t>(m_single ? 32 : 64),
                              1,
                              shared->shape.data(),
                              nullptr,
                              0};
    shared->managed.context = shared.get();
    shared->managed.deleter = [](DlManagedTensor* tensor) {
      delete static_cast<Shared*>(tensor->context);
    };
    DlManagedTensor* const managed = &shared.release()->managed;
    return py::capsule(managed, "dltensor", [](PyObject* capsule) {
      if (PyCapsule_IsValid(capsule, "dltensor") == 0) return;  // somebody has taken it
      auto* const tensor = static_cast<DlManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
      tensor->deleter(tensor);
    });
  }

  py::array to_host() const { return host_copy(m_shape, m_single, data()); }

 private:
  Shape m_shape;
  bool m_single;
  std::shared_ptr<void> m_memory;
};

/// The library that an object comes from: "cupy" of cupy.ndarray.
std::string library_of(py::handle object) {
  const auto name = py::type::handle_of(object).attr("__module__").cast<std::string>();
  return name.substr(0, name.find('.'));
}

}  // namespace

bool is_on_device(py::handle object) {
  if (py::hasattr(object, "__cuda_array_interface__")) return true;
  if (!py::hasattr(object, "__dlpack_device__")) return false;
  const py::tuple device = object.attr("__dlpack_device__")();
  const auto type = device[0].cast<std::int32_t>();
  return type == kDlCuda || type == kDlCudaManaged;
}

DeviceArrayView view_on_device(py::handle object, const char* name) {
  DeviceArrayView view = view_on_any_device(object, name);
  require_on_device(view.data);
  return view;
}

NewDeviceArray make_on_device(const std::vector<py::ssize_t>& shape, bool single, py::handle like) {
  auto owned = std::make_unique<DeviceArray>(shape, single);
  void* const data = owned->data();
  const py::object array = py::cast(std::move(owned));
  const std::string library = library_of(like);
  if (library == "cupy") return {py::module_::import("cupy").attr("asarray")(array), data};
  if (library == "torch")
    return {py::module_::import("torch").attr("as_tensor")(array, py::arg("device") = "cuda"),
            data};
  return {array, data};
}

void define_device_array(py::module_& module) {
  module.def("copy_to_host", &copy_to_host);
  module.def("copy_to_device", &copy_from_host);
  module.def("is_reachable", [](py::handle array) {
    return is_reachable(view_on_any_device(array, "an array").data);
  });
  py::class_<DeviceArray>(
      module, "DeviceArray",
      "An array on the GPU: the result of a call whose arguments lie there. CuPy, PyTorch, Numba "
      "and JAX take it without a copy, by __cuda_array_interface__ or DLPack; numpy.asarray copies "
      "it to the host.")
      .def_property_readonly("shape", &DeviceArray::shape)
      .def_property_readonly("dtype", &DeviceArray::dtype)
      .def_property_readonly("__cuda_array_interface__", &DeviceArray::interface)
      .def(
          "__dlpack__",
          [](const DeviceArray& array, const py::object& stream, const py::object& /*max_version*/,
             const py::object& dl_device, const py::object& copy) {
            if (copy.is(py::bool_(true)) ||
                !(dl_device.is_none() || dl_device.equal(array.dlpack_device())))
              throw py::buffer_error("an array on the GPU is shared there, without a copy");
            return array.dlpack(stream);
          },
          py::arg("stream") = py::none(), py::kw_only(), py::arg("max_version") = py::none(),
          py::arg("dl_device") = py::none(), py::arg("copy") = py::none())
      .def("__dlpack_device__", &DeviceArray::dlpack_device)
      .def(
          "__array__",
          [](const DeviceArray& array, const py::object& dtype, const py::object& copy) {
            if (copy.is(py::bool_(false)))
              throw py::value_error("an array on the GPU reaches the host as a copy only");
            const py::array host = array.to_host();
            return dtype.is_none() ? host : py::array(host.attr("astype")(dtype));
          },
          py::arg("dtype") = py::none(), py::arg("copy") = py::none());
}

}  // namespace tessera::python

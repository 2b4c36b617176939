// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

/// Arrays on a GPU, ours and those of other libraries.
namespace tessera::python {

namespace py = pybind11;

/// The description that an object gives of the array on a GPU that it stands for.
struct DeviceArrayView {
  void* data = nullptr;
  std::vector<py::ssize_t> shape;
  bool single = false;
  bool read_only = false;
  py::object keep;  ///< holds the memory
};

/// Returns whether an object stands for an array on a GPU: it has __cuda_array_interface__, or its
/// __dlpack_device__ is one of CUDA.
bool is_on_device(py::handle object);

/// Reads such an object, and waits for the stream that it names. Throws Error (input) for one that
/// is not of float32 or float64, or has gaps.
DeviceArrayView view_on_device(py::handle object, const char* name);

/// A new array on the GPU, for a caller that brought ones like `like`: of CuPy, of PyTorch, or else
/// a tessera.DeviceArray. No bytes are copied.
struct NewDeviceArray {
  py::object array;
  void* data = nullptr;
};
NewDeviceArray make_on_device(const std::vector<py::ssize_t>& shape, bool single, py::handle like);

/// Makes the class tessera.DeviceArray.
void define_device_array(py::module_& module);

}  // namespace tessera::python

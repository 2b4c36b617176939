# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""An array on a GPU without a library for arrays on GPUs."""

import ctypes

import numpy as np


class OnDevice:
    """A NumPy array copied to the GPU by the CUDA runtime, as another library would show it."""

    runtime = None

    def __init__(self, host):
        if OnDevice.runtime is None:
            OnDevice.runtime = ctypes.CDLL("libcudart.so")
        self.host = np.ascontiguousarray(host)
        self.pointer = ctypes.c_void_p()
        assert (
            self.runtime.cudaMalloc(
                ctypes.byref(self.pointer), ctypes.c_size_t(max(self.host.nbytes, 8))
            )
            == 0
        )
        assert (
            self.runtime.cudaMemcpy(
                self.pointer,
                self.host.ctypes.data_as(ctypes.c_void_p),
                ctypes.c_size_t(self.host.nbytes),
                1,
            )
            == 0
        )

    def __del__(self):
        self.runtime.cudaFree(self.pointer)

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.host.shape,
            "typestr": self.host.dtype.str,
            "data": (self.pointer.value, False),
            "strides": None,
            "version": 3,
        }

    def get(self):
        """A copy on the host."""
        host = np.empty_like(self.host)
        assert (
            self.runtime.cudaMemcpy(
                host.ctypes.data_as(ctypes.c_void_p), self.pointer, ctypes.c_size_t(host.nbytes), 2
            )
            == 0
        )
        return host

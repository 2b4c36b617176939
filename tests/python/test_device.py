# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Arrays on a GPU: taken and given back there. Skipped where there is none."""

import ctypes

import numpy as np
import pytest

import tessera as ts


def has_gpu():
    try:
        return "cuda" in ts.backends() and bool(ts.device("cuda"))
    except ts.ResourceError:
        return False


class OnDevice:
    """A NumPy array copied to the GPU by the CUDA runtime, as another library would show it."""

    runtime = None

    def __init__(self, host):
        if OnDevice.runtime is None:
            OnDevice.runtime = ctypes.CDLL("libcudart.so")
        self.host = np.ascontiguousarray(host)
        self.pointer = ctypes.c_void_p()
        assert self.runtime.cudaMalloc(ctypes.byref(self.pointer), ctypes.c_size_t(max(self.host.nbytes, 8))) == 0
        assert self.runtime.cudaMemcpy(self.pointer, self.host.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.host.nbytes), 1) == 0

    def __del__(self):
        self.runtime.cudaFree(self.pointer)

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.host.shape, "typestr": self.host.dtype.str, "data": (self.pointer.value, False), "strides": None, "version": 3}


class Pretended:
    """An object that claims to lie on a GPU."""

    def __init__(self, pointer=0x1000, typestr="<f8", shape=(4,), strides=None):
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "data": (pointer, False), "strides": strides, "version": 3}


def test_false_claims():
    """Wherever this runs, an array that is not where it says is an error, and no crash."""
    for claim in (Pretended(), Pretended(typestr="<i4"), Pretended(strides=(16,))):
        with pytest.raises(ts.Error):
            ts.bessel.k(0.5, claim)
    with pytest.raises(ts.Error):
        ts.bessel.k(0.5, Pretended(), backend="serial")


needs_gpu = pytest.mark.skipif(not has_gpu(), reason="no GPU")


@needs_gpu
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_results_lie_where_arguments_do(kind):
    x = np.linspace(0.1, 30, 100_003).astype(kind)
    result = ts.bessel.kve(0.4, OnDevice(x))
    assert isinstance(result, ts.DeviceArray)
    assert result.shape == x.shape and result.dtype == kind
    np.testing.assert_array_equal(np.asarray(result), ts.bessel.kve(kind(0.4), x, backend="cuda"))
    F = ts.boys.boys(8, OnDevice(x))
    np.testing.assert_array_equal(np.asarray(F), ts.boys.boys(8, x, backend="cuda"))
    again = ts.bessel.kve(0.4, result)  # a result is an argument
    assert isinstance(again, ts.DeviceArray)


@needs_gpu
def test_wrong_device_arrays():
    x = np.linspace(0.1, 30, 12)
    with pytest.raises(ts.InputError, match="backend is 'serial'"):
        ts.bessel.kve(0.4, OnDevice(x), backend="serial")
    with pytest.raises(ts.InputError, match="lies on the host"):
        ts.bessel.kve(x, OnDevice(x))
    with pytest.raises(ts.InputError, match="shape and precision"):
        ts.bessel.kve(OnDevice(x[:, None]), OnDevice(x))
    with pytest.raises(ts.InputError, match="float64 or float32"):
        ts.bessel.kve(0.4, OnDevice(np.arange(3)))


@needs_gpu
@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_other_libraries(library):
    """Their arrays come and go without a copy."""
    module = pytest.importorskip(library)
    x = np.linspace(0.1, 30, 1000)
    theirs = module.asarray(x) if library == "cupy" else module.as_tensor(x, device="cuda")
    result = ts.bessel.kve(0.4, theirs)
    assert type(result) is type(theirs)
    host = result.get() if library == "cupy" else result.cpu().numpy()
    np.testing.assert_array_equal(host, ts.bessel.kve(0.4, x, backend="cuda"))
    shared = module.from_dlpack(ts.bessel.kve(0.4, OnDevice(x)))
    np.testing.assert_array_equal(shared.get() if library == "cupy" else shared.cpu().numpy(), host)

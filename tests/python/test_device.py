# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Arrays on a GPU: taken and given back there. Skipped where there is none."""

import numpy as np
import pytest

import tessera as ts
from on_device import OnDevice


def has_gpu():
    try:
        return "cuda" in ts.backends() and bool(ts.device("cuda"))
    except ts.ResourceError:
        return False


class Pretended:
    """An object that claims to lie on a GPU."""

    def __init__(self, pointer=0x1000, typestr="<f8", shape=(4,), strides=None):
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": typestr,
            "data": (pointer, False),
            "strides": strides,
            "version": 3,
        }


def test_false_claims():
    """Wherever this runs, an array that is not where it says is an error, and no crash."""
    for claim in (Pretended(), Pretended(typestr="<i4"), Pretended(strides=(16,))):
        with pytest.raises(ts.Error):
            ts.bessel.k(0.5, claim)
        with pytest.raises(ts.Error):
            ts.mpr.fill(claim)
    with pytest.raises(ts.Error):
        ts.bessel.k(0.5, Pretended(), backend="serial")
    if "cuda" not in ts.backends():
        for call in (lambda z: ts.bessel.k(0.5, z), ts.mpr.fill):
            with pytest.raises(
                ts.ResourceError,
                match="lies on a GPU, and this build has no backend 'cuda'\n.*give a NumPy array",
            ):
                call(Pretended(shape=(4, 4)))


class Shared:
    """A NumPy array that is seen by DLPack alone."""

    def __init__(self, host):
        self.host = host

    def __dlpack__(self, **options):
        return self.host.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.host.__dlpack_device__()

    def __array__(self, dtype=None, copy=None):
        return np.from_dlpack(self)


def test_arrays_of_other_libraries_on_the_host():
    """DLPack on the host is no GPU: what NumPy makes of it is computed on."""
    x = np.linspace(0.1, 30, 1000).reshape(25, 40)
    np.testing.assert_array_equal(ts.bessel.kve(0.4, Shared(x)), ts.bessel.kve(0.4, x))
    z = np.where(np.arange(40) % 3 == 0, np.nan, x)
    np.testing.assert_array_equal(ts.mpr.fill(Shared(z)).filled, ts.mpr.fill(z).filled)


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
def test_results_in_given_memory():
    """An array on the GPU may take a result, where the operands lie there."""
    x = np.linspace(0.1, 30, 5003)
    out = OnDevice(np.zeros_like(x))
    assert ts.bessel.log_k(0.4, OnDevice(x), out=out) is out
    np.testing.assert_array_equal(out.get(), ts.bessel.log_k(0.4, x, backend="cuda"))
    for wrong in (OnDevice(np.zeros(7)), OnDevice(x.astype(np.float32)), np.zeros_like(x)):
        with pytest.raises(ts.InputError, match="out is no writable array on the GPU"):
            ts.bessel.log_k(0.4, OnDevice(x), out=wrong)


@needs_gpu
@pytest.mark.parametrize("alpha, beta", [(1.5, 0.5), (0.7, -0.4), (0.2, 0.0)])
@pytest.mark.parametrize("count", [17, 5001])
def test_quantiles_on_the_gpu(alpha, beta, count):
    p = np.linspace(1e-9, 1 - 1e-9, count)
    found = ts.stable.ppf(OnDevice(p), alpha, beta, 0.3, 2.0)
    assert isinstance(found, ts.DeviceArray)
    right = ts.stable.ppf(p, alpha, beta, 0.3, 2.0, backend="cuda")
    np.testing.assert_allclose(np.asarray(found), right, rtol=1e-9)


@needs_gpu
def test_derivatives_on_the_gpu():
    """Those of the compiled module, which tessera.torch calls, are those of the host."""
    from tessera import _tessera

    x = np.linspace(-20, 30, 4001)
    alpha = np.linspace(0.4, 1.95, 4001)
    for what in (0, 1):
        found = _tessera.stable_derivatives(what, OnDevice(x), OnDevice(alpha), 0.3, 0, None, None)
        right = _tessera.stable_derivatives(what, x, alpha, 0.3, 0, None, "cuda")
        for one, expected in zip(found, right):
            np.testing.assert_array_equal(np.asarray(one), expected)
    u1, u2 = np.random.default_rng(1).random((2, 4001))
    found = _tessera.stable_transform(1.3, 0.2, OnDevice(u1), OnDevice(u2), None, None)
    right = _tessera.stable_transform(1.3, 0.2, u1, u2, None, "cuda")
    np.testing.assert_array_equal(np.asarray(found), right)
    h = np.abs(x)
    for call, arguments in (
        (_tessera.bessel_derivatives, (2, 0.7)),
        (_tessera.matern_derivatives, (0.7,)),
    ):
        found = call(*arguments, OnDevice(h), None, None)
        for one, expected in zip(found, call(*arguments, h, None, "cuda")):
            np.testing.assert_array_equal(np.asarray(one), expected)


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
def test_dlpack_with_its_keywords():
    """Those of the array API, version 2023.12."""
    array = ts.bessel.kve(0.4, OnDevice(np.linspace(0.1, 30, 10)))
    device = array.__dlpack_device__()
    assert array.__dlpack__(stream=1, max_version=(1, 0), dl_device=device, copy=False)
    for other in ({"copy": True}, {"dl_device": (1, 0)}):
        with pytest.raises(BufferError):
            array.__dlpack__(**other)


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


def gappy(kind):
    y, x = np.mgrid[0:90, 0:120]
    z = (10 + np.sin(x / 7) * np.cos(y / 5)).astype(kind)
    z[np.random.default_rng(1).random(z.shape) < 0.4] = np.nan
    return z


@needs_gpu
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_fills_stay_on_the_device(kind):
    """Images, frames, masks: the bits of the same fill of a NumPy array, in arrays on the device;
    the argument is not changed."""
    z = gappy(kind)
    inactive = np.zeros(z.shape, bool)
    inactive[:, :5] = True
    for host in (z, np.stack([z, z[::-1]])):
        theirs = OnDevice(host)
        for options in (
            {},
            {"mask": np.arange(120) % 4 == np.zeros((90, 1)), "inactive": inactive},
        ):
            found, expected = ts.mpr.fill(theirs, **options), ts.mpr.fill(
                host, backend="cuda", **options
            )
            for ours, its in (
                (found.filled, expected.filled),
                (found.mean, expected.mean),
                (found.std, expected.std),
                (found.quantile(0.9), expected.quantile(0.9)),
            ):
                assert (
                    isinstance(ours, ts.DeviceArray)
                    and ours.dtype == kind
                    and ours.shape == host.shape
                )
                np.testing.assert_array_equal(np.asarray(ours), its)
        np.testing.assert_array_equal(theirs.get(), host)
        assert "on a GPU" in repr(found)
    again = ts.mpr.fill(found.filled, inactive=inactive)  # a result is an argument
    np.testing.assert_array_equal(np.asarray(again.filled), np.asarray(found.filled))


@needs_gpu
def test_fills_that_need_the_host():
    z = OnDevice(gappy(np.float32))
    for call in (
        lambda: ts.mpr.fill(z, model={"transform": "log"}),
        lambda: ts.mpr.fill(z, ensemble=2),
        lambda: ts.mpr.fill(z).ensemble(2),
        lambda: ts.mpr.fill(z).results,
        lambda: ts.mpr.fill(z, profile={"nodata": -1}),
        lambda: ts.mpr.fill(z, backend="serial"),
        lambda: ts.mpr.fill(z, mask=z),
        lambda: ts.mpr.fill(OnDevice(np.ones(5))),
    ):
        with pytest.raises(ts.InputError):
            call()


@needs_gpu
@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_fills_of_other_libraries(library):
    module = pytest.importorskip(library)
    z = gappy(np.float32)
    theirs = module.asarray(z) if library == "cupy" else module.as_tensor(z, device="cuda")
    found = ts.mpr.fill(theirs)
    for ours, its in (
        (found.mean, ts.mpr.fill(z, backend="cuda").mean),
        (found.std, ts.mpr.fill(z, backend="cuda").std),
    ):
        assert type(ours) is type(theirs)
        np.testing.assert_array_equal(ours.get() if library == "cupy" else ours.cpu().numpy(), its)


@needs_gpu
@pytest.mark.parametrize("n", [1, 7, 8192, 8193])
def test_small_calls_have_the_bits_of_large_ones(n):
    """A few numbers are computed where the host and the GPU both reach them."""
    x = np.linspace(0.1, 30, 20_000)
    for call in (
        lambda x: ts.bessel.kve(0.4, x, backend="cuda"),
        lambda x: ts.bessel.matern(0.4, x, backend="cuda"),
        lambda x: ts.stable.cdf(x, np.full_like(x, 1.5), 0.3, backend="cuda"),
        lambda x: ts.stable.pdf(x, np.full_like(x, 1.5), 0.3, backend="cuda"),
    ):
        np.testing.assert_array_equal(call(x[:n]), call(x)[:n])
    np.testing.assert_array_equal(
        ts.boys.boys(8, x[:n], backend="cuda"), ts.boys.boys(8, x, backend="cuda")[:, :n]
    )
    assert ts.bessel.kve(0.4, x[5], backend="cuda") == ts.bessel.kve(0.4, x, backend="cuda")[5]

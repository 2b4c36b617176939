# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What calls that compute element by element make of their arguments: shapes, types, and no
copies."""

import subprocess
import sys

import numpy as np
import pytest

import tessera as ts


def test_functions_of_scipys_face_give_numbers_of_numpy():
    """Which divide by zero with a warning, and have methods."""
    b, law = ts.bessel, ts.stable.levy_stable
    for found in (
        *(f(1, 2.0) for f in (b.kv, b.kve, b.kn, b.iv, b.ive, b.log_k, b.log_i, b.dlog_k_dnu)),
        *(f(1, 2.0) for f in (b.spherical_kn, b.spherical_in, b.matern)),
        b.kv(1, 2.0, dtype="f8", where=True),
        *(
            getattr(law, name)(0.3, 1.5, 0.2)
            for name in ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf")
        ),
        *(getattr(law, name)(1.5, 0.2) for name in ("mean", "var", "std", "median", "entropy")),
        *law.support(0.5, 1.0),
        *law.interval(0.9, 1.5, 0.2),
        *law.stats(1.5, 0.2),
        law.pdf(0.3, 5.0, 0.2),
        law.moment(1, 1.5, 0.2),
        law.expect(np.cos, (1.5, 0.2), lb=-1, ub=1),
        law.nnlf((1.5, 0.2, 0, 1), np.ones(3)),
        law.rvs(1.5, 0.2, random_state=1),
        *law.fit(np.random.default_rng(1).standard_cauchy(50)),
    ):
        assert type(found) is np.float64
    assert law.pdf(0.0, 1.5, 0).round(3) == 0.287 and ts.bessel.kv(1, 2.0).item() > 0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert 1 / ts.bessel.kv(1, 1000.0) == np.inf


def test_numbers_give_a_number():
    """Of NumPy, as scipy's functions give them, which are floats."""
    assert type(ts.bessel.k(0.5, 1.0)) is np.float64 and isinstance(ts.bessel.k(0.5, 1.0), float)
    assert type(ts.bessel.k(1, 2)) is np.float64
    assert type(ts.bessel.k(1, 2 + 1j)) is np.complex128
    assert type(ts.bessel.k(np.float32(1), np.float32(2))) is np.float32


def test_broadcasting():
    nu, x = np.array([0.5, 1.5]), np.linspace(1, 2, 3)
    result = ts.bessel.k(nu[:, None], x)
    assert result.shape == (2, 3)
    assert result[1, 2] == ts.bessel.k(1.5, 2.0)
    assert ts.bessel.k(np.ones((2, 5, 1)), np.ones((5, 4))).shape == (2, 5, 4)
    assert ts.bessel.k(0.5, []).shape == (0,)
    assert ts.bessel.k(np.ones((3, 0)), 1.0).shape == (3, 0)
    with pytest.raises(ts.InputError, match=r"nu \(2,\), x \(3,\)"):
        ts.bessel.k(nu, x)


def test_types():
    whole = ts.bessel.k(1, np.array([1, 2, 3]))
    assert whole.dtype == np.float64
    np.testing.assert_array_equal(whole, ts.bessel.k(1, [1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(ts.bessel.k(1, np.array([1.0, 2.0, 3.0], ">f8")), whole)
    assert ts.bessel.k(1, np.array([1, 2], np.float16)).dtype == np.float64
    assert ts.bessel.k(0.5, np.array([1, 2], np.float32)).dtype == np.float32
    assert ts.bessel.k(np.float64([0.5, 1]), np.array([1, 2], np.float32)).dtype == np.float64
    for wrong in (
        "text",
        None,
        object(),
        np.array(["a"]),
        [[1, 2], [3]],
        np.array("2020", "M8"),
    ):
        with pytest.raises(TypeError):
            ts.bessel.k(0.5, wrong)
    with pytest.raises(TypeError):
        ts.bessel.k(0.5, 1.0, backend=3)


def test_gaps_and_orders_of_memory():
    x = np.linspace(0.5, 9, 60).reshape(6, 10)
    expected = ts.bessel.k(0.3, x)
    np.testing.assert_array_equal(ts.bessel.k(0.3, np.asfortranarray(x)), expected)
    np.testing.assert_array_equal(ts.bessel.k(0.3, x[::2, ::-3]), expected[::2, ::-3])
    read_only = x.copy()
    read_only.flags.writeable = False
    np.testing.assert_array_equal(ts.bessel.k(0.3, read_only), expected)


def test_out_is_written_in_place():
    x = np.linspace(0.5, 9, 1000)
    room = np.empty_like(x)
    assert ts.bessel.k(0.3, x, out=room) is room
    expected = ts.bessel.k(0.3, x)
    np.testing.assert_array_equal(room, expected)
    assert ts.bessel.k(0.3, x, out=x) is x
    np.testing.assert_array_equal(x, expected)
    for wrong in (
        np.empty(999),
        np.empty(1000, np.float32),
        np.empty(2000)[::2],
        [0.0] * 1000,
        room.reshape(1, -1),
    ):
        with pytest.raises(ts.InputError, match="out is no writable NumPy array"):
            ts.bessel.k(0.3, room, out=wrong)
    room.flags.writeable = False
    with pytest.raises(ts.InputError):
        ts.bessel.k(0.3, x, out=room)


def test_no_copies():
    """Peak memory of a call with out on 400 MB: that of a process that only holds the arrays, and a
    few MB of code."""
    script = """
import resource, sys
import numpy as np
import tessera as ts
n = 25_000_000
x, room = np.full(n, 1.5), np.full(n, 2.5)
ts.boys.boys(0, x[:10])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
ts.boys.boys(0, x, out=room.reshape(1, n))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 20_000  # KiB


def test_pointers():
    """The result is where `out` is, without a detour: its neighbours are not touched, and a view of
    a larger array is written."""
    room = np.full((5, 100), -1.0)
    ts.bessel.k(0.3, np.linspace(1, 2, 100), out=room[2])
    assert (room[[0, 1, 3, 4]] == -1).all() and (room[2] > 0).all()

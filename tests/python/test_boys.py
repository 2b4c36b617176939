# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.boys: closed forms, the recursion, SciPy, the bits of tessera-boys."""

import math
import subprocess

import h5py
import numpy as np
import pytest

import tessera as ts

X = np.append(0, np.geomspace(1e-8, 700, 3001))


def test_order_zero_is_the_error_function(backend):
    expected = [1.0] + [math.sqrt(math.pi / (4 * x)) * math.erf(math.sqrt(x)) for x in X[1:]]
    np.testing.assert_allclose(ts.boys.boys(0, X, backend=backend)[0], expected, rtol=1e-14)


def test_at_zero(backend):
    np.testing.assert_allclose(
        ts.boys.boys(40, 0.0, backend=backend), 1 / (2 * np.arange(41) + 1), rtol=1e-15
    )


def test_recursion(backend):
    F = ts.boys.boys(12, X, backend=backend)
    assert F.shape == (13, len(X))
    n = np.arange(12)[:, None]
    np.testing.assert_allclose((2 * n + 1) * F[:-1], 2 * X * F[1:] + np.exp(-X), rtol=1e-13)


def test_incomplete_gamma_function(backend):
    special = pytest.importorskip("scipy.special")
    n = np.arange(17)[:, None]
    expected = special.gammainc(n + 0.5, X[1:]) * special.gamma(n + 0.5) / (2 * X[1:] ** (n + 0.5))
    keep = X[1:] > 0.3  # below, SciPy's quotient loses digits
    np.testing.assert_allclose(
        ts.boys.boys(16, X[1:][keep], backend=backend), expected[:, keep], rtol=5e-14
    )


def test_shapes(backend):
    x = np.linspace(0, 30, 24).reshape(2, 3, 4)
    F = ts.boys.boys(3, x, backend=backend)
    assert F.shape == (4, 2, 3, 4)
    np.testing.assert_array_equal(F[:, 1, 2, 3], ts.boys.boys(3, x[1, 2, 3], backend=backend))
    np.testing.assert_array_equal(
        ts.boys.boys(3, x.transpose(), backend=backend), F.transpose(0, 3, 2, 1)
    )
    assert ts.boys.boys(5, np.empty((0, 2)), backend=backend).shape == (6, 0, 2)


def test_bits_do_not_depend_on_number(backend):
    for x in (X, X.astype(np.float32)):
        whole = ts.boys.boys(8, x, backend=backend)
        for i in (0, 1, 64, 1700, 3001):
            np.testing.assert_array_equal(ts.boys.boys(8, x[i], backend=backend), whole[:, i])


def test_single_precision(backend):
    x = X.astype(np.float32)
    F = ts.boys.boys(8, x, backend=backend)
    assert F.dtype == np.float32
    np.testing.assert_allclose(F, ts.boys.boys(8, x.astype(float), backend=backend), rtol=2e-6)


def test_orders_out_of_range(backend):
    for n_max in (-1, 41):
        with pytest.raises(ts.InputError, match="choose 0 <= n_max <= 40"):
            ts.boys.boys(n_max, 1.0, backend=backend)
    np.testing.assert_array_equal(
        ts.boys.boys(2, [np.nan, -1.0, np.inf], backend=backend), [[np.nan, np.nan, 0]] * 3
    )


def test_bits_of_the_program(backend, programs, tmp_path):
    (tmp_path / "in.yaml").write_text(
        "app: boys\nproblem:\n  n_max: 9\n  x: {logspace: [1e-5, 200, 1001]}\noutput:\n  values: true\n"
    )
    subprocess.run(
        [programs / "tessera-boys", "in.yaml", "--backend", backend, "-q"], cwd=tmp_path, check=True
    )
    with h5py.File(tmp_path / "in.h5") as file:
        np.testing.assert_array_equal(
            ts.boys.boys(9, file["results/x"], backend=backend), file["results/F"][:].T
        )


def test_rys_quadrature_sums_to_the_functions(backend):
    for n in (1, 4, 11, 20, 32):
        roots, weights = ts.boys.rys(n, X[:400], backend=backend)
        assert roots.shape == weights.shape == (n, 400)
        orders = min(2 * n, 41)
        F = ts.boys.boys(orders - 1, X[:400], backend=backend)
        for m in range(orders):
            np.testing.assert_allclose((weights * roots**m).sum(0), F[m], rtol=6e-14)


def test_rys_quadrature_of_both_ranges(backend):
    x, rho, omega = np.geomspace(1e-3, 30, 8)[:, None], 0.7, np.array([0.2, 1.0, 5.0])
    whole = ts.boys.rys(6, x + 0 * omega, backend=backend)
    near = ts.boys.rys(6, x, rho=rho, omega=omega, backend=backend)
    far = ts.boys.rys(6, x, rho=rho, omega=omega, short_range=False, backend=backend)
    assert near[0].shape == (6, 8, 3)
    share = omega**2 / (omega**2 + rho)
    assert (near[0] > share).all() and (far[0] < share).all()
    for m in range(12):
        np.testing.assert_allclose(
            (near[1] * near[0] ** m).sum(0) + (far[1] * far[0] ** m).sum(0),
            (whole[1] * whole[0] ** m).sum(0),
            rtol=3e-14,
        )


def test_rys_quadrature_outside_its_domain(backend):
    for arguments in ({"rho": -1.0, "omega": 1.0}, {"omega": -1.0}, {"x": -1.0}, {"x": np.nan}):
        roots, weights = ts.boys.rys(3, **{"x": 1.0, **arguments}, backend=backend)
        assert np.isnan(roots).all() and np.isnan(weights).all()
    with pytest.raises(ts.InputError, match="the order n = 33 of Rys quadrature"):
        ts.boys.rys(33, 1.0)

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.bessel: closed forms, SciPy, the bits of tessera-bessel."""

import subprocess

import h5py
import numpy as np
import pytest

import reference_data

import tessera as ts

X = np.geomspace(1e-6, 600, 4001)


def test_half_an_order_is_elementary(backend):
    expected = np.sqrt(np.pi / (2 * X))
    np.testing.assert_allclose(ts.bessel.kve(0.5, X, backend=backend), expected, rtol=5e-15)
    np.testing.assert_allclose(
        ts.bessel.k(1.5, X, scaled=True, backend=backend), expected * (1 + 1 / X), rtol=5e-15
    )
    np.testing.assert_allclose(
        ts.bessel.log_k(0.5, X, backend=backend), np.log(expected) - X, rtol=1.2e-15, atol=1e-14
    )
    np.testing.assert_allclose(
        ts.bessel.dlog_k_dx(0.5, X, backend=backend), -1 - 0.5 / X, rtol=1e-14
    )


def test_derivative_in_the_order(backend):
    nu, step = 2.3, 1e-5
    difference = (
        ts.bessel.log_k(nu + step, X, backend=backend)
        - ts.bessel.log_k(nu - step, X, backend=backend)
    ) / (2 * step)
    np.testing.assert_allclose(
        ts.bessel.dlog_k_dnu(nu, X, backend=backend), difference, rtol=1e-6, atol=1e-7
    )


def test_scipy_agrees(backend):
    special = pytest.importorskip("scipy.special")
    nu = np.array([0, 0.25, 1 / 3, 1, 2.5, 7, 19.5])[:, None]
    np.testing.assert_allclose(
        ts.bessel.kve(nu, X, backend=backend), special.kve(nu, X), rtol=5e-13
    )
    small = X[X < 500]
    np.testing.assert_allclose(
        ts.bessel.kv(nu, small, backend=backend), special.kv(nu, small), rtol=2e-12
    )


def test_points_of_scipys_own_tests():
    """Those of scipy/special/tests/test_basic.py, SciPy 1.10."""
    assert ts.bessel.kv(0, 0.2) == pytest.approx(1.7527038555281462, rel=1e-14)
    assert ts.bessel.kv(1, 0.2) == pytest.approx(4.775972543220472, rel=1e-14)
    assert ts.bessel.kv(2, 0.2) == pytest.approx(49.51242928773287, rel=1e-14)
    assert ts.bessel.kv(32, 1) == pytest.approx(1.7516596664574289e43, rel=1e-13)
    assert ts.bessel.kv(0, 1e19) == 0
    assert ts.bessel.kv(3.0, 2.2) == ts.bessel.kv(-3.0, 2.2)
    assert ts.bessel.kve(3.0, 2.2) == ts.bessel.kve(-3.0, 2.2)
    assert ts.bessel.kve(0, 0.2) == pytest.approx(ts.bessel.kv(0, 0.2) * np.exp(0.2), rel=1e-14)


def test_cephes_vs_amos():
    """The orders and arguments of check_cephes_vs_amos in the same file, where K_nu is within this
    library's domain."""
    special = pytest.importorskip("scipy.special")
    orders = np.array([-120, -100.3, -20.0, -10.0, -1.0, -0.5, 0.0, 1.0, 12.49, 120.0])
    arguments = np.array([0.0, 1, 3, 10, 30, 100.0, 400.0, 1e-2, 600.0])
    v, z = orders[:, None], arguments
    ours, theirs = ts.bessel.kv(v, z), special.kv(v, z)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-305)


def test_matern(backend):
    h = np.append(0, np.geomspace(1e-5, 80, 3000))
    np.testing.assert_allclose(
        ts.bessel.matern(0.5, h, backend=backend), np.exp(-h), rtol=1e-12, atol=3e-16
    )
    np.testing.assert_allclose(
        ts.bessel.matern(1.5, h, backend=backend), (1 + h) * np.exp(-h), rtol=1e-12, atol=3e-16
    )
    assert ts.bessel.matern(2.5, 0.0, backend=backend) == 1
    with pytest.raises(ts.InputError, match="1e-20 <= nu <= 200"):
        ts.bessel.matern(-1.0, h, backend=backend)


def test_bits_of_matern_do_not_depend_on_number(backend):
    h = np.linspace(0, 60, 3000)
    whole = ts.bessel.matern(0.8, h, backend=backend)
    assert [ts.bessel.matern(0.8, h[i], backend=backend) for i in range(0, 3000, 97)] == whole[
        ::97
    ].tolist()


def test_single_precision(backend):
    x = X.astype(np.float32)
    result = ts.bessel.kve(0.5, x, backend=backend)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, np.sqrt(np.pi / (2 * x.astype(float))), rtol=2e-6)


def test_single_precision_is_scaled_last(backend):
    """K is 0 or infinite in single precision only where it is beyond its numbers."""
    random = np.random.default_rng(0)
    nu, x = random.uniform(0, 200, 100000).astype("f4"), (
        10 ** random.uniform(-30, 2.4, 100000)
    ).astype("f4")
    single, double = ts.bessel.kv(nu, x, backend=backend), ts.bessel.kv(
        nu.astype(float), x.astype(float), backend=backend
    )
    ordinary = (double > 1.2e-38) & (double < 3.402e38)
    assert (
        ordinary.sum() > 4000
        and np.isinf(single[double > 3.403e38]).all()
        and (single[double < 7e-46] == 0).all()
    )
    np.testing.assert_allclose(single[ordinary], double[ordinary], rtol=5e-6)
    assert ts.bessel.kv(180.37593984962405, 2.5781841470274154, backend=backend) == pytest.approx(
        4.9847160994443466e307, rel=1e-13
    )


def test_derivative_in_small_orders(backend):
    """dlog K/dnu = nu C(x) next to nu = 0; C by mpmath."""
    for x, slope in (
        (0.0999, 3.2764673405188467),
        (0.1, 3.2747390644402296),
        (1e-10, 180.12433689166091),
    ):
        for nu in (1e-8, 1e-12, 1e-15, 1e-100):
            assert ts.bessel.dlog_k_dnu(nu, x, backend=backend) == pytest.approx(
                nu * slope, rel=1e-12
            )


def test_special_arguments(backend):
    x = np.array([np.nan, -1.0, 0.0, np.inf])
    np.testing.assert_array_equal(ts.bessel.k(1.0, x, backend=backend), [np.nan, np.nan, np.inf, 0])
    np.testing.assert_array_equal(
        ts.bessel.k([1.1e6, np.nan, -0.5], 1.0, backend=backend)[:2], [np.nan, np.nan]
    )
    assert ts.bessel.k(-0.5, 2.0, backend=backend) == ts.bessel.k(0.5, 2.0, backend=backend)


def test_bits_do_not_depend_on_shape_or_number(backend):
    for kind in (np.float64, np.float32):
        nu, x = np.linspace(0.1, 70, 300001).astype(kind), np.geomspace(0.01, 90, 300001).astype(
            kind
        )
        for call in (
            ts.bessel.kv,
            ts.bessel.kve,
            ts.bessel.log_k,
            ts.bessel.dlog_k_dx,
            ts.bessel.dlog_k_dnu,
            ts.bessel.iv,
            ts.bessel.ive,
            ts.bessel.log_i,
            ts.bessel.dlog_i_dx,
            ts.bessel.dlog_i_dnu,
        ):
            whole = call(nu, x, backend=backend)
            assert whole.dtype == kind
            for i in (0, 1, 12345, 262144, 300000):
                assert call(nu[i], x[i], backend=backend) == whole[i]


@pytest.mark.parametrize("precision", ["double", "single"])
def test_bits_of_the_program(backend, programs, tmp_path, precision):
    for quantity, call in (
        ("k", ts.bessel.kv),
        ("k_scaled", ts.bessel.kve),
        ("log_k", ts.bessel.log_k),
        ("dlog_k_dx", ts.bessel.dlog_k_dx),
        ("dlog_k_dnu", ts.bessel.dlog_k_dnu),
    ):
        (tmp_path / "in.yaml").write_text(
            "app: bessel\nproblem:\n  nu: {linspace: [0, 12, 25]}\n  x: {logspace: [1e-6, 300, 400]}\n"
            f"  combine: grid\n  quantities: [{quantity}]\n  precision: {precision}\n"
        )
        subprocess.run(
            [programs / "tessera-bessel", "in.yaml", "--backend", backend, "-q", "--force"],
            cwd=tmp_path,
            check=True,
        )
        with h5py.File(tmp_path / "in.h5") as file:
            nu, x = file["coordinates/nu"][:][:, None], file["coordinates/x"][:]
            expected = file["results"][quantity][:]
        kind = np.float64 if precision == "double" else np.float32
        result = call(nu.astype(kind), x.astype(kind), backend=backend)
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)


def test_k_is_even_in_the_order(backend):
    """K is even in nu, so that its derivative in nu is odd; the values are mpmath's."""
    for nu, x, slope in ((0.7, 1.0, 0.50043524), (0.5, 2.0, 0.2063)):
        assert ts.bessel.log_k(-nu, x, backend=backend) == ts.bessel.log_k(nu, x, backend=backend)
        assert ts.bessel.dlog_k_dx(-nu, x, backend=backend) == ts.bessel.dlog_k_dx(
            nu, x, backend=backend
        )
        assert ts.bessel.dlog_k_dnu(nu, x, backend=backend) == pytest.approx(slope, abs=1e-4)
        assert ts.bessel.dlog_k_dnu(-nu, x, backend=backend) == -ts.bessel.dlog_k_dnu(
            nu, x, backend=backend
        )


def test_i_of_half_an_order_is_elementary(backend):
    x = X[X > 1e-3]
    expected = np.sqrt(2 / (np.pi * x)) * -np.expm1(-2 * x) / 2
    np.testing.assert_allclose(ts.bessel.ive(0.5, x, backend=backend), expected, rtol=4e-15)
    np.testing.assert_allclose(
        ts.bessel.i(0.5, x, scaled=True, backend=backend), expected, rtol=4e-15
    )
    np.testing.assert_allclose(
        ts.bessel.i(-0.5, x, scaled=True, backend=backend),
        np.sqrt(2 / (np.pi * x)) * (1 + np.exp(-2 * x)) / 2,
        rtol=6e-15,
    )
    np.testing.assert_allclose(
        ts.bessel.log_i(0.5, x, backend=backend), np.log(expected) + x, rtol=4e-15, atol=4e-15
    )
    np.testing.assert_allclose(
        ts.bessel.dlog_i_dx(0.5, x, backend=backend), 1 / np.tanh(x) - 0.5 / x, rtol=1e-14
    )


def test_scipy_agrees_on_i(backend):
    """Where AMOS is good: it loses up to 4e-6 at large orders, and gives NaN at large arguments."""
    special = pytest.importorskip("scipy.special")
    nu = np.array([0, 0.25, 1 / 3, 1, 2.5, 7, 19.5])[:, None]
    np.testing.assert_allclose(
        ts.bessel.ive(nu, X, backend=backend), special.ive(nu, X), rtol=5e-13
    )
    np.testing.assert_allclose(ts.bessel.iv(nu, X, backend=backend), special.iv(nu, X), rtol=5e-13)
    nu, x = np.array([-0.3, -1, -2.75, -6])[:, None], X[X > 0.01]
    np.testing.assert_allclose(
        ts.bessel.ive(nu, x, backend=backend), special.ive(nu, x), rtol=1e-12
    )


def test_i_of_von_mises_fisher_laws(backend):
    """By mpmath, with 60 digits, also where log I is small beside nu."""
    for nu, x, log_i in (
        (100000.0, 100000.0, 53277.148847441684),
        (1000000.0, 1000000.0, 532831.9753729594),
        (100000.0, 66274.3419, -6.766491498664337),
        (1000000.0, 662743.419, -7.918352767379477),
    ):
        assert ts.bessel.log_i(nu, x, backend=backend) == pytest.approx(log_i, rel=2e-15, abs=2e-15)


def test_reference_values_of_i(backend):
    nu, x, scaled, log_i, _, slope, _, order_slope = reference_data.bessel_i()
    good = (nu >= 0) & (scaled > 2.3e-308)
    np.testing.assert_allclose(
        ts.bessel.ive(nu[good], x[good], backend=backend), scaled[good], rtol=3e-15
    )
    good = nu >= 0
    np.testing.assert_allclose(
        ts.bessel.log_i(nu[good], x[good], backend=backend), log_i[good], rtol=2e-15, atol=2e-15
    )
    np.testing.assert_allclose(
        ts.bessel.dlog_i_dx(nu[good], x[good], backend=backend), slope[good], rtol=3e-15
    )
    np.testing.assert_allclose(
        ts.bessel.dlog_i_dnu(nu[good], x[good], backend=backend),
        order_slope[good],
        rtol=4e-15,
        atol=4e-15,
    )


def test_special_arguments_of_i(backend):
    x = np.array([np.nan, -1.0, 0.0, np.inf])
    np.testing.assert_array_equal(ts.bessel.i(1.0, x, backend=backend), [np.nan, np.nan, 0, np.inf])
    np.testing.assert_array_equal(ts.bessel.ive(0, x, backend=backend), [np.nan, np.nan, 1, 0])
    np.testing.assert_array_equal(
        ts.bessel.log_i([1e6 + 1, np.nan, 2], [1.0, 1.0, 0.0], backend=backend),
        [np.nan, np.nan, -np.inf],
    )
    assert ts.bessel.i(-3, 2.0, backend=backend) == ts.bessel.i(3, 2.0, backend=backend)
    assert np.isnan(ts.bessel.log_i(-1.5, 0.1, backend=backend))  # I is negative there
    assert ts.bessel.i(-1.5, 0.1, backend=backend) < 0


def test_i_in_single_is_rounded(backend):
    x = X.astype(np.float32)
    result = ts.bessel.ive(np.float32(1.25), x, backend=backend)
    assert result.dtype == np.float32
    np.testing.assert_array_equal(
        result, ts.bessel.ive(1.25, x.astype(float), backend=backend).astype(np.float32)
    )


UFUNCS = {
    "iv": ts.bessel.iv,
    "ive": ts.bessel.ive,
    "kv": ts.bessel.kv,
    "kve": ts.bessel.kve,
    "kn": ts.bessel.kn,
}


@pytest.fixture(params=UFUNCS)
def ufunc(request):
    special = pytest.importorskip("scipy.special")
    return UFUNCS[request.param], getattr(special, request.param)


def test_ufunc_broadcasts_and_fills(ufunc):
    """out, where, casting, order and dtype, beside those of SciPy's functions."""
    ours, theirs = ufunc
    orders, x = np.arange(4.0)[:, None], np.geomspace(0.01, 50, 7)
    expected = theirs(orders, x)
    np.testing.assert_allclose(ours(orders, x), expected, rtol=1e-14)
    for empty in (
        np.empty((4, 7)),
        np.empty((7, 4)).T,
        np.empty((8, 14))[::2, ::2],
        np.empty((4, 7), np.float32),
        np.empty((4, 7), ">f8"),
        np.empty((4, 7), complex),
        np.empty((3, 4, 7)),
    ):
        for out in (empty, (empty,)):
            empty[...] = -1
            assert ours(orders, x, out=out) is empty
            tolerance = 1e-6 if empty.dtype == np.float32 else 1e-14
            np.testing.assert_allclose(
                empty, np.broadcast_to(expected, empty.shape), rtol=tolerance
            )
    wanted = x < 1
    out = np.full((4, 7), -1.0)
    assert ours(orders, x, out, where=wanted) is out
    np.testing.assert_allclose(out, np.where(wanted, expected, -1), rtol=1e-14)
    np.testing.assert_allclose(
        ours(orders, x, where=wanted), np.where(wanted, expected, np.nan), rtol=1e-14
    )
    assert np.isnan(ours(1, 2.0, where=False)) and ours(1, 2.0, where=np.True_) == ours(1, 2.0)
    assert ours(orders, x, order="F").flags.f_contiguous
    single = x.astype(np.float32)
    assert ours(np.float32(1), single, where=single < 1).dtype == np.float32
    assert ours(1, x, dtype="f").dtype == np.float32 == theirs(1.0, x, dtype="f").dtype
    assert ours(np.float32(1), single, dtype=np.float64).dtype == np.float64
    assert ours(1, np.array([1, 2, 3])).dtype == np.float64
    masked = ours(
        1, np.ma.MaskedArray([1.0, 2.0, 3.0], [False, True, False]), where=[True, True, False]
    )
    assert masked.mask.tolist() == [False, True, False] and np.isnan(masked.data[2])
    same = x.copy()
    ours(1, same, out=same, where=same > 0)
    np.testing.assert_allclose(same, theirs(1, x), rtol=1e-14)


def test_ufunc_refuses(ufunc):
    ours, _ = ufunc
    x = np.array([0.5, 1.0, 2.0])
    for keywords, kind, text in (
        ({"out": np.empty(2)}, ts.InputError, "do not go together|shape"),
        ({"out": (np.empty(3), np.empty(3))}, ts.InputError, "one array"),
        ({"out": np.empty(3, int)}, TypeError, "casting"),
        ({"out": [0.0, 0.0, 0.0]}, (TypeError, ts.InputError), "out"),
        ({"where": [1, 0, 1]}, TypeError, "true and false"),
        ({"where": [True, False]}, ts.InputError, "do not go together"),
        ({"dtype": "i4"}, TypeError, "float32 or float64"),
        ({"dtype": "f", "casting": "safe"}, TypeError, "unsafe"),
        ({"casting": "any"}, ts.InputError, "same_kind"),
        ({"order": "Z"}, ts.InputError, "order"),
        ({"kaboom": 1}, TypeError, "kaboom"),
    ):
        with pytest.raises(kind, match=text):
            ours(1, x, **keywords)


def test_orders_of_kn_are_whole():
    assert ts.bessel.kn(2, 0.5) == ts.bessel.kv(2, 0.5) == ts.bessel.kn(2.0, 0.5)
    np.testing.assert_array_equal(
        ts.bessel.kn(np.arange(3), 0.5), [ts.bessel.kv(n, 0.5) for n in range(3)]
    )
    with pytest.raises(ts.InputError, match="call kv"):
        ts.bessel.kn([1, 2.5], 0.5)


def test_spherical_functions_agree_with_closed_forms(backend):
    z = np.geomspace(1e-3, 700, 60)
    k0, i0 = 0.5 * np.pi * np.exp(-z) / z, np.sinh(z) / z
    np.testing.assert_allclose(ts.bessel.spherical_kn(0, z, backend=backend), k0, rtol=1e-14)
    np.testing.assert_allclose(
        ts.bessel.spherical_kn([[0], [1]], z, backend=backend), [k0, k0 * (1 + 1 / z)], rtol=1e-14
    )
    np.testing.assert_allclose(ts.bessel.spherical_in(0, z, backend=backend), i0, rtol=1e-14)
    np.testing.assert_allclose(
        ts.bessel.spherical_kn(0, z, derivative=True, backend=backend),
        -k0 * (1 + 1 / z),
        rtol=1e-14,
    )
    np.testing.assert_allclose(
        ts.bessel.spherical_in(0, z, derivative=True, backend=backend),
        ts.bessel.spherical_in(1, z, backend=backend),
        rtol=1e-14,
    )
    # sinh(712) / 712 is a number where I_{1/2}(712) is one no more
    assert ts.bessel.spherical_in(0, 712.0, backend=backend) == pytest.approx(
        np.exp(712.0 / 2) / (2 * 712.0) * np.exp(712.0 / 2), rel=1e-14
    )


def test_spherical_functions_to_the_ends_of_the_numbers(backend):
    """Expected values: z^n / (2n+1)!! and closed forms, k of large orders with mpmath."""
    spherical_in, spherical_kn = ts.bessel.spherical_in, ts.bessel.spherical_kn
    z = np.array([1e-300, 1e-216, 5e-310, 1e-150, 1e-9])
    with np.errstate(under="ignore"):
        np.testing.assert_allclose(
            spherical_in(1, z, backend=backend), z / 3, rtol=1e-14, atol=1e-323
        )
    np.testing.assert_allclose(
        spherical_in(3, [1e-90, 1e-60], backend=backend), [1e-270 / 105, 1e-180 / 105], rtol=1e-14
    )
    np.testing.assert_allclose(
        spherical_in([1, 3], [1e-300, 1e-120], True, backend=backend),
        [1 / 3, 1e-240 / 35],
        rtol=1e-14,
    )
    assert spherical_in(0, 1e-310, backend=backend) == pytest.approx(1, rel=1e-14)
    assert spherical_in(0, 740.0, True, backend=backend) == np.inf
    assert spherical_kn(1236, 491.08407218279956, backend=backend) == pytest.approx(
        4.0927e307, rel=1e-4
    )
    with pytest.raises(ts.InputError, match="999 999"):
        spherical_kn(10**6, 1.0, backend=backend)


def test_special_arguments_of_spherical_functions(backend):
    np.testing.assert_array_equal(
        ts.bessel.spherical_in([0, 1, 2], 0.0, backend=backend), [1, 0, 0]
    )
    np.testing.assert_allclose(
        ts.bessel.spherical_in([0, 1, 2], 0.0, derivative=True, backend=backend), [0, 1 / 3, 0]
    )
    np.testing.assert_array_equal(
        ts.bessel.spherical_kn(2, [0.0, np.inf, -1.0], backend=backend), [np.inf, 0, np.nan]
    )
    assert ts.bessel.spherical_in(3, -2.0, backend=backend) == -ts.bessel.spherical_in(
        3, 2.0, backend=backend
    )
    with pytest.raises(ts.InputError, match="whole n >= 0"):
        ts.bessel.spherical_kn(0.5, 1.0, backend=backend)
    with pytest.raises(ts.ArgumentTypeError, match="complex"):
        ts.bessel.spherical_in(0, 1j, backend=backend)


def test_spherical_functions_agree_with_scipy(backend):
    special = pytest.importorskip("scipy.special")
    n, z = np.arange(12)[:, None], np.geomspace(0.05, 60, 40)
    for ours, theirs in (
        (ts.bessel.spherical_kn, special.spherical_kn),
        (ts.bessel.spherical_in, special.spherical_in),
    ):
        for derivative in (False, True):
            np.testing.assert_allclose(
                ours(n, z, derivative, backend=backend), theirs(n, z, derivative), rtol=1e-12
            )


def test_complex_arguments_agree_with_60_digits(backend):
    nu, x, y, *parts, size_of_k, size_of_i = reference_data.bessel_complex()
    z = x + 1j * y
    k, i = parts[0] + 1j * parts[1], parts[2] + 1j * parts[3]
    strip = (nu > 20) & (abs(z) > nu) & (abs(z) < 2.25 * nu)
    error = abs(ts.bessel.k(nu, z, scaled=True, backend=backend) - k) / size_of_k
    assert error.max() <= 1e-14
    error = abs(ts.bessel.i(nu, z, scaled=True, backend=backend) - i) / size_of_i
    assert error[~strip].max() <= 1e-14 and error.max() <= 5e-14
    np.testing.assert_array_equal(
        ts.bessel.kve(nu, z, backend=backend), ts.bessel.k(nu, z, scaled=True, backend=backend)
    )


def test_complex_arguments_agree_with_scipy(backend):
    special = pytest.importorskip("scipy.special")
    nu = np.array([[0.0], [0.5], [2.3], [11.0]])
    z = np.array([0.3 + 0.2j, 2j, 5 - 3j, -1.5 + 0.5j, -4 - 2j, 20 + 30j])
    for ours, theirs in (
        (ts.bessel.kv, special.kv),
        (ts.bessel.kve, special.kve),
        (ts.bessel.iv, special.iv),
        (ts.bessel.ive, special.ive),
    ):
        found = ours(nu, z, backend=backend)
        assert found.shape == (4, 6) and found.dtype == complex
        np.testing.assert_allclose(found, theirs(nu, z), rtol=1e-12)


def test_complex_arguments_in_their_forms(backend):
    value = ts.bessel.kv(0.5, 2.5j, backend=backend)
    assert type(value) is np.complex128  # a complex number too
    assert value == pytest.approx(np.sqrt(np.pi / 5j) * np.exp(-2.5j), rel=1e-15)
    out = np.empty(2, dtype=complex)
    assert ts.bessel.k(0.5, [2.5j, 1.0], out=out, backend=backend) is out
    assert out[0] == value
    with pytest.raises(ts.InputError, match="complex array of shape"):
        ts.bessel.kv(0.5, [2.5j, 1.0], np.empty(2), backend=backend)
    with pytest.raises(ts.InputError, match="where"):
        ts.bessel.kv(0.5, [2.5j, 1.0], where=[True, False], backend=backend)
    with pytest.raises(ts.InputError, match="do not go together"):
        ts.bessel.iv([1.0, 2.0], [1j, 2j, 3j], backend=backend)
    assert np.isnan(ts.bessel.kv(201.0, 1j, backend=backend))


def test_derivatives_in_the_order_far_out(backend):
    """d log K / dnu tends to nu / x, and is 0 of order 0 everywhere."""
    x = np.array([1e21, 1e150, 1e208, 1e250, 1e300])
    for nu in (0.5, 20.0, -3.0, 1e6):
        np.testing.assert_allclose(ts.bessel.dlog_k_dnu(nu, x, backend=backend), nu / x, rtol=1e-14)
    assert ts.bessel.dlog_k_dnu(0.0, [0.0, 1.0], backend=backend).tolist() == [0, 0]


def test_complex_arguments_next_to_zero(backend):
    z = np.array([1e-310, 3e-307, 1e-200, 1e-10]) * (1 + 1j) / 2**0.5
    np.testing.assert_allclose(ts.bessel.iv(0, z, backend=backend), np.ones(4), rtol=1e-14)
    np.testing.assert_allclose(ts.bessel.iv(1, z[1:], backend=backend), z[1:] / 2, rtol=1e-14)
    assert ts.bessel.iv(1, 3e-308 + 0j, backend=backend) == pytest.approx(1.5e-308, rel=1e-13)
    large = ts.bessel.kve(2.5, 1e-130 + 0j, backend=backend)
    assert large.real == np.inf and large.imag == 0

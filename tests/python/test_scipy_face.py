# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.stable.levy_stable against closed forms and the methods of scipy.stats: the same names,
arguments and shapes; and the number of points, which never changes a result."""

import math

import numpy as np
import pytest

import tessera as ts

L = ts.stable.levy_stable
METHODS = ["pdf", "logpdf", "cdf", "logcdf", "sf", "logsf"]


def test_tails_of_normal_and_levy():
    special = pytest.importorskip("scipy.special")
    x = np.array([-1e9, -1e3, -52.79, -3.0, 0.0, 2.0, 40.0, 1e4])
    for many in (1, 500):
        points = np.tile(x, many)
        np.testing.assert_allclose(
            L.logcdf(points, 2, 0), np.tile(special.log_ndtr(x / math.sqrt(2)), many), rtol=3e-11
        )
        np.testing.assert_allclose(
            L.logsf(points, 2, 0), np.tile(special.log_ndtr(-x / math.sqrt(2)), many), rtol=3e-11
        )
        np.testing.assert_allclose(
            L.cdf(points, 2, 0),
            np.tile(special.ndtr(x / math.sqrt(2)), many),
            rtol=3e-11,
            atol=1e-320,
        )
        np.testing.assert_allclose(
            L.logpdf(points, 2, 0),
            np.tile(-x * x / 4 - math.log(2 * math.sqrt(math.pi)), many),
            rtol=3e-11,
        )
        d = np.geomspace(1e-3, 1e6, 11)
        z = 1 / np.sqrt(2 * np.tile(d, 40 * many))
        exact = np.log(special.erfcx(z)) - z * z
        np.testing.assert_allclose(L.logcdf(np.tile(d, 40 * many), 0.5, 1), exact, rtol=3e-11)
        np.testing.assert_allclose(
            L.cdf(np.tile(d, 40 * many), 0.5, 1), np.exp(exact), rtol=1e-10, atol=1e-320
        )


def test_small_side_next_to_the_end_of_the_support():
    for x in (-0.9834623194969158, -0.995):
        one, many = ts.stable.cdf(x, 0.5, 1), ts.stable.cdf(np.full(2000, x), 0.5, 1)
        assert one == pytest.approx(math.erfc(1 / math.sqrt(2 * (x + 1))), rel=1e-12)
        np.testing.assert_allclose(many, one, rtol=1e-11)


@pytest.mark.parametrize(
    "law",
    [
        (2, 0),
        (2, 1),
        (1.5, 1),
        (1.3, -1),
        (0.5, 1),
        (0.5, -1),
        (0.8, 1),
        (0.4, 0.3),
        (1, 1),
        (1, 0),
        (1.9, 0.99),
        (1.00001, -0.4),
    ],
)
@pytest.mark.parametrize("parameterization", ["S0", "S1", "S2"])
def test_the_number_of_points_never_changes_a_result(law, parameterization):
    random = np.random.default_rng(int(1000 * law[0]))
    x = np.concatenate(
        [
            ts.stable.rvs(*law, size=1200, random_state=5),
            60 * (2 * random.random(700) - 1),
            random.choice([-1, 1], 300) * 10 ** (12 * random.random(300)),
            [0.0, np.inf, -np.inf, np.nan],
        ]
    )
    for method in METHODS:
        call = getattr(ts.stable, method)
        many = call(x, *law, 0.3, 1.7, parameterization=parameterization)
        few = np.concatenate(
            [
                call(part, *law, 0.3, 1.7, parameterization=parameterization)
                for part in np.array_split(x, 7)
            ]
        )
        pointwise = call(x, *law, np.full(x.size, 0.3), 1.7, parameterization=parameterization)
        logarithm = method.startswith("log")
        for other in (many, pointwise):
            finite = np.isfinite(few)
            np.testing.assert_array_equal(other[~finite], few[~finite])
            error = np.abs(other[finite] - few[finite])
            bound = (
                1e-10 + 1e-13 * np.abs(few[finite]) if logarithm else 1e-10 * few[finite] + 1e-320
            )
            assert (error <= bound).all(), (
                method,
                x[finite][error > bound][:3],
                few[finite][error > bound][:3],
                other[finite][error > bound][:3],
            )
        if not logarithm and method != "pdf":
            assert ((many[:-1] >= 0) & (many[:-1] <= 1)).all()
    p = np.concatenate([random.random(2100), [1e-9, 1 - 1e-9]])
    many, few = ts.stable.ppf(p, *law, parameterization=parameterization), [
        ts.stable.ppf(v, *law, parameterization=parameterization) for v in p[::53]
    ]
    np.testing.assert_allclose(many[::53], few, rtol=1e-10, atol=1e-10)


def test_names_and_shapes_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    for (
        name
    ) in "pdf logpdf cdf logcdf sf logsf ppf isf rvs fit mean median var std stats interval support entropy moment expect freeze nnlf".split():
        assert hasattr(L, name) and hasattr(stats.levy_stable, name)
        if name not in ("fit", "freeze", "nnlf"):
            assert hasattr(L(1.5, 0.2), name)
    frozen, arguments = L(1.7, -0.3, 2, 0.5), (1.7, -0.3, 2, 0.5)
    x = np.array([0.5, 1.0, 3.0])
    for method in METHODS:
        np.testing.assert_array_equal(getattr(frozen, method)(x), getattr(L, method)(x, *arguments))
    np.testing.assert_allclose(frozen.pdf(x), stats.levy_stable.pdf(x, *arguments), rtol=1e-6)
    assert frozen.mean() == L.mean(*arguments) == 2
    assert frozen.median() == frozen.ppf(0.5) and frozen.cdf(frozen.median()) == pytest.approx(
        0.5, rel=1e-12
    )
    low, high = frozen.interval(0.9)
    assert frozen.cdf(low) == pytest.approx(0.05, rel=1e-10) and frozen.sf(high) == pytest.approx(
        0.05, rel=1e-10
    )
    np.testing.assert_array_equal(
        frozen.rvs(5, random_state=4), L.rvs(*arguments, size=5, random_state=4)
    )
    assert frozen.isf(1e-15) == pytest.approx(frozen.isf(1e-13) * 100 ** (1 / 1.7), rel=1e-3)
    assert frozen.sf(frozen.isf([1e-15, 1e-3])) / [1e-15, 1e-3] - 1 == pytest.approx(0, abs=1e-10)


def test_moments():
    assert (
        L.var(1.5, 0) == np.inf
        and L.std(1.5, 0) == np.inf
        and np.isnan(L.mean(1.0, 0))
        and np.isnan(L.mean(0.7, 0.2))
    )
    assert L.var(2, 0, 1, 3) == pytest.approx(18) and L.std(2, 0.5, 1, 3) == pytest.approx(
        math.sqrt(18)
    )
    assert L.stats(2, 0, 1, 3, moments="mvsk") == (1, 18, 0, 0) and L.stats(2, 0, 1, 3) == (1, 18)
    np.testing.assert_array_equal(L.mean([1.5, 0.9, 3], 0, [1, 2, 3]), [1, np.nan, np.nan])
    stats = pytest.importorskip("scipy.stats")
    normal = stats.norm(1, math.sqrt(2) * 3)
    for order in range(7):
        assert L.moment(order, 2, 0, 1, 3) == pytest.approx(normal.moment(order), rel=1e-12)
    assert (
        L.moment(1, 1.5, 0.3, 4) == 4
        and L.moment(2, 1.5, 0) == np.inf
        and np.isnan(L.moment(1, 0.8, 0))
    )
    assert L.entropy(2, 0, 1, 3) == pytest.approx(normal.entropy(), rel=1e-9)
    assert L.entropy(1, 0, 5, 2) == pytest.approx(stats.cauchy.entropy(5, 2), rel=1e-9)
    assert L.entropy(0.5, 1) == pytest.approx(stats.levy.entropy(), rel=1e-8)
    assert L.expect(lambda x: 1 / (1 + x * x), (1, 0)) == pytest.approx(0.5, rel=1e-9)
    with pytest.warns(ts.TesseraWarning, match="not settled"):  # oscillates to the end
        assert L.expect(np.cos, (1.5, 0)) == pytest.approx(math.exp(-1), abs=1e-3)  # Re phi(1)
    assert L.expect(lambda x: x, (2, 0), loc=3) == pytest.approx(3, rel=1e-9)
    assert L.expect(lambda x: 1.0, (1.5, 0.3), lb=-1, ub=2) == pytest.approx(
        L.cdf(2, 1.5, 0.3) - L.cdf(-1, 1.5, 0.3), rel=1e-9
    )
    assert L.expect(lambda x: 1.0, (1.5, 0.3), lb=-1, ub=2, conditional=True) == pytest.approx(
        1, rel=1e-9
    )
    with pytest.warns(ts.TesseraWarning, match="not settled"):
        L.expect(lambda x: x * x, (1.5, 0))


def test_ends_of_the_support():
    assert (
        L.support(1.5, 0) == (-np.inf, np.inf)
        and L.support(0.5, 1, 3, 2) == (3, np.inf)
        and L.support(0.5, -1, 3, 2) == (-np.inf, 3)
    )
    assert ts.stable.support(0.5, 1) == pytest.approx((-1, np.inf), rel=1e-14)
    assert L.support([0.5, 1.5], 1)[0].tolist() == [0, -np.inf]
    for many in (1, 1000):
        np.testing.assert_array_equal(
            L.ppf(np.tile([0, 1], many), 1.5, 0), np.tile([-np.inf, np.inf], many)
        )
        np.testing.assert_array_equal(
            L.ppf(np.tile([0.0, 1.0, -0.1, 1.1, np.nan], many), 0.5, 1, 3),
            np.tile([3, np.inf, np.nan, np.nan, np.nan], many),
        )
        np.testing.assert_array_equal(
            L.isf(np.tile([0, 1], many), 0.5, 1, 3), np.tile([np.inf, 3], many)
        )
    assert L.ppf(0, 1.5, 0) == -np.inf and L.ppf(1, 0.5, -1, 2) == 2


def test_arrays_for_every_argument():
    random = np.random.default_rng(2)
    alpha, beta, loc, scale = (
        random.uniform(0.3, 2, 40),
        random.uniform(-1, 1, 40),
        random.normal(size=40),
        random.uniform(0.1, 4, 40),
    )
    alpha[:3], beta[3:5] = 1, [1, -1]
    x, p = random.normal(size=40), random.random(40)
    for name, values in [(name, x) for name in METHODS] + [("ppf", p), ("isf", p)]:
        one = [getattr(L, name)(*row) for row in zip(values, alpha, beta, loc, scale)]
        np.testing.assert_allclose(
            getattr(L, name)(values, alpha, beta, loc, scale),
            one,
            rtol=1e-9,
            atol=1e-12,
            err_msg=name,
        )
    assert L.pdf([1, 2], 1.5, 0, loc=[0, 1]).tolist() == [L.pdf(1, 1.5, 0), L.pdf(1, 1.5, 0)]
    assert L.ppf([[0.1], [0.2]], [1.5, 1.2, 0.4], 0).shape == (2, 3)
    np.testing.assert_array_equal(
        np.isnan(L.pdf(1.0, [1.5, 3.0], [0, 0], 0, [1, 1])), [False, True]
    )
    np.testing.assert_array_equal(
        np.isnan(L.pdf(1.0, 1.5, 0, [0, np.nan, 0], [1, 1, -1])), [False, True, True]
    )
    many = L.rvs([1.5, 0.5], [0, 1], loc=[0, 10], size=(4000, 2), random_state=3)
    for k, (a, b, m) in enumerate(((1.5, 0, 0), (0.5, 1, 10))):
        u = np.sort(L.cdf(many[:, k], a, b, m))
        assert np.sqrt(u.size) * np.abs(u - (np.arange(u.size) + 0.5) / u.size).max() < 2
    assert L.rvs([1.5, 1.2], 0).shape == (2,) and np.isnan(L.rvs([1.5, 5], 0)).tolist() == [
        False,
        True,
    ]
    with pytest.raises(ts.InputError, match="size"):
        L.rvs([1.5, 1.2], 0, size=3)


def test_fits_with_given_parameters():
    data = L.rvs(1.6, 0.5, 2, 3, size=600, random_state=11)
    free = L.fit(data)
    assert (
        L.fit(data, falpha=1.5)[0] == 1.5 == L.fit(data, f0=1.5)[0] == L.fit(data, fix_alpha=1.5)[0]
    )
    assert L.fit(data, fbeta=0.25)[1] == 0.25 and L.fit(data, fscale=2.5)[3] == 2.5
    assert L.fit(data, 1.5, 0.0, loc=1, scale=2) == free
    fitted = L.fit(data, floc=2)
    assert fitted[2] == 2 and L.nnlf(free, data) <= L.nnlf(fitted, data) <= L.nnlf(
        (1.6, 0.5, 2, 3), data
    )
    best = L.fit(data, floc=free[2])
    assert L.nnlf(best, data) == pytest.approx(L.nnlf(free, data), abs=1e-6) and best[
        0
    ] == pytest.approx(free[0], abs=1e-3)
    assert L.fit(data, floc=2, fscale=3, fbeta=0.5, falpha=1.6) == (1.6, 0.5, 2, 3)
    with pytest.raises(TypeError, match="falpha"):
        L.fit(data, fgamma=1)


def test_mode_of_one_sided_laws():
    """S2, whose location is the mode: Levy's distribution of scale 4 has the density 0.1156 there
    (scipy.stats.levy)."""
    for beta in (1, -1):
        assert ts.stable.pdf(0.0, 0.5, beta, parameterization="S2") == pytest.approx(
            0.11563524735282696, rel=1e-11
        )
        assert abs(ts.stable.ppf(0.5, 0.5, beta, parameterization="S2")) < 10
    for alpha in (0.1, 0.2, 0.4, 0.51, 0.9):
        top = ts.stable.pdf(0.0, alpha, 1, parameterization="S2")
        near = ts.stable.ppf(np.linspace(0.01, 0.9, 60), alpha, 1, parameterization="S2")
        assert (
            top > 0
            and (ts.stable.pdf(near, alpha, 1, parameterization="S2") <= top * (1 + 1e-9)).all()
        )

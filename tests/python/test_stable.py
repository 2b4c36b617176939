# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.stable: closed forms, SciPy's own reference data, fits, the bits of tessera-stable."""

import math
import os
import subprocess
import threading

import h5py
import numpy as np
import pytest

import tessera as ts

X = np.linspace(-40, 40, 801)


def test_normal_and_cauchy(backend):
    np.testing.assert_allclose(
        ts.stable.pdf(X[350:451], 2, 0, backend=backend),
        np.exp(-X[350:451] ** 2 / 4) / math.sqrt(4 * math.pi),
        rtol=2e-11,
    )
    np.testing.assert_allclose(
        ts.stable.pdf(X, 1, 0, 0.5, 2, backend=backend),
        2 / (math.pi * (4 + (X - 0.5) ** 2)),
        rtol=2e-11,
    )
    np.testing.assert_allclose(
        ts.stable.cdf(X, 1, 0, backend=backend), 0.5 + np.arctan(X) / math.pi, atol=1e-13
    )
    np.testing.assert_allclose(ts.stable.sf(1e8, 1, 0, backend=backend), 1e-8 / math.pi, rtol=2e-11)
    np.testing.assert_allclose(
        ts.stable.ppf([0.1, 0.5, 0.9], 1, 0, backend=backend),
        np.tan(math.pi * (np.array([0.1, 0.5, 0.9]) - 0.5)),
        atol=1e-11,
    )


def test_levy(backend):
    """S1(1/2, 1): the Levy distribution."""
    x = np.geomspace(0.01, 1e6, 200)
    expected = np.exp(-1 / (2 * x)) / math.sqrt(2 * math.pi) / x**1.5
    np.testing.assert_allclose(
        ts.stable.pdf(x, 0.5, 1, parameterization="S1", backend=backend), expected, rtol=2e-11
    )
    np.testing.assert_allclose(ts.stable.levy_stable.pdf(x, 0.5, 1), expected, rtol=2e-11)


def test_ends_of_the_numbers(backend):
    """The number of points and the kind of the arguments change nothing; Cauchy's distribution has
    the tail 1/(pi z)."""
    largest = np.finfo(float).max
    x = np.array([1.0, 1e10, 1e300, 1e308, largest])
    for name in ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"):
        function = getattr(ts.stable, name)
        for alpha, beta, loc, scale in (
            (1.0, 0.0, 0.0, 1.0),
            (1.5, 0.5, 0.0, 1.0),
            (1.0, 0.0, -1e308, 1e299),
            (1.0, 0.0, 0.0, 1e-200),
            (0.5, -0.5, 3.0, 1e-307),
            (1.0, 0.0, 0.0, 5e-324),
            (2.0, 0.0, 0.0, 1e-300),
        ):
            for sign in (1, -1):
                few = function(sign * x, alpha, beta, loc, scale, backend=backend)
                assert not np.isnan(few).any()
                tolerance = {"rtol": 4e-11, "atol": 1e-320}
                np.testing.assert_allclose(
                    function(np.tile(sign * x, 800), alpha, beta, loc, scale, backend=backend)[:5],
                    few,
                    err_msg=name,
                    **tolerance,
                )
                np.testing.assert_allclose(
                    function(
                        sign * x, alpha, beta, np.full(5, loc), np.full(5, scale), backend=backend
                    ),
                    few,
                    err_msg=name,
                    **tolerance,
                )
                np.testing.assert_allclose(
                    [
                        function(sign * value, alpha, beta, loc, scale, backend=backend)
                        for value in x
                    ],
                    few,
                    err_msg=name,
                    **tolerance,
                )
    log_tail = -np.log(np.pi) - np.log(x) + np.log(1e-200)
    np.testing.assert_allclose(ts.stable.logsf(x, 1, 0, 0, 1e-200), log_tail, rtol=1e-13)
    np.testing.assert_allclose(
        ts.stable.logpdf(x, 1, 0, 0, 1e-200), log_tail - np.log(x), rtol=1e-13
    )
    np.testing.assert_allclose(
        ts.stable.logcdf(-np.tile(x, 900), 1, 0, 0, 1e-200)[:5], log_tail, rtol=1e-13
    )


def test_quantiles_beyond_the_largest_number_of_the_scale_one():
    """A symmetric law has the far tail Gamma(alpha) sin(pi alpha/2)/pi x^-alpha."""
    alpha, p, scale = 0.1, 1e-40, 1e-150
    expected = (
        math.lgamma(alpha) + math.log(math.sin(math.pi * alpha / 2) / math.pi) - math.log(p)
    ) / alpha + math.log(scale)
    assert math.isinf(ts.stable.ppf(p, alpha, 0)) and math.isinf(
        ts.stable.ppf([p], alpha, 0, 0, [1.0])[0]
    )
    for found in (
        ts.stable.ppf(p, alpha, 0, 0, scale),
        ts.stable.ppf([p, 0.5], alpha, 0, 0, [scale, 1.0])[0],
        ts.stable.ppf(np.full(2500, p), alpha, 0, 0, scale)[7],
        -ts.stable.isf(p, alpha, 0, 0, scale),
    ):
        assert abs(math.log(-found) - expected) < 1e-11 * expected


def test_messages_are_short():
    for scale in (1e300, -1.0, float("inf")):
        with pytest.raises(
            ts.InputError, match="sigma is .*must be positive and below 1e300"
        ) as caught:
            ts.stable.pdf(1.0, 1.5, 0.5, 0, scale)
        assert len(str(caught.value)) < 80
    law = ts.stable.fit(np.random.default_rng(3).standard_cauchy(200))
    assert law.interval("alpha", 0.9)[0] < law.alpha < law.interval("alpha", 0.9)[1]
    for level, remedy in (
        (95, "level=0.95"),
        (99.5, "level=0.995"),
        (0, "level=0.95"),
        (1, "level=0.95"),
        (-1, "level=0.95"),
        (float("nan"), "level=0.95"),
    ):
        with pytest.raises(
            ts.InputError, match=f"must be between 0 and 1\n  remedy: give {remedy}"
        ):
            law.interval("alpha", level)


def scipys(name):
    stats = pytest.importorskip("scipy.stats")
    path = os.path.join(os.path.dirname(stats.__file__), "tests", "data", "levy_stable", name)
    if not os.path.exists(path):
        pytest.skip("this SciPy has no reference data of levy_stable")
    return np.load(path)


@pytest.mark.parametrize("kind", ["pdf", "cdf"])
def test_scipys_own_reference(backend, kind):
    """stable-Z1-*-sample-data.npy of SciPy: values of Nolan's STABLE, which SciPy's tests hold
    themselves to, for alpha >= 0.25 where SciPy's do too. The file has x, p, alpha, beta, and the
    density with 13, the distribution function with fewer digits, in S1."""
    data = scipys(f"stable-Z1-{kind}-sample-data.npy").astype(float)
    x, p, alpha, beta, pct = data.T
    keep = (alpha >= 0.25) & np.isfinite(p)
    found = getattr(ts.stable, kind)(
        x[keep], alpha[keep], beta[keep], parameterization="S1", backend=backend
    )
    error = np.abs(found - p[keep]) / np.maximum(np.abs(p[keep]), 1e-300)
    near = np.abs(found - p[keep]) < 1e-8
    # SciPy's own tests leave out what STABLE itself has wrong: next to alpha = 1, at the end of the
    # support, and small p.
    trusted = (np.abs(alpha[keep] - 1) > 0.05) & (np.abs(beta[keep]) < 1) & (p[keep] > 1e-5)
    assert trusted.sum() > 1000
    assert ((error[trusted] < 1e-5) | near[trusted]).all(), np.sort(error[trusted])[-10:]


def test_scipys_location_and_scale(backend):
    """stable-loc-scale-sample-data.npy: the same, with locations and scales, in S0 and S1."""
    data = scipys("stable-loc-scale-sample-data.npy")
    data = data[data["alpha"] >= 0.25]
    assert len(data) > 80
    for row in data:
        arguments = row["x"], row["alpha"], row["beta"], float(row["delta"]), float(row["gamma"])
        options = {"parameterization": f"S{row['param']}", "backend": backend}
        assert ts.stable.pdf(*arguments, **options) == pytest.approx(row["pdf"], rel=1e-6)
        assert ts.stable.cdf(*arguments, **options) == pytest.approx(row["cdf"], abs=1e-8)


def test_a_distribution_for_each_point(backend):
    alpha, beta = np.linspace(0.3, 2, 9)[:, None], np.linspace(-1, 1, 5)
    result = ts.stable.logpdf(0.7, alpha, beta, backend=backend)
    assert result.shape == (9, 5)
    for i in range(9):
        for j in range(5):
            assert result[i, j] == ts.stable.logpdf(0.7, alpha[i, 0], beta[j], backend=backend)
    assert np.isnan(ts.stable.pdf(0.0, [0.05, 1.5], 0, backend=backend)).tolist() == [True, False]


def test_table_takes_over(backend):
    """From 2000 points on; the values differ by less than is promised."""
    x = np.linspace(-60, 80, 5000)
    many = ts.stable.pdf(x, 1.4, 0.3, 1, 2, backend=backend)
    few = np.concatenate(
        [ts.stable.pdf(part, 1.4, 0.3, 1, 2, backend=backend) for part in np.split(x, 5)]
    )
    np.testing.assert_allclose(many, few, rtol=3e-11)


def test_quantiles(backend):
    p = np.append(np.linspace(0.001, 0.999, 2500), [1e-14, 0.0, 1.0, np.nan])
    x = ts.stable.ppf(p, 1.3, -0.6, 3, 0.5, backend=backend)
    np.testing.assert_allclose(
        ts.stable.cdf(x[:-4], 1.3, -0.6, 3, 0.5, backend=backend), p[:-4], atol=1e-11
    )
    assert x[-4] < x[0]
    np.testing.assert_array_equal(x[-3:], [-np.inf, np.inf, np.nan])


def test_random_numbers(backend):
    x = ts.stable.rvs(1.6, 0.4, 2, 3, size=(100, 200), random_state=7, backend=backend)
    assert x.shape == (100, 200)
    np.testing.assert_array_equal(
        x, ts.stable.rvs(1.6, 0.4, 2, 3, size=(100, 200), random_state=7, backend=backend)
    )
    u = np.sort(ts.stable.cdf(x.ravel(), 1.6, 0.4, 2, 3, backend=backend))
    assert np.sqrt(u.size) * np.abs(u - (np.arange(u.size) + 0.5) / u.size).max() < 2
    assert isinstance(ts.stable.rvs(1.6, 0.4), float)
    generator = np.random.default_rng(1)
    assert ts.stable.rvs(1.6, 0.4, random_state=generator) != ts.stable.rvs(
        1.6, 0.4, random_state=generator
    )
    with pytest.raises(ts.InputError):
        ts.stable.rvs(1.6, 0.4, random_state=-1)


def test_fit(backend):
    truth = ts.stable.Law(1.6, 0.3, 2.0, 1.0)
    law = ts.stable.fit(truth.rvs(4000, random_state=3, backend=backend), backend=backend)
    assert law.status == "converged" and law.gradient < 1e-9
    for name in ("alpha", "beta", "scale", "loc"):
        low, high = law.interval(name, 0.9999)
        assert low < getattr(truth, name) < high
        assert high - low < 1
    assert law.log_likelihood == pytest.approx(
        law.logpdf(truth.rvs(4000, random_state=3, backend=backend)).sum(), rel=1e-9
    )
    assert law.quantile(0.5) == pytest.approx(truth.quantile(0.5), abs=0.3)
    fixed = ts.stable.fit(truth.rvs(500, random_state=3), fixed={"beta": 0.0}, backend=backend)
    assert fixed.beta == 0 and fixed.errors["beta"] == 0


def test_fits_of_rows(backend):
    x = ts.stable.rvs(1.7, 0.0, size=(6, 300), random_state=5)
    x[2, 4] = np.nan
    with pytest.warns(ts.TesseraWarning, match="1 of 6 fits"):
        laws = ts.stable.fit(x, backend=backend)
    assert [law.status == "NaN or infinite values" for law in laws] == [
        False,
        False,
        True,
        False,
        False,
        False,
    ]
    one = ts.stable.fit(x[1], backend=backend)
    assert (laws[1].alpha, laws[1].loc) == (one.alpha, one.loc)
    weighted = ts.stable.fit(x[1], weights=np.ones(300), backend=backend)
    assert weighted.alpha == pytest.approx(one.alpha, rel=1e-6)


def test_bad_samples():
    for sample, why in (
        ([1, 2, 3], "fewer than five"),
        ([1, 2, 3, np.nan, 5, 6], "NaN or infinite"),
        ([1.0] * 50, "the same"),
    ):
        with pytest.raises(ts.InputError, match=why):
            ts.stable.fit(sample)
    for wrong in ({"gamma": 1}, {"alpha": 3.0}):
        with pytest.raises(ts.InputError):
            ts.stable.fit(np.arange(30.0), fixed=wrong)
    with pytest.raises(ts.InputError, match="a row for each sample"):
        ts.stable.fit(np.zeros((2, 2, 2)))
    with pytest.raises(ts.InputError, match="another shape"):
        ts.stable.fit(np.arange(30.0), weights=np.ones(29))


def test_wrong_parameters(backend):
    for arguments, why in (
        ((2.5, 0), "alpha"),
        ((1.5, -2), "beta"),
        ((1.5, 0, 0, -1), "sigma"),
        ((1.5, 0, np.inf), "location"),
    ):
        with pytest.raises(ts.InputError, match=why):
            ts.stable.pdf(X, *arguments, backend=backend)
    with pytest.raises(ts.InputError, match="choose S0, S1 or S2"):
        ts.stable.pdf(X, 1.5, 0, parameterization="S3")


def test_nothing_to_do(backend):
    assert ts.stable.pdf([], 1.5, 0, backend=backend).shape == (0,)
    assert ts.stable.pdf(np.empty((0, 3)), np.full(3, 1.5), 0, backend=backend).shape == (0, 3)
    assert ts.stable.ppf([], 1.5, 0, backend=backend).shape == (0,)
    assert ts.stable.rvs(1.5, 0, size=0, backend=backend).shape == (0,)
    with pytest.raises(ts.InputError, match="fewer than five"):
        ts.stable.fit([], backend=backend)
    assert ts.stable.fit(np.empty((0, 9)), backend=backend) == []


def test_parameterizations():
    law = ts.stable.Law(1.3, 0.8, 2.0, 1.0)
    other = law.to("S1")
    assert other.loc == pytest.approx(1.0 - 0.8 * 2.0 * math.tan(math.pi * 1.3 / 2), rel=1e-13)
    np.testing.assert_allclose(other.pdf(X), law.pdf(X), rtol=3e-11)
    assert other.to("S0").loc == pytest.approx(1.0, abs=1e-13)
    alpha, beta, loc, scale = ts.stable.levy_stable.fit(other.rvs(800, random_state=2))
    assert 1 < alpha < 1.6 and 1 < scale < 3


def test_bits_of_the_program(backend, programs, tmp_path):
    for name, section in {
        "evaluate": "  x: {linspace: [-30, 30, 4001]}\n",
        "few": "  x: {linspace: [-30, 30, 401]}\n",
        "quantile": "  p: {linspace: [0.01, 0.99, 99]}\n",
        "sample": "  n: 3000\n",
    }.items():
        task = "evaluate" if name == "few" else name
        (tmp_path / f"{name}.yaml").write_text(
            "app: stable\nrun: {seed: 17}\nproblem:\n" + f"  task: {task}\n"
            "  alpha: 1.4\n  beta: 0.3\n  sigma: 2.0\n  mu: 0.5\n" + section
        )
        subprocess.run(
            [programs / "tessera-stable", f"{name}.yaml", "--backend", backend, "-q"],
            cwd=tmp_path,
            check=True,
        )
    law = ts.stable.Law(1.4, 0.3, 2.0, 0.5)
    for name in ("evaluate", "few"):
        with h5py.File(tmp_path / f"{name}.h5") as file:
            x = file["results/x"][:]
            for quantity in ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"):
                np.testing.assert_array_equal(
                    getattr(law, quantity)(x, backend=backend), file["results"][quantity]
                )
    with h5py.File(tmp_path / "quantile.h5") as file:
        np.testing.assert_array_equal(
            law.quantile(file["results/p"][:], backend=backend), file["results/x"]
        )
    with h5py.File(tmp_path / "sample.h5") as file:
        np.testing.assert_array_equal(
            law.rvs(3000, random_state=17, backend=backend), file["results/x"]
        )


def test_threads(backend):
    """Each with a distribution of its own, whose tables take turns."""
    x = np.linspace(-9, 9, 3000)
    expected = [ts.stable.pdf(x, 1.1 + 0.2 * i, 0.1, backend=backend) for i in range(4)]
    found = [None] * 4

    def work(i):
        for _ in range(3):
            found[i] = ts.stable.pdf(x, 1.1 + 0.2 * i, 0.1, backend=backend)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(found, expected)

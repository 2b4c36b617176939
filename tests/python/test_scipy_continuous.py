# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.stable.levy_stable as one of scipy.stats' continuous distributions: SciPy's own checks,
in S0 and S1."""

import copy
import math
import pickle

import numpy as np
import pytest

import tessera as ts

REMEDY = "apt-get install python3-scipy, or pip install scipy"
stats = pytest.importorskip("scipy.stats", reason=f"there is no SciPy: {REMEDY}")
common = pytest.importorskip(
    "scipy.stats.tests.common_tests", reason=f"this SciPy has no tests with it: {REMEDY}"
)
basic = pytest.importorskip(
    "scipy.stats.tests.test_continuous_basic", reason=f"this SciPy has no tests with it: {REMEDY}"
)

LAWS = [(1.5, 0.3), (0.7, -0.5), (2.0, 0.0), (1.0, 0.0), (0.5, 1.0), (1.0, 0.5), (1.9, -1.0)]


@pytest.fixture(params=["S0", "S1"])
def law(request):
    """A copy, whose attributes are free to be set."""
    distribution = copy.copy(ts.stable.levy_stable)
    distribution.parameterization = request.param
    return distribution


@pytest.mark.parametrize("shapes", LAWS, ids=str)
def test_checks_of_scipy(law, shapes):
    name = "levy_stable"
    common.check_normalization(law, shapes, name)
    mean, variance = law.stats(*shapes)
    sample = law.rvs(size=500, *shapes, random_state=np.random.RandomState(765456))
    if shapes[0] == 2:
        common.check_moment(law, shapes, mean, variance, name)
        basic.check_sample_meanvar_(mean, variance, sample)
        skewness, kurtosis = law.stats(*shapes, moments="sk")
        common.check_mean_expect(law, shapes, mean, name)
        common.check_var_expect(law, shapes, mean, variance, name)
        common.check_skew_expect(law, shapes, mean, variance, skewness, name)
        common.check_kurt_expect(law, shapes, mean, variance, kurtosis, name)
    basic.check_cdf_ppf(law, shapes, name)
    basic.check_sf_isf(law, shapes, name)
    basic.check_pdf(law, shapes, name)
    basic.check_pdf_logpdf(law, shapes, name)
    basic.check_pdf_logpdf_at_endpoints(law, shapes, name)
    basic.check_cdf_logcdf(law, shapes, name)
    basic.check_sf_logsf(law, shapes, name)
    basic.check_ppf_broadcast(law, shapes, name)
    basic.check_distribution_rvs(law.cdf, shapes, 0.01, sample)
    common.check_random_state_property(law, shapes)
    common.check_pickling(law, shapes)
    common.check_freezing(law, shapes)
    common.check_entropy(law, shapes, name)
    common.check_entropy_vect_scale(law, shapes)
    common.check_edge_support(law, shapes)
    methods = [law.pdf, law.logpdf, law.cdf, law.logcdf, law.logsf]
    law._argcheck = lambda *_: True
    common.check_meth_dtype(law, shapes, methods)
    common.check_ppf_dtype(law, shapes)
    for method in ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf"):
        basic_lists(law, method, shapes)
    if shapes != (1.0, 0.5):  # in S1 no family of location and scale
        if shapes[0] > 1:
            basic.check_loc_scale(law, shapes, mean, variance, name)
    if law.parameterization == "S1":
        basic.check_retrieving_support(law, shapes)


def basic_lists(law, method, shapes):
    """Lists as arguments."""
    call, x = getattr(law, method), [0.6, 0.7]
    loc, scale, lists = [0, 0.1], [1, 1.01], [[value] * 2 for value in shapes]
    np.testing.assert_allclose(
        call(x, *lists, loc=loc, scale=scale),
        [call(*row) for row in zip(x, *lists, loc, scale)],
        rtol=1e-11,
        atol=1e-13,
    )


@pytest.mark.parametrize("shapes", LAWS[:2], ids=str)
def test_fits_of_scipy(law, shapes):
    sample = law.rvs(*shapes, size=200, random_state=3)
    basic.check_fit_args(law, shapes, sample, "MLE")
    basic.check_fit_args_fix(law, shapes, sample, "MLE")
    for fixed in ({"fix_alpha": 1.4}, {"fix_beta": 0.1}, {"fbeta": 0.1, "floc": 0.5}):
        found = dict(zip(("alpha", "beta", "loc", "scale"), law.fit(sample, **fixed)))
        for name, value in fixed.items():
            assert found[name.removeprefix("fix_").removeprefix("f")] == value
    loc, scale = law.fit_loc_scale(sample, *shapes)
    best = law.nnlf((*shapes, loc, scale), sample)
    for other in ((loc + 0.02, scale), (loc - 0.02, scale), (loc, 1.05 * scale)):
        assert law.nnlf((*shapes, *other), sample) > best
    with pytest.raises(ts.InputError, match="MM"):
        law.fit(sample, method="MM")
    with pytest.raises(ts.InputError, match="NaN"):
        law.fit([1.0, 2.0, np.nan, 3.0, 4.0, 5.0])


@pytest.mark.parametrize("size", [None, (), 1, 3, (2, 3)])
@pytest.mark.parametrize("seed", [7, np.random.RandomState(7), np.random.default_rng(7)])
def test_random_numbers(law, size, seed):
    found = law.rvs(1.5, 0.2, size=size, random_state=seed)
    assert np.shape(found) == (() if size is None else (size,) if size in (1, 3) else size)
    assert np.isscalar(found) == (size in (None, ()))
    common.check_rvs_broadcast(
        law, "levy_stable", ([1.5, 0.8], [[0.1], [0.2], [-1]], 0, [2, 3]), (3, 2), True, "d"
    )
    with pytest.raises(ValueError):
        law.rvs(2.5, 0)


def test_seeds_of_numpy_and_of_the_distribution(law):
    np.random.seed(5)
    first = law.rvs(1.5, 0, size=4)
    np.random.seed(5)
    np.testing.assert_array_equal(law(1.5, 0).rvs(4), first)
    frozen = law(1.5, 0)
    frozen.random_state = 5
    np.testing.assert_array_equal(frozen.rvs(4), first)
    assert not np.array_equal(frozen.rvs(4), first)
    with pytest.raises(TypeError, match="random_state"):
        law.random_state = "five"


def test_named_arguments(law):
    """All of them, in every method, and no other."""
    for method in ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "interval"):
        call = getattr(law, method)
        expected = call(0.4, 1.5, 0.3, 2, 3)
        assert call(0.4, 1.5, 0.3, loc=2, scale=3) == expected
        assert call(0.4, alpha=1.5, beta=0.3, loc=2, scale=3) == expected
        assert getattr(law(alpha=1.5, beta=0.3, scale=3, loc=2), method)(0.4) == expected
        with pytest.raises(TypeError):
            call(0.4, 1.5, 0.3, kaboom=42)
    assert law.moment(1, alpha=1.5, beta=0.3) == law.mean(1.5, 0.3)
    frozen = law(1.5, 0.3, scale=3)
    assert frozen.args == (1.5, 0.3) and frozen.kwds == {"scale": 3}
    assert frozen.pdf(x=0.4) == law.pdf(0.4, 1.5, 0.3, 0, 3)
    assert frozen.isf(q=0.4) == law.isf(0.4, 1.5, 0.3, 0, 3)
    assert frozen.moment(order=1) == frozen.mean()
    with pytest.raises(TypeError):
        law(1.5, 0.3, kaboom=42)


def test_parameters_that_are_none(law):
    """NaN, of numbers as of arrays."""
    for wrong in (
        (2.5, 0, 0, 1),
        (-1, 0, 0, 1),
        (1.5, 2, 0, 1),
        (1.5, 0, 0, -1),
        (np.nan, 0, 0, 1),
    ):
        for method in ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf"):
            call = getattr(law, method)
            assert np.isnan(call(0.4, *wrong)) and np.isscalar(call(0.4, *wrong))
            assert np.isnan(call([0.4, 0.5], *wrong)).tolist() == [True, True]
            assert np.isnan(call([0.4, 0.5], *([value] for value in wrong))).all()
        for method in ("mean", "var", "std", "median", "entropy"):
            assert np.isnan(getattr(law, method)(*wrong))
        assert np.isnan(law.support(*wrong)).all() and np.isnan(law.interval(0.9, *wrong)).all()
        assert np.isnan(law.moment(2, *wrong)) and law.nnlf(wrong, [1.0, 2.0]) == np.inf
    with pytest.raises(ts.InputError, match="between 0.1 and 2"):
        law.pdf(0.4, 0.05, 0)  # a law, which is not computed


def test_all_parameters_broadcast(law):
    alpha, beta = np.array([1.5, 0.7, 2.0]), np.array([[0.3], [-0.5]])
    loc, scale = np.array([0.0, 1.0, 2.0]), np.array([[1.0], [3.0]])
    rows = [(a, b, m, s) for (b,), (s,) in zip(beta, scale) for a, m in zip(alpha, loc)]
    for method in ("mean", "var", "std", "median", "entropy"):
        np.testing.assert_allclose(
            getattr(law, method)(alpha, beta, loc, scale).ravel(),
            [getattr(law, method)(*row) for row in rows],
            rtol=1e-10,
        )
    for k, letter in enumerate("mvsk"):
        own = law.stats(alpha, beta, loc, scale, moments="mvsk")[k]
        np.testing.assert_array_equal(
            own.ravel(), [law.stats(*row, moments=letter) for row in rows]
        )
    low, high = law.interval([[0.5], [0.9]], alpha, beta, loc, scale)
    assert low.shape == high.shape == (2, 3) and (low < high).all()
    assert law.interval([0.5, 0.9], 1.5, 0.3)[0].shape == (2,)
    np.testing.assert_array_equal(law.moment(2, alpha, 0, 1, 2), [np.inf, np.inf, 9])
    ends = law.support(alpha, 1, loc, scale)
    assert ends[0].shape == (2, 3) and np.isfinite(ends[0][:, 1]).all()
    frozen = law(alpha, beta, loc, scale)
    np.testing.assert_array_equal(frozen.mean(), law.mean(alpha, beta, loc, scale))
    assert frozen.pdf(0.5).shape == (2, 3) and frozen.rvs(size=(2, 3)).shape == (2, 3)


def test_frozen_laws_keep_their_parameterization(law):
    frozen = law(1.5, 0.3)
    expected = frozen.mean()
    other = "S1" if law.parameterization == "S0" else "S0"
    law.parameterization = other
    assert frozen.mean() == expected
    frozen.parameterization = other
    assert frozen.mean() == law.mean(1.5, 0.3) != expected
    assert pickle.loads(pickle.dumps(frozen)).mean() == frozen.mean()


def test_means_of_functions():
    """In a tail as in the middle, by closed forms: of Cauchy's, Levy's and a normal distribution."""
    expect = ts.stable.levy_stable.expect
    for sign in (1, -1):
        lb, ub = (1e8, None) if sign > 0 else (None, -1e8)
        found = expect(lambda x: 1.0, (1, 0), lb=lb, ub=ub)
        assert found == pytest.approx(math.atan(1e-8) / math.pi, rel=1e-10)
        mean = expect(lambda x: 1 / x**2, (1, 0), lb=lb, ub=ub, conditional=True)
        assert mean == pytest.approx(1e-16 / 3, rel=1e-6)
    assert expect(lambda x: x, (2, 0), loc=3, scale=2) == pytest.approx(3, rel=1e-9)
    assert expect(None, (2, 0), loc=3) == pytest.approx(3, rel=1e-9)
    assert expect(lambda x: 1 / x, (0.5, 1), scale=2) == pytest.approx(0.5, rel=1e-9)
    half = expect(lambda x: x, (2, 0), lb=0, conditional=True, epsabs=1e-8, limit=100)
    assert half == pytest.approx(2 / math.sqrt(math.pi), rel=1e-9)
    assert expect(lambda x: 1.0, (0.5, 1), ub=-1) == 0
    with pytest.raises(TypeError, match="lower"):
        expect(lambda x: 1.0, (1, 0), lower=2)


def test_mistakes_of_parameterizations_and_shapes():
    law = copy.copy(ts.stable.levy_stable)
    with pytest.raises(ts.InputError, match="choose S0, S1 or S2"):
        law.parameterization = "S7"
    assert law.parameterization == "S1"
    for call in (lambda: law.expect(np.cos), lambda: law.fit_loc_scale([1.0, 2.0, 4.0, 5.0, 6.0])):
        with pytest.raises(ts.ArgumentTypeError, match="give both"):
            call()

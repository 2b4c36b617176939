# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.sklearn: the checks, numbers and habits of scikit-learn."""

import pickle
import warnings

import numpy as np
import pytest

import tessera as ts

pytest.importorskip(
    "sklearn",
    reason="there is no scikit-learn: apt-get install python3-sklearn, or pip install scikit-learn",
)
from sklearn import base, gaussian_process, model_selection, pipeline, preprocessing  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.gaussian_process import kernels  # noqa: E402
from sklearn.utils import estimator_checks  # noqa: E402

from tessera.sklearn import GaussianProcessRegressor, Matern, SingularKernelError  # noqa: E402

THEIRS = gaussian_process.GaussianProcessRegressor
KERNELS = {
    "matern": 1.7 * kernels.Matern(0.4, nu=1.3) + kernels.WhiteKernel(0.05),
    "ard": kernels.WhiteKernel(0.1) + kernels.Matern([0.4, 0.9], nu=0.7) * 2.0,
    "three halves": 2.0 * kernels.Matern(0.5, nu=1.5),
    "rbf": 0.5 * kernels.RBF([0.3, 0.5]) + kernels.WhiteKernel(0.01),
    "infinite": kernels.Matern(0.3, nu=np.inf) + kernels.WhiteKernel(0.01),
    "other": kernels.RationalQuadratic(0.5) + kernels.Matern(nu=0.9) ** 2,
}


def plane(count, targets=None, seed=3):
    random = np.random.default_rng(seed)
    xy = random.random((count, 2))
    z = np.sin(5 * xy[:, 0]) * np.cos(4 * xy[:, 1]) + 0.1 * random.standard_normal(count)
    return xy, z if targets is None else np.stack([z * (k + 1) - k for k in range(targets)], axis=1)


def test_checks_of_scikit_learn():
    """All of check_estimator()."""
    estimator_checks.check_estimator(GaussianProcessRegressor())


def test_checks_of_scikit_learn_with_a_search(optimizer):
    warnings.simplefilter("ignore", ConvergenceWarning)
    estimator_checks.check_estimator(
        GaussianProcessRegressor(1.0 * Matern(nu=1.3) + kernels.WhiteKernel(), method="exact")
    )


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("targets", [None, 3])
@pytest.mark.parametrize("normalize_y", [False, True])
def test_numbers_of_scikit_learn(kernel, targets, normalize_y):
    """Means, standard deviations, covariances and likelihoods, within 1e-8."""
    xy, z = plane(120, targets)
    alpha = np.linspace(1e-3, 1e-2, 120) if targets else 1e-3
    options = {"kernel": kernel, "alpha": alpha, "optimizer": None, "normalize_y": normalize_y}
    ours, theirs = (cls(**options).fit(xy, z) for cls in (GaussianProcessRegressor, THEIRS))
    assert ours.method_ == "exact" and str(ours.kernel_) == str(theirs.kernel_)
    new = np.random.default_rng(5).random((40, 2))
    for option in ({}, {"return_std": True}, {"return_cov": True}):
        a, b = ours.predict(new, **option), theirs.predict(new, **option)
        for x, y in zip(a, b) if option else [(a, b)]:
            np.testing.assert_allclose(x, y, rtol=1e-8, atol=1e-8)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(
        theirs.log_marginal_likelihood_value_, rel=1e-8
    )
    assert ours.score(xy, z) == pytest.approx(theirs.score(xy, z), rel=1e-8)
    assert ours.sample_y(new, 2).shape == theirs.sample_y(new, 2).shape
    prior = [cls(kernel).predict(new, return_std=True) for cls in (type(ours), THEIRS)]
    np.testing.assert_allclose(*prior, rtol=1e-8)


@pytest.mark.parametrize("nu", [0.2, 0.5, 1.0, 1.3, 2.5, 7.0])
@pytest.mark.parametrize("length_scale", [0.6, [0.3, 0.6]])
def test_gradients(nu, length_scale):
    """By central differences, also in nu; two points at one place."""
    xy = np.vstack([plane(12)[0], plane(2)[0]])
    kernel = Matern(length_scale, nu=nu, nu_bounds=(0.05, 20))
    assert [h.name for h in kernel.hyperparameters] == ["length_scale", "nu"]
    K, gradient = kernel(xy, eval_gradient=True)
    theirs = kernels.Matern(length_scale, nu=nu)(xy[:12])  # who move points at one place apart
    np.testing.assert_allclose(K[:12, :12], theirs, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(K[:3], kernel(xy[:3], xy), rtol=1e-12)
    for k in range(kernel.n_dims):
        step = 1e-5 * np.eye(kernel.n_dims)[k]
        high, low = (kernel.clone_with_theta(kernel.theta + s)(xy) for s in (step, -step))
        np.testing.assert_allclose(gradient[..., k], (high - low) / 2e-5, atol=2e-9)
    closed = kernels.Matern(length_scale, nu=1.5)(xy, eval_gradient=True)[1]
    own = Matern(length_scale, nu=1.5)(xy, eval_gradient=True)[1]
    np.testing.assert_allclose(own, closed, atol=1e-12)


def test_a_fit_finds_a_likelihood_that_is_no_smaller(optimizer):
    xy, z = plane(150)
    kernel = 1.0 * kernels.Matern(0.5, nu=1.3) + kernels.WhiteKernel(0.1)
    ours, theirs = (cls(kernel).fit(xy, z) for cls in (GaussianProcessRegressor, THEIRS))
    assert ours.log_marginal_likelihood_value_ >= theirs.log_marginal_likelihood_value_ - 1e-4
    np.testing.assert_allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=0.02)
    assert ours.log_marginal_likelihood(ours.kernel_.theta) == pytest.approx(
        ours.log_marginal_likelihood_value_, rel=1e-10
    )
    gradient = ours.log_marginal_likelihood(ours.kernel_.theta, eval_gradient=True)[1]
    np.testing.assert_allclose(gradient, 0, atol=0.05)


def test_smoothness_is_fitted(optimizer):
    """Of a field with nu = 0.9, in the plane and, by the gradient of the kernel, in 4 features."""
    random = np.random.default_rng(8)
    for features in (2, 4):
        x = random.random((250, features))
        true = 1.5 * Matern(0.6, nu=0.9)
        y = np.linalg.cholesky(true(x) + 1e-8 * np.eye(250)) @ random.standard_normal(250)
        kernel = 1.0 * Matern(0.5, nu=2.0, nu_bounds=(0.1, 10))
        fitted = GaussianProcessRegressor(kernel, alpha=1e-8).fit(x, y)
        if features == 2:
            assert fitted.kernel_.get_params()["k2__nu"] == pytest.approx(0.9, abs=0.2)
        likelihood = fitted.log_marginal_likelihood(np.append(true.theta, np.log(0.9)))
        assert fitted.log_marginal_likelihood_value_ > likelihood
        gradient = fitted.log_marginal_likelihood(fitted.kernel_.theta, eval_gradient=True)[1]
        np.testing.assert_allclose(gradient, 0, atol=0.05)
        assert kernel.get_params()["k2__nu"] == 2.0  # the argument stays as it was


def test_pipelines_and_searches():
    xy, z = plane(60)
    line = pipeline.make_pipeline(
        preprocessing.StandardScaler(),
        GaussianProcessRegressor(Matern(nu=1.3), alpha=0.01, optimizer=None),
    )
    search = model_selection.GridSearchCV(
        line, {"gaussianprocessregressor__kernel__nu": [0.3, 1.3, 2.5]}, cv=3
    ).fit(xy, z)
    assert search.best_params_["gaussianprocessregressor__kernel__nu"] in (1.3, 2.5)
    assert search.best_score_ > 0.8
    copy = base.clone(search.best_estimator_).fit(xy, z)
    np.testing.assert_array_equal(copy.predict(xy), search.best_estimator_.predict(xy))
    again = pickle.loads(pickle.dumps(copy))
    np.testing.assert_array_equal(again.predict(xy), copy.predict(xy))


def test_bounds_and_optimizers_of_scikit_learn(optimizer):
    xy, z = plane(40)
    with pytest.warns(ConvergenceWarning, match="close to the specified lower bound"):
        with warnings.catch_warnings():
            warnings.simplefilter("error", ts.TesseraWarning)
            GaussianProcessRegressor(1.0 * Matern(5.0, (4.9, 6.0)), alpha=0.01).fit(xy, z)
    called = []

    def stay(objective, theta, bounds):
        called.append(theta)
        return theta, objective(theta)[0]

    found = GaussianProcessRegressor(1.0 * Matern(), optimizer=stay, alpha=0.1).fit(xy, z)
    assert len(called) == 1 and found.kernel_.theta.tolist() == [0, 0]
    found = GaussianProcessRegressor(
        1.0 * Matern(), n_restarts_optimizer=2, random_state=1, alpha=0.1
    )
    assert found.fit(xy, z).log_marginal_likelihood_value_ > -1e3


def test_infinite_bounds(optimizer):
    """They are those of a search without bounds."""
    xy, z = plane(60)

    def fitted(low, high, **options):
        kernel = kernels.ConstantKernel(1.0, (low, high)) * kernels.RBF(1.0, (low, high))
        kernel += kernels.WhiteKernel(0.1, (low, high))
        return GaussianProcessRegressor(kernel, **options).fit(xy, z).kernel_.theta

    right = fitted(1e-5, 1e5)
    for bounds in ((1e-5, np.inf), (1e-5, np.finfo(float).max)):
        np.testing.assert_allclose(fitted(*bounds), right, atol=1e-4)
    near = fitted(1e-5, 1e5, method="vecchia")
    np.testing.assert_allclose(fitted(1e-5, np.inf, method="vecchia"), near, atol=1e-4)
    with pytest.raises(ValueError, match="bounds of the kernel are not finite"):
        fitted(1e-5, np.inf, n_restarts_optimizer=1)


@pytest.mark.parametrize("method", ["exact", "vecchia"])
def test_features_that_are_the_same_everywhere(method, optimizer):
    """The length scale stays where it starts, as with scikit-learn, and the fit is that without the
    feature."""
    xy, z = plane(80)
    flat = np.column_stack([xy, np.full(80, 3.0)])
    kernel = 1.0 * kernels.RBF([0.4, 0.6, 2.0]) + kernels.WhiteKernel(0.1)
    with pytest.warns(ts.TesseraWarning, match="feature 2 of X"):
        found = GaussianProcessRegressor(kernel, method=method).fit(flat, z)
    np.testing.assert_allclose(np.exp(found.kernel_.theta[3]), 2.0)
    short = 1.0 * kernels.RBF([0.4, 0.6]) + kernels.WhiteKernel(0.1)
    right = GaussianProcessRegressor(short, method=method).fit(xy, z)
    np.testing.assert_allclose(np.delete(found.kernel_.theta, 3), right.kernel_.theta, atol=1e-4)
    np.testing.assert_allclose(found.predict(flat[:9]), right.predict(xy[:9]), atol=1e-5)
    if method == "exact":
        theirs = THEIRS(kernel).fit(flat, z)
        np.testing.assert_allclose(found.kernel_.theta, theirs.kernel_.theta, atol=1e-2)
    alone = kernels.RBF(0.7) + kernels.WhiteKernel(0.1, "fixed")  # there is nothing to search for
    with pytest.warns(ts.TesseraWarning, match="feature 0 of X"):
        still = GaussianProcessRegressor(alone, method=method).fit(flat[:, 2:], z)
    assert still.kernel_ == alone


@pytest.mark.parametrize("method", ["exact", "vecchia"])
@pytest.mark.parametrize("own_optimizer", ["fmin_l_bfgs_b", None])
def test_singular_kernels(method, own_optimizer, optimizer):
    """As scikit-learn says it, with the remedy in its terms."""
    line, (xy, z) = np.linspace(0, 1, 60)[:, None], plane(30)
    options = {"alpha": 0.0, "optimizer": own_optimizer, "method": method}
    for X, y in ((line, line[:, 0]), (np.vstack([xy, xy]), np.append(z, z))):
        for error in (np.linalg.LinAlgError, ts.NumericalError, SingularKernelError):
            with pytest.raises(error, match="raise alpha, add a WhiteKernel"):
                GaussianProcessRegressor(1.0 * kernels.RBF(), **options).fit(X, y)


def test_starts_at_zero():
    """scikit-learn's own search takes them to the bounds."""
    xy, z = plane(40)
    found, right = (
        kind(0.0 * kernels.RBF() + kernels.WhiteKernel()).fit(xy, z)
        for kind in (GaussianProcessRegressor, THEIRS)
    )
    np.testing.assert_allclose(found.kernel_.theta, right.kernel_.theta)


@pytest.mark.parametrize("kernel", ["matern", "ard", "rbf"])
@pytest.mark.parametrize("targets", [None, 2])
def test_vecchia(kernel, targets):
    """Against the exact process: within the bounds that the class promises."""
    xy, z = plane(1500, targets)
    new = plane(200, seed=9)[0]
    options = {"kernel": KERNELS[kernel], "alpha": 1e-4, "optimizer": None, "normalize_y": True}
    exact = GaussianProcessRegressor(**options).fit(xy, z)
    near = GaussianProcessRegressor(method="vecchia", **options).fit(xy, z)
    assert near.method_ == "vecchia" and not hasattr(near, "L_")
    (a, s), (b, t) = (process.predict(new, return_std=True) for process in (near, exact))
    assert a.shape == b.shape and s.shape == t.shape
    far, wide = (0.1, 0.03) if kernel == "rbf" else (0.01, 0.001)
    np.testing.assert_allclose((a - b) / z.std(axis=0), 0, atol=far)
    np.testing.assert_allclose(s, t, rtol=wide)
    assert near.log_marginal_likelihood_value_ == pytest.approx(
        exact.log_marginal_likelihood_value_, rel=0.1 if kernel == "rbf" else 0.03
    )
    assert near.log_marginal_likelihood(near.kernel_.theta) == pytest.approx(
        near.log_marginal_likelihood(), rel=1e-12
    )
    draws = near.sample_y(new[:5], 400, random_state=2)
    assert draws.shape == exact.sample_y(new[:5], 400).shape
    np.testing.assert_array_less(np.abs(draws.mean(axis=-1) - a[:5]), 6 * s[:5] / 20)
    np.testing.assert_allclose(draws.std(axis=-1), s[:5], rtol=0.2)
    with pytest.raises(ts.InputError, match="return_std"):
        near.predict(new, return_cov=True)
    with pytest.raises(ValueError, match="expecting 2 features"):
        near.predict(xy[:, :1])
    again = pickle.loads(pickle.dumps(near))
    np.testing.assert_array_equal(again.predict(new[:9]), near.predict(new[:9]))


@pytest.mark.parametrize("targets", [None, 1, 2])
@pytest.mark.parametrize("normalize_y", [False, True])
def test_shapes(targets, normalize_y):
    """Those of the exact process; numbers of one column are those without it."""
    xy, z = plane(60, targets)
    new = xy[:7] + 0.01
    options = {"kernel": KERNELS["matern"], "optimizer": None, "normalize_y": normalize_y}
    near, exact, theirs = (
        kind(**options, **own).fit(xy, z)
        for kind, own in (
            (GaussianProcessRegressor, {"method": "vecchia"}),
            (GaussianProcessRegressor, {"method": "exact"}),
            (THEIRS, {}),
        )
    )
    shape = (7, 2) if targets == 2 else (7,)
    for process in (near, exact, theirs):
        mean, std = process.predict(new, return_std=True)
        assert mean.shape == std.shape == process.predict(new).shape == shape
        assert process.sample_y(new, 3).shape == (*shape, 3)
    if targets == 1:
        flat = GaussianProcessRegressor(**options, method="vecchia").fit(xy, z[:, 0])
        for a, b in zip(near.predict(new, return_std=True), flat.predict(new, return_std=True)):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("method", ["exact", "vecchia"])
def test_names_of_features(method):
    """They are checked as scikit-learn does, and belong to the last fit."""
    pandas = pytest.importorskip("pandas")
    xy, z = plane(60)
    frame = pandas.DataFrame(xy, columns=["a", "b"])
    options = {"kernel": KERNELS["matern"], "optimizer": None, "method": method}
    process = GaussianProcessRegressor(**options).fit(frame, z)
    assert process.feature_names_in_.tolist() == ["a", "b"]
    for ask in (process.predict, process.sample_y):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            right = ask(frame[:5])
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            np.testing.assert_array_equal(ask(xy[:5]), right)
        for wrong in (frame[["b", "a"]], frame.rename(columns={"b": "c"})):
            with pytest.raises(ValueError, match="feature names should match"):
                ask(wrong)
    process.fit(xy, z)
    assert not hasattr(process, "feature_names_in_")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        process.predict(xy[:5])
    with pytest.warns(UserWarning, match="fitted without feature names"):
        process.predict(frame[:5])


def test_vecchia_is_taken_by_itself(optimizer):
    xy, z = plane(5001)
    kernel = 1.0 * Matern(0.5, nu=1.5) + kernels.WhiteKernel(0.1)
    with pytest.warns(ts.TesseraWarning, match="5001 points are more than 5000: Vecchia"):
        large = GaussianProcessRegressor(kernel).fit(xy, z)
    assert large.method_ == "vecchia"
    assert large.kernel_.get_params()["k2__noise_level"] == pytest.approx(0.01, rel=0.1)
    assert large.score(*plane(300, seed=4)) > 0.9
    small = large.fit(xy[:300], z[:300])
    assert small.method_ == "exact" and hasattr(small, "L_")
    assert np.isfinite(small.predict(xy[:2], return_cov=True)[1]).all()


def test_wrong_arguments():
    xy, z = plane(30)
    for options, text in (
        ({"method": "fast"}, "choose 'auto'"),
        ({"neighbours": 0}, "from 1 to 1000"),
        ({"kernel": "matern"}, "give a kernel"),
        ({"kernel": KERNELS["other"], "method": "vecchia"}, "ConstantKernel \\* Matern"),
        ({"kernel": Matern(nu=300.0)}, "nu"),
        ({"kernel": Matern([1.0, 2.0, 3.0])}, "length_scale"),
        ({"kernel": Matern([1.0, 2.0, 3.0]), "method": "vecchia"}, "length_scale"),
    ):
        with pytest.raises(ValueError, match=text):
            GaussianProcessRegressor(**options).fit(xy, z)
    rbf = kernels.RBF()
    for options, text in (
        ({"n_restarts_optimizer": -1}, "'n_restarts_optimizer' parameter .* Got -1"),
        ({"n_restarts_optimizer": 1.5}, "'n_restarts_optimizer' parameter .* Got 1.5"),
        ({"kernel": kernels.ConstantKernel(-1.0) * rbf}, "k1__constant_value of the kernel is -1"),
        ({"kernel": 0.0 * rbf, "method": "vecchia"}, "constant_value is 0, and must be above"),
        ({"kernel": kernels.RBF(0.0), "method": "vecchia"}, "length_scale is 0.0, and must be"),
    ):
        with pytest.raises(ValueError, match=text):
            GaussianProcessRegressor(**{"kernel": 1.0 * rbf, **options}).fit(xy, z)
    with pytest.raises(ValueError, match="34 features"):
        GaussianProcessRegressor(Matern(), method="vecchia").fit(np.hstack([xy] * 17), z)


@pytest.mark.parametrize("value, normalize_y", [(1.0, True), (0.0, False)])
def test_targets_that_are_all_alike(value, normalize_y):
    """scikit-learn's own search has the answer, and says what ends at a bound."""
    kernel = 1.0 * kernels.RBF(0.5) + kernels.WhiteKernel(0.01)
    X, y = np.random.default_rng(0).random((60, 2)), np.full(60, value)
    found, caught = [], []
    for kind in (GaussianProcessRegressor, gaussian_process.GaussianProcessRegressor):
        with warnings.catch_warnings(record=True) as here:
            warnings.simplefilter("always")
            found.append(kind(kernel, normalize_y=normalize_y).fit(X, y))
        caught.append(len(here))
    assert found[0].kernel_ == found[1].kernel_ and caught[0] == caught[1] > 0

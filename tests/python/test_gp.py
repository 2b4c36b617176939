# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.gp: closed forms of kriging, the bits of tessera-gp, wrong arguments."""

import copy
import math
import pickle
import re
import subprocess
import warnings

import h5py
import numpy as np
import pytest

import tessera as ts


@pytest.fixture(scope="module")
def field():
    """150 points of a plane and a field with an exponential covariance."""
    random = np.random.default_rng(5)
    xy = random.random((150, 2))
    distance = np.sqrt(((xy[:, None] - xy) ** 2).sum(-1))
    return xy, np.linalg.cholesky(2 * np.exp(-distance / 0.3)) @ random.standard_normal(150)


@pytest.fixture(scope="module")
def process(field, optimizer):
    return ts.gp.fit(*field, covariance={"family": "matern12"}, mean="zero")


def test_estimates(process):
    assert process.converged and set(process.theta) == {"sigma2", "beta"}
    assert abs(process.theta["sigma2"] - 2) < 4 * process.errors["sigma2"]
    assert "beta = " in repr(process) and process.results.attrs["app"] == "gp"


def test_tukeys_marginals(field, optimizer):
    """A skewed field: g is found, the law of a prediction is skewed, and predictions from given
    numbers are those of the fit."""
    xy, y = field
    z = 4 + np.expm1(0.5 * y)
    process = ts.gp.fit(
        xy, z, covariance={"family": "matern12"}, marginal="tukey_g_and_h", options={"fixed": ["h"]}
    )
    assert process.converged and list(process.theta) == ["sigma2", "beta", "g", "h"]
    assert process.theta["g"] > 2 * process.errors["g"]
    targets, quantiles = np.random.default_rng(6).random((20, 2)), [0.1, 0.5, 0.9]
    found = process.predict(targets, quantiles=quantiles)
    low, middle, high = found.quantiles.T
    assert (low < middle).all() and (middle < high).all() and (found.mean > middle).mean() > 0.9
    numbers = {name: process.theta[name] for name in ("g", "h")}
    known = ts.gp.given(
        xy,
        z,
        covariance={"family": "matern12", **{k: process.theta[k] for k in ("sigma2", "beta")}},
        marginal={"family": "tukey_g_and_h", **numbers},
        likelihood=True,
    )
    assert known.loglik == pytest.approx(process.loglik, rel=1e-12)
    np.testing.assert_array_equal(known.predict(targets).mean, found.mean)
    folds = process.cross_validate(5)
    assert folds.scores["mspe"] == pytest.approx(((z - folds.mean) ** 2).mean(), rel=1e-12)
    assert 0.88 < folds.scores["coverage_95"] < 1
    with pytest.raises(ts.InputError, match="marginal"):
        ts.gp.fit(xy, z, marginal={"g": 1.0})


def test_groupings(field, optimizer):
    """Effects of labels of any kind: estimates and effects are near the truth, predictions from
    given numbers are those of the fit, and levels that have no observations are not known."""
    xy, y = field
    random = np.random.default_rng(8)
    site, year = random.integers(0, 15, len(y)), random.integers(2001, 2007, len(y))
    effect = np.sqrt(0.5) * random.standard_normal(15)
    z = 3 + y + effect[site] + 0.4 * np.sin(5.0 * year)
    labels = {"site": [f"s{k}" for k in site], "year": year}
    process = ts.gp.fit(xy, z, covariance={"family": "matern12", "nugget": 0.05}, groups=labels)
    assert list(process.theta) == ["sigma2", "beta", "nugget", "variance_site", "variance_year"]
    assert process.theta["variance_site"] == pytest.approx(
        0.5, abs=3 * process.errors["variance_site"]
    )
    found = process.effects["site"]
    assert found.labels == sorted(set(labels["site"])) and found.observations.sum() == len(z)
    truth = effect[[int(label[1:]) for label in found.labels]]
    assert np.corrcoef(found.mean, truth)[0, 1] > 0.9
    assert process.effects["year"].labels == list(range(2001, 2007))

    targets = random.random((8, 2))
    bare, known, unknown = (
        process.predict(targets, groups=groups)
        for groups in (
            None,
            {"site": ["s3"] * 8, "year": [2003] * 8},
            {"site": ["s3"] * 8, "year": [1999] * 8},
        )
    )
    effects = [
        process.effects[name].mean[process.effects[name].labels.index(label)]
        for name, label in (("site", "s3"), ("year", 2003))
    ]
    np.testing.assert_allclose(known.mean, bare.mean + sum(effects), rtol=1e-10)
    np.testing.assert_allclose(unknown.mean, bare.mean + effects[0], rtol=1e-10)
    assert (unknown.variance > known.variance + 0.5 * process.theta["variance_year"]).all()
    same = ts.gp.given(
        xy,
        z,
        covariance={
            "family": "matern12",
            **{k: process.theta[k] for k in ("sigma2", "beta", "nugget")},
        },
        groups=labels,
        group_variance={name: process.theta[f"variance_{name}"] for name in labels},
        likelihood=True,
    )
    assert same.loglik == pytest.approx(process.loglik, rel=1e-12)
    np.testing.assert_allclose(
        same.predict(targets, groups={"site": ["s3"] * 8, "year": [2003] * 8}).mean, known.mean
    )


def test_bad_groupings(field, process):
    xy, z = field
    one = np.zeros(len(z), int)
    for groups, more, phrase in (
        ({"site": one[1:]}, {}, r"groups\['site'\] of shape"),
        ({"site": [None, *one[1:]]}, {}, r"groups\['site'\]\[0\] is missing"),
        ({"site": one}, {}, "one level"),
        ({"site": np.arange(len(z)) % 3}, {"group_variance": {"lot": 1}}, "group_variance names"),
    ):
        with pytest.raises(ts.InputError, match=phrase):
            ts.gp.fit(xy, z, covariance={"family": "matern12"}, groups=groups, **more)
    with pytest.raises(ts.InputError, match="no groupings"):
        process.predict(xy[:2], groups={"site": [1, 2]})
    with pytest.raises(ts.InputError, match="group_variance names"):
        ts.gp.given(
            xy,
            z,
            covariance={"family": "matern12", "sigma2": 1, "beta": 0.1},
            groups={"site": np.arange(len(z)) % 3},
        )


def test_a_covariance_that_is_not_stationary(field):
    """Variance and errors by a covariate: a fit and a process of its numbers agree with dense
    algebra of NumPy, and predictions need the covariate."""
    xy, z = field
    rain = np.sin(9 * xy[:, 0])
    process = ts.gp.fit(
        xy,
        z * np.exp(0.5 * rain),
        covariance={
            "family": "matern12",
            "nugget": 0.01,
            "by_covariates": {"sigma2": ["rain"], "nugget": ["rain"]},
        },
        mean="zero",
        covariates={"rain": rain},
        options={"fixed": ["nugget_rain"]},
    )
    theta = process.theta
    assert list(theta) == ["sigma2", "beta", "nugget", "sigma2_rain", "nugget_rain"]
    assert process.converged and theta["nugget_rain"] == 0
    assert abs(theta["sigma2_rain"] - 1) < 3 * process.errors["sigma2_rain"]

    def deviation(x):
        return np.exp(0.5 * theta["sigma2_rain"] * (x - rain.mean()))

    def covariance(a, b, of_a, of_b):
        distance = np.sqrt(((a[:, None] - b) ** 2).sum(-1))
        return (
            theta["sigma2"]
            * np.outer(deviation(of_a), deviation(of_b))
            * np.exp(-distance / theta["beta"])
        )

    sigma = covariance(xy, xy, rain, rain) + theta["nugget"] * np.eye(len(xy))
    targets, there = np.random.default_rng(6).random((20, 2)), np.linspace(-1, 1, 20)
    cross = covariance(targets, xy, there, rain)
    found = process.predict(targets, covariates={"rain": there}, of="observation")
    values = z * np.exp(0.5 * rain)
    np.testing.assert_allclose(
        found.mean, cross @ np.linalg.solve(sigma, values), rtol=1e-8, atol=1e-9
    )
    variance = theta["sigma2"] * deviation(there) ** 2 + theta["nugget"]
    variance -= np.einsum("ij,ji->i", cross, np.linalg.solve(sigma, cross.T))
    np.testing.assert_allclose(found.variance, variance, rtol=1e-8)
    check_cross_validation(process.cross_validate(5), values, sigma, np.empty((len(z), 0)))
    known = ts.gp.given(
        xy,
        values,
        covariance={
            "family": "matern12",
            **{key: theta[key] for key in ("sigma2", "beta", "nugget")},
            "by_covariates": {"sigma2": ["rain"], "coefficients": [theta["sigma2_rain"]]},
        },
        mean="zero",
        covariates={"rain": rain},
        likelihood=True,
    )
    assert known.loglik == pytest.approx(process.loglik, rel=1e-10)
    again = known.predict(targets, covariates={"rain": there}, of="observation")
    np.testing.assert_allclose(again.mean, found.mean, rtol=1e-10, atol=1e-12)
    for call, match in (
        (lambda: process.predict(targets), "give a number for each target and covariate"),
        (lambda: ts.gp.fit(xy, z, covariance={"by_covariates": {"beta": ["snow"]}}), "'snow'"),
        (
            lambda: ts.gp.fit(
                xy,
                z,
                covariance={"by_covariates": {"beta": ["seven"]}},
                covariates={"seven": np.full(len(xy), 7.0)},
            ),
            "'seven' of the covariance is constant",
        ),
    ):
        with pytest.raises(ts.InputError, match=match):
            call()


def test_warped_coordinates_and_covariates_of_the_mean(field):
    xy, z = field
    rain = np.sin(9 * xy[:, 0])
    process = ts.gp.fit(
        xy,
        z + 3 * rain,
        covariance={"family": "matern12", "warp": {"knots": 3}},
        mean={"coordinates": "constant", "covariates": ["rain"]},
        covariates={"rain": rain},
    )
    assert list(process.theta)[2:] == ["warp_1_1", "warp_1_2", "warp_2_1", "warp_2_2"]
    assert abs(process.results["results/trend"].ravel()[1] - 3) < 0.5
    found = process.predict(xy[:5], covariates={"rain": rain[:5]})
    np.testing.assert_allclose(found.mean, (z + 3 * rain)[:5], atol=1e-6)
    known = ts.gp.given(
        xy,
        z + 3 * rain,
        covariance={
            "family": "matern12",
            **{key: process.theta[key] for key in ("sigma2", "beta")},
            "warp": {"knots": 3, "coefficients": list(process.theta.values())[2:]},
        },
        mean={"coordinates": "constant", "covariates": ["rain"]},
        covariates={"rain": rain},
        likelihood=True,
    )
    assert known.loglik == pytest.approx(process.loglik, rel=1e-10)


def test_likelihood_and_kriging(field, process):
    """Against dense algebra of NumPy, with the estimates."""
    xy, z = field
    sigma2, beta = process.theta["sigma2"], process.theta["beta"]

    def covariance(a, b):
        return sigma2 * np.exp(-np.sqrt(((a[:, None] - b) ** 2).sum(-1)) / beta)

    sigma = covariance(xy, xy)
    loglik = -0.5 * (
        len(z) * np.log(2 * np.pi) + np.linalg.slogdet(sigma)[1] + z @ np.linalg.solve(sigma, z)
    )
    assert process.loglik == pytest.approx(loglik, rel=1e-10)
    targets = np.random.default_rng(6).random((40, 2))
    found = process.predict(targets)
    cross = covariance(targets, xy)
    np.testing.assert_allclose(found.mean, cross @ np.linalg.solve(sigma, z), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(
        found.variance,
        sigma2 - np.einsum("ij,ji->i", cross, np.linalg.solve(sigma, cross.T)),
        rtol=1e-8,
    )
    np.testing.assert_array_equal(found.std, np.sqrt(found.variance))
    draws = process.predict(targets[:5], draws=3, seed=1).draws
    assert draws.shape == (5, 3) and np.isfinite(draws).all()


def fit_as_the_program(field, backend, programs, folder, method, section, seed=0):
    """A fit, which the program makes too: with this section more, to in.h5 in the folder."""
    xy, z = field
    np.save(folder / "data.npy", np.column_stack([xy, z]))
    (folder / "in.yaml").write_text(
        f"app: gp\nmethod: {method}\n"
        "data: {file: data.npy, coordinates: ['1', '2'], values: ['3']}\n"
        "covariance: {family: matern, nugget: 0.1}\nfit: {fixed: [nu], start: [1, 0.2, 0.7, 0.1]}\n"
        f"{section}run: {{seed: {seed}}}\n"
    )
    subprocess.run(
        [programs / "tessera-gp", "in.yaml", "--backend", backend, "-q"], cwd=folder, check=True
    )
    return ts.gp.fit(
        xy,
        z,
        method=method,
        covariance={"family": "matern", "nugget": 0.1},
        options={"fixed": ["nu"], "start": [1, 0.2, 0.7, 0.1]},
        seed=seed,
        backend=backend,
    )


@pytest.mark.parametrize("method", ["exact", "vecchia"])
def test_bits_of_the_program(field, optimizer, backend, programs, tmp_path, method):
    xy, _ = field
    np.save(tmp_path / "targets.npy", xy[:20] + 0.01)
    prediction = (
        "predict: {points: {file: targets.npy, coordinates: ['1', '2']}, of: observation}\n"
    )
    process = fit_as_the_program(field, backend, programs, tmp_path, method, prediction)
    found = process.predict(xy[:20] + 0.01, of="observation", backend=backend)
    with h5py.File(tmp_path / "in.h5") as file:
        results = file["results"]
        np.testing.assert_array_equal(list(process.theta.values()), results["theta"][0])
        np.testing.assert_array_equal(list(process.errors.values()), results["theta_se"][0])
        np.testing.assert_array_equal(found.mean, results["prediction/mean"][:].ravel())
        np.testing.assert_array_equal(found.variance, results["prediction/variance"])


def test_one_coordinate_and_replicates(optimizer):
    random = np.random.default_rng(7)
    x = np.sort(random.random(60))
    z = np.stack([np.sin(6 * x), np.cos(6 * x)], axis=1) + 0.01 * random.standard_normal((60, 2))
    process = ts.gp.fit(x, z, covariance={"family": "matern52", "nugget": 0.001})
    found = process.predict([0.25, 0.5])
    assert found.mean.shape == (2, 2)
    np.testing.assert_allclose(
        found.mean, [[np.sin(1.5), np.cos(1.5)], [np.sin(3), np.cos(3)]], atol=0.1
    )


def test_series_on_a_sphere():
    """Legendre series are of great circles, which need not be said; a process of given numbers."""
    rng = np.random.default_rng(3)
    points = np.stack([rng.uniform(-60, 60, 60), rng.uniform(-170, 170, 60)], axis=1)
    law = {"family": "legendre_matern", "sigma2": 1.0, "beta": 2e3, "nu": 1.0, "nugget": 0.1}
    z = rng.standard_normal(60)
    plain = ts.gp.given(points, z, covariance=law, likelihood=True)
    said = ts.gp.given(points, z, covariance={**law, "metric": "great_circle"}, likelihood=True)
    assert plain.loglik == said.loglik
    np.testing.assert_array_equal(plain.predict(points[:3]).mean, said.predict(points[:3]).mean)


@pytest.mark.parametrize("metric", ["great_circle", "chordal"])
def test_on_the_sphere(optimizer, programs, backend, tmp_path, metric):
    """Latitude and longitude, as documented: the bits of the program."""
    random = np.random.default_rng(1)
    places = np.column_stack([random.uniform(40, 60, 60), random.uniform(0, 20, 60)])
    z = random.standard_normal(60)
    np.save(tmp_path / "data.npy", np.column_stack([places, z]))
    np.save(tmp_path / "targets.npy", places[:5] + 0.1)
    columns = "latitude: '1', longitude: '2'"
    (tmp_path / "in.yaml").write_text(
        f"app: gp\ndata: {{file: data.npy, {columns}, values: ['3']}}\ncovariance: {{family: matern12, metric: {metric}, nugget: 0.1}}\n"
        f"fit: {{}}\npredict: {{points: {{file: targets.npy, {columns}}}}}\n"
    )
    subprocess.run(
        [programs / "tessera-gp", "in.yaml", "--backend", backend, "-q"], cwd=tmp_path, check=True
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        process = ts.gp.fit(
            places,
            z,
            covariance={"family": "matern12", "metric": metric, "nugget": 0.1},
            backend=backend,
        )
    assert not any("latitude" in str(warning.message) for warning in caught)
    found = process.predict(places[:5] + 0.1, backend=backend)
    with h5py.File(tmp_path / "in.h5") as file:
        np.testing.assert_array_equal(list(process.theta.values()), file["results/theta"][0])
        np.testing.assert_array_equal(found.mean, file["results/prediction/mean"][:].ravel())
        np.testing.assert_array_equal(found.variance, file["results/prediction/variance"])
    with pytest.raises(ts.InputError, match="latitude.*outside -90 to 90"):
        ts.gp.fit(
            np.column_stack([places[:, 0] + 50, places[:, 1]]), z, covariance={"metric": metric}
        )
    with pytest.raises(ts.InputError, match="latitude and longitude in degrees"):
        ts.gp.fit(np.zeros((60, 3)), z, covariance={"metric": metric})


@pytest.mark.filterwarnings("ignore::tessera.TesseraWarning")
def test_predictions_after_every_covariance(optimizer):
    """Against dense algebra of NumPy with the estimates: a range for each coordinate in both
    spellings, turned axes, in space, all families."""
    random = np.random.default_rng(2)
    plane, space = random.random((80, 2)), random.random((80, 3))
    z = random.standard_normal(80)

    def turned(points, angles):
        if len(angles) == 1:
            c, s = np.cos(angles[0]), np.sin(angles[0])
            return points @ np.array([[c, s], [-s, c]]).T
        (cy, cp, cr), (sy, sp, sr) = np.cos(angles), np.sin(angles)
        yaw, pitch, roll = (
            np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]),
            np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]]),
            np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]]),
        )
        return points @ (yaw @ pitch @ roll)

    correlations = {
        "matern12": lambda u: np.exp(-u),
        "matern32": lambda u: (1 + u) * np.exp(-u),
        "matern52": lambda u: (1 + u + u * u / 3) * np.exp(-u),
        "squared_exponential": lambda u: np.exp(-u * u),
    }
    for points, more in (
        (plane, {}),
        (plane, {"ranges": [0.3, 0.2]}),
        (plane, {"beta": [0.3, 0.2]}),
        (plane, {"beta": [0.3, 0.2], "angle": 0.3}),
        (plane[:, :1], {}),
        (space, {"beta": 0.3}),
        (space, {"beta": [0.3, 0.2, 0.1]}),
        (space, {"ranges": [0.3, 0.2, 0.1], "angle": [0.1, 0.2, 0.3]}),
        (plane, {"family": "matern32"}),
        (plane, {"family": "matern52"}),
        (plane, {"family": "squared_exponential"}),
    ):
        family = more.get("family", "matern12")
        process = ts.gp.fit(
            points,
            z,
            mean="zero",
            covariance={"family": family, "nugget": 0.1, **more},
            options={"max_evaluations": 60},
        )
        theta = process.theta
        ranges = np.array([value for name, value in theta.items() if name.startswith("beta")])
        angles = [value for name, value in theta.items() if name.startswith("angle")]

        def covariance(a, b):
            a, b = (turned(p, angles) if angles else p for p in (a, b))
            square = (((a[:, None] - b) / ranges) ** 2).sum(-1)
            return theta["sigma2"] * correlations[family](np.sqrt(square))

        targets = points[:7] + 0.01
        sigma = covariance(points, points) + theta["nugget"] * np.eye(80)
        for method in ("exact", "vecchia"):
            found = (
                process
                if method == "exact"
                else ts.gp.fit(
                    points,
                    z,
                    mean="zero",
                    method={"vecchia": {"prediction_neighbours": 80}},
                    covariance={"family": family, "nugget": 0.1, **more},
                    options={"start": list(theta.values()), "max_evaluations": 1},
                )
            ).predict(targets)
            assert found.mean.shape == (7,) and np.isfinite(found.std).all()
            if method == "exact":
                np.testing.assert_allclose(
                    found.mean,
                    covariance(targets, points) @ np.linalg.solve(sigma, z),
                    rtol=1e-6,
                    atol=1e-8,
                    err_msg=str(more),
                )


@pytest.mark.filterwarnings("ignore::tessera.TesseraWarning")
@pytest.mark.parametrize("method", ["exact", "vecchia"])
def test_a_range_for_each_of_many_coordinates(method):
    """Two of six inputs matter; the others have long ranges."""
    x = np.random.default_rng(3).random((300, 6))
    z = np.sin(6 * x[:, 1]) + x[:, 4] ** 2
    covariance = {"family": "matern52", "ranges": "each", "nugget": 1e-3}
    process = ts.gp.fit(x[:250], z[:250], covariance=covariance, method=method)
    ranges = [process.theta[f"beta_{k}"] for k in range(1, 7)]
    assert min(ranges[k] for k in (0, 2, 3, 5)) > 5 * max(ranges[1], ranges[4])
    error = process.predict(x[250:]).mean - z[250:]
    assert np.sqrt((error**2).mean()) < 0.02


@pytest.mark.filterwarnings("ignore::tessera.TesseraWarning")
def test_every_argument(field, optimizer):
    xy, z = field
    rough = {"family": "powered_exponential", "exponent": 1.1, "nugget": 0.1}
    process = ts.gp.fit(
        xy,
        z,
        covariance=rough,
        mean="quadratic",
        options={"fixed": ["exponent"], "method": "lbfgs", "standard_errors": "fisher"},
        seed=3,
    )
    assert process.theta["exponent"] == 1.1 and np.isnan(process.errors["exponent"])
    assert process.predict(xy[:3], draws=2, jitter=1e-6, of="observation", seed=2).draws.shape == (
        3,
        2,
    )
    for method in (
        "auto",
        {"vecchia": {"neighbours": 12, "ordering": "random"}},
        {"vecchia": {"block": 4}},
    ):
        assert np.isfinite(
            ts.gp.fit(
                xy,
                z,
                method=method,
                mean="linear",
                covariance={"family": "matern", "nu": 0.5, "nugget": 0.1},
                options={"fixed": ["nu"]},
            )
            .predict(xy[:3])
            .mean
        ).all()
    time = np.arange(150) % 5
    process = ts.gp.fit(
        xy, z, time=time, covariance={"family": "matern12", "beta_time": 1.0, "nugget": 0.1}
    )
    assert np.isfinite(process.predict(xy[:3], time=[0.5, 1.5, 2.5]).mean).all()
    for targets, why in (
        ({}, "give time, a number for each target"),
        ({"time": [1, 2]}, "for 3 points"),
    ):
        with pytest.raises(ts.InputError, match=why):
            process.predict(xy[:3], **targets)
    with pytest.raises(ts.InputError, match="beta_time"):
        ts.gp.fit(xy, z, time=time)
    interacting = {"family": "matern12", "time": "gneiting", "nugget": 0.1}
    process = ts.gp.fit(xy, z, time=time, covariance=interacting)
    assert list(process.theta)[2:] == ["beta_time", "alpha", "interaction", "nugget"]
    same = ts.gp.given(
        xy, z, time=time, covariance={**interacting, **process.theta}, likelihood=True
    )
    assert list(same.theta) == list(process.theta)
    assert same.loglik == pytest.approx(process.loglik, rel=1e-12)
    targets = {"targets": xy[:3], "time": [0.5, 1.5, 2.5]}
    np.testing.assert_allclose(
        same.predict(**targets).mean, process.predict(**targets).mean, rtol=1e-12
    )
    with pytest.raises(ts.InputError, match="by time, and the points have no time"):
        ts.gp.fit(xy, z, covariance=interacting)
    both = np.stack([z, np.where(np.arange(150) % 3 == 0, np.nan, 2 * z + xy[:, 0])], axis=1)
    several = {"variables": 2, "nugget": 0.1}
    process = ts.gp.fit(xy, both, covariance=several)
    assert list(process.theta) == [
        *("sigma2_1", "sigma2_2", "beta", "nu_1", "nu_2", "rho_12", "nugget_1", "nugget_2")
    ]
    numbers = {
        key: [process.theta[f"{key}_{v}"] for v in (1, 2)] for key in ("sigma2", "nu", "nugget")
    }
    numbers.update(beta=process.theta["beta"], rho=process.theta["rho_12"])
    same = ts.gp.given(xy, both, covariance={**several, **numbers}, likelihood=True)
    assert same.loglik == pytest.approx(process.loglik, rel=1e-12)
    prediction = same.predict(xy[:5], quantiles=[0.1, 0.5, 0.9], draws=4, jitter=1e-6)
    assert prediction.mean.shape == prediction.variance.shape == (5, 2)
    assert prediction.quantiles.shape == (5, 2, 3) and prediction.draws.shape == (5, 2, 4)
    np.testing.assert_allclose(prediction.quantiles[..., 1], prediction.mean, rtol=1e-12)
    np.testing.assert_allclose(prediction.mean, process.predict(xy[:5]).mean, rtol=1e-12)
    with pytest.raises(ts.InputError, match="rho"):
        ts.gp.given(xy, both, covariance={**several, "sigma2": 1, "beta": 0.1, "nu": 0.5})
    several = {"variables": 2, "nugget": 0.1, "cross": "full", "excess": 0.2}
    names = [f"{key}_{v}" for key in ("beta", "nu") for v in (1, 2)]
    process = ts.gp.fit(xy, both, covariance=several, options={"fixed": ["excess_12", *names]})
    assert list(process.theta)[2:9] == [*names[:2], "beta_12", *names[2:], "excess_12", "rho_12"]
    numbers = {
        key: [process.theta[f"{key}_{v}"] for v in (1, 2)] for key in ("sigma2", "nu", "nugget")
    }
    numbers["beta"] = [process.theta[f"beta_{v}"] for v in (1, 2, 12)]
    numbers["rho"] = process.theta["rho_12"]
    same = ts.gp.given(xy, both, covariance={**several, **numbers}, likelihood=True)
    assert list(same.theta) == list(process.theta)
    assert same.loglik == pytest.approx(process.loglik, rel=1e-12)
    prediction = process.predict(xy[:5])
    assert prediction.mean.shape == (5, 2)
    np.testing.assert_allclose(prediction.mean, same.predict(xy[:5]).mean, rtol=1e-12)
    with pytest.raises(ts.InputError, match="rho_12 is 0.99"):
        wrong = {**several, **numbers, "rho": 0.99, "beta": [1, 0.1, 1]}
        ts.gp.given(xy, both, covariance=wrong, likelihood=True)
    errors = np.full(150, 0.1)
    process = ts.gp.fit(
        xy, z, error_variance=errors, covariance={"family": "matern12"}, mean="zero"
    )
    assert "nugget" not in process.theta and np.isfinite(process.predict(xy[:3]).mean).all()


def test_missing_values_and_repeated_places(field, optimizer):
    """What is masked or NaN is no data; points at one place are averaged on request."""
    xy, z = field
    rough = {"family": "matern12"}
    expected = ts.gp.fit(xy[5:], z[5:], covariance=rough, mean="zero")
    masked = np.ma.masked_array(z, mask=np.arange(150) < 5)
    for values in (masked, np.where(masked.mask, np.nan, z)):
        with pytest.raises(
            ts.InputError, match=r'values\[0\] is not a finite number\n.*missing="drop"'
        ):
            ts.gp.fit(xy, values, covariance=rough, mean="zero")
        found = ts.gp.fit(xy, values, covariance=rough, mean="zero", missing="drop")
        assert found.theta == expected.theta
        np.testing.assert_array_equal(found.predict(xy[:4]).mean, expected.predict(xy[:4]).mean)
    twice, both = np.vstack([xy, xy[:1]]), np.append(z, z[0] + 1)
    with pytest.raises(ts.InputError, match='duplicates="average"'):
        ts.gp.fit(twice, both, covariance=rough)
    averaged = np.append(z[0] + 0.5, z[1:])
    assert (
        ts.gp.fit(twice, both, covariance=rough, duplicates="average").theta
        == ts.gp.fit(xy, averaged, covariance=rough).theta
    )


@pytest.mark.filterwarnings("ignore::tessera.TesseraWarning")
def test_replicates_for_themselves(field, optimizer):
    xy, z = field
    both = np.stack([z, 3 * z[::-1]], axis=1)
    rough = {"family": "matern12", "nugget": 0.1}
    process = ts.gp.fit(xy, both, covariance=rough, options={"replicates": "separate"})
    assert "2 replicates, each for itself" in repr(process) and process.loglik.shape == (2,)
    found = process.predict(xy[:6] + 0.01)
    assert found.mean.shape == found.variance.shape == (6, 2)
    for k in range(2):
        alone = ts.gp.fit(xy, both[:, k], covariance=rough)
        np.testing.assert_array_equal(
            [value[k] for value in process.theta.values()], list(alone.theta.values())
        )
        np.testing.assert_array_equal(found.mean[:, k], alone.predict(xy[:6] + 0.01).mean)


def test_a_smooth_field_without_a_nugget(optimizer):
    """Whose covariance has no factor: an error that names arguments of this module, no NaN."""
    random = np.random.default_rng(77)
    xy = random.random((800, 2))
    z = xy[:, 0] ** 2 + np.sin(2 * xy[:, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(
            ts.NumericalError, match='prediction_neighbours|options={"start"|nugget'
        ):
            ts.gp.fit(
                xy, z, method="vecchia", covariance={"family": "squared_exponential"}
            ).predict(random.random((500, 2)))


def test_a_search_that_ends_at_a_bound_warns(field, optimizer):
    xy, z = field
    with pytest.warns(
        ts.TesseraWarning, match=r'beta = 0.1 at its upper bound; widen options={"upper": ...}'
    ):
        ts.gp.fit(
            xy,
            z,
            covariance={"family": "matern12"},
            options={"start": [2, 0.05], "lower": [0.1, 0.01], "upper": [10, 0.1]},
        )


def test_wrong_arguments(field, process):
    xy, z = field
    for points, values, why in (
        (xy, z[:-1], "150 points"),
        (np.zeros((9, 33)), z[:9], "1 to 32 coordinates"),
        (xy, np.where(z > 1, np.nan, z), "missing|finite|NaN"),
        (np.vstack([xy, xy[:1]]), np.append(z, 0), "same|duplicate"),
    ):
        with pytest.raises(ts.InputError, match=why):
            ts.gp.fit(points, values)
    with pytest.raises(ts.InputError, match="coordinates for points"):
        process.predict([0.5, 0.6])
    with pytest.raises(ts.InputError, match="unknown key 'colour'"):
        ts.gp.fit(xy, z, covariance={"colour": 1})


def test_messages_name_arguments(field, process):
    """Not the columns of the matrix that the program gets, or places of an input that nobody wrote;
    rows are counted from 0."""
    xy, z = field
    rough, sphere = {"family": "matern12", "nugget": 0.1}, {
        "family": "matern12",
        "metric": "chordal",
        "nugget": 0.1,
    }
    line, flat = np.column_stack([xy[:, 0], 2 * xy[:, 0]]), np.column_stack(
        [xy[:, 0], np.full(150, 3.0)]
    )
    wrong, negative, gap = z.copy(), np.full(150, 0.1), z.copy()
    wrong[3], negative[5], gap[2] = np.inf, -1, np.nan
    twice, both, gaps = np.vstack([xy, xy[:1]]), np.append(z, 0), np.append(gap, 0)
    fit = ts.gp.fit
    for call, message in (
        (lambda: fit(xy, wrong), r"^values\[3\] is not a finite number"),
        (lambda: fit(xy, np.column_stack([z, wrong])), r"^values\[3, 1\] is not a finite number"),
        (
            lambda: fit(np.where(xy == xy[7, 1], np.inf, xy), z),
            r"^points\[7, 1\] is not a finite number",
        ),
        (
            lambda: fit(line, z, mean="linear"),
            r"^the column points\[:, 1\] of the mean is a combination",
        ),
        (
            lambda: fit(flat[:, 1], z, mean="linear", covariance=rough),
            "^the column points of the mean is constant",
        ),
        (
            lambda: fit(np.sign(xy - 0.5) + [0, 2], z, mean="quadratic", covariance=rough),
            r"^the column points\[:, 0\] \* points\[:, 0\] of the mean is constant",
        ),
        (lambda: fit(xy, z, error_variance=negative), r"^error_variance\[5\] is -1.0*, but"),
        (
            lambda: fit(xy * [1, 500] + [90, 0], z, covariance=sphere),
            r"^points\[0, 0\], the latitude, is 9",
        ),
        (
            lambda: fit(xy * [1, 0] + [0, 400], z, covariance=sphere),
            r"^points\[0, 1\], the longitude, is 400",
        ),
        (
            lambda: fit(twice, both),
            r"repeats the place of another \(points\[0\] and points\[150\];",
        ),
        (
            lambda: fit(twice, gaps, missing="drop"),
            r"repeats the place of another \(points\[0\] and points\[150\];",
        ),
        (
            lambda: fit(xy, z, covariance={**rough, "beta_time": 1.0}),
            "the points have no time\n  remedy: give time",
        ),
        (lambda: fit(xy, z, duplicates="mean"), "^'duplicates' is 'mean'"),
        (lambda: fit(xy, z, missing="mean"), "^'missing' is 'mean'"),
        (lambda: fit(xy, z, options={"strat": [1, 2]}), "^unknown key 'strat' in 'options'"),
        (
            lambda: process.predict(np.full((4, 2), np.nan)),
            r"^targets\[0, 0\] is not a finite number",
        ),
        (lambda: process.predict(xy, of="errors"), "^'of' is 'errors'"),
        (lambda: process.predict(xy, draws=-1), "^draws is -1"),
    ):
        with pytest.raises(ts.InputError, match=message) as caught:
            call()
        assert (
            "input:" not in str(caught.value)
            and "memory" not in str(caught.value)
            and "'1'" not in str(caught.value)
            and "'2'" not in str(caught.value)
        )


@pytest.mark.parametrize("metric", ["great_circle", "chordal"])
def test_turns_of_longitudes(optimizer, metric):
    """Latitudes and longitudes; whole turns of a longitude change nothing, also across the date
    line."""
    random = np.random.default_rng(1)
    places = np.c_[random.uniform(40, 60, 60), random.uniform(175, 185, 60)]
    z = random.standard_normal(60)
    options = {"fixed": ["beta", "nugget"]}
    covariance = {"family": "matern12", "metric": metric, "beta": 300.0, "nugget": 0.2}
    fits = []
    for turn in (lambda x: x, lambda x: (x + 180) % 360 - 180, lambda x: x - 360):
        turned = np.c_[places[:, 0], turn(places[:, 1])]
        process = ts.gp.fit(turned, z, covariance=covariance, mean="zero", options=options)
        fits.append(
            (process.loglik, *process.predict([[50.0, turn(180.0)], [45.0, turn(178.0)]]).mean)
        )
    np.testing.assert_allclose(fits[1:], [fits[0]] * 2, rtol=1e-9)
    lat, lon = np.radians(places).T
    angle = 2 * np.arcsin(
        np.sqrt(
            np.sin((lat[:, None] - lat) / 2) ** 2
            + np.cos(lat[:, None]) * np.cos(lat) * np.sin((lon[:, None] - lon) / 2) ** 2
        )
    )
    distance = 6371 * (angle if metric == "great_circle" else 2 * np.sin(angle / 2))
    sigma = process.theta["sigma2"] * np.exp(-distance / 300) + 0.2 * np.eye(60)
    loglik = -0.5 * (
        60 * np.log(2 * np.pi) + np.linalg.slogdet(sigma)[1] + z @ np.linalg.solve(sigma, z)
    )
    assert process.loglik == pytest.approx(loglik, rel=1e-9)


def test_given_covariance(field, process):
    """Bits of the fitted process, and its likelihood, from its estimates alone."""
    xy, z = field
    covariance = {"family": "matern12", **process.theta}
    given = ts.gp.given(xy, z, covariance=covariance, mean="zero", likelihood=True)
    assert given.loglik == pytest.approx(process.loglik, rel=1e-12)
    assert np.isnan(ts.gp.given(xy, z, covariance=covariance, mean="zero").loglik)
    targets = np.random.default_rng(6).random((40, 2))
    found, same = given.predict(targets), process.predict(targets)
    np.testing.assert_array_equal(found.mean, same.mean)
    np.testing.assert_array_equal(found.variance, same.variance)
    turned = {
        "family": "matern32",
        "sigma2": 1.5,
        "ranges": [0.3, 0.2],
        "angle": 0.4,
        "nugget": 0.1,
    }
    assert list(ts.gp.given(xy, z, covariance=turned).theta) == [
        "sigma2",
        "beta_1",
        "beta_2",
        "angle",
        "nugget",
    ]
    assert np.isfinite(ts.gp.given(xy, z, covariance=turned).predict(targets).std).all()
    with pytest.raises(ts.InputError, match="give all of its numbers"):
        ts.gp.given(xy, z, covariance={"family": "matern32", "sigma2": 1.0})


def from_other_folds(z, fold, sigma, trend):
    """Means and variances of each observation by universal kriging, from dense algebra; sigma
    (n, n): with the errors of the observations, trend (n, columns): of the mean."""
    mean, variance = np.empty(len(z)), np.empty(len(z))
    for one in np.unique(fold):
        inside, rest = fold == one, fold != one
        cross = sigma[np.ix_(inside, rest)]
        within, x = sigma[np.ix_(rest, rest)], trend[rest]
        weights, solved = np.linalg.solve(within, cross.T), np.linalg.solve(within, x)
        information, left = x.T @ solved, trend[inside] - cross @ solved
        coefficients = np.linalg.solve(information, solved.T @ z[rest])
        mean[inside] = weights.T @ z[rest] + left @ coefficients
        variance[inside] = np.diag(sigma)[inside] - np.einsum("ij,ji->i", cross, weights)
        variance[inside] += np.einsum("ij,ji->i", left, np.linalg.solve(information, left.T))
    return mean, variance


def scores_of(z, mean, variance):
    """By their definitions for Gaussian laws."""
    u = (z - mean) / np.sqrt(variance)
    phi = np.exp(-u * u / 2) / math.sqrt(2 * math.pi)
    below = np.array([math.erfc(-x / math.sqrt(2)) / 2 for x in u])
    crps = np.sqrt(variance) * (u * (2 * below - 1) + 2 * phi - 1 / math.sqrt(math.pi))
    mspe = ((z - mean) ** 2).mean()
    return {
        "rmse": math.sqrt(mspe),
        "mspe": mspe,
        "crps": crps.mean(),
        "log_score": (np.log(2 * math.pi * variance) / 2 + u * u / 2).mean(),
        "coverage_95": (np.abs(u) < 1.959963984540054).mean(),
        "mean_squared_standardised_error": (u * u).mean(),
    }


def check_cross_validation(found, z, sigma, trend):
    mean, variance = from_other_folds(z, found.fold, sigma, trend)
    np.testing.assert_array_equal(found.observed, z)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found.variance, variance, rtol=1e-8)
    np.testing.assert_array_equal(found.std, np.sqrt(found.variance))
    expected = scores_of(z, mean, variance)
    assert list(found.scores) == list(expected)
    for name, value in expected.items():
        assert found.scores[name] == pytest.approx(value, rel=1e-8), name


ROUGH = {"family": "matern12", "sigma2": 2.0, "beta": 0.3}


def exponential(xy):
    """The covariance of ROUGH without a nugget."""
    return 2 * np.exp(-np.sqrt(((xy[:, None] - xy) ** 2).sum(-1)) / 0.3)


def test_cross_validation(field):
    """Means, variances and scores against dense algebra of NumPy: methods, means, errors, folds."""
    xy, z = field
    none, one, n = np.empty((len(z), 0)), np.ones((len(z), 1)), len(z)
    errors = np.linspace(0.05, 0.5, n)
    rain = np.sin(9 * xy[:, 0])
    quadratic = np.column_stack([one, xy, xy**2, xy[:, 0] * xy[:, 1]])
    noisy = {**ROUGH, "nugget": 0.1}
    whole = {"vecchia": {"neighbours": n - 1, "prediction_neighbours": n}}
    for folds, added, trend, arguments in (
        (10, 0.1, one, {"covariance": noisy}),
        (7, errors, quadratic, {"mean": "quadratic", "error_variance": errors}),
        (0, 0.1, none, {"covariance": noisy, "mean": "zero"}),
        (2, 0.1, none, {"covariance": noisy, "mean": "zero", "method": whole}),
        (
            4,
            0.0,
            np.column_stack([one, rain]),
            {
                "mean": {"coordinates": "constant", "covariates": ["rain"]},
                "covariates": {"rain": rain},
            },
        ),
    ):
        process = ts.gp.given(xy, z, **{"covariance": ROUGH, **arguments})
        found = process.cross_validate(folds, seed=3)
        sizes = np.bincount(found.fold)
        assert len(sizes) == (folds or n) and np.ptp(sizes) <= 1
        check_cross_validation(found, z, exponential(xy) + np.diag(np.full(n, added)), trend)
    assert isinstance(found, ts.gp.CrossValidation) and found.results.attrs["app"] == "gp"
    assert repr(found).startswith("CrossValidation(4 folds of 150 observations: rmse = ")
    same, other = (process.cross_validate(4, seed=seed) for seed in (3, 4))
    np.testing.assert_array_equal(same.mean, found.mean)
    assert (other.fold != found.fold).any()


def test_cross_validation_in_space_and_time(field):
    xy, z = field
    time = np.arange(len(z)) % 5 / 2
    covariance = {**ROUGH, "beta_time": 1.5, "nugget": 0.1}
    found = ts.gp.given(xy, z, time=time, covariance=covariance).cross_validate(8)
    in_time = np.exp(-np.abs(time[:, None] - time) / 1.5)
    sigma = exponential(xy) * in_time + 0.1 * np.eye(len(z))
    check_cross_validation(found, z, sigma, np.ones((len(z), 1)))


def test_cross_validation_of_groupings(field):
    """Folds of observations, and of the levels of a grouping, which are new then."""
    xy, z = field
    site, year = np.arange(len(z)) % 13, np.arange(len(z)) % 4
    process = ts.gp.given(
        xy,
        z,
        covariance={**ROUGH, "nugget": 0.1},
        groups={"site": [f"s{k}" for k in site], "year": year},
        group_variance={"site": 0.5, "year": 0.2},
    )
    sigma = exponential(xy) + 0.1 * np.eye(len(z))
    sigma += 0.5 * (site[:, None] == site) + 0.2 * (year[:, None] == year)
    for folds, by, count in ((5, None, 5), (4, "site", 4), (0, "site", 13)):
        found = process.cross_validate(folds, by=by, seed=1)
        assert found.fold.max() == count - 1
        check_cross_validation(found, z, sigma, np.ones((len(z), 1)))
        if by:
            assert all(np.ptp(found.fold[site == k]) == 0 for k in range(13))


def test_cross_validation_of_variables(field):
    """Each observation of two variables, which are correlated, by cokriging from the others."""
    xy, z = field
    missing = np.arange(len(z)) % 3 == 0
    both = np.stack([z, np.where(missing, np.nan, 2 * z + xy[:, 0])], axis=1)
    variance, nugget, rho = np.array([2.0, 3.0]), np.array([0.1, 0.2]), 0.7
    process = ts.gp.given(
        xy,
        both,
        covariance={
            "variables": 2,
            "sigma2": variance,
            "beta": 0.3,
            "nu": 0.5,
            "rho": rho,
            "nugget": nugget,
        },
    )
    found = process.cross_validate(6, seed=2)
    there = ~np.isnan(both)
    for array in (found.observed, found.mean, found.variance):
        np.testing.assert_array_equal(np.isnan(array), ~there)
    np.testing.assert_array_equal(found.fold == -1, ~there)
    np.testing.assert_array_equal(found.observed, both)
    of, place = np.nonzero(there.T)
    cross = np.where(of[:, None] == of, 1, rho) * np.sqrt(np.outer(variance[of], variance[of]))
    sigma = cross * exponential(xy)[np.ix_(place, place)] / 2 + np.diag(nugget[of])
    trend = np.stack([of == 0, of == 1], axis=1).astype(float)
    fold = found.fold[place, of]
    mean, spread = from_other_folds(both[place, of], fold, sigma, trend)
    np.testing.assert_allclose(found.mean[place, of], mean, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found.variance[place, of], spread, rtol=1e-8)
    for v in range(2):
        for name, value in scores_of(
            both[place, of][of == v], mean[of == v], spread[of == v]
        ).items():
            assert found.scores[name][v] == pytest.approx(value, rel=1e-8), name


@pytest.mark.filterwarnings("ignore::tessera.TesseraWarning")
def test_cross_validation_of_replicates(field, optimizer):
    """Of one theta, and of one for each; a row with a gap is left out of all."""
    xy, z = field
    both = np.stack([z, 3 * z[::-1]], axis=1)
    joint = ts.gp.given(xy, both, covariance={**ROUGH, "nugget": 0.1}).cross_validate(5)
    assert joint.mean.shape == joint.variance.shape == joint.observed.shape == (150, 2)
    for k in range(2):
        alone = ts.gp.given(xy, both[:, k], covariance={**ROUGH, "nugget": 0.1}).cross_validate(5)
        np.testing.assert_array_equal(joint.fold, alone.fold)
        np.testing.assert_array_equal(joint.mean[:, k], alone.mean)
        np.testing.assert_array_equal(joint.variance[:, k], alone.variance)
        assert {name: value[k] for name, value in joint.scores.items()} == alone.scores
    both[7, 1] = np.nan
    process = ts.gp.fit(
        xy,
        both,
        covariance={"family": "matern12", "nugget": 0.1},
        options={"replicates": "separate"},
        missing="drop",
    )
    found, kept = process.cross_validate(5), np.arange(150) != 7
    assert np.isnan(found.mean[7]).all() and found.fold[7] == -1
    for k in range(2):
        theta = {name: value[k] for name, value in process.theta.items()}
        alone = ts.gp.given(xy[kept], both[kept, k], covariance={"family": "matern12", **theta})
        np.testing.assert_array_equal(found.mean[kept, k], alone.cross_validate(5).mean)


def test_cross_validation_of_missing_and_averaged_observations(field):
    """What is left out, or averaged with an earlier observation at its place, has NaN."""
    xy, z = field
    gap = z.copy()
    gap[[3, 77]] = np.nan
    kept = ~np.isnan(gap)
    plain = ts.gp.given(xy[kept], z[kept], covariance=ROUGH).cross_validate(5)
    found = ts.gp.given(xy, gap, covariance=ROUGH, missing="drop").cross_validate(5)
    assert np.isnan(found.mean[~kept]).all() and (found.fold[~kept] == -1).all()
    np.testing.assert_array_equal(found.mean[kept], plain.mean)
    np.testing.assert_array_equal(found.fold[kept], plain.fold)
    assert found.scores == plain.scores
    twice = np.vstack([xy[:4], xy[2:3], xy[4:], xy[2:3] + 1e-12, xy[9:10]])
    values = np.concatenate([z[:4], [7.0], z[4:], [8.0, 9.0]])
    averaged = z.copy()
    averaged[2], averaged[9] = (z[2] + 7 + 8) / 3, (z[9] + 9) / 2
    plain = ts.gp.given(xy, averaged, covariance=ROUGH).cross_validate(5)
    found = ts.gp.given(twice, values, covariance=ROUGH, duplicates="average").cross_validate(5)
    kept = ~np.isin(np.arange(153), [4, 151, 152])
    assert np.isnan(found.observed[~kept]).all() and (found.fold[~kept] == -1).all()
    np.testing.assert_allclose(found.observed[kept], averaged, rtol=1e-15)
    np.testing.assert_allclose(found.mean[kept], plain.mean, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("metric", ["great_circle", "chordal"])
def test_cross_validation_on_the_sphere(metric):
    """Longitudes beyond a half turn are found again, of repeated places the first."""
    random = np.random.default_rng(1)
    places = np.column_stack([random.uniform(40, 60, 60), random.uniform(170, 190, 60)])
    places[5, 1] = 185
    z = random.standard_normal(61)
    twice = np.vstack([places, places[5:6] - [0, 360]])
    covariance = {"family": "matern12", "metric": metric, "sigma2": 1.0, "beta": 300.0}
    found = ts.gp.given(twice, z, covariance=covariance, duplicates="average").cross_validate(6)
    values = np.append(z[:5], [(z[5] + z[60]) / 2, *z[6:60]])
    plain = ts.gp.given(places, values, covariance=covariance).cross_validate(6)
    assert found.fold[60] == -1
    np.testing.assert_allclose(found.mean[:60], plain.mean, rtol=1e-10, atol=1e-12)


def test_cross_validation_of_tables(field):
    """Series with the index of the points, or of the values."""
    pandas = pytest.importorskip("pandas", reason="there is no pandas")
    xy, z = field
    index = [f"site {k}" for k in range(150)]
    points, values = pandas.DataFrame(xy, index, ["x", "y"]), pandas.Series(z, index)
    plain = ts.gp.given(xy, z, covariance=ROUGH).cross_validate()
    for process in (
        ts.gp.given(points, z, covariance=ROUGH),
        ts.gp.given(xy, values, covariance=ROUGH),
    ):
        found = process.cross_validate()
        for name in ("observed", "mean", "variance", "std", "fold"):
            column = getattr(found, name)
            assert list(column.index) == index, name
            np.testing.assert_array_equal(column, getattr(plain, name))
        assert found.fold.dtype == int and repr(found) == repr(plain)


@pytest.mark.parametrize("method", ["exact", "vecchia"])
def test_cross_validation_has_the_bits_of_the_program(
    field, optimizer, backend, programs, tmp_path, method
):
    process = fit_as_the_program(
        field, backend, programs, tmp_path, method, "cross_validation: {folds: 7}\n", seed=4
    )
    found = process.cross_validate(7, seed=4, backend=backend)
    with h5py.File(tmp_path / "in.h5") as file:
        group = file["results/cross_validation"]
        for name in ("mean", "variance", "fold"):
            np.testing.assert_array_equal(getattr(found, name), group[name])
        for name, key in (("mspe", "mspe"), ("crps", "crps"), ("nlpd", "log_score")):
            assert found.scores[key] == group.attrs[name]


def test_wrong_arguments_of_cross_validations(field):
    xy, z = field
    process = ts.gp.given(xy, z, covariance=ROUGH)
    labels = {"site": np.arange(len(z)) % 13}
    grouped = ts.gp.given(
        xy,
        z,
        covariance={**ROUGH, "nugget": 0.1},
        groups=labels,
        group_variance={"site": 0.5},
    )
    for call, message in (
        (lambda: process.cross_validate(1), "^one fold leaves nothing to predict from"),
        (lambda: process.cross_validate(-1), "^'folds' is -1"),
        (lambda: process.cross_validate(2.5), "^expected an integer for 'folds', found '2.5'"),
        (lambda: process.cross_validate("ten"), "^expected an integer for 'folds', .*ten"),
        (lambda: process.cross_validate(5, by="site"), "^by is 'site', .*: none\n"),
        (lambda: grouped.cross_validate(5, by="lot"), "^by is 'lot', .*: site\n"),
        (lambda: grouped.cross_validate(0), "^with groupings .*give a number of folds"),
    ):
        with pytest.raises(ts.InputError, match=message) as caught:
            call()
        assert "input:" not in str(caught.value) and "cross_validation" not in str(caught.value)


def test_covariates_that_nothing_is_made_of():
    """A fit that leaves covariates out says so, in the terms of this module."""
    xy, random = np.random.default_rng(3).random((30, 2)), np.random.default_rng(4)
    values, options = random.standard_normal(30), {"max_evaluations": 3, "standard_errors": "none"}
    with pytest.warns(UserWarning) as caught:
        ts.gp.fit(
            xy,
            values,
            covariance={"family": "matern32"},
            covariates={"e": xy[:, 0]},
            options=options,
        )
    text = "\n".join(str(warning.message) for warning in caught)
    assert "the columns of covariates are not used: name them in mean={" in text


def test_processes_are_pickled_and_copied(process, field):
    targets = np.random.default_rng(7).random((5, 2))
    for again in (pickle.loads(pickle.dumps(process)), copy.deepcopy(process)):
        np.testing.assert_array_equal(
            again.predict(targets).variance, process.predict(targets).variance
        )
        assert again.theta == process.theta and again.results.attrs == process.results.attrs
    folds = process.cross_validate(3, seed=1)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(folds)).mean, folds.mean)


@pytest.mark.parametrize(
    "option, remedy",
    [
        ({"covariance": "matern32"}, '{"family": "matern32"}'),
        ({"covariance": [1]}, '{"family": "matern32"}'),
        ({"options": "x"}, '{"starts": 3}'),
        ({"likelihood": 5}, '"poisson"'),
        ({"marginal": 5}, '"tukey_g_and_h"'),
        ({"mean": None}, 'mean="zero"'),
        ({"mean": 5}, 'mean="zero"'),
        ({"covariates": 5}, '{"elevation": elevation}'),
        ({"covariates": [1, 2]}, '{"elevation": elevation}'),
        ({"groups": 5}, '{"site": sites}'),
        ({"backend": 3}, "'cuda'"),
        ({"verbose": "x"}, "True or False"),
        ({"seed": "a"}, "whole number from 0"),
        ({"seed": 1.5}, "whole number from 0"),
    ],
    ids=str,
)
def test_arguments_of_other_types(field, option, remedy):
    with pytest.raises(ts.ArgumentTypeError, match=re.escape(remedy)):
        ts.gp.fit(*field, **option)


def test_numbers_of_calls(field, process):
    for seed in (-1, 2**64):
        for call in (
            lambda: ts.gp.fit(*field, seed=seed),
            lambda: process.predict(field[0], seed=seed),
            lambda: process.cross_validate(seed=seed),
        ):
            with pytest.raises(ts.InputError, match="seed is .* whole number from 0"):
                call()
    for draws in (1.9, "a", -1):
        with pytest.raises(ts.InputError, match="draws is .* whole number from 0 to 10000"):
            process.predict(field[0], draws=draws)
    assert process.predict(field[0][:2] + 0.01, draws=3.0).draws.shape == (2, 3)


def test_tables_of_other_indices(field):
    """Elements go together by their places, and labels that say otherwise are not passed over."""
    pandas = pytest.importorskip("pandas", reason="there is no pandas")
    xy, z = field
    table, covariance = pandas.DataFrame(xy, columns=["x", "y"]), {"sigma2": 2.0, "beta": 0.3}
    covariance["family"] = "matern12"
    turned = pandas.Series(z, index=table.index[::-1])
    with pytest.raises(ts.InputError, match="other indices"):
        ts.gp.given(table, turned, covariance=covariance)
    with pytest.raises(ts.InputError, match="other indices"):
        ts.gp.given(table, z, covariance=covariance, error_variance=turned**2)
    with pytest.raises(ts.InputError, match="other indices"):
        ts.gp.fit(table, z, groups={"site": turned})
    found = ts.gp.given(table, pandas.Series(z), covariance=covariance)
    assert found.predict(table[:3] + 0.01).mean.index.equals(table.index[:3])
    with pytest.raises(ts.InputError, match="other indices"):
        found.predict(table, covariates={"elevation": turned})

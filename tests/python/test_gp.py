# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.gp: closed forms of kriging, the bits of tessera-gp, wrong arguments."""

import subprocess

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


def test_likelihood_and_kriging(field, process):
    """Against dense algebra of NumPy, with the estimates."""
    xy, z = field
    sigma2, beta = process.theta["sigma2"], process.theta["beta"]

    def covariance(a, b):
        return sigma2 * np.exp(-np.sqrt(((a[:, None] - b) ** 2).sum(-1)) / beta)

    sigma = covariance(xy, xy)
    loglik = -0.5 * (len(z) * np.log(2 * np.pi) + np.linalg.slogdet(sigma)[1] + z @ np.linalg.solve(sigma, z))
    assert process.loglik == pytest.approx(loglik, rel=1e-10)
    targets = np.random.default_rng(6).random((40, 2))
    found = process.predict(targets)
    cross = covariance(targets, xy)
    np.testing.assert_allclose(found.mean, cross @ np.linalg.solve(sigma, z), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found.variance, sigma2 - np.einsum("ij,ji->i", cross, np.linalg.solve(sigma, cross.T)), rtol=1e-8)
    np.testing.assert_array_equal(found.std, np.sqrt(found.variance))
    draws = process.predict(targets[:5], draws=3, seed=1).draws
    assert draws.shape == (5, 3) and np.isfinite(draws).all()


@pytest.mark.parametrize("method", ["exact", "vecchia"])
def test_bits_of_the_program(field, optimizer, backend, programs, tmp_path, method):
    xy, z = field
    np.save(tmp_path / "data.npy", np.column_stack([xy, z]))
    np.save(tmp_path / "targets.npy", xy[:20] + 0.01)
    (tmp_path / "in.yaml").write_text(f"app: gp\nmethod: {method}\ndata: {{file: data.npy, coordinates: ['1', '2'], values: ['3']}}\n"
                                      "covariance: {family: matern, nugget: 0.1}\nfit: {fixed: [nu], start: [1, 0.2, 0.7, 0.1]}\n"
                                      "predict: {points: {file: targets.npy, coordinates: ['1', '2']}, of: observation}\n")
    subprocess.run([programs / "tessera-gp", "in.yaml", "--backend", backend, "-q"], cwd=tmp_path, check=True)
    process = ts.gp.fit(xy, z, method=method, covariance={"family": "matern", "nugget": 0.1},
                        options={"fixed": ["nu"], "start": [1, 0.2, 0.7, 0.1]}, backend=backend)
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
    np.testing.assert_allclose(found.mean, [[np.sin(1.5), np.cos(1.5)], [np.sin(3), np.cos(3)]], atol=0.1)


def test_wrong_arguments(field, process):
    xy, z = field
    for points, values, why in ((xy, z[:-1], "150 points"), (np.zeros((9, 4)), z[:9], "1 to 3 coordinates"), (xy, np.where(z > 1, np.nan, z), "missing|finite|NaN"),
                                (np.vstack([xy, xy[:1]]), np.append(z, 0), "same|duplicate")):
        with pytest.raises(ts.InputError, match=why):
            ts.gp.fit(points, values)
    with pytest.raises(ts.InputError, match="coordinates for points"):
        process.predict([0.5, 0.6])
    with pytest.raises(ts.InputError, match="unknown key 'colour'"):
        ts.gp.fit(xy, z, covariance={"colour": 1})


def test_covariances_that_predict(field, optimizer):
    """Every way to give ranges: a fit predicts with its own estimates, as the dense algebra of NumPy does."""
    xy, z = field
    random = np.random.default_rng(8)
    xyz = random.random((60, 3))
    cases = [(xy[:60], {"ranges": [0.3, 0.2]}), (xy[:60], {"beta": [0.3, 0.2]}), (xy[:60], {"beta": [0.3, 0.2], "angle": 0.3}),
             (xyz, {"beta": [0.3, 0.2, 0.4]}), (xyz, {"ranges": [0.3, 0.2, 0.1], "angle": [0.1, 0.2, 0.3]})]
    for points, ranges in cases:
        found = ts.gp.fit(points, z[:60], covariance={"family": "matern12", "nugget": 0.1, **ranges}, mean="zero",
                          options={"fixed": ["nugget"], "max_evaluations": 60})
        targets = points[:4] + 0.01
        lengths = np.array([found.theta[f"beta_{k + 1}"] for k in range(points.shape[1])])
        if any(name.startswith("angle") for name in found.theta):
            assert np.isfinite(found.predict(targets).mean).all()
            continue

        def correlation(a, b, lengths=lengths):
            return np.exp(-np.sqrt((((a[:, None] - b) / lengths) ** 2).sum(-1)))

        sigma = found.theta["sigma2"] * correlation(points, points) + 0.1 * np.eye(60)
        expected = found.theta["sigma2"] * correlation(targets, points) @ np.linalg.solve(sigma, z[:60])
        np.testing.assert_allclose(found.predict(targets).mean, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("metric", ["great_circle", "chordal"])
def test_on_the_sphere(optimizer, metric):
    """Latitudes and longitudes; whole turns of a longitude change nothing, also across the date line."""
    random = np.random.default_rng(1)
    places = np.c_[random.uniform(40, 60, 60), random.uniform(175, 185, 60)]
    z = random.standard_normal(60)
    options = {"fixed": ["beta", "nugget"]}
    covariance = {"family": "matern12", "metric": metric, "beta": 300.0, "nugget": 0.2}
    fits = []
    for turn in (lambda x: x, lambda x: (x + 180) % 360 - 180, lambda x: x - 360):
        turned = np.c_[places[:, 0], turn(places[:, 1])]
        process = ts.gp.fit(turned, z, covariance=covariance, mean="zero", options=options)
        fits.append((process.loglik, *process.predict([[50.0, turn(180.0)], [45.0, turn(178.0)]]).mean))
    np.testing.assert_allclose(fits[1:], [fits[0]] * 2, rtol=1e-9)
    lat, lon = np.radians(places).T
    angle = 2 * np.arcsin(np.sqrt(np.sin((lat[:, None] - lat) / 2) ** 2 + np.cos(lat[:, None]) * np.cos(lat) * np.sin((lon[:, None] - lon) / 2) ** 2))
    distance = 6371 * (angle if metric == "great_circle" else 2 * np.sin(angle / 2))
    sigma = process.theta["sigma2"] * np.exp(-distance / 300) + 0.2 * np.eye(60)
    loglik = -0.5 * (60 * np.log(2 * np.pi) + np.linalg.slogdet(sigma)[1] + z @ np.linalg.solve(sigma, z))
    assert process.loglik == pytest.approx(loglik, rel=1e-9)
    with pytest.raises(ts.InputError, match="latitude and longitude"):
        ts.gp.fit(random.random((20, 3)), z[:20], covariance=covariance)


def test_missing_repeated_and_uncertain_observations(field, optimizer):
    xy, z = field
    gaps = z.copy()
    gaps[[3, 70]] = np.nan
    covariance, kept = {"family": "matern12"}, ~np.isnan(gaps)
    with pytest.raises(ts.InputError, match="data.missing"):
        ts.gp.fit(xy, gaps, covariance=covariance)
    dropped, without = ts.gp.fit(xy, gaps, covariance=covariance, missing="drop"), ts.gp.fit(xy[kept], z[kept], covariance=covariance)
    assert dropped.theta == without.theta
    masked = np.ma.masked_invalid(np.where(kept, z, -999.0), copy=True)
    masked[~kept] = np.ma.masked
    assert ts.gp.fit(xy, masked, covariance=covariance, missing="drop").theta == without.theta
    np.testing.assert_array_equal(dropped.predict(xy[:5] + 0.01).mean, without.predict(xy[:5] + 0.01).mean)
    twice, values = np.vstack([xy, xy[:1]]), np.append(z, z[0] + 1)
    with pytest.raises(ts.InputError, match="place"):
        ts.gp.fit(twice, values, covariance=covariance)
    averaged = ts.gp.fit(twice, values, covariance=covariance, duplicates="average")
    assert averaged.theta == ts.gp.fit(xy, np.append(z[0] + 0.5, z[1:]), covariance=covariance).theta
    errors = ts.gp.fit(xy, z, error_variance=np.full(len(z), 0.3), covariance=covariance)
    nugget = ts.gp.fit(xy, z, covariance={**covariance, "nugget": 0.3}, options={"fixed": ["nugget"]})
    assert errors.loglik == pytest.approx(nugget.loglik, rel=1e-7)
    with pytest.raises(ts.InputError, match="error_variance"):
        ts.gp.fit(xy, z, error_variance=[0.3])


def test_replicates_that_are_fitted_one_by_one(field, optimizer):
    xy, z = field
    both = ts.gp.fit(xy, np.c_[z, 2 * z], covariance={"family": "matern12"}, options={"replicates": "separate"})
    alone = ts.gp.fit(xy, 2 * z, covariance={"family": "matern12"})
    assert len(both.loglik) == len(both.converged) == 2 and both.theta["sigma2"][1] == pytest.approx(alone.theta["sigma2"], rel=1e-4)
    assert "2 replicates" in repr(both) and repr(both).count("log-likelihood") == 2
    with pytest.raises(ts.InputError, match="one by one"):
        both.predict(xy[:2])

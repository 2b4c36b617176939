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

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.gstools beside GSTools itself. Skipped without it."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import tessera as ts


def test_without_gstools():
    """What is missing is named, with the command that installs it."""
    code = "import sys; sys.modules['gstools'] = None\nimport tessera.gstools"
    run = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False
    )
    assert "pip install gstools" in run.stderr


gs = pytest.importorskip("gstools", reason="there is no GSTools: pip install gstools")

import tessera.gstools as tg  # noqa: E402

RANDOM = np.random.default_rng(4)
PLACES = RANDOM.random((2, 60)) * 10
VALUES = np.sin(PLACES[0]) + 0.3 * PLACES[1] + 0.2 * RANDOM.standard_normal(60)
TARGETS = RANDOM.random((2, 40)) * 10

MODELS = {
    "gaussian": lambda: gs.Gaussian(dim=2, var=1.5, len_scale=0.7, nugget=0.1),
    "exponential": lambda: gs.Exponential(dim=2, var=0.8, len_scale=3.0),
    "matern": lambda: gs.Matern(dim=2, var=2.0, len_scale=2.0, nu=1.3, nugget=0.05),
    "matern of a closed form": lambda: gs.Matern(dim=2, var=2.0, len_scale=2.0, nu=1.5),
    "stable": lambda: gs.Stable(dim=2, var=1.1, len_scale=2.5, alpha=1.2, nugget=0.02),
    "turned": lambda: gs.Matern(
        dim=2, var=1.0, len_scale=[4.0, 1.0], angles=0.6, nu=0.8, nugget=0.1
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_covariances(name):
    """Of points that the model has made isotropic."""
    model = MODELS[name]()
    far = [[0.0, 0.0], [1e6, 0.0]]
    process = ts.gp.given(far, [1.0, 0.0], covariance=tg.covariance(model), mean="zero")
    places = model.isometrize(TARGETS)
    mean = process.predict(places.T).mean  # covariance by variance
    right = model.correlation(np.sqrt((places**2).sum(axis=0)))
    np.testing.assert_allclose(mean, right, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", ["Ordinary", "Simple"])
@pytest.mark.parametrize("name", MODELS)
def test_kriging(name, kind):
    options = {"mean": 1.4} if kind == "Simple" else {}
    ours = getattr(tg, kind)(MODELS[name](), PLACES, VALUES, **options)
    theirs = getattr(gs.krige, kind)(MODELS[name](), PLACES, VALUES, **options)
    for mesh, at in (("unstructured", TARGETS), ("structured", (np.arange(4.0), np.arange(3.0)))):
        field, variance = ours(at, mesh_type=mesh)
        right, of_right = theirs(at, mesh_type=mesh)
        assert field.shape == right.shape
        np.testing.assert_allclose(field, right, atol=1e-8)
        np.testing.assert_allclose(variance, of_right, atol=1e-8)
    assert ours.get_mean() == pytest.approx(theirs.get_mean(), abs=1e-8)
    assert np.array_equal(ours.field, field)  # stored, as there


@pytest.mark.parametrize("drift", ["linear", "quadratic"])
@pytest.mark.parametrize("name", ["exponential", "turned"])
def test_drifts(name, drift):
    ours = tg.Universal(MODELS[name](), PLACES, VALUES, drift)
    theirs = gs.krige.Universal(MODELS[name](), PLACES, VALUES, drift)
    for found, right in zip(ours(TARGETS), theirs(TARGETS)):
        np.testing.assert_allclose(found, right, atol=1e-8)
    assert ours.get_mean() is None and theirs.get_mean() is None
    with pytest.raises(ts.InputError, match="only_mean"):
        ours(TARGETS, only_mean=True)


def test_errors_and_exact_values():
    model = MODELS["matern"]
    errors = np.linspace(0.01, 0.05, 60)
    for options in ({"cond_err": errors}, {"cond_err": 0.03}, {"exact": True}):
        ours = tg.Ordinary(model(), PLACES, VALUES, **options)
        theirs = gs.krige.Ordinary(model(), PLACES, VALUES, **options)
        at = np.hstack([TARGETS, PLACES[:, :5]])
        for found, right in zip(ours(at), theirs(at)):
            np.testing.assert_allclose(found, right, atol=1e-8)


def test_the_sphere_and_transformed_data():
    model = gs.Matern(
        latlon=True, var=1.0, len_scale=777.0, geo_scale=gs.KM_SCALE, nu=1.2, nugget=0.1
    )
    places = np.array([RANDOM.uniform(40, 60, 50), RANDOM.uniform(-10, 20, 50)])
    at = np.array([[45.0, 52.0], [3.0, 8.0]])
    options = {"normalizer": gs.normalizer.LogNormal(), "trend": lambda lat, lon: 0.01 * lat}
    values = np.exp(0.3 * RANDOM.standard_normal(50)) + 0.01 * places[0]
    ours = tg.Ordinary(model, places, values, **options)
    theirs = gs.krige.Ordinary(model, places, values, **options)
    for found, right in zip(ours(at), theirs(at)):
        np.testing.assert_allclose(found, right, atol=1e-8)


def test_random_fields():
    """Exact draws: the covariance of many is that of the model."""
    model = gs.Matern(dim=2, var=2.0, len_scale=2.0, nu=1.3, nugget=0.1)
    places = np.array([[0.0, 1.0, 3.0], [0.0, 0.5, 0.0]])
    srf = tg.SRF(model, mean=1.0, seed=1)
    fields = np.array([srf(places, seed=k) for k in range(400)])
    assert np.array_equal(srf(places, seed=7), fields[7])
    distance = np.sqrt(((places[:, :, None] - places[:, None]) ** 2).sum(0))
    right = model.covariance(distance) + 0.1 * np.eye(3)
    np.testing.assert_allclose(np.cov(fields.T), right, atol=0.5)
    assert abs(fields.mean() - 1) < 0.3
    grid = srf((np.arange(6.0), np.arange(5.0)), mesh_type="structured")
    assert grid.shape == (6, 5)
    twice = tg.SRF(MODELS["exponential"](), seed=2)(np.zeros((2, 3)))  # of one place
    assert np.ptp(twice) == 0


def test_what_is_not_taken():
    with pytest.raises(ts.InputError, match="Spherical of GSTools has no counterpart"):
        tg.Ordinary(gs.Spherical(dim=2), PLACES, VALUES)
    with pytest.raises(ts.InputError, match="linear or quadratic"):
        tg.Universal(MODELS["gaussian"](), PLACES, VALUES, lambda x, y: x)
    with pytest.raises(ts.ArgumentTypeError, match="mean_velocity"):
        tg.SRF(MODELS["gaussian"](), mean_velocity=2.0)
    for seed, text in ((-1, "seed is -1"), (2**63, "from 0 to"), (1.5, "whole number")):
        with pytest.raises(ts.InputError, match=text):
            tg.SRF(MODELS["gaussian"](), seed=seed)


def test_what_tunes_the_method_of_gstools_does_not_count():
    model = MODELS["matern"]()
    tuned = tg.SRF(model, seed=3, mode_no=100, sampling="inversion", verbose=False)
    assert np.array_equal(tuned(PLACES), tg.SRF(model, seed=3)(PLACES))


def test_one_seed_at_other_places():
    """Another realisation, which is said once."""
    for other in (PLACES[:, :9], TARGETS):
        srf = tg.SRF(MODELS["exponential"](), seed=5)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            first = srf(PLACES)
            assert np.array_equal(srf(PLACES), first)
            srf(PLACES, seed=6)
            srf(other, seed=7)
        with pytest.warns(ts.TesseraWarning, match="seed 5 has drawn .* in one call"):
            field = srf(other, seed=5)
        assert not np.isclose(field[:9], first[:9]).any()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            srf(other, seed=6)


def test_fields_that_are_smooth():
    """Of the first example of GSTools, and of a part that is drawn by Cholesky's method."""
    model = gs.Gaussian(dim=2, var=2.0, len_scale=10)
    for count in (100, 30):
        with pytest.warns(ts.TesseraWarning, match="nugget of 1e-10 of its variance"):
            grid = tg.SRF(model, seed=1)((range(count), range(count)), mesh_type="structured")
        assert grid.shape == (count, count) and 0.1 < grid.std() < 3
        steps = np.diff(grid, axis=0)
        assert np.mean(steps**2) / 2 == pytest.approx(model.variogram(1.0), rel=0.5)
        # The covariance 2 exp(-a d^2) has fourth derivatives of this deviation.
        deviation = np.sqrt(2 * 1680) * (np.pi / 400) ** 2
        assert np.sqrt(np.mean(np.diff(grid, 4, axis=0) ** 2)) < 2 * deviation
    with_nugget = gs.Gaussian(dim=2, var=2.0, len_scale=10, nugget=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        noisy = tg.SRF(with_nugget, seed=1)((range(30), range(30)), mesh_type="structured")
    assert (noisy - grid).var() == pytest.approx(0.5, rel=0.2)


def test_kriging_that_is_smooth():
    places, values = PLACES / 3, VALUES
    for kind, options in (("Ordinary", {}), ("Simple", {"mean": 1.4})):
        model = gs.Gaussian(dim=2, var=1.0, len_scale=10)
        with pytest.warns(ts.TesseraWarning, match="nugget of 1e-10 of its variance"):
            found = getattr(tg, kind)(model, places, values, **options)(TARGETS / 3)
        errors = {"cond_err": 1e-10, **options}
        right = getattr(tg, kind)(model, places, values, **errors)(TARGETS / 3)
        for a, b in zip(found, right):
            np.testing.assert_array_equal(a, b)
        assert np.isfinite(found).all()
        nugget = gs.Gaussian(dim=2, var=1.0, len_scale=10, nugget=0.5)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            getattr(tg, kind)(nugget, places, values, **options)(TARGETS / 3)

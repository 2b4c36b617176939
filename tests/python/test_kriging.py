# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.kriging: the systems of kriging, solved densely by NumPy; examples of textbooks; the
habits of PyKrige."""

import inspect
import warnings

import numpy as np
import pytest

import tessera as ts

pytest.importorskip(
    "scipy", reason="there is no SciPy: apt-get install python3-scipy, or pip install scipy"
)

from tessera.kriging import OrdinaryKriging, UniversalKriging  # noqa: E402

# Sill, range and nugget and what else a model has, with the variogram of the distance.
MODELS = {
    "linear": ([0.8, 0.1], lambda d: 0.8 * d + 0.1),
    "power": ([0.8, 1.4, 0.1], lambda d: 0.8 * d**1.4 + 0.1),
    "gaussian": ([1.2, 0.4, 0.1], lambda d: 1.1 * (1 - np.exp(-((d / (0.4 * 4 / 7)) ** 2))) + 0.1),
    "spherical": (
        [1.2, 0.4, 0.1],
        lambda d: 0.1
        + 1.1 * np.where(d < 0.4, 1.5 * d / 0.4 - 0.5 * np.minimum(d / 0.4, 1) ** 3, 1.0),
    ),
    "exponential": ([1.2, 0.4, 0.1], lambda d: 1.1 * (1 - np.exp(-d / (0.4 / 3))) + 0.1),
    "hole-effect": (
        [1.2, 0.9, 0.1],
        lambda d: 1.1 * (1 - (1 - d / 0.3) * np.exp(-d / 0.3)) + 0.1,
    ),
    "matern": (
        [1.2, 0.4, 0.1, 1.5],
        lambda d: 1.1 * (1 - (1 + d / 0.4) * np.exp(-d / 0.4)) + 0.1,
    ),
}


def data(count=60, seed=2):
    random = np.random.default_rng(seed)
    x, y = random.random((2, count))
    return x, y, np.sin(5 * x) + 2 * y + 0.1 * random.standard_normal(count)


def plane(a, b):
    return np.sqrt(((a[:, None] - b) ** 2).sum(-1))


def solve(points, z, targets, gamma, drifts=None, at_targets=None, exact=True, distance=plane):
    """The system of kriging as it is written: values and variances."""
    n, m = len(points), len(targets)
    f = np.ones((n, 1)) if drifts is None else np.column_stack([np.ones(n), drifts])
    f0 = np.ones((m, 1)) if drifts is None else np.column_stack([np.ones(m), at_targets])
    matrix = np.zeros((n + f.shape[1],) * 2)
    matrix[:n, :n] = gamma(distance(points, points))
    np.fill_diagonal(matrix, 0)
    matrix[:n, n:], matrix[n:, :n] = f, f.T
    d = distance(targets, points)
    right = np.column_stack([np.where((d == 0) & exact, 0.0, gamma(d)), f0])
    weights = np.linalg.solve(matrix, right.T)
    return weights[:n].T @ z, (right * weights.T).sum(axis=1)


def compare(found, values, variances, tolerance=1e-10):
    assert all(isinstance(part, np.ma.MaskedArray) for part in found)
    np.testing.assert_allclose(found[0].ravel(), values, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(found[1].ravel(), variances, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("exact", [True, False])
def test_ordinary_kriging(model, exact):
    """At points, of which two are observations, and on a grid."""
    (parameters, gamma), (x, y, z) = MODELS[model], data()
    kriging = OrdinaryKriging(
        x, y, z, variogram_model=model, variogram_parameters=parameters, exact_values=exact
    )
    points = np.stack([x, y], axis=1)
    targets = np.vstack([points[[3, 7]], np.random.default_rng(4).random((30, 2))])
    found = kriging.execute("points", *targets.T)
    compare(found, *solve(points, z, targets, gamma, exact=exact))
    if exact:
        np.testing.assert_allclose(found[0][:2], z[[3, 7]], rtol=1e-12)
        np.testing.assert_allclose(found[1][:2], 0, atol=1e-12)
    gx, gy = np.linspace(-0.2, 1.1, 9), np.linspace(0, 1, 6)
    grid = np.stack(np.meshgrid(gx, gy), axis=-1).reshape(-1, 2)
    values, variance = kriging.execute("grid", gx, gy)
    assert values.shape == variance.shape == (6, 9)
    compare((values, variance), *solve(points, z, grid, gamma, exact=exact))
    mask = grid[:, 0].reshape(6, 9) > 0.7
    for given in (mask, mask.T):
        masked = kriging.execute("masked", gx, gy, mask=given)
        np.testing.assert_array_equal(masked[0].mask, mask)
        np.testing.assert_allclose(masked[0].compressed(), values[~mask], rtol=1e-12)
        np.testing.assert_allclose(masked[1].compressed(), variance[~mask], rtol=1e-12)


@pytest.mark.parametrize("model", ["exponential", "linear"])
def test_anisotropy(model):
    (parameters, gamma), (x, y, z) = MODELS[model], data()
    kriging = OrdinaryKriging(
        x, y, z, model, parameters, anisotropy_scaling=2.5, anisotropy_angle=30
    )
    centre = np.array([x.max() + x.min(), y.max() + y.min()]) / 2
    angle = np.radians(30)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-2.5 * np.sin(angle), 2.5 * np.cos(angle)]])
    targets = np.random.default_rng(4).random((30, 2))
    points, moved = ((p - centre) @ turn.T for p in (np.stack([x, y], axis=1), targets))
    compare(kriging.execute("points", *targets.T), *solve(points, z, moved, gamma))
    # a turn by 90 degrees takes (1, 0) to (0, -1), and the stretch makes that (0, -2)
    cross = OrdinaryKriging(
        [1.0, 0, -1, 0],
        [0.0, 1, 0, -1],
        [1.0, 2, 3, 4],
        "linear",
        [1.0, 0.0],
        anisotropy_scaling=2.0,
        anisotropy_angle=90,
    )
    np.testing.assert_allclose(cross.X_ADJUSTED, [0, 1, 0, -1], atol=1e-15)
    np.testing.assert_allclose(cross.Y_ADJUSTED, [-2, 0, 2, 0], atol=1e-15)


def great_circle(a, b):
    """Degrees, by the cosine rule."""
    (u, v), (w, t) = np.radians(a).T, np.radians(b).T
    cosine = np.sin(v)[:, None] * np.sin(t) + np.cos(v)[:, None] * np.cos(t) * np.cos(
        u[:, None] - w
    )
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


@pytest.mark.parametrize("model", ["exponential", "spherical", "gaussian", "matern"])
def test_on_the_sphere(model):
    random = np.random.default_rng(6)
    places = np.column_stack([random.uniform(0, 360, 50), random.uniform(-80, 80, 50)])
    targets = np.column_stack([random.uniform(0, 360, 20), random.uniform(-80, 80, 20)])
    z = np.cos(np.radians(places[:, 1])) + 0.1 * random.standard_normal(50)
    parameters, gamma = MODELS[model]
    parameters = [parameters[0], 60 * parameters[1], *parameters[2:]]
    kriging = OrdinaryKriging(*places.T, z, model, parameters, coordinates_type="geographic")
    found = kriging.execute("points", *targets.T)
    dense = solve(places, z, targets, lambda d: gamma(d / 60), distance=great_circle)
    compare(found, *dense, tolerance=1e-8)  # the cosine rule loses digits of small distances
    compare(kriging.execute("points", *places[:3].T), z[:3], np.zeros(3))
    near = kriging.execute("points", *targets.T, n_closest_points=49)
    np.testing.assert_allclose(near[0], found[0], atol=0.05)


def test_distances_on_the_sphere():
    """Against those of geopy 1.11, also of neighbours and antipodes."""
    places = np.array([[7.0, 13.23], [7.0, 13.2301], [187.0, -13.23], [73.231, -79.3]])
    expected = [
        [0.0, 1e-4, 180.0, 98.744848317171801],
        [1e-4, 0.0, 179.9999, 98.744946828324345],
        [180.0, 179.9999, 0.0, 81.255151682828213],
        [98.744848317171801, 98.744946828324345, 81.255151682828213, 0.0],
    ]
    found = ts.kriging._great_circle(places, places)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_example_of_kitanidis():
    """Introduction to Geostatistics (1997), example 3.2: 1.6364 with the variance 0.4201."""
    kriging = OrdinaryKriging(
        [9.7, 43.8], [47.6, 24.6], [1.22, 2.822], "linear", {"slope": 0.006, "nugget": 0.1}
    )
    value, variance = kriging.execute("points", [18.8], [67.9])
    assert value[0] == pytest.approx(1.6364, rel=1e-4)
    assert variance[0] == pytest.approx(0.4201, rel=1e-4)
    value, variance = kriging.execute("points", [43.8], [24.6])
    assert value[0] == pytest.approx(2.822, rel=1e-12) and variance[0] == pytest.approx(
        0, abs=1e-15
    )


@pytest.mark.parametrize(
    "model, semivariances, expected",
    [
        ("linear", [1.0, 2.0, 3.0, 4.0], [1.0, 0.0]),
        ("power", [1.0, 2.8284, 5.1962, 8.0], [1.0, 1.5, 0.0]),
        ("power", [1.0, 1.4142, 1.7321, 2.0], [1.0, 0.5, 0.0]),
        ("exponential", [1.2642, 1.7293, 1.9004, 1.9634], [2.0, 3.0, 0.0]),
        ("gaussian", [0.5769, 1.4872, 1.9065, 1.9914], [2.0, 3.0, 0.0]),
        ("exponential", [3.33060952, 3.85063879, 3.96667301, 3.99256374], [3.0, 2.0, 1.0]),
        ("gaussian", [2.60487044, 3.85968813, 3.99694817, 3.99998564], [3.0, 2.0, 1.0]),
    ],
)
def test_fits_of_variograms(model, semivariances, expected):
    """Semivariances of these parameters at the distances 1 to 4, as PyKrige's tests have them."""
    found = ts.kriging._variograms.fit(model, np.arange(1.0, 5), np.array(semivariances), False)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)
    if model == "exponential":
        weighted = ts.kriging._variograms.fit(
            model, np.arange(1.0, 5), np.array(semivariances), True
        )
        np.testing.assert_allclose(weighted, expected, rtol=1e-2, atol=1e-2)


def test_sample_variogram():
    """Four points on a line, a distance of 1 apart: pairs of 1, 2 and 3 with 1/2, 2 and 9/2."""
    x = 1 + np.arange(4) / np.sqrt(2)
    kriging = OrdinaryKriging(x, x, np.arange(1.0, 5), "linear", [1.0, 0.0], nlags=6)
    np.testing.assert_allclose(kriging.lags, [1, 2, 3])
    np.testing.assert_allclose(kriging.semivariance, [0.5, 2, 4.5])
    np.testing.assert_allclose(kriging.get_variogram_points()[1], [1, 2, 3])
    fitted = OrdinaryKriging(*data(), "exponential", nlags=8, weight=True)
    assert len(fitted.variogram_model_parameters) == 3 and len(fitted.lags) == 8
    assert np.isfinite(fitted.execute("points", [0.5], [0.5])[1]).all()
    matern = OrdinaryKriging(*data(), "matern")
    assert len(matern.variogram_model_parameters) == 4


def test_means_of_the_sample_variogram():
    """They are NumPy's means of the pairs in their order, to the last bit: fits that are nearly
    undetermined hang on it."""
    x, y, z = data(40)
    kriging = OrdinaryKriging(x, y, z, "linear", [1.0, 0.0], nlags=5)
    first, second = np.triu_indices(40, 1)
    d = np.linalg.norm(np.stack([x[first] - x[second], y[first] - y[second]]), axis=0)
    g = 0.5 * (z[second] - z[first]) ** 2
    bins = np.minimum(5 * (d - d.min()) / (d.max() - d.min()), 4).astype(int)
    np.testing.assert_array_equal(kriging.semivariance, [g[bins == k].mean() for k in range(5)])
    np.testing.assert_allclose(kriging.lags, [d[bins == k].mean() for k in range(5)], rtol=1e-15)


def test_statistics():
    """Each point predicted from those before it."""
    (parameters, gamma), (x, y, z) = MODELS["spherical"], data(25)
    kriging = OrdinaryKriging(x, y, z, "spherical", parameters, enable_statistics=True)
    points, found = np.stack([x, y], axis=1), []
    for i in range(1, 25):
        value, variance = solve(points[:i], z[:i], points[i : i + 1], gamma)
        found.append((z[i] - value[0], np.sqrt(variance[0])))
    delta, sigma = np.array(found).T
    np.testing.assert_allclose(kriging.delta, delta, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(kriging.sigma, sigma, rtol=1e-9)
    np.testing.assert_allclose(
        kriging.get_epsilon_residuals(), delta / sigma, rtol=1e-9, atol=1e-12
    )
    q2 = ((delta / sigma) ** 2).sum() / 23
    expected = abs((delta / sigma).sum() / 23), q2, q2 * np.prod(sigma**2) ** (1 / 24)
    np.testing.assert_allclose(kriging.get_statistics(), expected, rtol=1e-9)


def wells(points):
    rows = [(0.2, 0.3, 1.5), (0.9, 0.8, -0.5)]
    return np.column_stack(
        [-s * np.log(np.hypot(points[:, 0] - a, points[:, 1] - b)) for a, b, s in rows]
    )


DRIFTS = {
    "regional_linear": ({}, lambda p: p),
    "point_log": ({"point_drift": [[0.2, 0.3, 1.5], [0.9, 0.8, -0.5]]}, wells),
    "external_Z": (
        {
            "external_drift": np.add.outer(np.linspace(0, 3, 11), np.linspace(0, 2, 6)),
            "external_drift_x": np.linspace(0, 1, 6),
            "external_drift_y": np.linspace(0, 1, 11),
        },
        lambda p: p @ [2, 3],
    ),
    "functional": (
        {"functional_drift": [lambda x, y: x**2, lambda x, y: x * y]},
        lambda p: np.column_stack([p[:, 0] ** 2, p[:, 0] * p[:, 1]]),
    ),
}


@pytest.mark.parametrize("term", DRIFTS)
@pytest.mark.parametrize("model", ["linear", "exponential", "gaussian"])
def test_universal_kriging(term, model):
    (parameters, gamma), (x, y, z) = MODELS[model], data()
    options, drift = DRIFTS[term]
    kriging = UniversalKriging(x, y, z, model, parameters, drift_terms=[term], **options)
    points = np.stack([x, y], axis=1)
    targets = np.vstack([points[:2], np.random.default_rng(4).random((30, 2))])
    dense = solve(points, z, targets, gamma, drift(points), drift(targets))
    compare(kriging.execute("points", *targets.T), *dense)
    own = UniversalKriging(
        x,
        y,
        z,
        model,
        parameters,
        drift_terms="specified",
        specified_drift=list(drift(points).reshape(60, -1).T),
    )
    given = list(drift(targets).reshape(32, -1).T)
    compare(own.execute("points", *targets.T, specified_drift_arrays=given), *dense)


def test_specified_drifts_of_a_grid():
    """Rows may be columns; what is no list of so many arrays is refused."""
    x, y, z = data()
    kriging = UniversalKriging(
        x, y, z, "linear", [0.8, 0.1], drift_terms=["specified"], specified_drift=[x, y]
    )
    gx, gy = np.linspace(0.1, 0.9, 5), np.linspace(0.1, 0.9, 4)
    drifts = list(np.meshgrid(gx, gy))
    expected = UniversalKriging(x, y, z, "linear", [0.8, 0.1], drift_terms=["regional_linear"])
    expected = expected.execute("grid", gx, gy)
    for given in (drifts, tuple(drifts), [drift.T for drift in drifts]):
        found = kriging.execute("grid", gx, gy, specified_drift_arrays=given)
        compare(found, *(part.ravel() for part in expected))
    for given, kind, text in (
        (None, ts.InputError, "missing\n.*a list of 2 arrays"),
        (gx, TypeError, "specified_drift_arrays is no list"),
        ([], ts.InputError, "specified_drift_arrays is empty"),
        (drifts[:1], ts.InputError, "has 1 arrays\n.*a list of 2"),
        ([gx, gy], ts.InputError, r"\(4, 5\)"),
    ):
        with pytest.raises(kind, match=text):
            kriging.execute("grid", gx, gy, specified_drift_arrays=given)


def test_external_drift_at_the_data():
    x, y, z = data()
    options = DRIFTS["external_Z"][0]
    kriging = UniversalKriging(x, y, z, "linear", [0.8, 0.1], drift_terms="external_Z", **options)
    np.testing.assert_allclose(kriging.z_scalars, 2 * x + 3 * y, rtol=1e-12)
    with pytest.raises(ts.InputError, match="points lie beyond"):
        UniversalKriging(x + 1, y, z, "linear", [0.8, 0.1], drift_terms="external_Z", **options)


def test_drifts_go_together():
    interpolate = pytest.importorskip("scipy.interpolate").RegularGridInterpolator
    (parameters, gamma), (x, y, z) = MODELS["spherical"], data()
    options = {name: value for own, _ in DRIFTS.values() for name, value in own.items()}
    options.update(specified_drift=[np.exp(x)])
    terms = [*DRIFTS, "specified"]
    plane_of_z = UniversalKriging(x, y, z, "spherical", parameters, drift_terms=terms, **options)
    gx, gy = np.linspace(0.05, 0.95, 5), np.linspace(0.1, 0.9, 4)
    given = {"specified_drift_arrays": [np.exp(np.meshgrid(gx, gy)[0])]}
    with pytest.raises(ts.NumericalError, match="drifts depend on each other"):
        plane_of_z.execute("grid", gx, gy, **given)  # external_Z is linear in the coordinates
    squares = options["external_drift"] ** 2
    options.update(external_drift=squares)
    kriging = UniversalKriging(x, y, z, "spherical", parameters, drift_terms=terms, **options)
    external = interpolate((options["external_drift_y"], options["external_drift_x"]), squares)

    def drifts(p):
        own = [DRIFTS[name][1](p) for name in ("regional_linear", "point_log", "functional")]
        return np.column_stack([*own, external(p[:, ::-1]), np.exp(p[:, 0])])

    grid = np.stack(np.meshgrid(gx, gy), axis=-1).reshape(-1, 2)
    points = np.stack([x, y], axis=1)
    found = kriging.execute("grid", gx, gy, **given)
    compare(found, *solve(points, z, grid, gamma, drifts(points), drifts(grid)), tolerance=1e-9)
    mask = np.eye(4, 5, dtype=bool)
    part = kriging.execute("masked", gx, gy, mask, **given)
    np.testing.assert_allclose(part[0].compressed(), found[0][~mask], rtol=1e-10)


def test_custom_variogram():
    x, y, z = data()
    kriging = OrdinaryKriging(x, y, z, "custom", [0.8, 0.1], lambda p, d: p[0] * d + p[1])
    targets = np.random.default_rng(4).random((9, 2))
    linear = OrdinaryKriging(x, y, z, "linear", [0.8, 0.1]).execute("points", *targets.T)
    compare(kriging.execute("points", *targets.T), *linear)


class ModelOfGSTools:
    """What a covariance model of GSTools says to PyKrige."""

    def __init__(self, field_dim=2, latlon=False):
        self.field_dim, self.latlon = field_dim, latlon
        self.pykrige_anis, self.pykrige_angle = (1.0, 0.0) if latlon else (2.5, 30.0)

    def pykrige_vario(self, args=None, r=0):
        return MODELS["spherical"][1](r / 60 if self.latlon else r)


def test_models_of_gstools():
    x, y, z = data()
    targets = np.random.default_rng(4).random((2, 9))
    model, turned = ModelOfGSTools(), {"anisotropy_scaling": 2.5, "anisotropy_angle": 30.0}
    parameters = MODELS["spherical"][0]
    expected = OrdinaryKriging(x, y, z, "spherical", parameters, **turned)
    expected = expected.execute("points", *targets)
    updated = OrdinaryKriging(x, y, z, "linear", [1.0, 0.0])
    assert updated.model is None
    updated.update_variogram_model(model)
    for kriging in (OrdinaryKriging(x, y, z, model), UniversalKriging(x, y, z, model), updated):
        assert kriging.model is model and kriging.variogram_model == "custom"
        assert (kriging.anisotropy_scaling, kriging.anisotropy_angle) == (2.5, 30.0)
        compare(kriging.execute("points", *targets), *expected)
    sphere, degrees = {"coordinates_type": "geographic"}, 50 * targets
    wide = [parameters[0], 60 * parameters[1], parameters[2]]
    expected = OrdinaryKriging(50 * x, 50 * y, z, "spherical", wide, **sphere)
    found = OrdinaryKriging(50 * x, 50 * y, z, ModelOfGSTools(latlon=True), **sphere)
    compare(found.execute("points", *degrees), *expected.execute("points", *degrees))
    for wrong, text in (
        (ModelOfGSTools(field_dim=3), "3 dimensions\n.*dim=2"),
        (ModelOfGSTools(latlon=True), "latlon=True\n.*'geographic'"),
    ):
        with pytest.raises(ts.InputError, match=text):
            UniversalKriging(x, y, z, wrong)


@pytest.mark.parametrize("model", ["exponential", "spherical"])
def test_closest_points(model):
    """Of all points the whole system; of few that of each neighbourhood."""
    (parameters, gamma), (x, y, z) = MODELS[model], data()
    kriging = OrdinaryKriging(x, y, z, model, parameters)
    points, targets = np.stack([x, y], axis=1), np.random.default_rng(4).random((9, 2))
    targets[0] = points[5]
    for count in (60, 8):
        found = kriging.execute("points", *targets.T, backend="loop", n_closest_points=count)
        for i, target in enumerate(targets):
            near = np.argsort(plane(target[None], points)[0])[:count]
            dense = solve(points[near], z[near], target[None], gamma)
            compare((found[0][i : i + 1], found[1][i : i + 1]), *dense)


# Values at (0, 0) and (13, 13) and the variances there, of the variogram gaussian with the sill 2,
# the range 12 and these nuggets, by solutions with 60 digits (mpmath); with the drift x y, too.
SMOOTH = {
    "constant": {
        0.0: (14.918392620368698, 13470.811684401353, 1.0633430039367956e-07, 0.005514458093391814),
        1e-6: (-0.00493497244885367, -2.085842504466282, 2.2013873242638e-05, 0.08530656137206295),
        0.01: (0.36387890795439054, -0.9029730671998009, 0.019186696837628716, 0.7113939340494086),
    },
    "drift": {
        0.0: (13.987408166998598, 15472.223538698692, 1.067093058866954e-07, 0.007247566414299738),
        1e-6: (-0.005498982753190998, -4.467227053967594, 2.201659795639e-05, 0.13388078522843605),
        0.01: (0.3643889584211276, -0.9689133799815365, 0.01923984528368385, 1.5997074667846947),
    },
}


@pytest.mark.parametrize("nugget", SMOOTH["drift"])
@pytest.mark.parametrize("path", ["gp", "dense", "drift", "closest"])
def test_lost_digits(path, nugget):
    """Digits are lost with a warning, and 1e-10 is held without one."""
    random = np.random.default_rng(0)
    x, y = random.uniform(0, 10, (2, 60))
    z = np.sin(x) + 0.3 * y + 0.1 * random.standard_normal(60)
    of, at = {"n_closest_points": 60} if path == "closest" else {}, np.array([0.0, 13.0])
    kriging = OrdinaryKriging(x, y, z, "gaussian", [2.0, 12.0, nugget])
    if path == "dense":
        own, given = kriging.variogram_function, kriging.variogram_model_parameters
        kriging = OrdinaryKriging(x, y, z, "custom", given, variogram_function=own)
    if path == "drift":
        drifts = {"drift_terms": ["functional"], "functional_drift": [lambda a, b: a * b]}
        kriging = UniversalKriging(x, y, z, "gaussian", [2.0, 12.0, nugget], **drifts)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = np.concatenate(kriging.execute("points", at, at, **of))
    right = SMOOTH["drift" if path == "drift" else "constant"][nugget]
    off = np.max(np.abs(found - right) / np.repeat([np.abs(z).max(), 2.0], 2))
    texts = [str(one.message) for one in caught if one.category is ts.TesseraWarning]
    assert len(texts) == (nugget < 0.01)
    assert off < 1e-10 or texts
    for text in texts:
        assert "give a nugget" in text
        said = float(text.partition("may be ")[2].partition(" of")[0])
        assert off < (said if said < 1e-3 else np.inf)  # an estimate of the first order


def test_repeated_points():
    (parameters, gamma), (x, y, z) = MODELS["exponential"], data()
    x, y, z = (np.append(a, a[:2] + step) for a, step in ((x, 0), (y, 0), (z, 0.3)))
    points, targets = np.stack([x, y], axis=1), np.random.default_rng(4).random((9, 2))
    kriging = OrdinaryKriging(x, y, z, "exponential", parameters)
    compare(kriging.execute("points", *targets.T), *solve(points, z, targets, gamma))
    singular = OrdinaryKriging(x, y, z, "linear", [1.0, 0.0])
    with pytest.raises(ts.NumericalError, match="pseudo_inv=True"):
        singular.execute("points", *targets.T)
    for kind in ("pinv", "pinvh"):
        averaged = OrdinaryKriging(
            x, y, z, "linear", [1.0, 0.0], pseudo_inv=True, pseudo_inv_type=kind
        )
        once = OrdinaryKriging(
            x[:60], y[:60], np.append(z[:2] + 0.15, z[2:60]), "linear", [1.0, 0.0]
        )
        compare(
            averaged.execute("points", *targets.T),
            *once.execute("points", *targets.T),
            tolerance=1e-9,
        )


def test_vecchia():
    """Of 2000 points against the exact solution; of more than 5000 by itself."""
    x, y, z = data(2000)
    targets = np.random.default_rng(4).random((2, 200))
    for model in ("exponential", "matern"):
        parameters = MODELS[model][0]
        exact = OrdinaryKriging(x, y, z, model, parameters).execute("points", *targets)
        near = OrdinaryKriging(x, y, z, model, parameters, method="vecchia").execute(
            "points", *targets
        )
        far, wide = (1e-3, 2e-6) if model == "exponential" else (5e-3, 5e-4)
        np.testing.assert_allclose((near[0] - exact[0]) / z.std(), 0, atol=far)
        np.testing.assert_allclose(near[1], exact[1], rtol=wide)
    twice = (np.append(a, a[:1]) for a in (x, y, z))
    kriging = OrdinaryKriging(*twice, "exponential", [1.2, 0.4, 0.1], method="vecchia")
    with pytest.warns(ts.TesseraWarning, match="repeat the place of others"):
        assert kriging.execute("points", x[:1], y[:1])[0][0] == z[0]
    x, y, z = data(6000)
    large = UniversalKriging(
        x, y, z, "exponential", MODELS["exponential"][0], drift_terms=["regional_linear"]
    )
    with pytest.warns(ts.TesseraWarning, match="6000 points are more than 5000: Vecchia"):
        found = large.execute("points", x[:50], y[:50])
    np.testing.assert_array_equal(found[0], z[:50])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        large.execute("points", *targets)
    dense = OrdinaryKriging(x, y, z, "spherical", [1.0, 0.5, 0.1])
    with pytest.raises(ts.InputError, match="n_closest_points"):
        dense.execute("points", *targets)
    assert np.isfinite(dense.execute("points", *targets, n_closest_points=12)[0]).all()
    with pytest.warns(ts.TesseraWarning, match="5000 of 6000 points"):
        OrdinaryKriging(x, y, z, "spherical")


def test_forms_of_data(capsys):
    x, y, z = data()
    expected = OrdinaryKriging(x, y, z, "exponential", [1.0, 0.5, 0.1]).execute(
        "points", [0.5], [0.5]
    )
    masked = np.ma.MaskedArray(np.append(z, 99.0), np.arange(61) == 60)
    for xs, ys, zs in (
        (list(x), y[:, None], z),
        (np.append(x, 0.1), np.append(y, 0.1), masked),
    ):
        kriging = OrdinaryKriging(
            xs, ys, zs, "exponential", {"sill": 1, "range": 0.5, "nugget": 0.1}
        )
        compare(kriging.execute("points", [0.5], [0.5]), *expected)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": x, "y": y, "z": z})
    kriging = OrdinaryKriging(
        frame.x,
        frame.y,
        frame.z,
        "exponential",
        {"psill": 0.9, "range": 0.5, "nugget": 0.1},
        verbose=True,
    )
    assert "variogram exponential: partial sill 0.9" in capsys.readouterr().out
    compare(kriging.execute("points", 0.5, 0.5), *expected)
    kriging.update_variogram_model("linear", [1.0, 0.1])
    linear = OrdinaryKriging(x, y, z, "linear", [1.0, 0.1]).execute("points", [0.5], [0.5])
    compare(kriging.execute("points", 0.5, 0.5), *linear)


def test_parameters_by_name():
    """The full sill goes before the partial one; what a model does not take is named."""
    x, y, z = data()
    both = {"sill": 1.0, "psill": 0.3, "range": 0.5, "nugget": 0.1, "slope": 2.0}
    with pytest.warns(ts.TesseraWarning, match="psill, slope, which the variogram 'spherical'"):
        kriging = OrdinaryKriging(x, y, z, "spherical", both)
    assert kriging.variogram_model_parameters == pytest.approx([0.9, 0.5, 0.1])


def test_kinds_of_errors():
    """They are also those that PyKrige raises, with the text of ours."""
    x, y, z = data()
    with pytest.raises(KeyError) as missing:
        OrdinaryKriging(x, y, z, "spherical", {"sill": 1.0, "range": 0.5})
    assert isinstance(missing.value, ts.kriging.MissingParameterError)
    assert str(missing.value).startswith("variogram_parameters has sill, range\n  remedy: give")
    with pytest.raises(OSError) as unmasked:
        OrdinaryKriging(x, y, z, "linear", [1.0, 0.1]).execute("masked", [0.5], [0.5])
    assert isinstance(unmasked.value, ts.kriging.MissingMaskError)
    assert isinstance(missing.value, ts.InputError) and isinstance(unmasked.value, ts.InputError)


def test_signatures():
    """PyKrige's order of arguments."""
    names = list(inspect.signature(OrdinaryKriging).parameters)
    assert (
        names[:17]
        == (
            "x y z variogram_model variogram_parameters variogram_function nlags weight anisotropy_scaling "
            "anisotropy_angle verbose enable_plotting enable_statistics coordinates_type exact_values "
            "pseudo_inv pseudo_inv_type"
        ).split()
    )
    names = list(inspect.signature(UniversalKriging).parameters)
    assert (
        names[:22]
        == (
            "x y z variogram_model variogram_parameters variogram_function nlags weight anisotropy_scaling "
            "anisotropy_angle drift_terms point_drift external_drift external_drift_x external_drift_y "
            "specified_drift functional_drift verbose enable_plotting exact_values pseudo_inv "
            "pseudo_inv_type"
        ).split()
    )
    assert (
        list(inspect.signature(OrdinaryKriging.execute).parameters)[1:]
        == ("style xpoints ypoints mask backend n_closest_points").split()
    )
    assert (
        list(inspect.signature(UniversalKriging.execute).parameters)[1:]
        == ("style xpoints ypoints mask backend specified_drift_arrays").split()
    )


def test_quantities_of_pint():
    """Any units of coordinates, values and parameters; predictions in those of the values."""
    pint = pytest.importorskip("pint", reason="there is no pint: apt-get install python3-pint")
    unit = pint.UnitRegistry()
    random = np.random.default_rng(1)
    x, y, z = random.random((3, 30))
    at = np.linspace(0, 1, 4)
    right = OrdinaryKriging(x, y, z, "power", [0.8, 1.4, 0.1]).execute("grid", at, at)
    power = {
        "scale": 0.8 * unit.delta_degC**2 / unit.km**1.4,
        "exponent": 1.4,
        "nugget": 0.1 * unit.kelvin**2,
    }
    kriging = OrdinaryKriging(
        x * unit.km, y * 1000 * unit.m, unit.Quantity(z, unit.degC), "power", power
    )
    found = kriging.execute("grid", at * 1000 * unit.m, at * unit.km)
    assert [str(one.units) for one in found] == ["degree_Celsius", "delta_degree_Celsius ** 2"]
    for one, expected in zip(found, right):
        assert isinstance(one.magnitude, np.ma.MaskedArray)
        np.testing.assert_allclose(one.magnitude, expected, atol=1e-13)
    right = UniversalKriging(x, y, z, "exponential", [1.2, 0.4, 0.1], drift_terms="regional_linear")
    right = right.execute("points", at, at)
    found = UniversalKriging(
        x * unit.km,
        y * unit.km,
        z * unit.m,
        "exponential",
        [1.2 * unit.m**2, 400 * unit.m, 0.1],
        drift_terms="regional_linear",
    ).execute("points", at * unit.km, at * unit.km)
    np.testing.assert_allclose(found[1].magnitude, right[1], rtol=1e-9)
    # degrees on the sphere, which pint takes for numbers: radians
    sphere = {"variogram_model": "exponential", "coordinates_type": "geographic"}
    right = OrdinaryKriging(50 * x, 50 * y, z, variogram_parameters=[1.2, 10, 0.1], **sphere)
    found = OrdinaryKriging(
        50 * x * unit.degree,
        50 * y * unit.degree,
        z,
        variogram_parameters=[1.2, 10 * unit.degree, 0.1],
        **sphere,
    ).execute("points", at * unit.degree, at)
    np.testing.assert_array_equal(found[0], right.execute("points", at, at)[0])
    for wrong, text in (
        (lambda: OrdinaryKriging(x * unit.km, y, z), "x has a unit, and y has none"),
        (lambda: kriging.execute("points", at, at), "x has a unit, and xpoints has none"),
        (lambda: OrdinaryKriging(x, y, z, "linear", [1 * unit.m, 0]), r"parameters\['slope'\]"),
        (
            lambda: OrdinaryKriging(x, y, z, "custom", [1 * unit.m], lambda p, d: d),
            "custom variogram has quantities\n.*give numbers",
        ),
    ):
        with pytest.raises(ts.InputError, match=text):
            wrong()


def test_pictures_in_axes():
    """Of the caller; without them they are shown, as PyKrige does."""
    matplotlib = pytest.importorskip("matplotlib", reason="there is no matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    random = np.random.default_rng(2)
    x, y, z = random.random((3, 40))
    kriging = OrdinaryKriging(x, y, z, "exponential", [1.0, 0.5, 0.1])
    figure, (left, right) = plt.subplots(1, 2)
    numbers = plt.get_fignums()
    assert kriging.display_variogram_model(left) is left
    assert kriging.plot_epsilon_residuals(ax=right) is right
    assert plt.get_fignums() == numbers and len(figure.axes) == 2
    np.testing.assert_array_equal(
        left.lines[1].get_xydata(), np.column_stack(kriging.get_variogram_points())
    )
    assert len(right.collections[0].get_offsets()) == 39
    assert kriging.display_variogram_model() is None
    plt.close("all")


@pytest.mark.parametrize(
    "change, text",
    [
        ({"variogram_model": "cubic"}, "choose one of linear"),
        ({"variogram_model": "custom"}, "variogram_function"),
        ({"variogram_parameters": [1.0]}, "slope, nugget"),
        ({"variogram_parameters": {"slope": 1.0}}, "slope, nugget"),
        ({"variogram_parameters": "tacos"}, "a list or a dict"),
        ({"variogram_parameters": [-1.0, 0.0]}, "slope = -1"),
        (
            {"variogram_model": "spherical", "variogram_parameters": [0.1, 1.0, 0.5]},
            "sill - nugget",
        ),
        ({"variogram_model": "spherical", "variogram_parameters": [1.0, 0.0, 0.5]}, "range = 0"),
        ({"coordinates_type": "polar"}, "'geographic'"),
        ({"exact_values": 1}, "True or False"),
        ({"pseudo_inv_type": "inv"}, "pinvh"),
        ({"z": [1.0, 2.0]}, "one of each for each point"),
        ({"z": [1.0, np.nan, 2.0]}, "z\\[1\\] is nan"),
        ({"z": [1.0, 1.0, 1.0]}, "all the same"),
        ({"nlags": 0}, "nlags of 1 or more"),
        ({"method": "fast"}, "'vecchia'"),
    ],
)
def test_wrong_arguments(change, text):
    arguments = {"x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 0.0], "z": [1.0, 2.0, 4.0], **change}
    with pytest.raises(ts.InputError, match=text):
        OrdinaryKriging(**arguments)


def test_wrong_targets_and_drifts():
    x, y, z = data()
    kriging = OrdinaryKriging(x, y, z, "linear", [1.0, 0.1])
    for arguments, text in (
        (("mesh", [0.0], [0.0]), "'masked'"),
        (("points", [0.0], [0.0, 1.0]), "style 'grid'"),
        (("masked", [0.0], [0.0]), "give mask"),
        (("masked", [0.0], [0.0, 1.0], np.ones((3, 3))), "\\(2, 1\\)"),
        (("grid", [0.0], [0.0], None, "gpu"), "tessera.use"),
        (("grid", [0.0], [0.0], None, "loop", 1), "from 2"),
    ):
        with pytest.raises(ts.InputError, match=text):
            kriging.execute(*arguments)
    for options, text in (
        ({"drift_terms": ["quadratic"]}, "regional_linear"),
        ({"drift_terms": ["point_log"]}, "point_drift"),
        ({"drift_terms": ["point_log"], "point_drift": [1, 2]}, "strength"),
        ({"drift_terms": ["external_Z"]}, "external_drift_x"),
        ({"drift_terms": ["specified"]}, "specified_drift"),
        ({"drift_terms": ["specified"], "specified_drift": [[1.0]]}, "a number for each point"),
        ({"drift_terms": ["functional"], "functional_drift": abs}, "\\[function\\]"),
    ):
        with pytest.raises(ts.InputError, match=text):
            UniversalKriging(x, y, z, "linear", [1.0, 0.1], **options)
    external = UniversalKriging(
        x, y, z, "linear", [1.0, 0.1], drift_terms=["external_Z"], **DRIFTS["external_Z"][0]
    )
    with pytest.raises(ts.InputError, match="points lie beyond"):
        external.execute("points", [2.0], [0.5])
    double = UniversalKriging(
        x, y, z, "linear", [1.0, 0.1], drift_terms=["specified"], specified_drift=[np.ones(60)]
    )
    with pytest.raises(ts.NumericalError, match="drifts depend on each other"):
        double.execute("points", [0.5], [0.5], specified_drift_arrays=[[1.0]])

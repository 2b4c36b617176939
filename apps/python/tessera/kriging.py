# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Ordinary and universal kriging in the plane and on the sphere, with PyKrige's arguments and
results.

    from tessera.kriging import OrdinaryKriging, UniversalKriging

    z, variance = OrdinaryKriging(x, y, z, variogram_model="exponential").execute("grid", gx, gy)

Variograms that tessera.gp has a covariance of (exponential, gaussian, matern) are predicted by it:
exactly up to 5000 points, beyond by Vecchia's approximation with a TesseraWarning. The others
(linear, power, spherical, hole-effect, custom), and drifts other than the linear one, are solved as
one dense system of at most 5000 points. Needs SciPy.

Coordinates, values and variogram parameters may be quantities of pint: coordinates with a unit have
one everywhere, and predictions and variances are quantities where the values are. Numbers among the
parameters, and lags, semivariances, statistics and drifts, are in units of the data.

Source: P. K. Kitanidis, Introduction to Geostatistics (1997), chapters 3 and 6; models/gp/METHOD.md
of Tessera.
"""

import warnings

import numpy as np

try:
    import scipy  # noqa: F401
except ModuleNotFoundError:
    raise ImportError(
        "tessera.kriging needs SciPy, which is not installed\n"
        "  remedy: apt-get install python3-scipy, or pip install scipy"
    ) from None

from . import _arguments, _frames, _tessera, _variograms, _warnings, gp
from ._variograms import MissingParameterError

__all__ = ["MissingMaskError", "MissingParameterError", "OrdinaryKriging", "UniversalKriging"]

_MOST_DENSE = 5000  # points of a dense system
_FEWEST_OF_GP = 10  # points, from which on tessera.gp predicts
_SAME_PLACE = 1e-10  # distance, within which a target lies at an observation
_CHUNK = 2**22  # numbers of a part of the right sides
_DIGITS = 1e-10  # that are promised, of the largest value and of the sill
_APART = 1e-6  # of the extent: closer points make the matrix of any variogram nearly singular
_MOST_TRIED = 32  # targets, of which rounding errors are estimated
_WELL_CONDITIONED = 1e-6  # reciprocal condition number, from which on they are below _DIGITS


class MissingMaskError(_tessera.InputError, OSError):
    """The style is "masked", and no mask is given."""


def _great_circle(a, b):
    """Degrees between rows (longitude, latitude) of two lists of points, by the formula that keeps
    its digits at all distances."""
    (long_a, lat_a), (long_b, lat_b) = np.radians(a).T, np.radians(b).T
    between = long_b - long_a[:, None]
    sin_a, cos_a = np.sin(lat_a)[:, None], np.cos(lat_a)[:, None]
    sin_b, cos_b, cos_between = np.sin(lat_b), np.cos(lat_b), np.cos(between)
    across = np.hypot(cos_b * np.sin(between), cos_a * sin_b - sin_a * cos_b * cos_between)
    return np.degrees(np.arctan2(across, sin_a * sin_b + cos_a * cos_b * cos_between))


def _on_sphere(points):
    longitude, latitude = np.radians(points).T
    return np.stack(
        [
            np.cos(longitude) * np.cos(latitude),
            np.sin(longitude) * np.cos(latitude),
            np.sin(latitude),
        ],
        axis=1,
    )


def _plane(a, b):
    from scipy.spatial.distance import cdist

    return cdist(a, b)


def _column(values, name):
    """A flat array of finite numbers and where it is masked."""
    array, mask = _arguments.read(values, name)
    array = np.atleast_1d(np.squeeze(array)).astype(float).ravel()
    mask = np.zeros(array.shape, bool) if mask is None else mask.ravel()
    wrong = ~np.isfinite(array) & ~mask
    if wrong.any():
        place = int(np.flatnonzero(wrong)[0])
        raise _tessera.InputError(
            f"{name}[{place}] is {array[place]}\n  remedy: mask it, or leave the point out"
        )
    return array, mask


def _drawn(draw, ax):
    """Draws in these axes, and returns them; where there are none in new ones, which are shown."""
    if ax is not None:
        draw(ax)
        return ax
    import matplotlib.pyplot as plt

    draw(plt.subplots()[1])
    plt.show()
    return None


class _Kriging:
    """What both kinds of kriging share: data, variogram, the dense system, statistics."""

    def _take_data(self, x, y, z, coordinates_type):
        if coordinates_type not in ("euclidean", "geographic"):
            raise _tessera.InputError(
                f"coordinates_type is {coordinates_type!r}\n  remedy: choose 'euclidean' or 'geographic'"
            )
        self.coordinates_type = coordinates_type
        self._length = _frames.split_unit(x)[1]
        z, self._unit = _frames.split_unit(z)
        x, y = self._coordinate(x, "x"), self._coordinate(y, "y")
        (x, a), (y, b), (z, c) = _column(x, "x"), _column(y, "y"), _column(z, "z")
        if not len(x) == len(y) == len(z):
            raise _tessera.InputError(
                f"x, y and z have {len(x)}, {len(y)} and {len(z)} numbers\n  remedy: give one of each for each point"
            )
        self._used = ~(a | b | c)
        self.X_ORIG, self.Y_ORIG, self.Z = x[self._used], y[self._used], z[self._used]
        if len(self.Z) < 2:
            raise _tessera.InputError(
                f"there are {len(self.Z)} points\n  remedy: give two or more that are not masked"
            )
        flat = coordinates_type == "euclidean"
        self.XCENTER = (self.X_ORIG.max() + self.X_ORIG.min()) / 2 if flat else 0.0
        self.YCENTER = (self.Y_ORIG.max() + self.Y_ORIG.min()) / 2 if flat else 0.0

    def _coordinate(self, value, name):
        """Coordinates as numbers in the unit of those of the data; degrees on the sphere."""
        if self.coordinates_type == "geographic":
            return _frames.number_in(value, "degree", name)
        if _frames.has_unit(value) != (self._length is not None):
            have, lack = (name, "x") if self._length is None else ("x", name)
            raise _tessera.InputError(
                f"{have} has a unit, and {lack} has none\n  remedy: give both units, or neither"
            )
        return value if self._length is None else _frames.number_in(value, self._length, name)

    def _take_options(self, exact_values, pseudo_inv, pseudo_inv_type, method, neighbours):
        if not isinstance(exact_values, (bool, np.bool_)):
            raise _tessera.InputError(
                f"exact_values is {exact_values!r}\n  remedy: choose True or False"
            )
        if pseudo_inv_type not in ("pinv", "pinvh"):
            raise _tessera.InputError(
                f"pseudo_inv_type is {pseudo_inv_type!r}\n  remedy: choose 'pinv' or 'pinvh'"
            )
        if method not in ("auto", "exact", "vecchia"):
            raise _tessera.InputError(
                f"method is {method!r}\n  remedy: choose 'auto', 'exact' or 'vecchia'"
            )
        self.exact_values, self.pseudo_inv = bool(exact_values), bool(pseudo_inv)
        self.pseudo_inv_type, self.method, self.neighbours = pseudo_inv_type, method, neighbours

    def update_variogram_model(
        self,
        variogram_model,
        variogram_parameters=None,
        variogram_function=None,
        nlags=6,
        weight=False,
        anisotropy_scaling=1.0,
        anisotropy_angle=0.0,
    ):
        """Another variogram for the same data; arguments as in the constructor."""
        self.model = None
        if hasattr(variogram_model, "pykrige_vario"):
            self.model, variogram_model, variogram_parameters = variogram_model, "custom", []
            variogram_function, anisotropy_scaling, anisotropy_angle = _variograms.of_gstools(
                self.model, self.coordinates_type == "geographic"
            )
        if self.coordinates_type == "geographic" and (anisotropy_scaling, anisotropy_angle) != (
            1.0,
            0.0,
        ):
            _warnings.warn("anisotropy is of the plane, and does not count on the sphere")
            anisotropy_scaling, anisotropy_angle = 1.0, 0.0
        self.anisotropy_scaling = _arguments.number(anisotropy_scaling, "anisotropy_scaling")
        self.anisotropy_angle = _arguments.number(anisotropy_angle, "anisotropy_angle")
        self._points = self._adjusted(np.stack([self.X_ORIG, self.Y_ORIG], axis=1))
        self.X_ADJUSTED, self.Y_ADJUSTED = self._points.T
        self.variogram_model, self._nlags = variogram_model, nlags
        self.variogram_function = _variograms.function(variogram_model, variogram_function)
        self._sample = self._statistics = self._solver = None
        length = "degree" if self.coordinates_type == "geographic" else self._length
        plain = _variograms.without_units(variogram_model, variogram_parameters, length, self._unit)
        found = _variograms.parameters(variogram_model, plain)
        if found is None:
            found = _variograms.fit(variogram_model, self.lags, self.semivariance, weight)
        self.variogram_model_parameters = found
        if self.verbose:
            names = _variograms.MODELS.get(variogram_model, ((), None))[0]
            shown = [
                f"{'partial sill' if name == 'sill' else name} {value:.6g}"
                for name, value in zip(names, found)
            ]
            print(f"variogram {variogram_model}: {', '.join(shown) or found}")
        if self.enable_plotting:
            self.display_variogram_model()

    def _adjusted(self, points):
        """Points in the system of the variogram: turned about the centre, then stretched along the
        second axis."""
        if self.coordinates_type == "geographic":
            return points
        centre, angle = np.array([self.XCENTER, self.YCENTER]), np.radians(self.anisotropy_angle)
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        return (points - centre) @ turn.T * [1.0, self.anisotropy_scaling] + centre

    def _distances(self, a, b):
        return (_plane if self.coordinates_type == "euclidean" else _great_circle)(a, b)

    def _gamma(self, distances):
        return self.variogram_function(self.variogram_model_parameters, distances)

    def _pairs(self):
        if self._sample is None:
            self._sample = _variograms.of_sample(self._points, self.Z, self._nlags, self._distances)
        return self._sample

    lags = property(lambda self: self._pairs()[0], doc="Mean distances of the sample variogram.")
    semivariance = property(lambda self: self._pairs()[1], doc="Its semivariances.")

    def get_variogram_points(self):
        """(lags, the model's variogram there)."""
        return self.lags, self._gamma(self.lags)

    def display_variogram_model(self, ax=None):
        """Draws the sample variogram and the model, and shows them; in the axes `ax` of
        matplotlib, where they are given, and returns these."""

        def draw(axes):
            axes.plot(self.lags, self.semivariance, "r*")
            axes.plot(self.lags, self._gamma(self.lags), "k-")

        return _drawn(draw, ax)

    def switch_verbose(self):
        """Turns messages on or off."""
        self.verbose = not self.verbose

    def switch_plotting(self):
        """Turns pictures on or off."""
        self.enable_plotting = not self.enable_plotting

    def _residuals(self):
        """Errors of each point predicted by ordinary kriging from those before it, with their
        deviations: the Cholesky factor of the covariances of differences to the first point."""
        if self._statistics is None:
            self._check_size("statistics")
            gamma = self._gamma(self._distances(self._points, self._points))
            np.fill_diagonal(gamma, 0.0)
            differences = gamma[1:, :1] + gamma[:1, 1:] - gamma[1:, 1:]
            try:
                factor = np.linalg.cholesky(differences)
            except np.linalg.LinAlgError:
                raise _tessera.NumericalError(
                    "the variogram has no positive definite matrix at these points, and so no statistics"
                    "\n  remedy: leave repeated points out, or give a nugget"
                ) from None
            import scipy.linalg

            epsilon = scipy.linalg.solve_triangular(factor, self.Z[1:] - self.Z[0], lower=True)
            sigma = np.diag(factor).copy()
            self._statistics = epsilon * sigma, sigma, epsilon
        return self._statistics

    delta = property(lambda self: self._residuals()[0], doc="Errors of the predictions in order.")
    sigma = property(lambda self: self._residuals()[1], doc="Deviations of these errors.")
    epsilon = property(lambda self: self._residuals()[2], doc="Errors by their deviations.")

    @property
    def Q1(self):
        """|sum epsilon| / (n - 1): near 0 of a good variogram."""
        return abs(self.epsilon.sum() / (len(self.epsilon) - 1))

    @property
    def Q2(self):
        """sum epsilon^2 / (n - 1): near 1 of a good variogram."""
        return (self.epsilon**2).sum() / (len(self.epsilon) - 1)

    @property
    def cR(self):
        """Q2 times the geometric mean of the variances: small of a good variogram."""
        return self.Q2 * np.exp(2 * np.log(self.sigma).mean())

    def get_epsilon_residuals(self):
        """Errors of each point predicted from those before it, by their deviations."""
        return self.epsilon

    def plot_epsilon_residuals(self, ax=None):
        """Draws them in their order; ax as in display_variogram_model()."""

        def draw(axes):
            axes.scatter(range(self.epsilon.size), self.epsilon, c="k", marker="*")
            axes.axhline(y=0.0)

        return _drawn(draw, ax)

    def get_statistics(self):
        """(Q1, Q2, cR)."""
        return self.Q1, self.Q2, self.cR

    def print_statistics(self):
        """Prints Q1, Q2 and cR."""
        for name, value in zip(("Q1", "Q2", "cR"), self.get_statistics()):
            print(name, "=", value)

    def _targets(self, style, xpoints, ypoints, mask):
        """Points in a list, their shape, and which of them are masked."""
        if style not in ("grid", "points", "masked"):
            raise _tessera.InputError(
                f"style is {style!r}\n  remedy: choose 'grid', 'points' or 'masked'"
            )
        xpoints = self._coordinate(xpoints, "xpoints")
        ypoints = self._coordinate(ypoints, "ypoints")
        (x, _), (y, _) = _column(xpoints, "xpoints"), _column(ypoints, "ypoints")
        if style == "points":
            if len(x) != len(y):
                raise _tessera.InputError(
                    f"xpoints has {len(x)} numbers and ypoints {len(y)}\n  remedy: give one of each for each point, or style 'grid'"
                )
            return np.stack([x, y], axis=1), x.shape, np.zeros(x.shape, bool)
        shape = (len(y), len(x))
        points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        if style == "grid":
            return points, shape, np.zeros(shape, bool)
        if mask is None:
            raise MissingMaskError(
                "style is 'masked', and there is no mask\n  remedy: give mask, true where nothing is predicted"
            )
        mask = np.asarray(mask, dtype=bool)
        if mask.shape != shape:
            if mask.shape != shape[::-1]:
                raise _tessera.InputError(
                    f"mask has the shape {mask.shape}, and the grid {shape}\n  remedy: give one of each row (y) and column (x)"
                )
            mask = mask.T
        return points, shape, mask

    def _execute(self, points, shape, mask, predict):
        """Values and variances, masked arrays of this shape."""
        wanted = ~mask.ravel()
        values, variances = np.zeros(wanted.shape), np.zeros(wanted.shape)
        if wanted.any():
            values[wanted], variances[wanted] = predict(self._adjusted(points)[wanted], wanted)
        return tuple(
            _frames.with_unit(
                np.ma.MaskedArray(array.reshape(shape), mask.reshape(shape)), self._unit, power
            )
            for array, power in ((values, 1), (variances, 2))
        )

    def _check_size(self, what):
        if len(self.Z) > _MOST_DENSE:
            raise _tessera.InputError(
                f"{what} of {len(self.Z)} points with the variogram {self.variogram_model!r} is one dense matrix, of at most {_MOST_DENSE}"
                "\n  remedy: choose the variogram exponential, gaussian or matern without drifts other than regional_linear, or n_closest_points in OrdinaryKriging"
            )

    def _has_repeats(self):
        return len(np.unique(self._points, axis=0)) < len(self._points)

    def _is_large(self):
        """Whether Vecchia's approximation is taken, where tessera.gp predicts."""
        large = self.method == "auto" and len(self.Z) > _MOST_DENSE
        return large or self.method == "vecchia"

    def _process(self, mean):
        """The process of tessera.gp that predicts, or None."""
        covariance = _variograms.covariance(self.variogram_model, self.variogram_model_parameters)
        flat, count = self.coordinates_type == "euclidean", len(self.Z)
        if covariance is None or count < _FEWEST_OF_GP or self.pseudo_inv:
            return None
        if not flat and (covariance["family"] != "matern12" or mean != "constant"):
            return None  # These are no covariances of distances along the sphere.
        large = self._is_large()
        if not large and self._has_repeats():
            return None
        if not flat:
            covariance.update(metric="great_circle", radius=180 / np.pi)
        if large and self.method == "auto":
            _warnings.warn(
                f"{count} points are more than {_MOST_DENSE}: Vecchia's approximation with {self.neighbours} neighbours is taken; method='exact' or "
                "'vecchia' says which is meant"
            )
        if large and self.exact_values and self._has_repeats():
            _warnings.warn(
                "points repeat the place of others, and predictions there are the value of one of them; exact_values=False takes all of them"
            )
        near = {
            "vecchia": {
                "neighbours": self.neighbours,
                "prediction_block": min(2 * self.neighbours, 600),
            }
        }
        return gp.given(
            self._points if flat else self._points[:, ::-1],
            self.Z,
            covariance=covariance,
            mean=mean,
            method=near if large else "exact",
        )

    def _is_in_doubt(self):
        """Whether neither a nugget nor the variogram bounds the condition of the covariances. With
        a nugget their eigenvalues lie between it and their sum. Of a variogram that is rough at
        the origin the least is as small as the step between the closest points."""
        psill, nugget = (self.variogram_model_parameters[k] for k in (0, 2))
        if nugget >= _WELL_CONDITIONED * len(self.Z) * psill:
            return False
        if self.variogram_model not in ("exponential", "spherical"):
            return True
        from scipy.spatial import cKDTree

        points = np.asarray(self._points, dtype=float)
        closest = cKDTree(points).query(points, k=2)[0][:, 1].min()
        return closest < _APART * np.ptp(points, axis=0).max()

    def _warn_of_rounding(self, of_values, of_variances, sill):
        """Warns where estimates of rounding errors exceed what is promised."""
        lost = np.fmax(
            np.max(of_values) / max(np.abs(self.Z).max(), 1e-300), np.max(of_variances) / sill
        )
        if lost <= _DIGITS:
            return False
        _warnings.warn(
            f"the kriging matrix is nearly singular, and digits are lost: rounding errors may be {lost:.1g} of the values or variances: "
            "give a nugget, leave points that repeat others or almost coincide out, or choose pseudo_inv=True"
        )
        return True

    def _solution(self, mean, drifts_of_data):
        """What predicts: a function of targets and of their drifts, a column each. mean: that of
        tessera.gp, None where it has none. drifts_of_data: a function."""
        if self._solver is None:
            process = None if mean is None else self._process(mean)
            self._solver = process or _Dense(self, drifts_of_data())
            self._checked = None
            if process and not self._is_large() and self._is_in_doubt():
                self._checked = _Dense(self, drifts_of_data())
        return self._solver.predict if isinstance(self._solver, _Dense) else self._by_process

    def _by_process(self, targets, drifts):
        flat = self.coordinates_type == "euclidean"
        found = self._solver.predict(targets if flat else targets[:, ::-1], of="observation")
        values, variances = found.mean, found.variance
        if self._checked is not None:
            self._checked.check(targets, drifts)
        if self.exact_values:
            at, nearest = self._at_observations(targets)
            values[at], variances[at] = self.Z[nearest[at]], 0.0
        return values, variances

    def _tree(self):
        flat = self.coordinates_type == "euclidean"
        return _tree_of(self._points if flat else _on_sphere(self._points))

    def _at_observations(self, points):
        """Which points lie at an observation, and the numbers of these observations."""
        flat = self.coordinates_type == "euclidean"
        own, limit = self._points, _SAME_PLACE
        if not flat:
            own, points, limit = _on_sphere(own), _on_sphere(points), np.radians(_SAME_PLACE)
        rows = _near_some(own, points, limit)
        at, nearest = np.zeros(len(points), bool), np.zeros(len(points), int)
        if rows.size > 0:
            own_rows = _near_some(points[rows], own, limit)
            distance, found = _tree_of(own[own_rows]).query(points[rows])
            at[rows] = distance <= limit
            nearest[rows[at[rows]]] = own_rows[found[at[rows]]]
        return at, nearest


def _tree_of(points):
    from scipy.spatial import cKDTree

    return cKDTree(points)


def _near_some(own, points, distance):
    """Rows of points that lie within a distance of some of `own` along every axis."""
    rows = np.arange(len(points))
    for along_own, along in zip(own.T, points.T):
        rows = rows[_near_values(along_own, along[rows], distance)]
    return rows


def _near_values(values, at, distance):
    """Whether each of `at` lies within a distance of one of the values."""
    values, order = np.sort(values), np.argsort(at)
    next_one = np.searchsorted(values, at[order] - distance)
    within = np.zeros(len(at), bool)
    inside = next_one < len(values)
    within[order[inside]] = values[next_one[inside]] <= at[order[inside]] + distance
    return within


def _singular():
    return _tessera.NumericalError(
        "the kriging matrix is singular: points repeat the place of others, or drifts depend on each other"
        "\n  remedy: leave them out, or choose pseudo_inv=True"
    )


def _depend_on_each_other(drifts):
    """Whether a drift is a combination of others to 13 digits: a rounding of the matrix can hide
    it, on some processors."""
    if drifts.shape[1] == 0:
        return False
    sizes = np.maximum(np.linalg.norm(drifts, axis=0), 1e-300)
    values = np.linalg.svd(drifts / sizes, compute_uv=False)
    return len(values) < drifts.shape[1] or values[-1] < 1e-13 * values[0]


class _Dense:
    """The system of kriging, factorised once.

    [ -gamma(d_ij)  F ] [ weights     ]   [ -gamma(d_i0) ]
    [      F'       0 ] [ multipliers ] = [      f_0     ]
    """

    def __init__(self, kriging, drifts):
        import scipy.linalg

        kriging._check_size("kriging")
        self._kriging = kriging
        gamma = kriging._gamma(kriging._distances(kriging._points, kriging._points))
        np.fill_diagonal(gamma, 0.0)
        n, terms = drifts.shape
        # Drifts of the size of the variogram leave the matrix well conditioned.
        self._scale = max(gamma.max(), 1e-300) / np.maximum(np.abs(drifts).max(axis=0), 1e-300)
        matrix = np.zeros((n + terms, n + terms))
        matrix[:n, :n] = -gamma
        matrix[:n, n:] = drifts * self._scale
        matrix[n:, :n] = matrix[:n, n:].T
        self._data, self._sizes = np.concatenate([kriging.Z, np.zeros(terms)]), None
        if kriging.pseudo_inv:
            inverse = {"pinv": scipy.linalg.pinv, "pinvh": scipy.linalg.pinvh}[
                kriging.pseudo_inv_type
            ](matrix)
            self._solve = lambda right: inverse @ right
            return
        if _depend_on_each_other(drifts):
            raise _singular()
        norm = np.abs(matrix).sum(axis=0).max()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", scipy.linalg.LinAlgWarning)
            factor = scipy.linalg.lu_factor(matrix)
        share = scipy.linalg.lapack.dgecon(factor[0], norm)[0]
        if not share > 0 or not np.isfinite(share):
            raise _singular()
        self._solve = lambda right: scipy.linalg.lu_solve(factor, right)
        self._sizes = np.abs(matrix)

    def check(self, points, drifts):
        """Warns, once, where rounding errors at some of these points may be more than is promised.

        A change dM of the matrix M changes the value z' M^-1 r by a' dM w, where M a = z and
        M w = r, and |dM| is about the machine's precision times |M|; likewise the variance.
        """
        if self._sizes is None:
            return
        some = np.unique(
            [
                *np.linspace(0, len(points) - 1, _MOST_TRIED).astype(int),
                *(np.argmin(points @ [a, b]) for a in (-1, 1) for b in (-1, 1)),
            ]
        )
        weights = self._solve(self._right(points[some], drifts[some]).T)
        changes = np.finfo(float).eps * (self._sizes @ np.abs(weights))
        n = len(self._kriging.Z)
        if self._kriging._warn_of_rounding(
            np.abs(self._solve(self._data)) @ changes,
            (np.abs(weights) * changes).sum(axis=0),
            max(self._sizes[:n, :n].max(), 1e-300),
        ):
            self._sizes = None

    def _right(self, points, drifts):
        """The right sides of points, a row each."""
        kriging = self._kriging
        distance = kriging._distances(points, kriging._points)
        gamma = kriging._gamma(distance)
        if kriging.exact_values:
            gamma[distance <= _SAME_PLACE] = 0.0
        return np.concatenate([-gamma, drifts * self._scale], axis=1)

    def predict(self, points, drifts):
        """Values and variances at points with these drifts, a column each."""
        values, variances = np.empty(len(points)), np.empty(len(points))
        step = max(1, _CHUNK // len(self._data))
        for begin in range(0, len(points), step):
            part = slice(begin, begin + step)
            right = self._right(points[part], drifts[part])
            weights = self._solve(right.T)
            values[part] = weights.T @ self._data
            variances[part] = -np.einsum("ij,ji->i", right, weights)
        self.check(points, drifts)
        return values, variances


class OrdinaryKriging(_Kriging):
    """Kriging with an unknown mean: PyKrige's class of this name.

    x, y, z: coordinates and values of n points: flat arrays, lists or columns of pandas, of which
    masked and missing ones are left out. variogram_model, as functions of the distance d:

        linear       slope d + nugget
        power        scale d^exponent + nugget,                       0 < exponent < 2
        gaussian     psill (1 - exp(-(7 d / (4 range))^2)) + nugget
        exponential  psill (1 - exp(-3 d / range)) + nugget
        spherical    psill (3 d / (2 range) - d^3 / (2 range^3)) + nugget up to the range
        hole-effect  psill (1 - (1 - 3 d / range) exp(-3 d / range)) + nugget
        matern       psill (1 - M_nu(d / range)) + nugget             (not PyKrige's; bessel.matern)
        custom       variogram_function(variogram_parameters, d)

    or a covariance model of GSTools, of one or two dimensions or of latitudes and longitudes: its
    variogram, as a custom one, and its anisotropy.

    variogram_parameters: a list in this order (sill, range, nugget, and of matern nu, with the full
    sill = psill + nugget), or a dict by name, of sill or psill; left out, they are fitted to the
    sample variogram of nlags bins, with weight short distances more. anisotropy_angle: of the axes
    in degrees, counter-clockwise; anisotropy_scaling: of the second of them. coordinates_type:
    "euclidean", or "geographic", x longitudes and y latitudes in degrees, distances in degrees
    along the sphere. exact_values: predictions at observations are their values, with variance 0;
    False takes the nugget as the variance of their errors. pseudo_inv, pseudo_inv_type: a pseudo-
    inverse, for repeated points. verbose, enable_plotting: a message and a picture of the
    variogram. enable_statistics: not needed; Q1, Q2, cR are made when they are asked for.

    method: "auto", "exact" or "vecchia" for the variograms that tessera.gp has; "auto" is exact up
    to 5000 points. neighbours: of Vecchia's approximation; predictions are made in blocks of twice
    as many points, from 16 times as many (method.vecchia.prediction_block of tessera-gp).

    Accuracy: the solution of the dense system to 1e-10 of the largest value and of the sill, with a
    TesseraWarning where rounding may change it by more: the matrix is nearly singular, as that of
    the variogram gaussian without a nugget. Vecchia's approximation with 30 neighbours, of the 2000
    points of the test: exponential values to 1e-3 of their deviation and variances to 2e-6;
    smoother variograms with a nugget to 0.005 and 0.05 % (matern, nu = 1.5). Raises InputError for
    arguments that do not fit, and for more than 5000 points of a variogram that tessera.gp has no
    covariance of: MissingParameterError (also a KeyError) for a dict without a parameter,
    MissingMaskError (also an OSError) for the style "masked" without a mask; NumericalError for a
    singular matrix. Source: P. K. Kitanidis, Introduction to Geostatistics (1997), section 3.3. """

    def __init__(
        self,
        x,
        y,
        z,
        variogram_model="linear",
        variogram_parameters=None,
        variogram_function=None,
        nlags=6,
        weight=False,
        anisotropy_scaling=1.0,
        anisotropy_angle=0.0,
        verbose=False,
        enable_plotting=False,
        enable_statistics=False,
        coordinates_type="euclidean",
        exact_values=True,
        pseudo_inv=False,
        pseudo_inv_type="pinv",
        *,
        method="auto",
        neighbours=30,
    ):
        self._take_options(exact_values, pseudo_inv, pseudo_inv_type, method, neighbours)
        self.verbose, self.enable_plotting = verbose, enable_plotting
        self._take_data(x, y, z, coordinates_type)
        self.update_variogram_model(
            variogram_model,
            variogram_parameters,
            variogram_function,
            nlags,
            weight,
            anisotropy_scaling,
            anisotropy_angle,
        )

    def execute(
        self, style, xpoints, ypoints, mask=None, backend="vectorized", n_closest_points=None
    ):
        """Predictions and their variances: two masked arrays, (len(ypoints), len(xpoints)) or of
        the shape of the points.

        style: "grid" of the coordinates of columns and rows, "points", or "masked", a grid with a
        mask that is true where nothing is predicted. backend: "vectorized", "loop" or "C", which
        are the same here. n_closest_points: each prediction is from so many observations, of any
        variogram and number of points. Variances are of another observation, with the nugget.
        """
        _check_backend(backend)
        points, shape, mask = self._targets(style, xpoints, ypoints, mask)
        if n_closest_points is not None:
            count = _arguments.whole(n_closest_points, "n_closest_points")
            if not 2 <= count <= len(self.Z):
                raise _tessera.InputError(
                    f"n_closest_points is {count}\n  remedy: give a whole number from 2 to that of the points, {len(self.Z)}"
                )
            return self._execute(
                points, shape, mask, lambda targets, _: self._from_closest(targets, count)
            )
        solve = self._solution("constant", lambda: np.ones((len(self.Z), 1)))
        return self._execute(
            points, shape, mask, lambda targets, _: solve(targets, np.ones((len(targets), 1)))
        )

    def _from_closest(self, targets, count):
        tree = self._tree()
        flat = self.coordinates_type == "euclidean"
        values, variances, rounding = np.empty((3, len(targets)))
        of_variances, sill = np.empty(len(targets)), 1e-300
        step = max(1, _CHUNK // (count + 1) ** 2)
        for begin in range(0, len(targets), step):
            part = slice(begin, begin + step)
            own = targets[part]
            _, near = tree.query(own if flat else _on_sphere(own), k=count)
            points = self._points[near]
            each = range(len(own))
            distance = np.stack([self._distances(own[i : i + 1], points[i])[0] for i in each])
            gamma = self._gamma(np.stack([self._distances(points[i], points[i]) for i in each]))
            gamma[:, np.arange(count), np.arange(count)] = 0.0
            matrix = np.ones((len(own), count + 1, count + 1))
            matrix[:, :count, :count], matrix[:, count, count] = -gamma, 0.0
            right = np.ones((len(own), count + 1))
            right[:, :count] = -self._gamma(distance)
            if self.exact_values:
                right[:, :count][distance <= _SAME_PLACE] = 0.0
            data = np.zeros((len(own), count + 1))
            data[:, :count] = self.Z[near]
            try:
                weights, solved = np.moveaxis(
                    np.linalg.solve(matrix, np.stack([right, data], axis=-1)), -1, 0
                )
            except np.linalg.LinAlgError:
                raise _tessera.NumericalError(
                    "the kriging matrix of the closest points is singular: points repeat the place of others\n  remedy: leave them out, or give a nugget"
                ) from None
            values[part] = (weights * data).sum(axis=1)
            variances[part] = -(weights * right).sum(axis=1)
            # These are the errors of _Dense.check().
            changes = np.finfo(float).eps * (np.abs(matrix) @ np.abs(weights)[..., None])[..., 0]
            rounding[part] = (np.abs(solved) * changes).sum(axis=1)
            of_variances[part] = (np.abs(weights) * changes).sum(axis=1)
            sill = max(sill, gamma.max())
        self._warn_of_rounding(rounding, of_variances, sill)
        return values, variances


def _check_backend(backend):
    if backend not in ("vectorized", "loop", "C"):
        raise _tessera.InputError(
            f"unknown backend {backend!r}\n  remedy: leave it out; tessera.use() chooses where to compute"
        )


class UniversalKriging(_Kriging):
    """Kriging with a drift: PyKrige's class of this name, in the plane.

    drift_terms, a list of:

        regional_linear  the coordinates
        point_log        point_drift: rows (x, y, strength), each the drift
                         -strength log(distance from the point); -100 for log 0
        external_Z       external_drift, an array (len(external_drift_y), len(external_drift_x)),
                         between whose numbers is interpolated linearly
        specified        specified_drift, a list of arrays with a number for each point; their
                         values at the targets are specified_drift_arrays of execute()
        functional       functional_drift, a list of functions of arrays x and y

    The other arguments, and accuracy, errors and variogram, are those of OrdinaryKriging. point_log
    and functional take coordinates turned and stretched by the anisotropy, external_Z those given.
    With drifts other than regional_linear there may be 5000 points. Source: P. K. Kitanidis,
    Introduction to Geostatistics (1997), chapter 6.
    """

    def __init__(
        self,
        x,
        y,
        z,
        variogram_model="linear",
        variogram_parameters=None,
        variogram_function=None,
        nlags=6,
        weight=False,
        anisotropy_scaling=1.0,
        anisotropy_angle=0.0,
        drift_terms=None,
        point_drift=None,
        external_drift=None,
        external_drift_x=None,
        external_drift_y=None,
        specified_drift=None,
        functional_drift=None,
        verbose=False,
        enable_plotting=False,
        exact_values=True,
        pseudo_inv=False,
        pseudo_inv_type="pinv",
        *,
        method="auto",
        neighbours=30,
    ):
        self._take_options(exact_values, pseudo_inv, pseudo_inv_type, method, neighbours)
        self.verbose, self.enable_plotting = verbose, enable_plotting
        self._take_data(x, y, z, "euclidean")
        self._terms = [drift_terms] if isinstance(drift_terms, str) else list(drift_terms or [])
        known = ("regional_linear", "point_log", "external_Z", "specified", "functional")
        unknown = [term for term in self._terms if term not in known]
        if unknown:
            raise _tessera.InputError(
                f"unknown drift term {unknown[0]!r}\n  remedy: choose from {', '.join(known)}"
            )
        self._take_drifts(point_drift, specified_drift, functional_drift)
        if "external_Z" in self._terms:
            self._take_external(external_drift, external_drift_x, external_drift_y)
        self.update_variogram_model(
            variogram_model,
            variogram_parameters,
            variogram_function,
            nlags,
            weight,
            anisotropy_scaling,
            anisotropy_angle,
        )

    def _take_drifts(self, point_drift, specified_drift, functional_drift):
        for term, name, value in (
            ("point_log", "point_drift", point_drift),
            ("specified", "specified_drift", specified_drift),
            ("functional", "functional_drift", functional_drift),
        ):
            if term in self._terms and value is None:
                raise _tessera.InputError(
                    f"the drift {term!r} has no {name}\n  remedy: give it, or leave the term out"
                )
        if "point_log" in self._terms:
            self._wells = np.atleast_2d(_arguments.read(point_drift, "point_drift")[0]).astype(
                float
            )
            if self._wells.shape[1] != 3:
                raise _tessera.InputError(
                    f"point_drift has the shape {self._wells.shape}\n  remedy: give rows of x, y and strength"
                )
        if "specified" in self._terms:
            self._specified = self._read_specified(
                specified_drift, "specified_drift", self._used.shape, self._used
            )
        if "functional" in self._terms:
            if not isinstance(functional_drift, (list, tuple)) or not all(
                map(callable, functional_drift)
            ):
                raise _tessera.ArgumentTypeError(
                    "functional_drift is no list of functions\n  remedy: give [function], of arrays x and y"
                )
            self._functions = list(functional_drift)

    def _read_specified(self, arrays, name, shape, wanted):
        """Columns of the numbers that are wanted; arrays of a grid may be transposed."""
        if not isinstance(arrays, (list, tuple)):
            raise _tessera.ArgumentTypeError(
                f"{name} is no list\n  remedy: give a list of arrays, one for each drift"
            )
        if len(arrays) == 0:
            raise _tessera.InputError(
                f"{name} is empty\n  remedy: give a list of arrays, one for each drift"
            )
        columns = []
        for k, array in enumerate(arrays):
            values = _arguments.read(array, f"{name}[{k}]")[0].astype(float)
            if len(shape) == 2 and values.shape != shape and values.shape == shape[::-1]:
                values = values.T
            if np.size(values) != np.prod(shape) or (
                len(shape) == 2 and np.squeeze(values).shape != shape and values.shape != shape
            ):
                raise _tessera.InputError(
                    f"{name}[{k}] has the shape {values.shape}\n  remedy: give a number for each point, {tuple(map(int, shape))}"
                )
            columns.append(values.ravel()[wanted])
            if not np.isfinite(columns[-1]).all():
                raise _tessera.InputError(
                    f"{name}[{k}] holds numbers that are not finite\n  remedy: give a number for each point"
                )
        return np.stack(columns, axis=1)

    def _take_external(self, drift, x, y):
        if drift is None or x is None or y is None:
            raise _tessera.InputError(
                "the drift 'external_Z' has no array or no coordinates\n  remedy: give external_drift, external_drift_x and external_drift_y"
            )
        drift = _arguments.read(drift, "external_drift")[0].astype(float)
        x, y = (
            _column(self._coordinate(axis, name), name)[0]
            for axis, name in ((x, "external_drift_x"), (y, "external_drift_y"))
        )
        if drift.shape != (len(y), len(x)):
            if drift.shape != (len(x), len(y)):
                raise _tessera.InputError(
                    f"external_drift has the shape {drift.shape}, and its coordinates are {len(y)} (y) and {len(x)} (x)\n  remedy: give one row for each y"
                )
            drift = drift.T
        rows, columns = np.argsort(y), np.argsort(x)
        self._grid = y[rows], x[columns], drift[np.ix_(rows, columns)]
        self.z_scalars = self._external(np.stack([self.X_ORIG, self.Y_ORIG], axis=1))

    def _external(self, points):
        y, x, drift = self._grid
        px, py = points.T
        if (px < x[0]).any() or (px > x[-1]).any() or (py < y[0]).any() or (py > y[-1]).any():
            raise _tessera.InputError(
                f"external_drift covers {x[0]:g} to {x[-1]:g} and {y[0]:g} to {y[-1]:g}, and points lie beyond\n  remedy: give a larger one, or leave these points out"
            )
        column, row = (
            np.clip(np.searchsorted(axis, at, side="right") - 1, 0, max(len(axis) - 2, 0))
            for axis, at in ((x, px), (y, py))
        )
        right, above = np.minimum(column + 1, len(x) - 1), np.minimum(row + 1, len(y) - 1)
        u = (px - x[column]) / np.where(right > column, x[right] - x[column], 1.0)
        v = (py - y[row]) / np.where(above > row, y[above] - y[row], 1.0)
        lower = (1 - u) * drift[row, column] + u * drift[row, right]
        upper = (1 - u) * drift[above, column] + u * drift[above, right]
        return (1 - v) * lower + v * upper

    def _columns(self, original, adjusted, specified):
        """The drifts, a column each; the constant is the last."""
        columns = []
        if "regional_linear" in self._terms:
            columns += list((adjusted - [self.XCENTER, self.YCENTER]).T)
        if "point_log" in self._terms:
            places = self._adjusted(self._wells[:, :2])
            with np.errstate(divide="ignore"):
                logs = np.log(_plane(adjusted, places))
            columns += list((-self._wells[:, 2] * np.where(np.isinf(logs), -100.0, logs)).T)
        if "external_Z" in self._terms:
            columns.append(self._external(original))
        if "specified" in self._terms:
            columns += list(specified.T)
        if "functional" in self._terms:
            columns += [
                np.broadcast_to(np.asarray(function(*adjusted.T), dtype=float), len(adjusted))
                for function in self._functions
            ]
        return np.stack([*columns, np.ones(len(adjusted))], axis=1)

    def execute(
        self,
        style,
        xpoints,
        ypoints,
        mask=None,
        backend="vectorized",
        specified_drift_arrays=None,
    ):
        """Predictions and their variances, as OrdinaryKriging.execute() gives them.

        specified_drift_arrays: the drifts of `specified` at the targets, a list of arrays of the
        shape of the grid or of the points.
        """
        _check_backend(backend)
        points, shape, mask = self._targets(style, xpoints, ypoints, mask)
        wanted = ~mask.ravel()
        specified = None
        if "specified" in self._terms:
            count = self._specified.shape[1]
            if specified_drift_arrays is None:
                raise _tessera.InputError(
                    f"specified_drift_arrays is missing\n  remedy: give a list of {count} arrays, the drifts at the targets"
                )
            specified = self._read_specified(
                specified_drift_arrays, "specified_drift_arrays", shape, wanted
            )
            if specified.shape[1] != count:
                raise _tessera.InputError(
                    f"specified_drift_arrays has {specified.shape[1]} arrays\n  remedy: give a list of {count}, the drifts at the targets"
                )
        elif specified_drift_arrays is not None:
            _warnings.warn("specified_drift_arrays do not count without the drift term 'specified'")
        data = np.stack([self.X_ORIG, self.Y_ORIG], axis=1)
        mean = {(): "constant", ("regional_linear",): "linear"}.get(tuple(self._terms))
        solve = self._solution(
            mean, lambda: self._columns(data, self._points, getattr(self, "_specified", None))
        )
        return self._execute(
            points,
            shape,
            mask,
            lambda targets, wanted: solve(
                targets, self._columns(points[wanted], targets, specified)
            ),
        )

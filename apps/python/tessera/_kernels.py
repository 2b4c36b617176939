# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of scikit-learn: a Matern kernel whose smoothness may be fitted, and what a kernel says
as a covariance of tessera.gp."""

import numpy as np
from scipy.spatial.distance import cdist, pdist, squareform
from scipy.special import digamma, gammaln
from sklearn.base import clone
from sklearn.gaussian_process import kernels

from . import _tessera, bessel

_LARGEST_BOUND = 1e300  # of a search, whose bounds are finite
_CLOSED_FORMS = {0.5: "matern12", 1.5: "matern32", 2.5: "matern52"}


class Matern(kernels.Matern):
    """The Matern kernel of scikit-learn, for any smoothness, which may be a hyperparameter.

        k(a, b) = 2^(1-nu) / Gamma(nu) u^nu K_nu(u),     u = sqrt(2 nu) |(a - b) / length_scale|

    length_scale: a number, or one for each feature, in the units of the features.
    length_scale_bounds: of a fit, or "fixed". nu: smoothness, 1e-20 to 200, or infinity for the
    squared exponential. nu_bounds: of a fit, or "fixed", as it is for scikit-learn's own kernel.

    Values are within 2e-16 of the exact ones; derivatives in length_scale and nu are exact too, and
    within 1e-12. Raises InputError for nu out of range. Source: models/bessel/METHOD.md of Tessera.
    """

    def __init__(
        self, length_scale=1.0, length_scale_bounds=(1e-5, 1e5), nu=1.5, nu_bounds="fixed"
    ):
        super().__init__(length_scale, length_scale_bounds, nu)
        self.nu_bounds = nu_bounds

    @property
    def hyperparameter_nu(self):
        return kernels.Hyperparameter("nu", "numeric", self.nu_bounds)

    def __call__(self, X, Y=None, eval_gradient=False):
        if np.isinf(self.nu) and self.hyperparameter_nu.fixed:
            return super().__call__(X, Y, eval_gradient)
        X = np.atleast_2d(X)
        scale = np.squeeze(self.length_scale).astype(float)
        if scale.ndim > 1 or (scale.ndim == 1 and len(scale) != X.shape[1]):
            raise _tessera.InputError(
                f"length_scale has the shape {scale.shape}, and the points have {X.shape[1]} features\n  remedy: give one number, or one for each feature"
            )
        root = np.sqrt(2 * self.nu)
        if Y is not None:
            if eval_gradient:
                raise _tessera.InputError(
                    "gradients are evaluated of one set of points alone\n  remedy: leave Y out"
                )
            return bessel.matern(self.nu, root * cdist(X / scale, np.atleast_2d(Y) / scale))
        distance = root * pdist(X / scale)
        value = bessel.matern(self.nu, distance) if distance.size else distance
        K = squareform(value)
        np.fill_diagonal(K, 1)
        return (K, self._gradient(X, scale, distance, value)) if eval_gradient else K

    def _gradient(self, X, scale, distance, value):
        """Derivatives in the logarithms of what is not fixed, along the last axis."""
        nu, apart = self.nu, distance > 0
        u = np.where(apart, distance, 1.0)
        # -u dM/du, of the Matern function M
        log_slope = (nu + 1) * np.log(u) + bessel.log_k(nu - 1, u)
        slope = np.where(apart, np.exp(log_slope + (1 - nu) * np.log(2) - gammaln(nu)), 0.0)
        parts = []
        if not self.hyperparameter_length_scale.fixed:
            if scale.ndim == 0:
                parts.append(slope)
            else:
                share = slope * 2 * nu / (u * u)
                parts += [
                    share * pdist(X[:, k : k + 1] / scale[k], "sqeuclidean")
                    for k in range(len(scale))
                ]
        if not self.hyperparameter_nu.fixed:
            in_order = bessel.dlog_k_dnu(nu, u) + np.log(u / 2) - digamma(nu)
            parts.append(np.where(apart, nu * value * in_order - 0.5 * slope, 0.0))
        if not parts:
            return np.empty((len(X), len(X), 0))
        return np.stack([squareform(part) for part in parts], axis=-1)


def with_own_matern(kernel):
    """A copy of a kernel, of any form, in which Matern kernels are those of this module."""
    if type(kernel) is kernels.Matern:
        return Matern(
            length_scale=np.copy(kernel.length_scale)[()],
            length_scale_bounds=kernel.length_scale_bounds,
            nu=kernel.nu,
        )
    if isinstance(kernel, kernels.CompoundKernel):
        return kernels.CompoundKernel([with_own_matern(part) for part in kernel.kernels])
    if isinstance(kernel, kernels.Exponentiation):
        return kernels.Exponentiation(with_own_matern(kernel.kernel), kernel.exponent)
    if isinstance(kernel, kernels.KernelOperator):
        return type(kernel)(with_own_matern(kernel.k1), with_own_matern(kernel.k2))
    return clone(kernel)


def _split(kernel, operator, part):
    """Both sides of a sum or product, that of the type `part` last; the kernel and None where it is
    no such sum or product."""
    if isinstance(kernel, operator):
        for own, other in ((kernel.k1, kernel.k2), (kernel.k2, kernel.k1)):
            if type(own) is part:
                return other, own
    return kernel, None


class Covariance:
    """A kernel variance * Matern + noise, or with RBF, as tessera.gp takes it. variance and noise
    may be missing."""

    def __init__(self, kernel, features):
        signal, self._noise = _split(kernel, kernels.Sum, kernels.WhiteKernel)
        self._correlation, self._variance = _split(signal, kernels.Product, kernels.ConstantKernel)
        self._kernel, self._features = kernel, features

    def obstacle(self):
        """Why tessera.gp does not take the kernel; "" where it does."""
        correlation = self._correlation
        if type(correlation) not in (kernels.RBF, kernels.Matern, Matern):
            return f"the kernel {self._kernel} is not of the form ConstantKernel * Matern + WhiteKernel, or with RBF"
        if self._features > 32:
            return f"there are {self._features} features, and at most 32 are taken"
        if np.size(correlation.length_scale) not in (1, self._features):
            return f"length_scale has {np.size(correlation.length_scale)} numbers for {self._features} features"
        nu = getattr(correlation, "nu", np.inf)
        limits = [nu] if self._is_fixed("nu") else [nu, *self._bounds("nu", None)]
        if not (np.isinf(nu) or all(0.01 <= limit <= 50 for limit in limits)):
            return "nu goes beyond 0.01 to 50"
        if not np.all(np.asarray(correlation.length_scale) > 0):
            return f"length_scale is {correlation.length_scale}, and must be above 0"
        if self._variance is not None and not self._variance.constant_value > 0:
            return f"constant_value is {self._variance.constant_value:g}, and must be above 0"
        return ""

    @property
    def noise(self):
        """Variance of the noise, 0 where there is none."""
        return 0.0 if self._noise is None else float(self._noise.noise_level)

    @property
    def has_noise(self):
        return self._noise is not None

    @property
    def may_have_noise(self):
        """Whether the noise is above 0 or estimated."""
        return self.has_noise and (self.noise > 0 or not self._is_fixed("nugget"))

    def _hyperparameter(self, name):
        owner, own_name = {
            "sigma2": (self._variance, "constant_value"),
            "nugget": (self._noise, "noise_level"),
            "nu": (self._correlation, "nu"),
            "beta": (self._correlation, "length_scale"),
        }[name.partition("_")[0]]
        return getattr(owner, "hyperparameter_" + own_name, None)

    def _is_fixed(self, name):
        hyperparameter = self._hyperparameter(name)
        return hyperparameter is None or hyperparameter.fixed

    def _bounds(self, name, value):
        """Of a parameter of tessera.gp, in its units."""
        if self._is_fixed(name):
            return (0.5 * value, 2 * value) if value > 0 else (0.0, 1.0)
        bounds = np.atleast_2d(self._hyperparameter(name).bounds)
        place = int(name.partition("_")[2] or 1) - 1 if len(bounds) > 1 else 0
        factor = self._unit if name.startswith("beta") else 1.0
        return tuple(factor * min(float(bound), _LARGEST_BOUND) for bound in bounds[place])

    @property
    def _family(self):
        nu = getattr(self._correlation, "nu", np.inf)
        if np.isinf(nu):
            return "squared_exponential"
        return _CLOSED_FORMS.get(nu, "matern") if self._is_fixed("nu") else "matern"

    @property
    def _unit(self):
        """The range of tessera.gp that stands for a length scale of 1."""
        return np.sqrt(2) if self._family == "squared_exponential" else 1.0

    def section(self, added=0.0):
        """What tessera.gp is told. added: to the variance of the noise."""
        family, ranges = self._family, self._unit * np.atleast_1d(self._correlation.length_scale)
        section = {
            "family": family,
            "sigma2": 1.0 if self._variance is None else float(self._variance.constant_value),
            **({"beta": float(ranges[0])} if len(ranges) == 1 else {"ranges": ranges.tolist()}),
        }
        if family != "squared_exponential":
            section["range_convention"] = "scaled"
        if family == "matern":
            section["nu"] = float(self._correlation.nu)
        if self.has_noise:
            section["nugget"] = self.noise + added
        return section

    def parameters(self, added=0.0):
        """The parameters of tessera.gp and their values, in its order."""
        section, found = self.section(added), {}
        for name in ("sigma2", "beta", "ranges", "nu", "nugget"):
            if name == "ranges":
                found.update({f"beta_{k + 1}": v for k, v in enumerate(section.get(name, []))})
            elif name in section:
                found[name] = section[name]
        return found

    def without_effect(self, X):
        """Ranges of features that are the same at all points, which no search finds: names of
        tessera.gp, with the numbers of the features."""
        same = np.flatnonzero(np.all(X == X[:1], axis=0))
        names = {f"beta_{k + 1}": int(k) for k in same}
        if len(same) == X.shape[1]:
            names["beta"] = 0
        return {k: v for k, v in names.items() if k in self.parameters() and not self._is_fixed(k)}

    def search(self, added=0.0, left=()):
        """Where a search starts, its bounds and what it leaves, besides what is fixed: options of
        tessera.gp.fit(). None where nothing is left to search for."""
        values = self.parameters(added)
        fixed = [name for name in values if self._is_fixed(name) or name in left]
        if len(fixed) == len(values):
            return None
        bounds = {
            name: np.add(
                self._bounds(name, value), added if name == "nugget" and name not in fixed else 0.0
            ).tolist()
            for name, value in values.items()
        }
        start = {
            name: value if name in fixed else float(np.clip(value, *bounds[name]))
            for name, value in values.items()
        }
        return {
            "fixed": fixed,
            "start": list(start.values()),
            "lower": [low for low, _ in bounds.values()],
            "upper": [high for _, high in bounds.values()],
        }

    def logarithms(self, theta, added=0.0):
        """The kernel's theta for estimates of tessera.gp."""
        owners = {
            "constant_value": lambda: [theta["sigma2"]],
            "length_scale": lambda: [
                value / self._unit for name, value in theta.items() if name.startswith("beta")
            ],
            "nu": lambda: [theta["nu"]],
            "noise_level": lambda: [theta["nugget"] - added],
        }
        values = []
        for hyperparameter in self._kernel.hyperparameters:
            if not hyperparameter.fixed:
                low, high = np.atleast_2d(hyperparameter.bounds).T
                own = owners[hyperparameter.name.rpartition("__")[2]]()
                values.extend(np.log(np.clip(own, low, high)))
        return np.array(values)

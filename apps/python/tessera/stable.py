# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Alpha-stable distributions S(alpha, beta, scale, loc), 0.1 <= alpha <= 2, -1 <= beta <= 1: densities, tails, quantiles, random numbers, fits.

    tessera.stable.pdf(x, 1.5, 0.5)                   # scipy.stats.levy_stable's order of arguments
    law = tessera.stable.fit(returns)
    law.alpha, law.interval("alpha"), law.quantile([0.01, 0.05])

Parameterisations (Nolan): "S0" (the default), continuous in all parameters; "S1", whose location is the mean for alpha > 1 and which is the
default of SciPy; "S2", whose location is the mode. `levy_stable` has SciPy's signatures with "S1".

Accuracy: density and the smaller tail to a relative 2e-11 (median 2e-16), cdf to 1e-13 absolutely; 4e-12 of that where a table is used: from
2000 points of one distribution on, as tessera-stable does. Quantiles to 1e-12 of |x - c| + w, of the distribution's centre and width.

Source: J. P. Nolan's parameterisations; the contour integrals of models/stable/METHOD.md. Random numbers: Chambers, Mallows and Stuck, Journal
of the American Statistical Association 71 (1976) 340.
"""

import dataclasses
import secrets
import statistics
import warnings

import numpy as np

from . import _tessera

__all__ = ["Fit", "Law", "cdf", "fit", "levy_stable", "logpdf", "pdf", "ppf", "rvs", "sf"]

_PARAMETERIZATIONS = {"S0": 0, "S1": 1, "S2": 2}
_PDF, _LOGPDF, _CDF, _SF = range(4)
_NAMES = ("alpha", "beta", "scale", "loc")
_CONVERGED, _BOUNDARY, _NOT_CONVERGED = range(3)


def _number(parameterization):
    try:
        return _PARAMETERIZATIONS[parameterization]
    except (KeyError, TypeError):
        raise _tessera.InputError(f"unknown parameterization {parameterization!r}\n  remedy: choose S0, S1 or S2") from None


def pdf(x, alpha, beta, loc=0, scale=1, *, parameterization="S0", out=None, backend=None):
    """The density at x.

    x, alpha, beta: arrays that broadcast; with arrays of alpha and beta each point has a distribution of its own, NaN where it is out of range.
    loc, scale: numbers. Returns an array of float64, or a number.
    """
    return _tessera.stable(_PDF, x, alpha, beta, loc, scale, _number(parameterization), out, backend)


def logpdf(x, alpha, beta, loc=0, scale=1, *, parameterization="S0", out=None, backend=None):
    """The logarithm of the density at x, also where that underflows. Arguments as in pdf()."""
    return _tessera.stable(_LOGPDF, x, alpha, beta, loc, scale, _number(parameterization), out, backend)


def cdf(x, alpha, beta, loc=0, scale=1, *, parameterization="S0", out=None, backend=None):
    """P(X <= x). Arguments as in pdf()."""
    return _tessera.stable(_CDF, x, alpha, beta, loc, scale, _number(parameterization), out, backend)


def sf(x, alpha, beta, loc=0, scale=1, *, parameterization="S0", out=None, backend=None):
    """P(X > x), with its own digits where it is small. Arguments as in pdf()."""
    return _tessera.stable(_SF, x, alpha, beta, loc, scale, _number(parameterization), out, backend)


def ppf(p, alpha, beta, loc=0, scale=1, *, parameterization="S0", out=None, backend=None):
    """The x with P(X <= x) = p, NaN unless 0 < p < 1. alpha, beta, loc and scale are numbers."""
    return _tessera.stable_quantile(p, alpha, beta, loc, scale, _number(parameterization), out, backend)


def rvs(alpha, beta, loc=0, scale=1, size=None, random_state=None, *, parameterization="S0", backend=None):
    """Random numbers: an array of shape `size`, or a number.

    random_state: a seed, 0 to 2^64 - 1, for which numbers are those of tessera-stable with run.seed, on every machine to rounding; a
    numpy.random.Generator or RandomState, which gives the seed; None: another seed each time.
    """
    if random_state is None:
        seed = secrets.randbits(64)
    elif isinstance(random_state, np.random.Generator):
        seed = int(random_state.integers(2**63))
    elif isinstance(random_state, np.random.RandomState):
        seed = int(random_state.randint(2**31))
    else:
        seed = int(random_state)
        if not 0 <= seed < 2**64:
            raise _tessera.InputError(f"the seed {seed} is out of range\n  remedy: choose a whole number from 0 to 2^64 - 1")
    shape = () if size is None else (size,) if np.ndim(size) == 0 else tuple(size)
    return _tessera.stable_sample(alpha, beta, loc, scale, _number(parameterization), shape, seed, backend)


@dataclasses.dataclass(frozen=True)
class Law:
    """One stable distribution; scale and location in `parameterization`."""

    alpha: float
    beta: float
    scale: float = 1.0
    loc: float = 0.0
    parameterization: str = "S0"

    def _arguments(self):
        return {"alpha": self.alpha, "beta": self.beta, "loc": self.loc, "scale": self.scale, "parameterization": self.parameterization}

    def pdf(self, x, **options):
        return pdf(x, **self._arguments(), **options)

    def logpdf(self, x, **options):
        return logpdf(x, **self._arguments(), **options)

    def cdf(self, x, **options):
        return cdf(x, **self._arguments(), **options)

    def sf(self, x, **options):
        return sf(x, **self._arguments(), **options)

    def quantile(self, p, **options):
        return ppf(p, **self._arguments(), **options)

    ppf = quantile

    def rvs(self, size=None, random_state=None, **options):
        return rvs(size=size, random_state=random_state, **self._arguments(), **options)

    def to(self, parameterization):
        """The same distribution with its location in another parameterisation, S0 or S1."""
        if parameterization == "S2" or self.parameterization == "S2":
            raise _tessera.InputError("scales of S2 are others\n  remedy: choose S0 or S1")
        loc = _tessera.stable_location(self.alpha, self.beta, self.loc, self.scale, _number(self.parameterization), _number(parameterization))
        return Law(self.alpha, self.beta, self.scale, loc, parameterization)


@dataclasses.dataclass(frozen=True)
class Fit(Law):
    """A fitted distribution, in S0.

    errors: standard errors by the names alpha, beta, scale, loc; 0 where a parameter was given, NaN at the end of its range. log_likelihood;
    gradient: the largest component of its gradient by the number of values; kolmogorov_smirnov, anderson_darling: distances, with goodness=True.
    status: "converged", "converged at the end of a range", "not converged", or why the sample cannot be fitted; then everything is NaN.
    """

    errors: dict = dataclasses.field(default_factory=dict)
    log_likelihood: float = float("nan")
    gradient: float = float("nan")
    kolmogorov_smirnov: float = float("nan")
    anderson_darling: float = float("nan")
    iterations: int = 0
    status: str = ""

    def interval(self, name, level=0.95):
        """The central interval of a parameter, by its standard error: estimate -/+ z error, of a normal distribution."""
        if name not in _NAMES:
            raise _tessera.InputError(f"unknown parameter {name!r}\n  remedy: choose one of {', '.join(_NAMES)}")
        half = statistics.NormalDist().inv_cdf(0.5 + level / 2) * self.errors[name]
        return getattr(self, name) - half, getattr(self, name) + half


def fit(x, *, method="ml", fixed=None, weights=None, standard_errors=True, goodness=False, tolerance=1e-9, backend=None):
    """Fits a sample by maximum likelihood: a Fit. An array of two dimensions is a sample a row, and gives a list of them, all made at once.

    method: "ml", or "mcculloch", from five quantiles. fixed: parameters that are given, as in {"beta": 0.0}. weights: of the values, an array
    like x. tolerance: for the gradient by the number of values.

    A sample that cannot be fitted (fewer than five values, NaN, more than half of them the same) raises InputError; as a row of several it has a
    status. A fit that has not converged gives a RuntimeWarning.
    """
    if method not in ("ml", "mcculloch"):
        raise _tessera.InputError(f"unknown method {method!r}\n  remedy: choose ml or mcculloch")
    given = dict(fixed or {})
    values = [given.pop(name, None) for name in _NAMES]
    if given:
        raise _tessera.InputError(f"unknown parameter {next(iter(given))!r} in fixed\n  remedy: choose from {', '.join(_NAMES)}")
    found = _tessera.stable_fit(x, weights, method == "mcculloch", tolerance, standard_errors, goodness, values, backend)
    fits = [Fit(alpha=p[0], beta=p[1], scale=p[2], loc=p[3], errors=dict(zip(_NAMES, e)), log_likelihood=likelihood, gradient=gradient,
                kolmogorov_smirnov=ks, anderson_darling=ad, iterations=iterations, status=state)
            for p, e, likelihood, gradient, ks, ad, iterations, _, state in found]
    if np.ndim(x) == 2:
        return fits
    code, state = found[0][7], found[0][8]
    if code > _NOT_CONVERGED:
        raise _tessera.InputError(f"the sample cannot be fitted: {state}\n  remedy: a fit needs at least five finite values that differ")
    if code == _NOT_CONVERGED:
        warnings.warn(f"the fit has not converged; its gradient is {fits[0].gradient:.3g} by the number of values", RuntimeWarning, stacklevel=2)
    return fits[0]


class _LevyStable:
    """scipy.stats.levy_stable with the functions of this module: the same arguments, in the same order, and `parameterization`, "S1" unless
    it is set to another one."""

    parameterization = "S1"

    def pdf(self, x, alpha, beta, loc=0, scale=1):
        return pdf(x, alpha, beta, loc, scale, parameterization=self.parameterization)

    def logpdf(self, x, alpha, beta, loc=0, scale=1):
        return logpdf(x, alpha, beta, loc, scale, parameterization=self.parameterization)

    def cdf(self, x, alpha, beta, loc=0, scale=1):
        return cdf(x, alpha, beta, loc, scale, parameterization=self.parameterization)

    def sf(self, x, alpha, beta, loc=0, scale=1):
        return sf(x, alpha, beta, loc, scale, parameterization=self.parameterization)

    def ppf(self, q, alpha, beta, loc=0, scale=1):
        return ppf(q, alpha, beta, loc, scale, parameterization=self.parameterization)

    def rvs(self, alpha, beta, loc=0, scale=1, size=None, random_state=None):
        return rvs(alpha, beta, loc, scale, size, random_state, parameterization=self.parameterization)

    def fit(self, data):
        """Maximum-likelihood estimates: (alpha, beta, loc, scale)."""
        law = fit(data, standard_errors=False).to(self.parameterization)
        return law.alpha, law.beta, law.loc, law.scale


levy_stable = _LevyStable()

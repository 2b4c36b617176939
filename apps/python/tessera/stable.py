# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Alpha-stable distributions S(alpha, beta, scale, loc), 0.1 <= alpha <= 2, -1 <= beta <= 1:
densities, tails, quantiles, random numbers, fits.

    tessera.stable.pdf(x, 1.5, 0.5)                   # scipy.stats.levy_stable's order of arguments
    law = tessera.stable.fit(returns)
    law.alpha, law.interval("alpha"), law.quantile([0.01, 0.05])

Parameterisations (Nolan): "S0" (the default), continuous in all parameters; "S1", whose location is
the mean for alpha > 1 and which is the default of SciPy; "S2", whose location is the mode.
`levy_stable` has SciPy's signatures with "S1".

Accuracy: density and the smaller tail to a relative 2e-11 (median 2e-16), cdf to 1e-13 absolutely;
4e-12 of that where a table is used: from 2000 points of one distribution on, as tessera-stable
does. Logarithms go on where their values underflow, to 2e-9 or 1e-15 of them. The number of points
changes no result beyond that. Quantiles to 1e-12 of |x - c| + w, of the distribution's centre and
width.

Source: J. P. Nolan's parameterisations; the contour integrals of models/stable/METHOD.md. Random
numbers: Chambers, Mallows and Stuck, Journal of the American Statistical Association 71 (1976) 340.
"""

import dataclasses
import statistics

import numpy as np

from . import _arguments, _frames, _html, _scipy_face, _stable_units, _tessera, _warnings

__all__ = [
    "Fit",
    "Law",
    "cdf",
    "fit",
    "isf",
    "levy_stable",
    "logcdf",
    "logpdf",
    "logsf",
    "pdf",
    "ppf",
    "rvs",
    "sf",
    "support",
]

_PARAMETERIZATIONS = {"S0": 0, "S1": 1, "S2": 2}
_PDF, _LOGPDF, _CDF, _SF, _LOGCDF, _LOGSF = range(6)
_NAMES = ("alpha", "beta", "scale", "loc")
_PLAIN = (int, float)
_CONVERGED, _BOUNDARY, _NOT_CONVERGED = range(3)


def _number(parameterization):
    try:
        return _PARAMETERIZATIONS[parameterization]
    except (KeyError, TypeError):
        raise _tessera.InputError(
            f"unknown parameterization {parameterization!r}\n  remedy: choose S0, S1 or S2"
        ) from None


def _is_number(value):
    return isinstance(value, (int, float)) or (
        np.ndim(value) == 0 and not np.ma.isMaskedArray(value)
    )


def _as_numbers(arguments):
    """Arguments as arrays of one shape, those masked or missing as NaN, and the mask of all of them
    or None."""
    read = {name: _arguments.read(value, name) for name, value in arguments.items()}
    try:
        shape = np.broadcast_shapes(*(array.shape for array, _ in read.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, (array, _) in read.items())
        raise _tessera.InputError(
            f"the shapes do not go together: {shapes}\n  remedy: give shapes that NumPy broadcasts to one"
        ) from None
    masks = [np.broadcast_to(mask, shape) for _, mask in read.values() if mask is not None]
    return [
        np.broadcast_to(array, shape).astype(float) for array, _ in read.values()
    ], np.logical_or.reduce(masks) if masks else None


def _to_shift(alpha, beta, scale, parameterization):
    """loc is this much of a scale away from where the location of the law with the scale 1 puts it:
    S1 at alpha = 1 is no family of location and scale."""
    if parameterization != "S1":
        return np.zeros(np.shape(scale))
    with np.errstate(all="ignore"):
        return np.where(alpha == 1, beta * (2 / np.pi) * np.log(scale), 0.0)


def _deliver(values, mask, out):
    if out is not None:
        good = (
            isinstance(out, np.ndarray)
            and not np.ma.isMaskedArray(out)
            and out.shape == np.shape(values)
            and out.dtype == np.float64
            and out.flags.writeable
        )
        if not good:
            raise _tessera.InputError(
                f"out is no writable NumPy array of shape {np.shape(values)} and type float64\n  remedy: leave it out, or make it so"
            )
        out[...] = values
        values = out
    if mask is not None:
        return np.ma.MaskedArray(values, np.array(mask))
    return values if np.ndim(values) else float(values)


def _evaluate(quantity, x, alpha, beta, loc, scale, parameterization, out, backend):
    code = _number(parameterization)
    if type(loc) in _PLAIN and type(scale) in _PLAIN:
        return _tessera.stable(quantity, x, alpha, beta, loc, scale, code, out, backend)
    if _is_number(loc) and _is_number(scale):
        return _tessera.stable(
            quantity,
            x,
            alpha,
            beta,
            _arguments.number(loc, "loc"),
            _arguments.number(scale, "scale"),
            code,
            out,
            backend,
        )
    (x, a, b, loc, scale), mask = _as_numbers(
        {"x": x, "alpha": alpha, "beta": beta, "loc": loc, "scale": scale}
    )
    with np.errstate(all="ignore"):
        z = (x - loc) / scale - _to_shift(a, b, scale, parameterization)
    z = np.where((scale > 0) & np.isfinite(scale) & np.isfinite(loc), z, np.nan)
    one = _is_number(alpha) and _is_number(beta)

    def standard(quantity, at=...):
        return np.asarray(
            _tessera.stable(
                quantity,
                z[at],
                alpha if one else a[at],
                beta if one else b[at],
                0.0,
                1.0,
                code,
                None,
                backend,
            )
        )

    values = standard(quantity)
    if quantity == _PDF:
        small = (values < 1e-290) & (scale < 1)  # few digits are left of the density of the scale 1
        values = values / scale
        if small.any():
            values = np.array(values)
            values[small] = np.exp(standard(_LOGPDF, small) - np.log(scale[small]))
    elif quantity == _LOGPDF:
        values = values - np.log(np.where(scale > 0, scale, np.nan))
    beyond = np.isinf(z) & np.isfinite(x)  # the largest number: these points have no z, but values
    if beyond.any():
        values = np.array(values)
        for at in zip(*np.nonzero(beyond)):
            in_range = 0.1 <= a[at] <= 2 and -1 <= b[at] <= 1
            values[at] = (
                _tessera.stable(
                    quantity, x[at], a[at], b[at], loc[at], scale[at], code, None, backend
                )
                if in_range
                else np.nan
            )
    return _deliver(values, mask, out)


@_stable_units.taken(_stable_units.DENSITY)
def pdf(x, alpha, beta, loc=0, scale=1, *, parameterization="S0", out=None, backend=None):
    """The density at x.

    x, alpha, beta, loc, scale: arrays that broadcast. With arrays of alpha and beta each point has
    a distribution of its own, NaN where it is out of range. Where an argument is a masked array, or
    a column of pandas with missing values, so is the result; other columns give a Series with
    their index. Of quantities of pint, x, loc and scale, the density has the inverse unit of x; its
    logarithm raises InputError. out: a NumPy array for the result. Returns an array of float64, or
    a number.
    """
    return _evaluate(_PDF, x, alpha, beta, loc, scale, parameterization, out, backend)


@_stable_units.taken(_stable_units.LOG_DENSITY)
def logpdf(x, alpha, beta, loc=0, scale=1, *, parameterization="S0", out=None, backend=None):
    """The logarithm of the density at x, also where that underflows. Arguments as in pdf()."""
    return _evaluate(_LOGPDF, x, alpha, beta, loc, scale, parameterization, out, backend)


@_stable_units.taken(_stable_units.PROBABILITY)
def cdf(x, alpha, beta, loc=0, scale=1, *, parameterization="S0", out=None, backend=None):
    """P(X <= x). Arguments as in pdf()."""
    return _evaluate(_CDF, x, alpha, beta, loc, scale, parameterization, out, backend)


@_stable_units.taken(_stable_units.PROBABILITY)
def sf(x, alpha, beta, loc=0, scale=1, *, parameterization="S0", out=None, backend=None):
    """P(X > x), with its own digits where it is small. Arguments as in pdf()."""
    return _evaluate(_SF, x, alpha, beta, loc, scale, parameterization, out, backend)


@_stable_units.taken(_stable_units.PROBABILITY)
def logcdf(x, alpha, beta, loc=0, scale=1, *, parameterization="S0", out=None, backend=None):
    """The logarithm of P(X <= x), also where that underflows. Arguments as in pdf()."""
    return _evaluate(_LOGCDF, x, alpha, beta, loc, scale, parameterization, out, backend)


@_stable_units.taken(_stable_units.PROBABILITY)
def logsf(x, alpha, beta, loc=0, scale=1, *, parameterization="S0", out=None, backend=None):
    """The logarithm of P(X > x), also where that underflows. Arguments as in pdf()."""
    return _evaluate(_LOGSF, x, alpha, beta, loc, scale, parameterization, out, backend)


@_stable_units.taken(_stable_units.VALUE)
def support(alpha, beta, loc=0, scale=1, *, parameterization="S0"):
    """The ends of the support: of alpha < 1 and |beta| = 1 one is finite, where S1 has its
    location. Arrays of arguments give arrays."""
    if all(_is_number(value) for value in (alpha, beta, loc, scale)):
        alpha, beta = _arguments.number(alpha, "alpha"), _arguments.number(beta, "beta")
        loc, scale = _arguments.number(loc, "loc"), _arguments.number(scale, "scale")
        end = _tessera.stable_location(alpha, beta, loc, scale, _number(parameterization), 1)
        end = loc if parameterization == "S1" else end
        return (end if alpha < 1 and beta == 1 else -np.inf), (
            end if alpha < 1 and beta == -1 else np.inf
        )
    (a, b, loc, scale), _ = _as_numbers({"alpha": alpha, "beta": beta, "loc": loc, "scale": scale})
    ends = np.full((2, *a.shape), np.nan)
    for place in np.ndindex(a.shape):
        try:
            ends[(slice(None), *place)] = support(
                a[place], b[place], loc[place], scale[place], parameterization=parameterization
            )
        except _tessera.InputError:  # out of range: NaN
            continue
    return ends[0], ends[1]


@_stable_units.taken(_stable_units.VALUE)
def ppf(p, alpha, beta, loc=0, scale=1, *, parameterization="S0", out=None, backend=None):
    """The x with P(X <= x) = p: the ends of the support for 0 and 1, NaN outside of them. Arguments
    as in pdf(). An array p on a GPU has one law, and NaN for 0 and 1."""
    code = _number(parameterization)
    if all(_is_number(value) for value in (alpha, beta, loc, scale)):
        alpha, beta, loc, scale = (
            _arguments.number(v, name)
            for v, name in ((alpha, "alpha"), (beta, "beta"), (loc, "loc"), (scale, "scale"))
        )
        x = _tessera.stable_quantile(p, alpha, beta, loc, scale, code, out, backend)
        if _tessera.is_on_device(p):
            return x
        if not isinstance(x, np.ndarray):
            return (
                support(alpha, beta, loc, scale, parameterization=parameterization)[int(p)]
                if p in (0, 1)
                else x
            )
        low, high = support(alpha, beta, loc, scale, parameterization=parameterization)
        p, values = _arguments.read(p, "p")[0], np.ma.getdata(x)
        values[p == 0], values[p == 1] = low, high
        return x
    (p, a, b, loc, scale), mask = _as_numbers(
        {"p": p, "alpha": alpha, "beta": beta, "loc": loc, "scale": scale}
    )
    z = np.array(_tessera.stable_quantile(p, a, b, 0.0, 1.0, code, None, backend), ndmin=p.ndim)
    with np.errstate(all="ignore"):
        x = loc + scale * (z + _to_shift(a, b, scale, parameterization))
    x = np.where((scale > 0) & np.isfinite(scale) & np.isfinite(loc), x, np.nan)
    # These points lie beyond the largest number at the scale 1.
    for at in zip(
        *np.nonzero(
            np.isinf(z) & (p > 0) & (p < 1) & (scale > 0) & np.isfinite(scale) & np.isfinite(loc)
        )
    ):
        x[at] = _tessera.stable_quantile(
            p[at], a[at], b[at], loc[at], scale[at], code, None, backend
        )
    at_end = (p == 0) | (p == 1)
    if at_end.any():
        low, high = support(
            a[at_end], b[at_end], loc[at_end], scale[at_end], parameterization=parameterization
        )
        x[at_end] = np.where(p[at_end] == 0, low, high)
    return _deliver(x, mask, out)


@_stable_units.taken(_stable_units.VALUE)
def isf(q, alpha, beta, loc=0, scale=1, *, parameterization="S0", out=None, backend=None):
    """The x with P(X > x) = q, with the digits of a small q. Arguments as in ppf()."""
    x = ppf(
        q,
        alpha,
        _minus(beta, "beta"),
        _minus(loc, "loc"),
        scale,
        parameterization=parameterization,
        out=out,
        backend=backend,
    )
    return np.negative(x, out=x) if x is out and out is not None else -x


def _minus(value, name):
    if _is_number(value):
        return -value
    values, mask = _arguments.read(value, name)
    return -values.astype(float) if mask is None else np.ma.MaskedArray(-values.astype(float), mask)


@_stable_units.taken(_stable_units.VALUE)
def rvs(
    alpha,
    beta,
    loc=0,
    scale=1,
    size=None,
    random_state=None,
    *,
    parameterization="S0",
    backend=None,
):
    """Random numbers: an array of shape `size`, or of that of the arguments, or a number.

    random_state: a seed, 0 to 2^64 - 1, for which numbers are those of tessera-stable with
    run.seed, on every machine to rounding; a numpy.random.Generator or RandomState, which gives the
    seed; None: another seed each time. All 64 bits of a seed count. With arrays of alpha and beta
    each number has a distribution of its own, NaN where it is out of range.
    """
    seed, code = _arguments.seed(random_state), _number(parameterization)
    if all(_is_number(value) for value in (alpha, beta, loc, scale)):
        return _tessera.stable_sample(
            alpha,
            beta,
            _arguments.number(loc, "loc"),
            _arguments.number(scale, "scale"),
            code,
            _arguments.shape(size),
            seed,
            backend,
        )
    one = _is_number(alpha) and _is_number(beta)
    (a, b, loc, scale), mask = _as_numbers(
        {"alpha": alpha, "beta": beta, "loc": loc, "scale": scale}
    )
    shape = a.shape if size is None else _arguments.shape(size)
    try:
        a, b, loc, scale = (np.broadcast_to(values, shape) for values in (a, b, loc, scale))
    except ValueError:
        raise _tessera.InputError(
            f"arguments of shape {a.shape} do not fit into size {shape}\n  remedy: give the size that they broadcast to"
        ) from None
    z = np.asarray(
        _tessera.stable_sample(
            alpha if one else a, beta if one else b, 0.0, 1.0, code, shape, seed, backend
        )
    )
    with np.errstate(all="ignore"):
        x = loc + scale * (z + _to_shift(a, b, scale, parameterization))
    x = np.where((scale > 0) & np.isfinite(scale) & np.isfinite(loc), x, np.nan)
    return _deliver(x, None if mask is None else np.broadcast_to(mask, shape), None)


@dataclasses.dataclass(frozen=True)
class Law:
    """One stable distribution; scale and location in `parameterization`, numbers or quantities of
    pint."""

    alpha: float
    beta: float
    scale: float = 1.0
    loc: float = 0.0
    parameterization: str = "S0"

    def _arguments(self):
        return {
            "alpha": self.alpha,
            "beta": self.beta,
            "loc": self.loc,
            "scale": self.scale,
            "parameterization": self.parameterization,
        }

    def pdf(self, x, **options):
        return pdf(x, **self._arguments(), **options)

    def logpdf(self, x, **options):
        return logpdf(x, **self._arguments(), **options)

    def cdf(self, x, **options):
        return cdf(x, **self._arguments(), **options)

    def sf(self, x, **options):
        return sf(x, **self._arguments(), **options)

    def logcdf(self, x, **options):
        return logcdf(x, **self._arguments(), **options)

    def logsf(self, x, **options):
        return logsf(x, **self._arguments(), **options)

    def quantile(self, p, **options):
        return ppf(p, **self._arguments(), **options)

    ppf = quantile

    def isf(self, q, **options):
        return isf(q, **self._arguments(), **options)

    def support(self):
        return support(**self._arguments())

    def rvs(self, size=None, random_state=None, **options):
        return rvs(size=size, random_state=random_state, **self._arguments(), **options)

    def to(self, parameterization):
        """The same distribution with its location in another parameterisation, S0 or S1."""
        if parameterization == "S2" or self.parameterization == "S2":
            raise _tessera.InputError("scales of S2 are others\n  remedy: choose S0 or S1")
        loc, scale, unit = self.loc, self.scale, None
        if _frames.has_unit(loc) or _frames.has_unit(scale):
            if parameterization != self.parameterization:
                _stable_units.refuse_s1(self.alpha, self.beta)
            given, unit = _stable_units.numbers({"loc": loc, "scale": scale}, False)
            loc, scale = given["loc"], given["scale"]
        loc = _tessera.stable_location(
            self.alpha,
            self.beta,
            loc,
            scale,
            _number(self.parameterization),
            _number(parameterization),
        )
        loc = loc if unit is None else _frames.quantity(loc, unit)
        return Law(self.alpha, self.beta, self.scale, loc, parameterization)


@dataclasses.dataclass(frozen=True)
class Fit(Law):
    """A fitted distribution, in S0.

    errors: standard errors by the names alpha, beta, scale, loc; 0 where a parameter was given, NaN
    at the end of its range. log_likelihood; gradient: the largest component of its gradient by the
    number of values; kolmogorov_smirnov, anderson_darling: distances, with goodness=True. status:
    "converged", "converged at the end of a range", "not converged", or why the sample cannot be
    fitted; then everything is NaN. Of a sample with a unit, scale, loc and their errors are
    quantities, and log_likelihood is that of the numbers in this unit.
    """

    errors: dict = dataclasses.field(default_factory=dict)
    log_likelihood: float = float("nan")
    gradient: float = float("nan")
    kolmogorov_smirnov: float = float("nan")
    anderson_darling: float = float("nan")
    iterations: int = 0
    status: str = ""

    def _repr_html_(self):
        """A table for notebooks: estimates with standard errors, and how the fit ended."""
        rows = []
        for name in _NAMES:
            value, unit = _frames.split(getattr(self, name))
            rows.append((name, value, _frames.split(self.errors.get(name, np.nan))[0], unit))
        distances = [
            f"{text} {value:.4g}"
            for text, value in (
                ("Kolmogorov-Smirnov", self.kolmogorov_smirnov),
                ("Anderson-Darling", self.anderson_darling),
            )
            if not np.isnan(value)
        ]
        caption = f"Stable law in {self.parameterization}: log-likelihood {self.log_likelihood:.6g}"
        notes = [f"{self.status}, {self.iterations} iterations"]
        return _html.estimates(caption, rows, [*notes, *distances])

    def interval(self, name, level=0.95):
        """The central interval of a parameter, by its standard error: estimate -/+ z error, of a
        normal distribution."""
        level = _arguments.number(level, "level")
        if not 0 < level < 1:
            share = f"{level / 100:g}" if 1 < level < 100 else "0.95"
            raise _tessera.InputError(
                f"stable: the level of an interval is {level:g}, but must be between 0 and 1\n  remedy: give level={share}"
            )
        if name not in _NAMES:
            raise _tessera.InputError(
                f"unknown parameter {name!r}\n  remedy: choose one of {', '.join(_NAMES)}"
            )
        half = statistics.NormalDist().inv_cdf(0.5 + level / 2) * self.errors[name]
        return getattr(self, name) - half, getattr(self, name) + half


def _one_sample(x, weights):
    """A sample without its masked and missing values, and their weights; tables and masks of
    several samples row by row: a list of both."""
    if _tessera.is_on_device(x):
        return x, weights
    if hasattr(x, "columns") and np.ndim(x) == 2 and np.shape(x)[1] > 1:
        raise _tessera.InputError(
            f"x is a table of {np.shape(x)[1]} columns, and a sample is a row here\n  remedy: give a column, x[name], or x.to_numpy().T"
        )
    values, mask = _arguments.read(x, "x")
    if values.ndim == 2 and values.shape[1] == 1 and values.shape[0] > 1:  # one column of a table
        values, mask = values.ravel(), None if mask is None else mask.ravel()
    if weights is not None:
        given, missing = _arguments.read(weights, "weights")
        given = given.ravel() if given.ndim == 2 and given.shape[1] == 1 else given
        if given.shape != values.shape:
            raise _tessera.InputError(
                "stable: weights of another shape than the data\n  remedy: give a weight for each value"
            )
        wrong = (
            ~((given >= 0) & np.isfinite(given))
            if missing is None
            else ~((given >= 0) & np.isfinite(given)) | missing
        )
        wrong = wrong if mask is None else wrong & ~mask
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise _tessera.InputError(
                f"weights[{', '.join(map(str, place))}] is {given[place]:g}\n  remedy: give weights of 0 or more; 0 leaves a value out"
            )
        weights = given
    if mask is None or not mask.any():
        return values, weights
    if values.ndim == 1:
        return values[~mask], None if weights is None else weights[~mask]
    return [row[~gone] for row, gone in zip(values, mask)], None if weights is None else [
        row[~gone] for row, gone in zip(weights, mask)
    ]


def fit(
    x,
    *,
    method="ml",
    fixed=None,
    weights=None,
    standard_errors=True,
    goodness=False,
    tolerance=1e-9,
    backend=None,
):
    """Fits a sample by maximum likelihood: a Fit. An array of two dimensions is a sample a row, and
    gives a list of them, all made at once; one column is a sample.

    method: "ml", or "mcculloch", from five quantiles. fixed: parameters that are given, as in
    {"beta": 0.0}. weights: of the values, an array like x, 0 or more. tolerance: for the gradient
    by the number of values. Masked values and missing ones of pandas' nullable columns are left
    out, with their weights. Of a quantity of pint location and scale are quantities, in fixed and
    in the fit.

    A sample that cannot be fitted (fewer than five values or weights above zero, NaN, more than
    half of them the same) raises InputError; as a row of several it has a status. A fit that has
    not converged, and rows that have not or could not be fitted, give a TesseraWarning.
    """
    if method not in ("ml", "mcculloch"):
        raise _tessera.InputError(f"unknown method {method!r}\n  remedy: choose ml or mcculloch")
    given = dict(fixed or {})
    values = [given.pop(name, None) for name in _NAMES]
    if given:
        raise _tessera.InputError(
            f"unknown parameter {next(iter(given))!r} in fixed\n  remedy: choose from {', '.join(_NAMES)}"
        )
    x, unit = _frames.split_unit(x)
    if unit is not None:
        read = {"scale": _stable_units.length, "loc": _stable_units.located}
        values = [
            value
            if value is None or name not in read
            else read[name](value, unit, f"fixed[{name!r}]")
            for name, value in zip(_NAMES, values)
        ]
    values = [
        None if value is None else _arguments.number(value, f"fixed[{name!r}]")
        for name, value in zip(_NAMES, values)
    ]
    if goodness and weights is not None:
        raise _tessera.InputError(
            "stable.fit: goodness=True compares samples without weights\n  remedy: leave goodness out, or repeat the values"
        )
    sample, weights = _one_sample(x, weights)
    options = (
        method == "mcculloch",
        _arguments.number(tolerance, "tolerance"),
        bool(standard_errors),
        bool(goodness),
        values,
        backend,
    )
    if isinstance(sample, list):
        found = [
            _tessera.stable_fit(row, None if weights is None else weights[i], *options)[0]
            for i, row in enumerate(sample)
        ]
    else:
        found = _tessera.stable_fit(sample, weights, *options)
    fits = [
        Fit(
            alpha=p[0],
            beta=p[1],
            scale=p[2],
            loc=p[3],
            errors=dict(zip(_NAMES, e)),
            log_likelihood=likelihood,
            gradient=gradient,
            kolmogorov_smirnov=ks,
            anderson_darling=ad,
            iterations=iterations,
            status=state,
        )
        for p, e, likelihood, gradient, ks, ad, iterations, _, state in found
    ]
    if unit is not None:
        fits = [_measured(one, unit) for one in fits]
    if (
        isinstance(sample, list)
        or (not isinstance(sample, np.ndarray) and np.ndim(x) == 2)
        or np.ndim(sample) == 2
    ):
        failed = [i for i, one in enumerate(found) if one[7] >= _NOT_CONVERGED]
        if failed:
            shown = ", ".join(map(str, failed[:5])) + (", ..." if len(failed) > 5 else "")
            _warnings.warn(
                f"{len(failed)} of {len(fits)} fits have not converged or were not possible: rows {shown}; status says why"
            )
        return fits
    code, state = found[0][7], found[0][8]
    if code > _NOT_CONVERGED:
        remedy = (
            "leave them out: x[numpy.isfinite(x)]"
            if "NaN" in state
            else "a fit needs at least five finite values that differ"
        )
        raise _tessera.InputError(f"the sample cannot be fitted: {state}\n  remedy: {remedy}")
    if code == _NOT_CONVERGED:
        _warnings.warn(
            f"the fit has not converged; its gradient is {fits[0].gradient:.3g} by the number of values: look at the data, or choose a larger "
            "tolerance"
        )
    return fits[0]


def _measured(law, unit):
    """A fit of numbers in a unit."""
    spread = _frames.of_differences(unit)
    errors = {
        name: _frames.quantity(error, spread) if name in ("scale", "loc") else error
        for name, error in law.errors.items()
    }
    scale, loc = _frames.quantity(law.scale, spread), _frames.quantity(law.loc, unit)
    return dataclasses.replace(law, scale=scale, loc=loc, errors=errors)


class _LevyStable(_scipy_face.Distribution):
    """scipy.stats.levy_stable with the functions of this module: the same arguments, in the same
    order, and `parameterization`, "S1" unless it is set to another one. levy_stable(alpha, beta,
    loc, scale) is a frozen distribution."""

    def fit(
        self,
        data,
        *start,
        floc=None,
        fscale=None,
        f0=None,
        f1=None,
        falpha=None,
        fbeta=None,
        fix_alpha=None,
        fix_beta=None,
        method="MLE",
        **guess,
    ):
        """Maximum-likelihood estimates: (alpha, beta, loc, scale). data are taken as one sample,
        whatever their shape.

        falpha, fbeta (also f0, f1, fix_alpha, fix_beta), floc, fscale: parameters that are given.
        Guesses of the others, `start`, loc and scale, and an optimizer are not needed and do not
        count. Raises InputError for NaN and for method="MM": there are no moments to compare.
        """
        if str(method).upper() != "MLE":
            raise _tessera.InputError(
                f"unknown method {method!r}\n  remedy: leave it out; fits are by maximum likelihood (MLE)"
            )
        unknown = set(guess) - {"loc", "scale", "alpha", "beta", "optimizer"}
        if unknown or len(start) > 2:
            raise _tessera.ArgumentTypeError(
                f"unknown arguments {sorted(unknown) or start}\n  remedy: choose from falpha, fbeta, floc, fscale"
            )
        given = {
            "alpha": (falpha, f0, fix_alpha),
            "beta": (fbeta, f1, fix_beta),
            "loc": (floc,),
            "scale": (fscale,),
        }
        fixed = {
            name: values[0]
            for name, values in (
                (n, [v for v in all_ if v is not None]) for n, all_ in given.items()
            )
            if values
        }
        values, mask = _arguments.read(data, "data")
        sample = values[~mask] if mask is not None else values.ravel()
        law = (
            _fit_with_location(sample, fixed, self.parameterization)
            if "loc" in fixed
            else fit(sample, fixed=fixed, standard_errors=False)
        )
        law = (
            law if law.parameterization == self.parameterization else law.to(self.parameterization)
        )
        return tuple(map(np.float64, (law.alpha, law.beta, law.loc, law.scale)))


def _fit_with_location(sample, fixed, parameterization):
    """A fit whose location is given in S1: where alpha, beta and scale are too it is that of S0,
    else that is found with them."""
    if parameterization == "S0" or fixed.get("beta") == 0:
        return dataclasses.replace(
            fit(sample, fixed=fixed, standard_errors=False), parameterization=parameterization
        )
    if parameterization != "S1":
        raise _tessera.InputError(
            "floc is for S0 and S1\n  remedy: set levy_stable.parameterization to one of them"
        )
    return _scipy_face.fit_at_location(sample, fixed, fit, Law)


levy_stable = _LevyStable(__name__)

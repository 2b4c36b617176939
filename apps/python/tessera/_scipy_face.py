# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The methods of scipy.stats.levy_stable, from the functions of tessera.stable."""

import sys

import numpy as np

from . import _arguments, _tessera, _warnings


def _by_element(function, *arguments):
    """A function of numbers over arguments that broadcast: a number where they are numbers."""
    arrays = np.broadcast_arrays(*(np.asarray(argument, dtype=float) for argument in arguments))
    values = np.empty(arrays[0].shape)
    for place in np.ndindex(values.shape):
        values[place] = function(*(float(array[place]) for array in arrays))
    return values if values.ndim else float(values)


class Distribution:
    """A distribution of shapes alpha and beta, location and scale. Methods take (alpha, beta,
    loc=0, scale=1) behind their own argument, as arrays that broadcast; called with them, a
    distribution gives a Frozen one."""

    parameterization = "S1"
    name = "levy_stable"
    shapes = "alpha, beta"
    numargs = 2

    def __init__(self, module):
        self._module = module

    def __call__(self, alpha, beta, loc=0, scale=1):
        return Frozen(self, (alpha, beta, loc, scale))

    freeze = __call__

    def _of(self, name, *arguments, **options):
        return getattr(sys.modules[self._module], name)(
            *arguments, parameterization=self.parameterization, **options
        )

    def pdf(self, x, alpha, beta, loc=0, scale=1):
        return self._of("pdf", x, alpha, beta, loc, scale)

    def logpdf(self, x, alpha, beta, loc=0, scale=1):
        return self._of("logpdf", x, alpha, beta, loc, scale)

    def cdf(self, x, alpha, beta, loc=0, scale=1):
        return self._of("cdf", x, alpha, beta, loc, scale)

    def logcdf(self, x, alpha, beta, loc=0, scale=1):
        return self._of("logcdf", x, alpha, beta, loc, scale)

    def sf(self, x, alpha, beta, loc=0, scale=1):
        return self._of("sf", x, alpha, beta, loc, scale)

    def logsf(self, x, alpha, beta, loc=0, scale=1):
        return self._of("logsf", x, alpha, beta, loc, scale)

    def ppf(self, q, alpha, beta, loc=0, scale=1):
        return self._of("ppf", q, alpha, beta, loc, scale)

    def isf(self, q, alpha, beta, loc=0, scale=1):
        return self._of("isf", q, alpha, beta, loc, scale)

    def rvs(self, alpha, beta, loc=0, scale=1, size=None, random_state=None):
        return self._of("rvs", alpha, beta, loc, scale, size, random_state)

    def support(self, alpha, beta, loc=0, scale=1):
        return self._of("support", alpha, beta, loc, scale)

    def median(self, alpha, beta, loc=0, scale=1):
        return self.ppf(0.5, alpha, beta, loc, scale)

    def interval(self, confidence, alpha, beta, loc=0, scale=1):
        """The ends between which the probability `confidence` lies, with as much on either side."""
        outside = (1 - np.asarray(confidence, dtype=float)) / 2
        outside = np.where((outside >= 0) & (outside <= 0.5), outside, np.nan)
        outside = outside if outside.ndim else float(outside)
        return self.ppf(outside, alpha, beta, loc, scale), self.isf(
            outside, alpha, beta, loc, scale
        )

    def _location_of_mean(self, alpha, beta, loc, scale):
        return (
            loc
            if self.parameterization == "S1"
            else _tessera.stable_location(
                alpha, beta, loc, scale, {"S0": 0, "S2": 2}[self.parameterization], 1
            )
        )

    def _is_good(self, alpha, beta, scale):
        return 0.1 <= alpha <= 2 and -1 <= beta <= 1 and 0 < scale < np.inf

    def mean(self, alpha, beta, loc=0, scale=1):
        """NaN for alpha <= 1, where there is none."""
        return _by_element(
            lambda a, b, m, s: self._location_of_mean(a, b, m, s)
            if a > 1 and self._is_good(a, b, s)
            else np.nan,
            alpha,
            beta,
            loc,
            scale,
        )

    def _sigma(self, alpha, scale):
        return scale / alpha ** (1 / alpha) if self.parameterization == "S2" else scale

    def var(self, alpha, beta, loc=0, scale=1):
        """Infinite for alpha < 2."""
        return _by_element(
            lambda a, b, m, s: np.nan
            if not self._is_good(a, b, s)
            else 2 * self._sigma(a, s) ** 2
            if a == 2
            else np.inf,
            alpha,
            beta,
            loc,
            scale,
        )

    def std(self, alpha, beta, loc=0, scale=1):
        return np.sqrt(self.var(alpha, beta, loc, scale))

    def stats(self, alpha, beta, loc=0, scale=1, moments="mv"):
        """Mean (m), variance (v), skewness (s) and excess kurtosis (k), as far as `moments` names
        them; NaN where there is none."""
        normal = _by_element(
            lambda a, b, s: 0.0 if a == 2 and self._is_good(a, b, s) else np.nan, alpha, beta, scale
        )
        found = {
            "m": lambda: self.mean(alpha, beta, loc, scale),
            "v": lambda: self.var(alpha, beta, loc, scale),
            "s": lambda: normal,
            "k": lambda: normal,
        }
        wrong = [letter for letter in moments if letter not in found]
        if wrong:
            raise _tessera.InputError(
                f"moments is {moments!r}\n  remedy: choose some of the letters m, v, s and k"
            )
        values = tuple(found[letter]() for letter in "mvsk" if letter in moments)
        return values if len(values) > 1 else values[0]

    def moment(self, order, alpha, beta, loc=0, scale=1):
        """E X^order of a whole order >= 0: infinite or NaN where there is none."""
        order = _arguments.whole(order, "order")
        if order < 0:
            raise _tessera.InputError(f"order is {order}\n  remedy: give an order of 0 or more")

        def one(a, b, m, s):
            if not self._is_good(a, b, s):
                return np.nan
            if order == 0:
                return 1.0
            if a < 2:
                return (
                    self._location_of_mean(a, b, m, s)
                    if order == 1 and a > 1
                    else np.inf
                    if order % 2 == 0
                    else np.nan
                )
            # The moments of a normal distribution are E X^n = m E X^(n-1) + (n - 1) v E X^(n-2)
            first, second = 1.0, m
            for n in range(2, order + 1):
                first, second = second, m * second + (n - 1) * 2 * self._sigma(2.0, s) ** 2 * first
            return second

        return _by_element(one, alpha, beta, loc, scale)

    def expect(self, func=None, args=(), loc=0, scale=1, lb=None, ub=None, conditional=False):
        """E func(X), over lb < X < ub, of the shapes args = (alpha, beta). func takes an array; a
        TesseraWarning says where the sum has not settled, as it does not where func grows too fast
        for there to be a mean."""
        alpha, beta = args
        law = (
            _arguments.number(alpha, "alpha"),
            _arguments.number(beta, "beta"),
            _arguments.number(loc, "loc"),
            _arguments.number(scale, "scale"),
        )
        function = np.vectorize(func, otypes=[float]) if func is not None else lambda x: x
        low, high = (0.0 if lb is None else self.cdf(lb, *law)), (
            0.0 if ub is None else self.sf(ub, *law)
        )
        inside = 1 - low - high
        if not inside > 0:
            return 0.0
        fine, step, settled = (
            _mean_of_quantiles(self, function, law, low, high, 1 / 16),
            1 / 16,
            False,
        )
        while not settled and step > 1 / 512:
            coarse, step = fine, step / 2
            fine = _mean_of_quantiles(self, function, law, low, high, step)
            settled = abs(fine - coarse) <= 1e-9 * (1 + abs(fine))
        if not settled:
            _warnings.warn(
                f"the mean of the function has not settled: {coarse:.8g} and {fine:.8g} by two sums; look whether there is one, or divide the range by "
                "lb and ub"
            )
        return fine / inside if conditional else fine

    def entropy(self, alpha, beta, loc=0, scale=1):
        """- E ln f(X)."""

        def one(a, b, s):
            if not self._is_good(a, b, s):
                return np.nan
            law = (a, b, 0.0, 1.0)
            return _mean_of_quantiles(
                self, lambda x: -self.logpdf(x, *law), law, 0.0, 0.0, 1 / 32
            ) + np.log(s)

        return _by_element(one, alpha, beta, scale)

    def nnlf(self, theta, x):
        """Minus the log-likelihood of (alpha, beta, loc, scale)."""
        return -float(np.sum(self.logpdf(x, *theta)))


def _mean_of_quantiles(distribution, function, law, low, high, step):
    """The integral of function(x(p)) from p = low to 1 - high, by the tanh-sinh rule, which takes
    the growth at both ends."""
    t = np.arange(-4.0, 4.0 + step / 2, step)
    u = np.pi / 2 * np.sinh(t)
    share = 1 / (1 + np.exp(2 * np.abs(u)))  # of the range, from the nearer end
    weight = step * np.pi * np.cosh(t) * share * (1 - share)
    inside = 1 - low - high
    from_left = low + inside * share[t <= 0]
    from_right = high + inside * share[t > 0]
    x = np.append(distribution.ppf(from_left, *law), distribution.isf(from_right, *law))
    values = np.asarray(function(x), dtype=float)
    keep = weight > 0
    return float(inside * np.sum((weight * np.where(keep, values, 0.0))[keep]))


class Frozen:
    """A distribution with its shapes, location and scale: the methods of Distribution without these
    arguments."""

    def __init__(self, distribution, arguments):
        self.dist, self.args, self._all, self.kwds = distribution, arguments, arguments, {}

    def stats(self, moments="mv"):
        return self.dist.stats(*self._all, moments=moments)

    def rvs(self, size=None, random_state=None):
        return self.dist.rvs(*self._all, size=size, random_state=random_state)

    def expect(self, func=None, lb=None, ub=None, conditional=False):
        alpha, beta, loc, scale = self._all
        return self.dist.expect(func, (alpha, beta), loc, scale, lb, ub, conditional)


def _behind(name):
    def method(self, value):
        return getattr(self.dist, name)(value, *self._all)

    method.__name__ = name
    return method


def _alone(name):
    def method(self):
        return getattr(self.dist, name)(*self._all)

    method.__name__ = name
    return method


for _name in ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "interval", "moment"):
    setattr(Frozen, _name, _behind(_name))
for _name in ("mean", "median", "var", "std", "entropy", "support"):
    setattr(Frozen, _name, _alone(_name))


def fit_at_location(sample, fixed, fit, law):
    """A fit whose location in S1 is given, by the simplex method of Nelder and Mead on the
    likelihood: a Law in S1."""
    loc = fixed["loc"]
    free = [name for name in ("alpha", "beta", "scale") if name not in fixed]
    start = fit(
        sample,
        fixed={name: value for name, value in fixed.items() if name != "loc"},
        standard_errors=False,
    )

    def parameters(point):
        named = {**fixed, **dict(zip(free, point))}
        if "alpha" in free:
            named["alpha"] = 0.1 + 1.9 / (1 + np.exp(-named["alpha"]))
        if "beta" in free:
            named["beta"] = float(np.tanh(named["beta"]))
        if "scale" in free:
            named["scale"] = float(np.exp(named["scale"]))
        return law(
            alpha=float(named["alpha"]),
            beta=named["beta"],
            scale=named["scale"],
            loc=loc,
            parameterization="S1",
        )

    def cost(point):
        value = -float(np.sum(parameters(point).logpdf(sample)))
        return value if np.isfinite(value) else 1e300

    if not free:
        return parameters([])
    begin = {
        "alpha": np.log(
            (min(max(start.alpha, 0.15), 1.95) - 0.1) / (2.0 - min(max(start.alpha, 0.15), 1.95))
        ),
        "beta": np.arctanh(np.clip(start.beta, -0.95, 0.95)),
        "scale": np.log(start.scale),
    }
    point, settled = np.array([begin[name] for name in free]), False
    for _ in range(5):  # a simplex may collapse before it is there
        previous = cost(point)
        point, settled = _simplex(cost, point)
        if settled and previous - cost(point) < 1e-9 * (1 + abs(previous)):
            break
    else:
        _warnings.warn(
            "the fit with a given location has not converged: look at the data, or fit with levy_stable.parameterization = 'S0'"
        )
    return parameters(point)


def _simplex(cost, start):
    """Nelder and Mead's method: a point, and whether the simplex has become small."""
    n = len(start)
    points = [start] + [start + 0.2 * np.eye(n)[k] for k in range(n)]
    values = [cost(point) for point in points]
    for _ in range(400):
        order = np.argsort(values, kind="stable")
        points, values = [points[i] for i in order], [values[i] for i in order]
        if (
            values[-1] - values[0] < 1e-11 * (1 + abs(values[0]))
            and max(np.abs(point - points[0]).max() for point in points) < 1e-6
        ):
            return points[0], True
        centre = np.mean(points[:-1], axis=0)
        reflected = centre + (centre - points[-1])
        value = cost(reflected)
        if value < values[0]:
            further = centre + 2 * (centre - points[-1])
            other = cost(further)
            points[-1], values[-1] = (further, other) if other < value else (reflected, value)
        elif value < values[-2]:
            points[-1], values[-1] = reflected, value
        else:
            inside = centre + 0.5 * ((reflected if value < values[-1] else points[-1]) - centre)
            other = cost(inside)
            if other < min(value, values[-1]):
                points[-1], values[-1] = inside, other
            else:
                points = [points[0]] + [
                    points[0] + 0.5 * (point - points[0]) for point in points[1:]
                ]
                values = [values[0]] + [cost(point) for point in points[1:]]
    return points[0], False

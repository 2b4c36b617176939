# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The methods of scipy.stats.levy_stable, from the functions of tessera.stable."""

import copy
import sys

import numpy as np

from . import _arguments, _frames, _tessera, _warnings


def _by_element(function, *arguments):
    """A function of numbers over arguments that broadcast: a number of NumPy where they are
    numbers."""
    arrays = np.broadcast_arrays(*(np.asarray(argument, dtype=float) for argument in arguments))
    values = np.empty(arrays[0].shape)
    for place in np.ndindex(values.shape):
        values[place] = function(*(float(array[place]) for array in arrays))
    return values[()]


def _generator(seed):
    """The generator that a seed stands for, as scipy has it: of None NumPy's own, which
    numpy.random.seed() starts."""
    if seed is None or seed is np.random:
        return np.random.mtrand._rand
    if isinstance(seed, (np.random.RandomState, np.random.Generator)):
        return seed
    return np.random.RandomState(_arguments.whole(seed, "random_state"))


def _is_surely_a_law(alpha, beta, loc, scale):
    """Whether parameters are those of a law. False of arrays, too."""
    try:
        is_law = 0 < alpha <= 2 and -1 <= beta <= 1 and 0 < scale < np.inf
        return is_law and -np.inf < loc < np.inf
    except (TypeError, ValueError):
        return False


def _shapes(args):
    """alpha and beta of a method whose arguments args are these."""
    if not isinstance(args, (tuple, list)) or len(args) != 2:
        raise _tessera.ArgumentTypeError(
            f"the shapes are {args!r}, and alpha and beta are needed\n"
            "  remedy: give both, as in expect(func, args=(1.8, 0)) or fit_loc_scale(data, 1.8, 0)"
        )
    return args


class Distribution:
    """A distribution of shapes alpha and beta, location and scale. Methods take (alpha, beta,
    loc=0, scale=1) behind their own argument, as arrays that broadcast; called with them, a
    distribution gives a Frozen one.

    Parameters that are none (alpha beyond 0 to 2, |beta| > 1, a scale of 0 or less, NaN) give NaN,
    but an InputError of rvs(); alpha below 0.1, which is not computed, gives an InputError as a
    number, and NaN in an array.
    """

    name = "levy_stable"
    shapes = "alpha, beta"
    numargs = 2
    badvalue = np.nan
    a, b = -np.inf, np.inf

    def __init__(self, module):
        self._module, self._random_state, self._parameterization = module, None, "S1"

    @property
    def parameterization(self):
        """ "S0", "S1" or "S2"; raises InputError where another one is assigned."""
        return self._parameterization

    @parameterization.setter
    def parameterization(self, name):
        if name not in ("S0", "S1", "S2"):
            raise _tessera.InputError(
                f"unknown parameterization {name!r}\n  remedy: choose S0, S1 or S2"
            )
        self._parameterization = name

    @property
    def random_state(self):
        """The generator of rvs() without one of its own: that of numpy.random, unless a seed, a
        RandomState or a Generator is assigned."""
        return _generator(self._random_state)

    @random_state.setter
    def random_state(self, seed):
        self._random_state = None if seed is None else _generator(seed)

    def __getstate__(self):
        return {**self.__dict__, "_random_state": self.random_state}

    def __call__(self, *args, **kwds):
        return Frozen(self, args, kwds)

    freeze = __call__

    def _of(self, name, *arguments, **options):
        return getattr(sys.modules[self._module], name)(
            *arguments, parameterization=self.parameterization, **options
        )

    def _at(self, name, x, alpha, beta, loc, scale):
        """A function of the module at x: NaN where one law has parameters that are none."""
        law = (alpha, beta, loc, scale)
        if not _is_surely_a_law(*law) and all(np.ndim(value) == 0 for value in law):
            names = ("alpha", "beta", "loc", "scale")
            if any(map(_frames.has_unit, law)):
                return self._of(name, x, *law)
            if not _is_surely_a_law(*map(_arguments.number, law, names)):
                values, mask = _arguments.read(x, "x")
                nothing = np.full(values.shape, np.nan)
                if mask is not None:
                    return np.ma.MaskedArray(nothing, mask)
                return nothing[()]
        return self._of(name, x, *law)

    def pdf(self, x, alpha, beta, loc=0, scale=1):
        return self._at("pdf", x, alpha, beta, loc, scale)

    def logpdf(self, x, alpha, beta, loc=0, scale=1):
        return self._at("logpdf", x, alpha, beta, loc, scale)

    def cdf(self, x, alpha, beta, loc=0, scale=1):
        return self._at("cdf", x, alpha, beta, loc, scale)

    def logcdf(self, x, alpha, beta, loc=0, scale=1):
        return self._at("logcdf", x, alpha, beta, loc, scale)

    def sf(self, x, alpha, beta, loc=0, scale=1):
        return self._at("sf", x, alpha, beta, loc, scale)

    def logsf(self, x, alpha, beta, loc=0, scale=1):
        return self._at("logsf", x, alpha, beta, loc, scale)

    def ppf(self, q, alpha, beta, loc=0, scale=1):
        return self._at("ppf", q, alpha, beta, loc, scale)

    def isf(self, q, alpha, beta, loc=0, scale=1):
        return self._at("isf", q, alpha, beta, loc, scale)

    def rvs(self, alpha, beta, loc=0, scale=1, size=None, random_state=None):
        """Random numbers of the shape `size`, or of that of the parameters. random_state: a seed, a
        RandomState or a Generator; None: that of the attribute random_state."""
        random_state = self.random_state if random_state is None else random_state
        return self._of("rvs", alpha, beta, loc, scale, size, random_state)

    def support(self, alpha, beta, loc=0, scale=1):
        """The ends of the support, NaN of parameters that are none."""
        if all(np.ndim(value) == 0 for value in (alpha, beta, loc, scale)):
            if np.isnan(self._at("cdf", np.inf, alpha, beta, loc, scale)):
                return np.float64(np.nan), np.float64(np.nan)
        return self._of("support", alpha, beta, loc, scale)

    def median(self, alpha, beta, loc=0, scale=1):
        return self.ppf(0.5, alpha, beta, loc, scale)

    def interval(self, confidence, alpha, beta, loc=0, scale=1):
        """The ends between which the probability `confidence` lies, with as much on either side."""
        outside = (1 - np.asarray(confidence, dtype=float)) / 2
        outside = np.where((outside >= 0) & (outside <= 0.5), outside, np.nan)
        outside = outside[()]
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

    def expect(
        self,
        func=None,
        args=(),
        loc=0,
        scale=1,
        lb=None,
        ub=None,
        conditional=False,
        **kwds,
    ):
        """E func(X), over lb < X < ub, of the shapes args = (alpha, beta). func takes a number; a
        TesseraWarning says where the sum has not settled, as it does not where func grows too fast
        for there to be a mean. conditional: by the probability of lb < X < ub. kwds, options of
        scipy.integrate.quad, do not count. To within 1e-9 of 1 + |E|."""
        unknown = set(kwds) - {
            "epsabs",
            "epsrel",
            "limit",
            "points",
            "weight",
            "wvar",
            "full_output",
        }
        if unknown:
            raise _tessera.ArgumentTypeError(
                f"unknown arguments {sorted(unknown)}\n  remedy: choose from lb, ub and conditional"
            )
        alpha, beta = _shapes(args)
        law = (
            _arguments.number(alpha, "alpha"),
            _arguments.number(beta, "beta"),
            _arguments.number(loc, "loc"),
            _arguments.number(scale, "scale"),
        )
        function = np.vectorize(func, otypes=[float]) if func is not None else lambda x: x
        part = _Part(self, law, lb, ub)
        if not part.probability > 0:
            return np.float64(0.0)
        fine, step, settled = part.mean(function, 1 / 16), 1 / 16, False
        while not settled and step > 1 / 512:
            coarse, step = fine, step / 2
            fine = part.mean(function, step)
            settled = abs(fine - coarse) <= 1e-9 * (1 + abs(fine))
        if not settled:
            _warnings.warn(
                f"the mean of the function has not settled: {coarse:.8g} and {fine:.8g} by two sums; look whether there is one, or divide the range by "
                "lb and ub"
            )
        return np.float64(fine if conditional else fine * part.probability)

    def entropy(self, alpha, beta, loc=0, scale=1):
        """- E ln f(X)."""

        def one(a, b, s):
            if not self._is_good(a, b, s):
                return np.nan
            law = (a, b, 0.0, 1.0)
            part = _Part(self, law)
            return part.mean(lambda x: -self.logpdf(x, *law), 1 / 32) + np.log(s)

        return _by_element(one, alpha, beta, scale)

    def nnlf(self, theta, x):
        """Minus the log-likelihood of (alpha, beta, loc, scale): infinite of parameters that are
        none."""
        value = -np.float64(np.sum(self.logpdf(x, *theta)))
        nothing = np.isnan(value) and not np.isnan(x).any()
        return np.float64(np.inf) if nothing else value

    def fit_loc_scale(self, data, *args):
        """(loc, scale) of the shapes args = (alpha, beta), by maximum likelihood: there is no
        variance that a sample's could be compared with."""
        alpha, beta = _shapes(args)
        return self.fit(data, falpha=alpha, fbeta=beta)[2:]


class _Part:
    """A distribution between lb and ub, whose quantiles integrals go along."""

    def __init__(self, distribution, law, lb=None, ub=None):
        self._distribution, self._law = distribution, law
        low, high = (0.0 if lb is None else distribution.cdf(lb, *law)), (
            1.0 if ub is None else distribution.cdf(ub, *law)
        )
        above_low, above_high = (1.0 if lb is None else distribution.sf(lb, *law)), (
            0.0 if ub is None else distribution.sf(ub, *law)
        )
        # In a tail the probabilities are those from its own end, which have their digits.
        self._first, self._last = low, above_high
        self._side = -1 if high <= 0.5 else 1 if above_low <= 0.5 else 0
        if self._side == 0:
            self.probability = 1 - low - above_high
        else:
            self.probability = high - low if self._side < 0 else above_low - above_high
        self._ends = (low, high) if self._side < 0 else (above_high, above_low)

    def mean(self, function, step):
        """The mean of a function, by the tanh-sinh rule, which takes the growth at both ends."""
        t = np.arange(-4.0, 4.0 + step / 2, step)
        u = np.pi / 2 * np.sinh(t)
        share = 1 / (1 + np.exp(2 * np.abs(u)))  # of the range, from the nearer end
        weight = step * np.pi * np.cosh(t) * share * (1 - share)
        ppf, isf = self._distribution.ppf, self._distribution.isf
        near, far = self.probability * share[t <= 0], self.probability * share[t > 0]
        if self._side == 0:
            x = np.append(ppf(self._first + near, *self._law), isf(self._last + far, *self._law))
        else:
            inverse = ppf if self._side < 0 else isf
            x = inverse(np.append(self._ends[0] + near, self._ends[1] - far), *self._law)
        values = np.asarray(function(x), dtype=float)
        keep = weight > 0
        return float(np.sum((weight * np.where(keep, values, 0.0))[keep]))


class Frozen:
    """A distribution with its shapes, location and scale: the methods of Distribution without these
    arguments."""

    def __init__(self, distribution, args, kwds):
        self.dist, self.args, self.kwds = copy.copy(distribution), args, kwds
        self._all = _law(*args, **kwds)

    @property
    def parameterization(self):
        return self.dist.parameterization

    @parameterization.setter
    def parameterization(self, name):
        self.dist.parameterization = name

    @property
    def random_state(self):
        return self.dist.random_state

    @random_state.setter
    def random_state(self, seed):
        self.dist.random_state = seed

    @property
    def a(self):
        return self.dist.support(*self._all[:2])[0]

    @property
    def b(self):
        return self.dist.support(*self._all[:2])[1]

    def stats(self, moments="mv"):
        return self.dist.stats(*self._all, moments=moments)

    def rvs(self, size=None, random_state=None):
        return self.dist.rvs(*self._all, size=size, random_state=random_state)

    def expect(self, func=None, lb=None, ub=None, conditional=False, **kwds):
        alpha, beta, loc, scale = self._all
        return self.dist.expect(func, (alpha, beta), loc, scale, lb, ub, conditional, **kwds)

    def interval(self, confidence):
        return self.dist.interval(confidence, *self._all)

    def moment(self, order):
        return self.dist.moment(order, *self._all)


def _law(alpha, beta, loc=0, scale=1):
    return alpha, beta, loc, scale


def _at_points(name):
    def method(self, x):
        return getattr(self.dist, name)(x, *self._all)

    method.__name__ = name
    return method


def _of_probabilities(name):
    def method(self, q):
        return getattr(self.dist, name)(q, *self._all)

    method.__name__ = name
    return method


def _alone(name):
    def method(self):
        return getattr(self.dist, name)(*self._all)

    method.__name__ = name
    return method


for _name in ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf"):
    setattr(Frozen, _name, _at_points(_name))
for _name in ("ppf", "isf"):
    setattr(Frozen, _name, _of_probabilities(_name))
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

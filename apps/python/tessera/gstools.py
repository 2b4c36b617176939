# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Kriging and random fields of GSTools, which must be installed (pip install gstools), computed by
tessera.gp.

    # from gstools import SRF; from gstools.krige import Ordinary
    from tessera.gstools import SRF, Ordinary

    model = gstools.Matern(dim=2, var=2.0, len_scale=10.0, nu=1.3, nugget=0.1)
    field, variance = Ordinary(model, (x, y), z)((x_new, y_new))

Classes are those of GSTools, with its parameters, positions, meshes, normalizers and trends; the
systems of equations are solved here, with Vecchia's approximation beyond 5000 points. Models:
Gaussian, Exponential, Matern and Stable, with anisotropy, rotation, latitude and longitude, and
nuggets.

A field that is too smooth for its places, whose matrix is singular to rounding, has a nugget of
1e-10 to 1e-8 of its variance, with a TesseraWarning.

Accuracy: fields and variances of up to 5000 points are those of GSTools to 1e-8 of the variance, as
far as its pseudo-inverse is good. Method: models/gp/METHOD.md of Tessera.
"""

import hashlib
import math

import numpy as np

try:
    import gstools
    from gstools.field.generator import Generator
    from gstools.krige import Ordinary as _Ordinary
    from gstools.krige import Simple as _Simple
    from gstools.krige import Universal as _Universal
except ImportError:
    raise ImportError(
        "tessera.gstools needs GSTools, which is not installed\n  remedy: pip install gstools"
    ) from None

from . import _arguments, _tessera, _warnings, gp, runs

__all__ = ["Exact", "Ordinary", "SRF", "Simple", "Universal", "covariance"]

_MOST_EXACT = 5000  # points, beyond which Vecchia's approximation is taken
_TINY_NUGGETS = (1e-10, 1e-9, 1e-8)  # by the variance, of matrices that are singular to rounding
_SMOOTHEST = 20  # nu, above which GSTools takes the Gaussian model


def covariance(model):
    """The covariance of a model of GSTools as tessera.gp takes it, without the nugget, at positions
    that the model has made isotropic: model.isometrize(pos).

    Raises InputError for a model without a counterpart.
    """
    length = float(model.len_rescaled)
    found = {"sigma2": float(model.var)}
    kind = model.name
    if kind == "Matern":
        nu = float(model.nu)
        if nu > _SMOOTHEST:
            return {**found, "family": "squared_exponential", "beta": 2 * length}
        closed = {0.5: "matern12", 1.5: "matern32", 2.5: "matern52"}.get(nu)
        shape = {"family": closed} if closed else {"family": "matern", "nu": nu}
        return {**found, **shape, "beta": length / math.sqrt(nu)}
    if kind == "Exponential":
        return {**found, "family": "matern12", "beta": length}
    if kind == "Gaussian":
        return {**found, "family": "squared_exponential", "beta": length}
    if kind == "Stable":
        exponent = float(model.alpha)
        return {**found, "family": "powered_exponential", "exponent": exponent, "beta": length}
    raise _tessera.InputError(
        f"the model {kind} of GSTools has no counterpart in tessera.gp\n"
        "  remedy: choose Gaussian, Exponential, Matern or Stable, or krige with gstools itself"
    )


def _method(count):
    if count <= _MOST_EXACT:
        return "exact"
    _warnings.warn(
        f"{count} points: Vecchia's approximation is taken; up to {_MOST_EXACT} the equations are "
        "solved exactly"
    )
    return "vecchia"


def _with_tiny_nugget(attempt, variance, error):
    """(result, nugget) of attempt(nugget), for the smallest nugget that it takes. error: that it
    raised without one."""
    for share in _TINY_NUGGETS:
        try:
            return attempt(share * variance), share * variance
        except _tessera.NumericalError:
            pass
    raise error


def _warn_of_nugget(model, nugget):
    _warnings.warn(
        f"the model {model.name} is too smooth for places this close, and its matrix is singular to rounding: a nugget of {nugget / model.var:.0e} "
        "of its variance is added; a model with a nugget, or a rougher one, needs none"
    )


class _Kriging:
    """What tessera.gp computes of a kriging system of GSTools."""

    _drift = None  # "linear" or "quadratic"

    def _get_krige_mat(self):
        """The process behind the system, in place of its inverse matrix."""
        if self._drift and self.model.latlon:
            raise _tessera.InputError(
                "a drift in latitude and longitude is not taken\n  remedy: krige with gstools itself"
            )
        return self._process(0.0)

    def _process(self, nugget):
        """The process, with a nugget besides the errors of conditions."""
        errors = nugget + np.broadcast_to(np.asarray(self.cond_err, dtype=float), (self.cond_no,))
        return gp.given(
            self._krige_pos.T,
            self._krige_cond[: self.cond_no],
            covariance=covariance(self.model),
            method=_method(self.cond_no),
            mean=self._drift or ("constant" if self.unbiased else "zero"),
            error_variance=errors if errors.any() else None,
            duplicates="average",
        )

    def _predicted(self, places):
        """The prediction at places, which may take a tiny nugget from then on."""
        try:
            return self._krige_mat.predict(places)
        except _tessera.NumericalError as error:
            self._krige_mat, nugget = _with_tiny_nugget(
                self._working_process, float(self.model.var), error
            )
        _warn_of_nugget(self.model, nugget)
        return self._krige_mat.predict(places)

    def _working_process(self, nugget):
        process = self._process(nugget)
        process.predict(self._krige_pos.T[:1])
        return process

    def _get_krige_vecs(self, pos, chunk_slice=(0, None), ext_drift=None, only_mean=False):
        """The positions of a chunk, or none for the mean alone, in place of right-hand sides."""
        return None if only_mean else pos[:, slice(*chunk_slice)]

    def _summate(self, field, krige_var, c_slice, k_vec, return_var):
        """The field and, as GSTools has it here, how much of the sill is known."""
        if k_vec is None:
            if self._drift:
                raise _tessera.InputError(
                    "the mean alone of a field with a drift is not taken\n"
                    "  remedy: leave only_mean out, or krige with gstools itself"
                )
            field[c_slice] = self.get_mean(post_process=False)
            return
        found = self._predicted(k_vec.T)
        field[c_slice] = found.mean
        variance = found.variance + self.model.nugget
        if self.exact:
            self._put_values(field[c_slice], variance, k_vec.T)
        if return_var:
            krige_var[c_slice] = self.model.sill - variance

    def _put_values(self, field, variance, targets):
        """What is known at places of conditions."""
        known = {tuple(place): i for i, place in enumerate(self._krige_pos.T)}
        for row, place in enumerate(targets):
            i = known.get(tuple(place))
            if i is not None:
                field[row], variance[row] = self._krige_cond[i], 0.0

    def get_mean(self, post_process=True):
        """The estimated mean of the detrended field; None where it is not constant."""
        if not self.has_const_mean and (post_process or self.drift_no > 0):
            return None
        found = 0.0
        if self.unbiased:  # far from all conditions the field is its mean
            reach = np.ptp(self._krige_pos, axis=1).max() + self.model.len_scale
            place = self._krige_pos.max(axis=1) + 1e6 * reach
            found = float(self._predicted(place[None, :]).mean[0])
        mean = 0.0 if self.mean is None else self.mean
        return self.normalizer.denormalize(found + mean) if post_process else found


class Ordinary(_Kriging, _Ordinary):
    """gstools.krige.Ordinary: an estimate that is right in the mean, whatever that is.

    Parameters, attributes and results are those of GSTools; pseudo_inv and pseudo_inv_type do not
    count: the equations are solved by Cholesky's method, and observations at one place are
    averaged.
    """


class Simple(_Kriging, _Simple):
    """gstools.krige.Simple: kriging with a mean that is known. Else as Ordinary."""


class Universal(_Kriging, _Universal):
    """gstools.krige.Universal: kriging with a drift, "linear" or "quadratic" in the coordinates.
    Else as Ordinary.

    Raises InputError for functions of one's own, and for models of latitude and longitude.
    """

    def __init__(self, model, cond_pos, cond_val, drift_functions, *options, **named):
        if drift_functions not in ("linear", "quadratic"):
            raise _tessera.InputError(
                f"the drift {drift_functions!r} is not taken\n"
                "  remedy: choose linear or quadratic, or krige with gstools itself"
            )
        self._drift = drift_functions
        super().__init__(model, cond_pos, cond_val, drift_functions, *options, **named)


class Exact(Generator):
    """A generator of fields for gstools.SRF: drawn from the covariance itself, by Cholesky's
    factorisation, where GSTools sums random waves. Numbers for a seed are those of tessera-gp.

    model: of GSTools. seed: a whole number from 0 to 2^63 - 1; None draws one. verbose: messages of
    the run. mode_no, sampling: of GSTools' method; they do not count here.

    A field is drawn at the places of a call: with the same seed it is another realisation at other
    places, of which the first such call warns (TesseraWarning). Raises InputError for other seeds.
    """

    def __init__(self, model, *, seed=None, verbose=False, mode_no=None, sampling=None, **options):
        if options:
            raise _tessera.ArgumentTypeError(
                f"unknown options {sorted(options)}\n  remedy: choose from seed, verbose, mode_no, sampling, or name a generator of GSTools"
            )
        self._verbose, self._seed, self._model = bool(verbose), None, None
        self._drawn = {}  # marks of places by seeds and anisotropies; None after the warning
        self.update(model, seed)

    def update(self, model=None, seed=np.nan):
        if model is not None:
            self._model = model
        if seed is None or not isinstance(seed, float) or not math.isnan(seed):
            if seed is None:
                seed = np.random.default_rng().integers(2**31)
            seed = _arguments.whole(seed, "seed")
            if not 0 <= seed < 2**63:
                raise _tessera.InputError(
                    f"seed is {seed}\n  remedy: give a whole number from 0 to 2^63 - 1, or None"
                )
            self._seed = seed

    def get_nugget(self, shape):
        if self._model.nugget <= 0:
            return 0.0
        random = np.random.default_rng(self._seed)
        return math.sqrt(self._model.nugget) * random.standard_normal(shape)

    def __call__(self, pos, add_nugget=True):
        places, inverse = np.unique(np.asarray(pos, dtype=float).T, axis=0, return_inverse=True)
        if len(places) == 1:  # the program draws fields of two places or more
            places = np.vstack([places, places + 1.0])
        self._compare(places)
        _method(len(places))
        try:
            field, added = self._draw(places, 0.0), 0.0
        except _tessera.NumericalError as error:
            field, added = _with_tiny_nugget(
                lambda nugget: self._draw(places, nugget), float(self._model.var), error
            )
            if not add_nugget or self._model.nugget < added:
                _warn_of_nugget(self._model, added)
        field = field[inverse.reshape(-1)]
        if not add_nugget or self._model.nugget <= added:
            return field
        return field + math.sqrt(1 - added / self._model.nugget) * self.get_nugget(field.shape)

    def _compare(self, places):
        """Warns, once, where places are not those of an earlier field of the seed."""
        if self._drawn is None:
            return
        mark = hashlib.blake2b(places.tobytes(), digest_size=16).digest()
        # Another anisotropy has other places for the same positions.
        field = (self._seed, *np.ravel(self._model.anis), *np.ravel(self._model.angles))
        if self._drawn.setdefault(field, mark) != mark:
            self._drawn = None
            _warnings.warn(
                f"the seed {self._seed} has drawn a field at other places: exact draws with one seed are other realisations at other places, where those "
                "of GSTools agree; draw the field at all places in one call"
            )

    def _draw(self, places, nugget):
        results = runs.run_in_memory(
            {
                "app": "gp",
                "data": {
                    "file": "memory:places",
                    "coordinates": [str(k + 1) for k in range(places.shape[1])],
                },
                "covariance": {
                    **covariance(self._model),
                    **({"nugget": nugget} if nugget > 0 else {}),
                },
                "mean": "zero",
                "method": "exact" if len(places) <= _MOST_EXACT else "vecchia",
                "simulate": {"replicates": 1},
            },
            {"places": places},
            seed=self._seed,
            verbose=self._verbose,
        )
        return np.asarray(results["results/observations"]).reshape(-1)

    @property
    def model(self):
        return self._model

    @property
    def seed(self):
        return self._seed

    @seed.setter
    def seed(self, seed):
        self.update(seed=seed)

    @property
    def name(self):
        return "Exact"

    @property
    def value_type(self):
        return "scalar"

    def __repr__(self):
        return f"Exact(model={self._model.name}, seed={self._seed})"


class SRF(gstools.SRF):
    """gstools.SRF, with fields by Exact. Parameters are those of GSTools, of which mode_no and
    sampling tune its own method alone and do not count; its generators can be chosen by name as
    there.

    With one seed fields at other places are other realisations, also where places are shared; those
    of GSTools agree there. Draw the field at all places in one call, or choose
    generator="RandMeth". The first call of an object with the same seed at other places warns
    (TesseraWarning).
    """

    def __init__(
        self,
        model,
        mean=0.0,
        normalizer=None,
        trend=None,
        upscaling="no_scaling",
        generator=Exact,
        **generator_kwargs,
    ):
        super().__init__(model, mean, normalizer, trend, upscaling, generator, **generator_kwargs)

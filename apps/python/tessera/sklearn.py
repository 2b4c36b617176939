# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Gaussian process regression with the interface of scikit-learn, which must be installed (Debian:
python3-sklearn).

    from tessera.sklearn import GaussianProcessRegressor, Matern

    GaussianProcessRegressor(kernel=1.0 * Matern(nu=1.3)).fit(X, y).predict(X_new, return_std=True)

Up to 5000 points numbers are those of scikit-learn to 1e-8, with a Matern kernel of any smoothness,
which may be fitted; beyond, Vecchia's approximation.

Method: models/gp/METHOD.md of Tessera.
"""

import contextlib
import dataclasses
import numbers
import warnings

import numpy as np

try:
    from sklearn import gaussian_process
    from sklearn.gaussian_process import kernels
    from sklearn.utils import check_random_state, check_X_y, validation
except ModuleNotFoundError:
    raise ImportError(
        "tessera.sklearn needs scikit-learn, which is not installed\n"
        "  remedy: apt-get install python3-sklearn, or pip install scikit-learn"
    ) from None

from . import _arguments, _kernels, _tessera, _warnings, gp
from ._kernels import Matern

__all__ = ["GaussianProcessRegressor", "Matern", "SingularKernelError"]

_MOST_EXACT = 5000  # points, beyond which Vecchia's approximation is taken
_MOST_DENSE = 20000  # points, whose matrix of 3.2 GB is factorised where it cannot be taken
_FEWEST_SEARCHED = 10  # points, from which on tessera.gp searches


class SingularKernelError(_tessera.NumericalError, np.linalg.LinAlgError):
    """The matrix of a kernel at the points is not positive definite."""


_MAKES_DEFINITE = "\n  remedy: raise alpha, add a WhiteKernel to the kernel, or leave out points that repeat others"


@contextlib.contextmanager
def _singular_kernels(kernel):
    """Says in terms of scikit-learn that the matrix of this kernel is not positive definite."""
    try:
        yield
    except SingularKernelError:
        raise
    except (np.linalg.LinAlgError, _tessera.NumericalError) as error:
        raise SingularKernelError(
            f"the kernel {kernel} has no positive definite matrix at these points{_MAKES_DEFINITE}"
        ) from error


def _validate_data(estimator, *data, **checks):
    """Arrays of data whose numbers and names of features are right, by scikit-learn, in which this
    is a method before 1.6."""
    if hasattr(validation, "validate_data"):
        return validation.validate_data(estimator, *data, **checks)
    return estimator._validate_data(*data, **checks)


class GaussianProcessRegressor(gaussian_process.GaussianProcessRegressor):
    """sklearn.gaussian_process.GaussianProcessRegressor, with the same parameters and attributes.

    kernel: of scikit-learn, or with Matern of this module; ConstantKernel * RBF, both fixed at 1,
    where it is None. alpha: variance of the errors of y, a number or one for each point, in units
    of y squared, or of its normalised values. optimizer: "fmin_l_bfgs_b" (the search of tessera.gp
    where it takes the kernel, else that of scikit-learn), a callable, or None.
    n_restarts_optimizer, normalize_y, copy_X_train, random_state: as there. A length scale of a
    feature that is the same at all points stays at its start, with a TesseraWarning.

    method: "auto", "exact", or "vecchia", each point given its nearest predecessors. "auto" is
    exact up to 5000 points; beyond it is Vecchia's approximation, said by a TesseraWarning and by
    method_, where the kernel is ConstantKernel * Matern + WhiteKernel (or with RBF; either may be
    missing) and there are at most 32 features. neighbours: of each point; predictions take four
    times as many. backend: instead of that of tessera.use().

    Attributes besides those of scikit-learn: method_, "exact" or "vecchia". With Vecchia's
    approximation there is neither L_ nor alpha_.

    Exact: means, standard deviations, covariances and likelihoods are within 1e-8 of those of
    scikit-learn for the same hyperparameters. Vecchia's approximation with 30 neighbours, which
    predicts from 120: means of a Matern process within 0.01 standard deviations of y, and standard
    deviations to 0.1 %. A smooth process with noise, as with RBF, needs more: 0.1 and 3 % with 30.

    Raises InputError (a ValueError) for wrong parameters, and for more than 20 000 points or a
    return_cov that Vecchia's approximation cannot have. Source: Rasmussen and Williams, Gaussian
    Processes for Machine Learning (2006), algorithm 2.1; models/gp/METHOD.md.
    """

    def __init__(
        self,
        kernel=None,
        *,
        alpha=1e-10,
        optimizer="fmin_l_bfgs_b",
        n_restarts_optimizer=0,
        normalize_y=False,
        copy_X_train=True,
        random_state=None,
        method="auto",
        neighbours=30,
        backend=None,
    ):
        super().__init__(
            kernel=kernel,
            alpha=alpha,
            optimizer=optimizer,
            n_restarts_optimizer=n_restarts_optimizer,
            normalize_y=normalize_y,
            copy_X_train=copy_X_train,
            random_state=random_state,
        )
        self.method = method
        self.neighbours = neighbours
        self.backend = backend

    def fit(self, X, y):
        """Fits the hyperparameters to X, (points, features), and y, (points,) or (points, targets):
        self.

        Warns (ConvergenceWarning of scikit-learn) where a hyperparameter ends at a bound. Raises
        ValueError for NaN and for shapes that do not fit, and SingularKernelError (a
        numpy.linalg.LinAlgError and a NumericalError) where the kernel's matrix is not positive
        definite; alpha makes it so.
        """
        if self.method not in ("auto", "exact", "vecchia"):
            raise _tessera.InputError(
                f"method is {self.method!r}\n  remedy: choose 'auto', 'exact' or 'vecchia'"
            )
        if not isinstance(self.neighbours, numbers.Integral) or not 1 <= self.neighbours <= 1000:
            raise _tessera.InputError(
                f"neighbours is {self.neighbours!r}\n  remedy: give a whole number from 1 to 1000"
            )
        kernel = self._own_kernel()
        self._validate_params()
        with _singular_kernels(kernel):
            return (self._fit_vecchia if self._is_vecchia(kernel, X) else self._fit_exact)(
                kernel, X, y
            )

    def _fit_exact(self, kernel, X, y):
        names = self.get_params(deep=False)
        inner = gaussian_process.GaussianProcessRegressor(
            **{
                name: names[name]
                for name in gaussian_process.GaussianProcessRegressor._get_param_names()
                if name in names
            }
        )
        inner.kernel = kernel
        search = _Search(self, kernel, X, y)
        if search.is_possible():
            inner.optimizer, inner.n_restarts_optimizer = search, 0
        inner.fit(X, y)
        fitted = {name: value for name, value in vars(inner).items() if name not in names}
        self.__dict__.pop("feature_names_in_", None)  # that of an earlier fit
        self.__dict__.update(fitted)
        self._process = None
        self.method_ = "exact"
        return self

    def _own_kernel(self):
        if self.kernel is None:
            return kernels.ConstantKernel(1.0, "fixed") * kernels.RBF(1.0, "fixed")
        if not isinstance(self.kernel, kernels.Kernel):
            raise _tessera.InputError(
                f"kernel is {self.kernel!r}\n  remedy: give a kernel of sklearn.gaussian_process.kernels, or None"
            )
        for hyperparameter in self.kernel.hyperparameters:
            value = self.kernel.get_params()[hyperparameter.name]
            if not hyperparameter.fixed and not np.all(np.asarray(value) >= 0):
                raise _tessera.InputError(
                    f"{hyperparameter.name} of the kernel is {value}\n  remedy: give a number above 0, where the search starts"
                )
        return _kernels.with_own_matern(self.kernel)

    def _is_vecchia(self, kernel, X):
        """Whether the approximation is taken. Says so where it was not asked for."""
        shape = _shape(X)
        count, features = shape if len(shape) == 2 else (0, 0)
        if self.method == "exact" or (self.method == "auto" and count <= _MOST_EXACT):
            return False
        obstacle = _kernels.Covariance(kernel, features).obstacle()
        if not obstacle and self.optimizer is not None and callable(self.optimizer):
            obstacle = "the optimizer is a function"
        if obstacle and self.method == "vecchia":
            raise _tessera.InputError(
                f"Vecchia's approximation is not possible: {obstacle}\n  remedy: choose method='exact', or another kernel"
            )
        if obstacle and count > _MOST_DENSE:
            raise _tessera.InputError(
                f"{count} points are too many for one matrix, and Vecchia's approximation is not possible: {obstacle}"
                "\n  remedy: choose method='exact' for all that, or a kernel ConstantKernel * Matern + WhiteKernel in at most 32 features"
            )
        if self.method == "auto":
            _warnings.warn(
                f"{count} points are more than {_MOST_EXACT}, and the process is exact all the same, in {8e-9 * count ** 2:.1f} GB: {obstacle}; "
                "method='exact' says that this is meant"
                if obstacle
                else f"{count} points are more than {_MOST_EXACT}: Vecchia's approximation with {self.neighbours} neighbours is taken; "
                "method='exact' or 'vecchia' says which is meant"
            )
        return not obstacle

    def _fit_vecchia(self, kernel, X, y):
        X, y = _validate_data(self, X, y, multi_output=True, y_numeric=True)
        X, y = X.astype(float), y.astype(float)
        for name in ("L_", "alpha_"):
            self.__dict__.pop(name, None)
        self._rng = check_random_state(self.random_state)
        targets = (y.shape[1],) if y.ndim == 2 else 1
        self._y_train_mean, self._y_train_std = np.zeros(targets), np.ones(targets)
        if self.normalize_y:
            self._y_train_mean, deviation = y.mean(axis=0), y.std(axis=0)
            self._y_train_std = np.where(deviation > 0, deviation, 1.0)[()]
            y = (y - self._y_train_mean) / self._y_train_std
        self.X_train_, self.y_train_, self.kernel_ = X, y, kernel
        search = _Search(self, kernel, X, y)
        if self.optimizer is not None and kernel.n_dims > 0:
            self.kernel_ = kernel.clone_with_theta(search.estimates("vecchia", self.neighbours))
            self.kernel_._check_bounds_params()
        self.method_ = "vecchia"
        # Without the results, which would make pickles large.
        self._process = dataclasses.replace(self._given(self.kernel_, y), results=None)
        self.log_marginal_likelihood_value_ = self._process.loglik
        return self

    def _given(self, kernel, y, likelihood=True):
        """The process of these hyperparameters and values."""
        covariance = _kernels.Covariance(kernel, self.n_features_in_)
        added, errors = _errors_of(self.alpha, len(y), covariance.has_noise)
        _check_repeats(self.X_train_, covariance, added, errors)
        return gp.given(
            self.X_train_,
            y,
            covariance=covariance.section(added),
            method=_approximation(self.neighbours),
            mean="zero",
            error_variance=errors,
            likelihood=likelihood,
            backend=self.backend,
        )

    def _is_approximate(self):
        return getattr(self, "_process", None) is not None

    def log_marginal_likelihood(self, theta=None, eval_gradient=False, clone_kernel=True):
        """The log-marginal likelihood of theta, logarithms of the hyperparameters, and with
        eval_gradient its gradient (exact processes alone); that of the fit where theta is None."""
        if not self._is_approximate():
            return super().log_marginal_likelihood(theta, eval_gradient, clone_kernel)
        if eval_gradient:
            raise _tessera.InputError(
                "there is no gradient of Vecchia's approximation here\n  remedy: choose method='exact'"
            )
        if theta is None:
            return self.log_marginal_likelihood_value_
        kernel = self.kernel_.clone_with_theta(theta)
        with _singular_kernels(kernel):
            return self._given(kernel, self.y_train_).loglik

    def predict(self, X, return_std=False, return_cov=False):
        """The mean at X, (points, features): (points,), also where y has one column, or (points,
        targets); with return_std the standard deviations of the same shape, in units of y, or with
        return_cov the covariances, (points, points) or with a last axis of targets. Both hold the
        noise of a WhiteKernel, and not alpha.

        Raises InputError for return_cov with Vecchia's approximation.
        """
        if not self._is_approximate():
            return super().predict(X, return_std=return_std, return_cov=return_cov)
        if return_cov:
            raise _tessera.InputError(
                "Vecchia's approximation gives no covariances of predictions\n  remedy: choose return_std=True, sample_y(), or method='exact'"
            )
        X = _validate_data(self, X, reset=False).astype(float)
        with _singular_kernels(self.kernel_):
            found = self._process.predict(X, backend=self.backend)
        mean = self._y_train_std * found.mean + self._y_train_mean
        if not return_std:
            return mean
        variance = found.variance + _noise_of(self.kernel_)
        if mean.ndim == 2:
            variance = variance[:, None]
        return mean, np.sqrt(variance) * self._y_train_std

    def sample_y(self, X, n_samples=1, random_state=0):
        """Draws from the process at X: (points, n_samples), or (points, targets, n_samples). They
        have the noise of a WhiteKernel."""
        if not self._is_approximate():
            return super().sample_y(X, n_samples, random_state)
        random = check_random_state(random_state)
        X = _validate_data(self, X, reset=False).astype(float)
        columns = self.y_train_.reshape(len(self.y_train_), -1)
        scale, mean = np.atleast_1d(self._y_train_std), np.atleast_1d(self._y_train_mean)
        fields = []
        for k in range(columns.shape[1]):
            process = self._given(self.kernel_, columns[:, k], likelihood=False)
            seed = int(random.randint(2**31 - 1))
            with _singular_kernels(self.kernel_):
                field = process.predict(X, draws=n_samples, seed=seed, backend=self.backend).draws
            noise = np.sqrt(_noise_of(self.kernel_)) * random.standard_normal(field.shape)
            fields.append(scale[k] * (field + noise) + mean[k])
        return fields[0] if len(fields) == 1 else np.stack(fields, axis=1)


def _shape(X):
    return tuple(X.shape) if hasattr(X, "shape") else np.asarray(X, dtype=object).shape


def _noise_of(kernel):
    return _kernels.Covariance(kernel, 1).noise


def _approximation(neighbours):
    """Predictions are cheap beside a fit, and take more neighbours."""
    neighbours = int(neighbours)
    return {
        "vecchia": {"neighbours": neighbours, "prediction_neighbours": min(4 * neighbours, 1000)}
    }


def _errors_of(alpha, count, has_noise):
    """What alpha adds to the nugget, and the known variances of errors or None."""
    if np.ndim(alpha) == 0 or np.size(alpha) == 1:
        alpha = float(np.ravel(alpha)[0])
        if has_noise or alpha == 0:
            return alpha, None
        return 0.0, np.full(count, alpha)
    errors = _arguments.read(alpha, "alpha")[0].astype(float)
    if errors.shape != (count,):
        raise _tessera.InputError(
            f"alpha has the shape {errors.shape} for {count} points\n  remedy: give a number, or one for each point"
        )
    return 0.0, errors


def _check_repeats(X, covariance, added, errors):
    """Points at one place need noise."""
    if covariance.may_have_noise or added > 0:
        return
    exact = X if errors is None else X[errors == 0]
    repeated = len(exact) - len(np.unique(exact, axis=0))
    if repeated > 0:
        raise SingularKernelError(
            f"{repeated} points of X repeat others, and alpha is 0 there: the matrix of the kernel is singular{_MAKES_DEFINITE}"
        )


class _Search:
    """The search of tessera.gp for hyperparameters, as an optimizer of scikit-learn."""

    def __init__(self, regressor, kernel, X, y):
        self._regressor, self._kernel, self._X, self._y = regressor, kernel, X, y

    def is_possible(self):
        shape = _shape(self._X)
        return (
            isinstance(self._regressor.optimizer, str)
            and self._regressor.optimizer == "fmin_l_bfgs_b"
            and self._kernel.n_dims > 0
            and len(shape) == 2
            and shape[0] >= _FEWEST_SEARCHED
            and not _kernels.Covariance(self._kernel, shape[1]).obstacle()
            and not self._is_flat()
        )

    def _is_flat(self):
        """Whether all targets are 0, of which only scikit-learn's search knows what to say."""
        try:
            y = np.asarray(self._y, dtype=float)
        except (TypeError, ValueError):  # scikit-learn says what is wrong with them
            return False
        return not np.any(y - y.mean(axis=0) if self._regressor.normalize_y else y)

    def __call__(self, objective, initial_theta, bounds):
        X, y = check_X_y(self._X, self._y, multi_output=True, y_numeric=True)
        if self._regressor.normalize_y:
            deviation = y.std(axis=0)
            y = (y - y.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
        self._X, self._y = X.astype(float), y.astype(float)
        theta = self.estimates("exact")
        return theta, objective(theta, eval_gradient=False)

    def estimates(self, method, neighbours=0):
        """Logarithms of the hyperparameters."""
        regressor = self._regressor
        covariance = _kernels.Covariance(self._kernel, self._X.shape[1])
        added, errors = _errors_of(regressor.alpha, len(self._y), covariance.has_noise)
        _check_repeats(self._X, covariance, added, errors)
        options = self._options(covariance, added)
        if options is None:
            return self._kernel.theta
        starts = 1 + regressor.n_restarts_optimizer
        if starts > 1 and not np.isfinite(self._kernel.bounds).all():
            raise _tessera.InputError(
                f"n_restarts_optimizer is {starts - 1}, and bounds of the kernel are not finite, between which searches start"
                "\n  remedy: give finite bounds, or n_restarts_optimizer=0"
            )
        random = check_random_state(regressor.random_state)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            process = gp.fit(
                self._X,
                self._y,
                method=method if method == "exact" else _approximation(neighbours),
                covariance=covariance.section(added),
                mean="zero",
                options={**options, "starts": starts, "standard_errors": "none"},
                error_variance=errors,
                seed=int(random.randint(2**31 - 1)) if starts > 1 else 0,
                backend=regressor.backend,
            )
        for warning in caught:
            if "bound" not in str(warning.message):  # scikit-learn says that in its own words
                _warnings.warn(str(warning.message))
        return covariance.logarithms(process.theta, added)

    def _options(self, covariance, added):
        """Those of a search, which leaves ranges of features that are the same everywhere."""
        left = covariance.without_effect(self._X)
        for feature in left.values():
            _warnings.warn(
                f"feature {feature} of X (from 0) is the same at all points, and its length scale stays where the search starts: "
                "leave the feature out, or fix length_scale"
            )
        return covariance.search(added, left)

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What the tests of observations that are not Gaussian share: the laws, and Laplace's approximation
by dense algebra in numpy."""

import math

import numpy as np

from gp_support import GpTest, table

lgamma = np.vectorize(math.lgamma)
erfc = np.vectorize(math.erfc)


def log_phi(t):
    return np.log(0.5 * erfc(-t / math.sqrt(2)))


def ratio(t):
    return np.exp(-0.5 * t * t - log_phi(t)) / math.sqrt(2 * math.pi)


def logit(y, f, a, b):
    p = 1 / (1 + np.exp(-f))
    return np.where(y == 1, np.log(p), np.log1p(-p)), y - p, p * (1 - p)


def probit(y, f, a, b):
    s = 2 * y - 1
    r = ratio(s * f)
    return log_phi(s * f), s * r, r * (s * f + r)


def poisson(y, f, a, b):
    return y * f - np.exp(f) - lgamma(y + 1), y - np.exp(f), np.exp(f)


def negative_binomial(y, f, a, b):
    m = np.exp(f)
    value = (
        lgamma(y + a)
        - lgamma(a)
        - lgamma(y + 1)
        + a * np.log(a / (a + m))
        + y * np.log(m / (a + m))
    )
    return value, y - (y + a) * m / (a + m), (y + a) * a * m / (a + m) ** 2


def gamma(y, f, a, b):
    z = a * y * np.exp(-f)
    return a * np.log(a) - lgamma(a) + (a - 1) * np.log(y) - a * f - z, z - a, z


def student_t(y, f, a, b):
    z = (y - f) / a
    value = (
        lgamma((b + 1) / 2)
        - lgamma(b / 2)
        - 0.5 * np.log(b * np.pi)
        - np.log(a)
        - (b + 1) / 2 * np.log1p(z * z / b)
    )
    return value, (b + 1) * z / (a * (b + z * z)), np.full(len(y), (b + 1) / ((b + 3) * a * a))


# the section likelihood: log p, slope and weight in f, parameters
FAMILIES = {
    "family: bernoulli": (logit, 1, 1),
    "family: bernoulli, link: probit": (probit, 1, 1),
    "family: poisson": (poisson, 1, 1),
    "family: negative_binomial, size: 1.7": (negative_binomial, 1.7, 1),
    "family: gamma, shape: 2.5": (gamma, 2.5, 1),
    "family: student_t, scale: 0.5, degrees_of_freedom: 5": (student_t, 0.5, 5),
}
THETA = (1.2, 0.3)  # of family matern32


def covariance(first, second):
    u = np.linalg.norm(first[:, None] - second[None], axis=-1) / THETA[1]
    return THETA[0] * (1 + u) * np.exp(-u)


def places(n, seed):
    return np.random.default_rng(seed).random((n, 2))


def observations(law, where, seed=7):
    """Numbers that the family allows, which follow a smooth function."""
    noise = np.random.default_rng(seed).standard_normal(len(where))
    f = 0.3 + np.sin(5 * where[:, 0]) + np.cos(6 * where[:, 1])
    if law in (logit, probit):
        return (f + noise > 0.5).astype(float)
    if law in (poisson, negative_binomial):
        return np.floor(2 * np.exp(f + 0.4 * noise))
    if law is gamma:
        return np.exp(f + 0.5 * noise)
    return f + 0.5 * noise


def laplace(precision, law, y, mean, a, b):
    """The log-likelihood and the mode, by damped steps with dense matrices."""
    w = np.zeros(len(y))

    def objective(w):
        return law(y, mean + w, a, b)[0].sum() - 0.5 * w @ precision @ w

    for _ in range(300):
        _, slope, weight = law(y, mean + w, a, b)
        step = np.linalg.solve(precision + np.diag(weight), slope - precision @ w)
        length = 1.0
        while objective(w + length * step) < objective(w) - 1e-9 and length > 1e-8:
            length *= 0.5
        w = w + length * step
        if np.abs(step).max() < 1e-8:
            break
    weight = law(y, mean + w, a, b)[2]
    posterior = precision + np.diag(weight)
    loglik = (
        objective(w) + 0.5 * np.linalg.slogdet(precision)[1] - 0.5 * np.linalg.slogdet(posterior)[1]
    )
    return loglik, w, np.linalg.inv(posterior)


def vecchia_precision(where, neighbours):
    """B' D^-1 B of the points in the order given."""
    n = len(where)
    b, d = np.eye(n), np.empty(n)
    for i in range(n):
        near = np.argsort(np.linalg.norm(where[:i] - where[i], axis=1))[:neighbours]
        s = covariance(where[near], where[i : i + 1])[:, 0]
        weights = np.linalg.solve(covariance(where[near], where[near]), s) if i else s
        b[i, near] = -weights
        d[i] = THETA[0] - weights @ s
    return b.T @ np.diag(1 / d) @ b


class LatentTest(GpTest):
    def write_data(self, where, y, extra="", columns=()):
        rows = np.column_stack([where, y, *columns])
        self.write(
            "data.csv", table([[repr(float(x)) for x in row] for row in rows], "x,y,z" + extra)
        )

    def input(
        self, likelihood, rest, neighbours=20, ordering="maxmin", mean="constant", prediction=60
    ):
        self.write(
            "input.yaml",
            f"app: gp\ndata: {{file: data.csv}}\nmean: {mean}\n"
            f"covariance: {{family: matern32, sigma2: {THETA[0]}, beta: {THETA[1]}}}\n"
            f"likelihood: {{{likelihood}}}\n"
            f"method: {{vecchia: {{neighbours: {neighbours}, ordering: {ordering}, "
            f"prediction_neighbours: {prediction}}}}}\n{rest}",
        )

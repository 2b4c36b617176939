#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""A covariate example like the soil data of the river Meuse, worked out with 50 digits: covariates_reference.py FOLDER.

Writes covariates_data.csv (100 points with elevation, distance from a river, known error variances and values),
covariates_targets.csv (12 points to predict at) and covariates_reference.csv: for three models the log-likelihood with the
trend 1, elevation, log(distance) at its generalised least squares estimate, its gradient in theta, the coefficients with
standard errors, and kriging means and variances of the field. The data are doubles; everything from there on is dense algebra
with mpmath. Needs mpmath; takes some minutes.
"""
import csv
import math
import os
import random
import sys

import mpmath as mp

mp.mp.dps = 50

MODELS = {  # theta: sigma2, beta ..., nu, nugget
    "plain": dict(theta=[0.9, 0.25, 0.8, 0.1], errors=False, rotated=False),
    "errors": dict(theta=[0.9, 0.25, 0.8, 0.1], errors=True, rotated=False),
    "rotated": dict(theta=[0.9, 0.5, 0.15, 0.7, 0.8, 0.1], errors=True, rotated=True),
}


def make_points(count, seed):
    """x, y, elevation above and distance from a winding river, error variance, value."""
    generator = random.Random(seed)
    rows = []
    for _ in range(count):
        x, y = round(generator.random(), 6), round(generator.random(), 6)
        distance = round(0.01 + abs(y - 0.5 - 0.2 * math.sin(5 * x)), 6)
        elevation = round(5 + 3 * distance + 0.5 * generator.gauss(0, 1), 6)
        error = round(generator.random() * 0.4, 6) if generator.random() < 0.8 else 0.0
        value = round(4 - 0.3 * elevation - 0.6 * math.log(distance) + math.sin(6 * x) * math.cos(4 * y) + 0.3 * generator.gauss(0, 1), 6)
        rows.append((x, y, elevation, distance, error, value))
    return rows


def square(theta, rotated, a, b):
    x, y = mp.mpf(a[0]) - mp.mpf(b[0]), mp.mpf(a[1]) - mp.mpf(b[1])
    if not rotated:
        return (x * x + y * y) / theta[1] ** 2
    c, s = mp.cos(theta[3]), mp.sin(theta[3])
    return ((c * x + s * y) / theta[1]) ** 2 + ((c * y - s * x) / theta[2]) ** 2


def matern(nu, s):
    if s == 0:
        return mp.mpf(1)
    u = mp.sqrt(s)
    return 2 ** (1 - nu) / mp.gamma(nu) * u ** nu * mp.besselk(nu, u)


def covariance(model, theta, a, b):
    return theta[0] * matern(theta[-2], square(theta, model["rotated"], a, b))


def trend(row):
    return [mp.mpf(1), mp.mpf(row[2]), mp.log(mp.mpf(row[3]))]


def cholesky(matrix):
    lower = []
    for i, row in enumerate(matrix):
        new = []
        for j in range(i + 1):
            other = new if j == i else lower[j]
            rest = row[j] - mp.fdot(new[:j], other[:j])
            new.append(mp.sqrt(rest) if i == j else rest / lower[j][j])
        lower.append(new)
    return lower


def forward(lower, column):
    x = []
    for i, row in enumerate(lower):
        x.append((column[i] - mp.fdot(row[:i], x)) / row[i])
    return x


class Fit:
    """Likelihood and trend at one theta."""

    def __init__(self, model, theta, data):
        self.model, self.theta, self.data = model, theta, data
        count = len(data)
        matrix = [[covariance(model, theta, data[i], data[j]) for j in range(i + 1)] for i in range(count)]
        for i in range(count):
            matrix[i][i] += theta[-1] + (mp.mpf(data[i][4]) if model["errors"] else 0)
        self.lower = cholesky(matrix)
        self.z = forward(self.lower, [mp.mpf(row[5]) for row in data])
        self.x = [forward(self.lower, column) for column in zip(*(trend(row) for row in data))]
        normal = mp.matrix([[mp.fdot(a, b) for b in self.x] for a in self.x])
        self.trend_covariance = normal ** -1
        self.coefficients = self.trend_covariance * mp.matrix([mp.fdot(a, self.z) for a in self.x])
        self.residual = [z - mp.fsum(c * x[i] for c, x in zip(self.coefficients, self.x)) for i, z in enumerate(self.z)]
        determinant = 2 * mp.fsum(mp.log(self.lower[i][i]) for i in range(count))
        self.loglik = -(count * mp.log(2 * mp.pi) + determinant + mp.fdot(self.residual, self.residual)) / 2

    def predict(self, target):
        k = forward(self.lower, [covariance(self.model, self.theta, row, target) for row in self.data])
        u = mp.matrix([t - mp.fdot(x, k) for t, x in zip(trend(target), self.x)])
        mean = mp.fdot(k, self.residual) + mp.fdot(trend(target), self.coefficients)
        return mean, self.theta[0] - mp.fdot(k, k) + (u.T * self.trend_covariance * u)[0]


def differentiate(model, theta, data):
    """Central differences, whose error is the square of the step."""
    slopes = []
    for k in range(len(theta)):
        step = mp.mpf(10) ** -15
        up, down = ([t + sign * step * (j == k) for j, t in enumerate(theta)] for sign in (1, -1))
        slopes.append((Fit(model, up, data).loglik - Fit(model, down, data).loglik) / (2 * step))
    return slopes


def write(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main():
    folder = sys.argv[1]
    data, targets = make_points(100, 1), make_points(12, 2)
    header = ["x", "y", "elevation", "distance", "error", "z"]
    write(os.path.join(folder, "covariates_data.csv"), header, data)
    write(os.path.join(folder, "covariates_targets.csv"), header[:4], [row[:4] for row in targets])
    rows = []
    for number, model in enumerate(MODELS.values()):
        theta = [mp.mpf(value) for value in model["theta"]]
        fit = Fit(model, theta, data)
        predictions = [fit.predict(target) for target in targets]
        quantities = [
            [fit.loglik], differentiate(model, theta, data), list(fit.coefficients),
            [mp.sqrt(fit.trend_covariance[i, i]) for i in range(3)], [p[0] for p in predictions], [p[1] for p in predictions]]
        for quantity, values in enumerate(quantities):
            rows += [(number, quantity, k, mp.nstr(value, 20)) for k, value in enumerate(values)]
    write(os.path.join(folder, "covariates_reference.csv"), ["model", "quantity", "index", "value"], rows)


if __name__ == "__main__":
    main()

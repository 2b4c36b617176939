#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Error against time of a grid that follows the flow, an unscented Kalman filter, a mixture of 11
Gaussians and particles:

    comparison.py [-f FOLDER] [-p PROGRAM] [-n SAMPLES] [CASE ...]

Runs each input beside this file twice, alone for its time and with a reference of particles, unless
FOLDER holds its results. Prints the table in Markdown and draws FOLDER/comparison.png. It needs
numpy and h5py, matplotlib for the picture, and tessera-gbees (on the PATH, or PROGRAM).

The reference particles, 100 000 others and the filter `ukf` are the program's, in the variables of
the grid. The mixture is made here: the initial density is split along the direction that the flow
stretches most, by the univariate splitting library of split(), and the moments of each part go
through the unscented transform. Orbits are integrated in Cartesian coordinates; the moments of a
part are taken of the elements at the time of a record, or, in the rows 'Cartesian', of the states.
A density of the states is compared with one of the elements through samples for its moments, and
through |d elements / d state| for the coefficient. Coefficients are with the particles for the
grid, and with the grid for all others; those of particles are divided by what particles of the
grid's density have, since some cells get few.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import time

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # of numpy: one, for its time
    os.environ.setdefault(threads, "1")

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
PARTS, WIDTH = 11, 0.3  # of the mixture; deviation of a part, of a unit Gaussian
FEW = 100000  # particles of the row of that name
MU, RADIUS, J2 = 398600.4418, 6378.137, 1.0826e-3  # km, s
MASS_RATIO = 0.0121505844691978  # of the Earth and the Moon


def kepler(s):
    """The acceleration by a point mass, after the velocity."""
    r = np.sqrt((s[:, :3] ** 2).sum(1))[:, None]
    return np.hstack([s[:, 3:], -MU * s[:, :3] / r**3])


def low_orbit(s, air=8.8e-11, radius=6778.0, height=60.0):
    """Flattening and drag besides; `air`: the ballistic coefficient times the density at `radius`."""
    rate = kepler(s)
    x, y, z = s[:, :3].T
    r2 = x * x + y * y + z * z
    factor = -1.5 * J2 * MU * RADIUS**2 / r2**2.5
    bend = 5 * z * z / r2
    rate[:, 3:] += (factor * np.array([x * (1 - bend), y * (1 - bend), z * (3 - bend)])).T
    wind = s[:, 3:] + 7.292e-5 * np.array([y, -x, 0 * x]).T
    air = air * np.exp((radius - np.sqrt(r2)) / height)
    rate[:, 3:] -= 0.5 * (air * np.sqrt((wind**2).sum(1)))[:, None] * wind
    return rate


def molniya(s):
    return low_orbit(s, air=1.54e-11, radius=6878.0, height=70.0)


def halo(s):
    x, y, z, vx, vy, vz = s.T
    m = MASS_RATIO
    one = (1 - m) / ((x + m) ** 2 + y * y + z * z) ** 1.5
    two = m / ((x - 1 + m) ** 2 + y * y + z * z) ** 1.5
    ax = x + 2 * vy - one * (x + m) - two * (x - 1 + m)
    return np.array([vx, vy, vz, ax, y - 2 * vx - (one + two) * y, -(one + two) * z]).T


def lorenz63(s):
    x, y, z = s.T
    return np.array([4 * (y - x), -y - x * z, -z + x * y - 48]).T


def pendulum(s):
    return np.array([s[:, 1], -np.sin(s[:, 0])]).T


def coordinated_turn(s):
    _, _, vx, vy, turn = s.T
    return np.array([vx, vy, -turn * vy, turn * vx, 0 * turn]).T


class Case:
    """An input: its dynamics; steps of its particles, and of what is integrated here."""

    def __init__(self, title, rates, unit, step, fine, flattening=None):
        self.title, self.rates, self.unit = title, rates, unit
        self.step, self.fine, self.flattening = step, fine, flattening


BULGE = J2 * MU * RADIUS**2
CASES = {
    "low_orbit": Case("low orbit, a day", low_orbit, (3600, "h"), 360, 20, BULGE),
    "geo": Case("GEO, 78 hours", kepler, (3600, "h"), 28080, 120, 0.0),
    "molniya": Case("Molniya, two turns", molniya, (3600, "h"), 300, 10, BULGE),
    "halo": Case("halo orbit, one period", halo, (1, "4.34 d"), 0.01, 0.002),
    "lorenz63": Case("Lorenz '63", lorenz63, (1, ""), 0.002, 0.002),
    "pendulum": Case("pendulum", pendulum, (1, ""), 0.02, 0.02),
    "coordinated_turn": Case("coordinated turn", coordinated_turn, (1, "s"), 0.4, 0.2),
}


def integrate(case, states, times):
    """The states at ascending times from 0, by Runge-Kutta steps of fourth order."""
    found, now = [], 0.0
    for end in times:
        steps = int(np.ceil((end - now) / case.fine - 1e-9))
        for _ in range(steps):
            h = (end - now) / steps
            a = case.rates(states)
            b = case.rates(states + h / 2 * a)
            c = case.rates(states + h / 2 * b)
            states = states + h / 6 * (a + 2 * b + 2 * c + case.rates(states + h * c))
        found.append(states)
        now = end
    return found


def elements(case, s, longitude):
    """The generalised equinoctial elements of states, as models/gbees/METHOD.md has them; the mean
    longitude is within half a turn of `longitude`."""
    r, v2, rv = (
        np.sqrt((s[:, :3] ** 2).sum(1)),
        (s[:, 3:] ** 2).sum(1),
        (s[:, :3] * s[:, 3:]).sum(1),
    )
    normal = np.cross(s[:, :3], s[:, 3:])
    h = np.sqrt((normal**2).sum(1))
    potential = case.flattening * (3 * (s[:, 2] / r) ** 2 - 1) / (2 * r**3)
    energy = v2 / 2 - MU / r + potential
    bound = energy < 0  # of others there are no elements
    energy = np.where(bound, energy, np.nan)
    a = MU / (-2 * energy)
    q1, q2 = normal[:, 0] / (h + normal[:, 2]), -normal[:, 1] / (h + normal[:, 2])
    x, y = s[:, 0] - q1 * s[:, 2], s[:, 1] + q2 * s[:, 2]
    cosine, sine = x / np.hypot(x, y), y / np.hypot(x, y)
    c2 = h * h + 2 * r * r * potential
    along, across = c2 / (MU * r) - 1, -np.sqrt(c2) * rv / (r * MU)
    p1, p2 = along * sine + across * cosine, along * cosine - across * sine
    beta, e = 1 / (1 + np.sqrt(c2 / (MU * a))), 1 - r / a
    big = np.arctan2(
        r / a * sine - p1 * (beta * e - 1), r / a * cosine - p2 * (beta * e - 1)
    ) - rv / np.sqrt(MU * a)
    turns = np.round((big - longitude) / (2 * np.pi))
    return np.array([(-2 * energy) ** 1.5 / MU, p1, p2, q1, q2, big - 2 * np.pi * turns]).T


def split(parts, width):
    """Weights and means of equal Gaussians that make a unit Gaussian: equally spaced, with the
    least integral of the squared difference of the densities for its mass and variance."""

    def normal(x, variance):
        return np.exp(-x * x / (2 * variance)) / np.sqrt(2 * np.pi * variance)

    best = None
    for reach in np.linspace(1.5, 4.5, 301):
        mean = np.linspace(-reach, reach, parts)
        inner = normal(mean[:, None] - mean, 2 * width**2)
        bound = np.array([np.ones(parts), mean**2])
        matrix = np.block([[2 * inner, bound.T], [bound, np.zeros((2, 2))]])
        right = np.append(2 * normal(mean, 1 + width**2), [1, 1 - width**2])
        weight = np.linalg.solve(matrix, right)[:parts]
        cost = weight @ inner @ weight - 2 * weight @ normal(mean, 1 + width**2)
        if (weight > 0).all() and (best is None or cost < best[0]):
            best = cost, weight, mean
    return best[1], best[2]


class Mixture:
    """Gaussians whose sum the density is; of one part it is the unscented transform of the whole."""

    def __init__(self, case, mean, covariance, parts, end):
        root = np.linalg.cholesky(covariance)
        weight, place, width = np.ones(1), np.zeros(1), 1.0
        direction = np.eye(len(mean))[0]
        if parts > 1:
            weight, place = split(parts, WIDTH)
            width, direction = WIDTH, self.stretched(case, mean, root, end)
        # of each part the covariance is root (1 - (1 - width^2) u u^T) root^T
        shrunk = np.eye(len(mean)) + (width - 1) * np.outer(direction, direction)
        n = len(mean)
        points = np.sqrt(n) * np.vstack([np.eye(n), -np.eye(n)]) @ (root @ shrunk).T
        self.weight = weight
        self.points = mean + place[:, None, None] * (root @ direction) + points[None]

    @staticmethod
    def stretched(case, mean, root, end):
        """The direction of the whitened variables that is longest at the end, each variable in its
        deviation at the start."""
        small = 1e-3
        both = np.vstack([mean + small * root.T, mean - small * root.T])
        there = integrate(case, both, [end])[0]
        n = len(mean)
        jacobian = (there[:n] - there[n:]).T / (2 * small)
        scaled = jacobian / np.sqrt(np.einsum("ij,ij->i", root, root))[:, None]
        return np.linalg.svd(scaled)[2][0]

    def carried(self, case, times):
        """The points of all parts at each time."""
        shape = self.points.shape
        flat = integrate(case, self.points.reshape(-1, shape[2]), times)
        return [states.reshape(shape) for states in flat]


def moments(points):
    """Mean and covariance of each part."""
    mean = points.mean(1)
    rest = points - mean[:, None]
    return mean, np.einsum("pki,pkj->pij", rest, rest) / points.shape[1]


def of_all(weight, mean, covariance):
    """Mean and covariance of a mixture."""
    whole = weight @ mean
    rest = mean - whole
    return whole, np.einsum("p,pij->ij", weight, covariance + rest[:, :, None] * rest[:, None])


def density(weight, mean, covariance, x):
    """The density of a mixture at points."""
    sum_ = np.zeros(len(x))
    for w, m, c in zip(weight, mean, covariance):
        scale = np.sqrt(np.diag(c))
        values, vectors = np.linalg.eigh(c / np.outer(scale, scale))
        values = np.maximum(values, 1e-15)
        z = ((x - m) / scale) @ vectors / np.sqrt(values)
        log = -0.5 * ((z * z).sum(1) + np.log(2 * np.pi * values).sum()) - np.log(scale).sum()
        sum_ += w * np.exp(log)
    return sum_


def coefficient(probability, share):
    """Bhattacharyya's, of the masses of cells and what another density has there."""
    return float(np.sqrt(probability * share / max(1.0, share.sum())).sum())


def start_of(file):
    """Mean and covariance of the initial density, as the input gives them."""
    text = file["input/resolved"][()].decode()

    def numbers(key):
        found = re.search(rf"(?m)^  {key}: (.*)$", text[text.index("\ninitial:") :])
        return np.array(json.loads(found[1])) if found else None

    deviation = numbers("standard_deviation")
    covariance = numbers("covariance") if deviation is None else np.diag(deviation**2)
    return numbers("mean"), covariance


class Results:
    """The results of an input."""

    def __init__(self, path):
        with h5py.File(path) as file:
            results = file["results"]
            self.time = results["time"][:]
            self.cells, self.steps = int(file["series/cells_existing"][:].max(initial=0)), 0
            self.cells = max(self.cells, int(results["cells"][:].max()))
            self.steps = len(file["series/dt"])
            self.start = start_of(file)
            truth = results["monte_carlo"]
            self.truth = truth["mean"][:], truth["covariance"][:]
            self.grid = (
                results["mean"][:],
                results["covariance"][:],
                truth["bhattacharyya"][:],
            )
            self.filters = {
                kind: (group["mean"][:], group["covariance"][:], group["bhattacharyya"][:])
                for kind, group in results["filters"].items()
            }
            sets = results["credible"]
            self.volume = (sets["volume"][:] / sets["cells"][:])[:, 0]
            self.places, self.masses, self.states = [], [], []
            for i in range(len(self.time)):
                group = results[f"record_{i}"]
                self.places.append(group["x"][:])
                self.masses.append(group["p"][:] / group["p"][:].sum())
                if "state" in results:
                    self.states.append(results[f"state/record_{i}/x"][:])

    def alike(self, coefficients, samples):
        """Coefficients with particles, divided by what as many particles of the density itself
        have, whose numbers in the cells are random."""
        generator = np.random.default_rng(2)
        own = [np.sqrt(p * generator.poisson(samples * p) / samples).sum() for p in self.masses]
        return coefficients / np.array(own)

    def errors(self, mean, covariance):
        """Of the means in deviations, and of the deviations as shares, at each record: the largest
        of all variables, with its sign."""
        scale = np.sqrt(np.einsum("rii->ri", self.truth[1]))
        of_mean = (mean - self.truth[0]) / scale
        of_scale = np.sqrt(np.einsum("rii->ri", covariance)) / scale - 1

        def largest(rows):
            return rows[np.arange(len(rows)), np.abs(rows).argmax(1)]

        return largest(of_mean), largest(of_scale)


def mixture_rows(case, results, parts, cartesian):
    """Means, covariances and coefficients of a mixture at each record, and the time it took."""
    begin = time.process_time()
    mixture = Mixture(case, *results.start, parts, results.time[-1])
    states = [mixture.points] + mixture.carried(case, results.time[1:])
    taken = time.process_time() - begin
    rows = []
    for i, points in enumerate(states):
        volume, places = results.volume[i], results.places[i]
        longitude = results.truth[0][i][-1]
        if case.flattening is not None and not cartesian:
            flat = elements(case, points.reshape(-1, 6), longitude)
            points = flat.reshape(points.shape)
        parts_now = moments(points)
        mean, covariance = of_all(mixture.weight, *parts_now)
        if cartesian:
            q = places
            volume = volume * 4 * MU**2 / (3 * (q[:, 0] * (1 + q[:, 3] ** 2 + q[:, 4] ** 2)) ** 2)
            places = results.states[i]
            mean, covariance = of_elements(case, mixture.weight, *parts_now, longitude)
        share = density(mixture.weight, *parts_now, places) * volume
        rows.append((mean, covariance, coefficient(results.masses[i], share)))
    return [np.array(column) for column in zip(*rows)], taken


def of_elements(case, weight, mean, covariance, longitude):
    """Mean and covariance of the elements of a mixture of states: of those samples that have any."""
    generator = np.random.default_rng(1)
    counts = generator.multinomial(400000, weight)
    samples = []
    for n, m, c in zip(counts, mean, covariance):
        scale = np.sqrt(np.diag(c))
        values, vectors = np.linalg.eigh(c / np.outer(scale, scale))
        root = scale[:, None] * vectors * np.sqrt(np.maximum(values, 0))
        samples.append(m + generator.standard_normal((n, 6)) @ root.T)
    found = elements(case, np.vstack(samples), longitude)
    found = found[np.isfinite(found).all(1)]
    return found.mean(0), np.cov(found.T)


def run(program, folder, name, samples):
    """Runs an input alone and beside particles; the processor time of both."""
    case, source = CASES[name], os.path.join(HERE, f"{name}.yaml")
    both = {
        "alone": [],
        "beside": [
            f"validate.monte_carlo.samples={samples}",
            f"validate.monte_carlo.step={case.step}",
            f"validate.filters.step={case.step}",
            "validate.filters.ukf.alpha=1",
            f"validate.filters.particle.particles={FEW}",
            "output.cells=true",
            "output.credible=[0.5]",
        ],
    }
    note = os.path.join(folder, f"{name}.json")
    if os.path.exists(note):
        with open(note, encoding="ascii") as file:
            return json.load(file)
    taken = {"samples": samples}
    for kind, overrides in both.items():
        output = os.path.join(folder, f"{name}-{kind}.h5")
        command = [program, source, "-q", "--backend", "serial", "--force", "--output", output]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command + overrides, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken[kind] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    with open(note, "w", encoding="ascii") as file:
        json.dump(taken, file)
    return taken


class Method:
    """A method's figures of a case: its time, means, covariances, coefficients at each record."""

    def __init__(self, name, seconds, results, figures, size=""):
        mean, covariance, self.coefficient = figures
        self.name, self.seconds, self.size = name, seconds, size
        self.of_mean, self.of_scale = results.errors(mean, covariance)


def compare(program, folder, name, samples):
    """The case, its times, and its methods."""
    taken = run(program, folder, name, samples)
    case, results = CASES[name], Results(os.path.join(folder, f"{name}-beside.h5"))
    few = (taken["beside"] - taken["alone"]) * FEW / (FEW + taken["samples"])
    size = f"{results.cells} cells, {results.steps} steps"
    grid = *results.grid[:2], results.alike(results.grid[2], taken["samples"])
    particles = results.filters["particle"]
    particles = *particles[:2], results.alike(particles[2], FEW)
    methods = [
        Method("grid", taken["alone"], results, grid, size),
        Method("UKF", None, results, results.filters["ukf"]),
    ]
    is_orbit = case.flattening is not None
    figures, seconds = mixture_rows(case, results, PARTS, False)
    methods.append(Method("mixture", seconds, results, figures))
    if is_orbit:
        for title, parts in (("UKF, Cartesian", 1), ("mixture, Cartesian", PARTS)):
            figures, seconds = mixture_rows(case, results, parts, True)
            methods.append(Method(title, seconds, results, figures))
    methods.append(Method("particles", few, results, particles))
    return case, taken["samples"], results.time, methods


def number(value, digits=3):
    return "" if value is None else f"{value:.{digits}g}"


def table(found):
    """All figures at the end, in Markdown."""
    lines = [
        "| case | method | core time, s | size | error of means, deviations | of deviations, % "
        "| Bhattacharyya |",
        "|---|---|---|---|---|---|---|",
    ]
    for case, samples, _, methods in found:
        title = f"{case.title}; {1 / np.sqrt(samples):.4f}, {100 / np.sqrt(2 * samples):.2f} %"
        for method in methods:
            lines.append(
                f"| {title} | {method.name} | {number(method.seconds)} | {method.size} "
                f"| {abs(method.of_mean[-1]):.4f} | {100 * method.of_scale[-1]:+.2f} "
                f"| {method.coefficient[-1]:.4f} |"
            )
            title = ""
    return "\n".join(lines)


def over_time(found):
    """The larger one of both errors at each record, in Markdown."""
    lines = []
    for case, _, times, methods in found:
        unit, name = case.unit
        heads = " | ".join(f"{t / unit:.4g}" for t in times)
        lines += [
            "",
            f"| {case.title}: time{', ' if name else ''}{name} | {heads} |",
            "|---|" + "---|" * len(times),
        ]
        for method in methods:
            cells = " | ".join(number(100 * error, 2) for error in worst(method))
            lines.append(f"| {method.name} | {cells} |")
    return "\n".join(lines)


def worst(method):
    return np.maximum(np.abs(method.of_mean), np.abs(method.of_scale))


LOOKS = {
    "grid": ("#222222", "o-"),
    "UKF": ("#3b4a8b", "s-"),
    "UKF, Cartesian": ("#3b4a8b", "s:"),
    "mixture": ("#3a8f7b", "^-"),
    "mixture, Cartesian": ("#3a8f7b", "^:"),
    "particles": ("#c8553d", "d-"),
}


def picture(found, path):
    """Draws the larger one of both errors over time, a panel for each case."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False})
    figure, grid = plt.subplots(2, 4, figsize=(11, 5.4), layout="constrained")
    panels = grid.ravel()
    for axes, (case, samples, times, methods) in zip(panels, found):
        unit, name = case.unit
        axes.axhspan(1e-4, 300 / np.sqrt(samples), color="#ededed")
        for method in methods:
            colour, line = LOOKS[method.name]
            error = np.maximum(100 * worst(method), 1e-2)
            axes.plot(times / unit, error, line, color=colour, markersize=3.5, linewidth=1)
        axes.set(yscale="log", ylim=(1e-2, 1e4), xlabel=f"time [{name}]" if name else "time")
        axes.set_title(case.title, loc="left", fontsize=9)
    for axes in grid[:, 0]:
        axes.set_ylabel("error [% of a standard deviation]")
    for axes in panels[len(found) :]:
        axes.axis("off")
    if len(found) < len(panels):
        for name, (colour, line) in LOOKS.items():
            panels[-1].plot([], [], line, color=colour, markersize=4, label=name)
        panels[-1].fill([], [], color="#ededed", label="3 errors of the reference")
        panels[-1].legend(loc="center", frameon=False, fontsize=9)
    figure.savefig(path, dpi=130)


def main():
    parser = argparse.ArgumentParser(description="errors of densities over time")
    parser.add_argument("cases", metavar="CASE", nargs="*", help=f"of {', '.join(CASES)}")
    parser.add_argument("-f", "--folder", default=".", help="of results (default: here)")
    parser.add_argument("-p", "--program", default="tessera-gbees", help="default: %(default)s")
    parser.add_argument("-n", "--samples", type=int, default=1000000, help="reference particles")
    parser.add_argument("--no-picture", action="store_true", help="print the table alone")
    options = parser.parse_args()
    unknown = set(options.cases) - set(CASES)
    if unknown:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    os.makedirs(options.folder, exist_ok=True)
    found = []
    for name in options.cases or CASES:
        print(f"{name} ...", file=sys.stderr, flush=True)
        found.append(compare(options.program, options.folder, name, options.samples))
    print(table(found))
    print(over_time(found))
    if not options.no_picture:
        picture(found, os.path.join(options.folder, "comparison.png"))


if __name__ == "__main__":
    main()

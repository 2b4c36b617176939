# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Inputs that cases start from, and the small data files that they name."""

import struct

TINY = {  # runs of milliseconds
    "gbees": [
        """\
app: gbees
model:
  name: lorenz63
grid:
  spacing: [1.5, 1.5, 1.5]
  threshold: 1.0e-3
initial:
  mean: [-11.5, -10.0, 9.5]
  standard_deviation: [1.0, 1.0, 1.0]
measurements:
  - {time: 0.05, variable: z, value: 2.0, variance: 4.0}
time:
  end: 0.1
  records: 2
output:
  cells: true
  pairs: true
""",
        """\
app: gbees
model:
  variables: [angle, rate]
  equations: [rate, -g/l*sin(angle) - friction*rate]
  parameters: {g: 9.81, l: 1.0, friction: 0.2}
grid:
  spacing: [0.1, 0.2]
  threshold: 1.0e-4
initial:
  mean: [1.5, 0.0]
  standard_deviation: [0.1, 0.2]
time:
  end: 0.1
  records: 2
validate:
  monte_carlo: {samples: 200, kde_samples: 50}
""",
    ],
    "gp": [
        """\
app: gp
covariance:
  family: matern
  sigma2: 1.0
  beta: 0.1
  nu: 0.5
simulate:
  points: 25
  layout: jittered
fit:
  method: bobyqa
  max_evaluations: 20
predict:
  fraction: 0.2
cross_validation:
  folds: 3
run:
  seed: 1
""",
        """\
app: gp
data:
  file: small.csv
  coordinates: [x, y]
  values: [z]
covariance:
  family: matern32
fit:
  method: lbfgs
  max_evaluations: 20
predict:
  grid: [4, 4]
  draws: 2
""",
    ],
    "mpr": [
        """\
app: mpr
task: validate
input:
  synthetic:
    size: [16, 16]
validate:
  fraction: [0.33]
""",
        """\
app: mpr
task: fill
input:
  file: small.npy
model:
  calibrate: true
output:
  quantiles: [0.1]
  ensemble: 2
""",
        """\
app: mpr
task: simulate
simulate:
  size: [8, 8]
  temperatures: [0.5]
  relaxation_sweeps: 5
  sweeps: 20
""",
    ],
    "stable": [
        """\
app: stable
problem:
  task: fit
  data:
    file: small.csv
    column: z
""",
        """\
app: stable
problem:
  task: sample
  alpha: 1.5
  beta: 0.5
  n: 20
""",
        """\
app: stable
problem:
  task: fit_many
  n: 200
fit:
  window: 50
  step: 50
""",
    ],
    "bessel": [
        """\
app: bessel
problem:
  nu: [0, 0.4, 2.5]
  x: {logspace: [1.0e-4, 1000, 5]}
  combine: grid
  quantities: [k, log_k]
reference:
  extended: true
""",
        """\
app: bessel
problem:
  task: matern
  nu: 1.5
  r: {linspace: [0, 3, 7]}
""",
    ],
    "boys": [
        """\
app: boys
problem:
  n_max: 4
  x: {logspace: [1.0e-3, 100, 7]}
reference:
  extended: true
""",
        """\
app: boys
task: integrals
molecule:
  - {symbol: H, charge: 1, position: [0, 0, 0]}
  - {symbol: H, charge: 1, position: [0, 0, 1.4]}
basis:
  - {atom: 0, exponents: [3.4, 0.6], coefficients: [0.15, 0.5]}
  - {atom: 1, exponents: [3.4, 0.6], coefficients: [0.15, 0.5]}
""",
    ],
}

RESTARTABLE = {  # runs of a second or two, with the overrides below
    "gbees": """\
app: gbees
model: {name: lorenz63}
grid: {spacing: [0.7, 0.7, 0.7], threshold: 1.0e-5}
initial: {mean: [-11.5, -10, 9.5], standard_deviation: [1, 1, 1]}
measurements: [{time: 0.5, variable: z, value: -8, variance: 4}]
time: {end: 1, records: 2}
validate: {monte_carlo: {samples: 10000}}
""",
    "gp": """\
app: gp
covariance: {family: matern, sigma2: 1, beta: 0.1, nu: 0.5}
simulate: {points: 225}
fit: {method: bobyqa}
""",
    "mpr": """\
app: mpr
task: fill
input: {file: small.npy}
simulation: {equilibrium_sweeps: 40000}
model: {calibrate: false}
output: {ensemble: 2}
""",
    "stable": """\
app: stable
problem: {task: bias_map, n: 200}
map: {alpha: {linspace: [0.6, 2, 6]}, beta: {linspace: [-1, 1, 3]}, repeats: 4}
""",
}
LONGER = {
    "gbees": ["grid.spacing=[0.45, 0.45, 0.45]", "grid.threshold=1e-6"],
    "gp": ["simulate.points=400"],
    "mpr": ["simulation.equilibrium_sweeps=6000"],
    "stable": ["problem.n=150"],
}


def small_csv(rng, rows=30):
    return "x,y,z\n" + "".join(
        f"{rng.random():.6f},{rng.random():.6f},{rng.gauss(0, 1):.6f}\n" for _ in range(rows)
    )


def npy(values, shape, descr="<f8", fortran=False, version=1):
    """The bytes of a .npy file, right or wrong."""
    head = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return (
        b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H", len(head)) + head.encode() + values
    )


def small_npy(rng, n=12):
    """An image with gaps."""
    values = [rng.gauss(50, 10) if rng.random() > 0.2 else float("nan") for _ in range(n * n)]
    return npy(struct.pack(f"<{n * n}d", *values), (n, n))

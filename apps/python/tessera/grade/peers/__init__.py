# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Implementations that tessera-grade --all knows: a module for each library, with

    NAME, version(), which raises ImportError or OSError where the library is not there,
    FUNCTIONS: quantity -> Function."""

import importlib

from .. import calls
from ..errors import Errors
from ..report import Grade

# In the order of the tables.
MODULES = (
    "tessera_python",
    "tessera_cpp",
    "scipy",
    "sklearn",
    "mpmath",
    "gsl",
    "boost",
    "libstdcxx",
    "r_base",
    "r_stabledist",
    "libstable",
    "torch",
    "jax",
    "tensorflow_probability",
)
TRIAL = 20  # points, by which the time of a value is found


class Peer:
    """One function of a library for one quantity."""

    def __init__(self, name, version, function):
        self.name, self.version, self.function = name, version, function


def peers_of(quantity):
    """The implementations of a quantity that are found on this machine."""
    found = []
    for name in MODULES:
        module = importlib.import_module(f".{name}", __name__)
        functions = module.FUNCTIONS.get(quantity, ())
        if not functions:
            continue
        try:
            version = module.version()
        except (ImportError, OSError):
            continue
        for function in functions if isinstance(functions, list) else [functions]:
            label = f"{module.NAME} {function.label}".rstrip()
            found.append(Peer(label, version, function))
    return found


def budgeted(peer, quantity, seconds, seed):
    """The grade of a peer on as many points as about `seconds` allow."""
    function = peer.function
    whole = quantity
    points = (
        quantity
        if function.domain is None
        else quantity.part(function.domain(*quantity.inputs.values()))
    )
    if not len(points):
        return Grade(peer.name, peer.version, whole, points, None, 0.0)
    got, taken, part = growing(function, points, seconds, seed)
    made = Grade(peer.name, peer.version, whole, part, Errors(part, got), taken)
    made.domain = len(points) / len(whole)
    return made


def growing(function, points, seconds, seed):
    """(values, the time they took, the points): ever more points at random, until all of them, or
    the next run would take longer than `seconds`."""
    count = TRIAL
    run(function, points.sample(1, seed))  # the first call may import or compile
    while True:
        part = points.sample(count, seed)
        got, taken = run(function, part)
        if len(part) == len(points) or taken > seconds / 2:
            return got, taken, part
        count = int(len(part) * max(1.5, min(10, seconds / max(taken, 1e-9))))


def run(function, points):
    if function.command:
        return calls.run_command(function.call(), points, "text")
    return calls.values(function.call, points, function.each)

#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""PyKrige's own tests of kriging in the plane and on the sphere, run with tessera.kriging's classes
in the place of PyKrige's.

    git clone https://github.com/GeoStat-Framework/PyKrige CLONE
    pykrige_tests.py CLONE          with the module tessera on PYTHONPATH

The tests are those of CLONE/tests/test_core.py. Each grid that one of them asks for is also
computed by PyKrige, from CLONE/src and without its compiled parts, and compared. More grids follow,
of every variogram on PyKrige's data, and the answers of other programs that come with its tests.

Prints one table in Markdown. A difference of values is a share of the largest observation, one of
variances a share of the largest variogram at the lags of the data, one from an answer a share of
the largest number of the answer. A test passes where its own assertions hold and no difference
exceeds 1e-6. Tests that are left out have their reason in the table, and so does one whose singular
matrix tessera.kriging refuses. The exit code is 1 where another one does not pass. Nothing is
written in CLONE. Needs numpy, scipy and pytest, and GSTools for the tests of its models, which are
skipped without it.
"""
import argparse
import contextlib
import os
import shutil
import sys
import tempfile
import warnings

import numpy as np
import pytest

import tessera
from tessera import kriging

TOLERANCE = 1e-6
OF_CORE = "calls functions of pykrige.core and no class"
OF_SPACE = "is of three dimensions, which tessera.kriging does not have"
LEFT_OUT = {
    "test_core_adjust_for_anisotropy": OF_CORE,
    "test_core_adjust_for_anisotropy_3d": OF_CORE,
    "test_core_make_variogram_parameter_list": OF_CORE,
    "test_core_initialize_variogram_model": OF_CORE,
    "test_core_initialize_variogram_model_3d": OF_CORE,
    "test_core_calculate_variogram_model": OF_CORE,
    "test_core_krige": OF_CORE,
    "test_core_krige_3d": OF_CORE,
    "test_geometric_code": OF_CORE,
    "test_uk_calculate_data_point_zscalars": "calls a private method of the class",
    "test_ok3d": OF_SPACE,
    "test_ok3d_moving_window": OF_SPACE,
    "test_ok3d_uk3d_and_backends_produce_same_results": OF_SPACE,
    "test_ok3d_update_variogram_model": OF_SPACE,
    "test_uk3d_update_variogram_model": OF_SPACE,
    "test_ok3d_backends_produce_same_result": OF_SPACE,
    "test_ok3d_execute": OF_SPACE,
    "test_uk3d_execute": OF_SPACE,
    "test_force_exact_3d": OF_SPACE,
    "test_uk3d_specified_drift": OF_SPACE,
    "test_uk3d_functional_drift": OF_SPACE,
    "test_pseudo_3d": OF_SPACE,
}
REFUSED = {
    "test_uk_three_primary_drifts": "NumericalError, since its external drift is the x of its"
    " linear one; PyKrige inverts the singular matrix, see `dependent drifts`",
}
MODELS = {  # parameters of variograms for PyKrige's data, in the plane and on the sphere
    "linear": ([0.4, 20.0], [12.0, 20.0]),
    "power": ([0.02, 1.4, 20.0], [2.3, 1.4, 20.0]),
    "gaussian": ([1200.0, 2000.0, 20.0], [1200.0, 67.0, 20.0]),
    "spherical": ([1200.0, 3000.0, 20.0], [1200.0, 100.0, 20.0]),
    "exponential": ([1200.0, 3000.0, 20.0], [1200.0, 100.0, 20.0]),
    "hole-effect": ([1200.0, 4000.0, 20.0], [1200.0, 133.0, 20.0]),
}
TURNED = {"anisotropy_scaling": 2.5, "anisotropy_angle": 30.0}
METRES_OF_A_DEGREE = 30.0  # so the data cover a quarter of the sphere


class Table:
    """Rows of tests: the largest difference of each so far, and what came of it."""

    def __init__(self):
        self.current, self._differences, self._outcomes = None, {}, {}

    def begin(self, name):
        self.current = name
        self._outcomes.setdefault(name, "yes")

    @contextlib.contextmanager
    def row(self, name):
        """A test of this script, which an exception ends."""
        self.begin(name)
        try:
            yield
        except Exception as error:
            self.end(name, f"no: {str(error).splitlines()[0]}")

    def compare(self, found, expected, scale):
        """Two grids: of one shape and one mask, or there is an AssertionError."""
        found, expected = (np.ma.array(one, ndmin=1) for one in (found, expected))
        assert found.shape == expected.shape
        np.testing.assert_array_equal(np.ma.getmaskarray(found), np.ma.getmaskarray(expected))
        apart = np.abs(found - expected).compressed() / scale
        largest = np.where(np.isfinite(apart), apart, np.inf).max(initial=0.0)
        self._differences[self.current] = max(self._differences.get(self.current, 0.0), largest)

    def end(self, name, outcome):
        """The first outcome that is not "yes" stays."""
        if self._outcomes.get(name, "yes") == "yes":
            self._outcomes[name] = outcome

    def _outcome(self, name):
        if name in REFUSED and self._outcomes[name].startswith("no: tessera.NumericalError"):
            return f"refused: {REFUSED[name]}"
        within = self._differences.get(name, 0.0) <= TOLERANCE
        return self._outcomes[name] if within else f"no: beyond {TOLERANCE:g}"

    def fails(self):
        return any(self._outcome(name).startswith("no") for name in self._outcomes)

    def print(self, left_out):
        """left_out: names and reasons of what was not run."""
        print("| test | largest difference | passes |\n|---|---|---|")
        for name in self._outcomes:
            number = self._differences.get(name)
            shown = "" if number is None else f"{number:.1e}"
            print(f"| {name} | {shown} | {self._outcome(name)} |")
        for name, reason in left_out.items():
            print(f"| {name} | | left out: {reason} |")


def as_pykrige(call, *arguments, **named):
    """What PyKrige makes of a call that tessera.kriging takes; its refusal fails a test also where
    the test expects one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call(*arguments, **named)
    except Exception as error:
        raise AssertionError(f"PyKrige refuses what tessera.kriging takes: {error!r}") from error


def beside(own, theirs, table):
    """A class of tessera.kriging, each object of which has one of PyKrige beside it and compares
    every grid with it."""

    class Beside(own):
        def __init__(self, *arguments, **named):
            self._peer = None
            super().__init__(*arguments, **named)
            self._peer = as_pykrige(theirs, *arguments, **named)

        def update_variogram_model(self, *arguments, **named):
            super().update_variogram_model(*arguments, **named)
            if self._peer is not None:
                as_pykrige(self._peer.update_variogram_model, *arguments, **named)

        def execute(self, *arguments, **named):
            found = super().execute(*arguments, **named)
            plain = dict(named, backend="loop") if named.get("backend") == "C" else named
            expected = as_pykrige(self._peer.execute, *arguments, **plain)
            scales = np.abs(self._peer.Z).max(), self._peer.get_variogram_points()[1].max()
            for grid, other, scale in zip(found, expected, scales):
                table.compare(grid, other, scale)
            return found

        def compare_fits(self):
            """The sample variogram, its model and its statistics."""
            points = zip(self.get_variogram_points(), self._peer.get_variogram_points())
            statistics = zip(self.get_statistics(), self._peer.get_statistics())
            for one, other in (*points, *statistics, (self.semivariance, self._peer.semivariance)):
                table.compare(one, other, np.abs(other).max())

    Beside.__name__ = own.__name__
    return Beside


class Recorder:
    """A plugin of pytest: leaves tests out, and writes what comes of the others in the table."""

    def __init__(self, table):
        self._table, self.left_out = table, {}

    def pytest_collection_modifyitems(self, items):
        for item in items:
            if item.originalname in LEFT_OUT:
                self.left_out[item.originalname] = LEFT_OUT[item.originalname]
        items[:] = [item for item in items if item.originalname not in LEFT_OUT]

    def pytest_runtest_setup(self, item):
        self._table.begin(item.name)

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.rpartition("::")[2]
        if report.skipped:
            self._table.end(name, f"skipped: {report.longrepr[2].partition(': ')[2]}")
        elif report.failed:
            if name not in REFUSED:
                print(report.longreprtext, file=sys.stderr)
            self._table.end(name, f"no: {report.longrepr.reprcrash.message.splitlines()[0]}")


def run_tests(folder, table):
    """Of a copy of PyKrige's tests, which write files beside themselves."""
    recorder = Recorder(table)
    with tempfile.TemporaryDirectory() as copy:
        tests = os.path.join(copy, "tests")
        shutil.copytree(folder, tests)
        silent = ["-p", "no:terminal", "-p", "no:cacheprovider", "-c", os.devnull]
        code = pytest.main(
            [*silent, "--rootdir", tests, os.path.join(tests, "test_core.py")], [recorder]
        )
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        sys.exit(f"pykrige_tests.py: pytest could not run the tests: {code!r}")
    return recorder.left_out


class Data:
    """The data and elevations that come with PyKrige's tests, and grids in their extent."""

    def __init__(self, folder, tools):
        self._folder, self._tools = folder, tools
        self.points = np.genfromtxt(os.path.join(folder, "test_data.txt")).T
        names = ("external_drift", "external_drift_x", "external_drift_y")
        self.elevations = dict(zip(names, self.grid("test3_dem.asc")))
        x, y, _ = self.points
        self.targets = np.linspace(x.min(), x.max(), 23), np.linspace(y.min(), y.max(), 17)

    def grid(self, name, footer=0):
        """Numbers and coordinates of columns and rows of a file."""
        return self._tools.read_asc_grid(os.path.join(self._folder, name), footer=footer)[:3]


def compare_answers(ordinary, universal, data, table):
    """With the grids of other programs, of the parameters that PyKrige's tests give for them."""
    known = {"variogram_parameters": [500.0, 3000.0, 0.0]}
    exponential = {"variogram_model": "exponential", **known}
    linear = {**exponential, "drift_terms": ["regional_linear"]}
    spherical = {"variogram_model": "spherical", **known}
    external = {**spherical, "drift_terms": ["external_Z"], **data.elevations}
    for name, footer, kind, options in (
        ("test1_answer.asc", 2, ordinary, exponential),
        ("test2_answer.asc", 2, universal, linear),
        ("test3_answer.asc", 0, universal, external),
    ):
        with table.row(name):
            answer, x, y = data.grid(name, footer)
            grid = kind(*data.points, **options).execute("grid", x, y)[0]
            table.compare(grid, answer, np.abs(answer).max())


def compare_ordinary(ordinary, name, data):
    """A variogram, fitted and given: exact values or not, axes that are turned, the closest points,
    the sphere."""
    x, y, z = data.points
    in_plane, on_sphere = MODELS[name]
    given = {"variogram_parameters": in_plane}
    for options in ({}, {"nlags": 9, "weight": True}, given, {**given, **TURNED}):
        for exact in (True, False):
            model = ordinary(x, y, z, name, enable_statistics=True, exact_values=exact, **options)
            model.compare_fits()
            model.execute("grid", *data.targets)
            model.execute("points", x, y)
            model.execute("grid", *data.targets, backend="loop", n_closest_points=6)
    degrees = ((one - one.mean()) / METRES_OF_A_DEGREE for one in (x, y))
    model = ordinary(*degrees, z, name, on_sphere, coordinates_type="geographic")
    model.execute("points", *np.random.default_rng(1).uniform(-60, 60, (2, 50)))


def compare_universal(universal, name, data):
    """A variogram, fitted and given, with four kinds of drift."""
    x, y, z = data.points
    drifts = {
        "drift_terms": ["regional_linear", "point_log", "external_Z", "functional"],
        "point_drift": [[x.mean(), y.mean(), 2.0]],
        "functional_drift": [lambda x, y: np.sin(x / 500), lambda x, y: np.cos(y / 500)],
        **data.elevations,
    }
    given = {"variogram_parameters": MODELS[name][0]}
    for options in ({}, given, {**given, **TURNED}):
        model = universal(x, y, z, name, **options, **drifts)
        model.compare_fits()
        model.execute("grid", *data.targets)


def compare_dependent_drifts(universal, data):
    """An external drift that is the x of the linear one, with the pseudo-inverse."""
    x, y, z = data.points
    kilometres = ((one - one.mean()) / 1000 for one in (x, y))
    side = np.linspace(-3, 3, 7)
    drifts = {
        "drift_terms": ["regional_linear", "external_Z"],
        "external_drift": np.tile(side, (7, 1)),
        "external_drift_x": side,
        "external_drift_y": side,
    }
    model = universal(*kilometres, z, "linear", [400.0, 20.0], pseudo_inv=True, **drifts)
    model.execute("grid", side, side)


def compare_with_pykrige(ordinary, universal, data, table):
    for name in MODELS:
        with table.row(f"ordinary, {name}"):
            compare_ordinary(ordinary, name, data)
        with table.row(f"universal, {name}"):
            compare_universal(universal, name, data)
    with table.row("dependent drifts, pseudo_inv=True"):
        compare_dependent_drifts(universal, data)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clone", metavar="CLONE", help="clone of PyKrige's repository")
    clone = parser.parse_args().clone
    source, tests = os.path.join(clone, "src"), os.path.join(clone, "tests")
    if not os.path.isdir(os.path.join(source, "pykrige")) or not os.path.isdir(tests):
        sys.exit(
            f"pykrige_tests.py: {clone} has no src/pykrige or no tests\n"
            "  remedy: git clone https://github.com/GeoStat-Framework/PyKrige, and give this folder"
        )
    warnings.simplefilter("ignore", tessera.TesseraWarning)
    sys.path.insert(0, source)
    sys.dont_write_bytecode = True
    import pykrige

    table = Table()
    pykrige.ok.OrdinaryKriging = ordinary = beside(
        kriging.OrdinaryKriging, pykrige.OrdinaryKriging, table
    )
    pykrige.uk.UniversalKriging = universal = beside(
        kriging.UniversalKriging, pykrige.UniversalKriging, table
    )
    left_out = run_tests(tests, table)
    data = Data(os.path.join(tests, "test_data"), pykrige.kriging_tools)
    compare_answers(ordinary, universal, data, table)
    compare_with_pykrige(ordinary, universal, data, table)
    table.print(left_out)
    sys.exit(1 if table.fails() else 0)


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Tables in time, forces, units and observers that move of tessera-gbees."""

import math
import os
import signal
import subprocess
import sys

import h5py
import numpy as np

import run_cases
from cli_restart import wait_for_start
from cli_support import INPUT, ROOT, CommandLineTest, arrays

sys.path.insert(0, os.path.join(ROOT, "tests", "harness"))
import spk_writer

# A particle that a table carries along, in kilometres and hours.
CARRIED = """\
app: gbees
units: {length: 2 km, time: 1 h, variables: [km, km, km/h, km/h]}
model:
  variables: [x, y, vx, vy]
  parameters: {rate: 3 1/h}
  tables:
    wind: {file: wind.csv, columns: [wx, wy], unit: m/s, time_unit: min, start: 30}
  equations: [wx, wy, -rate*vx*0, 0*vy]
grid: {spacing: [0.1, 0.1, 1, 1], threshold: 1.0e-7}
initial: {mean: [0, 0, 0, 0], standard_deviation: [0.3, 0.3, 1, 1]}
time: {end: 1, records: 1}
"""

# A body at rest that is measured half-way.
STILL = """\
app: gbees
model:
  variables: [x, y, z]
  tables: {station: {file: station.csv, columns: [sx, sy, sz]}}
  equations: [0*x, 0*y, 0*z]
grid: {spacing: [0.05, 0.05, 0.05], threshold: 1.0e-7}
initial: {mean: [1, 2, 1.5], standard_deviation: [0.1, 0.1, 0.1]}
measurements:
  - {time: 0.5, %s}
time: {end: 1, records: 1}
"""

# The Moon and the Earth, for messages.
ORBIT = """\
app: gbees
units: {length: 384400 km, time: 375190 s, variables: [km, km, km/s, km/s]}
model:
  variables: [x, y, vx, vy]
  parameters: {mu: 398600.4418 km^3/s^2}
  tables:
    moon: {file: moon.csv, columns: [xm, ym], unit: km, time_unit: d}
  forces:
    - {kind: two_body, mu: 398600.4418 km^3/s^2}
    - {kind: third_body, name: pull, mu: 4902.8 km^3/s^2, table: moon}
  equations: [vx, vy, two_body_x + pull_x, -mu*y/sqrt(x^2 + y^2)^3 + pull_y]
grid: {threshold: 1.0e-4}
initial: {mean: [0.8, 0.0, 0.0, 0.9], standard_deviation: [0.01, 0.01, 0.01, 0.01]}
time: {end: 0.05, records: 1}
"""


# A body at rest under a Moon of a kernel.
KERNEL = """\
app: gbees
units: {length: 1000 km, time: 1 h, variables: [km, km, km]}
model:
  variables: [x, y, z]
  tables:
    moon: {file: x.bsp, target: moon, epoch: "2024-12-01T00:00:00", span: 2 d, columns: [x, y, z], names: [xm, ym, zm]}
  equations: [0*xm, 0*ym, 0*zm]
grid: {spacing: [0.05, 0.05, 0.05], threshold: 1.0e-9}
initial: {mean: [1, 2, 1.5], standard_deviation: [0.1, 0.1, 0.1]}
time: {end: 40, records: 8}
"""


# A body at rest under a satellite of an ephemeris, which begins between two of its rows.
EPHEMERIS = """\
app: gbees
units: {length: 1000 km, time: 1 h, variables: [km, km, km]}
model:
  variables: [x, y, z]
  tables:
    sat: {file: x.oem, epoch: "2026-01-01T00:01:40", columns: [x, y, z], names: [xs, ys, zs]}
  equations: [0*xs, 0*ys, 0*zs]
grid: {spacing: [0.05, 0.05, 0.05], threshold: 1.0e-9}
initial: {mean: [1, 2, 1.5], standard_deviation: [0.1, 0.1, 0.1]}
time: {end: 1, records: 16}
"""
ROW_TIMES = 300.0 * np.arange(15)  # s


def circle(times):
    """States [n, 6] in km and km/s of a satellite in the plane of the equator."""
    angle, rate, zero = 1.078e-3 * np.asarray(times), 1.078e-3, np.zeros(len(times))
    places = 7000 * np.stack([np.cos(angle), np.sin(angle), zero + 0.1], axis=-1)
    speeds = 7000 * rate * np.stack([-np.sin(angle), np.cos(angle), zero], axis=-1)
    return np.concatenate([places, speeds], axis=-1)


def oem(interpolation):
    """An ephemeris message with rows of that circle, 5 minutes apart."""
    head = (
        "CCSDS_OEM_VERS = 2.0\nCREATION_DATE = 2026-01-01T00:00:00\nORIGINATOR = TESSERA\n"
        "META_START\nOBJECT_NAME = SAT\nOBJECT_ID = SAT\nCENTER_NAME = EARTH\n"
        "REF_FRAME = EME2000\nTIME_SYSTEM = UTC\nSTART_TIME = 2026-01-01T00:00:00\n"
        "STOP_TIME = 2026-01-01T01:10:00\n" + interpolation + "META_STOP\n"
    )
    rows = zip(ROW_TIMES, circle(ROW_TIMES).tolist())
    return head + "".join(
        f"2026-01-01T{int(t) // 3600:02d}:{int(t) // 60 % 60:02d}:00 {' '.join(map(repr, row))}\n"
        for t, row in rows
    )


def csv(header, rows):
    return (
        header
        + "\n"
        + "".join(",".join(repr(float(value)) for value in row) + "\n" for row in rows)
    )


class Tables(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.write(
            "wind.csv", csv("time,wx,wy", [(t, 1 + t / 60, -2.0) for t in range(0, 121, 10)])
        )
        self.write(
            "station.csv",
            csv("time,sx,sy,sz", [(t / 10, 0.5 + t / 10, 0.1 - t / 20, 0.2) for t in range(11)]),
        )
        angles = [(day, 2 * math.pi * day / 27.3) for day in range(5)]
        self.write(
            "moon.csv",
            csv(
                "time,xm,ym",
                [(day, 384400 * math.cos(a), 384400 * math.sin(a)) for day, a in angles],
            ),
        )

    def run_with(self, text, *overrides, name="run"):
        self.write(name + ".yaml", text)
        self.succeed(name + ".yaml", "-q", "--force", *overrides)
        return arrays(self.path(name + ".h5"))

    def assert_rejected(self, text, old, new, *messages):
        self.assertIn(old, text)
        self.write("wrong.yaml", text.replace(old, new))
        outcome = self.call("wrong.yaml", "--validate")
        self.assertEqual(outcome.status, INPUT, outcome.err)
        for message in messages:
            self.assertIn(message, outcome.err)

    def test_a_table_carries_the_density(self):
        """The run begins at minute 30 of the table; the wind is 1.5 to 2.5 m/s along x in the hour
        that follows: 7.2 km, 3.6 lengths."""
        results = self.run_with(CARRIED)
        np.testing.assert_allclose(results["results/mean"][-1, :2], [3.6, -3.6], atol=0.04)

    def test_units_of_results(self):
        self.run_with(CARRIED)
        with h5py.File(self.path("run.h5")) as file:
            said = {
                name: file[name].attrs["units"]
                for name in (
                    "results/time",
                    "series/dt",
                    "coordinates/x1",
                    "coordinates/x3",
                    "results/mean",
                    "results/mass",
                )
            }
        said = {
            name: unit.decode() if isinstance(unit, bytes) else unit for name, unit in said.items()
        }
        self.assertEqual(
            said,
            {
                "results/time": "h",
                "series/dt": "h",
                "coordinates/x1": "2 km",
                "coordinates/x3": "2 km/h",
                "results/mean": "2 km, 2 km, 2 km/h, 2 km/h",
                "results/mass": "1",
            },
        )

    def test_other_kinds_of_files(self):
        """The same numbers from HDF5 and from an array, whose columns get names."""
        expected = self.run_with(CARRIED)["results/mean"]
        rows = np.array([(t, 1 + t / 60, -2.0) for t in range(0, 121, 10)])
        with h5py.File(self.path("wind.h5"), "w") as file:
            for k, name in enumerate(("time", "a/wx", "wy")):
                file[name] = rows[:, k]
        np.save(self.path("wind.npy"), rows)
        for entry in (
            "file: wind.h5, columns: [a/wx, wy], names: [wx, wy]",
            "file: wind.npy, time_column: 1, columns: [2, 3], names: [wx, wy], interpolate: linear",
            "file: wind.csv, columns: [wx, wy], interpolate: chebyshev",
        ):
            found = self.run_with(
                CARRIED.replace("file: wind.csv, columns: [wx, wy]", entry), name="other"
            )["results/mean"]
            # Steps end where the slope jumps, and other steps have other errors.
            steps_end_at_rows = "linear" in entry
            np.testing.assert_allclose(
                found, expected, rtol=0, atol=2e-3 if steps_end_at_rows else 1e-9
            )

    def test_an_observer_that_moves(self):
        """At the time of the measurement the station is at (1, -0.15, 0.2)."""
        for quantity in ("range", "azimuth", "elevation", "right_ascension", "declination"):
            entry = "variable: %s, value: %g, variance: 0.01, " % (
                quantity,
                1.9 if quantity == "range" else 1.1,
            )
            moving = self.run_with(STILL % (entry + "centre: {table: station}"))
            fixed = self.run_with(STILL % (entry + "centre: [1, -0.15, 0.2]"), name="fixed")
            for name in ("results/mean", "results/measurements/log_evidence"):
                np.testing.assert_allclose(
                    moving[name], fixed[name], rtol=0, atol=1e-11, err_msg=quantity
                )
        same = {"right_ascension": "azimuth", "declination": "elevation"}
        for name, other in same.items():
            first, second = (
                self.run_with(STILL % f"variable: {n}, value: 0.9, variance: 0.01")["results/mean"]
                for n in (name, other)
            )
            np.testing.assert_array_equal(first, second)

    def test_a_likelihood_of_an_observer_that_moves(self):
        moving = self.run_with(
            STILL % 'likelihood: "exp(-(range - 1.9)^2/0.02)", centre: {table: station}'
        )
        fixed = self.run_with(
            STILL % 'likelihood: "exp(-(range - 1.9)^2/0.02)", centre: [1, -0.15, 0.2]',
            name="fixed",
        )
        np.testing.assert_allclose(
            moving["results/mean"], fixed["results/mean"], rtol=0, atol=1e-11
        )

    def test_a_range_rate_from_an_observer_that_moves(self):
        """A body that rests is seen to come nearer by one who comes nearer."""
        self.write("approach.csv", csv("time,sx,sy", [(t / 10, 0.2 * t, 0.0) for t in range(11)]))
        text = STILL.replace("[x, y, z]", "[x, y, vx, vy]").replace(
            "station.csv, columns: [sx, sy, sz]", "approach.csv, columns: [sx, sy]"
        )
        text = text.replace("[0*x, 0*y, 0*z]", "[0*x, 0*y, 0*vx, 0*vy]").replace(
            "[0.05, 0.05, 0.05]", "[0.05, 0.05, 0.05, 0.05]"
        )
        text = text.replace("[1, 2, 1.5]", "[5, 0, 0, 0]").replace(
            "[0.1, 0.1, 0.1]", "[0.1, 0.1, 0.1, 0.1]"
        )
        entry = "variable: range_rate, value: -2, variance: 0.01, centre: {table: station}"
        results = self.run_with(text % entry)
        self.assertLess(abs(results["results/measurements/deviation"][0]), 0.1)

    def test_a_region_that_moves(self):
        """The Moon's neighbourhood goes with it."""
        text = (
            CARRIED
            + "regions: [{name: near, inside: abs(x - wx*t) < 100}, {name: far, inside: x - 1000*wx*t > 0}]\n"
        )
        results = self.run_with(text)
        np.testing.assert_allclose(
            results["results/regions/near/probability"], results["results/mass"], atol=1e-12
        )
        self.assertEqual(results["results/regions/far/probability"][-1], 0)

    def test_the_same_after_a_restart(self):
        text = CARRIED.replace("records: 1", "records: 4")
        whole = self.run_with(text)
        self.write("part.yaml", text)
        process = self.start("part.yaml", "-q", "run.checkpoint_every=1.0e-9")
        process.wait(300)
        again = arrays(self.path("part.h5"))
        for name, value in whole.items():
            np.testing.assert_array_equal(again[name], value)

    def test_tables_in_the_results(self):
        """Their values at the records, in the units of the run."""
        results = self.run_with(CARRIED)
        np.testing.assert_allclose(
            results["results/tables/wind/value"], [[2.7, -3.6], [4.5, -3.6]], rtol=1e-12
        )
        self.assertEqual(list(results["results/tables/wind/columns"]), [b"wx", b"wy"])
        with h5py.File(self.path("run.h5")) as file:
            self.assertEqual(file["results/tables/wind/value"].attrs["units"], "2 km/h")
        self.run_with(ORBIT)
        with h5py.File(self.path("run.h5")) as file:
            self.assertEqual(
                file["results/tables/moon/value"].attrs["units"],
                file["coordinates/x1"].attrs["units"],
            )

    def test_interrupted_and_restarted(self):
        """Tables, forces, an observer that moves and a region that does, stopped by signals again
        and again: the same bits."""
        text = ORBIT.replace(
            "time: {end: 0.05, records: 1}", "time: {end: 0.3, records: 3}"
        ).replace("threshold: 1.0e-4", "threshold: 1.0e-6")
        text += "measurements: [{time: 0.15, variable: range, value: 0.3, variance: 0.01, centre: {table: moon}}]\n"
        text += "regions: [{name: near, inside: 'hypot(x - xm, y - ym) < 0.185', absorb: true}, {name: far, inside: x < 0.7*xm}]\n"
        self.run_with(text, name="whole")
        self.write("part.yaml", text)
        stops, restart, delay = 0, (), 0.02
        while True:
            process = self.start("part.yaml", "--progress", "off", *restart)
            wait_for_start(process)
            try:
                _, err = process.communicate(timeout=delay)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGTERM)
                _, err = process.communicate(timeout=300)
            if process.returncode == 0:
                break
            self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
            if os.path.exists(self.path("part.restart.h5")):
                restart = ("--restart", "part.restart.h5", "--force")
                stops += 1
            delay *= 1.3
        self.assertGreater(stops, 2)
        self.assert_same_bits(self.path("whole.h5"), "part.h5")

    def test_kernels(self):
        """A Moon on a circle, of an SPK kernel, at the records."""
        start = 9101 * 86400.0 + 69.184  # of TDB from noon; 2024-12-01T12:00:00 UTC

        def circle(times):
            angle = 2.6617e-6 * (np.asarray(times) - start)
            zero = np.zeros_like(angle)
            places = 384.4e3 * np.stack([np.cos(angle), np.sin(angle), zero - 0.1], axis=-1)
            return np.concatenate([places, np.zeros_like(places)], axis=-1)

        start -= 43200
        numbers = spk_writer.chebyshev_numbers(circle, start - 4e5, 4e5, 3, 13, False)
        segment = [301, 399, 1, 2, start - 4e5, start + 8e5, numbers]
        spk_writer.write_spk(self.path("x.bsp"), [segment])
        self.write("input.yaml", KERNEL)
        outcome = self.succeed("input.yaml", "-q")
        self.assertEqual(outcome.err, "")
        with h5py.File(self.path("input.h5")) as file:
            found = file["results/tables/moon/value"][()]
            hours = file["results/time"][()]
            resolved = file["input/resolved"][()].decode()
            self.assertIn("interpolate: chebyshev", resolved)
        expected = circle(start + 3600 * hours)[:, :3] / 1000
        # TDB - TT is up to 2 ms, and the Moon moves by 1 m in 1 ms
        self.assertLess(np.abs(found - expected).max(), 2e-6)
        # what was resolved is an input again
        self.write("again.yaml", resolved)
        self.succeed("again.yaml", "--validate")

        def reject(change, *phrases):
            self.write("wrong.yaml", KERNEL.replace(*change))
            self.assert_mentions(self.call("wrong.yaml", "--validate"), INPUT, *phrases)

        reject(("target: moon", "target: sun"), "no segments lead from body 399 to 10")
        reject(("target: moon", "target: lune"), "no body whose number is known", "remedy")
        reject(("span: 2 d", "span: 20 d"), "no segments lead from body 399 to 301 at 2024-12-")
        reject(("span: 2 d", "span: 1 h"), "row 33, the last, is at t = 1, before the end")
        reject(("columns: [x, y, z]", "columns: [x, y, vz]"), "has no column 'vz'")
        reject((", span: 2 d", ""), "an SPK kernel needs 'span'")
        reject(("x.bsp", "x.csv"), "6:33: error: this is a key of SPK kernels")
        reject(("2024-12-01T00", "2024-13-01T00"), "months are 1 to 12")
        reject(
            ("units: {length: 1000 km, time: 1 h, variables: [km, km, km]}\n", ""),
            "needs the units",
        )
        reject(("span: 2 d", "span: 2 d, start: 3"), "unknown key 'start'")

    def test_ephemerides(self):
        """Positions at the records are those of the interpolation that the message names, which is
        off by 0.2 km and more of the orbit here."""

        rows = circle(ROW_TIMES)

        def lagrange(degree, time):  # through the rows about a time
            half = (degree + 1) // 2
            first = np.clip(np.searchsorted(ROW_TIMES, time) - half, 0, 14 - degree)
            near = range(first, first + degree + 1)
            weights = [
                math.prod(
                    (time - ROW_TIMES[m]) / (ROW_TIMES[k] - ROW_TIMES[m]) for m in near if m != k
                )
                for k in near
            ]
            return weights @ rows[first : first + degree + 1, :3]

        def hermite(degree, time):  # of degree 3, through two rows and their velocities
            k = max(np.searchsorted(ROW_TIMES, time) - 1, 0)
            h = ROW_TIMES[k + 1] - ROW_TIMES[k]
            s = (time - ROW_TIMES[k]) / h
            places = (1 + 2 * s) * (1 - s) ** 2 * rows[k] + s**2 * (3 - 2 * s) * rows[k + 1]
            speeds = h * s * (1 - s) * ((1 - s) * rows[k] - s * rows[k + 1])
            return places[:3] + speeds[3:]

        # Every second record is 0.02 s before a row, about which the table rounds off corners.
        late = EPHEMERIS.replace("00:01:40", "00:04:59.98").replace("records: 16", "records: 24")
        cases = [("LAGRANGE", 5, lagrange, 1e-9), ("HERMITE", 3, hermite, 1e-9)]
        cases.append(("LAGRANGE", 1, lagrange, 3e-6))
        for method, degree, own, good in cases:
            self.write("x.oem", oem(f"INTERPOLATION = {method}\nINTERPOLATION_DEGREE = {degree}\n"))
            self.write("input.yaml", late)
            outcome = self.succeed("input.yaml", "-q", "--force")
            (self.assertIn if degree == 1 else self.assertNotIn)("has corners", outcome.err)
            with h5py.File(self.path("input.h5")) as file:
                found = file["results/tables/sat/value"][()]
                times = 299.98 + 3600 * file["results/time"][()]
                resolved = file["input/resolved"][()].decode()
            expected = np.array([own(degree, time) for time in times]) / 1000
            self.assertLess(np.abs(found - expected).max(), 7 * good)
            self.assertGreater(np.abs(found - circle(times)[:, :3] / 1000).max(), 1e-6)
        self.write("again.yaml", resolved)
        self.succeed("again.yaml", "--validate")

    def test_wrong_ephemerides(self):
        named = "INTERPOLATION = HERMITE\nINTERPOLATION_DEGREE = 7\n"
        whole = oem(named)

        def reject(change, *phrases, message=whole):
            self.assertIn(change[0], EPHEMERIS)
            self.write("x.oem", message)
            self.write("wrong.yaml", EPHEMERIS.replace(*change))
            self.assert_mentions(self.call("wrong.yaml", "--validate"), INPUT, *phrases)

        same = ("app", "app")
        reject(("01T00:01:40", "01T00:30:00"), "6:17: error:", "before the end of the run at t = 1")
        reject(("01T00:01:40", "01T02:00:00"), "'epoch' is not before its end, at 2026-01-01T01:10")
        reject(("01T00:01:40", "00T00:00:00"), "the month has no such day")
        before = ('epoch: "2026-01-01T00', 'epoch: "2025-12-31T23')
        reject(before, "x.oem", "2025-12-31T23:01:40.000000 is outside the rows of the ephemeris")
        columns = "columns: [x, y, z]"
        reject((columns, "span: 9 h, " + columns), "T09:01:40.000000 is outside the rows")
        reject((columns, "span: 0.5 h, " + columns), "before the end of the run at t = 1")
        reject((columns, "target: moon, " + columns), "6:", "this is a key of SPK kernels (.bsp)")
        reject(
            (columns, "columns: [x, y, vz]"), "no column 'vz': those of an ephemeris are x, y, z"
        )
        reject(('epoch: "2026-01-01T00:01:40", ', ""), "an ephemeris needs 'epoch'")
        reject((EPHEMERIS.splitlines()[1] + "\n", ""), "an ephemeris needs the units of the run")
        reject(same, "the ephemeris names no INTERPOLATION", message=oem(""))
        usable = "USEABLE_STOP_TIME = 2026-01-01T00:30:00\n"
        reject(same, "before the end of the run", message=oem(named + usable))
        usable = "USEABLE_START_TIME = 2026-01-01T00:05:00\n"
        reject(same, "outside the time in which the ephemeris may be", message=oem(named + usable))
        second = whole[whole.index("META_START") :]
        reject(
            same, "has 2 segments, and a table is read from files of one", message=whole + second
        )
        reject(same, "x.oem:9: the time system", message=whole.replace("= UTC", "= GMST"))

    def test_particles_follow_tables(self):
        results = self.run_with(CARRIED + "validate: {monte_carlo: {samples: 2000}}\n")
        start, end = results["results/monte_carlo/mean"][[0, -1], :2]
        np.testing.assert_allclose(end - start, [3.6, -3.6], atol=1e-9)

    def test_wrong_tables(self):
        def reject(rows, *messages):
            self.write("moon.csv", csv("time,xm,ym", rows))
            self.assert_rejected(ORBIT, "app", "app", *messages)

        reject(
            [(0, 1, 1), (1, 1, 1), (1, 2, 2)],
            "wrong.yaml:7:18: error: ",
            "moon.csv: row 3: the times of a table ascend, and 1 comes after 1",
        )
        reject(
            [(0, 1, 1), (0.1, 1, 1)],
            "moon.csv: row 2, the last, is at t = 0.0230283, before the end of the run at t = 0.05",
        )
        reject(
            [(0.1, 1, 1), (3, 1, 1)],
            "moon.csv: row 1 is at t = 0.0230283, after the beginning of the run at t = 0",
        )
        reject([(0, 1, 1)], "a table needs two rows at least, and this has 1")
        self.write("moon.csv", "time,xm,ym\n0,1,1\n1,nan,2\n")
        self.assert_rejected(ORBIT, "app", "app", "moon.csv:3:3", "wrong.yaml:7:18")

    def test_wrong_keys(self):
        reject = lambda old, new, *messages: self.assert_rejected(ORBIT, old, new, *messages)
        reject("[xm, ym]", "[xm, zm]", "7:18: error: ", "no column 'zm'")
        reject("[xm, ym]", "[xm, y]", "7:", "no column 'y'")
        reject(
            "table: moon",
            "table: mars",
            "10:66: error: there is no table 'mars' in model.tables; there are moon",
        )
        reject("unit: km,", "unit: kn,", "7:53: error: unknown unit 'kn'")
        reject("time_unit: d", "time_unit: km", "error: this must be time, and 'km' is length")
        reject("kind: third_body", "kind: third_bodies", "'third_body'")
        reject(
            "columns: [xm, ym]",
            "columns: [xm, ym], rates: [xm, ym], interpolate: linear",
            "'rates' belong to 'interpolate: hermite'",
        )
        reject(
            "columns: [xm, ym]", "columns: [xm, ym], names: [x, ym]", "the name 'x' is used twice"
        )
        reject(
            "[xm, ym], unit", "[xm], unit", "a body needs 2 coordinates as the state has, and not 1"
        )
        reject(
            "forces:", "comment: >\n    x\n  forces: []\n  x-forces:", "unknown name 'two_body_x'"
        )

    def test_wrong_units(self):
        reject = lambda old, new, *messages: self.assert_rejected(ORBIT, old, new, *messages)
        reject(
            "{mu: 398600.4418 km^3/s^2}\n  tables",
            "{mu: 398600.4418 km^3/sec^2}\n  tables",
            "5:37: error: unknown unit 'sec'",
        )
        reject(
            "two_body, mu: 398600.4418 km^3/s^2",
            "two_body, mu: 398600.4418 km^2/s^2",
            "9:40: error: this must be length^3/time^2, and 'km^2/s^2' is length^2/time^2",
        )
        reject(
            "length: 384400 km",
            "length: 384400 s",
            "2:24: error: this must be length, and 's' is time",
        )
        reject(
            "length: 384400 km",
            "length: 384400",
            "2:17: error: give a number and a unit, for example 'length: 1 m'",
        )
        reject(
            "-mu*y/sqrt(x^2 + y^2)^3 + pull_y",
            "-mu*y/(x^2 + y^2) + pull_y",
            "11:62: error: this joins length^2/time^2 and length/time^2",
        )
        reject(
            "[vx, vy, two_body_x",
            "[vx, x, two_body_x",
            "11:19: error: the rate of change of 'y' must be length/time, and this is length",
        )
        reject("km/s, km/s]}", "km/s]}", "there are 3 units of 4 variables: give one for each")
        reject(
            "units: {length: 384400 km, time: 375190 s, variables: [km, km, km/s, km/s]}",
            "comment: none",
            "what is a 'km^3/s^2' in this run? Say what its numbers are in",
        )
        reject(
            "398600.4418 km^3/s^2}\n  tables", "398600.4418 km^3 s\n    ^-2}\n  tables", "error:"
        )

    def test_units_everywhere(self):
        """In `initial`, `grid`, `time`, `measurements`, `regions` and noise, for the numbers that
        they stand for."""
        plain = """\
app: gbees
units: {length: 2 km, time: 1 h, variables: [km, km, km/h, km/h]}
model: {variables: [x, y, vx, vy], equations: [vx, vy, 0*vx, 0*vy], noise: [%s, 0, 0, 0]}
grid: {spacing: %s, threshold: 1.0e-6}
initial: {mean: %s, covariance: [[%s, 0, 0, 0], [0, 0.09, 0, %s], [0, 0, 0.04, 0], [0, %s, 0, 0.04]]}
measurements:
  - {time: %s, quantities: [range, azimuth], values: %s, covariance: [[%s, 0], [0, %s]], centre: %s}
  - {time: 0.4, variable: vx, value: %s, variance: %s}
  - {time: 0.45, variable: x, value: 1.5, distribution: student, degrees: 4, scale: %s}
regions: [{name: a, inside: x < 1, at: %s}, {name: b, inside: y > 3, absorb: true, histograms: [{of: vx*vy, low: %s, high: 3}]}]
time: {end: %s, records: 1}
"""
        numbers = (
            "0.02",
            "[0.25, 0.25, 0.2, 0.2]",
            "[1, 2, 1.5, -0.5]",
            "0.09",
            "0.01",
            "0.01",
            "0.25",
            "[3.5, 1.1]",
            "0.04",
            "0.01",
            "[-0.5, -1]",
            "1.4",
            "0.01",
            "0.2",
            "[0.1, 0.2]",
            "-1",
            "0.5",
        )
        units = (
            "0.08 km^2/h",
            "[500 m, 0.5 km, 0.4 km/h, 0.2]",
            "[2 km, 2, 3000 m/h, -1 km/h]",
            "0.36 km^2",
            "0.04 km^2/h",
            "0.01",
            "15 min",
            "[7 km, 63.02535746439056 deg]",
            "160000 m^2",
            "0.01 rad^2",
            "[-1 km, -1]",
            "2.8 km/h",
            "0.04 km^2/h^2",
            "400 m",
            "[6 min, 0.2]",
            "-4 km^2/h^2",
            "30 min",
        )
        expected, found = self.run_with(plain % numbers, name="plain"), self.run_with(
            plain % units, name="units"
        )
        for name, value in expected.items():
            if value.dtype.kind == "f":
                np.testing.assert_allclose(found[name], value, rtol=1e-9, atol=1e-12, err_msg=name)
        text = plain % numbers
        for old, new, *messages in (
            (
                "spacing: [0.25",
                "spacing: [3 km/h",
                "4:20: error: this must be length, and 'km/h' is length/time",
            ),
            ("mean: [1, 2", "mean: [1, 2 kn", "5:23: error: unknown unit 'kn'"),
            ("[[0.09, 0", "[[0.09 km, 0", "5:55: error: this must be length^2, and 'km' is length"),
            ("time: 0.25", "time: 3 km", "7:14: error: this must be time, and 'km' is length"),
            (
                "values: [3.5,",
                "values: [3.5 s,",
                "7:61: error: this must be length, and 's' is time",
            ),
            ("1.1]", "1.1 km]", "7:66: error: this must be a number, and 'km' is length"),
            (
                "variance: 0.01",
                "variance: 0.01 km/h",
                "8:58: error: this must be length^2/time^2, and 'km/h' is length/time",
            ),
            ("end: 0.5", "end: 0.5 m", "11:17: error: this must be time, and 'm' is length"),
            (
                "low: -1",
                "low: -1 km",
                "10:125: error: this must be length^2/time^2, and 'km' is length",
            ),
            (
                "noise: [0.02",
                "noise: [0.02 km",
                "3:82: error: this must be length^2/time, and 'km' is length",
            ),
            ("end: 0.5", "end: -3 h", "'time.end' is -3, but must be greater than 0"),
        ):
            with self.subTest(new):
                self.assert_rejected(text, old, new, *messages)
        bare = text[: text.index("units:")] + text[text.index("model:") :]
        self.assert_rejected(
            bare, "end: 0.5", "end: 0.5 h", "10:17: error: what is a 'h' in this run?"
        )
        self.run_with(bare.replace("1.1]", "63.02535746439056 deg]"))  # an angle is a number

    def test_wrong_observers(self):
        def reject(entry, *messages):
            self.assert_rejected(
                STILL % "variable: range, value: 1.9, variance: 0.01, centre: {table: station}",
                "centre: {table: station}",
                entry,
                *messages,
            )

        reject("centre: {table: sation}", "error: there is no table 'sation' in model.tables")
        reject("centre: {}", "missing required key 'table'")
        reject("centre: {table: station, of: x}", "unknown key 'of'")
        self.assert_rejected(
            STILL % "variable: range, value: 1.9, variance: 0.01, centre: {table: station}",
            "[sx, sy, sz]",
            "[sx, sy]",
            "the table 'station' has 2 columns, and the state has 3 positions",
        )

    def test_the_input_with_an_ephemeris(self):
        """Its tables are what its script writes, and it is valid."""
        self.succeed(os.path.join(ROOT, "inputs", "gbees", "ephemeris.yaml"), "--validate", "-q")
        script = os.path.join(ROOT, "inputs", "gbees", "ephemeris.py")
        with open(script, encoding="utf-8") as file:
            code = file.read()
        self.write("ephemeris.py", code)
        exec(
            compile(code, self.path("ephemeris.py"), "exec"),
            {"__name__": "__main__", "__file__": self.path("ephemeris.py")},
        )
        for name in ("ephemeris_moon.csv", "ephemeris_station.csv"):
            with open(os.path.join(ROOT, "inputs", "gbees", name), "rb") as file:
                self.assertEqual(file.read(), self.read(name))


if __name__ == "__main__":
    run_cases.main()

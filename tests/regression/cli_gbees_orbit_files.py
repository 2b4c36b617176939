# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Runs of tessera-gbees that begin with the state of an orbit file, and write one."""

import math
import os
import re
import shutil

import h5py
import numpy as np

import run_cases
from cli_support import INPUT, ROOT, CommandLineTest

TEXT = """\
app: gbees
units: {length: 1 km, time: 1 s, variables: [km, km, km, km/s, km/s, km/s]}
model:
  variables: [x, y, z, vx, vy, vz]
  coordinates: equinoctial
  forces: [{kind: two_body, name: earth, mu: 398600.4418 km^3/s^2}]
  equations: [vx, vy, vz, earth_x, earth_y, earth_z]
grid: {factor: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], threshold: 1.0e-5}
initial: {file: FILE}
time: {end: 20 min, records: 2}
"""
OPM = """\
CCSDS_OPM_VERS = 2.0
CREATION_DATE = 2026-01-01T00:00:00
ORIGINATOR = TESSERA
OBJECT_NAME = SAT
OBJECT_ID = 2026-001A
CENTER_NAME = EARTH
REF_FRAME = EME2000
TIME_SYSTEM = UTC
EPOCH = 2026-01-01T00:00:00
X = 6778 [km]
Y = 0 [km]
Z = 0 [km]
X_DOT = 0 [km/s]
Y_DOT = 4.7657 [km/s]
Z_DOT = 6.0128 [km/s]
COV_REF_FRAME = RTN
"""
OMM = """\
CCSDS_OMM_VERS = 2.0
CREATION_DATE = 2020-10-14T00:00:00
ORIGINATOR = TESSERA
OBJECT_NAME = VANGUARD 1
OBJECT_ID = 1958-002B
CENTER_NAME = EARTH
REF_FRAME = TEME
TIME_SYSTEM = UTC
MEAN_ELEMENT_THEORY = SGP4
EPOCH = 2000-06-27T18:50:19.733568
MEAN_MOTION = 10.82419157413667 [rev/day]
ECCENTRICITY = 0.1859667
INCLINATION = 34.2682 [deg]
RA_OF_ASC_NODE = 348.7242 [deg]
ARG_OF_PERICENTER = 331.7664 [deg]
MEAN_ANOMALY = 19.3264 [deg]
BSTAR = 0.28098e-4 [1/ER]
"""
TLE = """\
VANGUARD 1
1 00005U 58002B   00179.78495062  .00000023  00000-0  28098-4 0  4753
2 00005  34.2682 348.7242 1859667 331.7664  19.3264 10.82419157413667
"""
TDM = """\
CCSDS_TDM_VERS = 2.0
CREATION_DATE = 2026-01-01T00:00:00
ORIGINATOR = TESSERA
META_START
TIME_SYSTEM = UTC
PARTICIPANT_1 = STATION
PARTICIPANT_2 = SAT
MODE = SEQUENTIAL
PATH = 2,1
ANGLE_TYPE = RADEC
META_STOP
DATA_START
ANGLESDATA_STOP
"""
NAMES = ["X", "Y", "Z", "X_DOT", "Y_DOT", "Z_DOT"]


def opm():
    """An OPM whose deviations are 1 km and 1 m/s."""
    rows = [
        f"C{a}_{b} = {(1.0 if i < 3 else 1e-6) if a == b else 0.0}\n"
        for i, a in enumerate(NAMES)
        for b in NAMES[: i + 1]
    ]
    return OPM + "".join(rows)


class OrbitFiles(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.write("x.opm", opm())
        self.write("input.yaml", TEXT.replace("FILE", "x.opm"))
        shutil.copy(
            os.path.join(ROOT, "inputs", "gbees", "conjunction", "alfano_05.cdm"),
            self.path("x.cdm"),
        )

    def assert_refuses(self, text, *phrases):
        self.write("wrong.yaml", text)
        self.assert_mentions(self.call("wrong.yaml", "--validate"), INPUT, "wrong.yaml:", *phrases)

    def test_the_same_as_numbers(self):
        self.succeed("input.yaml", "-q", "-o", "file.h5")
        numbers = (
            "mean: [6778, 0, 0, 0, 4.7657, 6.0128],"
            "standard_deviation: [1, 1, 1, 0.001, 0.001, 0.001]"
        )
        self.write("numbers.yaml", TEXT.replace("file: FILE", numbers))
        self.succeed("numbers.yaml", "-q", "-o", "numbers.h5")
        with h5py.File(self.path("file.h5")) as file, h5py.File(self.path("numbers.h5")) as other:
            for name in ("results/state/mean", "results/state/covariance"):
                a, b = file[name][()], other[name][()]
                self.assertLess(np.abs(a - b).max(), 1e-6 * np.abs(b).max(), name)
            self.assertEqual(file.attrs["epoch"], "2026-01-01T00:00:00.000000")

    def test_ephemeris(self):
        self.succeed("input.yaml", "-q", "output.oem=x.oem")
        lines = self.read("x.oem").decode().splitlines()
        rows = [line.split() for line in lines if line.startswith("2026-")]
        self.assertEqual([row[0][11:19] for row in rows], ["00:00:00", "00:10:00", "00:20:00"])
        with h5py.File(self.path("input.h5")) as file:
            mean = file["results/state/mean"][()]
            covariance = file["results/state/covariance"][()]
        self.assertLess(np.abs(np.array(rows)[:, 1:].astype(float) - mean).max(), 1e-9)
        # a run that begins with its last record
        text = TEXT.replace("FILE", 'x.oem, time: "2026-01-01T00:20:00"')
        self.write("next.yaml", text)
        self.succeed("next.yaml", "-q", "time.end=1", "time.records=1")
        with h5py.File(self.path("next.h5")) as file:
            self.assertEqual(file.attrs["epoch"], "2026-01-01T00:20:00.000000")
            first = file["results/state/covariance"][0]
            self.assertLess(np.abs(file["results/state/mean"][0] - mean[-1]).max(), 0.1)
            # a twelfth of the square of the cells, which are a standard deviation long
            self.assertLess(np.abs(first / covariance[-1] - 1)[0, 0], 0.12)
        # an existing file is kept
        outcome = self.succeed("input.yaml", "-q", "--force", "output.oem=x.oem")
        self.assertIn("'x.oem' exists and is kept", outcome.err)

    def test_tracking_data(self):
        self.succeed("input.yaml", "-q")
        with h5py.File(self.path("input.h5")) as file:
            x, y, z = file["results/state/mean"][1][:3]  # after ten minutes
            free = np.linalg.det(file["results/state/covariance"][-1])
        angles = (math.atan2(y, x), math.asin(z / math.hypot(x, y, z)))
        head, tail = TDM.split("ANGLES")
        for n, angle in enumerate(angles):
            head += f"ANGLE_{n + 1} = 2026-01-01T00:10:00 {math.degrees(angle)}\n"
        self.write("x.tdm", head + tail)
        table = (
            "measurement_table: {file: x.tdm, quantities: [right_ascension, declination],"
            " variances: [1e-8, 1e-8]}\n"
        )
        self.write("tracked.yaml", TEXT.replace("FILE", "x.opm") + table)
        self.succeed("tracked.yaml", "-q")
        with h5py.File(self.path("tracked.h5")) as file:
            self.assertEqual(list(file["results/measurements/time"][()]), [600])
            self.assertLess(np.linalg.det(file["results/state/covariance"][-1]), 0.2 * free)
        self.write(
            "none.yaml", TEXT.replace("FILE", "x.opm") + table.replace("declination", "elevation")
        )
        outcome = self.call("none.yaml", "--validate")
        self.assert_mentions(outcome, 0, "x.tdm has no rows")
        numbers = "mean: [6778, 0, 0, 0, 5, 6], standard_deviation: [1, 1, 1, 1, 1, 1]"
        self.assert_refuses(TEXT.replace("file: FILE", numbers) + table, "times of the calendar")

    def test_conjunction_message(self):
        text = TEXT.replace("FILE", "x.cdm, object: 2").replace("20 min", "1 min")
        self.write("input.yaml", text)
        # A Gaussian of the state is a bent sheet in the elements, thinner than cells of a frame.
        outcome = self.succeed("input.yaml", "time.records=1")
        self.assertIn("by 15 of its standard deviations at one from the mean", outcome.err)
        with h5py.File(self.path("input.h5")) as file:
            mean = file["results/state/mean"][0]
            covariance = file["results/state/covariance"][0]
        self.assertLess(abs(mean[0] - 6878.089162), 0.01)
        message = dict(re.findall(r"^(\w+) *= *(\S+)", self.read("x.cdm").decode(), re.M))
        radial = mean[:3] / np.linalg.norm(mean[:3])
        normal = np.cross(mean[:3], mean[3:])
        normal /= np.linalg.norm(normal)
        for axis, key in ((radial, "CR_R"), (np.cross(normal, radial), "CT_T"), (normal, "CN_N")):
            found = 1e3 * math.sqrt(axis @ covariance[:3, :3] @ axis)
            # the threshold takes tails
            self.assertAlmostEqual(found / math.sqrt(float(message[key])), 1, delta=0.07, msg=key)
        outcome = self.call("input.yaml", "--force", "initial.gaussian_of=state")
        self.assert_mentions(outcome, 3, "no cell of the initial density reaches the threshold")
        self.write("x.opm", opm())
        self.write("input.yaml", TEXT.replace("FILE", "x.opm, gaussian_of: coordinates"))
        outcome = self.succeed("input.yaml", "-o", "linear.h5")
        self.assertNotIn("bent", outcome.err)
        self.assert_refuses(
            TEXT.replace("FILE", "x.opm, gaussian_of: coordinates").replace(
                "coordinates: equinoctial", "coordinates: cartesian"
            ),
            "model.coordinates other than cartesian",
        )

    def test_mean_elements(self):
        self.write("x.omm", OMM)
        self.write("x.tle", TLE)
        deviation = "standard_deviation: [0.3, 1, 0.2, 1e-3, 3e-4, 2e-4], covariance_axes: RTN"
        time = 'time: "2000-06-28T06:50:19.733568"'  # 720 minutes after the epoch
        for name in ("x.omm", "x.tle"):
            text = TEXT.replace("FILE", f"{name}, {time}, {deviation}").replace("20 min", "1 min")
            self.write("input.yaml", text)
            self.succeed("input.yaml", "-q", "--force", "time.records=1", "grid.threshold=1e-6")
            with h5py.File(self.path("input.h5")) as file:
                self.assertEqual(file.attrs["epoch"], "2000-06-28T06:50:19.733568")
                mean = file["results/state/mean"][0]
                covariance = file["results/state/covariance"][0]
            # the published state in TEME, which differs from EME2000 by less than 1e-3 rad
            teme = [-7134.593401, 6531.686413, 3260.271865, -4.113793, -2.911922, -2.557328]
            for part in (slice(0, 3), slice(3, 6)):
                size = np.linalg.norm(teme[part])
                self.assertAlmostEqual(np.linalg.norm(mean[part]) / size, 1, delta=1e-4)
                self.assertLess(np.abs(mean[part] - teme[part]).max(), 1e-3 * size)
            radial = mean[:3] / np.linalg.norm(mean[:3])
            normal = np.cross(mean[:3], mean[3:])
            normal /= np.linalg.norm(normal)
            for axis, expected in ((radial, 0.3), (np.cross(normal, radial), 1), (normal, 0.2)):
                # the threshold takes tails
                found = math.sqrt(axis @ covariance[:3, :3] @ axis)
                self.assertAlmostEqual(found / expected, 1, delta=0.05)
        refuse = self.assert_refuses
        refuse(TEXT.replace("FILE", "x.omm"), "x.omm:10: mean elements without a covariance")
        refuse(TEXT.replace("FILE", f"x.omm, time: tomorrow, {deviation}"), "'tomorrow' is no time")
        refuse(TEXT.replace("FILE", "x.opm, covariance_axes: RTN"), "these are axes of")
        self.write("y.omm", OMM.replace("SGP4\n", "SGP4-XP\n"))
        refuse(TEXT.replace("FILE", f"y.omm, {deviation}"), "y.omm:9: mean elements of SGP4")
        self.write("y.opm", OPM)
        self.write("input.yaml", TEXT.replace("FILE", f"y.opm, {deviation}"))
        self.succeed("input.yaml", "--validate")

    def test_refuses(self):
        refuse = self.assert_refuses
        refuse(TEXT.replace("FILE", "x.cdm"), "holds two objects: say which")
        refuse(TEXT.replace("FILE", "x.opm, object: 1"), "leave 'object' out")
        refuse(TEXT.replace("FILE", "x.opm, time: now"), "leave 'time' out")
        refuse(
            TEXT.replace("km, km, km, km/s", "km/s, km, km, km").replace("FILE", "x.opm"),
            "a position and a velocity",
        )
        self.write("y.opm", OPM)
        refuse(TEXT.replace("FILE", "y.opm"), "y.opm:16: the message has no covariance")
        self.write("y.opm", opm().replace("CY_X = 0.0", "CY_X = 2.0"))
        refuse(TEXT.replace("FILE", "y.opm"), "negative eigenvalues; a density on a grid needs")
        self.write("y.opm", opm().replace("X = 6778 [km]", "X = 6778 [m]"))
        refuse(TEXT.replace("FILE", "y.opm"), "y.opm:10: X is in km")
        numbers = "mean: [6778, 0, 0, 0, 5, 6], standard_deviation: [1, 1, 1, 1, 1, 1]"
        refuse(
            TEXT.replace("file: FILE", numbers) + "output: {oem: x.oem}\n",
            "an ephemeris needs the epoch of a message",
        )


if __name__ == "__main__":
    run_cases.main()

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Orbits in the files and frames of those who watch them.

    message = tessera.orbit.read("encounter.cdm")  # an OEM, OPM, OMM, CDM or TDM, by what it holds
    message.objects[0].state, message.objects[0].covariance
    ephemeris = tessera.orbit.read("station.oem")
    ephemeris.segments[0].states_at(["2026-01-01T12:00:00"])
    ephemeris.segments[0].to_pandas()
    tessera.orbit.read("station.tle").states_at(["2026-01-01T12:00:00"])  # by SGP4
    tessera.orbit.read_spk("de440s.bsp").states_at("moon", "earth", ["2026-01-01T12:00:00"])
    seconds, values = tessera.orbit.read("pass.tdm").measurements(["range", "elevation"], first)
    tessera.orbit.write_oem("mine.oem", "STATION", epochs, states, covariances)
    tessera.orbit.write_opm("mine.opm", "STATION", epoch, state, covariance)

States are positions in m and velocities in m/s in EME2000 (GCRF and ICRF are within 0.023 arc
seconds of it), as arrays of six numbers; covariances are 6 x 6 in the same units. Epochs are texts
in UTC such as "2026-01-01T12:00:00.000000000", to a nanosecond; arguments may also be
numpy.datetime64 or datetime. Files are those of CCSDS 502.0-B-3, 503.0-B-2 and 508.0-B-1, KEYWORD =
value or XML.
What is wrong in a file raises an InputError with its line; what was mended or ignored stands in
`notes`, and keywords that the standard does not have in `unknown`.
"""

import dataclasses
import datetime
import os
import re

import numpy as np

from . import _tessera
from ._warnings import warn

__all__ = [
    "ConjunctionMessage",
    "Ephemeris",
    "EphemerisSegment",
    "MeanElements",
    "OrbitObject",
    "OrbitState",
    "convert_time",
    "earth_orientation",
    "earth_rotation",
    "epochs_after",
    "from_earth",
    "leap_seconds",
    "local_axes",
    "read",
    "read_spk",
    "seconds_since",
    "SpkKernel",
    "SpkSegment",
    "TrackingData",
    "TrackingSegment",
    "write_oem",
    "write_opm",
]

_NAMES = ("x", "y", "z", "vx", "vy", "vz")


@dataclasses.dataclass(frozen=True)
class OrbitObject:
    """One object of a conjunction message at the closest approach: name, designator, state [6] and
    covariance [6, 6]."""

    name: str
    designator: str
    state: np.ndarray
    covariance: np.ndarray


@dataclasses.dataclass(frozen=True)
class ConjunctionMessage:
    """A CDM: the epoch of closest approach, the miss distance and the hard-body radius in m as the
    message has them (or None), and its two objects."""

    path: str
    id: str
    epoch: str
    miss_distance: float | None
    hard_body_radius: float | None
    objects: tuple
    unknown: list
    notes: list

    def to_pandas(self):
        """A row for each object: epoch, name, designator and state."""
        return _frame(
            [item.state for item in self.objects],
            epoch=[self.epoch] * 2,
            name=[item.name for item in self.objects],
            designator=[item.designator for item in self.objects],
        )


@dataclasses.dataclass(frozen=True)
class OrbitState:
    """An OPM: an object's epoch, state [6] and covariance [6, 6], which is None where the message
    has none."""

    path: str
    object_name: str
    epoch: str
    state: np.ndarray
    covariance: np.ndarray | None
    unknown: list
    notes: list


class EphemerisSegment:
    """A segment of an OEM: object_name, object_id, epochs (n texts), states [n, 6], and
    covariances [k, 6, 6] with covariance_epochs."""

    def __init__(self, segment):
        self._segment = segment
        self.object_name, self.object_id = segment.object_name, segment.object_id
        self.epochs, self.states = segment.epochs(), segment.states()
        self.covariance_epochs, self.covariances = segment.covariances()

    def __repr__(self):
        return (
            f"EphemerisSegment({self.object_name!r}, {len(self.epochs)} states from"
            f" {self.epochs[0]} to {self.epochs[-1]}, {len(self.covariances)} covariances)"
        )

    def states_at(self, epochs):
        """States [m, 6] at epochs, by the interpolation that the file names: Lagrange's or
        Hermite's polynomial. Raises InputError outside the table, and between its rows where the
        file names none."""
        return self._segment.states_at(_texts(epochs))

    def to_pandas(self):
        """A frame with the columns epoch, x, y, z, vx, vy, vz, in m and m/s."""
        return _frame(self.states, epoch=self.epochs)


@dataclasses.dataclass(frozen=True)
class Ephemeris:
    """An OEM: its segments."""

    path: str
    segments: list
    unknown: list
    notes: list

    def to_pandas(self):
        """The frames of all segments, one after the other, with the column object_name."""
        import pandas

        frames = []
        for segment in self.segments:
            frame = segment.to_pandas()
            frame.insert(0, "object_name", segment.object_name)
            frames.append(frame)
        return pandas.concat(frames, ignore_index=True)


@dataclasses.dataclass(frozen=True)
class MeanElements:
    """Mean elements of SGP4, of an OMM or of two lines: name, designator and epoch of the object,
    and the covariance [6, 6] of its state at the epoch, or None where the file has none."""

    path: str
    object_name: str
    object_id: str
    epoch: str
    covariance: np.ndarray | None
    unknown: list
    notes: list
    _elements: object = dataclasses.field(repr=False)

    def states_at(self, epochs):
        """States [m, 6] at epochs in EME2000, by SGP4 with the constants of WGS-72 (SDP4 where the
        period is 225 minutes or more), turned from TEME. Raises InputError where SGP4 has none."""
        return self._elements.states_at(_texts(epochs))


@dataclasses.dataclass(frozen=True)
class TrackingSegment:
    """A segment of a TDM: what participants measured of each other. path is "1,2": from whom to
    whom; angle_type AZEL, RADEC or another; angle_frame that of RADEC; range_units "km" where the
    file names none; correction the keyword of one that is not applied yet. Empty: the file has
    none. The data are epochs (n texts), keywords (n texts: RANGE, ANGLE_1, ...) and values [n] as
    the file has them: in km, km/s and degrees."""

    participants: list
    path: str
    angle_type: str
    angle_frame: str
    range_units: str
    correction: str
    epochs: list
    keywords: list
    values: np.ndarray

    def to_pandas(self):
        """A frame with the columns epoch, keyword and value, a row for each datum."""
        import pandas

        return pandas.DataFrame(
            {"epoch": self.epochs, "keyword": self.keywords, "value": self.values}
        )


@dataclasses.dataclass(frozen=True)
class TrackingData:
    """A TDM: its segments."""

    path: str
    segments: list
    unknown: list
    notes: list
    _message: object = dataclasses.field(repr=False)

    def measurements(self, quantities, first):
        """Times [n] in s after the epoch first, ascending, at which there are all of the
        quantities, and their values [n, m]: range (m; RANGE over a path of one way), range_rate
        (m/s; DOPPLER_INSTANTANEOUS), azimuth and elevation (rad; angles of type AZEL),
        right_ascension and declination (rad; of type RADEC in EME2000). What of the message is
        left out is said in a TesseraWarning. Raises InputError for other quantities, ranges there
        and back or in other units, corrections that are not applied, and several instruments in a
        file."""
        quantities = [quantities] if isinstance(quantities, str) else list(quantities)
        seconds, values, notes = self._message.measurements(quantities, _text(first))
        for note in notes:
            warn(note)
        return seconds, values

    def to_pandas(self):
        """The frames of all segments, one after the other, with the column segment, from 0."""
        import pandas

        frames = []
        for number, segment in enumerate(self.segments):
            frame = segment.to_pandas()
            frame.insert(0, "segment", number)
            frames.append(frame)
        return pandas.concat(frames, ignore_index=True)


def read(path, *, earth_orientation=None):
    """Reads an orbit message: an Ephemeris of an OEM, an OrbitState of an OPM, a ConjunctionMessage
    of a CDM, MeanElements of an OMM, TrackingData of a TDM. Which it is says the file's first
    keyword (CCSDS_OEM_VERS and so on). A file whose name ends in .tle holds two-line elements,
    which are MeanElements too.

    earth_orientation: a table of the IERS, finals2000A or EOP C04, by which states in ITRF are
    turned; without it UT1 - UTC and polar motion are ignored, as `notes` says then."""
    path, table = os.fspath(path), _table(earth_orientation)
    kind = "TLE" if path.endswith(".tle") else _kind(path)
    if kind in ("OMM", "TLE"):
        return MeanElements(path, *_tessera.read_elements(path, kind == "TLE"))
    if kind == "OEM":
        segments, unknown, notes = _tessera.read_oem(path, table)
        return Ephemeris(path, [EphemerisSegment(one) for one in segments], unknown, notes)
    if kind == "OPM":
        return OrbitState(path, *_tessera.read_opm(path, table))
    if kind == "CDM":
        name, epoch, distance, radius, objects, unknown, notes = _tessera.read_cdm(path, table)
        both = tuple(OrbitObject(*item) for item in objects)
        return ConjunctionMessage(path, name, epoch, distance, radius, both, unknown, notes)
    if kind == "TDM":
        message = _tessera.read_tdm(path)
        segments = [TrackingSegment(*segment) for segment in message.segments()]
        return TrackingData(path, segments, message.unknown, [], message)
    raise _tessera.InputError(
        f"{path} holds no line CCSDS_OEM_VERS, CCSDS_OPM_VERS, CCSDS_OMM_VERS, CCSDS_CDM_VERS or"
        " CCSDS_TDM_VERS\n"
        "  remedy: give an orbit message in KEYWORD = value form or XML"
    )


@dataclasses.dataclass(frozen=True)
class SpkSegment:
    """A segment of an SPK kernel: the body target seen from center, by NAIF's numbers, its type,
    and the epochs between which it holds."""

    target: int
    center: int
    type: int
    start: str
    stop: str


class SpkKernel:
    """An SPK kernel of SPICE with its segments."""

    def __init__(self, path):
        self.path = os.fspath(path)
        self._kernel = _tessera.SpkKernel(self.path)
        self.segments = [SpkSegment(*segment) for segment in self._kernel.segments()]

    def __repr__(self):
        return f"SpkKernel({self.path!r}, {len(self.segments)} segments)"

    def states_at(self, target, center, epochs):
        """States [m, 6] of a body seen from another in EME2000 at epochs, along the segments that
        connect them. Bodies are numbers of NAIF or names such as sun, earth, moon. Raises
        InputError where no segments connect them then, and for types other than 2, 3, 9 and 13."""
        return self._kernel.states_at(str(target), str(center), _texts(epochs))


def read_spk(path):
    """Opens an SPK kernel of SPICE (.bsp), of either byte order: ephemerides of planets, moons and
    spacecraft, in segments of types 2, 3, 9 and 13. Numbers are read where they are needed, so that
    large kernels take no memory."""
    return SpkKernel(path)


def _kind(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                found = re.search(r"\bCCSDS_(OEM|OPM|OMM|CDM|TDM)_VERS\b", line)
                if found:
                    return found[1]
    except OSError:
        _tessera.read_oem(path, "")  # says what is wrong with the file, as for every other
    return None


def write_oem(path, object_name, epochs, states, covariances=None, *, overwrite=False):
    """Writes an OEM in EME2000 and UTC with all digits: a state [n, 6] for each epoch, ascending,
    and covariances [n, 6, 6] where they are given. Raises FileError where the file exists, unless
    overwrite."""
    text = _tessera.format_oem(_one_line(object_name), _texts(epochs), states, covariances, _now())
    _write(path, text, overwrite)


def write_opm(path, object_name, epoch, state, covariance=None, *, object_id=None, overwrite=False):
    """Writes an OPM in EME2000 and UTC, to a nanosecond and with all digits: the state [6] of an
    object at an epoch, and its covariance [6, 6] where it is given. object_id is its international
    designator, 2026-001A; without it the name stands there. read(path) returns these numbers.
    Raises InputError for other shapes and numbers that are not finite, and FileError where the file
    exists, unless overwrite."""
    given = [np.asarray(state, float)]
    if covariance is not None:
        given.append(np.asarray(covariance, float))
        if given[1].ndim == 2 and not np.array_equal(given[1], given[1].T):
            raise _tessera.InputError("a covariance is symmetric, and this is not")
    if not all(np.isfinite(numbers).all() for numbers in given):
        raise _tessera.InputError("the state and its covariance must be finite")
    names = _one_line(object_name), _one_line(object_name if object_id is None else object_id)
    text = _tessera.format_opm(*names, _text(epoch), state, covariance, _now())
    _write(path, text, overwrite)


def _one_line(name):
    if not name.strip() or not name.isascii() or not name.isprintable():
        raise _tessera.InputError(f"the name {name!r} is not a line of ASCII characters")
    return name


def _now():
    return _text(datetime.datetime.now(datetime.timezone.utc))


def _write(path, text, overwrite):
    path = os.fspath(path)
    try:
        with open(path, "w" if overwrite else "x", encoding="ascii") as file:
            file.write(text)
    except FileExistsError:
        raise _tessera.FileError(
            f"{path} exists\n  remedy: choose another name, or set overwrite=True"
        ) from None
    except OSError as error:
        raise _tessera.FileError(f"cannot write {path}: {error.strerror}") from None


def convert_time(epochs, from_system, to_system):
    """Texts of epochs in another time system: UTC, TAI, TT, TDB (to 10 microseconds) or GPS. UTC
    has the leap seconds of the table of leap_seconds()."""
    return _tessera.convert_times(_texts(epochs), from_system.upper(), to_system.upper())


def leap_seconds():
    """Where the table of leap seconds comes from, and until when it is known."""
    return _tessera.leap_second_source()


def seconds_since(first, epochs):
    """Seconds [n] of TAI from an epoch to others."""
    return np.array(_tessera.seconds_since(_texts(epochs), _text(first)))


def epochs_after(first, seconds):
    """Epochs so many seconds of TAI after one."""
    return _tessera.epochs_after(_text(first), [float(passed) for passed in np.ravel(seconds)])


def earth_orientation(path, epochs):
    """UT1 - UTC in s [n] and polar motion in rad [n, 2] at epochs, on lines between the rows of a
    table of the IERS: finals2000A or EOP C04. Raises InputError for epochs outside the table."""
    rows = _tessera.earth_orientations(os.fspath(path), _texts(epochs))
    return rows[:, 0], rows[:, 1:]


def earth_rotation(epochs, *, ut1_minus_utc=0.0, polar_motion=(0.0, 0.0)):
    """Rotations [n, 3, 3] from ITRF to EME2000: IAU 2006 precession, the largest terms of the
    nutation and the Earth's rotation angle, to 0.5 arc seconds with UT1 - UTC in s and polar motion
    in rad, one or one an epoch (earth_orientation); without these UT1 may be off by 0.9 s, 14 arc
    seconds."""
    epochs = _texts(epochs)
    return _tessera.earth_rotations(epochs, _orientations(epochs, ut1_minus_utc, polar_motion))


def from_earth(epochs, states, *, ut1_minus_utc=0.0, polar_motion=(0.0, 0.0)):
    """States [n, 6] of ITRF, at these epochs, in EME2000, velocities also by the Earth's rotation;
    the rest as of earth_rotation."""
    epochs = _texts(epochs)
    orientations = _orientations(epochs, ut1_minus_utc, polar_motion)
    return _tessera.states_from_earth(epochs, states, orientations)


def local_axes(states, frame="RTN"):
    """Axes [n, 3, 3] of local orbital frames as rows, in the frame of the states [n, 6]. RTN:
    along the position, N along the angular momentum, T = N x R. TNW: T along the velocity, W along
    the angular momentum, N = W x T. A covariance block C of local axes A is A^T C A in the frame of
    the states."""
    frame = frame.upper()
    if frame not in ("RTN", "RSW", "TNW"):
        raise _tessera.InputError(f"the local frame '{frame}' is not one of RTN, RSW, TNW")
    return _tessera.local_axes(np.atleast_2d(states), frame == "TNW")


def _table(path):
    return "" if path is None else os.fspath(path)


def _orientations(epochs, ut1_minus_utc, polar_motion):
    rows = np.empty((len(epochs), 3))
    try:
        rows[:, 0], rows[:, 1:] = ut1_minus_utc, polar_motion
    except ValueError:
        raise _tessera.InputError(
            f"ut1_minus_utc is a number or one for each of {len(epochs)} epochs, and polar_motion a"
            " pair (x, y) or one for each"
        ) from None
    return rows


def _text(epoch):
    if isinstance(epoch, datetime.datetime):
        if epoch.tzinfo is not None:
            epoch = epoch.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return epoch.isoformat()
    if isinstance(epoch, np.datetime64):
        return str(epoch.astype("datetime64[ns]"))
    if hasattr(epoch, "isoformat"):  # a Timestamp of pandas
        return epoch.isoformat()
    return str(epoch)


def _texts(epochs):
    if isinstance(epochs, str) or not hasattr(epochs, "__iter__"):
        epochs = [epochs]
    return [_text(epoch) for epoch in epochs]


def _frame(states, **columns):
    import pandas

    states = np.asarray(states)
    return pandas.DataFrame({**columns, **{name: states[:, i] for i, name in enumerate(_NAMES)}})

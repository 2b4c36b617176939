# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.orbit: messages there and back, times, frames, kernels, wrong arguments."""

import datetime
import pathlib
import sys

import numpy as np
import pytest

import tessera as ts

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "harness"))
import spk_writer

CDM = pathlib.Path(__file__).parents[2] / "inputs" / "gbees" / "conjunction" / "alfano_05.cdm"
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
X = 0 [km]
Y = 7000 [km]
Z = 0 [km]
X_DOT = -7.5 [km/s]
Y_DOT = 0 [km/s]
Z_DOT = 0 [km/s]
COV_REF_FRAME = RTN
"""
TDM = """\
CCSDS_TDM_VERS = 2.0
CREATION_DATE = 2026-01-01T00:00:00
COLOUR = BLUE
ORIGINATOR = TESSERA
META_START
TIME_SYSTEM = UTC
PARTICIPANT_1 = STATION
PARTICIPANT_2 = SAT
MODE = SEQUENTIAL
PATH = 2, 1
ANGLE_TYPE = AZEL
META_STOP
DATA_START
RANGE = 2026-01-01T00:01:00.5 1234.5
ANGLE_1 = 2026-01-01T00:01:00.5 90
ANGLE_2 = 2026-01-01T00:01:00.5 45
RANGE = 2026-01-01T00:02:00 1300
DATA_STOP
"""
ELEMENTS = ["X", "Y", "Z", "X_DOT", "Y_DOT", "Z_DOT"]
FIRST = "2026-01-01T00:00:00.000000000"
RADIUS, RATE = 7e6, 1.078e-3  # m and rad/s of a circular orbit in the plane of the equator


def circle(seconds):
    """States of the circular orbit."""
    angle = RATE * np.asarray(seconds)
    zero = np.zeros_like(angle)
    places = RADIUS * np.stack([np.cos(angle), np.sin(angle), zero], axis=-1)
    speeds = RADIUS * RATE * np.stack([-np.sin(angle), np.cos(angle), zero], axis=-1)
    return np.concatenate([places, speeds], axis=-1)


@pytest.fixture
def written(tmp_path):
    """An ephemeris of eleven minutes with covariances, and what it was written from."""
    seconds = 60.0 * np.arange(12)
    epochs = ts.orbit.epochs_after(FIRST, seconds)
    factor = np.random.default_rng(3).standard_normal((12, 6, 6))
    covariances = factor @ factor.transpose(0, 2, 1)
    path = tmp_path / "circle.oem"
    ts.orbit.write_oem(path, "CIRCLE", epochs, circle(seconds), covariances)
    return path, epochs, circle(seconds), covariances


def test_ephemeris_there_and_back(written):
    path, epochs, states, covariances = written
    ephemeris = ts.orbit.read(path)
    (segment,) = ephemeris.segments
    assert segment.object_name == "CIRCLE" and segment.epochs == epochs
    assert ephemeris.unknown == [] and "12 states" in repr(segment)
    np.testing.assert_allclose(segment.states, states, rtol=1e-15, atol=1e-9)
    assert segment.covariance_epochs == epochs
    np.testing.assert_allclose(segment.covariances, covariances, rtol=1e-14, atol=1e-14)


def test_without_covariances(tmp_path):
    path = tmp_path / "plain.oem"
    ts.orbit.write_oem(path, "PLAIN", [FIRST], circle([0.0]))
    (segment,) = ts.orbit.read(path).segments
    assert len(segment.covariances) == 0 and "COVARIANCE" not in path.read_text()


def test_interpolation(written):
    """Lagrange's polynomial of degree 7 through a circle, whose arc between rows is 0.065 rad."""
    path, *_ = written
    text = path.read_text()
    with pytest.raises(ts.InputError, match="no INTERPOLATION"):
        ts.orbit.read(path).segments[0].states_at("2026-01-01T00:05:30")
    named = "INTERPOLATION = LAGRANGE\nINTERPOLATION_DEGREE = 7\nMETA_STOP"
    path.write_text(text.replace("META_STOP", named))
    (segment,) = ts.orbit.read(path).segments
    found = segment.states_at(["2026-01-01T00:05:30", datetime.datetime(2026, 1, 1, 0, 4, 15)])
    np.testing.assert_allclose(found[:, :3], circle([330.0, 255.0])[:, :3], atol=1e-4)
    np.testing.assert_allclose(found[:, 3:], circle([330.0, 255.0])[:, 3:], atol=1e-7)
    with pytest.raises(ts.InputError, match="circle.oem|outside|2026-01-01"):
        segment.states_at("2026-01-01T01:00:00")
    path.write_text(text.replace("META_STOP", named.replace("7", "12")))
    with pytest.raises(ts.InputError, match="takes 13 rows, but the segment has 12"):
        ts.orbit.read(path).segments[0].states_at("2026-01-01T00:05:30")
    usable = "USEABLE_START_TIME = 2026-01-01T00:05:00\nUSEABLE_STOP_TIME = 2026-01-01T00:06:00\n"
    path.write_text(text.replace("META_STOP", usable + named))
    (segment,) = ts.orbit.read(path).segments
    segment.states_at("2026-01-01T00:05:30")
    for epoch in ("2026-01-01T00:04:30", "2026-01-01T00:06:30"):
        with pytest.raises(ts.InputError, match="USEABLE_START_TIME"):
            segment.states_at(epoch)


@pytest.mark.parametrize(
    "method, degree, keys",
    [
        ("LAGRANGE", 7, {}),
        ("HERMITE", 5, {}),
        ("HERMITE", 7, {"interpolate": "hermite", "rates": ["vx", "vy", "vz"]}),
    ],
)
def test_ephemerides_as_tables(written, method, degree, keys):
    """What a run of gbees takes from an ephemeris is states_at."""
    path, *_ = written
    named = f"INTERPOLATION = {method}\nINTERPOLATION_DEGREE = {degree}\nMETA_STOP"
    path.write_text(path.read_text().replace("META_STOP", named))
    begin = "2026-01-01T00:00:12.5"
    table = {"file": str(path), "epoch": begin, "columns": ["x", "y", "z"]}
    results = ts.run(
        {"app": "gbees"},
        units={"length": "1000 km", "time": "1 min", "variables": ["km"] * 3},
        model={
            "variables": ["p", "q", "r"],
            "tables": {"sat": {**table, "names": ["xs", "ys", "zs"], **keys}},
            "equations": ["0*xs"] * 3,
        },
        grid={"spacing": [0.2] * 3, "threshold": 1e-4},
        initial={"mean": [0.0] * 3, "standard_deviation": [0.3] * 3},
        time={"end": 10.0, "records": 9},
    )
    seconds = 60 * np.asarray(results["results/time"])
    states = ts.orbit.read(path).segments[0].states_at(ts.orbit.epochs_after(begin, seconds))
    found = 1e6 * np.asarray(results["results/tables/sat/value"])
    np.testing.assert_allclose(found, states[:, :3], atol=1e-9 * RADIUS)


def test_state_with_covariance(tmp_path):
    rows = [
        f"C{a}_{b} = {(1.0 if i == 0 else 4.0 if i == 1 else 9e-6) if a == b else 0.0}\n"
        for i, a in enumerate(ELEMENTS)
        for b in ELEMENTS[: i + 1]
    ]
    (tmp_path / "x.opm").write_text(OPM)
    assert ts.orbit.read(tmp_path / "x.opm").covariance is None
    (tmp_path / "x.opm").write_text(OPM + "".join(rows))
    message = ts.orbit.read(tmp_path / "x.opm")
    np.testing.assert_allclose(message.state, [0, 7e6, 0, -7500, 0, 0])
    assert message.object_name == "SAT" and message.epoch == FIRST
    # radial is y, transverse is -x: variances of 1 and 4 km^2
    np.testing.assert_allclose(np.diag(message.covariance)[:2], [4e6, 1e6], rtol=1e-12)


def test_state_there_and_back(tmp_path):
    factor = np.random.default_rng(4).standard_normal((6, 6))
    state, covariance = circle([77.7])[0], factor @ factor.T
    epoch = "2026-01-01T00:01:17.700000001"
    path = tmp_path / "mine.opm"
    ts.orbit.write_opm(path, "MINE", epoch, state, covariance, object_id="2026-001A")
    message = ts.orbit.read(path)
    assert (message.object_name, message.epoch) == ("MINE", epoch)
    assert message.unknown == [] and message.notes == []
    assert "OBJECT_ID = 2026-001A\n" in path.read_text()
    np.testing.assert_allclose(message.state, state, rtol=1e-15, atol=1e-9)
    np.testing.assert_allclose(message.covariance, covariance, rtol=1e-14, atol=1e-14)
    # and once more, from what was read
    ts.orbit.write_opm(path, "MINE", message.epoch, message.state, overwrite=True)
    again = ts.orbit.read(path)
    assert again.covariance is None and again.epoch == epoch
    np.testing.assert_allclose(again.state, message.state, rtol=1e-15, atol=1e-9)


def test_wrong_states(tmp_path):
    path, state = tmp_path / "mine.opm", circle([0.0])[0]
    skew = np.eye(6)
    skew[0, 1] = 0.1
    for arguments, phrase in (
        ((FIRST, state[:3]), "a state has the shape"),
        ((FIRST, state, np.eye(5)), "a covariance has the shape"),
        ((FIRST, state, skew), "symmetric"),
        ((FIRST, np.full(6, np.nan)), "finite"),
        (("tomorrow", state), "tomorrow"),
    ):
        with pytest.raises(ts.InputError, match=phrase):
            ts.orbit.write_opm(path, "MINE", *arguments)
    for name in ("", "A\nX = 1", "\u00e9toile"):
        with pytest.raises(ts.InputError, match="is not a line of ASCII"):
            ts.orbit.write_opm(path, name, FIRST, state)
        with pytest.raises(ts.InputError, match="is not a line of ASCII"):
            ts.orbit.write_oem(path, name, [FIRST], [state])
    assert not path.exists()
    ts.orbit.write_opm(path, "MINE", FIRST, state)
    with pytest.raises(ts.FileError, match="overwrite=True"):
        ts.orbit.write_opm(path, "MINE", FIRST, state)


def test_tracking_data(tmp_path):
    path = tmp_path / "pass.tdm"
    path.write_text(TDM)
    message = ts.orbit.read(path)
    (segment,) = message.segments
    assert segment.participants == ["STATION", "SAT"] and segment.path == "2,1"
    assert (segment.angle_type, segment.angle_frame, segment.range_units) == ("AZEL", "", "km")
    assert segment.keywords == ["RANGE", "ANGLE_1", "ANGLE_2", "RANGE"]
    assert segment.epochs[0] == "2026-01-01T00:01:00.500000000"
    assert segment.values.tolist() == [1234.5, 90, 45, 1300]
    assert message.unknown == ["COLOUR (line 3)"] and message.notes == []
    with pytest.warns(ts.TesseraWarning, match="1 times are left out"):
        seconds, values = message.measurements(["range", "azimuth", "elevation"], FIRST)
    assert seconds.tolist() == [60.5] and values.shape == (1, 3)
    np.testing.assert_allclose(values, [[1234500, np.pi / 2, np.pi / 4]], rtol=1e-15)
    with pytest.warns(ts.TesseraWarning, match="not used: ANGLE_1"):
        seconds, values = message.measurements("range", FIRST)
    assert seconds.tolist() == [60.5, 120] and values.tolist() == [[1234500], [1300000]]
    with pytest.raises(ts.InputError, match="'colour' is not a quantity"):
        message.measurements("colour", FIRST)
    path.write_text(TDM.replace("= 2, 1", "= 1,2,1"))
    with pytest.raises(ts.InputError, match=r"pass.tdm:14: RANGE is read over a path of one way"):
        ts.orbit.read(path).measurements("range", FIRST)
    path.write_text(TDM.replace("DATA_STOP\n", ""))
    with pytest.raises(ts.InputError, match="pass.tdm:17: the message ends without DATA_STOP"):
        ts.orbit.read(path)


def test_frame_of_tracking_data(tmp_path):
    pytest.importorskip("pandas")
    (tmp_path / "pass.tdm").write_text(TDM)
    frame = ts.orbit.read(tmp_path / "pass.tdm").to_pandas()
    assert list(frame.columns) == ["segment", "epoch", "keyword", "value"]
    assert frame[frame["keyword"] == "RANGE"]["value"].tolist() == [1234.5, 1300]


def test_conjunction():
    message = ts.orbit.read(CDM)
    assert len(message.objects) == 2 and message.objects[0].covariance.shape == (6, 6)
    apart = np.linalg.norm(message.objects[0].state[:3] - message.objects[1].state[:3])
    assert abs(apart - message.miss_distance) < 1e-2 * message.miss_distance + 1
    for item in message.objects:
        assert np.linalg.eigvalsh(item.covariance).min() > -1e-6


def test_mean_elements(tmp_path):
    """SGP4 after 720 minutes: the published state in TEME, turned by less than 1e-3 rad."""
    path = tmp_path / "vanguard.tle"
    path.write_text(
        "VANGUARD 1\n1 00005U 58002B   00179.78495062  .00000023  00000-0  28098-4 0  4753\n"
        "2 00005  34.2682 348.7242 1859667 331.7664  19.3264 10.82419157413667\n"
    )
    elements = ts.orbit.read(path)
    assert elements.object_name == "VANGUARD 1" and elements.covariance is None
    assert elements.object_id == "58002B" and elements.epoch[:19] == "2000-06-27T18:50:19"
    states = elements.states_at(ts.orbit.epochs_after(elements.epoch, [0, 43200]))
    teme = [-7134593.401, 6531686.413, 3260271.865, -4113.793027, -2911.922039, -2557.327851]
    np.testing.assert_allclose(states[1, :3], teme[:3], atol=1e-3 * np.linalg.norm(teme[:3]))
    sizes = [np.linalg.norm(state[k : k + 3]) for state in (states[1], teme) for k in (0, 3)]
    np.testing.assert_allclose(sizes[:2], sizes[2:], rtol=1e-9)
    path.write_text(path.read_text().replace("34.2682", "34.2683"))
    with pytest.raises(ts.InputError, match="vanguard.tle:3: the checksum"):
        ts.orbit.read(path)


def moon(times):
    """Something like the Moon's motion, km and km/s, which no short polynomial has."""
    angle = np.multiply.outer(2.6617e-6 * np.asarray(times), [1.0, 2.0, 0.9])
    phase = np.array([0.1, 0.7, 1.9])
    size = np.array([[384e3, 20e3, 3e3], [370e3, 15e3, -9e3], [30e3, 1e3, 34e3]])
    rate = 2.6617e-6 * np.array([1.0, 2.0, 0.9])
    places = np.cos(angle + phase) @ size.T
    speeds = (-np.sin(angle + phase) * rate) @ size.T
    return np.concatenate([places, speeds], axis=-1)


SECONDS = [3600.0 * 24 * 9100 + 1000.0 * k for k in (0.0, 7.3, 91.0, 400.2, 863.9)]


def epochs_of_tdb(seconds):
    """Epochs of seconds since 2000-01-01T12:00:00 TDB."""
    tdb = [
        np.datetime64("2000-01-01T12:00:00") + np.timedelta64(round(s * 1e9), "ns") for s in seconds
    ]
    return ts.orbit.convert_time([str(t) for t in tdb], "TDB", "UTC")


@pytest.mark.parametrize("order, name", [("<", b"LTL-IEEE"), (">", b"BIG-IEEE")])
@pytest.mark.parametrize("kind", [2, 3])
def test_kernels_of_chebyshev_polynomials(tmp_path, kind, order, name):
    """Beside jplephem, along a chain Earth <- barycentre -> Moon."""
    jplephem = pytest.importorskip("jplephem.spk")
    path, start, length = tmp_path / "x.bsp", SECONDS[0], 86400.0 * 2
    segments = []
    for target, share in ((301, 0.98785), (399, -0.01215)):
        numbers = spk_writer.chebyshev_numbers(
            lambda t, share=share: share * moon(t), start, length, 5, 11, kind == 3
        )
        segments.append((target, 3, 1, kind, start, start + 5 * length, numbers))
    spk_writer.write_spk(path, segments, order, b"A comment.\0and more\4" * 70, name)
    kernel = ts.orbit.read_spk(path)
    assert [(s.target, s.center, s.type) for s in kernel.segments] == [
        (301, 3, kind),
        (399, 3, kind),
    ]
    assert kernel.segments[0].start == epochs_of_tdb([start])[0]
    epochs = epochs_of_tdb(SECONDS)
    found = kernel.states_at("moon", "earth", epochs)
    with jplephem.SPK.open(str(path)) as other:
        expected = np.zeros((len(SECONDS), 6))
        for target, sign in ((301, 1), (399, -1)):
            for row, seconds in zip(expected, SECONDS):
                # a date of two parts has the precision of seconds
                days = np.floor(seconds / 86400)
                rest = (seconds - 86400 * days) / 86400
                values = other[3, target].compute_and_differentiate(2451545.0 + days, rest)
                state = values if kind == 2 else (values[0][:3], values[0][3:] * 86400)
                row += sign * np.concatenate([state[0], state[1] / 86400])
    radius, speed = 384e6, 1023.0
    np.testing.assert_allclose(found[:, :3], 1000 * expected[:, :3], atol=1e-12 * radius)
    np.testing.assert_allclose(found[:, 3:], 1000 * expected[:, 3:], atol=1e-11 * speed)
    # the other way round, and one step of the chain
    back = kernel.states_at(399, 301, epochs)
    np.testing.assert_allclose(back, -found, rtol=1e-15)
    step = kernel.states_at("moon", "earth barycenter", epochs)
    np.testing.assert_allclose(step[:, :3], 1000 * 0.98785 * moon(SECONDS)[:, :3], rtol=1e-9)


@pytest.mark.parametrize("kind, last", [(9, 7), (9, 8), (13, 3), (13, 4)])
def test_kernels_of_rows(tmp_path, kind, last):
    """Beside polynomials of numpy through the same rows: of even windows as many rows on each side,
    of odd ones the nearest row in the middle."""
    path = tmp_path / "x.bsp"
    random = np.random.default_rng(5)
    times = SECONDS[0] - 4e4 + np.cumsum(random.uniform(2e3, 6e3, 260))
    numbers = spk_writer.row_numbers(times, moon(times), last)
    spk_writer.write_spk(path, [(-77, 399, 1, kind, times[0], times[-1], numbers)])
    wanted = [*SECONDS[1:], times[0] + 10, times[-1] - 10, times[37]]
    found = ts.orbit.read_spk(path).states_at(-77, "earth", epochs_of_tdb(wanted))
    window, scale = last + 1, 1e4
    for state, t in zip(found, wanted):
        before = np.searchsorted(times, t, side="right")
        nearest = np.argmin(np.abs(times - t))
        first = before - window // 2 if window % 2 == 0 else nearest - window // 2
        rows = slice(first := np.clip(first, 0, len(times) - window), first + window)
        x, y = (times[rows] - t) / scale, moon(times[rows])
        powers = np.vander(x, window if kind == 9 else 2 * window, increasing=True)
        if kind == 9:
            expected = np.linalg.solve(powers, y)[0]
        else:
            slopes = np.zeros_like(powers)
            slopes[:, 1:] = powers[:, :-1] * np.arange(1, powers.shape[1])
            both = np.concatenate([powers, slopes])
            values = np.concatenate([y[:, :3], y[:, 3:] * scale])
            fitted = np.linalg.solve(both, values)
            expected = np.concatenate([fitted[0], fitted[1] / scale])
        np.testing.assert_allclose(state[:3], 1000 * expected[:3], atol=1e-12 * 384e6)
        np.testing.assert_allclose(state[3:], 1000 * expected[3:], atol=1e-11 * 1023)


def test_a_kernel_of_lines(tmp_path):
    """Of type 9 and degree 1, the only degree of that type that jplephem reads, beside it. Dates
    are whole parts of a day, since it has no more digits for them."""
    jplephem = pytest.importorskip("jplephem.spk")
    path, part = tmp_path / "x.bsp", 86400 / 128
    days = np.floor(SECONDS[0] / 86400)
    times = 86400 * days + part * np.cumsum(np.random.default_rng(6).integers(2, 9, 230))
    numbers = spk_writer.row_numbers(times, moon(times), 1)
    spk_writer.write_spk(path, [(-77, 399, 1, 9, times[0], times[-1], numbers)])
    wanted = times[0] + part * np.array([0, 1, 40, 555, 900])
    found = ts.orbit.read_spk(path).states_at(-77, "earth", epochs_of_tdb(wanted))
    with jplephem.SPK.open(str(path)) as other:
        expected = np.transpose(
            other[399, -77].compute_and_differentiate(2451545.0 + wanted / 86400)
        )
    np.testing.assert_allclose(found[:, :3], 1000 * expected[:, :3], atol=1e-12 * 384e6)
    np.testing.assert_allclose(found[:, 3:], 1000 * expected[:, 3:], atol=1e-12 * 1023)


def test_kernels_with_many_segments(tmp_path):
    """Records of summaries follow one another, and of segments that overlap the last one counts."""
    path, start = tmp_path / "x.bsp", SECONDS[0]
    segments = [
        (900 + n, 399, 1, 2, start, start + 1e5, [start + 5e4, 5e4, n, 0, 0, start, 1e5, 5, 1])
        for n in range(7)
    ]
    segments.append(
        (903, 399, 1, 2, start, start + 5e4, [start + 5e4, 5e4, 50, 0, 0, start, 1e5, 5, 1])
    )
    spk_writer.write_spk(path, segments, per_record=3)
    kernel = ts.orbit.read_spk(path)
    assert len(kernel.segments) == 8 and "8 segments" in repr(kernel)
    early, late = epochs_of_tdb([start + 1e4, start + 6e4])
    assert kernel.states_at(906, 399, early)[0, 0] == 6000
    assert kernel.states_at(903, 399, early)[0, 0] == 50000
    assert kernel.states_at(903, 399, late)[0, 0] == 3000


def test_wrong_kernels(tmp_path):
    path, start = tmp_path / "x.bsp", SECONDS[0]
    good = spk_writer.chebyshev_numbers(moon, start, 1e5, 5, 9, False)
    segment = [301, 399, 1, 2, start, start + 5e5, good]
    epoch = epochs_of_tdb([start + 10])

    def refused(change, phrase, target="moon", epochs=epoch):
        spk_writer.write_spk(path, [tuple({**dict(enumerate(segment)), **change}.values())])
        with pytest.raises(ts.InputError, match=phrase) as caught:
            ts.orbit.read_spk(path).states_at(target, "earth", epochs)
        return str(caught.value)

    assert "x.bsp" in refused({3: 5}, "is of type 5, and types 2, 3, 9 and 13 are read")
    refused({2: 17}, "is in frame 17")
    refused({}, "no segments lead from body 399 to 10 .* there are 399 to 301 from 20", "sun")
    refused({}, "no segments lead", epochs=["2030-01-01T00:00:00"])
    refused({}, "no body whose number is known", "vulcan")
    refused({6: good[:-9]}, "has not so many numbers as it says")
    refused({3: 9}, "has not so many numbers as it says")
    spk_writer.write_spk(path, [segment])
    whole = path.read_bytes()
    for changed, phrase in (
        (b"hello", "is no SPK kernel"),
        (b"DAF/PCK " + whole[8:], "is no SPK kernel"),
        (whole.replace(b"\r\n", b"\n"), "damaged by a transfer as text"),
        (whole[:1500], "may be cut off"),
        (whole[:-800], "may be cut off"),
    ):
        path.write_bytes(changed)
        with pytest.raises(ts.InputError, match=phrase):
            ts.orbit.read_spk(path).states_at("moon", "earth", epochs_of_tdb([start + 4.5e5]))
    with pytest.raises(ts.FileError, match="nothing.bsp"):
        ts.orbit.read_spk(tmp_path / "nothing.bsp")


def test_frames_of_pandas(written):
    pandas = pytest.importorskip("pandas")
    frame = ts.orbit.read(written[0]).to_pandas()
    assert list(frame.columns) == ["object_name", "epoch", "x", "y", "z", "vx", "vy", "vz"]
    np.testing.assert_allclose(frame[["x", "y", "z"]], written[2][:, :3], atol=1e-9)
    assert pandas.to_datetime(frame["epoch"]).diff().iloc[1].total_seconds() == 60
    assert list(ts.orbit.read(CDM).to_pandas()["epoch"].unique()) == [ts.orbit.read(CDM).epoch]


def test_times():
    leap = "2016-12-31T23:59:60"
    assert ts.orbit.convert_time(leap, "UTC", "TAI") == ["2017-01-01T00:00:36.000000000"]
    assert ts.orbit.convert_time(leap, "utc", "tt") == ["2017-01-01T00:01:08.184000000"]
    assert ts.orbit.convert_time(leap, "UTC", "GPS") == ["2017-01-01T00:00:17.000000000"]
    back = ts.orbit.convert_time("2017-01-01T00:00:36", "TAI", "UTC")
    assert back == ["2016-12-31T23:59:60.000000000"]
    passed = ts.orbit.seconds_since("2016-12-31T00:00:00", ["2017-01-01T00:00:00"])
    assert passed.tolist() == [86401.0]
    assert ts.orbit.epochs_after("2016-12-31T23:59:59", [1, 2]) == [
        "2016-12-31T23:59:60.000000000",
        "2017-01-01T00:00:00.000000000",
    ]
    assert ts.orbit.seconds_since(np.datetime64("2026-01-01"), [FIRST]).tolist() == [0.0]
    assert "TAI - UTC = 37 s" in ts.orbit.leap_seconds()


def test_rotation_of_the_earth():
    """The rotation angle of the Earth at the beginning of 2000 (IERS Conventions 2010, eq. 5.15)
    is 280.46 degrees; precession and nutation are 20 arc seconds then."""
    (turn,) = ts.orbit.earth_rotation("2000-01-01T12:00:00")
    np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-14)
    assert abs(np.degrees(np.arctan2(turn[1, 0], turn[0, 0])) % 360 - 280.46) < 0.01
    (other,) = ts.orbit.earth_rotation("2000-01-01T12:00:00", ut1_minus_utc=0.3)
    assert abs(np.arccos((np.trace(other.T @ turn) - 1) / 2) - 0.3 * 7.2921e-5) < 1e-8
    # a place that stays on the Earth moves by its rotation
    place = np.array([[6.4e6, 1e5, 2e5, 0, 0, 0]] * 2)
    states = ts.orbit.from_earth(["2026-01-01T00:00:00", "2026-01-01T00:00:01"], place)
    middle = (states[0, 3:] + states[1, 3:]) / 2
    np.testing.assert_allclose(states[1, :3] - states[0, :3], middle, atol=1e-3)


def test_orientation_of_the_earth(tmp_path):
    path = tmp_path / "eop.txt"
    path.write_text(
        "2026  1  1 0 61041.00 0.10 0.20 0.10 0 0\n2026  1  2 0 61042.00 0.12 0.24 0.12 0 0\n"
    )
    epochs = ["2026-01-01T06:00:00", "2026-01-01T12:00:00"]
    ut1_minus_utc, polar_motion = ts.orbit.earth_orientation(path, epochs)
    np.testing.assert_allclose(ut1_minus_utc, [0.105, 0.11], rtol=1e-12)
    arc_second = np.pi / 648000
    expected = [[0.105 * arc_second, 0.21 * arc_second], [0.11 * arc_second, 0.22 * arc_second]]
    np.testing.assert_allclose(polar_motion, expected, rtol=1e-12)
    turns = ts.orbit.earth_rotation(epochs, ut1_minus_utc=ut1_minus_utc, polar_motion=polar_motion)
    (second,) = ts.orbit.earth_rotation(epochs[1], ut1_minus_utc=0.11, polar_motion=polar_motion[1])
    np.testing.assert_allclose(turns[1], second, atol=1e-15)
    with pytest.raises(ts.InputError, match="none for 2026-02-01"):
        ts.orbit.earth_orientation(path, "2026-02-01T00:00:00")
    with pytest.raises(ts.InputError, match="for each of 2 epochs"):
        ts.orbit.earth_rotation(epochs, ut1_minus_utc=[1.0, 2.0, 3.0])


def test_local_axes():
    state = circle([100.0])
    (axes,) = ts.orbit.local_axes(state)
    np.testing.assert_allclose(axes @ state[0, :3], [RADIUS, 0, 0], atol=1e-8)
    np.testing.assert_allclose(axes @ state[0, 3:], [0, RADIUS * RATE, 0], atol=1e-11)
    (along,) = ts.orbit.local_axes(state, "tnw")
    np.testing.assert_allclose(along @ state[0, 3:], [RADIUS * RATE, 0, 0], atol=1e-11)
    np.testing.assert_allclose(along[2], [0, 0, 1], atol=1e-15)


def test_wrong_arguments(tmp_path, written):
    path, epochs, states, covariances = written
    orbit = ts.orbit
    with pytest.raises(ts.FileError, match="overwrite=True"):
        orbit.write_oem(path, "X", epochs, states)
    orbit.write_oem(path, "X", epochs, states, overwrite=True)
    with pytest.raises(ts.MissingFileError, match="nothing.oem"):
        orbit.read(tmp_path / "nothing.oem")
    (tmp_path / "text.txt").write_text("hello\n")
    with pytest.raises(ts.InputError, match="CCSDS_OEM_VERS"):
        orbit.read(tmp_path / "text.txt")
    (tmp_path / "bad.oem").write_text(path.read_text().replace(" = EARTH", " = MARS"))
    with pytest.raises(ts.InputError, match="bad.oem:8"):
        orbit.read(tmp_path / "bad.oem")
    new = tmp_path / "new.oem"
    for arguments, phrase in (
        ((epochs[::-1], states), "is not later than"),
        ((epochs[:3], states), "a state for each epoch"),
        ((epochs, states[:, :3]), "the shape"),
        ((epochs, states, covariances[:2]), "the shape"),
        ((["tomorrow"] * 12, states), "tomorrow"),
    ):
        with pytest.raises(ts.InputError, match=phrase):
            orbit.write_oem(new, "X", *arguments)
    assert not new.exists()
    with pytest.raises(ts.InputError, match="UTC, TAI"):
        orbit.convert_time(FIRST, "UTC", "LST")
    with pytest.raises(ts.InputError, match="RTN"):
        orbit.local_axes(states, "LVLH")

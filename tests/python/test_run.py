# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.run and tessera.open: the bits of the programs, errors, interruptions, results as arrays
with units."""

import copy
import errno
import gc
import os
import pickle
import signal
import subprocess
import sys
import time
import warnings

import h5py
import matplotlib
import numpy as np
import pytest

import tessera as ts

matplotlib.use("Agg")

SMALL = {
    "app": "gbees",
    "model": {"name": "lorenz63"},
    "grid": {"spacing": [1.0, 1.0, 1.0], "threshold": 1.0e-4},
    "initial": {"mean": [-11.5, -10.0, 9.5], "standard_deviation": [1.0, 1.0, 1.0]},
    "measurements": [{"time": 0.1, "variable": "z", "value": 2.0, "variance": 4.0}],
    "time": {"end": 0.2, "records": 2},
}


def arrays(path):
    """Every dataset of results, by path, but for wall times."""
    found = {}
    with h5py.File(path) as file:
        for group in {"results", "series", "coordinates"}.intersection(file):
            file[group].visititems(
                lambda name, item, group=group: found.update({f"{group}/{name}": item[()]})
                if isinstance(item, h5py.Dataset) and not name.endswith("seconds")
                else None
            )
    return found


def assert_same(path, other):
    ours, theirs = arrays(path), arrays(other)
    assert ours.keys() == theirs.keys()
    for name in ours:
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)


def test_warnings_are_raised_and_kept(capfd):
    """At the line that calls, once each, and with the results; nothing of them on stderr."""
    with pytest.warns(ts.TesseraWarning, match="initial density") as raised:
        results = ts.run(
            {**SMALL, "grid": {**SMALL["grid"], "threshold": 1e-3}, "measurements": []}
        )
    assert [str(warning.message) for warning in raised] == results.warnings
    assert {warning.filename for warning in raised} == {__file__}
    assert "warning" not in capfd.readouterr().err
    with warnings.catch_warnings():
        warnings.simplefilter("error", ts.TesseraWarning)
        assert ts.run({"app": "bessel", "problem": {"nu": 1, "x": [1.0, 2.0]}}).warnings == []


@pytest.mark.parametrize("app", ["bessel", "boys", "gbees", "gp", "mpr", "stable"])
def test_bits_of_the_program(app, backend, programs, request, root, tmp_path):
    if app == "gp":
        request.getfixturevalue("optimizer")
    source = root / "inputs" / app / "quickstart.yaml"
    subprocess.run(
        [programs / f"tessera-{app}", source, "--backend", backend, "-q", "--output", "program.h5"],
        cwd=tmp_path,
        check=True,
    )
    results = ts.run(source, backend=backend, output=tmp_path / "python.h5")
    assert (
        results.attrs["app"] == app
        and results.attrs["backend"] == backend
        and results.attrs["run_status"] == "complete"
    )
    assert_same(tmp_path / "python.h5", tmp_path / "program.h5")
    assert results.input == source.read_text()


def test_overrides_and_dicts(tmp_path):
    results = ts.gbees.run(SMALL, time={"end": 0.15}, seed=3)
    assert results.time[-1] == 0.15 and results.attrs["seed"] == 3
    assert "spacing: [1.0, 1.0, 1.0]" in results.input and "end: 0.15" in results.resolved
    path = tmp_path / "input.yaml"
    path.write_text(results.input)
    again = ts.run(path, overrides={"time.end": 0.15}, seed=3, output=tmp_path / "again.h5")
    np.testing.assert_array_equal(again.mean, results.mean)
    numpys = ts.run(
        SMALL,
        grid={"threshold": np.float64(1e-3), "spacing": np.ones(3)},
        time={"records": np.int64(4)},
    )
    np.testing.assert_array_equal(
        numpys.mean, ts.run(SMALL, grid={"threshold": 1e-3}, time={"records": 4}).mean
    )


def test_results_are_arrays_with_units(tmp_path):
    path = tmp_path / "kept.h5"
    results = ts.run(SMALL, output=path)
    assert isinstance(results.mean, np.ndarray) and results.mean.shape[1] == 3
    assert results.mean.units == "1" and "mean" in results.mean.long_name
    assert (results.mean * 2).units is None
    assert "mean" in dir(results) and "cells_active" in dir(results.series)
    assert len(results.series.time) == len(results.series["time"]) == len(results["series/time"])
    assert "results of tessera-gbees, complete" in repr(results) and "mean" in repr(results)
    with pytest.raises(AttributeError, match="holds no"):
        results.no_such_thing
    with pytest.raises(ValueError, match="holds no dataset"):
        results["results/nothing"]
    with ts.open(path) as again:
        np.testing.assert_array_equal(again.mean, results.mean)
        figure = again.plot(output=tmp_path / "picture.png")
    assert figure.axes and (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="unknown kind"):
        results.plot(kind="nothing")


def test_temporary_results_go(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", None)
    results = ts.run(SMALL)
    assert os.listdir(tmp_path)
    results.close()
    del results
    assert not os.listdir(tmp_path)


def test_wrong_inputs(tmp_path):
    path = tmp_path / "wrong.yaml"
    path.write_text(
        "app: gbees\nmodel: {name: lorenz63}\ngrid: {spacing: [1, 1, 1], threshhold: 1.0e-4}\ninitial: {mean: [0, 0, 0], standard_deviation: [1, 1, 1]}\n"
        "time: {end: -1}\n"
    )
    with pytest.raises(
        ts.InputError,
        match=r"wrong.yaml:3:\d+: error: unknown key 'threshhold' in 'grid' \(did you mean 'threshold'\?\)",
    ) as caught:
        ts.run(path)
    assert "5:13" in str(caught.value)  # all at once
    with pytest.raises(ts.InputError, match="unknown key 'colour'"):
        ts.run(SMALL, colour="red")
    with pytest.raises(ts.InputError, match="app"):
        ts.run({"app": "nothing"})
    for error in (ts.InputError, ts.FileError, FileNotFoundError):
        with pytest.raises(error, match="missing.yaml") as caught:
            ts.run(tmp_path / "missing.yaml")
        assert isinstance(caught.value, ts.MissingFileError) and caught.value.errno == errno.ENOENT
    with pytest.raises(FileNotFoundError, match="no-data.csv"):
        ts.run({"app": "stable", "problem": {"task": "fit", "data": {"file": "no-data.csv"}}})
    with pytest.raises(FileNotFoundError, match="folder"):
        ts.run(SMALL, output=tmp_path / "no folder" / "kept.h5")
    with pytest.raises(ts.Error, match="an input cannot hold a"):
        ts.run(SMALL, time={"end": object()})
    with pytest.raises(TypeError, match="an input cannot hold a"):
        ts.run(SMALL, time={"end": object()})
    kept = tmp_path / "kept.h5"
    ts.run(SMALL, output=kept)
    before = kept.read_bytes()
    with pytest.raises(ts.FileError, match="exists"):
        ts.run(SMALL, output=kept)
    assert kept.read_bytes() == before
    ts.run(SMALL, output=kept, force=True)
    for error in (ValueError, ts.Error, ts.results.ResultsError, FileNotFoundError):
        with pytest.raises(error, match="no such file"):
            ts.open(tmp_path / "missing.h5")
    for file in (path, tmp_path):  # no results, a folder
        with pytest.raises(ts.Error) as caught:
            ts.open(file)
        assert isinstance(caught.value, ts.results.ResultsError) and not isinstance(
            caught.value, FileNotFoundError
        )
    with pytest.raises(ts.Error, match="holds no dataset"):
        ts.open(kept)["results/nothing"]


def test_every_exception_has_one_base():
    for name, built_in in (
        ("InputError", ValueError),
        ("ArgumentTypeError", TypeError),
        ("FileError", OSError),
        ("MissingFileError", FileNotFoundError),
        ("NumericalError", ArithmeticError),
        ("ResourceError", MemoryError),
        ("UsageError", ValueError),
        ("InternalError", RuntimeError),
    ):
        assert issubclass(getattr(ts, name), ts.Error) and issubclass(getattr(ts, name), built_in)
    for wrong in ("text", None, [1, "a"]):
        with pytest.raises(ts.ArgumentTypeError):
            ts.stable.pdf(wrong, 1.5, 0.5)
    with pytest.raises(ts.ArgumentTypeError, match="backend is a text"):
        ts.stable.pdf(1.0, 1.5, 0.5, backend=3)


@pytest.mark.parametrize("verbose", [False, True])
def test_only_the_exception_speaks(capfd, tmp_path, verbose):
    """Runs that fail in their course write nothing of it to stderr."""
    flat = {"app": "stable", "problem": {"task": "fit", "data": {"file": "flat.csv"}}}
    (tmp_path / "flat.csv").write_text("x\n" + "1\n" * 50)
    flat["problem"]["data"]["file"] = str(tmp_path / "flat.csv")
    with pytest.raises(ts.InputError, match="cannot be fitted"):
        ts.run(flat, verbose=verbose)
    thin = {**SMALL, "grid": {"spacing": [1.0, 1.0, 1.0], "threshold": 0.9}}
    with pytest.raises(ts.Error):
        ts.run(thin, verbose=verbose)
    assert "tessera: error" not in capfd.readouterr().err


def test_temporary_folders_go_without_a_warning():
    """Also that of a run that fails."""
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always", ResourceWarning)
        results = ts.run({"app": "bessel", "problem": {"nu": 1, "x": [1.0, 2.0]}})
        folder = os.path.dirname(results.path)
        assert os.path.isdir(folder)
        del results
        with pytest.raises(ts.Error):
            ts.run({"app": "nothing"})
        gc.collect()
    assert not raised and not os.path.exists(folder)


def test_error_of_a_run_keeps_its_text(optimizer):
    x = [1.0] * 100
    with pytest.raises(ts.Error, match="remedy"):
        ts.run({"app": "gp", "data": {"file": "nothing.csv"}, "fit": {}})
    assert ts.stable.fit(x + list(np.linspace(0, 9, 200))).alpha > 0  # the process goes on


def test_interrupt(tmp_path, host):
    """Ctrl-C ends a run with KeyboardInterrupt; what it had is kept, and it can be continued to the
    bits of a whole run."""
    script = f"""
import tessera as ts
ts.use({host!r})
small = {SMALL!r}
ts.run(small)
small["grid"] = {{"spacing": [0.18, 0.18, 0.18], "threshold": 1e-6}}
small["time"] = {{"end": 1.0, "records": 2}}
del small["measurements"]
print("ready", flush=True)
try:
    ts.run(small, output="cut.h5")
except KeyboardInterrupt:
    print("interrupted", flush=True)
    ts.run(small, output="rest.h5", restart="cut.restart.h5")
    ts.run(small, output="whole.h5")
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (0, "interrupted\n"), err
    assert_same(tmp_path / "rest.h5", tmp_path / "whole.h5")


def test_arrays_in_the_place_of_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one = {
        "model": {"variables": ["x"], "equations": ["-x"], "noise": [0.1]},
        "grid": {"spacing": [0.05]},
        "time": {"end": 2.5, "records": 1},
        "initial": {"mean": [1], "standard_deviation": [0.1]},
    }
    rows = np.array([[1, 0.5], [2, 0.3]])
    (tmp_path / "m.csv").write_text("time,z\n1,0.5\n2,0.3\n")
    section = {"variable": "x", "variance": 0.25}
    mean = ts.gbees.run(
        {**one, "measurement_table": {"file": "m.csv", "columns": ["z"], **section}}
    ).mean
    named = {"z": rows[:, 1], "time": rows[:, 0]}
    for table in (
        {"file": rows},
        {"file": named, "columns": ["z"]},
        {"file": {"time": rows[:, 0], "x": rows[:, 1]}},
    ):
        np.testing.assert_array_equal(
            ts.gbees.run({**one, "measurement_table": {**table, **section}}).mean, mean
        )
    np.testing.assert_array_equal(
        ts.run({"app": "gbees", **one}, measurement_table={"file": rows, **section}).mean, mean
    )
    with pytest.raises(ts.InputError, match="no column 'z' in the table"):
        ts.gbees.run(
            {
                **one,
                "measurement_table": {"file": {"time": rows[:, 0]}, "columns": ["z"], **section},
            }
        )
    samples = np.random.default_rng(1).normal(1, 0.1, (2000, 1))
    for file in (samples, {"x": samples[:, 0]}):
        results = ts.gbees.run({**one, "initial": {"shape": "samples", "file": file}})
        assert abs(results.mean[0, 0] - samples.mean()) < 0.01
    t = np.linspace(0, 3, 61)
    driven = {
        **one,
        "model": {
            "variables": ["x"],
            "equations": ["u"],
            "tables": {"w": {"file": {"time": t, "u": np.sin(t)}, "columns": ["u"]}},
        },
    }
    assert abs(ts.gbees.run(driven).mean[-1, 0] - (2 - np.cos(2.5))) < 3e-3


def test_named_columns_of_a_field():
    """Tables of gp name their columns, as files do; x, y and z are taken by their names."""
    random = np.random.default_rng(1)
    xy, value = random.random((60, 2)), random.standard_normal(60)
    known = {"family": "matern12", "sigma2": 1.0, "beta": 0.2}

    def run(**data):
        return ts.run(
            {
                "app": "gp",
                "covariance": known,
                "mean": "zero",
                "loglik": {"theta": [[1.0, 0.2]]},
                "data": data,
            }
        )

    def likelihood(**data):
        return float(np.ravel(run(**data)["results/loglik"])[0])

    expected = likelihood(file=np.column_stack([xy, value]), coordinates=["1", "2"], values=["3"])
    table = {"id": np.arange(60.0), "lon": xy[:, 0], "lat": xy[:, 1], "v": value}
    assert likelihood(file=table, coordinates=["lon", "lat"], values=["v"]) == expected
    assert likelihood(file={"z": value, "y": xy[:, 1], "x": xy[:, 0]}) == expected
    with pytest.raises(ts.InputError, match="no column 'east' in the table"):
        run(file=table, coordinates=["east", "lat"], values=["v"])


def test_results_are_pickled_and_copied(tmp_path):
    """By their bytes where their file goes with them, else by its path; units stay."""
    document = {"app": "bessel", "problem": {"nu": 1, "x": [1.0, 2.0]}}
    path = tmp_path / "kept.h5"
    temporary, kept = ts.run(document), ts.run(document, output=path)
    for results in (temporary, kept):
        for again in (
            pickle.loads(pickle.dumps(results)),
            copy.deepcopy(results),
            copy.copy(results),
        ):
            assert again.attrs == results.attrs and repr(again) == repr(results)
            np.testing.assert_array_equal(again["results/k_scaled"], results["results/k_scaled"])
    assert len(pickle.dumps(kept)) < 1000 < len(pickle.dumps(temporary))
    again = pickle.loads(pickle.dumps(temporary))
    twice = pickle.loads(pickle.dumps(again))  # of bytes in memory
    np.testing.assert_array_equal(twice["results/k_scaled"], kept["results/k_scaled"])
    path.unlink()
    with pytest.raises(ts.ArgumentTypeError, match="leave the file in its place"):
        pickle.dumps(kept)
    temporary.close()
    with pytest.raises(TypeError, match="before close"):
        copy.copy(temporary)


def test_arrays_and_sections_keep_what_they_are_in_pickles():
    results = ts.gbees.run(SMALL, time={"end": 0.15, "records": 1})
    series = pickle.loads(pickle.dumps(results.series))
    assert repr(series) == repr(results.series)
    for array in (results.series.time, ts.results.Array.of(np.arange(3.0), "km", "distance")):
        for again in (pickle.loads(pickle.dumps(array)), copy.deepcopy(array)):
            assert type(again) is ts.results.Array
            assert (again.units, again.long_name) == (array.units, array.long_name)
            np.testing.assert_array_equal(again, array)


@pytest.mark.parametrize(
    "input, options, message",
    [
        (None, {}, "input is None"),
        (5, {}, "input is 5"),
        (SMALL, {"seed": "a"}, "seed is 'a'"),
        (SMALL, {"seed": 1.5}, "seed is 1.5"),
        (SMALL, {"backend": 3}, "backend is 3"),
        (SMALL, {"verbose": "x"}, "verbose is 'x'"),
        (SMALL, {"progress": "x"}, "progress is 'x'"),
        (SMALL, {"force": "x"}, "force is 'x'"),
        (SMALL, {"overrides": 5}, "overrides is 5"),
        (SMALL, {"restart": 5}, "restart is 5"),
        (SMALL, {"output": 5}, "output is 5"),
    ],
)
def test_arguments_of_other_types(input, options, message):
    with pytest.raises(ts.ArgumentTypeError, match=message):
        ts.run(input, **options)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seeds_out_of_range(seed):
    with pytest.raises(ts.InputError, match="whole number from 0"):
        ts.run(SMALL, seed=seed)

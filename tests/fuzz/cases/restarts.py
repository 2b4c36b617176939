# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Cases `restarts`: a run is continued from a restart file that is damaged, or that has one other
dataset under a seal of its own."""

import hashlib
import io
import os
import random
import tempfile
import threading

import h5py
import numpy as np

from cases.data_files import flip
from cases.runner import put
from cases.templates import LONGER, RESTARTABLE, small_npy

SEAL = 512  # bytes at the beginning of a restart file


def field():
    return small_npy(random.Random(1), 64)


def prepare(folder, app):
    """Puts the input of a run that can be continued, and the data that it names, into a folder."""
    put(folder, "small.npy", field())
    put(folder, "input.yaml", RESTARTABLE[app])


def names_of_datasets(group):
    names = []
    group.visititems(
        lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None
    )
    return names


def datasets_of_state(raw):
    """The names of the datasets in the state of a restart file, given as bytes."""
    with h5py.File(io.BytesIO(raw), "r") as file:
        return names_of_datasets(file["state"])


class Restarts:
    """Whole restart files, one for each program that has them, made when first needed."""

    def __init__(self, runner):
        self.runner = runner
        self.lock = threading.Lock()
        self.made = {}

    def get(self, app):
        with self.lock:
            if app not in self.made:
                self.made[app] = self.make(app)
            return self.made[app]

    def make(self, app):
        """A restart file with datasets in its state: one of a run that a slow machine stopped
        before its first piece may have none. None when no run could be stopped in time."""
        for delay in (0.6, 0.3, 1.2, 0.15, 2.4):
            with tempfile.TemporaryDirectory() as folder:
                prepare(folder, app)
                self.runner.run(
                    app,
                    ["input.yaml", *LONGER[app], "--progress", "off"],
                    folder,
                    stop_after=delay * (4 if self.runner.sanitized else 1),
                )
                try:
                    with open(os.path.join(folder, "input.restart.h5"), "rb") as file:
                        raw = file.read()
                except OSError:
                    continue
                if datasets_of_state(raw):
                    return raw
        return None


def reseal(raw):
    content = raw[SEAL:]
    seal = (
        f"tessera-restart 2.3\nbytes {len(content)}\nsha256 {hashlib.sha256(content).hexdigest()}\n"
    )
    return seal.encode().ljust(SEAL, b"\0") + content


def alter(rng, old):
    """Other values in the place of a dataset's: of another length, or one that is out of place.
    None: no dataset at all."""
    flat = np.atleast_1d(np.asarray(old)).ravel()
    if flat.dtype == object:
        flat = flat.astype("S")
    pick = rng.randrange(5)
    if pick == 0:
        return flat[: len(flat) // 2]
    if pick == 1:
        return np.concatenate([flat, flat, flat])
    if pick == 2:
        return np.zeros(0, flat.dtype)
    if pick == 3 and flat.dtype.kind in "fiu" and len(flat):
        flat = flat.copy()
        odd = {"i": [0, 1, 127, -1], "u": [0, 1, 255], "f": [np.nan, np.inf, -1, 1e300]}[
            flat.dtype.kind
        ]
        flat[rng.randrange(len(flat))] = rng.choice(odd)
        return flat
    return None


def other_dataset(rng, whole):
    """One dataset of the state is another, and the seal fits."""
    with tempfile.TemporaryDirectory() as folder:
        put(folder, "r.h5", whole)
        path = os.path.join(folder, "r.h5")
        with h5py.File(path, "r+") as file:
            name = "state/" + rng.choice(names_of_datasets(file["state"]))
            new = alter(rng, file[name][()])
            del file[name]
            if new is not None:
                file[name] = new
        with open(path, "rb") as file:
            return reseal(file.read())


def bad_restart(rng, whole):
    pick = rng.randrange(4)
    if pick == 0:
        return whole[: rng.randrange(len(whole))]
    if pick == 1:
        return flip(rng, whole, rng.choice([1, 2, 8, 60]))
    return other_dataset(rng, whole)


def run_case(runner, rng, folder, restarts):
    with_restart = [app for app in RESTARTABLE if app in runner.apps]
    app = rng.choice(with_restart)
    whole, other = restarts.get(app), restarts.get(rng.choice(with_restart))
    if whole is None or other is None:
        return
    prepare(folder, app)
    put(folder, "input.restart.h5", other if rng.random() < 0.05 else bad_restart(rng, whole))
    outcome = runner.run(
        app,
        ["input.yaml", *LONGER[app], "--restart", "input.restart.h5", "--progress", "off"],
        folder,
        stop_after=2.0,
    )
    runner.judge(outcome, folder)

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Cases `signals` and `space`: a run is hit by signals, kill -9 above all, or by a disk that is
full. An older result stays whole, the next run succeeds, and its results have the bits of a run
that nothing disturbed."""

import os
import resource
import signal
import subprocess
import tempfile
import threading
import time

import h5py
import numpy as np

from cases.restarts import prepare
from cases.runner import SUSPECT, Failure, put
from cases.templates import LONGER, RESTARTABLE

OLDER = b"an older result " * 1000


def result_arrays(path):
    """The bytes of every dataset that says what was computed."""
    found = {}

    def take(name, item):
        if (
            isinstance(item, h5py.Dataset)
            and not name.startswith(("input", "progress", "timings", "warnings"))
            and "seconds" not in name
        ):
            value = item[()]
            found[name] = (
                repr(value.tolist())
                if getattr(value, "dtype", None) == object
                else np.asarray(value).tobytes()
            )

    with h5py.File(path, "r") as file:
        file.visititems(take)
    return found


def run_arguments(runner, app, *more, output="out.h5"):
    return [
        "input.yaml",
        *LONGER[app],
        "run.checkpoint_every=0.01",
        *runner.overrides,
        "--progress",
        "off",
        "--output",
        output,
        *more,
    ]


class Undisturbed:
    """Results of the runs that faults hit, made once without any."""

    def __init__(self, runner):
        self.runner = runner
        self.lock = threading.Lock()
        self.made = {}

    def get(self, app):
        """Arrays, seconds and bytes."""
        with self.lock:
            if app not in self.made:
                with tempfile.TemporaryDirectory() as folder:
                    prepare(folder, app)
                    began = time.monotonic()
                    outcome = self.runner.run(app, run_arguments(self.runner, app), folder)
                    if outcome.status != 0:
                        raise Failure(
                            "code", f"the undisturbed run of {app} failed: {outcome.err[-500:]}"
                        )
                    path = os.path.join(folder, "out.h5")
                    self.made[app] = (
                        result_arrays(path),
                        time.monotonic() - began,
                        os.path.getsize(path),
                    )
            return self.made[app]


def check_bits(app, path, wanted, what):
    got = result_arrays(path)
    wrong = sorted(name for name in set(wanted) | set(got) if wanted.get(name) != got.get(name))
    if wrong:
        raise Failure(
            "bits", f"{app} {what}: {len(wrong)} of {len(wanted)} datasets differ: {wrong[:6]}"
        )


def check_status(app, path, number, first):
    """What replaced an older result is a whole file; after one kill -9 it is a complete one."""
    try:
        with h5py.File(path, "r") as file:
            status = file.attrs["run_status"]
    except (OSError, KeyError) as error:
        raise Failure(
            "lost", f"{app}: the result is neither the older nor a whole one: {error}"
        ) from error
    status = status.decode() if isinstance(status, bytes) else status
    if number == signal.SIGKILL and first and status != "complete":
        raise Failure("lost", f"{app}: a result '{status}' replaced the older one on kill -9")


def finish_run(runner, app, folder, wanted, what):
    """The run that follows a fault: continued where there is a restart file, else again."""
    restart = os.path.join(folder, "out.restart.h5")
    more = ["--force"] + (["--restart", "out.restart.h5"] if os.path.exists(restart) else [])
    outcome = runner.run(app, run_arguments(runner, app, *more), folder)
    if outcome.status != 0:
        raise Failure(
            "lost",
            f"{app} {what}: the next run ({' '.join(more)}) ended with {outcome.status}: {outcome.err[-500:]}",
        )
    runner.judge(outcome, folder)
    check_bits(app, os.path.join(folder, "out.h5"), wanted, f"{what}, next run {' '.join(more)}")
    if os.path.exists(restart):
        raise Failure("litter", f"{app} {what}: the restart file outlived the complete run")


def hit(runner, rng, folder, app, number, undisturbed, attempt):
    """One run that gets the signal at a random time."""
    wanted, length, _ = undisturbed.get(app)
    result = os.path.join(folder, "out.h5")
    older = os.path.exists(result)
    more = ["--force"] if older or attempt else []
    if attempt and os.path.exists(os.path.join(folder, "out.restart.h5")):
        more += ["--restart", "out.restart.h5"]
    outcome = runner.run(
        app,
        run_arguments(runner, app, *more),
        folder,
        stop_after=rng.random() ** 0.7 * length * 1.02,
        stop_with=number,
    )
    if SUSPECT.search(outcome.err):
        raise Failure("internal", f"{app} after signal {number}: {outcome.err[-500:]}")
    if outcome.status not in (0, -number, 128 + number):
        raise Failure(
            "code", f"{app} after signal {number}: exit code {outcome.status}: {outcome.err[-500:]}"
        )
    if outcome.status == 0:
        check_bits(app, result, wanted, "not hit")
        os.remove(result)
    elif older and not os.path.exists(result):
        raise Failure("lost", f"{app}: the older result is gone after signal {number}")
    elif os.path.exists(result):
        with open(result, "rb") as file:
            if file.read() != OLDER:
                check_status(app, result, number, attempt == 0)


def run_signal_case(runner, rng, folder, undisturbed):
    number = (
        signal.SIGKILL
        if rng.random() < 0.75
        else rng.choice([signal.SIGTERM, signal.SIGTERM, signal.SIGINT, signal.SIGUSR2])
    )
    app = rng.choice([app for app in RESTARTABLE if app in runner.apps])
    prepare(folder, app)
    if rng.random() < 0.4:
        put(folder, "out.h5", OLDER)
    for attempt in range(rng.choice([1, 1, 2, 3])):
        hit(runner, rng, folder, app, number, undisturbed, attempt)
    finish_run(runner, app, folder, undisturbed.get(app)[0], f"after signal {number}")


def mount(folder, size):
    """Makes the folder a small file system in memory; false where that is not allowed."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def run_space_case(runner, rng, folder, undisturbed):
    """Writing fails somewhere: on a small disk where one can be mounted, else by a limit on the
    size of files."""
    app = rng.choice([app for app in RESTARTABLE if app in runner.apps])
    wanted, _, size = undisturbed.get(app)
    limit = rng.randrange(1, int(size * 1.1))
    prepare(folder, app)
    disk = os.path.join(folder, "disk")
    os.mkdir(disk)
    mounted = rng.random() < 0.5 and mount(disk, max(limit, 8192))
    try:
        path = os.path.join(disk, "out.h5")
        older = rng.random() < 0.5
        try:
            if older:
                put(disk, "out.h5", OLDER[:1600])
        except OSError:
            older = False
        options = (
            {}
            if mounted
            else {
                "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
                # The limit would hold for files of the output, too.
                "stdout": subprocess.DEVNULL,
                "stderr": subprocess.DEVNULL,
            }
        )
        outcome = runner.run(
            app,
            run_arguments(runner, app, *(["--force"] if os.path.exists(path) else []), output=path),
            folder,
            **options,
        )
        runner.judge(outcome, disk, {0, 4})
        if outcome.status == 0:
            check_bits(app, path, wanted, "with little space")
        elif older:
            with open(path, "rb") as file:
                if file.read() != OLDER[:1600]:
                    raise Failure(
                        "lost", f"{app}: no space ({limit} bytes), and the older result is gone"
                    )
        elif os.path.exists(path) and os.path.getsize(path) > 0 and not mounted:
            raise Failure("lost", f"{app}: no space, and a partial result took the name")
    finally:
        if mounted:
            subprocess.run(["umount", disk], check=True)

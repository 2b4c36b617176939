# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Cases `surroundings`: a tiny valid run where the output is no file, streams are closed or full,
limits are low or the environment is odd."""

import os
import resource
import subprocess

from cases.faults import result_arrays
from cases.runner import DOCUMENTED, Failure, put
from cases.templates import TINY, small_csv, small_npy

ODD_NAMES = [
    "a b;touch pwned.h5",
    "$(touch pwned)",
    "`touch pwned`.h5",
    "-x.h5",
    "é漢.h5",
    "a\nb.h5",
    "%n%s.h5",
    "'\".h5",
    "x" * 255 + ".h5",
    "x" * 248 + ".h5",
    "x" * 5000,
    "a/../o.h5",
    "*",
    "~",
    "\x7f",
    ".h5",
    "..",
    "...",
]
VARIABLES = [
    "OMP_NUM_THREADS",
    "KOKKOS_NUM_THREADS",
    "KOKKOS_DEVICE_ID",
    "OMP_PROC_BIND",
    "KOKKOS_TOOLS_LIBS",
    "KOKKOS_PROFILE_LIBRARY",
    "OMP_STACKSIZE",
    "KOKKOS_PRINT_CONFIGURATION",
    "HDF5_PLUGIN_PATH",
    "HDF5_USE_FILE_LOCKING",
    "TZ",
    "TMPDIR",
    "HOME",
    "LD_BIND_NOW",
    "HDF5_DISABLE_VERSION_CHECK",
]


class Case:
    """A run in a folder, what differs from an ordinary one, and what must hold afterwards."""

    def __init__(self, runner, rng, folder):
        self.runner, self.rng, self.folder = runner, rng, folder
        self.app = rng.choice(runner.apps)
        self.name = "o.h5"
        self.options, self.environment, self.allowed = {}, {}, DOCUMENTED
        # the fit of a few random values need not converge
        self.good_ends = {0, 5} if self.app == "stable" else {0}
        self.checks = []
        put(folder, "small.csv", small_csv(rng))
        put(folder, "small.npy", small_npy(rng))
        put(folder, "input.yaml", rng.choice(TINY[self.app]))

    def path(self, name):
        return os.path.join(self.folder, name)

    def arguments(self):
        return ["input.yaml", "--progress", "off", "--output", self.name]

    def limit(self, what, value):
        self.options["preexec_fn"] = lambda: resource.setrlimit(what, (value, value))

    def run(self):
        self.judge(
            self.runner.run(
                self.app,
                self.arguments(),
                self.folder,
                environment=self.environment,
                **self.options,
            )
        )

    def judge(self, outcome):
        for check in self.checks:
            check(outcome)
        self.runner.judge(outcome, self.folder, self.allowed)
        if any(name.startswith("pwned") and name != "pwned.h5" for name in os.listdir(self.folder)):
            raise Failure("code", "a name was given to a shell")


def output_is_no_file(case):
    case.rng.choice([os.mkdir, os.mkfifo])(case.path(case.name))


def output_is_a_link(case):
    targets = ["/dev/full", "/dev/null", "o.h5", "target.h5", "nowhere/x", "/", "input.yaml"]
    os.symlink(case.rng.choice(targets), case.path(case.name))


def files_of_the_user(case):
    """What stands beside the output under a name that looks temporary is left alone, also through
    links."""
    put(case.folder, "victim", "precious")
    case.rng.choice([os.symlink, os.link])(case.path("victim"), case.path("o.h5.tmp"))
    case.allowed = case.good_ends

    def check(_):
        with open(case.path("o.h5.tmp"), "rb") as file:
            if file.read() != b"precious":
                raise Failure("lost", "a file of the user was written to")

    case.checks.append(check)


def left_by_a_killed_run(case):
    """A temporary file that nobody has locked is removed; the judge looks for it."""
    put(case.folder, "o.h5.abcdefghijk27.tmp", "left by a run that was killed")
    case.allowed = case.good_ends


def closed_streams(case):
    closed = case.rng.choice([(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)])
    case.options["preexec_fn"] = lambda: [os.close(k) for k in closed]
    case.allowed = case.good_ends
    case.checks.append(lambda _: result_arrays(case.path(case.name)))


def full_streams(case):
    full = open("/dev/full", "wb")
    case.options.update(stdout=full, stderr=case.rng.choice([full, subprocess.DEVNULL]))
    case.allowed = case.good_ends
    case.checks.append(lambda _: full.close())


def reader_goes_away(case):
    """The reader of standard error ends before the run."""
    reading, writing = os.pipe()
    os.close(reading)
    case.options.update(stderr=writing)
    case.allowed = case.good_ends
    case.checks.append(lambda _: (os.close(writing), result_arrays(case.path(case.name))))


def little_address_space(case):
    case.options["address_space"] = case.rng.choice([300, 400, 1000]) << 20


def few_files(case):
    case.limit(resource.RLIMIT_NOFILE, case.rng.choice([3, 4, 5, 6, 8, 12]))
    case.allowed = DOCUMENTED | {127}  # the dynamic loader's, when it cannot open a library


def small_stack(case):
    case.limit(resource.RLIMIT_STACK, case.rng.choice([256, 1024, 8192]) << 10)


def odd_variable(case):
    case.environment = {
        case.rng.choice(VARIABLES): case.rng.choice(
            ["nonsense", "-1", "", "99999999999", "/nowhere", "0", "a" * 10000]
        )
    }


def other_language(case):
    language = case.rng.choice(["de_DE.UTF-8", "tr_TR.UTF-8", "xx_XX", "C.UTF-8", "é"])
    case.environment = {"LC_ALL": language, "LANG": "de_DE.UTF-8", "LC_NUMERIC": "de_DE.UTF-8"}
    case.allowed = case.good_ends


def odd_name(case):
    case.name = case.rng.choice(ODD_NAMES)


def read_only_folder(case):
    os.mkdir(case.path("locked"), 0o500)
    case.name = "locked/o.h5"


def two_writers(case):
    """Two runs with one output: one of them is complete."""
    first = case.runner.start(
        case.app,
        case.arguments(),
        case.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def check(outcome):
        first.wait()
        if case.good_ends.isdisjoint((first.returncode, outcome.status)) or not result_arrays(
            case.path(case.name)
        ):
            raise Failure(
                "lost",
                f"two writers at once: {first.returncode}, {outcome.status}, {outcome.err[-300:]}",
            )

    case.checks.append(check)


KINDS = [
    output_is_no_file,
    output_is_a_link,
    files_of_the_user,
    left_by_a_killed_run,
    closed_streams,
    full_streams,
    reader_goes_away,
    little_address_space,
    few_files,
    small_stack,
    odd_variable,
    other_language,
    odd_name,
    read_only_folder,
    two_writers,
]


def run_case(runner, rng, folder):
    case = Case(runner, rng, folder)
    rng.choice(KINDS)(case)
    case.run()

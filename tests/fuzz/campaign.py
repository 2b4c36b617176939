#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Attacks the programs with bad inputs, files and surroundings, and counts how they end.

    campaign.py BIN_DIR INPUTS_DIR COUNT SEED [--only KIND,...] [--part I/N] [--jobs N]
                [--override KEY=VALUE] [--keep FOLDER] [--case NAME]

The kinds of cases, each in a file of tests/fuzz/cases:

    inputs        an input with a few changes, odd overrides and options, validated or run
    data          CSV, npy and HDF5 files that are damaged, odd or of another kind
    restarts      restart files that are damaged, or have other arrays under a seal that fits
    spellings     the same data in other files, and other seeds: the same results, and others
    expressions   equations of tessera-gbees at random, and very long ones
    signals       kill -9 and other signals at any time, and the run after
    space         a disk that is full at any byte
    surroundings  outputs that are no files, closed streams, limits, odd environments

COUNT cases are shared out over the kinds; each follows from SEED and its own name alone
(inputs/17), so that --case repeats one, and --part 2/4 runs the second of four parts, which other
processes or machines take. A case is good when the process ends by itself, in time, with a
documented exit code, says nothing of an internal error or a sanitizer, stays within 4 GiB and
leaves no temporary file. After a fault, moreover, an older result must be whole, the next run must
succeed and a continued run must give the bits of one that nothing disturbed: those runs also get
the overrides, such as run.shared_device=true for several of them on one GPU. Ends with one line of
figures. Exit status: 0; 1 when a case was not good; 77 where numpy or h5py are missing, or no
program can run."""

import argparse
import collections
import concurrent.futures
import os
import random
import shutil
import sys
import tempfile
import time

try:
    from cases import data_files, expressions, faults, inputs, restarts, spellings, surroundings
    from cases.runner import Failure, Runner, put
    from cases.templates import RESTARTABLE, TINY, small_csv
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

SHARES = {
    "inputs": 0.44,
    "data": 0.14,
    "restarts": 0.06,
    "spellings": 0.06,
    "expressions": 0.14,
    "signals": 0.06,
    "space": 0.03,
    "surroundings": 0.07,
}
KEPT = 32 << 20  # bytes of a file that --keep keeps
FAILURES = (
    "signal",
    "sanitizer",
    "internal",
    "hang",
    "memory",
    "code",
    "litter",
    "lost",
    "bits",
    "campaign",
)


class Campaign:
    def __init__(self, runner, seed, keep):
        self.runner, self.seed, self.keep = runner, seed, keep
        made, undisturbed = restarts.Restarts(runner), faults.Undisturbed(runner)
        self.kinds = {
            "inputs": inputs.run_case,
            "data": data_files.run_case,
            "restarts": lambda *case: restarts.run_case(*case, made),
            "spellings": spellings.run_case,
            "expressions": expressions.run_case,
            "signals": lambda *case: faults.run_signal_case(*case, undisturbed),
            "space": lambda *case: faults.run_space_case(*case, undisturbed),
            "surroundings": surroundings.run_case,
        }

    def names(self, only, count):
        """Of the cases to run, as far as the programs are there."""
        chosen = [
            kind
            for kind in only
            if (kind != "expressions" or "gbees" in self.runner.apps)
            and (
                kind not in ("restarts", "signals", "space")
                or any(app in self.runner.apps for app in RESTARTABLE)
            )
        ]
        total = sum(SHARES[kind] for kind in chosen)
        return [
            f"{kind}/{i}"
            for kind in chosen
            for i in range(max(1, round(count * SHARES[kind] / total)))
        ]

    def run(self, name):
        """None, or the Failure."""
        folder = tempfile.mkdtemp(prefix="tessera-campaign-")
        try:
            self.kinds[name.split("/")[0]](
                self.runner, random.Random(f"{self.seed}/{name}"), folder
            )
            return None
        except Exception as error:  # also a mistake of this program
            if self.keep:
                kept = os.path.join(self.keep, name.replace("/", "-"))
                shutil.copytree(folder, kept, dirs_exist_ok=True, symlinks=True, ignore=odd_files)
            return error if isinstance(error, Failure) else Failure("campaign", repr(error))
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def odd_files(folder, names):
    """What --keep leaves out: large files, and what is none."""
    paths = {name: os.path.join(folder, name) for name in names}
    return [
        name
        for name, path in paths.items()
        if not os.path.isdir(path) and (not os.path.isfile(path) or os.path.getsize(path) > KEPT)
    ]


def can_run(runner):
    """Whether a tiny run succeeds; programs built with CUDA need a device."""
    app = runner.apps[0]
    with tempfile.TemporaryDirectory() as folder:
        put(folder, "input.yaml", TINY[app][0])
        put(folder, "small.csv", small_csv(random.Random(1)))
        outcome = runner.run(app, ["input.yaml", "--output", "o.h5", "-q"], folder)
    if outcome.status != 0:
        print(f"tessera-{app}: {outcome.err.strip()}")
    return outcome.status != 6


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bin_dir", metavar="BIN_DIR")
    parser.add_argument("inputs_dir", metavar="INPUTS_DIR")
    parser.add_argument("count", metavar="COUNT", type=int)
    parser.add_argument("seed", metavar="SEED")
    parser.add_argument(
        "--only", default=",".join(SHARES), help="kinds to run, separated by commas (default: all)"
    )
    parser.add_argument(
        "--part", default="1/1", help="which part of the cases to run (default: 1/1, all)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (default: 1)")
    parser.add_argument(
        "--override",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="for the runs of signals and space",
    )
    parser.add_argument(
        "--keep", default="", help="folder for the files of cases that were not good"
    )
    parser.add_argument("--case", default="", help="run this case alone, e.g. inputs/17")
    options = parser.parse_args()
    options.only = options.only.split(",")
    part, separator, parts = options.part.partition("/")
    if not (separator and part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        parser.error(f"--part {options.part}: give one like 2/4, the second of four")
    options.part, options.parts = int(part), int(parts)
    unknown = [
        kind
        for kind in options.only + ([options.case.split("/")[0]] if options.case else [])
        if kind not in SHARES
    ]
    if unknown:
        parser.error(f"no such kind: {', '.join(unknown)}; there are {', '.join(SHARES)}")
    return options


def main():
    options = parse_arguments()
    runner = Runner(options.bin_dir, options.inputs_dir, options.override)
    if not can_run(runner):
        print("skipped: no device to run on")
        return 77
    campaign = Campaign(runner, options.seed, options.keep)
    names = (
        [options.case]
        if options.case
        else campaign.names(options.only, options.count)[options.part - 1 :: options.parts]
    )
    began, bad = time.monotonic(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, failure in zip(names, pool.map(campaign.run, names)):
            if failure:
                bad[failure.kind] += 1
                print(f"{name}: {failure}".replace("\n", "\n    "), flush=True)
    counts = collections.Counter(name.split("/")[0] for name in names)
    part = f" part {options.part}/{options.parts}" if options.parts > 1 else ""
    print(
        f"campaign seed {options.seed}{part}{' (sanitizers)' if runner.sanitized else ''}: {len(names)} cases "
        f"({', '.join(f'{kind} {counts[kind]}' for kind in SHARES)}), {runner.runs} processes, {time.monotonic() - began:.0f} s, "
        f"exit codes {' '.join(f'{code}:{n}' for code, n in sorted(runner.statuses.items()))}; "
        f"{bad.total()} not good: {', '.join(f'{bad[kind]} {kind}' for kind in FAILURES)}"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

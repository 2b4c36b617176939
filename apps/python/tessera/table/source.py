# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""What tables ask of results files: a dataset that has to be there, what a run was set to, how long
its parts took, and where it ran."""

import os
import re

import numpy as np

from ..results import ResultsError


class Misfit(Exception):
    """Results do not fit a table; the text says what they lack.

    results: those that it is about; None where it is about all. remedy: what makes results that
    fit; None where the paper's input does.
    """

    def __init__(self, problem, results=None, remedy=None):
        super().__init__(problem)
        self.results, self.remedy = results, remedy


def need(results, *names):
    """Datasets that a table is made from: one, or a list of several."""
    for name in names:
        if name not in results:
            raise Misfit(f"it holds no dataset '{name}'", results)
    found = [np.asarray(results[name]) for name in names]
    return found[0] if len(found) == 1 else found


def setting(results, path):
    """The text of a key in the input with its defaults, such as 'model.precision'; None where the
    input has no such key."""
    if "input/resolved" not in results:
        raise Misfit("it holds no input", results)
    text = results.resolved
    for i, key in enumerate(path.split(".")):
        found = re.search(
            rf"(?m)^{'  ' * i}{re.escape(key)}:(.*)((?:\n(?:{'  ' * (i + 1)}.*|$))*)", text
        )
        if not found:
            return None
        text, value = found[2], found[1].strip()
    return value


def require(results, path, wanted, of=None):
    """Raises Misfit unless a key of the input has that value."""
    value = setting(results, path)
    if value != wanted:
        raise Misfit(f"its {of or path} is '{value}', and not '{wanted}'", results)


def seconds(results, *regions):
    """Wall time of these regions of a run, of which one at least is there."""
    timings = results.timings
    if not any(region in timings for region in regions):
        raise Misfit(f"it holds no time of '{regions[0]}'", results)
    return sum(timings.get(region, 0.0) for region in regions)


def name(results):
    """What a column of these results is called beside others."""
    return os.path.splitext(os.path.basename(results.path))[0]


def ours(files):
    """The heading of each file's column: ours, or ours and the file's name."""
    return ["ours"] if len(files) == 1 else [f"ours: {name(results)}" for results in files]


def provenance(results):
    """A note on where results come from."""
    attrs = results.attrs
    status = attrs.get("run_status", "complete")
    return (
        f"{name(results)}: {attrs.get('device_name', 'unknown device')}, backend {attrs.get('backend', '?')},"
        f" commit {str(attrs.get('git_commit', '?'))[:8]}, {str(attrs.get('created', '?'))[:10]}"
        + ("" if status == "complete" else f"; the run is {status}")
    )


def is_interrupted(results):
    """Whether the run ended before it was complete."""
    return results.attrs.get("run_status", "complete") != "complete"


def how_to_complete(results):
    """What makes whole results of those of an interrupted run."""
    restart = os.path.splitext(results.path)[0] + ".restart.h5"
    if os.path.exists(restart):
        return f"continue it with --restart {restart}"
    return "run it again, to its end"


def counted(results, done, planned, what):
    """How many cases there are, and of how many where an interrupted run lacks some."""
    if done == planned:
        return f"{done} {what}"
    return f"{done} of {planned} {what}" + (
        " (the run was interrupted)" if is_interrupted(results) else ""
    )


def index_of(values, wanted, tolerance=1e-9):
    """Where a number is in a list; None where it is not."""
    found = np.flatnonzero(np.abs(np.asarray(values, float) - wanted) <= tolerance)
    return int(found[0]) if len(found) else None


def one(files):
    """The only file of a table that is made from one."""
    if len(files) != 1:
        raise ResultsError(
            f"{len(files)} results files, of which this table takes one: {', '.join(f.path for f in files)}",
            2,
        )
    return files[0]

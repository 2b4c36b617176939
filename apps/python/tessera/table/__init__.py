# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the papers from results files, the paper's value beside ours: `tessera-table
RESULTS.h5` or `python -m tessera.table RESULTS.h5`."""

import re

from ..results import ResultsError, describe

# One module an app, of the app's name: TABLES lists its tables, each a function and what it is of.
from . import bessel, boys, gbees, gp, mpr, source, stable
from .layout import FORMATS
from .paper import Paper

__all__ = ["APPS", "FORMATS", "table"]

APPS = {
    module.__name__.rpartition(".")[2]: module for module in (bessel, boys, gbees, gp, mpr, stable)
}


def table(files, name=None):
    """A table of a paper from results, those of tessera.open(...) or tessera.run(...).

    name: one of APPS[app].TABLES, for the app that made the results; by default the one that the
    input of the first results is named after. Raises ResultsError where the results do not fit it.
    """
    app = _app(files)
    module = APPS[app]
    name = _name(files, module, name)
    make, subject = module.TABLES[name]
    paper = Paper(module.PAPER)
    try:
        made = make(files, paper.of(name))
    except ResultsError as error:
        if error.code == 3 and any(map(source.is_interrupted, files)):
            problem = str(error)
            for results in files:
                problem = problem.removeprefix(f"{results.path}: ")
            raise ResultsError(_misfit(files, app, name, source.Misfit(problem)), 3) from error
        raise
    except source.Misfit as error:
        raise ResultsError(_misfit(files, app, name, error), 3) from error
    # arrays that do not fit each other fail in numpy's own ways
    except Exception as error:
        problem = source.Misfit(f"what it holds does not fit together ({describe(error)})")
        raise ResultsError(_misfit(files, app, name, problem), 3) from error
    made.title = f"{_printed_name(module, name)} of {module.AUTHORS}: {subject}"
    made.notes += [source.provenance(results) for results in files]
    made.notes.append(f"Paper: {paper.citation}.")
    return made


def _app(files):
    apps = {str(results.attrs.get("app", "")): results.path for results in files}
    for app, path in apps.items():
        if app not in APPS:
            raise ResultsError(
                f"{path} comes from the app '{app}'; there are tables for: {', '.join(APPS)}", 3
            )
    if len(apps) > 1:
        raise ResultsError(
            f"the results come from several apps ({', '.join(sorted(apps))}); give those of one table",
            3,
        )
    return next(iter(apps))


def _name(files, module, name):
    names = [*module.TABLES]
    app = module.__name__.rpartition(".")[2]
    if name is None:
        of_files = [_name_of_input(results) for results in files]
        name = of_files[0]
        if name is None:
            raise ResultsError(
                f"{files[0].path} does not say which table it is for: its input is none of inputs/{app}/paper;"
                f" add --table with one of: {', '.join(names)}",
                2,
            )
        if len({other for other in of_files if other is not None}) > 1:
            of_tables = ", ".join(
                f"{results.path} of {other}" for results, other in zip(files, of_files) if other
            )
            raise ResultsError(
                f"the results are of several tables: {of_tables}; give those of one table, or"
                " choose one that takes all by --table",
                2,
            )
    if name in module.PICTURES:
        raise ResultsError(
            f"{name} of {module.AUTHORS} has no numbers; draw {files[0].path} with {module.PICTURES[name]}",
            2,
        )
    if name not in module.TABLES:
        raise ResultsError(
            f"unknown table '{name}' for the app '{app}'; choose one of: {', '.join(names)}", 2
        )
    return name


def _name_of_input(results):
    """The table that the input of results is named after; None where it is none of the papers'."""
    found = re.search(
        r"(?:^|[/ '])paper/((?:table|figure|algorithm)\d+[a-z]?)(?:_\w+)?\.yaml",
        str(results.attrs.get("command_line", "")),
    )
    return found[1] if found else None


def _misfit(files, app, name, misfit):
    module = APPS[app]
    table_of_paper = f"{_printed_name(module, name)} of {module.AUTHORS}"
    suspects = files if misfit.results is None else [misfit.results]
    interrupted = [results for results in suspects if source.is_interrupted(results)]
    if interrupted:
        runs = "; ".join(f"{r.path}: {source.how_to_complete(r)}" for r in interrupted)
        return (
            f"{', '.join(r.path for r in interrupted)} does not fit {table_of_paper}, for the run"
            f" was interrupted: {misfit}\n  remedy: {runs}"
        )
    which = suspects[0].path if len(suspects) == 1 else "one of " + ", ".join(f.path for f in files)
    input_of_paper = f"inputs/{app}/paper/{module.INPUTS.get(name, name)}.yaml"
    remedy = misfit.remedy or f"tessera-{app} {input_of_paper} makes what does"
    return f"{which} does not fit {table_of_paper}: {misfit}; {remedy}"


def _printed_name(module, name):
    if name in getattr(module, "PRINTED", {}):
        return module.PRINTED[name]
    kind, number, panel = re.fullmatch(r"(table|figure|algorithm)(\d+)([a-z]?)", name).groups()
    return f"{kind.capitalize()} {number}" + (f" ({panel})" if panel else "")

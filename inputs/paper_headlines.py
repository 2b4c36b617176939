#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Runs what each paper leads with on the backends that the programs at hand have, one run after
another on this machine, and prints one Markdown table: the paper's numbers, one core (serial), all
cores (openmp) and the GPU (cuda), and their ratios.

    paper_headlines.py --programs build/serial/bin --programs build/cuda/bin -o headlines.md

A run that would take longer than --minutes is left out, and the table says so; --minutes 60 takes
Lorenz '96 on one core too. The programs of a backend come from the first folder whose programs
start and have it. Results stay in the folder of --keep, which must be new or empty, else nowhere.
Needs numpy and h5py. The exit status is 1 where a run fails, and 2 where no program is there.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

INPUTS = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
# of the source tree, or as it is installed
sys.path[:0] = [str(INPUTS.parent / folder) for folder in ("apps/python", "python")]

from tessera.results import load  # noqa: E402  (from there)
from tessera.table import gbees, source  # noqa: E402
from tessera.table.gp import FIT  # noqa: E402
from tessera.table.paper import Paper  # noqa: E402

BACKENDS = {"serial": "one core", "openmp": "all cores", "cuda": "GPU"}
ABSENT = "is not in this executable"
LONGEST_SHORT = 10  # minutes that a short run may take
CANNOT_START = 127  # the exit status of a program whose libraries are not there
PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


class Headline:
    """One number of a paper, and the run that gives ours.

    measure: our number from the results and from what the program wrote. cpu, gpu: the paper's
    numbers, each None or (value, on what). one_core: whether cpu is of one core, which ours is then
    divided by. minutes: what a core takes, about; more than 1 of runs that may be left out. runs:
    how many, of which the best counts.
    """

    def __init__(self, what, unit, measure, file, *overrides, **options):
        self.what, self.unit, self.measure = what, unit, measure
        self.file, self.overrides = file, overrides
        self.cpu, self.gpu = options.get("cpu"), options.get("gpu")
        self.one_core = options.get("one_core", True)
        self.minutes = options.get("minutes", 0.5)
        self.runs = options.get("runs", 1)
        self.short = options.get("short", ())
        self.is_rate = unit.endswith("/s")


def printed(paper, table, row, column):
    """A number that a paper prints."""
    return float(Paper(paper).of(table)(row, column))


def time_of_run(factor):
    return lambda results, _: factor * source.seconds(results, *gbees.RUN)


def time_of_fit(results, _):
    return source.seconds(results, *FIT) / 60


def time_of_fills(results, _):
    """A third missing, the first of two fractions."""
    return float(source.need(results, "results/validation/seconds")[0, 0].mean())


def time_of_generation(results, _):
    return float(source.need(results, "results/generation_seconds").mean())


def time_of_points(results, _):
    """Of the faster method, a point."""
    return 1e3 / float(source.need(results, "results/evaluations_per_second").max())


def time_of_fit_of_law(results, _):
    return 1e3 * float(source.need(results, "results/seconds").mean())


def rate(results, log):
    """What the program says of evaluations behind the first, in 1e6 a second."""
    found = re.search(r"complete: .*; ([0-9.e+]+) ([kMGT]?) ?evaluations/s", log)
    if not found:
        raise source.Misfit(f"{results.path}: the program gave no rate")
    return float(found[1]) * PREFIXES[found[2]] / 1e6


def headlines():
    """Of each system, in the order of the table."""
    h25, z20, g25, j17 = "hanson_2025", "zukovic_2020", "geng_2025", "julian_moreno_2017"
    m2, h200 = "CPU-optimized: Apple M2 MAX", "GPU 4: NVIDIA H200"
    few = "[0.4,0.4,0.4,0.4,0.4,0.4]"
    threads = "libstable, 1 thread"

    def law(table, what, minutes=0.5):
        return Headline(
            f"Table {table}, {what}",
            "ms",
            time_of_points,
            f"table{table}.yaml",
            cpu=(printed(j17, f"table{table}", threads, "ms a point"), threads),
            gpu=(printed(j17, f"table{table}", "AMD", "ms a point"), "AMD GPU"),
            minutes=minutes,
            short=("speed.repeats=1", "speed.methods=[contour]"),
        )

    return {
        "gbees": [
            Headline(
                "Table 3, Lorenz '63",
                "ms",
                time_of_run(1e3),
                "table3.yaml",
                cpu=(printed(h25, "table3", m2, "runtime [ms]"), "M2 MAX"),
                gpu=(printed(h25, "table3", h200, "runtime [ms]"), "H200"),
                runs=3,
            ),
            Headline(
                "Table 4, Lorenz '96",
                "s",
                time_of_run(1.0),
                "table4.yaml",
                cpu=(printed(h25, "table4", m2, "runtime [s]"), "M2 MAX"),
                gpu=(printed(h25, "table4", h200, "runtime [s]"), "H200"),
                minutes=32,
                short=(f"grid.spacing={few}", "grid.threshold=1e-4", "time.end=0.1"),
            ),
        ],
        "mpr": [
            Headline(
                "Table 3, 1024 x 1024 sites in single precision, 33 % missing",
                "s",
                time_of_fills,
                "table3.yaml",
                "validate.samplings=10",
                "validate.backends=[{backend}]",
                cpu=(printed(z20, "table3", "time [s]", "CPU (C++), 33 %"), "i5-4440"),
                gpu=(printed(z20, "table3", "time [s]", "GPU (B = 16), 33 %"), "GTX 980"),
                short=("validate.sizes=[128]", "validate.samplings=2"),
            )
        ],
        "gp": [
            Headline(
                "Figure 11, a fit of 71 289 points (ours by scoring)",
                "min",
                time_of_fit,
                "figure11.yaml",
                "fit.method=scoring",
                cpu=(printed(g25, "figure11", "71289", "GSL, CPU"), "GSL"),
                gpu=(printed(g25, "figure11", "71289", "1 GPU"), "1 GPU"),
                one_core=False,
                minutes=1100,
                short=("simulate.points=100",),
            ),
            Headline(
                "the same of 4900 points",
                "min",
                time_of_fit,
                "figure11.yaml",
                "fit.method=scoring",
                "simulate.points=4900",
                short=("simulate.points=100",),
            ),
            Headline(
                "Figures 9, 10, a matrix of 57 137 points",
                "s",
                time_of_generation,
                "figure10.yaml",
                "generate.points=[57137]",
                "generate.repeats=2",
                short=("generate.points=[300]",),
            ),
        ],
        "bessel": [
            Headline(
                "K and its derivative in the order",
                "M/s",
                rate,
                "../benchmark.yaml",
                short=("problem.nu.linspace=[0,20,50]", "problem.x.linspace=[0.1,140,50]"),
            )
        ],
        "boys": [
            Headline(
                "F_0 to F_8",
                "M/s",
                rate,
                "../benchmark.yaml",
                short=("problem.x.logspace=[1e-3,100,20000]",),
            )
        ],
        "stable": [
            law(3, "a density"),
            law(5, "a distribution function"),
            law(6, "both together"),
            law(8, "a quantile"),
            Headline(
                "Table 9, a maximum-likelihood fit",
                "ms",
                time_of_fit_of_law,
                "table9.yaml",
                cpu=(printed(j17, "table9", "libstable", "mean [ms]"), "libstable"),
                gpu=(
                    printed(j17, "table9", "libstable, densities on Tesla M", "mean [ms]"),
                    "Tesla M",
                ),
                one_core=False,
                short=("problem.n=2000",),
            ),
        ],
    }


PAPERS = {
    "gbees": "Hanson 2025",
    "mpr": "Zukovic 2020",
    "gp": "Geng 2025",
    "bessel": "Geng 2025",
    "boys": "Mazur 2016",
    "stable": "Julian-Moreno 2017",
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument(
        "--programs",
        metavar="DIR",
        action="append",
        help="a folder of programs, may be repeated (default: those on the PATH)",
    )
    parser.add_argument(
        "--systems", nargs="+", choices=[*PAPERS], default=[*PAPERS], metavar="SYSTEM"
    )
    parser.add_argument(
        "--backends", nargs="+", choices=[*BACKENDS], default=[*BACKENDS], metavar="BACKEND"
    )
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    parser.add_argument(
        "--minutes",
        type=float,
        default=10,
        metavar="N",
        help="leave out what takes longer (%(default)s)",
    )
    parser.add_argument("--short", action="store_true", help="shortened runs, to try the script")
    parser.add_argument("--keep", metavar="DIR", help="keep the results there")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the table there")
    options = parser.parse_args()
    if options.threads < 1 or options.minutes <= 0:
        parser.error("--threads and --minutes take positive numbers")
    if options.keep and os.path.isdir(options.keep) and os.listdir(options.keep):
        parser.error(f"the folder {options.keep} of --keep is not empty")
    for folder in options.programs or ():
        if not os.path.isdir(folder):
            parser.error(f"there is no folder {folder} (--programs)")
    if options.output and (reason := why_not_writable(options.output)):
        parser.error(f"cannot write {options.output} (-o): {reason}")
    return options


def why_not_writable(path):
    """What the system says against writing a file; None where it can be written. It stays as it
    is."""
    is_there = os.path.exists(path)
    try:
        with open(path, "a", encoding="utf-8"):
            pass
        if not is_there:
            os.remove(path)
    except OSError as error:
        return error.strerror
    return None


class Runs:
    """Runs programs, and remembers what is said below the table."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.machines, self.commits, self.days = {}, set(), set()
        self.notes, self.failed = [], False
        self.programs = {}  # of a system and a backend

    def program(self, system, backend):
        """The first program of a system that starts and has the backend, None where there is none.
        A short run tells."""
        key = system, backend
        if key not in self.programs:
            self.programs[key] = None
            command = self.command(system, headlines()[system][0], backend, short=True)
            for program in self.candidates(system):
                done = self.run(program, command, backend, LONGEST_SHORT)
                if done.returncode == CANNOT_START:
                    self.note(f"{program} does not start: {done.stderr.strip()}")
                elif ABSENT not in done.stderr:
                    self.programs[key] = program
                    break
        return self.programs[key]

    def note(self, text):
        """Says something below the table, once."""
        if text not in self.notes:
            self.notes.append(text)
            print(f"paper_headlines.py: {text}", file=sys.stderr)

    def candidates(self, system):
        """The programs of a system."""
        name = f"tessera-{system}"
        if self.options.programs is None:
            found = shutil.which(name)
            return [found] if found else []
        paths = [os.path.abspath(os.path.join(folder, name)) for folder in self.options.programs]
        return [path for path in paths if os.access(path, os.X_OK)]

    def command(self, system, headline, backend, short):
        """What follows a program's name."""
        stem = re.sub("[^a-z0-9]+", "_", headline.what.lower()).strip("_")
        name = f"{system}-{stem}{'-short' if short else ''}-{backend}.h5"
        return [
            str(INPUTS / system / "paper" / headline.file),
            *("--backend", backend, "--force", "--progress", "off"),
            *("--output", str(self.folder / name)),
            *(override.format(backend=backend) for override in headline.overrides),
            *(headline.short if short else ()),
        ]

    def threads(self, backend):
        return {"serial": 1, "openmp": self.options.threads}.get(backend)

    def run(self, program, command, backend, minutes):
        environment = dict(os.environ, LC_ALL="C")
        if self.threads(backend):
            environment["OMP_NUM_THREADS"] = str(self.threads(backend))
        return subprocess.run(
            [program, *command],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60 * minutes,
        )

    def number(self, system, headline, backend):
        """Our number as (value, None), or (None, what stands in the table instead)."""
        options = self.options
        program = self.program(system, backend)
        if program is None:
            return None, "-"
        minutes = headline.minutes / (self.threads(backend) or 1)
        if self.threads(backend) and not options.short and minutes > options.minutes:
            about = float(f"{minutes:.2g}")
            return None, f"left out: some {about:g} min (an estimate)"
        command = self.command(system, headline, backend, options.short)
        best = None
        for _ in range(1 if options.short else headline.runs):
            try:
                done = self.run(program, command, backend, options.minutes)
            except subprocess.TimeoutExpired:
                return None, f"ended after {options.minutes:g} min"
            if done.returncode != 0:
                return None, self.failure(system, headline, backend, done)
            value = self.read(headline, command, done, backend)
            best = value if best is None else (max if headline.is_rate else min)(best, value)
        return best, None

    def failure(self, system, headline, backend, done):
        self.failed = True
        errors = [line for line in done.stderr.split("\n") if "error" in line]
        reason = errors[0] if errors else f"exit status {done.returncode}"
        self.note(f"{system}, {headline.what}, {backend}: {reason}")
        return f"failed ({done.returncode})"

    def read(self, headline, command, done, backend):
        with load(command[command.index("--output") + 1]) as results:
            attrs = results.attrs
            self.machines[backend] = str(attrs.get("device_name", "unknown"))
            self.commits.add(str(attrs.get("git_commit", "unknown")))
            self.days.add(str(attrs.get("created", "unknown"))[:10])
            return headline.measure(results, done.stderr)


def ratio(headline, slow, fast):
    """How many times as fast the second is, as text."""
    if slow is None or fast is None or 0 in (slow, fast):
        return "-"
    return f"{fast / slow if headline.is_rate else slow / fast:.3g}"


def of_paper(number):
    return "-" if number is None else f"{number[0]:.6g} ({number[1]})"


def row(runs, system, headline):
    ours, cells = {}, {}
    for backend in runs.options.backends:
        if runs.program(system, backend):
            print(f"{system}: {headline.what}, {backend}", file=sys.stderr, flush=True)
        value, instead = runs.number(system, headline, backend)
        ours[backend], cells[backend] = value, instead or f"{value:.4g}"
    core, cores, gpu = (ours.get(backend) for backend in BACKENDS)
    # a shortened run is not the paper's, and many cores are not one
    whole = not runs.options.short
    cpu = headline.cpu[0] if headline.cpu and whole else None
    device = headline.gpu[0] if headline.gpu and whole else None
    return [
        PAPERS[system],
        headline.what,
        headline.unit,
        of_paper(headline.cpu),
        of_paper(headline.gpu),
        *(cells.get(backend, "-") for backend in BACKENDS),
        ratio(headline, core, cores),
        ratio(headline, core, gpu),
        ratio(headline, cores, gpu),
        ratio(headline, cpu, core if headline.one_core else cores),
        ratio(headline, device, gpu),
    ]


def page(runs, rows):
    options = runs.options
    heads = [
        *("paper", "headline", "unit", "paper, CPU", "paper, GPU"),
        *("one core", f"{options.threads} cores", "GPU"),
        *("cores / core", "GPU / core", "GPU / cores", "CPU / paper's", "GPU / paper's"),
    ]
    lines = [heads, ["---"] * len(heads), *rows]
    text = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    notes = []
    if options.short:
        notes.append("Shortened runs, which tell nothing of speed.")
    notes += [
        "Ratios say how many times as fast. CPU / paper's is of one core here and there; of fits,"
        " whose CPU the papers do not describe so, of all cores here. Times of gbees are of the start"
        " and the steps, the least of three runs of Lorenz '63; of mpr of whole fills; of gp of the fit"
        " or of a generation; of stable of a point in a call of 1000, by the faster of two methods."
        " Geng et al. print mean speed-ups of generation alone, and neither paper prints a rate of K"
        " or of F_n.",
        *(f"{BACKENDS[backend]} ({backend}): {name}." for backend, name in runs.machines.items()),
        f"Date: {', '.join(sorted(runs.days))}; commit: {', '.join(sorted(runs.commits))}.",
        *runs.notes,
    ]
    return "\n\n".join([text, *notes]) + "\n"


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        runs = Runs(options, folder)
        known = headlines()
        rows = [row(runs, system, line) for system in options.systems for line in known[system]]
    if not any(runs.programs.values()):
        print(f"paper_headlines.py: error: {nothing_ran(runs)}", file=sys.stderr)
        return 2
    text = page(runs, rows)
    if not options.output:
        print(text, end="")
        return 1 if runs.failed else 0
    try:
        pathlib.Path(options.output).write_text(text, encoding="utf-8")
    except OSError as error:  # it could be written before the runs
        print(text, end="")
        print(
            f"paper_headlines.py: error: cannot write {options.output}: {error.strerror};"
            " the table is on the standard output",
            file=sys.stderr,
        )
        return 1
    return 1 if runs.failed else 0


def nothing_ran(runs):
    """Why there is no number at all."""
    options = runs.options
    where = ", ".join(options.programs or ["the PATH"])
    there = [system for system in options.systems if runs.candidates(system)]
    if not there:
        return f"no program in {where}; name their folder by --programs"
    programs = ", ".join(f"tessera-{system}" for system in there)
    return (
        f"of the programs in {where} ({programs}) none starts and has the backend"
        f" {' or '.join(options.backends)}; name the folder of others by --programs, or choose"
        " other --backends"
    )


if __name__ == "__main__":
    sys.exit(main())

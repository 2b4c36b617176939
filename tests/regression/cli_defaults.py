# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What --print-defaults prints is a valid input, of every application and for every choice that it
lists. Run with tessera-gbees."""

import os
import re

import run_cases
from cli_support import EXECUTABLE, INPUT, CommandLineTest, run_in

APPLICATIONS = ("bessel", "boys", "gbees", "gp", "mpr", "stable")

# Keys that an input needs, and that only the user knows.
REQUIRED = {
    "gbees": r"missing required key ('file' in '(initial|measurement_table|model\.tables\.NAME)'|"
    r"'messages' in 'conjunction'|'longest_step' in 'time')",
    "mpr": r"('input' needs 'file' or 'synthetic'|'noise' needs either 'standard_deviation' or 'file')",
    "stable": r"a regression needs a file and the column of its response",
    "gp": r"missing required key 'file' in 'data'",
    "bessel": r"'reference' needs either 'file' or 'extended: true'",
    "boys": r"'reference' needs either 'file' or 'extended: true'",
}

SEVERAL = {
    "gp": (
        ("data.file=data.csv",),
        ("covariance.metric=chordal", "data.file=data.csv"),
        ("covariance.beta_time=1",),
        ("covariance.time=gneiting", "covariance.delta=0.5"),
        ("covariance.variables=3",),
        ("covariance.variables=2", "covariance.cross=full"),
        ("covariance.ranges=[1, 2]",),
        ("covariance.nugget=0.1", "fit.method=lbfgs"),
        ("data.file=data.csv", "simulate.mean=1"),
        ("predict.fraction=0.1",),
        ("loglik.theta=[[1, 0.1, 0.5]]",),
        ("cross_validation.folds=5",),
    ),
    "boys": (
        ("task=integrals", "integrals.interaction=erf"),
        ("reference.extended=true",),
        ("problem.x=[1, 2]",),
    ),
    "bessel": (
        ("problem.task=matern", "problem.r=[1, 2]"),
        ("reference.extended=true",),
        ("problem.x.logspace=[1, 2, 3]",),
    ),
    "mpr": (
        ("input.synthetic.size=[16, 16]", "task=validate"),
        ("output.quantiles=[0.1]", "task=validate"),
        ("validate.sizes=[16]", "task=validate"),
    ),
    "stable": (
        ("problem.task=speed", "speed.laws=one"),
        ("problem.task=evaluate", "problem.method=paper"),
    ),
    "gbees": (
        ("model.name=lorenz96", "model.dimension=5"),
        ("model.name=equations", "initial.shape=uniform"),
        ("validate.monte_carlo.samples=1000",),
        ("validate.filters.ukf.kappa=1", "validate.filters.enkf.members=100"),
        ("validate.filters.step=0.01", "validate.filters.particle.resample=0"),
        ("initial.covariance=[[2, 0, 0], [0, 2, 0], [0, 0, 2]]",),
    ),
}


class Defaults(CommandLineTest):
    def run_app(self, app, *arguments):
        executable = os.path.join(os.path.dirname(EXECUTABLE), f"tessera-{app}")
        return run_in(self.folder, executable, *arguments)

    def applications(self):
        """Those that were built."""
        return [
            app
            for app in APPLICATIONS
            if os.path.exists(os.path.join(os.path.dirname(EXECUTABLE), f"tessera-{app}"))
        ]

    def choices(self, app):
        """Every key=value of a choice that the parameters page lists, except for entries of
        lists."""
        section = ""
        for line in self.run_app(app, "--print-defaults", "--markdown").stdout.splitlines():
            if line.startswith("#"):
                section = line.strip("# `")
            found = re.match(r"\| `([^`]*)` \| text \|.*?\| one of ([^|]*?)\|", line)
            if found and not section.endswith("[]"):
                key = found[1] if section == "Top level" else f"{section}.{found[1]}"
                for value in found[2].split(","):
                    if value.strip() not in ("", '""'):
                        yield f"{key}={value.strip()}"

    def check(self, app, *overrides):
        """Returns whether something is printed: a choice may not fit the other defaults, which an
        error says."""
        printed = self.run_app(app, "--print-defaults", *overrides)
        if printed.returncode != 0:
            self.assertEqual((printed.returncode, printed.stdout), (INPUT, ""), printed.stderr)
            self.assertRegex(printed.stderr, r"^(command line: error: .*\n)+$")
            return False
        self.assertEqual(printed.stderr, "")
        self.write("defaults.yaml", printed.stdout)
        validated = self.run_app(app, "defaults.yaml", "--validate")
        if validated.returncode != 0:
            only_required = (
                r"^(defaults\.yaml:\d+:\d+: error: " + REQUIRED.get(app, "nothing") + r"[^\n]*\n)+$"
            )
            self.assertRegex(validated.stderr, only_required, printed.stdout)
            self.assertEqual(validated.returncode, INPUT)
        return True

    def test_without_overrides(self):
        for app in self.applications():
            with self.subTest(app):
                self.assertTrue(self.check(app))

    def test_every_choice(self):
        for app in self.applications():
            choices = list(self.choices(app))
            self.assertGreater(len(choices), 5)
            printed = 0
            for choice in choices:
                with self.subTest(app + " " + choice):
                    printed += self.check(app, choice)
            self.assertGreater(printed, 5)

    def test_tasks_are_printed(self):
        for app, key in (
            ("bessel", "problem.task"),
            ("boys", "task"),
            ("mpr", "task"),
            ("stable", "problem.task"),
            ("gbees", "model.name"),
            ("gbees", "initial.shape"),
            ("gp", "covariance.family"),
            ("gp", "covariance.metric"),
        ):
            if app not in self.applications():
                continue
            choices = [choice for choice in self.choices(app) if choice.startswith(key + "=")]
            self.assertGreater(len(choices), 1)
            for choice in choices:
                with self.subTest(app + " " + choice):
                    self.assertTrue(self.check(app, choice))

    def test_several_overrides(self):
        for app in self.applications():
            for overrides in SEVERAL[app]:
                with self.subTest(app + " " + " ".join(overrides)):
                    if any("data.csv" in override for override in overrides):
                        self.write(
                            "data.csv",
                            "x,y,latitude,longitude,z\n"
                            + "".join(f"{i},{i * i},{i},{2 * i},{i % 3}\n" for i in range(9)),
                        )
                    self.assertTrue(self.check(app, *overrides))


if __name__ == "__main__":
    run_cases.main()

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Interruption, restart and pictures of tessera-stable: cli_stable_restart.py EXECUTABLE"""

import os
import signal
import time

import numpy as np

import run_cases
from cli_stable_support import StableTest, cauchy
from cli_support import FILES, arrays
from plot_support import plot

MAP = """\
app: stable
problem:
  task: bias_map
  n: 200
map:
  alpha: [1.2, 1.6]
  beta: [0, 0.5, 1]
  repeats: 60
run: {seed: 7}
"""


class Restart(StableTest):
    def test_an_interrupted_map_goes_on_with_the_same_bits(self):
        self.write("whole.yaml", MAP)
        self.succeed("whole.yaml", "-q", "--backend", "serial")
        self.write("part.yaml", MAP)
        process = self.start("part.yaml", "-q", "--backend", "serial")
        time.sleep(1.5)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
        if process.returncode == 0:
            self.skipTest("the run ended before the signal")
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.succeed(
            "part.yaml", "-q", "--backend", "serial", "--restart", "part.restart.h5", "--force"
        )
        for name, values in arrays(self.path("whole.h5"), ["results"]).items():
            self.assertEqual(
                values.tobytes(), arrays(self.path("part.h5"), ["results"])[name].tobytes(), name
            )

    def assert_goes_on_with_the_same_bits(self, text):
        """When it is interrupted a second after its start."""
        self.write("whole.yaml", text)
        self.succeed("whole.yaml", "-q", "--backend", "serial")
        self.assert_ends_soon(text, 1)
        self.succeed("run.yaml", "-q", "--backend", "serial", "--restart", "run.restart.h5")
        self.assert_same_bits("whole.h5", "run.h5", ["results"])

    def test_an_interrupted_backtest(self):
        self.assert_goes_on_with_the_same_bits(
            "app: stable\nproblem: {task: garch, n: 1500}\ngarch: {backtest: {window: 300, step: 4}}\n"
        )

    def test_interrupted_regressions(self):
        rng = np.random.default_rng(4)
        self.write(
            "r.csv",
            "y,x,who\n"
            + "".join(
                f"{float(y)!r},{float(x)!r},{k // 60}\n"
                for k, (y, x) in enumerate(
                    zip(rng.standard_cauchy(60000).tolist(), rng.random(60000).tolist())
                )
            ),
        )
        self.assert_goes_on_with_the_same_bits(
            "app: stable\nproblem: {task: regress, data: {file: r.csv, column: y, group_column: who}}\n"
            "regress: {location: 1 + x}\n"
        )

    def test_interrupted_times(self):
        """Times differ from run to run; there is one for every fit."""
        text = "app: stable\nproblem: {task: fit_many, n: 60000}\nfit: {window: 200, step: 100, together: 3}\n"
        self.assert_ends_soon(text, 1)
        self.succeed("run.yaml", "-q", "--backend", "serial", "--restart", "run.restart.h5")
        found = arrays(self.path("run.h5"), ["results"])
        self.assertEqual(found["results/seconds"].shape, found["results/alpha"].shape)
        self.assertTrue((found["results/seconds"] > 0).all())

    def test_interrupted_refits(self):
        self.assert_goes_on_with_the_same_bits(
            "app: stable\nproblem: {task: fit, n: 300}\n"
            "goodness: {statistics: [ad], against: [symmetric], refits: 400}\n"
        )

    def test_steps_of_a_second(self):
        for text, after in (
            ("{task: fit, n: 1e6, alpha: 1.5}", 1.5),
            ("{task: fit, n: 4e6, alpha: 1.5}", 3),
            ("{task: fit, n: 1e6, alpha: 1.5}\nfit: {method: koutrouvelis}", 1),
            ("{task: quantile, p: {linspace: [0.01, 0.99, 1e6]}, direct: true}", 1),
            ("{task: evaluate, x: {linspace: [-10, 10, 1e5]}, method: paper}", 1),
            ("{task: speed}\nspeed: {points: [1e6], methods: [contour]}", 1),
            ("{task: quantile, p: {linspace: [0.01, 0.99, 1e5]}, method: newton}", 2),
        ):
            with self.subTest(text, after=after):
                self.assertIn(
                    "continue with --restart run.restart.h5",
                    self.assert_ends_soon(f"app: stable\nproblem: {text}\n", after),
                )

    def test_a_fit_given_up_is_made_again(self):
        text = "app: stable\nproblem: {task: fit, n: 3e5, alpha: 1.5}\n"
        self.write("whole.yaml", text)
        self.succeed("whole.yaml", "-q", "--backend", "serial")
        self.assert_ends_soon(text, 0.5)
        self.succeed("run.yaml", "-q", "--backend", "serial", "--restart", "run.restart.h5")
        self.assert_same_bits("whole.h5", "run.h5", ["results"])


class RestartFiles(StableTest):
    def setUp(self):
        super().setUp()
        self.write("part.yaml", MAP)
        self.restart = self.killed_run("part", "--backend", "serial")

    def test_arrays_of_other_lengths(self):
        self.assert_arrays_are_checked(self.restart, "part.yaml")

    def test_more_fits_than_the_map(self):
        def alter(file):
            for name, values in file["state/fits"].items():
                longer = np.concatenate([values[()]] * 400)
                del file["state/fits"][name]
                file["state/fits"][name] = longer

        self.assert_mentions(
            self.call("part.yaml", "-q", "--restart", self.altered(self.restart, alter)),
            FILES,
            "'altered.restart.h5:/state/fits/status' holds ",
            " fits, and the run has 360",
            "start again",
        )


class Pictures(StableTest):
    def test_every_kind(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("no matplotlib")
        laws = "app: stable\nproblem: {task: evaluate, laws: [[1.5, 0.5], [1, 0]], x: {linspace: [-50, 50, 501]}}\n"
        cases = [
            (laws, ["density", "tails"]),
            ("app: stable\nproblem: {task: sample, n: 5000}\n", ["density"]),
            ("app: stable\nproblem: {task: fit, n: 500}\n", ["fit", "qq"]),
            (
                "app: stable\nproblem: {task: fit, n: 100}\ngoodness: {statistics: [ad], against: [normal], refits: 9}\n",
                ["fit", "goodness"],
            ),
            (
                "app: stable\nproblem: {task: fit, n: 100}\nfit: {intervals: [wald, profile], quantiles: [0.9]}\n",
                ["fit", "intervals"],
            ),
            (
                "app: stable\nproblem: {task: fit_many, n: 900}\nfit: {window: 300, step: 300}\n",
                ["windows"],
            ),
            (
                "app: stable\nproblem: {task: fit_many, data: {file: panel.csv, column: x, group_column: name}}\nfit: {window: 20, step: 20}\n",
                ["panel", "windows"],
            ),
            (
                "app: stable\nproblem: {task: regress, data: {file: panel.csv, column: x}}\nregress: {location: 1 + t}\n",
                ["regression"],
            ),
            (
                "app: stable\nproblem: {task: regress, data: {file: panel.csv, column: x, group_column: name}}\nregress: {location: 1 + t}\n",
                ["regression"],
            ),
            (
                "app: stable\nproblem: {task: garch, n: 300}\ngarch: {backtest: {window: 100, step: 100}}\n",
                ["garch"],
            ),
            ("app: stable\nproblem: {task: multivariate, n: 100}\n", ["multivariate"]),
            (
                "app: stable\nproblem: {task: multivariate, n: 100}\nmultivariate: {compute: sample}\n",
                ["multivariate"],
            ),
            (
                "app: stable\nproblem: {task: garch, n: 100}\ngarch: {simulate: {series: 3}}\n",
                ["garch"],
            ),
            (
                "app: stable\nproblem: {task: regress, data: {file: panel.csv, column: x}}\nregress: {location: 1 + t, upper_bound: 2}\n",
                ["regression"],
            ),
            (MAP.replace("repeats: 60", "repeats: 3"), ["map", "box"]),
            (
                "app: stable\nproblem: {task: precision}\nmap: {alpha: [1, 1.5], beta: [0]}\n",
                ["precision"],
            ),
            (
                "app: stable\nproblem: {task: precision, method: paper}\nmap: {alpha: [1, 1.5], beta: [0]}\n",
                ["precision"],
            ),
            (
                "app: stable\nproblem: {task: precision, method: newton}\nmap: {alpha: [1.2, 1.5], beta: [0]}\n",
                ["precision"],
            ),
            (
                "app: stable\nproblem: {task: evaluate, method: paper, laws: [[1.2, -0.3], [0.3, 0.9]], x: [-0.5, 22]}\n"
                "paper: {integrand: 301}\n",
                ["integrand", "density"],
            ),
            (
                "app: stable\nproblem: {task: speed}\nspeed: {laws: map, points: [20], repeats: 1, methods: [contour]}\n"
                "map: {alpha: [0.5, 1.5], beta: [0, 1]}\n",
                ["map"],
            ),
            (
                MAP.replace("repeats: 60", "repeats: 3")
                .replace("n: 200", "n: 60")
                .replace("  beta", "  mu: [0, 1]\n  beta"),
                ["map", "box"],
            ),
        ]
        self.write(
            "panel.csv",
            "name,x,t\n"
            + "".join(f"{'ab'[i % 2]},{float(x)!r},{i}\n" for i, x in enumerate(cauchy(90))),
        )
        for text, kinds in cases:
            self.run_input(text)
            for kind in ["summary", *kinds]:
                with self.subTest(kind):
                    status, message = plot(
                        self.path("input.h5"), "--kind", kind, "-o", self.path("picture.png")
                    )
                    self.assertEqual(status, 0, message)
                    self.assertGreater(os.path.getsize(self.path("picture.png")), 10_000)


if __name__ == "__main__":
    run_cases.main()

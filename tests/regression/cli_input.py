# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What an executable says about its command line and its input: exact messages and exit codes."""

import glob
import os
import re
import subprocess

import run_cases
from cli_support import (
    EXECUTABLE,
    FILES,
    INPUT,
    ROOT,
    SMALL,
    TIMEOUT,
    USAGE,
    CommandLineTest,
    arrays,
    backends,
    environment,
)


class InputErrors(CommandLineTest):
    def assert_rejected(self, old, new, *messages):
        """SMALL with `old` replaced by `new` is refused with these messages, each "LINE:COLUMN:
        text"."""
        self.assertIn(old, SMALL)
        self.write("input.yaml", SMALL.replace(old, new))
        text = "".join(
            "input.yaml:" + message.replace(": ", ": error: ", 1) + "\n" for message in messages
        )
        self.assert_says(INPUT, text, "input.yaml", "--validate")
        self.assert_says(INPUT, text, "input.yaml")
        self.assertEqual(self.files(), ["input.yaml"])

    def test_missing_file(self):
        self.assert_says(
            INPUT,
            "tessera: error: cannot read the input file 'missing.yaml': no such file\n"
            "  remedy: check the path and the working directory\n",
            "missing.yaml",
        )

    def test_folder(self):
        os.mkdir(self.path("folder.yaml"))
        self.assert_says(
            INPUT,
            "tessera: error: cannot read the input file 'folder.yaml': it is a folder\n  remedy: name a YAML file\n",
            "folder.yaml",
        )

    def test_not_yaml(self):
        self.assert_rejected(
            "grid:",
            "grid",
            "5:10: not valid YAML: unexpected ':' (check the indentation and the space after each key's colon; text with "
            "a colon needs quotes)",
        )

    def test_unclosed_list(self):
        self.assert_rejected(
            "[1.0, 1.0, 1.0]\n  threshold",
            "[1.0, 1.0, 1.0\n  threshold",
            "6:12: not valid YAML: a list that began with '[' is not closed by ']'",
        )

    def test_tab(self):
        self.assert_rejected(
            "  threshold",
            "\tthreshold",
            "6:1: a tab in the indentation (YAML is indented with spaces)",
        )

    def test_not_a_text(self):
        self.write("input.yaml", b"\x89HDF\r\n\x1a\n")
        self.assert_says(
            INPUT,
            "input.yaml:1:1: error: byte 0x89 is not UTF-8 (save the file in that encoding)\n",
            "input.yaml",
        )

    def test_not_a_mapping(self):
        self.write("input.yaml", "- gbees\n")
        self.assert_says(
            INPUT,
            "input.yaml:1:1: error: an input is a mapping of keys to values, as in 'app: name' (with a space after the "
            "colon); found a list\n",
            "input.yaml",
        )

    def test_empty(self):
        self.write("input.yaml", "# nothing\n")
        self.assert_says(
            INPUT,
            "input.yaml:1:1: error: the input is empty (--print-defaults writes one to begin with)\n",
            "input.yaml",
        )

    def test_unknown_key(self):
        self.assert_rejected(
            "threshold:",
            "threshhold:",
            "6:3: unknown key 'threshhold' in 'grid' (did you mean 'threshold'?)",
        )

    def test_unknown_key_far_from_any(self):
        self.assert_rejected(
            "  cells: true",
            "  colour: true",
            "16:3: unknown key 'colour' in 'output' (known keys: cells, credible, pairs, oem, vtk)",
        )

    def test_unknown_section(self):
        self.assert_rejected(
            "measurements:\n",
            "measurement:\n",
            "10:1: unknown key 'measurement' at the top level (did you mean 'measurements'?)",
        )

    def test_duplicate_key(self):
        self.assert_rejected(
            "  records: 2\n",
            "  records: 2\n  end: 0.4\n",
            "15:3: duplicate key 'end' (first given at input.yaml:13:3)",
        )

    def test_duplicate_section(self):
        self.assert_rejected(
            "output:\n",
            "time: {end: 3}\noutput:\n",
            "15:1: duplicate key 'time' (first given at input.yaml:12:1)",
        )

    def test_text_for_a_number(self):
        self.assert_rejected(
            "end: 0.2", "end: soon", "13:8: expected a real number for 'time.end', found 'soon'"
        )

    def test_quoted_number(self):
        self.assert_rejected(
            "end: 0.2",
            "end: '0.2'",
            "13:8: expected a real number for 'time.end', found the text \"0.2\" (remove the quotes)",
        )

    def test_real_for_an_integer(self):
        self.assert_rejected(
            "records: 2",
            "records: 2.5",
            "14:12: expected an integer for 'time.records', found '2.5' (it must be a whole number)",
        )

    def test_number_for_a_boolean(self):
        self.assert_rejected(
            "cells: true", "cells: 1", "16:10: expected true or false for 'output.cells', found '1'"
        )

    def test_scalar_for_a_list(self):
        self.assert_rejected(
            "spacing: [1.0, 1.0, 1.0]",
            "spacing: 1.0",
            "5:12: expected a list of real numbers for 'grid.spacing', found '1.0' (write [1])",
        )

    def test_list_of_wrong_length(self):
        self.assert_rejected(
            "spacing: [1.0, 1.0, 1.0]",
            "spacing: [1.0, 1.0]",
            "5:12: 'grid.spacing' has 2 elements, but must have 3",
        )

    def test_scalar_for_a_section(self):
        self.assert_rejected(
            "output:\n  cells: true\n",
            "output: cells\n",
            "15:9: expected a mapping for 'output', found 'cells'",
        )

    def test_out_of_range(self):
        self.assert_rejected(
            "threshold: 1.0e-6",
            "threshold: 2",
            "6:14: 'grid.threshold' is 2, but must be between 0 and 1",
        )
        self.assert_rejected(
            "threshold: 1.0e-6",
            "threshold: -1e-4",
            "6:14: 'grid.threshold' is -1e-4, but must be greater than 0",
        )
        self.assert_rejected(
            "records: 2",
            "records: 0",
            "14:12: 'time.records' is 0, but must be between 1 and 1000000",
        )
        self.assert_rejected(
            "[1.0, 1.0, 1.0]\n  threshold",
            "[1.0, 0.0, 1.0]\n  threshold",
            "5:18: 'grid.spacing[1]' is 0.0, but must be greater than 0",
        )

    def test_no_value(self):
        self.assert_rejected(
            "end: 0.2",
            "end:",
            "13:3: no value given for 'time.end' (write a value or remove the key)",
        )

    def test_missing_key(self):
        self.assert_rejected(
            "  end: 0.2\n",
            "",
            "12:1: missing required key 'end' or 'segments' in 'time' (for example 'end: 1')",
        )

    def test_missing_section(self):
        self.assert_rejected(
            "initial:\n  mean: [-11.5, -10.0, 9.5]\n  standard_deviation: [1.0, 1.0, 1.0]\n",
            "",
            "1:1: missing required key 'mean' in 'initial' (for example 'mean: [0, 0, 0]')",
            "1:1: missing required key 'standard_deviation' or 'covariance' in 'initial' (for example "
            "'standard_deviation: [1, 1, 1]')",
        )

    def test_missing_uncertainty(self):
        self.assert_rejected(
            "  standard_deviation: [1.0, 1.0, 1.0]\n",
            "",
            "7:1: missing required key 'standard_deviation' or 'covariance' in 'initial' (for example "
            "'standard_deviation: [1, 1, 1]')",
        )

    def test_numbers_that_other_programs_read_differently(self):
        self.assert_rejected(
            "records: 2",
            "records: 010",
            "14:12: expected an integer for 'time.records', found '010' (leading zeros are ambiguous; write 10 or 8)",
        )
        self.assert_rejected(
            "records: 2",
            "records: 0x10",
            "14:12: expected an integer for 'time.records', found '0x10' (numbers are decimal; write 16)",
        )
        self.assert_rejected(
            "records: 2",
            "records: 1_000",
            "14:12: expected an integer for 'time.records', found '1_000' (write 1000)",
        )
        self.assert_rejected(
            "end: 0.2",
            "end: 0,2",
            "13:8: expected a real number for 'time.end', found '0,2' (write 0.2)",
        )

    def test_not_finite(self):
        self.assert_rejected(
            "end: 0.2",
            "end: .nan",
            "13:8: expected a real number for 'time.end', found '.nan' (numbers must be finite)",
        )
        self.assert_rejected(
            "end: 0.2",
            "end: .inf",
            "13:8: expected a real number for 'time.end', found '.inf' (numbers must be finite)",
        )
        self.assert_rejected(
            "end: 0.2",
            "end: 1e999",
            "13:8: expected a real number for 'time.end', found '1e999' (beyond the range of double precision)",
        )

    def test_wrong_app(self):
        self.assert_rejected(
            "app: gbees",
            "app: gp",
            "1:6: this input is for 'gp', and this program is tessera-gbees",
        )

    def test_missing_app(self):
        self.assert_rejected(
            "app: gbees\n",
            "",
            "1:1: missing required key 'app' at the top level (for example 'app: gbees')",
        )

    def test_unknown_choice(self):
        self.assert_rejected(
            "lorenz63",
            "lorenz36",
            "3:9: 'model.name' is 'lorenz36', but must be one of "
            "lorenz63, lorenz96, linear, ornstein_uhlenbeck, poincare, pcr3bp, cr3bp, duffing, aizawa, equations (did you mean 'lorenz63'?)",
        )

    def test_covariance(self):
        given = "standard_deviation: [1.0, 1.0, 1.0]"
        self.assert_rejected(
            given,
            "covariance: [[1, 2, 0], [2, 1, 0], [0, 0, 1]]",
            "9:15: the matrix is not positive definite: its leading minor of order 2 is not",
        )
        self.assert_rejected(
            given,
            "covariance: [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]",
            "9:15: the matrix is not symmetric: elements (2, 1) and (1, 2) differ",
        )
        self.assert_rejected(
            given,
            "covariance: [[1, 0], [0, 1]]",
            "9:15: 'initial.covariance' has 2 x 2 elements, but must have 3 x 3",
        )
        self.assert_rejected(
            given,
            given + "\n  covariance: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
            "10:15: give either 'standard_deviation' or 'covariance', not both",
        )

    def test_measurements(self):
        self.assert_rejected(
            "time: 0.1", "time: 0.2", "11:12: a measurement must come before time.end"
        )
        self.assert_rejected(
            "time: 0.1",
            "time: -0.1",
            "11:12: 'measurements[0].time' is -0.1, but must be greater than 0",
        )
        self.assert_rejected(
            "variable: z", "variable: w", "11:27: unknown name 'w' (known: b, r, sigma, t, x, y, z)"
        )
        self.assert_rejected(
            "variance: 4.0",
            "variance: 0",
            "11:52: 'measurements[0].variance' is 0, but must be greater than 0",
        )
        self.assert_rejected(
            "  - {time: 0.1, variable: z, value: 2.0, variance: 4.0}",
            "  - {time: 0.1, variable: z, value: 2.0, variance: 4.0}\n"
            ""
            "  - {time: 0.05, variable: x, value: -9.0, variance: 4.0}",
            "12:12: measurements must be in the order of their times",
        )
        self.assert_rejected(
            "  - {time: 0.1, variable: z, value: 2.0, variance: 4.0}",
            "  time: 0.1",
            "11:3: expected a list for 'measurements', found a mapping (begin each entry with '- ')",
        )

    def test_several_at_once(self):
        self.assert_rejected(
            "  threshold: 1.0e-6\ninitial:\n  mean: [-11.5, -10.0, 9.5]",
            "  threshhold: 1.0e-4\n  spacing: 3\ninitial:\n  mean: [-11.5, .nan, 9.5]",
            "6:3: unknown key 'threshhold' in 'grid' (did you mean 'threshold'?)",
            "7:3: duplicate key 'spacing' (first given at input.yaml:5:3)",
            "9:17: expected a real number for 'initial.mean[1]', found '.nan' (numbers must be finite)",
        )

    def test_missing_backend(self):
        absent = [name for name in ("openmp", "cuda") if name not in backends()]
        for name in absent:
            self.assert_says(
                INPUT,
                f"tessera: error: backend '{name}' is not in this executable, which has: {', '.join(backends())}\n"
                "  remedy: choose one of those, or build with a Kokkos that has it\n",
                "input.yaml",
                "--backend",
                name,
            )
        self.assertEqual(self.files(), ["input.yaml"])

    def test_unknown_backend(self):
        self.assert_says(
            INPUT,
            "command line: error: 'backend' is 'gpu', but must be one of auto, serial, openmp, cuda\n",
            "input.yaml",
            "--backend",
            "gpu",
        )
        self.assert_rejected(
            "app: gbees\n",
            "app: gbees\nbackend: Serial\n",
            "2:10: 'backend' is 'Serial', but must be one of auto, serial, openmp, cuda (did you mean 'serial'?)",
        )

    def test_free_keys(self):
        self.write("input.yaml", SMALL + "comment: anything\nx-lab: {tag: [1, a]}\n")
        self.succeed("input.yaml", "--validate")


class Usage(CommandLineTest):
    def assert_usage(self, message, *arguments):
        self.assert_says(
            USAGE,
            f"tessera-gbees: error: {message}\nRun with --help for more information.\n",
            *arguments,
        )
        self.assertEqual(self.files(), ["input.yaml"])

    def test_no_input(self):
        self.assert_usage("an input file is needed: INPUT.yaml")

    def test_unknown_option(self):
        self.assert_usage(
            "unknown option '--outptu' (did you mean '--output'?)", "input.yaml", "--outptu", "x.h5"
        )
        self.assert_usage("unknown option '-x'", "input.yaml", "-x")

    def test_option_without_its_value(self):
        self.assert_usage("--output: 1 required FILE missing", "input.yaml", "--output")

    def test_unknown_mode(self):
        self.assert_usage(
            "--progress: auto, on or off is needed, not 'maybe'",
            "input.yaml",
            "--progress",
            "maybe",
        )

    def test_seed_that_is_no_number(self):
        for seed in ("-1", "1.5", "x", "18446744073709551616"):
            self.assert_usage(
                f"--seed: a whole number from 0 to 2^64 - 1 is needed, not '{seed}'",
                "input.yaml",
                "--seed",
                seed,
            )

    def test_two_inputs(self):
        self.assert_usage(
            "'other.yaml' is neither an option nor an override of the form key.path=value",
            "input.yaml",
            "other.yaml",
        )

    def test_markdown_alone(self):
        self.assert_usage("--markdown requires --print-defaults", "input.yaml", "--markdown")

    def test_defaults_of_an_input(self):
        self.assert_usage(
            "--print-defaults takes no input file, only overrides", "input.yaml", "--print-defaults"
        )

    def test_unknown_kokkos_option(self):
        outcome = self.call("input.yaml", "--kokkos-nmu-threads=2")
        self.assert_mentions(
            outcome,
            USAGE,
            "tessera: error: Kokkos does not know the option '--kokkos-nmu-threads=2'\n"
            "  remedy: --kokkos-help lists those it knows\n",
        )
        self.assertEqual(self.files(), ["input.yaml"])


class Overrides(CommandLineTest):
    def assert_override(self, status, message, *overrides):
        self.assert_says(status, message, "input.yaml", *overrides)
        self.assertEqual(self.files(), ["input.yaml"])

    def test_malformed(self):
        self.assert_override(
            USAGE,
            "tessera: error: '=3' is not of the form key.path=value\n  remedy: for example run.seed=1\n",
            "=3",
        )
        self.assert_override(
            USAGE,
            "tessera: error: 'grid..threshold=3' is not of the form key.path=value\n  remedy: for example run.seed=1\n",
            "grid..threshold=3",
        )
        self.assert_override(
            USAGE,
            "tessera: error: 'measurements[0.value=3' is not of the form key.path=value\n"
            "  remedy: for example run.seed=1\n",
            "measurements[0.value=3",
        )
        self.assert_override(
            USAGE,
            "tessera: error: 'grid.threshold=' gives no value\n  remedy: write key.path='\"\"' for an empty text\n",
            "grid.threshold=",
        )
        self.assert_override(
            USAGE,
            "tessera: error: 'grid.spacing=[1, 2': not valid YAML: a list that began with '[' is not closed by ']'\n",
            "grid.spacing=[1, 2",
        )

    def test_no_such_entry(self):
        self.assert_override(
            USAGE,
            "tessera: error: 'measurements.1.value=3': there is no entry '1' in a list of 1\n"
            "  remedy: entries are numbered from 0\n",
            "measurements.1.value=3",
        )

    def test_unknown_key(self):
        self.assert_override(
            INPUT,
            "command line: error: unknown key 'treshold' in 'grid' (did you mean 'threshold'?)\n",
            "grid.treshold=1e-3",
        )
        self.assert_override(
            INPUT,
            "command line: error: unknown key 'gird' at the top level (did you mean 'grid'?)\n",
            "gird.threshold=1e-3",
        )

    def test_wrong_value(self):
        self.assert_override(
            INPUT,
            "command line: error: expected an integer for 'time.records', found 'many'\n",
            "time.records=many",
        )
        self.assert_override(
            INPUT,
            "command line: error: 'grid.threshold' is 7, but must be between 0 and 1\n",
            "grid.threshold=7",
        )
        self.assert_override(
            INPUT,
            "command line: error: expected a real number for 'time.end', found '.inf' (numbers must be finite)\n",
            "time.end=.inf",
        )

    def test_values_in_force(self):
        self.succeed(
            "input.yaml",
            "time.end=0.3",
            "time.records=1",
            "measurements.0.value=-3",
            "measurements[0].variance=9",
            "grid.spacing=[1.5, 1, 1]",
            "output.cells=false",
            "--seed",
            "17",
            "-q",
        )
        found = arrays(self.path("input.h5"), ["results", "coordinates", "input"])
        self.assertEqual(list(found["results/time"]), [0, 0.1, 0.1, 0.3])
        self.assertEqual(list(found["coordinates/spacing"]), [1.5, 1, 1])
        self.assertNotIn("results/record_0/x", found)
        self.assertEqual(found["input/yaml"], SMALL.encode())
        resolved = found["input/resolved"].decode()
        for line in (
            "  end: 0.3",
            "  records: 1",
            "  seed: 17",
            "  - time: 0.1",
            "    value: -3",
            "    variance: 9",
        ):
            self.assertIn(line + "\n", resolved)

    def test_the_last_one_counts(self):
        self.succeed("input.yaml", "time.end=0.3", "time.end=0.4", "-q")
        self.assertEqual(arrays(self.path("input.h5"))["results/time"][-1], 0.4)

    def test_resolved_input_gives_the_same_run(self):
        self.succeed("input.yaml", "grid.scheme=reference", "-q")
        self.write("again.yaml", arrays(self.path("input.h5"), ["input"])["input/resolved"])
        self.succeed("again.yaml", "-q")
        self.assert_same_bits("input.h5", "again.h5")


class Information(CommandLineTest):
    def test_standard_output_that_is_full(self):
        for arguments in (["--help"], ["--version"], ["--print-defaults"]):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                run = subprocess.run(
                    [EXECUTABLE, *arguments],
                    cwd=self.folder,
                    stdout=full,
                    stderr=subprocess.PIPE,
                    text=True,
                    check=False,
                )
                self.assertEqual(
                    (run.returncode, run.stderr),
                    (
                        FILES,
                        "tessera: error: cannot write the standard output\n  remedy: check where it goes: the disk may be full\n",
                    ),
                )

    def test_help(self):
        text = self.succeed("--help").out
        self.assertEqual(self.call("-h").out, text)
        for option in (
            "--output",
            "--backend",
            "--restart",
            "--seed",
            "--progress",
            "--validate",
            "--print-defaults",
            "--markdown",
            "--timing",
            "--force",
            "-q,--quiet",
            "-v,--verbose",
            "--version",
            "--help",
            "--kokkos-*",
            "key.path=value",
            "Exit codes: 0 ok, 1 internal error, 2 usage, 3 input, 4 files, 5 numerical failure, 6 device or memory, 128+n",
        ):
            self.assertIn(option, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 140)

    def test_version(self):
        outcome = self.succeed("--version")
        self.assertEqual(outcome.err, "")
        self.assertRegex(
            outcome.out,
            r"^tessera \d+\.\d+\.\d+ \(commit \S+\)\n  build    \w+\n  compiler \w+ [\d.]+\n  flags    .*\n"
            r"  level    \S.*\n"
            r"  Kokkos   \d+\.\d+\.\d+\n$",
        )

    def test_validate(self):
        self.assert_says(0, "tessera: input.yaml: valid\n", "input.yaml", "--validate")
        self.assert_says(0, "", "input.yaml", "--validate", "--quiet")
        self.assertEqual(self.files(), ["input.yaml"])

    def test_defaults_are_an_input(self):
        for overrides in (
            (),
            ("model.name=lorenz96",),
            ("model.name=lorenz96", "model.dimension=5"),
            ("model.name=linear",),
            ("model.name=equations",),
            ("model.name=cr3bp",),
            ("model.name=ornstein_uhlenbeck",),
            ("initial.shape=uniform",),
            ("grid.scheme=reference",),
            ("initial.covariance=[[2, 0, 0], [0, 2, 0], [0, 0, 2]]",),
        ):
            with self.subTest(overrides):
                defaults = self.succeed("--print-defaults", *overrides)
                self.assertEqual(defaults.err, "")
                self.write("defaults.yaml", defaults.out)
                self.succeed("defaults.yaml", "--validate")

    def test_defaults_that_need_a_file(self):
        self.write("defaults.yaml", self.succeed("--print-defaults", "initial.shape=samples").out)
        self.assert_says(
            INPUT,
            "defaults.yaml:57:1: error: missing required key 'file' in 'initial'\n",
            "defaults.yaml",
            "--validate",
        )
        self.assert_says(
            INPUT,
            "command line: error: 'initial.file' is empty, but must name a file\n",
            "defaults.yaml",
            "--validate",
            "initial.file=''",
        )

    def test_defaults_of_wrong_overrides(self):
        self.assert_says(
            INPUT,
            "command line: error: 'model.name' is 'rossler', but must be one of lorenz63, lorenz96, linear, "
            "ornstein_uhlenbeck, poincare, pcr3bp, cr3bp, duffing, aizawa, equations\n",
            "--print-defaults",
            "model.name=rossler",
        )

    def test_markdown(self):
        columns, keys = 0, set()
        for line in self.succeed("--print-defaults", "--markdown").out.splitlines():
            if line.startswith("#"):
                section = line.strip("# `")
            elif line.startswith("| key |"):
                columns = line.count("|")
            elif line.startswith("|"):
                self.assertEqual(len(re.findall(r"(?<!\\)\|", line)), columns, line)
                keys.add((section, line.split("`")[1]) if "`" in line else None)
            else:
                self.assertLessEqual(len(line), 100, line)
        for key in (
            ("Top level", "app"),
            ("Top level", "backend"),
            ("grid", "threshold"),
            ("model", "forcing"),
            ("initial", "low"),
            ("measurements[]", "variance"),
            ("time", "end"),
            ("validate.monte_carlo", "samples"),
            ("run", "memory_limit"),
        ):
            self.assertIn(key, keys)

    def test_markdown_of_one_choice(self):
        page = self.succeed(
            "--print-defaults", "--markdown", "model.name=lorenz96", "initial.shape=uniform"
        ).out
        self.assertIn("| `forcing` |", page)
        self.assertIn("| `low` |", page)
        self.assertNotIn("only with", page)

    def test_every_input_is_valid(self):
        tried = 0
        for path in sorted(
            glob.glob(os.path.join(ROOT, "inputs", "*", "**", "*.yaml"), recursive=True)
        ):
            app = os.path.relpath(path, os.path.join(ROOT, "inputs")).split(os.sep)[0]
            executable = os.path.join(os.path.dirname(EXECUTABLE), f"tessera-{app}")
            if not os.path.exists(executable):
                continue
            with self.subTest(path):
                run = subprocess.run(
                    [executable, path, "--validate"],
                    capture_output=True,
                    text=True,
                    env=environment(),
                    timeout=TIMEOUT,
                    check=False,
                )
                self.assertEqual((run.returncode, run.stderr), (0, f"tessera: {path}: valid\n"))
                tried += 1
        self.assertGreater(tried, 0)


if __name__ == "__main__":
    run_cases.main()

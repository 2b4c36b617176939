# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Fills of tessera-mpr that several processes share: cli_ranks_mpr.py EXECUTABLE LAUNCHER."""

import os
import signal

import h5py
import numpy as np

import run_cases
from cli_support import EXECUTABLE, INPUT, TIMEOUT, USAGE
from ranks_support import RanksTest


class Mpr(RanksTest):
    """Fills of tessera-mpr."""

    def mpr(self, ranks, *arguments, status=0):
        outcome = self.share(ranks, *arguments)
        self.assertEqual(outcome.status, status, outcome.err)
        return outcome.err

    def alone(self, *arguments):
        """What one process without a launcher says."""
        return self.succeed(*arguments).err

    def check(self, numbers, *arguments):
        """Results, and restart files at the end, are those of one process."""
        arguments = [*arguments, "-q", "--backend", "serial", "--force", "run.keep_restart=true"]
        said = self.alone(*arguments, "--output", "alone.h5")
        for ranks in numbers:
            with self.subTest(ranks=ranks, arguments=arguments):
                self.assertEqual(self.mpr(ranks, *arguments, "--output", f"{ranks}.h5"), said)
                self.assert_same_bits("alone.h5", f"{ranks}.h5")
                self.assert_same_attributes("alone.h5", f"{ranks}.h5")
                states = [self.state(f"{name}.restart.h5") for name in ("alone", ranks)]
                self.assertGreater(len(states[0]), 3)
                self.assertEqual(states[0], states[1])

    def assert_same_attributes(self, first, second):
        a, b = (h5py.File(self.path(name)) for name in (first, second))
        with a, b:
            self.assertEqual(sorted(a["results"].attrs), sorted(b["results"].attrs))
            for name, value in a["results"].attrs.items():
                np.testing.assert_array_equal(value, b["results"].attrs[name], name)

    def interrupt(self, ranks, progress, *arguments):
        """Interrupts a run when it tells of its progress; whether it had not ended before."""
        process = self.launch(
            "-n", str(ranks), EXECUTABLE, *arguments, "--output", "part.h5", "--force"
        )
        while progress not in (line := process.stderr.readline()) and line:
            pass
        process.send_signal(signal.SIGUSR2)  # which mpirun passes on
        _, err = process.communicate(timeout=TIMEOUT)
        if process.returncode != 0:
            self.assertEqual(process.returncode, 128 + signal.SIGUSR2, err)
        return process.returncode != 0

    def check_restart(self, ranks, others, progress, works, *arguments):
        """A run that was interrupted on `ranks` and continued on `others` has the bits of one
        process. `works` are settings in order of the work they give: the first with which a run
        lasts until the signal comes."""
        for work in works:
            run = [*arguments, "--backend", "serial", work]
            if self.interrupt(ranks, progress, *run):
                break
        else:
            self.fail(f"a run with {work} ended before it could be interrupted")
        self.alone(*run, "-q", "--output", "alone.h5", "--force")
        for other in others:
            with self.subTest(ranks=other, arguments=run):
                self.mpr(
                    other,
                    *run,
                    "-q",
                    "--output",
                    f"{other}.h5",
                    "--force",
                    "--restart",
                    "part.restart.h5",
                )
                self.assert_same_bits("alone.h5", f"{other}.h5")

    def tiles(self, name):
        """The input of ever larger images: an image or frames, repeated in rows and columns."""
        data = np.load(self.path(f"{name}.npy"))
        for number in (2, 6):
            larger = f"{name}.{number}.npy"
            np.save(self.path(larger), np.tile(data, (1,) * (data.ndim - 2) + (number, number)))
            yield f"input.file={larger}"


class MprStreams(Mpr):
    def setUp(self):
        super().setUp()
        y, x = np.mgrid[0:330, 0:850]  # estimates take windows of it
        rng = np.random.default_rng(1)
        data = (np.sin(0.05 * x) + np.cos(0.07 * y) + 0.2 * rng.standard_normal(x.shape)).astype(
            "f4"
        )
        data[rng.random(x.shape) < 0.3] = np.nan
        data[200:280, 250:420] = np.nan  # across windows
        np.save(self.path("data.npy"), data)

    def test_windows_of_a_stream(self):
        text = (
            "app: mpr\ninput: {file: data.npy}\nmodel: {curvature: 1, couplings: [1, 1]}\n"
            "simulation: {draws: 16}\nstream: {window: 256}\noutput: {netcdf: out.nc, ensemble: 11}\n"
        )
        self.write("stream.yaml", text.replace("curvature: 1", "curvature: 1, calibrate: false"))
        self.check_windows(1, 2, 3, 4)
        self.write("stream.yaml", text)
        self.check_windows(1, 3)

    def check_windows(self, *numbers):
        for ranks in numbers:
            self.mpr(
                ranks,
                "stream.yaml",
                "-q",
                "--backend",
                "serial",
                "--output",
                f"{ranks}.h5",
                "--force",
            )
            with h5py.File(self.path(f"{ranks}.h5")) as file:
                self.assertEqual(file["results/stream"].attrs["windows"], 8)
            os.rename(self.path("out.nc"), self.path(f"{ranks}.nc"))
            if ranks > 1:
                self.assert_same_bits("1.h5", f"{ranks}.h5")
                self.assertEqual(self.read("1.nc"), self.read(f"{ranks}.nc"))
        self.assertEqual([name for name in self.files() if name.endswith(".stream")], [])

    def test_windows_with_fields(self):
        """Errors of samples, a background and a trend; also a restart on another number of
        ranks."""
        rng = np.random.default_rng(2)
        np.save(self.path("errors.npy"), 0.1 + rng.random((330, 850)))
        np.save(self.path("background.npy"), rng.standard_normal((330, 850)))
        np.save(self.path("elevation.npy"), 100 + rng.standard_normal((330, 850)))
        self.write(
            "stream.yaml",
            "app: mpr\ninput: {file: data.npy}\nmodel: {curvature: 1, couplings: [1, 1], temperature: 0.1, calibrate: false, "
            "noise: {file: errors.npy}, background: {file: background.npy}, "
            "trend: {fields: [elevation.npy]}}\n"
            "simulation: {draws: 8}\nstream: {window: 256}\noutput: {netcdf: out.nc, ensemble: 2}\n",
        )
        self.check_windows(1, 3)
        self.check_restart(
            3, (2,), "%  windows", [f"simulation.draws={n}" for n in (16, 64, 512)], "stream.yaml"
        )

    def test_windows_with_a_transform(self):
        self.write(
            "stream.yaml",
            "app: mpr\ninput: {file: data.npy}\nmodel: {curvature: 1, couplings: [1, 1], calibrate: false, "
            "transform: normal_score}\n"
            "simulation: {draws: 8}\nstream: {window: 256}\noutput: {netcdf: out.nc, ensemble: 2}\n",
        )
        self.check_windows(1, 3)

    def test_a_restart_with_other_ranks(self):
        self.write(
            "stream.yaml",
            "app: mpr\ninput: {file: data.npy}\nmodel: {curvature: 1, couplings: [1, 1]}\nstream: {window: 256}\n"
            "output: {ensemble: 3}\n",
        )
        self.check_restart(
            2, (3,), "%  windows", [f"simulation.draws={n}" for n in (16, 64, 512)], "stream.yaml"
        )


class MprFrames(Mpr):
    """Frames, five of which have gaps of different number and size."""

    def setUp(self):
        super().setUp()
        y, x = np.mgrid[0:50, 0:64]
        rng = np.random.default_rng(3)
        narrow, wide = [], []
        for f in range(5):
            data = (
                np.sin(0.1 * x + f)
                + np.cos(0.13 * y - f)
                + 0.1 * (f + 1) * rng.standard_normal(x.shape)
            ).astype("f4")
            narrow.append(np.where(rng.random(x.shape) < 0.2 + 0.05 * f, np.nan, data).astype("f4"))
            wide.append(narrow[-1].copy())
            wide[-1][10 + 3 * f : 25 + 3 * f, 20 : 45 - 4 * f] = np.nan
        wide[1][:] = np.where(np.isnan(wide[1]), 0, wide[1])  # complete
        wide[3][:] = 2
        wide[3][4:9, 4:9] = np.nan
        self.frames = np.array(narrow)
        np.save(self.path("narrow.npy"), self.frames)
        np.save(self.path("wide.npy"), np.array(wide))
        np.save(
            self.path("stacks.npy"),
            np.array(
                [self.frames[:4, :24, :20], self.frames[1:, :24, :20], self.frames[:4, 20:44, :20]]
            ),
        )
        np.save(self.path("elevation.npy"), np.sin(0.01 * x * y).astype("f4"))
        np.save(self.path("cover.npy"), rng.standard_normal(self.frames.shape).astype("f4"))
        self.write("frames.yaml", "app: mpr\ninput: {file: narrow.npy}\n")
        np.save(self.path("image.npy"), wide[2])

    def test_any_number_of_ranks(self):
        """Also more than there are frames."""
        self.check((1, 2, 3, 4, 7), "frames.yaml")

    def test_draws_of_wide_gaps(self):
        self.check(
            (2, 3),
            "frames.yaml",
            "input.file=wide.npy",
            "output.ensemble=5",
            "output.max_gap_distance=4",
        )

    def test_mode_paper(self):
        self.check(
            (3,), "frames.yaml", "model.mode=paper", "simulation.replicas=2", "output.ensemble=3"
        )

    def test_errors_of_samples(self):
        self.check((2,), "frames.yaml", "input.file=wide.npy", "model.noise=0.1")

    def test_trends(self):
        """A field of one image, and one with images for all frames."""
        self.check(
            (2,),
            "frames.yaml",
            "input.file=wide.npy",
            "model.trend={fields: [elevation.npy], polynomial: 1}",
            "output.ensemble=3",
        )
        self.check((3,), "frames.yaml", "input.file=wide.npy", "model.trend={fields: [cover.npy]}")

    def test_stacks(self):
        self.check(
            (2, 3),
            "frames.yaml",
            "input.file=stacks.npy",
            "input.third_axis=coupled",
            "simulation.sampler=sweeps",
        )

    def test_transforms_and_local_temperatures(self):
        self.check(
            (2,),
            "frames.yaml",
            "model.local_temperature=true",
            "model.transform=normal_score",
            "output.quantiles=[0.1]",
        )

    def test_restarts_with_other_ranks(self):
        arguments = ["frames.yaml", "output.ensemble=3"]
        sweeps = [f"simulation.sampling_sweeps={n}" for n in (30000, 240000, 1920000)]
        self.check_restart(2, (3,), "%  sweeps", sweeps, *arguments, "model.mode=paper")
        self.check_restart(
            2, (3,), "%  draws", self.tiles("wide"), *arguments, "simulation.draws=4000"
        )

    def test_draws_of_one_image(self):
        """Five packs of eight."""
        image = ["frames.yaml", "input.file=image.npy", "simulation.draws=40", "output.ensemble=13"]
        self.check((1, 2, 3, 4), *image)
        self.check(
            (3,),
            *image,
            "model.trend={polynomial: 1}",
            "model.noise=0.1",
            "output.max_gap_distance=3",
        )

    def test_a_restart_of_one_image(self):
        self.check_restart(
            3,
            (2,),
            "%  draws",
            self.tiles("image"),
            "frames.yaml",
            "simulation.draws=4000",
            "output.ensemble=30",
        )

    def test_a_single_stack(self):
        """Of five layers: slabs of two and three, and nothing for a third rank."""
        stack = ["frames.yaml", "input.third_axis=coupled"]
        self.check(
            (1, 2, 3),
            *stack,
            "simulation.sampler=sweeps",
            "simulation.replicas=2",
            "output.ensemble=3",
            "output.max_gap_distance=1",
        )
        self.check((2,), *stack, "model.curvature=0")
        self.check((2,), *stack, "simulation.sampler=draws", "simulation.draws=24")

    def test_a_single_stack_in_mode_paper(self):
        # Slabs have two, two, two and four layers, and values so large that a rank which looked at
        # sites of others would find infinite ones (MALLOC_PERTURB_ of environment())
        np.save(self.path("layers.npy"), 1000 * np.concatenate([self.frames, self.frames[::-1]]))
        stack = [
            "frames.yaml",
            "input.file=layers.npy",
            "input.third_axis=coupled",
            "model.mode=paper",
            "output.ensemble=3",
        ]
        self.check((3, 4), *stack, "simulation.replicas=2")
        sweeps = [f"simulation.sampling_sweeps={n}" for n in (3000, 24000, 192000)]
        self.check_restart(2, (3,), "%  sweeps", sweeps, *stack)

    def test_an_empty_frame(self):
        self.frames[4] = np.nan
        np.save(self.path("empty.npy"), self.frames)
        err = self.mpr(3, "frames.yaml", "--backend", "serial", "input.file=empty.npy")
        self.assertEqual(err.count("1 of 5 frames have no sample and stay empty: number 4"), 1, err)

    def test_an_error_on_one_rank(self):
        self.frames[4, 1:] = np.nan  # one row does not tell a slope along y
        np.save(self.path("row.npy"), self.frames)
        err = self.mpr(
            3,
            "frames.yaml",
            "--backend",
            "serial",
            "input.file=row.npy",
            "model.trend={polynomial: 1}",
            status=INPUT,
        )
        self.assertEqual(err.count("of frame 4"), 1, err)

    def test_a_rank_is_killed(self):
        wide = ["input.file=wide.npy", "simulation.draws=4096"]
        self.kill_a_rank(1, 2, "frames.yaml", "--backend", "serial", *wide)
        self.assertNotIn("frames.h5", self.files())


class MprImages(Mpr):
    """The rows of one image with narrow gaps: slabs of 128, 128, 128 and 19."""

    def setUp(self):
        super().setUp()
        y, x = np.mgrid[0:403, 0:150]
        rng = np.random.default_rng(9)
        data = (np.sin(0.05 * x) + np.cos(0.03 * y) + 0.1 * rng.standard_normal(x.shape)).astype(
            "f4"
        )
        data[rng.random(x.shape) < 0.3] = np.nan
        land = np.zeros(x.shape, "u1")
        land[100:140, 50:90] = land[254:259] = 1  # across the ends of slabs
        np.save(self.path("image.npy"), data)
        np.save(self.path("land.npy"), land)
        self.write("image.yaml", "app: mpr\ninput: {file: image.npy}\n")

    def test_mode_paper(self):
        self.check(
            (1, 2, 3, 4, 6),
            "image.yaml",
            "model.mode=paper",
            "simulation.replicas=2",
            "output.ensemble=3",
        )

    def test_mode_default(self):
        self.check(
            (2, 3),
            "image.yaml",
            "input.inactive={file: land.npy}",
            "output.ensemble=2",
            "output.max_gap_distance=1",
        )

    def test_local_temperatures_and_double_precision(self):
        self.check((4,), "image.yaml", "model.local_temperature=true", "model.precision=double")

    def test_columns_that_go_round(self):
        self.check(
            (3,), "image.yaml", "grid.periodic=[x]", "model.curvature=1", "model.couplings=[1, 1]"
        )

    def test_restarts_with_other_ranks(self):
        sweeps = [f"simulation.sampling_sweeps={n}" for n in (4000, 32000, 256000)]
        self.check_restart(
            3, (2, 1), "%  sweeps", sweeps, "image.yaml", "model.mode=paper", "output.ensemble=3"
        )

    def test_a_rank_is_killed(self):
        long = ["model.mode=paper", "simulation.sampling_sweeps=40000"]
        self.kill_a_rank(2, 3, "image.yaml", "--backend", "serial", *long)
        self.assertNotIn("image.h5", self.files())


class MprStudies(Mpr):
    """Tasks of independent cases."""

    def check_results(self, numbers, *arguments):
        arguments = [*arguments, "-q", "--backend", "serial", "--force"]
        said = self.alone(*arguments, "--output", "alone.h5")
        for ranks in numbers:
            with self.subTest(ranks=ranks):
                self.assertEqual(self.mpr(ranks, *arguments, "--output", f"{ranks}.h5"), said)
                for name in ("alone.h5", f"{ranks}.h5"):
                    with h5py.File(self.path(name), "r+") as file:  # wall clocks differ
                        for name_of in ("seconds", "transfer_seconds"):
                            file.get("results/validation", {}).pop(name_of, None)
                self.assert_same_bits("alone.h5", f"{ranks}.h5", least=5)
                self.assert_same_attributes("alone.h5", f"{ranks}.h5")

    def test_validate(self):
        self.write(
            "validate.yaml",
            "app: mpr\ntask: validate\ninput: {synthetic: {size: [32, 32]}}\n"
            "validate: {fraction: [0.2, 0.4], sizes: [32, 40], repeats: 3}\noutput: {ensemble: 4}\n",
        )
        self.check_results((2, 3, 5), "validate.yaml")
        self.check_results((2,), "validate.yaml", "validate.repeats=1", "model.mode=paper")
        self.check_results((3,), "validate.yaml", "validate.precisions=[double,single]")
        err = self.mpr(2, "validate.yaml", "validate={fraction: [0.2]}", status=USAGE)
        self.assertEqual(
            err.count(
                "this run cannot be divided among ranks: one case of task validate works on one device"
            ),
            1,
            err,
        )

    def test_simulate(self):
        self.write(
            "simulate.yaml",
            "app: mpr\ntask: simulate\nmodel: {precision: double}\n"
            "simulate: {size: [40, 48], temperatures: [0.1, 0.5, 1, 2, 5], burn_in_sweeps: 30, sweeps: 150}\n",
        )
        self.check_results((2, 3, 7), "simulate.yaml")
        self.check_results((2,), "simulate.yaml", "simulate.size=[8, 10, 12]")
        err = self.mpr(2, "simulate.yaml", "simulate.temperatures=[1]", status=USAGE)
        self.assertEqual(
            err.count(
                "this run cannot be divided among ranks: one temperature of task simulate works on one device"
            ),
            1,
            err,
        )

    def test_synthesize(self):
        self.write(
            "synthesize.yaml", "app: mpr\ntask: synthesize\ninput: {synthetic: {size: [32, 32]}}\n"
        )
        err = self.mpr(2, "synthesize.yaml", status=USAGE)
        self.assertEqual(
            err.count("this run cannot be divided among ranks: it works on one device"), 1, err
        )


if __name__ == "__main__":
    run_cases.main()

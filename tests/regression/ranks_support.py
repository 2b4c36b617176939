# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What the tests of runs that several processes share have in common. Each is run as SCRIPT
EXECUTABLE LAUNCHER, with mpirun as the launcher. Results have the same bits for any number of
ranks, and whatever happens to one of them, all end."""

import os
import signal
import subprocess
import sys

import h5py
import numpy as np

from cli_support import EXECUTABLE, ROOT, TIMEOUT, CommandLineTest, Outcome, attribute, environment

# The launcher stands behind the executable, which cli_support has taken.
LAUNCHER = sys.argv.pop(1)


def ranks_environment(**more):
    """mpirun as root, in containers, and with more ranks than cores."""
    return dict(
        environment(),
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_rmaps_base_oversubscribe="1",
        OMPI_MCA_hwloc_base_binding_policy="none",
        OMPI_MCA_btl_vader_single_copy_mechanism="none",
        **more,
    )


class RanksTest(CommandLineTest):
    hears_of_resolution = True  # ranks and one process say the same

    def check_input(self, source, *arguments, warning="", least=5, counts=(1, 2, 3)):
        """Any number of ranks finds the same bits in more than `least` datasets, and gives the same
        warning, a regular expression."""
        source = os.path.join(ROOT, "inputs", source)
        for ranks in counts:
            outcome = self.share(
                ranks, source, "-q", "--force", "--output", f"{ranks}.h5", *arguments
            )
            self.assertEqual(outcome.status, 0, outcome.err)
            self.assertRegex(outcome.err, rf"\A{warning}\Z")
            self.assert_same_bits("1.h5", f"{ranks}.h5", ("results",), least)

    def check_restart(self, before, after, *arguments):
        """A run of input.yaml that is interrupted on `before` ranks and goes on with `after` has
        the bits of alone.h5. Leaves nothing to continue."""
        arguments = ["input.yaml", *arguments, "--output", "part.h5", "--force"]
        process = self.launch("-n", str(before), EXECUTABLE, *arguments)
        self.pids(process, before)
        process.send_signal(signal.SIGUSR2)  # which mpirun passes on
        _, err = process.communicate(timeout=TIMEOUT)
        if process.returncode == 0:
            return  # the run was faster
        self.assertEqual(process.returncode, 128 + signal.SIGUSR2, err)
        self.assertEqual(attribute(self.path("part.h5"), "run_status"), "interrupted")
        outcome = self.share(after, *arguments[:-1], "-q", "--restart", "part.restart.h5")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assert_same_bits("alone.h5", "part.h5")
        self.assertNotIn("part.restart.h5", self.files())

    def launch(self, *arguments, **more):
        """A launcher that runs; killed at the end of the test."""
        process = subprocess.Popen(
            [LAUNCHER, *arguments],
            cwd=self.folder,
            env=ranks_environment(**more),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

        def clean_up():
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.communicate()

        self.addCleanup(clean_up)
        return process

    def share(self, ranks, *arguments, **more):
        """What so many ranks do together."""
        process = self.launch("-n", str(ranks), EXECUTABLE, *arguments, **more)
        out, err = process.communicate(timeout=TIMEOUT)
        return Outcome(process.returncode, out, err)

    def kill_a_rank(self, victim, ranks, *arguments):
        """A run on so many ranks, one of which is killed, ends within a minute and fails."""
        process = self.launch("-n", str(ranks), EXECUTABLE, *arguments)
        os.kill(self.pids(process, ranks)[victim], signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)

    def pids(self, process, ranks):
        """The processes of a launcher's ranks, as soon as the run has begun."""
        while "running on" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        found = []
        for entry in os.listdir("/proc"):
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                    fields = file.read()
            except OSError:
                continue
            if (
                fields.partition("(")[2].startswith("tessera-")
                and int(fields.rpartition(")")[2].split()[1]) == process.pid
            ):
                found.append(int(entry))
        self.assertEqual(len(found), ranks)
        return sorted(found)

    def state(self, name):
        """Everything in a restart file but where it comes from."""
        found = {}
        with h5py.File(self.path(name)) as file:

            def visit(path, item):
                found.update(
                    {
                        f"{path}@{key}": np.asarray(value).tolist()
                        for key, value in item.attrs.items()
                    }
                )
                if isinstance(item, h5py.Dataset):
                    values = np.asarray(item[()])
                    found[path] = (
                        values.tolist()
                        if values.dtype == object
                        else (values.shape, values.dtype.str, values.tobytes())
                    )

            visit("state", file["state"])
            file["state"].visititems(visit)
        return found

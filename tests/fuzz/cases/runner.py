# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""How a case runs a program, and what is a good end."""

import collections
import os
import re
import resource
import signal
import subprocess
import tempfile
import threading
import time

APPS = ("gbees", "gp", "mpr", "stable", "bessel", "boys")
DOCUMENTED = frozenset({0, 2, 3, 4, 5, 6})
MEMORY = 4 << 30  # bytes that a process may take
ADDRESS_SPACE = 6 << 30  # its limit, where neither sanitizers nor CUDA reserve more
PATIENCE = 20.0  # s of processor time; six times that by the clock
SUSPECT = re.compile(
    r"internal error|AddressSanitizer|LeakSanitizer|UndefinedBehavior|runtime error:|terminate called|Assertion|"
    r"free\(\)|malloc\(\)|corrupted|Kokkos::abort|std::exception|stack smashing"
)

Outcome = collections.namedtuple("Outcome", "status err out stopped")


class Failure(Exception):
    """A case that did not end as it must: its kind, and what was seen."""

    def __init__(self, kind, text):
        super().__init__(f"{kind}: {text}")
        self.kind = kind


def put(folder, name, content):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(
            content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        )


def usage(pid):
    """Seconds of processor time and bytes of memory that a process has taken."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(
            fields[21]
        ) * resource.getpagesize()
    except (OSError, IndexError, ValueError):
        return 0.0, 0


class Runner:
    """The programs under test, and how their processes are started, watched and judged."""

    def __init__(self, bin_dir, inputs_dir, overrides=()):
        self.bin = os.path.abspath(bin_dir)
        self.inputs = os.path.abspath(inputs_dir)
        self.overrides = list(overrides)
        self.apps = [app for app in APPS if os.access(self.program(app), os.X_OK)]
        if not self.apps:
            raise SystemExit(f"campaign.py: no tessera-* executables in {bin_dir}")
        with open(self.program(self.apps[0]), "rb") as file:
            content = file.read()
        self.sanitized = b"__asan_init" in content
        # The name of a section is there also where symbols are stripped.
        self.cuda = b".nv_fatbin" in content
        self.patience = PATIENCE * (3 if self.sanitized or self.cuda else 1)
        self.runs = 0
        self.statuses = collections.Counter()
        self.lock = threading.Lock()

    def program(self, app):
        return os.path.join(self.bin, f"tessera-{app}")

    def start(
        self, app, arguments, folder, environment=None, address_space=ADDRESS_SPACE, **options
    ):
        with self.lock:
            self.runs += 1
        variables = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "OMP_PROC_BIND": "false",
            "LC_ALL": "C",
            "ASAN_OPTIONS": "detect_leaks=0",
            **(environment or {}),
        }
        options.setdefault("stdin", subprocess.DEVNULL)
        process = subprocess.Popen(
            [self.program(app), *arguments], cwd=folder, env=variables, close_fds=True, **options
        )
        try:
            resource.prlimit(process.pid, resource.RLIMIT_CORE, (0, 0))
            if not self.sanitized and not self.cuda:
                resource.prlimit(process.pid, resource.RLIMIT_AS, (address_space, address_space))
        except (ProcessLookupError, PermissionError):  # it has ended
            pass
        return process

    def run(
        self,
        app,
        arguments,
        folder,
        stop_after=None,
        stop_with=signal.SIGTERM,
        environment=None,
        **options,
    ):
        """One process to its end. After `stop_after` seconds it gets a signal; after its patience
        it is killed, which is a hang."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            options.setdefault("stdout", out)
            options.setdefault("stderr", err)
            process = self.start(app, arguments, folder, environment, **options)
            status, stopped, killed = self.wait(process, stop_after, stop_with)
            texts = []
            for file in (err, out):
                file.seek(0)
                texts.append(file.read(1 << 20).decode("utf-8", "replace"))
        with self.lock:
            self.statuses[status] += 1
        if killed:
            kind, why = killed
            raise Failure(kind, f"{why}: {app} {' '.join(arguments)[:200]} {texts[0][-300:]}")
        return Outcome(status, *texts, stopped)

    def wait(self, process, stop_after, stop_with):
        """Exit status, whether the signal was sent, and why the process was killed, if it was."""
        began = time.monotonic()
        stopped, killed = False, None
        while True:
            pid, status, _ = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode, stopped, killed
            age = time.monotonic() - began
            worked, resident = usage(process.pid)
            if stop_after is not None and not stopped and age >= stop_after:
                # send_signal would look for its end, too, and take its exit status
                os.kill(process.pid, stop_with)
                stopped = True
            if worked > self.patience + (stop_after or 0) or age > 6 * self.patience:
                killed = (
                    "hang",
                    f"no end within {worked:.0f} s of processor time, {age:.0f} s by the clock",
                )
            elif resident > MEMORY and not self.sanitized:
                killed = "memory", "more than 4 GiB"
            if killed:
                process.kill()
            time.sleep(0.002 if age < 0.1 else 0.02)

    @staticmethod
    def judge(outcome, folder, allowed=DOCUMENTED):
        """Raises Failure unless a process ended as it may."""
        found = SUSPECT.search(outcome.err) or SUSPECT.search(outcome.out)
        if found:
            kind = (
                "sanitizer"
                if "anitizer" in found[0] or found[0] == "runtime error:"
                else "internal"
            )
            raise Failure(
                kind,
                f"status {outcome.status}: {outcome.err[max(0, found.start() - 100):found.start() + 700].strip()}",
            )
        if outcome.stopped and outcome.status in (-signal.SIGTERM, 128 + signal.SIGTERM):
            return  # by itself: before the run or after it, where nothing can be lost
        if outcome.status < 0:
            raise Failure(
                "signal", f"killed by signal {-outcome.status}: {outcome.err[-600:].strip()}"
            )
        if outcome.status not in allowed:
            raise Failure("code", f"exit code {outcome.status}: {outcome.err[-600:].strip()}")
        litter = [name for name in os.listdir(folder) if re.search(r"\.[a-z2-7]{13}\.tmp$", name)]
        if litter:
            raise Failure("litter", f"left {litter}")

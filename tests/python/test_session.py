# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Backends, errors, threads, processes, signals."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import tessera as ts


def python(script, **options):
    return subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )


def test_import_starts_nothing():
    """No GPU is needed to import the package and to ask what there is; what a program does not use
    is not loaded."""
    run = python(
        "import sys\n"
        "import tessera as ts\n"
        "assert 'tessera._tessera' not in sys.modules\n"
        "print(ts.backends())\n"
        "assert 'h5py' not in sys.modules and 'matplotlib' not in sys.modules\n",
        env=dict(os.environ, CUDA_VISIBLE_DEVICES=""),
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == f"{ts.backends()}\n"


def test_backends():
    assert set(ts.backends()) <= {"cuda", "openmp", "serial"}
    assert ts.use() == "auto"
    try:
        for name in ts.backends():
            assert ts.use(name) == name
        with pytest.raises(ts.InputError, match="unknown backend 'quantum'"):
            ts.use("quantum")
        assert ts.use() == ts.backends()[-1]
    finally:
        ts.use("auto")
    with pytest.raises(ts.InputError):
        ts.bessel.k(0.5, 1.0, backend="quantum")


@pytest.mark.parametrize("missing", sorted({"cuda", "openmp", "serial"} - set(ts.backends())))
def test_missing_backend(missing):
    with pytest.raises(
        ts.InputError,
        match=f"backend '{missing}' is not in this executable, which has: .*\n.*choose one of those",
    ):
        ts.bessel.k(0.5, 1.0, backend=missing)


def test_device(backend):
    assert ts.device(backend)


def test_kinds_of_errors():
    for name, base in {
        "InputError": ValueError,
        "UsageError": ValueError,
        "FileError": OSError,
        "NumericalError": ArithmeticError,
        "ResourceError": MemoryError,
        "InternalError": RuntimeError,
    }.items():
        kind = getattr(ts, name)
        assert issubclass(kind, ts.Error) and issubclass(kind, base)
        assert kind.__module__ == "tessera" and kind.__doc__
    assert "InputError" in dir(ts) and "bessel" in dir(ts)
    with pytest.raises(AttributeError):
        ts.no_such_thing


def test_threads(backend):
    """Calls of several threads at once give what they give alone."""
    x = np.linspace(0.1, 20, 20000)
    expected = [ts.bessel.kve(0.1 * i, x, backend=backend) for i in range(8)]
    found = [None] * 8

    def work(i):
        for _ in range(5):
            found[i] = ts.bessel.kve(0.1 * i, x, backend=backend)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(found, expected)


def test_lock_of_the_interpreter_is_free():
    """Another thread goes on while a call computes."""
    x = np.linspace(0.1, 20, 2_000_000)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.002)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    ts.bessel.dlog_k_dnu(0.4, x)
    end = time.monotonic()
    done.set()
    thread.join()
    assert sum(begin < t < end for t in ticks) >= 3, (end - begin, len(ticks))


def in_child(queue, backend):
    try:
        queue.put(ts.bessel.kve(0.3, 2.0, backend=backend))
    except ts.Error as error:
        queue.put(error)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(backend, method):
    """A forked child computes with Serial; where that cannot work, it says so and does not hang. A
    spawned one computes anyhow."""
    expected = ts.bessel.kve(0.3, 2.0, backend=backend)
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=in_child, args=(queue, backend))
    child.start()
    found = queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    if isinstance(found, ts.Error):
        assert (
            method == "fork"
            and backend != "serial"
            and "forked" in str(found)
            and isinstance(found, ts.ResourceError)
        )
    else:
        assert found == expected


LONG_CALLS = (
    "ts.bessel.dlog_k_dnu(0.4, x, out=x",
    "ts.bessel.matern(0.7, x, out=x",
    "ts.boys.boys(8, x",
    "ts.stable.fit(x[:3_000_000]",
    "ts.stable.fit(x.reshape(-1, 100)",
    "ts.stable.logpdf(x, 1.5, 0.3, out=x",
    "ts.stable.cdf(x, np.full_like(x, 1.5), 0.3",
    "ts.stable.ppf(np.full(1 << 20, 0.3), 0.3, 0.0",
    "ts.stable.rvs(1.5, 0.0, size=x.size",
    "ts.mpr.fill(np.where(np.arange(1 << 20) % 3, x[:1 << 20], np.nan).reshape(1024, 1024)",
)


@pytest.mark.parametrize("call", LONG_CALLS)
def test_interrupt(backend, call):
    """Ctrl-C ends a long call between its parts with KeyboardInterrupt; the interpreter goes on,
    and computes on."""
    script = f"""
import sys
import numpy as np
import tessera as ts
x = np.linspace(0.1, 20, 100 << 18)
ts.bessel.k(0.5, 1.0, backend={backend!r})
print("ready", flush=True)
try:
    while True:
        {call}, backend={backend!r})
except KeyboardInterrupt:
    print("interrupted", ts.bessel.k(0.5, 1.0, backend={backend!r}) > 0, flush=True)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert out == "interrupted True\n", err


def test_progress_is_chosen():
    assert ts.progress() == "auto"
    try:
        assert ts.progress(True) is True and ts.progress() is True
        assert ts.progress(False) is False
        with pytest.raises(ts.InputError, match="unknown choice 'loud'"):
            ts.progress("loud")
    finally:
        assert ts.progress("auto") == "auto"


def long_call(shown, host, **options):
    """What a call of more than two seconds writes to stderr; x grows until one takes so long."""
    return python(
        f"""
import time
import numpy as np
import tessera as ts
ts.progress({shown!r})
n, took = 1 << 21, 0
while took < 2.7:
    x = np.linspace(0.1, 20, n)
    begin = time.monotonic()
    ts.bessel.dlog_k_dnu(0.4, x, out=x, backend={host!r})
    took, n = time.monotonic() - begin, int(n * min(8, max(1.2, 3.2 / max(time.monotonic() - begin, 0.01))))
print(x.size)
""",
        **options,
    )


def test_long_calls_show_progress(host):
    """A line per tenth behind the first two seconds, to the end; nothing of shorter calls, nor
    where stderr is no terminal."""
    run = long_call(True, host)
    assert run.returncode == 0, run.stderr
    lines = run.stderr.splitlines()
    assert lines and all(line.startswith("tessera: ") for line in lines)
    # Lines come from every call: calls before the last may take two seconds too.
    totals = [line.split(" of ")[1].split()[0] for line in lines]
    assert all(totals.count(total) <= 8 for total in totals)
    assert (
        f"tessera: 100 %  values {int(run.stdout):.6g} of " in lines[-1]
        and " values/s  in " in lines[-1]
    )
    assert long_call(False, host).stderr == ""


def test_progress_on_a_terminal(host):
    """On a terminal long work shows its progress unless it is told not to, runs too."""
    pty = pytest.importorskip("pty")
    terminal, screen = pty.openpty()
    script = f"""
import tessera as ts
x = {{"app": "mpr", "task": "simulate", "simulate": {{"size": [512, 512], "sweeps": 100_000}}}}
ts.run(x, backend={host!r})
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stderr=screen, env=dict(os.environ, TERM="xterm")
    )
    os.close(screen)
    shown = b""
    while b"left" not in shown:
        shown += os.read(terminal, 4096)
    process.send_signal(signal.SIGINT)
    while True:
        try:
            if not (more := os.read(terminal, 4096)):
                break
            shown += more
        except OSError:  # the other end is closed
            break
    process.wait(60)
    os.close(terminal)
    assert b"tessera: " in shown and b"sweeps" in shown and b"KeyboardInterrupt" in shown
    assert b"running on" not in shown


def test_end_of_the_interpreter(backend):
    """Tables that live in the library do not outlast Kokkos, and a call while the interpreter ends
    does not crash it."""
    run = python(
        f"import atexit\n"
        f"import tessera as ts\n"
        f"def late():\n"
        f"    try:\n"
        f"        ts.bessel.k(0.5, 1.0)\n"
        f"    except ts.ResourceError as error:\n"
        f"        print(error)\n"
        f"atexit.register(late)\n"
        f"ts.bessel.matern(0.7, [0.1, 0.2], backend={backend!r})\n"
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == "the interpreter is ending: nothing can be computed any more\n"

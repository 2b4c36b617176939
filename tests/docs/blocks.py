# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Runs the code blocks of pages in order, each page in a folder of its own that has a link to
inputs/ and the programs on its PATH:

    ```console                      lines that begin with "$ " are commands, which must succeed
    ```{code-block} yaml            with :caption: NAME, is written to the file NAME
    ```python                       runs, with the names of the blocks before it
    ```text                         after a block of Python, is what that prints

Other blocks are not run.

usage: blocks.py SOURCES PROGRAMS PYTHONPATH PAGE...; exit status 77 where h5py is missing
"""

import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sources, programs = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
sys.path.insert(0, sys.argv[3])
FENCE = re.compile(r"^```(\S.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_console(text, environment):
    for line in text.splitlines():
        if not line.startswith("$ "):
            continue
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line[2:]],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        if done.returncode != 0:
            raise AssertionError(f"{line}\nexit status {done.returncode}\n{done.stderr}")


def run_page(page, environment):
    """Runs the blocks; returns how many."""
    names, printed, count = {}, None, 0
    for kind, text in FENCE.findall(page.read_text(encoding="utf-8")):
        caption = re.match(r":caption: (\S+)\n\n", text)
        if kind == "text" and printed is not None:
            if text != printed:
                raise AssertionError(f"printed is\n{printed}instead of\n{text}")
        elif kind == "console":
            run_console(text, environment)
        elif kind.startswith("{code-block}") and caption:
            pathlib.Path(caption[1]).write_text(text[caption.end() :], encoding="utf-8")
        elif kind == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(text, page.name, "exec"), names)
        else:
            continue
        printed = output.getvalue() if kind == "python" else None
        count += 1
    return count


def main():
    try:
        import h5py  # noqa: F401
    except ImportError:
        print("no h5py")
        return 77
    tools = [programs, sources / "apps/plot", sources / "apps/table"]
    environment = {
        **os.environ,
        "PATH": ":".join([*map(os.fspath, tools), os.environ["PATH"]]),
        "TESSERA_PYTHON": sys.executable,
    }
    failed = False
    for name in sys.argv[4:]:
        page = pathlib.Path(name).resolve()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            os.symlink(sources / "inputs", "inputs")
            try:
                print(f"{page.relative_to(sources)}: {run_page(page, environment)} blocks run")
            except Exception as error:
                failed = True
                print(f"{page.relative_to(sources)}: {type(error).__name__}: {error}")
            os.chdir("/")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

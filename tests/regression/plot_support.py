# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-plot without the seconds that a Python takes to start and to load matplotlib."""

import importlib
import io
import os
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def load():
    """The program as a module; an ImportError where there is no matplotlib."""
    sys.dont_write_bytecode = True
    package = os.path.join(ROOT, "apps", "python")
    if package not in sys.path:
        sys.path.insert(0, package)
    return importlib.import_module("tessera.plot.__main__")


def plot(*arguments, folder=None):
    """Runs tessera-plot in a copy of this process; its exit status and what it wrote to stderr."""
    program = load()
    with tempfile.TemporaryFile() as messages, open(os.devnull, "wb") as nothing:
        child = os.fork()
        if child == 0:
            status = 99
            try:
                os.dup2(messages.fileno(), 2)
                os.dup2(nothing.fileno(), 1)
                sys.stderr = io.TextIOWrapper(os.fdopen(2, "wb", closefd=False), write_through=True)
                sys.argv = ["tessera-plot", *arguments]
                if folder:
                    os.chdir(folder)
                status = program.main()
            except SystemExit as end:
                status = end.code
            except BaseException:
                sys.excepthook(*sys.exc_info())
            sys.stderr.flush()
            os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        messages.seek(0)
        return status, messages.read().decode()

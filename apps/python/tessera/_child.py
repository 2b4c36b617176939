# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""A program's work in a process of its own, since a damaged results file can make the HDF5 library
crash, or go on without end."""

import os
import signal
import sys

CRASHES = (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT, -signal.SIGFPE, -signal.SIGALRM)


def run_in_child(program, files, work):
    """The exit status of work() in a child of this process: 3, with a message, where it crashes.

    files: names of the results files that it reads, for the message.
    """
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os._exit(work())
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _frame: os.kill(child, received))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status in CRASHES:
        subject = f"{files[0]} is" if len(files) == 1 else f"one of {', '.join(files)} is"
        print(
            f"{program}: error: {subject} damaged in a way that the HDF5 library does not survive",
            file=sys.stderr,
        )
        return 3
    return 128 - status if status < 0 else status

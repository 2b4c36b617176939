# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong in Tessera: one base class, and the built-in exceptions that Python's users
expect. The compiled library raises these."""

import errno


class Error(Exception):
    """What goes wrong in Tessera: what, where, and what to do about it."""


class InternalError(Error, RuntimeError):
    """A fault of Tessera itself."""


class UsageError(Error, ValueError):
    """A call that does not go together, such as an output that would replace the input."""


class InputError(Error, ValueError):
    """Wrong values, shapes or parameters; for an input file a line for each, with its place."""


class ArgumentTypeError(InputError, TypeError):
    """An argument of a type that has no use there."""


class FileError(Error, OSError):
    """A file that cannot be read or written."""


class MissingFileError(InputError, FileError, FileNotFoundError):
    """A file or folder that is not there: an input, a data file that an input names, a results
    file, or where an output is to go."""

    errno = errno.ENOENT


class NumericalError(Error, ArithmeticError):
    """Values that are not finite, no convergence, or a limit of the method."""


class ResourceError(Error, MemoryError):
    """Memory or a device that is not there."""


for _class in (
    Error,
    InternalError,
    UsageError,
    InputError,
    ArgumentTypeError,
    FileError,
    MissingFileError,
    NumericalError,
    ResourceError,
):
    _class.__module__ = "tessera"

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Tessera: computations on grids, with random fields and with special functions, on GPUs and CPUs.

    import tessera as ts

    ts.bessel.kve(0.5, x)                # K_nu(x), Matern correlations
    ts.boys.boys(8, x)                   # Boys functions
    ts.stable.logpdf(x, 1.5, 0.5)        # stable distributions: densities, quantiles, random
                                         numbers, fits
    ts.mpr.fill(z).filled                # gaps of images and stacks, with uncertainty; also of
                                         xarray
    ts.gp.fit(xy, z).predict(targets)    # Gaussian processes; ts.kriging, ts.sklearn, ts.gstools
    ts.torch.matern(h, nu)               # with gradients, also in nu; ts.jax
    ts.orbit.read("message.oem")         # orbits: CCSDS messages, frames, time systems
    ts.run("input.yaml", seed=1)         # any input, as its program runs it; ts.gbees.run(...)
    ts.open("gbees-quickstart.h5")       # results as arrays with units, and .plot()

Arguments are numbers, NumPy arrays or what becomes one, and arrays on a GPU; results lie where they
do. Everything runs on the backend that is chosen by use(), or by the argument backend of a call:
"cuda", "openmp", "serial", or "auto", the fastest there is. Nothing starts before the first call
that computes.

What goes wrong raises an Error: InputError (a ValueError; ArgumentTypeError is a TypeError too),
FileError (an OSError), MissingFileError (a FileNotFoundError, and both of these), NumericalError
(an ArithmeticError), ResourceError (a MemoryError), UsageError (a ValueError) or InternalError (a
RuntimeError); results.ResultsError is an InputError. Nothing of them is written to stderr. What is
not resolved, not converged or out of range raises a TesseraWarning (a UserWarning).
"""

import importlib

from . import _level

__path__ += _level.folders(__path__[0])

__all__ = [
    "backends",
    "bessel",
    "boys",
    "device",
    "gbees",
    "gp",
    "kriging",
    "mpr",
    "open",
    "orbit",
    "plot",
    "progress",
    "results",
    "run",
    "runs",
    "stable",
    "use",
]

_MODULES = (
    "bessel",
    "boys",
    "gbees",
    "gp",
    "gstools",
    "jax",
    "kriging",
    "mpr",
    "orbit",
    "plot",
    "results",
    "runs",
    "sklearn",
    "stable",
    "torch",
    "xarray",
)
_EXCEPTIONS = (
    "ArgumentTypeError",
    "Error",
    "FileError",
    "InputError",
    "InternalError",
    "MissingFileError",
    "NumericalError",
    "ResourceError",
    "UsageError",
)


def __getattr__(name):
    # Modules are loaded when they are used: pictures need no compiled library, and special
    # functions no h5py.
    if name in _MODULES:
        return importlib.import_module("." + name, __name__)
    if name == "TesseraWarning":
        return importlib.import_module("._warnings", __name__).TesseraWarning
    if name in _EXCEPTIONS:
        return getattr(importlib.import_module("._errors", __name__), name)
    if name == "__version__":
        return importlib.import_module("._tessera", __name__).version().split()[1]
    if name == "DeviceArray":
        return importlib.import_module("._tessera", __name__).DeviceArray
    raise AttributeError(f"module 'tessera' has no attribute '{name}'")


def __dir__():
    return sorted(
        [*globals(), *_MODULES, *_EXCEPTIONS, "DeviceArray", "TesseraWarning", "__version__"]
    )


def backends():
    """The backends that this build has, fastest first, as in ['cuda', 'openmp', 'serial']."""
    from . import _tessera

    return _tessera.backends()


def use(backend=None):
    """Chooses the backend of every call that names none, and returns its name.

    backend: "cuda", "openmp", "serial", or "auto": CUDA where there is a GPU, else OpenMP, else
    Serial. None changes nothing. Raises InputError for one that this build does not have.
    """
    from . import _tessera

    if backend is not None:
        _tessera.use(backend)
    return _tessera.used()


def progress(shown=None):
    """Chooses whether work of more than two seconds shows on stderr how far it has come, and
    returns what is chosen.

    shown: "auto", as it is at first: where stderr is a terminal; True or False. None changes
    nothing. Holds for all calls, also for runs that say nothing of it. Work that cannot tell how
    far it has come, such as the fit of one sample, shows nothing.
    """
    from . import _tessera

    if shown is not None:
        if shown not in (True, False, "auto"):
            raise _tessera.InputError(
                f"unknown choice {shown!r} of progress\n  remedy: choose 'auto', True or False"
            )
        _tessera.show_progress(None if shown == "auto" else bool(shown))
    chosen = _tessera.progress()
    return "auto" if chosen is None else chosen


def open(path):
    """Opens a results file (tessera.results.Results): its datasets are attributes, arrays with
    units. Needs h5py, and no compiled library."""
    from . import results

    return results.load(path)


def run(input, /, **options):
    """Runs an input, a file or a dict, as the program of its app does, and returns its results.
    Options: tessera.runs.run()."""
    from . import runs

    return runs.run(input, **options)


def device(backend=None):
    """The name of the processor that a backend runs on, with the number of threads of a CPU. Starts
    the backend."""
    from . import _tessera

    return _tessera.device(backend)

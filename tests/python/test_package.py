# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The package as a user reads it: documentation, types, snippets."""

import ast
import importlib
import inspect
import pathlib
import re
import subprocess
import sys

import pytest

import tessera as ts

PACKAGE = pathlib.Path(ts.__file__).parent
MODULES = (
    "bessel",
    "boys",
    "gbees",
    "gp",
    "gstools",
    "jax",
    "jax.numpyro",
    "jax.stable",
    "kriging",
    "mpr",
    "results",
    "runs",
    "sklearn",
    "stable",
    "torch",
    "torch.distributions",
    "torch.gpytorch",
    "torch.stable",
)
OF_OTHERS = (
    "gpytorch",
    "gstools",
    "jax",
    "numpyro",
    "sklearn",
    "torch",
)  # which modules are named after


def module_of(name):
    for part in name.split("."):
        if part in OF_OTHERS:
            pytest.importorskip(part)
    if name == "kriging":
        pytest.importorskip("scipy")
    return ts if name == "__init__" else importlib.import_module("tessera." + name)


@pytest.mark.parametrize("name", ["__init__", *MODULES])
def test_stubs_are_those_of_the_modules(name):
    """Every function and class that a stub declares exists, with the same parameters and defaults,
    and none is forgotten."""
    module = module_of(name)
    path = PACKAGE / name.replace(".", "/")
    path = path / "__init__" if path.is_dir() else path
    tree = ast.parse(path.with_suffix(".pyi").read_text())
    declared = {
        node.name: node
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")
    }
    names = {
        node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)
    } | declared.keys()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and not node.module:
            names |= {alias.asname for alias in node.names if alias.asname}
    if name != "__init__":
        assert names == set(module.__all__)
    for function, node in declared.items():
        if isinstance(node, ast.ClassDef):
            owner = getattr(module, function)
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    assert hasattr(owner, member.name), f"{function}.{member.name}"
            continue
        ours = inspect.signature(getattr(module, function))
        theirs = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        assert theirs == [
            p.name for p in ours.parameters.values() if p.kind is not p.VAR_KEYWORD
        ], function
        defaults = [
            ast.literal_eval(d)
            for d in (*node.args.defaults, *node.args.kw_defaults)
            if d is not None
        ]
        assert defaults == [
            p.default for p in ours.parameters.values() if p.default is not p.empty
        ], function


@pytest.mark.parametrize(
    "module, missing, remedy",
    [
        ("kriging", "scipy", "SciPy.*apt-get install python3-scipy, or pip install scipy"),
        ("plot", "matplotlib", "matplotlib.*python3-matplotlib, or pip install matplotlib"),
        ("sklearn", "sklearn", "scikit-learn.*python3-sklearn, or pip install scikit-learn"),
        ("xarray", "xarray", "xarray.*python3-xarray, or pip install xarray"),
    ],
)
def test_what_is_missing_is_named(module, missing, remedy):
    """With the command that installs it."""
    code = f"import sys; sys.modules[{missing!r}] = None\nimport tessera.{module}"
    run = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1 and re.search(
        f"ImportError: tessera.{module} needs {remedy}", run.stderr, re.DOTALL
    )


def test_it_is_typed():
    assert (PACKAGE / "py.typed").exists()


@pytest.mark.parametrize("name", MODULES)
def test_everything_is_documented(name):
    module = module_of(name)
    assert module.__doc__
    for item in module.__all__:
        assert inspect.getdoc(getattr(module, item)), item
    for item in ts.__all__:
        assert inspect.getdoc(getattr(ts, item)), item


def test_version():
    from tessera import _tessera

    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", ts.__version__)
    assert _tessera.version().startswith(f"tessera {ts.__version__} ") and "__version__" in dir(ts)

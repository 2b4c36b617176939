# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What the tests of the Python package share. They find the package on PYTHONPATH, and write what
they came to where the environment variable TESSERA_CASES says, in the form of GoogleTest's
GTEST_OUTPUT."""

import os
import pathlib

import pytest

import tessera as ts


@pytest.fixture(params=ts.backends())
def backend(request):
    """Every backend of the build; CUDA where there is a GPU."""
    try:
        ts.device(request.param)
    except ts.ResourceError as error:
        pytest.skip(str(error))
    return request.param


@pytest.fixture(scope="session")
def host():
    """A backend of the build that works on a CPU."""
    backends = [backend for backend in ts.backends() if backend != "cuda"]
    if not backends:
        pytest.skip("this build has no backend for a CPU")
    return backends[-1]


@pytest.fixture(scope="session")
def optimizer():
    """For tests that maximise a likelihood: NLopt, which a build may lack."""
    try:
        ts.run({"app": "gp", "data": {"file": "nothing.csv"}, "fit": {}})
    except ts.Error as error:
        if "no NLopt" in str(error):
            pytest.skip(str(error))


@pytest.fixture(scope="session")
def root():
    return pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def programs():
    """The folder of the executables."""
    return pathlib.Path(os.environ["TESSERA_PROGRAMS"])


def pytest_sessionfinish(session):
    report = os.environ.get("TESSERA_CASES")
    if not report:
        return
    results = session.config.pluginmanager.get_plugin("terminalreporter").stats
    count = {
        kind: len(results.get(kind, []))
        for kind in ("passed", "failed", "error", "skipped", "xfailed", "xpassed")
    }
    failures = count["failed"] + count["error"]
    os.makedirs(os.path.dirname(report), exist_ok=True)
    with open(report, "w", encoding="utf-8") as file:
        file.write(
            f'<testsuites tests="{count["passed"] + failures + count["skipped"]}" failures="{failures}">\n'
            f'<testsuite skipped="{count["skipped"]}"/>\n</testsuites>\n'
        )

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Runs the test cases of a script, and writes what they came to where the environment variable
TESSERA_CASES says, in the form of GoogleTest's GTEST_OUTPUT."""

import os
import sys
import unittest


def main():
    result = unittest.main(module="__main__", exit=False).result
    report = os.environ.get("TESSERA_CASES")
    if report:
        # subtests count as their test
        failed = {
            getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors
        }
        failures = len(failed) + len(result.unexpectedSuccesses)
        tests = max(result.testsRun, failures + len(result.skipped))
        os.makedirs(os.path.dirname(report), exist_ok=True)
        with open(report, "w", encoding="utf-8") as file:
            file.write(
                f'<testsuites tests="{tests}" failures="{failures}">\n'
                f'<testsuite skipped="{len(result.skipped)}"/>\n</testsuites>\n'
            )
    sys.exit(0 if result.wasSuccessful() else 1)

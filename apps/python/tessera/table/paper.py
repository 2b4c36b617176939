# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that a paper prints, from a file of `papers`: a line of citation, then a row for each
number with its table here, its row, its column, the number as it is printed, and where it stands in
the paper."""

import csv
import pathlib

FOLDER = pathlib.Path(__file__).parent / "papers"


class Paper:
    """One paper's numbers."""

    def __init__(self, name):
        with open(FOLDER / f"{name}.csv", encoding="utf-8", newline="") as file:
            self.citation = file.readline().lstrip("# ").strip()
            self.numbers = list(csv.DictReader(file))

    def of(self, table):
        """The numbers of one table."""
        return Printed([number for number in self.numbers if number["table"] == table])


class Printed:
    """The numbers of one table, as they are printed."""

    def __init__(self, numbers):
        self._values = {(number["row"], number["column"]): number["value"] for number in numbers}
        self.sources = sorted({number["source"] for number in numbers})

    def __call__(self, row, column):
        """The number in that place, or None where the paper has none."""
        return self._values.get((row, column))

    @property
    def rows(self):
        return list(dict.fromkeys(row for row, _ in self._values))

    @property
    def columns(self):
        return list(dict.fromkeys(column for _, column in self._values))

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""A table and its forms: text, Markdown, CSV. Numbers of the paper are texts, as they are printed;
ours are numbers."""

import csv
import io
import textwrap

WIDTH = 100


class Table:
    """Columns with their headings, rows of cells (text, a number, or None), and notes below."""

    def __init__(self, columns, rows, notes=()):
        self.title = ""
        self.columns, self.rows, self.notes = (
            list(columns),
            [list(row) for row in rows],
            list(notes),
        )

    def text(self):
        cells = [self.columns, *([short(cell) for cell in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines = [
            "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths))
            ).rstrip()
            for row in cells
        ]
        lines.insert(1, "-" * max(map(len, lines)))
        notes = [textwrap.fill(note, WIDTH, break_on_hyphens=False) for note in self.notes]
        return "\n".join([self.title, "", *lines, *([""] if notes else []), *notes]) + "\n"

    def markdown(self):
        def line(cells):
            return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"

        lines = [
            line(self.columns),
            "|" + "---|" * len(self.columns),
            *(line([short(cell) for cell in row]) for row in self.rows),
        ]
        notes = [
            textwrap.fill(
                note, WIDTH, initial_indent="* ", subsequent_indent="  ", break_on_hyphens=False
            )
            for note in self.notes
        ]
        return "\n".join([self.title, "", *lines, *([""] if notes else []), *notes]) + "\n"

    def csv(self):
        """Numbers in full; title and notes are lines of comments."""
        page = io.StringIO()
        page.write(f"# {self.title}\n")
        writer = csv.writer(page, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([["" if cell is None else cell for cell in row] for row in self.rows])
        page.writelines(f"# {note}\n" for note in self.notes)
        return page.getvalue()


def short(cell):
    """A cell for a reader: four digits of a number, whole numbers whole."""
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return str(cell)
    return f"{cell:#.4g}".rstrip(".") if cell else "0"


FORMATS = {"text": Table.text, "markdown": Table.markdown, "csv": Table.csv}

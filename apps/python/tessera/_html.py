# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Tables that notebooks show: what the `_repr_html_` of results, fits and fills are made of. Plain
HTML, whose texts are escaped, without scripts and styles."""

import html

MOST_ROWS = 40  # of a table; the notes say how many more there are
MOST_REPLICATES = 6  # side by side


def _cells(tag, texts):
    return "".join(f"<{tag}>{html.escape(str(text))}</{tag}>" for text in texts)


def table(caption, columns, rows, notes=()):
    """A table of texts. columns: their headings; a column in which no row has a text is left out.
    rows: as many texts each, of which the first names the row. notes: lines below it."""
    rows = [[str(text) for text in row] for row in rows]
    shown = [k for k in range(len(columns)) if k == 0 or any(row[k] for row in rows)]
    if len(rows) > MOST_ROWS:
        notes = [f"{len(rows) - MOST_ROWS} more rows", *notes]
        rows = rows[:MOST_ROWS]
    lines = [f"<table><caption>{html.escape(str(caption))}</caption>"]
    lines.append(f"<thead><tr>{_cells('th', [columns[k] for k in shown])}</tr></thead>")
    lines.append("<tbody>")
    for row in rows:
        lines.append(f"<tr>{_cells('th', row[:1])}{_cells('td', [row[k] for k in shown[1:]])}</tr>")
    lines.append("</tbody></table>")
    if notes:
        lines.append("<ul>" + _cells("li", notes) + "</ul>")
    return "\n".join(lines)


def warnings_of(results):
    """Notes of a run's warnings; none where there are no results."""
    if results is None:
        return []
    if results.is_closed:
        return ["the results are closed, with the warnings of the run"]
    return [f"warning: {text}" for text in results.warnings]


def estimates(caption, rows, notes=()):
    """Parameters with standard errors: rows of name, estimate, standard error and unit (None where
    there is none), in the digits of the objects' __repr__."""
    columns = ("parameter", "estimate", "standard error", "unit")
    return table(
        caption,
        columns,
        [
            (name, f"{value:.4g}", f"{error:.2g}", "" if unit is None else unit)
            for name, value, error, unit in rows
        ],
        notes,
    )

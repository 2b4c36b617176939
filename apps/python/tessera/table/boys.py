# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of Mazur et al. (2016) from results of tessera-boys."""

from . import boys_coefficients, source
from .layout import Table

PAPER, AUTHORS = "mazur_2016", "Mazur et al. (2016)"


def scheme(files, printed):
    """The forms of the scheme and its errors, order by order: Table 2."""
    results = source.one(files)
    source.require(results, "problem.method", "paper")
    absolute, relative = source.need(
        results, "results/largest_error_absolute", "results/largest_error_relative"
    )
    beside = "results/methods/two_range/largest_error_absolute"
    own = source.need(results, beside) if beside in results else None
    theirs = [column for column in printed.columns if column != "absolute error"]
    rows = [
        [
            f"F_{n}",
            *(printed(str(n), column) for column in theirs),
            printed(str(n), "absolute error"),
            float(absolute[n]),
            float(relative[n]),
            None if own is None else float(own[n]),
        ]
        for n in range(len(absolute))
    ]
    x = source.need(results, "results/x")
    return Table(
        ["", *theirs, "wanted", "absolute error", "relative error", "two_range, absolute"],
        rows,
        [
            "The paper prints no errors; it wants absolute ones of the order of 1e-13. Ours are the largest at"
            f" {len(x)} arguments from {x.min():g} to {x.max():g}, of its rational forms with coefficients"
            " of our own, all orders from one call. The polynomial forms are not here; Tables 4 to 13 try the"
            " printed coefficients.",
        ],
    )


TABLES = {"table2": (scheme, "the scheme in double precision, and its errors")}
TABLES |= boys_coefficients.TABLES
INPUTS, PICTURES = boys_coefficients.INPUTS, {}

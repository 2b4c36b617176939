# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The comparison's tables in Markdown, and rows of the text files that its own scripts write."""
import os

import numpy as np

SCORES = ("RMSE", "log score", "CRPS", "RMSE of mean", "RMSE of variance", "KL")
DIGITS = {
    **dict.fromkeys(("-l", "-l twice"), "{:.4f}"),
    **dict.fromkeys(("error", "error twice"), "{:.4g}"),
    **dict.fromkeys(("sigma2", "beta", "beta 2", "nugget", "RMSE", "log score", "CRPS"), "{:.5g}"),
}
KINDS = {"train": "train", "inter": "interpolation", "extra": "extrapolation", "test": "test"}
# What the comparison's files call a number: for real data, for simulated fields.
PUBLISHED = {
    "RMSE": ("rmse {long}", "RMSE {short}"),
    "log score": ("univariate score {long}", "mean univariate score {long}"),
    "CRPS": ("crps {long}",),
    "RMSE of mean": ("rmse mean {long}", "mean rmse mean {long}"),
    "RMSE of variance": ("rmse var {long}", "mean rmse var {long}"),
    "KL": ("kl {long}", "mean kl {long}"),
    "seconds": (
        "time for {long} univariate prediction",
        "mean time for {long} univariate prediction",
    ),
}
PUBLISHED_FITS = {
    "fit": ("time for fitting", "mean time for parameter estimation"),
    "likelihood": ("time for true negloglik evaluation", "mean time for true loglik evaluation"),
    "-l": ("true negloglik", "mean estimated negloglik true pars"),
    "-l twice": ("wrong negloglik", "mean estimated negloglik wrong pars"),
    "error": ("true pars, mean diff negloglik",),
    "error twice": ("wrong pars, mean diff negloglik",),
}


class Rows:
    """Numbers by method and name; several of one, those of repetitions, become their mean."""

    def __init__(self):
        self._numbers = {}

    def add(self, label, **numbers):
        row = self._numbers.setdefault(label, {})
        for name, value in numbers.items():
            row.setdefault(name, []).append(value)

    def __bool__(self):
        return bool(self._numbers)

    def __iter__(self):
        for label, row in self._numbers.items():
            yield label, {name: float(np.mean(values)) for name, values in row.items()}

    def markdown(self, title, columns):
        """The columns that at least one row has."""
        rows = list(self)
        columns = [name for name in columns if any(name in row for _, row in rows)]
        lines = [
            "",
            title,
            "",
            "| | " + " | ".join(columns) + " |",
            "|---" * (len(columns) + 1) + "|",
        ]
        for label, row in rows:
            cells = [
                DIGITS.get(name, "{:.3g}").format(row[name]) if name in row else ""
                for name in columns
            ]
            lines.append(f"| {label} | " + " | ".join(cells) + " |")
        return "\n".join(lines)


def numbers_of(path):
    """The numbers of a text file `name: value`, and its first line without one."""
    numbers, label = {}, os.path.splitext(os.path.basename(path))[0]
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, _, value = line.rpartition(":")
            try:
                numbers[name.strip()] = float(value)
            except ValueError:
                continue
    return label, numbers


def add_published(folder, fits, predictions):
    """Rows of the files in a folder that the comparison's scripts have written."""
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".txt"):
            continue
        label, numbers = numbers_of(os.path.join(folder, name))

        def found(names, **words):
            wanted = [name.format(**words) for name in names]
            return next((numbers[name] for name in wanted if name in numbers), None)

        values = {key: found(names) for key, names in PUBLISHED_FITS.items()}
        fits.add(label, **{key: value for key, value in values.items() if value is not None})
        for kind, rows in predictions.items():
            words = {"long": KINDS[kind], "short": kind}
            values = {key: found(names, **words) for key, names in PUBLISHED.items()}
            rows.add(label, **{key: value for key, value in values.items() if value is not None})

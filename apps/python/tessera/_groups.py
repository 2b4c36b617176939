# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Labels of groupings as numbers of a table, and back."""

import dataclasses

import numpy as np

from . import _arguments, _html, _tessera


@dataclasses.dataclass(frozen=True)
class Effects:
    """What the observations say of the levels of a grouping: labels, mean and standard deviation of
    the effect of each, and how many observations it has."""

    labels: list
    mean: np.ndarray
    std: np.ndarray
    observations: np.ndarray

    def _repr_html_(self):
        """A table for notebooks: a row for each level."""
        rows = [
            (label, f"{mean:.4g}", f"{std:.2g}", f"{count:g}")
            for label, mean, std, count in zip(self.labels, self.mean, self.std, self.observations)
        ]
        columns = ("level", "effect", "standard deviation", "observations")
        return _html.table(f"Effects of {len(rows)} levels", columns, rows)


def _is_missing(label):
    # NaN and pandas' NaT differ from themselves; pandas' NA has no truth
    return label is None or type(label).__name__ == "NAType" or label != label  # noqa: PLR0124


def _list_of(name, labels, count, argument):
    array = np.asarray(labels)
    if array.shape != (count,):
        raise _tessera.InputError(
            f"{argument}[{name!r}] of shape {array.shape} for {count} points\n  remedy: give one label for each point"
        )
    return array.tolist()


def _refuse_missing(name, labels, argument):
    for row, label in enumerate(labels):
        if _is_missing(label):
            raise _tessera.InputError(
                f"{argument}[{name!r}][{row}] is missing\n  remedy: give the label, or leave the point out"
            )


def _of_names(groups):
    """The labels of each grouping by its name, of a dict or a table of them."""
    if hasattr(groups, "columns"):
        return {name: groups[name] for name in groups.columns}
    return _arguments.mapping(groups, "groups", '{"site": sites}, with a label for each point')


class Groups:
    """The groupings of a process. `names`: of them; `labels`: those of each, in the order of their
    numbers; `columns`: (n, groupings), the number of each observation's label, NaN where it is
    missing."""

    def __init__(self, groups, count, drop):
        self.names, self.labels, columns = [], [], []
        for name, labels in _of_names(groups).items():
            own = _list_of(name, labels, count, "groups")
            if not drop:
                _refuse_missing(name, own, "groups")
            known = {label for label in own if not _is_missing(label)}
            try:
                order = sorted(known)
            except TypeError:  # of several kinds
                order = sorted(known, key=str)
            self.names.append(str(name))
            self.labels.append(order)
            number = {label: k for k, label in enumerate(order)}
            columns.append([number.get(label, np.nan) for label in own])
        self.columns = np.array(columns, float).reshape(len(columns), count).T

    def __len__(self):
        return len(self.names)

    def section(self, variance, required=False):
        """The section of an input; `variance`: by name, None where a fit finds it."""
        if not self.names:
            return {}
        section = {"names": self.names}
        if variance or required:
            variance = dict(variance or {})
            unknown = [name for name in self.names if name not in variance]
            if unknown or len(variance) != len(self.names):
                raise _tessera.InputError(
                    f"group_variance names {list(variance)}\n  remedy: give a number for each of {self.names}"
                )
            section["variance"] = [float(variance[name]) for name in self.names]
        return {"groups": section}

    def columns_of(self, groups, count):
        """The numbers of other labels; those that the process does not know follow its own."""
        given = dict(groups)
        if set(map(str, given)) != set(self.names):
            raise _tessera.InputError(
                f"groups names {list(given)}, and those of the process are {self.names}\n  remedy: give the labels of each, or leave groups out for the field and its mean"
            )
        columns = []
        for name, known in zip(self.names, self.labels):
            own = _list_of(name, given[name], count, "groups")
            _refuse_missing(name, own, "groups")
            number = {label: k for k, label in enumerate(known)}
            columns.append([number.setdefault(label, len(number)) for label in own])
        return np.array(columns, float).T.reshape(count, len(columns))

    def effects(self, results):
        """Effects by name, of a run that found them."""
        found = {}
        for name, labels in zip(self.names, self.labels):
            group = f"results/groups/{name.replace('/', '_')}"
            if results is None or f"{group}/effect" not in results:
                continue
            found[name] = Effects(
                [labels[int(number)] for number in results[f"{group}/label"]],
                results[f"{group}/effect"],
                results[f"{group}/deviation"],
                results[f"{group}/observations"],
            )
        return found

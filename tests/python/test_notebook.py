# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What notebooks show of results, fits and fills (_repr_html_): tables whose numbers are those of
the object, and whose texts are escaped."""

import dataclasses
import html.parser

import h5py
import numpy as np
import pytest

import tessera as ts

HOSTILE = "<script>alert('x')</script>&\""
TAGS = {"table", "caption", "thead", "tbody", "tr", "th", "td", "ul", "li"}


class Page(html.parser.HTMLParser):
    """The cells of a table by row, its caption and its notes. Any tag or attribute that a table
    does not need is refused."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.caption, self.notes, self._open = [], "", [], []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS and attrs == []
        self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
        if tag == "li":
            self.notes.append("")

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if not self._open or not data.strip():
            return
        if self._open[-1] in ("th", "td"):
            self.rows[-1][-1] += data
        elif self._open[-1] == "li":
            self.notes[-1] += data
        else:
            assert self._open[-1] == "caption"
            self.caption += data

    def by_name(self):
        """{name of a row: {heading: text}}"""
        return {row[0]: dict(zip(self.rows[0][1:], row[1:])) for row in self.rows[1:]}


def shown(thing):
    return Page(thing._repr_html_())


@pytest.fixture(scope="module")
def points():
    random = np.random.default_rng(4)
    xy = random.random((60, 2))
    return xy, np.sin(5 * xy[:, 0]) + xy[:, 1] + 0.1 * random.standard_normal(60)


def check_estimates(page, theta, errors):
    rows = page.by_name()
    for name, value in theta.items():
        assert float(rows[name]["estimate"]) == pytest.approx(value, rel=1e-3)
        assert float(rows[name]["standard error"]) == pytest.approx(
            errors[name], rel=0.1, nan_ok=True
        )


def test_results(tmp_path):
    results = ts.run({"app": "bessel", "problem": {"nu": 1, "x": [1.0, 2.0]}})
    page = shown(results)
    assert page.caption == f"{results.path}: results of tessera-bessel, complete"
    rows = page.by_name()
    assert rows["results/log_k"]["shape"] == str(results.log_k.shape)
    assert rows["results/log_k"]["meaning"] == results.log_k.long_name
    assert set(rows) == {
        f"{group}/{name}"
        for group in ("results", "series", "coordinates")
        for name in results.names(group)
    }
    path = tmp_path / "hostile.h5"
    with h5py.File(path, "w") as file:
        file.attrs.update(format="tessera-results", app=HOSTILE, run_status="complete")
        values = file.create_dataset("results/a<b", data=np.ones(3))
        values.attrs.update(units="m<2", long_name=HOSTILE)
        file.create_dataset("results/group/one", data=1.0)
        file["warnings"] = [HOSTILE]
    hostile = ts.open(path)
    page = shown(hostile)
    assert HOSTILE in page.caption and page.notes == ["warning: " + HOSTILE]
    rows = page.by_name()
    assert rows["results/a<b"] == {"shape": "(3,)", "unit": "m<2", "meaning": HOSTILE}
    assert rows["results/group"]["shape"] == "1 members"
    assert shown(hostile.results).by_name()["a<b"]["unit"] == "m<2"
    assert "a<b (3,) [m<2]: <script>" in repr(hostile) and "group: 1 members" in repr(hostile)


def test_processes(points, optimizer):
    process = ts.gp.fit(*points, covariance={"family": "matern32", "nugget": 0.02})
    page = shown(process)
    assert page.caption.startswith("GaussianProcess: log-likelihood ")
    assert float(page.caption.split()[2].rstrip(",")) == pytest.approx(process.loglik, rel=1e-5)
    assert page.caption.endswith("60 points") and set(page.by_name()) == set(process.theta)
    check_estimates(page, process.theta, process.errors)
    assert "unit" not in page.rows[0]
    unsure = dataclasses.replace(process, converged=False)
    assert "the search has not converged" in shown(unsure).notes
    process.results.close()
    assert shown(process).rows == page.rows and "closed" in shown(process).notes[0]


def test_replicates(points, optimizer):
    xy, z = points
    values = np.stack([z, 2 * z, z**2, -z, z + 1, 3 * z, z / 2, z - 2], axis=1)
    process = ts.gp.fit(
        xy,
        values,
        covariance={"family": "matern32", "nugget": 0.02},
        options={"replicates": "separate"},
    )
    page = shown(process)
    assert page.rows[0] == ["parameter", *(f"replicate {k}" for k in range(6))]
    assert page.notes[0] == "2 more replicates" and "8 replicates" in page.caption
    rows = page.by_name()
    for k in range(6):
        value, error = map(float, rows["sigma2"][f"replicate {k}"].split(" +- "))
        assert value == pytest.approx(process.theta["sigma2"][k], rel=1e-3)
        assert error == pytest.approx(process.errors["sigma2"][k], rel=0.1, nan_ok=True)
        assert float(rows["log-likelihood"][f"replicate {k}"]) == pytest.approx(
            process.loglik[k], rel=1e-5
        )


def test_cross_validations(points):
    xy, z = points
    covariance = {"family": "matern32", "sigma2": 0.5, "beta": 0.3, "nugget": 0.02}
    found = ts.gp.given(xy, z, covariance=covariance).cross_validate(5)
    page = shown(found)
    assert page.caption == "CrossValidation: 5 folds of 60 observations"
    rows = page.by_name()
    assert list(rows) == list(found.scores)
    for name, value in found.scores.items():
        assert float(rows[name]["value"]) == pytest.approx(value, rel=1e-3)
    values = np.stack([z, 2 * z, z**2, -z, z + 1, 3 * z, z / 2, z - 2], axis=1)
    page = shown(ts.gp.given(xy, values, covariance=covariance).cross_validate(5))
    assert page.rows[0] == ["score", *(f"column {k}" for k in range(6))]
    assert page.notes == ["2 more columns"]


def test_responses_and_groups(points, optimizer):
    xy, z = points
    counts = np.random.default_rng(5).poisson(np.exp(z))
    process = ts.gp.fit(
        xy, counts, likelihood="poisson", covariance={"family": "matern32"}, mean="linear"
    )
    page = shown(process)
    check_estimates(page, process.theta, process.errors)
    check_estimates(
        page,
        {f"trend {name}": value for name, value in process.trend.items()},
        {f"trend {name}": value for name, value in process.trend_errors.items()},
    )
    labels = [HOSTILE if k % 2 else "plain" for k in range(60)]
    process = ts.gp.fit(
        xy, z, covariance={"family": "matern32", "nugget": 0.02}, groups={"<site>": labels}
    )
    assert "variance_<site>" in shown(process).by_name()
    effects = process.effects["<site>"]
    rows = shown(effects).by_name()
    for label, mean, count in zip(effects.labels, effects.mean, effects.observations):
        assert float(rows[label]["effect"]) == pytest.approx(mean, rel=1e-3)
        assert float(rows[label]["observations"]) == count == 30
    many = ts.gp.Effects(list(range(100)), np.zeros(100), np.ones(100), np.ones(100))
    page = shown(many)
    assert len(page.rows) == 41 and page.notes == ["60 more rows"]


def test_units(points):
    pint = pytest.importorskip("pint", reason="there is no pint: apt-get install python3-pint")
    unit = pint.UnitRegistry()
    xy, z = points
    process = ts.gp.given(
        xy * unit.km,
        z * unit.kelvin,
        covariance={"family": "matern32", "sigma2": 2 * unit.kelvin**2, "beta": 300 * unit.m},
    )
    rows = shown(process).by_name()
    assert rows["beta"] == {"estimate": "0.3", "standard error": "0", "unit": "kilometer"}
    assert rows["sigma2"]["unit"] == "kelvin ** 2"


def test_fills():
    z = np.random.default_rng(2).random((12, 9))
    z[3:5, 4:7] = np.nan
    assert shown(ts.mpr.fill(z)).by_name() == {"field": {"sites": "12 x 9", "filled": "6"}}
    xarray = pytest.importorskip("xarray", reason="there is no xarray")
    fields = xarray.Dataset({HOSTILE: (("y", "x"), z), "b": (("y", "x"), z + 1)})
    rows = shown(ts.mpr.fill(fields)).by_name()
    assert set(rows) == {HOSTILE, "b"} and rows["b"]["filled"] == "6"


def test_fits_of_stable_laws():
    law = ts.stable.fit(ts.stable.rvs(1.6, 0.2, size=300, random_state=3), goodness=True)
    page = shown(law)
    check_estimates(page, {name: getattr(law, name) for name in law.errors}, law.errors)
    assert f"{law.log_likelihood:.6g}" in page.caption
    assert page.notes == [
        f"converged, {law.iterations} iterations",
        f"Kolmogorov-Smirnov {law.kolmogorov_smirnov:.4g}",
        f"Anderson-Darling {law.anderson_darling:.4g}",
    ]
    assert HOSTILE in shown(dataclasses.replace(law, status=HOSTILE)).notes[0]

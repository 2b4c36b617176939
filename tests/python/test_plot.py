# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Figures in axes, figures and subfigures of the caller."""

import matplotlib
import numpy as np
import pytest

import tessera as ts

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def process(optimizer):
    random = np.random.default_rng(3)
    xy = random.random((80, 2))
    values = np.sin(4 * xy[:, 0]) + xy[:, 1] + 0.1 * random.standard_normal(80)
    return ts.gp.fit(xy, values, covariance={"family": "matern32", "nugget": 0.01}).results


@pytest.fixture(scope="module")
def sample(root):
    return ts.run(root / "inputs" / "stable" / "quickstart.yaml")


@pytest.fixture(scope="module")
def functions():
    x = np.geomspace(0.1, 10, 20).tolist()
    return ts.run({"app": "bessel", "problem": {"nu": [0.5, 2.0], "x": x, "combine": "grid"}})


def test_one_panel_in_axes(process, tmp_path):
    figure, (left, right) = plt.subplots(1, 2)
    left.plot([1, 2])
    numbers = plt.get_fignums()
    assert process.plot("variogram", ax=right, output=tmp_path / "both.png") is right
    assert plt.get_fignums() == numbers and len(figure.axes) == 2  # none of its own
    assert right.has_data() and len(left.lines) == 1
    assert (tmp_path / "both.png").read_bytes().startswith(b"\x89PNG")
    alone = process.plot("variogram")
    assert alone is not figure and len(alone.axes) == 1
    for one, other in zip(alone.axes[0].lines, right.lines):
        np.testing.assert_array_equal(one.get_xydata(), other.get_xydata())
    assert right.get_xlabel() == alone.axes[0].get_xlabel()


def test_energy_in_axes():
    simulate = {"size": [16, 16], "temperatures": [0.1, 1.0], "burn_in_sweeps": 20, "sweeps": 40}
    results = ts.run({"app": "mpr", "task": "simulate", "simulate": simulate})
    _, axes = plt.subplots()
    assert results.plot(ax=axes) is axes and axes.get_xlabel() == "temperature"


def test_several_panels_are_refused(process, functions):
    _, axes = plt.subplots()
    with pytest.raises(
        ts.InputError, match="'summary' .*several panels.*\n.*fig=.*variogram, fit_time$"
    ):
        process.plot(ax=axes)
    with pytest.raises(ts.InputError, match="'functions' .*several panels.*\n.*fig="):
        functions.plot("functions", ax=axes)
    assert not axes.has_data() and axes.get_title() == ""


def test_figures_and_subfigures(process, functions):
    own = functions.plot()
    figure = plt.figure(figsize=(12, 5))
    left, right = figure.subfigures(1, 2)
    assert functions.plot(fig=left) is left and process.plot("summary", fig=right) is right
    assert len(left.axes) == len(own.axes) and right.axes
    figure.canvas.draw()
    whole = plt.figure()
    assert process.plot(fig=whole) is whole and len(whole.axes) == len(right.axes)
    assert own.axes[0].get_title() == left.axes[0].get_title()


def test_titles_go_to_the_axes():
    from tessera.plot import style

    figure, axes = plt.subplots()
    with style.drawn_in(axes, None):
        of, panels = style.subplots(1, 1, figsize=(3, 3), squeeze=False)
        panels[0, 0].set_title("own", loc="left")
        of.suptitle("of the figure", fontsize=8)
        of.tight_layout(w_pad=2)
        of.subplots_adjust(left=0.5)
        of.align_ylabels()
    assert panels[0, 0] is axes and figure._suptitle is None and of.canvas is figure.canvas
    assert axes.get_title(loc="left") == "own\nof the figure"


@pytest.mark.parametrize(
    "options, text",
    [
        (lambda: {"ax": plt.subplots(1, 2)[1]}, "ax is ndarray.*\n.*axes\\[0\\]"),
        (lambda: {"ax": plt.figure().add_subplot(projection="polar")}, "ax is Polar"),
        (lambda: {"fig": plt.subplots()[1]}, "fig is .*Axes"),
        (lambda: {"ax": plt.subplots()[1], "fig": plt.figure()}, "ax and fig are both given"),
    ],
)
def test_other_things(process, options, text):
    with pytest.raises(ts.InputError, match=text):
        process.plot("variogram", **options())


def test_cross_validations(optimizer, tmp_path):
    """Observed against predicted values, of counts their calibration."""
    random = np.random.default_rng(3)
    xy = random.random((60, 2))
    z = np.sin(4 * xy[:, 0]) + 0.1 * random.standard_normal(60)
    covariance = {"family": "matern32", "sigma2": 0.5, "beta": 0.3, "nugget": 0.01}
    found = ts.gp.given(xy, z, covariance=covariance).cross_validate(5)
    _, axes = plt.subplots()
    assert found.plot(ax=axes, output=tmp_path / "folds.png") is axes
    assert (tmp_path / "folds.png").read_bytes().startswith(b"\x89PNG")
    assert f"mean square error {found.scores['mspe']:.4g}" in axes.get_title(loc="left")
    np.testing.assert_array_equal(axes.lines[0].get_xydata(), np.stack([found.mean, z], axis=1))
    counts = random.poisson(np.exp(1 + z))
    process = ts.gp.fit(xy, counts, likelihood="poisson", covariance={"family": "matern32"})
    found = process.cross_validate(5)
    figure = found.plot()
    assert f"logarithmic score {found.scores['log_score']:.4g}" in figure.axes[0].get_title(
        loc="left"
    )


def test_quantiles_in_axes(sample):
    _, axes = plt.subplots()
    assert sample.plot("qq", ax=axes) is axes and axes.has_data()
    with pytest.raises(ts.InputError, match="choose a kind of one panel: qq"):
        sample.plot("fit", ax=axes)


def test_kinds_of_one_panel_are_those_of_the_results():
    """Of a run without a conjunction none is proposed."""
    results = ts.gbees.run(
        {
            "model": {"name": "lorenz63"},
            "grid": {"spacing": [1.0, 1.0, 1.0], "threshold": 1.0e-4},
            "initial": {"mean": [-11.5, -10.0, 9.5], "standard_deviation": [1.0, 1.0, 1.0]},
            "time": {"end": 0.1, "records": 1},
        }
    )
    _, axes = plt.subplots()
    numbers = plt.get_fignums()
    with pytest.raises(ts.InputError, match="give fig=") as raised:
        results.plot(ax=axes)
    assert "conjunction" not in str(raised.value) and plt.get_fignums() == numbers

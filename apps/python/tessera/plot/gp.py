# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of tessera-gp: the predicted field and its error, the variogram, the fit's history, the
estimates of many replicates."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from . import style
from .gp_effects import effects
from .gp_time import fit_time, generation, has_generation
from ..results import ResultsError
from ..table import source

KINDS = (
    "summary",
    "map",
    "variogram",
    "history",
    "boxplot",
    "validation",
    "neighbours",
    "convergence",
    "effects",
    "local",
    "generation",
    "fit_time",
)
ONE_PANEL = ("variogram", "validation", "fit_time")

TOGETHER = ("history", "boxplot", "generation", "fit_time")  # kinds that take several files


class Run:
    """A results file in the terms of the method."""

    def __init__(self, results):
        self.results = results
        sphere = "coordinates/latitude" in results
        # On a map the longitude runs to the right.
        self.axes = ["longitude", "latitude"] if sphere else ["x1", "x2"]
        names = [str(name) for name in results["coordinates/names"]]
        self.labels = (
            [style.label(names[1], "degrees"), style.label(names[0], "degrees")]
            if sphere
            else names
        )
        self.dimension = len(names)
        self.has_map = "results/prediction/mean" in results and self.dimension == 2
        self.fits = len(results["results/loglik"]) if "results/theta_se" in results else 0
        # observations that are not Gaussian, whose predictor has a field
        self.is_latent = "results/field" in results
        several = "results/variables" in results
        self.variables = [str(name) for name in results["results/variables"]] if several else []

    def coordinates(self, group):
        return [self.results[f"{group}/{name}"] for name in self.axes]

    def part(self, group, variable):
        """The points of a variable; all where there is one."""
        if not self.variables:
            return slice(None)
        return self.results[f"{group}/variable"] == variable

    def observations(self):
        values = self.results["results/observations"][:, 0]
        has_exposure = "results/exposure" in self.results
        return values / self.results["results/exposure"] if has_exposure else values

    def searches(self):
        """Which likelihoods are of all points, not of the sample that gives a fit its start."""
        return self.results["series/start"] >= 0

    def need(self, name, what):
        if name not in self.results:
            raise ResultsError(f"{self.results.path} holds no {what}", 3)
        return self.results[name]


def draw(results, kind, wanted):
    """The figure of that kind; `wanted` chooses a replicate for the history."""
    if kind == "generation" or (kind == "summary" and has_generation(results)):
        return generation([results])
    if kind == "fit_time":
        return fit_time([results])
    if has_generation(results):
        raise ResultsError(
            f"{results.path} holds times of generations, and no field; choose --kind generation", 3
        )
    run = Run(results)
    if kind == "map":
        return field_map(run)
    if kind == "variogram":
        figure, axes = style.subplots(figsize=(5.2, 3.8))
        variogram(run, axes)
        figure.tight_layout()
        return figure
    if kind == "history":
        return history([run], wanted[0] if wanted else 0)
    if kind == "boxplot":
        return boxplot([run])
    if kind == "validation":
        figure, axes = style.subplots(figsize=(4.6, 4.4))
        validation(run, axes)
        figure.tight_layout()
        return figure
    if kind == "convergence":
        return convergence(run)
    if kind == "neighbours":
        return neighbours(run)
    if kind == "effects":
        return effects(run)
    if kind == "local":
        return local(run)
    return summary(run)


def draw_together(files, kind, wanted):
    """Boxplots of several files beside each other, or the histories of their fits or their times
    over each other."""
    if kind == "generation":
        return generation(files)
    if kind == "fit_time":
        return fit_time(files)
    runs = [Run(results) for results in files]
    if kind == "history":
        return history(runs, wanted[0] if wanted else 0)
    return boxplot(runs)


# --- maps
# ----------------------------------------------------------------------------------------------


def _is_even(coordinate, axis):
    """Whether points of a grid are evenly spaced along one of its axes, upwards."""
    steps = np.diff(coordinate, axis=axis)
    return steps.size > 0 and steps.min() > 0 and np.allclose(steps, steps.mean())


def _panel(run, axes, x, y, values, colours, limits, title, grid=None):
    """A field: an image where it lies on an even grid, points elsewhere."""
    rows, columns = (x, y) if run.axes[0] != "longitude" else (y, x)
    if (
        grid is not None
        and _is_even(rows.reshape(tuple(grid)), 0)
        and _is_even(columns.reshape(tuple(grid)), 1)
    ):
        shape = tuple(grid)
        # there the first coordinate, the latitude, runs upwards
        on_sphere = run.axes[0] == "longitude"
        image = values.reshape(shape) if on_sphere else values.reshape(shape).T
        drawn = axes.imshow(
            image,
            origin="lower",
            extent=(x.min(), x.max(), y.min(), y.max()),
            cmap=colours,
            vmin=limits[0],
            vmax=limits[1],
            interpolation="nearest",
            aspect="auto",
        )
    else:
        size = np.clip(6000 / max(len(x), 1), 1.5, 14)
        drawn = axes.scatter(
            x, y, c=values, s=size, cmap=colours, vmin=limits[0], vmax=limits[1], linewidths=0
        )
        axes.margins(0.01)
    axes.set_title(title)
    axes.set_xlabel(run.labels[0])
    axes.set_ylabel(run.labels[1])
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_locator(MaxNLocator(5))
    bar = axes.figure.colorbar(drawn, ax=axes, fraction=0.046, pad=0.03)
    bar.outline.set_visible(False)


def _maps(run, panels, variable=0):
    if not run.has_map:
        raise ResultsError(f"{run.results.path} holds no prediction in two dimensions", 3)
    group = "results/prediction"
    grid = run.results[f"{group}/grid"] if f"{group}/grid" in run.results else None
    mean = run.results[f"{group}/response_mean" if run.is_latent else f"{group}/mean"]
    there, here = run.part(group, variable), run.part("coordinates", variable)
    name = f" of {run.variables[variable]}" if run.variables else ""
    mean = (mean if mean.ndim == 1 else mean[:, 0])[there]
    deviation = np.sqrt(run.results[f"{group}/variance"])[there]
    z = run.observations()[here]
    limits = np.percentile(np.concatenate([z, mean]), [0.5, 99.5])
    _panel(
        run,
        panels[0],
        *(column[here] for column in run.coordinates("coordinates")),
        z,
        "viridis",
        limits,
        f"{len(z)} observations{name}",
    )
    x, y = (column[there] for column in run.coordinates(group))
    _panel(run, panels[1], x, y, mean, "viridis", limits, f"predicted mean{name}", grid)
    _panel(
        run,
        panels[2],
        x,
        y,
        deviation,
        style.DENSITY,
        (0, np.percentile(deviation, 99.5) + 1e-300),
        "standard deviation of the predictor" if run.is_latent else "its standard deviation",
        grid,
    )
    if grid is not None and len(z) < 2000:
        observed = (column[here] for column in run.coordinates("coordinates"))
        panels[2].scatter(*observed, s=1.5, color=style.QUIET, linewidths=0)


def _map_of_variables(run):
    """Observations, predicted mean and standard deviation of each variable."""
    count = len(run.variables)
    figure, panels = style.subplots(count, 3, figsize=(12, 3.5 * count), squeeze=False)
    for variable in range(count):
        _maps(run, panels[variable], variable)
    figure.tight_layout()
    return figure


def field_map(run):
    """Observations, predicted mean and standard deviation; below them fields drawn from the
    conditional distribution, if there are any. A row for each of several variables."""
    if run.variables:
        return _map_of_variables(run)
    draws = (
        run.results["results/prediction/draws"]
        if "results/prediction/draws" in run.results
        else None
    )
    shown = 0 if draws is None else min(draws.shape[1], 3)
    figure, panels = style.subplots(
        2 if shown else 1, 3, figsize=(12, 7 if shown else 3.7), squeeze=False
    )
    _maps(run, panels[0])
    if shown:
        grid = (
            run.results["results/prediction/grid"]
            if "results/prediction/grid" in run.results
            else None
        )
        x, y = run.coordinates("results/prediction")
        # predictors of observations that are not Gaussian have no scale in common with these
        shown_too = [] if run.is_latent else [run.observations()]
        limits = np.percentile(np.concatenate([*shown_too, draws.ravel()]), [0.5, 99.5])
        for k, axes in enumerate(panels[1]):
            if k < shown:
                _panel(
                    run,
                    axes,
                    x,
                    y,
                    draws[:, k],
                    "viridis",
                    limits,
                    f"draw {k + 1} of {draws.shape[1]}" + (", predictor" if run.is_latent else ""),
                    grid,
                )
            else:
                axes.set_visible(False)
    figure.tight_layout()
    return figure


def local(run):
    """Of a covariance that is not stationary: the standard deviation of the field, the range in
    units of beta and the standard deviation of the errors at the observations, as far as covariates
    change them, and the functions by which coordinates are warped."""
    group = "results/local"
    kinds = (
        ("variance", np.sqrt, "standard deviation of the field"),
        ("range_ratio", np.array, "range in units of beta"),
        ("nugget", np.sqrt, "standard deviation of the errors"),
    )
    shown = []
    for name, change, title in kinds:
        values = run.results[f"{group}/{name}"] if f"{group}/{name}" in run.results else np.zeros(1)
        if run.dimension == 2 and np.ptp(values) > 1e-12 * np.abs(values).max():
            shown.append((change(values), title))
    has_warp = f"{group}/knots" in run.results
    if not shown and not has_warp:
        raise ResultsError(f"{run.results.path} holds no covariance that is not stationary", 3)
    count = len(shown) + has_warp
    figure, panels = style.subplots(1, count, figsize=(4 * count, 3.6), squeeze=False)
    for axes, (values, title) in zip(panels[0], shown):
        x, y = run.coordinates("coordinates")
        limits = (0, np.percentile(values, 99.5))
        _panel(run, axes, x, y, values, style.DENSITY, limits, title)
    if has_warp:
        _warp(run, panels[0, -1])
    figure.tight_layout()
    return figure


def _warp(run, axes):
    knots, logs = run.results["results/local/knots"], np.log(run.results["results/local/slopes"])
    names = [str(name) for name in run.results["coordinates/names"]]
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.8, len(names)))
    for name, at, log_slope, colour in zip(names, knots, logs, colours):
        fine = np.linspace(at[0], at[-1], 200)
        axes.semilogy(fine, np.exp(np.interp(fine, at, log_slope)), color=colour, label=name)
        axes.semilogy(at, np.exp(log_slope), ".", color=colour)
    axes.axhline(1, color=style.QUIET, linewidth=0.8)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("coordinate")
    axes.set_ylabel("slope")
    axes.set_title("slopes of the warped coordinates")
    axes.legend()


# --- other figures
# ----------------------------------------------------------------------------------------------


def variogram(run, axes):
    """The empirical variogram, the area of a point proportional to its pairs, and the model's
    curve."""
    distance = run.need("results/variogram/distance", "variogram")
    pairs = run.results["results/variogram/pairs"]
    axes.scatter(
        distance,
        run.results["results/variogram/semivariance"],
        s=6 + 40 * pairs / pairs.max(),
        color=style.QUIET,
        linewidths=0,
        label="data",
    )
    if "results/variogram/model_distance" in run.results:
        label = "fitted model" if run.fits else "model"
        axes.plot(
            run.results["results/variogram/model_distance"],
            run.results["results/variogram/model_semivariance"],
            color=style.ACCENT,
            label=label,
        )
    axes.set_xlim(0, None)
    axes.set_ylim(0, None)
    axes.set_xlabel("distance")
    axes.set_ylabel("semivariance")
    axes.legend(loc="lower right")
    axes.set_title("Variogram")


def _estimates(run):
    theta = run.results["results/theta"]
    names = [str(name) for name in run.results["results/parameters"]]
    truth = run.results["results/truth"] if "results/truth" in run.results else None
    return theta, names, truth


def _parameters(results):
    return ", ".join(str(name) for name in results["results/parameters"])


def boxplot(runs):
    """Estimates of the replicates, with the truth as a dashed line, and the likelihoods that each
    fit took (Figs. 4 to 7 of Geng et al.). Several files have a box each, with their names above
    the panels."""
    for run in runs:
        if run.fits < 2:
            interrupted = source.is_interrupted(run.results)
            raise ResultsError(
                f"{run.results.path} holds the fit of {run.fits} replicates; boxplots need several"
                + (
                    ", and the run was interrupted\n"
                    f"  remedy: {source.how_to_complete(run.results)}"
                    if interrupted
                    else " (fit.replicates: separate)"
                ),
                3,
            )
    files = [run.results for run in runs]
    style.need_same(files, "parameters", _parameters)
    theta, names, truth = zip(*(_estimates(run) for run in runs))
    several = len(runs) > 1
    width = max(2.2, 0.45 * len(runs)) * (len(names[0]) + 1)
    figure, panels = style.subplots(
        1, len(names[0]) + 1, figsize=(width, 3.9 if several else 3.6), squeeze=False
    )
    for k, axes in enumerate(panels[0, :-1]):
        _boxes(axes, [estimates[:, k] for estimates in theta], names[0][k])
        _truths(axes, [None if true is None else true[k] for true in truth])
    _boxes(panels[0, -1], [results["results/evaluations"] for results in files], "likelihoods")
    counts = [
        source.counted(
            run.results, run.fits, run.results["results/observations"].shape[1], "replicates"
        )
        + f" of {len(run.observations())} points"
        for run in runs
    ]
    if several:
        figure.tight_layout(rect=(0, 0, 1, style.file_legend(figure, files, counts)))
        return figure
    figure.suptitle(counts[0], x=0.02, ha="left", fontsize=10)
    figure.tight_layout()
    return figure


def _truths(axes, values):
    """A dashed line at the truth: through all boxes where it is one, else through each."""
    line = {"linestyle": "--", "linewidth": 1, "zorder": 1.5}
    line["color"] = style.INK if len(values) > 1 else style.ACCENT_2
    if len(set(values)) == 1 and values[0] is not None:
        axes.axhline(values[0], **line)
        return
    for place, value in enumerate(values, 1):
        if value is not None:
            axes.plot((place - 0.45, place + 0.45), (value, value), **line)


def _boxes(axes, values, title):
    """A box for each array of values, in the colour of its file."""
    several = len(values) > 1
    for place, (numbers, colour) in enumerate(zip(values, style.colours(len(values))), 1):
        axes.boxplot(
            numbers,
            positions=[place],
            widths=0.6 if several else 0.5,
            showmeans=True,
            patch_artist=True,
            boxprops={"facecolor": (*to_rgb(colour), 0.17), "edgecolor": colour},
            medianprops={"color": colour},
            whiskerprops={"color": colour},
            capprops={"color": colour},
            flierprops={"marker": ".", "markersize": 3, "markeredgecolor": style.QUIET},
            meanprops={
                "marker": "D",
                "markersize": 3,
                "markerfacecolor": style.INK,
                "markeredgecolor": style.INK,
            },
        )
    axes.set_xlim(0.5, len(values) + 0.5)
    axes.set_xticks([])
    axes.set_title(title)


def history(runs, replicate):
    """Parameters and log-likelihood against the number of the evaluation, for one replicate.
    Several files have a colour each; the likelihood is drawn below the maximum of its own
    search."""
    files = [run.results for run in runs]
    searches = []
    for run in runs:
        which = (run.need("series/replicate", "history of a fit") == replicate) & run.searches()
        if not which.any():
            raise ResultsError(f"{run.results.path} holds no fit of replicate {replicate}", 2)
        searches.append((run.results["series/theta"][which], run.results["series/loglik"][which]))
    style.need_same(files, "parameters", _parameters)
    names = [str(name) for name in files[0]["results/parameters"]]
    several = len(runs) > 1
    figure, panels = style.subplots(
        len(names) + 1, 1, figsize=(6.4, 1.5 * (len(names) + 1)), sharex=True
    )
    best = [np.nanmax(loglik) for _, loglik in searches]
    looks = zip(style.colours(len(runs)), style.widths(len(runs)))
    for (theta, loglik), maximum, (colour, width) in zip(searches, best, looks):
        step = np.arange(1, len(loglik) + 1)
        for k, axes in enumerate(panels[:-1]):
            axes.plot(step, theta[:, k], color=colour, linewidth=width)
        below = colour if several else style.ACCENT_2
        panels[-1].semilogy(step, maximum - loglik + 1e-9, color=below, linewidth=width)
    for axes, name in zip(panels, names):
        axes.set_ylabel(name)
    panels[-1].set_ylabel("below the maximum")
    panels[-1].set_xlabel("likelihoods")
    figure.align_ylabels()
    if several:
        notes = [f"maximum {maximum:.4f}" for maximum in best]
        figure.tight_layout(rect=(0, 0, 1, style.file_legend(figure, files, notes)))
        return figure
    panels[0].set_title(f"The search for the maximum, {best[0]:.4f}")
    figure.tight_layout()
    return figure


def calibration(run, axes):
    """Of observations that are not Gaussian: how often 1 came with which probability, or the
    histogram of the predictive probabilities of what was observed, in which a count spreads evenly
    over the probability that it has (Czado, Gneiting and Held 2009)."""
    held_out = "results/prediction/observed" in run.results
    group = "results/prediction" if held_out else "results/cross_validation"
    title = "Held-out observations" if held_out else "Cross-validation"
    below = run.need(f"{group}/probability", "validation")
    truth = run.results[
        "results/prediction/observed" if held_out else "results/observations"
    ].ravel()
    score = run.results.group_attribute(group, "log_score")
    if np.isin(truth, (0, 1)).all():
        return _reliability(axes, run.results[f"{group}/response_mean"], truth, title, score)
    own = np.exp(run.results[f"{group}/log_density"])
    own_names = "results/response_parameters"
    names = run.results[own_names].astype(str) if own_names in run.results else []
    is_count = not {"shape", "scale"} & set(names)
    first = np.clip(below - own, 0, 1) if is_count else below
    edges = np.linspace(0, 1, 11)
    width = np.maximum(below - first, 1e-12)
    reached = np.clip((edges[:, None] - first) / width, 0, 1).mean(axis=1)
    axes.bar(edges[:-1], np.diff(reached) * 10, 0.1, align="edge", color="#c9cee3", edgecolor="w")
    axes.axhline(1, color=style.ACCENT, linewidth=1)
    axes.set_xlim(0, 1)
    axes.set_xlabel("predictive probability of what was observed")
    axes.set_ylabel("density; 1: calibrated")
    axes.set_title(f"{title}, logarithmic score {score:.4g}")


def _reliability(axes, probability, truth, title, score):
    bins = np.minimum((probability * 10).astype(int), 9)
    count = np.bincount(bins, minlength=10)
    used = count > 0
    mean = np.bincount(bins, probability, 10)[used] / count[used]
    share = np.bincount(bins, truth, 10)[used] / count[used]
    axes.errorbar(
        mean,
        share,
        np.sqrt(mean * (1 - mean) / count[used]),
        fmt="o-",
        color=style.ACCENT,
        ecolor="#c9cee3",
        markersize=4,
    )
    axes.plot([0, 1], [0, 1], color=style.QUIET, linewidth=0.8)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_xlabel("predicted probability of 1")
    axes.set_ylabel("share of 1 observed, with its standard error")
    axes.set_title(f"{title}, logarithmic score {score:.4g}")


def validation(run, axes):
    """Observed against predicted values, of what was held out or cross-validated."""
    if run.is_latent:
        return calibration(run, axes)
    if "results/prediction/observed" in run.results:
        truth, group, title = (
            run.results["results/prediction/observed"],
            "results/prediction",
            "Held-out observations",
        )
        variance = run.need("results/prediction/observed_variance", "variance of what was held out")
    else:
        truth, group, title = run.observations(), "results/cross_validation", "Cross-validation"
        variance = run.need("results/cross_validation/variance", "validation")
    mean = run.need(f"{group}/mean", "validation")
    mean = mean if mean.ndim == 1 else mean[:, 0]
    deviation = np.sqrt(variance)
    axes.errorbar(
        mean,
        truth,
        xerr=deviation,
        fmt=".",
        color=style.ACCENT,
        ecolor="#c9cee3",
        elinewidth=0.6,
        markersize=3,
    )
    low, high = min(mean.min(), truth.min()), max(mean.max(), truth.max())
    axes.plot([low, high], [low, high], color=style.QUIET, linewidth=0.8)
    axes.set_xlabel("predicted, with one standard deviation of an observation")
    axes.set_ylabel("observed")
    axes.set_title(f"{title}, mean square error {np.mean((mean - truth) ** 2):.4g}")


def neighbours(run):
    """Some points, each with those that Vecchia's approximation conditions it on and what lies
    around."""
    points = run.need("results/neighbours/point", "neighbours of an approximation")
    if run.dimension != 2:
        raise ResultsError(
            f"{run.results.path} has points in {run.dimension} dimensions; neighbours are drawn in two",
            3,
        )
    x, y = run.coordinates("coordinates")
    shown = min(len(points), 6)
    figure, panels = style.subplots(2, 3, figsize=(11, 7), squeeze=False)
    for k, axes in enumerate(panels.ravel()):
        if k >= shown:
            axes.set_visible(False)
            continue
        point, rank, others = (
            points[k],
            run.results["results/neighbours/rank"][k],
            run.results["results/neighbours/neighbours"][k],
        )
        others = others[others >= 0]
        reach = 1.25 * max(
            np.abs(x[others] - x[point]).max(initial=0), np.abs(y[others] - y[point]).max(initial=0)
        )
        near = (np.abs(x - x[point]) <= reach) & (np.abs(y - y[point]) <= reach)
        axes.scatter(
            x[near],
            y[near],
            s=np.clip(3000 / max(near.sum(), 1), 0.3, 6),
            color=style.QUIET,
            linewidths=0,
            alpha=0.6,
            rasterized=True,
        )
        for other in others:
            axes.plot([x[point], x[other]], [y[point], y[other]], color=style.ACCENT, linewidth=0.6)
        axes.scatter(x[others], y[others], s=12, color=style.ACCENT, linewidths=0, zorder=3)
        axes.scatter(x[point], y[point], s=36, color=style.ACCENT_2, linewidths=0, zorder=4)
        axes.set_title(f"number {rank + 1} of {len(x)}: {len(others)} neighbours")
        axes.set_xlabel(run.labels[0])
        axes.set_ylabel(run.labels[1])
    figure.tight_layout()
    return figure


def convergence(run):
    """The log-likelihood against the number of neighbours, and how far it is from that with the
    most."""
    count = run.need(
        "results/by_neighbours/neighbours", "likelihoods with several numbers of neighbours"
    )
    loglik = run.results["results/by_neighbours/loglik"][np.argsort(count)]
    count = np.sort(count)
    group = "results/evaluated" if "results/evaluated/theta" in run.results else "results"
    figure, (left, right) = style.subplots(1, 2, figsize=(9.5, 3.8))
    colours = plt.cm.viridis(np.linspace(0.15, 0.8, loglik.shape[1]))
    for k, colour in enumerate(colours):
        theta = ", ".join(f"{value:.3g}" for value in run.results[f"{group}/theta"][k])
        left.plot(count, loglik[:, k], "o-", color=colour, markersize=4, label=f"({theta})")
        right.semilogy(
            count[:-1],
            np.abs(loglik[:-1, k] - loglik[-1, k]) + 1e-300,
            "o-",
            color=colour,
            markersize=4,
        )
    left.set_ylabel("log-likelihood")
    left.legend(loc="best", fontsize=8)
    right.set_ylabel(f"distance from that with {count[-1]}")
    for axes in (left, right):
        axes.set_xlabel("neighbours")
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    left.set_title("Vecchia's approximation")
    figure.tight_layout()
    return figure


def summary(run):
    """The run on one page: what there is of maps, variogram and fit."""
    if run.fits > 1:
        return boxplot([run])
    if run.is_latent and not run.has_map:
        is_validated = "results/cross_validation/mean" in run.results
        return draw(run.results, "validation", None) if is_validated else history([run], 0)
    if run.is_latent:
        return field_map(run)
    if not run.has_map:
        figure, axes = style.subplots(1, 2, figsize=(9, 3.8))
        variogram(run, axes[0])
        _estimate_table(run, axes[1])
        figure.tight_layout()
        return figure
    figure = style.figure(figsize=(12, 7.2))
    grid = figure.add_gridspec(2, 3)
    _maps(run, [figure.add_subplot(grid[0, k]) for k in range(3)])
    variogram(run, figure.add_subplot(grid[1, 0]))
    _estimate_table(run, figure.add_subplot(grid[1, 2]))
    middle = figure.add_subplot(grid[1, 1])
    if (
        "results/prediction/observed" in run.results
        or "results/cross_validation/mean" in run.results
    ):
        validation(run, middle)
    elif "series/loglik" in run.results:
        loglik = run.results["series/loglik"][run.searches()]
        middle.semilogy(
            np.arange(1, len(loglik) + 1), np.nanmax(loglik) - loglik + 1e-9, color=style.ACCENT_2
        )
        middle.set_xlabel("likelihoods")
        middle.set_title("Log-likelihood below its maximum")
    else:
        middle.set_visible(False)
    figure.tight_layout()
    return figure


def _estimate_table(run, axes):
    axes.axis("off")
    if not run.fits:
        return
    theta, names, truth = _estimates(run)
    errors = run.results["results/theta_se"]
    # NaN of parameters that are fixed, and of all with fit.standard_errors none
    known = np.isfinite(errors[0])
    head = ["", "estimate"]
    rows = [[name, f"{value:.5g}"] for name, value in zip(names, theta[0])]
    rows.append(["log-likelihood", f"{run.results['results/loglik'][0]:.4f}"])
    for title, values, form, shown in (
        ("std. error", errors[0], ".2g", known),
        ("truth", truth, ".5g", np.full(len(names), truth is not None)),
    ):
        if shown.any():
            head.append(title)
            for k, row in enumerate(rows):
                row.append(f"{values[k]:{form}}" if k < len(names) and shown[k] else "")
    for r, row in enumerate([head] + rows):
        for c, text in enumerate(row):
            axes.text(
                [0.0, 0.52, 0.78, 1.0][c],
                0.92 - 0.13 * r,
                text,
                transform=axes.transAxes,
                ha="left" if c == 0 else "right",
                fontweight="bold" if r == 0 else "normal",
                fontsize=9 if c > 0 or len(text) < 15 else 7,
            )
    axes.set_title("Maximum likelihood")

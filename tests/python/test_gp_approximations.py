# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tests/benchmark/gp_approximations: small files in the comparison's formats, and its scores."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

import tessera as ts

scipy = pytest.importorskip("scipy", reason="the values to compare with need scipy")
FOLDER = pathlib.Path(__file__).resolve().parents[1] / "benchmark" / "gp_approximations"
sys.path.insert(0, str(FOLDER))
import data_sets  # noqa: E402
import report  # noqa: E402
import scores  # noqa: E402

COUNT = 60


def program(*arguments):
    call = [sys.executable, "-B", str(FOLDER), *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, check=False)


def table_of(text, title):
    """A table of Markdown: numbers by row and column."""
    lines = iter(text.split("\n" + title + "\n", 1)[1].splitlines())
    lines = [line for line in lines if line.startswith("|") or line == ""]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line]
    rows = rows[: 2 + next((k for k, row in enumerate(rows[2:]) if row[0] == ""), len(rows))]
    return {
        row[0]: {name: float(cell) for name, cell in zip(rows[0][1:], row[1:]) if cell}
        for row in rows[2:]
    }


@pytest.fixture(scope="module")
def field(tmp_path_factory):
    """A simulated field of two repetitions with its exact values."""
    folder = tmp_path_factory.mktemp("field")
    run = program(
        *("simulate", folder / "field.csv", "--range", 0.2, "--points", COUNT),
        *("--repetitions", 2, "--exact-values", folder / "exact"),
    )
    assert run.returncode == 0, run.stderr
    return folder


def test_scores():
    """Of two points, by their definitions."""
    target = data_sets.Target(
        np.zeros((2, 2)), np.array([1.0, 3.0]), None, (np.array([0.5, 2.0]), np.array([2.0, 1.0]))
    )
    found = scores.of_prediction(np.array([0.0, 3.0]), np.array([1.0, 4.0]), target)
    assert found["RMSE"] == pytest.approx(np.sqrt(0.5), rel=1e-14)
    log = [0.5 + 0.5 * np.log(2 * np.pi), 0.5 * np.log(8 * np.pi)]
    assert found["log score"] == pytest.approx(np.mean(log), rel=1e-14)
    grid = np.linspace(-40, 40, 400001)
    crps = 0
    for mean, deviation, value in ((0, 1, 1), (3, 2, 3)):
        step = scipy.stats.norm.cdf((grid - mean) / deviation) - (grid >= value)
        crps += scipy.integrate.trapezoid(step**2, grid) / 2
    assert found["CRPS"] == pytest.approx(crps, abs=1e-4)
    assert found["RMSE of mean"] == pytest.approx(np.sqrt((0.25 + 1) / 2), rel=1e-14)
    assert found["RMSE of variance"] == pytest.approx(np.sqrt((1 + 9) / 2), rel=1e-14)
    divergence = [-0.5 * np.log(2) + 2.25 / 2 - 0.5, np.log(2) + 2 / 8 - 0.5]
    assert found["KL"] == pytest.approx(np.sum(divergence), rel=1e-14)


def test_field(field):
    """Points lie where the recipe has them; exact values are those of dense algebra."""
    sets = list(data_sets.simulated(field / "field.csv", [0.2], 0.5, 1.5, 1.5, field / "exact"))
    assert len(sets) == 2
    for data in sets:
        points = {kind: target.points for kind, target in data.targets.items()}
        assert {len(one) for one in points.values()} == {COUNT}
        assert (points["extra"] >= 0.5).all()
        for kind in ("train", "inter"):
            assert (points[kind] < 0.5).any(axis=1).all()

        def covariance(a, b):
            u = np.sqrt(3) * scipy.spatial.distance.cdist(a, b) / (0.2 / 2.74)
            return (1 + u) * np.exp(-u)

        matrix = covariance(data.points, data.points) + 0.5 * np.eye(COUNT)
        for target in data.targets.values():
            weights = np.linalg.solve(matrix, covariance(data.points, target.points)).T
            variance = 1 - np.sum(weights.T * covariance(data.points, target.points), axis=0)
            assert np.allclose(target.exact[0], weights @ data.values, rtol=0, atol=1e-10)
            assert np.allclose(target.exact[1], variance, rtol=0, atol=1e-10)
        for factor, value in zip((1, 2), data.exact_loglik):
            if factor == 1:
                normal = scipy.stats.multivariate_normal(np.zeros(COUNT), matrix)
                assert value == pytest.approx(-normal.logpdf(data.values), abs=1e-8)


def test_simulated(field):
    """With all points as neighbours the approximation is exact; with five it is not."""
    run = program(
        *("simulated", field / "field.csv", "--range", 0.2, "--repetitions", 2),
        *("--exact-values", field / "exact", "--methods", "exact", f"10>{COUNT}", 5, "10x64"),
    )
    assert run.returncode == 0, run.stderr
    fits = table_of(run.stdout, "Fits and likelihoods")
    exact, all_points, few, block = fits.values()
    assert abs(all_points["error"]) < 1e-7 and abs(all_points["error twice"]) < 1e-7
    assert exact["error"] == pytest.approx(0, abs=1e-7) and abs(few["error"]) > 1e-3
    assert abs(block["error"]) < 1e-7  # a block of all points
    for name in ("sigma2", "beta", "nugget"):
        assert all_points[name] == pytest.approx(exact[name], rel=0.02)
    for title in ("train", "interpolation", "extrapolation"):
        rows = list(table_of(run.stdout, f"Predictions: {title}").values())
        assert rows[1]["RMSE of mean"] < 1e-8 and rows[1]["RMSE of variance"] < 1e-8
        assert abs(rows[1]["KL"]) < 1e-8 < rows[2]["KL"]
        assert rows[1]["RMSE"] == pytest.approx(rows[0]["RMSE"], abs=1e-4)


def write_house(folder, random):
    """Files of the house prices with covariates, whose exact values say what one neighbour
    cannot."""
    (folder / "data").mkdir()
    (folder / "saved_values_exactGP").mkdir()
    files = data_sets.REAL["house_with_covs"]
    columns = ["intercept", *files.mean, files.value]
    for name, kind in ((files.train, "train"), *((f, k) for k, f in files.targets.items())):
        numbers = np.column_stack([np.ones(COUNT), random.random((COUNT, len(columns) - 1))])
        numbers[:, -1] += numbers[:, :-1] @ np.array(files.coefficients)
        np.savetxt(
            folder / "data" / name, numbers, delimiter=",", header=",".join(columns), comments=""
        )
        for what, values in (("mean", numbers[:, -1]), ("var", np.ones(COUNT))):
            path = folder / "saved_values_exactGP" / f"exact_pred_{what}_{kind}_{files.exact}.txt"
            np.savetxt(path, values)


def test_real(tmp_path):
    """Covariates and coordinates are in the mean, and rows of the comparison's files in report."""
    write_house(tmp_path, np.random.default_rng(3))
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "vecchia_house_num_neighbors5.txt").write_text(
        "Vecchia run with num_neighbors5\ntime for fitting: 2.5\nrmse mean interpolation: 0.25\n"
        "kl interpolation: 7.5\ntrue negloglik: \n",
        encoding="utf-8",
    )
    run = program(
        *("real", "house_with_covs", tmp_path, "--methods", "20>exact", COUNT),
        *("--published", theirs),
    )
    assert run.returncode == 0, run.stderr
    exact, all_points, published = table_of(run.stdout, "Fits and likelihoods").values()
    assert abs(all_points["error"]) < 1e-7 and published == {"fit": 2.5}
    data = data_sets.real("house_with_covs", tmp_path)
    mean = data.coefficients[0] + data.design @ data.coefficients[1:]
    process = ts.gp.given(
        data.points,
        data.values - mean,
        covariance={"family": "matern32", "range_convention": "scaled", **data.given},
        mean="zero",
        likelihood=True,
    )
    assert exact["-l"] == pytest.approx(-process.loglik, abs=1e-4)
    rows = table_of(run.stdout, "Predictions: interpolation")
    assert rows["vecchia_house_num_neighbors5"] == {"RMSE of mean": 0.25, "KL": 7.5}
    assert rows["Tessera, m = 20, then exact"]["RMSE"] < 0.5  # the mean has 2.2 of spread


def test_satellite_images(tmp_path):
    """Text without commas has numbers of rows; missing temperatures are no targets."""
    (tmp_path / "data").mkdir()
    for name, last in (("train", "9.5"), ("test", "NA")):
        (tmp_path / "data" / f"MODIS_data_{name}.txt").write_text(
            f'"east" "north" "temp"\n"1" 100 200 7.5\n"2" 101 203 8.5\n"3" 105 204 {last}\n',
            encoding="utf-8",
        )
    data = data_sets.real("modis23", tmp_path)
    assert np.array_equal(data.points, [[100, 200], [101, 203], [105, 204]])
    assert np.array_equal(data.targets["test"].values, [7.5, 8.5])
    assert np.array_equal(data.targets["test"].design, data.design[:2])
    first, *slopes = data_sets.REAL["modis23"].coefficients
    expected = first + data.points @ slopes
    assert np.allclose(data.coefficients[0] + data.design @ data.coefficients[1:], expected)
    assert data.family == "matern32" and data.targets["test"].exact is None


def test_refusals(tmp_path):
    run = program("real", "house", tmp_path)
    assert run.returncode == 1 and "house_train.csv is missing" in run.stderr
    run = program("real", "house", tmp_path, "--methods", "many")
    assert run.returncode == 1 and "missing" in run.stderr
    (tmp_path / "field.csv").write_text("x1,x2,y,f,which,rep\n", encoding="utf-8")
    run = program("simulated", tmp_path / "field.csv", "--range", 0.2)
    assert run.returncode == 1 and "has no points" in run.stderr


def test_repetitions_are_averaged():
    rows = report.Rows()
    rows.add("one", KL=1.0)
    rows.add("one", KL=2.0)
    assert list(rows) == [("one", {"KL": 1.5})]

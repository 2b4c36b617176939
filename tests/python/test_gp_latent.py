# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.gp with observations that are not Gaussian: the bits of tessera-gp, wrong arguments."""

import subprocess

import h5py
import numpy as np
import pytest

import tessera as ts

COVARIANCE = {"family": "matern32"}


@pytest.fixture(scope="module")
def counts():
    """200 points of a plane, their areas, and counts about a smooth function."""
    random = np.random.default_rng(8)
    xy, area = random.random((200, 2)), random.uniform(0.5, 2, 200)
    return xy, area, random.poisson(area * np.exp(1 + np.sin(5 * xy[:, 0]) + np.cos(6 * xy[:, 1])))


@pytest.fixture(scope="module")
def process(counts, optimizer):
    xy, area, count = counts
    return ts.gp.fit(xy, count, covariance=COVARIANCE, likelihood="poisson", exposure=area)


def run_program(counts, programs, folder, section):
    """A fit by the program, with this section more, to input.h5 in the folder."""
    rows = [",".join(repr(float(x)) for x in row) for row in np.column_stack(counts)]
    (folder / "data.csv").write_text("\n".join(["x,y,area,z", *rows, ""]))
    (folder / "input.yaml").write_text(
        "app: gp\ndata: {file: data.csv}\ncovariance: {family: matern32}\n"
        f"likelihood: {{family: poisson, exposure: area}}\nfit: {{}}\n{section}"
    )
    subprocess.run([programs / "tessera-gp", "input.yaml", "-q"], cwd=folder, check=True)


def test_bits_of_the_program(counts, process, programs, tmp_path):
    run_program(counts, programs, tmp_path, "predict: {grid: [7, 7]}\n")
    with h5py.File(tmp_path / "input.h5") as file:
        assert list(process.theta.values()) == file["results/theta"][0].tolist()
        assert list(process.errors.values()) == file["results/theta_se"][0].tolist()
        assert list(process.trend.values()) == file["results/trend"][0].tolist()
        assert process.loglik == file["results/loglik"][0]
        group = file["results/prediction"]
        found = process.predict(np.stack([group["x1"][()], group["x2"][()]], axis=1))
        for name in ("mean", "variance", "response_mean", "response_variance"):
            # the mode is found from the start here, there from that of the fit
            np.testing.assert_allclose(getattr(found, name), group[name][()], rtol=1e-6, atol=1e-7)


def test_predictions(process):
    assert isinstance(process, ts.gp.ResponseProcess) and process.converged
    assert process.response == {} and set(process.trend_errors) == {"constant"}
    assert repr(process).startswith("ResponseProcess(sigma2 = ")
    targets = np.random.default_rng(2).random((30, 2))
    found = process.predict(targets, draws=400, quantiles=[0.025, 0.5, 0.975], seed=3)
    assert isinstance(found, ts.gp.ResponsePrediction)
    assert found.quantiles.shape == (30, 3) and (np.diff(found.quantiles) >= 0).all()
    assert found.draws.shape == found.response_draws.shape == (30, 400)
    error = np.sqrt(found.response_variance / 400)
    assert (np.abs(found.response_draws.mean(axis=1) - found.response_mean) < 5 * error).all()
    assert (np.abs(found.draws.mean(axis=1) - found.mean) < 5 * found.std / 20).all()
    plain = process.predict(targets)
    assert plain.draws is None and plain.quantiles is None and plain.response_draws is None


def test_parameters_of_the_law(counts, optimizer):
    xy, _, count = counts
    law = {"family": "negative_binomial", "size": 3}
    free = ts.gp.fit(xy, count, covariance=COVARIANCE, likelihood=law)
    assert set(free.response) == {"size"} and free.response["size"] != 3
    assert "size = " in repr(free)
    fixed = ts.gp.fit(xy, count, covariance=COVARIANCE, likelihood=law, options={"fixed": ["size"]})
    assert fixed.response == {"size": 3.0} and np.isnan(fixed.response_errors["size"])
    assert np.isfinite(fixed.predict(xy[:3]).response_mean).all()


def test_probabilities(counts, optimizer):
    xy, _, count = counts
    process = ts.gp.fit(
        xy,
        count > 4,
        covariance=COVARIANCE,
        mean="zero",
        likelihood={"family": "bernoulli", "link": "probit"},
        options={"standard_errors": "none"},
    )
    assert process.trend == {} and all(np.isnan(error) for error in process.errors.values())
    probability = process.predict(xy).response_mean
    assert ((probability > 0) & (probability < 1)).all()
    assert probability[count > 4].mean() > probability[count <= 4].mean() + 0.2


def test_quantiles_of_gaussian_observations(counts, optimizer):
    xy, _, count = counts
    process = ts.gp.given(
        xy, np.log1p(count), covariance={**COVARIANCE, "sigma2": 1, "beta": 0.3, "nugget": 0.2}
    )
    found = process.predict(xy[:4] + 0.01, quantiles=[0.5, 0.975])
    np.testing.assert_allclose(found.quantiles[:, 0], found.mean, atol=1e-12)
    np.testing.assert_allclose(
        found.quantiles[:, 1], found.mean + 1.959963984540054 * np.sqrt(found.variance + 0.2)
    )


def test_cross_validation(counts, process, programs, tmp_path):
    """Against the file of the program: a fit whose folds it predicts in the same run."""
    _, _, count = counts
    run_program(counts, programs, tmp_path, "cross_validation: {folds: 4}\n")
    found = process.cross_validate(4)
    assert isinstance(found, ts.gp.ResponseCrossValidation)
    np.testing.assert_array_equal(found.observed, count)
    assert list(found.scores) == ["rmse", "mspe", "crps", "log_score", "coverage_95"]
    with h5py.File(tmp_path / "input.h5") as file:
        group = file["results/cross_validation"]
        np.testing.assert_array_equal(found.fold, group["fold"])
        for name in (
            *("mean", "variance", "response_mean", "response_variance"),
            *("log_density", "probability"),
        ):
            # the mode is found from the start here, there from that of the fit
            np.testing.assert_allclose(getattr(found, name), group[name], rtol=1e-6, atol=1e-7)
        for name in ("mspe", "crps", "log_score", "coverage_95"):
            assert found.scores[name] == pytest.approx(group.attrs[name], rel=1e-6)
    assert found.scores["log_score"] == pytest.approx(-found.log_density.mean(), rel=1e-12)
    assert found.scores["mspe"] == pytest.approx(((count - found.response_mean) ** 2).mean())


def test_cross_validation_of_laws_with_parameters(counts, optimizer):
    """Probabilities, whose scores are others, and a law with a parameter of its own."""
    xy, _, count = counts
    quick = {"covariance": COVARIANCE, "options": {"standard_errors": "none"}}
    process = ts.gp.fit(xy, count > 4, likelihood="bernoulli", **quick)
    found = process.cross_validate(5)
    assert list(found.scores) == ["log_score", "brier_score", "misclassified"]
    error = found.response_mean - (count > 4)
    assert found.scores["brier_score"] == pytest.approx((error**2).mean(), rel=1e-12)
    process = ts.gp.fit(xy, count + 0.5, likelihood="gamma", **quick)
    found = process.cross_validate(5)
    assert 0.8 < found.scores["coverage_95"] <= 1 and (found.response_variance > 0).all()
    with pytest.raises(ts.InputError, match="^one fold leaves nothing"):
        process.cross_validate(1)


def test_messages_name_arguments(counts, optimizer):
    xy, area, count = counts

    def fit(values, **arguments):
        return ts.gp.fit(xy, values, covariance=COVARIANCE, **arguments)

    wrong = count.astype(float)
    wrong[7] = 2.5
    for values, arguments, message in (
        (wrong, {"likelihood": "poisson"}, r"values\[7\] is 2.5, which is not an integer"),
        (np.ones(200), {"likelihood": "bernoulli"}, "all values are 1"),
        (count, {"likelihood": "poison"}, "did you mean 'poisson'"),
        (count, {"exposure": area}, "exposure is for counts"),
        (
            count,
            {"likelihood": "poisson", "exposure": np.where(area > 1.9, 0, area)},
            r"exposure\[\d+\] is 0, but must be above 0",
        ),
        (
            xy[:, 0] > 0.4,
            {"likelihood": "bernoulli", "mean": "linear"},
            r"its column 'points\[:, 0\]' separates the observations 0 from 1",
        ),
        (count, {"likelihood": "poisson", "method": "exact"}, "needs Vecchia's approximation"),
    ):
        with pytest.raises(ts.InputError, match=message):
            fit(values, **arguments)

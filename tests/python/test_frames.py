# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Tables of geopandas and polars, and quantities of pint: obeyed on the way in, kept on the way
out. Each skipped where its library is missing."""

import importlib

import numpy as np
import pytest

import tessera as ts

NO = {
    "geopandas": "there is no geopandas: apt-get install python3-geopandas, or pip install geopandas",
    "pint": "there is no pint: apt-get install python3-pint, or pip install pint",
    "polars": "there is no polars: pip install polars",
}
RANDOM = np.random.default_rng(8)
XY = RANDOM.random((40, 2)) * 5
Z = np.sin(XY[:, 0]) + XY[:, 1]
AT = RANDOM.random((6, 2)) * 5
COVARIANCE = {"family": "matern32", "sigma2": 2.0, "beta": 1.5, "nugget": 0.01}


@pytest.fixture(scope="module")
def plain():
    return ts.gp.given(XY, Z, covariance=COVARIANCE).predict(AT)


def test_points_of_geopandas(plain):
    geopandas = pytest.importorskip("geopandas", reason=NO["geopandas"])

    def frame(xy, **columns):
        return geopandas.GeoDataFrame(
            columns, geometry=geopandas.points_from_xy(*xy.T), crs="EPSG:32632"
        )

    table, targets = frame(XY, z=Z), frame(AT)
    targets.index = [f"site {k}" for k in range(len(AT))]
    process = ts.gp.given(table, table["z"], covariance=COVARIANCE)
    found = process.predict(targets)
    np.testing.assert_array_equal(found.mean, plain.mean)
    assert list(found.mean.index) == list(targets.index) == list(found.std.index)
    np.testing.assert_array_equal(process.predict(targets.geometry).mean, plain.mean)
    assert list(process.cross_validate(4).fold.index) == list(table.index)
    with pytest.raises(ts.InputError, match="to_crs"):
        process.predict(targets.to_crs("EPSG:32633"))
    with pytest.raises(ts.InputError, match="Polygon.*\n.*centroid"):
        process.predict(targets.buffer(1))
    degrees = table.set_crs("EPSG:4326", allow_override=True)
    with pytest.warns(ts.TesseraWarning, match="longitudes and latitudes"):
        ts.gp.given(degrees, Z, covariance=COVARIANCE)
    on_sphere = {**COVARIANCE, "metric": "great_circle", "beta": 300.0, "family": "matern12"}
    found = ts.gp.given(degrees, Z, covariance=on_sphere).predict(AT[:, ::-1])
    right = ts.gp.given(XY[:, ::-1], Z, covariance=on_sphere).predict(AT[:, ::-1])
    np.testing.assert_array_equal(found.mean, right.mean)


def test_points_that_are_missing():
    geopandas = pytest.importorskip("geopandas", reason=NO["geopandas"])
    points = geopandas.GeoSeries(geopandas.points_from_xy(*XY.T))
    points.iloc[3] = None
    with pytest.raises(ts.InputError, match=r"points\[3, 0\]"):
        ts.gp.given(points, Z, covariance=COVARIANCE).predict(AT)


def test_quantities_of_pint(plain):
    pint = pytest.importorskip("pint", reason=NO["pint"])
    unit = pint.UnitRegistry()
    points, values = XY * unit.km, Z * unit.kelvin
    covariance = {
        **COVARIANCE,
        "beta": 1500 * unit.m,
        "sigma2": 2.0 * unit.kelvin**2,
        "nugget": 0.01 * unit.kelvin**2,
    }
    process = ts.gp.given(points, values, covariance=covariance)
    found = process.predict(AT * 1000 * unit.m)
    np.testing.assert_allclose(found.mean.to("kelvin").magnitude, plain.mean, rtol=1e-12)
    assert found.variance.units == unit.kelvin**2 and found.std.units == unit.kelvin
    folds = process.cross_validate(4)
    assert folds.mean.units == folds.std.units == folds.observed.units == unit.kelvin
    assert folds.variance.units == unit.kelvin**2 and folds.fold.dtype == int
    right = ts.gp.given(XY, Z, covariance=COVARIANCE).cross_validate(4)
    np.testing.assert_allclose(folds.mean.magnitude, right.mean, rtol=1e-12)
    assert folds.scores["rmse"] == pytest.approx(right.scores["rmse"], rel=1e-12)
    with pytest.raises(ts.InputError, match="have none"):
        process.predict(AT)
    with pytest.raises(ts.InputError, match="converted"):
        process.predict(AT * unit.second)
    with pytest.raises(ts.InputError, match="converted"):
        ts.gp.given(points, values, covariance={**covariance, "beta": 2.0 * unit.second})
    assert ts.bessel.k(0.5, 2000 * unit.m / unit.km) == ts.bessel.k(0.5, 2.0)
    with pytest.raises(ts.InputError, match="converted"):
        ts.bessel.k(0.5, 2.0 * unit.m)


def test_columns_of_points_go_by_name():
    """Targets whose columns stand in another order are arranged, and other names are refused."""
    pandas = pytest.importorskip("pandas", reason="there is no pandas")
    process = ts.gp.given(pandas.DataFrame(XY, columns=["a", "b"]), Z, covariance=COVARIANCE)
    targets = pandas.DataFrame(AT, columns=["a", "b"])
    expected = ts.gp.given(XY, Z, covariance=COVARIANCE).predict(AT).mean
    for found in (process.predict(targets), process.predict(targets[["b", "a"]])):
        np.testing.assert_array_equal(found.mean, expected)
    with pytest.raises(ts.InputError, match="columns b, x, and the points a, b\n  remedy"):
        process.predict(targets.rename(columns={"a": "x"})[["b", "x"]])
    turned = pandas.DataFrame(XY, columns=["longitude", "latitude"])
    with pytest.raises(ts.InputError, match="the latitude comes first"):
        ts.gp.fit(turned, Z, covariance={"family": "matern32", "metric": "great_circle"})
    with pytest.raises(ts.InputError, match="there are no points"):
        ts.gp.fit([], [])


def test_fills_of_quantities():
    """Filled in their unit; deviations in that of differences."""
    pint = pytest.importorskip("pint", reason=NO["pint"])
    unit = pint.UnitRegistry()
    z = np.random.default_rng(0).random((9, 8))
    z[2:4, 3:5] = np.nan
    right = ts.mpr.fill(z, seed=1)
    for of, differences in ((unit.kelvin, unit.kelvin), (unit.degC, unit.delta_degC)):
        found = ts.mpr.fill(unit.Quantity(z, of), seed=1)
        for part in ("filled", "mean"):
            assert getattr(found, part).units == of
            np.testing.assert_array_equal(getattr(found, part).magnitude, getattr(right, part))
        assert found.std.units == differences
        np.testing.assert_array_equal(found.std.magnitude, right.std)
        assert found.quantile(0.9).units == found.quantile([0.1, 0.9]).units == of
        assert found.ensemble(2).units == of and found.ensemble(2).shape == (2, 9, 8)
        assert str(of) in found._repr_html_()
    values = unit.Quantity(Z, unit.degC)
    process = ts.gp.given(XY, values, covariance={**COVARIANCE, "sigma2": 2 * unit.kelvin**2})
    assert process.predict(AT).std.units == unit.delta_degC


@pytest.mark.parametrize("chunks", [None, 4])
def test_fills_of_labelled_quantities(chunks):
    pint = pytest.importorskip("pint", reason=NO["pint"])
    xarray = pytest.importorskip("xarray", reason="there is no xarray")
    importlib.import_module("tessera.xarray")
    unit = pint.UnitRegistry()
    z = np.random.default_rng(0).random((9, 8))
    z[2:4, 3:5] = np.nan
    values = z
    if chunks:
        array = pytest.importorskip("dask.array", reason="there is no dask")
        values = array.from_array(z, chunks=chunks)
    labelled = xarray.DataArray(unit.Quantity(values, unit.degC), dims=("y", "x"), name="t")
    right = ts.mpr.fill(z, seed=1)
    for field in (labelled, xarray.Dataset({"t": labelled, "bare": (("y", "x"), z)})):
        found = field.tessera.fill(std=True, seed=1)
        assert found["t"].data.units == unit.degC and found["t_std"].data.units == unit.delta_degC
        np.testing.assert_array_equal(np.asarray(found["t"].data.magnitude), right.filled)
        np.testing.assert_array_equal(np.asarray(found["t_std"].data.magnitude), right.std)
    assert not hasattr(found["bare"].data, "units")


def test_stable_laws_of_quantities():
    pint = pytest.importorskip("pint", reason=NO["pint"])
    unit = pint.UnitRegistry()
    x = np.linspace(-4, 5, 7)
    law, loc, scale = (1.6, 0.3), 500 * unit.mm, 2 * unit.m
    plain = {"loc": 0.5, "scale": 2.0}
    pdf = ts.stable.pdf(x * unit.m, *law, loc, scale)
    assert pdf.units == 1 / unit.m
    np.testing.assert_array_equal(pdf.magnitude, ts.stable.pdf(x, *law, **plain))
    for name in ("cdf", "sf", "logcdf", "logsf"):
        function = getattr(ts.stable, name)
        found = function(x * 100 * unit.cm, *law, loc=loc, scale=scale)
        np.testing.assert_allclose(found, function(x, *law, **plain), rtol=1e-14)
    for name in ("ppf", "isf"):
        function = getattr(ts.stable, name)
        found = function([0.1, 0.7], *law, loc, scale).to("m")
        np.testing.assert_allclose(found.magnitude, function([0.1, 0.7], *law, **plain), rtol=1e-14)
    found = ts.stable.rvs(*law, 0, scale, size=4, random_state=7)
    assert found.units == unit.m
    np.testing.assert_array_equal(
        found.magnitude, ts.stable.rvs(*law, 0, 2.0, size=4, random_state=7)
    )
    low, high = ts.stable.support(0.5, 1.0, loc, scale)
    assert (low.to("m").magnitude, high.magnitude) == pytest.approx(
        ts.stable.support(0.5, 1.0, **plain)
    )
    out = np.empty(7)
    assert ts.stable.cdf(x * unit.m, *law, loc, scale, out=out) is out
    face = ts.stable.levy_stable
    assert face.cdf(x * unit.m, *law, loc, scale) == pytest.approx(face.cdf(x, *law, **plain))
    assert face.rvs(*law, loc, scale, random_state=1).units == unit.mm
    # ratios are numbers
    assert ts.stable.pdf(1000 * unit.mm / unit.m, *law) == ts.stable.pdf(1.0, *law)


def test_fits_of_quantities():
    """Location and scale are quantities; of degC the scale and errors are differences."""
    pint = pytest.importorskip("pint", reason=NO["pint"])
    unit = pint.UnitRegistry()
    sample = ts.stable.rvs(1.6, 0.3, 3, 2, size=400, random_state=2)
    right = ts.stable.fit(sample)
    law = ts.stable.fit(unit.Quantity(sample, unit.degC))
    assert law.loc.units == unit.degC and law.scale.units == unit.delta_degC
    assert (law.loc.magnitude, law.scale.magnitude) == (right.loc, right.scale)
    assert law.errors["loc"].units == unit.delta_degC and law.alpha == right.alpha
    low, high = law.interval("loc")
    assert (low.magnitude, high.magnitude) == pytest.approx(right.interval("loc"))
    assert law.quantile(0.2).units == unit.degC
    assert law.cdf(unit.Quantity(3.0, unit.degC)) == right.cdf(3.0)
    assert law.to("S1").loc.magnitude == right.to("S1").loc
    assert "delta_degree_Celsius" in law._repr_html_()
    rows = ts.stable.fit(np.stack([sample, 2 * sample]) * unit.m)
    assert rows[1].scale.units == unit.m
    fixed = ts.stable.fit(sample * unit.m, fixed={"loc": 3000 * unit.mm, "scale": 2 * unit.m})
    assert fixed.loc == 3 * unit.m and fixed.scale == 2 * unit.m


@pytest.mark.parametrize(
    "call, text",
    [
        (
            lambda u: ts.stable.pdf(1.0 * u.m, 1.5, 0.0),
            "x has a unit, and scale has none\n.*1 \\* unit",
        ),
        (lambda u: ts.stable.cdf(1.0, 1.5, 0.0, scale=2 * u.m), "x has none"),
        (lambda u: ts.stable.cdf(1 * u.m, 1.5, 0.0, 1.0, 2 * u.m), "loc has no unit"),
        (lambda u: ts.stable.cdf(1 * u.m, 1.5, 0.0, 1 * u.s, 2 * u.m), "loc.*\n.*converted"),
        (lambda u: ts.stable.logpdf(1 * u.m, 1.5, 0.0, scale=2 * u.m), "depends on its unit"),
        (
            lambda u: ts.stable.cdf(u.Quantity(1, "degC"), 1.5, 0, scale=2 * u.kelvin),
            "loc has no unit",
        ),
        (
            lambda u: ts.stable.ppf(0.3, 1.5, 0, u.Quantity(1, "degC"), u.Quantity(2, "degC")),
            "give it in delta_degree_Celsius",
        ),
        (
            lambda u: ts.stable.pdf(1 * u.m, 1, 0.5, scale=2 * u.m, parameterization="S1"),
            "S1 with alpha = 1",
        ),
        (
            lambda u: ts.stable.pdf([1.0] * u.m, 1.5, 0, scale=2 * u.m, out=np.empty(1)),
            "out is an array of numbers",
        ),
        (lambda u: ts.stable.fit(np.arange(9.0) * u.m, fixed={"loc": 2.0}), "has no unit"),
        (lambda u: ts.stable.levy_stable.pdf(1.0 * u.m, 1.5, 0.0), "scale has none"),
        (lambda u: ts.bessel.k(0.5, 1.0 * u.m), "converted to a number, or its number, .magnitude"),
    ],
)
def test_units_that_do_not_go_together(call, text):
    pint = pytest.importorskip("pint", reason=NO["pint"])
    with pytest.raises(ts.InputError, match=text):
        call(pint.UnitRegistry())


def series(values, name="x"):
    pandas = pytest.importorskip("pandas", reason="there is no pandas")
    return pandas.Series(values, index=[f"row {k}" for k in range(len(values))], name=name)


X = np.array([0.3, 1.0, 2.5])
OF_COLUMNS = {
    "k": lambda x: ts.bessel.k(0.7, x),
    "kv": lambda x: ts.bessel.kv(0.7, x),
    "kve": lambda x: ts.bessel.kve(x, 2.0),
    "kn": lambda x: ts.bessel.kn(2, x),
    "log_k": lambda x: ts.bessel.log_k(0.7, x=x),
    "dlog_k_dnu": lambda x: ts.bessel.dlog_k_dnu(x, x),
    "where": lambda x: ts.bessel.kv(0.7, x, where=np.array([True, True, True])),
    "i": lambda x: ts.bessel.i(0.7, x),
    "ive": lambda x: ts.bessel.ive(0.7, x),
    "spherical_kn": lambda x: ts.bessel.spherical_kn(1, x),
    "matern": lambda x: ts.bessel.matern(1.3, x),
    "pdf": lambda x: ts.stable.pdf(x, 1.5, 0.2),
    "pdf of scales": lambda x: ts.stable.pdf(1.0, 1.5, 0.2, scale=x),
    "logsf": lambda x: ts.stable.logsf(x, 1.5, 0.2, loc=x),
    "ppf": lambda x: ts.stable.ppf(x / 3, 1.5, 0.2),
    "isf": lambda x: ts.stable.isf(x / 3, 1.5, 0.2),
    "law": lambda x: ts.stable.Law(1.5, 0.2).cdf(x),
    "rvs": lambda x: ts.stable.rvs(1.5, 0.2, scale=x, random_state=3),
    "levy_stable": lambda x: ts.stable.levy_stable.pdf(x, 1.5, 0.2),
}


@pytest.mark.parametrize("name", OF_COLUMNS)
def test_columns_of_pandas_keep_their_index(name):
    column = series(X)
    found = OF_COLUMNS[name](column)
    assert type(found) is type(column) and found.index.equals(column.index) and found.name == "x"
    np.testing.assert_array_equal(found.to_numpy(), OF_COLUMNS[name](X))


def test_boys_functions_of_columns():
    column = series(X)
    found, right = ts.boys.boys(3, column), ts.boys.boys(3, X)
    assert found.index.equals(column.index) and found.shape == (3, 4)
    for order in range(4):
        np.testing.assert_array_equal(found[order].to_numpy(), right[order])


def test_tables_and_several_columns():
    column, other = series(X), series(X + 1, "other")
    assert ts.bessel.kv(column, other).name is None
    table = column.to_frame().assign(b=X + 1)
    found = ts.bessel.kv(0.5, table)
    assert found.index.equals(table.index) and list(found.columns) == ["x", "b"]
    np.testing.assert_array_equal(found.to_numpy(), ts.bessel.kv(0.5, table.to_numpy()))
    # what has another shape, and what lies in `out`, are arrays
    assert type(ts.bessel.kv(np.ones((2, 1)), column)) is np.ndarray
    out = np.empty(3)
    for given in (out, (out,)):
        assert ts.bessel.kv(0.5, column, given) is out
    assert ts.stable.pdf(column, 1.5, 0.2, out=out) is out
    with pytest.raises(ts.InputError, match="other indices.*\n.*reindex"):
        ts.bessel.kv(column, other.rename(lambda label: label + "!"))


def test_tables_of_polars(plain):
    polars = pytest.importorskip("polars", reason=NO["polars"])
    table = polars.DataFrame({"x": XY[:, 0], "y": XY[:, 1], "z": Z})
    process = ts.gp.given(table[["x", "y"]], table["z"], covariance=COVARIANCE)
    found = process.predict(polars.DataFrame(AT, schema=["x", "y"]), draws=2, seed=1)
    assert isinstance(found.mean, polars.Series) and found.draws.shape == (6, 2)
    np.testing.assert_array_equal(found.mean.to_numpy(), plain.mean)
    folds = process.cross_validate(4)
    assert isinstance(folds.mean, polars.Series) and folds.fold.to_numpy().max() == 3
    column = polars.Series("x", [0.5, None, 2.0])
    masked = ts.bessel.k(0.5, column)
    assert masked.mask.tolist() == [False, True, False]
    assert masked[2] == ts.bessel.k(0.5, 2.0)
    with pytest.raises(ts.ArgumentTypeError, match="real numbers"):
        ts.bessel.k(0.5, polars.Series("name", ["a", "b"]))
    law = ts.stable.fit(polars.Series("r", ts.stable.rvs(1.5, 0.2, size=300, random_state=1)))
    assert 1 < law.alpha <= 2

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Tables of geopandas and polars, and quantities of pint: obeyed on the way in, kept on the way
out. Each skipped where its library is missing."""

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
    with pytest.raises(ts.InputError, match="have none"):
        process.predict(AT)
    with pytest.raises(ts.InputError, match="converted"):
        process.predict(AT * unit.second)
    with pytest.raises(ts.InputError, match="converted"):
        ts.gp.given(points, values, covariance={**covariance, "beta": 2.0 * unit.second})
    assert ts.bessel.k(0.5, 2000 * unit.m / unit.km) == ts.bessel.k(0.5, 2.0)
    with pytest.raises(ts.InputError, match="converted"):
        ts.bessel.k(0.5, 2.0 * unit.m)


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
    import tessera.xarray  # noqa: F401

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


def test_tables_of_polars(plain):
    polars = pytest.importorskip("polars", reason=NO["polars"])
    table = polars.DataFrame({"x": XY[:, 0], "y": XY[:, 1], "z": Z})
    process = ts.gp.given(table[["x", "y"]], table["z"], covariance=COVARIANCE)
    found = process.predict(polars.DataFrame(AT, schema=["x", "y"]), draws=2, seed=1)
    assert isinstance(found.mean, polars.Series) and found.draws.shape == (6, 2)
    np.testing.assert_array_equal(found.mean.to_numpy(), plain.mean)
    column = polars.Series("x", [0.5, None, 2.0])
    masked = ts.bessel.k(0.5, column)
    assert masked.mask.tolist() == [False, True, False]
    assert masked[2] == ts.bessel.k(0.5, 2.0)
    with pytest.raises(ts.ArgumentTypeError, match="real numbers"):
        ts.bessel.k(0.5, polars.Series("name", ["a", "b"]))
    law = ts.stable.fit(polars.Series("r", ts.stable.rvs(1.5, 0.2, size=300, random_state=1)))
    assert 1 < law.alpha <= 2

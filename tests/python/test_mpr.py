# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.mpr: the bits of tessera-mpr, NaN and masks, xarray in and out."""

import concurrent.futures
import copy
import pickle
import subprocess
import tempfile
import warnings

import h5py
import numpy as np
import pytest

import tessera as ts


@pytest.fixture(scope="module")
def image():
    """A smooth field of 40 x 50 sites; a third of it and a block are gaps."""
    y, x = np.mgrid[0:40, 0:50]
    z = (10 + np.sin(x / 7) * np.cos(y / 5) + 0.02 * x).astype(np.float32)
    gaps = np.random.default_rng(1).random(z.shape) < 0.33
    gaps[10:16, 20:28] = True
    return z, gaps


def gappy(image):
    z, gaps = image
    return np.where(gaps, np.nan, z).astype(z.dtype)


def test_bits_of_the_program(image, backend, programs, tmp_path):
    np.save(tmp_path / "z.npy", gappy(image))
    (tmp_path / "in.yaml").write_text(
        "app: mpr\ninput: {file: z.npy}\nrun: {seed: 4}\noutput: {quantiles: [0.025, 0.975], ensemble: 3}\n"
    )
    subprocess.run(
        [programs / "tessera-mpr", "in.yaml", "--backend", backend, "-q"], cwd=tmp_path, check=True
    )
    found = ts.mpr.fill(gappy(image), quantiles=[0.025, 0.975], ensemble=3, seed=4, backend=backend)
    with h5py.File(tmp_path / "in.h5") as file:
        results = file["results"]
        for name, values in {
            "filled": found.filled,
            "mean": found.mean,
            "std": found.std,
            "quantile_0.025": found.quantile(0.025),
            "quantile_0.975": found.quantile(0.975),
            "ensemble": found.ensemble(3),
        }.items():
            np.testing.assert_array_equal(
                values, results[name][:].reshape(values.shape), err_msg=name
            )


def test_no_files(image, tmp_path, monkeypatch):
    """Arrays and results stay in memory, whatever the order of the array, and of several threads at
    once."""
    z = gappy(image)
    expected = ts.mpr.fill(z)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    found = ts.mpr.fill(np.asfortranarray(z))
    np.testing.assert_array_equal(found.filled, expected.filled)
    np.testing.assert_array_equal(
        ts.mpr.fill(np.repeat(z, 2, axis=1)[:, ::2]).filled, expected.filled
    )
    assert "memory:data" in found.results.resolved
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        fields = [z, z[::-1], z[:, ::-1], z[:30]]
        for field, other in zip(fields, pool.map(ts.mpr.fill, fields)):
            np.testing.assert_array_equal(other.filled, ts.mpr.fill(field).filled)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("size", (4, 24))
def test_the_field_alone(image, backend, size):
    """Without standard deviations a fill has the same bits, of short gaps and of wide ones, and
    makes them when they are asked for."""
    z = image[0].copy()
    for row in range(2, 40 - size, size + 4):
        z[row : row + size, 10 : 10 + size] = np.nan
    inactive = np.zeros(z.shape, bool)
    inactive[:, -3:] = True
    options = {"inactive": inactive, "seed": 3, "backend": backend}
    whole, alone = ts.mpr.fill(z, **options), ts.mpr.fill(z, std=False, **options)
    np.testing.assert_array_equal(alone.filled, whole.filled)
    np.testing.assert_array_equal(alone.mean, whole.mean)
    np.testing.assert_array_equal(alone.quantile(0.9), whole.quantile(0.9))
    np.testing.assert_array_equal(alone.std, whole.std)
    paper = {"model": {"mode": "paper"}, **options}
    whole, alone = ts.mpr.fill(z, **paper), ts.mpr.fill(z, std=False, **paper)
    np.testing.assert_array_equal(alone.filled, whole.filled)


def test_fills_well(image):
    z, gaps = image
    found = ts.mpr.fill(gappy(image))
    assert found.filled.dtype == np.float32 and found.filled.shape == z.shape
    np.testing.assert_array_equal(found.filled[~gaps], z[~gaps])
    assert np.abs(found.filled - z)[gaps].max() < 0.5 and np.isfinite(found.filled).all()
    assert (found.std[~gaps] == 0).all() and (found.std[gaps] > 0).all()
    low, high = found.quantile(0.025), found.quantile(0.975)
    assert ((low <= found.mean) & (found.mean <= high)).all()
    members = found.ensemble(4)
    assert (
        members.shape == (4, *z.shape)
        and (members[:, ~gaps] == z[~gaps]).all()
        and (members[0] != members[1]).any()
    )
    many = found.ensemble(50)[:, gaps]  # more than the sweeps of a fill without them
    assert len(np.unique(many, axis=0)) == 50
    np.testing.assert_array_equal(np.asarray(found), found.filled)
    assert f"{gaps.sum()} of them filled" in repr(found)


def test_constant_images():
    z = np.full((2, 40, 50), 7.25)
    z[1] = -3
    z[:, 5:30, 10:40] = np.nan
    found = ts.mpr.fill(z, ensemble=2)
    for n, value in enumerate((7.25, -3)):
        assert (found.filled[n] == value).all() and (found.std[n] == 0).all()
        assert (found.quantile(0.1)[n] == value).all() and (found.ensemble(2)[:, n] == value).all()


def test_ways_to_say_what_is_missing(image):
    z, gaps = image
    expected = ts.mpr.fill(gappy(image)).filled
    np.testing.assert_array_equal(ts.mpr.fill(z, gaps).filled, expected)
    np.testing.assert_array_equal(ts.mpr.fill(np.ma.masked_array(z, gaps)).filled, expected)
    some = gaps & (np.arange(50) < 25)
    np.testing.assert_array_equal(ts.mpr.fill(np.ma.masked_array(z, some), gaps).filled, expected)
    np.testing.assert_array_equal(ts.mpr.fill(np.where(some, np.nan, z), gaps).filled, expected)
    np.testing.assert_array_equal(
        ts.mpr.fill(gappy(image).astype(float)).filled.astype(np.float32), expected
    )
    whole = ts.mpr.fill(np.ma.masked_array(np.round(10 * z).astype(np.int16), gaps)).filled
    assert whole.dtype == np.float64 and (whole[~gaps] == np.round(10 * z)[~gaps]).all()
    inactive = np.zeros_like(gaps)
    inactive[:5] = True
    found = ts.mpr.fill(z, gaps, inactive=inactive)
    assert np.isnan(found.mean[:5]).all() and np.isfinite(found.mean[5:]).all()


def test_frames(image):
    z, gaps = image
    stack = np.stack([gappy(image), np.where(gaps[::-1], np.nan, 2 * z)]).astype(np.float32)
    assert ts.mpr.fill(stack).filled.shape == stack.shape
    assert np.isfinite(ts.mpr.fill(stack, third_axis="coupled").filled).all()
    np.testing.assert_array_equal(ts.mpr.fill(np.stack([z, z]), gaps).filled[0][~gaps], z[~gaps])


def test_wrong_arguments(image):
    z, gaps = image
    for wrong, why in (
        (z[0], "1 dimensions"),
        (np.full((8, 8), np.nan), "sample"),
        (np.where(gaps, np.nan, np.where(z > 10, np.inf, z)), "infinite"),
    ):
        with pytest.raises(ts.InputError, match=why):
            ts.mpr.fill(wrong)
    with pytest.raises(TypeError):
        ts.mpr.fill(z.astype(complex))
    with pytest.raises(ts.InputError, match="mask has the shape"):
        ts.mpr.fill(z, gaps[:-1])
    with pytest.raises(TypeError, match="mask holds"):
        ts.mpr.fill(z, z)
    with pytest.raises(ts.InputError, match="unknown key 'colour'"):
        ts.mpr.fill(z, gaps, model={"colour": 1})


def labelled(image):
    xarray = pytest.importorskip("xarray")
    z, _ = image
    return xarray.DataArray(
        gappy(image),
        dims=("lat", "lon"),
        name="sst",
        attrs={"units": "K", "long_name": "sea surface"},
        coords={
            "lat": ("lat", np.linspace(60, 50, 40), {"units": "degrees_north"}),
            "lon": np.linspace(0, 5, 50),
            "area": (("lat", "lon"), np.ones(z.shape)),
            "time": np.datetime64("2026-01-01"),
        },
    )


def test_data_arrays_keep_coordinates_and_attributes(image):
    xarray = pytest.importorskip("xarray")
    da = labelled(image)
    found = ts.mpr.fill(da, ensemble=2)
    for made in (found.filled, found.mean, found.std, found.quantile(0.5)):
        assert made.name == "sst" and made.attrs == da.attrs
        xarray.testing.assert_identical(made.coords.to_dataset(), da.coords.to_dataset())
    xarray.testing.assert_identical(found.filled.where(da.notnull()), da)
    assert int(found.filled.isnull().sum()) == 0
    np.testing.assert_array_equal(found.filled.values, ts.mpr.fill(da.values).filled)
    members = found.ensemble(2)
    assert members.dims == ("member", "lat", "lon") and members.attrs == da.attrs
    xarray.testing.assert_identical(
        members.isel(member=0).coords.to_dataset(), da.coords.to_dataset()
    )
    # Masks go by the names of dimensions, whatever their order.
    mask = xarray.DataArray(np.asarray(da.isnull()).T, dims=("lon", "lat"))
    np.testing.assert_array_equal(
        ts.mpr.fill(da.fillna(0), mask).filled.values, found.filled.values
    )


def test_datasets_and_the_accessor(image):
    xarray = pytest.importorskip("xarray")
    import tessera.xarray  # noqa: F401

    da = labelled(image)
    ds = xarray.Dataset(
        {
            "sst": da,
            "flag": (("lat", "lon"), np.ones(da.shape, int)),
            "mean_of_row": ("lat", np.ones(40)),
        },
        attrs={"title": "t"},
    )
    filled = ds.tessera.fill()
    xarray.testing.assert_identical(filled.drop_vars("sst"), ds.drop_vars("sst"))
    xarray.testing.assert_identical(filled.sst, da.tessera.fill())
    assert filled.attrs == ds.attrs
    with pytest.raises(ts.InputError, match="no variable"):
        ds[["flag"]].tessera.fill()


class Affine:
    """Coefficients as the class of that name has them."""

    def __init__(self, a, b, c, d, e, f):
        self.a, self.b, self.c, self.d, self.e, self.f = a, b, c, d, e, f

    def __iter__(self):
        return iter((self.a, self.b, self.c, self.d, self.e, self.f, 0.0, 0.0, 1.0))


class Crs:
    def to_wkt(self):
        return (
            'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],'
            'UNIT["degree",0.0174532925199433]]'
        )


def profile_of(z, **changes):
    return {
        "driver": "GTiff",
        "dtype": str(z.dtype),
        "nodata": -9999,
        "width": z.shape[-1],
        "height": z.shape[-2],
        "count": 1,
        "crs": Crs(),
        "transform": Affine(0.1, 0.0, 5.0, 0.0, -0.1, 62.0),
        **changes,
    }


def test_profiles_of_rasterio(image, backend):
    """Gaps by nodata, couplings by the coordinates of the raster, the profile of what is
    written."""
    z, gaps = image
    whole = np.where(gaps, -9999, np.round(10 * z)).astype(np.int16)
    found = ts.mpr.fill(whole, profile=profile_of(whole), backend=backend)
    assert (
        found.results.group_attribute("results", "metric") == "geographic"
        and not np.isin(found.filled, -9999).any()
    )
    assert found.profile == {
        **profile_of(whole),
        "dtype": "float64",
        "nodata": found.profile["nodata"],
        "crs": found.profile["crs"],
        "transform": found.profile["transform"],
    } and np.isnan(found.profile["nodata"])
    np.testing.assert_array_equal(found.filled, found.results["results/filled"].reshape(z.shape))
    pixels = ts.mpr.fill(np.where(gaps, np.nan, np.round(10 * z)), backend=backend)
    # the rows are half as far from each other as the columns at 60 degrees
    assert (pixels.filled != found.filled).any()
    same = ts.mpr.fill(whole, profile=profile_of(whole), grid={"metric": "pixels"}, backend=backend)
    np.testing.assert_array_equal(same.filled, pixels.filled)
    bands = ts.mpr.fill(
        np.stack([whole, whole]), profile=profile_of(whole, count=2), backend=backend
    )
    assert bands.profile["count"] == 2 and bands.filled.shape == (2, *z.shape)


def test_transforms_of_profiles(image):
    z, gaps = image
    expected = ts.mpr.fill(gappy(image), profile=profile_of(z, nodata=None)).filled
    for transform in (
        (0.1, 0.0, 5.0, 0.0, -0.1, 62.0),
        (5.0, 0.1, 0.0, 62.0, 0.0, -0.1),
        list(profile_of(z)["transform"]),
    ):
        found = ts.mpr.fill(
            gappy(image),
            profile=profile_of(z, transform=transform, nodata=float("nan"), crs=Crs().to_wkt()),
        )
        np.testing.assert_array_equal(found.filled, expected)
    assert found.profile["dtype"] == "float32"
    plain = ts.mpr.fill(gappy(image), profile=profile_of(z, transform=None, crs=None))
    np.testing.assert_array_equal(plain.filled, ts.mpr.fill(gappy(image)).filled)
    for changes, why in (
        ({"crs": "EPSG:4326"}, "crs of the profile"),
        ({"crs": 4326}, "crs of the profile"),
        ({"transform": (1, 2)}, "transform of the"),
        ({"width": 3}, "40 rows and 3 columns"),
        ({"crs": None}, "names no coordinate system"),
    ):
        with pytest.raises(ts.InputError, match=why):
            ts.mpr.fill(z, profile=profile_of(z, **changes), grid={"metric": "geographic"})


def test_direct_fills_are_runs(image, backend):
    """What fill() makes of the arrays themselves has the bits of a run, in both precisions, with
    masks and frames."""
    z, gaps = image
    stack = np.stack([gappy(image), np.where(gaps[::-1], np.nan, 2 * z)])
    inactive = np.zeros(z.shape, bool)
    inactive[:, :4] = True
    for values in (stack, stack.astype(np.float64), 1e6 + np.pi * stack.astype(np.float64)):
        for options in (
            {},
            {"model": {"precision": "double"}},
            {"third_axis": "coupled"},
            {"simulation": {"sampler": "sweeps"}},
            {"seed": 7},
        ):
            found = ts.mpr.fill(
                values, gaps, inactive=inactive, quantiles=[0.1], backend=backend, **options
            )
            run = ts.mpr.fill(
                values,
                gaps,
                inactive=inactive,
                quantiles=[0.1],
                backend=backend,
                ensemble=1,
                **options,
            )
            assert "ensemble" in run.results.results
            for ours, its in (
                (found.filled, run.filled),
                (found.mean, run.mean),
                (found.std, run.std),
                (found.quantile(0.1), run.quantile(0.1)),
            ):
                np.testing.assert_array_equal(ours, its)


@pytest.mark.parametrize(
    "model", [{"transform": "log"}, {"trend": {"polynomial": 1}}, {"noise": 0.01}]
)
def test_fills_that_are_runs(image, model):
    found = ts.mpr.fill(gappy(image), model=model)
    np.testing.assert_array_equal(
        found.filled, found.results["results/filled"].reshape(found.filled.shape)
    )
    assert np.isfinite(found.quantile(0.9)).all()


def test_quantiles_out_of_range(image):
    found = ts.mpr.fill(gappy(image))
    transformed = ts.mpr.fill(gappy(image), model={"transform": "log"})
    for q in (95, 1, 2, 0, -0.5, 1e-7, float("nan"), float("inf"), -float("inf")):
        for call in (
            lambda: found.quantile(q),
            lambda: transformed.quantile(q),
            lambda: ts.mpr.fill(gappy(image), quantiles=[q]),
        ):
            with pytest.raises(ts.InputError, match="between 1e-06 and 0.999999"):
                call()
    assert np.isfinite(found.quantile(1e-6)).all() and np.isfinite(found.quantile(0.999999)).all()


def test_numbers_out_of_range(image):
    found = ts.mpr.fill(gappy(image))
    for n in (0, -1, 2.5, float("nan"), 10001, "2", None):
        with pytest.raises(ts.InputError, match="whole number from 1"):
            found.ensemble(n)
    for options in (
        {"ensemble": -1},
        {"ensemble": 1.5},
        {"seed": -1},
        {"seed": 1.5},
        {"seed": 2**64},
        {"seed": float("nan")},
    ):
        with pytest.raises(ts.InputError, match="whole number"):
            ts.mpr.fill(gappy(image), **options)
    for options in (
        {"third_axis": "layers"},
        {"model": {"temperature": float("nan")}},
        {"model": {"temperature": -1}},
        {"model": {"curvature": float("inf")}},
        {"simulation": {"draws": 1}},
        {"simulation": {"replicas": 0}},
    ):
        with pytest.raises(ts.InputError):
            ts.mpr.fill(gappy(image), **options)
    large = np.full((20, 30), 2**53 + 1)
    with pytest.raises(ts.InputError, match="double precision"):
        ts.mpr.fill(large, np.eye(20, 30, dtype=bool))


def test_an_empty_frame(image):
    """It stays empty, with a warning; the others are filled as if there were no such frame."""
    z, gaps = image
    stack = np.stack([gappy(image), np.full_like(z, np.nan), gappy(image) + 1])
    for model in ({}, {"transform": "log"}):
        with pytest.warns(
            ts.TesseraWarning, match="1 of 3 frames have no sample and stay empty: number 1,"
        ):
            found = ts.mpr.fill(stack, model=model)
        assert np.isnan(found.filled[1]).all() and np.isfinite(found.filled[[0, 2]]).all()
        assert np.abs(found.filled[0] - z).max() < 0.5 and np.isnan(found.quantile(0.9)[1]).all()
    whole = np.stack([np.where(gaps, -9, z), np.full_like(z, -9)])
    with pytest.warns(ts.TesseraWarning, match="number 1,"):
        masked = ts.mpr.fill(np.ma.masked_equal(whole, -9)).filled
    assert np.isnan(masked[1]).all() and np.isfinite(masked[0]).all()
    with pytest.raises(ts.InputError, match="no sample"):
        ts.mpr.fill(np.full((3, 8, 9), np.nan))
    with pytest.warns(ts.TesseraWarning, match="nothing is missing"):
        ts.mpr.fill(z)


def arctic(image, **units):
    xarray = pytest.importorskip("xarray")
    return xarray.DataArray(
        gappy(image).astype(np.float64),
        dims=("lat", "lon"),
        name="t",
        coords={
            "lat": ("lat", np.linspace(70, 80, 40), {"units": units.get("north", "degrees_north")}),
            "lon": ("lon", np.linspace(10, 20, 50), {"units": units.get("east", "degrees_east")}),
        },
    )


def of_program(da, programs, folder, backend, **sections):
    """The results of tessera-mpr for an array that xarray writes."""
    pytest.importorskip("h5netcdf")
    da.to_netcdf(folder / "z.nc", engine="h5netcdf")
    document = {
        "app": "mpr",
        "input": {"file": str(folder / "z.nc"), "dataset": da.name},
        **sections,
    }
    return ts.run(document, backend=backend)


def test_coordinates_of_data_arrays(image, backend):
    """Latitudes and longitudes count as they do in a raster of the same places."""
    da = arctic(image)
    found = ts.mpr.fill(da, backend=backend)
    assert found.results.group_attribute("results", "metric") == "geographic"
    np.testing.assert_array_equal(
        found.results["results/filled"].reshape(da.shape), found.filled.values
    )
    step = 10 / 39, 10 / 49
    place = {
        "width": 50,
        "height": 40,
        "count": 1,
        "crs": Crs(),
        "transform": Affine(step[1], 0, 10 - step[1] / 2, 0, step[0], 70 - step[0] / 2),
    }
    raster = ts.mpr.fill(da.values, profile=place, backend=backend)
    np.testing.assert_allclose(found.std.values, raster.std, rtol=1e-3)
    pixels = ts.mpr.fill(da.values, backend=backend)
    assert (
        np.abs(found.std.values / np.where(pixels.std > 0, pixels.std, 1) - 1)[pixels.std > 0].max()
        > 0.01
    )
    for units in (
        {"north": "degrees North", "east": "degrees East"},
        {"north": "degree_N", "east": "degree_E"},
    ):
        np.testing.assert_array_equal(
            ts.mpr.fill(arctic(image, **units), backend=backend).std.values, found.std.values
        )
    plain = arctic(image, north="", east="")
    with pytest.warns(ts.TesseraWarning, match="look like latitudes and longitudes"):
        np.testing.assert_array_equal(ts.mpr.fill(plain, backend=backend).std.values, pixels.std)
    for array in (plain, da):
        np.testing.assert_array_equal(
            ts.mpr.fill(array, grid={"metric": "geographic"}, backend=backend).std.values,
            found.std.values,
        )
    with pytest.raises(ts.InputError, match="no coordinates"):
        ts.mpr.fill(da.drop_vars(["lat", "lon"]), grid={"metric": "geographic"})


def test_fill_values_of_data_arrays(image):
    """Numbers of files, as xarray gives them with mask_and_scale=False, are values of which some
    are missing; results are values."""
    xarray = pytest.importorskip("xarray")
    z, gaps = image
    expected = ts.mpr.fill(np.where(gaps, np.nan, np.round(100 * z))).filled
    whole = np.where(gaps, -9999, np.round(100 * z)).astype("i2")
    plain = xarray.DataArray(whole, dims=("y", "x"))
    for attrs in (
        {"_FillValue": -9999},
        {"missing_value": np.int16(-9999)},
        {"missing_value": "-9999"},
        {"valid_min": 0},
        {"valid_range": [0, 20000], "_FillValue": -1},
    ):
        found = ts.mpr.fill(plain.assign_attrs(units="cK", **attrs)).filled
        # xarray does not obey it, nor does it say that the numbers are of a file
        if "valid_min" in attrs:
            assert np.isfinite(found.values).all() and not (found.values == -9999).any()
        np.testing.assert_array_equal(found.values, expected)
    scaled = plain.assign_attrs(
        _FillValue=np.int16(-9999), scale_factor=0.01, add_offset=3.0, units="K"
    )
    found = ts.mpr.fill(scaled).filled
    assert found.attrs == {"units": "K"}
    np.testing.assert_array_equal(found.values[~gaps], (whole * 0.01 + 3.0)[~gaps])
    real = xarray.DataArray(np.where(gaps, np.float32(9.969209968386869e36), z), dims=("y", "x"))
    np.testing.assert_array_equal(ts.mpr.fill(real).filled.values, ts.mpr.fill(gappy(image)).filled)
    single = xarray.DataArray(
        np.where(gaps, np.float32(1e-34), z), dims=("y", "x"), attrs={"_FillValue": 1e-34}
    )
    np.testing.assert_array_equal(
        ts.mpr.fill(single).filled.values, ts.mpr.fill(gappy(image)).filled
    )
    np.testing.assert_array_equal(
        ts.mpr.fill(single.values, profile={"nodata": 1e-34}).filled,
        ts.mpr.fill(gappy(image)).filled,
    )


@pytest.fixture(scope="module")
def days(image):
    """An array of three days, and how it is filled."""
    xarray = pytest.importorskip("xarray")
    da = xarray.concat([arctic(image) + k for k in range(3)], "time").assign_coords(
        time=np.array(["2026-01-01", "2026-01-02", "2026-01-04"], "M8[ns]")
    )
    da = da.isel(lat=slice(4, 28), lon=slice(10, 40))
    return da, {
        third_axis: ts.mpr.fill(da, third_axis=third_axis, quantiles=[0.9])
        for third_axis in ("frames", "coupled")
    }


@pytest.mark.parametrize(
    "order",
    [
        ("lat", "lon", "time"),
        ("lon", "lat", "time"),
        ("lat", "time", "lon"),
        ("time", "lon", "lat"),
        ("time", "lat", "lon"),
    ],
)
def test_dimensions_by_name(image, days, order):
    da, fills = days
    for third_axis, expected in fills.items():
        found = ts.mpr.fill(da.transpose(*order), third_axis=third_axis, quantiles=[0.9])
        for ours, its in (
            (found.filled, expected.filled),
            (found.std, expected.std),
            (found.quantile(0.9), expected.quantile(0.9)),
        ):
            assert ours.dims == order
            np.testing.assert_array_equal(ours.transpose(*its.dims).values, its.values)
    members = ts.mpr.fill(da.transpose(*order)).ensemble(2)
    assert members.dims == ("member", *order)
    gaps = image[1][4:28, 10:40]
    # A mask without names is in the order of the array.
    mask = gaps if order.index("lat") < order.index("lon") else gaps.T
    np.testing.assert_array_equal(
        ts.mpr.fill(da.fillna(0).transpose(*order), mask).filled.transpose(*da.dims).values,
        fills["frames"].filled.values,
    )


def test_frames_along_rows():
    """dim may name dimensions that the conventions do not take for rows and columns."""
    xarray = pytest.importorskip("xarray")
    import tessera.xarray  # noqa: F401

    z = np.random.default_rng(0).normal(size=(12, 5, 30))
    z[2:4, :, 4:20] = np.nan
    array = xarray.DataArray(z, dims=("time", "y", "x"), coords={"y": 10.0 * np.arange(5)})
    for dims in (("time", "x"), ("x", "time")):
        turned = array.transpose("y", *dims)
        found = array.tessera.fill(dim=dims, seed=1)
        assert found.dims == array.dims
        np.testing.assert_array_equal(
            found.transpose("y", *dims).values, ts.mpr.fill(turned.values, seed=1).filled
        )


def test_masks_by_name():
    xarray = pytest.importorskip("xarray")
    y, x = np.mgrid[:40, :40]
    z, gap = np.sin(x / 9) + np.cos(y / 7), np.zeros((40, 40), bool)
    gap[2:8, 20:26] = True
    at = {"lat": np.arange(40.0), "lon": np.arange(40.0)}
    da = xarray.DataArray(np.where(gap, -999.0, z), dims=("lat", "lon"), coords=at)
    good = ts.mpr.fill(da, gap).filled.values
    np.testing.assert_array_equal(
        ts.mpr.fill(da, xarray.DataArray(gap.T, dims=("lon", "lat"), coords=at)).filled.values, good
    )
    stack = da.expand_dims(time=2)
    of_stack = ts.mpr.fill(stack, xarray.DataArray(gap.T, dims=("lon", "lat"))).filled.values[1]
    np.testing.assert_allclose(of_stack, good, atol=1e-3)
    np.testing.assert_array_equal(of_stack[~gap], z[~gap])
    for name in ("mask", "inactive"):
        for dims in (("y", "x"), ("lat", "x"), ("lon", "row")):
            with pytest.raises(ts.InputError, match=f"{name} has the dimensions"):
                ts.mpr.fill(da, **{"mask": gap, name: xarray.DataArray(gap, dims=dims)})
        with pytest.raises(ts.InputError, match="other coordinates along 'lat'"):
            ts.mpr.fill(
                da,
                **{
                    "mask": gap,
                    name: xarray.DataArray(
                        gap, dims=("lat", "lon"), coords={"lat": at["lat"][::-1]}
                    ),
                },
            )
    with pytest.raises(ts.InputError, match="masked elements"):
        ts.mpr.fill(da.values, np.ma.masked_array(gap, gap))


def test_profiles_without_loss(image):
    """JPEG and the like do not hold the float numbers of a result."""
    z, gaps = image
    lossy = {
        "compress": "jpeg",
        "photometric": "ycbcr",
        "JPEG_QUALITY": 75,
        "nbits": 12,
        "tiled": True,
    }
    found = ts.mpr.fill(gappy(image), profile=profile_of(z, **lossy)).profile
    assert (
        not {"compress", "photometric", "JPEG_QUALITY", "nbits"} & found.keys() and found["tiled"]
    )
    assert (
        ts.mpr.fill(gappy(image), profile=profile_of(z, compress="deflate")).profile["compress"]
        == "deflate"
    )
    assert (
        ts.mpr.fill(gappy(image), profile=profile_of(z, driver="JPEG")).profile["driver"] == "GTiff"
    )


def test_a_field_without_sites_is_refused(image):
    with pytest.raises(ts.InputError, match="every site is inactive"):
        ts.mpr.fill(gappy(image), inactive=np.ones(image[0].shape, bool))


def test_inactive_gaps_are_not_counted_as_filled(image):
    z, gaps = image
    inactive = np.zeros(z.shape, bool)
    inactive[10:16, 20:28] = True
    assert f"{int((gaps & ~inactive).sum())} of them filled" in repr(
        ts.mpr.fill(gappy(image), inactive=inactive)
    )


def test_nullable_columns_of_pandas(image):
    pandas = pytest.importorskip("pandas")
    z = gappy(image).astype(float)
    np.testing.assert_array_equal(
        ts.mpr.fill(pandas.DataFrame(z).astype("Float64")).filled, ts.mpr.fill(z).filled
    )


def test_lists_of_quantiles(image):
    """They come along a new first axis, from one fill, as the maps of single ones; from runs and of
    DataArrays too."""
    z = gappy(image)
    for options in ({}, {"model": {"transform": "log"}}):
        found = ts.mpr.fill(z, quantiles=[0.5], **options)
        single = [found.quantile(q) for q in (0.05, 0.5, 0.95)]
        for q in ([0.05, 0.5, 0.95], (0.05, 0.5, 0.95), np.array([0.05, 0.5, 0.95], np.float64)):
            made = ts.mpr.fill(z, **options).quantile(q)
            assert made.shape == (3, *z.shape) and made.dtype == z.dtype
            np.testing.assert_array_equal(made, single)
        assert found.quantile([0.5]).shape == (1, *z.shape)
    da = labelled(image)
    found = ts.mpr.fill(da)
    made = found.quantile([0.05, 0.95])
    assert made.dims == ("quantile", "lat", "lon") and list(made.coords["quantile"].values) == [
        0.05,
        0.95,
    ]
    np.testing.assert_array_equal(made.sel(quantile=0.95).values, found.quantile(0.95).values)
    assert ts.mpr.fill(da.to_dataset()).quantile([0.5]).sst.dims == ("quantile", "lat", "lon")


def test_quantiles_that_are_none(image):
    z = gappy(image)
    found = ts.mpr.fill(z)
    for wrong in (
        None,
        "0.5",
        "half",
        [[0.1, 0.9]],
        ["0.5"],
        {"q": 0.5},
        [0.1, None],
        True,
        0.5j,
        [0.1, [0.2]],
    ):
        for call in (lambda: found.quantile(wrong), lambda: ts.mpr.fill(z, quantiles=wrong)):
            with pytest.raises(
                ts.InputError, match="must be a number between 1e-06 and 0.999999, or a list"
            ):
                call()
    with pytest.raises(ts.InputError, match="empty list"):
        found.quantile([])
    with pytest.raises(ts.InputError, match="between 1e-06 and 0.999999"):
        found.quantile([0.5, 95])
    for name in ("model", "simulation", "grid"):
        for wrong in ("double", ["a"], 3):
            with pytest.raises(ts.InputError, match=f"{name} is .*, but must be a dict"):
                ts.mpr.fill(z, **{name: wrong})


def test_curvilinear_coordinates(image, backend):
    """Places of single sites are not used, which a warning says with the key."""
    xarray = pytest.importorskip("xarray")
    z = gappy(image)
    y, x = np.mgrid[0:40, 0:50]
    degrees = {
        "lat": (("y", "x"), 60 + 0.1 * y + 0.03 * x, {"units": "degrees_north"}),
        "lon": (("y", "x"), 5 + 0.2 * x, {"units": "degrees_east"}),
    }
    da = xarray.DataArray(z, dims=("y", "x"), name="v", coords=degrees)
    plain = ts.mpr.fill(z, backend=backend)
    # Coordinates without attributes are known by their names.
    bare = {name: (dims, values) for name, (dims, values, _) in degrees.items()}
    for array in (da, xarray.DataArray(z, dims=("y", "x"), name="v", coords=bare)):
        with pytest.warns(
            ts.TesseraWarning, match="(?s)sites of 'z' are curvilinear.*grid.metric: pixels"
        ):
            found = ts.mpr.fill(array, backend=backend)
        np.testing.assert_array_equal(found.std.values, plain.std)
        with pytest.raises(ts.InputError, match="are curvilinear"):
            ts.mpr.fill(array, grid={"metric": "geographic"}, backend=backend)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ts.mpr.fill(array, grid={"metric": "pixels"}, backend=backend)
    turned = xarray.concat([da, da], "time").transpose("y", "time", "x")
    with pytest.warns(ts.TesseraWarning, match="are curvilinear"):
        ts.mpr.fill(turned, backend=backend)
    dataset = xarray.Dataset({"v": (("y", "x"), z), "nav_lat": bare["lat"], "nav_lon": bare["lon"]})
    with pytest.warns(ts.TesseraWarning, match="sites of 'z' are curvilinear"):
        ts.mpr.fill(dataset, backend=backend)


def test_ranges_beyond_a_precision(image, backend):
    """Numbers that single precision does not hold with their differences are refused with the key,
    and filled as others in double."""
    z = gappy(image).astype(np.float64)
    plain = ts.mpr.fill(z, model={"precision": "double"}, backend=backend)
    for scale in (1e-100, 1e-45, 1e-33, 1e38, 1e100):
        with pytest.raises(
            ts.InputError,
            match="(?s)the array run from .* for single precision.*model.precision: double",
        ):
            ts.mpr.fill(z * scale, backend=backend)
        found = ts.mpr.fill(z * scale, model={"precision": "double"}, backend=backend)
        # The numbers are those that float32 holds.
        np.testing.assert_allclose(found.filled / scale, plain.filled, rtol=1e-7)
        np.testing.assert_allclose(found.std / scale, plain.std, rtol=1e-6)
    for scale in (1e-200, 1e200):
        with pytest.raises(
            ts.InputError, match="for double precision\n  remedy: multiply them by a power of ten"
        ):
            ts.mpr.fill(z * scale, model={"precision": "double"}, backend=backend)
    with pytest.raises(ts.InputError, match="give an array in double precision"):
        ts.mpr.fill((z * 1e-40).astype(np.float32), model={"precision": "double"}, backend=backend)
    with pytest.raises(ts.InputError, match="frame 1 run from"):
        ts.mpr.fill(np.stack([z, z * 1e-40]), backend=backend)


def test_a_number_that_nobody_marked(image):
    z, gaps = image
    some = gaps & (np.arange(50) < 25)
    for number in (-9999, 1e20):
        with pytest.warns(
            ts.TesseraWarning,
            match=f"{int((gaps & ~some).sum())} samples of the array are .*far from all others",
        ):
            ts.mpr.fill(np.where(some, np.nan, np.where(gaps, number, z)))
    outlier = gappy(image)
    outlier[np.unravel_index(np.flatnonzero(~gaps)[7], z.shape)] = 1e6
    with pytest.warns(ts.TesseraWarning, match="1 sample of the array is .*far from all others"):
        ts.mpr.fill(outlier)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.mpr.fill(gappy(image))


def test_fills_are_pickled_and_copied(image):
    """In each form of the argument."""
    pandas = pytest.importorskip("pandas", reason="there is no pandas")
    xarray = pytest.importorskip("xarray", reason="there is no xarray")
    z = gappy(image)
    array = xarray.DataArray(z, dims=("y", "x"), coords={"x": np.arange(z.shape[1])})
    for form in (z, pandas.DataFrame(z), array, xarray.Dataset({"a": array, "b": array})):
        fill = ts.mpr.fill(form, std=True)
        for again in (pickle.loads(pickle.dumps(fill)), copy.deepcopy(fill)):
            for found, right in ((again.filled, fill.filled), (again.std, fill.std)):
                assert type(found) is type(right)
                if isinstance(right, xarray.Dataset):
                    found, right = found.to_array(), right.to_array()
                np.testing.assert_array_equal(found, right)

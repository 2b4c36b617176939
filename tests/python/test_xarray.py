# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""da.tessera.fill() on NumPy and on chunks of dask, and tables of pandas in and out: bits, labels,
streams."""

import warnings

import numpy as np
import pytest

import tessera as ts

xarray = pytest.importorskip(
    "xarray", reason="there is no xarray: apt-get install python3-xarray, or pip install xarray"
)
import tessera.xarray  # noqa: E402,F401

NO_DASK = "there is no dask: apt-get install python3-dask, or pip install dask[array]"


def smooth(*shape):
    axes = np.meshgrid(*(np.arange(n) for n in shape), indexing="ij")
    return sum(np.sin(axis / (7 + 2 * k)) for k, axis in enumerate(axes)).astype(np.float32)


@pytest.fixture
def stack():
    """Three frames (time, y, x) with a projection, gaps and attributes."""
    values = smooth(3, 60, 80)
    values[np.random.default_rng(1).random(values.shape) < 0.4] = np.nan
    return xarray.DataArray(
        values,
        dims=("time", "y", "x"),
        name="height",
        coords={
            "time": np.array(["2020-01-01", "2020-01-02", "2020-01-03"], "M8[ns]"),
            "y": 100.0 + 30 * np.arange(60),
            "x": 500.0 + 30 * np.arange(80),
            "spatial_ref": ((), 0, {"crs_wkt": "LOCAL_CS[]", "grid_mapping_name": "unknown"}),
        },
        attrs={"units": "m", "standard_name": "altitude", "grid_mapping": "spatial_ref"},
    )


def test_standard_deviations_as_a_second_variable(stack):
    plain = ts.mpr.fill(stack, seed=1)
    both = stack.tessera.fill(seed=1, std=True)
    assert list(both.data_vars) == ["height", "height_std"]
    xarray.testing.assert_equal(both.height, plain.filled)
    xarray.testing.assert_equal(both.height_std, plain.std.rename("height_std"))
    assert both.height.attrs == {**stack.attrs, "ancillary_variables": "height_std"}
    assert both.height_std.attrs == {
        "units": "m",
        "grid_mapping": "spatial_ref",
        "long_name": "standard deviation of height",
        "standard_name": "altitude standard_error",
    }
    xarray.testing.assert_identical(stack.tessera.fill(seed=1), plain.filled)
    assert "ancillary_variables" not in stack.attrs
    nameless = stack.rename(None).tessera.fill(seed=1, std=True)
    assert list(nameless.data_vars) == ["filled", "filled_std"]


def test_dimensions_by_name(stack):
    expected = stack.tessera.fill(seed=1)
    for order in (("time", "y", "x"), ("x", "time", "y"), ("y", "x", "time")):
        turned = stack.transpose(*order)
        found = turned.tessera.fill(dim=("y", "x"), seed=1)
        assert found.dims == order
        xarray.testing.assert_identical(found.transpose(*expected.dims), expected)
    # rows and columns that nothing but their names says
    other = stack.isel(time=0).rename(x="across", y="along").drop_vars(["across", "along"])
    found = other.T.tessera.fill(dim=("along", "across"), seed=1)
    assert found.dims == ("across", "along")
    np.testing.assert_array_equal(found.T.values, ts.mpr.fill(other.values, seed=1).filled)


def test_more_dimensions_are_frames(stack):
    deep = xarray.concat([stack, stack + 1], "band").transpose("band", "y", "time", "x")
    mask = xarray.zeros_like(deep, dtype=bool)
    mask[1, 20:30, 2, 30:40] = True
    found = deep.tessera.fill(mask, dim=("y", "x"), seed=1, std=True)
    assert found.height.dims == deep.dims and not found.height.isnull().any()
    flat = deep.transpose("band", "time", "y", "x").values.reshape(6, 60, 80)
    marked = mask.transpose("band", "time", "y", "x").values.reshape(6, 60, 80)
    expected = ts.mpr.fill(flat, marked, seed=1, grid={"metric": "pixels"})
    for values, name in ((expected.filled, "height"), (expected.std, "height_std")):
        own = found[name].transpose("band", "time", "y", "x")
        np.testing.assert_allclose(own.values.reshape(6, 60, 80), values, rtol=1e-6, atol=1e-6)
    with pytest.raises(ts.InputError, match="dim=\\('y', 'x'\\)"):
        deep.tessera.fill()
    with pytest.raises(ts.InputError, match="isel"):
        deep.tessera.fill(dim=("y", "x"), third_axis="coupled")
    for wrong in (("y",), ("y", "z"), "y", ("y", "y")):
        with pytest.raises(ts.InputError, match="name two of them"):
            deep.tessera.fill(dim=wrong)
    with pytest.raises(ts.InputError, match="give a DataArray"):
        ts.mpr.fill(stack.values, dim=("y", "x"))


@pytest.mark.parametrize("chunks", [{"time": 1}, {"y": 17, "x": 33}, {"time": 2, "y": 60, "x": 9}])
@pytest.mark.parametrize("kind", ["field", "mask", "chunked mask"])
def test_chunks_never_change_a_bit(stack, chunks, kind):
    pytest.importorskip("dask.array", reason=NO_DASK)
    mask = xarray.zeros_like(stack, dtype=bool)
    mask[:, 5:9, 10:20] = True
    mask = {"field": None, "mask": mask, "chunked mask": mask.chunk(chunks)}[kind]
    eager = stack.tessera.fill(None if mask is None else mask.compute(), seed=1, std=True)
    lazy = stack.chunk(chunks).tessera.fill(mask, seed=1, std=True)
    assert lazy.height.chunks == stack.chunk(chunks).chunks and lazy.height_std.dtype == np.float32
    xarray.testing.assert_identical(lazy.compute(), eager)
    turned = stack.chunk(chunks).transpose("x", "time", "y")
    found = turned.tessera.fill(mask, dim=("y", "x"), seed=1)
    assert found.dims == turned.dims and found.chunks == turned.chunks
    xarray.testing.assert_equal(found.transpose(*stack.dims).compute(), eager.height)


def test_nothing_is_computed_before_it_is_asked_for(stack):
    dask = pytest.importorskip("dask", reason=NO_DASK)
    array = pytest.importorskip("dask.array", reason=NO_DASK)
    opened = []

    def read():
        opened.append(1)
        return stack.values

    values = array.from_delayed(dask.delayed(read)(), stack.shape, stack.dtype)
    both = stack.copy(data=values).tessera.fill(seed=1, std=True)
    assert not opened
    both.compute()
    assert len(opened) == 1  # for the field and its standard deviations


def test_datasets_in_chunks(stack):
    """Variables that are no fields stay, and say where the sites are as in memory."""
    pytest.importorskip("dask.array", reason=NO_DASK)
    rows, columns = np.meshgrid(np.linspace(40, 41, 60), np.linspace(5, 6.3, 80), indexing="ij")
    dataset = xarray.Dataset(
        {
            "height": stack.isel(time=0, drop=True),
            "depth": -stack.isel(time=1, drop=True),
            "nav_lat": (("y", "x"), rows, {"units": "degrees_north"}),
            "nav_lon": (("y", "x"), columns, {"units": "degrees_east"}),
            "count": ("y", np.arange(60)),
        }
    ).drop_vars(["x", "y"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ts.TesseraWarning)  # the coordinates have no gaps
        eager = dataset.tessera.fill(seed=1, std=True)
        lazy = dataset.chunk(x=20).tessera.fill(seed=1, std=True)
        assert {"height", "height_std", "depth", "depth_std", "count"} <= set(eager.data_vars)
        xarray.testing.assert_identical(lazy.compute(), eager)
        plain = dataset.tessera.fill(seed=1)
    assert set(plain.data_vars) == set(dataset.data_vars)
    xarray.testing.assert_identical(plain["count"], dataset["count"])


def test_numbers_of_files_in_chunks():
    """Fill values and packing among the attributes; the type of results is known before."""
    pytest.importorskip("dask.array", reason=NO_DASK)
    values = np.rint(100 * smooth(40, 50)).astype(np.int16)
    values[np.random.default_rng(2).random(values.shape) < 0.3] = -999
    packed = xarray.DataArray(
        values, dims=("y", "x"), attrs={"_FillValue": -999, "scale_factor": 0.01, "units": "m"}
    )
    eager = packed.tessera.fill(seed=1)
    lazy = packed.chunk(x=7).tessera.fill(seed=1)
    assert lazy.dtype == eager.dtype and lazy.attrs == eager.attrs == {"units": "m"}
    xarray.testing.assert_identical(lazy.compute(), eager)


@pytest.fixture(scope="module")
def large():
    """Clouds in a rough field of more sites than a stream takes as a whole."""
    shape = (512, 520)
    k = np.hypot(*np.meshgrid(*map(np.fft.fftfreq, shape), indexing="ij"))
    noise = np.fft.fft2(np.random.default_rng(2).standard_normal(shape))
    values = np.fft.ifft2(noise * (k**2 + 1e-4) ** -0.75).real
    values = (values / values.std()).astype(np.float32)
    row, column = np.mgrid[: shape[0], : shape[1]]
    values[np.sin(row / 5) + np.cos(column / 7 + row / 11) > 0.9] = np.nan
    at = {"x": np.arange(float(shape[1]))}
    return xarray.DataArray(values, at, ("y", "x"), "z", {"units": "m"})


@pytest.mark.parametrize("marked", [False, True])
def test_streams(large, marked):
    """Windows with halos, of any chunks the same bits, and near the fill at once; with a mask, also
    of packed numbers."""
    pytest.importorskip("dask.array", reason=NO_DASK)
    pytest.importorskip("netCDF4", reason="apt-get install python3-netcdf4, or pip install netCDF4")
    mask, field, holes = None, large, large
    if marked:
        mask, field = holes.isnull(), holes.fillna(0.5)
    stream = {"window": 256, "memory": "500 MiB"}
    at_once = field.tessera.fill(mask, seed=1, std=True)
    found = field.chunk(y=100).tessera.fill(mask, seed=1, std=True, stream=stream)
    assert found.z.chunks == field.chunk(y=100).chunks and found.z.attrs == at_once.z.attrs
    if marked:
        packed = (100 * field.T).round().astype("i2").assign_attrs(units="m", scale_factor=0.01)
        found_packed = packed.chunk(x=61).tessera.fill(mask, dim=("y", "x"), seed=1, stream=stream)
        assert found_packed.dims == ("x", "y") and found_packed.attrs == field.attrs
        np.testing.assert_allclose(found_packed.T.values, found.z.values, atol=0.05)
    else:
        again = field.T.chunk(y=512, x=61).tessera.fill(dim=("y", "x"), seed=1, stream=stream)
        assert again.dims == ("x", "y")
        np.testing.assert_array_equal(again.T.values, found.z.values)
    gaps = holes.isnull().values
    change = (found.z - at_once.z).values[gaps]
    spread = at_once.z_std.values[gaps]
    assert np.sqrt(np.mean(change**2)) <= 0.01 * np.sqrt(np.mean(spread**2))
    np.testing.assert_array_equal(found.z.values[~gaps], holes.values[~gaps])
    assert np.sqrt(np.mean((found.z_std.values[gaps] / spread - 1) ** 2)) < 0.1


def test_what_a_stream_does_not_take(large, stack, monkeypatch):
    pytest.importorskip("dask.array", reason=NO_DASK)
    holes = large
    with pytest.raises(ts.InputError, match="chunks=\\{\\}"):
        holes.tessera.fill(stream={})
    with pytest.raises(ts.InputError, match="one by one"):
        stack.chunk(time=1).tessera.fill(stream={})
    with pytest.raises(ts.InputError, match="third_axis"):
        holes.chunk(x=100).tessera.fill(stream={}, third_axis="frames")
    with pytest.raises(ts.InputError, match="windo"):
        holes.chunk(x=100).tessera.fill(stream={"windo": 3})
    chosen = []
    monkeypatch.setattr(tessera.xarray._chunked, "MOST_AT_ONCE", 1000)
    monkeypatch.setattr(
        tessera.xarray._chunked,
        "_fill_in_windows",
        lambda array, *_: chosen.append(1) or (array.data,) * 2,
    )
    holes.chunk(x=100).tessera.fill()
    assert chosen == [1]


def test_tables_of_pandas():
    pandas = pytest.importorskip(
        "pandas", reason="there is no pandas: apt-get install python3-pandas, or pip install pandas"
    )
    values = smooth(30, 40).astype(float)
    values[np.random.default_rng(3).random(values.shape) < 0.3] = np.nan
    index = pandas.date_range("2020-01-01", periods=30, name="day")
    frame = pandas.DataFrame(values, index, [f"depth {k}" for k in range(40)])
    plain, found = ts.mpr.fill(values, seed=1), ts.mpr.fill(frame, seed=1)
    for table, numbers in (
        (found.filled, plain.filled),
        (found.std, plain.std),
        (found.quantile(0.9), plain.quantile(0.9)),
        (found.quantile([0.1, 0.9])[0.1], plain.quantile(0.1)),
        (found.ensemble(2)[1], plain.ensemble(2)[1]),
    ):
        pandas.testing.assert_frame_equal(
            table, pandas.DataFrame(numbers, frame.index, frame.columns)
        )
    marked = frame.isna()
    pandas.testing.assert_frame_equal(
        ts.mpr.fill(frame.fillna(0), marked, seed=1).filled, found.filled
    )


def test_predictions_keep_the_index_of_pandas():
    pandas = pytest.importorskip(
        "pandas", reason="there is no pandas: apt-get install python3-pandas, or pip install pandas"
    )
    random = np.random.default_rng(4)
    stations = pandas.DataFrame(random.random((40, 2)), columns=["x", "y"])
    stations["z"] = np.sin(5 * stations.x) + stations.y
    targets = pandas.DataFrame({"x": [0.2, 0.5], "y": [0.4, 0.6]}, index=["harbour", "hill"])
    covariance = {"family": "matern32", "sigma2": 1.0, "beta": 0.5, "nugget": 0.01}
    process = ts.gp.given(stations[["x", "y"]], stations.z, covariance=covariance)
    found, plain = process.predict(targets, draws=3, seed=1), process.predict(
        targets.to_numpy(), draws=3, seed=1
    )
    assert found.mean["hill"] == plain.mean[1] and found.std["harbour"] == plain.std[0]
    pandas.testing.assert_frame_equal(found.draws, pandas.DataFrame(plain.draws, targets.index))
    targets["mean"] = found.mean
    assert not targets["mean"].isna().any()
    several = ts.gp.given(
        stations[["x", "y"]], stations[["z", "x"]], covariance=covariance
    ).predict(targets[["x", "y"]])
    assert several.mean.shape == (2, 2) and several.mean.index.tolist() == ["harbour", "hill"]


@pytest.mark.parametrize("chunks", [{}, None])
def test_arrays_of_zarr(chunks, tmp_path):
    """In chunks or not, packed or not, the bits of NumPy arrays; written as they came."""
    zarr = pytest.importorskip(
        "zarr", reason="there is no zarr: apt-get install python3-zarr, or pip install zarr"
    )
    if chunks is not None:
        pytest.importorskip("dask.array", reason=NO_DASK)
    z = np.random.default_rng(0).random((12, 10))
    z[2:4, 3:6] = np.nan
    right = ts.mpr.fill(z, seed=1)
    np.testing.assert_array_equal(
        ts.mpr.fill(zarr.array(z, chunks=(5, 4)), seed=1).filled, right.filled
    )
    whole = xarray.Dataset({"t": (("y", "x"), z, {"units": "K"})})
    whole.to_zarr(tmp_path / "t", encoding={"t": {"chunks": (5, 4)}})
    opened = xarray.open_zarr(tmp_path / "t", chunks=chunks)
    found = opened.t.tessera.fill(std=True, seed=1)
    assert found.t.chunks == opened.t.chunks and found.t.attrs["units"] == "K"
    np.testing.assert_array_equal(found.t, right.filled)
    np.testing.assert_array_equal(found.t_std, right.std)
    opened.tessera.fill(std=True, seed=1).to_zarr(tmp_path / "filled")
    np.testing.assert_array_equal(xarray.open_zarr(tmp_path / "filled").t, right.filled)

    packed = np.where(np.isnan(z), -9999, np.rint(1000 * z)).astype(np.int16)
    group = zarr.open_group(str(tmp_path / "packed"), mode="w")
    array = group.create_dataset("t", data=packed, chunks=(5, 4), fill_value=-9999)
    array.attrs.update(_ARRAY_DIMENSIONS=["y", "x"], scale_factor=0.001)
    results = [
        xarray.open_zarr(
            tmp_path / "packed", chunks=chunks, consolidated=False, mask_and_scale=decoded
        ).t.tessera.fill(seed=1)
        for decoded in (True, False)
    ]
    for found in results:
        assert np.abs(found.values - right.filled).max() < 1e-3


def test_steps_that_are_not_even():
    """Cells count as squares where coordinates say nothing else, and uneven ones are named."""
    field = xarray.DataArray(smooth(12, 14), dims=("y", "x"), coords={"x": np.arange(14.0) ** 2})
    field = field.where(np.random.default_rng(2).random(field.shape) > 0.3)
    for labelled in (field, field.rename("z").to_dataset()):
        with pytest.warns(UserWarning, match="the coordinate 'x' is not evenly spaced"):
            labelled.tessera.fill(seed=1)
    even = field.assign_coords(x=np.arange(14.0))
    for quiet, options in ((even, {}), (field, {"grid": {"metric": "pixels"}})):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            quiet.tessera.fill(seed=1, **options)


def test_standard_deviations_are_not_packed_as_the_field(tmp_path):
    z = 280 + np.random.default_rng(0).normal(size=(30, 40))
    z[5:9, 5:20] = np.nan
    packed = {"dtype": "u1", "scale_factor": 0.5, "add_offset": 200.0, "_FillValue": 255}
    field = xarray.DataArray(z, dims=("y", "x"), name="t")
    field.to_netcdf(tmp_path / "in.nc", encoding={"t": packed})
    with xarray.open_dataset(tmp_path / "in.nc") as dataset:
        filled = dataset.tessera.fill(std=True)
    filled.to_netcdf(tmp_path / "out.nc")
    with xarray.open_dataset(tmp_path / "out.nc") as again:
        np.testing.assert_array_equal(again.t_std, filled.t_std)
        assert again.t.encoding["scale_factor"] == 0.5


def test_fills_again():
    """Standard deviations of an earlier fill are replaced, and other variables are not."""
    z = np.random.default_rng(0).normal(size=(30, 40))
    z[5:9, 5:20] = np.nan
    dataset = xarray.Dataset({"t": (("y", "x"), z)}).tessera.fill(std=True)
    dataset["t"] = dataset.t.where(dataset.t.x < 30)
    again = dataset.tessera.fill(std=True)
    assert list(again) == ["t", "t_std"]
    assert again.t.attrs["ancillary_variables"] == "t_std"
    np.testing.assert_array_equal(again.t_std > 0, np.isnan(dataset.t))
    other = xarray.Dataset({"t": (("y", "x"), z), "t_std": (("y", "x"), z)})
    with pytest.raises(ts.InputError, match="rename 't_std'"):
        other.tessera.fill(std=True)
    assert list(other.tessera.fill()) == ["t", "t_std"]


def test_what_the_accessor_refuses():
    z = np.random.default_rng(0).normal(size=(20, 30))
    z[5:9, 4:20] = np.nan
    array = xarray.DataArray(z, dims=("y", "x"), name="t")
    for options in ({"quantiles": [0.1]}, {"ensemble": 3}):
        with pytest.raises(ts.InputError, match="tessera.mpr.fill"):
            array.tessera.fill(**options)
    with pytest.raises(ts.InputError, match="dim is 5"):
        array.tessera.fill(dim=5)
    for field in (array.assign_coords(t_std=1.0), array.rename("x")):
        with pytest.raises(ts.InputError, match="another name"):
            field.tessera.fill(std=True)
    levels = array.stack(p=("y",)).transpose("p", "x")
    np.testing.assert_array_equal(levels.tessera.fill(seed=1), array.tessera.fill(seed=1))


@pytest.mark.parametrize("name", ["kv", "kve", "kn", "iv", "ive", "log_k"])
def test_bessel_functions_keep_labels(name):
    """As scipy's do: labels by xarray, and chunks computed when they are asked for."""
    function, z = getattr(ts.bessel, name), np.linspace(0.5, 4, 6)
    x = xarray.DataArray(
        z.reshape(2, 3), dims=("y", "x"), coords={"x": [1, 2, 3]}, name="h", attrs={"units": "1"}
    )
    found = function(2, x)
    xarray.testing.assert_identical(found, x.copy(data=function(2, x.values)))
    nu = xarray.DataArray([0.0, 1.0], dims="order", name="nu")
    both = function(nu, z=x) if name in ("kv", "kve", "iv", "ive") else function(nu, x)
    assert both.dims == ("order", "y", "x")
    assert float(both[1, 0, 1]) == function(1.0, z[1])
    assert function(2, x.to_dataset())["h"].equals(found)
    with pytest.raises(ts.InputError, match="leave them out"):
        function(2, x, out=np.empty((2, 3)))


def test_bessel_functions_of_dask_are_lazy(monkeypatch):
    da = pytest.importorskip("dask.array", reason="there is no dask: apt-get install python3-dask")
    z = np.linspace(0.5, 4, 6)
    calls, function = [], ts.bessel._tessera.bessel
    monkeypatch.setattr(
        ts.bessel._tessera, "bessel", lambda *rest: calls.append(1) or function(*rest)
    )
    lazy = da.from_array(z, chunks=2)
    found = ts.bessel.kv(1.5, lazy)
    assert isinstance(found, da.Array) and found.chunks == lazy.chunks
    assert len(calls) <= 1  # of no elements, for the type
    np.testing.assert_array_equal(found.compute(), ts.bessel.kv(1.5, z))
    assert len(calls) >= 3
    assert ts.bessel.kv(lazy.astype("f4"), lazy.astype("f4")).dtype == np.float32
    assert ts.bessel.kve(np.ones(6), lazy + 1j).dtype == np.complex128
    table = ts.bessel.kv(lazy[:, None], lazy).compute()
    np.testing.assert_array_equal(table, ts.bessel.kv(z[:, None], z))
    labelled = xarray.DataArray(lazy, dims="x", coords={"x": range(6)}, name="h")
    found = ts.bessel.log_k(0.5, labelled)
    assert isinstance(found.data, da.Array) and found.name == "h" and "x" in found.coords
    np.testing.assert_array_equal(found, ts.bessel.log_k(0.5, z))

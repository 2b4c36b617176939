# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Properties at the border of Python: memory that is shared, masks and missing values, seeds,
weights, types that do not fit."""

import decimal
import warnings

import numpy as np
import pytest

import tessera as ts

CALLS = {
    "kv": lambda x, **out: ts.bessel.kv(1.3, x, **out),
    "dlog_k_dnu": lambda x, **out: ts.bessel.dlog_k_dnu(0.4, x, **out),
    "matern": lambda x, **out: ts.bessel.matern(0.7, x, **out),
    "pdf": lambda x, **out: ts.stable.pdf(x, 2, 0, **out),
    "logcdf": lambda x, **out: ts.stable.logcdf(x, 1.5, 1, **out),
    "sf of many": lambda x, **out: ts.stable.sf(
        x, [1.2], np.linspace(-1, 1, x.size).reshape(x.shape), **out
    ),
    "with scales": lambda x, **out: ts.stable.pdf(
        x, 1.5, 0.3, 0, np.linspace(1, 2, x.size).reshape(x.shape), **out
    ),
    "isf": lambda x, **out: ts.stable.isf(x / 100, 1.4, 0.3, **out),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("size", [7, 2500])
def test_out_may_overlap_the_arguments(name, size):
    """Whatever part of an argument the result is written to, it is what a result of its own is."""
    call, random = CALLS[name], np.random.default_rng(size)
    for _ in range(6):
        room = 0.05 + 40 * random.random(3 * size)
        shift, step = int(random.integers(0, size)), int(random.choice([1, -1, 2]))
        begin = size if step > 0 else 2 * size - 1
        x = (
            room[begin : begin + size * step : step]
            if step > 0
            else room[begin : begin - size : -1]
        )
        expected = call(x.copy())
        out = room[shift : shift + size]
        assert call(x, out=out) is out
        np.testing.assert_array_equal(out, expected)
    x = 0.05 + 40 * random.random(size)
    expected = call(x.copy())
    assert call(x, out=x) is x
    np.testing.assert_array_equal(x, expected)


def test_out_of_boys_may_hold_its_arguments():
    F = np.random.default_rng(1).random((4, 3000))
    expected = ts.boys.boys(3, F[1].copy())
    np.testing.assert_array_equal(ts.boys.boys(3, F[1], out=F), expected)


@pytest.mark.parametrize("name", CALLS)
def test_masked_elements_are_missing(name):
    """The mask of an argument is that of the result, and what is behind it does not count."""
    call, random = CALLS[name], np.random.default_rng(3)
    for size in (5, 2200):
        x, mask = 0.1 + 9 * random.random(size), random.random(size) < 0.3
        x[0], mask[0] = -1e300, True
        result = call(np.ma.MaskedArray(x, mask))
        assert isinstance(result, np.ma.MaskedArray)
        np.testing.assert_array_equal(np.ma.getmaskarray(result), mask)
        np.testing.assert_array_equal(result.data[~mask], call(np.where(mask, 1.0, x))[~mask])
    single = np.ma.MaskedArray(np.float32([1, 2, 3]), [False, True, False])
    assert ts.bessel.kv(np.float32([0.5, 1, 2]), single).dtype == np.float32
    two = ts.bessel.kv(
        np.ma.MaskedArray([0.5, 1.0], [True, False])[:, None],
        np.ma.MaskedArray([1.0, 2.0], [False, True]),
    )
    assert two.mask.tolist() == [[True, True], [False, True]]
    assert (
        ts.boys.boys(2, np.ma.MaskedArray([1.0, 2.0], [False, True])).mask.tolist()
        == [[False, True]] * 3
    )


def test_what_becomes_an_array():
    expected = ts.bessel.kv(0.5, np.array([1.0, 2.5, 3.0]))
    for same in (
        [1, 2.5, 3],
        (1.0, 2.5, 3),
        np.array([1, 2.5, 3], ">f8"),
        np.array([1, 2.5, 3], "<f4").astype(">f4").astype(object),
        np.array([1, 2.5, 3], np.longdouble),
        [np.float32(1), np.float64(2.5), 3],
        np.array([1, 2.5, 3], dtype=object),
    ):
        np.testing.assert_array_equal(ts.bessel.kv(0.5, same), expected)
    assert ts.bessel.kv(0.5, [1.0, None, 3.0]).mask.tolist() == [False, True, False]
    for wrong, place in (
        ([1.0, "2"], r"<U"),
        (np.array([1.0, "two"], dtype=object), r"x\[1\] is 'two'"),
        (np.array([[1.0, ""], [2.0, 3.0]], dtype=object), r"x\[0, 1\] is ''"),
        (np.array([decimal.Decimal(1), b"3"], dtype=object), r"x\[0\]|x\[1\]"),
        (np.array(["2020"], "M8[D]"), "datetime"),
        (None, "x"),
    ):
        with pytest.raises(TypeError, match=place):
            ts.bessel.kv(0.5, wrong)
    with pytest.raises(TypeError, match="complex"):
        ts.bessel.log_k(0.5, [1 + 2j])


def parameters(law):
    return law.alpha, law.beta, law.scale, law.loc, law.log_likelihood


def test_columns_of_pandas():
    pandas = pytest.importorskip("pandas")
    values = ts.stable.rvs(1.6, 0.2, size=300, random_state=3)
    law = ts.stable.fit(values)
    frame = pandas.DataFrame({"r": values, "s": 2 * values})
    for same in (
        frame["r"],
        frame[["r"]],
        values.reshape(-1, 1),
        frame["r"].astype("Float64"),
        frame["r"].astype("Float64").to_frame(),
    ):
        assert parameters(ts.stable.fit(same)) == parameters(law)
    assert ts.stable.levy_stable.fit(values.reshape(20, 15)) == ts.stable.levy_stable.fit(
        frame["r"]
    )
    with pytest.raises(ts.InputError, match=r"2 columns.*\n.*x\[name\]"):
        ts.stable.fit(frame)
    holes = frame["r"].astype("Float64").copy()
    holes[[4, 7]] = pandas.NA
    assert parameters(ts.stable.fit(holes)) == parameters(ts.stable.fit(np.delete(values, [4, 7])))
    evaluated = ts.stable.pdf(holes, 1.5, 0)
    assert np.flatnonzero(evaluated.mask).tolist() == [4, 7]
    whole = pandas.Series([1, 2, None], dtype="Int64")
    assert ts.bessel.kv(0.5, whole).mask.tolist() == [False, False, True]
    np.testing.assert_array_equal(
        ts.bessel.kv(0.5, pandas.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})),
        ts.bessel.kv(0.5, [[1, 0.5], [2, 1.5]]),
    )
    with pytest.raises(TypeError, match=r"x\['b'\]\[1\] is ''"):
        ts.bessel.kv(0.5, pandas.DataFrame({"a": [1, 2], "b": [0.5, ""]}))
    with pytest.raises(ts.InputError, match=r"isfinite"):
        ts.stable.fit(frame["r"].where(frame.index != 5))


def test_masked_samples():
    random = np.random.default_rng(8)
    values = ts.stable.rvs(1.6, 0.2, size=(3, 200), random_state=3)
    for _ in range(3):
        mask = random.random(values.shape) < 0.2
        spoiled = np.where(mask, 999.0, values)
        one = np.ma.MaskedArray(spoiled[0], mask[0])
        assert parameters(ts.stable.fit(one)) == parameters(ts.stable.fit(values[0][~mask[0]]))
        weights = random.random(200)
        weighted = ts.stable.fit(values[0][~mask[0]], weights=weights[~mask[0]])
        assert parameters(ts.stable.fit(one, weights=weights)) == parameters(weighted)
        rows = [parameters(ts.stable.fit(row[~gone])) for row, gone in zip(values, mask)]
        assert [parameters(law) for law in ts.stable.fit(np.ma.MaskedArray(spoiled, mask))] == rows


def test_weights_are_checked():
    """A weight below zero, or none, is named by its place; wherever it stands."""
    random = np.random.default_rng(9)
    values = ts.stable.rvs(1.6, 0.2, size=300, random_state=3)
    for bad in (-1.0, -1e-300, np.nan, np.inf, -np.inf):
        weights = random.random(300)
        place = int(random.integers(300))
        weights[place] = bad
        with pytest.raises(ts.InputError, match=rf"weights\[{place}\] is .*\n.*0 or more"):
            ts.stable.fit(values, weights=weights)
        with pytest.raises(ts.InputError, match=rf"weights\[{place // 100}, {place % 100}\]"):
            ts.stable.fit(values.reshape(3, 100), weights=weights.reshape(3, 100))
    for weights in ([1, 1, 1, 1] + [0] * 6, [0.0] * 10):
        with pytest.raises(ts.InputError, match="fewer than five"):
            ts.stable.fit(values[:10], weights=weights)
    with pytest.raises(ts.InputError, match="goodness=True compares samples without weights"):
        ts.stable.fit(values, weights=np.ones(300), goodness=True)


def test_all_bits_of_a_seed_count():
    random = np.random.default_rng(10)
    for _ in range(20):
        seed = int(random.integers(2**64, dtype=np.uint64))
        numbers = {
            tuple(ts.stable.rvs(1.5, 0, size=3, random_state=seed ^ (1 << bit)))
            for bit in range(64)
        } | {tuple(ts.stable.rvs(1.5, 0, size=3, random_state=seed))}
        assert len(numbers) == 65
    assert ts.stable.rvs(1.5, 0, random_state=np.uint64(7)) == ts.stable.rvs(1.5, 0, random_state=7)
    for wrong in (1.7, 1.0, "1", [1], np.float64(3)):
        with pytest.raises(TypeError, match="a whole number"):
            ts.stable.rvs(1.5, 0, random_state=wrong)
    for wrong in (-1, 2**64):
        with pytest.raises(ts.InputError, match="2\\^64"):
            ts.stable.rvs(1.5, 0, random_state=wrong)


def test_messages_are_of_this_package():
    """No insides of the binding in a message, and the argument is named."""
    calls = {
        "nu": lambda: ts.bessel.matern([0.5, 1.5], 1.0),
        "size": lambda: ts.stable.rvs(1.5, 0, size=2.0),
        "n_max": lambda: ts.boys.boys(2.0, 1.0),
        "nu holds": lambda: ts.bessel.matern("a", 1.0),
        "tolerance": lambda: ts.stable.fit(np.arange(9.0), tolerance="small"),
        "order": lambda: ts.stable.levy_stable.moment(1.5, 1.5, 0),
        "loc": lambda: ts.stable.pdf(1.0, 1.5, 0, "here"),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError, match=name) as caught:
            call()
        assert "incompatible function arguments" not in str(caught.value)


def test_rows_that_fail_are_warned_of():
    values = ts.stable.rvs(1.7, 0.0, size=(6, 300), random_state=5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.stable.fit(values)
    values[2, 4] = np.nan
    with pytest.warns(ts.TesseraWarning, match="1 of 6 fits .* rows 2;"):
        ts.stable.fit(values)

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.jax: values, gradients in every argument, jit and vmap, a distribution of NumPyro.
Skipped without JAX."""

import math
import shutil
import subprocess
import sys

import numpy as np
import pytest

import reference_data
import tessera as ts


def test_without_jax():
    """What is missing is named, with the command that installs it."""
    code = "import sys; sys.modules['jax'] = None\nimport tessera.jax"
    run = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False
    )
    assert "pip install jax" in run.stderr


jax = pytest.importorskip("jax", reason="there is no JAX: pip install jax")
jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import tessera.jax as tj  # noqa: E402
from tessera.jax import stable  # noqa: E402


def close(found, right, tolerance=1e-9):
    """To a tolerance of 1 + their size."""
    found = np.asarray(found)
    error = np.abs(found - right) / (1 + np.abs(right))
    assert not np.isnan(error).any() and np.max(error) <= tolerance, np.max(error)


def same(found, expected):
    """The same bits, but for subnormal numbers: XLA's threads on the CPU set them to 0."""
    found, tiny = np.asarray(found), np.finfo(float).tiny
    if jax.default_backend() == "cpu":
        found, expected = (np.where(np.abs(a) < tiny, 0, a) for a in (found, expected))
    np.testing.assert_array_equal(found, expected)


def gradients(function, *arguments):
    """Of the sum, in every argument."""
    return jax.grad(lambda *a: function(*a).sum(), argnums=tuple(range(len(arguments))))(*arguments)


def test_bessel_functions_agree_with_50_digits():
    nu, x, _, log_k, in_x, in_nu = reference_data.bessel()
    close(tj.log_kv(nu, x), log_k, 1e-14)
    found = gradients(tj.log_kv, jnp.asarray(nu), jnp.asarray(x))
    close(found[0], in_nu)
    assert np.max(np.abs(np.asarray(found[1]) / in_x - 1)) <= 1e-14
    same(tj.kv(0.4, x), ts.bessel.kv(0.4, x))
    same(tj.kve(0.4, x), ts.bessel.kve(0.4, x))


def test_functions_of_the_first_kind_agree_with_60_digits():
    nu, x, _, log_i, _, in_x, _, in_nu = reference_data.bessel_i()
    good = (nu >= 0) & (x > 1e-8)
    nu, x, log_i, in_x, in_nu = (a[good] for a in (nu, x, log_i, in_x, in_nu))
    close(tj.log_iv(nu, x), log_i, 1e-14)
    found = gradients(tj.log_iv, jnp.asarray(nu), jnp.asarray(x))
    close(found[0], in_nu, 1e-14)
    assert np.max(np.abs(np.asarray(found[1]) / in_x - 1)) <= 1e-14
    same(tj.iv(0.4, x), ts.bessel.iv(0.4, x))
    same(tj.ive(0.4, x), ts.bessel.ive(0.4, x))


def test_matern_agrees_with_50_digits():
    nu, h, m, in_h, in_nu = reference_data.matern()
    inside = (h > 1e-6) & (nu >= 0.05)
    for order in np.unique(nu[inside]):
        here = inside & (nu == order)
        close(tj.matern(h[here], order), m[here], 1e-12)
        found = gradients(tj.matern, jnp.asarray(h[here]), jnp.asarray(order))
        close(found[0], in_h[here])
        close(found[1], np.sum(in_nu[here]))
    found = gradients(tj.matern, jnp.asarray(h[inside]), jnp.asarray(nu[inside]))
    close(tj.matern(h[inside], nu[inside]), m[inside], 1e-12)
    close(found[0], in_h[inside])
    close(found[1], in_nu[inside])


def test_stable_laws_agree_with_50_digits():
    right = reference_data.stable()
    arguments = [jnp.asarray(right[name]) for name in ("x", "alpha", "beta")]
    close(stable.log_prob(*arguments), right["log_pdf"], 1e-11)
    for found, name in zip(gradients(stable.log_prob, *arguments), ("d_x", "d_alpha", "d_beta")):
        close(found, right[name])
    close(stable.cdf(*arguments), right["cdf"], 1e-13)
    for found, name in zip(gradients(stable.cdf, *arguments), ("pdf", "cdf_alpha", "cdf_beta")):
        close(found, right[name])


def test_boys_functions():
    x = jnp.linspace(0.1, 50, 20)
    close(tj.boys(6, x), ts.boys.boys(6, np.asarray(x)), 1e-14)
    first = jax.vmap(jax.jacfwd(lambda at: tj.boys(6, at)))(x)
    close(first, -ts.boys.boys(7, np.asarray(x))[1:].T, 1e-14)
    second = jax.vmap(jax.hessian(lambda at: tj.boys(6, at)[6]))(x)
    close(second, ts.boys.boys(8, np.asarray(x))[8], 1e-14)
    with pytest.raises(ts.InputError):
        tj.boys(41, x)


def test_gradients_of_both_modes_and_orders():
    nu, x = jnp.array([0.3, 1.0, 7.5]), jnp.array([0.05, 2.0, 30.0])
    for function in (tj.kv, tj.kve, tj.log_kv):
        check_grads(function, (nu, x), order=2, modes=("fwd", "rev"), rtol=1e-3)
    check_grads(lambda h, n: tj.matern(h, n), (x, jnp.asarray(1.3)), order=2, rtol=1e-3)
    at = jnp.array([-0.7, 1.2, 4.0])
    law = [
        jnp.array(v) for v in ([0.6, 1.3, 1.7], [0.5, -0.3, 0.0], [0.1, -0.4, 0.0], [1.5, 0.7, 2.0])
    ]
    for parameterization in ("S0", "S1"):
        for function in (stable.log_prob, stable.cdf):
            check_grads(
                lambda *a, f=function, p=parameterization: f(*a, parameterization=p),
                (at, *law),
                order=2,
                rtol=2e-3,
            )
    check_grads(stable.icdf, (jnp.array([0.2, 0.5, 0.93]), *law), order=1, rtol=1e-4)


def test_second_derivatives_of_bessel_functions():
    """In x those of Bessel's equation, where differences of the function do not follow it."""
    nu, x = jnp.array([0.3, 5.0, 20.0, 95.0, 300.0]), jnp.array([0.05, 0.5, 2.0, 0.5, 200.0])
    for function, of_log, sign in ((tj.kve, tj.log_kv, 1), (tj.ive, tj.log_iv, -1)):
        value, slope = function(nu, x), jax.grad(lambda at, f=of_log: f(nu, at).sum())(x)
        first = jax.grad(lambda at, f=function: f(nu, at).sum())
        found = jax.jvp(first, (x,), (jnp.ones_like(x),))[1]
        close(found / value, 2 + (nu / x) ** 2 + (2 * sign - 1 / x) * slope, 1e-11)


def test_jit_and_vmap():
    x, alpha = jnp.linspace(-3, 3, 5), jnp.array([0.7, 1.5, 1.9])
    plain = np.array([ts.stable.logpdf(np.asarray(x), a, 0.2) for a in np.asarray(alpha)])
    each = jax.jit(jax.vmap(lambda a: stable.log_prob(x, a, 0.2)))(alpha)
    close(each, plain, 1e-12)
    close(
        jax.vmap(jax.vmap(stable.log_prob, (0, None, None)), (None, 0, None))(x, alpha, 0.2),
        plain,
        1e-12,
    )
    grid = jax.vmap(lambda h: tj.matern(h, jnp.array([0.5, 1.5])))(jnp.abs(x) + 0.1)
    assert grid.shape == (5, 2)
    close(grid[:, 0], np.exp(-np.abs(np.asarray(x)) - 0.1), 1e-12)
    orders = jax.jit(jax.vmap(lambda at: tj.boys(3, at)))(jnp.ones((4, 2)))
    assert orders.shape == (4, 4, 2)
    slope = jax.jit(jax.grad(lambda n: tj.log_kv(n, 2.0)))(0.7)
    assert slope == pytest.approx(ts.bessel.dlog_k_dnu(0.7, 2.0), rel=1e-14)


def test_types_and_ranges():
    assert tj.kv(jnp.float32(0.5), jnp.ones(3, jnp.float32)).dtype == jnp.float32
    half = tj.kv(jnp.float16(0.5), jnp.ones(3, jnp.float16))
    assert half.dtype == jnp.float16 and abs(float(half[0]) - ts.bessel.kv(0.5, 1.0)) < 1e-3
    assert np.isnan(stable.log_prob(0.3, 2.5, 0.0)) and np.isnan(tj.matern(0.3, 300.0))
    assert np.isnan(np.asarray(stable.cdf(jnp.zeros(2), jnp.array([2.5, 1.5]), 0.0)))[0]
    assert stable.log_prob(-30.0, 0.5, 1.0) == -math.inf
    with pytest.raises(ts.InputError, match="S0 or S1"):
        stable.cdf(0.3, 1.5, 0.0, parameterization="S2")


def structures_of_xla(header):
    """[(the library's structure, its field, that of XLA)]"""
    from tessera.jax import _xla

    internal = "XLA_FFI_InternalExtension"
    fields = {
        internal
        if internal in header
        else "XLA_FFI_Extension_Base": (_xla._ExtensionBase, "type", "next"),
        "XLA_FFI_Metadata_Extension": (_xla._MetadataExtension, "metadata"),
        "XLA_FFI_Metadata": (_xla._Metadata, "api_version", "traits"),
        "XLA_FFI_Api_Version": (_xla._Version, "major:major_version", "minor:minor_version"),
        "XLA_FFI_Buffer": (_xla._Buffer, "dtype", "data", "rank", "dims"),
        "XLA_FFI_Args": (_xla._Buffers, "size", "items:args"),
        "XLA_FFI_Rets": (_xla._Buffers, "size", "items:rets"),
        "XLA_FFI_Attrs": (_xla._Attributes, "size", "items:attrs"),
        "XLA_FFI_ByteSpan": (_xla._Text, "data:ptr", "size:len"),
        "XLA_FFI_Error_Create_Args": (_xla._ErrorArguments, "message", "code:errc"),
        "XLA_FFI_Stream_Get_Args": (_xla._StreamArguments, "context:ctx", "stream"),
        "XLA_FFI_Api": (
            _xla._Api,
            "api_version",
            "create_error:XLA_FFI_Error_Create",
            "get_stream:XLA_FFI_Stream_Get",
        ),
        "XLA_FFI_CallFrame": (
            _xla._Frame,
            "api",
            "context:ctx",
            "arguments:args",
            "results:rets",
            "attributes:attrs",
        ),
    }
    for name, (structure, *members) in fields.items():
        for member in members:
            own, _, other = member.partition(":")
            yield structure, own, f"offsetof({name}, {other or own})"


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.skipif(not hasattr(jax, "ffi"), reason="this JAX has no jax.ffi")
def test_structures_are_those_of_the_header(tmp_path):
    with open(f"{jax.ffi.include_dir()}/xla/ffi/api/c_api.h", encoding="utf-8") as header:
        rows = list(structures_of_xla(header.read()))
    source = "#include <stdio.h>\n#include <xla/ffi/api/c_api.h>\nint main(void) {\n"
    source += "".join(f'printf("%zu\\n", {offset});\n' for _, _, offset in rows)
    (tmp_path / "offsets.c").write_text(source + "}\n")
    subprocess.run(
        ["cc", "-I", jax.ffi.include_dir(), "offsets.c", "-o", "offsets"], cwd=tmp_path, check=True
    )
    found = subprocess.run([tmp_path / "offsets"], capture_output=True, text=True, check=True)
    for (structure, field, offset), right in zip(rows, found.stdout.split()):
        assert getattr(structure, field).offset == int(right), offset


def test_arrays_stay_where_they_are():
    from tessera.jax import _calls

    assert _calls._reaches_arrays()
    x = jnp.linspace(0.1, 3, 7)
    assert "ffi_call" in str(jax.make_jaxpr(lambda at: tj.kv(0.4, at))(x))
    shape = jax.jit(lambda n, at: tj.kv(n, at))(jnp.float64(0.4), jnp.zeros((0, 3))).shape
    assert shape == (0, 3)
    with pytest.raises(Exception, match="tessera has no function"):
        _calls._run("unknown", [], [])


def test_random_numbers():
    law = [jnp.asarray(v) for v in (1.3, 0.4, 0.5, 2.0)]
    key = jax.random.PRNGKey(3)
    for parameterization in ("S0", "S1"):

        def draw(*a, p=parameterization):
            return stable.rsample(key, *a, shape=(20_000,), parameterization=p)

        x = draw(*law)
        p = np.sort(np.asarray(stable.cdf(x, *law, parameterization=parameterization)))
        n = len(p)
        assert np.max(np.abs(p - (np.arange(n) + 0.5) / n)) * math.sqrt(n) < 2

        def probability(*a, q=parameterization):
            return stable.cdf(draw(*a), *a, parameterization=q)

        for gradient in gradients(probability, *law):  # each number keeps its probability
            assert abs(gradient) / n < 1e-9


def test_distribution_of_numpyro():
    numpyro = pytest.importorskip("numpyro", reason="there is no NumPyro: pip install numpyro")
    from tessera.jax.numpyro import Stable

    law = Stable(jnp.array([1.4, 1.8]), 0.3, 0.0, 2.0)
    assert law.batch_shape == (2,) and law.event_shape == ()
    x = law.sample(jax.random.PRNGKey(0), (7,))
    assert x.shape == (7, 2)
    close(law.log_prob(x)[:, 1], ts.stable.logpdf(np.asarray(x)[:, 1], 1.8, 0.3, 0.0, 2.0), 1e-12)
    close(law.icdf(law.cdf(x)), np.asarray(x), 1e-7)
    assert law.expand((3, 2)).log_prob(x[0]).shape == (3, 2)
    leaves, structure = jax.tree_util.tree_flatten(law)
    again = jax.tree_util.tree_unflatten(structure, leaves)
    assert again.parameterization == "S0"
    data = jnp.asarray(ts.stable.rvs(1.6, 0.0, 1.0, 2.0, size=300, random_state=1))

    def model():
        loc = numpyro.sample("loc", numpyro.distributions.Normal(0.0, 10.0))
        scale = numpyro.sample("scale", numpyro.distributions.LogNormal(0.0, 1.0))
        numpyro.sample("x", Stable(1.6, 0.0, loc, scale), obs=data)

    sampler = numpyro.infer.MCMC(
        numpyro.infer.NUTS(model), num_warmup=150, num_samples=150, progress_bar=False
    )
    sampler.run(jax.random.PRNGKey(1))
    found = sampler.get_samples()
    assert abs(float(found["loc"].mean()) - 1.0) < 0.5
    assert abs(float(found["scale"].mean()) - 2.0) < 0.4

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera.torch: values, gradients in every argument, second derivatives, the distribution. Skipped
without PyTorch; what needs a GPU is in gradients_on_gpu.py."""

import math
import subprocess
import sys

import numpy as np
import pytest

import reference_data
import tessera as ts

torch = pytest.importorskip(
    "torch", reason="there is no PyTorch: apt-get install python3-torch, or pip install torch"
)

import tessera.torch as tt  # noqa: E402
from tessera.torch import stable  # noqa: E402
from tessera.torch.distributions import Stable  # noqa: E402

# Second derivatives in nu, by mpmath: of log K at (nu, x) = (0.3, 0.05), (1, 2), (7.5, 30) and
# (40, 3), of the Matern correlation at (h, nu) = (0.9, 1.3), (0.1, 0.4), (3, 2), (5, 10)
NU_NU_OF_LOG_K = [3.928593640867892, 0.3928084779944736, 0.03188814588643026, 0.02523959259742115]
NU_NU_OF_MATERN = [
    -0.2944694361200582,
    -3.327399362127769,
    -0.02472318151628714,
    -0.00452903871696076,
]

# Second derivatives, in nu twice, in nu and x, in x twice, by the function itself, of e^x K and
# e^-x I, of mpmath with 50 digits (K by trapezoidal sums of its integral)
SECOND_ORDERS = [0.3, 5, 20, 95, 300, 1, 7.5]
SECOND_ARGUMENTS = [0.05, 0.5, 2, 0.5, 200, 1e-8, 300]
SECOND_OF_K = [
    [5.650718516886987, -20.906074475975146, 185.8561717336781],
    [8.607873369808175, -28.231293039329653, 102.0],
    [8.891386443712905, -27.41282424558453, 86.92128205400024],
    [35.23369021363354, -1123.712977553931, 36102.0],
    [1.4274799734704429, -0.963277510241996, 0.651925368470525],
    [345.250928130001, -1953661207.4244673, 1.999999980000002e16],
    [0.003949564071947624, -0.00013236165469236868, 1.1526029027476697e-05],
]
SECOND_OF_I = [
    [11.25712561339214, 2.31724430325101, -94.42298851302542],
    [9.392983352132225, -25.9829465192212, 61.83358070524794],
    [9.088669000011807, -26.85094413539079, 76.88120899810016],
    [35.337690208573584, -1121.7021501166712, 35341.98958340324],
    [1.4274472718247933, -0.9549714784741641, 0.6369745213409632],
    [381.03428451552594, -1853661206.4244657, -199999998.25],
    [-0.0027108964268505215, 0.0001175033872504526, 5.306536365946185e-06],
]

gradcheck, gradgradcheck = torch.autograd.gradcheck, torch.autograd.gradgradcheck


def double(*values, grad=True):
    return [torch.tensor(v, dtype=torch.float64, requires_grad=grad) for v in values]


def close(found, right, tolerance=1e-9):
    """To a tolerance of 1 + their size."""
    found = found.detach().numpy() if isinstance(found, torch.Tensor) else found
    error = np.abs(found - right) / (1 + np.abs(right))
    assert np.nanmax(error) <= tolerance, (np.nanargmax(error), np.nanmax(error))
    assert not np.isnan(found).any()


def gradients(value, *arguments):
    return torch.autograd.grad(value.sum(), arguments)


def test_bessel_functions_agree_with_50_digits():
    nu, x, scaled, log_k, in_x, in_nu = reference_data.bessel()
    order, at = double(nu, x)
    value = tt.log_kv(order, at)
    close(value, log_k, 1e-14)
    found = gradients(value, order, at)
    close(found[0], in_nu)
    assert np.max(np.abs(found[1].numpy() / in_x - 1)) <= 1e-14
    whole = np.isfinite(scaled) & (np.abs(log_k) < 600) & (x > 1e-8)
    order, at = double(nu[whole], x[whole])
    k = np.exp(log_k[whole])
    for function, right, slope in (
        (tt.kv, k, in_x[whole]),
        (tt.kve, scaled[whole], 1 + in_x[whole]),
    ):
        value = function(order, at)
        assert np.max(np.abs(value.detach().numpy() / right - 1)) <= 1e-12
        found = gradients(value, order, at)
        for one, rate in zip(found, (in_nu[whole], slope)):
            np.testing.assert_array_less(
                np.abs(one.numpy() / right - rate), 1e-9 * (1 + np.abs(rate))
            )


def test_functions_of_the_first_kind_agree_with_60_digits():
    nu, x, _, log_i, _, in_x, _, in_nu = reference_data.bessel_i()
    good = (nu >= 0) & (x > 1e-8)
    order, at = double(nu[good], x[good])
    value = tt.log_iv(order, at)
    close(value, log_i[good], 1e-14)
    found = gradients(value, order, at)
    close(found[0], in_nu[good], 1e-14)
    assert np.max(np.abs(found[1].numpy() / in_x[good] - 1)) <= 1e-14
    moderate = (nu >= 0) & (nu <= 30) & (x > 0.1) & (x < 50)
    order, at = double(nu[moderate], x[moderate])
    for function, rate in ((tt.iv, 0), (tt.ive, 1)):
        value = function(order, at)
        found = gradients(value, order, at)
        right = np.exp(log_i[moderate] - rate * x[moderate])
        assert np.max(np.abs(value.detach().numpy() / right - 1)) <= 1e-13
        close(found[0] / value.detach(), in_nu[moderate], 1e-13)
        close(found[1] / value.detach(), in_x[moderate] - rate, 1e-13)


def test_second_derivatives_of_log_iv():
    order, at = double([0.3, 1.0, 7.5, 40.0], [0.05, 2.0, 30.0, 3.0])
    slope = torch.autograd.grad(tt.log_iv(order, at).sum(), at, create_graph=True)[0]
    ratio = slope.detach()
    found = torch.autograd.grad(slope.sum(), at)[0]
    close(found, (1 + (order / at) ** 2 - ratio / at - ratio**2).detach().numpy(), 1e-8)  # Bessel


@pytest.mark.parametrize("one_order", [True, False])
def test_matern_agrees_with_50_digits(one_order):
    """By the table of one nu, and by log K where nu varies."""
    nu, h, m, in_h, in_nu = reference_data.matern()
    inside = (h > 1e-6) & (nu >= 0.05)
    for order in np.unique(nu[inside]) if one_order else [None]:
        here = inside if order is None else inside & (nu == order)
        at = double(h[here])[0]
        of = double(nu[here] if order is None else order)[0]
        value = tt.matern(at, of)
        close(value, m[here], 1e-12)
        found = gradients(value, at, of)
        close(found[0], in_h[here])
        if order is None:
            close(found[1], in_nu[here])
        else:
            close(found[1], np.sum(in_nu[here]), 1e-9)


def test_boys_functions():
    x = double(np.concatenate([[0.0, 1e-8], np.linspace(0.1, 60, 40)]))[0]
    value = tt.boys(6, x)
    close(value, ts.boys.boys(6, x.detach().numpy()), 1e-14)
    weights = torch.linspace(0.5, 2, 7, dtype=torch.float64)[:, None]
    first = torch.autograd.grad((weights * value).sum(), x, create_graph=True)[0]
    second = torch.autograd.grad(first.sum(), x)[0]
    more = ts.boys.boys(8, x.detach().numpy())
    close(first, -(weights.numpy() * more[1:8]).sum(0), 1e-14)
    close(second, (weights.numpy() * more[2:9]).sum(0), 1e-14)
    assert gradgradcheck(lambda at: tt.boys(3, at), double([0.3, 2.0, 40.0])[0])
    with pytest.raises(ts.InputError, match="order 40"):
        tt.boys(40, x)
    assert tt.boys(40, x.detach()).shape == (41, 42)


def test_stable_laws_agree_with_50_digits():
    right = reference_data.stable()
    assert len(right["x"]) > 400
    x, alpha, beta = double(right["x"], right["alpha"], right["beta"])
    value = stable.log_prob(x, alpha, beta)
    close(value, right["log_pdf"], 1e-11)
    for found, name in zip(gradients(value, x, alpha, beta), ("d_x", "d_alpha", "d_beta")):
        close(found, right[name])
    value = stable.cdf(x, alpha, beta)
    close(value, right["cdf"], 1e-13)
    for found, name in zip(gradients(value, x, alpha, beta), ("pdf", "cdf_alpha", "cdf_beta")):
        close(found, right[name])


def test_implicit_gradients_agree_with_50_digits():
    """Quantiles: dx/dp = 1/pdf, dx/dalpha = -dP/dalpha / pdf."""
    right = reference_data.stable()
    here = (right["cdf"] > 1e-3) & (right["cdf"] < 0.999) & (right["alpha"] >= 0.5)
    right = {name: values[here] for name, values in right.items()}
    p, alpha, beta = double(right["cdf"], right["alpha"], right["beta"])
    x = stable.icdf(p, alpha, beta)
    close(x, right["x"], 1e-10)
    found = gradients(x, p, alpha, beta)
    for one, name in zip(found, (None, "cdf_alpha", "cdf_beta")):
        expected = 1 / right["pdf"] if name is None else -right[name] / right["pdf"]
        close(one, expected, 2e-9)


def test_location_and_scale():
    x, alpha, beta, loc, scale = double([-2.0, 0.3, 5.0], 1.6, 0.4, 0.5, 2.0)
    for parameterization in ("S0", "S1"):
        of_numbers = (1.6, 0.4, 0.5, 2.0)
        found = stable.log_prob(x, alpha, beta, loc, scale, parameterization=parameterization)
        expected = ts.stable.logpdf(
            x.detach().numpy(), *of_numbers, parameterization=parameterization
        )
        close(found, expected, 1e-14)
        found = stable.icdf(
            torch.tensor([0.1, 0.5], dtype=torch.float64),
            *of_numbers,
            parameterization=parameterization,
        )
        expected = ts.stable.ppf([0.1, 0.5], *of_numbers, parameterization=parameterization)
        close(found, expected, 1e-13)


@pytest.mark.parametrize("parameterization", ["S0", "S1"])
def test_gradcheck_of_stable_laws(parameterization):
    law = double([0.6, 1.3, 1.7], [0.5, -0.3, 0.0], [0.1, -0.4, 0.0], [1.5, 0.7, 2.0])

    def of(function):
        return lambda *arguments: function(*arguments, parameterization=parameterization)

    x, p = double([-0.7, 1.2, 4.0], [0.2, 0.5, 0.93])
    for function, at in ((stable.log_prob, x), (stable.cdf, x), (stable.icdf, p)):
        assert gradcheck(of(function), (at, *law))
    assert gradgradcheck(of(stable.log_prob), (x, *law))
    assert gradgradcheck(of(stable.cdf), (x, *law))

    def draw(*arguments):
        generator = torch.Generator().manual_seed(5)
        return stable.rsample(
            *arguments, size=(2,), generator=generator, parameterization=parameterization
        )

    value = draw(*law)
    # each number keeps its probability
    p = stable.cdf(value, *law, parameterization=parameterization)
    for gradient in torch.autograd.grad(p.sum(), law):
        assert gradient.abs().max() < 1e-9
    assert value.shape == (2, 3)


def test_gradcheck_of_the_others():
    nu, x = double([0.3, 1.0, 7.5], [0.05, 2.0, 30.0])
    for function in (tt.kv, tt.kve, tt.log_kv):
        assert gradcheck(function, (nu, x))
        assert gradgradcheck(function, (nu, x))
    h = double([[0.1], [0.9], [3.0]])[0]
    for order in (nu, double(1.3)[0]):
        assert gradcheck(tt.matern, (h, order))
        assert gradgradcheck(tt.matern, (h, order))


def hessian(function, *arguments):
    """Second derivatives of the elements, by [argument][argument]."""
    first = torch.autograd.grad(function(*arguments).sum(), arguments, create_graph=True)
    return [torch.autograd.grad(one.sum(), arguments, retain_graph=True) for one in first]


def test_second_derivatives_agree_with_50_digits():
    right = reference_data.stable("second_derivatives")
    names = ("x", "alpha", "beta")
    found = hessian(stable.log_prob, *double(*(right[name] for name in names)))
    for i, j, name in (
        (0, 0, "xx"),
        (0, 1, "x_alpha"),
        (0, 2, "x_beta"),
        (1, 1, "alpha_alpha"),
        (1, 2, "alpha_beta"),
        (2, 2, "beta_beta"),
    ):
        close(found[i][j], right[name])
        close(found[j][i], right[name])
    # d2 log K / dnu2 of mpmath, and d2 M / dnu2
    found = hessian(tt.log_kv, *double([0.3, 1.0, 7.5, 40.0], [0.05, 2.0, 30.0, 3.0]))
    close(found[0][0], NU_NU_OF_LOG_K)
    found = hessian(tt.matern, *double([0.9, 0.1, 3.0, 5.0], [1.3, 0.4, 2.0, 10.0]))
    close(found[1][1], NU_NU_OF_MATERN)


def test_second_derivatives():
    """Against what is known: Bessel's equation, and the Hessian of a normal law at alpha = 2 - e."""
    nu, x = double([0.3, 2.0, 20.0], [1e-3, 2.0, 300.0])
    first = torch.autograd.grad(tt.log_kv(nu, x).sum(), x, create_graph=True)[0]
    second = torch.autograd.grad(first.sum(), x)[0]
    with torch.no_grad():
        expected = 1 + (nu / x) ** 2 - first / x - first**2  # K''/K - (K'/K)^2
    assert ((second - expected) / (1 + abs(expected))).abs().max() < 1e-8
    at, alpha, beta = double([0.3, 1.5], 1.4, 0.2)
    first = torch.autograd.grad(
        stable.log_prob(at, alpha, beta).sum(), (at, alpha), create_graph=True
    )
    found = torch.autograd.grad(first[1], at)[0]
    step = 1e-4
    there = [
        ts.stable.logpdf(np.array([0.3, 1.5]) + i * step, 1.4 + j * step, 0.2)
        for i, j in ((1, 1), (1, -1), (-1, 1), (-1, -1))
    ]
    expected = (there[0] - there[1] - there[2] + there[3]) / (4 * step**2)
    close(found, expected, 1e-6)


@pytest.mark.parametrize(
    "function, right", [(tt.kve, SECOND_OF_K), (tt.ive, SECOND_OF_I)], ids=["kve", "ive"]
)
def test_second_derivatives_of_scaled_bessel_functions(function, right):
    """Orders up to 300, with values of 1e-200 to 1e207 that differences do not follow."""
    nu, x = double(SECOND_ORDERS, SECOND_ARGUMENTS)
    value = function(nu, x).detach().numpy()
    found = hessian(function, nu, x)
    for one, column in zip((found[0][0], found[0][1], found[1][1]), np.transpose(right)):
        close(one.numpy() / value, column, 1e-10)
    np.testing.assert_allclose(found[1][0], found[0][1], rtol=1e-14)


@pytest.mark.parametrize("function, of_log", [(tt.kv, tt.log_kv), (tt.iv, tt.log_iv)])
def test_second_derivatives_of_bessel_functions(function, of_log):
    """In x those of Bessel's equation; in nu those of the logarithm, by products."""
    nu, x = double(np.repeat([0.3, 1.0, 5.0, 20.0, 95.0, 300.0], 4), np.tile([0.5, 2, 30, 200], 6))
    value = function(nu, x).detach()
    of_nu, of_x = gradients(of_log(nu, x), nu, x)
    found, logarithm = hessian(function, nu, x), hessian(of_log, nu, x)
    safe = ((value > 1e-290) & (value < 1e290)).numpy()
    for one, right in (
        (found[0][0], logarithm[0][0] + of_nu**2),
        (found[0][1], logarithm[0][1] + of_nu * of_x),
        (found[1][0], logarithm[0][1] + of_nu * of_x),
        (found[1][1], 1 + (nu / x) ** 2 - of_x / x),
    ):
        close((one / value).detach().numpy()[safe], right.detach().numpy()[safe], 1e-11)
    nu, x = double(np.float32([0.3, 2.5]), np.float32([0.5, 7.0]))
    wide, narrow = hessian(function, nu, x), hessian(
        function, *(t.detach().float().requires_grad_() for t in (nu, x))
    )
    for i in range(2):
        for j in range(2):
            np.testing.assert_allclose(narrow[i][j].double(), wide[i][j], rtol=1e-6)


@pytest.mark.parametrize("of_i", [False, True])
def test_second_derivatives_of_arrays_are_those_of_tensors(of_i):
    """tessera.jax has them of arrays of NumPy, by the same code."""
    from tessera import _differences, _tessera

    call = _tessera.bessel_i_derivatives if of_i else _tessera.bessel_derivatives
    nu, x = np.array([0.3, 5.0, 95.0]), np.array([0.5, 2.0, 30.0])

    def found(*at):
        return call(_differences.SCALED, *(np.asarray(one) for one in at), None, None)

    right = hessian(tt.ive if of_i else tt.kve, *double(nu, x))
    for of in (slice(None), 1):  # arrays, and single numbers
        arrays = _differences.of_bessel(found, _differences.SCALED, of_i, nu[of], x[of], np)
        for one, (i, j) in zip(arrays, ((0, 0), (0, 1), (1, 1))):
            np.testing.assert_allclose(one, right[i][j].numpy()[of], rtol=1e-12)


def test_derivatives_of_higher_order_than_there_are():
    nu, x = double(1.5, 2.0)
    first = torch.autograd.grad(tt.kv(nu, x), x, create_graph=True)[0]
    second = torch.autograd.grad(first, x, create_graph=True)[0]
    with pytest.raises(ts.UsageError, match="second derivatives only"):
        torch.autograd.grad(second, x)
    p, alpha = double(0.3, 1.5)
    for function in (lambda: stable.icdf(p, alpha, 0.2), lambda: stable.rsample(alpha, 0.2)):
        first = torch.autograd.grad(function(), alpha, create_graph=True)[0]
        with pytest.raises(ts.UsageError, match="first derivatives only"):
            torch.autograd.grad(first, alpha)


def test_second_derivatives_at_the_end_of_a_range():
    """Differences are to one side there, and values those of the inside."""
    at = double([0.3, -1.5])[0]

    def hessian(alpha, beta, argument):
        law = double(alpha, beta)
        chosen = law[argument]
        value = stable.log_prob(at, *law).sum()
        first = torch.autograd.grad(value, chosen, create_graph=True)[0]
        return torch.autograd.grad(first, chosen)[0].item()

    for alpha, beta, inside, argument in (
        (1.4, 1.0, (1.4, 1.0 - 1e-7), 1),
        (1.4, -1.0, (1.4, -1.0 + 1e-7), 1),
        (2.0, 0.0, (2.0 - 1e-7, 0.0), 0),
        (1.6, 1.0, (1.6, 0.999), 0),
    ):
        found, near = hessian(alpha, beta, argument), hessian(*inside, argument)
        assert found == pytest.approx(near, rel=3e-2 if argument == 0 and alpha == 1.6 else 1e-4)


def test_shapes_and_types():
    x = torch.rand(4, 1) + 0.1
    nu = torch.rand(3)
    assert tt.kv(nu, x).shape == (4, 3) and tt.kv(nu, x).dtype == torch.float32
    assert tt.kv(nu.double(), x).dtype == torch.float64
    assert tt.matern(x, 1.5).dtype == torch.float32
    assert stable.log_prob(x.half(), 1.5, 0.0).dtype == torch.float16
    assert tt.log_kv(0.5, torch.empty(0, 2)).shape == (0, 2)
    assert tt.log_kv(0.5, torch.tensor(2.0)).shape == ()
    assert stable.log_prob(torch.arange(3), 1.5, 0.0).dtype == torch.get_default_dtype()
    wide = torch.rand(6, 6, dtype=torch.float64)[::2, 1::2] + 1
    np.testing.assert_array_equal(tt.kve(0.4, wide).numpy(), ts.bessel.kve(0.4, wide.numpy()))
    for wrong in ([1.0, 2.0], np.ones(3), torch.ones(2, dtype=torch.complex64)):
        with pytest.raises(ts.ArgumentTypeError):
            tt.kv(1.0, wrong)
    gradient = torch.tensor([0.5], requires_grad=True)  # what is broadcast is summed
    tt.kv(gradient, torch.rand(10) + 1).sum().backward()
    assert gradient.grad.shape == (1,) and gradient.grad.dtype == torch.float32


def test_single_precision():
    nu = torch.tensor([0.3, 1.5, 4.0], requires_grad=True)
    x = torch.tensor([0.2, 1.0, 9.0], requires_grad=True)
    wide = [v.detach().double().requires_grad_() for v in (nu, x)]
    for function in (tt.kv, tt.kve, tt.log_kv, lambda n, at: tt.matern(at, n)):
        value, right = function(nu, x), function(*wide)
        assert value.dtype == torch.float32
        assert torch.allclose(value.double(), right, rtol=1e-5)
        for found, expected in zip(gradients(value, nu, x), gradients(right, *wide)):
            assert found.dtype == torch.float32
            assert torch.allclose(found.double(), expected, rtol=1e-4, atol=1e-6)
    value = tt.boys(4, x)
    right = torch.autograd.grad(tt.boys(4, wide[1]).sum(), wide[1])[0]
    assert torch.allclose(torch.autograd.grad(value.sum(), x)[0].double(), right, rtol=1e-5)


def test_laws_out_of_range():
    x = torch.linspace(-1, 1, 3, dtype=torch.float64)
    with pytest.raises(ts.InputError, match="alpha is 2.5"):
        stable.log_prob(x, 2.5, 0.0)
    with pytest.raises(ts.InputError, match="nu"):
        tt.matern(x.abs(), torch.tensor(-1.0))
    alpha = torch.tensor([0.5, 2.5, 1.0], dtype=torch.float64, requires_grad=True)
    found = stable.cdf(x, alpha, 0.0)
    assert found.isnan().tolist() == [False, True, False]
    with pytest.raises(ts.InputError, match="S0 or S1"):
        stable.cdf(x, 1.5, 0.0, parameterization="S2")
    outside = stable.log_prob(torch.tensor(-30.0), 0.5, 1.0)  # beyond the support
    assert outside == -math.inf


def test_distributions_out_of_range_without_validation():
    """One law gives NaN as one of several does."""
    for alpha in (torch.tensor(2.5), torch.tensor([2.5, 1.5])):
        law = Stable(alpha, 0.0, validate_args=False)
        for found in (
            law.log_prob(torch.tensor(0.0)),
            law.cdf(torch.tensor(0.0)),
            law.icdf(torch.tensor(0.5)),
            law.sample(),
        ):
            assert found.isnan().tolist() == (alpha == 2.5).tolist()
    alpha = torch.tensor(2.5, requires_grad=True)
    assert torch.autograd.grad(Stable(alpha, 0.0, validate_args=False).log_prob(0.3), alpha)[
        0
    ].isnan()


def test_memory_is_not_copied():
    """The library reads tensors where they lie, and writes results where torch has put them."""
    x = torch.rand(1000, dtype=torch.float64) + 0.5
    from tessera.torch import _calls

    seen = _calls.read([torch.tensor(0.4).double().expand(1000), x])
    assert seen[0] == pytest.approx(0.4)
    assert seen[1].__array_interface__["data"][0] == x.data_ptr()


def test_distribution():
    alpha, beta, loc, scale = double([1.4, 1.8], [0.3, -0.5], [0.0, 1.0], [1.0, 2.0])
    law = Stable(alpha, beta, loc, scale)
    assert law.batch_shape == (2,) and law.event_shape == () and law.has_rsample
    wide = law.expand((5, 2))
    assert wide.batch_shape == (5, 2) and isinstance(wide, Stable)
    x = wide.sample((7,))
    assert x.shape == (7, 5, 2) and not x.requires_grad and wide.rsample().requires_grad
    p = wide.cdf(x)
    assert torch.allclose(wide.icdf(p), x, rtol=1e-7)
    value = wide.log_prob(x)
    assert value.shape == x.shape
    expected = ts.stable.logpdf(x[..., 1].numpy(), 1.8, -0.5, 1.0, 2.0)
    close(value[..., 1], expected, 1e-13)
    with pytest.raises(ValueError):
        Stable(2.5, 0.0)
    with pytest.raises(ValueError):
        Stable(1.5, 0.0, scale=-1.0)
    with pytest.raises(ValueError):
        law.log_prob(torch.tensor(math.nan))
    in_s1 = Stable(1.5, 0.5, 3.0, 2.0, parameterization="S1")
    assert in_s1.mean == 3 and in_s1.variance == math.inf and Stable(0.8, 0.0).mean.isnan()
    same = Stable(1.5, 0.5, 3.0 + 2.0 * 0.5 * math.tan(0.75 * math.pi), 2.0)
    assert same.mean.item() == pytest.approx(3.0, abs=1e-5)
    assert torch.distributions.Independent(wide, 1).log_prob(x).shape == (7, 5)


@pytest.mark.parametrize("alpha, beta", [(0.5, 0.5), (1.0, -0.7), (1.7, 0.9), (2.0, 0.0)])
def test_samples_follow_the_law(alpha, beta):
    torch.manual_seed(11)
    law = Stable(torch.tensor(alpha).double(), beta, 1.0, 2.0)
    x = law.sample((100_000,))
    p = np.sort(law.cdf(x).numpy())
    n = len(p)
    distance = np.max(np.abs(p - (np.arange(n) + 0.5) / n))
    assert distance * math.sqrt(n) < 2
    torch.manual_seed(11)
    assert torch.equal(law.sample((100_000,)), x)


def test_a_fit_by_gradient():
    """The maximum of the likelihood, by torch's optimiser, is that of tessera.stable.fit."""
    x = ts.stable.rvs(1.6, 0.4, 0.5, 2.0, size=2000, random_state=3)
    right = ts.stable.fit(x)
    data = torch.tensor(x)
    raw = torch.tensor([0.0, 0.0, 0.0, 0.0], dtype=torch.float64, requires_grad=True)

    def law():
        return 1.0 + torch.sigmoid(raw[0]), torch.tanh(raw[1]), raw[2], torch.exp(raw[3])

    optimiser = torch.optim.LBFGS([raw], max_iter=60, line_search_fn="strong_wolfe")

    def step():
        optimiser.zero_grad()
        loss = -stable.log_prob(data, *law()).mean()
        loss.backward()
        return loss

    optimiser.step(step)
    found = [value.item() for value in law()]
    expected = [right.alpha, right.beta, right.loc, right.scale]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_without_torch():
    """What is missing is named, with the command that installs it."""
    code = "import sys; sys.modules['torch'] = None\nimport tessera.torch"
    run = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False
    )
    assert "apt-get install python3-torch" in run.stderr


def test_kernel_of_gpytorch():
    gpytorch = pytest.importorskip("gpytorch", reason="there is no GPyTorch: pip install gpytorch")
    from tessera.torch.gpytorch import MaternNu

    x = torch.rand(30, 2, dtype=torch.float64)
    for nu in (0.5, 1.5, 2.5):
        ours, theirs = MaternNu(nu).double(), gpytorch.kernels.MaternKernel(nu).double()
        ours.lengthscale = theirs.lengthscale = 0.4
        assert torch.allclose(ours(x).to_dense(), theirs(x).to_dense(), rtol=0, atol=1e-10)
        assert MaternNu(nu)(x.float()).to_dense().dtype == torch.float32
    kernel = MaternNu(1.2, ard_num_dims=2).double()
    kernel(x).to_dense().sum().backward()
    assert kernel.raw_nu.grad.abs() > 0 and kernel.raw_lengthscale.grad.abs().min() > 0
    assert torch.allclose(kernel(x, diag=True), torch.ones(30).double())
    assert kernel.nu.item() == pytest.approx(1.2)
    rough = MaternNu(0.06).double()(torch.cat([x, x])).to_dense()
    assert rough.requires_grad
    for equal in (rough.diagonal(), rough.diagonal(30)):
        assert torch.equal(equal, torch.ones_like(equal))
    batch = MaternNu(0.8, batch_shape=torch.Size([3])).double()
    assert batch(x).to_dense().shape == (3, 30, 30)

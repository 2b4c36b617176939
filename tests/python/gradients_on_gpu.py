# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Gradients on a GPU: accuracy against values of 50 digits, gradcheck, draws, streams, copies, and
rates beside those of TensorFlow Probability and Pyro, where they are installed.

    PYTHONPATH=build/cuda/python python3 tests/python/gradients_on_gpu.py [PART ...]

Prints a table; exit status 1 where a figure is missed. PART: accuracy, gradcheck, draws, streams,
rates, kernel, jax; all by default. What is not installed is said, and left out. With --cpu the same
runs on the host with fewer numbers, to try the script.
"""

import functools
import importlib.util
import math
import os
import sys
import time
import traceback

import numpy as np

import reference_data
import tessera as ts

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX leaves memory to others

ROWS = []
DEVICE = "cpu" if "--cpu" in sys.argv else "cuda"
MANY = 10_000 if DEVICE == "cpu" else 10_000_000  # numbers at a time


def row(part, name, figure, needed="", good=True):
    ROWS.append((part, name, figure, needed, "" if needed == "" else "yes" if good else "NO"))
    print(" | ".join(str(cell) for cell in ROWS[-1]), flush=True)


def has(package):
    return importlib.util.find_spec(package) is not None


def error_of(found, right):
    """The largest difference, by 1 + the size of the right value; infinite for NaN."""
    found = np.asarray(found, dtype=float)
    error = np.abs(found - right) / (1 + np.abs(right))
    return math.inf if np.isnan(error).any() else float(np.max(error))


def check_error(part, name, found, right, most=1e-9):
    error = error_of(found, right)
    row(part, name, f"{error:.1e}", f"<= {most:.0e}", error <= most)


def on_gpu(*values):
    import torch

    return [
        torch.tensor(np.asarray(v), dtype=torch.float64, device=DEVICE, requires_grad=True)
        for v in values
    ]


def host(tensor):
    return tensor.detach().cpu().numpy()


def accuracy():
    import torch

    import tessera.torch as tt
    from tessera.torch import stable

    nu, x, scaled, log_k, in_x, in_nu = reference_data.bessel()
    order, at = on_gpu(nu, x)
    value = tt.log_kv(order, at)
    check_error("accuracy", "log_kv", host(value), log_k, 1e-14)
    found = torch.autograd.grad(value.sum(), (order, at))
    check_error("accuracy", "d log_kv / d nu", host(found[0]), in_nu)
    check_error("accuracy", "d log_kv / d x, relative", host(found[1]) / in_x, np.ones_like(in_x))
    whole = np.isfinite(scaled) & (np.abs(log_k) < 600) & (x > 1e-8)
    order, at = on_gpu(nu[whole], x[whole])
    found = torch.autograd.grad(tt.kve(order, at).sum(), (order, at))
    check_error("accuracy", "d kve / d nu, by kve", host(found[0]) / scaled[whole], in_nu[whole])
    check_error("accuracy", "d kve / d x, by kve", host(found[1]) / scaled[whole], 1 + in_x[whole])
    nu, h, m, in_h, in_nu = reference_data.matern()
    inside = (h > 1e-6) & (nu >= 0.05)
    at, order = on_gpu(h[inside], nu[inside])
    value = tt.matern(at, order)
    found = torch.autograd.grad(value.sum(), (at, order))
    check_error("accuracy", "matern", host(value), m[inside], 1e-12)
    check_error("accuracy", "d matern / d h", host(found[0]), in_h[inside])
    check_error("accuracy", "d matern / d nu", host(found[1]), in_nu[inside])
    worst = 0.0
    for order in np.unique(nu[inside]):
        here = inside & (nu == order)
        at, one = on_gpu(h[here], order)
        found = torch.autograd.grad(tt.matern(at, one).sum(), (at, one))
        worst = max(
            worst,
            error_of(host(found[0]), in_h[here]),
            error_of(host(found[1]), np.sum(in_nu[here])),
        )
    row("accuracy", "matern of one nu, gradients", f"{worst:.1e}", "<= 1e-09", worst <= 1e-9)
    right = reference_data.stable()
    arguments = on_gpu(right["x"], right["alpha"], right["beta"])
    for function, names in (
        (stable.log_prob, ("log_pdf", "d_x", "d_alpha", "d_beta")),
        (stable.cdf, ("cdf", "pdf", "cdf_alpha", "cdf_beta")),
    ):
        value = function(*arguments)
        found = (value, *torch.autograd.grad(value.sum(), arguments))
        for one, name in zip(found, names):
            check_error("accuracy", f"stable {function.__name__}: {name}", host(one), right[name])
    here = (right["cdf"] > 1e-3) & (right["cdf"] < 0.999) & (right["alpha"] >= 0.5)
    right = {name: values[here] for name, values in right.items()}
    arguments = on_gpu(right["cdf"], right["alpha"], right["beta"])
    value = stable.icdf(*arguments)
    check_error("accuracy", "stable icdf", host(value), right["x"])
    found = torch.autograd.grad(value.sum(), arguments)
    check_error(
        "accuracy",
        "d icdf / d alpha",
        host(found[1]),
        -right["cdf_alpha"] / right["pdf"],
        2e-9,
    )


def gradcheck():
    import torch

    import tessera.torch as tt
    from tessera.torch import stable

    def both(name, function, arguments, twice=True):
        good = torch.autograd.gradcheck(function, arguments, raise_exception=False)
        row("gradcheck", name, "passes" if good else "fails", "passes", good)
        if twice:
            good = torch.autograd.gradgradcheck(function, arguments, raise_exception=False)
            row("gradcheck", f"{name}, twice", "passes" if good else "fails", "passes", good)

    nu, x = on_gpu([0.3, 1.0, 7.5], [0.05, 2.0, 30.0])
    for function in (tt.kv, tt.kve, tt.log_kv):
        both(function.__name__, function, (nu, x))
    h = on_gpu([[0.1], [0.9], [3.0]])[0]
    both("matern, nu each", tt.matern, (h, nu))
    both("matern, one nu", tt.matern, (h, on_gpu(1.3)[0]))
    both("boys", lambda at: tt.boys(4, at), (x,))
    law = on_gpu([0.6, 1.3, 1.7], [0.5, -0.3, 0.0], [0.1, -0.4, 0.0], [1.5, 0.7, 2.0])
    at, p = on_gpu([-0.7, 1.2, 4.0], [0.2, 0.5, 0.93])
    for parameterization in ("S0", "S1"):
        in_it = functools.partial
        for function in (stable.log_prob, stable.cdf):
            both(
                f"stable {function.__name__} {parameterization}",
                in_it(function, parameterization=parameterization),
                (at, *law),
            )
        both(
            f"stable icdf {parameterization}",
            in_it(stable.icdf, parameterization=parameterization),
            (p, *law),
            twice=False,
        )


def draws():
    import torch

    from tessera.torch import stable
    from tessera.torch.distributions import Stable

    torch.manual_seed(1)
    law = Stable(torch.tensor(1.5, device=DEVICE).double(), 0.5)
    x = law.sample((10 * MANY,))
    wrong = int((~torch.isfinite(x)).sum())
    row("draws", f"{10 * MANY:.0e} of alpha 1.5, beta 0.5: not finite", wrong, "0", wrong == 0)
    del x
    wrong = bad = 0
    count = MANY
    for alpha in (0.1, 0.3, 0.5, 0.9, 1.0, 1.1, 1.5, 1.8, 1.99, 2.0):
        parameters = on_gpu(alpha, 0.9 if alpha < 2 else 0.0, 0.0, 1.0)
        x = stable.rsample(*parameters, size=(count,))
        wrong += int((~torch.isfinite(x)).sum())
        found = torch.autograd.grad(torch.tanh(x).sum(), parameters)
        bad += sum(int(torch.isnan(one)) for one in found)
        del x
    row("draws", f"{10 * MANY:.0e} of ten laws, with a graph: not finite", wrong, "0", wrong == 0)
    row("draws", "their gradients in four parameters: NaN", bad, "0", bad == 0)
    parameters = on_gpu(1.4, 0.3, 0.5, 2.0)
    x = stable.rsample(*parameters, size=(MANY // 10,))
    p = np.sort(host(stable.cdf(x.detach(), *(one.detach() for one in parameters))))
    distance = np.max(np.abs(p - (np.arange(len(p)) + 0.5) / len(p))) * math.sqrt(len(p))
    row(
        "draws",
        f"Kolmogorov-Smirnov distance of {MANY // 10:.0e}",
        f"{distance:.2f}",
        "< 2",
        distance < 2,
    )
    total = stable.cdf(x, *parameters).sum()
    found = [abs(float(one)) / len(p) for one in torch.autograd.grad(total, parameters)]
    row("draws", "each keeps its probability", f"{max(found):.1e}", "< 1e-09", max(found) < 1e-9)


def streams():
    """A call sees what the current stream has been given, and its results are there for it."""
    import torch

    import tessera.torch as tt

    if DEVICE == "cpu":
        return row("streams", "a GPU", "none")
    n = MANY
    side = torch.cuda.Stream()
    right = None
    worst = 0.0
    for turn in range(5):
        with torch.cuda.stream(side):
            x = torch.zeros(n, dtype=torch.float64, device=DEVICE)
            torch.cuda._sleep(200_000_000)  # the numbers come late
            x += 0.5 + turn
            found = tt.log_kv(0.7, x) + 0
        side.synchronize()
        right = ts.bessel.log_k(0.7, 0.5 + turn)
        worst = max(worst, float((found - right).abs().max()))
    row(
        "streams", "log_kv on a side stream behind late numbers", f"{worst:.1e}", "0", worst < 1e-14
    )
    torch.cuda.synchronize()
    x = torch.rand(n, dtype=torch.float64, device=DEVICE) + 0.5
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    found = tt.log_kv(0.7, x)
    peak = (torch.cuda.max_memory_allocated() - before) / (8 * n)
    row(
        "streams", "memory of a call, in arrays of its size", f"{peak:.2f}", "<= 1.01", peak <= 1.01
    )
    shared = torch.from_dlpack(ts.bessel.k(0.7, _OnDevice(x)))
    good = torch.equal(shared, ts.bessel.k(0.7, x)) and found.is_cuda
    row("streams", "results by DLPack", "the same" if good else "other", "the same", good)


class _OnDevice:
    """A tensor that says nothing but __cuda_array_interface__."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.__cuda_array_interface__ = tensor.__cuda_array_interface__


def synchronize():
    import torch

    if DEVICE == "cuda":
        torch.cuda.synchronize()


def seconds(work, repeats=5):
    """The median time of a call, after one to warm up."""
    times = []
    for _ in range(repeats + 1):
        synchronize()
        begin = time.perf_counter()
        work()
        synchronize()
        times.append(time.perf_counter() - begin)
    return sorted(times[1:])[repeats // 2]


def rates():
    import torch

    import tessera.torch as tt
    from tessera.torch import stable

    n = MANY
    generator = torch.Generator(DEVICE).manual_seed(2)
    x = torch.rand(n, dtype=torch.float64, device=DEVICE, generator=generator) * 20 + 0.1
    nu = torch.rand(n, dtype=torch.float64, device=DEVICE, generator=generator) * 10
    ours = n / seconds(lambda: tt.kve(nu, x))
    row("rates", f"kve, {n:.0e} in double, per second", f"{ours:.3g}")
    graph = [one.clone().requires_grad_() for one in (nu, x)]
    rate = n / seconds(lambda: torch.autograd.grad(tt.kve(*graph).sum(), graph))
    row("rates", "kve with gradients in nu and x, per second", f"{rate:.3g}")
    one = torch.tensor(1.3, dtype=torch.float64, device=DEVICE, requires_grad=True)
    rate = n / seconds(lambda: torch.autograd.grad(tt.matern(x, one).sum(), one))
    row("rates", "matern of one nu with its gradient, per second", f"{rate:.3g}")
    of_one_order = n / seconds(lambda: tt.kve(1.3, x))
    row("rates", "kve of order 1.3, per second", f"{of_one_order:.3g}")
    of_tfp(ours, of_one_order)
    law = [torch.tensor(v, dtype=torch.float64, device=DEVICE) for v in (1.5, 0.5, 0.0, 1.0)]
    z = stable.rsample(*law, size=(n,))
    ours = n / seconds(lambda: stable.log_prob(z, *law))
    row("rates", f"stable log_prob of one law, {n:.0e}, per second", f"{ours:.3g}")
    graph = [one.clone().requires_grad_() for one in law]
    with_gradients = n / seconds(
        lambda: torch.autograd.grad(stable.log_prob(z, *graph).sum(), graph), 3
    )
    row("rates", "stable log_prob with gradients in four parameters", f"{with_gradients:.3g}")
    alpha = (0.6 + 1.3 * torch.rand(n, dtype=torch.float64, device=DEVICE)).requires_grad_()
    rate = n / seconds(lambda: torch.autograd.grad(stable.log_prob(z, alpha, 0.5).sum(), alpha), 3)
    row("rates", "stable log_prob of a law each, with gradients", f"{rate:.3g}")
    rate = n / seconds(lambda: stable.rsample(*graph, size=(n,)).detach(), 3)
    row("rates", "stable rsample with a graph, per second", f"{rate:.3g}")
    of_pyro(z, ours, with_gradients)


def of_tfp(ours, of_one_order):
    if not has("tensorflow_probability") or not has("jax"):
        return row("rates", "TensorFlow Probability", "not installed")
    import jax

    jax.config.update("jax_enable_x64", True)
    import tensorflow_probability.substrates.jax as tfp

    n = MANY
    key = jax.random.PRNGKey(0)
    nu, x = jax.random.uniform(key, (2, n), "float64")
    nu, x = nu * 10, x * 20 + 0.1
    work = jax.jit(tfp.math.bessel_kve)
    one = jax.numpy.full_like(x, 1.3)
    for orders, name, rate in ((nu, "kve", ours), (one, "kve of order 1.3", of_one_order)):
        theirs = n / seconds(lambda at=orders: work(at, x).block_until_ready(), 3)
        row("rates", f"TFP's {name}, per second", f"{theirs:.3g}")
        ratio = rate / theirs
        row("rates", f"times TFP's rate, {name}", f"{ratio:.0f}", ">= 100", ratio >= 100)


def of_pyro(z, ours, with_gradients):
    if not has("pyro"):
        return row("rates", "Pyro", "not installed")
    import pyro.distributions
    import torch

    law = [torch.tensor(v, dtype=torch.float64, device=DEVICE) for v in (1.5, 0.5, 1.0, 0.0)]
    few = z[: MANY // 20]  # 501 nodes each, in memory
    kind = getattr(pyro.distributions, "StableWithLogProb", None)
    if kind is None:
        return row("rates", "Pyro", "has no density of stable laws")
    move_nodes_of_pyro()
    theirs = len(few) / seconds(lambda: kind(*law).log_prob(few), 3)
    row("rates", "Pyro's stable log_prob, per second", f"{theirs:.3g}")
    row("rates", "times Pyro's rate", f"{ours / theirs:.0f}", ">= 100", ours >= 100 * theirs)
    graph = [one.clone().requires_grad_() for one in law]
    theirs = len(few) / seconds(
        lambda: torch.autograd.grad(kind(*graph).log_prob(few).sum(), graph[:2]), 3
    )
    ratio = with_gradients / theirs
    row("rates", "times Pyro's rate with gradients", f"{ratio:.0f}", ">= 100", ratio >= 100)


def move_nodes_of_pyro():
    """Pyro makes the nodes of its integrals on the host, wherever the numbers are."""
    import torch
    from pyro.distributions import stable_log_prob

    stable_log_prob.set_integrator(num_points=501)
    for cell in stable_log_prob.integrate.__closure__:
        if isinstance(cell.cell_contents, torch.Tensor):
            cell.cell_contents = cell.cell_contents.to(DEVICE)


def kernel():
    if not has("gpytorch"):
        return row("kernel", "GPyTorch", "not installed")
    import gpytorch
    import torch

    from tessera.torch.gpytorch import MaternNu

    x = torch.rand(300, 2, dtype=torch.float64, device=DEVICE)
    worst = 0.0
    for nu in (0.5, 1.5, 2.5):
        ours = MaternNu(nu).double().to(DEVICE)
        theirs = gpytorch.kernels.MaternKernel(nu).double().to(DEVICE)
        ours.lengthscale = theirs.lengthscale = 0.4
        difference = (ours(x).to_dense() - theirs(x).to_dense()).detach()
        worst = max(worst, float(difference.abs().max()))
    row("kernel", "MaternNu beside MaternKernel", f"{worst:.1e}", "<= 1e-10", worst <= 1e-10)
    torch.manual_seed(1)
    places = torch.rand(1500, 2, dtype=torch.float64, device=DEVICE) * 5
    true = MaternNu(0.9).double().to(DEVICE)
    true.lengthscale = 0.5
    with torch.no_grad():
        matrix = true(places).to_dense() + 1e-6 * torch.eye(1500, device=DEVICE)
        y = torch.linalg.cholesky(matrix) @ torch.randn(1500, dtype=torch.float64, device=DEVICE)

    class Model(gpytorch.models.ExactGP):
        def __init__(self, likelihood):
            super().__init__(places, y, likelihood)
            self.mean_module = gpytorch.means.ZeroMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(MaternNu(2.5))

        def forward(self, at):
            return gpytorch.distributions.MultivariateNormal(
                self.mean_module(at), self.covar_module(at)
            )

    likelihood = gpytorch.likelihoods.GaussianLikelihood(
        noise_constraint=gpytorch.constraints.GreaterThan(1e-7)
    )
    likelihood.noise = 1e-4
    model = Model(likelihood).double().to(DEVICE)
    optimiser = torch.optim.LBFGS(
        model.parameters(), max_iter=60, history_size=10, line_search_fn="strong_wolfe"
    )
    marginal = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)

    def step():
        optimiser.zero_grad()
        loss = -marginal(model(places), y)
        loss.backward()
        return loss

    begin = time.perf_counter()
    with gpytorch.settings.fast_computations(False, False, False):
        optimiser.step(step)
    found = float(model.covar_module.base_kernel.nu.detach())
    took = time.perf_counter() - begin
    row("kernel", f"nu learnt from 1500 values in {took:.1f} s (0.9)", f"{found:.3f}")
    good = abs(found - 0.9) < 0.15
    row("kernel", "nu within 0.15", "yes" if good else "no", "yes", good)


def of_jax():
    if not has("jax"):
        return row("jax", "JAX", "not installed")
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    import tessera.jax as tj
    from tessera.jax import stable

    row("jax", "devices", str(jax.devices()[0]))
    right = reference_data.stable()
    arguments = [jnp.asarray(right[name]) for name in ("x", "alpha", "beta")]
    for function, names in (
        (stable.log_prob, ("d_x", "d_alpha", "d_beta")),
        (stable.cdf, ("pdf", "cdf_alpha", "cdf_beta")),
    ):
        found = jax.jit(jax.grad(lambda *a, f=function: f(*a).sum(), (0, 1, 2)))(*arguments)
        for one, name in zip(found, names):
            check_error("jax", f"stable {function.__name__}: {name}", one, right[name])
    nu, x, _, _, _, in_nu = reference_data.bessel()
    found = jax.grad(lambda n: tj.log_kv(n, jnp.asarray(x)).sum())(jnp.asarray(nu))
    check_error("jax", "d log_kv / d nu", found, in_nu)
    key = jax.random.PRNGKey(0)
    nu, x = jax.random.uniform(key, (2, MANY), "float64")
    nu, x = nu * 10, x * 20 + 0.1
    row("jax", "kve of jax against torch", *_jax_beside_torch(tj, nu, x))
    z = stable.rsample(key, 1.5, 0.5, shape=(MANY,))

    def log_likelihood(law):
        return stable.log_prob(z, *law).sum()

    law = tuple(jnp.float64(value) for value in (1.5, 0.5, 0.0, 1.0))
    for name, function, arguments in (
        ("kve", jax.jit(tj.kve), (nu, x)),
        ("kve of order 1.3", jax.jit(lambda at: tj.kve(1.3, at)), (x,)),
        (
            "kve with gradients in nu and x",
            jax.jit(jax.value_and_grad(lambda n, at: tj.kve(n, at).sum(), (0, 1))),
            (nu, x),
        ),
        (
            "matern of one nu with its gradient",
            jax.jit(jax.value_and_grad(lambda n: tj.matern(x, n).sum())),
            (jnp.float64(1.3),),
        ),
        ("stable log_prob of one law", jax.jit(log_likelihood), (law,)),
        ("the same with four gradients", jax.jit(jax.value_and_grad(log_likelihood)), (law,)),
    ):
        rate = MANY / seconds(lambda f=function, a=arguments: jax.block_until_ready(f(*a)), 3)
        row("jax", f"{name}, {MANY:.0e} in double, per second", f"{rate:.3g}")


def _jax_beside_torch(tj, nu, x):
    """(the largest relative difference of kve, what is needed, whether it is)."""
    import torch

    import tessera.torch as tt

    found = torch.from_dlpack(tj.kve(nu, x))
    right = tt.kve(torch.from_dlpack(nu), torch.from_dlpack(x))
    worst = float((found / right - 1).abs().max())
    return f"{worst:.1e}", "0", worst == 0


PARTS = {
    "accuracy": accuracy,
    "gradcheck": gradcheck,
    "draws": draws,
    "streams": streams,
    "rates": rates,
    "kernel": kernel,
    "jax": of_jax,
}


def main():
    import torch

    if DEVICE == "cuda" and not (torch.cuda.is_available() and "cuda" in ts.backends()):
        print("no GPU, or a build without it")
        return 77
    print(f"torch {torch.__version__}, {ts.device(DEVICE if DEVICE == 'cuda' else None)}")
    chosen = [name for name in sys.argv[1:] if name in PARTS]
    for name in chosen or PARTS:
        try:
            PARTS[name]()
        except Exception as error:  # the other parts are of use all the same
            traceback.print_exc()
            row(name, "gave up", type(error).__name__, "no error", False)
    widths = [max(len(str(one[k])) for one in ROWS) for k in range(5)]
    print("\n| part | what | found | needed | met |\n|---|---|---|---|---|")
    for one in ROWS:
        print("| " + " | ".join(str(cell).ljust(w) for cell, w in zip(one, widths)) + " |")
    return int(any(one[4] == "NO" for one in ROWS))


if __name__ == "__main__":
    sys.exit(main())

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of GPyTorch, which must be installed."""

try:
    from gpytorch import constraints, kernels
except ImportError:
    raise ImportError(
        "tessera.torch.gpytorch needs GPyTorch, which is not installed\n"
        "  remedy: pip install gpytorch"
    ) from None
import torch

from . import _functions

__all__ = ["MaternNu"]


class MaternNu(kernels.Kernel):
    """The Matern kernel of any smoothness nu, which is a parameter and is trained as the length
    scale is.

    nu: where it begins, or where it stays with nu_fixed=True. nu_constraint: of GPyTorch, an
    Interval of 0.05 to 20 where it is None. nu_prior: of GPyTorch. batch_shape, ard_num_dims,
    lengthscale_prior and other options: those of gpytorch.kernels.MaternKernel, which this kernel
    equals for nu = 0.5, 1.5 and 2.5: M_nu(sqrt(2 nu) |x - y| / lengthscale). nu is held in double
    precision also where the other parameters are not, so that it stays what was given.

    Smoothness and length scale are learnt together from places at several distances; from a grid
    alone they are hardly told apart.
    """

    has_lengthscale = True

    def __init__(self, nu=1.5, *, nu_constraint=None, nu_prior=None, nu_fixed=False, **options):
        super().__init__(**options)
        constraint = constraints.Interval(0.05, 20.0) if nu_constraint is None else nu_constraint
        shape = (*self.batch_shape, 1, 1)
        self.register_parameter("raw_nu", torch.nn.Parameter(torch.zeros(shape).double()))
        self.register_constraint("raw_nu", constraint.double())
        if nu_prior is not None:
            self.register_prior(
                "nu_prior", nu_prior, lambda m: m.nu, lambda m, value: m._set_nu(value)
            )
        self._set_nu(nu)
        self.raw_nu.requires_grad_(not nu_fixed)

    @property
    def nu(self):
        return self.raw_nu_constraint.transform(self.raw_nu)

    @nu.setter
    def nu(self, value):
        self._set_nu(value)

    def _set_nu(self, value):
        value = torch.as_tensor(value).to(self.raw_nu)
        self.initialize(raw_nu=self.raw_nu_constraint.inverse_transform(value))

    def forward(self, x1, x2, diag=False, last_dim_is_batch=False, **params):
        x1, x2 = x1 / self.lengthscale, x2 / self.lengthscale
        if last_dim_is_batch:
            x1, x2 = x1.transpose(-1, -2).unsqueeze(-1), x2.transpose(-1, -2).unsqueeze(-1)
        # By differences. GPyTorch's way, by products, gives equal places a distance of 1e-8 when
        # gradients are wanted, and at a small nu their correlation is then far from 1.
        if diag:
            distance = torch.linalg.vector_norm(x1 - x2, dim=-1)
        else:
            distance = torch.cdist(x1, x2, compute_mode="donot_use_mm_for_euclid_dist")
        nu = (self.nu.squeeze(-1) if diag else self.nu).to(distance.dtype)
        return _functions.matern(torch.sqrt(2 * nu) * distance, nu)

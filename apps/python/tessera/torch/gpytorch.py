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
    equals for nu = 0.5, 1.5 and 2.5: M_nu(sqrt(2 nu) |x - y| / lengthscale).

    Smoothness and length scale are learnt together from places at several distances; from a grid
    alone they are hardly told apart.
    """

    has_lengthscale = True

    def __init__(self, nu=1.5, *, nu_constraint=None, nu_prior=None, nu_fixed=False, **options):
        super().__init__(**options)
        constraint = constraints.Interval(0.05, 20.0) if nu_constraint is None else nu_constraint
        shape = (*self.batch_shape, 1, 1)
        self.register_parameter("raw_nu", torch.nn.Parameter(torch.zeros(shape)))
        self.register_constraint("raw_nu", constraint)
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

    def forward(self, x1, x2, diag=False, **params):
        centre = x1.reshape(-1, x1.size(-1)).mean(0)[(None,) * (x1.dim() - 1)]
        x1, x2 = ((x - centre) / self.lengthscale for x in (x1, x2))
        distance = self.covar_dist(x1, x2, diag=diag, **params)
        nu = self.nu.squeeze(-1) if diag else self.nu
        # GPyTorch's smallest distance stands for 0, from which it shows where nu is small
        apart = torch.where(distance > 2e-15, distance, torch.zeros_like(distance))
        return _functions.matern(torch.sqrt(2 * nu) * apart, nu)

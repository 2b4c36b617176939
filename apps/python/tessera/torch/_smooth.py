# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Functions of several variables, element by element, in torch's graph: first derivatives from the
library, and second ones by differences of those."""

import math

import torch

from .. import _differences, _tessera


class Rule:
    """A function, by its values and first derivatives. Arguments are tensors of one shape and
    precision without a graph."""

    step = _differences.STEP  # of differences, by the lengths

    def value(self, *arguments):
        raise NotImplementedError

    def derivatives(self, *arguments):
        """(value, [the derivative in each argument])."""
        raise NotImplementedError

    def lengths(self, *arguments):
        """The lengths, in each argument, over which the first derivatives change."""
        raise NotImplementedError

    def bounds(self):
        """(least, largest) value of each argument that the derivatives are known at."""
        return None

    def along(self, arguments, direction):
        """The change of the first derivatives along a direction, for every element its own."""
        total = [torch.zeros_like(argument) for argument in arguments]
        lengths, bounds = self.lengths(*arguments), self.bounds()
        for i, change in enumerate(direction):
            moves = change != 0
            if not moves.any():
                continue
            limits = (-math.inf, math.inf) if bounds is None else bounds[i]
            slopes = _differences.slopes(
                lambda *at: self.derivatives(*at)[1],
                arguments,
                i,
                self.step * lengths[i],
                limits,
                torch,
            )
            for sum_, slope in zip(total, slopes):
                sum_ += torch.where(moves, change * slope, torch.zeros_like(slope))
        return total


class _Last(torch.autograd.Function):
    """Derivatives of the highest order there is, with a graph that says so."""

    @staticmethod
    def forward(ctx, order, count, *tensors):
        ctx.order = order
        return tuple(tensor.clone() for tensor in tensors[:count])

    @staticmethod
    def backward(ctx, *_):
        raise _tessera.UsageError(
            f"there are {ctx.order} derivatives only\n"
            "  remedy: take higher ones by differences of these"
        )


def last(order, derivatives, *sources):
    """Derivatives, tensors or None, of which no further ones can be taken: a graph to their sources
    raises UsageError. order: "first" or "second"."""
    if not torch.is_grad_enabled():
        return tuple(derivatives)
    present = [one for one in derivatives if one is not None]
    made = iter(_Last.apply(order, len(present), *(one.detach() for one in present), *sources))
    return tuple(None if one is None else next(made) for one in derivatives)


class _Products(torch.autograd.Function):
    """The gradient of a sum: the derivative in each argument times what comes from above."""

    @staticmethod
    def forward(ctx, rule, above, *rest):
        ctx.rule = rule
        ctx.save_for_backward(above, *rest)
        return tuple(above * partial for partial in rest[len(rest) // 2 :])

    @staticmethod
    def backward(ctx, *direction):
        above, *rest = ctx.saved_tensors
        half = len(rest) // 2
        arguments, partials = rest[:half], rest[half:]
        in_arguments = [None] * half
        with torch.no_grad():
            in_above = sum(d * partial for d, partial in zip(direction, partials))
            if any(ctx.needs_input_grad[2 : 2 + half]):
                in_arguments = [above * change for change in ctx.rule.along(arguments, direction)]
        made = last("second", (in_above, *in_arguments), above, *arguments, *direction)
        return (None, *made, *([None] * half))


class _Smooth(torch.autograd.Function):
    @staticmethod
    def forward(ctx, rule, *arguments):
        value, partials = rule.derivatives(*arguments)
        ctx.rule = rule
        ctx.save_for_backward(*arguments, *partials)
        return value

    @staticmethod
    def backward(ctx, above):
        saved = ctx.saved_tensors
        if torch.is_grad_enabled():
            return (None, *_Products.apply(ctx.rule, above, *saved))
        needed = zip(ctx.needs_input_grad[1:], saved[len(saved) // 2 :])
        return (None, *(above * partial if wanted else None for wanted, partial in needed))


def needs_graph(*tensors):
    return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)


def apply(rule, *arguments):
    """The function at tensors of one shape and precision. Derivatives are computed with the value
    where one of them needs a gradient, and not otherwise."""
    if needs_graph(*arguments):
        return _Smooth.apply(rule, *arguments)
    with torch.no_grad():
        return rule.value(*arguments)

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Functions of several variables, element by element, in torch's graph: first derivatives from the
library, and second ones by differences of those."""

import math

import torch

# Weights of differences of eighth order, of nodes k = 0 ... 8: central ones, of places k - 4 steps
# away, and of places k steps away to one side.
CENTRAL = (1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)
ONE_SIDED = (-761 / 280, 8, -14, 56 / 3, -35 / 2, 56 / 5, -14 / 3, 8 / 7, -1 / 8)
STEP = 0.02  # of the length over which first derivatives change


class Rule:
    """A function, by its values and first derivatives. Arguments are tensors of one shape and
    precision without a graph."""

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
            slopes = self._slopes(arguments, i, STEP * lengths[i], limits)
            for sum_, slope in zip(total, slopes):
                sum_ += torch.where(moves, change * slope, torch.zeros_like(slope))
        return total

    def _slopes(self, arguments, i, step, limits):
        """The derivatives of the first derivatives in argument i, by differences, to one side
        within four steps of a limit."""
        least, largest = limits
        side = torch.zeros_like(step)
        side = torch.where(arguments[i] - least < 4 * step, torch.ones_like(side), side)
        side = torch.where(largest - arguments[i] < 4 * step, -torch.ones_like(side), side)
        central = side == 0
        some_one_sided = not bool(central.all())
        total = [torch.zeros_like(argument) for argument in arguments]
        for k in range(9):
            if CENTRAL[k] == 0 and not some_one_sided:
                continue
            places = torch.where(central, torch.full_like(side, k - 4), side * k)
            weight = torch.where(central, torch.full_like(side, CENTRAL[k]), side * ONE_SIDED[k])
            there = list(arguments)
            there[i] = there[i] + places * step
            for sum_, partial in zip(total, self.derivatives(*there)[1]):
                sum_ += weight * partial
        return [sum_ / step for sum_ in total]


class _Products(torch.autograd.Function):
    """The gradient of a sum: the derivative in each argument times what comes from above."""

    @staticmethod
    def forward(ctx, rule, above, *rest):
        ctx.rule = rule
        ctx.save_for_backward(above, *rest)
        return tuple(above * partial for partial in rest[len(rest) // 2 :])

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, *direction):
        above, *rest = ctx.saved_tensors
        half = len(rest) // 2
        arguments, partials = rest[:half], rest[half:]
        in_above = sum(d * partial for d, partial in zip(direction, partials))
        in_arguments = [None] * half
        if any(ctx.needs_input_grad[2 : 2 + half]):
            in_arguments = [above * change for change in ctx.rule.along(arguments, direction)]
        return (None, in_above, *in_arguments, *([None] * half))


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

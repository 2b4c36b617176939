# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Functions of several variables, element by element, in torch's graph: first derivatives from the
library, and second ones by differences of those."""

import torch

# Weights of central differences of eighth order, of points k steps away, k = 1 ... 4.
WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
_STEP = 0.02  # of the length over which first derivatives change


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

    def along(self, arguments, direction):
        """The change of the first derivatives along a direction, for every element its own. NaN
        where a length is 0: at the end of a range."""
        rates = [
            torch.where(d == 0, d, abs(d) / length)
            for d, length in zip(direction, self.lengths(*arguments))
        ]
        rate = rates[0]
        for other in rates[1:]:
            rate = torch.maximum(rate, other)
        moves = rate > 0
        step = torch.where(moves, _STEP / rate, torch.zeros_like(rate))
        total = [torch.zeros_like(argument) for argument in arguments]
        for k, weight in enumerate(WEIGHTS, start=1):
            for sign in (1, -1):
                there = [a + sign * k * step * d for a, d in zip(arguments, direction)]
                for sum_, partial in zip(total, self.derivatives(*there)[1]):
                    sum_ += sign * weight * partial
        return [torch.where(moves, sum_ / step, torch.zeros_like(sum_)) for sum_ in total]


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

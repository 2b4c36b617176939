# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Second derivatives from first ones, for arrays of NumPy and tensors of torch alike: `xp` is the
module of the arrays, numpy or torch."""

# Weights of differences of eighth order, of nodes k = 0 ... 8: central ones, of places k - 4 steps
# away, and of places k steps away to one side.
CENTRAL = (1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)
ONE_SIDED = (-761 / 280, 8, -14, 56 / 3, -35 / 2, 56 / 5, -14 / 3, 8 / 7, -1 / 8)
STEP = 0.02  # of the length over which first derivatives change

PLAIN, SCALED, LOG = range(3)  # forms of Bessel functions


def slopes(found, arguments, i, step, limits, xp):
    """The derivatives in argument i of all arrays that found(*arguments) returns, by differences.

    They are to one side within four steps of a limit. Arguments, step and what is found are
    floating-point arrays of one shape; limits: (least, largest) value of argument i.
    """
    least, largest = limits
    side = xp.zeros_like(step)
    side = xp.where(arguments[i] - least < 4 * step, xp.ones_like(side), side)
    side = xp.where(largest - arguments[i] < 4 * step, -xp.ones_like(side), side)
    central = side == 0
    some_one_sided = not bool(central.all())
    total = None
    for k in range(9):
        if CENTRAL[k] == 0 and not some_one_sided:
            continue
        places = xp.where(central, xp.full_like(side, k - 4), side * k)
        weight = xp.where(central, xp.full_like(side, CENTRAL[k]), side * ONE_SIDED[k])
        there = list(arguments)
        there[i] = there[i] + places * step
        parts = [weight * part for part in found(*there)]
        total = parts if total is None else [sum_ + part for sum_, part in zip(total, parts)]
    return [sum_ / step for sum_ in total]


def _length_in_order(of_i, nu, x, xp):
    """The length in nu over which the logarithmic derivatives change, by the distance of zeros.

    K has them at nu = +-iy with y > x, and y near pi / log(2/x) for small x; I at nu < 0 alone.
    """
    moderate = 1 / (1 + abs(xp.log(x)))
    if of_i:
        return xp.where(nu >= 0, 1 + nu, 1 / (1 / moderate + xp.log1p(abs(nu))))
    return xp.sqrt(nu**2 + xp.maximum(x, moderate) ** 2)


def _curvature(of_i, nu, x, value, of_x, xp):
    """value (nu^2/x^2 - of_x/x), by factors that neither overflow nor, for I and small x, cancel:
    I'/I = nu/x + I_(nu+1)/I_nu, and that is a continued fraction."""
    ratio = nu / x
    if not of_i:
        return value * ratio * ratio - value * of_x / x
    fraction = x / (2 * (nu + 1) + x**2 / (2 * (nu + 2)))
    above = xp.where((nu >= 0) & (x < 1e-3), fraction, of_x - ratio)
    return value * ratio * (nu - 1) / x - value * above / x


def of_bessel(found, form, of_i, nu, x, xp, in_order=True):
    """The second derivatives (in nu twice, in nu and x, in x twice) of one form of K_nu(x), or of
    I_nu(x).

    found(nu, x): (the value in that form, the derivatives in nu and x of log K, or of log I). Those
    change slowly, and differences of them give the second derivatives of the logarithm; those of
    the function itself are products with its value. In x, the function obeys Bessel's equation,
    K'' = (1 + nu^2/x^2) K - K'/x. in_order: whether the first one is asked for; 0 else.
    """
    value, of_order, of_x = found(nu, x)

    def both(*at):
        return found(*at)[1:]

    order_order = xp.zeros_like(x)
    if in_order:
        step = STEP * _length_in_order(of_i, nu, x, xp)
        order_order = slopes(both, (nu, x), 0, step, (-1e6, 1e6), xp)[0]
    order_x, x_x = slopes(both, (nu, x), 1, STEP * x, (0, float("inf")), xp)
    if form == LOG:
        return order_order, order_x, x_x
    sign = -1 if of_i else 1
    rest, slope = 1, of_x
    if form == SCALED:  # by e^x, or by e^-x
        slope = of_x + sign
        rest = 2 * sign * slope
    curved = value * rest + _curvature(of_i, nu, x, value, of_x, xp)
    if in_order:
        order_order = value * (order_order + of_order * of_order)
    return order_order, value * (order_x + of_order * slope), curved

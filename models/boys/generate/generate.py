#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the coefficient headers of the Boys functions. Needs Python 3.9 and mpmath (about three minutes).

    ./generate.py                       all headers, into ../tessera/boys/function
    ./generate.py --scheme double       one of double, float, paper
    ./generate.py --scheme double --orders 0 4 16 --output -    some orders only, to standard output

The two ranges of order N meet at x = split(N).

  below: F_0 itself for N = 0, else e^x F_N, as a polynomial in x - head_center;
  above: the tail e^x (Gamma(N+1/2)/2 x^(-N-1/2) - F_N), as a polynomial of v - tail_center, where v = x^(-1/2) or 1/x, times
         x^(-1/2) for N = 0 and 1/x for N > 0.

Both are minimax in the relative error of F_N, so the tail, which carries a factor e^(-x), needs few terms. A polynomial is written about
the origin where its terms do not cancel there, which saves the subtraction, and about the middle of its range where they do.
"""

import argparse
import pathlib
import struct
import sys

from mpmath import mp, mpf

import functions
import remez

mp.dps = 50

MAX_ORDER = 40
LOWEST_X = mpf(-1) / 1000
GRID = 160


class Precision:
    def __init__(self, name, tolerance, exp_degree, exponent_range, negligible):
        self.name = name
        self.tolerance = tolerance            # of each polynomial, relative to F_N
        self.exp_degree = exp_degree
        self.exponent_range = exponent_range  # intermediate results stay above 2^-exponent_range
        self.negligible = negligible          # e^-x does not count when it is smaller than this beside 2 x F_N

    def literal(self, value):
        if self.name == "float":
            return float.hex(struct.unpack("f", struct.pack("f", float(value)))[0]) + "F"
        return float.hex(float(value))


PRECISIONS = {
    "double": Precision("double", mpf("5e-17"), 11, 1000, mpf("1e-19")),
    "float": Precision("float", mpf("1.5e-8"), 6, 106, mpf("1e-8")),
}


def split(n):
    """Where the ranges meet. From n + 1/4 on, F_n is at least half of its asymptotic value, so the tail does not cancel it."""
    return max(mpf(3), n + mpf(1) / 4)


def smallest_degree(samples, tolerance, first):
    for degree in range(first, 40):
        coefficients, error = remez.minimax_polynomial(samples, degree)
        if error < tolerance:
            return coefficients, error
    raise RuntimeError("no polynomial of degree < 40 reaches the tolerance")


def condition(coefficients, samples, origin):
    """How much rounding of the terms is magnified in the value, with the weight of the fit."""
    return max(sum(abs(c) * abs(x - origin) ** k for k, c in enumerate(coefficients)) * w for x, w in zip(samples.x, samples.w))


def best_origin(coefficients, samples, origins):
    """The polynomial about the first of the origins that is well conditioned; else about the best."""
    candidates = [(origin, remez.shift_to(coefficients, samples, origin)) for origin in origins]
    for origin, shifted in candidates:
        if condition(shifted, samples, origin) < 3:
            return origin, shifted
    return min(candidates, key=lambda c: condition(c[1], samples, c[0]))


def head(n, precision):
    """The polynomial below the split: (origin, coefficients, error)."""
    x = remez.chebyshev_grid(LOWEST_X, split(n), GRID)
    f = [functions.boys(n, u) if n == 0 else functions.boys_scaled(n, u) for u in x]
    samples = remez.Samples(x, f, [1 / v for v in f])
    coefficients, error = smallest_degree(samples, precision.tolerance, 6)
    return (*best_origin(coefficients, samples, [mpf(0), split(n) / 2]), error)


def tail(n, precision, variable):
    """The polynomial above the split, in r = x^(-1/2) or y = 1/x: (origin, coefficients, error)."""
    to, back = {"r": (lambda x: 1 / mp.sqrt(x), lambda v: 1 / v**2), "y": (lambda x: 1 / x, lambda v: 1 / v)}[variable]
    factor = (lambda x: 1 / mp.sqrt(x)) if n == 0 else (lambda x: 1 / x)
    last = split(n)
    while mp.exp(-last) / last > functions.boys(n, last) * precision.tolerance / 10:
        last += 1
    v = remez.chebyshev_grid(to(last), to(split(n)), GRID)
    x = [back(u) for u in v]
    samples = remez.Samples(v, [functions.boys_tail(n, u) / factor(u) for u in x],
                            [mp.exp(-u) * factor(u) / functions.boys(n, u) for u in x])
    coefficients, error = smallest_degree(samples, precision.tolerance, 2)
    middle = mpf(round(64 * to(split(n) * mpf("1.2")))) / 64  # where the tail matters most; exact in either precision
    if middle == 0:
        middle = mpf(round(4096 * to(split(n) * mpf("1.2")))) / 4096
    return (*best_origin(coefficients, samples, [mpf(0), middle]), error)


def asymptote(n, precision):
    """(scale, factor, last): the asymptotic value is factor (scale/x)^n x^(-1/2), without overflow or underflow up to x = last."""
    scale = mpf(1)
    if precision.name == "float" and n >= 8:
        scale = mpf(2) ** int(mp.floor(mp.log(n, 2)))
    factor = functions.half_gamma(n) / scale**n
    last = mpf(2) ** 20
    while factor * min(mpf(1), scale / last) ** n / mp.sqrt(last) < mpf(2) ** -precision.exponent_range or \
            functions.half_gamma(n) * last ** (-n - mpf(1) / 2) < mpf(2) ** -precision.exponent_range:
        last /= mpf(2) ** (mpf(1) / 32)
    last = mp.floor(last)
    if mp.exp(-last) > 2 * last * functions.half_gamma(n) * last ** (-n - mpf(1) / 2) * precision.negligible:
        raise RuntimeError(f"order {n}: e^-x still counts at x = {last}")
    return scale, factor, last


def array(name, coefficients, precision, indent="  "):
    lines, line = [], indent + f"static constexpr {precision.name} {name}[] = {{"
    for k, c in enumerate(coefficients):
        item = precision.literal(c) + ("};" if k == len(coefficients) - 1 else ",")
        if len(line) + len(item) + 1 > 140:
            lines.append(line)
            line = indent + "   "
        line += ("" if line.endswith("{") else " ") + item
    return "\n".join(lines + [line])


def emit_order(n, precision):
    head_origin, head_coefficients, head_error = head(n, precision)
    fits = [(variable, *tail(n, precision, variable)) for variable in (("r",) if n == 0 else ("r", "y") if n < 6 else ("y",))]
    variable, tail_origin, tail_coefficients, tail_error = min(
        fits, key=lambda fit: len(fit[2]) + (fit[1] != 0) - (mpf("0.1") if fit[0] == "y" else 0))
    scale, factor, last = asymptote(n, precision)
    print(f"{precision.name} {n}: head degree {len(head_coefficients) - 1} about {mp.nstr(head_origin, 5)} ({mp.nstr(head_error, 2)}), "
          f"tail degree {len(tail_coefficients) - 1} in {variable} about {mp.nstr(tail_origin, 5)} ({mp.nstr(tail_error, 2)}), "
          f"asymptote to {mp.nstr(last, 5)}", file=sys.stderr)
    real, literal = precision.name, precision.literal
    return f"""template <>
struct Coefficients<{real}, {n}> {{
  static constexpr {real} split = {literal(split(n))}, last = {literal(last)}, asymptote = {literal(factor)};
  static constexpr {real} scale = {literal(scale)}, head_center = {literal(head_origin)}, tail_center = {literal(tail_origin)};
  static constexpr bool tail_in_r = {"true" if variable == "r" else "false"};
{array("head", head_coefficients, precision)}
{array("tail", tail_coefficients, precision)}
}};
"""


def emit_exponential(precision):
    half_width = mp.log(2) / 2 * mpf("1.0005")
    z = remez.chebyshev_grid(-half_width, half_width, GRID)
    f = [mp.exp(u) for u in z]
    samples = remez.Samples(z, f, [1 / v for v in f])
    coefficients, error = remez.minimax_polynomial(samples, precision.exp_degree)
    print(f"{precision.name} exponential: degree {precision.exp_degree} ({mp.nstr(error, 2)})", file=sys.stderr)
    return f"""/// e^z for |z| <= log(2)/2.
template <>
struct ExponentialCoefficients<{precision.name}> {{
{array("c", remez.shift_to(coefficients, samples, 0), precision)}
}};
"""


def emit_inverse_odd(precision):
    """1/(2n+1), rounded so that the errors of any run of factors cancel: a chain of recursions multiplies them all."""
    bits = 53 if precision.name == "double" else 24
    carried, values = mpf(0), []
    for n in range(MAX_ORDER):
        exact = mpf(1) / (2 * n + 1)
        unit = mpf(2) ** (mp.floor(mp.log(exact, 2)) + 1 - bits)
        below = mp.floor(exact / unit) * unit
        value = min((below, below + unit), key=lambda v: abs(carried + (v - exact) / exact)) if below != exact else exact
        carried += (value - exact) / exact
        values.append(value)
    return f"""/// 1 / (2n + 1); of the two neighbours in floating point, the one that keeps the product of all closest to its exact value.
template <>
struct InverseOdd<{precision.name}> {{
{array("c", values, precision)}
}};
"""


def paper_samples(n, low, high, sixths, damped):
    """The f_n of the paper's equation (33) on [low, high), F_n = e^(-sixths x / 6) f_n.

    Its own absolute error counts, as in the paper: that of F_n then falls with x, where downward recursion from it magnifies errors more.
    damped: the error of F_n counts. Rational functions with e^-x take it, for which Remez's exchange otherwise meets a pole.
    """
    x = remez.chebyshev_grid(mpf(low), mpf(high), 200)
    e = [mp.exp(-mpf(sixths) / 6 * u) for u in x]
    return remez.Samples(x, [functions.boys(n, u) / v for u, v in zip(x, e)], e if damped else [mpf(1)] * len(x))


def emit_form(name, high, sixths, arrays):
    """One of the paper's forms: where it ends, its damping, its coefficients."""
    return f"""template <>
struct {name} {{
  static constexpr int end = {high}, sixths = {sixths};
""" + "\n".join(arrays) + """
};
"""


def emit_rational(name, n, low, high, p, q, sixths, precision):
    """The paper's form on [low, high): F_n = e^(-sixths x / 6) P(x) / Q(x)."""
    samples = paper_samples(n, low, high, sixths, sixths == 6)
    fit = remez.minimax_rational(samples, p, q)
    if fit is None:
        raise RuntimeError(f"paper, order {n} on [{low}, {high}): no rational function without a pole")
    numerator, denominator, error = fit
    numerator, denominator = (remez.shift_to(c, samples, 0) for c in (numerator, denominator))
    numerator, denominator = ([c / denominator[0] for c in part] for part in (numerator, denominator))
    print(f"paper {precision.name} {n} on [{low}, {high}): [{p}/{q}], error {mp.nstr(error, 2)}", file=sys.stderr)
    return emit_form(name, high, sixths, [array("p", numerator, precision), array("q", denominator, precision)])


def emit_polynomial(name, n, low, high, degree, sixths, precision):
    """The paper's other form on [low, high): F_n = e^(-sixths x / 6) P(x)."""
    samples = paper_samples(n, low, high, sixths, False)
    coefficients, error = remez.minimax_polynomial(samples, degree)
    print(f"paper {precision.name} {n} on [{low}, {high}): [{degree}], error {mp.nstr(error, 2)}", file=sys.stderr)
    return emit_form(name, high, sixths, [array("p", remez.shift_to(coefficients, samples, 0), precision)])


def emit_paper_double(n):
    """Table 2 of Mazur, Makowski and Lazarski for N <= 8; the rational form of N = 4 to 8 is continued to N = 16."""
    double = PRECISIONS["double"]
    p, q = (8, 9) if n < 3 else (8, 8) if n == 3 else (9, 8)
    sixths = 2 if n == 0 else 3 if n < 4 else 6
    parts = [emit_rational(f"PaperHead<double, {n}>", n, 0, 13, p, q, sixths, double)]
    if n <= 8:
        degree = (18, 18, 16, 16, 22, 21, 20, 20, 19)[n]
        parts.append(emit_polynomial(f"PaperPolynomialHead<double, {n}>", n, 0, 13, degree, sixths, double))
    return parts


def emit_paper_float(n):
    """Table 3."""
    single = PRECISIONS["float"]
    sixths = 2 if n == 0 else 3 if n < 5 else 4
    rational = (13, 6, 7) if n < 5 else (8, 4, 5)
    polynomial = (13, 14) if n < 3 else (8, 12 if n == 4 else 10)
    parts = [emit_rational(f"PaperHead<float, {n}>", n, 0, *rational, sixths, single)]
    sixths = sixths if n < 3 else 4
    parts.append(emit_polynomial(f"PaperPolynomialHead<float, {n}>", n, 0, *polynomial, sixths, single))
    return parts


def emit_paper(orders):
    """The forms of order 0 in the middle, then those of the top orders."""
    double, single = PRECISIONS["double"], PRECISIONS["float"]
    parts = [
        emit_rational("PaperMiddle<double>", 0, 13, 28, 8, 9, 2, double),
        emit_polynomial("PaperPolynomialMiddle<double>", 0, 13, 28, 20, 2, double),
        emit_rational("PaperMiddle<float>", 0, 8, 13, 2, 3, 2, single),
        emit_polynomial("PaperPolynomialMiddle<float>", 0, 8, 13, 8, 2, single),
    ]
    for n in orders:
        parts += emit_paper_double(n)
        if n <= 8:
            parts += emit_paper_float(n)
    return "\n".join(parts)


INTRODUCTION = """// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
// Written by models/boys/generate/generate.py; do not edit.
// clang-format off
#pragma once

"""


def write(scheme, orders, output):
    text = INTRODUCTION
    if scheme == "paper":
        text += '''namespace tessera::boys::detail {

// Each times e^(-sixths x / 6).

/// The rational function p/q of the top order N on [0, end).
template <class Real, int N>
struct PaperHead;

/// The rational function p/q of order 0 from 13 (double) or 8 (float) to end.
template <class Real>
struct PaperMiddle;

/// The polynomial p of the top order N on [0, end).
template <class Real, int N>
struct PaperPolynomialHead;

/// The polynomial p of order 0 from 13 (double) or 8 (float) to end.
template <class Real>
struct PaperPolynomialMiddle;

''' + emit_paper(orders)
    else:
        precision = PRECISIONS[scheme]
        text += '#include "tessera/boys/function/coefficients.hpp"\n\nnamespace tessera::boys::detail {\n\n'
        text += "\n".join([emit_exponential(precision), emit_inverse_odd(precision)] + [emit_order(n, precision) for n in orders])
    text += "\n}  // namespace tessera::boys::detail\n"
    if output == "-":
        sys.stdout.write(text)
    else:
        pathlib.Path(output).write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scheme", choices=["double", "float", "paper"], help="default: all three")
    parser.add_argument("--orders", type=int, nargs="+", help="default: all")
    parser.add_argument("--output", help="a file, or - for standard output")
    arguments = parser.parse_args()
    folder = pathlib.Path(__file__).resolve().parent.parent / "tessera" / "boys" / "function"
    for scheme in [arguments.scheme] if arguments.scheme else ["double", "float", "paper"]:
        orders = arguments.orders or range(17 if scheme == "paper" else MAX_ORDER + 1)
        write(scheme, orders, arguments.output or folder / f"coefficients_{scheme}.hpp")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes function/uniform_coefficients.hpp: the uniform expansion of I and K, and a table of
logarithms. Needs mpmath.

    ./uniform_coefficients.py | clang-format > ../tessera/bessel/function/uniform_coefficients.hpp

The polynomials u_k(p) = p^k U_k(p^2) and v_k(p) = p^k V_k(p^2) come from their recurrences (DLMF
10.41.9 and 10.41.11) in rational numbers. At w = sqrt(nu^2 + x^2) the term k of the sum is U_k w^-k.
"""

from fractions import Fraction

from mpmath import mp

mp.dps = 60
TERMS = 20
SMALLEST_W = 25
PARTS = 64


def derivative(a):
    return [k * c for k, c in enumerate(a)][1:] or [Fraction(0)]


def product(a, b):
    out = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return out


def total(*all_of):
    out = [Fraction(0)] * max(map(len, all_of))
    for a in all_of:
        for k, c in enumerate(a):
            out[k] += c
    return out


def integral(a):
    return [Fraction(0)] + [c / (k + 1) for k, c in enumerate(a)]


def debye(terms):
    """u_k and v_k for k < terms, each as the coefficients of p^0, p^1, ..."""
    p2_minus_p4 = [Fraction(c) for c in (0, 0, 1, 0, -1)]
    p3_minus_p = [Fraction(c) for c in (0, -1, 0, 1)]
    u, v = [[Fraction(1)]], [[Fraction(1)]]
    for _ in range(1, terms):
        last = u[-1]
        slope = product(p2_minus_p4, derivative(last))
        rest = integral(product([Fraction(1), Fraction(0), Fraction(-5)], last))
        u.append(total([c / 2 for c in slope], [c / 8 for c in rest]))
        inner = total([c / 2 for c in last], product([Fraction(0), Fraction(1)], derivative(last)))
        v.append(total(u[-1], product(p3_minus_p, inner)))
    return u, v


def in_square(a, k):
    """The coefficients of p^k, p^(k+2), ..., p^(3k)."""
    a = a + [Fraction(0)] * (3 * k + 1 - len(a))
    return [a[k + 2 * j] for j in range(k + 1)]


def largest(a):
    """The largest magnitude of the polynomial on [0, 1]."""
    return max(
        abs(float(sum(c * Fraction(i, 200) ** j for j, c in enumerate(a)))) for i in range(201)
    )


def array(name, doc, numbers, constant=True):
    """A table; not `constant`: of elements that are chosen at run time, in static memory."""
    text = ", ".join(float.hex(float(c)) for c in numbers)
    return f"""/// {doc}
struct {name} {{
  KOKKOS_FORCEINLINE_FUNCTION static {"constexpr " if constant else ""}double at(int k) {{
    {"" if constant else "static "}constexpr double c[{len(numbers)}] = {{{text}}};
    return c[k];
  }}
}};
"""


def main():
    u, v = debye(TERMS)
    u = [in_square(a, k) for k, a in enumerate(u)]
    v = [in_square(a, k) for k, a in enumerate(v)]
    # the term k is below 2^-56 of the sum from this w on
    bounds = [max(largest(a), largest(b)) for a, b in zip(u, v)]
    limits = [0.0] + [(bounds[k] * 2.0**56) ** (1 / k) for k in range(1, TERMS)]
    for k in range(TERMS - 2, 0, -1):
        limits[k] = max(limits[k], limits[k + 1])
    assert limits[TERMS - 1] < SMALLEST_W < limits[TERMS - 2]
    logs = [mp.log(1 + mp.mpf(2 * i + 1) / (2 * PARTS)) for i in range(PARTS)]
    pairs = [c for log in logs for c in (float(log), float(log - float(log)))]
    print("// SPDX-FileCopyrightText: 2026 The Tessera developers")
    print("// SPDX-License-Identifier: BSD-3-Clause")
    print('#pragma once\n\n#include "tessera/core/device/kokkos_compat.hpp"\n')
    print("// Written by models/bessel/generate/uniform_coefficients.py.\n")
    print("namespace tessera::bessel::detail {\n")
    print("/// Terms of the uniform expansion, enough where sqrt(nu^2 + x^2) >= kUniformFrom.")
    print(f"inline constexpr int kUniformTerms = {TERMS - 1};")
    print(f"inline constexpr double kUniformFrom = {SMALLEST_W};\n")
    print(
        array(
            "UniformLimit",
            "From this w = sqrt(nu^2 + x^2) on, the term k is below 2^-56 of the sum.",
            limits[: TERMS - 1],
        )
    )
    print(
        array(
            "UniformValue",
            "U_k of nu^2 / w^2: coefficient j of U_k at k (k + 1) / 2 + j.",
            [c for a in u[: TERMS - 1] for c in a],
        )
    )
    print(
        array(
            "UniformSlope",
            "V_k of nu^2 / w^2, in the same order.",
            [c for a in v[: TERMS - 1] for c in a],
        )
    )
    print(f"inline constexpr int kLogarithms = {PARTS};\n")
    print(
        array(
            "Logarithms",
            f"log(1 + (2i + 1) / {2 * PARTS}), each as the sum of two numbers.",
            pairs,
            constant=False,
        )
    )
    print("}  // namespace tessera::bessel::detail")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Nodes and weights of Kronrod's rule with 127 nodes on [-1, 1]: kronrod.py > ../tessera/stable/law/kronrod.hpp, with mpmath.

The recurrence of the Jacobi-Kronrod matrix is Laurie's (Mathematics of Computation 66 (1997) 1133). Its eigenvalues are the 63 nodes of Gauss and one
node in each of the 64 gaps between these and the ends, found by bisection; the weights are Christoffel's numbers.
"""

import mpmath as mp

GAUSS = 63
mp.mp.dps = 60


def jacobi_kronrod(n):
    """b_0 .. b_2n of p_{k+1} = t p_k - b_k p_{k-1}, for Legendre's weight, whose a_k are 0; 3n/2 of them are Legendre's."""
    total = 2 * n + 1
    b = [mp.mpf(0)] * total
    b[0] = mp.mpf(2)
    for k in range(1, (3 * n + 1) // 2 + 1):
        b[k] = 1 / (4 - 1 / mp.mpf(k) ** 2)
    s, t = [mp.mpf(0)] * (n // 2 + 2), [mp.mpf(0)] * (n // 2 + 2)
    t[1] = b[n + 1]
    for m in range(n - 1):
        sums = mp.mpf(0)
        for k in range((m + 1) // 2, -1, -1):
            sums += b[k + n + 1] * s[k] - b[m - k] * s[k + 1]
            s[k + 1] = sums
        s, t = t, s
    for j in range(n // 2, -1, -1):
        s[j + 1] = s[j]
    for m in range(n - 1, 2 * n - 2):
        sums = mp.mpf(0)
        for k in range(m + 1 - n, (m - 1) // 2 + 1):
            j = n - 1 - (m - k)
            sums += -b[k + n + 1] * s[j + 1] + b[m - k] * s[j + 2]
            s[j + 1] = sums
        k = (m + 1) // 2
        if m % 2 == 1:
            b[k + n + 1] = s[j + 1] / s[j + 2]
        s, t = t, s
    return b


def values(b, x):
    """The monic polynomials p_0 .. p_n at x."""
    p = [mp.mpf(1), x]
    for k in range(1, len(b)):
        p.append(x * p[k] - b[k] * p[k - 1])
    return p


def between(function, low, high):
    sign = function(low) > 0
    for _ in range(mp.mp.prec + 10):
        middle = (low + high) / 2
        if (function(middle) > 0) == sign:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def rule(n):
    """(node, weight) of the nodes that are not negative."""
    b = jacobi_kronrod(n)
    legendre = [b[0]] + [1 / (4 - 1 / mp.mpf(k) ** 2) for k in range(1, n)]
    place = [mp.cos(mp.pi * k / (2 * n + 1)) for k in range(2 * n + 1)]  # Bruns: the nodes of Gauss lie between these, two by two
    gauss = [between(lambda x: values(legendre, x)[-1], place[2 * k], place[2 * k - 1]) for k in range(n, 0, -1)]
    gauss[n // 2] = mp.mpf(0)  # n is odd
    ends = [mp.mpf(-1), *gauss, mp.mpf(1)]
    small = mp.mpf(10) ** -40

    def stieltjes(x):
        return values(b, x)[-1] * values(legendre, x)[-1]

    added = [between(stieltjes, low + small, high - small) for low, high in zip(ends, ends[1:])]
    found = []
    for x in sorted(x for x in [*gauss, *added] if x >= 0):
        norm, total = mp.mpf(1), mp.mpf(0)
        for k, p in enumerate(values(b, x)[:-1]):
            norm *= b[k]
            total += p * p / norm
        found.append((x, 1 / total))
    return found


def check(found):
    """Exact for polynomials of degree 3n + 1 = 190, even ones here; not beyond."""
    def error(power):
        return abs(sum((1 if x == 0 else 2) * w * x**power for x, w in found) * (power + 1) / 2 - 1)

    assert len(found) == GAUSS + 1
    assert max(error(power) for power in range(0, 191, 2)) < mp.mpf(10) ** -35
    assert error(192) > mp.mpf(10) ** -60


def main():
    found = rule(GAUSS)
    check(found)
    print("""\
// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
// Written by models/stable/generate/kronrod.py.
#pragma once

namespace tessera::stable::detail {

/// Kronrod's extension of the rule of Gauss with 63 nodes to 127 on [-1, 1]: exact for polynomials of degree 190. The nodes from 0 to 1,
/// each of which but the first stands for its mirror image too.
struct KronrodRule {
  static constexpr int kHalf = 64;
  double node[kHalf], weight[kHalf];
};
""")
    print("// clang-format off\ninline constexpr KronrodRule kKronrod{{")
    for which in (0, 1):
        numbers = [repr(float(pair[which])) for pair in found]
        for k in range(0, len(numbers), 6):
            print("  " + ", ".join(numbers[k:k + 6]) + ",")
        print("}, {" if which == 0 else "}};\n// clang-format on\n")
    print("}  // namespace tessera::stable::detail")


if __name__ == "__main__":
    main()

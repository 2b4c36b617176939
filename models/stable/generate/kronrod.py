#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Nodes and weights of Kronrod's rules with 61 and with 127 nodes on [-1, 1], and the weights of the rules of Gauss in them:
kronrod.py > ../tessera/stable/law/kronrod.hpp, with mpmath.

The recurrence of the Jacobi-Kronrod matrix is Laurie's (Mathematics of Computation 66 (1997) 1133). Its eigenvalues are the n nodes of Gauss and one
node in each of the n + 1 gaps between these and the ends, found by bisection; the weights are Christoffel's numbers.
"""

import mpmath as mp

GAUSS = (30, 63)  # nodes of Gauss, of which Kronrod's rule has 2n + 1
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


def christoffel(b, x):
    """The weight of the node x in the rule of Gauss for the recurrence b."""
    norm, total = mp.mpf(1), mp.mpf(0)
    for k, p in enumerate(values(b, x)[:-1]):
        norm *= b[k]
        total += p * p / norm
    return 1 / total


def rule(n):
    """(node, weight, weight of Gauss or 0) of the nodes that are not negative."""
    b = jacobi_kronrod(n)
    legendre = [b[0]] + [1 / (4 - 1 / mp.mpf(k) ** 2) for k in range(1, n)]
    place = [mp.cos(mp.pi * k / (2 * n + 1)) for k in range(2 * n + 1)]  # Bruns: the nodes of Gauss lie between these, two by two
    gauss = [between(lambda x: values(legendre, x)[-1], place[2 * k], place[2 * k - 1]) for k in range(n, 0, -1)]
    if n % 2 == 1:
        gauss[n // 2] = mp.mpf(0)
    ends = [mp.mpf(-1), *gauss, mp.mpf(1)]
    small = mp.mpf(10) ** -40

    def stieltjes(x):
        return values(b, x)[-1] * values(legendre, x)[-1]

    added = [between(stieltjes, low + small, high - small) for low, high in zip(ends, ends[1:])]
    if n % 2 == 0:
        added[n // 2] = mp.mpf(0)
    nodes = [(x, True) for x in gauss] + [(x, False) for x in added]
    return [(x, christoffel(b, x), christoffel(legendre, x) if of_gauss else mp.mpf(0)) for x, of_gauss in sorted(nodes) if x >= 0]


def check(n, found):
    """Exact for polynomials up to the degree 3n + 1, with the weights of Gauss 2n - 1, even ones here; not beyond."""
    def error(which, power):
        return abs(sum((1 if x == 0 else 2) * w[which] * x**power for x, *w in found) * (power + 1) / 2 - 1)

    assert len(found) == n + 1
    for which, degree in ((0, 3 * n + 1), (1, 2 * n - 1)):
        last = degree - degree % 2
        assert max(error(which, power) for power in range(0, last + 1, 2)) < mp.mpf(10) ** -35
        assert error(which, last + 2) > mp.mpf(10) ** -60


def main():
    print("""\
// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
// Written by models/stable/generate/kronrod.py.
#pragma once

namespace tessera::stable::detail {

/// Kronrod's extension of the rule of Gauss with n nodes to 2n + 1 on [-1, 1], exact for polynomials of degree 3n + 1. The nodes from 0
/// to 1, each of which but the first stands for its mirror image too; the weights of Gauss are 0 at nodes that are Kronrod's alone.
struct KronrodRule {
  static constexpr int kMostHalf = 64;
  int half;  ///< nodes from 0 to 1
  double node[kMostHalf], weight[kMostHalf], gauss[kMostHalf];
};

// clang-format off""")
    for n in GAUSS:
        found = rule(n)
        check(n, found)
        print(f"inline constexpr KronrodRule kKronrod{2 * n + 1}{{{n + 1}, {{")
        for which in range(3):
            numbers = [repr(float(row[which])) for row in found]
            for k in range(0, len(numbers), 6):
                print("  " + ", ".join(numbers[k:k + 6]) + ",")
            print("}, {" if which < 2 else "}};\n")
    print("// clang-format on\n\n}  // namespace tessera::stable::detail")


if __name__ == "__main__":
    main()

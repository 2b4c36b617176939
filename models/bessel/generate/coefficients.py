#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes function/coefficients.hpp: the polynomials that the Bessel functions are evaluated with. Needs mpmath.

    ./coefficients.py > ../tessera/bessel/function/coefficients.hpp
"""

from mpmath import mp, mpf

mp.dps = 60


def gamma_even(m):
    """[1/Gamma(1-mu) + 1/Gamma(1+mu)] / 2 of m = mu^2."""
    mu = mp.sqrt(m)
    return (mp.rgamma(1 - mu) + mp.rgamma(1 + mu)) / 2


def gamma_odd(m):
    """[1/Gamma(1-mu) - 1/Gamma(1+mu)] / (2 mu), also at mu = 0."""
    mu = mp.sqrt(m)
    if abs(mu) < mpf(10) ** -12:
        return -mp.euler
    return (mp.rgamma(1 - mu) - mp.rgamma(1 + mu)) / (2 * mu)


def power_of_two(r):
    return mpf(2) ** r


def polynomial(f, interval, terms):
    """Coefficients, lowest first, and the largest error relative to the function."""
    coefficients = [mpf(float(c)) for c in reversed(mp.chebyfit(f, interval, terms))]
    a, b = interval
    points = [a + (b - a) * mpf(i) / 200 for i in range(201)]
    error = max(abs(sum(c * x**k for k, c in enumerate(coefficients)) / f(x) - 1) for x in points)
    return coefficients, error


def structure(real, terms_gamma, terms_power):
    suffix = "F" if real == "float" else ""
    rounding = mp.mpf(2) ** -24 if real == "float" else mp.mpf(2) ** -53
    lines = ["template <>", f"struct Coefficients<{real}> {{"]
    quarter = [mpf(0), mpf(1) / 4]
    half = [-mpf(1) / 2, mpf(1) / 2]
    for name, doc, f, interval, terms in [
            ("GammaEven", "[1/Gamma(1-mu) + 1/Gamma(1+mu)] / 2 as a polynomial in mu^2, |mu| <= 1/2", gamma_even, quarter, terms_gamma),
            ("GammaOdd", "[1/Gamma(1-mu) - 1/Gamma(1+mu)] / (2 mu)", gamma_odd, quarter, terms_gamma),
            ("PowerOfTwo", "2^r, |r| <= 1/2", power_of_two, half, terms_power)]:
        coefficients, error = polynomial(f, interval, terms)
        numbers = ", ".join(float.hex(float(c)) + suffix if real == "double" else float.hex(to_float(c)) + suffix for c in coefficients)
        lines.append(f"  // {doc}; relative error {mp.nstr(error / rounding, 2)} roundings, before those of the coefficients")
        lines.append(f"  struct {name} {{\n    static constexpr int terms = {terms};")
        lines.append(f"    KOKKOS_FORCEINLINE_FUNCTION static constexpr {real} at(int k) {{")
        lines.append(f"      constexpr {real} c[terms] = {{{numbers}}};\n      return c[k];\n    }}\n  }};")
    return lines + ["};", ""]


def to_float(c):
    import struct
    return struct.unpack("f", struct.pack("f", float(c)))[0]


def main():
    print("// SPDX-FileCopyrightText: 2026 The Tessera developers")
    print("// SPDX-License-Identifier: BSD-3-Clause")
    print("#pragma once\n\n#include \"tessera/core/device/kokkos_compat.hpp\"\n\n// Polynomials, lowest coefficient first. Written by models/bessel/generate/coefficients.py.\n\nnamespace tessera::bessel::detail {\n")
    print("template <class Real>\nstruct Coefficients;\n")
    print("\n".join(structure("double", 9, 11) + structure("float", 5, 7)))
    print("}  // namespace tessera::bessel::detail")


if __name__ == "__main__":
    main()

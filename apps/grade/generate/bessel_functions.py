# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Modified Bessel functions with their derivatives in multiprecision, with gmpy2.

K_nu(x) = int_0^inf e^(-x cosh t) cosh(nu t) dt by the trapezoidal rule on the whole line, whose error
falls like e^(-2 pi^2 / h^2 (x^2 + nu^2)^(-1/2)) or e^(-pi^2 / h). All derivatives are sums over the
same nodes, all of one sign.

I_nu(x) = sum_k (x/2)^(2k + nu) / (k! Gamma(k + nu + 1)), summed from its largest term, with psi for
derivatives in nu; for large x and small nu Hankel's expansion. Results have a factor e^g apart, whose
g may be beyond the exponents of gmpy2.
"""

import math

import gmpy2
from gmpy2 import mpfr

BITS = 150


def context(bits):
    return gmpy2.local_context(gmpy2.context(), precision=int(bits), emax=1 << 50, emin=-(1 << 50))


def bits_for(nu, x, bits=BITS):
    """Enough bits that exponents of the size of x and nu log(nu / x) keep theirs."""
    return bits + max(0, math.log2(x + 1)) + math.log2(1 + nu * (2 + abs(math.log(x))))


def bessel_k(nu, x):
    """(K, K_x, K_nu, K_xx, K_xnu, K_nunu) e^-g, and g, at the precision of the context."""
    nu, x = mpfr(nu), mpfr(x)
    size = gmpy2.sqrt(x * x + nu * nu)
    # the relative error of the rule is about 2^-bits for these steps
    wanted = gmpy2.log(mpfr(2)) * (BITS + 10)
    h = min(mpfr(9) / wanted, gmpy2.sqrt(2 * gmpy2.const_pi() ** 2 / (wanted * size))) * mpfr("0.6")
    start = gmpy2.asinh(nu / x)
    g = nu * start - x * gmpy2.cosh(start)
    small = mpfr(2) ** (-BITS - 20)
    sums = [mpfr(0)] * 6
    middle = int(gmpy2.rint(start / h))
    for direction in (1, -1):
        k = middle + (0 if direction == 1 else -1)
        largest = [mpfr(0)] * 6
        quiet = 0
        while k >= 0 and quiet < 4:
            t = k * h
            c = gmpy2.cosh(t)
            e, f = gmpy2.exp(nu * t - x * c - g), gmpy2.exp(-2 * nu * t)
            ec, es = e * (1 + f) / 2, -e * gmpy2.expm1(-2 * nu * t) / 2
            if k == 0:
                ec, es = ec / 2, es / 2
            terms = (ec, c * ec, t * es, c * c * ec, c * t * es, t * t * ec)
            done = True
            for i, term in enumerate(terms):
                sums[i] += term
                if term > largest[i]:
                    largest[i] = term
                if term > small * largest[i]:
                    done = False
            quiet = quiet + 1 if done else 0
            k += direction
    values = [value * h for value in sums]
    values[1], values[4] = -values[1], -values[4]
    return values, g


def trigamma(z):
    """psi'(z) to 25 digits."""
    total = mpfr(0)
    while z < 60:
        total += 1 / (z * z)
        z += 1
    w = 1 / (z * z)
    numbers = (mpfr(1) / 6, mpfr(-1) / 30, mpfr(1) / 42, mpfr(-1) / 30, mpfr(5) / 66)
    numbers += (mpfr(-691) / 2730, mpfr(7) / 6, mpfr(-3617) / 510)
    power = 1 / z
    total += power + w / 2
    for number in numbers:
        power *= w
        total += number * power
    return total


def bessel_i(nu, x):
    """(I, I_x, I_nu, I_xx, I_xnu, I_nunu) e^-g, and g, at the precision of the context."""
    if x > 1e5 and nu < 300:
        values = finish_i(nu, x, *hankel(mpfr(nu), mpfr(x)), *hankel(mpfr(nu) + 1, mpfr(x))[:2])
        return values, mpfr(x)
    nu, x = mpfr(nu), mpfr(x)
    q = x * x / 4
    k0 = int((gmpy2.sqrt(nu * nu + x * x) - nu) / 2)
    log_half = gmpy2.log(x / 2)
    z0 = nu + k0 + 1
    g = (2 * k0 + nu) * log_half - gmpy2.lgamma(mpfr(k0 + 1))[0] - gmpy2.lgamma(z0)[0]
    top = mpfr(1)
    psi0, prime0 = gmpy2.digamma(z0), trigamma(z0)
    small = mpfr(2) ** (-gmpy2.get_context().precision - 10)
    total = total_nu = total_nunu = above = above_nu = mpfr(0)
    term, z, psi, prime, k = top, z0, psi0, prime0, k0
    while term > small * top or k < k0 + 3:  # upwards
        slope = log_half - psi
        total += term
        total_nu += term * slope
        total_nunu += term * (slope * slope - prime)
        over = term / z
        above += over
        above_nu += over * (slope - 1 / z)
        k += 1
        term = term * q / (k * z)
        psi += 1 / z
        prime -= 1 / (z * z)
        z += 1
    term, z, psi, prime, k = top, z0, psi0, prime0, k0
    while k > 0:  # downwards
        z -= 1
        term = term * k * z / q
        k -= 1
        psi -= 1 / z
        prime += 1 / (z * z)
        slope = log_half - psi
        total += term
        total_nu += term * slope
        total_nunu += term * (slope * slope - prime)
        over = term / z
        above += over
        above_nu += over * (slope - 1 / z)
        if term < small * top:
            break
    half = x / 2
    return finish_i(nu, x, total, total_nu, total_nunu, above * half, above_nu * half), g


def finish_i(nu, x, i, i_nu, i_nunu, above, above_nu):
    nu, x = mpfr(nu), mpfr(x)
    i_x = nu / x * i + above
    i_xx = (1 + nu * nu / (x * x)) * i - i_x / x
    i_xnu = i / x + nu / x * i_nu + above_nu
    return [i, i_x, i_nu, i_xx, i_xnu, i_nunu]


def hankel(nu, x):
    """I, I_nu and I_nunu, times e^-x, by Hankel's expansion, to e^(-2 x)."""
    term, term_nu, term_nunu = mpfr(1), mpfr(0), mpfr(0)
    total = total_nu = total_nunu = mpfr(0)
    small = mpfr(2) ** (-gmpy2.get_context().precision - 10)
    k = 0
    while max(abs(term), abs(term_nu), abs(term_nunu)) > small * min(abs(total_nu) + small, 1):
        total, total_nu, total_nunu = total + term, total_nu + term_nu, total_nunu + term_nunu
        k += 1
        factor = -(4 * nu * nu - (2 * k - 1) ** 2) / (8 * k * x)
        slope, second = -8 * nu / (8 * k * x), -mpfr(1) / (k * x)
        term_nunu = term_nunu * factor + 2 * term_nu * slope + term * second
        term_nu = term_nu * factor + term * slope
        term = term * factor
        if k > 2000:
            raise ArithmeticError("Hankel's expansion does not converge")
    scale = 1 / gmpy2.sqrt(2 * gmpy2.const_pi() * x)
    return total * scale, total_nu * scale, total_nunu * scale


def relative(point, value, slopes):
    if value == 0:
        return mpfr("inf")
    return sum(abs(mpfr(p) * s) for p, s in zip(point, slopes)) / abs(value)


def quantities(letter, nu, x, derivatives, g):
    """Those of both sets from (B, B_x, B_nu, B_xx, B_xnu, B_nunu) e^-g: name -> (value, condition)."""
    b, b_x, b_nu, b_xx, b_xnu, b_nunu = derivatives
    sign = 1 if letter == "k" else -1
    whole, scaled = gmpy2.exp(g), b * gmpy2.exp(g + sign * mpfr(x))
    log, r, s = gmpy2.log(b) + g, b_x / b, b_nu / b
    r_x, r_nu, s_nu = b_xx / b - r * r, b_xnu / b - r * s, b_nunu / b - s * s
    point = (nu, x)
    found = {
        letter: (b * whole, relative(point, b, (b_nu, b_x))),
        f"{letter}_scaled": (scaled, relative(point, mpfr(1), (s, r + sign))),
        f"log_{letter}": (log, relative(point, log, (s, r))),
        f"d{letter}_dx": (b_x * whole, relative(point, b_x, (b_xnu, b_xx))),
        f"d{letter}_dnu": (b_nu * whole, relative(point, b_nu, (b_nunu, b_xnu))),
        f"dlog_{letter}_dx": (r, relative(point, r, (r_nu, r_x))),
        f"dlog_{letter}_dnu": (s, relative(point, s, (s_nu, r_nu))),
    }
    if letter == "k" and nu == 0:  # zero by symmetry
        del found["dk_dnu"], found["dlog_k_dnu"]
    return found

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Stable laws (S0, scale 1, location 0) in multiprecision, with gmpy2.

f(x) = (1/pi) Re int e^E dt and P(X > x) = 1/2 + (1/pi) Im int e^E dt/t with

    E(t) = -t^alpha - i [x t + zeta (t^alpha - t)],  zeta = -beta tan(pi alpha / 2);
    at alpha = 1: E(t) = -t - i [x t + (2/pi) beta t ln t],

and their derivatives, whose integrands are those times polynomials of E's derivatives. Contours:

* a ray t = r e^(-i phi), ln r = c + u - e^(-u), with the trapezoidal rule in u. The part
  e^(-i y t) that has an integral of zero is subtracted, so that far tails keep their digits;
* for the light tail of beta = -1, through the saddle point t = -i s0: t = -i s0 e^(r + i theta),
  with the trapezoidal rule in a variable in which r is even and theta odd.

Each value is taken from two contours with two steps, and counts where they agree to 1e-24; otherwise
the digits grow.
"""

import gmpy2
from gmpy2 import mpc, mpfr

AGREE = 1e-24
DIGITS = (45, 80, 150, 300, 600)
SUMS = ("f", "g", "fx", "fa", "fb", "ga", "gb", "fxx", "fxa", "fxb", "faa", "fab", "fbb")


def pi():
    return gmpy2.const_pi()


class Law:
    """What depends on alpha and beta alone, at the precision of the context."""

    def __init__(self, alpha, beta):
        self.alpha, self.beta = mpfr(alpha), mpfr(beta)
        self.one = alpha == 1
        self.near_one = self.one or (abs(alpha - 1) < 0.05 and beta != 0)
        if self.one:
            self.zeta = mpfr(0)
        else:
            angle = pi() * self.alpha / 2
            self.tangent = gmpy2.tan(angle)
            self.zeta = -self.beta * self.tangent
            self.slope = -self.beta * pi() / 2 / gmpy2.cos(angle) ** 2  # d zeta / d alpha
            self.curve = self.slope * pi() * self.tangent
            self.tangent_slope = pi() / 2 / gmpy2.cos(angle) ** 2

    def terms(self, t, lt, p):
        """A(t) = E(t) + i y t and its derivatives: in alpha, beta, alpha alpha, alpha beta, each
        as (all but a multiple of t, that multiple): away from one the multiple is exact."""
        if self.one:
            k = 2 / pi()
            a = -t - 1j * (k * self.beta) * (t * lt)
            # the limits of the derivatives at alpha = 1: of zeta (t^alpha - t), with
            # tan(pi alpha/2) = -2/(pi e) + pi e/6 + ..., e = alpha - 1
            b2, b3 = t * lt * lt, t * lt * lt * lt
            da = -t * lt - 1j * (self.beta / pi()) * b2
            db = -1j * k * (t * lt)
            w = self.beta * (k * b3 / 3 - (pi() / 3) * (t * lt))
            daa = -b2 - 1j * w
            dab = -1j / pi() * b2
            return a, da, db, daa, dab
        q = p - t
        lp = lt * p
        lpp = lt * lp
        a = -p - 1j * self.zeta * q
        da = -lp - 1j * (self.slope * q + self.zeta * lp)
        db = 1j * self.tangent * q
        daa = -lpp - 1j * (self.curve * q + 2 * self.slope * lp + self.zeta * lpp)
        dab = 1j * (self.tangent_slope * q + self.tangent * lp)
        return a, da, db, daa, dab


def expm1(z, tiny):
    """e^z - 1; tiny: below which e^z would lose digits."""
    if abs(z) > 0.001:
        return gmpy2.exp(z) - 1
    term, total, k = z, z, 1
    while abs(term) > tiny * abs(total):
        k += 1
        term = term * z / k
        total += term
    return total


def along_ray(law, x, phi, centre, steps):
    """The sums along a ray, or None where the integrand does not decay."""
    near, alpha = law.near_one, law.alpha
    y = x if near else x - law.zeta
    subtract = y > 0
    bits = gmpy2.get_context().precision
    tiny = mpfr(2) ** (-bits)
    small = mpfr(2) ** (-bits - 20)
    h = mpfr(1) / steps
    u = -gmpy2.log(bits / min(alpha, mpfr(1)) + 60)
    v, shrink = gmpy2.exp(-u), gmpy2.exp(-h)
    turn = gmpy2.exp(mpc(0, -phi))
    turn_power = gmpy2.exp(mpc(0, -phi * alpha))
    sums = [mpc(0)] * len(SUMS)
    peak, past = mpfr(0), 0
    while past < 4:
        lr = centre + u - v
        lt = mpc(lr, -phi)
        t = gmpy2.exp(lr) * turn
        p = t if law.one else gmpy2.exp(alpha * lr) * turn_power
        whole = t if not near else mpc(0)  # what is subtracted with zeta t
        w = gmpy2.exp(mpc(0, -1) * (y * t)) * (1 + v)
        if near:
            a, da, db, daa, dab = law.terms(t, lt, p)
            e = gmpy2.exp(a)
            m = expm1(a, tiny) if subtract else e
            values = integrands(t, e, m, da, db, daa, dab)
        else:
            values, m, e = away_integrands(law, t, lt, p, subtract, tiny)
        for i, value in enumerate(values):
            sums[i] += value * w
        size = abs(w) * max(abs(m), abs(e) if i and not subtract else mpfr(0))
        size = max(size, abs(values[4] * w), abs(values[10] * w)) if u > 0 else size
        peak = max(peak, abs(values[0] * w))
        past = past + 1 if u > 0 and size < small * min(1, peak + small) else 0
        u += h
        v *= shrink
        if u > 120:
            return None
    sums = [h * s / pi() for s in sums]
    tail = sums[1].imag
    if not subtract:
        tail += mpfr(1) / 2 - phi / pi()
    return finish(sums, tail)


def integrands(t, e, m, da, db, daa, dab):
    """Those of SUMS but for e^(-i y t) dlnt, where no multiple of t has to be split off."""
    et = e * t
    mt = m * t
    fx = mpc(0, -1) * (mt * t)
    ix = mpc(0, -1) * t
    return (
        mt,
        m,
        fx,
        da * et,
        db * et,
        da * e,
        db * e,
        ix * fx,
        ix * da * et,
        ix * db * et,
        (daa + da * da) * et,
        (dab + da * db) * et,
        db * db * et,
    )


def away_integrands(law, t, lt, p, subtract, tiny):
    """The same with A = -(1 + i zeta) t^alpha and y = x - zeta: of the derivatives, the multiples of
    t alone are integrated with e^A - 1 where `subtract`."""
    z = mpc(1, law.zeta)
    a = -z * p
    e = gmpy2.exp(a)
    m = expm1(a, tiny) if subtract else e
    lp = lt * p
    # dE/dalpha = pa + qa t, dE/dbeta = pb + qb t
    pa, qa = -z * lp - mpc(0, 1) * (law.slope * p), mpc(0, 1) * law.slope
    pb, qb = mpc(0, 1) * (law.tangent * p), mpc(0, -1) * law.tangent
    paa = -z * (lt * lp) - mpc(0, 1) * (law.curve * p + 2 * law.slope * lp)
    qaa = mpc(0, 1) * law.curve
    pab, qab = (
        mpc(0, 1) * (law.tangent_slope * p + law.tangent * lp),
        mpc(0, -1) * law.tangent_slope,
    )
    mt = m * t
    da, db = pa * e + qa * mt, pb * e + qb * mt
    ix = mpc(0, -1) * t
    t2 = mt * t
    daa = (paa + pa * (pa + 2 * qa * t)) * e + qaa * mt + qa * qa * t2
    dab = (pab + pa * (pb + qb * t) + qa * t * pb) * e + qab * mt + qa * qb * t2
    dbb = pb * (pb + 2 * qb * t) * e + qb * qb * t2
    values = (
        mt,
        m,
        ix * mt,
        da * t,
        db * t,
        da,
        db,
        ix * ix * mt,
        ix * da * t,
        ix * db * t,
        daa * t,
        dab * t,
        dbb * t,
    )
    return values, m, e


def finish(sums, tail):
    found = {name: value.real for name, value in zip(SUMS, sums)}
    found["g"], found["ga"], found["gb"] = tail, sums[5].imag, sums[6].imag
    return found


def ray_value(law, x, variant):
    """The sums from one of two contours."""
    alpha, beta = law.alpha, law.beta
    y = x if law.near_one else x - law.zeta
    if law.near_one:
        top = pi() / 2
        angle = mpfr("0.75") if variant == 0 else mpfr("0.6")
        distance = abs(x) + 1
    else:
        psi = gmpy2.atan(-beta * law.tangent)
        top = min((psi + pi() / 2) / alpha, pi() / 2)
        angle = top * (mpfr("0.5") if variant == 0 else mpfr("0.6"))
        distance = max(abs(y), mpfr("1e-300"))
    centre = min(gmpy2.log(4 / distance), gmpy2.log(mpfr(4)) / alpha)
    digits = gmpy2.get_context().precision / 3.33
    steps = int((14 + digits / 5) * max(1, pi() / 2 / top))
    if variant == 1:
        centre -= mpfr("0.1")
        steps += 3
    return along_ray(law, x, angle, centre, steps)


def saddle(law, x):
    """(s0, E there, s0^2 E'') of a law with beta = -1, or None where there is none."""
    alpha = law.alpha
    if law.one:
        s0 = gmpy2.exp(pi() * x / 2 - 1)
        return s0, -2 / pi() * s0, 2 / pi() * s0
    y = x - law.zeta
    if (alpha > 1) != (y > 0) or y == 0:
        return None
    secant = 1 / gmpy2.cos(pi() * alpha / 2)
    s0 = gmpy2.exp(gmpy2.log(abs(y / (alpha * secant))) / (alpha - 1))
    power = gmpy2.exp(alpha * gmpy2.log(s0)) * secant
    return s0, -power - y * s0, -alpha * (alpha - 1) * power


def saddle_value(law, x, s0, exponent, curvature, variant):
    """The sums along a contour through the saddle point."""
    alpha = law.alpha
    if law.one:
        top = pi() * mpfr("0.55")
    elif alpha > 1:
        top = (pi() / (2 * alpha) + pi() / 2) / 2
    else:
        top = (min(pi() / (2 * alpha), pi()) + pi() / 2) / 2
    stretch = mpfr(1)
    if variant == 1:
        top *= mpfr("1.03") if alpha >= 1 or law.one else mpfr("0.97")
        stretch = mpfr("0.8")
    width = 1 / (top * gmpy2.sqrt(abs(curvature)))
    bits = gmpy2.get_context().precision
    per_width = mpfr(bits) / 60  # e^(-2 pi^2 q^2) is far below 2^-bits for q = bits / 60 widths
    h = min(width / per_width, mpfr(4) / bits)
    if variant == 1:
        h *= mpfr("0.83")
    small = mpfr(2) ** (-bits - 20)
    start = gmpy2.log(s0)
    near = law.near_one
    y = x if near else x - law.zeta
    sums = [mpc(0)] * len(SUMS)
    peaks = [mpfr(0)] * len(SUMS)
    k, past = 0, 0
    while past < 4:
        q = k * h
        root = gmpy2.sqrt(1 + q * q)
        r, theta = stretch * (root - 1), top * q / root
        step = mpc(stretch * q / root, top / (root * root * root))
        lt = mpc(start + r, theta - pi() / 2)
        t = gmpy2.exp(lt)
        p = t if law.one else gmpy2.exp(alpha * lt)
        if near:
            a, da, db, daa, dab = law.terms(t, lt, p)
            e = gmpy2.exp(a - mpc(0, 1) * (y * t) - exponent)
            values = integrands(t, e, e, da, db, daa, dab)
        else:
            a, da, db, daa, dab = law.terms(t, lt, p)
            e = gmpy2.exp(-mpc(1, law.zeta) * p - mpc(0, 1) * (y * t) - exponent)
            values = integrands(t, e, e, da, db, daa, dab)
        weight = step / 2 if k == 0 else step
        quiet = True
        for i, value in enumerate(values):
            term = value * weight
            sums[i] += term
            size = abs(term)
            if size > peaks[i]:
                peaks[i] = size
            if size > small * peaks[i]:
                quiet = False
        past = past + 1 if quiet and k > 4 else 0
        k += 1
        if k > 100000:
            return None
    scale = gmpy2.exp(exponent) * h / pi()
    sums = [s * scale for s in sums]
    return finish(sums, sums[1].imag)


def alike(a, b):
    """The largest disagreement of two results, relative to the values they are used for."""
    f, g, h = abs(b["f"]), abs(b["g"]), abs(b["h"])
    if min(f, g, h) == 0 or not gmpy2.is_finite(f):
        return mpfr(1)
    worst = max(abs(a[n] - b[n]) / abs(b[n]) for n in "fgh")
    for name in ("fx", "fa", "fb"):
        worst = max(worst, abs(a[name] - b[name]) / (abs(b[name]) + f * mpfr("1e-3")))
    for name in ("ga", "gb"):  # they serve for condition numbers alone
        worst = max(
            worst, mpfr("1e-10") * abs(a[name] - b[name]) / (abs(b[name]) + g * mpfr("1e-3"))
        )
    return worst


def reflect(found):
    """The sums of (x, beta) from those of (-x, -beta)."""
    other = dict(found)
    other["g"] = 1 - found["g"]
    other["h"] = found["g"]
    other["ga"], other["gb"] = -found["ga"], found["gb"]
    for name in ("fx", "fb", "fxa", "fab"):
        other[name] = -found[name]
    return other


def compute(alpha, beta, x, first_digits=0):
    """(sums with "h" = P(X <= x), digits, disagreement), or None."""
    extra = 0
    if alpha != 1 and abs(alpha - 1) < 0.05:
        extra = int(-4 * float(gmpy2.log10(abs(mpfr(alpha) - 1))))
    for digits in DIGITS:
        if digits < first_digits:
            continue
        with gmpy2.local_context(
            gmpy2.context(), precision=int((digits + extra) * 3.33), emax=1 << 40, emin=-(1 << 40)
        ) as context:
            context.trap_underflow = False
            found = one_try(alpha, beta, x)
            if found is not None and found[1] <= AGREE:
                return found[0], digits + extra, float(found[1])
    return None


def by_rays(alpha, beta, x):
    law = Law(alpha, beta)
    if law.near_one:
        first = (beta < 0) if abs(x) < 2 else x < 0
        flips = (first, not first)
    else:
        flips = (x < law.zeta,)
    pairs = []
    for flip in flips:
        turned, place = (Law(alpha, -beta), -x) if flip else (law, x)
        found = [ray_value(turned, place, variant) for variant in (0, 1)]
        if None not in found and found[1]["f"] > 0:
            pair = [oriented(one, flip) for one in found]
            pairs.append((alike(*pair), pair))
            if pairs[-1][0] <= AGREE:
                break
    return min(pairs, key=lambda found: found[0])[1] if pairs else None


def by_saddle(alpha, beta, x):
    """In light tails of one-sided laws; derivatives in beta, which feel a heavy tail, are missing."""
    if abs(beta) != 1 or alpha == 2:
        return None
    law = Law(alpha, -1.0)
    x = -x * beta
    point = saddle(law, x)
    if point is None or point[1] > -1:
        return None
    found = [saddle_value(law, x, *point, variant) for variant in (0, 1)]
    return None if None in found else [oriented(one, beta == 1) for one in found]


def oriented(found, flip):
    found["h"] = 1 - found["g"]
    return reflect(found) if flip else found


def one_try(alpha, beta, x):
    """(sums, their disagreement) at the precision of the context, or None."""
    x = mpfr(x)
    rays, light = by_rays(alpha, beta, x), by_saddle(alpha, beta, x)
    if light is not None:
        if rays is None:
            return None
        for a, b in zip(light, rays):
            a.update({name: b[name] for name in b if "b" in name})
    found = light or rays
    return None if found is None else (found[1], alike(*found))

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The GNU Scientific Library, by its shared library."""

import ctypes
import ctypes.util
import functools
import math

from .function import Function

NAME = "GSL"


@functools.lru_cache
def library():
    # gsl needs a cblas, which it is not always linked to
    blas = ctypes.util.find_library("gslcblas")
    if blas:
        ctypes.CDLL(blas, mode=ctypes.RTLD_GLOBAL)
    path = ctypes.util.find_library("gsl")
    if path is None:
        raise OSError("GSL is not there")
    found = ctypes.CDLL(path)
    found.gsl_set_error_handler_off()
    return found


def version():
    return ctypes.c_char_p.in_dll(library(), "gsl_version").value.decode()


@functools.lru_cache
def function(name, count):
    found = getattr(library(), name)
    found.restype, found.argtypes = ctypes.c_double, [ctypes.c_double] * count
    return found


def of(name):
    def call(*point):
        return function(name, len(point))(*point)

    return call


def matern(nu, h):
    log_k = function("gsl_sf_bessel_lnKnu", 2)(nu, h)
    log_gamma = function("gsl_sf_lngamma", 1)(nu)
    return math.exp((1 - nu) * math.log(2) - log_gamma + nu * math.log(h) + log_k)


def boys(n, x):
    if x == 0:
        return 1 / (2 * n + 1)
    part = function("gsl_sf_gamma_inc_P", 2)(n + 0.5, x)
    return function("gsl_sf_gamma", 1)(n + 0.5) * part / (2 * x ** (n + 0.5))


def boys_by_1f1(n, x):
    return function("gsl_sf_hyperg_1F1", 3)(n + 0.5, n + 1.5, -x) / (2 * n + 1)


FUNCTIONS = {
    "bessel-k/k": Function(of("gsl_sf_bessel_Knu"), "Knu", each=True),
    "bessel-k/k_scaled": Function(of("gsl_sf_bessel_Knu_scaled"), "Knu_scaled", each=True),
    "bessel-k/log_k": Function(of("gsl_sf_bessel_lnKnu"), "lnKnu", each=True),
    "bessel-i/i": Function(of("gsl_sf_bessel_Inu"), "Inu", each=True),
    "bessel-i/i_scaled": Function(of("gsl_sf_bessel_Inu_scaled"), "Inu_scaled", each=True),
    "matern/matern": Function(matern, "lnKnu", each=True),
    "boys/boys": [
        Function(boys, "gamma_inc_P", each=True),
        Function(boys_by_1f1, "hyperg_1F1", each=True),
    ],
}

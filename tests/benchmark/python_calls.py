# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What a call from Python costs beside its computation, in microseconds: python_calls.py [BACKEND]

CPU kernels compute whole blocks: a call of one number does the work of a block. The cost of a block
is the difference of calls of many and of few blocks; what a call of one number takes beyond one of
them is the overhead. The smallest of several repeats counts. On a GPU the time of a call of one
number is the figure."""

import sys
import timeit

import numpy as np

import tessera as ts

if len(sys.argv) > 1:
    ts.use(sys.argv[1])
FEW, MANY = 4, 36  # blocks


def microseconds(call, number=2000, repeats=50):
    return 1e6 * min(timeit.repeat(call, number=number, repeat=repeats)) / number


def report(name, call, size):
    """size: elements of a block of this kernel."""
    few, many = (microseconds(lambda x=np.full(n * size, 1.3): call(x), 200) for n in (FEW, MANY))
    block, one = (many - few) / (MANY - FEW), microseconds(lambda: call(1.3))
    some = microseconds(lambda x=np.full(1000, 1.3): call(x), 200)
    print(
        f"{name:16s} {one:6.2f} us a call of one number, {block:5.2f} us a block of {size}, overhead {one - block:5.2f} us; "
        f"{some:6.1f} us a call of 1000 numbers",
        flush=True,
    )


print(ts.device())
report("bessel.k", lambda x: ts.bessel.k(0.3, x), 16)
report("bessel.matern", lambda x: ts.bessel.matern(0.3, x), 64)
report("boys.boys(0)", lambda x: ts.boys.boys(0, x), 64)
report("boys.boys(8)", lambda x: ts.boys.boys(8, x), 64)
report("stable.cdf", lambda x: ts.stable.cdf(x, 1.5, 0.3), 1)

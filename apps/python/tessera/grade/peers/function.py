# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""How a library computes a quantity."""


class Function:
    """call: a callable of the inputs, or, with command, one that gives a command line. label: what
    of the library it is. domain: where the library promises a value, by a mask; None: everywhere.
    each: it takes one point a call."""

    def __init__(self, call, label="", domain=None, each=False, command=False):
        self.call, self.label, self.domain = call, label, domain
        self.each, self.command = each, command

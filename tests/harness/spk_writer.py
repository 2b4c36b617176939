# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes SPK kernels for tests, as the DAF and SPK Required Reading of NAIF describe them."""

import struct

import numpy as np

RECORD = 1024
TRANSFER_TEST = b"FTPSTR:\r:\n:\r\n:\r\x00:\x81:\x10\xce:ENDFTP"


def chebyshev_numbers(function, start, length, count, terms, has_velocities):
    """The numbers of a segment of type 2 or 3: `count` records of `length` seconds from `start` on,
    with series of so many terms for states [n, 6] = function(times)."""
    nodes = np.cos(np.pi * (np.arange(terms) + 0.5) / terms)
    rows = []
    for k in range(count):
        middle = start + (k + 0.5) * length
        states = function(middle + nodes * length / 2)
        fitted = np.polynomial.chebyshev.chebfit(nodes, states, terms - 1)
        chosen = fitted.T if has_velocities else fitted.T[:3]
        rows.append(np.concatenate([[middle, length / 2], *chosen]))
    return np.concatenate([*rows, [start, length, len(rows[0]), count]])


def row_numbers(times, states, last):
    """The numbers of a segment of type 9 (`last`: the degree) or 13 (the rows of a window less
    one)."""
    directory = times[99:-1:100] if len(times) > 100 else []
    return np.concatenate([np.ravel(states), times, directory, [last, len(times)]])


def write_spk(path, segments, order="<", comment=b"", name=b"LTL-IEEE", per_record=25):
    """Writes segments (target, center, frame, type, start, stop, numbers), at most `per_record` in
    a record of summaries."""
    comments = -(-len(comment) // 1000) if comment else 0
    groups = [segments[k : k + per_record] for k in range(0, len(segments), per_record)]
    first = 2 + comments
    address = (first - 1 + 2 * len(groups)) * RECORD // 8 + 1
    summaries, data = b"", b""
    for n, group in enumerate(groups):
        here = first + 2 * n
        after = here + 2 if n + 1 < len(groups) else 0
        before = here - 2 if n > 0 else 0
        record = struct.pack(order + "ddd", after, before, len(group))
        for target, center, frame, kind, start, stop, numbers in group:
            end = address + len(numbers) - 1
            record += struct.pack(
                order + "dd6i", start, stop, target, center, frame, kind, address, end
            )
            data += np.asarray(numbers).astype(order + "f8").tobytes()
            address = end + 1
        summaries += record.ljust(RECORD, b"\0") + b"segment".ljust(RECORD, b" ")
    last = first + 2 * (len(groups) - 1)
    head = struct.pack(
        order + "8sii60siii8s", b"DAF/SPK ", 2, 6, b"test".ljust(60), first, last, address, name
    )
    head = head.ljust(699, b"\0") + TRANSFER_TEST
    text = comment.ljust(1000 * comments, b"\0")
    records = b"".join(
        text[1000 * k : 1000 * (k + 1)].ljust(RECORD, b"\0") for k in range(comments)
    )
    with open(path, "wb") as file:
        file.write(head.ljust(RECORD, b"\0") + records + summaries + data)

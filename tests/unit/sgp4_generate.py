#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes tests/data/gbees/sgp4.csv: states of the verification cases of AIAA 2006-6753 by the
package sgp4 (Rhodes; its constants are WGS-72), which holds the cases as SGP4-VER.TLE. Of each case
six times are kept, and of each error the first.

    sgp4_generate.py > tests/data/gbees/sgp4.csv
"""

import datetime
import pathlib

import numpy as np
import sgp4
from sgp4.api import WGS72, Satrec

COLUMNS = (
    "object,epoch,mean_motion,eccentricity,inclination,node,perigee,anomaly,drag,"
    "minutes,error,x,y,z,vx,vy,vz"
)


def cases():
    """The satellites and their times in minutes."""
    path = pathlib.Path(sgp4.__file__).parent / "SGP4-VER.TLE"
    lines = [line for line in path.read_text().splitlines() if line[:2] in ("1 ", "2 ")]
    for first, second in zip(lines[::2], lines[1::2]):
        start, stop, step = (float(word) for word in second[69:].split())
        if stop > 1e6:  # of thousands of turns, where rounding counts
            continue
        satellite = Satrec.twoline2rv(first[:69], second[:69], WGS72)
        yield satellite, np.arange(start, stop + step / 2, step)


def epoch(satellite):
    year = satellite.epochyr + (2000 if satellite.epochyr < 57 else 1900)
    days = int(satellite.epochdays)
    microseconds = round((satellite.epochdays - days) * 86400e6)
    first = datetime.datetime(year, 1, 1)
    moment = first + datetime.timedelta(days=days - 1, microseconds=microseconds)
    return moment.isoformat(timespec="microseconds")


def main():
    print(COLUMNS)
    for satellite, times in cases():
        states = [(float(t), *satellite.sgp4_tsince(float(t))) for t in times]
        good = [state for state in states if state[1] == 0]
        chosen = {round(k) for k in np.linspace(0, len(good) - 1, 6)} if good else set()
        kept = [good[k] for k in sorted(chosen)]
        for error in sorted({state[1] for state in states} - {0}):
            kept.append(next(state for state in states if state[1] == error))
        elements = (
            satellite.no_kozai,
            satellite.ecco,
            satellite.inclo,
            satellite.nodeo,
            satellite.argpo,
            satellite.mo,
            satellite.bstar,
        )
        for t, error, position, velocity in kept:
            state = (*position, *velocity) if error == 0 else (0,) * 6
            numbers = ",".join(f"{float(x):.17g}" for x in (*elements, t))
            values = ",".join(f"{float(x):.17g}" for x in state)
            print(f"{satellite.satnum},{epoch(satellite)},{numbers},{error},{values}")


if __name__ == "__main__":
    main()

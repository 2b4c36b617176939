#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Writes the tables of ephemeris.yaml: the Moon on an ellipse about the Earth, and a station on the
Earth's equator, which turns."""

import math
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))
MU = 398600.4418 + 4902.800066  # km^3/s^2, of Earth and Moon
AXIS, ECCENTRICITY = 384400.0, 0.0549  # km
RADIUS, TURN = 6378.137, 7.2921159e-5  # of the Earth: km, rad/s
DAY = 86400.0


def moon(days):
    """Place and velocity, in km and km/s; perigee at day -3."""
    motion = math.sqrt(MU / AXIS**3)
    mean = motion * (days + 3) * DAY
    angle = mean
    for _ in range(50):  # Kepler's equation
        angle = mean + ECCENTRICITY * math.sin(angle)
    minor = math.sqrt(1 - ECCENTRICITY**2)
    rate = motion / (1 - ECCENTRICITY * math.cos(angle))
    return (
        AXIS * (math.cos(angle) - ECCENTRICITY),
        AXIS * minor * math.sin(angle),
        -AXIS * math.sin(angle) * rate,
        AXIS * minor * math.cos(angle) * rate,
    )


def station(hours):
    """Place in km; at noon the longitude is zero."""
    angle = TURN * 3600 * hours
    return RADIUS * math.cos(angle), RADIUS * math.sin(angle)


def main():
    with open(os.path.join(FOLDER, "ephemeris_moon.csv"), "w", encoding="ascii") as file:
        file.write("day,xm,ym,vxm,vym\n")
        for row in range(17):
            file.write("%.2f,%.6f,%.6f,%.12f,%.12f\n" % ((row / 4,) + moon(row / 4)))
    with open(os.path.join(FOLDER, "ephemeris_station.csv"), "w", encoding="ascii") as file:
        file.write("hour,xs,ys\n")
        for row in range(61):
            file.write("%d,%.9f,%.9f\n" % ((row,) + station(row)))


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
import dataclasses
import datetime
import os
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pandas

Epoch = str | datetime.datetime | np.datetime64
Epochs = Epoch | Iterable[Epoch]

@dataclasses.dataclass(frozen=True)
class OrbitObject:
    name: str
    designator: str
    state: np.ndarray
    covariance: np.ndarray

@dataclasses.dataclass(frozen=True)
class ConjunctionMessage:
    path: str
    id: str
    epoch: str
    miss_distance: float | None
    hard_body_radius: float | None
    objects: tuple[OrbitObject, OrbitObject]
    unknown: list[str]
    notes: list[str]
    def to_pandas(self) -> pandas.DataFrame: ...

@dataclasses.dataclass(frozen=True)
class OrbitState:
    path: str
    object_name: str
    epoch: str
    state: np.ndarray
    covariance: np.ndarray | None
    unknown: list[str]
    notes: list[str]

class EphemerisSegment:
    object_name: str
    object_id: str
    epochs: list[str]
    states: np.ndarray
    covariance_epochs: list[str]
    covariances: np.ndarray
    def states_at(self, epochs: Epochs) -> np.ndarray: ...
    def to_pandas(self) -> pandas.DataFrame: ...

@dataclasses.dataclass(frozen=True)
class Ephemeris:
    path: str
    segments: list[EphemerisSegment]
    unknown: list[str]
    notes: list[str]
    def to_pandas(self) -> pandas.DataFrame: ...

@dataclasses.dataclass(frozen=True)
class MeanElements:
    path: str
    object_name: str
    object_id: str
    epoch: str
    covariance: np.ndarray | None
    unknown: list[str]
    notes: list[str]
    def states_at(self, epochs: Epochs) -> np.ndarray: ...

@dataclasses.dataclass(frozen=True)
class TrackingSegment:
    participants: list[str]
    path: str
    angle_type: str
    angle_frame: str
    range_units: str
    correction: str
    epochs: list[str]
    keywords: list[str]
    values: np.ndarray
    def to_pandas(self) -> pandas.DataFrame: ...

@dataclasses.dataclass(frozen=True)
class TrackingData:
    path: str
    segments: list[TrackingSegment]
    unknown: list[str]
    notes: list[str]
    def measurements(
        self, quantities: str | Iterable[str], first: Epoch
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def to_pandas(self) -> pandas.DataFrame: ...

def read(
    path: str | os.PathLike[str], *, earth_orientation: str | os.PathLike[str] | None = None
) -> Ephemeris | OrbitState | ConjunctionMessage | MeanElements | TrackingData: ...
@dataclasses.dataclass(frozen=True)
class SpkSegment:
    target: int
    center: int
    type: int
    start: str
    stop: str

class SpkKernel:
    path: str
    segments: list[SpkSegment]
    def __init__(self, path: str | os.PathLike[str]) -> None: ...
    def states_at(self, target: int | str, center: int | str, epochs: Epochs) -> np.ndarray: ...

def read_spk(path: str | os.PathLike[str]) -> SpkKernel: ...
def write_oem(
    path: str | os.PathLike[str],
    object_name: str,
    epochs: Epochs,
    states: npt.ArrayLike,
    covariances: npt.ArrayLike | None = None,
    *,
    overwrite: bool = False,
) -> None: ...
def write_opm(
    path: str | os.PathLike[str],
    object_name: str,
    epoch: Epoch,
    state: npt.ArrayLike,
    covariance: npt.ArrayLike | None = None,
    *,
    object_id: str | None = None,
    overwrite: bool = False,
) -> None: ...
def convert_time(epochs: Epochs, from_system: str, to_system: str) -> list[str]: ...
def leap_seconds() -> str: ...
def seconds_since(first: Epoch, epochs: Epochs) -> np.ndarray: ...
def epochs_after(first: Epoch, seconds: npt.ArrayLike) -> list[str]: ...
def earth_orientation(
    path: str | os.PathLike[str], epochs: Epochs
) -> tuple[np.ndarray, np.ndarray]: ...
def earth_rotation(
    epochs: Epochs, *, ut1_minus_utc: npt.ArrayLike = 0.0, polar_motion: npt.ArrayLike = (0.0, 0.0)
) -> np.ndarray: ...
def from_earth(
    epochs: Epochs,
    states: npt.ArrayLike,
    *,
    ut1_minus_utc: npt.ArrayLike = 0.0,
    polar_motion: npt.ArrayLike = (0.0, 0.0),
) -> np.ndarray: ...
def local_axes(states: npt.ArrayLike, frame: str = "RTN") -> np.ndarray: ...

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""`import tessera.xarray` adds an accessor to xarray's DataArray and Dataset: da.tessera.fill()."""

import xarray

from . import mpr

__all__ = ["Accessor"]


@xarray.register_dataarray_accessor("tessera")
@xarray.register_dataset_accessor("tessera")
class Accessor:
    """What Tessera does with labelled arrays."""

    def __init__(self, labelled):
        self._labelled = labelled

    def fill(self, mask=None, **options):
        """The array with its gaps filled, with the same coordinates and attributes; options of
        tessera.mpr.fill(), which also gives the uncertainty."""
        return mpr.fill(self._labelled, mask, **options).filled

# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Profiles of rasterio datasets: what tessera.mpr.fill takes from one, and gives for its result.
rasterio need not be there.

    profile = {"width": 500, "height": 300, "count": 1, "dtype": "int16", "nodata": -9999,
               "crs": crs, "transform": affine}
"""

import math

from . import _tessera


def place(profile):
    """Transform and projection as GDAL has them: (six numbers, well-known text), or None where the
    profile has neither."""
    transform, crs = profile.get("transform"), profile.get("crs")
    if transform is None and crs is None:
        return None
    return _geotransform(transform), _well_known_text(crs)


def _geotransform(transform):
    """Of an Affine or its coefficients a, b, c, d, e, f, or six numbers in the order of GDAL: x0,
    dx, 0, y0, 0, -dy."""
    if transform is None:
        return [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    try:
        numbers = (
            [float(getattr(transform, name)) for name in "abcdef"]
            if hasattr(transform, "a")
            else [float(x) for x in transform]
        )
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) not in (6, 9) or not all(map(math.isfinite, numbers)):
        raise _tessera.InputError(
            f"the transform of the profile is {transform!r}\n  remedy: give an Affine, or six numbers"
        )
    a, b, c, d, e, f = numbers[:6]
    is_of_gdal = (
        len(numbers) == 6 and not hasattr(transform, "a") and c == 0 and e == 0 and b > 0 and f < 0
    )
    return numbers if is_of_gdal else [c, a, b, f, d, e]


def _well_known_text(crs):
    if crs is None:
        return ""
    text = crs if isinstance(crs, str) else crs.to_wkt() if hasattr(crs, "to_wkt") else None
    if text is None or (text and "[" not in text):
        raise _tessera.InputError(
            f"the crs of the profile is {crs!r}\n  remedy: give an object with to_wkt(), as rasterio's and pyproj's, or well-known text"
        )
    return text


def check_shape(profile, shape):
    """Raises InputError unless an array of this shape is an image of the profile's size, or
    several."""
    size = profile.get("height", shape[-2] if len(shape) > 1 else 0), profile.get(
        "width", shape[-1] if shape else 0
    )
    if tuple(shape[-2:]) != size:
        raise _tessera.InputError(
            f"the array has the shape {tuple(shape)}, and the profile {size[0]} rows and {size[1]} columns"
            "\n  remedy: give the profile of the dataset that the array was read from"
        )


# ways of compression that do not keep float numbers as they are
_LOSSY = ("jpeg", "webp", "jxl", "jpeg2000", "lerc", "lerc_deflate", "lerc_zstd")
_OF_LOSSY = (
    "compress",
    "photometric",
    "jpeg_quality",
    "webp_level",
    "webp_quality",
    "max_z_error",
    "jxl_distance",
    "jxl_lossless",
    "quality",
)
_WITHOUT_FLOAT = ("JPEG", "PNG", "WEBP", "GIF", "JP2OpenJPEG", "JP2KAK", "JPEGXL", "BMP")  # formats


def of_filled(profile, filled):
    """The profile of a dataset for the filled array: its type, NaN for no data, a band for each
    image, and nothing that does not keep its numbers."""
    kind = str(filled.dtype).rpartition(".")[2]  # PyTorch's are called torch.float32
    kept = {
        key: value for key, value in profile.items() if key.lower() not in ("nbits", "discard_lsb")
    }
    if str(_option(kept, "compress")).lower() in _LOSSY or kept.get("driver") in _WITHOUT_FLOAT:
        kept = {key: value for key, value in kept.items() if key.lower() not in _OF_LOSSY}
    if str(_option(kept, "photometric")).lower() in (
        "ycbcr",
        "palette",
        "cielab",
        "icclab",
        "itulab",
    ):
        kept = {key: value for key, value in kept.items() if key.lower() != "photometric"}
    if kept.get("driver") in _WITHOUT_FLOAT:
        kept["driver"] = "GTiff"
    return {
        **kept,
        "dtype": kind,
        "nodata": math.nan,
        "count": 1 if len(filled.shape) == 2 else filled.shape[0],
    }


def _option(profile, name):
    """A creation option, whose name may be in small or capital letters."""
    return next((value for key, value in profile.items() if key.lower() == name), None)

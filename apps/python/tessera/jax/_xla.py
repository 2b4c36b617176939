# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Calls of XLA back into Python, which get its arrays where they lie.

XLA calls a foreign function with a pointer to a frame of C structures (jax.ffi; version 0 of
XLA_FFI). Its fields are read by ctypes, so that nothing is compiled against the headers of one
version of JAX.
"""

import ctypes
import math
import os
import re

import numpy as np

try:
    from jax import ffi
except ImportError:  # JAX before 0.5
    ffi = None

_MAJOR = 0  # the version of the structures below; minor ones add fields behind these
_METADATA = 1  # the kind of an extension
_INTERNAL = 13  # the code of an error
_TYPES = {11: np.dtype(np.float32), 12: np.dtype(np.float64)}


def _structure(name, *fields):
    """A structure with the two fields that all begin with."""
    first = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p)]
    return type(name, (ctypes.Structure,), {"_fields_": first + list(fields)})


class _ExtensionBase(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("next", ctypes.c_void_p),
    ]


_Version = _structure("_Version", ("major", ctypes.c_int), ("minor", ctypes.c_int))


class _Metadata(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("api_version", _Version),
        ("traits", ctypes.c_uint32),
        ("state_type_id", ctypes.c_int64),  # since minor version 2
    ]


class _MetadataExtension(ctypes.Structure):
    _fields_ = [("base", _ExtensionBase), ("metadata", ctypes.POINTER(_Metadata))]


_Buffer = _structure(
    "_Buffer",
    ("dtype", ctypes.c_int),
    ("data", ctypes.c_void_p),
    ("rank", ctypes.c_int64),
    ("dims", ctypes.POINTER(ctypes.c_int64)),
)
_Buffers = _structure(
    "_Buffers",
    ("size", ctypes.c_int64),
    ("types", ctypes.c_void_p),
    ("items", ctypes.POINTER(ctypes.POINTER(_Buffer))),
)


class _Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


_Attributes = _structure(
    "_Attributes",
    ("size", ctypes.c_int64),
    ("types", ctypes.c_void_p),
    ("names", ctypes.c_void_p),
    ("items", ctypes.POINTER(ctypes.POINTER(_Text))),
)
_ErrorArguments = _structure(
    "_ErrorArguments", ("message", ctypes.c_char_p), ("code", ctypes.c_int)
)
_StreamArguments = _structure(
    "_StreamArguments", ("context", ctypes.c_void_p), ("stream", ctypes.c_void_p)
)
_CREATE_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_ErrorArguments))
_GET_STREAM = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_StreamArguments))
_Api = _structure(
    "_Api",
    ("api_version", _Version),
    ("internal_api", ctypes.c_void_p),
    ("create_error", _CREATE_ERROR),
    ("get_message", ctypes.c_void_p),
    ("destroy_error", ctypes.c_void_p),
    ("register_handler", ctypes.c_void_p),
    ("get_stream", _GET_STREAM),
)
_Frame = _structure(
    "_Frame",
    ("api", ctypes.POINTER(_Api)),
    ("context", ctypes.c_void_p),
    ("stage", ctypes.c_int),
    ("arguments", _Buffers),
    ("results", _Buffers),
    ("attributes", _Attributes),
)
_HANDLER = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Frame))


def _size(structure):
    """As XLA counts it: to the end of the last field."""
    last = getattr(structure, structure._fields_[-1][0])
    return last.offset + last.size


def _version():
    """(major, minor) version of the interface of this JAX, from the header that comes with it; None
    where that does not tell."""
    path = os.path.join(ffi.include_dir(), "xla", "ffi", "api", "c_api.h")
    try:
        with open(path, encoding="utf-8") as header:
            text = header.read()
    except OSError:
        return None
    found = [re.search(rf"#define XLA_FFI_API_{part}\s+(\d+)", text) for part in ("MAJOR", "MINOR")]
    return tuple(int(match.group(1)) for match in found) if all(found) else None


class OnDevice:
    """An array of XLA on a GPU as the library sees it, ready behind its stream."""

    def __init__(self, shape, dtype, data, stream):
        self.shape, self.dtype, self.size = shape, dtype, math.prod(shape)
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": dtype.str,
            "data": (data or 0, False),
            "strides": None,
            "version": 3,
            "stream": stream or 1,  # 1: the default stream, whose number may not be 0
        }


def _on_host(shape, dtype, data, _):
    if math.prod(shape) == 0:
        return np.empty(shape, dtype)
    memory = (ctypes.c_char * (math.prod(shape) * dtype.itemsize)).from_address(data)
    return np.frombuffer(memory, dtype).reshape(shape)


def _arrays(buffers, make, stream):
    arrays = []
    for k in range(buffers.size):
        buffer = buffers.items[k].contents
        shape = tuple(buffer.dims[d] for d in range(buffer.rank))
        arrays.append(make(shape, _TYPES[buffer.dtype], buffer.data, stream))
    return arrays


def _stream(frame):
    arguments = _StreamArguments(_size(_StreamArguments), None, frame.context, None)
    if frame.api.contents.get_stream(ctypes.byref(arguments)):
        raise RuntimeError("XLA does not tell the stream of a call")
    return arguments.stream


def _tell_version(frame, version):
    """Fills in the version where XLA asks for it, as it registers a function, and returns whether
    it does."""
    address = frame.extension_start
    while address:
        base = _ExtensionBase.from_address(address)
        if base.type == _METADATA:
            metadata = _MetadataExtension.from_address(address).metadata.contents
            metadata.api_version.major, metadata.api_version.minor = version
            metadata.traits = 0
            if metadata.struct_size > _Metadata.state_type_id.offset:
                metadata.state_type_id = 0  # a function without state
            return True
        address = base.next
    return False


def handler(run, on_device, version):
    """A foreign function that calls run(name, arguments, results), with arrays of NumPy on the
    host, else of OnDevice; `name`: the only attribute of the call, a text."""
    make = OnDevice if on_device else _on_host

    def handle(pointer):
        frame = pointer.contents
        if _tell_version(frame, version):
            return None
        try:
            text = frame.attributes.items[0].contents
            stream = _stream(frame) if on_device else None
            run(
                ctypes.string_at(text.data, text.size).decode(),
                _arrays(frame.arguments, make, stream),
                _arrays(frame.results, make, stream),
            )
        except BaseException as failure:  # pylint: disable=broad-except; XLA raises it again
            message = f"{type(failure).__name__}: {failure}".encode()
            arguments = _ErrorArguments(_size(_ErrorArguments), None, message, _INTERNAL)
            return frame.api.contents.create_error(ctypes.byref(arguments))
        return None

    return _HANDLER(handle)


_KEPT = []  # what XLA holds pointers to


def register(target, run, platforms):
    """Makes run(name, arguments, results) a foreign function `target` on platforms, of "cpu" and
    "CUDA", and returns whether this JAX has the interface."""
    if ffi is None:
        return False
    version = _version()
    if version is None or version[0] != _MAJOR:
        return False
    for platform in platforms:
        function = handler(run, platform != "cpu", version)
        _KEPT.append(function)
        ffi.register_ffi_target(target, ffi.pycapsule(function), platform=platform)
    return True

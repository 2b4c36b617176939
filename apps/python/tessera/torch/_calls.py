# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Tensors on their way into calls of the compiled library and back, without copies: on the host as
NumPy arrays, on a GPU by __cuda_array_interface__, behind what the current stream has been given
so far. When a call returns its results are there, for every stream."""

import numbers

import torch

from .. import _tessera


def common(*arguments, double=False):
    """(tensors of one shape, on one device, in float64, or in float32 where no tensor is of float64
    and `double` does not ask for it; the dtype of results), from numbers and tensors. Gradients
    flow through. Raises ArgumentTypeError for what is neither, and for complex numbers."""
    given = [argument for argument in arguments if isinstance(argument, torch.Tensor)]
    for argument in arguments:
        if not isinstance(argument, (torch.Tensor, numbers.Real)):
            raise _tessera.ArgumentTypeError(
                f"an argument is of type {type(argument).__name__}\n"
                "  remedy: give tensors of torch, or numbers"
            )
        if isinstance(argument, torch.Tensor) and argument.is_complex():
            raise _tessera.ArgumentTypeError("an argument is complex\n  remedy: give real tensors")
    floating = [tensor.dtype for tensor in given if tensor.is_floating_point()]
    dtype = floating[0] if floating else torch.get_default_dtype()
    for other in floating[1:]:
        dtype = torch.promote_types(dtype, other)
    computed = torch.float64 if double or dtype == torch.float64 else torch.float32
    places = [tensor.device for tensor in given if tensor.dim() > 0] or [t.device for t in given]
    device = places[0] if places else torch.device("cpu")
    moved = [
        (
            argument.to(device, computed)
            if isinstance(argument, torch.Tensor)
            else torch.tensor(float(argument), dtype=computed, device=device)
        )
        for argument in arguments
    ]
    return torch.broadcast_tensors(*moved), dtype


def constant(tensor):
    """The number that all elements of a tensor are by its strides; None where they may differ."""
    if tensor.numel() == 0 or any(
        step != 0 and extent > 1 for step, extent in zip(tensor.stride(), tensor.shape)
    ):
        return None
    return tensor[(0,) * tensor.dim()].item()


class _OnStream:
    """A tensor on a GPU as the calls see it: its memory, ready on the current stream."""

    def __init__(self, tensor):
        self.tensor = tensor  # holds the memory
        self.__cuda_array_interface__ = {
            "shape": tuple(tensor.shape),
            "typestr": "<f8" if tensor.dtype == torch.float64 else "<f4",
            "data": (tensor.data_ptr(), False),
            "strides": None,
            "version": 3,
            "stream": torch.cuda.current_stream(tensor.device).cuda_stream or 1,
        }


def seen(tensor):
    return _OnStream(tensor) if tensor.is_cuda else tensor.numpy()


def read(tensors):
    """What calls read of tensors of one shape. Where a tensor is one number in all elements it is
    that number, unless all of them are."""
    tensors = [tensor.detach() for tensor in tensors]
    values = [constant(tensor) for tensor in tensors]
    if all(value is not None for value in values):
        values[0] = None
    return [
        seen(tensor.contiguous()) if value is None else value
        for tensor, value in zip(tensors, values)
    ]


def call(function, tensors, results, double=False):
    """`results` new tensors like those given, which function(*numbers, out) fills; `double`: in
    float64. `out` is one array for one result, else a list."""
    like = tensors[0]
    if double:
        tensors = [tensor.to(torch.float64) for tensor in tensors]
    made = [
        torch.empty(like.shape, dtype=tensors[0].dtype, device=like.device) for _ in range(results)
    ]
    if like.numel() > 0:
        out = [seen(tensor) for tensor in made]
        function(*read(tensors), out[0] if results == 1 else out)
    return [tensor.to(like.dtype) for tensor in made]

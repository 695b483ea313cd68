# SPDX-License-Identifier: MIT
"""Models in, memory out: what other libraries have and want."""

import typing

from .errors import Status, UsageError
from .plans import Plan, plan


def onnx(model: typing.Any, dims: typing.Optional[
        typing.Mapping[str, int]] = None, **options: typing.Any) -> Plan:
    """Plans an ONNX model: a path, its bytes, or an onnx.ModelProto. Dimensions
    without a length get one by dims, as {"batch": 4}. Other arguments are those
    of plan()."""
    serialize = getattr(model, "SerializeToString", None)
    return plan(serialize() if serialize else model, dims=dims, **options)


def tflite(model: typing.Any, **options: typing.Any) -> Plan:
    """Plans a TFLite model, a path or its bytes, for TensorFlow Lite Micro:
    plan.write("tflite") is the model with the offsets in it, which TFLM's
    planner takes. Other arguments are those of plan()."""
    options.setdefault("target", "tflm")
    return plan(model, **options)


class Arena(typing.NamedTuple):
    """One array of bytes, and a view of it for each tensor by name."""

    base: typing.Any
    views: typing.Dict[str, typing.Any]


def numpy_arena(made: Plan, dtypes: typing.Optional[
        typing.Mapping[str, typing.Any]] = None) -> Arena:
    """Allocates the arena of a plan as one NumPy array. A view has the bytes of
    its tensor, or elements of the type that dtypes names. Views of tensors that
    are never alive together may share bytes: that is the point."""
    import numpy

    if len(made.memories) > 1:
        raise UsageError(Status.EUSAGE, f"{made.name}: the plan has "
                         f"{len(made.memories)} memories, not one arena")
    align = made.base_alignment
    room = numpy.zeros(made.arena_size + align, numpy.uint8)
    skip = -room.ctypes.data % align
    base = room[skip:skip + made.arena_size]
    sizes = {tensor.key: tensor.size for tensor in made.tensors
             if not tensor.external}
    views = {key: base[offset:offset + sizes[key]]
             for key, offset in made.offsets.items()}
    for key, dtype in (dtypes or {}).items():
        views[key] = views[key].view(dtype)
    return Arena(base, views)

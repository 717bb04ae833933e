"""Python values to the C library's tagged values, and back."""

from __future__ import annotations

import ctypes as c
import struct
from typing import Any, List, Sequence

from ._lib import BOOL, BYTES, FLOAT, INT, NONE, OTHER, STR, TARGET, TENSOR, TUPLE, DLTensor, Value, lib
from ._tvm_ffi import is_sequence
from .target import Target


def _text(kind: int, data: bytes, keep: List[Any]) -> Value:
    held = c.create_string_buffer(data, len(data) + 1)
    keep.append(held)
    return Value(kind, 0, c.addressof(held), len(data))


def _integer(value: int) -> Value:
    if not -(1 << 63) <= value < 1 << 63:
        raise OverflowError(f"{value} does not fit into 64 bits")
    return Value(INT, 0, value & (1 << 64) - 1, 0)


def encode(value: Any, keep: List[Any]) -> Value:
    """`keep` receives what must outlive the use of the result. What has no counterpart travels as the name of its
    type."""
    if isinstance(value, DLTensor):
        keep.append(value)
        return Value(TENSOR, 0, c.addressof(value), 0)
    if hasattr(value, "item") and hasattr(value, "dtype") and getattr(value, "shape", None) == ():
        value = value.item()  # a NumPy scalar
    if value is None:
        return Value(NONE, 0, 0, 0)
    if isinstance(value, bool):
        return Value(BOOL, 0, int(value), 0)
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return Value(FLOAT, 0, struct.unpack("=Q", struct.pack("=d", value))[0], 0)
    if isinstance(value, str):
        return _text(STR, value.encode("utf-8"), keep)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _text(BYTES, bytes(value), keep)
    if isinstance(value, (tuple, list)):
        return _tuple(value, keep)
    if is_sequence(value):
        return _tuple(list(value), keep)
    if isinstance(value, Target):
        keep.append(value)
        return Value(TARGET, 0, value.handle, 0)
    return _text(OTHER, type(value).__name__.encode("utf-8"), keep)


def _tuple(items: Sequence[Any], keep: List[Any]) -> Value:
    encoded = (Value * max(len(items), 1))(*[encode(item, keep) for item in items])
    keep.append(encoded)
    return Value(TUPLE, 0, c.addressof(encoded), len(items))


def encode_all(values: Sequence[Any], keep: List[Any]) -> "c.Array[Value]":
    return (Value * max(len(values), 1))(*[encode(value, keep) for value in values])


def decode(value: Value) -> Any:
    """A Python value that owns what it holds."""
    kind = value.kind
    if kind == NONE:
        return None
    if kind == BOOL:
        return value.a & 0xFFFFFFFF != 0
    if kind == INT:
        return value.a - (1 << 64) if value.a >> 63 else value.a
    if kind == FLOAT:
        return struct.unpack("=d", struct.pack("=Q", value.a))[0]
    if kind in (STR, BYTES):
        data = c.string_at(value.a, value.b) if value.b else b""
        return data.decode("utf-8") if kind == STR else data
    if kind == TUPLE:
        items = (Value * value.b).from_address(value.a) if value.b else ()
        return tuple(decode(item) for item in items)
    if kind == TARGET:
        return Target(lib.ingot_target_text(value.a).decode("utf-8"))
    raise TypeError("a value of this kind cannot be handed to Python")

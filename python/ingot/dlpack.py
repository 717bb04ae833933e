"""DLPack: arrays of other libraries on the CPU without a copy, and Ingot's memory for them."""

from __future__ import annotations

import ctypes as c
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._lib import DLTensor, Error, dtype_name, lib
from .error import check

if TYPE_CHECKING:  # numpy.typing takes its time, and only type checkers look at it
    import numpy.typing as npt

    Array = npt.NDArray[Any]
else:
    Array = np.ndarray

CPU, METAL = 1, 8
_IMMUTABLE = ("jax", "jaxlib")  # packages whose arrays may not be written to, though what they export does not say so
_HOST_DEVICES = (1, 3, 11, 13)  # what the CPU can read
_READ_ONLY = 1


class _Managed(c.Structure):
    _fields_ = [("tensor", DLTensor), ("context", c.c_void_p), ("deleter", c.c_void_p)]


class _Versioned(c.Structure):
    _fields_ = [
        ("major", c.c_uint32),
        ("minor", c.c_uint32),
        ("context", c.c_void_p),
        ("deleter", c.c_void_p),
        ("flags", c.c_uint64),
        ("tensor", DLTensor),
    ]


_Deleter = c.CFUNCTYPE(None, c.c_void_p)
_pointer, _is_valid, _rename = c.pythonapi.PyCapsule_GetPointer, c.pythonapi.PyCapsule_IsValid, c.pythonapi.PyCapsule_SetName
_pointer.restype, _pointer.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
_is_valid.restype, _is_valid.argtypes = c.c_int, [c.py_object, c.c_char_p]
_rename.restype, _rename.argtypes = c.c_int, [c.py_object, c.c_char_p]
_USED, _USED_VERSIONED = b"used_dltensor", b"used_dltensor_versioned"  # a capsule keeps the pointer to its name


class _Owner:
    """Holds another library's tensor until the last view of it is gone."""

    def __init__(self, managed: int, deleter: Optional[int]) -> None:
        self._managed, self._deleter = managed, deleter

    def __del__(self) -> None:
        if self._deleter:
            _Deleter(self._deleter)(self._managed)


def _capsule_of(exporter: Any) -> Any:
    try:
        return exporter.__dlpack__(max_version=(1, 1))
    except TypeError:  # before the versioned protocol
        return exporter.__dlpack__()


def as_numpy(exporter: Any) -> Array:
    """A NumPy view of an object with `__dlpack__` whose memory the CPU can read; read-only where its owner says so."""
    device = exporter.__dlpack_device__()[0]
    if device not in _HOST_DEVICES:
        raise ValueError(f"a tensor of DLPack device type {int(device)} is not in the CPU's memory; copy it there first")
    capsule, frozen = _capsule_of(exporter), type(exporter).__module__.partition(".")[0] in _IMMUTABLE
    if _is_valid(capsule, b"dltensor_versioned"):
        address = _pointer(capsule, b"dltensor_versioned")
        versioned = _Versioned.from_address(address)
        owner = _Owner(address, versioned.deleter)
        _rename(capsule, _USED_VERSIONED)
        if versioned.major != 1:
            raise ValueError(f"DLPack version {versioned.major} is not known")
        return _view(versioned.tensor, owner, frozen or bool(versioned.flags & _READ_ONLY))
    address = _pointer(capsule, b"dltensor")
    managed = _Managed.from_address(address)
    owner = _Owner(address, managed.deleter)
    _rename(capsule, _USED)
    return _view(managed.tensor, owner, frozen)


def bits_of(name: str, size: int) -> "np.dtype[Any]":
    """What stands for a type that NumPy lacks: ml_dtypes' where it is installed, else plain bits that know the type's name."""
    try:
        import ml_dtypes  # type: ignore[import-not-found, unused-ignore]

        found: "np.dtype[Any]" = np.dtype(getattr(ml_dtypes, name))
        return found
    except (ImportError, AttributeError):
        return np.dtype(f"uint{size}", metadata={"ingot": name})  # type: ignore[call-overload, unused-ignore]


def name_of(dtype: "np.dtype[Any]") -> str:
    """The name of an array's type, of those that `bits_of` made too."""
    return str(dtype.metadata["ingot"]) if dtype.metadata and "ingot" in dtype.metadata else dtype.name


def _dtype_of(t: DLTensor) -> "np.dtype[Any]":
    name = dtype_name(t.dtype)
    if t.dtype.lanes != 1:
        raise ValueError("a DLPack tensor with vector elements cannot be taken")
    try:
        return np.dtype(name)
    except TypeError:
        pass
    if t.dtype.bits not in (8, 16):
        raise ValueError(f"a DLPack tensor of {name} has no NumPy type")
    return bits_of(name, t.dtype.bits)


def _view(t: DLTensor, owner: _Owner, read_only: bool) -> Array:
    dtype = _dtype_of(t)
    shape = tuple(t.shape[i] for i in range(t.ndim))
    steps = [t.strides[i] for i in range(t.ndim)] if t.strides else None
    if steps is None:
        steps = [1] * t.ndim
        for i in range(t.ndim - 2, -1, -1):
            steps[i] = steps[i + 1] * shape[i + 1]
    if 0 in shape:
        return np.empty(shape, dtype)
    low = sum((n - 1) * s for n, s in zip(shape, steps) if s < 0)
    high = sum((n - 1) * s for n, s in zip(shape, steps) if s > 0)
    start = (t.data or 0) + t.byte_offset + low * dtype.itemsize
    memory = (c.c_char * ((high - low + 1) * dtype.itemsize)).from_address(start)
    memory.owner = owner  # the view's base keeps it
    view: Array = np.ndarray(shape, dtype, memory, -low * dtype.itemsize, tuple(s * dtype.itemsize for s in steps))
    view.flags.writeable = not read_only
    return view


# ---- Out -------------------------------------------------------------------------------------------

_new = c.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]
_PLAIN, _VERSIONED = b"dltensor", b"dltensor_versioned"
# Functions of their own, since a capsule that is going away must not be made an object of again.
_dying_is = c.PYFUNCTYPE(c.c_int, c.c_void_p, c.c_char_p)(("PyCapsule_IsValid", c.pythonapi))
_dying_pointer = c.PYFUNCTYPE(c.c_void_p, c.c_void_p, c.c_char_p)(("PyCapsule_GetPointer", c.pythonapi))


def _drop_unused(capsule: int) -> None:
    for name, kind in ((_PLAIN, _Managed), (_VERSIONED, _Versioned)):
        if _dying_is(capsule, name):
            address = _dying_pointer(capsule, name)
            _Deleter(kind.from_address(address).deleter)(address)


_destructor = c.PYFUNCTYPE(None, c.c_void_p)(_drop_unused)


def capsule_of_buffer(buffer: int, view: DLTensor, versioned: bool) -> Any:
    """A DLPack capsule over a buffer of the C library, which holds the buffer. `view` describes a compact tensor."""
    out, error = c.c_void_p(), Error()
    check(lib.ingot_buffer_export(buffer, c.byref(view), int(versioned), c.byref(out), c.byref(error)), error)
    return _new(out, _VERSIONED if versioned else _PLAIN, c.cast(_destructor, c.c_void_p))

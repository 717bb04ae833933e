"""Devices and tensors on them."""

from __future__ import annotations

import ctypes as c
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import dlpack
from ._lib import TENSOR, DataType, DLTensor, Error, Value, lib
from .dlpack import Array
from .error import check


class _Opened:
    """A device of the C library with its one stream; work on it goes in one order, from whichever thread."""

    def __init__(self, kind: str, index: int) -> None:
        out, error = c.c_void_p(), Error()
        if (kind, index) == ("metal", 0):  # that of the libraries that tvm_ffi loads
            check(lib.ingot_device_shared(c.byref(out), c.byref(error)), error)
        else:
            check(lib.ingot_device_open(kind.encode("ascii"), index, 0, None, c.byref(out), c.byref(error)), error)
        self.handle = out.value
        check(lib.ingot_stream_create(self.handle, c.byref(out), c.byref(error)), error)
        self.stream = out.value
        self.guard = threading.RLock()


_opened: Dict[Tuple[str, int], _Opened] = {}  # for the life of the process
_guard = threading.Lock()
_on_open: List[Callable[[_Opened], None]] = []  # at most one: who wants to know of devices that are opened


def opened_devices(on_open: Optional[Callable[[_Opened], None]]) -> List[_Opened]:
    """The devices that are open; from now on `on_open` is called for each further one."""
    with _guard:
        _on_open[:] = [on_open] if on_open is not None else []
        return list(_opened.values())


class Device:
    """`device("metal", 0)`: the best Metal device there is, which is the software one where the machine has no Apple
    GPU. `device("cpu")` stands for the host's memory."""

    def __init__(self, kind: str = "metal", index: int = 0) -> None:
        if kind not in ("metal", "emu", "cpu"):
            raise ValueError(f"no device kind {kind!r}: metal, emu or cpu")
        self.type, self.index = kind, int(index)
        self._found: Optional[_Opened] = None

    @property
    def device_type(self) -> int:
        """DLPack's number of the kind."""
        return dlpack.CPU if self.type == "cpu" else dlpack.METAL

    dlpack_device_type = device_type
    device_id = property(lambda self: self.index)

    @property
    def opened(self) -> _Opened:
        if self._found is not None:
            return self._found
        if self.type == "cpu":
            raise ValueError("the CPU is no device to run kernels on")
        with _guard:
            key = (self.type, self.index)
            if key not in _opened:
                _opened[key] = _Opened(*key)
                for hook in _on_open:
                    hook(_opened[key])
            self._found = _opened[key]
            return self._found

    @property
    def exist(self) -> bool:
        """Whether the device can be opened."""
        if self.type == "cpu":
            return True
        try:
            return self.opened is not None
        except Exception:
            return False

    @property
    def name(self) -> str:
        return "cpu" if self.type == "cpu" else lib.ingot_device_name(self.opened.handle).decode("utf-8")

    def sync(self, stream: Any = None) -> None:
        """Waits for all work; raises what went wrong in it."""
        if self.type == "cpu":
            return
        opened, error = self.opened, Error()
        with opened.guard:
            check(lib.ingot_stream_sync(opened.stream, c.byref(error)), error)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device({self.type!r}, {self.index})"


def device(kind: str, index: int = 0) -> Device:
    """A device by name; "metal:1" too."""
    name, _, number = kind.partition(":")
    return Device(name, int(number) if number else index)


def metal(index: int = 0) -> Device:
    """The Metal device."""
    return Device("metal", index)


def cpu(index: int = 0) -> Device:
    """The host's memory."""
    return Device("cpu", index)


class Buffer:
    """Memory of a device."""

    def __init__(self, on: Device, size: int) -> None:
        self.device, self.size = on, size
        out, error = c.c_void_p(), Error()
        check(lib.ingot_buffer_create(on.opened.handle, size, c.byref(out), c.byref(error)), error)
        self.handle: Optional[int] = int(out.value or 0)

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            lib.ingot_buffer_release(self.handle)
            self.handle = None

    def write(self, array: Array, at: int = 0) -> None:
        """Copies a C-contiguous array here, from byte `at` on."""
        opened, error = self.device.opened, Error()
        with opened.guard:
            check(lib.ingot_buffer_write(self.handle, at, array.ctypes.data, array.nbytes, opened.stream, c.byref(error)), error)

    def read(self, array: Array, at: int = 0) -> None:
        """Copies to a C-contiguous array, from byte `at` on."""
        opened, error = self.device.opened, Error()
        with opened.guard:
            check(lib.ingot_buffer_read(self.handle, at, array.ctypes.data, array.nbytes, opened.stream, c.byref(error)), error)


def parse_dtype(name: str) -> DataType:
    """DLPack's form of a type's name, "float32" or "bfloat16"."""
    out = DataType()
    if lib.ingot_dtype_parse(name.encode("utf-8"), c.byref(out)):
        raise ValueError(f"{name!r} is no type")
    return out


def _numpy_dtype(name: str) -> "np.dtype[Any]":
    """NumPy's type of that name; of types that NumPy lacks, ml_dtypes' where it is installed, else plain bits."""
    try:
        return np.dtype(name)
    except TypeError:
        t = parse_dtype(name)
        if t.lanes != 1 or t.bits % 8:
            raise ValueError(f"tensors of {name} are not supported") from None
        return dlpack.bits_of(name, t.bits)


def describe(data: int, shape: Sequence[int], dtype: DataType, on: Device, kind: int = dlpack.METAL) -> DLTensor:
    """A DLTensor, compact; its shape lives as long as it does."""
    extents = (c.c_int64 * max(len(shape), 1))(*shape)
    t = DLTensor(data, kind, on.index, len(shape), dtype, extents, None, 0)
    t.extents = extents
    return t


class Tensor:
    """An array in a device's memory, or in the host's (device "cpu")."""

    def __init__(self, shape: Sequence[int], dtype: str, on: Device, of: Optional["Tensor"] = None, byte_offset: int = 0) -> None:
        """A new one of zeros; with `of` a part of that one's memory, `byte_offset` from where it begins: see `view`."""
        self.shape: Tuple[int, ...] = tuple(int(n) for n in shape)
        if any(n < 0 for n in self.shape):
            raise ValueError(f"a shape has no negative extents: {self.shape}")
        self.dtype, self.device = dtype, on
        self._host_dtype = _numpy_dtype(dtype)
        self._foreign: Any = None  # tvm_ffi's view of it
        self.array: Optional[Array] = None
        if of is not None and of.array is not None:
            self.array = np.ndarray(self.shape, self._host_dtype, of.array.data, byte_offset)
        elif on.type == "cpu":
            self.array = np.zeros(self.shape, self._host_dtype)
        else:
            self.buffer: Buffer = of.buffer if of is not None else Buffer(on, self.nbytes)
            self.described = describe(int(self.buffer.handle or 0), self.shape, parse_dtype(dtype), on)
            self.described.byte_offset = byte_offset + (of.described.byte_offset if of is not None else 0)
            self.value = Value(TENSOR, 0, c.addressof(self.described), 0)  # as calls hand it over; `described` must outlive it

    def view(self, shape: Sequence[int], dtype: Optional[str] = None, byte_offset: int = 0) -> "Tensor":
        """A tensor over a part of this one's memory, which it holds. A function takes one that does not begin where its buffer
        does only for a parameter with a symbolic `elem_offset`."""
        made, unit = dtype or self.dtype, _numpy_dtype(dtype or self.dtype).itemsize
        end = byte_offset + int(np.prod(shape, dtype=np.int64)) * unit
        if byte_offset < 0 or end > self.nbytes:
            raise ValueError(f"a view of {made}{tuple(shape)} would occupy bytes {byte_offset} <= i_byte < {end}, and the Tensor being "
                             f"viewed only contains {self.nbytes} bytes")
        if byte_offset % unit:
            raise ValueError(f"{byte_offset} bytes are no whole number of elements of {made}")
        return Tensor(shape, made, self.device, self, byte_offset)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) if self.shape else 1

    @property
    def nbytes(self) -> int:
        return self.size * self._host_dtype.itemsize

    def numpy(self) -> Array:
        """A copy as a NumPy array, after all work before it."""
        if self.array is not None:
            return self.array.copy()
        out = np.empty(self.shape, self._host_dtype)
        self.buffer.read(out, self.described.byte_offset)
        return out

    asnumpy = numpy

    def copyfrom(self, source: Any) -> "Tensor":
        """Copies an array of the same shape and type here; returns this tensor."""
        array = as_host_array(source)
        if array.shape != self.shape or array.dtype != self._host_dtype:
            raise ValueError(f"cannot copy {array.dtype}{array.shape} to {self.dtype}{self.shape}")
        if self.array is not None:
            self.array[...] = array
        else:
            self.buffer.write(np.require(array, requirements="C"), self.described.byte_offset)
        return self

    def copyto(self, target: Union["Tensor", Device]) -> "Tensor":
        """Copies to a tensor, or to a new one on a device; returns it."""
        if isinstance(target, Device):
            target = Tensor(self.shape, self.dtype, target)
        return target.copyfrom(self.numpy())

    # ---- To other libraries, without a copy ----

    @property
    def _shown(self) -> bool:
        """Whether the CPU sees the memory and no Apple GPU does, so that the tensor is one of the CPU's to others."""
        handle = self.buffer.handle
        return bool(lib.ingot_buffer_contents(handle)) and lib.ingot_buffer_handle(handle) == handle

    def __dlpack_device__(self) -> Tuple[int, int]:
        """DLPack's device: the CPU for the host's memory and that of the software device, Metal for an Apple GPU's."""
        if self.array is not None or self._shown:
            return dlpack.CPU, 0
        return dlpack.METAL, self.device.index

    def __dlpack__(self, *, stream: Any = None, max_version: Optional[Tuple[int, int]] = None,
                   dl_device: Optional[Tuple[int, int]] = None, copy: Optional[bool] = None) -> Any:
        """A DLPack capsule over the same memory, after all work on the device so far. `torch.from_dlpack(tensor)` and
        `numpy.from_dlpack(tensor)` call this."""
        if stream is not None:
            raise BufferError("there are no streams to hand a tensor over on")
        own = self.__dlpack_device__()
        if dl_device is not None and tuple(dl_device) != own:
            raise BufferError(f"the tensor is on DLPack's device {own}, not {dl_device}")
        source = self.copyto(self.device) if copy else self
        if source.array is not None:
            return source.array.__dlpack__()
        self.device.sync()
        view = describe(0, self.shape, parse_dtype(self.dtype), self.device, own[0])
        view.device_id, view.byte_offset = own[1], source.described.byte_offset
        return dlpack.capsule_of_buffer(int(source.buffer.handle or 0), view, max_version is not None and max_version[0] >= 1)

    def __tvm_ffi_object__(self) -> Any:
        """The tensor as functions of `tvm_ffi` take it: on the device "metal", in Ingot's memory."""
        import tvm_ffi  # type: ignore[import-not-found, unused-ignore]

        if self.array is not None:
            return tvm_ffi.from_dlpack(self.array)
        self.device.sync()
        if self._foreign is None:
            self._foreign = tvm_ffi.from_dlpack(_OnMetal(self))
        return self._foreign

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def __getitem__(self, index: Any) -> Any:
        return self.numpy()[index]

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<ingot Tensor {self.dtype}{self.shape} on {self.device}>"


class _OnMetal:
    """A tensor as DLPack's device type Metal has it: by the handle of its memory."""

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor

    def __dlpack_device__(self) -> Tuple[int, int]:
        return dlpack.METAL, self._tensor.device.index

    def __dlpack__(self, *, stream: Any = None, max_version: Optional[Tuple[int, int]] = None, **others: Any) -> Any:
        t = self._tensor
        view = describe(0, t.shape, parse_dtype(t.dtype), t.device)
        view.byte_offset = t.described.byte_offset
        return dlpack.capsule_of_buffer(int(t.buffer.handle or 0), view, max_version is not None and max_version[0] >= 1)


def as_host_array(source: Any) -> Array:
    """An array in the host's memory: NumPy's own, a view by DLPack, or made of a list."""
    if isinstance(source, Tensor):
        return source.numpy() if source.array is None else source.array
    if isinstance(source, np.ndarray):
        return source
    if hasattr(source, "__dlpack__"):
        return dlpack.as_numpy(source)
    return np.asarray(source)


def empty(shape: Union[int, Sequence[int]], dtype: Any = "float32", device: Optional[Device] = None,
          mem_scope: Optional[str] = None) -> Tensor:
    """A new tensor, zeroed, on the Metal device unless another is given."""
    if mem_scope not in (None, "global"):
        raise ValueError(f"no memory scope {mem_scope!r} for tensors")
    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    return Tensor(extents, dtype if isinstance(dtype, str) else np.dtype(dtype).name, device or metal())


def tensor(source: Any, device: Optional[Device] = None) -> Tensor:
    """A copy of an array on the Metal device, or another that is given."""
    array = as_host_array(source)
    return Tensor(array.shape, dlpack.name_of(array.dtype), device or metal()).copyfrom(array)

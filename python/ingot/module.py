"""Compiled modules: calling, looking inside, saving."""

from __future__ import annotations

import ctypes as c
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np

from . import _shared
from ._lib import DLTensor, Error, KernelInfo, ParamInfo, Value, lib, take_text
from ._values import decode, encode
from .dlpack import Array
from .error import NotFound, check
from .runtime import Buffer, Device, Tensor, as_host_array, describe, metal, parse_dtype


@dataclass(frozen=True)
class Param:
    """A parameter of a function. `shape` holds each extent as text ("1024", "n + 1")."""

    kind: str  # "tensor", "scalar" or "pointer"
    name: str
    dtype: str
    shape: Tuple[str, ...]
    is_read: bool
    is_written: bool


@dataclass(frozen=True)
class Kernel:
    """A device kernel: its source (None where only a compiled payload is known) and its payload."""

    name: str
    source: Optional[str]
    payload: bytes
    launch_tags: Tuple[str, ...]


class Module:
    """What `ingot.compile` returns. Call it to run its main function (its only one, else "main"); `module["name"]` is a
    function by name."""

    kind = "ingot"

    def __init__(self, handle: int) -> None:
        self.handle: Optional[int] = handle
        self._programs: Dict[Any, int] = {}  # by the opened device
        self._guard = threading.Lock()

    def __del__(self) -> None:
        for program in getattr(self, "_programs", {}).values():
            lib.ingot_program_release(program)
        if getattr(self, "handle", None):
            lib.ingot_module_release(self.handle)
            self.handle = None

    # ---- Functions ----

    @property
    def function_names(self) -> List[str]:
        count = lib.ingot_module_function_count(self.handle)
        return [lib.ingot_module_function_name(self.handle, i).decode("utf-8") for i in range(count)]

    def __getitem__(self, name: str) -> "Function":
        return self.get_function(name)

    def get_function(self, name: str, query_imports: bool = False) -> "Function":
        """A function by name."""
        if name not in self.function_names:
            raise NotFound(f"the module has no function {name!r}; it has: {', '.join(self.function_names) or 'none'}")
        return Function(self, name)

    @property
    def main(self) -> "Function":
        names = self.function_names
        return self.get_function(names[0] if len(names) == 1 else "main")

    def __call__(self, *args: Any) -> Any:
        return self.main(*args)

    def program(self, on: Device) -> int:
        """The module loaded onto a device, once."""
        with self._guard:
            key = on.opened
            if key not in self._programs:
                out, error = c.c_void_p(), Error()
                check(lib.ingot_program_load(self.handle, key.handle, c.byref(out), c.byref(error)), error)
                self._programs[key] = int(out.value or 0)
            return self._programs[key]

    # ---- Looking inside ----

    @property
    def imports(self) -> List["DeviceModule"]:
        """The device modules: one."""
        return [DeviceModule(self)] if lib.ingot_module_kernel_count(self.handle) else []

    imported_modules = imports

    @property
    def mod(self) -> "Module":
        return self

    @property
    def format(self) -> str:
        """ "metal" (payloads are text) or "metallib" (compiled)."""
        return str(lib.ingot_module_format(self.handle).decode("ascii"))

    @property
    def is_fallback(self) -> bool:
        """Whether it can be saved and not run."""
        return bool(lib.ingot_module_is_fallback(self.handle))

    @property
    def kernels(self) -> List[Kernel]:
        found, info = [], KernelInfo()
        for i in range(lib.ingot_module_kernel_count(self.handle)):
            check(lib.ingot_module_kernel(self.handle, i, c.byref(info)), Error())
            source = c.string_at(info.source, info.source_size).decode("utf-8") if info.source else None
            payload = c.string_at(info.payload, info.payload_size) if info.payload else b""
            tags = tuple(info.launch_tags[k].decode("ascii") for k in range(info.launch_tag_count))
            found.append(Kernel(info.name.decode("utf-8"), source, payload, tags))
        return found

    def inspect_source(self, fmt: str = "") -> str:
        """All kernels' Metal source; "" for a format that is not "metal"."""
        if fmt not in ("", "metal"):
            return ""
        out, error = c.c_void_p(), Error()
        check(lib.ingot_module_source(self.handle, c.byref(out), c.byref(error)), error)
        return take_text(out).decode("utf-8")

    # ---- Saving ----

    def save(self, path: Union[str, Path]) -> None:
        """Writes the module in Ingot's own format."""
        error = Error()
        check(lib.ingot_module_save_file(self.handle, str(path).encode("utf-8"), c.byref(error)), error)

    def save_to_bytes(self) -> bytes:
        """The bytes that `save` writes."""
        out, error = c.c_void_p(), Error()
        check(lib.ingot_module_save(self.handle, c.byref(out), c.byref(error)), error)
        return take_text(out)

    def export_library(self, file_name: Union[str, Path], *, cc: Optional[str] = None, **options: Any) -> None:
        """Makes a shared library that carries the module, with the system's C compiler; `ingot.load_module` opens it.
        With another suffix than that of a shared library it does what `save` does."""
        if Path(file_name).suffix in _shared.SUFFIXES:
            _shared.write(Path(file_name), self.save_to_bytes(), cc)
        else:
            self.save(file_name)

    def __repr__(self) -> str:
        return f"<ingot Module: {', '.join(self.function_names)}; {self.format}>"


class DeviceModule:
    """The kernels of a module, of kind "metal"."""

    kind = "metal"

    def __init__(self, module: Module) -> None:
        self.module = module
        self.imports: List[Any] = []

    @property
    def format(self) -> str:
        return self.module.format

    @property
    def kernels(self) -> List[Kernel]:
        return self.module.kernels

    def inspect_source(self, fmt: str = "") -> str:
        """All kernels' Metal source; "" for a format that is not "metal"."""
        return self.module.inspect_source(fmt)

    get_source = inspect_source

    def save_to_bytes(self) -> bytes:
        """The device module as TVM lays it out."""
        out, error = c.c_void_p(), Error()
        check(lib.ingot_module_device_save(self.module.handle, c.byref(out), c.byref(error)), error)
        return take_text(out)


class Function:
    """A host function of a module, callable with tensors and scalars."""

    def __init__(self, module: Module, name: str) -> None:
        self.module, self.name = module, name
        self._symbol = name.encode("utf-8")
        self._params: Optional[List[Param]] = None

    @property
    def params(self) -> List[Param]:
        if self._params is None:
            self._params = self._read_params()
        return self._params

    def _read_params(self) -> List[Param]:
        kinds, found, info = ("tensor", "scalar", "pointer"), [], ParamInfo()
        symbol = self._symbol
        for i in range(lib.ingot_module_param_count(self.module.handle, symbol)):
            check(lib.ingot_module_param(self.module.handle, symbol, i, c.byref(info)), Error())
            dtype = c.create_string_buffer(64)
            lib.ingot_dtype_print(info.dtype, dtype)
            shape = tuple(info.shape[k].decode("utf-8") for k in range(info.ndim)) if info.kind == 0 else ()
            found.append(Param(kinds[info.kind], info.name.decode("utf-8"), dtype.value.decode("ascii"), shape,
                               bool(info.is_read), bool(info.is_written)))
        return found

    def __call__(self, *args: Any) -> Any:
        """Tensors on a device are used where they are, and the work may still run on return. Arrays in the host's memory
        (NumPy, or by DLPack) are copied to the device and, where the function writes them, back; then all is done."""
        on, params = _device_of(args), self.params
        staged: Optional[_Staging] = None
        keep: List[Any] = []
        values = (Value * max(len(args), 1))()
        for i, arg in enumerate(args):
            if isinstance(arg, Tensor) and arg.array is None:
                values[i] = arg.value
            elif isinstance(arg, (Tensor, np.ndarray)) or (hasattr(arg, "__dlpack__") and not isinstance(arg, np.generic)):
                staged = staged or _Staging(on)
                values[i] = encode(staged.put(arg, params[i] if i < len(params) else None), keep)
            else:
                values[i] = encode(arg, keep)
        if staged is not None:
            staged.refuse_overlaps()
        result, error, opened, program = Value(), Error(), on.opened, self.module.program(on)
        with opened.guard:
            status = lib.ingot_program_call(program, self._symbol, values, len(args), opened.stream, c.byref(result),
                                            c.byref(error))
            check(status, error)
            if staged is not None:
                staged.bring_back()
        return decode(result)

    def __repr__(self) -> str:
        return f"<ingot Function {self.name}({', '.join(p.name for p in self.params)})>"


def _device_of(args: Tuple[Any, ...]) -> Device:
    for arg in args:
        if isinstance(arg, Tensor) and arg.array is None:
            return arg.device
    return metal()


class _Staging:
    """Host arrays of one call, on their way to the device and back."""

    def __init__(self, on: Device) -> None:
        self._on = on
        self._entries: List[Tuple[Array, Array, Buffer, bool, str]] = []

    def put(self, arg: Any, param: Optional[Param]) -> DLTensor:
        """What the C library is given for a host array."""
        array = as_host_array(arg)
        written = param is not None and param.is_written
        name = param.name if param is not None else "?"
        if written and not array.flags.writeable:
            raise ValueError(f"argument {name}: the array is read-only, and the function writes it")
        return describe(self._buffer(array, written, name), array.shape, parse_dtype(array.dtype.name), self._on)

    def _buffer(self, array: Array, written: bool, name: str) -> int:
        for i, (other, compact, buffer, was_written, _) in enumerate(self._entries):
            if _same_memory(array, other):
                self._entries[i] = (other, compact, buffer, was_written or written, name)
                return int(buffer.handle or 0)
        if array.dtype.byteorder == ">":
            raise ValueError(f"argument {name}: the array is big-endian")
        compact = np.require(array, requirements=["C", "A"])
        buffer = Buffer(self._on, compact.nbytes)
        buffer.write(compact)
        self._entries.append((array, compact, buffer, written, name))
        return int(buffer.handle or 0)

    def refuse_overlaps(self) -> None:
        """Two arrays that share some of their memory would come back in an order that nobody asked for."""
        for i, (array, _, _, written, name) in enumerate(self._entries):
            for other, _, _, other_written, other_name in self._entries[:i]:
                if (written or other_written) and np.may_share_memory(array, other) and np.shares_memory(array, other):
                    raise ValueError(f"arguments {other_name} and {name} overlap, and one of them is written")

    def bring_back(self) -> None:
        """Waits, and copies to each array what the function wrote into it."""
        for array, compact, buffer, written, _ in self._entries:
            if not written:
                continue
            if compact is array or np.shares_memory(compact, array):
                buffer.read(compact)
            else:
                fresh = np.empty(array.shape, array.dtype)
                buffer.read(fresh)
                array[...] = fresh
        if self._entries:
            self._on.sync()


def _same_memory(a: Array, b: Array) -> bool:
    return a.ctypes.data == b.ctypes.data and a.nbytes == b.nbytes and a.strides == b.strides and a.shape == b.shape


def load_module(path: Union[str, Path]) -> Module:
    """Opens what `save` or `export_library` wrote."""
    if Path(path).suffix in _shared.SUFFIXES:
        return load_module_bytes(_shared.read(Path(path)))
    out, error = c.c_void_p(), Error()
    check(lib.ingot_module_load_file(str(path).encode("utf-8"), None, c.byref(out), c.byref(error)), error)
    return Module(int(out.value or 0))


def load_module_bytes(data: bytes) -> Module:
    """A module of the bytes that `save_to_bytes` gave."""
    out, error = c.c_void_p(), Error()
    check(lib.ingot_module_load(data, len(data), None, c.byref(out), c.byref(error)), error)
    return Module(int(out.value or 0))

"""Compiled modules: calling, looking inside, saving."""

from __future__ import annotations

import ctypes as c
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np

from . import _shared, dlpack
from ._lib import TENSOR, DLTensor, Error, KernelInfo, ParamInfo, Value, dtype_name, lib, take_text
from ._values import decode, encode
from .dlpack import Array
from .error import NotFound, check
from .runtime import Device, Tensor, as_host_array, describe, metal, parse_dtype


_EXPORTS = {"c": 0, "metal": 1, "sidecar": 2, "tvm-c": None}


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

    def export(self, what: str) -> str:
        """The module as others load it: "c" (the source of a library for `tvm_ffi.load_module`), "tvm-c" (the same as TVM exports,
        its kernels an import of kind "metal"), "metal" (all kernels in one text) or "sidecar" (JSON: kernels with their buffers
        and arguments, functions with their launches)."""
        if what not in _EXPORTS:
            raise ValueError(f"no export {what!r}: {', '.join(_EXPORTS)}")
        out, error = c.c_void_p(), Error()
        kind = _EXPORTS[what]
        check(lib.ingot_module_export_tvm(self.handle, c.byref(out), c.byref(error)) if kind is None
              else lib.ingot_module_export(self.handle, kind, c.byref(out), c.byref(error)), error)
        return take_text(out).decode("utf-8")

    def export_metallib(self) -> bytes:
        """All kernels as one metallib: compiled payloads joined; Metal text compiled, where Ingot's AIR component is
        installed."""
        out, error = c.c_void_p(), Error()
        check(lib.ingot_module_export_metallib(self.handle, c.byref(out), c.byref(error)), error)
        return take_text(out)

    def export_library(self, file_name: Union[str, Path], *, cc: Optional[str] = None, shape: str = "ingot",
                       **options: Any) -> None:
        """Makes a shared library of the module with the system's C compiler: `tvm_ffi.load_module` and `ingot.load_module`
        open it. With `shape="tvm"` it is as TVM exports, for TVM's runtime on a Mac to open and launch. With the suffix .c,
        .metal or .metallib (with their description beside them) or .json it writes those, and with any other it does what
        `save` does."""
        path, source = Path(file_name), {"ingot": "c", "tvm": "tvm-c"}.get(shape)
        if source is None:
            raise ValueError(f"no shape {shape!r} of a library: ingot or tvm")
        if path.suffix in _shared.SUFFIXES:
            _shared.write(path, self.export(source), cc)
        elif path.suffix == ".c":
            _shared.replace(path, self.export(source).encode("utf-8"))
        elif path.suffix == ".json":
            _shared.replace(path, self.export("sidecar").encode("utf-8"))
        elif path.suffix in (".metal", ".metallib"):
            whole = self.export_metallib() if path.suffix == ".metallib" else self.export("metal").encode("utf-8")
            _shared.replace(path, whole)
            _shared.replace(path.with_name(path.name + ".json"), self.export("sidecar").encode("utf-8"))
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
        self._frames: List[_Frame] = []  # that no call is using; list's append and pop are safe in threads

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
            shape = tuple(info.shape[k].decode("utf-8") for k in range(info.ndim)) if info.kind == 0 else ()
            found.append(Param(kinds[info.kind], info.name.decode("utf-8"), dtype_name(info.dtype), shape,
                               bool(info.is_read), bool(info.is_written)))
        return found

    def __call__(self, *args: Any) -> Any:
        """Tensors on a device are used where they are, and the work may still run on return. Arrays in the host's memory
        (NumPy, or by DLPack) are lent to the device for the call, or copied there and back where they are not compact; then
        all is done on return."""
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = _Frame()
        try:
            return self._call(frame, args)
        finally:
            self._frames.append(frame)

    def _call(self, frame: "_Frame", args: Tuple[Any, ...]) -> Any:
        if len(args) != frame.count:
            frame.reset(len(args), [p.is_written for p in self.params])
        on, hosted, staged = None, False, None
        keep: List[Any] = []
        for i, arg in enumerate(args):
            kind = type(arg)
            if kind is np.ndarray and frame.slots[i].take(arg):
                hosted = True
            elif kind is Tensor and arg.array is None:
                frame.slots[i].take_tensor(arg)
                on = on or arg.device
            elif isinstance(arg, (Tensor, np.ndarray)) or (hasattr(arg, "__dlpack__") and not isinstance(arg, np.generic)):
                staged, hosted = staged or _Staging(), True
                frame.values[i] = encode(staged.put(arg, self.params[i] if i < len(self.params) else None), keep)
                frame.slots[i].forget()
            else:
                frame.values[i] = encode(arg, keep)
                frame.slots[i].forget()
        if staged is not None:
            staged.refuse_overlaps(args)
        opened = (on or _METAL).opened
        program = self.module._programs.get(opened) or self.module.program(on or _METAL)
        run = lib.ingot_program_run if hosted else lib.ingot_program_call
        with opened.guard:
            status = run(program, self._symbol, frame.values, len(args), opened.stream, frame.result_at, frame.error_at)
        if status:
            check(status, frame.error)
        if staged is not None:
            staged.bring_back()
        return decode(frame.result) if frame.result.kind else None

    def __repr__(self) -> str:
        return f"<ingot Function {self.name}({', '.join(p.name for p in self.params)})>"


_METAL = metal()


class _Slot:
    """An argument's place in a frame: describes a NumPy array to the C library, and keeps the description for the next."""

    __slots__ = ("_frame", "_index", "_array", "_shape", "_dtype", "_written", "_tensor", "_value")

    def __init__(self, frame: "_Frame", index: int, written: bool) -> None:
        self._frame, self._index, self._written = frame, index, written
        self.forget()

    def forget(self) -> None:
        """The value in the frame is another's."""
        self._array: Any = None
        self._shape: Any = None
        self._dtype: Any = None

    def take(self, array: Array) -> bool:
        """Puts an array into the frame; false where it cannot be lent as it is."""
        flags = array.flags
        if not (flags.c_contiguous and flags.aligned) or (self._written and not flags.writeable):
            self.forget()
            return False
        if self._shape != array.shape or self._dtype is not array.dtype:
            if array.dtype.byteorder == ">":
                self.forget()
                return False
            self._shape, self._dtype, self._array = array.shape, array.dtype, None
            self._tensor = describe(0, array.shape, parse_dtype(dlpack.name_of(array.dtype)), _METAL, dlpack.CPU)
            self._value = Value(TENSOR, 0, c.addressof(self._tensor), 0)
            self._frame.values[self._index] = self._value
        if self._array is None or self._array() is not array:
            self._tensor.data = array.ctypes.data
            self._array = weakref.ref(array)
        return True

    def take_tensor(self, tensor: Tensor) -> None:
        """Puts a tensor on the device into the frame."""
        if self._array is None or self._array() is not tensor:
            self.forget()
            self._frame.values[self._index] = tensor.value
            self._array = weakref.ref(tensor)


class _Frame:
    """What a call hands to the C library; used by one call at a time, and again by the next."""

    __slots__ = ("count", "values", "slots", "result", "error", "result_at", "error_at")

    def __init__(self) -> None:
        self.count = -1
        self.result, self.error = Value(), Error()
        self.result_at, self.error_at = c.byref(self.result), c.byref(self.error)

    def reset(self, count: int, written: List[bool]) -> None:
        """Makes room for `count` arguments."""
        self.count = count
        self.values = (Value * max(count, 1))()
        self.slots = [_Slot(self, i, i < len(written) and written[i]) for i in range(count)]


class _Staging:
    """Host arrays of one call that cannot be lent as they are: compact copies, and the way back."""

    def __init__(self) -> None:
        self._entries: List[Tuple[Array, Array, bool, str]] = []

    def put(self, arg: Any, param: Optional[Param]) -> DLTensor:
        """What the C library is given for a host array."""
        array = as_host_array(arg)
        written = param is not None and param.is_written
        name = param.name if param is not None else "?"
        if written and not array.flags.writeable:
            raise ValueError(f"argument {name}: the array is read-only, and the function writes it")
        if array.dtype.byteorder == ">":
            raise ValueError(f"argument {name}: the array is big-endian")
        if written and _shares_elements(array):
            raise ValueError(f"argument {name}: elements of the array share memory, and the function writes them")
        compact = self._compact(array, written, name)
        return describe(compact.ctypes.data, array.shape, parse_dtype(dlpack.name_of(array.dtype)), _METAL, dlpack.CPU)

    def _compact(self, array: Array, written: bool, name: str) -> Array:
        for i, (other, compact, was_written, _) in enumerate(self._entries):
            if _same_memory(array, other):
                self._entries[i] = (other, compact, was_written or written, name)
                return compact
        compact = np.require(array, requirements=["C", "A"])
        self._entries.append((array, compact, written, name))
        return compact

    def refuse_overlaps(self, args: Tuple[Any, ...]) -> None:
        """Two arrays that share some of their memory would come back in an order that nobody asked for. Compact ones are
        compared by the C library."""
        arrays = [arg for arg in args if isinstance(arg, np.ndarray)]
        for i, (array, _, written, name) in enumerate(self._entries):
            for other, _, other_written, other_name in self._entries[:i]:
                if (written or other_written) and np.may_share_memory(array, other) and np.shares_memory(array, other):
                    raise ValueError(f"arguments {other_name} and {name} overlap, and one of them is written")
            for plain in arrays:
                if not any(_same_memory(plain, entry[0]) for entry in self._entries) and np.shares_memory(array, plain):
                    raise ValueError(f"argument {name} overlaps another, and is not laid out as that is")

    def bring_back(self) -> None:
        """Copies to each array what the function wrote into its compact copy."""
        for array, compact, written, _ in self._entries:
            if written and compact is not array and not np.shares_memory(compact, array):
                array[...] = compact


def _shares_elements(array: Array) -> bool:
    """Whether two elements may lie in the same memory, as those of a broadcast array do."""
    reach = array.itemsize
    for step, extent in sorted((abs(step), extent) for step, extent in zip(array.strides, array.shape) if extent > 1):
        if step < reach:
            return array.size != 0
        reach += step * (extent - 1)
    return False


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

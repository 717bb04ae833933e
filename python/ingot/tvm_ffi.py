"""Apache TVM's own names in the registry of `tvm_ffi`, on request: Ingot by itself registers only names under `ingot.`."""

from __future__ import annotations

import ctypes as c
import importlib.abc
import importlib.util
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence

from ._lib import Error, lib
from .dlpack import METAL
from .error import check
from .module import Module
from .runtime import Buffer, metal

LOADER = "ffi.Module.load_from_bytes.metal"

_SafeCall = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.c_int32, c.c_void_p)
_opened: Dict[bytes, Any] = {}  # tvm_ffi's modules by their bytes: what is registered for one stays for the life of the process
_functions: List[Any] = []  # that tvm_ffi may call
_registered: List[Any] = []  # the function under the loader's name, while it is Ingot's


def install(loader: bool = True) -> None:
    """Registers the loader for imports of kind "metal" where there is none, so that `tvm_ffi.load_module` opens libraries that
    TVM exported (or Ingot, with `shape="tvm"`), and runs their kernels on Ingot's device with `ingot.runtime` tensors. A `tvm`
    that is imported later may bring its own, which then counts."""
    if not loader:
        return
    _register()
    if "tvm" not in sys.modules and not any(isinstance(finder, _Watch) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watch())


def uninstall() -> None:
    """Takes back what `install` did. Modules that are open stay so."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Watch)]
    _withdraw()


# ---- What TVM's runtime gives to the libraries that it opens ------------------------------------------

_Take = c.CFUNCTYPE(c.c_void_p, c.c_int, c.c_int, c.c_uint64, c.c_int, c.c_int)
_Drop = c.CFUNCTYPE(c.c_int, c.c_int, c.c_int, c.c_void_p)
_taken: Dict[int, Buffer] = {}  # temporaries of host functions, by their handles
_PLAIN = ("TVMFFIFunctionCall", "TVMFFIErrorSetRaisedFromCStr", "TVMFFIEnvModLookupFromImports", "TVMFFIHandleInitOnce")
_TAKE, _DROP = "TVMBackendAllocWorkspace", "TVMBackendFreeWorkspace"
_runtime: Dict[str, Any] = {}  # by the names of TVM's own


def _theirs(name: str, kind: Any) -> Any:
    """A function of TVM's runtime, where the process has it."""
    function = getattr(c.CDLL(None), name, None)
    return kind(c.cast(function, c.c_void_p).value) if function is not None else None


def _take(kind: int, device: int, size: int, code: int, bits: int) -> Optional[int]:
    if kind != METAL:
        other = _theirs(_TAKE, _Take)
        return int(other(kind, device, size, code, bits) or 0) if other is not None else None
    try:
        buffer = Buffer(metal(device), size)
    except Exception:  # NULL says that there is no memory: nothing may unwind through C
        return None
    _taken[buffer.handle or 0] = buffer
    return buffer.handle


def _drop(kind: int, device: int, memory: int) -> int:
    if kind != METAL:
        other = _theirs(_DROP, _Drop)
        return int(other(kind, device, memory)) if other is not None else -1
    _taken.pop(memory, None)
    return 0


def _give_runtime() -> None:
    """Libraries that TVM compiled find what they call in variables of their own, which tvm_ffi fills in when it opens them, with
    what was registered last. TVM's own runtime has no temporaries for Metal where it was built without."""
    process = c.PyDLL(None)
    register = process.TVMFFIEnvModRegisterContextSymbol
    register.argtypes = [c.c_char_p, c.c_void_p]
    if not _runtime:
        _runtime.update({_TAKE: _Take(_take), _DROP: _Drop(_drop)})
        _runtime.update({name: getattr(process, name) for name in _PLAIN if hasattr(process, name)})
    for name, function in _runtime.items():
        if register(f"__{name}".encode("ascii"), c.cast(function, c.c_void_p)):
            raise RuntimeError(f"tvm_ffi takes no symbol {name}")


# ---- The loader --------------------------------------------------------------------------------------


def _register() -> None:
    import tvm_ffi  # type: ignore[import-not-found, unused-ignore]

    _give_runtime()
    if tvm_ffi.get_global_func(LOADER, allow_missing=True) is None:
        tvm_ffi.register_global_func(LOADER, open_kernels)
        _registered[:] = [tvm_ffi.get_global_func(LOADER)]


def _withdraw() -> None:
    import tvm_ffi

    found = tvm_ffi.get_global_func(LOADER, allow_missing=True)
    if _registered and found is not None and found.same_as(_registered[0]):
        tvm_ffi.registry.remove_global_func(LOADER)
    _registered.clear()


class _Watch(importlib.abc.MetaPathFinder):
    """Waits for `tvm`, whose libraries end the process where a name of theirs is taken: while it is imported, Ingot's is not
    there."""

    def find_spec(self, fullname: str, path: Optional[Sequence[str]] = None, target: Any = None) -> Any:
        if fullname != "tvm":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("tvm")
        if spec is None or spec.loader is None:
            sys.meta_path.insert(0, self)
            return spec
        execute = spec.loader.exec_module

        def around(module: Any) -> None:
            _withdraw()
            try:
                execute(module)
            finally:
                _register()

        spec.loader.exec_module = around  # type: ignore[method-assign]
        return spec


def open_kernels(data: bytes) -> Any:
    """tvm_ffi's module of a device module in TVM's bytes: its functions are the kernels, called with buffers as handles, scalars,
    and the values of their launch tags."""
    out, error = c.c_void_p(), Error()
    check(lib.ingot_module_device_load(data, len(data), None, c.byref(out), c.byref(error)), error)
    names = [kernel.name for kernel in Module(int(out.value or 0)).kernels]
    return _open(bytes(data), lib.ingot_exported_open_kernels, names)


def as_module(module: Module) -> Any:
    """tvm_ffi's module of a compiled one, without a library being made: functions that take what `export_library`'s do. Like all
    of tvm_ffi's modules in memory it stays for the life of the process; a library of `export_library` calls faster."""
    names = module.function_names
    return _open(module.save_to_bytes(), lib.ingot_exported_open, [*names, "main"] if len(names) == 1 and names != ["main"] else names)


def _open(data: bytes, opens: Callable[..., int], names: List[str]) -> Any:
    import tvm_ffi

    if data not in _opened:
        out, error = c.c_void_p(), Error()
        check(opens(data, len(data), c.byref(out), c.byref(error)), error)
        prefix = f"ingot_metal_{len(_opened)}_"
        for name in names:
            known = "" if name == "main" and opens is lib.ingot_exported_open else name  # what a module's only function answers to
            _define(prefix + name, _launcher(int(out.value or 0), known.encode("utf-8")))
        _define(prefix + "__tvm_set_device", lambda own, args, count, result: 0)  # there is one
        _opened[data] = tvm_ffi.system_lib(prefix)
    return _opened[data]


def _launcher(kernels: int, name: bytes) -> Any:
    return lambda own, args, count, result: lib.ingot_exported_call(kernels, name, args, count, result)


def _define(name: str, function: Any) -> None:
    """Makes a function a symbol of tvm_ffi's system library. The table has no lock, so the GIL is kept."""
    register = c.PyDLL(None).TVMFFIEnvModRegisterSystemLibSymbol
    register.argtypes = [c.c_char_p, c.c_void_p]
    called = _SafeCall(function)
    _functions.append(called)
    if register(b"__tvm_ffi_" + name.encode("utf-8"), c.cast(called, c.c_void_p)):
        raise RuntimeError(f"tvm_ffi takes no symbol {name}")

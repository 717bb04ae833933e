"""Ingot: tensor programs in TVMScript to Metal kernels, and a software Metal device to run them on.

    import ingot
    from ingot.script import ir as I, tirx as T

    @T.prim_func
    def add_one(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
        for bx in T.thread_binding(32, thread="blockIdx.x"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                B[bx * 32 + tx] = A[bx * 32 + tx] + T.float32(1)

    run = ingot.compile(add_one)
    run(a, b)                   # NumPy arrays, or anything with __dlpack__ in the host's memory
    print(run.inspect_source()) # the Metal text
"""

from . import check, error, msl, runtime, script, testing
from ._lib import lib as _library
from .compiler import IngotWarning, compile, emit
from .error import CompileError, IngotError, ScriptError
from .module import Function, Module, load_module, load_module_bytes
from .registry import get_global_func, list_global_func_names, register_global_func, remove_global_func
from .runtime import Device, Tensor, cpu, device, metal
from .script import IRModule, PrimFunc, ir_module
from .target import Target

__version__: str = _library.ingot_version().decode("ascii")

__all__ = [
    "CompileError",
    "Device",
    "Function",
    "IRModule",
    "IngotError",
    "IngotWarning",
    "Module",
    "PrimFunc",
    "ScriptError",
    "Target",
    "Tensor",
    "check",
    "compile",
    "cpu",
    "device",
    "emit",
    "error",
    "get_global_func",
    "ir_module",
    "list_global_func_names",
    "load_module",
    "load_module_bytes",
    "metal",
    "msl",
    "register_global_func",
    "remove_global_func",
    "runtime",
    "script",
    "testing",
]

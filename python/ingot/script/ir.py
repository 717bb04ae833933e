"""`I` of TVMScript: modules."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Callable, Dict, Optional, overload

from ._program import IRModule, PrimFunc
from ._term import namespace


@overload
def ir_module(cls: type, **options: Any) -> IRModule: ...


@overload
def ir_module(cls: None = None, **options: Any) -> Callable[[type], IRModule]: ...


def ir_module(cls: Optional[type] = None, **options: Any) -> Any:
    """Makes a module of a class whose functions are decorated with `T.prim_func`. The options are read from the source
    text."""
    if cls is None:
        return lambda decorated: _module_of(decorated)
    return _module_of(cls)


def _module_of(cls: type) -> IRModule:
    functions: Dict[str, PrimFunc] = {}
    for name, value in vars(cls).items():
        if isinstance(value, PrimFunc):
            functions[name] = value
        elif isinstance(value, FunctionType):
            raise TypeError(f"{cls.__name__}.{name} is not decorated with T.prim_func")
    module = IRModule(functions, name=cls.__name__)
    module.check()
    return module


def __getattr__(name: str) -> Any:
    return namespace("I", name)


# Seen by the compiler as an alias of its own `I`.
_SCRIPT_IMPORT = "from tvm.script import ir as {}"

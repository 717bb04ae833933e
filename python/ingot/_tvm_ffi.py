"""The meeting with an imported `tvm_ffi`, whose registry is then Ingot's too. Never imports it."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Callable, List, Optional

from .error import Failure, keep_raised_object
from .target import Target

_introduced: List[ModuleType] = []


def module() -> Optional[ModuleType]:
    """The real `tvm_ffi`, if this process has imported it; not the compatibility layer's."""
    found = sys.modules.get("tvm_ffi")
    if found is None or found.__name__ != "tvm_ffi" or not hasattr(found, "register_global_func"):
        return None
    if found not in _introduced:
        _introduced.append(found)
        # How the C library makes a target for a callback, and names a value that it cannot use.
        found.register_global_func("ingot.target", lambda text: Target(str(text)), override=True)
        found.register_global_func("ingot.type_name", lambda value: type(value).__name__, override=True)
    return found


def register(ffi: ModuleType, name: str, f: Callable[..., Any], override: bool) -> None:
    """Registers with `tvm_ffi`. The very exception that `f` raises is found again where Ingot made the call."""

    def call(*args: Any) -> Any:
        try:
            return f(*args)
        except BaseException as exception:
            keep_raised_object(exception)
            raise

    if not override and ffi.get_global_func(name, allow_missing=True) is not None:
        raise Failure(f"Global Function `{name}` is already registered")
    ffi.register_global_func(name, call, override=override)


def raised(text: str) -> Optional[BaseException]:
    """The exception behind an error that the C library reports of one of tvm_ffi's functions. Of which class it is, tvm_ffi
    decides: it keeps those that it knows and makes the others RuntimeError."""
    ffi = module()
    again = ffi.get_global_func("ingot.raise_error", allow_missing=True) if ffi is not None else None
    if again is None:
        return None
    try:
        again(text)
    except BaseException as exception:
        return exception
    return None


def is_sequence(value: Any) -> bool:
    """Whether a value is one of its arrays or lists."""
    return type(value).__module__.split(".")[0] == "tvm_ffi" and hasattr(value, "__len__") and hasattr(value, "__getitem__")

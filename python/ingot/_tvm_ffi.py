"""The registry of an imported `tvm_ffi`, read where Ingot's own has no such name. Never imports it."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Callable, Optional


def module() -> Optional[ModuleType]:
    """The real `tvm_ffi`, if this process has imported it; not the compatibility layer's."""
    found = sys.modules.get("tvm_ffi")
    return found if found is not None and found.__name__ == "tvm_ffi" else None


def find(name: str) -> Optional[Callable[..., Any]]:
    """A function that is registered there."""
    ffi = module()
    found: Optional[Callable[..., Any]] = ffi.get_global_func(name, allow_missing=True) if ffi is not None else None
    return found


def is_sequence(value: Any) -> bool:
    """Whether a value is one of its arrays or lists."""
    return type(value).__module__.split(".")[0] == "tvm_ffi" and hasattr(value, "__len__") and hasattr(value, "__getitem__")

"""`tvm` for files that were written for it: the general names, on Ingot."""

from __future__ import annotations

from typing import Any, Callable, Optional

import ingot
from ingot import Device, _tvm_ffi, cpu, device, list_global_func_names, metal, script

from . import contrib, driver, error, ir, nd, runtime, support, target, tir, tirx, transform
from .driver import build, compile
from .error import TVMError
from .ir import IRModule

__version__ = f"{ingot.__version__}+ingot"


def register_global_func(name: Any, f: Any = None, override: bool = False) -> Any:
    """Registers a function: with an imported real `tvm_ffi`, which Ingot reads, else with Ingot."""
    return (_tvm_ffi.module() or ingot).register_global_func(name, f, override)


def remove_global_func(name: str) -> None:
    """Removes a name from where `register_global_func` puts it."""
    (getattr(_tvm_ffi.module(), "registry", None) or ingot).remove_global_func(name)


register_func = register_global_func


def device_from_target(target: Any) -> Device:
    """The device that runs what is compiled for a target."""
    return device(driver.kind_of(target))


# What upstream registers under names of its own, as far as Ingot has it. Kept out of the registry that is shared.
_BUILTIN = {"target.build.metal": driver.build_device}


def get_global_func(name: str, allow_missing: bool = False) -> Optional[Callable[..., Any]]:
    """A registered function, or one of upstream's own."""
    if name in _BUILTIN:
        return _BUILTIN[name]
    return ingot.get_global_func(name, allow_missing)


__all__ = [
    "Device",
    "IRModule",
    "TVMError",
    "build",
    "compile",
    "contrib",
    "cpu",
    "device",
    "device_from_target",
    "driver",
    "error",
    "get_global_func",
    "ir",
    "list_global_func_names",
    "metal",
    "nd",
    "register_func",
    "register_global_func",
    "remove_global_func",
    "runtime",
    "script",
    "support",
    "target",
    "tir",
    "tirx",
    "transform",
]

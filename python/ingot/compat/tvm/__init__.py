"""`tvm` for files that were written for it: the general names, on Ingot."""

from __future__ import annotations

from typing import Any, Callable, Optional

import ingot
from ingot import Device, cpu, device, list_global_func_names, metal, register_global_func, remove_global_func, script

from . import contrib, driver, error, ir, nd, runtime, support, target, tir, tirx, transform
from .driver import build, compile
from .error import TVMError
from .ir import IRModule

__version__ = f"{ingot.__version__}+ingot"

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

"""`tvm.support.xcode`: what Apple's compilers do there, Ingot's own does here, where it is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional

from ingot import _tvm_ffi, msl
from ingot.compat import MissingTool
from ingot.error import Unsupported

_SYSTEMS = {"macosx": ("macos", "11.0"), "iphoneos": ("ios", "14.0"), "iphonesimulator": ("ios", "14.0")}


def compile_metal(code: str, path_target: Optional[str] = None, sdk: str = "macosx", min_os_version: Optional[str] = None) -> bytearray:
    """A metallib of a Metal 2.3 text, with fast mathematics. Where Ingot's AIR component, which makes it, is not installed, the
    tool counts as missing."""
    if sdk not in _SYSTEMS:
        raise RuntimeError(f"no SDK {sdk!r}: {', '.join(_SYSTEMS)}")
    system, least = _SYSTEMS[sdk]
    try:
        made = bytearray(msl.metallib(code, deployment=system + (min_os_version or least), version=230, precise=False))
    except Unsupported as reason:
        if "AIR component" not in str(reason):
            raise
        ffi = _tvm_ffi.module()
        if ffi is not None:
            ffi.register_error("MissingTool", MissingTool)  # else it would come out of a callback as a RuntimeError
        raise MissingTool(str(reason)) from None
    if path_target:
        Path(path_target).write_bytes(made)
    return made

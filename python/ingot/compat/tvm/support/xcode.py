"""`tvm.support.xcode`: Apple's compilers, which Ingot does not call."""

from __future__ import annotations

from typing import Any, NoReturn

from ingot import _tvm_ffi
from ingot.compat import MissingTool


def compile_metal(code: str, path_target: Any = None, sdk: str = "macosx", min_os_version: Any = None) -> NoReturn:
    """Refused: turning Metal text into a metallib takes Apple's compiler."""
    ffi = _tvm_ffi.module()
    if ffi is not None:
        ffi.register_error("MissingTool", MissingTool)  # else it would come out of a callback as a RuntimeError
    raise MissingTool("compile_metal needs Apple's Metal compiler (xcrun), which Ingot does not call; a callback may return "
                      '(source, "metal") instead')

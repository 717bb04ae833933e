"""`tvm.driver`: building."""

from __future__ import annotations

from typing import Any

import ingot

from .target import Target


def compile(mod: Any, target: Any = None, **options: Any) -> ingot.Module:
    """Compiles for `target`, else for the target around (`with Target(...)`), else for "metal"."""
    unknown = set(options) - {"relax_pipeline", "tir_pipeline", "tirx_pipeline", "pipeline", "params"}
    if unknown or any(value not in (None, "default") for value in options.values()):
        raise NotImplementedError(f"compile takes a module and a target here, not {', '.join(sorted(options))}")
    return ingot.compile(mod, target or Target.current() or "metal")


build = compile


def build_device(mod: Any, target: Any = "metal") -> Any:
    """The device module of kernels that are written out."""
    return compile(mod, target).imports[0]

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
    return ingot.compile(mod, _with_device_limit(Target(target or Target.current() or "metal")))


build = compile


def _with_device_limit(target: Target) -> Target:
    """Upstream's build leaves the size of a threadgroup to the device, which takes up to 1024 threads. What a reduction
    is lowered for (`max_num_threads`) stays."""
    if target.attrs.get("max_threads_per_block", 1024) >= 1024:
        return target
    return Target({"kind": target.kind.name, **target.attrs, "max_threads_per_block": 1024})


def kind_of(target: Any) -> str:
    """The kind of a target in any form: a text, a mapping or a Target; also of kinds that Ingot cannot compile for."""
    if isinstance(target, dict):
        return str(target["kind"])
    if hasattr(target, "kind"):
        return str(target.kind.name)
    return ingot.Target(target).kind.name if str(target).startswith("apple/") else str(target).split(" ")[0]


def build_device(mod: Any, target: Any = "metal") -> Any:
    """The device module of kernels that are written out."""
    return compile(mod, target).imports[0]

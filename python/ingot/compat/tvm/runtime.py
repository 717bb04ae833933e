"""`tvm.runtime`: tensors stand in the host's memory where no device is named."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

from ingot import Device, Module, Tensor, cpu, device, load_module, metal
from ingot import runtime as _runtime


def empty(shape: Union[int, Sequence[int]], dtype: Any = "float32", device: Optional[Device] = None,
          mem_scope: Optional[str] = None) -> Tensor:
    """A new tensor."""
    return _runtime.empty(shape, dtype, device or cpu(), mem_scope)


def tensor(arr: Any, device: Optional[Device] = None, mem_scope: Optional[str] = None) -> Tensor:
    """A copy of an array."""
    if mem_scope not in (None, "global"):
        raise ValueError(f"no memory scope {mem_scope!r} for tensors")
    return _runtime.tensor(arr, device or cpu())


Executable = Module

__all__ = ["Device", "Executable", "Module", "Tensor", "cpu", "device", "empty", "load_module", "metal", "tensor"]

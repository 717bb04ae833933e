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


def _create_view(of: Tensor, shape: Sequence[int], dtype: Optional[str] = None, relative_byte_offset: int = 0) -> Tensor:
    return of.view(shape, dtype, relative_byte_offset)


setattr(Tensor, "_create_view", _create_view)  # the name by which TVM's own files make views


Executable = Module

__all__ = ["Device", "Executable", "Module", "Tensor", "cpu", "device", "empty", "load_module", "metal", "tensor"]

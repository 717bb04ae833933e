"""`tvm.nd`: the older name of tensors."""

from .runtime import Tensor, cpu, device, empty, metal
from .runtime import tensor as array

NDArray = Tensor

__all__ = ["NDArray", "array", "cpu", "device", "empty", "metal"]

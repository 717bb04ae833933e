"""`tvm.ir`."""

from ingot import IRModule

__all__ = ["IRModule"]

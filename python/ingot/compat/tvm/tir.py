"""`tvm.tir`: the older name of `tvm.tirx`."""

from .tirx import IRModule, PrimFunc, build, const

__all__ = ["IRModule", "PrimFunc", "build", "const"]

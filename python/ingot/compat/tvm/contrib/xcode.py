"""`tvm.contrib.xcode`: the older place of `tvm.support.xcode`."""

from ..support.xcode import compile_metal

__all__ = ["compile_metal"]

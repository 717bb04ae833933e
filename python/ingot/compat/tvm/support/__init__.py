"""`tvm.support`."""

from . import xcode

__all__ = ["xcode"]

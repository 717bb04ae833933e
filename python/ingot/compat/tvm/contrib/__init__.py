"""`tvm.contrib`: where `xcode` used to stand."""

from ..support import xcode

__all__ = ["xcode"]

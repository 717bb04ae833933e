"""The software device in Metal's own terms, for `ingot.msl`."""

from __future__ import annotations

import ctypes as c
import threading
from typing import List

from ._lib import Error, lib
from .error import check


class _Metal:
    """The device and its queue, for the life of the process."""

    def __init__(self) -> None:
        out, error = c.c_void_p(), Error()
        check(lib.ingot_metal_device_create(0, None, c.byref(out), c.byref(error)), error)
        self.device = out.value
        check(lib.ingot_metal_queue_create(self.device, c.byref(out), c.byref(error)), error)
        self.queue = out.value


_opened: List[_Metal] = []
_guard = threading.Lock()


def opened() -> _Metal:
    """The one that the process has."""
    with _guard:
        if not _opened:
            _opened.append(_Metal())
        return _opened[0]

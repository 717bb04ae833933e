"""`tvm.target`."""

from __future__ import annotations

from typing import Any, List, Optional

import ingot

_around: List["Target"] = []


class Target(ingot.Target):
    """A target that can be entered: `with Target("metal"):`."""

    def __enter__(self) -> "Target":
        _around.append(self)
        return self

    def __exit__(self, *raised: Any) -> None:
        _around.pop()

    @staticmethod
    def current(allow_none: bool = True) -> Optional["Target"]:
        """The innermost target around."""
        if not _around and not allow_none:
            raise ValueError("there is no target around")
        return _around[-1] if _around else None

    @staticmethod
    def from_device(device: Any) -> "Target":
        """The target of a device."""
        named = ingot.device(device) if isinstance(device, str) else device
        if named.type == "cpu":
            raise ValueError("Ingot has no target for the CPU")
        return Target("metal")

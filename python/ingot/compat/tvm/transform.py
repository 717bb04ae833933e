"""`tvm.transform`."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class PassContext:
    """A context that asks for nothing that changes a program."""

    def __init__(self, opt_level: int = 2, config: Optional[Mapping[str, Any]] = None, **options: Any) -> None:
        if config or options:
            asked = ", ".join([*(config or {}), *options])
            raise NotImplementedError(f"Ingot's passes take no configuration; asked for: {asked}")
        self.opt_level = opt_level

    def __enter__(self) -> "PassContext":
        return self

    def __exit__(self, *raised: Any) -> None:
        return None

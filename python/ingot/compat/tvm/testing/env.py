"""`tvm.testing.env`: what there is to test with. Whatever is not Metal is not here."""

from __future__ import annotations

from typing import Callable

import ingot


def has_metal() -> bool:
    """Whether a Metal device can be opened; the software one counts."""
    return ingot.metal(0).exist


has_gpu = has_metal


def build_flag_enabled(flag: str) -> bool:
    """Of upstream's optional parts none is built."""
    return False


def __getattr__(name: str) -> Callable[..., bool]:
    if not name.startswith("has_"):
        raise AttributeError(f"Ingot's tvm.testing.env has no {name}")
    return lambda *args, **named: False

"""`tvm.tirx`."""

from __future__ import annotations

from typing import Any

from ingot import IRModule, PrimFunc
from ingot.script._term import Term

from .driver import build


def const(value: Any, dtype: str = "float32") -> Term:
    """A constant of a type, for a program."""
    return Term("T." + dtype)(value)


__all__ = ["IRModule", "PrimFunc", "build", "const"]

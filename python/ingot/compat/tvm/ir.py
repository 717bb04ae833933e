"""`tvm.ir`: modules, and whether two programs are the same."""

from __future__ import annotations

import re
from typing import Any

from ingot import IRModule, PrimFunc
from ingot.script._program import _Program


def _text(program: Any) -> str:
    """A program as it was read, in one spelling, without statements that do nothing; a function alone without its name, which is
    no part of it."""
    if not isinstance(program, _Program):
        raise TypeError(f"Ingot compares modules and functions, not {type(program).__name__}")
    text = re.sub(r"^ *(pass|T\.evaluate\(0\))\n", "", program.script(), flags=re.MULTILINE)
    return text if isinstance(program, IRModule) else re.sub(r"^( *)def \w+\(", r"\1def f(", text, flags=re.MULTILINE)


def _with_attr(function: PrimFunc, key: str, value: Any) -> PrimFunc:
    if key != "global_symbol":
        raise AttributeError(f"Ingot's functions take no attribute {key!r} from outside: T.func_attr is for that")
    return function  # whose name matters to no comparison


setattr(PrimFunc, "with_attr", _with_attr)


def structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> bool:
    """Whether two programs are the same, in the names of their variables too."""
    return _text(lhs) == _text(rhs)


def assert_structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> None:
    """Fails with both texts where they differ."""
    if not structural_equal(lhs, rhs, map_free_vars):
        raise ValueError(f"the programs differ:\n{lhs.script()}\n{rhs.script()}")


__all__ = ["IRModule", "assert_structural_equal", "structural_equal"]

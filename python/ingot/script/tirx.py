"""`T` of TVMScript: functions, and stand-ins for every other name, which only the compiler reads."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any, Optional

from ._capture import source_of
from ._program import Macro, PrimFunc
from ._term import Term, namespace

_SCRIPT_IMPORT = "from tvm.script import tirx as {}"


def prim_func(function: Optional[FunctionType] = None, **options: Any) -> Any:
    """Makes a function of a program of a Python function's text. The options are read from that text."""
    if function is not None:
        return _define(function, sys._getframe(1))
    return lambda decorated: _define(decorated, sys._getframe(1))


def _define(function: FunctionType, frame: Any) -> PrimFunc:
    made = PrimFunc(source_of(function, frame))
    in_class = "__qualname__" in frame.f_locals and "__module__" in frame.f_locals
    if not in_class:
        made.check()  # a class checks all its functions at once
    return made


def macro(function: Optional[FunctionType] = None, **options: Any) -> Any:
    """Makes a macro: its statements are put where a program calls it."""
    if function is not None:
        return Macro(source_of(function, sys._getframe(1)))
    return lambda decorated: Macro(source_of(decorated, sys._getframe(1)))


inline = macro


def __getattr__(name: str) -> Term:
    return namespace("T", name)

"""`T` of TVMScript: functions, and stand-ins for every other name, which only the compiler reads."""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional, overload

from ._capture import source_of
from ._program import Macro, PrimFunc
from ._term import namespace

_SCRIPT_IMPORT = "from tvm.script import tirx as {}"


@overload
def prim_func(function: Callable[..., Any], **options: Any) -> PrimFunc: ...


@overload
def prim_func(function: None = None, **options: Any) -> Callable[[Callable[..., Any]], PrimFunc]: ...


def prim_func(function: Optional[Callable[..., Any]] = None, **options: Any) -> Any:
    """Makes a function of a program of a Python function's text. The options are read from that text."""
    if function is not None:
        return _define(function, sys._getframe(1))
    return lambda decorated: _define(decorated, sys._getframe(1))


def _define(function: Callable[..., Any], frame: Any) -> PrimFunc:
    made = PrimFunc(source_of(function, frame))
    in_class = "__qualname__" in frame.f_locals and "__module__" in frame.f_locals
    if not in_class:
        made.check()  # a class checks all its functions at once
    return made


@overload
def macro(function: Callable[..., Any], **options: Any) -> Macro: ...


@overload
def macro(function: None = None, **options: Any) -> Callable[[Callable[..., Any]], Macro]: ...


def macro(function: Optional[Callable[..., Any]] = None, **options: Any) -> Any:
    """Makes a macro: its statements are put where a program calls it."""
    if function is not None:
        return Macro(source_of(function, sys._getframe(1)))
    return lambda decorated: Macro(source_of(decorated, sys._getframe(1)))


inline = macro


def __getattr__(name: str) -> Any:
    return namespace("T", name)

"""`T` of TVMScript in its older spelling (`T.block`, `T.alloc_buffer` in blocks, ...)."""

from __future__ import annotations

from typing import Any

from ._term import namespace
from .tirx import inline, macro, prim_func

_SCRIPT_IMPORT = "from tvm.script import tir as {}"

__all__ = ["inline", "macro", "prim_func"]


def __getattr__(name: str) -> Any:
    return namespace("T", name)

"""TVMScript in Python files: `from ingot.script import ir as I, tirx as T` (`tir as T` for the older spelling).

The decorators hand a function's source text to Ingot's own compiler, which reads the language; nothing of a body runs in
Python. See docs/language.md for what a body may hold.
"""

from . import ir, tir, tirx
from ._program import IRModule, PrimFunc, from_source
from .ir import ir_module

__all__ = ["IRModule", "PrimFunc", "from_source", "ir", "ir_module", "tir", "tirx"]

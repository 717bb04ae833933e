"""Compiling: programs to modules and texts."""

from __future__ import annotations

import ctypes as c
import warnings
from typing import Any, Callable, List, Optional, Type, Union

from . import _lib, registry
from ._lib import CompileOptions, Error, lib, take_text
from .error import SYNTAX, UNSUPPORTED, CompileError, Diagnostic, ScriptError, check
from .module import Module
from .script._program import ScriptText, Text, _Program
from .target import Target

Callback = Callable[[str, Target], Any]
Program = Union[_Program, str, type]  # a decorated class is still a class to type checkers
OnPass = Callable[[int, str, str], Any]

CALLBACK = "tvm_callback_metal_compile"

_EMITS = {"tir": 0, "lowered": 1, "metal": 2, "tvm-metal": 3}
_SEVERITIES = ("error", "warning", "note")


class IngotWarning(UserWarning):
    """A warning of the compiler, pointing into the program's file."""


class _Session:
    """The options of one call of the compiler, and what comes of it."""

    def __init__(self, program: Any, target: Any, on_pass: Optional[OnPass]) -> None:
        self.text: Text = _program_of(program).text()
        self.bytes = str(self.text).encode("utf-8")
        self.error = Error()
        self.diagnostics: List[Diagnostic] = []
        self._raised: Optional[BaseException] = None
        self._on_pass = on_pass
        self.options = CompileOptions()
        self.options.struct_size = c.sizeof(CompileOptions)
        self.options.target = str(target).encode("utf-8") if isinstance(target, (str, Target)) else _target_text(target)
        self.options.on_diagnostic = self._note_thunk = _lib.OnDiagnostic(self._note)
        if on_pass is not None:
            self.options.on_pass = self._pass_thunk = _lib.OnPass(self._pass)

    def _note(self, _user: Any, diagnostic: Any) -> None:
        d = diagnostic.contents
        place = self.text.place(d.line)
        message = d.message.decode("utf-8", "replace")
        message += self.text.hint(message)
        filename, lineno, cut, line = place if place else ("<captured values>", 0, 0, "")
        offset = d.column + cut if place else 0
        self.diagnostics.append(Diagnostic(_SEVERITIES[d.severity], filename, lineno, offset, d.length, message, line))

    def _pass(self, _user: Any, index: int, name: bytes, text: int, size: int) -> None:
        assert self._on_pass is not None
        if self._raised is not None:
            return
        try:
            self._on_pass(index, name.decode("utf-8"), c.string_at(text, size).decode("utf-8"))
        except BaseException as exception:  # raised again by `conclude`: nothing may unwind through C
            self._raised = exception

    def conclude(self, status: int, kind: Type[ScriptError] = CompileError) -> None:
        """Warns, and raises what went wrong."""
        failed = any(d.severity == "error" for d in self.diagnostics)
        for d in self.diagnostics:
            if d.severity == "warning":
                warnings.warn_explicit(d.message, IngotWarning, d.filename, d.lineno)
        if self._raised is not None and not status:
            raise self._raised
        if status in (SYNTAX, UNSUPPORTED) and failed:
            raise kind(self.diagnostics)
        check(status, self.error)


def _target_text(target: Any) -> bytes:
    return str(Target(target)).encode("utf-8")


def _program_of(program: Any) -> _Program:
    if isinstance(program, str):
        return ScriptText(program, "<script>")
    if isinstance(program, _Program):
        return program
    raise TypeError(f"expected a module, a function or a text, not {type(program).__name__}"
                    + (": it is not decorated" if isinstance(program, type) else ""))


def emit(program: Program, what: str, target: Any = "metal",
         passes: Optional[OnPass] = None) -> str:
    """The text of a stage: "tir" (as read), "lowered" (after all passes) or "metal" (the kernels' source). No callback
    is called."""
    if what not in _EMITS or what == "tvm-metal":
        raise ValueError(f"no stage {what!r}: tir, lowered or metal")
    session, out = _Session(program, target, passes), c.c_void_p()
    session.conclude(lib.ingot_compile_emit(session.bytes, len(session.bytes), _EMITS[what], c.byref(session.options),
                                            c.byref(out), c.byref(session.error)),
                     ScriptError if what == "tir" else CompileError)
    return take_text(out).decode("utf-8")


def compile(program: Program, target: Any = "metal", *,
            callback: Union[Callback, None, bool] = None, passes: Optional[OnPass] = None,
            fallback: bool = False) -> Module:
    """Compiles a module, a function or a TVMScript text.

    `callback(source, target)` replaces the registered `tvm_callback_metal_compile` for this compile; False asks for none.
    With an imported `tvm_ffi` there is one registry: what either registers is what the other finds.
    `passes(index, name, text)` is called with the program after each pass. `fallback` builds the codegen-only module,
    which can be saved and not run, as TVM_COMPILE_FORCE_FALLBACK=1 does.
    """
    session, out, key = _Session(program, target, passes), c.c_void_p(), 0
    session.options.force_fallback = int(fallback)
    registered = registry.get_global_func(CALLBACK, allow_missing=True) if callback is None else None
    if callback is False or (callback is None and registered is None):
        session.options.ignore_callback = 1
    elif registered is not None:  # looked up here, with the GIL held
        session.options.compile_kernel = registry.forward
        session.options.compile_kernel_user = registered.handle
    elif callable(callback):
        key = registry.hold(callback)
        session.options.compile_kernel = registry.trampoline
        session.options.compile_kernel_user = key
    try:
        status = lib.ingot_compile(session.bytes, len(session.bytes), c.byref(session.options), c.byref(out),
                                   c.byref(session.error))
    finally:
        if key:
            registry.let_go(key)
    session.conclude(status)
    return Module(int(out.value or 0))

"""Exceptions: one class a status of the C library, each also of the builtin class that a caller would catch."""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass
from typing import List, Optional, Tuple, Type

from ._lib import Error


@dataclass(frozen=True)
class Diagnostic:
    """One message about a program. Lines and columns count from 1; 0 is "no place"."""

    severity: str  # "error", "warning" or "note"
    filename: str
    lineno: int
    offset: int
    length: int
    message: str
    text: str  # the source line, as the user wrote it

    def __str__(self) -> str:
        if not self.lineno:
            return f"{self.severity}: {self.message}"
        place = f"{self.filename}:{self.lineno}:{self.offset}: {self.severity}: {self.message}"
        caret = " " * max(self.offset - 1, 0) + "^" + "~" * max(min(self.length, len(self.text)) - 1, 0)
        return f"{place}\n{self.lineno:5} | {self.text}\n      | {caret}"


class IngotError(Exception):
    """What every exception of Ingot's own is."""


class ScriptError(IngotError, SyntaxError):
    """A program is at fault. Has SyntaxError's fields, pointing into the file that the program stands in, and
    `diagnostics`: all that was found, in order."""

    def __init__(self, diagnostics: List[Diagnostic]) -> None:
        first = next(d for d in diagnostics if d.severity == "error")
        more = sum(d.severity == "error" for d in diagnostics) - 1
        message = first.message + (f" (and {more} more error{'s' if more > 1 else ''})" if more else "")
        place = (first.filename, first.lineno or None, first.offset or None, first.text + "\n")
        super().__init__(message, place)
        self.diagnostics = tuple(diagnostics)


class CompileError(ScriptError, RuntimeError):
    """The same, found by a compile: the program was read, and cannot be lowered or emitted."""


class ArgumentTypeError(IngotError, TypeError):
    """An argument of a launch, or a result, has the wrong type."""


class ArgumentValueError(IngotError, ValueError):
    """An argument of a launch has the wrong value, shape or device."""


class Unsupported(IngotError, NotImplementedError):
    """Understood, and refused by name."""


class NotFound(IngotError, LookupError):
    """No such name."""


class FormatError(IngotError, ValueError):
    """Bytes that are no module, metallib or array."""


class InputError(IngotError, OSError):
    """Reading or writing failed."""


class OutOfMemory(IngotError, MemoryError):
    """No memory."""


class Failure(IngotError, RuntimeError):
    """What has no closer class: a name taken, a limit passed, a module that cannot run."""


class KernelFault(Failure):
    """Found while a kernel ran: an access out of bounds, a hang."""


class CallbackError(Failure):
    """A registered function that is not Python's reported failure."""


OK, SYNTAX, UNSUPPORTED, TYPE, VALUE, CALLBACK, NOT_FOUND = 0, 3, 4, 5, 6, 7, 10
_CLASSES: Tuple[Optional[Type[IngotError]], ...] = (
    None,
    OutOfMemory,
    ArgumentValueError,
    Failure,
    Unsupported,
    ArgumentTypeError,
    ArgumentValueError,
    CallbackError,
    FormatError,
    Failure,
    NotFound,
    Failure,
    InputError,
    KernelFault,
    Failure,
    Failure,
)

# The exception that a Python function raised under a call of the C library, by thread.
_raised = threading.local()


def _described(exception: BaseException) -> bytes:
    return f"{type(exception).__name__}: {exception}".encode("utf-8", "replace").replace(b"\0", b"?")


def keep_raised_object(exception: BaseException) -> None:
    """Notes an exception that is on its way through C, so that it can be raised again as the same object."""
    _raised.last = exception


def keep_raised(exception: BaseException, error: "ctypes._Pointer[Error]") -> int:
    """Notes an exception that cannot cross the C library, and describes it to it. Returns the status."""
    keep_raised_object(exception)
    error.contents.message = _described(exception)[:1011].decode("utf-8", "ignore").encode("utf-8")
    return CALLBACK


def _is_of(kept: BaseException, message: bytes) -> bool:
    """Whether the message of a failure speaks of that exception. A long one is cut, with or without dots; tvm-ffi calls a
    class that it does not know RuntimeError."""
    said, whole = message.partition(b": ")[2], _described(kept).partition(b": ")[2]
    return whole == said or (len(message) > 900 and whole.startswith(said[:-4]))


def check(status: int, error: Error) -> None:
    """Raises what a status says; the very exception object, where a Python function under the call raised one."""
    kept, _raised.last = getattr(_raised, "last", None), None
    if status == OK:
        return
    if status == CALLBACK:
        if kept is not None and _is_of(kept, error.message):
            raise kept
        from ._tvm_ffi import raised

        foreign = raised(error.message.decode("utf-8", "replace"))
        if foreign is not None:
            raise foreign
    kind = _CLASSES[status] if 0 < status < len(_CLASSES) else Failure
    raise (kind or Failure)(error.message.decode("utf-8", "replace"))

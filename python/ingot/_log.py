"""Messages that kernels log, for `ingot.msl`."""

from __future__ import annotations

import ctypes as c
import sys
from typing import Any, Callable, NamedTuple, Optional, Tuple

from ._lib import MetalLogOptions, OnLog, OnLogFull

LEVELS = ("debug", "info", "notice", "error", "fault")


class LogMessage(NamedTuple):
    """What a thread of a kernel logged (os_log); its text has no line end of its own."""

    level: str
    text: str
    subsystem: str
    category: str
    kernel: str
    file: str
    line: int
    column: int
    thread: Tuple[int, int, int]  # position in the threadgroup ...
    threadgroup: Tuple[int, int, int]  # ... which has this one in the grid

    def __str__(self) -> str:
        who = f"[{self.subsystem}:{self.category}] " if self.subsystem else ""
        return (f"{self.file}:{self.line}:{self.column}: {self.level}: thread {self.thread} of threadgroup {self.threadgroup}: "
                f"{who}{self.text}")


Log = Callable[[LogMessage], None]


def print_message(message: LogMessage) -> None:
    """Where messages go that nobody asked for."""
    print(message, file=sys.stderr)


class Logging:
    """One launch's: what `options` point at lives as long as this does."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.failed: Optional[BaseException] = None  # raised by who launched: nothing may unwind through C
        self._message, self._full = OnLog(self._take), OnLogFull(self._note_full)
        self.options = MetalLogOptions(c.sizeof(MetalLogOptions), 0, 0, self._message, self._full, None)

    def _take(self, _user: Any, message: Any) -> None:
        if self.failed is not None:
            return
        m = message.contents
        try:
            texts = [part.decode("utf-8", "replace") for part in (m.text, m.subsystem, m.category, m.kernel, m.file)]
            self._log(LogMessage(LEVELS[m.level], texts[0].rstrip("\n"), *texts[1:], m.line, m.column, tuple(m.thread),  # type: ignore[arg-type]
                                 tuple(m.threadgroup)))  # type: ignore[arg-type]
        except BaseException as exception:
            self.failed = exception

    def _note_full(self, _user: Any) -> None:
        print("ingot: the log is full: further messages of this dispatch were dropped", file=sys.stderr)

"""Checks of what kernels do on the software device: `with ingot.check.checking() as report: ...`."""

from __future__ import annotations

import contextlib
import ctypes as c
import threading
from dataclasses import dataclass
from typing import Any, Iterator, List, Optional, Union

from . import runtime
from ._lib import CheckerOptions, Error, FindingInfo, lib, take_text
from .error import IngotError, check


@dataclass(frozen=True)
class Options:
    """What the checks are to do, as the options of `ingot check` say it."""

    checks: str = "all"  # or "bounds,race", "all,-numerics"
    limits: Optional[str] = None  # the target whose limits kernels are held to; None: the software device's own
    order: int = 0  # seed of the order in which simdgroups and threadgroups run; 0: that of the grid
    max_findings: int = 0  # that are kept; 0: 64


Checks = Union[str, bool, None, Options]  # True is "all"


@dataclass(frozen=True)
class Finding:
    """Something that a check found. Lines and columns count from 1; 0 is "no place"."""

    check: str  # "race"
    rule: str  # "race-in-threadgroup"
    kernel: str
    message: str
    fix: str
    filename: str
    line: int
    column: int
    times: int
    report: str  # as text, with the source lines under carets

    def __str__(self) -> str:
        return self.report


class CheckError(IngotError, AssertionError):
    """Checks found something; `findings` has it all."""

    def __init__(self, findings: List[Finding]) -> None:
        super().__init__("\n".join(finding.report.rstrip("\n") for finding in findings))
        self.findings = tuple(findings)


def parse(checks: Checks) -> Optional[Options]:
    """The options that are meant; None where nothing is to be checked."""
    if isinstance(checks, Options):
        return checks
    return Options("all" if checks is True else checks) if checks else None


def mask_of(options: Optional[Options]) -> int:
    """The C library's mask of checks; 0 for none."""
    if options is None:
        return 0
    out, error = c.c_uint(), Error()
    check(lib.ingot_check_parse(options.checks.encode("utf-8"), c.byref(out), c.byref(error)), error)
    return out.value


class Checker:
    """A checker of the C library, for one stream or command buffer at a time."""

    def __init__(self, mask: int, options: Options) -> None:
        row, out, error = CheckerOptions(), c.c_void_p(), Error()
        row.struct_size, row.checks = c.sizeof(CheckerOptions), mask
        row.max_findings, row.seed = options.max_findings, options.order
        row.target = options.limits.encode("utf-8") if options.limits is not None else None
        check(lib.ingot_checker_create(c.byref(row), None, c.byref(out), c.byref(error)), error)
        self.handle = out.value

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            lib.ingot_checker_release(self.handle)
            self.handle = None

    def take(self) -> List[Finding]:
        """What was found since the last time."""
        found, info, error = [], FindingInfo(), Error()
        for i in range(lib.ingot_checker_count(self.handle)):
            check(lib.ingot_checker_finding(self.handle, i, c.byref(info)), Error())
            text = c.c_void_p()
            check(lib.ingot_finding_format(c.byref(info), 0, c.byref(text), c.byref(error)), error)
            found.append(_finding(info, take_text(text).decode("utf-8", "replace")))
        lib.ingot_checker_clear(self.handle)
        return found


def _finding(info: Any, report: str) -> Finding:
    def text(word: Optional[bytes]) -> str:
        return word.decode("utf-8", "replace") if word else ""

    return Finding(text(lib.ingot_check_name(info.check)), text(info.rule), text(info.kernel), text(info.message), text(info.fix),
                   text(info.first.file), info.first.line, info.first.column, info.times, report)


class Report:
    """What the launches within `checking` did wrong."""

    def __init__(self, options: Optional[Options]) -> None:
        self.options, self.mask = options or Options(), mask_of(options)
        self._streams: List[Any] = []  # pairs of an opened device and its checker
        self._others: List[Finding] = []
        self._guard = threading.Lock()

    def watch(self, opened: Any) -> None:
        """Checks the launches of a device's stream from now on."""
        checker, error = Checker(self.mask, self.options), Error()
        with opened.guard:
            check(lib.ingot_stream_check(opened.stream, checker.handle, c.byref(error)), error)
        with self._guard:
            self._streams.append((opened, checker))

    def add(self, findings: List[Finding]) -> None:
        """Findings of a launch that has its own checker."""
        with self._guard:
            self._others.extend(findings)

    def end(self) -> None:
        """Waits for the launches, and checks no more."""
        for opened, checker in self._streams:
            with opened.guard:
                try:
                    lib.ingot_stream_sync(opened.stream, None)
                finally:
                    lib.ingot_stream_check(opened.stream, None, None)
                self._others.extend(checker.take())
        self._streams = []

    @property
    def findings(self) -> List[Finding]:
        """All of them, once `checking` has ended."""
        return list(self._others)

    def raise_any(self) -> None:
        """Raises CheckError where there are findings."""
        if self._others:
            raise CheckError(self._others)


_active: List[Report] = []


def active() -> Optional[Report]:
    """The innermost report around."""
    return _active[-1] if _active else None


@contextlib.contextmanager
def checking(checks: Checks = "all") -> Iterator[Report]:
    """Runs every launch within under the checks: of modules and of `ingot.msl`, on all threads. Look at `report.findings` or
    call `report.raise_any()` after it. `checks` are names as for `ingot check --checks`, or `Options`."""
    report = Report(parse(checks))
    if report.mask and not _active:
        for opened in runtime.opened_devices(report.watch):
            report.watch(opened)
    _active.append(report)
    try:
        yield report
    finally:
        _active.remove(report)
        if not _active:
            runtime.opened_devices(None)
        report.end()

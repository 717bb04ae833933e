"""Profiles of launches of `ingot.msl`: what each line of a text costs."""

from __future__ import annotations

import ctypes as c
from dataclasses import dataclass
from typing import List, Optional, Tuple

from ._lib import Error, Handle, ProfileRowInfo, lib
from .error import check


@dataclass(frozen=True)
class ProfileRow:
    """What a line cost, or (`column` not 0) one memory access on it; sums over the simdgroups of all launches."""

    file: str
    line: int
    column: int
    instructions: int  # of simdgroups
    threads: int  # that were active in them: 32 times as many where none was idle
    accesses: int  # of memory
    device_bytes: int  # that threads asked for
    threadgroup_bytes: int
    lines: int  # of 128 bytes of device memory that were touched
    least_lines: int  # that could have held those bytes
    conflicts: int  # turns of threadgroup memory's banks beyond the fewest
    branches: int
    divergent: int  # of these, those on which a simdgroup's threads parted
    barriers: int
    memory: str  # of an access: the name of the buffer or variable
    is_threadgroup: bool
    is_write: bool
    bytes: int  # that each thread touched, in the simdgroup that was worst off
    offsets: Tuple[Optional[int], ...]  # of each of its threads, from the memory's start; None: was not active


class Profile:
    """Counts what the launches cost that it is given to, `lib.add(..., profile=p)`. The model is that of `ingot msl run
    --profile`: it counts what was done, not time."""

    def __init__(self) -> None:
        out, error = c.c_void_p(), Error()
        check(lib.ingot_profile_create(None, c.byref(out), c.byref(error)), error)
        self.handle = Handle("ingot_profile_release", out.value)

    @property
    def rows(self) -> List[ProfileRow]:
        """In the order of the text; a line comes before its accesses."""
        found, info = [], ProfileRowInfo()
        for i in range(lib.ingot_profile_count(self.handle.value)):
            check(lib.ingot_profile_row_at(self.handle.value, i, c.byref(info)), Error())
            found.append(_row(info))
        return found

    @property
    def lines(self) -> List[ProfileRow]:
        """The rows of whole lines."""
        return [row for row in self.rows if not row.column]

    @property
    def accesses(self) -> List[ProfileRow]:
        """The rows of single accesses of memory."""
        return [row for row in self.rows if row.column]

    def __str__(self) -> str:
        head = f"{'instructions':>12} {'active':>6} {'accesses':>9} {'bytes':>11} {'lines':>8} {'conflicts':>9} {'divergent':>9}  line"
        return "\n".join([head, *(_print(row) for row in self.lines)])


def _print(row: ProfileRow) -> str:
    active = f"{100 * row.threads / (32 * row.instructions):5.1f}%" if row.instructions else ""
    lines = f"{row.lines / max(row.least_lines, 1):7.2f}x" if row.lines else ""
    return (f"{row.instructions:12} {active:>6} {row.accesses:9} {row.device_bytes + row.threadgroup_bytes:11} {lines:>8} "
            f"{row.conflicts:9} {row.divergent:9}  {row.file}:{row.line}")


def _row(info: ProfileRowInfo) -> ProfileRow:
    offsets = tuple(info.offset[i] if info.active >> i & 1 else None for i in range(32)) if info.column else ()
    return ProfileRow((info.file or b"").decode("utf-8", "replace"), info.line, info.column, info.instructions, info.threads,
                      info.accesses, info.device_bytes, info.threadgroup_bytes, info.lines, info.least_lines, info.conflicts,
                      info.branches, info.divergent, info.barriers, (info.memory or b"").decode("utf-8", "replace"),
                      bool(info.is_threadgroup), bool(info.is_write), info.bytes, offsets)

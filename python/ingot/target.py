"""Targets: what to compile for."""

from __future__ import annotations

import ctypes as c
import json
from typing import Any, Dict, Mapping, Union

from ._lib import Error, lib
from .error import check


class TargetKind:
    """The kind of a target; `name` is "metal"."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


class Target:
    """A target: "metal", a tag ("apple/m1-gpu"), or a mapping {"kind": "metal", "max_num_threads": 256, ...}. Unknown
    kinds, tags and attributes are refused. Immutable."""

    def __init__(self, target: Union[str, Mapping[str, Any], "Target"] = "metal", host: Any = None) -> None:
        del host  # the host part is Ingot's own whatever is asked
        if isinstance(target, Target):
            text = str(target)
        elif isinstance(target, str):
            text = target
        else:
            text = json.dumps(dict(target))
        out, error = c.c_void_p(), Error()
        check(lib.ingot_target_parse(text.encode("utf-8"), c.byref(out), c.byref(error)), error)
        self.handle = out.value
        self._text: str = lib.ingot_target_text(self.handle).decode("utf-8")
        self.attrs: Dict[str, Any] = json.loads(self._text)
        self.kind = TargetKind(self.attrs.pop("kind"))

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            lib.ingot_target_release(self.handle)
            self.handle = None

    def __getitem__(self, name: str) -> Any:
        return self.attrs[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self.attrs.get(name, default)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Target) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(self._text)

    def __str__(self) -> str:
        """The canonical JSON, all attributes spelled out."""
        return self._text

    def __repr__(self) -> str:
        return f"Target({self._text!r})"

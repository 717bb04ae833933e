"""The compatibility layer: lets files written for Apache TVM run on Ingot as they are.

    python -m ingot.compat -m pytest FILE      runs a module with `tvm` meaning Ingot
    python -m ingot.compat FILE ARGUMENTS      runs a script so
    pytest -p ingot.compat.plugin FILE         the same as a pytest plugin

`install()` does it within a process. Only general names are there (see docs/python.md); what is missing is missing by name.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Any, Dict, Optional, Sequence


class MissingTool(RuntimeError):
    """A program that this machine lacks is needed, Apple's Metal compiler say. The pytest plugin reports it as a skip."""


class _Alias(importlib.abc.Loader):
    """Hands out a module of Ingot's under another name."""

    def __init__(self, real: str) -> None:
        self._real = real
        self._spec: Optional[importlib.machinery.ModuleSpec] = None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = importlib.import_module(self._real)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # the import system has put the alias's here


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, names: Dict[str, str]) -> None:
        self._names = names

    def _real(self, name: str) -> Optional[str]:
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            real = self._names.get(".".join(parts[:length]))
            if real is not None:
                return ".".join([real, *parts[length:]])
        return None

    def find_spec(self, fullname: str, path: Optional[Sequence[str]] = None, target: Any = None) -> Any:
        real = self._real(fullname)
        if real is None:
            return None
        try:
            found = importlib.util.find_spec(real)
        except ModuleNotFoundError:
            found = None
        if found is None:
            raise ModuleNotFoundError(f"Ingot's compatibility layer has no module {fullname}", name=fullname)
        return importlib.machinery.ModuleSpec(fullname, _Alias(real), is_package=found.submodule_search_locations is not None)


_NAMES = {"tvm": "ingot.compat.tvm", "tvm.script": "ingot.script"}


def install() -> None:
    """Makes `tvm`, and `tvm_ffi` where there is none, mean Ingot's modules, for the life of the process. Refused where the
    real `tvm` is imported already."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    if "tvm" in sys.modules:
        raise RuntimeError("another tvm is imported already: install Ingot's compatibility layer before it")
    names = dict(_NAMES)
    if importlib.util.find_spec("tvm_ffi") is None:
        names["tvm_ffi"] = "ingot.compat.tvm_ffi"
    sys.meta_path.insert(0, _Finder(names))

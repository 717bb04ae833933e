"""`tvm.testing`: what tests for GPUs use. Of all targets, Metal is here."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import pytest

import ingot
from ingot.testing import assert_allclose

from ..driver import kind_of
from . import env


def main() -> None:
    """Runs the tests of the file that calls it."""
    file = sys._getframe(1).f_globals["__file__"]
    sys.exit(pytest.main([file, *sys.argv[1:]]))


def run_with_gpu_lock(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Calls it: the software device needs no lock."""
    return function(*args, **named)


def device_enabled(target: Any) -> bool:
    """Whether tests may run on a target's device: for Metal, unless TVM_TEST_TARGETS names only others."""
    wanted = [name.strip() for name in os.environ.get("TVM_TEST_TARGETS", "").split(";") if name.strip()]
    return kind_of(target) == "metal" and (not wanted or any(kind_of(name) == "metal" for name in wanted))


def enabled_targets() -> List[Tuple[str, ingot.Device]]:
    """Pairs of target and device."""
    return [("metal", ingot.metal(0))] if device_enabled("metal") else []


# ---- Requirements ----


def _requirement(name: str, met: bool) -> Callable[..., Any]:
    """A decorator that skips a test, also with options in brackets; without either, the list of marks."""
    marks = [pytest.mark.gpu] if met else [pytest.mark.skip(reason=f"Ingot has no {name}")]

    def decorate(function: Optional[Callable[..., Any]] = None, **options: Any) -> Any:
        if function is None:
            return decorate if options else marks
        for mark in marks:
            function = mark(function)
        return function

    return decorate


requires_gpu = _requirement("GPU", True)
requires_metal = _requirement("Metal", True)


def __getattr__(name: str) -> Any:
    if name.startswith("requires_"):
        return _requirement(name[len("requires_") :], False)
    raise AttributeError(f"Ingot's tvm.testing has no {name}")


# ---- Parameters ----


class _Group:
    """Rows of values that fixtures take together."""

    def __init__(self, rows: Sequence[Sequence[Any]], ids: Optional[Sequence[str]]) -> None:
        self.rows, self.ids = list(rows), ids


def parameter(*values: Any, ids: Optional[Sequence[str]] = None, by_dict: Optional[Dict[str, Any]] = None) -> Any:
    """A fixture that takes each value; assign it to the name that tests ask for."""
    if by_dict is not None:
        ids, values = list(by_dict), tuple(by_dict.values())

    @pytest.fixture(params=values, ids=ids)
    def as_fixture(request: Any) -> Any:
        return request.param

    return as_fixture


def parameters(*rows: Sequence[Any], ids: Optional[Sequence[str]] = None) -> List[Any]:
    """Fixtures that take the values of each row together."""
    group = _Group(rows, ids)
    return [_member(group, index) for index in range(len(rows[0]))]


def _member(group: _Group, index: int) -> Any:
    def as_fixture(request: Any) -> Any:
        return request.param

    as_fixture._ingot_group, as_fixture._ingot_index = group, index  # type: ignore[attr-defined]
    return pytest.fixture(as_fixture)


def fixture(function: Any = None, *, cache_return_value: bool = False) -> Any:
    """pytest's fixture, by either spelling."""
    return pytest.fixture(function) if function is not None else pytest.fixture


def parametrize_targets(*targets: Any) -> Any:
    """Runs a test with `target` and `dev` for each target that is here."""
    if len(targets) == 1 and callable(targets[0]) and not isinstance(targets[0], (str, ingot.Target)):
        return parametrize_targets("metal")(targets[0])
    here = [target for target in targets if str(target).startswith("metal")]
    return pytest.mark.parametrize(("target", "dev"), [(target, ingot.metal(0)) for target in here])


__all__ = [
    "assert_allclose",
    "device_enabled",
    "enabled_targets",
    "env",
    "fixture",
    "main",
    "parameter",
    "parameters",
    "parametrize_targets",
    "requires_gpu",
    "requires_metal",
    "run_with_gpu_lock",
]

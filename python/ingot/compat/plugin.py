"""The pytest plugin: installs the compatibility layer, knows the marks of TVM's tests, and skips what needs a tool that this
machine lacks."""

from __future__ import annotations

from typing import Any, Dict, Iterator

import pytest

from . import MissingTool, install

install()


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "gpu: needs a GPU; Ingot's software Metal device counts as one")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
    outcome = yield
    if call.excinfo is not None and call.excinfo.errisinstance(MissingTool):
        report = outcome.get_result()  # type: ignore[attr-defined]
        path, line, _ = item.location
        report.outcome, report.longrepr = "skipped", (path, (line or 0) + 1, f"Skipped: {call.excinfo.value}")


def pytest_generate_tests(metafunc: Any) -> None:
    """Fixtures made together by `tvm.testing.parameters` take their values together."""
    groups: Dict[int, Any] = {}
    for name in metafunc.fixturenames:
        for definition in metafunc._arg2fixturedefs.get(name, ()):
            group = getattr(definition.func, "_ingot_group", None)
            if group is not None:
                groups.setdefault(id(group), (group, {}))[1][name] = definition.func._ingot_index
    for group, members in groups.values():
        names = list(members)
        rows = [tuple(row[members[name]] for name in names) for row in group.rows]
        metafunc.parametrize(names, rows, indirect=True, ids=group.ids)

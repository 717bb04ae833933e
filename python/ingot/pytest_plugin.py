"""The pytest plugin of the checks: every launch of a test runs under them, and what they find fails it.

    @pytest.mark.metal_check              all checks
    @pytest.mark.metal_check("race")      some
    pytest --metal-check                  all checks for all tests
    pytest --metal-checks=race,bounds     some
    pytest --metal-check --metal-limits=apple/m1-gpu --metal-order=7
                                          with the limits of a GPU, in an order of threadgroups and simdgroups made from a seed

Installed with the package; from a clone `-p ingot.pytest_plugin`.
"""

from __future__ import annotations

from typing import Any, Iterator, Optional

import pytest

from .check import CheckError, Options, checking


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("ingot")
    group.addoption("--metal-check", action="store_true", help="run all launches of Metal kernels under Ingot's checks")
    group.addoption("--metal-checks", metavar="CHECKS", help='the same under some checks: "race,bounds", "all,-numerics"')
    group.addoption("--metal-limits", metavar="TARGET", help="whose limits checked kernels are held to: apple/m1-gpu")
    group.addoption("--metal-order", metavar="N", type=int, default=0, help="the seed of the order in which checked threadgroups run")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "metal_check(checks='all'): run the test's launches of Metal kernels under Ingot's checks")


def _checks(item: Any) -> Optional[Options]:
    option = item.config.getoption
    marker = item.get_closest_marker("metal_check")
    if marker is not None:
        wanted = marker.args[0] if marker.args else marker.kwargs.get("checks", "all")
    else:
        wanted = option("--metal-checks") or ("all" if option("--metal-check") else None)
    if isinstance(wanted, Options) or not wanted:
        return wanted or None
    return Options(str(wanted), option("--metal-limits"), option("--metal-order"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Iterator[None]:
    checks = _checks(item)
    item.ingot_findings = []
    if not checks:
        yield
        return
    with checking(checks) as report:
        yield
    item.ingot_findings = report.findings


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
    outcome: Any = yield
    report = outcome.get_result()
    findings = getattr(item, "ingot_findings", [])
    if call.when == "call" and report.passed and findings:
        report.outcome, report.longrepr = "failed", str(CheckError(findings))

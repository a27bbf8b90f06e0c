"""Processor time of the tests, children included: what each took, and which took too much.

Other programs do not count, so the figures are alike on a busy machine. A fixture that many tests share is counted for
itself and not for the test that needs it first.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import pytest

LONG = 2.0
"""Seconds over which a test or a fixture is listed at the end."""
LIMIT = "PBEM_TEST_LIMIT"
"""The variable with the seconds over which a test fails the run, unless it is marked `slow`, `real` or `soak`."""
EXCUSED = {"slow", "real", "soak"}
TOOK, FIXTURE, WHY = "processor", "fixture", "excused"
"""Properties of a report, which pytest-xdist carries to the process that prints."""


def used() -> float:
    """Return the processor time of this process and of its children that have ended."""
    return sum(os.times()[:4])


class Meter:
    """Measure each test in the process that runs it; list the long ones in the process that prints."""

    def __init__(self) -> None:
        self.begun = 0.0
        self.shared: list[tuple[str, float]] = []
        self.took: list[tuple[float, str, bool]] = []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Generator[None, Any, Any]:
        self.begun, self.shared = used(), []
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        begun, within = used(), sum(took for _, took in self.shared)
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                inner = sum(took for _, took in self.shared) - within
                self.shared.append((f"fixture {fixturedef.argname}", used() - begun - inner))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.when == "teardown":
            took = used() - self.begun - sum(took for _, took in self.shared)
            report.user_properties.append((TOOK, round(took, 2)))
            report.user_properties.extend((FIXTURE, each) for each in self.shared)
            report.user_properties.append((WHY, not EXCUSED.isdisjoint(mark.name for mark in item.iter_markers())))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        said = dict(report.user_properties)
        if TOOK in said:
            self.took.append((float(str(said[TOOK])), report.nodeid, bool(said[WHY])))
            for key, value in report.user_properties:
                if key == FIXTURE and isinstance(value, (tuple, list)):
                    self.took.append((float(value[1]), str(value[0]), bool(said[WHY])))

    def too_long(self) -> list[tuple[float, str]]:
        """Return what took longer than the limit of this run, if it has one."""
        most = float(os.environ.get(LIMIT) or "inf")
        return [(took, name) for took, name, excused in self.took if took > most and not excused]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.too_long() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.took:
            return
        total = sum(took for took, _, _ in self.took)
        terminalreporter.section(f"processor time: {total:.0f} s for {len(self.took)} tests and shared fixtures")
        for took, name, excused in sorted(self.took, reverse=True):
            if took > LONG and not excused:
                terminalreporter.line(f"{took:7.1f} s  {name}")
        for took, name in self.too_long():
            terminalreporter.line(f"FAILED {name}: {took:.1f} s: mark it `slow`, and leave a sample of it", red=True)

"""What every test can count on: profiles, a browser, runs of simulations, no quiet skips in CI."""

import datetime as dt
import gc
import os
import shutil
from collections.abc import Generator, Iterator
from typing import Any

import calibration as calibrating
import pytest
from hypothesis import HealthCheck, settings

# A test run says the same thing twice in a row; `make soak` looks for what nobody thought of.
settings.register_profile(
    "deterministic",
    derandomize=True,
    deadline=None,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "soak",
    deadline=None,
    max_examples=5_000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("deterministic")

# Programs that made reference values; they need packages that tests do not.
collect_ignore_glob = ["data/**/*.py"]

# Headless, as root in a container, and without the calls home that a closed network refuses.
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Thousands of tests stay to the end; whoever collects garbage need not look at them.

    Nor as often as usual: that took a tenth of the time of all tests.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


def pytest_unconfigure(config: pytest.Config) -> None:
    gc.unfreeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, Any]:
    """Turn a skip into a failure where CI=true says that everything should be there."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        report.outcome = "failed"
        report.longrepr = f"Skipped, which CI=true does not allow: {call.excinfo}"
    return report


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's Chromium, driven by Playwright; one for all pages, as it is slow to start.

    Where it is there, the one without a window: a window takes three times as long as the page.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("needs Chromium (on Debian: apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_OPTIONS)
        yield chromium
        chromium.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--calibrate", action="store_true", help="all runs of simulations; writes the page of them"
    )
    parser.addoption(
        "--missing", action="store_true", help="with --calibrate: only what its page lacks"
    )


@pytest.fixture
def calibration(request: pytest.FixtureRequest) -> Iterator[calibrating.Calibration]:
    """How many runs a simulation makes, and what becomes of its shares."""
    title = calibrating.title_of(request.node.nodeid)
    made = calibrating.Calibration(title, full=request.config.getoption("--calibrate"))
    yield made
    request.node.user_properties.append(("calibration", [list(row) for row in made.rows]))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the slow tests, those that count something, or those whose shares are on no page yet."""
    if not config.getoption("--calibrate"):
        return
    items[:] = [item for item in items if "calibration" in getattr(item, "fixturenames", ())]
    if config.getoption("--missing"):
        there = {row.test for row in calibrating.read_rows(calibrating.PAGE.read_text("utf-8"))}
        items[:] = [item for item in items if calibrating.title_of(item.nodeid) not in there]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Write what all runs gave; in the process that hears of all tests."""
    if not config.getoption("--calibrate"):
        return
    passed = {report.nodeid for report in terminalreporter.getreports("passed")}
    measured = {
        calibrating.title_of(report.nodeid): [calibrating.Row(*row) for row in rows]
        for report in terminalreporter.getreports("")
        if report.nodeid in passed
        for name, rows in report.user_properties
        if name == "calibration"
    }
    day = dt.datetime.now(dt.UTC).date().isoformat()
    calibrating.update(calibrating.PAGE, measured, day)

"""A real browser for the tests of pages: headless Chromium, watched for whatever a page must not do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserType, Page, sync_playwright

# Where a page is looked at: a desktop's and a telephone's width, light and dark.
Scheme = Literal["light", "dark"]
Look = tuple[int, Scheme]
LOOKS: tuple[Look, ...] = ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark"))


def chromium() -> str:
    """The path of Chromium. Skips the test if it is not installed; fails it in CI, where it has to be."""
    path = shutil.which("chromium")
    if path is None and os.environ.get("CI"):
        pytest.fail("Chromium is missing: apt-get install chromium")
    if path is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    return path


def start(browser_type: BrowserType, *arguments: str) -> Browser:
    """A browser of its own, with these further arguments."""
    return browser_type.launch(executable_path=chromium(), args=["--no-sandbox", *arguments])


def launched() -> Iterator[Browser]:
    """A browser; for a fixture of one file: `yield from launched()`."""
    chromium()
    with sync_playwright() as playwright:
        browser = start(playwright.chromium)
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page that is open. `faults` are console errors, uncaught exceptions and requests, in order."""

    page: Page
    file: Path
    faults: list[str] = field(default_factory=list)

    def follow(self, fragment: str) -> None:
        """Enter another address of the same file."""
        self.page.goto(self.file.as_uri() + fragment)

    @property
    def fragment(self) -> str:
        """The address from # on, empty if there is none."""
        return "".join(self.page.url.partition("#")[1:])

    def check(self, where: str = "") -> None:
        """Assert that nothing went wrong and nothing scrolls sideways."""
        assert self.faults == [], where
        width, window = self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert width <= window, f"{where}: {width} pixels wide in a window of {window}"

    def objections(self) -> list[str]:
        """What axe-core finds serious or critical: each rule, with the first element that breaks it."""
        violations: list[dict[str, Any]] = Axe().run(self.page).response["violations"]
        return [
            f"{v['id']}: {v['nodes'][0]['html']}"
            for v in violations
            if v["impact"] in ("serious", "critical")
        ]


@contextmanager
def visiting(
    browser: Browser,
    file: Path,
    fragment: str = "",
    *,
    width: int = 1280,
    scheme: Scheme = "light",
) -> Iterator[Visit]:
    """The file opened from the disk in a window of its own."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    visit = Visit(page, file.resolve())
    own = visit.file.as_uri()

    def note_request(url: str) -> None:
        if url.partition("#")[0] != own and not url.startswith("data:"):
            visit.faults.append(f"request of {url}")

    page.on("request", lambda request: note_request(request.url))
    page.on(
        "console", lambda message: message.type in ("error", "warning") and visit.faults.append(message.text)
    )
    page.on("pageerror", lambda error: visit.faults.append(str(error)))
    page.goto(own + fragment)
    yield visit
    context.close()

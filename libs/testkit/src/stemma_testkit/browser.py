"""A real Chromium, which `make setup` installs; a test that asks for it fails where it is not there."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright, expect

HERE = Path(sys.prefix) / "browser"
UNPACKED = HERE / "unpacked"
AXE = HERE / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
_PATIENCE_MS = 30_000
"""In which a page comes to what is expected of it: as long as all else is waited for, since the machine may be busy."""
_ARGUMENTS = ["--headless=shell", "--no-sandbox", "--no-zygote", "--disable-gpu"]


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A running Chromium, without a window."""
    expect.set_options(timeout=_PATIENCE_MS)
    around = {"LD_LIBRARY_PATH": str(UNPACKED / "al2023" / "lib"), "FONTCONFIG_FILE": str(HERE / "fonts.conf")}
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(
            executable_path=UNPACKED / "chromium", args=_ARGUMENTS, env={**os.environ, **around}
        )
        try:
            yield launched
        finally:
            await launched.close()


@asynccontextmanager
async def opened(browser: Browser, **options: Any) -> AsyncIterator[Page]:
    """A page of a person of its own: with cookies of its own; what the policy of the page forbids fails the block."""
    context = await browser.new_context(**options)
    page, reports = await context.new_page(), []
    page.on("console", lambda said: reports.append(said.text) if "Content Security Policy" in said.text else None)
    try:
        yield page
    finally:
        await context.close()
    assert reports == [], "\n".join(reports)


async def violations(page: Page) -> list[tuple[str, str]]:
    """What axe finds on a page by the rules of WCAG 2.2 AA: each rule, and the place."""
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    # It would describe all that is in order as well, which is most of what it does.
    options = {"runOnly": RULES, "resultTypes": ["violations"]}
    found = await page.evaluate("options => axe.run(document, options)", options)
    return [(each["id"], node["html"]) for each in found["violations"] for node in each["nodes"]]

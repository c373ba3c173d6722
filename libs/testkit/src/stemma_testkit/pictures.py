"""Pictures of the review desk, with the samples of ``make demo DESK=1`` in the middle of their review."""

import asyncio
import sys
import tempfile
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page
from stemma_cli.demo import PERSON, fill_samples, reviewer
from stemma_cli.local.desk import link_to
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client

from .browser import chromium, opened

DRAWN = """() => document.fonts.ready.then(() => Promise.all([...document.images].map((each) => {
  each.loading = "eager"; // what is far below is never loaded otherwise
  return each.decode();
})))"""
SHOWN = "section"
"""The page that the README shows."""
SIZE: Any = {"width": 1200, "height": 800}
WIDTHS, SCHEMES, LANGUAGES = (320, 768, 1400), ("light", "dark"), ("en", "de")


async def picture(page: Page, address: str, path: str, file: Path, *, whole: bool = False) -> None:
    await page.goto(f"{address}{path}")
    # What listens for changes never comes to rest; what is drawn has, once the fonts and all images are there.
    await page.evaluate(DRAWN)
    file.parent.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=file, full_page=whole)


async def pages_of(client: Client) -> Mapping[str, str]:
    """The pages that pictures are taken of, by name: of the document that has most to show."""
    views = [await client.document(name) for name in await client.document_ids()]
    document = max(views, key=lambda view: sum(len(section.versions) for section in view.sections.values()))
    here = f"/desk/documents/{document.document_id}"
    proposed = next((name for name, section in document.sections.items() if section.proposes), "solution")
    edited = next((name for name, section in document.sections.items() if section.version > 1), proposed)
    return {
        "inbox": "/desk",
        "document": here,
        SHOWN: f"{here}/sections/{proposed}",
        "compared": f"{here}/sections/{edited}?old=1",
        "editor": f"{here}/sections/{proposed}/edit",
        "requirements": f"{here}/requirements",
        "requirement": f"{here}/requirements/R1",
        "source": f"{here}/inputs/brief/at?line=1&row=R1",
        "inputs": f"{here}/inputs",
        "history": f"{here}/history",
        "new": "/desk/new",
        "keys": "/desk/keys",
    }


async def signed_in(page: Page, stemma: LocalStemma, token: str) -> None:
    await page.goto(await asyncio.to_thread(link_to, stemma.gateway_url, token, "/desk"))


async def every_picture(
    browser: Browser, stemma: LocalStemma, token: str, pages: Mapping[str, str], folder: Path
) -> None:
    for width, scheme, language in product(WIDTHS, SCHEMES, LANGUAGES):
        size: Any = {"width": width, "height": 900}
        async with opened(browser, viewport=size, color_scheme=scheme, locale=language) as page:
            await signed_in(page, stemma, token)
            for name, path in pages.items():
                file = folder / f"{name}-{width}-{scheme}-{language}.png"
                await picture(page, stemma.gateway_url, path, file, whole=True)


async def shown(browser: Browser, stemma: LocalStemma, token: str, path: str, files: Mapping[str, Path]) -> None:
    for language, file in files.items():
        async with opened(browser, viewport=SIZE, color_scheme="light", locale=language) as page:
            await signed_in(page, stemma, token)
            await picture(page, stemma.gateway_url, path, file)


async def take(docs: Path, folder: Path | None) -> None:
    """Fill an installation, and take the pictures of the guide, and all others if there is a folder for them."""
    with tempfile.TemporaryDirectory(prefix="stemma-pictures-") as data:
        async with LocalStemma(Path(data)) as stemma, stemma.client() as client, chromium() as browser:
            client.actor = PERSON
            await fill_samples(client)
            _, token = await asyncio.to_thread(reviewer, stemma)
            pages = await pages_of(client)
            files = {language: docs / f"desk{'' if language == 'en' else f'.{language}'}.png" for language in LANGUAGES}
            await shown(browser, stemma, token, pages[SHOWN], files)
            if folder is not None:
                await every_picture(browser, stemma, token, pages, folder)


def main(arguments: Iterable[str]) -> None:
    """Take pictures into the folder that is named first; all of them into the second one, if there is one."""
    docs, *others = map(Path, arguments)
    asyncio.run(take(docs, others[0] if others else None))


if __name__ == "__main__":
    main(sys.argv[1:])

"""The document as one HTML file that needs nothing else."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from datetime import UTC
from html import escape
from pathlib import Path

from .manuscript import Manuscript
from .pandoc import Pandoc
from .staging import MEDIA, staged
from .tree import Node, attributes, meta

_PROPERTIES = b'<meta name="properties">'
_CHECKBOX = b'<input type="checkbox"'


async def to_html(manuscript: Manuscript, pandoc: Pandoc, config: Path) -> bytes:
    async with staged(manuscript, attributes("", "notice")) as (folder, blocks):
        options: list[str | Path] = [
            "--template", config / "document.html", "--toc", "--toc-depth=2", "--number-sections",
            "--mathml", "--syntax-highlighting=none", "--section-divs", "--wrap=preserve",
        ]  # fmt: skip
        page = await pandoc.write("html5", blocks, _meta(manuscript), folder=folder, options=options)
        return await asyncio.to_thread(_finished, page, manuscript, folder)


def _meta(manuscript: Manuscript) -> dict[str, Node]:
    shown = {key: value for key, value in manuscript.running().items() if key != "origin"}
    names = {"pagetitle": manuscript.title, "lang": manuscript.tag, "contents": manuscript.language.words.contents}
    return meta(**shown, **names)


def _finished(page: bytes, manuscript: Manuscript, folder: Path) -> bytes:
    # The first of these marks is the template's: what a title says comes later.
    page = page.replace(_PROPERTIES, _properties(manuscript).encode(), 1)
    return _with_images(page.replace(_CHECKBOX, _CHECKBOX + b" disabled"), folder)


def _properties(manuscript: Manuscript) -> str:
    """Elements with values in attributes, where pandoc does not escape quotation marks."""
    created = manuscript.created_at.astimezone(UTC).isoformat()
    values = {"author": manuscript.house.author, "generator": manuscript.origin, "dcterms.created": created}
    return "\n".join(f'<meta name="{name}" content="{escape(value)}">' for name, value in values.items() if value)


def _with_images(page: bytes, folder: Path) -> bytes:
    for file in sorted((folder / MEDIA).iterdir()):
        kind = "jpeg" if file.suffix == ".jpg" else "png"
        data = b"data:image/" + kind.encode() + b";base64," + b64encode(file.read_bytes())
        page = page.replace(f'src="{MEDIA}/{file.name}"'.encode(), b'src="' + data + b'"')
    return page

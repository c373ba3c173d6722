"""The document as DOCX: pandoc writes it after the house template, then contents, dates and names are set."""

from __future__ import annotations

import asyncio
from io import BytesIO
from pathlib import Path

from docx import Document
from docx.document import Document as DocumentType
from docx.section import _Footer, _Header

from .contents import add_contents
from .manuscript import Manuscript
from .packages import with_fixed_dates
from .pandoc import Pandoc
from .staging import staged
from .tracking import with_tracked_changes
from .tree import Node, attributes, node, rewrite, text

COMPARED = "End of the comparison. Insertions and deletions are tracked changes."
"""The last paragraph of a comparison: Word can neither accept nor reject that a document's last paragraph ends."""


async def to_docx(manuscript: Manuscript, pandoc: Pandoc, config: Path, template: Path) -> bytes:
    """A Word document with contents, numbered headings and captions; the same bytes for the same manuscript.

    A comparison has tracked changes and no contents, which could not be those of both versions.
    """
    async with staged(manuscript, attributes("", "notice", custom_style="Notice")) as (folder, blocks):
        end = [] if manuscript.previous is None else [node("Para", text(COMPARED))]
        options: list[str | Path] = [
            "--reference-doc", template, "--lua-filter", config / "media.lua",
            "--syntax-highlighting=none",
        ]  # fmt: skip
        meta = {key: value for key, value in manuscript.meta().items() if key in ("title", "subtitle", "lang")}
        package = await pandoc.write(
            "docx", rewrite([*blocks, *end], _with_cell_style), meta, folder=folder, options=options
        )
    return await asyncio.to_thread(_finished, package, manuscript)


def _with_cell_style(item: Node) -> list[Node]:
    """A style of its own for text in cells: not every reader takes sizes from the table's style."""
    if item["t"] != "Table":
        return [item]
    attrs, caption, *rest = item["c"]
    return [node("Table", attrs, caption, *rewrite(rest, _cell_text))]


def _cell_text(item: Node) -> list[Node]:
    return [node("Div", attributes(custom_style="Table Text"), [item])] if item["t"] == "Plain" else [item]


def _finished(package: bytes, manuscript: Manuscript) -> bytes:
    document = Document(BytesIO(package))
    if manuscript.previous is None:
        add_contents(document)
    _set_properties(document, manuscript)
    section = document.sections[0]
    parts = (section.header, section.footer, section.first_page_header, section.first_page_footer)
    for part in (part for part in parts if not part.is_linked_to_previous):
        _fill(part, {"{title}": manuscript.title, "{origin}": manuscript.origin})
    buffer = BytesIO()
    document.save(buffer)
    saved = buffer.getvalue()
    package = saved if manuscript.previous is None else with_tracked_changes(saved, manuscript.author)
    return with_fixed_dates(package, manuscript.created_at)


def _set_properties(document: DocumentType, manuscript: Manuscript) -> None:
    properties = document.core_properties
    properties.title = manuscript.title[:255]
    properties.author = properties.last_modified_by = manuscript.author
    properties.comments = manuscript.origin[:255]
    properties.subject = manuscript.kind
    properties.created = properties.modified = manuscript.created_at
    properties.revision = 1


def _fill(part: _Header | _Footer, values: dict[str, str]) -> None:
    for run in (run for paragraph in part.paragraphs for run in paragraph.runs):
        for mark, value in values.items():
            if mark in run.text:
                run.text = run.text.replace(mark, value)
                break

"""One manuscript, five formats."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import assert_never

from stemma_contracts.v1.values import ExportFormat

from .images import ImageLimits
from .manuscript import Manuscript
from .markdown import to_markdown, write_blocks
from .pandoc import Pandoc
from .pdf import to_pages
from .structure import section_tree
from .templates import WORD_TEMPLATE
from .webpage import to_html
from .word import to_docx

_MEDIA_TYPES = {
    ExportFormat.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ExportFormat.PDF: "application/pdf",
    ExportFormat.HTML: "text/html; charset=utf-8",
    ExportFormat.JSON: "application/json",
    ExportFormat.MD: "text/markdown; charset=utf-8",
}
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True)
class Converter:
    """The programs, templates and bounds of conversions; ``author`` stands in the properties.

    ``template`` is the Word template of a house; without it that of ``config`` is taken.
    """

    pandoc: Pandoc
    config: Path
    author: str
    images: ImageLimits = field(default_factory=ImageLimits)
    template: Path | None = None

    async def write(self, to: ExportFormat, manuscript: Manuscript) -> bytes:
        """The manuscript in a format; raises `ConversionError`."""
        match to:
            case ExportFormat.DOCX:
                return await to_docx(manuscript, self.pandoc, self.config, self.template or self.config / WORD_TEMPLATE)
            case ExportFormat.PDF:
                return (await to_pages(manuscript, self.pandoc, self.config)).pdf
            case ExportFormat.HTML:
                return await to_html(manuscript, self.pandoc, self.config)
            case ExportFormat.JSON:
                return await _to_json(manuscript, self.pandoc)
            case ExportFormat.MD:
                return await to_markdown(manuscript, self.pandoc)
            case _:
                assert_never(to)


def media_type(to: ExportFormat) -> str:
    """The media type of a format."""
    return _MEDIA_TYPES[to]


def file_name(manuscript: Manuscript, to: ExportFormat) -> str:
    """A plain file name for people, from the title."""
    words = _NOT_IN_NAME.sub("-", manuscript.title).strip("-")[:80].rstrip("-") or "document"
    name = "structure" if to is ExportFormat.JSON else words if manuscript.previous is None else f"{words}-changes"
    return f"{name}.{to}"


async def _to_json(manuscript: Manuscript, pandoc: Pandoc) -> bytes:
    source = (await write_blocks(manuscript.blocks, pandoc)).decode()
    _, sections = await asyncio.to_thread(section_tree, source)
    created = manuscript.created_at.astimezone(UTC).isoformat()
    metadata = {"title": manuscript.title, "author": manuscript.author, "created": created}
    return json.dumps({"metadata": metadata, "sections": sections}, ensure_ascii=False, indent=1).encode()

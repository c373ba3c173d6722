"""Several texts on one thing as one text: block after block, none twice."""

from __future__ import annotations

from stemma_markdown import split

from . import markdown
from .material import fold
from .request import Request


def joined(request: Request) -> str:
    """The texts of a request one after the other, without their titles and without what another one said before."""
    blocks = [f"# {markdown.heading(request.section.title)}"] if request.section.title else []
    seen = {""}
    for block in (block for named in request.upstream for block in split(named.text)):
        key = fold(block.content)
        if key not in seen and block.level != 1:
            seen.add(key)
            blocks.append(block.content)
    missing = [heading for heading in request.headings if f"## {heading}" not in blocks]
    return "\n\n".join([*blocks, *(f"## {heading}" for heading in missing)]) + "\n"

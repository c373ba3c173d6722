"""The folder of one conversion: only files that we wrote, under names that we chose."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from stemma_languages import Words

from .captions import with_captions
from .comparison import compared
from .manuscript import Manuscript
from .tree import Node, node, plain, rewrite, text


def with_notices(blocks: list[Node], attributes: list[Any], words: Words) -> list[Node]:
    alerts = {"note": words.note, "tip": words.tip, "important": words.important, "caution": words.caution,
              "warning": words.warning}  # fmt: skip

    def edit(item: Node) -> list[Node]:
        match item:
            case {"t": "Div", "c": [[_, classes, _], [{"t": "Div", "c": [["", ["title"], _], name]}, *rest]]}:
                own = next((alerts[kind] for kind in classes if kind in alerts), plain(name).strip())
                heading = node("Para", [node("Strong", text(own))])
                return [node("Div", attributes, [heading, *rest])]
            case _:
                return [item]

    noticed: list[Node] = rewrite(blocks, edit)
    return noticed


MEDIA = "media"


@asynccontextmanager
async def staged(manuscript: Manuscript, notice: list[Any]) -> AsyncIterator[tuple[Path, list[Node]]]:
    """A folder with the pictures, and the captioned blocks that refer to them there.

    ``notice`` are the attributes of remarks in the format to be written. If versions are compared, the blocks are
    those of both, with marks where they differ.
    """
    with TemporaryDirectory(prefix="stemma-") as path:
        yield Path(path), await asyncio.to_thread(_stage, manuscript, notice, Path(path))


def _stage(manuscript: Manuscript, notice: list[Any], folder: Path) -> list[Node]:
    pictures = sorted(manuscript.pictures.items())
    names = {name: f"{MEDIA}/{i}.{picture.suffix}" for i, (name, picture) in enumerate(pictures, 1)}
    (folder / MEDIA).mkdir()
    for name, picture in pictures:
        (folder / names[name]).write_bytes(picture.data)

    def dressed(blocks: list[Node]) -> list[Node]:
        captioned = with_captions(blocks, manuscript.pictures, manuscript.language)
        return _renamed(with_notices(captioned, notice, manuscript.language.words), names)

    blocks = dressed(manuscript.blocks)
    return blocks if manuscript.previous is None else compared(dressed(manuscript.previous), blocks, manuscript.replays)


def _renamed(blocks: list[Node], names: Mapping[str, str]) -> list[Node]:
    def edit(item: Node) -> list[Node]:
        match item:
            case {"t": "Image", "c": [attributes, alt, [str(name), title]]}:
                return [node("Image", attributes, alt, [names[name], title])]
            case _:
                return [item]

    renamed: list[Node] = rewrite(blocks, edit)
    return renamed

"""What a prompt asks for: the blocks of its messages, read into one value."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from langchain_core.messages import BaseMessage
from stemma_languages import detect, primary, shipped
from stemma_models.prompting import Block, parse_blocks, whole

from .material import Place

OF_SECTIONS = frozenset({"review_doc", "format_doc"})
"""The kinds of sections that speak of the others: evidence stands in those."""
_LISTED = re.compile(r"^\s*[-*]\s+")


@dataclass(frozen=True)
class Section:
    """A section as its block names it; an entry of the outline is one, too."""

    id: str
    title: str
    purpose: str
    collects: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Image:
    """An image that a draft may show, by the name that it must use; where it stands, before which paragraph."""

    name: str
    alt: str
    place: Place | None = None
    before: int = 0


@dataclass(frozen=True)
class Named:
    """A text and what it is called; ``is_price`` if it is a rate sheet, ``is_whole`` if nothing of it was left out."""

    name: str
    text: str
    is_price: bool = False
    is_whole: bool = True


@dataclass(frozen=True)
class Request:
    """The material and the task of one call."""

    section: Section
    language: str
    outline: tuple[Section, ...]
    outline_given: bool
    headings: tuple[str, ...]
    most_words: int | None
    brief: str
    inputs: tuple[Named, ...]
    upstream: tuple[Named, ...]
    said: str
    feedback: str
    images: tuple[Image, ...]
    instruction: str
    blocks: tuple[Named, ...]
    requirements: tuple[str, ...] = ()


def read_request(messages: Sequence[BaseMessage]) -> Request:
    """The request that a conversation holds. Without any block, its last words count as the brief."""
    blocks = [block for message in messages for block in whole(parse_blocks(str(message.text)))]
    found = _Blocks(blocks)
    asked = found.first("section")
    section = _section(asked)
    entries = (entry for entry in found.first("outline").children if entry.tag == "entry")
    outline = tuple(_section(entry) for entry in entries if _kind(entry) not in OF_SECTIONS)
    brief = found.text("brief") or ("" if blocks or not messages else str(messages[-1].text))
    inputs = () if _kind(asked) in OF_SECTIONS else tuple(_inputs(found))
    return Request(
        section=section,
        language=_language(asked.attributes.get("language", ""), brief, inputs),
        outline=tuple(replace(e, collects=section.collects) if e.id == section.id else e for e in outline)
        if section.id in {entry.id for entry in outline}
        else (*outline, section),
        outline_given=bool(outline),
        headings=tuple(_lines(found.text("headings"))),
        most_words=int(words) if (words := asked.attributes.get("max_words", "")).isdigit() else None,
        brief=brief,
        inputs=inputs,
        upstream=tuple(
            Named(block.attributes.get("title") or block.attributes.get("id", ""), block.text)
            for block in found.all("upstream")
        ),
        said="\n\n".join(block.text for block in found.all("guidance")),
        feedback=found.text("revision_feedback"),
        images=tuple(_image(line) for line in _lines(found.text("images"))),
        instruction=found.text("instruction").strip(),
        blocks=tuple(Named(b.attributes.get("id", ""), b.text) for b in found.first("blocks").children),
        requirements=tuple(b.text for b in found.first("requirements").children if b.tag == "requirement"),
    )


def _kind(section: Block) -> str:
    """One that is not told is called as its section."""
    return section.attributes.get("kind") or section.attributes.get("id", "")


@dataclass(frozen=True)
class _Blocks:
    blocks: list[Block]

    def all(self, tag: str) -> list[Block]:
        return [block for block in self.blocks if block.tag == tag]

    def first(self, tag: str) -> Block:
        return next(iter(self.all(tag)), Block(tag, ""))

    def text(self, tag: str) -> str:
        return self.first(tag).text


def _inputs(found: _Blocks) -> Iterator[Named]:
    """The inputs that are ours; what a search found in one of them that is here already is left out."""
    texts: dict[str, list[str]] = {}
    cut = {entry.attributes.get("name", "") for entry in found.first("left_out").children}
    for block in (block for block in found.blocks if block.tag in ("evidence", "price") and block.text):
        name = block.attributes.get("name", "")
        if not any(block.text in text for text in texts.get(name, ())):
            texts.setdefault(name, []).append(block.text)
            yield Named(name, block.text, block.tag == "price", name not in cut)


def _section(block: Block) -> Section:
    given = block.attributes
    collects = frozenset(given.get("collects", "").split())
    return Section(given.get("id", ""), " ".join(given.get("title", "").split()), block.text, collects)


def _language(given: str, brief: str, inputs: Sequence[Named]) -> str:
    if given and primary(given) in shipped():
        return primary(given)
    return detect(brief or " ".join(named.text for named in inputs))


def _lines(text: str) -> list[str]:
    return [words for line in text.splitlines() if (words := _LISTED.sub("", line).strip())]


def _image(line: str) -> Image:
    name, _, alt = line.partition(": ")
    return Image(name.removesuffix(":"), alt.strip())

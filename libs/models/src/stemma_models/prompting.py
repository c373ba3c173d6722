"""How material is given to a model: XML-like blocks whose content cannot close or open a block.

Readers of a prompt (a person, the offline writer) get the same blocks back with `parse_blocks`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

TAGS = (
    "task",
    "document",
    "section",
    "outline",
    "entry",
    "brief",
    "request",
    "evidence",
    "price",
    "internal",
    "web",
    "upstream",
    "manner",
    "revision_feedback",
    "guidance",
    "previous",
    "issues",
    "criteria",
    "draft",
    "left_out",
    "images",
    "headings",
    "requirements",
    "requirement",
    "form",
    "field",
    "instruction",
    "blocks",
    "block",
)

_names = "|".join(sorted(TAGS, key=len, reverse=True))
_LOOKS_LIKE_TAG = re.compile(rf"<(?=\s{{0,4}}/?\s{{0,4}}(?:{_names})\b)", re.IGNORECASE)
_OPENING = re.compile(rf'^<({_names})((?: [a-z_]+="[^"]*")*)>', re.MULTILINE)
_TAG_LINE = re.compile(rf'^(?:<(?:{_names})(?: [a-z_]+="[^"]*")+>|</(?:{_names})>)', re.MULTILINE)
_FENCED = re.compile(r"^(`{3,}|~{3,}).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)
_ATTRIBUTE = re.compile(r'([a-z_]+)="([^"]*)"')


@dataclass(frozen=True)
class Block:
    """One block of a prompt: its tag, its attributes and the content between the tags."""

    tag: str
    text: str
    attributes: dict[str, str] = field(default_factory=dict)

    @property
    def children(self) -> list[Block]:
        """The blocks inside this one, such as the entries of an outline."""
        return parse_blocks(self.text)


def escape(text: str) -> str:
    """Text in which nothing reads as a tag of a block: ``<`` before a tag name becomes ``‹``."""
    return _LOOKS_LIKE_TAG.sub("‹", text)


def block(tag: str, content: str | Sequence[str], /, **attributes: str) -> str:
    """One block. A string is material from outside and is escaped; a sequence holds blocks made here.

    Raises `ValueError` for a tag that is not in `TAGS`.
    """
    if tag not in TAGS:
        raise ValueError(f"no block is called {tag!r}")
    body = escape(content) if isinstance(content, str) else "\n".join(content)
    if "\n" in body or not isinstance(content, str):
        body = f"\n{body}\n"
    head = "".join(f' {name}="{_quote(value)}"' for name, value in attributes.items())
    return f"<{tag}{head}>{body}</{tag}>"


def has_block_tag(text: str) -> bool:
    """Whether a line of a text, outside of code, begins with the tag of a block."""
    return _TAG_LINE.search(_FENCED.sub("", text)) is not None


def behind_blocks(text: str) -> str:
    """The words that stand behind blocks of a text, also between two of them; nothing if it has no blocks."""
    ends = [(start, end) for _, start, end in _placed(text)]
    starts = [start for start, _ in ends[1:]] + [len(text)]
    between = (text[end:start].strip() for (_, end), start in zip(ends, starts, strict=False))
    return "\n\n".join(filter(None, between))


def parse_blocks(text: str) -> list[Block]:
    """The blocks of a text in their order; an opening tag counts only at the start of a line."""
    return [found for found, _, _ in _placed(text)]


def without_blocks(text: str, tags: Collection[str]) -> str:
    """A text of blocks without those that have one of these tags."""
    kept, position = list[str](), 0
    for found, start, end in _placed(text):
        if found.tag in tags:
            kept.append(text[position:start])
            position = end + (text[end : end + 1] == "\n")
    return "".join((*kept, text[position:])).removesuffix("\n")


def _placed(text: str) -> Iterator[tuple[Block, int, int]]:
    """Each block, and where it begins and ends."""
    position = 0
    while opening := _OPENING.search(text, position):
        tag, attributes = opening.groups()
        end = text.find(f"</{tag}>", opening.end())
        if end < 0:
            position = opening.end()
            continue
        position = end + len(tag) + 3
        yield Block(tag, _unwrap(text[opening.end() : end]), _parse_attributes(attributes)), opening.start(), position


OF_SECTIONS = ("upstream", "section")
"""With one of these begins what differs from one section of a document to the next."""


def shared_part(text: str) -> int:
    """How many characters of a prompt are the same for all sections of a document: a provider can cache them."""
    opens = (found.start() for found in _OPENING.finditer(text) if found[1] in OF_SECTIONS)
    return next(opens, len(text))


def cached_borders(text: str) -> list[int]:
    """Where what is shared ends: the material that all tasks begin with, and behind it the words of one task."""
    end = shared_part(text)
    behind = max((after for _, _, after in _placed(text[:end])), default=end)
    return [behind, end] if text[behind:end].strip() else [end]


def whole(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks, neighbours that are places of one file put together."""
    for (tag, name, _), group in groupby(enumerate(blocks), key=lambda item: _file_of(*item)):
        found = [block for _, block in group]
        text = "\n\n".join(block.text.strip("\n") for block in found)
        yield found[0] if len(found) == 1 else Block(tag, text, {"name": name})


def _file_of(number: int, block: Block) -> tuple[str, str, int]:
    """What places of one file share; a block that is no place of a file shares it with no other."""
    return block.tag, block.attributes.get("name", ""), -1 if "place" in block.attributes else number


def _quote(value: str) -> str:
    return html.escape(value).replace("\n", "&#10;").replace("\r", "&#13;")


def _parse_attributes(text: str) -> dict[str, str]:
    return {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(text)}


def _unwrap(body: str) -> str:
    if len(body) > 1 and body.startswith("\n") and body.endswith("\n"):
        return body[1:-1]
    return body

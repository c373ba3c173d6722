"""Units of material as paragraphs, lists, tables and figures in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .material import Unit
from .phrases import attribution, in_sentence, joined, link, list_lead, source_name, table_lead
from .plain import safe
from .request import SEARCH_RESULTS, Image
from .sentences import as_sentence
from .tables import Table, write_table
from .terms import Lexicon
from .voice import in_our_voice
from .words import content_stems

_NAMELESS = re.compile(r"^(?:image|img|figure|picture|screenshot|media)?[\W\d_]*$", re.I)
_PARAGRAPH_SENTENCES = 5
_LIST_ITEMS = 9


@dataclass
class Pen:
    """Writes the units of one group; knows which linking phrase comes next."""

    place: int
    heading: str
    lexicon: Lexicon
    cites: bool = True
    blocks: list[str] = field(default_factory=list)

    def write(self, units: Sequence[Unit]) -> list[str]:
        """The units as Markdown blocks."""
        for index, unit in enumerate(_merged(units)):
            self._write_unit(unit, first=index == 0)
        return self.blocks

    def _write_unit(self, unit: Unit, *, first: bool) -> None:
        self.place += 1
        if unit.table:
            self.blocks += [safe(self._table_lead(unit.table, unit.heading)), write_table(unit.table)]
        elif unit.kind == "list":
            self.blocks += [safe(self._list_lead(unit)), _list(unit.sentences)]
        else:
            self.blocks.append(self._paragraph(unit, first=first))

    def _about(self, heading: str) -> str:
        return in_sentence(heading or self.heading, self.lexicon)

    def _list_lead(self, unit: Unit) -> str:
        return in_our_voice(unit.lead) if unit.lead else list_lead(self.place, self._about(unit.heading))

    def _table_lead(self, table: Table, heading: str) -> str:
        column = self.lexicon.lowered(table.header[0])
        known = set(content_stems(column)) <= set(content_stems(heading))
        return table_lead(self.place, self._about(heading), "" if known else column)

    def _paragraph(self, unit: Unit, *, first: bool) -> str:
        sentences = [in_our_voice(sentence) for sentence in unit.sentences[:_PARAGRAPH_SENTENCES]]
        if prefix := self._prefix(unit, first=first):
            sentences[0] = joined(prefix, sentences[0], self.lexicon)
        return safe(" ".join(sentences))

    def _prefix(self, unit: Unit, *, first: bool) -> str:
        if not first:
            return link(self.place)
        citable = self.cites and unit.source not in ("", SEARCH_RESULTS)
        return attribution(self.place // 2, source_name(unit.source)) if citable and self.place % 2 else ""


def _merged(units: Sequence[Unit]) -> list[Unit]:
    """Runs of single sentences become one paragraph."""
    merged: list[Unit] = []
    run: list[Unit] = []
    for unit in units:
        if unit.kind == "paragraph" and len(unit.sentences) == 1 and unit.text[0] not in '"“':
            run.append(unit)
        else:
            merged += [*_merge(run), unit]
            run = []
    return merged + _merge(run)


def _merge(run: Sequence[Unit]) -> list[Unit]:
    if len(run) < 2:
        return list(run)
    sentences = tuple(sentence for unit in run for sentence in unit.sentences)
    return [Unit("paragraph", run[0].source, run[0].heading, run[0].order, sentences)]


def _list(items: Iterable[str]) -> str:
    shown = list(items)[:_LIST_ITEMS]
    whole = sum(item.endswith((".", "!", "?")) for item in shown) * 2 >= len(shown)
    return "\n".join(f"- {safe(tidy_item(item, whole=whole))}" for item in shown)


def tidy_item(text: str, *, whole: bool) -> str:
    """An item of a list with a capital, and with a full stop if the items are sentences."""
    text = in_our_voice(text).rstrip(" ,;:")
    text = text.removesuffix(" and").removesuffix(" or").rstrip(" ,;")
    return as_sentence(text) if whole else text[:1].upper() + text[1:].rstrip(".")


def figure(image: Image, words: str) -> list[str]:
    """An image with its caption."""
    return [f"![{safe(words)}]({_target(image.name)})", f"Figure: {safe(as_sentence(words))}"]


def _target(name: str) -> str:
    return f"<{name}>" if any(character in name for character in " ()") else name


def image_words(image: Image, beside: Unit | None) -> str:
    """What an image shows: its alternative text, else the heading that it stands under and its file name."""
    name = source_name(image.name).removeprefix("the ")
    alt = image.alt.strip(" .")
    if alt and not _NAMELESS.match(alt):
        return alt
    return f"{beside.heading}, {name}" if beside and beside.heading else name

"""Units of material as paragraphs, lists, tables and figures in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from .material import Unit
from .phrases import attribution, in_sentence, joined, list_lead, quote_lead, source_name, table_title
from .plain import safe
from .procedure import is_procedure
from .request import SEARCH_RESULTS
from .sentences import as_sentence
from .tables import Table, write_table
from .terms import Lexicon
from .words import content_stems

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
        for quoted, together in groupby(_merged(units), key=lambda unit: unit.quoted):
            run = list(together)
            if quoted:
                self._quote(run)
            else:
                for unit in run:
                    self._write_unit(unit, first=not self.blocks)
        return self.blocks

    def _quote(self, units: Sequence[Unit]) -> None:
        """The words of the client, marked as such."""
        inner = Pen(self.place, self.heading, self.lexicon, cites=False)
        for unit in units:
            inner._write_unit(replace(unit, quoted=False), first=not inner.blocks)
        self.place += 1
        lines = "\n\n".join(inner.blocks).split("\n")
        if self.cites:
            about = self._about(units[0].heading)
            self.blocks.append(safe(quote_lead(self.place, about, source_name(units[0].source))))
        self.blocks.append("\n".join(f"> {line}" if line else ">" for line in lines))

    def _write_unit(self, unit: Unit, *, first: bool) -> None:
        self.place += 1
        if unit.table:
            self.blocks += [safe(self._table_title(unit.table, unit.heading)), write_table(unit.table)]
        elif unit.kind == "list":
            self.blocks += [*self._list_lead(unit, first=first), _list(unit.sentences)]
        else:
            self.blocks.append(self._paragraph(unit, first=first))

    def _about(self, heading: str) -> str:
        return in_sentence(heading or self.heading, self.lexicon)

    def _list_lead(self, unit: Unit, *, first: bool) -> list[str]:
        """What announces a list; one right under its heading needs nothing."""
        if first and not unit.lead:
            return []
        return [safe(unit.lead or list_lead(self.place, self._about(unit.heading)))]

    def _table_title(self, table: Table, heading: str) -> str:
        column = self.lexicon.lowered(table.header[0])
        known = set(content_stems(column)) <= set(content_stems(heading))
        fit = heading and not is_procedure(heading)
        return table_title(heading if fit else self.heading, "" if known else column)

    def _paragraph(self, unit: Unit, *, first: bool) -> str:
        sentences = list(unit.sentences[:_PARAGRAPH_SENTENCES])
        if prefix := self._prefix(unit, first=first):
            sentences[0] = joined(prefix, sentences[0], self.lexicon)
        return safe(" ".join(sentences))

    def _prefix(self, unit: Unit, *, first: bool) -> str:
        citable = first and self.cites and unit.source not in ("", SEARCH_RESULTS)
        return attribution(self.place // 2, source_name(unit.source)) if citable and self.place % 2 else ""


def _merged(units: Sequence[Unit]) -> list[Unit]:
    """Runs of single sentences become one paragraph."""
    merged: list[Unit] = []
    run: list[Unit] = []
    for unit in units:
        if unit.kind == "paragraph" and len(unit.sentences) == 1 and unit.sentences[0][0] not in '"“':
            if run and run[0].quoted != unit.quoted:
                merged += _merge(run)
                run = []
            run.append(unit)
        else:
            merged += [*_merge(run), unit]
            run = []
    return merged + _merge(run)


def _merge(run: Sequence[Unit]) -> list[Unit]:
    if len(run) < 2:
        return list(run)
    sentences = tuple(sentence for unit in run for sentence in unit.sentences)
    return [replace(run[0], sentences=sentences)]


def _list(items: Iterable[str]) -> str:
    shown = list(items)[:_LIST_ITEMS]
    whole = sum(item.endswith((".", "!", "?")) for item in shown) * 2 >= len(shown)
    return "\n".join(f"- {safe(tidy_item(item, whole=whole))}" for item in shown)


def tidy_item(text: str, *, whole: bool) -> str:
    """An item of a list with a capital, and with a full stop if the items are sentences."""
    text = text.rstrip(" ,;:")
    text = text.removesuffix(" and").removesuffix(" or").rstrip(" ,;")
    return as_sentence(text) if whole else text[:1].upper() + text[1:].rstrip(".")

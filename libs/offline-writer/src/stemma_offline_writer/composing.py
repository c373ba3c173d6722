"""The choice for a section, arranged: by required heading, by file and heading, each with its source."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from itertools import groupby
from pathlib import PurePosixPath

from stemma_evidence import claims, in_column
from stemma_forms.answering.labels import unit_in
from stemma_forms.answering.prices import column_of, number_in
from stemma_forms.words import is_sum, mentions
from stemma_languages import detect, grammar, is_addressed
from stemma_languages import language as language_of
from stemma_markdown import Document

from . import markdown
from .choosing import MOST_ROWS, Choice, choose, named_kinds, speaking_of, wanted_of
from .material import NO_SPACES, Material, Passage, Place, Table, fold, gathered
from .reading import is_whole, read
from .request import Image, Request
from .terms import best, terms

CENT, MOST_MONEY = Decimal("0.01"), Decimal(10) ** 15
"""Amounts are rounded to the first; a number that makes a greater one than the second is no price."""
_DOUBTFUL = re.compile(r"\(|[-−–]\s")
"""What makes a number less than nothing for some, and nothing else for others."""


@dataclass(frozen=True)
class Part:
    """A required heading, or none, and the blocks below it."""

    heading: str
    blocks: tuple[str, ...]

    @property
    def text(self) -> str:
        """The blocks as one text."""
        return "\n\n".join(self.blocks)


@dataclass(frozen=True)
class Composition:
    """The text of a section without its title."""

    lead: tuple[str, ...]
    parts: tuple[Part, ...]


def compose(request: Request) -> Composition:
    """What our evidence says on a section, below what a person dictates; a heading that it says nothing on is open."""
    choice = choose(request, gather(request))
    if not request.headings:
        return Composition(_blocks(request, choice), ())
    lead = tuple(passage for passage in choice.passages if passage.place.origin == "person")
    rest = tuple(passage for passage in choice.passages if passage.place.origin != "person")
    parts = _parts(request, replace(choice, passages=rest))
    return Composition(tuple(_paragraphs(request, lead)), tuple(parts))


def as_markdown(request: Request, composition: Composition) -> str:
    """The section with its title."""
    title = [f"# {markdown.heading(request.section.title)}"] if request.section.title else []
    blocks = [*title, *composition.lead]
    for part in composition.parts:
        blocks += [f"## {part.heading}", *part.blocks]
    return "\n\n".join(blocks) + "\n"


def _parts(request: Request, choice: Choice) -> Iterator[Part]:
    spare = list(choice.spare)
    for name, share in zip(request.headings, _shares(request, choice), strict=True):
        blocks = _blocks(request, share)
        if not blocks:
            under = tuple(passage for passage in spare if fold(passage.place.heading) == fold(name))
            found = under or speaking_of(name, request.language, spare)
            spare = [passage for passage in spare if passage not in found]
            blocks = tuple(_paragraphs(request, found))
        yield Part(name, blocks)


def _shares(request: Request, choice: Choice) -> Iterator[Choice]:
    """What goes under each required heading: what it names of the collected things, what it is nearest to."""

    def at(text: str, place: Place | None, kinds: Iterable[str] = ()) -> int:
        return _heading_of(text, place, kinds, request)

    for number in range(len(request.headings)):
        yield Choice(
            tuple(p for p in choice.passages if at(p.words, p.place, wanted_of(p, request)) == number),
            tuple(t for t in choice.tables if at(" ".join(t.head), t.place, request.section.collects) == number),
            tuple(image for image in choice.images if at(image.alt, None) == number),
        )


def _heading_of(text: str, place: Place | None, kinds: Iterable[str], request: Request) -> int:
    words = language_of(request.language).words
    named = [terms(heading, request.language) for heading in request.headings]
    for kind in kinds:
        label = set(terms(getattr(words, kind), request.language))
        if of_kind := [at for at, name in enumerate(named) if label & set(name)]:
            return of_kind[0]
    return best(terms(" ".join((text, *(place.headings if place else ()))), request.language), named) or 0


def _blocks(request: Request, choice: Choice) -> tuple[str, ...]:
    passages = _with_figures(choice)
    shown = {passage.text for passage in passages if passage.form == "figure"}
    return (
        *_paragraphs(request, passages),
        *_tables(request, choice),
        *(figure for figure in map(_figure, choice.images) if figure not in shown),
    )


def _with_figures(choice: Choice) -> list[Passage]:
    """The passages, each image behind the last one that stood above it under its heading."""
    found = list(choice.passages)
    for image in choice.images:
        at = (image.place.name, image.place.headings) if image.place else None
        same = [n for n, p in enumerate(found, 1) if (p.place.name, p.place.headings[-1:]) == at]
        above = [n for n in same if found[n - 1].paragraph < image.before]
        if above:
            found.insert(above[-1], replace(found[above[-1] - 1], text=_figure(image), items=(), form="figure"))
    return found


def _paragraphs(request: Request, passages: Sequence[Passage]) -> Iterator[str]:
    """Paragraphs and lists as they stand in the sources; what is in another language is set apart as a quotation."""
    for foreign, run in groupby(passages, key=lambda passage: passage.place.language != request.language):
        blocks = list(_runs(list(run)))
        yield from [markdown.quotation(blocks)] if foreign else blocks


def _runs(passages: list[Passage]) -> Iterator[str]:
    """Items of one place together, sentences only where nothing between them is left out."""

    def key(numbered: tuple[int, Passage]) -> tuple[Place, bool, int, int]:
        at, passage = numbered
        is_item = passage.form == "item"
        return passage.place, is_item, 0 if is_item else passage.paragraph, 0 if is_item else passage.position - at

    for (place, are_items, *_), group in groupby(enumerate(passages), key=key):
        run = [passage for _, passage in group]
        if run[0].form == "figure":
            yield run[0].text
        elif are_items:
            yield markdown.bullets(_nested(run), place)
        else:
            lists = run[-1].items
            yield markdown.paragraph([passage.text for passage in run], place, cite=not lists)
            if lists:
                yield markdown.bullets(lists, place)


def _nested(run: Sequence[Passage]) -> list[str]:
    """Items below those that they stand under, if these are quoted; sentences of one item stay together."""
    lines, depths, last = list[str](), dict[int, int](), run[0]
    joint = "" if last.place.language in NO_SPACES else " "
    for passage in run:
        depth = depths[passage.position] = depths.get(passage.under, -1) + 1
        if (passage.paragraph, passage.position) == (last.paragraph, last.position + 1) and not last.items:
            lines[-1] += f"{joint}{passage.text}"
        else:
            lines.append(f"{'  ' * depth}{passage.text}")
        lines += [f"{'  ' * (depth + 1)}{item}" for item in passage.items]
        last = passage
    return lines


def _tables(request: Request, choice: Choice) -> Iterator[str]:
    """The tables; a rate sheet that is here as a whole has amounts and their total."""
    parts = Counter(named.name for named in request.inputs)
    sheets = {one.name for one in request.inputs if one.is_price and one.is_whole and parts[one.name] == 1}
    for table in choice.tables:
        adds_up = table.place.name in sheets and len(table.rows) < MOST_ROWS
        shown = _with_amounts(table, request.language) if adds_up else table
        yield _table(shown, language_of(request.language).words.table)


def _with_amounts(table: Table, tag: str) -> Table:
    """A rate sheet with the amount of each row and their total.

    It stays as it is if a row lacks a number or an item, adds up others, or counts in another unit than it is paid by.
    """
    columns, source = [column_of(head) for head in table.head], table.place.language
    if sorted(filter(None, columns)) != ["quantity", "rate"]:
        return table
    at, counts = columns.index("rate"), columns.index("quantity")
    items = [[cell for cell, column in zip(row, columns, strict=True) if column is None] for row in table.rows]
    is_one_each = all(any(map(str.isalpha, " ".join(cells))) and not any(map(is_sum, cells)) for cells in items)
    units = {unit_in(text) for row in (table.head, *table.rows) for text in (row[at], row[counts])} - {""}
    if not is_one_each or len(units) > 1 or mentions(table.head[counts], "least"):
        return table
    priced = [_number(row[at], table.head[at], source) for row in table.rows]
    counted = [_number(row[counts], "", source) for row in table.rows]
    amounts = [one[0] * many[0] for one, many in zip(priced, counted, strict=True) if one and many]
    currencies = {one[1] for one in priced if one}
    if len(amounts) < len(table.rows) or len(currencies) != 1 or not all(abs(one) < MOST_MONEY for one in amounts):
        return table
    [currency], language = currencies, language_of(tag)
    is_named = currency and any(currency in cells[at] for cells in (table.head, *table.rows))  # "$" names several
    head = language.words.amount_in.format(currency=currency) if is_named else language.words.amount
    rounded = [amount.quantize(CENT, ROUND_HALF_UP) for amount in amounts]
    rows = tuple((*row, language.number(amount, 2)) for row, amount in zip(table.rows, rounded, strict=True))
    total = (language.words.total, *[""] * (len(table.head) - 1), language.number(sum(rounded), 2))
    return replace(table, head=(*table.head, head), rows=(*rows, total))


def _number(cell: str, head: str, language: str) -> tuple[Decimal, str] | None:
    """The number of a cell that can be read in one way, and its currency."""
    readings = {number for claim in claims(in_column(cell, head, language), language) for number in claim.numbers}
    return number_in(cell, head, language) if len(readings) < 2 and not _DOUBTFUL.search(cell) else None


def _table(table: Table, label: str) -> str:
    place = ", ".join(filter(None, (table.place.name, table.place.heading)))
    words = table.caption.rstrip(":：") or table.place.heading or PurePosixPath(table.place.name).stem
    return markdown.table(f"{words} ({place})" if place else words, table.head, table.rows, label)


def _figure(image: Image) -> str:
    target = f"<{image.name}>" if any(char in image.name for char in " ()") else image.name
    return f"![{markdown.quoted(image.alt or image.name)}]({target})"


def gather(request: Request) -> Material:
    """All that the section may be written from."""
    dictated = tuple(_dictated(f"{request.said}\n\n{request.feedback}", request.language))
    section = request.section
    about_money = "amounts" in section.collects | named_kinds(section.title, request.language)
    inputs = (named for named in request.inputs if about_money or not named.is_price)
    return Material(dictated) + gathered(_read_input(named.name, named.text) for named in inputs)


@lru_cache(maxsize=64)
def _read_input(name: str, text: str) -> Material:
    found = read("input", name, text, detect(text))
    return replace(found, passages=tuple(map(_as_quoted, found.passages)))


def _as_quoted(passage: Passage) -> Passage:
    """What an input asks of the one who writes the document, or half a sentence, is not quoted."""
    place = passage.place
    quotable = is_whole(passage) and not is_addressed(passage.words, place.heading, place.language)
    return passage if quotable else replace(passage, form="heading")


def _dictated(text: str, tag: str) -> Iterator[Passage]:
    """What a person wants to have said, as in "say that the council pays"."""
    for at, sentence in enumerate(Document(text).sentences(tag)):
        for known in (grammar(tag), grammar(detect(sentence.text))):
            forms = [known.form(part) for part in known.parts(sentence.text)]
            if forms and all(form and form.verb == "say" for form in forms):
                words = [form.what[:1].upper() + form.what[1:] for form in forms if form]
                yield from (Passage(language_of(tag).sentence(w), Place("person", "", tag), -1 - at) for w in words)
                break

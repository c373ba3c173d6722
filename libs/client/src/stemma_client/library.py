"""The library of a tenant: texts that people approved in its documents, searched, and offered to demands of others.

It is read from the read model and the texts themselves; what lapsed is listed, and offered to nobody.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from stemma_contracts.v1.blocks import BlockIndex, IdentifiedBlock
from stemma_contracts.v1.document import BidOutcome
from stemma_contracts.v1.forms import FormFields
from stemma_contracts.v1.ledger import LedgerRows
from stemma_contracts.v1.library import EntryRef, EntryView
from stemma_contracts.v1.references import ArtifactRef

from .errors import LedgerFailedError

if TYPE_CHECKING:
    from stemma_contracts.v1.summary import DocumentSummary
    from stemma_contracts.v1.views import DocumentView, SectionView

    from .client import Client
    from .ledgers import LedgerEntry

FEWEST_WORDS, LEAST_SHARE = 3, 0.5
"""Of the words of a demand that an offer must have."""
OF_PAIRS = 0.7
"""How much of that is enough where words are pairs of characters: many of them are of the grammar alone."""
_UNSPACED = "\u2e80"
MOST_OFFERS, MOST_SEARCHED = 3, 1000
"""Offers of a demand, and the entries that are searched for them, the latest ones."""
MOST_COMPARED = 1024 * 1024
"""Bytes of an input that a passage is compared with."""
_AT_ONCE = 16
"""Texts that are fetched together."""
T = TypeVar("T")
_WORTH: Mapping[BidOutcome, int] = {"won": 2, "open": 1, "withdrawn": 1, "lost": 0}
_FIELD = re.compile(r"(?m)^#+ (f-[0-9a-f]{10}): *(?:\d+ +)?(.*)$")
"""The heading of a field in the answers to a form: its id, and what it asks."""
_NO_WORDS = frozenset({"blank", "definition", "front_matter", "rule"})


@dataclass(frozen=True)
class LibraryEntry:
    """The approved text of a section, with what people see of its document; ``entry`` names it in requests."""

    entry: EntryRef
    document_title: str
    section_title: str
    language: str
    outcome: BidOutcome
    view: EntryView
    draft: ArtifactRef
    blocks: ArtifactRef | None = None
    rows: ArtifactRef | None = None

    def age_in_days(self, now: datetime) -> int:
        """How long ago it was approved."""
        return (now - self.view.approved_at).days if self.view.approved_at else 0


@dataclass(frozen=True)
class Passage:
    """A block of an entry, the headings above it, and the demands that it was found to answer."""

    number: int
    language: str
    heading: str
    text: str
    demands: tuple[str, ...] = ()


@dataclass(frozen=True)
class Offer:
    """An entry for some words, with its nearest passage; ``demand`` is the one that it answered, the nearest of them.

    ``share`` is how much of the words it has; those that stand above it alone count half. ``foreign`` are the names and
    days of the passage that no input of the document has which it is offered to: the client of then, for one.
    """

    entry: LibraryEntry
    passage: Passage
    demand: str
    share: float
    foreign: tuple[str, ...] = ()


@dataclass(frozen=True)
class Demand:
    """A row of the ledger, or a field of a form, by its id; ``form`` is then the section that answers the form."""

    id: str
    words: str
    form: str = ""


@dataclass(frozen=True)
class DemandOffers:
    """A demand that has no answer yet, and the best that there is for it."""

    demand: Demand
    offers: tuple[Offer, ...]


async def entries(client: Client) -> list[LibraryEntry]:
    """All texts that a person ever approved in the tenant, as they stand now, the latest first."""
    documents = {summary.document_id: summary for summary in await client.documents()}
    approved = [
        (documents[name], section)
        for (name, _), section in (await client.sections()).items()
        if name in documents and section.entry is not None
    ]
    of_those = {summary.document_id: summary.title for summary, _ in approved}
    titles = dict(zip(of_those, await _each(client.stored_text(*one) for one in of_those.items()), strict=True))
    found = (_entry(summary, section, titles[summary.document_id] or "") for summary, section in approved)
    return sorted(found, key=lambda one: str(one.view.approved_at), reverse=True)


def _entry(summary: DocumentSummary, section: SectionView, title: str) -> LibraryEntry:
    version = section.current
    assert section.entry is not None
    assert version is not None, "what a person approved is there"
    place = {"document_id": summary.document_id, "section_id": section.section_id, "version": version.number}
    return LibraryEntry(
        entry=EntryRef.model_validate(place),
        document_title=title,
        section_title=section.title,
        language=summary.language or "en",
        outcome=summary.outcome,
        view=section.entry,
        draft=version.draft,
        blocks=version.validation.blocks if version.validation else version.blocks,
        rows=summary.rows,
    )


async def search(client: Client, words: str) -> list[Offer]:
    """The entries that may be used and share words with a query, the best first, each with its nearest passage."""
    (found,) = await _offered(client, await entries(client), [words], least=0)
    return found


async def offers(client: Client, document_id: str) -> list[DemandOffers]:
    """The demands of a document, and the fields of its forms, that nothing answers, with the best entries of others.

    Raises `LedgerFailedError` if nothing was read into its ledger yet, and it answers no form.
    """
    document = await client.document(document_id)
    asked = await _fields(client, document)
    try:
        ledger = await client.ledger_of(document)
        rows = (one.row for one in ledger.entries if _is_unanswered(one))
        asked = [*(Demand(row.requirement_id, row.quote) for row in rows), *asked]
    except LedgerFailedError:
        if not any(section.form for section in document.sections.values()):
            raise
    others = [one for one in await entries(client) if one.entry.document_id != document_id]
    found = await _offered(client, others, [one.words for one in asked], least=LEAST_SHARE)
    offered = [DemandOffers(one, tuple(each[:MOST_OFFERS])) for one, each in zip(asked, found, strict=True) if each]
    return await _with_foreign(client, document, offered)


async def _with_foreign(client: Client, document: DocumentView, offered: Sequence[DemandOffers]) -> list[DemandOffers]:
    given = [one.text for one in document.counting if one.text and one.text.size <= MOST_COMPARED]
    known = "\n".join(filter(None, await _each(client.stored_text(document.document_id, ref) for ref in given)))
    texts = tuple(dict.fromkeys(_said_in(one) for each in offered for one in each.offers))
    foreign = dict(zip(texts, await client.compute(foreign_words, texts, known), strict=True))
    return [
        replace(each, offers=tuple(replace(one, foreign=foreign[_said_in(one)]) for one in each.offers))
        for each in offered
    ]


def _said_in(offer: Offer) -> tuple[str, str]:
    return offer.passage.text, offer.passage.language


def foreign_words(texts: tuple[tuple[str, str], ...], known: str) -> list[tuple[str, ...]]:
    """The names and days of each text, which comes with its language, that do not stand in what is known."""
    from stemma_evidence import claims

    there = " ".join(known.casefold().split())
    return [
        tuple(
            dict.fromkeys(
                claim.text
                for claim in claims(text, language, of_draft=False)
                if claim.kind in ("name", "date") and " ".join(claim.text.casefold().split()) not in there
            )
        )
        for text, language in texts
    ]


def _is_unanswered(entry: LedgerEntry) -> bool:
    return entry.counts and entry.standing.status in ("open", "check")


async def _fields(client: Client, document: DocumentView) -> list[Demand]:
    """The questions of forms under which nothing stands yet."""
    found = list[Demand]()
    for section in document.sections.values():
        if section.form is None or section.form_withdrawn:
            continue
        text = await client.stored_text(document.document_id, section.draft) or ""
        fields = await client.stored(document.document_id, section.form.fields, FormFields)
        answered = set(_answered(text))
        open_ones = (one for one in fields.fields if one.field_id not in answered) if fields else ()
        found += [Demand(one.field_id, one.question, section.section_id) for one in open_ones if one.kind == "text"]
    return found


def _answered(text: str) -> Iterator[str]:
    """The fields of a form under whose headings something stands."""
    parts = _FIELD.split(text)
    for name, answer in zip(parts[1::3], parts[3::3], strict=False):
        if any(line.strip() and not line.startswith("#") for line in answer.splitlines()):
            yield name


async def _offered(
    client: Client, library: Sequence[LibraryEntry], queries: Sequence[str], *, least: float
) -> list[list[Offer]]:
    usable = [one for one in library if one.view.lapse is None][:MOST_SEARCHED]
    quotes = await _quotes(client, usable)
    each = ((number, one, quotes.get(one.entry.document_id, {})) for number, one in enumerate(usable))
    read = await _each(_passages(client, *about) for about in each)
    passages = tuple(passage for each in read for passage in each)
    if not passages or not queries:
        return [[] for _ in queries]
    ranked = await client.compute(ranked_passages, passages, tuple(queries), least)
    return [list(best(usable, passages, hits)) for hits in ranked]


async def _quotes(client: Client, usable: Iterable[LibraryEntry]) -> dict[str, dict[str, str]]:
    """By document what its demands say: a ledger of thousands of rows is read once for all of its sections."""
    asked = {one.entry.document_id: one.rows for one in usable if one.view.answers}
    ledgers = await _each(client.stored(name, rows, LedgerRows) for name, rows in asked.items())
    read = zip(asked, ledgers, strict=True)
    return {name: {row.requirement_id: row.quote for row in ledger.rows} for name, ledger in read if ledger}


async def _passages(client: Client, number: int, entry: LibraryEntry, quotes: Mapping[str, str]) -> list[Passage]:
    place = entry.entry.document_id
    text = await client.stored_text(place, entry.draft) or ""
    index = await client.stored(place, entry.blocks, BlockIndex)
    demands = dict[str, list[str]]()
    for answer in entry.view.answers:
        demands.setdefault(answer.block_id, []).append(quotes.get(answer.requirement_id, ""))
    blocks = list(index.blocks) if index else await client.compute(_unread_blocks, text)
    return list(_said(number, entry, text, blocks, demands))


def _unread_blocks(text: str) -> list[IdentifiedBlock]:
    """The blocks of a text that nobody has given ids yet: it answers no demand as far as is known."""
    from stemma_markdown import split

    return [
        IdentifiedBlock(block_id="0" * 10, kind=one.kind, line=one.line, start=one.start, end=one.end)
        for one in split(text)
    ]


def _said(
    number: int,
    entry: LibraryEntry,
    text: str,
    blocks: Iterable[IdentifiedBlock],
    demands: Mapping[str, Sequence[str]],
) -> Iterator[Passage]:
    heading, question = "", ""
    for block in blocks:
        words = text[block.start : block.end].strip()
        if block.kind == "heading":
            field = _FIELD.match(words)
            heading, question = ("", field[2]) if field else (words.strip("# "), "")
        elif words and block.kind not in _NO_WORDS:
            above = f"{entry.section_title} {heading}"
            answered = tuple(filter(None, (question, *demands.get(block.block_id, ()))))
            yield Passage(number, entry.language, above, words, answered)


Hit = tuple[int, str, float]
"""A passage by its number among all, the demand of it that is nearest to the query, and the share of words."""


def ranked_passages(passages: tuple[Passage, ...], queries: tuple[str, ...], least: float) -> list[list[Hit]]:
    """For each query the passages that have at least that share of its words, the best first."""
    ranking = _Ranking(passages)
    return [[*ranking.hits(query, least)] for query in queries]


class _Ranking:
    """Passages by their words, which are found once for all queries."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        from stemma_evidence import FullText, query_words

        self._stems, self._passages = query_words, passages
        rows = [(one.language, (" ".join(one.demands), one.heading, one.text)) for one in passages]
        self._index = FullText(rows, weights=(3, 2, 1))
        self._known: dict[int, tuple[frozenset[str], frozenset[str]]] = {}

    def _words(self, number: int) -> tuple[frozenset[str], frozenset[str]]:
        """Those of a passage and of its demands, and those above it."""
        if number not in self._known:
            one = self._passages[number]
            own = self._stems(" ".join((one.text, *one.demands)), one.language)
            self._known[number] = (own, self._stems(one.heading, one.language))
        return self._known[number]

    def hits(self, query: str, least: float) -> Iterator[Hit]:
        asked_in = {language: self._stems(query, language) for language in {one.language for one in self._passages}}
        for number in self._index.ranked(query):
            asked = asked_in[self._passages[number].language]
            own, above = self._words(number)
            had = asked & own
            share = (len(had) + len((asked & above) - had) / 2) / len(asked) if asked else 0.0
            pairs = sum(word[0] >= _UNSPACED for word in asked) > len(asked) / 2
            if share >= least * (OF_PAIRS if pairs else 1) and (not least or len(had) >= FEWEST_WORDS):
                yield number, self._nearest(number, asked), share

    def _nearest(self, number: int, asked: frozenset[str]) -> str:
        one = self._passages[number]
        return max(one.demands, key=lambda demand: len(self._stems(demand, one.language) & asked), default="")


def best(usable: Sequence[LibraryEntry], passages: Sequence[Passage], hits: Sequence[Hit]) -> Iterator[Offer]:
    """The nearest passage of each entry: of those as near as each other, those of bids that were won come first."""
    ranks = {number: rank for rank, (number, *_) in enumerate(hits)}

    def order(hit: Hit) -> tuple[float, int, int]:
        entry = usable[passages[hit[0]].number]
        return (-round(hit[2], 1), -_WORTH[entry.outcome], ranks[hit[0]])

    seen = set[int]()
    for number, demand, share in sorted(hits, key=order):
        passage = passages[number]
        if passage.number not in seen:
            seen.add(passage.number)
            yield Offer(usable[passage.number], passage, demand, share)


async def _each(works: Iterable[Awaitable[T]]) -> list[T]:
    turns = asyncio.Semaphore(_AT_ONCE)

    async def one(work: Awaitable[T]) -> T:
        async with turns:
            return await work

    return await asyncio.gather(*map(one, works))

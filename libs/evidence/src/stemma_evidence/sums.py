"""Sums of price tables: what their rows add up to, what a text states as a total, what a request allows at most."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice, pairwise
from typing import Literal

from stemma_markdown import Document

from .claims.claim import Claim
from .claims.extraction import claims
from .sources.statements import Statement, statements
from .sources.tables import HtmlTables

_TOTAL = re.compile(
    r"(?<![^\W_])(?:sub-?|zwischen|sous-|deel)?(?:grand |gross |net )?"
    r"(?:totals?|totale[ns]?|totaal|totaux|totais|totales|total[- ]?(?:sum|price|cost)s?|sum|altogether|in all"
    r"|gesamt(?:summe|preis|betrag|kosten)?|summe|insgesamt|zusammen|somme|montant total|suma|importe total|somma"
    r"|complessiv[aoi]|totaalbedrag|som|soma|valor total"
    r"|(?:the|our) price is|(?:der|unser) preis (?:ist|beträgt)|(?:le|notre) prix est"
    r"|fixed price|lump sum|festpreis|pauschalpreis|prix ferme|prix forfaitaire)(?![^\W_])"
    r"|合計|総計|総額|小計|合计|总计|总额|总价|小计",
    re.IGNORECASE,
)
_SUBTOTAL = re.compile(r"sub-?tota|zwischensumme|sous-total|subtota|deeltotaal|tussentotaal|小計|小计", re.IGNORECASE)
_OF_WHICH = re.compile(
    r"\W{0,3}(?:of which|including|davon|darin|dont|de los cuales|di cui|waarvan|dos quais|incl\.|うち|其中)",
    re.IGNORECASE,
)
_OFF = re.compile(
    r"discount|rebate|rabatt|nachlass|skonto|remise|rabais|descuento|sconto|korting|desconto|値引|折扣", re.IGNORECASE
)
_LIMIT = re.compile(
    r"(?:not? more than|not (?:to )?exceed|no greater than|at most|maximum|up to a total|ceiling|upper limit"
    r"|höchstens|maximal|nicht (?:über|mehr)|übersteigen|überschreiten|obergrenze|höchstpreis|höchstbetrag"
    r"|dépass|excéder|au maximum|au plus|plafond|exceder|superar|como máximo|máxim[oa]|tope|límite"
    r"|superare|eccedere|massim[oa]|al più|overschrijd|hoger (?:zijn )?dan|maximaal|ten hoogste|hoogstens"
    r"|ultrapassar|no máximo|超え|以内|上限|不超过|不得超过|最高)",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"in all|total|overall|altogether|whole|budget|bid|offer|tender|price|contract value|project|pilot"
    r"|gesamt|insgesamt|angebot|preis|auftragswert|vorhaben|projekt|offre|prix|montant|marché|oferta|precio|presupuesto"
    r"|importe|offerta|prezzo|importo|appalto|totaal|prijs|inschrijving|opdracht|proposta|preço|orçamento|valor"
    r"|総額|合計|価格|予算|金額|总|预算|报价",
    re.IGNORECASE,
)
_PART = re.compile(
    r"liab|penalt|damage|insur|travel|fine\b|preference|points?\b|deposit|bond\b|guarant|suret|bürgschaft|kaution|fianza"
    r"|cauzione|garant|caução|haft|vertragsstraf|versicher|(?<!p)reis|schaden|responsab|pénalit|assur|penal"
    r"|seguro|viaje|viagg|assicur|boete|verzeker|aansprak|multa|viagem|賠償|違約|保険|违约|赔偿|保险",
    re.IGNORECASE,
)
_PER = re.compile(
    r"\s{0,2}(?:/|per\b|each\b|an? (?:day|hour|week|month|year)|pro\b|je\b|im (?:monat|jahr)|jährlich|monatlich"
    r"|par\b|mensuel|annuel|por\b|al (?:mes|año|mese)|all'anno|mensual|anual|mensile|annuo|maand|jaar|ao (?:mês|ano)"
    r"|毎|/月|每)",
    re.IGNORECASE,
)
_PRICED = re.compile(
    r"cost|price|amount|budget|fee|preis|kosten|betrag|prix|coût|montant|prezz|costo|importo|prijs|bedrag|preci|importe"
    r"|preço|custo|価格|費用|金額|予算|价格|费用|金额|预算",
    re.IGNORECASE,
)
_EACH = re.compile(r"unit|single|rate\b|each|einzel|stück|satz|unitair|unitari|eenheid|単価|单价", re.IGNORECASE)
_DIGIT = re.compile(r"[0-9０-９]")
_PARTS = re.compile(r"[,;:]\s")
_EMPTY_LINE = re.compile(r"\n[ \t>]*\n")
_LEAST_ROWS = 2
_MOST = 100
"""Sums of one kind that are compared with others."""


@dataclass(frozen=True, slots=True)
class Sum:
    """An amount of money and where it is stated; one that was only made of the rows of a table has no text."""

    amount: Decimal
    currencies: tuple[str, ...]
    line: int
    text: str = ""

    def is_like(self, other: Sum) -> bool:
        """Whether both are of one currency."""
        return bool(set(self.currencies) & set(other.currencies))

    def is_near(self, amount: Decimal) -> bool:
        """Whether it is this amount, up to its last digit."""
        exponent = self.amount.as_tuple().exponent
        return abs(self.amount - amount) <= Decimal(1).scaleb(min(exponent if isinstance(exponent, int) else 0, 0))

    def __str__(self) -> str:
        return self.text or f"{self.amount:,} {self.currencies[0]}"


@dataclass(frozen=True)
class Sums:
    """What a text says of sums: what its tables come to, totals that their rows do not make, totals in sentences."""

    tables: tuple[Sum, ...] = ()
    wrong: tuple[tuple[Sum, Sum], ...] = ()
    stated: tuple[Sum, ...] = ()


@dataclass(frozen=True, slots=True)
class SumFinding:
    """A sum that is not as it should be; ``other`` is what it was held against, and ``where`` that stands."""

    kind: Literal["differs", "over", "elsewhere"]
    found: Sum
    other: Sum
    where: str = ""


def sum_findings(
    draft: Sums, ceilings: Iterable[tuple[str, Sum]], others: Sequence[tuple[str, Sums]], known: Sequence[str]
) -> Iterator[SumFinding]:
    """What is wrong with the sums of a draft: in its tables, over a ceiling, against the sums of other sections.

    ``ceilings`` and ``others`` have the names of what they stand in; ``known`` are texts of the client: a total that
    one of them states is no total of ours.
    """
    yield from (SumFinding("differs", stated, made) for stated, made in draft.wrong)
    for total in draft.tables:
        limits = [(limit, name) for name, limit in ceilings if limit.is_like(total)]
        name, most = max(((name, limit) for limit, name in limits), key=lambda one: one[1].amount, default=("", None))
        if most is not None and total.amount > most.amount:
            yield SumFinding("over", total, most, name)
    tables = [("", total) for total in draft.tables] + [(name, one) for name, sums in others for one in sums.tables]
    for stated in draft.stated:
        if (against := _contradicted(stated, tables, known)) is not None:
            yield SumFinding("elsewhere", stated, against[1], against[0])
    for name, stated in [(name, one) for name, sums in others for one in sums.stated]:
        against = _contradicted(stated, tables, known)
        if against is not None and against[0] == "":
            yield SumFinding("elsewhere", against[1], stated, name)


def _contradicted(stated: Sum, tables: Sequence[tuple[str, Sum]], known: Sequence[str]) -> tuple[str, Sum] | None:
    """The largest sum of a table of the same currency, if no table comes to what is stated."""
    alike = [(name, total) for name, total in tables if total.is_like(stated)]
    if any(stated.is_near(total.amount) for _, total in alike) or any(stated.text in text for text in known):
        return None
    return max(alike, key=lambda one: one[1].amount, default=None)


def may_have_sums(text: str) -> bool:
    """Whether a text has a table, or a word for a total; reading it takes a hundred times as long."""
    return "\n|" in text or "<table" in text or _TOTAL.search(text) is not None


def sums_of(text: str, language: str) -> Sums:
    """The sums that a text makes and states."""
    if not may_have_sums(text):
        return Sums()
    read = _Read(text, language)
    columns = [column for table in read.tables() for column in _columns(table)]
    return Sums(
        tuple(islice((total for column in columns for total in column.totals()), _MOST)),
        tuple(islice((pair for column in columns for pair in column.wrong()), _MOST)),
        tuple(islice(read.stated(), _MOST)),
    )


def ceilings_of(text: str, language: str) -> Iterator[Sum]:
    """What a request allows the whole to cost at most."""
    line, at = 1, 0
    for end in [*(gap.start() for gap in _EMPTY_LINE.finditer(text)), len(text)]:
        paragraph = text[at:end]
        if _LIMIT.search(paragraph) and _DIGIT.search(paragraph):
            yield from _Read(paragraph, language).ceilings(line)
        line, at = line + paragraph.count("\n"), end


@dataclass
class _Row:
    label: str
    amount: Claim

    @property
    def number(self) -> Decimal:
        return (
            -self.amount.numbers[0]
            if _OFF.search(self.label) and self.amount.numbers[0] > 0
            else self.amount.numbers[0]
        )


@dataclass
class _Column:
    """A column of amounts, row by row, and the words above it."""

    above: str
    head: str
    rows: list[_Row] = field(default_factory=list)

    def totals(self) -> Iterator[Sum]:
        """What it comes to: what its totals state, else what its rows make if they are prices."""
        stated = [_stated(row.amount) for row in self.rows if _TOTAL.search(row.label)]
        yield from stated
        priced = _PRICED.search(f"{self.above} {self.head}") and not _EACH.search(self.head)
        if not stated and priced and len(self.rows) >= _LEAST_ROWS:
            yield _made(self.rows[-1].amount, sum((row.number for row in _own(self.rows)), Decimal(0)))

    def wrong(self) -> Iterator[tuple[Sum, Sum]]:
        """The totals that none of the ways to add up the rows above them gives, with what they give."""
        items, own, since, own_since, parts = (_Added() for _ in range(5))
        for row in self.rows:
            if not _TOTAL.search(row.label):
                for added in (items, since) if _OF_WHICH.match(row.label) else (items, own, since, own_since):
                    added.add(row)
                continue
            ways = [items, own, since, parts.with_(since), own_since]
            sums = [added.amount for added in ways if added.rows >= _LEAST_ROWS]
            stated = _stated(row.amount)
            if sums and not any(stated.is_near(one) for one in sums):
                yield stated, _made(row.amount, sums[0])
            if _SUBTOTAL.search(row.label):
                parts.add(row)
                since, own_since = _Added(), _Added()


@dataclass
class _Added:
    rows: int = 0
    amount: Decimal = Decimal(0)

    def add(self, row: _Row) -> None:
        self.rows, self.amount = self.rows + 1, self.amount + row.number

    def with_(self, other: _Added) -> _Added:
        return _Added(self.rows + other.rows, self.amount + other.amount)


def _own(rows: Sequence[_Row]) -> list[_Row]:
    """The rows that are no part of another one."""
    return [row for row in rows if not _OF_WHICH.match(row.label)]


def _stated(claim: Claim) -> Sum:
    return Sum(claim.numbers[0], claim.units, claim.line, claim.text)


def _made(claim: Claim, amount: Decimal) -> Sum:
    return Sum(amount, claim.units, claim.line)


def _columns(table: Sequence[tuple[Statement, str, dict[str, Claim]]]) -> Iterator[_Column]:
    found = dict[str, _Column]()
    for row, label, amounts in table:
        for head, amount in amounts.items():
            found.setdefault(head, _Column(row.heading, head)).rows.append(_Row(label, amount))
    yield from found.values()


def _parts(said: str) -> Iterator[tuple[int, int]]:
    return pairwise((0, *(cut.end() for cut in _PARTS.finditer(said)), len(said)))


class _Read:
    """The amounts of a text, and the sentences and rows that they stand in."""

    def __init__(self, text: str, language: str) -> None:
        document = Document(text)
        self._text = text
        self._amounts = [c for c in claims(text, language, document=document) if c.kind == "amount" and c.numbers]
        self._places = [amount.start for amount in self._amounts]
        self._statements = statements(document, HtmlTables(document), language, self._places)

    def tables(self) -> Iterator[list[tuple[Statement, str, dict[str, Claim]]]]:
        """The rows of each table, with the words of their first cells and one amount for each column."""
        table, last = list[tuple[Statement, str, dict[str, Claim]]](), 0
        for row in self._statements:
            if not row.cells:
                continue
            if table and _EMPTY_LINE.search(self._text, last, row.start):
                yield table
                table = []
            label = self._text[slice(*row.cells[0])]
            table.append((row, label, dict(self._cells(row))))
            last = row.end
        yield table

    def _cells(self, row: Statement) -> Iterator[tuple[str, Claim]]:
        for index, cell in enumerate(row.cells):
            amounts = self._within(*cell)
            if len(amounts) == 1 and index:
                yield (*row.heads[index : index + 1], "")[0] or str(index), amounts[0]

    def _within(self, start: int, end: int) -> list[Claim]:
        return self._amounts[bisect_left(self._places, start) : bisect_left(self._places, end)]

    def stated(self) -> Iterator[Sum]:
        """The totals that sentences state, each the only amount of its own or of its part."""
        for sentence in self._statements:
            said = self._text[sentence.start : sentence.end]
            if sentence.cells or sentence.title or _LIMIT.search(said):
                continue
            amounts = self._within(sentence.start, sentence.end)
            for start, end in [(0, len(said))] if len(amounts) == 1 else _parts(said) if amounts else ():
                own = self._within(sentence.start + start, sentence.start + end)
                is_stated = len(own) == 1 and _TOTAL.search(said, start, end) is not None
                if is_stated and not own[0].hedged and not self._is_a_rate(own[0]):
                    yield _stated(own[0])

    def ceilings(self, line: int) -> Iterator[Sum]:
        """What sentences allow the whole to cost at most; the text begins on this line."""
        for sentence in self._statements:
            said = self._text[sentence.start : sentence.end]
            if _LIMIT.search(said) and _WHOLE.search(said) and not _PART.search(said):
                for amount in self._within(sentence.start, sentence.end)[:1]:
                    if not self._is_a_rate(amount):
                        yield Sum(amount.numbers[0], amount.units, amount.line + line - 1, amount.text)

    def _is_a_rate(self, amount: Claim) -> bool:
        return _PER.match(self._text, amount.end) is not None

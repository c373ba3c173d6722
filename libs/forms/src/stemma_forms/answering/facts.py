"""What a text of the bidder states: values with labels, and sentences."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from stemma_evidence import claims, content_words, rows_of
from stemma_languages import detect, negates, shipped
from stemma_markdown import Document, Prose

from stemma_forms.words import mentions

from .labels import OWN, Label, carrying, concepts_in, is_of, leaves, parties_in, parties_of, read_label, roles_in

_LABELLED = re.compile(r"\s*([^\n:：]{2,60}?)\s*[:：]\s*(\S[^\n]{0,300})")
# The lines of a message that say from whom to whom it went.
_MAIL_HEADER = re.compile(
    r"[\s>*]*(?:From|To|Cc|Bcc|Subject|Sent|Reply-To|Von|An|Gesendet|Betreff|De|À|Objet|Para|Asunto|Da|A|Oggetto|Van"
    r"|Aan|差出人|宛先|件名|发件人|收件人|主题)[\s*]*[:：]"
)
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}")
_SITE = re.compile(r"(?:https?://|www\.)[^\s<>()\"']+[\w/]")
_COMPANY = re.compile(
    r"(?!(?:Die|Der|Das|A|O|Somos) )"
    r"(?:[A-ZÀ-ÖØ-Þ][\w’'&.-]{0,30},? (?:(?:&|und|et|and|y|e) )?){1,6}"
    r"(?:GmbH(?: & Co\.? KG)?|AG|KG|SE|UG|Ltd\.?|Limited|Inc\.?|LLC|PLC|Corp\.?|SAS|SARL|SA|SpA|S\.p\.A\."
    r"|S\.A\.S\.|S\.A\.|S\.?r\.?l\.?|BV|B\.V\.|NV|N\.V\.|S\.L\.U\.|S\.L\.|Lda\.?|Ltda\.?|ApS|AB|Oy)(?![\w-])"
    # In Japanese, particles follow a name without a space: where it ends is sure before a single one.
    r"|(?:株式|有限|合同)会社[^\s、。，（）()「」ぁ-ん]{1,20}"
    r"(?=$|[\s、。，（）()「」]|(?:では|には|とは|から|より|として|です|である|による|及び|[はがのをにでともへや])(?![ぁ-ん]))"
    r"|[^\s、。，（）()「」ぁ-ん是我们們]{1,20}(?:(?:株式|有限|合同)会社|有限公司)",
    re.MULTILINE,
)
# What refers to another place, or says that there is nothing.
_CLAUSE = re.compile(r"[,;，；(]\s?|\s(?:and|und|et|y|e|en|of whom|davon|dont)\s")
_PEOPLE = "people persons personen personnes personas persone pessoas"
_NO_VALUE = re.compile(r"(?i)(?:see|siehe|voir|véase|ver|vedi|zie|cf)\b|(?:n/?a|tb[adc]|none|x{2,}|[-–?.]+)$")
_BREAK = re.compile(r"<br\s*/?>|\n")
_LONGEST, _LONGEST_LABEL, _SHORTEST = 400, 8, 3
_STATED = ("employees", "turnover", "founded", "validity")


@dataclass(frozen=True)
class Text:
    """A text that answers may come from. ``said`` is what a person said of the form, ``price`` a rate sheet."""

    name: str
    text: str
    said: bool = False
    price: bool = False


@dataclass(frozen=True)
class Fact:
    """A value, what it is the value of, and where it stands."""

    label: Label
    value: str
    language: str


@dataclass(frozen=True)
class Statement:
    """A sentence, and the number of its paragraph; ``heading`` is the one above."""

    text: str
    heading: str
    paragraph: int
    language: str
    parties: frozenset[str]

    @cached_property
    def words(self) -> frozenset[str]:
        return carrying(self.text, self.language)

    @cached_property
    def heading_words(self) -> frozenset[str]:
        return carrying(self.heading, self.language)

    def names_company(self, name: str) -> bool:
        """Whether the sentence has the first words of a company's name."""
        return " ".join(name.split()[:2]).rstrip(",").casefold() in self.text.casefold()

    @cached_property
    def is_negative(self) -> bool:
        return negates(self.text, self.language)

    @cached_property
    def is_hedged(self) -> bool:
        """Whether something limits what it says, or it is denied in a language that the text is not known to be in."""
        denied = not self.is_negative and any(negates(self.text, tag) for tag in shipped() if tag != self.language)
        return denied or is_of(self.text, "hedges")


@dataclass(frozen=True)
class Grid:
    """A table: the words of its head, and its rows."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    language: str
    parties: frozenset[str]
    is_price: bool

    @property
    def has_rates(self) -> bool:
        return len(self.head) > 1 and any(mentions(head, "price") for head in self.head[1:])


@dataclass(frozen=True)
class Reading:
    """What one text holds."""

    facts: tuple[Fact, ...] = ()
    statements: tuple[Statement, ...] = ()
    grids: tuple[Grid, ...] = ()
    companies: frozenset[str] = frozenset()
    """The companies that are named where nothing is said of another party."""


_Paragraph = tuple[tuple[str, ...], str]


def read_text(text: Text) -> Reading:
    """The facts, sentences and tables of a text."""
    language = detect(text.text)
    if text.name.casefold().endswith((".csv", ".tsv")):
        return _reading(text, tuple(_delimited(text, language)), (), language)
    document = Document(text.text)
    return _reading(text, tuple(_grids(document, language, text.price)), tuple(_paragraphs(document)), language)


def _reading(text: Text, grids: tuple[Grid, ...], prose: tuple[_Paragraph, ...], language: str) -> Reading:
    facts = [fact for grid in grids if not (grid.is_price or grid.has_rates) for fact in _facts_of_grid(grid)]
    statements, companies = list[Statement](), set[str]()
    for number, (headings, words) in enumerate(prose):
        if any(map(_MAIL_HEADER.match, words.splitlines())):
            continue
        about = parties_in("\n".join(headings)) | (parties_in(text.name) & {"staff"})
        for told in (*headings, *Document(words).plain.split("\n")):
            if not about and not parties_in(told):
                companies |= {" ".join(found[0].split()) for found in _COMPANY.finditer(told)}
        of_paragraph, rest = _labelled(words, about, language)
        facts += of_paragraph
        heading = headings[-1] if headings else ""
        statements += [
            Statement(" ".join(one.text.split()), heading, number, language, about)
            for one in Document(rest).sentences(language)
        ]
    names = companies | {one.value for one in facts if one.label == Label("organisation")}
    for one in statements:
        if is_ours(one, names):
            facts += _stated(one)
    return Reading(tuple(facts), tuple(statements), grids, frozenset(companies))


def _paragraphs(document: Document) -> Iterator[_Paragraph]:
    """The paragraphs and items, each with the headings above it."""
    above: tuple[tuple[int, str], ...] = ()
    for piece in document.prose:
        if piece.kind == "heading":
            above = (*(one for one in above if one[0] < piece.level), (piece.level, piece.text))
        elif piece.kind != "cell":
            yield tuple(words for _, words in above), document.text[piece.start : piece.end]


def _grids(document: Document, language: str, is_price: bool) -> Iterator[Grid]:
    rows: dict[int, list[Prose]] = {}
    headings: list[tuple[int, str]] = []
    for piece in document.prose:
        if piece.kind == "cell":
            rows.setdefault(piece.line, []).append(piece)
        elif piece.kind == "heading":
            headings.append((piece.line, piece.text))
    for block in document.blocks:
        if block.kind != "table":
            continue
        lines = [line for line in range(block.line, block.line + block.content.count("\n") + 1) if line in rows]
        head, *body = [_cells(document.text, rows[line]) for line in lines] or [()]
        above = [words for line, words in headings if line < block.line][-1:]
        yield Grid(head, tuple(body), language, parties_in("\n".join(above)), is_price)


def _cells(text: str, cells: Sequence[Prose]) -> tuple[str, ...]:
    """The cells of a row by their columns; empty ones are counted by the bars between the others."""
    row: list[str] = []
    for cell in cells:
        before = text[text.rfind("\n", 0, cell.start) + 1 : cell.start]
        column = before.count("|") - before.count("\\|") - before.lstrip().startswith("|")
        row += [""] * (column - len(row)) + [" ".join(cell.text.split())]
    return tuple(row)


def _delimited(text: Text, language: str) -> Iterator[Grid]:
    rows = [row for _, row in rows_of(text.text, "text/csv")]
    if rows:
        head = tuple(name for name, _ in rows[0])
        yield Grid(head, tuple(tuple(cell for _, cell in row) for row in rows), language, frozenset(), text.price)


def _facts_of_grid(grid: Grid) -> Iterator[Fact]:
    """Facts of a table of labels and values, of one of records, or of a matrix."""
    if len(grid.head) == 2:
        for row in (grid.head, *grid.rows):
            if len(row) == 2:
                yield from _fact(*row, grid.parties, grid.language)
        return
    labels = [read_label(head, grid.language) for head in grid.head]
    is_record = sum(bool(label.concept) for label in labels) > 1
    for row in grid.rows:
        if is_record:
            yield from _record(labels, row, grid)
        else:
            for head, value in zip(grid.head[1:], row[1:], strict=False):
                yield from _fact(f"{row[0]} {head}", value, grid.parties, grid.language)


def _record(labels: Sequence[Label], row: tuple[str, ...], grid: Grid) -> Iterator[Fact]:
    """The cells of a row about one person or company: what it says of their role holds for all of them."""
    pairs = list(zip(labels, row, strict=False))
    titles = " ".join(value for label, value in pairs if label.concept == "job_title")
    roles, parties = roles_in(titles), grid.parties.union(*(label.parties for label, _ in pairs))
    words = content_words(titles, grid.language)
    for label, value in pairs:
        concept = "person" if label.concept == "name" and titles else label.concept
        if value and concept:
            yield Fact(Label(concept, label.roles | roles, parties, label.words | words), value, grid.language)


def _labelled(text: str, parties: frozenset[str], language: str) -> tuple[list[Fact], str]:
    """Facts of lines such as ``Telephone: +49 40 5550``, and the other lines of a paragraph.

    One such line among others is part of a text. A label of another party holds for its neighbours.
    """
    lines = [line for line in _BREAK.split(text) if line.strip()]
    found = [
        match if (match := _LABELLED.fullmatch(line)) and len(match[1].split()) <= _LONGEST_LABEL else None
        for line in lines
    ]
    split = [(one[1].strip("*_ "), *_value(one[1], one[2].strip("*_ "), language)) for one in found if one]
    if len(split) < min(len(lines), 2):
        return [], text
    pairs = [(label, value) for label, value, _ in split]
    about = parties.union(*(read_label(label, language).parties for label, _ in pairs))
    others = (line for line, one in zip(lines, found, strict=True) if not one)
    rest = "\n".join((*others, *(after for _, _, after in split if after)))
    return [fact for label, value in pairs for fact in _fact(label, value, about, language)], rest


def _value(label: str, text: str, language: str) -> tuple[str, str]:
    """A value, and the sentences that its line goes on with: ``Address: Quay 1, Kiel. We are insured.``

    What has no kind of its own may need several sentences.
    """
    whole = [one.text for one in Document(text).sentences(language)]
    ends = text.endswith("。") or (text.endswith(".") and all(len(one.split()) >= _SHORTEST for one in whole))
    if len(whole) < 2 or not ends or not read_label(label, language).concept:
        return text, ""
    value = whole[0] if _COMPANY.fullmatch(whole[0]) else whole[0].rstrip(" .。")
    return value, " ".join(whole[1:])


def _fact(label: str, value: str, parties: frozenset[str], language: str) -> Iterator[Fact]:
    read, value = read_label(label, language), " ".join(value.split())
    if is_of(label, "hedges") or _NO_VALUE.match(value):
        return
    name, comma, rest = value.partition(", ")
    if read.concept == "person" and comma and " " in name:
        # A name with a title or an address behind it.
        yield Fact(replace(read, concept="job_title", parties=read.parties | parties), rest, language)
        value = name
    if value and len(value) <= _LONGEST and (read.concept or read.words):
        words = read.words if read.concept else carrying(label, language)
        yield Fact(replace(read, parties=read.parties | parties, words=words), value, language)


def is_ours(one: Statement, names: Iterable[str]) -> bool:
    """Whether a sentence speaks of the bidder: by a word for it, by its name, or because it names nobody."""
    if OWN in parties_of(one.text) or any(one.names_company(name) for name in names):
        return True
    return not any(claim.kind == "name" for claim in claims(one.text, one.language))


def _stated(one: Statement) -> Iterator[Fact]:
    """What a sentence says in figures of the company itself, and the addresses in it."""
    if one.is_hedged and "validity" not in concepts_in(one.text):
        return
    about = Label(parties=one.parties | parties_in(one.text), words=one.words)
    for concept, pattern in (("email", _ADDRESS), ("website", _SITE)):
        for value in dict.fromkeys(pattern.findall(one.text)):
            yield Fact(replace(about, concept=concept, roles=roles_in(one.text)), value, one.language)
    for concept in concepts_in(one.text) & {*_STATED}:
        for value, words in _figures(one, concept):
            yield Fact(Label(concept, frozenset(), about.parties, words), value, one.language)


def _figures(one: Statement, concept: str) -> Iterator[tuple[str, frozenset[str]]]:
    """The figure of a sentence, with the years that it is for: one, or as many as there are years."""
    if concept == "employees":
        yield from ((count, frozenset()) for count in _employees(one))
        return
    every = claims(one.text, one.language)
    years = [claim for claim in every if claim.kind == "date"]
    kind = {"turnover": "amount", "founded": "date", "validity": "quantity"}[concept]
    found = [claim for claim in every if claim.kind == kind]
    if concept == "turnover" and len(found) == len(years) > 1:
        in_turn = sorted([*found, *years], key=lambda claim: claim.start)
        if all(a.kind != b.kind for a, b in pairwise(in_turn)):
            yield from ((amount.text, frozenset({year.text})) for amount, year in zip(found, years, strict=True))
    elif len(found) == 1 and (concept != "turnover" or len(years) < 2):
        yield found[0].text, frozenset(year.text for year in years if concept == "turnover")


def _employees(one: Statement) -> Iterator[str]:
    """How many people the bidder employs: a number with nothing but a word for them behind it."""
    found = []
    for clause in _CLAUSE.split(one.text):
        counts = [claim for claim in claims(clause, one.language) if claim.kind == "quantity"]
        if len(counts) == 1 and "employees" in concepts_in(clause):
            behind = clause[counts[0].end :] if not counts[0].units else ""
            if leaves(behind, "employees", one.language) <= content_words(_PEOPLE, one.language):
                found.append(format(counts[0].numbers[0], "f"))
    if len(found) == 1:
        yield found[0]

"""The appended pages: what of the inputs is left out, where each demand is answered; and the list of what is open."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.coverage import BlockCoverage, CoverageReport, NotCovered
from stemma_contracts.v1.exports import ExportSection
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.ledger import AnsweredRows, LedgerRow
from stemma_contracts.v1.references import ArtifactRef
from stemma_languages import Language, Words
from stemma_markdown import plain as plain_markdown

from .source import Staged, one_line
from .tree import Node, attributes, node, plain, text

MAX_ROWS = 25
"""Of a table of what the document lacks: it stands at its end, and `stemma show` names all."""
MOST_WORDS = 160
"""Characters of the block: enough to find it, and too few to fill the table."""
PAGED = "with-page"
_MATRIX = "compliance-matrix"
Row = tuple[str, str, str]
Cell = str | list[Node]
Heading = tuple[str, str]
"""The identifier of a heading, and its words."""


def not_covered(sections: Sequence[ExportSection]) -> tuple[NotCovered, ...]:
    found = []
    for section in sections:
        coverage = section.coverage
        if section.covers_inputs and section.draft is not None and coverage is None:
            found.append(NotCovered(section_id=section.section_id, checked=False))
        elif coverage is not None and (coverage.missing_blocks or coverage.not_comparable):
            missing = NotCovered(
                section_id=section.section_id,
                missing_blocks=coverage.missing_blocks,
                not_comparable=coverage.not_comparable,
                language=coverage.language if coverage.not_comparable else "",
                languages=tuple(dict.fromkeys(one.language for one in coverage.foreign)),
            )
            found.append(missing)
    return tuple(found)


def report_refs(job: ConvertDocument) -> list[ArtifactRef]:
    """Where the reports lie of the sections that leave something out, of a document that goes out as it is."""
    refs = [section.coverage.report for section in job.sections if section.coverage and not job.redline]
    return [ref for ref in refs if ref is not None]


def page(found: Sequence[CoverageReport], spoken: Language) -> list[Node]:
    """The chapter with a table of what is missing, of what was left out and why, and of what cannot be compared."""
    words = spoken.words
    left_out = [(entry.file, entry.heading, entry.reason) for report in found for entry in report.left_out]
    foreign = [(block.file, block.chapter, block.language) for block in _blocks(found, "not_comparable")]
    named = [(file, chapter, spoken.name_of(tag)) for file, chapter, tag in dict.fromkeys(foreign)]
    own = next((report.language for report in found if report.language), spoken.tag)
    tables = [
        *_titled("", _missing(found), words, words.evidence),
        *_titled(words.left_out, left_out, words, words.reason),
        *_titled(words.not_comparable.format(language=spoken.name_of(own)), named, words, words.language),
    ]
    return [node("Header", 1, attributes("not-covered"), text(words.not_covered)), *tables] if tables else []


def _missing(found: Sequence[CoverageReport]) -> list[Row]:
    facts: dict[tuple[str, str], dict[str, None]] = {}
    for block in _blocks(found, "missing"):
        facts.setdefault((block.file, block.chapter), {}).update(dict.fromkeys(block.missing_facts))
    return [(file, chapter, ", ".join(list(named)[:10])) for (file, chapter), named in facts.items()]


def _blocks(found: Sequence[CoverageReport], standing: str) -> Iterator[BlockCoverage]:
    return (block for report in found for block in report.blocks if block.standing == standing)


def _titled(title: str, rows: Sequence[Row], words: Words, last: str) -> list[Node]:
    if not rows:
        return []
    heads = [words.file, words.heading, *([last] if any(row[2] for row in rows) else [])]
    heading = [node("Header", 2, attributes(), text(title))] if title else []
    more = [("…", f"+ {len(rows) - MAX_ROWS}", "")] if len(rows) > MAX_ROWS else []
    return [*heading, _table(heads, [row[: len(heads)] for row in (*rows[:MAX_ROWS], *more)])]


def _table(heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Node:
    def written(row: Sequence[Cell]) -> list[object]:
        inlines = (text(one_line(cell)) if isinstance(cell, str) else cell for cell in row)
        return [attributes(), [[attributes(), node("AlignDefault"), 1, 1, [node("Plain", words)]] for words in inlines]]

    columns = [[node("AlignLeft"), node("ColWidthDefault")] for _ in heads]
    body = [attributes(), 0, [], list(map(written, rows))]
    return node(
        "Table", attributes(), [None, []], columns, [attributes(), [written(heads)]], [body], [attributes(), []]
    )


def open_list(rows: Sequence[LedgerRow], job: ConvertDocument, words: Words) -> bytes:
    """The requirements that are open, or without a sure answer, each with its words and its place, as CSV."""
    wanted, unsure = frozenset(job.open_requirements), frozenset(job.unsure_requirements)
    found = [row for row in rows if row.requirement_id in wanted]
    if not found:
        return b""
    standings = [words.answer_check if row.requirement_id in unsure else words.answer_open for row in found]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("id", words.demand, words.file, "", words.answer_status))
    for row, standing in zip(found, standings, strict=True):
        quote = f"{row.announced_by} {row.quote}".strip()
        writer.writerow(map(_harmless, (row.requirement_id, quote, row.source, _place(row), standing)))
    return text.getvalue().encode("utf-8-sig")


def _harmless(cell: str) -> str:
    """Words of a stranger's text that a spreadsheet would take for a formula."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _place(row: LedgerRow) -> str:
    return row.place or (row.headings[-1] if row.headings else str(row.line))


@dataclass(frozen=True)
class AnswerPlace:
    """A block: the number of the heading that it stands below, from 1, 0 if none does, and how many the draft has."""

    heading: int
    headings: int
    words: str


@dataclass(frozen=True)
class Answers:
    """The demands of a document: which section answers each, and where in it, as far as that is known."""

    rows: Sequence[LedgerRow]
    answered: Sequence[AnsweredRows]
    places: Mapping[str, AnswerPlace] = field(default_factory=dict)


def with_matrix(blocks: list[Node], sections: Sequence[ExportSection], found: Answers, spoken: Language) -> list[Node]:
    """The blocks of a document with the matrix behind them, and behind each section the demands that it answers."""
    words = spoken.words
    standing = {name: one for one in found.answered for name in one.requirement_ids}
    counting = [row for row in found.rows if row.requirement_id in standing]
    if not counting:
        return blocks
    own, chapters = _free_name(blocks), _chapters(blocks)
    headings = _headings(chapters, sections)
    with_answers = [
        block
        for chapter, section in zip(chapters, [None, *sections], strict=False)
        for block in [*chapter, *_answered(section, found.answered, own, words)]
    ]
    rows = []
    for row in counting:
        answer, place = standing[row.requirement_id], found.places.get(row.requirement_id)
        rows.append(_row(row, answer, _where(answer.section_id, place, headings, words), words))
    heads = ("", words.demand, words.file, words.obligation, words.answered_in, words.answer_status)
    return [*with_answers, node("Header", 1, attributes(own), text(words.matrix)), _table(heads, rows)]


def _free_name(blocks: Sequence[Node]) -> str:
    taken = {block["c"][1][0] for block in blocks if block["t"] == "Header"}
    return next(name for name in (f"{_MATRIX}{'-' * number}" for number in count()) if name not in taken)


def _chapters(blocks: list[Node]) -> list[list[Node]]:
    """What stands before the first heading of level 1, and each of them with what stands below it."""
    starts = [at for at, block in enumerate(blocks) if block["t"] == "Header" and block["c"][0] == 1]
    ends = [*starts, len(blocks)]
    return [blocks[: ends[0]], *(blocks[start:end] for start, end in zip(starts, ends[1:], strict=True))]


def _headings(chapters: Sequence[list[Node]], sections: Sequence[ExportSection]) -> dict[str, list[Heading]]:
    if len(chapters) != len(sections) + 1:
        return {}
    return {
        section.section_id: [
            (block["c"][1][0], one_line(plain(block["c"][2]))) for block in chapter if block["t"] == "Header"
        ]
        for section, chapter in zip(sections, chapters[1:], strict=True)
    }


def _where(
    section_id: str, place: AnswerPlace | None, headings: Mapping[str, Sequence[Heading]], words: Words
) -> list[Node]:
    own = headings.get(section_id, ())
    identifier, title = own[0] if own else ("", section_id)
    if below := _below(place, own):
        identifier, title = below[0], f"{title}: {below[1]}"
    where = paged_link(title, identifier, words) if identifier else text(title)
    if place is None:
        return where
    return [*where, node("Str", ":"), node("Space"), node("Emph", text(one_line(_shown(place))))]


def _below(place: AnswerPlace | None, headings: Sequence[Heading]) -> Heading | None:
    """The heading that an answer stands below, if it is another one than that of the section.

    A draft that begins without a heading got one here.
    """
    if place is None or len(headings) - place.headings not in (0, 1):
        return None
    number = place.heading - 1 + len(headings) - place.headings
    return headings[number] if number > 0 else None


def _answered(section: ExportSection | None, answers: Sequence[AnsweredRows], matrix: str, words: Words) -> list[Node]:
    mine = [one for one in answers if section and one.section_id == section.section_id]
    ids = sorted((name for one in mine for name in one.requirement_ids), key=_by_number)
    if not ids:
        return []
    names = words.answers.format(names=", ".join(ids))
    return [node("Para", [*text(names), node("Space"), *paged_link(words.matrix, matrix, words)])]


def _by_number(name: str) -> tuple[list[int], str]:
    return [int(digits) for digits in re.findall(r"[0-9]+", name)], name


def _row(row: LedgerRow, answer: AnsweredRows, where: list[Node], words: Words) -> list[Cell]:
    obligations = {
        "mandatory": words.obligation_mandatory,
        "should": words.obligation_should,
        "option": words.obligation_option,
    }
    statuses = {
        "open": words.answer_open,
        "addressed": words.answer_addressed,
        "verified": words.answer_verified,
        "not_applicable": words.answer_not_applicable,
    }
    status = words.answer_check if answer.unsure else statuses[answer.status]
    quote = f"{row.announced_by} {row.quote}".strip()
    source = f"{row.source}, {_place(row)}"
    return [row.requirement_id, quote, source, obligations[row.obligation], where, status]


def paged_link(words: str, identifier: str, spoken: Words) -> list[Node]:
    """A link to a heading; formats with pages add the page behind it, in the words of the language."""
    before, _, after = spoken.cited_page.partition("{number}")
    return [node("Link", attributes("", PAGED, before=before, after=after), text(words), [f"#{identifier}", ""])]


def block_refs(job: ConvertDocument) -> Iterator[ArtifactRef]:
    return (section.blocks for section in job.sections if section.blocks) if job.answers or job.inputs else iter(())


def answer_places(job: ConvertDocument, artifacts: Staged) -> dict[str, AnswerPlace]:
    sections = {name: one.section_id for one in job.matrix for name in one.requirement_ids}
    places: dict[str, AnswerPlace] = {}
    for section in job.sections:
        mine = [one for one in job.answers if sections.get(one.requirement_id, "") == section.section_id]
        blocks = _block_places(section, artifacts) if mine else {}
        places |= {one.requirement_id: blocks[one.block_id] for one in mine if one.block_id in blocks}
    return places


def _block_places(section: ExportSection, artifacts: Staged) -> dict[str, AnswerPlace]:
    index = artifacts.model(section.blocks, BlockIndex)
    if section.draft is None or index is None:
        return {}
    draft = artifacts.get(section.draft).decode("utf-8", errors="replace")
    headings, above = sum(block.kind == "heading" for block in index.blocks), 0
    places = dict[str, AnswerPlace]()
    for block in index.blocks:
        above += block.kind == "heading"
        places[block.block_id] = AnswerPlace(above, headings, draft[block.start : block.end])
    return places


def _shown(place: AnswerPlace) -> str:
    words = " ".join(plain_markdown(place.words).split())
    return words if len(words) <= MOST_WORDS else f"{words[:MOST_WORDS].rsplit(' ', 1)[0]} …"

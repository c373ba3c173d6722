"""What every graph writes with: values that a model fills in, the form of a draft, the material of a prompt."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby, pairwise
from pathlib import PurePosixPath
from typing import Annotated, Any, get_args

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationInfo, field_validator
from stemma_contracts.media import READ
from stemma_contracts.v1.jobs import GenerateSection, OutlineEntry
from stemma_contracts.v1.ledger import LedgerRow
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.section import Collected, SectionPlan
from stemma_contracts.v1.validation import ValidationReport
from stemma_evidence.sources.words import language_of as language_in
from stemma_languages import Language, language, primary
from stemma_markdown import Block, Document, fences, letters, split, unwrapped
from stemma_models import CallContext, Prompt
from stemma_models.prompting import TAGS, block, parse_blocks, shared_part

from .configuration import PLAIN, Criteria, Kinds
from .passages import REQUEST, Corpus, Image, Passage, words_of
from .settings import ContextLimits
from .sources import Library

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Prose = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Text = Annotated[str, StringConstraints(strip_whitespace=True)]
# The largest number that is taken: up to here a float has its cents, and no sum of such numbers is too long to be told.
LARGEST = 10**13
Score = Annotated[float, Field(ge=0, le=1)]


def _without_description(schema: dict[str, Any]) -> None:
    schema.pop("description", None)


class Filled(BaseModel):
    """A value that a model fills in; fields that it makes up are malformed.

    What its class says of itself is for those who read the code, and what a prompt says of a field its schema does not.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_without_description)


class Evaluation(Filled):
    """Scores by criterion, each with words of the draft that it rests on, and feedback; code computes the verdict."""

    quotations: dict[str, Text] = Field(default={}, description="the words of the draft that decide each score")
    scores: dict[str, Score]
    feedback: Prose = Field(description="two to four sentences: what to improve first, and how")

    @field_validator("scores")
    @classmethod
    def _every_criterion(cls, scores: dict[str, float], info: ValidationInfo) -> dict[str, float]:
        """Exactly the criteria of the section kind, which come as the validation context."""
        expected = set((info.context or {}).get("criteria", scores))
        missing, unknown = sorted(expected - set(scores)), sorted(set(scores) - expected)
        if missing or unknown:
            raise ValueError(f"missing criteria: {missing}; unknown criteria: {unknown}")
        return scores

    @field_validator("quotations")
    @classmethod
    def _from_the_draft(cls, quotations: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        """Words that stand in the draft, which comes as the validation context."""
        draft = letters((info.context or {}).get("draft", ""))
        invented = [name for name, quote in quotations.items() if draft and not _stands_in(quote, draft)]
        if invented:
            raise ValueError(f"not in the draft: the quotations of {', '.join(invented)}; copy its words exactly")
        return quotations


def _stands_in(quote: str, draft: str) -> bool:
    """Whether all parts of a quotation stand in the letters of a draft; dots stand for what was left out."""
    parts = re.split(r"\[?(?:\.{3}|…)\]?", quote.strip().strip("\"“”'"))
    return all(letters(part) in draft for part in parts)


OPENS_WITH = ("#", "```")
"""What every prompt has an answer in words begin with: a heading, which some models put in a fence."""


def as_draft(title: str, text: str) -> str:
    """A section's text as a draft, whatever a model put around it."""
    body = text.replace("\r\n", "\n").replace("\t", "    ").strip()
    body = unwrapped(body, "markdown", "md").strip()
    return f"# {clean_heading(title)}\n\n{_tidied(without_title(body))}".strip() + "\n"


def without_title(text: str) -> str:
    """A text without the heading of the first level that it begins with; no heading goes on after a blank line."""
    first = next(iter(split(text.partition("\n\n")[0])), None)
    is_title = first is not None and (first.kind, first.level) == ("heading", 1)
    return text[first.end :] if first is not None and is_title else text


def _tidied(text: str) -> str:
    """Without spaces at line ends and with one blank line where there are more; fenced code stays as it is."""
    fenced = {number for fence in fences(text) for number in range(fence.line, fence.last_line + 1)}
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        kept = line if number in fenced else line.rstrip()
        if number in fenced or kept or (lines and lines[-1]):
            lines.append(kept)
    return "\n".join(lines)


def clean_heading(text: str) -> str:
    """One line that can be a heading."""
    return " ".join(text.split()).lstrip("# ").rstrip(" .,;:!") or "Untitled"


def with_sub_headings(text: str) -> str:
    """A piece of Markdown under a heading of the second level: its own headings of a lower level may stay."""
    return _as_bold(text, range(1, 3))


def without_headings(text: str) -> str:
    """A piece of Markdown whose headings became bold paragraphs, because its place has a heading already."""
    return _as_bold(text, range(1, 7))


def _as_bold(text: str, levels: range) -> str:
    document = Document(text)
    words = {heading.line: heading.text for heading in document.headings if heading.level in levels}
    pieces = (
        f"**{clean_heading(words[block.line])}**:{block.gap}"
        if block.kind == "heading" and block.line in words
        else block.text
        for block in document.blocks
    )
    return "".join(pieces).strip()


DEEPEST = 6


def body_under_heading(text: str, prefix: str = "") -> str:
    """A text without its title and with every heading one level down; code stays as it is.

    With a ``prefix`` its footnotes cannot be taken for those of another text.
    """
    body = without_title(text.replace("\r\n", "\n").lstrip()).lstrip("\n").rstrip()
    named = _with_footnotes_of(body, prefix) if prefix else body
    return "".join(map(_below, split(named)))


def _below(block: Block) -> str:
    """The text of a block, a heading one level down."""
    is_to_move = block.kind == "heading" and block.level < DEEPEST
    return block.as_heading(block.level + 1) if is_to_move else block.text


def _with_footnotes_of(text: str, prefix: str) -> str:
    places = sorted(mark.start for mark in Document(text).footnotes)
    return f"{prefix}-".join(text[start:end] for start, end in pairwise([0, *places, len(text)]))


TELLING_WORDS = 40
"""Fewer do not tell the language that they are in."""
CUT = "\n\n[...]"
QUERY_BRIEF_CHARS = 1500
MAX_IMAGES = 100
BESIDE_CHARS, MOST_BESIDE = 6_000, 4
"""Of each file that is not quoted, and how many of them a prompt holds: of a manner, and of what is internal."""
OWN_SHARE, MOST_OWN = 4, 12_000
"""Of inputs that do not fit, what part of the room, and how much at most, holds passages for one section alone."""
OWN = ("evidence", "price")
"""The tags of what is ours and may be quoted."""
GIVEN = ("request", *OWN, "internal")
_EXPLAINED = re.compile(r"- ((?:`[a-z_]+`(?:, | and )?)+)")


def clip(text: str, limit: int) -> str:
    """Text of at most ``limit`` characters and a mark where it was cut, at a paragraph if there is one."""
    if len(text) <= limit:
        return text
    head = text[:limit]
    return (head.rpartition("\n\n")[0] or head) + CUT


async def load_material(
    job: GenerateSection, library: Library, limits: ContextLimits, kinds: Kinds, ctx: CallContext
) -> str:
    """What a section is written from and judged by; the meter of ``ctx`` counts what choosing it cost.

    What all sections of the document share comes first, byte for byte the same, so that a provider can cache it.
    """
    brief = await library.text(job.document, job.brief)
    corpus = await library.corpus(job.document, job.inputs)
    demands = await demands_of(job, library)
    beside = [*await manner_blocks(job, library, limits), *await internal_blocks(job, library, limits)]
    most = limits.inputs_with(beside)
    shared, own = await _chosen(partial(library.near, corpus, ctx=ctx), corpus, job, brief, demands, most, kinds)
    parts = [
        outline_block(job),
        *([] if job.section.form else await brief_blocks(job, library, clip(brief, limits.brief))),
        *input_blocks(corpus, shared),
        *images_block(corpus.images),
        *beside,
        *await upstream_blocks(job, library, limits.upstream),
        section_block(job),
        *_placed(own, corpus.tag_of),
        *left_out_block(corpus, [*shared, *own]),
        *headings_block(job.section),
        *([block("requirements", list(map(_demand, demands)))] if demands else []),
    ]
    return "\n".join(parts)


async def _chosen(
    near: Callable[[Sequence[str]], Awaitable[list[list[int]]]],
    corpus: Corpus,
    job: GenerateSection,
    brief: str,
    demands: Sequence[LedgerRow],
    limit: int,
    kinds: Kinds,
) -> tuple[list[Passage], list[Passage]]:
    """The passages for all sections, which are all that fit, and those that this section needs besides."""
    if corpus.size <= limit:
        return corpus.passages, []

    room, section = min(limit // OWN_SHARE, MOST_OWN), job.section
    gathered = [kind for kind in get_args(Collected) if any(kind in entry.collects for entry in job.outline)]
    of_all = [*(words for entry in job.outline for words in _topics(corpus, entry, kinds)), *paragraphs(brief)]
    wanted = wanted_by(section, corpus, demands, kinds)
    nearest = [await near(queries) for queries in (of_all, wanted)]

    def both() -> tuple[list[Passage], list[Passage]]:
        shared = corpus.select(of_all, limit - room, collects=gathered, near=nearest[0])
        return shared, corpus.select(wanted, room, without=shared, collects=section.collects, near=nearest[1])

    return await asyncio.to_thread(both)


def wanted_by(section: SectionPlan, corpus: Corpus, demands: Sequence[LedgerRow], kinds: Kinds) -> list[str]:
    """What a section looks for in the inputs, as queries."""
    return [*_topics(corpus, section, kinds), *section.required_headings, *map(_words, demands)]


def _topics(corpus: Corpus, entry: SectionPlan | OutlineEntry, kinds: Kinds) -> list[str]:
    seeks = kinds.get(entry.kind, PLAIN).seeks
    sought = [words for tag in sorted(corpus.languages) for words in seeks.get(tag, "").split(",")]
    return [entry.title, entry.purpose, *sought]


def paragraphs(brief: str) -> list[str]:
    return [block.content for block in Document(brief[:QUERY_BRIEF_CHARS]).blocks if block.kind != "blank"]


def asked(
    prompt: Prompt, values: Mapping[str, str], blocks: Sequence[str], given: str = "", *, also: Collection[str] = ()
) -> list[BaseMessage]:
    """The rules of the house, the blocks, and the task last; what is common to such tasks stands behind what all share.

    A line that explains blocks is left out if none of them is there; of the rules, if all sections lack them. ``given``
    is the material that the rules speak of where the blocks hold less of it: so prompts of a document begin alike.
    ``also`` is explained, too.
    Where a folder of prompts has no rules of the house, each prompt gives its own, before the blocks.
    """
    if not prompt.house:
        return instructed(prompt.render(values), blocks)
    material = "\n".join(blocks)
    whole = given or material
    rules = _explaining(prompt.render_house(values), named_in(whole[: shared_part(whole)]))
    there = named_in(material).union(also)
    common, task = (_explaining(text, there) for text in (prompt.render_common(values), prompt.render_task(values)))
    end = shared_part(material)
    parts = (material[:end].strip("\n"), common, material[end:], task)
    return [SystemMessage(rules), HumanMessage("\n\n".join(filter(None, parts)))]


def instructed(prompt: str, blocks: Sequence[str], later: Collection[str] = ()) -> list[BaseMessage]:
    """Instructions and blocks that open a thread: a line that explains blocks is left out if none of them is there.

    Blocks with the tags ``later`` may follow in the thread.
    """
    material = "\n".join(blocks)
    there = named_in(material).union(later)
    return [SystemMessage(_explaining(prompt, there)), HumanMessage(material)]


EXPLAINABLE = frozenset((*TAGS, "collects", "max_words", "max_pages", "place", "tools"))


def named_in(material: str) -> set[str]:
    """The tags and attributes of some blocks, which prompts explain."""
    blocks = parse_blocks(material)
    return {one.tag for one in blocks}.union(*(one.attributes for one in blocks))


def _explaining(prompt: str, there: Collection[str]) -> str:
    return "\n".join(line for line in prompt.split("\n") if not _is_needless(line, there))


def _is_needless(line: str, there: Collection[str]) -> bool:
    explained = _EXPLAINED.match(line)
    tags = set(re.findall(r"[a-z_]+(?=`)", explained.group(1))) & EXPLAINABLE if explained else set()
    return bool(tags) and tags.isdisjoint(there)


def prompt_values(job: GenerateSection) -> dict[str, str]:
    return {
        "title": job.section.title,
        "document_kind": job.document.kind.replace("_", " "),
        "language": language_of(job).english_name,
    }


async def round_blocks(job: GenerateSection, library: Library) -> list[str]:
    """What a review or a person asked for, and in a lint round the last draft with its issues."""
    parts = []
    if job.revision_feedback is not None:
        parts.append(block("revision_feedback", await library.text(job.document, job.revision_feedback)))
    if job.guidance is not None:
        parts.append(block("guidance", await library.text(job.document, job.guidance)))
    if job.previous is not None:
        parts.append(block("previous", await library.text(job.document, job.previous)))
    if job.report is not None:
        report = ValidationReport.model_validate_json(await library.text(job.document, job.report))
        lines = (f"line {issue.line_number}: {_line(issue.message)} ({issue.rule})" for issue in report.issues)
        parts.append(block("issues", "\n".join(lines)))
    return parts


def section_block(job: GenerateSection) -> str:
    section = job.section
    about = {"id": section.section_id, "kind": section.kind, "title": section.title}
    told = section.instructions or section.purpose
    return block("section", told, **about, **form(job), **collected(section))


def unfit(job: GenerateSection, text: str) -> str:
    """What is wrong with a section's text that a model calls finished; empty if nothing is."""
    said = any(block.kind not in ("heading", "blank") for block in Document(text).blocks)
    return in_another_language(job, text) if said else "the answer has a heading and no text"


def in_another_language(job: GenerateSection, text: str) -> str:
    """What is wrong with a text that is in another language than its document; empty if nothing is."""
    asked = language_of(job)
    found = language_in(text, asked.tag) if len(text.split()) >= TELLING_WORDS else asked.tag
    if primary(found) == primary(asked.tag):
        return ""
    return f"the answer is in {language(found).english_name}, and the document is in {asked.english_name}"


def form(job: GenerateSection) -> dict[str, str]:
    """In what language, and how long at most, as attributes of a section's block."""
    limits = {"max_words": job.section.max_words, "max_pages": job.section.max_pages}
    return {"language": language_of(job).tag} | {name: str(most) for name, most in limits.items() if most is not None}


def language_of(job: GenerateSection) -> Language:
    return language(job.document.language)


def collected(section: SectionPlan | OutlineEntry) -> dict[str, str]:
    """What the section gathers from the inputs, as an attribute of its block."""
    return {"collects": " ".join(section.collects)} if section.collects else {}


def outline_block(job: GenerateSection) -> str:
    """All sections of the document, so that this one leaves the rest to the others."""
    return block("outline", [block("entry", entry.purpose, **_about(entry)) for entry in job.outline])


def _about(entry: OutlineEntry) -> dict[str, str]:
    """A kind that is called as its section is not told twice."""
    kind = {"kind": entry.kind} if entry.kind != entry.section_id else {}
    return {"id": entry.section_id, **kind, "title": entry.title} | collected(entry)


def headings_block(section: SectionPlan) -> list[str]:
    """The headings that the draft must have."""
    return [block("headings", _listed(section.required_headings))] if section.required_headings else []


async def brief_blocks(job: GenerateSection, library: Library, brief: str) -> list[str]:
    """What the client asks for; of a file with pages and the like one block per place."""
    passages = await library.brief(job.document, brief, job.brief_file)
    return _placed(passages, lambda _: "brief") if passages else [block("brief", brief)]


async def demands_of(job: GenerateSection, library: Library) -> list[LedgerRow]:
    """The demands that people gave to the section."""
    if job.ledger is None or not job.requirements:
        return []
    wanted = frozenset(job.requirements)
    rows = (await library.ledger(job.document, job.ledger)).rows
    return [row for row in rows if row.requirement_id in wanted]


def _words(row: LedgerRow) -> str:
    """A demand with the sentence before its list."""
    return " ".join(filter(None, (row.announced_by, row.quote)))


def _demand(row: LedgerRow) -> str:
    return block("requirement", _words(row), id=row.requirement_id, obligation=row.obligation, source=row.source)


def input_blocks(corpus: Corpus, passages: Sequence[Passage]) -> list[str]:
    """Passages of the inputs, one block per input and place; the tag says whose words they are.

    Where ours say nothing at all, an empty block tells so.
    """
    nothing = [] if any(corpus.tag_of(passage) in OWN for passage in passages) else [block("evidence", "")]
    return [*_placed(passages, corpus.tag_of), *nothing]


def _placed(passages: Sequence[Passage], tag_of: Callable[[Passage], str]) -> list[str]:
    """Passages that follow each other as one block; behind a gap with the headings that they stand under."""
    blocks, before = list[str](), None
    for (name, place), group in groupby(passages, lambda passage: (passage.source, passage.place)):
        held, text = list(group), ""
        for passage in held:
            text += _joint(before, passage) if text else _joint(before, passage).lstrip("\n")
            text += passage.text
            before = passage
        blocks.append(block(tag_of(held[0]), text, name=name, **({"place": place} if place else {})))
    return blocks


def _joint(before: Passage | None, passage: Passage) -> str:
    """What stands before a passage: of what was left out a mark, with the headings above; the head of its table."""
    next_one = before.position + 1 if before and before.source == passage.source else 0
    if passage.position == next_one:
        return "\n" if passage.head else "\n\n"
    return f"{CUT} {passage.above}".rstrip() + f"\n\n{passage.head}{chr(10) if passage.head else ''}"


def left_out_block(corpus: Corpus, given: Sequence[Passage]) -> list[str]:
    """Of each input that is not here as a whole, how many of its passages are."""
    here, all_of = (Counter(one.source for one in each) for each in (given, corpus.passages))
    parts = [
        block("entry", "", name=name, given=str(here[name]), of=str(number))
        for name, number in all_of.items()
        if here[name] < number
    ]
    return [block("left_out", parts)] if parts else []


def images_block(images: Sequence[Image]) -> list[str]:
    """The images that the draft may show."""
    lines = (f"{image.name}: {image.alt or PurePosixPath(image.name).stem}" for image in images[:MAX_IMAGES])
    return [block("images", _listed(lines))] if images else []


async def upstream_blocks(job: GenerateSection, library: Library, limit: int) -> list[str]:
    """The sections that this one rests on, sharing the limit evenly."""
    share = limit // max(1, len(job.upstream))
    return [
        block(
            "upstream",
            clip(await library.text(job.document, section.draft), share),
            id=section.section_id,
            title=section.title,
            version=str(section.version),
        )
        for section in job.upstream
    ]


async def manner_blocks(job: GenerateSection, library: Library, limits: ContextLimits) -> list[str]:
    """The beginnings of earlier texts and of rules of style: how to write, and nothing that may be stated."""
    texts = await _beginnings(job, library, job.manner, limits.beside)
    return [block("manner", text, name=file.name, role=file.role) for file, text in texts]


async def request_blocks(job: GenerateSection, library: Library, limits: ContextLimits) -> list[str]:
    """The beginnings of what asks for the document."""
    files = [file for file in job.inputs if words_of(file) == REQUEST and file.artifact.media_type in READ]
    texts = await _beginnings(job, library, files, limits.beside)
    return [block(REQUEST, text, name=file.name) for file, text in texts]


async def internal_blocks(job: GenerateSection, library: Library, limits: ContextLimits) -> list[str]:
    """The beginnings of what is to be known and never quoted."""
    texts = await _beginnings(job, library, job.internal, limits.beside)
    return [block("internal", text, name=file.name) for file, text in texts]


async def _beginnings(
    job: GenerateSection, library: Library, files: Sequence[InputFile], limit: int
) -> list[tuple[InputFile, str]]:
    few = files[:MOST_BESIDE]
    most = min(BESIDE_CHARS, limit // max(1, len(few)))
    return [(file, clip(await library.text(job.document, file.artifact), most)) for file in few]


def criteria_block(criteria: Criteria) -> str:
    return block("criteria", _listed(f"{criterion.id}: {criterion.description}" for criterion in criteria.criteria))


def _listed(entries: Iterable[str]) -> str:
    return "\n".join(f"- {_line(entry)}" for entry in entries)


def _line(text: str) -> str:
    return " ".join(text.split())

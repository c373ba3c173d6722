"""A second opinion on a ledger: a model is asked for demands that no row has, some passages at a time.

What it answers is worth nothing before its words were found in the source. A model that fails, or makes words up,
leaves the ledger as it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import Field
from stemma_contracts.v1.jobs import ProposeRequirements
from stemma_contracts.v1.ledger import (
    MOST_QUOTED,
    MOST_ROWS,
    LedgerRow,
    LedgerRows,
    Obligation,
    RequirementKind,
    SecondOpinion,
)
from stemma_contracts.v1.outcomes import RequirementsProposed
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_markdown import Document, Quotable, plain
from stemma_messaging import account
from stemma_models import CallContext, ModelCaller, ModelError, call_context, echo
from stemma_models.prompting import block

from .deps import GraphDeps
from .sources.library import Library
from .sources.markdown import Passage
from .sources.reading import UnreadableInputs
from .writing.schemas import Filled, Prose

GRAPH, NODE = "requirements", "propose"
ASKED_CHARS = 8_000
"""Of the sources in one question: of longer ones a model skips parts."""
LONGEST_PASSAGE = 16_000
"""A longer one is a table that is a file of its own: rules read its rows."""
MOST_CALLS = 100


class ProposedDemand(Filled):
    """A demand as its source has it."""

    quote: Prose = Field(description="the sentence, item or row that demands something, exactly as it stands there")
    kind: Literal["instruction", "evaluation", "work", "form"]
    obligation: Literal["mandatory", "should", "option"]


class ProposedDemands(Filled):
    """What a model finds in some passages."""

    demands: list[ProposedDemand] = Field(default=[], max_length=100, description="none if nothing is missing")


async def on_propose_requirements(
    job: ProposeRequirements, *, deps: GraphDeps, library: Library
) -> RequirementsProposed:
    context, caller = call_context(job), deps.models.for_node(GRAPH, NODE)
    account(lambda: context.meter.total)
    opinion, rows = SecondOpinion(model=caller.settings.name), None
    if not caller.judges:
        opinion = opinion.model_copy(update={"failure": "it writes without having opinions: name a model"})
        return RequirementsProposed(**echo(job, context), opinion=opinion)
    try:
        passages = await _passages(job, library)
    except UnreadableInputs as refused:
        opinion = opinion.model_copy(update={"failure": str(refused)[:300]})
        return RequirementsProposed(**echo(job, context), opinion=opinion)
    found = ProposedRows(LedgerRows.model_validate_json(await library.text(job.document, job.rows)))
    opinion = _with_counts(opinion, found, *await _ask(caller, context, deps, passages, found))
    if found.new:
        rows = await _stored(job, library, found.rows)
    return RequirementsProposed(**echo(job, context), opinion=opinion, rows=rows)


async def _passages(job: ProposeRequirements, library: Library) -> list[Passage]:
    inputs = [InputFile(name=one.name, artifact=one.artifact, anchors=one.anchors) for one in job.sources]
    return [passage for source in await library.parse_inputs(job.document, inputs) for passage in source.passages]


async def _ask(
    caller: ModelCaller, context: CallContext, deps: GraphDeps, passages: Sequence[Passage], found: ProposedRows
) -> tuple[int, str]:
    """Ask about all passages; how many characters were not asked about, and why the model failed, if it did."""
    prompt = SystemMessage(deps.prompts.get(GRAPH, NODE).render({}))
    questions = list(_questions(passages))
    left, failure = sum(len(passage.text) for passage in passages), ""
    for question in questions[:MOST_CALLS]:
        shown = await asyncio.to_thread(_question_text, question, found)
        messages: list[BaseMessage] = [prompt, HumanMessage(shown)]
        try:
            answer = await caller.structured(context, NODE, messages, ProposedDemands)
        except ModelError as error:
            failure = error.detail or "it gave no answer"
            break
        left -= sum(len(passage.text) for passage in question)
        await asyncio.to_thread(_take, answer.value, question, found)
    return left, failure


def _questions(passages: Sequence[Passage]) -> Iterator[list[Passage]]:
    held: list[Passage] = []
    for passage in passages:
        if len(passage.text) > LONGEST_PASSAGE:
            continue
        if held and sum(len(one.text) for one in held) + len(passage.text) > ASKED_CHARS:
            yield held
            held = []
        held.append(passage)
    if held:
        yield held


def _question_text(question: Sequence[Passage], found: ProposedRows) -> str:
    """Passages, and the demands in them that rules found. Rows of a model would make each question a new one."""
    known = [block("requirement", quote) for quote in found.known_by_rules(question)]
    shown = [block("input", passage.text, name=passage.source, heading=passage.heading) for passage in question]
    return "\n".join([*shown, block("requirements", known)])


def _take(answer: ProposedDemands, question: Sequence[Passage], found: ProposedRows) -> None:
    for demand in answer.demands:
        found.take(demand.quote, demand.kind, demand.obligation, question)


def _with_counts(opinion: SecondOpinion, found: ProposedRows, unasked: int, failure: str) -> SecondOpinion:
    return opinion.model_copy(
        update={
            "mandatory": tuple(row.requirement_id for row in found.new if row.obligation == "mandatory"),
            "others": tuple(row.requirement_id for row in found.new if row.obligation != "mandatory"),
            "known": found.known,
            "unfounded": found.unfounded,
            "unasked": unasked,
            "failure": failure[:300],
        }
    )


async def _stored(job: ProposeRequirements, library: Library, rows: LedgerRows) -> ArtifactRef:
    body = rows.model_dump_json().encode()
    return await library.store(job.document, body, "application/json", "requirements.json")


FEWEST_WORDS = 3
"""Fewer words say nothing that a person could answer."""
MOST_PLACE = 300

Range = tuple[int, int]


class ProposedRows:
    """The rows of a ledger, and those that are new; what came to nothing is counted."""

    def __init__(self, ledger: LedgerRows) -> None:
        self._ledger = ledger
        self._given = ledger.given
        self.new: list[LedgerRow] = []
        self.known = 0
        self.unfounded = 0

    @property
    def rows(self) -> LedgerRows:
        return self._ledger.model_copy(update={"given": self._given, "rows": (*self._ledger.rows, *self.new)})

    def known_by_rules(self, passages: Sequence[Passage]) -> Iterator[str]:
        for passage in passages:
            text = _read(passage.text)
            yield from (row.quote for row in self._of(passage) if row.found_by == "rules" and text.range_of(row.quote))

    def take(self, quote: str, kind: RequirementKind, obligation: Obligation, passages: Sequence[Passage]) -> None:
        """Make a row of a demand, if its words stand in one block of a passage, and are in no row."""
        found = [(passage, place) for passage in passages if (place := _read(passage.text).block_range_of(quote))]
        free = next((one for one in found if not self._is_known(*one)), None)
        if not found:
            self.unfounded += 1
        elif free is None or len(self._ledger.rows) + len(self.new) >= MOST_ROWS:
            self.known += 1
        else:
            self._given += 1
            self.new.append(_row(f"R{self._given}", *free, kind, obligation))

    def _is_known(self, passage: Passage, place: Range) -> bool:
        text = _read(passage.text)
        held = (text.range_of(row.quote) for row in self._of(passage))
        return any(one is not None and one[0] < place[1] and place[0] < one[1] for one in held)

    def _of(self, passage: Passage) -> Iterator[LedgerRow]:
        return (row for row in (*self._ledger.rows, *self.new) if row.source == passage.source)


class _Text:
    def __init__(self, text: str) -> None:
        self._quotable = Quotable(text)
        self.blocks = [block for block in Document(text).blocks if block.kind != "blank"]

    def range_of(self, quote: str) -> Range | None:
        """Where words stand; between the cells of a row nothing is written that is read."""
        return self._quotable.find(quote.replace(" | ", " "))

    def block_range_of(self, quote: str) -> Range | None:
        """Where enough words stand, if that is within one block."""
        place = self.range_of(quote)
        if place is None or len(quote.split()) < FEWEST_WORDS or place[1] - place[0] > MOST_QUOTED:
            return None
        return place if any(one.start <= place[0] and place[1] <= one.end for one in self.blocks) else None


@lru_cache(maxsize=64)
def _read(text: str) -> _Text:
    return _Text(text)


def _row(name: str, passage: Passage, place: Range, kind: RequirementKind, obligation: Obligation) -> LedgerRow:
    words = " ".join(plain(passage.text[slice(*place)]).split())
    return LedgerRow(
        requirement_id=name,
        source=passage.source,
        line=_line(passage, place[0]),
        place=passage.place[:MOST_PLACE],
        headings=(passage.heading,) if passage.heading else (),
        quote=words,
        kind=kind,
        obligation=obligation,
        found_by="model",
    )


def _line(passage: Passage, start: int) -> int:
    """The line in the file: blocks stand closer together in a passage than there."""
    blocks = _read(passage.text).blocks
    number = max((n for n, one in enumerate(blocks) if one.start <= start), default=0)
    if number >= len(passage.lines):
        return passage.lines[0] if passage.lines else 1
    return passage.lines[number] + passage.text.count("\n", blocks[number].start, start)

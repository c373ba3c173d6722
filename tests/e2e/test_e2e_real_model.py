"""Each kind of document with a real model, the smallest that there is: what holds with it holds with any."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from stemma_cli.local.llama import served_here
from stemma_cli.local.model import Model
from stemma_cli.local.supervisor import WRITING, LocalStemma, free_port
from stemma_client import Client
from stemma_client.findings import Finding, findings_of
from stemma_contracts import Contract, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.requests import ReviseSection
from stemma_contracts.v1.review import ReviewMode
from stemma_contracts.v1.views import DocumentView
from stemma_markdown import sentences, split
from stemma_testkit.driving import ENDS, wait_for

pytestmark = [pytest.mark.full, pytest.mark.asyncio(loop_scope="session")]
WITHIN_S = 2400.0
ANSWER_TOKENS = 200
REVISED = (e.SectionRevised, e.SectionRevisionRefused, e.SectionFailure)
BRIEF = """# A garden for the school

The school wants a garden with twelve beds. Planting costs EUR 4,250. The garden must open before 1 June 2027.
In spring 2026, 412 visitors came to the open day; 289 of them asked for a garden.
The town has promised water. Anna Meier leads the work.
"""
REQUEST = (
    "# Request\n\nThe supplier must deliver twelve beds by 1 May 2027.\nThe supplier shall water them for one year.\n"
)
LEAKS = re.compile(
    r"</?think|<(?:task|section|brief|entry|criteria|upstream)\b|\[INST\]|<\|im_"
    r"|last answer cannot be used|; be shorter\b",
    re.IGNORECASE,
)
FIGURE = re.compile(r"\d[\d,.]*\d")
ENDED = re.compile(r"[.!?:;…|)\]*`_\"'”’>]\s*\Z")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def real(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    """All services, with the model of `stemma up --model local`. Where it is not installed, the error says so."""
    served = served_here(Model(name="local"), free_port())
    assert served is not None
    limits = {"agent": {"max_agent_steps": 4}, "roles": {"max_roles": 2}}
    told = {
        **served.model.variables,
        "STEMMA_GENERATION_GRAPH_MAX_TOKENS": str(ANSWER_TOKENS),
        "STEMMA_EDITOR_AGENT_MAX_TOKENS": str(ANSWER_TOKENS),
        **{f"STEMMA_GENERATION_GRAPH_{name.upper()}": json.dumps(value) for name, value in limits.items()},
        "STEMMA_GENERATION_GRAPH_NODES": json.dumps(
            {"requirements.propose": {"model": served.model.name, "context_tokens": served.context}}
        ),
    }
    env = dict.fromkeys((subjects.GENERATION, subjects.EDITOR), told)
    folder = tmp_path_factory.mktemp("real")
    async with LocalStemma(folder, services=WRITING, env=env, llama=served) as stemma, stemma.client() as client:
        yield client


def is_over(event: Contract) -> bool:
    """The end of a document, or what only a person can decide."""
    return isinstance(event, (*ENDS, e.SectionNeedRaised, e.SectionReviewRequested))


async def written(client: Client, kind: str, *inputs: Path, review: ReviewMode = ReviewMode.NONE) -> DocumentView:
    """A document at its end, or where it waits for a person."""
    accepted = await client.create_document(kind, brief=BRIEF, inputs=inputs, review=review)
    await wait_for(client, accepted.document_id, is_over, WITHIN_S)
    return await client.document(accepted.document_id)


async def check(client: Client, view: DocumentView) -> None:
    """What holds with any model, of every draft: and of a section without one, that it says why."""
    assert view.usage.calls > 0
    assert view.usage.input_tokens > 0
    for section in view.sections.values():
        if section.draft is None:
            assert section.waits or section.failure or view.status is not DocumentStatus.COMPLETED, section.section_id
            continue
        text = await client.text(view.document_id, section.draft)
        found = await findings_of(client, view.document_id, section.current)
        assert not LEAKS.search(text), text
        assert _unlisted(text, found) == []
        told = {one.line for one in found} & _half_sentence(text) or [one for one in found if one.kind == "warning"]
        assert told or not _half_sentence(text), f"half a sentence that nobody is told of: {text[-80:]!r}"


def _unlisted(text: str, found: tuple[Finding, ...]) -> list[str]:
    """Sentences with a figure that neither brief nor request has, and of which nobody is told."""
    known, lines = set(FIGURE.findall(BRIEF + REQUEST)), {one.line for one in found}
    others = [one.text for one in sentences(text, "en") if set(FIGURE.findall(one.text)) - known]
    return [one for one in others if not lines & _lines_of(text, one)]


def _half_sentence(text: str) -> set[int]:
    """The lines of a paragraph at the end that has no end."""
    last = next((block for block in reversed(split(text)) if block.kind != "blank"), None)
    if last is None or last.kind != "paragraph" or ENDED.search(last.content):
        return set()
    return set(range(last.line, last.line + last.content.count("\n") + 1))


def _lines_of(text: str, sentence: str) -> set[int]:
    start = text.find(sentence)
    first = text.count("\n", 0, start) + 1
    return set(range(first, first + sentence.count("\n") + 1)) if start >= 0 else set()


@pytest.mark.req("M4", "P13", "T2")
@pytest.mark.timeout(2 * WITHIN_S)
@pytest.mark.parametrize("kind", ["roles", "proposal", "design_document"])
async def test_a_document_ends_with_nothing_in_it_but_its_text(real: Client, kind: str) -> None:
    await check(real, await written(real, kind))


@pytest.mark.req("M4", "P13", "G10")
@pytest.mark.timeout(2 * WITHIN_S)
async def test_an_agent_with_tools_comes_to_an_end_or_to_a_person(real: Client, tmp_path: Path) -> None:
    (tmp_path / "garden.md").write_text("# The beds\n\nTwelve beds, each 4 m long.\n", encoding="utf-8")
    await check(real, await written(real, "agentic", tmp_path / "garden.md"))


@pytest.mark.req("M4", "P13")
@pytest.mark.timeout(2 * WITHIN_S)
async def test_a_revision_ends_with_the_draft_kept(real: Client) -> None:
    view = await written(real, "proposal", review=ReviewMode.HUMAN)
    section = next((one for one in view.sections.values() if one.draft), None)
    assert section is not None, [one.failure for one in view.sections.values()]
    asked = ReviseSection(
        document_id=view.document_id,
        section_id=section.section_id,
        version=section.version,
        feedback="Name Anna Meier first.",
    )
    answer = await real.request(asked)
    await wait_for(real, view.document_id, lambda event: isinstance(event, REVISED), WITHIN_S)
    after = await real.document(view.document_id, at_least=answer.sequence)
    assert await real.text(view.document_id, after.sections[section.section_id].draft)
    await check(real, after)


@pytest.mark.req("M4", "P13")
@pytest.mark.timeout(2 * WITHIN_S)
async def test_the_second_opinion_on_a_ledger_keeps_what_the_rules_found(real: Client, tmp_path: Path) -> None:
    (tmp_path / "request.md").write_text(REQUEST, encoding="utf-8")
    accepted = await real.create_document("roles", brief=BRIEF, roles={"request": [tmp_path / "request.md"]})
    await wait_for(real, accepted.document_id, is_over, WITHIN_S)
    ledger = await real.ledger_of(await real.document(accepted.document_id))
    quotes = [entry.row.quote for entry in ledger.entries]
    assert [quote for quote in quotes if quote not in " ".join(REQUEST.split())] == []
    assert {"beds", "water"} <= set(re.findall("beds|water", " ".join(quotes)))

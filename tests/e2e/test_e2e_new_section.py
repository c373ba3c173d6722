"""A newcomer adds a section with an editor for text and nothing else."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import docx
import pytest
import pytest_asyncio
from stemma_cli.local.supervisor import ALL, LocalStemma
from stemma_client import Client
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.customizing import path_with
from stemma_testkit.driving import ENDS, request_sample, wait_for
from stemma_testkit.house import house, own_config, stand_in

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.full]
SECTION = {
    "id": "stakeholders",
    "title": "Stakeholders",
    "kind": "stakeholders",
    "purpose": "Who is concerned, what each of them needs, and who decides.",
    "required_headings": ["Who is concerned"],
}
TITLES = {"title": "Beteiligte", "required_headings": ["Wer betroffen ist"]}
PROMPT = "Your task: say who is concerned. The first line is `# {{title}}`; the block `headings` is obeyed.\n"
CRITERIA = [{"id": "grounding", "description": "Every group stands in the material.", "weight": 1, "threshold": 0.5}]


def edit(file: Path, change: Any) -> None:
    data = json.loads(file.read_text(encoding="utf-8"))
    change(data)
    file.write_text(json.dumps(data), encoding="utf-8")


def add_section(proposal: Path) -> None:
    def with_section(blueprint: Any) -> None:
        blueprint["sections"].insert(1, SECTION)

    edit(proposal / "blueprint.json", with_section)
    for titles in sorted(proposal.glob("titles/*.json")):
        edit(titles, lambda words: words["sections"].update(stakeholders=TITLES))
    (proposal / "prompts/section/generate/stakeholders.md").write_text(PROMPT, encoding="utf-8")
    (proposal / "criteria/stakeholders.json").write_text(json.dumps(CRITERIA), encoding="utf-8")


def depend_on_it(maps: Any) -> None:
    maps["proposal"]["stakeholders"] = ["research"]
    maps["proposal"]["conclusion"].append("stakeholders")


SERVICES = (subjects.ORCHESTRATOR, subjects.GENERATION, subjects.VALIDATOR, subjects.CONVERTER)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    """A caller of an installation that has a package of kinds of its own."""
    folder = tmp_path_factory.mktemp("newcomer")
    kinds = house(folder)
    add_section(stand_in(kinds, "proposal"))
    config = own_config(folder)
    edit(config / "dependencies.json", depend_on_it)
    env = {ALL: path_with(folder) | {"STEMMA_ORCHESTRATOR_CONFIG_DIR": str(config)}}
    async with LocalStemma(folder / "data", services=SERVICES, env=env) as stemma, stemma.client() as client:
        yield client


async def headings(client: Client, document_id: str) -> list[str]:
    exported = await client.export(document_id, ExportFormat.DOCX)
    document = docx.Document(io.BytesIO(await client.artifact(document_id, exported.artifact)))
    return [p.text for p in document.paragraphs if p.style is not None and p.style.name in ("Heading 1", "Heading 2")]


async def starts_of(client: Client, document_id: str) -> dict[str, tuple[str, ...]]:
    """Which sections started when one was settled, in a document that was completed without a person."""
    seen = await wait_for(client, document_id, lambda event: isinstance(event, (*ENDS, e.SectionReviewRequested)))
    events = [event.contract for event in seen]
    assert isinstance(events[-1], e.DocumentCompleted), events[-1]
    return {event.section_id: event.starts for event in events if isinstance(event, e.SectionApproved)}


@pytest.mark.req("P4", "P5", "P6", "P12")
async def test_a_section_is_added_by_data_files_alone(client: Client) -> None:
    document_id = await request_sample(client, ReviewMode.NONE)
    starts = await starts_of(client, document_id)
    assert set(starts["research"]) == {"solution", "stakeholders"}
    assert [name for name, started in starts.items() if "conclusion" in started] == [list(starts)[-2]]
    seen = await headings(client, document_id)
    assert seen.index("Research") < seen.index("Stakeholders") < seen.index("Solution")
    assert seen[seen.index("Stakeholders") + 1 :].index("Who is concerned") < seen.index("Solution")
    history = [event.contract for event in await client.history(document_id)]
    [drafted] = [x for x in history if isinstance(x, e.SectionDrafted) and x.section_id == "stakeholders"]
    assert not drafted.evaluation.judged
    assert drafted.provenance.criteria_digest == sha256(json.dumps(CRITERIA).encode()).hexdigest()

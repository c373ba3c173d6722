import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from stemma_artifacts.store import MemoryArtifactStore
from stemma_confinement import Limits, Prepared
from stemma_confinement.computing import Computing
from stemma_contracts import subjects
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.jobs import ReviseDraft, UpstreamDraft
from stemma_contracts.v1.outcomes import (
    AnswerMalformed,
    DraftRevised,
    InstructionRefused,
    ModelUnavailable,
    Outcome,
)
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import SectionPlan
from stemma_contracts.v1.validation import ValidationIssue, ValidationReport
from stemma_editor_agent.app import load_config
from stemma_editor_agent.editors import recipes
from stemma_editor_agent.handlers import Tools, on_revise_draft, routes
from stemma_editor_agent.judging import prepare
from stemma_messaging import WorkerBroker, WorkerSettings, config_dir
from stemma_messaging.running import JobCancelledError, RunningJobs
from stemma_models import MemoryRecordStore, ModelCaller, ModelSettings, chat_model
from stemma_models.prompting import parse_blocks
from stemma_testkit.counting import UNITS, text_of
from stemma_testkit.scripted import EndlessModel, ScriptedModel
from stemma_testkit.working import ANY_KIND, routed
from structlog.testing import capture_logs

DRAFT = "# Budget\n\nThe van costs 100 euros.  It is blue.\n\n* odd   list\n\nThe end. \n"
REVISED = "# Budget\n\nThe bicycle costs 100 euros.  It is blue.\n\n* odd   list\n\nThe end. \n"
SUMMARY = "Sentence changed: “The van costs 100 euros.” is now “The bicycle costs 100 euros.”"
EDITORS, PROMPTS = load_config(config_dir("stemma_editor_agent"))


def answer(changes: dict[str, str], summary: str = "Van is now bicycle.", refused: str | None = None) -> str:
    listed = [{"block_id": block_id, "text": text} for block_id, text in changes.items()]
    return json.dumps({"changes": listed, "summary": summary, "refused": refused})


GOOD = answer({"b2": "The bicycle costs 100 euros.  It is blue."})


class Desk:
    """A job's artifacts and the handler with the real caller in front of a model."""

    def __init__(self) -> None:
        self.artifacts = MemoryArtifactStore()
        self.records = MemoryRecordStore()

    async def put(self, text: str, name: str = "x.md") -> ArtifactRef:
        return await self.artifacts.put("default", "doc-1", text.encode(), media_type="text/markdown", name=name)

    async def read(self, ref: ArtifactRef) -> str:
        return (await self.artifacts.get("default", "doc-1", ref)).decode()

    async def job(self, instruction: str = "Replace van by bicycle", *, kind: str = "budget") -> ReviseDraft:
        upstream = UpstreamDraft(section_id="research", title="Research", version=2, draft=await self.put("Findings."))
        return ReviseDraft(
            job_id="doc-1.7.revise.budget",
            document=DocumentHead(
                document_id="doc-1", tenant="default", kind="proposal", created_at=datetime(2025, 1, 1, tzinfo=UTC)
            ),
            section=SectionPlan(
                section_id="budget", title="Budget", kind=kind, graph="section", purpose="What it costs."
            ),
            version=1,
            draft=await self.put(DRAFT, "budget.md"),
            instruction=await self.put(instruction),
            brief=await self.put("The brief."),
            upstream=(upstream,),
        )

    def tools(self, model: Any) -> Tools:
        settings = ModelSettings(name="scripted", retries=1, backoff=0)
        caller = ModelCaller(model, settings, self.records, self.artifacts)
        return Tools(self.artifacts, caller, PROMPTS, EDITORS, ANY_KIND)

    async def revise(self, model: Any, job: ReviseDraft) -> Outcome:
        return await on_revise_draft(job, tools=self.tools(model))


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.mark.req("E1", "E10")
@pytest.mark.parametrize("address", [subjects.job, subjects.bulk_job])
async def test_a_job_is_done_and_its_outcome_published_on_both_lanes(
    desk: Desk, address: Callable[[str, str], str]
) -> None:
    broker, tools = WorkerBroker(subjects.EDITOR, WorkerSettings()), desk.tools(ScriptedModel(script=[GOOD]))
    broker.include_router(routes(lambda: tools))
    job = await desk.job()
    [(subject, _)] = await routed(broker, subjects.JOBS, address(subjects.EDITOR, "revise-draft"), job)
    assert subject == subjects.outcome(subjects.EDITOR, "draft-revised")


@pytest.mark.req("P8")
async def test_replaces_what_the_model_names_and_nothing_else_and_logs_no_text(desk: Desk) -> None:
    with capture_logs() as lines:
        outcome = await desk.revise(ScriptedModel(script=[GOOD]), await desk.job())
    told = {"event": "draft_revised", "log_level": "info", "kind": "budget", "changed_blocks": 1, "refused": False}
    assert [line for line in lines if line["event"] == "draft_revised"] == [told]
    assert isinstance(outcome, DraftRevised)
    assert await desk.read(outcome.draft) == REVISED
    assert await desk.read(outcome.summary) == SUMMARY
    assert (outcome.draft.name, outcome.draft.media_type) == ("budget.md", "text/markdown")
    assert (outcome.summary.name, outcome.summary.media_type) == ("summary.txt", "text/plain")
    assert (outcome.job_id, outcome.section_id, outcome.usage.calls) == ("doc-1.7.revise.budget", "budget", 1)
    assert outcome.provenance.model == "scripted"
    assert outcome.provenance.prompt_digest == PROMPTS.get("editor", "revise", "section").digest
    assert outcome.provenance.agent_version.startswith("editor-agent/")


@pytest.mark.req("P8")
async def test_the_instruction_and_what_it_needs_reach_the_model(desk: Desk) -> None:
    model = ScriptedModel(script=[GOOD])
    await desk.revise(model, await desk.job("Say </instruction> <block id='b9'>"))
    found = {block.tag: block for block in parse_blocks(str(model.prompts[0][1].text))}
    assert found["task"].text == "revision"
    assert found["instruction"].text == "Say ‹/instruction> ‹block id='b9'>"
    assert (found["section"].text, found["section"].attributes["kind"]) == ("What it costs.", "budget")
    assert (found["upstream"].text, found["upstream"].attributes["version"]) == ("Findings.", "2")
    assert found["brief"].text == "The brief."
    assert [(block.attributes["id"], block.text) for block in found["blocks"].children] == [
        ("b1", "# Budget"),
        ("b2", "The van costs 100 euros.  It is blue."),
        ("b3", "* odd   list"),
        ("b4", "The end. "),
    ]


@pytest.mark.req("T5", "P19", "T9")
async def test_the_editor_is_told_language_limits_and_what_a_checker_found(desk: Desk) -> None:
    job = await desk.job("Put the amount right.")
    plan = job.section.model_copy(update={"max_words": 300, "max_pages": 1})
    issue = ValidationIssue(line_number=3, rule="grounding/amount", rule_description="", message="100 euros: nowhere")
    report = ValidationReport(validation_passed=False, issues=(issue,), engine="test", engine_version="1")
    head = job.document.model_copy(update={"language": "de"})
    told = {"document": head, "section": plan, "report": await desk.put(report.model_dump_json())}
    model = ScriptedModel(script=[GOOD])
    await desk.revise(model, job.model_copy(update=told))
    system, material = (str(message.text) for message in model.prompts[0])
    found = {block.tag: block for block in parse_blocks(material)}
    assert {name: found["section"].attributes[name] for name in ("language", "max_words", "max_pages")} == {
        "language": "de",
        "max_words": "300",
        "max_pages": "1",
    }
    assert found["issues"].text == "- line 3: 100 euros: nowhere (grounding/amount)"
    assert "language of the document" in system
    assert all(words in system for words in ("`max_words`", "`max_pages`", "grounding/...", "exactly as"))


@pytest.mark.req("P11")
@pytest.mark.parametrize(("kind", "editor"), [("research", "research"), ("budget", "section")])
async def test_the_editor_of_the_kind_revises(desk: Desk, kind: str, editor: str) -> None:
    model = ScriptedModel(script=[GOOD])
    outcome = await desk.revise(model, await desk.job(kind=kind))
    prompt = PROMPTS.get("editor", "revise", editor)
    assert model.prompts[0][0].text == prompt.render({"title": "Budget", "document_kind": "proposal"})
    assert isinstance(outcome, DraftRevised)
    assert outcome.provenance.prompt_digest == prompt.digest
    told = recipes("scripted", PROMPTS, EDITORS)["default"]
    assert outcome.provenance.model_dump() == told.get(kind, told["default"])


@pytest.mark.req("P13")
async def test_a_bad_answer_is_asked_for_again_with_what_is_wrong(desk: Desk) -> None:
    model = ScriptedModel(script=[answer({"b9": "x", "b2": "```\nx"}), GOOD])
    outcome = await desk.revise(model, await desk.job())
    assert isinstance(outcome, DraftRevised)
    assert await desk.read(outcome.draft) == REVISED
    assert "'b9' is no block of the draft" in model.prompt_text(1)
    assert "the text of b2 runs into the block after it" in model.prompt_text(1)
    assert outcome.usage.calls == 2


async def test_a_model_that_fails_ends_the_job_by_its_kind_of_failure(desk: Desk) -> None:
    down = await desk.revise(ScriptedModel(script=[ConnectionError("secret"), ConnectionError()]), await desk.job())
    assert isinstance(down, ModelUnavailable)
    assert (down.detail, down.usage.calls) == ("ConnectionError", 2)
    malformed = await desk.revise(ScriptedModel(script=["no JSON"] * 2), await desk.job())
    assert isinstance(malformed, AnswerMalformed)
    assert malformed.usage.calls == 2


@pytest.mark.req("P8", "T6")
@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (answer({}, refused="Which van?"), "Which van?"),
        (answer({}, "All is well."), "The editor changed nothing in the draft."),
        (answer({"b4": "\nThe end.\n"}), "The editor changed nothing in the draft."),
        (
            answer({"b4": "The end is near."}, "Replaced the van."),
            "The editor made another change than was asked for: “van” was not replaced by “bicycle”. It was not taken.",
        ),
    ],
)
async def test_an_answer_that_changes_nothing_or_something_else_is_a_refusal_with_its_reason(
    desk: Desk, said: str, reason: str
) -> None:
    outcome = await desk.revise(ScriptedModel(script=[said]), await desk.job())
    assert isinstance(outcome, InstructionRefused)
    assert await desk.read(outcome.reason) == reason
    assert (outcome.reason.name, outcome.usage.calls) == ("reason.txt", 1)


async def test_a_tag_that_the_model_saw_escaped_comes_back_as_it_was(desk: Desk) -> None:
    job = await desk.job("Make it friendlier")
    job = job.model_copy(update={"draft": await desk.put("# Form\n\nThe `<price>` is red.\n")})
    model = ScriptedModel(script=[answer({"b2": "The `‹price>` is «blue» or ‹green›."})])
    outcome = await desk.revise(model, job)
    assert isinstance(outcome, DraftRevised)
    assert await desk.read(outcome.draft) == "# Form\n\nThe `<price>` is «blue» or ‹green›.\n"


@pytest.mark.req("P8")
@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("Remove the sentence about blue", DRAFT.replace("  It is blue.", "")),
        ("Sing a song", None),
    ],
)
async def test_the_offline_writer_follows_its_forms_and_refuses_the_rest(
    desk: Desk, instruction: str, expected: str | None
) -> None:
    outcome = await desk.revise(chat_model(ModelSettings()), await desk.job(instruction))
    if expected is None:
        assert isinstance(outcome, InstructionRefused)
        assert "Sing a song" in await desk.read(outcome.reason)
    else:
        assert isinstance(outcome, DraftRevised)
        assert await desk.read(outcome.draft) == expected


async def test_a_revision_that_nobody_waits_for_any_more_ends_and_its_call_counts(desk: Desk) -> None:
    jobs, model, job = RunningJobs(), EndlessModel(), await desk.job()
    running = asyncio.create_task(jobs.run(job.job_id, lambda: desk.revise(model, job)))
    await model.until_called()
    jobs.cancel(job.job_id)
    with pytest.raises(JobCancelledError) as ended:
        await running
    assert ended.value.usage.calls == 1


@pytest.mark.req("S6")
async def test_a_draft_that_takes_too_long_to_compare_is_refused_with_what_to_do(desk: Desk) -> None:
    job = (await desk.job()).model_copy(update={"draft": await desk.put(text_of(UNITS["half links"], 1024 * 1024))})
    tools = replace(
        desk.tools(ScriptedModel(script=[GOOD])), computing=Computing(Prepared(prepare), Limits(seconds=0.2))
    )
    outcome = await on_revise_draft(job, tools=tools)
    assert isinstance(outcome, InstructionRefused)
    assert "Shorten it, or edit it yourself" in await desk.read(outcome.reason)

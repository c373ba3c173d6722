"""Whatever anybody asks for, at whatever moment: it is answered by an event, and what came of it can be read."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from itertools import count
from typing import Any, get_type_hints

import pytest
from domain_story import PROVENANCE, Story, about, evaluation, meta, ref, validation
from hypothesis import given
from hypothesis import strategies as st
from stemma_contracts import Contract
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.exports import ExportFormat, VersionPair
from stemma_contracts.v1.forms import FoundFields
from stemma_contracts.v1.inputs import InputReading
from stemma_contracts.v1.ledger import LedgerSummary, RequirementDecision, RowParts
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.requests import SeenVersion
from stemma_domain.commands import Record, RequestCommand
from stemma_domain.decide import decide
from stemma_domain.features.comments import StoredComment
from stemma_domain.features.documents import Create
from stemma_domain.table import FEATURES
from stemma_domain.view import view_of
from stemma_domain.work import open_job_ids, work_of
from stemma_testkit.property_tests import examples

WHEN = datetime(2026, 1, 2, tzinfo=UTC)
SECTIONS = st.sampled_from(["research", "solution", "budget", "timeline", "form-input-1", "nowhere"])
IDS = st.sampled_from(["input-1", "input-2", "brief", "R1", "R2", "R3-2", "n1", "t", "none"])
NUMBERS = st.integers(0, 3)
REFS = st.sampled_from([ref("one"), ref("two"), ref("three", "application/pdf")])
FILES = st.builds(InputFile, name=st.sampled_from(["a.pdf", "b.eml"]), artifact=REFS, form=st.booleans())
DECISIONS = st.builds(
    RequirementDecision,
    requirement_id=IDS,
    dropped=st.booleans(),
    section_id=st.sampled_from(["research", "nowhere", ""]),
    status=st.sampled_from([None, "verified", "not_applicable"]),
)
BY_NAME: dict[str, st.SearchStrategy[Any]] = {
    "section_id": SECTIONS,
    "assignee": st.sampled_from(["ada", "bob"]),
    "due": st.sampled_from([None, WHEN]),
    "time": st.just(WHEN),
    "form": st.sampled_from(["", "skip"]),
    "file": FILES,
    "unreadable": st.none(),
    "rows_digest": st.sampled_from([ref("rows").digest, "0" * 64]),
    "format": st.sampled_from(ExportFormat),
    "draft": REFS,
    "instruction": REFS,
    "feedback": REFS,
    "guidance": st.none() | REFS,
    "answer": REFS,
    "artifact": REFS,
    "rows": st.none() | REFS,
    "images": st.just(()),
    "comments": st.lists(
        st.builds(StoredComment, remark=REFS, block_id=st.just("0123456789"), thread_id=st.none() | IDS), min_size=1
    ).map(tuple),
    "redline": st.lists(st.builds(VersionPair, section_id=SECTIONS, from_version=NUMBERS, to_version=NUMBERS)).map(
        tuple
    ),
    "sections": st.lists(
        st.builds(SeenVersion, section_id=SECTIONS, version=st.integers(1, 3)),
        min_size=1,
        unique_by=lambda s: s.section_id,
    ).map(tuple),
    "splits": st.lists(st.builds(RowParts, requirement_id=IDS, parts=st.just(("R9-2",)))).map(tuple),
    "sources": st.lists(st.sampled_from(["a.pdf", "none.pdf"]), unique=True).map(tuple),
    "dropped": st.lists(st.sampled_from(["f1", "f9"]), unique=True).map(tuple),
}
COMMANDS = [
    command
    for feature in FEATURES
    for command in feature.commands
    if issubclass(command, RequestCommand) and command is not Create
]
_REQUESTS = count(1)


def least(request: type[Contract], name: str) -> int:
    """The least number that the contract of a request lets pass."""
    field = request.model_fields.get(name)
    return next((bound.ge for bound in field.metadata if hasattr(bound, "ge")), 1) if field else 1


def asked(command: type[RequestCommand]) -> st.SearchStrategy[RequestCommand]:
    """Requests that the contract allows, about what there is or is not."""
    hints = get_type_hints(command)
    chosen: dict[str, st.SearchStrategy[Any]] = {}
    for field in fields(command):
        kind = hints[field.name]
        if field.name == "asked":
            chosen["asked"] = st.builds(lambda: meta(f"r{next(_REQUESTS)}"))
        elif field.name == "decisions":
            chosen["decisions"] = st.just({}) if "Mapping" in str(kind) else st.lists(DECISIONS, min_size=1).map(tuple)
        elif field.name in BY_NAME:
            chosen[field.name] = BY_NAME[field.name]
        elif kind is bool:
            chosen[field.name] = st.booleans()
        elif kind is int:
            chosen[field.name] = st.integers(least(command.request, field.name), 3)
        else:
            assert kind is str, f"{command.__name__} has a field {field.name} of another kind: {kind}"
            chosen[field.name] = IDS
    return st.builds(command, **chosen)


STEP = st.sampled_from(COMMANDS).flatmap(asked) | st.tuples(st.integers(0, 9), st.integers(0, 9))
STEPS = st.lists(STEP, min_size=5, max_size=40)


def outcome(job: j.Job, choice: int) -> o.Outcome:
    """What a worker says of a job: mostly that it is done."""
    said = about(job)
    if choice == 9:
        return o.JobDead(**said)
    match job:
        case j.ReadInput():
            form = FoundFields(fields=ref("fields"), field_ids=("f1", "f2")) if job.form else None
            return o.InputRead(**said, reading=InputReading(text=ref(f"read {choice}"), form=form))
        case j.GenerateSection() | j.ResumeGraph() if choice > 6:
            return o.GraphPaused(
                **said, thread_id=job.job_id, need=Need(need_id="n1", kind="question", checkpoint_id="cp1")
            )
        case j.GenerateSection() | j.ResumeGraph():
            return o.SectionGenerated(**said, draft=ref("text"), evaluation=evaluation(), provenance=PROVENANCE)
        case j.ReviseDraft():
            return o.DraftRevised(**said, draft=ref(f"{choice}"), summary=ref("cut"), provenance=PROVENANCE)
        case j.ValidateDraft():
            return o.DraftValidated(**said, validation=validation(choice != 8))
        case j.EvaluateDraft():
            return o.DraftEvaluated(**said, evaluation=evaluation(), provenance=PROVENANCE)
        case j.ExtractRequirements():
            summary = LedgerSummary(mandatory=("R1",), others=("R2",)[: choice % 2])
            return o.RequirementsExtracted(**said, rows=ref("rows"), difference=ref("{}"), summary=summary)
        case j.FillForm():
            return o.FormFilled(**said, artifact=ref("form"))
        case j.ConvertDocument():
            return o.DocumentConverted(**said, artifact=ref("document"))
        case _:
            return o.JobDead(**said)


@pytest.mark.req("P18", "D3")
@examples(30)
@given(STEPS)
def test_whatever_is_asked_for_is_answered_and_what_comes_of_it_can_be_read(
    steps: list[RequestCommand | tuple[int, int]],
) -> None:
    story = Story()
    story.create()
    for step in steps:
        if isinstance(step, RequestCommand):
            assert list(story.when(step).events), "a request is answered"
            assert list(decide(step, story.state)) == [], "deciding again gives nothing"
        elif jobs := sorted(story.open_jobs().items()):
            story.when(Record(outcome(jobs[step[0] % len(jobs)][1], step[1])))
        view_of(story.document)
        assert open_job_ids(story.document) == {job_id for job_id, _, _ in work_of(story.document)}

"""Whatever anybody asks for, at whatever moment: it is answered by an event, and what came of it can be read."""

from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import Any, get_args

import domain_asking as asking
import pytest
from domain_asking import StoredComment
from domain_outcomes import outcome_of
from domain_story import Story, meta, ref
from hypothesis import given
from hypothesis import strategies as st
from pydantic import StrictInt
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.budgets import Budget
from stemma_contracts.v1.exports import Cover, ExportFormat, VersionPair
from stemma_contracts.v1.inputs import BRIEF
from stemma_contracts.v1.ledger import LedgerWarning, RequirementDecision, RowParts
from stemma_contracts.v1.library import EntryRef
from stemma_contracts.v1.references import InputFile, UploadRole
from stemma_contracts.v1.requests import SeenVersion
from stemma_domain.commands import Asked, Record
from stemma_domain.decide import decide
from stemma_domain.features.inputs.material import evidence_of, manner_of, pictures_of
from stemma_domain.features.returns import TakenComment, TakenSection
from stemma_domain.state import Document
from stemma_domain.table import FEATURES
from stemma_domain.view import view_of
from stemma_testkit.plugin import examples

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
    "cover": st.sampled_from([None, Cover(client="Harbour Office")]),
    "draft": REFS,
    "instruction": REFS,
    "feedback": REFS,
    "guidance": st.none() | REFS,
    "words": REFS,
    "decisions": st.lists(DECISIONS, min_size=1).map(tuple),
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
    "parts": st.lists(st.builds(RowParts, requirement_id=IDS, parts=st.just(("R9-2",)))).map(tuple),
    "sources": st.lists(st.sampled_from(["a.pdf", "none.pdf"]), unique=True).map(tuple),
    "closed": st.lists(st.builds(LedgerWarning, code=st.just("no_demands"), source=IDS)).map(tuple),
    "passage": REFS,
    "text": REFS,
    "return_id": st.sampled_from([f"return-{number}" for number in range(2, 9)]),
    "digest": st.just(ref("found").digest),
    "taken": st.lists(
        st.builds(
            TakenSection,
            SECTIONS,
            NUMBERS,
            st.lists(st.tuples(st.sampled_from(["Bea", ""]), REFS), max_size=2).map(tuple),
            st.lists(st.builds(TakenComment, st.just("Bea"), REFS, st.booleans()), max_size=2).map(tuple),
            st.none() | st.tuples(st.just("words"), REFS),
        ),
        max_size=2,
    ),
    "outcome": st.sampled_from(["won", "open"]),
    "entry": st.builds(EntryRef, document_id=st.sampled_from(["d2", "d3"]), section_id=SECTIONS, version=st.just(1)),
    "requirement_ids": st.lists(IDS, max_size=2).map(tuple),
    "owner": st.sampled_from(["", "bea"]),
    "expires": st.sampled_from([None, WHEN]),
    "role": st.sampled_from(get_args(UploadRole)),
    "budget": st.builds(Budget, calls=st.none() | st.integers(0, 9)),
    "question": st.sampled_from([f"b{number}" for number in range(2, 9)]),
    "answer": st.sampled_from(["once", "stop"]),
    "since": st.integers(1, 3),
    "sequence": st.just(0),
    "dropped": st.lists(st.sampled_from(["f1", "f9"]), unique=True).map(tuple),
}
REQUESTS = [request for feature in FEATURES for request in feature.requests if request is not r.CreateDocument]
META = st.builds(lambda number: meta(f"r{number}"), st.builds(count(1).__next__))
OF_ALL = {"request_id", "actor", "document_id"}
BUILT: dict[type[r.Request], list[tuple[Any, str]]] = {
    r.EditSection: [(asking.write, "section_id version draft"), (asking.edit, "section_id version instruction")],
    r.AnswerNeed: [(asking.answer, "section_id need_id words form")],
    r.CommentSection: [(asking.comment, "section_id version comments")],
    r.AddInput: [(asking.add_input, "file to_read staged unreadable")],
    r.ReplaceInput: [(asking.replace_input, "input_id version artifact is_text staged unreadable")],
    r.SplitRequirements: [(asking.cut_ledger, "rows_digest rows parts")],
    r.AcceptSuggestion: [(asking.accept_suggestion, "section_id version thread_id comment_id guidance")],
    r.TakeBackChanges: [(partial(asking.take_back, proposal_id=None), "section_id version since guidance")],
    r.AssignSection: [(asking.assign, "section_id assignee due time")],
    r.ReadReturn: [(asking.read_return, "artifact draft")],
    r.ReuseEntry: [(asking.reuse, "entry text requirement_ids")],
    r.ApplyReturn: [(asking.apply_return, "return_id digest taken")],
}
"""Requests with something that the edge finds out, as tests make them."""


def value(request: type[r.Request], name: str) -> st.SearchStrategy[Any]:
    field = request.model_fields.get(name)
    if name in BY_NAME:
        return BY_NAME[name]
    if field is None or field.annotation is bool:
        return st.booleans()
    if field.annotation is int:
        return st.integers(next((bound.ge for bound in field.metadata if hasattr(bound, "ge")), 1), 3)
    if field.annotation == StrictInt | None:
        return st.none() | st.integers(1, 60)
    assert field.annotation is str, f"{request.__name__} has a field {name} of another kind"
    return IDS


def asked(request: type[r.Request]) -> st.SearchStrategy[Asked[Any]]:
    """Requests that the contract allows, about what there is or is not."""
    if request in BUILT:
        return st.one_of(
            [
                st.builds(build, META, *[value(request, name) for name in names.split()])
                for build, names in BUILT[request]
            ]
        )
    chosen = {name: value(request, name) for name in request.model_fields if name not in OF_ALL}
    return st.builds(partial(asking.ask, request), META, **chosen)


OF_INPUTS: list[type[r.Request]] = [
    r.AddInput,
    r.ReplaceInput,
    r.ApplyInput,
    r.WithdrawInput,
    r.SetInputRole,
    r.MarkConfidential,
] * 6
STEP = st.sampled_from([*REQUESTS, *OF_INPUTS]).flatmap(asked) | st.tuples(st.integers(0, 9), st.integers(0, 9))
STEPS = st.lists(STEP, min_size=5, max_size=40)


def assert_inputs_are_there(document: Document, counted: set[str]) -> None:
    """What is told of a document names every input that ever counted, and workers are given nothing else."""
    view = view_of(document)
    assert counted <= {one.input_id for one in view.input_views}
    files = (*evidence_of(document), *manner_of(document), *pictures_of(document), *view.inputs)
    given = {file.input_id for file in files} - {None}
    assert given <= counted
    assert {one.input_id for one in view.input_views if one.state == "withdrawn"}.isdisjoint(given)


@pytest.mark.req("P18", "D3", "I1", "I4")
@examples(100)
@given(st.booleans(), STEPS)
def test_whatever_is_asked_for_is_answered_what_comes_of_it_can_be_read_and_inputs_that_counted_are_there(
    reads: bool, steps: list[Asked[Any] | tuple[int, int]]
) -> None:
    story = Story()
    story.create()
    if reads:
        story.ask(asking.replace_input, BRIEF, 1, ref("brief", "application/pdf"), is_text=False, staged=False)
    counted: set[str] = set()
    for step in steps:
        if isinstance(step, Asked):
            assert list(story.when(step).events), "a request is answered"
            assert list(decide(step, story.state)) == [], "deciding again gives nothing"
        elif jobs := sorted(story.open_jobs().items()):
            story.when(Record(outcome_of(jobs[step[0] % len(jobs)][1], step[1], good=step[1] != 8, asks=True)))
        counted |= {one.input_id for one in story.document.inputs.values() if one.contents}
        assert_inputs_are_there(story.document, counted)

import json
import re
from importlib import import_module
from typing import Any

import pytest
from stemma_cli.main import MODULE_OF, MODULES, app
from stemma_contracts import Family, registry
from stemma_contracts.v1 import events
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.budgets import Budget
from stemma_contracts.v1.comments import NewComment
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.staleness import StaleMark, StaleReason
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from typer.main import get_command
from typer.testing import CliRunner

NARROW = 40
COMMAND: Any = get_command(app)
BUILT = {name: COMMAND.get_command(None, name) for name in MODULE_OF}
VERBS = [
    *(name for name, built in BUILT.items() if not hasattr(built, "commands")),
    *(f"{name} {verb}" for name, built in BUILT.items() for verb in getattr(built, "commands", ())),
]
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
ABOUT: dict[str, Any] = {"section_id": "research", "version": 1}
SEVERAL = (r.SeenVersion(section_id="research", version=1), r.SeenVersion(section_id="solution", version=1))
REQUESTS: dict[tuple[str, ...], tuple[type[r.DocumentRequest], dict[str, Any]]] = {
    ("approve", "research", "--version", "1"): (r.ApproveSection, ABOUT),
    ("withdraw-approval", "research", "--version", "1"): (r.WithdrawApproval, ABOUT),
    ("revise", "research", "--version", "1", "-m", "Shorter."): (r.ReviseSection, {**ABOUT, "feedback": "Shorter."}),
    ("answer", "research", "n1", "-m", "2024."): (
        r.AnswerNeed, {"section_id": "research", "need_id": "n1", "answer": "2024."},
    ),
    ("answer", "research", "--heading", "Team", "-m", "Ada."): (
        r.AnswerNeed, {"section_id": "research", "need_id": "open_heading", "answer": "Ada.", "heading": "Team"},
    ),
    ("retry", "research"): (r.RetrySection, {"section_id": "research"}),
    ("pause",): (r.PauseDocument, {}),
    ("budget", "--cost", "2.5"): (r.SetBudget, {"budget": Budget(cost=2.5)}),
    ("budget", "--stop"): (r.AnswerBudget, {"question": "none", "answer": "stop"}),
    ("resume",): (r.ResumeDocument, {}),
    ("cancel", "--yes"): (r.CancelDocument, {}),
    ("edit", "research", "-m", "Shorter."): (r.EditSection, {**ABOUT, "instruction": "Shorter."}),
    ("accept-edit", "research", "--proposal", "p1"): (r.AcceptEdit, {**ABOUT, "proposal_id": "p1"}),
    ("reject-edit", "research", "--proposal", "p1"): (r.RejectEdit, {**ABOUT, "proposal_id": "p1"}),
    ("keep", "research", "--version", "1"): (r.KeepSection, ABOUT),
    ("keep", "research=1", "solution=1"): (r.KeepSections, {"sections": SEVERAL}),
    ("regenerate", "research", "--version", "1", "-m", "Why?"): (r.RegenerateSection, {**ABOUT, "guidance": "Why?"}),
    ("regenerate", "research", "--version", "1", "--replace-edited"): (
        r.RegenerateSection, {**ABOUT, "replace_edited": True},
    ),
    ("regenerate", "research=1", "solution=1"): (r.RegenerateSections, {"sections": SEVERAL}),
    ("restore", "solution", "1"): (
        r.RestoreSection, {"section_id": "solution", "version": 2, "restore_version": 1},
    ),
    ("comment", "research", "-m", "Why?"): (r.CommentSection, {**ABOUT, "comments": (NewComment(text="Why?"),)}),
    ("comments", "research", "--accept", "c1"): (
        r.AcceptSuggestion, {**ABOUT, "thread_id": "c1", "comment_id": "c1"},
    ),
    ("comments", "research", "--resolve", "c1"): (r.ResolveThread, {"section_id": "research", "thread_id": "c1"}),
    ("comments", "research", "--reopen", "c1"): (r.ReopenThread, {"section_id": "research", "thread_id": "c1"}),
    ("assign", "research", "--to", "bea"): (r.AssignSection, {"section_id": "research", "assignee": "bea"}),
    ("outcome", "won"): (r.RecordOutcome, {"outcome": "won"}),
    ("assign", "research", "--nobody"): (r.UnassignSection, {"section_id": "research"}),
}  # fmt: skip
"""A verb for each request that needs no file and no input of the document."""
WITH_FILES = {
    r.AddInput,
    r.ReplaceInput,
    r.ApplyInput,
    r.WithdrawInput,
    r.SetInputRole,
    r.MarkConfidential,
    r.ConfirmFormFields,
}
IN_TESTS_OF_THEIR_OWN = {
    r.PlanChange,
    r.TakeBackChanges,
    r.ChangeFact,
    r.ReadReturn,
    r.ApplyReturn,
    r.ExportDocument,
    r.ExportForm,
    r.ReadRequirements,
    r.DecideRequirements,
    r.SplitRequirements,
    r.DescribeEntry,
    r.ReuseEntry,
    r.EraseDocument,
}


def test_every_request_of_the_contracts_is_made_by_a_verb() -> None:
    known = {entry.cls for entry in registry.entries(Family.REQUEST) if issubclass(entry.cls, r.DocumentRequest)}
    assert known == {*(kind for kind, _ in REQUESTS.values()), *WITH_FILES, *IN_TESTS_OF_THEIR_OWN}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_teaches_with_an_example_and_speaks_json(verb: str) -> None:
    shown = CliRunner().invoke(app, [*verb.split(), "--help"]).stdout

    assert f"Example: stemma {verb}" in shown
    assert "--json" in shown


@pytest.mark.parametrize("verb", ["", "new", "revise"])
async def test_help_in_a_narrow_terminal_has_every_name_whole(on_a_terminal: Any, verb: str) -> None:
    options = BUILT[verb].params if verb else []
    names = {name for option in options for name in option.opts if name.startswith("-")} or set(MODULE_OF)

    seen, code = await on_a_terminal(*verb.split(), "--help", columns=NARROW)

    shown = re.findall(r"(?m)^  (\S.*)$", seen.replace("\r", ""))
    assert code == 0
    assert names <= set(re.findall(r"[\w-]+", " ".join(shown)))


@pytest.mark.parametrize("module", MODULES)
def test_the_command_has_the_verbs_of_every_module(module: str) -> None:
    found = import_module(f"stemma_cli.verbs.{module}")
    verbs = {name.rstrip("_").replace("_", "-"): one.__doc__ or "" for name, one in vars(found).items() if one}
    shown = {name for name, words in verbs.items() if re.search(rf"Example: stemma {name}\b", words)}
    assert {*shown, *getattr(found, "GROUPS", {})} == set(MODULES[module].split())


async def test_an_unknown_verb_is_refused_and_a_similar_one_suggested(cli: Any) -> None:
    done = await cli("inbx")

    assert done.exit_code == 2
    assert "Did you mean 'inbox'?" in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_the_shells_get_a_script_that_completes_verbs(shell: str) -> None:
    runner = CliRunner()
    script = runner.invoke(app, prog_name="stemma", env={"_STEMMA_COMPLETE": f"source_{shell}"}).stdout
    typed = {"COMP_WORDS": "stemma re", "COMP_CWORD": "1", "_TYPER_COMPLETE_ARGS": "stemma re"}
    completed = runner.invoke(app, prog_name="stemma", env={"_STEMMA_COMPLETE": f"complete_{shell}", **typed}).stdout

    assert f"_STEMMA_COMPLETE=complete_{shell}" in script
    assert set(re.findall(r"\bre[a-z]+", completed)) >= {"revise", "retry", "resume", "regenerate", "restore"}
    assert "watch" not in completed


@pytest.fixture
def written(requested: Any, drafted: Any, reviewable: Any) -> tuple[events.Event, ...]:
    sections = [event for name in ("research", "solution") for event in (drafted(name), reviewable(name))]
    return requested, *sections, drafted("solution", version=2)


@pytest.mark.req("P9", "P10")
@pytest.mark.parametrize(("arguments", "expected"), REQUESTS.items(), ids=str)
async def test_every_request_is_made_by_its_verb_with_each_argument_and_answered_in_json(
    cli: Any,
    backstage: Any,
    document_id: str,
    written: tuple[events.Event, ...],
    arguments: tuple[str, ...],
    expected: tuple[type[r.DocumentRequest], dict[str, Any]],
) -> None:
    await backstage.append(document_id, *written)
    verb, *rest = arguments

    done = await cli(verb, document_id, *rest, "--json")

    assert done.exit_code == 0, done.stderr
    answer = json.loads(done.stdout)
    [(_, sent)] = backstage.received
    kind, fields = expected
    assert sent == kind(document_id=document_id, request_id=sent.request_id, actor="ana", **fields)
    assert (answer["request_id"], answer["document_id"]) == (sent.request_id, document_id)


@pytest.fixture
async def stale_document(backstage: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any) -> str:
    """A document with a waiting section of a long name, a stale one, and an attachment."""
    plan = requested.sections[0].model_copy(update={"section_id": "problem_statement", "title": "Problem statement"})
    attachment = ArtifactRef(digest="b" * 64, size=20_000_000, media_type="application/pdf", name="plan.pdf")
    requested = requested.model_copy(
        update={
            "sections": (*requested.sections, plan),
            "inputs": (InputFile(name="plan.pdf", artifact=attachment),),
        }
    )
    drafts = [await backstage.text(document_id, f"# Research\n\nIt lends {n} books.\n") for n in (1, 2)]
    reason = StaleReason(upstream_section_id="research", accepted_version=1, current_version=2)
    await backstage.append(
        document_id,
        requested,
        drafted("research", drafts[0]),
        reviewable("research"),
        events.SectionApproved(section_id="research", version=1),
        drafted("solution"),
        reviewable("solution"),
        events.SectionApproved(section_id="solution", version=1),
        events.SectionEdited(
            section_id="research",
            version=2,
            draft=drafts[1],
            origin=Origin.WRITTEN,
            makes_stale=(StaleMark(section_id="solution", reasons=(reason,)),),
        ),
        drafted("problem_statement"),
        reviewable("problem_statement"),
    )
    waiting = SectionSummary(section_id="solution", title="Solution", status=SectionStatus.APPROVED, stale=True)
    await backstage.summarise(
        DocumentSummary(
            document_id=document_id,
            kind="proposal",
            status=DocumentStatus.RUNNING,
            created_at=requested.created_at,
            last_sequence=1,
            sections=(waiting,),
        )
    )
    return document_id


@pytest.mark.parametrize(
    ("verb", "line"),
    [
        ("show", "  status: awaiting review"),
        ("inbox", "  title: Problem statement"),
        ("stale", "    └── solution version 1"),
    ],
)
async def test_a_narrow_terminal_shows_whole_words_on_lines_that_fit(
    on_a_terminal: Any, stale_document: str, verb: str, line: str
) -> None:
    about = [] if verb == "inbox" else [stale_document]

    seen, code = await on_a_terminal(verb, *about, columns=NARROW)

    lines = [shown.rstrip() for shown in ESCAPES.sub("", seen).splitlines()]
    assert code == 0
    assert any(shown.startswith(line) for shown in lines), seen
    assert [shown for shown in lines if shown.startswith(" ") and len(shown) > NARROW] == []


async def test_what_no_writer_reads_is_listed_with_its_size(cli: Any, stale_document: str) -> None:
    assert "attachment plan.pdf: 20.0 MB" in (await cli("show", stale_document)).stdout


async def test_words_that_are_no_text_are_refused(cli: Any, backstage: Any, document_id: str, written: Any) -> None:
    await backstage.append(document_id, *written)

    done = await cli("revise", document_id, "research", "--version", "1", "-m", "-", stdin=b"\xff\xfe")

    assert (done.exit_code, done.stderr) == (2, "error: stdin is not UTF-8 text\n")

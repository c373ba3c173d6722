import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from stemma_client.outlines import read_outline
from stemma_contracts import subjects
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.events import RequirementsRead
from stemma_contracts.v1.ledger import LedgerSummary
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_testkit.document_events import TENANT


@pytest.fixture
async def title(backstage: Any, document_id: str) -> Any:
    return await backstage.text(document_id, "A \x1b[31mred\x1b[0m [bold]title")


@pytest.fixture
def summary(document_id: str, requested: Any, title: Any) -> DocumentSummary:
    sections = (
        SectionSummary(
            section_id="research",
            title="Research",
            status=SectionStatus.AWAITING_REVIEW,
            version=2,
            score=0.9,
            issue_count=1,
        ),
        SectionSummary(section_id="solution", title="Solution", status=SectionStatus.QUEUED),
    )
    return DocumentSummary(
        document_id=document_id,
        kind="proposal",
        status=DocumentStatus.RUNNING,
        title=title,
        created_at=requested.created_at,
        last_sequence=1,
        sections=sections,
    )


@pytest.mark.req("B1", "E3")
async def test_new_prints_the_id_of_the_document_its_roles_and_how_to_watch_it(
    cli: Any, backstage: Any, requested: Any, tmp_path: Path
) -> None:
    text = await backstage.text("new-document", "# Needs")
    mail = InputFile(name="mail.eml", artifact=text, proposed=True, **InputFile.fields_of("internal"))
    files = (mail, InputFile(name="needs.md", artifact=text))
    await backstage.append("new-document", requested.model_copy(update={"inputs": files}))
    (tmp_path / "brief.md").write_text("A bicycle that lends books.")
    (tmp_path / "inputs").mkdir()
    (tmp_path / "inputs" / "needs.md").write_text("# Needs")

    (tmp_path / "why.md").write_text("# Why")

    files_given = ("-b", f"{tmp_path}/brief.md", "-i", f"{tmp_path}/inputs", "--internal", f"{tmp_path}/why.md")
    done = await cli("new", "proposal", *files_given, "--policy", "none", "--title", "Mine")

    request = backstage.received[-1][1]
    assert (done.exit_code, done.stdout) == (0, "new-document\n")
    assert "evidence: needs.md\ninternal (proposed): mail.eml\n" in done.stderr
    assert "stemma watch new-docu" in done.stderr
    assert (request.brief, request.actor, request.review.mode) == ("A bicycle that lends books.", "ana", "none")
    assert request.title == "Mine"
    told = [(u.name, u.role, u.role_confirmed) for u in request.inputs]
    assert told == [("needs.md", "evidence", False), ("why.md", "internal", True)]


@pytest.mark.req("P19", "B6")
async def test_new_waits_for_the_request_to_be_read_and_tells_the_chapters_that_it_demands(
    cli: Any, backstage: Any, requested: Any
) -> None:
    text = await backstage.text("new-document", "# Request")
    rfp = InputFile(name="rfp.md", artifact=text, role="request")
    begun = requested.model_copy(update={"inputs": (rfp,), "chapters_from_request": True})
    await backstage.append("new-document", begun)
    plans = tuple(plan.model_copy(update={"title": f"Chapter {plan.section_id}"}) for plan in requested.sections)
    read = RequirementsRead(
        job_id="j", rows=text, difference=text, summary=LedgerSummary(), outlined_by="rfp.md", sections=plans
    )

    asked = asyncio.Event()

    async def ask(_: Any) -> None:
        asked.set()

    async def reads() -> None:
        await asked.wait()
        await backstage.append("new-document", read)

    backstage.on_request = ask
    done, _ = await asyncio.gather(cli("new", "proposal", "-b", "-", stdin="Write."), reads())

    assert f"{len(plans)} sections, as rfp.md demands: Chapter research, " in done.stderr
    assert "demands: Chapter research, " in (await cli("show", "new-document")).stderr


@pytest.mark.req("P19")
async def test_new_takes_the_sections_that_a_file_asks_for_and_outline_prints_them(
    cli: Any, backstage: Any, tmp_path: Path
) -> None:
    (tmp_path / "rfp.md").write_text("# Proposal format\n\n1. Approach (at most 2 pages)\n2. Budget\n")

    done = await cli("new", "proposal", "-b", "-", "--outline-from", f"{tmp_path}/rfp.md", stdin="Write.")
    printed = (await cli("outline", f"{tmp_path}/rfp.md")).stdout

    asked = backstage.received[-1][1].outline
    assert asked == read_outline("o.md", printed)
    assert [(one.title, one.max_pages, one.collects) for one in asked] == [
        ("Approach", 2, ()),
        ("Budget", None, ("amounts",)),
    ]
    assert "2 sections are asked for: Approach, Budget\n" in done.stderr


@pytest.mark.req("P9")
async def test_new_refuses_two_outlines_and_one_that_no_file_asks_for(cli: Any, backstage: Any, tmp_path: Path) -> None:
    (tmp_path / "rfp.md").write_text("# Request\n\nBe brief.\n")
    arguments = ("new", "proposal", "-b", "-", "--outline-from", f"{tmp_path}/rfp.md")

    both = await cli(*arguments, "--outline", "o.md", stdin="Write.")
    (tmp_path / "rfp.zip").write_bytes(b"PK")
    none = await cli(*arguments, "--outline-from", f"{tmp_path}/rfp.zip", stdin="Write.")

    assert (both.exit_code, "leave one of them out" in " ".join(both.stderr.replace("│", " ").split())) == (2, True)
    assert (none.exit_code, "no passage of the inputs says" in none.stderr) == (1, True)
    assert "in text alone, not in rfp.zip" in " ".join(none.stderr.split())
    assert backstage.received == []


async def test_the_sample_is_a_brief_with_inputs_and_pictures(cli: Any, backstage: Any, requested: Any) -> None:
    await backstage.append("new-document", requested)
    done = await cli("new", "proposal", "--sample")

    request = backstage.received[-1][1]
    kinds = {u.media_type for u in request.inputs}
    assert done.exit_code == 0
    assert {"text/markdown", "image/png"} <= kinds
    assert request.title


async def test_a_rejected_request_ends_with_3_and_names_the_field_also_in_json(cli: Any, backstage: Any) -> None:
    problem = Problem.of("kind_unknown", "kind", kind="p\x1b[2Joem", known="budget")
    backstage.problems = (problem,)

    plain = await cli("new", "poem", "--brief", "-", stdin="A brief.")
    done = await cli("new", "poem", "--brief", "-", "--json", stdin="A brief.")

    answer = json.loads(done.stdout)
    assert done.exit_code == 3
    assert answer["request_id"] == backstage.received[-1][1].request_id
    assert answer["problems"] == [problem.model_dump()]
    assert (plain.exit_code, plain.stdout, plain.stderr) == (3, "", done.stderr)
    assert "rejected: kind: 'poem' is not known; known are: budget" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("new", "proposal"), "a document needs a brief"),
        (("new", "proposal", "-b", "/nowhere/brief.md"), "cannot read /nowhere/brief.md"),
        (("new", "proposal", "-b", "-", "-i", "/nowhere"), "no such file or folder: /nowhere"),
        (("new", "pro posal", "-b", "-"), "kind:"),
        (("new", "poem", "--sample"), "no sample comes with 'poem'"),
        (("show", "a.*"), "document id must match"),
    ],
)
async def test_wrong_usage_ends_with_2_and_says_what_is_wrong(
    cli: Any, backstage: Any, arguments: tuple[str, ...], words: str
) -> None:
    done = await cli(*arguments, stdin="A brief.")

    assert done.exit_code == 2
    assert words in done.stderr
    assert "Traceback" not in done.output


async def test_an_unknown_document_ends_with_1_and_a_hint(cli: Any, document_id: str) -> None:
    done = await cli("show", document_id)

    assert done.exit_code == 1
    assert "see `stemma list`" in done.stderr


async def test_a_document_that_is_not_there_is_rejected_with_a_hint_and_one_that_is_over_with_unknown_fields(
    cli: Any, backstage: Any
) -> None:
    backstage.problems = (Problem(field="document_id", message="there is no such document"),)
    done = await cli("cancel", "nosuch", "--yes")
    assert (done.exit_code, "see `stemma list`" in done.stderr) == (3, True)
    backstage.problems = (Problem(field="document_id", message="the document is cancelled"),)
    backstage.rejected = {"document_id": "nosuch", "ignored_fields": ("sektion",)}
    told = "error: rejected: document_id: the document is cancelled; unknown fields: sektion\n"
    done = await cli("pause", "nosuch")
    assert (done.exit_code, done.stderr) == (3, told)


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("STEMMA_NATS_URL", "http://127.0.0.1:1", "STEMMA_NATS_URL must be an address of a NATS server"),
        ("STEMMA_TENANT", "a*b", "STEMMA_TENANT must match"),
    ],
)
async def test_a_wrong_variable_ends_with_2_and_its_name(
    cli: Any, environment: dict[str, str], variable: str, value: str, words: str
) -> None:
    environment[variable] = value

    done = await cli("list")

    assert (done.exit_code, done.stdout) == (2, "")
    assert words in done.stderr


async def test_no_server_ends_with_4_and_says_how_to_start_one(cli: Any, environment: dict[str, str]) -> None:
    environment["STEMMA_NATS_URL"] = "nats://127.0.0.1:1"

    done = await cli("list")

    assert (done.exit_code, done.stdout) == (4, "")
    assert "no server at nats://127.0.0.1:1" in done.stderr
    assert "start one with `stemma up`" in done.stderr


async def test_list_tells_what_is_settled_and_what_waits_with_a_harmless_title(
    cli: Any, backstage: Any, summary: DocumentSummary, requested: Any
) -> None:
    await backstage.append(summary.document_id, requested)
    await backstage.summarise(summary)

    line = next(li for li in (await cli("list")).stdout.splitlines() if li.startswith(summary.document_id))

    assert line.split("\t")[1:5] == ["proposal", "running", "0/2", "1"]
    assert line.endswith("A red [bold]title")
    listed = {d["document_id"]: d for d in json.loads((await cli("list", "--json")).stdout)}
    assert listed[summary.document_id]["sections"][0]["score"] == 0.9


@pytest.mark.req("S3")
async def test_list_leaves_out_a_summary_that_nobody_can_read_and_says_so(
    cli: Any, backstage: Any, summary: DocumentSummary
) -> None:
    await backstage.summarise(summary)
    spoilt = {f"spoilt-{number}": body for number, body in enumerate((b"{}", b"no JSON", b"\xff"))}
    for name, body in spoilt.items():
        await backstage.js.publish(f"$KV.documents.default.{name}", body)
    done, waiting = await cli("list"), await cli("inbox")
    for name in spoilt:
        await backstage.js.publish(f"$KV.documents.default.{name}", headers={"KV-Operation": "DEL"})
    assert (done.exit_code, summary.document_id in done.stdout) == (0, True)
    assert [one for one in spoilt if f"the summary of {one} cannot be read and is left out" not in done.stderr] == []
    assert (waiting.exit_code, f"no document {summary.document_id}" in waiting.stderr) == (0, True)


async def test_a_document_whose_content_was_erased_holds_up_no_list(
    cli: Any, backstage: Any, summary: DocumentSummary
) -> None:
    erased = f"e{summary.document_id}"
    await backstage.summarise(summary.model_copy(update={"document_id": erased, "sections": ()}))

    done = await cli("list")

    assert done.exit_code == 0
    line = next(line for line in done.stdout.splitlines() if line.startswith(erased))
    assert line.endswith("(not stored any more)")


@pytest.mark.req("P9")
async def test_a_document_is_found_by_the_beginning_of_its_id_and_no_summary_is_read(
    cli: Any, backstage: Any, document_id: str, requested: Any
) -> None:
    other = f"spoilt{document_id}"
    await backstage.append(document_id, requested)
    await backstage.list_research(document_id)
    key = f"$KV.{subjects.VIEWS_BUCKET}.{subjects.view_key(TENANT, other)}"
    await backstage.js.publish(key, b"no summary")

    assert f"the summary of {other} cannot be read" in (await cli("list")).stderr
    shown = await cli("show", document_id[:12])
    assert (shown.exit_code, other in shown.stderr) == (0, False)
    assert document_id in shown.stdout
    await backstage.js.publish(key, headers={"KV-Operation": "DEL"})


async def test_a_beginning_that_fits_two_documents_is_refused(
    cli: Any, backstage: Any, summary: DocumentSummary
) -> None:
    await backstage.summarise(summary.model_copy(update={"sections": ()}))
    await backstage.summarise(summary.model_copy(update={"document_id": f"{summary.document_id}-2", "sections": ()}))

    done = await cli("show", summary.document_id[:20])

    assert done.exit_code == 2
    assert "2 documents begin with" in done.stderr
    assert "begin with" not in (await cli("show", summary.document_id)).stderr, "a whole id is one document's"


async def test_show_prints_a_draft_without_control_sequences_and_says_which_sections_there_are(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any
) -> None:
    draft = await backstage.text(document_id, "# Research\n\nA \x1b[2Jtext.\n")
    await backstage.append(document_id, requested, drafted("research", draft))
    assert (await cli("show", document_id, "research")).stdout == "# Research\n\nA text.\n"
    unknown, unwritten = await cli("show", document_id, "nothing"), await cli("show", document_id, "solution")
    assert (unknown.exit_code, "it has research, solution" in unknown.stderr) == (2, True)
    assert (unwritten.exit_code, "nothing is written in solution yet" in unwritten.stderr) == (1, True)


@pytest.mark.req("T7", "P9")
async def test_list_counts_issues_and_whatever_waits_as_the_inbox_does(
    cli: Any, backstage: Any, summary: DocumentSummary, requested: Any
) -> None:
    rewritten = {"stale": True, "status": SectionStatus.GENERATING}
    sections = [
        summary.sections[0].model_copy(
            update={"section_id": name, "status": SectionStatus.APPROVED, "stale": False, "issue_count": 2, **waits}
        )
        for name, waits in (("a", {"stale": True}), ("b", {"proposal_id": "p4"}), ("c", {}), ("d", rewritten))
    ]
    await backstage.append(summary.document_id, requested)
    await backstage.summarise(summary.model_copy(update={"sections": tuple(sections)}))

    line = next(li for li in (await cli("list")).stdout.splitlines() if li.startswith(summary.document_id))

    assert line.split("\t")[3:6] == ["3/4", "2", "8"]


@pytest.mark.req("O7")
async def test_what_ended_and_was_left_for_long_is_erased_together_and_a_dry_run_names_it(
    cli: Any, backstage: Any, document_id: str
) -> None:
    long_ago = datetime(1990, 1, 2, tzinfo=UTC)
    about: dict[str, Any] = {"kind": "proposal", "created_at": long_ago, "last_sequence": 7}
    for name, status in (
        ("o", DocumentStatus.COMPLETED),
        ("r", DocumentStatus.RUNNING),
        ("n", DocumentStatus.CANCELLED),
    ):
        changed = datetime.now(UTC) if name == "n" else long_ago
        one = DocumentSummary(document_id=f"{name}{document_id}", status=status, updated_at=changed, **about)
        await backstage.summarise(one)
    backstage.accepted = {"sequence": 7}
    erase = ("erase", "--older-than", "10000")
    dry, unasked = await cli(*erase, "--dry-run"), await cli(*erase)
    asked = await cli(*erase, "--yes", "--json")
    assert (dry.stdout, dry.stderr.splitlines()[-1]) == (f"o{document_id}\n", "1 would be erased")
    assert (unasked.exit_code, json.loads(asked.stdout)) == (2, [f"o{document_id}"])
    assert (await cli("erase", document_id, *erase[1:])).exit_code == 2, "one or all of them"
    assert [(one.document_id, one.sequence) for _, one in backstage.received] == [
        (f"o{document_id}", None), (f"o{document_id}", 7),
    ]  # fmt: skip


@pytest.mark.req("O7")
async def test_what_was_changed_since_it_was_listed_is_left_and_the_rest_is_erased(
    cli: Any, backstage: Any, document_id: str
) -> None:
    long_ago = datetime(2005, 1, 2, tzinfo=UTC)
    about: dict[str, Any] = {"kind": "proposal", "created_at": long_ago, "status": DocumentStatus.COMPLETED}
    for name, sequence in (("c", 6), ("e", 7)):
        await backstage.summarise(
            DocumentSummary(document_id=f"{name}{document_id}", last_sequence=sequence, updated_at=long_ago, **about)
        )
    backstage.accepted = {"sequence": 7}
    done = await cli("erase", "--older-than", "7000", "--yes")
    assert (done.exit_code, f"c{document_id}: it was changed meanwhile" in done.stderr) == (3, True)
    asked = [
        (one.document_id, one.sequence)
        for _, one in backstage.received
        if one.sequence and document_id in one.document_id
    ]
    assert asked == [(f"e{document_id}", 7)]
    assert (await cli("erase", "--older-than", "1000000000", "--yes")).exit_code == 2
